"""Movies of a run: MP4 through ffmpeg (the system's, or the one of the `movie` extra), GIF through Pillow."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError, CaseError
from banquise.recording.run_file import Run
from banquise.view.outlines import outlines_of
from banquise.view.sea import clock_text, colour_values, draw_bodies, scene_size, sea_axes
from banquise.view.series import thin
from banquise.view.style import pyplot, side_bar, styled

Image = NDArray[np.uint8]
FPS = 25


def usual_fps(pictures: int, seconds: float | None = None) -> int:
    """Pictures a second: 25, or fewer where so many pictures are too few for a movie of `seconds`, or of four seconds.

    >>> usual_fps(500), usual_fps(13), usual_fps(13, seconds=8)
    (25, 3, 2)
    """
    return min(FPS, max(1, round(pictures / (seconds or 4.0))))


def ffmpeg() -> str:
    """Path of an ffmpeg program."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg
    except ImportError:
        raise BanquiseError(
            "MP4 needs ffmpeg: install it on the system, or pip install 'banquise[movie]', or write a .gif instead."
        ) from None
    return str(imageio_ffmpeg.get_ffmpeg_exe())


def frames(run: Run, chosen: Any, colour: str, size: tuple[int, int]) -> Iterator[Image]:
    """Pictures (height, width, 3) of the chosen records."""
    outlines = outlines_of(run.shapes)
    with styled():
        plt = pyplot()
        dpi = max(60.0, size[0] / 8.0)  # text that can be read at any width
        figure = plt.figure(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi)
        ax = figure.add_subplot()
        sea_axes(run, ax)
        drawn = draw_bodies(run, int(chosen[0]), ax, colour, outlines)
        label = colour_values(run, 0, colour)[1]
        if label:
            side_bar(drawn, ax, label)
        ax.set_title(clock_text(run, int(chosen[-1])))
        for _ in range(4):  # room for labels and equal scales along x and y: each draw brings the layout nearer
            figure.canvas.draw()
        figure.set_layout_engine("none")  # laid out once: a picture that shifts from frame to frame is no movie
        for frame in chosen:
            for old in list(ax.collections):
                old.remove()
            draw_bodies(run, int(frame), ax, colour, outlines)
            ax.set_title(clock_text(run, int(frame)))
            figure.canvas.draw()
            yield np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy()
        plt.close(figure)


def write_movie(
    run: Run,
    path: str | Path,
    colour: str = "speed",
    fps: int | None = None,
    seconds: float | None = None,
    size: tuple[int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write a movie (.mp4 or .gif); how many pictures it has.

    `seconds` thins the records to a movie of that length; by default each record is a picture. `fps` is that
    of `usual_fps` by default. `size` is in pixels; by default 1280 wide, and as high as the scene asks for.
    """
    path = Path(path)
    if path.suffix.lower() not in (".mp4", ".gif"):
        raise CaseError(f"movie {path}: expected a name that ends in .mp4 or .gif.")
    if not path.resolve().parent.is_dir():
        raise CaseError(f"movie {path}: the folder {path.resolve().parent} does not exist. Make it first.")
    if path.is_dir():
        raise CaseError(f"movie {path}: is a folder, expected the name of a file.")
    if fps is not None and fps < 1:
        raise CaseError(f"got {fps} pictures a second, expected 1 or more.")
    if seconds is not None and not seconds > 0:
        raise CaseError(f"got a length of {seconds} s, expected one above 0.")
    if size is None:
        wide, high = scene_size(run, 12.8)
        size = round(100 * wide), round(100 * high)
    even = (size[0] // 2 * 2, size[1] // 2 * 2)  # H.264 takes even sizes only
    n = len(run.records["time"])
    chosen = thin(n, n if seconds is None else max(2, round(seconds * (fps or FPS))))
    fps = fps or usual_fps(len(chosen), seconds)
    pictures = _counted(frames(run, chosen, colour, even), len(chosen), progress)
    pyplot().switch_backend("agg")
    # under another name until it is whole: a movie that is there is not lost to a mistake, half of one never left behind
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        if path.suffix.lower() == ".gif":
            _write_gif(part, pictures, fps)
        else:
            _write_mp4(part, pictures, fps, even)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return len(chosen)


def _counted(pictures: Iterator[Image], n: int, progress: Callable[[int, int], None] | None) -> Iterator[Image]:
    for k, picture in enumerate(pictures):
        if progress is not None:
            progress(k + 1, n)
        yield picture


def _write_gif(path: Path, pictures: Iterator[Image], fps: int) -> None:
    from PIL import Image as Pillow

    shown = [Pillow.fromarray(p).quantize(colors=128, method=Pillow.Quantize.MEDIANCUT) for p in pictures]
    # hundredths of a second; browsers slow down what is faster than 2
    shown[0].save(path, save_all=True, append_images=shown[1:], duration=max(20, round(1000 / fps)), loop=0)


def _write_mp4(path: Path, pictures: Iterator[Image], fps: int, size: tuple[int, int]) -> None:
    command = [
        ffmpeg(), "-y", "-loglevel", "error",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-",
        "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdin is not None and program.stderr is not None
        try:
            for picture in pictures:
                program.stdin.write(picture.tobytes())
            program.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg says why below
        except BaseException:
            program.kill()
            raise
        said = program.stderr.read().decode(errors="replace").strip()
    if program.returncode:
        raise BanquiseError(f"movie {path}: ffmpeg failed ({said.splitlines()[-1] if said else program.returncode}).")
