"""`banquise floes ...`: make floe fields, look at them, and make others from them."""

from __future__ import annotations

import argparse
from typing import Any

from banquise.commands import options

HELP = "make, change and look at floe fields: pack, voronoi, from-image, tile, merge, cut, scale, ..., info"
ACTIONS = {
    "pack": "floes by a law of sizes at a concentration",
    "voronoi": "packed ice: cells at a concentration",
    "from-image": "floes of a picture, ice lighter than water",
    "convert": "any file of floes as another kind of file",
    "tile": "a field repeated across and up",
    "merge": "several fields in one, refused when they overlap",
    "cut": "what lies in a box or polygon; floes across its border are cut",
    "scale": "lengths times a factor, thickness as it is",
    "rotate": "turned counter-clockwise, velocities too",
    "shift": "moved",
    "rest": "the same floes without velocity and spin",
    "info": "count, concentration, law of sizes, overlaps of any file of floes",
}
MADE = ("pack", "voronoi")


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    subs = {name: actions.add_parser(name, help=text, description=text) for name, text in ACTIONS.items()}
    for name, n, concentration in (("pack", 350, 0.6), ("voronoi", 500, 0.9)):
        sub = subs[name]
        sub.add_argument("-n", type=int, default=n, help=f"number of floes (default: {n})")
        text = f"part of the water that is ice (default: {concentration})"
        sub.add_argument("--concentration", type=float, default=concentration, help=text)
        sub.add_argument("--region", metavar="FILE", help="polygons that are the water, instead of a box")
        sub.add_argument("--periodic", action="store_true", help="opposite sides of the box are one")
        sub.add_argument("--coast", metavar="FILE", help="polygons that are land (any file of floes)")
        text = "one, or lowest and highest (default: 0.25 0.38)" if name == "pack" else "of all floes (default: 1)"
        sub.add_argument("--thickness", type=float, nargs="+", default=None, metavar="M", help=text)
        sub.add_argument("--seed", type=int, default=0, help="of all that is drawn (default: 0)")
    _configure_makers(subs)
    _configure_tools(subs)
    for name, sub in subs.items():
        if name != "from-image":
            sub.add_argument("--crs", help="map for files in degrees, such as EPSG:3413")
        if name != "info":
            sub.add_argument(
                "-o",
                "--output",
                help="file to write (default: floes.geojson, or floes-2, floes-3, ... where that is there)",
            )
        options.picture(sub, None if name == "info" else "the file")
        options.json(sub, "the numbers")


def _configure_makers(subs: dict[str, argparse.ArgumentParser]) -> None:
    for name in (*MADE, "tile", "cut", "info"):
        default = [1200.0, 1200.0] if name in MADE else None
        text = "width height, or xmin xmax ymin ymax (m)"
        text += {"info": ": where to measure", "tile": " of one tile (default: the domain)"}.get(name, "")
        text += " (default: 1200 1200)" if name in MADE else ""
        subs[name].add_argument("--box", type=float, nargs="+", default=default, metavar="M", help=text)
    pack, cells, image = subs["pack"], subs["voronoi"], subs["from-image"]
    pack.add_argument("--exponent", type=float, default=1.5, help="of the law of sizes (default: 1.5)")
    pack.add_argument("--max-size", type=float, metavar="M", help="largest size, sqrt(area / pi)")
    pack.add_argument("--min-size", type=float, metavar="M", help="smallest; both ends are then scaled together")
    pack.add_argument("--sizes", metavar="FILE", help="a text file of sizes to take, scaled together, instead of a law")
    pack.add_argument("--shapes", metavar="FILE", help="take the outlines from this file")
    pack.add_argument("--keep", metavar="FILE", help="floes that stay where they are and count as ice")
    chart = "numbers in rows, the first at the lowest y"
    cells.add_argument("--chart", metavar="FILE", help=f"concentrations as a text file: {chart}")
    cells.add_argument("--thickness-chart", metavar="FILE", help="thicknesses (m) in the same way")
    image.add_argument("image", metavar="PICTURE", help="PNG, JPEG or TIFF")
    image.add_argument("--pixel", type=float, metavar="M", help="metres a pixel (a GeoTIFF brings its own)")
    image.add_argument("--min-area", type=float, metavar="M2", help="drop smaller floes")
    image.add_argument("--tolerance", type=float, metavar="M", help="simplify rings by this")
    image.add_argument("--blur", type=float, metavar="PIXELS", help="against noise (default: by the picture's noise)")
    image.add_argument("--thickness", type=float, default=1.0, metavar="M", help="of all floes (default: 1)")


