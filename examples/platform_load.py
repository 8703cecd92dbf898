"""An offshore engineer's question: what load does a drifting pack put on a round platform?

Run: python examples/platform_load.py [picture.png]
"""

import sys

import banquise as bq


def main(picture: str | None = None) -> dict[str, float]:
    """Mean force along the drift, largest force and how many floes struck (N, N, 1)."""
    sim = bq.scenes.make("platform", n=20, field=(120.0, 90.0), diameter=30.0, max_size=18.0, current=0.6)
    run = sim.run(until="4 min", every="1 s")
    found = bq.analysis.load_statistics(run, "platform", after="10 s")
    struck = run.events[run.events["floe_b"] == len(sim.scene.floes)]["floe_a"].nunique()
    mean, largest = float(found.mean_force[0]), float(found.largest)
    # at most what the water pushes all the ice with when it is held, and the momentum the ice came with
    ice = sum(floe.area for floe in sim.scene.floes)
    begun = sum(floe.mass * abs(floe.velocity[0]) for floe in sim.scene.floes)
    assert 0 < mean < 1024.071 * 5e-3 * ice * 0.6**2 + begun / 230.0 and largest > mean and struck >= 1
    assert float(run.ledger.max_overlap.max()) < 1e-5 * max(sim.size) and not run.ledger.unsolved.any()
    if picture is not None:
        from banquise.view.plots import snapshot

        snapshot(run).savefig(picture)
    return {"mean": mean, "largest": largest, "struck": float(struck)}


if __name__ == "__main__":
    load = main(*sys.argv[1:2])
    print(
        f"floes that touched it: {load['struck']:.0f}; mean load {load['mean']:.0f} N, largest {load['largest']:.0f} N"
    )
