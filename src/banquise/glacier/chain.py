"""The glacier as a chain of sliding blocks, per metre of width.

Node 0 is the front, x runs up-glacier, the ice slides towards -x. Nodes sit between blocks and at both ends, so an end
node carries half a block; a glacier of a single block is one rigid block, one node. Equation of node i:

    m_i U'' = k (U_{i+1} - U_i) - k (U_i - U_{i-1}) - w_i (tau(U') + tau_d) + delta_{i0} F_c(t)
    m_i = rho H w_i,   k = E H / dl,   tau_d = rho g H sin(slope)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from banquise.constants import GRAVITY
from banquise.errors import CaseError, known_keywords, nearest
from banquise.given import ask, floats
from banquise.glacier._kernels_schemes import Chain
from banquise.glacier.friction import Friction, Weertman, balance_speed
from banquise.glacier.kinds import GLACIER, in_si
from banquise.units import quantity

if TYPE_CHECKING:
    from banquise.glacier.loads import Load
    from banquise.glacier.schemes import GlacierRun
    from banquise.glacier.stability import Stability

Array = npt.NDArray[np.float64]
Along = float | npt.ArrayLike | Callable[[Array], npt.ArrayLike]
ENDS = ("free", "steady", "absorbing")
MOST_BLOCKS = 10_000_000  # a gigabyte of columns
MOST = 1e30  # of any quantity along the chain, in SI


@known_keywords
class Glacier:
    """A chain of blocks on a sloping bed.

    Parameters
    ----------
    length, block : float, m
        The length is a whole number of blocks.
    thickness, slope, density, young, water_pressure : m, degrees, kg/m3, Pa, Pa
        Numbers, arrays over the nodes (front first), or functions of the distance x from the front (m). Text may carry a
        unit ("2 km", "1 deg", "0.92 GPa").
    friction : a law of `banquise.glacier`
    front, back : "free", "steady" (kept at the equilibrium speed) or "absorbing" (waves leave without reflection)

    >>> g = Glacier(length=2000.0, block=25.0, thickness=800.0, slope=1.0, friction=Weertman(10**6.75))
    >>> g.nodes, f"{g.equilibrium_speed:.6e}"
    (81, '-1.125140e-05')
    """

    def __init__(
        self,
        length: float,
        block: float,
        thickness: Along = 800.0,
        slope: Along = 1.0,
        density: Along = 920.0,
        young: Along = 0.92e9,
        friction: Friction | None = None,
        gravity: float = GRAVITY,
        water_pressure: Along = 0.0,
        front: str = "free",
        back: str = "free",
    ) -> None:
        self.length, self.block = _positive("length", length), _positive("block", block)
        self.blocks = _whole_blocks(self.length, self.block)
        self.nodes = 1 if self.blocks == 1 else self.blocks + 1
        self.gravity = _positive("gravity", gravity)
        self.front, self.back = _end("front", front), _end("back", back)
        self.x: Array = np.arange(self.nodes, dtype=np.float64) * self.block
        self.thickness = self._along("thickness", thickness, above=0.0, unit="m")
        self.density = self._along("density", density, above=0.0, unit="kg/m3")
        self.young = self._along("young", young, above=0.0, unit="Pa")
        self.slope = self._along("slope", slope, unit="degrees")
        if (np.abs(self.slope) >= 90).any():
            worst = self.slope[np.argmax(np.abs(self.slope))]
            raise CaseError(
                f"slope is {worst:g} degrees, expected between -90 and 90: a glacier slides, it does not fall."
            )
        self.water_pressure = self._along("water_pressure", water_pressure, unit="Pa")
        self.weight = np.full(self.nodes, self.block)
        if self.nodes > 1:
            self.weight[[0, -1]] *= 0.5
        overburden = self.density * self.gravity * self.thickness
        self.driving_stress = overburden * np.sin(np.radians(self.slope))
        if friction is None:
            friction = Weertman(10**6.75)
        if not isinstance(friction, Friction):
            raise CaseError(f"friction is {friction!r}, expected a law such as Weertman(10**6.75).")
        self.effective_pressure = overburden - self.water_pressure
        friction = friction.at(self.x)
        self.friction = friction.bind(self.effective_pressure, self._equilibrium)
        self.equilibrium_speed = self._equilibrium(self.friction)

    def __repr__(self) -> str:
        return (
            f"Glacier  {self.length:g} m in {self.blocks} blocks of {self.block:g} m\n"
            f"├── ice       {_span(self.thickness)} m thick, {_span(self.density)} kg/m3, "
            f"E {_span(self.young / 1e9)} GPa\n"
            f"├── bed       slope {_span(self.slope)} degrees, {type(self.friction).__name__}\n"
            f"├── ends      front {self.front}, back {self.back}\n"
            f"└── slides    {self.equilibrium_speed:.4g} m/s at equilibrium"
        )

    @property
    def mass(self) -> Array:
        """Mass of every node, kg per metre of width."""
        return self.density * self.thickness * self.weight

    @property
    def stiffness(self) -> Array:
        """Stiffness of every spring between neighbours, N/m per metre of width."""
        modulus = self.young * self.thickness
        return 0.5 * (modulus[1:] + modulus[:-1]) / self.block

    def run(
        self, load: Load | Any = None, until: float | str = 100.0, scheme: str = "imex", **options: Any
    ) -> GlacierRun:
        """Shake the glacier; see `banquise.glacier.schemes.run` for the options (step, every, alpha, ...)."""
        from banquise.glacier.schemes import run

        return run(self, load, until, scheme, **options)

    @known_keywords
    def stability(self, speed: float | None = None, as_printed: bool = False) -> Stability:
        """Limits and spectral radii of the schemes, linearised at `speed` (m/s; default: the equilibrium speed)."""
        from banquise.glacier.stability import Stability

        return Stability(self, speed, as_printed)

    def system(self) -> Chain:
        """Arrays of the chain as the kernels take them."""
        inverse_mass, dashpot = 1.0 / self.mass, np.zeros(self.nodes)
        for end, where in ((self.front, 0), (self.back, self.nodes - 1)):
            if end == "steady":
                inverse_mass[where] = 0.0
            elif end == "absorbing":  # impedance of the ice beyond: rho c H
                dashpot[where] += self.thickness[where] * math.sqrt(self.density[where] * self.young[where])
        speed = np.full(self.nodes, self.equilibrium_speed)
        return Chain(
            self.weight, inverse_mass, self.stiffness, dashpot, np.ascontiguousarray(self.friction.stress(speed)),
            self.equilibrium_speed, self.friction.code, self.friction.rows(self.nodes),
        )  # fmt: skip

    def _equilibrium(self, law: Friction) -> float:
        """Common speed at which the whole bed carries the whole weight (m/s, towards the sea: negative)."""
        return balance_speed(law, law.rows(self.nodes), self.weight, float(self.weight @ self.driving_stress))

    def _along(self, name: str, value: Along, above: float | None = None, unit: str = "") -> Array:
        given: Any = in_si(value, GLACIER[name], name)
        if callable(given):
            given = ask(given, self.x, what=name, gives=f"one number or {self.nodes}, one a node, for x in m")
        try:
            array = np.array(np.broadcast_to(floats(given), (self.nodes,)))
        except (TypeError, ValueError, OverflowError):
            raise CaseError(
                f"{name}: got {np.size(given)} values ({type(given).__name__}), "
                f"expected one or {self.nodes}, one a node."
            ) from None
        if not np.isfinite(array).all():
            raise CaseError(f"{name} holds {array[~np.isfinite(array)][0]}, expected finite numbers in {unit}.")
        if (np.abs(array) > MOST).any():  # squares of what is made of them would be beyond floats
            raise CaseError(f"{name} holds {array[np.argmax(np.abs(array))]:g}, expected at most {MOST:g} {unit}.")
        if above is not None and (array <= above).any():
            raise CaseError(f"{name} is {array.min():g} {unit}, expected more than {above:g}.")
        return array


def _positive(name: str, value: float) -> float:
    number = quantity(value, GLACIER[name], name)
    if not (math.isfinite(number) and number > 0):
        raise CaseError(f"{name} is {number:g}, expected more than zero.")
    return number


def _whole_blocks(length: float, block: float) -> int:
    if not length / block < MOST_BLOCKS:
        raise CaseError(
            f"block is {block:g} m in a glacier of {length:g} m: more than {MOST_BLOCKS:,} blocks. Take a longer block."
        )
    blocks = round(length / block)
    if block > length * (1 + 1e-6):
        raise CaseError(
            f"block is {block:g} m in a glacier of {length:g} m: no block at all. Take a block of at most its length."
        )
    if abs(blocks * block - length) > 1e-6 * block:
        raise CaseError(
            f"length {length:g} m is not a whole number of blocks of {block:g} m. Nearest block: {length / blocks:.12g} m."
        )
    return blocks


def _end(name: str, value: str) -> str:
    if not isinstance(value, str) or value not in ENDS:
        raise CaseError(f"{name}: no end condition {value!r}. {nearest(str(value), ENDS)}")
    return value


def _span(values: Array) -> str:
    return f"{values[0]:g}" if np.ptp(values) == 0 else f"{values.min():g} to {values.max():g}"
