"""``scorio baseline history``: the builds of a ledger with their scores, verdicts, alarms and steps."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..display.terms import interval, level
from ..display.text import listed, name_of, number, printable, score, score_format
from ..ledger import FOLDER, Ledger
from ..page.columns import aligned, names_column, with_ends
from ..page.document import Block, Column, Document, Lines, Table
from ..results import Decision, RunTarget
from ..sinf.ledger import Alarm
from . import notes, options
from .base import HIDDEN, Result, about_file
from .ledgers import Judged, judge, open_ledger

EVERY = 500  # builds for each false alarm, on average, of sinf.alarms


@dataclass(frozen=True)
class Row:
    """A build of a ledger.

    Attributes
    ----------
    build, time, branch : str; time in UTC
    commit : str or None
    pinned : bool, whether it is an evaluation of the pin, which no gate judges
    mu, lo, hi : float, the score on the shared questions, with its interval
    floor, p_worse, level : float or None; as in :class:`scorio.sinf.GatedBuild`; None of the pin
    verdict, recorded : {"pass", "fail", "inconclusive"} or None
        The verdict from the counts of all builds, and that at the time of the gate; None of the pin.
    alarm : {"loss", "gain"} or None, and ``since``, the build from which on the score has changed
    step, step_lo, step_hi : float or None, the change of the score with this build, and its interval
    step_first, step_last : str or None, the first and the last build with which it may have changed
    """

    build: str
    time: str
    commit: str | None
    branch: str
    pinned: bool
    mu: float
    lo: float
    hi: float
    floor: float | None = None
    p_worse: float | None = None
    level: float | None = None
    verdict: Decision | None = None
    recorded: Decision | None = None
    alarm: Alarm | None = None
    since: str | None = None
    step: float | None = None
    step_lo: float | None = None
    step_hi: float | None = None
    step_first: str | None = None
    step_last: str | None = None


@dataclass(frozen=True, kw_only=True)
class History(Result):
    """Every build that was gated against a baseline, after the evaluations of its pin, in the order of time.

    Attributes
    ----------
    baseline : str
    branch : str, the branch that alarms and steps are about
    margin : float, the loss against the pin that is acceptable
    pin, pin_hi, floor, next_level : float
        The score of the pin and the upper end of its interval; floor and level of the next build.
    shared_questions : int
    table : tuple of Row
    remarks : tuple of str, about lines, questions and branches
    top : int, largest number of builds that are shown
    """

    schema: ClassVar[str] = "scorio.history/1"
    baseline: str
    branch: str
    margin: float
    pin: float
    pin_hi: float
    floor: float
    next_level: float
    shared_questions: int
    table: tuple[Row, ...]
    remarks: tuple[str, ...] = field(metadata={HIDDEN: True})
    top: int = field(metadata={HIDDEN: True})

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores with their bands, the floor, the pin, alarms and steps."""
        from ..plot.runs import draw_history

        return draw_history(self, ax)

    def document(self) -> Document:
        rows = self.table[-self.top :]
        form = score_format(self.about.w)
        commits = [(row.commit or "")[:8] for row in rows]
        known = all(not c or row.build.startswith(c) for c, row in zip(commits, rows, strict=True))
        lead = [names_column("build", [printable(row.build) for row in rows])]
        columns = [] if known else [Column("commit", commits, "left")]
        columns.append(Column("time", [row.time[:16].replace("T", " ") for row in rows], "left"))
        scores = with_ends(form, [(row.mu, row.lo, row.hi) for row in rows])
        kinds = ["worse" if row.verdict == "fail" else "" for row in rows]
        columns += [
            Column(f"score\n{interval(self.about.confidence)}", scores),
            Column("floor", aligned("" if row.floor is None else score(row.floor, form) for row in rows)),
            Column("verdict", ["pin" if row.pinned else row.verdict or "" for row in rows], "left", kinds=kinds),
            Column("alarm", [row.alarm or "" for row in rows], "left"),
            Column("step", aligned("" if row.step is None else f"{row.step:+{form}}" for row in rows)),
        ]
        blocks: list[Block] = [Table(lead, [columns], "Builds")]
        if len(rows) < len(self.table):
            blocks.append(Lines([f"{number(len(self.table) - len(rows), 'earlier build')} not shown: --top"]))
        gated = sum(not row.pinned for row in self.table)
        head = notes.title(self.about, f"baseline {printable(self.baseline)}", f"{number(gated, 'gated build')}",
                           number(self.shared_questions, "question"))  # fmt: skip
        return Document(head, blocks, sentences(self), self.remarks, [promise(self)])


