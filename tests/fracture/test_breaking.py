"""Floes that break in a run: nothing is lost, cracks are paid for, and everything is on record."""

from __future__ import annotations

import math

import numpy as np
import pytest

import banquise as bq
from banquise.errors import BanquiseError
from banquise.fracture.breaking import Breaking, Cuts
from banquise.fracture.splice import Broken, splice
from banquise.fracture.till import Till
from banquise.scene.bodies import Bodies
from banquise.scene.domain import Box
from banquise.scenes import fracture as scenes
from banquise.update.impulses import EVENT_COLUMNS, OBSTACLE_IDS
from banquise.validation.breaking import random_breaks, totals

from .conftest import star


def test_random_breaks_keep_mass_momenta_and_energy():
    # relative to the sums of the parts' own sizes; a hundred breaks are a chain, so rounding adds up over it
    worst, overlap, breaks = random_breaks(100, seed=3)
    assert breaks == 100
    assert worst.max() < 1e-12
    assert overlap < 1e-9


@pytest.mark.slow
def test_a_thousand_random_breaks():
    worst, overlap, breaks = random_breaks(1000)
    assert breaks == 1000
    assert worst.max() < 1e-12
    assert overlap < 1e-9


def test_the_first_piece_takes_the_row_and_the_others_follow():
    floes = [star(k) for k in range(3)]
    wall = bq.Obstacle([[-300, -300], [-200, -300], [-200, 300], [-300, 300]])
    bodies = Bodies.of(floes, [wall])
    from banquise.fracture.mean_stress import chord_through
    from banquise.fracture.split import pieces_of

    pieces = pieces_of(floes[1], chord_through(floes[1], np.array([1.0, 0.0])))
    after, before = splice(bodies, [Broken(1, floes[1], pieces, [7, 8])])
    assert after.ids.tolist() == [0, 7, 2, 8, 3]
    assert before.tolist() == [0, -1, 2, -1]
    assert after.n_free == 4
    assert totals(after) == pytest.approx(totals(bodies), rel=1e-13)
    for row, piece in ((1, pieces[0]), (3, pieces[1])):
        assert np.allclose(after.world_rings(row)[0], piece.ring, atol=1e-9)
    assert np.array_equal(after.world_rings(4)[0], bodies.world_rings(3)[0])


@pytest.mark.parametrize("restitution", [0.35, 1.0])
def test_a_crack_is_paid_by_its_impact(restitution):
    sim = scenes.thrown(speed=0.06, restitution=restitution, friction=0.0)
    kinetic = sim.bodies.kinetic_energy()
    run = sim.run(20.0, every=5.0)
    ledger = run.ledger.isel(time=-1)
    surface = float(ledger.surface_energy)
    assert sim.bodies.n_free > 1
    assert surface > 0
    assert abs(float(ledger.balance)) < 1e-12 * kinetic
    assert float(ledger.kinetic_energy) <= kinetic - surface + 1e-9 * kinetic
    assert float(ledger.dissipated_contact) >= 0
    breaks = run.events[run.events.kind == "break"]
    assert breaks.energy_loss.sum() == pytest.approx(surface, rel=1e-12)
    # toughness times thickness times length is what a crack costs; its length is what the ring has gained, twice
    born = list(run.scene.floes)
    gained = sum(f.polygon.length for f in born) - sim.scene.floes[0].polygon.length
    assert surface == pytest.approx(10.0 * 0.5 * gained, rel=2e-3)  # the mesh leaves out small detail of the border


