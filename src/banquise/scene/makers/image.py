"""Floes found in a picture: light made even, ice told from water, touching floes parted, borders traced."""

from __future__ import annotations

import heapq
import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, in_short, known_keywords, need
from banquise.given import floats
from banquise.scene.floe import Floe
from banquise.scene.scene import Scene

Array = NDArray[np.float64]

LEAST_CONTRAST = 3.0  # of ice over water, in spreads of the light within each: below it there are no two kinds
MOST_GAIN = 0.09  # of area by the common hull, in parts of the smaller piece, of pieces of one floe
CLEAR = 12.0  # step between ice and water asked for, in spreads of the noise left after blurring
LEAST_BLUR, MOST_BLUR = 0.5, 3.0  # pixels; blurring closes narrow leads, so no more than the noise asks for
GAP = 0.05  # pixels left between floes that touch, so that none overlap
SMALLEST = 25  # pixels
SPECK = 6  # pixels
MOST_PIXELS = 100e6


@dataclass(frozen=True)
class Found:
    """What was found in a picture: the scene (m), the picture, the label of each pixel, metres a pixel and the origin."""

    scene: Scene
    picture: Array
    labels: NDArray[np.int32]
    pixel: float
    origin: tuple[float, float]  # x, y of the lower left corner (m)


@known_keywords
def from_image(
    image: Any,
    pixel: float | None = None,
    *,
    thickness: float = 1.0,
    min_area: float | None = None,
    tolerance: float | None = None,
    blur: float | None = None,
) -> Found:
    """Floes of a picture in which ice is lighter than water.

    Parameters
    ----------
    image : file name, or array (rows, columns) or (rows, columns, colours); the first row is the top
    pixel : m a pixel; a GeoTIFF brings its own, with its place on the map
    min_area : m2, smaller floes are dropped (default: 25 pixels)
    tolerance : m, by which rings may be simplified (default: 0.7 pixel)
    blur : pixels, against noise (default: as much as the noise of the picture asks for)
    """
    need("skimage", "finding floes in a picture", "image")
    grey, own_pixel, origin = _picture(image)
    pixel = own_pixel if pixel is None else pixel
    if pixel is None:
        raise CaseError("from_image: the picture does not say its scale. Give pixel, the metres a pixel.")
    if not pixel > 0:
        raise CaseError(f"from_image: pixel is {pixel!r}, expected metres above 0.")
    least = SMALLEST * pixel**2 if min_area is None else float(min_area)
    if not np.ptp(grey) > 0:
        raise CaseError("from_image: the picture is of one colour: no floes in it.")
    labels = parted(ice_mask(grey, blur_for(grey) if blur is None else blur))
    left, top = origin[0], origin[1] + grey.shape[0] * pixel
    outlines, owner = [], []
    for label, ring in _borders(labels):
        polygon = shapely.Polygon(np.stack([left + ring[:, 1] * pixel, top - ring[:, 0] * pixel], axis=1))
        polygon = shapely.simplify(polygon, 0.7 * pixel if tolerance is None else tolerance)
        if polygon.is_valid and polygon.area >= least:
            outlines.append(polygon)
            owner.append(label)
    floes = []
    kept = np.zeros(labels.max() + 1, np.int32)
    for label, polygon in zip(owner, _apart(outlines, GAP * pixel)):
        if polygon.area >= least:
            floes.append(Floe(shapely.get_coordinates(polygon.exterior), thickness=thickness))
            kept[label] = len(floes)
    if not floes:
        raise CaseError(
            f"from_image: ice was found, but no floe of at least {least:.4g} m2. Lower min_area, or check pixel."
        )
    return Found(Scene(floes), grey, kept[labels], float(pixel), origin)


