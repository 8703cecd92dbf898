"""How time goes for blocks: settings of the four strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from banquise.errors import CaseError, known_keywords
from banquise.settings import number, one_of
from banquise.units import duration

LAWS = ("gap", "velocity")
PLACES = ("middle", "start")


def _seconds(value: Any, what: str) -> float:
    return number(duration(value, what), what, above=0.0)


@known_keywords
@dataclass(frozen=True)
class Moreau:
    """Event-capturing time stepping (Moreau and Jean).

    Parameters
    ----------
    step : s
    theta : 0 < theta <= 1, how much of the step is flown with the new velocity; 1/2 keeps energy best
    law : "gap": a contact may close by its gap within a step; "velocity": only what touches already is kept apart
    contacts : where in the step contacts are found: "middle" (Moreau's, after (1 - theta) of the flight) or "start"
    """

    step: Any = 1e-3
    theta: float = 0.5
    law: str = "gap"
    contacts: str = "middle"

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", _seconds(self.step, "step"))
        object.__setattr__(self, "theta", number(self.theta, "theta", above=0.0, at_most=1.0))
        one_of(self.law, LAWS, "law")
        one_of(self.contacts, PLACES, "contacts")


@known_keywords
@dataclass(frozen=True)
class QuasiStatic:
    """Moreau's step with the velocities dropped at its start: blocks creep to where they rest; nothing swings.

    `step` (s): an unsupported block moves by g step^2 a step.
    """

    step: Any = 1e-2

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", _seconds(self.step, "step"))


@known_keywords
@dataclass(frozen=True)
class Events:
    """Event-detecting steps for few bodies: the flight stops where two blocks meet, to the last digits of the time.

    Parameters
    ----------
    step : s, the longest flight
    min_step : s; rebounds shorter than this come to rest (default: a thousandth of the step)
    """

    step: Any = 1e-2
    min_step: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", _seconds(self.step, "step"))
        least = 1e-3 * self.step if self.min_step is None else _seconds(self.min_step, "min_step")
        object.__setattr__(self, "min_step", number(least, "min_step", above=0.0, at_most=self.step))


@known_keywords
@dataclass(frozen=True)
class Penalty:
    """Springs and dashpots where blocks overlap, shared by the points of a face; explicit steps.

    Parameters
    ----------
    stiffness : N/m of one pair of blocks, whatever the number of its points: a block of weight P rests P / stiffness deep
    damping : of the critical damping of the pair's mass on that spring, in the normal direction
    tangential : of the stiffness, along the face
    step : s; None: a tenth of 2 sqrt(m / stiffness) of the lightest block, less where damping is more than a half
    """

    stiffness: float
    damping: float = 0.2
    tangential: float = 0.5
    step: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", number(self.stiffness, "stiffness", above=0.0))
        object.__setattr__(self, "damping", number(self.damping, "damping", at_least=0.0))
        object.__setattr__(self, "tangential", number(self.tangential, "tangential", above=0.0, at_most=1.0))
        if self.step is not None:
            object.__setattr__(self, "step", _seconds(self.step, "step"))

    def stable_step(self, mass: float) -> float:
        """Longest stable step (s) of a block of `mass` (kg) on one undamped spring: 2 sqrt(m / k)."""
        return float(2.0 * (mass / self.stiffness) ** 0.5)

    def own_step(self, mass: float) -> float:
        """The step (s) where none is given.

        Dashpots have a limit of their own, which the neighbours of a block share: n of them take up to 2 sqrt(2) n damping
        sqrt(k / m) of its speed a second, and must take less than twice its speed in a step. So they do up to n = 7.
        """
        return 0.1 * self.stable_step(mass) * min(1.0, 0.5 / max(self.damping, 1e-300))


Strategy = Moreau | QuasiStatic | Events | Penalty


def strategy(scheme: Any) -> Strategy:
    """The strategy a `scheme` argument means: one of the four, or the floes' `TimeStepping` and `EventDriven`."""
    if scheme is None:
        return Moreau()
    if isinstance(scheme, Strategy):
        return scheme
    known = not isinstance(scheme, type) and not hasattr(scheme, "stiffness")  # the floes' springs are not the blocks'
    if known and hasattr(scheme, "max_step"):
        return Events(scheme.max_step, min(scheme.shortest, scheme.max_step))
    if known and hasattr(scheme, "step"):
        return Moreau(scheme.step)
    raise CaseError(
        f"simulation: scheme is {scheme!r}, expected bq.TimeStepping(step), bq.EventDriven(max_step), or one of "
        "bq.blocks: Moreau, QuasiStatic, Events, Penalty."
    )
