"""Shapes after a break: rows that stayed are copied, new ones made; nothing tells them from shapes made anew."""

from __future__ import annotations

import numpy as np

from banquise.detection.planar import Detector
from banquise.detection.shapes import reshaped, shapes_of
from banquise.fracture.splice import Broken, splice
from banquise.fracture.split import pieces_of
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scenes.fracture import storm


def polygon(corners, seed, place):
    rng = np.random.default_rng(seed)
    turn = 2 * np.pi * (np.arange(corners) + rng.uniform(0, 0.7, corners)) / corners
    reach = 40 * rng.uniform(0.6, 1.2, corners)
    return Floe(np.asarray(place) + np.column_stack([reach * np.cos(turn), reach * np.sin(turn)]))


def test_shapes_of_a_broken_pack_are_those_made_anew():
    hole = [[0, 0], [0, 10], [10, 10], [10, 0]]
    floes = [
        polygon(7, 0, (0, 0)),
        Floe([[300, 300], [400, 300], [400, 400], [300, 400]], holes=[np.array(hole) + 345.0]),
        Disc((600, 0), 30.0),
        polygon(90, 1, (900, 0)),  # with boxes over its boxes
        polygon(5, 2, (1200, 0)),
    ]
    coast = Obstacle(
        np.column_stack([np.linspace(-500, 2000, 300), -200.0 - np.arange(300) % 2]).tolist() + [[0, -900]]
    )
    bodies = Bodies.of(floes, [coast, Obstacle([(0.0, 900.0)], radius=20.0)])
    shapes = shapes_of(bodies)
    broken = []
    for row, first in ((0, 5), (3, 7)):
        ring = floes[row].ring
        broken.append(
            Broken(row, floes[row], pieces_of(floes[row], [ring[0], ring[len(ring) // 2]]), [first, first + 1])
        )
    after, before = splice(bodies, broken)
    rows = np.concatenate([before, np.arange(bodies.n_free, len(bodies))])
    got, want = reshaped(shapes, after, rows), shapes_of(after)
    for name in want._fields:
        one, two = getattr(got, name), getattr(want, name)
        assert one.dtype == two.dtype and np.array_equal(one, two), name
        assert one.flags.c_contiguous


def test_what_is_known_of_pairs_that_stayed_changes_no_answer(monkeypatch):
    """A storm whose detector forgets everything at each break goes the same way bit for bit."""
    reset, runs = Detector.reset, []
    for forgets in (False, True):
        if forgets:
            monkeypatch.setattr(Detector, "reset", lambda self, bodies, before=None: reset(self, bodies))
        sim = storm(n=40)
        run = sim.run(150, every=30)
        assert sim.bodies.n_free > 45
        runs.append(run.dataset)
    for name in ("x", "y", "rotation", "u", "v", "spin"):
        assert np.array_equal(runs[0][name], runs[1][name], equal_nan=True), name
