"""Results in words: numbers, names and decisions as people read them. Pure text: nothing is computed from outcomes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..results import MetricInterval
    from ..sinf.compare import Comparison


def number(n: int, what: str) -> str:
    """1 trial, 2 trials."""
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def span(low: int, high: int, sign: str = "..") -> str:
    """4, or 1..4."""
    return f"{low:,}" if low == high else f"{low:,}{sign}{high:,}"


def percent(p: float, sign: str = " %") -> str:
    """A probability, rounded towards 1/2 so that no text is surer than the number: never 0 % or 100 %.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> [sentences.percent(p) for p in (0.5, 0.949, 0.0501, 0.992, 1.0)]
    ['50 %', '94 %', '6 %', '99.2 %', '>99.9 %']
    """
    if p < 0.5:
        text = percent(1.0 - p, "")
        return (f"<{0.1}" if text.startswith(">") else _less(text)) + sign
    if p >= 0.999:
        return ">99.9" + sign
    slack = 1e-9  # 0.97 is stored a little below
    return (f"{floor(1000 * p + slack) / 10:.1f}" if p >= 0.99 else str(floor(100 * p + slack))) + sign


def _less(text: str) -> str:
    return f"{100 - float(text):.1f}" if "." in text else str(100 - int(text))


def digits(weights: Sequence[float] | None = None) -> str:
    """The format of a score: to a thousandth of the spread of the scores, 0.420, 42.0, 420.

    Parameters
    ----------
    weights : sequence of float, optional
        Score of each category; default (0, 1).

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> [format(42.0, sentences.digits(w)) for w in (None, [0, 100])]
    ['42.000', '42.0']
    """
    given = [0.0, 1.0] if weights is None else [float(x) for x in weights]
    largest = max(map(abs, given)) or 1.0
    spread = max(given) - min(given) or largest
    decimals = 3 - floor(log10(spread))
    needed = floor(log10(largest)) + 1 + decimals
    return f".{max(0, decimals)}f" if -3 <= decimals <= 6 and needed <= 15 else f".{min(17, needed)}g"


def printable(name: Any) -> str:
    """A name on one line, without characters that print nothing."""
    return "".join(x if x.isprintable() else "?" for x in str(name))


def width(text: str) -> int:
    """How many columns a text takes: letters of the east two, accents that join a letter none."""
    return sum(0 if unicodedata.combining(x) else 1 + (unicodedata.east_asian_width(x) in "WF") for x in text)


def cut(name: str, room: int, width: Callable[[str], int] = width) -> str:
    """From the middle, where it is too long: names that differ at their ends stay apart."""
    if width(name) <= room:
        return name
    front, back = room // 2, (room - 1) // 2
    start, end = 0, len(name)
    while width(name[: start + 1]) <= front:
        start += 1
    while width(name[end - 1 :]) <= back:
        end -= 1
    return name[:start] + "…" + name[end:]


def labels(names: Iterable[Any], room: int) -> list[str]:
    """Names on one line each, cut to room; those that are cut alike are numbered.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> sentences.labels(["a-model-of-long-name-v1", "a-model-of-LONG-name-v1", "b"], 12)
    ['a-mode…me-v1', 'a-mo…-v1 (2)', 'b']
    """
    found: list[str] = []
    seen: dict[str, int] = {}
    for name in map(printable, names):
        text = cut(name, room)
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1 and text != name:
            end = f" ({seen[text]})"
            text = cut(name, max(3, room - len(end))) + end
        found.append(text)
    return found


def listed(names: Sequence[Any], most: int = 4, what: str = "other") -> str:
    """A; A and B; A, B, C, D and 3 others. Names are cut to 60 columns.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> sentences.listed(["a", "b", "c"]), sentences.listed("abcdef")
    ('a, b and c', 'a, b, c, d and 2 others')
    """
    shown = [name_of(x) for x in names[:most]]
    if len(names) > most:
        return ", ".join(shown) + f" and {number(len(names) - most, what)}"
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)


def name_of(name: Any) -> str:
    """A name within a sentence."""
    return cut(printable(name), 60)


def about(n: int) -> str:
    """A number that is itself an estimate: two digits of it."""
    if n > 10**6:
        return "more than a million"
    step = 10 ** max(0, len(str(n)) - 2)
    return f"about {step * round(n / step):,}"


def two(
    a: Any,
    b: Any,
    found: Comparison,
    *,
    questions: str,
    confidence: float = 0.95,
    now: int | None = None,
    needed: int | None = None,
    level: float | None = None,
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
    level : float, optional
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
        interval = f"{_level(level or 2 * confidence - 1)} interval {lo} to {hi}"
        return f"{a} is ahead of {b} with {percent(p)} (by {gap}, {interval})."
    what = "trial per question" if questions == "fixed" else "question"
    said = "these trials" if now is None else f"these {_more(now, what)}" if now > 1 else f"one {what}"
    sure = "their averages are equal" if found.mu == 0.0 else f"that {a} is ahead is {percent(p)} sure"
    return f"{a} and {b} cannot be told apart with {said}: {sure}. {_would_part(found, questions, now, needed)}"


def _level(confidence: float) -> str:
    return f"{100 * confidence:.10g}%"


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
    bound = fixed and found.noise == "bound"
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
    score = f"{mu} ({_level(confidence)} interval {lo} to {hi})"
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
