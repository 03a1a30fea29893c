"""Whether the runs of a log differ more than chance explains, and whether trials are one answer repeated."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, fsum, lgamma, log1p, sqrt

import numpy as np

from ..arithmetic.distributions import beta_low
from ..arithmetic.double_double import ext, times_2_to, value
from ..display.text import listed
from ..inference import variance
from ..inference.estimate import measure_counts, parse_request
from ..inference.mean import scale
from ..inference.runs import terms
from ..outcomes.counts import Counts
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import RunVariation

LEVEL = 0.05  # of the test of all runs of a benchmark
NUMBERED = re.compile(r"\W*(run|seed|epoch|trial|rep|repeat|pass|sample|attempt)?\W*_?\d+\W*", re.IGNORECASE)
LEVEL_OF_ONE = 0.01  # of the test of the run that stands out: false alarms of both are 4 to 6%


def differing_runs(e: EvaluationData) -> dict[str, RunVariation]:
    """The benchmarks whose runs differ at these levels, which are divided by the number of benchmarks."""
    each = {name: x for name, part in e.benchmarks.items() if (x := part.run_variation)}
    return {
        name: x for name, x in each.items() if x.p_value * len(each) <= LEVEL or x.p_run * len(each) <= LEVEL_OF_ONE
    }


def named_alike(e: EvaluationData) -> list[str]:
    """A remark where runs of several models have the same names, which are no numbers: they may be the same runs."""
    for part in (x.origin or x for x in e.benchmarks.values()):
        names = Counter(run for log in part.logs.values() if log.runs for run in log.runs.names)
        common = sorted(run for run, times in names.items() if times > 1 and not NUMBERED.fullmatch(run))
        if common:
            return [
                f"The names of runs are the same in several models ({listed(common, 3, 'other')}). If these are the "
                "same runs for all models, as prompts and sessions are: --runs shared (with sampled, intervals of a "
                "model are too narrow, and comparisons find less)."
            ]
    return []


def of_some_models(e: EvaluationData) -> list[str]:
    """A remark where runs that are said to be the same for all models are not runs of all."""
    out = []
    for part in e.benchmarks.values():
        names = [log.runs.names for log in part.logs.values() if log.runs]
        times = Counter(run for x in names for run in x)
        some = sorted(run for run in times if times[run] < len(names))
        if some:
            where = f" of {part.name}" if len(e.benchmarks) > 1 else ""
            out.append(
                f"Not all models have these runs{where}: {listed(some, 3, 'other')}. Each average is over the runs of "
                "its model, and a difference may be one between easier and harder runs: leave these out for all."
            )
    return out


@dataclass(frozen=True)
class RunScore:
    """The average of a model in one run.

    Attributes
    ----------
    benchmark, model, run : str
    trials : int
    average : float, over the outcomes of the run
    deviation : float
        Average of the run minus that of the model on the same questions: equal weights where runs are complete.
    chance : float, the standard deviation of ``deviation`` that the trials of each question explain
    z : float, their ratio; 0 where chance explains no deviation
    """

    benchmark: str
    model: str
    run: str
    trials: int
    average: float
    deviation: float
    chance: float
    z: float


@dataclass(frozen=True)
class Shares:
    """The variance of a model's average on similar questions and in similar runs: the share of each source.

    Attributes
    ----------
    benchmark, model : str
    questions, runs, trials : float, of sum 1
    """

    benchmark: str
    model: str
    questions: float
    runs: float
    trials: float


def run_scores(part: Benchmark) -> Iterator[RunScore]:
    """The average of each model in each run, in the order of the log; models whose runs are not known are left out."""
    unit = scale(part.scores).unit
    for model, log in part.logs.items():
        x = log.runs
        if x is None:
            continue
        table = x.totals(len(part.scores) - 1)
        # of each run its deviation, and the standard deviation of it that chance explains
        of_model = dict[int, tuple[float, float]]()
        if y := terms(x, part.scores):
            size = y.unit * unit
            for r, I, E, W in zip(y.runs, y.influence, y.variance, y.share, strict=True):
                of_model[r] = float(I / (W * size)), sqrt(E) / size / float(W)
        for r, name in enumerate(x.names):
            n = int(table[r].sum())
            if n:
                average = fsum(times * score for times, score in zip(table[r].tolist(), part.scores, strict=True)) / n
                deviation, chance = of_model.get(r, (0.0, 0.0))
                z = deviation / chance if chance else 0.0
                yield RunScore(part.name, model, name, n, average, deviation, chance, z)


def sd_interval(part: Benchmark, x: RunVariation, confidence: float) -> tuple[float, float]:
    """Interval of the standard deviation of a run's average beyond chance; effects of runs are taken as normal.

    df ratio / lambda has a chi-square distribution with df degrees of freedom, lambda the true ratio.
    """
    whole, unit = part.origin or part, scale(part.scores).unit
    each = [y for log in whole.logs.values() if log.runs and (y := terms(log.runs, whole.scores))]
    if not each:
        return 0.0, 0.0
    # the variance of a run's average is (lambda - 1) times this
    by_chance = sum(float(y.variance_by_chance()) for y in each) / len(each) / unit**2
    ends = (x.ratio / _chi_square_over_df(x.df, 0.5 + side * confidence / 2) for side in (1, -1))
    most = (max(whole.scores) - min(whole.scores)) / 2  # no standard deviation is larger
    lo, hi = (min(sqrt(max(0.0, y - 1.0) * by_chance), most) for y in ends)
    return lo, hi


def _chi_square_over_df(df: float, p: float) -> float:
    """The quantile of a chi-square over its degrees of freedom: that of F with 10^6 in the denominator."""
    a, b = times_2_to(ext(df), -1.0), ext(0.5e6)
    if p <= 0.5:
        y = value(beta_low(ext(p), a, b))
        return y / (1.0 - y) * 1e6 / df
    y = value(beta_low(ext(1.0 - p), b, a)) if p < 1.0 else 0.0  # 1 minus the quantile
    return (1.0 - y) / y * 1e6 / df


def shares_of_variance(part: Benchmark) -> Iterator[Shares]:
    """The sources of the variance of each model's average; of models whose runs or trials show it."""
    x, request = part.run_variation, parse_request("mean", None, None, part.w, "sampled")
    for model in part.logs:
        if x is None or not part.logs[model].counts.trials.any():
            continue
        counts = request.read_outcomes(part.answered(model).counts, "raise", "R")
        measured = measure_counts(request, counts, None, None)
        p = measured.estimator.parts
        if p.single or measured.units < 2:
            continue
        total, trials = value(measured.sampling_variance), value(variance.fixed(p.x, p.M))
        parts = max(0.0, total - trials), max(0.0, x.ratio - 1.0) * trials, min(trials, total)
        if sum(parts):
            yield Shares(part.name, model, *(y / sum(parts) for y in parts))


