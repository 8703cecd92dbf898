"""How figures look: one place for fonts, lines and colours that read in print and with any colour vision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from banquise.errors import need

# Okabe and Ito's colours, told apart with any colour vision
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442",
)  # fmt: skip
CYCLE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY)
SEA, ROCK, EDGE = "#cfe1ea", "#7d7168", "#23485c"
ICE_STOPS = ("#4d7d99", "#7ba6bd", "#a7c8d8", "#cfe2eb", "#f4fafc")  # thin to thick, lightness rising

SETTINGS = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "savefig.dpi": 300,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e9ed",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def pyplot() -> Any:
    """matplotlib's pyplot, or a plain sentence when it is not installed."""
    need("matplotlib", "a figure", "plot")
    import matplotlib.pyplot as plt

    return plt


@contextmanager
def styled() -> Iterator[None]:
    """Context in which figures are made in our style; the user's own settings come back after it."""
    plt = pyplot()
    with plt.rc_context({**SETTINGS, "axes.prop_cycle": plt.cycler(color=CYCLE)}):
        yield
        shown_at_once = plt.isinteractive()
    # The first figure of a notebook chooses its backend, which turns this on; turned off again with the rest, no later
    # figure would be shown.
    if shown_at_once:
        plt.ion()


def ice_colours() -> Any:
    """Colour map of thickness: darker where thin, white where thick."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("banquise_ice", ICE_STOPS)


def time_axis(end: float) -> tuple[float, str]:
    """Seconds in the unit a run of this length is read in, and the unit's name.

    >>> time_axis(7200.0)
    (3600.0, 'h')
    """
    for seconds, unit, least in ((86400.0, "d", 4 * 86400.0), (3600.0, "h", 7200.0), (60.0, "min", 300.0)):
        if end >= least:
            return seconds, unit
    return 1.0, "s"


def clock(seconds: float, whole: float) -> str:
    """Time of a run as it is written over a picture, as finely as a run of length `whole` needs.

    >>> clock(3661.0, 7200.0), clock(1.5, 60.0)
    ('01:01:01', '1.50 s')
    """
    if whole < 120:
        return f"{seconds:.{3 if whole < 10 else 2}f} s"
    days, rest = divmod(int(seconds + 1e-6), 86400)
    text = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days} d {text}" if whole >= 86400 else text


def with_prefix(value: float, unit: str) -> str:
    """Three digits and a prefix.

    >>> with_prefix(123456.0, "N")
    '123 kN'
    """
    from matplotlib.ticker import EngFormatter

    return str(EngFormatter(unit)(float(f"{value:.3g}")))


def unit_axis(axis: Any, unit: str) -> None:
    """Ticks with prefixes: 200 kJ, not 200000."""
    from matplotlib.ticker import EngFormatter

    axis.set_major_formatter(EngFormatter(unit))


def plain_log_axis(axis: Any, low: float, high: float, counts: bool = False) -> None:
    """Plain numbers on a logarithmic axis of about a decade or less, where powers of ten say nothing; whole ones for counts."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if 0 < low < high < 20 * low:
        fine = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, *(() if counts else (1.5,)))
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high > 3 * low else sorted(fine)))
        axis.set_major_formatter(lambda v, _: f"{v:g}")
        axis.set_minor_formatter(NullFormatter())


def side_bar(drawn: Any, ax: Any, label: str) -> None:
    """A colour bar as high as the picture beside it."""
    values, top = drawn.get_array(), drawn.get_clim()[1]
    beyond = "max" if values is not None and len(values) and values.max() > top * (1 + 1e-9) else "neither"
    ax.figure.colorbar(drawn, cax=ax.inset_axes((1.02, 0.0, 0.025, 1.0)), label=label, extend=beyond)