@pytest.mark.parametrize("periodic", [pytest.param(False, marks=pytest.mark.slow), True])
def test_two_floes_that_meet_may_both_break(periodic):
    """Whatever breaks, the two together keep their momenta; across the border of a periodic box too."""
    left = bq.Floe(scenes.ROUGH, density=910.0, velocity=(0.15, 0.0))
    ring = scenes.ROUGH * [-1, 1] + [220.5 if not periodic else -0.5, 4.0]
    right = bq.Floe(ring, density=910.0, velocity=(-0.15, 0.01), spin=1e-4)
    domain = bq.Periodic(-110.75, 110.25, -60.0, 160.0) if periodic else None
    scheme = bq.EventDriven(max_step=2.0)
    sim = bq.Simulation(bq.Scene([left, right], domain=domain), scheme=scheme, fracture=bq.Griffith())
    before = totals(sim.bodies)
    run = sim.run(20.0, every=10.0)
    breaks = run.events[run.events.kind == "break"]
    assert set(breaks.floe_a) == {0, 1}
    after = totals(sim.bodies)
    assert after[:3] == pytest.approx(before[:3], rel=1e-12, abs=1e-12 * before[0])
    if not periodic:
        assert after[3] == pytest.approx(before[3], rel=1e-11)  # about the origin: sums of larger terms
    assert abs(float(run.ledger.balance[-1])) < 1e-12 * before[4]
    assert after[4] <= before[4] - float(run.ledger.surface_energy[-1])


@pytest.mark.parametrize("periodic", [False, True])
def test_a_rebound_that_pays_keeps_the_angular_momentum(periodic):
    """Nothing is lost at e = 1 without friction: all comes from the rebound, at the end of the step, when the two have parted.

    Impulses at two points that are no longer in one place made 2e-5 of the angular momentum.
    """
    left = bq.Floe(scenes.ROUGH, density=910.0, velocity=(0.15, 0.0), spin=2e-3)
    right = bq.Floe(scenes.ROUGH * [-1, 1] + [220.5, 14.0], density=910.0, velocity=(-0.15, 0.03), spin=1e-3)
    domain = bq.Periodic(-320.0, 110.0, -100.0, 300.0) if periodic else None  # they meet across its seam
    if periodic:
        right = bq.Floe(right.ring - [430.0, 0.0], density=910.0, velocity=right.velocity, spin=right.spin)
    sim = bq.Simulation(
        bq.Scene([left, right], domain=domain), contact=bq.Contact(friction=0.0, restitution=1.0),
        scheme=bq.EventDriven(max_step=2.0), fracture=bq.Griffith(),
    )  # fmt: skip
    sim.bodies.x += 430.0 * (sim.bodies.x < -100.0)
    before = totals(sim.bodies)
    run = sim.run(20.0, every=2.0)
    assert sim.bodies.n_free > 2
    sim.bodies.x += 430.0 * (sim.bodies.x < -100.0)
    after = totals(sim.bodies)
    assert after[:4] == pytest.approx(before[:4], rel=1e-12, abs=1e-12 * before[0])
    assert after[4] == pytest.approx(before[4] - float(run.ledger.surface_energy[-1]), rel=1e-12)


def test_the_books_close_when_discs_break():
    """Cut as chains of chords they lose a little inertia, and no momentum; what that does to their energy is entered."""
    discs = [
        bq.Disc((0, 0), 40.0, velocity=(0.4, 0.0), spin=2e-3),
        bq.Disc((81, 6), 40.0, velocity=(-0.4, 0.0), spin=1e-3),
    ]
    sim = bq.Simulation(bq.Scene(discs), scheme=bq.TimeStepping(step=2.0), fracture=bq.Griffith())
    before = totals(sim.bodies)
    run = sim.run(10.0, every=5.0)
    assert sim.bodies.n_free > 2
    assert totals(sim.bodies)[:4] == pytest.approx(before[:4], rel=1e-11, abs=1e-11 * before[0])
    assert abs(float(run.ledger.balance[-1])) < 1e-12 * before[4]


