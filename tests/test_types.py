"""Types of the public functions, as a type checker sees them in a caller's code."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from scorio import rank
from scorio.metrics.metric import TABLE
from scorio.rank.scores import Arguments
from scorio.results import MetricName

CALLS = Path(__file__).parent / "typed_calls.py"


@pytest.mark.slow
def test_mypy_refuses_exactly_the_wrong_calls(tmp_path: Path) -> None:
    """Check that misspelt choices and wrong types of results are errors of mypy, and that right calls are none."""
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    environment = os.environ | {"MYPYPATH": str(CALLS.parents[1] / "python"), "COLUMNS": "200"}
    run = subprocess.run(
        [*command, f"--cache-dir={tmp_path}", str(CALLS)],
        env=environment, capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    found = {int(n) for n in re.findall(r"typed_calls\.py:(\d+): error", run.stdout)}
    lines = CALLS.read_text().splitlines()
    assert found == {n for n, line in enumerate(lines, 1) if line.endswith("# wrong")}, run.stdout + run.stderr


def test_the_type_of_metrics_lists_the_names_and_aliases_of_the_table() -> None:
    """Check that a metric of the table is no error of a type checker."""
    missing = {name for entry in TABLE for name in (entry.name, entry.alias)} ^ set(get_args(MetricName))
    assert not missing, f"MetricName in python/scorio/results.py differs from the table of metrics: {missing}"


def own_arguments(f: object) -> tuple[tuple[str, object, bool], ...]:
    """Names, types and optionality of the arguments that a ranking has besides the models and the options of ties."""
    options = {"R", "self", "ties", "missing", "tol", "method", "return_scores"}
    parameters = inspect.signature(f).parameters.values()  # type: ignore[arg-type]
    return tuple((x.name, x.annotation, x.default is not x.empty) for x in parameters if x.name not in options)


def test_a_type_checker_sees_the_arguments_that_each_ranking_has() -> None:
    """Check that the arguments written for type checkers are those of the rankings."""
    functions = filter(inspect.isfunction, vars(rank).values())
    rankings = [f for f in functions if "return_scores" in inspect.signature(f).parameters]
    written = {own_arguments(f) for name, f in vars(Arguments).items() if name.startswith("of_")}
    assert {own_arguments(f) for f in rankings} == written
    assert all([*get_type_hints(f)] == [*inspect.signature(f).parameters, "return"] for f in rankings)
