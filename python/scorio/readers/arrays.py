"""Arrays (L models, M questions, N trials) or (M, N) in NPY and NPZ files; NaN is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import InvalidInput, shown
from ..outcomes.by_run import of_matrix
from ..outcomes.matrix import read_matrix
from ..outcomes.tally import tally
from .counting import MOST_RUNS
from .evaluation import Benchmark, EvaluationData, Provenance
from .logs import UNNAMED_METRIC, Log
from .options import ReadOptions
from .packed import disk_failed
from .records import Trial
from .text_files import SourceLocation


def evaluation(location: SourceLocation, options: ReadOptions) -> EvaluationData:
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


def records(location: SourceLocation) -> Iterator[Trial]:
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
