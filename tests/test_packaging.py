"""Check the versions of the package and of its requirements, in both languages."""

from __future__ import annotations

import itertools
import tomllib

import spec

import scorio

PROJECT = tomllib.loads((spec.ROOT / "pyproject.toml").read_text())


def test_both_packages_have_one_version() -> None:
    """Check that Scorio.jl has the version of the Python package, and that CHANGELOG.md has an entry for it."""
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "python/scorio/version.py"
    assert tomllib.loads((spec.ROOT / "julia" / "Project.toml").read_text())["version"] == scorio.__version__
    assert f"\n## {scorio.__version__} — " in (spec.ROOT / "CHANGELOG.md").read_text()


def test_the_lowest_versions_are_the_lower_bounds() -> None:
    """Check that tests/lowest.txt pins each requirement of the package and of seven extras to its lower bound."""
    project = PROJECT["project"]
    extras = (project["optional-dependencies"][x] for x in ("cli", "fast", "frames", "logs", "plot", "remote", "yaml"))
    requirements = [*project["dependencies"], *itertools.chain(*extras)]
    pinned = [x for x in (spec.ROOT / "tests" / "lowest.txt").read_text().splitlines() if not x.startswith("#")]
    lowest = dict(x.split("==") for x in pinned)
    assert lowest.keys() == {x.split(">=")[0] for x in requirements}
    for name, bound in (x.split(">=") for x in requirements):
        assert (lowest[name] + ".").startswith(bound + "."), name
