"""Layout of ratings from battles."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.battles import Ratings, Row
from ..display.terms import alpha, interval
from ..display.text import name_of, number, percent, printable, span
from .document import Column, Document, Table, title

REASONS = {
    "unbeaten": "unbeaten: no finite rating is the most likely one",
    "winless": "without a win: no finite rating is the most likely one",
    "between": "linked with the others by wins in one direction alone: no finite rating is the most likely one",
    "undetermined": "these battles do not determine the frequency of ties or the advantage of being shown first",
}  # why a model has no rating, by its status
UNITS = {None: "battles, taken as independent", "question": "questions", "voter": "voters"}  # by cluster


def document(x: Ratings) -> Document:
    """Document with a table for each group of models whose ratings can be compared."""
    rated = [r for r in x.table if r.rating is not None]
    rated_groups = list(dict.fromkeys(r.group for r in rated))
    blocks = [_table(x, [r for r in rated if r.group == group]) for group in rated_groups]
    notes = _unrated(x)
    if len(rated_groups) > 1:
        notes.append(
            "Ratings of different tables cannot be compared: between their models there are no battles, or wins in one "
            "direction alone."
        )
    if x.dropped:
        notes.append(f'Left out: {number(x.dropped, "battle")} with "tie (bothbad)".')
    if x.groups:
        notes.append(
            f"Several battles have the same {' or '.join(x.groups)}. If these are not independent, the intervals are "
            f"too narrow: add --cluster {'both' if len(x.groups) > 1 else x.groups[0]}."
        )
    head = title(x.about, number(len(x.table), "model"), number(x.battles, "battle"))
    return Document(head, blocks, _parameters(x), notes, _meanings(x))


def _table(x: Ratings, rows: Sequence[Row]) -> Table:
    values = [f"{r.rating:.0f}" + ("" if r.lo is None else f" [{r.lo:.0f}, {r.hi:.0f}]") for r in rows]
    columns = [[Column(f"rating [{interval(x.about.confidence)}]", values)]]
    if rows[0].best is not None:
        columns.append([Column("ranks", [span(r.best or 0, r.worst or 0, "-") for r in rows])])
    return Table([Column("model", [r.model for r in rows], "left", names=True)], columns, "Ratings")


def _unrated(x: Ratings) -> list[str]:
    out = []
    for status, why in REASONS.items():
        if names := [_with_ranks(r, len(x.table)) for r in x.table if r.status == status]:
            out.append(f"Not rated: {', '.join(map(printable, names))}: {why}.")
    return out


def _with_ranks(r: Row, n_models: int) -> str:
    """Name of a model, with the ranks that it may have, unless it may have all."""
    if r.best is None or r.worst is None or (r.best, r.worst) == (1, n_models):
        return r.model
    return f"{r.model} ({'rank' if r.best == r.worst else 'ranks'} {span(r.best, r.worst, '-')})"


def _parameters(x: Ratings) -> list[str]:
    """Sentences on the parameters of the model: the advantage of being shown first, and the frequency of ties."""
    ci, out = interval(x.about.confidence), []
    if x.bias is not None:
        ends = "" if x.bias_lo is None else f" ({ci} {x.bias_lo:.3f} to {x.bias_hi:.3f})"
        out.append(f"Advantage of being shown first, in log odds: {x.bias:.3f}{ends}.")
    if x.tie is not None:
        ends = "" if x.tie_lo is None else f" ({ci} {x.tie_lo:.3f} to {x.tie_hi:.3f})"
        out.append(f"Parameter of ties: {x.tie:.3f}{ends}.")
    return out


def _meanings(x: Ratings) -> list[str]:
    ci, units = interval(x.about.confidence), UNITS.get(x.cluster, "questions and voters")
    quarter_odds, reference = x.base**0.25, "the mean" if x.anchor == "mean" else name_of(x.anchor)
    out = [
        f"rating (Bradley-Terry model): {x.scale:.10g} points more are odds of {x.base:.10g}:1 to win, "
        f"{x.scale / 4:.10g} points more win {percent(quarter_odds / (1.0 + quarter_odds))} of battles; "
        f"{reference} has {x.init_rating:.10g}.",
        f"{ci}: for another sample of {units}; it does not assume that the Bradley-Terry model is right.",
    ]
    if any(r.best is not None for r in x.table):
        rate = f"family-wise over all pairs, Holm ({alpha(x.about.confidence)} level)"
        out.append(f"Rank ranges: {rate}. Models whose ranges overlap may or may not differ: more battles decide.")
    return out