def test_parents_and_children_are_on_record(tmp_path):
    path = tmp_path / "thrown.nc"
    sim = scenes.thrown(speed=0.06)
    sim.run(20.0, every=1.0, output=path, contacts=True)
    run = bq.open_run(path)
    shapes, n = run.shapes, run.dataset.sizes["floe"]
    broke = run.events[run.events.kind == "break"].time.iloc[0]
    assert n == sim.n_ids > 2
    assert shapes["parent"].values[:n].tolist() == [-1] + [0] * (n - 1)
    assert shapes["end"].values[0] == broke == shapes["birth"].values[1]
    assert set(run.contacts.floe_a) <= set(range(n)) and set(run.contacts.floe_b) <= set(range(n + 1))
    assert n in set(run.contacts.floe_b)  # the wall: numbered after all floes, those born later too
    there = np.isfinite(run.dataset.x.values)
    before = run.dataset.time.values < broke
    assert there[before, 0].all() and not there[before, 1:].any()
    assert there[~before, 1:].all() and not there[~before, 0].any()
    impact = run.events[run.events.kind == "impact"].iloc[0]
    assert impact.floe_b == n  # the wall is numbered after all floes that ever were
    assert shapes["mass"].values[1:n].sum() == pytest.approx(shapes["mass"].values[0], rel=1e-13)
    assert sum(f.area for f in run.scene.floes) == pytest.approx(sim.scene.floes[0].area, rel=1e-12)
    assert [str(x) for x in shapes["name"].values[:3]] == ["floe", "floe.1", "floe.2"]
    # a run that was killed knows of floes born after its last record
    from banquise.recording.shapes import scene_from

    first = np.stack([run.dataset[name].values[0, :1] for name in ("x", "y", "rotation", "u", "v", "spin")])
    assert len(scene_from(shapes, first, run.case).floes) == 1


def test_resume_goes_through_a_break_exactly(tmp_path):
    whole = scenes.thrown(speed=0.06).run(24.0, every=2.0, output=tmp_path / "whole.nc")
    broke = float(whole.events[whole.events.kind == "break"].time.iloc[0])
    for stop in (2.0, math.ceil(broke / 2) * 2.0, 20.0):  # before the break, just after it, later
        path = tmp_path / f"stopped{stop:g}.nc"
        scenes.thrown(speed=0.06).run(stop, every=2.0, output=path)
        on = bq.resume(path, until=24.0)
        for name in ("x", "y", "rotation", "u", "v", "spin"):
            assert np.array_equal(whole.dataset[name].values, on.dataset[name].values, equal_nan=True), (stop, name)
        assert whole.events.equals(on.events)
        assert np.array_equal(whole.ledger.to_array().values, on.ledger.to_array().values)
        assert np.array_equal(whole.shapes["parent"].values, on.shapes["parent"].values)


def test_same_bits_for_one_and_two_threads():
    """Two floes meet the wall in one step, so that two threads search one each."""
    runs = []
    for count in (1, 2):
        bq.set_threads(count)
        try:
            one = scenes.thrown(speed=0.1)
            (floe,) = one.scene.floes
            two = bq.Floe(0.9 * floe.ring * [1, -1] + [0.1 * 0.5, -40.0], density=910.0, velocity=(-0.1, 0.0))
            scene = bq.Scene([floe, two], one.scene.obstacles)
            sim = bq.Simulation(scene, scheme=bq.EventDriven(max_step=2.0), fracture=bq.Griffith())
            runs.append((sim.run(8.0, every=4.0), sim.breaking.searches, sim.breaking.searched))
        finally:
            bq.set_threads(1)
    (first, *looks), (second, *others) = runs
    breaks = first.events[first.events.kind == "break"]
    assert set(breaks.floe_a) == {0, 1}
    assert breaks.time.nunique() == 1
    assert np.array_equal(first.dataset.x.values, second.dataset.x.values, equal_nan=True)
    assert np.array_equal(first.records["events"], second.records["events"])
    assert looks == others


