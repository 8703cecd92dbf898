"""Who touches whom in space: broad phase, approximate phase, distances and contact polygons of polyhedra."""

from __future__ import annotations
