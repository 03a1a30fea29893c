"""Arrays (L models, M questions, N trials) or (M, N) in NPY and NPZ files; NaN is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..outcomes.matrix import as_matrix
from ..outcomes.tally import tally
from .accumulator import Trial
from .asking import Asked
from .evaluation import Benchmark, EvaluationData, Provenance
from .logs import ANY, Log
from .packed import failed
from .text_files import Place, shown


def evaluation(place: Place, options: Asked) -> EvaluationData:
    """The models of the arrays of a file."""
    if options.C is None:
        raise InvalidInput("conflict", "weights", "scores are read as records")
    logs: dict[str, Log] = {}
    for model, R in _matrices(place):
        if model in logs:
            raise InvalidInput("duplicate", "path", f"two arrays for model {shown(model)}")
        try:
            logs[model] = log_of(R, options)
        except InvalidInput as e:
            raise e.of(f"model {shown(model)}", "outcome") from None
    if not logs:
        raise InvalidInput("empty", "path", "no model in it")
    part = Benchmark("", logs, ANY, None if options.weights is None else tuple(options.weights))
    return EvaluationData({"": part}, Provenance(format="array"))


def log_of(R: Any, options: Asked) -> Log:
    """The log of a matrix of outcomes (M, N), whose questions are numbered."""
    given = {"missing_code": options.missing_code}
    counts = tally(R, options.C, missing=options.missing, **given)
    lacking = counts.absent if isinstance(options.missing, str) else tally(R, options.C, missing="drop", **given).absent
    outcomes = as_matrix(R, "R", options.missing, options.missing_code)[0].astype(np.int32) if options.trials else None
    return Log([str(i) for i in range(counts.M)], counts, outcomes, None, lacking)


def records(place: Place) -> Iterator[Trial]:
    """The same, an entry a record: for arrays among the files of a folder."""
    for model, R in _matrices(place):
        name = place.model() if model == place.stem else model
        for i, row in enumerate(R.tolist()):
            for j, x in enumerate(row):
                place.spot = f"{model}[{i}, {j}]"
                yield Trial(name, i, j, x)


def _matrices(place: Place) -> Iterator[tuple[str, Any]]:
    """Each model's name and matrix."""
    with place.opened() as f:
        try:
            found = np.load(f, allow_pickle=False)
            named = dict(found) if isinstance(found, np.lib.npyio.NpzFile) else None
        except Exception as e:  # numpy, zip and zlib have many ways to say that a file is broken
            if failed(e):
                raise
            raise InvalidInput("format", "path", f"not a numpy file of numbers: {e}") from None
    for name, A in ({"model": found} if named is None else named).items():
        if not isinstance(A, np.ndarray):  # a zip file may hold anything
            raise InvalidInput("format", "path", f"{shown(name)} in it is not an array")
        if A.ndim == 3:
            yield from ((f"{name}-{l}", R) for l, R in enumerate(A, 1))
        elif A.ndim == 2:
            yield (place.stem if named is None else name), A
        else:
            raise InvalidInput("shape", "path", f"{A.ndim}-D, not (models, questions, trials) or (questions, trials)")
