"""Sharp and concave floes that a turning wind presses together in a closed box, for hours: nothing gives way."""

import numpy as np
import pytest
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


def scattered(rng):
    """Up to twenty of them in the box, half a metre apart at least."""
    there = []
    wanted, tries = int(rng.integers(6, 20)), 0
    while len(there) < wanted and tries < 5000:
        shape = shapely.Polygon(star(rng, rng.uniform(20, 70)) + rng.uniform(60, SIDE - 60, 2))
        inside = min(shape.bounds[:2]) > 2 and max(shape.bounds[2:]) < SIDE - 2
        if inside and shape.is_valid and shape.area > 150 and all(shape.distance(other) > 0.5 for other in there):
            there.append(shape)
        tries += 1
    return [bq.Floe(np.array(shape.exterior.coords)[:-1], thickness=rng.uniform(0.5, 1.5)) for shape in there]


@pytest.mark.parametrize(
    ("seed", "friction", "restitution", "scheme", "until"),
    [
        (2, 0.0, 0.8, bq.TimeStepping(step=10.0), 11000.0),
        (9, 0.2, 0.8, bq.TimeStepping(step=30.0), 14400.0),
        (11, 1.0, 0.3, bq.TimeStepping(step=120.0), 14400.0),
        (1, 0.7, 0.0, bq.EventDriven(max_step=30.0), 3600.0),
        pytest.param(0, 0.2, 0.3, bq.TimeStepping(step=30.0), 86400.0, marks=pytest.mark.slow),
        pytest.param(100, 0.7, 0.0, bq.EventDriven(max_step=120.0), 14400.0, marks=pytest.mark.slow),
    ],
)
def test_pressed_floes_do_not_give_way(seed, friction, restitution, scheme, until):
    rng = np.random.default_rng(seed)
    floes = scattered(rng)
    times = np.arange(0.0, until + 3600.0, 600.0)
    turn = 2 * np.pi * times / 5400.0 + rng.uniform(0, 6)
    speed = rng.uniform(10, 25)
    wind = bq.Series(times, u=speed * np.cos(turn), v=speed * np.sin(turn))
    sim = bq.Simulation(
        bq.Scene(floes, domain=bq.Box(0, SIDE, 0, SIDE)),
        bq.Forcing(wind=wind, current=(0, 0), latitude=80.0),
        bq.Contact(friction=friction, restitution=restitution),
        scheme,
    )
    deepest = []

    def look(sim):
        """Depth of every pair over the smaller size."""
        one, other, depth = sim.detector.overlaps(sim.bodies)
        size = np.append(sim.size[: len(floes)], np.full(4, np.inf))  # walls have none
        deepest.append((depth / np.minimum(size[one], size[other])).max(initial=0.0))

    run = sim.run(until=until, every=until / 4, callbacks=[bq.Every(60.0, look)])
    assert max(deepest) <= 1e-5
    assert float(run.ledger.unsolved.sum()) == 0
    # steps keep the books to round-off; a hundredfold of it for the thousands of them
    assert float(abs(run.ledger.balance).max()) < 1e-12 * float(abs(run.ledger.work_wind).max())
    there = [floe.polygon for floe in run.scene.floes]
    for i, one in enumerate(there):
        for other in there[:i]:
            assert one.intersection(other).area <= 1e-5 * min(one.area, other.area)
