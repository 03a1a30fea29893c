"""``scorio baseline``: set a baseline of a ledger, show the baselines, or measure the noise of evaluations."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from .. import arguments, sinf
from .. import eval as metrics
from .. import ledger as files
from ..display.terms import interval, p_value
from ..display.text import listed, name_of, number, printable, score, score_format
from ..errors import InvalidInput, shown
from ..ledger import Baseline, Ledger
from ..page.columns import aligned, names_column, number_column, with_ends
from ..page.document import Block, Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.values import question_name
from ..results import RunTarget
from . import notes, options
from .base import HIDDEN, Result, about_file, about_of
from .each import one_model
from .history import first_gate
from .ledgers import (
    DETACHED,
    Judged,
    add_ledger,
    branch_of,
    build_of,
    judge,
    merge_by_lines,
    open_ledger,
    run_ratio,
    same_build,
    with_questions,
)


@dataclass(frozen=True)
class Row:
    """A baseline.

    Attributes
    ----------
    baseline, time, branch : str
    builds : tuple of str, the evaluations of its pin
    margin, confidence, runs
        As in :class:`scorio.ledger.Baseline`.
    mu, lo, hi : float, the score of the pooled evaluations and its interval
    pin_hi, floor : float, the upper end that the first floor is the margin below; the floor of the next build
    gated : int, builds that were gated against it
    smallest_margin : float or None
        The smallest margin at which an unchanged build passes with 80% power; None of one evaluation, or where it is
        the whole scale.
    """

    baseline: str
    builds: tuple[str, ...]
    margin: float
    confidence: float
    runs: RunTarget
    time: str
    branch: str
    mu: float
    lo: float
    hi: float
    pin_hi: float
    floor: float
    gated: int
    smallest_margin: float | None


@dataclass(frozen=True, kw_only=True)
class Baselines(Result):
    """The baselines of a ledger, each with what it promises.

    Attributes
    ----------
    table : tuple of Row
    recorded : tuple of str, the evaluations that the command recorded
    merged_by : str or None, the file that now tells git to keep the lines of both branches
    remarks : tuple of str, about the ledger
    """

    schema: ClassVar[str] = "scorio.baseline/1"
    table: tuple[Row, ...]
    recorded: tuple[str, ...] = ()
    merged_by: str | None = None
    remarks: tuple[str, ...] = field(default=(), metadata={HIDDEN: True})

    def document(self) -> Document:
        form, rows = score_format(self.about.w), self.table
        lead = [names_column("baseline", [printable(row.baseline) for row in rows])]
        columns = [
            Column("evaluations", [str(len(row.builds)) for row in rows]),
            Column("score", with_ends(form, [(row.mu, row.lo, row.hi) for row in rows])),
            Column("margin", [f"{row.margin:.10g}" for row in rows]),
            Column("next\nfloor", aligned(score(row.floor, form) for row in rows)),
            Column("builds\ngated", [f"{row.gated:,}" for row in rows]),
            Column("branch", [printable(row.branch) for row in rows], "left"),
            Column("set", [row.time[:10] for row in rows], "left"),
        ]
        blocks: list[Block] = [Table(lead, [columns], "Baselines")] if rows else []
        out = [line for row in rows for line in sentences(row, form, min(self.about.w or (0.0,)))]
        if self.recorded:
            out.append(f"Recorded in {printable(self.about.file)}: {listed(self.recorded)}.")
        if self.merged_by:
            out.append(f"Written: {printable(self.merged_by)}, by which git merges the ledgers of two branches.")
        head = f"{printable(self.about.file)}: {number(len(rows), 'baseline')}"
        return Document(head, blocks, out, self.remarks)


def sentences(row: Row, form: str, lowest: float = 0.0) -> list[str]:
    """Sentences about a baseline: first whether its margin can be held, then what it promises."""
    name, margin, out = name_of(row.baseline), f"{row.margin:.10g}", list[str]()
    if row.smallest_margin == 0.0:
        out.append(nothing_varies(f"the pin of {name}"))
    elif row.smallest_margin is not None and row.smallest_margin > row.margin:
        smallest = score(row.smallest_margin, form)
        out.append(
            f"The margin {margin} of {name} is out of reach: an unchanged build passes with 80% power from a margin of "
            f"{smallest} on. More trials of each question, or more evaluations in the pin, lower that."
        )
    elif row.smallest_margin is not None:
        smallest = score(row.smallest_margin, form)
        out.append(f"An unchanged build passes with 80% power from a margin of {smallest} on; {name} has {margin}.")
    elif len(row.builds) == 1:
        out.append(
            f"The pin of {name} is one evaluation: what margin these questions can hold is not known, and a build is "
            "compared with the chance of one evaluation too. Set it from several."
        )
    else:
        out.append(f"The margin {margin} of {name} is out of reach: no margin within the scale can be held.")
    ends = f"{interval(row.confidence)} {score(row.lo, form)} to {score(row.hi, form)}"
    promised = f"the next build passes if its score is shown to be above {score(row.floor, form)}"
    bound = (
        f"the upper end of the pin's {interval((1.0 + row.confidence) / 2)}, {score(row.pin_hi, form)}, less the margin"
    )
    raised = "raised by a build that passed; it was " if row.floor > row.pin_hi - row.margin + TINY else ""
    out.append(f"{name} scores {score(row.mu, form)}, {ends}: {promised}. That floor is {raised}{bound}.")
    if row.floor <= lowest:
        out.append(f"No build can fail: the floor is not above the lowest score, {score(lowest, form)}.")
    if not row.gated:
        out.append(f"Alarms and steps will be about builds of branch {name_of(row.branch)}.")
    return out


def baselines(ledger: Ledger, names: Sequence[str] | None = None) -> Baselines:
    """Show the baselines of a ledger that hold.

    Parameters
    ----------
    ledger : Ledger
    names : sequence of str, optional; default: all

    Returns
    -------
    Baselines
    """
    names = list(dict.fromkeys(x.name for x in ledger.baselines)) if names is None else names
    judged = [judge(ledger, name) for name in names]
    models = list(dict.fromkeys(y.model for x in judged for y in x.pinned))
    remarks = tuple(dict.fromkeys(y for x in judged for y in x.remarks)) if judged else tuple(ledger.remarks)
    w = judged[0].w if judged else None
    return Baselines(about=replace(about_file(str(ledger.path), models), w=w), table=tuple(map(_row, judged)),
                     remarks=remarks)  # fmt: skip


def _row(x: Judged) -> Row:
    pooled, gates, base = x.interval(x.pooled), first_gate(x), x.baseline
    smallest = None
    if len(x.pinned) > 1:
        floor = sinf.noise_floor([x.counts[y.id] for y in x.pinned], w=x.w, confidence=base.confidence)
        smallest = floor.margin_builds_runs if base.runs == "sampled" else floor.margin_builds
    return Row(
        base.name, base.builds, base.margin, base.confidence, "sampled" if base.runs == "sampled" else "fixed",
        base.time, base.branch, pooled.mu, pooled.lo, pooled.hi, gates.pin_hi,
        gates.next_floor if x.gates else gates.builds[0].floor, len(x.gated), smallest,
    )  # fmt: skip


TINY = 1e-12  # by which a floor that was never raised may differ from the bound less the margin, for rounding


MOST = 10  # flaky questions that are named
LEVEL = 0.05  # p-value below which evaluations are said to differ


@dataclass(frozen=True)
class EvaluationScore:
    """An evaluation: its name, its trials, and its score."""

    evaluation: str
    trials: int
    score: float


@dataclass(frozen=True, kw_only=True)
class Noise(Result):
    """How much evaluations of one build differ, and the smallest margins that gates of them hold at 80% power.

    Attributes
    ----------
    margin : float or None, the margin that is wanted
    mu, sigma, ratio, df, p_value, sd, flip_rate, margin_gate, margin_builds, margin_gate_runs, margin_builds_runs
        As in :class:`scorio.sinf.NoiseFloor`.
    flaky : tuple of str, the questions with two different scores
    shared_questions : int
    table : tuple of EvaluationScore
    remarks : tuple of str, about each log
    """

    schema: ClassVar[str] = "scorio.noise/1"
    margin: float | None
    mu: float
    sigma: float
    ratio: float
    df: float
    p_value: float
    sd: float
    flip_rate: float
    margin_gate: float | None
    margin_builds: float | None
    margin_gate_runs: float | None
    margin_builds_runs: float | None
    flaky: tuple[str, ...]
    shared_questions: int
    table: tuple[EvaluationScore, ...]
    remarks: tuple[str, ...] = field(metadata={HIDDEN: True})

    def document(self) -> Document:
        form = score_format(self.about.w)
        lead = [Column("evaluation", [name_of(row.evaluation) for row in self.table], "left")]
        columns = [Column("trials", [f"{row.trials:,}" for row in self.table]),
                   number_column("score", [row.score for row in self.table], form)]  # fmt: skip
        head = f"{number(len(self.table), 'evaluation')} of one build, {number(self.shared_questions, 'question')}"
        return Document(head, [Table(lead, [columns], "Evaluations")], noise_sentences(self, form), self.remarks)


def noise(evaluations: Sequence[EvaluationData], *, margin: float | None = None, confidence: float = 0.95) -> Noise:
    """Measure how much evaluations of one build differ.

    Parameters
    ----------
    evaluations : sequence of Evaluation, each of one model on the same questions
    margin : float, optional; the margin that is wanted
    confidence : float in (0, 1)

    Returns
    -------
    Noise
    """
    if margin is not None and arguments.real(margin, "margin") <= 0.0:
        raise InvalidInput("range", "margin", f"margin = {margin!r} is not above 0")
    parts: Mapping[str, Benchmark] = {e.name: e.select(one_model(e, None)).benchmark() for e in evaluations}
    if len(evaluations) < 2:
        raise InvalidInput("length", "file", "one evaluation: how much evaluations differ is shown by two or more")
    try:
        parts = replace(evaluations[0], benchmarks=parts).on_one_scale().benchmarks
    except InvalidInput:
        raise InvalidInput("conflict", "w", "the logs have different scores for the categories", "one_scale") from None
    logs = {name: next(iter(part.logs.values())) for name, part in parts.items()}
    w = next(iter(parts.values())).w
    x = sinf.noise_floor({name: log.counts for name, log in logs.items()}, w=w, confidence=confidence)
    ids, table = next(iter(logs.values())).ids, list[EvaluationScore]()
    for name, log in logs.items():
        mean = metrics.mean_ci(log.counts, w, questions="fixed", confidence=confidence).mu
        table.append(EvaluationScore(name, int(log.counts.trials.sum()), mean))
    return Noise(
        about=about_of(evaluations[0], "", confidence), margin=margin, mu=x.mu, sigma=x.sigma, ratio=x.ratio, df=x.df,
        p_value=x.p_value, sd=x.sd, flip_rate=x.flip_rate, margin_gate=x.margin_gate, margin_builds=x.margin_builds,
        margin_gate_runs=x.margin_gate_runs, margin_builds_runs=x.margin_builds_runs,
        flaky=tuple(ids[q] for q in x.flaky), shared_questions=len(ids), table=tuple(table),
        remarks=tuple(notes.of_logs({e.name: notes.gaps(about_of(e, "", confidence)) for e in evaluations})),
    )  # fmt: skip


def noise_sentences(x: Noise, form: str) -> list[str]:
    """Sentences: whether the wanted margin can be held, the smallest margins, the variance, flaky questions."""
    differ = x.p_value <= LEVEL
    builds, gate = (x.margin_builds_runs, x.margin_gate_runs) if differ else (x.margin_builds, x.margin_gate)
    out, n = list[str](), len(x.table)
    if not x.sigma:
        return [nothing_varies(f"the {n} evaluations")]
    if x.margin is not None and (builds is None or builds > x.margin):
        out.append(
            f"A margin of {x.margin:.10g} is out of reach: at it an unchanged build passes with less than 80% power. "
            "More trials of each question, or more evaluations in the pin, lower the smallest margin."
        )
    elif x.margin is not None:
        out.append(f"A margin of {x.margin:.10g} can be held: an unchanged build passes with 80% power or more.")
    whole = "none below the whole scale"
    smallest, single = (whole if y is None else score(y, form) for y in (builds, gate))
    out.append(f"Smallest margin at 80% power: {smallest} with {n} evaluations in the pin (scorio gate --baseline), "
               f"{single} in a single gate of two evaluations.")  # fmt: skip
    size = f"{x.ratio:.2f} times the variance that trials explain, {p_value(x.p_value)}"
    by_trials = f"by trials alone the standard deviation of an evaluation's score is {score(x.sigma, form)}"
    if differ:
        out.append(
            f"Evaluations differ more than their trials explain ({size}): {by_trials}, beyond that it is "
            f"{score(x.sd, form)}. The margins stated account for it, as does scorio baseline set --runs sampled."
        )
    else:
        out.append(f"Evaluations are not shown to differ beyond their trials ({size}); {by_trials}.")
    names = listed([question_name(q) for q in x.flaky], MOST)
    several = f"{number(len(x.flaky), 'question')} of {x.shared_questions:,}"
    flip = f"two trials of a question differ in {100 * x.flip_rate:.1f}%"
    out.append(f"Flaky: {several} ({names}); {flip}." if x.flaky else "No question has two different outcomes.")
    return out


def nothing_varies(evaluations: str) -> str:
    """Sentence about evaluations in which every trial of a question has the same score."""
    return (
        f"Nothing varies: in {evaluations} all trials of each question have the same score, so that what margin can be "
        "held is not known. Where answers are drawn at random, more trials show how much they vary; where the system "
        "is deterministic, its evaluations are copies, and scorio changes names each question that a build changes."
    )


EXAMPLES = """examples:
  scorio baseline set base.csv --name main --margin .02
  scorio baseline set a1.csv a2.csv a3.csv --name main --margin .02
  scorio baseline show
  scorio baseline noise a1.csv a2.csv a3.csv --margin .02

