"""Skins from files: STL (text and binary), OBJ, PLY (text and binary). Read here: three small formats, no library."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from banquise.errors import ShapeError, nearest
from banquise.scene.meshes import Floats, Ints, as_triangles, as_vertices


def read_mesh(path: str | Path) -> tuple[Floats, Ints]:
    """Vertices (n, 3) and triangles (m, 3) of a mesh file, equal points joined; what is wrong is said with the file's
    name.
    """
    path = Path(path)
    readers: dict[str, Callable[[bytes], tuple[Floats, Ints]]] = {".stl": _stl, ".obj": _obj, ".ply": _ply}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ShapeError(f"{path}: {path.suffix or 'no'} extension. {nearest(path.suffix, readers)}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ShapeError(f"{path}: cannot be read ({error.strerror}).") from None
    try:
        vertices, triangles = reader(data)
        return _joined(as_vertices(vertices), triangles)
    except ShapeError as error:
        raise ShapeError(f"{path}: {error}") from None
    except (ValueError, IndexError, KeyError, OverflowError, struct.error):
        raise ShapeError(f"{path}: damaged or not a {path.suffix[1:].upper()} file.") from None


def _joined(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Equal points made one (STL repeats every corner), triangles that collapse dropped."""
    points, number = np.unique(vertices, axis=0, return_inverse=True)
    triangles = number.ravel()[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    used, triangles = np.unique(triangles, return_inverse=True)
    return np.ascontiguousarray(points[used]), triangles.reshape(-1, 3).astype(np.int64)


def _stl(data: bytes) -> tuple[Floats, Ints]:
    # A binary file may begin with "solid" too; its length gives it away.
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
        corners = np.frombuffer(data, dtype=record, offset=84)["corners"].reshape(-1, 3).astype(np.float64)
    elif data.lstrip()[:5].lower() == b"solid":
        rows = [
            line.split()[1:4] for line in data.decode("ascii", "replace").splitlines() if line.split()[:1] == ["vertex"]
        ]
        corners = np.array(rows, dtype=np.float64).reshape(-1, 3)
    else:
        says = f"says {count} triangles but " if count >= 0 else ""
        raise ShapeError(f"{says}holds {len(data)} bytes; empty or cut short?")
    if not len(corners) or len(corners) % 3:
        raise ShapeError(f"{len(corners)} corners, expected three for each triangle.")
    return corners, np.arange(len(corners)).reshape(-1, 3)


def _obj(data: bytes) -> tuple[Floats, Ints]:
    vertices, faces = [], []
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]  # vertex/texture/normal, from 1, or from the end
            if 0 in numbers or min(numbers, default=1) < -len(vertices):
                raise ShapeError(
                    f"line {number}: {line.strip()[:60]!r}, expected vertices from 1, or from -1 backwards."
                )
            faces.append([k - 1 if k > 0 else len(vertices) + k for k in numbers])
    points = as_vertices(vertices)
    return points, as_triangles(points, faces)


_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2", "uint16":
    "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4", "double": "f8",
    "float64": "f8",
}  # fmt: skip


def _ply(data: bytes) -> tuple[Floats, Ints]:
    head, mark, body = data.partition(b"end_header")
    if not head.startswith(b"ply") or not mark:
        raise ShapeError("no PLY header.")
    body = body[body.index(b"\n") + 1 :]
    style = ""
    elements: list[tuple[str, int, list[list[str]]]] = []
    for line in head.decode("ascii", "replace").splitlines():
        words = line.split()
        if words[:1] == ["format"]:
            style = words[1]
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    read = _ply_text(body) if style == "ascii" else _ply_binary(body, "<" if style == "binary_little_endian" else ">")
    vertices, faces = [], []
    for name, count, properties in elements:
        for _ in range(count):
            values = {p[-1]: read(p[:-1]) for p in properties}
            if name == "vertex":
                vertices.append([values["x"][0], values["y"][0], values["z"][0]])
            elif name == "face":
                ring = values.get("vertex_indices", values.get("vertex_index"))
                if ring is None:
                    raise ShapeError("faces without vertex_indices.")
                faces.append([int(k) for k in ring])
    points = as_vertices(vertices)
    return points, as_triangles(points, faces)


def _ply_text(body: bytes) -> Callable[[list[str]], list[float]]:
    words = iter(body.split())

    def read(kind: list[str]) -> list[float]:
        count = int(next(words, b"x")) if kind[0] == "list" else 1
        return [float(next(words, b"x")) for _ in range(count)]

    return read


def _ply_binary(body: bytes, order: str) -> Callable[[list[str]], list[float]]:
    place = 0

    def take(kind: str, count: int) -> list[float]:
        nonlocal place
        values = np.frombuffer(body, dtype=order + _PLY_TYPES[kind], count=count, offset=place)
        place += values.nbytes
        return values.tolist()

    def read(kind: list[str]) -> list[float]:
        return take(kind[2], int(take(kind[1], 1)[0])) if kind[0] == "list" else take(kind[0], 1)

    return read
