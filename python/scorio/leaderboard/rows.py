"""Models side by side: every number is a function of :mod:`scorio.eval` on the counts of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import arguments, eval
from ..errors import InvalidInput
from ..io import Log
from ..io.text_files import shown
from ..outcomes.checks import too_few_trials
from ..outcomes.counts import Counts
from ..results import Estimate, MetricInterval


class Row(NamedTuple):
    """One model.

    Attributes
    ----------
    rank : int
        By average, best first; equal averages share the best of their ranks (1, 2, 2, 4).
    model : str
        Its name.
    questions : int
        Questions with a trial: those that every number is about.
    trials : (int, int)
        Fewest and most trials of a question.
    average : MetricInterval
        Of the mean.
    at_k : dict of int to MetricInterval
        Of Pass@k for each k; of Max@k if weights were given. All from :func:`scorio.eval.interval`.
    bayes : Estimate or None
        Of :func:`scorio.eval.bayes`, if asked for.
    missing : int
        Outcomes that the log does not hold, whatever was made of them, those of questions without a trial too.
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
        """The row as names and plain values; metric is "pass" or "max"."""
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

    @property
    def intervals(self) -> list[MetricInterval]:
        """Of the average, then of each k."""
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
        Of :func:`scorio.io.read`. Questions without a trial are left out.
    k : int or iterable of int, optional
        For Pass@k, at most the fewest trials of any question of any model. Default: 2, and the larger of 4 and 8
        that there are trials for.
    questions : {"fixed", "sampled"}
        Which noise the intervals hold: of the trials, or also of the draw of questions.
    confidence : float in (0, 1)
        Coverage of the intervals.
    weights : sequence of C+1 floats, optional
        Score of each category; default (0, 1). With weights Max@k stands in the place of Pass@k.
    bayes : bool
        Bayes@N too, whose uniform prior on every question pulls it to the middle of the scale.

    Returns
    -------
    list of Row
        Best first; equal averages in the order of the names.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; no_trials: a model without any trial.

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
    ks = _default_k(x.counts for x in answered.values()) if k is None else _checked_k(k, logs)
    with_bayes = arguments.flag(bayes, "bayes")
    asked = {"questions": questions, "confidence": confidence}
    rows = [
        _row(model, answered[model], logs[model].missing, ks, weights, with_bayes, asked) for model in sorted(answered)
    ]
    rows.sort(key=lambda row: -row.average.mu)
    ranks: dict[float, int] = {}
    return [row._replace(rank=ranks.setdefault(row.average.mu, i)) for i, row in enumerate(rows, 1)]


def _with_trials(model: str, log: Log) -> Log:
    if not log.counts.trials.any():
        raise InvalidInput("no_trials", "logs", f"model {model!r} has no trial")
    return log.only(np.flatnonzero(log.counts.trials).tolist()) if log.counts.empty else log


def _default_k(counts: Iterable[Counts]) -> list[int]:
    fewest = min((c.fewest for c in counts), default=0)
    return [k for k in (2, 8 if fewest >= 8 else 4) if k <= fewest]


def _checked_k(k: int | Iterable[int], logs: Mapping[str, Log]) -> list[int]:
    given = arguments.sequence(k, "k") if isinstance(k, Iterable) else [k]
    ks = list(dict.fromkeys(map(arguments.draws, given)))
    for model, log in logs.items():
        trials = zip(log.questions, log.counts.trials.tolist(), strict=True)
        if few := {repr(question): n for question, n in trials if 0 < n < max(ks)}:
            raise too_few_trials(max(ks), few, f"model {model!r}")
    return ks


