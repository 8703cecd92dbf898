"""The walls of a box as ordinary obstacles, so that the contact code knows no walls."""

from __future__ import annotations

from banquise.scene.domain import SIDES, Box
from banquise.scene.floe import Obstacle


def box_walls(box: Box) -> list[Obstacle]:
    """One obstacle for each closed side: a thick ring outside the box, moving with the wall.

    A wall goes on past a corner it shares with another wall, so that a moving wall opens no gap; at an open side it
    ends with the box.

    >>> [wall.name for wall in box_walls(Box(0, 10, 0, 5, open=("right",)))]
    ['wall left', 'wall bottom', 'wall top']
    """
    thick = max(box.xmax - box.xmin, box.ymax - box.ymin)
    beyond = {side: 0.0 if side in box.open else thick for side in SIDES}
    x0, x1 = box.xmin - beyond["left"], box.xmax + beyond["right"]
    y0, y1 = box.ymin - beyond["bottom"], box.ymax + beyond["top"]
    bounds = {
        "left": (box.xmin - thick, box.xmin, y0, y1),
        "right": (box.xmax, box.xmax + thick, y0, y1),
        "bottom": (x0, x1, box.ymin - thick, box.ymin),
        "top": (x0, x1, box.ymax, box.ymax + thick),
    }
    walls = []
    for side in SIDES:
        if side in box.open:
            continue
        left, right, low, high = bounds[side]
        speed = float(box.velocity.get(side, 0.0))
        velocity = (speed, 0.0) if side in ("left", "right") else (0.0, speed)
        ring = [(left, low), (right, low), (right, high), (left, high)]
        walls.append(Obstacle(ring, velocity=velocity, material="wall", name=f"wall {side}"))
    return walls
