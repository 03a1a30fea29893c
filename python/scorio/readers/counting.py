"""Counts of outcomes by model, task and question, from columns of codes. A cell is a question of a model in a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from . import table
from .check import check_factors, first_difference, one_to_one
from .columns import Codes, Keys, RowError, Rows, blocks, grouped_rows, integer_type, summed

MOST_RUNS = 2048  # ids of trials above which they are not those of runs
MOST_REPEATED = 0.5  # further rows of a question in a run, per first one, above which runs have several by design
AnswerCounts = Counter[tuple[str | None, int]]  # trials by answer and category


class Trials(NamedTuple):
    """The trials of one model in one task, grouped by question."""

    question: Codes  # the question of each trial, as an index
    ids: list[str]  # distinct ids, in order of appearance
    id: Codes  # the id of each trial, as an index
    outcome: Codes  # the code of each outcome; -1: missing


class RunCodes(NamedTuple):
    """The outcomes of one model in one task by run."""

    names: list[str]
    table: Codes  # how often each outcome occurs in each run, the code -1 (missing) in the first column
    once: bool  # whether no question has two trials in a run
    entries: tuple[Codes, Codes, Codes, Codes | None] | None  # question, run, outcome, times; None: complete


class OutcomeCounts(NamedTuple):
    """The counts of one model in one task, by question and outcome."""

    questions: list[str]
    clusters: list[str | None]
    absent: Codes  # number of missing outcomes of each question
    question: Codes  # the question of each count, as an index
    outcome: Codes  # the outcome of each count, as a code
    times: Codes  # the number of trials with this outcome
    trials: Trials | None = None
    answers: list[AnswerCounts] | None = None  # the answers to each question
    costs: tuple[Codes, Codes, Any] | None = None  # the question, the outcome (a code) and the cost of each trial
    runs: RunCodes | None = None


class CountedTask(NamedTuple):
    """The counts of a model in a task, and the first row that they count."""

    model: str
    task: str
    row: int
    counts: OutcomeCounts


class Counted(NamedTuple):
    """The counts of each model and task, in order of appearance or of their codes."""

    tasks: list[CountedTask]
    copies: int  # the number of rows that were copies
    remark: str  # on the field that tells trials or runs apart; "" where no name of a field says so


def count(rows: Rows, keep_trials: bool = False) -> Counted:
    """The counts of each model and task."""
    n_models, n_tasks, n_questions = (len(rows.labels[name]) for name in ("model", "task", "question"))
    pair, n_pairs = rows.model, n_models  # the model and the task of each row, as one code
    if n_tasks > 1:
        first_rows, pair = grouped_rows(Keys((pair, n_models), (rows.task, n_tasks)), rows.by_code)
        n_pairs = len(first_rows)
    # start: the first row of each cell; cell: the cell of each row
    start, cell = grouped_rows(Keys((pair, n_pairs), (rows.question, n_questions)), rows.by_code)
    first_cells, pair_of_cell = grouped_rows(Keys((pair[start], n_pairs)), rows.by_code)
    first_rows = start[first_cells]
    models, tasks = rows.labels_of("model", first_rows), rows.labels_of("task", first_rows)
    pairs = list(zip(models, tasks, first_rows.tolist(), strict=True))
    if rows.cluster is not None and (differing := first_difference(rows.cluster, start, cell)) is not None:
        question, model = (shown(rows.labels_of(name, [differing])[0]) for name in ("question", "model"))
        cluster, earlier = map(shown, rows.labels_of("cluster", [differing, int(start[cell[differing]])]))
        what = f"question {question} of {model} is in cluster {cluster} here, in {earlier} before"
        raise RowError(differing, InvalidInput("conflict", "cluster", what))
    check_factors(rows, start, cell, pair_of_cell)
    rows, remark = _told_apart(rows, cell, len(start))
    copies = _copies(rows, cell, len(start))
    if len(copies):
        remaining = np.ones(len(cell), bool)
        remaining[copies] = False
        # fields that were checked before (axes) keep all rows
        kept: dict[str, Any] = {x: y[remaining] for x, y in rows._asdict().items() if isinstance(y, np.ndarray)}
        rows = rows._replace(**kept)
        start, cell = np.searchsorted(np.flatnonzero(remaining), start), cell[remaining]
    width = int(rows.outcome.max(initial=0)) + 2
    keys, times = summed(Keys((cell, len(start)), (rows.outcome + 1, width)), rows.times)
    counts = keys // width, keys % width - 1, times  # the cell, the outcome and the trials of each that a cell has
    trials = _trials(rows, cell) if keep_trials and not rows.has_counts else None
    answers = None if rows.answer is None else _answers(rows, cell, len(start))
    runs = _runs(rows, cell, pair_of_cell, len(pairs))
    tasks = list(_by_model_and_task(rows, pairs, pair_of_cell, start, cell, *counts, trials, answers, runs))
    return Counted(tasks, len(copies), remark)


def _told_apart(rows: Rows, cell: Codes, n_cells: int) -> tuple[Rows, str]:
    """The rows with the ids of trials that fields such as seed or sample have, and the remark on these fields.

    The fields number the trials if no question of a model has two rows with the same values: the first field alone, or
    with further ones. A few such rows are duplicates; where questions have several trials in each run by design, values
    of the first field are those of runs only.
    """
    names = rows.run_fields
    if rows.run is None or not names:
        return rows, ""
    parts = [x if isinstance(x, tuple) else ("" if x is None else str(x).strip(),) for x in rows.labels["run"]]
    with_run = np.array([any(x) for x in parts], bool)[rows.run]
    constant = [x for i, x in enumerate(names) if len({part[i : i + 1] for part in parts if any(part)}) == 1]
    codes, labels = _joined(rows.run, parts, 1)
    has_ids = rows.trial is not None and any(rows.labels_of("trial", slice(None)))
    if not with_run.any() or has_ids or one_to_one(codes, rows.outcome):
        return rows._replace(run=None), table.told_apart(names, "")
    of_first = rows._replace(run=codes, labels={**rows.labels, "run": labels})
    if rows.has_counts:
        return of_first._replace(run=None), table.told_apart(names, "counts", 1, constant)
    repeated = dict[int, float]()  # further rows with the same values of so many fields, per first one
    for used in range(1, len(names) + 1):
        codes, labels = _joined(rows.run, parts, used)
        keys, _ = summed(Keys((cell[with_run], n_cells), (codes[with_run], len(labels))), None)
        repeated[used] = (np.count_nonzero(with_run) - len(keys)) / len(keys)
    used = next((x for limit in (0.0, MOST_REPEATED) for x, share in repeated.items() if share <= limit), 0)
    if not used:
        kind = "run" if table.is_run(names[0]) else ""
        return of_first if kind else rows._replace(run=None), table.told_apart(names, kind, 1, constant)
    codes, labels = _joined(rows.run, parts, used)
    of_trials = rows._replace(
        trial=codes, run=None, labels={**rows.labels, "trial": labels}, trial_field=" and ".join(names[:used])
    )
    if used > 1 and len({x[0] for x in parts}) > 1 and table.is_run(names[0]):
        of_trials = of_trials._replace(run=of_first.run, labels={**of_trials.labels, "run": of_first.labels["run"]})
    return of_trials, table.told_apart(names, "trial", used, constant)


def _joined(codes: Codes, parts: list[tuple[str, ...]], used: int) -> tuple[Codes, list[str]]:
    """The codes and the labels of the first parts (used) of labels."""
    labels = ["/".join(x[:used]).strip("/") for x in parts]
    index = {x: i for i, x in enumerate(dict.fromkeys(labels))}
    return np.array([index[x] for x in labels], np.int64)[codes], list(index)


def _copies(rows: Rows, cell: Codes, n_cells: int) -> Codes:
    """The rows that are copies of an earlier trial; raises for a duplicate trial that is not a copy."""
    if rows.trial is None:
        if not rows.has_counts:
            return np.empty(0, np.int64)
        # without names of runs, a second success count of a question is a duplicate
        rows = rows._replace(trial=np.zeros_like(cell), labels={**rows.labels, "trial": [""]})
    assert rows.trial is not None
    # the two rows of a success count, failures and successes, differ in the outcome
    outcomes = [(rows.outcome, 2)] if rows.has_counts else []
    keys = Keys((cell, n_cells), (rows.trial, len(rows.labels["trial"])), *outcomes)
    has_id = np.array([x != "" or rows.has_counts for x in rows.labels["trial"]], bool)
    if _all_distinct(keys, rows.trial, has_id):
        return np.empty(0, np.int64)
    with_id = np.flatnonzero(has_id[rows.trial])
    key = keys.values(with_id)
    order = np.argsort(key, kind="stable")
    is_first = np.append(True, key[order][1:] != key[order][:-1])
    first_in_order = np.maximum.accumulate(np.where(is_first, np.arange(len(is_first)), 0))
    first = with_id[order[first_in_order]][~is_first]  # the first row with the same key
    repeated = with_id[order[~is_first]]
    unique = np.zeros(len(cell), np.int64) if rows.unique is None else rows.unique
    for invalid, what in (
        ((unique[repeated] & unique[first]) == 0, "duplicate {}: already in"),
        (rows.outcome[repeated] != rows.outcome[first], "{} has a different outcome in"),
    ):
        if invalid.any():
            i = int(np.argmin(np.where(invalid, repeated, len(cell))))
            row = int(repeated[i])
            hint = f"of_run:{rows.trial_field}" if rows.trial_field != "trial" and not rows.has_counts else None
            raise RowError(row, InvalidInput("duplicate", "path", what.format(rows.describe(row)), hint), int(first[i]))
    return repeated


def _all_distinct(keys: Keys, codes: Codes, has_id: npt.NDArray[np.bool_]) -> bool:
    """Whether no key occurs twice among the rows with a trial id; has_id: whether the label of each code is an id."""
    if not keys.fits_table:
        key = np.sort(keys.values()[has_id[codes]])
        return bool((key[1:] != key[:-1]).all())
    used, n = np.zeros(keys.size, bool), 0
    for rows in blocks(len(keys)):
        key = keys.values(rows) if has_id.all() else keys.values(rows)[has_id[codes[rows]]]
        used[key] = True
        n += len(key)
    return int(np.count_nonzero(used)) == n


def _trials(rows: Rows, cell: Codes) -> tuple[Codes, Codes, Codes]:
    """The cell, the id and the code of the outcome of each trial, sorted by cell."""
    order = np.argsort(cell, kind="stable")
    if rows.times is not None:
        order = np.repeat(order, rows.times[order])
    trial = np.zeros(len(order), np.int64) if rows.trial is None else rows.trial[order]
    return cell[order], trial, rows.outcome[order]


def _runs(rows: Rows, cell: Codes, pair_of_cell: Codes, n_pairs: int) -> list[RunCodes | None]:
    """The outcomes of each model and task by run, with cells in the place of questions.

    Runs are told apart by the field of runs, else by the ids of trials. None where there are no such labels, or they
    are not common to questions, as where each trial has an id of its own.
    """
    out: list[RunCodes | None] = [None] * n_pairs
    if rows.run is not None:
        ids = ["" if x is None else str(x).strip() for x in rows.labels["run"]]
        run_of_cell = Keys((cell, int(cell.max(initial=0)) + 1), (rows.run, len(ids)))
        once = rows.times is None and len(summed(run_of_cell, None)[0]) == len(cell)
        out = _by_label(rows, ids, rows.run, cell, pair_of_cell, n_pairs, once)
    if rows.trial is None or None not in out:
        return out
    ids, run = list(rows.labels["trial"]), rows.trial
    if rows.runs_in_ids:
        index = {x: i for i, x in enumerate(dict.fromkeys(x.partition("/")[0] for x in ids))}
        run = np.array([index[x.partition("/")[0]] for x in ids], np.int64)[run]
        ids = list(index)
    once = not rows.has_counts and not rows.runs_in_ids and rows.times is None  # copies of trials were left out
    by_trial = _by_label(rows, ids, run, cell, pair_of_cell, n_pairs, once)
    return [x or y for x, y in zip(out, by_trial, strict=True)]


def _by_label(
    rows: Rows, ids: list[str], run: Codes, cell: Codes, pair_of_cell: Codes, n_pairs: int, once: bool
) -> list[RunCodes | None]:
    """The outcomes of each model and task by the label of each row; once: whether no question has two of a label."""
    out: list[RunCodes | None] = [None] * n_pairs
    if not 2 <= len(ids) <= MOST_RUNS:
        return out
    width, pair = int(rows.outcome.max(initial=0)) + 2, pair_of_cell.astype(integer_type(n_pairs))[cell]
    keys, times = summed(Keys((pair, n_pairs), (run, len(ids)), (rows.outcome + 1, width)), rows.times)
    tables = np.zeros((n_pairs, len(ids), width), np.int64)
    tables.reshape(-1)[keys] = times
    questions = np.bincount(pair_of_cell, minlength=n_pairs)
    order, starts = np.empty(0, np.int64), np.empty(0, np.int64)
    for p in range(n_pairs):
        used = np.flatnonzero(tables[p].any(axis=1))
        names, table = [ids[i] for i in used.tolist()], tables[p, used]
        if len(used) < 2 or int(table.sum()) < 2 * len(used) or "" in names:
            continue
        if once and not table[:, 0].any() and (table.sum(axis=1) == questions[p]).all():
            out[p] = RunCodes(names, table, True, None)
            continue
        if not order.size:
            order = np.argsort(pair, kind="stable")
            starts = np.append(0, np.cumsum(np.bincount(pair, minlength=n_pairs)))
        its = order[starts[p] : starts[p + 1]]
        new = np.zeros(len(ids), integer_type(len(ids)))
        new[used] = np.arange(len(used))
        entries = cell[its], new[run[its]], rows.outcome[its], None if rows.times is None else rows.times[its]
        out[p] = RunCodes(names, table, once, entries)
    return out


def _answers(rows: Rows, cell: Codes, n_cells: int) -> list[AnswerCounts]:
    """The number of failures and of successes of each answer in each cell."""
    answers: list[AnswerCounts] = [Counter() for _ in range(n_cells)]
    labels = rows.labels["answer"]
    assert rows.answer is not None  # checked by the caller
    present = rows.outcome >= 0
    keys = Keys((cell[present], n_cells), (rows.answer[present], len(labels)), (rows.outcome[present], 2))
    distinct, times = summed(keys, None if rows.times is None else rows.times[present])
    for key, n in zip(distinct.tolist(), times.tolist(), strict=True):
        cell_and_answer, outcome = divmod(key, 2)
        i, answer = divmod(cell_and_answer, len(labels))
        answers[i][labels[answer], outcome] = n
    return answers


def _by_model_and_task(
    rows: Rows, pairs: list[tuple[str, str, int]], pair_of_cell: Codes, start: Codes, cell_of_row: Codes, cell: Codes,
    outcome: Codes, times: Codes, trials: tuple[Codes, Codes, Codes] | None, answers: list[AnswerCounts] | None,
    runs: list[RunCodes | None],
) -> Any:  # fmt: skip
    """The CountedTask of each pair (model, task), from the cell, the outcome and the number of trials of each count.

    start : the first row of each cell.
    trials, answers : as _trials and _answers return them, or None.
    """
    order = np.argsort(pair_of_cell, kind="stable")
    starts = np.searchsorted(pair_of_cell[order], np.arange(len(pairs) + 1))
    question_of_cell = np.empty_like(order)  # the index of the cell's question among those of its model and task
    question_of_cell[order] = np.arange(len(order)) - starts[pair_of_cell[order]]
    questions = rows.labels_of("question", start[order])
    clusters = [None] * len(order) if rows.cluster is None else rows.labels_of("cluster", start[order])
    count_order = np.argsort(pair_of_cell[cell], kind="stable")
    count_starts = np.searchsorted(pair_of_cell[cell][count_order], np.arange(len(pairs) + 1))
    trial_ids = rows.labels["trial"] if rows.trial is not None else [""]
    for p, pair in enumerate(pairs):
        lo, hi = int(starts[p]), int(starts[p + 1])
        selected = count_order[count_starts[p] : count_starts[p + 1]]
        question, codes, n = question_of_cell[cell[selected]], outcome[selected], times[selected]
        absent = np.zeros(hi - lo, np.int64)
        absent[question[codes < 0]] = n[codes < 0]
        present = codes >= 0
        trials_of_pair = None if trials is None else _trials_of(pair_of_cell == p, question_of_cell, *trials, trial_ids)
        answers_of_pair = None if answers is None else [answers[i] for i in order[lo:hi].tolist()]
        costs = None
        if rows.costs is not None:
            of_pair = pair_of_cell[cell_of_row] == p
            costs = question_of_cell[cell_of_row[of_pair]], rows.outcome[of_pair], rows.costs[of_pair]
        runs_of_pair = runs[p]
        if runs_of_pair is not None and runs_of_pair.entries is not None:  # with questions in the place of cells
            narrow = question_of_cell.astype(integer_type(int(question_of_cell.max(initial=0))))
            entries = narrow[runs_of_pair.entries[0]], *runs_of_pair.entries[1:]
            runs_of_pair = runs_of_pair._replace(entries=entries)
        counts = OutcomeCounts(
            questions[lo:hi],
            clusters[lo:hi],
            absent,
            question[present],
            codes[present],
            n[present],
            trials_of_pair,
            answers_of_pair,
            costs,
            runs_of_pair,
        )
        yield CountedTask(*pair, counts)


def _trials_of(
    in_pair: Any, question_of_cell: Codes, cell: Codes, trial: Codes, outcome: Codes, ids: Sequence[str]
) -> Trials:
    """The trials of one model in one task, from its cells (a mask) and the cell, trial and outcome of every trial."""
    rows = np.flatnonzero(in_pair[cell])
    rows = rows[np.argsort(question_of_cell[cell[rows]], kind="stable")]
    first, id_ = grouped_rows(Keys((trial[rows], len(ids))))
    return Trials(question_of_cell[cell[rows]], [ids[i] for i in trial[rows][first].tolist()], id_, outcome[rows])
