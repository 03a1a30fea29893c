"""How a ranking stabilises as trials are added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import arguments, converge
from ..converge import kernels
from ..converge.inputs import problem
from ..converge.trajectory import LARGEST_REPLICATE, scores_of
from ..display.terms import level
from ..display.text import number, percent
from .canvas import BLUE, VERMILION, axes, bare

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def tau_curve(
    R: Any,
    metric: str = "bayes",
    gold: Any = None,
    *,
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    replicates: int = 1000,
    scheme: str = "columns",
    seed: int = 0,
    ax: Any = None,
) -> Axes:
    """Kendall's tau-b against the number of trials, with the middle 90% of the replicates.

    Parameters
    ----------
    R, metric, gold, k, tau, w, scheme, seed
        As in :func:`scorio.converge.tau_curve`.
    replicates : int, 1 <= replicates < 2^31
        Number of bootstrap replicates; each takes some tenths of a millisecond.
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
    given = {"k": k, "tau": tau, "w": w}
    curve = converge.tau_curve(
        R, metric, gold, **given, replicates=replicates, scheme=scheme, seed=seed, progress=False
    )  # fmt: skip
    ax = axes(ax, 6.4, 3.8)
    ax.plot(curve.trials, curve.tau_b, "o-", color=BLUE, markersize=4, label="mean", zorder=3)
    if scheme != "original":
        taus = _taus(R, metric, gold, given, replicates, scheme, seed)
        low, high = np.quantile(taus, [0.05, 0.95], axis=0)
        ax.fill_between(curve.trials, low, high, color=BLUE, alpha=0.18, lw=0, label="middle 90% of replicates")
        for end in (low, high):
            ax.plot(curve.trials, end, "--", color=BLUE, lw=0.8)
        ax.legend(frameon=False, loc="lower right")
    ax.set(xlabel="trials per question", ylabel="Kendall's tau-b with the gold ranking")
    _whole_trials(ax, curve.trials[0], curve.trials[-1])
    ax.set_ylim(top=1.03)
    return _finished(ax)


def tau_band(R: Any, w: Any, replicates: int, seed: int) -> tuple[list[int], npt.NDArray[np.float64]]:
    """The numbers of trials; the mean, the 5% and the 95% quantile of tau-b over the replicates, by Bayes@N."""
    converge.tau_curve(R, w=w, replicates=1, seed=seed, progress=False)  # which refuses what has no tau
    given = {"k": None, "tau": None, "w": w}
    taus = _taus(R, "bayes", None, given, replicates, "columns", seed)
    return list(range(1, taus.shape[1] + 1)), np.array([taus.mean(axis=0), *np.quantile(taus, [0.05, 0.95], axis=0)])


def _taus(
    R: Any, metric: str, gold: Any, given: dict[str, Any], replicates: int, scheme: str, seed: int
) -> npt.NDArray[np.float64]:
    """tau-b of each replicate after each number of trials; 0 for a ranking that ties all."""
    p = problem(R, metric, given["k"], given["tau"], given["w"], gold)
    if scheme == "columns":
        p = p.resampled(scheme, seed)[0]  # the questions summed up once, where that is all there is to it
    standard = np.array(p.gold)
    L = standard.size
    pairs = np.arange(L * (L - 1) // 2 + 1)
    untied = pairs[-1] - sum(int((standard[:i] == x).sum()) for i, x in enumerate(standard))
    scale = np.sqrt(np.maximum(pairs * untied, 1))
    out, order, ranks = np.empty((replicates, len(p.trials))), np.arange(L), np.empty(L, np.int64)
    for b in range(replicates):
        agree = np.zeros((len(p.trials), pairs.size), np.int64)
        kernels.tau_of(scores_of(p, scheme, b, seed), p.first, p.tol, standard, order, ranks, agree)
        out[b] = (agree / scale).sum(axis=1)
    return out


def convergence(
    R: Any,
    metric: str = "bayes",
    *,
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    gold: Any = None,
    replicates: int = 10_000,
    scheme: str = "columns",
    seed: int = 0,
    ax: Any = None,
) -> Axes:
    """The share of replicates whose ranking is stable after n trials: the distribution of convergence@n.

    Parameters
    ----------
    R, metric, k, tau, w, gold, replicates, scheme, seed
        As in :func:`scorio.converge.bootstrap_convergence`.
    ax : Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
        The first line shows the shares after 1 to N - 1 trials; the text says how many replicates are never stable.

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
    arguments.integer(replicates, "replicates", 1, LARGEST_REPLICATE)
    distribution = converge.bootstrap_convergence(
        R, metric, k=k, tau=tau, w=w, gold=gold, replicates=replicates, scheme=scheme, seed=seed, worst=0,
        progress=False,
    )  # fmt: skip
    return draw_convergence(distribution, ax)


def draw_convergence(distribution: converge.Convergence, ax: Any) -> Axes:
    """Draw a known distribution."""
    trials = list(range(1, len(distribution.cdf) + 1))
    ax = axes(ax, 6.4, 3.8)
    ax.plot(trials, distribution.cdf, "o-", drawstyle="steps-post", color=BLUE, markersize=4, zorder=3)
    ax.fill_between(trials, distribution.cdf, step="post", color=BLUE, alpha=0.18, lw=0)
    ax.axhline(1.0 - distribution.never, color=VERMILION, ls="--", lw=1.2)
    ax.annotate(
        f"never stable within {number(trials[-1], 'trial')}: {_share(distribution.never)}",
        (0.01, 1.0 - distribution.never), (0, 5),
        xycoords=ax.get_yaxis_transform(), textcoords="offset points", va="bottom", fontsize="small",
    )  # fmt: skip
    ax.set(xlabel="trials per question", ylabel="share of replicates\nwith a stable ranking", ylim=(0.0, 1.13))
    ax.set_yticks(SHARES, [level(x) for x in SHARES])
    _whole_trials(ax, 1, trials[-1])
    return _finished(ax)


def _share(x: float) -> str:
    """A counted share, to a tenth of a percent."""
    return f"{100 * x:.1f}%" if 0.001 <= x <= 0.999 else percent(x)


def _whole_trials(ax: Axes, first: int, last: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10, min_n_ticks=1))
    room = max(0.5, 0.03 * (last - first))
    ax.set_xlim(first - room, last + room)


def _finished(ax: Axes) -> Axes:
    ax.grid(alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    bare(ax)
    return ax
