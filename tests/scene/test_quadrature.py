"""75 points a floe: exact area, first and second moments, positive weights, for rings of 3 to 2,500 points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import holed, star

import banquise as bq


def assert_exact(floe):
    """Against the floe's own area moments, which the mass tests hold to exact arithmetic."""
    b = bq.Scene([floe]).bodies()
    w, x, y = b.qw[0], b.qx[0], b.qy[0]
    size = np.sqrt(floe.area)
    m = floe.area_moments
    dx, dy = floe.centre - floe.ring[0]
    assert (w > 0).all() and len(w) == 75
    assert w.sum() == pytest.approx(floe.area, rel=1e-13)
    s, sx, sy, sxx, sxy, syy = m
    expected = [sx - dx * s, sy - dy * s, sxx - 2 * dx * sx + dx * dx * s, sxy - dx * sy - dy * sx + dx * dy * s,
                syy - 2 * dy * sy + dy * dy * s]  # fmt: skip
    got = [(w * x).sum(), (w * y).sum(), (w * x * x).sum(), (w * x * y).sum(), (w * y * y).sum()]
    scale = np.array([b.extent[0]] * 2 + [b.extent[0] ** 2] * 3) * floe.area
    assert np.abs(np.subtract(got, expected)).max() <= 1e-12 * scale.max(), size


@pytest.mark.parametrize("n", [3, 4, 5, 8, 23, 100, 700, 2500])
def test_rings_of_any_length(n):
    assert_exact(bq.Floe(star(np.random.default_rng(n), n, 300.0, (1e4, -2e4), rough=0.5)))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(8, 60))
def test_concave_rings_with_holes(seed, n):
    ring, inner = holed(np.random.default_rng(seed), n, 2)
    try:
        floe = bq.Floe(ring, holes=inner)
    except bq.BanquiseError:
        return  # this star left no room for the holes
    assert_exact(floe)


@pytest.mark.parametrize("aspect", [1.0, 1e2, 1e4])
def test_slivers(aspect):
    assert_exact(bq.Floe([[0, 0], [10 * aspect, 0], [10 * aspect, 10], [0, 10]]))


def test_comb():
    """Many cuts through one ring at once: a comb of 60 teeth."""
    teeth = [[x + dx, y] for x in range(0, 120, 2) for dx, y in ((0, 10), (0.5, 1), (1.5, 1), (2, 10))]
    assert_exact(bq.Floe([[0, 0], [120, 0], *teeth[::-1]]))


@pytest.mark.parametrize(
    "floe", [bq.Disc((4, 5), 30.0), bq.Floe([[0, 0], [40, 0], [40, 30], [0, 30]], radius=7.0)], ids=["disc", "rounded"]
)
def test_round_borders(floe):
    """Drawn with chords, then mapped so that the moments of the round border are exact."""
    assert_exact(floe)


def test_varying_thickness_keeps_the_area_moments():
    """Drag acts on the area: the first moments about the centre of mass are those of the plane section."""
    assert_exact(bq.Floe(star(np.random.default_rng(0), 12), thickness=lambda x, y: 1 + 0.01 * x))
