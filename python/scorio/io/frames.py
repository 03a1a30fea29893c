"""Frames of any engine, counted where they live: pandas, polars, Arrow, DuckDB, PySpark, Dask, through narwhals.

The engine groups the rows by model, question, cluster and outcome; only the table of these groups comes to Python, so a
log may be larger than memory. Engines promise no order of rows: models, questions and trials are sorted, as numbers
where all of them are whole numbers, else as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from . import assembly, backends, values
from .accumulator import Gather, Tallied, Trial
from .asking import Asked, asked
from .logs import Logs
from .text_files import Place, shown

Record = Trial | Tallied
Codes = npt.NDArray[np.int64]
MODEL = "model"  # what the only one is called that has no name


def from_frame(
    frame: Any,
    *,
    missing: str | int = "raise",
    missing_code: int | None = None,
    weights: Sequence[float] | str | None = None,
    trials: bool = False,
    task: str | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
) -> Logs:
    """Read the outcomes of one or more models from a data frame, eager or lazy, of any size.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars, Arrow (a table), DuckDB (a relation), PySpark, Dask, a ``Dataset`` of the library datasets,
        or of another engine that narwhals knows,
        with the columns of :mod:`scorio.io`: question and outcome, or question, c and n, and perhaps model (without
        it there is one, called "model"), task, trial and cluster. Other columns are ignored. Ids are columns of
        integers or text; outcomes are of booleans, numbers, or text that says one; null and NaN are missing.
    missing, missing_code, weights
        As for :func:`scorio.io.read`.
    trials : bool, default False
        Keep the trials too. All rows are collected for it, at some 300 bytes a row; where an engine promises no order
        of rows (DuckDB, PySpark, Dask) a column trial must give it.
    task, scale
        As for :func:`scorio.io.read`.
    columns : mapping of str to str, optional
        What a column is called in the frame: ``{"question": "doc_id"}``; None for one that is to be ignored.

    Returns
    -------
    Logs
        A dict of model to :class:`Log`; models and questions are sorted, as numbers where all are whole numbers.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, duplicate, conflict,
        choice; the message names the question, for rows of a frame have no number.
    ImportError
        narwhals or pyarrow is not installed: ``pip install narwhals pyarrow``.

    Examples
    --------
    >>> import polars as pl
    >>> from scorio import io
    >>> frame = pl.DataFrame({"doc_id": [1, 1, 2, 2], "acc": [True, False, True, True]})
    >>> io.from_frame(frame, columns={"question": "doc_id", "outcome": "acc"})["model"]
    Log(Counts(2 questions, 2 trials, categories 0..1, ids '1', '2'))
    """
    options = asked(weights, missing, missing_code, trials, task=task, scale=scale)
    place = Place(Path("frame"))
    try:
        return logs(backends.known(frame), place, options, columns)
    except InvalidInput as e:
        argument = "frame" if e.argument == "path" else e.argument
        raise e.of(str(place), argument) from None
    except UnicodeEncodeError as e:  # of pandas, for no other engine could hold it
        raise InvalidInput("format", "frame", f"{place}: {shown(e.object)} is not Unicode text: {e.reason}") from None


def logs(
    frame: Any, place: Place, options: Asked, columns: Any = None, model: str = MODEL, said: str = "frame"
) -> Logs:
    """The logs of a frame of narwhals; model is the name of the only one if there is no such column."""
    chosen = backends.prepared(frame, backends.chosen(frame, columns))
    names = chosen.collect_schema().names()
    gather = Gather(place, options)
    if "outcome" in names and not options.trials:
        groups = backends.counted(chosen)
        _take(gather, place, _records(groups, model))
        if "trial" in names and (twice := backends.twice(chosen, groups)):
            raise _duplicate(twice.get("model", model), twice["question"], twice["trial"])
    else:
        if options.trials and not {"trial", "c"} & set(names) and not backends.ordered(frame):
            what = f"{frame.implementation.value} keeps no order of rows: a column trial must give that of the trials"
            raise InvalidInput("conflict", "trials", what)
        _take(gather, place, _records(backends.fetched(chosen), model))
    return assembly.logs(gather, said)


def _take(gather: Gather, place: Place, records: Iterable[Record]) -> None:
    """Gather the records; an error names the question that it was found in."""
    last: Record | None = None

    def watched() -> Iterator[Record]:
        nonlocal last
        for record in records:
            last = record
            yield record

    try:
        gather.take(watched())
    except InvalidInput:
        if last is not None:
            place.spot = f"question {shown(last.question)} of {shown(last.model)}"
        raise


def _records(rows: Any, model: str) -> Iterator[Record]:
    """The rows of an Arrow table as records, in the order of their ids."""
    names = rows.column_names
    ids = {name: _ids(rows.column(name), name) for name in backends.IDS if name in names}
    keys = [ids[name][1] for name in backends.IDS[:4] if name in ids]
    order = np.lexsort(keys[::-1])
    models, tasks, questions, trials, clusters = (_labels(ids, name, order) for name in backends.IDS)
    models = models or [model] * len(order)
    if "rows" in names:
        counts, outcomes = (_cells(rows, name, order) for name in ("rows", "outcome"))
        if "named" in names:
            _all_named(models, questions, counts, _cells(rows, "named", order))
        return (
            Trial(model, question, None, outcome, cluster, task, times=count)
            for model, question, outcome, cluster, task, count in zip(
                models, questions, outcomes, clusters, tasks, counts, strict=True
            )
        )
    if "c" in names:
        _distinct([x[order] for x in keys], models, questions, [None] * len(order))
        return map(Tallied, models, questions, _cells(rows, "c", order), _cells(rows, "n", order), clusters, tasks)
    if "trial" in names:
        _distinct([x[order] for x in keys], models, questions, trials)
    return map(Trial, models, questions, trials, _cells(rows, "outcome", order), clusters, tasks)


def _ids(column: Any, name: str) -> tuple[list[str], Codes]:
    """The distinct ids of a column in their order, and which of them each row has."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        column = column.cast(pa.large_string())  # so that one chunk can hold them
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    later = name in ("trial", "cluster", "task")  # one that is missing is refused where its question can be named
    said = ["" if x is None and later else values.id_of(x, name) for x in encoded.dictionary.to_pylist()]
    distinct = sorted(set(said))
    if all(map(values.is_number, distinct)):
        distinct.sort(key=int)
    at = {x: i for i, x in enumerate(distinct)}
    return distinct, np.array([at[x] for x in said], np.int64)[encoded.indices.to_numpy()]


