"""Shared fixtures: where the reference data lies, if it is there."""

import os
from pathlib import Path
from typing import Any

import pytest

# Two workers that meet the same kernels at the same time would both compile them. So folders that share most of their
# kernels go to one worker, the longest family first (`make test`: -n 2 --no-loadscope-reorder).
FAMILIES = ("floes", "fracture", "detection", "blocks", "solvers", "view", "glacier")
FAMILY_OF = {name: name for name in FAMILIES}
FAMILY_OF |= {"percussion": "fracture", "contact": "detection", "blocks_dynamics": "blocks"}


def family(nodeid: str) -> str:
    """Family of a test, from its folder below `tests`."""
    return FAMILY_OF.get(nodeid.split("/")[1], "floes")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Families(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return family(nodeid)

    return Families(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # floes that break need the kernels of the step, which the other worker compiles first: they come last of their family
    items.sort(key=lambda item: (FAMILIES.index(family(item.nodeid)), "test_breaking" in item.nodeid))


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