def test_a_piece_whose_crack_is_not_paid_stays_whole(monkeypatch):
    """Pieces that would break again are searched before anything is paid for; what is not paid is taken back."""
    sim = scenes.thrown(speed=0.4, floe=3 * scenes.ROUGH)
    whole = sim.run(4, every=4)
    cracks = whole.events[whole.events.kind == "break"]
    assert len(cracks) >= 2 and cracks.time.nunique() == 1  # at one instant
    assert len(sim.breaking.family) == 2 + len(cracks)
    paid = []
    monkeypatch.setattr(Till, "payable", lambda till, struck, crack: not paid)
    pay = Till.pay
    monkeypatch.setattr(Till, "pay", lambda till, struck, crack: (paid.append(crack.surface), pay(till, struck, crack)))
    sim = scenes.thrown(speed=0.4, floe=3 * scenes.ROUGH)
    run = sim.run(4, every=4)
    assert len(sim.breaking.family) == 3 and len(paid) == 1
    assert sim.ledger.totals["surface_energy"] == pytest.approx(paid[0])
    assert (run.events.kind == "break").sum() == 1


def test_a_storm_of_the_open_sea_goes_on_beyond_its_border_with_the_same_shear():
    sim = scenes.storm(n=12, bay=False, eddy=100.0, swirl=0.3)
    side = sim.scene.domain.xmax
    along = np.linspace(0.0, side, 2001)
    nowhere = np.zeros_like(along)
    u, v = sim.forcing.current.sample(nowhere, along, 0.0)
    assert u[-1] == pytest.approx(u[0], abs=1e-12) and not v.any()
    assert np.abs(np.diff(u) / np.diff(along)).max() == pytest.approx(2 * np.pi * 0.3 / 100.0, rel=1e-3)
    assert np.count_nonzero(np.diff(u > 1e-9)) == 4  # two whole eddies in 208 m


def test_room_that_is_kept_when_floes_break_changes_no_bit():
    kept, fresh = (scenes.storm(n=40) for _ in range(2))
    while kept.time < 240.0 or len(kept.breaking.family) == 40:
        for sim in (kept, fresh):
            sim.scheme.advance(sim, sim.time + 5.0)
            sim.breaking.after_step(sim)
        fresh.engine = None
    assert kept.engine is not None and len(kept.breaking.family) > 40
    assert np.array_equal(kept.bodies.x, fresh.bodies.x) and np.array_equal(kept.bodies.spin, fresh.bodies.spin)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 10))])
def test_critical_speed_on_a_wall(seed):
    scenes_of_speed(seed)


@pytest.mark.slow
def test_critical_speed_of_200_floes():
    for seed in range(10, 210):
        scenes_of_speed(seed)


def scenes_of_speed(seed: int) -> None:
    """One floe, thrown 1 % below and 1 % above the speed predicted: whole, and broken."""
    floe, predicted = scenes.predicted_speed(seed)
    for factor in (0.99, 1.01):
        sim = scenes.thrown(floe=floe, speed=factor * predicted, friction=0.0)
        sim.run(0.505 / (factor * predicted))  # the gap is 0.5 m: the first impact only, not one of another corner
        assert (sim.bodies.n_free > 1) == (factor > 1), (seed, factor)


@pytest.mark.parametrize("which", [0, 1])
def test_critical_speed_of_two_unlike_floes(which):
    """A sharp corner on a straight border stores three quarters of the energy: equal thicknesses do not mean equal parts.

    3 % is what the search on a mesh of its own leaves beside that in a run. By thickness alone the square broke at 0.94.
    """
    kite = np.array([[0, 0], [-60, 22], [-90, 0], [-60, -22]], dtype=float)
    square = bq.Floe([[0, -45], [90, -45], [90, 45], [0, 45]], density=910.0)
    law = bq.Griffith()
    pair = bq.Floe(kite, density=910.0), square
    struck, other = pair[which], pair[1 - which]
    ice = law.in_run(struck)
    hit = bq.fracture.impact(struck, (0, 0), (2 * which - 1, 0), 0.05, other=other, ice=ice)
    critical = 0.05 * bq.fracture.search(struck, hit, ice).critical
    for speed, breaks in ((0.97 * critical, False), (1.03 * critical, True)):
        moving = bq.Floe(kite - [0.3, 0.0], density=910.0, velocity=(speed, 0.0))
        sim = bq.Simulation(
            bq.Scene([moving, square]), contact=bq.Contact(friction=0.0), scheme=bq.EventDriven(max_step=2.0),
            fracture=law,
        )  # fmt: skip
        sim.run(0.31 / speed)
        assert math.isfinite(sim.breaking.family.end[which]) == breaks


