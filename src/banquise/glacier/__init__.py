"""Glaciers as chains of sliding blocks shaken by a capsizing iceberg."""

from banquise.glacier.case import GlacierCase, read_case, run_case
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
from banquise.glacier.iceberg import Iceberg, critical_aspect
from banquise.glacier.loads import Capsize, HalfSine, Load, NoLoad, SinSquared, Step, Table
from banquise.glacier.plan_view import PlanRun, PlanView
from banquise.glacier.schemes import GlacierRun
from banquise.glacier.seismogram import Seismogram, Source
from banquise.glacier.stability import Stability

__all__ = [
    "Budd",
    "Capsize",
    "Friction",
    "Gagliardini",
    "Glacier",
    "GlacierCase",
    "GlacierRun",
    "HalfSine",
    "Iceberg",
    "Load",
    "NoLoad",
    "PlanRun",
    "PlanView",
    "PseudoPlastic",
    "RateState",
    "Regularised",
    "RegularisedCoulomb",
    "Schoof",
    "Seismogram",
    "SinSquared",
    "Smooth",
    "Source",
    "Stability",
    "Step",
    "Table",
    "Tsai",
    "Weertman",
    "critical_aspect",
    "read_case",
    "run_case",
]
