"""``scorio plan``: how many trials or questions until a target is met."""

from __future__ import annotations

from argparse import Namespace
from itertools import pairwise
from typing import Any

from ..display.text import span
from ..errors import InvalidInput
from . import options, output
from .tables import GAP, Column, aligned, digits, drawn, fitted, wide

NEEDED = ("trials_now", "trials_most", "trials", "bound", "questions_now", "questions")
EXAMPLES = """examples:
  scorio plan runs.csv                      until neighbours in the ranking part
  scorio plan runs.csv --model a --model b  until these two part
  scorio plan runs.csv --half-width 0.02    until every interval is +/- 0.02

"""
MEANING = """trials     per question, in all, on these same questions
questions  like these, in all, with the present number of trials each
If the noise and the difference are what they seem, the target is then met in
half of all cases; both are estimates, so plan again on the way. For the same
number of calls to the model a new question buys at least as much as one more
trial of an old one, unless only these questions matter. "never": the averages
are equal.

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "How many trials or questions until models part, or until intervals are narrow enough."
    parser = options.command(commands, "plan", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    add = parser.add_argument
    add("--half-width", type=float, metavar="H", help="half the width that the interval of each average is to have")
    add("--z", type=float, default=1.645, metavar="Z",
        help="deviations that part two models (default 1.645: 95 %%, one-sided)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P", help="coverage of the intervals (default 0.95)")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, plan, print."""
    from ..leaderboard.rows import lost

    logs = options.read(args)
    if args.half_width is None:
        options.two(logs)
        records = _apart(args, logs)
        notes = [
            f"needed, in all, until each model parts from the next one below by {args.z:.10g} standard deviations: "
            "then it does so in half of all cases, if the difference is what it seems."
        ]
    else:
        records = _narrow(args, logs)
        notes = [
            f"needed, in all, until the {100 * args.confidence:.10g}% interval is +/- {args.half_width:.10g}: trials "
            "for these same questions, questions for questions like these."
        ]
    if any(r["bound"] for r in records):
        notes.append("<= : some questions have one trial, which cannot measure its noise: fewer may do.")
    target = {"z": args.z} if args.half_width is None else {"half_width": args.half_width}

    def page(width: int) -> list[str]:
        return [output.title(args, len(logs)), _table(args, records, width)]

    return output.answer(args, records, [*notes, *lost(logs, args.missing)], page, target=target)


def _apart(args: Namespace, logs: Any) -> list[dict[str, Any]]:
    """Each model and the next one below it, on the questions that both answered."""
    from .. import eval, io

    def average(log: Any) -> float:
        kept = log.counts.select(log.counts.trials > 0)
        return eval.avg(kept, args.weights).mu

    mean = {name: average(log) for name, log in logs.items()}
    order = sorted(logs, key=lambda name: (-mean[name], name))
    given = {"w": args.weights, "z": args.z, "confidence": args.confidence}
    records = []
    for a, b in pairwise(order):
        both = io.shared(logs, [a, b])
        found = {"model": a, "average": mean[a], "next": b, "difference": average(both[a]) - average(both[b])}
        records.append(found | _needed(both[a].counts, both[b].counts, given))
    last = {"model": order[-1], "average": mean[order[-1]], "next": None, "difference": None}
    return [*records, last | dict.fromkeys(NEEDED)]


def _narrow(args: Namespace, logs: Any) -> list[dict[str, Any]]:
    from .. import eval

    given = {"w": args.weights, "half_width": args.half_width, "confidence": args.confidence}
    records = []
    for name, log in logs.items():
        kept = log.counts.select(log.counts.trials > 0)
        ends = [eval.mean_ci(kept, args.weights, questions=q, confidence=args.confidence) for q in ("fixed", "sampled")]
        now = {f"half_width_{q}": (x.hi - x.lo) / 2 for q, x in zip(("fixed", "sampled"), ends, strict=True)}
        records.append({"model": name, "average": ends[0].mu} | now | _needed(kept, None, given))
    return records


def _needed(A: Any, B: Any, given: dict[str, Any]) -> dict[str, Any]:
    from .. import sinf

    trials = sinf.trials_needed(A, B, **given)
    try:
        questions = sinf.questions_needed(A, B, **given)
    except InvalidInput as e:
        if e.code != "shape":  # a single question, whose spread is unknown
            raise
        questions = None
    both = [x.trials for x in (A, B) if x is not None]
    least, most = (int(f(x)) for f, x in ((min, [n.min() for n in both]), (max, [n.max() for n in both])))
    return dict(zip(NEEDED, (least, most, trials, least == 1, A.M, questions), strict=True))


def _table(args: Namespace, records: list[dict[str, Any]], width: int) -> str:
    shown = digits(options.weights_of(args))

    def numbers(header: str, key: str) -> Column:
        return Column(header, aligned("" if r[key] is None else format(r[key], shown) for r in records))

    def whole(header: str, key: str) -> Column:
        return Column(header, [_number(r, key) for r in records])

    trials = [whole("trials\nnow", "trials_now"), whole("trials\nneeded", "trials")]
    questions = [whole("questions\nnow", "questions_now"), whole("questions\nneeded", "questions")]
    if args.half_width is None:
        columns = [numbers("average", "average"), numbers("ahead of\nnext by", "difference"), *trials, *questions]
    else:
        columns = [numbers("trials:\n+/- now", "half_width_fixed"), *trials,
                   numbers("questions:\n+/- now", "half_width_sampled"), *questions]  # fmt: skip
    room = width - wide(columns) - GAP
    return drawn([fitted("model", [r["model"] for r in records], room), *columns])


def _number(record: dict[str, Any], key: str) -> str:
    n, least = record[key], record["trials_now"]
    if n is None:
        return "never" if key == "trials" and least is not None else ""
    if key == "trials_now":
        return span(least, record["trials_most"])
    return ("<=" if key == "trials" and record["bound"] and n > 1 else "") + f"{n:,}"
