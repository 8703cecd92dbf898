"""Forcing from files, maps, the slab ocean, stop and go on: answers known beforehand."""

from __future__ import annotations

import cmath
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from banquise.forcing.forcing import Forcing
from banquise.forcing.grid_flow import read_forcing
from banquise.forcing.slab_ocean import SlabOcean
from banquise.projection import Projection
from banquise.resuming import resume
from banquise.scene.floe import Disc
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.simulation import Simulation
from banquise.validation import Row

MAP = "EPSG:3413"  # polar stereographic, x along 45 E
_PLACES = np.radians(np.concatenate([np.arange(0, 360, 15.0), [179.99, -179.99, 0.01]]))


def rows() -> Iterator[Row]:
    """All rows of the group."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _pole(Path(folder))
        yield from _resume(Path(folder))
    yield from _coriolis()
    yield from _slab()


def _polar_file(path: Path, u: object, v: object) -> None:
    import xarray as xr

    longitude, latitude = np.arange(0, 360, 1.0), np.arange(90, 74, -1.0)
    lon, lat = np.meshgrid(longitude, latitude)
    dims = ("time", "latitude", "longitude")
    fields = {name: (dims, np.stack([f(lon, lat)] * 2)) for name, f in (("u10", u), ("v10", v))}  # type: ignore[operator]
    times = np.array(["2024-03-01", "2024-03-02"], dtype="datetime64[ns]")
    xr.Dataset(fields, {"time": times, "latitude": latitude, "longitude": longitude}).to_netcdf(path)


def _pole(folder: Path) -> Iterator[Row]:
    """A solid rotation about the pole and a flow straight over it, given as east and north."""
    spin, radius = 1e-6, 6.371e6
    _polar_file(folder / "turn.nc", lambda lon, lat: spin * radius * np.cos(np.radians(lat)), lambda lon, lat: 0 * lat)
    projection = Projection(MAP)
    flow = read_forcing(folder / "turn.nc").on_map(projection, "2024-03-01")
    for distance in (5e3, 4e5):
        x, y = distance * np.cos(_PLACES), distance * np.sin(_PLACES)
        u, v = flow.sample(x, y, 1000.0)
        _, latitude = projection.to_lonlat(x, y)
        speed = spin * radius * np.cos(np.radians(latitude))
        off = float(np.hypot(u + speed * np.sin(_PLACES), v - speed * np.cos(_PLACES)).max())
        # linear over one degree: (1/57)^2 / 8 of the speed over a radian, and the chord between two meridians
        yield Row("rotation about the pole", "frames", f"{distance / 1e3:g} km from it", 0.0, off, 1e-4)
    _polar_file(
        folder / "over.nc",
        lambda lon, lat: -3 * np.sin(np.radians(lon + 45)),
        lambda lon, lat: -3 * np.cos(np.radians(lon + 45)),
    )
    flow = read_forcing(folder / "over.nc").on_map(projection, "2024-03-01")
    u, v = flow.sample(2e5 * np.cos(_PLACES), 2e5 * np.sin(_PLACES), 0.0)
    off = float(np.hypot(u - u.mean(), v - v.mean()).max())
    # north is found by a difference over 11 m in coordinates of 1e6 m: 1e-10 / 11 of the speed, and some
    yield Row("flow over the pole is uniform", "frames", "3 m/s, across both seams", 0.0, off, 1e-10)


def _coriolis() -> Iterator[Row]:
    projection = Projection(MAP)
    x, y = (float(c) for c in projection.to_map(30.0, 75.0))
    sim = Simulation(Scene([Disc((x, y), 1.0)]), Forcing(), crs=MAP)
    expected = 2 * 7.292e-5 * math.sin(math.radians(75.0))
    got = float(sim.forcing.coriolis_of(sim.bodies)[0])
    # linear on a lattice of 5 km: (5 km / 6371 km)^2 / 4 of f
    yield Row("f of the local latitude", "Coriolis", "75 N", expected, got, 2e-7 * expected)


def _slab() -> Iterator[Row]:
    ocean = SlabOcean(depth=10.0, area=(-200, 400, -200, 200), cells=(3, 2))
    floes = [Disc((100.0 * k, 0.0), 30.0, velocity=(0.3, 0.1 * k)) for k in range(3)]
    sim = Simulation(Scene(floes), Forcing(current=ocean), scheme=EventDriven(max_step=20.0))
    b = sim.bodies

    def momentum() -> complex:
        ice = complex((b.mass * (b.u + 1j * b.v)).sum())
        assert sim.ocean is not None
        return ice + sim.ocean.momentum(sim.forcing.water_density)

    before = momentum()
    sim.run(until=600.0, every=600.0)
    off = abs(momentum() - before) / abs(before)
    yield Row("momentum of ice and slab", "momentum", "3 floes, 6 cells", 0.0, off, 1e-12)
    r, f, wind = 1e-5, 1.4e-4, 10 + 2j
    ocean = SlabOcean(depth=25.0, area=(0, 1e5, 0, 1e5), friction=r)
    speck = Disc((5e4, 5e4), 1e-3, water_drag=0.0, air_drag=0.0)
    forcing = Forcing(current=ocean, wind=(wind.real, wind.imag), coriolis=f)
    sim = Simulation(Scene([speck]), forcing, scheme=EventDriven(max_step=3600.0))
    sim.run(until=86400.0, every=86400.0)
    stress = forcing.air_density * 1.3e-3 * abs(wind) * wind / (forcing.water_density * 25.0)
    exact = stress * (1 - cmath.exp(-(r + 1j * f) * 86400)) / (r + 1j * f)
    assert sim.ocean is not None
    got = abs(complex(sim.ocean.relative[0, 0]))
    yield Row(
        "slab under a steady wind", "drift", "one day, friction and Coriolis", abs(exact), got, 1e-11 * abs(exact)
    )


def _resume(folder: Path) -> Iterator[Row]:
    def make() -> Simulation:
        floes = [Disc((61.0 * k, 0.0), 30.0, velocity=(0.2 - 0.2 * k, 0.01 * k)) for k in range(3)]
        return Simulation(
            Scene(floes), Forcing(current=(0, 0), wind=(5, 0), latitude=80), scheme=EventDriven(max_step=10.0)
        )

    make().run(until=100.0, every=20.0, output=folder / "run.nc")
    further = resume(folder / "run.nc", until=200.0).records
    whole = make().run(until=200.0, every=20.0).records
    differ = int(np.sum(further["state"] != whole["state"])) + int(np.sum(further["ledger"] != whole["ledger"]))
    yield Row("stop and go on", "replay", "bits that differ from the unbroken run", 0.0, float(differ), 0.0)
