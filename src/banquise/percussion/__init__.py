"""Percussion in one dimension (and one triangle): the models from which fracture by percussion was built, done right.

`two_bodies` is the contact of two masses through a spring and a damper; `two_nodes`, `clamped_hit`, `free_hit` and
`chain` are floes made of masses, springs and dampers, solved exactly; `pair_impulse` and `pair_with_springs` give the
velocities after a hit; `weakest_spring` and `first_break` are Griffith's test on a chain; `triangle` a floe of three
nodes in the plane.
"""

from banquise.percussion.contact import TwoBodies, two_bodies
from banquise.percussion.griffith import Break, first_break, weakest_spring
from banquise.percussion.impulses import Pair, pair_impulse, pair_with_springs
from banquise.percussion.springs import Motion, Springs, chain, clamped_hit, free_hit, two_nodes
from banquise.percussion.triangle import Triangle, triangle

__all__ = [
    "Break",
    "Motion",
    "Pair",
    "Springs",
    "Triangle",
    "TwoBodies",
    "chain",
    "clamped_hit",
    "first_break",
    "free_hit",
    "pair_impulse",
    "pair_with_springs",
    "triangle",
    "two_bodies",
    "two_nodes",
    "weakest_spring",
]