WITHIN = 0.2  # least share of the variance of a trial that is within questions where trials are independent
FALSE_ALARMS = 0.01  # largest probability that a model with such trials is reported


def varying_questions(counts: Counts, w: Sequence[float] | None) -> tuple[int, int] | None:
    """Questions whose trials differ, and questions with two trials or more, if too few of them differ; else None.

    Of a question with n independent trials whose scores in 0..1 have the variance v these differ with a probability of
    at least 4 (1 - 2^(1 - n)) v, whatever their distribution. So the number of questions whose trials differ is at
    least binomial where ``WITHIN`` of the variance of a trial is within questions; it is too few where such a number
    is as small with a probability of at most ``FALSE_ALARMS``.
    """
    table = counts.table[counts.trials > 1]
    if not table.size:
        return None
    scores = np.arange(counts.C + 1.0) if w is None else np.asarray(w, dtype=float)
    scores = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    shares, M = table / table.sum(axis=1, keepdims=True), len(table)
    mean = float((shares @ scores).mean())
    variance = max(float((shares @ scores**2).mean()) - mean * mean, 0.0)
    p = 4.0 * (1.0 - 0.5 ** (int(table.sum(axis=1).min()) - 1)) * WITHIN * variance
    varying = int(((table > 0).sum(axis=1) > 1).sum())
    return (varying, M) if varying < M * p and _binomial_tail(varying, M, p) <= FALSE_ALARMS else None


def _binomial_tail(x: int, M: int, p: float) -> float:
    """Probability that a binomial number is at most x, for x < M p: terms fall at least geometrically below x."""
    term = exp(lgamma(M + 1) - lgamma(x + 1) - lgamma(M - x + 1) + x * math.log(p) + (M - x) * log1p(-p))
    total = 0.0
    while term > 1e-12 * total:
        total += term
        term *= x * (1.0 - p) / ((M - x + 1) * p)
        x -= 1
    return total
