"""``scorio judge --draw`` and ``Evaluation.sample_outputs``: which outputs to label; and labels as categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from os import PathLike
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..display.text import among, name_of, number, printable, unescape_formula
from ..errors import InvalidInput, shown
from ..outcomes.count_files import CsvError, csv_rows
from ..page import csv
from ..page.document import Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.text_files import FIRST_LINES, delimiter_of
from ..readers.values import Cells, score
from .base import OPTIONAL, Result, about_of
from .notes import title, with_benchmark_name

Labels = str | PathLike[str] | Iterable[Mapping[str, Any]]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Output:
    """An output to label: a trial (1, 2, ... in the order of the log), and an empty label."""

    model: str
    task: str = field(metadata={OPTIONAL: True})
    question: str
    trial: int
    label: str = ""


@dataclass(frozen=True)
class Sampled:
    """Numbers of outputs of a model: those that were sampled, and all."""

    benchmark: str
    model: str
    sampled: int
    outputs: int


@dataclass(frozen=True, kw_only=True)
class OutputsToLabel(Result):
    """Outputs of each model, in a random order, for people to label.

    Attributes
    ----------
    table : tuple of Output
    each : tuple of Sampled
    by_verdict : bool, whether equally many outputs of each verdict were sampled
    """

    schema: ClassVar[str] = "scorio.outputs/2"
    table: tuple[Output, ...]
    each: tuple[Sampled, ...]
    by_verdict: bool

    def records(self) -> list[dict[str, Any]]:
        """The rows, with the task where there are several."""
        left_out = () if self.about.several else ("task",)
        return [{name: x for name, x in row.items() if name not in left_out} for row in super().records()]

    def to_csv(self, *, keep_formulas: bool = False) -> str:
        """The rows as CSV, to be filled in: text is quoted only where that is necessary."""
        records = self.records()
        return csv.plain(list(records[0]), [list(x.values()) for x in records], keep_formulas)

    def document(self) -> Document:
        rule = "as equally many of each verdict as there are" if self.by_verdict else "every output equally likely"
        sentences = list[str]()
        for y in self.each:
            line = f"{name_of(y.model)}: {y.sampled:,} of {number(y.outputs, 'output')} sampled at random ({rule})."
            sentences += with_benchmark_name(self.about, y.benchmark, [line])
        next_step = "Fill in the column label without looking at the verdicts; then run scorio judge LOG --labels FILE."
        records = self.records()
        columns = [Column(name, [str(r[name]) for r in records], "left") for name in records[0]]
        head = title(self.about, number(len(records), "output"))
        return Document(head, [Table([], [columns])], [*sentences, next_step])


def sample_outputs(e: EvaluationData, n: int, *, by_verdict: bool = False, seed: int = 0) -> OutputsToLabel:
    """Sample outputs of each model at random, for people to label.

    Parameters
    ----------
    e : Evaluation, read with ``trials=True``: the verdicts of a judge on every output
    n : int, outputs of each model in each benchmark
    by_verdict : bool
        Sample equally many outputs of each verdict, as far as there are enough, not a simple random sample of all.
    seed : int, seed of the random numbers

    Returns
    -------
    OutputsToLabel
        Without the verdicts, which people should not see.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: the evaluation does not have the verdict of each output.
    """
    n, by_verdict, seed = arguments.integer(n, "n", 1), arguments.flag(by_verdict, "by_verdict"), arguments.seed(seed)
    rows, sampled = list[Output](), list[Sampled]()
    for name, part in e.benchmarks.items():
        for model, log in part.logs.items():
            candidates = [(int(v), i, j) for (i, j), v in np.ndenumerate(outcomes_of(part, model)) if v >= 0]
            rng = Random(f"{seed} {model}" if len(e.benchmarks) == 1 else f"{seed} {name} {model}")
            chosen = _sample(candidates, n, by_verdict, rng)
            rows += [Output(model, name, log.ids[i], j + 1) for i, j in chosen]
            sampled.append(Sampled(name, model, len(chosen), len(candidates)))
    return OutputsToLabel(about=about_of(e), table=tuple(rows), each=tuple(sampled), by_verdict=by_verdict)


def _sample(outputs: Sequence[tuple[int, int, int]], n: int, by_verdict: bool, rng: Random) -> list[tuple[int, int]]:
    """Sample n outputs in a random order; with by_verdict equally many of each verdict, as far as there are enough.

    An output is (verdict, index of its question, index of its trial); the sampled ones are returned without verdicts.
    """
    groups: dict[int, list[tuple[int, int]]] = {}
    for v, i, j in outputs:
        groups.setdefault(v if by_verdict else 0, []).append((i, j))
    total, chosen = min(n, len(outputs)), list[tuple[int, int]]()
    # rare verdicts first: where they have too few outputs, more of the frequent ones are sampled
    for k, v in enumerate(sorted(groups, key=lambda v: len(groups[v]))):
        share = -(-(total - len(chosen)) // (len(groups) - k))  # per verdict that is left, rounded up
        chosen += rng.sample(groups[v], min(len(groups[v]), share))
    return rng.sample(chosen, len(chosen))


def outcomes_of(part: Benchmark, model: str) -> Array:
    """Verdicts of a model, -1 where one is missing."""
    outcomes = part.log(model).outcomes
    if outcomes is None:
        reason = f"the log has only counts of the verdicts of {printable(model)}, not the verdict of each output"
        raise InvalidInput("conflict", "path", reason)
    return outcomes


@dataclass(frozen=True)
class Labelled:
    """Labels of a benchmark: the category of each output of each model, and the score of each category.

    Categories have the shape (questions, trials), and NaN without a label; models without any label are left out.
    """

    categories: Mapping[str, Array]
    scores: tuple[float, ...]


def read_labels(e: EvaluationData, labels: Labels, scale: Sequence[float] | None) -> dict[str, Labelled]:
    """Read labels from a CSV file or from rows, for each benchmark that has any; :func:`judge` states the columns."""
    name = str(labels) if isinstance(labels, (str, PathLike)) else "labels"
    label_scores: dict[tuple[str, str, int, int], float] = {}  # by what _output_of returns
    question_indices = {
        (task, model): {q: i for i, q in enumerate(log.ids)}
        for task, part in e.benchmarks.items()
        for model, log in part.logs.items()
    }
    cells = Cells({}, 1.0 if scale is None else arguments.vector(scale, "label_scale")[-1])
    for where, row in _rows(e, labels, name):
        if (y := _score(cells, row["label"], where)) is None:
            continue
        if row.get("model", "").strip() in e.others:  # a model that the caller did not select
            continue
        key = _output_of(row, question_indices, e, where)
        if key in label_scores:
            raise InvalidInput("duplicate", "labels", f"{where} labels an output a second time")
        label_scores[key] = y
    if not label_scores:
        reason = f"{name} has no label: fill in its column label, 1 where the output is right and 0 where it is not"
        raise InvalidInput("empty", "labels", reason)
    tasks = {key[0] for key in label_scores}
    return {task: _labelled(part, task, label_scores, scale) for task, part in e.benchmarks.items() if task in tasks}


def _labelled(
    part: Benchmark, task: str, label_scores: Mapping[tuple[str, str, int, int], float], scale: Any
) -> Labelled:
    task_scores = {key[1:]: y for key, y in label_scores.items() if key[0] == task}
    values = set(task_scores.values())
    lo, hi = (0.0, 1.0) if min(values) >= 0 and max(values) <= 1 else (min(values), max(values))
    if scale is None and lo == hi:
        reason = f"all labels are {lo:.10g}: state the lowest and the highest score of a label"
        raise InvalidInput("type", "label_scale", reason, "label_scale")
    if scale is not None:
        ends = arguments.vector(scale, "label_scale")
        if len(ends) != 2 or not ends[0] < ends[1]:
            reason = f"label_scale = {shown(scale)} is not the lowest and the highest score of a label"
            raise InvalidInput("range", "label_scale", reason)
        lo, hi = ends
        if outside := [y for y in values if not lo <= y <= hi]:
            reason = f"the label {outside[0]:.10g} is outside of the scale {lo:.10g} to {hi:.10g}"
            raise InvalidInput("range", "labels", reason)
    scores = tuple(sorted(values | {lo, hi}))
    categories = {}
    for model in part.logs:
        if model_scores := {(i, j): y for (m, i, j), y in task_scores.items() if m == model}:
            categories[model] = np.full(outcomes_of(part, model).shape, np.nan)
            for output, y in model_scores.items():
                categories[model][output] = scores.index(y)
    return Labelled(categories, scores)


def _rows(e: EvaluationData, labels: Labels, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows of a table of labels, each with its location in the file for errors."""
    needed = ["question", "label", *["model"] * (len(e.models) > 1), *["task"] * (len(e.benchmarks) > 1)]
    if isinstance(labels, (str, PathLike)):
        try:
            text = Path(labels).read_text(encoding="utf-8-sig")
            lines = list(filter(str.strip, text.splitlines()))[:FIRST_LINES]
            rows = csv_rows(StringIO(text, newline=""), delimiter=delimiter_of(lines))
            head: list[str] = next(rows, [])
            _check_columns(needed, head, name)
            for row in filter(None, rows):
                cells = map(unescape_formula, [*row, *[""] * len(head)])
                yield f"line {rows.line_num} of {name}", dict(zip(head, cells, strict=False))
        except (UnicodeDecodeError, CsvError) as error:
            raise InvalidInput("format", "labels", f"{name} is not a CSV file in UTF-8: {error}") from None
        return
    for i, record in enumerate(labels, 1):
        _check_columns(needed, list(record), name)
        yield f"row {i} of {name}", {key: "" if x is None else str(x) for key, x in record.items()}


