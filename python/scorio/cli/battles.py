"""``scorio battles``: ratings of models from battles between two of them."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..display.terms import alpha, interval
from ..display.text import number, span
from . import options, output
from .tables import GAP, Column, fitted, in_blocks, said_below, wide

EXAMPLES = """examples:
  scorio battles arena.csv
  scorio battles arena.parquet --cluster voter --both-bad drop
  scorio battles judged.jsonl --ties davidson --position-bias --cluster question

"""
MEANING = """Each row is a battle: columns model_a (shown first), model_b and winner, which
is model_a, model_b, tie, tie (bothbad), or the name of a model; perhaps
question (or question_id), voter (or judge), count (battles that the row stands
for) and weight. Other names are stated by --columns winner=verdict.

Ratings are those that make the battles most likely (Bradley and Terry): a
difference of 400 points is odds of 10 to 1. A model that never lost, or never
won, has no such rating: it is listed without one. Intervals are 95%, of the
rating less the mean of the group. Battles of one question, or of one voter, are
not independent: state --cluster, or the intervals are too narrow. A model
without a rating has ranks too, by a test that needs none.

"""
FILES = """files:
  .csv .tsv .jsonl .json (a list of objects) .parquet; .gz and .zst are
  decompressed

"""
WITHOUT = {
    "unbeaten": "unbeaten, so that no finite rating is the most likely one",
    "winless": "without a win, so that no finite rating is the most likely one",
    "between": "linked with the others by wins in one direction alone, so that no finite rating is the most likely one",
    "undetermined": "without a rating, since these battles do not determine the model of ties or of the position",
}


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + FILES, run)
    add = parser.add_argument
    add("file", metavar="FILE", help="a table of battles")
    add(
        "--columns",
        type=options.names_of_columns,
        metavar="NAME=COLUMN,...",
        help="what columns are called in the file",
    )
    add("--ties", choices=("half", "davidson", "rao_kupper"), default="half",
        help="a tie is half a win for each (default), or the model has a parameter for ties")  # fmt: skip
    add("--position-bias", action="store_true", help="estimate the advantage of being shown first")
    add("--both-bad", choices=("tie", "drop"), default="tie", help="what tie (bothbad) is (default tie)")
    add("--cluster", choices=("question", "voter", "both"), help="battles of one of these belong together")
    add("--anchor", default="mean", metavar="MODEL", help="the model whose rating is --init-rating (default: the mean)")
    add("--scale", type=float, default=400.0, metavar="X", help="points for odds of --base to 1 (default 400)")
    add("--base", type=float, default=10.0, metavar="X", help="default 10")
    add("--init-rating", type=float, default=1000.0, metavar="X", help="rating of the anchor (default 1000)")
    add("--confidence", type=float, default=0.95, metavar="P", help="of intervals and rank ranges (default 0.95)")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, rate, print."""
    from .. import io, rank

    battles = io.read_battles(args.file, columns=args.columns)
    asked = {name: getattr(args, name) for name in ("position_bias", "both_bad", "cluster", "anchor", "scale", "base")}
    asked |= {"init_rating": args.init_rating, "confidence": args.confidence}
    found = rank.bradley_terry(battles, args.ties, **asked)
    order = sorted(range(len(found.models)), key=lambda i: (found.group[i], -(found.rating[i] or 0.0), found.models[i]))
    records = [_record(found, i) for i in order]
    total = sum(battles.get("count", [1] * len(battles["winner"]))) - found.dropped
    notes = [*_without(records), *_others(found, interval(args.confidence)), *_meaning(found, args)]

    def page(width: int) -> list[str]:
        rated = [r for r in records if r["rating"] is not None]
        blocks = [f"{output.title(args, len(order))}, {number(total, 'battle')}"]
        shown = f"rating [{interval(args.confidence)}]"
        for group in dict.fromkeys(r["group"] for r in rated):
            blocks += _table([r for r in rated if r["group"] == group], shown, width)
        return blocks

    more = {name: getattr(found, name) for name in ("bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi", "dropped")}
    return output.answer(args, records, notes, page, battles=total, ties=args.ties, **asked, **more)


def _record(found: Any, i: int) -> dict[str, Any]:
    """What is known of a model."""
    best, worst = (found.best[i], found.worst[i]) if found.best else (None, None)
    lists = ("group", "status", "rating", "lo", "hi", "theta")
    return {"model": found.models[i], **{k: getattr(found, k)[i] for k in lists}, "best": best, "worst": worst}


def _table(records: list[dict[str, Any]], header: str, width: int) -> list[str]:
    """The models of a group."""
    shown = [f"{r['rating']:.0f}" + ("" if r["lo"] is None else f" [{r['lo']:.0f}, {r['hi']:.0f}]") for r in records]
    columns = [Column(header, shown)]
    if records[0]["best"] is not None:
        columns.append(Column("ranks", [span(r["best"], r["worst"], "-") for r in records]))
    models, said = fitted("model", [r["model"] for r in records], width - wide(columns) - GAP)
    return [*in_blocks([models], columns[:1], [[c] for c in columns[1:]], width), *said_below(said, width)]


def _ranked(r: dict[str, Any], L: int) -> str:
    """A model, with its ranks where the battles tell more than that it is one of all."""
    if r["best"] is None or (r["best"], r["worst"]) == (1, L):
        return str(r["model"])
    return f"{r['model']} ({'rank' if r['best'] == r['worst'] else 'ranks'} {span(r['best'], r['worst'], '-')})"


def _without(records: list[dict[str, Any]]) -> list[str]:
    """The models without a rating, and why."""
    out = []
    for status, why in WITHOUT.items():
        names = [_ranked(r, len(records)) for r in records if r["status"] == status]
        if names:
            out.append(f"Not rated: {', '.join(names)}: {why}.")
    if len({r["group"] for r in records if r["rating"] is not None}) > 1:
        out.append("Ratings of different tables cannot be compared: wins link these models in one direction alone.")
    return out


def _others(found: Any, ci: str) -> list[str]:
    """Position bias and tie parameter in words."""
    out = []
    if found.bias is not None:
        ends = "" if found.bias_lo is None else f" ({ci} {found.bias_lo:.3f} to {found.bias_hi:.3f})"
        out.append(f"Advantage of being shown first, in log odds: {found.bias:.3f}{ends}.")
    if found.tie is not None:
        ends = "" if found.tie_lo is None else f" ({ci} {found.tie_lo:.3f} to {found.tie_hi:.3f})"
        out.append(f"Parameter of ties: {found.tie:.3f}{ends}.")
    if found.dropped:
        out.append(f"{number(found.dropped, 'battle')} without a verdict left out.")
    return out


def _meaning(found: Any, args: Namespace) -> list[str]:
    """What intervals and ranks are."""
    unit = {None: "battles, taken as independent", "question": "questions", "voter": "voters"}
    what = unit.get(args.cluster, "questions and voters")
    out = [f"{interval(args.confidence)}: for another sample of {what}; it does not rest on the model being right."]
    if found.best:
        how = f"family-wise over all pairs, Holm ({alpha(args.confidence)} level)"
        out.append(f"Rank ranges: {how}. Models whose ranges overlap may or may not differ; more battles would tell.")
    return out