def _picture(image: Any) -> tuple[Array, float | None, tuple[float, float]]:
    """Grey values, metres a pixel where the file says them, and the lower left corner."""
    pixel, origin = None, (0.0, 0.0)
    if isinstance(image, str | Path):
        need("PIL", f"{image}: reading a picture", "image")
        from PIL import Image

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit is our own
                opened = Image.open(image)
            with opened as file:
                _check_size(file.size, image)  # as its head says, before any of it is unpacked
                tags: Any = getattr(file, "tag_v2", {})
                scale, tie = tags.get(33550), tags.get(33922)  # GeoTIFF: size of a pixel, a pixel and its place
                values = np.asarray(file)
        except FileNotFoundError:
            raise CaseError(f"{image}: no such picture.") from None
        except CaseError:
            raise
        except Exception as problem:  # a damaged one fails anywhere inside Pillow, in its own way
            reason = str(problem) or type(problem).__name__
            raise CaseError(f"{image}: not a picture that can be read (PNG, JPEG, TIFF): {reason[:120]}") from None
        if scale and tie and len(scale) >= 2 and len(tie) >= 6 and scale[0] > 0:
            if abs(scale[0] - scale[1]) > 1e-6 * scale[0]:
                raise CaseError(
                    f"{image}: pixels of {scale[0]:g} by {scale[1]:g} m. Expected square ones: resample it."
                )
            pixel = float(scale[0])
            origin = (tie[3] - tie[0] * pixel, tie[4] + tie[1] * pixel - values.shape[0] * pixel)
    else:
        try:
            plain = isinstance(image, np.ndarray) and image.dtype.kind in "biuf" and not np.ma.isMaskedArray(image)
            values = np.asarray(image) if plain else floats(image)
        except (TypeError, ValueError, OverflowError):
            raise CaseError(
                f"from_image: got {in_short(image)}, expected a file name or an array of grey values."
            ) from None
    _check_size(values.shape[:2], "from_image")
    if values.ndim == 3:
        values = values[..., : 1 if values.shape[2] < 3 else 3].mean(axis=2)
    if values.ndim != 2 or min(values.shape) < 8:
        raise CaseError(f"from_image: an array of shape {values.shape}, expected (rows, columns) of at least 8 pixels.")
    grey = values.astype(float)
    if not np.isfinite(grey).all():
        raise CaseError("from_image: the picture holds values that are not numbers. Fill them first.")
    return grey, pixel, origin


def _check_size(size: tuple[int, ...], what: Any) -> None:
    """Finding floes takes some hundred bytes a pixel: a file of a few kB may claim more pixels than any memory holds."""
    if math.prod(size) > MOST_PIXELS:
        sides = " by ".join(f"{side:,}" for side in size)
        raise CaseError(
            f"{what}: {sides} pixels, expected at most {MOST_PIXELS / 1e6:g} million. Cut or shrink the picture."
        )


def blur_for(grey: Array) -> float:
    """Pixels by which to blur so that the noise left is small against the step between ice and water."""
    from scipy.ndimage import gaussian_filter
    from skimage.filters import threshold_otsu

    bend = grey[:, :-2] - 2 * grey[:, 1:-1] + grey[:, 2:]  # of white noise: sqrt(6) times its spread; edges are rare
    noise = float(np.median(np.abs(bend))) / (0.6745 * math.sqrt(6))
    smooth = gaussian_filter(grey, 1.0)
    ice = smooth > threshold_otsu(smooth)
    step = float(smooth[ice].mean() - smooth[~ice].mean()) if 0 < ice.sum() < ice.size else math.inf
    # a Gaussian of s pixels leaves 1 / (2 s sqrt(pi)) of white noise
    return float(np.clip(CLEAR * noise / step / (2 * math.sqrt(math.pi)), LEAST_BLUR, MOST_BLUR))


