"""From the force on the bed to what a seismometer sees: histories, magnitudes, far-field waves, files.

The source of a glacial earthquake is a single force: F(t) = S(t) times the width of the front. Its twice-integrated
history is what catalogues call the CSF moment (kg m), the first integral its rate.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.integrate import cumulative_trapezoid
from scipy.signal import butter, fftconvolve, sosfiltfilt

from banquise.errors import CaseError, in_short, known_keywords, need
from banquise.settings import number
from banquise.units import duration, quantity

if TYPE_CHECKING:
    from banquise.glacier.schemes import GlacierRun

Array = npt.NDArray[np.float64]


@known_keywords
@dataclass(frozen=True)
class Source:
    """A force history F (N) on an even time axis (s), acting horizontally along `azimuth` (degrees from north)."""

    time: Array
    force: Array
    azimuth: float = 0.0

    def __post_init__(self) -> None:
        for name in ("time", "force"):
            try:
                object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
            except (TypeError, ValueError, OverflowError):
                raise CaseError(
                    f"Source: {name} is {in_short(getattr(self, name))}, expected a row of numbers."
                ) from None
        number(self.azimuth, "Source: azimuth")
        if self.time.ndim != 1 or self.time.shape != self.force.shape or self.time.size < 2:
            raise CaseError(
                f"Source: {self.time.shape} times and {self.force.shape} forces, expected two rows of one length."
            )
        if not (np.isfinite(self.time).all() and np.isfinite(self.force).all()):
            raise CaseError("Source: times or forces hold NaN or infinity, expected finite numbers. Fill or drop them.")
        gaps = np.diff(self.time)
        if gaps.min() <= 0 or np.ptp(gaps) > 1e-6 * gaps.mean():
            raise CaseError("Source: times are not evenly spaced. Use Source.resampled.")

    @classmethod
    def of_run(cls, run: GlacierRun, width: float = 3000.0, azimuth: float = 0.0) -> Source:
        """Force on the bed of a run, over a front `width` (m) wide; `azimuth` is that of the up-glacier direction."""
        width = number(quantity(width, "length", "width"), "width", above=0.0)
        return cls(run.dataset.time.values.copy(), run.dataset.seismic_force.values * width, azimuth)

    @classmethod
    def resampled(cls, time: npt.ArrayLike, force: npt.ArrayLike, interval: float, azimuth: float = 0.0) -> Source:
        """From uneven samples, straight between them, every `interval` s."""
        interval = number(duration(interval, "interval"), "interval", above=0.0)
        old = np.asarray(time, dtype=float)
        if old.ndim != 1 or old.size < 2 or not (np.diff(old) > 0).all():
            raise CaseError("Source.resampled: times do not ascend, expected two or more, sorted.")
        new = np.arange(old[0], old[-1] + 0.5 * interval, interval)
        return cls(new, np.interp(new, old, np.asarray(force, dtype=float)), azimuth)

    @property
    def interval(self) -> float:
        """Sampling interval, s."""
        return float((self.time[-1] - self.time[0]) / (self.time.size - 1))

    @property
    def moment_rate(self) -> Array:
        """First integral of the force, kg m/s: momentum given to the Earth, rate of the CSF moment."""
        return cumulative_trapezoid(self.force, dx=self.interval, initial=0.0)

    @property
    def moment(self) -> Array:
        """Second integral of the force, kg m."""
        return cumulative_trapezoid(self.moment_rate, dx=self.interval, initial=0.0)

    @property
    def magnitude(self) -> float:
        """Twice-integrated magnitude max|double integral of F|, kg m. After F has ended it still grows with the
        momentum left over, so it belongs to the window of the record."""
        return float(np.abs(self.moment).max())

    def band(self, low: float = 0.01, high: float = 0.1, order: int = 4) -> Source:
        """Band-passed without shift of phase, corners in Hz."""
        nyquist = 0.5 / self.interval
        if not 0 < low < high < nyquist:
            raise CaseError(
                f"band {low:g} to {high:g} Hz, expected 0 < low < high < {nyquist:g} Hz (half the sampling rate)."
            )
        sections = butter(order, [low, high], "bandpass", fs=1.0 / self.interval, output="sos")
        return Source(self.time, sosfiltfilt(sections, self.force), self.azimuth)

    def far_field(
        self,
        receiver: npt.ArrayLike,
        p_speed: float = 6000.0,
        s_speed: float = 3464.0,
        rock_density: float = 2700.0,
    ) -> Seismogram:
        """Displacement (m) at `receiver` (east, north, up from the source, m) in a uniform full space.

        u_P = g (g.F)(t - r/vp) / (4 pi rho vp^2 r),  u_S = (F - g (g.F))(t - r/vs) / (4 pi rho vs^2 r), g the unit ray.
        """
        to = np.asarray(receiver, dtype=float)
        distance = float(np.linalg.norm(to))
        if to.shape != (3,) or not distance > 0:
            raise CaseError(f"receiver is {receiver!r}, expected (east, north, up) in m, away from the source.")
        p_speed, s_speed = number(p_speed, "p_speed", above=0.0), number(s_speed, "s_speed", above=0.0)
        ray = to / distance
        turn = np.radians(self.azimuth)
        towards = np.array([np.sin(turn), np.cos(turn), 0.0])
        along = ray * (ray @ towards)
        start = distance / max(p_speed, s_speed)
        end = self.time[-1] - self.time[0] + distance / min(p_speed, s_speed)
        time = self.time[0] + start + np.arange(round((end - start) / self.interval) + 1) * self.interval
        motion = np.zeros((3, time.size))
        for speed, direction in ((p_speed, along), (s_speed, towards - along)):
            pulse = np.interp(time - distance / speed, self.time, self.force, left=0.0, right=0.0)
            motion += direction[:, None] * pulse / (4 * np.pi * rock_density * speed**2 * distance)
        return Seismogram(time, motion)

    def convolved(self, green: npt.ArrayLike) -> Seismogram:
        """Displacement from Green's functions (3, n), m for an impulse of 1 N s, sampled at this source's interval."""
        functions = np.atleast_2d(np.asarray(green, dtype=float))
        if functions.shape[0] != 3:
            raise CaseError(f"Green's functions have {functions.shape[0]} rows, expected 3: east, north, up.")
        motion = self.interval * fftconvolve(self.force[None, :], functions, axes=1)
        return Seismogram(self.time[0] + np.arange(motion.shape[1]) * self.interval, motion)

    def save(self, path: str | Path) -> None:
        """Write time, force, moment rate and moment, as .npz or .csv."""
        columns = {"time": self.time, "force": self.force, "moment_rate": self.moment_rate, "moment": self.moment}
        path = Path(path)
        if path.suffix == ".npz":
            np.savez(path, **columns)  # type: ignore[arg-type]
        elif path.suffix == ".csv":
            header = "time_s,force_N,moment_rate_kg_m_s-1,moment_kg_m"
            np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=header, comments="")
        else:
            raise CaseError(f"{path}: expected a name ending in .npz or .csv.")


@known_keywords
@dataclass(frozen=True)
class Seismogram:
    """Displacement (3, n) in m, east, north, up, on an even time axis."""

    time: Array
    motion: Array

    @property
    def interval(self) -> float:
        """Sampling interval, s."""
        return float((self.time[-1] - self.time[0]) / (self.time.size - 1))

    def write_sac(self, stem: str | Path, station: str = "BANQ") -> list[Path]:
        """Write one SAC file a component, STEM.E.sac, STEM.N.sac, STEM.Z.sac."""
        out = []
        for row, (name, azimuth, incidence) in zip(self.motion, (("E", 90.0, 90.0), ("N", 0.0, 90.0), ("Z", 0.0, 0.0))):
            path = Path(f"{stem}.{name}.sac")
            path.write_bytes(_sac(row, self.interval, float(self.time[0]), station, f"BX{name}", azimuth, incidence))
            out.append(path)
        return out

    def write_mseed(self, path: str | Path, station: str = "BANQ") -> None:
        """Write all three components in one MiniSEED file; needs ObsPy."""
        self.stream(station).write(str(path), format="MSEED", encoding="FLOAT64")

    def stream(self, station: str = "BANQ") -> Any:
        """An ObsPy stream; needs ObsPy."""
        need("obspy", "MiniSEED", "seismic", "; SAC files need nothing.")
        from obspy import Stream, Trace, UTCDateTime

        begin = UTCDateTime(float(self.time[0]))
        return Stream(
            Trace(row.copy(), {"delta": self.interval, "starttime": begin, "station": station, "channel": f"BX{name}"})
            for row, name in zip(self.motion, "ENZ")
        )


_UNSET = -12345


def _sac(
    samples: Array, interval: float, begin: float, station: str, channel: str, azimuth: float, incidence: float
) -> bytes:
    """A binary SAC file, version 6, little endian: 70 floats, 40 integers, 192 characters, then the samples."""
    floats, integers = [float(_UNSET)] * 70, [_UNSET] * 40
    floats[0], floats[5], floats[6] = interval, begin, begin + interval * (samples.size - 1)
    floats[1], floats[2], floats[56] = float(samples.min()), float(samples.max()), float(samples.mean())
    floats[57], floats[58] = azimuth, incidence
    # Reference time 1970-01-01T00:00:00, day 1; header version, number of samples.
    integers[0:6] = [1970, 1, 0, 0, 0, 0]
    integers[6], integers[9] = 6, samples.size
    integers[15], integers[16], integers[17] = 1, 6, 9  # time series; displacement; begins at the reference time
    integers[35:40] = [1, 1, 1, 1, 0]  # evenly spaced, polarity, may be overwritten, distances computed, unused
    words = [b"-12345  "] * 24
    words[0] = station.encode()[:8].ljust(8)
    words[20] = channel.encode()[:8].ljust(8)
    text = words[0] + b"-12345          " + b"".join(words[3:])
    head = struct.pack("<70f", *floats) + struct.pack("<40i", *integers) + text
    return head + samples.astype("<f4").tobytes()
