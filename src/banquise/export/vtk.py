"""VTK XML by hand: a .vtp file of triangles a record, and a .pvd that strings them in time. ParaView opens the .pvd."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.export.outlines import moved, polygons, state_at
from banquise.recording.run_file import Run

Array = NDArray[np.float64]
_TYPES = {"f8": "Float64", "i8": "Int64"}


class _Mesh:
    """Points and triangles of all floes, in their own frames; floe k has the points start[k]:start[k + 1]."""

    def __init__(self, run: Run):
        points, triangles, self.point_start, self.triangle_start = [], [], [0], [0]
        for shape in polygons(run):
            # triangles between the outline's own points: concave floes and holes are then no matter for the viewer
            parts = shapely.get_parts(shapely.constrained_delaunay_triangles(shape))
            corners = shapely.get_coordinates(parts).reshape(-1, 4, 2)[:, :3].reshape(-1, 2)
            own, index = np.unique(corners, axis=0, return_inverse=True)
            points.append(own)
            triangles.append(index.reshape(-1, 3))
            self.point_start.append(self.point_start[-1] + len(own))
            self.triangle_start.append(self.triangle_start[-1] + len(triangles[-1]))
        self.points = np.concatenate(points) if points else np.empty((0, 2))
        self.triangles = np.concatenate(triangles) if triangles else np.empty((0, 3), dtype=np.int64)

    def at(self, there: NDArray[np.int64], state: Array) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
        """Points (p, 3) on the map, triangles (q, 3), and the column of `there` each triangle belongs to."""
        start, stop = np.array(self.point_start), np.array(self.triangle_start)
        n_points, n_triangles = np.diff(start)[there], np.diff(stop)[there]
        point_rows = _ranges(start[there], n_points)
        triangle_rows = _ranges(stop[there], n_triangles)
        column = np.repeat(np.arange(len(there)), n_points)
        flat = moved(self.points[point_rows], column, state)
        first = np.concatenate([[0], np.cumsum(n_points)])[:-1]
        owner = np.repeat(np.arange(len(there)), n_triangles)
        return np.column_stack([flat, np.zeros(len(flat))]), self.triangles[triangle_rows] + first[owner, None], owner


def _ranges(start: Any, length: Any) -> NDArray[np.int64]:
    total = int(length.sum())
    shift = np.repeat(start - np.concatenate([[0], np.cumsum(length)])[:-1], length)
    return np.asarray(np.arange(total) + shift, dtype=np.int64)


def _array(name: str, values: Any, components: int = 1) -> str:
    values = np.ascontiguousarray(values, dtype="<f8" if np.asarray(values).dtype.kind == "f" else "<i8")
    content = np.array([values.nbytes], dtype="<u8").tobytes() + values.tobytes()
    kind = _TYPES[values.dtype.str[1:]]
    return (
        f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="binary">'
        f"{base64.b64encode(content).decode()}</DataArray>\n"
    )


def vtp_text(points: Array, triangles: NDArray[np.int64], cells: dict[str, tuple[Any, int]]) -> str:
    """One PolyData piece."""
    n = len(triangles)
    data = "".join(_array(name, values, components) for name, (values, components) in cells.items())
    return (
        '<?xml version="1.0"?>\n'
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n<PolyData>\n'
        f'<Piece NumberOfPoints="{len(points)}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{n}">\n'
        f"<CellData>\n{data}</CellData>\n"
        f"<Points>\n{_array('Points', points.ravel(), 3)}</Points>\n"
        f"<Polys>\n{_array('connectivity', triangles.ravel())}{_array('offsets', 3 * np.arange(1, n + 1))}</Polys>\n"
        "</Piece>\n</PolyData>\n</VTKFile>\n"
    )


def write_vtk(run: Run, folder: Path, stride: int = 1) -> None:
    """A folder of .vtp files and the .pvd beside them in it."""
    folder.mkdir(parents=True, exist_ok=True)
    mesh = _Mesh(run)
    thickness = run.shapes["thickness"].values
    times = np.asarray(run.dataset["time"].values, dtype=float)
    names: dict[float, str] = {}
    for k in range(0, len(times), stride):
        there, state = state_at(run, k)
        points, triangles, owner = mesh.at(there, state)
        velocity = np.column_stack([state[3], state[4], np.zeros(len(there))])[owner]
        cells: dict[str, tuple[Any, int]] = {
            "floe": (there[owner], 1),
            "velocity": (velocity.ravel(), 3),
            "speed": (np.hypot(state[3], state[4])[owner], 1),
            "spin": (state[5][owner], 1),
            "rotation": (state[2][owner], 1),
            "thickness": (thickness[there][owner], 1),
        }
        names[float(times[k])] = f"floes_{k:06d}.vtp"
        (folder / names[float(times[k])]).write_text(vtp_text(points, triangles, cells))
    write_pvd(folder / "floes.pvd", names)


def write_pvd(path: Path, names: dict[float, str]) -> None:
    """The list of files by time (s) that ParaView opens."""
    listing = "\n".join(f'<DataSet timestep="{time!r}" part="0" file="{name}"/>' for time, name in names.items())
    path.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>\n'
        f"{listing}\n</Collection>\n</VTKFile>\n"
    )
