"""Tables: CSV, GeoParquet with the outlines of the floes, and Zarr."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from banquise.errors import need
from banquise.export.outlines import polygons, state_at
from banquise.recording.recorder import STATE
from banquise.recording.run_file import Run


def _frame(run: Run, k: int) -> dict[str, Any]:
    """Columns of one record: a row a floe that is there."""
    there, state = state_at(run, k)
    columns: dict[str, Any] = {"time": np.full(len(there), float(run.dataset["time"][k])), "floe": there}
    columns |= dict(zip(STATE, state))
    for name in ("lon", "lat"):
        if name in run.dataset.coords:
            columns[name] = run.dataset[name].values[k][there]
    return columns


def write_csv(run: Run, path: Path, stride: int = 1) -> None:
    """One row a floe a record (SI, digits that read back to the same numbers); ledger and events beside it."""
    import pandas as pd

    with open(path, "w", newline="") as file:
        for k in range(0, run.dataset.sizes["time"], stride):
            pd.DataFrame(_frame(run, k)).to_csv(file, index=False, header=k == 0)
    run.ledger.to_dataframe().to_csv(path.with_name(path.stem + "_ledger.csv"))
    run.events.to_csv(path.with_name(path.stem + "_events.csv"), index=False)


def write_block_csv(run: Any, path: Path, stride: int = 1) -> None:
    """One row a block a record (SI, digits that read back to the same numbers); ledger, loads and impacts beside it."""
    run.dataset.isel(time=slice(None, None, stride)).to_dataframe().to_csv(path)
    run.ledger.to_dataframe().to_csv(path.with_name(path.stem + "_ledger.csv"))
    run.loads.to_dataframe().to_csv(path.with_name(path.stem + "_loads.csv"))
    run.events.to_csv(path.with_name(path.stem + "_events.csv"), index=False)


def write_geoparquet(run: Run, path: Path, stride: int = 1) -> None:
    """One row a floe a record with its outline, on the run's map where it has one. QGIS opens it."""
    for module in ("geopandas", "pyarrow"):
        need(module, "GeoParquet", "gis")
    import geopandas
    import pandas as pd

    shapes = np.array(polygons(run), dtype=object)
    thickness = run.shapes["thickness"].values
    tables, outlines = [], []
    for k in range(0, run.dataset.sizes["time"], stride):
        columns = _frame(run, k)
        there = columns["floe"]
        columns["thickness"] = thickness[there]
        tables.append(pd.DataFrame(columns))
        counts = shapely.get_num_coordinates(shapes[there])
        owner = np.repeat(np.arange(len(there)), counts)
        c, s = np.cos(columns["rotation"])[owner], np.sin(columns["rotation"])[owner]
        points = shapely.get_coordinates(shapes[there])
        places = np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1]], axis=1)
        places += np.stack([columns["x"], columns["y"]], axis=1)[owner]
        outlines.append(shapely.set_coordinates(shapes[there].copy(), places))
    table = pd.concat(tables, ignore_index=True)
    if run.case.get("start"):
        table["date"] = pd.Timestamp(run.case["start"]) + pd.to_timedelta(table["time"], unit="s")
    crs = run.case.get("crs")
    geopandas.GeoDataFrame(table, geometry=np.concatenate(outlines), crs=crs).to_parquet(path)


def write_zarr(run: Run, path: Path, stride: int = 1) -> None:
    """The run's dataset as a Zarr store, with groups ledger, loads and events."""
    need("zarr", "Zarr", "zarr")
    if path.exists():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    state = run.dataset.isel(time=slice(None, None, stride))
    chunks = {name: {"chunks": tuple(max(1, min(256, n)) for n in state[name].shape)} for name in state.data_vars}
    for variable in state.variables.values():
        variable.encoding = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Zarr 3 says that consolidated metadata is not in its standard yet
        state.to_zarr(path, mode="w", encoding=chunks)
        for name, data in (("ledger", run.ledger), ("loads", run.loads)):
            data.to_zarr(path, mode="a", group=name)
        events = run.events.drop(columns="kind").to_xarray()
        events.attrs["kind"] = [str(kind) for kind in run.events["kind"]]
        events.to_zarr(path, mode="a", group="events")
