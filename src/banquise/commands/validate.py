"""banquise validate: every classical case, expected, got, pass."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "run every case with a known answer: expected, got, pass"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("groups", nargs="*", help="groups of cases (default: all)")
    options.measured(parser, "the rows")


def run(args: argparse.Namespace) -> int:
    import json
    import sys

    from banquise.compiling import say_when_compiling
    from banquise.validation import GROUPS, Row, check_groups, rows

    options.use_threads(args)
    say_when_compiling()
    check_groups(args.groups)
    found: list[tuple[str, Row]] = []
    for group in args.groups or GROUPS:
        print(f"{group} ...", file=sys.stderr, flush=True)
        found += rows([group])
    failed = [row for _, row in found if not row.passed]
    dicts = [{"group": group, **row.as_dict()} for group, row in found]
    if args.json:
        print(json.dumps(dicts, indent=1))
    elif args.markdown:
        from banquise.bench.page import conditions, rows_table

        print(f"{conditions()}\n\n{rows_table(dicts)}\n\n{len(found) - len(failed)} of {len(found)} pass")
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table("case", "principle", "parameters", "expected", "got", "error", "pass")
        for _, row in found:
            mark = "[green]yes[/]" if row.passed else "[bold red]NO[/]"
            numbers = (f"{row.expected:.10g}", f"{row.got:.10g}", f"{row.error:.1e}")
            table.add_row(row.case, row.principle, row.parameters, *numbers, mark)
        console = Console(width=None if Console().is_terminal else 160)
        console.print(table)
        console.print(f"{len(found) - len(failed)} of {len(found)} pass")
    return 1 if failed else 0
