"""Answers of trials, and scores of trials, for metrics that choose one of k trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple, Self

import numpy as np

from ..arguments import integer, is_integer, is_missing, is_number
from ..errors import InvalidInput, shown
from .counts import Counts
from .matrix import is_row
from .states import Array

Label = tuple[str, Any]  # "text" or "integer", and the label
LARGEST_TRIALS = 10**6  # most trials of a question in from_counts(): the work grows with k times their number


class Votes(NamedTuple):
    """Votes of a question: decreasing counts of the right and of the other answers, and trials without an answer."""

    right: tuple[int, ...]
    other: tuple[int, ...]
    blank: int

    @property
    def n(self) -> int:
        """Number of trials."""
        return sum(self.right) + sum(self.other) + self.blank

    @property
    def c(self) -> int:
        """Number of trials with a right answer."""
        return sum(self.right)


class Levels(NamedTuple):
    """Scores of a question: numbers of trials and of successes with each distinct score, in increasing order."""

    trials: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of trials."""
        return sum(self.trials)

    @property
    def c(self) -> int:
        """Number of successes."""
        return sum(self.right)


class Detailed:
    """Outcomes with more details of each question than Counts: base class of Answers and ScoredTrials."""

    items: list[Any]  # Votes or Levels
    ids = clusters = None  # answers and scores have none

    def _set(self, items: list[Any]) -> None:
        self.items = items
        self.trials: Array = np.array([x.n for x in items], np.int64)
        self.trials.flags.writeable = False
        self.min_trials = int(self.trials.min())

    @classmethod
    def from_items(cls, items: list[Any]) -> Self:
        """Create from the Votes or Levels of each question."""
        out = cls.__new__(cls)
        out._set(items)
        return out

    @property
    def M(self) -> int:
        """Number of questions."""
        return len(self.items)

    @property
    def counts(self) -> Counts:
        """Successes and failures of each question."""
        return Counts.from_successes([x.c for x in self.items], self.trials)

    def select(self, keep: Any) -> Self:
        """Select some of the questions, at least one; keep is a mask of length M or a list of indices."""
        self.counts.select(keep)  # raises the error of an invalid keep
        return self.from_items([self.items[i] for i in np.arange(self.M)[np.asarray(keep)].tolist()])

    def __repr__(self) -> str:
        low, high = self.min_trials, int(self.trials.max())
        trials = str(low) if low == high else f"{low}..{high}"
        return f"{type(self).__name__}({self.M} questions, {trials} trials)"


