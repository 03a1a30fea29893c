"""Time the calls of bench/cases.py: `pytest bench`; with --benchmark-disable, run each once on few questions."""

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
    """Time one call."""
    benchmark.group = str(case.R)
    benchmark(call(json.loads((case if benchmark.enabled else short).request())))
