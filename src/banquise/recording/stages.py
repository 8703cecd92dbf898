"""Seconds of wall time in each stage of a run."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

STAGES = ("motion", "detection", "contact", "recording")
Method = TypeVar("Method", bound=Callable[..., Any])


def timed(stage: str) -> Callable[[Method], Method]:
    """A method of a simulation, or of an object that has one as `sim`, whose time counts for a stage.

    Timed methods must not call each other, or the time of the inner one counts twice.
    """

    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def clocked(self: Any, *args: Any, **options: Any) -> Any:
            began = time.perf_counter()
            try:
                return method(self, *args, **options)
            finally:
                getattr(self, "sim", self).stages[stage] += time.perf_counter() - began

        return cast(Method, clocked)

    return wrap


def profile(stages: dict[str, float], wall: float) -> dict[str, float]:
    """Wall time, that of each stage, and what is left."""
    return {"wall": wall, **stages, "other": wall - sum(stages.values())}
