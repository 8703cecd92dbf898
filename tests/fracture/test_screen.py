"""The cheap look never says no to an impact that breaks."""

from __future__ import annotations

import time

import numpy as np
import pytest

from banquise.bench.fracture import struck_floes
from banquise.fracture import Griffith, compression_energy, impact, screen, search, shortest_cut
from banquise.scene.floe import Floe

from .conftest import rectangle


def test_shortest_cut_of_a_square_is_below_the_corner_triangle(square):
    # Two per cent of the area as a corner triangle: legs of 20 m, base of 20 sqrt(2).
    assert 0.8 * 20 * np.sqrt(2) < shortest_cut(square) < 20 * np.sqrt(2)


def test_a_neck_is_found():
    wings = Floe([[0, 0], [50, 48], [100, 0], [100, 100], [50, 52], [0, 100]])
    assert shortest_cut(wings) < 4.0


@pytest.mark.parametrize("width", [0.0, 0.15, 0.3])
def test_no_break_is_screened_out(width):
    """Widths of the least piece as parts of the floe's size."""
    for floe, point, push in struck_floes(4, seed=11):
        ice = Griffith(min_width=width * np.sqrt(floe.area))
        hit = impact(floe, point, push, 0.1, ice=ice)
        crack = search(floe, hit, ice, refine=False)
        energy = hit.energy * crack.critical**2  # of the impact that just breaks the floe
        assert crack.length >= shortest_cut(floe, ice.min_piece, ice.min_width)
        assert screen(floe, energy, ice)
        assert not screen(floe, 0.99 * 10.0 * floe.thickness * shortest_cut(floe, ice.min_piece, ice.min_width), ice)


def test_the_shortest_wide_cut_of_a_square(square):
    """A triangle of base s and legs s / sqrt(2) has the area s^2 / 4: a width of 20 m asks for a base of 80 m."""
    assert 0.85 * 80.0 < shortest_cut(square, 0.02, 20.0) < 80.0


def test_energies_from_impulses():
    assert compression_energy(2.0, 4.0) == pytest.approx(0.5)
    assert compression_energy(np.array([2.0, 4.0]), 4.0, 1.0) == pytest.approx([0.125, 0.5])
    many = screen(rectangle(100, 100), np.array([1.0, 1e6]))
    assert many.tolist() == [False, True]


def test_a_look_takes_microseconds(square):
    ice = Griffith()
    screen(square, 1e3, ice)
    best = np.inf
    for _ in range(5):
        start = time.thread_time()
        for _ in range(200):
            screen(square, 1e3, ice)
        best = min(best, (time.thread_time() - start) / 200)
    assert best < 20e-6
