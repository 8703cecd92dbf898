"""Bodies: mass, hulls, skins, files, and what is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import banquise as bq
from banquise.scene import masses, meshes
from banquise.scene.mesh_files import read_mesh

from .shapes import L_FACES, L_PARTS, L_VERTICES, l_of_parts, l_solid

EXACT = {"rtol": 1e-12, "atol": 1e-13}
TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_tetrahedron_mass_is_the_closed_form():
    block = bq.Polyhedron(TETRAHEDRON, density=1.0)
    np.testing.assert_allclose(block.volume, 1 / 6, **EXACT)
    np.testing.assert_allclose(block.centre, [0.25] * 3, **EXACT)
    np.testing.assert_allclose(block.inertia, np.full((3, 3), 1 / 480) + np.eye(3) * (1 / 80 - 1 / 480), **EXACT)
    np.testing.assert_allclose(block.principal[0], [1 / 96, 1 / 96, 1 / 60], **EXACT)


@pytest.mark.parametrize(("side", "volume", "inertia"), [(1.0, 1.0, 1 / 6), (2.0, 8.0, 16 / 3)])
def test_cube_mass(side, volume, inertia):
    block = bq.Polyhedron.box([side] * 3, density=1.0)
    np.testing.assert_allclose(block.volume, volume, **EXACT)
    np.testing.assert_allclose(block.inertia, inertia * np.eye(3), **EXACT)


def test_l_solid_by_skin_by_parts_and_by_volume_mesh_agree():
    tensor = np.array([[7 / 6, 1 / 3, 0], [1 / 3, 7 / 6, 0], [0, 0, 11 / 6]])
    # Six tetrahedra a cube, three cubes: a volume mesh that knows nothing of the skin.
    kuhn = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    points = np.vstack([corners + shift for shift in ([0, 0, 0], [1, 0, 0], [0, 1, 0])])
    elements = np.vstack([np.array(kuhn) + 8 * k for k in range(3)])
    volumes = np.linalg.det(points[elements][:, 1:] - points[elements][:, :1])
    elements[volumes < 0] = elements[volumes < 0][:, [0, 2, 1, 3]]
    mesh = masses.from_volume_mesh(points, elements)
    for volume, centre, inertia in (
        (l_solid().volume, l_solid().centre, l_solid().inertia),
        (l_of_parts().volume, l_of_parts().centre, l_of_parts().inertia),
        (mesh.volume, mesh.centre, mesh.inertia),
    ):
        np.testing.assert_allclose(volume, 3.0, **EXACT)
        np.testing.assert_allclose(centre, [5 / 6, 5 / 6, 1 / 2], **EXACT)
        np.testing.assert_allclose(inertia, tensor, **EXACT)
    np.testing.assert_allclose(l_solid().principal[0], [5 / 6, 3 / 2, 11 / 6], **EXACT)


def test_pose_carries_the_centre_and_leaves_the_inertia():
    turned = bq.Polyhedron(
        TETRAHEDRON, density=1.0, position=(10, 0, 0), orientation=(1, 0, 0, 1)
    )  # 90 degrees about z
    np.testing.assert_allclose(turned.centre, [10 - 0.25, 0.25, 0.25], **EXACT)
    np.testing.assert_allclose(turned.inertia, bq.Polyhedron(TETRAHEDRON, density=1.0).inertia, **EXACT)


def test_mass_far_from_the_origin_keeps_its_digits():
    far = bq.Polyhedron(L_VERTICES + 1e5, L_FACES, density=1.0)
    np.testing.assert_allclose(far.inertia, l_solid().inertia, atol=1e-9)  # coordinates are rounded to 1.5e-11


@pytest.mark.parametrize("radius", [0.1, 0.7])
def test_rounded_box_is_its_steiner_sum(radius):
    a, b, c = 1.0, 2.0, 3.0
    block = bq.Polyhedron.box((a, b, c), density=1.0, radius=radius)
    steiner = (
        a * b * c + 2 * radius * (a * b + b * c + c * a) + np.pi * radius**2 * (a + b + c) + 4 / 3 * np.pi * radius**3
    )
    np.testing.assert_allclose(block.volume, steiner, **EXACT)
    np.testing.assert_allclose(block.centre, 0.0, atol=1e-12)
    # Second moment along x, by slices: full rounded rectangle inside, shrinking ones in the two caps.
    t, w = np.polynomial.legendre.leggauss(200)
    section = lambda r: b * c + 2 * r * (b + c) + np.pi * r**2  # noqa: E731
    angle = np.pi / 4 * (t + 1)
    depth, inset = radius * np.sin(angle), radius * np.cos(angle)
    caps = 2 * np.sum(w * np.pi / 4 * inset * section(inset) * (a / 2 + depth) ** 2)
    along = section(radius) * a**3 / 12 + caps
    second = 0.5 * np.trace(block.inertia) - block.inertia[0, 0]
    np.testing.assert_allclose(second, along, rtol=1e-11)  # Gauss quadrature of the caps


def test_rounded_tetrahedron_against_sampling():
    rng = np.random.default_rng(0)
    block = bq.Polyhedron(TETRAHEDRON, density=1.0, radius=0.3)
    low, high = -0.3, 1.3
    points = rng.uniform(low, high, (20000, 3))
    probe = bq.Polyhedron.ball(1e-9)
    from banquise.detection.spatial import Blocks, distances

    blocks = Blocks.of([block, *(probe.moved(position=p) for p in points)])
    inside = points[distances(blocks, np.column_stack([np.zeros(20000, int), np.arange(1, 20001)])).distance < 0]
    volume = len(inside) / 20000 * (high - low) ** 3
    assert abs(volume - block.volume) < 4 * (high - low) ** 3 * np.sqrt(0.25 / 20000)  # four standard deviations
    assert (
        np.abs(inside.mean(axis=0) - block.centre).max() < 0.02
    )  # spread 0.3 over 4,000 points: 0.005 standard deviation


def test_balls_capsules_plates_and_clumps():
    ball = bq.Polyhedron.ball(2.0, density=1.0)
    np.testing.assert_allclose(ball.inertia, 0.4 * ball.mass * 4.0 * np.eye(3), **EXACT)
    capsule = bq.Polyhedron([[0, 0, -1], [0, 0, 1]], radius=0.5, density=1.0)
    np.testing.assert_allclose(capsule.volume, np.pi * 0.25 * 2 + 4 / 3 * np.pi * 0.125, **EXACT)
    plate = bq.Polyhedron([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], radius=0.1, density=1.0)
    np.testing.assert_allclose(plate.volume, 0.2 + np.pi / 2 * 0.01 * 4 + 4 / 3 * np.pi * 0.001, **EXACT)
    np.testing.assert_allclose(plate.centre, [0.5, 0.5, 0.0], atol=1e-12)
    thin = bq.Polyhedron.box((1, 1, 1e-9), radius=0.1, density=1.0)
    np.testing.assert_allclose(plate.inertia, thin.inertia, atol=1e-8)
    clump = bq.Polyhedron.clump([[0, 0, 0], [1.5, 0, 0]], [1.0, 1.0], density=1.0)
    lens = 2 * np.pi * 0.25**2 * (3 - 0.25) / 3
    np.testing.assert_allclose(clump.volume, 2 * 4 / 3 * np.pi - lens, rtol=1e-5)  # lines, see of_balls
    apart = bq.Polyhedron.clump([[0, 0, 0], [3, 0, 0]], [1.0, 1.0], density=1.0)
    np.testing.assert_allclose(apart.inertia[1, 1], 2 * 4 / 3 * np.pi * (0.4 + 2.25), **EXACT)


def test_half_edges_turn_around_a_vertex():
    edges = l_solid().solid.edges
    triangles = l_solid().faces
    for vertex in range(12):
        faces = edges.faces_around(vertex)
        assert sorted(faces) == sorted(np.flatnonzero((triangles == vertex).any(axis=1)))
        assert sorted(edges.neighbours(vertex)) == sorted(set(triangles[faces].ravel()) - {vertex})
    assert len(edges.edges()) == 12 + len(triangles) - 2  # Euler
    left, right = edges.faces_beside(0)
    assert left != right and len(set(triangles[left]) & set(triangles[right])) == 2


TRIANGLES = meshes.as_triangles(L_VERTICES, L_FACES)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: bq.Polyhedron(L_VERTICES, TRIANGLES[:-1]), "open"),
        (lambda: bq.Polyhedron(L_VERTICES, TRIANGLES[:, ::-1]), "inside out"),
        (lambda: bq.Polyhedron(L_VERTICES, np.vstack([TRIANGLES, TRIANGLES[:1]])), "same way"),
        (lambda: bq.Polyhedron(L_VERTICES * [1, 1, 0], TRIANGLES), "flat"),
        (lambda: bq.Polyhedron(np.where(L_VERTICES == 2, np.nan, L_VERTICES), TRIANGLES), "not finite"),
        (lambda: bq.Polyhedron(L_VERTICES, [[0, 1, 77]]), "77"),
        (lambda: bq.Polyhedron(L_VERTICES, TRIANGLES - 1), "vertex -1"),
        (lambda: bq.Polyhedron(L_VERTICES + 1j, TRIANGLES), "not numbers"),
        (lambda: bq.Polyhedron(L_VERTICES, [[0, 1, 1]]), "twice"),
        (lambda: bq.Polyhedron(L_VERTICES, []), "none"),
        (lambda: bq.Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), "plane"),
        (lambda: bq.Polyhedron([[0, 0, 0], [1, 0, 0]]), "needs 4"),
        (lambda: bq.Polyhedron("cube"), "not numbers"),
        (lambda: bq.Polyhedron(TETRAHEDRON, density=0.0), "density"),
        (lambda: bq.Polyhedron(TETRAHEDRON, radius=-1.0), "radius"),
        (lambda: bq.Polyhedron(TETRAHEDRON, orientation=(0, 0, 0, 0)), "orientation"),
        (lambda: bq.Polyhedron(TETRAHEDRON, position=(0, np.inf, 0)), "position"),
    ],
)
def test_bad_bodies_are_refused_in_words(make, word):
    with pytest.raises(bq.BanquiseError, match=word):
        make()


def test_a_spike_through_the_opposite_face_crosses_itself():
    sphere = meshes.hull(np.random.default_rng(1).normal(size=(60, 3)) * [1, 1, 1])
    vertices, triangles = sphere[0].copy(), sphere[1]
    bq.Polyhedron(vertices, triangles)
    vertices[0] = -3.0 * vertices[0]
    with pytest.raises(bq.BanquiseError, match="crosses itself"):
        bq.Polyhedron(vertices, triangles)


def test_shells_within_shells_are_cavities_and_stones_in_them():
    corners, triangles = meshes.hull(np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float))
    n = len(corners)

    def nested(*shells):  # (half side, place, way its triangles face)
        vertices = [side * corners + place for side, place, _ in shells]
        faces = [n * k + triangles[:, ::way] for k, (_, _, way) in enumerate(shells)]
        return bq.Polyhedron(np.vstack(vertices), np.vstack(faces))

    outer, cavity, stone = (1.0, 0.0, 1), (0.5, 0.0, -1), (0.2, 0.0, 1)
    assert nested(outer, cavity, stone).volume == pytest.approx(8 * (1 - 0.5**3 + 0.2**3), rel=1e-14)  # round-off
    assert nested(outer, (0.5, 3.0, 1)).volume == pytest.approx(8 * (1 + 0.5**3), rel=1e-14)
    for bad in ((outer, (0.5, 0.0, 1)), (outer, (0.5, 3.0, -1)), (outer, cavity, (0.2, 0.0, -1))):
        with pytest.raises(bq.BanquiseError, match="shell"):
            nested(*bad)


@pytest.mark.slow
def test_a_million_faces_work():
    n = 708
    theta, phi = np.linspace(0, np.pi, n + 2)[1:-1], np.arange(n) * 2 * np.pi / n
    t, p = np.meshgrid(theta, phi, indexing="ij")
    ring = np.stack(
        [np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t) * (1 + 0.3 * np.sin(3 * p) * np.sin(t))], -1
    )
    vertices = np.vstack([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    grid = np.arange(n * n).reshape(n, n)
    a, b = grid[:-1], grid[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    sides = np.vstack([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    top = np.stack([np.full(n, n * n), grid[0], np.roll(grid[0], -1)], -1)
    bottom = np.stack([np.full(n, n * n + 1), np.roll(grid[-1], -1), grid[-1]], -1)
    block = bq.Polyhedron(vertices, np.vstack([sides, top, bottom]))
    assert len(block.faces) > 1e6 and not block.convex
    assert abs(block.volume - 4 / 3 * np.pi) < 1e-3  # the dent's first order averages out over phi


def test_a_convex_skin_is_seen_as_convex():
    cube = bq.Polyhedron.box((1, 1, 1))
    assert bq.Polyhedron(cube.vertices, cube.faces).convex
    assert not l_solid().convex and not l_solid().parts


def rows_of(form, rows):
    return "".join(form.format(*row.tolist()) for row in rows)


def test_files_give_the_body_back(tmp_path):
    vertices, triangles = l_solid().vertices, l_solid().faces
    corners = vertices[triangles]
    obj = rows_of("v {!r} {!r} {!r}\n", vertices) + rows_of("f {}//1 {}//1 {}//1\n", triangles + 1)
    (tmp_path / "a.obj").write_text(obj)
    facet = "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n"
    loops = "".join(facet.format(rows_of("vertex {!r} {!r} {!r}\n", t)) for t in corners)
    (tmp_path / "a.stl").write_text("solid l\n" + loops + "endsolid l\n")
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0) for t in corners)
    (tmp_path / "b.stl").write_bytes(b"solid binary".ljust(80) + struct.pack("<I", len(corners)) + records)
    head = "ply\nformat {}\nelement vertex 12\nproperty double x\nproperty double y\nproperty double z\n"
    head += "element face {}\nproperty list uchar int vertex_indices\nend_header\n"
    text = rows_of("{!r} {!r} {!r}\n", vertices) + rows_of("3 {} {} {}\n", triangles)
    (tmp_path / "a.ply").write_text(head.format("ascii 1.0", len(triangles)) + text)
    for order, name in ((">", "big"), ("<", "little")):
        body = vertices.astype(order + "f8").tobytes() + b"".join(struct.pack(order + "B3i", 3, *t) for t in triangles)
        (tmp_path / f"{name}.ply").write_bytes(head.format(f"binary_{name}_endian 1.0", len(triangles)).encode() + body)
    for path in sorted(tmp_path.iterdir()):
        block = bq.Polyhedron.from_file(path, density=1.0)
        np.testing.assert_allclose(block.inertia, l_solid().inertia, **EXACT)
        assert len(block.vertices) == 12, path


@pytest.mark.parametrize("name", ["none.stl", "rubbish.stl", "rubbish.ply", "rubbish.obj", "cut.stl", "mesh.step"])
def test_bad_files_are_named(tmp_path, name):
    if name.startswith("rubbish"):
        (tmp_path / name).write_bytes(bytes(range(256)) * 3)
    if name.startswith("cut"):
        (tmp_path / name).write_bytes(b"\0" * 80 + struct.pack("<I", 1000) + b"\0" * 77)
    with pytest.raises(bq.BanquiseError, match=name.replace(".", r"\.")):
        read_mesh(tmp_path / name)


def test_decomposition_is_cut_once_and_kept(tmp_path):
    pytest.importorskip("coacd")
    cut = l_solid().in_parts(cache=tmp_path)
    assert len(cut.parts) >= 2
    assert abs(sum(part.mass.volume for part in cut.parts) - 3.0) < 0.02
    (stored,) = tmp_path.iterdir()
    before = stored.stat().st_mtime_ns
    assert len(l_solid().in_parts(cache=tmp_path).parts) == len(cut.parts) and stored.stat().st_mtime_ns == before


def test_parts_may_be_given_with_a_skin():
    block = bq.Polyhedron(L_VERTICES, L_FACES, parts=L_PARTS, density=1.0)
    assert len(block.parts) == 2 and len(block.faces) == 20 and not block.convex


def test_a_slanted_plate_with_a_radius_has_no_core():
    """The volume of a plate's two sides is round-off; where it came out above zero its core was divided by zero."""
    points = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, -1.0], [2.0, 1e-9, 0.0]])
    plate = bq.Polyhedron(points, radius=0.5, density=1.0)
    flat = bq.Polyhedron(points * [1, 0, 1], radius=0.5, density=1.0)
    np.testing.assert_allclose(plate.inertia, flat.inertia, atol=1e-8)
    assert plate.volume == pytest.approx(flat.volume, rel=1e-8)


def test_text_with_units_as_in_a_case_file():
    told = bq.Polyhedron.box(
        (1, "50 cm", 2),
        density="0.9 g/cm3",
        position=("1 km", 0, 0),
        velocity=("36 km/h", 0, 0),
        spin=(0, 0, "90 deg/s"),
    )
    assert told.volume == pytest.approx(1.0) and told.mass == pytest.approx(900.0)
    assert told.position.tolist() == [1000, 0, 0] and told.velocity == pytest.approx([10, 0, 0])
    assert told.spin == pytest.approx([0, 0, np.pi / 2])
    assert bq.Polyhedron.ball("20 cm").volume == bq.Polyhedron.ball(0.2).volume
    with pytest.raises(bq.BanquiseError, match="density: unit 'm' is not one of density"):
        bq.Polyhedron.box((1, 1, 1), density="3 m")
