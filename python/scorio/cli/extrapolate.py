"""``scorio extrapolate``: Pass@k or Pass^k for more trials than there are."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..display.terms import interval, level
from ..errors import InvalidInput
from . import options, output
from .tables import GAP, Column, aligned, fitted, in_blocks, said_below, wide

BAND = ("lower", "upper", "low", "high", "unsolved")
MODEL = ("value", "lo", "hi", "law", "alpha", "beta", "atom", "ratio", "fit", "trials", "questions")
EXAMPLES = """examples:
  scorio extrapolate runs.csv --k 64              pass@64 from fewer trials
  scorio extrapolate runs.csv --k 64 --metric pass^k
  scorio extrapolate runs.csv --k 64 --width 0.2  trials for limits 0.2 wide

"""
MEANING = """columns of the table:
  unsolved  questions without a success (pass^k: without a failure)
  band      what the trials leave open, without a model: no number of questions
            like these narrows it, only more trials of the unsolved ones do
  limits    a range that covers the metric with the stated probability
  law       the metric, and its range, if the success rates follow a
            beta-binomial law, or one with a share of questions that are never
            solved (marked 0; pass^k: never failed, marked 1)
  fit       how well that law fits the counts: a small p-value speaks against it

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    add = parser.add_argument
    add("--metric", default="pass@k", metavar="NAME", help="pass@k (default) or pass^k")
    add("--k", type=int, metavar="K", help="more than the trials there are (default: twice as many)")
    add("--width", type=float, metavar="W", help="how many more trials would make the limits W wide")
    add("--confidence", type=float, default=0.95, metavar="P", help="nominal coverage of ranges (default 0.95)")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, extrapolate, print."""
    from ..leaderboard import incomplete
    from ..leaderboard.sentences import beyond

    logs = options.read(args)
    k = args.k or 2 * max(int(log.counts.trials[log.counts.trials > 0].min()) for log in logs.values())
    records = [{"model": name} | _of(log.counts, args, k) for name, log in logs.items()]
    notes = [beyond(r, args.metric, k, args.confidence, args.width) for r in records]

    def page(width: int) -> list[str]:
        title = output.title(args, len(records), f"; {args.metric} with k = {k}")
        return [title, *_table(records, args.confidence, width)]

    more = {"metric": args.metric, "k": k, "width": args.width}
    return output.answer(args, records, [*notes, *incomplete(logs, args.missing)], page, **more)


def _of(counts: Any, args: Namespace, k: int) -> dict[str, Any]:
    """The band of one model, and what the law says; nothing where no law can be fitted."""
    from .. import eval

    kept = counts.select(counts.trials > 0)
    band = eval.extrapolate(kept, args.metric, k, confidence=args.confidence)
    try:
        law = eval.extrapolate_model(kept, args.metric, k, width=args.width, confidence=args.confidence)._asdict()
    except InvalidInput as e:
        if e.code != "undefined":
            raise
        law = dict.fromkeys(MODEL)
    return {name: getattr(band, name) for name in BAND} | law


def _table(records: list[dict[str, Any]], confidence: float, width: int) -> list[str]:
    def pair(low: str, high: str) -> list[str]:
        ends = [["" if r[x] is None else f"{r[x]:.3f}" for r in records] for x in (low, high)]
        return [f"{a} to {b}" if b.strip() else "" for a, b in zip(*map(aligned, ends), strict=True)]

    marks = {"z": "0", "o": "1"}
    values = aligned("" if r["value"] is None else f"{r['value']:.3f}" for r in records)
    columns = [
        Column("unsolved", [str(r["unsolved"]) for r in records]),
        Column("band", pair("lower", "upper")),
        Column(f"{level(confidence)}\nlimits", pair("low", "high")),
        Column("law", [f"{x} {marks.get((r['law'] or '')[:1], ' ')}" for x, r in zip(values, records, strict=True)]),
        Column(f"its\n{interval(confidence)}", pair("lo", "hi")),
        Column("fit", aligned("" if r["fit"] is None else f"{r['fit']:.2f}" for r in records)),
    ]
    models, said = fitted("model", [r["model"] for r in records], width - wide(columns) - GAP)
    return [*in_blocks([models], columns[:1], [[c] for c in columns[1:]], width), *said_below(said, width)]
