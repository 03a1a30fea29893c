"""Runs and questions that a comparison, or an interval, needs where runs of the whole evaluation differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isinf, sqrt
from typing import Any, NamedTuple

from ..arithmetic.distributions import beta_low, error_rate
from ..arithmetic.double_double import ext
from ..arithmetic.double_double import value as double
from ..inference.difference import quantile
from ..readers.evaluation import EvaluationData
from ..results import RunVariation
from .measure import Request, value
from .pairs import compare_pairs

MOST_RUNS, MOST_QUESTIONS = 10**6, 10**9  # the largest numbers that are planned
MOST_DF = 1e6
ALTERNATIVES = (1, 2, 5, 10, 20)  # numbers of runs of plans of equal cost
FURTHER_RUNS = 20  # a cheapest plan has at most this many times the fewest runs
LEAST_QUESTIONS = 10  # of a plan of equal cost


class Rule(NamedTuple):
    """The confidence of a comparison and its power; without a power, the half width of an interval is planned."""

    confidence: float
    power: float | None


class RunParts(NamedTuple):
    """Parts of the variance of the difference of two models, or of the average of one.

    With N runs of M questions it is models sd^2 / N + trials / (M N), and on similar questions + questions / M. ``sd``
    is the standard deviation of a run's average beyond chance, which more questions do not change. The comparison with
    ``runs="sampled"`` estimates the first two parts together from the planned runs, with models (N - 1) degrees of
    freedom, and the last with units M - 1.

    Attributes
    ----------
    models : int, 1 or 2
    sd, trials : float
    questions : float or None; None where a single question, or cluster, shows no variance
    units : float, independent questions, or clusters, for each question
    """

    models: int
    sd: float
    trials: float
    questions: float | None
    units: float = 1.0

    def smallest(self, rule: Rule, N: int, M: float, sampled: bool) -> float:
        """Smallest difference that is detected with N runs of M questions, or half width; inf if there is none.

        It is c + t_power sqrt(V_λ), t_power that of df_λ, and c the larger of t sqrt(V) and t_λ sqrt(V_λ), as in
        spec/families/runs.md, with the expected variances in the place of the estimates. It is at least the limit for
        M to infinity: where questions add much variance df_λ is large, and can make it fall below before it rises.
        """
        if N < 2 or (sampled and self.questions is None):
            return inf
        of_runs, of_trials = self.models * self.sd**2 / N, self.trials / (M * N)
        V, df, f = of_trials, MOST_DF, self.models * (N - 1.0)
        if sampled and self.questions is not None:
            V, df = V + self.questions / M, min(self.units * M - 1.0, MOST_DF)
            if df < 1.0 or (self.models == 2 and 2.0**-df > 1.0 - rule.confidence):  # the signs of too few questions
                return inf
        V_runs = V + of_runs
        if not V_runs:
            return 0.0
        df_runs = min(V_runs**2 / (V**2 / df + (of_trials + of_runs) ** 2 / f), MOST_DF)
        critical = max(_t(rule.confidence, 2, df) * sqrt(V), _t(rule.confidence, 2, df_runs) * sqrt(V_runs))
        of_power = 0.0 if rule.power is None or rule.power == 0.5 else _t(rule.power, 1, df_runs) * sqrt(V_runs)
        return critical + of_power if isinf(M) else max(critical + of_power, self.floor(rule, N))

    def floor(self, rule: Rule, N: int) -> float:
        """The limit of :meth:`smallest` for many questions, below which no number of questions gets with N runs."""
        return self.smallest(rule, N, inf, False)

    def runs_needed(self, rule: Rule, size: float, M: int, sampled: bool) -> int | None:
        """The fewest runs of M questions that detect a difference; None if more than a million are needed."""
        return _first(lambda N: self.smallest(rule, N, M, sampled) <= size, 2, MOST_RUNS)

    def least_runs(self, rule: Rule, size: float) -> int | None:
        """The fewest runs at which some number of questions detects a difference; None above a million."""
        return _first(lambda N: self.floor(rule, N) <= size, 2, MOST_RUNS)

    def questions_needed(self, rule: Rule, size: float, N: int) -> int | None:
        """The fewest similar questions that detect a difference with N runs; None if none below 10^9 does."""
        return _first(lambda M: self.smallest(rule, N, M, True) <= size, 2, MOST_QUESTIONS)

    def cheapest(self, rule: Rule, size: float) -> tuple[int, int] | None:
        """The runs and the similar questions that detect a difference with about the fewest trials; None if none do."""
        least = N = self.least_runs(rule, size) or MOST_RUNS
        plans = list[tuple[int, int]]()
        while min(FURTHER_RUNS * least, MOST_RUNS) >= N:
            if questions := self.questions_needed(rule, size, N):
                plans.append((N, questions))
            N += 1 + N // 10
        return min(plans, key=lambda plan: plan[0] * plan[1], default=None)


def planned(
    e: EvaluationData, a: str, b: str | None, confidence: float, sd: float
) -> tuple[RunParts, float | None, int, int]:
    """The parts of a model, or of a difference; the observed difference, and the present runs and questions.

    e : an evaluation of one benchmark; sd: the standard deviation of a run's average beyond chance
    """
    ((name, whole),) = e.benchmarks.items()
    models = [a] if b is None else [a, b]
    part = whole.shared(models)
    counts = part.log(a).counts
    M, units = counts.M, len(set(counts.clusters or range(counts.M)))
    requests = [Request(questions=q, confidence=confidence) for q in ("fixed", "sampled")[: 1 + (units > 1)]]
    if b is None:
        estimates: list[Any] = [value(part, a, request) for request in requests]
    else:
        shared = replace(e, benchmarks={name: part})
        estimates = [compare_pairs(shared, request).each[0] for request in requests]
    fixed, *sampled = (x.sigma**2 for x in estimates)
    logs = [whole.log(m) for m in models]
    N = min(log.runs.used_runs if log.runs else int(log.counts.trials.max()) for log in logs)
    questions = max(sampled[0] - fixed, 0.0) * M if sampled else None
    parts = RunParts(len(models), sd, fixed * M * N, questions, units / M)
    return parts, None if b is None else abs(estimates[0].mu), N, M


def upper_sd(x: RunVariation, parts: RunParts, M: int) -> float:
    """The upper end of the 95% interval of the standard deviation of a run's average beyond chance.

    λ f / χ² is the largest ratio of variances that the runs are consistent with, χ² the 2.5% quantile with f degrees
    of freedom; the ratio less 1 is multiplied by the variance that trials give to the average of a run of a model.
    """
    y = double(beta_low(ext(0.025), ext(x.df / 2), ext(MOST_DF / 2)))  # χ² = 10^6 y / (1 - y): an F distribution
    largest = x.ratio * x.df * (1.0 - y) / (MOST_DF * y)
    return max(x.sd, sqrt(max(0.0, largest - 1.0) * parts.trials / (parts.models * M)))


def alternatives(N: int, M: int) -> list[tuple[int, int]]:
    """Numbers of runs and of questions with about the trials of N runs of M questions."""
    plans = [(n, N * M // n) for n in sorted({*ALTERNATIVES, N})]
    return [(n, m) for n, m in plans if m >= LEAST_QUESTIONS or n == N]


def _t(level: float, parts: int, df: float) -> float:
    """The quantile of the t distribution with the upper tail (1 - level) / parts."""
    return double(quantile(error_rate(level, parts), ext(df)))


def _first(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """The smallest number from `least` to `most` that is enough, as all larger ones are; None if there is none."""
    if not enough(most):
        return None
    low, high = least - 1, least
    while not enough(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
