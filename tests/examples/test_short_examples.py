"""The examples of one task each run, and say a number that is known."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# each asserts what is known about its numbers itself, with the reason beside it
@pytest.mark.parametrize("name", ["drift", "cradle", "platform_load", "pack_spread", "calving_quake"])
def test_example(name, tmp_path):
    assert example(name).main(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


@pytest.mark.slow  # half a minute: three storms on floes that break
def test_storm(tmp_path):
    found = example("storm").main(picture=tmp_path / "picture.png")
    assert found["Griffith"]["floes at the end"] > 30 and (tmp_path / "picture.png").stat().st_size > 10_000


@pytest.mark.slow  # two minutes
def test_glacier_seed(tmp_path):
    example("glacier_seed").main(tmp_path)
    assert len(list(tmp_path.glob("*.png"))) >= 6


@pytest.mark.slow  # minutes: a pack that breaks
def test_soak_is_sound(tmp_path):
    """An hour of it, stopped and taken up again: the checks themselves, not what months do."""
    soak = example("soak")
    run, watch = soak.main(1 / 24, tmp_path / "soak.nc")
    found = soak.checked(run, watch)
    assert all(found[name] <= most for name, most in soak.BARS.items())
    soak.draw(run, watch, tmp_path / "soak.png")
    again, seen = soak.main(1 / 24, tmp_path / "soak.nc")  # reads what is there
    assert soak.checked(again, seen) == found and (tmp_path / "soak.png").stat().st_size > 10_000
