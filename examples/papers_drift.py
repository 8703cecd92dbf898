"""The drift of Rabatel, Labbe and Weiss (2015), section 4.2: figures 23 to 26 remade, and a table of what differs.

350 floes, seven days of wind and current, contacts taken all at once and in sequence. Run (a quarter of an hour; it goes on where
it stopped):

    python examples/papers_drift.py --floes robeson_floes.mat --forcing barents_forcing_2008_02.mat
    python examples/papers_drift.py --days 0.5 -n 60 --box 500          # a small one, with floes and weather of our own
"""

import argparse
import time as clock
from pathlib import Path

import numpy as np

import banquise as bq
from banquise.analysis import plots
from banquise.recording.recorder import pieces_of
from banquise.scenes import make
from banquise.view.style import BLUE, ORANGE, pyplot, styled

ORDERS = ("simultaneous", "sequential")
HOUR, DAY = 3600.0, 86400.0
MEAN_STEP = 3.5  # s, what the paper says of its runs


def options(args):
    """Parameters of the scene."""
    box = (args.box, args.box)
    chosen = {"n": args.n, "box": box, "max_size": min(250.0, 0.21 * args.box), "days": args.days, "seed": args.seed}
    return chosen | {"floes": args.floes, "forcing": args.forcing, "start_hour": args.start_hour, "step": args.step}


def run_of(args, order):
    """The run of one order: read, taken further, or made."""
    path = args.folder / f"drift_{order}.nc"
    sim = make("drift", **options(args), order=order)
    end = args.days * DAY
    if pieces_of(path).is_dir():
        return sim, bq.resume(path, until=end, simulation=sim, progress=True)
    if path.exists():
        run = bq.open_run(path)
        done = float(run.dataset.time[-1]) >= end
        return sim, run if done else bq.resume(path, until=end, simulation=sim, progress=True)
    return sim, sim.run(end, args.every, output=path, progress=True)


def study(args, steps):
    """The first hours with other steps (s; 0: event-driven): is the ice the same, and what does it cost?"""
    rows = []
    for step in steps:
        sim = make("drift", **options(args) | {"step": step or None})
        began = clock.process_time()
        run = sim.run(args.study * HOUR, args.every, output=args.folder / f"study_{step:g}.nc")
        spent = clock.process_time() - began
        part = bq.analysis.concentration(run, (args.box, args.box))
        groups, ledger = bq.analysis.clusters(run), run.ledger
        late = run.dataset.time > 0.5 * run.dataset.time[-1]
        rate = bq.analysis.collision_rate(run, 0.5 * args.study * HOUR, count="pairs")
        place = np.nanmean(run.records["state"][-1, :2], axis=1) - np.nanmean(run.records["state"][0, :2], axis=1)
        rows.append(
            (
                f"{step:g} s" if step else "event-driven",
                f"{100 * float(part[-1]):.2f} %",
                f"{float(rate[-1]):.3g}",
                f"{float(ledger['kinetic_energy'].values[late].mean()):.4g} J",
                f"{float(groups['alone'][-1]):.0f} alone, largest {int(groups['largest'][-1])}",
                f"{place[0] / 1000:.4f}, {place[1] / 1000:.4f} km",
                f"{int(ledger['unsolved'].sum())}",
                f"{spent:.0f} s",
            )
        )
        print(rows[-1], flush=True)
    heading = (
        "step",
        "concentration at the end",
        "pairs that collide per hour, second half",
        "mean energy, second half",
    )
    heading += ("clusters at the end", "way of the middle", "unsolved", "processor time")
    write_table(rows, heading, args.folder / "study.md")
    return rows


def figure_23(args, sim, run, numbers):
    """Wind and current, collisions per hour, concentration."""
    days = np.linspace(0, args.days, 400)
    with styled():
        figure, axes = pyplot().subplots(4, 1, figsize=(6.5, 7.5), sharex=True)
        for ax, flow, name in ((axes[0], sim.forcing.wind, "wind"), (axes[1], sim.forcing.current, "current")):
            u, v = np.array([flow.at(t * DAY) for t in days]).T
            ax.plot(days, np.hypot(u, v), color="black", label="speed")
            ax.plot(days, u, color=BLUE, linewidth=0.9, label="east")
            ax.plot(days, v, color=ORANGE, linewidth=0.9, linestyle="--", label="north")
            ax.set_ylabel(f"{name} (m/s)")
        axes[0].legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
        for order, colour in zip(ORDERS, (BLUE, ORANGE)):
            rate, part = numbers[order]["collisions"], numbers[order]["concentration"]
            axes[2].plot(rate.time / DAY, np.maximum(rate, 0.5), ".-", color=colour, label=order)
            axes[3].plot(part.time / DAY, 100 * part, color=colour, label=order)
        axes[2].set_yscale("log")
        axes[2].set_ylabel("collisions per hour")
        axes[2].legend()
        axes[3].set_ylabel("concentration (%)")
        axes[3].set_xlabel("time (d)")
    return figure


def figure_24(runs):
    """Paths of the floes of both runs."""
    with styled():
        figure, axes = pyplot().subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True)
        for ax, order in zip(axes, ORDERS):
            state = runs[order].records["state"]
            ax.plot(state[:, 0] / 1000, state[:, 1] / 1000, color=BLUE, linewidth=0.3, alpha=0.5)
            ax.plot(state[0, 0] / 1000, state[0, 1] / 1000, ".", color="black", markersize=2)
            ax.plot(state[-1, 0] / 1000, state[-1, 1] / 1000, ".", color=ORANGE, markersize=2)
            ax.set_aspect("equal")
            ax.set_title(f"Paths, {order}")
            ax.set_xlabel("x (km)")
        axes[0].set_ylabel("y (km)")
    return figure


