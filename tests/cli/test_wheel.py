"""The wheel, installed where nothing else is: what a stranger's first command meets."""

import importlib.util
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import banquise as bq

TOP = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="hatchling builds the wheel")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=TOP, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_everything_is_in_the_wheel(wheel):
    """All that git keeps under src, the parts that are not Python too, and no caches."""
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("banquise/")}
    kept = subprocess.run(["git", "ls-files", "src/banquise"], cwd=TOP, capture_output=True, text=True)
    if kept.returncode == 0:
        missing = {name.removeprefix("src/") for name in kept.stdout.splitlines()} - inside
        assert not missing and not [name for name in inside if "__pycache__" in name or ".nb" in name]
    assert "banquise/py.typed" in inside and any(name.startswith("banquise/view/web/") for name in inside)


def test_first_commands_in_a_clean_environment(wheel, tmp_path):
    """Without its dependencies: these commands need none, and no network is asked for any."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True)

    def said(*arguments):
        command = [str(tmp_path / "venv" / "bin" / "banquise"), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said("--version") == f"banquise {bq.__version__}\n"
    assert "banquise demo" in said() and "how to cite" in said("--help")
    assert "@software{banquise," in said("cite")
    said("new", "case.toml")
    assert "[[scene.floes]]" in (tmp_path / "case.toml").read_text(encoding="utf-8")
