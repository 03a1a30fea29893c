"""Ledgers of builds as commands use them: verdicts, alarms and steps from the counts; options; what git says."""

from __future__ import annotations

import os
import subprocess
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import eval as metrics
from .. import ledger as files
from .. import sinf
from ..display.text import listed, name_of, number
from ..errors import InvalidInput, shown
from ..ledger import Baseline, Build, Ledger
from ..outcomes.counts import Counts
from ..readers.evaluation import Benchmark, EvaluationData, Provenance
from ..readers.logs import Log
from ..results import MetricInterval
from . import options
from .each import one_model


@dataclass(frozen=True)
class Judged:
    """Verdicts, alarms and steps of the builds that were gated against a baseline.

    Attributes
    ----------
    baseline : Baseline
    pinned, gated : tuple of Build
        The evaluations of the pin; every build that was gated against it, in the order of time.
    branch : str, the branch that alarms and steps are about
    followed : frozenset of str; the ids of the gated builds on this branch
    ids : tuple of str, the shared questions
    counts : mapping of str to Counts, of all these builds on the shared questions
    w : tuple of float or None, the scores of the categories
    gates : BuildGates; without a gated build None
    alarms, steps : mapping of str to WatchedBuild, and to Step, by the id of the build
    remarks : tuple of str, what a reader must know about the lines and the questions
    """

    baseline: Baseline
    pinned: tuple[Build, ...]
    gated: tuple[Build, ...]
    branch: str
    followed: frozenset[str]
    ids: tuple[str, ...]
    counts: dict[str, Counts]
    w: tuple[float, ...] | None
    gates: sinf.BuildGates | None
    alarms: dict[str, sinf.WatchedBuild]
    steps: dict[str, sinf.Step]
    remarks: tuple[str, ...]

    @property
    def pooled(self) -> Counts:
        """The evaluations of the pin, pooled."""
        first, *others = (self.counts[x.id] for x in self.pinned)
        return sum(others, first)

    def interval(self, counts: Counts) -> MetricInterval:
        """The score of a build with its interval on these questions."""
        return metrics.mean_ci(
            counts, self.w, questions="fixed", confidence=self.baseline.confidence, runs=self.ratio or "fixed"
        )

    @cached_property
    def ratio(self) -> dict[str, float] | None:
        """How much more evaluations of the pin differ than their trials explain; None if runs are fixed."""
        return run_ratio([self.counts[x.id] for x in self.pinned], self.w) if self.baseline.runs == "sampled" else None


def run_ratio(evaluations: Sequence[Counts], w: Any) -> dict[str, float]:
    """The argument `runs` of gates whose pin has these evaluations."""
    x = sinf.noise_floor(evaluations, w=w)
    return {"ratio": x.ratio, "df": x.df}


