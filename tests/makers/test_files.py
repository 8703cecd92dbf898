"""Every format gives back what was written; foreign and broken files are refused in a sentence."""

import numpy as np
import pytest

import banquise as bq
from banquise.errors import BanquiseError, CaseError
from banquise.scene.makers.files import write_scene
from banquise.scene.makers.mat import write_catalogue


def outlines(n=7):
    rng = np.random.default_rng(5)
    floes = []
    for k in range(n):
        turn = np.sort(rng.uniform(0, 2 * np.pi, 9)) + np.linspace(0, 0.2, 9)
        ring = (150.0 * k, -80.0 * k) + rng.uniform(20, 60, (9, 1)) * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        motion = {"velocity": tuple(rng.normal(0, 0.1, 2)), "spin": float(rng.normal(0, 1e-4))}
        floes.append(bq.Floe(ring, thickness=rng.uniform(0.2, 2), water_drag=rng.uniform(1e-3, 5e-3), **motion))
    return floes


def full_scene():
    """Holes, a disc, a rounded floe, names, obstacles."""
    floes = outlines()
    floes.append(bq.Floe([[0, 500], [90, 500], [90, 590], [0, 590]], [[[30, 530], [60, 530], [60, 560]]], name="a, b"))
    floes.append(bq.Disc((500.1, 700.2), 33.3, thickness=0.7, density=900.0, material="old"))
    floes.append(bq.Floe([[800, 800], [900, 810], [850, 900]], radius=7.5))
    rocks = [
        bq.Obstacle([[-300, 0], [-200, 0], [-250, 90]], velocity=(0.1, 0)),
        bq.Obstacle([[-400, 300]], radius=20.0),
    ]
    return bq.Scene(floes, rocks)


def assert_same(a, b, names, tolerance=0.0):
    assert len(a.floes) == len(b.floes) and len(a.obstacles) == len(b.obstacles)
    for one, two in zip((*a.floes, *a.obstacles), (*b.floes, *b.obstacles)):
        np.testing.assert_allclose(two.ring, one.ring, rtol=0, atol=tolerance)
        assert len(one.holes) == len(two.holes)
        for h1, h2 in zip(one.holes, two.holes):
            np.testing.assert_allclose(h2, h1, rtol=0, atol=tolerance)
        for name in names:
            if hasattr(one, name):
                assert getattr(two, name) == getattr(one, name), name


ALL = ("thickness", "density", "velocity", "spin", "radius", "water_drag", "air_drag", "material", "name")


@pytest.mark.parametrize("ending", [".geojson", ".csv"])
def test_full_round_trip(tmp_path, ending):
    scene = full_scene()
    write_scene(scene, tmp_path / f"s{ending}")
    assert_same(scene, bq.read_scene(tmp_path / f"s{ending}"), ALL)


def test_shapefile_round_trip(tmp_path):
    pytest.importorskip("shapefile")
    scene = full_scene()
    tiny = bq.Floe([[0, -99], [9, -99], [0, -90]], velocity=(1 / 3, -1.234567890123456e-12), spin=7e-17, name="n" * 200)
    scene = bq.Scene([tiny, *(f for f in scene.floes if len(f.ring) > 1)], scene.obstacles[:1])
    write_scene(scene, tmp_path / "s.shp")
    assert_same(scene, bq.read_scene(tmp_path / "s.shp"), ALL)


def test_wkt_and_catalogue_keep_rings(tmp_path):
    scene = bq.Scene(outlines())
    write_scene(scene, tmp_path / "s.wkt")
    assert_same(scene, bq.read_scene(tmp_path / "s.wkt"), ())
    write_catalogue(scene, tmp_path / "s.mat")
    assert_same(scene, bq.read_scene(tmp_path / "s.mat"), ())


@pytest.mark.parametrize(
    "ending,names",
    [(".h5", ("thickness", "velocity", "spin", "water_drag")), (".mat", ("thickness", "velocity", "spin"))],
)
def test_other_codes_files(tmp_path, ending, names):
    # rings are kept about their centres: moving there and back costs the round-off of coordinates of 1 km
    scene = bq.Scene(outlines())
    write_scene(scene, tmp_path / f"s{ending}")
    assert_same(scene, bq.read_scene(tmp_path / f"s{ending}"), names, tolerance=1e-12)


def test_run_and_case(tmp_path):
    scene = bq.Scene([bq.Disc((0, 0), 10.0), bq.Disc((100, 0), 10.0)])
    sim = bq.Simulation(scene)
    sim.run(until=1.0, every=1.0, output=tmp_path / "r.nc")
    assert len(bq.read_scene(tmp_path / "r.nc").floes) == 2
    bq.save_case(bq.Simulation(scene), tmp_path / "c.toml", until="1 s")
    assert len(bq.read_scene(tmp_path / "c.toml").floes) == 2


