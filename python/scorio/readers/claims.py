"""Checks of a log: whether the numbers that it states agree with its outcomes, and whether records are repeated."""

from __future__ import annotations

import marshal
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidInput
from . import values
from .records import Record, SuccessCount, Trial, Unfinished, UniqueTrialId
from .text_files import SourceLocation

ROUNDING = 1e-6  # tolerance of a score that is stated with all its digits
LARGEST = 1e15  # a larger number is neither a score nor a count
MIN_RECORD_BYTES = 64  # average size of a record, below which equal records do not suggest a copy
MIN_DISTINCT_RECORDS = 3  # number of distinct records, below which equal records do not suggest a copy


class Claim(NamedTuple):
    """A number that a log states: its name there, and the quantity of :class:`OutcomeTotals` that it should equal."""

    what: str
    value: float
    kind: str  # the quantity, see OutcomeTotals.number
    unit: float  # 100 for a percentage
    error: float  # the largest difference that rounding explains
    document: str  # the document that states it, if it is about several files; else ""


class OutcomeTotals:
    """Totals of outcomes by question: their sum, their number, and how many are missing."""

    def __init__(self) -> None:
        self.by_question: dict[Any, list[float]] = {}  # the sum, the number, and the number that are missing
        self._unique_ids: set[str] = set()

    def add(self, question: Any, outcome: Any, times: int = 1, scored: int | None = None) -> None:
        """Add `times` equal outcomes of a question, or an outcome that is the sum of `scored` trials."""
        totals = self.by_question.setdefault(question, [0.0, 0, 0])
        if outcome is None:
            totals[2] += times
        else:
            totals[0] += outcome * times
            totals[1] += times if scored is None else scored

    def add_record(self, record: Any) -> None:
        """Add the outcomes of a record, unless it is a copy.

        An invalid outcome is added as missing, and an invalid count is left out: counting reports the error.
        """
        if type(record) is SuccessCount:
            c, n = _number(record.c), _number(record.n)
            if c is not None and n is not None:
                self.add((record.model, record.task, record.question), c, scored=int(n))
        elif type(record) is Trial:
            if type(record.trial) is UniqueTrialId:
                if record.trial in self._unique_ids:
                    return
                self._unique_ids.add(record.trial)
            self.add((record.model, record.task, record.question), _number(record.outcome), record.times)

    def add_valid(self, record: Any) -> None:
        """Add the outcomes of a record, up to a list as an id or a huge number, which unread tasks may contain."""
        with suppress(TypeError, OverflowError):
            self.add_record(record)

    def merge(self, other: OutcomeTotals) -> None:
        """Add the totals of another file."""
        if other._unique_ids and other._unique_ids <= self._unique_ids:
            return  # the other file is a copy
        self._unique_ids |= other._unique_ids
        for question, (total, n, missing) in other.by_question.items():
            totals = self.by_question.setdefault(question, [0.0, 0, 0])
            totals[:] = totals[0] + total, totals[1] + n, totals[2] + missing

    def number(self, kind: str) -> float | None:
        """A quantity that logs state, such as the mean or the number of trials; None where it is undefined."""
        total, n, missing = (
            (sum(x) for x in zip(*self.by_question.values(), strict=True)) if self.by_question else (0, 0, 0)
        )
        match kind:
            case "successes":
                return total
            case "missing":
                return missing
            case "failures":
                return n - total
            case "trials":
                return n + missing
            case "questions":
                return len(self.by_question)
            case "answered":
                return sum(1 for x in self.by_question.values() if x[1])
            case "mean":  # the mean over questions of their means
                answered = [x[0] / x[1] for x in self.by_question.values() if x[1]]
                return sum(answered) / len(answered) if answered else None
            case "rate":
                return total / n if n else None
        return total / (n + missing) if n + missing else None  # "zeros": missing outcomes count as 0


