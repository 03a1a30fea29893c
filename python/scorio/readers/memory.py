"""Outcomes in arrays (NPY and NPZ files), and in memory: arrays, counts, answers and data frames by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput, shown
from ..outcomes.answers import Answers, Detailed
from ..outcomes.by_run import of_matrix
from ..outcomes.counts import Counts
from ..outcomes.matrix import read_matrix
from ..outcomes.models import is_matrix
from ..outcomes.tally import tally
from . import backends, frames, table, values, wide
from .accumulator import TrialAccumulator
from .counting import MOST_RUNS
from .evaluation import Benchmark, EvaluationData, Provenance
from .files import disk_failed
from .logs import UNNAMED_METRIC, Log
from .options import ReadOptions, is_requested
from .records import Trial
from .text_files import SourceLocation, joined

# --- files of arrays: (L models, M questions, N trials) or (M, N); NaN is missing ---


def array_evaluation(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a file of arrays, with one log for each model."""
    if options.C is None:
        raise InvalidInput("conflict", "w", "arrays of scores are read by records(), not by evaluation()")
    logs: dict[str, Log] = {}
    for model, R in _matrices(location):
        if model in logs:
            raise InvalidInput("duplicate", "path", f"two arrays for model {shown(model)}")
        try:
            logs[model] = log_of(R, options)
        except InvalidInput as e:
            raise e.of(f"model {shown(model)}", "outcome") from None
    if not logs:
        raise InvalidInput("empty", "path", "the file has no model")
    part = Benchmark("", logs, UNNAMED_METRIC, None if options.w is None else tuple(options.w))
    return EvaluationData({"": part}, Provenance(format="array"))


def log_of(R: Any, options: ReadOptions) -> Log:
    """The log of a matrix of outcomes (M, N), whose questions are numbered."""
    code = options.missing_code
    counts = tally(R, options.C, missing=options.missing, missing_code=code)
    dropped = counts
    if not isinstance(options.missing, str):  # missing outcomes are counted as a category, so absent is 0
        dropped = tally(R, options.C, missing="drop", missing_code=code)
    # the end of a short row is missing, like the trials that a question of a file lacks
    lacking = (dropped.trials + dropped.absent).max() - dropped.trials
    matrix, missing_value, _ = read_matrix(R, "R", options.missing, code)
    outcomes = runs = None
    if options.trials:
        value = -1 if isinstance(options.missing, str) else options.missing
        outcomes = np.where(np.isnan(matrix) | (matrix == missing_value), value, matrix).astype(np.int32)
    if 2 <= matrix.shape[1] <= MOST_RUNS:
        runs = of_matrix(counts, matrix, missing_value, options.missing, range(matrix.shape[1]))
    return Log([str(i) for i in range(counts.M)], counts, outcomes, lacking=lacking, runs=runs)


def array_records(location: SourceLocation) -> Iterator[Trial]:
    """Trials of a file of arrays, one for each cell: used for scores, and where other files are read too."""
    for model, R in _matrices(location):
        name = location.model() if model == location.stem else model
        for i, row in enumerate(R.tolist()):
            for j, x in enumerate(row):
                location.entry = f"{model}[{i}, {j}]"
                yield Trial(name, i, j, x)


def _matrices(location: SourceLocation) -> Iterator[tuple[str, Any]]:
    """The name and the matrix (M, N) of each model in a file of arrays; those of a 3-D array are numbered from 1."""
    with location.opened() as f:
        try:
            loaded = np.load(f, allow_pickle=False)
            arrays = dict(loaded) if isinstance(loaded, np.lib.npyio.NpzFile) else None
        except Exception as e:  # numpy, zip and zlib raise many kinds of errors for a broken file
            if disk_failed(e):
                raise
            raise InvalidInput("format", "path", f"not a numpy file of numbers: {e}") from None
    for name, A in ({"model": loaded} if arrays is None else arrays).items():
        if not isinstance(A, np.ndarray):  # a zip file may contain anything
            raise InvalidInput("format", "path", f"{shown(name)} in it is not an array")
        if A.ndim == 3:
            yield from ((f"{name}-{l}", R) for l, R in enumerate(A, 1))
        elif A.ndim == 2:
            yield (location.stem if arrays is None else name), A
        else:
            subject = "the array" if arrays is None else shown(name)
            what = f"{subject} is {A.ndim}-D, not (models, questions, trials) or (questions, trials)"
            raise InvalidInput("shape", "path", what)


