"""Results in words: decisions as people read them. Pure text: nothing is computed from outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..display.names import short_names
from ..display.terms import alpha, interval, level, p_value
from ..display.text import about, digits, listed, number, percent, plural, score

if TYPE_CHECKING:
    from ..results import MetricInterval
    from ..sinf.compare import Comparison

NAME = 60  # columns of a name within a sentence


def significant(p: float, confidence: float) -> bool:
    """Whether a p-value is at most 1 - confidence; NaN is not."""
    return p <= 1.0 - confidence


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
    adjusted: float | None = None,
) -> str:
    """What a comparison of two models says, in plain sentences.

    Parameters
    ----------
    a, b : str
        Names of the models.
    result : Comparison
        Of :func:`scorio.sinf.compare`, a against b, at this confidence.
    questions : {"fixed", "sampled"}
        As given to compare.
    confidence : float in (0, 1)
        A difference is significant where its p-value is at most 1 - confidence.
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
    adjusted : float, optional
        The p-value, adjusted for the number of pairs that are compared: it decides then.

    Returns
    -------
    str

    Examples
    --------
    >>> from scorio import sinf
    >>> from scorio.leaderboard import sentences
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> r = sinf.compare(A, B, questions="fixed")
    >>> print(sentences.two("A", "B", r, questions="fixed", now=3, needed=14))
    With 3 trials per question A and B are not significantly different at the 5% level (difference 0.333, 95% CI -0.226 to 0.893; p = 0.23; probability that A is better 88%). About 14 trials per question would detect a difference of this size with 80% power.
    """  # noqa: E501
    p, gap, lo, hi = result.p_above, result.mu, result.lo, result.hi
    a, b = short_names((a, b), NAME).short
    if p < 0.5:
        a, b, p, gap, lo, hi = b, a, 1.0 - p, -gap, -hi, -lo
    difference, low, high = (score(x, digits(weights)) for x in (gap, lo, hi))
    alone = "" if adjusted is None else " of this pair alone"
    size = f"difference {difference}, {interval(confidence)}{alone} {low} to {high}; {p_value(result.p_value)}"
    test = f"at the {alpha(confidence)} level"
    if adjusted is not None:
        size += f", adjusted {p_value(adjusted)[2:] if adjusted < 1e-4 else p_value(adjusted)[4:]}"
        test += ", family-wise over all pairs"
    if significant(result.p_value if adjusted is None else adjusted, confidence):
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


def inseparable_runs(p: Sequence[Sequence[float]], confidence: float = 0.95) -> list[range]:
    """Runs of three models or more in a ranking, as long as possible, in which no pair is significantly different.

    Parameters
    ----------
    p : L rows of L floats
        p[i][j]: p-value of models i and j, in the order of the ranking, adjusted for the number of pairs; NaN where
        they cannot be compared. The diagonal is not read.
    confidence : float in (0, 1)
        A pair is significantly different where its p-value is at most 1 - confidence.

    Returns
    -------
    list of range
        Places in the ranking. Runs may overlap: two models that do not differ significantly from a third may differ
        significantly from each other.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> p = [[1, 0.4, 0.2, 0.02], [0.4, 1, 0.8, 0.2], [0.2, 0.8, 1, 0.6], [0.02, 0.2, 0.6, 1]]
    >>> sentences.inseparable_runs(p)
    [range(0, 3), range(1, 4)]
    """
    runs: list[range] = []
    stop = 0
    for start in range(len(p)):
        last, stop = stop, max(stop, start + 1)
        while stop < len(p) and not any(significant(p[i][stop], confidence) for i in range(start, stop)):
            stop += 1
        if stop > last and stop - start > 2:
            runs.append(range(start, stop))
    return runs


def first_place(
    names: Sequence[Any],
    average: MetricInterval,
    P: Sequence[float],
    p: Sequence[float],
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
    p : sequence of float
        The p-value of the best model and each of the others, adjusted for the number of pairs.
    confidence : float in (0, 1)
        A difference is significant where its p-value is at most 1 - confidence; and the level of the interval.
    weights : sequence of float, optional
        Score of each category.
    tied : int
        How many models share the highest average.

    Examples
    --------
    >>> from scorio import eval
    >>> from scorio.leaderboard import sentences
    >>> r = eval.mean_ci([[1, 1, 0], [1, 0, 1]], questions="fixed")
    >>> print(*sentences.first_place(["A", "B", "C"], r, [0.8, 0.99], [0.4, 0.03], 0.95), sep="\n")
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
    others = list(zip(names[1:], P, p, strict=True))
    near = [x for x, _, q in others if q == q and not significant(q, confidence)]
    worse = [(x, above) for x, above, q in others if significant(q, confidence) and above > 0.5]
    better = [x for x, above, q in others if significant(q, confidence) and above < 0.5]
    unknown = [x for x, _, q in others if q != q]
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


def beyond(record: dict[str, Any], metric: str, k: int, confidence: float, width: float | None = None) -> str:
    """What is known of k trials per question, and what would make it better known.

    Parameters
    ----------
    record : dict
        The fields of :func:`scorio.eval.extrapolate`, of :func:`scorio.eval.extrapolate_model` (None where no law can
        be fitted), and the name of the model.
    metric : str
        "pass@k" or "pass^k".
    k : int
        Number of trials.
    confidence : float in (0, 1)
        Level of the limits.
    width : float, optional
        How wide the limits may be.

    Examples
    --------
    >>> from scorio.leaderboard import sentences
    >>> band = {"model": "A", "lower": 0.7, "upper": 0.8, "low": 0.4, "high": 0.9, "unsolved": 12}
    >>> law = {"value": 0.75, "fit": 0.4, "trials": 9, "questions": 20}
    >>> said = sentences.beyond(band | law, "pass@k", 64, 0.95, 0.3).split(". ")
    >>> said[0], said[1]
    ('A: pass@64 is between 0.400 and 0.900 (95%)', 'The 12 questions without a success decide where')
    >>> said[2]
    '9 more trials of each of the 20 questions with at most two successes would narrow that range to about 0.3.'
    """
    kind = "success" if metric in ("pass@k", "pass_at_k") else "failure"
    name, unsolved = f"{metric.rstrip('k')}{k}", record["unsolved"]
    out = [f"{record['model']}: {name} is between {record['low']:.3f} and {record['high']:.3f} ({level(confidence)})."]
    if unsolved:
        out.append(f"The {number(unsolved, 'question')} without a {kind} decide{'s' * (unsolved == 1)} where.")
    if record["value"] is None and record.get("law"):
        out.append("The fitted law puts it outside that range: a misfit, which is not shown.")
    elif record["fit"] is not None and record["fit"] < 0.05:
        out.append(f"The law does not fit the counts ({p_value(record['fit'])}): do not rely on it.")
    if width is None or record["value"] is None:
        return " ".join(out)
    if record["trials"] == 0:
        out.append(f"That range is at most {width:.10g} wide.")
    elif record["trials"]:
        many, some = number(record["trials"], "more trial"), number(record["questions"], "question")
        those = "successes" if kind == "success" else "failures"
        out.append(
            f"{many} of each of the {some} with at most two {those} would narrow that range to about {width:.10g}."
        )
    else:
        out.append(f"Trials alone would not narrow that range to {width:.10g}: more questions are needed.")
    return " ".join(out)