def test_what_solvers_leave_on_a_contact_is_no_blow():
    """A contact that bears a millionth of a millionth of the strongest neither loads the floe nor holds its border."""
    sim = scenes.thrown(speed=0.05)
    event = np.zeros((2, len(EVENT_COLUMNS)))
    event[:, [3, 10]] = OBSTACLE_IDS, -1.0
    event[:, 12:14] = (-50.0, 0.0), (-40.0, 30.0)
    event[:, 6] = 1e5, 1e-7
    only = sim.breaking._struck(sim, event, 0, 0)
    assert len(only.spots) == 1 and only.events.tolist() == [0]
    event[1, 6] = 1.0
    assert len(sim.breaking._struck(sim, event, 0, 0).spots) == 2


def test_too_small_to_break():
    sim = scenes.thrown(speed=0.2, law=bq.Griffith(min_size=80.0))
    sim.run(10.0, every=5.0)
    assert sim.bodies.n_free == 1
    assert sim.breaking.searches == 0


def test_slits_are_kept_and_go_on(tmp_path):
    law = bq.Griffith(arrested=True, nodes=150)
    sim = scenes.thrown(speed=0.022, law=law, friction=0.0)
    path = tmp_path / "slit.nc"
    run = sim.run(50.0, every=25.0, output=path)
    cracks = run.events[run.events.kind == "crack"]
    assert len(cracks) == 1
    assert sim.bodies.n_free == 1
    (slit,) = sim.breaking.family.slits["0"]
    floe = sim.scene.floes[0].polygon
    import shapely

    assert floe.boundary.distance(shapely.Point(slit[0])) < 1e-6
    assert floe.contains(shapely.Point(slit[-1]))
    assert float(run.ledger.surface_energy[-1]) == pytest.approx(cracks.energy_loss.sum())
    from banquise.recording.checkpoint import restore, simulation_from
    from banquise.recording.run_file import in_file

    settings, state = in_file(path)
    again = simulation_from(settings)
    restore(again, state)
    assert again.breaking.family.slits == sim.breaking.family.slits


def test_a_slit_goes_on_along_its_line():
    from banquise.fracture.slits import extend

    floe = bq.Floe([[0, 0], [100, 0], [100, 100], [0, 100]], density=910.0)
    ice = bq.Griffith()
    hit = bq.fracture.impact(floe, (0, 50), (1, 0), 0.1, ice=ice)
    first = bq.fracture.search(floe, hit, ice)
    start, end = np.array(first.start), np.array(first.end)
    slit = [start.tolist(), (start + 0.4 * (end - start)).tolist()]
    crack = extend(floe, hit, ice, [slit])
    assert crack is not None
    assert crack.separates
    assert crack.end == pytest.approx(first.end, abs=1e-6)
    # it pays for the new part only (a tip lies on an element edge), and no more is released than was stored
    assert crack.surface == pytest.approx(10.0 * 0.6 * first.length, rel=0.1)
    assert 0 < crack.release < hit.energy


