"""A student's question: a floe hits two equal ones that touch each other, all in a row. Who moves?

Both answers conserve momentum and energy. Which one nature takes depends on what happens within the floes while they are
pressed, which rigid bodies do not know: so the order is yours to choose.

Run: python examples/cradle.py [picture.png]
"""

import sys

import numpy as np

import banquise as bq

# in units of the first one's before; (1, 0, 0) is what both begin with
SPEEDS = {"simultaneous": [-1 / 3, 2 / 3, 2 / 3], "sequential": [0.0, 0.0, 1.0]}


def roll(order: str) -> bq.Run:
    """Five minutes of three discs in a row."""
    floes = [bq.Disc((0, 0), 10.0, velocity=(0.1, 0)), bq.Disc((40, 0), 10.0), bq.Disc((60, 0), 10.0)]
    contact = bq.Contact(friction=0.0, restitution=1.0, order=order)
    return bq.Simulation(bq.Scene(floes), contact=contact).run(until="5 min", every="10 s")


def main(picture: str | None = None) -> dict[str, list[float]]:
    """Velocities after the impact by order, in units of the first one's before it."""
    runs = {order: roll(order) for order in SPEEDS}
    found = {order: (run.dataset.u[-1] / 0.1).values for order, run in runs.items()}
    for order, speed in found.items():
        assert abs(speed.sum() - 1) < 1e-12 and abs((speed**2).sum() - 1) < 1e-12  # momentum, energy
        assert np.allclose(speed, SPEEDS[order], atol=1e-9)
    if picture is not None:
        draw(runs, picture)
    return {order: speed.tolist() for order, speed in found.items()}


def draw(runs: dict[str, bq.Run], picture: str) -> None:
    """Where the discs are in time, for both orders."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    for ax, (order, run) in zip(axes, runs.items()):
        ax.plot(run.dataset.time, run.dataset.x, label=["first", "second", "third"])
        ax.set(title=order, xlabel="time (s)")
    axes[0].set_ylabel("x of the centre (m)")
    axes[0].legend(frameon=False)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    for order, speed in main(*sys.argv[1:2]).items():
        print(f"{order:13}", "  ".join(f"{u:+.4f}" for u in speed))
