"""Decisions between two models in sentences."""

from __future__ import annotations

from ..analysis.compare import Verdict
from ..analysis.sample_size import REALISTIC, SampleSize
from ..display.names import short_names
from ..display.terms import alpha, interval, level, p_value
from ..display.text import about, number, plural, score

NAME = 60  # columns of a name within a sentence
TARGET = {"fixed": "On these questions", "sampled": "On similar questions"}


def verdict(x: Verdict, a: str, b: str, confidence: float, form: str, macro: bool = False) -> str:
    """Whether one model is significantly better than the other; if not, what would show it."""
    a, b = short_names((a, b), NAME).short
    sign = 1.0 if x.difference >= 0.0 else -1.0
    if sign < 0.0:
        a, b = b, a
    gap, low, high = (score(y, form) for y in (sign * x.difference, *sorted((sign * x.lo, sign * x.hi))))
    what = "difference of the macro-averages" if macro else "difference"
    size = f"{what} {gap}, {interval(confidence)} {low} to {high}; {p_value(x.p_value)}"
    if x.significant:
        return f"{TARGET[x.questions]} {a} is significantly better than {b} at {alpha(confidence)} ({size})."
    start = f"{TARGET[x.questions]} {a} and {b} are not significantly different at {alpha(confidence)} ({size})."
    return f"{start} {next_step(x.sample_size)}" if x.sample_size else start


def next_step(x: SampleSize) -> str:
    """What would help to decide."""
    units = plural(x.unit)
    if x.times is None:
        return f"No number of {units} can be planned from equal averages."
    if x.times > REALISTIC:
        return f"No realistic number of {units} decides between them (about {x.times:,.0f} times as many would)."
    if x.needed is None:
        times = f"{x.times:.1f}" if x.times < 10 else f"{x.times:,.0f}"
        if x.times <= 1.0:
            return f"They are close to a significant difference: a few more {units} may show one."
        return f"About {times} times as many {units} in every benchmark would detect it with {level(x.power)} power."
    if x.now is not None and x.needed <= x.now:
        if x.bound:
            return "A second trial per question would measure the trial-to-trial variance and may show a difference."
        return f"They are close to a significant difference: a few more {units} may show one."
    many = about(x.needed).replace("about", "at most") if x.bound else about(x.needed)
    have = "" if x.now is None else f", instead of {x.now:,},"
    sized = f"{many[:1].upper()}{many[1:]} {x.unit if x.needed == 1 else units}"
    return f"{sized}{have} would detect a difference of this size with {level(x.power)} power."


def by_benchmark(better_a: list[str], better_b: list[str], a: str, b: str, confidence: float, size: str) -> str:
    """In which benchmarks, or subgroups, one of two models is significantly better."""
    from ..display.text import listed

    a, b = short_names((a, b), NAME).short
    family = f"at {alpha(confidence)}, one error rate for all {size}"
    parts = [f"{x} is significantly better than {y} in {listed(z)}" for x, y, z in ((a, b, better_a), (b, a, better_b))
             if z]  # fmt: skip
    if not parts:
        return f"{a} and {b} are not significantly different in any of {size} ({family})."
    return f"{'; '.join(parts)} ({family})."


def sizes(n: int, what: str) -> str:
    """How many benchmarks or subgroups."""
    return number(n, what)
