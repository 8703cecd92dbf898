"""The elastic body against an independent assembly and against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from banquise.fracture import Griffith, impact
from banquise.fracture.elasticity import body_of

from .conftest import YOUNG, rectangle, star


def test_stiffness_equals_that_of_scikit_fem():
    skfem = pytest.importorskip("skfem", reason="scikit-fem is an extra")
    from skfem.helpers import ddot, sym_grad, trace

    body = body_of(star(3))
    mesh = skfem.MeshTri(np.ascontiguousarray(body.mesh.nodes.T), np.ascontiguousarray(body.mesh.elements.T))
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTriP1()))
    nu = body.poisson

    @skfem.BilinearForm
    def plane_stress(u, v, _):
        e = sym_grad(u)
        return ddot(e, sym_grad(v)) / (1 + nu) + nu / (1 - nu**2) * trace(e) * trace(sym_grad(v))

    K = plane_stress.assemble(basis)
    u = np.random.default_rng(0).normal(size=(len(body.mesh.nodes), 2))
    assert 0.5 * u.ravel() @ (K @ u.ravel()) == pytest.approx(body.energy(u), rel=1e-12)


def test_rigid_motions_cost_nothing_and_relief_has_none():
    body = body_of(star(4))
    for k in range(3):
        assert body.energy(np.ascontiguousarray(body.modes[:, :, k])) < 1e-12  # rounding of order-one terms
    assert np.allclose(body.modes.reshape(-1, 3).T @ body.moments, np.eye(3), atol=1e-12)
    load = np.zeros((len(body.mesh.nodes), 2))
    load[7] = (1.0, -0.3)
    u, push = body.relief(load.ravel())
    assert np.abs(body.moments.T @ u.ravel()).max() < 1e-12
    # Work of the load on itself is twice the energy: u is in equilibrium with load minus inertia.
    assert 0.5 * load.ravel() @ u.ravel() == pytest.approx(body.energy(u), rel=1e-9)
    assert push.shape == (3,)


def test_uniform_strain_is_exact():
    body = body_of(star(5))
    x = body.mesh.nodes
    stress = body.stresses(np.column_stack([1e-3 * x[:, 0], -0.295e-3 * x[:, 1]]))
    assert np.allclose(stress, [1e-3, 0, 0], atol=1e-15)


def test_struck_bar_has_a_third_of_its_static_compliance():
    hit = impact(rectangle(100, 10), (0, 5), (1, 0), 0.1, patch=10.0)
    assert hit.compliance == pytest.approx(100 / (3 * YOUNG * 10), rel=1e-3)  # linear elements, 300 nodes


@pytest.mark.parametrize(("width", "low", "high"), [(5.0, 1.93, 1.97), (10.0, 1.54, 1.58)])
def test_struck_square_compliance(square, width, low, high):
    assert low < impact(square, (0, 50), (1, 0), 0.1, patch=width).compliance * YOUNG < high


def test_halving_the_patch_adds_two_over_pi_log_two(square):
    """Own closed form: the field near the patch is Flamant's, u = 2 F / (pi E h) ln(1/r): so much per octave."""
    ice = Griffith(nodes=900)
    narrow, wide = (impact(square, (0, 50), (1, 0), 0.1, patch=w, ice=ice).compliance * YOUNG for w in (4.0, 8.0))
    # First-order elements take 1.4 % of the logarithm at 900 nodes (0.8 % at 1500): a bound from below.
    assert narrow - wide == pytest.approx(2 / math.pi * math.log(2), rel=0.02)
    assert narrow - wide < 2 / math.pi * math.log(2)


def test_compliance_does_not_depend_on_where_the_floe_is():
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    floe = rectangle(100, 60)
    moved = type(floe)(floe.ring @ turn.T + [1e5, -3e4], density=910.0)
    here = impact(floe, (0, 30), (1, 0), 0.1)
    there = impact(moved, turn @ [0, 30] + [1e5, -3e4], turn @ [1, 0], 0.1)
    # The inner lattice stands in the world frame, so a turned floe gets another mesh of the same quality.
    assert there.compliance == pytest.approx(here.compliance, rel=0.02)
    assert there.energy == pytest.approx(here.energy, rel=1e-9)
