"""What the page says first: who is best, how many differences are significant, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..display import html
from ..display.terms import SCOPE, level
from ..display.text import about, listed, name_of, number, plural
from ..io import Log
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


def absent_of(logs: Mapping[str, Log], policy: str | int, weights: Sequence[float] | None) -> str:
    """How many outcomes are missing and what was done with them, in a sentence or two; nothing where none is."""
    parts = getattr(logs, "benchmarks", {}) or {"": logs}
    every = [log for part in parts.values() for log in part.values()]
    absent, present = sum(x.missing for x in every), sum(int(x.counts.trials.sum()) for x in every)
    many = len(getattr(logs, "unfinished", []))
    unfinished = f"{number(many, 'run')} {'is' if many == 1 else 'are'} not finished: more is missing. " if many else ""
    if not absent:
        return unfinished.strip()
    planned = present + (absent if isinstance(policy, str) else 0)
    binary = weights is None and all(getattr(part, "weights", None) is None for part in parts.values())
    are, were, they = ("is", "was", "it is") if absent == 1 else ("are", "were", "they are")
    if isinstance(policy, str):
        done = "left out"
        caution = "If trials that go badly are missing more often than others, the averages here are too high."
    elif binary and policy == 0:
        done = "counted as a failure" if absent == 1 else "counted as failures"
        caution = f"If {they} missing for a reason that is not the model's fault, the averages here are too low."
    else:
        success = "a success" if absent == 1 else "successes"
        done = f"counted as {success if binary else f'category {policy}'}"
        caution = "If that is not what would have come out, the averages here are wrong."
    return f"{unfinished}{absent:,} of {number(planned, 'outcome')} {are} missing and {were} {done}. {caution}"


def doubtful_of(suspects: Mapping[str, int]) -> str:
    """How many questions may be wrong, by benchmark where there are several; nothing where none is."""
    found = {name: n for name, n in suspects.items() if n}
    many = sum(found.values())
    if not many:
        return ""
    each = [f"{name_of(x)}: {n:,}" if many > 1 else name_of(x) for x, n in found.items()]
    where = f" ({', '.join(each)})" if len(suspects) > 1 else ""
    them = "it" if many == 1 else "them"
    return (
        f"{number(many, 'question')}{where} may be wrong: better models fail on {them} more often. Read {them} before "
        "you trust the ranking."
    )


def _best(results: Results, asked: Asked) -> str:
    """The model that is better than all others, or those that none is significantly better than."""
    names, first = results.in_sentences.short, results.rows[0].average
    mu, lo, hi = (f"{x:{asked.form}}" for x in (first.mu, first.lo, first.hi))
    what = "average" if results.board is None else "macro-average"
    if len(names) == 1:
        return html.card(what.capitalize(), mu, [f"{names[0]} scores {mu} on average.", _range(lo, hi, asked)])
    highest = f"The highest {what} is {mu}, of {names[0]}. {_range(lo, hi, asked)}"
    beaten = np.any(results.better(asked.confidence), axis=0)
    may = np.flatnonzero(~beaten).tolist()
    if len(may) == 1:
        best = names[may[0]]
        other = names[1 - may[0]] if len(names) == 2 else "every other model"
        said = f"On {SCOPE[asked.questions]} {best} is significantly better than {other}."
        return html.card("Who is best", best, [said, highest])
    which = "either" if len(names) == 2 else "any of them" if len(may) == len(names) else "any of these"
    said = f"On {SCOPE[asked.questions]} {which} may be the best model"
    said += "." if len(may) == len(names) and len(may) > 6 else f": {listed([names[i] for i in may], 6)}."
    return html.card("Who is best", f"one of {len(may)} models", [said, highest])


def _range(lo: str, hi: str, asked: Asked) -> str:
    """What an interval means, in plain words."""
    if asked.questions == "fixed":
        said = f"Unlimited trials per question would give a value between {lo} and {hi}"
    else:
        said = f"Over all similar questions it is between {lo} and {hi}"
    return f"{said}, with {level(asked.confidence)} confidence."


def _differences(results: Results, asked: Asked) -> str:
    """How many pairs differ, and what that means."""
    pairs, rate = len(results.adjusted), level(1.0 - asked.confidence)
    found = sum(significant(p, asked.confidence) for p in results.adjusted.values())
    if not pairs:
        return html.card("Differences", "not compared", ["The models share too few questions to be compared."])
    if len(results.rows) == 2:
        if found:
            said = f"Two equal models would differ by so much in at most {rate} of evaluations."
            return html.card("Differences", "significant", [said])
        said = "Chance alone may explain the difference of the two models. That does not show that they are equal."
        return html.card("Differences", "not significant", [said])
    which = "differ significantly" if found != 1 else "differs significantly"
    said = f"{found or 'None'} of {number(pairs, 'pair')} of models {which}"
    said += ": chance alone would hardly explain it." if found else "."
    rest = f"Chance alone may explain {'the other' if found else 'all'} differences." if found < pairs else ""
    sure = f"If all models were equal, any significant difference would be found in at most {rate} of evaluations."
    return html.card("Differences", f"{found:,} of {number(pairs, 'pair')}", [x for x in (said, rest, sure) if x])


def _next(results: Results, asked: Asked) -> str:
    """The sample size that would part the leaders."""
    pair = next(_open(results, asked), None)
    if not results.adjusted:
        said = "Give the models the same questions, so that they can be compared."
        return html.card("What next", "the same questions", [said])
    if pair is None:
        who = "The two models differ" if len(results.rows) == 2 else "All neighbours in the ranking differ"
        lines = [f"{who} significantly on {SCOPE[asked.questions]}."]
        if asked.questions == "fixed":
            lines.append("A report with questions=sampled says whether they also differ on similar questions.")
        return html.card("What next", "nothing is open", lines)
    i, j = pair
    names, unit = results.in_sentences.short, "trial per question" if asked.questions == "fixed" else "question"
    both = f"{names[i]} and {names[j]}"
    if results.board is not None:
        return _next_in_suite(both, plural(unit), times_as_many(results, i, j, asked))
    now, needed = needed_for(results, i, j, asked)
    if needed is None:
        return html.card("What next", "other questions", [_equal(both)])
    if now is not None and needed <= now:
        return html.card("What next", f"a few more {plural(unit)}", [_close(both, plural(unit))])
    have = "" if now is None else f", instead of {now:,},"
    many = f"{about(needed)} {unit if needed == 1 else plural(unit)}"
    return html.card("What next", many, [f"With so many in all{have} {_detected(both)}"])


def _next_in_suite(both: str, units: str, times: float | None) -> str:
    """The same for several benchmarks, which grow together."""
    if times is None:
        return html.card("What next", "other questions", [_equal(both)])
    if times <= 1.0:
        return html.card("What next", f"a few more {units}", [_close(both, units)])
    large = f"about {times:.1f} times as many {units}" if times < 10 else f"{about(round(times))} times as many {units}"
    return html.card("What next", large, [f"With so many in every benchmark {_detected(both)}"])


def _equal(both: str) -> str:
    return (
        f"{both} have equal averages, from which no sample size can be planned. Other questions may show a difference."
    )


def _close(both: str, units: str) -> str:
    return f"{both} are close to a significant difference: a few more {units} may show one."


def _detected(both: str) -> str:
    return (
        f"a difference as large as that seen between {both} would be found significant with a probability of "
        f"{level(POWER)}. A smaller one needs more."
    )


def _open(results: Results, asked: Asked) -> Iterator[tuple[int, int]]:
    """Pairs that do not differ significantly: the first model's, then neighbours."""
    L = len(results.rows)
    for pair in [*((0, j) for j in range(1, L)), *((i, i + 1) for i in range(1, L - 1))]:
        if pair in results.adjusted and not significant(results.adjusted[pair], asked.confidence):
            yield pair
