"""Evaluations of applications: OpenAI evals, promptfoo, deepeval, MLflow and ragas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import shown
from ..options import Which
from ..pattern import Row
from ..records import AnswerCounter, Trial, Unfinished, UniqueTrialId, claim
from ..text_files import SourceLocation, located
from .fields import Format, Rows, at, declared, digest, has, key, same_metric, text_at, trial_costs, wrong

# --- OpenAI evals: the event log of oaieval, and the output items of the hosted API ---


def events(lines: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial | Unfinished]:
    """Trials scored by match or by a metric, with the ids of their events, else numbered in the order of events."""
    model, task, run, chosen, metric, ended, accuracy = "", None, "", "", "", False, None
    wanted, n_runs, unfinished = True, 0, False
    counter = AnswerCounter(location)
    for line in lines:
        if has(line, "spec"):  # of a run; a file may have several, each with its own metric and report
            unfinished |= n_runs > 0 and wanted and not ended
            ended, chosen = False, ""
            spec = key(line, "spec", dict)
            models = key(spec, "completion_fns", list)
            model, task = text_at(models[0] if models else None) or "", text_at(spec, "eval_name")
            run = text_at(spec, "run_id") or ""
            wanted = which.wants(task)
            n_runs += wanted
            if not wanted:  # a further run in the file may have a task that is wanted
                yield Trial(model or location.folder(), "", None, None, None, task)
            continue
        if has(line, "final_report"):
            ended = True
            if wanted:
                accuracy = at(line, "final_report", "accuracy")
        data = line.get("data")
        scores = _scores(line.get("type"), data) if wanted else {}
        if not scores:
            continue
        if not model:
            raise wrong("the spec of the run names no completion_fns")
        if not chosen:
            chosen = metric = same_metric(which.choose(scores, "metrics", task), "openai-evals", location, task)
        if chosen in scores:
            sample = key(line, "sample_id", str)
            # a repeated event has the same trial id, and so is an error rather than a further trial
            event = line.get("event_id") if "event_id" in line else counter.next(sample, line)
            yield Trial(model, sample, f"{run}/{event}", scores[chosen], None, task)
    if metric == "match" and n_runs == 1:  # each of several runs states its own accuracy
        claim(location, "accuracy", accuracy, "rate")
    if unfinished or (wanted and not ended):
        location.leave_line()
        yield Unfinished("the run has no final_report: samples that it did not reach are missing")


def _scores(kind: Any, data: Any) -> dict[str, Any]:
    """The outcomes in an event, by name."""
    if type(data) is not dict:
        return {}
    if kind == "match":
        return {"match": key(data, "correct")}
    return {name: x for name, x in data.items() if type(x) in (bool, int, float)} if kind == "metrics" else {}


def items(lines: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials in output items, scored by whether they pass a grader."""
    chosen = ""
    for line in lines:
        results = {key(x, "name", str): x for x in key(line, "results", list)}
        if results and not chosen:
            chosen = same_metric(which.choose(results, "graders"), "openai-evals", location)
        model = text_at(line, "sample", "model")
        if model is None:
            raise wrong("sample names no model")
        outcome = key(results[chosen], "passed") if chosen in results else None
        trial = UniqueTrialId(key(line, "id", str)) if "id" in line else None
        yield Trial(model, key(line, "datasource_item_id", int, str), trial, outcome)


def _is_item(x: Any) -> bool:
    return has(x, "object", "results") and x["object"] == "eval.run.output_item"


OPENAI_EVALS = (
    Format("openai-evals", "lines", lambda line: has(line, "spec") and has(line["spec"], "completion_fns"), events),
    Format("openai-evals", "lines", _is_item, items),
    Format(
        "openai-evals", "json",
        lambda log: has(log, "data") and type(log["data"]) is list and bool(log["data"]) and _is_item(log["data"][0]),
        lambda log, location, which: items(key(log, "data", list), location, which),
    ),
)  # fmt: skip


# --- promptfoo: results.json, results.jsonl and exports, with a row for each answer in any order ---


ERROR = 2  # failureReason of a row that ended in an error
ADDED = ("_conversation", "sessionId", "__")  # beginnings of variables that promptfoo adds to each answer