def claim(
    location: SourceLocation,
    what: str,
    value: Any,
    kind: str = "mean",
    *,
    unit: float = 1,
    digits: int | None = None,
    document: str = "",
) -> None:
    """Note a number that the file, or a file beside it, states, for comparison with the outcomes.

    value : the number; anything else, such as None, is not noted.
    kind : the quantity that the number should equal, see OutcomeTotals.number.
    unit : 100 for a percentage.
    digits : decimals that the number was rounded to; None if it has all its digits.
    document : the file that states the number, if the number covers several files.
    """
    if type(value) in (int, float, Decimal) and -LARGEST < value < LARGEST:
        # half a unit of the last digit, and a little more for the rounding of doubles
        error = ROUNDING * unit if digits is None else 0.5000001 * 10**-digits
        location.claims.append(Claim(what, float(value), kind, unit, error, document))


class AnswerCounter:
    """Counter of the answers to each question in the order of a file; it detects a file that was appended to itself.

    Easy questions and deterministic models give equal answers too. A remark is therefore made only if the number of
    times that a record occurs is, for every record, a multiple of some m > 1, and records are neither few nor short.
    """

    def __init__(self, location: SourceLocation) -> None:
        self.counts: Counter[Any] = Counter()  # answers so far, by question
        self._hashes, self._bytes = array("q"), 0
        location.counter = self  # read by checked()

    def next(self, question: Any, record: Any) -> int:
        """The number of this answer among the answers to its question; record: everything in the log about it."""
        self.counts[question] += 1
        try:
            content = marshal.dumps((question, record), 2)  # version 2 writes equal values as equal bytes
        except ValueError:  # nested too deeply: counted as distinct
            content = b"%d" % len(self._hashes)
        self._hashes.append(hash(content))
        self._bytes += len(content)
        return self.counts[question]

    def repetitions(self) -> int:
        """The largest m such that every record occurs a multiple of m times; 1 where records are few or short."""
        times = np.unique(np.frombuffer(self._hashes, np.int64), return_counts=True)[1]
        is_enough = len(times) >= MIN_DISTINCT_RECORDS and self._bytes >= MIN_RECORD_BYTES * len(self._hashes)
        return gcd(*times.tolist()) if is_enough else 1


def checked(records: Iterable[Record], location: SourceLocation) -> Iterator[Record]:
    """The records of a file, then an Unfinished for each stated number of trials or questions that is not reached.

    Other contradictions of stated numbers become remarks, as does a file whose records are all repeated. Numbers about
    several files are left to :func:`check_documents`.
    """
    location.claims, location.counter, outcomes = [], None, OutcomeTotals()
    for record in records:
        yield record  # the accumulator reports an invalid record
        outcomes.add_valid(record)
    location.leave_line()
    if location.counter is not None and (times := location.counter.repetitions()) > 1:
        what = (
            f"{location.file.name}: every record occurs {times} times (or a multiple of that), word for word: the file "
            "was appended to itself,"
        )
        location.remark(f"{what} or the model is deterministic. The repetitions count as further trials.")
    for name in dict.fromkeys(x.document for x in location.claims if x.document):
        location.stated.setdefault(name, (OutcomeTotals(), {}))[0].merge(outcomes)
    for stated in location.claims:
        if stated.document:
            location.stated[stated.document][1][stated.what] = stated
        elif contradiction := _contradicted(stated, outcomes):
            if stated.kind in ("trials", "questions") and stated.value > (outcomes.number(stated.kind) or 0):
                yield Unfinished(contradiction)
            else:
                location.remark(f"{location.file.name}: {contradiction}.")


def check_documents(location: SourceLocation) -> None:
    """Remark on numbers that documents state about several files and that the outcomes contradict."""
    for name, (outcomes, claims) in location.stated.items():
        for stated in claims.values():
            if contradiction := _contradicted(stated, outcomes):
                location.remark(f"{name}: {contradiction}.")


def _contradicted(stated: Claim, outcomes: OutcomeTotals) -> str:
    """The contradiction between a stated number and the outcomes, in words; "" where there is none."""
    counted = outcomes.number(stated.kind)
    if counted is None or abs(counted * stated.unit - stated.value) <= stated.error:
        return ""
    computed = counted * stated.unit
    return f"the log states {stated.what} {stated.value:.7g}, the outcomes that were read give {computed:.7g}"


def _number(x: Any) -> float | None:
    """An outcome as a number; None where it is missing or invalid."""
    if type(x) in (int, float, bool):
        return float(x) if x == x else None
    try:
        value = values.score(x, None)
    except InvalidInput:
        return None  # counting reports the error
    return value