def _configure_tools(subs: dict[str, argparse.ArgumentParser]) -> None:
    for name in ("convert", "tile", "cut", "scale", "rotate", "shift", "rest", "info"):
        subs[name].add_argument("file", metavar="FILE", help="any file of floes, or a run (its last state)")
    subs["merge"].add_argument("files", metavar="FILE", nargs="+", help="files of floes")
    subs["tile"].add_argument("across", type=int, help="how many along x")
    subs["tile"].add_argument("up", type=int, help="how many along y")
    subs["cut"].add_argument("--region", metavar="FILE", help="polygons to cut out, instead of a box")
    subs["cut"].add_argument("--min-area", type=float, default=0.0, metavar="M2", help="drop smaller pieces")
    subs["scale"].add_argument("factor", type=float, help="of all lengths in the plane")
    subs["rotate"].add_argument("degrees", type=float, help="counter-clockwise")
    for name in ("scale", "rotate"):
        text = "point that stays (m, default: 0 0)"
        subs[name].add_argument("--origin", type=float, nargs=2, default=[0.0, 0.0], metavar=("X", "Y"), help=text)
    subs["shift"].add_argument("x", type=float, help="m")
    subs["shift"].add_argument("y", type=float, help="m")
    for name in ("convert", "rotate"):
        subs[name].add_argument("--no-domain", action="store_true", help="leave out the domain of the scene")


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from banquise.scene.makers.files import check_output, write_scene
    from banquise.scene.makers.tools import info

    options.check_picture(args)
    found: Any = None
    file = Path(args.file if args.action == "info" else args.output or _free_name())
    if args.action != "info":
        check_output(file)
    if args.action == "from-image":
        from banquise.scene.makers.image import from_image

        chosen = {"min_area": args.min_area, "tolerance": args.tolerance, "blur": args.blur}
        found = from_image(args.image, args.pixel, thickness=args.thickness, **chosen)
        scene, box = found.scene, None
    else:
        scene, box = _made(args) if args.action in MADE else _changed(args)
    if args.action != "info":
        write_scene(scene, file)
    numbers = info(scene, box)
    # not file.with_suffix: `from-image ice.png -o ice.geojson` must not write over the picture it was given
    # and `info` only looks: the folder of its file may be someone else's, or not ours to write to
    beside = None if args.action == "info" else file.with_name(f"{file.stem}-floes.png")
    picture = options.drawn(args, beside, lambda: _picture(scene, found), dpi=150)
    written = {} if args.action == "info" else {"output": str(file)}
    written |= {"picture": picture} if picture else {}
    if args.json:
        plain = {k: None if isinstance(v, float) and v != v else v for k, v in numbers.items()}
        print(json.dumps(plain | written))
        return 0
    for name, value in (numbers | written).items():
        unit = {"area": " m2", "size": " m", "thickness": " m"}.get(name.rpartition("_")[2], "")
        said = "-" if value != value else f"{value:.6g}{unit}" if isinstance(value, float) else value
        print(f"{name.replace('_', ' '):22} {said}")
    return 0


def _free_name() -> str:
    """The name nobody asked for: it writes over nothing."""
    from itertools import count
    from pathlib import Path

    names = (f"floes{'' if k == 1 else f'-{k}'}.geojson" for k in count(1))
    return next(name for name in names if not Path(name).exists())