@pytest.mark.parametrize("beyond", [-1e-9, 0.0, 1e-9])
def test_a_slit_to_the_far_side_does_not_go_on(beyond):
    from banquise.fracture.slits import extend

    floe = bq.Floe([[0, 0], [100, 0], [100, 100], [0, 100]], density=910.0)
    ice = bq.Griffith(arrested=True)
    hit = bq.fracture.impact(floe, (0, 50), (1, 0), 0.1, ice=ice)
    assert extend(floe, hit, ice, [[[0.0, 47.0], [100.0 + beyond, 47.0]]]) is None


@pytest.mark.parametrize("seed", [2, 21, 28, 30, 38])
def test_a_crack_that_stops_inside_does_not_end_on_the_border(seed):
    """A tip lies on the next edge of the mesh: where that is the border, the crack would have gone through."""
    import shapely

    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    turn, reach = 2 * np.pi * (np.arange(n) + rng.uniform(0, 0.6, n)) / n, rng.uniform(12, 25)
    floe = bq.Floe(np.column_stack([reach * np.cos(turn), reach * np.sin(turn)]), density=910.0)
    k = int(rng.integers(n))
    a, b = floe.ring[k], floe.ring[(k + 1) % n]
    place, inward = a + rng.uniform(0.1, 0.9) * (b - a), np.array([a[1] - b[1], b[0] - a[0]])
    ice = bq.Griffith(arrested=True, nodes=60).in_run(floe)
    crack = bq.fracture.search(floe, bq.fracture.impact(floe, place, inward, 0.3, ice=ice), ice)
    assert not crack.separates
    assert floe.polygon.boundary.distance(shapely.Point(crack.end)) > 1e-3 * np.sqrt(floe.area)


def test_mean_stress_regions():
    mohr = bq.MeanStress()
    for corner in ((250e3 / 4.2, 250e3 / 4.2), (33.75e3, -74.5e3)):  # the triangle's corners
        inside, outside = 0.999 * np.array(corner), 1.001 * np.array(corner)
        assert not mohr.outside(*inside[:, None])[0]
        assert mohr.outside(*outside[:, None])[0]
    ellipse = bq.MeanStress(criterion="ellipse", strength=1e5)
    values = np.array([[-0.5e5, -0.5e5], [0.0, -0.39e5], [0.0, -0.41e5], [-1e5, -1.001e5], [1.0, 1.0]])
    assert ellipse.outside(*values.T).tolist() == [False, False, True, True, True]


def test_mean_stress_breaks_across_the_tension():
    law = bq.MeanStress(window=2.0, cohesion=2e3, corner=0.2e3)
    sim = scenes.thrown(speed=0.1, law=law)
    kinetic = sim.bodies.kinetic_energy()
    run = sim.run(16.0, every=8.0)
    assert sim.bodies.n_free > 1
    assert float(run.ledger.surface_energy[-1]) == 0.0
    assert abs(float(run.ledger.balance[-1])) < 1e-12 * kinetic


def test_pieces_are_drawn_and_the_player_shows_their_cracks():
    plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is an extra")
    from banquise.view.outlines import crack_edges, outlines_of
    from banquise.view.pieces import plot_pieces, plot_storms

    run = scenes.thrown(speed=0.06).run(20.0, every=5.0)
    assert f"Run: {run.dataset.sizes['floe']} floes ({len(run.scene.floes)} at the end), 5 records" in repr(run)
    number, sizes = plot_storms({"thrown": run})
    count = np.isfinite(run.dataset.x.values).sum(axis=1)
    assert number.lines[0].get_ydata().tolist() == count.tolist()
    after = sizes.lines[1].get_xdata()
    assert after == pytest.approx(np.sort([f.area**0.5 for f in run.scene.floes]), rel=1e-12)
    plt.close(number.figure)
    ax = plot_pieces(run)
    assert len(ax.patches) == len(run.scene.floes) + 1
    plt.close(ax.figure)
    start = np.column_stack([run.shapes["start_x"].values, run.shapes["start_y"].values])
    outlines = outlines_of(run.shapes)
    marks = crack_edges(outlines, run.shapes["parent"].values, start)
    assert not marks[0].any()
    edges = [np.roll(rings[0], -1, axis=0) - rings[0] for rings in outlines.rings]
    lips = sum(float(np.hypot(*edge[mark].T).sum()) for edge, mark in zip(edges, marks))
    breaks = run.events[run.events.kind == "break"]
    # each crack has two lips, though one may end on another; priced on the mesh, whose border leaves out small detail
    assert len(breaks) > 1 and lips == pytest.approx(2 * breaks.energy_loss.sum() / 10.0, rel=1e-3)


