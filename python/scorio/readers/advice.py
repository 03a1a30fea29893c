"""Ways on from a log that cannot be read as it is: options for the error's hint, which were tried before.

The rows of the log say which field may be the question, which the outcome; a proposal is kept only if the log is read
with it, and completed by what the check of the rows asks for (a benchmark for each metric, the ends of the scale).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import averages, check, mapped, markup, table, values
from .check import LONGEST_LEVEL
from .copies import is_archive, is_url
from .evaluation import EvaluationData
from .layout import Layout
from .options import ReadOptions
from .pattern import SCALARS, Pattern
from .summary import is_named
from .text_files import SourceLocation, UnknownFormat
from .tree import ENDINGS, walked
from .words import Cells

MOST_ROWS = 2000  # rows of a file that are looked at
MOST_FILES = 20  # files of a folder that are looked at
LARGE = 1 << 20  # bytes of a table that are enough to try options
MOST_STEPS = 4  # options that are added one after another
MOST_STEPS_OF_PATTERN = 6
DEEPEST = 3  # levels of objects within a row
ID_ENDINGS = ("id", "name", "key")  # of names of columns that may identify questions
LONGEST_ID = 500  # characters
# kinds of hints that say which columns to read, and are replaced by what was tried
OF_COLUMNS = ("columns", "wide", "files", "")
Row = dict[str, Any]
Read = Callable[[Any, ReadOptions], EvaluationData]


def read_or_advise(read: Read, source: Any, options: ReadOptions) -> EvaluationData:
    """The evaluation in a source; an error about its columns or its scale ends with options with which it is read."""
    try:
        return read(source, options)
    except InvalidInput as error:
        sources = list(source) if isinstance(source, (list, tuple)) else [source]
        if any(hasattr(x, "read") or x == "-" or is_url(x) for x in sources):  # a stream cannot be read again
            raise
        hint = _way_on(read, source, options, error, sources)
        if hint is None:
            raise
        raise InvalidInput(error.code, error.argument, error.reason, hint) from None


def _way_on(read: Read, source: Any, options: ReadOptions, error: InvalidInput, sources: list[Any]) -> str | None:
    """The hint with options that were tried; None where none was found."""
    kind = (error.hint or "").partition(":")[0]
    if kind == "scale":
        return _scale_hint(read, source, options)
    if options.rows or len(sources) != 1 or is_archive(sources[0]):
        return None
    is_unknown = kind in OF_COLUMNS and (kind or isinstance(error, UnknownFormat))
    if not is_unknown and (error.code != "duplicate" or error.argument != "path" or options.columns is None):
        return None
    for _, rows in _rows(Path(sources[0])):
        try:
            averages.refuse(list(dict.fromkeys(name for row in rows for name in row)), rows)
        except InvalidInput as refused:
            raise refused.of(str(sources[0])) from None
    source = _first_lines(source)
    for changes, rows in _proposals(Path(sources[0]), options):
        if changes and (tried := _tried(read, source, options, changes, rows)):
            return _hint(tried)
    if kind == "wide":
        columns = {"question": "COLUMN", "outcome": "COLUMN"}
        return _hint(_tried(read, source, options, {"wide": True}, ()) or {"columns": columns})
    return None


def _first_lines(source: Any) -> Any:
    """The first lines of a large table, in which options are tried; any other source as it is."""
    path = Path(source[0] if isinstance(source, (list, tuple)) else source)
    if path.suffix.lower() not in (".csv", ".tsv", ".jsonl", ".ndjson") or not path.is_file():
        return source
    with path.open("rb") as file:
        lines = file.readlines(LARGE)
        if not file.read(1):
            return source
    return _Lines(b"".join(lines), str(path))


class _Lines:
    """Lines of a file that can be read again and again."""

    def __init__(self, content: bytes, name: str) -> None:
        self.content, self.name = content, name  # the name is that of the file, which states its kind and its model

    def read(self) -> bytes:
        """All lines."""
        return self.content


def _tried(
    read: Read, source: Any, options: ReadOptions, changes: dict[str, Any], rows: Sequence[Row]
) -> dict[str, Any] | None:
    """The changes with which the options read the source, with what reading asks for; None if they do not read it."""
    for _ in range(MOST_STEPS):
        try:
            read(source, options._replace(**_checked(changes)))
            return changes
        except InvalidInput as error:
            hint = error.hint or ""
            if hint.startswith("scale"):
                try:
                    hint = _scale_hint(read, source, options._replace(**_checked(changes))) or ""
                except InvalidInput as refused:
                    hint = refused.hint or ""
            kind, _, text = hint.partition(":")
            if kind == "policy" or (kind == "odd" and error.code == "category"):
                return changes  # the log is read, but for a choice about missing outcomes, or about a column
            if kind == "factor":
                added: dict[str, Any] = {"columns": dict(x.split("=", 1) for x in text.partition("\n")[0].split(","))}
            elif kind == "scale":
                added = {"scale": [float(x) for x in text.split(",")]}
            elif kind == "missing_code":
                added = {"missing_code": int(text)}
            elif kind == "levels":
                added = {"w": "levels"}
            elif kind == "columns" and changes.get("wide") and "COLUMN" not in text:
                added = {"columns": dict(x.split("=", 1) for x in text.split(","))}
            elif error.code == "duplicate" and (trial := _unique_column(rows, changes.get("columns", {}))):
                added = {"columns": {**changes.get("columns", {}), "trial": trial}}
            else:
                return None
            if added.keys() <= changes.keys() and "columns" not in added:
                return None
            changes = changes | added
        except OSError:
            return None
    return None


def _unique_column(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """The column that identifies rows, such as the id of a run; "" where there is none."""
    for name in dict.fromkeys(name for row in rows for name in row):
        cells = [row.get(name) for row in rows]
        is_id = all(type(x) in (str, int) and len(str(x)) <= LONGEST_LEVEL for x in cells)
        if is_id and name not in columns.values() and len({*map(str, cells)}) == len(cells):
            return name
    return ""


def _checked(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes as fields of ReadOptions; where scores are no categories, C and w are None."""
    checks: dict[str, Callable[[Any], Any]] = {"scale": tuple, "rows": Pattern, "layout": Layout}
    fields = {name: checks.get(name, lambda y: y)(x) for name, x in changes.items() if name != "w"}
    return fields | ({"C": None, "w": None} if "w" in changes or "scale" in changes else {})


