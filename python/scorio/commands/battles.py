"""``scorio battles``: ratings and rank ranges from battles between two models."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, ClassVar

from ..display.terms import alpha, interval
from ..display.text import name_of, number, percent, printable, span
from ..page.columns import names_column
from ..page.document import Column, Document, Table
from ..rank import bradley_terry
from ..rank.battles.table import count_battles
from ..readers.other_tables import battles_of
from ..results import BattleClusters, BattleTies, BothBad
from . import options
from .base import Result, about_file
from .notes import title

REASONS = {
    "unbeaten": "unbeaten: no finite rating is the most likely one",
    "winless": "without a win: no finite rating is the most likely one",
    "between": "linked with the others by wins in one direction alone: no finite rating is the most likely one",
    "undetermined": "these battles do not determine the frequency of ties or the advantage of being shown first",
}  # why a model has no rating, by its status
UNITS = {None: "battles, taken as independent", "question": "questions", "voter": "voters"}  # by cluster
LOOKS = (
    "Intervals and ranks are for one look at the battles: of equal models, some differed at one of 11 looks at a "
    "growing table in 10% of runs (nominal 5%). State the number of battles in advance."
)


@dataclass(frozen=True)
class Row:
    """Rating of a model: its values in the lists that :func:`scorio.rank.bradley_terry` returns."""

    model: str
    group: int
    status: str
    rating: float | None
    lo: float | None
    hi: float | None
    theta: float | None
    best: int | None
    worst: int | None


@dataclass(frozen=True, kw_only=True)
class Ratings(Result):
    """Ratings of models from battles.

    Attributes
    ----------
    table : tuple of Row, models by group, best rating first
    battles : int, battles that were counted
    ties, position_bias, both_bad, cluster, anchor, scale, base, init_rating
        The arguments of :func:`scorio.rank.bradley_terry`.
    bias, bias_lo, bias_hi, tie, tie_lo, tie_hi, dropped
        The values that :func:`scorio.rank.bradley_terry` returned.
    without_winner : int, battles without a winner that were left out
    groups : tuple of str
        Columns, not groups of models: those of "question" and "voter" of the file in which a value occurs twice, so
        that battles may depend on each other; empty if cluster is stated.
    """

    schema: ClassVar[str] = "scorio.battles/3"
    table: tuple[Row, ...]
    battles: int
    ties: str
    position_bias: bool
    both_bad: str
    cluster: str | None
    anchor: str
    scale: float
    base: float
    init_rating: float
    bias: float | None
    bias_lo: float | None
    bias_hi: float | None
    tie: float | None
    tie_lo: float | None
    tie_hi: float | None
    dropped: int
    without_winner: int
    groups: tuple[str, ...] = ()

    def document(self) -> Document:
        rated = [r for r in self.table if r.rating is not None]
        rated_groups = list(dict.fromkeys(r.group for r in rated))
        blocks = [_table(self, [r for r in rated if r.group == group]) for group in rated_groups]
        names = {
            status: [_with_ranks(r, len(self.table)) for r in self.table if r.status == status] for status in REASONS
        }
        notes = [f"Not rated: {', '.join(map(printable, y))}: {REASONS[status]}." for status, y in names.items() if y]
        if len(rated_groups) > 1:
            notes.append(
                "Ratings of different tables cannot be compared: between their models there are no battles, or wins "
                "in one direction alone."
            )
        if self.dropped:
            notes.append(f'Left out: {number(self.dropped, "battle")} with "tie (bothbad)".')
        if self.without_winner:
            notes.append(f"Left out: {number(self.without_winner, 'battle')} without a winner.")
        if self.groups:
            notes.append(
                f"Several battles have the same {' or '.join(self.groups)}. If these are not independent, the "
                f"intervals are too narrow: add --cluster {'both' if len(self.groups) > 1 else self.groups[0]}."
            )
        head = title(self.about, number(len(self.table), "model"), number(self.battles, "battle"))
        ci, units = interval(self.about.confidence), UNITS.get(self.cluster, "questions and voters")
        quarter_odds, reference = self.base**0.25, "the mean" if self.anchor == "mean" else name_of(self.anchor)
        out = [
            f"rating (Bradley-Terry model): {self.scale:.10g} points more are odds of {self.base:.10g}:1 to win, "
            f"{self.scale / 4:.10g} points more win {percent(quarter_odds / (1.0 + quarter_odds))} of battles; "
            f"{reference} has {self.init_rating:.10g}.",
            f"{ci}: for another sample of {units}; it does not assume that the Bradley-Terry model is right.",
        ]
        if any(r.best is not None for r in self.table):
            out.append(LOOKS)
            rate = f"family-wise over all pairs, Holm ({alpha(self.about.confidence)} level)"
            out.append(f"Rank ranges: {rate}. Models whose ranges overlap may or may not differ: more battles decide.")
        return Document(head, blocks, _parameters(self), notes, out)


def battles(
    table: Any, ties: BattleTies = "half", *, columns: dict[str, str | None] | None = None, position_bias: bool = False,
    both_bad: BothBad = "tie", cluster: BattleClusters | None = None, anchor: str = "mean", scale: float = 400.0,
    base: float = 10.0, init_rating: float = 1000.0, confidence: float = 0.95, missing: str = "raise",
) -> Ratings:  # fmt: skip
    """Rate models by battles between two of them.

    Parameters
    ----------
    table : path, mapping, data frame or list
        Battles: a file for :func:`scorio.io.read_battles`, or a table as :func:`scorio.rank.bradley_terry` takes it.
    columns : mapping of str to str, optional; names of the columns in the file, as for :func:`scorio.io.read_battles`
    ties, position_bias, both_bad, cluster, anchor, scale, base, init_rating, confidence
        As for :func:`scorio.rank.bradley_terry`.
    missing : {"raise", "drop"}; whether battles of a file without a winner are an error, or are left out

    Returns
    -------
    Ratings

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.io.read_battles` and :func:`scorio.rank.bradley_terry`.
    """
    from_file = isinstance(table, (str, PathLike))
    data, left_out = battles_of(table, columns, missing) if from_file else (table, 0)
    options: dict[str, Any] = {
        "position_bias": position_bias, "both_bad": both_bad, "cluster": cluster, "anchor": anchor, "scale": scale,
        "base": base, "init_rating": init_rating,
    }  # fmt: skip
    fit = bradley_terry(data, ties, **options, confidence=confidence)
    order = sorted(range(len(fit.models)), key=lambda i: (fit.group[i], -(fit.rating[i] or 0.0), fit.models[i]))
    best: list[Any] = fit.best or [None] * len(order)
    worst: list[Any] = fit.worst or [None] * len(order)
    lists = [fit.models, fit.group, fit.status, fit.rating, fit.lo, fit.hi, fit.theta, best, worst]
    by_model: list[tuple[Any, ...]] = list(zip(*lists, strict=True))
    rows = tuple(Row(*by_model[i]) for i in order)
    total = sum(count_battles(data, both_bad, ordered=position_bias).rows.values())
    fitted = {name: getattr(fit, name) for name in ("bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi", "dropped")}
    about = about_file(fspath(table) if from_file else "battles", [row.model for row in rows], confidence)
    group_ids = {
        name: list(data[name]) for name in ("question", "voter") if from_file and name in data and cluster is None
    }
    groups = tuple(name for name, ids in group_ids.items() if len({*ids}) < len(ids))
    return Ratings(
        about=about, table=rows, battles=total, ties=ties, groups=groups, without_winner=left_out, **options, **fitted
    )


def _table(x: Ratings, rows: Sequence[Row]) -> Table:
    values = [f"{r.rating:.0f}" + ("" if r.lo is None else f" [{r.lo:.0f}, {r.hi:.0f}]") for r in rows]
    columns = [[Column(f"rating [{interval(x.about.confidence)}]", values)]]
    if rows[0].best is not None:
        columns.append([Column("ranks", [span(r.best or 0, r.worst or 0, "-") for r in rows])])
    return Table([names_column("model", [r.model for r in rows])], columns, "Ratings")


def _with_ranks(r: Row, n_models: int) -> str:
    """Name of a model, with the ranks that it may have, unless it may have all."""
    if r.best is None or r.worst is None or (r.best, r.worst) == (1, n_models):
        return r.model
    return f"{r.model} ({'rank' if r.best == r.worst else 'ranks'} {span(r.best, r.worst, '-')})"


def _parameters(x: Ratings) -> list[str]:
    """Sentences on the share of wins of the second of two models, the advantage of being shown first, and of ties."""
    ci, out = interval(x.about.confidence), []
    ratings = [(row.model, row.rating) for row in x.table if row.rating is not None]
    if len(ratings) == len(x.table) == 2 and x.ties == "half" and not x.position_bias:
        (a, high), (b, low) = ratings
        share = 1.0 / (1.0 + x.base ** ((high - low) / x.scale))
        out.append(f"{name_of(b)} wins {share:.3f} of the battles against {name_of(a)}, a tie as half.")
    bias, tie = (x.bias, x.bias_lo, x.bias_hi), (x.tie, x.tie_lo, x.tie_hi)
    for what, (y, lo, hi) in (("Advantage of being shown first, in log odds", bias), ("Parameter of ties", tie)):
        if y is not None:
            out.append(f"{what}: {y:.3f}{'' if lo is None else f' ({ci} {lo:.3f} to {hi:.3f})'}.")
    return out


EXAMPLES = """examples:
  scorio battles arena.csv
  scorio battles arena.parquet --cluster voter --both-bad drop
  scorio battles judged.jsonl --ties davidson --position-bias --cluster question

"""
MEANING = """Each row is a battle: columns model_a (shown first), model_b and winner, which
is model_a, model_b, tie, tie (bothbad), or the name of a model. Optional
columns are question (or question_id), voter (or judge), count (number of
battles in the row) and weight. Other column names: --columns winner=verdict.

Ratings are those that make the battles most likely (Bradley and Terry): a
difference of 400 points is odds of 10 to 1. A model that always won, or always
lost, has no such rating: it is listed without one. The intervals are for the
rating minus the mean rating of its table, or minus that of --anchor. Battles of
one question, or of one voter, are not independent: without --cluster the
intervals are too narrow. A model without a rating has ranks too, by a test that
needs no rating. All of it is for one look at the battles: equal models differed
at one of 11 looks in 10% of runs (nominal 5%).

"""
FILES = """files:
  .csv .tsv .jsonl .json (a list of objects) .parquet; .gz .xz .bz2 .zst are
  decompressed

"""


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, MEANING + FILES, run)
    add = parser.add_argument
    add("file", metavar="FILE", help="a table of battles")
    add("--columns", type=options.parse_columns, metavar="NAME=COLUMN,...", help="names of the columns in the file")
    add("--ties", choices=("half", "davidson", "rao_kupper"), default="half",
        help="ties are half a win for each (half; default), or have a parameter in the model (the others)")  # fmt: skip
    add("--position-bias", action="store_true", help="estimate the advantage of being shown first")
    add("--both-bad", choices=("tie", "drop"), default="tie", help="how tie (bothbad) counts (default tie)")
    add("--cluster", choices=("question", "voter", "both"),
        help="battles of the same question or voter depend on each other")  # fmt: skip
    add("--missing", choices=("raise", "drop"), default="raise",
        help="battles without a winner are an error (default), or are left out")  # fmt: skip
    add("--anchor", default="mean", metavar="MODEL", help="the model whose rating is --init-rating (default: the mean)")
    add("--scale", type=float, default=400.0, metavar="X", help="points for odds of --base to 1 (default 400)")
    add("--base", type=float, default=10.0, metavar="X", help="odds for --scale points (default 10)")
    add("--init-rating", type=float, default=1000.0, metavar="X", help="rating of the anchor (default 1000)")
    options.add(parser, confidence="nominal coverage of intervals and rank ranges")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Ratings:
    names = ("columns", "position_bias", "both_bad", "cluster", "anchor", "scale", "base", "init_rating", "confidence",
             "missing")  # fmt: skip
    return battles(args.file, args.ties, **options.chosen(args, *names))
