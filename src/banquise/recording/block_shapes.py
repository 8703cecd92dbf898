"""Shapes of blocks in the run file: every skin once, from its centre of mass, and the blocks made from them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.recording.shapes import check_finite
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.solids import ConvexPart

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
_NUMBERS = {
    "density": ("kg m-3", "density"),
    "volume": ("m3", "volume"),
    "mass": ("kg", "mass; of a fixed block what it would weigh were it free"),
    "radius": ("m", "radius around the skin"),
}
_COMMENT = (
    "Vertices from the centre of mass, in body axes: turn them by the unit quaternion (qw, qx, qy, qz) of the state and "
    "add x, y, z. Vertices, triangles (of vertex numbers within their block) and corners of convex parts are listed block "
    "after block."
)


COLUMNS = (
    *_NUMBERS, "inertia", "fixed", "vertex_count", "triangle_count", "vertex", "triangle", "part_body", "part_radius",
    "part_corner_count", "part_triangle_count", "part_corner", "part_triangle", "material", "name",
)  # fmt: skip
"""What every run file of blocks has of them."""


def block_shapes(blocks: Sequence[Polyhedron]) -> xr.Dataset:
    """Skins and convex parts, block after block, with what is needed to make the blocks again."""
    import xarray as xr

    parts = [(k, part) for k, block in enumerate(blocks) for part in block.parts]
    data: dict[str, Any] = {
        name: ("body", np.array([getattr(b, name) for b in blocks], dtype=float), {"units": unit, "long_name": text})
        for name, (unit, text) in _NUMBERS.items()
    }
    inertia = np.array([b.inertia for b in blocks]).reshape(-1, 3, 3)
    words = {"material": [b.material for b in blocks], "name": [b.name or "" for b in blocks]}
    data |= {
        "inertia": (("body", "axis", "axis_2"), inertia, {"units": "kg m2", "long_name": "inertia about the centre"}),
        "fixed": ("body", np.array([b.fixed for b in blocks], dtype=np.int8), {"long_name": "1 for a fixed block"}),
        "led": ("body", np.array([b.path is not None for b in blocks], dtype=np.int8), {"long_name": "1 if on a path"}),
        "vertex_count": ("body", _counts([b.vertices for b in blocks]), {"long_name": "vertices of the skin"}),
        "triangle_count": ("body", _counts([b.faces for b in blocks]), {"long_name": "triangles of the skin"}),
        "vertex": (("vertex_row", "axis"), _rows([b.vertices - b.solid.mass.centre for b in blocks], float),
                   {"units": "m", "long_name": "vertex from the centre of mass, body axes"}),
        "triangle": (("triangle_row", "corner"), _rows([b.faces for b in blocks], np.int64),
                     {"long_name": "vertices of a triangle, counter-clockwise from outside"}),
        "part_body": ("part", np.array([k for k, _ in parts], dtype=np.int64), {"long_name": "block of a convex part"}),
        "part_radius": ("part", np.array([p.radius for _, p in parts]), {"units": "m", "long_name": "radius around it"}),
        "part_corner_count": ("part", _counts([p.corners for _, p in parts]), {"long_name": "corners of the part"}),
        "part_triangle_count": ("part", _counts([p.triangles for _, p in parts]), {"long_name": "its triangles"}),
        "part_corner": (("part_corner_row", "axis"),
                        _rows([p.corners - blocks[k].solid.mass.centre for k, p in parts], float),
                        {"units": "m", "long_name": "corner from the centre of mass of its block, body axes"}),
        "part_triangle": (("part_triangle_row", "corner"), _rows([p.triangles for _, p in parts], np.int64),
                          {"long_name": "corners of a triangle of the part"}),
        **{key: ("body", np.array(texts, dtype=str), {"long_name": key}) for key, texts in words.items()},
    }  # fmt: skip
    return xr.Dataset(data, attrs={"comment": _COMMENT})


def _counts(arrays: Sequence[Any]) -> NDArray[np.int64]:
    return np.array([len(a) for a in arrays], dtype=np.int64)


def _rows(arrays: Sequence[Any], kind: Any) -> NDArray[Any]:
    return np.vstack([np.empty((0, 3)), *arrays]).astype(kind)


def check_block_shapes(shapes: xr.Dataset) -> None:
    """Raise a ValueError unless every block has its vertices, triangles and parts."""
    counts = {"vertex_count": "vertex", "triangle_count": "triangle"}
    counts |= {"part_corner_count": "part_corner", "part_triangle_count": "part_triangle"}
    check_finite(shapes, (*_NUMBERS, "inertia", "fixed", "vertex", "part_radius", "part_corner"), "shapes")
    for name in (*counts, "part_body", "triangle", "part_triangle"):
        if shapes[name].dtype.kind not in "iu" or (shapes[name].values < 0).any():
            raise ValueError(f"shapes: {name} is not of whole numbers")
    for count, rows in counts.items():
        if shapes[count].values.sum() != len(shapes[rows]) or shapes[rows].shape[1:] != (3,):
            raise ValueError(f"shapes: {count} does not share out the rows of {rows}")
    if (shapes["part_body"].values >= shapes.sizes["body"]).any():
        raise ValueError("shapes: parts of no block")
    for corners, points, count in (
        ("triangle", "vertex_count", "triangle_count"), ("part_triangle", "part_corner_count", "part_triangle_count")
    ):  # fmt: skip
        most = np.repeat(shapes[points].values, shapes[count].values)
        if (shapes[corners].values >= most[:, None]).any():
            raise ValueError(f"shapes: {corners} names points that are not there")


def split(shapes: xr.Dataset, values: str, counts: str) -> list[NDArray[Any]]:
    """Rows of a variable, one array a body or a part."""
    return np.split(shapes[values].values, np.cumsum(shapes[counts].values)[:-1])


def blocks_from(shapes: xr.Dataset) -> list[Polyhedron]:
    """The blocks, unmoved, their frames at their centres of mass."""
    skins = split(shapes, "triangle", "triangle_count")
    parts: dict[int, list[ConvexPart]] = {}
    rows = zip(
        shapes["part_body"].values, split(shapes, "part_corner", "part_corner_count"),
        split(shapes, "part_triangle", "part_triangle_count"), shapes["part_radius"].values,
    )  # fmt: skip
    for body, corners, triangles, radius in rows:
        parts.setdefault(int(body), []).append(ConvexPart(corners, triangles, float(radius)))
    made = []
    for k, vertices in enumerate(split(shapes, "vertex", "vertex_count")):
        own = parts.get(k, [])
        options: dict[str, Any] = {
            "density": float(shapes["density"][k]), "radius": float(shapes["radius"][k]),
            "fixed": bool(shapes["fixed"][k]), "material": str(shapes["material"].values[k]),
            "name": str(shapes["name"].values[k]) or None,
        }  # fmt: skip
        if len(own) == 1:
            made.append(Polyhedron(own[0].corners, **options))
        elif own and len(vertices) == sum(len(p.corners) for p in own):  # given as parts: the skin is that of the parts
            made.append(Polyhedron(None, parts=own, **options))
        else:
            made.append(Polyhedron(vertices, skins[k], parts=own or None, **options))
    return made
