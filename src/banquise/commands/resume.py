"""banquise resume: a stopped run goes on; a finished one is taken further."""

from __future__ import annotations

import argparse

HELP = "go on with a stopped run exactly where it was, or take a finished one further"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="RUN", help="run file (.nc), finished or in pieces")
    parser.add_argument("--until", help='run to this time, such as "10 h" (default: the end first asked for)')
    parser.add_argument("--threads", type=int, help="threads to use (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    import json

    from banquise.commands.check import summary
    from banquise.resuming import resume
    from banquise.threads import set_threads
    from banquise.warmup import say_if_compiling

    if args.threads is not None:
        set_threads(args.threads)
    say_if_compiling()
    result = resume(args.file, args.until, progress=not args.quiet)
    print(json.dumps(summary(result)) if args.json else result)
    return 0
