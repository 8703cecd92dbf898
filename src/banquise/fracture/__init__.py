"""From a percussion to the crack it pays to open.

`impact` turns a hit into the elastic state of a floe, `search` finds the straight crack that pays, `split` cuts along
it. `release` is the energy one given crack sets free, `Dirichlet` a load by given displacements, `screen` the cheap
first look.
"""

from banquise.fracture.cracks import release
from banquise.fracture.griffith import Griffith
from banquise.fracture.held import Dirichlet
from banquise.fracture.mean_stress import MeanStress
from banquise.fracture.percussion import Contact, Impact, from_impulses, impact
from banquise.fracture.screen import compression_energy, screen, shortest_cut
from banquise.fracture.search import Crack, landscape, search
from banquise.fracture.split import split, split_along
from banquise.fracture.state import stored_energy

__all__ = [
    "Contact",
    "Crack",
    "Dirichlet",
    "Griffith",
    "Impact",
    "compression_energy",
    "from_impulses",
    "impact",
    "MeanStress",
    "landscape",
    "release",
    "screen",
    "search",
    "shortest_cut",
    "split",
    "split_along",
    "stored_energy",
]
