"""Who touches whom in space: broad phase, approximate phase, distances and contact polygons of polyhedra."""

from __future__ import annotations

from banquise.detection.spatial.axes import Separation, separate
from banquise.detection.spatial.broad_phase import find_pairs, part_boxes
from banquise.detection.spatial.distance import Distances, distances
from banquise.detection.spatial.gap import Gap, gap
from banquise.detection.spatial.polygon import Contacts, contacts
from banquise.detection.spatial.table import Blocks, Shapes

__all__ = [
    "Blocks", "Contacts", "Distances", "Gap", "Separation", "Shapes", "contacts", "distances", "find_pairs", "gap",
    "part_boxes", "separate",
]  # fmt: skip
