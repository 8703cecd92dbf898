"""Two packs of FloeDyn in still air and water, with both thresholds: steps, impacts, time, largest overlap."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from banquise.bench import Figure
from banquise.forcing.forcing import Forcing
from banquise.scene.makers.floedyn import read_floedyn
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.settings import Contact
from banquise.simulation import Simulation

# file, duration (s), bar of the CPU time (s), steps and time of FloeDyn's own run
PACKS = (
    ("floedyn_100_floes_input.h5", 10_000.0, 1.0, "FloeDyn: 17 s"),
    ("pack_1000_moving.h5", 300.0, 2.0, "FloeDyn: 134 s, 1,864 steps"),
)
SCHEMES: dict[str, dict[str, Any]] = {
    "papers, half": {"threshold": "papers", "rule": "half"},
    "papers, pairs": {"threshold": "papers", "rule": "pairs"},
    "impact": {},
}
OVERLAP = 1e-5  # of the size of the smallest floe


def data_folder() -> Path | None:
    """Folder of the reference data: BANQUISE_DATA, or `../shared/data` beside the repository."""
    here = Path(__file__).resolve()
    places = [Path(os.environ["BANQUISE_DATA"])] if "BANQUISE_DATA" in os.environ else []
    places += [parent / "shared" / "data" for parent in here.parents]
    return next((place for place in places if place.is_dir()), None)


def bench(quick: bool) -> list[Figure]:
    """A tenth of the time with `quick`, and no bars."""
    data = data_folder()
    figures: list[Figure] = []
    for name, until, bar, note in PACKS:
        if data is None or not (data / name).exists():
            print(
                f"impact: {name} is not here, skipped. Set BANQUISE_DATA to the folder that holds it.", file=sys.stderr
            )
            continue
        scene = read_floedyn(data / name)
        for scheme in SCHEMES:
            figures += pack(scene, scheme, until / 10, None, "") if quick else pack(scene, scheme, until, bar, note)
    return figures


def pack(scene: Scene, scheme: str, until: float, bar: float | None, note: str) -> list[Figure]:
    """Figures of one run, once compiled."""
    forcing = Forcing(wind=(0, 0), current=(0, 0), latitude=80.207)
    laws = Contact(friction=0.7, restitution=0.4)

    def simulation() -> Simulation:
        return Simulation(scene, forcing, laws, EventDriven(max_step=10.0, **SCHEMES[scheme]))

    simulation().run(until / 50, until / 50)  # compiles
    sim = simulation()
    cpu, wall = time.process_time(), time.perf_counter()
    run = sim.run(until, until / 10)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    smallest = float(sim.size[: sim.bodies.n_free].min())
    title = f"{len(scene.floes)} floes, {until:g} s, {scheme}"
    ledger = run.ledger
    return [
        Figure(f"{title}: floes", len(scene.floes), ""),
        Figure(f"{title}: steps", float(ledger.steps.sum()), ""),
        Figure(f"{title}: impacts", float(ledger.collisions.sum()), ""),
        Figure(f"{title}: wall", wall, "s"),
        Figure(f"{title}: CPU", cpu, "s", at_most=bar, note=note),
        Figure(f"{title}: largest overlap", float(ledger.max_overlap.max()), "m", at_most=OVERLAP * smallest),
    ]
