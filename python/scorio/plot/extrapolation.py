"""Plot of Pass@k or Pass^k against k: measured up to the number of trials, bounds and a fitted model above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import arguments
from ..analysis.curves import Curve, curve
from ..arguments import Missing
from ..choices import MetricName
from ..display.colours import BLUE, VERMILION
from ..display.terms import interval, level
from ..display.text import number
from ..errors import InvalidInput
from ..metrics.metric import metric_and_k
from ..outcomes.checks import answered
from ..outcomes.tally import Outcomes, count
from ..readers.evaluation import EvaluationData
from .canvas import COLUMN, axes, footnotes, hide_spines

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pass_at_k(
    R: Outcomes | EvaluationData,
    k: int,
    metric: MetricName = "pass_at_k",
    *,
    confidence: float = 0.95,
    missing: Missing = "raise",
    ax: Any = None,
) -> Axes:
    """Plot Pass@k or Pass^k of one model against k, also for k above its number of trials.

    Parameters
    ----------
    R : Evaluation of one model, array_like of 0 and 1, shape (M, N), or Counts
        The outcomes. Questions without a trial are left out.
    k : int
        The largest k; it must exceed the smallest number of trials of a question.
    metric : {"pass_at_k", "pass_hat_k"}
        Also "pass@k", "pass^k".
    confidence : float in (0, 1)
        Nominal coverage of the intervals and limits.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional
        Where to draw; default a new figure.

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
    return draw_curve(x, counts.min_trials, "Pass@k" if metric in ("pass_at_k", "pass@k") else "Pass^k", confidence, ax)


def draw_curve(x: Curve, n: int, title: str, confidence: float, ax: Any) -> Axes:
    """Draw a curve: measured for k up to n trials; above, a band (lower, upper), its limits (low, high) and a model."""
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
    ax.axvline(n, color="0.6", lw=0.8, zorder=0)
    unsolved = x.bands[-1].unsolved
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set(xlabel="k", ylabel=title, ylim=(0.0, 1.02))
    wide = float(ax.figure.bbox.width / ax.figure.dpi) >= COLUMN
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1 + wide, fontsize="small")
    kind = "success" if title == "Pass@k" else "failure"
    footnotes(ax, [
        f"Measured up to k = {n}, extrapolated above; {level(confidence)} intervals and limits. Questions without "
        f"a {kind}: {unsolved}. Their rates decide where the metric is within the limits."
    ])  # fmt: skip
    ax.grid(alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax)
    return ax
