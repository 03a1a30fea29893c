"""Ways on from a log that cannot be read as it is: options for the error's hint, which were tried before.

The rows of the log say which field may be the question, which the outcome; a proposal is kept only if the log is read
with it, and completed by what the check of the rows asks for (a benchmark for each metric, the ends of the scale).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..errors import InvalidInput
from . import check, mapped, table, text_files, values
from .check import LONGEST_LEVEL
from .evaluation import EvaluationData
from .files import ENDINGS, is_archive, is_url, walked
from .options import ReadOptions
from .pattern import SCALARS, Layout, Pattern
from .text_files import SourceLocation
from .values import Cells

MOST_ROWS = 2000  # rows of a file that are looked at
MOST_FILES = 20  # files of a folder that are looked at
MOST_OUTER = 50  # fields of an object around rows
FEW = 10  # entries of an object that may be models
LARGE = 1 << 20  # bytes of a table that are enough to try options
MOST_STEPS = 4  # options that are added one after another
MOST_STEPS_OF_PATTERN = 6
DEEPEST = 3  # levels of objects within a row
ENDS = ("{}", "[{trial}]")  # of patterns whose only key in braces may be a question
ID_ENDINGS = ("id", "name", "key")  # of names of columns that may identify questions
LONGEST_ID = 500  # characters
# names of fields that are no outcomes: what was right, what the model said, what went wrong, and measurements
NO_OUTCOME = (
    "^(label|gold|target|truth|answers?|preds?|predictions?|outputs?|references?|expected|choice|responses?)$|max_|ground"
    "|wrong|incorrect|fail|error|halluc|refus|toxic|logprob|steps?$|length|tokens|latency|duration|confidence|weight"
)
OF_SCALE = "^max_?(score|points|marks)$|points_possible|full_marks|^out_of$"  # of each question
# names of objects that are no outcomes: how the log was made
OF_SETTINGS = re.compile("config|meta|setting|option|param|arg(s|uments)?$|flag|info|version|^env|feature|switch", re.I)
COUNTED_APART = ({"correct", "incorrect"}, {"correct", "wrong"}, {"passed", "failed"})
OF_BENCHMARKS = ("benchmark", "dataset", "task", "suite", "subset", "category", "subject", "domain", "split", "eval")
VERDICTS = ("status", "result", "verdict")  # which say whether a program ran, where all are alike
OF_COLUMNS = ("columns", "wide", "files", "rows", "")  # kinds of hints that are replaced by what was tried
Row = dict[str, Any]
Read = Callable[[Any, ReadOptions], EvaluationData]
OF_HINTS: dict[str, Callable[[str], dict[str, Any]]] = {  # the options that hints state
    "scale": lambda x: {"scale": [float(y) for y in x.split(",")]},
    "missing_code": lambda x: {"missing_code": int(x)},
    "levels": lambda x: {"w": "levels"},
    "folders": lambda x: {"layout": x},
}


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
    kind, _, text = (error.hint or "").partition(":")
    if kind == "scale":
        return _scale_hint(read, source, options)
    if kind == "levels" and (hint := _scale_hint(read, source, options)) and hint != "levels":
        return hint
    is_generic = kind in OF_COLUMNS[1:] or (
        kind == "columns" and bool({"question", "outcome"} & {*re.split("[=,]", text)})
    )
    is_unknown = is_generic and (kind or error.code in ("format", "ragged"))
    is_repeated = error.code == "duplicate" and error.argument == "path" and options.columns is not None
    if not (is_unknown or is_repeated) or options.rows or options.wide or not _is_one_path(sources):
        return None
    source = _first_lines(source)
    if source is None:
        return None
    for _, rows, _ in _rows(Path(sources[0])):
        try:
            check.refuse_averages(list(dict.fromkeys(name for row in rows for name in row)), rows)
        except InvalidInput as refused:
            raise refused.of(str(sources[0])) from None
    for changes, rows in _proposals(Path(sources[0]), options):
        if changes and (tried := _tried(read, source, options, changes, rows)):
            if tried.get("rows", "") != changes.get("rows", ""):  # its entries were told apart
                return _of_entries(tried, changes["rows"], rows)
            swapped = _swapped(read, source, options, tried, Path(sources[0]))
            other = swapped and _tried(read, source, options, swapped, rows)
            return f"either:{json.dumps([tried, other])}" if other else _hint(tried)
    if ENDINGS.get(SourceLocation(Path(sources[0])).suffix) == "json" and (hint := _shape_hint(Path(sources[0]))):
        return hint
    columns = {"columns": {"question": "COLUMN", "outcome": "COLUMN"}}
    if kind == "wide" and not _is_long(Path(sources[0])):
        return _hint(_tried(read, source, options, {"wide": True}, ()) or columns)
    is_untried = kind == "wide" or (kind == "columns" and error.code == "format" and "COLUMN" not in text)
    return _hint(columns) if is_untried else None


def _shape_hint(file: Path) -> str | None:
    """The hint for a document that no pattern reads: of averages, or of lists beside each other."""
    try:
        content = text_files.tree(SourceLocation(file), "json")
    except (InvalidInput, OSError):
        return None
    if not isinstance(content, dict):
        return None
    averages = {name: x for name, x in flat(content).items() if name.lower().rpartition(".")[2] in check.AVERAGES}
    if averages and all(type(x) is float and 0 < x < 1 for x in averages.values()) and not _has_lists(content):
        return f"averages:{next(iter(averages))}"
    lists = {key: x for key, x in content.items() if isinstance(x, list) and x and type(x[0]) in SCALARS}
    are_alike = len({*map(len, lists.values())}) == 1 and any(map(_are_trials, lists.values()))
    return "reshape" if len(lists) > 1 and (are_alike or all(map(values.is_word, lists))) else None


def _has_lists(x: Any) -> bool:
    """Whether a value is a list, or an object that holds one at any depth."""
    return isinstance(x, list) or (isinstance(x, dict) and any(map(_has_lists, x.values())))


def _is_long(file: Path) -> bool:
    """Whether a table names the model of each row, or has columns that no model can be, so that it is not wide."""
    names = {name.lower() for _, rows, _ in _rows(file) for row in rows[:1] for name in row}
    models = {"model", *table.USUAL["model"].split()}  # beside questions only columns of trials are read as wide
    names_models = bool(names & models) and "question" not in names
    return names_models or any(re.search(f"{NO_OUTCOME}|{OF_SCALE}", name) for name in names)


def _is_one_path(sources: Sequence[Any]) -> bool:
    """Whether there is one source, which is a file or a folder."""
    try:
        return len(sources) == 1 and not is_archive(sources[0]) and Path(sources[0]).exists()
    except (ValueError, TypeError, OSError):  # no file can have this path
        return False


def _first_lines(source: Any) -> Any:
    """The first lines of a large table, in which options are tried; None if they are very long; else the source."""
    path = Path(source[0] if isinstance(source, (list, tuple)) else source)
    if path.suffix.lower() not in (".csv", ".tsv", ".jsonl", ".ndjson") or not path.is_file():
        return source
    with path.open("rb") as file:
        start = file.read(LARGE)
        if not file.read(1):
            return source
    end = start.rfind(b"\n") + 1
    # they are read again and again; the name is that of the file, which states its kind and its model
    return SimpleNamespace(read=lambda: start[:end], name=str(path)) if end else None


def _tried(
    read: Read, source: Any, options: ReadOptions, changes: dict[str, Any], rows: Sequence[Row]
) -> dict[str, Any] | None:
    """The changes with which the options read the source, with what reading asks for; None if they do not read it."""
    for _ in range(MOST_STEPS):
        try:
            e = read(source, options._replace(**_checked(changes)))
            scores = sorted({x for part in e.benchmarks.values() for x in part.scores})
            if "w" in changes and "missing_code" not in changes and (code := lone_code(scores)):
                changes = changes | {"missing_code": int(code)}
                continue
            return changes
        except InvalidInput as error:
            hint = error.hint or ""
            if hint.startswith(("scale", "levels")):
                try:
                    hint = _scale_hint(read, source, options._replace(**_checked(changes))) or ""
                except InvalidInput as refused:
                    hint = refused.hint or ""
            added: dict[str, Any]
            kind, _, text = hint.partition(":")
            if kind in ("policy", "of_run") or (kind == "odd" and error.code == "category"):
                return changes  # the log is read, but for a choice about missing or repeated outcomes, or a column
            first = text.partition("\n")[0]
            if kind.startswith("factor") or (kind == "columns" and changes.get("wide") and "COLUMN" not in text):
                added = {"columns": dict(x.split("=", 1) for x in first.split(","))}
            elif kind == "either_folders":
                added = {"layout": first}
            elif kind == "entries":
                changes, added = changes | {"rows": ""}, {"rows": first}
            elif kind in OF_HINTS:
                added = OF_HINTS[kind](first)
            elif error.code == "duplicate" and (trial := _unique_column(rows, changes.get("columns", {}))):
                added = {"columns": {**changes.get("columns", {}), "trial": trial}}
            else:
                return None
            if all(changes.get(name) for name in added) and "columns" not in added:
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
        return f"missing_code:{code}\n{scores[0]:.10g},{scores[-1]:.10g}"
    lo, hi = scores[0], scores[-1]
    if options.scale is None:
        return "levels" if lo >= 0 and hi <= 1 else values.scale_hint(lo, hi)
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
    if low == int(low) and low < 0 <= scores[1] and (scale is None or scale[0] > low):
        return str(int(low))
    is_above = scores[-2] <= (scale[1] if scale else 1) < top - 1
    return str(int(top)) if top == int(top) and low >= 0 and is_above else None


# --- columns of rows ------------------------------------------------------------------------------------


def _proposals(path: Path, options: ReadOptions) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    """Changes of the options that may read a file or a folder, the best first, each with rows that it is made from."""
    files, where = [path], dict[str, Any]()
    if path.is_dir():
        files = [file for file, is_candidate in walked(path) if is_candidate]
        where = _layout(path, files)
        files = files[:MOST_FILES]
    seen = list[dict[str, Any]]()
    for file in files:
        for pattern, rows, outer in _rows(file):
            for changes in proposed(rows, options.columns or {}, "question" if where and not pattern else "", outer):
                if pattern.endswith("{question}") and len(rows) < FEW and _are_averages(rows, changes):
                    continue
                changes = {"rows": pattern} | changes if pattern else where | changes
                if not changes:  # rows with different keys, which are read with a mapping
                    changes = {"columns": {"outcome": "outcome"}}
                if changes not in seen:
                    seen.append(changes)
                    yield changes, rows


def _are_averages(rows: Sequence[Row], changes: Mapping[str, Any]) -> bool:
    """Whether the few entries of an object are averages of models, rather than scores of questions."""
    outcome = changes.get("columns", {}).get("outcome", "outcome")
    kinds = [_outcomes([row.get(name) for row in rows]) for name in rows[0]]
    return kinds.count("bounded") > 1 and _outcomes([row.get(outcome) for row in rows]) == "bounded"


def _layout(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """The layout of a folder of documents, each of which is a row; empty where the files do not lie alike."""
    parts = [file.relative_to(folder).parts for file in files]
    if len(files) < 2 or len({(len(x), Path(x[-1]).suffix) for x in parts}) > 1 or files[0].suffix.lower() != ".json":
        return {}
    in_own_folder = len({x[-1] for x in parts}) == 1
    depth = len(parts[0]) - in_own_folder
    named = [*["{model}"] * (depth > 1), *["{_}"] * (depth - 2)]
    named += ["{question}", parts[0][-1]] if in_own_folder else ["{question}.json"]
    return {"layout": "/".join(named)}


def _swapped(
    read: Read, source: Any, options: ReadOptions, tried: dict[str, Any], folder: Path
) -> dict[str, Any] | None:
    """The changes with the model in the place of the question or the task, if it may be so; else None."""
    layout, rows, columns = (tried.get(name, empty) for name, empty in (("layout", ""), ("rows", ""), ("columns", {})))
    if "{model}" in layout and ("{task}" in layout or "{question}" in layout):
        name = "task" if "{task}" in layout else "question"
        paths = [file.relative_to(folder).as_posix() for file, is_candidate in walked(folder) if is_candidate]
        fields = [x for path in paths if (x := Layout(layout).fields_of(path))]
        is_told = name == "question" and _are_told(*({x[field] for x in fields} for field in ("model", name)))
        return None if is_told else _renamed(tried, {"model": name, name: "model"})
    question, model, task = (columns.get(name, "") for name in ("question", "model", "task"))
    has_model = model or "{model}" in rows
    if (not question and rows.count("{question}") != 1) or not (has_model or task or re.search("{task}|{trial}", rows)):
        return None
    try:
        e = read(source, options._replace(**_checked(tried))._replace(missing="drop"))
    except (InvalidInput, OSError):
        return None
    if not has_model and e.models != (folder.name.partition(".")[0],):  # the log states it
        return None
    ids = {x for part in e.benchmarks.values() for log in part.logs.values() for x in log.ids}
    are_lists = not has_model and re.search(r"{question}(\]?)\[{trial}\]$", rows)
    if are_lists:
        of_models = tried | {"rows": rows.replace("{question}", "{model}").replace("{trial}", "{question}")}
        return None if _are_numbered(ids) and not are_lists[1] else of_models
    if question == "id" and _is_label(model) and rows.count("[*]") < 2 and all(map(str.isdigit, ids)):
        of_trials = {name: x for name, x in columns.items() if name != "model"}  # whose ids these may be
        return tried | {"columns": of_trials | {"question": model}}
    others = e.models if has_model else tuple(e.benchmarks)
    of_model = model.lower().rpartition(".")[2] in ("model", *table.USUAL["model"].split())
    is_reversed = _are_numbered(others) and not _are_numbered(ids)
    is_reversed = is_reversed or (not of_model and len(others) > FEW * len(ids) > FEW)
    of_task = task.lower().rpartition(".")[2] in (*OF_BENCHMARKS, *table.CONDITIONS.split())
    beside = task in table.USUAL["question"].split() or _is_label(task) or (_is_label(model) and rows.count("[*]") < 2)
    may_be_model = not question or _is_label(question) or (question == "id" and beside)
    if of_model or of_task or not may_be_model:
        is_told = not is_reversed or of_task or not (may_be_model or question == "id")
    else:
        is_told = _are_told(others, ids) if has_model else _are_numbered(ids) or (not task and "{task}" not in rows)
    if is_told:
        return None
    exchanged = {"model": "question", "question": "model"}
    return _renamed(tried, exchanged if has_model else {"question": "model", "task": "question"})


def _of_entries(tried: dict[str, Any], pattern: str, rows: Sequence[Row]) -> str:
    """The hint for entries of lists around the rows that no column tells apart; pattern : that without their field.

    A row with only a name may be of a model, where the entries are questions.
    """
    start = next(i for i, (x, y) in enumerate(zip(tried["rows"], pattern, strict=False)) if x != y)
    readings = [
        tried | {"rows": pattern[:start] + tried["rows"][start:].replace("{task}", x, 1)} for x in ("{task}", "{run}")
    ]
    columns = tried.get("columns", {})
    name = columns.get("question", "")
    if _is_label(name) and "model" not in columns and not _are_numbered(str(row.get(name)) for row in rows):
        readings[0]["rows"] = readings[0]["rows"].replace("{task}", "{model}")
        exchanged = {"model": "question", "question": "model"}
        return f"either:{json.dumps([readings[0], _renamed(readings[0], exchanged)])}"
    return f"either_runs:{json.dumps(readings)}"


def _renamed(changes: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The changes with other names of fields, in patterns and among the columns."""
    out = dict(changes)
    for key in out.keys() & {"layout", "rows"}:
        out[key] = re.sub(r"{(\w+)}", lambda m: f"{{{names.get(m[1], m[1])}}}", out[key])
    if "columns" in out:
        out["columns"] = {names.get(name, name): x for name, x in out["columns"].items()}
    return out


