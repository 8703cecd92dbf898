"""banquise resume: a stopped run goes on; a finished one is taken further."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "go on with a stopped run exactly where it was, or take a finished one further"


def configure(parser: argparse.ArgumentParser) -> None:
    options.run_file(parser, ", finished or in pieces")
    parser.add_argument("--until", help='run to this time, such as "10 h" (default: the end first asked for)')
    options.threads(parser)
    options.quiet(parser)
    options.json(parser)


def run(args: argparse.Namespace) -> int:
    import json

    from banquise.commands.check import summary
    from banquise.compiling import say_when_compiling
    from banquise.resuming import resume

    options.use_threads(args)
    say_when_compiling()
    result = resume(args.run_file, args.until, progress=not args.quiet)
    print(json.dumps(summary(result)) if args.json else result)
    return 0
