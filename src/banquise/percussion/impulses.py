"""Velocities of the two contact nodes after a hit: the internship's percussion models 1 and 3.

Its model 2 (restitution and kinetic energy both imposed on the pair) contradicts itself for a restitution below 1 and
is left out. Both models add the impulse of the neighbouring springs to the pair; in a whole simulation that impulse
must be taken from the neighbours, or momentum drifts. `spring_impulse` says how much that is.
"""

from __future__ import annotations

from dataclasses import dataclass

from banquise.errors import known_keywords
from banquise.percussion._checks import number


@dataclass(frozen=True)
class Pair:
    """Two contact nodes after a hit."""

    v1: float  # m/s
    v2: float
    impulse: float  # N s, of the contact on node 2
    loss: float  # J, of the pair alone
    spring_impulse: float  # N s that came from outside the pair


@known_keywords
def pair_impulse(m1: float, m2: float, v1: float, v2: float, restitution: float, outside: float = 0.0) -> Pair:
    """Model 1: momentum of the pair with an outside impulse (N s), and Newton's restitution.

    >>> pair = pair_impulse(1.0, 1.0, 1.0, -1.0, restitution=0.5)
    >>> pair.v1, pair.v2
    (-0.5, 0.5)
    """
    m1, m2 = number(m1, "m1", 0.0, strict=True), number(m2, "m2", 0.0, strict=True)
    v1, v2 = number(v1, "v1"), number(v2, "v2")
    e, outside = number(restitution, "restitution", 0.0), number(outside, "outside")
    after1 = (outside + (m1 - e * m2) * v1 + (1 + e) * m2 * v2) / (m1 + m2)
    after2 = (outside + (1 + e) * m1 * v1 + (m2 - e * m1) * v2) / (m1 + m2)
    # The outside impulse moves both alike; what is left of node 2's change is the contact's.
    share = outside * m2 / (m1 + m2)
    return _pair(m1, m2, v1, v2, after1, after2, m2 * (after2 - v2) - share, outside)


@known_keywords
def pair_with_springs(
    m1: float,
    m2: float,
    v1: float,
    v2: float,
    restitution: float,
    force1: float = 0.0,
    force2: float = 0.0,
    time: float = 0.01,
) -> Pair:
    """Model 3: the forces (N) of the neighbouring springs on each node are held for the time of the contact (s).

    >>> round(pair_with_springs(1.2, 1.5, 2.2, -1.8, restitution=0.75).v1, 7)
    -1.6888889
    """
    m1, m2 = number(m1, "m1", 0.0, strict=True), number(m2, "m2", 0.0, strict=True)
    v1, v2, e = number(v1, "v1"), number(v2, "v2"), number(restitution, "restitution", 0.0)
    time = number(time, "time", 0.0)
    j, k = number(force1, "force1") * time, number(force2, "force2") * time
    impulse = ((1 + e) * (v1 - v2) + j / m1 - k / m2) / (1 / m1 + 1 / m2)
    return _pair(m1, m2, v1, v2, v1 + (j - impulse) / m1, v2 + (k + impulse) / m2, impulse, j + k)


def _pair(
    m1: float, m2: float, v1: float, v2: float, after1: float, after2: float, impulse: float, outside: float
) -> Pair:
    loss = 0.5 * (m1 * (v1**2 - after1**2) + m2 * (v2**2 - after2**2))
    return Pair(after1, after2, impulse, loss, outside)
