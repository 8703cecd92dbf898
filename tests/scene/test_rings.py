"""What a ring may be, and how it is put in order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import star

import banquise as bq
from banquise.scene.rings import clean_ring, signed_area


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.booleans(), st.booleans(), st.integers(0, 3))
def test_orientation_and_repeats_do_not_matter(seed, backwards, closed, repeats):
    ring = star(np.random.default_rng(seed), 9)
    given_ring = [ring[0], *(ring[:0:-1] if backwards else ring[1:])]
    given_ring[1:1] = [given_ring[0]] * repeats
    if closed:
        given_ring.append(given_ring[0])
    assert clean_ring(given_ring).tolist() == ring.tolist()  # the first point stays first, counter-clockwise


def test_holes_are_clockwise():
    floe = bq.Floe([[0, 0], [9, 0], [9, 9], [0, 9]], holes=[[[2, 2], [4, 2], [4, 4], [2, 4]]])
    assert signed_area(floe.holes[0]) == -4.0
    assert floe.area == 77.0


def test_world_rings_come_back():
    """Body frame and pose give the ring back where it was."""
    ring = star(np.random.default_rng(2), 20, centre=(1e4, -3e4))
    bodies = bq.Scene([bq.Floe(ring)]).bodies()
    assert np.abs(bodies.world_rings(0)[0] - ring).max() < 1e-11  # round-off of the coordinates


def test_overlaps_are_found():
    scene = bq.Scene(
        [bq.Disc((0, 0), 1.0), bq.Disc((1.5, 0), 1.0), bq.Disc((9, 9), 1)], [bq.Obstacle([[8, 8], [9, 8], [9, 9]])]
    )
    pairs = scene.overlaps()
    assert [(i, j) for i, j, _ in pairs] == [(0, 1), (2, 3)]
    # lens of two unit discs 1.5 apart: 2 acos(3/4) - 1.5 sqrt(1 - 9/16); the polygons are inscribed
    assert pairs[0][2] == pytest.approx(2 * np.arccos(0.75) - 1.5 * np.sqrt(7) / 4, rel=2e-3)


def test_touching_is_not_overlapping():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    assert bq.Scene([bq.Floe(square), bq.Floe(square + np.array([1, 0]))]).overlaps() == []
