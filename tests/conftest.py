"""Shared fixtures: where the reference data lies, if it is there."""

import os
from pathlib import Path
from typing import Any

import pytest

os.environ["BANQUISE_NOTES"] = "0"  # that kernels are being compiled is no part of what a test reads on stderr

# Two workers that meet the same kernels at the same time both compile them. So tests go out in units: first those whose
# kernels are their own, a unit for each; then, file by file, those that find most of theirs compiled. (`make test`: -n 2
# --no-loadscope-reorder.) The kernels of the step take longest, so `analysis`, whose tests need little else, comes first.
# Runs of floes that break need the kernels of `fracture` and those of the step: last.
UNITS = ("analysis", "blocks", "glacier", "solvers", "fracture", "detection", "view", "other schemes", "breaking")
UNIT_OF = {name: name for name in UNITS}
UNIT_OF |= {"blocks_dynamics": "blocks", "percussion": "fracture", "contact": "detection"}
UNIT_OF |= {"test_reshaped.py": "breaking", "test_breaking.py": "breaking", "test_blow.py": "breaking"}
UNIT_OF |= {"test_penalty.py": "other schemes"}
UNIT_OF |= {"test_papers_scheme.py": "other schemes", "test_papers.py": "other schemes"}
LONG = ("physics", "ensembles", "recording", "cli")  # of the other folders: first, so that none is left to one worker


def unit(nodeid: str) -> str:
    """Unit of a test, from its file or else its folder below `tests`; a file of no unit is one."""
    path = nodeid.split("::")[0].split("/")
    return UNIT_OF.get(path[-1]) or UNIT_OF.get(path[1]) or "/".join(path)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    return Units(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(UNITS + LONG)}

    def place(item: pytest.Item) -> int:
        return places.get(unit(item.nodeid), places.get(item.nodeid.split("/")[1], len(places)))

    items.sort(key=place)


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
