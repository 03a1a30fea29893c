"""Parts that commands about ledgers share: options, the build that a log is, and the answers of git about it."""

from __future__ import annotations

import os
import subprocess
from argparse import ArgumentParser
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import ledger as files
from ..errors import InvalidInput, shown
from ..ledger import Build, Ledger
from ..outcomes.counts import Counts
from ..readers.evaluation import EvaluationData
from ..readers.logs import Log
from . import options
from .each import one_model

DETACHED = "(no branch)"  # the branch of a checkout of a commit
# where CI systems, which often check out a commit, state the branch
STATED = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILD_SOURCEBRANCHNAME", "BRANCH_NAME")


def add_ledger(parser: ArgumentParser, *more: str) -> Any:
    """Add the option of the ledger, and those of the build that is recorded in it; returns their group."""
    texts = {
        "commit": ("SHA", "commit of the build (default: that of git where the ledger is)"),
        "branch": ("NAME", "branch of the build (default: that of git where the ledger is, else main)"),
        "id": ("ID", "name of the build (default: the first 12 characters of the commit, or the time)"),
    }
    group = parser.add_argument_group(options.LEDGER)
    group.add_argument("--ledger", default=files.FOLDER, metavar="DIR",
        help="folder of the ledger, or its file (default .scorio)")  # fmt: skip
    for name in more:
        if name == "no-record":
            group.add_argument("--no-record", action="store_true", help="give the verdict without recording the build")
        else:
            group.add_argument(f"--{name}", metavar=texts[name][0], help=texts[name][1])
    return group


def open_ledger(path: str, begin: bool = False) -> Ledger:
    """Read a ledger; where there is none yet, the error says how to begin one, unless ``begin`` is true."""
    return files.read_ledger(_place(path, begin), missing_ok=begin)


def ledger_to_record(path: str, record: bool = True) -> AbstractContextManager[Ledger]:
    """Read a ledger, which nobody else appends to until the end, if a build is to be recorded."""
    return files.hold(_place(path)) if record else nullcontext(open_ledger(path))


def _place(path: str, begin: bool = False) -> str:
    """Where a ledger is: the path, or the nearest folder of the default name."""
    if path == files.FOLDER:
        path = str(_nearest(path))
    file = files.file_of(path)
    if begin or file.exists():
        return path
    if Path(path).suffix:  # a file that was named
        raise FileNotFoundError(2, "No such file or directory", path)
    raise InvalidInput("choice", "ledger", f"there is no ledger {file}", "no_ledger")


def _nearest(folder: str) -> Path:
    """The folder of this name here, or above it in the same checkout of git."""
    for here in (Path.cwd(), *Path.cwd().parents):
        if files.file_of(here / folder).exists():
            return here / folder if here != Path.cwd() else Path(folder)
        if (here / ".git").exists():
            break
    return Path(folder)


def with_questions(e: EvaluationData, ids: Iterable[str]) -> EvaluationData:
    """A log of one benchmark; where --missing counts missing outcomes, so it does those of these questions."""
    if isinstance(e.provenance.missing, str):
        return e
    part, wanted = e.benchmark(), list(dict.fromkeys(ids))
    lacking = Log(wanted, Counts(np.zeros((len(wanted), 2), np.int64)))
    wider = replace(part, logs={**part.logs, "": lacking})
    return replace(e, benchmarks={part.name: wider}).completed().select(e.models)


def build_of(
    e: EvaluationData, ledger: Ledger, commit: str | None = None, branch: str | None = None, id: str | None = None,
    shared: bool = False,
) -> tuple[Build, list[str]]:  # fmt: skip
    """The build that a log of one model is, by default at the commit and on the branch of git, and its questions.

    shared : leave out questions without a trial, as if the log did not have them
    """
    name, part = one_model(e, None), e.benchmark()
    log = part.log(name)
    ids, counts = list(log.ids), log.counts
    if counts.empty and not shared:
        what = f"question {shown(ids[counts.empty[0]])} of {e.name} has no trial: every build needs one"
        raise InvalidInput("missing", "file", what, "count_missing")
    if counts.empty:
        kept = [q for q in range(counts.M) if q not in set(counts.empty)]
        ids, counts = [ids[q] for q in kept], Counts(counts.table[kept])
    if id is not None and not (id.strip() and id.isprintable()):
        raise InvalidInput("choice", "id", f"{shown(id)} is no name of a build: it is empty, or not printable")
    time, commit = ledger.next_time(), commit or git(ledger, "rev-parse", "HEAD") or None
    build = Build(
        ledger.new_id(id or (commit[:12] if commit else time)), time, commit, branch or branch_of(ledger),
        name, files.key_of(ids), part.w, counts.table.T.tolist(), task=part.name,
    )  # fmt: skip
    return build, ids


def branch_of(ledger: Ledger) -> str:
    """The branch of the checkout that holds the ledger; main outside of git."""
    if not git(ledger, "rev-parse", "--git-dir"):
        return "main"
    stated = next(filter(None, map(os.environ.get, STATED)), DETACHED)
    return git(ledger, "symbolic-ref", "--short", "--quiet", "HEAD") or stated


def git(ledger: Ledger, *words: str) -> str:
    """Answer of git about the checkout that holds a ledger; "" where there is none."""
    folder = next(x for x in (ledger.path.absolute().parent, *ledger.path.absolute().parents) if x.is_dir())
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def merge_by_lines(ledger: Ledger) -> Path | None:
    """Tell git to merge a ledger by keeping the lines of both branches; the file that was changed, if any."""
    path, line = ledger.path.parent / ".gitattributes", f"{ledger.path.name} merge=union"
    text = path.read_text() if path.exists() else ""
    if line in text.splitlines():
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as f:
        f.write(("" if text.endswith("\n") or not text else "\n") + line + "\n")
    return path