# --- outcomes in memory, by model, or by benchmark and model ---


ACCEPTED = "an array (M questions, N trials), Counts, Answers or a data frame"


def holds_outcomes(x: Any) -> bool:
    """Whether x contains outcomes, rather than the name of a file; data frames are recognised by backends.is_frame."""
    return isinstance(x, (Mapping, np.ndarray, Counts, Detailed)) or (isinstance(x, (list, tuple)) and is_matrix(x))


def evaluation(source: Any, options: ReadOptions, columns: Any = None) -> EvaluationData:
    """The evaluation in a mapping, an array (L, M, N) or (M, N), or the counts or answers of one model.

    A model whose outcomes are None is left out.
    """
    outcomes = {
        options.renames.get(name, name): present
        for name, models in _by_benchmark(source).items()
        if is_requested(options.tasks, name or None)
        and (present := {model: x for model, x in models.items() if x is not None})
    }
    if not any(outcomes.values()):
        raise InvalidInput("empty", "source", "source has no model")
    if options.C is None:
        # categories are the scores that occur in any model of a benchmark
        accumulator = TrialAccumulator(SourceLocation(Path("source")), options._replace(tasks=()))
        for task, models in outcomes.items():
            for model, x in models.items():
                _naming_model(_accumulate, x, task, model, accumulator, columns, model, task)
        return accumulator.evaluation("array")
    w = None if options.w is None else tuple(options.w)
    parts = {
        name: Benchmark(
            name, {m: _naming_model(_log, x, name, m, options, columns) for m, x in models.items()}, UNNAMED_METRIC, w
        )
        for name, models in outcomes.items()
    }
    return EvaluationData(parts, Provenance(format="array"))


def _by_benchmark(source: Any) -> dict[str, dict[str, Any]]:
    """Outcomes by benchmark and model; the name of an unnamed benchmark is ""."""
    if not isinstance(source, Mapping):
        try:
            is_several = not isinstance(source, (Counts, Detailed)) and np.ndim(source) == 3
        except ValueError:  # rows of unequal length
            is_several = False
        source = {f"{frames.MODEL}-{i}": R for i, R in enumerate(source, 1)} if is_several else {frames.MODEL: source}
    are_benchmarks = [isinstance(x, Mapping) for x in source.values()]
    if any(are_benchmarks) and not all(are_benchmarks):
        raise InvalidInput("type", "source", "source mixes {benchmark: {model: outcomes}} and {model: outcomes}")
    parts = _with_ids(source, "task") if any(are_benchmarks) else {"": source}
    return {name: _with_ids(models, "model") for name, models in parts.items()}


