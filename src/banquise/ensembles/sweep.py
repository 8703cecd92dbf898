"""A sweep: its members on a Dask cluster, or one after the other, and their results in one dataset.

What is done is not done again: results are looked for in the members' folders, so a sweep that was killed goes on by
starting it again. Every worker runs one member at a time with one thread (Numba, BLAS and Banquise's own): members are
many, and threads of several members on the same cores only get in each other's way.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.ensembles.measures import check_measures
from banquise.ensembles.member import RESULT, is_done, run_member, try_case
from banquise.ensembles.plan import Member, Plan, read_plan
from banquise.errors import BanquiseError, CaseError, known_keywords, need
from banquise.given import path_of

if TYPE_CHECKING:
    import xarray as xr

THREAD_NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "BANQUISE_THREADS")
Report = Callable[[int, int, str, str, str], Any]  # done so far, of how many, member, "done" or "failed", reason

GUARD = 'In a script, put what it does under `if __name__ == "__main__":`; or take workers=0.'


@dataclass
class SweepResult:
    """What a sweep gave: the dataset, who failed and why, how many were done before, and the folder."""

    dataset: xr.Dataset
    failed: dict[str, str]
    done_before: int
    folder: Path
    members: int = 0
    path: Path = field(default_factory=Path)


@known_keywords
def sweep(
    plan: Plan | str | Path,
    folder: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    threads: int = 1,
    report: Report | None = None,
) -> SweepResult:
    """Run every member of a sweep that is not done yet, and put all results into FOLDER/sweep.nc.

    Parameters
    ----------
    plan : a sweep file, or a checked plan
    folder : of the members' folders; by default the name of the sweep file without its ending
    workers : of the local cluster (default: the cores); 0 runs members here, one after the other, without Dask
    scheduler : address of a running Dask scheduler instead; its workers must see the same folder
    threads : of each member
    report : called after each member
    """
    if not isinstance(plan, Plan):
        folder = folder or path_of(plan, "sweep file").with_suffix("")
        plan = read_plan(plan)
    if folder is None:
        raise CaseError("sweep: folder is missing: where the members' folders go.")
    if workers is not None and workers < 0:
        raise CaseError(f"workers: got {workers}, expected 0 or more.")
    check_measures(plan.base["measures"], here=scheduler is None)
    check_names(plan)
    place = Path(folder).resolve()
    place.mkdir(parents=True, exist_ok=True)
    (place / "sweep.json").write_text(json.dumps({"title": plan.title, "dimensions": plan.dimensions, **plan.base}))
    left = [m for m in plan.members if not is_done(place / m.name, m.mark)]
    before = len(plan.members) - len(left)
    failed: dict[str, str] = {}
    answers = _here(left, place, threads) if workers == 0 else _on_dask(left, place, threads, workers, scheduler)
    for count, (member, (state, reason)) in enumerate(answers, before + 1):
        if state == "failed":
            failed[member.name] = reason
        if report is not None:
            report(count, len(plan.members), member.name, state, reason)
    data = collect(plan, place)
    path = place / "sweep.nc"
    temporary = path.with_suffix(".tmp")
    data.to_netcdf(temporary, engine="netcdf4")
    os.replace(temporary, path)
    return SweepResult(data, failed, before, place, len(plan.members), path)


def check_names(plan: Plan) -> None:
    """Names of the parameters of a ready-made scene or a case, before anything runs."""
    if "scene" not in plan.base:
        try_case(plan.members[0])
        return
    from banquise.errors import nearest
    from banquise.scenes import parameters

    known = parameters(plan.base["scene"])
    for name in {**plan.base["options"], **plan.members[0].settings["parameters"]}:
        if name not in known:
            raise CaseError(f"scene {plan.base['scene']}: no parameter {name!r}. {nearest(name, known)}")


def _here(members: list[Member], place: Path, threads: int) -> Iterator[tuple[Member, tuple[str, str]]]:
    from banquise import threads as pool

    before = pool.threads()
    try:
        for member in members:
            yield member, run_member(member, place / member.name, threads)
    finally:
        pool.set_threads(before)


def _on_dask(
    members: list[Member], place: Path, threads: int, workers: int | None, scheduler: str | None
) -> Iterator[tuple[Member, tuple[str, str]]]:
    """As they finish. A worker that dies takes its member along: that one has failed, the others go on."""
    if not members:
        return
    if getattr(
        multiprocessing.current_process(), "_inheriting", False
    ):  # a worker reads the script that began the sweep
        raise SystemExit(f"sweep: this is a worker process that reads the script. {GUARD}")
    need("distributed", "a sweep with workers", "sweep", "; or use --workers 0.")
    import dask
    from distributed import Client, LocalCluster, as_completed

    limits = dict.fromkeys(THREAD_NAMES, str(threads))
    settings = {
        "distributed.nanny.pre-spawn-environ": limits,  # before NumPy and Numba are imported, where they read it
        "distributed.scheduler.allowed-failures": 1,
        "distributed.worker.daemon": True,
    }
    cluster: Any = None
    with dask.config.set(settings):
        try:
            if scheduler is None:
                count = min(workers or _cores(), len(members))
                cluster = LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None)
                client = Client(cluster, set_as_default=False)
            else:
                client = Client(scheduler, timeout="20s", set_as_default=False)  # else xarray would lock files by it
        except RuntimeError as problem:
            raise BanquiseError(f"sweep: its worker processes could not be started ({problem}). {GUARD}") from None
        except (OSError, TimeoutError, ValueError) as problem:
            raise BanquiseError(f"no Dask scheduler at {scheduler or 'this machine'}: {problem}") from None
        try:
            jobs = {
                client.submit(run_member, m, place / m.name, threads, pure=False, key=f"{m.name}-{m.mark}"): m
                for m in members
            }
            for job in as_completed(jobs, loop=client.loop):
                try:
                    yield jobs[job], job.result()
                except Exception as problem:  # the worker was lost; Dask's own errors are many
                    yield jobs[job], ("failed", f"its worker was lost ({type(problem).__name__}).")
        finally:
            client.close()
            if cluster is not None:
                cluster.close()


def _cores() -> int:
    from banquise.threads import _cores as cores

    return cores()


def collect(plan: Plan, place: Path) -> xr.Dataset:
    """The results that are there, with the parameters as dimensions; NaN where a member is missing."""
    import xarray as xr

    parts = []
    for member in plan.members:
        if not is_done(place / member.name, member.mark):
            continue
        with xr.open_dataset(place / member.name / RESULT, engine="netcdf4", decode_times=False) as part:
            parts.append((member, part.load()))
    dimensions = {name: np.array(values) for name, values in plan.dimensions.items()}
    if not parts:
        return xr.Dataset(coords=dimensions, attrs={"title": plan.title, "members": len(plan.members), "done": 0})
    stacked = xr.concat([part for _, part in parts], dim="member", join="outer", data_vars="all", coords="minimal")
    shape = tuple(len(v) for v in dimensions.values())
    at = tuple(
        np.array([list(values).index(m.labels[name]) for m, _ in parts]) for name, values in plan.dimensions.items()
    )
    out = xr.Dataset(coords=dimensions)
    for name, values in stacked.data_vars.items():
        rest = values.transpose("member", ...)
        full = np.full((*shape, *rest.shape[1:]), np.nan)
        full[at] = rest.values
        coords = {d: stacked[d] for d in rest.dims[1:] if d in stacked.coords}
        out[name] = xr.DataArray(full, coords={**dimensions, **coords}, dims=(*dimensions, *rest.dims[1:]))
        out[name].attrs = dict(parts[0][1][name].attrs) if name in parts[0][1] else {}
    out.attrs = {"title": plan.title, "members": len(plan.members), "done": len(parts)}
    return out
