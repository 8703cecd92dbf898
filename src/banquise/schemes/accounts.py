"""What a step adds to the books of a simulation: events, loads, stresses, the ledger, and the impulses to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.schemes import _kernels_scene, codes
from banquise.schemes.groups import Array, Groups, Rows
from banquise.update.impulses import EVENT_COLUMNS

if TYPE_CHECKING:
    from banquise.schemes.rounds import Engine
    from banquise.simulation import Simulation


def enter_step(
    engine: Engine, done: list[Groups], overlap: float, projection: float, unsolved: int, step: float
) -> None:
    """Enter the step into the simulation's books."""
    sim, s = engine.sim, engine.state
    impulses = sim.impulses
    kept_keys, kept_rates = [], []
    total, largest = engine.totals, engine.largest
    _kernels_scene.begin_sums(engine.sums, total, largest)
    for groups in done:
        whole = len(done) == 1 or not groups.stale.any()
        _kernels_scene.sum_up(
            groups.member_start, groups.members, groups.stale, groups.totals, s.stress, total, largest, impulses.stress
        )
        for events, loads, keys, rates, contacts in groups.handed_in:
            if len(events):
                good = slice(None) if whole else ~groups.stale[events[:, -1].astype(np.int64)]
                impulses.events.append(np.ascontiguousarray(events[good, : len(EVENT_COLUMNS)]))
            if len(loads):
                good = ~groups.stale[loads[:, 0].astype(np.int64)]
                np.add.at(impulses.on_obstacles, loads[good, 1].astype(np.int64), loads[good, 2:])
            if len(keys):
                kept_keys.append(keys)
                kept_rates.append(rates)
            if len(contacts):
                impulses.add_contacts(contacts[~groups.stale[contacts[:, 0].astype(np.int64)], 1:])
    _remember(sim, kept_keys, kept_rates)
    if sim.ocean is not None:
        sim.ocean.advance(engine.start_bodies(), s.water, sim.time, step, sim.forcing)
    sums, most = total.tolist(), largest.tolist()
    sim.ledger.add(
        steps=1,
        collisions=sums[codes.COLLISIONS],
        contacts=sums[codes.TOUCHING],
        islands=sums[codes.ISLAND_COUNT],
        largest_island=most[codes.LARGEST],
        residual=most[codes.RESIDUAL],
        unsolved=sums[codes.UNSOLVED] + unsolved,
        max_overlap=overlap,
        projection=projection,
        work_wind=sums[codes.WIND],
        work_current=sums[codes.CURRENT],
        work_gravity=sums[codes.GRAVITY],
        work_loads=sums[codes.PUSH],
        work_obstacles=sums[codes.FROM_OBSTACLES],
        dissipated_contact=sums[codes.LOST],
    )
    sim.time += step


def _remember(sim: Simulation, keys: list[Rows], rates: list[Array]) -> None:
    """Impulses a second of the contacts that held, by key: where the next step starts from."""
    if not keys:
        if len(sim.held_key):
            sim.held_key, sim.held_rate = np.empty(0, np.int64), np.empty((0, 2))
        return
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.append(True, key[1:] != key[:-1])  # of several with one key
    sim.held_key, sim.held_rate = key[first], np.concatenate(rates)[order[first]]