def _with_ids(named: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """A mapping whose names are texts; two names with the same text are refused."""
    out: dict[str, Any] = {}
    for name, x in named.items():
        text = values.id_of(name, what)
        if text in out:
            raise InvalidInput("duplicate", "source", f"two names of a {what} are {shown(text)} as text")
        out[text] = x
    return out


def _naming_model(read: Any, x: Any, task: str, model: str, *args: Any) -> Any:
    """Read the outcomes of a model with the function `read`; error messages begin with the model's name."""
    try:
        return read(x, *args)
    except InvalidInput as e:
        where = f" in {shown(task)}" if task else ""
        raise e.of(f"model {shown(model)}{where}", "outcome" if e.argument == "R" else None) from None


def _log(x: Any, options: ReadOptions, columns: Any) -> Log:
    """The log of one model."""
    if isinstance(x, Log):
        return x
    if isinstance(x, (Counts, Detailed)):
        counts = tally(x, options.C)
        answers = x if isinstance(x, Answers) else None
        names = [str(i) for i in range(counts.M)] if counts.ids is None else list(counts.ids)
        clusters: Any = None if counts.clusters is None else list(counts.clusters)
        return Log(names, counts, None, clusters, counts.absent, answers)
    if backends.is_frame(x) and _is_long(x, columns):
        accumulator = TrialAccumulator(SourceLocation(Path("frame")), options._replace(tasks=()))
        frames.take(accumulator, backends.wrap(backends.with_index(x)), columns, frames.MODEL, "")
        return accumulator.evaluation("frame").log(frames.MODEL)
    ids, R = _matrix(x)
    log = log_of(R, options)
    return log if ids is None else log._replace(ids=ids)


def _is_long(x: Any, columns: Any) -> bool:
    """Whether a data frame is a long table, with columns such as question and outcome, rather than a matrix (M, N)."""
    names = set(backends.wrap(backends.with_index(x)).collect_schema().names())
    return bool(columns) or "outcome" in names or ("question" in names and bool(names & {"c", "n"}))


def _matrix(x: Any) -> tuple[list[str] | None, Any]:
    """The ids of questions, where an index gives others than 0, 1, ..., and the outcomes (M, N) of one model."""
    if not backends.is_frame(x):
        if not is_matrix(x):
            raise InvalidInput("type", "source", f"{shown(x)} is not {ACCEPTED}")
        return None, x
    frame = backends.wrap(x).lazy().collect()
    names = [str(y) for y in frame.columns]
    others = [y for y in names if not wide.RUN.fullmatch(y) and not wide.TRIAL.fullmatch(y)]
    if len(others) < len(names) and others:  # such as is_hard beside run1 and run2
        what = f"columns {joined(others)} beside columns of trials: a matrix has only these"
        raise InvalidInput("format", "source", what)
    index = getattr(frame.to_native(), "index", None)
    ids = None if index is None else [y.item() if isinstance(y, np.generic) else y for y in index]
    if ids is None or ids == list(range(len(ids))):
        return None, frame.to_numpy()
    questions = [values.id_of(y, "question") for y in ids]
    if len(set(questions)) < len(questions):
        duplicate = next(y for i, y in enumerate(questions) if y in questions[:i])
        raise InvalidInput("duplicate", "source", f"question {shown(duplicate)} is in the index twice: {table.NEEDED}")
    return questions, frame.to_numpy()


def _accumulate(x: Any, accumulator: TrialAccumulator, columns: Any, model: str, task: str) -> None:
    """Accumulate the scores of one model."""
    if isinstance(x, (Log, Counts, Detailed)):
        raise InvalidInput("conflict", "w", "counts have no scores: give the score of each category, w=")
    if backends.is_frame(x) and _is_long(x, columns):
        frames.take(accumulator, backends.wrap(backends.with_index(x)), columns, model, task)
    else:
        accumulator.take(_entries(x, model, task))


def _entries(x: Any, model: str, task: str) -> Iterator[Trial]:
    """The trials in the entries of a matrix."""
    ids, R = _matrix(x)
    masked = np.ma.getmaskarray(R) if isinstance(R, np.ma.MaskedArray) else None
    A = np.asarray(R) if np.asarray(R).dtype.kind in "buif" else np.asarray(R, object)
    if A.ndim != 2:
        read_matrix(R, "R", "drop", None)  # raises the error for this shape
    for i, row in enumerate(A.tolist()):
        for j, y in enumerate(row):
            outcome = None if masked is not None and masked[i, j] else y
            yield Trial(model, str(i) if ids is None else ids[i], j, outcome, None, task or None)
