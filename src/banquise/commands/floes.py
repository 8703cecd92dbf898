"""`banquise floes pack|voronoi|from-image|info`: make and look at floe fields."""

from __future__ import annotations

import argparse
from typing import Any

HELP = "make and look at floe fields: pack, voronoi, from-image, info"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="pack|voronoi|from-image|info", required=True)
    pack = actions.add_parser("pack", help="floes by a law of sizes at a concentration")
    cells = actions.add_parser("voronoi", help="packed ice: cells at a concentration")
    for sub, n, concentration in ((pack, 350, 0.6), (cells, 500, 0.9)):
        sub.add_argument("-n", type=int, default=n, help=f"number of floes (default: {n})")
        sub.add_argument("--concentration", type=float, default=concentration, help=f"default: {concentration}")
        sub.add_argument(
            "--box",
            type=float,
            nargs="+",
            default=[1200.0, 1200.0],
            metavar="M",
            help="width height, or xmin xmax ymin ymax (m)",
        )
        sub.add_argument("--coast", metavar="FILE", help="polygons that are land (any file of floes)")
        sub.add_argument(
            "--thickness", type=float, nargs="+", default=None, metavar="M", help="one, or lowest and highest"
        )
        sub.add_argument("--seed", type=int, default=0)
    pack.add_argument("--exponent", type=float, default=1.5, help="of the law of sizes (default: 1.5)")
    pack.add_argument("--max-size", type=float, help="largest size, sqrt(area / pi) (m)")
    pack.add_argument("--shapes", metavar="FILE", help="take the outlines from this file")
    image = actions.add_parser("from-image", help="floes of a picture, ice lighter than water")
    image.add_argument("image", metavar="PICTURE")
    image.add_argument("--pixel", type=float, help="metres a pixel (a GeoTIFF brings its own)")
    image.add_argument("--least-area", type=float, help="drop smaller floes (m2)")
    image.add_argument("--tolerance", type=float, help="simplify rings by this (m)")
    look = actions.add_parser("info", help="count, concentration, law of sizes, overlaps of any file of floes")
    look.add_argument("file", metavar="FILE")
    look.add_argument("--projection", help="map for files in degrees, such as EPSG:3413")
    look.add_argument("--box", type=float, nargs="+", metavar="M", help="where to measure the concentration")
    for sub in (pack, cells, image):
        sub.add_argument("-o", "--output", default="floes.geojson", help="file to write (default: floes.geojson)")
    for sub in (pack, cells, image, look):
        sub.add_argument("--plot", metavar="PICTURE.png", help="name of the picture (default: beside the file)")
        sub.add_argument("--no-plot", action="store_true", help="draw nothing")
        sub.add_argument("--json", action="store_true", help="print the numbers as JSON")


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from banquise.scene.makers.files import write_scene
    from banquise.scene.makers.tools import info

    found: Any = None
    if args.action == "info":
        from banquise.case import read_scene

        scene, file = read_scene(args.file, args.projection), Path(args.file)
    elif args.action == "from-image":
        from banquise.scene.makers.image import from_image

        found = from_image(args.image, args.pixel, least_area=args.least_area, tolerance=args.tolerance)
        scene, file = found.scene, Path(args.output)
    else:
        scene, file = _made(args), Path(args.output)
    if args.action != "info":
        write_scene(scene, file)
    numbers = info(scene, getattr(args, "box", None))
    picture = None if args.no_plot else _draw(scene, found, Path(args.plot) if args.plot else file.with_suffix(".png"))
    written = {} if args.action == "info" else {"output": str(file)}
    written |= {"picture": str(picture)} if picture else {}
    if args.json:
        plain = {k: None if isinstance(v, float) and v != v else v for k, v in numbers.items()}
        print(json.dumps(plain | written))
        return 0
    for name, value in (numbers | written).items():
        print(
            f"{name.replace('_', ' '):22} {value:.6g}"
            if isinstance(value, float)
            else f"{name.replace('_', ' '):22} {value}"
        )
    return 0


def _made(args: argparse.Namespace) -> Any:
    """The scene that `pack` or `voronoi` asks for."""
    from banquise.case import read_scene
    from banquise.scene.floe import Obstacle
    from banquise.scene.makers.pack import pack
    from banquise.scene.makers.voronoi import voronoi

    coast: list[Any] = []
    if args.coast:
        land = read_scene(args.coast)
        coast = [*land.obstacles, *(Obstacle(f.ring, holes=f.holes, radius=f.radius, name=f.name) for f in land.floes)]
    thickness: Any = args.thickness
    if thickness is not None and len(thickness) == 1:
        thickness = thickness[0]
    common: dict[str, Any] = {"box": args.box, "seed": args.seed, "obstacles": coast}
    if thickness is not None:
        common["thickness"] = thickness
    if args.action == "voronoi":
        return voronoi(args.n, args.concentration, **common)
    shapes = read_scene(args.shapes).floes if args.shapes else None
    return pack(args.n, args.concentration, exponent=args.exponent, max_size=args.max_size, shapes=shapes, **common)


def _draw(scene: Any, found: Any, path: Any) -> Any:
    from banquise.view.fields import overlay_picture, scene_picture
    from banquise.view.style import pyplot

    pyplot().switch_backend("agg")
    figure = overlay_picture(found) if found is not None else scene_picture(scene, f"{len(scene.floes):,} floes")
    figure.savefig(path, dpi=150)
    pyplot().close(figure)
    return path
