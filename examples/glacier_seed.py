"""The stability study of 2020 on a glacier of sliding blocks, done again: every figure, in about two minutes.

    python examples/glacier_seed.py [FOLDER]

Nothing is fitted here. The study does not give the history of the contact force; a half-sine of 100 s with its peak of
310.75 MN/m stands in for it (sin^2 over 50 s where its printed peaks are compared). The page "The seed, remade" of the
documentation says which of the study's conclusions hold.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from banquise.glacier import Glacier, GlacierRun, HalfSine, Regularised, SinSquared, Weertman
from banquise.glacier.plots import plot_stability

plt.rcParams["axes.formatter.useoffset"] = False  # the numbers themselves, not what is to be added to them

LAW = Weertman(10**6.75)
PEAK = 310.75e6  # N/m
SIZES = (500.0, 250.0, 100.0, 50.0, 25.0, 10.0, 5.0)


def verlet(glacier: Glacier, load: Any, until: float, step: float, **options: Any) -> GlacierRun:
    """The study's scheme, whatever the step."""
    return glacier.run(load, until=until, scheme="verlet", step=step, beyond_limit="warn", **options)


def unloaded(folder: Path) -> dict[float, float]:
    """Figures 1 to 7: nothing pushes, 40 km in blocks of 800 m, 300 s; an explicit perturbation of 1e-6."""
    glacier = Glacier(40_000.0, 800.0, friction=LAW)
    figure, axes = plt.subplots(2, 3, figsize=(14, 7), constrained_layout=True)
    for column, step in enumerate((0.012, 0.001, 0.0003)):
        run = verlet(glacier, None, 300.0, step, perturbation=1e-6, every=0.6)
        for node in (0, 12, 25, 50):
            where = f"x = {glacier.x[node] / 1e3:g} km"
            axes[0, column].plot(run.dataset.time, run.dataset.displacement[:, node], label=where)
            axes[1, column].plot(run.dataset.time, run.dataset.velocity[:, node] / glacier.equilibrium_speed, lw=0.6)
        axes[0, column].set(title=f"step {step:g} s", ylabel="displacement less slide (m)")
        axes[1, column].set(xlabel="time (s)", ylabel="speed over equilibrium speed")
    axes[0, 0].legend(frameon=False)
    figure.savefig(folder / "fig01-04_unloaded.png", dpi=110)
    steps = np.array([2e-4, 3e-4, 3.9e-4, 4e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.012])
    runs = [verlet(glacier, None, 300.0, float(dt), perturbation=1e-6) for dt in steps]
    drifts = [abs(float(run.dataset.displacement[-1].mean())) for run in runs]
    forces = [run.peak_seismic_force / 1e6 for run in runs]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), constrained_layout=True)
    left.loglog(steps, np.maximum(drifts, 1e-16), "o-")
    right.loglog(steps, np.maximum(forces, 1e-12), "o-")
    for axis in (left, right):
        axis.axvline(glacier.stability().verlet_limit, color="k", lw=0.8, ls="--")
        axis.set(xlabel="step (s)")
    left.set(ylabel="drift after 300 s (m)")
    right.set(ylabel="largest force on the bed (MN/m)")
    figure.savefig(folder / "fig06-07_drift.png", dpi=110)
    return dict(zip(steps.tolist(), drifts))


def loaded(folder: Path) -> tuple[GlacierRun, GlacierRun]:
    """Figures 9 to 11: 40 km, 500 m blocks, 100 s at 2e-4 s on the pure law, beside the IMEX scheme at 0.02 s."""
    glacier = Glacier(40_000.0, 500.0, friction=LAW)
    lagged = verlet(glacier, HalfSine(PEAK, 100.0), 100.0, 2e-4, every=0.05)
    sound = glacier.run(HalfSine(PEAK, 100.0), until=100.0, step=0.02, every=0.1)
    figure, axes = plt.subplots(1, 3, figsize=(14, 4), constrained_layout=True)
    for run, style in ((lagged, {"color": "#d94801", "lw": 0.6}), (sound, {"color": "#08306b", "lw": 1.6})):
        data = run.dataset
        axes[0].plot(data.time, data.displacement[:, 0] * 1e3, label=f"{run.scheme}, {run.step:g} s", **style)
        axes[1].plot(data.time, data.velocity[:, 0] * 1e3, **style)
        axes[2].plot(data.time, data.seismic_force / 1e6, **style)
    for axis, label in zip(axes, ("front displacement (mm)", "front velocity (mm/s)", "seismic force (MN/m)")):
        axis.set(xlabel="time (s)", ylabel=label)
    axes[0].legend(frameon=False)
    figure.savefig(folder / "fig09-11_loaded.png", dpi=110)
    return lagged, sound


