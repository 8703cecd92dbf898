"""Scenes drawn at random: floes of all kinds, walls or none, both schemes, whole or breaking. Steps keep their promises."""

from hypothesis import given
from hypothesis import strategies as st
from pressed_floes import pressed

import banquise as bq

from .damage import rounds

KINDS = ["star", "disc", "rounded", "holed"]


@rounds(3)
@given(
    seed=st.integers(0, 2**31),
    friction=st.sampled_from([0.0, 0.2, 0.7, 1.0]),
    restitution=st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    scheme=st.sampled_from(
        [bq.TimeStepping(step=step) for step in (5.0, 20.0, 60.0)] + [bq.EventDriven(max_step=20.0)]
    ),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True),
    periodic=st.booleans(),
)
def test_no_overlap_no_loss(seed, friction, restitution, scheme, kinds, periodic):
    pressed(seed, bq.Contact(friction=friction, restitution=restitution), scheme, 1800.0, kinds, periodic)


@rounds(1)
@given(seed=st.integers(0, 2**31), toughness=st.floats(5.0, 50.0), periodic=st.booleans())
def test_no_overlap_no_loss_with_breaks(seed, toughness, periodic):
    law = bq.Griffith(toughness=toughness, min_size=20.0)
    pressed(seed, bq.Contact(), bq.TimeStepping(step=20.0), 600.0, KINDS, periodic, law)
