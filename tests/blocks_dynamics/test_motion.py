"""Blocks in motion against closed forms: sliding, bouncing, chains, towers, toppling, striking, wedging."""

import numpy as np
import pytest

import banquise as bq
from banquise.blocks.run import BlockRun
from banquise.scenes.blocks import floor, heap, tower

G = 9.81
DOWN = (0.0, 0.0, -G)


def simulate(blocks, step, until, friction=0.3, restitution=0.0, gravity=DOWN, every=None):
    sim = bq.Simulation(
        bq.Scene(blocks=blocks),
        bq.Forcing(gravity=gravity),
        bq.Contact(friction=friction, restitution=restitution),
        scheme=bq.TimeStepping(step=step),
    )
    return sim, sim.run(until=until, every=every or step)


def on_incline(degrees, sides, friction, until, step=0.01):
    """A box standing on a plane turned about y: the x axis of the plane points downhill."""
    half = np.radians(degrees) / 2
    q = (np.cos(half), 0, np.sin(half), 0)
    box = bq.Polyhedron.box(sides, orientation=q)
    top = box.rotation @ [0, 0, 0.5 + 0.5 * sides[2]]
    plane = bq.Polyhedron.box((20, 4, 1), orientation=q, fixed=True)
    return simulate([plane, box.moved(position=top)], step, until, friction, every=0.1)[1]


def test_block_slides_down_an_incline_exactly_at_each_step():
    run = on_incline(30, (1, 1, 1), 0.5, 1.0)
    d = run.dataset.isel(block=1)
    speed = np.sqrt(d.u**2 + d.v**2 + d.w**2).values
    acceleration = G * (np.sin(np.pi / 6) - 0.5 * np.cos(np.pi / 6))
    # the scheme is exact for a constant force; the rest is the solver's 1e-9
    np.testing.assert_allclose(speed, acceleration * d.time.values, atol=1e-8)
    assert speed[-1] == pytest.approx(0.657145, abs=1e-6)
    assert abs(run.ledger.balance).max() < 1e-9 * float(run.ledger.work_gravity[-1])


def test_block_sticks_above_the_friction_angle():
    d = on_incline(30, (1, 1, 1), 0.58, 1.0).dataset.isel(block=1)
    assert float(abs(d.x - d.x[0]).max() + abs(d.z - d.z[0]).max()) < 1e-8


def test_block_topples_when_its_weight_leaves_the_base():
    """On 20 degrees a box tips if width over height is below tan 20 = 0.364."""
    stands = on_incline(20, (0.38, 1, 1.0), 2.0, 0.5, 0.005).dataset.isel(block=1)
    falls = on_incline(20, (0.34, 1, 1.0), 2.0, 0.5, 0.005).dataset.isel(block=1)
    assert float(abs(stands.spin_y).max()) < 1e-8
    assert float(falls.spin_y[-1]) > 0.1  # downhill


def test_sliding_block_stops_in_time_and_place():
    step = 0.001
    block = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 0.5), velocity=(1, 0, 0))
    _, run = simulate([floor(), block], step, 0.4)
    d = run.dataset.isel(block=1)
    stop = float(d.time[int(np.argmax(np.abs(d.u.values) < 1e-10))])
    assert stop == pytest.approx(1 / (0.3 * G), abs=step)  # in the step of 0.339789 s
    assert float(d.x[-1]) == pytest.approx(0.169895, abs=step)


@pytest.mark.parametrize("step", [0.004, 0.001])
def test_dropped_cube_bounces_to_rest(step):
    block = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 1.5))
    _, run = simulate([floor(), block], step, 1.45, restitution=0.5)
    d = run.dataset.isel(block=1)
    t, w, z = d.time.values, d.w.values, d.z.values - 0.5
    assert t[np.argmax(w > 0)] == pytest.approx(np.sqrt(2 / G), abs=1.5 * step)
    assert w.min() == pytest.approx(-np.sqrt(2 * G), abs=1.5 * G * step)
    # an impact is placed up to a step early, at v step above the floor: heights are right to first order
    assert z[(t > 0.5) & (t < 0.9)].max() == pytest.approx(0.25, abs=3 * step)
    assert z[(t > 0.95) & (t < 1.1)].max() == pytest.approx(0.0625, abs=3 * step)
    assert abs(w[-1]) < 1e-9
    assert float(run.ledger.max_overlap.max()) < 1e-12


