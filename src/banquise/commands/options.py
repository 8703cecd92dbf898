"""Options that several commands share: the same word, the same meaning, the same help everywhere."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

PICTURES = (".png", ".pdf", ".svg", ".jpg", ".tif")


def run_file(parser: argparse.ArgumentParser, note: str = "") -> None:
    """The run file a command looks at."""
    parser.add_argument("run_file", metavar="RUN", help=f"run file (.nc){note}")


def output(parser: argparse.ArgumentParser) -> None:
    """The run file a command writes."""
    parser.add_argument("-o", "--output", help="run file to write (default: the case's name with .nc)")


def times(parser: argparse.ArgumentParser) -> None:
    """How long, and how often to record."""
    parser.add_argument("--until", help='run to this time instead, such as "2 h"')
    parser.add_argument("--every", help="record interval instead")


def again(parser: argparse.ArgumentParser) -> None:
    """Whether to begin again where a run is."""
    parser.add_argument("--force", action="store_true", help="begin again, in place of the run that is there")


def check_there(args: argparse.Namespace, output: str | Path) -> None:
    """A run that is there, stopped or finished, is not written over unless asked for. An empty file is no run."""
    from banquise.errors import RunFileError
    from banquise.recording.recorder import check_free, check_place, pieces_of

    output = Path(output)
    check_place(output)
    check_free(output)
    if args.force:
        return
    if pieces_of(output).is_dir():
        there, on = "a run that was stopped is there. Go on with it", "banquise resume {}"
    elif output.exists() and output.stat().st_size:
        there, on = "a run is there already. Look at it", "banquise view {}"
    else:
        return
    raise RunFileError(
        f"output {output}: {there}: {on.format(shlex.quote(str(output)))}\n"
        "Or give another name with -o, or begin again in its place: the same command with --force."
    )


def threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--threads", type=int, help="threads to use (default: all cores)")


def use_threads(args: argparse.Namespace) -> None:
    """Take the number of threads that was asked for."""
    if args.threads is not None:
        from banquise.threads import set_threads

        set_threads(args.threads)


def quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="no progress")


def json(parser: argparse._ActionsContainer, what: str = "the summary") -> None:
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def measured(parser: argparse.ArgumentParser, what: str) -> None:
    """How many threads work out a list of figures, and in what form it is printed."""
    threads(parser)
    form = parser.add_mutually_exclusive_group()
    json(form, what)
    form.add_argument("--markdown", action="store_true", help="print a page: what it ran on and a table")


def picture(parser: argparse.ArgumentParser, beside: str | None) -> None:
    """Whether to draw, and where: `beside` a file of ours, or, for commands that only look, where it is asked for."""
    default = "default: none" if beside is None else f"default: beside {beside}"
    parser.add_argument("--plot", metavar="PICTURE.png", help=f"name of the picture ({default})")
    parser.add_argument("--no-plot", action="store_true", help="draw nothing")


def check_picture(args: argparse.Namespace) -> None:
    """Raise if the picture asked for by name is of no known kind, before the work of which it is the end."""
    from banquise.errors import CaseError

    if args.plot and Path(args.plot).suffix.lower() not in PICTURES:
        raise CaseError(f"--plot {args.plot}: expected a name that ends in {', '.join(PICTURES)}.")


def drawn(args: argparse.Namespace, default: Path | None, figure: Callable[[], Any], dpi: int) -> str | None:
    """Write the picture; without matplotlib say so, and fail only if a picture was asked for by name."""
    import sys

    from banquise.errors import BanquiseError
    from banquise.view.style import pyplot

    path = Path(args.plot) if args.plot else default
    if args.no_plot or path is None:
        return None
    try:
        pyplot().switch_backend("agg")
        made = figure()
    except BanquiseError as error:
        if args.plot:
            raise
        print(f"no picture: {error}", file=sys.stderr)
        return None
    made.savefig(path, dpi=dpi)
    pyplot().close(made)
    return str(path)


def browser(parser: argparse.ArgumentParser, default: bool) -> None:
    """Whether to open the page that is written."""
    parser.add_argument(
        "--open", action=argparse.BooleanOptionalAction, default=default,
        help=f"open the page in a browser, or do not (default: {'open' if default else 'do not'})",
    )  # fmt: skip


def open_page(args: argparse.Namespace, page: Path) -> None:
    """Open a page if that is wanted."""
    if args.open:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
