"""Logs of what was gathered: a benchmark (task) at a time, each levelled by itself and on a scale of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from ..outcomes.counts import Counts
from . import values
from .accumulator import Gather, Question
from .logs import Log, Logs, joined
from .text_files import listed, shown

LARGEST_EMPTY = 10**7  # entries of a matrix of trials
MOST_CELLS = 1 << 24  # questions times distinct scores
Table = dict[str, Question]


def logs(gather: Gather, format: str, skipped: list[str] | None = None) -> Logs:
    """The log of each model, and of each benchmark if there are several."""
    _something(gather)
    gather.options.which.all_used()
    gather.place.clear()
    tables: dict[str, dict[str, Table]] = {}
    for model, table in gather.tables.items():
        for (task, question), found in table.items():
            tables.setdefault(task, {}).setdefault(model, {})[question] = found
    parts = {task: _benchmark(gather, format, task, models) for task, models in tables.items()}
    whole = joined(parts, list(gather.tables))
    whole.skipped, whole.unfinished = list(skipped or ()), gather.unfinished
    whole.remarks = [what.replace("{n}", f"{n:,}") for what, n in gather.place.remarks.items()]
    return whole


def _something(gather: Gather) -> None:
    if gather.tables:
        return
    if gather.options.tasks and gather.passed_by:
        there = ", ".join(repr(task) if task else "one without a name" for task in gather.passed_by)
        what = f"no task is called {listed(gather.options.tasks)}; the log has {there}"
        raise InvalidInput("choice", "task", what[:500])
    raise InvalidInput("empty", "path", "no outcome in it")


def _benchmark(gather: Gather, format: str, task: str, models: dict[str, Table]) -> Logs:
    """The log of one task."""
    C, weights, order = _scale(gather, models)
    cells = (C + 1) * max(map(len, models.values()))
    if cells > MOST_CELLS:
        what = f"{C + 1} distinct scores of {max(map(len, models.values()))} questions are too many: round them"
        raise InvalidInput("range", "outcome", what)
    found = {model: _Model(gather, model, table, C, order).log() for model, table in models.items()}
    metric = gather.place.metrics.get(task, gather.metrics[task])
    levels = gather.options.C is None
    seen = levels and gather.options.scale is None
    return Logs(found, weights, format, tasks=[task] if task else [], levels=levels, metric=metric, seen=seen)


def _scale(gather: Gather, models: dict[str, Table]) -> tuple[int, list[float] | None, dict[int, int]]:
    """C, the score of each category, and the category of each number that outcomes were counted under."""
    options = gather.options
    if options.C is not None:
        return options.C, options.weights, {j: j for j in range(options.C + 1)}
    if not isinstance(options.missing, str):
        gather.level.setdefault(float(options.missing), len(gather.level))
    met = {j for table in models.values() for q in table.values() for j in q.counts}
    if not isinstance(options.missing, str):
        met.add(gather.level[float(options.missing)])
    scores = sorted({x for x, j in gather.level.items() if j in met} | set(options.scale or ()))
    if all(0 <= x <= 1 for x in scores) and options.scale is None:  # a scale, whose ends are not those that were seen
        scores = sorted({0.0, 1.0, *scores})
    elif len(scores) == 1:
        scores = sorted({0.0, *scores})
    at = {x: i for i, x in enumerate(scores)}
    order = {j: at[x] for x, j in gather.level.items() if j in met}
    return len(scores) - 1, None if scores == [0.0, 1.0] else scores, order


class _Model:
    """The questions of one model in one task."""

    def __init__(self, gather: Gather, model: str, table: Table, C: int, order: dict[int, int]) -> None:
        self.options, self.stated, self.level = gather.options, bool(gather.stated), gather.level
        self.model, self.names, self.found = model, list(table), list(table.values())
        self.C, self.order = C, order

    def log(self) -> Log:
        """Counts, with policies applied."""
        rows = np.zeros((len(self.found), self.C + 1), np.int64)
        for i, q in enumerate(self.found):
            for category, n in q.counts.items():
                rows[i, self.order[category]] = n
        absent = np.array([q.absent for q in self.found], np.int64)
        n = rows.sum(axis=1) + absent
        lacking = np.zeros_like(n) if self.stated else n.max() - n
        if self.options.missing == "raise" and lacking.any():
            short = int(n.argmin())
            what = f"question {shown(self.names[short])} of {shown(self.model)} has fewer trials ({n[short]})"
            raise InvalidInput("ragged", "outcome", f"{what} than another ({n.max()})", "policy")
        filled, lost = self._filled(), absent + lacking
        if filled >= 0:
            rows[:, filled] += lost
            absent = np.zeros_like(absent)
        outcomes = self._outcomes(filled) if self.options.trials and not self.stated else None
        clusters = [q.cluster for q in self.found]
        named = None if None in clusters else [str(x) for x in clusters]
        return Log(self.names, Counts(rows, absent), outcomes, named, lost)

    def _filled(self) -> int:
        """The category that missing outcomes are counted as; -1 where they are dropped."""
        missing = self.options.missing
        if isinstance(missing, str) or self.stated:
            return -1
        return missing if self.options.C is not None else self.order[self.level[float(missing)]]

    def _outcomes(self, filled: int) -> npt.NDArray[Any] | None:
        """The trials as a matrix, a column for each trial id if these are the same for all questions.

        Each question's trials are sorted where all ids are numbers; otherwise they stand in the order of the log. None
        where nearly all of the matrix would be empty, since a question has far more trials than others.
        """
        found, longest = self.found, max(len(q.order) for q in self.found)
        if len(found) * longest > max(LARGEST_EMPTY, 16 * sum(len(q.order) for q in found)):
            return None
        ids = dict.fromkeys(trial for q in found for trial, _ in q.order)
        named = "" not in ids and len(ids) == longest
        numbers = all(map(values.is_number, ids))
        columns = sorted(ids, key=lambda x: (int(x), x)) if numbers else list(ids)
        at = {trial: j for j, trial in enumerate(columns)}
        R = np.full((len(found), longest), filled, np.int32)
        for i, q in enumerate(found):
            for j, (trial, category) in enumerate(sorted(q.order, key=lambda x: at[x[0]]) if numbers else q.order):
                R[i, at[trial] if named else j] = filled if category < 0 else self.order[category]
        return R
