"""Conclusions of a report: cards with a few large words, doubts that a reader must know, and the full sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...analysis.sample_size import POWER
from ...display.terms import ON, SOURCES, alpha, level
from ...display.text import listed, number, plural, score
from ...page.document import Block, Card, Cards, Group, Paragraph, Remark, Section
from .. import ranking
from ..ranking import Comparisons
from ..verdicts import amount, capital, certificate_sentences, close, within_reach
from .view import MISSING, SUSPECTS, View


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
        candidates = ranking.possibly_best(v.order, x)
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
    sentences = [ranking.pairs_that_differ(v.report.comparisons) + ".", wrong]
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
    out = ranking.first_place(v.order, v.names, first, tied, v.main or empty, v.confidence, v.form)
    for target, x in v.report.comparisons.items():
        if x.not_significant:
            out += ranking.open_pair(x.not_significant[0], v.names, x, target, v.confidence, v.form)
    if v.main is not None and len(v.main.pairs) > 1:
        chance = (1.0 - v.confidence) * len(v.main.pairs)
        out.append(
            f"{ranking.pairs_that_differ(v.report.comparisons)} (at {alpha(v.confidence)}, family-wise over all pairs "
            f"by Holm's method). If all models were equally good, about {chance:.1f} pairs would do so without that "
            "adjustment."
        )
    return [Paragraph(x) for x in [*out, f"Intervals {ON[v.target]} account for {SOURCES[v.target]}."]]
