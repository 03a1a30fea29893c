"""Whether the runs of a log differ more than chance explains."""

from __future__ import annotations

from ..readers.evaluation import EvaluationData
from ..results import RunVariation

LEVEL = 0.05  # of the test of all runs of a benchmark
LEVEL_OF_ONE = 0.01  # of the test of the run that stands out: false alarms of both are 4 to 6%


def differing_runs(e: EvaluationData) -> dict[str, RunVariation]:
    """The benchmarks whose runs differ at these levels, which are divided by the number of benchmarks."""
    each = {name: x for name, part in e.benchmarks.items() if (x := part.run_variation)}
    return {
        name: x for name, x in each.items() if x.p_value * len(each) <= LEVEL or x.p_run * len(each) <= LEVEL_OF_ONE
    }
