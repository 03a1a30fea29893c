"""Types of the public functions, as a type checker sees them in a caller's code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from scorio.choices import MetricName
from scorio.metrics.metric import TABLE

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
    assert set(get_args(MetricName)) == {name for entry in TABLE for name in (entry.name, entry.alias)}
