"""Floes that the fracture tests share."""

from __future__ import annotations

import numpy as np
import pytest

from banquise.scene.floe import Floe

YOUNG, TOUGHNESS = 8.95e9, 10.0


def rectangle(width: float, height: float, low: float = 0.0, **options: object) -> Floe:
    options = {"density": 910.0, **options}
    return Floe([[0, low], [width, low], [width, low + height], [0, low + height]], **options)


def star(seed: int, size: float = 50.0, corners: int = 11) -> Floe:
    """A random floe, concave as often as not."""
    rng = np.random.default_rng(seed)
    angle = (np.arange(corners) + rng.uniform(-0.35, 0.35, corners)) * 2 * np.pi / corners
    reach = size * rng.uniform(0.5, 1.2, corners)
    return Floe(np.column_stack([reach * np.cos(angle), reach * np.sin(angle)]), density=910.0)


def ragged(corners: int, seed: int) -> Floe:
    """A round floe with teeth, more of them than a mesh keeps."""
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    reach = 100 * (1 + 0.08 * np.random.default_rng(seed).uniform(-1, 1, corners))
    return Floe(np.column_stack([reach * np.cos(angle), reach * np.sin(angle)]))


def notches(floe: Floe) -> list[tuple[np.ndarray, np.ndarray]]:
    """Recessed corners, and the push towards the centre there."""
    before, after = floe.ring - np.roll(floe.ring, 1, axis=0), np.roll(floe.ring, -1, axis=0) - floe.ring
    spots = floe.ring[before[:, 0] * after[:, 1] < before[:, 1] * after[:, 0]]
    return [(spot, (floe.centre - spot) / np.hypot(*(floe.centre - spot))) for spot in spots]


@pytest.fixture(scope="session")
def square() -> Floe:
    return rectangle(100, 100)


@pytest.fixture(scope="session")
def hit(square):
    from banquise import fracture

    return fracture.impact(square, point=(0, 50), normal=(1, 0), speed=0.1, patch=5.0)
