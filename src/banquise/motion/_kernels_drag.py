"""Drag of a fluid on a floe: sums over its quadrature points, and what they are about without them."""

import numpy as np

from banquise.jit import bare_loose_inline, bare_loose_inner

_TINY = 1e-150


# Sums may be reordered for SIMD: each floe is summed by one thread, so the bits do not depend on their number
@bare_loose_inline
def uniform_forces(i, qx, qy, qw, a, b, w):
    """Sums over the points of |r| r, its moment and its radial part, r = (a + w y, b - w x)."""
    fx = fy = t = r = 0.0
    for k in range(qx.shape[1]):
        x, y = qx[i, k], qy[i, k]
        p = a + w * y
        q = b - w * x
        g = qw[i, k] * np.sqrt(p * p + q * q)
        gp, gq = g * p, g * q
        fx += gp
        fy += gq
        t += x * gq - y * gp
        r += x * gp + y * gq
    return fx, fy, t, r


@bare_loose_inner
def point_forces(qx, qy, qw, flow, a, b, w, out):
    """Sums over the points of |r| r, its moment and its radial part, r = (a + w y, b - w x) + flow; out = Fx, Fy, T, R."""
    fx = fy = t = r = 0.0
    u, v = flow[0], flow[1]
    for k in range(len(qx)):
        x, y = qx[k], qy[k]
        p = a + w * y + u[k]
        q = b - w * x + v[k]
        g = qw[k] * np.sqrt(p * p + q * q)
        gp, gq = g * p, g * q
        fx += gp
        fy += gq
        t += x * gq - y * gp
        r += x * gp + y * gq
    out[0], out[1], out[2], out[3] = fx, fy, t, r


@bare_loose_inner
def point_forces_and_slopes(qx, qy, qw, flow, a, b, w, out):
    """As `point_forces`, with the derivatives with respect to (a, b, w): three times the work.

    out = Fx, Fy, T, R, then the symmetric derivatives Faa, Fab, Fbb, Faw, Fbw, Tww, and Ra, Rb, Rw, which only a
    turning angle needs.
    """
    fx = fy = t = r = 0.0
    saa = sab = sbb = saw = sbw = sww = 0.0
    ra = rb = rw = 0.0
    u, v = flow[0], flow[1]
    for k in range(len(qx)):
        x, y, weight = qx[k], qy[k], qw[k]
        p = a + w * y + u[k]
        q = b - w * x + v[k]
        speed = np.sqrt(p * p + q * q + _TINY)
        g = weight * speed
        i = weight / speed
        fx += g * p
        fy += g * q
        t += g * (x * q - y * p)
        r += g * (x * p + y * q)
        maa = g + i * p * p
        mab = i * p * q
        mbb = g + i * q * q
        caw = maa * y - mab * x
        cbw = mab * y - mbb * x
        saa += maa
        sab += mab
        sbb += mbb
        saw += caw
        sbw += cbw
        sww += x * cbw - y * caw
        ra += x * maa + y * mab
        rb += x * mab + y * mbb
        rw += x * caw + y * cbw
    out[0], out[1], out[2], out[3] = fx, fy, t, r
    out[4], out[5], out[6], out[7], out[8], out[9] = saa, sab, sbb, saw, sbw, sww
    out[10], out[11], out[12] = ra, rb, rw


@bare_loose_inline
def coarse_forces(area, ox, oy, cxx, cxy, cyy, a, b, w):
    """What `point_forces_and_slopes` gives in a uniform flow, from area, centre and spread of the points alone, and how far the
    slopes may be out, as a speed.

    Second order in e = w size / |flow at the centre|, and of the right size where e is large: |flow| is taken as the
    root mean square s over the points.
    """
    p, q = a + w * oy, b - w * ox
    epp, epq, eqq = w * cyy, -w * cxy, w * cxx  # spread of the points' own velocity, over w
    turning = w * (epp + eqq)
    square = p * p + q * q
    inverse = 1.0 / np.sqrt(square + turning + _TINY)
    s = (square + turning) * inverse
    ep, eq = epp * p + epq * q, epq * p + eqq * q
    along = 0.5 * (p * ep + q * eq) * inverse * inverse
    # what the spread adds to the force, over w; s holds half of its trace already
    gp, gq = (ep - along * p) * inverse, (eq - along * q) * inverse
    jpp, jpq, jqq = s + p * p * inverse, p * q * inverse, s + q * q * inverse
    fx, fy = area * (s * p + w * gp), area * (s * q + w * gq)
    half = 0.5 * (epp + eqq) * inverse
    ft = ox * fy - oy * fx - area * w * (jqq * cxx - 2 * jpq * cxy + jpp * cyy)
    fr = ox * fx + oy * fy + area * w * ((jpp - jqq) * cxy + jpq * (cyy - cxx))
    jpp, jpq, jqq = jpp + w * epp * inverse, jpq + w * epq * inverse, jqq + w * eqq * inverse
    saw = area * (jpp * oy - jpq * ox + 2 * (half * p + gp))
    sbw = area * (jpq * oy - jqq * ox + 2 * (half * q + gq))
    mxx, mxy, myy = cxx + ox * ox, cxy + ox * oy, cyy + oy * oy
    sww = -area * (jqq * mxx - 2 * jpq * mxy + jpp * myy)
    ra, rb = area * (ox * jpp + oy * jpq), area * (ox * jpq + oy * jqq)
    rw = area * ((jpp - jqq) * mxy + jpq * (myy - mxx))
    return fx, fy, ft, fr, area * jpp, area * jpq, area * jqq, saw, sbw, sww, ra, rb, rw, 2.0 * turning * inverse