def judge(
    ledger: Ledger, name: str, candidate: Build | None = None, runs: str | None = None, shared: bool = False,
    branch: str | None = None,
) -> Judged:  # fmt: skip
    """Compute verdicts, alarms and steps of the builds that were gated against a baseline, and of a candidate.

    runs : "fixed" or "sampled" for alarms and steps; default: that of the baseline
    shared : whether builds that lack questions of the pin count, so that all builds are judged on the shared ones;
        otherwise they are left out, and no build shrinks the questions of another
    branch : which one alarms and steps are about; default: that of the baseline
    """
    baseline = ledger.baseline(name)
    pinned = tuple(ledger.pinned(baseline))
    others = [x for x in ledger.builds.values() if x.gate and x.gate.get("baseline") == name]
    gated = [x for x in others if x.gate and x.gate.get("pin") == baseline.pin]
    short = {key for key in {x.questions for x in gated} if lacking_questions(ledger, key, baseline)}
    lacking = [] if shared else [x for x in gated if x.questions in short]
    gated = [x for x in gated if x not in lacking] + ([candidate] if candidate else [])
    data = ledger.aligned([*pinned, *gated])
    counts = dict(zip([x.id for x in (*pinned, *gated)], data.counts, strict=True))
    branch = branch or baseline.branch
    followed = {x.id: counts[x.id] for x in gated if x.branch == branch}
    pins = [counts[x.id] for x in pinned]
    ratio = run_ratio(pins, data.w) if baseline.runs == "sampled" else None
    gates, alarms, steps = None, list[sinf.WatchedBuild](), list[sinf.Step]()
    if gated:
        gates = sinf.gate_builds(
            {x.id: counts[x.id] for x in gated}, pins, margin=baseline.margin, confidence=baseline.confidence,
            w=data.w, runs=ratio or "fixed",
        )  # fmt: skip
    if followed:
        options: Any = {"w": data.w, "runs": runs or baseline.runs}
        alarms = sinf.alarms(followed, pins, **options).builds
        # the pin is the first build, so that a step to the build after it can be seen
        pooled = sum(pins[1:], pins[0])
        steps = sinf.steps({"": pooled} | followed, confidence=baseline.confidence, **options)
    out = Judged(
        baseline, pinned, tuple(gated), branch, frozenset(followed), data.ids, counts, data.w, gates,
        {x.build: x for x in alarms}, {x.build: x for x in steps}, (),
    )  # fmt: skip
    earlier = len(others) - len(gated) - len(lacking) + bool(candidate)
    remarks = [*ledger.remarks, *_remarks(out, candidate, earlier, data.others)]
    if lacking:
        builds = f"{number(len(lacking), 'build')} ({listed([x.id for x in lacking], 3, 'other')})"
        remarks.append(f"Left out: {builds} that lacked questions of the pin, and got a verdict by --shared.")
    return replace(out, remarks=tuple(remarks))


def _remarks(x: Judged, candidate: Build | None, earlier: int, left_out: int) -> list[str]:
    """Facts about the questions and the builds that were left out, and verdicts that have changed."""
    out = []
    if left_out:
        what = number(left_out, "question")
        out.append(f"Left out: {what} that only some of the builds have; all builds are judged on {len(x.ids):,}.")
    if elsewhere := len(x.gated) - len(x.followed):
        builds, branch = number(elsewhere, "build"), name_of(x.branch)
        verb = "was" if elsewhere == 1 else "were"
        out.append(f"Alarms and steps are about branch {branch}: {builds} of other branches {verb} only gated.")
    models = {y.model for y in x.pinned}
    if len(models) > 1:
        out.append(f"The pin pools evaluations of different models: {listed(sorted(models))}.")
    gates = [(y, y.gate.get("missing") if y.gate else None) for y in x.gated if y is not candidate]
    if gaps := [f"{y.id} ({n:,})" for y, n in gates if isinstance(n, int) and n > 0]:
        builds = listed(gaps, 3, "other")
        out.append(f"Missing outcomes were left out in {builds}: if trials went missing because of how they went, the "
                   "numbers of these builds are biased.")  # fmt: skip
    if others := [f"{y.id} ({y.model})" for y in x.gated if y.model not in models]:
        out.append(f"The pin is of {listed(sorted(models))}; of other models: {listed(others, 3, 'other')}.")
    inserted, first = list[str](), float("inf")  # builds whose line is below that of a build of a later time
    for build in reversed(x.gated):
        if build.number > first:
            inserted.insert(0, build.id)
        first = min(first, build.number or first)
    if inserted:
        what = f"{number(len(inserted), 'build')} ({listed(inserted, 3, 'other')})"
        out.append(f"The order is by time: {what} came into the ledger after later ones, as by a merge: the verdicts "
                   "of these may differ from those at their gates.")  # fmt: skip
    if earlier:
        out.append(f"Not shown: {number(earlier, 'build')} gated against an earlier pin of this baseline.")
    verdicts = {row.build: row.verdict for row in x.gates.builds} if x.gates else {}
    changed = [
        f"{y.id} ({y.gate['verdict']}, now {verdicts[y.id]})"
        for y in x.gated if y is not candidate and y.gate and y.gate.get("verdict") != verdicts[y.id]
    ]  # fmt: skip
    if changed:
        why = "since builds were added before them, questions differ, or lines were edited"
        out.append(f"Verdicts that were others when the builds were gated, {why}: {listed(changed)}.")
    return out


