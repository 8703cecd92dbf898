"""What a simulation of blocks recorded; `bq.open_run` reads it back from its file or from the pieces of a stopped run."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.given import counted, path_of
from banquise.recording.block_file import EVENTS, KINDS, LOADS, STATE, on_blocks, read_block_file, write_block_run
from banquise.recording.block_shapes import blocks_from
from banquise.recording.recorder import check_place
from banquise.recording.run_file import open_run
from banquise.recording.write_run import ledger_table
from banquise.scene.scene import Scene

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


class BlockRun:
    """`dataset` (time, block), `ledger` (time), `events` (a table, one row an impact), `loads` on fixed blocks (time, block),
    `shapes`, `scene` at the end."""

    kind = "blocks"

    def __init__(self, records: dict[str, Any], shapes: xr.Dataset, case: dict[str, Any], path: Path | None = None):
        self.records = records
        self.shapes = shapes
        self.case = case
        self.path = path

    @cached_property
    def dataset(self) -> xr.Dataset:
        """x, y, z (centre of mass), qw..qz, u, v, w, spin_x..spin_z, contact_force on (time, block); time in s."""
        found = self._on_time(on_blocks(np.swapaxes(self.records["state"], 1, 2), STATE))
        return found.assign_attrs(title=self.case.get("title", "Banquise run"))

    @cached_property
    def loads(self) -> xr.Dataset:
        """Mean force and torque (about its centre) on each fixed block over the record interval; 0 on the others."""
        return self._on_time(on_blocks(self.records["loads"], LOADS))

    @cached_property
    def events(self) -> pd.DataFrame:
        """One row an impact of two blocks, block_a < block_b: place, impulses and energy lost; contacts that last have none."""
        import pandas as pd

        table = pd.DataFrame(self.records["events"], columns=list(EVENTS))
        table["kind"] = np.array(KINDS)[table["kind"].to_numpy(dtype=int)]
        for name in ("block_a", "block_b"):
            table[name] = table[name].astype(int)
        return table

    @cached_property
    def ledger(self) -> xr.Dataset:
        """Energy, work, overlap, contacts and residuals on time."""
        return ledger_table(self.records).assign_coords(time=self.dataset["time"])

    def _on_time(self, data: xr.Dataset) -> xr.Dataset:
        time = ("time", self.records["time"], {"long_name": "time from the start of the run", "units": "s"})
        block = ("block", np.arange(data.sizes["block"]), {"long_name": "block id", "cf_role": "trajectory_id"})
        return data.assign_coords(time=time, block=block)

    @property
    def bodies(self) -> int:
        """How many blocks there are."""
        return int(self.records["state"].shape[2])

    @property
    def profile(self) -> dict[str, Any]:
        """Seconds of wall time."""
        return dict(self.case.get("profile", {}))

    @cached_property
    def scene(self) -> Scene:
        """The scene as it stands at the end."""
        state = self.records["state"][-1].T
        return Scene(
            blocks=[
                block.moved(position=row[:3], orientation=row[3:7], velocity=row[7:10], spin=row[10:13])
                for block, row in zip(blocks_from(self.shapes), state)
            ]
        )

    def save(self, path: str | Path) -> None:
        """Write the run file; without a checkpoint, which only a run with an output keeps."""
        path = path_of(path, "run file")
        check_place(path)
        write_block_run(path, iter([self.records]), self.shapes, self.case)
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> BlockRun:
        """Read a run file of blocks, whole or in pieces."""
        found: BlockRun = open_run(path)  # type: ignore[assignment]
        return found

    def _repr_html_(self) -> str:
        return import_module("banquise.view.reprs").run_html(self)

    def __repr__(self) -> str:
        d, ledger = self.dataset, self.ledger
        where = f" {self.path}" if self.path else ""
        return (
            f"Run{where}: {counted(d.sizes['block'], 'block')}, {counted(d.sizes['time'], 'record')} to {float(d.time[-1]):g} s\n"
            f"├── energy    {float(ledger.kinetic_energy[-1]):.4g} J kinetic, balance {float(ledger.balance[-1]):.2g} J\n"
            f"└── contacts  {int(ledger.contacts[-1]):,} at the end, {counted(len(self.events), 'impact')}, "
            f"{int(ledger.unsolved.sum())} unsolved, largest overlap {float(ledger.max_overlap.max()):.2g} m"
        )


def read_run(path: Path) -> BlockRun:
    """The run in a finished file of blocks."""
    return BlockRun(*read_block_file(path), path)
