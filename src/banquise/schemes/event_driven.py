"""Event-driven time: step from meeting to meeting.

A step of at most `max_step` is advanced in rounds. In a round every group of floes that may meet takes its own step, to
the end or to the first meeting in the group: bodies that touch and approach exchange impulses (with restitution); then
all move on, those that rest against each other held apart. Floes that can meet nobody take one round.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banquise.errors import CaseError, known_keywords
from banquise.schemes import papers
from banquise.schemes.rounds import verified_step
from banquise.settings import number, one_of
from banquise.units import duration

if TYPE_CHECKING:
    from banquise.simulation import Simulation


THRESHOLDS = ("impact", "papers")
MANY, FEW = 24, 12  # rounds after which the next step is shorter, and below which it is longer
# Of the longest step: none is cut shorter, and so many of that length are told, once. Pieces that a storm drives against each
# other meet thousands of times a second; steps went down to a thousandth for them (300 floes that break, five minutes: 264 s,
# where unbroken ones take 3.5), and the ice was the same.
SHORT, OFTEN = 0.02, 1000
REBOUNDS = 30, 400  # rounds of a step in which a group's impacts rebound: so many, and so many over its size


@known_keywords
@dataclass(frozen=True)
class EventDriven:
    """Steps of at most `max_step` (s) that end where bodies meet.

    Where floes meet very often steps are cut, to a fiftieth of `max_step` at the least; what then meets more often than some
    thirty times a step no longer rebounds.

    Parameters
    ----------
    max_step : s, the longest step
    min_step : s, the shortest flight between two impacts that is followed; shorter bounces come to rest
        (default: a ten-thousandth of max_step)
    threshold : "impact" (bodies touch, and the time at which they do is located) or "papers" (floes nearer than a
        hundredth of their size, the square root of the area, are in contact; no meeting is located)
    rule : step of the papers' threshold: "half" (default: no point goes farther than half its distance to a neighbour) or
        "pairs" (the thesis' rule, pair by pair)
    """

    max_step: Any = 5.0
    min_step: Any = None
    threshold: str = "impact"
    rule: str | None = None

    def __post_init__(self) -> None:
        longest = number(duration(self.max_step, "max_step"), "max_step", above=0.0)
        object.__setattr__(self, "max_step", longest)
        if self.min_step is not None:
            shortest = number(duration(self.min_step, "min_step"), "min_step", above=0.0, at_most=longest)
            object.__setattr__(self, "min_step", shortest)
        one_of(self.threshold, THRESHOLDS, "threshold")
        if self.rule is not None:
            one_of(self.rule, tuple(papers.RULES), "rule")
            if self.threshold != "papers":
                raise CaseError(f"rule: {self.rule!r} is a step rule of threshold='papers', got {self.threshold!r}.")

    @property
    def shortest(self) -> float:
        return 1e-4 * self.max_step if self.min_step is None else float(self.min_step)

    def advance(self, sim: Simulation, target: float) -> None:
        """One step, no farther than `target`."""
        if self.threshold == "papers":
            papers.advance(sim, target, self.max_step, self.shortest, self.rule or "half")
            return
        step = sim.even_step(target, min(self.max_step, sim.pace))
        rounds = verified_step(sim, step, self.shortest, REBOUNDS, soft=False)
        # a long step of a dense pack is one large group that meets at every moment; short ones are many small groups
        least = SHORT * self.max_step
        if rounds > MANY:
            sim.ledger.add(forced=float(sim.pace <= least))
            sim.pace = max(0.5 * step, least)
        elif rounds < FEW:
            sim.pace = min(2.0 * max(step, sim.pace), 4.0 * self.max_step)
        if sim.pace <= least:
            sim.short_steps += 1
            if sim.short_steps == OFTEN:
                warnings.warn(
                    f"event-driven: {OFTEN:,} steps as short as {least:g} s by {sim.time:g} s; floes that jam "
                    f"or break meet at every moment. bq.TimeStepping(step={self.max_step:g}), in a case file [scheme] "
                    'kind = "time-stepping", takes the meetings of a step together.',
                    stacklevel=2,
                )
