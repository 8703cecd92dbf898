"""A simulation owns the parts and runs them."""

from __future__ import annotations

import datetime
import math
import platform
import time as clock
import uuid
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from banquise import __version__, placing
from banquise.compiling import say_when_compiling
from banquise.contact.laws import Laws
from banquise.contact.materials import pair_table
from banquise.detection.planar import Detector
from banquise.detection.walls import box_walls
from banquise.errors import CaseError, ForcingError, in_short, known_keywords
from banquise.forcing.flows import how_recorded, recorded
from banquise.forcing.forcing import Forcing
from banquise.forcing.loads import State
from banquise.forcing.slab_ocean import SlabOcean
from banquise.given import counted, seed_of
from banquise.motion.free_velocity import euler_bound
from banquise.projection import Projection
from banquise.recording.checkpoint import settings_bytes, snapshot
from banquise.recording.ledger import Ledger
from banquise.recording.progress import Progress
from banquise.recording.recorder import Recorder, frame_of, join_pieces, obstacles_after, stress_of
from banquise.recording.run_file import Run, open_run, shapes_dataset, write_run
from banquise.recording.schedule import Schedule, begun, planned, save_due, save_or_leave
from banquise.recording.stages import STAGES, profile, timed
from banquise.scene.bodies import Bodies
from banquise.scene.domain import Box
from banquise.scene.scene import Scene, area_of
from banquise.schemes._kernels import ZONE
from banquise.schemes.event_driven import EventDriven
from banquise.settings import Contact, one_of
from banquise.solvers.frictional import SolverMemory
from banquise.stopping import StopSignals
from banquise.trap import lost_row, not_finite
from banquise.units import date
from banquise.update.impulses import ImpulseRecord
from banquise.update.positions import ObstacleMotion

INTEGRATORS = ("fitted", "euler")


def checked_parts(scene: Any, forcing: Any, contact: Any) -> tuple[Forcing, Contact]:
    """Forcing and contact of a simulation of floes or blocks, the default where None was given, each of its kind."""
    for value, kind, what in ((scene, Scene, "scene"), (forcing, Forcing, "forcing"), (contact, Contact, "contact")):
        if not (isinstance(value, kind) or (value is None and kind is not Scene)):
            raise CaseError(f"simulation: {what} is {type(value).__name__}, expected bq.{kind.__name__}.")
    return Forcing() if forcing is None else forcing, Contact() if contact is None else contact


