"""Sentences about decisions between two models."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis.sample_size import REALISTIC, SampleSize
from ..display.terms import alpha, interval, level, on, p_value
from ..display.text import about, number, plural, score, short_names
from ..results import Target
from ..sinf.compare import Certificate

MOST_TIMES = 10  # more than this many times the present data is not a practical step
NAME = 60  # most characters of a name within a sentence
UNGUARDED = "It would not be, if questions that were not sampled could differ by the whole scale (--guard 1)."


@dataclass(frozen=True)
class Verdict:
    """Verdict on which of two models has the higher average, for one target.

    Attributes
    ----------
    questions : {"fixed", "sampled"}; on these questions, or on similar ones
    difference, lo, hi : float; the difference of the averages over all benchmarks, and its interval
    p_value : float
    significant : bool
    better : str or None, the model whose average is significantly higher
    sample_size : SampleSize or None
        Sample size that would detect a difference of this size; None where the difference is significant or missing
        outcomes are bounded.
    depends : bool or None
        Where missing outcomes are bounded: whether the difference is significant without them, or with all of them in
        favour of one of the models, but not for all their values.
    guarded : bool or None; where a difference on similar questions is significant: whether it is with a guard of 1 too
    runs : {"fixed", "sampled", "shared"}; in these runs, or in similar ones
    """

    questions: Target
    difference: float
    lo: float
    hi: float
    p_value: float
    significant: bool
    better: str | None
    sample_size: SampleSize | None
    depends: bool | None = None
    guarded: bool | None = None
    runs: str = "fixed"

    @property
    def scope(self) -> str:
        """The beginning of a sentence: On these questions."""
        x = on(self.questions, self.runs)
        return x[0].upper() + x[1:] + ("" if self.runs == "fixed" else ",")


def verdict(x: Verdict, a: str, b: str, confidence: float, form: str, macro: bool = False) -> str:
    """Sentences on whether one model is significantly better than the other; if not, the data that would show it."""
    a, b = short_names((a, b), NAME).short
    sign = 1.0 if x.difference >= 0.0 else -1.0
    if sign < 0.0:
        a, b = b, a
    gap, low, high = (score(y, form) for y in (sign * x.difference, *sorted((sign * x.lo, sign * x.hi))))
    quantity = "difference of the macro-averages" if macro else "difference"
    ends = f"{interval(confidence)} {low} to {high}"
    if x.depends is None:
        size = f"{quantity} {gap}, {ends}; {p_value(x.p_value)}"
    else:
        worst = f"over all their values {ends}, at worst {p_value(x.p_value)}"
        size = f"{quantity} {gap} without the missing outcomes; {worst}"
    if x.significant:
        whatever = "" if x.depends is None else ", whatever the missing outcomes are"
        out = f"{x.scope} {a} is significantly better than {b} at {alpha(confidence)}{whatever} ({size})."
        return out if x.guarded is not False else f"{out} {UNGUARDED}"
    if x.depends:
        both = f"{a} and {b} are significantly different at {alpha(confidence)}"
        return f"{x.scope} it depends on the missing outcomes whether {both} ({size})."
    also = "" if x.depends is None else ", whichever of the two the missing outcomes favour"
    start = f"{x.scope} {a} and {b} are not significantly different at {alpha(confidence)}{also} ({size})."
    return f"{start} {next_step(x.sample_size)}" if x.sample_size else start


def certificate_sentences(x: Certificate, a: str, b: str, binary: bool) -> str:
    """Sentences on how many wrong answer keys and missing outcomes the lead of one of two models survives."""
    leader, other = short_names((a, b) if x.mu > 0.0 else (b, a), NAME).short
    keys, inverted = x.rescored_needed - 1, x.inverted_needed - 1  # the most that the lead survives
    more = binary and inverted > keys
    if keys:
        some = "any one question" if keys == 1 else f"any {keys:,} questions"
        change = f"changed scores of {some}"
        if binary:
            change = "any one wrong answer key" if keys == 1 else f"any {keys:,} wrong answer keys"
        also = f" (any {inverted:,} of yes-or-no questions)" if more else ""
        out = f"The lead of {leader} over {other} survives {change}{also}."
    else:
        also = f"; of yes-or-no questions it takes {inverted + 1:,}" if more else ""
        what = "wrong answer key" if binary else "question with changed scores"
        out = f"One {what} could end the lead of {leader} over {other}{also}."
    if not x.missing:
        return out
    outcomes, n_left = number(x.missing, "missing outcome"), x.missing - (x.missing_needed or 0)
    if x.missing_needed is None:
        return f"{out} The {outcomes} cannot end that lead, whatever {'it is' if x.missing == 1 else 'they are'}."
    against = f"{x.missing_needed:,} of the {outcomes}" if n_left else f"the {outcomes}"
    others = f" and the other {n_left:,} in favour of it" if n_left else ""
    return f"{out} The lead could be lost if {against} went against {leader}{others}."


def next_step(x: SampleSize) -> str:
    """Sentence with the sample size that would detect the difference, or with other advice."""
    units = plural(x.unit)
    if x.times is None:
        how = "State the difference that matters: scorio plan LOG --difference 0.02."
        return f"No number of {units} can be planned from equal averages. {how}"
    if x.times > REALISTIC:
        return f"No realistic number of {units} decides between them (about {x.times:,.0f} times as many would)."
    if close(x):
        if x.bound and x.needed is not None:
            return "A second trial per question would measure the trial-to-trial variance and may show a difference."
        return f"They are close to a significant difference: a few more {units} may show one."
    have = "" if x.now is None or x.needed is None else f", instead of {x.now:,},"
    return f"{capital(amount(x))}{have} would detect a difference of this size with {level(x.power)} power."


def close(x: SampleSize) -> bool:
    """Whether the sample size is at most the present one."""
    if x.needed is None:
        return x.times is not None and x.times <= 1.0
    return x.now is not None and x.needed <= x.now


def within_reach(x: SampleSize) -> bool:
    """Whether the sample size is at most ten times the present one, and so a practical step."""
    return x.times is not None and x.times <= MOST_TIMES


def amount(x: SampleSize) -> str:
    """Text of a sample size, such as "about 24 trials per question" or "about 2.5 times as many questions"."""
    if x.needed is None:
        times = x.times or 0.0
        more = f"about {times:.1f}" if times < 10 else about(round(times))
        return f"{more} times as many {plural(x.unit)} in every benchmark"
    many = about(x.needed).replace("about", "at most") if x.bound else about(x.needed)
    return f"{many} {x.unit if x.needed == 1 else plural(x.unit)}"


def capital(text: str) -> str:
    """Text with its first letter as a capital."""
    return text[:1].upper() + text[1:]
