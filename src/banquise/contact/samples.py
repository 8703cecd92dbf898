"""Small contact problems with known answers, and random ones, for tests and benchmarks."""

from __future__ import annotations

import numpy as np

from banquise.contact.problem import ContactProblem, Floats


def cradle(discs: int = 3, speed: float = 1.0) -> ContactProblem:
    """Equal unit discs in touch in a line, the first at `speed`, no friction, epsilon 0."""
    m = discs - 1
    velocity = np.zeros((discs, 3))
    velocity[0, 0] = speed
    right = np.tile([1.0, 0.0], (m, 1))
    return ContactProblem(
        body_a=np.arange(m, dtype=np.int32), body_b=np.arange(1, discs, dtype=np.int32), inverse_mass=np.ones(discs),
        inverse_inertia=np.full(discs, 2.0), normal=right, lever_a=right, lever_b=-right, gap_rate=np.zeros(m),
        friction=np.zeros(m), restitution=np.ones(m), free_velocity=velocity,
    )  # fmt: skip


def random_problem(
    contacts: int, bodies: int, seed: int = 0, friction: float | None = None, gaps: bool = False, obstacles: int = 0
) -> ContactProblem:
    """Random floe contacts: radii over two decades (masses over four), normals and levers at random, all touching.

    `bodies = contacts` is a loose pack, `contacts / 2` a dense one. `friction=None` draws it between 0 and 1.
    """
    rng = np.random.default_rng(seed)
    radius = 10.0 ** rng.uniform(0.0, 2.0, bodies)
    mass = 917.0 * np.pi * radius**2
    inertia = 0.5 * mass * radius**2 * rng.uniform(0.8, 1.6, bodies)
    body_a = rng.integers(0, bodies, contacts)
    body_b = (body_a + rng.integers(1, bodies, contacts)) % bodies
    body_a, body_b = np.minimum(body_a, body_b), np.maximum(body_a, body_b)
    angle = rng.uniform(0, 2 * np.pi, contacts)
    normal = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    lever = []
    for body, sign in ((body_a, 1.0), (body_b, -1.0)):
        # The point lies on the side the normal comes from, up to 60 degrees off it: floes are not discs.
        off = angle + rng.uniform(-1.0, 1.0, contacts)
        reach = radius[body] * rng.uniform(0.6, 1.2, contacts)
        lever.append(sign * reach[:, None] * np.stack((np.cos(off), np.sin(off)), axis=1))
    velocity = rng.normal(0.0, 0.2, (bodies, 3))
    velocity[:, 2] /= radius
    inverse_mass, inverse_inertia = 1 / mass, 1 / inertia
    if obstacles:
        inverse_mass[-obstacles:] = inverse_inertia[-obstacles:] = 0.0
        velocity[-obstacles:] = 0.0
    return ContactProblem(
        body_a=body_a, body_b=body_b, inverse_mass=inverse_mass, inverse_inertia=inverse_inertia, normal=normal,
        lever_a=lever[0], lever_b=lever[1], gap_rate=rng.exponential(0.05, contacts) if gaps else np.zeros(contacts),
        friction=rng.uniform(0, 1, contacts) if friction is None else np.full(contacts, friction),
        restitution=np.zeros(contacts), free_velocity=velocity,
    )  # fmt: skip


