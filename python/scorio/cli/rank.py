"""``scorio rank``: the range of ranks that each model may have."""

from __future__ import annotations

from argparse import Namespace

from ..display.terms import alpha
from ..display.text import span
from . import options, output
from .leaderboard import interval_column
from .tables import GAP, Column, fitted, rendered, said_below, wide

EXAMPLES = """examples:
  scorio rank runs.csv
  scorio rank runs.csv --metric pass@k --k 4 --questions sampled
  scorio rank runs.csv --correction none --confidence 0.99

"""
MEANING = """A rank range counts significant differences: from 1 + the number of models that
are significantly better to the number of models that are not significantly
worse. "2-4": one model is significantly better, all but four are significantly
worse. Every pair is compared on the questions that both answered, two-sided, at
the level 1 - P of --confidence P. The level is family-wise over all pairs by
Holm's method: all ranges together cover the true ranks with probability P as
far as each p-value is valid. With
--correction none each pair is tested by itself.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    options.metric(parser)
    options.asking(parser)
    parser.add_argument("--correction", choices=("holm", "none"), default="holm",
                        help="adjust for the number of pairs (default holm), or test each by itself")  # fmt: skip
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, compare all pairs, print."""
    from .. import io, rank
    from ..leaderboard import incomplete, interval_of, meanings

    logs = options.read(args)
    options.two(logs)
    asked = {"k": args.k, "tau": args.tau, "w": args.weights, "questions": args.questions}
    asked |= {"confidence": args.confidence}
    correction = None if args.correction == "none" else args.correction
    clusters = io.clusters_of(logs) if args.questions == "sampled" else None
    with options.naming_k(logs, args.k):
        ranges = rank.ranges(io.aligned(logs), args.metric, correction=correction, clusters=clusters, **asked)
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
    how = "family-wise over all pairs, Holm" if correction else "for each pair by itself"
    notes = [
        "Rank range: from 1 + the number of significantly better models to the number of models that are not "
        f"significantly worse ({alpha(args.confidence)} level, {how}).",
        *meanings(logs, args.questions, args.confidence, {x.variance_source for x in values.values()}),
        *incomplete(logs, args.missing),
    ]

    def page(width: int) -> list[str]:
        rest = [interval_column(args.metric.replace("@k", f"@{args.k}"), [values[name] for name in order], args)]
        ranks = Column("ranks", [span(r["best"], r["worst"], "-") for r in records])
        room = width - wide([ranks, *rest]) - GAP
        models, said = fitted("model", order, room)
        return [output.title(args, len(logs)), rendered([ranks, models, *rest]), *said_below(said, width)]

    return output.answer(args, records, notes, page, metric=args.metric, k=args.k, tau=args.tau, correction=correction)
