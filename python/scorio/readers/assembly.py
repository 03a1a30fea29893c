"""Evaluations from accumulated trials: each benchmark (task) has its own number of trials and its own scale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..display.text import nearest
from ..errors import InvalidInput, shown
from ..outcomes.answers import Answers, Votes
from ..outcomes.by_run import ByRun, Entries
from ..outcomes.counts import Counts
from . import claims, values
from .accumulator import TrialAccumulator
from .columns import integer_type
from .counting import AnswerCounts, OutcomeCounts, RunCodes, Trials
from .evaluation import Benchmark, EvaluationData, Provenance
from .logs import Costs, Log
from .text_files import joined

MAX_SPARSE_ENTRIES = 10**7  # entries of a matrix of trials, up to which it may be mostly empty


def evaluation(accumulator: TrialAccumulator, format: str, skipped: Iterable[str] = ()) -> EvaluationData:
    """The evaluation in the trials of an accumulator: each benchmark with the log of each model."""
    by_model = accumulator.tables()
    accumulator.location.leave_file()
    claims.check_documents(accumulator.location)
    if not by_model and accumulator.options.tasks and accumulator.unwanted_tasks:
        tasks_in_log = ", ".join(repr(task) if task else "one without a name" for task in accumulator.unwanted_tasks)
        what = f"no task is called {joined(accumulator.options.tasks)}; the log has {tasks_in_log}"
        suggestion = nearest(accumulator.options.tasks[0], [x for x in accumulator.unwanted_tasks if x])
        raise InvalidInput("choice", "task", what[:500] + suggestion)
    if not by_model:
        raise InvalidInput("empty", "path", "the log has no outcome")
    accumulator.options.which.check_all_used()
    tables: dict[str, dict[str, OutcomeCounts]] = {}
    for model, by_task in by_model.items():
        for task, model_counts in by_task.items():
            tables.setdefault(task, {})[model] = model_counts
    parts = {task: _benchmark(accumulator, task, models) for task, models in tables.items()}
    remarks = tuple(what.replace("{n}", f"{n:,}") for what, n in accumulator.location.remarks.items())
    return EvaluationData(parts, Provenance((), format, tuple(skipped), tuple(accumulator.unfinished), remarks))


def _benchmark(accumulator: TrialAccumulator, task: str, models: dict[str, OutcomeCounts]) -> Benchmark:
    """The benchmark of one task, with the log of each model."""
    C, w, category_of_code = _scale(accumulator, models)
    logs = {
        model: _LogBuilder(accumulator, model, model_counts, C, category_of_code).log(
            (model, task) in accumulator.stopped
        )
        for model, model_counts in models.items()
    }
    metric = accumulator.location.metrics.get(task, accumulator.metrics[task])
    levels = accumulator.options.C is None
    seen = levels and accumulator.options.scale is None
    return Benchmark(task, logs, metric, None if w is None else tuple(w), levels=levels, seen=seen)


def _scale(
    accumulator: TrialAccumulator, models: dict[str, OutcomeCounts]
) -> tuple[int, list[float] | None, dict[int, int]]:
    """C, the score of each category (None: 0 and 1), and the category of each code that outcomes were counted under."""
    options = accumulator.options
    if options.C is not None:
        return options.C, options.w, {j: j for j in range(options.C + 1)}
    if not isinstance(options.missing, str):
        accumulator.score_codes.setdefault(float(options.missing), len(accumulator.score_codes))
    used = {j for model_counts in models.values() for j in np.unique(model_counts.outcome).tolist()}
    if not isinstance(options.missing, str):
        used.add(accumulator.score_codes[float(options.missing)])
    scores = sorted({x for x, j in accumulator.score_codes.items() if j in used} | set(options.scale or ()))
    if all(0 <= x <= 1 for x in scores) and options.scale is None:  # the scale is 0 to 1, whatever scores occur
        scores = sorted({0.0, 1.0, *scores})
    elif len(scores) == 1:
        scores = sorted({0.0, *scores})
    category = {x: i for i, x in enumerate(scores)}
    category_of_code = {j: category[x] for x, j in accumulator.score_codes.items() if j in used}
    return len(scores) - 1, None if scores == [0.0, 1.0] else scores, category_of_code


def votes_of(tallies: dict[str | None, tuple[int, int]]) -> Votes:
    """The votes of a question, from the failures and the successes of each answer."""
    right = sorted((m for answer, (_, m) in tallies.items() if m and answer is not None), reverse=True)
    wrong = sorted((m for answer, (m, _) in tallies.items() if m and answer is not None), reverse=True)
    return Votes(tuple(right), tuple(wrong), sum(tallies.get(None, (0, 0))))


class _LogBuilder:
    """Builder of the log of one model in one task."""

    def __init__(
        self,
        accumulator: TrialAccumulator,
        model: str,
        model_counts: OutcomeCounts,
        C: int,
        category_of_code: dict[int, int],
    ) -> None:
        self.options, self.has_counts = accumulator.options, bool(accumulator.has_counts)
        self.model, self.model_counts, self.C = model, model_counts, C
        self.unit = accumulator.unit
        self.category = np.zeros(max(category_of_code, default=0) + 1, np.int64)  # the category of each code
        self.category[list(category_of_code)] = list(category_of_code.values())
        missing = self.options.missing
        self.fill = -1  # the category that missing outcomes are counted as; -1 where they are dropped
        if not isinstance(missing, str) and not self.has_counts:
            is_category = self.options.C is not None
            self.fill = missing if is_category else category_of_code[accumulator.score_codes[float(missing)]]

    def log(self, stopped: bool) -> Log:
        """The log, with missing outcomes treated as requested; if stopped, trials that were not run are not missing."""
        model_counts = self.model_counts
        absent = model_counts.absent
        entries = model_counts.question, self.category[model_counts.outcome], model_counts.times
        counts = Counts._from_entries(*entries, absent, self.C)
        n = counts.trials + absent
        lacking = np.zeros_like(n) if self.has_counts or stopped else n.max() - n
        if self.options.missing == "raise" and lacking.any():
            shortest = int(n.argmin())
            question = shown(model_counts.questions[shortest])
            what = f"question {question} of {shown(self.model)} has fewer trials ({n[shortest]})"
            raise InvalidInput("ragged", "outcome", f"{what} than another ({n.max()})", "policy")
        missing = absent + lacking
        if self.fill >= 0:
            counts = counts._with_absent(missing).completed(self.fill)
        outcomes = None if model_counts.trials is None or self.has_counts else self._outcomes(model_counts.trials)
        clusters = None if None in model_counts.clusters else [str(x) for x in model_counts.clusters]
        answers = None if model_counts.answers is None else self._answers(model_counts.answers)
        runs = model_counts.runs and self._runs(model_counts.runs, counts)
        return Log(model_counts.questions, counts, outcomes, clusters, missing, answers, self._costs(lacking), runs)

    def _runs(self, x: RunCodes, counts: Counts) -> ByRun | None:
        """The outcomes by run; None where missing ones are counted as a category and their run is unknown."""
        complete = x.entries is None
        if self.fill >= 0 and not complete:
            if not x.once or (counts.trials != len(x.names)).any():
                return None
            complete = True
        if x.entries is None or complete:
            table = np.zeros((len(x.names), self.C + 1), np.int64)
            used = np.flatnonzero(x.table[:, 1:].any(axis=0))
            np.add.at(table.T, self.category[used], x.table.T[1:][used])
            if self.fill >= 0:
                table[:, self.fill] += counts.M - table.sum(axis=1)
            return ByRun(counts, x.names, table)
        question, run, codes, times = x.entries
        category = self.category.astype(integer_type(self.C))
        present = codes >= 0 if times is None else (codes >= 0) & (times > 0)
        entries = Entries(
            question[present], run[present], category[codes[present]], None if times is None else times[present]
        )
        return ByRun(counts, x.names, None, entries, x.once)

    def _costs(self, lacking: npt.NDArray[Any]) -> Costs | None:
        """The cost of each trial; None if none is stated, or if trials that were not run are counted as outcomes."""
        if self.model_counts.costs is None or (self.fill >= 0 and lacking.any()):
            return None
        question, codes, cost = self.model_counts.costs
        outcome = np.where(codes < 0, self.fill, self.category[codes])
        counted = outcome >= 0
        if np.isnan(cost[counted]).all():
            return None
        return Costs(self.unit, question[counted], outcome[counted], cost[counted])

    def _answers(self, by_question: list[AnswerCounts]) -> Answers:
        """Counts of each answer to each question; an answer is right if its trials are successes."""
        items = []
        for name, counts in zip(self.model_counts.questions, by_question, strict=True):
            tallies = {answer: (counts[answer, 0], counts[answer, 1]) for answer, _ in counts}
            for answer, (wrong, right) in tallies.items():
                if right and (wrong or answer is None):
                    subject = "a missing answer" if answer is None else f"the answer {shown(answer)}"
                    what = f"{subject} to question {shown(name)} of {shown(self.model)} is a success in {right} trials"
                    raise InvalidInput("conflict", "answers", what + (f" and a failure in {wrong}" if wrong else ""))
            items.append(votes_of(tallies))
        return Answers.from_items(items)

    def _outcomes(self, trials: Trials) -> npt.NDArray[Any] | None:
        """The trials as a matrix with a column for each trial id, if the question with the most trials has all ids.

        Otherwise each question's trials are in the order of their ids if all ids are numbers, else in that of the log.
        None if the matrix would be large and less than a sixteenth of its entries would be trials.
        """
        M, ids = len(self.model_counts.questions), trials.ids
        n = np.bincount(trials.question, minlength=M)
        n_columns = int(n.max())
        if M * n_columns > max(MAX_SPARSE_ENTRIES, 16 * len(trials.question)):
            return None
        by_id = "" not in ids and len(ids) == n_columns
        are_numbers = all(map(values.is_number, ids))
        columns = sorted(ids, key=lambda x: (int(x), x)) if are_numbers else ids
        column_of_id = {x: j for j, x in enumerate(columns)}
        rank = np.array([column_of_id[x] for x in ids], np.int64)[trials.id]
        order = np.arange(len(rank))
        if are_numbers and not by_id:
            order = np.lexsort((rank, trials.question))
        question = trials.question[order]
        column = rank[order] if by_id else np.arange(len(order)) - (np.cumsum(n) - n)[question]
        codes = trials.outcome[order]
        R = np.full((M, n_columns), self.fill, np.int32)
        R[question, column] = np.where(codes < 0, self.fill, self.category[codes])
        return R
