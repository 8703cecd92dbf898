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


@pytest.mark.parametrize(
    ("order", "speeds"), [("simultaneous", [-1 / 3, 2 / 3, 2 / 3]), ("sequential", [0.0, 0.0, 1.0])]
)
def test_cradle(order, speeds):
    assert example("cradle").main(order) == pytest.approx(speeds, abs=1e-9)


def test_platform_load(tmp_path):
    load = example("platform_load").main(tmp_path / "platform.png")
    # the pack drifts at the current and more: it pushes the way it goes, and a peak is above the mean
    assert 0 < load["mean"] < load["largest"] and load["struck"] >= 1
    assert (tmp_path / "platform.png").stat().st_size > 10_000


def test_pack_spread(tmp_path):
    found = example("pack_spread").main(tmp_path / "pack.png")
    assert found["low"] < 1.5 < found["high"]  # the exponent asked for, within its interval of 95 %
    # thin floes are off before thick ones and keep nearer to the wind; all drift some 4.5 km
    assert 1.0 < found["spread"] < 4000.0
    assert (tmp_path / "pack.png").stat().st_size > 10_000


def test_calving_quake(tmp_path):
    quake = example("calving_quake").main(tmp_path / "quake.png")
    assert quake["bottom-out"] > 1e7 and quake["top-out"] > 1e7  # N/m: the weight of 800 m of ice, not of a few
    assert (
        abs(quake["bottom-out residual"]) < 1e-6 and abs(quake["top-out residual"]) < 1e-6
    )  # momentum is accounted for
    assert (tmp_path / "quake.png").stat().st_size > 10_000


@pytest.mark.slow  # minutes: a pack that breaks
def test_soak_is_sound():
    """An hour of it: the checks themselves, not what months do."""
    soak = example("soak")
    found = soak.main(1 / 24)
    assert all(found[name] <= most for name, most in soak.BARS.items()) and found["unsolved"] == 0
