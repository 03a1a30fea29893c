"""Models of a report: conclusions, leaderboard, heat map of the benchmarks, comparisons of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from ..analysis.sample_size import POWER
from ..display.terms import ON, SOURCES, alpha, interval, level, p_value
from ..display.text import listed, number, plural, printable, score, score_format, span
from ..page import html
from ..page.columns import aligned, names_column, number_column, ranked_column
from ..page.document import Axis, Block, Card, Cards, Column, Group, Heading, Lines, Paragraph, Remark, Section, Table
from ..readers.evaluation import scales_in_words
from .notes import interval_column
from .report_data import (
    MOST_LISTED,
    MOST_NEIGHBOURS,
    Comparisons,
    Pair,
    ReportData,
    first_place,
    group_lines,
    open_pair,
    pairs_that_differ,
    possibly_best,
)
from .verdicts import amount, capital, certificate_sentences, close, within_reach

MOST_MODELS_WITH_DIGITS = 12  # most models of a map that shows digits after the point
UNIT_AXIS = Axis((0.0, 1.0), [(x / 4, f"{x / 4:.2f}") for x in range(5)], "")
MISSING, SUSPECTS = "Trials and missing outcomes", "Suspects"


class View:
    """A report with the names of its models as they are printed in sentences and tables."""

    def __init__(self, x: ReportData) -> None:
        self.report, self.about, self.board = x, x.about, x.leaderboard
        self.order = [row.model for row in x.leaderboard.table]  # best first; empty without a macro-average
        short = html.names_on_page(x.about.models)
        self.names = dict(zip(x.about.models, short.short, strict=True))
        self.name_sentences = short.sentences
        self.form = score_format([end for ends in x.leaderboard.scales.values() for end in ends])
        self.several = x.about.several
        self.target, self.confidence = x.about.questions, x.about.confidence
        self.main: Comparisons | None = x.comparisons.get(self.target)  # those for the target of the report


def conclusions(v: View) -> list[Section | Block | Group]:
    """Conclusions: up to three cards, doubts that a reader must know, and the full sentences for statisticians."""
    out: list[Section | Block | Group] = []
    if v.order:
        cards = [_best_card(v)]
        cards += [_differences_card(v), _next_card(v)] if len(v.order) > 1 else []
        out.append(Cards(cards))
    if absent := _missing(v):
        out.append(Remark(absent, ("Missing outcomes of each model", MISSING)))
    if doubtful := _suspect_questions(v):
        out.append(Remark(doubtful, ("These questions", "Each benchmark" if v.several else SUSPECTS)))
    out += [Remark(y) for y in v.name_sentences]
    return [*out, Section("In full, for statisticians", _in_full(v), folded=True)] if v.order else out


def _best_card(v: View) -> Card:
    """Card with the model that is better than all others, or the models that may be the best.

    Where there is one model, or no comparison, it shows the average of the first model.
    """
    first, statistic = v.board.table[0].average, "macro-average" if v.several else "average"
    mu, lo, hi = (score(y, v.form) for y in (first.mu, first.lo, first.hi))
    ends = {"fixed": "The expected score on these exact questions", "sampled": "The score over all similar questions"}
    interval_sentence = f"{ends[v.target]} is between {lo} and {hi}, with {level(v.confidence)} confidence."
    name = v.names[v.order[0]]
    if len(v.order) == 1 or v.main is None:
        return Card(statistic.capitalize(), mu, [f"{name} scores {mu} on average.", interval_sentence])
    highest = f"The highest {statistic} is {mu}, of {name}. {interval_sentence}"
    large, says = [], []
    others = "the other model" if len(v.order) == 2 else "every other model"
    for target, x in v.report.comparisons.items():
        candidates = possibly_best(v.order, x)
        names = [v.names[m] for m in candidates]
        listing = listed(names, 6)
        large.append((target, " or ".join(names) if len(names) < 3 else f"one of {len(names)} models"))
        if len(candidates) > 1:
            sentence = f"each of {listing} may be the best model."
        elif all(m in candidates or x.is_better(candidates[0], m) for m in v.order):
            sentence = f"{listing} is significantly better than {others}."
        else:  # some pairs share too few questions to be compared
            sentence = f"no other model is significantly better than {listing}."
        says.append((target, sentence))
    out = [f"{capital(where)} {sentence}" for where, sentence in _by_words(says)]
    by_words = _by_words(large)
    headline = by_words[0][1]
    if len(by_words) > 1:
        headline = capital("; ".join(f"{where}: {names}" for where, names in by_words))
    certificate, (a, b) = v.report.certificate, [v.names[m] for m in v.order[:2]]
    out.append(highest)
    if certificate is not None and certificate.mu:
        out.append(certificate_sentences(certificate, a, b, binary=v.about.w is None))
    return Card("Who is best", headline, out)


def _by_words(words: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of targets in words and what is so for them; targets for which the same is so are joined."""
    targets: dict[str, list[str]] = {}
    for target, text in words:
        targets.setdefault(text, []).append(ON[target])
    return [(" and ".join(where), text) for text, where in targets.items()]


