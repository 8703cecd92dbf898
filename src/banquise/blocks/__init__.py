"""Blocks in motion: time steps, contact, friction, bonds and water for rigid polyhedra."""

from banquise.blocks.bonds import Bond
from banquise.blocks.schemes import Events, Moreau, Penalty, QuasiStatic

__all__ = ["Bond", "Events", "Moreau", "Penalty", "QuasiStatic"]
