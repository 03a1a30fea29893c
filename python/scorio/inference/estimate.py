"""From the arguments of an interval or a comparison to the parts of its variance: parsed here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ONE, ZERO, Triple, add, get, mul
from ..arithmetic.rational import from_ratio
from ..display.text import number
from ..errors import InvalidInput
from ..metrics.metric import FACTS, Metric, allowed, read_metric
from ..outcomes.answers import Answers, Detailed, ScoredTrials
from ..outcomes.checks import answered, enough_trials, population
from ..outcomes.counts import Counts
from ..outcomes.models import check_flat
from ..outcomes.pairing import paired as on_same_questions
from ..outcomes.tally import count
from ..results import VarianceSource
from . import variance
from .choice import Choice
from .clusters import Units, parts_of
from .degrees_of_freedom import of_questions, of_units, pooled, smaller
from .estimator import Mean, Side
from .max_at_k import Best
from .u_statistic import Credit

ONE_TWELFTH = from_ratio(1, 12)
NO_INTERVAL = "no interval beyond the trials; eval.extrapolate() gives the band that the trials leave open"
NO_DIFFERENCE = "no difference is known beyond the trials"
COUNTED = allowed("interval")  # metrics of counts
ALL = allowed("interval", "vote", "score")  # and those that choose one of k answers


class Asked(NamedTuple):
    """What is asked of a model or of two: the metric, and which variance counts."""

    m: Metric
    w_given: bool
    by_law: bool  # variances that the trials do not show are taken from a mixture of success rates
    sampled: bool

    def read(self, R: Any, missing: Any, name: str) -> Counts | Detailed:
        """What the metric needs to know of outcomes: their counts, or which answer or score each trial has."""
        where = FACTS[self.m.name].where
        counts = count(R, self.m.C, missing, name=name, w_given=self.w_given)
        for place, kind in (("vote", Answers), ("score", ScoredTrials)):
            if place in where:
                if not isinstance(R, kind):
                    raise InvalidInput("type", name, f"{self.m.name} needs {name} as scorio.{kind.__name__}(...)")
                return R
        return counts

    def completions(self, R: Any, name: str) -> tuple[Counts, Counts, Counts]:
        """Counts without the missing outcomes, with all of them at the lowest score, and at the highest."""
        if self.m.flips or "interval" not in FACTS[self.m.name].where:
            what = f"{self.m.name} has no bounds: missing outcomes at one score are neither its lowest nor its highest"
            raise InvalidInput("conflict", "missing", f"{what} value", "drop")
        counts = count(R, self.m.C, "drop", name=name, w_given=self.w_given)
        return counts, *counts.completions(self.m.w)

    def side(self, counts: Counts | Detailed) -> Side:
        """Counts under the metric; every question has k trials."""
        if isinstance(counts, Detailed):
            return Choice(self.m, counts)
        kind = {"mean": Mean, "max_at_k": Best}.get(self.m.name, Credit)
        return kind(self.m, counts, self.by_law)


class Pair(NamedTuple):
    """Two models under a metric, and the clusters of the questions of both."""

    a: Side
    b: Side
    paired: bool
    dropped: list[int]
    units: Units | None = None


class Measured(NamedTuple):
    """A metric of one model and the variance asked for: share of it is that of the trials alone, rest that of both."""

    side: Side
    units: int
    draw: Triple  # the variance over the draw of units
    unit: Triple  # what one of them weighs
    freedom: Triple  # of the t law of the variance; ZERO: the normal law
    freedom_of_units: Triple  # of that where n0 bounds the variance: clusters of unequal sizes know it less well
    share: Triple
    rest: Triple
    variance_source: VarianceSource
    dropped: list[int]

    @property
    def known(self) -> variance.Known:
        """What the kernels of an interval take."""
        p = self.side.parts
        return variance.Known(p.x, p.M, p.k, self.draw, self.unit, p.single, self.share, self.rest)


def ask(
    metric: Any, k: Any, tau: Any, w: Any, questions: Any, law: Any = "mixture", allowed: Sequence[str] = COUNTED
) -> Asked:
    """What is asked of one model or two, checked."""
    m = read_metric(metric, k, tau, w, allowed)
    by_law = law is not None and arguments.choice(law, "law", ("mixture",)) == "mixture"
    sampled = arguments.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    return Asked(m, w is not None, by_law, sampled)


def measured(asked: Asked, R: Any, pool: Any, clusters: Any, missing: Any) -> Measured:
    """The metric of one model, and where its questions came from."""
    return measured_of(asked, asked.read(R, missing, "R"), pool, clusters)


def measured_of(asked: Asked, counts: Counts | Detailed, pool: Any, clusters: Any) -> Measured:
    """The same of counts."""
    pool, labels = population(pool, clusters, asked.sampled, counts)
    enough_trials(counts, asked.m.k, "R", NO_INTERVAL, True, asked.m.flips)
    (kept,), dropped = answered("R", counts)
    x = asked.side(kept)
    p = x.parts
    share, rest = ZERO if asked.sampled else ONE, ONE if asked.sampled else ZERO
    if pool is not None:
        share, rest = from_ratio(p.M, pool), from_ratio(pool - p.M, pool)
    units = units_of(labels, dropped) or Units(p.M)
    draw, freedom, freedom_of_units = draw_of(x, units, asked.sampled or p.single)
    if pool is not None and not p.single and freedom[0]:
        within, drawn = mul(share, variance.fixed(p.x, p.M)), mul(rest, variance.sampled(p.x, p.M, draw, p.single))
        freedom = pooled(add(within, drawn), [(drawn, freedom)]) if drawn[0] else ZERO
    bound = asked.sampled and units.G == 1
    known = "upper bound" if bound else "measured" if asked.sampled and pool is None else p.known()
    return Measured(x, units.G, draw, units.share(0), freedom, freedom_of_units, share, rest, known, dropped)


def draw_of(x: Side, units: Units, sampled: bool) -> tuple[Triple, Triple, Triple]:
    """The variance over the draw of units, its degrees of freedom, and those of clusters by their sizes alone.

    Of fixed questions, and of a single unit whose variance is only bounded, there are none.
    """
    p = x.parts
    if units.labels is None:
        freedom = of_questions(*x.own_spread()[:2], ONE_TWELFTH, p.M) if sampled and p.M > 1 else ZERO
        return variance.sampling_of_questions(p.x, p.M), freedom, ZERO
    if units.G == 1:
        return ONE_TWELFTH, ZERO, ZERO
    u, which = x.values()
    Z, squares = parts_of(units, units.means(which, u), get(p.x, variance.THETA))
    part = units.stabiliser()
    return add(Z, part), smaller(of_units(Z, squares, part, units.G), units.freedom), units.freedom


def pair(asked: Asked, A: Any, B: Any, names: tuple[str, str], paired: Any, missing: Any, clusters: Any = None) -> Pair:
    """Two models under a metric, row by row on the same questions unless they are not paired."""
    paired = arguments.flag(paired, "paired")
    if not paired and not asked.sampled:
        raise InvalidInput("conflict", "paired", 'paired=False, different questions, needs questions="sampled"')
    if not paired and clusters is not None and clusters is not False:
        raise _unpaired_clusters()
    for x, name in zip((A, B), names, strict=True):
        check_flat(x, name)
    a, b = (asked.read(x, missing, n) for x, n in zip((A, B), names, strict=True))
    if not paired and clusters is not False and (a.clusters or b.clusters):
        raise _unpaired_clusters()
    dropped: list[int] = []
    units = None
    if paired:
        of_counts = asked.sampled and clusters is None
        a, b = on_same_questions([a, b], names, names.__getitem__, missing, of_counts)
        labels = population(None, clusters, asked.sampled, a)[1]
        (a, b), dropped = answered(names[0], a, b)
        units = units_of(labels, dropped)
    else:
        a, b = (answered(n, x)[0][0] for x, n in zip((a, b), names, strict=True))
    for x, name in zip((a, b), names, strict=True):
        enough_trials(x, asked.m.k, name, NO_DIFFERENCE, flips=asked.m.flips)
    return Pair(asked.side(a), asked.side(b), paired, dropped, units)


def _unpaired_clusters() -> InvalidInput:
    """Clusters of questions of which each model answered others."""
    what = "clusters group questions that both answered: not with paired=False, where clusters=False ignores them"
    return InvalidInput("conflict", "clusters", what)


def units_of(labels: Any, dropped: list[int]) -> Units | None:
    """The clusters of the questions that are left."""
    if labels is None:
        return None
    kept = np.delete(labels, dropped)
    if (unknown := int((kept < 0).sum())) > 0:
        what = f"no model says the cluster of {number(unknown, 'question')}: give clusters, or clusters=False for none"
        raise InvalidInput("conflict", "clusters", what)
    return Units(int(kept.size), kept)
