"""The plug-in of scorio for pytest, run by pytest; test_recipes.py has the plug-ins for other tools."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import spec

import scorio
from scorio.ledger import read_ledger

pytestmark = pytest.mark.slow

ENTRY_POINTS = tomllib.loads((spec.ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
SUITE = """
import pytest, os

def passed(request, right):  # in the last `right` of 8 trials
    _, repeated, trial = request.node.name.rpartition("trial")
    return int(trial.rstrip("]") if repeated else 8) > 8 - right

@pytest.mark.scorio
@pytest.mark.parametrize("right", [8, 5, 0])
def test_one(request, right):
    assert passed(request, int(os.environ.get("RIGHT", right)))

@pytest.mark.scorio
class TestMore:
    def test_two(self, request):
        assert passed(request, 7)

    @pytest.mark.skip
    def test_skipped(self):
        assert False

def test_plain():
    pass
"""
# successes and trials of each repeated test
TESTS = {"TestMore::test_two": (7, 8), "test_one[0]": (0, 8), "test_one[5]": (5, 8), "test_one[8]": (8, 8)}


def run(folder: Path, *options: str, **env: str) -> tuple[int, str]:
    """Exit code and output of pytest with only this plug-in and xdist."""
    command = [sys.executable, "-m", "pytest", "-p", "scorio.plugins.pytest", "-p", "xdist.plugin", "-q", *options]
    environment = {
        "PYTHONPATH": str(spec.ROOT / "python"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
        "COLUMNS": "80",
    }
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | environment | env)
    return process.returncode, process.stdout + process.stderr


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Folder with tests, some of which fail in some trials."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    (tmp_path / "test_it.py").write_text(SUITE)
    return tmp_path


def test_pytest_counts_trials_and_writes_them(suite: Path) -> None:
    """Check that failed trials do not fail the session, and that scorio reads the file written."""
    code, output = run(suite, "--scorio", "8", "--scorio-write", "base.csv", "-n", "2")
    assert code == 0, output
    assert "21 passed, 8 skipped, 12 xfailed" in output
    assert "5/8  test_it.py::test_one[5]" in output
    assert "#  model     95% CI (fixed)" in output
    counts = scorio.read(suite / "base.csv")["this run"]
    table = {
        q.removeprefix("test_it.py::"): (row[1], sum(row))
        for q, row in zip(counts.ids, counts.table.tolist(), strict=True)
    }
    assert table == TESTS


def test_pytest_compares_with_a_baseline(suite: Path) -> None:
    """Check exit codes for a regressed test and an inconclusive gate, and that tests only in the baseline are named."""
    assert run(suite, "--scorio", "8", "--scorio-write", "base.csv")[0] == 0
    with (suite / "base.csv").open("a") as f:
        f.write("this run,test_it.py::test_gone,8,8\n")
    baseline_options = ("--scorio", "8", "--scorio-baseline", "base.csv")
    code, output = run(suite, *baseline_options)
    assert code == 0, output
    assert "0 of 4 questions regressed" in output
    assert "Not run now, but in the baseline: test_it.py::test_gone." in output
    code, output = run(suite, *baseline_options, "--scorio-margin", ".01")
    assert (code, "INCONCLUSIVE" in output) == (6, True), output
    code, output = run(suite, *baseline_options, "--scorio-margin", ".9")
    assert (code, "PASS" in output) == (0, True), output
    code, output = run(suite, *baseline_options, RIGHT="0")
    assert code == 1, output
    assert "2 of 4 questions regressed" in output


def test_pytest_gates_by_a_ledger(suite: Path) -> None:
    """Check that each run is recorded with its verdict; a run without all tests, or with a margin, is refused."""
    run(suite, "--scorio", "8", "--scorio-write", "base.csv")
    command = [sys.executable, "-m", "scorio", "baseline", "set", "base.csv", "--margin", ".7"]
    environment = os.environ | {"PYTHONPATH": str(spec.ROOT / "python")}
    subprocess.run(command, cwd=suite, env=environment, check=True, capture_output=True)
    options = ["--scorio", "8", "--scorio-ledger", ".scorio"]
    code, output = run(suite, *options, RIGHT="6")
    assert (code, "above the floor of baseline main" in output) == (0, True), output
    code, output = run(suite, *options, RIGHT="0")
    assert (code, "FAIL" in output or "INCONCLUSIVE" in output) in ((1, True), (6, True)), output
    ledger = read_ledger(suite / ".scorio")
    assert next(x.gate["verdict"] for x in ledger.builds.values() if x.gate) == "pass"
    assert len(ledger.builds) == 3
    code, output = run(suite, *options, "-k", "two")
    assert (code, "lacks 3 questions" in output) == (4, True), output
    for more, message in (
        (["--scorio-margin", ".1"], "leave out the other margins"), (["--scorio-baseline", "x"], "no baseline 'x'"),
    ):  # fmt: skip
        code, output = run(suite, *options, *more)
        assert (code, message in output, "passed" in output) == (4, True, False), output
    assert len(read_ledger(suite / ".scorio").builds) == 3


def test_pytest_refuses_before_it_runs(suite: Path) -> None:
    """Check that invalid options are reported before a trial is run; without --scorio, marked tests run once."""
    for options, message in (
        (["--scorio-margin", ".1"], "needs the number of trials"),
        (["--scorio", "0"], "at least 1 trial is needed"),
        (["--scorio", "2", "--scorio-margin", ".1"], "needs --scorio-baseline FILE"),
        (["--scorio", "2", "--scorio-at-least", "90"], "strictly between 0 and 1"),
        (["--scorio", "2", "--scorio-baseline", "no.csv"], "no.csv"),
        (["--scorio", "2", "--scorio-baseline", "test_it.py"], "--scorio-baseline: test_it.py"),
        (["--scorio", "2", "--scorio-write", "no/base.csv"], "no such folder"),
    ):
        code, output = run(suite, *options)
        assert (code, message in output, "passed" in output) == (4, True, False), output
    code, output = run(suite)
    assert (code, "1 failed, 4 passed, 1 skipped" in output) == (1, True), output
    code, output = run(suite, "--scorio", "2", "--scorio-at-least", ".5", "-k", "plain")
    assert (code, "No trial of a test marked scorio was run" in output) == (5, True), output


def test_pytest_says_which_tests_it_cannot_repeat(tmp_path: Path) -> None:
    """Check that methods of unittest.TestCase are reported as not repeatable; a stopped session decides nothing."""
    (tmp_path / "test_it.py").write_text(
        "import pytest, unittest\n@pytest.mark.scorio\nclass TestOld(unittest.TestCase):\n"
        "    def test_a(self): pass\n@pytest.mark.scorio\ndef test_b(): pass\n"
    )
    code, output = run(tmp_path, "--scorio", "2", "--scorio-write", "base.csv", "-x")
    assert (code, "not those of unittest.TestCase" in output) == (1, True), output
    assert "The session was stopped" in output
    assert not (tmp_path / "base.csv").exists()


def test_skipped_trials_are_counted(tmp_path: Path) -> None:
    """Check that the results say how many trials were skipped."""
    code = "import pytest\n@pytest.mark.scorio\ndef test_a(_scorio_trial):\n    if _scorio_trial > 3: pytest.skip('')\n"
    (tmp_path / "test_skip.py").write_text(code)
    _, output = run(tmp_path, "--scorio", "8")
    assert "Skipped, and not counted: 5 of 8 trials." in output


def test_a_test_that_raises_in_all_trials_fails_the_run(tmp_path: Path) -> None:
    """Check that a test whose code is broken fails the run with and without a baseline; failed assertions do not."""
    code = "import pytest\n@pytest.mark.scorio\ndef test_a(): {}\n@pytest.mark.scorio\ndef test_b(): assert {}\n"
    file = tmp_path / "test_broken.py"
    file.write_text(code.format("assert False", "True"))
    assert run(tmp_path, "--scorio", "3", "--scorio-write", "base.csv")[0] == 0
    file.write_text(code.format("undefined", "True"))
    for options in ((), ("--scorio-baseline", "base.csv"), ("-n", "2")):
        exit_code, output = run(tmp_path, "--scorio", "3", *options)
        assert exit_code == 1, output
        assert "test_a raised an error in all of its trials: NameError." in " ".join(output.split())


def test_pytest_finds_the_plug_in(tmp_path: Path) -> None:
    """Check that pytest loads the entry point of pyproject.toml, which imports no further module of scorio."""
    info = tmp_path / "scorio_entry-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scorio-entry\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[pytest11]\n" + "".join(f"{a} = {b}\n" for a, b in ENTRY_POINTS["pytest11"].items())
    )
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_lean(pytestconfig):\n    assert pytestconfig.getoption('scorio') is None\n"
        "    own = {x for x in sys.modules if x.partition('.')[0] == 'scorio'}\n"
        "    assert own == {'scorio', 'scorio.version', 'scorio.plugins', 'scorio.plugins.pytest'}\n"
    )
    path = os.pathsep.join([str(tmp_path), str(spec.ROOT / "python")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:benchmark", "-p", "no:hypothesispytest"]
    process = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    assert process.returncode == 0, process.stdout + process.stderr
