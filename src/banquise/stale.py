"""Compiled kernels on disk that no longer are what the sources say.

Numba looks at the file a kernel stands in, not at the files of the kernels it calls: change one of those, and the caller
goes on with the old one, silently. So when any source of kernels has changed since the last time, all are compiled anew.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

SOURCES = (
    "_kernels*.py",
    "jit.py",
    "copies.py",
    "indices.py",
    "bits.py",
    "codes.py",
)  # kernels, and what they take decorators and numbers from
STAMP = "kernels.stamp"


def drop_stale(package: Path) -> bool:
    """Delete the compiled kernels of a package whose sources of kernels are others than at the last call; whether it did.

    Folders that cannot be written to are left as they are: there Numba keeps its files elsewhere.
    """
    sources = sorted(path for pattern in SOURCES for path in package.rglob(pattern))
    seen = hashlib.blake2b(digest_size=16)
    for path in sources:
        told = path.stat()
        seen.update(f"{path.relative_to(package)} {told.st_mtime_ns} {told.st_size}\n".encode())
    stamp = package / "__pycache__" / STAMP
    try:
        if stamp.is_file() and stamp.read_text(encoding="ascii") == seen.hexdigest():
            return False
        dropped = [path for folder in package.rglob("__pycache__") for path in folder.glob("*.nb[ci]")]
        for path in dropped:
            path.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(seen.hexdigest(), encoding="ascii")
    except OSError:
        return False
    return bool(dropped)
