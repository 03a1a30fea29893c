"""What questions and designs say of a benchmark, in sentences: for pages and reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..display.terms import interval, level
from ..display.text import listed, number

if TYPE_CHECKING:
    from ..items import Item, Reliability


def status(x: Item) -> str:
    """In a word, where there is something to say."""
    return "suspect" if x.suspect else ("always" if x.mean else "never") + " solved" if x.dead else ""


def sentences(found: Sequence[Item], x: Reliability, fdr: float, confidence: float) -> list[str]:
    """What was found, for people: suspects, dead questions, the reliability of the ranking."""
    return [*of_questions(found, fdr), *of_ranking(x, confidence)]


def of_questions(found: Sequence[Item], fdr: float) -> list[str]:
    """Suspects and dead questions."""
    suspects = sum(y.suspect for y in found)
    dead = [status(y) for y in found if y.dead]
    words = [word for word in ("always solved", "never solved") if word in dead]
    often = [f"{number(dead.count(word), 'question')} {word}" for word in words]
    said = [
        f"{number(suspects, 'suspect')} at a false-discovery rate of {level(fdr)}"
        + (": better models fail on them more often. Read them: the key may be wrong." if suspects else "."),
    ]
    if often:
        said.append(f"Dead: {listed(often)}. Such questions tell nothing about these models.")
    return said


def of_ranking(x: Reliability, confidence: float) -> list[str]:
    """How reliable the ranking is."""
    size = f"{x.questions:,} questions of {number(round(x.trials), 'trial')}"
    ends = "" if x.lo is None or x.hi is None else f" ({interval(confidence)} {x.lo:.2f} to {x.hi:.2f})"
    fixed = "" if x.rho_fixed is None else f", and {x.rho_fixed:.2f} on this question set"
    more = "" if x.se_fixed is None else f", {x.se_fixed:.3f} on this question set"
    return [
        f"Reliability of the means of {size}: {x.rho:.2f} on similar questions{ends}{fixed}.",
        f"Standard error of a difference of two models: {x.se:.3f} on similar questions{more}.",
    ]