def _hint(changes: Mapping[str, Any]) -> str:
    """The hint with these options."""
    if changes.keys() == {"columns"}:
        pairs = changes["columns"].items()
        if not any(c in f"{x}{y}" for x, y in pairs for c in ",="):
            return "columns:" + ",".join(f"{x}={y}" for x, y in pairs)
    if changes.keys() == {"wide"}:
        return "wide"
    return "read:" + json.dumps(changes)


# --- the scale ------------------------------------------------------------------------------------------


def _scale_hint(read: Read, source: Any, options: ReadOptions) -> str | None:
    """The hint for scores outside of the scale: a code for missing outcomes, or a scale that contains all scores.

    Raises where rows are refused as conditions of a question, which comes first.
    """
    try:
        e = read(source, options._replace(C=None, w=None, scale=None, missing="drop", engine=False))
    except InvalidInput as error:
        if (error.hint or "").startswith("factor"):
            raise
        return None
    except OSError:
        return None
    scores = sorted({x for part in e.benchmarks.values() for x in part.scores})
    if options.missing_code is None and (code := lone_code(scores, options.scale)):
        return f"missing_code:{code}"
    lo, hi = scores[0], scores[-1]
    if options.scale is None:
        return values.scale_hint(lo, hi)
    return f"scale:{min(lo, options.scale[0]):.10g},{max(hi, options.scale[1]):.10g}"


def lone_code(scores: Sequence[float], scale: tuple[float, float] | None = None) -> str | None:
    """A lone score outside of the scale of all others, which probably means that there is no score: "-1", "99".

    scores : the distinct scores, sorted; scale: the ends, where they are stated.

    Examples
    --------
    >>> from scorio.readers import advice
    >>> advice.lone_code([-1.0, 0.0, 7.0, 10.0]), advice.lone_code([0.0, 0.5, 1.0, 7.0]), advice.lone_code([-1.0, 1.0])
    ('-1', '7', None)
    """
    if len(scores) < 3:
        return None
    low, top = scores[0], scores[-1]
    is_below = scale[0] > low if scale else top > 1  # -1 beside 0 and 1 may be the lowest of three scores
    if low == int(low) and low < 0 <= scores[1] and is_below:
        return str(int(low))
    is_above = scores[-2] <= (scale[1] if scale else 1) < top - 1
    return str(int(top)) if top == int(top) and low >= 0 and is_above else None


# --- columns of rows ------------------------------------------------------------------------------------


