"""Layout of intervals from bare counts."""

from __future__ import annotations

from ..analysis.interval import CountIntervals
from ..analysis.sample_size import REALISTIC
from ..display.terms import alpha, interval, level, p_value
from ..display.text import score
from .document import Column, Document, Table
from .numbers import with_ends

FORM = ".3f"


def document(x: CountIntervals) -> Document:
    """Document of the rates with their intervals, and whether two groups differ."""
    rates = [row.rate for row in x.table]
    cells = with_ends(FORM, (y.mu for y in rates), (y.lo for y in rates), (y.hi for y in rates), [""] * len(rates))
    lead = [Column("group", [row.group for row in x.table], "left")]
    table = Table(lead, [[Column(f"success rate\n{interval(x.about.confidence)}", cells, "left")]], "Success rates")
    explanations = [
        f"{interval(x.about.confidence)}: a range that covers the rate of the population of which the trials are a "
        f"sample in about {level(x.about.confidence)} of samples. Trials are taken as independent: for several trials "
        "of a question use scorio leaderboard LOG."
    ]
    return Document("Success rates from counts", [table], sentences(x), (), explanations)


def sentences(x: CountIntervals) -> list[str]:
    """Sentence on whether two groups differ; if not significantly, the trials that would detect the difference."""
    if x.difference is None or x.lo is None or x.hi is None or x.p_value is None:
        return []
    a, b = (row.group for row in x.table)
    size = f"difference {score(x.difference, FORM)}, {interval(x.about.confidence)} {score(x.lo, FORM)} to " \
           f"{score(x.hi, FORM)}; {p_value(x.p_value)}"  # fmt: skip
    if x.significant:
        high, low = (a, b) if x.difference > 0 else (b, a)
        return [f"{high} is significantly higher than {low} at {alpha(x.about.confidence)} ({size})."]
    out = f"{a} and {b} are not significantly different at {alpha(x.about.confidence)} ({size})."
    if x.times is None:
        return [out]
    if x.times > REALISTIC:
        return [f"{out} No realistic number of trials decides (about {x.times:,.0f} times as many would)."]
    # a factor below 1.1 would be shown as 1.0, which is no growth
    return [f"{out} About {max(x.times, 1.1):.1f} times as many trials of both would detect a difference of this size "
            f"with {level(x.power)} power."]  # fmt: skip
