"""Evaluations from accumulated trials: each benchmark (task) has its own number of trials and its own scale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..display.text import nearest
from ..errors import InvalidInput, shown
from ..outcomes.answers import Answers, Votes
from ..outcomes.counts import Counts
from . import claims, values
from .accumulator import TrialAccumulator
from .columns import AnswerCounts, Cells, Trials
from .evaluation import Benchmark, EvaluationData, Provenance
from .logs import Costs, Log
from .text_files import listed

LARGEST_EMPTY = 10**7  # entries of a matrix of trials, most of which may be empty
MOST_CELLS = 1 << 24  # questions times distinct scores


def evaluation(accumulator: TrialAccumulator, format: str, skipped: Iterable[str] = ()) -> EvaluationData:
    """The evaluation in the trials of an accumulator: each benchmark with the log of each model."""
    by_model = accumulator.tables()
    accumulator.place.clear()
    claims.check_documents(accumulator.place)
    if not by_model and accumulator.options.tasks and accumulator.unwanted_tasks:
        tasks_in_log = ", ".join(repr(task) if task else "one without a name" for task in accumulator.unwanted_tasks)
        what = f"no task is called {listed(accumulator.options.tasks)}; the log has {tasks_in_log}"
        meant = nearest(accumulator.options.tasks[0], [x for x in accumulator.unwanted_tasks if x])
        raise InvalidInput("choice", "task", what[:500] + meant)
    if not by_model:
        raise InvalidInput("empty", "path", "no outcome in it")
    accumulator.options.which.check_all_used()
    tables: dict[str, dict[str, Cells]] = {}
    for model, by_task in by_model.items():
        for task, cells in by_task.items():
            tables.setdefault(task, {})[model] = cells
    parts = {task: _benchmark(accumulator, task, models) for task, models in tables.items()}
    remarks = tuple(what.replace("{n}", f"{n:,}") for what, n in accumulator.place.remarks.items())
    return EvaluationData(parts, Provenance((), format, tuple(skipped), tuple(accumulator.unfinished), remarks))


def _benchmark(accumulator: TrialAccumulator, task: str, models: dict[str, Cells]) -> Benchmark:
    """The benchmark of one task, with the log of each model."""
    C, w, order = _scale(accumulator, models)
    most = max(len(cells.questions) for cells in models.values())
    if (C + 1) * most > MOST_CELLS:
        what = f"{C + 1} distinct scores of {most} questions are too many: round them"
        raise InvalidInput("range", "outcome", what)
    logs = {
        model: _LogBuilder(accumulator, model, cells, C, order).log((model, task) in accumulator.stopped)
        for model, cells in models.items()
    }
    metric = accumulator.place.metrics.get(task, accumulator.metrics[task])
    levels = accumulator.options.C is None
    seen = levels and accumulator.options.scale is None
    return Benchmark(task, logs, metric, None if w is None else tuple(w), levels, seen)


def _scale(accumulator: TrialAccumulator, models: dict[str, Cells]) -> tuple[int, list[float] | None, dict[int, int]]:
    """C, the score of each category, and the category of each code that outcomes were counted under."""
    options = accumulator.options
    if options.C is not None:
        return options.C, options.w, {j: j for j in range(options.C + 1)}
    if not isinstance(options.missing, str):
        accumulator.level.setdefault(float(options.missing), len(accumulator.level))
    used = {j for cells in models.values() for j in np.unique(cells.level).tolist()}
    if not isinstance(options.missing, str):
        used.add(accumulator.level[float(options.missing)])
    scores = sorted({x for x, j in accumulator.level.items() if j in used} | set(options.scale or ()))
    if all(0 <= x <= 1 for x in scores) and options.scale is None:  # the scale is then 0 to 1, whatever scores occur
        scores = sorted({0.0, 1.0, *scores})
    elif len(scores) == 1:
        scores = sorted({0.0, *scores})
    at = {x: i for i, x in enumerate(scores)}
    order = {j: at[x] for x, j in accumulator.level.items() if j in used}
    return len(scores) - 1, None if scores == [0.0, 1.0] else scores, order


def votes_of(tallies: dict[str | None, tuple[int, int]]) -> Votes:
    """The votes of a question, from the failures and the successes of each answer."""
    right = sorted((m for answer, (_, m) in tallies.items() if m and answer is not None), reverse=True)
    wrong = sorted((m for answer, (m, _) in tallies.items() if m and answer is not None), reverse=True)
    return Votes(tuple(right), tuple(wrong), sum(tallies.get(None, (0, 0))))


class _LogBuilder:
    """Builder of the log of one model in one task."""

    def __init__(self, accumulator: TrialAccumulator, model: str, cells: Cells, C: int, order: dict[int, int]) -> None:
        self.options, self.stated = accumulator.options, bool(accumulator.stated)
        self.model, self.cells, self.C = model, cells, C
        self.order, self.unit = order, accumulator.unit
        self.category = np.zeros(max(order, default=0) + 1, np.int64)
        self.category[list(order)] = list(order.values())
        missing = self.options.missing
        self.filled = -1  # the category that missing outcomes are counted as; -1 where they are dropped
        if not isinstance(missing, str) and not self.stated:
            self.filled = missing if self.options.C is not None else order[accumulator.level[float(missing)]]

    def log(self, stopped: bool) -> Log:
        """The log, with missing outcomes treated as requested; if stopped, trials that were not run are not missing."""
        cells = self.cells
        rows = np.zeros((len(cells.questions), self.C + 1), np.int64)
        rows[cells.at, self.category[cells.level]] = cells.times
        absent = cells.absent
        n = rows.sum(axis=1) + absent
        lacking = np.zeros_like(n) if self.stated or stopped else n.max() - n
        if self.options.missing == "raise" and lacking.any():
            short = int(n.argmin())
            what = f"question {shown(cells.questions[short])} of {shown(self.model)} has fewer trials ({n[short]})"
            raise InvalidInput("ragged", "outcome", f"{what} than another ({n.max()})", "policy")
        lost = absent + lacking
        if self.filled >= 0:
            rows[:, self.filled] += lost
            absent = np.zeros_like(absent)
        outcomes = None if cells.trials is None or self.stated else self._outcomes(cells.trials)
        named = None if None in cells.clusters else [str(x) for x in cells.clusters]
        answers = None if cells.answers is None else self._answers(cells.answers)
        return Log(cells.questions, Counts(rows, absent), outcomes, named, lost, answers, self._costs(lacking))

    def _costs(self, lacking: npt.NDArray[Any]) -> Costs | None:
        """The cost of each trial; None where the counts include trials that the log does not contain."""
        if self.cells.costs is None or (self.filled >= 0 and lacking.any()):
            return None
        at, level, cost = self.cells.costs
        outcome = np.where(level < 0, self.filled, self.category[level])
        kept = outcome >= 0
        return None if np.isnan(cost[kept]).all() else Costs(self.unit, at[kept], outcome[kept], cost[kept])

    def _answers(self, by_question: list[AnswerCounts]) -> Answers:
        """Counts of each answer to each question; an answer is right if its trials are successes."""
        items = []
        for name, counts in zip(self.cells.questions, by_question, strict=True):
            tallies = {answer: (counts[answer, 0], counts[answer, 1]) for answer, _ in counts}
            for answer, (wrong, right) in tallies.items():
                if right and (wrong or answer is None):
                    subject = "no answer" if answer is None else f"the answer {shown(answer)}"
                    what = f"{subject} to question {shown(name)} of {shown(self.model)} is a success in {right} trials"
                    raise InvalidInput("conflict", "answers", f"{what} and a failure in {wrong}")
            items.append(votes_of(tallies))
        return Answers.of(items)

    def _outcomes(self, trials: Trials) -> npt.NDArray[Any] | None:
        """The trials as a matrix, a column for each trial id if these are the same for all questions.

        Each question's trials are sorted where all ids are numbers; otherwise they are in the order of the log. None
        where nearly all of the matrix would be empty, since a question has far more trials than others.
        """
        M, ids = len(self.cells.questions), trials.ids
        each = np.bincount(trials.at, minlength=M)
        longest = int(each.max())
        if M * longest > max(LARGEST_EMPTY, 16 * len(trials.at)):
            return None
        named = "" not in ids and len(ids) == longest
        numbers = all(map(values.is_number, ids))
        columns = sorted(ids, key=lambda x: (int(x), x)) if numbers else ids
        at = {x: j for j, x in enumerate(columns)}
        column = np.array([at[x] for x in ids], np.int64)[trials.id]
        order = np.lexsort((column, trials.at)) if numbers and not named else np.arange(len(trials.at))
        question = trials.at[order]
        place = column[order] if named else np.arange(len(order)) - (np.cumsum(each) - each)[question]
        level = trials.level[order]
        R = np.full((M, longest), self.filled, np.int32)
        R[question, place] = np.where(level < 0, self.filled, self.category[level])
        return R
