"""Trials of any file, accumulated as columns, and the evaluation in them: :mod:`.counting` counts them.

A cell is a value as the file states it. The entry of a row is its place in a file without lines, such as samples[3].
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product, repeat
from math import nan
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from ..display.text import among, nearest
from ..errors import InvalidInput, shown
from . import sums, table, values
from .check import Unread
from .columns import Column, RowError, Rows
from .counting import Counted, CountedTask, OutcomeCounts, count
from .evaluation import Benchmark, EvaluationData, Provenance
from .logs import CountedLog
from .options import ReadOptions, UnwantedTask, is_requested
from .records import UNKNOWN, Record, SuccessCount, Trial, Unfinished, UniqueTrialId, check_documents
from .text_files import SourceLocation, joined

ID_TYPES = (str, int, type(None))


class NeedsRowReader(Exception):
    """Raised where a row-by-row reader is needed: an engine counted a model and task that another file has too."""


def answer_of(x: Any) -> str | None:
    """An answer as text; None where there is none, which tools write as null, an empty text or [invalid]."""
    if x is UNKNOWN:
        raise InvalidInput("missing", "answers", "the log has no answer of the trial")
    if x is not None and type(x) not in (str, int, float, bool):
        raise InvalidInput("type", "answers", f"the answer {shown(x)} is neither text nor a number")
    text = "" if x is None else str(x).strip()
    return None if text in ("", "[invalid]") else text


class LabelCodes:
    """Integer codes of the labels of cells, in order of appearance; `read` converts a cell to its label.

    labels : the code of each label.
    codes : the code of each row, which the caller appends.
    """

    def __init__(self, read: Callable[[Any], Any], *labels: Any) -> None:
        self.labels: dict[Any, int] = {x: i for i, x in enumerate(labels)}
        self.codes = array("i")
        self._cache: dict[Any, int] = {}  # codes of cells whose type is that of an id
        self._read = read

    def code(self, x: Any) -> int:
        """The code of a cell's label."""
        if type(x) not in ID_TYPES:
            return self.labels.setdefault(self._read(x), len(self.labels))
        if (code := self._cache.get(x)) is None:
            code = self._cache[x] = self.labels.setdefault(self._read(x), len(self.labels))
        return code


def _times(each: Iterable[OutcomeCounts]) -> Counter[int]:
    """How often each outcome occurs."""
    out = Counter[int]()
    for x in each:
        for outcome, times in zip(x.outcome.tolist(), x.times.tolist(), strict=True):
            out[outcome] += times
    return +out


