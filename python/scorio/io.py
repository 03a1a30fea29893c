"""Files of outcomes in, :class:`scorio.Counts` of each model out. No guesses: a doubt is an error with its line.

Tables (CSV, TSV, JSONL) have the columns ``question`` and ``outcome``, or ``question``, ``c`` and ``n`` (successes and
trials); perhaps ``model`` (without it: the name of the file) and ``trial`` (without it every row is one more trial, and
a row that stands twice by mistake cannot be noticed). Ids are text or integers, compared as text without the spaces
around it. true and false are outcomes 1 and 0; empty, null, None, NA and NaN are missing. All questions of a
model have as many trials as each other, unless c and n state them or a policy says what to do with the short ones.

Arrays (NPY, NPZ) are (L models, M questions, N trials) or (M, N); NaN is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import checks
from .counts import Counts
from .errors import InvalidInput
from .rows import Place, json_lines, listed, separated, shown
from .tally import tally

COLUMNS = ("model", "question", "trial", "outcome", "c", "n")
NEEDED = "scorio reads question and outcome, or question, c and n, and optionally model and trial"
WORDS = {"": None, "null": None, "none": None, "na": None, "nan": None, "false": "0", "true": "1"}
MISSING = -1  # a question's list of counts ends with its missing outcomes
LARGEST_COUNT = 2**53 - 1


class Log(NamedTuple):
    """What a file holds of one model: the ids of its questions, in the order of the file, and their counts."""

    questions: list[str]
    counts: Counts


def read(
    path: str | os.PathLike[str],
    *,
    missing: str | int = "raise",
    missing_code: int | None = None,
    weights: Sequence[float] | None = None,
) -> dict[str, Log]:
    r"""Read the outcomes of one or more models from a CSV, TSV, JSONL, NPY or NPZ file.

    Parameters
    ----------
    path : path
        The file; its ending says the format.
    missing : {"raise", "drop"} or int, default "raise"
        What to do with missing outcomes, and with questions of fewer trials than others of their model: refuse them;
        leave missing outcomes out of the trials; or count what is missing as this category, short questions filled
        up to the longest. c and n are taken as they stand.
    missing_code : int, optional
        An outcome, such as -1, that the file uses for "missing", also if it is a category.
    weights : sequence of C+1 floats, optional
        Score of each category. Given, outcomes are 0..C; otherwise they are 0 and 1.

    Returns
    -------
    dict of str to Log
        Models in the order of the file.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, shape, duplicate,
        conflict, choice; the message starts with the file and the line.
    OSError
        The file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.csv")
    ...     _ = path.write_text("question,c,n\nq1,3,4\nq2,0,4\n")
    ...     io.read(path)["runs"]
    Log(questions=['q1', 'q2'], counts=Counts(2 questions, 4 trials, categories 0..1))
    """
    C = len(checks.weights(weights)) - 1
    if C < 1:
        raise InvalidInput("length", "weights", "weights need two entries or more: categories 0 and 1 at least")
    checks.policy(missing, C)
    missing_code = checks.code(missing_code)
    place = Place(_path(path))
    suffix = place.file.suffix.lower()
    try:
        if suffix in (".npy", ".npz"):
            return _arrays(place.file, C, missing, missing_code)
        if suffix in (".csv", ".tsv"):
            return _table(separated(place, "," if suffix == ".csv" else "\t"), place, C, missing, missing_code)
        if suffix in (".jsonl", ".ndjson"):
            return _table(json_lines(place), place, C, missing, missing_code)
        raise InvalidInput("format", "path", "the name of the file must end in .csv, .tsv, .jsonl, .npy or .npz")
    except InvalidInput as e:
        raise InvalidInput(e.code, e.argument, f"{place}: {e}") from None


def _path(path: Any) -> Path:
    """A path that the system can be asked for."""
    try:
        file = Path(path)
        if b"\0" in os.fsencode(file):
            raise InvalidInput("format", "path", f"path {shown(str(path))} has a NUL in it")
    except TypeError:
        raise InvalidInput("type", "path", f"path {shown(path)} is neither text nor a path") from None
    except UnicodeEncodeError as e:
        raise InvalidInput("format", "path", f"path {shown(str(path))} is no name of a file: {e.reason}") from None
    return file


def _table(
    rows: Iterator[list[Any]], place: Place, C: int, missing: str | int, missing_code: int | None
) -> dict[str, Log]:
    column = _columns([h.strip() for h in next(rows, [])], C)
    of_model, of_trial = column.get("model"), column.get("trial")
    tables: dict[str, dict[str, list[int]]] = {}
    lines: dict[tuple[str, str, str], int] = {}  # of the rows that must not stand twice
    categories: dict[Any, int] = {}  # of the outcomes met so far: few, however many rows
    for row in rows:
        model = place.file.stem if of_model is None else _id(row[of_model], "model")
        question = _id(row[column["question"]], "question")
        trial = "" if of_trial is None else _id(row[of_trial], "trial")
        if trial or "c" in column:
            first = lines.setdefault((model, question, trial), place.line)
            if first != place.line:
                what = (f"trial {shown(trial)} of " if trial else "") + f"question {shown(question)} of {shown(model)}"
                raise InvalidInput("duplicate", "path", f"{what} stands already in line {first}")
        table = tables.setdefault(model, {})
        counts = table.get(question)
        if counts is None:
            counts = table[question] = [0] * (C + 2)
        if "c" in column:
            counts[:2] = _failures_and_successes(row[column["c"]], row[column["n"]])
            continue
        x = row[column["outcome"]]
        try:
            category = categories[x]
        except (KeyError, TypeError):  # not met yet; or a list, which is an error
            category = categories[x] = _category(x, C, missing, missing_code)
        counts[category] += 1
    if not tables:
        raise InvalidInput("empty", "path", "no row under the header")
    place.line = 0
    return {model: _log(model, table, missing, "c" in column) for model, table in tables.items()}


def _columns(header: list[str], C: int) -> dict[str, int]:
    """Where each column stands."""
    if not header:
        raise InvalidInput("empty", "path", "the file is empty")
    names = set(header)
    if len(names) != len(header):
        raise InvalidInput("duplicate", "path", f"a column stands twice: {listed(header)}")
    if "question" not in names or not ("outcome" in names or {"c", "n"} <= names):
        raise InvalidInput("format", "path", f"the columns are {listed(header)}; {NEEDED}")
    if unknown := [h for h in header if h not in COLUMNS]:
        raise InvalidInput("format", "path", f"unknown column {listed(unknown)}, rename it or leave it out; {NEEDED}")
    if names & {"c", "n"} and names & {"outcome", "trial"}:
        raise InvalidInput("conflict", "path", "c and n count trials: they cannot stand beside outcome or trial")
    if "c" in names and C > 1:
        raise InvalidInput("conflict", "weights", f"c and n count two categories, the weights are for {C + 1}")
    return {name: i for i, name in enumerate(header)}


def _log(model: str, table: dict[str, list[int]], missing: str | int, stated: bool) -> Log:
    """The counts of a model; unequal trials need a policy unless c and n state them."""
    rows, questions = np.array(list(table.values())), list(table)
    if not stated and missing != "drop":
        n = rows.sum(axis=1)
        short = int(n.argmin())
        if n[short] < n.max() and missing == "raise":
            what = f"question {shown(questions[short])} of {shown(model)} has fewer trials ({n[short]}) than another"
            raise InvalidInput("ragged", "outcome", f"{what} ({n.max()}); state a policy (missing): drop or a category")
        if missing != "raise":
            rows[:, int(missing)] += n.max() - n
    return Log(questions, Counts(rows[:, :MISSING], rows[:, MISSING]))


def _id(x: Any, name: str) -> str:
    """A model, question or trial as text."""
    if type(x) is int:
        return str(x)
    if x is not None and type(x) is not str:
        raise InvalidInput("type", name, f"{name} {shown(x)} is neither text nor an integer")
    if not (x := (x or "").strip()):
        raise InvalidInput("missing", name, f"{name} is missing")
    return x


def _category(x: Any, C: int, missing: str | int, missing_code: int | None) -> int:
    """The category 0..C of an outcome, or MISSING."""
    category = _integer(x, "outcome", C, "category", missing_code)
    if category is not None:
        return category
    if missing == "raise":
        raise InvalidInput("missing", "outcome", "outcome is missing; state a policy (missing): drop or a category")
    return MISSING if missing == "drop" else int(missing)


def _failures_and_successes(c: Any, n: Any) -> tuple[int, int]:
    successes, trials = (_integer(x, name, LARGEST_COUNT, "range") for x, name in ((c, "c"), (n, "n")))
    if successes is None or trials is None:
        raise InvalidInput("missing", "c" if successes is None else "n", "c or n is missing")
    if successes > trials:
        raise InvalidInput("range", "c", f"c = {successes} successes in n = {trials} trials")
    return trials - successes, successes


def _integer(x: Any, name: str, top: int, beyond: str, missing_code: int | None = None) -> int | None:
    """A cell as an integer 0..top, exactly what it says or an error; None if it is missing."""
    text = WORDS.get(x.strip().lower(), x) if isinstance(x, str) else x
    if text is None or text != text:
        return None
    try:
        if not isinstance(text, (str, int, float, Decimal)) or not str(text).isascii() or "_" in str(text):
            raise InvalidOperation  # Decimal would read 1_000 and the digits of any script
        value = Decimal(text)
        if value.is_nan():
            raise InvalidOperation
    except InvalidOperation:
        raise InvalidInput("type", name, f"{name} {shown(x)} is not a number") from None
    if not value.is_finite():
        raise InvalidInput("not_finite", name, f"{name} {shown(x)} is not finite")
    if value == missing_code:
        return None
    if value != value.to_integral_value():
        raise InvalidInput("fractional", name, f"{name} {shown(x)} is not a whole number")
    if not 0 <= value <= top:
        hint = "; other categories need weights" if (beyond, top) == ("category", 1) else ""
        raise InvalidInput(beyond, name, f"{name} {shown(x)} is not in 0..{top}{hint}")
    return int(value)


def _arrays(file: Path, C: int, missing: str | int, missing_code: int | None) -> dict[str, Log]:
    logs: dict[str, Log] = {}
    for model, R in _matrices(file):
        if model in logs:
            raise InvalidInput("duplicate", "path", f"two arrays for model {shown(model)}")
        try:
            counts = tally(R, C, missing=missing, missing_code=missing_code)
        except InvalidInput as e:
            raise InvalidInput(e.code, "outcome", f"model {shown(model)}: {e}") from None
        logs[model] = Log([str(i) for i in range(counts.M)], counts)
    if not logs:
        raise InvalidInput("empty", "path", "no model in it")
    return logs


def _matrices(file: Path) -> Iterator[tuple[str, Any]]:
    """Each model's name and matrix."""
    with file.open("rb") as f:
        try:
            found = np.load(f, allow_pickle=False)
            named = dict(found) if isinstance(found, np.lib.npyio.NpzFile) else None
        except Exception as e:  # numpy, zip and zlib have many ways to say that a file is broken
            raise InvalidInput("format", "path", f"not a numpy file of numbers: {e}") from None
    for name, A in ({"model": found} if named is None else named).items():
        if not isinstance(A, np.ndarray):  # a zip file may hold anything
            raise InvalidInput("format", "path", f"{shown(name)} in it is not an array")
        if A.ndim == 3:
            yield from ((f"{name}-{l}", R) for l, R in enumerate(A, 1))
        elif A.ndim == 2:
            yield (file.stem if named is None else name), A
        else:
            raise InvalidInput("shape", "path", f"{A.ndim}-D, not (models, questions, trials) or (questions, trials)")
