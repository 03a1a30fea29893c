"""The simulations and benchmarks of bench/ in short: they run, and no statement about an error rate is false.

Those that take seconds run always; the others with --long, as before each release.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
import spec

pytestmark = pytest.mark.slow

QUICK = ("ledger", "power")
LONG = ("agreement", "at_least", "battles", "changes", "coverage", "error_rates", "extrapolate", "few_trials",
        "few_varying", "growth", "hostile", "ingestion", "items", "judges", "looks",
        "rewards", "runs", "without_numba")  # fmt: skip


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(x, marks=pytest.mark.long) for x in LONG)])
def test_the_statements_of_a_bench_are_true_in_short(name: str) -> None:
    """Run bench/NAME.py --short, which fails where a measured rate is out of its bound, but for chance."""
    run = [sys.executable, f"bench/{name}.py", "--short"]
    result = subprocess.run(run, capture_output=True, text=True, timeout=1200, cwd=spec.ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout, "it prints what it measured"
