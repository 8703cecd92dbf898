"""Obstacles that move as told: a wall, a turning bar, a ship on a track; the walls of a box."""

import math

import numpy as np
import pytest

import banquise as bq

MASS = math.pi * 917.0  # of a disc of radius 1 m, 1 m thick


def simulate(floes, obstacles, contact, until, every, forcing=None, max_step=1.0, domain=None):
    scene = bq.Scene(floes, obstacles, domain)
    return bq.Simulation(scene, forcing, contact, bq.EventDriven(max_step=max_step)).run(until=until, every=every)


@pytest.mark.parametrize("speed", [0.5, 2.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("own", [0.0, -0.3])
def test_a_wall_hits_a_disc(speed, epsilon, own):
    """u+ = v + epsilon (v - u); the wall's work is v times the impulse, the loss 1/2 m (1 - epsilon^2) (v - u)^2."""
    wall = bq.Obstacle([[-3, -5], [-2, -5], [-2, 5], [-3, 5]], velocity=(speed, 0))
    disc = bq.Disc((0, 0), 1.0, velocity=(own, 0))
    run = simulate([disc], [wall], bq.Contact(friction=0.3, restitution=epsilon), 4.0, 4.0)
    after = speed + epsilon * (speed - own)
    impulse = MASS * (after - own)
    assert run.events.time[0] == pytest.approx(1.0 / (speed - own), rel=1e-9)
    assert float(run.dataset.u[-1, 0]) == pytest.approx(after, rel=1e-9)
    ledger = run.ledger.isel(time=-1)
    assert float(ledger.work_obstacles) == pytest.approx(speed * impulse, rel=1e-9)
    lost = 0.5 * MASS * (1 - epsilon**2) * (speed - own) ** 2
    assert float(ledger.dissipated_contact) == pytest.approx(lost, rel=1e-9, abs=1e-9 * MASS)
    assert abs(float(ledger.balance)) < 1e-9 * float(ledger.work_obstacles)
    # the ice pushes the wall back: impulse over the window of 4 s
    assert float(run.loads.force_x[-1, 0]) == pytest.approx(-impulse / 4.0, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "mu"), [(0.4, 0.0), (1.0, 0.0), (0.2, 0.02)])
def test_a_turning_bar_hits_a_disc(epsilon, mu):
    """A bar about the origin: its point at r moves at omega k x r; the disc leaves with (1 + epsilon) of the approach."""
    omega, x, y, radius, thick = 0.5, 2.0, 2.0, 0.5, 0.2
    bar = bq.Obstacle([[-3, -thick], [3, -thick], [3, thick], [-3, thick]], spin=omega)
    disc = bq.Disc((x, y), radius)
    run = simulate([disc], [bar], bq.Contact(friction=mu, restitution=epsilon), 2.0, 2.0)
    # they meet when the distance of the centre from the bar's axis is thick + radius
    r = math.hypot(x, y)
    turn = math.atan2(y, x) - math.asin((thick + radius) / r)
    normal = np.array([-math.sin(turn), math.cos(turn)])
    point = np.array([x, y]) - radius * normal
    velocity = omega * np.array([-point[1], point[0]])
    mass = math.pi * radius**2 * 917.0
    approach = velocity @ normal
    tangent = np.array([-normal[1], normal[0]])
    # the disc is dragged along by what friction gives: it slips throughout for these coefficients
    slide = velocity @ tangent
    along = mu * (1 + epsilon) * approach * np.sign(slide)
    assert abs(3 * along) < abs(slide) or mu == 0
    after = (1 + epsilon) * approach * normal + along * tangent
    event = run.events.iloc[0]
    assert event.time == pytest.approx(turn / omega, rel=1e-9)
    assert (event.x, event.y) == pytest.approx(point, abs=1e-8)
    assert (float(run.dataset.u[-1, 0]), float(run.dataset.v[-1, 0])) == pytest.approx(after, rel=1e-8)
    ledger = run.ledger.isel(time=-1)
    assert float(ledger.work_obstacles) == pytest.approx(mass * after @ velocity, rel=1e-8)
    assert abs(float(ledger.balance)) < 1e-9 * float(ledger.work_obstacles)


def test_a_ship_on_its_track():
    """A ship through thirty discs in still water: nothing is run over, the books close, its loads are what it gave."""
    ship = bq.Obstacle(
        [[-3, -1], [2, -1], [3, 0], [2, 1], [-3, 1]],
        path=lambda t: (2 * t, 0.4 * math.sin(0.5 * t), 0.1 * math.sin(0.5 * t)),
    )
    floes = [bq.Disc((8 + 3 * i, -6 + 2.2 * j), 1.0) for i in range(5) for j in range(6)]
    # water drag is a force too: without it the ice keeps what the ship gave
    run = simulate(floes, [ship], bq.Contact(friction=0.3, restitution=0.2), 8.0, 1.0, max_step=0.5)
    ledger = run.ledger
    assert len(run.events) > 5
    assert float(ledger.unsolved.sum()) == 0
    assert float(ledger.max_overlap.max()) < 1e-5 * math.sqrt(math.pi)
    work = float(ledger.work_obstacles[-1])
    assert work > 0
    assert float(abs(ledger.balance).max()) < 1e-9 * work
    gained = MASS * run.dataset.u.isel(time=-1).sum().item()
    assert -float(run.loads.force_x.sum()) * 1.0 == pytest.approx(gained, rel=1e-9)


def test_a_box_keeps_its_floes():
    """Elastic walls: |u| and |v| stay, the disc stays inside."""
    disc = bq.Disc((5, 5), 1.0, velocity=(1, 0.3))
    run = simulate([disc], [], bq.Contact(friction=0.0, restitution=1.0), 60.0, 1.0, domain=bq.Box(0, 10, 0, 10))
    # the centre goes to and fro between 1 and 9: a triangle wave
    expected = 9 - np.abs((5 - 1 + run.dataset.time.values) % 16 - 8)
    assert run.dataset.x.values[:, 0] == pytest.approx(expected, abs=1e-9)
    assert len(run.events) >= 9


def test_an_open_side_lets_floes_out():
    disc = bq.Disc((5, 5), 1.0, velocity=(1, 0.0))
    domain = bq.Box(0, 10, 0, 10, open=("right",))
    run = simulate([disc], [], bq.Contact(friction=0.0, restitution=1.0), 20.0, 5.0, domain=domain)
    assert len(run.events) == 0


def test_a_moving_wall_of_a_box():
    """The left wall comes in at 0.5 m/s: u+ = 2 x 0.5 for an elastic disc at rest."""
    disc = bq.Disc((5, 5), 1.0)
    domain = bq.Box(0, 30, 0, 10, velocity={"left": 0.5})
    run = simulate([disc], [], bq.Contact(friction=0.0, restitution=1.0), 10.0, 10.0, domain=domain)
    assert float(run.dataset.u[-1, 0]) == pytest.approx(1.0, rel=1e-9)
