"""How time goes."""

from typing import Any

from banquise.schemes.event_driven import EventDriven
from banquise.schemes.penalty import Penalty
from banquise.schemes.time_stepping import TimeStepping

# name in a case file; the first is the default
SCHEMES: dict[str, Any] = {"event-driven": EventDriven, "time-stepping": TimeStepping, "penalty": Penalty}
