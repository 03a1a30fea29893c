"""Leaderboards and suites: MMLU-Pro, HELM, BFCL, every_eval_ever and opencompass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, shown
from ..files import without_endings
from ..options import Which
from ..records import AnswerCounter, Trial, claim
from ..text_files import SourceLocation, located, objects
from .fields import Format, at, document_beside, has, key, same_metric, text_at, wrong

# --- MMLU-Pro: eval_results/<model>/<category>_result.json, an array of questions with the extracted answers ---


UNANSWERED = "Questions without an extracted answer: {n}. They count as wrong; MMLU-Pro's own script guesses an answer."


def mmlu_pro(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials that succeed if the predicted letter is the right one; categories are benchmarks."""
    ending = "_result" if location.stem.endswith("_result") else ""
    name = location.stem.removesuffix(ending)
    categories = {text_at(x, "category") for x in log}
    model = location.folder() if categories == {name} or ending else location.model()
    unanswered = [x for x in log if not text_at(x, "pred")]
    if unanswered:
        location.remark(UNANSWERED, len(unanswered))
    summary = document_beside(location, f"{name}_summary.json")
    for category in categories if len(categories) == 1 and not unanswered else ():
        claim(location, f"acc of {category}", at(summary, str(category), "acc"))
    for x in located(log, location):
        answer, prediction = key(x, "answer", str), text_at(x, "pred")
        yield Trial(model, key(x, "question_id", str, int), None, int(prediction == answer.strip()), None,
                    text_at(x, "category"), answer=prediction, rest=x)  # fmt: skip


MMLU_PRO = Format(
    "mmlu-pro", "json",
    lambda log: type(log) is list and bool(log) and all(has(x, "question_id", "answer", "pred") for x in log),
    mmlu_pro, metric="correct",
)  # fmt: skip


# --- HELM: per_instance_stats.json of a run, beside run_spec.json ---


MODEL = re.compile(r"[,:]model=[^,]*")  # in the name of a run, whose other parts are the task
TEST = "test"


