"""The rows of a leaderboard: every number is that of a function of :mod:`scorio.eval` on the counts of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import arguments, eval
from ..display.text import span
from ..errors import InvalidInput
from ..io import Log
from ..io.transition import own_scale
from ..outcomes.checks import too_few_trials
from ..outcomes.counts import Counts
from ..results import Estimate, Listing, MetricInterval

MOST_LEVELS = 1024  # distinct scores of which Max@k is computed unasked


class Row(NamedTuple):
    """One model of a leaderboard.

    Attributes
    ----------
    rank : int
        Rank by average, best first; equal averages share the better rank (1, 2, 2, 4).
    model : str
        Name of the model.
    questions : int
        Number of questions with at least one trial; all numbers of the row are about these.
    trials : (int, int)
        Fewest and most trials per question.
    average : MetricInterval
        Average score with its confidence interval.
    at_k : dict of int to MetricInterval
        Of Pass@k for each k, or of Max@k if weights were given; from :func:`scorio.eval.interval`.
    bayes : Estimate or None
        Bayes@N of :func:`scorio.eval.bayes`, if asked for.
    missing : int
        Outcomes that the log does not contain, however they were treated; questions without a trial included.
    """

    rank: int
    model: str
    questions: int
    trials: tuple[int, int]
    average: MetricInterval
    at_k: dict[int, MetricInterval]
    bayes: Estimate | None
    missing: int

    def record(self, metric: str) -> dict[str, Any]:
        """The row as a dict of plain values; metric is "pass" or "max"."""
        return (
            {
                "rank": self.rank,
                "model": self.model,
                "questions": self.questions,
                "trials_min": self.trials[0],
                "trials_max": self.trials[1],
                "missing": self.missing,
                "average": self.average.mu,
                "sigma": self.average.sigma,
                "lo": self.average.lo,
                "hi": self.average.hi,
                "questions_as": self.average.questions,
                "variance_source": self.average.variance_source,
                "n_eff": self.average.n_eff,
            }
            | {
                f"{metric}@{k}{end}": y
                for k, x in self.at_k.items()
                for end, y in (("", x.mu), ("_lo", x.lo), ("_hi", x.hi), ("_variance_source", x.variance_source))
            }
            | ({} if self.bayes is None else {"bayes_mu": self.bayes.mu, "bayes_sigma": self.bayes.sigma})
        )

    def shown(self) -> dict[str, Any]:
        """The cells of a table of models."""
        average = self.average
        form = ".3f" if average.hi >= 0.01 else ".4g"  # the same digits in a column, but on a scale that is tiny
        return {
            "#": str(self.rank),
            "model": self.model,
            "average": f"{average.mu:{form}}",
            "interval": f"{average.lo:{form}} to {average.hi:{form}}",
            **{f"@{k}": f"{x.mu:{form}}" for k, x in self.at_k.items()},
            "questions": f"{self.questions:,}",
            "trials": span(*self.trials, "–"),
        }

    @property
    def intervals(self) -> list[MetricInterval]:
        """The interval of the average, then those of each k."""
        return [self.average, *self.at_k.values()]


def leaderboard(
    logs: Mapping[str, Log],
    *,
    k: int | Iterable[int] | None = None,
    questions: str = "fixed",
    confidence: float = 0.95,
    weights: Sequence[float] | None = None,
    bayes: bool = False,
) -> list[Row]:
    """Rank models by their average.

    Parameters
    ----------
    logs : mapping of str to Log
        Logs by name of the model, as :func:`scorio.io.read` returns them. Questions without a trial are left out.
    k : int or iterable of int, optional
        Numbers of trials for Pass@k, at most the fewest trials of any question of any model. Default: 2, and the
        larger of 4 and 8 that the trials allow.
    questions : {"fixed", "sampled"}
        What the intervals are about: this question set, so that they account for trial-to-trial variance; or the
        population of similar questions, so that they account for question-sampling variance as well.
    confidence : float in (0, 1)
        Nominal coverage of the intervals.
    weights : sequence of C+1 floats, optional
        Score of each category; default (0, 1). With weights, Max@k replaces Pass@k.
    bayes : bool
        Add Bayes@N. Its uniform prior on every question shrinks it towards the middle of the scale.

    Returns
    -------
    list of Row
        Best model first; equal averages in the order of the names.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: a model has no trial.

    Examples
    --------
    >>> from scorio import Counts
    >>> from scorio.io import Log
    >>> from scorio.leaderboard import leaderboard
    >>> logs = {m: Log(["q1", "q2"], Counts.from_successes(c, [4, 4])) for m, c in {"a": [1, 2], "b": [4, 3]}.items()}
    >>> [(row.rank, row.model, row.average.mu) for row in leaderboard(logs)]
    [(1, 'b', 0.875), (2, 'a', 0.375)]
    """
    answered = {model: _with_trials(model, log) for model, log in logs.items()}
    ks = _default_k(x.counts for x in answered.values()) if k is None else checked_k(k, logs)
    with_bayes = arguments.flag(bayes, "bayes")
    asked = {"questions": questions, "confidence": confidence}
    rows = [
        _row(model, *_scaled(logs, answered[model], weights), logs[model].missing, ks, with_bayes, asked)
        for model in sorted(answered)
    ]
    rows.sort(key=lambda row: -row.average.mu)
    ranks: dict[float, int] = {}
    return Listing(row._replace(rank=ranks.setdefault(row.average.mu, i)) for i, row in enumerate(rows, 1))


def _with_trials(model: str, log: Log) -> Log:
    if not log.counts.trials.any():
        raise InvalidInput("no_trials", "logs", f"model {model!r} has no trial")
    return log.only(np.flatnonzero(log.counts.trials).tolist()) if log.counts.empty else log


def _default_k(counts: Iterable[Counts]) -> list[int]:
    counts = list(counts)
    fewest = min((c.fewest for c in counts), default=0)
    if any(c.C > MOST_LEVELS for c in counts):  # Max@k of so many takes long
        return []
    return [k for k in (2, 8 if fewest >= 8 else 4) if k <= fewest]


def checked_k(k: int | Iterable[int], logs: Mapping[str, Log]) -> list[int]:
    """Values of k that every question with a trial has trials for."""
    given = arguments.sequence(k, "k") if isinstance(k, Iterable) else [k]
    ks = list(dict.fromkeys(map(arguments.draws, given)))
    for model, log in logs.items():
        trials = zip(log.questions, log.counts.trials.tolist(), strict=True)
        if few := {repr(question): n for question, n in trials if 0 < n < max(ks)}:
            raise too_few_trials(max(ks), few, f"model {model!r}", most_that_works(few))
    return ks


def most_that_works(few: Mapping[str, int]) -> str:
    """Which k these questions have trials for."""
    most = min(few.values())
    return f"k up to {most} works" if most > 1 else "only k = 1 works"


def _scaled(logs: Mapping[str, Log], log: Log, weights: Sequence[float] | None) -> tuple[Log, Sequence[float] | None]:
    """A model on its scale: that of its own scores where the log does not state the ends."""
    return own_scale(log, weights) if weights is not None and getattr(logs, "seen", False) else (log, weights)


def _row(
    model: str,
    log: Log,
    weights: Sequence[float] | None,
    missing: int,
    ks: Sequence[int],
    bayes: bool,
    asked: dict[str, Any],
) -> Row:
    metric, counts = "pass_at_k" if weights is None else "max_at_k", log.counts
    return Row(
        rank=0,
        model=model,
        questions=counts.M,
        trials=(int(counts.trials.min()), int(counts.trials.max())),
        average=interval_of(log, w=weights, **asked),
        at_k={k: interval_of(log, metric, k, w=weights, **asked) for k in ks},
        bayes=eval.bayes(counts, weights) if bayes else None,
        missing=missing,
    )


def interval_of(
    log: Log, metric: str = "mean", k: int | None = None, *, questions: str, **given: Any
) -> MetricInterval:
    """:func:`scorio.eval.interval` of a log; where questions are sampled, its clusters are the sampling units."""
    clusters = log.clusters if questions == "sampled" else None
    return eval.interval(log.counts, metric, k, questions=questions, clusters=clusters, **given)
