"""Folders of logs, and several files: every one in sorted order, and what is no log named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

from ..display import progress
from ..display.text import nearest
from ..errors import InvalidInput
from . import assembly, engine, values
from .accumulator import Gather, Record, Trial, Unfinished
from .asking import Asked
from .detect import Source, source
from .evaluation import EvaluationData
from .formats import ANSWERED
from .formats.fields import Unknown
from .formats.inspect_retries import superseded
from .layout import below
from .packed import naming
from .runs import Runs
from .text_files import Place, shown
from .tree import excluded, may_be, named, walked

COPIES = "copies, or runs without sampling: each counts as further trials, unless --exclude leaves it out"
SHOWN = 256  # files from which a terminal shows how far it is


def read(place: Place, options: Asked, roots: Sequence[Path] = ()) -> EvaluationData:
    """The logs of a folder, or of several files and folders."""
    gather, counted, apart = Gather(place, options), Runs(place, options.runs), Apart(place)
    formats, skipped, left_out, last = dict[str, bool](), list[str](), list[str](), ""
    unread, answers, results = list[str](), dict[Path, str](), list[Path]()
    there = list(_all(roots or [place.root], place))
    kept = [x for x in there if not excluded(options.exclude, below(*x[:2]))]
    if options.exclude and len(kept) == len(there):
        near = nearest(options.exclude[0], [y for *x, _ in there for y in below(*x).split("/")])
        what = f"exclude = {shown(', '.join(options.exclude))} names no file of these{near}"
        raise InvalidInput("choice", "exclude", what, "listed")
    files = [(root, file, log, options.layout.match(root, file) if options.layout else {}) for root, file, log in kept]
    old = superseded([file for _, file, log, said in files if log and said is not None], place.heads)
    for file, newer in old.items():
        place.remark(f"{file.name} was retried: {newer.name} stands in its place.")
    with progress.bar("files", len(files), None if len(files) >= SHOWN else False) as tell:
        for root, file, log, said in files:
            tell(1)
            if old and file in old:
                continue
            if log and said is not None:
                place.enter(file)
                found = _source(place, options)
                if isinstance(found, Source):
                    formats[found.format] = True
                    results.append(file)
                    _count(found, said, gather, counted, apart)
                    continue
                last = f"{file.name} is {found}" if isinstance(found, Unknown) else found
                if isinstance(found, Unknown) and found.data:
                    unread.append(below(root, file))
                elif last.startswith(ANSWERED):
                    answers[file] = below(root, file)
            name = below(root, file)
            if log and said is None:
                left_out.append(name)
            else:
                skipped.append(named(file, name))
    place.clear()
    if not formats:
        what = f": {last}" if last else ""
        if options.layout and files:
            what = what or f": no file is laid out as {options.layout.pattern}"
        raise InvalidInput("empty", "path", f"there is no log in this folder{what}")
    if options.exclude:
        place.remarks = {f"Files left out on request (exclude): {len(there) - len(kept):,}.": 1} | place.remarks
    why = "--dry-run says why, of each file"
    for what, names, more in (
        ("Files that may hold outcomes, of no layout that scorio knows", unread, why),
        ("Files of answers without results, which are not read", _without_results(answers, results), why),
        ("Files that the layout leaves out", left_out, why),
        ("Runs whose file is that of another, byte for byte", apart.copies, COPIES),
    ):
        if names:
            place.remarks = {f"{what}: {len(names):,}, such as {shown(names[0])} ({more}).": 1} | place.remarks
    return assembly.evaluation(gather, ", ".join(formats), skipped)


def _count(found: Source, said: dict[str, str], gather: Gather, counted: Runs, apart: Apart) -> None:
    """Count a file, under what its path says."""
    runs = gather.options.runs
    if not (runs or said or found.table is None) and engine.counted(gather.place, *found.table, gather, apart.records):
        return
    records = counted.records(found.records, found.one, said)
    gather.take(records if runs else apart.records(records), found.metric)
    if (found.one or runs or {"run", "trial"} & said.keys()) and gather.model.codes:
        apart.copied(gather.model.codes[-1])


def _without_results(answers: dict[Path, str], results: list[Path]) -> list[str]:
    """Answers of which no results are read: in a file that is named like theirs, or a folder of the same model."""
    models = {file.parent.name: file.parent for file in results}
    named_like = {(x.parent, end.join(x.name.split(end)[:i]))
                  for x in results for end in "._" for i in range(1, x.name.count(end) + 1)}  # fmt: skip
    return [
        name for x, name in answers.items()
        if models.get(x.parent.name, x.parent) == x.parent and (x.parent, x.name.partition(".")[0]) not in named_like
    ]  # fmt: skip


def _source(place: Place, options: Asked) -> Source | Unknown | str:
    """What a file holds; a document of another kind, such as a configuration, is no log."""
    try:
        return source(place, options)
    except Unknown as e:
        if options.columns is not None:
            raise
        return e


def beside(root: Path, suffix: str) -> list[str]:
    """What else is in a folder of logs of this ending: no other logs."""
    others = [
        (named(file, file.relative_to(root).as_posix()), log)
        for file, log in walked(root)
        if file.suffix.lower() != suffix
    ]
    if logs := [name for name, log in others if log]:
        raise InvalidInput("conflict", "path", f"{shown(logs[0])} stands beside {suffix} tables: read them apart")
    return [name for name, _ in others]


def _all(roots: Iterable[Path], place: Place) -> Iterator[tuple[Path, Path, bool]]:
    """Every file of all, once: which of the roots it is of, and whether it may be a log."""
    several, met = list(roots), set[Path]()
    for root in several:
        found = place.below(root) if root.is_dir() else [(root, may_be(root.name))]
        base = root if root.is_dir() else root.parent
        for file, log in found:
            if len(several) > 1:
                if (real := file.absolute()) in met:
                    continue
                met.add(real)
            yield base, file, log


class Apart:
    """Refuses to make one model of what may be two, or the same twice.

    One model is what stands in one folder, or in files that name it themselves; outcomes without the id of a trial
    stand in one file, for nothing else would tell a copy from more trials.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._homes: dict[str, tuple[str | None, Path]] = {}  # of each model, and the first file
        self._files: dict[tuple[str, str], tuple[Path, bool]] = {}  # of each model and task: trials without ids?
        self.copies: list[str] = []
        self._sizes: dict[tuple[int, int], Path] = {}  # the first file of each model and size, of those that are runs
        self._digests: dict[Path, bytes] = {}  # of files that are as large as another
        self._first: dict[tuple[int, bytes], Path] = {}

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

    def copied(self, model: int) -> None:
        """Note that the file of a model is the same as one before it, so that it says nothing new."""
        file = self.place.file
        first = self._sizes.setdefault((model, file.stat().st_size), file)
        for x in (first, file) if first != file else ():
            if x not in self._digests:
                with naming(x), x.open("rb") as f:
                    self._digests[x] = file_digest(f, "sha256").digest()
                self._first.setdefault((model, self._digests[x]), x)
        same = self._first.get((model, self._digests.get(file, b"")), file)
        if same != file:
            self.copies.append(self.place.below_root())

    def _home(self, model: str, home: str | None) -> None:
        first, file = self._homes.setdefault(model, (home, self.place.file))
        if first != home:
            self._refuse(f"model {shown(model)} may be another one in {file}")

    def _file(self, model: str, task: str, loose: bool) -> None:
        file, before = self._files.setdefault((model, task), (self.place.file, loose))
        if file != self.place.file and (before or loose):
            what = f"outcomes of {shown(model)} without ids of trials (a column trial) stand in {file} too"
            self._refuse(what)

    def _refuse(self, what: str) -> None:
        self.place.whole()
        raise InvalidInput("conflict", "path", f"{what}: read them apart", f"copy:{self.place.below_root()}")