def _made(args: argparse.Namespace) -> tuple[Any, Any]:
    """The scene that `pack` or `voronoi` asks for, and where it lies."""
    from banquise.case import read_scene
    from banquise.errors import CaseError
    from banquise.scene.domain import Periodic
    from banquise.scene.floe import Obstacle
    from banquise.scene.makers.pack import pack, region_of
    from banquise.scene.makers.voronoi import voronoi

    coast: list[Any] = []
    if args.coast:
        land = read_scene(args.coast, args.crs)
        coast = [*land.obstacles, *(Obstacle(f.ring, holes=f.holes, radius=f.radius, name=f.name) for f in land.floes)]
    box: Any = _region(args.region, args.crs) if args.region else args.box
    if args.periodic:
        if args.region:
            raise CaseError("--periodic needs a --box: the sides of a region cannot be one.")
        x0, y0, x1, y1 = region_of(box)[0].bounds
        box = Periodic(x0, x1, y0, y1)
    where = None if args.periodic else box  # floes across the side of a periodic box are in it: its domain counts them
    thickness: Any = args.thickness
    if thickness is not None and len(thickness) == 1:
        thickness = thickness[0]
    common: dict[str, Any] = {"box": box, "seed": args.seed, "obstacles": coast}
    if thickness is not None:
        common["thickness"] = thickness
    if args.action == "voronoi":
        if args.thickness_chart:
            common["thickness"] = _numbers(args.thickness_chart)
        elif isinstance(thickness, list):
            raise CaseError("--thickness: voronoi takes one number, or --thickness-chart FILE.")
        return voronoi(args.n, _numbers(args.chart) if args.chart else args.concentration, **common), where
    common |= {"sizes": _numbers(args.sizes).ravel()} if args.sizes else {}
    common |= {"shapes": read_scene(args.shapes, args.crs).floes} if args.shapes else {}
    common |= {"floes": read_scene(args.keep, args.crs).floes} if args.keep else {}
    common |= {"exponent": args.exponent, "max_size": args.max_size, "min_size": args.min_size}
    return pack(args.n, args.concentration, **common), where


def _changed(args: argparse.Namespace) -> tuple[Any, Any]:
    """The scene of a file, or what a tool makes of it, and where to measure its concentration."""
    import math

    from banquise.case import read_scene
    from banquise.errors import CaseError
    from banquise.scene.makers import tools
    from banquise.scene.scene import Scene

    if args.action == "merge":
        return tools.merge(*(read_scene(name, args.crs) for name in args.files)), None
    scene = read_scene(args.file, args.crs)
    if getattr(args, "no_domain", False):
        scene = Scene(scene.floes, scene.obstacles)
    if args.action == "cut":
        if not (args.region or args.box):
            raise CaseError("cut: say what to cut out: --box XMIN XMAX YMIN YMAX (m), or --region FILE.")
        box = _region(args.region, args.crs) if args.region else args.box
        return tools.cut(scene, box, args.min_area), box
    if args.action == "tile":
        return tools.tile(scene, args.across, args.up, args.box), None
    changes: dict[str, Any] = {
        "scale": lambda: tools.scale(scene, args.factor, args.origin),
        "rotate": lambda: tools.rotate(scene, math.radians(args.degrees), args.origin),
        "shift": lambda: tools.shift(scene, args.x, args.y),
        "rest": lambda: tools.at_rest(scene),
    }
    return changes.get(args.action, lambda: scene)(), getattr(args, "box", None)


def _region(path: str, crs: str | None) -> Any:
    """The polygons of a file as one."""
    import shapely

    from banquise.case import read_scene

    scene = read_scene(path, crs)
    return shapely.union_all([body.polygon for body in (*scene.floes, *scene.obstacles)])


def _numbers(path: str) -> Any:
    """Numbers of a text file in rows, parted by blanks or commas."""
    import numpy as np

    from banquise.errors import CaseError

    try:
        with open(path, encoding="utf-8-sig") as file:
            return np.array([[float(v) for v in line.replace(",", " ").split()] for line in file if line.strip()])
    except (ValueError, UnicodeDecodeError) as problem:
        raise CaseError(f"{path}: expected rows of numbers, as many in each ({problem}).") from None


def _picture(scene: Any, found: Any) -> Any:
    from banquise.view.fields import overlay_picture, scene_picture

    return overlay_picture(found) if found is not None else scene_picture(scene, f"{len(scene.floes):,} floes")
