"""Forcing read from files: each kind of file there is, exact where the field is known."""

from __future__ import annotations

import json
import os
from pathlib import Path

import forcing_files
import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.cli import main
from banquise.constants import EARTH_RATE
from banquise.errors import ForcingError
from banquise.forcing import Forcing, read_forcing
from banquise.projection import Projection

POLAR = Projection("EPSG:3413")  # x along 45 E: central meridian 45 W
START = "2024-03-01T00:00"
SCALE = forcing_files.SPIN * forcing_files.RADIUS * np.cos(np.radians(75))


def ring_of_places():
    """Places all around the pole, across both seams, near and at the pole."""
    turn = np.radians(np.concatenate([np.arange(0, 360, 7.5), [179.99, -179.99, 359.99, 0.0, -45.0, 135.0]]))
    radii = np.array([0.0, 3.0, 4e3, 55e3, 300e3, 900e3])
    return (radii[:, None] * np.cos(turn)).ravel(), (radii[:, None] * np.sin(turn)).ravel()


def exact_rotation(x, y):
    """The solid rotation about the pole on the map: eastward speed by latitude, counter-clockwise around the pole."""
    _, latitude = POLAR.to_lonlat(x, y)
    speed, radius = forcing_files.solid_rotation(latitude), np.maximum(np.hypot(x, y), 1e-300)
    return -speed * y / radius, speed * x / radius


@pytest.mark.parametrize("new", [False, True])
def test_solid_rotation_about_the_pole(tmp_path, new):
    flow = read_forcing(forcing_files.era5(tmp_path / "era5.nc", new=new)).on_map(POLAR, START)
    x, y = ring_of_places()
    u, v = flow.sample(x, y, 3 * 3600.0)
    eu, ev = exact_rotation(x, y)
    # linear interpolation over one degree of a field that bends over the radius: h^2/8 of the second derivative, and
    # near the pole the straight chord between meridians one degree apart
    bound = forcing_files.SPIN * forcing_files.RADIUS * np.radians(1.0) ** 2
    assert np.hypot(u - eu, v - ev).max() < bound
    centre = np.hypot(x, y) < 10
    assert np.hypot(u, v)[centre].max() < 1e-4 * SCALE  # nothing is left at the pole itself


def test_uniform_flow_over_the_pole_is_uniform_to_the_bit_of_the_angle(tmp_path):
    """East and north turn through all directions around the pole; on the map nothing may be seen of that."""

    def east(lon, lat, k):
        return forcing_files.uniform_flow(lon, 3.0, -45.0)[0]

    def north(lon, lat, k):
        return forcing_files.uniform_flow(lon, 3.0, -45.0)[1]

    for name, longitudes, latitudes in (
        ("to the pole", np.arange(0, 360, 5.0), np.arange(90, 70, -2.0)),
        ("cells beside it", np.arange(-177.5, 180, 5.0), np.arange(71, 90, 2.0)),
        ("seam twice", np.linspace(-180, 180, 73), np.arange(90, 70, -2.0)),
    ):
        data = forcing_files.lonlat(longitudes, latitudes, forcing_files.times(), east, north)
        data.to_netcdf(tmp_path / f"{name}.nc")
        flow = read_forcing(tmp_path / f"{name}.nc").on_map(POLAR, START)
        x, y = ring_of_places()
        u, v = flow.sample(x, y, 0.0)
        # the direction of north comes from a difference over 11 m of map coordinates of 1e6 m: 1e-10 m / 11 m
        np.testing.assert_allclose(u, u[0], atol=3e-9, err_msg=name)
        np.testing.assert_allclose(np.hypot(u, v), 3.0, rtol=3e-9, err_msg=name)


def test_interpolation_converges_at_second_order(tmp_path):
    errors = []
    for step in (4.0, 2.0, 1.0):
        flow = read_forcing(forcing_files.era5(tmp_path / f"{step}.nc", step=step)).on_map(POLAR, START)
        x, y = ring_of_places()
        far = np.hypot(x, y) > 50e3
        u, v = flow.sample(x[far], y[far], 0.0)
        eu, ev = exact_rotation(x[far], y[far])
        errors.append(np.sqrt(np.mean((u - eu) ** 2 + (v - ev) ** 2)))
    slope = np.polyfit(np.log([4, 2, 1]), np.log(errors), 1)[0]
    assert 1.7 < slope < 2.4


