"""Kinetic energy as a part of what the same floes would have if they never met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.analysis.ice import Ice, as_ice
from banquise.errors import CaseError, in_short, known_keywords
from banquise.forcing.forcing import Forcing
from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import free_motion_of
from banquise.recording.run_file import Run
from banquise.recording.shapes import scene_from
from banquise.scene.bodies import Bodies
from banquise.scene.scene import area_of
from banquise.update.positions import move, set_velocity

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@known_keywords
def free_drift(run: Run | Ice, forcing: Forcing, max_step: float = 60.0) -> xr.Dataset:
    """Kinetic energy (J) and mean speed (m/s) on time of the run's floes, each alone: the same start, no contacts."""
    import xarray as xr

    ice = as_ice(run)
    scene = scene_from(ice.run.shapes, ice.state[0], ice.run.case)
    bodies = Bodies.of(scene.floes, [])
    if ice.run.case.get("crs"):
        from banquise.projection import Projection

        where = area_of(scene, bodies)
        forcing = forcing.on_map(Projection(ice.run.case["crs"]), ice.run.case.get("start"), where)
    energy, speed = np.empty(len(ice.times)), np.empty(len(ice.times))
    time = float(ice.times[0])
    for k, target in enumerate(ice.times):
        steps = int(np.ceil((float(target) - time) / max_step - 1e-9))
        for j in range(steps):
            step = (float(target) - time) / steps
            _advance(bodies, forcing, time + j * step, step)
        time = float(target)
        energy[k] = bodies.kinetic_energy()
        speed[k] = float(np.average(np.hypot(bodies.u, bodies.v), weights=bodies.mass))
    data = {
        "kinetic_energy": ("time", energy, {"units": "J", "long_name": "kinetic energy in free drift"}),
        "speed": ("time", speed, {"units": "m s-1", "long_name": "mean speed in free drift, by mass"}),
    }
    return xr.Dataset(data, {"time": ("time", ice.times, {"units": "s"})})


def _advance(bodies: Bodies, forcing: Forcing, time: float, step: float) -> None:
    steps = np.full(bodies.n_free, step)
    free = free_motion_of(bodies, forcing, time + 0.5 * step, steps, pushes_on(bodies, forcing, time, step))
    move(bodies, free.displacement)
    set_velocity(bodies, free.velocity)


@known_keywords
def energy_fraction(run: Run | Ice, forcing: Any, max_step: float = 60.0) -> xr.Dataset:
    """Kinetic energy of the ice over that of free drift, on time.

    A dataset with `kinetic_energy` of the run, `free` (each floe alone, from the same start), `fraction` = their ratio,
    `bound` (the largest `free` of the run, one line: under a steady wind the energy of steady drift, once the run is longer
    than it takes to get there), `of_bound` = kinetic energy over it.

    `forcing` is the run's (or its simulation): a run file holds only its description.
    """
    ice = as_ice(run)
    forcing = getattr(forcing, "forcing", forcing)
    if not isinstance(forcing, Forcing):
        raise CaseError(
            f"energy_fraction: forcing is {in_short(forcing)}, expected bq.Forcing or the run's simulation."
        )
    out = free_drift(ice, forcing, max_step).rename(kinetic_energy="free").drop_vars("speed")
    energy = ice.run.ledger["kinetic_energy"].values
    free = out["free"].values
    bound = np.full_like(free, free.max())
    with np.errstate(invalid="ignore", divide="ignore"):
        out["kinetic_energy"] = ("time", energy, {"units": "J"})
        out["fraction"] = ("time", energy / free, {"units": "1", "long_name": "kinetic energy over that of free drift"})
        out["bound"] = ("time", bound, {"units": "J", "long_name": "largest kinetic energy of free drift"})
        out["of_bound"] = ("time", energy / bound, {"units": "1", "long_name": "kinetic energy over its bound"})
    return out
