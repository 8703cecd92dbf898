"""banquise demo: a ready scene, start to finish."""

from __future__ import annotations

import argparse

HELP = "a ready scene, start to finish"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="demo.nc", help="run file to write (default: demo.nc)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    import json

    from banquise.commands.check import summary
    from banquise.scenes.drift import drifting_floes
    from banquise.warmup import say_if_compiling

    say_if_compiling()
    simulation = drifting_floes()
    result = simulation.run(until="6 h", every="5 min", output=args.output, progress=True)
    print(json.dumps(summary(result)) if args.json else result)
    return 0
