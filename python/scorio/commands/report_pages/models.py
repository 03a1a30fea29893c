"""Models of a report: leaderboard, heat map of the benchmarks, comparisons of neighbours and of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from ...analysis.sample_size import POWER
from ...display.terms import ON, alpha, interval, level, p_value
from ...display.text import number, plural, printable, score, span
from ...page.columns import aligned, names_column, number_column, ranked_column
from ...page.document import Block, Column, Group, Heading, Lines, Paragraph, Remark, Section, Table
from ...readers.evaluation import scales_in_words
from .. import ranking
from ..notes import interval_column
from ..ranking import Comparisons, Pair
from ..report_data import MOST_LISTED, MOST_NEIGHBOURS
from ..verdicts import amount
from .view import MOST_MODELS_WITH_DIGITS, View


def leaderboard_blocks(v: View) -> list[Block]:
    """Blocks of the leaderboard, with every model in every benchmark as a heat map."""
    x = v.board.document()
    tables = [y for y in x.blocks if isinstance(y, Table)]
    models = [_models(v, tables[0])] if v.order else []
    out: list[Block] = [Remark(x.title), *models, *([_heat_of_benchmarks(v)] if v.several else [])]
    if len(v.order) > 1:
        out.append(Remark(
            "Intervals are of single models. Two of them may overlap where the models differ significantly: compare "
            "models in the comparisons, which are made question by question."
        ))  # fmt: skip
    if not v.order:
        scales = v.board.scales
        why = f"the benchmarks are on different scales, {scales_in_words(scales)}"
        if len(set(scales.values())) == 1:
            why = "no model has a trial in every benchmark"
        out.insert(1, Paragraph(f"There is no macro-average: {why}."))
    return out


def _models(v: View, table: Table) -> Table:
    """Table of models by their average, with ranks and interval for each target, then Pass@k."""
    rows, comparisons = v.board.table, v.report.comparisons
    # the headers are those of scorio.page.leaderboard
    sizes = [c for c in table.sets[0] if c.header in ("questions", "trials")]
    name = next(c.header.partition("\n")[0] for c in table.sets[0] if c not in sizes)
    first = [*sizes, number_column(name, [row.average.mu for row in rows], v.form)]
    for target, averages in v.report.averages.items():
        ranges = comparisons[target].ranges if target in comparisons else {}
        ranks = [span(*ranges[m], "-") if m in ranges else "" for m in v.order]
        first.append(ranked_column(ON[target], ranks, [averages[m] for m in v.order], v.form, v.confidence))
    if v.board.selection_bias is not None:
        first.append(number_column("shrunken\nto the mean", [row.shrunken for row in rows], v.form))
    return Table(table.lead, [first, *table.sets[1:]], table.caption, table.intervals)


def _heat_of_benchmarks(v: View) -> Table:
    """Table with a row for each model and a column for each benchmark.

    Colours range from the lowest average to the highest: of all benchmarks if they are on one scale, else of each.
    """
    averages = {(cell.benchmark, cell.model): cell.average for cell in v.board.each}
    every = [x.mu for x in averages.values()]
    rows = [*v.order, *(m for m in v.about.models if m not in v.order)]
    columns = []
    for name in v.about.benchmarks:
        values = [averages.get((name, m)) for m in rows]
        reference = every if len(set(v.board.scales.values())) == 1 else [x.mu for x in values if x is not None]
        low, width = min(reference), (max(reference) - min(reference)) or 1.0
        column = interval_column(v.about, printable(name) or "(no name)", values, v.form)
        shares = [None if x is None else (x.mu - low) / width for x in values]
        columns.append([Column(column.header, column.cells, "left", shares=shares)])
    return Table([names_column("model", rows)], columns, "Models by benchmarks", kind="shades")


def comparisons(v: View) -> list[Section]:
    """Section of comparisons: neighbours for each target, the map of all pairs, groups that do not differ."""
    x = v.main
    if x is None or not x.pairs:
        return []
    many, rate = len(x.pairs) > 1, alpha(v.confidence)
    rule = (
        f"Two models differ significantly where the p-value of their comparison is at most {rate}"
        + (", adjusted for the number of pairs by Holm's method" if many else "")
        + f". If all models were equally good, {'at least one pair' if many else 'they'} would differ significantly "
        f"in nominally at most {rate} of evaluations. The p-values of significant differences are coloured."
    )
    blocks: list[Block | Group] = [Paragraph(rule), *_neighbours(v, x)]
    if many:
        short = [v.names[m] for m in v.order]
        lines = ranking.group_lines(x.groups, short, MOST_LISTED)
        heading = Heading(f"Consecutive models of which no two differ significantly {ON[v.target]}")
        groups: list[Block] = [heading, Lines(lines)]
        every = Group("list", _map(v, x, short))
        kind: Literal["beside", "list"] = "list" if len(v.order) > MOST_MODELS_WITH_DIGITS else "beside"
        blocks.append(Group(kind, [every, Group("list", groups)] if lines else [every]))
    return [Section("Comparisons", blocks)]


def _neighbours(v: View, x: Comparisons) -> list[Block]:
    """Table of pairs of neighbours: their difference, and the verdict of each target."""
    pairs = list(pairwise(v.order))
    first = pairs[:MOST_NEIGHBOURS]
    short, many = [v.names[m] for m in v.order], len(x.pairs)
    lead = [names_column("better", [f"{i} {short[i - 1]}" for i in range(1, len(first) + 1)]),
            Column("worse", [f"{i + 1} {short[i]}" for i in range(1, len(first) + 1)], "left",
                   kinds=["name"] * len(first)),
            Column("difference", [score(x.pairs[p].mu, v.form) if p in x.pairs else "" for p in first])]  # fmt: skip
    sets = [_verdicts(v, y, first, target) for target, y in v.report.comparisons.items()]
    if any(p in x.sample_sizes for p in first):
        unit = plural(next(iter(x.sample_sizes.values())).unit)
        amounts = [amount(y) if (y := x.sample_sizes.get(p)) and y.times is not None else "" for p in first]
        # what amount() states before its unit: of "about 2.5 times as many questions ..." only "about 2.5 times"
        cells = [y.partition(f" {unit}")[0].removesuffix(" as many") for y in amounts]
        sets.append([Column(f"{unit} for\n{level(POWER)} power", cells, "left")])
    others = number(len(pairs) - len(first), "pair")
    more = f" The other {others} of neighbours: see the map." if len(pairs) > len(first) else ""
    meaning = (
        "Each row is a model and the next one below it. These are intervals of differences, not of single models as in "
        "the leaderboard."
    )
    if many > 1:
        meaning += (
            f" In about {level(v.confidence)} of evaluations the intervals of all {many:,} pairs cover their "
            "differences at once. Holm's method is less strict, so that an interval may contain 0 where the difference "
            "is significant: the p-value decides."
        )
    name = "Neighbours in the ranking"
    return [Heading(name), Table(lead, sets, name), Remark(meaning + more)]


def _verdicts(v: View, x: Comparisons, pairs: Sequence[Pair], target: str) -> list[Column]:
    compared = [x.pairs.get(p) for p in pairs]
    ends = [[score(y, v.form) for y in (z.lo, z.hi)] if z else ["", ""] for z in compared]
    # p_value() gives "p = 0.031" or "p < 0.0001": of these the cells have 0.031 or < 0.0001
    p = ["not compared" if z is None else p_value(z.p_adjusted)[2:].removeprefix("= ") for z in compared]
    kinds = ["better" if z is not None and z.significant else "" for z in compared]
    label = interval(v.confidence) + (", all pairs at once" if len(x.pairs) > 1 else "")
    return [Column(f"{ON[target]}\n{label}", [f"{a} to {b}" if a else "" for a, b in ends], "left"),
            Column(f"p{', adjusted' if len(x.pairs) > 1 else ''}", p, kinds=kinds)]  # fmt: skip


def _map(v: View, x: Comparisons, short: Sequence[str]) -> list[Block]:
    """Map of all pairs above the diagonal: the average of the row less that of the column, coloured by the decision."""
    L, large = len(v.order), len(v.order) > MOST_MODELS_WITH_DIGITS
    low, high = next(iter(v.board.scales.values()))  # of all benchmarks: on different scales there is no ranking
    columns = []
    for j in range(1, L):
        cells, kinds = [], []
        for i in range(L - 1):
            pair = x.pairs.get((v.order[i], v.order[j])) if i < j else None
            if pair is None:
                cells.append("–" if i < j else "")
                kinds.append("" if i < j else "none")
                continue
            cells.append(f"{100 * pair.mu / ((high - low) or 1.0):.0f}" if large else score(pair.mu, v.form))
            kinds.append("" if not pair.significant else "better" if pair.mu > 0 else "worse")
        columns.append([Column(str(j + 1), aligned(cells), kinds=kinds)])
    lead = [names_column("", [f"{i} {name}" for i, name in enumerate(short[:-1], 1)])]
    unit = ", in hundredths of the scale" if large else ""
    text = (
        f"The average of the row less that of the column, on the questions that both answered{unit}. Coloured: "
        f"significantly different {ON[v.target]}, blue where the row is better, orange where the column is."
    )
    return [Heading("All pairs"), Remark(text), Table(lead, columns, "All pairs", kind="map large" if large else "map")]
