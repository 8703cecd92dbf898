"""A researcher's question: what law of sizes does a pack have, and how far do its floes stray from their common drift?

Run: python examples/pack_spread.py [picture.png]
"""

import sys

import banquise as bq


def main(picture: str | None = None) -> dict[str, float]:
    """Exponent of the law of sizes with its interval, and the spread of the floes about their mean after six hours (m)."""
    scene = bq.pack(
        n=40,
        concentration=0.3,
        box=bq.Periodic(0, 800, 0, 800),
        exponent=1.5,
        max_size=80.0,
        thickness=(0.3, 1.5),
        seed=2,
    )
    forcing = bq.Forcing(wind=(10, 0), current=(0, 0), latitude=81.0)
    run = bq.Simulation(scene, forcing, scheme=bq.EventDriven(max_step=60.0)).run(until="6 h", every="30 min")
    sizes = bq.analysis.size_distribution(run)
    spread = bq.analysis.absolute_dispersion(run, about_mean=True)
    (low, high), apart = sizes.interval, float(spread["dispersion"][-1]) ** 0.5
    assert low < 1.5 < high  # the exponent asked for, within its interval of 95 %
    # no two floes stray farther from each other than in free drift, 2.1 % of the wind, one way and one the other
    assert 1.0 < apart < 2 * 0.0211 * 10 * 6 * 3600
    assert not run.ledger.unsolved.any()
    if picture is not None:
        from banquise.view.plots import snapshot

        snapshot(run).savefig(picture)
    return {"exponent": sizes.exponent, "low": low, "high": high, "spread": apart}


if __name__ == "__main__":
    found = main(*sys.argv[1:2])
    print(
        f"P(> s) ~ s^-{found['exponent']:.2f} (95 %: {found['low']:.2f} to {found['high']:.2f}); spread {found['spread']:.0f} m"
    )
