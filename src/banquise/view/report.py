"""One HTML page about a run: what was run, on what data, how it went, the figures, the player."""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banquise.errors import BanquiseError, RunFileError
from banquise.given import check_ending
from banquise.recording.run_file import Run
from banquise.view.kinds import kind_of
from banquise.view.plots import NothingToPlot, figures_of
from banquise.view.reprs import frame, frames_within
from banquise.view.series import alive, concentration
from banquise.view.style import clock, pyplot

WEB = Path(__file__).parent / "web"
REPORT_POSES = 6_000_000  # floes x records in the report's player: about 15 MB
OVERLAP_TOLERANCE = 1e-5  # of the smaller floe's size, what the contact code promises
RESIDUAL_TOLERANCE = 1e-6
BALANCE_TOLERANCE = 1e-3  # of the energy that went through the run


@dataclass(frozen=True)
class Check:
    """One thing that can go wrong in a run: what was measured, what is fine, and whether it is."""

    name: str
    measured: str
    expected: str
    fine: bool


def checks(run: Any) -> list[Check]:
    """How a run of any kind went, each measure against its bar."""
    found: list[Check] = kind_of(run).get("checks")(run)
    return found


def floe_checks(run: Run) -> list[Check]:
    """Overlap, residual, unsolved problems, energy balance and lost floes, each against its bar."""
    n = run.records["state"].shape[2]
    sizes = np.sqrt(run.shapes["area"].values[:n])
    span = (float(sizes.min()), float(sizes.max())) if n else (1.0, 1.0)
    return ledger_checks(run, span, "floe", OVERLAP_TOLERANCE, RESIDUAL_TOLERANCE)


def ledger_checks(
    run: Any, sizes: tuple[float, float], body: str, overlap_part: float, residual_bar: float
) -> list[Check]:
    """What the ledger tells of any run of bodies in contact, of these least and largest sizes (m).

    The bar of an overlap is that of the smaller body of its pair, which the ledger does not name. Between the bars of the least
    and the largest body the count of unsolved problems decides: a step that leaves too much for its pair is one of them.
    """
    ledger = run.ledger
    overlap = float(ledger["max_overlap"].max())
    residual = float(ledger["residual"].max())
    unsolved = int(ledger["unsolved"].sum())
    through = float(ledger["kinetic_energy"].max())
    for name in ("work_wind", "work_current", "work_gravity", "work_loads", "work_obstacles", "dissipated_contact"):
        through += float(np.abs(ledger[name]).max())
    balance = float(np.abs(ledger["balance"]).max())
    share = balance / through if through > 0 else 0.0
    low, high = (overlap_part * size for size in sizes)
    bar = f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"
    kept = overlap <= low or (overlap <= high and not unsolved)
    return [
        Check("Largest overlap", f"{overlap:.3g} m",
              f"at most {bar} m ({overlap_part:g} of the smaller {body} of a pair)", kept),
        Check("Largest residual of a contact problem", f"{residual:.3g}", f"at most {residual_bar:g}",
              residual <= residual_bar),
        Check("Contact problems not solved", f"{unsolved:,}", "none", unsolved == 0),
        Check("Energy left over", f"{balance:.3g} J, {share:.2g} of what went through",
              f"at most {BALANCE_TOLERANCE:g}", share <= BALANCE_TOLERANCE),
    ]  # fmt: skip


def floe_facts(run: Run) -> list[tuple[str, str]]:
    """What was run, as (name, text)."""
    case, times = run.case, run.records["time"]
    there = alive(run)
    n_obstacles = int(run.shapes["obstacle"].sum())
    share, of_what = concentration(run)
    rows = [
        ("Run file", str(run.path) if run.path else "kept in memory"),
        ("Written", str(case.get("written", "not stated"))),
        ("Length", f"{clock(float(times[-1]), float(times[-1]))}, {len(times):,} records"),
        ("Floes", f"{int(there[0].sum()):,} at the start, {int(there[-1].sum()):,} at the end"),
        ("Obstacles", str(n_obstacles)),
        ("Domain", _domain(case.get("domain"))),
        ("Concentration", f"{share[0]:.3f} at the start, {share[-1]:.3f} at the end, {of_what}"),
        ("Impacts", f"{int((run.events['kind'] == 'impact').sum()):,}"),
        ("Breaks", f"{int((run.events['kind'] == 'break').sum()):,}"),
    ]
    settings = ("forcing", "contact", "scheme", "fracture", "integrator", "seed", "crs")
    rows += stated(case, settings)
    data = case.get("hashes") or case.get("data")
    if isinstance(data, dict):
        rows += [(f"Data {name}", str(value)) for name, value in data.items()]
    rows.append(("Versions", ", ".join(f"{k} {v}" for k, v in (case.get("versions") or {}).items()) or "not stated"))
    rows.append(("Wall time", f"{run.profile['wall']:.3g} s" if "wall" in run.profile else "not recorded"))
    return rows


