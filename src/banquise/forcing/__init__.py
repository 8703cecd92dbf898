"""What pushes: wind, water, the turning Earth, gravity, loads, forces of your own."""

from banquise.forcing.flows import Field, Series, Uniform
from banquise.forcing.forcing import Forcing, Load

__all__ = ["Field", "Forcing", "Load", "Series", "Uniform"]
