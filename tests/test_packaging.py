"""Check the versions of the package and of its requirements, in both languages."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tomllib

import spec
import yaml

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


def test_the_conda_recipe_is_that_of_pyproject() -> None:
    """Check the version, the requirements, the command and the summary of packaging/conda/meta.yaml."""
    text = (spec.ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    variables = dict(re.findall(r'{% set (\w+) = "(.*?)" %}', text)) | {"PYTHON": "python"}
    text = re.sub(r"{%.*?%}\n", "", text)
    recipe = yaml.safe_load(re.sub(r"{{ (\w+) }}", lambda x: variables[x[1]], text))
    project, needs = PROJECT["project"], recipe["requirements"]
    assert recipe["package"] == {"name": project["name"], "version": scorio.__version__}
    assert needs["run"] == [
        f"python {project['requires-python']}",
        *(x.replace(">", " >") for x in project["dependencies"]),
    ]
    assert {x.replace(" ", "") for x in needs["host"]} >= {*PROJECT["build-system"]["requires"]}
    extras = {x.replace(">", " >") for extra in project["optional-dependencies"].values() for x in extra}
    assert {x.replace("-base", "") for x in needs["run_constrained"]} <= extras  # conda's Matplotlib without a GUI
    assert recipe["build"]["entry_points"] == [f"{name} = {x}" for name, x in project["scripts"].items()]
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (project["description"], project["license"])
    assert (spec.ROOT / "packaging" / "conda" / recipe["source"]["path"]).resolve() == spec.ROOT
    for command in (x.split()[1:] for x in recipe["test"]["commands"] if x.startswith("scorio ")):
        assert subprocess.run([sys.executable, "-m", "scorio", *command], capture_output=True).returncode == 0, command


def test_the_entry_of_inspect_and_the_announcement_can_be_sent() -> None:
    """Check the members of the entry, and that the announcement is short and its numbers are those of the manual."""
    (entry,) = yaml.safe_load((spec.ROOT / "packaging" / "inspect_ai.yml").read_text())
    assert entry.keys() == {"name", "description", "author", "categories"}
    text = (spec.ROOT / "packaging" / "announcement.md").read_text()
    assert len([x for x in text.splitlines() if x]) <= 25
    assert max(map(len, text.splitlines())) <= 100
    pages = ("bench/README.md", "docs/guide/comparing.md", "docs/guide/runs.md", "CHANGELOG.md")
    manual = " ".join(" ".join((spec.ROOT / x).read_text() for x in pages).split())
    for number in re.findall(r"\d[\d,.]*\d%|\d%|\d,\d+", text):
        assert re.search(rf"(?<![\d.]){re.escape(number.rstrip('%'))}(?![\d])", manual), number
