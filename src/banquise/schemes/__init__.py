"""How time goes."""

from typing import Any

from banquise.schemes.event_driven import EventDriven

SCHEMES: dict[str, Any] = {"event-driven": EventDriven}  # name in a case file; the first is the default
