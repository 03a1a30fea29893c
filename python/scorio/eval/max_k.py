"""The best of k trials: Max@k, and one answer chosen by a majority vote or by a score."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import Bounds, Missing, Reals
from ..arithmetic import double_double
from ..arithmetic.double_double import Ratio, Triple
from ..errors import InvalidInput, shown
from ..inference.choice import mean
from ..metrics import hypergeometric, posterior, rewards
from ..metrics.metric import read_metric
from ..outcomes.answers import Answers, Detailed, ScoredTrials
from ..outcomes.checks import check_trials
from ..outcomes.counts import Counts
from ..outcomes.states import distinct, joint_states, states_of
from ..outcomes.tally import Outcomes
from ..results import Interval, VoteTies
from ._shared import BetaPosterior, mean_over_states, normal_interval, scored_counts
from .bayes import bayes_ci


def max_at_k(R: Outcomes, k: SupportsIndex, w: Reals | None = None, *, missing: Missing = "raise") -> float:
    """Max@k: expected best score among k trials sampled from the N, averaged over questions.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    k : int, 1 <= k <= N
        Number of trials sampled; with unequal trials at most the smallest N.
    w : array_like, shape (C+1,), optional
        Score w[j] of category j; need not increase with j; default (0, 1), which makes this Pass@k.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    float
        In [min w, max w], in units of w.

    Raises
    ------
    InvalidInput
        R, k or w is invalid.

    Notes
    -----
    Bagirov et al. 2025, arXiv:2510.23393. This scores the best of k trials, not a model that must choose one of them.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.max_at_k([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0]), 6)
    0.85
    """
    k = arguments.number_of_trials(k)
    counts, w = scored_counts(R, w, None, missing)
    check_trials(counts, k)
    if w == [0.0, 1.0]:
        return double_double.value(mean_over_states(counts, hypergeometric.pass_at_k, k))
    return double_double.value(rewards.max_at_k(counts, rewards.read(counts, w), k)) + 0.0


def max_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    w: Reals | None = None,
    R0: Outcomes | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of the expected best score among k new trials; any k >= 1.

    Parameters
    ----------
    R, w, R0, missing
        As in :func:`bayes`.
    k : int >= 1
        Number of new trials, which may exceed N. k = 1 is :func:`bayes_ci`.
    confidence : float in (0, 1)
        Posterior probability of the interval.
    bounds : (lo, hi), optional
        Both ends are clipped into these. Default: the smallest and largest score for k >= 2, none for k = 1.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma, in units of w.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Each question has a Dirichlet posterior, as in :func:`bayes`. The prior is uniform: with a large k it gives credit
    for scores that never occurred.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.max_at_k_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0])
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.75, 0.08812, 0.5773, 0.9227)
    """
    k = arguments.number_of_trials(k)
    if k == 1:
        return bayes_ci(R, w, R0, confidence, bounds, missing=missing)
    confidence = arguments.confidence(confidence)
    counts, w = scored_counts(R, w, R0, missing)
    clip = arguments.bounds(bounds, (min(w), max(w)))
    if w == [0.0, 1.0]:  # the uniform Dirichlet prior of two categories is Beta(1, 1)
        return BetaPosterior(confidence, clip).interval(counts, posterior.pass_at_k, k)
    levels = rewards.read(counts, w)
    if isinstance(levels, rewards.Stretches):
        return normal_interval(*_dirichlet_max_of_stretches(counts, len(w), levels, k), confidence, clip)
    # the prior is like one trial of each category
    A = [b + b.dtype.type(number) for b, number in zip(levels.below, levels.sizes, strict=True)]
    mu, var = (
        _dirichlet_max(counts, len(w), A, levels.rewards, k) if A else (double_double.ext(w[0]), double_double.ZERO)
    )
    return normal_interval(mu, var, confidence, clip)


