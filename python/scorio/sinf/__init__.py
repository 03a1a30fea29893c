"""Decisions: which model is better, whether one passes a gate, when to stop, and how much data is needed."""

from ..results import RunVariation
from .boundaries import Boundaries, EValue, PairEValue, boundaries, e_value, pair_e_value
from .compare import Certificate, Comparison, certificate, compare, prob_above
from .decisions import (
    TopOne,
    ci_from_mu_sigma,
    ranking_confidence,
    should_stop,
    should_stop_top1,
    suggest_next_allocation,
)
from .gate import Gate, GateOverSuite, GateRow, gate, gate_suite
from .judges import JudgedComparison, LabelPlan, compare_judged, labels_needed
from .ledger import (
    Alarms,
    BuildGates,
    GatedBuild,
    NoiseFloor,
    Step,
    WatchedBuild,
    alarms,
    gate_builds,
    noise_floor,
    steps,
)
from .monitor import Look, Monitor
from .runs import RunComparison, compare_runs, mean_of_runs, run_variation
from .sample_size import questions_needed, trials_needed
from .suite import PairComparison, Suite, SuiteModel, SuitePair, compare_all, suite

__all__ = [
    "Alarms", "Boundaries", "BuildGates", "Certificate", "Comparison", "EValue", "Gate", "GateOverSuite", "GateRow",
    "GatedBuild", "JudgedComparison", "LabelPlan", "Look", "Monitor", "NoiseFloor", "PairComparison", "PairEValue",
    "RunComparison", "RunVariation", "Step", "Suite", "SuiteModel", "SuitePair", "TopOne", "WatchedBuild", "alarms",
    "boundaries", "certificate", "ci_from_mu_sigma", "compare", "compare_all", "compare_judged", "compare_runs",
    "e_value", "gate", "gate_builds", "gate_suite", "labels_needed", "mean_of_runs", "noise_floor", "pair_e_value",
    "prob_above", "questions_needed", "ranking_confidence", "run_variation", "should_stop", "should_stop_top1", "steps",
    "suggest_next_allocation", "suite", "trials_needed",
]  # fmt: skip