class Answers(Detailed):
    """How often each question got each answer, and which answers are right, for majority votes.

    Accepted by :func:`scorio.eval.plurality_at_k`, and as R under the metrics "plurality_at_k" and
    "strict_plurality_at_k". Any other function that takes Counts uses the counts of successes and failures.

    Parameters
    ----------
    labels : sequence of M rows of labels
        The answer of each trial, a text or an integer; the same label is the same answer. None is a trial without an
        answer, which casts no vote. Rows may differ in length.
    correct : sequence of M labels, or of M lists of labels
        For each question its right answer, or a list of all its right answers. Answers that are written differently
        are different answers, which share no votes: bring "1/2" and "0.5" to one form first.

    Attributes
    ----------
    items : list
        For each question ``right`` and ``other``, the counts of each answer, decreasing; ``blank``, the trials without
        an answer.
    counts : Counts
        Successes and failures of each question.
    trials : ndarray of int64, shape (M,)
        Trials of each question.
    M, min_trials : int
        Number of questions; trials of the question with the fewest.

    Raises
    ------
    InvalidInput
        type, shape, empty, length; by ``graded`` also conflict, category, missing; by ``from_counts`` also range.

    Examples
    --------
    >>> import scorio
    >>> a = scorio.Answers([["4", "4", "5", None], ["9", "3", "9", "8"]], ["4", "3"])
    >>> a
    Answers(2 questions, 4 trials)
    >>> a.items[0]
    Votes(right=(2,), other=(1,), blank=1)
    """

    def __init__(self, labels: Any, correct: Any) -> None:
        rows = _rows(labels, "labels")
        right = _entries(correct, "correct")
        if len(right) != len(rows):
            raise InvalidInput("length", "correct", f"correct has {len(right)} entries for {len(rows)} questions")
        items = []
        for i, (row, right_of_question) in enumerate(zip(rows, right, strict=True)):
            right_answers = list(right_of_question) if is_row(right_of_question) else [right_of_question]
            correct_labels = {_label(x, "correct", f"correct[{i}]") for x in right_answers}
            items.append(_votes([_answer(x, i, j) for j, x in enumerate(row)], correct_labels))
        self._set(items)

    @classmethod
    def graded(cls, labels: Any, R: Any) -> Answers:
        """Create from labels and the outcome of each trial, 0 or 1: an answer is right if its trials are successes.

        Parameters
        ----------
        labels : sequence of M rows of labels
            As for :class:`Answers`.
        R : array_like, shape (M, N)
            Outcomes, row by row as the labels. Trials of one answer to one question must have one outcome, and a trial
            without an answer is not a success.
        """
        rows, outcomes = _rows(labels, "labels"), _rows(R, "R")
        _same_shape(rows, outcomes, "labels")
        items = []
        for i, (row, results) in enumerate(zip(rows, outcomes, strict=True)):
            answers = [_answer(x, i, j) for j, x in enumerate(row)]
            outcome_of: dict[Label | None, int] = {}
            for j, (x, y) in enumerate(zip(answers, results, strict=True)):
                y = _success(y, i, j)
                if x is None and y:
                    raise InvalidInput("conflict", "R", f"R[{i}, {j}] is 1 for a trial without an answer")
                if outcome_of.setdefault(x, y) != y and x is not None:
                    what = f"R is 1 in one trial and 0 in another of the answer {shown(x[1])} to question {i}"
                    raise InvalidInput("conflict", "R", what)
            items.append(_votes(answers, {x for x, y in outcome_of.items() if y}))
        return cls.from_items(items)

    @classmethod
    def from_counts(cls, right: Any, other: Any, blank: Any = None) -> Answers:
        """Create from the counts of each answer.

        Parameters
        ----------
        right : sequence of M integers, or of M lists of them
            For each question how often its right answer was given, or each of several right answers.
        other : sequence of M lists of integers
            For each question how often each of the other answers was given.
        blank : sequence of M integers, optional
            For each question its trials without an answer; default: none.
        """
        right_entries, other_entries = _entries(right, "right"), _rows(other, "other")
        M = len(right_entries)
        blank_entries = [0] * M if blank is None else _entries(blank, "blank")
        for name, x in (("other", other_entries), ("blank", blank_entries)):
            if len(x) != M:
                raise InvalidInput("length", name, f"{name} has {len(x)} entries for {M} questions")
        items = []
        for i, (a, b, z) in enumerate(zip(right_entries, other_entries, blank_entries, strict=True)):
            a = _counts(list(a) if is_row(a) else [a], "right", i)
            items.append(Votes(a, _counts(b, "other", i), integer(z, "blank", 0, LARGEST_TRIALS)))
            if items[-1].n > LARGEST_TRIALS:
                what = f"with other[{i}], question {i} has more than {LARGEST_TRIALS} trials"
                raise InvalidInput("range", "other", what)
        return cls.from_items(items)


class ScoredTrials(Detailed):
    """The score and the outcome of each trial, for best-of-k, which chooses the trial with the highest score.

    Accepted by :func:`scorio.eval.best_of_k`, and as R under the metric "best_of_k". Any other function that
    takes Counts uses the counts of successes and failures.

    Parameters
    ----------
    scores : sequence of M rows of real numbers
        The score of each trial, from a reward model, a verifier, or log-probabilities; a larger one is preferred.
        Rows may differ in length.
    R : array_like, shape (M, N)
        Outcomes 0 and 1, row by row as the scores.

    Attributes
    ----------
    items : list
        For each question ``trials``, the number with each distinct score, increasing, and ``right``, the successes.
    counts, trials, M, min_trials
        As in :class:`Answers`.

    Raises
    ------
    InvalidInput
        type, shape, empty, not_finite, category, missing.

    Examples
    --------
    >>> import scorio
    >>> s = scorio.ScoredTrials([[0.9, 0.2, 0.2], [0.1, 0.5, 0.4]], [[1, 0, 1], [0, 0, 1]])
    >>> s.items[0]
    Levels(trials=(2, 1), right=(1, 1))
    """

    def __init__(self, scores: Any, R: Any) -> None:
        rows, outcomes = _rows(scores, "scores"), _rows(R, "R")
        _same_shape(rows, outcomes, "scores")
        items = []
        for i, (row, results) in enumerate(zip(rows, outcomes, strict=True)):
            n_trials: Counter[float] = Counter()
            n_right: Counter[float] = Counter()
            for j, (x, y) in enumerate(zip(row, results, strict=True)):
                score = _score(x, i, j)
                n_trials[score] += 1
                n_right[score] += _success(y, i, j)
            levels = sorted(n_trials)
            items.append(Levels(tuple(n_trials[x] for x in levels), tuple(n_right[x] for x in levels)))
        self._set(items)


