"""Two packs of FloeDyn in still air and water, with both thresholds and in whole steps: steps, impacts, time, largest overlap."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from banquise.bench import Figure
from banquise.forcing.forcing import Forcing
from banquise.scene.makers.floedyn import read_floedyn
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.schemes.time_stepping import TimeStepping
from banquise.settings import Contact
from banquise.simulation import Simulation

# file, duration (s), bar of the CPU time (s), steps and time of FloeDyn's own run
PACKS = (
    ("floedyn_100_floes_input.h5", 10_000.0, 1.0, "FloeDyn: 17 s"),
    ("pack_1000_moving.h5", 300.0, 2.0, "FloeDyn: 134 s, 1,864 steps"),
)
WHOLE = "steps of 1 s"
SCHEMES: dict[str, Any] = {
    "papers, half": EventDriven(max_step=10.0, threshold="papers", rule="half"),
    "papers, pairs": EventDriven(max_step=10.0, threshold="papers", rule="pairs"),
    "impact": EventDriven(max_step=10.0),
    WHOLE: TimeStepping(1.0),
}
STEPPED = 0.4  # s: bar of the CPU time of whole steps on the pack of 1,000
SERIES = 2.0  # s: bounces of a pair that follow each other sooner are one encounter
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
        runs = {}
        for scheme in SCHEMES:
            if scheme == WHOLE and len(scene.floes) < 1000:
                continue
            limit = None if quick else STEPPED if scheme == WHOLE else bar
            runs[scheme], found = pack(scene, scheme, until / 10 if quick else until, limit, note)
            figures += found
        if WHOLE in runs:
            figures += against_events(f"{len(scene.floes)} floes", runs["impact"], runs[WHOLE])
    return figures


def against_events(title: str, events: Any, steps: Any) -> list[Figure]:
    """Whole steps against the run that follows every bounce: kinetic energy, impacts, encounters."""
    energy = [float(run.ledger.kinetic_energy[-1]) for run in (events, steps)]
    impacts = [float(run.ledger.collisions.sum()) for run in (events, steps)]
    met = [encounters(run) for run in (events, steps)]
    return [
        Figure(f"{title}: kinetic energy, steps over events", energy[1] / energy[0], "", at_least=0.95, at_most=1.05),
        Figure(f"{title}: impacts, steps over events", impacts[1] / impacts[0], "", note="steps follow no tiny bounces"),
        Figure(
            f"{title}: encounters, steps over events", met[1] / max(met[0], 1), "", at_least=0.95, at_most=1.05,
            note=f"bounces of a pair within {SERIES:g} s count once",
        ),
    ]  # fmt: skip


def encounters(run: Any) -> int:
    """Impacts of a run, bounces of a pair that follow each other within SERIES counted once."""
    events = run.events
    order = np.lexsort((events.time, events.floe_b, events.floe_a))
    a, b, when = (np.asarray(column)[order] for column in (events.floe_a, events.floe_b, events.time))
    again = (a[1:] == a[:-1]) & (b[1:] == b[:-1]) & (when[1:] - when[:-1] <= SERIES)
    return len(a) - int(again.sum())


def pack(scene: Scene, scheme: str, until: float, bar: float | None, note: str) -> tuple[Any, list[Figure]]:
    """One run, once compiled, and its figures."""
    forcing = Forcing(wind=(0, 0), current=(0, 0), latitude=80.207)
    laws = Contact(friction=0.7, restitution=0.4)

    def simulation() -> Simulation:
        return Simulation(scene, forcing, laws, SCHEMES[scheme])

    simulation().run(until / 50, until / 50)  # compiles
    sim = simulation()
    cpu, wall = time.process_time(), time.perf_counter()
    run = sim.run(until, until / 10)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    smallest = float(sim.size[: sim.bodies.n_free].min())
    title = f"{len(scene.floes)} floes, {until:g} s, {scheme}"
    ledger = run.ledger
    return run, [
        Figure(f"{title}: floes", len(scene.floes), ""),
        Figure(f"{title}: steps", float(ledger.steps.sum()), ""),
        Figure(f"{title}: impacts", float(ledger.collisions.sum()), ""),
        Figure(f"{title}: wall", wall, "s"),
        Figure(f"{title}: CPU", cpu, "s", at_most=bar, note=note),
        # an overlap beyond the tolerance of its pair counts as unsolved; steps may leave one that the smallest pair may not
        Figure(f"{title}: unsolved", float(ledger.unsolved.sum()), "", at_most=0),
        Figure(
            f"{title}: largest overlap",
            float(ledger.max_overlap.max()),
            "m",
            at_most=None if scheme == WHOLE else OVERLAP * smallest,
        ),
    ]
