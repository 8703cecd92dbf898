"""What recording costs: writing against running, and opening against waiting."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from banquise.bench import Figure, median_seconds
from banquise.forcing.forcing import Forcing
from banquise.recording.checkpoint import settings_bytes, snapshot
from banquise.recording.recorder import Recorder, frame_of
from banquise.recording.run_file import open_run, write_run
from banquise.scene.floe import Floe
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.simulation import Simulation


def _pack(n: int, pitch: float = 100.0, least: float = 20.0) -> Simulation:
    """Floes of 24 points on a lattice, spinning, in a wind: every number of the state changes all the time."""
    rng = np.random.default_rng(0)
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    shape = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    side = int(np.ceil(np.sqrt(n)))
    floes = []
    for k in range(n):
        ring = shape * rng.uniform(least, 40, (24, 1)) + pitch * np.array([k % side, k // side])
        floes.append(
            Floe(ring, thickness=rng.uniform(0.5, 2), velocity=rng.normal(0, 0.1, 2), spin=rng.normal(0, 1e-3))
        )
    return Simulation(
        Scene(floes), Forcing(wind=(10.0, 3.0), current=(0.1, 0.0), latitude=80.0), scheme=EventDriven(max_step=10.0)
    )


def _record_cost(sim: Simulation, records: int) -> tuple[float, int]:
    """CPU seconds of running a minute, a record, after the first; and how many collisions there were in them."""
    sim.run(60.0, 60.0)
    began = time.process_time()
    run = sim.run(60.0 + 60.0 * records, 60.0)
    return (time.process_time() - began) / records, int(run.ledger.collisions.sum())


def recording(quick: bool = False) -> list[Figure]:
    """10,000 floes, 1,000 records a minute apart: CPU seconds to write everything against those to run it.

    The cost of a record of the run is taken from the steps of the first records, of floes that are free and of floes that
    collide.
    """
    n, records = (1000, 200) if quick else (10_000, 1000)
    sim = _pack(n)
    size = f"{n:,} floes x {records:,} records"
    step_cost, _ = _record_cost(sim, 5)
    crowd_cost, collisions = _record_cost(_pack(n, 81.0, 36.0), 2)  # 1 to 9 m between neighbours
    frames = [frame_of(sim.bodies, n)]
    for _ in range(
        7
    ):  # a handful of true frames, each changed a little for every record, so that nothing compresses unduly
        sim.run(sim.time + 60.0, 60.0)
        frames.append(frame_of(sim.bodies, n))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.nc"
        case = sim.describe(60.0 * records, 60.0) | {"run_id": "bench"}
        row = sim.ledger.record(0.0)
        noise = np.random.default_rng(1)
        made = [noise.standard_normal((6, n)) for _ in range(8)]
        began = time.process_time()
        recorder = Recorder(path)
        recorder.start(sim._shapes(), case, settings_bytes(sim))
        plan = {"start": 0.0, "end": 60.0 * records, "every": 60.0}
        for k in range(records):
            frame = frames[k % 8] + 1e-3 * made[(k // 8) % 8]
            recorder.add(60.0 * k, frame, row, np.zeros((0, 3)), [], sim._extras(60.0))
            if k % 20 == 0:  # a run at this size makes some 20 records between pieces
                recorder.save(lambda: snapshot(sim, plan))
        end = {"settings": settings_bytes(sim), "state": snapshot(sim, plan)}
        write_run(path, recorder.pieces(), sim._shapes(), case, end)
        recorder.remove_pieces()
        cost = (time.process_time() - began) / records
        megabytes = path.stat().st_size / 1e6

        def track() -> None:
            open_run(path).dataset["x"].isel(floe=n // 2).values  # noqa: B018 reading is the point

        def picture() -> None:
            open_run(path).dataset["x"].isel(time=records // 2).values  # noqa: B018

        track_seconds = median_seconds(track, 3, time.process_time)
        picture_seconds = median_seconds(picture, 3, time.process_time)
    return [
        Figure(f"writing, {size}", 100 * cost / step_cost, "% of running", at_most=10.0, note="6 free steps a record"),
        Figure(
            f"writing, {size}, floes that collide",
            100 * cost / crowd_cost,
            "% of running",
            at_most=10.0,
            note=f"{collisions:,} collisions in 2 records",
        ),
        Figure(f"writing, {size}", 1e3 * cost, "ms a record"),
        Figure(f"running, {size}", 1e3 * step_cost, "ms a record"),
        Figure(f"opening and one track, {size}", track_seconds, "s", at_most=1.0, note="CPU time, file in cache"),
        Figure(f"opening and one moment, {size}", picture_seconds, "s"),
        Figure(f"run file, {size}", megabytes, "MB"),
    ]
