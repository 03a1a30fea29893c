"""Steps that the metrics share: from R to counts, and from counts to means over questions.

A state is a pair (trials, successes) that some question has. A table has a row, a number in extended precision, for
each state of the counts; a kernel is a function that fills tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Bounds, Missing, Reals
from ..arithmetic import double_double
from ..arithmetic.distributions import normal_z
from ..arithmetic.double_double import Table, Triple
from ..arithmetic.jit import THREADS, on_threads, thread_slices
from ..display.progress import bar
from ..errors import InvalidInput
from ..metrics import hypergeometric, posterior
from ..outcomes.checks import check_trials, no_empty
from ..outcomes.counts import Counts
from ..outcomes.models import is_flat
from ..outcomes.tally import Outcomes, count
from ..results import Interval

UNIT: Bounds = (0.0, 1.0)
PARALLEL_WORK = 1 << 14  # terms; below it threads cost more than they save
LONG = 1 << 28  # terms; from this many on they take seconds, and a progress bar is shown


def count_binary(R: Outcomes, missing: Missing) -> Counts:
    """Counts of binary outcomes; every question must have a trial."""
    return no_empty(count(R, 1, missing))


def with_k_trials(R: Outcomes, k: Any, missing: Missing) -> tuple[Counts, int]:
    """Counts of binary outcomes, and k; every question must have at least k trials."""
    k = arguments.number_of_trials(k)
    counts = count_binary(R, missing)
    check_trials(counts, k)
    return counts, k


def scored_counts(R: Outcomes, w: Reals | None, R0: Outcomes | None, missing: Missing) -> tuple[Counts, list[float]]:
    """Counts of the categories that w scores, with the outcomes of R0 added; and the checked w."""
    has_scores, w = w is not None, arguments.category_scores(w)
    counts = no_empty(count(R, len(w) - 1, missing, has_scores=has_scores))
    if R0 is not None:
        if is_flat(R0) and len(counts.trials) > 1:
            what = f"R0 has one dimension, R has {len(counts.trials)} questions"
            raise InvalidInput("shape", "R0", f"{what}: R0[:, None] of an array gives each one prior outcome")
        prior = count(R0, len(w) - 1, missing, name="R0", has_scores=has_scores)
        counts = counts._plus(prior, ("R", "R0"))
    return counts, w


def mean_over_states(counts: Counts, kernel: Any, *args: Any) -> Triple:
    """Mean over questions of the values that a kernel computes for their states; args: k, then more for the kernel."""
    (out,) = tables(counts, kernel, 1, *args)
    return double_double.mean(out, counts.states().mult, counts.M)


def credit_mean(counts: Counts, k: int, w: Table) -> Triple:
    """Mean over questions of sum_r w_r P(at least r of k sampled trials succeed)."""
    A = np.zeros_like(w)
    hypergeometric.credits(w, A)
    return mean_over_states(counts, hypergeometric.credit_at_k, k, A)


def tables(counts: Counts, kernel: Any, number: int, k: int, *args: Any) -> list[Table]:
    """Fill `number` tables over all states by a kernel: in parts on threads, with a progress bar if it takes long."""
    s = counts.states()
    out = [np.empty((s.n.size, 3)) for _ in range(number)]
    work = k * k if kernel is posterior.spectrum_at_k else k  # terms per state

    def fill(part: slice) -> None:
        kernel(s.n[part], s.c[part], k, *args, *(x[part] for x in out))

    if s.n.size * work < LONG:
        on_threads(fill, thread_slices(s.n.size, s.n.size * work >= PARALLEL_WORK))
        return out
    with bar("counts of successes", s.n.size, None) as advance:
        step = max(1, LONG // (10 * work))  # states of a part: a tenth of LONG terms, so that the bar moves often
        for start in range(0, s.n.size, THREADS * step):
            stop = min(start + THREADS * step, s.n.size)
            on_threads(fill, [slice(i, min(i + step, stop)) for i in range(start, stop, step)])
            advance(stop - start)
    return out


def normal_interval(mu: Triple, var: Triple, confidence: float, bounds: Bounds) -> Interval:
    """The interval mu -/+ z sigma, clipped into the bounds."""
    return Interval(*double_double.normal_interval(mu, var, normal_z(confidence), *bounds))


class BetaPosterior(NamedTuple):
    """Checked arguments of the intervals from independent beta posteriors of the questions."""

    confidence: float
    bounds: Bounds
    priors: Bounds = (1.0, 1.0)

    def interval(self, counts: Counts, kernel: Any, k: int, *args: Any) -> Interval:
        """The normal interval of a mean over questions, whose mean and variance in each state a kernel computes."""
        return self._summary(counts, *tables(counts, kernel, 2, k, *args, *self.priors))

    def spectrum_interval(self, counts: Counts, k: int, w: Table, *, upper_half: bool = False) -> Interval:
        """The normal interval of the spectrum w, averaged over questions."""
        return self._summary(counts, *self.spectrum(counts, k, w, upper_half)[:2])

    def spectrum(self, counts: Counts, k: int, w: Table, upper_half: bool) -> list[Table]:
        """Mean and variance of the spectrum w in each state, and its covariance with Pass@k.

        upper_half: whether w are the weights of mG-Pass@k, which have a faster kernel.
        """
        kernel = posterior.upper_half_at_k if upper_half else posterior.spectrum_at_k
        return tables(counts, kernel, 3, k, w, *self.priors)

    def _summary(self, counts: Counts, mu: Table, var: Table) -> Interval:
        z = normal_z(self.confidence)
        return Interval(*double_double.summary(mu, var, counts.states().mult, counts.M, z, *self.bounds))


def beta_posterior(confidence: Any, bounds: Any, alpha0: Any, beta0: Any) -> BetaPosterior:
    """Check the arguments that all intervals from beta posteriors share."""
    return BetaPosterior(arguments.confidence(confidence), arguments.bounds(bounds), arguments.priors(alpha0, beta0))
