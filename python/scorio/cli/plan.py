"""``scorio plan``: the sample size, in trials or in questions, that a target needs."""

from __future__ import annotations

from argparse import Namespace
from itertools import pairwise
from typing import Any

from ..display.terms import SCOPE, alpha, interval, level
from ..display.text import digits, percents, span
from ..errors import InvalidInput
from . import design, options, output
from .tables import GAP, Column, aligned, fitted, in_blocks, rendered, said_below, wide

NEEDED = ("trials_now", "trials_most", "trials", "bound", "questions_now", "questions")
EXAMPLES = """examples:
  scorio plan runs.csv                      neighbours in the ranking
  scorio plan runs.csv --model a --model b  these two, with a table of power
  scorio plan runs.csv --power 0.9          detected with 90% power
  scorio plan runs.csv --half-width 0.02    for intervals of +/- 0.02
  scorio plan runs.csv --design --se 0.02 --cost-question 10

"""
MEANING = """columns of the table, needed numbers in total, not in addition:
  trials     per question, on this question set: a significant difference then
             says that these models differ on these questions
  questions  with the present number of trials per question: a significant
             difference then says that they differ on similar questions too
The comparison is two-sided, at the level 1 - P of --confidence P. If the true
difference is the observed one, it is then detected with the stated power. The
observed difference is itself an estimate: plan again when more data are there.
At the same number of calls to the model, a new question is worth at least as
much as another trial of an old one, unless only this question set matters.
"never": the averages are equal, so no sample size can be planned. "<=": some
questions have one trial, so the variance is an upper bound; fewer may do.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + design.MEANING + options.SEE_FILES, run)
    options.reading(parser)
    add = parser.add_argument
    add("--half-width", type=float, metavar="H", help="plan for intervals of +/- H instead")
    add("--power", type=float, default=0.8, metavar="POWER",
        help="probability of detecting the observed difference (default 0.8)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P",
        help="1 - level of the two-sided comparison; with --half-width the coverage of the interval "
        "(default 0.95)")  # fmt: skip
    design.add(parser)
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, plan, print."""
    if args.design:
        return design.run(args)
    from ..leaderboard import incomplete

    logs = options.read(args)
    pairs = args.half_width is None
    records, said = _separated(args, logs) if pairs else _narrow(args, logs)
    notes = [said]
    if any(r["bound"] for r in records):
        notes.append(
            "<= : some questions have one trial, which cannot measure their trial-to-trial variance; an upper bound is "
            "used, so fewer trials may do."
        )
    target = {"power": args.power} if pairs else {"half_width": args.half_width}
    table = _powers(args, logs) if pairs and len(logs) == 2 else []

    def page(width: int) -> list[str]:
        return [output.title(args, len(logs)), *_table(args, records, width), *_power_table(table)]

    more = {"target": target} | ({"powers": table} if table else {})
    return output.answer(args, records, [*notes, *incomplete(logs, args.missing)], page, **more)


def _powers(args: Namespace, logs: Any) -> list[dict[str, Any]]:
    """The power of a comparison of two models against trials and questions: once, twice, ... as many as there are."""
    from .. import io
    from ..analysis.ranking import power_at

    A, B = (log.counts for log in io.shared(logs).values())
    N, M = int(min(A.trials.min(), B.trials.min())), A.M
    if M < 2:
        return []
    questions = [M, 2 * M, 4 * M]
    trials, given = [N, 2 * N, 4 * N, 8 * N], {"confidence": args.confidence, "weights": args.weights}
    rows = power_at(A, B, trials, questions, **given)
    return [
        {"trials": r.trials, "fixed": r.fixed}
        | {f"{Q} questions": p for Q, p in zip(questions, r.sampled, strict=True)}
        for r in rows
    ]


def _power_table(table: list[dict[str, Any]]) -> list[str]:
    """The same as a table: power on this question set, and of a comparison on so many sampled questions."""
    if not table:
        return []
    names = [name for name in table[0] if name not in ("trials", "fixed")]
    columns = [
        Column("trials per\nquestion", [f"{r['trials']:,}" for r in table]),
        Column("power on this\nquestion set", percents([r["fixed"] for r in table])),
        *(Column("on sampled\n" + name, percents([r[name] for r in table])) for name in names),
    ]
    return [rendered(columns)]


