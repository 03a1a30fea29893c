"""Ways on from a log that cannot be read as it is: options for the error's hint, which were tried before.

The rows of the log say which field may be the question, which the outcome; a proposal is kept only if the log is read
with it, and completed by what the check of the rows asks for (a benchmark for each metric, the ends of the scale).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..errors import InvalidInput
from . import likely_columns, likely_rows, sums, table, text_files, values, wide
from .check import LONGEST_LEVEL
from .evaluation import EvaluationData
from .files import ENDINGS, is_archive, is_url, walked
from .folders import in_two_parts
from .likely_columns import NO_OUTCOME, OF_SCALE, Row
from .likely_rows import FEW
from .options import ReadOptions
from .pattern import SCALARS, Layout, Pattern
from .text_files import SourceLocation

MOST_FILES = 20  # files of a folder that are looked at
LARGE = 1 << 20  # bytes of a table that are enough to try options
MOST_STEPS = 4  # options that are added one after another
OF_COLUMNS = ("columns", "wide", "files", "rows", "")  # kinds of hints that are replaced by what was tried
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
    for _, rows, _ in likely_rows.rows(Path(sources[0])):
        try:
            sums.refuse_averages(list(dict.fromkeys(name for row in rows for name in row)), rows)
        except InvalidInput as refused:
            raise refused.of(str(sources[0])) from None
    for changes, rows in _proposals(Path(sources[0]), options):
        if changes and (tried := _tried(read, source, options, changes, rows)):
            if tried.get("rows", "") != changes.get("rows", ""):  # its entries were told apart
                return _of_entries(tried, changes["rows"], rows)
            readings = _readings(read, source, options, tried, rows, Path(sources[0]))
            return f"either:{json.dumps(readings)}" if len(readings) > 1 else _hint(readings[0])
    if ENDINGS.get(SourceLocation(Path(sources[0])).suffix) == "json" and (hint := _shape_hint(Path(sources[0]))):
        return hint
    names = {name.lower() for _, rows, _ in likely_rows.rows(Path(sources[0])) for row in rows[:1] for name in row}
    columns = {"columns": {name: "COLUMN" for name in ("question", "outcome") if name not in names}}
    if kind == "wide" and not _is_long(names):
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
    averages = {
        name: x for name, x in likely_rows.flat(content).items() if name.lower().rpartition(".")[2] in sums.AVERAGES
    }
    if averages and all(type(x) is float and 0 < x < 1 for x in averages.values()) and not _has_lists(content):
        return f"averages:{next(iter(averages))}"
    for x in (content, *content.values()):
        counts = [x[name] for name in _counts_in(x).values()]
        if counts and {*map(type, counts)} == {int} and 0 <= counts[0] <= counts[1] > 1:
            return "average:{}/{}".format(*counts)
    lists = {key: x for key, x in content.items() if isinstance(x, list) and x and type(x[0]) in SCALARS}
    are_alike = len({*map(len, lists.values())}) == 1 and any(map(likely_rows.are_trials, lists.values()))
    return "reshape" if len(lists) > 1 and (are_alike or all(map(values.is_word, lists))) else None


def _counts_in(x: Any) -> dict[str, str]:
    """The names of successes and trials in an object without lists; empty where there are not both."""
    return table.counts_in(x) if isinstance(x, dict) and not _has_lists(x) else {}


def _has_lists(x: Any) -> bool:
    """Whether a value is a list, or an object that holds one at any depth."""
    return isinstance(x, list) or (isinstance(x, dict) and any(map(_has_lists, x.values())))


def _is_long(names: Collection[str]) -> bool:
    """Whether a table names the model of each row, or has columns that no model can be, so that it is not wide."""
    models = {"model", *table.USUAL["model"].split()} & {*names}
    question = "question" if "question" in names else table.usual("question", names)
    others = [name for name in names if name not in models and name != question]
    # beside questions only columns of trials are read as wide, beside models only columns of numbered questions
    are_wide = wide.RUN if question else wide.OF_QUESTION
    if models and not all(
        are_wide.fullmatch(x) or (question == "question" and wide.TRIAL.fullmatch(x)) for x in others
    ):
        return True
    return any(re.search(f"{NO_OUTCOME}|{OF_SCALE}", name) for name in names)


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
            if "w" in changes and "missing_code" not in changes and (code := sums.lone_code(scores)):
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
            is_cell = kind in ("odd", "odd_code", "words") and error.argument == "outcome" and changes.get("wide")
            if kind in ("policy", "of_run") or is_cell:
                return changes  # the log is read, but for a choice about missing or repeated outcomes, or about a cell
            first = text.partition("\n")[0]
            if kind in ("factor", "factor_models") or (
                kind == "columns" and changes.get("wide") and "COLUMN" not in text
            ):
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
    """The hint with these options, and a condition where the outcome is told by no usual name."""
    outcome = changes.get("columns", {}).get("outcome", "outcome")
    if outcome.lower().rpartition(".")[2] not in ("outcome", "column", *table.USUAL["outcome"].split()):
        return "read:" + json.dumps({**changes, "unsure": outcome})
    if changes.keys() == {"columns"}:
        pairs = changes["columns"].items()
        if not any(c in f"{x}{y}" for x, y in pairs for c in ",="):
            return "columns:" + ",".join(f"{x}={y}" for x, y in pairs)
    if changes.keys() == {"wide"}:
        return "wide"
    return "read:" + json.dumps(changes)


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
    if options.missing_code is None and (code := sums.lone_code(scores, options.scale)):
        return f"missing_code:{code}\n{scores[0]:.10g},{scores[-1]:.10g}"
    lo, hi = scores[0], scores[-1]
    if options.scale is None:
        return "levels" if lo >= 0 and hi <= 1 else values.scale_hint(lo, hi)
    return f"scale:{min(lo, options.scale[0]):.10g},{max(hi, options.scale[1]):.10g}"


def _proposals(path: Path, options: ReadOptions) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    """Changes of the options that may read a file or a folder, the best first, each with rows that it is made from."""
    files, where = [path], dict[str, Any]()
    if path.is_dir():
        files = [file for file, is_candidate in walked(path) if is_candidate]
        where = _layout(path, files)
        files = files[:MOST_FILES]
    seen = list[dict[str, Any]]()
    for file in files:
        for pattern, rows, outer in likely_rows.rows(file):
            for changes in likely_columns.proposed(
                rows, options.columns or {}, "question" if where and not pattern else "", outer
            ):
                if pattern.endswith("{question}") and len(rows) < FEW and _are_averages(rows, changes):
                    continue
                changes = {"rows": pattern} | changes if pattern else where | changes
                if not changes:  # rows with different keys, which are read with a mapping
                    changes = {"columns": {"outcome": "outcome"}}
                if changes not in seen:
                    seen.append(changes)
                    yield changes, rows


def _are_averages(rows: Sequence[Row], changes: Mapping[str, Any]) -> bool:
    """Whether the few entries of an object are averages or counts of models, rather than outcomes of questions."""
    outcome = changes.get("columns", {}).get("outcome", "outcome")
    kinds = {name: likely_columns.outcome_kind([row.get(name) for row in rows]) for name in rows[0]}
    of_many = any(name.lower() in ("n", *table.COUNTS["n"].split()) and type(x) is int for name, x in rows[0].items())
    if kinds.get(outcome) == "bounded" and (of_many or [*kinds.values()].count("bounded") > 1):
        return True
    return of_many and likely_columns.are_families([str(row.get("question")) for row in rows])


def _layout(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """The layout of a folder of documents, each of which is a row; empty where the files do not lie alike."""
    parts = [file.relative_to(folder).parts for file in files]
    if len(files) < 2 or len({(len(x), Path(x[-1]).suffix) for x in parts}) > 1 or files[0].suffix.lower() != ".json":
        return {}
    in_own_folder = len({x[-1] for x in parts}) == 1
    depth = len(parts[0]) - in_own_folder
    named = [*["{model}"] * (depth > 1), *["{_}"] * (depth - 2)]
    between, _ = in_two_parts([Path(x[-1]).stem for x in parts]) if depth == 1 and not in_own_folder else ("", [])
    name = f"{{model}}{between}{{question}}.json" if between else "{question}.json"
    named += ["{question}", parts[0][-1]] if in_own_folder else [name]
    return {"layout": "/".join(named)}


def _readings(
    read: Read, source: Any, options: ReadOptions, tried: dict[str, Any], rows: Sequence[Row], path: Path
) -> list[dict[str, Any]]:
    """The readings of a log that differ in what names the model, that which was tried first; one where names tell."""
    first = _in_own_role(tried)
    e = _read_with(read, source, options, first)
    is_stated = e is not None and e.models != (path.name.partition(".")[0],)  # the log names the model itself
    changed = _with_other_model(first, is_stated)
    other = changed and _tried(read, source, options, changed, rows)
    of_other = other and _read_with(read, source, options, other)
    if e is None or not other or not of_other:
        return [first]
    names, others = (x.models if _names_model(y) else () for x, y in ((e, first), (of_other, other)))
    is_first = _are_told(names, others)
    if is_first is None and not (names and others):  # models or benchmarks: these have questions of their own
        ids = [set(log.ids) for part in (e if names else of_other).benchmarks.values() for log in part.logs.values()]
        is_first = None if not ids or set.intersection(*ids) else not names
    return [first, other] if is_first is None else [first if is_first else other]


def _read_with(read: Read, source: Any, options: ReadOptions, changes: Mapping[str, Any]) -> EvaluationData | None:
    """The evaluation in a source that is read with these changes, whatever is missing; None if it cannot be read."""
    try:
        return read(source, options._replace(**_checked(changes))._replace(missing="drop"))
    except (InvalidInput, OSError):
        return None


def _names_model(changes: Mapping[str, Any]) -> bool:
    """Whether a key, a part of the path or a column names the model; the places in a list are no names."""
    where = f"{changes.get('rows')}{changes.get('layout')}".replace("[{model}]", "")
    return "{model}" in where or "model" in changes.get("columns", {})


def _in_own_role(changes: dict[str, Any]) -> dict[str, Any]:
    """The changes with an id, or a name beside a key of questions, that was read as a benchmark, in its own place."""
    task, pattern = changes.get("columns", {}).get("task", ""), changes.get("rows", "")
    has_key = "{question}" in pattern
    if likely_columns.is_label(task) and (has_key or likely_columns.is_label(changes["columns"].get("question", ""))):
        return changes if _names_model(changes) else _renamed(changes, {"task": "model"})
    if not has_key or task.lower().rpartition(".")[2] not in table.USUAL["question"].split():
        return changes
    is_around_rows = re.search(r"{question}.*\[\*\]", pattern)  # else it is one of several keys of a question
    return _renamed(changes, {"task": "question", "question": "task" if is_around_rows else "model"})


def _with_other_model(changes: dict[str, Any], is_stated: bool) -> dict[str, Any] | None:
    """The changes with something else in the place of the model; None where a usual name says what the model is."""
    pattern, columns = changes.get("rows", ""), changes.get("columns", {})
    question, model = columns.get("question", ""), columns.get("model", "")
    where = changes.get("layout", "") + pattern
    if model.lower().rpartition(".")[2] in ("model", *table.USUAL["model"].split()):
        return None
    if model or "{model}" in where:
        is_id = question == "id" and likely_columns.is_label(model) and pattern.count("[*]") < 2
        for name in ("task", "question"):
            if f"[{{{name}}}]" in where:  # places in a list are not the names of models
                continue
            if where.count(f"{{{name}}}") == 1 or (name == "question" and (likely_columns.is_label(question) or is_id)):
                return _renamed(changes, {"model": name, name: "model"})
        is_around = likely_columns.is_label(model) and pattern.count("[*]") > 1  # the name of the object around rows
        return _renamed(changes, {"model": "task"}) if is_around or re.search(r"{model}.*\[\*\]", pattern) else None
    if is_stated:
        return None
    if likely_columns.is_label(question) and pattern.endswith("[{trial}]"):
        of_model = {name: x for name, x in columns.items() if name != "question"} | {"model": question}
        return changes | {"rows": pattern.replace("[{trial}]", "[{question}]"), "columns": of_model}
    if re.search(r"{question}\]?\[{trial}\]$", pattern):
        return changes | {"rows": pattern.replace("{question}", "{model}").replace("{trial}", "{question}")}
    is_task = "{task}" in pattern and "{question}" not in pattern
    return _renamed(changes, {"task": "model"}) if is_task else None


def _of_entries(tried: dict[str, Any], pattern: str, rows: Sequence[Row]) -> str:
    """The hint for entries of lists around the rows that no column tells apart; pattern : that without their field.

    A row with only a name may be of a model, where the entries are questions.
    """
    start = next(i for i, (x, y) in enumerate(zip(tried["rows"], pattern, strict=False)) if x != y)
    readings = [
        tried | {"rows": pattern[:start] + tried["rows"][start:].replace("{task}", x, 1)}
        for x in ("{task}", "{run}", "{question}")
    ]
    columns = tried.get("columns", {})
    name = columns.get("question", "")
    names = [str(row.get(name)) for row in rows]
    if not likely_columns.is_label(name) or "model" in columns or likely_columns.are_numbered(names):
        return f"either_runs:{json.dumps(readings[:2])}"
    of_models = _renamed(tried, {"question": "model"}) | {"rows": readings[2]["rows"]}
    return _hint(of_models) if likely_columns.are_families(names) else f"either:{json.dumps([readings[0], of_models])}"


def _renamed(changes: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The changes with other names of fields, in patterns and among the columns."""
    out = dict(changes)
    for key in out.keys() & {"layout", "rows"}:
        out[key] = re.sub(r"{(\w+)}", lambda m: f"{{{names.get(m[1], m[1])}}}", out[key])
    if "columns" in out:
        out["columns"] = {names.get(name, name): x for name, x in out["columns"].items()}
    return out


def _are_told(names: Collection[str], others: Collection[str]) -> bool | None:
    """Whether names are those of models, rather than the others; None where neither names nor numbers tell.

    Models have names of known families, questions are numbered alike (q1, q2) or are many times more.
    """
    for x, y in (
        (likely_columns.are_families(names), likely_columns.are_families(others)),
        (likely_columns.are_numbered(others), likely_columns.are_numbered(names)),
        (len(others) > FEW * len(names) > 0, len(names) > FEW * len(others) > 0),
        (len(names) == 1 < len(others), len(others) == 1 < len(names)),
    ):
        if x != y:
            return x
    return None
