"""Shared fixtures: where the reference data lies, if it is there."""

import os
from pathlib import Path

import pytest

# Two workers that meet the same kernels at the same time would both compile them. So folders that share most of their
# kernels go to one worker, the longest family first (pytest-xdist, --dist loadgroup --no-loadscope-reorder).
FAMILIES = ("floes", "fracture", "detection", "blocks", "solvers", "view", "glacier")
FAMILY_OF = {name: name for name in FAMILIES} | {
    "percussion": "fracture",
    "contact": "detection",
    "blocks_dynamics": "blocks",
}


def _family(item: pytest.Item) -> str:
    return FAMILY_OF.get(item.path.relative_to(Path(__file__).parent).parts[0], "floes")


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.xdist_group(_family(item)))  # here: a worker reads it before items can be modified


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: FAMILIES.index(_family(item)))


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
