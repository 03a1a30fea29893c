"""Ledgers of builds: a file with a line for each build, which holds the counts of its questions and what a gate said.

The lines of ``ledger.jsonl`` are only ever appended, so that git merges two branches by keeping the lines of both. Each
is an object whose member "scorio" is one of KINDS.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InvalidInput, shown
from .outcomes.counts import Counts

FOLDER, FILE = ".scorio", "ledger.jsonl"
QUESTIONS, BUILD, BASELINE = "questions/1", "build/1", "baseline/1"
KINDS = {
    QUESTIONS: {"key": str, "ids": list},
    BUILD: {"id": str, "time": str, "commit": (str, type(None)), "branch": str, "model": str, "questions": str,
            "w": (list, type(None)), "counts": list, "gate": (dict, type(None))},
    BASELINE: {"name": str, "builds": list, "margin": (int, float), "confidence": (int, float), "time": str,
               "branch": str},
}  # fmt: skip


@dataclass(frozen=True)
class Build:
    """One evaluation of a build.

    Attributes
    ----------
    id, time, branch, model : str; time in UTC as 2026-11-28T23:50:00Z
    commit : str or None
    questions : str, the key of the list of ids of its questions
    w : tuple of float or None, the score of each category; None: 0 and 1
    counts : list of lists, how often each question had category 0, 1, ...
    gate : mapping or None, the baseline, pin and verdict of the gate that recorded the build
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

    def line(self) -> dict[str, Any]:
        """The object of its line."""
        return {"scorio": BUILD, **{name: getattr(self, name) for name in KINDS[BUILD]}}


