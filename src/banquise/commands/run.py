"""banquise run: a case file, start to finish."""

from __future__ import annotations

import argparse

HELP = "run a case file, with progress, into a run file"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", help="case file (TOML)")
    parser.add_argument("-o", "--output", help="run file to write (default: the case's name with .nc)")
    parser.add_argument("--until", help='run to this time instead, such as "2 h"')
    parser.add_argument("--every", help="record interval instead")
    parser.add_argument("--threads", type=int, help="threads to use (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from banquise.case import load_case
    from banquise.commands.check import findings, summary
    from banquise.errors import CaseError
    from banquise.threads import set_threads
    from banquise.warmup import say_if_compiling

    if args.threads is not None:
        set_threads(args.threads)
    case = load_case(args.case)
    case.until = args.until or case.until
    case.every = args.every or case.every
    errors = [text for level, text in findings(case) if level == "error"]
    if errors:
        raise CaseError(
            f"{args.case}: {errors[0]}" + (f" (and {len(errors) - 1} more: banquise check)" if errors[1:] else "")
        )
    output = args.output or case.output or str(Path(args.case).with_suffix(".nc"))
    say_if_compiling()
    result = case.run(output=output, progress=not args.quiet)
    if args.json:
        print(json.dumps(summary(result)))
    else:
        print(result)
    return 0