def _dirichlet_max(
    counts: Counts, prior: int, A: Sequence[npt.NDArray[Any]], r: Sequence[float], k: int
) -> tuple[Triple, Triple]:
    """Posterior mean and variance of the expected best score of k new trials, averaged over questions.

    That score is r_L - sum_l (r_{l+1} - r_l) p_l^k, with p_l the probability of a score of at most r_l (r has the
    distinct scores r_1..r_L). The posterior of p_l is Beta(A_l, T - A_l), where T is the number of trials plus `prior`,
    the number of categories, and A_l the part of T with a score of at most r_l. Covariances are summed over pairs of
    levels. A state is (T, A_l); if T is the same for all questions, A_l alone identifies it.
    """
    M, T = counts.M, counts.trials + prior
    if counts.uniform:
        size, indices = int(T[0]) + 1, list(A)
    else:
        table, index = distinct(np.concatenate([T] * len(A)), np.concatenate(A).astype(np.int64))
        size, indices = table.n.size, [index[l * M : (l + 1) * M] for l in range(len(A))]
    joint = {(l, m): joint_states(indices[l], indices[m], size) for m in range(len(A)) for l in range(m + 1)}
    if counts.uniform:
        occurring = np.unique(np.concatenate([joint[l, l].n for l in range(len(A))]))
        n, c = np.full(occurring.size, int(T[0])), occurring
    else:
        occurring, n, c = np.arange(size), table.n, table.c
    pass_, power_, var = (np.zeros((size, 3)) for _ in range(3))
    pass_[occurring], power_[occurring], var[occurring] = _power_moments(c, n, k)
    means = [double_double.mean(pass_[s.n], s.mult, M) for s in (joint[l, l] for l in range(len(A)))]

    def exact(W: list[int]) -> Ratio:  # W: the distinct scores as integers
        return hypergeometric.exact_max(W, [states_of(np.array(T), a.astype(np.int64)) for a in A], k, k - 1)

    mu = rewards.sum_over_gaps(r, means, exact)
    gaps = rewards.gaps(r)
    total = double_double.ZERO
    for (l, m), s in joint.items():
        cov = posterior.level_covariance(s.n, s.c, s.mult, power_, var)
        cov = double_double.mul(double_double.mul(gaps[l], gaps[m]), cov)
        total = double_double.add(total, cov if l == m else double_double.add(cov, cov))
    n_questions = double_double.ext(float(M))
    return mu, double_double.div(double_double.div(total, n_questions), n_questions)


def _power_moments(c: npt.NDArray[Any], n: npt.NDArray[Any], k: SupportsIndex) -> tuple[npt.NDArray[Any], ...]:
    """The means of 1 - p^k and of p^k, and the variance of p^k, for p ~ Beta(c, n - c)."""
    out = tuple(np.empty((n.size, 3)) for _ in range(3))
    posterior.lower_tail_powers(c, n, k, *out)
    return out


def _dirichlet_max_of_stretches(counts: Counts, prior: int, levels: rewards.Stretches, k: int) -> tuple[Triple, Triple]:
    """Mean and variance as in _dirichlet_max(), of many levels: A_l is sizes[l] + b, b constant on each stretch.

    Sums over stretches are put together from sums over runs of levels, which questions with the same b share.
    """
    M, sizes, r = counts.M, np.array(levels.sizes), np.array(levels.rewards)
    sums = np.zeros((4 * M, 3))
    for n, states in groupby(levels.by_state(), lambda x: x[0]):
        stretches = [(b, at, int(levels.low[at].min()), int(levels.high[at].max())) for _, b, at in states]
        used = np.zeros(n + prior + 1, bool)
        for below, _, start, stop in stretches:
            used[sizes[start:stop] + below] = True
        A, index = np.flatnonzero(used), np.cumsum(used) - 1
        moments = _power_moments(A, np.full(A.size, n + prior), k)
        for below, at, start, stop in stretches:
            runs = np.empty((8 * (stop - start), 3))
            posterior.runs_of_levels(index[sizes[start:stop] + below], r[start : stop + 1], *moments, runs)
            low, high = levels.low[at] - start, levels.high[at] - start
            posterior.append_levels(levels.question[at], low, high, stop - start, runs, sums)
    ones = np.ones(M, np.int64)
    mean = double_double.mean(sums[3::4].copy(), ones, M)
    total, n_questions = double_double.weighted_sum(sums[2::4].copy(), ones), double_double.ext(float(M))
    mu = rewards.unless_cancelled(
        double_double.add(double_double.ext(levels.rewards[0]), mean),
        levels.rewards,
        lambda W: rewards.exact_dirichlet_max(levels, prior, k, M, W),
    )
    return mu, double_double.div(double_double.div(total, n_questions), n_questions)


