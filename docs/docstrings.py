"""Docstrings as napoleon needs them: what follows a list of parameters is no parameter, and what follows a colon is a sentence.

In the source an example or a sentence simply comes after the list, a blank line between; napoleon would take its lines for
more names, and print `>>> floe = Floe(...)` among the parameters. And `wind : m/s, or a file's` with a second line is one
sentence about the wind; napoleon would take the first line for a type and the second for what is said of it.
"""

import re

UNDERLINE = re.compile(r"-{3,}$")
LISTS = ("Parameters", "Returns", "Attributes")


def parted(lines: list[str]) -> list[str]:
    """The lines of a docstring, with a heading wherever a list of parameters ends without one.

    >>> parted(["Area.", "", "Parameters", "----------", "ring : m", "", ">>> area(ring)"])[5:]
    ['', 'Examples', '--------', '>>> area(ring)']
    """
    out: list[str] = []
    inside = False
    for k, line in enumerate(lines):
        after = lines[k + 1].strip() if k + 1 < len(lines) else ""
        if UNDERLINE.match(after) and not line.startswith(" "):
            inside = line.strip() in LISTS
        elif inside and line and not line.startswith((" ", "-")) and not lines[k - 1].strip():
            heading = "Examples" if line.startswith(">>>") else "Notes"
            out += [heading, "-" * len(heading)]
            inside = False
        out.append(line)
    return out


def said(lines: list[str]) -> list[str]:
    """The same, with what stands after the colon of a parameter below its name, where descriptions stand.

    >>> said(["Parameters", "----------", "wind, current : m/s, or a file's", "    field", "", "Notes"])[2:]
    ['wind, current', "    m/s, or a file's", '    field', '', 'Notes']
    """
    out: list[str] = []
    inside = False
    for k, line in enumerate(lines):
        if k and UNDERLINE.match(line.strip()):
            inside = lines[k - 1].strip() == "Parameters"
        name, colon, words = line.partition(" : ")
        if inside and colon and not line.startswith(" "):
            out += [name, "    " + words]
        else:
            out.append(line)
    return out


def barred(lines: list[str]) -> list[str]:
    """The same, bars escaped: `|v|` is a size, and Sphinx would put in what it does not have under that name.

    >>> barred(["tau = C |v|", ">>> 1 | 2", "3"])
    ['tau = C \\\\|v\\\\|', '>>> 1 | 2', '3']
    """
    out: list[str] = []
    example = False
    for line in lines:
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        words = line.split("`")  # every second part stands in backticks
        words[::2] = [part.replace("|", r"\|") for part in words[::2]]
        out.append(line if example else "`".join(words))
    return out


def process(app, what, name, obj, options, lines) -> None:  # type: ignore[no-untyped-def]
    """For Sphinx, before napoleon reads them."""
    lines[:] = barred(said(parted(lines)))
