"""Decisions from estimates: which model is better, whether to stop, and the sample size that is needed."""

from .boundaries import Boundaries, EValue, PairEValue, boundaries, e_value, pair_e_value
from .compare import Comparison, compare
from .compare_all import PairComparison, compare_all
from .decisions import (
    TopOne,
    ci_from_mu_sigma,
    ranking_confidence,
    should_stop,
    should_stop_top1,
    suggest_next_allocation,
)
from .gate import Gate, gate
from .monitor import Look, Monitor
from .prob_above import prob_above
from .sample_size import questions_needed, trials_needed

__all__ = [
    "Boundaries",
    "Comparison",
    "EValue",
    "Gate",
    "Look",
    "Monitor",
    "PairComparison",
    "PairEValue",
    "TopOne",
    "boundaries",
    "ci_from_mu_sigma",
    "compare",
    "compare_all",
    "e_value",
    "gate",
    "pair_e_value",
    "prob_above",
    "questions_needed",
    "ranking_confidence",
    "should_stop",
    "should_stop_top1",
    "suggest_next_allocation",
    "trials_needed",
]
