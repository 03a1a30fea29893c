"""Harnesses: lm-evaluation-harness and lmms-eval, lighteval, NeMo-Skills, verifiers and prime-rl, verl, eval-arena."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import InvalidInput, shown
from .. import values
from ..check import model_in
from ..options import Which
from ..records import UNKNOWN, AnswerCounter, Settings, SuccessCount, Trial, UniqueTrialId, claim
from ..text_files import InferredName, SourceLocation
from .fields import (
    Format,
    Rows,
    at,
    declared,
    digest,
    document_beside,
    has,
    key,
    same_metric,
    successes,
    text_at,
    wrong,
)

# --- lm-evaluation-harness and lmms-eval: samples_<task>_<date>.jsonl, a line for each document and filter ---


NAME = "lm-evaluation-harness"
SETTINGS = (
    "system_instruction_sha",
    "chat_template_sha",
    "fewshot_as_multiturn",
)  # of a run, in its results
FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[.\d]*)")
UNSAFE = re.compile(r"[\"<>:/|\\?*\[\]]+")  # runs of characters that the harness writes as __ in names of folders
LMMS = re.compile(r"\d{8}_\d{6}_samples_(.+)")
NOT_METRICS = {  # keys of a line that are not metrics, for older logs, which do not list their metrics
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash",
    "target_hash", "input", "submission", "token_counts", "reasoning_tokens",
}  # fmt: skip
HASH_LENGTH = 8  # characters of a document's hash in the name of a question
AVERAGES = re.compile(r"(.*(avg|mean|average).*|[^@]*@1)", re.IGNORECASE)  # names of metrics that are averages


class Row(NamedTuple):
    """A line of the log; its metrics are named metric,filter or, for an entry of an object, metric/entry,filter."""

    line: int
    question: str
    metrics: dict[str, Any]
    K: int  # number of responses that the metric is computed from
    available: int  # number of responses to the document
    answer: Any  # the filtered response, where there is one


def records(objects: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial | SuccessCount]:
    """Trials scored by one metric of one filter, or success counts where it is an average over K responses."""
    model, task = model_and_task(location)
    which.require(task)
    prompts = dict[str, Any]()
    rows = [_row(line, location, task, prompts) for line in objects]
    location.settings = _settings(location, task, prompts)
    location.leave_line()
    names = dict.fromkeys(name for row in rows for name in row.metrics)
    chosen = same_metric(which.choose(names, "metrics of filters", task, parts=True), NAME, location, task)
    _add_claims_of_results(location, task, chosen)
    location.metrics[task or ""] = chosen.removesuffix(",none")
    # whether rows average several responses, whether any average is neither 0 nor 1, and the first line of several
    # responses whose metric is not an average by its name
    metric, averages, fractions, unclear_line = chosen.split(",")[0], False, False, 0
    pending = {row.question: row.line for row in reversed(rows)}  # first lines of documents without an outcome so far
    for row in rows:
        location.line = row.line
        if chosen not in row.metrics:
            continue
        pending.pop(row.question, None)
        if row.K == 1:
            if row.available > 1:
                location.remark(
                    f"Documents of {row.available} responses of which the metric scores only one: {{n}}. "
                    f"Each of these is 1 trial, not {row.available}."
                )
            yield Trial(model, row.question, None, row.metrics[chosen], None, task, answer=row.answer)
            continue
        if "@" in metric and not AVERAGES.fullmatch(metric):
            raise wrong(f"{metric} is not an average of {row.K} outcomes")
        averages, c = True, successes(row.metrics[chosen], row.K, metric)
        fractions = fractions or 0 < c < row.K
        unclear_line = unclear_line or (0 if AVERAGES.fullmatch(metric) else row.line)
        yield SuccessCount(model, row.question, c, row.K, None, task)
    for question, location.line in sorted(pending.items(), key=lambda x: x[1]):
        if averages:
            lacking = f"document {shown(question)} has no {chosen}, the average outcome of several responses"
            problem = f"{lacking}, so its missing trials cannot be counted"
            raise InvalidInput("missing", "outcome", problem, "other_metric")
        yield Trial(model, question, None, None, None, task)
    if unclear_line and not fractions:
        location.line = unclear_line
        problem = f"{metric} is 0 or 1 for every document with several responses: it may not be their average outcome"
        raise wrong(f"{problem}; if it is, write a table of question, c (successes) and n (trials)")


def model_and_task(location: SourceLocation) -> tuple[str, str | None]:
    """The model and the task: the names of folder and file, unless the file of results names a different model.

    A file that is not named as the tools name theirs is named after the model, and its task is None.
    """
    if match := FILE.fullmatch(location.stem):
        folder = location.folder()
        stated = text_at(document_beside(location, f"results_{match[2]}.json"), "model_name")
        return (stated if stated and UNSAFE.sub("__", stated) != folder else folder), match[1]
    match = LMMS.fullmatch(location.stem)
    return (location.folder(), match[1]) if match else (location.model(), None)


def _settings(location: SourceLocation, task: str | None, prompts: dict[str, Any]) -> Settings:
    """How the run was made, as the results of the same time state it."""
    date = match[2] if (match := FILE.fullmatch(location.stem)) else location.stem.partition("_samples_")[0]
    results = document_beside(location, f"results_{date}.json" if match else f"{date}_results.json")
    stated = {name: results[name] for name in SETTINGS if has(results, name)}
    n_shot = at(results, "n-shot", task or "")
    files = f"samples_*{date}.*" if match else f"{date}_samples_*"
    is_dated = match or LMMS.fullmatch(location.stem)
    return Settings(
        stated if n_shot is None else {"n-shot": n_shot} | stated, prompts, files if is_dated else location.file.name
    )


def _add_claims_of_results(location: SourceLocation, task: str | None, chosen: str) -> None:
    """Note what the results file of the same time states, to be checked: the number of documents, and a mean score."""
    match = FILE.fullmatch(location.stem)
    results = document_beside(location, f"results_{match[2]}.json") if match else None
    if task is None or type(results) is not dict:
        return
    config, metric = at(results, "configs", task, "metric_list"), chosen.split(",")[0]
    listed = [x for x in config if has(x, "metric") and x["metric"] == metric] if type(config) is list else []
    if all(x.get("aggregation", "mean") in ("mean", None) for x in listed):
        claim(location, chosen, at(results, "results", task, chosen))
    claim(location, "documents", at(results, "n-samples", task, "effective"), "questions")


def _document(line: Any, location: SourceLocation, task: str | None) -> str:
    """The id of a document, with its hash if the log has one: the id is a row number, which may change.

    A document in a different row than in the first file keeps the id from the first file.
    """
    row, digest = values.id_of(key(line, "doc_id"), "question"), line.get("doc_hash")
    if type(digest) is not str:
        return row
    versions = location.versions  # the first hash of each row, the first id of each hash, the id of a hash in a row
    if versions.setdefault((NAME, task, row), digest) != digest:
        what = "Lines whose document differs from that of the first file (doc_hash): {n}."
        location.remark(f"{what} They count as different questions.")
    name = f"{row}#{digest[:HASH_LENGTH]}"
    first, file = versions.setdefault((NAME, task, digest, ""), (name, location.file))
    return str(versions.setdefault((NAME, task, digest, row), name if file == location.file else first))


def _row(line: Any, location: SourceLocation, task: str | None, prompts: dict[str, Any]) -> Row:
    question = _document(line, location, task)
    if "prompt_hash" in line:
        prompts.setdefault(question, line["prompt_hash"])
    responses = key(line, "resps", list)
    K = _responses(line)
    available = len(responses[0]) if responses and type(responses[0]) is list else 1
    filtered = key(line, "filtered_resps", list)
    is_answer = len(filtered) == 1 and type(filtered[0]) is str  # a (likelihood, is_greedy) pair is no answer
    answer = filtered[0] if is_answer else UNKNOWN
    return Row(location.line, question, _metrics(line), K, max(K, available), answer)


def _metrics(line: Any) -> dict[str, Any]:
    """The metrics in a line, each with its filter where the line names one."""
    if "metrics" in line:
        metrics = key(line, "metrics", list)
        if not all(type(m) is str for m in metrics):
            raise wrong(f"metrics is {shown(metrics)}, not a list of names")
    else:
        metrics = [name for name in line if name not in NOT_METRICS]
    filtered = f",{key(line, 'filter', str)}" if "filter" in line else ""
    values_by_name = {}
    for metric in metrics:
        value = key(line, metric)
        parts = value if type(value) is dict else {}
        numbers = {f"{metric}/{part}": x for part, x in parts.items() if type(x) in (int, float, bool)}
        for name, x in (numbers or {metric: value}).items():
            values_by_name[name + filtered] = x
    return values_by_name


def _responses(line: Any) -> int:
    """The number of responses that the metric is computed from, which a filter may reduce to one."""
    responses, filtered = key(line, "resps", list), key(line, "filtered_resps", list)
    if not responses or type(responses[0]) is not list or len(responses[0]) <= 1:
        return 1
    if len(filtered) != len(responses):
        raise wrong(f"{len(responses)} resps and {len(filtered)} filtered_resps")
    first = filtered[0]
    if type(first) is not list or not first or (type(responses[0][0]) is list) != (type(first[0]) is list):
        return 1  # one text, or one (likelihood, is_greedy) pair
    return len(first)


LM_EVAL = Format(NAME, "lines", lambda line: has(line, "doc_id", "resps", "filtered_resps"), records, is_one_trial=True)


# --- lighteval: a row for each document, whose metrics are averages over its responses ---


def lighteval(rows: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[SuccessCount]:
    """Success counts in rows with doc, metric and model_response. The caller sets the location of each row."""
    (model, results), chosen = _model_and_results(location), None
    for row in rows:
        doc, metrics = key(row, "doc", dict), key(row, "metric", dict)
        if chosen is None:
            task = doc.get("task_name")
            chosen = same_metric(which.choose(metrics, "metrics", task), "lighteval", location, task)
            stated = document_beside(location, results) if results else None
            claim(location, chosen, at(stated, "results", task, chosen))
        responses = key(key(row, "model_response", dict), "text", list)
        value, n = key(metrics, chosen), _averaged(chosen, len(responses))
        yield SuccessCount(model, key(doc, "id"), successes(value, n, chosen), n, None, doc.get("task_name"))


def _model_and_results(location: SourceLocation) -> tuple[InferredName, str]:
    """The model in details/<model>/<date>/details_<task>_<date>.parquet, and the path of results_<date>.json, or ""."""
    dated = location.file.resolve().parent
    if "details" not in dated.parts:
        return location.model(), ""
    up = dated.parts[::-1].index("details")
    names = dated.parts[len(dated.parts) - up : -1]
    model = InferredName("/".join(names), str(dated.parent)) if names else location.model()
    return model, "/".join((*[".."] * (up + 1), "results", *names, f"results_{dated.name}.json"))


def _averaged(metric: str, n_responses: int) -> int:
    """The number of outcomes that a metric averages, such as 16 for avg@n:n=16 and pass@k:k=1&n=16."""
    base, _, parameters = metric.partition(":")
    options = dict(pair.split("=", 1) for pair in parameters.split("&") if "=" in pair)
    k, n = (int(x) if re.fullmatch("[0-9]{1,9}", x) else None for x in (options.get("k", ""), options.get("n", "")))
    if "avg@" in base:
        return n or k or max(n_responses, 1)
    if "pass@" in base and (k == 1 or (k is None and base.endswith("pass@1"))):
        return n or max(n_responses, 1)
    if "@" in base or n_responses > 1:
        raise wrong(f"metric {shown(metric)} is not an average over {n or n_responses} responses")
    return 1


# --- Responses of verl during training, and the table of eval-arena ---


def arena(lines: Iterable[Any], location: SourceLocation, which: Any) -> Iterator[SuccessCount]:
    """Success counts of each model and example."""
    averages = []
    for x in lines:
        task = key(x, "benchmark_id", str) if "benchmark_id" in x else None
        averages.append(x.get("pass1"))
        c, n = key(x, "correct"), key(x, "count")
        yield SuccessCount(key(x, "model"), key(x, "example_id"), c, n, None, task, rest=x)
    if all(type(x) in (int, float) and 0 <= x <= 1 for x in averages):
        claim(location, "the average pass1", sum(averages) / len(averages))


TRAINING = (
    declared(
        "verl", "lines", lambda line: has(line, "input", "output", "score", "step"),
        Rows("$", lambda row: digest(key(row.own, "input"), row.own.get("gts")), "{}", in_order=True,
             choices=lambda line: [name for name in ("acc", "score") if name in line],
             answer=lambda row: row.own.get("pred", UNKNOWN)),
    ),
    Format(
        "eval-arena", "lines", lambda line: has(line, "model", "example_id", "correct", "count"), arena,
        metric="correct",
    ),
)  # fmt: skip


# --- verifiers and prime-rl: traces.jsonl of an evaluation; before version 1.0, results.jsonl beside metadata.json ---


def results(lines: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials scored by the reward or a function of the rubric; the rollouts of an example are in the order of lines.

    A rollout that ended in an error, whose reward is written as 0, is missing.
    """
    metadata = document_beside(location, "metadata.json")
    model = text_at(metadata, "model") or location.folder()
    task = text_at(metadata, "env") or text_at(metadata, "env_id")
    chosen, rollouts = "", AnswerCounter(location)
    which.require(task)
    for line in lines:
        if not chosen:
            others = ("example_id", "generation_ms")
            numbers = [x for x in line if type(line[x]) in (int, float, bool) and x not in others]
            chosen = same_metric(which.requested(numbers, "rewards", task) or "reward", "verifiers", location, task)
        example = values.id_of(key(line, "example_id"), "question")
        outcome = None if line.get("error") else key(line, chosen)
        yield Trial(model, example, rollouts.next(example, line), outcome, None, task, rest=line)
    examples, per_example = at(metadata, "num_examples"), at(metadata, "rollouts_per_example")
    if type(examples) is type(per_example) is int and examples > 0:
        claim(location, "num_examples x rollouts_per_example", examples * per_example, "trials")
    if chosen == "reward":
        claim(location, "avg_reward", at(metadata, "avg_reward"), "zeros")