def configurations(pairs):
    """Pictures of (run, clusters, time), floes coloured by cluster."""
    with styled():
        figure, axes = pyplot().subplots(1, len(pairs), figsize=(4.2 * len(pairs), 4.4), squeeze=False)
        for ax, (run, groups, time, word) in zip(axes[0], pairs):
            plots.plot_clusters(run, groups, time, ax)
            ax.set_title(f"{word}{ax.get_title(loc='left')}", loc="left")
    return figure


def numbers_of(run, window):
    """What the paper reports, measured."""
    hour = min(HOUR, float(run.dataset.time[-1]))
    return {
        "collisions": bq.analysis.collision_rate(run, hour),
        "pairs": bq.analysis.collision_rate(run, hour, count="pairs"),
        "concentration": bq.analysis.concentration(run, (window, window)),
        "clusters": bq.analysis.clusters(run),
    }


def table(args, runs, numbers):
    """Rows: quantity, reported, ours by order, why."""
    rows = []

    def add(what, reported, value, why):
        rows.append((what, reported, *(value(order) for order in ORDERS), why))

    def part(order, start, stop, take):
        values = numbers[order]["concentration"]
        chosen = values.sel(time=slice(start * DAY, stop * DAY))
        return f"{100 * float(take(chosen)):.1f} %" if chosen.size else "not reached"

    def rise(order):
        values = 100 * numbers[order]["concentration"].values
        least = np.minimum.accumulate(values)
        top = int(np.argmax(values - least))
        return f"by {values[top] - least[top]:.1f} to {values[top]:.1f} %"

    def rate(order, kind="collisions"):
        values = numbers[order][kind]
        late = values[values["time"].values >= min(2 * DAY, 0.5 * float(values["time"][-1]))]
        return f"{float(late.mean()):.2g} /h"

    def points(order):
        held = runs[order].ledger["contacts"]
        late = held[held["time"].values >= min(2 * DAY, 0.5 * float(held["time"][-1]))]
        return f"{float(late.mean()):.0f} points, {float(late.mean()) * HOUR / MEAN_STEP:.2g} /h"

    def apart(order):
        a, b = (runs[o].records["state"][:, :2] for o in (ORDERS[0], order))
        n = min(len(a), len(b))
        way = np.linalg.norm(np.nanmean(a[n - 1] - a[0], axis=1))
        gap = np.linalg.norm(np.nanmean(a[n - 1] - b[n - 1], axis=1))
        return f"{gap:.0f} m of {way / 1000:.1f} km"

    why = "place of the floes at the start, drag coefficients and window are ours: the paper does not print them"
    add("concentration, least of the first 2 days", "45 %", lambda o: part(o, 0, 2, np.min), why)
    add("concentration, largest rise", "by 9 to 54 %", rise, "the same")
    add("concentration, at the end", "not reported", lambda o: part(o, args.days, 99, np.max), "")
    add(
        "contact points that carry force, mean after 2 days, times the paper's steps of 3.5 s",
        "1e5 /h",
        points,
        "the paper probably counts what rests together at every step",
    )
    add(
        "impacts, mean after 2 days (or half of the run)",
        "1e5 /h",
        rate,
        "what rests is held here, not hit; follows the step",
    )
    add("the same, by pairs of floes", "not reported", lambda o: rate(o, "pairs"), "")
    add(
        "clusters (two floes or more) at the end", "form (no number)",
        lambda o: f"{int(numbers[o]['clusters']['count'][-1])}, largest {int(numbers[o]['clusters']['largest'][-1])} floes",
        "contact: nearer than 1 % of the smaller floe",
    )  # fmt: skip
    add("middle of the ice, distance between the two orders", "nearly none", apart, "")
    return rows


def write_table(rows, heading, path):
    """A Markdown table."""
    lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    path.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--floes", help="catalogue of outlines (default: our own)")
    parser.add_argument("--forcing", help="wind and current (default: weather of our own)")
    parser.add_argument("-n", type=int, default=350)
    parser.add_argument("--box", type=float, default=1200.0, help="m, side of the square at the start")
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--start-hour", type=float, default=0.0, help="of the forcing file")
    parser.add_argument("--every", default="20 min")
    parser.add_argument("--step", type=float, default=20.0, help="s, of time stepping")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--study", type=float, help="h: compare steps over so many hours instead")
    parser.add_argument("--steps", type=float, nargs="+", default=[5, 10, 20, 30, 60, 0], help="s, of the study")
    parser.add_argument("--folder", type=Path, default=Path("papers_drift"))
    args = parser.parse_args(arguments)
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.study:
        return study(args, args.steps)
    runs, numbers = {}, {}
    for order in ORDERS:
        sim, runs[order] = run_of(args, order)
        numbers[order] = numbers_of(runs[order], args.box)
    end = float(runs[ORDERS[0]].dataset.time[-1])
    first = runs[ORDERS[0]]
    groups = {order: numbers[order]["clusters"] for order in ORDERS}
    figures = {
        "figure_23": figure_23(args, sim, first, numbers),
        "figure_24": figure_24(runs),
        "figure_25": configurations([(first, groups[ORDERS[0]], end * k / 3, "") for k in range(4)]),
        "figure_26": configurations([(runs[o], groups[o], end / 2, f"{o}: ") for o in ORDERS]),
    }
    for name, figure in figures.items():
        figure.savefig(args.folder / f"{name}.png", dpi=130)
    pyplot().close("all")
    rows = table(args, runs, numbers)
    write_table(rows, ("quantity", "reported", *ORDERS, "why they differ"), args.folder / "table.md")
    return rows


if __name__ == "__main__":
    main()
