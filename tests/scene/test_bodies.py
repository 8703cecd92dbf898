"""Columns of bodies."""

import numpy as np

import banquise as bq
from banquise.scene.bodies import Bodies


def test_the_smaller_body_of_a_pair():
    """Of two floes the smaller; beside an obstacle, however small, the floe."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    floes = [bq.Floe(side * square + (100 * k, 0)) for k, side in enumerate((10.0, 3.0, 7.0))]
    bodies = Bodies.of(floes, [bq.Obstacle(square + (0, 100))])
    one, other = np.array([0, 1, 0, 2]), np.array([1, 2, 2, 3])
    found = bodies.smaller_size(one, other)
    assert found.tolist() == [3.0, 3.0, 7.0, 7.0]
    assert (found[:3] == np.minimum(bodies.size[one], bodies.size[other])[:3]).all()  # the same bits
