"""Glaciers as chains of sliding blocks shaken by a capsizing iceberg."""

from banquise.glacier.chain import Glacier
from banquise.glacier.friction import (
    Budd,
    Friction,
    Gagliardini,
    PseudoPlastic,
    RateState,
    Regularised,
    RegularisedCoulomb,
    Schoof,
    Smooth,
    Tsai,
    Weertman,
)
from banquise.glacier.loads import Capsize, HalfSine, Load, NoLoad, SinSquared, Step, Table
from banquise.glacier.schemes import GlacierRun
from banquise.glacier.stability import Stability

__all__ = [
    "Budd",
    "Capsize",
    "Friction",
    "Gagliardini",
    "Glacier",
    "GlacierRun",
    "HalfSine",
    "Load",
    "NoLoad",
    "PseudoPlastic",
    "RateState",
    "Regularised",
    "RegularisedCoulomb",
    "Schoof",
    "SinSquared",
    "Smooth",
    "Stability",
    "Step",
    "Table",
    "Tsai",
    "Weertman",
]
