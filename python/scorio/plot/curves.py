"""Plots against numbers of trials: how a ranking stabilises, Pass@k or Pass^k, and power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import arguments, converge, sinf
from ..analysis.curves import block, curve, ranking_agreement
from ..analysis.sample_size import POWER, power_at
from ..arguments import Missing
from ..converge.trajectory import LARGEST_REPLICATE
from ..display.terms import alpha, interval, level
from ..display.text import number, percent, score, score_format, short_names
from ..errors import InvalidInput
from ..metrics.metric import metric_and_k
from ..outcomes.checks import answered
from ..outcomes.tally import Outcomes, count
from ..page.markup import BLUE, VERMILION
from ..readers.evaluation import EvaluationData
from ..results import MetricName, Resampling
from .canvas import COLOURS, COLUMN, MARKERS, STYLES, axes, evaluation_of, finished, footnotes, label_y

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # ticks of an axis of shares


def tau_curve(
    R: Any, metric: MetricName = "mean", gold: Any = None, *, k: int | None = None, tau: float | None = None,
    w: Any = None, replicates: int = 1000, scheme: Resampling = "columns", seed: int = 0, ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot Kendall's tau-b against the number of trials, with the middle 90% of the replicates.

    Parameters
    ----------
    R : Evaluation, read with ``trials=True``, or what :func:`scorio.converge.tau_curve` takes
        Outcomes in the order of their trials.
    metric, gold, k, tau, w, scheme, seed
        As in :func:`scorio.converge.tau_curve`; w is not used for an Evaluation.
    replicates : int, 1 <= replicates < 2^31; number of bootstrap replicates
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        The first line is that of :func:`scorio.converge.tau_curve`; the band spans the 5% to 95% quantiles of tau over
        the same replicates (none with scheme "original").

    Raises
    ------
    InvalidInput
        An argument is invalid.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> ax = plot.tau_curve([[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]], replicates=1000, seed=1)
    >>> ax.lines[0].get_ydata().tolist()
    [0.486, 0.745, 0.761, 0.873]
    """
    R, w = trials_of(R, w)
    options: dict[str, Any] = {"k": k, "tau": tau, "w": w, "replicates": replicates, "scheme": scheme, "seed": seed}
    x = ranking_agreement(R, metric, gold, **options)
    ax = axes(ax, 6.4, 3.8)
    ax.plot(x.trials, x.mean, "o-", color=BLUE, markersize=4, label="mean", zorder=3)
    if x.low != x.mean:  # they are equal where the trials are not resampled
        ax.fill_between(x.trials, x.low, x.high, color=BLUE, alpha=0.18, lw=0, label="middle 90% of replicates")
        for end in (x.low, x.high):
            ax.plot(x.trials, end, "--", color=BLUE, lw=0.8)
        ax.legend(frameon=False, loc="lower right")
    ax.set(xlabel="trials per question")
    label_y(ax, "Kendall's tau-b with the gold ranking")
    _integer_ticks(ax, x.trials[0], x.trials[-1])
    ax.set_ylim(top=1.03)
    return finished(ax)


