"""The rows that `banquise validate` prints for blocks."""

from __future__ import annotations

import pytest

from banquise.validation.blocks import rows


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row.case}: {row.principle}")
def test_row_passes(row):
    assert row.passed, f"{row.case} ({row.parameters}): expected {row.expected}, got {row.got}"
