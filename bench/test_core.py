"""Every call of bench/cases.py under pytest-benchmark: `pytest bench`. With --benchmark-disable a hundredth, once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import Case, cases
from worker import call

pytestmark = pytest.mark.slow

PAIRS = list(zip(cases(1), cases(100), strict=True))


@pytest.mark.parametrize(("case", "short"), PAIRS, ids=[f"{'x'.join(map(str, c.R))} {c.title}" for c, _ in PAIRS])
def test_call(benchmark: Any, case: Case, short: Case) -> None:
    """One call, warm."""
    benchmark.group = str(case.R)
    benchmark(call(json.loads((case if benchmark.enabled else short).request())))
