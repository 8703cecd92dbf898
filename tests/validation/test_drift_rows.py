"""The rows of `banquise validate drift` pass, and a wrong number would not."""

import math

from banquise.validation import Row, rows


def test_all_pass():
    found = [row for _, row in rows(["drift"])]
    assert len(found) >= 12
    assert [row for row in found if not row.passed] == []


def test_a_row_can_fail():
    assert not Row("x", "drift", "", 1.0, 1.1, 0.05).passed
    assert not Row("x", "drift", "", 1.0, math.nan, 0.05).passed