@pytest.mark.parametrize(("gap", "after"), [(0.0, (-1 / 3, 2 / 3, 2 / 3)), (0.05, (0, 0, 1))])
def test_chain_of_three(gap, after):
    cube = bq.Polyhedron.box((1, 1, 1))
    row = [cube.moved(position=(k * (1 + gap), 0, 0), velocity=(k == 0, 0, 0)) for k in range(3)]
    _, run = simulate(row, 0.01, 0.2, restitution=1.0, gravity=(0, 0, 0))
    np.testing.assert_allclose(run.dataset.u.values[-1], after, atol=1e-9)
    assert float(run.ledger.kinetic_energy[-1]) == pytest.approx(500.0, rel=1e-9)


def test_tower_carries_its_weight_and_rests():
    step = 0.005
    sim = bq.Simulation(
        tower(10), bq.Forcing(gravity=DOWN), bq.Contact(friction=0.5, restitution=0), scheme=bq.TimeStepping(step)
    )
    run = sim.run(until=1.0, every=0.1)
    t = sim.touching
    for k in range(10):
        between = (t.body_a == k) & (t.body_b == k + 1)
        assert t.impulse[between, 2].sum() / step == pytest.approx((10 - k) * G, rel=1e-6)
    assert np.abs(sim.columns.velocity).max() < 1e-6
    assert float(run.loads.force_z[-1, 0]) == pytest.approx(-10 * G, rel=1e-6)
    assert int(run.ledger.unsolved.sum()) == 0


def test_rod_that_strikes_with_one_end():
    """Thin rod, tilted 30 degrees, frictionless: J = (1 + e) v m / (1 + 3 cos^2)."""
    half = np.radians(30) / 2
    rod = bq.Polyhedron.box((1, 0.02, 0.02), orientation=(np.cos(half), 0, np.sin(half), 0), velocity=(0, 0, -1))
    low = rod.world_vertices[:, 2].min()
    step = 1e-4
    _, run = simulate([floor(), rod.moved(position=(0, 0, 0.001 - low))], step, 0.003, 0.0, 0.5, gravity=(0, 0, 0))
    lever = -rod.world_vertices[rod.world_vertices[:, 2] < low + 1e-9].mean(axis=0)[0]
    moment = rod.inertia[1, 1] / rod.mass
    change = 1.5 / (1 + lever**2 / moment)
    d = run.dataset.isel(block=1, time=-1)
    assert float(d.w) == pytest.approx(-1 + change, rel=1e-3)  # the lever turns by 1e-3 over the flight to contact
    assert float(d.spin_y) == pytest.approx(change * lever / moment, rel=1e-3)


def test_wedge_between_two_walls_presses_them_apart():
    """A wedge of 20 degrees (10 each side) between two walls: without friction each bears N = W / (2 sin 10)."""
    angle = np.radians(10)
    ring = [(-0.3, 1.0), (-0.3 + np.tan(angle), 0.0), (0.3 - np.tan(angle), 0.0), (0.3, 1.0)]
    wedge = bq.Polyhedron([(x, y, z) for y in (-0.5, 0.5) for x, z in ring])
    walls = []
    for sign in (-1, 1):
        block = [(0.3 * sign + s * sign * np.tan(angle), y, 1 + s) for s in (-2.0, 1.0) for y in (-1, 1)]
        block += [(2 * sign, y, z) for y in (-1, 1) for z in (-1.0, 2.0)]
        walls.append(bq.Polyhedron(block, fixed=True))
    weight = wedge.mass * G
    for friction in (0.2, 0.0):
        run = simulate([*walls, wedge], 0.002, 0.2, friction, every=0.1)[1]
        assert abs(float(run.dataset.z[-1, 2] - run.dataset.z[0, 2])) < 1e-7
        assert float(run.loads.force_z[-1, :2].sum()) == pytest.approx(-weight, rel=1e-6)
        sideways = run.loads.force_x.values[-1, :2]
        assert sideways[0] == pytest.approx(-sideways[1], rel=1e-6)
        if friction == 0.0:
            assert sideways[1] == pytest.approx(0.5 * weight / np.tan(angle), rel=1e-6)
            np.testing.assert_allclose(run.loads.force_z[-1, :2], -0.5 * weight, rtol=1e-6)
        else:  # above tan 10 the wedge locks itself: walls may press from the angle of friction on, without a limit
            assert sideways[1] > 0.5 * weight / np.tan(angle + np.arctan(friction)) * (1 - 1e-6)


def test_free_block_keeps_energy_and_momentum():
    box = bq.Polyhedron.box((1, 2, 3), spin=(0.3, 4.0, 0.2), velocity=(1, 2, 3))
    _, run = simulate([box], 0.01, 1.0, gravity=(0, 0, 0), every=0.1)
    energy = run.ledger.kinetic_energy.values
    assert np.ptp(energy) < 1e-12 * energy[0]


