"""Names that forcing files give to what we need: CF standard names first, then the names of the great data centres.

The file wins over the table: a standard name is believed before a variable's own name, and the user's map before both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from banquise.errors import ForcingError, nearest

EAST, GRID = "east/north", "x/y of the file's grid"


@dataclass(frozen=True)
class Pair:
    """A vector as two variables: their standard names, usual names, and the frame their components are in."""

    standard: tuple[str, str]
    names: tuple[tuple[str, str], ...]
    frame: str


# quantity -> its pairs. Names of ERA5, CMIP, NCEP, HYCOM, CMEMS global, CMEMS Arctic (TOPAZ, neXtSIM)
VECTORS: dict[str, tuple[Pair, ...]] = {
    "wind": (
        Pair(
            ("eastward_wind", "northward_wind"),
            (("u10", "v10"), ("10u", "10v"), ("uas", "vas"), ("uwnd", "vwnd"), ("u10m", "v10m")),
            EAST,
        ),
        Pair(("x_wind", "y_wind"), (("x_wind_10m", "y_wind_10m"), ("x_wind", "y_wind")), GRID),
        Pair(("grid_eastward_wind", "grid_northward_wind"), (), GRID),
    ),
    "current": (
        Pair(
            ("eastward_sea_water_velocity", "northward_sea_water_velocity"),
            (("uo", "vo"), ("utotal", "vtotal"), ("water_u", "water_v")),
            EAST,
        ),
        Pair(("surface_eastward_sea_water_velocity", "surface_northward_sea_water_velocity"), (), EAST),
        Pair(("sea_water_x_velocity", "sea_water_y_velocity"), (("vxo", "vyo"),), GRID),
    ),
    "ice_drift": (
        Pair(("eastward_sea_ice_velocity", "northward_sea_ice_velocity"), (("usi", "vsi"),), EAST),
        Pair(("sea_ice_x_velocity", "sea_ice_y_velocity"), (("vxsi", "vysi"),), GRID),
    ),
}
# quantity -> standard names, usual names, unit
SCALARS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "concentration": (("sea_ice_area_fraction",), ("siconc", "ci", "ice_conc"), "1"),
    "thickness": (("sea_ice_thickness",), ("sithick", "hice"), "m"),
    "wave_height": (
        ("sea_surface_wave_significant_height", "significant_height_of_wind_and_swell_waves"),
        ("swh", "VHM0"),
        "m",
    ),
    "wave_period": (
        ("sea_surface_wave_mean_period_from_variance_spectral_density_inverse_frequency_moment",),
        ("mwp", "VTM10"),
        "s",
    ),
}
# Directions cannot be read linearly (359 and 1 degrees have the mean 0); recognised only so that inspect can say so
DIRECTIONS = {
    "wave direction, from": (("sea_surface_wave_from_direction",), ("mwd", "VMDR")),
    "wave direction, to": (("sea_surface_wave_to_direction",), ()),
}
TIMES = ("valid_time", "time")
LONGITUDES, LATITUDES = ("longitude", "lon", "nav_lon"), ("latitude", "lat", "nav_lat")
X_AXES, Y_AXES = ("x", "xc", "rlon", "X"), ("y", "yc", "rlat", "Y")
DEPTHS = ("depth", "lev", "deptht", "depthu")
MEMBERS = ("number", "member", "realization", "ensemble")

_SPEEDS = {
    "m/s": 1.0,
    "m s-1": 1.0,
    "m s**-1": 1.0,
    "m s^-1": 1.0,
    "meter/second": 1.0,
    "meters/second": 1.0,
    "cm/s": 1e-2,
    "cm s-1": 1e-2,
    "km/h": 1 / 3.6,
    "km h-1": 1 / 3.6,
    "knot": 1852 / 3600,
    "knots": 1852 / 3600,
    "kt": 1852 / 3600,
}
_FACTORS = {
    "speed": _SPEEDS,
    "1": {"1": 1.0, "(0 - 1)": 1.0, "0-1": 1.0, "fraction": 1.0, "%": 0.01, "percent": 0.01},
    "m": {"m": 1.0, "meter": 1.0, "metre": 1.0, "meters": 1.0, "cm": 0.01, "km": 1000.0},
    "s": {"s": 1.0, "second": 1.0, "seconds": 1.0},
}


@dataclass(frozen=True)
class Found:
    """What was recognised: the variables, the frame of their components, and why."""

    quantity: str
    variables: tuple[str, ...]
    frame: str
    because: str
    rivals: tuple[str, ...] = ()  # other variables with the same standard name: the user must choose

    def __str__(self) -> str:
        frame = f", {self.frame}" if len(self.variables) == 2 else ""
        rivals = f"; also {', '.join(self.rivals)}: choose with variables =" if self.rivals else ""
        return f"{self.quantity} <- {', '.join(self.variables)} (by {self.because}{frame}{rivals})"


def _standard_name(variable: Any) -> str:
    """The standard name, or "" for what is none: ecCodes writes the word "unknown", others whole sentences."""
    name = str(variable.attrs.get("standard_name", "")).strip()
    return name if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", name) else ""


def recognise(variables: Mapping[str, Any]) -> list[Found]:
    """Every known quantity of a file, the best match of each; `variables` maps names to what carries `attrs`."""
    found = []
    by_standard: dict[str, list[str]] = {}
    for name, variable in variables.items():
        by_standard.setdefault(_standard_name(variable), []).append(name)
    for quantity, pairs in VECTORS.items():
        match = _pair(quantity, pairs, variables, by_standard)
        if match is not None:
            found.append(match)
    for quantity, (standard, names, _) in SCALARS.items():
        found += _scalar(quantity, standard, names, variables, by_standard)
    for quantity, (standard, names) in DIRECTIONS.items():
        found += _scalar(quantity, standard, names, variables, by_standard, "; not used")
    return found


def _pick(candidates: list[str], known: list[str]) -> tuple[str, tuple[str, ...]]:
    """The candidate with a known name, or the first; and the others when that leaves a doubt."""
    usual = [c for c in candidates if c in known]
    best = usual[0] if usual else candidates[0]
    return best, () if usual else tuple(c for c in candidates if c != best)


def _pair(
    quantity: str, pairs: tuple[Pair, ...], variables: Mapping[str, Any], by_standard: Mapping[str, list[str]]
) -> Found | None:
    for pair in pairs:
        if all(s in by_standard for s in pair.standard):
            u, rivals = _pick(by_standard[pair.standard[0]], [n for n, _ in pair.names])
            v, _ = _pick(by_standard[pair.standard[1]], [n for _, n in pair.names])
            return Found(quantity, (u, v), pair.frame, f"standard name {pair.standard[0]}", rivals)
    for pair in pairs:
        for u, v in pair.names:
            # a standard name that says something else is believed over the variable's name
            if u in variables and v in variables and not (_standard_name(variables[u]) or _standard_name(variables[v])):
                return Found(quantity, (u, v), pair.frame, "name")
    return None


def _scalar(
    quantity: str,
    standard: tuple[str, ...],
    names: tuple[str, ...],
    variables: Mapping[str, Any],
    by_standard: Mapping[str, list[str]],
    note: str = "",
) -> list[Found]:
    for name in standard:
        if name in by_standard:
            best, rivals = _pick(by_standard[name], list(names))
            return [Found(quantity, (best,), "", f"standard name {name}{note}", rivals)]
    for name in names:
        if name in variables and not _standard_name(variables[name]):
            return [Found(quantity, (name,), "", f"name{note}")]
    return []


def choose(variables: Mapping[str, Any], quantity: str, names: Any, frame: str | None, where: str) -> Found:
    """The variables that give `quantity`; `names` is the user's own choice and wins."""
    if quantity not in VECTORS and quantity not in SCALARS:
        raise ForcingError(f"{where}: quantity {quantity!r} is not known. {nearest(quantity, [*VECTORS, *SCALARS])}")
    frames = {"east": EAST, "grid": GRID, None: None}
    if frame not in frames:
        raise ForcingError(f"{where}: frame is {frame!r}, expected 'east' or 'grid'.")
    wanted = 2 if quantity in VECTORS else 1
    if names is not None:
        chosen = (names,) if isinstance(names, str) else tuple(names)
        for name in chosen:
            if name not in variables:
                raise ForcingError(f"{where}: no variable {name!r}. {nearest(str(name), list(variables))}")
        if len(chosen) != wanted:
            raise ForcingError(f"{where}: got {len(chosen)} variables for {quantity}, expected {wanted}.")
        own_frame = frames[frame] or _frame_of(chosen, variables)
        return Found(quantity, chosen, own_frame, "your choice")
    for found in recognise(variables):
        if found.quantity == quantity:
            if found.rivals:
                both = ", ".join((found.variables[0], *found.rivals))
                raise ForcingError(f"{where}: {both} all carry the {found.because}. Name one: variables = [...].")
            return found if frame is None else Found(quantity, found.variables, str(frames[frame]), found.because)
    known = ", ".join(sorted(variables)) or "none"
    raise ForcingError(
        f"{where}: no {quantity} recognised among the variables {known}. "
        f"Name {'them: variables = [u, v]' if wanted == 2 else 'it: variables = [name]'}."
    )


def _frame_of(chosen: tuple[str, ...], variables: Mapping[str, Any]) -> str:
    """East and north unless the standard name or a known name says the components follow the grid."""
    first = chosen[0]
    for pairs in VECTORS.values():
        for pair in pairs:
            if pair.standard[0] == _standard_name(variables[first]) or any(first == u for u, _ in pair.names):
                return pair.frame
    return EAST


def unit_factor(variable: Any, quantity: str, where: str, units: str | None = None) -> float:
    """What brings the variable to SI (fractions for percent). A variable without units is taken as SI."""
    kind = "speed" if quantity in VECTORS else SCALARS[quantity][2]
    text = units if units is not None else str(variable.attrs.get("units", "")).strip()
    if not text or text.lower() == "unknown":
        return 1.0
    key = re.sub(r"\s+", " ", text.replace(".", " ")).strip()
    factor = _FACTORS[kind].get(key, _FACTORS[kind].get(key.lower()))
    if factor is None:
        raise ForcingError(
            f"{where}: units {text!r} are not ones of {quantity}. Say what they are, such as "
            f"units = {next(iter(_FACTORS[kind]))!r}."
        )
    return factor
