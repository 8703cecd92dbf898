"""`banquise glacier run CASE.toml` and `banquise glacier stability CASE.toml`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from banquise.commands import options

HELP = "a glacier shaken by a capsizing iceberg: run a case, or the stability of its schemes"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="run|stability", required=True)
    run_parser = actions.add_parser("run", help="run a case, write its NetCDF file and a picture")
    run_parser.add_argument("-o", "--output", metavar="OUT.nc", help="run file (default: name of the case, .nc)")
    stability = actions.add_parser("stability", help="limits and spectral radii of the schemes, and a picture")
    for sub in (run_parser, stability):
        sub.add_argument("case", metavar="CASE.toml")
        options.json(sub, "the numbers")
        options.picture(sub, "the output")


def run(args: argparse.Namespace) -> int:
    from banquise.glacier.case import read_case

    options.check_picture(args)
    case = read_case(args.case)
    return _run(case, args) if args.action == "run" else _stability(case, args)


def _run(case: Any, args: argparse.Namespace) -> int:
    from banquise.glacier.plots import plot_run
    from banquise.recording.recorder import check_place

    output = Path(args.output) if args.output else Path(Path(args.case).stem + ".nc")
    check_place(output)
    result = case.run()
    result.to_netcdf(output)
    picture = _draw(lambda: plot_run(result), output.with_suffix(".png"), args)
    if args.json:
        print(json.dumps({**result.summary(), "output": str(output), "picture": picture}))
    else:
        print(f"{case.glacier}\n{result}\nwritten: {output}" + (f", {picture}" if picture else ""))
    return 0


def _stability(case: Any, args: argparse.Namespace) -> int:
    from banquise.glacier.plots import plot_stability

    found = case.glacier.stability()
    step = case.options.get("step")
    picture = _draw(lambda: plot_stability(found), Path(Path(args.case).stem + "-stability.png"), args)
    if args.json:
        print(
            json.dumps(_finite(found.report(step if step is not None else found.verlet_limit)) | {"picture": picture})
        )
        return 0
    print(f"{case.glacier}\n{found}")
    if step is not None:
        report = found.report(step)
        a, b, both = (report[name] for name in ("a", "b", "a_plus_half_b"))
        print(f"at a step of {step:g} s: a = {a:.4g}, b = {b:.4g}, a + b/2 = {both:.4g}")
        slow = found.stable_speed(step)
        where = f"above {slow:.4g} m/s" if slow < float("inf") else "at no speed: the step is beyond sqrt(2)/omega_max"
        print(f"lagged Verlet at that step is stable {where}")
    if picture:
        print(f"written: {picture}")
    return 0


def _finite(report: dict[str, float]) -> dict[str, float | None]:
    """JSON has no infinity: a limit that is not there is null."""
    return {key: value if abs(value) != float("inf") else None for key, value in report.items()}


def _draw(figure: Any, default: Path, args: argparse.Namespace) -> str | None:
    """Write the picture; without matplotlib say so, and fail only if a picture was asked for by name."""
    from banquise.errors import BanquiseError
    from banquise.view.style import pyplot

    if args.no_plot:
        return None
    path = Path(args.plot) if args.plot else default
    try:
        pyplot().switch_backend("agg")
        figure().savefig(path, dpi=120)
    except BanquiseError as error:
        if args.plot:
            raise
        print(f"no picture: {error}", file=sys.stderr)
        return None
    return str(path)
