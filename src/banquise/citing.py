"""What to cite: this version of the package, and the works whose models it computes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from banquise import __version__


@dataclass(frozen=True)
class Work:
    """One thing to cite: `fields` are those of BibTeX, `used_for` says which part of the package rests on it."""

    key: str
    kind: str  # "software", "article", ... as BibTeX (biblatex for software) names them
    authors: tuple[str, ...]  # "Family, Given"
    title: str
    year: int | None
    used_for: str
    fields: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "fields": dict(self.fields), "bibtex": self.bibtex, "plain": self.plain}

    @property
    def bibtex(self) -> str:
        """The entry of a .bib file."""
        entries = {"author": " and ".join(self.authors), "title": "{" + self.title + "}"}
        if self.year is not None:
            entries["year"] = str(self.year)
        lines = [f"  {name:9} = {{{text}}}," for name, text in (entries | dict(self.fields)).items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    @property
    def plain(self) -> str:
        """One line of a list of references."""
        names = [_initials(author) for author in self.authors]
        who = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
        when = "" if self.year is None else f" ({self.year})"
        rest = [text.replace("--", "-") for name, text in self.fields if name not in ("type", "license")]
        return f"{who}{when}: {', '.join([self.title, *rest])}."


def _initials(author: str) -> str:
    family, _, given = author.partition(", ")
    if not given:
        return author.strip("{}")
    return f"{family}, {' '.join(part[0] + '.' for part in given.split())}"


PACKAGE = Work(
    "banquise",
    "software",
    ("{The Banquise developers}",),
    "Banquise: ice in pieces",
    None,  # no release has a date yet: the version says which one it was
    "every run",
    (("version", __version__), ("license", "BSD-3-Clause")),
)
MODELS = (
    Work(
        "rabatel2015",
        "article",
        ("Rabatel, Matthias", "Labbé, Stéphane", "Weiss, Jérôme"),
        "Dynamics of an assembly of rigid ice floes",
        2015,
        "floes: drag, contact problem, event-driven scheme, the channel and the drift",
        (
            ("journal", "Journal of Geophysical Research: Oceans"),
            ("volume", "120"),
            ("number", "9"),
            ("pages", "5887--5909"),
            ("doi", "10.1002/2015JC010909"),
        ),
    ),
    Work(
        "nzoyem2021",
        "mastersthesis",
        ("Nzoyem, Desmond Roussel",),
        "Fracturation de floes de glace par percussion dans un modèle granulaire",
        2021,
        "fracture: percussion of floes made of nodes and springs",
        (("type", "Internship report, master 2 CSMI"), ("school", "Laboratoire Jacques-Louis Lions")),
    ),
    Work(
        "dubois2010",
        "incollection",
        ("Dubois, Frédéric",),
        "Particules polyédriques",
        2010,
        "blocks: mass, detection and contact of polyhedra, the wall of 105 blocks",
        (
            ("booktitle", "Modélisation numérique discrète des matériaux granulaires"),
            ("publisher", "Hermes - Lavoisier"),
            ("pages", "261--290"),
            ("isbn", "978-2-7462-2976-1"),
        ),
    ),
    Work(
        "beguin2020",
        "unpublished",
        ("Beguin, Paul",),
        "Etude stabilité numérique",
        2020,
        "glacier: the chain of sliding blocks and its schemes",
        (("note", "May 2020"),),
    ),
)


def works() -> tuple[Work, ...]:
    """The package first, then the works its models come from.

    >>> [work.key for work in works()]
    ['banquise', 'rabatel2015', 'nzoyem2021', 'dubois2010', 'beguin2020']
    """
    return (PACKAGE, *MODELS)
