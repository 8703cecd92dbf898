"""Every analysis has a plot that shows its numbers."""

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from analysis.recorded import centres, lattice, recorded

import banquise as bq
from banquise.analysis import plots
from banquise.scene.makers.sizes import power_law

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def run():
    """A lattice that turns and spreads, with contacts, events and a load on a pier."""
    floes = lattice(6, 12.0, 5.0)
    x, y = centres(floes).T - 36.0
    t = np.arange(0, 7201.0, 300)
    turn, growth = 1e-4 * t[:, None], 1 + 1e-5 * t[:, None]
    c, s = np.cos(turn), np.sin(turn)
    places = growth * (c * x - s * y), growth * (s * x + c * y)
    rng = np.random.default_rng(0)
    events = np.zeros((300, 10))
    events[:, 0] = np.sort(rng.uniform(0, 7200, 300))
    events[:, 3] = 1
    pairs = [[7200.0, k, k + 1, 12 * k - 30.0, -30, 300 * f, 0] for k, f in enumerate((100, 90, 20, 5))]
    pier = bq.Obstacle([(0, -100)], radius=5.0, name="pier")
    loads = rng.rayleigh(1e4, (len(t), 1, 3))
    stress = np.full((len(t), 3, 36), -100.0)
    return recorded(
        floes, t, *places, u=-1e-4 * y + 1e-5 * x, v=1e-4 * x + 1e-5 * y, spin=1e-4, obstacles=[pier], events=events,
        loads=loads, stress=stress, contacts=np.array(pairs),
    )  # fmt: skip


def shown(figure, ax=0):
    """The lines of a figure's axes, as arrays."""
    return [line.get_xydata() for line in figure.axes[ax].get_lines()]


def test_sizes():
    drawn = recorded([bq.Disc((0, 0), s) for s in power_law(np.linspace(0, 1, 60), 5, 80, 1.5)], [0], 0, 0)
    found = bq.analysis.size_distribution(drawn)
    figure = plots.plot_sizes(found)
    assert shown(figure)[0][:, 0] == pytest.approx(found.sizes)
    assert len(shown(figure)) == 2 and figure.axes[0].get_xscale() == "log"


def test_on_time(run):
    found = bq.analysis.concentration(run, (60, 60))
    assert shown(plots.plot_concentration(found))[0][:, 1] == pytest.approx(100 * found.values)
    rate = bq.analysis.collision_rate(run)
    assert shown(plots.plot_collisions(rate))[0][:, 1] == pytest.approx(rate.values)
    jam = bq.analysis.jam(run)
    assert shown(plots.plot_jam(jam))[0][:, 1] == pytest.approx(100 * jam.history["share"].values)


def test_maps(run):
    fields = bq.analysis.gridded(run, 24.0)
    for name in ("concentration", "divergence", "pressure"):
        figure = plots.plot_grid(fields[name])
        drawn = figure.axes[0].collections[0].get_array()
        assert np.ma.filled(drawn, np.nan).ravel() == pytest.approx(fields[name].values.ravel(), nan_ok=True)
    arrows = plots.plot_velocity(fields).axes[0].collections[-1]
    assert len(arrows.U) == fields["u"].size
    found = bq.analysis.clusters(run)
    assert "clusters at 02:00:00" in plots.plot_clusters(run, found).axes[0].get_title(loc="left")
    chains = bq.analysis.force_chains(run, min_bodies=3)
    figure = plots.plot_chains(run, chains)
    assert len(figure.axes[0].collections[-1].get_segments()) == 4
    assert "1 force chain, largest force 100 N" in figure.axes[0].get_title(loc="left")


def test_motion(run):
    absolute, relative = bq.analysis.absolute_dispersion(run), bq.analysis.relative_dispersion(run, (10, 13))
    figure = plots.plot_dispersion(absolute, relative)
    assert shown(figure)[0][:, 1] == pytest.approx(absolute["dispersion"].values[1:])
    found = bq.analysis.velocity_statistics(run)
    figure = plots.plot_velocities(found)
    assert shown(figure, 1)[0][:, 1] == pytest.approx(found.correlation.values[:, 0])


def test_loads(run):
    found = bq.analysis.load_statistics(run, "pier")
    figure = plots.plot_loads(found)
    assert shown(figure)[0][:, 1] == pytest.approx(found.history.values)
    assert shown(figure)[1][:, 1] == pytest.approx(found.peaks.values)
    drag = bq.analysis.resistance(run, "pier", (0, 1))
    assert shown(plots.plot_resistance(drag))[0][:, 1] == pytest.approx(drag.values)


def test_energy():
    sim = bq.Simulation(bq.Scene([bq.Disc((0, 0), 20.0)]), bq.Forcing(wind=(10, 0), current=(0, 0)))
    found = bq.analysis.energy_fraction(sim.run("1 min", "20 s"), sim)
    assert shown(plots.plot_energy_fraction(found))[0][:, 1] == pytest.approx(found["of_bound"].values)