def same_build(ledger: Ledger, x: Build, pin: str | None) -> Build | None:
    """The build of the ledger with the same commit, model and counts, gated against this pin on the same branch.

    pin : None: gated against any or none, on any branch
    """
    names = ("commit", "model", "questions", "w", "counts", *(["branch"] if pin else []))
    same = (y for y in ledger.builds.values() if all(getattr(x, name) == getattr(y, name) for name in names))
    return next((y for y in same if pin is None or (y.gate and y.gate.get("pin") == pin)), None)


def questions_of_pin(ledger: Ledger, baseline: Baseline) -> list[str]:
    """The questions of any evaluation of the pin."""
    return list(dict.fromkeys(q for y in ledger.pinned(baseline) for q in ledger.questions[y.questions]))


def lacking_questions(ledger: Ledger, key: str, baseline: Baseline) -> list[str]:
    """The questions of the pin that are not among those of a key."""
    own = set(ledger.questions[key])
    return [q for q in questions_of_pin(ledger, baseline) if q not in own]


def check_task(ledger: Ledger, x: Build, baseline: Baseline) -> None:
    """Refuse a build of another task than those of the pin."""
    tasks = list(dict.fromkeys(y.task for y in ledger.pinned(baseline) if y.task))
    if x.task and tasks and x.task not in tasks:
        what = f"the pin of {shown(baseline.name)} is of task {listed([shown(y) for y in tasks])}, this log of"
        raise InvalidInput("conflict", "task", f"{what} {shown(x.task)}: its questions are others")


def check_questions(ledger: Ledger, x: Build, baseline: Baseline) -> None:
    """Refuse a build that lacks questions of the pin."""
    if lacking := lacking_questions(ledger, x.questions, baseline):
        what = f"{x.id} lacks {number(len(lacking), 'question')} of the pin of {shown(baseline.name)}"
        which = listed([shown(q) for q in lacking], 3)
        raise InvalidInput("missing", "shared", f"{what}: {which}", "shared_builds")


def pin_and_latest(x: Judged, ledger: Ledger) -> EvaluationData:
    """The pin, pooled, and the latest build of its branch, as two models of an evaluation."""
    latest = next((y for y in reversed(x.gated) if y.id in x.followed), None)
    if latest is None:
        what = f"no build of branch {shown(x.branch)} was gated against baseline {shown(x.baseline.name)} yet"
        others = dict.fromkeys(y.branch for y in x.gated)
        there_are = f"; there are builds of {listed([shown(y) for y in others], 3)}" if others else ""
        raise InvalidInput("empty", "ledger", what + there_are, "other_branch" if others else None)
    logs = {f"pin of {x.baseline.name}": Log([*x.ids], x.pooled), latest.id: Log([*x.ids], x.counts[latest.id])}
    return EvaluationData({"": Benchmark("", logs, w=x.w)}, Provenance((str(ledger.path),), remarks=x.remarks))


def failing_since(x: Judged, questions: Sequence[str]) -> list[str]:
    """For each question, the first build after which no share of successes is nearer to the pin than to the latest."""
    followed = [y.id for y in x.gated if y.id in x.followed]
    rows = [x.ids.index(q) for q in questions]
    shares = np.array([successes(x.counts[y])[rows] for y in followed])
    middle = (successes(x.pooled)[rows] + shares[-1]) / 2
    out = []
    for column in range(len(rows)):
        holds = np.flatnonzero(shares[:, column] >= middle[column])
        out.append(followed[int(holds[-1]) + 1 if holds.size else 0])
    return out


def successes(x: Counts) -> npt.NDArray[np.float64]:
    """The share of successes of each question."""
    shares: npt.NDArray[np.float64] = x.table[:, 1] / x.trials
    return shares


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
    if path == files.FOLDER:  # here, or above in the same checkout of git
        for here in (Path.cwd(), *Path.cwd().parents):
            if files.file_of(here / path).exists():
                path = path if here == Path.cwd() else str(here / path)
                break
            if (here / ".git").exists():
                break
    file = files.file_of(path)
    if begin or file.exists():
        return path
    if Path(path).suffix:  # a file that was named
        raise FileNotFoundError(2, "No such file or directory", path)
    raise InvalidInput("choice", "ledger", f"there is no ledger {file}", "no_ledger")


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