def _separated(args: Namespace, logs: Any) -> tuple[list[dict[str, Any]], str]:
    """Each model and the next one below it, on the questions that both answered."""
    from .. import arguments, eval, io, sinf

    options.two(logs)
    arguments.confidence(args.confidence)

    def average(log: Any) -> float:
        kept = log.counts.select(log.counts.trials > 0)
        return eval.avg(kept, args.weights).mu

    mean = {name: average(log) for name, log in logs.items()}
    order = sorted(logs, key=lambda name: (-mean[name], name))
    given = {"w": args.weights, "power": args.power, "confidence": args.confidence}
    records = []
    for a, b in pairwise(order):
        both = io.shared(logs, [a, b])
        A, B = both[a].counts, both[b].counts
        difference = sinf.compare(A, B, w=args.weights, questions="fixed").mu
        pair = {"model": a, "average": mean[a], "next": b, "difference": difference}
        records.append(pair | _needed(A, B, given, io.clusters_of(both)))
    last = {"model": order[-1], "average": mean[order[-1]], "next": None, "difference": None}
    said = (
        "Needed, in total: the trials per question, or the questions, at which the observed difference between a model "
        f"and the next one below would be detected with {level(args.power)} power by a comparison at the "
        f"{alpha(args.confidence)} level."
    )
    return [*records, last | dict.fromkeys(NEEDED)], said


def _narrow(args: Namespace, logs: Any) -> tuple[list[dict[str, Any]], str]:
    """Each model, until its interval is narrow enough."""
    from ..leaderboard import interval_of

    given = {"w": args.weights, "half_width": args.half_width, "confidence": args.confidence}
    records = []
    for name, log in logs.items():
        kept = log.only([i for i, n in enumerate(log.counts.trials.tolist()) if n])
        ends = [
            interval_of(kept, w=args.weights, questions=q, confidence=args.confidence) for q in ("fixed", "sampled")
        ]
        now = {f"half_width_{q}": (x.hi - x.lo) / 2 for q, x in zip(("fixed", "sampled"), ends, strict=True)}
        records.append({"model": name, "average": ends[0].mu} | now | _needed(kept.counts, None, given, kept.clusters))
    said = (
        f"Needed, in total, for a {interval(args.confidence)} of +/- {args.half_width:.10g}: trials per question for "
        f"{SCOPE['fixed']}, or questions for {SCOPE['sampled']}."
    )
    return records, said


def _needed(A: Any, B: Any, given: dict[str, Any], clusters: Any) -> dict[str, Any]:
    from .. import sinf

    trials = sinf.trials_needed(A, B, **given)
    try:
        questions = sinf.questions_needed(A, B, clusters=clusters, **given)
    except InvalidInput as e:
        if e.code != "shape":  # the variance between questions is unknown from a single one
            raise
        questions = None
    both = [x.trials for x in (A, B) if x is not None]
    least, most = (int(f(x)) for f, x in ((min, [n.min() for n in both]), (max, [n.max() for n in both])))
    return dict(zip(NEEDED, (least, most, trials, least == 1, A.M, questions), strict=True))


def _table(args: Namespace, records: list[dict[str, Any]], width: int) -> list[str]:
    form = digits(options.weights_of(args))

    def numbers(header: str, key: str) -> Column:
        return Column(header, aligned("" if r[key] is None else format(r[key], form) for r in records))

    def whole(header: str, key: str) -> Column:
        return Column(header, [_number(r, key) for r in records])

    trials = [whole("trials\nnow", "trials_now"), whole("trials\nneeded", "trials")]
    questions = [whole("questions\nnow", "questions_now"), whole("questions\nneeded", "questions")]
    if args.half_width is None:
        columns = [numbers("average", "average"), numbers("better than\nnext by", "difference"), *trials, *questions]
    else:
        columns = [numbers("fixed:\n+/- now", "half_width_fixed"), *trials,
                   numbers("sampled:\n+/- now", "half_width_sampled"), *questions]  # fmt: skip
    models, said = fitted("model", [r["model"] for r in records], width - wide(columns) - GAP)
    return [*in_blocks([models], columns[:1], [[c] for c in columns[1:]], width), *said_below(said, width)]


def _number(record: dict[str, Any], key: str) -> str:
    n, least = record[key], record["trials_now"]
    if n is None:
        return "never" if key == "trials" and least is not None else ""
    if key == "trials_now":
        return span(least, record["trials_most"])
    return ("<=" if key == "trials" and record["bound"] and n > 1 else "") + f"{n:,}"
