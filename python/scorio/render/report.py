"""The page of a report: conclusions first, then tables and charts of every analysis, then how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import quote

import numpy as np

from ..analysis.curves import Curve, Stability
from ..analysis.questions import FDR, Question
from ..analysis.ranking import Pair
from ..analysis.report import MOST_LISTED, MOST_NEIGHBOURS, Comparisons, Part, Report
from ..analysis.sample_size import POWER
from ..display.terms import ON, SOURCES, alpha, interval, level, p_value
from ..display.text import digits, listed, number, plural, printable, score, span
from ..io.evaluation import scales_in_words
from ..version import __version__
from . import html, leaderboard, notes, ranking
from .converge import left_out
from .document import (
    Axis,
    Block,
    Card,
    Cards,
    Chart,
    Column,
    Document,
    Group,
    Heading,
    Heat,
    Lines,
    Paragraph,
    Quiet,
    Section,
    Table,
    Trace,
    flat,
)  # fmt: skip
from .items import of_questions, of_ranking
from .numbers import aligned, interval_column, number_column, ranked_column
from .verdicts import survives

MOST_DIGITS = 12  # models whose map has room for digits after the point
UNIT = Axis((0.0, 1.0), [(x / 4, f"{x / 4:.2f}") for x in range(5)], "")
MISSING, SUSPECTS = "Trials and missing outcomes", "Suspects"


def document(x: Report) -> Document:
    """Page of the report for text: its tables, and every chart in words."""
    return Document(x.title, flat(sections(x)))


def page(x: Report) -> str:
    """HTML page of the report."""
    return html.page(printable(x.title), sections(x))


class View:
    """A report with the names of its models as they stand in sentences and tables."""

    def __init__(self, x: Report) -> None:
        self.report, self.about, self.board = x, x.about, x.leaderboard
        self.order = [row.model for row in x.leaderboard.table]
        short = html.names_on_page(x.about.models)
        self.names = dict(zip(x.about.models, short.short, strict=True))
        self.name_sentences = short.sentences
        self.form = digits([end for ends in x.leaderboard.scales.values() for end in ends])
        self.several = len(x.about.benchmarks) > 1
        self.target, self.confidence = x.about.questions, x.about.confidence
        self.main: Comparisons | None = x.comparisons.get(self.target)


def sections(x: Report) -> list[Section | Block | Group]:
    """Sections of the page, in their order."""
    v = View(x)
    parts = [(p, _part(v, p)) for p in x.parts]
    each: list[Section | Block | Group] = [y for _, inner in parts for y in inner]
    if v.several:
        each = [
            Section("Each benchmark", [Section(p.benchmark or "(no name)", inner, folded=True) for p, inner in parts])
        ]
    every = [*_conclusions(v), Section("Leaderboard", _leaderboard(v)), *_comparisons(v), *each,
             Section(MISSING, _trials(v)), Section("Notes", [Lines(_notes(v))]),
             Section("How this page was made", _provenance(v))]  # fmt: skip
    return [y for y in every if not isinstance(y, Section) or y.blocks]


# --- conclusions ----------------------------------------------------------------------------------------


def _conclusions(v: View) -> list[Section | Block | Group]:
    """Conclusions: three cards, doubts that a reader must know, and the full sentences for statisticians."""
    out: list[Section | Block | Group] = []
    if v.order:
        cards = [_best(v)]
        cards += [_differences(v), _next(v)] if len(v.order) > 1 else []
        out.append(Cards(cards))
    if absent := _missing(v):
        out.append(Quiet(absent, ("How many of which model", MISSING)))
    if doubtful := _suspect_questions(v):
        out.append(Quiet(doubtful, ("Which ones", "Each benchmark" if v.several else SUSPECTS)))
    out += [Quiet(y) for y in v.name_sentences]
    return [*out, Section("In full, for statisticians", _in_full(v), folded=True)] if v.order else out


def _best(v: View) -> Card:
    """Card with the model that is better than all others, or the models that may be the best."""
    first, statistic = v.board.table[0].average, "macro-average" if v.several else "average"
    mu, lo, hi = (score(y, v.form) for y in (first.mu, first.lo, first.hi))
    ends = {"fixed": "The expected score on these exact questions", "sampled": "The score over all similar questions"}
    sure = f"{ends[v.target]} is between {lo} and {hi}, with {level(v.confidence)} confidence."
    name = v.names[v.order[0]]
    if len(v.order) == 1 or v.main is None:
        return Card(statistic.capitalize(), mu, [f"{name} scores {mu} on average.", sure])
    highest = f"The highest {statistic} is {mu}, of {name}. {sure}"
    out, large = [], ""
    for target, x in v.report.comparisons.items():
        candidates = ranking.possibly_best(v.order, x)
        listing = listed([v.names[m] for m in candidates], 6)
        others = "the other model" if len(v.order) == 2 else "every other model"
        large = large or (listing if len(candidates) == 1 else f"one of {len(candidates)} models")
        out.append(
            f"{ranking.capital(ON[target])} {listing} is significantly better than {others}." if len(candidates) == 1
            else f"{ranking.capital(ON[target])} each of {listing} may be the best model."
        )  # fmt: skip
    lead, (a, b) = v.report.certificate, [v.names[m] for m in v.order[:2]]
    certain = [survives(lead, a, b, v.about.weights is None)] if lead is not None and lead.mu else []
    return Card("Who is best", large, [*out, highest, *certain])


def _differences(v: View) -> Card:
    """Card with the number of pairs that differ, and its meaning."""
    if v.main is None or not v.main.pairs:
        return Card("Differences", "not compared", ["The models share too few questions to be compared."])
    x, rate = v.main, level(1.0 - v.confidence)
    wrong = f"If all models were equal, any pair would differ significantly in at most {rate} of evaluations."
    equal = "A difference that is not significant does not show that models are equal."
    if len(x.pairs) == 1:
        parts = [f"{'' if y.decided else 'not '}significant {ON[t]}" for t, y in v.report.comparisons.items()]
        large = "significant" if x.decided else "not significant"
        return Card("Difference", large, [f"The difference of the two models is {', '.join(parts)}.",
                                          *([] if x.decided else [equal])])  # fmt: skip
    sentences = [ranking.how_many(v.report.comparisons) + ".", wrong]
    return Card("Differences", f"{x.decided:,} of {number(len(x.pairs), 'pair')}",
                [*sentences, *([equal] if x.decided < len(x.pairs) else [])])  # fmt: skip


def _next(v: View) -> Card:
    """Card with the next step: the sample size that separates the leaders."""
    x = v.main
    if x is None or not x.pairs:
        sentence = "Give the models the same questions, so that they can be compared."
        return Card("What next", "the same questions", [sentence])
    open_pairs = [(t, y.undecided[0], y.needed[y.undecided[0]]) for t, y in v.report.comparisons.items() if y.undecided]
    if not open_pairs:
        where = " and ".join(ON[t] for t in v.report.comparisons)
        sentence = f"Neighbours in the ranking differ significantly {where}."
        return Card("What next", "nothing is open", [sentence])
    target, pair, needed = next((x for x in open_pairs if ranking.within_reach(x[2])), open_pairs[0])
    both = f"{v.names[pair[0]]} and {v.names[pair[1]]}"
    if not ranking.within_reach(needed):
        why = "their averages are equal" if needed.total is None and needed.times is None else (
            f"to show a difference as small as the one seen would take {ranking.amount(needed, target)}"
        )  # fmt: skip
        return Card("What next", "choose by other criteria", [
            f"{both} may simply be equal: {why}.",
            "Choose the cheaper or faster one, or ask by scorio gate LOG CANDIDATE BASELINE --margin 0.02 whether it "
            "is good enough.",
        ])  # fmt: skip
    if ranking.close(needed):
        units = f"a few more {plural(ranking.UNIT[target])}"
        return Card("What next", units, [f"{both} are close to a significant difference: {units} may show one."])
    now = "" if needed.now is None else f" (now {needed.now:,})"
    among = f" among {number(len(v.order), 'model')}" if len(v.order) > 2 else ""
    sentence = (
        f"Run {ranking.amount(needed, target)}{now}: a difference as large as that seen between {both} would then be "
        f"significant {ON[target]}{among} with a probability of {level(POWER)}. If it is not, they may simply be equal."
    )
    return Card("What next", ranking.amount(needed, target), [sentence])


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
        done = {0: "counted as failures", 1: "counted as successes"}.get(missing, "") if v.about.weights is None else ""
        done = done or f"counted as category {missing}"
        effect = "If that is not what would have come out, averages are wrong."
    return f"{unfinished}Missing: {gaps.absent:,} of {number(gaps.planned, 'outcome')}, {done}. {effect}"


def _suspect_questions(v: View) -> str:
    """Sentences with the number of questions that may be wrong, by benchmark where there are several."""
    tally = {p.benchmark: n for p in v.report.parts if (n := sum(y.suspect for y in p.measures.items))}
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
    tied = sum(row.average.mu == first.mu for row in v.board.table)
    empty = Comparisons({}, {}, (), (), {})
    out = ranking.first_place(v.order, v.names, first, tied, v.main or empty, v.confidence, v.form)
    for target, x in v.report.comparisons.items():
        if x.undecided:
            out += ranking.undecided(x.undecided[0], v.names, x, target, v.confidence, v.form)
    if v.main is not None and len(v.main.pairs) > 1:
        chance = (1.0 - v.confidence) * len(v.main.pairs)
        out.append(
            f"{ranking.how_many(v.report.comparisons)} (at {alpha(v.confidence)}, family-wise over all pairs by Holm's "
            f"method). If all models were equally good, about {chance:.1f} would do so without that adjustment."
        )
    return [Paragraph(x) for x in [*out, f"Intervals {ON[v.target]} account for {SOURCES[v.target]}."]]


# --- models ---------------------------------------------------------------------------------------------


def _leaderboard(v: View) -> list[Block]:
    """Blocks of the leaderboard, with every model in every benchmark as a heat map."""
    x = leaderboard.document(v.board)
    tables = [y for y in x.blocks if isinstance(y, Table)]
    models = [_models(v, tables[0])] if v.order else []
    out: list[Block] = [Quiet(x.title), *models, *([_heat_of_benchmarks(v)] if v.several else [])]
    if len(v.order) > 1:
        out.append(Quiet(
            "Intervals are of single models. Two of them may overlap where the models differ significantly: compare "
            "models in the comparisons, which are made question by question."
        ))  # fmt: skip
    if not v.order:
        out.insert(1, Paragraph(f"There is no macro-average: {scales_in_words(v.board.scales)}."))
    return out


def _models(v: View, whole: Table) -> Table:
    """Table of models by their average, with ranks and interval for both targets, then Pass@k."""
    rows, comparisons = v.board.table, v.report.comparisons
    sizes = [c for c in whole.sets[0] if c.header in ("questions", "trials")]
    name = next(c.header.partition("\n")[0] for c in whole.sets[0] if c not in sizes)
    first = [*sizes, number_column(name, [row.average.mu for row in rows], v.form)]
    for target, averages in v.report.averages.items():
        ranges = comparisons[target].ranges if target in comparisons else {}
        ranks = [span(*ranges[m], "-") if m in ranges else "" for m in v.order]
        first.append(ranked_column(ON[target], ranks, [averages[m] for m in v.order], v.form, v.confidence))
    return Table(whole.lead, [first, *whole.sets[1:]], whole.caption, whole.intervals)


def _heat_of_benchmarks(v: View) -> Table:
    """Table with a row for each model and a column for each benchmark, coloured over the range that occurs."""
    averages = {(cell.benchmark, cell.model): cell.average for cell in v.board.each}
    every = [x.mu for x in averages.values()]
    rows = [*v.order, *(m for m in v.about.models if m not in v.order)]
    columns = []
    for name in v.about.benchmarks:
        values = [averages.get((name, m)) for m in rows]
        reference = every if len(set(v.board.scales.values())) == 1 else [x.mu for x in values if x is not None]
        low, width = min(reference), (max(reference) - min(reference)) or 1.0
        column = interval_column(printable(name) or "(no name)", values, v.form, v.confidence, v.target)
        shares = [None if x is None else (x.mu - low) / width for x in values]
        columns.append([Column(column.header, column.cells, "left", shares=shares)])
    return Table([Column("model", rows, "left", names=True)], columns, "Models by benchmarks", kind="shades")


def _comparisons(v: View) -> list[Section]:
    """Section of comparisons: neighbours for both targets, runs that are not separated, the map of all pairs."""
    x = v.main
    if x is None or not x.pairs:
        return []
    many, rate = len(x.pairs) > 1, alpha(v.confidence)
    rule = (
        f"Two models differ significantly where the p-value of their comparison is at most {rate}"
        + (", adjusted for the number of pairs by Holm's method" if many else "")
        + f". If all models were equally good, {'any pair' if many else 'they'} would differ significantly in at most "
        f"{rate} of evaluations. Their p-values are coloured."
    )
    blocks: list[Block | Group] = [Paragraph(rule), *_neighbours(v, x)]
    if many:
        short = [v.names[m] for m in v.order]
        lines = ranking.runs(x.runs, short, MOST_LISTED)
        runs: list[Block] = [Heading(f"Runs in which no two models differ significantly {ON[v.target]}"), Lines(lines)]
        every = Group("list", _map(v, x, short))
        blocks.append(Group("beside", [every, Group("list", runs)] if lines else [every]))
    return [Section("Comparisons", blocks)]


def _neighbours(v: View, x: Comparisons) -> list[Block]:
    """Table of pairs of neighbours: their difference, and the verdict of each target."""
    pairs = list(pairwise(v.order))
    first = pairs[:MOST_NEIGHBOURS]
    short, many = [v.names[m] for m in v.order], len(x.pairs)
    lead = [Column("better", [f"{i} {short[i - 1]}" for i in range(1, len(first) + 1)], "left", names=True),
            Column("worse", [f"{i + 1} {short[i]}" for i in range(1, len(first) + 1)], "left"),
            Column("difference", [score(x.pairs[p].mu, v.form) if p in x.pairs else "" for p in first])]  # fmt: skip
    sets = [_verdicts(v, y, first, target) for target, y in v.report.comparisons.items()]
    if any(p in x.needed for p in first):
        unit = plural(ranking.UNIT[v.target])
        amounts = [ranking.amount(x.needed[p], v.target) if _plannable(x, p) else "" for p in first]
        cells = [y.partition(f" {unit}")[0].removesuffix(" as many") for y in amounts]
        sets.append([Column(f"{unit} for\n{level(POWER)} power", cells, "left")])
    more = (
        f" The other {number(len(pairs) - len(first), 'pair')} of neighbours: see the map."
        if len(pairs) > len(first)
        else ""
    )
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
    return [Heading("Neighbours in the ranking"), Table(lead, sets, "Neighbours in the ranking"), Quiet(meaning + more)]


def _plannable(x: Comparisons, p: Pair) -> bool:
    return p in x.needed and (x.needed[p].total is not None or x.needed[p].times is not None)


def _verdicts(v: View, x: Comparisons, pairs: Sequence[Pair], target: str) -> list[Column]:
    """Columns of the interval and the p-value of each pair, for one target."""
    compared = [x.pairs.get(p) for p in pairs]
    ends = [[score(y, v.form) for y in (z.lo, z.hi)] if z else ["", ""] for z in compared]
    p = ["not compared" if z is None else p_value(z.p_adjusted)[2:].removeprefix("= ") for z in compared]
    kinds = ["better" if z is not None and z.significant else "" for z in compared]
    label = interval(v.confidence) + (", all pairs at once" if len(x.pairs) > 1 else "")
    return [Column(f"{ON[target]}\n{label}", [f"{a} to {b}" if a else "" for a, b in ends], "left"),
            Column(f"p{', adjusted' if len(x.pairs) > 1 else ''}", p, kinds=kinds)]  # fmt: skip


def _map(v: View, x: Comparisons, short: Sequence[str]) -> list[Block]:
    """Map of every pair, the upper triangle: the difference of the row and the column, and the decision."""
    L, large = len(v.order), len(v.order) > MOST_DIGITS
    low, high = next(iter(v.board.scales.values()))
    columns = []
    for j in range(1, L):
        cells, kinds = [], []
        for i in range(L - 1):
            pair = x.pairs.get((v.order[i], v.order[j])) if i < j else None
            value = (
                ""
                if pair is None
                else f"{100 * pair.mu / ((high - low) or 1.0):.0f}"
                if large
                else score(pair.mu, v.form)
            )
            cells.append(value if pair else "–" if i < j else "")
            better = pair is not None and pair.significant
            kinds.append("none" if i >= j else "" if not better else "better" if pair and pair.mu > 0 else "worse")
        columns.append([Column(str(j + 1), aligned(cells), kinds=kinds)])
    lead = [Column("", [f"{i} {name}" for i, name in enumerate(short[:-1], 1)], "left", names=True)]
    unit = ", in hundredths of the scale" if large else ""
    text = (
        f"The average of the row less that of the column, on the questions that both answered{unit}. Coloured: "
        f"significantly different {ON[v.target]}, blue where the row is better, orange where the column is."
    )
    return [Heading("All pairs"), Quiet(text), Table(lead, columns, "All pairs", kind="map large" if large else "map")]


# --- one benchmark --------------------------------------------------------------------------------------


def _part(v: View, p: Part) -> list[Section | Block | Group]:
    """Sections of a benchmark: Pass@k, questions, reliability and stability."""
    parts: dict[str, Sequence[Block | Group]]
    parts = {"Pass@k": _curves(v, p), "Questions": _questions(v, p), "Reliability and design": _reliability(v, p),
             "Stability of the ranking": _stability(v, p)}  # fmt: skip
    if v.several:
        return [y for heading, blocks in parts.items() if blocks for y in (Heading(heading), *blocks)]
    return [Section(heading, blocks) for heading, blocks in parts.items()]


def _curves(v: View, p: Part) -> list[Block | Group]:
    """Charts of Pass@k of the best models: measured up to the trials, modelled beyond."""
    if not p.curves:
        return [Paragraph(f"Not shown: {p.no_curves}.")] if p.no_curves else []
    first = next(iter(p.curves.values()))
    most = max(x.beyond[-1] for x in p.curves.values())
    explanation = (
        f"Solid: measured, with its {interval(v.confidence)} {ON[v.target]}. Dashed: more trials than there "
        "are, under a beta-binomial model of the success rates, fitted to all questions. The band there needs no "
        "model: light, limits that cover Pass@k; dark, what they would be if the counts had no sampling error. The "
        "dashed line may leave the dark band."
    )
    explanation += f" Dotted, grey: {v.names[next(iter(p.curves))]}." if len(p.curves) > 1 else ""
    undrawn = sum(c.benchmark == p.benchmark for c in v.board.each) - len(p.curves)
    more = [Quiet(f"The other {number(undrawn, 'model')} are not drawn.")] if undrawn else []
    charts = [_curve(v.names[m], x, first if x is not first else None, most) for m, x in p.curves.items()]
    return [Paragraph(explanation), Group("small", charts), *more]


def _curve(name: str, x: Curve, best: Curve | None, most: int) -> Chart:
    """Chart of one model; behind it the best one."""
    value = [y.mu for y in x.measured]
    traces = [
        Trace("band", x.within, [y.lo for y in x.measured], [y.hi for y in x.measured]),
        Trace("band", x.beyond, [y.low for y in x.bands], [y.high for y in x.bands]),
        Trace("inner", x.beyond, [y.lower for y in x.bands], [y.upper for y in x.bands]),
        *([Trace("other", best.within, [y.mu for y in best.measured])] if best is not None else []),
        Trace("line", x.within, value),
    ]
    last, modelled = x.bands[-1], [y for y, _, _ in x.modelled]
    if modelled:
        traces.append(Trace("modelled", [x.within[-1], *x.beyond], [value[-1], *modelled]))
    text = f"Pass@k of {name}: {value[0]:.2f} at 1, {value[-1]:.2f} at {x.within[-1]}; at {x.beyond[-1]} between "
    text += f"{last.low:.2f} and {last.high:.2f}" + (f", {modelled[-1]:.2f} by the model." if modelled else ".")
    powers = [2**i for i in range(most.bit_length())]
    axis = Axis((1.0, float(most)), [(float(k), f"{k:,}") for k in powers[:: -(-len(powers) // 7)]], "k", log=True)
    return Chart(text, name, traces, axis, Axis(UNIT.ends, UNIT.ticks, "Pass@k"))


def _questions(v: View, p: Part) -> list[Block | Group]:
    """Heat map of every model on every question; the hardest and most discriminating questions, and suspects."""
    x = p.questions
    if x is None:
        return []
    never, always = (sum(q.solved == y for q in x.table) for y in ("never", "always"))
    ends = ("never solved", "always solved") if x.scores == (0.0, 1.0) else ("always scored lowest", "always highest")
    size = number(len(x.table), "question")
    summary = f"Of {size} {ends[0]}: {never:,}; {ends[1]}: {always:,} (in all trials of all models)."
    lists = [_listed(v, p, "Hardest", x.table)]
    if p.measures.items:
        lists += [_discriminating(v, p), _suspects(v, p)]
    elif len(x.models) > 1:
        lists.append(_listed(v, p, "Where the models differ most", p.contested))
    low, high = min(x.scores), max(x.scores)
    alt = (
        f"Questions: the average of {number(len(x.models), 'model')} on {size}, hardest first, "
        "models from best to worst; dark is low, light is high."
    )
    below = f"{size} from the hardest (left) to the easiest (right)."
    below += " Grey: no trial." if np.isnan(x.values).any() else ""
    shares = (x.values - low) / ((high - low) or 1.0)
    heat = Heat(alt, [v.names[m] for m in x.models], shares, (below, f"{low:.10g}", f"{high:.10g}"))
    return [Paragraph(summary), heat, Group("lists", lists)]


def _ids(v: View, p: Part, names: Sequence[str]) -> Column:
    """Column of the ids of questions, with their texts; linked to their transcripts where an address is given."""
    address = v.report.link
    links = [address.replace("{question}", quote(x, safe="")) for x in names] if address else []
    texts = [printable(v.report.texts.get((p.benchmark, x), "")) for x in names]
    return Column("question", [printable(x) for x in names], "left", links=links, texts=texts)


def _listed(v: View, p: Part, heading: str, ranked: Sequence[Question]) -> Group:
    first = ranked[:MOST_LISTED]
    values = [("average", [q.mean for q in first])]
    if any(q.models > 1 for q in first):
        values += [("lowest\nmodel", [q.lowest for q in first]), ("highest\nmodel", [q.highest for q in first])]
    columns = [Column(name, [score(y, v.form) for y in ys]) for name, ys in values]
    return _list(heading, len(ranked), Table([_ids(v, p, [q.name for q in first])], [columns], heading))


def _discriminating(v: View, p: Part) -> Group:
    """List of the questions that discriminate most between the models."""
    best = p.discriminating
    first = best[:MOST_LISTED]
    columns = [Column("average", [f"{y.mean:.3f}" for y in first])]
    if any(y.discrimination is not None for y in best):
        r = ["" if y.discrimination is None else f"{min(y.discrimination, 1.0):.2f}" for y in first]
        columns.append(Column("discrimi-\nnation", r))
    columns.append(Column("covariance", [f"{y.covariance:.4f}" for y in first]))
    text = "With the average on the other questions, over the models: covariance; as discrimination the correlation, "
    text += "freed of trial-to-trial variance."
    ids = _ids(v, p, [p.measures.names[y.question] for y in first])
    return _list("Most discriminating", len(best), Table([ids], [columns], "Most discriminating"), text)


def _suspects(v: View, p: Part) -> Group:
    """List of suspects: questions on which better models do worse."""
    suspects = p.suspects
    first = suspects[:MOST_LISTED]
    columns = [Column("average", [f"{y.mean:.3f}" for y in first]),
               Column("covariance", [f"{y.covariance:.4f}" for y in first]),
               Column("p,\nadjusted", [f"{y.p_adjusted:.2g}" for y in first])]  # fmt: skip
    ids = _ids(v, p, [p.measures.names[y.question] for y in first])
    text, name = " ".join(of_questions(p.measures.items, FDR)), "" if v.several else html.name_of(SUSPECTS)
    return _list(SUSPECTS, len(suspects), Table([ids], [columns], SUSPECTS), text, name)


def _list(heading: str, size: int, table: Table, text: str = "", name: str = "") -> Group:
    """A heading over the first questions of a list."""
    more = f" (the first {MOST_LISTED})" if size > MOST_LISTED else ""
    return Group("list", [Heading(heading + more, name), *([Quiet(text)] if text else []), *([table] if size else [])])


def _reliability(v: View, p: Part) -> list[Block]:
    """Table of the reliability of the ranking, now and with more trials or questions."""
    if not p.measures.designs:
        return [Paragraph(f"Not shown: {p.measures.why}.")] if p.measures.why else []
    now, *others = p.measures.designs
    which = ["as it is", *(f"{x.questions // now.questions} times the questions" if x.questions > now.questions
                           else f"{round(x.trials / max(1, round(now.trials)))} times the trials"
                           for x in others)]  # fmt: skip
    designs = [now, *others]
    columns = [Column("questions", [f"{x.questions:,}" for x in designs]),
               Column("trials per\nquestion", [f"{round(x.trials):,}" for x in designs]),
               Column("standard error of a difference\non similar questions",
                      [f"{x.se:.3f}" for x in designs])]  # fmt: skip
    if now.se_fixed is not None:
        columns.append(Column("on these\nquestions", [f"{x.se_fixed or 0.0:.3f}" for x in designs]))
    columns.append(Column("reliability\non similar questions", [f"{x.rho:.2f}" for x in designs]))
    meaning = (
        "Reliability: the squared correlation of the averages of the models with those that unlimited trials on all "
        "similar questions would give; 1 is a ranking without error. It is lower for models that are closer to each "
        "other, and rests on variances estimated from this log."
    )
    if v.target == "sampled" and v.about.gaps.clustered:
        meaning += " It takes questions for independent: clusters make a ranking less reliable."
    table = Table([Column("design", which, "left")], [columns], "Designs")
    return [Paragraph(" ".join(of_ranking(now, v.confidence))), table, Quiet(meaning)]


def _stability(v: View, p: Part) -> list[Block | Group]:
    """Charts of how the ranking stabilises as trials are added, or why that is not known."""
    x: Stability | None = p.stability
    if x is None:
        return [Paragraph(f"Not shown: {p.unstable}.")] if p.unstable else []
    a, N, B = x.agreement, x.agreement.trials[-1], v.report.replicates
    bottom = min(0.0, round(min(a.low) - 0.05, 1))
    tau = Axis((bottom, 1.0), [*UNIT.ticks, (bottom, f"{bottom:.2f}")] if bottom else UNIT.ticks, "")
    charts = [
        Chart(
            f"Kendall's tau-b with the gold ranking: {a.mean[0]:.2f} after 1 trial, {a.mean[-1]:.2f} after {N}.",
            "Kendall's tau-b with the gold ranking: mean, and the middle 90% of the replicates",
            [Trace("band", a.trials, a.low, a.high), Trace("line", a.trials, a.mean)], _trial_axis(a.trials), tau,
        )
    ]  # fmt: skip
    remarks = left_out(x.block)
    if N > 2:
        trials = a.trials[:-1]
        charts.append(Chart(
            f"Share of replicates with a stable ranking: {x.stable[0]:.2f} by trial 1, {x.stable[-1]:.2f} by {N - 1}.",
            f"Share of replicates with a stable ranking; {100 * x.never:.1f}% need all {N} trials",
            [Trace("line", trials, x.stable)], _trial_axis(trials), UNIT,
        ))  # fmt: skip
    else:  # a line of one point would be an empty chart
        remarks.append(f"In {100 * x.stable[0]:.1f}% of replicates the first trial ranks as both trials do.")
    explanation = (
        f"{number(B, 'bootstrap replicate')}. Each samples {N} trials with replacement, the same ones for all models. "
        "The gold ranking is that of all trials; a ranking is stable from n trials on if it equals the gold ranking "
        "after n and after every larger number of trials. The bootstrap takes the gold ranking for the truth: with few "
        "trials it overstates how stable the ranking is."
    )
    return [*(Paragraph(y) for y in remarks), Group("beside", charts), Quiet(explanation)]


def _trial_axis(trials: Sequence[int]) -> Axis:
    """Axis of trials with at most ten ticks."""
    step = -(-len(trials) // 10)
    return Axis((trials[0], trials[-1]), [(n, f"{n:,}") for n in trials[::step]], "trials per question")


# --- how it was made ------------------------------------------------------------------------------------


def _trials(v: View) -> list[Block | Section]:
    """Table of the trials of each model, and how missing ones were treated."""
    each, gaps = v.board.each, v.about.gaps
    policy = {"raise": "an error", "drop": "left out"}.get(str(v.about.missing), f"counted as {v.about.missing}")
    summary = "Nothing is missing."
    if gaps.absent or gaps.empty:
        summary = (
            f"Missing: {number(gaps.absent, 'outcome')}; {number(gaps.empty, 'question')} of a model without a trial. "
        )
        summary += f"When the log was read, missing outcomes were {policy}."
    columns = [Column("benchmark", [x.benchmark or "(no name)" for x in each], "left")] if v.several else []
    columns += [Column("questions", [f"{x.questions:,}" for x in each]),
                Column("trials per\nquestion", [span(x.trials_min, x.trials_max, "–") for x in each]),
                Column("missing", [f"{x.missing:,}" for x in each])]  # fmt: skip
    table = Table([Column("model, in full", [printable(x.model) for x in each], "left")], [columns], "Trials")
    return [Paragraph(summary), Section("Questions and trials of every model", [table], folded=not gaps.absent)]


def _notes(v: View) -> list[str]:
    return [*notes.different_questions(v.about.gaps), *leaderboard.document(v.board).every_note]


def _provenance(v: View) -> list[Block]:
    """Lines with the date, the version, the command and the files."""
    x = v.report
    command = [f"Command: {x.command}"] if x.command else []
    return [Lines([f"Made on {x.date} with scorio {__version__}.", *command, *x.sources])]