def _proposals(path: Path, options: ReadOptions) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    """Changes of the options that may read a file or a folder, the best first, each with rows that it is made from."""
    files, where = [path], dict[str, Any]()
    if path.is_dir():
        files = [file for file, is_candidate in walked(path) if is_candidate][:MOST_FILES]
        where = _layout(path, files)
    seen = list[dict[str, Any]]()
    for file in files:
        for pattern, rows in _rows(file):
            for changes in proposed(rows, options.columns or {}, "question" if where else ""):
                changes = {"rows": pattern} | changes if pattern else where | changes
                if changes not in seen:
                    seen.append(changes)
                    yield changes, rows


def _layout(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """The layout of a folder of documents, each of which is a row; empty where the files do not lie alike."""
    parts = [file.relative_to(folder).parts for file in files]
    if len(files) < 2 or len({(len(x), files[0].suffix) for x in parts}) > 1 or files[0].suffix.lower() != ".json":
        return {}
    named = [*(["{model}"] if len(parts[0]) > 1 else []), *["{_}"] * (len(parts[0]) - 2), "{question}.json"]
    if len({x[-1] for x in parts}) == 1:  # each in a folder of its own
        named = [
            *(["{model}"] if len(parts[0]) > 2 else []),
            *["{_}"] * (len(parts[0]) - 3),
            "{question}",
            parts[0][-1],
        ]
    return {"layout": "/".join(named)}


def _rows(file: Path) -> Iterator[tuple[str, list[Row]]]:
    """The first rows of a file, with the pattern that finds them in a document ("" in a table)."""
    location = SourceLocation(file)
    kind = ENDINGS.get(location.suffix)
    try:
        if kind in ("csv", "lines", "parquet"):
            yield "", [flat(x) for x in islice(mapped.rows(location, kind), MOST_ROWS)]
        elif kind in ("json", "xml", "yaml"):
            content = markup.tree(location, kind)
            if isinstance(content, list):
                yield "", [flat(x) for x in content[:MOST_ROWS] if isinstance(x, dict)]
            elif isinstance(content, dict):
                yield "", [flat(content)]
            for text in patterns(content):
                yield text, [flat(x) for x in islice(Pattern(text).rows(content, location), MOST_ROWS)]
    except (InvalidInput, OSError, ImportError):
        return


def flat(row: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Row:
    """The scalars of an object, with dotted names for those of objects within it."""
    out = Row()
    for name, x in row.items():
        if isinstance(x, dict) and depth < DEEPEST:
            out |= flat(x, f"{prefix}{name}.", depth + 1)
        elif not isinstance(x, (dict, list)):
            out[f"{prefix}{name}"] = x
    return out


def proposed(rows: Sequence[Row], stated: Mapping[str, str], by_path: str = "") -> Iterator[dict[str, Any]]:
    """Columns for these rows, the best first.

    stated : the columns that the caller chose.
    by_path : "question" where the path of the file states it.
    """
    names = list(dict.fromkeys(name for row in rows for name in row if not any(c in name for c in ",=+")))
    # a total is no outcome: without its row a column that has one is as good as the others
    rows = [row for row in rows if not any(isinstance(x, str) and is_named(x) for x in row.values())] or rows
    cells = {name: [row.get(name) for row in rows] for name in names}
    chosen = {name: x for name, x in stated.items() if x in cells}
    counts = {} if "outcome" in chosen else table.counts_in(names)
    outcomes = [chosen["outcome"]] if "outcome" in chosen else [""] if counts else outcome_columns(cells)
    for outcome in outcomes[:2]:
        free = [x for x in names if x not in (outcome, *chosen.values(), *counts.values())]
        model = chosen.get("model") or _model_column({x: cells[x] for x in free})
        free = [x for x in free if x != model]
        questions = [chosen["question"]] if "question" in chosen else question_columns({x: cells[x] for x in free})
        for question in [""] if by_path else questions[:2]:
            columns = {"question": question, "outcome": outcome, **counts, "model": model} | chosen
            columns = {name: x for name, x in columns.items() if x and x.lower() != name}
            yield {"columns": columns} if columns else {}


def outcome_columns(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may hold outcomes, the best first: by a usual name, else the only one of outcomes up to 1."""
    fitting = {name: kind for name, column in cells.items() if (kind := _outcomes(column))}
    usual = ("outcome", *table.USUAL["outcome"].split())
    named = sorted((usual.index(last), name) for name in fitting if (last := name.lower().rpartition(".")[2]) in usual)
    if named:
        return [name for _, name in named]
    others = [name for name in fitting if not _is_like_id(name) and check.is_candidate(name)]
    return others if len(others) == 1 and fitting[others[0]] != "numbers" else []


def _outcomes(column: Sequence[Any]) -> str:
    """The kind of outcomes in a column: "two" values, "bounded" by 0 and 1, other "numbers"; "" if it has others."""
    words, seen = Cells({}), set[float]()
    for x in column:
        try:
            number = values.score(words.value(x), None)
        except InvalidInput:
            return ""
        if number is not None:
            seen.add(number)
    if not seen:
        return ""
    return "two" if seen <= {0.0, 1.0} else "bounded" if all(0 <= x <= 1 for x in seen) else "numbers"


def _is_like_id(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last.lower() in table.USUAL["question"].split() or last.lower().endswith(ID_ENDINGS)


def _model_column(cells: Mapping[str, Sequence[Any]]) -> str:
    """The column that names the model; "" where there is none."""
    for name in ("model", *table.USUAL["model"].split()):
        for column in cells:
            texts = cells[column] if column.lower().rpartition(".")[2] == name else ()
            if texts and all(isinstance(x, str) and 0 < len(x.strip()) <= LONGEST_ID for x in texts):
                return column
    return ""


def question_columns(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may identify questions, the best first.

    A field of a usual name is better than others, one with several rows for a value is better than one that is unique
    for each row, as the id of a score is: unless its name is that of a question's id.
    """
    ranked, only = [], list[str]()
    usual = ("question", *table.USUAL["question"].split(), "task")
    for position, (name, column) in enumerate(cells.items()):
        last = name.lower().rpartition(".")[2]
        ids = [x for x in column if type(x) in (str, int) and str(x).strip() and len(str(x)) <= LONGEST_ID]
        is_trial = check.numbers_trials(last) and last not in usual
        n = len({str(x) for x in ids})
        if len(ids) < len(column) or not ids or is_trial or (n == 1 and len(ids) > 1):
            continue
        only.append(name)
        if last not in usual and not _is_like_id(name):
            continue
        is_bare = last in ("id", "idx", "index", "uuid", "guid")  # which may be the id of a row
        sizes = {ids.count(x) for x in list(dict.fromkeys(ids))[:50]}
        repeats = n < len(ids) and len(sizes) == 1  # each has as many rows
        order = usual.index(last) if last in usual else len(usual) + (not last.endswith("id"))
        ranked.append((is_bare, not repeats and last not in usual, order, position, name))
    return [name for *_, name in sorted(ranked)] or (only if len(only) == 1 else [])


# --- rows within documents ------------------------------------------------------------------------------


def patterns(content: Any) -> list[str]:
    """Patterns of rows that a document may have, see :mod:`.pattern`.

    Examples
    --------
    >>> from scorio.readers import advice
    >>> advice.patterns({"m": "a", "runs": [{"id": 1, "ok": 1}]}), advice.patterns({"p": True, "q": True, "r": False})
    (['runs[*]'], ['{question}', '{model}'])
    """
    texts = []
    for steps in dict.fromkeys(map(tuple, _steps(content, []))):
        fields = [i for i, step in enumerate(steps) if step == "{}"]
        names = {i: "{model}" if i == fields[0] and len(fields) > 1 else "{question}" for i in fields}
        for first in ("{question}", "{model}") if len(fields) == 1 else ("",):
            if first:
                names[fields[0]] = first
            texts.append(".".join(names.get(i, step) for i, step in enumerate(steps)).replace(".[", "["))
    return texts


def _steps(x: Any, steps: list[str]) -> Iterator[list[str]]:
    """The steps to rows below a value, those of the innermost rows first; {} is any key of an object."""
    if len(steps) > MOST_STEPS_OF_PATTERN or not isinstance(x, (dict, list)) or not x:
        return
    inner = list(x.values() if isinstance(x, dict) else x)[:MOST_ROWS]
    are_objects = all(isinstance(y, dict) and y for y in inner)
    if isinstance(x, list):
        if are_objects:
            yield from _steps(inner[0], [*steps, "[*]"])
            if steps:
                yield [*steps, "[*]"]
        elif all(type(y) in SCALARS for y in inner) and "[*]" in steps:
            yield [*steps, "[{trial}]"]
    elif len(inner) > 1 and are_objects and set(inner[0]).intersection(*inner[1:]):
        yield from _steps(inner[0], [*steps, "{}"])
        yield [*steps, "{}"]
    elif len(inner) > 1 and all(type(y) is bool or (len(inner) > 2 and _outcomes([y]) == "two") for y in inner):
        yield [*steps, "{}"]
    else:
        for key, y in x.items():
            yield from _steps(y, [*steps, key if re.fullmatch(r"[\w-]+", key) else f'"{key}"'])
