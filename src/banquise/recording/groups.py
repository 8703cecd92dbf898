"""Groups of a NetCDF file, read together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from banquise.threads import FILES

if TYPE_CHECKING:
    import xarray as xr


def read_groups(path: Path, needed: Sequence[str], others: Sequence[str] = ()) -> dict[str, xr.Dataset]:
    """Groups of a file, in memory; "" is the root; of the others those that it lacks are empty.

    The file is opened once: xarray by itself opens it anew for each group, which takes longer than to read it.
    """
    import netCDF4
    import xarray as xr

    groups = {}
    with FILES, netCDF4.Dataset(path) as file:
        for name in (*needed, *others):
            if not name or name in file.groups:
                store = xr.backends.NetCDF4DataStore(file[name] if name else file)
                groups[name] = xr.open_dataset(store, decode_times=False).load()
            elif name in needed:
                raise OSError(f"no group {name}")
            else:
                groups[name] = xr.Dataset()
    return groups
