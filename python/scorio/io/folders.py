"""Folders of logs: every file of them, in sorted order, and what is no log named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import values
from .accumulator import Asked, Gather, Record, Tallied, Trial, Unfinished
from .detect import Source, source
from .formats.fields import Unknown
from .logs import Logs
from .text_files import Named, Place, shown

NO_LOGS = {
    ".md", ".rst", ".txt", ".log", ".pdf", ".html", ".css", ".js", ".py", ".ipynb", ".sh", ".toml", ".yaml", ".yml",
    ".cfg", ".ini", ".lock", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".cast", ".diff", ".patch",
}  # fmt: skip
NOTES = {"readme", "license", "licence", "notice", "changelog", "makefile", "dockerfile"}


def read(place: Place, options: Asked) -> Logs:
    """The logs of a folder."""
    gather, counted, apart = Gather(place, options), Runs(place, options.runs), Apart(place)
    formats, skipped = dict[str, bool](), list[str]()
    found: Source | str = ""
    for file, log in _files(place.root):
        if log:
            place.enter(file)
            found = _source(place, options)
            if isinstance(found, Source):
                formats[found.format] = True
                records = counted.records(found)
                gather.take(records if options.runs else apart.records(records))
                continue
        skipped.append(file.relative_to(place.root).as_posix())
    place.clear()
    if not formats:
        what = f": {found}" if isinstance(found, str) and found else ""
        raise InvalidInput("empty", "path", f"there is no log in this folder{what}")
    return gather.logs(", ".join(formats), skipped)


def _source(place: Place, options: Asked) -> Source | str:
    """What a file holds; a document of another kind, such as a configuration, is no log."""
    try:
        return source(place, options)
    except Unknown as e:
        if place.file.suffix.lower() != ".json" or options.format is not None:
            raise
        return f"{place.file.name} is {e}"


def beside(root: Path, suffix: str) -> list[str]:
    """What else is in a folder of logs of this ending: no other logs."""
    others = [(file.relative_to(root).as_posix(), log) for file, log in _files(root) if file.suffix.lower() != suffix]
    if logs := [name for name, log in others if log]:
        raise InvalidInput("conflict", "path", f"{shown(logs[0])} stands beside {suffix} tables: read them apart")
    return [name for name, _ in others]


def _files(root: Path) -> Iterator[tuple[Path, bool]]:
    """Every file below, and folders that are passed by; whether it may be a log."""
    for name in sorted(os.listdir(root)):
        path = root / name
        if name.startswith(".") or (path.is_dir() and path.is_symlink()):  # a link may lead back here
            yield path, False
        elif path.is_dir():
            yield from _files(path)
        else:
            yield path, path.suffix.lower() not in NO_LOGS and name.lower() not in NOTES


class Apart:
    """Refuses to make one model of what may be two, or the same twice.

    One model is what stands in one folder, or in files that name it themselves; outcomes without the id of a trial
    stand in one file, for nothing else would tell a copy from more trials.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._homes: dict[str, tuple[Path | None, Path]] = {}  # of each model, and the first file
        self._files: dict[tuple[str, str], tuple[Path, bool]] = {}  # of each model and task: trials without ids?

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records of the next file, each model and task of which is checked when it is met."""
        met: set[tuple[str, str]] = set()
        model: Any = None
        task: Any = None
        for record in records:
            if not isinstance(record, Unfinished) and (record.model != model or record.task != task):
                model, task = record.model, record.task
                key = values.id_of(model, "model"), str(task)
                if key not in met:
                    met.add(key)
                    self._home(key[0], getattr(model, "home", None))
                    self._file(*key, isinstance(record, Trial) and record.trial is None)
            yield record

    def _home(self, model: str, home: Path | None) -> None:
        first, file = self._homes.setdefault(model, (home, self.place.file))
        if first != home:
            self._refuse(f"model {shown(model)} may be another one in {file}")

    def _file(self, model: str, task: str, loose: bool) -> None:
        file, before = self._files.setdefault((model, task), (self.place.file, loose))
        if file != self.place.file and (before or loose):
            self._refuse(f"outcomes of {shown(model)} without ids of trials (a column trial) stand in {file} too")

    def _refuse(self, what: str) -> None:
        self.place.whole()
        raise InvalidInput("conflict", "path", f"{what}: read them apart; or, if all are runs of one model, runs=True")


class Runs:
    """Gives every file that states no trial the number of its run, and pools runs under one model."""

    def __init__(self, place: Place, pooled: bool) -> None:
        self.place, self.pooled = place, pooled
        self.model = place.root.resolve().name or str(place.root)
        self._files: dict[tuple[str, str], int] = {}  # so far, of each model and task
        self._own: tuple[str, str] | None = None  # the model that the runs say that they are of, and where

    def records(self, found: Source) -> Iterable[Record]:
        """The records of the next file."""
        return self._numbered(found) if found.one or self.pooled else found.records

    def _numbered(self, found: Source) -> Iterator[Record]:
        here: dict[tuple[str, str], int] = {}
        alone: dict[Any, int] = {}
        for record in found.records:
            if isinstance(record, Unfinished):
                yield record
                continue
            if self.pooled:
                self._same(record.model)
                record = record._replace(model=self.model)
            key = values.id_of(record.model, "model"), str(record.task)
            run = here.get(key)
            if run is None:
                run = here[key] = self._files[key] = self._files.get(key, 0) + 1
            if isinstance(record, Tallied):
                yield record._replace(run=run)
            else:
                yield record._replace(trial=self._trial(record, run, found.one, alone))

    def _trial(self, record: Trial, run: int, one: bool, alone: dict[Any, int]) -> Any:
        if one:
            return run
        if record.trial is not None:
            return f"{run}/{values.id_of(record.trial, 'trial')}"
        question = str(record.task), values.id_of(record.question, "question")
        alone[question] = alone.get(question, 0) + 1
        return f"{run}/{alone[question]}"

    def _same(self, model: Any) -> None:
        """Runs of one model must not say that they are of two."""
        if isinstance(model, Named):
            return
        name = values.id_of(model, "model")
        first, where = self._own = self._own or (name, str(self.place))
        if name != first:
            raise InvalidInput("conflict", "runs", f"a run of model {shown(name)}, but {where} is of {shown(first)}")
