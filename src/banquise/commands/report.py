"""banquise report: one HTML page about a run."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "write one HTML page about a run: what, how it went, figures, player"


def configure(parser: argparse.ArgumentParser) -> None:
    options.run_file(parser)
    parser.add_argument("-o", "--output", help="page to write (default: the run's name with _report.html)")
    parser.add_argument("--no-player", action="store_true", help="leave the player out (a smaller page)")
    options.browser(parser, default=False)
    options.json(parser, "the checks")


def run(args: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict
    from pathlib import Path

    from banquise.view.kinds import open_any
    from banquise.view.report import checks, write_report
    from banquise.view.style import pyplot

    pyplot().switch_backend("agg")
    shown = open_any(args.run_file)
    source = Path(args.run_file)
    output = Path(args.output) if args.output else source.with_name(f"{source.stem}_report.html")
    size = write_report(shown, output, player=not args.no_player)
    found = checks(shown)
    if args.json:
        print(json.dumps({"output": str(output), "checks": [asdict(c) for c in found]}))
    else:
        print(f"{output}: {size / 1e6:.3g} MB, {sum(c.fine for c in found)} of {len(found)} checks hold")
    options.open_page(args, output)
    return 0
