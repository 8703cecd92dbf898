"""banquise inspect: what a file holds and how it will be understood."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from banquise.commands import options

HELP = "say what a run, case, forcing file or sweep holds"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", help="a run (.nc), a case (.toml), a forcing file (.nc, .zarr, .mat) or the results of a sweep"
    )
    options.json(parser, "it")


def run(args: argparse.Namespace) -> int:
    from banquise.errors import CaseError
    from banquise.recording.run_file import of_a_sweep
    from banquise.view.kinds import kind_at

    path = Path(args.file)
    if path.suffix == ".toml":
        _show_case(path, args.json)
    elif path.exists() and path.suffix.lower() in (".geojson", ".json", ".csv", ".wkt", ".shp"):
        raise CaseError(f"{path}: by its ending a file of floes. Look at it with: banquise floes info {path}")
    elif kind_at(path) not in (None, "floes"):
        _show_other(path, args.json)
    elif path.is_file() and of_a_sweep(path):
        _show_sweep(path, args.json)
    elif path.suffix == ".mat" or path.is_dir() or (path.exists() and not _is_run(path)):
        _show_forcing(path, args.json)
    else:
        _show_run(path, args.json)
    return 0


def _is_run(path: Path) -> bool:
    """Whether a file says it was written by Banquise; one that cannot be opened is treated as a run, to say why."""
    import netCDF4

    try:
        with netCDF4.Dataset(path) as data:
            return str(getattr(data, "source", "")).startswith("Banquise") or "shapes" in data.groups
    except Exception:  # a damaged file fails anywhere inside HDF5 and netCDF, each in its own way
        return True


def _show_sweep(path: Path, as_json: bool) -> None:
    import json

    import xarray as xr

    with xr.open_dataset(path, engine="netcdf4", decode_times=False) as data:
        told = {"title": data.attrs["title"], "members": int(data.attrs["members"]), "done": int(data.attrs["done"])}
        axes = {str(name): data[name].values.tolist() for name in data.dims if name in data.coords}
        if as_json:
            print(json.dumps({**told, "dimensions": axes, "variables": sorted(map(str, data.data_vars))}))
            return
        print(f"Sweep {path}: {told['title']}, {told['done']} of {told['members']} members done\n{data}")


def _show_case(path: Path, as_json: bool) -> None:
    import json

    from banquise.case import load_case
    from banquise.case_tables import tables_of
    from banquise.given import read_toml

    if "glacier" in (tables := read_toml(path)):
        _show_glacier(path, tables, as_json)
        return
    case = load_case(path)
    if as_json:
        settings = {k: v for k, v in tables_of(case).items() if k != "scene"}
        print(json.dumps({**_counts(case.scene), **settings}, default=list))
        return
    simulation = case.simulation()
    print(simulation)
    for name in ("wind", "current"):
        flow = getattr(simulation.forcing, name)
        if hasattr(flow, "describe"):
            print(*(f"{name}: {line}" for line in flow.describe()), sep="\n")
    projection = getattr(simulation, "projection", None)
    if projection is not None:
        from banquise.scene.scene import area_of

        print(projection.describe(area_of(case.scene, simulation.bodies)))


def _counts(scene: Any) -> dict[str, Any]:
    """What a scene holds, in numbers."""
    if scene.blocks:
        return {"blocks": len(scene.blocks), "fixed": sum(bool(block.fixed) for block in scene.blocks)}
    area = float(sum(floe.area for floe in scene.floes))
    return {"floes": len(scene.floes), "ice_area": area, "obstacles": len(scene.obstacles)}


def _show_glacier(path: Path, tables: dict[str, Any], as_json: bool) -> None:
    """A case of a glacier, once it is known to be a good one."""
    import json

    from banquise.glacier.case import read_case

    case = read_case(path)
    plan = case.plan()
    if as_json:
        print(json.dumps(tables, default=str))
        return
    print(case.glacier)
    print(f"load: {case.load if case.load is not None else 'none'}")
    print(
        f"run: {case.options.get('scheme', 'imex')}, {plan.steps:,} steps of {plan.step:g} s, {plan.records:,} records"
    )
    print(*plan.notes, sep="\n", end="\n" if plan.notes else "")


def forcing_report(path: Path) -> dict[str, list[str]]:
    """Quantity -> lines of how it is understood; "file" -> what could not be."""
    from banquise.errors import ForcingError
    from banquise.forcing.names import SCALARS, VECTORS, recognise
    from banquise.forcing.readers import open_forcing, open_source

    if path.suffix == ".mat":
        from banquise.forcing.mat_series import describe_mat

        return {"file": describe_mat(path)}
    data = open_forcing(path)
    variables: dict[str, Any] = {str(name): data[name] for name in data.data_vars}
    report: dict[str, list[str]] = {}
    used: set[str] = set()
    for found in recognise(variables):
        used |= set(found.variables)
        lines = [str(found)]
        if found.quantity in VECTORS or found.quantity in SCALARS:
            try:
                lines = open_source([path], found.quantity).describe()
            except ForcingError as problem:
                lines.append(f"but: {problem}")
        report[found.quantity] = lines
    left = [n for n in variables if n not in used]
    report["file"] = [f"not used: {', '.join(left)}"] if left else []
    return report


def _holds_floes(path: Path) -> bool:
    """Whether a file is one of floes in a format that forcing files have too: FloeDyn's HDF5, MAT of SubZero or of rings."""
    from banquise.errors import BanquiseError
    from banquise.scene.makers.files import read_floes

    if path.suffix.lower() not in (".h5", ".hdf5", ".mat"):
        return False
    try:
        return bool(read_floes(path).floes)
    except BanquiseError:
        return False


