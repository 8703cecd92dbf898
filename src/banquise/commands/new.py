"""banquise new: a first case file, to change by hand."""

from __future__ import annotations

import argparse

HELP = "write a first case file, with comments, to change by hand"
# Small enough to run in seconds, with one of everything a first scene wants: floes, a coast, wind, contact, records.
FIRST_CASE = """\
# Lengths in m, times in s, angles in rad; text with a unit is read too: "30 cm", "2 h".
title = "two floes and a rock"

[[scene.floes]]                                       # a floe: a ring of points, any simple polygon
name = "raft"
ring = [[0, 0], [400, 0], [450, 200], [150, 300], [0, 250]]
thickness = "1.5 m"

[[scene.floes]]                                       # a round one
name = "pancake"
centre = [700, 100]
radius = 120
thickness = "80 cm"

[[scene.obstacles]]                                   # does not move
ring = [[1500, -200], [1700, -200], [1700, 500], [1500, 400]]

[forcing]
wind = [10, 0]                                        # m/s towards x, y; or a file: wind = "era5.nc"
current = [0, 0]                                      # water at rest, whose drag acts
latitude = 81

[contact]
friction = 0.7
restitution = 0.35

[run]
until = "6 h"
every = "5 min"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", nargs="?", default="case.toml", help="file to write (default: case.toml)")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from banquise.errors import CaseError

    path = Path(args.case)
    if path.suffix != ".toml":
        raise CaseError(f"{path}: a case file ends in .toml. Try: banquise new {path.with_suffix('.toml')}")
    if path.exists() and not args.force:
        raise CaseError(f"{path} is there already. Give another name, or --force to write over it.")
    if not path.parent.is_dir():
        raise CaseError(f"{path}: the folder {path.parent} does not exist. Make it first.")
    path.write_text(FIRST_CASE, encoding="utf-8")
    print(f"{path}: two floes and a rock. Run it with: banquise run {path}")
    return 0
