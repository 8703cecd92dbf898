"""The channel of Rabatel, Labbe and Weiss (2015), section 4.1: figures 17 to 22 remade over an ensemble of starts.

One run is chaos, so every test is run from many starts that differ by a metre, and the answer is how often the ice jams. Run
(ten minutes of one processor; it goes on where it stopped):

    python examples/papers_channel.py --floes robeson_floes.mat --flip --starts 20
    python examples/papers_channel.py --starts 2 -n 12 --width 200 --distance 10 --until "1 h"    # a small one, floes of our own
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import fisher_exact

import banquise as bq
from banquise.ensembles.plan import plan_of
from banquise.scenes.channel_scene import TESTS
from banquise.units import duration
from banquise.view.plots import trajectories
from banquise.view.sea import draw_bodies, sea_axes
from banquise.view.style import CYCLE, pyplot, styled, time_axis

REPORTED = {"1": "jams", "2": "jams", "3": "passes", "4": "passes", "5": "jams"}


def plan(args):
    """The five tests times the starts."""
    options = {"shake": args.shake, "width": args.width, "slope": args.slope, "step": args.step}
    options |= {"distance": args.distance, "flip": args.flip}
    options |= {"floes": args.floes} if args.floes else {"n": args.n, "length": args.width * 2000 / 850}
    tests = [{"name": name, **TESTS[name]} for name in args.tests]
    return plan_of(
        {
            "title": "channel",
            "scene": "channel",
            "seeds": args.starts,
            "measures": ["summary", "energy", "jam"],
            "until": args.until,
            "contacts": True,
            "every": args.every,
            "options": options,
            "parameters": {"test": tests},
        }
    )


def run_of(found, test, seed=0):
    """The run of one member, None if it is not there."""
    path = found.folder / f"test={test}_seed={seed}" / "run.nc"
    return bq.open_run(path) if path.exists() else None


def configurations(found, tests):
    """The floes of some tests at half time and at the end."""
    runs = [(t, run_of(found, t)) for t in tests]
    runs = [(t, r) for t, r in runs if r is not None]
    if not runs:
        return None
    tops = [float(run.shapes["start_y"].max()) * 1.6 + 200 for _, run in runs]
    with styled():
        figure, axes = pyplot().subplots(2, len(runs), figsize=(3.2 * len(runs), 6.4), squeeze=False)
        for column, (test, run) in enumerate(runs):
            times = run.records["time"]
            for row, frame in enumerate((len(times) // 2, len(times) - 1)):
                ax = axes[row, column]
                draw_bodies(run, frame, ax, "plain")
                sea_axes(run, ax, kilometres=1.5 * max(tops) > 5000)  # one unit in all panels
                ax.set_ylim(-0.5 * tops[column], tops[column])
                ax.set_xlim(-0.75 * tops[column], 0.75 * tops[column])
                ax.set_title(f"test {test}, {times[frame] / 3600:.2g} h", loc="left")
    return figure


def kinetic_energy(found, tests):
    """Kinetic energy over its bound: every start thin, their mean thick."""
    data = found.dataset["of_bound"]
    scale, unit = time_axis(float(data.time[-1]))
    with styled():
        ax = pyplot().figure(figsize=(6, 4)).add_subplot()
        for test, colour in zip(tests, CYCLE):
            values = data.sel(test=test).transpose("time", "seed")
            ax.plot(data.time / scale, values, color=colour, linewidth=0.5, alpha=0.4)
            ax.plot(data.time / scale, values.mean("seed"), color=colour, label=f"test {test}")
        ax.axhline(1.0, color="black", linewidth=0.9, label="free drift")
        ax.set_xlabel(f"time ({unit})")
        ax.set_ylabel("kinetic energy over its bound")
        ax.legend(ncols=2)
        ax.set_title("Kinetic energy")
    return ax.figure


def impulses(found, tests):
    """Sum of the normal impulses of impacts between records, for some tests."""
    runs = [(t, run_of(found, t)) for t in tests]
    runs = [(t, r) for t, r in runs if r is not None]
    if not runs:
        return None
    with styled():
        figure, axes = pyplot().subplots(len(runs), 1, figsize=(6, 2.4 * len(runs)), squeeze=False)
        for ax, (test, run) in zip(axes[:, 0], runs):
            times, events = run.records["time"], run.events
            bins = np.linspace(times[0], times[-1], 10 * len(times))
            total = np.histogram(events["time"], bins, weights=events["normal_impulse"])[0]
            scale, unit = time_axis(float(times[-1]))
            ax.plot(bins[1:] / scale, total, color=CYCLE[0], linewidth=0.6, label="impacts")
            # those at rest push too: their impulse over a record, in the same time
            rest = run.contacts.assign(size=np.hypot(run.contacts["impulse_x"], run.contacts["impulse_y"]))
            rest = rest.groupby("time")["size"].sum().reindex(times[1:], fill_value=0.0)
            part = (bins[1] - bins[0]) / np.diff(times)
            ax.plot(times[1:] / scale, rest.to_numpy() * part, color=CYCLE[1], label="all contacts, mean of a record")
            ax.legend()
            ax.set_ylabel("normal impulse (N s)")
            ax.set_title(f"Test {test}: impacts in {bins[1] - bins[0]:.0f} s", loc="left")
        axes[-1, 0].set_xlabel(f"time ({unit})")
    return figure


def jammed_of(found, test):
    """How many starts of a test jammed, bridged both banks, and were run."""
    one = found.dataset.sel(test=test)
    there = np.isfinite(one["jammed"].values)
    return int(np.nansum(one["jammed"].values)), int(np.nansum(one["bridged"].values)), int(there.sum())


def probability(successes, trials):
    """A share of trials with Wilson's 95 % interval, as text."""
    low, high = bq.analysis.wilson(successes, trials)
    return f"{successes / trials:.2f} ({low:.2f} to {high:.2f})"