def _differences_card(v: View) -> Card:
    """Card with the number of pairs that differ, and its meaning."""
    if v.main is None or not v.main.pairs:
        return Card("Differences", "not compared", ["The models share too few questions to be compared."])
    x, rate = v.main, level(1.0 - v.confidence)
    wrong = f"If all models were equally good, at most {rate} of evaluations would show any such difference."
    equal = "A difference that is not significant does not show that models are equal."
    if len(x.pairs) == 1:
        words = [(t, f"{'' if y.n_significant else 'not '}significant") for t, y in v.report.comparisons.items()]
        parts = [f"{text} {where}" for where, text in _by_words(words)]
        large = "significant" if x.n_significant else "not significant"
        return Card("Difference", large, [f"The difference of the two models is {', '.join(parts)}.",
                                          *([] if x.n_significant else [equal])])  # fmt: skip
    sentences = [pairs_that_differ(v.report.comparisons) + ".", wrong]
    return Card("Differences", f"{x.n_significant:,} of {number(len(x.pairs), 'pair')}",
                [*sentences, *([equal] if x.n_significant < len(x.pairs) else [])])  # fmt: skip


def _next_card(v: View) -> Card:
    """Card with the next step: what would show a difference of the first pair that does not differ significantly."""
    x = v.main
    if x is None or not x.pairs:
        sentence = "Give the models the same questions, so that they can be compared."
        return Card("What next", "the same questions", [sentence])
    first_pairs = [(t, y, y.not_significant[0]) for t, y in v.report.comparisons.items() if y.not_significant]
    open_pairs = [(t, pair, y.sample_sizes[pair]) for t, y, pair in first_pairs]  # a pair for each target
    if any(pair not in x.pairs for pair in pairwise(v.order)):
        sentence = "Some neighbours in the ranking share too few questions to be compared: give them the same ones."
        return Card("What next", "the same questions", [sentence])
    if not open_pairs:
        where = " and ".join(ON[t] for t in v.report.comparisons)
        sentence = f"Neighbours in the ranking differ significantly {where}."
        return Card("What next", "no more data", [sentence])
    target, pair, needed = next((y for y in open_pairs if within_reach(y[2])), open_pairs[0])
    both = f"{v.names[pair[0]]} and {v.names[pair[1]]}"
    if not within_reach(needed):
        why = f"to show a difference as small as the one seen would take {amount(needed)}"
        why = "their averages are equal" if needed.times is None else why
        return Card("What next", "choose by other criteria", [
            f"{both} may simply be equal: {why}.",
            "Choose the cheaper or faster one, or check with scorio gate LOG CANDIDATE BASELINE --margin 0.02 whether "
            "it is good enough.",
        ])  # fmt: skip
    if close(needed):
        units = f"a few more {plural(needed.unit)}"
        return Card("What next", units, [f"{both} are close to a significant difference: {units} may show one."])
    now = "" if needed.now is None else f" (now {needed.now:,})"
    adjusted = ", adjusted for all pairs," if len(v.order) > 2 else ""
    sentence = (
        f"Run {amount(needed)}{now}: a difference as large as that seen between {both} would then be "
        f"significant {ON[target]}{adjusted} with a probability of {level(POWER)}. If it is not, they may simply "
        "be equal."
    )
    return Card("What next", amount(needed), [sentence])


def _missing(v: View) -> str:
    """Sentences with the number of missing outcomes and how they were treated; empty where none is missing."""
    gaps, missing = v.about.gaps, v.about.missing
    many = len(gaps.unfinished)
    unfinished = f"{number(many, 'run')} {'is' if many == 1 else 'are'} not finished: more is missing. " if many else ""
    if not gaps.absent:
        return unfinished.strip()
    if isinstance(missing, str):
        done, effect = "left out", "If trials that go badly are missing more often than others, averages are too high."
    else:
        done = {0: "counted as failures", 1: "counted as successes"}.get(missing, "") if v.about.w is None else ""
        done = done or f"counted as category {missing}"
        effect = "If that is not what would have come out, averages are wrong."
    return f"{unfinished}Missing: {gaps.absent:,} of {number(gaps.planned, 'outcome')}, {done}. {effect}"


def _suspect_questions(v: View) -> str:
    """Sentences with the number of questions that may be wrong, by benchmark where there are several."""
    tally = {p.benchmark: n for p in v.report.parts if (n := sum(y.suspect for y in p.item_analysis.items))}
    if not tally:
        return ""
    where = f" ({', '.join(f'{name}: {n:,}' for name, n in tally.items())})" if v.several else ""
    them = "it" if sum(tally.values()) == 1 else "them"
    return (
        f"{number(sum(tally.values()), 'question')}{where} may be wrong: better models fail on {them} more often. Read "
        f"{them} before you trust the ranking."
    )


def _in_full(v: View) -> list[Block]:
    """Paragraphs of the conclusions with levels, intervals and p-values, for each target."""
    first = v.board.table[0].average
    tied = sum(row.average.mu == first.mu for row in v.board.table)  # how many share the highest average
    empty = Comparisons({}, {}, (), (), {})
    out = first_place(v.order, v.names, first, tied, v.main or empty, v.confidence, v.form)
    for target, x in v.report.comparisons.items():
        if x.not_significant:
            out += open_pair(x.not_significant[0], v.names, x, target, v.confidence, v.form)
    if v.main is not None and len(v.main.pairs) > 1:
        chance = (1.0 - v.confidence) * len(v.main.pairs)
        out.append(
            f"{pairs_that_differ(v.report.comparisons)} (at {alpha(v.confidence)}, family-wise over all pairs "
            f"by Holm's method). If all models were equally good, about {chance:.1f} pairs would do so without that "
            "adjustment."
        )
    return [Paragraph(x) for x in [*out, f"Intervals {ON[v.target]} account for {SOURCES[v.target]}."]]


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
    # the headers are those of the table of the leaderboard
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
        lines = group_lines(x.groups, short, MOST_LISTED)
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
