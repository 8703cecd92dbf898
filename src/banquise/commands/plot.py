"""banquise plot: ready figures of a run."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "draw ready figures of a run: snapshot, trajectories, energy, ..."


def configure(parser: argparse.ArgumentParser) -> None:
    options.run_file(parser)
    parser.add_argument(
        "figures",
        metavar="FIGURE",
        nargs="*",
        help="of floes: snapshot, trajectories, energy, impulses, sizes, flow, loads; of blocks: snapshot, energy, heights; "
        "of a glacier: run (default: all that the run can show)",
    )
    parser.add_argument("-o", "--output", help="folder, or file name for one figure (default: beside the run)")
    parser.add_argument("--format", default="png", help="png, pdf or svg (default: png)")
    parser.add_argument("--time", help='time of the snapshot, such as "2 h" (default: the end)')
    parser.add_argument("--colour", default="speed", help="of the snapshot: speed, thickness or plain")


def run(args: argparse.Namespace) -> int:
    import sys
    from pathlib import Path

    from banquise.errors import CaseError, nearest
    from banquise.given import ENDINGS
    from banquise.view.kinds import open_any
    from banquise.view.plots import NothingToPlot, figure, figures_of
    from banquise.view.style import pyplot

    kinds = ("png", "pdf", "svg")
    output = Path(args.output) if args.output else None
    one_file = output is not None and output.suffix.lstrip(".") in kinds and not output.is_dir()
    if output is not None and not one_file and output.suffix.lower() in ENDINGS and not output.is_dir():
        raise CaseError(f"-o {output}: a figure ends in .png, .pdf or .svg; a name without an ending is a folder.")
    if one_file and len(args.figures) != 1:
        raise CaseError(
            f"-o {output}: one file holds one figure, got {len(args.figures) or 'all'}. Name one, or a folder."
        )
    if args.format not in kinds:
        raise CaseError(f"--format: got {args.format!r}, expected png, pdf or svg.")
    shown = open_any(args.run_file)
    known = figures_of(shown)
    for name in args.figures:
        if name not in known:
            raise CaseError(f"no figure {name!r}. {nearest(name, known)}")
    source = Path(args.run_file)
    pyplot().switch_backend("agg")
    if output is not None and not one_file:
        output.mkdir(parents=True, exist_ok=True)
    for name in args.figures or known:
        try:
            chosen = {"time": args.time, "colour": args.colour} if name == "snapshot" else {}
            drawn = figure(shown, name, **chosen)
        except NothingToPlot as problem:
            if args.figures:
                raise
            print(f"left out {problem}", file=sys.stderr)
            continue
        path = output if one_file and output else (output or source.parent) / f"{source.stem}_{name}.{args.format}"
        drawn.savefig(path)
        pyplot().close(drawn)
        print(path)
    return 0