def stated(case: dict[str, Any], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Settings of a case that are there, by name: "Forcing" and "wind, current", not its name twice."""
    there = [name for name in names if case.get(name) not in (None, "")]
    return [(name.capitalize(), str(case[name]).removeprefix(f"{name.capitalize()}: ")) for name in there]


def _domain(domain: Any) -> str:
    if not domain:
        return "open sea"
    size = f"{domain['xmax'] - domain['xmin']:g} m x {domain['ymax'] - domain['ymin']:g} m"
    open_sides = ", ".join(domain.get("open") or ())
    return f"{domain['kind']}, {size}" + (f", open at {open_sides}" if open_sides else "")


def write_report(run: Any, path: str | Path, player: bool = True) -> int:
    """Write the report; its size in bytes."""
    check_ending(path, (".html", ".htm"), "a page", RunFileError)
    text = report(run, player)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise RunFileError(f"output {path}: cannot write ({problem.strerror or problem}).") from None
    return len(text.encode("utf-8"))


def report(run: Any, player: bool = True) -> str:
    """The report's HTML."""
    found = checks(run)
    facts: list[tuple[str, str]] = kind_of(run).get("facts")(run)
    title = str(run.case.get("title", "Banquise run"))
    warnings = [str(w) for w in run.case.get("warnings", [])]
    warnings += [f"{c.name}: {c.measured}, expected {c.expected}." for c in found if not c.fine]
    parts = {
        "TITLE": html.escape(title),
        "STYLE": (WEB / "report.css").read_text(encoding="utf-8"),
        "VERDICT": _verdict(found, warnings),
        "FACTS": _table([(html.escape(a), html.escape(b)) for a, b in facts]),
        "CHECKS": _checks_table(found),
        "PLAYER": _player(run) if player else "",
        "FIGURES": "\n".join(_figures(run)),
    }
    text = (WEB / "report.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def _verdict(found: list[Check], warnings: list[str]) -> str:
    if not warnings:
        return f'<p class="fine">All {len(found)} checks hold.</p>'
    rows = "".join(f"<li>{html.escape(w)}</li>" for w in warnings)
    return f'<div class="look"><p>To look at:</p><ul>{rows}</ul></div>'


def _table(rows: list[tuple[str, str]]) -> str:
    return "<table>" + "".join(f"<tr><th>{a}</th><td>{b}</td></tr>" for a, b in rows) + "</table>"


def _checks_table(found: list[Check]) -> str:
    head = "<tr><th>Check</th><th>Measured</th><th>Expected</th><th></th></tr>"
    rows = "".join(
        f"<tr><th>{html.escape(c.name)}</th><td>{html.escape(c.measured)}</td><td>{html.escape(c.expected)}</td>"
        f'<td class="{"ok" if c.fine else "no"}">{"holds" if c.fine else "look"}</td></tr>'
        for c in found
    )
    return f"<table>{head}{rows}</table>"


def _player(run: Any) -> str:
    from banquise.view.player import pack, page

    return frame(page(pack(run, frames_within(run, REPORT_POSES)), autoplay=False), 640)


def _figures(run: Any) -> list[str]:
    plt = pyplot()
    shown = []
    for name, draw in figures_of(run).items():
        try:
            drawn = draw(run)
        except NothingToPlot:
            continue
        except BanquiseError as problem:  # such as a map without cartopy: the report goes on without that figure
            shown.append(f"<p>{html.escape(str(problem))}</p>")
            continue
        data = io.BytesIO()
        drawn.savefig(data, format="png", dpi=160)
        plt.close(drawn)
        text = base64.b64encode(data.getvalue()).decode("ascii")
        about = html.escape((draw.__doc__ or name).split("\n")[0])
        shown.append(
            f'<figure><img alt="{about}" src="data:image/png;base64,{text}"><figcaption>{about}</figcaption></figure>'
        )
    return shown
