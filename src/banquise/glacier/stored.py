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


def open_glacier(path: str | Path) -> OpenedGlacier:
    """Open the file of a run of the chain, as `banquise glacier run` writes it."""
    import xarray as xr

    try:
        data = xr.load_dataset(path, engine="netcdf4", decode_timedelta=False)
    except (OSError, ValueError, RuntimeError) as problem:
        raise RunFileError(f"{path}: cannot be read ({str(problem).splitlines()[0]}).") from None
    missing = [name for name in ("displacement", "velocity", "bed_force", "seismic_force", "x") if name not in data]
    if missing:
        raise RunFileError(f"{path}: not a run of a glacier (no {', '.join(missing)}).")
    return OpenedGlacier(data, Path(path))