def convergence(
    R: Any, metric: MetricName = "mean", *, k: int | None = None, tau: float | None = None, w: Any = None,
    gold: Any = None, replicates: int = 10_000, scheme: Resampling = "columns", seed: int = 0, ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot the share of replicates whose ranking is stable after n trials: the distribution of convergence@n.

    Parameters
    ----------
    R : Evaluation, read with ``trials=True``, or what :func:`scorio.converge.tau_curve` takes
        Outcomes in the order of their trials.
    metric, k, tau, w, gold, replicates, scheme, seed
        As in :func:`scorio.converge.bootstrap_convergence`; w is not used for an Evaluation.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        The first line shows the shares after 1 to N - 1 trials; the text states the share of replicates whose ranking
        is not stable after N - 1 trials.

    Raises
    ------
    InvalidInput
        An argument is invalid.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> ax = plot.convergence([[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]], replicates=1000, seed=1)
    >>> ax.lines[0].get_ydata().tolist(), ax.texts[0].get_text()
    ([0.658, 0.757, 0.826], 'never stable within 3 trials: 17.4%')
    """
    R, w = trials_of(R, w)
    arguments.integer(replicates, "replicates", 1, LARGEST_REPLICATE)
    distribution = converge.bootstrap_convergence(
        R, metric, k=k, tau=tau, w=w, gold=gold, replicates=replicates, scheme=scheme, seed=seed, worst=0,
        progress=False,
    )  # fmt: skip
    if not distribution.cdf:
        raise InvalidInput("shape", "R", "with one trial of each question no ranking can stabilise")
    trials = list(range(1, len(distribution.cdf) + 1))
    ax = axes(ax, 6.4, 3.8)
    ax.plot(trials, distribution.cdf, "o-", drawstyle="steps-post", color=BLUE, markersize=4, zorder=3)
    ax.fill_between(trials, distribution.cdf, step="post", color=BLUE, alpha=0.18, lw=0)
    ax.axhline(1.0 - distribution.never, color=VERMILION, ls="--", lw=1.2)
    ax.annotate(
        f"never stable within {number(trials[-1], 'trial')}: {_percentage(distribution.never)}",
        (0.01, 1.0 - distribution.never), (0, 5),
        xycoords=ax.get_yaxis_transform(), textcoords="offset points", va="bottom", fontsize="small",
    )  # fmt: skip
    # the text is above the line, which is at most at 1: the axis leaves space for it
    ax.set(xlabel="trials per question", ylim=(0.0, 1.13))
    label_y(ax, "share of replicates with a stable ranking")
    ax.set_yticks(SHARES, [level(x) for x in SHARES])
    _integer_ticks(ax, 1, trials[-1])
    return finished(ax)


def trials_of(R: Any, w: Any) -> tuple[Any, Any]:
    """R and w; for an evaluation, its outcomes in the order of their trials, on the shared questions, and its own w."""
    if not isinstance(R, EvaluationData):
        return R, w
    part = R.pooled()
    return block(part).outcomes, part.w


def _percentage(x: float) -> str:
    """A share as a percentage, to a tenth of a percent."""
    return f"{100 * x:.1f}%" if 0.001 <= x <= 0.999 else percent(x)


def _integer_ticks(ax: Axes, first: int, last: int) -> None:
    """Set integer ticks and the limits of the x axis."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10, min_n_ticks=1))
    margin = max(0.5, 0.03 * (last - first))
    ax.set_xlim(first - margin, last + margin)


def pass_at_k(
    R: Outcomes | EvaluationData, k: int, metric: MetricName = "pass_at_k", *, confidence: float = 0.95,
    missing: Missing = "raise", ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot Pass@k or Pass^k of one model against k, also for k above its number of trials.

    Parameters
    ----------
    R : Evaluation of one model, array_like of 0 and 1, shape (M, N), or Counts
        The outcomes. Questions without a trial are left out.
    k : int; the largest k; it must exceed the smallest number of trials of a question
    metric : {"pass_at_k", "pass_hat_k"}; also "pass@k", "pass^k"
    confidence : float in (0, 1); nominal coverage of the intervals and limits
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        Up to the number of trials: the metric (solid line) with its interval for the population of similar questions.
        Above it: the identified band (dark) within its limits (light), and the fitted model (dashed) with its limits
        (dotted). The model is left out if none can be fitted, or if it contradicts the limits of the band at some k.

    Raises
    ------
    InvalidInput
        An argument is invalid.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> ax = plot.pass_at_k([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], 16)
    >>> [line.get_label() for line in ax.lines[:2]], ax.lines[0].get_xdata().tolist()
    (['measured', 'beta-binomial model'], [1, 2, 3, 4])
    """
    confidence = arguments.confidence(confidence)
    if isinstance(R, EvaluationData):
        if len(R.models) != 1:
            raise InvalidInput("shape", "R", f"R has {number(len(R.models), 'model')}: select one")
        part = R.pooled()
        if part.w is not None:
            raise InvalidInput("conflict", "w", "Pass@k is extrapolated from outcomes of 0 and 1 only: leave out w")
        R = part.answered(R.models[0]).counts
    (counts,), _ = answered("R", count(R, 1, missing))
    metric, k = metric_and_k(metric, k)
    x = curve(counts, k, metric, questions="sampled", confidence=confidence)
    title = "Pass@k" if metric in ("pass_at_k", "pass@k") else "Pass^k"
    from matplotlib.ticker import NullLocator

    ax = axes(ax, 6.4, 3.8)
    ax.plot(x.ks_measured, [y.mu for y in x.measured], "o-", color=BLUE, markersize=3, label="measured", zorder=3)
    ax.fill_between(x.ks_measured, [y.lo for y in x.measured], [y.hi for y in x.measured], color=BLUE, alpha=0.15, lw=0)
    if x.model:
        value, lo, hi = zip(*x.modelled, strict=True)
        ax.plot(x.ks_beyond, value, "--", color=VERMILION, label=f"{x.model} model", zorder=3)
        for end, label in ((lo, f"its {interval(confidence)}"), (hi, None)):
            ax.plot(x.ks_beyond, end, ":", color=VERMILION, lw=1, label=label)
    ax.fill_between(x.ks_beyond, [y.low for y in x.bands], [y.high for y in x.bands], color=BLUE, alpha=0.15, lw=0,
                    label=f"{interval(confidence)}, limits without a model")  # fmt: skip
    ax.fill_between(x.ks_beyond, [y.lower for y in x.bands], [y.upper for y in x.bands], color=BLUE, alpha=0.5, lw=0,
                    label="without sampling error")  # fmt: skip
    ax.axvline(counts.min_trials, color="0.6", lw=0.8, zorder=0)
    unsolved = x.bands[-1].unsolved
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set(xlabel="k", ylabel=title, ylim=(0.0, 1.02))
    wide = float(ax.figure.bbox.width / ax.figure.dpi) >= COLUMN
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1 + wide, fontsize="small")
    kind = "success" if title == "Pass@k" else "failure"
    footnotes(ax, [
        f"Measured up to k = {counts.min_trials}, extrapolated above; {level(confidence)} intervals and limits. "
        f"Questions without a {kind}: {unsolved}. Their rates decide where the metric is within the limits."
    ])  # fmt: skip
    return finished(ax)


QUESTION_MULTIPLES = (1, 2, 4)  # a line for each of these multiples of the observed number of questions
MOST_TRIAL_MULTIPLE = 16  # the axis ends at this multiple of the fewest trials of a question


def power(
    models: Any, w: Any = None, *, confidence: float = 0.95, target: float = POWER, missing: str | int = "raise",
    ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot the power of a comparison of two models against the trials per question, at their observed difference.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (2, M, N)
        Two models, see :mod:`scorio.plot`. They are compared on the questions that both answered.
    w : array_like, shape (C+1,), optional; score of each category; default (0, 1). Not used for an Evaluation.
    confidence : float in (0, 1); the comparison is two-sided, at the level 1 - confidence
    target : float in (0, 1); the power that is marked by a horizontal line
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        A line for this question set, and a line each for as many similar questions, twice and four times as many. The
        observed difference is itself an estimate: the power at the observed number of trials has no more information
        than the p-value of the comparison.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: not two models, or fewer than two shared questions; undefined: equal averages.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> R = {"large": [[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 0, 1]], "small": [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]}
    >>> ax = plot.power(R)
    >>> [line.get_label() for line in ax.lines[:2]], round(float(ax.lines[0].get_ydata()[3]), 3)
    (['these questions', '3 similar questions'], 0.251)
    """
    confidence, target = arguments.confidence(confidence), arguments.confidence(target, name="target")
    part = evaluation_of(models, w, missing).pooled()
    counts = part.aligned() if len(part.logs) == 2 else {}
    shared = np.flatnonzero(np.all([x.trials > 0 for x in counts.values()], axis=0)) if counts else np.zeros(0, int)
    if not shared.size:
        raise InvalidInput("shape", "models", "models must be two models that share questions")
    A, B = (x.select(shared) for x in counts.values())
    w = part.w
    if A.M < 2:
        raise InvalidInput("shape", "models", "models must share two questions that have trials")
    difference = sinf.compare(A, B, w=w, questions="fixed").mu
    if difference == 0.0:
        raise InvalidInput("undefined", "models", "models have equal averages: there is no difference to detect")
    n_trials = min(A.min_trials, B.min_trials)
    at_least = "at least " if max(int(x.trials.max()) for x in (A, B)) > n_trials else ""
    most, questions = MOST_TRIAL_MULTIPLE * n_trials, [i * A.M for i in QUESTION_MULTIPLES]
    steps = {x for i in range(most.bit_length() + 1) for x in (2**i, 3 * 2**i // 2)}  # 1, 2, 3, 4, 6, 8, 12, 16, ...
    trials = sorted({x for x in steps if 0 < x < most} | {most})
    points = power_at(A, B, trials, questions, w, confidence)
    ax = axes(ax, 6.4, 3.8)
    lines = [("these questions", [x.fixed for x in points])]
    lines += [(f"{Q:,} similar questions", [x.sampled[i] for x in points]) for i, Q in enumerate(questions)]
    for i, (label, y) in enumerate(lines):
        ax.plot(trials, y, STYLES[i % 4], color=COLOURS[i], marker=MARKERS[i], markersize=3.5, label=label)
    ax.axhline(target, color="0.6", lw=0.8, zorder=0)
    ax.axvline(n_trials, color="0.6", lw=0.8, zorder=0)
    short = short_names(counts, 30)
    ax.set(xlabel="trials per question", ylabel="power", ylim=(0.0, 1.02))
    ax.set_xscale("log", base=2)
    _ticks(ax)
    ax.legend(frameon=False, loc="best", fontsize="small")
    size = score(abs(difference), score_format(part.scores))
    footnotes(ax, [
        f"{short.short[0]} and {short.short[1]}: probability that a difference of the size seen, {size}, is "
        f"significant at {alpha(confidence)} (two-sided). There {'is' if n_trials == 1 else 'are'} "
        f"{at_least}{number(n_trials, 'trial per question')} of {number(A.M, 'question')}; the lines mark this and "
        f"{level(target)}.",
    ], short.shared)  # fmt: skip
    return finished(ax)


def _ticks(ax: Axes) -> None:
    """Label the ticks: whole numbers of trials, power as a percentage."""
    from matplotlib.ticker import NullLocator

    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_yticks([x / 4 for x in range(5)], [level(x / 4) for x in range(5)])