def _is_label(column: str) -> bool:
    """Whether a column names what its row is of, be it a question or a model."""
    last = column.lower().rpartition(".")[2]
    return last.endswith(("name", "label", "title")) and last not in table.USUAL["question"].split()


def _are_told(models: Collection[str], questions: Collection[str]) -> bool:
    """Whether these are models and questions, rather than the reverse, by their names and numbers.

    There is one model, or questions are numbered alike (q1, q2) where models are not, or they are many times more.
    """
    is_told = len(models) == 1 or (_are_numbered(questions) and not _are_numbered(models))
    return is_told or len(questions) > FEW * len(models)


def _are_numbered(names: Iterable[str]) -> bool:
    """Whether several names differ only in a number at their end, behind nothing or behind a word for a question."""
    stems = {re.sub("[-_ ]?[0-9]+$", "", x).lower() for x in names}
    return len(stems) == 1 and bool(stems & {"", *"cdpqt", *table.USUAL["question"].split()})  # not m1, v2


def _rows(file: Path) -> Iterator[tuple[str, list[Row], frozenset[str]]]:
    """The first rows of a file, the pattern that finds them in a document ("" in a table), and names around them."""
    location = SourceLocation(file)
    kind = ENDINGS.get(location.suffix)
    nothing = frozenset[str]()
    try:
        if kind in ("csv", "lines", "parquet"):
            rows = list(islice(mapped.rows(location, kind), MOST_ROWS))
            if not _have_trials(rows):
                yield "", [flat(x) for x in rows], nothing
            for text in patterns(rows) if kind == "lines" else ():
                within = text.removeprefix("[*]").removeprefix(".")
                yield within, *_within([y for x in rows for y in Pattern(within).rows(x, location)])
        elif kind in ("json", "xml", "yaml"):
            content = text_files.tree(location, kind)
            if isinstance(content, list) and not _have_trials(content[:MOST_ROWS]):
                yield "", [flat(x) for x in content[:MOST_ROWS] if isinstance(x, dict)], nothing
            texts = patterns(content)
            if isinstance(content, dict) and not texts:  # else what it says itself is about its rows
                yield "", [flat(content)], nothing
            for text in texts:
                rows = list(islice(Pattern(text).rows(content, location), MOST_ROWS))
                if len(rows) < MOST_ROWS and _leaves_out(content, rows):
                    continue
                by_rows = _by_rows(text, rows)
                yield by_rows, *_within(rows if by_rows == text else Pattern(by_rows).rows(content, location))
    except (InvalidInput, OSError, ImportError):
        return


