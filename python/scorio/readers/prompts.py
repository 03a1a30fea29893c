"""Texts of a few questions, looked up in the files of a log, since reading a log does not store texts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from glob import glob
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import values
from .formats import harnesses, inspect_ai
from .packed import Members
from .text_files import SourceLocation, delimiter, separated
from .texts import TEXTS, kept, line_of

MOST_RECORDS = 100_000  # records of one file that are searched
Candidate = tuple[str, str, dict[str, Any]]  # task, id of a question, record that may have its text


def prompts(files: Iterable[str], wanted: Mapping[str, Collection[str]]) -> dict[tuple[str, str], str]:
    """Texts of questions, on one line each, by benchmark and id; questions whose text is not found are left out.

    wanted : the ids of questions by benchmark, which is "" where the evaluation does not name it.
    """
    texts = {(task, x): text for task, ids in wanted.items() for x in ids if (text := kept(x))}
    remaining = {task: {x for x in ids if (task, x) not in texts} for task, ids in wanted.items()}
    for file in _files(files):
        location = SourceLocation(file)
        with suppress(InvalidInput, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            for task, question, record in islice(_records(location, remaining), MOST_RECORDS):
                benchmark = task if task in remaining else ""
                if question in remaining.get(benchmark, ()) and (text := _text(record)):
                    texts[benchmark, question] = text
                    remaining[benchmark].discard(question)
                if not any(remaining.values()):
                    return texts
    return texts


def _files(files: Iterable[str]) -> Iterator[Path]:
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
                yield log["eval"]["task"], values.id_of(sample["id"], "question"), sample
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
                    values.id_of(line["doc_id"], "question"),
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
    return str(row.get("task") or ""), values.id_of(row["question"], "question"), other_cells


def _text(record: Mapping[str, Any]) -> str:
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
