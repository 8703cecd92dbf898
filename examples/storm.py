"""A storm on a pack in a bay under three laws of breaking: number of floes and law of sizes before and after.

Run: python examples/storm.py [floes] [minutes] [picture.png]
"""

import sys

import numpy as np

import banquise as bq
from banquise.fracture.sizes import size_exponent
from banquise.scenes.fracture import storm
from banquise.view.pieces import plot_storms, sizes_at

LAWS = {
    "Griffith": bq.Griffith(),
    "Mohr's triangle": bq.MeanStress(criterion="mohr"),
    "Hibler's ellipse": bq.MeanStress(criterion="ellipse", concentration=0.8),
}


def main(floes: int = 30, minutes: float = 3.0, picture: str | None = None) -> dict[str, dict[str, float]]:
    """Figures of the storm by law; with a name, the picture of floes in time and sizes before and after."""
    runs, found = {}, {}
    for name, law in LAWS.items():
        runs[name] = run = storm(n=floes, law=law).run(60 * minutes, every=30.0)
        start, end = (sizes_at(run, record) for record in (0, -1))
        before, after = size_exponent(start), size_exponent(end)
        assert abs((end**2).sum() / (start**2).sum() - 1) < 1e-9 and len(end) >= len(start)  # cuts lose no ice
        # every pair keeps to 1e-5 of its smaller floe, so all do to that of the largest
        assert not run.ledger.unsolved.any() and float(np.nanmax(run.ledger.max_overlap)) < 1e-5 * start.max()
        found[name] = {
            "floes at the end": len(end),
            "mean size before (m)": float(start.mean()),
            "mean size after (m)": float(end.mean()),
            "exponent before": before.exponent,
            "exponent after": after.exponent,
            "its 95 % interval from": after.low,
            "to": after.high,
            "unsolved": float(run.ledger.unsolved.sum()),
            "greatest overlap (m)": float(np.nanmax(run.ledger.max_overlap)),
        }
    if picture:
        plot_storms(runs)[0].figure.savefig(picture, dpi=110)
    return found


if __name__ == "__main__":
    given, picture = sys.argv[1:], None
    if given and given[-1].endswith(".png"):
        picture = given.pop()
    count, span = (*given, *("30", "3")[len(given) :])
    for law, figures in main(int(count), float(span), picture).items():
        print(law, *(f"{what} {value:.3g}" for what, value in figures.items()), sep="\n  ")