def pressed_pack(columns: int, rows: int, friction: float = 0.5, seed: int = 0, step: float = 5.0) -> ContactProblem:
    """Floes on a hexagonal grid in a closed box, pushed downwards for `step` seconds: one island held by many contacts.

    About three contacts a floe, masses over two decades, contact points off the line of centres as polygons have them.
    """
    rng = np.random.default_rng(seed)
    j, i = np.divmod(np.arange(columns * rows), columns)
    centre = np.stack((2.0 * i + (j % 2), np.sqrt(3.0) * j), axis=1)
    n = len(centre)
    number = {(int(p), int(q)): k for k, (p, q) in enumerate(zip(i, j))}
    pairs, normals = [], []
    for k in range(n):
        shift = int(j[k]) % 2
        for di, dj in ((1, 0), (shift - 1, 1), (shift, 1)):
            other = number.get((int(i[k]) + di, int(j[k]) + dj))
            if other is not None:
                pairs.append((k, other))
                normals.append((centre[other] - centre[k]) / 2.0)
    walls = ((i == 0, (-1.0, 0.0)), (i == columns - 1, (1.0, 0.0)), (j == 0, (0.0, -1.0)))
    for touching, out in walls:
        for floe in np.flatnonzero(touching):
            pairs.append((int(floe), n))
            normals.append(np.array(out))
    bodies, normal = np.array(pairs), np.array(normals)
    m = len(bodies)
    # The point lies off the line of centres and the edge is not square to it, as between polygons.
    middle = np.vstack((centre, [[0.0, 0.0]]))[bodies[:, 0]] + normal
    point = middle + rng.uniform(-0.4, 0.4, (m, 1)) * np.stack((-normal[:, 1], normal[:, 0]), axis=1)
    angle = np.arctan2(normal[:, 1], normal[:, 0]) + rng.uniform(-0.2, 0.2, m)
    away = np.vstack((centre, [[0.0, 0.0]]))
    mass = 10.0 ** rng.uniform(3.0, 5.0, n)
    velocity = np.zeros((n + 1, 3))
    velocity[:n, 1] = -1e-3 * step * rng.uniform(0.8, 1.2, n)
    return ContactProblem(
        body_a=bodies[:, 0], body_b=bodies[:, 1], inverse_mass=np.append(1 / mass, 0.0),
        inverse_inertia=np.append(2 / mass, 0.0), normal=np.stack((np.cos(angle), np.sin(angle)), axis=1),
        lever_a=point - away[bodies[:, 0]], lever_b=point - away[bodies[:, 1]],
        gap_rate=rng.exponential(1e-5, m), friction=np.full(m, friction), restitution=np.zeros(m),
        free_velocity=velocity, reference=1e-3 * step,
    )  # fmt: skip


def with_mirror_image(problem: ContactProblem, wall: int) -> ContactProblem:
    """A pack and its mirror image behind a flat wall, the wall taken away: what touched it touches its own image.

    Makes one island of twice the size out of a pack. `wall` is the row of an obstacle that is body b of its contacts,
    all with one normal. The exact answer is symmetric; change the loads a little for one that is not.
    """
    n, at_wall = problem.bodies, problem.body_b == wall
    out = problem.normal[at_wall][0]

    def image(vectors: Floats) -> Floats:
        return vectors - 2 * (vectors @ out)[:, None] * out

    inner = ~at_wall
    velocity = problem.free_velocity.copy()
    velocity[:, :2], velocity[:, 2] = image(problem.free_velocity[:, :2]), -problem.free_velocity[:, 2]

    def joined(column: Floats, opposite: Floats | None = None) -> Floats:
        """Values of the pack, of its image, of the contacts between the two."""
        mirrored = column if column.ndim == 1 else image(column)
        return np.concatenate((column[inner], mirrored[inner], column[at_wall] if opposite is None else opposite))

    return problem.replace(
        body_a=np.concatenate((problem.body_a[inner], problem.body_a[inner] + n, problem.body_a[at_wall])),
        body_b=np.concatenate((problem.body_b[inner], problem.body_b[inner] + n, problem.body_a[at_wall] + n)),
        inverse_mass=np.tile(problem.inverse_mass, 2), inverse_inertia=np.tile(problem.inverse_inertia, 2),
        normal=joined(problem.normal), lever_a=joined(problem.lever_a),
        lever_b=joined(problem.lever_b, image(problem.lever_a[at_wall])),
        gap_rate=joined(problem.gap_rate, 2 * problem.gap_rate[at_wall]), friction=joined(problem.friction),
        restitution=joined(problem.restitution), bias_t=None, lower_normal=None,
        free_velocity=np.concatenate((problem.free_velocity, velocity)),
    )  # fmt: skip
