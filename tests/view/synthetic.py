"""A run made up for the tests of what is seen: floes of all shapes, births, ends, contacts, a pier and a ship."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.recording.ledger import COLUMNS
from banquise.recording.run_file import Run, shapes_dataset
from banquise.scene.floe import Disc, Floe, Obstacle

BREAK_TIME = 305.0
PARENT, CHILDREN = 0, (13, 14)


def _blob(rng: np.random.Generator, centre: Any, size: float, n: int = 14) -> np.ndarray:
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False) + rng.uniform(-0.1, 0.1, n)
    reach = size * rng.uniform(0.8, 1.0, n)
    return np.asarray(centre) + np.column_stack([reach * np.cos(turn), reach * np.sin(turn)])


def at(ring: np.ndarray, x: float, y: float) -> np.ndarray:
    return ring + np.array([x, y])


def made_up_floes(rng: np.random.Generator) -> list[Floe]:
    """A square, a disc, a rounded floe, one with a hole, a concave one, eight blobs, the two halves of the square."""
    square = np.array([[-40.0, -40], [40, -40], [40, 40], [-40, 40]])
    hole = 12.0 * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    concave = np.array([[-40.0, -30], [40, -30], [40, 30], [0, -5], [-40, 30]])
    floes = [
        Floe(at(square, 100, 300), thickness=1.0, name="square"),
        Disc((250, 300), 35.0, thickness=2.0),
        Floe(at(square * 0.7, 400, 300), radius=10.0, thickness=0.5),
        Floe(at(square, 550, 300), holes=[at(hole, 550, 300)], thickness=1.5),
        Floe(at(concave, 700, 300), thickness=0.8),
    ]
    floes += [Floe(_blob(rng, (100.0 + 90 * k, 120), 38), thickness=float(rng.uniform(0.4, 2))) for k in range(8)]
    floes.append(Floe(at(np.array([[-40.0, -40], [5, -40], [-5, 40], [-40, 40]]), 100, 300), thickness=1.0))
    floes.append(Floe(at(np.array([[5.0, -40], [40, -40], [40, 40], [-5, 40]]), 100, 300), thickness=1.0))
    return floes


def made_up_run(records: int = 61, every: float = 10.0, extras: bool = True, domain: Any = None) -> Run:
    """Floes drift along x and turn; the square (0) breaks in two at `BREAK_TIME`; neighbours touch now and then."""
    rng = np.random.default_rng(3)
    floes = made_up_floes(rng)
    obstacles = [
        Obstacle([[500, 180], [540, 180], [540, 220], [500, 220]], name="pier"),
        Obstacle([[0, 400], [60, 390], [60, 430]], velocity=(0.5, 0.0), name="ship"),
    ]
    n, time = len(floes), every * np.arange(records)
    u, v = rng.uniform(0.05, 0.3, n), rng.normal(0, 0.01, n)
    spin = rng.normal(0, 1e-3, n)
    for child in CHILDREN:
        u[child], v[child], spin[child] = u[PARENT], v[PARENT], spin[PARENT]
    u[CHILDREN[1]] += 0.05
    start = np.array([f.centre for f in floes])
    # the halves are drawn apart from where the parent is at the break
    offset = {CHILDREN[1]: 0.05 * BREAK_TIME}
    state = np.empty((records, 6, n))
    for k in range(n):
        state[:, 0, k] = start[k, 0] + u[k] * time - offset.get(k, 0.0)
        state[:, 1, k] = start[k, 1] + v[k] * time
        state[:, 2, k] = spin[k] * time if k not in CHILDREN else 0.0
        state[:, 3, k], state[:, 4, k], state[:, 5, k] = u[k], v[k], spin[k]
    state[time >= BREAK_TIME, :, PARENT] = np.nan
    for child in CHILDREN:
        state[time < BREAK_TIME, :, child] = np.nan
    lives = {"birth": np.zeros(n), "end": np.full(n, np.inf), "parent": np.full(n, -1)}
    lives["end"][PARENT] = BREAK_TIME
    for child in CHILDREN:
        lives["birth"][child], lives["parent"][child] = BREAK_TIME, PARENT
    shapes = shapes_dataset(floes, obstacles, lives)
    events = _events(rng, state, time, n)
    masses = shapes["mass"].values[:n]
    kinetic = 0.5 * np.nansum(masses * (state[:, 3] ** 2 + state[:, 4] ** 2), axis=1)
    ledger = np.zeros((records, len(COLUMNS)))
    ledger[:, COLUMNS.index("kinetic_energy")] = kinetic
    ledger[:, COLUMNS.index("collisions")] = np.histogram(events[:, 0], np.append(time - every, time[-1]))[0]
    ledger[:, COLUMNS.index("max_overlap")] = 1e-9
    ledger[:, COLUMNS.index("residual")] = 1e-10
    loads = np.zeros((records, 2, 3))
    loads[:, 0, 0] = 1e5 * np.abs(np.sin(time / 60.0))
    records_ = {
        "time": time,
        "state": state,
        "ledger": ledger,
        "ledger_names": np.array(COLUMNS),
        "loads": loads,
        "events": events,
    }
    if extras:
        poses = np.zeros((records, 2, 3))
        poses[:, :, :2] = [o.centre for o in obstacles]
        poses[:, 1, 0] += 0.5 * time
        poses[:, 1, 2] = 2e-4 * time
        records_["obstacle_pose"] = poses
        records_["wind"] = np.column_stack([np.full(records, 8.0), 3 * np.sin(time / 100)])
        records_["current"] = np.column_stack([np.full(records, 0.1), np.full(records, -0.05)])
    case = {"title": "made-up <run>", "every": every, "domain": domain, "versions": {"banquise": "test"}, "seed": 0}
    return Run(records_, shapes, case)


def _events(rng: np.random.Generator, state: np.ndarray, time: np.ndarray, n: int) -> np.ndarray:
    rows = []
    for t in np.sort(rng.uniform(time[min(1, len(time) - 1)], time[-1], 150)):
        frame = int(np.searchsorted(time, t))
        a = int(rng.integers(5, 11))
        b = int(a + 1) if rng.uniform() < 0.8 else n  # now and then the pier
        x, y = state[frame, :2, a] + (40, 0)
        rows.append([t, 0, a, b, x, y, rng.lognormal(8, 2), rng.normal(0, 10), 5.0, 0.0])
    rows.append(
        [BREAK_TIME, 1, *CHILDREN, *state[np.searchsorted(time, BREAK_TIME) - 1, :2, PARENT], 1e5, 0.0, 100.0, 0.0]
    )
    table = np.array(rows)
    return table[np.argsort(table[:, 0], kind="stable")]
