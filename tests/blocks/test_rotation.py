"""Free rotation: what each scheme keeps, at which order, and the tumbling of an intermediate axis."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import banquise as bq
from banquise.motion.rotation import advance, angular_momentum, energy
from banquise.scene.polyhedron import rotation_matrix

INERTIA = np.array([np.diag([1.0, 2.0, 3.0])])
START = np.array([[0.01, 1.0, 0.01]])


def spin_for(method, step, duration, inertia=INERTIA, start=START, **keywords):
    """Relative changes of energy, of |L| and of the vector L, and how far the axes are from orthonormal."""
    q, spin = np.array([[1.0, 0, 0, 0]]), start
    e0, l0 = energy(q, spin, inertia)[0], angular_momentum(q, spin, inertia)[0]
    track = []
    for _ in range(round(duration / step)):
        q, spin = advance(q, spin, inertia, step, method=method, **keywords)
        track.append(spin[0])
    e1, l1 = energy(q, spin, inertia)[0], angular_momentum(q, spin, inertia)[0]
    r = bq.Polyhedron.box((1, 1, 1), orientation=q[0]).rotation
    size = np.linalg.norm(l0)
    return (
        e1 / e0 - 1,
        np.linalg.norm(l1) / size - 1,
        np.linalg.norm(l1 - l0) / size,
        np.abs(r.T @ r - np.eye(3)).max(),
        track,
    )


@pytest.mark.parametrize("step", [0.01, 0.05])
def test_midpoint_keeps_energy_and_angular_momentum(step):
    de, dl, vector, ortho, _ = spin_for("midpoint", step, 100.0)
    assert max(abs(de), abs(dl), vector, ortho) < 1e-12


def test_midpoint_keeps_them_for_any_body_and_spin():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 3))
    changes = spin_for("midpoint", 0.1, 20.0, np.array([a @ a.T + np.eye(3)]), rng.normal(size=(1, 3)) * 5)
    assert max(abs(c) for c in changes[:4]) < 1e-12


@pytest.mark.parametrize("method", ["explicit", "hughes-winget"])
def test_explicit_gyroscopic_term_drifts_at_first_order(method):
    drifts = [spin_for(method, step, 100.0)[:2] for step in (0.02, 0.01)]
    assert drifts[1][0] == pytest.approx(6.0e-2, rel=0.02) and drifts[1][1] == pytest.approx(3.0e-2, rel=0.02)
    assert np.log2(drifts[0][0] / drifts[1][0]) == pytest.approx(1.0, abs=0.15)
    assert spin_for(method, 0.01, 10.0)[3] < 1e-13  # the axes stay orthonormal all the same


def test_implicit_gyroscopic_term_mends_the_energy_of_the_explicit_update():
    de, _, vector, _, _ = spin_for("explicit", 0.01, 100.0, gyroscopic="implicit")
    assert abs(de) < 1e-12 and vector > 1e-6  # energy lives in the spin alone; the direction of L needs the right map


def test_tumbling_period_is_that_of_the_elliptic_integral():
    """Sign changes of the spin about the intermediate axis, T/2 = 2K(m) / rate."""
    i1, i2, i3 = 1.0, 2.0, 3.0
    momentum2 = (i1 * 0.01) ** 2 + (i2 * 1.0) ** 2 + (i3 * 0.01) ** 2
    twice_energy = i1 * 1e-4 + i2 + i3 * 1e-4
    # Which axis the polhode goes around decides the form; here L^2 against 2 E I2.
    if momentum2 < twice_energy * i2:
        i1, i3 = i3, i1
    rate = np.sqrt((i3 - i2) * (momentum2 - twice_energy * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (twice_energy * i3 - momentum2) / ((i3 - i2) * (momentum2 - twice_energy * i1))
    half_period = 2.0 * ellipk(m) / abs(rate)
    assert half_period == pytest.approx(19.552867, abs=1e-6)
    errors = []
    for step in (0.02, 0.01):
        q, spin, turns, spins = np.array([[1.0, 0, 0, 0]]), START, [], []
        for _ in range(round(45.0 / step)):
            q, spin = advance(q, spin, INERTIA, step)
            turns.append(q[0])
            spins.append(spin[0])
        w = np.einsum("ni,ni->n", rotation_matrix(turns)[:, :, 1], spins)  # about the second body axis
        at = np.flatnonzero(w[:-1] * w[1:] < 0)
        times = (at + 1 + w[at] / (w[at] - w[at + 1])) * step
        errors.append(abs(np.diff(times)[0] - half_period))
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)  # second order


def test_torque_changes_angular_momentum_by_its_impulse_exactly():
    rng = np.random.default_rng(1)
    a = rng.normal(size=(5, 3, 3))
    inertia = a @ a.transpose(0, 2, 1) + np.eye(3)
    q = rng.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    spin, torque = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    before = angular_momentum(q, spin, inertia)
    for _ in range(50):
        q, spin = advance(q, spin, inertia, 0.1, torque=torque)
    np.testing.assert_allclose(angular_momentum(q, spin, inertia) - before, 5.0 * torque, atol=1e-12)


def test_turning_about_a_principal_axis_is_steady():
    q, spin = np.array([[1.0, 0, 0, 0]]), np.array([[0, 0, 2.0]])
    for _ in range(100):
        q, spin = advance(q, spin, INERTIA, 0.01)
    np.testing.assert_allclose(spin, [[0, 0, 2.0]], atol=1e-13)
    # The Cayley map turns by 2 atan(h w / 2) a step instead of h w: behind by (h w)^3 / 12.
    assert 2 * np.arctan2(q[0, 3], q[0, 0]) == pytest.approx(100 * 2 * np.arctan(0.01), abs=1e-12)


def test_what_is_not_known_is_said():
    with pytest.raises(bq.BanquiseError, match="midpoint"):
        advance([[1, 0, 0, 0]], [[0, 0, 1]], [np.eye(3)], 0.1, method="middle")
    with pytest.raises(bq.BanquiseError, match="gyroscopic"):
        advance([[1, 0, 0, 0]], [[0, 0, 1]], [np.eye(3)], 0.1, gyroscopic="none")
