"""Two floes of different thickness in the same wind: the thicker one goes farther to the right of it.

Run: python examples/drift.py [picture.png]
"""

import math
import sys

import numpy as np

import banquise as bq

WIND, LATITUDE = 10.0, 81.0
THICKNESS = {"thin": 0.3, "thick": 3.0}


def free_drift(thickness: float) -> tuple[float, float]:
    """Speed (m/s) and angle to the right of the wind (degrees) where air drag, water drag and Coriolis balance."""
    air, water = 1.341 * 1.7e-3 * WIND**2, 1024.071 * 5e-3  # N/m2; kg/m3
    turn = 917.0 * thickness * 2 * 7.292e-5 * math.sin(math.radians(LATITUDE))
    speed = math.sqrt((math.sqrt(turn**4 + 4 * water**2 * air**2) - turn**2) / (2 * water**2))
    return speed, math.degrees(math.atan2(turn, water * speed))


def main(picture: str | None = None) -> dict[str, float]:
    """Angles to the right of the wind (degrees) once the drift is steady."""
    floes = [
        bq.Floe(np.array([[0, 0], [300, 0], [300, 200], [0, 200]]) + [0, 1000 * k], thickness=h, name=name)
        for k, (name, h) in enumerate(THICKNESS.items())
    ]
    forcing = bq.Forcing(wind=(WIND, 0), current=(0, 0), latitude=LATITUDE)
    run = bq.Simulation(bq.Scene(floes), forcing, scheme=bq.EventDriven(max_step=300.0)).run(until="3 d", every="1 h")
    end = run.dataset.isel(time=-1)
    angles = dict(zip(THICKNESS, np.degrees(np.arctan2(-end.v, end.u)).values.tolist()))
    for k, (name, h) in enumerate(THICKNESS.items()):
        speed, angle = free_drift(h)
        # three days are some thirty drag times of the thick floe
        assert abs(angles[name] - angle) < 1e-3 and abs(float(np.hypot(end.u, end.v)[k]) / speed - 1) < 1e-5
    if picture is not None:
        from banquise.view.plots import trajectories

        trajectories(run).savefig(picture)
    return angles


if __name__ == "__main__":
    for name, angle in main(*sys.argv[1:2]).items():
        print(f"{name}: {angle:.1f} degrees to the right of the wind")
