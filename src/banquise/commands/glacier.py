"""`banquise glacier run CASE.toml` and `banquise glacier stability CASE.toml`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from banquise.commands import options

HELP = "a glacier shaken by a capsizing iceberg: run a case, or the stability of its schemes"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="run|stability", required=True)
    helps = {
        "run": "run a case, write its NetCDF file and a picture",
        "stability": "limits and spectral radii of the schemes, and a picture",
    }
    subs = {name: actions.add_parser(name, help=text, description=text) for name, text in helps.items()}
    options.output(subs["run"])
    options.times(subs["run"])
    options.again(subs["run"])
    options.quiet(subs["run"])
    for sub in subs.values():
        sub.add_argument("case", metavar="CASE.toml", help="case file of a glacier (TOML)")
        options.json(sub, "the numbers")
    options.picture(subs["run"], "the output")
    options.picture(subs["stability"], "the case file")


def run(args: argparse.Namespace) -> int:
    from banquise.glacier.case import read_case

    options.check_picture(args)
    case = read_case(args.case)
    return _run(case, args) if args.action == "run" else _stability(case, args)


def _run(case: Any, args: argparse.Namespace) -> int:
    from banquise.compiling import say_when_compiling
    from banquise.glacier.plots import plot_run
    from banquise.units import duration

    output = Path(args.output) if args.output else Path(args.case).with_suffix(".nc")
    case.options.update({name: duration(given, name) for name in ("until", "every") if (given := getattr(args, name))})
    options.check_there(args, output)
    say_when_compiling()
    result = case.run(progress=not args.quiet)
    result.to_netcdf(output)
    picture = options.drawn(args, output.with_suffix(".png"), lambda: plot_run(result), dpi=120)
    if args.json:
        print(json.dumps({**result.summary(), "output": str(output), "picture": picture}))
    else:
        print(f"{case.glacier}\n{result}\nwritten: {output}" + (f", {picture}" if picture else ""))
    return 0


def _stability(case: Any, args: argparse.Namespace) -> int:
    from banquise.glacier.plots import plot_stability

    found = case.glacier.stability()
    step = case.options.get("step")
    beside = Path(args.case).with_name(Path(args.case).stem + "-stability.png")
    picture = options.drawn(args, beside, lambda: plot_stability(found), dpi=120)
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
