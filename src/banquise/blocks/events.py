"""Event-detecting steps: flights that end where two blocks meet, impacts with restitution there, rest in between.

For few bodies. A piece of the step is flown; where blocks overlap at its end, its length is found again such that they
just touch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.blocks import step as stepping
from banquise.blocks.contacts import Touching
from banquise.blocks.impacts import note_impacts

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation

TOUCH = 1e-9  # of the smaller block: nearer points touch
EXACT = 1e-14  # of the smaller block: how near to touching a flight is ended
PIECES = 200  # of one step; then all impacts of the rest of the step are without rebound


def advance(sim: BlockSimulation, step: float, shortest: float) -> None:
    """Move on by `step` seconds, from meeting to meeting."""
    end = sim.time + step
    for piece in range(10 * PIECES):
        sim.columns.path_velocity(sim.time, step)
        near = sim.find(max(end - sim.time, shortest))
        _impacts(sim, near, shortest if piece < PIECES else np.inf)
        left = end - sim.time
        if left <= 1e-13 * step:
            break
        _fly_to_meeting(sim, near, left, shortest)
    sim.time = end
    sim.columns.follow(sim.time)


def _impacts(sim: BlockSimulation, near: Touching, shortest: float) -> None:
    """Restitution at all points that touch and approach; a rebound shorter than `shortest` is none."""
    for _ in range(2):  # a second time: what the first has set in motion may meet its neighbour
        touching = near.only(near.gap <= TOUCH * near.size)
        approach = touching.along(sim.columns.velocity)
        kinds = sim.columns.material[touching.body_a], sim.columns.material[touching.body_b]
        bounce = sim.restitution[kinds]
        fastest = float(np.abs(sim.columns.velocity).max(initial=0.0))
        # slower approaches are those of rest, and are stopped by what holds resting contacts apart
        hits = approach < -max(1e-9 * fastest, 0.01 * sim.strength * min(shortest, sim.step), 1e-300)
        if not hits.any():
            return
        flight = 2.0 * bounce * np.abs(approach) / max(sim.strength, 1e-300)
        rate = np.where(hits & (flight > shortest), bounce * approach, 0.0)
        meets, before = stepping.kick(sim, 0.0, 1.0, None, touching, rate)
        meets[:] = False  # those that the steps would tell from rest; the points of bonds come last
        meets[: len(hits)] = hits
        note_impacts(sim, meets, before, sim.time)


def _fly_to_meeting(sim: BlockSimulation, near: Touching, left: float, shortest: float) -> None:
    """Fly `left` seconds, or to the first meeting. What touches and does not leave for long is held apart."""
    leaves = near.along(sim.columns.velocity) > max(0.4 * sim.strength * shortest, 1e-12)
    resting = near.only((near.gap <= TOUCH * near.size) & ~leaves)
    held = set(map(tuple, resting.pairs.tolist()))
    start = _Start(sim)
    low, high = 0.0, left
    at_low, at_high = np.inf, _flight(sim, resting, left, held, start)
    if at_high >= 0.0:
        return
    for k in range(200):
        # false position, halving the older end's weight (Illinois); plain halving while one end is not known
        if np.isfinite(at_low) and k % 5:
            middle = high - at_high * (high - low) / (at_high - at_low)
        else:
            middle = 0.5 * (low + high)
        found = _flight(sim, resting, middle, held, start)
        if found >= 0.0:
            low, at_low = middle, found
            at_high *= 0.5
        else:
            high, at_high = middle, found
            at_low *= 0.5
        if 0.0 <= found <= EXACT or high - low <= 4e-16 * max(high, sim.time):
            break
    _flight(sim, resting, low if low > 0.0 else high, held, start)


def _flight(
    sim: BlockSimulation, resting: Touching, duration: float, held: set[tuple[int, int]], start: _Start
) -> float:
    """Fly from `start`; the least gap after it, in sizes, of blocks that did not touch before (or their overlap)."""
    columns = sim.columns
    start.restore(sim)
    columns.drift(0.5 * duration)
    middle = sim.time + 0.5 * duration
    columns.follow(middle)
    stepping.kick(sim, duration, duration, middle, resting)
    columns.drift(0.5 * duration)
    sim.time += duration
    columns.follow(sim.time)
    after = sim.find(0.0)
    if not len(after.gap):
        return 1.0
    rests = np.repeat([tuple(pair) in held for pair in after.pairs.tolist()], np.diff(after.start))
    # What rests may sink by the error of a step; its overlap is no meeting.
    return float((after.gap / after.size + np.where(rests, stepping.OVERLAP, 0.0)).min())


class _Start:
    """Where a flight starts, to start again from."""

    def __init__(self, sim: BlockSimulation) -> None:
        c = sim.columns
        self.time, self.on_fixed = sim.time, sim.on_fixed.copy()
        self.columns = c.centre.copy(), c.orientation.copy(), c.velocity.copy()
        self.ledger = dict(sim.ledger.totals), dict(sim.ledger.window)
        self.memory = sim.memory

    def restore(self, sim: BlockSimulation) -> None:
        c = sim.columns
        sim.time, sim.on_fixed, sim.memory = self.time, self.on_fixed.copy(), self.memory
        c.centre[:], c.orientation[:], c.velocity[:] = self.columns
        sim.ledger.totals, sim.ledger.window = dict(self.ledger[0]), dict(self.ledger[1])
