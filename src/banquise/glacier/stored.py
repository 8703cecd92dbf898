"""Runs of the chain as they lie in a file: the dataset, and what the player and reports ask of any run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banquise.errors import RunFileError

if TYPE_CHECKING:
    import xarray as xr


class ChainRun:
    """A run of the chain: all that is shown of it is in its `dataset` (time, node) and the attributes of that."""

    dataset: xr.Dataset
    path: Path | None = None
    kind = "glacier"

    @property
    def case(self) -> dict[str, Any]:
        """Title and warnings."""
        said = str(self.dataset.attrs.get("warnings", ""))
        return {
            "title": str(self.dataset.attrs.get("title", "Glacier")),
            "warnings": said.split("\n") if said else [],
        }

    @property
    def bodies(self) -> int:
        """How many nodes the player draws."""
        return int(self.dataset.sizes["node"])

    @property
    def records(self) -> dict[str, Any]:
        """Times of the records (s)."""
        return {"time": self.dataset["time"].values}

    def _repr_html_(self) -> str:
        return str(import_module("banquise.view.reprs").run_html(self))


@dataclass(repr=False)
class OpenedGlacier(ChainRun):
    """A run of the chain, from its file."""

    dataset: xr.Dataset
    path: Path | None = None

    def __repr__(self) -> str:
        data, attrs = self.dataset, self.dataset.attrs
        peak = f"{attrs['peak_seismic_force'] / 1e6:.7g} MN/m" if "peak_seismic_force" in attrs else "not stated"
        return (
            f"Glacier run {self.path or ''}: {data.sizes['node']:,} nodes, {data.sizes['time']:,} records to "
            f"{float(data['time'].values[-1]):g} s\n└── peak seismic force {peak}"
        )


# what a file of the chain holds: dimensions of each column
COLUMNS: dict[str, tuple[str, ...]] = {
    "time": ("time",),
    **dict.fromkeys(("displacement", "velocity", "bed_force"), ("time", "node")),
    **dict.fromkeys(("contact_force", "seismic_force"), ("time",)),
    **dict.fromkeys(("x", "thickness", "slope", "weight"), ("node",)),
}
ICEBERG = ("iceberg_x", "iceberg_y", "iceberg_angle")  # on time, all three or none
NUMBERS = ("equilibrium_speed", "step")  # attributes
MORE_NUMBERS = (
    "peak_seismic_force", "peak_time", "front_displacement", "impulse_residual", "front_density", "iceberg_height",
    "iceberg_aspect",
)  # fmt: skip


def open_glacier(path: str | Path) -> OpenedGlacier:
    """Open the file of a run of the chain, as `banquise glacier run` writes it."""
    import xarray as xr

    from banquise.recording.sealed import sealed_length, verify

    path = Path(path)
    try:
        sealed = sealed_length(path) is not None
        data = xr.load_dataset(path, engine="netcdf4", decode_timedelta=False, decode_times=False)
    except Exception as problem:  # a damaged file fails anywhere inside HDF5, netCDF or xarray, each in its own way
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise RunFileError(f"{path}: cannot be read ({reason}).") from None
    if sealed:  # one that was changed by other programs has no seal, and is read all the same
        verify(path, "run file")
    wrong = _wrong(data)
    if wrong:
        raise RunFileError(f"{path}: not a run of a glacier, or a damaged one ({wrong}).")
    return OpenedGlacier(data, path)


def _wrong(data: xr.Dataset) -> str:
    """What is wrong with a dataset that should be a run of the chain; nothing if it is one."""
    import numpy as np

    berg = {name: ("time",) for name in ICEBERG if any(one in data for one in ICEBERG)}
    for name, axes in (COLUMNS | berg).items():
        if name not in data:
            return f"no {name}"
        column = data[name]
        if column.dims != axes or column.dtype.kind not in "fiu" or not column.size:
            return f"{name} is {column.dtype} on {column.dims}, expected numbers on {axes}"
        if not np.isfinite(column.values).all() and name not in berg:
            return f"{name} holds values that are not finite"
    if (np.diff(data["x"].values) <= 0).any() or (np.diff(data["time"].values) <= 0).any():
        return "x and time do not increase"
    if not all((data[name].values > 0).all() for name in ("weight", "thickness")):
        return "weight or thickness of a node is not above 0"
    needed = NUMBERS + (("iceberg_height", "iceberg_aspect") if berg else ())
    for name in (*needed, *MORE_NUMBERS):
        value = data.attrs.get(name, None if name in needed else 0.0)
        if not isinstance(value, int | float | np.number) or (name in needed and not np.isfinite(value)):
            return f"attribute {name} is {value!r}, expected a number"
    return "" if "friction" in data.attrs and "scheme" in data.attrs else "no friction or scheme among its attributes"