def ice_mask(grey: Array, blur: float = 1.0) -> NDArray[np.bool_]:
    """Which pixels are ice.

    The light that falls on the scene is taken as a smooth surface: log value = quadratic in x, y + a step for ice. Pixels
    are told apart and the surface fitted in turn, so that a shaded floe is not taken for water.
    """
    from scipy.ndimage import gaussian_filter
    from skimage.filters import threshold_otsu

    high = np.percentile(grey, 99.5)
    value = np.log(np.maximum(gaussian_filter(grey, blur), 1e-3 * high) + 0.02 * high)
    rows, columns = np.mgrid[-1 : 1 : grey.shape[0] * 1j, -1 : 1 : grey.shape[1] * 1j]
    light = np.stack([columns, rows, columns**2, rows**2, columns * rows, np.ones_like(rows)], axis=-1).reshape(-1, 6)
    some = slice(None, None, max(1, light.shape[0] // 40000))
    even = value.ravel()
    ice = even > threshold_otsu(even)
    for _ in range(30):
        terms = np.column_stack([light[some], ice[some]])
        fit = np.linalg.lstsq(terms, value.ravel()[some], rcond=None)[0]
        even = value.ravel() - light @ fit[:6]
        now = even > threshold_otsu(even)
        if np.mean(now != ice) < 1e-5:
            break
        ice = now
    step = even[now].mean() - even[~now].mean() if 0 < now.sum() < now.size else 0.0
    spread = max(float(even[now].std() + even[~now].std()) / 2, 1e-9) if step else 1.0
    if step < LEAST_CONTRAST * spread:
        raise CaseError(
            f"from_image: light and dark differ by {step / spread:.1f} times their spread: no floes to be told from water. "
            "Choose a picture with open water around the floes, or raise blur."
        )
    return np.asarray(now.reshape(grey.shape))


def parted(ice: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Labels of floes from 1: connected ice, divided where floes touch.

    Every top of the distance to water is a seed of the watershed, so that a floe may come in several basins. Floes are
    nearly convex and two that touch are not: basins are joined again while their common hull holds little more than
    their own hulls do.
    """
    from scipy.ndimage import binary_opening, distance_transform_edt, gaussian_filter
    from skimage.feature import peak_local_max
    from skimage.measure import label
    from skimage.segmentation import watershed

    solid = binary_opening(ice, iterations=1)
    # specks of noise in a floe are filled, water enclosed by touching floes is not: it is what parts them
    water = label(~solid, connectivity=1)
    solid |= np.bincount(water.ravel())[water] <= SPECK
    depth = gaussian_filter(distance_transform_edt(solid), 0.5)
    tops = peak_local_max(depth, min_distance=2, labels=label(solid), exclude_border=False)
    seeds = np.zeros(ice.shape, np.int32)
    seeds[tuple(tops.T)] = np.arange(1, len(tops) + 1)
    return _joined(watershed(-depth, seeds, mask=solid))


def _joined(labels: Any) -> NDArray[np.int32]:
    """Basins joined, those first whose common hull gains least, in parts of the smaller basin, up to `MOST_GAIN`."""
    hull, area = _hulls(labels), np.bincount(labels.ravel()).astype(float)
    beside: list[set[int]] = [set() for _ in area]
    for one, two in ((labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])):
        cross = (one != two) & (one > 0) & (two > 0)
        for a, b in np.unique(np.stack([one[cross], two[cross]], axis=1), axis=0).tolist():
            beside[a].add(b)
            beside[b].add(a)

    def gain(a: int, b: int) -> float:
        more = shapely.convex_hull(shapely.union(hull[a], hull[b])).area - hull[a].area - hull[b].area
        return float(more) / min(area[a], area[b])

    owner = np.arange(len(area))
    queue = [(gain(a, b), a, b) for a in range(1, len(area)) for b in beside[a] if a < b]
    heapq.heapify(queue)
    while queue and queue[0][0] < MOST_GAIN:
        said, a, b = heapq.heappop(queue)
        if b not in beside[a] or said != gain(a, b):  # one of them has been joined to another since
            continue
        owner[owner == b] = a
        hull[a], area[a] = shapely.convex_hull(shapely.union(hull[a], hull[b])), area[a] + area[b]
        for other in beside[b]:
            beside[other].discard(b)
        beside[a] = (beside[a] | beside[b]) - {a, b}
        beside[b] = set()
        for other in beside[a]:
            beside[other].add(a)
            heapq.heappush(queue, (gain(a, other), min(a, other), max(a, other)))
    _, renumbered = np.unique(owner, return_inverse=True)
    return np.asarray(renumbered[labels], dtype=np.int32)


def _hulls(labels: Any) -> list[Any]:
    """The convex hull of the pixels of each label, corners included, in pixels; nothing for label 0."""
    from scipy.ndimage import find_objects

    found: list[Any] = [None]
    for k, window in enumerate(find_objects(labels)):
        mask = labels[window] == k + 1
        row = np.flatnonzero(mask.any(axis=1))
        left, right = mask[row].argmax(axis=1), mask.shape[1] - mask[row][:, ::-1].argmax(axis=1)
        x, y = np.tile(np.concatenate([left, right]), 2), np.concatenate([row, row, row + 1, row + 1])
        found.append(shapely.convex_hull(shapely.multipoints(np.stack([x + window[1].start, y + window[0].start], 1))))
    return found


def _borders(labels: NDArray[np.int32]) -> list[tuple[int, Array]]:
    """The outer border of each label, (rows, columns) from the top left corner of the picture, in pixels."""
    from scipy.ndimage import find_objects
    from skimage.measure import find_contours

    found = []
    for k, window in enumerate(find_objects(labels)):
        if window is None:
            continue
        mask = np.pad(labels[window] == k + 1, 1).astype(float)
        contours = find_contours(mask, 0.5)
        ring = max(contours, key=len)
        if len(ring) > 4:
            # the middle of pixel (0, 0) lies half a pixel from the corner; one pixel was padded
            found.append((k + 1, ring - 0.5 + (window[0].start, window[1].start)))
    return found


def _apart(outlines: list[Any], gap: float) -> list[Any]:
    """The same outlines, the larger of two that meet cut back: borders simplified one by one cross their neighbours'."""
    polygons = np.array(outlines, dtype=object)
    i, j = shapely.STRtree(polygons).query(polygons, predicate="dwithin", distance=0.5 * gap)
    area = shapely.area(polygons)
    larger = (area[i] > area[j]) | ((area[i] == area[j]) & (i < j))
    for one, two in zip(i[larger], j[larger]):
        room = shapely.buffer(polygons[two], gap, join_style="mitre", mitre_limit=2.0)
        pieces = shapely.get_parts(shapely.difference(polygons[one], room))
        pieces = pieces[shapely.get_type_id(pieces) == 3]
        if len(pieces):
            whole = shapely.Polygon(pieces[np.argmax(shapely.area(pieces))].exterior)
            polygons[one] = shapely.simplify(whole, 0.2 * gap)
    return list(polygons)