def test_resume_is_bit_for_bit(tmp_path):
    def start():
        block = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 0.8), orientation=(1, 0.1, 0.05, 0), spin=(0, 1, 0))
        return bq.Simulation(
            bq.Scene(blocks=[floor(), block]), bq.Forcing(gravity=DOWN), scheme=bq.TimeStepping(step=0.002)
        )

    through = start()
    through.run(until=0.4, every=0.2)
    first = start()
    first.run(until=0.2, every=0.2, output=tmp_path / "run.nc")
    second = start()
    second.restore(tmp_path / "run.nc")
    run = second.run(until=0.4, every=0.2)
    for name in ("centre", "orientation", "velocity"):
        np.testing.assert_array_equal(getattr(second.columns, name), getattr(through.columns, name))
    assert abs(float(run.ledger.balance[-1])) < 1e-8
    again = BlockRun.open(tmp_path / "run.nc")
    assert set(again.dataset.data_vars) >= {"x", "y", "z", "qw", "qx", "qy", "qz", "u", "v", "w", "spin_x"}
    assert again.scene.blocks[1].mass == pytest.approx(1000.0)


def test_lowered_ground_takes_its_block_along_and_pays_for_it():
    def path(time):
        return 0.0, 0.0, -0.5 - 0.1 * min(time, 0.5)

    ground = bq.Polyhedron.box((4, 4, 1), position=(0, 0, -0.5), fixed=True, path=path)
    _, run = simulate([ground, bq.Polyhedron.box((1, 1, 1), position=(0, 0, 0.5))], 0.01, 1.0)
    assert float(run.dataset.z[-1, 1]) == pytest.approx(0.45, abs=1e-9)
    assert float(run.dataset.z[-1, 0]) == pytest.approx(-0.55, abs=1e-12)
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * G * 1000
    # lowered at constant speed the ground takes back what gravity gives
    assert float(run.ledger.work_obstacles[-1]) < -0.9 * float(run.ledger.work_gravity[-1])


def test_wrong_input_is_said():
    cube = bq.Polyhedron.box((1, 1, 1))
    with pytest.raises(bq.BanquiseError, match="wind does not act"):
        bq.Simulation(bq.Scene(blocks=[cube]), bq.Forcing(wind=(1, 0)))
    with pytest.raises(bq.BanquiseError, match="gx, gy, gz"):
        bq.Simulation(bq.Scene(blocks=[cube]), bq.Forcing(gravity=(0, -9.81)))
    with pytest.raises(bq.BanquiseError, match="one or the other"):
        bq.Scene(floes=[bq.Disc((0, 0), 1)], blocks=[cube])
    with pytest.raises(bq.BanquiseError, match="path"):
        bq.Polyhedron.box((1, 1, 1), path=lambda t: (0, 0, 0))
    with pytest.raises(bq.BanquiseError, match="water_level is for blocks"):
        bq.Simulation(bq.Scene([bq.Disc((0, 0), 5.0)]), bq.Forcing(water_level=0.0))


def in_a_box(block):
    """Copies of a block on a grid above the floor of a box, shaken a little."""
    rng = np.random.default_rng(2)
    box = bq.Polyhedron.box
    walls = [box((1.8, 1.8, 0.3), position=(0, 0, -0.15), fixed=True)]
    for side in (-0.75, 0.75):
        walls += [box((0.3, 1.8, 3), position=(side, 0, 1.5), fixed=True)]
        walls += [box((1.2, 0.3, 3), position=(0, side, 1.5), fixed=True)]
    places = [(0.37 * (i - 1), 0.37 * (j - 1), 0.25 + 0.42 * k) for i in range(3) for j in range(3) for k in range(2)]
    return walls + [block(rng, p + rng.uniform(-0.02, 0.02, 3)) for p in np.array(places)]


def test_contacts_give_no_more_than_weights_within_a_step():
    """J.(v- + v+)/2 = J.v+ - J.WJ/2 - h J.F/m/2, and J.v+ <= 0: at most h^2 F.F/m/8, the weights of the balls there."""
    step = 5e-3
    blocks = in_a_box(lambda rng, place: bq.Polyhedron.ball(rng.uniform(0.12, 0.17), position=place, density=900.0))
    sim = bq.Simulation(bq.Scene(blocks=blocks), bq.Forcing(gravity=DOWN), bq.Contact(0.3, 0.0), bq.TimeStepping(step))
    run = sim.run(until=1.0, every=step)
    mass = sum(block.mass for block in blocks if not block.fixed)
    most = mass * (9.81 * step) ** 2 / 8
    given = -np.diff(run.ledger.dissipated_contact)
    assert 0.0 < given.max() < most  # it happens, and no more
    assert np.abs(run.ledger.balance).max() < 1e-12 * 1000  # and is in the books: rounding of some 1,000 J