def history(
    ledger: Ledger, baseline: str = "main", *, runs: RunTarget | None = None, branch: str | None = None, top: int = 40
) -> History:
    """Tell the history of the builds that were gated against a baseline.

    Parameters
    ----------
    ledger : Ledger, as :func:`scorio.ledger.read_ledger` returns it
    baseline : str
    runs : {"fixed", "sampled"}, optional
        "sampled": alarms and steps account for differences between evaluations that their trials do not explain.
        Default: as the baseline was set.
    branch : str, optional; which branch alarms and steps are about; default: that of the baseline
    top : int, largest number of builds that are shown; the result has all

    Returns
    -------
    History
    """
    return history_of(judge(ledger, baseline, runs=runs, branch=branch), ledger, top)


def history_of(x: Judged, ledger: Ledger, top: int = 40) -> History:
    """The history that the builds of a ledger make up."""
    gates = first_gate(x)
    models = list(dict.fromkeys(y.model for y in (*x.pinned, *x.gated)))
    about = about_file(str(ledger.path), models, x.baseline.confidence)
    return History(
        about=replace(about, questions="fixed", w=x.w, runs=x.baseline.runs), baseline=x.baseline.name,
        branch=x.branch, margin=x.baseline.margin, pin=gates.pin, pin_hi=gates.pin_hi,
        floor=gates.next_floor if x.gates else gates.builds[0].floor,
        next_level=gates.next_level if x.gates else gates.builds[0].level, shared_questions=len(x.ids),
        table=rows_of(x), remarks=x.remarks, top=max(top, 1),
    )  # fmt: skip


def first_gate(x: Judged) -> Any:
    """The gates of the builds; of none, that of the pin itself, whose first floor and level are those of any build."""
    from .. import sinf

    if x.gates:
        return x.gates
    pins = [x.counts[y.id] for y in x.pinned]
    base = x.baseline
    return sinf.gate_builds([x.pooled], pins, margin=base.margin, confidence=base.confidence, w=x.w,
                            runs=x.ratio or "fixed")  # fmt: skip


def rows_of(x: Judged) -> tuple[Row, ...]:
    """Rows of the pin and of the gated builds."""
    gates = {row.build: row for row in x.gates.builds} if x.gates else {}
    rows = list[Row]()
    for y in (*x.pinned, *x.gated):
        score, gate, more = x.interval(x.counts[y.id]), gates.get(y.id), dict[str, Any]()
        if gate is not None:
            more = {name: getattr(gate, name) for name in ("floor", "p_worse", "level", "verdict")}
            more["recorded"] = y.gate.get("verdict") if y.gate else None
            if (watched := x.alarms.get(y.id)) and watched.alarm:
                more |= {"alarm": watched.alarm, "since": watched.since}
            if z := x.steps.get(y.id):
                more |= {"step": z.mu, "step_lo": z.lo, "step_hi": z.hi, "step_first": z.first, "step_last": z.last}
        rows.append(Row(y.id, y.time, y.commit, y.branch, gate is None, score.mu, score.lo, score.hi, **more))
    return tuple(rows)


