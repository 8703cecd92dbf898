"""Known floes are drawn with noise, uneven light and touching edges, and found again."""

import numpy as np
import pytest
import shapely

import banquise as bq
from banquise.errors import CaseError
from banquise.scene.makers.image import from_image
from banquise.scene.makers.tools import like

pytest.importorskip("skimage")


def drawn(scene, rows=600, columns=600, pixel=2.0, noise=0.05, seed=0):
    """A grey picture of a scene: ice 0.8, water 0.25, times a light that falls to a half across it, plus noise."""
    from skimage.draw import polygon

    picture = np.full((rows, columns), 0.25)
    for floe in scene.floes:
        x, y = floe.ring.T / pixel
        picture[polygon(rows - 0.5 - y, x - 0.5, picture.shape)] = 0.8
    y, x = np.mgrid[0 : 1 : rows * 1j, 0 : 1 : columns * 1j]
    rng = np.random.default_rng(seed)
    return picture * (1.1 - 0.5 * x - 0.2 * (y - 0.5) ** 2) + noise * rng.standard_normal(picture.shape)


def compare(scene, found):
    """Part of the true ice that was found, and part of the floes found: one to one, more than half of both in common."""
    true = np.array([f.polygon for f in scene.floes], dtype=object)
    got = np.array([f.polygon for f in found.scene.floes], dtype=object)
    common = shapely.area(shapely.intersection(shapely.union_all(true), shapely.union_all(got)))
    i, j = shapely.STRtree(got).query(true, predicate="intersects")
    shared = shapely.area(shapely.intersection(true[i], got[j]))
    match = (shared > 0.5 * shapely.area(true[i])) & (shared > 0.5 * shapely.area(got[j]))
    return common / shapely.area(true).sum(), len(np.unique(i[match])) / len(true)


@pytest.mark.parametrize(("seed", "noise"), [(1, 0.05), (2, 0.12)])
def test_floes_with_noise_and_uneven_light(seed, noise):
    scene = bq.pack(60, 0.5, (1200, 1200), seed=seed)
    area, count = compare(scene, from_image(drawn(scene, noise=noise, seed=seed), 2.0))
    assert area >= 0.95 and count >= 0.9


def touching(n, part, seed, grown=1.03):
    """A pack grown about the centres of its floes until most touch and some run into each other."""
    scene = bq.pack(n, part, (1200, 1200), seed=seed)
    scene = bq.Scene([like(f, f.centre + grown * (f.ring - f.centre)) for f in scene.floes])
    assert len(scene.overlaps()) > 5
    return scene


def assert_found(scene, noise, seed):
    found = from_image(drawn(scene, noise=noise, seed=seed), 2.0)
    area, count = compare(scene, found)
    assert area >= 0.95 and count >= 0.9
    assert found.scene.overlaps() == []


@pytest.mark.parametrize("seed", [24, 29])
def test_touching_floes_are_parted(seed):
    assert_found(touching(60, 0.6, seed), 0.05, seed)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.02, 0.1])
@pytest.mark.parametrize("seed", range(300, 315))
def test_touching_floes_of_many_seeds(seed, noise):
    assert_found(touching(60, 0.6, seed), noise, seed)


def test_geotiff_brings_its_scale(tmp_path):
    from PIL import Image, TiffImagePlugin

    scene = bq.pack(20, 0.4, (600, 600), seed=1)
    picture = (255 * np.clip(drawn(scene, 300, 300), 0, 1)).astype(np.uint8)
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[33550], tags.tagtype[33550] = (2.0, 2.0, 0.0), 12
    tags[33922], tags.tagtype[33922] = (0.0, 0.0, 0.0, 5000.0, 7600.0, 0.0), 12
    Image.fromarray(picture).save(tmp_path / "a.tif", tiffinfo=tags)
    found = from_image(tmp_path / "a.tif")
    moved = bq.Scene([like(f, f.ring + np.array([5000.0, 7000.0])) for f in scene.floes])
    area, count = compare(moved, found)
    assert area >= 0.95 and count >= 0.9


def test_what_is_no_picture_of_floes_is_said(tmp_path):
    rng = np.random.default_rng(0)
    with pytest.raises(CaseError, match="no floes"):
        from_image(np.full((50, 50), 0.4), 1.0)
    with pytest.raises(CaseError, match="no floes"):
        from_image(0.5 + 0.05 * rng.standard_normal((100, 100)), 1.0)
    with pytest.raises(CaseError, match="scale"):
        from_image(np.zeros((50, 50)))
    (tmp_path / "a.png").write_text("hello")
    with pytest.raises(CaseError, match="not a picture"):
        from_image(tmp_path / "a.png", 1.0)


def png(width, height):
    """A black picture of so many pixels, in a file of a few kB."""
    import struct
    import zlib

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(width + 1)) for _ in range(height)) + packer.flush()
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "size", [(12_000, 10_000), (20_000, 10_000)]
)  # the second is beyond the limit of Pillow itself
def test_a_small_file_that_claims_to_be_huge(size, tmp_path, recwarn):
    (tmp_path / "bomb.png").write_bytes(png(*size))
    with pytest.raises(CaseError, match="bomb.png: .*pixels"):
        from_image(tmp_path / "bomb.png", 1.0)
    assert not len(recwarn)


def test_a_huge_array_and_a_masked_one():
    with pytest.raises(CaseError, match="20,000 by 20,000 pixels, expected at most 100 million. Cut or shrink"):
        from_image(np.broadcast_to(np.zeros(1), (20_000, 20_000)), 1.0)
    masked = np.ma.array(np.eye(50), mask=np.eye(50) > 0)
    with pytest.raises(CaseError, match="values that are not numbers"):
        from_image(masked, 1.0)
