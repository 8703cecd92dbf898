"""One step of blocks: part of a flight, a kick by forces and contacts, the rest of the flight (Moreau's time stepping).

Flights keep energy, so the ledger of a step is that of its kick: impulse times the mean of the velocities before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banquise.blocks.columns import turn
from banquise.blocks.contacts import Touching
from banquise.blocks.impacts import note_impacts
from banquise.blocks.lookahead import ROUNDS, overlooked
from banquise.blocks.schemes import Events, Moreau, Penalty, QuasiStatic
from banquise.contact.spatial import SpatialProblem
from banquise.scene.meshes import Floats, Ints
from banquise.solvers import spatial
from banquise.solvers.standing import Order

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation

OVERLAP = 1e-5  # of the smaller block's size: overlaps deeper than this are pushed apart
SKIN = 1e-5  # of the same: gaps below this count as closed, so that rounding does not open and close contacts at rest
PUSH_TO = 0.1  # of that tolerance: what is left after a push, so that contacts are not lost to rounding
PUSHES = 30  # passes of a push: what they leave is pushed again at the next step
MEET = 1e-6  # of a gap: rounding by which points of one face may differ
SMALL, FINE, COARSE = 200, 1e-9, 1e-4  # up to so many contacts islands are solved to FINE, else to COARSE
OPEN = 1e9  # m/s: the speed at which a contact that is not looked at may close
STEEP = 0.1  # vertical part of a normal above which one of the two blocks stands on the other
BREAKS = 10.0  # times the solver's tolerance: the speed, against the reference, at which a bond has given way


@dataclass(frozen=True)
class Forces:
    """Wrenches (n, 6) of one kick by origin: force, N, then torque about the centre, N m, world axes."""

    gravity: Floats
    water: Floats
    loads: Floats

    @property
    def total(self) -> Floats:
        return self.gravity + self.water + self.loads


def advance(sim: BlockSimulation, step: float) -> None:
    """Move the simulation on by `step` seconds."""
    if isinstance(sim.method, Events):
        from banquise.blocks import events

        events.advance(sim, step, sim.method.min_step)
    elif isinstance(sim.method, Penalty):
        from banquise.blocks import penalty

        penalty.advance(sim, step, sim.method)
    else:
        _moreau(sim, step)
    sim.ledger.add(steps=1)


def _moreau(sim: BlockSimulation, step: float) -> None:
    """(1 - theta) of the flight, the kick, theta of the flight."""
    columns, method = sim.columns, sim.method
    theta, at_start, touching = 0.5, False, None
    if isinstance(method, QuasiStatic):
        columns.velocity[columns.free] = 0.0
        theta = 1.0
    else:
        assert isinstance(method, Moreau)
        theta, at_start = method.theta, method.contacts == "start"
    if sim.fresh:  # bodies that meet at the very start would overlap by the middle of the first step
        columns.path_velocity(sim.time, 0.5 * step)
        note_impacts(sim, *kick(sim, 0.0, 0.5 * step), sim.time)
        sim.fresh = False
    ahead, before = max(step, sim.step), (1.0 - theta) * step
    if at_start:
        touching = sim.find(ahead)
        touching.gap += before * touching.along(columns.velocity)
        ahead = theta * step
    columns.drift(before)
    middle = sim.time + before
    columns.follow(middle)
    note_impacts(sim, *kick(sim, step, ahead, middle, touching), middle)
    columns.drift(theta * step)
    sim.time += step
    columns.follow(sim.time)


def kick(
    sim: BlockSimulation, step: float, ahead: float, time: float | None = None, touching: Touching | None = None,
    rate: Floats | None = None,
) -> tuple[NDArray[np.bool_], Floats]:  # fmt: skip
    """Velocities jump by `step` seconds of forces and by what contacts need to stay apart for `ahead` seconds.

    `rate` (m,) m/s takes the place of the gap law: minus the least speed at which each contact is to open. Returns which
    contacts (m,) of `sim.touching` met, not leaning on each other before, and the velocities before.
    """
    columns, rounds = sim.columns, 0
    if touching is None:
        touching = sim.find(ahead)
        _push_apart(sim, touching)
        rounds = ROUNDS if getattr(sim.method, "law", "gap") == "gap" else 0
    inverse_root = columns.world_inverse_root(columns.rotation)
    before = columns.velocity.copy()
    if time is not None:
        columns.path_velocity(time, ahead)
    free, forces = columns.velocity.copy(), None
    if step > 0.0:
        forces = sim.forces(step, time)
        total = forces.total
        free[:, :3] += step * columns.inverse_mass[:, None] * total[:, :3]
        inner = np.einsum("nji,nj->ni", inverse_root, total[:, 3:])
        free[:, 3:] += step * np.einsum("nij,nj->ni", inverse_root, inner)
    for left in range(rounds, -1, -1):
        whole, bonds = sim.bonds.joined(touching, columns)
        found, pull, meets = _solve(sim, whole, bonds, inverse_root, before, free, step, ahead, rate)
        more = overlooked(sim, touching, found.velocity, ahead) if left else None
        if more is None:
            break
        more.guess[: len(touching.gap)] = found.forces[: len(touching.gap)]
        touching = more
    touching = whole
    columns.velocity[:] = found.velocity
    touching.impulse = found.forces
    if len(bonds):
        _tend_bonds(sim, touching, bonds, found, pull)
    sim.touching, sim.memory = touching, touching.memory()
    account(sim, touching, forces, before, step)
    sim.ledger.add(
        residual=found.residual, unsolved=found.unsolved, islands=found.islands, largest_island=found.largest_island,
        max_overlap=touching.overlap, contacts=int(np.count_nonzero(found.impulses[:, 0] > 0.0)),
    )  # fmt: skip
    return meets, before


def _solve(
    sim: BlockSimulation, touching: Touching, bonds: Ints, inverse_root: Floats, before: Floats, free: Floats,
    step: float, ahead: float, given: Floats | None,
) -> tuple[spatial.SpatialSolution, Floats, NDArray[np.bool_]]:  # fmt: skip
    """Newton's law of restitution where bodies would meet, and elsewhere: come no nearer than the gap.

    Also returns the pull (m, 3) N s of the bonds, which the impulses of the solution do not hold, and which contacts (m,) meet.
    """
    columns = sim.columns
    kinds = columns.material[touching.body_a], columns.material[touching.body_b]
    gap, skin = touching.gap, SKIN * touching.size
    friction, rate = sim.friction[kinds], np.where(gap > skin, gap, 0.0) / ahead
    if isinstance(sim.method, Moreau) and sim.method.law == "velocity":
        rate = np.where(gap <= skin, 0.0, OPEN)
    approach = touching.along(before)
    # A fall of two steps is not told from rest: its rebound would be shorter than the step.
    # The points of a face meet together, whatever rounding makes of their gaps.
    meets = (approach < -2.0 * sim.strength * ahead) & (gap + (1.0 + MEET) * ahead * approach < 0.0) & (rate < OPEN)
    rate = np.where(meets, sim.restitution[kinds] * approach, rate) if given is None else given
    pull, first = np.zeros((len(gap), 3)), len(gap) - len(bonds)
    if len(bonds):
        meets[first:] = False
        friction[first:], rate[first:] = sim.bonds.friction[bonds], np.maximum(gap[first:], 0.0) / ahead
        pull[first:] = -step * sim.bonds.tension[bonds, None] * touching.normal[first:]
        free = free + columns.response(touching, pull, inverse_root)
    problem = SpatialProblem(
        touching.body_a, touching.body_b, columns.inverse_mass, columns.inverse_inertia, touching.normal,
        touching.lever_a, touching.lever_b, rate, friction, free, inverse_root=inverse_root,
    )  # fmt: skip
    guess = np.einsum("kij,kj->ki", problem.frames, touching.guess)
    tolerance = sim.contact.tolerance or (FINE if problem.contacts <= SMALL else COARSE)
    if guess.any() or sim.memory.impulse.any():
        return spatial.solve(problem, guess, tolerance, sim.sweeps), pull, meets
    # Without a memory the sweeps start from nothing: a stack then needs about the square of its height of them.
    return spatial.solve(problem, guess, tolerance, 10 * sim.sweeps, _order(sim, touching)), pull, meets


def _order(sim: BlockSimulation, touching: Touching) -> Order | None:
    """Which block stands on which; None without gravity."""
    if sim.strength == 0.0:
        return None
    height = -sim.columns.centre @ sim.gravity / sim.strength
    slope = -touching.normal @ sim.gravity / sim.strength  # of b over a
    upper = np.where(slope > 0.0, touching.body_b, touching.body_a)
    return Order(np.where(np.abs(slope) > STEEP, upper, -1), np.argsort(-height, kind="stable"))


def _tend_bonds(
    sim: BlockSimulation, touching: Touching, bonds: Ints, found: spatial.SpatialSolution, pull: Floats
) -> None:
    """Keep the impulses of bonds, add their pull to what acted, and break those that opened or slid."""
    first = len(touching.gap) - len(bonds)
    sim.bonds.impulse[bonds] = touching.impulse[first:]
    touching.impulse = touching.impulse + pull
    after = np.linalg.norm(touching.speed(found.velocity)[first:], axis=1)
    reference = max(sim.strength * sim.step, float(np.abs(found.velocity).max(initial=0.0)))
    tolerance = max(sim.contact.tolerance or 0.0, FINE if len(touching.gap) <= SMALL else COARSE)
    given = after > max(BREAKS * tolerance * reference, 1e-12)
    sim.bonds.alive[bonds[given]] = 0


def _push_apart(sim: BlockSimulation, touching: Touching) -> None:
    """Displace blocks that overlap too deeply, without touching their velocities: no energy comes from an overlap."""
    columns, size = sim.columns, touching.size
    if not len(size) or np.all(touching.gap >= -OVERLAP * size):
        return
    n = len(columns)
    problem = SpatialProblem(
        touching.body_a, touching.body_b, columns.inverse_mass, columns.inverse_inertia,
        touching.normal, touching.lever_a, touching.lever_b, touching.gap + PUSH_TO * OVERLAP * size,
        np.zeros(len(size)), np.zeros((n, 6)), inverse_root=columns.world_inverse_root(columns.rotation),
    )  # fmt: skip
    shift = spatial.solve(problem, tolerance=0.01, sweeps=PUSHES).velocity
    columns.centre += shift[:, :3]
    before = columns.rotation
    columns.orientation[:] = turn(columns.orientation, shift[:, 3:])
    # The spin turns along: kept in the world it would change its energy with the axes of inertia.
    own = np.einsum("nji,nj->ni", before, columns.velocity[:, 3:])
    columns.velocity[:, 3:] = np.einsum("nij,nj->ni", columns.rotation, own)
    touching.gap += touching.along(shift)
    sim.ledger.add(projection=float(np.linalg.norm(shift[:, :3], axis=1).max()))


def account(sim: BlockSimulation, touching: Touching, forces: Forces | None, before: Floats, step: float) -> None:
    """Work of the kick, by origin, and the impulses on fixed blocks."""
    columns = sim.columns
    mean = 0.5 * (before + columns.velocity)
    fixed = ~columns.free
    push = touching.wrench(len(columns))
    work = np.sum(push * mean, axis=1)
    on_held = float(work[fixed].sum())
    sim.ledger.add(dissipated_contact=-float(work.sum()), work_obstacles=-on_held)
    if forces is not None:
        moving = step * np.where(columns.free[:, None], mean, 0.0)
        sim.ledger.add(
            work_gravity=float(np.sum(forces.gravity * moving)),
            work_current=float(np.sum(forces.water * moving)),
            work_loads=float(np.sum(forces.loads * moving)),
        )
    sim.on_fixed[fixed] += push[fixed]
