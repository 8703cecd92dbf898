"""banquise export: a run in other formats."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "write a run as VTK (ParaView), GeoParquet (QGIS), CSV or Zarr"


def configure(parser: argparse.ArgumentParser) -> None:
    options.run_file(parser)
    parser.add_argument("--to", required=True, choices=["vtk", "geoparquet", "csv", "zarr"], help="the format")
    parser.add_argument("-o", "--output", help="file or folder to write (default: beside the run file)")
    parser.add_argument("--stride", type=int, default=1, help="write every so many records (default: all)")


def run(args: argparse.Namespace) -> int:
    from banquise.export import export

    written = export(args.run_file, args.to, args.output, args.stride)
    beside = sorted(written.parent.glob(f"{written.stem}_*.csv")) if args.to == "csv" else []
    print(f"wrote {', '.join(map(str, [written, *beside]))}")
    return 0