"""
MEANING = """set     record each log, an evaluation of one model, in the ledger, and pin the
        build that they evaluate as the baseline; they are pooled
show    the baselines that hold, with the floor of the next build
history the builds, with alarms and steps (scorio help history)
noise   how much evaluations of one build differ, which margin can be held

The margin, the confidence and --runs belong to the baseline: scorio gate
--baseline takes them from there. A baseline that is set again under its name
replaces the earlier one, and is a new promise: losses against successive pins
add up. The ledger is a text file to be committed; its lines are only appended.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, MEANING + options.SEE_FILES, run)
    parser.add_argument("action", choices=("set", "show", "history", "noise"), metavar="ACTION",
        help="set, show, history or noise")  # fmt: skip
    options.add_log(parser, optional=True)
    add = parser.add_argument
    add("--name", metavar="NAME", help="name of the baseline (default main; show: all)")
    add("--margin", type=float, metavar="M", help="the loss that is acceptable, in units of the score (set: required)")
    options.add(parser, runs={"choices": ("fixed", "sampled"),
                              "help": "sampled: verdicts account for the variance between evaluations (default fixed)"},
                confidence="1 - P is the error rate over all builds")  # fmt: skip
    add_ledger(parser, "commit", "branch", "id")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Baselines | Noise:
    if args.action == "history":  # cli takes it where it is the first word
        raise InvalidInput("conflict", "action", "history has options of its own, after it: scorio baseline history")
    logs = list(getattr(args, "files", None) or [])
    if args.action == "show":
        if logs:
            raise InvalidInput("conflict", "file", f"scorio baseline show reads the ledger alone: leave out {logs[0]}")
        reason = "baselines are shown as they were set, with their own margins"
        options.refuse_others(args, "action", reason, "name", "ledger")
        return baselines(open_ledger(args.ledger), args.name and [args.name])
    if args.action == "noise":
        reason = "scorio baseline noise records nothing, and shows the noise with runs fixed and sampled"
        options.refuse_others(args, "action", reason, "margin", "confidence", options.READING)
    if not logs:
        raise InvalidInput("conflict", "file", f"no log to read: scorio baseline {args.action} LOG ...")
    if twice := [x for x in logs if logs.count(x) > 1]:
        raise InvalidInput("duplicate", "file", f"{twice[0]} is named twice: each log is an evaluation of its own")
    each = [read(Namespace(**{**vars(args), "file": x, "files": [x]})) for x in logs]
    each = [e.select(one_model(e, None)) for e in each]
    ids = [q for e in each for q in e.benchmark().ids]
    each = [with_questions(e, ids) for e in each]
    if args.action == "noise":
        return noise(each, margin=args.margin, confidence=args.confidence)
    return _set(args, each)