@known_keywords
class Simulation:
    """A scene, what pushes it, how its contacts behave and how time goes.

    Parameters
    ----------
    scene : `bq.Scene`
    forcing : `bq.Forcing`; none by default
    contact : `bq.Contact`
    scheme : `bq.EventDriven`, ...
    fracture : None, or a fracture law
    integrator : "fitted" (stable at any step, second order) or "euler" (the papers', its step bounded)
    seed : of every random choice
    title : for the run file
    start : date at time 0, such as "2024-03-01T00:00:00" (UTC); 2000-01-01 in the run file when not given
    crs : map that x and y are on ("EPSG:3413", ...); none by default
    """

    def __new__(cls, scene: Scene, *args: Any, **keywords: Any) -> Any:
        """Scenes of blocks have a simulation of their own, with the same face."""
        if getattr(scene, "blocks", ()):
            return import_module("banquise.blocks.simulation").BlockSimulation(scene, *args, **keywords)
        return super().__new__(cls)

    def __init__(
        self,
        scene: Scene,
        forcing: Forcing | None = None,
        contact: Contact | None = None,
        scheme: Any = None,
        fracture: Any = None,
        seed: int = 0,
        integrator: str = "fitted",
        title: str = "Banquise run",
        start: str | None = None,
        crs: Any = None,
    ):
        self.scene = scene
        self.forcing, self.contact = checked_parts(scene, forcing, contact)
        if self.forcing.water_level is not None:
            raise ForcingError(
                "forcing: water_level is for blocks, which float in it; the water under floes is `current`."
            )
        self.scheme = scheme if scheme is not None else EventDriven()
        if not hasattr(self.scheme, "advance") or isinstance(self.scheme, type):
            raise CaseError(
                f"simulation: scheme is {in_short(self.scheme)}, expected bq.EventDriven(...) or another scheme."
            )
        if fracture is not None and (not hasattr(fracture, "breaker") or isinstance(fracture, type)):
            raise CaseError(
                f"simulation: fracture is {in_short(fracture)}, expected bq.Griffith(...), bq.MeanStress(...) or None."
            )
        self.fracture = fracture
        self.seed = seed_of(seed, "simulation: seed")
        self.integrator = one_of(integrator, INTEGRATORS, "integrator")
        self.title = str(title)
        self.start = date(start, "start")
        self.time = 0.0
        # the walls of a box are obstacles behind the scene's own: numbered, loaded and recorded like them
        walls = box_walls(scene.domain) if isinstance(scene.domain, Box) else []
        self.obstacles = (*scene.obstacles, *walls)
        self.bodies = Bodies.of(scene.floes, self.obstacles)
        self.projection = None if crs is None else Projection(crs)
        self.crs = None if self.projection is None else self.projection.given
        self.forcing = self.forcing.on_map(self.projection, self.start, area_of(scene, self.bodies))
        self.ocean = self.forcing.current if isinstance(self.forcing.current, SlabOcean) else None
        self.obstacle_motion = ObstacleMotion(self.obstacles)
        self.obstacle_motion.place(self.bodies, 0.0)
        self.ledger = Ledger(self.bodies.kinetic_energy())
        self.size = self.bodies.size
        self.zone = ZONE * self.size
        self.laws = self._laws()
        self.largest_restitution = float(np.nanmax(self.laws.restitution, initial=0.0))
        self.breaking: Any = None if fracture is None else fracture.breaker(self.bodies)  # numbers the obstacles
        self.detector = Detector(self.bodies, scene.domain)
        self.overlapping: list[
            tuple[int, int, float]
        ] = []  # pairs beyond the tolerance, and how deep (of the smaller size)
        self.step_cap = np.full(self.bodies.n_free, np.inf)
        self.held_key, self.held_rate = np.empty(0, np.int64), np.empty((0, 2))  # contacts that held at the last step
        self.engine: Any = None  # work space of the scheme
        self.pace = math.inf  # longest step that has gone well of late (s)
        self.short_steps = 0  # that the event-driven scheme has taken
        self.impulses = ImpulseRecord(self.bodies)
        self.n_ids = len(scene.floes)
        self._said_bound = False
        self._last_record = 0.0
        self.stages = dict.fromkeys(STAGES, 0.0)  # seconds of wall time in each, since the run began or went on

    def _laws(self) -> Laws:
        free = {floe.material for floe in self.scene.floes}
        self.contact = self.contact.tabulated(self.bodies.materials, free)  # a run file keeps what was used
        return Laws(
            self.contact,
            self.bodies.material,
            pair_table(self.contact.friction, self.bodies.materials, "friction", free),
            pair_table(self.contact.restitution, self.bodies.materials, "restitution", free),
            self.bodies.inverse_mass,
            self.bodies.inverse_inertia,
            np.full(len(self.bodies), -1),
            SolverMemory(),
        )

    def take_bodies(self, bodies: Bodies, before: np.ndarray[Any, Any], n_ids: int) -> None:
        """Go on with other bodies: floe row k is what row before[k] was, -1 for a piece of a floe that broke."""
        now = np.full(self.bodies.n_free, -1)
        now[before[before >= 0]] = np.flatnonzero(before >= 0)
        shift = bodies.n_free - self.bodies.n_free
        pairs = [(now[i], now[j] if j < len(now) else j + shift, deep) for i, j, deep in self.overlapping]
        self.overlapping = [(int(i), int(j), deep) for i, j, deep in pairs if i >= 0 and j >= 0]
        self.step_cap = np.where(before >= 0, self.step_cap[before], np.inf)
        self.impulses.resize(before)
        self.n_ids = n_ids
        still = np.arange(len(now), len(self.bodies))  # obstacles
        self.fit_bodies(bodies, np.concatenate([before, still]))

    def fit_bodies(self, bodies: Bodies, before: np.ndarray[Any, Any] | None = None) -> None:
        """Take these bodies and make what goes with them: sizes, laws, detector; `before` as in `Detector.reset`."""
        self.bodies = bodies
        self.size = bodies.size
        self.zone = ZONE * self.size
        if before is None:
            self.laws = self._laws()
        else:  # pieces are of the materials that were there
            self.laws = replace(
                self.laws,
                material=bodies.material,
                inverse_mass=bodies.inverse_mass,
                inverse_inertia=bodies.inverse_inertia,
                slot=np.full(len(bodies), -1),
            )
        self.detector.reset(bodies, before)
        if before is None:
            self.engine = None  # else the next one takes its room over

    @property
    def crowd(self) -> str:
        """How many there are."""
        return counted(self.bodies.n_free, "floe")

    @property
    def at_work(self) -> str:
        """Who is there and in contact, for the progress bar."""
        return f"{self.crowd}, {counted(int(self.ledger.window['contacts']), 'contact')}"

    @property
    def euler(self) -> bool:
        return self.integrator == "euler"

    @property
    def state(self) -> State:
        """The floes now, by id."""
        return State(self.bodies, self.time)

    def even_step(self, target: float, largest: float) -> float:
        """Step length that divides the way to `target` evenly, at most `largest` (and Euler's own bound).

        Nor more than a radian of the inertial turn: the turn itself is exact, but a force held over a whole turn of the
        velocity averages out, and drag would no longer slow a floe down.
        """
        if self.forcing.coriolis:
            largest = min(largest, 1.0 / abs(self.forcing.coriolis))
        if self.euler:
            bound = euler_bound(self.bodies, self.forcing, self.time)
            if bound < largest:
                if not self._said_bound:
                    warnings.warn(
                        f"explicit Euler: step cut from {largest:g} to {bound:.4g} s to stay stable.", stacklevel=2
                    )
                    self._said_bound = True
                largest = bound
        left = target - self.time
        return left / max(1, math.ceil(left / largest - 1e-9))

    @known_keywords
    def run(
        self,
        until: Any,
        every: Any = None,
        output: str | Path | None = None,
        callbacks: Sequence[Any] = (),
        progress: bool = False,
        contacts: bool = False,
    ) -> Run:
        """Run to `until`, recording every `every` (s, or text with units; 100 records by default).

        Steps land exactly on record times, callback times and on the start and end of loads. `output` names the run
        file (NetCDF); None keeps the run in memory. A callback is a function of the simulation (called at every
        record) or `bq.Every(interval, function)`. `contacts` keeps the impulse of every pair between two
        records: `run.contacts`.
        """
        say_when_compiling(always=False)
        end, interval = planned(self.time, until, every)
        self.forcing.check(len(self.scene.floes), end)
        placing.check_closing(self.scene, end, self.fracture is not None)
        if self.time == 0.0:
            placing.warn_of_start(self)
        case = self.describe(end, interval) | {"run_id": uuid.uuid4().hex, "bodies": self.n_ids, "began": self.time}
        self.impulses.contacts = [] if contacts else None
        plan = {"start": self.time, "end": end, "every": interval}
        settings, state = partial(settings_bytes, self), partial(snapshot, self, plan)
        recorder = begun(output, case, self._shapes, settings, self._record, state)
        return self.go_on(recorder, case, plan, callbacks, progress)

    def go_on(
        self,
        recorder: Recorder,
        case: dict[str, Any],
        plan: dict[str, float],
        callbacks: Sequence[Any] = (),
        progress: bool = False,
    ) -> Run:
        """From now to the end of the plan (start, end, every), recording; `run` and `bq.resume` end here."""
        self.forcing.check(len(self.scene.floes), plan["end"])
        schedule = Schedule(plan["start"], plan["end"], plan["every"], self.forcing.instants(), callbacks)
        began = clock.perf_counter()
        self.stages = dict.fromkeys(STAGES, 0.0)
        recorder.before_end = lambda: self._note_bodies(recorder, case)
        with (
            recorder,
            Progress(progress, self, plan["end"]) as bar,
            StopSignals(recorder.output is not None) as stop,
        ):
            for target, records, calls in schedule.after(self.time):
                while self.time < target:
                    self.scheme.advance(self, target)
                    self._trap()
                    if target - self.time < 1e-12 * max(1.0, target):
                        self.time = target  # land on the instant itself, not a rounding away from it
                    if self.breaking is not None:
                        self.breaking.after_step(self)
                    bar.update()
                    if self.time < target:
                        self._checkpoint(recorder, case, plan, stop)
                if records:
                    self._record(recorder)
                schedule.call(calls, self)
                if calls:
                    self._trap()  # a callback may set velocities
                self._checkpoint(recorder, case, plan, stop)
        case["profile"] = profile(self.stages, clock.perf_counter() - began)
        if recorder.output is None:
            records = join_pieces(recorder.pieces())
            records |= obstacles_after(records, self.n_ids)
            return Run(records, self._shapes(), case)
        end_state = {"settings": settings_bytes(self), "state": snapshot(self, plan)}
        write_run(recorder.output, recorder.pieces(), self._shapes(), case, end_state)
        recorder.remove_pieces()
        return open_run(recorder.output, check=False)

    @timed("recording")
    def _checkpoint(self, recorder: Recorder, case: dict[str, Any], plan: dict[str, float], stop: StopSignals) -> None:
        """A piece and a checkpoint, when it is time or when asked to stop; then stop."""
        if save_due(recorder, stop):
            self._note_bodies(recorder, case)
            save_or_leave(recorder, stop, self.time, plan["end"], lambda: snapshot(self, plan))

    def _trap(self) -> None:
        """Stop at a floe that is no longer at a finite place, before that is recorded or goes into a checkpoint."""
        b, n = self.bodies, self.bodies.n_free
        row = lost_row([column[:n] for column in (b.x, b.y, b.angle, b.u, b.v, b.spin)])
        if row is not None:
            lost = int(b.ids[row])
            name = self.scene.floes[lost].name if lost < len(self.scene.floes) else None
            raise not_finite(f"floe {lost}{f' ({name})' if name else ''}", self.time)

    def _note_bodies(self, recorder: Recorder, case: dict[str, Any]) -> None:
        if self.n_ids != case["bodies"]:
            case["bodies"] = self.n_ids
            recorder.note_shapes(self._shapes(), case)

    @timed("recording")
    def _record(self, recorder: Recorder) -> None:
        b = self.bodies
        window = self.time - self._last_record
        loads = self.impulses.on_obstacles / window if window > 0 else np.zeros_like(self.impulses.on_obstacles)
        self._last_record = self.time
        row = self.ledger.record(b.kinetic_energy())
        extras = self._extras(window)
        recorder.add(self.time, frame_of(b, self.n_ids), row, loads, self.impulses.take_events(), extras)
        self.impulses.reset(b)
        if self.breaking is not None:
            self.breaking.new_window()

    def _extras(self, window: float) -> dict[str, Any]:
        """Stress of the floes, poses of obstacles that move, contacts where wanted, wind and current."""
        b, n = self.bodies, self.bodies.n_free
        found: dict[str, Any] = {"stress": stress_of(b, self.impulses.stress, window, self.n_ids)}
        if not self.obstacle_motion.still:
            found["obstacle_pose"] = np.column_stack([b.x[n:], b.y[n:], b.angle[n:]])
        if self.impulses.contacts is not None:
            found["contacts"] = self.impulses.take_contacts(self.time)
        flows = {name: recorded(getattr(self.forcing, name), b, self.time) for name in ("wind", "current")}
        return found | {name: flow for name, flow in flows.items() if flow is not None}

    def _shapes(self) -> Any:
        if self.breaking is not None:
            family = self.breaking.family
            floes = family.all_floes(self.scene.floes)
            return shapes_dataset(floes, list(self.obstacles), family.lives(self.scene.floes))
        n = self.n_ids
        lives = {"birth": np.zeros(n), "end": np.full(n, np.inf), "parent": np.full(n, -1)}
        return shapes_dataset(list(self.scene.floes), list(self.obstacles), lives)

    def describe(self, until: float, every: float) -> dict[str, Any]:
        """What the run file says of this run: settings, versions, seed."""
        domain = self.scene.domain
        return {
            "title": self.title,
            "start": self.start,
            "until": until,
            "every": every,
            "floes": len(self.scene.floes),
            "seed": self.seed,
            "integrator": self.integrator,
            "scheme": repr(self.scheme),
            "contact": repr(self.contact),
            "forcing": repr(self.forcing),
            "flow": {name: how_recorded(getattr(self.forcing, name)) for name in ("wind", "current")},
            "fracture": None if self.fracture is None else repr(self.fracture),
            "crs": None if self.projection is None else self.projection.text,
            "forcing_files": self.forcing.fingerprints(),
            "walls": len(self.obstacles) - len(self.scene.obstacles),
            "domain": None if domain is None else {"kind": type(domain).__name__.lower(), **domain.__dict__},
            "versions": versions(),
            "written": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def _repr_html_(self) -> str:
        return import_module("banquise.view.reprs").simulation_html(self)

    def __repr__(self) -> str:
        return "\n".join(
            [
                f"Simulation {self.title!r} at {self.time:g} s",
                f"├── {self.scene!r}",
                f"├── {self.forcing!r}",
                f"├── {self.contact!r}",
                f"└── {self.scheme!r}, integrator {self.integrator}",
            ]
        )


def versions() -> dict[str, str]:
    """Of what a run is made with, for its file."""
    import numba

    return {
        "banquise": __version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
    }
