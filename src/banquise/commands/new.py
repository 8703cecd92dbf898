"""banquise new: a first case file, to change by hand."""

from __future__ import annotations

import argparse

HELP = "write a first case file, with comments, to change by hand"
# Small enough to run in seconds, with one of everything that a first scene of its kind wants.
FLOES = """\
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

BLOCKS = """\
# Lengths in m, times in s, angles in rad; text with a unit is read too: "30 cm", "2 h".
title = "a block of ice tumbles off another"

[[scene.blocks]]                                      # does not move; its top is at height 0
name = "floor"
box = [10, 10, 1]                                     # sides
position = [0, 0, -0.5]                               # of the centre
fixed = true
material = "rock"

[[scene.blocks]]
name = "below"
box = [1, 1, 1]
position = [0, 0, 0.5]

[[scene.blocks]]                                      # falls askew on the edge of it
name = "above"
box = [1.2, 0.8, 0.8]                                 # or vertices = [[x, y, z], ...], or file = "rock.stl"
position = [0.7, 0.05, 1.9]
orientation = [1, 0.1, 0.05, 0]                       # w, x, y, z

[forcing]
gravity = [0, 0, -9.81]                               # water_level = 0 would let them float

[contact]
friction = {"ice-ice" = 0.3, "ice-rock" = 0.5}
restitution = 0.1

[scheme]
kind = "time-stepping"
step = "2 ms"

[run]
until = "2 s"
every = "20 ms"
"""

GLACIER = """\
# Lengths in m, times in s, slopes and tilts in degrees; text with a unit is read too: "10 km", "0.02 rad".
# An iceberg capsizes against the front of a glacier.
[glacier]                                             # a chain of blocks that slides
length = "10 km"
block = "100 m"
thickness = {x = ["0 km", "10 km"], value = ["800 m", "1000 m"]}
slope = "1 deg"
young = "0.92 GPa"
back = "absorbing"                                    # waves leave there

[friction]
law = "Weertman"                                      # or Budd, Schoof, Tsai, RateState, ...
coefficient = 7.6e6                                   # Pa (s/m)^(1/3)

[load]                                                # what pushes the front
shape = "Iceberg"
height = "800 m"
aspect = 0.25                                         # width over height
turn = "bottom-out"
tilt = "2 deg"

[run]
until = "200 s"
step = "0.05 s"
"""

SWEEP = """\
# Every combination of the parameters, times seeds. Instead of a ready scene a case of yours: case = "case.toml".
scene = "drift"
seeds = 2                                             # 0 and 1; or a list
until = "30 min"
every = "5 min"
measures = ["summary", "energy"]

[options]                                             # for every member
n = 12

[parameters]                                          # of a case by their table: "contact.friction" = [0.3, 0.7]
restitution = [0.0, 0.35]
"""

# kind: text, what it is, the command that runs it
FIRST = {
    "floes": (FLOES, "two floes and a rock", "banquise run"),
    "blocks": (BLOCKS, "a block of ice that tumbles off another", "banquise run"),
    "glacier": (GLACIER, "a glacier and a capsizing iceberg", "banquise glacier run"),
    "sweep": (SWEEP, "four runs of a drift", "banquise sweep"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", nargs="?", help="file to write (default: case.toml; blocks.toml, ... with --of)")
    parser.add_argument("--of", choices=list(FIRST), default="floes", help="what it is a case of (default: floes)")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from banquise.errors import CaseError

    text, what, command = FIRST[args.of]
    path = Path(args.case or ("case.toml" if args.of == "floes" else f"{args.of}.toml"))
    if path.suffix != ".toml":
        raise CaseError(f"{path}: a case file ends in .toml. Try: banquise new {path.with_suffix('.toml')}")
    if path.exists() and not args.force:
        raise CaseError(f"{path} is there already. Give another name, or --force to write over it.")
    if not path.parent.is_dir():
        raise CaseError(f"{path}: the folder {path.parent} does not exist. Make it first.")
    path.write_text(text, encoding="utf-8")
    print(f"{path}: {what}. Run it with: {command} {path}")
    return 0
