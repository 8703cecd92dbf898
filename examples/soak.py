"""A soak run: months of storms and tides on a pack that breaks, checked for drift, leaks and overlap.

Run: python examples/soak.py [--days 60] [--output soak.nc] [--picture soak.png]        (or: make soak DAYS=60)

Half a dozen floes lie in a closed basin. Lows pass every few days, the tide turns twice a day, floes are driven on the walls
and on each other, and break. A line every day says how it stands, a table at the end what was checked; exits with 1 if a
check fails. Stopped by Ctrl-C, it goes on where it was when asked for the same output again.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import shapely

import banquise as bq

DAY = 86_400.0
TIDE = 12.42 * 3600.0

# what must hold, with the reason
BARS = {
    "mass_drift": 1e-9,  # cuts keep mass to round-off: some thousand of them at 1e-13 each
    "energy_left_over": 1e-2,  # of all work done: second order in the step, summed over every one of them
    "largest_overlap": 1.0,  # in units of 1e-5 of the smaller floe's size: the promise of every run, seen at every step
    "overlap_at_end": 1e-5,  # of the area of all ice, by shapely: an overlap of that depth along every border
    "unsolved": 0.0,  # contact problems that no solver closed
    "memory_growth": 0.25,  # records are written in pieces: what grows is the shapes and events of new floes
}


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


def basin(days: float, n: int = 6, step: float = 120.0, seed: int = 0) -> bq.Simulation:
    """Floes that cover 0.15 of a closed basin: too wide for a row of them to be wedged in from wall to wall."""
    side = 126.0 * n**0.5
    scene = bq.pack(
        n=n, concentration=0.15, box=bq.Box(0, side, 0, side), max_size=60.0, thickness=(0.6, 1.2), seed=seed
    )
    wind, tide = weather(days, seed)
    law = bq.Griffith(toughness=10.0, min_size=30.0)
    forcing = bq.Forcing(wind=wind, current=tide, latitude=81.0)
    return bq.Simulation(scene, forcing, scheme=bq.TimeStepping(step=step), fracture=law, seed=seed, title="soak")


def memory() -> float:
    """Resident memory of this process (MB); NaN where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass
class Watch:
    """What is looked at on the way; kept beside the output, so that a run that is resumed knows its past."""

    file: Path
    seen: list[dict[str, float]] = field(default_factory=list)
    began: tuple[float, float] = field(default_factory=lambda: (time.process_time(), time.monotonic()))

    def __post_init__(self) -> None:
        if self.file.exists():
            self.seen = [json.loads(line) for line in self.file.read_text().splitlines()]
        self.before = (self.seen[-1]["cpu"], self.seen[-1]["wall"]) if self.seen else (0.0, 0.0)
        self.overlap = self.seen[-1]["overlap"] if self.seen else 0.0

    def measure(self, sim: bq.Simulation) -> None:
        """The largest overlap so far, against the tolerance of its pair."""
        n = sim.bodies.n_free
        one, other, depth = sim.detector.overlaps(sim.bodies)
        size = np.append(sim.size[:n], np.full(len(sim.bodies) - n, np.inf))
        self.overlap = max(self.overlap, float((depth / (1e-5 * np.minimum(size[one], size[other]))).max(initial=0.0)))

    def look(self, sim: bq.Simulation) -> None:
        """A line of how it stands."""
        gc.collect()
        b, n = sim.bodies, sim.bodies.n_free
        now = {
            "day": sim.time / DAY, "floes": float(n), "mass": float(b.mass[:n].sum()),
            "speed": float(np.hypot(b.u[:n], b.v[:n]).max()), "memory": memory(), "overlap": self.overlap,
            "cpu": self.before[0] + time.process_time() - self.began[0],
            "wall": self.before[1] + time.monotonic() - self.began[1],
        }  # fmt: skip
        self.seen = [*(look for look in self.seen if look["day"] < now["day"]), now]
        self.file.write_text("".join(json.dumps(look) + "\n" for look in self.seen))
        print(
            f"day {now['day']:6.1f}  {n:3} floes  fastest {now['speed']:.2f} m/s  {now['memory']:.0f} MB  "
            f"{now['cpu']:.0f} s CPU  {now['wall']:.0f} s wall",
            file=sys.stderr, flush=True,
        )  # fmt: skip


