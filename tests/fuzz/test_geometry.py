"""Rings and bodies at random: refused with a sentence, or bodies for which what must hold does."""

import numpy as np
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

import banquise as bq
from banquise.errors import BanquiseError
from fuzz.damage import only_sentences, rounds

PLACES = st.one_of(st.integers(-6, 6).map(float), st.floats(-50, 50), st.sampled_from([1e-9, -1e-9, 1e6, 1e12, 1e13]))
NEAR = st.one_of(
    st.integers(-6, 6).map(float), st.floats(-50, 50), st.sampled_from([1e-9, -1e-9, 1e3])
)  # beyond, inertia is lost
POINTS = st.lists(st.tuples(PLACES, PLACES), max_size=12)
EVIL = st.lists(
    st.one_of(st.tuples(PLACES, PLACES), st.lists(PLACES, max_size=3), st.none(), st.text(max_size=2), st.floats()),
    max_size=6,
)


HERE = st.just((0.0, 0.0))


@st.composite
def stars(draw, centre=HERE):
    """Simple rings, mostly concave: points in order of their angle."""
    n = draw(st.integers(3, 11))
    reach = draw(st.lists(st.floats(0.05, 1.0), min_size=n, max_size=n))
    turn = (np.arange(n) + 0.8 * np.array(draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))) * 2 * np.pi / n
    size = 10.0 ** draw(st.floats(-1, 3))
    ring = size * np.array(reach)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return ring + draw(centre)


def floe_or_none(ring, **options):
    try:
        return bq.Floe(ring, **options)
    except BanquiseError:
        return None


@rounds(80)
@given(ring=st.one_of(POINTS, EVIL), holes=st.lists(POINTS, max_size=2), radius=PLACES)
def test_any_ring_is_a_floe_or_a_sentence(ring, holes, radius):
    def make():
        floe = bq.Floe(ring, holes, radius=radius)
        assert floe.area > 0 and floe.mass > 0 and floe.inertia > 0 and np.isfinite(floe.centre).all()
        if radius == 0:
            expected = shapely.Polygon(ring, holes).area
            # round-off of the shoelace sum at the ring's place: 1e-16 of the extent squared, a few dozen times
            assert abs(floe.area - expected) <= 1e-9 * expected + 1e-13 * np.ptp(np.array(ring), axis=0).max() ** 2

    only_sentences(make)


@rounds(60)
@given(ring=stars(), thickness=st.floats(0.01, 10), radius=st.sampled_from([0.0, 0.0, 0.3]))
def test_masses_of_stars(ring, thickness, radius):
    floe = floe_or_none(ring, thickness=thickness, radius=radius)
    assume(floe is not None)
    polygon = floe.polygon
    assert (
        floe.mass == floe.density * thickness * floe.area or abs(floe.mass / (917 * thickness * floe.area) - 1) < 1e-12
    )
    # a body's inertia is at most that of all its mass at its farthest point, and above that of a disc of its area
    reach = shapely.hausdorff_distance(shapely.Point(floe.centre), polygon.exterior)
    assert floe.mass * floe.area / (2 * np.pi) * (1 - 1e-3) <= floe.inertia <= floe.mass * reach**2 * (1 + 1e-3)


@rounds(60)
@given(a=stars(), b=stars(centre=st.tuples(st.floats(-300, 300), st.floats(-300, 300))))
def test_gap_is_the_distance_and_symmetric(a, b):
    one, other = floe_or_none(a), floe_or_none(b)
    assume(one is not None and other is not None)
    there, back = bq.gap(one, other), bq.gap(other, one)
    scale = max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max(), 1.0)
    apart = shapely.distance(one.polygon, other.polygon)
    if apart > 0:
        assert abs(there.distance - apart) <= 1e-9 * scale and abs(back.distance - apart) <= 1e-9 * scale
    else:
        assert there.distance <= 1e-9 * scale and back.distance <= 1e-9 * scale
        # moved by the depth along the normal, and a little, the two are apart
        way = (abs(there.distance) + 1e-6 * scale) * np.asarray(there.normal)
        left = shapely.intersection(one.polygon, shapely.transform(other.polygon, lambda xy: xy + way))
        assert left.area <= 1e-6 * scale**2


@rounds(40)
@given(ring=stars(), where=st.tuples(st.floats(0, 1), st.floats(0, 1)), spin=st.floats(-1, 1))
def test_a_split_keeps_mass_momentum_and_spin(ring, where, spin):
    floe = floe_or_none(ring, velocity=(0.3, -0.2), spin=spin)
    assume(floe is not None)
    border = floe.polygon.exterior
    start, end = (np.array(border.interpolate(w, normalized=True).coords[0]) for w in where)
    try:
        pieces = bq.fracture.split(floe, start, end)
    except BanquiseError:
        return
    mass = sum(p.mass for p in pieces)
    assert abs(mass / floe.mass - 1) < 1e-9
    momentum = sum(p.mass * np.array(p.velocity) for p in pieces)
    scale = floe.mass * (0.4 + abs(spin) * np.ptp(ring, axis=0).max())
    assert np.abs(momentum - floe.mass * np.array(floe.velocity)).max() <= 1e-9 * scale

    def turning(body):
        x, y = body.centre - floe.centre
        u, v = body.velocity
        return body.inertia * body.spin + body.mass * (x * v - y * u)

    assert abs(sum(turning(p) for p in pieces) - floe.inertia * spin) <= 1e-9 * scale * np.ptp(ring, axis=0).max()


@rounds(40)
@given(points=st.lists(st.tuples(NEAR, NEAR, NEAR), max_size=10), radius=st.sampled_from([0.0, 0.0, 0.5, -1.0]))
def test_any_points_are_a_block_or_a_sentence(points, radius):
    def make():
        block = bq.Polyhedron(points, radius=radius)
        moments = block.principal[0]
        assert block.volume > 0 and np.isfinite(block.centre).all()
        # principal moments of a body: each at most the sum of the others
        assert moments[0] > 0 and moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9)

    only_sentences(make)


@rounds(30)
@given(
    a=st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=4, max_size=9),
    b=st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=4, max_size=9),
    away=st.tuples(*[st.floats(-3, 3)] * 3),
)
def test_gap_of_blocks_is_symmetric(a, b, away):
    try:
        one, other = bq.Polyhedron(a), bq.Polyhedron(b, position=away)
    except BanquiseError:
        return
    there, back = bq.gap(one, other), bq.gap(other, one)
    assert abs(there.distance - back.distance) <= 1e-6
    if there.distance > 1e-6:  # the normal parts them: no corner of b lies nearer along it
        along = np.asarray(there.normal)
        width = (other.world_vertices @ along).min() - (one.world_vertices @ along).max()
        assert abs(width - there.distance) <= 1e-6
