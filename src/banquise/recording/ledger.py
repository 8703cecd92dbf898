"""The energy ledger: what came in, what is there, what was lost, and what is left over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from banquise.errors import RunFileError

# running totals since the start of the run (J)
TOTALS = (
    "work_wind",
    "work_current",
    "work_gravity",
    "work_loads",
    "work_obstacles",
    "dissipated_contact",
    "surface_energy",
)
# since the last record: the largest of the steps, their sum, or the last
LARGEST = ("max_overlap", "projection", "largest_island", "residual", "contact_time")
SUMS = ("collisions", "unsolved", "steps", "splits", "forced")
LATEST = ("contacts", "islands")
COLUMNS = ("kinetic_energy", *TOTALS, "balance", *LARGEST, *SUMS, *LATEST)

_LARGEST, _SUMS = frozenset(LARGEST), frozenset(SUMS)

NEEDED = ("kinetic_energy", "balance", "max_overlap", "residual", "unsolved", "contacts", "collisions", "steps")
COUNTS = ("collisions", "unsolved", "steps", "contacts")  # whole numbers among them


def check_columns(names: Iterable[str], path: Path) -> None:
    """Raise where the ledger of a file lacks what every run's has."""
    lost = [name for name in NEEDED if name not in set(names)]
    if lost:
        raise RunFileError(f"{path}: {', '.join(lost)} missing in its ledger. Damaged, or not written by Banquise.")


LONG_NAMES = {
    "kinetic_energy": ("J", "kinetic energy of the floes"),
    "work_wind": ("J", "work done by the wind since the start"),
    "work_current": ("J", "work done by the water since the start"),
    "work_gravity": ("J", "work done by gravity since the start"),
    "work_loads": ("J", "work done by loads and own forces since the start"),
    "work_obstacles": ("J", "work done by moving obstacles since the start"),
    "dissipated_contact": ("J", "energy lost in contacts since the start, summed contact by contact"),
    "surface_energy": ("J", "energy spent on new cracks since the start"),
    "balance": ("J", "kinetic energy gained + dissipated + surface - work: what is left over"),
    "max_overlap": ("m", "largest overlap depth of two bodies at any step since the last record"),
    "projection": ("m", "largest displacement by which overlapping bodies were pushed apart since the last record"),
    "largest_island": ("1", "contacts of the largest island at any step since the last record"),
    "residual": ("1", "largest scaled residual of a contact problem since the last record"),
    "contact_time": ("s", "longest that a contact by penalty lasted, of those there since the last record"),
    "collisions": ("1", "impacts since the last record"),
    "unsolved": ("1", "contact problems not solved to tolerance since the last record"),
    "steps": ("1", "steps since the last record"),
    "splits": ("1", "steps split and done again since the last record"),
    "forced": ("1", "steps of the shortest length that were longer than the step rule asks, since the last record"),
    "contacts": ("1", "contact points that carry an impulse, at the last step"),
    "islands": ("1", "groups of floes in contact, at the last step"),
}


@dataclass
class Ledger:
    """Accumulates over steps; `record` closes a row."""

    start_energy: float
    totals: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TOTALS, 0.0))
    window: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*LARGEST, *SUMS, *LATEST), 0.0))

    def add(self, **amounts: float) -> None:
        """Add to totals and sums, raise the largest, set the latest."""
        totals, window = self.totals, self.window
        for name, amount in amounts.items():
            if name in totals:
                totals[name] += amount
            elif name in _LARGEST:
                if amount > window[name]:
                    window[name] = amount
            elif name in _SUMS:
                window[name] += amount
            else:
                window[name] = amount

    def balance(self, kinetic_energy: float) -> float:
        """What is left over: zero to round-off for the default integrator and exact contacts."""
        t = self.totals
        work = t["work_wind"] + t["work_current"] + t["work_gravity"] + t["work_loads"] + t["work_obstacles"]
        return kinetic_energy - self.start_energy + t["dissipated_contact"] + t["surface_energy"] - work

    def record(self, kinetic_energy: float) -> dict[str, float]:
        """One row; the window starts anew."""
        row = {
            "kinetic_energy": kinetic_energy,
            **self.totals,
            "balance": self.balance(kinetic_energy),
            **self.window,
        }
        for name in (*LARGEST, *SUMS):
            self.window[name] = 0.0
        return row
