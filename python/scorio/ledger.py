"""Ledgers of builds: a file with a line for each build, which holds the counts of its questions and what a gate said.

The lines of ``ledger.jsonl`` are only ever appended, so that git merges two branches by keeping the lines of both. Each
is an object whose member "scorio" is one of KINDS. The member "digest" of a build or a baseline is that of the line
without it: a line that was edited is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import InvalidInput, shown
from .outcomes.counts import Counts

FOLDER, FILE = ".scorio", "ledger.jsonl"
QUESTIONS, BUILD, BASELINE = "questions/1", "build/1", "baseline/1"
KINDS: dict[str, dict[str, Any]] = {
    QUESTIONS: {"key": str, "ids": list},
    BUILD: {"id": str, "time": str, "commit": (str, type(None)), "branch": str, "model": str, "questions": str,
            "w": (list, type(None)), "counts": list, "gate": (dict, type(None))},
    BASELINE: {"name": str, "builds": list, "digests": list, "margin": (int, float), "confidence": (int, float),
               "runs": str, "time": str, "branch": str},
}  # fmt: skip
BEGIN, DIGEST = b'{"scorio":', b',"digest":"'  # of each line; of its last member
COMPLETE = re.compile(rb'("digest":"[^"]*"|\])\}\s*$')  # the end of a line that was written whole
SKEW = timedelta(minutes=1)  # of two clocks, about which nothing is said
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d+)?Z")


@dataclass(frozen=True)
class Build:
    """One evaluation of a build.

    Attributes
    ----------
    id, time, branch, model : str; time in UTC as 2026-11-28T23:50:00.000Z
    commit : str or None
    questions : str, the key of the list of ids of its questions
    w : tuple of float or None, the score of each category; None: 0 and 1
    counts : list of lists, how often each question had category 0, 1, ...
    gate : mapping or None, the baseline, pin and verdict of the gate that recorded the build, and how many outcomes
        were missing, if any
    task : str, "" where its log has no names of tasks
    digest : str, that of its line in the file; "" of a build that is not there
    number : int, the number of its line
    """

    id: str
    time: str
    commit: str | None
    branch: str
    model: str
    questions: str
    w: tuple[float, ...] | None
    counts: Sequence[Sequence[int]]
    gate: Mapping[str, Any] | None = None
    task: str = ""
    digest: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)

    def line(self) -> dict[str, Any]:
        """The object of its line."""
        task = {"task": self.task} if self.task else {}
        return {"scorio": BUILD, **{name: getattr(self, name) for name in KINDS[BUILD]}, **task}


@dataclass(frozen=True)
class Baseline:
    """A baseline: the builds that are its pin, pooled, and what was promised about the builds that it gates.

    Attributes
    ----------
    name, time, branch : str
    builds : tuple of str, the evaluations that are the pin
    digests : tuple of str, those of their lines, since a merge may bring two builds of one id
    margin, confidence : float, as in :func:`scorio.sinf.gate_builds`
    runs : {"fixed", "sampled"}; "sampled": verdicts account for the variance between the evaluations of the pin
    """

    name: str
    builds: tuple[str, ...]
    digests: tuple[str, ...]
    margin: float
    confidence: float
    runs: str
    time: str
    branch: str

    def line(self) -> dict[str, Any]:
        """The object of its line."""
        return {"scorio": BASELINE, **{name: getattr(self, name) for name in KINDS[BASELINE]}}

    @property
    def pin(self) -> str:
        """The key of this pin, which differs from that of an earlier one under the same name."""
        promise = f"{self.margin!r} {self.confidence!r} {self.runs}"
        return key_of([self.name, self.time, promise, *self.digests])


class Aligned(NamedTuple):
    """Builds on the questions that all of them have, in one order, with the same categories.

    ``others`` is the number of questions that only some of them have.
    """

    ids: tuple[str, ...]
    counts: list[Counts]
    w: tuple[float, ...] | None
    others: int


@dataclass
class Ledger:
    """The lines of a ledger, builds in the order of time.

    Attributes
    ----------
    path : Path of the file
    builds : mapping of str to Build, by id
    baselines : list of Baseline, in the order of time; of equal names the last one holds
    questions : mapping of str to tuple of str, the ids of the questions of each key
    remarks : list of str, about lines that were left out or renamed
    held : file or None, the file where :func:`hold` has locked it
    """

    path: Path
    builds: dict[str, Build] = field(default_factory=dict)
    baselines: list[Baseline] = field(default_factory=list)
    questions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    held: FileIO | None = None

    def baseline(self, name: str) -> Baseline:
        """The baseline of this name that holds."""
        for x in reversed(self.baselines):
            if x.name == name:
                return x
        known = ", ".join(dict.fromkeys(x.name for x in self.baselines)) or "none"
        raise InvalidInput("choice", "baseline", f"no baseline {shown(name)} in {self.path}; there is: {known}")

    def pinned(self, x: Baseline) -> list[Build]:
        """The builds of the pin of a baseline."""
        of_digest = {y.digest: y for y in self.builds.values()}
        if absent := [y for y, d in zip(x.builds, x.digests, strict=True) if d not in of_digest]:
            what = f"{self.path}: the pin of baseline {shown(x.name)} has build {shown(absent[0])}, which no line has"
            raise InvalidInput("missing", "ledger", f"{what}: restore the line, or set the baseline again")
        return [of_digest[d] for d in x.digests]

    def new_id(self, wanted: str) -> str:
        """The id, with a number behind it if a build has it already."""
        i, x = 1, wanted
        while x in self.builds:
            i += 1
            x = f"{wanted}-{i}"
        return x

    def next_time(self) -> str:
        """The time in UTC, but after the last build, whose clock may have been ahead."""
        time, last = datetime.now(UTC), max((x.time for x in self.builds.values()), default="")
        if _time(time) > last:
            return _time(time)
        after = datetime.fromisoformat(last)
        if after - time > SKEW:
            clock = f"The clock says {_time(time)}, before the last build ({last})"
            self.remarks.append(f"{clock}: this build has the moment after that.")
        return _time(after + timedelta(milliseconds=1))

    def aligned(self, builds: Iterable[Build]) -> Aligned:
        """Counts of these builds on the questions and categories that they share."""
        chosen = list(builds)
        keys = list(dict.fromkeys(x.questions for x in chosen))
        common = set.intersection(*(set(self.questions[k]) for k in keys))
        ids = tuple(q for q in self.questions[keys[0]] if q in common)
        if not ids:
            raise InvalidInput("missing", "ledger", f"the builds of {self.path} have no question in common")
        rows: dict[str, Any] = {}
        for k in keys:
            position = {q: i for i, q in enumerate(self.questions[k])}
            rows[k] = slice(None) if self.questions[k] == ids else [position[q] for q in ids]
        w = _common_scores(self.path, chosen)
        size = len(w) if w else 2
        counts = [Counts(_in_categories(self._table(x), x, w, size)[rows[x.questions]]) for x in chosen]
        if lacking := [(x.id, y.empty[0]) for x, y in zip(chosen, counts, strict=True) if y.empty]:
            build, q = lacking[0]
            what = f"build {shown(build)} of {self.path} has no trial of question {shown(ids[q])}"
            raise InvalidInput("missing", "ledger", f"{what}: every build needs one")
        every = set().union(*(self.questions[k] for k in keys))
        return Aligned(ids, counts, w, len(every) - len(ids))

    def _table(self, x: Build) -> npt.NDArray[np.int64]:
        """The counts of a build, a row for each question."""
        where = f"counts of build {shown(x.id)} in {self.path}"
        try:
            table = np.array(x.counts)
        except (ValueError, OverflowError):
            table = np.array([])
        if table.ndim != 2 or table.dtype.kind != "i" or table.min(initial=0) < 0:
            raise InvalidInput("type", "ledger", f"{where} are not lists of one length of numbers 0, 1, 2, ...")
        if table.shape[1] != len(self.questions[x.questions]):
            what = f"{where} are those of {table.shape[1]} questions, not of {len(self.questions[x.questions])}"
            raise InvalidInput("shape", "ledger", what)
        return np.ascontiguousarray(table.T, np.int64)


def _common_scores(path: Path, builds: Sequence[Build]) -> tuple[float, ...] | None:
    """The scores of the categories of all builds; those of builds with fewer levels are among them."""
    scores = {x.w for x in builds}
    if len(scores) == 1:
        return builds[0].w
    ends = {(min(w), max(w)): x for x in builds for w in (x.w or (0.0, 1.0),)}
    if len(ends) > 1:
        (a, x), (b, y), *_ = ends.items()
        what = f"build {shown(x.id)} of {path} has scores from {a[0]:g} to {a[1]:g}, build {shown(y.id)} from {b[0]:g}"
        raise InvalidInput("conflict", "ledger", f"{what} to {b[1]:g}", "one_scale")
    union = tuple(sorted({x for w in scores for x in w or (0.0, 1.0)}))
    return None if union == (0.0, 1.0) else union


def _in_categories(table: npt.NDArray[np.int64], x: Build, w: Any, size: int) -> npt.NDArray[np.int64]:
    """The counts of a build with a column for each score of w, or for 0 and 1."""
    own = x.w or (0.0, 1.0)
    if table.shape[1] > len(own):
        raise InvalidInput("length", "ledger", f"build {shown(x.id)} has more categories than scores: {shown(own)}")
    if (w or (0.0, 1.0)) == own and table.shape[1] == size:
        return table
    out, column = np.zeros((table.shape[0], size), np.int64), {y: j for j, y in enumerate(w or (0.0, 1.0))}
    for j in range(table.shape[1]):
        out[:, column[own[j]]] += table[:, j]
    return out


def _time(x: datetime) -> str:
    """A time as lines have it, to the millisecond."""
    return x.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def file_of(folder: str | os.PathLike[str]) -> Path:
    """The file of a ledger, given its folder or itself."""
    path = Path(folder)
    return path / FILE if path.is_dir() or not path.suffix else path


def read_ledger(folder: str | os.PathLike[str], missing_ok: bool = False) -> Ledger:
    """Read a ledger, given its folder or its file; a file that does not exist is an empty ledger if missing_ok."""
    path = file_of(folder)
    return _read(path, b"" if missing_ok and not path.exists() else path.read_bytes())


@contextmanager
def hold(folder: str | os.PathLike[str]) -> Iterator[Ledger]:
    """Read a ledger in order to append to it: who would append too waits, and then reads what was appended here."""
    path = file_of(folder)
    with _locked(path) as f:
        f.seek(0)
        ledger = _read(path, f.readall())
        ledger.held = f
        yield ledger
        ledger.held = None


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """The file, locked until it is closed or the process ends; unlocked where the system or the disk has no locks."""
    with path.open("a+b", buffering=0) as f:
        with suppress(ImportError, OSError):
            from fcntl import LOCK_EX, flock

            flock(f, LOCK_EX)
        yield f


def _read(path: Path, data: bytes) -> Ledger:
    """The ledger that a file holds."""
    out = Ledger(path)
    builds: dict[str, Build] = {}
    lines = data.split(b"\n")
    first: dict[bytes, int] = {}
    for number, line in enumerate(lines, 1):
        first.setdefault(line, number)  # equal lines, which a merge may leave, are one
    for line, number in first.items():
        if line.strip():
            _read_line(out, builds, line, number, last=number == len(lines))
    names = {}
    for x in sorted(builds.values(), key=lambda x: (x.time.rstrip("Z"), x.id)):
        if x.questions not in out.questions:
            raise InvalidInput("missing", "ledger", f"{path}: build {shown(x.id)} has questions that no line lists")
        name = names[x.digest] = out.new_id(x.id)
        if name != x.id:
            out.remarks.append(f"Two builds have the id {x.id}: the later one is {name} here.")
        out.builds[name] = x if name == x.id else replace(x, id=name)
    out.baselines = [
        replace(x, builds=tuple(names.get(d, y) for y, d in zip(x.builds, x.digests, strict=True)))
        for x in sorted(out.baselines, key=lambda x: x.time.rstrip("Z"))
    ]
    return out


def _read_line(out: Ledger, builds: dict[str, Build], line: bytes, number: int, last: bool) -> None:
    """Add what a line states."""
    where = f"line {number} of {out.path}"
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        what = f"{where} is a conflict of git: keep the lines of both sides, and have"
        raise InvalidInput("format", "ledger", f'{what} "{FILE} merge=union" in .gitattributes beside it')
    try:
        x = json.loads(line)
    except (ValueError, RecursionError):  # also of a text that is not UTF-8
        if not line.startswith(BEGIN[: len(line)]):
            raise InvalidInput("format", "ledger", f"{where} is no line of a ledger: {shown(line[:40])}") from None
        if line.rfind(BEGIN) == 0 and COMPLETE.search(line):
            what = f"{where} was edited: it is no JSON; restore it, as git log -p shows it, or delete it"
            raise InvalidInput("conflict", "ledger", what) from None
        rest = "" if last else "; it may be deleted"
        out.remarks.append(
            f"Line {number} of the ledger is incomplete (a write was interrupted): it is left out{rest}."
        )
        # a merge may join the beginning of a line and the first line of the other branch
        if (at := line.rfind(BEGIN)) > 0:
            _read_line(out, builds, line[at:], number, last)
        return
    members = KINDS.get(str(x.get("scorio"))) if isinstance(x, dict) else None
    if members is None:
        raise InvalidInput("format", "ledger", f"{where} is no line of a ledger: {shown(x)}")
    for name, kind in members.items():
        if not isinstance(x.get(name), kind) or isinstance(x.get(name), bool):
            raise InvalidInput("type", "ledger", f"{name} of {where} is {shown(x.get(name))}")
    if x["scorio"] != QUESTIONS:
        _check_time_and_digest(x, line, where)
    values = {name: x[name] for name in members}
    if x["scorio"] == QUESTIONS:
        if key_of(x["ids"]) != x["key"]:
            raise InvalidInput("conflict", "ledger", f"key of {where} is not that of its ids: the line was changed")
        out.questions[x["key"]] = tuple(x["ids"])
    elif x["scorio"] == BASELINE:
        if len(x["builds"]) != len(x["digests"]):
            raise InvalidInput("length", "ledger", f"{where} has not as many digests as builds")
        baseline = Baseline(**values | {"builds": tuple(x["builds"]), "digests": tuple(x["digests"])})
        if baseline not in out.baselines:
            out.baselines.append(baseline)
    else:
        w = None if x["w"] is None else tuple(x["w"])
        if not isinstance(task := x.get("task", ""), str):
            raise InvalidInput("type", "ledger", f"task of {where} is {shown(task)}")
        builds.setdefault(x["digest"], Build(**values | {"w": w}, task=task, digest=x["digest"], number=number))


def _check_time_and_digest(x: dict[str, Any], line: bytes, where: str) -> None:
    """Refuse a line whose time is none, or that is not as it was written."""
    try:
        datetime.fromisoformat(TIME.fullmatch(x["time"])[0])  # type: ignore[index]
    except (TypeError, ValueError):
        what = f"time of {where} is {shown(x['time'])}, not as 2026-11-28T23:50:00Z"
        raise InvalidInput("format", "ledger", what) from None
    stated, at = x.get("digest"), line.rfind(DIGEST)
    as_written = line[at:].rstrip() == DIGEST + f'{stated}"}}'.encode() and stated == _digest(line[:at] + b"}")
    if not as_written and stated != digest_of(x):  # which a line has too that was only rewritten as JSON
        name = f"build {shown(x['id'])}" if x["scorio"] == BUILD else f"baseline {shown(x['name'])}"
        what = f"{where}, {name}, was edited: it has not the digest of what it states"
        raise InvalidInput("conflict", "ledger", f"{what}; restore the line, as git log -p shows it, or delete it")


def key_of(ids: Sequence[str]) -> str:
    """The key of a list of ids of questions."""
    return _digest(json.dumps(list(ids), ensure_ascii=False).encode())


def digest_of(line: Mapping[str, Any]) -> str:
    """The digest of the line of a build or a baseline."""
    return _digest(_text({name: x for name, x in line.items() if name != "digest"}))


def _digest(text: bytes) -> str:
    return sha256(text).hexdigest()[:12]


def _text(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def append(ledger: Ledger, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append lines by a single write, which is on the disk before this returns; a torn last line gets its end."""
    signed = (x if x["scorio"] == QUESTIONS else {**x, "digest": digest_of(x)} for x in lines)
    data = b"".join(_text(x) + b"\n" for x in signed)
    ledger.path.parent.mkdir(parents=True, exist_ok=True)
    with nullcontext(ledger.held) if ledger.held else _locked(ledger.path) as f:
        size = f.seek(0, os.SEEK_END)
        f.seek(max(size - 1, 0))
        data = (b"\n" if f.read(1) not in (b"", b"\n") else b"") + data
        written = f.write(data)
        os.fsync(f)
        if written != len(data):
            f.truncate(size)
            raise OSError(28, f"only {written} of {len(data)} bytes were written", os.fspath(ledger.path))


def lines_of(ledger: Ledger, build: Build, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The lines that record a build: its own, after that of its questions unless the ledger has it."""
    known = build.questions in ledger.questions
    return [*([] if known else [{"scorio": QUESTIONS, "key": build.questions, "ids": [*ids]}]), build.line()]