def _leaves_out(content: Any, rows: Sequence[Any]) -> bool:
    """Whether a document has further objects with the keys of these rows, as in a list beside theirs."""
    if not rows or not all(isinstance(row.own, dict) for row in rows):
        return False
    keys = set[str].intersection(*(set(row.own) for row in rows))
    around = {id(x) for row in rows for x in row.enclosing}
    n, waiting = 0, [content]
    while keys and waiting:
        x = waiting.pop()
        n += isinstance(x, dict) and keys <= x.keys() and id(x) not in around
        waiting += [y for y in (x.values() if isinstance(x, dict) else x) if isinstance(y, (dict, list))]
    return n > len(rows)


def _by_rows(pattern: str, rows: Sequence[Any]) -> str:
    """The pattern with a key that names the question or the task, where the rows at a key name several models.

    Where an object around the rows states their question, the key names their model.
    """
    if rows and any("question" in x for x in rows[0].enclosing if isinstance(x, dict) and len(x) <= MOST_OUTER):
        return pattern if "{model}" in pattern else pattern.replace("{question}", "{model}")
    own = [flat(row.own) if isinstance(row.own, dict) else Row() for row in rows]
    model = _model_column({name: [x.get(name) for x in own] for name in own[0]}) if own else ""
    keys = [(row.bound.get("model"), row.bound.get("task")) for row in rows]
    if not model or len({*zip(keys, (x[model] for x in own), strict=True)}) <= len({*keys}):
        return pattern
    has_ids = "{question}" in pattern or any(_is_like_id(name) for name in own[0] if name != model)
    return re.sub("{(model|task)}", "{task}" if has_ids else "{question}", pattern)


