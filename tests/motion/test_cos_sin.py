"""Cosine and sine of the angle of a floe, by our own series."""

import numpy as np

from banquise.jit import bare_kernel
from banquise.motion._kernels import cos_sin


@bare_kernel
def _both(angles, out):
    for k in range(len(angles)):
        out[k, 0], out[k, 1] = cos_sin(angles[k])


def test_agrees_with_the_library():
    """At small angles, at all quarters, after many turns, and where the library is asked itself."""
    rng = np.random.default_rng(0)
    quarters = 0.25 * np.pi * np.arange(-4000.0, 4000.0)
    drawn = [rng.uniform(-size, size, 20_000) for size in (1e-8, 1e-3, 1.0, 10.0, 1e3, 6e5, 1e9)]
    angles = np.concatenate([quarters, np.nextafter(quarters, 9e9), *drawn, [0.0, -0.0]])
    found = np.empty((len(angles), 2))
    _both(angles, found)
    # one unit in the last place of a number near one; small ones are right to their own last digits
    assert np.abs(found[:, 0] - np.cos(angles)).max() <= 2.3e-16
    assert np.abs(found[:, 1] - np.sin(angles)).max() <= 2.3e-16
    near = np.abs(angles) < 0.5
    assert (
        np.abs(found[near, 1] / np.where(angles[near], np.sin(angles[near]), 1.0) - (angles[near] != 0)).max()
        <= 4.5e-16
    )
    assert np.abs((found**2).sum(axis=1) - 1.0).max() <= 6e-16


def test_no_number_stays_none():
    found = np.zeros((2, 2))
    _both(np.array([np.nan, np.inf]), found)
    assert np.isnan(found).all()
