"""Mass, centre and inertia against exact rational arithmetic over triangles, and against closed forms."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import exact_moments, holed, star

import banquise as bq

TIGHT = 1e-12  # the bar: a few hundred round-offs of the largest term


def central(moments):
    """Mass, centre (from the origin of the moments) and polar moment about it."""
    s, sx, sy, sxx, _, syy = moments
    return s, np.array([sx, sy]) / s, sxx + syy - (sx * sx + sy * sy) / s


def assert_floe(floe, density, exact, origin):
    mass, offset, inertia = central(density * exact)
    assert floe.mass == pytest.approx(mass, rel=TIGHT)
    assert floe.inertia == pytest.approx(inertia, rel=TIGHT)
    assert np.abs(floe.centre - (origin + offset)).max() <= TIGHT * np.abs(origin + offset).max() + TIGHT * math.sqrt(
        floe.area
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 40), st.integers(0, 3), st.sampled_from([0.0, 1e3, 3e6]))
def test_concave_polygons_with_holes(seed, n, holes, far):
    """Also a long way from the map's origin: moments are taken about a point of the floe."""
    rng = np.random.default_rng(seed)
    ring, inner = holed(rng, max(n, 3), holes if n >= 8 else 0, centre=(far, -far / 3))
    solid = shapely.Polygon(ring)
    inner = [h for h in inner if solid.contains(shapely.Polygon(h))]
    floe = bq.Floe(ring, holes=inner, thickness=0.7, density=900.0)
    origin = ring[0]
    assert_floe(floe, 900.0, exact_moments(ring, inner, {(0, 0): 0.7}, origin), origin)


@pytest.mark.parametrize("seed", range(4))
def test_varying_thickness(seed):
    """Lower and upper surfaces that are polynomials of position, over concave floes with holes."""
    rng = np.random.default_rng(seed)
    ring, inner = holed(rng, 15, 2)
    upper = {(0, 0): 0.4, (1, 0): 1e-3, (0, 2): 2e-5}
    lower = {(0, 0): -1.5, (0, 1): 3e-3, (1, 1): -1e-4, (3, 0): 1e-6}

    def value(terms):
        return lambda x, y: sum(c * x**i * y**j for (i, j), c in terms.items())

    floe = bq.Floe(ring, holes=inner, lower=value(lower), upper=value(upper))
    difference = dict(upper)
    for key, c in lower.items():
        difference[key] = difference.get(key, 0.0) - c
    assert_floe(floe, 917.0, exact_moments(ring, inner, difference, ring[0]), ring[0])


def test_thickness_given_on_triangles():
    """Constant on each triangle of a mesh that does not follow the floe: exact all the same."""
    rng = np.random.default_rng(7)
    ring = star(rng, 11, 30.0)
    corners = np.array([[-40.0, -40], [40, -40], [40, 40], [-40, 40]])
    mesh = np.array([[corners[k], corners[(k + 1) % 4], [3.0, -2.0]] for k in range(4)])
    values = np.array([0.5, 1.0, 2.0, 4.0])
    floe = bq.Floe(ring, thickness=bq.Surface(mesh, values))
    expected = np.zeros(6)
    for triangle, h in zip(mesh, values):
        part = shapely.intersection(shapely.Polygon(ring), shapely.Polygon(triangle))
        for piece in getattr(part, "geoms", [part]):
            expected += exact_moments(np.asarray(piece.exterior.coords)[:-1], [], {(0, 0): h}, ring[0])
    assert_floe(floe, 917.0, expected, ring[0])
    assert floe.thickness_measures[1:] == (4.0, 0.5)


def test_thickness_linear_on_triangles():
    """A plane given at the corners of a mesh is that plane."""
    ring = star(np.random.default_rng(3), 9, 30.0)
    mesh = np.array(
        [[[-40.0, -40], [40, -40], [0, 60]], [[-40, -40], [0, 60], [-60, 50]], [[40, -40], [60, 50], [0, 60]]]
    )
    plane = {(0, 0): 2.0, (1, 0): 0.01, (0, 1): -0.02}
    values = 2.0 + 0.01 * mesh[..., 0] - 0.02 * mesh[..., 1]
    floe = bq.Floe(ring, thickness=bq.Surface(mesh, values))
    assert_floe(floe, 917.0, exact_moments(ring, [], plane, ring[0]), ring[0])


def test_smooth_function_closed_form():
    """h = 2 + sin(a x) sin(b y) over whole periods of a rectangle: mass 2 rho S, and the moments by hand."""
    a, b = 2 * math.pi / 40, 2 * math.pi / 30
    floe = bq.Floe([[0, 0], [40, 0], [40, 30], [0, 30]], thickness=lambda x, y: 2 + np.sin(a * x) * np.sin(b * y))
    rho, lx, ly = 917.0, 40.0, 30.0
    assert floe.mass == pytest.approx(2 * rho * lx * ly, rel=TIGHT)
    assert floe.centre == pytest.approx([lx / 2, ly / 2], rel=TIGHT)  # odd about the centre in x and y: no first moment
    # the product term is odd in each variable about the centre, so its second moments vanish too
    assert floe.inertia == pytest.approx(2 * rho * lx * ly * (lx**2 + ly**2) / 12, rel=TIGHT)
    # the extremes are taken at sample points, so they are close, not exact
    assert floe.thickness_measures == pytest.approx((3.0, 3.0, 1.0), rel=1e-3)


