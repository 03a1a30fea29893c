"""Check the versions of the package and of its requirements, and that its wheel works in a bare environment."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import spec

import scorio

PROJECT = tomllib.loads((spec.ROOT / "pyproject.toml").read_text())


def test_both_packages_have_one_version() -> None:
    """Check that Scorio.jl has the version of the Python package, and that CHANGELOG.md has an entry for it."""
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "python/scorio/version.py"
    assert tomllib.loads((spec.ROOT / "julia" / "Project.toml").read_text())["version"] == scorio.__version__
    assert f"\n## {scorio.__version__} — " in (spec.ROOT / "CHANGELOG.md").read_text()


def test_the_lowest_versions_are_the_lower_bounds() -> None:
    """Check that tests/lowest.txt pins each requirement of the package and of five extras to its lower bound."""
    project = PROJECT["project"]
    extras = (project["optional-dependencies"][x] for x in ("cli", "frames", "logs", "plot", "remote"))
    requirements = [*project["dependencies"], *itertools.chain(*extras)]
    pinned = [x for x in (spec.ROOT / "tests" / "lowest.txt").read_text().splitlines() if not x.startswith("#")]
    lowest = dict(x.split("==") for x in pinned)
    assert lowest.keys() == {x.split(">=")[0] for x in requirements}
    for name, bound in (x.split(">=") for x in requirements):
        assert (lowest[name] + ".").startswith(bound + "."), name


@pytest.fixture(scope="module")
def wheel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the built wheel."""
    folder = tmp_path_factory.mktemp("built")
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(spec.ROOT))
    return folder


def pip(*arguments: str, python: str | Path = sys.executable) -> None:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, timeout=600)


@pytest.mark.slow
def test_the_wheel_runs_the_first_job_in_a_bare_environment(wheel_folder: Path, tmp_path: Path) -> None:
    """Check the README's leaderboard with the wheel, its requirements and the extra cli only, outside of this tree."""
    (wheel,) = wheel_folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "bare"], check=True)
    folder = tmp_path / "bare" / ("Scripts" if os.name == "nt" else "bin")
    pip("install", f"{wheel}[cli]", python=folder / "python")
    log = tmp_path / "log.csv"
    log.write_text((spec.SPEC / "examples" / "coins.csv").read_text())
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCORIO"))}
    command = [folder / "scorio", "leaderboard", log]
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert process.returncode == 0, process.stderr
    assert "large" in process.stdout
    assert "medium" in process.stdout
