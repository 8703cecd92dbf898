"""banquise demo: a ready scene, start to finish."""

from __future__ import annotations

import argparse

HELP = "a ready scene, start to finish: a run file and its player page"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="demo.nc", help="run file to write (default: demo.nc)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from banquise.commands.check import summary
    from banquise.scenes.drift import drifting_floes
    from banquise.view.player import write_page
    from banquise.warmup import say_if_compiling

    say_if_compiling()
    simulation = drifting_floes()
    result = simulation.run(until="6 h", every="5 min", output=args.output, progress=True)
    page = Path(args.output).with_suffix(".html")
    write_page(result, page)
    if args.json:
        print(json.dumps({**summary(result), "page": str(page)}))
    else:
        print(result)
        print(f"To see it, open {page.resolve().as_uri()} in a browser.")
    return 0
