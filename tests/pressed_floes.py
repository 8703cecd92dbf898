"""Floes of any kind in a box or a periodic sea under a wind that turns, and what must hold however they are pressed."""

import numpy as np
import shapely

import banquise as bq

SIDE = 400.0


def star(rng, reach):
    """A ring around zero, concave more often than not."""
    while True:
        count = rng.integers(3, 12)
        angle = np.sort(rng.uniform(0, 2 * np.pi, count))
        if np.diff(np.append(angle, angle[0] + 2 * np.pi)).max() <= 2.6:
            break
    radius = reach * rng.uniform(0.3 if rng.random() < 0.6 else 0.8, 1.0, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _drawn(rng, kind):
    """What makes a floe of that kind somewhere: the class, its arguments; None where the draw gives none."""
    reach = rng.uniform(20, 70)
    ring = np.zeros((1, 2)) if kind == "disc" else star(rng, reach)
    ring = ring + rng.uniform(60, SIDE - 60, 2)
    if kind == "disc":
        return bq.Disc, (ring[0], 0.6 * reach), {}
    shape = shapely.Polygon(ring)
    if not shape.is_valid or shape.area < 150:
        return None
    if kind == "rounded":
        return bq.Floe, (ring,), {"radius": rng.uniform(0.5, 3.0)}
    if kind == "holed":
        hole = shape.buffer(-5.0).simplify(0.1)
        if hole.geom_type != "Polygon" or hole.area < 60:
            return None
        return bq.Floe, (ring,), {"holes": [np.array(shapely.geometry.polygon.orient(hole).exterior.coords)[:-1]]}
    return bq.Floe, (ring,), {}


def scattered(rng, kinds=("star",), periodic=False):
    """Up to twenty of them, half a metre apart at least."""
    there, drawn = [], []
    wanted, tries = int(rng.integers(6, 20)), 0
    images = [(i * SIDE, j * SIDE) for i in (-1, 0, 1) for j in (-1, 0, 1)] if periodic else [(0.0, 0.0)]
    while len(drawn) < wanted and tries < 5000:
        tries += 1
        one = _drawn(rng, kinds[0] if len(kinds) == 1 else rng.choice(kinds))
        if one is None:
            continue
        make, given, options = one
        shape = make(*given, **options).polygon
        inside = periodic or (min(shape.bounds[:2]) > 2 and max(shape.bounds[2:]) < SIDE - 2)
        copies = [shapely.transform(shape, lambda p, by=by: p + by) for by in images] if inside else []
        if inside and all(copy.distance(other) > 0.5 for copy in copies for other in there):
            there.append(shape)
            drawn.append(one)
    return [make(*given, thickness=rng.uniform(0.5, 1.5), **options) for make, given, options in drawn]


def pressed(seed, contact, scheme, until, kinds=("star",), periodic=False, fracture=None):
    """Run such a scene; checks its overlaps, books and solvers, and gives the run back."""
    rng = np.random.default_rng(seed)
    floes = scattered(rng, kinds, periodic)
    times = np.arange(0.0, until + 3600.0, 600.0)
    turn = 2 * np.pi * times / 5400.0 + rng.uniform(0, 6)
    speed = rng.uniform(10, 25)
    forcing = bq.Forcing(
        wind=bq.Series(times, u=speed * np.cos(turn), v=speed * np.sin(turn)), current=(0, 0), latitude=80.0
    )
    domain = (bq.Periodic if periodic else bq.Box)(0, SIDE, 0, SIDE)
    sim = bq.Simulation(bq.Scene(floes, domain=domain), forcing, contact, scheme, fracture=fracture)
    deepest = []

    def look(sim):
        """Depth of every pair over the smaller size; walls have none."""
        one, other, depth = sim.detector.overlaps(sim.bodies)
        size = np.append(sim.size[: sim.bodies.n_free], np.full(4, np.inf))
        deepest.append((depth / np.minimum(size[one], size[other])).max(initial=0.0))

    run = sim.run(until=until, every=until / 4, callbacks=[bq.Every(60.0, look)])
    ledger = run.ledger
    # the tolerance of every step; pieces of a break are measured by their own size, and brought to it in the next
    assert max(deepest) <= (1e-5 if fracture is None else 1e-4)
    assert float(ledger.unsolved.sum()) == 0
    # steps keep the books to round-off; a hundredfold of it for the thousands of them
    assert float(abs(ledger.balance).max()) < 1e-12 * float(abs(ledger.work_wind).max())
    return run
