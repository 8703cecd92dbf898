"""Blocks as columns of numbers: what a step reads and moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.blocks import _kernels
from banquise.detection.spatial import Blocks, Shapes
from banquise.errors import CaseError, in_short
from banquise.given import ask, floats, jump_of, place_of
from banquise.motion import rotation
from banquise.scene.meshes import Floats, Ints
from banquise.scene.polyhedron import Polyhedron, rotation_matrix

if TYPE_CHECKING:
    from banquise.blocks.contacts import Touching

Flags = NDArray[np.bool_]
Path = Callable[[float], Any]
FAR = 0.25  # in a step, of a block's size: beyond, its path is looked at for a jump


@dataclass
class Columns:
    """One row a block; `centre`, `orientation`, `velocity` and `spin` move, the rest stays."""

    shapes: Shapes
    shape_of: Ints  # (parts,)
    block_of: Ints  # (parts,)
    origin: Floats  # (n, 3) m, centre of mass in the frame of the block
    mass: Floats  # (n,) kg
    inertia: Floats  # (n, 3, 3) kg m2, about the centre, body axes
    inverse_mass: Floats  # (n,) 0 for a fixed block
    inverse_inertia: Floats  # (n, 3, 3) body axes, 0 for a fixed block
    inverse_root: Floats  # (n, 3, 3) L with L L' = inverse inertia, body axes
    size: Floats  # (n,) m, cube root of the volume
    reach: Floats  # (n,) m, farthest point from the centre
    free: Flags  # (n,)
    material: Ints  # (n,)
    materials: list[str]
    paths: dict[int, Path]
    centre: Floats  # (n, 3) m, world
    orientation: Floats  # (n, 4)
    velocity: Floats  # (n, 6): m/s, then rad/s, world

    @classmethod
    def of(cls, blocks: Sequence[Polyhedron]) -> Columns:
        """Fresh columns of some blocks."""
        placed = Blocks.of(blocks)
        free = np.array([not b.fixed for b in blocks], dtype=bool)
        mass = np.array([b.mass for b in blocks])
        inertia = np.array([b.inertia for b in blocks]).reshape(-1, 3, 3)
        materials = sorted({b.material for b in blocks})
        origin = np.array([b.solid.mass.centre for b in blocks]).reshape(-1, 3)
        paths = {k: b.path for k, b in enumerate(blocks) if b.path is not None}
        velocity = np.array([np.r_[b.velocity, b.spin] for b in blocks]).reshape(-1, 6)
        velocity[~free] = 0.0
        found = cls(
            placed.shapes, placed.shape_of, placed.block_of, origin, mass, inertia,
            np.where(free, 1.0 / mass, 0.0), np.where(free[:, None, None], np.linalg.inv(inertia), 0.0),
            np.where(free[:, None, None], np.linalg.cholesky(np.linalg.inv(inertia)), 0.0),
            np.cbrt([b.volume for b in blocks]),
            np.array([b.solid.size + float(np.linalg.norm(b.solid.mass.centre)) for b in blocks]),
            free, np.array([materials.index(b.material) for b in blocks], dtype=np.int64), materials, paths,
            np.array([b.centre for b in blocks]).reshape(-1, 3),
            np.array([b.orientation for b in blocks]).reshape(-1, 4), velocity,
        )  # fmt: skip
        found.follow(0.0)
        return found

    def __len__(self) -> int:
        return len(self.mass)

    @property
    def rotation(self) -> Floats:
        """(n, 3, 3) body axes to world."""
        out = np.empty((len(self.orientation), 3, 3))
        _kernels.rotations(self.orientation, out)
        return out

    def placed(self, turned: Floats) -> Blocks:
        """The parts where they stand now, for detection; `turned` is `rotation`."""
        position = self.centre - np.einsum("nij,nj->ni", turned, self.origin)
        own = self.block_of
        return Blocks(self.shapes, self.shape_of, position[own], turned[own], own)

    def world_inverse_root(self, turned: Floats) -> Floats:
        """(n, 3, 3) factors L with L L' = inverse inertia in world axes."""
        found: Floats = turned @ self.inverse_root
        return found

    def response(self, touching: Touching, impulse: Floats, inverse_root: Floats) -> Floats:
        """Change of velocity (n, 6) by impulses (m, 3) at the contacts, opposite on the two bodies of each."""
        push = replace(touching, impulse=impulse).wrench(len(self))
        out = self.inverse_mass[:, None] * push
        out[:, 3:] = np.einsum("nij,nkj,nk->ni", inverse_root, inverse_root, push[:, 3:])
        return out

    def world_inertia(self, turned: Floats) -> Floats:
        """(n, 3, 3) kg m2, world axes."""
        found: Floats = turned @ self.inertia @ turned.transpose(0, 2, 1)
        return found

    def kinetic_energy(self) -> float:
        """Of the blocks that move, J."""
        rows = self.free
        spin = rotation.energy(self.orientation[rows], self.velocity[rows, 3:], self.inertia[rows])
        return float(0.5 * np.sum(self.mass[rows] * np.sum(self.velocity[rows, :3] ** 2, axis=1)) + spin.sum())

    def drift(self, duration: float) -> None:
        """Free flight: straight on, and torque-free rotation that keeps energy and angular momentum."""
        rows = self.free
        self.centre += np.where(rows[:, None], duration * self.velocity[:, :3], 0.0)
        turned, spin = rotation.advance(self.orientation, self.velocity[:, 3:], self.inertia, duration)
        self.orientation[rows], self.velocity[rows, 3:] = turned[rows], spin[rows]

    def follow(self, time: float) -> None:
        """Put the blocks that have a path where it says."""
        for row, path in self.paths.items():
            position, quaternion = _pose(path, time, row, self.orientation[row])
            self.orientation[row] = quaternion
            self.centre[row] = position + rotation_matrix(quaternion) @ self.origin[row]

    def path_velocity(self, time: float, ahead: float) -> None:
        """Velocity of the blocks that have a path: the mean one from `time` to `time + ahead`, their poses as of now."""
        for row, path in self.paths.items():
            here, q0 = _pose(path, time, row, self.orientation[row])
            there, q1 = _pose(path, time + ahead, row, self.orientation[row])
            if np.abs(there - here).max() > FAR * self.size[row]:
                self._check_jump(path, time, ahead, row)
            arm = self.origin[row]
            self.velocity[row, :3] = (there + rotation_matrix(q1) @ arm - here - rotation_matrix(q0) @ arm) / ahead
            self.velocity[row, 3:] = _spin_between(q0, q1) / ahead

    def _check_jump(self, path: Path, time: float, ahead: float, row: int) -> None:
        """A path that goes far in a step may not jump: it would sweep through what lies on the way."""
        turned = self.orientation[row]
        at = jump_of(lambda t: _pose(path, t, row, turned)[0], time, time + ahead, FAR * float(self.size[row]))
        if at is not None:
            raise CaseError(
                f"path of block {row}: {place_of(path)} jumps at t = {at:.6g} s. Expected a place that changes without a jump."
            )


