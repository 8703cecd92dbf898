"""75 points a floe, and 40 of them: exact area, first and second moments, positive weights, for rings of 3 to 2,500 points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import holed, star

import banquise as bq


def assert_exact(floe):
    """Against the floe's own area moments, which the mass tests hold to exact arithmetic."""
    b = bq.Scene([floe]).bodies()
    size = np.sqrt(floe.area)
    dx, dy = floe.centre - floe.ring[0]
    s, sx, sy, sxx, sxy, syy = floe.area_moments
    expected = [sx - dx * s, sy - dy * s, sxx - 2 * dx * sx + dx * dx * s, sxy - dx * sy - dy * sx + dx * dy * s,
                syy - 2 * dy * sy + dy * dy * s]  # fmt: skip
    scale = np.array([b.extent[0]] * 2 + [b.extent[0] ** 2] * 3) * floe.area
    for varying, count in ((True, 75), (False, 40)):
        x, y, w = (column[0] for column in b.points(varying))
        assert (w > 0).all() and len(w) == count
        assert w.sum() == pytest.approx(floe.area, rel=1e-13)
        got = [(w * x).sum(), (w * y).sum(), (w * x * x).sum(), (w * x * y).sum(), (w * y * y).sum()]
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


def drag(points, row, along, across, spin):
    """Force (2) and torque, over the coefficient, of a floe that goes through still water."""
    x, y, w = (column[row] for column in points)
    u, v = along - spin * y, across + spin * x
    size = w * np.hypot(u, v)
    return np.array([(size * u).sum(), (size * v).sum(), (size * (x * v - y * u)).sum()])


# of the 75 points' own error, in parts of the drag, some 2e-6, 2e-5, 1e-4 and 5e-4; the last: a floe that only turns, whose sums
# are among those that are kept
@pytest.mark.parametrize(("turning", "apart"), [(0.05, 1e-10), (0.3, 2e-6), (1.0, 1e-3), (4.0, 3e-3), (np.inf, 1e-12)])
def test_few_points_give_the_drag_of_all(turning, apart):
    """turning: speed of the farthest point by spin over that of the centre."""
    rng = np.random.default_rng(5)
    shapes = [star(rng, n, 100.0, rough=0.5) for n in rng.integers(3, 60, 60)]
    b = bq.Scene([bq.Floe(ring) for ring in shapes]).bodies()
    for row in range(b.n_free):
        angle = rng.uniform(0, 2 * np.pi)
        speed, spin = (1.0, turning / b.extent[row]) if np.isfinite(turning) else (0.0, 1.0 / b.extent[row])
        state = speed * np.cos(angle), speed * np.sin(angle), spin
        all_points, few = drag(b.points(True), row, *state), drag(b.points(False), row, *state)
        largest = b.area[row] * (speed + 0.5 * abs(spin) * b.extent[row]) ** 2
        assert np.abs((few - all_points) / largest / [1, 1, 0.5 * b.extent[row]]).max() < apart


def test_few_points_keep_sums_of_polynomials():
    """To the sixth degree, to round-off; of slender floes too, for which the axes are their own."""
    rng = np.random.default_rng(6)
    for stretch in (1.0, 30.0, 1000.0):
        b = bq.Scene([bq.Floe(star(rng, 20, 100.0) * [stretch, 1.0])]).bodies()
        for i in range(7):
            for j in range(7 - i):
                sums = [
                    (w * (x / b.extent[0]) ** i * (y * stretch / b.extent[0]) ** j).sum()
                    for x, y, w in map(first, (b.points(True), b.points(False)))
                ]
                assert sums[1] == pytest.approx(sums[0], abs=1e-12 * b.area[0])


def first(points):
    return [column[0] for column in points]
