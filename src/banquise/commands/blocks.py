"""`banquise blocks run CASE`: a ready scene of blocks by its name, or a case file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from banquise.commands import options

# light: the scenes themselves are imported when one is run (`banquise.scenes.block_cases` has the same names)
CASES = ("tower", "wall", "settling-wall", "heap", "capsize", "arch", "slope", "ballast", "rubble")

HELP = f"rigid blocks in space: run a ready scene ({', '.join(CASES)}) or a case file"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="run", required=True)
    text = "run a scene and write its NetCDF file"
    run_parser = actions.add_parser("run", help=text, description=text)
    run_parser.add_argument("case", metavar="CASE", help=f"a case file (TOML), or one of {', '.join(CASES)}")
    options.output(run_parser)
    options.times(run_parser)
    run_parser.add_argument("--step", help="time step (default: that of the case)")
    run_parser.add_argument(
        "--blocks",
        type=int,
        help="how many (tower 10, heap 200, ballast 200, rubble 60, stones of a ring of the arch 50)",
    )
    options.again(run_parser)
    options.threads(run_parser)
    options.quiet(run_parser)
    options.json(run_parser)


def run(args: argparse.Namespace) -> int:
    if args.case.endswith(".toml"):
        return _run_file(args)
    import json

    from banquise.commands.check import summary
    from banquise.compiling import say_when_compiling
    from banquise.units import duration

    options.use_threads(args)
    simulation, until = _case(args)
    output = Path(args.output or f"{args.case}.nc")
    until = duration(args.until, "until") if args.until else until
    options.check_there(args, output)
    say_when_compiling()
    result = simulation.run(until=until, every=args.every, output=output, progress=not args.quiet)
    print(json.dumps(summary(result)) if args.json else result)
    return 0


def _run_file(args: argparse.Namespace) -> int:
    """A case file runs as with `banquise run`."""
    from banquise.commands import run as run_command
    from banquise.errors import CaseError

    for name in ("step", "blocks"):
        if getattr(args, name) is not None:
            raise CaseError(f"--{name}: is for ready scenes; a case file says it itself.")
    return run_command.run(args)


def _case(args: argparse.Namespace) -> tuple[Any, float]:
    """The simulation of a named case and how long it runs."""
    import banquise as bq
    from banquise.errors import CaseError, nearest
    from banquise.scenes import block_cases
    from banquise.units import duration

    if args.case not in CASES:
        raise CaseError(f"no case {args.case!r}. {nearest(args.case, CASES)}")
    if args.blocks is not None and (args.case not in block_cases.COUNTED or args.blocks < 1):
        counted = ", ".join(block_cases.COUNTED)
        raise CaseError(f"--blocks: got {args.blocks} for {args.case}, expected 1 or more, and one of {counted}.")
    case = block_cases.CASES[args.case](args.blocks)
    step = duration(args.step, "step") if args.step else case.step
    simulation = bq.Simulation(
        case.scene, case.forcing, case.contact, scheme=bq.TimeStepping(step), title=f"blocks: {args.case}",
        **dict(case.options),
    )  # fmt: skip
    return simulation, case.until