def document(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials in results.json, or in an export."""
    rows = key(key(log, "results", dict), "results", list)
    yield from lines(located(rows, location, "results.results"), location, which)
    stated = {name: at(log, "results", "stats", name) for name in ("successes", "failures", "errors")}
    if all(type(x) is int for x in stated.values()):
        claim(location, "rows", sum(stated.values()), "trials")
    if location.chosen_metrics.get("promptfoo ", ("",))[0] == "success":  # the key of same_metric without a task
        for (name, x), kind in zip(stated.items(), ("successes", "failures", "missing"), strict=True):
            claim(location, name, x, kind)


def lines(rows: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials scored by success or another score; a question is its variables, assertions and description.

    A row that ended in an error is missing. testIdx does not identify a question: each repetition has a new number.
    """
    chosen, answers = "", []
    for row in rows:
        key(row, "testCase", dict)
        if not chosen:
            names = list(key(row, "namedScores", dict)) if "namedScores" in row else []
            requested = which.requested(["success", "score", *names], "outcomes")
            chosen = same_metric(requested or "success", "promptfoo", location)
        answers.append((location.line, location.entry, *_answer(row, chosen)))
    prompts: dict[str, set[str]] = {}
    for _, _, trial, prompt in answers:
        prompts.setdefault(trial.model, set()).add(prompt)
    for location.line, location.entry, trial, prompt in answers:
        several = len(prompts[trial.model]) > 1
        yield trial._replace(model=f"{trial.model} [{prompt}]") if several else trial


def _answer(row: Any, chosen: str) -> tuple[Trial, str]:
    """The trial in a row, and its prompt."""
    case = key(row, "testCase", dict)
    variables = {name: x for name, x in key(row, "vars", dict).items() if not name.startswith(ADDED)}
    question = digest(variables, case.get("assert"), case.get("description"))
    provider = row.get("provider")
    model = text_at(provider, "label") or text_at(provider, "id") or text_at(row, "provider")
    if model is None:
        raise wrong(f"provider is {shown(provider)}: it names no model")
    prompt = text_at(row, "prompt", "label") or text_at(row, "prompt", "raw") or str(row.get("promptIdx"))
    outcome = None
    if row.get("failureReason") != ERROR:
        outcome = key(row, chosen) if chosen in ("success", "score") else key(key(row, "namedScores", dict), chosen)
    costs = trial_costs(row, cost=("cost",), tokens=("tokenUsage.total",), milliseconds=("latencyMs",))
    id_ = text_at(row, "id")
    return Trial(model, question, None if id_ is None else UniqueTrialId(id_), outcome, costs=costs), prompt


PROMPTFOO = (
    Format(
        "promptfoo", "json", lambda log: has(log, "results") and has(log["results"], "results", "version"), document,
        metric="success",
    ),
    Format(
        "promptfoo", "lines", lambda line: has(line, "testCase", "success", "provider", "vars"), lines,
        metric="success",
    ),
)  # fmt: skip


# --- Test cases evaluated by scorers: deepeval, and the table of MLflow's genai.evaluate ---


VALUE = "/value"  # ending of the column of a scorer or an expectation in MLflow's table
WORD_SCORES = {"yes": 1, "no": 0, "pass": 1, "fail": 0}


def deepeval(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials of deepeval: whether a metric meets its threshold (METRIC), or its score (METRIC/score)."""
    log = log.get("testRunData", log)
    cases = [
        (f"{name}[{i}]", case)
        for name in ("testCases", "conversationalTestCases")
        for i, case in enumerate(key(log, name, list) if name in log else [])
    ]
    names = dict.fromkeys(key(x, "name", str) for _, case in cases for x in _metrics(case))
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
        if matching and matching[0].get("error") and matching[0].get("score") is None:
            outcome = None  # the metric ended in an error, whose success deepeval writes as false
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


def _value(row: Row, chosen: str) -> Any:
    """The value of the column <scorer>/value, where a word may be a score."""
    value = key(row.own, chosen + VALUE)
    return WORD_SCORES.get(value.strip().lower(), value) if type(value) is str else value


MLFLOW = Rows(
    "$", lambda row: digest(key(row.own, "request")), _value, in_order=True, choices=_scorers, no_default=True
)
JUDGED = (
    Format(
        "deepeval", "json",
        lambda log: has(log, "testCases") or (has(log, "testRunData") and has(log["testRunData"], "testCases")),
        deepeval,
    ),
    *(
        declared(
            "mlflow", kind,
            lambda x: "trace_id" in x and "request" in x and any(name.endswith(VALUE) for name in x), MLFLOW,
        )
        for kind in ("csv", "lines")
    ),
)  # fmt: skip


# --- ragas: a table with a column for each metric ---


# columns of ragas that are not scores
INPUTS = """
    user_input retrieved_contexts response reference reference_contexts rubrics multi_responses
    retrieved_context_ids reference_context_ids reference_topics reference_tool_calls reference_goal synthesizer_name
    persona_name query_style query_length"""


def _is_ragas(x: Any) -> bool:
    """Whether a header, a row or a list of rows is that of scores of ragas."""
    row = x[0] if type(x) is list and x and type(x[0]) is dict else x
    if type(row) not in (dict, list) or not row or not all(type(name) is str for name in row):
        return False
    return {"user_input", "response"} <= set(row) and bool({"reference", "retrieved_contexts"} & set(row))


RAGAS = tuple(
    declared(
        "ragas", kind, _is_ragas,
        Rows("[*]" if kind == "json" else "$", lambda row: digest(row.own["user_input"], row.own.get("reference")),
             "{}", in_order=True, no_default=True,
             choices=lambda x: [y for y in (x[0] if type(x) is list else x) if y not in INPUTS.split()]),
    )
    for kind in ("csv", "lines", "json")
)  # fmt: skip
