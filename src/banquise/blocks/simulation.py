"""`bq.Simulation` of a scene of blocks: time stepping with contact, friction and water in space."""

from __future__ import annotations

import datetime
import inspect
import math
import time as clock
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from banquise.blocks import step as stepping
from banquise.blocks.bonds import Bond, Bonds
from banquise.blocks.checkpoint import restore, settings_bytes, snapshot
from banquise.blocks.columns import Columns
from banquise.blocks.contacts import Finder, Memory, Touching
from banquise.blocks.overlaps import warn_of_start
from banquise.blocks.run import BlockRun
from banquise.blocks.schemes import Penalty, strategy
from banquise.blocks.water import Water
from banquise.compiling import say_when_compiling
from banquise.contact.materials import pair_table
from banquise.errors import CaseError, ForcingError, KeywordError, in_short, known_keywords, nearest
from banquise.forcing.forcing import Forcing
from banquise.forcing.loads import asked_force
from banquise.given import counted, seed_of
from banquise.recording.block_file import EVENTS, write_block_run
from banquise.recording.block_shapes import block_shapes
from banquise.recording.ledger import Ledger
from banquise.recording.progress import Progress
from banquise.recording.recorder import Recorder, join_pieces
from banquise.recording.run_file import in_file
from banquise.recording.schedule import Schedule, begun, planned, save_due, save_or_leave
from banquise.scene.meshes import Floats
from banquise.scene.scene import Scene
from banquise.settings import Contact
from banquise.simulation import checked_parts, versions
from banquise.stopping import StopSignals
from banquise.trap import lost_row, not_finite
from banquise.units import date

