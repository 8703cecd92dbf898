"""The rows of `banquise validate` for blocks in motion hold."""

import pytest

from banquise.validation import rows


@pytest.mark.slow
def test_every_known_answer_is_met():
    assert [row for _, row in rows(["blocks-dynamics"]) if not row.passed] == []