def _show_forcing(path: Path, as_json: bool) -> None:
    import json

    from banquise.errors import ForcingError

    if _holds_floes(path):
        raise ForcingError(f"{path}: a file of floes, no forcing. Look at it with: banquise floes info {path}")
    report = forcing_report(path)
    if not any(key != "file" for key in report) and path.suffix != ".mat":
        raise ForcingError(
            f"{path}: not a Banquise run file, and no wind or current recognised in it ({'; '.join(report['file'])}). "
            "Name the variables: bq.read_forcing(path, 'wind', variables=[u, v])."
        )
    if as_json:
        print(json.dumps(report))
        return
    for lines in report.values():
        for k, line in enumerate(lines):
            print(line if k == 0 else f"    {line}")


def _show_other(path: Path, as_json: bool) -> None:
    """A run of another kind than floes."""
    import json

    from banquise.commands.check import summary
    from banquise.view.kinds import open_any

    found = open_any(path)
    if as_json:
        # numbers as printed: a run of blocks has the books of one of floes, one of a glacier its peaks as attributes
        numbers = summary(found) if hasattr(found, "ledger") else _plain(found.dataset.attrs)
        told = {"kind": found.kind, **numbers, "case": found.case, "sizes": dict(found.dataset.sizes)}
        print(json.dumps(told, default=str))
        return
    print(found, found.dataset, sep="\n")


def _plain(attributes: dict[Any, Any]) -> dict[str, Any]:
    """Attributes with the numbers of NumPy as those of Python."""
    return {
        str(k): v.item() if hasattr(v, "item") and not getattr(v, "shape", ()) else v for k, v in attributes.items()
    }


def _show_run(path: Path, as_json: bool) -> None:
    import json

    from banquise.commands.check import summary
    from banquise.recording.run_file import open_run

    found = open_run(path)
    if as_json:
        print(json.dumps({**summary(found), "case": found.case}))
        return
    print(found)
    print(found.dataset)
    for name in ("ledger", "loads", "obstacles", "flow"):
        table = getattr(found, name)
        columns = ", ".join(f"{c} ({table[c].attrs.get('units', '1')})" for c in table.data_vars)
        print(f"{name} on {', '.join(map(str, table.sizes))}: {columns or 'none'}")
    print(f"events: {len(found.events):,}")
    if found.case.get("crs"):
        import numpy as np

        from banquise.projection import Projection

        x, y = found.dataset["x"].values, found.dataset["y"].values
        bounds = float(np.nanmin(x)), float(np.nanmax(x)), float(np.nanmin(y)), float(np.nanmax(y))
        print(Projection(found.case["crs"]).describe(bounds))