def jam_rows(found, tests):
    """Test, reported, jams and bridges of starts with their intervals, energy over its bound: largest and at the end."""
    rows = []
    for test in tests:
        jammed, bridged, trials = jammed_of(found, test)
        if trials:
            share = found.dataset["of_bound"].sel(test=test)
            peak, end = float(share.max("time").mean()), float(share.isel(time=-1).mean())
            counts = (f"{jammed} of {trials}", probability(jammed, trials), f"{bridged}", probability(bridged, trials))
            rows.append((test, REPORTED[test], *counts, f"{peak:.2f}", f"{end:.2f}"))
    return rows


def order_lines(found, tests):
    """Whether the tests reported to jam jam more often than those reported to pass: both shares, and Fisher's exact test."""
    lines = []
    for word, column in (("jammed", 0), ("bridged", 1)):
        hits, trials = {"jams": 0, "passes": 0}, {"jams": 0, "passes": 0}
        for test in tests:
            counts = jammed_of(found, test)
            hits[REPORTED[test]] += counts[column]
            trials[REPORTED[test]] += counts[2]
        if min(trials.values()):
            shares = " against ".join(f"{probability(hits[k], trials[k])} where reported: {k}" for k in hits)
            table = [[hits[k], trials[k] - hits[k]] for k in hits]
            chance = fisher_exact(table, alternative="greater").pvalue
            lines.append(f"{word}: {shares}; as large a difference by chance: {chance:.2g}")
    return lines


def probabilities(found, tests):
    """Jam probability of each test with its interval."""
    with styled():
        ax = pyplot().figure(figsize=(4.6, 3.2)).add_subplot()
        for k, test in enumerate(tests):
            jammed, _, trials = jammed_of(found, test)
            if trials:
                low, high = bq.analysis.wilson(jammed, trials)
                p = jammed / trials
                colour = CYCLE[0] if REPORTED[test] == "jams" else CYCLE[1]
                ax.errorbar(k, p, [[max(0.0, p - low)], [max(0.0, high - p)]], fmt="o", color=colour, capsize=4)
        ax.plot([], [], "o", color=CYCLE[0], label="reported to jam")
        ax.plot([], [], "o", color=CYCLE[1], label="reported to pass")
        ax.set_xticks(range(len(tests)), [f"test {t}" for t in tests])
        ax.set_ylim(-0.03, 1.03)
        ax.set_ylabel("jam probability, 95 % interval")
        ax.legend(ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
        ax.set_xlim(-0.5, len(tests) - 0.5)
    return ax.figure


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--floes", help="catalogue of the floes (default: our own)")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--tests", nargs="+", default=list(TESTS), choices=list(TESTS))
    parser.add_argument("-n", type=int, default=100, help="floes of our own")
    parser.add_argument("--width", type=float, default=850.0, help="m, of the channel")
    parser.add_argument("--slope", type=float, default=45.0, help="degrees, of the mouth")
    parser.add_argument("--distance", type=float, default=200.0, help="m, free way before the first floe meets a bank")
    parser.add_argument("--flip", action="store_true", help="the field of given floes upside down")
    parser.add_argument("--shake", type=float, default=1.0, help="m, how far starts differ")
    parser.add_argument("--step", type=float, default=10.0, help="s, of time stepping")
    parser.add_argument("--until", default="5 h")
    parser.add_argument("--every", default="5 min")
    parser.add_argument("--workers", type=int, help="processes (0: none, one after the other)")
    parser.add_argument("--folder", type=Path, default=Path("papers_channel"))
    parser.add_argument("--collect", action="store_true", help="figures of what is there; run nothing more")
    args = parser.parse_args(arguments)
    duration(args.until, "until")
    found = _collected(args) if args.collect else bq.sweep(plan(args), args.folder, args.workers, report=_say)
    if not found.dataset.attrs["done"]:
        print("no start is done yet")
        return []
    figures = {
        "figure_17": configurations(found, [t for t in ("1", "2", "3") if t in args.tests]),
        "figure_18": configurations(found, [t for t in ("2", "4") if t in args.tests]),
        "figure_19": configurations(found, [t for t in ("1", "5") if t in args.tests]),
        "figure_21": kinetic_energy(found, args.tests),
        "figure_22": impulses(found, [t for t in ("1", "3") if t in args.tests]),
        "jam_probability": probabilities(found, args.tests),
    }
    last = run_of(found, "5") or run_of(found, args.tests[0])
    if last is not None:
        figures["figure_20"] = trajectories(last)
    for name, figure in figures.items():
        if figure is not None:
            figure.savefig(args.folder / f"{name}.png", dpi=130)
    pyplot().close("all")
    rows = jam_rows(found, args.tests)
    heading = ("test", "reported", "jammed", "probability (95 %)", "bridged", "probability (95 %)")
    heading += ("largest energy", "energy at the end")
    lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}", *(f"| {' | '.join(r)} |" for r in rows)]
    lines += ["", *order_lines(found, args.tests)]
    (args.folder / "table.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return rows


def _say(done, total, name, state, reason):
    print(f"{done}/{total} {state} {name} {reason}", flush=True)


def _collected(args):
    from banquise.ensembles.sweep import SweepResult, collect

    folder = args.folder.resolve()
    return SweepResult(collect(plan(args), folder), {}, 0, folder)


if __name__ == "__main__":
    main()
