"""inspect_ai: .json logs, .eval files, which are zip files with the same content, and logs that were retried."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, shown
from .. import values
from ..files import Members, naming_file
from ..options import Which
from ..records import UNKNOWN, Trial, Unfinished, claim
from ..text_files import SourceLocation, document
from .fields import TOLERANCE, Format, at, check_configuration, has, key, same_metric, trial_costs, wrong

# the scores that inspect_ai's value_to_float gives to words
WORD_SCORES = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}
NO_SCORE = "", None  # in place of a scorer and a value
INVALIDATED = ":invalidated"  # ending of a requested scorer, for which invalidated samples keep their scores
CONFIGURATION = ("task_args", "solver", "solver_args", "model_args", "model_generate_config", "dataset.name")
MANAGER = "scorio"  # the name of scorio.harness.EarlyStopping in a log
STOPPED = (
    "Stopped early by scorio, {n} trials were not run: the decision is that of the last look, which is in the log. "
    "Averages of a run that stopped early are biased away from its baseline."
)
JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")


def head(names: list[str]) -> str:
    """The name of the member that describes the evaluation."""
    return "header.json" if "header.json" in names else "_journal/start.json"


def records(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial | Unfinished]:
    """Trials of a .json log, by sample id and epoch; a sample without the score, as after an error, is missing."""
    if log.get("samples") is None:
        _refuse_averages(log)
    yield from _trials(log, {"samples": key(log, "samples", list)}, location, which)


def _refuse_averages(log: Any) -> None:
    """Refuse a log of averages without samples; the hint has the average as successes of samples, if it is one."""
    scores = at(log, "results", "scores")
    for x in scores if type(scores) is list else []:
        metrics, counts = at(x, "metrics") or {}, (at(x, "scored_samples"), at(log, "results", "completed_samples"))
        n = next((n for n in counts if type(n) is int and n > 0), 0)
        mean: Any = next((at(metrics, name, "value") for name in ("accuracy", "mean") if name in metrics), None)
        if n and type(mean) in (int, float) and abs(mean * n - round(mean * n)) < TOLERANCE:
            what = f"the log has only averages, {shown(at(x, 'name'))} {mean:.10g} of {n} samples, and no samples"
            raise InvalidInput("format", "path", what, f"average:{round(mean * n)}/{n}")
    if scores:
        raise wrong("the log has only averages, and no samples")


def zipped(members: Members, location: SourceLocation, which: Which) -> Iterator[Trial | Unfinished]:
    """Trials of an .eval file, from the summaries of samples; for an unfinished log, from those in its journal."""
    header = _member(members, head(members.names), location)
    journal = [(int(number[1]), name) for name in members.names if (number := JOURNAL.fullmatch(name))]
    names = ["summaries.json"] if "summaries.json" in members.names else [name for _, name in sorted(journal)]
    lists: dict[str, list[Any]] = {}
    for name in names:
        samples = _member(members, name, location)
        if type(samples) is not list:
            raise wrong(f"{name} is {shown(samples)}, not a list of samples")
        lists[name] = samples
    if has(header, "invalidated") and header["invalidated"]:
        _invalidate(members, lists, location)
    yield from _trials(header, lists, location, which)


def _member(members: Members, name: str, location: SourceLocation) -> Any:
    """The JSON document in a member of the zip file."""
    if name in members.documents:
        return members.documents[name]
    location.entry = name
    content = document(members.read(name), location)
    location.leave_line()
    return content


def _trials(
    log: Any, lists: dict[str, list[Any]], location: SourceLocation, which: Which
) -> Iterator[Trial | Unfinished]:
    """Trials of the samples in these lists of a log, and notes on missing samples."""
    spec = key(log, "eval", dict)
    model, task = key(spec, "model", str), key(spec, "task", str)
    which.require(task)
    status, stops = log.get("status", "started"), not_run(log)
    unread = None if stops else _unread(log, status, lists.values())
    n_samples, stated = sum(map(len, lists.values())), at(log, "results", "completed_samples")
    planned = _planned(log)
    if unread:
        what = f"the evaluation has status {shown(status)}: {len(unread)} of its planned samples are missing"
        yield Unfinished(f"{what}, such as {shown(unread[0][0])}", True)
    elif unread is None and status != "success" and not stops and planned:
        if n_samples < planned * _epochs(log):
            what = f"the evaluation has status {shown(status)}: of its {planned} planned samples some are missing"
            yield Unfinished(f"{what}, whose ids it does not state", True, model, task, planned, _epochs(log))
    elif unread is None and status != "success":
        yield Unfinished(f"the evaluation has status {shown(status)}: samples that it did not reach are missing")
    elif unread is None and type(stated) is int and stated > n_samples:
        yield Unfinished(f"the header counts {stated} completed samples, the file has {n_samples}")
    check_configuration(location, "inspect_ai", f"{model} {task}", spec, CONFIGURATION)
    if not any(lists.values()):
        _refuse_averages(log)
        raise InvalidInput("empty", "path", "the log has no sample")
    choices: dict[str, str] = {}
    scores = {name: _scores(samples, choices, location, name) for name, samples in lists.items()}
    location.leave_line()
    samples = [sample for samples_of_list in lists.values() for sample in samples_of_list]
    all_failed = not choices and all(sample.get("error") is not None for sample in samples)
    if all_failed:
        which.mark_all_used()
    invalid = sum(1 for sample in samples if sample.get("invalidation"))
    chosen, keep_invalidated = "", False
    if not all_failed:
        with_invalidated = {f"{name}{INVALIDATED}": name for name in choices}
        label = which.requested([*choices, *with_invalidated], "scorers", task) or which.choose(
            choices, "scorers", task
        )
        chosen = same_metric(with_invalidated.get(label, label), "inspect_ai", location, task)
        keep_invalidated = label in with_invalidated
    if invalid and not keep_invalidated:
        remedy = f"--which {chosen}{INVALIDATED} keeps them" if chosen else "they have no score"
        location.remark(f"Samples of inspect_ai that were invalidated: {{n}}. They are missing; {remedy}.", invalid)
        yield Unfinished(f"{invalid} samples were invalidated, so that their outcome is missing ({remedy})", True)
    if chosen:
        _add_claims(log, choices[chosen], chosen, location)
    for _ in stops:
        location.remark(STOPPED)
    for name, samples in lists.items():
        for i, (sample, by_scorer) in enumerate(zip(samples, scores[name], strict=True)):
            location.entry = f"{name}[{i}]"
            yield _trial(sample, by_scorer.get(chosen, NO_SCORE), keep_invalidated, model, task, bool(stops))
    for i, (sample, epoch) in enumerate(unread or ()):
        location.entry = f"unread[{i}]"
        yield Trial(model, sample, epoch, None, None, task, answer=None)


def _unread(log: Any, status: Any, lists: Iterable[list[Any]]) -> list[tuple[Any, int]] | None:
    """The id and the epoch of each planned sample that the log lacks; None where it does not state what was planned.

    The list of planned ids may be that of the whole data set, of which a limit takes a part.
    """
    ids, config = at(log, "eval", "dataset", "sample_ids"), at(log, "eval", "config")
    limit, epochs = at(config, "limit"), _epochs(log)
    if type(ids) is not list or not ids or not epochs or at(config, "sample_id") is not None:
        return None
    if type(limit) is list and len(limit) == 2:
        limit = limit[1] - limit[0] if len(ids) <= limit[1] - limit[0] else slice(*limit)
    ids = ids[limit if type(limit) is slice else slice(limit)]
    planned = {(str(x), epoch): (x, epoch) for epoch in range(1, epochs + 1) for x in ids}
    read = {(str(key(x, "id", str, int)), key(x, "epoch", int)) for samples in lists for x in samples}
    is_all = status != "success" or (
        at(log, "results", "total_samples") == len(planned) and at(log, "results", "early_stopping") is None
    )
    return [x for name, x in planned.items() if name not in read] if is_all and read <= planned.keys() else None


def _epochs(log: Any) -> int:
    """The number of trials of each sample; 0 where it is not known."""
    epochs = at(log, "eval", "config", "epochs") or 1
    return epochs if type(epochs) is int else 0


def _planned(log: Any) -> int:
    """The number of planned samples where their ids are not stated; 0 where it is not known."""
    n, config = at(log, "eval", "dataset", "samples"), at(log, "eval", "config")
    limit = at(config, "limit")
    if (
        type(n) is not int
        or n < 1
        or not _epochs(log)
        or at(log, "eval", "dataset", "sample_ids")
        or at(config, "sample_id") is not None
    ):
        return 0
    of_range = type(limit) is list and len(limit) == 2 and all(type(x) is int for x in limit)
    if of_range and n > limit[1] - limit[0]:  # the size of the whole data set
        return len(range(n)[slice(*limit)])
    return min(n, limit) if type(limit) is int else n


def not_run(log: Any) -> list[Any]:
    """Trials that scorio.harness.EarlyStopping left out after its decision: they are not missing."""
    summary = at(log, "results", "early_stopping")
    stops = at(summary, "early_stops") if at(summary, "manager") == MANAGER else None
    return stops if isinstance(stops, list) else []


def _add_claims(log: Any, scorer: str, chosen: str, location: SourceLocation) -> None:
    """Note the log's own average of the chosen score and its number of samples, if scores are averaged over epochs."""
    scores = at(log, "results", "scores") or []
    if at(log, "eval", "config", "epochs_reducer") not in (None, ["mean"], "mean"):
        return
    for x in scores:
        is_mean = type(x) is dict and x.get("reducer", "mean") in (None, "mean")
        if not is_mean or x.get("name") not in (chosen, chosen.rpartition("/")[2]) or x.get("scorer", scorer) != scorer:
            continue
        for name in ("accuracy", "mean"):
            claim(location, f"{name} of {chosen}", at(x, "metrics", name, "value"))
        claim(location, "scored samples (averages over epochs)", x.get("scored_samples"), "answered")