class TrialAccumulator:
    """Collector of the trials of one file or many; :meth:`evaluation` counts them by model and task."""

    def __init__(self, location: SourceLocation, options: ReadOptions) -> None:
        self.location, self.options = location, options
        location.cost, location.runs_by = options.cost, options.runs_by
        self.score_codes: dict[float, int] = {}  # the code that each score is counted under
        self.has_counts: bool | None = None  # whether the log states c and n; None before the first row
        self.unfinished: list[str] = []  # notes on missing outcomes, each with its file
        self.metrics: dict[str, str] = {}  # the metric of each task
        # tasks that were not requested, and all tasks of tables that an engine counts: for an error that lists them
        self.unwanted_tasks: dict[str, None] = {}
        self.model = LabelCodes(partial(self._id_of, name="model"))
        self.question = LabelCodes(partial(self._id_of, name="question"))
        self.task = LabelCodes(self._task_name)
        self.trial = LabelCodes(lambda x: "" if x is None else values.id_of(x, "trial"), "")
        self.run = LabelCodes(partial(values.id_of, name="run"), "")
        self._run_fields: dict[Path, tuple[str, ...]] = {}  # of each file, the fields that tell runs or trials apart
        self.cluster = LabelCodes(lambda x: None if x is None else values.id_of(x, "cluster"))
        self.answer = LabelCodes(answer_of)
        # of each row: the code of its outcome, the number of equal outcomes, and its line in the file (0: none)
        self._outcomes, self._times, self._lines = array("i"), array("q"), array("q")
        self._unique = bytearray()  # whether the trial id of each row is unique in the log
        self._unread = Unread(options.runs_by)
        self._unread.drop(part for path in (options.columns or {}).values() for part in (path, *path.split("+")))
        self._stated: dict[str, str] = {}  # the fields of a tool's rows that hold question and outcome
        self._costs: dict[str, array[float]] = {}  # costs of each row by unit, nan where none is stated
        self._row_entries: dict[int, str] = {}  # the entry of each row that has one
        self._starts: list[tuple[int, Path]] = []  # the first row of each file
        self._checked_tasks: set[int] = set()
        self.unit = ""  # the unit of the costs of trials, where the log states them
        self.stopped: set[tuple[str, str]] = set()  # models and tasks whose run was stopped early
        self._columns: dict[Path, values.Cells] = {}  # the column of outcomes of each file
        self._used_words = set[str]()  # of the option outcomes
        self._task_of: dict[tuple[str, str], Any] = {}  # the name in the log of each model's renamed tasks
        self._summaries = set[tuple[str, str]]()  # questions and models whose names say that they may sum up others
        # their records with their metrics and places, until all others are known
        self._aside: list[tuple[Trial | SuccessCount, str, tuple[Path, int, str]]] | None = []
        self._planned = list[Unfinished]()  # models that lack questions whose ids no log states
        self._code_of_cell: dict[Any, int] = {}  # the code of each distinct outcome cell so far
        # counts made by an engine, with the number of rows taken before them
        self._counted: dict[tuple[str, str], tuple[int, OutcomeCounts]] = {}

    def _task_name(self, x: Any) -> str:
        name = "" if x is None else values.id_of(x, "task")
        return self.options.renames.get(name, name)

    def _check_renamed(self, model: Any, name: Any) -> None:
        """Raise where two tasks of a model would get one name: their questions would be pooled."""
        first = self._task_of.setdefault((values.id_of(model, "model"), self._task_name(name)), name)
        if first != name:
            what = f"tasks {shown(first)} and {shown(name)} of one model would both be called "
            raise InvalidInput("conflict", "task", what + shown(self._task_name(name)))

    def _id_of(self, x: Any, name: str) -> str:
        label = values.id_of(x, name)
        if sums.MAY_SUM_UP[name](label):
            self._summaries.add((name, label))
        return label

    def _may_be_summary(self, record: Trial | SuccessCount) -> bool:
        """Whether a record may sum up others, so that it waits for them."""
        names = [("question", values.id_of(record.question, "question"))]
        if record.model != self.location.model():  # which is the name of a file
            names.append(("model", values.id_of(record.model, "model")))
        return not self._summaries.isdisjoint(names)

    def take(self, records: Iterable[Record], metric: str = "outcome", of_tool: bool = False) -> None:
        """Take the records of one file, whose outcomes are of this metric; its reader keeps `location` up to date.

        of_tool : whether the rest of a record is a whole row of a tool's log, not the fields that no column reads.
        """
        try:
            for record in records:
                if of_tool and not self._stated and (rest := getattr(record, "rest", None)):
                    self._stated = table.columns_of(record, rest)
                    self._unread.drop(self._stated.values())
                if not isinstance(record, Unfinished):
                    self._take_record(record, metric)
                elif self.options.missing == "raise":
                    raise InvalidInput("missing", "path", record.why, "policy")
                elif record.planned:
                    self._planned.append(record)
                elif not record.counted:
                    self.unfinished.append(f"{self.location}: {record.why}")
        except UnwantedTask as e:
            self.unwanted_tasks.setdefault(str(e))

    def _task(self, name: Any, has_counts: bool, metric: str) -> int | None:
        """The code of a trial's task; None where the task was not requested."""
        code = self.task.code(name)
        if self.options.tasks or code not in self._checked_tasks:
            task = "" if name is None else values.id_of(name, "task")
            if self.options.tasks and not is_requested(self.options.tasks, task or None):
                self.unwanted_tasks.setdefault(task)
                return None
            self._checked_tasks.add(code)
            self.metrics.setdefault(self._task_name(name), self.location.metrics.get(task, metric))
        if self.has_counts is not has_counts:
            self._check_kind(has_counts)
        return code

    def _take_record(self, record: Trial | SuccessCount, metric: str) -> None:
        """Take a trial as a row, or counts as two: failures and successes."""
        if type(record) is Trial and type(record.outcome) is str and (pair := values.fraction(record.outcome)):
            record = SuccessCount(
                record.model, record.question, *pair, record.cluster, record.task, record.trial, record.rest
            )
        has_counts = type(record) is SuccessCount
        task = self._task(record.task, has_counts, metric)
        if task is None:
            return
        if self.options.renames:
            self._check_renamed(record.model, record.task)
        trial_id = record.run if isinstance(record, SuccessCount) else record.trial
        run = "" if trial_id is not None and self.options.runs_by is None else self._run_of(record)
        run = run[0] if isinstance(run, tuple) and (has_counts or len(run) == 1) else run
        if run and self.options.runs_by and trial_id is not None:
            trial_id = f"{run}/{values.id_of(trial_id, 'trial')}"
        elif run and isinstance(record, SuccessCount) and not trial_id:
            trial_id = run
        location, row = self.location, len(self._outcomes)
        model, question = self.model.code(record.model), self.question.code(record.question)
        if self._summaries and self._aside is not None and self._may_be_summary(record):
            self._aside.append((record, metric, (location.file, location.line, location.entry)))
            return
        trial, cluster = self.trial.code(trial_id), self.cluster.code(record.cluster)
        run_code = self.run.labels.setdefault(run, len(self.run.labels))
        counts: Iterable[tuple[int, int]]
        answer = 0
        if isinstance(record, SuccessCount):
            if self.options.answers:
                raise InvalidInput(
                    "missing", "answers", "there are counts of successes here, not the answers of trials"
                )
            if (self.options.C or 1) > 1:
                raise InvalidInput("conflict", "w", "c and n count two categories, w has scores for more")
            counts = enumerate(values.failures_and_successes(record.c, record.n))
        else:
            counts = ((self.outcome_code(record.outcome), record.times),)
            answer = self.answer.code(record.answer) if self.options.answers else 0
            if record.costs and record.times == 1:
                for name, x in record.costs.items():
                    if self.options.cost in (None, name):
                        costs = self._costs.setdefault(name, array("d"))
                        costs.extend(repeat(nan, row - len(costs)))
                        costs.append(self.cost(x, name))
            if record.stopped:
                self.stopped.add((values.id_of(record.model, "model"), self._task_name(record.task)))
        if record.rest:
            self._unread.add(record.rest, row, 1 + has_counts)
        if not self._starts or self._starts[-1][1] is not location.file:
            self._starts.append((row, location.file))
        for outcome, times in counts:
            if location.entry:
                self._row_entries[len(self._outcomes)] = location.entry
            self.model.codes.append(model)
            self.task.codes.append(task)
            self.question.codes.append(question)
            self.trial.codes.append(trial)
            self.cluster.codes.append(cluster)
            self.run.codes.append(run_code)
            if self.options.answers:
                self.answer.codes.append(answer)
            self._lines.append(location.line)
            self._outcomes.append(outcome)
            self._times.append(times)
            self._unique.append(type(trial_id) is UniqueTrialId)

    def _run_of(self, record: Trial | SuccessCount) -> str | tuple[str, ...]:
        """The run of a record: what the column runs_by has, or usual fields that no column reads; "" for none."""
        name, row = self.options.runs_by, record.rest or {}
        if name is None:
            if not row:
                return ""
            names = self._run_fields.get(self.location.file)
            if names is None:
                names = table.run_fields(row)[: 1 if self._stated else None]
                self._run_fields[self.location.file] = names
            parts = tuple(str(x).strip() if isinstance(x := row.get(name), (str, int)) else "" for name in names)
            return parts if any(parts) else ""
        if name not in row:
            raise InvalidInput(
                "choice", "runs_by", f"no field {shown(name)} here; {table.described([*row])}{nearest(name, row)}"
            )
        return values.id_of(row[name], "runs_by")

    def cost(self, x: Any, name: str) -> float:
        """The cost in a cell; an invalid one is an error if its unit was requested, else missing."""
        try:
            return values.cost(x, name)
        except InvalidInput:
            if self.options.cost:
                raise
            self.location.remark(f"Some values of {name} are no costs, and are not read.")
            return nan

    def _cost(self) -> tuple[str, Any]:
        """The unit of costs and the cost of each row; by default the first usual unit with a cost above 0."""
        unit, rows = self.options.cost, len(self._outcomes)
        for name in [unit] if unit else values.UNITS:
            if name in self._costs and (unit or any(x > 0.0 for x in self._costs[name])):
                self._costs[name].extend(repeat(nan, rows - len(self._costs[name])))
                return name, np.frombuffer(self._costs[name], np.float64)
        if unit:
            stated = f"the log states {among(unit, self._costs)}" if self._costs else "the log states none"
            raise InvalidInput("choice", "cost", f"no cost of a trial is called {shown(unit)}; {stated}")
        return "", None

    def _location(self, row: int) -> tuple[Path, int, str]:
        """The file, the line and the entry of a row."""
        file = self._starts[bisect_right(self._starts, row, key=itemgetter(0)) - 1][1]
        return file, self._lines[row], self._row_entries.get(row, "")

    def take_counts(self, counted: Counted, columns: Mapping[str, Column]) -> None:
        """Take the counts that an engine made of these columns of a whole file."""
        if self.has_counts is not (has_counts := "c" in columns):
            self._check_kind(has_counts)
        for model, name, _, model_counts in counted.tasks:
            task = self._task_name(name or None)
            if self.options.renames:
                self._check_renamed(model, name or None)
            if (model, task) in self._counted:
                raise NeedsRowReader
            self._counted[model, task] = len(self._outcomes), model_counts
            self.metrics.setdefault(task, "outcome")
        if counted.remark:
            self.location.remarks[counted.remark] = 1
        if "task" in columns:
            self.unwanted_tasks |= dict.fromkeys(columns["task"].labels)

    def _tables(self) -> dict[str, dict[str, OutcomeCounts]]:
        """Counts by model and task, in the order in which they first appear."""
        self._settle()
        self._add_planned()
        for remark in filter(None, [column.remark() for column in self._columns.values()]):
            self.location.remarks[remark] = 1
        if unused := self.options.words.keys() - self._used_words:
            self.location.remarks[f"Words of outcomes= that no outcome is: {', '.join(sorted(unused))}."] = 1
        counted = [
            (before, -1, model, task, model_counts) for (model, task), (before, model_counts) in self._counted.items()
        ]
        if self._outcomes:
            for model, task, row, model_counts in self._by_row():
                if (model, task) in self._counted:
                    raise NeedsRowReader
                counted.append((row, 0, model, task, model_counts))
        tables: dict[str, dict[str, OutcomeCounts]] = {}
        # in the order of first rows; counts of an engine (-1) come before the row that was taken next (0)
        for _, _, model, task, model_counts in sorted(counted, key=itemgetter(0, 1)):
            tables.setdefault(model, {})[task] = model_counts
        self._leave_out_overall(tables)
        return tables

    def _leave_out_overall(self, tables: dict[str, dict[str, OutcomeCounts]]) -> None:
        """Remove a task named overall or the like that has the outcomes of all others of each of its models again."""
        for task in {x: None for tasks in tables.values() for x in tasks if sums.is_named(x)}:
            of_models = [tasks for tasks in tables.values() if task in tasks]
            others = [[x for name, x in tasks.items() if name != task] for tasks in of_models]
            pairs = zip(of_models, others, strict=True)
            if all(len(x) > 1 and _times([tasks[task]]) == _times(x) for tasks, x in pairs):
                for tasks in of_models:
                    del tasks[task]
                self.location.remarks[f"Left out, since it has the outcomes of the other tasks: {task}."] = 1

    def _add_planned(self) -> None:
        """Add the planned trials that no log names, without outcomes, to the models that lack them."""
        for x in self._planned:
            model, task, trials = self.model.code(x.model), self.task.code(x.task), list(self.trial.labels)
            codes = zip(self.task.codes, self.model.codes, self.question.codes, self.trial.codes, strict=True)
            rows = [(m, question, trials[trial]) for t, m, question, trial in codes if t == task]
            ids, known = list(self.question.labels), {question for _, question, _ in rows}
            own = {(ids[question], trial) for m, question, trial in rows if m == model}
            names = [*sorted({question for question, _ in own})]
            names += [f"(not run {i + 1})" for i in range(x.planned - len(known))]
            for question, trial in product(names, map(str, range(1, x.trials + 1))):
                if (question, trial) not in own:
                    self._take_record(Trial(x.model, question, trial, None, None, x.task), "outcome")

    def _settle(self) -> None:
        """Take the rows that were set aside, or leave them out, where they sum up the other rows of their models."""
        aside, self._aside = self._aside or [], None
        if not aside:
            return
        labelled = [
            sums.LabelledRow(
                values.id_of(record.model, "model"),
                self._task_name(record.task),
                values.id_of(record.question, "question"),
                (record.c, record.n) if isinstance(record, SuccessCount) else record.outcome,
            )
            for record, *_ in aside
        ]
        are_left_out = sums.left_out(self._labelled_rows(), labelled, self.options, self._code_of_cell, self.location)
        for is_left_out, (record, metric, (file, line, entry)) in zip(are_left_out, aside, strict=True):
            if not is_left_out:
                self.location.enter(file)
                self.location.line, self.location.entry = line, entry
                self._take_record(record, metric)

    def _labelled_rows(self) -> Iterator[sums.LabelledRow]:
        """The rows that were taken."""
        score_of = {code: score for score, code in self.score_codes.items()} if self.options.C is None else {}
        columns = (self.model, self.task, self.question)
        labels = zip(*(map(list(x.labels).__getitem__, x.codes) for x in columns), strict=True)
        step = 2 if self.has_counts else 1  # rows of failures and of successes
        for i, (model, task, question) in enumerate(labels):
            if i % step == step - 1 and (code := self._outcomes[i]) >= 0:
                trials = sum(self._times[i - step + 1 : i + 1])
                total = score_of.get(code, float(code)) * self._times[i]
                yield sums.LabelledRow(model, task, question, None, total, trials)

    def _by_row(self) -> list[CountedTask]:
        """The counts of the rows that were taken one by one."""
        names = ["model", "task", "question", "trial", "cluster", *(["run"] if len(self.run.labels) > 1 else [])]
        fields = {name: getattr(self, name) for name in names}
        if self.options.answers:
            fields["answer"] = self.answer
        codes: dict[str, Any] = {name: np.frombuffer(x.codes, np.int32).astype(np.int64) for name, x in fields.items()}
        times, (self.unit, costs) = np.frombuffer(self._times, np.int64), self._cost()
        levels, axes = self._unread.columns(len(self._outcomes))
        rows = Rows(
            {name: list(x.labels) for name, x in fields.items()} | levels,
            outcome=np.frombuffer(self._outcomes, np.int32).astype(np.int64),
            times=None if (times == 1).all() else times,
            unique=np.frombuffer(self._unique, np.uint8).astype(np.int64) if any(self._unique) else None,
            costs=costs,
            has_counts=bool(self.has_counts),
            axes=axes,
            by_position=bool(self._stated),
            stated=self.location.wide[0] or self.options.columns or self._stated,
            rows_are=self.location.wide[1],
            runs_in_ids=self.options.runs_in_ids,
            run_fields=() if self._stated else next(filter(None, self._run_fields.values()), ()),
            **codes,
        )
        try:
            counted, copies, remark = count(rows, self.options.trials)
        except RowError as e:
            file, line, entry = self._location(e.row)
            self.location.enter(file)
            if (e.error.hint or "").startswith("factor"):  # about all rows
                raise e.error from None
            self.location.line, self.location.entry = line, entry
            suffix, hint = "", e.error.hint
            if e.error.code != "conflict":
                earlier = self._location(e.first or 0)
                suffix = " " + self.location.described(*earlier)
                hint = f"copy:{self.location.relative_path()}" if earlier[0] != file else hint
            raise InvalidInput(e.error.code, e.error.argument, e.error.reason + suffix, hint) from None
        if copies:
            what = "Duplicate outcomes, copies of a trial that was read before: {n}. They are not counted again."
            self.location.remark(what, copies)
        if remark:
            self.location.remarks[remark] = 1
        return counted

    def _check_kind(self, has_counts: bool) -> None:
        """Note whether the log has counts or trials; refuse a log that has both."""
        if self.has_counts is not None:
            what = "counts of trials (c and n, 3/4) beside single outcomes: write either, an outcome 1 as 1/1"
            raise InvalidInput("conflict", "path", what)
        self.has_counts = has_counts
        if has_counts and self.options.C is None:
            self.score_codes = {0.0: 0, 1.0: 1}

    def outcome_code(self, x: Any) -> int:
        """The code that the outcome in a cell is counted under; -1 if it is missing."""
        try:
            return self._code_of_cell[x]
        except (KeyError, TypeError):  # a new cell; or a list, which is an error
            code = self._code_of_cell[x] = self._read(x)
            return code

    def _read(self, x: Any) -> int:
        """The category of a cell, or the code of its score in order of appearance; -1 if it is missing."""
        C, ends, missing_code = self.options.C, self.options.scale, self.options.missing_code
        column = self._columns.get(self.location.file)  # cells that an earlier file had are not read again
        if column is None:
            column = values.Cells(self.options.words, ends[1] if ends else 1.0, self._used_words)
            self._columns[self.location.file] = column
        cell, x = x, column.value(x, C in (None, 1))
        if C is None:
            score = values.score(x, missing_code)
            if score is not None and ends is not None and not ends[0] <= score <= ends[1]:
                what = f"outcome {shown(cell)} is outside of the scale {ends[0]:.10g} to {ends[1]:.10g}"
                wider = f"scale:{min(score, ends[0]):.10g},{max(score, ends[1]):.10g}"
                raise InvalidInput("range", "outcome", what, wider)
            code = None if score is None else self.score_codes.setdefault(score, len(self.score_codes))
        else:
            code = values.category(x, C, missing_code, cell)
        if code is None and self.options.missing == "raise":
            what = "outcome is missing" if values.is_missing(cell) else f"outcome {shown(cell)} is missing"
            raise InvalidInput("missing", "outcome", what, "policy")
        return -1 if code is None else code

    # --- the evaluation: each benchmark (task) has its own number of trials and its own scale ---

    def evaluation(self, format: str, skipped: Iterable[str] = ()) -> EvaluationData:
        """The evaluation in the trials: each benchmark with the log of each model."""
        by_model, options, location = self._tables(), self.options, self.location
        location.leave_file()
        check_documents(location)
        if not by_model and options.tasks and self.unwanted_tasks:
            tasks_in_log = ", ".join(repr(task) if task else "one without a name" for task in self.unwanted_tasks)
            what = f"no task is called {joined(options.tasks)}; the log has {tasks_in_log}"
            suggestion = nearest(options.tasks[0], [x for x in self.unwanted_tasks if x])
            raise InvalidInput("choice", "task", what[:500] + suggestion)
        if not by_model:
            raise InvalidInput("empty", "path", "the log has no outcome")
        options.which.check_all_used()
        states_ends = options.C is not None or options.scale is not None or options.missing_code is not None
        if not states_ends and (code := sums.lone_code(sorted(self.score_codes))):
            location.remark(f"If the score {code}, unlike the others, means that there is none: --missing-code={code}.")
        tables: dict[str, dict[str, OutcomeCounts]] = {}
        for model, by_task in by_model.items():
            for task, model_counts in by_task.items():
                tables.setdefault(task, {})[model] = model_counts
        parts = {task: self._benchmark(task, models) for task, models in tables.items()}
        remarks = tuple(what.replace("{n}", f"{n:,}") for what, n in location.remarks.items())
        return EvaluationData(parts, Provenance((), format, tuple(skipped), tuple(self.unfinished), remarks))

    def _benchmark(self, task: str, models: dict[str, OutcomeCounts]) -> Benchmark:
        """The benchmark of one task, with the log of each model."""
        C, w, category_of_code = self._scale(models)
        missing, levels = self.options.missing, self.options.C is None
        fill = -1  # the category that missing outcomes are counted as; -1 where they are dropped
        if not isinstance(missing, str) and not self.has_counts:
            fill = category_of_code[self.score_codes[float(missing)]] if levels else missing
        category = np.zeros(max(category_of_code, default=0) + 1, np.int64)  # the category of each code
        category[list(category_of_code)] = list(category_of_code.values())
        logs = {}
        for model, counts in models.items():
            counted = CountedLog(model, counts, C, category, fill, bool(self.has_counts), self.unit)
            logs[model] = counted.log(missing == "raise", (model, task) in self.stopped)
        metric = self.location.metrics.get(task, self.metrics[task])
        seen = levels and self.options.scale is None
        return Benchmark(task, logs, metric, None if w is None else tuple(w), levels=levels, seen=seen)

    def _scale(self, models: dict[str, OutcomeCounts]) -> tuple[int, list[float] | None, dict[int, int]]:
        """C, the score of each category (None: 0 and 1), and the category of each code that outcomes have."""
        options = self.options
        if options.C is not None:
            return options.C, options.w, {j: j for j in range(options.C + 1)}
        used = {j for model_counts in models.values() for j in np.unique(model_counts.outcome).tolist()}
        if not isinstance(options.missing, str):
            used.add(self.score_codes.setdefault(float(options.missing), len(self.score_codes)))
        scores = sorted({x for x, j in self.score_codes.items() if j in used} | set(options.scale or ()))
        if all(0 <= x <= 1 for x in scores) and options.scale is None:  # the scale is 0 to 1, whatever scores occur
            scores = sorted({0.0, 1.0, *scores})
        elif len(scores) == 1:
            scores = sorted({0.0, *scores})
        category = {x: i for i, x in enumerate(scores)}
        category_of_code = {j: category[x] for x, j in self.score_codes.items() if j in used}
        return len(scores) - 1, None if scores == [0.0, 1.0] else scores, category_of_code
