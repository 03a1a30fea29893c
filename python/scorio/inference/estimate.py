"""From the arguments of an interval or a comparison to the parts of its variance: parsed here and nowhere else."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ONE, ZERO, Triple
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..metrics.metric import Metric, read_metric
from ..outcomes.checks import answered, enough_trials, population
from ..outcomes.counts import Counts
from ..outcomes.models import check_flat, check_labels
from ..outcomes.tally import count
from . import variance
from .estimator import Mean, Side
from .max_at_k import Best
from .u_statistic import Credit

NO_INTERVAL = "no interval beyond the trials; eval.extrapolate() says what a model of the questions gives"
NO_DIFFERENCE = "no difference is known beyond the trials"


class Asked(NamedTuple):
    """What is asked of a model or of two: the metric, and which variance counts."""

    m: Metric
    w_given: bool
    by_law: bool  # variances that the trials do not show are taken from the beta-binomial model
    sampled: bool

    def side(self, counts: Counts) -> Side:
        """Counts under the metric; every question has k trials."""
        kind = {"mean": Mean, "max_at_k": Best}.get(self.m.name, Credit)
        return kind(self.m, counts, self.by_law)


class Pair(NamedTuple):
    """Two models under a metric."""

    a: Side
    b: Side
    paired: bool
    dropped: list[int]


class Measured(NamedTuple):
    """A metric of one model and the variance asked for: share of it is that of the trials alone, rest that of both."""

    side: Side
    units: int
    share: Triple
    rest: Triple
    variance_source: str
    dropped: list[int]

    @property
    def known(self) -> variance.Known:
        """What the kernels of an interval take."""
        p = self.side.parts
        return variance.Known(p.x, p.M, p.k, self.units, p.single, self.share, self.rest)


def ask(metric: Any, k: Any, tau: Any, w: Any, questions: Any, law: Any = "beta") -> Asked:
    """What is asked of one model or two, checked."""
    m = read_metric(metric, k, tau, w)
    by_law = law is not None and arguments.choice(law, "law", ("beta",)) == "beta"
    sampled = arguments.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    return Asked(m, w is not None, by_law, sampled)


def measured(asked: Asked, R: Any, pool: Any, clusters: Any, missing: Any) -> Measured:
    """The metric of one model, and where its questions came from."""
    counts = count(R, asked.m.C, missing, w_given=asked.w_given)
    pool, labels = population(pool, clusters, asked.sampled, counts)
    enough_trials(counts, asked.m.k, "R", NO_INTERVAL, answered=True)
    (kept,), dropped = answered("R", counts)
    x = asked.side(kept)
    p = x.parts
    units, share, rest = p.M, ZERO if asked.sampled else ONE, ONE if asked.sampled else ZERO
    if pool is not None:
        share, rest = from_ratio(p.M, pool), from_ratio(pool - p.M, pool)
    if labels is not None:
        labels = np.unique(labels[counts.trials > 0], return_inverse=True)[1]
        units, p.x[variance.DEVIATIONS] = x.clusters(labels)
    bound = asked.sampled and units == 1
    known = "upper bound" if bound else "measured" if asked.sampled and pool is None else p.known()
    return Measured(x, units, share, rest, known, dropped)


def pair(asked: Asked, A: Any, B: Any, names: tuple[str, str], paired: Any, missing: Any) -> Pair:
    """Two models under a metric, row by row on the same questions unless they are not paired."""
    paired = arguments.flag(paired, "paired")
    if not paired and not asked.sampled:
        raise InvalidInput("conflict", "paired", 'paired=False, different questions, needs questions="sampled"')
    for x, name in zip((A, B), names, strict=True):
        check_flat(x, name)
    if paired:
        check_labels([A, B], names[1])
    a, b = (count(x, asked.m.C, missing, name=n, w_given=asked.w_given) for x, n in zip((A, B), names, strict=True))
    dropped: list[int] = []
    if paired:
        same_number(a, b, names)
        (a, b), dropped = answered(names[0], a, b)
    else:
        a, b = (answered(n, x)[0][0] for x, n in zip((a, b), names, strict=True))
    for x, name in zip((a, b), names, strict=True):
        enough_trials(x, asked.m.k, name, NO_DIFFERENCE)
    return Pair(asked.side(a), asked.side(b), paired, dropped)


def same_number(a: Counts, b: Counts, names: tuple[str, str]) -> None:
    """Paired models have equally many questions."""
    if b.M != a.M:
        A, B = names
        raise InvalidInput("shape", B, f"{B} has {b.M} questions, {A} has {a.M}: they must be the same ones")
