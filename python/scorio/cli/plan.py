"""``scorio plan``: the sample size, in trials or in questions, that a target needs."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..analysis.plan import plan_ahead
from ..errors import InvalidInput
from . import design, options

EXAMPLES = """examples:
  scorio plan runs.csv                      neighbours in the ranking
  scorio plan runs.csv --model a --model b  these two, with a table of power
  scorio plan runs.csv --difference 0.02    to detect a difference of 2 points
  scorio plan runs.csv --margin 0.02        to pass a gate with this margin
  scorio plan runs.csv --power 0.9          neighbours, with 90% power
  scorio plan runs.csv --half-width 0.02    for intervals of +/- 0.02
  scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02
  scorio plan runs.csv --design --se 0.02 --cost-question 10

"""
MEANING = """columns of the table (total numbers needed, not additional ones):
  trials     per question, on this question set: a significant difference then
             says that these models differ on these questions
  questions  with the present number of trials per question: a significant
             difference then says that they differ on similar questions too
The second table has the power by trials and by questions, if the difference
planned for is the true one. Without a log a plan rests on --n-questions,
--n-trials, --rate, --between and --correlation.

The comparison is two-sided, at the level 1 - P of --confidence P. If the true
difference is the observed one, or that of --difference, it is then detected
with the stated power. An observed difference is itself an estimate: state the
one that matters, or plan again when there are more data. With --margin: a
candidate that is as good as its baseline then passes a gate with that margin,
with the stated power.
At the same number of calls to the model, a new question is worth at least as
much as another trial of an old one, unless only this question set matters.
"never": the averages are equal, so no sample size can be planned. "<=": some
questions have one trial, so the variance is an upper bound; fewer trials may
suffice.

"""
NO_LOG_OPTIONS: tuple[tuple[str, Any, str, str], ...] = (  # name, type, metavar and purpose of each option
    ("n_questions", int, "Q", "questions"),
    ("n_trials", int, "N", "trials per question"),
    ("rate", float, "P", "expected success rate of both models"),
    ("between", float, "S", "share of the variance that is between questions (default 0.5)"),
    ("correlation", float, "R", "correlation of the two models' success rates over questions (default 0.3)"),
)
NO_LOG_EXAMPLE = "scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02"


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + design.MEANING + options.SEE_FILES, run)
    options.add_log(parser, optional=True)
    add = parser.add_argument
    add("--difference", type=float, metavar="D", help="the true difference to detect (default: the observed one)")
    add("--margin", type=float, metavar="M", help="plan for a gate with this margin instead")
    add("--half-width", type=float, metavar="H", help="plan for intervals of +/- H instead")
    add("--power", type=float, default=0.8, metavar="POWER",
        help="probability of detecting the difference, or of passing the gate (default 0.8)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P",
        help="1 - level of the two-sided comparison; with --half-width the coverage of the interval "
        "(default 0.95)")  # fmt: skip
    for name, kind, metavar, purpose in NO_LOG_OPTIONS:
        add(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=f"without a log: {purpose}")
    design.add(parser)
    options.add_forms(parser)


def run(args: Namespace) -> Any:
    """Plan from a log, with --design or without, or plan without a log."""
    settings = {name: getattr(args, name) for name in ("difference", "margin", "power", "confidence")}
    without_log = {name: x for name, *_ in NO_LOG_OPTIONS if (x := getattr(args, name)) is not None}
    if not args.files:
        if not {"n_questions", "n_trials", "rate"} <= without_log.keys():
            raise InvalidInput("conflict", "file", f"no log to plan from: scorio plan LOG, or {NO_LOG_EXAMPLE}")
        if args.half_width is not None or (args.difference is None) == (args.margin is None):
            reason = "without a log a plan is for one of --difference 0.02 and --margin 0.02"
            raise InvalidInput("conflict", "difference", reason)
        return plan_ahead(**without_log, **settings)
    if without_log:
        first = next(iter(without_log))
        option = first.replace("_", "-")
        reason = f"--{option} is for a plan without a log: leave it out, or {NO_LOG_EXAMPLE}"
        raise InvalidInput("conflict", first, reason)
    for_plans = {name: x for name in ("difference", "margin", "half_width") if (x := getattr(args, name)) is not None}
    for name in for_plans if args.design else design.given(args):
        option, which = name.replace("_", "-"), "without" if args.design else "with"
        raise InvalidInput("conflict", name, f"--{option} is for a plan {which} --design")
    if args.design:
        return design.run(args)
    return options.evaluation(args).plan(half_width=args.half_width, **settings)
