"""Cosine and sine of the angle of a floe, by our own series."""

import numpy as np

import banquise as bq
from banquise.motion import _kernels_series


def test_agrees_with_the_library():
    """At small angles, at all quarters, after many turns, and where the library is asked itself."""
    rng = np.random.default_rng(0)
    quarters = 0.25 * np.pi * np.arange(-400.0, 400.0)
    drawn = [rng.uniform(-size, size, 2000) for size in (1e-8, 1e-3, 1.0, 10.0, 1e3, 6e5, 1e9)]
    angles = np.concatenate([quarters, np.nextafter(quarters, 9e9), *drawn, [0.0, -0.0]])
    found = np.array([_kernels_series.cos_sin.py_func(angle) for angle in angles])
    # one unit in the last place of a number near one; small ones are right to their own last digits
    assert np.abs(found[:, 0] - np.cos(angles)).max() <= 2.3e-16
    assert np.abs(found[:, 1] - np.sin(angles)).max() <= 2.3e-16
    small = angles[(np.abs(angles) < 0.5) & (angles != 0)]
    sines = found[(np.abs(angles) < 0.5) & (angles != 0), 1]
    assert np.abs(sines / np.sin(small) - 1.0).max() <= 4.5e-16
    assert np.abs((found**2).sum(axis=1) - 1.0).max() <= 6e-16


def test_floes_that_are_alone_turn_by_it():
    """Compiled, in a step: cosine and sine of floes that meet nobody are those of their angles."""
    spins = np.array([-3.0, -0.4, 0.0, 1e-3, 0.7, 5.0])
    floes = [bq.Disc((100.0 * k, 0.0), 1.0, spin=spin) for k, spin in enumerate(spins)]
    sim = bq.Simulation(bq.Scene(floes), scheme=bq.TimeStepping(step=1.0))
    sim.run(until=50.0, every=50.0)
    b = sim.bodies
    assert np.allclose(b.angle, 50.0 * spins, rtol=1e-13)
    assert np.abs(b.cos - np.cos(b.angle)).max() <= 2.3e-16
    assert np.abs(b.sin - np.sin(b.angle)).max() <= 2.3e-16
