"""Test cases evaluated by scorers: deepeval, and the table of MLflow's genai.evaluate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..claims import AnswerCounter, claim
from ..options import Which
from ..pattern import Row
from ..records import Trial
from ..text_files import SourceLocation
from .declared import Rows, declared
from .fields import Format, digest, has, key, same_metric, text_at

VALUE = "/value"  # ending of the column of a scorer or an expectation in MLflow's table
WORD_SCORES = {"yes": 1, "no": 0, "pass": 1, "fail": 0}


def deepeval(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of deepeval: whether a metric meets its threshold (METRIC), or its score (METRIC/score)."""
    log = log.get("testRunData", log)
    cases = [
        (f"{name}[{i}]", case)
        for name in ("testCases", "conversationalTestCases")
        for i, case in enumerate(key(log, name, list) if name in log else [])
    ]
    names = dict.fromkeys(key(x, "name", str) for _, case in cases for x in _metrics(case))
    which = which or Which()
    requested = which.requested([*names, *(f"{name}/score" for name in names)], "metrics")
    chosen = requested or which.choose(names, "metrics")
    same_metric(chosen, "deepeval", location)
    name, field = (chosen, "success") if chosen in names else (chosen.removesuffix("/score"), "score")
    model = text_at(log, "hyperparameters", "model") or location.model()
    for stated in log.get("metricsScores") or []:
        if has(stated, "metric") and stated["metric"] == name and field == "success":
            claim(location, f"passes of {name}", stated.get("passes"), "successes")
            claim(location, f"fails of {name}", stated.get("fails"), "failures")
    counter = AnswerCounter(location)
    by_question: dict[str, list[tuple[str, Any, Any]]] = {}  # the entry, the case and the outcome of each case
    for location.entry, case in cases:
        inputs = [case.get(x) for x in ("input", "expectedOutput", "scenario", "expectedOutcome", "context")]
        matching = [x for x in _metrics(case) if x["name"] == name]
        outcome = key(matching[0], field) if matching else None
        by_question.setdefault(digest(*inputs), []).append((location.entry, case, outcome))
    once = min(map(len, by_question.values()), default=0) == 1  # else each question has several trials
    for question, tried in by_question.items():
        names_of_cases = {text_at(case, "name") for _, case, _ in tried}
        is_one_case = len(names_of_cases) == 1 and None not in names_of_cases
        if once and is_one_case and len(tried) > 1 and not any(outcome for *_, outcome in tried[:-1]):
            location.remark("Test cases of deepeval that were run again after they failed: {n}. The last run counts.")
            tried = tried[-1:]
        for location.entry, case, outcome in tried:
            yield Trial(model, question, counter.next(question, case), outcome)


def _metrics(case: Any) -> list[Any]:
    return key(case, "metricsData", list, type(None)) or []


def _value(row: Row, chosen: str) -> Any:
    """The value of the column <scorer>/value, where a word may be a score."""
    value = key(row.own, chosen + VALUE)
    return WORD_SCORES.get(value.strip().lower(), value) if type(value) is str else value


def _scorers(row: dict[str, Any]) -> list[str]:
    """The scorers of the table, without the expectations that the trace names.

    If the trace cannot be read, the expectations are the names that begin with expected_.
    """
    names = [name.removesuffix(VALUE) for name in row if name.endswith(VALUE)]
    trace = row.get("trace")
    try:
        record: Any = json.loads(trace) if type(trace) is str else trace
        assessed = record["info"]["assessments"]
        expected = {x["assessment_name"] for x in assessed if "expectation" in x}
    except (ValueError, KeyError, TypeError, RecursionError):
        expected = {name for name in names if name.startswith("expected_")}
    return [name for name in names if name not in expected]


def _is_table(header: Any) -> bool:
    """Whether a header or a row is that of MLflow's table."""
    return "trace_id" in header and "request" in header and any(name.endswith(VALUE) for name in header)


MLFLOW = Rows(
    "$", lambda row: digest(key(row.own, "request")), _value, in_order=True, choices=_scorers, no_default=True
)
FORMATS = (
    Format(
        "deepeval",
        "json",
        lambda log: has(log, "testCases") or (has(log, "testRunData") and has(log["testRunData"], "testCases")),
        deepeval,
    ),
    *(declared("mlflow", kind, _is_table, MLFLOW) for kind in ("csv", "lines")),
)
