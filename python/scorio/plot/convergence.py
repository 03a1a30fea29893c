"""Plots of how a ranking stabilises as trials are added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import arguments, converge
from ..analysis.curves import RankingAgreement, ranking_agreement
from ..analysis.trials import block
from ..choices import MetricName, Resampling
from ..converge.trajectory import LARGEST_REPLICATE
from ..display.colours import BLUE, VERMILION
from ..display.terms import level
from ..display.text import number, percent
from ..errors import InvalidInput
from ..readers.evaluation import EvaluationData
from .canvas import axes, hide_spines, label_y

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # ticks of an axis of shares


def tau_curve(
    R: Any,
    metric: MetricName = "mean",
    gold: Any = None,
    *,
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    replicates: int = 1000,
    scheme: Resampling = "columns",
    seed: int = 0,
    ax: Any = None,
) -> Axes:
    """Plot Kendall's tau-b against the number of trials, with the middle 90% of the replicates.

    Parameters
    ----------
    R : Evaluation, read with ``trials=True``, or what :func:`scorio.converge.tau_curve` takes
        Outcomes in the order of their trials.
    metric, gold, k, tau, w, scheme, seed
        As in :func:`scorio.converge.tau_curve`; w is not used for an Evaluation.
    replicates : int, 1 <= replicates < 2^31
        Number of bootstrap replicates.
    ax : Axes, optional
        Where to draw; default a new figure.

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
    return draw_agreement(ranking_agreement(R, metric, gold, **options), ax)


def draw_agreement(x: RankingAgreement, ax: Any) -> Axes:
    """Draw the mean of tau-b against the number of trials, with the band of the replicates."""
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
    return _with_grid(ax)


def convergence(
    R: Any,
    metric: MetricName = "mean",
    *,
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    gold: Any = None,
    replicates: int = 10_000,
    scheme: Resampling = "columns",
    seed: int = 0,
    ax: Any = None,
) -> Axes:
    """Plot the share of replicates whose ranking is stable after n trials: the distribution of convergence@n.

    Parameters
    ----------
    R : Evaluation, read with ``trials=True``, or what :func:`scorio.converge.tau_curve` takes
        Outcomes in the order of their trials.
    metric, k, tau, w, gold, replicates, scheme, seed
        As in :func:`scorio.converge.bootstrap_convergence`; w is not used for an Evaluation.
    ax : Axes, optional
        Where to draw; default a new figure.

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
    return draw_convergence(distribution, ax)


def draw_convergence(distribution: converge.Convergence, ax: Any) -> Axes:
    """Draw the share of replicates with a stable ranking after each number of trials."""
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
    return _with_grid(ax)


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


def _with_grid(ax: Axes) -> Axes:
    """The axes with a grid and without the upper and right lines."""
    ax.grid(alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax)
    return ax
