"""Records that the readers of formats yield: trials, success counts, notes on missing outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

UNKNOWN = object()  # a value that the log does not state


class Trial(NamedTuple):
    """One outcome with the cells of its row, or several equal outcomes; without a trial id each is a further trial."""

    model: Any
    question: Any
    trial: Any
    outcome: Any
    cluster: Any = None
    task: Any = None  # the benchmark
    times: int = 1  # the number of equal outcomes
    answer: Any = UNKNOWN  # None where the trial has no answer
    costs: Mapping[str, Any] | None = None  # by the name of the unit: cost, tokens, ...
    rest: Mapping[str, Any] | None = None  # the row itself, for the check of fields that are not read (readers/check)
    stopped: bool = False  # whether scorio stopped the run early: trials that were not run are then not missing


class UniqueTrialId(str):
    """A trial id that is unique in the whole log: a second row with it is a copy, which is not counted."""

    __slots__ = ()


class SuccessCount(NamedTuple):
    """A count of c successes in n trials of one question; counts of several runs are added."""

    model: Any
    question: Any
    c: Any
    n: Any
    cluster: Any = None
    task: Any = None
    run: Any = None  # the run that was counted; None where the log names no run
    rest: Mapping[str, Any] | None = None  # as in Trial


class Unfinished(NamedTuple):
    """A note that outcomes are missing, where the log does not state which (unless they are `counted`)."""

    why: str
    counted: bool = False  # whether they are counted as missing already, so that only missing="raise" uses this note


Record = Trial | SuccessCount | Unfinished