def _invalidate(members: Members, lists: dict[str, list[Any]], location: SourceLocation) -> None:
    """Mark the summaries of invalidated samples, since only the samples themselves state the invalidation."""
    for samples in lists.values():
        for sample in samples:
            name = f"samples/{key(sample, 'id', str, int)}_epoch_{key(sample, 'epoch', int)}.json"
            content = document(members.read(name), location)
            sample["invalidation"] = content.get("invalidation") if type(content) is dict else None


def _trial(sample: Any, score: tuple[Any, Any], keep_invalidated: bool, model: str, task: str, stopped: bool) -> Trial:
    """The trial of a sample; an invalidated sample is missing unless it is kept."""
    scorer, value = NO_SCORE if sample.get("invalidation") and not keep_invalidated else score
    answer = sample["scores"][scorer].get("answer", UNKNOWN) if scorer else None
    usage = at(sample, "model_usage", model)  # of the evaluated model, not of a grader
    costs = trial_costs(sample, seconds=("total_time",))
    if usage:
        costs = trial_costs(usage, cost=("total_cost",), tokens=("total_tokens",)) | costs
    question, epoch = key(sample, "id", str, int), key(sample, "epoch", int)
    return Trial(model, question, epoch, _number(value), None, task, answer=answer, costs=costs, stopped=stopped)