def test_pieces_that_went_round_are_drawn_within_their_sea():
    plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is an extra")
    from banquise.view.pieces import plot_pieces

    floe = bq.Floe([[0, 0], [4, 0], [4, 4], [0, 4]], velocity=(1.0, 0.0))
    run = bq.Simulation(bq.Scene([floe], domain=bq.Periodic(-10, 40, -10, 40))).run(130.0, every=130.0)
    assert run.dataset.x.values[-1, 0] == pytest.approx(132.0)
    ax = plot_pieces(run)
    assert ax.dataLim.intervalx.tolist() == pytest.approx([30.0, 34.0])  # 132 m less two rounds of 50 m
    plt.close(ax.figure)


def test_case_files_say_it_too(tmp_path):
    for law in (bq.Griffith(toughness=7.0, arrested=True), bq.MeanStress(criterion="ellipse", window="2 min")):
        sim = scenes.thrown(law=law)
        bq.save_case(sim, tmp_path / "case.toml", until=10.0)
        assert bq.load_case(tmp_path / "case.toml").fracture == law
    for bad in ('[fracture]\nkind = "voronoi"', "[fracture]\ntoughnes = 3.0", "[fracture]\ntoughness = -1.0"):
        text = "[[scene.floes]]\ncentre = [0.0, 0.0]\nradius = 10.0\n" + bad
        (tmp_path / "bad.toml").write_text(text)
        with pytest.raises(BanquiseError, match="fracture|Griffith"):
            bq.load_case(tmp_path / "bad.toml")
    with pytest.raises(BanquiseError, match="expected bq.Griffith"):
        bq.Simulation(bq.Scene([star(0)]), fracture="griffith")
    with pytest.raises(BanquiseError):
        bq.MeanStress(window=0.0)