# --- checks of arguments ---------------------------------------------------------------------------


def _entries(x: Any, name: str) -> list[Any]:
    """Check a sequence with one entry for each question; returns it as a list."""
    if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind in "buifOU":
        x = x.tolist()  # other types would lose a unit or the names of fields
    if not is_row(x) or isinstance(x, np.ndarray):
        raise InvalidInput("type", name, f"{name} must have an entry for each question, not {shown(x)}")
    if not x:
        raise InvalidInput("empty", name, f"{name} is empty: at least one question is needed")
    return list(x)


def _rows(x: Any, name: str) -> list[list[Any]]:
    """Check rows of entries, a row for each question; returns lists."""
    rows = _entries(x, name)
    for i, row in enumerate(rows):
        if not is_row(row):
            raise InvalidInput("shape", name, f"{name}[{i}] = {shown(row)} is not a row, one entry for each trial")
    return [list(row) for row in rows]


def _same_shape(rows: list[list[Any]], outcomes: list[list[Any]], name: str) -> None:
    """Raise unless there is one outcome for each label or score; name: the argument that holds the labels or scores."""
    if len(outcomes) != len(rows):
        raise InvalidInput("shape", "R", f"R has {len(outcomes)} rows, {name} has {len(rows)}")
    for i, (row, results) in enumerate(zip(rows, outcomes, strict=True)):
        if len(row) != len(results):
            raise InvalidInput("shape", "R", f"R[{i}] has {len(results)} trials, {name}[{i}] has {len(row)}")


def _answer(x: Any, i: int, j: int) -> Label | None:
    """The label of a trial, with its type; None if the trial has no answer."""
    return None if is_missing(x) else _label(x, "labels", f"labels[{i}, {j}]")


def _label(x: Any, name: str, place: str) -> Label:
    """Check a label, a text or an integer; returns it with its type, since 1 and "1" are two labels."""
    if isinstance(x, str):
        return "text", str(x)
    if not is_integer(x):
        raise InvalidInput("type", name, f"{place} = {shown(x)} is neither a text nor an integer")
    return "integer", int(x)


def _votes(answers: Sequence[Any], correct_labels: set[Any]) -> Votes:
    """Count the votes of a question from the answers of its trials."""
    tally: Counter[Any] = Counter(answers)
    blank = tally.pop(None, 0)
    right = sorted((m for x, m in tally.items() if x in correct_labels), reverse=True)
    other = sorted((m for x, m in tally.items() if x not in correct_labels), reverse=True)
    return Votes(tuple(right), tuple(other), blank)


def _counts(x: Sequence[Any], name: str, i: int) -> tuple[int, ...]:
    """Check counts of answers; returns them decreasing, without zeros."""
    for j, m in enumerate(x):
        try:
            integer(m, name, 0, LARGEST_TRIALS)
        except InvalidInput as e:
            raise e.of(f"{name}[{i}, {j}]") from None
    return tuple(sorted((int(m) for m in x if m), reverse=True))


def _success(y: Any, i: int, j: int) -> int:
    """Check an outcome; returns it as the integer 0 or 1."""
    if is_missing(y) or (isinstance(y, (float, np.floating)) and y != y):
        raise InvalidInput("missing", "R", f"R[{i}, {j}] is missing: leave the trial out of all arguments")
    if not isinstance(y, (bool, np.bool_)) and not is_number(y):
        raise InvalidInput("type", "R", f"R[{i}, {j}] = {shown(y)} is not a number")
    if y not in (0, 1):
        raise InvalidInput("category", "R", f"R[{i}, {j}] = {shown(y)} is neither 0 nor 1")
    return int(y)


def _score(x: Any, i: int, j: int) -> float:
    """Check a score; returns it as a finite double."""
    if is_missing(x) or (isinstance(x, (float, np.floating)) and x != x):
        raise InvalidInput("missing", "scores", f"scores[{i}, {j}] is missing: leave the trial out of all arguments")
    if not is_number(x):
        raise InvalidInput("type", "scores", f"scores[{i}, {j}] = {shown(x)} is not a real number")
    try:
        y = float(x)
    except OverflowError:  # an integer outside the range of doubles
        y = float("inf")
    if not isfinite(y):
        raise InvalidInput("not_finite", "scores", f"scores[{i}, {j}] = {shown(x)} is not finite")
    return y + 0.0  # no negative zero
