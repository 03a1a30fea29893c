"""Tables with a column for each signal of an attempt, such as is_correct or token_ratio, for :mod:`scorio.rubric`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arguments import LARGEST_DOUBLE
from ..errors import InvalidInput, shown
from . import values
from .table import described
from .text_files import SourceLocation, delimiter, json_lines, path_of, separated

# names of the verifier's signals in the paper of scorio.rubric, and the standard names
ALIASES = {"compass_context_A": "A", "compass_context_B": "B", "compass_context_C": "C"}
IDS = ("model", "question", "trial")


class Signals(dict[str, dict[str, npt.NDArray[np.float64]]]):
    """Signals of the attempts of each model: arrays (M, N) by model and by name of the signal.

    Attributes
    ----------
    there : dict of str to ndarray of bool, shape (M, N)
        Whether each attempt of a model exists.
    """

    def __init__(self, by_model: dict[str, Any], there: dict[str, npt.NDArray[np.bool_]]) -> None:
        super().__init__(by_model)
        self.there = there


def read_signals(path: str | os.PathLike[str]) -> Signals:
    r"""Read the signals of attempts from a CSV, TSV or JSONL file.

    Parameters
    ----------
    path : str or os.PathLike
        A file with the column question, a column for each signal, and optionally model (without it: the name of the
        file) and trial (without it every row is one more trial). true and false are 1 and 0; empty, null, None, NA
        and NaN are missing. The verifier's columns A, B and C may also be called compass_context_A, _B and _C.

    Returns
    -------
    dict of str to dict of str to ndarray, shape (M, N)
        Signals of each model, a row for each question that any model has, in the order of the file; NaN where a value
        or a whole attempt is missing. ``there`` marks the attempts that exist.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, not_finite, duplicate, missing; the message starts with the file, and with the
        line if the error is in a row.
    OSError
        The file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io, rubric
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "attempts.csv")
    ...     _ = path.write_text("model,question,is_correct,C\na,q1,1,0.1\na,q1,0,0.9\nb,q1,1,\nb,q1,1,0\n")
    ...     io.read_signals(path)["b"]
    {'is_correct': array([[1., 1.]]), 'C': array([[nan,  0.]])}
    """
    location = SourceLocation(path_of(path))
    try:
        return _read(location)
    except InvalidInput as e:
        raise e.of(str(location)) from None


def _rows(location: SourceLocation) -> Iterator[list[Any]]:
    """The rows of the file, the header first."""
    suffix = location.file.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return separated(location, delimiter(location))
    if suffix in (".jsonl", ".ndjson"):
        return json_lines(location)
    raise InvalidInput("format", "path", "the name of a file of signals must end in .csv, .tsv, .jsonl or .ndjson")


def _read(location: SourceLocation) -> Signals:
    rows = _rows(location)
    header = [ALIASES.get(name, name) for name in (str(h).strip() for h in next(rows, []))]
    if len(set(header)) != len(header):
        raise InvalidInput("duplicate", "path", f"duplicate column: {described(header)}")
    position = {name: i for i, name in enumerate(header)}
    names = [name for name in header if name and name not in IDS]
    if "question" not in position or not names:
        raise InvalidInput("format", "path", f"{described(header)}; question and signals are needed")
    models: dict[str, dict[str, dict[str, list[float]]]] = {}  # values of signals by model, question and trial
    questions: dict[str, None] = {}
    for row in rows:
        model = values.id_of(row[position["model"]], "model") if "model" in position else location.file.stem
        question = values.id_of(row[position["question"]], "question")
        trials = models.setdefault(model, {}).setdefault(question, {})
        trial = values.id_of(row[position["trial"]], "trial") if "trial" in position else str(len(trials))
        if trial in trials:
            raise InvalidInput("duplicate", "path", f"duplicate trial {shown(trial)} of question {shown(question)}")
        questions.setdefault(question)
        trials[trial] = [_number(row[position[name]], name) for name in names]
    location.leave_file()
    if not models:
        raise InvalidInput("empty", "path", "no row under the header")
    order = list(questions)
    there = {model: _exists(table, order) for model, table in models.items()}
    return Signals({model: _signals(table, order, names) for model, table in models.items()}, there)


def _exists(table: dict[str, dict[str, list[float]]], questions: list[str]) -> npt.NDArray[np.bool_]:
    """Whether each attempt of a model exists, as a matrix (M, N); table : its values by question and trial."""
    n = [len(table.get(question, {})) for question in questions]
    return np.arange(max(n)) < np.array(n)[:, None]


def _number(x: Any, name: str) -> float:
    value = values.number(x, name)
    if value is not None and not abs(value) <= LARGEST_DOUBLE:
        raise InvalidInput("not_finite", "path", f"{name} = {shown(x)} is beyond the largest double")
    return float("nan") if value is None else float(value)


def _signals(
    table: dict[str, dict[str, list[float]]], questions: list[str], names: list[str]
) -> dict[str, npt.NDArray[np.float64]]:
    """A matrix (M, N) for each signal; a question's trials are sorted if all ids are numbers, else as in the file."""
    N = max(map(len, table.values()))
    matrices = np.full((len(names), len(questions), N), np.nan)
    for i, question in enumerate(questions):
        trials = table.get(question, {})
        order = sorted(trials, key=int) if all(x.isascii() and x.isdigit() for x in trials) else list(trials)
        for j, trial in enumerate(order):
            matrices[:, i, j] = trials[trial]
    return dict(zip(names, matrices, strict=True))
