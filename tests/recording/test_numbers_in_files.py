"""Run files changed by other hands and opened without their checksum: ids and counts that are NaN are a sentence."""

import shutil

import netCDF4
import numpy as np
import pytest

import banquise as bq
from banquise.errors import RunFileError
from banquise.scenes.blocks import tower

SQUARE = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], float)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A run of floes with impacts, contacts and obstacles, and one of blocks."""
    folder = tmp_path_factory.mktemp("good")
    floes = [bq.Floe(SQUARE, velocity=(1, 0)), bq.Floe(SQUARE + (10.5, 0))]
    scene = bq.Scene(floes, [bq.Obstacle(SQUARE + (40, 0))])
    bq.Simulation(scene, bq.Forcing(wind=(10, 0))).run(4.0, 1.0, output=folder / "floes.nc", contacts=True)
    falling = tower(1).blocks[1].moved(velocity=(0, 0, -1))
    pair = bq.Scene(blocks=[tower(1).blocks[0], falling])
    blocks = bq.Simulation(pair, bq.Forcing(gravity=(0, 0, -9.81)), scheme=bq.TimeStepping(0.01))
    blocks.run(0.1, 0.05, output=folder / "blocks.nc")
    return folder


NUMBERS = {
    "floes": [
        "time", "events/floe_a", "events/floe_b", "contacts/floe_a", "loads/force_x", "ledger/collisions", "ledger/steps",
        "shapes/obstacle", "shapes/parent", "shapes/area", "shapes/ring_body", "shapes/part_node_count",
    ],
    "blocks": [
        "time", "ledger/contacts", "ledger/unsolved", "loads/force_z", "events/block_b", "shapes/fixed", "shapes/vertex_count",
        "shapes/triangle", "shapes/part_body", "shapes/part_corner_count", "shapes/part_triangle",
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind,name", [(kind, name) for kind, names in NUMBERS.items() for name in names])
@pytest.mark.parametrize("whole", [False, True])
def test_numbers_that_are_nan(kind, name, whole, good, tmp_path):
    path = tmp_path / "bad.nc"
    shutil.copy(good / f"{kind}.nc", path)
    with netCDF4.Dataset(path, "a") as data:
        column = data[name]
        values = np.ma.filled(column[...])
        if column.dtype.kind == "f":
            values[... if whole else (0,) * values.ndim] = np.nan
            column[...] = values
        else:  # whole numbers read as NaN where they are said to be missing
            column.setncattr("missing_value", values.flat[0])
            if whole:
                column[...] = np.full_like(values, values.flat[0])
    with pytest.raises(RunFileError, match="bad.nc") as told:
        bq.open_run(path, check=False)
    assert "\n" not in str(told.value) and "damaged" in str(told.value)
