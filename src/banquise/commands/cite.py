"""banquise cite: how to cite this version and the works behind its models."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "how to cite this version and the works behind its models"


def configure(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--bibtex", action="store_true", help="only the entries of a .bib file")
    options.json(form, "the works")


def run(args: argparse.Namespace) -> int:
    import json

    from banquise.citing import works

    found = works()
    if args.json:
        print(json.dumps([work.as_dict() for work in found], indent=1, ensure_ascii=False))
        return 0
    if not args.bibtex:
        print("Cite the package, and of the works those whose part you used:\n")
        for work in found:
            print(f"  {work.plain}\n    for {work.used_for}")
        print()
    print("\n\n".join(work.bibtex for work in found))
    return 0
