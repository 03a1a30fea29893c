"""``scorio plan --design``: questions and trials that reach a target, and what they cost."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..display.text import number
from . import output
from .items import read
from .tables import Column, aligned, rendered

COEFFICIENT = 0.8  # the target where none is stated
MEANING = """scorio plan --design: how many questions of 1, 2, 4, ... trials reach a target,
for the population of similar questions and models, and which design is
cheapest. The cost is that of one model: a price of every question, and one of
every trial. Outcomes must be binary.

"""


def add(parser: Any) -> None:
    """The options."""
    group = parser.add_argument_group("designs (with --design)")
    add = group.add_argument
    add("--design", action="store_true", help="questions x trials for a target, instead of sample sizes by model")
    add("--se", type=float, metavar="SE", help="target: standard error of the difference of two models")
    add("--coefficient", type=float, metavar="R",
        help=f"target: reliability of the ranking of the models (default {COEFFICIENT})")  # fmt: skip
    add("--cost-question", type=float, default=0.0, metavar="C", help="price of a new question (default 0)")
    add("--cost-trial", type=float, default=1.0, metavar="C", help="price of a trial of one model (default 1)")
    add("--max-trials", type=int, default=1000, metavar="N", help="most trials per question (default 1000)")


def run(args: Namespace) -> output.Answer:
    """Read, try all numbers of trials, print."""
    from .. import items
    from ..leaderboard import incomplete

    logs, models, _ = read(args, 2)
    rho = COEFFICIENT if args.coefficient is None and args.se is None else args.coefficient
    given = {"cost_question": args.cost_question, "cost_trial": args.cost_trial, "max_trials": args.max_trials}
    found = items.design(models, se=args.se, rho=rho, **given)
    now = items.reliability(models)
    records = [x._asdict() for x in found]
    notes = [*_said(found, now, args.se, rho), *incomplete(logs, args.missing)]

    def page(width: int) -> list[str]:
        return [output.title(args, len(logs)), _table(records)]

    return output.answer(args, records, notes, page, models=list(logs), target={"se": args.se, "rho": rho}, **given)


def _said(found: Any, now: Any, se: float | None, rho: float | None) -> list[str]:
    best = next(x for x in found if x.cheapest)
    target = f"a standard error of {se:.10g}" if se is not None else f"a coefficient of {rho:.10g}"
    said = [
        f"Cheapest for {target}: {number(best.questions, 'question')} of {number(best.trials, 'trial')} each, "
        f"{best.cost:,.10g} per model.",
        f"The {now.questions:,} questions of {number(round(now.trials), 'trial')} in this log: standard error "
        f"{now.se:.3f}, coefficient {now.rho:.3f}.",
        "Standard error: of the difference of two models for the population of similar questions. Coefficient: the "
        "squared correlation of the observed means with the true ones. Both rest on variances estimated from this log.",
    ]
    if now.var_trials is None:
        said.append("All questions have a single trial, so what more trials would bring is unknown.")
    return said


def _table(records: list[dict[str, Any]]) -> str:
    def numbers(header: str, key: str, form: str) -> Column:
        return Column(header, aligned(format(r[key], form) for r in records))

    return rendered(
        [
            Column("trials per\nquestion", [f"{r['trials']:,}" for r in records]),
            Column("questions", [f"{r['questions']:,}" for r in records]),
            Column("cost per\nmodel", [f"{r['cost']:,.10g}" for r in records]),
            numbers("standard\nerror", "se", ".4f"),
            numbers("coefficient", "rho", ".3f"),
            Column("", ["cheapest" if r["cheapest"] else "" for r in records], "left"),
        ]
    )