def episodes(lines: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials scored by the weighted sum of an agent's rewards; missing after an error, or without this agent."""
    chosen = ""
    for line in lines:
        task, question_data = text_at(line, "env"), key(line, "task", dict)
        if not which.wants(task):
            yield Trial(location.folder(), "", None, None, None, task)
            continue
        for x in key(line, "traces", list):
            key(x, "agent")  # raises where a trace has no agent
        traces = {text_at(x, "agent", "name") or "agent": x for x in key(line, "traces", list)}
        if traces and not chosen:
            chosen = which.choose(traces, "agents", task)
            same_metric("reward", "verifiers", location, task)
        trace = traces.get(chosen, {})
        model = text_at(trace, "agent", "config", "model") or text_at(trace, "agent", "config", "model", "name")
        if trace and model is None:
            raise wrong(f"agent is {shown(trace.get('agent'))}: it names no model")
        if line.get("errors") or line.get("ok") is False or not trace:
            outcome = None
        else:
            outcome = _reward(key(trace, "rewards", dict))
        trial = UniqueTrialId(key(line, "id", str)) if "id" in line else None
        yield Trial(model or location.folder(), _question(question_data), trial, outcome, None, task)


def _question(task: Any) -> Any:
    """The id of a task, or else a hash of its content."""
    data = task.get("data")
    fields = data if type(data) is dict else {}
    candidates = (task.get("key"), fields.get("id"), fields.get("idx"), fields.get("name"))
    id_ = next((x for x in candidates if type(x) in (str, int) and str(x).strip()), None)
    return digest(task) if id_ is None else id_


def _reward(rewards: dict[str, Any]) -> float | None:
    """The weighted sum of rewards, without null ones; None where a score or weight is missing, or none is left."""
    total, has_score = 0.0, False
    for name, x in rewards.items():
        if x is None:
            continue
        score, weight = values.number(key(x, "score"), name), values.number(x.get("weight", 1), name)
        if score is None or weight is None:
            return None
        total, has_score = total + float(score) * float(weight), True
    return total if has_score else None


VERIFIERS = (
    Format(
        "verifiers", "lines",
        lambda line: has(line, "example_id", "reward") and ("prompt" in line or "completion" in line),
        results, metric="reward",
    ),
    Format("verifiers", "lines", lambda line: has(line, "traces", "task"), episodes, metric="reward"),
)  # fmt: skip


# --- NeMo-Skills: eval-results/<benchmark>/output-rs<seed>.jsonl, a line for each problem ---


SEED = re.compile(r"output-rs(\d+)")
AVERAGE_OF_SEEDS = re.compile(r"pass@1\[(avg-of-)?\d+\]")
JUDGED = re.compile(r"judgement:\s*(yes|no)\b", re.IGNORECASE)
OUTCOMES = ("symbolic_correct", "is_correct", "judgement")


def nemo_skills(lines: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials of problems by seed; the question is the id of the problem, or else a hash of its content.

    Where a file has every problem as many times, these are its trials; a problem that only some repeat is a different
    question each time.
    """
    model, task = _model_and_task(location)
    which.require(task)
    seed = SEED.match(location.stem)
    trial, chosen, counter = seed[1] if seed else "0", "", AnswerCounter(location)
    trials: list[tuple[int, int, Trial]] = []  # with the line and the number of the answer
    for line in lines:
        if not chosen:
            available = [name for name in OUTCOMES if name in line]
            chosen = same_metric(which.choose(available, "outcomes", task), "nemo-skills", location, task)
            _add_claims_of_seeds(location, task, chosen)
        if type(id_ := line.get("id")) in (str, int) and str(id_).strip():
            question = str(id_).strip()
        else:
            question = digest(line.get("problem", line.get("question")), line.get("expected_answer"))
        n = counter.next((model_in(line), question), line)
        value = key(line, chosen)
        if chosen == "judgement":  # the last verdict in it, if there is one
            verdicts = JUDGED.findall(value) if type(value) is str else []
            value = int(verdicts[-1].lower() == "yes") if verdicts else None
        answer = line.get("predicted_answer", UNKNOWN)
        read = Trial(model, question, trial, value, None, task, answer=answer, rest=line)
        trials.append((location.line, n, read))
    times = {*counter.counts.values()}
    are_trials = len(times) == 1 and times != {1}
    for location.line, n, read in trials:
        if are_trials:
            yield read._replace(trial=f"{trial}/{n}")
        else:
            yield read._replace(question=f"{read.question} ({n})") if n > 1 else read


def _add_claims_of_seeds(location: SourceLocation, task: str | None, chosen: str) -> None:
    """Note the averages over seeds in metrics.json, which are in percent."""
    stated = at(document_beside(location, "metrics.json"), (task or "").rpartition("/")[2])
    document, name = f"{location.file.parent / 'metrics.json'}", "judge_correct" if chosen == "judgement" else chosen
    for what in stated if type(stated) is dict else ():
        if AVERAGE_OF_SEEDS.fullmatch(what) or (what == "pass@1" and not any(map(AVERAGE_OF_SEEDS.fullmatch, stated))):
            claim(location, f"{what} {name}", at(stated, what, name), unit=100, digits=2, document=document)
            claim(location, "num_entries", at(stated, what, "num_entries"), "questions", document=document)


def _model_and_task(location: SourceLocation) -> tuple[str, str | None]:
    """The model and the benchmark: the folder above eval-results and the path below it.

    Without a folder eval-results they are the two folders above the file.
    """
    parts = location.file.resolve().parent.parts
    if "eval-results" not in parts:
        return location.folder(2), str(location.folder())
    position = len(parts) - 1 - parts[::-1].index("eval-results")
    folder = location.file.resolve().parents[len(parts) - position]
    # a folder eval-results at the root of the disk has no folder above it that could name the model
    model = InferredName(parts[position - 1] if position > 1 else location.stem, str(folder))
    return model, "/".join(parts[position + 1 :]) or None


NEMO_SKILLS = Format(
    "nemo-skills", "lines", lambda line: has(line, "generation") and any(x in line for x in OUTCOMES), nemo_skills
)
