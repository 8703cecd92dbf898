"""banquise view: the web player of a run, one HTML file."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "write the web player of a run (one HTML file) and open it"


def configure(parser: argparse.ArgumentParser) -> None:
    options.run_file(parser)
    parser.add_argument("-o", "--output", help="page to write (default: the run's name with .html)")
    options.browser(parser, default=True)
    parser.add_argument("--max-frames", type=int, metavar="N", help="keep at most N records, evenly (a smaller page)")
    parser.add_argument(
        "--serve", action="store_true", help="for very large runs: serve it to this machine only, in pieces"
    )
    parser.add_argument("--port", type=int, default=0, help="port of --serve (default: any free one)")
    parser.add_argument("--colour", help="what colours show at first, such as speed or thickness")
    parser.add_argument(
        "--theme", choices=("auto", "light", "dark"), default="auto", help="light, dark, or as the system"
    )


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from banquise.errors import CaseError
    from banquise.view.kinds import open_any
    from banquise.view.player import SINGLE_FILE_LIMIT, write_page

    if args.max_frames is not None and args.max_frames < 2:
        raise CaseError(f"--max-frames: got {args.max_frames}, expected 2 or more.")
    shown = open_any(args.run_file)
    chosen = {"theme": args.theme} | ({"colour": args.colour} if args.colour else {})
    if args.serve:
        from banquise.view.serve import serve

        serve(shown, args.port, args.open, chosen)
        return 0
    output = Path(args.output or Path(args.run_file).with_suffix(".html"))
    size = write_page(shown, output, args.max_frames, **chosen)
    print(f"{output}: {size / 1e6:.3g} MB, opens in any browser")
    if size > SINGLE_FILE_LIMIT:
        print("This is a large page. `banquise view --serve` loads it in pieces; --max-frames makes it smaller.")
    options.open_page(args, output)
    return 0
