"""Blocks in motion: time steps, contact, friction and water for rigid polyhedra."""
