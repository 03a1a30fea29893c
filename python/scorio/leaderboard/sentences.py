"""Results in words: decisions as people read them. Pure text: nothing is computed from outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..display.names import short_names
from ..display.terms import alpha, interval, level
from ..display.text import about, digits, listed, number, percent, plural, score

if TYPE_CHECKING:
    from ..results import MetricInterval
    from ..sinf.compare import Comparison

NAME = 60  # columns of a name within a sentence


def significant(p: float, confidence: float) -> bool:
    """Whether a probability of being better is at least the confidence, on either side; NaN is not."""
    return max(p, 1.0 - p) >= confidence if p == p else False


def two(
    a: Any,
    b: Any,
    result: Comparison,
    *,
    questions: str,
    confidence: float = 0.95,
    power: float = 0.8,
    now: int | None = None,
    needed: int | None = None,
    weights: Sequence[float] | None = None,
) -> str:
    """What a comparison of two models says, in plain sentences.

    Parameters
    ----------
    a, b : str
        Names of the models.
    result : Comparison
        Of :func:`scorio.sinf.compare`, a against b, at the level 2 confidence - 1: this interval excludes 0 where the
        difference is significant.
    questions : {"fixed", "sampled"}
        As given to compare.
    confidence : float in (1/2, 1)
        A difference is significant where the probability that one model is better is at least this (one-sided).
    power : float in [0.5, 1)
        With which needed was computed.
    now : int, optional
        Present trials per question for "fixed", questions for "sampled". None where questions have different numbers
        of trials.
    needed : int or None
        Sample size at which the difference would be detected with this power: of :func:`scorio.sinf.trials_needed` for
        "fixed", of :func:`scorio.sinf.questions_needed` for "sampled". Not used where the difference is significant.
    weights : sequence of float, optional
        Score of each category.

    Returns
    -------
    str

    Examples
    --------
    >>> from scorio import sinf
    >>> from scorio.leaderboard import sentences
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> r = sinf.compare(A, B, questions="fixed", confidence=0.9)
    >>> print(sentences.two("A", "B", r, questions="fixed", now=3, needed=11))
    With 3 trials per question A and B are not significantly different at the one-sided 5% level (difference 0.333, 90% CI -0.114 to 0.781; probability that A is better 88%). About 11 trials per question would detect a difference of this size with 80% power.
    """  # noqa: E501
    p, gap, lo, hi = result.p_above, result.mu, result.lo, result.hi
    a, b = short_names((a, b), NAME).short
    if p < 0.5:
        a, b, p, gap, lo, hi = b, a, 1.0 - p, -gap, -hi, -lo
    difference, low, high = (score(x, digits(weights)) for x in (gap, lo, hi))
    size = f"difference {difference}, {interval(2 * confidence - 1)} {low} to {high}"
    test = f"at the one-sided {alpha(confidence)} level"
    if significant(p, confidence):
        return f"{a} is significantly better than {b} {test} ({size}; probability that {a} is better {percent(p)})."
    better = "equal averages" if result.mu == 0.0 else f"probability that {a} is better {percent(p)}"
    said = f"{a} and {b} are not significantly different {test} ({size}; {better})."
    if now is not None:
        said = f"With {number(now, _unit(questions))} {said}"
    return f"{said} {_next_step(result, questions, power, now, needed)}"


def _unit(questions: str) -> str:
    return "trial per question" if questions == "fixed" else "question"


def _next_step(result: Comparison, questions: str, power: float, now: int | None, needed: int | None) -> str:
    """What would help to decide."""
    unit, bound = _unit(questions), questions == "fixed" and result.variance_source == "upper bound"
    if needed is None:
        said = f"No number of {plural(unit)} can be planned from equal averages."
        return f"{said} New questions may show a difference." if questions == "fixed" else said
    if now is not None and needed <= now:
        if bound:
            return "A second trial per question would measure the trial-to-trial variance and may show a difference."
        return f"They are close to a significant difference: a few more {plural(unit)} may show one."
    count = about(needed).replace("about", "at most") if bound else about(needed)
    target = f"would detect a difference of this size with {level(power)} power"
    return f"{count[:1].upper()}{count[1:]} {unit if needed == 1 else plural(unit)} {target}."


def inseparable_runs(P: Sequence[Sequence[float]], confidence: float = 0.95) -> list[range]:
    """Runs of three models or more in a ranking, as long as possible, in which no pair is significantly different.

    Parameters
    ----------
    P : L rows of L floats
        P[i][j]: probability that model i, in the order of the ranking, is better than model j; the diagonal is not
        read.
    confidence : float in (1/2, 1)
        One-sided level of each comparison.

    Returns
    -------
    list of range
        Places in the ranking. Runs may overlap: two models that do not differ significantly from a third may differ
        significantly from each other.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> P = [[0.5, 0.8, 0.9, 0.99], [0.2, 0.5, 0.6, 0.9], [0.1, 0.4, 0.5, 0.7], [0.01, 0.1, 0.3, 0.5]]
    >>> sentences.inseparable_runs(P)
    [range(0, 3), range(1, 4)]
    """
    runs: list[range] = []
    stop = 0
    for start in range(len(P)):
        last, stop = stop, max(stop, start + 1)
        while stop < len(P) and not any(significant(P[i][stop], confidence) for i in range(start, stop)):
            stop += 1
        if stop > last and stop - start > 2:
            runs.append(range(start, stop))
    return runs


def first_place(
    names: Sequence[Any],
    average: MetricInterval,
    P: Sequence[float],
    confidence: float,
    weights: Sequence[float] | None = None,
    tied: int = 1,
) -> list[str]:
    r"""Which model leads, and which others may be as good.

    Parameters
    ----------
    names : sequence of str
        From best to worst.
    average : MetricInterval
        Of the best model.
    P : sequence of float
        Probability that the best model is better than each of the others, best first; NaN where they cannot be
        compared.
    confidence : float in (1/2, 1)
        One-sided level of each comparison, and the level of the interval.
    weights : sequence of float, optional
        Score of each category.
    tied : int
        How many models share the highest average.

    Examples
    --------
    >>> from scorio import eval
    >>> from scorio.leaderboard import sentences
    >>> r = eval.mean_ci([[1, 1, 0], [1, 0, 1]], questions="fixed")
    >>> print(*sentences.first_place(["A", "B", "C"], r, [0.8, 0.99], 0.95), sep="\n")
    A has the highest average of 3 models, 0.667 (95% CI 0.300 to 0.903).
    It is significantly better than C (probability that it is better 99.0%).
    It is not significantly different from B.
    """
    mu, lo, hi = (score(x, digits(weights)) for x in (average.mu, average.lo, average.hi))
    value = f"{mu} ({interval(confidence)} {lo} to {hi})"
    names = short_names(names, NAME).short
    if len(names) == 1:
        return [f"{names[0]} scores {value} on average."]
    it, of_all = "It", f"the highest average of {number(len(names), 'model')}"
    out = [f"{names[0]} has {of_all}, {value}."]
    if tied > 1:
        it, out = names[0], [f"{listed(names[:tied])} share {of_all}, {mu}."]
    others = list(zip(names[1:], P, strict=True))
    near = [x for x, p in others if p == p and not significant(p, confidence)]
    worse = [(x, p) for x, p in others if p >= confidence]
    better = [x for x, p in others if 1.0 - p >= confidence]
    unknown = [x for x, p in others if p != p]
    if worse:
        who = f"the other {len(worse):,}" if len(worse) > 2 else listed([x for x, _ in worse])
        least = f"{'at least ' if len(worse) > 1 else ''}{percent(min(p for _, p in worse))}"
        out.append(f"{it} is significantly better than {who} (probability that it is better {least}).")
    if near:
        out.append(f"{it} is not significantly different from {listed(near)}.")
    if better:
        are = "is" if len(better) == 1 else "are"
        out.append(
            f"On the questions that both answered, {listed(better)} {are} significantly better than {it.lower()}: "
            "averages over different questions cannot be compared."
        )
    if unknown:
        out.append(f"It shares too few questions with {listed(unknown)} to be compared.")
    return out
