"""banquise movie: a run as MP4 or GIF."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "write a movie of a run (MP4 or GIF)"


def configure(parser: argparse.ArgumentParser) -> None:
    options.run_file(parser)
    parser.add_argument("-o", "--output", help="movie to write, .mp4 or .gif (default: the run's name with .mp4)")
    parser.add_argument("--colour", default="speed", help="speed, thickness or plain")
    parser.add_argument("--fps", type=int, help="pictures a second (default: 25, less where records are few)")
    parser.add_argument("--seconds", type=float, help="length of the movie (default: one picture a record)")
    parser.add_argument("--size", help="width x height in pixels (default: 1280 wide, as high as the scene asks for)")
    options.quiet(parser)


def run(args: argparse.Namespace) -> int:
    import sys
    from pathlib import Path

    from banquise.errors import CaseError
    from banquise.recording.run_file import open_run
    from banquise.view.kinds import kind_at
    from banquise.view.movie import usual_fps, write_movie

    size = None
    if args.size:
        width, _, height = args.size.lower().partition("x")
        if not (width.isdigit() and height.isdigit() and 64 <= int(width) <= 8192 and 64 <= int(height) <= 8192):
            raise CaseError(f"--size: got {args.size!r}, expected width x height in pixels, such as 1280x960.")
        size = int(width), int(height)
    output = Path(args.output or Path(args.run_file).with_suffix(".mp4"))

    def progress(k: int, n: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{k} of {n} pictures", end="" if k < n else "\n", file=sys.stderr, flush=True)

    if (kind := kind_at(args.run_file) or "floes") != "floes":
        raise CaseError(f"{args.run_file}: a run of kind {kind}; a movie shows floes. Use banquise view.")
    shown = open_run(args.run_file)
    said = None if args.quiet else progress
    n = write_movie(shown, output, args.colour, args.fps, args.seconds, size, said)
    length = n / (args.fps or usual_fps(n, args.seconds))
    print(f"{output}: {n} pictures, {length:.3g} s, {output.stat().st_size / 1e6:.3g} MB")
    return 0