def test_degrees_need_a_map(tmp_path):
    pytest.importorskip("pyproj")
    file = tmp_path / "d.geojson"
    ring = "[[-45, 80], [-44.9, 80], [-44.9, 80.02], [-45, 80]]"
    file.write_text(f'{{"type": "Polygon", "coordinates": [{ring}]}}')
    with pytest.raises(CaseError, match="degrees"):
        bq.read_scene(file)
    floe = bq.read_scene(file, crs="EPSG:3413").floes[0]
    # a triangle of 0.1 degree of longitude by 0.02 of latitude at 80 N, area scale of that map there about 1.04
    expected = 0.5 * np.radians(0.1) * np.cos(np.radians(80)) * np.radians(0.02) * 6.37e6**2
    assert 0.9 < floe.area / expected < 1.1
    with pytest.raises(CaseError, match="metres"):
        bq.read_scene(file, crs="EPSG:4326")
    (tmp_path / "case.toml").write_text('crs = "EPSG:3413"\n[scene]\nfile = "d.geojson"\n[run]\nuntil = 10.0\n')
    assert bq.load_case(tmp_path / "case.toml").scene.floes[0].area == floe.area


def test_map_frame_is_kept(tmp_path):
    pytest.importorskip("pyproj")
    pytest.importorskip("shapefile")
    scene = bq.Scene(outlines())
    for name in ("m.geojson", "m.shp"):
        write_scene(scene, tmp_path / name, crs="EPSG:3413")
        assert_same(scene, bq.read_scene(tmp_path / name), ALL)


@pytest.mark.parametrize(
    "name,content,says",
    [
        ("a.geojson", "{", "JSON"),
        ("a.geojson", "[]", "GeoJSON"),
        ("a.geojson", '{"type": "FeatureCollection", "features": [], "frame": "local frame, metres"}', "no polygons"),
        (
            "a.geojson",
            '{"type": "LineString", "coordinates": [[0, 0], [1, 1]], "frame": "local frame, metres"}',
            "LineString",
        ),
        ("a.wkt", "POLYGON (", "WKT"),
        ("a.csv", "a,b\n1,2\n", "Expected wkt"),
        ("a.csv", "floe,x,y\n1,2,z\n", "line 2"),
        ("a.csv", "floe,x,y\n1,2,3\n", "points"),
        ("a.mat", "hello", "MAT"),
        ("a.h5", "hello", "HDF5"),
        ("a.shp", "hello", "shapefile"),
        ("a.xyz", "hello", "ending"),
        ("a.geojson", None, "no such file"),
    ],
)
def test_refused(tmp_path, name, content, says):
    if name.endswith(".shp"):
        pytest.importorskip("shapefile")
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(BanquiseError, match=says):
        bq.read_scene(tmp_path / name)


def test_crossing_ring_names_its_entry(tmp_path):
    (tmp_path / "a.wkt").write_text("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))\nPOLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))\n")
    with pytest.raises(BanquiseError, match=r"entry 1.*crosses"):
        bq.read_scene(tmp_path / "a.wkt")


def test_what_a_format_cannot_hold_is_refused(tmp_path):
    for name in ("s.h5", "s.mat", "s.wkt"):
        with pytest.raises(CaseError, match="no place"):
            write_scene(full_scene(), tmp_path / name)


@pytest.mark.parametrize(
    "domain", [bq.Periodic(0, 9, -1, 5), bq.Box(0, 9, -1, 5, open=("left",), velocity={"top": 0.1})]
)
def test_the_domain_is_kept_or_refused(tmp_path, domain):
    scene = bq.Scene([bq.Disc((2, 2), 1.0)], domain=domain)
    write_scene(scene, tmp_path / "s.geojson")
    assert bq.read_scene(tmp_path / "s.geojson").domain == domain
    with pytest.raises(CaseError, match="domain has no place"):
        write_scene(scene, tmp_path / "s.csv")


def test_points_in_degrees(tmp_path):
    pytest.importorskip("pyproj")
    (tmp_path / "d.csv").write_text("floe,lon,lat\n1,-45,80\n1,-44.9,80\n1,-44.9,80.02\n")
    with pytest.raises(CaseError, match="degrees"):
        bq.read_scene(tmp_path / "d.csv")
    assert bq.read_scene(tmp_path / "d.csv", crs="EPSG:3413").floes[0].area > 1e6


@pytest.mark.parametrize("name", ["s.geojson", "s.csv", "s.wkt", "s.h5", "s.mat", "s.shp"])
def test_damaged_at_random(tmp_path, name):
    """There is no checksum in other codes' files: what can be asked is a sentence, never another error."""
    if name == "s.shp":
        pytest.importorskip("shapefile")
    write_scene(bq.Scene(outlines(3)), tmp_path / name)
    content = (tmp_path / name).read_bytes()
    rng = np.random.default_rng(2)
    for k in range(16):
        place = int(rng.integers(0, len(content)))
        middle = (b"", bytes([content[place] ^ 1 << k % 8]), rng.bytes(16), rng.bytes(40) + content[place : place + 1])[
            k % 4
        ]
        rest = b"" if k % 4 == 0 else content[place + len(middle) % 41 :]
        (tmp_path / name).write_bytes(content[:place] + middle + rest)
        try:
            bq.read_scene(tmp_path / name)
        except BanquiseError as problem:
            assert len(str(problem)) < 500


def test_real_files(shared_data):
    assert len(bq.read_scene(shared_data / "robeson_floes.mat").floes) == 100
    assert len(bq.read_scene(shared_data / "floedyn_100_floes_input.h5").floes) == 100