def test_heap_of_rounded_boxes_is_left_no_farther_than_its_faces_are_parallel():
    """Some steps end at 1e-8 to 1e-7 and are counted: exactly, a face that is parallel to 5e-8 takes all load off a point."""

    def rounded(rng, place):
        corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * rng.uniform(0.04, 0.08, 3)
        turn = rng.normal(size=4)
        return bq.Polyhedron(corners, radius=0.05, position=place, orientation=turn, density=900.0)

    scene = bq.Scene(blocks=in_a_box(rounded))
    sim = bq.Simulation(scene, bq.Forcing(gravity=DOWN), bq.Contact(0.3, 0.0), bq.TimeStepping(2e-3))
    ledger = sim.run(until=1.5, every=0.5).ledger
    assert float(ledger.residual.max()) < 1e-6  # ten times what was seen
    assert int(ledger.unsolved.sum()) <= 10  # of 750


def test_heap_of_random_blocks_closes_its_ledger():
    """Many impacts, corners, pushes apart: what is left over stays round-off of what gravity gave."""
    sim = bq.Simulation(
        heap(12), bq.Forcing(gravity=DOWN), bq.Contact(friction=0.5, restitution=0.0), scheme=bq.TimeStepping(0.005)
    )
    run = sim.run(until=0.8, every=0.1)
    assert float(run.ledger.projection.max()) > 0.0
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * float(run.ledger.work_gravity[-1])


@pytest.mark.parametrize("friction", [0.5, 0.03])
def test_a_ball_rolls_or_slips_down_an_incline(friction):
    """Rolling, 5/7 of g sin(angle); where friction is below 2/7 tan(angle), g (sin - mu cos), spun up by 5 mu g cos / 2 r.

    Constant forces are integrated exactly, so the step leaves rounding only. A ball has no faces: what its last contact
    point remembered was taken for a depth of a whole radius, and the ball was thrown into the air.
    """
    angle, radius = np.radians(12.0), 0.3
    up, turn = np.array([np.sin(angle), 0, np.cos(angle)]), (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    ground = bq.Polyhedron.box((20, 6, 1), position=-0.5 * up, orientation=turn, fixed=True)
    ball = bq.Polyhedron.ball(radius, position=radius * up, density=900.0)
    sim = bq.Simulation(
        bq.Scene(blocks=[ground, ball]),
        bq.Forcing(gravity=(0, 0, -9.81)),
        bq.Contact(friction=friction, restitution=0.0),
        scheme=bq.TimeStepping(step=0.004),
    )
    run = sim.run(until=1.0, every=0.1)
    at = np.stack([run.dataset[name].values[:, 1] for name in "xyz"], axis=1) @ up
    assert np.abs(at - radius).max() < 1e-12
    speed = np.array([run.dataset[name].values[-1, 1] for name in "uvw"]) @ [np.cos(angle), 0, -np.sin(angle)]
    rolls = friction > 2 / 7 * np.tan(angle)
    expected = 5 / 7 * 9.81 * np.sin(angle) if rolls else 9.81 * (np.sin(angle) - friction * np.cos(angle))
    spin = expected / radius if rolls else 2.5 * friction * 9.81 * np.cos(angle) / radius
    assert speed == pytest.approx(expected, rel=1e-9)
    assert float(run.dataset.spin_y[-1, 1]) == pytest.approx(spin, rel=1e-9)


def test_a_capsule_lies_still():
    ground = bq.Polyhedron.box((20, 6, 1), position=(0, 0, -0.5), fixed=True)
    capsule = bq.Polyhedron([[0, -0.5, 0], [0, 0.5, 0]], radius=0.3, position=(0, 0, 0.3), density=900.0)
    forcing = bq.Forcing(gravity=(0, 0, -9.81))
    run = bq.Simulation(bq.Scene(blocks=[ground, capsule]), forcing, scheme=bq.TimeStepping(step=0.005)).run(0.2)
    assert np.abs(run.dataset.z.values[:, 1] - 0.3).max() < 1e-12
    assert float(run.ledger.projection.max()) == 0.0
