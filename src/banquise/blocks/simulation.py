"""`bq.Simulation` of a scene of blocks: time stepping with contact, friction and water in space."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banquise.blocks import step as stepping
from banquise.blocks.bonds import Bond, Bonds
from banquise.blocks.columns import Columns
from banquise.blocks.contacts import Finder, Memory, Touching
from banquise.blocks.run import BlockRun
from banquise.blocks.schemes import Penalty, strategy
from banquise.blocks.water import Water
from banquise.contact.materials import pair_table
from banquise.errors import BanquiseError, CaseError, ForcingError
from banquise.forcing.forcing import Forcing
from banquise.recording.ledger import Ledger
from banquise.scene.meshes import Floats
from banquise.scene.scene import Scene
from banquise.settings import Contact
from banquise.simulation import _Schedule
from banquise.units import duration


@dataclass(frozen=True)
class BlockState:
    """The blocks now, for callbacks and own forces: columns by block, world axes."""

    time: float
    centre: Floats
    orientation: Floats
    velocity: Floats
    spin: Floats
    mass: Floats


class BlockSimulation:
    """Blocks, what pushes them, how they touch, and the step.

    Parameters
    ----------
    scene : `bq.Scene(blocks=[...])`
    forcing : `bq.Forcing(gravity=(gx, gy, gz), water_level=..., forces=[...])`
    contact : `bq.Contact`; blocks rebound by Newton's law, all contacts at once (Moreau)
    scheme : `bq.TimeStepping(step)`, or `Moreau`, `QuasiStatic`, `Events`, `Penalty` of `bq.blocks`; 1 ms by default
    sweeps : at most so many passes over the contacts of a large group
    bond : `bq.blocks.Bond`: faces that touch at the start hold together up to its strength
    """

    def __init__(
        self,
        scene: Scene,
        forcing: Forcing | None = None,
        contact: Contact | None = None,
        scheme: Any = None,
        seed: int = 0,
        title: str = "Banquise run",
        sweeps: int = 100,
        bond: Bond | None = None,
        **other: Any,
    ):
        for key, value in other.items():
            if value is not None:
                raise CaseError(f"simulation: {key} is not for scenes of blocks, expected it left out.")
        self.scene = scene
        self.forcing = forcing if forcing is not None else Forcing()
        self.contact = contact if contact is not None else Contact()
        self.scheme = scheme
        self.method = strategy(scheme)
        self.seed, self.title, self.sweeps = int(seed), str(title), int(sweeps)
        self.gravity = _checked(self.forcing)
        self.strength = float(np.linalg.norm(self.gravity))
        self.time = 0.0
        self.fresh = True
        self.columns = Columns.of(scene.blocks)
        self.step = self._length()
        self.friction = pair_table(self.contact.friction, self.columns.materials, "friction")
        self.restitution = pair_table(self.contact.restitution, self.columns.materials, "restitution")
        self.water = None if self.forcing.water_level is None else Water(scene.blocks, self.forcing, self.strength)
        self.ledger = Ledger(self.columns.kinetic_energy())
        self.memory, self.finder = Memory(), Finder()
        self.touching: Touching | None = None
        self.impacts: list[tuple[float, int, int, float]] = []  # time, the two blocks, normal impulse: of `Events`
        self.bonds = Bonds()
        if bond is not None:
            self.bonds = Bonds.between(bond, self.columns, *self.finder.faces(self.columns, bond.within))
        self.on_fixed = np.zeros((len(self.columns), 6))
        self._last_record = 0.0

    @property
    def state(self) -> BlockState:
        """The blocks now (copies)."""
        c = self.columns
        return BlockState(
            self.time, c.centre.copy(), c.orientation.copy(), c.velocity[:, :3].copy(), c.velocity[:, 3:].copy(), c.mass
        )

    def _length(self) -> float:
        """Step of the scheme, s."""
        if self.method.step is not None:
            return float(self.method.step)
        assert isinstance(self.method, Penalty)
        return 0.1 * self.method.stable_step(float(self.columns.mass[self.columns.free].min(initial=np.inf)))

    def find(self, ahead: float) -> Touching:
        """Contact points that can touch within `ahead` seconds, without those of bonded pairs."""
        return self.finder.find(self.columns, ahead, self.strength, self.memory, self.bonds.pairs())

    def forces(self, step: float, time: float | None) -> stepping.Forces:
        """What pushes the blocks during one kick."""
        c = self.columns
        gravity = np.zeros((len(c), 6))
        gravity[:, :3] = np.where(c.free, c.mass, 0.0)[:, None] * self.gravity
        water = np.zeros_like(gravity) if self.water is None else self.water.wrench(c, step)
        loads = np.zeros_like(gravity)
        for k, force in enumerate(self.forcing.forces):
            given = np.asarray(force(self.state), dtype=np.float64)
            if given.shape != loads.shape or not np.isfinite(given).all():
                raise ForcingError(
                    f"forces[{k}]: gives an array {given.shape} at {self.time:g} s, expected finite {loads.shape}: "
                    "force and torque about the centre, world axes, a row a block."
                )
            loads += given
        return stepping.Forces(gravity, water, np.where(c.free[:, None], loads, 0.0))

    def run(
        self,
        until: Any,
        every: Any = None,
        output: str | Path | None = None,
        callbacks: Sequence[Any] = (),
        progress: bool = False,
    ) -> BlockRun:
        """Run to `until`, recording every `every` (s, or text with units; 100 records by default)."""
        end = duration(until, "until")
        if end <= self.time:
            raise CaseError(
                f"until: got {until!r}, the simulation is at {self.time:g} s already. Expected a later time."
            )
        interval = (end - self.time) / 100 if every is None else duration(every, "every")
        if interval <= 0:
            raise CaseError(f"every: got {every!r}, expected a time above 0.")
        began = clock.perf_counter()
        records: dict[str, list[Any]] = {"time": [], "state": [], "ledger": [], "loads": []}
        self._record(records)
        for target, due, calls in _Schedule(self.time, end, interval, (), callbacks):
            steps = max(1, math.ceil((target - self.time) / self.step - 1e-9))
            begin = self.time
            for k in range(steps):
                stepping.advance(self, (target - begin) / steps)
                self.time = target if k == steps - 1 else self.time
            if due:
                self._record(records)
                if progress:
                    print(f"\r{self.time:.3f} s of {end:g}", end="\n" if self.time >= end else "", flush=True)
            for call in calls:
                call(self)
        run = BlockRun(records, self.scene.blocks, self._describe(end, interval, clock.perf_counter() - began))
        run.checkpoint = self.checkpoint()
        if output is not None:
            run.save(output)
        return run

    def checkpoint(self) -> dict[str, Any]:
        """All that the next step depends on, as arrays."""
        c = self.columns
        totals = np.array([self.ledger.start_energy, *self.ledger.totals.values()])
        return {
            "time": np.array(self.time), "fresh": np.array(self.fresh), "centre": c.centre.copy(),
            "orientation": c.orientation.copy(), "velocity": c.velocity.copy(), "totals": totals,
            **{f"memory_{key}": np.array(value) for key, value in self.memory.arrays().items()},
            **{f"bond_{key}": np.array(value) for key, value in self.bonds.arrays().items()},
        }  # fmt: skip

    def restore(self, stored: dict[str, Any] | str | Path) -> None:
        """Go on from a checkpoint, or from the end of a run file, of the same scene: bit for bit."""
        if not isinstance(stored, dict):
            stored = BlockRun.open(stored, self.scene.blocks).checkpoint
        c = self.columns
        if stored["centre"].shape != c.centre.shape:
            raise CaseError(f"restore: the checkpoint has {len(stored['centre'])} blocks, the scene {len(c)}.")
        self.time, self.fresh = float(stored["time"]), bool(stored["fresh"])
        for name in ("centre", "orientation", "velocity"):
            getattr(c, name)[:] = stored[name]
        self.memory = Memory(**{key: np.ascontiguousarray(stored[f"memory_{key}"]) for key in Memory().arrays()})
        self.bonds = Bonds(**{key: np.ascontiguousarray(stored[f"bond_{key}"]) for key in Bonds().arrays()})
        self.ledger.start_energy = float(stored["totals"][0])
        self.ledger.totals = dict(zip(self.ledger.totals, map(float, stored["totals"][1:])))
        self._last_record = self.time

    def _record(self, records: dict[str, list[Any]]) -> None:
        c = self.columns
        state = np.hstack([c.centre, c.orientation, c.velocity])
        if not np.isfinite(state).all():
            lost = int(np.flatnonzero(~np.isfinite(state).all(axis=1))[0])
            raise BanquiseError(
                f"block {lost} is no longer at a finite place at t = {self.time:g} s. "
                "Look at its forces or take a shorter step."
            )
        window = self.time - self._last_record
        records["time"].append(self.time)
        records["state"].append(state)
        records["ledger"].append(self.ledger.record(c.kinetic_energy()))
        records["loads"].append(self.on_fixed / window if window > 0 else np.zeros_like(self.on_fixed))
        self.on_fixed = np.zeros_like(self.on_fixed)
        self._last_record = self.time

    def _describe(self, until: float, every: float, wall: float) -> dict[str, Any]:
        from banquise import __version__

        return {
            "title": self.title, "until": until, "every": every, "seed": self.seed, "step": self.step,
            "contact": repr(self.contact), "forcing": repr(self.forcing), "versions": {"banquise": __version__},
            "profile": {"wall": wall},
        }  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"Simulation {self.title!r} at {self.time:g} s\n├── {self.scene!r}\n├── {self.forcing!r}\n"
            f"├── {self.contact!r}\n└── {self.method!r}"
        )


def _checked(forcing: Forcing) -> Floats:
    """Gravity (3,), after saying what blocks do not feel."""
    for name in ("wind", "current", "coriolis", "loads"):
        if getattr(forcing, name):
            raise ForcingError(f"forcing: {name} does not act on blocks; they take gravity, water_level and forces.")
    if forcing.gravity is None:
        return np.zeros(3)
    if len(forcing.gravity) != 3:
        raise ForcingError(f"gravity: got {forcing.gravity}, blocks in space need (gx, gy, gz).")
    return np.array(forcing.gravity)
