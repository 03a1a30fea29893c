"""Tables that are no logs of outcomes: battles of two models, and signals of attempts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import LARGEST_DOUBLE
from ..display.text import among, nearest
from ..errors import InvalidInput, shown
from . import values
from .files import ENDINGS
from .table import described
from .text_files import SourceLocation, delimiter, json_lines, path_of, separated
from .values import id_of, is_missing

NAMES = {  # the names that each column of battles may have in the file
    "model_a": ("model_a",), "model_b": ("model_b",), "winner": ("winner",), "count": ("count",), "weight": ("weight",),
    "question": ("question", "question_id"), "voter": ("voter", "judge"),
}  # fmt: skip
USUAL = {
    "model_a": ("left", "a", "model_1", "model1", "first"),
    "model_b": ("right", "b", "model_2", "model2", "second"),
    "winner": ("vote", "verdict", "choice", "preference", "result", "label"),
}  # common names of these columns in other tables
# the winner of a battle by the preference that alpaca_eval states, and by a word
PREFERRED: dict[Any, str] = {1: "model_a", 2: "model_b", 1.5: "tie", 0: "tie"}
WORDS = {
    "model_a": "model_a", "a": "model_a", "model_b": "model_b", "b": "model_b", "tie": "tie", "draw": "tie",
    "tie (bothbad)": "tie (bothbad)", "both_bad": "tie (bothbad)", "bothbad": "tie (bothbad)",
}  # fmt: skip


def read_battles(
    path: Any, *, columns: Mapping[str, str | None] | None = None, missing: str = "raise"
) -> dict[str, list[Any]]:
    r"""Read battles from a CSV, TSV, JSONL, JSON (a list of objects) or Parquet file.

    Parameters
    ----------
    path : str or os.PathLike
        A file with the columns model_a (shown first), model_b and winner, and optionally question (or question_id),
        voter (or judge), count and weight; others are ignored. A winner is "model_a" or "A", "model_b" or "B", "tie" or
        "draw", "tie (bothbad)", "bothbad" or "both_bad", or the name of one of the two models.
        Annotations of alpaca_eval (generator_1, generator_2, and a preference of 1, 2, 1.5 or 0) are battles too.
    columns : mapping of str to str or None, optional
        Names of the columns in the file: ``{"voter": "user"}``; None for a column to be ignored.
    missing : {"raise", "drop"}, default "raise"
        Whether a battle without a winner (null, an empty cell) is an error, or is left out.

    Returns
    -------
    dict
        The columns that were read, under the names above (without alternatives such as judge), as
        :func:`scorio.rank.bradley_terry` takes them.

    Raises
    ------
    InvalidInput
        missing: a column or an entry; choice: an unknown winner, or an unknown name in columns; duplicate: two
        columns of one name; format, ragged, type, empty.
    OSError
        The file cannot be opened.
    ImportError
        Parquet needs pyarrow.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "arena.csv")
    ...     _ = path.write_text("model_a,model_b,winner\nx,y,model_a\ny,x,draw\n")
    ...     io.read_battles(path)
    {'model_a': ['x', 'y'], 'model_b': ['y', 'x'], 'winner': ['model_a', 'tie']}
    """
    return battles_of(path, columns, missing)[0]


def battles_of(path: Any, columns: Mapping[str, str | None] | None, missing: str) -> tuple[dict[str, list[Any]], int]:
    """Battles as :func:`read_battles` returns them, and how many without a winner were left out."""
    arguments.choice(missing, "missing", ("raise", "drop"))
    location = SourceLocation(path_of(path))
    location.may_remark = False
    try:
        return _columns_of_battles(location, columns or {}, missing == "drop")
    except InvalidInput as e:
        raise e.of(str(location), "path") from None


def _columns_of_battles(
    location: SourceLocation, columns: Mapping[str, str | None], drop: bool
) -> tuple[dict[str, list[Any]], int]:
    """All rows of a table of battles, column by column, and how many without a winner were left out (drop)."""
    from . import mapped  # late: signals are read without the readers of logs

    for name in columns:
        if name not in NAMES:
            what = f"{shown(name)} in columns is none of {among(name, NAMES, len(NAMES))}"
            raise InvalidInput("choice", "columns", what)
    out: dict[str, list[Any]] = {}
    names_in_file, left_out = dict[str, str](), 0
    kind = ENDINGS.get(location.suffix, "")
    if kind not in ("csv", "lines", "json", "parquet"):
        what = f"battles are read from .csv, .tsv, .jsonl, .json and .parquet, not {location.suffix}"
        raise InvalidInput("format", "path", what)
    for row in map(_from_alpaca_eval, mapped.rows(location, kind, distinct=True)):
        names_in_file = names_in_file or _names_in_file(row, columns)
        entry = {name: row.get(column) for name, column in names_in_file.items()}
        if is_missing(entry["winner"]):
            if not drop:
                raise InvalidInput("missing", "winner", f"winner is missing ({shown(entry['winner'])})", "drop")
            left_out += 1
            continue
        for name, x in _checked(entry).items():
            out.setdefault(name, []).append(x)
    if not out:
        raise InvalidInput("empty", "path", "there is no battle" + (" with a winner" if left_out else ""))
    return out, left_out


def _from_alpaca_eval(row: dict[str, Any]) -> dict[str, Any]:
    """The battle in an annotation of alpaca_eval (preference 1, 2: the better output; 1.5, 0: a tie); else the row."""
    if not {"generator_1", "generator_2", "preference"} <= row.keys():
        return row
    preference = row["preference"]
    winner = PREFERRED.get(preference) if type(preference) in (int, float, Decimal) else None
    if winner is None and preference is not None and preference == preference:
        what = f"preference {shown(preference)} of alpaca_eval is neither a winner (1 or 2) nor a tie (1.5 or 0)"
        raise InvalidInput("choice", "winner", what, "preference")
    battle = {name: row[key] for name, key in (("question", "instruction"), ("voter", "annotator")) if key in row}
    if "question" in battle:
        from .formats.fields import digest  # late, as above

        battle["question"] = digest(battle["question"])
    return battle | {"model_a": row["generator_1"], "model_b": row["generator_2"], "winner": winner}


def _names_in_file(row: Mapping[str, Any], columns: Mapping[str, str | None]) -> dict[str, str]:
    """The name in the file of each column of battles; columns : the mapping that the caller of read_battles passed."""
    names_in_file = {}
    for name, default_names in NAMES.items():
        stated = columns.get(name, "")
        candidates = (stated,) if stated else () if stated is None else default_names
        column = next((x for x in candidates if x in row), None)
        if column is not None:
            names_in_file[name] = column
        elif name in ("model_a", "model_b", "winner") or stated:
            suggestion = nearest(stated, row) if stated else ""
            what = f"there is no column {stated or name}; {described(row)}{suggestion}"
            named = {x: columns.get(x) or x for x in USUAL}
            guess = {x: y if y in row else next((z for z in USUAL[x] if z in row), "COLUMN") for x, y in named.items()}
            hint = "columns:" + ",".join(f"{x}={y}" for x, y in guess.items() if x != y)
            raise InvalidInput("missing", "path", what, "outcomes" if "outcome" in row else hint)
    return names_in_file


def _checked(entry: Mapping[str, Any]) -> dict[str, Any]:
    """One checked battle, as :func:`scorio.rank.bradley_terry` takes it."""
    out: dict[str, Any] = {name: id_of(entry[name], name) for name in ("model_a", "model_b")}
    word = id_of(entry["winner"], "winner")
    by_name = {out["model_b"]: "model_b", out["model_a"]: "model_a"}
    out["winner"] = by_name.get(word) or WORDS.get(word.lower())
    if out["winner"] is None:
        raise InvalidInput("choice", "winner", f"winner {shown(word)} is neither a model of the battle nor a tie")
    out |= {name: id_of(entry[name], name) for name in ("question", "voter") if name in entry}
    if "count" in entry:
        out["count"] = _count_or_weight(entry["count"], "count", int)
    if "weight" in entry:
        out["weight"] = _count_or_weight(entry["weight"], "weight", float)
    return out


def _count_or_weight(x: Any, name: str, kind: type) -> Any:
    """A count or a weight of a battle as a number."""
    what = "a number" if kind is float else "an integer"
    try:
        if isinstance(x, bool):
            raise ValueError
        value = kind(x.strip()) if isinstance(x, str) else kind(x)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput("type", name, f"{name} {shown(x)} is not {what}") from None
    if not isinstance(x, str) and value != x:
        raise InvalidInput("type", name, f"{name} {shown(x)} is not {what}")
    return value


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
    location.may_remark = False
    try:
        return _signals_in(location)
    except InvalidInput as e:
        raise e.of(str(location)) from None


def _signals_in(location: SourceLocation) -> Signals:
    kind = ENDINGS.get(location.file.suffix.lower())
    if kind not in ("csv", "lines"):
        raise InvalidInput("format", "path", "the name of a file of signals must end in .csv, .tsv, .jsonl or .ndjson")
    rows = separated(location, delimiter(location)) if kind == "csv" else json_lines(location)
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
        trials[trial] = [_signal(row[position[name]], name) for name in names]
    location.leave_file()
    if not models:
        raise InvalidInput("empty", "path", "no row under the header")
    order = list(questions)
    there = {}  # whether each attempt of a model exists, as a matrix (M, N)
    for model, table in models.items():
        n = [len(table.get(question, {})) for question in order]
        there[model] = np.arange(max(n)) < np.array(n)[:, None]
    return Signals({model: _signals(table, order, names) for model, table in models.items()}, there)


def _signal(x: Any, name: str) -> float:
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