def test_breaks_renumber_what_rows_point_to():
    """Pairs that overlap, step caps and stress sums follow their bodies."""

    class Once(Breaking):
        def proposed(self, sim):
            cuts = self.start_cuts(sim, 1)
            from banquise.fracture.mean_stress import chord_through

            cuts.cut(0, chord_through(cuts.whole, np.array([0.0, 1.0])), 0.0)
            return [cuts]

    class Law:
        def breaker(self, bodies):
            return Once(bodies)

    floes = [bq.Floe(star(k).ring + [300.0 * k, 0.0]) for k in range(3)]
    sim = bq.Simulation(bq.Scene(floes, domain=Box(-200, 1000, -200, 200)), fracture=Law())
    sim.overlapping = [(0, 2, 1e-5), (1, 2, 2e-5), (2, 4, 3e-5)]
    sim.step_cap[:] = [1.0, 2.0, 3.0]
    sim.impulses.stress[:] = [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
    sim.breaking.after_step(sim)
    assert sim.overlapping == [(0, 2, 1e-5), (2, 5, 3e-5)]
    assert sim.step_cap.tolist() == [1.0, np.inf, 3.0, np.inf]
    assert sim.impulses.stress[:, 0].tolist() == [1.0, 0.0, 3.0, 0.0]
    assert len(sim.laws.slot) == len(sim.bodies) == 8
    assert isinstance(sim.breaking.start_cuts(sim, 0), Cuts)


@pytest.mark.slow
def test_whole_floes_arch_over_the_strait():
    """Some ice goes through, then an arch holds the rest though the wind blows on: not a floe passes in forty minutes."""
    sim = scenes.strait(n=30, law=None)
    run = sim.run(3600.0, every=60.0)
    past = (run.dataset.y.values < 0).sum(axis=1)
    late = run.dataset.time.values >= 1200.0
    assert 0 < past[-1] < 15
    assert (past[late] == past[-1]).all()


@pytest.mark.slow
def test_an_arch_holds_until_a_late_floe_breaks_it():
    """Nothing passes, moves or breaks for five minutes; then the late floe breaks what bears. Whether the pieces go on or
    lock again is chance: it changes with the last bits of the motion."""
    run = scenes.arch().run(6600.0, every=60.0)
    time, y = run.dataset.time.values, run.dataset.y.values
    mass = run.shapes["mass"].values[: y.shape[1]]
    through = np.where(y < 0, mass, 0.0).sum(axis=1) / np.where(np.isfinite(y), mass, 0.0).sum(axis=1)
    breaks = run.events[run.events.kind == "break"]
    hit = float(breaks.time[breaks.floe_a == 30].min())  # the late floe is the last of the scene: it breaks too
    held = (time >= hit - 300.0) & (time < hit)
    assert np.ptp(through[held]) < 0.001
    first, last = np.flatnonzero(held)[[0, -1]]
    behind = np.isfinite(y[last]) & (y[first] >= 0)
    behind[30] = False  # the late floe is still on its way
    way = np.hypot(y[last] - y[first], run.dataset.x.values[last] - run.dataset.x.values[first])
    assert (
        mass[behind & (way < 1e-3)].sum() > 0.95 * mass[behind].sum()
    )  # what bears does not move, nor what lies behind it
    assert not breaks.time.between(hit - 300.0, hit - 1.0).any()
    assert (breaks.time >= hit).sum() >= 20
    assert through[-1] > 0.999 * through[held].min() > 0


def test_laws_read_units():
    assert bq.Griffith(young="9 GPa", min_width="500 cm", toughness="7 J/m2") == bq.Griffith(
        young=9e9, min_width=5.0, toughness=7.0
    )
    assert bq.MeanStress(cohesion="25 kPa", corner="3 kPa", min_size="20 m") == bq.MeanStress(
        cohesion=25e3, corner=3e3, min_size=20.0
    )
    with pytest.raises(bq.BanquiseError, match="Griffith: min_size: unit 'kg' is not one of length"):
        bq.Griffith(min_size="5 kg")


@pytest.mark.parametrize("rough", [True, False])
def test_the_ledger_pays_for_the_length_that_was_cut(rough):
    """Every crack opens two borders: the ice has paid toughness times thickness for half of the border that it has more.

    The floe has more detail than its mesh (120 corners), whose chords are up to a hundredth longer or shorter. What is left,
    5e-11, is how near to the border ends of cracks are.
    """
    angle = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    reach = 60 * (1 + 0.15 * np.sin(3 * angle) + 0.02 * np.random.default_rng(0).normal(size=120))
    floe = bq.Floe(np.column_stack([np.cos(angle), np.sin(angle)]) * reach[:, None], thickness=1.2, velocity=(0.3, 0))
    wall = bq.Obstacle([[75, -200], [95, -200], [95, 200], [75, 200]])
    law = bq.Griffith(toughness=10.0, rough_first=rough)
    sim = bq.Simulation(bq.Scene([floe], [wall]), contact=bq.Contact(friction=0.3, restitution=0.3), fracture=law)
    run = sim.run(60, every=10)
    assert len(run.scene.floes) > 2
    opened = sum(piece.polygon.length for piece in run.scene.floes) - floe.polygon.length
    assert float(run.ledger.surface_energy[-1]) == pytest.approx(10.0 * 1.2 * opened / 2, rel=1e-9)
