"""Ways to spoil good input: bytes of a file, entries of nested tables; and how many rounds of it to do.

`make test` does a few rounds that are always the same; `make fuzz` (BANQUISE_FUZZ=rounds) does as many as asked, always
others, and keeps what failed in .hypothesis for the next time.
"""

from __future__ import annotations

import copy
import os
import warnings

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from banquise.errors import BanquiseError

ROUNDS = int(os.environ.get("BANQUISE_FUZZ", "0"))
WORDS = [
    b"nan",
    b"inf",
    b"-1",
    b"1e999",
    b"1e-320",
    b"0",
    b"[]",
    b"{}",
    b'""',
    b"null",
    b"true",
    b"\x00",
    b"\xff\xfe",
    b"99999999999",
]


def rounds(few: int):
    """Settings of one test: `few` rounds in `make test`, BANQUISE_FUZZ of them in `make fuzz`."""
    always = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
    return settings(
        max_examples=ROUNDS or few, deadline=None, derandomize=not ROUNDS, suppress_health_check=always,
        **({} if ROUNDS else {"database": None}),
    )  # fmt: skip


def only_sentences(read) -> None:
    """Call a reader: it gives something, or one short sentence of ours. Anything else that it raises is a bug."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read()
        except BanquiseError as problem:
            assert 0 < len(str(problem)) < 2000, str(problem)[:2000]


# ---------------------------------------------------------------- files

EDITS = st.lists(
    st.tuples(
        st.sampled_from(["cut", "flip", "replace", "insert", "word", "number", "repeat", "drop"]),
        st.floats(0, 1, exclude_max=True),  # where, of the length
        st.integers(0, 255),
        st.binary(min_size=1, max_size=24),
    ),
    min_size=1,
    max_size=4,
)


def spoiled(content: bytes, edits) -> bytes:
    """The content after some edits, each somewhere."""
    for kind, where, k, new in edits:
        if not content:
            return new
        at = int(where * len(content))
        if kind == "cut":
            content = content[:at]
        elif kind == "flip":
            content = content[:at] + bytes([content[at] ^ (1 << k % 8)]) + content[at + 1 :]
        elif kind == "replace":
            content = content[:at] + new + content[at + len(new) :]
        elif kind == "insert":
            content = content[:at] + new + content[at:]
        elif kind == "word":
            content = content[:at] + WORDS[k % len(WORDS)] + content[at:]
        elif kind == "number":  # the next digits become another number
            first = next((i for i in range(at, len(content)) if 48 <= content[i] <= 57), None)
            if first is not None:
                last = next((i for i in range(first, len(content)) if content[i] not in b"0123456789."), len(content))
                content = content[:first] + WORDS[k % len(WORDS)] + content[last:]
        elif kind == "repeat":
            content = content[:at] + content[at : at + k] * 3 + content[at + k :]
        else:
            content = content[:at] + content[at + k :]
    return content


# ---------------------------------------------------------------- tables

NUMBERS = st.one_of(
    st.sampled_from(
        [0, -1, 1, 2, 0.5, 1e-320, 1e308, -1e308, 2**63, -(2**70), float("nan"), float("inf"), -float("inf")]
    ),
    st.integers(-10, 10),
    st.floats(-1e6, 1e6),
)
TEXTS = st.one_of(
    st.sampled_from(
        ["", "ice", "2 h", "1.2 m", "-3 km", "1e400 s", "NaN", "poisson", "2024-03-01", "nobody.nc", "../..", "\x00"]
    ),
    st.text(max_size=8),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["kind", "file", "x", "times", "u", "v", "value", "name", "ring"]), inner, max_size=3
        ),
    ),
    max_leaves=8,
)
CHANGES = st.lists(
    st.tuples(st.sampled_from(["set", "set", "set", "drop", "rename", "twice"]), st.integers(0, 10**6), VALUES),
    min_size=1,
    max_size=3,
)


def changed(tables, changes):
    """A copy of nested tables in which some entries, anywhere, are replaced, dropped, misspelt or doubled."""
    tables = copy.deepcopy(tables)
    for kind, k, value in changes:
        places = list(_places(tables))
        if not places:
            return tables
        holder, key = places[k % len(places)]
        if kind == "drop":
            del holder[key]
        elif kind == "rename" and isinstance(holder, dict):
            holder[f"{key}s"] = holder.pop(key)
        elif kind == "twice" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[key] = value
    return tables


def _places(holder):
    entries = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
    for key, value in entries:
        yield holder, key
        if isinstance(value, dict | list):
            yield from _places(value)
