"""The map of a run: one metric frame (pyproj) between longitude, latitude and the x, y that floes live in."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise import constants
from banquise.errors import CaseError

Array = NDArray[np.float64]
_STEP = 1e-4  # degrees of the difference that finds north: 11 m, far below any map's curvature, far above round-off


class Projection:
    """A map projection in metres.

    Parameters
    ----------
    crs : what pyproj understands: "EPSG:3413", a PROJ string, a WKT text, an EPSG number

    >>> x, y = Projection("EPSG:3413").to_map(-45.0, 70.0)
    >>> bool(abs(x) < 1e-6), round(float(y))
    (True, -2187928)
    """

    def __init__(self, crs: Any):
        import pyproj

        try:
            self.crs = pyproj.CRS.from_user_input(crs)
        except pyproj.exceptions.CRSError as problem:
            reason = str(problem).split(": (Internal")[0]
            raise CaseError(f"crs: {crs!r} is not a map ({reason}). Expected one such as 'EPSG:3413'.") from None
        if not self.crs.is_projected:
            raise CaseError(f"crs: {crs!r} is in degrees; floes need a map in metres such as 'EPSG:3413'.")
        units = {axis.unit_name for axis in self.crs.axis_info}
        if units - {"metre", "meter"}:
            raise CaseError(f"crs: {crs!r} is in {', '.join(sorted(units))}, expected a map in metres.")
        self.text = f"EPSG:{self.crs.to_epsg()}" if self.crs.to_epsg() else self.crs.to_wkt()
        self.given = crs if isinstance(crs, str) else self.text

    @cached_property
    def geographic(self) -> Any:
        return self.crs.geodetic_crs

    @cached_property
    def _to_map(self) -> Any:
        import pyproj

        return pyproj.Transformer.from_crs(self.geographic, self.crs, always_xy=True)

    def to_map(self, longitude: Any, latitude: Any) -> tuple[Array, Array]:
        """x, y (m) of places in degrees; inf where the map has no such place."""
        x, y = self._to_map.transform(np.asarray(longitude, dtype=float), np.asarray(latitude, dtype=float))
        return np.asarray(x), np.asarray(y)

    def to_lonlat(self, x: Any, y: Any) -> tuple[Array, Array]:
        """Degrees east and north of places on the map."""
        longitude, latitude = self._to_map.transform(
            np.asarray(x, dtype=float), np.asarray(y, dtype=float), direction="INVERSE"
        )
        return np.asarray(longitude), np.asarray(latitude)

    def east(self, longitude: Any, latitude: Any) -> tuple[Array, Array]:
        """Unit vector on the map that points east; north is this turned a quarter counter-clockwise.

        Found from the direction of north: at a pole east is not defined by the place alone, and a difference along
        the meridian that is given still is.
        """
        longitude, latitude = np.broadcast_arrays(np.asarray(longitude, float), np.asarray(latitude, float))
        up = np.minimum(latitude + _STEP, 90.0)
        down = np.maximum(latitude - _STEP, -90.0)
        x1, y1 = self.to_map(longitude, up)
        x0, y0 = self.to_map(longitude, down)
        length = np.hypot(x1 - x0, y1 - y0)
        with np.errstate(invalid="ignore"):
            return (y1 - y0) / length, -(x1 - x0) / length

    def cf(self) -> dict[str, Any]:
        """Attributes of a CF grid mapping variable."""
        attrs = dict(self.crs.to_cf())
        if attrs.get("grid_mapping_name") == "polar_stereographic":  # CF asks for the pole, which pyproj leaves out
            attrs.setdefault(
                "latitude_of_projection_origin", 90.0 if attrs.get("standard_parallel", 1.0) > 0 else -90.0
            )
        return attrs

    def coriolis(self, x: Any, y: Any) -> Array:
        """f = 2 Omega sin(latitude) (1/s)."""
        return 2 * constants.EARTH_RATE * np.sin(np.radians(self.to_lonlat(x, y)[1]))

    def scale(self, x: Any, y: Any) -> Array:
        """Metres of the map for a metre on the ground, along meridian and parallel (2, ...)."""
        import pyproj

        longitude, latitude = self.to_lonlat(x, y)
        factors = pyproj.Proj(self.crs).get_factors(longitude, latitude, errcheck=False)
        return np.stack([np.asarray(factors.meridional_scale), np.asarray(factors.parallel_scale)])

    def scale_error(self, bounds: tuple[float, float, float, float], n: int = 21) -> tuple[float, float]:
        """Smallest and largest of (map length / true length - 1) over a box (xmin, xmax, ymin, ymax)."""
        x, y = np.meshgrid(np.linspace(bounds[0], bounds[1], n), np.linspace(bounds[2], bounds[3], n))
        error = self.scale(x.ravel(), y.ravel()) - 1
        error = error[np.isfinite(error) & (np.abs(error) < 1e3)]
        if not len(error):
            raise CaseError(
                f"crs {self.given!r}: the map does not reach the floes at x, y = {x.mean():g}, {y.mean():g} m."
            )
        return float(error.min()), float(error.max())

    def describe(self, bounds: tuple[float, float, float, float]) -> str:
        """One line: the map and how far its metres are from true ones over a box."""
        low, high = self.scale_error(bounds)
        longitude, latitude = self.to_lonlat(0.5 * (bounds[0] + bounds[1]), 0.5 * (bounds[2] + bounds[3]))
        return (
            f"map {self.crs.name} ({self.given}): centre {float(latitude):.3f} N {float(longitude):.3f} E, "
            f"scale error {100 * low:+.2f} to {100 * high:+.2f} %"
        )

    def __repr__(self) -> str:
        return f"Projection({self.given!r})"
