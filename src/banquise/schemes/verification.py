"""After a step: what overlaps is done again with shorter steps, and what cannot be mended stays where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.motion.free_velocity import FreeMotion, fly
from banquise.recording.stages import timed
from banquise.schemes import _kernels, _kernels_listing, _kernels_scene, codes
from banquise.schemes._kernels import TOLERANCE
from banquise.schemes.groups import Array, Groups, Pairs, Rows
from banquise.schemes.workspace import MOVING

if TYPE_CHECKING:
    from banquise.schemes.rounds import Engine

SHORTEST = 2**14  # part of a step that a group takes at least, overlap or not
ATTEMPTS = 14  # times groups that leave an overlap are done again before it is said
STUCK = 2  # attempts that leave an overlap as it was, where obstacles move, before it is said
HOPE = 5  # of these, where all that overlaps did so already when the step began
BEARABLE = 2.0  # tolerances that are said and left where staying mends nothing: obstacles move, or it was there
DEEPER = 1.05  # times as deep as before that an overlap which is there already, and bearable, may become
LONGER = 8.0  # times what a floe may take at the next step, after it had to take shorter ones
AFTER_REST = 16  # part of a step that floes which stayed where they were take next


@timed("detection")
def _overlaps(engine: Engine) -> tuple[float, Pairs, Array]:
    """Largest overlap now (m), the pairs beyond the tolerance and how deep they are, as a part of the smaller size; by a
    routine apart from the contact code."""
    one, other, depth = engine.sim.detector.overlaps(engine.bodies, trust=True)
    if not len(depth):
        return 0.0, np.empty((0, 2), np.int32), np.empty(0)
    part = depth / engine.bodies.smaller_size(one, other)
    deep = part > TOLERANCE
    return float(depth.max()), np.stack([one[deep], other[deep]], axis=1), part[deep]


def verify(engine: Engine, done: list[Groups], pairs: Pairs, step: float) -> tuple[float, int]:
    """Do groups that overlap again until none does; (largest overlap left, 1 if one was left beyond the tolerance).

    Bodies that overlap although they were in no group become one; those that were take shorter steps from then on
    (turning bodies that slide on each other leave the arcs on which they were kept apart), lengthened again while all
    goes well. Pairs that overlapped before and do so no deeper do not hold up the clock.

    What no shorter step mends stays where the last step left it, with all that then moves into it. Nothing was deeper than
    the tolerance there; so, unless obstacles move or floes are made that overlap, nothing ever is.
    """
    sim = engine.sim
    unsolved = 0
    before = {(i, j): part for i, j, part in sim.overlapping}
    attempt, least, stuck = 0, np.inf, 0
    there = engine.deepest > TOLERANCE  # when the step began: pieces of a floe that broke, a scene that was given so
    standing = np.zeros(engine.n, np.bool_)
    while True:
        deepest, bad, part = _overlaps(engine)
        if not len(bad):
            break
        known = np.array([before.get((int(i), int(j)), 0.0) for i, j in bad])
        fresh = part > np.where(DEEPER * known <= BEARABLE * TOLERANCE, DEEPER * known, known)
        if not fresh.any():
            break
        worst = float(part[fresh].max())
        stuck, least = (stuck + 1, least) if worst > 0.9 * least else (0, worst)
        # no shorter steps mend what was there when the step began, nor what moving obstacles crush
        hopeless = there and attempt >= HOPE and worst <= DEEPER * engine.deepest
        if attempt >= ATTEMPTS or hopeless or (engine.rule.moving and stuck >= STUCK):
            # said, not hidden: it is in the ledger
            unsolved = 1
            _take_back_pushes(engine)
            if engine.rule.moving or there:
                fresh &= part > BEARABLE * TOLERANCE
            if not fresh.any():
                break
        if attempt == 0:
            _look_at_pushes(engine, bad[fresh], before)
        again, pairs = _regroup(engine, done, pairs, bad[fresh], step)
        done.append(again)
        if unsolved:
            _stand(engine, again, step)
            if standing[again.members].all():  # what moves into them is no floe
                deepest, bad, part = _overlaps(engine)
                break
            standing[again.members] = True
        else:
            sim.obstacle_motion.place(engine.bodies, sim.time)
            engine.run_groups(again)
            sim.obstacle_motion.place(engine.bodies, sim.time + step)
        sim.ledger.add(splits=1)
        attempt += 1
    _kernels_scene.lengthen(sim.step_cap, step, LONGER)
    sim.overlapping = [(int(i), int(j), float(p)) for (i, j), p in zip(bad, part)]
    return deepest, unsolved


def _look_at_pushes(engine: Engine, fresh: Pairs, before: dict[tuple[int, int], float]) -> None:
    """Take the pushes before the step back if they made overlaps that were not there, where floes of these pairs were pushed.

    A push knows the contacts of the start only. A corner that slides along one side of a notch meets the other side, on
    which it had no foot; no shorter step mends that.
    """
    if engine.pushed is None or not np.isin(fresh, engine.pushed[0]).any():
        return
    b = engine.bodies
    now = [getattr(b, name).copy() for name in MOVING]
    for name, row in zip(MOVING, engine.start):
        getattr(b, name)[:] = row
    _, bad, part = _overlaps(engine)
    for name, column in zip(MOVING, now):
        getattr(b, name)[:] = column
    if any(deep > before.get((int(i), int(j)), 0.0) for (i, j), deep in zip(bad, part)):
        _take_back_pushes(engine)


def _take_back_pushes(engine: Engine) -> None:
    """Let floes that are done again begin where the last step left them, and look for their contacts there."""
    if engine.pushed is not None:
        rows, before = engine.pushed
        engine.start[:, rows] = before
        engine.careful[rows] = True
        engine.pushed = None


def _regroup(engine: Engine, done: list[Groups], pairs: Pairs, fresh: Pairs, step: float) -> tuple[Groups, Pairs]:
    """Groups to be done again, put back to the start of the step; the pairs now known to be near.

    Every group with a member of an overlapping pair is done again, whole.
    """
    sim, n, home = engine.sim, engine.n, engine.home
    known = _kernels_listing.find_pairs(pairs, fresh, engine.struck) >= 0
    one, other = fresh[:, 0], np.minimum(fresh[:, 1], n - 1)
    obstacle = fresh[:, 1] >= n
    together = known & (home[one] >= 0) & (obstacle | (home[one] == home[other]))
    rows = fresh[fresh < n]
    if not known.all():
        listed = sim.detector.pairs
        more = np.full((len(fresh) - int(known.sum()), 6), -1, np.int32)
        more[:, :4] = listed[_kernels_listing.find_pairs(listed, fresh[~known], engine.struck)]
        pairs = np.concatenate([pairs, more])
    touched = np.zeros(sum(map(len, done)) + 1, np.bool_)
    touched[home[rows]] = True
    touched[-1] = False  # floes that were in no group
    inside = touched[home]
    inside[rows] = True
    for groups in done:
        groups.stale |= touched[groups.first : groups.first + len(groups)]
    members = np.flatnonzero(inside)
    if together.any():
        shorter = np.unique(fresh[together][fresh[together] < n])
        engine.careful[shorter] = True
        least = np.full(len(touched), step)  # what the groups took: all of a group take the same
        np.minimum.at(least, home[members], sim.step_cap[members])
        sim.step_cap[shorter] = np.maximum(0.5 * least[home[shorter]], step / SHORTEST)
    among = inside[pairs[:, 0]] & (inside[np.minimum(pairs[:, 1], n - 1)] | (pairs[:, 1] >= n))
    _take_back(engine, members[home[members] < 0])
    _kernels_scene.put_back(members, engine.start, engine.columns)
    _fly_again(engine, members, step)
    of_group = np.ascontiguousarray(pairs[among])
    again = engine.list_groups(of_group, np.ones(len(of_group), np.bool_), len(touched) - 1)
    again.careful[home[np.flatnonzero(engine.careful & inside)] - again.first] = True
    return again, pairs


def _stand(engine: Engine, groups: Groups, step: float) -> None:
    """Leave these floes where the last step left them, at rest; what they lose is lost in contact.

    The last resort. Rest, not the speed they had: with that the next step would end as this one did. (That of their
    common centre would keep the momentum of those that touch no wall, and be one more way to overlap others.)
    """
    sim, b = engine.sim, engine.bodies
    for group in range(len(groups)):
        rows = groups.rows(group)
        moving = b.mass[rows] * (b.u[rows] ** 2 + b.v[rows] ** 2) + b.inertia[rows] * b.spin[rows] ** 2
        groups.totals[group, codes.LOST] = 0.5 * float(moving.sum())
        b.u[rows] = b.v[rows] = b.spin[rows] = 0.0
    sim.step_cap[groups.members] = step / AFTER_REST


def _take_back(engine: Engine, idle: Rows) -> None:
    """Take the work on floes that were in no group out of the books: they are in one now."""
    s, f = engine.state, engine.flows
    way = s.free_displacement[idle]
    engine.sums[0, 0] -= np.sum(s.force[idle, 0] * way)
    engine.sums[0, 1] -= np.sum(s.force[idle, 1] * way)
    engine.sums[0, 2] -= np.sum(engine.bodies.mass[idle] * (way[:, :2] @ f.gravity))
    engine.sums[0, 3] -= np.sum(f.pushes[idle] * way)


def _fly_again(engine: Engine, members: Rows, step: float) -> None:
    b, s = engine.bodies, engine.state
    s.steps[members], s.pace[members] = step, np.inf
    out = FreeMotion(s.free_velocity, s.free_displacement, s.force, engine.flows.pushes, engine.flows.gravity)
    fly(b, engine.flows, s.steps, members, out, engine.sim.time)
    _kernels_scene.take_up(members, step, engine.columns, s)
    _kernels.reaches(members, s.left, s.velocity, s.free_velocity, b.extent, s.drift, s.reach, s.pull)
    s.reach[members] *= 2.0  # they met more than was foreseen
