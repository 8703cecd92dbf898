"""A student's question: a floe hits two equal ones that touch each other, all in a row. Who moves?

Both answers conserve momentum and energy. Which one nature takes depends on what happens within the floes while they are
pressed, which rigid bodies do not know: so the order is yours to choose.

Run: python examples/cradle.py
"""

import banquise as bq


def main(order: str = "simultaneous") -> list[float]:
    """Velocities (m/s) after the impact, in units of the first one's before it."""
    floes = [bq.Disc((0, 0), 10.0, velocity=(0.1, 0)), bq.Disc((40, 0), 10.0), bq.Disc((60, 0), 10.0)]
    contact = bq.Contact(friction=0.0, restitution=1.0, order=order)
    run = bq.Simulation(bq.Scene(floes), contact=contact).run(until="5 min", every="1 min")
    return (run.dataset.u[-1] / 0.1).values.tolist()


if __name__ == "__main__":
    for order in ("simultaneous", "sequential"):
        print(f"{order:13}", "  ".join(f"{u:+.4f}" for u in main(order)))