def helm(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials scored by a statistic of each unperturbed instance; each set of examples in the prompt is a trial.

    If one of several splits is test, it is read, as in HELM's own table; STATISTIC:SPLIT requests another split.
    """
    spec = document_beside(location, "run_spec.json")
    run_name = text_at(spec, "name") or str(location.folder())
    task, model = MODEL.sub("", run_name), text_at(spec, "adapter_spec", "model") or location.folder()
    which.require(task)
    rows = [(f"[{i}]", x) for i, x in enumerate(log) if x.get("perturbation") is None]
    stats = {entry: {_name_and_split(s): s for s in key(x, "stats", list)} for entry, x in rows}
    names = dict.fromkeys(name for by_name in stats.values() for name in by_name)
    splits = dict.fromkeys(split for _, split in names)
    # the split that is read unless another is requested: test or the only one, else None
    default = TEST if TEST in splits else next(iter(splits)) if len(splits) == 1 else None
    by_label = {name if split == default else f"{name}:{split}": (name, split) for name, split in names}
    chosen = which.requested(by_label, "statistics", task)
    if chosen is None:
        candidates = [x for x, (_, split) in by_label.items() if default in (None, split)]
        chosen = which.choose(candidates, "statistics", task)
    name, split = by_label[same_metric(chosen, "helm", location, task)]
    if others := [x for x in splits if x != split]:
        location.remark(f"Only HELM's split {split!r} is read; --which {name}:{others[0]} reads another.")
    rows = [(entry, x) for entry, x in rows if not stats[entry] or any(part == split for _, part in stats[entry])]
    example_sets = {key(x, "train_trial_index", int) for _, x in rows}
    if len(example_sets) > 1:
        location.remark("The trials of HELM differ in the examples in the prompt; they do not repeat the same prompt.")
    stated = document_beside(location, "stats.json")
    for x in stated if type(stated) is list else []:
        stat = at(x, "name")
        if (at(stat, "name"), at(stat, "split") or "") == (name, split) and at(stat, "perturbation") is None:
            claim(location, f"{name} (stats.json)", at(x, "mean"), "rate")
    for location.entry, x in rows:
        stat = stats[location.entry].get((name, split))
        value = None if stat is None or not key(stat, "count", int) else key(stat, "mean")
        yield Trial(model, key(x, "instance_id", str), key(x, "train_trial_index", int), value, None, task)


def _name_and_split(stat: Any) -> tuple[str, str]:
    name = key(stat, "name", dict)
    return key(name, "name", str), text_at(name, "split") or ""


HELM = Format(
    "helm", "json",
    lambda log: type(log) is list and bool(log)
    and all(has(x, "instance_id", "train_trial_index", "stats") for x in log),
    helm,
)  # fmt: skip


# --- The Berkeley function-calling leaderboard: files in score/ list the failures among the answers in result/ ---


FILE = re.compile(r"(?:BFCL_v\d+_|gorilla_openfunctions_v1_test_)?(.+)_score")  # the task in the name of a file


def bfcl(lines: Iterable[Any], location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials from the summary and failures in a file; from version 3 on, ids are read from the file of answers."""
    lines = iter(lines)
    summary = next(lines)
    total, correct = key(summary, "total_count", int), key(summary, "correct_count", int)
    claim(location, "accuracy", summary.get("accuracy"), digits=4)
    failed = {str(key(line, "id", str, int)): line for line in lines}
    location.leave_line()
    if len(failed) != total - correct:
        raise wrong(f"{correct} of {total} are correct, but {len(failed)} failures are listed")
    parts = list(location.file.resolve().parts)
    up = parts[::-1].index("score") if "score" in parts else 0
    if up:
        parts[-1 - up] = "result"
    answers = Path(*parts[:-1], parts[-1].replace("_score.", "_result."))
    if not location.stem.startswith("BFCL_"):  # before version 3 questions are numbered from 1
        questions: list[Any] = list(range(1, total + 1))
        if invalid := sorted(failed.keys() - set(map(str, questions))):
            raise wrong(f"question {shown(invalid[0])} is not one of 1 to {total}")
    else:
        lines = objects(SourceLocation(answers)) if answers.is_file() else ()
        questions = [str(key(line, "id", str, int)) for line in lines]
        if len(questions) != total or not failed.keys() <= set(questions):
            what = f"{answers} has other questions ({len(questions)})" if questions else f"scorio needs {answers} too"
            raise InvalidInput("format", "path", f"it lists only the failures among {total} questions: {what}")
    below = parts[-up:] if up else parts[-2:]  # without a folder score/, the model is the folder of the file
    if len(below) < 2:
        raise wrong(f"{shown(location.file.name)} is not in a folder of a model")
    task = FILE.fullmatch(location.stem)
    for question in questions:
        yield Trial(
            below[0], question, None, int(str(question) not in failed), None, task[1] if task else location.stem
        )


BFCL = Format(
    "bfcl", "lines", lambda line: has(line, "accuracy", "correct_count", "total_count"), bfcl, is_one_trial=True,
    metric="valid",
)  # fmt: skip


# --- The instance-level logs of every_eval_ever: a line for each sample ---


def every_eval_ever(lines: Iterable[Any], location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials scored by is_correct or score; in an evaluation, the lines of a sample are its trials, in order."""
    counter, requested = AnswerCounter(location), None
    stated = at(document_beside(location, f"{location.stem.removesuffix('_samples')}.json"), "evaluation_results")
    for line in lines:
        model, task = key(line, "model_id", str), key(line, "evaluation_name", str)
        run, sample = key(line, "evaluation_id", str), key(line, "sample_id", str, int)
        result = key(line, "evaluation", dict)
        if not which.wants(task):
            yield Trial(model, sample, None, None, None, task)
            continue
        requested = which.requested([x for x in ("is_correct", "score") if x in result], "outcomes", task)
        chosen = same_metric(requested or "is_correct", "every_eval_ever", location, task)
        in_run = (model, task, run, str(sample))
        yield Trial(model, sample, f"{run}/{counter.next(in_run, line)}", key(result, chosen), None, task, rest=line)
    tasks = {task for _, task, *_ in counter.counts}
    # which of several outcomes the stated score is the average of is known only where none was requested
    for x in stated if type(stated) is list and len(tasks) == 1 and not requested else []:
        if at(x, "evaluation_name") in tasks:
            claim(location, "score", at(x, "score_details", "score"))


EVERY_EVAL_EVER = Format(
    "every_eval_ever", "lines",
    lambda line: has(line, "evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation"), every_eval_ever,
)  # fmt: skip


# --- opencompass: results/<model>/<dataset>.json, with the details of each example ---


CORRECT = ("correct", "is_correct", "cascade_correct")
RUN = re.compile(r"(.+)[-_]run_?(\d+)")  # a run of a benchmark that is configured as a separate benchmark
AVERAGE = re.compile(r"accuracy \((\d+) runs average\)")


def opencompass(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials of each example, one for each replica (older logs have one); several runs of a benchmark add trials."""
    model, dataset, replicas = location.folder(), location.stem, 0
    _without_results(location)
    examples = list(_examples(key(log, "details", list, dict)))
    available = [name for name in CORRECT if any(has(x, name) for _, _, x in examples)]
    run, task = _run(location)
    chosen = which.choose(available, "outcomes", task)
    same_metric(chosen.removeprefix("is_"), "opencompass", location, task)  # correct has two names
    for metric, x in log.items():
        if average := AVERAGE.fullmatch(metric):
            replicas = int(average[1])
        if metric == "accuracy" or metric.startswith("accuracy ("):
            claim(location, metric, x, unit=100, digits=2)
    prompts = [str(x.get("prompt") or x.get("origin_prompt") or "") for _, _, x in examples if type(x) is dict]
    times = set(Counter(prompts).values())
    if len(times) == 1 and "" not in prompts and 1 < (n := times.pop()) < len(prompts):  # replicas named as questions
        what = f"every prompt is in it {n} times under different names. Replicas are read as different questions here"
        location.remark(f"{location.file.name}: {what}, so that intervals are too narrow.")
    for location.entry, question, example in examples:
        outcomes = key(example, chosen)
        outcomes = outcomes if type(outcomes) is list else [outcomes]
        missing = max(replicas, 1) - len(outcomes)  # a replica without this field is not in the list
        name = question or key(example, "example_abbr", str)
        name = f"{task}{name.removeprefix(dataset)}" if run and name.startswith(f"{dataset}_") else name
        for i, x in enumerate([*outcomes, *[None] * missing], 1):
            yield Trial(model, name, f"{run}/{i}" if run else i, x, None, task)


def _run(location: SourceLocation) -> tuple[str, str]:
    """The run of a file, if other runs of the same benchmark are beside it, and the benchmark; else "" for the run."""
    match, folder = RUN.fullmatch(location.stem), location.file.parent
    files = folder.iterdir() if match and folder.is_dir() else ()
    others = [x for file in files if file != location.file and (x := RUN.fullmatch(without_endings(file.name)))]
    if not match or all(x[1] != match[1] for x in others):
        return "", location.stem
    location.remark(f"Runs of {match[1]} that are separate benchmarks of opencompass: read as trials of {match[1]}.")
    return match[2], match[1]


def _without_results(location: SourceLocation) -> None:
    """Remark on models that have predictions but no results."""
    run = location.file.parent.parent.parent
    if f"{run}" in location.documents:  # this run was checked at an earlier file
        return
    location.documents[f"{run}"] = None
    folders = (run / "predictions", run / "results")
    if not all(folder.is_dir() for folder in folders):
        return
    predicted, scored = ({x.name for x in folder.iterdir() if x.is_dir()} for folder in folders)
    if unscored := sorted(predicted - scored):
        location.remark(
            f"Models of opencompass with predictions but no results, which are not read: {', '.join(unscored)}. "
            f"Score them: opencompass CONFIG --mode eval --reuse {run.name}"
        )


def _examples(details: Any) -> Iterator[tuple[str, str, Any]]:
    """The entry, the name ("" unless it is a key) and the content of each example."""
    if type(details) is list:
        yield from ((f"details[{i}]", "", example) for i, example in enumerate(details))
        return
    for name, example in details.items():
        if not name:
            raise wrong("details has an empty key")
        if name != "type":  # PPL or GEN, not an example
            yield f"details[{shown(name)}]", name, example


OPENCOMPASS = Format(
    "opencompass", "json", lambda log: has(log, "details") and type(log["details"]) in (list, dict), opencompass
)
