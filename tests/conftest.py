"""Shared fixtures: where the reference data lies, if it is there."""

import os
from pathlib import Path

import pytest

# Two workers that meet the same kernels at the same time would both compile them: a folder, or folders that share most
# of their kernels, goes to one worker (pytest-xdist, --dist loadgroup).
WORKER_OF = {name: name for name in ("blocks", "fracture", "glacier", "solvers", "view")}
WORKER_OF |= {"percussion": "fracture", "detection": "detection", "contact": "detection"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        item.add_marker(pytest.mark.xdist_group(WORKER_OF.get(folder, "floes")))


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
