"""Results in words: decisions as people read them. Pure text: nothing is computed from outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..display.text import about, digits, level, listed, name_of, number, percent

if TYPE_CHECKING:
    from ..results import MetricInterval
    from ..sinf.compare import Comparison


def two(
    a: Any,
    b: Any,
    found: Comparison,
    *,
    questions: str,
    confidence: float = 0.95,
    now: int | None = None,
    needed: int | None = None,
    interval_level: float | None = None,
    weights: Sequence[float] | None = None,
) -> str:
    """What a comparison of two models says, in plain sentences.

    Parameters
    ----------
    a, b : str
        Their names.
    found : Comparison
        Of :func:`scorio.sinf.compare`, a against b.
    questions : {"fixed", "sampled"}
        As given to compare.
    confidence : float in (1/2, 1)
        Level at which two models are told apart, one-sided.
    now : int, optional
        What there is: trials per question for "fixed", questions for "sampled". None where questions have different
        numbers of trials.
    needed : int or None
        What would do: :func:`scorio.sinf.trials_needed` for "fixed", :func:`scorio.sinf.questions_needed` for
        "sampled". Of no account where the two are told apart.
    interval_level : float, optional
        Level of the interval in found; default 2 confidence - 1, at which it leaves out 0 just where two models are
        told apart.
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
    >>> r = sinf.compare(A, B, questions="fixed")
    >>> print(sentences.two("A", "B", r, questions="fixed", now=3, needed=sinf.trials_needed(A, B)))
    A and B cannot be told apart with these 3 trials per question: that A is ahead is 88 % sure. About 3 more trials per question would part them in half of all cases, if the difference is what it seems.
    """  # noqa: E501
    p, ends = found.p_above, (found.lo, found.hi)
    a, b = name_of(a), name_of(b)
    if p < 0.5:
        a, b, p, ends = b, a, 1.0 - p, (-found.hi, -found.lo)
    if p >= confidence:
        gap, lo, hi = (format(x, digits(weights)) for x in (abs(found.mu), *ends))
        interval = f"{level(interval_level or 2 * confidence - 1)} interval {lo} to {hi}"
        return f"{a} is ahead of {b} with {percent(p)} (by {gap}, {interval})."
    what = "trial per question" if questions == "fixed" else "question"
    said = "these trials" if now is None else f"these {_more(now, what)}" if now > 1 else f"one {what}"
    sure = "their averages are equal" if found.mu == 0.0 else f"that {a} is ahead is {percent(p)} sure"
    return f"{a} and {b} cannot be told apart with {said}: {sure}. {_would_part(found, questions, now, needed)}"


def _more(n: int, what: str) -> str:
    """3 trials per question."""
    first, _, rest = what.partition(" ")
    return number(n, first) + (f" {rest}" if rest else "")


def _would_part(found: Comparison, questions: str, now: int | None, needed: int | None) -> str:
    fixed = questions == "fixed"
    if needed is None:
        if fixed:
            return "From equal averages no number of trials can be planned; new questions may show a difference."
        return "From equal averages no number of questions can be planned."
    what = "trial per question" if fixed else "question like these"
    often = "would part them in half of all cases, if the difference is what it seems."
    bound = fixed and found.variance_source == "upper bound"
    if now is None:
        return f"{_capital(_some(needed, what, bound))} in all {often}"
    if needed <= now:
        if bound:
            return "A second trial of each question would measure the noise, and may part them."
        return f"They are close to being told apart: a few more {'trials' if fixed else 'questions'} may do it."
    return f"{_capital(_some(needed - now, 'more ' + what, bound))} {often}"


def _some(n: int, what: str, bound: bool) -> str:
    plural = what.replace("trial", "trials").replace("question like", "questions like") if n != 1 else what
    return f"{about(n).replace('about', 'at most') if bound else about(n)} {plural}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def apart(p: float, confidence: float) -> bool:
    """Whether a probability of being ahead tells two models apart; NaN does not."""
    return max(p, 1.0 - p) >= confidence if p == p else False


def groups(P: Sequence[Sequence[float]], confidence: float = 0.95) -> list[range]:
    """Runs of three models or more in a ranking, as long as they get, in which no pair is told apart.

    Parameters
    ----------
    P : L rows of L floats
        P[i][j]: how sure it is that model i, in the order of the ranking, is ahead of model j; the diagonal is not
        looked at.
    confidence : float in (1/2, 1)
        Level at which two models are told apart.

    Returns
    -------
    list of range
        Places in the ranking. Runs may overlap: that two models cannot be told apart from a third does not mean that
        they cannot be told apart from each other.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> P = [[0.5, 0.8, 0.9, 0.99], [0.2, 0.5, 0.6, 0.9], [0.1, 0.4, 0.5, 0.7], [0.01, 0.1, 0.3, 0.5]]
    >>> sentences.groups(P)
    [range(0, 3), range(1, 4)]
    """
    found: list[range] = []
    stop = 0
    for start in range(len(P)):
        last, stop = stop, max(stop, start + 1)
        while stop < len(P) and not any(apart(P[i][stop], confidence) for i in range(start, stop)):
            stop += 1
        if stop > last and stop - start > 2:
            found.append(range(start, stop))
    return found


def first_place(
    names: Sequence[Any],
    average: MetricInterval,
    P: Sequence[float],
    confidence: float,
    weights: Sequence[float] | None = None,
    tied: int = 1,
) -> list[str]:
    r"""Who leads, and who may lead as well.

    Parameters
    ----------
    names : sequence of str
        From best to worst.
    average : MetricInterval
        Of the best.
    P : sequence of float
        How sure it is that the best is ahead of each of the others, best first; NaN where they cannot be compared.
    confidence : float in (1/2, 1)
        Level at which two models are told apart, and that of the interval.
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
    A has the highest average of 3 models, 0.667 (95% interval 0.300 to 0.903).
    It is ahead of C with 99.0 %.
    It cannot be told apart from B.
    """
    mu, lo, hi = (format(x, digits(weights)) for x in (average.mu, average.lo, average.hi))
    score = f"{mu} ({level(confidence)} interval {lo} to {hi})"
    if len(names) == 1:
        return [f"{name_of(names[0])} scores {score} on average."]
    it, of_all = "It", f"the highest average of {number(len(names), 'model')}"
    out = [f"{name_of(names[0])} has {of_all}, {score}."]
    if tied > 1:
        it, out = name_of(names[0]), [f"{listed(names[:tied])} share {of_all}, {mu}."]
    near = [x for x, p in zip(names[1:], P, strict=True) if not apart(p, confidence) and p == p]
    ahead = [x for x, p in zip(names[1:], P, strict=True) if 1.0 - p >= confidence]
    unknown = [x for x, p in zip(names[1:], P, strict=True) if p != p]
    beaten = [(x, p) for x, p in zip(names[1:], P, strict=True) if p >= confidence]
    if beaten:
        least = percent(min(p for _, p in beaten))
        many = len(beaten) > 2
        who = f"the other {len(beaten):,}" if many else listed([x for x, _ in beaten])
        out.append(f"{it} is ahead of {who} with {least}{' or more' if len(beaten) > 1 else ''}.")
    if near:
        out.append(f"{it} cannot be told apart from {listed(near)}.")
    if ahead:
        out.append(
            f"On the questions that both answered, it is behind {listed(ahead)}: they answered other questions, too."
        )
    if unknown:
        out.append(f"It shares too few questions with {listed(unknown)} to be compared.")
    return out