def _labels(ids: dict[str, tuple[list[str], Codes]], name: str, order: Codes) -> list[Any]:
    """The id of each row, the same object for the same id; of a column that is not there, None."""
    if name not in ids:
        return [] if name == "model" else [None] * len(order)
    distinct, codes = ids[name]
    return [distinct[i] for i in codes[order].tolist()]


def _cells(rows: Any, name: str, order: Codes) -> list[Any]:
    return rows.column(name).take(order).to_pylist()


def _all_named(models: list[str], questions: list[str], rows: list[int], named: list[int]) -> None:
    """Every row names its trial."""
    if rows != named:
        i = next(i for i, (a, b) in enumerate(zip(rows, named, strict=True)) if a != b)
        what = f"question {shown(questions[i])} of {shown(models[i])}: trial is missing"
        raise InvalidInput("missing", "trial", what)


def _distinct(keys: list[Codes], models: list[str], questions: list[str], trials: list[Any]) -> None:
    """No two rows of the same keys, which are sorted."""
    same = np.logical_and.reduce([x[1:] == x[:-1] for x in keys])
    for i in np.flatnonzero(same).tolist():
        if trials[i] != "":  # that is missing, which is refused later
            raise _duplicate(models[i], questions[i], trials[i])


def _duplicate(model: str, question: str, trial: str | None) -> InvalidInput:
    what = "" if trial is None else f"trial {shown(trial)} of "
    return InvalidInput("duplicate", "path", f"{what}question {shown(question)} of {shown(model)} stands twice")
