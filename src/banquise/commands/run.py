"""banquise run: a case file, start to finish."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "run a case file, with progress, into a run file"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", help="case file (TOML)")
    options.output(parser)
    options.times(parser)
    options.again(parser)
    options.threads(parser)
    options.quiet(parser)
    options.json(parser)


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from banquise.case import load_case
    from banquise.commands.check import findings, summary
    from banquise.compiling import say_when_compiling
    from banquise.errors import CaseError

    options.use_threads(args)
    case = load_case(args.case)
    case.until = args.until or case.until
    case.every = args.every or case.every
    case.output = args.output or case.output or str(Path(args.case).with_suffix(".nc"))
    errors = [text for level, text in findings(case) if level == "error"]
    if errors:
        raise CaseError(
            f"{args.case}: {errors[0]}" + (f" (and {len(errors) - 1} more: banquise check)" if errors[1:] else "")
        )
    options.check_there(args, case.output)
    say_when_compiling()
    result = case.run(progress=not args.quiet)
    if args.json:
        print(json.dumps(summary(result)))
    else:
        print(result)
    return 0
