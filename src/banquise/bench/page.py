"""Figures and rows as Markdown tables, for pages that are made from what was measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from typing import Any


def conditions() -> str:
    """One line: version of the package, interpreter, compiler and machine."""
    from importlib.metadata import version

    from banquise import __version__

    machine = platform.processor() or platform.machine()
    return (
        f"banquise {__version__}, Python {platform.python_version()}, Numba {version('numba')}, "
        f"NumPy {version('numpy')}, {platform.system()} on {machine}, {os.cpu_count()} cores"
    )


def figures_table(figures: Iterable[Mapping[str, Any]]) -> str:
    """Markdown of `banquise bench --json`.

    >>> print(figures_table([dict(bench="b", name="n", value=2.0, unit="ms", at_most=3.0, at_least=None, holds=True)]))
    | bench | figure | value | bar | holds |
    |---|---|---|---|---|
    | b | n | 2 ms | at most 3 | yes |
    """
    lines = ["| bench | figure | value | bar | holds |", "|---|---|---|---|---|"]
    for figure in figures:
        bars = [f"{words} {figure[key]:g}" for key, words in (("at_most", "at most"), ("at_least", "at least"))
                if figure.get(key) is not None]  # fmt: skip
        note = f" ({figure['note']})" if figure.get("note") else ""
        mark = "" if not bars else ("yes" if figure["holds"] else "**no**")
        value = f"{figure['value']:.4g} {figure['unit']}".strip()
        lines.append(_row(figure["bench"], figure["name"] + note, value, ", ".join(bars), mark))
    return "\n".join(lines)


def rows_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Markdown of `banquise validate --json`: one line a comparison."""
    lines = [
        "| group | case | parameters | expected | got | error | allowed | pass |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        numbers = (f"{row['expected']:.8g}", f"{row['got']:.8g}", f"{row['error']:.1e}", f"{row['tolerance']:.1e}")
        lines.append(_row(row["group"], row["case"], row["parameters"], *numbers, "yes" if row["pass"] else "**no**"))
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
