"""Runs of the chain: chooses the kernel, feeds it the load in pieces, keeps decimated output and running maxima."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from banquise.errors import CaseError, in_short, known_keywords, nearest
from banquise.given import ask_numbers, counted, floats
from banquise.glacier import _kernels_friction, _kernels_hht, _kernels_schemes
from banquise.glacier._kernels_schemes import Record, State
from banquise.glacier.kinds import one_number
from banquise.glacier.loads import Load, NoLoad
from banquise.glacier.stored import ChainRun
from banquise.recording.progress import Progress
from banquise.settings import number
from banquise.units import duration

if TYPE_CHECKING:
    from banquise.glacier.chain import Glacier

Array = npt.NDArray[np.float64]
SCHEMES = ("imex", "verlet", "hht")
BEYOND = ("error", "warn")
_PIECE = 8192  # arrivals whose load is evaluated at once: memory does not grow with the number of steps
_WORK = 5_000_000  # nodes times arrivals at once, half a second or less: then progress is shown, and Ctrl-C heard
_MOST_STEPS = 1e12  # months of work for the shortest chain
_RECORDS = 500  # kept of a run unless `every` says otherwise, fewer for a very long chain:
_VALUES = 2_000_000  # node values a recorded field holds at most by default


@dataclass(repr=False)
class GlacierRun(ChainRun):
    """What a run of the glacier gave. Forces are per metre of width, displacements less the steady slide."""

    glacier: Glacier
    scheme: str
    step: float  # s, as used: the largest that divides `until` and is not above the one asked for
    steps: int
    peak_seismic_force: float  # N/m, largest |S| over every step, S = sum of w (tau + tau_d)
    peak_time: float  # s
    front_displacement: float  # m, largest over every step
    impulse_residual: float  # |impulse of S - of F_c - of the ends + change of momentum| over the impulse of |F_c|
    dataset: xr.Dataset
    iterations: float  # Newton iterations a step, mean
    warnings: list[str] = field(default_factory=list)
    iceberg: Any = None  # the coupled iceberg as it stands at the end

    def __repr__(self) -> str:
        notes = "".join(f"\n!   {w}" for w in self.warnings)
        return (
            f"GlacierRun  {self.scheme}, {self.steps} steps of {self.step:.4g} s, {self.glacier.nodes} nodes\n"
            f"├── peak seismic force   {self.peak_seismic_force / 1e6:.7g} MN/m at {self.peak_time:.4g} s\n"
            f"├── front displacement   {self.front_displacement:.6g} m at most\n"
            f"└── impulse residual     {self.impulse_residual:.2g}{notes}"
        )

    def summary(self) -> dict[str, Any]:
        """The numbers of the run, for `--json`."""
        names = ("scheme", "step", "steps", "peak_seismic_force", "peak_time", "front_displacement", "impulse_residual")
        return {name: getattr(self, name) for name in names} | {
            "iterations": self.iterations,
            "warnings": self.warnings,
        }

    def __post_init__(self) -> None:
        """The numbers go with the dataset, so that a file holds them too."""
        told = {name: value for name, value in self.summary().items() if name != "warnings"}
        self.dataset.attrs |= told | {"warnings": "\n".join(self.warnings)}

    def to_netcdf(self, path: str | Path) -> None:
        """Write the dataset, one file, whole or not at all; `banquise view` and `banquise report` show it."""
        from banquise.recording.write_run import written_whole

        written_whole(Path(path), lambda temporary: self.dataset.to_netcdf(temporary, engine="netcdf4"))


@known_keywords
def run(
    glacier: Glacier,
    load: Load | Any = None,
    until: float | str = 100.0,
    scheme: str = "imex",
    step: float | str | None = None,
    every: float | str | None = None,
    alpha: float = -0.1,
    tolerance: float = 1e-9,
    perturbation: float = 0.0,
    beyond_limit: str = "error",
    progress: bool = False,
) -> GlacierRun:
    """Shake `glacier` with `load` for `until` seconds.

    Parameters
    ----------
    load : a load of `banquise.glacier`, an Iceberg (coupled both ways), any function of time (s) giving N/m, or None
    scheme : "imex" (springs explicit, friction implicit), "verlet" (friction of the step before), "hht" (all implicit)
    step : s; default 0.8 of the elastic limit, of the Verlet limit for "verlet", 0.1 s for "hht"
    every : s between records; default a 500th of the run (less often beyond 4,000 nodes). Peaks are over every step
    alpha, tolerance : of "hht": numerical damping in [-1/3, 0]; relative speed and stress increments where Newton stops
    perturbation : change of the starting speed of the front node, as a fraction of the equilibrium speed
    beyond_limit : "error" or "warn", when the step is beyond the scheme's limit
    progress : show how far the run is, on stderr
    """
    tolerance = number(tolerance, "tolerance", above=0.0)
    perturbation = number(perturbation, "perturbation")
    made = plan(glacier, load, until, scheme, step, every, alpha, beyond_limit)
    stepper = _Stepper(glacier, scheme, made.step, made.steps, made.stride, alpha, tolerance, perturbation)
    with Progress(progress, stepper, made.step * made.steps) as bar:
        iceberg = _advance(stepper, made.force, bar)
    return _result(stepper, made.notes, iceberg)


@dataclass(frozen=True)
class Plan:
    """What a run will do, everything given to it checked."""

    force: Any
    step: float  # s
    steps: int
    stride: int  # steps from record to record
    notes: list[str]  # what to say about the step

    @property
    def records(self) -> int:
        """How many, the start included."""
        return self.steps // self.stride + 1


def plan(
    glacier: Glacier,
    load: Load | Any = None,
    until: float | str = 100.0,
    scheme: str = "imex",
    step: float | str | None = None,
    every: float | str | None = None,
    alpha: float = -0.1,
    beyond_limit: str = "error",
) -> Plan:
    """Check what `run` is given; `banquise check` ends here."""
    _known("scheme", scheme, SCHEMES)
    _known("beyond_limit", beyond_limit, BEYOND)
    if not -1 / 3 - 1e-12 <= one_number(alpha, "alpha") <= 0:
        raise CaseError(f"alpha is {alpha:g}, expected from -1/3 (most numerical damping) to 0 (none).")
    force = _as_load(load)
    total = duration(until, "until")
    if total == 0:
        raise CaseError("until is 0 s, expected more.")
    wanted, notes = _checked_step(glacier, scheme, step, beyond_limit)
    if not total / wanted < _MOST_STEPS:
        raise CaseError(
            f"until is {total:g} s: {total / wanted:.3g} steps of {wanted:g} s. Expected fewer than {_MOST_STEPS:g}."
        )
    steps = max(1, math.ceil(total / wanted * (1 - 1e-12)))
    dt = total / steps
    default = total / min(_RECORDS, max(20, _VALUES // glacier.nodes))
    stride = max(1, round(min(default if every is None else duration(every, "every"), total) / dt))
    return Plan(force, dt, steps, stride, notes)


class _Stepper:
    """State, output and tallies of one run, moved on by pieces."""

    def __init__(
        self,
        glacier: Glacier,
        scheme: str,
        dt: float,
        steps: int,
        stride: int,
        alpha: float,
        tolerance: float,
        nudge: float,
    ) -> None:
        n, records = glacier.nodes, steps // stride + 1
        self.glacier, self.scheme, self.dt, self.steps, self.stride = glacier, scheme, dt, steps, stride
        self.time = 0.0  # s, reached
        self.chain = glacier.system()
        v = np.full(n, glacier.equilibrium_speed)
        v[0] *= 1.0 + nudge
        # The fastest kernel serves the commonest law: a cube root everywhere.
        self.cubic = (
            scheme == "imex" and self.chain.code == _kernels_friction.POWER and bool((self.chain.rows[:, 0] == 3).all())
        )
        theta = glacier.friction.start_state(v)
        z = np.array(
            [_kernels_friction.parameter(self.chain.code, r, t, s) for r, t, s in zip(self.chain.rows, theta, v)]
        )
        self.state = State(np.zeros(n), v, z, theta, np.zeros(n), np.zeros(n), np.zeros((_kernels_hht.SCRATCH, n)))
        self.start = v.copy()
        u, v_kept, stress = np.zeros((3, records, n))
        seismic, contact = np.zeros((2, records))
        self.record = Record(u, v_kept, stress, seismic, contact, np.zeros(n), np.zeros(n), np.full(n, np.inf), stride)
        self.tally = np.zeros(_kernels_schemes.TALLY)
        self.extra: tuple[float, ...] = (alpha, tolerance) if scheme == "hht" else ()
        kernels: dict[str, Any] = {
            "imex": _kernels_schemes.imex,
            "verlet": _kernels_schemes.verlet,
            "hht": _kernels_hht.hht,
        }
        self.kernel = _kernels_schemes.imex_cubic if self.cubic else kernels[scheme]

    def arrive(self, loads: Array, first: int) -> None:
        """Take the arrivals first .. first + len(loads) - 1."""
        last = first + loads.size
        self.kernel(
            self.chain, self.state, self.record, self.tally, loads, first, last, self.steps, self.dt, *self.extra
        )
        self.time = min(last, self.steps) * self.dt

    @property
    def at_work(self) -> str:
        """For the progress bar."""
        return counted(self.glacier.nodes, "node")


def load_at(force: Any, times: npt.NDArray[Any]) -> Array:
    """The load (N/m) at all times; a function written for one time at a time is asked for each."""
    gives = "a finite number of N/m for a time in s, or an array for an array"
    try:
        loads = np.broadcast_to(floats(force(times)), times.shape)
    except Exception:  # of whatever kind: what one time gives, or raises, is what is said
        loads = np.array([
            float(ask_numbers(force, time, what=f"load at {time:g} s", gives=gives, shape=())) for time in times.tolist()
        ])  # fmt: skip
    if not np.isfinite(loads).all():
        bad = times[~np.isfinite(loads)][0]
        raise CaseError(f"load: the force at {bad:g} s is not a finite number. Expected {gives}.")
    return np.array(loads)


def _advance(stepper: _Stepper, force: Any, bar: Progress) -> Any:
    """All arrivals of the run; returns the iceberg, if there is one."""
    if hasattr(force, "afloat"):
        return _advance_with_iceberg(stepper, force, bar)
    piece = max(1, min(_PIECE, _WORK // stepper.glacier.nodes))
    for first in range(0, stepper.steps + 1, piece):
        times = np.arange(first, min(first + piece, stepper.steps + 1)) * stepper.dt
        loads = load_at(force, times)
        stepper.arrive(loads, first)
        bar.update(min(first + loads.size, stepper.steps) - first)
        if not np.isfinite(stepper.state.u).all():
            raise CaseError(
                f"the run blew up before {times[-1]:g} s with {stepper.scheme} at a step of {stepper.dt:g} s. "
                "Take a smaller step."
            )
    return None


def _advance_with_iceberg(stepper: _Stepper, iceberg: Any, bar: Progress) -> Any:
    """Two-way: the force at each arrival comes of the iceberg against the front as it then stands."""
    body = iceberg.afloat(stepper.dt)
    one = np.zeros(1)
    for n in range(stepper.steps + 1):
        u, v = stepper.state.u[0], stepper.state.v[0] - stepper.glacier.equilibrium_speed
        if stepper.scheme == "hht" and n:  # its arrival solves for the new position: guess it from the old
            u += stepper.dt * v
        one[0] = body.force(u, v)
        stepper.arrive(one, n)
        if n % stepper.stride == 0:
            body.record(n * stepper.dt)
        if n < stepper.steps:
            body.advance(u, v)
            bar.update()
    if not np.isfinite(stepper.state.u).all():
        raise CaseError(f"the coupled run blew up at a step of {stepper.dt:g} s. Take a smaller step.")
    return body


def _result(stepper: _Stepper, notes: list[str], iceberg: Any) -> GlacierRun:
    glacier, record, tally = stepper.glacier, stepper.record, stepper.tally
    k = _kernels_schemes
    gained = float(np.sum(glacier.mass * (stepper.state.v - stepper.start) * (stepper.chain.inverse_mass > 0)))
    total = stepper.steps * stepper.dt
    scale = tally[k.SIZE] or float(glacier.weight @ np.abs(stepper.chain.steady_stress)) * total or 1.0
    residual = abs(tally[k.SEISMIC] - tally[k.APPLIED] - tally[k.ENDS] + gained) / scale
    if stepper.cubic:  # that kernel follows cube roots
        record.most_v[:] **= 3
        record.least_v[:] **= 3
    if stepper.scheme == "verlet":
        slow, least = glacier.stability().stable_speed(stepper.dt), float(record.least_v.min())
        if least < slow:
            node = int(np.argmin(record.least_v))
            notes.append(
                f"the speed of node {node} fell to {least:.3g} m/s, and verlet at {stepper.dt:.3g} s is stable above "
                f"{slow:.3g} m/s only: peaks are spurious. Use scheme='imex', a Smooth law or a smaller step."
            )
    if tally[k.UNCONVERGED]:
        notes.append(f"Newton did not converge in {int(tally[k.UNCONVERGED])} of {stepper.steps} steps.")
    if glacier.friction.code == _kernels_friction.PEAKED and stepper.scheme != "verlet":
        notes.extend(_weakening_notes(stepper))
    return GlacierRun(
        glacier, stepper.scheme, stepper.dt, stepper.steps, abs(float(tally[k.PEAK])), float(tally[k.PEAK_TIME]),
        float(record.most_u[0]), float(residual), _dataset(stepper, iceberg),
        float(tally[k.ITERATIONS]) / stepper.steps, notes, iceberg,
    )  # fmt: skip


def _weakening_notes(stepper: _Stepper) -> list[str]:
    """The implicit solve has one answer only while dt/(rho H) |d tau/dv| < 1 on the falling side of a law."""
    law, chain = stepper.glacier.friction, stepper.chain
    gain = stepper.dt * float(np.max(chain.inverse_mass * chain.weight))
    steepest = min(float(law.slope(np.full(chain.weight.size, s)).min()) for s in np.logspace(-12, 2, 200))
    if gain * -steepest <= 1.0:
        return []
    single = stepper.dt / (gain * -steepest)
    return [
        f"the law weakens so fast that a step of {stepper.dt:.3g} s has several answers; under {single:.3g} s, one."
    ]


def _dataset(stepper: _Stepper, iceberg: Any) -> xr.Dataset:
    glacier, record = stepper.glacier, stepper.record
    time = np.arange(record.seismic.size) * stepper.stride * stepper.dt
    both, one, node = ("time", "node"), ("time",), ("node",)

    def of(dims: tuple[str, ...], values: Array, units: str, long_name: str) -> tuple[Any, ...]:
        return dims, values, {"units": units, "long_name": long_name}

    bed = glacier.weight * (record.stress - stepper.chain.steady_stress)
    data = xr.Dataset(
        {
            "displacement": of(both, record.u, "m", "displacement up-glacier, less the steady slide"),
            "velocity": of(both, record.v, "m s-1", "velocity up-glacier"),
            "bed_stress": of(both, record.stress, "Pa", "friction stress of the bed, with the sign of the velocity"),
            "bed_force": of(both, bed, "N m-1", "force of the block on the bed, per metre of width, less the steady"),
            "seismic_force": of(one, record.seismic, "N m-1", "sum of bed_force over the blocks"),
            "contact_force": of(one, record.contact, "N m-1", "force of the iceberg on the front, per metre of width"),
            "max_displacement": of(node, record.most_u, "m", "largest displacement over every step"),
            "max_speed": of(node, record.most_v, "m s-1", "largest speed over every step"),
            "min_speed": of(node, record.least_v, "m s-1", "least speed over every step"),
            "thickness": of(node, glacier.thickness, "m", "ice thickness"),
            "slope": of(node, glacier.slope, "degree", "slope of the bed"),
            "weight": of(node, glacier.weight, "m", "length of bed of the node"),
        },
        {
            "time": of(one, time, "s", "time from the start of the run"),
            "node": ("node", np.arange(glacier.nodes), {"long_name": "node of the chain, front first"}),
            "x": of(node, glacier.x, "m", "distance up-glacier from the front"),
        },
        {
            "title": "Glacier, a chain of sliding blocks", "source": "banquise glacier", "scheme": stepper.scheme,
            "step": stepper.dt, "equilibrium_speed": glacier.equilibrium_speed,
            "friction": type(glacier.friction).__name__, "front_density": float(glacier.density[0]),
        },
    )  # fmt: skip
    if iceberg is None:
        return data
    body = iceberg.dataset().reindex(time=time, method="nearest")
    return data.merge(body).assign_attrs(body.attrs)


def _checked_step(glacier: Glacier, scheme: str, step: float | str | None, beyond: str) -> tuple[float, list[str]]:
    """The step to use, and what to say about it."""
    name = {"imex": "elastic_limit", "verlet": "verlet_limit"}.get(scheme)
    limit = getattr(glacier.stability(), name) if name else math.inf
    if step is None:
        if limit == 0.0:
            raise CaseError(
                "verlet has no stable step at rest on this friction law. Use scheme='imex', or give a step "
                "and beyond_limit='warn'."
            )
        return (0.8 * limit if math.isfinite(limit) else 0.1), []
    wanted = duration(step, "step")
    if wanted == 0:
        raise CaseError("step is 0 s, expected more.")
    if wanted < limit * (1 + 1e-9):
        return wanted, []
    what = (
        "the elastic limit 2/omega_max"
        if scheme == "imex"
        else "the limit of springs and lagged friction, a + b/2 = 1,"
    )
    sentence = f"step {wanted:.6g} s is beyond {what} of {limit:.6g} s for {scheme}"
    if beyond == "error":
        other = "'hht'" if scheme == "imex" else "'imex' or 'hht'"
        raise CaseError(f"{sentence}. Take a smaller step, scheme={other}, or beyond_limit='warn' to see it fail.")
    return wanted, [f"{sentence}: the result is not to be trusted."]


def _as_load(load: Any) -> Any:
    if load is None:
        return NoLoad()
    if callable(load) or hasattr(load, "afloat"):
        return load
    raise CaseError(
        f"load is {in_short(load)}, expected a load such as HalfSine(33e6, 100.0), an Iceberg or a function of time."
    )


def _known(name: str, value: str, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        raise CaseError(f"{name}: no {in_short(value)}. {nearest(str(value)[:80], known)}")
