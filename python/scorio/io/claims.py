"""What a log states of itself, its own score or how much it holds, beside what is read of it; and repeated records."""

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
from .accumulator import Batch, Record, Tallied, Trial, Unfinished, Unique
from .text_files import Place

ROUNDED = 1e-6  # of a score that is stated with all its digits
LARGEST = 1e15  # a number beyond it is no score and no count
LEAST_TEXT = 64  # bytes of a record on average, below which equal records are no sign of a copy
LEAST_RECORDS = 3  # distinct ones


class Claim(NamedTuple):
    """A number that a log states: what it is called there, and which of :class:`Outcomes` it should be."""

    what: str
    value: float
    kind: str
    unit: float
    error: float
    of: str  # the document that states it of several files; else ""


class Outcomes:
    """Outcomes by question: how many, their sum, and how many are missing."""

    def __init__(self) -> None:
        self.of: dict[Any, list[float]] = {}
        self._once: set[str] = set()

    def add(self, question: Any, outcome: Any, times: int = 1, scored: int | None = None) -> None:
        """One outcome; of scored trials their sum."""
        entry = self.of.setdefault(question, [0.0, 0, 0])
        if outcome is None:
            entry[2] += times
        else:
            entry[0] += outcome * times
            entry[1] += times if scored is None else scored

    def take(self, record: Any) -> None:
        """All outcomes of a record; what cannot be read is an error elsewhere."""
        if type(record) is Batch:
            for question, x in zip(record.questions, record.outcomes, strict=True):
                self.add((record.model, record.task, question), _number(x))
        elif type(record) is Tallied:
            c, n = _number(record.c), _number(record.n)
            if c is not None and n is not None:
                self.add((record.model, record.task, record.question), c, scored=int(n))
        elif type(record) is Trial:
            if type(record.trial) is Unique:
                if record.trial in self._once:
                    return
                self._once.add(record.trial)
            self.add((record.model, record.task, record.question), _number(record.outcome), record.times)

    def merge(self, other: Outcomes) -> None:
        """Those of another file too."""
        if other._once and other._once <= self._once:
            return  # a copy
        self._once |= other._once
        for question, (total, n, lost) in other.of.items():
            entry = self.of.setdefault(question, [0.0, 0, 0])
            entry[:] = entry[0] + total, entry[1] + n, entry[2] + lost

    def number(self, kind: str) -> float | None:
        """One of the numbers that logs state; None where there is no outcome that it could be of."""
        total, n, lost = (sum(x) for x in zip(*self.of.values(), strict=True)) if self.of else (0, 0, 0)
        answered = [x[0] / x[1] for x in self.of.values() if x[1]]
        match kind:
            case "successes":
                return total
            case "missing":
                return lost
            case "failures":
                return n - total
            case "trials":
                return n + lost
            case "questions":
                return len(self.of)
            case "answered":
                return len(answered)
            case "mean":  # of the questions' own means
                return sum(answered) / len(answered) if answered else None
            case "rate":
                return total / n if n else None
        return total / (n + lost) if n + lost else None  # missing ones as 0


def claim(
    place: Place, what: str, value: Any, kind: str = "mean", *, unit: float = 1, digits: int | None = None, of: str = ""
) -> None:
    """Check a number that the file states: one of :class:`Outcomes`, in units, perhaps rounded to digits.

    of : the document that states it, where it is of several files.
    """
    if type(value) in (int, float, Decimal) and -LARGEST < value < LARGEST:
        error = ROUNDED * unit if digits is None else 0.5000001 * 10**-digits
        place.claims.append(Claim(what, float(value), kind, unit, error, of))


class Order:
    """Numbers the answers to each question as they stand in a file, and notices a file whose records are all repeated.

    A model without sampling gives equal answers too, and easy questions get equal answers: only if every record is
    there m times, or a multiple of m, is that said, and only of records with some text in them.
    """

    def __init__(self, place: Place) -> None:
        self.of: Counter[Any] = Counter()  # answers so far, by question
        self._rows, self._bytes = array("q"), 0
        place.order = self

    def next(self, question: Any, record: Any) -> int:
        """The number of the answer among those to its question; record: all that the log holds of it."""
        self.of[question] += 1
        try:
            whole = marshal.dumps((question, record), 2)  # a version that does not depend on what refers to its parts
        except ValueError:  # nested too deeply: like no other
            whole = b"%d" % len(self._rows)
        self._rows.append(hash(whole))
        self._bytes += len(whole)
        return self.of[question]

    def repeated(self) -> int:
        """How many times every record is there, at the least; 1 where some are there once."""
        times = np.unique(np.frombuffer(self._rows, np.int64), return_counts=True)[1]
        known = len(times) >= LEAST_RECORDS and self._bytes >= LEAST_TEXT * len(self._rows)
        return gcd(*times.tolist()) if known else 1


def checked(records: Iterable[Record], place: Place) -> Iterator[Record]:
    """The records of a file, and at its end what contradicts what the file states."""
    place.claims, place.order, found = [], None, Outcomes()
    for record in records:
        yield record  # whoever takes it says what is wrong with it
        with suppress(TypeError, OverflowError):  # of a task that is passed by
            found.take(record)
    place.whole()
    if place.order is not None and (times := place.order.repeated()) > 1:
        what = (
            f"{place.file.name}: every record is in it {times} times, word for word: a file that was copied into itself"
        )
        place.remark(f"{what}, or a model without sampling. They count as further trials.")
    for name in dict.fromkeys(x.of for x in place.claims if x.of):
        place.stated.setdefault(name, (Outcomes(), {}))[0].merge(found)
    for x in place.claims:
        if x.of:
            place.stated[x.of][1][x.what] = x
        elif said := _contradicted(x, found):
            if x.kind in ("trials", "questions") and x.value > (found.number(x.kind) or 0):
                yield Unfinished(said)
            else:
                place.remark(f"{place.file.name}: {said}.")


def settle(place: Place) -> None:
    """Name what documents state of several files, and these do not bear out."""
    for name, (found, claims) in place.stated.items():
        for x in claims.values():
            if said := _contradicted(x, found):
                place.remark(f"{name}: {said}.")


def _contradicted(x: Claim, found: Outcomes) -> str:
    ours = found.number(x.kind)
    if ours is None or abs(ours * x.unit - x.value) <= x.error:
        return ""
    return f"the log states {x.what} {x.value:.7g}, what is read of it gives {ours * x.unit:.7g}"


def _number(x: Any) -> float | None:
    if type(x) in (int, float, bool):
        return float(x) if x == x else None
    try:
        value = values.score(x, None)
    except InvalidInput:
        return None  # whoever counts it says so
    return value