def one_block(folder: Path) -> None:
    """Figures 12 to 16: one block of 500 m on the regularised law, below and above its limit, and with HHT."""
    block = Glacier(500.0, 500.0, friction=Regularised(10**6.75, eta=0.1))
    limit = block.stability(speed=0.0).friction_limit  # 2 rho H / C_l
    load = HalfSine(80e6, 20.0)
    figure, axes = plt.subplots(1, 3, figsize=(14, 4), constrained_layout=True)
    runs = {f"verlet, limit / {a:g}": verlet(block, load, 20.0, limit / a, every=0.02) for a in (0.5, 1.25, 2, 4, 8)}
    runs |= {
        f"hht, {a:g} x limit": block.run(load, until=20.0, scheme="hht", step=a * limit, every=0.03) for a in (1, 1000)
    }
    for name, run in runs.items():
        data = run.dataset
        axes[0].plot(data.time, data.displacement[:, 0] * 1e3, label=name)
        axes[1].plot(data.time, data.velocity[:, 0] * 1e6)
        axes[2].plot(data.time, data.seismic_force / 1e6)
    for axis, label in zip(axes, ("displacement (mm)", "velocity (um/s)", "seismic force (MN/m)")):
        axis.set(xlabel="time (s)", ylabel=label)
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(folder / "fig12-16_one_block.png", dpi=110)


def block_sizes(folder: Path) -> dict[float, tuple[float, float]]:
    """Figures 17 to 19 and the run times: 2 km in blocks of 500 to 5 m; peak force and seconds a run."""
    found, places = {}, (0.0, 500.0, 1000.0, 1500.0, 2000.0)
    moved, fastest = [], []
    for size in SIZES:
        glacier = Glacier(2000.0, size, friction=LAW)
        glacier.run(None, until=1.0)  # compiled before the clock starts
        start = time.perf_counter()
        run = glacier.run(HalfSine(PEAK, 100.0), until=100.0, step=min(0.02, 0.8 * size / 1000.0))
        found[size] = (run.peak_seismic_force / 1e6, time.perf_counter() - start)
        nodes = [round(x / size) for x in places]
        moved.append(run.dataset.max_displacement.values[nodes])
        fastest.append(run.dataset.max_speed.values[nodes])
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
    for k, x in enumerate(places):
        axes[0, 0].semilogx(SIZES, [m[k] * 1e3 for m in moved], "o-", label=f"x = {x:g} m")
        axes[0, 1].semilogx(SIZES, [v[k] * 1e3 for v in fastest], "o-")
    axes[1, 0].semilogx(SIZES, [found[s][0] for s in SIZES], "o-")
    axes[1, 1].loglog([2000.0 / s for s in SIZES], [found[s][1] for s in SIZES], "o-")
    axes[0, 0].legend(frameon=False)
    axes[0, 0].set(xlabel="block (m)", ylabel="largest displacement (mm)")
    axes[0, 1].set(xlabel="block (m)", ylabel="largest speed (mm/s)")
    axes[1, 0].set(xlabel="block (m)", ylabel="peak seismic force (MN/m)")
    axes[1, 1].set(xlabel="blocks (the step falls with their size)", ylabel="seconds a run")
    figure.savefig(folder / "fig17-19_block_sizes.png", dpi=110)
    return found


def spectra(folder: Path) -> None:
    """Figures 20 to 22: spectral radii, 50 blocks of 100 m, as they are and as the printed formulas have them."""
    glacier = Glacier(5000.0, 100.0, friction=LAW)
    plot_stability(glacier.stability()).savefig(folder / "fig20-22_spectra.png", dpi=110)
    printed, steps = glacier.stability(as_printed=True), np.logspace(-6, 0, 121)
    figure, axis = plt.subplots(figsize=(7, 4), constrained_layout=True)
    for alpha in (0.0, -0.1, -0.3):
        axis.loglog(
            steps, [printed.spectral_radius("hht", float(dt), alpha) for dt in steps], label=f"alpha = {alpha:g}"
        )
    axis.axvline(4e-5, color="k", lw=0.8, ls="--", label="limit read off in the study")
    axis.set(xlabel="step (s)", ylabel="spectral radius", title="HHT by the printed formulas")
    axis.legend(framealpha=1.0, edgecolor="none")
    figure.savefig(folder / "fig20_as_printed.png", dpi=110)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    drifts = unloaded(folder)
    print("drift of the lagged scheme after 300 s, m:", {f"{k:g}": float(f"{v:.3g}") for k, v in drifts.items()})
    lagged, sound = loaded(folder)
    print(f"40 km, 500 m: {lagged.peak_seismic_force / 1e6:.2f} MN/m lagged, {sound.peak_seismic_force / 1e6:.2f} IMEX")
    one_block(folder)
    sizes = block_sizes(folder)
    print("peak seismic force by block, MN/m:", {f"{k:g} m": float(f"{v[0]:.7g}") for k, v in sizes.items()})
    spectra(folder)
    matched = [
        Glacier(2000.0, size, friction=LAW)
        .run(SinSquared(310.70585e6, 50.0), until=100.0, step=0.004)
        .peak_seismic_force
        for size in (25.0, 5.0)
    ]
    print("sin^2 over 50 s, 25 and 5 m: ", [f"{m / 1e6:.4f}" for m in matched], "printed: 310.7499, 310.7505")
    assert abs(sizes[25.0][0] - 310.7594) < 1e-3
    assert abs(matched[0] / 1e6 - 310.7499) < 1e-4 and abs(matched[1] / 1e6 - 310.7505) < 1e-4
    print(f"figures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("glacier-seed"))
