"""From the arguments of an interval or a comparison to the parts of its noise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ONE, ZERO, Triple
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..metrics.metric import Metric
from ..outcomes.checks import population
from ..outcomes.counts import Counts
from ..outcomes.tally import count
from . import variance
from .estimator import Mean, Side
from .max_at_k import Best
from .u_statistic import Credit

NO_INTERVAL = "no interval beyond the trials; eval.extrapolate() says what a law gives"


class Measured(NamedTuple):
    """A metric of one model and the noise asked for: by its share that of the trials, by the rest that of both."""

    side: Side
    units: int
    share: Triple
    rest: Triple
    variance_source: str
    dropped: list[int]

    @property
    def known(self) -> tuple[Any, ...]:
        """What the kernels of an interval take."""
        p = self.side.parts
        return p.x, p.M, p.k, self.units, p.single, self.share, self.rest


def checked_law(x: Any) -> bool:
    """Whether noise that the trials do not show is taken from the beta law."""
    return x is not None and arguments.choice(x, "law", ("beta",)) == "beta"


def side(m: Metric, counts: Counts, by_law: bool) -> Side:
    """Counts under a metric; every question has k trials."""
    kind = {"mean": Mean, "max_at_k": Best}.get(m.name, Credit)
    return kind(m, counts, by_law)


def enough(counts: Counts, k: int, what: str, hint: str) -> None:
    """A question has k trials or none."""
    if k > counts.fewest:
        few = np.flatnonzero((counts.trials > 0) & (counts.trials < k)).tolist()
        if few:
            names = ", ".join(map(str, few[:5])) + (", ..." if len(few) > 5 else "")
            many = "question" if len(few) == 1 else f"{len(few)} questions"
            raise InvalidInput("range", "k", f"k = {k} is above the trials of {many} of {what} ({names}): {hint}")


def with_trials(counts: Counts, name: str = "R") -> tuple[Counts, list[int]]:
    """The counts of the questions that have a trial, and the others."""
    if counts.fewest:
        return counts, []
    keep = counts.trials > 0
    if not keep.any():
        raise InvalidInput("no_trials", name, f"no question of {name} has a trial")
    return counts.select(keep), counts.empty


def measured(
    R: Any, m: Metric, w_given: bool, questions: Any, pool: Any, clusters: Any, by_law: bool, missing: Any
) -> Measured:
    """The checked arguments, and the parts."""
    sampled = arguments.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    counts = count(R, m.C, missing, w_given=w_given)
    pool, labels = population(pool, clusters, sampled, counts)
    enough(counts, m.k, "R", NO_INTERVAL)
    kept, dropped = with_trials(counts)
    found = side(m, kept, by_law)
    p = found.parts
    units, share, rest = p.M, ZERO if sampled else ONE, ONE if sampled else ZERO
    if pool is not None:
        share, rest = from_ratio(p.M, pool), from_ratio(pool - p.M, pool)
    if labels is not None:
        labels = np.unique(labels[counts.trials > 0], return_inverse=True)[1]
        units, p.x[variance.DEVIATIONS] = found.clusters(labels)
    bound = sampled and units == 1
    known = "upper bound" if bound else "measured" if sampled and pool is None else p.known()
    return Measured(found, units, share, rest, known, dropped)