def test_linear_in_time_with_two_slices_and_one_ahead(tmp_path):
    east, north = (lambda lon, lat, k, i=i: forcing_files.uniform_flow(lon, float(k**2))[i] for i in (0, 1))
    path = forcing_files.era5(tmp_path / "f.nc", u=east, v=north, n=6)
    flow = read_forcing(path).on_map(Projection("EPSG:3995"), START)
    x = np.array([1e3, 2e5])
    for hours in (0.0, 1.5, 6.0, 7.0, 17.9, 18.0, 30.0, 3.0):
        k = min(int(hours // 6), 4)
        expected = k**2 + (hours / 6 - k) * (2 * k + 1)
        u, v = flow.sample(x, x, 3600 * hours)
        np.testing.assert_allclose(np.hypot(u, v), expected, rtol=1e-8)
        assert len(flow._slices) <= 2
    assert flow._ahead is not None and flow._ahead[0] == 2


def test_after_end(tmp_path):
    path = forcing_files.era5(tmp_path / "f.nc", u=lambda lon, lat, k: 1.0 + k + 0 * lat)
    end = 12 * 3600.0

    def speed(flow, t):
        return float(np.hypot(*flow.sample(np.array([1e5]), np.array([0.0]), t))[0])

    with pytest.raises(ForcingError, match="ends at 43200 s, the run needs 50000 s"):
        read_forcing(path).on_map(POLAR, START).check_cover(50000.0, "wind")
    hold = read_forcing(path, after_end="hold").on_map(POLAR, START)
    hold.check_cover(50000.0, "wind")
    assert speed(hold, 5 * end) == pytest.approx(3.0, rel=1e-8)
    repeat = read_forcing(path, after_end="repeat").on_map(POLAR, START)
    assert speed(repeat, end + 3600.0) == pytest.approx(speed(repeat, 3600.0), rel=1e-12)
    with pytest.raises(ForcingError, match="starts 86400 s after"):
        read_forcing(path).on_map(POLAR, "2024-02-29").check_cover(10.0, "wind")


def test_start_is_asked_for_and_map_is_asked_for(tmp_path):
    path = forcing_files.era5(tmp_path / "f.nc")
    with pytest.raises(ForcingError, match=r"say when the run starts.*2024-03-01T00:00:00"):
        read_forcing(path).on_map(POLAR, None)
    with pytest.raises(ForcingError, match=r"no map\. Say crs"):
        read_forcing(path).on_map(None, START)
    with pytest.raises(ForcingError, match="expected a date such as"):
        read_forcing(path).on_map(POLAR, "March")


def test_cover_in_space(tmp_path):
    path = forcing_files.era5(tmp_path / "f.nc", around=False)
    x, y = POLAR.to_map(-40.0, 80.0)
    near = (float(x) - 1e4, float(x) + 1e4, float(y) - 1e4, float(y) + 1e4)
    read_forcing(path).on_map(POLAR, START, near).check_cover(10.0, "wind")
    far = (-1e4, 1e4, 1e6, 1.1e6)
    with pytest.raises(ForcingError, match=r"does not reach .* N .* E, inside the run's area"):
        read_forcing(path).on_map(POLAR, START, far).check_cover(10.0, "wind")


def test_expver_halves_are_joined(tmp_path):
    data = forcing_files.lonlat(
        np.arange(0, 360, 10.0),
        np.arange(90, 70, -2.0),
        forcing_files.times(),
        lambda a, b, k: 2.0,
        lambda a, b, k: 0.0,
    )
    old = data.where(data.time < data.time[2])
    new = data.where(data.time >= data.time[2])
    xr.concat([old, new], "expver").assign_coords(expver=[1, 5]).transpose("time", "expver", ...).to_netcdf(
        tmp_path / "f.nc"
    )
    flow = read_forcing(tmp_path / "f.nc").on_map(POLAR, START)
    for t in (0.0, 11 * 3600.0):
        assert np.hypot(*flow.sample(np.array([5e5]), np.array([0.0]), t))[0] == pytest.approx(
            2.0, rel=5e-3
        )  # cos(5 deg)


def test_members_and_depths(tmp_path):
    data = forcing_files.lonlat(
        np.arange(0, 360, 10.0), np.arange(70, 90, 2.0), forcing_files.times(), lambda a, b, k: 1.0, lambda a, b, k: 0.0,
        names=("uo", "vo"), attrs=[{"standard_name": f"{d}ward_sea_water_velocity", "units": "m s-1"} for d in ("east", "north")],
    )  # fmt: skip
    deep = xr.concat([data, 3 * data], "depth").assign_coords(depth=[0.49, 50.0]).transpose("time", "depth", ...)
    deep.to_netcdf(tmp_path / "deep.nc")

    def speed(f):
        return float(np.hypot(*f.on_map(POLAR, START).sample(np.array([8e5]), np.array([0.0]), 0.0))[0])

    # interpolated along a chord of ten degrees of longitude: cos(5 degrees) at worst
    assert speed(read_forcing(tmp_path / "deep.nc", "current")) == pytest.approx(1.0, rel=5e-3)
    for depth in (40, -40):  # files count either way
        assert speed(read_forcing(tmp_path / "deep.nc", "current", depth=depth)) == pytest.approx(3.0, rel=5e-3)
    many = xr.concat([data, 3 * data], "number").assign_coords(number=[0, 1])
    many.to_netcdf(tmp_path / "many.nc")
    with pytest.raises(ForcingError, match="2 members"):
        read_forcing(tmp_path / "many.nc", "current")
    assert speed(read_forcing(tmp_path / "many.nc", "current", member=1)) == pytest.approx(3.0, rel=5e-3)


@pytest.mark.parametrize("unit", ["m", "km", "100 km"])
def test_polar_grid_in_the_same_map_is_used_as_it_is(tmp_path, unit):
    path = forcing_files.polar_grid(tmp_path / "topaz.nc", unit=unit)
    flow = read_forcing(path, "current").on_map(POLAR, START)
    x, y = np.array([1234.5, -4e5, 0.0]), np.array([-6e5, 5e4, -333.25])
    u, v = flow.sample(x, y, 3 * 3600.0)  # half way to twice the field
    np.testing.assert_allclose(u, 1.5e-6 * x, atol=1e-12)  # a linear field is bilinear: exact
    np.testing.assert_allclose(v, -3e-6 * y, atol=1e-12)


def test_polar_grid_on_another_map_turns_with_it(tmp_path):
    path = forcing_files.polar_grid(tmp_path / "topaz.nc")
    other = Projection("EPSG:3995")  # central meridian 0: turned by 45 degrees from 3413
    flow = read_forcing(path, "current").on_map(other, START)
    longitude, latitude = POLAR.to_lonlat(np.array([1e5]), np.array([-3e5]))
    u, v = flow.sample(*other.to_map(longitude, latitude), 0.0)
    expected = 0.1, 0.6
    c, s = np.cos(np.radians(45)), np.sin(np.radians(45))
    # 3995 has its x axis along 90 E, 3413 along 45 E: a vector (1, 0) of 3413 points at -45 degrees in 3995
    np.testing.assert_allclose(
        [u[0], v[0]], [c * expected[0] + s * expected[1], -s * expected[0] + c * expected[1]], rtol=1e-4
    )


def test_grid_without_mapping_stops_and_asks(tmp_path):
    path = forcing_files.polar_grid(tmp_path / "f.nc", mapped=False)
    with pytest.raises(ForcingError, match="grid_crs"):
        read_forcing(path, "current").on_map(POLAR, START)
    told = read_forcing(path, "current", grid_crs="EPSG:3413").on_map(POLAR, START)
    plane = read_forcing(path, "current").on_map(None, START)
    for flow in (told, plane):
        assert flow.sample(np.array([1e5]), np.array([0.0]), 0.0)[0][0] == pytest.approx(0.1)


def test_fill_values_declared_and_not(tmp_path):
    data = forcing_files.lonlat(
        np.arange(0, 360, 5.0), np.arange(70, 91, 1.0), forcing_files.times(), lambda a, b, k: 4.0, lambda a, b, k: 0.0
    )
    land = (data.longitude > 100) & (data.longitude < 140)
    x, y = POLAR.to_map(120.0, 75.0)
    x, y = np.array([float(x)]), np.array([float(y)])
    for name, value in (
        ("declared", np.nan),
        ("big", 1e20),
        ("negative", -1e14),
        ("nines", -9999.0),
        ("three", -999.0),
    ):
        data.where(~land, value).to_netcdf(tmp_path / f"{name}.nc")
        with pytest.raises(ForcingError, match=r"no value near .*fill = 'nearest'"):
            read_forcing(tmp_path / f"{name}.nc").on_map(POLAR, START).sample(x, y, 0.0)
        zero = read_forcing(tmp_path / f"{name}.nc", fill="zero").on_map(POLAR, START).sample(x, y, 0.0)
        assert zero[0][0] == 0.0 and zero[1][0] == 0.0
        near = read_forcing(tmp_path / f"{name}.nc", fill="nearest").on_map(POLAR, START).sample(x, y, 0.0)
        assert np.hypot(*near)[0] == pytest.approx(4.0, rel=2e-3)


def test_each_component_has_its_own_units(tmp_path):
    """u in m/s, v in cm/s: 3 and 4 m/s, 5 m/s wherever it is looked at."""
    data = forcing_files.lonlat(
        np.arange(0, 360, 5.0),
        np.arange(70, 91, 1.0),
        forcing_files.times(),
        lambda a, b, k: 3.0,
        lambda a, b, k: 400.0,
    )
    data.v10.attrs["units"] = "cm/s"
    data.to_netcdf(tmp_path / "mixed.nc")
    x, y = (np.array([float(c)]) for c in POLAR.to_map(20.0, 75.0))
    flow = read_forcing(tmp_path / "mixed.nc").on_map(POLAR, START).sample(x, y, 0.0)
    assert np.hypot(*flow)[0] == pytest.approx(5.0, rel=2e-3)  # chords of 5 degrees between meridians: 1 - cos(2.5)


def test_packed_integers_and_other_units(tmp_path):
    data = forcing_files.lonlat(
        np.arange(-180, 180, 10.0),
        np.arange(90, 70, -2.0),
        forcing_files.times(),
        lambda a, b, k: 7.0,
        lambda a, b, k: 0.0,
    )
    packed = {n: {"dtype": "i2", "scale_factor": 0.01, "add_offset": 5.0, "_FillValue": -32767} for n in ("u10", "v10")}
    data.to_netcdf(tmp_path / "packed.nc", encoding=packed)
    for n in ("u10", "v10"):
        data[n].attrs["units"] = "knots"
    data.to_netcdf(tmp_path / "knots.nc")
    for n in ("u10", "v10"):
        data[n].attrs["units"] = "furlong/fortnight"
    data.to_netcdf(tmp_path / "odd.nc")

    def at(name, **o):
        return float(
            np.hypot(
                *read_forcing(tmp_path / name, **o)
                .on_map(POLAR, START)
                .sample(*[np.array([float(c)]) for c in POLAR.to_map(30.0, 80.0)], 0.0)
            )[0]
        )

    assert at("packed.nc") == pytest.approx(7.0, abs=0.03)
    assert at("knots.nc") == pytest.approx(7 * 1852 / 3600, rel=5e-3)
    with pytest.raises(ForcingError, match="furlong"):
        read_forcing(tmp_path / "odd.nc")
    assert at("odd.nc", units="m/s") == pytest.approx(7.0, rel=5e-3)


@pytest.mark.parametrize("calendar", ["360_day", "noleap", "julian"])
def test_other_calendars(tmp_path, calendar):
    data = forcing_files.lonlat(
        np.arange(0, 360, 10.0),
        np.arange(70, 91, 2.0),
        np.arange(3),
        lambda a, b, k: 1.0 + k,
        lambda a, b, k: 0.0,
        names=("uas", "vas"),
    )
    data = data.assign_coords(
        time=("time", [58.0, 59.0, 60.0], {"units": "days since 2000-01-01", "calendar": calendar})
    )
    data.to_netcdf(tmp_path / "f.nc")
    # day 59 is 30 February in a year of 360 days, 1 March without leap years, 29 February in the Julian calendar
    start = {"360_day": "2000-02-30", "noleap": "2000-03-01", "julian": "2000-02-29"}[calendar]
    flow = read_forcing(tmp_path / "f.nc").on_map(POLAR, start)
    np.testing.assert_allclose(flow.seconds, [-86400, 0, 86400])


def test_concentration_in_percent_or_not(tmp_path):
    for name, value, unit in (("a", 80.0, "%"), ("b", 0.8, "1"), ("c", 0.8, "(0 - 1)")):
        data = forcing_files.lonlat(
            np.arange(0, 360, 10.0),
            np.arange(70, 91, 2.0),
            forcing_files.times(),
            lambda a, b, k, value=value: value,
            lambda a, b, k: 0.0,
            names=("siconc", "other"),
        )
        data["siconc"].attrs["units"] = unit
        data.to_netcdf(tmp_path / f"{name}.nc")
        field = read_forcing(tmp_path / f"{name}.nc", "concentration").on_map(POLAR, START)
        assert field.sample(np.array([1e5]), np.array([2e5]), 0.0)[0] == pytest.approx(0.8, rel=1e-12)


def test_months_and_components_in_separate_files(tmp_path):
    data = xr.open_dataset(forcing_files.era5(tmp_path / "whole.nc", n=4))
    data[["u10"]].isel(time=slice(0, 2)).to_netcdf(tmp_path / "u1.nc")
    data[["u10"]].isel(time=slice(2, 4)).to_netcdf(tmp_path / "u2.nc")
    data[["v10"]].to_netcdf(tmp_path / "v.nc")
    x, y = ring_of_places()
    whole = read_forcing(tmp_path / "whole.nc").on_map(POLAR, START).sample(x, y, 13 * 3600.0)
    apart = (
        read_forcing([tmp_path / f for f in ("u2.nc", "v.nc", "u1.nc")]).on_map(POLAR, START).sample(x, y, 13 * 3600.0)
    )
    np.testing.assert_array_equal(whole, apart)


def test_zarr(tmp_path):
    pytest.importorskip("zarr")
    data = xr.open_dataset(forcing_files.era5(tmp_path / "f.nc"))
    data.to_zarr(tmp_path / "f.zarr")
    x, y = ring_of_places()
    both = [read_forcing(tmp_path / n).on_map(POLAR, START).sample(x, y, 100.0) for n in ("f.nc", "f.zarr")]
    np.testing.assert_array_equal(both[0], both[1])


def test_one_place_serves_everywhere(tmp_path):
    data = forcing_files.lonlat([20.0], [80.0], forcing_files.times(), lambda a, b, k: 3.0 + k, lambda a, b, k: 1.0)
    data.to_netcdf(tmp_path / "f.nc")
    flow = read_forcing(tmp_path / "f.nc").on_map(POLAR, START)
    u, v = flow.sample(np.array([0.0, 7e5]), np.array([0.0, -3e5]), 3 * 3600.0)
    ex, ey = POLAR.east(20.0, 80.0)
    np.testing.assert_allclose(u, 3.5 * ex - ey, rtol=1e-12)
    np.testing.assert_allclose(v, 3.5 * ey + ex, rtol=1e-12)


def test_names_standard_first_then_name_then_yours(tmp_path):
    data = forcing_files.lonlat(
        np.arange(0, 360, 10.0),
        np.arange(70, 91, 2.0),
        forcing_files.times(),
        lambda a, b, k: 1.0,
        lambda a, b, k: 0.0,
        names=("a", "b"),
    )
    data.to_netcdf(tmp_path / "nameless.nc")
    with pytest.raises(ForcingError, match="no wind recognised among the variables a, b"):
        read_forcing(tmp_path / "nameless.nc")
    assert read_forcing(tmp_path / "nameless.nc", variables=["a", "b"]).source.found.because == "your choice"
    data["a"].attrs["standard_name"], data["b"].attrs["standard_name"] = "eastward_wind", "northward_wind"
    data["u10"], data["v10"] = data["a"] * 2, data["b"].copy()
    data["u10"].attrs, data["v10"].attrs = {}, {}
    data.to_netcdf(tmp_path / "both.nc")
    assert read_forcing(tmp_path / "both.nc").source.found.variables == ("a", "b")
    # a barotropic water velocity is no ice drift, whatever the variable is called
    data["usi"], data["vsi"] = data["a"], data["b"]
    data["usi"].attrs["standard_name"], data["vsi"].attrs["standard_name"] = (
        "barotropic_eastward_sea_water_velocity",
        "barotropic_northward_sea_water_velocity",
    )
    data.to_netcdf(tmp_path / "water.nc")
    with pytest.raises(ForcingError, match="no ice_drift"):
        read_forcing(tmp_path / "water.nc", "ice_drift")


def test_inspect_prints_the_mapping(tmp_path, capsys):
    path = forcing_files.era5(tmp_path / "f.nc", new=True)
    assert main(["inspect", str(path)]) == 0
    text = capsys.readouterr().out
    assert "wind <- u10, v10 (by name, east/north)" in text and "2024-03-01T00:00:00 to 2024-03-01T12:00:00" in text
    assert main(["inspect", str(path), "--json"]) == 0
    assert "wind" in json.loads(capsys.readouterr().out)


# ---------------------------------------------------------------- runs


def case_text(wind: str, until="2 h") -> str:
    x, y = (float(c) for c in POLAR.to_map(20.0, 82.0))
    return f"""
crs = "EPSG:3413"
[scene]
[[scene.floes]]
centre = [{x}, {y}]
radius = 50.0
[[scene.floes]]
centre = [{x + 5000}, {y}]
radius = 500.0
[forcing]
current = [0.0, 0.0]
[forcing.wind]
{wind}
[run]
until = "{until}"
start = "2024-03-01T00:00"
"""


def test_case_file_with_era5(tmp_path, capsys):
    forcing_files.era5(tmp_path / "era5.nc", u=lambda lon, lat, k: 10.0 + 0 * lat)
    (tmp_path / "case.toml").write_text(case_text('file = "era5.nc"'))
    assert main(["check", str(tmp_path / "case.toml")]) == 0
    assert "scale error" in capsys.readouterr().out
    case = bq.load_case(tmp_path / "case.toml")
    run = case.run()
    assert run.case["forcing_files"]
    ex, ey = POLAR.east(20.0, 82.0)
    last = run.dataset.isel(time=-1)
    # no contact, still water, steady wind: the drift turns to the right of it, less than 90 degrees
    along = last.u * float(ex) + last.v * float(ey)
    across = -last.u * float(ey) + last.v * float(ex)
    assert (along > 0.05).all() and (across < 0).all()
    bq.save_case(case, tmp_path / "again.toml")
    again = bq.load_case(tmp_path / "again.toml").run()
    np.testing.assert_array_equal(again.dataset.u.values, run.dataset.u.values)
    (tmp_path / "long.toml").write_text(case_text('file = "era5.nc"', "13 h"))
    assert main(["run", str(tmp_path / "long.toml")]) == 2
    assert "wind ends at 43200 s, the run needs 46800 s" in capsys.readouterr().err


def test_grid_kernel_agrees_with_a_function_of_the_same_field(tmp_path):
    """A field linear in x and y is exact on the lattice: the run must be that of the plain function."""
    path = forcing_files.polar_grid(tmp_path / "f.nc", mapped=False, unit="m")
    floes = [bq.Disc((3e4 * k, -4e5 + 1e4 * k), 100.0 * (k + 1)) for k in range(5)] + [bq.Disc((0.0, -5.005e5), 30e3)]

    def scale(t):
        return 1 + t / (6 * 3600.0)

    def function(x, y, t):
        return (1e-6 * x * scale(t), -2e-6 * y * scale(t))

    runs = []
    for current in (bq.read_forcing(path, "current"), function):
        sim = bq.Simulation(
            bq.Scene(floes), Forcing(current=current, wind=(5.0, 1.0)), start=START, scheme=bq.EventDriven(max_step=60)
        )
        runs.append(sim.run(until="1 h", every="10 min"))
    for name in ("x", "y", "u", "v", "spin"):
        np.testing.assert_allclose(runs[0].dataset[name], runs[1].dataset[name], rtol=1e-9, atol=1e-13)


def test_f_from_the_local_latitude():
    """Inertial circles at 60 and 89 north close in half a pendulum day of their own latitude."""
    places = [POLAR.to_map(0.0, 60.0), POLAR.to_map(10.0, 89.0)]
    sim = bq.Simulation(
        bq.Scene([bq.Disc((float(x), float(y)), 10.0, velocity=(0.1, 0.0)) for x, y in places]),
        Forcing(),
        crs="EPSG:3413",
    )
    f = sim.forcing.coriolis_of(sim.bodies)
    exact = 2 * EARTH_RATE * np.sin(np.radians([60.0, 89.0]))
    np.testing.assert_allclose(f, exact, rtol=2e-7)  # linear on a lattice of 5 km: h^2 / 4 R^2 of f
    run = sim.run(until="1 h", every="1 h")
    turn = np.angle(run.dataset.u[-1] + 1j * run.dataset.v[-1])
    np.testing.assert_allclose(turn, -exact * 3600, rtol=3e-5)  # it drifts 360 m: half of that in f at 60 N is 1.6e-5


# ---------------------------------------------------------------- the MAT series


def mat_file() -> Path:
    data = Path(os.environ.get("BANQUISE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
    path = data / "barents_forcing_2008_02.mat"
    if not path.exists():
        pytest.skip("real data not here: set BANQUISE_DATA to the folder that holds barents_forcing_2008_02.mat")
    return path


def test_mat_series_with_a_start_hour():
    from scipy.io import loadmat

    path = mat_file()
    raw = loadmat(path, squeeze_me=True)
    series = read_forcing(path, "wind", start_hour=100)
    for hour in (0, 1, 17, 595):
        assert series.at(3600.0 * hour) == (raw["var03"][100 + hour], raw["var04"][100 + hour])
    series.check_cover(595 * 3600.0, "wind")
    with pytest.raises(ForcingError, match="ends at"):
        series.check_cover(596 * 3600.0, "wind")
    with pytest.raises(ForcingError, match="start_hour is 700"):
        read_forcing(path, "wind", start_hour=700)
    turned = series.on_map(POLAR, None, (0.0, 0.0, -1e6, -1e6))  # on 45 W east is along x
    assert turned.at(0.0) == pytest.approx(series.at(0.0), rel=1e-9)


def test_mat_series_in_a_case(tmp_path, capsys):
    path = mat_file()
    text = case_text(f'file = "{path}"\nstart_hour = 24').replace('crs = "EPSG:3413"', "")
    (tmp_path / "case.toml").write_text(text)
    case = bq.load_case(tmp_path / "case.toml")
    run = case.run(until="1 h")
    assert float(run.ledger.work_wind[-1]) > 0
    assert main(["inspect", str(path)]) == 0
    assert "wind <- uwind, vwind" in capsys.readouterr().out


@pytest.mark.slow
def test_stop_and_go_on_with_a_file(tmp_path, monkeypatch):
    """The forcing file comes back by itself, from any folder; another file under its name is refused."""
    from banquise.errors import RunFileError

    forcing_files.era5(tmp_path / "era5.nc")
    (tmp_path / "case.toml").write_text(case_text('file = "era5.nc"'))
    case = bq.load_case(tmp_path / "case.toml")
    monkeypatch.chdir(tmp_path)
    case.run(output="run.nc", until="30 min", every="10 min")
    monkeypatch.chdir("/")
    run = bq.resume(tmp_path / "run.nc", until="1 h")
    whole = case.run(output=None, until="1 h", every="10 min")
    np.testing.assert_array_equal(run.dataset.u.values, whole.dataset.u.values)
    np.testing.assert_array_equal(run.dataset.lat.values, whole.dataset.lat.values)
    (tmp_path / "era5.nc").unlink()
    with pytest.raises(ForcingError, match="no such forcing file"):
        bq.resume(tmp_path / "run.nc", until="2 h")
    forcing_files.era5(tmp_path / "era5.nc", step=2.0)
    with pytest.raises(RunFileError, match="not the one the run began with"):
        bq.resume(tmp_path / "run.nc", until="2 h")


def test_mat_series_of_hours_of_the_day(tmp_path):
    """A made series: the hour starts again at midnight, the series goes on."""
    from scipy.io import savemat

    n = 60
    names = np.array(["made.nc", "hour", "Lat", "uwind", "vwind"], dtype=object)
    columns = {"var01": np.arange(n) % 24, "var02": 80.0, "var03": np.arange(n) * 1.0, "var04": -np.arange(n) * 2.0}
    savemat(tmp_path / "made.mat", {"varargin": names, **columns})
    series = read_forcing(tmp_path / "made.mat", "wind", start_hour=30)
    assert series.at(0.0) == (30.0, -60.0) and series.at(1800.0 * 5) == (32.5, -65.0)
    series.check_cover(29 * 3600.0, "wind")
    with pytest.raises(ForcingError, match="no uoce, voce among"):
        read_forcing(tmp_path / "made.mat", "current")


@pytest.mark.parametrize("calendar", ["standard", "360_day"])
def test_a_gap_in_time_is_told(tmp_path, capsys, calendar):
    """Slices six hours apart of which one is not there: time is linear over the gap, as anywhere, but it is said."""
    with xr.open_dataset(forcing_files.era5(tmp_path / "era5.nc", n=6)) as data:
        step = (data.time[1] - data.time[0]) / np.timedelta64(1, "h")
        whole = data.load()
    if calendar != "standard":
        whole = whole.convert_calendar(calendar, align_on="date")
    whole.isel(time=[0, 1, 2, 4, 5]).to_netcdf(tmp_path / "gap.nc")
    whole.to_netcdf(tmp_path / "whole.nc")
    assert read_forcing(tmp_path / "whole.nc").source.gap() is None
    said = f"longest step {2 * float(step):g} h, from "
    assert said in read_forcing(tmp_path / "gap.nc").source.gap()
    assert main(["inspect", str(tmp_path / "gap.nc")]) == 0 and said in capsys.readouterr().out
    x, y = (float(c) for c in POLAR.to_map(20.0, 82.0))
    case = f'crs = "EPSG:3413"\n[[scene.floes]]\ncentre = [{x}, {y}]\nradius = 50\n[forcing]\nwind = "gap.nc"\n'
    (tmp_path / "case.toml").write_text(case + f'[run]\nstart = "{START}"\nuntil = "1 h"\n')
    assert main(["check", str(tmp_path / "case.toml")]) == 0 and f"note: wind: {said}" in capsys.readouterr().out


def test_places_of_every_node_are_said_to_be_a_curvilinear_grid(tmp_path):
    lat, lon = np.meshgrid(np.linspace(80, 82, 4), np.linspace(0, 5, 3), indexing="ij")
    fields = {name: (("y", "x"), 0 * lat, {"units": "m/s"}) for name in ("u10", "v10")}
    xr.Dataset(fields, {"lat": (("y", "x"), lat), "lon": (("y", "x"), lon)}).to_netcdf(tmp_path / "curved.nc")
    with pytest.raises(ForcingError, match=r"lat and lon give the place of each node.*put on a regular one first"):
        read_forcing(tmp_path / "curved.nc")


def test_a_member_of_a_file_without_members(tmp_path):
    path = forcing_files.era5(tmp_path / "era5.nc")
    with pytest.raises(ForcingError, match="member is 3, but the file has no members"):
        read_forcing(path, member=3)


def test_an_empty_slice_is_not_taken_for_land(tmp_path):
    path = forcing_files.era5(tmp_path / "era5.nc")
    with xr.open_dataset(path) as data:
        spoiled = data.load().copy(deep=True)
    spoiled["u10"][1] = np.nan
    spoiled.to_netcdf(tmp_path / "empty.nc")
    flow = read_forcing(tmp_path / "empty.nc", fill="nearest").on_map(POLAR, START)
    with pytest.raises(ForcingError, match="slice of that time is empty"):
        flow.sample(np.array([1e5]), np.array([1e5]), 6 * 3600.0)
