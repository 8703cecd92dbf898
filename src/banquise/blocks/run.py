"""What a simulation of blocks recorded, and the NetCDF file that keeps it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import RunFileError
from banquise.recording.ledger import LONG_NAMES
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.scene import Scene

if TYPE_CHECKING:
    import xarray as xr

STATE = {
    "x": "m", "y": "m", "z": "m", "qw": "1", "qx": "1", "qy": "1", "qz": "1",
    "u": "m s-1", "v": "m s-1", "w": "m s-1", "spin_x": "rad s-1", "spin_y": "rad s-1", "spin_z": "rad s-1",
}  # fmt: skip
LOADS = {"force_x": "N", "force_y": "N", "force_z": "N", "torque_x": "N m", "torque_y": "N m", "torque_z": "N m"}


class BlockRun:
    """`dataset` (time, block), `ledger` (time), `loads` on fixed blocks (time, block), `scene` at the end."""

    def __init__(self, records: dict[str, Any], blocks: Sequence[Polyhedron], case: dict[str, Any]):
        self.records = records
        self.blocks = tuple(blocks)
        self.case = case
        self.checkpoint: dict[str, Any] = {}

    @cached_property
    def dataset(self) -> xr.Dataset:
        """x, y, z (centre of mass), qw..qz, u, v, w, spin_x..spin_z on (time, block); time in s."""
        return self._on_blocks(np.array(self.records["state"]), STATE)

    @cached_property
    def loads(self) -> xr.Dataset:
        """Mean force and torque (about its centre) on each fixed block over the record interval; 0 on the others."""
        return self._on_blocks(np.array(self.records["loads"]), LOADS)

    def _on_blocks(self, values: Any, units: dict[str, str]) -> xr.Dataset:
        import xarray as xr

        columns = {
            name: (("time", "block"), values[:, :, k], {"units": unit}) for k, (name, unit) in enumerate(units.items())
        }
        coords = {"time": ("time", np.array(self.records["time"]), {"units": "s"}), "block": np.arange(values.shape[1])}
        return xr.Dataset(columns, coords, attrs={"title": self.case.get("title", "")})

    @cached_property
    def ledger(self) -> xr.Dataset:
        """Energy, work, overlap, contacts and residuals on time."""
        import xarray as xr

        rows = self.records["ledger"]
        columns = {
            name: ("time", np.array([row[name] for row in rows]), {"units": units, "long_name": text})
            for name, (units, text) in LONG_NAMES.items()
        }
        return xr.Dataset(columns, {"time": self.dataset["time"]})

    @property
    def profile(self) -> dict[str, Any]:
        """Seconds of wall time."""
        return dict(self.case.get("profile", {}))

    @cached_property
    def scene(self) -> Scene:
        """The scene as it stands at the end."""
        state = self.records["state"][-1]
        blocks = []
        for block, row in zip(self.blocks, state):
            placed = block.moved(orientation=row[3:7], velocity=row[7:10], spin=row[10:13])
            blocks.append(placed.moved(position=row[:3] - placed.rotation @ block.solid.mass.centre))
        return Scene(blocks=blocks)

    def save(self, path: str | Path) -> None:
        """Write the run file: state at the root, groups loads, ledger, shapes, case and checkpoint."""
        import xarray as xr

        path = Path(path)
        temporary = path.with_name(path.name + ".tmp")
        root = self.dataset.copy()
        root.attrs |= {"Conventions": "CF-1.11", "source": "Banquise", "case": json.dumps(self.case)}
        counts = [(len(b.vertices), len(b.faces)) for b in self.blocks]
        shapes = xr.Dataset(
            {
                "vertex_count": ("block", [c[0] for c in counts]),
                "face_count": ("block", [c[1] for c in counts]),
                "vertex": (("vertex_row", "axis"), np.vstack([b.vertices - b.solid.mass.centre for b in self.blocks])),
                "face": (("face_row", "corner"), np.vstack([b.faces for b in self.blocks]).reshape(-1, 3)),
                "radius": ("block", [b.radius for b in self.blocks]),
                "density": ("block", [b.density for b in self.blocks]),
                "fixed": ("block", np.array([b.fixed for b in self.blocks], dtype=np.int8)),
            },
            attrs={
                "comment": "vertices from the centre of mass, body axes: x, y, z and qw..qz of the state place them"
            },
        )
        kept = xr.Dataset(
            {
                key: (tuple(f"{key}_{k}" for k in range(np.ndim(value))), np.asarray(value, dtype=_plain(value)))
                for key, value in self.checkpoint.items()
            }
        )
        try:
            root.to_netcdf(temporary, mode="w", engine="netcdf4")
            for group, data in (
                ("loads", self.loads), ("ledger", self.ledger), ("shapes", shapes), ("checkpoint", kept)
            ):  # fmt: skip
                data.to_netcdf(temporary, mode="a", group=group, engine="netcdf4")
            os.replace(temporary, path)
        except OSError as problem:
            temporary.unlink(missing_ok=True)
            raise RunFileError(f"output {path}: cannot write ({problem.strerror or problem}).") from None

    @classmethod
    def open(cls, path: str | Path, blocks: Sequence[Polyhedron] | None = None) -> BlockRun:
        """Read a run file of blocks; `blocks` spares making their shapes again."""
        import xarray as xr

        try:
            parts = {
                group: xr.load_dataset(path, group=group or None, engine="netcdf4", decode_times=False)
                for group in ("", "loads", "ledger", "shapes", "checkpoint")
            }
            root, ledger = parts[""], parts["ledger"]
            records = {
                "time": list(root["time"].values),
                "state": list(np.stack([root[name].values for name in STATE], axis=2)),
                "loads": list(np.stack([parts["loads"][name].values for name in LOADS], axis=2)),
                "ledger": [{n: float(ledger[n][k]) for n in ledger.data_vars} for k in range(root.sizes["time"])],
            }
            made = blocks if blocks is not None else _blocks_from(parts["shapes"])
            run = cls(records, made, json.loads(root.attrs["case"]))
            run.checkpoint = {str(key): value.values for key, value in parts["checkpoint"].items()}
        except (OSError, KeyError, ValueError) as problem:
            raise RunFileError(f"{path}: not a run file of blocks, or a damaged one ({problem}).") from None
        return run

    def __repr__(self) -> str:
        d, ledger = self.dataset, self.ledger
        return (
            f"Run: {d.sizes['block']:,} blocks, {d.sizes['time']:,} records to {float(d.time[-1]):g} s\n"
            f"├── energy    {float(ledger.kinetic_energy[-1]):.4g} J kinetic, balance {float(ledger.balance[-1]):.2g} J\n"
            f"└── contacts  {int(ledger.contacts[-1]):,} at the end, {int(ledger.unsolved.sum())} unsolved, "
            f"largest overlap {float(ledger.max_overlap.max()):.2g} m"
        )


def _plain(value: Any) -> Any:
    """NetCDF has no booleans."""
    kind = np.asarray(value).dtype
    return np.int8 if kind.kind == "b" else kind


def _blocks_from(shapes: xr.Dataset) -> list[Polyhedron]:
    """Blocks of stored shapes; a concave skin comes back without its parts."""
    first = np.concatenate([[0], np.cumsum(shapes["vertex_count"].values)])
    faces = np.concatenate([[0], np.cumsum(shapes["face_count"].values)])
    made = []
    for k in range(shapes.sizes["block"]):
        vertices = shapes["vertex"].values[first[k] : first[k + 1]]
        skin = shapes["face"].values[faces[k] : faces[k + 1]]
        options: dict[str, Any] = {
            "density": float(shapes["density"][k]), "radius": float(shapes["radius"][k]), "fixed": bool(shapes["fixed"][k])
        }  # fmt: skip
        made.append(Polyhedron(vertices, skin if len(skin) and not options["radius"] else None, **options))
    return made
