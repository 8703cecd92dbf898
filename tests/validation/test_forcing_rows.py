"""The rows of `banquise validate forcing` pass."""

from banquise.validation import rows


def test_all_pass():
    found = [row for _, row in rows(["forcing"])]
    assert len(found) >= 7
    assert [row for row in found if not row.passed] == []
