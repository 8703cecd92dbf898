"""A glaciologist's question: how hard does a capsizing iceberg shake its glacier, and does its way of turning matter?

Run: python examples/calving_quake.py [picture.png]
"""

import sys

import banquise as bq


def main(picture: str | None = None) -> dict[str, float]:
    """Peak seismic force (N/m) for both ways of turning, and what is left over in the balance of impulse."""
    glacier = bq.glacier.Glacier(
        length=10_000.0, block=100.0, thickness=800.0, slope=1.0, friction=bq.glacier.Weertman(10**6.75)
    )
    found = {}
    for turn in ("bottom-out", "top-out"):
        berg = bq.glacier.Iceberg(height=800.0, aspect=0.22, turn=turn)
        run = glacier.run(berg, until=500.0, step=0.02)
        found[turn] = float(run.peak_seismic_force)
        found[f"{turn} residual"] = float(run.impulse_residual)
        assert run.peak_time < 0.9 * 500.0  # the iceberg is over before the run is
        # the push is a part of what water holds a face of that height with; impulses are accounted for
        assert 1e-3 < found[turn] / (0.5 * 1025.0 * 9.81 * 800.0**2) < 1 and abs(run.impulse_residual) < 1e-9
        if picture is not None and turn == "bottom-out":
            from banquise.glacier.plots import plot_run

            plot_run(run).savefig(picture)
    return found


if __name__ == "__main__":
    quake = main(*sys.argv[1:2])
    for turn in ("bottom-out", "top-out"):
        print(
            f"{turn}: peak {quake[turn] / 1e6:.0f} MN per metre of width, impulse left over {quake[f'{turn} residual']:.1e}"
        )
