"""NetCDF-4 files whose contents are spoiled: a variable, dimension, group or attribute renamed, retyped, refilled.

Chance bytes within HDF5 test its library more than us: they are tried in a process of their own, which may die of it.
"""

import contextlib
import itertools
import os
import shutil
import signal
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import banquise as bq
from banquise.forcing.readers import open_source
from banquise.recording.sealed import seal, sealed_length
from banquise.scenes.blocks import tower
from banquise.view.kinds import KINDS, kind_at, open_any
from fuzz.damage import EDITS, LEAVES, ROUNDS, only_sentences, rounds, spoiled
from fuzz.test_files import scene, small_forcing

NAMES = itertools.count()
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["fill", "fill", "some", "shuffle", "variable", "dimension", "group", "attribute", "forget", "type"]),
        st.integers(0, 10**6),
        LEAVES,
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip


def every(data):
    """A group and all below it."""
    yield data
    for group in data.groups.values():
        yield from every(group)


def change(data, kind, k, value):
    """One change to an open file, wherever `k` points; what netCDF itself refuses is left as it was."""
    groups = list(every(data))
    variables = [v for g in groups for v in g.variables.values()]
    holder = (*groups, *variables)[k % (len(groups) + len(variables))]
    if kind in ("fill", "some", "shuffle"):
        column = variables[k % len(variables)]
        if kind == "fill":
            column[...] = value
        elif kind == "some" and column.size:
            flat = np.array(column[...]).ravel()
            flat[k % flat.size] = value
            column[...] = flat.reshape(column.shape)
        elif column.ndim:
            column[...] = np.array(column[...])[::-1]
    elif kind in ("variable", "dimension", "group"):
        group = groups[k % len(groups)]
        names = list(getattr(group, f"{kind}s"))
        if names:
            rename = getattr(group, f"rename{kind.capitalize()}")
            rename(names[k % len(names)], str(value)[:8] or "x")
    elif holder.ncattrs():
        name = holder.ncattrs()[k % len(holder.ncattrs())]
        if kind == "forget":
            holder.delncattr(name)
        else:
            holder.setncattr(name, "" if value is None else np.int64(value) if isinstance(value, bool) else value)


def spoil(path, changes):
    """Change a file in place, and seal it again if it was sealed; whether the library could write what was changed."""
    length = sealed_length(path)
    if length is not None:
        os.truncate(path, length)
    refusals = (RuntimeError, ValueError, TypeError, OverflowError, AttributeError, IndexError, KeyError)
    try:
        with netCDF4.Dataset(path, "a") as data:
            for one in changes:
                with contextlib.suppress(*refusals):
                    change(data, *one)
    except RuntimeError:  # some changes fail as the file is closed, such as a dimension with the name of a variable
        return False
    if length is not None:
        seal(path)
    return True


def floe_run(path):
    bq.Simulation(scene(), bq.Forcing(wind=(10, 0), current=(0, 0))).run(2.0, 1.0, output=path)


def block_run(path):
    blocks = bq.Simulation(tower(1), bq.Forcing(gravity=(0, 0, -9.81)), scheme=bq.TimeStepping(0.01))
    blocks.run(0.1, 0.05, output=path)


def glacier_run(path):
    glacier = bq.glacier.Glacier(
        length=1000.0, block=250.0, thickness=400.0, slope=1.0, friction=bq.glacier.Weertman(1e7)
    )
    glacier.run(bq.glacier.Iceberg(height=400.0, aspect=0.3), until=2.0, step=0.1).to_netcdf(path)


def show(path):
    """All that the commands make of a run file."""
    run = open_any(path)
    repr(run)
    if ROUNDS:  # half a second a file
        KINDS[kind_at(path) or "floes"].get("pack")(run, None)


def wind(path):
    open_source([path], "wind").describe()


FILES = {
    "run of floes": (floe_run, show),
    "run of blocks": (block_run, show),
    "run of a glacier": (glacier_run, show),
    "forcing": (lambda path: small_forcing().to_netcdf(path, engine="netcdf4"), wind),
}


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A good file of each kind, made when asked for."""
    folder = tmp_path_factory.mktemp("good")

    def made(kind):
        path = folder / f"{kind}.nc"
        if not path.exists():
            FILES[kind][0](path)
            FILES[kind][1](path)
        return path

    return made


@pytest.mark.parametrize("kind", FILES)
@rounds(6)
@given(changes=CHANGES)
def test_spoiled_contents(kind, changes, good, tmp_path):
    bad = tmp_path / f"{next(NAMES)}.nc"  # another name each time: netCDF may still hold the one before
    shutil.copy(good(kind), bad)
    assume(spoil(bad, changes))
    only_sentences(lambda: FILES[kind][1](bad))
    bad.unlink()


def _in_a_process_of_its_own(work) -> int:
    """0 if `work()` ends well, 1 if it raises; minus the signal where the library takes the process down."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            work()
            os._exit(0)
        except BaseException as problem:
            print(repr(problem)[:500], file=sys.__stderr__)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be split")
@pytest.mark.skipif(not ROUNDS, reason="chance bytes: `make fuzz`")
@pytest.mark.parametrize("kind", ["forcing", "run of a glacier"])
@rounds(12)
@given(edits=EDITS)
def test_spoiled_bytes_of_hdf5(kind, edits, good, tmp_path):
    bad = tmp_path / "bad.nc"
    bad.write_bytes(spoiled(Path(good(kind)).read_bytes(), edits))
    assert _in_a_process_of_its_own(lambda: only_sentences(lambda: FILES[kind][1](bad))) <= 0