def _row(
    model: str,
    log: Log,
    missing: int,
    ks: Sequence[int],
    weights: Sequence[float] | None,
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
    """:func:`scorio.eval.interval` of a log; for questions like these, its families of questions are the units."""
    clusters = log.clusters if questions == "sampled" else None
    return eval.interval(log.counts, metric, k, questions=questions, clusters=clusters, **given)


def notes(
    logs: Mapping[str, Log], rows: Sequence[Row], confidence: float = 0.95, missing: str | int = "drop"
) -> list[str]:
    """What a reader of the rows must know, a sentence or two each; missing is what was done with missing outcomes."""
    found = []
    if rows:
        noises = {x.variance_source for row in rows for x in row.intervals}
        found = held(logs, rows[0].average.questions, confidence, noises)
    if rows and not rows[0].at_k and any(row.trials[1] > 1 for row in rows):
        found.append("No Pass@k: a question has one trial only. State k for an error that names it.")
    if len(rows) > 1:
        found.append("The rank orders the averages: it does not say that neighbours differ.")
    asked = {model: _asked(log) for model, log in logs.items()}
    everything, shared = set().union(*asked.values()), set.intersection(*asked.values()) if asked else set()
    if len(everything) > len(shared):
        found.append(
            f"Models answered different questions ({len(everything)} in all, {len(shared)} answered by every model): "
            "compare with care."
        )
    return found + lost(logs, missing)


def held(
    logs: Mapping[str, Log], questions: str, confidence: float, noises: set[str], pairs: bool = False
) -> list[str]:
    """What intervals of these noises hold; pairs: models are compared, too."""
    found = [_meaning(questions, confidence)]
    if "upper bound" in noises:
        trials = [n[n > 0] for n in (log.counts.trials for log in logs.values()) if n.any()]
        found.append(_bound(questions, all(n.max() == 1 for n in trials if n.min() == 1)))
    if "beta-binomial" in noises:
        found.append(BETA_LAW)
    if questions == "sampled" and any(log.clusters for log in logs.values()):
        found += [FAMILIES, PAIRS] if pairs else [FAMILIES]
    return found


def lost(logs: Mapping[str, Log], missing: str | int, left: str = "left out") -> list[str]:
    """What the log does not hold, and what was done with it; left: in words, where it was not counted."""
    found = []
    if skipped := getattr(logs, "skipped", []):
        found.append(f"Not read, no logs: {shown(', '.join(skipped))}.")
    if unfinished := getattr(logs, "unfinished", []):
        found.append(f"Not finished, so that more is missing than is counted: {'; '.join(unfinished)}.")
    found += _scale(getattr(logs, "weights", None), getattr(logs, "levels", False))
    if empty := sum(len(log.counts.empty) for log in logs.values()):
        found.append(f"Left out: {_number(empty, 'question')} without a trial.")
    if absent := sum(log.missing for log in logs.values()):
        held = sum(int(log.counts.trials.sum()) for log in logs.values())
        asked = held + (absent if isinstance(missing, str) else 0)
        done = left if isinstance(missing, str) else f"counted as {missing}"
        found.append(
            f"Missing: {absent} of {_number(asked, 'outcome')}, {done}. If they are missing because of how the trials "
            "went, no number here can mend that."
        )
    return found


def _scale(weights: Sequence[float] | None, levels: bool) -> list[str]:
    """Where the ends of the scale are those that were seen."""
    if not levels or weights is None or (weights[0] == 0.0 and weights[-1] == 1.0):
        return []
    ends = f"{weights[0]:.10g} to {weights[-1]:.10g}"
    return [f"Scores run from {ends}, as seen over the whole log: intervals take these for the ends of the scale."]


def _asked(log: Log) -> set[str]:
    return {question for question, n in zip(log.questions, log.counts.trials.tolist(), strict=True) if n}


def _number(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")


def _meaning(questions: str, confidence: float) -> str:
    often = f"{100 * confidence:.10g}% intervals"
    if questions == "fixed":
        return (
            f"{often}: where the numbers for these same questions would settle with ever more trials. "
            "They do not hold the luck of which questions were asked."
        )
    return f"{often}: the numbers for all questions like these. They hold the luck of trials and of questions."


def _bound(questions: str, single: bool) -> str:
    if questions == "fixed" and not single:
        return (
            "bound (*): some questions have one trial, which cannot measure its noise; it is taken as large as it may "
            "be. A second trial of these would measure it."
        )
    if questions == "fixed":
        return (
            "bound (*): one trial of a question cannot measure the noise of trials. "
            "A second trial of each question about halves the interval."
        )
    return "bound (*): one question cannot measure how questions differ. More questions help."


FAMILIES = "Families of questions (the column cluster) are the units that the intervals hold the luck of."
PAIRS = "Pairs of models are compared question by question: families of questions (the column cluster) do not count."
BETA_LAW = (
    "beta law (~): fewer than 2k trials of a question cannot measure their noise at k. "
    "It rests on a beta law fitted to all questions; with 2k trials it would be measured."
)
