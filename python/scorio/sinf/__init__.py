"""Decisions from estimates: which model is better, whether to stop, and the sample size that is needed."""

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
from .prob_above import prob_above
from .sample_size import questions_needed, trials_needed

__all__ = [
    "Comparison",
    "PairComparison",
    "TopOne",
    "ci_from_mu_sigma",
    "compare",
    "compare_all",
    "prob_above",
    "questions_needed",
    "ranking_confidence",
    "should_stop",
    "should_stop_top1",
    "suggest_next_allocation",
    "trials_needed",
]
