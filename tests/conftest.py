"""Shared set-up: the tests' folder on the path, Hypothesis profiles, --long, and a summary of tests against Julia."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --long: 100,000 differential calls instead of 20,000."""
    parser.addoption("--long", action="store_true", help="differential tests on 100,000 random calls")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which comparisons with Julia ran, and on how many cases, so that a missing comparison is noticed."""
    totals: Counter[str] = Counter()
    comparisons = {}
    for report in terminalreporter.stats.get("passed", []):
        for key, x in report.user_properties:
            if key.startswith("comparison "):
                comparisons[key] = x
            elif isinstance(x, int):
                totals[key] += x
    if totals["differential"]:
        terminalreporter.write_line(
            f"Python against Julia: {totals['differential']} random calls ({totals['answered']} with a result, "
            f"the rest refused by both) and {totals['vectors']} cases of spec/: no bit differs"
        )
    for key in sorted(comparisons):
        terminalreporter.write_line(f"{key}: {comparisons[key]}")
    print_accuracy(terminalreporter)


def print_accuracy(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many results of the vectors are the nearest double, and the functions for which some are not."""
    passed = [dict(x.user_properties) for x in terminalreporter.stats.get("passed", [])]
    errors = {x["function"]: x["errors"] for x in passed if "errors" in x}
    all_errors = [e for each in errors.values() for e in each]
    if not all_errors:
        return
    terminalreporter.write_line(
        f"Vectors of {len(errors)} functions: {len(all_errors):,} results, "
        f"{sum(e <= 0.5 for e in all_errors):,} of them the nearest double"
    )
    for name, each in sorted(errors.items()):
        if (worst := max(each, default=0.0)) > 0.5:
            terminalreporter.write_line(
                f"  {name}: {sum(e > 0.5 for e in each)} are not; the largest error is {worst:.2f} ULP"
            )


@pytest.fixture
def plain_terminal(monkeypatch):
    """Set the terminal's width to 80 columns, and remove environment variables about colour."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
