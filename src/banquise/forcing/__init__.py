"""What pushes: wind, water, the turning Earth, gravity, loads, forces of your own."""

from banquise.forcing.flows import Field, Series, Uniform
from banquise.forcing.forcing import Forcing, Load
from banquise.forcing.grid_flow import GridFlow, GridScalar, read_forcing

__all__ = ["Field", "Forcing", "GridFlow", "GridScalar", "Load", "Series", "Uniform", "read_forcing"]