TIES = {"even": "plurality_at_k", "none": "strict_plurality_at_k"}


def plurality_at_k(answers: Answers, k: SupportsIndex, ties: VoteTies = "even") -> float:
    """Plurality@k: probability that the most frequent answer among k sampled trials is right, averaged over questions.

    This is the score of a majority vote of k trials (self-consistency, cons@k, maj@k of the actual answers).

    Parameters
    ----------
    answers : Answers
        The answers of M questions, and which are right.
    k : int, 1 <= k <= N
        Trials sampled without replacement; with unequal trials at most the smallest N.
    ties : {"even", "none"}
        What happens if several answers share the first place: "even", each is chosen with the same probability;
        "none", such a vote has no winner and counts as wrong. Code that breaks ties by the answer seen first, as
        ``Counter.most_common`` does, agrees with "even" on average if trials are in random order.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        answers, k or ties is invalid; no_trials: a question without a trial.

    Notes
    -----
    The value of a question with n trials is a sum over the right answers (of r trials each), over their m >= 1 votes
    among the k, and over T: C(r, m) times the number of ways to sample the other k - m trials, with no other answer
    more than m times and exactly T of them m times, divided by (1 + T) C(n, k). A trial without an answer may be
    sampled, and casts no vote. The sum is exact, in integers; the time grows with n k.

    :func:`maj_at_k` uses only which trials are right and needs more than half of them right: where every question has
    one right answer it is a lower bound, usually far below, since wrong answers rarely agree. With an interval:
    :func:`interval` of "plurality_at_k" (ties "even") or "strict_plurality_at_k" (ties "none"), best with n >= 2k: with
    k = n its 95% intervals cover in 87% of runs where on most questions one wrong answer is as frequent as the right
    one, else in 93.5% or more.

    Examples
    --------
    >>> import scorio
    >>> a = scorio.Answers([["4", "4", "5", "6"], ["9", "3", "9", "8"]], ["4", "9"])
    >>> round(scorio.eval.plurality_at_k(a, 3), 4), scorio.eval.maj_at_k(a, 3)
    (0.6667, 0.5)
    >>> scorio.eval.plurality_at_k(a, 3, ties="none")
    0.5
    """
    metric = TIES[arguments.choice(ties, "ties", tuple(TIES))]
    return _chosen_value(answers, Answers, "answers", metric, k)


def best_of_k(scored: ScoredTrials, k: SupportsIndex) -> float:
    """Best-of-k: probability that of k sampled trials the one with the highest score is right, averaged over questions.

    Parameters
    ----------
    scored : ScoredTrials
        Scores and outcomes of M questions.
    k : int, 1 <= k <= N
        Trials sampled without replacement; with unequal trials at most the smallest N.

    Returns
    -------
    float
        In [0, 1]. Of trials with equal scores each is equally likely to be chosen.

    Raises
    ------
    InvalidInput
        scored or k is invalid; no_trials: a question without a trial.

    Notes
    -----
    Each distinct score adds x (C(b + m, k) - C(b, k)) / C(n, k) to the value of a question with n trials: m trials have
    this score, a share x of them is right, and b trials have a lower score. :func:`max_at_k` is what a perfect score
    would reach. With an interval: :func:`interval` of "best_of_k".

    Examples
    --------
    >>> import scorio
    >>> s = scorio.ScoredTrials([[0.9, 0.2, 0.3], [0.1, 0.5, 0.4]], [[1, 0, 1], [0, 0, 1]])
    >>> round(scorio.eval.best_of_k(s, 2), 4)
    0.6667
    """
    return _chosen_value(scored, ScoredTrials, "scored", "best_of_k", k)


def _chosen_value(x: Any, kind: type[Detailed], name: str, metric: str, k: Any) -> float:
    """Mean over questions of a metric that chooses one of k trials, by votes or by scores."""
    if not isinstance(x, kind):
        raise InvalidInput("type", name, f"{name} must be scorio.{kind.__name__}(...), not {shown(x)}")
    m = read_metric(metric, k, None, None, (metric,))
    if not x.min_trials:
        raise InvalidInput("no_trials", name, f"question {x.counts.empty[0]} of {name} has no trial: leave it out")
    check_trials(x, m.k, name)
    return double_double.value(mean(m, x))
