"""A run in other people's formats: VTK for ParaView, GeoParquet for QGIS, CSV, Zarr."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from banquise.errors import CaseError, in_short, nearest
from banquise.given import check_ending
from banquise.recording.run_file import Run, open_run

FORMATS: dict[str, tuple[str, str]] = {  # name -> module:function, what is added to the run's name
    "vtk": ("banquise.export.vtk:write_vtk", "_vtk"),
    "geoparquet": ("banquise.export.tables:write_geoparquet", ".parquet"),
    "csv": ("banquise.export.tables:write_csv", ".csv"),
    "zarr": ("banquise.export.tables:write_zarr", ".zarr"),
}
# the same for runs of blocks; what is not here is for floes only
BLOCK_FORMATS = {
    "vtk": ("banquise.export.vtk_blocks:write_vtk", "_vtk"),
    "csv": ("banquise.export.tables:write_block_csv", ".csv"),
    "zarr": ("banquise.export.tables:write_zarr", ".zarr"),
}


def export(run: Run | str | Path, to: str, output: str | Path | None = None, stride: int = 1) -> Path:
    """Write a run in another format and say where.

    Parameters
    ----------
    run : a `bq.Run` or the name of a run file
    to : "vtk", "geoparquet", "csv" or "zarr"
    output : file or folder to write; beside the run file by default
    stride : write every so many records
    """
    import importlib

    if not isinstance(to, str) or to not in FORMATS:
        raise CaseError(f"export: no format {in_short(to)}. {nearest(str(to), FORMATS)}")
    if isinstance(stride, bool) or not isinstance(stride, int) or stride < 1:
        raise CaseError(f"export: stride is {stride!r}, expected a whole number of 1 or more.")
    run = open_run(run) if isinstance(run, str | Path) else run
    if not hasattr(run, "dataset"):
        raise CaseError(f"export: got {in_short(run)}, expected a run or the name of a run file.")
    formats = BLOCK_FORMATS if getattr(run, "kind", None) == "blocks" else FORMATS
    if to not in formats:
        raise CaseError(f"export: {to} is for runs of floes; blocks go to {', '.join(formats)}.")
    place, ending = formats[to]
    if output is None:
        if run.path is None:
            raise CaseError("export: the run has no file, so say where to write: output = ...")
        output = run.path.with_name(run.path.stem + ending)
    if ending.startswith("."):
        check_ending(output, (ending,), f"a {to} export")
    folder = Path(output).resolve().parent
    if not folder.is_dir():
        raise CaseError(f"export {output}: the folder {folder} does not exist. Make it first.")
    module, _, function = place.partition(":")
    write: Callable[[Run, Path, int], Any] = getattr(importlib.import_module(module), function)
    try:
        write(run, Path(output), stride)
    except OSError as problem:
        raise CaseError(f"export {output}: cannot write ({problem.strerror or problem}).") from None
    return Path(output)
