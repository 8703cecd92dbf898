"""banquise bench: the benchmark scenes."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "time the benchmark scenes"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="benchmarks (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repeats")
    parser.add_argument("--peers", action="store_true", help="also run other codes on the same scenes (extra: peers)")
    options.measured(parser, "the figures")


def run(args: argparse.Namespace) -> int:
    import json
    import sys

    from banquise import bench

    options.use_threads(args)
    bench.peers = args.peers
    figures = []
    bench.check_names(args.names)
    for name in args.names or bench.BENCHES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        for figure in bench.run(name, args.quick):
            figures.append((name, figure))
            if not (args.json or args.markdown):
                bar = "" if figure.at_most is None else f"  (bar: at most {figure.at_most:g})"
                bar = f"  (bar: at least {figure.at_least:g})" if figure.at_least is not None else bar
                mark = "" if not bar else ("  ok" if figure.holds else "  NOT MET")
                note = f"  {figure.note}" if figure.note else ""
                print(f"{name:12} {figure.name:44} {figure.value:12.5g} {figure.unit}{bar}{mark}{note}", flush=True)
    found = [{"bench": name, **figure.as_dict()} for name, figure in figures]
    if args.json:
        print(json.dumps(found, indent=1))
    if args.markdown:
        from banquise.bench.page import conditions, figures_table

        print(f"{conditions()}{', --quick' if args.quick else ''}\n\n{figures_table(found)}")
    return 0 if all(figure.holds for _, figure in figures) else 1
