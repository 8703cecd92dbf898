"""Free rotation of rigid blocks over one step: three schemes, one conserves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from banquise.errors import CaseError, SolverError, nearest
from banquise.motion import _kernels_rotation as kernels
from banquise.scene.meshes import Floats
from banquise.threads import over_blocks

METHODS = {"explicit": kernels.EXPLICIT, "hughes-winget": kernels.HUGHES_WINGET, "midpoint": kernels.MIDPOINT}


def advance(
    orientation: ArrayLike,
    spin: ArrayLike,
    inertia: ArrayLike,
    step: float,
    torque: ArrayLike | None = None,
    method: str = "midpoint",
    gyroscopic: str | None = None,
) -> tuple[Floats, Floats]:
    """Orientation and spin of n bodies a step later.

    Parameters
    ----------
    orientation : (n, 4) unit quaternions w, x, y, z
    spin, torque : (n, 3) rad/s and N m about the centre of mass, world frame; the torque is constant over the step
    inertia : (n, 3, 3) kg m2, body axes
    step : s
    method : "midpoint" (default): the implicit midpoint rule for the spin and the Cayley map of the same mid-step spin.
        Without torque, energy and the vector of angular momentum are kept to rounding; with it, angular momentum
        changes by exactly step * torque. "hughes-winget": the Cayley map of the mean spin. "explicit": the body axes
        moved by step * spin x axis, then made orthonormal again, for slow rotations
    gyroscopic : "implicit" or "explicit"; by default implicit for "midpoint", explicit for the two others. The explicit
        term makes energy grow, to first order in the step, whatever turns the body

    Examples
    --------
    >>> q, w = advance([[1, 0, 0, 0]], [[0, 0, 1.0]], [np.diag([1.0, 2.0, 3.0])], 0.1)
    >>> round(2 * np.arctan2(q[0, 3], q[0, 0]), 3), w[0].tolist()
    (np.float64(0.1), [0.0, 0.0, 1.0])
    """
    if not isinstance(method, str) or method not in METHODS:
        raise CaseError(f"rotation: no method {method!r}. {nearest(method, METHODS)}")
    gyroscopic = gyroscopic or ("implicit" if method == "midpoint" else "explicit")
    if gyroscopic not in ("implicit", "explicit"):
        raise CaseError(f"rotation: gyroscopic term {gyroscopic!r}, expected 'implicit' or 'explicit'.")
    quaternions = np.array(orientation, dtype=np.float64, order="C").reshape(-1, 4)
    n = len(quaternions)
    spins = np.array(spin, dtype=np.float64, order="C").reshape(n, 3)
    tensors = np.ascontiguousarray(inertia, dtype=np.float64).reshape(n, 3, 3)
    torques = np.zeros((n, 3)) if torque is None else np.ascontiguousarray(torque, dtype=np.float64).reshape(n, 3)
    failed = np.zeros(n, dtype=np.bool_)

    def work(first: int, last: int) -> None:
        kernels.advance(
            first,
            last,
            METHODS[method],
            gyroscopic == "implicit",
            float(step),
            tensors,
            torques,
            quaternions,
            spins,
            failed,
        )

    over_blocks(work, n)
    if failed.any():
        row = int(np.argmax(failed))
        raise SolverError(
            f"rotation: the midpoint rule found no spin for {failed.sum()} bodies (the first: {row}, "
            f"{np.linalg.norm(spins[row]):.3g} rad/s, step {step:g} s). Take a shorter step."
        )
    return quaternions, spins


def energy(orientation: Floats, spin: Floats, inertia: Floats) -> Floats:
    """Kinetic energy of rotation (n,), J."""
    return 0.5 * np.einsum("ni,ni->n", spin, angular_momentum(orientation, spin, inertia))


def angular_momentum(orientation: Floats, spin: Floats, inertia: Floats) -> Floats:
    """Angular momentum about the centre of mass (n, 3), kg m2/s, world frame."""
    from banquise.scene.polyhedron import rotation_matrix

    r = rotation_matrix(orientation)
    return np.einsum("nij,njk,nlk,nl->ni", r, inertia, r, spin, optimize=True)
