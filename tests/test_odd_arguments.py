"""Public functions given what makes no sense: one plain sentence, by a BanquiseError, whatever the kind of nonsense."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq

RING = [[0, 0], [100, 0], [100, 100], [0, 100]]
FLOE = bq.Floe(RING)
BLOCK = bq.Polyhedron.box((1, 1, 1))
GLACIER = bq.glacier.Glacier(2000.0, 100.0)
HUGE, CUBE = (
    10**400,
    np.zeros((2, 2, 2)),
)  # a whole number that no float holds; an array that takes three lines to write

ODD = {
    "word": (
        [
            lambda odd: bq.Contact(order=odd),
            lambda odd: bq.Griffith(rule=odd),
            lambda odd: bq.lcp.solve(np.eye(2), [1.0, 2.0], method=odd),
            lambda odd: bq.percussion.two_bodies(1, 1, 1, 0, 1e3, 1.0, release=odd),
            lambda odd: bq.blocks.Moreau(law=odd),
            lambda odd: GLACIER.run(scheme=odd),
            lambda odd: GLACIER.stability().spectral_radius(odd, 0.01),
            lambda odd: bq.glacier.Iceberg(turn=odd),
        ],
        [CUBE, np.array([]), HUGE, None, ["first"], float("nan")],
    ),
    "number": (
        [
            lambda odd: bq.Floe(RING, thickness=odd),
            lambda odd: bq.Periodic(0, odd, 0, 1),
            lambda odd: bq.Griffith(toughness=odd),
            lambda odd: bq.Griffith(nodes=odd),
            lambda odd: bq.pack(n=3, box=(600, 600), max_size=odd),
            lambda odd: bq.pack(n=3, box=(600, 600), exponent=odd),
            lambda odd: bq.pack(n=odd, box=(600, 600)),
            lambda odd: bq.Forcing(latitude=odd),
            lambda odd: bq.Polyhedron.ball(odd),
            lambda odd: bq.Simulation(bq.Scene(blocks=[BLOCK]), sweeps=odd),
            lambda odd: bq.glacier.Iceberg(height=odd),
            lambda odd: GLACIER.run(until=odd),
            lambda odd: GLACIER.run(step=odd),
        ],
        [CUBE, HUGE, "many", {}, 1j, np.ma.masked],
    ),
    "list": (
        [
            lambda odd: bq.Scene(floes=odd),
            lambda odd: bq.Scene(blocks=odd),
            lambda odd: bq.Forcing(loads=odd),
            lambda odd: bq.Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces=odd),
            lambda odd: bq.Simulation(bq.Scene([FLOE])).run(until=1.0, callbacks=odd),
        ],
        [5, np.array(5), np.ma.masked, object(), 1j, [["a", "b", "c"]]],
    ),
}


CALLS = [(call, odd) for calls, odds in ODD.values() for call in calls for odd in odds]
CALLS += [(lambda odd: GLACIER.run(until=odd), 1e308), (bq.Polyhedron.ball, 1e308)]
CALLS += [(lambda odd: bq.glacier.Glacier(2000.0, 100.0, young=odd), 1e300)]


@pytest.mark.parametrize("call, odd", CALLS, ids=range(len(CALLS)))
def test_odd_arguments_get_a_sentence(call, odd):
    with pytest.raises(bq.BanquiseError) as told:
        call(odd)
    said = str(told.value)
    assert said.count("\n") <= 1 and 10 < len(said) < 300


def test_a_simulation_wants_a_scene():
    with pytest.raises(bq.BanquiseError, match=r"scene is NoneType, expected bq.Scene"):
        bq.Simulation(None)


def test_glacier_records_less_often_than_it_lasts_keep_its_end():
    assert GLACIER.run(until=5.0, every=1e9).dataset.time.values.tolist() == [0.0, 5.0]


def test_materials_and_names_of_blocks_are_words_as_those_of_floes():
    """A number among words was a traceback where materials are sorted."""
    blocks = [BLOCK, bq.Polyhedron.box((1, 1, 1), position=(3, 0, 0), material=7, name=8)]
    assert (blocks[1].material, blocks[1].name) == ("7", "8")
    bq.Simulation(bq.Scene(blocks=blocks))
