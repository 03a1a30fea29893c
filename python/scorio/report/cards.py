"""What the page says first: who is best, how many differences are significant, what to do next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..display import html
from ..display.terms import SCOPE, alpha, interval, level
from ..display.text import about, listed, number, plural
from ..leaderboard.sentences import significant
from ..leaderboard.verdict import POWER
from .analysis import Asked, Results, needed_for
from .suite import times_as_many


def cards(results: Results, asked: Asked) -> str:
    """Three cards, or one of a single model; none where no model has one average."""
    if not results.rows:
        return ""
    chosen = [_best(results, asked)]
    if len(results.rows) > 1:
        chosen += [_differences(results, asked), _next(results, asked)]
    return "\n".join(['<div class="cards">', *chosen, "</div>"])


def _best(results: Results, asked: Asked) -> str:
    """The model that is better than all others, or those that none is significantly better than."""
    names, first = results.in_sentences.short, results.rows[0].average
    mu, lo, hi = (f"{x:{asked.form}}" for x in (first.mu, first.lo, first.hi))
    what = "average" if results.board is None else "macro-average"
    size = f"{mu} ({interval(asked.confidence)} {lo} to {hi})"
    if len(names) == 1:
        return html.card(what.capitalize(), mu, [f"{names[0]} scores {size} on {SCOPE[asked.questions]}."])
    highest = f"The highest {what} is {size}, of {names[0]}."
    beaten = np.any(results.better(asked.confidence), axis=0)
    may = np.flatnonzero(~beaten).tolist()
    if len(may) == 1:
        best = names[may[0]]
        said = f"On {SCOPE[asked.questions]} {best} is significantly better than every other model."
        return html.card("Who is best", best, [said, highest])
    said = f"With {level(asked.confidence)} confidence the best model on {SCOPE[asked.questions]} is one of "
    said += f"{listed([names[i] for i in may], 6)}."
    return html.card("Who is best", f"one of {len(may)} models", [said, highest])


def _differences(results: Results, asked: Asked) -> str:
    """How many pairs differ, and how many would by chance."""
    pairs, rate = len(results.adjusted), 1.0 - asked.confidence
    found = sum(significant(p, asked.confidence) for p in results.adjusted.values())
    which = "differ significantly" if found else "differs significantly"
    said = [f"{found or 'None'} of {number(pairs, 'pair')} of models {which} at the {alpha(asked.confidence)} level."]
    if pairs > 1:
        said.append(
            f"If all models were equal, any difference at all would be found in at most {level(rate)} of evaluations; "
            f"without the correction for {pairs:,} pairs, about {rate * pairs:.1f} would be found by chance."
        )
    return html.card("Differences", f"{found:,} of {number(pairs, 'pair')}", said)


def _next(results: Results, asked: Asked) -> str:
    """The sample size that would part the leaders."""
    pair = next(_open(results, asked), None)
    if pair is None:
        said = f"All neighbours in the ranking differ significantly on {SCOPE[asked.questions]}."
        more = " Whether they would on similar questions, another report says: --questions sampled."
        return html.card("What next", "nothing is open", [said + (more if asked.questions == "fixed" else "")])
    i, j = pair
    names, unit = results.in_sentences.short, "trial per question" if asked.questions == "fixed" else "question"
    both = f"{names[i]} and {names[j]}"
    if results.board is not None:
        return _next_in_suite(both, plural(unit), times_as_many(results, i, j, asked))
    now, needed = needed_for(results, i, j, asked)
    if needed is None:
        return html.card(
            "What next", "other questions", [f"{both} have equal averages: no sample size can be planned."]
        )
    if now is not None and needed <= now:
        said = f"{both} are close to a significant difference: a few more {plural(unit)} may show one."
        return html.card("What next", f"a few more {plural(unit)}", [said])
    have = "" if now is None else f" (now {now:,})"
    said = f"With so many in all{have} {_detected(both)}"
    return html.card("What next", f"{about(needed)} {unit if needed == 1 else plural(unit)}", [said])


def _next_in_suite(both: str, units: str, times: float | None) -> str:
    """The same for several benchmarks, which grow together."""
    if times is None:
        said = f"{both} have equal averages: no sample size can be planned."
        return html.card("What next", "other questions", [said])
    if times <= 1.0:
        said = f"{both} are close to a significant difference: a few more {units} may show one."
        return html.card("What next", f"a few more {units}", [said])
    large = f"about {times:.1f} times as many {units}" if times < 10 else f"{about(round(times))} times as many {units}"
    return html.card("What next", large, [f"With so many in every benchmark {_detected(both)}"])


def _detected(both: str) -> str:
    size = f"a difference of the size seen between {both}"
    return f"{size} would be significant, all pairs accounted for, with a probability of {level(POWER)}."


def _open(results: Results, asked: Asked) -> Iterator[tuple[int, int]]:
    """Pairs that do not differ significantly: the first model's, then neighbours."""
    L = len(results.rows)
    for pair in [*((0, j) for j in range(1, L)), *((i, i + 1) for i in range(1, L - 1))]:
        if pair in results.adjusted and not significant(results.adjusted[pair], asked.confidence):
            yield pair