def _pose(path: Path, time: float, row: int, orientation: Floats) -> tuple[Floats, Floats]:
    """Position and unit quaternion a path gives at a time."""
    what, gives = f"path of block {row} at t = {time:g} s", "(x, y, z) in m, or that and a quaternion (w, x, y, z)"
    found = ask(path, time, what=what, gives=gives)
    try:
        if np.ndim(found[0]) == 0:
            position, quaternion = floats(found), orientation
        else:
            position, quaternion = (floats(part) for part in found)
        good = position.shape == (3,) and quaternion.shape == (4,) and np.isfinite(position).all()
        quaternion = quaternion / np.linalg.norm(quaternion)
    except (TypeError, ValueError, IndexError):
        good = False
    if not good or not np.isfinite(quaternion).all():
        raise CaseError(f"{what}: {place_of(path)} gave {in_short(found)}. Expected {gives}.")
    return position, quaternion


def _spin_between(q0: Floats, q1: Floats) -> Floats:
    """Rotation vector (world) of the turn from q0 to q1, as the Cayley map has it."""
    w0, v0, w1, v1 = q0[0], q0[1:], q1[0], q1[1:]
    w = w1 * w0 + v1 @ v0
    vector: Floats = w0 * v1 - w1 * v0 - np.cross(v1, v0)
    return 2.0 * vector / w


def turn(orientation: Floats, vector: Floats) -> Floats:
    """Quaternions (n, 4) turned by small world rotation vectors (n, 3)."""
    w, v = orientation[:, :1], orientation[:, 1:]
    half = 0.5 * vector
    scalar = w - np.sum(half * v, axis=1, keepdims=True)
    found: Floats = np.hstack([scalar, v + w * half + np.cross(half, v)])
    return found / np.linalg.norm(found, axis=1, keepdims=True)
