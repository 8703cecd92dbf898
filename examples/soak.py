"""A soak run: months of storms and tides on a pack that breaks, checked for drift, leaks and overlap.

Run: python examples/soak.py [days] [run.nc]        (or: make soak DAYS=90)

Some thirty floes lie in a closed basin. Lows pass every few days, the tide turns twice a day, floes are driven on the walls
and on each other, and break. Prints a line every tenth of the way and a table at the end; exits with 1 if a check fails.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import banquise as bq

DAY = 86_400.0
TIDE = 12.42 * 3600.0


def weather(days: float, seed: int = 0) -> tuple[bq.Series, bq.Series]:
    """Hourly wind (lows of up to 24 m/s, turning) and a tide of 0.25 m/s."""
    rng = np.random.default_rng(seed)
    times = np.arange(0.0, days * DAY + 7200.0, 3600.0)
    low = np.sin(np.pi * times / (4.3 * DAY) + rng.uniform(0, np.pi)) ** 4
    turn = 2 * np.pi * times / (2.7 * DAY) + rng.uniform(0, 2 * np.pi)
    speed = 3.0 + 21.0 * low
    phase = 2 * np.pi * times / TIDE
    wind = bq.Series(times, u=speed * np.cos(turn), v=speed * np.sin(turn))
    return wind, bq.Series(times, u=0.25 * np.cos(phase), v=0.15 * np.sin(phase))


def basin(days: float, n: int = 30, side: float = 420.0, seed: int = 0) -> bq.Simulation:
    """Floes that cover half of a closed basin."""
    scene = bq.pack(
        n=n, concentration=0.5, box=bq.Box(0, side, 0, side), max_size=60.0, thickness=(0.6, 1.2), seed=seed
    )
    wind, tide = weather(days, seed)
    law = bq.Griffith(toughness=10.0, min_size=35.0)
    forcing = bq.Forcing(wind=wind, current=tide, latitude=81.0)
    return bq.Simulation(scene, forcing, scheme=bq.TimeStepping(step=30.0), fracture=law, seed=seed, title="soak")


def memory() -> float:
    """Resident memory of this process (MB); NaN where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass
class Watch:
    """What is looked at on the way."""

    days: float
    began: float = field(default_factory=time.process_time)
    seen: list[dict[str, float]] = field(default_factory=list)

    def look(self, sim: bq.Simulation) -> None:
        gc.collect()
        b, n = sim.bodies, sim.bodies.n_free
        self.seen.append({
            "day": sim.time / DAY, "floes": float(n), "mass": float(b.mass[:n].sum()), "memory": memory(),
            "cpu": time.process_time() - self.began, "speed": float(np.hypot(b.u[:n], b.v[:n]).max()),
        })  # fmt: skip
        now = self.seen[-1]
        print(
            f"day {now['day']:6.1f}  {n} floes  {now['memory']:.0f} MB  {now['cpu']:.0f} s CPU  fastest {now['speed']:.2f} m/s",
            file=sys.stderr, flush=True,
        )  # fmt: skip


def main(days: float = 90.0, output: str | Path | None = None) -> dict[str, float]:
    """Run, and give what the checks are made on."""
    sim = basin(days)
    size = float(sim.size[: sim.bodies.n_free].min())
    mass = float(sim.bodies.mass[: sim.bodies.n_free].sum())
    watch = Watch(days)
    watch.look(sim)
    run = sim.run(until=days * DAY, every=min(days * DAY / 20, 6 * 3600.0), output=output,
                  callbacks=[bq.Every(days * DAY / 20, watch.look)])  # fmt: skip
    ledger = run.ledger
    through = float(abs(ledger.dissipated_contact[-1]) + abs(ledger.work_wind[-1]) + abs(ledger.work_current[-1]))
    late = [look["memory"] for look in watch.seen[len(watch.seen) // 4 :]]
    return {
        "days": days,
        "steps": float(ledger.steps.sum()),
        "floes_at_start": float(len(sim.scene.floes)),
        "floes_at_end": float(sim.bodies.n_free),
        "breaks": float((run.events["kind"] == "break").sum()),
        "impacts": float(ledger.collisions.sum()),
        "mass_drift": abs(watch.seen[-1]["mass"] / mass - 1),
        "energy_left_over": float(abs(ledger.balance).max()) / through,
        "largest_overlap": float(ledger.max_overlap.max()) / (1e-5 * size),
        "unsolved": float(ledger.unsolved.sum()),
        "largest_residual": float(ledger.residual.max()),
        "memory_growth": (max(late[-3:]) - late[0]) / late[0],
        "memory": late[-1],
        "cpu": watch.seen[-1]["cpu"],
    }


# what must hold, with the reason
BARS = {
    "mass_drift": 1e-9,  # cuts keep mass to round-off: some thousand of them at 1e-13 each
    "energy_left_over": 1e-2,  # of all work done: second order in the step, summed over every one of them
    "largest_overlap": 1.0,  # in tolerances of the smallest floe at the start
    "memory_growth": 0.25,  # records are written in pieces: what grows is the shapes and events of new floes
}

if __name__ == "__main__":
    bq.set_threads(1)  # thirty floes: one core is enough
    asked = float(sys.argv[1]) if len(sys.argv) > 1 else 90.0
    with tempfile.TemporaryDirectory() as folder:
        found = main(asked, sys.argv[2] if len(sys.argv) > 2 else Path(folder) / "soak.nc")
    print(json.dumps(found, indent=1))
    broken = [name for name, most in BARS.items() if not found[name] <= most]
    print("all checks hold" if not broken else f"NOT MET: {', '.join(broken)}")
    sys.exit(1 if broken else 0)
