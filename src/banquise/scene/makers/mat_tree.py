"""MAT files (version 5) walked before they are read: every element within its parent, every type known, every size right.

scipy's reader trusts these: a byte changed in an uncompressed file can crash Python itself.
"""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path
from typing import Any

from banquise.errors import CaseError

_WIDTHS = {
    1: 1,
    2: 1,
    3: 2,
    4: 2,
    5: 4,
    6: 4,
    7: 4,
    9: 8,
    12: 8,
    13: 8,
    16: 1,
    17: 2,
    18: 4,
}  # bytes of a number of each type
_MATRIX, _COMPRESSED = 14, 15
_CELL, _STRUCT, _CHAR, _FIRST_NUMBER, _LAST_NUMBER = 1, 2, 4, 6, 15
_OTHERS = (3, 5, 16, 17)  # objects, sparse matrices, functions, opaque objects
_DEEPEST = 32
_MOST = 2**31  # bytes


class _Wrong(ValueError):
    """What is wrong with the tree."""


def load_mat(path: str | Path, **options: Any) -> dict[str, Any]:
    """The variables of a MAT file, walked first; what cannot be read is said with the file's name."""
    from scipy.io import loadmat

    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise CaseError(f"{path}: cannot be read ({problem.strerror or problem}).") from None
    try:
        check_mat(content)
        found: dict[str, Any] = loadmat(path, **options)
    except NotImplementedError:
        raise CaseError(f"{path}: a MAT file of version 7.3. Save it again with `save(name, 'Floe', '-v7')`.") from None
    except Exception as problem:  # scipy raises many kinds for a file that is no MAT file
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise CaseError(f"{path}: not a MAT file that can be read ({reason}).") from None
    return found


def check_mat(content: bytes) -> None:
    """Raise ValueError unless the elements of a MAT file of version 5 fit into each other; others are left to scipy."""
    if len(content) < 128 or content[126:128] not in (b"IM", b"MI"):
        if content[:4].count(0) and len(content) >= 20:
            raise _Wrong("version 4 files are not read, save it as version 7")
        raise _Wrong("no MAT header")
    order = "<" if content[126:128] == b"IM" else ">"
    if content[124:126] in (b"\x00\x02", b"\x02\x00"):  # version 7.3: HDF5 inside, which scipy says
        return
    _walk(content, 128, len(content), order, 0)


def _walk(content: bytes, at: int, end: int, order: str, depth: int) -> None:
    """Elements from `at` to `end`: matrices, or what decompresses to them."""
    while at < end:
        kind, first, size, after = _tag(content, at, end, order)
        if kind == _COMPRESSED:
            try:
                inner = zlib.decompressobj().decompress(content[first : first + size], _MOST)
            except zlib.error as problem:
                raise _Wrong(str(problem)) from None
            _walk(inner, 0, len(inner), order, depth + 1)
            after = first + size  # compressed elements are not padded
        elif kind == _MATRIX:
            _matrix(content, first, first + size, order, depth + 1)
        else:
            raise _Wrong(f"an element of type {kind} where a variable was expected")
        at = after


def _tag(content: bytes, at: int, end: int, order: str) -> tuple[int, int, int, int]:
    """Type, first byte, size, and where the next element begins."""
    if at + 8 > end:
        raise _Wrong("cut short")
    kind, size = struct.unpack_from(f"{order}II", content, at)
    first, after = at + 8, at + 8 + size + (-size) % 8
    if kind >> 16:  # small: size, type and up to four bytes in one tag
        kind, size, first, after = kind & 0xFFFF, kind >> 16, at + 4, at + 8
        if size > 4:
            raise _Wrong("a small element of more than four bytes")
    if first + size > end:
        raise _Wrong("an element that is longer than what holds it")
    return kind, first, size, min(after, end) if kind != _COMPRESSED else first + size


def _matrix(content: bytes, at: int, end: int, order: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise _Wrong("variables within variables too deep")
    if at == end:  # an empty cell
        return
    kind, first, size, at = _tag(content, at, end, order)
    if kind != 6 or size != 8:
        raise _Wrong("a variable without flags")
    flags = struct.unpack_from(f"{order}I", content, first)[0]
    form, is_complex = flags & 0xFF, bool(flags & 0x800)
    if form in _OTHERS:  # such as SubZero's polyshapes: of another make, and not ours to read
        return
    if not (form in (_CELL, _STRUCT, _CHAR) or _FIRST_NUMBER <= form <= _LAST_NUMBER):
        raise _Wrong(f"a variable of class {form}")
    kind, first, size, at = _tag(content, at, end, order)
    if kind != 5 or size % 4 or size < 8:
        raise _Wrong("a variable without dimensions")
    dims = struct.unpack_from(f"{order}{size // 4}i", content, first)
    if min(dims) < 0 or math.prod(dims) > _MOST:
        raise _Wrong(f"dimensions {dims}")
    kind, _, _, at = _tag(content, at, end, order)
    if kind not in (1, 16):
        raise _Wrong("a variable without a name")
    count = math.prod(dims)
    if form == _CELL:
        _matrices(content, at, end, order, depth, count)
    elif form == _STRUCT:
        kind, first, size, at = _tag(content, at, end, order)
        width = struct.unpack_from(f"{order}i", content, first)[0] if kind == 5 and size == 4 else 0
        kind, _, size, at = _tag(content, at, end, order)
        if width < 1 or kind != 1 or size % width:
            raise _Wrong("a structure without names of its fields")
        _matrices(content, at, end, order, depth, count * (size // width))
    else:
        for _ in range(1 + is_complex):
            kind, first, size, at = _tag(content, at, end, order)
            if kind not in _WIDTHS or (size != count * _WIDTHS[kind] and kind != 16):
                raise _Wrong(f"{size} bytes of type {kind} for {count} values")
            if form == _CHAR:
                _text(content[first : first + size], kind, count)


def _text(content: bytes, kind: int, count: int) -> None:
    if kind == 16 and len(content.decode("utf-8")) != count:
        raise _Wrong("a text that is longer or shorter than it says")


def _matrices(content: bytes, at: int, end: int, order: str, depth: int, count: int) -> None:
    for _ in range(count):
        kind, first, size, at = _tag(content, at, end, order)
        if kind != _MATRIX:
            raise _Wrong(f"an element of type {kind} within a cell or structure")
        _matrix(content, first, first + size, order, depth + 1)