def main(days: float = 60.0, output: str | Path = "soak.nc", n: int = 6, step: float = 120.0) -> tuple[bq.Run, Watch]:
    """Run, or go on; gives the run and what was seen on the way."""
    output = Path(output)
    watch = Watch(output.with_suffix(".log"))
    calls = [bq.Every(step, watch.measure), bq.Every(min(DAY, days * DAY / 20), watch.look)]
    if output.with_name(output.name + ".pieces").exists():
        return bq.resume(output, callbacks=calls), watch
    if output.exists():
        return bq.open_run(output), watch
    sim = basin(days, n, step)
    watch.look(sim)
    return sim.run(until=days * DAY, every=min(days * DAY / 20, 6 * 3600.0), output=output, callbacks=calls), watch


def checked(run: bq.Run, watch: Watch) -> dict[str, float]:
    """Figures of the run, those of `BARS` among them."""
    ledger, first, last = run.ledger, watch.seen[0], watch.seen[-1]
    through = float(abs(ledger.dissipated_contact[-1]) + abs(ledger.work_wind[-1]) + abs(ledger.work_current[-1]))
    late = [look["memory"] for look in watch.seen[len(watch.seen) // 4 :]]
    there = [floe.polygon for floe in run.scene.floes]
    tree = shapely.STRtree(there)
    pairs = [(i, j) for i, j in tree.query(there).T if i < j]
    common = sum(there[i].intersection(there[j]).area for i, j in pairs)
    return {
        "days": last["day"],
        "steps": float(ledger.steps.sum()),
        "floes_at_start": first["floes"],
        "floes_at_end": last["floes"],
        "breaks": float((run.events["kind"] == "break").sum()),
        "impacts": float(ledger.collisions.sum()),
        "mass_drift": abs(last["mass"] / first["mass"] - 1),
        "energy_left_over": float(abs(ledger.balance).max()) / through,
        "largest_overlap": last["overlap"],
        "overlap_at_end": common / sum(shape.area for shape in there),
        "unsolved": float(ledger.unsolved.sum()),
        "largest_residual": float(ledger.residual.max()),
        "memory_growth": (max(late[-3:]) - late[0]) / late[0],
        "memory": late[-1],
        "cpu": last["cpu"],
        "wall": last["wall"],
    }


def draw(run: bq.Run, watch: Watch, path: str | Path) -> None:
    """The basin at the end; floes, overlap and what is left over in the ledger in time."""
    import matplotlib.pyplot as plt

    from banquise.view.plots import snapshot

    figure = plt.figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1, 1))
    snapshot(run, ax=left.subplots(), colour="plain")
    axes = right.subplots(3, 1, sharex=True)
    day = run.ledger.time / DAY
    axes[0].step([look["day"] for look in watch.seen], [look["floes"] for look in watch.seen], where="post")
    axes[1].semilogy(day[1:], np.maximum(run.ledger.max_overlap[1:], 1e-9))
    axes[2].plot(day, run.ledger.balance / 1e3)
    for ax, label in zip(axes, ("floes", "largest overlap (m)", "left over (kJ)")):
        ax.set_ylabel(label)
    axes[2].set_xlabel("day")
    figure.savefig(path, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=float, default=60.0)
    parser.add_argument("--floes", type=int, default=6)
    parser.add_argument("--output", help="run file; given again after a stop, the run goes on")
    parser.add_argument("--picture", help="of the basin, the number of floes, overlap and energy left over")
    asked = parser.parse_args()
    bq.set_threads(1)  # a handful of floes: one core is enough
    with tempfile.TemporaryDirectory() as folder:
        soaked, seen = main(asked.days, asked.output or Path(folder) / "soak.nc", asked.floes)
        found = checked(soaked, seen)
        if asked.picture:
            draw(soaked, seen, asked.picture)
    print(json.dumps(found, indent=1))
    broken = [name for name, most in BARS.items() if not found[name] <= most]
    print("all checks hold" if not broken else f"NOT MET: {', '.join(broken)}")
    sys.exit(1 if broken else 0)