@dataclass(frozen=True)
class Baseline:
    """A baseline: the builds that are its pin, pooled, and what was promised about the builds that it gates."""

    name: str
    builds: tuple[str, ...]
    margin: float
    confidence: float
    time: str
    branch: str

    def line(self) -> dict[str, Any]:
        """The object of its line."""
        return {"scorio": BASELINE, **{name: getattr(self, name) for name in KINDS[BASELINE]}}


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
    torn : bool, whether the last line is incomplete
    """

    path: Path
    builds: dict[str, Build] = field(default_factory=dict)
    baselines: list[Baseline] = field(default_factory=list)
    questions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    torn: bool = False

    def baseline(self, name: str) -> Baseline:
        """The baseline of this name that holds."""
        for x in reversed(self.baselines):
            if x.name == name:
                return x
        known = ", ".join(dict.fromkeys(x.name for x in self.baselines)) or "none"
        raise InvalidInput("choice", "baseline", f"no baseline {shown(name)} in {self.path}; there is: {known}")

    def new_id(self, wanted: str) -> str:
        """The id, with a number behind it if a build has it already."""
        i, x = 1, wanted
        while x in self.builds:
            i += 1
            x = f"{wanted}-{i}"
        return x

    def counts(self, ids: Iterable[str]) -> tuple[dict[str, Counts], int]:
        """The counts of these builds on the questions that all of them have, and how many other questions there are."""
        chosen = [self.builds[x] for x in ids]
        keys = list(dict.fromkeys(x.questions for x in chosen))
        tables = {x.id: np.array(x.counts, np.int64).T for x in chosen}
        if len(keys) == 1:
            return {name: Counts(table, ids=self.questions[keys[0]]) for name, table in tables.items()}, 0
        common = set.intersection(*(set(self.questions[k]) for k in keys))
        order = [q for q in self.questions[keys[0]] if q in common]
        if not order:
            raise InvalidInput("shape", "ledger", f"the builds of {self.path} have no question in common")
        position = {k: {q: i for i, q in enumerate(self.questions[k])} for k in keys}
        rows = {k: [position[k][q] for q in order] for k in keys}
        every = set().union(*(self.questions[k] for k in keys))
        return {
            x.id: Counts(tables[x.id][rows[x.questions]], ids=order) for x in chosen
        }, len(every) - len(order)  # fmt: skip


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def file_of(folder: str | os.PathLike[str]) -> Path:
    """The file of a ledger, given its folder or itself."""
    path = Path(folder)
    return path if path.suffix == ".jsonl" else path / FILE


def read_ledger(folder: str | os.PathLike[str], missing_ok: bool = False) -> Ledger:
    """Read a ledger, given its folder or its file; a file that does not exist is an empty ledger if missing_ok."""
    path = file_of(folder)
    out = Ledger(path)
    if missing_ok and not path.exists():
        return out
    data = path.read_bytes()
    out.torn = bool(data) and not data.endswith(b"\n")
    builds: list[Build] = []
    lines = dict.fromkeys(data.split(b"\n"))  # equal lines, which a merge may leave, are one
    for number, line in enumerate(lines, 1):
        if line.strip():
            _read_line(out, builds, line, number, last=number == len(lines))
    for x in sorted(builds, key=lambda x: (x.time, x.id)):
        if x.questions not in out.questions:
            raise InvalidInput("missing", "ledger", f"{path}: build {shown(x.id)} has questions that no line lists")
        name = out.new_id(x.id)
        if name != x.id:
            out.remarks.append(f"Two builds have the id {x.id}: the later one is {name}.")
        out.builds[name] = x if name == x.id else Build(name, *(getattr(x, k) for k in list(KINDS[BUILD])[1:]))
    out.baselines.sort(key=lambda x: x.time)
    return out


def _read_line(out: Ledger, builds: list[Build], line: bytes, number: int, last: bool) -> None:
    """Add what a line states."""
    where = f"line {number} of {out.path}"
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        what = f"{where} is a conflict of git: keep the lines of both sides, and have"
        raise InvalidInput("type", "ledger", f'{what} "{FILE} merge=union" in .gitattributes beside it')
    try:
        x = json.loads(line)
    except ValueError:  # also of a text that is not UTF-8
        why = "the last write was interrupted" if last else "a write was interrupted"
        out.remarks.append(f"Line {number} of the ledger is incomplete ({why}): it was left out.")
        return
    members = KINDS.get(x.get("scorio", "")) if isinstance(x, dict) else None
    if members is None:
        raise InvalidInput("type", "ledger", f"{where} is no line of a ledger: {shown(x)}")
    for name, kind in members.items():
        if not isinstance(x.get(name), kind) or isinstance(x.get(name), bool):  # type: ignore[arg-type]
            raise InvalidInput("type", "ledger", f"{name} of {where} is {shown(x.get(name))}")
    if x["scorio"] == QUESTIONS:
        out.questions[x["key"]] = tuple(x["ids"])
    elif x["scorio"] == BASELINE:
        values = {name: x[name] for name in members} | {"builds": tuple(x["builds"])}
        if (baseline := Baseline(**values)) not in out.baselines:
            out.baselines.append(baseline)
    else:
        sizes = {len(column) if isinstance(column, list) else -1 for column in x["counts"]}
        if len(sizes) != 1 or -1 in sizes:
            raise InvalidInput("shape", "ledger", f"counts of {where} are not lists of one length")
        w = None if x["w"] is None else tuple(x["w"])
        builds.append(Build(**{name: x[name] for name in members} | {"w": w}))


def key_of(ids: Sequence[str]) -> str:
    """The key of a list of ids of questions."""
    return sha256(json.dumps(list(ids), ensure_ascii=False).encode()).hexdigest()[:12]


def append(ledger: Ledger, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append lines by a single write, which is on the disk before this returns; a torn last line gets its end."""
    data = "".join(json.dumps(x, ensure_ascii=False, separators=(",", ":")) + "\n" for x in lines).encode()
    if ledger.torn:
        data = b"\n" + data
    ledger.path.parent.mkdir(parents=True, exist_ok=True)
    f = os.open(ledger.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        written = os.write(f, data)
        os.fsync(f)
    finally:
        os.close(f)
    if written != len(data):
        raise OSError(28, f"only {written} of {len(data)} bytes were written", os.fspath(ledger.path))
    ledger.torn = False
