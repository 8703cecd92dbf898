"""Two floes of different thickness in the same wind: the thicker one goes farther to the right of it.

Run: python examples/drift.py
"""

import numpy as np

import banquise as bq


def main() -> dict[str, float]:
    """Angles to the right of the wind (degrees) once the drift is steady."""
    floes = [
        bq.Floe([[0, 0], [300, 0], [300, 200], [0, 200]], thickness=0.3, name="thin"),
        bq.Floe([[0, 1000], [300, 1000], [300, 1200], [0, 1200]], thickness=3.0, name="thick"),
    ]
    forcing = bq.Forcing(wind=(10, 0), current=(0, 0), latitude=81.0)
    sim = bq.Simulation(bq.Scene(floes), forcing=forcing, scheme=bq.EventDriven(max_step=300.0))
    end = sim.run(until="3 d", every="6 h").dataset.isel(time=-1)
    angles = -np.degrees(np.arctan2(end.v, end.u)).values
    return dict(zip(("thin", "thick"), angles.tolist()))


if __name__ == "__main__":
    for name, angle in main().items():
        print(f"{name}: {angle:.1f} degrees to the right of the wind")
