"""Folders of logs, and several files: read in sorted order; files that are not logs are listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from ..display import progress
from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import assembly, engine, values
from .accumulator import TrialAccumulator
from .detect import Source, source
from .evaluation import EvaluationData
from .formats import ANSWERED
from .formats.fields import Unknown
from .formats.inspect_retries import superseded
from .layout import below
from .options import ReadOptions
from .packed import naming_file, packed_copies, without_endings
from .records import Record, Trial, Unfinished
from .runs import Runs
from .text_files import SourceLocation
from .tree import excluded, may_be_log, named, walked

COPIES = "copies, or deterministic runs: each counts as further trials, unless --exclude leaves it out"
SHOWN = 256  # files from which a terminal shows a progress bar


def read(place: SourceLocation, options: ReadOptions, roots: Sequence[Path] = ()) -> EvaluationData:
    """The evaluation in a folder, or in several files and folders."""
    accumulator, runs, guard = TrialAccumulator(place, options), Runs(place, options.runs), DuplicateGuard(place)
    formats, skipped, left_out, last = dict[str, bool](), list[str](), list[str](), ""
    hint: str | None = None
    unread, answers, results = list[str](), dict[Path, str](), list[Path]()
    all_files = list(_distinct_files(roots or [place.root], place))
    included = [x for x in all_files if not options.exclude or not excluded(options.exclude, below(*x[:2]))]
    if options.exclude and len(included) == len(all_files):
        near = nearest(options.exclude[0], [y for *x, _ in all_files for y in below(*x).split("/")])
        what = f"exclude = {shown(', '.join(options.exclude))} names no file of these{near}"
        raise InvalidInput("choice", "exclude", what, "listed")
    files = [
        (root, file, log, options.layout.match(root, file) if options.layout else {}) for root, file, log in included
    ]
    old = superseded([file for _, file, log, fields in files if log and fields is not None], place.heads)
    for file, newer in old.items():
        place.remark(f"{file.name} was retried: {newer.name} is read instead.")
    packed = packed_copies([file for _, file, log, fields in files if log and fields is not None])
    with progress.bar("files", len(files), None if len(files) >= SHOWN else False) as advance:
        for root, file, log, fields in files:
            advance(1)
            if file in old or file in packed:
                continue
            if log and fields is not None:
                place.enter(file)
                recognised = _source(place, options)
                if isinstance(recognised, Source):
                    formats[recognised.format] = True
                    results.append(file)
                    _count(recognised, fields, accumulator, runs, guard)
                    continue
                if isinstance(recognised, Unknown):
                    last, hint = f"{file.name} is {recognised.reason}", recognised.hint
                else:
                    last = recognised
                if isinstance(recognised, Unknown) and recognised.data:
                    unread.append(below(root, file))
                elif last.startswith(ANSWERED):
                    answers[file] = below(root, file)
            name = below(root, file)
            if log and fields is None:
                left_out.append(name)
            else:
                skipped.append(named(file, name))
    place.clear()
    if not formats:
        what = f": {last}" if last else ""
        if options.layout and files:
            what = what or f": no file is laid out as {options.layout.pattern}"
        raise InvalidInput("empty", "path", f"there is no log in this folder{what}", hint or "files")
    if options.exclude:
        place.remarks = {f"Files left out on request (exclude): {len(all_files) - len(included):,}.": 1} | place.remarks
    why = "--dry-run gives the reason for each"
    for what, names, more in (
        ("Files of unknown layout that may hold outcomes", unread, why),
        ("Files of answers without results, which are not read", _without_results(answers, results), why),
        ("Files that the layout leaves out", left_out, why),
        ("Packed copies of files beside them", [x.name for x in packed], "each is counted once"),
        ("Runs whose file is identical to that of another run", guard.copies, COPIES),
        ("Runs whose file name differs only in its ending from that of another run", guard.layouts, COPIES),
    ):
        if names:
            place.remarks = {f"{what}: {len(names):,}, such as {shown(names[0])} ({more}).": 1} | place.remarks
    return assembly.evaluation(accumulator, ", ".join(formats), skipped)


def _count(
    source: Source, fields: dict[str, str], accumulator: TrialAccumulator, runs: Runs, guard: DuplicateGuard
) -> None:
    """Count the outcomes of a file, under the fields (model, task, run, ...) that its path gives."""
    one_model = accumulator.options.runs
    if not (one_model or fields or source.table is None) and engine.counted(
        accumulator.place, *source.table, accumulator, guard.records
    ):
        return
    records = runs.records(source.records, source.one, fields)
    accumulator.take(records if one_model else guard.records(records), source.metric)
    if (source.one or one_model or {"run", "trial"} & fields.keys()) and accumulator.model.codes:
        guard.note_copies(accumulator.model.codes[-1])


def _without_results(answers: dict[Path, str], results: list[Path]) -> list[str]:
    """Files of answers for which no file of results has a similar name or is in a folder of the same model."""
    models = {file.parent.name: file.parent for file in results}
    named_like = {(x.parent, end.join(x.name.split(end)[:i]))
                  for x in results for end in "._" for i in range(1, x.name.count(end) + 1)}  # fmt: skip
    return [
        name for x, name in answers.items()
        if models.get(x.parent.name, x.parent) == x.parent and (x.parent, x.name.partition(".")[0]) not in named_like
    ]  # fmt: skip


def _source(place: SourceLocation, options: ReadOptions) -> Source | Unknown | str:
    """The source in a file; the error (not raised) for a file that is not a log, such as a configuration."""
    try:
        return source(place, options)
    except Unknown as e:
        if options.columns is not None:
            raise
        return e


def _digest(file: Path) -> bytes:
    """The SHA-256 of a file."""
    with naming_file(file), file.open("rb") as f:
        return file_digest(f, "sha256").digest()


def other_files(root: Path, suffix: str) -> list[str]:
    """The names of other files in a folder of tables with this ending; raises where one of them is a log."""
    others = [
        (named(file, file.relative_to(root).as_posix()), log)
        for file, log in walked(root)
        if file.suffix.lower() != suffix
    ]
    if logs := [name for name, log in others if log]:
        raise InvalidInput(
            "conflict", "path", f"{shown(logs[0])} is in one folder with {suffix} tables: read them separately"
        )
    return [name for name, _ in others]


def _distinct_files(roots: Iterable[Path], place: SourceLocation) -> Iterator[tuple[Path, Path, bool]]:
    """Each distinct file of these roots: its root, its path, and whether it may be a log."""
    several, yielded = list(roots), set[Path]()
    for root in several:
        files = place.below(root) if root.is_dir() else [(root, may_be_log(root.name))]
        base = root if root.is_dir() else root.parent
        for file, log in files:
            if len(several) > 1:
                if (real := file.absolute()) in yielded:
                    continue
                yielded.add(real)
            yield base, file, log


class DuplicateGuard:
    """Guard against merging two models of one name, and against counting the same outcomes twice.

    A model is in one folder, or in files that name it themselves. Outcomes without ids of trials are in one file: in
    two, a copy could not be distinguished from further trials.
    """

    def __init__(self, place: SourceLocation) -> None:
        self.place = place
        self._homes: dict[str, tuple[str | None, Path]] = {}  # the home of each model, and its first file
        # the first file of each model and task, and whether its trials have no ids
        self._files: dict[tuple[str, str], tuple[Path, bool]] = {}
        self.copies: list[str] = []
        self.layouts: list[str] = []  # files that may be copies in another layout
        self._names: dict[tuple[int, str], Path] = {}  # the first file of each model and name without its ending
        self._sizes: dict[tuple[int, int], Path] = {}  # the first file of each model and size, of those that are runs
        self._digests: dict[Path, bytes] = {}  # of files with the size of an earlier one
        self._first: dict[tuple[int, bytes], Path] = {}

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records of the next file; each model and task is checked when it first appears."""
        checked: set[tuple[str, str]] = set()
        model: Any = None
        task: Any = None
        for record in records:
            if not isinstance(record, Unfinished) and (record.model != model or record.task != task):
                model, task = record.model, record.task
                key = values.id_of(model, "model"), str(task)
                if key not in checked:
                    checked.add(key)
                    self._home(key[0], getattr(model, "home", None))
                    self._file(*key, isinstance(record, Trial) and record.trial is None)
            yield record

    def note_copies(self, model: int) -> None:
        """Note the file of a model if it equals an earlier one byte for byte, or has its name but for the ending."""
        file = self.place.file
        if self._names.setdefault((model, without_endings(str(file))), file) is not file:
            self.layouts.append(self.place.below_root())
        raw = self.place.raw
        first = self._sizes.setdefault((model, file.stat().st_size if raw is None else len(raw)), file)
        for x in (first, file) if first is not file else ():
            if x not in self._digests:
                self._digests[x] = _digest(x) if raw is None or x is not file else sha256(raw).digest()
                self._first.setdefault((model, self._digests[x]), x)
        same = self._first.get((model, self._digests.get(file, b"")), file)
        if same != file:
            self.copies.append(self.place.below_root())

    def _home(self, model: str, home: str | None) -> None:
        first, file = self._homes.setdefault(model, (home, self.place.file))
        if first != home:
            self._refuse(f"model {shown(model)} may be a different model in {file}")

    def _file(self, model: str, task: str, without_ids: bool) -> None:
        file, before = self._files.setdefault((model, task), (self.place.file, without_ids))
        if file != self.place.file and (before or without_ids):
            what = f"outcomes of {shown(model)} without ids of trials (a column trial) are in {file} too"
            self._refuse(what)

    def _refuse(self, what: str) -> None:
        self.place.leave_line()
        raise InvalidInput("conflict", "path", f"{what}: read them separately", f"copy:{self.place.below_root()}")