def test_three_thickness_measures_differ():
    """sup h_+ - inf h_-, sup h, inf h for surfaces that slope together: thickness 1, total span 1 + 2."""
    floe = bq.Floe([[0, 0], [10, 0], [10, 10], [0, 10]], lower=lambda x, y: 0.2 * x, upper=lambda x, y: 0.2 * x + 1)
    assert floe.thickness_measures == pytest.approx((3.0, 1.0, 1.0), rel=1e-14)


def rounded_oracle(ring, radius):
    """Moments of a convex ring grown by a disc: polygon + a rectangle an edge + a sector a corner (Steiner)."""
    total = exact_moments(ring, [], {(0, 0): 1.0}, (0.0, 0.0))
    n = len(ring)
    for k in range(n):
        p, q, before = ring[k], ring[(k + 1) % n], ring[k - 1]
        edge = q - p
        normal = np.array([edge[1], -edge[0]]) / np.hypot(*edge) * radius
        total += exact_moments(np.array([p, p + normal, q + normal, q]), [], {(0, 0): 1.0}, (0.0, 0.0))
        last = p - before
        start = math.atan2(-last[0], last[1])
        angle = (math.atan2(-edge[0], edge[1]) - start) % (2 * math.pi)
        # sector about p: polar integrals of 1, x, y, x^2, xy, y^2, then shifted to the origin
        a, b, r = start, start + angle, radius
        s = r * r / 2 * angle
        sx, sy = r**3 / 3 * (math.sin(b) - math.sin(a)), r**3 / 3 * (math.cos(a) - math.cos(b))
        wave = (math.sin(2 * b) - math.sin(2 * a)) / 2
        sxx, syy = r**4 / 8 * (angle + wave), r**4 / 8 * (angle - wave)
        sxy = r**4 / 8 * (math.cos(2 * a) - math.cos(2 * b)) / 2
        x, y = p
        total += np.array(
            [s, sx + x * s, sy + y * s, sxx + 2 * x * sx + x * x * s, sxy + x * sy + y * sx + x * y * s,
             syy + 2 * y * sy + y * y * s]
        )  # fmt: skip
    return total


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 30), st.floats(0.01, 100.0))
def test_rounded_convex_floes(seed, n, radius):
    rng = np.random.default_rng(seed)
    hull = shapely.MultiPoint(rng.normal(0, 30, (n, 2))).convex_hull
    if hull.area < 1 or min(hull.length, 1) < 0.1:
        return
    ring = np.asarray(shapely.orient_polygons(hull).exterior.coords)[:-1]
    floe = bq.Floe(ring, radius=radius, thickness=1.0, density=1.0)
    mass, centre, inertia = central(rounded_oracle(ring, radius))
    perimeter = np.hypot(*(np.roll(ring, -1, axis=0) - ring).T).sum()
    steiner = hull.area + perimeter * radius + math.pi * radius**2
    # the arcs come from a buffer whose points are on the circle to about 1e-15 of the coordinates
    assert floe.area == pytest.approx(steiner, rel=1e-11)
    assert floe.mass == pytest.approx(mass, rel=1e-11)
    assert floe.inertia == pytest.approx(inertia, rel=1e-11)
    assert floe.centre == pytest.approx(centre, abs=1e-11 * math.sqrt(steiner) + 1e-11 * np.abs(centre).max())


def test_rounded_concave_floe():
    """An L with radius r: area + perimeter r + pi r^2 less what the reentrant corner counts twice, r^2 (1 + ... )."""
    ring = [[0, 0], [20, 0], [20, 10], [10, 10], [10, 20], [0, 20]]
    r = 1.5
    # five convex quarter circles; at the reentrant corner the two strips overlap in a square r x r
    expected = 300 + 80 * r + 5 * math.pi * r**2 / 4 - r**2
    assert bq.Floe(ring, radius=r).area == pytest.approx(expected, rel=1e-12)


def test_disc_is_exactly_round():
    disc = bq.Disc((3.0, -4.0), 2.5, thickness=0.5, density=800.0)
    mass = 800 * 0.5 * math.pi * 2.5**2
    assert disc.mass == pytest.approx(mass, rel=1e-15)
    assert disc.inertia == pytest.approx(mass * 2.5**2 / 2, rel=1e-15)
    assert disc.centre.tolist() == [3.0, -4.0]


def test_columns_agree_with_the_floes():
    """The batch in `Bodies` and the floe's own properties are two roads to the same numbers."""
    rng = np.random.default_rng(1)
    ring, inner = holed(rng, 14, 2, centre=(1e5, 2e5))
    floes = [
        bq.Floe(ring, holes=inner, thickness=0.8),
        bq.Floe(star(rng, 9), radius=3.0),
        bq.Disc((5, 5), 2.0),
        bq.Floe(star(rng, 9), thickness=lambda x, y: 1 + 0.01 * x),
    ]
    bodies = bq.Scene(floes, [bq.Obstacle(star(rng, 6))]).bodies()
    for row, floe in enumerate(floes):
        assert bodies.mass[row] == pytest.approx(floe.mass, rel=1e-14)
        assert bodies.inertia[row] == pytest.approx(floe.inertia, rel=1e-13)
        assert (bodies.x[row], bodies.y[row]) == pytest.approx(tuple(floe.centre), rel=1e-15, abs=1e-13)
        assert bodies.extent[row] >= math.sqrt(floe.area / math.pi) * (1 - 1e-12)
    assert bodies.inverse_mass[-1] == 0.0 and bodies.inverse_inertia[-1] == 0.0
