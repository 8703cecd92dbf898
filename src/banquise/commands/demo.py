"""banquise demo: a ready scene, start to finish."""

from __future__ import annotations

import argparse
from typing import Any

from banquise.commands import options

HELP = "a ready scene, start to finish: a run file and its player page"
# smaller than the papers' so that the whole takes less than a minute
SMALL: dict[str, tuple[dict[str, Any], str, str]] = {
    "channel": ({"n": 30, "width": 300.0, "length": 700.0}, "40 min", "1 min"),
    "drift": ({"n": 40, "box": (500.0, 500.0), "max_size": 80.0, "days": 1.0}, "3 h", "5 min"),
    "basin": ({"n": 30}, "30 min", "1 min"),
    "platform": ({"n": 40, "field": (250.0, 180.0)}, "10 min", "5 s"),
    "ship": ({"n": 40, "field": (250.0, 180.0)}, "2 min", "1 s"),
}
NAMES = tuple(SMALL)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", nargs="?", default="channel", help=f"{', '.join(NAMES)} (default: channel)")
    parser.add_argument("-o", "--output", help="run file to write (default: demo.nc, in place of the last demo)")
    parser.add_argument("--floes", metavar="FILE", help="floes (channel) or outlines (drift, basin) from a file")
    parser.add_argument("--forcing", metavar="FILE", help="wind and current from a file (drift, basin)")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help="any parameter of the scene")
    parser.add_argument("--full", action="store_true", help="as large and as long as in the papers")
    options.times(parser)
    options.again(parser)
    parser.add_argument("--seed", type=int, help="of the scene")
    options.threads(parser)
    options.browser(parser, default=False)
    options.quiet(parser)
    options.json(parser)


def chosen(args: argparse.Namespace) -> tuple[dict[str, Any], str, str]:
    """Parameters of the scene, until and every, from the command line."""
    import tomllib

    from banquise.errors import CaseError, nearest
    from banquise.scenes import SCENES
    from banquise.scenes import parameters as parameters_of

    if args.scene not in SCENES:
        raise CaseError(f"no scene {args.scene!r}. {nearest(args.scene, SCENES)}")
    small, until, every = SMALL[args.scene]
    parameters = dict(small)
    if args.full or args.floes:  # floes that are given have their own size: the scene of the papers fits them
        parameters, until, every = {}, *SCENES[args.scene][1:]
    known = parameters_of(args.scene)
    for name in ("floes", "forcing", "seed"):
        value = getattr(args, name)
        if value is not None:
            if name not in known:
                raise CaseError(f"scene {args.scene} takes no --{name}.")
            parameters[name] = value
    for entry in args.set:
        name, _, text = entry.partition("=")
        try:
            parameters[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            raise CaseError(f"--set {entry}: expected NAME=VALUE with a number, a list or text in quotes.") from None
    return parameters, args.until or until, args.every or every


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from banquise.commands.check import summary
    from banquise.compiling import say_when_compiling
    from banquise.recording.recorder import check_place
    from banquise.scenes import make
    from banquise.view.player import write_page

    options.use_threads(args)
    parameters, until, every = chosen(args)
    if args.output:
        options.check_there(args, args.output)
    output = Path(args.output or "demo.nc")
    check_place(output)
    say_when_compiling()
    simulation = make(args.scene, **parameters)
    result = simulation.run(until=until, every=every, output=output, progress=not args.quiet)
    page = output.with_suffix(".html")
    write_page(result, page)
    if args.json:
        print(json.dumps({**summary(result), "page": str(page)}))
    else:
        print(result)
        print(f"To see it, open {page.resolve().as_uri()} in a browser.")
    options.open_page(args, page)
    return 0
