"""One answer chosen from k trials: by a majority vote, or by a score."""

from __future__ import annotations

from typing import Any, SupportsIndex

from .. import arguments
from ..arithmetic import double_double
from ..errors import InvalidInput, shown
from ..inference.choice import mean
from ..metrics.metric import read_metric
from ..outcomes.answers import Answers, Detailed, ScoredTrials
from ..outcomes.checks import check_trials
from ..results import VoteTies

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
