"""The argument `models` of a plot, in any form, as an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import arguments
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from ..outcomes.models import Models, check_flat, is_matrix
from ..outcomes.tally import count
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.logs import Log


def evaluation_of(models: Any, w: Any = None, missing: str | int = "raise", paired: bool = True) -> EvaluationData:
    """Convert a mapping of names to outcomes or logs, or an array (L, M, N), to an evaluation; return one unchanged.

    paired: whether to refuse models (other than logs) whose questions differ: in number where they have no ids; in ids,
    unless missing is "drop".
    """
    if isinstance(models, EvaluationData):
        return models
    return EvaluationData({"": _benchmark("", models, w, missing, paired)})


def suite_of(benchmarks: Any, w: Any = None, missing: str | int = "raise") -> EvaluationData:
    """Convert {benchmark: models}, with models as in evaluation_of(), to an evaluation.

    An evaluation of several benchmarks is returned unchanged.
    """
    if isinstance(benchmarks, EvaluationData):
        if len(benchmarks.benchmarks) < 2:
            raise InvalidInput("empty", "benchmarks", "benchmarks is an evaluation of one benchmark: two are needed")
        return benchmarks
    if not isinstance(benchmarks, Mapping) or not benchmarks:
        what = "benchmarks must be an evaluation, or a mapping of a benchmark to its models"
        raise InvalidInput("type", "benchmarks", what)
    parts = dict[str, Benchmark]()
    for name, x in benchmarks.items():
        if str(name) in parts:
            raise InvalidInput("duplicate", "benchmarks", f"two names of benchmarks are {str(name)!r} as text")
        try:
            parts[str(name)] = _benchmark(str(name), x, w, missing, paired=False)
        except InvalidInput as error:
            if error.argument in ("w", "missing"):
                raise
            raise error.of(f"benchmarks[{name!r}]", "benchmarks") from None
    return EvaluationData(parts)


def _benchmark(name: str, models: Any, w: Any, missing: str | int, paired: bool) -> Benchmark:
    w = getattr(models, "w", None) if w is None else w
    scores = None if w is None else tuple(arguments.category_scores(w))
    split = _split(models)
    are_logs = [isinstance(x, Log) for x in split.items]
    if any(are_logs) and not all(are_logs):
        raise InvalidInput("type", "models", "models mixes logs with other forms of outcomes: give all in one form")

    C = len(arguments.category_scores(w)) - 1

    def log(x: Any) -> Log:
        if isinstance(x, Log):
            return x._replace(counts=count(x.counts, C, missing, name="models", has_scores=w is not None))
        check_flat(x, "models")
        counts = count(x, C, missing, name="models", has_scores=w is not None)
        return Log([str(i) for i in range(counts.M)] if counts.ids is None else list(counts.ids), counts)

    logs = split.each(["models"], log)
    if paired and not any(are_logs):
        split.paired([x.counts for x in logs], "models", missing)
    names = [f"model {i}" for i in range(len(logs))] if split.names is None else [str(x) for x in split.names]
    if repeated := [x for x in names if names.count(x) > 1]:
        raise InvalidInput("duplicate", "models", f"two names of models are {repeated[0]!r} as text")
    return Benchmark(name, dict(zip(names, logs, strict=True)), w=scores)


def _split(models: Any) -> Models:
    """Names and outcomes of the models in a mapping, or the outcomes in a list or an array; refuse other forms."""
    split = Models(None, [])
    if isinstance(models, Mapping):
        split = Models(list(models), list(models.values()))
    elif isinstance(models, (list, tuple)) or getattr(models, "ndim", 0) == 3:
        split = Models(None, list(models))
    if (
        isinstance(models, Counts)
        or getattr(models, "ndim", 3) == 2
        or not all(map(is_matrix, split.items if split.names is None else []))
    ):
        raise InvalidInput("shape", "models", "models must be a mapping or (L, M, N); for one model {name: outcomes}")
    if not split.items:
        raise InvalidInput("empty", "models", "models is neither a mapping nor a 3-D array (L, M, N), or has no models")
    return split
