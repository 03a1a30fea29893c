"""``scorio rank``: the ranks that each model may have."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from . import options, output
from .leaderboard import interval_column
from .tables import GAP, Column, drawn, fitted, wide

EXAMPLES = """examples:
  scorio rank runs.csv
  scorio rank runs.csv --metric pass@k --k 4 --questions sampled
  scorio rank runs.csv --joint --confidence 0.99

"""
MEANING = """ranks 2-4: surely worse than one model, surely better than all but four. Every
pair is compared on the questions that both answered. With --joint all ranges
hold together at about the level; else each comparison by itself.

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "The ranks that each model may have: from the number surely better to the number surely worse."
    parser = options.command(commands, "rank", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    options.metric(parser)
    options.asking(parser)
    parser.add_argument("--joint", action="store_true", help="ranges that hold together")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, compare all pairs, print."""
    from .. import io, rank
    from ..leaderboard.rows import held, interval_of, lost

    logs = options.read(args)
    options.two(logs)
    asked = {"k": args.k, "tau": args.tau, "w": args.weights, "questions": args.questions}
    asked |= {"confidence": args.confidence}
    ranges = rank.ranges(io.aligned(logs), args.metric, joint=args.joint, **asked)
    values = {name: interval_of(log, args.metric, **asked) for name, log in logs.items()}
    order = sorted(logs, key=lambda name: (ranges[name].best + ranges[name].worst, -values[name].mu, name))
    records = [
        {"best": ranges[name].best, "worst": ranges[name].worst, "model": name, "mu": values[name].mu}
        | {
            "sigma": values[name].sigma,
            "lo": values[name].lo,
            "hi": values[name].hi,
            "variance_source": values[name].variance_source,
        }
        for name in order
    ]
    level = f"{100 * args.confidence:.10g}%"
    together = "over all pairs together" if args.joint else "of each pair by itself, one-sided"
    notes = [
        f"ranks: from 1 + the number surely better to the number not surely worse, at {level} {together}.",
        *held(logs, args.questions, args.confidence, {x.variance_source for x in values.values()}, pairs=True),
        *lost(logs, args.missing),
    ]

    def page(width: int) -> list[str]:
        spans = [f"{r['best']}-{r['worst']}" if r["best"] < r["worst"] else f"{r['best']}" for r in records]
        rest = [interval_column(args.metric.replace("@k", f"@{args.k}"), [values[name] for name in order], args)]
        ranks = Column("ranks", spans)
        room = width - wide([ranks, *rest]) - GAP
        return [output.title(args, len(logs)), drawn([ranks, fitted("model", order, room), *rest])]

    return output.answer(args, records, notes, page, metric=args.metric, k=args.k, tau=args.tau, joint=args.joint)