def sentences(x: History) -> list[str]:
    """Sentences: alarms, steps, the verdicts, and the floor of the next build."""
    form, gated = score_format(x.about.w), [row for row in x.table if not row.pinned]
    out = [alarm_text(row) for row in gated if row.alarm]
    out += [step_text(row, form, x.about.confidence) for row in gated if row.step is not None]
    if not gated:
        return [f"No build was gated against this pin yet. The floor is {score(x.floor, form)}."]
    if not any(row.branch == x.branch for row in gated):
        what = f"Alarms and steps are about branch {name_of(x.branch)}, of which no build was gated"
        out = [f"{what}: whether the score has changed was not looked at. --branch names another branch."]
    elif not out:
        out = ["No alarm, and no step: no change of the score is shown."]
    counts = [(word, sum(row.verdict == word for row in gated)) for word in ("pass", "inconclusive", "fail")]
    verdicts = listed([f"{n:,} {word}" for word, n in counts if n], 3)
    pin = f"the pin scores {score(x.pin, form)}, at most {score(x.pin_hi, form)}"
    return [*out, f"{number(len(gated), 'gated build')}: {verdicts}. The next floor is {score(x.floor, form)} ({pin}; "
            f"margin {x.margin:.10g})."]  # fmt: skip


def alarm_text(row: Row) -> str:
    """Sentence about an alarm."""
    change = "fallen" if row.alarm == "loss" else "risen"
    return f"Alarm at build {name_of(row.build)}: the score has {change} since build {name_of(row.since)}."


def step_text(row: Row, form: str, confidence: float) -> str:
    """Sentence about a step."""
    lo, mu, hi = (score(y, form) for y in (row.step_lo or 0.0, row.step or 0.0, row.step_hi or 0.0))
    one = row.step_first == row.step_last
    place = "" if one else f" (or another of {name_of(row.step_first)} to {name_of(row.step_last)})"
    return f"The score changed with build {name_of(row.build)}{place} by {mu}, {interval(confidence)} {lo} to {hi}."


def promise(x: History) -> str:
    """Sentence with the error rates of verdicts, alarms and steps."""
    wrong, step = level((1.0 - x.about.confidence) / 2), level(1.0 - x.about.confidence)
    return (
        f"With a probability of at most {wrong} any build passes, of all together, whose true score on these questions "
        f"is more than {x.margin:.10g} below that of the pin. Alarms state one false alarm in {EVERY} builds; in "
        f"{step} of histories without a change a step is shown. Measured rates are in bench/README.md."
    )


EXAMPLES = """examples:
  scorio baseline history                  the ledger .scorio/ledger.jsonl
  scorio baseline history .scorio --baseline main --format markdown
  scorio baseline history --runs sampled   if whole evaluations differ
  scorio plot history .scorio -o history.png

"""
MEANING = """The builds that scorio gate --baseline recorded, with their scores on the
questions that all have, in the order of time:
  floor    the score that a build must exceed: the upper end of the pin's
           interval less the margin; a build that passes may raise it
  verdict  from the counts of all builds, again at each call; pin: an evaluation
           of the build that is the baseline
  alarm    the score has fallen (loss) or risen (gain): one false alarm in 500
           builds
  step     the score changed with this build, by so much
Alarms and steps are about the branch of the baseline, or that of --branch.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, MEANING, run)
    parser.add_argument("ledger", nargs="?", default=FOLDER, metavar="LEDGER",
        help="folder of the ledger, or its file (default .scorio)")  # fmt: skip
    parser.add_argument("--ledger", dest="folder", help=SUPPRESS)  # as the other actions of baseline state it
    parser.add_argument("--baseline", default="main", metavar="NAME", help="the baseline (default main)")
    options.add(
        parser,
        runs={
            "choices": ("fixed", "sampled"),
            "help": "sampled: for differences between evaluations too (default: as it was set)",
        },
    )
    parser.add_argument("--branch", metavar="NAME",
        help="alarms and steps are about this branch (default: that of the baseline)")  # fmt: skip
    options.add(parser, top={"default": 40, "help": "largest number of builds in the table"})
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> History:
    return history(
        open_ledger(args.folder or args.ledger), args.baseline, runs=args.runs, branch=args.branch, top=args.top
    )
