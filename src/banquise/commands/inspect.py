"""banquise inspect: what a file holds and how it will be understood."""

from __future__ import annotations

import argparse

HELP = "say what a run, case or forcing file holds"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a run file (.nc) or a case file (.toml)")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    if Path(args.file).suffix == ".toml":
        from banquise.case import load_case, tables_of

        case = load_case(args.file)
        if args.json:
            print(json.dumps({k: v for k, v in tables_of(case).items() if k != "scene"}, default=list))
        else:
            print(case.simulation())
        return 0
    from banquise.commands.check import summary
    from banquise.recording.run_file import open_run

    found = open_run(args.file)
    if args.json:
        print(json.dumps({**summary(found), "case": found.case}))
    else:
        print(found)
        print(found.dataset)
    return 0
