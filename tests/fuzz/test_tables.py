"""Case files of every kind with entries spoiled: a case or a sentence comes out, never another error."""

import tomllib

import pytest
from hypothesis import given

from banquise.case import case_of, load_case
from banquise.commands.check import findings
from banquise.ensembles.plan import plan_of, read_plan
from banquise.glacier.case import parse_case, read_case
from fuzz.damage import CHANGES, EDITS, changed, only_sentences, rounds, spoiled

FLOES = """
title = "All that floes can say"
seed = 3
crs = "EPSG:3413"
[[scene.floes]]
ring = [[0, 0], [10, 0], [10, 8], [0, 10]]
holes = [[[2, 2], [3, 2], [3, 3]]]
thickness = "1.2 m"
velocity = ["10 cm/s", 0]
spin = 0.001
material = "ice"
[[scene.floes]]
centre = [40, 0]
radius = "5 m"
name = "round"
[[scene.obstacles]]
centre = [80, 0]
radius = 4
[[scene.obstacles]]
ring = [[100, 0], [120, 0], [120, 20]]
velocity = [0.1, 0]
[scene.domain]
kind = "box"
xmin = -50
xmax = 200
ymin = -50
ymax = 50
open = ["right"]
[forcing]
current = [0.1, 0]
latitude = 81
relative_wind = true
[forcing.wind]
times = [0, 3600]
u = [0, 10]
v = [0, 2]
after_end = "hold"
[[forcing.loads]]
floe = 0
force = [1, 0]
stop = 5
[contact]
friction = {"ice-ice" = 0.7, "default-default" = 0.3}
restitution = 0.3
order = "sequential"
[scheme]
kind = "event-driven"
max_step = 5
[fracture]
kind = "griffith"
toughness = 10
[run]
until = "10 min"
every = 60
start = "2024-03-01"
"""
BLOCKS = """
[[scene.blocks]]
box = [10, 10, "1 m"]
position = [0, 0, -0.5]
fixed = true
[[scene.blocks]]
vertices = [[0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 2]]
orientation = [1, 0.1, 0, 0]
density = 917
[[scene.blocks]]
centres = [[3, 3, 2], [4, 3, 2]]
radii = [0.6, 0.6]
[[scene.blocks]]
parts = [[[5, 0, 1], [6, 0, 1], [5, 1, 1], [5, 0, 2]], [[5, 0, 1], [4, 0, 1], [5, 1, 1], [5, 0, 2]]]
[forcing]
gravity = [0, 0, -9.81]
water_level = 0
[scheme]
kind = "moreau"
step = "5 ms"
[bond]
tension = 1e4
shear = 1e4
materials = [["ice", "ice"]]
[run]
until = 2
"""
GLACIER = """
[glacier]
length = "2 km"
block = "25 m"
thickness = { x = ["0 km", "2 km"], value = ["700 m", "900 m"] }
slope = 1
back = "absorbing"
[friction]
law = "Weertman"
coefficient = 5.623e6
[load]
shape = "Iceberg"
height = "800 m"
aspect = 0.25
[run]
until = "10 s"
step = "0.02 s"
scheme = "imex"
"""
SWEEP = """
scene = "channel"
seeds = 3
until = "5 h"
every = "5 min"
measures = ["summary", "jam"]
[options]
shake = 1.0
[parameters]
slope = [30, 45]
test = [{ name = "1", friction = 0.7 }, { name = "4", friction = 0.5 }]
"""


def _checked(case):
    """Also what `banquise check` finds: it makes the simulation."""
    if not case.scene.blocks and len(case.scene.floes) < 10:
        findings(case)


READERS = {
    "floes": (FLOES, lambda tables: _checked(case_of(tables)), load_case),
    "blocks": (BLOCKS, case_of, load_case),
    "glacier": (GLACIER, parse_case, read_case),
    "sweep": (SWEEP, plan_of, read_plan),
}


@pytest.mark.parametrize("kind", READERS)
def test_the_good_case_is_good(kind):
    text, parse, _ = READERS[kind]
    parse(tomllib.loads(text))


@pytest.mark.parametrize("kind", READERS)
@rounds(60)
@given(changes=CHANGES)
def test_spoiled_entries(kind, changes):
    text, parse, _ = READERS[kind]
    tables = changed(tomllib.loads(text), changes)
    only_sentences(lambda: parse(tables))


@pytest.mark.parametrize("kind", READERS)
@rounds(25)
@given(edits=EDITS)
def test_spoiled_text(kind, edits, tmp_path):
    text, _, read = READERS[kind]
    file = tmp_path / "case.toml"
    file.write_bytes(spoiled(text.encode(), edits))
    only_sentences(lambda: read(file))