def _set(args: Namespace, each: Sequence[Any]) -> Baselines:
    """Record the evaluations, and pin the build that they evaluate."""
    if args.margin is None:
        raise InvalidInput("missing", "margin", "--margin is required: the loss that is acceptable")
    ledger = open_ledger(args.ledger, begin=True)
    pinned, lines, recorded = list[str](), list[dict[str, Any]](), list[str]()
    for e in each:
        build, ids = build_of(e, ledger, args.commit, args.branch, args.id)
        if same := same_build(ledger, build, None):
            if same.id in pinned:
                what = f"{e.name} has the outcomes of another log: it is no evaluation of its own"
                raise InvalidInput("duplicate", "file", what)
            pinned.append(same.id)
            continue
        build = replace(build, digest=files.digest_of(build.line()))
        lines += files.lines_of(ledger, build, ids)
        ledger.builds[build.id], ledger.questions[build.questions] = build, tuple(ids)
        pinned.append(build.id)
        recorded.append(build.id)
    name, runs = "main" if args.name is None else args.name, args.runs or "fixed"
    if not (name.strip() and name.isprintable()):
        raise InvalidInput("choice", "name", f"{shown(name)} is no name of a baseline: it is empty, or not printable")
    branch = args.branch or branch_of(ledger)
    if branch == DETACHED:
        what = "this checkout of a commit is on no branch, and alarms are about the branch of the baseline: state it"
        raise InvalidInput("conflict", "branch", what)
    digests = tuple(ledger.builds[x].digest for x in pinned)
    replaced = list[str]()
    if any(x.name == name for x in ledger.baselines):
        earlier = baselines(ledger, [name])
        floor = score(earlier.table[0].floor, score_format(earlier.about.w))
        replaced.append(
            f"This replaces the pin of {earlier.table[0].time[:10]}, whose next floor was {floor}: losses against "
            "successive pins add up, and builds that were gated against the earlier one are not shown."
        )
    base = Baseline(name, tuple(pinned), digests, args.margin, args.confidence, runs, ledger.next_time(), branch)
    ledger.baselines.append(base)
    if runs == "sampled" and len(pinned) > 1:
        data = ledger.aligned(ledger.pinned(base))
        run_ratio(data.counts, data.w)  # refused before anything is written
    elif runs == "sampled":
        raise InvalidInput("conflict", "runs", "how much evaluations differ is not known from one: name several logs")
    result = baselines(ledger, [name])  # checks margin and confidence before anything is written
    gaps = notes.of_logs({x.name: notes.gaps(about_of(x, "", args.confidence), shows_fixed=True) for x in each})
    files.append(ledger, [*lines, base.line()])
    changed = merge_by_lines(ledger)
    return replace(result, recorded=tuple(recorded), merged_by=None if changed is None else str(changed),
                   remarks=(*replaced, *result.remarks, *gaps))  # fmt: skip
