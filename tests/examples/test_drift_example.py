"""The examples run, and say a number that is known."""

import importlib.util
import math
from pathlib import Path

import pytest

import banquise as bq

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_drift_angles():
    spec = importlib.util.spec_from_file_location("drift_example", EXAMPLES / "drift.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    angles = module.main()
    f = 2 * 7.292e-5 * math.sin(math.radians(81.0))
    tau, k = 1.341 * 1.7e-3 * 100, 1024.071 * 5e-3
    for name, h in (("thin", 0.3), ("thick", 3.0)):
        mf = 917 * h * f
        speed = math.sqrt((math.sqrt(mf**4 + 4 * k**2 * tau**2) - mf**2) / (2 * k**2))
        # three days are some 30 drag times of the thick floe at a step of 300 s
        assert angles[name] == pytest.approx(math.degrees(math.atan(mf / (k * speed))), abs=1e-3)


def test_case_example_is_ready():
    from banquise.commands.check import findings

    assert [level for level, _ in findings(bq.load_case(EXAMPLES / "two_floes.toml"))] == ["note"]
