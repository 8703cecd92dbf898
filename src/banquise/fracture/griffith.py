"""Settings of brittle fracture by percussion."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np

from banquise.errors import CaseError, in_short, known_keywords
from banquise.units import read_fields

UNITS = {
    "toughness": "energy of a surface", "young": "pressure", "crushing": "pressure", "strength": "pressure",
    "gate_length": "length", "min_size": "length", "min_width": "length",
}  # fmt: skip

FLOATS = ("poisson", "patch", "lip_friction", "min_piece", *UNITS)


@known_keywords
@dataclass(frozen=True)
class Griffith:
    """Griffith's criterion: a crack opens where it releases more elastic energy than its surface costs.

    Numbers in these units, or text with others ("9 GPa", "20 m").

    Parameters
    ----------
    toughness : J/m2, energy to open a unit of crack surface (length times thickness)
    young : Pa; poisson : Poisson's ratio of the ice
    patch : width of a contact patch as a part of the square root of the floe's area
    crushing : Pa; when given, a patch is at least as wide as the peak force needs at this pressure
    lip_friction : between the lips of a crack that closes
    strength : Pa; when given, the mean tension over the first `gate_length` of a crack must reach it too
    gate_length : m; None: Irwin's length young * toughness / strength^2
    rule : "first" (the crack that pays first while the load grows) or "least-energy" (the one that pays most)
    arrested : whether cracks that end inside the floe compete
    min_piece : least part of the floe's area that a crack may cut off
    min_size : m, least side of a piece in a run, the square root of its area (sizes of packs are radii, sqrt(area / pi): 0.56
        of that); None: ten times the thickness, below which it is no plate
    min_width : m, least width of a piece, its area over the length of the crack that cuts it off; None: `min_size` in a run, any
        in `search`
    generations : in a run, how often in a row the piece that carries the contact may break again in one impact
    nodes : of the mesh, about; border_points : equally spaced ends of candidate cracks, besides the corners
    rough_first : in a run, whether a rough mesh decides where it leaves no doubt; False: all blows are searched on `nodes`, six
        times as slowly

    >>> Griffith(toughness=2.0).toughness
    2.0
    """

    toughness: float = 10.0
    young: float = 8.95e9
    poisson: float = 0.295
    patch: float = 0.05
    crushing: float | None = None
    lip_friction: float = 0.3
    strength: float | None = None
    gate_length: float | None = None
    rule: str = "first"
    arrested: bool = False
    min_piece: float = 0.02
    nodes: int = 200
    border_points: int = 24
    min_size: float | None = None
    min_width: float | None = None
    generations: int = 4
    rough_first: bool = True

    def __post_init__(self) -> None:
        read_fields(self, UNITS)
        for name in ("toughness", "young", "patch"):
            _check(name, getattr(self, name), 0.0, math.inf, strict=True)
        for name in ("crushing", "strength", "gate_length", "min_size"):
            if getattr(self, name) is not None:
                _check(name, getattr(self, name), 0.0, math.inf, strict=True)
        if self.min_width is not None:
            _check("min_width", self.min_width, 0.0, math.inf)
        _check("poisson", self.poisson, 0.0, 0.499)
        _check("patch", self.patch, 0.002, 0.5)
        _check("lip_friction", self.lip_friction, 0.0, math.inf)
        _check("min_piece", self.min_piece, 0.0, 0.5)
        for name in FLOATS:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))  # NumPy's numbers would compile kernels anew
        for name, least, most in (("nodes", 60, 3000), ("border_points", 4, 400), ("generations", 1, 20)):
            value = getattr(self, name)
            _check(name, value, least, most)
            if value != int(value):
                raise CaseError(f"Griffith: {name} is {in_short(value)}, expected a whole number.")
            object.__setattr__(self, name, int(value))
        check_rule(self.rule)
        for name in ("arrested", "rough_first"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise CaseError(f"Griffith: {name} is {getattr(self, name)!r}, expected True or False.")
            object.__setattr__(self, name, bool(getattr(self, name)))

    def breaker(self, bodies: Any) -> Any:
        """What breaks the floes of a run."""
        return import_module("banquise.fracture.struck").StruckFloes(self, bodies)

    def in_run(self, floe: Any) -> Griffith | None:
        """The law as a run has it for one floe, with its least piece and width; None for a floe that is too small to break.

        >>> from banquise import Floe
        >>> ice = Griffith().in_run(Floe([[0, 0], [50, 0], [50, 50], [0, 50]], thickness=1.0))
        >>> ice.min_piece, ice.min_width
        (0.04, 10.0)
        """
        thickness = floe.thickness
        least = max(self.min_piece, float(self.least_size(thickness)) ** 2 / floe.area)
        if least > 0.5:
            return None
        other = object.__new__(Griffith)  # nothing is checked: every blow asks for its own
        other.__dict__.update(self.__dict__)
        other.__dict__["min_piece"] = least
        other.__dict__["min_width"] = float(self.least_width(thickness))
        return other

    def least_size(self, thickness: Any) -> Any:
        """Least square root of a piece's area (m); of several thicknesses (m) as an array, if it depends on them."""
        return 10 * thickness if self.min_size is None else self.min_size

    def least_width(self, thickness: Any) -> Any:
        """Least area of a piece over the length of its crack (m) in a run, likewise."""
        return self.least_size(thickness) if self.min_width is None else self.min_width


def check_rule(rule: str) -> None:
    if not isinstance(rule, str) or rule not in ("first", "least-energy"):
        raise CaseError(f"fracture: rule is {in_short(rule)}, expected 'first' or 'least-energy'.")


def _check(name: str, value: object, low: float, high: float, strict: bool = False) -> None:
    good = isinstance(value, Real) and not isinstance(value, bool)
    # a whole number above 1e308 is no float
    huge = isinstance(value, int) and abs(value) > sys.float_info.max
    if not good or huge or not (low <= float(value) <= high) or (strict and value == low):  # type: ignore[arg-type]
        least = "above" if strict else "at least"
        most = "" if high == math.inf else f" and at most {high:g}"
        raise CaseError(f"Griffith: {name} is {in_short(value)}, expected a number {least} {low:g}{most}.")