def _within(rows: Iterable[Any]) -> tuple[list[Row], frozenset[str]]:
    """Rows that a pattern finds, with the fields of the objects around them, and the names of those fields."""
    samples, outer_names, own_names = list[Row](), set[str](), set[str]()
    for row in rows:
        outer = Row()
        for x in row.enclosing:
            if isinstance(x, dict) and len(x) <= MOST_OUTER and not _is_map(x):
                outer |= flat({name: y for name, y in x.items() if y is not row.own})
        own = flat(row.own) if isinstance(row.own, dict) else {"outcome": row.own}
        outer_names |= outer.keys()
        own_names |= own.keys() | {"question"}
        samples.append(outer | own | {name: x for name, x in row.bound.items() if name == "question"})
    return samples, frozenset(outer_names - own_names)


def flat(row: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Row:
    """The scalars of an object, with dotted names for those of objects within it."""
    out = Row()
    for name, x in row.items():
        if isinstance(x, dict) and depth < DEEPEST:
            out |= flat(x, f"{prefix}{name}.", depth + 1)
        elif not isinstance(x, (dict, list)):
            out[f"{prefix}{name}"] = x
    return out


def proposed(
    rows: Sequence[Row], stated: Mapping[str, str], by_path: str = "", outer: frozenset[str] = frozenset()
) -> Iterator[dict[str, Any]]:
    """Columns for these rows, the best first; none where several columns may be meant.

    stated : the columns that the caller chose.
    by_path : "question" where the path of the file states it.
    outer : the columns of the objects around the rows.
    """
    names = list(dict.fromkeys(name for row in rows for name in row if not any(c in name for c in ",=+")))
    # a total is no outcome: without its row a column that has one is as good as the others
    rows = [row for row in rows if not any(isinstance(x, str) and check.is_named(x) for x in row.values())] or rows
    cells = {name: [row.get(name) for row in rows] for name in names}
    chosen = {name: x for name, x in stated.items() if x in cells}
    counts = {} if "outcome" in chosen else table.counts_in(names)
    summaries = set.intersection(*(_summaries(row, outer) for row in rows)) if len(rows) > 1 else set()
    own = {name: column for name, column in cells.items() if name not in outer and name not in summaries}
    outcomes = [chosen["outcome"]] if "outcome" in chosen else [""] if counts else outcome_columns(own)
    for outcome in outcomes[:2]:
        alike = [x for x in names if x not in outer and x.rpartition(".")[2] == outcome.rpartition(".")[2]]
        if "." in outcome and len(alike) > 1 and "outcome" not in chosen:
            continue  # the others are of other models
        free = {x: cells[x] for x in names if x not in (outcome, *chosen.values(), *counts.values())}
        model = chosen.get("model") or _model_column(free)
        inner = {x: column for x, column in free.items() if x != model and x not in outer}
        around = {x: column for x, column in free.items() if x != model and x in outer}
        questions = [chosen["question"]] if "question" in chosen else question_columns(inner)
        if "question" not in chosen and questions and _are_texts_of_trials(inner[questions[0]], questions[0], around):
            questions = []
        if questions or by_path:
            model = model or _name_around(around)
        else:
            questions = question_columns(around)
        is_labelled = not model and questions and questions[0] in inner and _is_label(questions[0])
        if is_labelled and (other := _crossed(inner, questions[0])):
            model, questions = questions[0], [other]
        for question in [""] if by_path else questions[:2]:
            is_score = bool(outcome) and _outcomes(cells[outcome]) in ("bounded", "numbers")
            if question.lower() in OF_BENCHMARKS and is_score and question not in chosen.values():
                continue  # averages of benchmarks
            columns = {"question": question, "outcome": outcome, **counts, "model": model} | chosen
            trial = next(iter(table.run_fields(x for x in inner if x not in columns.values())), "")
            is_known = not trial or table.is_run(trial) or "trial" in columns
            keys = [] if is_known or counts else [cells[x] for x in (model, question, trial) if x]
            if keys and len({*zip(*(map(str, x) for x in keys), strict=True)}) == len(keys[0]):  # no two rows agree
                columns["trial"] = trial
            columns = {name: x for name, x in columns.items() if x and not table.is_own(x, name)}
            yield {"columns": columns} if columns else {}


def _crossed(cells: Mapping[str, Sequence[Any]], name: str) -> str:
    """The column of ids of which each value of another column has each once; "" where there is none."""
    column = list(map(str, cells[name]))
    for x in question_columns({other: y for other, y in cells.items() if other != name and _is_like_id(other)}):
        ids = list(map(str, cells[x]))
        if 1 < len({*ids}) < len(ids) == len({*column}) * len({*ids}) == len({*zip(column, ids, strict=True)}):
            return x
    return ""


def _are_texts_of_trials(column: Sequence[Any], name: str, around: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a field without the name of an id has other values for each id of the objects around the rows."""
    ids = question_columns({x: cells for x, cells in around.items() if _is_like_id(x)})
    if not ids or _is_like_id(name):
        return False
    texts = dict[str, set[str]]()
    for x, text in zip(around[ids[0]], column, strict=True):
        texts.setdefault(str(x), set()).add(str(text))
    return len(texts) > 1 and any(x != next(iter(texts.values())) for x in texts.values())


def _summaries(row: Mapping[str, Any], outer: Iterable[str] = ()) -> set[str]:
    """The entries of an object of numbers that are the sum or the mean of the others, as an accuracy is."""
    own = {name: x for name, x in row.items() if name not in {"question", *outer}}
    if len(own) < 3 or not all(type(x) in (bool, int, float) and abs(x) < 2.0**53 for x in own.values()):
        return set()
    total = sum(own.values())
    return {name for name, x in own.items() if check.summary(float(x), x, total - x, len(own) - 1, ()).kinds}


def _name_around(cells: Mapping[str, Sequence[Any]]) -> str:
    """The name of the objects around rows, which may be that of the model; "" where there are not several."""
    for name, column in cells.items():
        if name.lower() in ("name", "id", "label", "title") and len({*map(str, column)}) > 1:
            return name
    return ""


def outcome_columns(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may hold outcomes, the best first: by a usual name, else the only one of outcomes up to 1."""
    plain = {name.lower() for name in cells}
    if any(re.search(OF_SCALE, name) for name in plain) or any(pair <= plain for pair in COUNTED_APART):
        return []  # each question has a scale, or a number of trials, of its own
    lasts = {name: name.lower().rpartition(".")[2] for name in cells}
    fitting = {
        name: kind for name, column in cells.items()
        if not re.search(NO_OUTCOME, lasts[name])
        and not any(map(OF_SETTINGS.search, name.split(".")[:-1]))
        and (kind := _outcomes(column))
    }  # fmt: skip
    usual = ("outcome", *table.USUAL["outcome"].split())
    named = sorted(
        (usual.index(lasts[name]), name) for name, kind in fitting.items()
        if lasts[name] in usual and (lasts[name] not in VERDICTS or kind != "one")
    )  # fmt: skip
    if named and [lasts[name] for _, name in named].count(lasts[named[0][1]]) > 1:
        return []  # a column for each model or judge
    if named:
        return [name for _, name in named]
    others = [x for x in fitting if not _is_like_id(x) and check.is_candidate(x) and not check.numbers_trials(x)]
    return others if len(others) == 1 and fitting[others[0]] in ("two", "bounded") else []


def _outcomes(column: Sequence[Any]) -> str:
    """The kind of outcomes: "one" or "two" of 0 and 1, "bounded" by these, other "numbers"; "" if some are none."""
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
    if seen <= {0.0, 1.0}:
        return ("one", "two")[len(seen) - 1]
    return "bounded" if all(0 <= x <= 1 for x in seen) else "numbers"


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
        if len(ids) < len(column) or not ids or is_trial:
            continue
        if not _outcomes(ids) and (n > 1 or len(ids) == 1) and not re.search(NO_OUTCOME, last):
            only.append(name)
        if last not in usual and not _is_like_id(name):
            continue
        is_bare = last in ("id", "idx", "index", "uuid", "guid")  # which may be the id of a row
        sizes = {ids.count(x) for x in list(dict.fromkeys(ids))[:50]}
        repeats = n < len(ids) and len(sizes) == 1  # each has as many rows
        order = usual.index(last) if last in usual else len(usual) + (not last.endswith("id"))
        ranked.append((n == 1 and len(ids) > 1, is_bare, not repeats and last not in usual, order, position, name, n))
    # a prompt or an input with a few values, of which each has all ids, is a condition
    most = max((n for *_, n in ranked if n < len(next(iter(cells.values())))), default=0)
    names = [name for is_one, *_, name, n in sorted(ranked) if 2 * n >= most and not is_one]
    return names or [name for *_, name, _ in sorted(ranked)] or (only if len(only) == 1 else [])


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
        fields = [i for i, step in enumerate(steps) if step.startswith("{")]
        is_outer = {i: i == fields[0] and len(fields) > 1 and "{model}" not in steps for i in fields}
        named = {i: "{model}" if is_outer[i] else "{question}" for i in fields}
        choices = [named]
        if len(fields) == 1:  # a key around rows is not their question
            choices = [{fields[0]: x} for x in ("{question}", "{model}")[steps[-1] not in ENDS :]]
        for names in choices:
            names |= {i: steps[i] for i in fields if steps[i] != "{}"}
            texts.append(".".join(names.get(i, step) for i, step in enumerate(steps)).replace(".[", "["))
    return list(dict.fromkeys(texts))


def _steps(x: Any, steps: list[str], has_model: bool = False) -> Iterator[list[str]]:
    """The steps to rows below a value, those of the innermost rows first; {} is any key of an object.

    has_model : whether an object around it states the model.
    """
    if len(steps) > MOST_STEPS_OF_PATTERN or not isinstance(x, (dict, list)) or not x:
        return
    if isinstance(x, dict):  # no settings of the log
        x = {key: y for key, y in x.items() if not (isinstance(y, (dict, list)) and OF_SETTINGS.search(str(key)))}
        stated = {key.lower() for key, y in x.items() if type(y) is str}
        has_model = has_model or not stated.isdisjoint({"model", *table.USUAL["model"].split()})
    inner = list(x.values() if isinstance(x, dict) else x)[:MOST_ROWS]
    are_objects = all(isinstance(y, dict) and y for y in inner)
    if isinstance(x, list):
        if all(map(_are_trials, x)) and (not steps or _is_container(steps[-1])):
            yield [*steps, "[{question}]", "[{trial}]"]
        elif are_objects:
            if steps and not _have_trials(inner):
                yield [*steps, "[*]"]
            yield from _steps(inner[0], [*steps, "[*]"], has_model)
        elif "[*]" in steps and all(type(y) in SCALARS for y in inner) and _are_outcomes(steps[-1], inner):
            yield [*steps, "[{trial}]"]
    elif len(inner) > 1 and are_objects and all(len(y) > 1 and all(map(_is_outcome, y.values())) for y in inner):
        shares_keys = bool(inner[0].keys() & inner[1].keys())
        named = [key for key in x if _is_container(key)]
        if named and all(key in named or _are_settings(key, y) for key, y in x.items()) and len(named) < len(x):
            for key in named:
                yield from _steps(x[key], [*steps, key], has_model)
        elif not shares_keys or has_model:
            yield [*steps, "{task}", "{}"]
        elif "{}" not in steps:  # there are more questions than models; of three levels none is told
            yield [*steps, *(("{}", "{model}") if len(x) > len(inner[0]) else ("{model}", "{}"))]
    elif len(inner) > 1 and all(map(_are_trials, inner)) and not any(re.search(NO_OUTCOME, y.lower()) for y in x):
        if len(x) > FEW or all(re.search("[0-9]", y) for y in x):
            yield [*steps, "{}", "[{trial}]"]
    elif _is_map(x):
        yield from _steps(inner[0], [*steps, "{}"], has_model)
        yield [*steps, "{}"]
    elif (
        steps[-1:] != ["[*]"]
        and len(inner) > 1
        and all(map(_is_outcome, inner))
        and len(inner) > 2 - ({*map(type, inner)} == {bool})
        and not {key.lower() for key in _summaries(x)} & {*check.AVERAGES}
        and (not steps or "[*]" in steps or not _are_settings(steps[-1], x))
    ):
        yield [*steps, "{}"]
    elif _are_alike(inner):
        are_models = not has_model and len({re.sub("[0-9.]+$", "", key) for key in x}) > 1
        yield [*steps, "{model}" if are_models else "{task}", "[*]"]
    else:  # records first, before objects of plain values
        for key, y in sorted(x.items(), key=lambda entry: not isinstance(entry[1], list)):
            yield from _steps(y, [*steps, key if re.fullmatch(r"[\w-]+", key) else f'"{key}"'], has_model)


def _are_alike(x: Sequence[Any]) -> bool:
    """Whether values are lists of records with the same keys, perhaps beside plain values."""
    lists = [y for y in x if isinstance(y, (list, dict))]
    if len(lists) < 2 or not all(isinstance(y, list) and y and all(isinstance(z, dict) for z in y) for y in lists):
        return False
    return len(lists) == len(x) or len({frozenset(y[0]) for y in lists}) == 1


def _are_settings(name: str, keys: Collection[str]) -> bool:
    """Whether an object may be of settings: it has a few words, and its name is none of an object of outcomes."""
    return len(keys) <= FEW and not _is_container(name) and not any(re.search("[{0-9]", x) for x in (name, *keys))


def _is_container(key: str) -> bool:
    """Whether an object of this name may hold outcomes by question: results, details, questions, scores, data."""
    last = key.lower().rpartition("_")[2]
    return last in (
        "data",
        *(f"{x}s" for x in ("outcome", "detail", "question", *" ".join(table.USUAL.values()).split())),
    )


def _have_trials(records: Sequence[Any]) -> bool:
    """Whether records have a list of their trials, of which their own outcome is a summary.

    A trial has the outcome under the name that it has in the record, or is only an outcome; parts of a question, such
    as tests and criteria, have names, alike in all records.
    """
    if not records or not all(isinstance(x, dict) for x in records):
        return False
    usual = ("outcome", *table.USUAL["outcome"].split())
    outcomes = [x for x, y in records[0].items() if x.lower() in usual and (y is None or _outcomes([y]))]
    for key in records[0] if outcomes else ():
        lists = [record.get(key) for record in records]
        if re.search(f"{NO_OUTCOME}|test", key.lower()) or not all(type(x) is list and x for x in lists):
            continue
        entries = [x for several in lists for x in several]
        if all(type(x) in SCALARS for x in entries) and _are_outcomes(key, entries):
            return True
        if not all(isinstance(x, dict) and any(name in x for name in outcomes) for x in entries):
            continue
        texts = [x for x, y in entries[0].items() if isinstance(y, str) and not re.search(NO_OUTCOME, x.lower())]
        texts = [x for x in texts if x not in outcomes]
        of_each = {name: {tuple(str(x.get(name)) for x in several) for several in lists} for name in texts}
        named = [x for x in texts if len(of_each[x]) == 1 < len(lists) or _is_like_id(x)]
        if not [x for x in named if not check.numbers_trials(x)]:
            return True
    return False


def _is_map(x: Mapping[str, Any]) -> bool:
    """Whether an object maps ids to objects with common keys, rather than naming its own fields."""
    inner = list(x.values())[:MOST_ROWS]
    are_objects = len(inner) > 1 and all(isinstance(y, dict) and y for y in inner)
    return are_objects and bool(set(inner[0]).intersection(*inner[1:]))


def _are_trials(x: Any) -> bool:
    """Whether a value is a list of outcomes."""
    return isinstance(x, list) and bool(x) and all(map(_is_outcome, x))


def _is_outcome(x: Any) -> bool:
    return type(x) in SCALARS and _outcomes([x]) in ("one", "two")


def _are_outcomes(name: str, entries: Sequence[Any]) -> bool:
    """Whether the entries of a list may be outcomes of trials, by the name of the list and what they are."""
    plain = name.lower()
    is_no_outcome = re.search(NO_OUTCOME, plain) or re.search("test", plain)
    is_usual = plain.removesuffix("s") in ("outcome", *table.USUAL["outcome"].split()) or all(
        type(x) is bool for x in entries
    )
    return bool(is_usual and not is_no_outcome and all(map(_is_outcome, entries)))
