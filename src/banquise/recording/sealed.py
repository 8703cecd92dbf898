"""Files that know whether they are whole: their length and a checksum in the last 20 bytes, written last.

HDF5 and zip readers do not look past their own end, so a sealed run file is an ordinary NetCDF file to others. A flipped
bit in HDF5's old-style metadata can go unseen and move or drop data: only a sum over the whole file shows it.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import zlib
from pathlib import Path

from banquise.errors import RunFileError

MAGIC = b"BANQUISE"
_TAIL = struct.Struct("<8sIQ")  # magic, checksum, length before the seal
_BLOCK = 2**22
ROOM = 2**16  # bytes free below which a disk that refuses is taken to be full


def _checksum(path: Path, length: int) -> int:
    total = 0
    with open(path, "rb") as file:
        left = length
        while left > 0:
            block = file.read(min(_BLOCK, left))
            if not block:
                break
            total = zlib.crc32(block, total)
            left -= len(block)
    return total


def refusal(problem: BaseException, folder: Path) -> str:
    """Why a disk would not take a file; HDF5 calls a full one by other names ("HDF error", "Permission denied")."""
    if isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return str(problem.strerror)
    try:
        left = shutil.disk_usage(folder).free
    except OSError:
        left = ROOM
    if left < ROOM:
        return f"No space left on device: {left // 1024} kB free"
    return str(getattr(problem, "strerror", None) or problem)


def seal(path: Path) -> None:
    """Add the seal to a finished file, and see it to the disk."""
    length = path.stat().st_size
    tail = _TAIL.pack(MAGIC, _checksum(path, length), length)
    with open(path, "ab") as file:
        file.write(tail)
        file.flush()
        os.fsync(file.fileno())


def sealed_length(path: Path) -> int | None:
    """Length before the seal, or None when there is no seal."""
    size = path.stat().st_size
    if size < _TAIL.size:
        return None
    with open(path, "rb") as file:
        file.seek(size - _TAIL.size)
        magic, _, length = _TAIL.unpack(file.read(_TAIL.size))
    return int(length) if magic == MAGIC and length == size - _TAIL.size else None


def verify(path: Path, kind: str) -> None:
    """Raise unless the file is as it was when sealed."""
    try:
        length = sealed_length(path)
        if length is None:
            raise RunFileError(
                f"{path}: not a Banquise {kind}, or a damaged one: cut short or changed (no seal at its end)."
            )
        with open(path, "rb") as file:
            file.seek(length)
            _, stored, _ = _TAIL.unpack(file.read(_TAIL.size))
        if _checksum(path, length) != stored:
            raise RunFileError(f"{path}: this {kind} is damaged (its checksum does not fit). Use a copy.")
    except OSError as problem:
        raise RunFileError(f"{path}: cannot be read ({problem.strerror or problem}).") from None


def read_sealed(path: Path, kind: str) -> bytes:
    """The content of a small sealed file."""
    verify(path, kind)
    return path.read_bytes()[: -_TAIL.size]


def write_sealed(path: Path, content: bytes) -> None:
    """Write under another name, seal, rename: the file is there whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    tail = _TAIL.pack(MAGIC, zlib.crc32(content), len(content))
    with open(temporary, "wb") as file:
        file.write(content)
        file.write(tail)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