def _scores(
    samples: list[Any], choices: dict[str, str], location: SourceLocation, entry: str
) -> list[dict[str, tuple[str, Any]]]:
    """The scorer and the value of each score of each sample, by the name of the score; choices collects the scorers."""
    scores = list[dict[str, tuple[str, Any]]]()
    try:
        for sample in samples:
            by_scorer = _scores_of(sample)
            for name, (scorer, _) in by_scorer.items():
                if choices.setdefault(name, scorer) != scorer:
                    raise _two_scorers(choices[name], scorer, name)
            scores.append(by_scorer)
    except InvalidInput:
        location.entry = f"{entry}[{len(scores)}]"
        raise
    return scores


def _scores_of(sample: Any) -> dict[str, tuple[str, Any]]:
    """The scorer and the value of each score of a sample: by scorer, or by scorer/part if the score has parts."""
    if not has(sample, "scores"):
        key(sample, "id")  # raises where the sample is not an object
        return {}
    by_scorer: dict[str, tuple[str, Any]] = {}
    for scorer, score in (key(sample, "scores", dict, type(None)) or {}).items():
        value = score["value"] if type(score) is dict and "value" in score else key(score, "value")
        if type(value) is not dict and scorer not in by_scorer:
            by_scorer[scorer] = (scorer, value)
            continue
        parts = {f"{scorer}/{part}": x for part, x in value.items()} if type(value) is dict else {scorer: value}
        for name, x in parts.items():
            if (first := by_scorer.setdefault(name, (scorer, x))[0]) != scorer:
                raise _two_scorers(first, scorer, name)
    return by_scorer


def _two_scorers(first: str, scorer: str, name: str) -> InvalidInput:
    """The error of a name that belongs to scores of two scorers."""
    what = f"score {shown(name)} may be of scorer {shown(first)} or {shown(scorer)}"
    return InvalidInput("conflict", "path", what)


