"""banquise warmup: compile the kernels now instead of when they are first needed."""

from __future__ import annotations

import argparse

HELP = "compile all kernels now, once; they are kept on disk"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "groups", nargs="*", help="parts of the package, named as in `banquise validate` (default: all)"
    )


def run(args: argparse.Namespace) -> int:
    import sys
    import time

    from banquise.validation import check_groups
    from banquise.warmup import compile_kernels

    check_groups(args.groups)
    began = time.perf_counter()
    print(
        "compiling kernels, once; all of them take some five minutes on two free cores ...", file=sys.stderr, flush=True
    )
    for name in compile_kernels(args.groups):
        print(f"{name:12} ready after {time.perf_counter() - began:.0f} s", flush=True)
    return 0
