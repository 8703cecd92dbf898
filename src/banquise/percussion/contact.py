"""Two rigid masses that meet through a spring and a damper (Kelvin-Voigt), in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from banquise.errors import BanquiseError, in_short, known_keywords
from banquise.percussion._checks import number


@dataclass(frozen=True)
class TwoBodies:
    """What a percussion of two bodies does."""

    restitution: float  # speed of parting over speed of meeting
    duration: float  # s
    compression: float  # m, largest
    v1: float  # m/s, after
    v2: float
    impulse: float  # N s, on body 2
    loss: float  # J
    damping_ratio: float  # damping / (2 sqrt(stiffness * reduced mass))


@known_keywords
def two_bodies(
    m1: float, m2: float, v1: float, v2: float, stiffness: float, damping: float, release: str = "force"
) -> TwoBodies:
    """The percussion of two masses (kg) at velocities v1 > v2 (m/s) through a spring (N/m) and a damper (N s/m).

    With m the reduced mass, w = sqrt(k/m), z = c / (2 sqrt(k m)), the compression is d = (v/w_d) exp(-z w t) sin(w_d
    t), w_d = w sqrt(1 - z^2). Bodies that do not stick part when the force k d + c d' is back to zero:
    release="force". release="distance" holds them until d = 0, under tension at the end; from z = 1 on they then
    never part.

    >>> hit = two_bodies(1.2, 1.5, 2.2, -1.8, stiffness=7.0, damping=0.5)
    >>> round(hit.restitution, 10), round(hit.duration, 10)
    (0.712482035, 0.9040015499)
    """
    m1, m2 = number(m1, "m1", 0.0, strict=True), number(m2, "m2", 0.0, strict=True)
    v1, v2 = number(v1, "v1"), number(v2, "v2")
    k, c = number(stiffness, "stiffness", 0.0, strict=True), number(damping, "damping", 0.0)
    if not isinstance(release, str) or release not in ("force", "distance"):
        raise BanquiseError(f"percussion: release is {in_short(release)}, expected 'force' or 'distance'.")
    v = v1 - v2
    if v <= 0:
        raise BanquiseError(f"percussion: v1 = {v1!r} and v2 = {v2!r} do not meet, expected v1 > v2.")
    m = m1 * m2 / (m1 + m2)
    w, both = math.sqrt(k / m) if m > 0 else math.inf, math.sqrt(k * m)
    z = c / (2 * both) if both > 0 else math.inf
    if not (0 < w < math.inf and z < math.inf):
        raise BanquiseError(
            f"percussion: masses {m1:g} and {m2:g}, stiffness {k:g}, damping {c:g}: beyond the range of numbers."
        )
    peak = _peak_time(w, z)
    if release == "force":
        duration = 2 * peak
        log_e = -z * w * duration
    else:
        duration = math.pi / (w * math.sqrt(1 - z * z)) if z < 1 else math.inf
        log_e = -z * w * duration if z < 1 else -math.inf
    e = math.exp(log_e)
    common = (m1 * v1 + m2 * v2) / (m1 + m2)
    return TwoBodies(
        restitution=e,
        duration=duration,
        compression=(v / w) * math.exp(-z * w * peak),  # at the peak d' = 0 the closed form collapses to this
        v1=common - m2 * e * v / (m1 + m2),
        v2=common + m1 * e * v / (m1 + m2),
        impulse=m * (1 + e) * v,
        loss=-0.5 * m * v * v * math.expm1(2 * log_e),  # 1 - e^2 has no digits left where damping is weak
        damping_ratio=z,
    )


def _peak_time(w: float, z: float) -> float:
    """When the compression is largest: atan(s/z)/(w s), s = sqrt(|1 - z^2|); acosh(z)/(w s) beyond z = 1; 1/w at z = 1."""
    s2 = (1 - z) * (1 + z)
    if abs(s2) < 1e-8:
        return (1 - (z - 1) / 3) / w  # first order about z = 1, where both forms are 0/0
    s = math.sqrt(abs(1 - z)) * math.sqrt(1 + z)
    return math.atan2(s, z) / (w * s) if s2 > 0 else math.acosh(z) / (w * s)


def compression_at(hit: TwoBodies, times: Any, speed: float, stiffness: float, reduced_mass: float) -> Any:
    """Compression (m) at times (s) of a percussion met at `speed`, zero once it is over."""
    import numpy as np

    t = np.asarray(times, dtype=float)
    w, z = math.sqrt(stiffness / reduced_mass), hit.damping_ratio
    root = np.sqrt(complex(1 - z * z)) * w
    swing = t if root == 0 else np.real(np.sin(root * t) / root)
    return np.where((t >= 0) & (t <= hit.duration), speed * np.exp(-z * w * t) * swing, 0.0)
