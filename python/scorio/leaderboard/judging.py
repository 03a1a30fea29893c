"""What human labels say of a judge, as people read it. Pure text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..display.terms import interval, level, p_value
from ..display.text import about, digits, name_of, number, score

if TYPE_CHECKING:
    from ..results import JudgedInterval, LabelCheck
    from ..sinf.judges import JudgedComparison

LEAST = 0.01  # p-values below it are told
SCOPE = {
    "fixed": "the mean human score that ever more outputs on this question set would have",
    "sampled": "the mean human score in the population of similar questions",
    "outputs": "the mean human score of exactly these outputs, were all of them labelled",
}
HALF = (
    "scorio checks whether labels went to easy or hard questions, but misses up to half of such cases; a random "
    "draw needs no check."
)


class Case(NamedTuple):
    """A model, and what was found."""

    model: str
    said: float | None  # the mean of the verdicts, where they are on the scale of the labels
    result: JudgedInterval
    check: LabelCheck
    confidence: float
    weights: Sequence[float] | None  # of the labels
    width: float | None = None  # the half width that is planned for, in units of the labels
    needed: int | None = None  # labels in all, of a random draw; None: more than there are outputs

    @property
    def form(self) -> str:
        """The format of a score."""
        return digits(self.weights)


def sentences(case: Case) -> list[str]:
    r"""The estimate, what the labels say of the judge, whether they can be trusted, and what to do next.

    Examples
    --------
    >>> from scorio import eval
    >>> from scorio.leaderboard import judging
    >>> verdicts, labels = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]], [[1, None, 0], [1] + [None] * 2] + [[0, 1, 0]] * 2
    >>> r, c = eval.judged(verdicts, labels, questions="fixed"), eval.label_check(verdicts, labels)
    >>> case = judging.Case("m", 0.5, r, c, 0.95, None, 0.1, 60)
    >>> for line in judging.sentences(case):
    ...     print(line)
    m: from 9 human labels of 12 outputs the mean human score is 0.500 (95% CI 0.215 to 0.785). The judge says 0.500, which the labels neither confirm nor refute.
    Of the outputs with verdict 0 people gave 0.333 on average (6 of 6 labelled), with verdict 1 0.667 (3 of 6 labelled).
    About 60 labels in all, of outputs drawn at random, would narrow the interval to about +/- 0.100.
    """  # noqa: E501
    r, form = case.result, case.form
    mu, lo, hi = (score(x, form) for x in (r.mu, r.lo, r.hi))
    labels, outputs = sum(r.labels), sum(r.outputs)
    first = (
        f"{name_of(case.model)}: from {number(labels, 'human label')} of {outputs:,} outputs the mean human score is "
        f"{mu} ({interval(case.confidence)} {lo} to {hi})."
    )
    return [first + _bias(case), _by_verdict(case), *_trust(case), *_next_step(case)]


def _bias(case: Case) -> str:
    if case.said is None:
        return ""
    said, r = score(case.said, case.form), case.result
    if r.lo <= case.said <= r.hi:
        return f" The judge says {said}, which the labels neither confirm nor refute."
    way = "generous" if case.said > r.hi else "strict"
    gap = score(abs(case.said - r.mu), case.form)
    return f" The judge says {said}, which is outside of the interval: it is about {gap} too {way}."


def _by_verdict(case: Case) -> str:
    r, parts = case.result, []
    for i, (v, N, n, m) in enumerate(zip(r.verdicts, r.outputs, r.labels, r.means, strict=True)):
        people = " people gave" if i == 0 else ""
        if m is None:
            parts.append(f"verdict {v}{people} no label (0 of {N:,})")
        else:
            average = " on average" if i == 0 else ""
            parts.append(f"verdict {v}{people} {score(m, case.form)}{average} ({n:,} of {N:,} labelled)")
    return f"Of the outputs with {', with '.join(parts)}."


def _trust(case: Case) -> list[str]:
    c, out = case.check, []
    if c.p_lean is not None and c.p_lean < LEAST:
        kind = "easier" if (c.z_lean or 0.0) > 0 else "harder"
        out.append(
            f"Do not trust this interval: among outputs with the same verdict, labels went to {kind} questions "
            f"({p_value(c.p_lean)}). Label outputs that are drawn at random: scorio judge --draw."
        )
    if c.p_spread is not None and c.p_spread < LEAST:
        out.append(
            f"The labels crowd in few questions ({p_value(c.p_spread)}), more than a random draw would: the interval "
            "may be too narrow."
        )
    low, high = (min(case.weights), max(case.weights)) if case.weights else (0.0, 1.0)
    if sum(case.result.labels) * min(case.result.mu - low, high - case.result.mu) < high - low:
        out.append(
            f"So few labels so near an end of the scale: {interval(case.confidence)} covers less often than it says "
            "(95% intervals in 86% to 92%)."
        )
    if 0 in case.result.labels:
        out.append("A verdict without a label is taken to be anything: label some of its outputs.")
    return out


def _next_step(case: Case) -> list[str]:
    if case.width is None:
        return []
    width = score(case.width, case.form)
    if case.needed is None:
        return [f"An interval of +/- {width} needs more outputs, not only more labels."]
    if case.needed <= sum(case.result.labels):
        return [f"There are labels enough for an interval of about +/- {width}."]
    many = about(case.needed)
    aim = f"labels in all, of outputs drawn at random, would narrow the interval to about +/- {width}."
    return [f"{many[:1].upper()}{many[1:]} {aim}"]


def notes(questions: str, confidence: float) -> list[str]:
    """What every page must say."""
    return [
        f"{interval(confidence)}: a range that covers, in about {level(confidence)} of evaluations, "
        f"{SCOPE[questions]}. It needs labels of outputs that were drawn at random, from all or from those of a "
        "verdict. " + HALF
    ]


def difference(a: str, b: str, r: JudgedComparison, confidence: float, weights: Sequence[float] | None) -> str:
    """The comparison of two models in a sentence."""
    form = digits(weights)
    mu, lo, hi = (score(x, form) for x in (r.mu, r.lo, r.hi))
    seen = f"(difference in mean human score {mu}, {interval(confidence)} {lo} to {hi})"
    a, b = name_of(a), name_of(b)
    if not r.significant:
        return f"{a} and {b} are not significantly different {seen}."
    better, worse = (a, b) if r.mu > 0 else (b, a)
    return f"{better} is significantly better than {worse} {seen}."
