"""Tables of battles between two models: of an arena with voters, or of a judge that compares two answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ..errors import InvalidInput
from .formats.fields import digest
from .text_files import Place, document, json_lines, path_of, separated, shown
from .values import id_of

NAMES = {
    "model_a": ("model_a",), "model_b": ("model_b",), "winner": ("winner",), "count": ("count",), "weight": ("weight",),
    "question": ("question", "question_id"), "voter": ("voter", "judge"),
}  # fmt: skip
PREFERRED = {1: "model_a", 2: "model_b", 1.5: "tie", 0: "tie"}
WORDS = {
    "model_a": "model_a", "a": "model_a", "model_b": "model_b", "b": "model_b", "tie": "tie", "draw": "tie",
    "tie (bothbad)": "tie (bothbad)", "both_bad": "tie (bothbad)", "bothbad": "tie (bothbad)",
}  # fmt: skip


def read_battles(path: Any, *, columns: Mapping[str, str | None] | None = None) -> dict[str, list[Any]]:
    r"""Read battles from a CSV, TSV, JSONL, JSON (a list of objects) or Parquet file.

    Parameters
    ----------
    path : str or os.PathLike
        A file with the columns model_a (shown first), model_b and winner, and perhaps question (or question_id), voter
        (or judge), count and weight; others are ignored. A winner is "model_a" or "A", "model_b" or "B", "tie" or
        "draw", "tie (bothbad)", "bothbad" or "both_bad", or the name of one of the two models.
        Annotations of alpaca_eval (generator_1, generator_2, preference) are read as they are.
    columns : mapping of str to str, optional
        What a column is called in the file: ``{"voter": "user"}``; None for one that is to be ignored.

    Returns
    -------
    dict
        The columns that are there, as :func:`scorio.rank.bradley_terry` takes them.

    Raises
    ------
    InvalidInput
        missing: a column or an entry; choice: an unknown winner; format, ragged, type, empty.
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
    place = Place(path_of(path))
    try:
        return _gathered(place, columns or {})
    except InvalidInput as e:
        raise e.of(str(place), "path") from None


def _gathered(place: Place, columns: Mapping[str, str | None]) -> dict[str, list[Any]]:
    """All rows, column by column."""
    for name in columns:
        if name not in NAMES:
            raise InvalidInput("choice", "columns", f"columns names {shown(name)}: the columns are {', '.join(NAMES)}")
    out: dict[str, list[Any]] = {}
    there: dict[str, str] = {}
    for row in map(_of_alpaca_eval, _rows(place)):
        there = there or _found(row, columns)
        entry = {name: row.get(own) for name, own in there.items()}
        for name, x in _read(entry).items():
            out.setdefault(name, []).append(x)
    if not out:
        raise InvalidInput("empty", "path", "there is no battle")
    return out


def _of_alpaca_eval(row: dict[str, Any]) -> dict[str, Any]:
    """An annotation of alpaca_eval as a battle: preference 1 or 2 is the better output, 1.5 (once 0) a tie."""
    if not {"generator_1", "generator_2", "preference"} <= row.keys():
        return row
    winner = PREFERRED.get(row["preference"])
    if winner is None:
        what = f"preference {shown(row['preference'])} of alpaca_eval is a probability, not the winner of a battle"
        raise InvalidInput("choice", "winner", what, "preference")
    told = {name: row[own] for name, own in (("question", "instruction"), ("voter", "annotator")) if own in row}
    if "question" in told:
        told["question"] = digest(told["question"])
    return told | {"model_a": row["generator_1"], "model_b": row["generator_2"], "winner": winner}


def _found(row: Mapping[str, Any], columns: Mapping[str, str | None]) -> dict[str, str]:
    """Which column of the file each one is."""
    found = {}
    for name, usual in NAMES.items():
        stated = columns.get(name, "")
        own = next((x for x in ((stated,) if stated else () if stated is None else usual) if x in row), None)
        if own is not None:
            found[name] = own
        elif name in ("model_a", "model_b", "winner") or stated:
            raise InvalidInput("missing", "path", f"there is no column {stated or name}")
    return found


def _read(entry: Mapping[str, Any]) -> dict[str, Any]:
    """One row as the ratings take it."""
    out: dict[str, Any] = {name: id_of(entry[name], name) for name in ("model_a", "model_b")}
    word = id_of(entry["winner"], "winner")
    by_name = {out["model_b"]: "model_b", out["model_a"]: "model_a"}
    out["winner"] = by_name.get(word) or WORDS.get(word.lower())
    if out["winner"] is None:
        raise InvalidInput("choice", "winner", f"winner {shown(word)} is neither a model of the battle nor a tie")
    out |= {name: id_of(entry[name], name) for name in ("question", "voter") if name in entry}
    if "count" in entry:
        out["count"] = _number(entry["count"], "count", int)
    if "weight" in entry:
        out["weight"] = _number(entry["weight"], "weight", float)
    return out


def _number(x: Any, name: str, kind: type) -> Any:
    """A count or a weight."""
    try:
        if isinstance(x, bool):
            raise ValueError
        value = kind(x.strip()) if isinstance(x, str) else kind(x)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            "type", name, f"{name} {shown(x)} is no {'number' if kind is float else 'integer'}"
        ) from None
    if not isinstance(x, str) and value != x:
        raise InvalidInput("type", name, f"{name} {shown(x)} is no integer")
    return value


def _rows(place: Place) -> Iterator[dict[str, Any]]:
    """The rows of a file by the names of its columns."""
    match place.suffix:
        case ".csv" | ".tsv" as ending:
            yield from _under_header(separated(place, "," if ending == ".csv" else "\t"))
        case ".jsonl" | ".ndjson":
            yield from _under_header(json_lines(place))
        case ".parquet":
            from . import parquet  # pyarrow is imported where it is needed

            yield from parquet.objects(place)
        case ".json":
            with place.opened() as f:
                found = document(f.read(), place)
            if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
                raise InvalidInput("format", "path", "the file is no list of JSON objects")
            for i, row in enumerate(found):
                place.line, place.spot = 0, f"[{i}]"
                yield row
        case ending:
            raise InvalidInput(
                "format", "path", f"battles are read from .csv, .tsv, .jsonl, .json and .parquet, not {ending}"
            )


def _under_header(rows: Iterable[list[Any]]) -> Iterator[dict[str, Any]]:
    header: list[str] | None = None
    for row in rows:
        if header is None:
            header = [str(x).strip() for x in row]
        else:
            yield {name: float(x) if isinstance(x, Decimal) else x for name, x in zip(header, row, strict=True)}
