# mypy: ignore-errors
"""Placing discs at random, and pushing overlapping polygons apart.

A body is a ring of points; an edge counts as border only where `real` says so (land is cut into pieces, and the cuts
are no border). Bodies of weight 0 stay where they are.
"""

import math

import numpy as np

from banquise.jit import inner, kernel

MOST_CONTACTS = 64  # of a pair; more say nothing new


@inner
def next_random(state):
    """A float in [0, 1) and the next state (splitmix64: the same bits everywhere)."""
    state = (state + np.uint64(0x9E3779B97F4A7C15)) & np.uint64(0xFFFFFFFFFFFFFFFF)
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0), state


@kernel
def place_discs(radius, bounds, period, clearance, tries, seed, centre):
    """Centres of discs, in the order given, each at random where it is clear of those before it and of the land.

    clearance (ny, nx) is the distance to land on a grid over bounds (xmin, xmax, ymin, ymax), negative on land. Where no
    try is clear the one that lacks least is taken. Returns the largest lack.
    """
    ny, nx = clearance.shape
    wide, high = bounds[1] - bounds[0], bounds[3] - bounds[2]
    state = np.uint64(seed)
    worst = 0.0
    for i in range(len(radius)):
        best = -math.inf
        for _ in range(tries):
            fx, state = next_random(state)
            fy, state = next_random(state)
            room = clearance[min(int(fy * ny), ny - 1), min(int(fx * nx), nx - 1)] - radius[i]
            if room <= best:
                continue
            x, y = bounds[0] + fx * wide, bounds[2] + fy * high
            for j in range(i):
                dx, dy = centre[j, 0] - x, centre[j, 1] - y
                if period[0] > 0.0:
                    dx -= period[0] * round(dx / period[0])
                if period[1] > 0.0:
                    dy -= period[1] * round(dy / period[1])
                reach = radius[i] + radius[j] + best
                if reach > 0.0 and dx * dx + dy * dy <= reach * reach:
                    room = best
                    break
                room = min(room, math.sqrt(dx * dx + dy * dy) - radius[i] - radius[j])
            if room > best:
                best = room
                centre[i, 0], centre[i, 1] = x, y
                if best >= 0.0:
                    break
        worst = max(worst, -best)
    return worst


@kernel
def set_world(first, last, local, start, pose, scale, world, box):
    """Points and boxes of bodies where their poses say, scaled about their centres."""
    for i in range(first, last):
        c, s = scale * math.cos(pose[i, 2]), scale * math.sin(pose[i, 2])
        x0 = y0 = math.inf
        x1 = y1 = -math.inf
        for k in range(start[i], start[i + 1]):
            x = c * local[k, 0] - s * local[k, 1] + pose[i, 0]
            y = s * local[k, 0] + c * local[k, 1] + pose[i, 1]
            world[k, 0], world[k, 1] = x, y
            x0, x1, y0, y1 = min(x0, x), max(x1, x), min(y0, y), max(y1, y)
        box[i, 0], box[i, 1], box[i, 2], box[i, 3] = x0, y0, x1, y1


@inner
def points_in(a, b, dx, dy, side, skin, world, start, real, box, contact, count):
    """Adds the points of a that lie within `skin` of b or inside it; (dx, dy) moves a into the frame of b's image.

    A row: the place, the direction in which the first body of the pair must give way, how far they lack of `skin`.
    """
    x0, y0, x1, y1 = box[b, 0] - skin, box[b, 1] - skin, box[b, 2] + skin, box[b, 3] + skin
    first, last = start[b], start[b + 1]
    before_a = start[a + 1] - 1
    for k in range(start[a], start[a + 1]):
        there = real[k] or real[before_a]
        before_a = k
        px, py = world[k, 0] + dx, world[k, 1] + dy
        if not there or px < x0 or px > x1 or py < y0 or py > y1 or count >= MOST_CONTACTS:
            continue
        inside = False
        best, qx, qy, ex, ey = math.inf, 0.0, 0.0, 0.0, 0.0
        ax, ay = world[last - 1, 0], world[last - 1, 1]
        before = last - 1
        for m in range(first, last):
            bx, by = world[m, 0], world[m, 1]
            ux, uy = bx - ax, by - ay
            if (ay > py) != (by > py) and px < ax + (py - ay) / uy * ux:
                inside = not inside
            if real[before]:
                t = ((px - ax) * ux + (py - ay) * uy) / (ux * ux + uy * uy)
                t = min(1.0, max(0.0, t))
                fx, fy = ax + t * ux, ay + t * uy
                square = (px - fx) * (px - fx) + (py - fy) * (py - fy)
                if square < best:
                    best, qx, qy, ex, ey = square, fx, fy, ux, uy
            ax, ay, before = bx, by, m
        if best == math.inf or (not inside and best >= skin * skin):
            continue
        distance = math.sqrt(best)
        if distance > 1e-9 * skin:
            sign = (-1.0 if inside else 1.0) / distance
            nx, ny = sign * (px - qx), sign * (py - qy)
        else:
            length = math.sqrt(ex * ex + ey * ey)
            nx, ny = ey / length, -ex / length
        row = contact[count]
        row[0], row[1] = px, py
        row[2], row[3] = side * nx, side * ny
        row[4] = skin + distance if inside else skin - distance
        count += 1
    return count


