"""Convex parts of a concave skin, by the optional library coacd, kept so that a mesh is cut once."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from banquise.errors import need
from banquise.scene.meshes import Floats, Ints

_known: dict[str, list[Floats]] = {}


def decompose(
    vertices: Floats, triangles: Ints, concavity: float = 0.05, cache: str | Path | None = None
) -> list[Floats]:
    """Corners of convex parts that approximate a skin.

    `concavity` is the concavity left in a part, of the size of the body (coacd's measure). The cut is approximate:
    parts may differ from the skin by that much; give `parts` yourself where they must be exact. Results are kept in
    memory, and in the folder `cache` when one is given.
    """
    key = hashlib.sha256(vertices.tobytes() + triangles.tobytes() + repr(concavity).encode()).hexdigest()[:32]
    file = Path(cache) / f"parts-{key}.npz" if cache is not None else None
    if key not in _known and file is not None and file.exists():
        with np.load(file) as stored:
            _known[key] = [stored[name] for name in stored.files]
    if key not in _known:
        need("coacd", "cutting a skin into convex parts", "blocks", "; or give `parts`.")
        import coacd

        coacd.set_log_level("error")
        _known[key] = [
            np.asarray(part, dtype=np.float64)
            for part, _ in coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=concavity)
        ]
    if file is not None and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, *_known[key])
    return _known[key]
