"""Files of a log that are looked at again: their formats (outcomes are not counted), and the texts of questions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from glob import glob
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import detect, frames
from .files import Members, excluded, is_archive, is_link_out, may_be_log, name_and_kind, packed_copies, walked
from .formats import harnesses, inspect_ai
from .formats.inspect_ai import superseded
from .options import read_options
from .sources import locations
from .text_files import SourceLocation, UnknownFormat, delimiter, separated
from .values import TEXTS, id_of, kept, line_of

MOST_RECORDS = 100_000  # records of one file that are searched
Candidate = tuple[str, str, dict[str, Any]]  # task, id of a question, record that may have its text


def listed(path: Any, **kwargs: Any) -> list[dict[str, Any]]:
    r"""List the files of a log: the format of each, and its fields in a layout.

    Parameters
    ----------
    path : str, os.PathLike, file object, or a list of these
        A source of :func:`scorio.io.read`, other than an archive or a URL.
    **kwargs
        Options of :func:`scorio.io.read`.

    Returns
    -------
    list of dict
        For each file its name (file), whether it would be read (read), its format or why it is skipped (format), and
        the fields of the layout. Files are read only as far as it takes to recognise them; their outcomes are not
        counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a", "1.csv")
    ...     path.parent.mkdir()
    ...     _ = path.write_text("question,outcome\nq1,1\n")
    ...     io.listed(folder, layout="{model}/{run}.csv")
    [{'file': 'a/1.csv', 'read': True, 'format': 'table', 'model': 'a', 'run': '1'}]
    """
    options, entries = read_options(**kwargs), []
    for location in locations(path):
        files = [(location.file.parent, location.file, True)]
        if location.data is None and location.file.is_dir():
            files = [(location.file, file, is_candidate) for file, is_candidate in walked(location.file)]
        candidates = [file for _, file, is_candidate in files if is_candidate and location.data is None]
        retried, packed = superseded(candidates), packed_copies(candidates)
        for root, file, is_candidate in files:
            if excluded(options.exclude, file.relative_to(root).as_posix()):
                entries.append({"file": file.relative_to(root).as_posix(), "read": False, "format": "excluded"})
                continue
            fields = options.layout.match(root, file) if options.layout else {}
            entry = {"file": name_and_kind(file, file.relative_to(root).as_posix(), root)}
            if fields is None or not is_candidate:
                what = "not of this layout" if is_candidate else _skip_reason(file, root)
                entries.append(entry | {"read": False, "format": what})
            elif file in retried:
                entries.append(entry | {"read": False, "format": f"retried: {retried[file].name}"})
            elif file in packed:
                entries.append(entry | {"read": False, "format": f"a packed copy of {packed[file].name}"})
            else:
                entries.append(entry | _format_of(location, file, options) | fields)
    return entries


def _skip_reason(file: Path, root: Path) -> str:
    """The reason why a file is not opened."""
    if file.is_symlink() and file.is_dir():
        return "a link to a folder"
    if is_archive(file.name):
        return "an archive: read it by itself"
    if file.name.startswith("."):
        return "hidden"
    if is_link_out(file, root):
        return "name the target of the link to read it"
    return "not a regular file" if may_be_log(file.name) else "not a log by its name"


def _format_of(location: SourceLocation, file: Path, options: Any) -> dict[str, Any]:
    """Whether a file would be read, and its format or the reason why not."""
    is_plain = options.columns is None and not options.wide and options.rows is None
    try:
        if is_plain and file.suffix.lower() == ".parquet" and not frames.is_lighteval(file):
            return {"read": True, "format": "parquet"}
        recognised = detect.source(SourceLocation(file, location.data), options)
    except UnknownFormat as e:
        # formats.unknown_format lists the formats before these words, and describes the file after them
        return {"read": False, "format": f"unknown: {e.reason.rpartition(': it is ')[2]}"}
    except InvalidInput as e:
        return {"read": False, "format": f"error: {e.reason}"}
    if isinstance(recognised, detect.Source):
        return {"read": True, "format": recognised.format}
    return {"read": False, "format": recognised}


# --- texts of a few questions, since reading a log does not store texts ---


def prompts(files: Iterable[str], wanted: Mapping[str, Collection[str]]) -> dict[tuple[str, str], str]:
    """Texts of questions, on one line each, by benchmark and id; questions whose text is not found are left out.

    wanted : the ids of questions by benchmark, which is "" where the evaluation does not name it.
    """
    texts = {(task, x): text for task, ids in wanted.items() for x in ids if (text := kept(x))}
    remaining = {task: {x for x in ids if (task, x) not in texts} for task, ids in wanted.items()}
    for file in _files_of(files):
        location = SourceLocation(file)
        with suppress(InvalidInput, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            for task, question, record in islice(_records(location, remaining), MOST_RECORDS):
                benchmark = task if task in remaining else ""
                if question in remaining.get(benchmark, ()) and (text := _text_of_record(record)):
                    texts[benchmark, question] = text
                    remaining[benchmark].discard(question)
                if not any(remaining.values()):
                    return texts
    return texts


def _files_of(files: Iterable[str]) -> Iterator[Path]:
    """The regular files that names, folders and patterns stand for; streams are left out."""
    for name in files:
        with suppress(OSError, ValueError):  # the name of a stream may be any text
            for path in [Path(name)] if Path(name).exists() else map(Path, sorted(glob(name, recursive=True))):
                below = SourceLocation(path).below(path) if path.is_dir() else [(path, True)]
                yield from (x for x, is_candidate in below if is_candidate and x.is_file())


def _records(location: SourceLocation, remaining: Mapping[str, Collection[str]]) -> Iterator[Candidate]:
    """Records of a file that may have texts: samples of inspect_ai, lines of lm-eval, rows of tables."""
    if location.suffix == ".eval":
        with location.opened() as file:
            members = Members(file)
            task = json.loads(members.read(inspect_ai.head(members.names)))["eval"]["task"]
            for question in sorted(remaining.get(task, remaining.get("", ()))):
                with suppress(InvalidInput):
                    yield task, question, json.loads(members.read(f"samples/{question}_epoch_1.json"))
    elif location.suffix == ".json":
        log = json.loads(location.read())
        if isinstance(log, dict):
            for sample in log["samples"]:
                yield log["eval"]["task"], id_of(sample["id"], "question"), sample
        else:
            yield from map(_row, log)
    elif location.suffix in (".jsonl", ".ndjson"):
        task = harnesses.model_and_task(location)[1] or ""
        with location.opened() as file:
            for line in map(json.loads, filter(bytes.strip, file)):
                if "doc_id" not in line:
                    yield _row(line)
                    continue
                row, digest = (
                    id_of(line["doc_id"], "question"),
                    str(line.get("doc_hash"))[: harnesses.HASH_LENGTH],
                )
                yield from ((task, question, line) for question in (f"{row}#{digest}", row))
    elif location.suffix in (".csv", ".tsv"):
        rows = separated(location, delimiter(location))
        header = next(rows, [])
        text_columns = {*header} & ({*TEXTS} - {"question"})
        if "question" in header and text_columns:
            yield from (_row(dict(zip(header, row, strict=True))) for row in rows)


def _row(row: dict[str, Any]) -> Candidate:
    """The candidate in a row of a table, whose column question is the id rather than the text."""
    other_cells = {name: x for name, x in row.items() if name != "question"}
    return str(row.get("task") or ""), id_of(row["question"], "question"), other_cells


def _text_of_record(record: Mapping[str, Any]) -> str:
    """The text of a question on one line: a field of it or its document, the last message, or the end of the prompt."""
    document = record["doc"] if isinstance(record.get("doc"), dict) else {}
    value: Any = next((x[key] for x in (document, record) for key in TEXTS if x.get(key)), None)
    if value is None and record.get("arguments"):
        value = record["arguments"]
        while isinstance(value, (dict, list)) and value:
            value = next(iter(value.values() if isinstance(value, dict) else value))
        value = str(value).strip().rpartition("\n\n")[2]
    if isinstance(value, list):
        value = value[-1].get("content")
    return line_of(value)