OF_FLOES = "fracture", "integrator", "crs"  # keywords of `bq.Simulation` that scenes of blocks have no use for


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
        start: str | None = None,
        sweeps: int = 100,
        bond: Bond | None = None,
        **other: Any,
    ):
        for key, value in other.items():
            if key not in OF_FLOES:
                known = inspect.signature(BlockSimulation).parameters.keys() - {"other"}
                raise KeywordError(f"Simulation: no keyword {key!r}. {nearest(key, known)}")
            if value is not None:
                raise CaseError(f"simulation: {key} is not for scenes of blocks, expected it left out.")
        if bond is not None and not isinstance(bond, Bond):
            raise CaseError(f"simulation: bond is {in_short(bond)}, expected bq.blocks.Bond(tension, shear) or None.")
        self.scene = scene
        self.forcing, self.contact = checked_parts(scene, forcing, contact)
        self.scheme = scheme
        self.method = strategy(scheme)
        self.seed, self.title, self.sweeps = seed_of(seed, "simulation: seed"), str(title), _sweeps(sweeps)
        self.start = date(start, "start")
        self.gravity = _checked(self.forcing)
        self.strength = float(np.linalg.norm(self.gravity))
        self.time = 0.0
        self.fresh = True
        self.columns = Columns.of(scene.blocks)
        self.step = self._length()
        free = {block.material for block in scene.blocks if not block.fixed}
        self.contact = self.contact.tabulated(self.columns.materials, free)  # a run file keeps what was used
        self.friction = pair_table(self.contact.friction, self.columns.materials, "friction", free)
        self.restitution = pair_table(self.contact.restitution, self.columns.materials, "restitution", free)
        self.water = None if self.forcing.water_level is None else Water(scene.blocks, self.forcing, self.strength)
        self.ledger = Ledger(self.columns.kinetic_energy())
        self.memory, self.finder = Memory(), Finder()
        self.touching: Touching | None = None
        self.events: list[Floats] = []  # impacts since the last record, rows as in the run file
        self.bond, self.bonds = bond, Bonds()
        if bond is not None:
            self.bonds = Bonds.between(bond, self.columns, *self.finder.faces(self.columns, bond.within))
        self.on_fixed = np.zeros((len(self.columns), 6))  # impulses on fixed blocks since the last record
        self.pressed = np.zeros(len(self.columns))  # N s: sizes of contact impulses on each block since the last record
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
        return self.method.own_step(float(self.columns.mass[self.columns.free].min(initial=np.inf)))

    def find(self, ahead: float) -> Touching:
        """Contact points that can touch within `ahead` seconds, without those of bonded pairs."""
        return self.finder.find(self.columns, ahead, self.strength, self.memory, self.bonds)

    def forces(self, step: float, time: float | None) -> stepping.Forces:
        """What pushes the blocks during one kick."""
        c = self.columns
        gravity = np.zeros((len(c), 6))
        gravity[:, :3] = np.where(c.free, c.mass, 0.0)[:, None] * self.gravity
        water = np.zeros_like(gravity) if self.water is None else self.water.wrench(c, step)
        loads = np.zeros_like(gravity)
        for k, force in enumerate(self.forcing.forces):
            columns = "force and torque about the centre, world axes, a row a block"
            given = asked_force(force, k, self.state, self.time, (len(c), 6), columns)
            if not np.isfinite(given).all():
                bad = self._who(int(np.argmin(np.isfinite(given).all(axis=1))))
                raise ForcingError(f"forces[{k}] at t = {self.time:g} s is not finite on {bad}. Expected N and N m.")
            loads += given
        return stepping.Forces(gravity, water, np.where(c.free[:, None], loads, 0.0))

    @known_keywords
    def run(
        self,
        until: Any,
        every: Any = None,
        output: str | Path | None = None,
        callbacks: Sequence[Any] = (),
        progress: bool = False,
    ) -> BlockRun:
        """Run to `until`, recording every `every` (s, or text with units; 100 records by default)."""
        say_when_compiling(always=False)
        end, interval = planned(self.time, until, every)
        self.forcing.check(0, end)
        if self.time == 0.0:
            warn_of_start(self.columns)
        case = self.describe(end, interval) | {
            "run_id": uuid.uuid4().hex,
            "bodies": len(self.columns),
            "began": self.time,
        }
        plan = {"start": self.time, "end": end, "every": interval, "left": self.time}
        shapes = partial(block_shapes, self.scene.blocks)
        settings, state = partial(settings_bytes, self), partial(snapshot, self, plan)
        recorder = begun(output, case, shapes, settings, self._record, state)
        return self.go_on(recorder, case, plan, callbacks, progress)

    def go_on(
        self,
        recorder: Recorder,
        case: dict[str, Any],
        plan: dict[str, float],
        callbacks: Sequence[Any] = (),
        progress: bool = False,
    ) -> BlockRun:
        """From now to the end of the plan (start, end, every), recording; `run` and `bq.resume` end here.

        `plan["left"]` is the instant last landed on: a run that goes on from between two instants takes the same steps.
        """
        schedule = Schedule(plan["start"], plan["end"], plan["every"], self.forcing.instants(), callbacks)
        began = clock.perf_counter()
        with recorder, Progress(progress, self, plan["end"]) as bar, StopSignals(recorder.output is not None) as stop:
            for target, due, calls in schedule.after(self.time):
                steps = max(1, math.ceil((target - plan["left"]) / self.step - 1e-9))
                length = (target - plan["left"]) / steps
                for k in range(round((self.time - plan["left"]) / length), steps):
                    stepping.advance(self, length)
                    self._trap()
                    self._weigh()
                    bar.update()
                    if k < steps - 1:
                        self._checkpoint(recorder, plan, stop)
                self.time = plan["left"] = target
                if due:
                    self._record(recorder)
                schedule.call(calls, self)
                if calls:
                    self._trap()  # a callback may set velocities
                self._checkpoint(recorder, plan, stop)
        case["profile"] = {"wall": clock.perf_counter() - began}
        shapes = block_shapes(self.scene.blocks)
        if recorder.output is None:
            return BlockRun(join_pieces(recorder.pieces()), shapes, case)
        end_state = {"settings": settings_bytes(self), "state": snapshot(self, plan)}
        write_block_run(recorder.output, recorder.pieces(), shapes, case, end_state)
        recorder.remove_pieces()
        return BlockRun.open(recorder.output)

    def _trap(self) -> None:
        """Stop at a block that is no longer at a finite place, before that is recorded or goes into a checkpoint."""
        c = self.columns
        row = lost_row([c.centre, c.orientation, c.velocity])
        if row is not None:
            raise not_finite(self._who(row), self.time)

    def _who(self, row: int) -> str:
        """A block by its number, and its name if it has one."""
        name = self.scene.blocks[row].name
        return f"block {row} ({name})" if name else f"block {row}"

    def _checkpoint(self, recorder: Recorder, plan: dict[str, float], stop: StopSignals) -> None:
        """A piece and a checkpoint, when it is time or when asked to stop; then stop."""
        if save_due(recorder, stop):
            save_or_leave(recorder, stop, self.time, plan["end"], lambda: snapshot(self, plan))

    def _weigh(self) -> None:
        """Add the sizes of the contact impulses of the last step to those of the record interval."""
        touching = self.touching
        if touching is None or not len(touching.gap):
            return
        size = np.linalg.norm(touching.impulse, axis=1)
        for body in (touching.body_a, touching.body_b):
            self.pressed += np.bincount(body, size, len(self.columns))

    def checkpoint(self) -> dict[str, Any]:
        """All that the next step depends on, as arrays."""
        c = self.columns
        totals = np.array([self.ledger.start_energy, *self.ledger.totals.values()])
        return {
            "time": np.array(self.time), "fresh": np.array(self.fresh), "centre": c.centre.copy(),
            "orientation": c.orientation.copy(), "velocity": c.velocity.copy(), "totals": totals,
            "on_fixed": self.on_fixed, "pressed": self.pressed, "last_record": np.array(self._last_record),
            "events": self._joined_events(),
            **{f"memory_{key}": np.array(value) for key, value in self.memory.arrays().items()},
            **{f"bond_{key}": np.array(value) for key, value in self.bonds.arrays().items()},
        }  # fmt: skip

    def restore(self, stored: dict[str, Any] | str | Path) -> None:
        """Go on from a checkpoint, or from the end of a run file, of the same scene: bit for bit."""
        if not isinstance(stored, dict):
            restore(self, in_file(Path(stored))[1])
            return
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
        self.on_fixed, self.pressed = stored["on_fixed"].copy(), stored["pressed"].copy()
        self._last_record = float(stored["last_record"])
        self.events = [stored["events"]] if "events" in stored else []  # not in checkpoints of earlier versions

    def _joined_events(self) -> Floats:
        return np.concatenate([np.empty((0, len(EVENTS))), *self.events])

    def _record(self, recorder: Recorder) -> None:
        c = self.columns
        state = np.hstack([c.centre, c.orientation, c.velocity])
        window = self.time - self._last_record
        share = 1.0 / window if window > 0 else 0.0
        frame = np.vstack([state.T, share * self.pressed])
        recorder.add(
            self.time, frame, self.ledger.record(c.kinetic_energy()), share * self.on_fixed, [self._joined_events()]
        )
        self.events = []
        self.on_fixed, self.pressed = np.zeros_like(self.on_fixed), np.zeros_like(self.pressed)
        self._last_record = self.time

    @property
    def crowd(self) -> str:
        """How many there are."""
        return counted(len(self.columns), "block")

    @property
    def at_work(self) -> str:
        """Who is there and in contact, for the progress bar."""
        return f"{self.crowd}, {counted(int(self.ledger.window['contacts']), 'contact')}"

    def describe(self, until: float, every: float) -> dict[str, Any]:
        """What the run file says of this run: settings, versions, seed."""
        return {
            "kind": "blocks", "title": self.title, "start": self.start, "until": until, "every": every,
            "blocks": len(self.columns), "seed": self.seed, "step": self.step, "scheme": repr(self.scheme or self.method),
            "contact": repr(self.contact), "forcing": repr(self.forcing), "water_level": self.forcing.water_level,
            "versions": versions(), "written": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"Simulation {self.title!r} at {self.time:g} s\n├── {self.scene!r}\n├── {self.forcing!r}\n"
            f"├── {self.contact!r}\n└── {self.method!r}"
        )


def _sweeps(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 < value < 10**9:
        raise CaseError(f"simulation: sweeps is {in_short(value)}, expected a whole number above 0.")
    return int(value)


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