@inner
def give_way(contact, count, ca, cb, weight_a, turn_a, weight_b, turn_b, move):
    """Small moves (x, y, angle of a, then of b) that clear the contacts of a pair, each in turn, three times."""
    for k in range(6):
        move[k] = 0.0
    for _ in range(3):
        for k in range(count):
            px, py, nx, ny = contact[k, 0], contact[k, 1], contact[k, 2], contact[k, 3]
            la = (px - ca[0]) * ny - (py - ca[1]) * nx
            lb = (px - cb[0]) * ny - (py - cb[1]) * nx
            lack = contact[k, 4] - (move[0] - move[3]) * nx - (move[1] - move[4]) * ny - move[2] * la + move[5] * lb
            if lack <= 0.0:
                continue
            push = lack / (weight_a + turn_a * la * la + weight_b + turn_b * lb * lb)
            move[0] += push * weight_a * nx
            move[1] += push * weight_a * ny
            move[2] += push * turn_a * la
            move[3] -= push * weight_b * nx
            move[4] -= push * weight_b * ny
            move[5] -= push * turn_b * lb


@kernel
def sweep(pairs, shift, backward, local, start, real, weight, turn, skins, most_turn, scale, pose, world, box, lack):
    """Push the bodies of each pair apart once, in the order of the list or backward.

    shift (p, 2) moves b to the image that meets a. lack (n,) becomes
    the largest lack over skin each body met, before it gave way: 1 is touching, more is overlap. Returns the largest.
    """
    contact = np.empty((MOST_CONTACTS, 5))
    move = np.empty(6)
    ca, cb = np.empty(2), np.empty(2)
    lack[:] = 0.0
    for p in range(len(pairs)):
        k = len(pairs) - 1 - p if backward else p
        a, b = pairs[k, 0], pairs[k, 1]
        sx, sy = shift[k, 0], shift[k, 1]
        skin = min(skins[a], skins[b])
        if (
            box[a, 0] > box[b, 2] + sx + skin
            or box[a, 2] + skin < box[b, 0] + sx
            or box[a, 1] > box[b, 3] + sy + skin
            or box[a, 3] + skin < box[b, 1] + sy
        ):
            continue
        # in the frame of the image of b that meets a: a is moved by -shift
        count = points_in(a, b, -sx, -sy, 1.0, skin, world, start, real, box, contact, np.int64(0))
        for m in range(count):
            contact[m, 0] += sx
            contact[m, 1] += sy
        both = points_in(b, a, sx, sy, -1.0, skin, world, start, real, box, contact, count)
        if both == 0:
            continue
        for m in range(both):
            lack[a] = max(lack[a], contact[m, 4] / skin)
            lack[b] = max(lack[b], contact[m, 4] / skin)
        ca[0], ca[1] = pose[a, 0], pose[a, 1]
        cb[0], cb[1] = pose[b, 0] + sx, pose[b, 1] + sy
        give_way(contact, both, ca, cb, weight[a], turn[a], weight[b], turn[b], move)
        for who in range(2):
            i = a if who == 0 else b
            if weight[i] > 0.0:
                pose[i, 0] += move[3 * who]
                pose[i, 1] += move[3 * who + 1]
                pose[i, 2] += min(most_turn, max(-most_turn, move[3 * who + 2]))
                set_world(i, i + 1, local, start, pose, scale, world, box)
    return lack.max()
