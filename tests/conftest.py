"""Shared fixtures: where the reference data lies, if it is there."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of reference data: BANQUISE_DATA, or `../shared/data` beside the repository; tests skip without it."""
    here = Path(__file__).resolve().parents[1]
    places = [Path(os.environ["BANQUISE_DATA"])] if "BANQUISE_DATA" in os.environ else []
    places += [parent / "shared" / "data" for parent in here.parents]
    for place in places:
        if place.is_dir():
            return place
    pytest.skip("reference data not found: set BANQUISE_DATA or put it in ../shared/data")