def _number(value: Any) -> Any:
    """The outcome in a score: the number of a word such as C, else the value itself, which is parsed later."""
    if type(value) is not str:
        return value
    number = WORD_SCORES.get(value, WORD_SCORES.get(value.lower()) if len(value) > 1 else None)
    if number is None and values.number(value, "outcome") is None:  # a word such as null
        raise InvalidInput("type", "outcome", f"score {shown(value)} is not a number, nor C, P, I or N")
    return value if number is None else number


FORMATS = (
    Format("inspect_ai", "json", lambda log: has(log, "eval") and has(log["eval"], "model", "task"), records),
    Format("inspect_ai", "eval", lambda _: True, zipped),
)


SMALL = 1 << 14  # bytes; smaller files are kept in memory
MAX_KEPT = 1 << 13  # files that are kept in memory
# keys of the specification that inspect_ai.CONFIGURATION compares between the files of a model
CONFIGURED = ("task_args", "solver", "solver_args", "model_args", "model_generate_config", "dataset")
HEAD = 1 << 20  # bytes at the start of a .json log that are searched for the specification and the status
EVAL, STATUS = re.compile(r'"eval"\s*:\s*(?=\{)'), re.compile(r'"status"\s*:\s*"(\w+)"')


def superseded(files: Sequence[Path], prefetched: dict[Path, Any] | None = None) -> dict[Path, Path]:
    """Each file whose evaluation was retried, with the file that replaces it.

    prefetched collects the content of small files and the members of zip files, so that they are not read twice.
    """
    # the files of each task id: whether the status is success, the time of creation, the file's name, the run, the file
    tasks: dict[str, list[tuple[bool, str, str, str, Path]]] = {}
    for file in files:
        spec, status = _specification(file, prefetched if prefetched is not None and len(prefetched) < MAX_KEPT else {})
        if isinstance(spec, dict) and isinstance(task := spec.get("task_id"), str) and task:
            tasks.setdefault(task, []).append(
                (status == "success", str(spec.get("created")), file.name, str(spec.get("run_id")), file)
            )
    newer: dict[Path, Path] = {}
    for logs in tasks.values():
        if len({run for *_, run, _ in logs}) < len(logs):
            continue  # copies of a file, which are not retries: counting detects them
        *old, last = sorted(logs)
        newer |= {entry[-1]: last[-1] for entry in old}
    return newer


def _zipped(file: Path, prefetched: dict[Path, Any]) -> tuple[Any, str]:
    """The specification of the evaluation in an .eval file, and its status; prefetched keeps the parts to be read."""
    with open(file, "rb") as f:
        members = Members(f)
        name = head(members.names)
        raw = members.read(name)
    try:
        log = document(raw, SourceLocation(file))
        members.documents[name] = {
            "eval": {x: y for x, y in log["eval"].items() if x in ("model", "task", "config", *CONFIGURED)},
            "status": log.get("status", "started"),
            "invalidated": log.get("invalidated"),
            "results": {
                **{x: (log.get("results") or {}).get(x) for x in ("completed_samples", "total_samples", "scores")},
                "early_stopping": {"manager": MANAGER, "early_stops": not_run(log)},
            },
        }  # the parts that are read later
        prefetched[file] = members
    except (InvalidInput, KeyError, TypeError, AttributeError):
        log = json.loads(raw)  # nothing is kept: reading the file reports the error
    return log.get("eval"), str(log.get("status"))


def _specification(file: Path, prefetched: dict[Path, Any]) -> tuple[Any, str]:
    """The specification of the evaluation in a file, and its status; (None, "") for a file that is not such a log."""
    suffix = file.name[-5:].lower()
    try:
        if suffix == ".eval":
            with naming_file(file):
                return _zipped(file, prefetched)
        if suffix == ".json":
            with naming_file(file), open(file, "rb", 0) as f:
                raw = f.read(SMALL)
                while len(raw) < SMALL and (chunk := f.read(SMALL - len(raw))):  # one read may return fewer bytes
                    raw += chunk
                if len(raw) < SMALL:
                    prefetched[file] = raw
                else:
                    raw += f.read(HEAD - SMALL)
            if b'"eval"' not in raw:
                return None, ""
            text = raw.decode("utf-8", "replace")
            if match := EVAL.search(text):
                status = STATUS.search(text, 0, match.start())
                return json.JSONDecoder().raw_decode(text, match.end())[0], status[1] if status else ""
    except (InvalidInput, ValueError, AttributeError, RecursionError):
        pass  # reading the file reports the error
    return None, ""
