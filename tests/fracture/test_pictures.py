"""Pictures are drawn from the computed things, and the validation rows hold."""

from __future__ import annotations

import numpy as np
import pytest

from banquise import fracture, percussion, validation

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is an extra")


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_state_landscape_and_crack(square, hit, ax):
    from banquise.fracture import plots

    plots.plot_state(square, hit, ax)
    assert len(ax.collections[0].get_array()) == len(hit.body.mesh.elements)
    ax.clear()
    plots.plot_landscape(square, hit, ax, starts="contact")
    drawn = ax.collections[0].get_array()
    assert len(drawn) > 30
    assert drawn.max() > 1
    ax.clear()
    crack = fracture.search(square, hit)
    plots.plot_crack(square, crack, ax, hit)
    assert f"{crack.length:.0f} m crack opens" in ax.get_title()
    assert len(ax.patches) >= 2


def test_principal_tension():
    from banquise.fracture.plots import principal_tension

    assert principal_tension(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])).tolist() == [1.0, 2.0]


def test_percussion_pictures(ax):
    from banquise.percussion import plots

    plots.plot_two_bodies(1.2, 1.5, 2.2, -1.8, 7.0, 0.5, ax)
    held, parted = (line.get_xdata()[-1] for line in ax.lines[:2])
    assert held > parted
    motion = percussion.chain(5, 1.0, 7.0, 0.5).motion(np.zeros(5), [1, 1, 1, 1, -1], np.linspace(0, 2, 20))
    ax.clear()
    plots.plot_motion(motion, ax)
    assert len(ax.lines) == 5
    ax.clear()
    plots.plot_elongations(motion, ax)
    assert ax.collections[0].get_array().size == 19 * 4


def test_every_validation_row_holds():
    rows = [row for _, row in validation.rows(["fracture"])]
    assert len(rows) > 40
    assert [row for row in rows if not row.passed] == []