def _check_columns(needed: Sequence[str], head: Sequence[str], name: str) -> None:
    for column in needed:
        if column not in head:
            others = [x for x in head if x not in ("model", "task", "question", "trial", "label")]
            # the cells of a file that is no table are not quoted
            has = ", ".join(head) if len(others) < len(head) else f"none of {', '.join(needed)}"
            advice = f": rename its column {others[0]} to {column}" if len(others) == 1 < len(head) else ""
            raise InvalidInput("format", "labels", f"{name} has no column {column}; it has {has}{advice}")


def _score(cells: Cells, cell: str, where: str) -> float | None:
    """Score of a label, which is a number or a word such as correct or wrong; None where it is empty."""
    try:
        return score(cells.value(cell), None)
    except InvalidInput as error:  # its reason speaks of an outcome; here the number is a label
        raise InvalidInput(error.code, "labels", f"{where}: {error.reason.replace('outcome', 'label', 1)}") from None


def _output_of(
    row: Mapping[str, Any], question_indices: Any, e: EvaluationData, where: str
) -> tuple[str, str, int, int]:
    """Benchmark, model, and the indices (from 0) of the question and the trial that a row labels."""
    task, model, question, trial = ((row.get(x) or "").strip() for x in ("task", "model", "question", "trial"))
    if len(e.benchmarks) == 1:
        task = next(iter(e.benchmarks))
    model = model or e.models[0]
    for what, x, valid in (("task", task, e.benchmarks), ("model", model, e.models)):
        if x not in valid:
            reason = f"{where} names the {what} {x!r}, which is none of {among(x, valid)}"
            raise InvalidInput("choice", "labels", reason)
    i = question_indices.get((task, model), {}).get(question)
    if i is None:
        what = f"{where} names the question {question!r}, which the log does not have for {printable(model)}"
        raise InvalidInput("choice", "labels", what)
    with_verdict = [j for j, v in enumerate(outcomes_of(e.benchmarks[task], model)[i].tolist()) if v >= 0]
    if not trial and len(with_verdict) == 1:
        return task, model, i, with_verdict[0]
    if not trial and with_verdict:
        what = f"{where}: question {question!r} has {len(with_verdict)} trials, and the label does not say which one"
        raise InvalidInput("choice", "labels", f"{what}: add a column trial, 1, 2, ... in the order of the log")
    j = int(trial) - 1 if trial.isascii() and trial.isdecimal() else -1
    if not with_verdict:
        raise InvalidInput("choice", "labels", f"{where}: no trial of question {question!r} has a verdict")
    if j not in with_verdict:
        existing = ", ".join(str(x + 1) for x in with_verdict[:5]) + (", ..." if len(with_verdict) > 5 else "")
        what = (
            f"{where}: trial {trial or 'without a number'} of question {question!r} has no verdict; trials {existing} "
            "have one, numbered from 1 in the order of the log: write these into the column trial of the labels"
        )
        raise InvalidInput("choice", "labels", what)
    return task, model, i, j
