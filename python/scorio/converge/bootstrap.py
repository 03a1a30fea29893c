"""Bootstrap of rankings: the distribution of convergence@n, and the mean Kendall tau."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, get_args

import numpy as np

from .. import arguments
from ..arguments import Reals
from ..arithmetic.double_double import ZERO, add, div, ext, root, value
from ..arithmetic.jit import THREADS
from ..display.progress import bar
from ..errors import InvalidInput
from ..outcomes.states import Array
from ..outcomes.tally import Models
from ..results import MetricName, Resampling, Scheme
from . import kernels
from .trajectory import LARGEST_REPLICATE, SCHEMES, Problem, gold_order, problem, ranks_of, scores_of

if TYPE_CHECKING:
    from concurrent.futures import Future

BLOCK = 2 * 10**8  # most outcomes in a block of several replicates; an interrupt waits for its end, some 0.1 s


class Interrupted(UserWarning):
    """Warning that an interrupt left some of the requested replicates out of a result."""


@contextmanager
def raise_on_interrupt() -> Iterator[None]:
    """Context in which an interrupt raises KeyboardInterrupt, rather than leaving replicates out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", Interrupted)
        try:
            yield
        except Interrupted:
            raise KeyboardInterrupt from None


class Convergence(NamedTuple):
    """The convergence@n of every replicate, its distribution, and the worst replicates.

    at: convergence@n of each replicate, 0 where it never converges; pmf and cdf: shares of replicates that converge at
    n, and at n or before, n = 1..N-1; mean: mean convergence@n of the replicates that converge; never: share of those
    that do not; worst: numbers of the worst replicates, from 0; trajectories: the ranks in these after k..N trials
    (1..N for mean and bayes).
    """

    at: Array
    pmf: list[float]
    cdf: list[float]
    mean: float
    never: float
    worst: list[int]
    trajectories: list[list[list[int]]]

    def __repr__(self) -> str:
        return (
            f"Convergence({len(self.at)} replicates, mean {self.mean:.4g} where it converges, "
            f"never in {100 * self.never:.4g}%)"
        )


class Curve(NamedTuple):
    """Mean Kendall tau-b against the gold ranking, after each number of trials."""

    trials: list[int]
    tau_b: list[float]


def _run_blocks(p: Problem, replicates: int, work: Callable[[int, int], Array], progress: bool | None) -> list[Array]:
    """Results of work(start, stop) for blocks of replicates, in order; after an interrupt, of the finished blocks.

    If no block is finished, the interrupt is raised.
    """
    from concurrent.futures import ThreadPoolExecutor

    results: list[Array] = []
    waiting: deque[tuple[int, Future[Array]]] = deque()
    block = max(1, min(1000, BLOCK // p.R.size))
    with ThreadPoolExecutor(THREADS) as pool, bar("bootstrap", replicates, progress) as advance:
        try:
            start = 0
            while start < replicates or waiting:
                while start < replicates and len(waiting) < 2 * THREADS:
                    stop = min(start + block, replicates)
                    waiting.append((stop, pool.submit(work, start, stop)))
                    start = stop
                results.append(waiting[0][1].result())
                advance(min(block, replicates - (len(results) - 1) * block))
                waiting.popleft()
        except KeyboardInterrupt:
            # the first of the waiting blocks may be in the results already; running blocks cannot be cancelled
            running = [future for stop, future in waiting if stop > len(results) * block and not future.cancel()]
            results += [future.result() for future in running]
            if not results:
                raise
            done = min(len(results) * block, replicates)
            what = f"interrupted: {done} of {replicates} replicates are in the result"
            warnings.warn(what, Interrupted, stacklevel=3)
    return results


def bootstrap_convergence(
    R: Models,
    metric: MetricName = "mean",
    *,
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    gold: Any = None,
    replicates: int = 100_000,
    scheme: Resampling = "columns",
    seed: int = 0,
    worst: int = 3,
    progress: bool | None = None,
) -> Convergence:
    """The distribution of convergence@n over bootstrap replicates.

    Parameters
    ----------
    R, metric, k, tau, w, gold
        As in :func:`convergence_at_n`.
    replicates : int, 1 <= replicates < 2^31
        Number of bootstrap replicates.
    scheme : {"columns", "rows"}
        "columns" draws whole trials with replacement, "rows" the trials of each question separately; all models share
        the draws.
    seed : int, 0 <= seed < 2^64
        Seed of the bootstrap; replicate b is the same for any number of replicates.
    worst : int, 0 <= worst <= 1000
        Number of worst replicates whose trajectories are returned: those that never converge, then the latest.
    progress : bool, optional
        A progress bar on stderr; default: only on a terminal.

    Returns
    -------
    Convergence
        (at, pmf, cdf, mean, never, worst, trajectories). mean is NaN if no replicate converges. After an interrupt, the
        result is that of the finished replicates, with a warning; if there are none, the interrupt is raised.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Section 3.3 and appendix G of arXiv:2510.04265. The bootstrap takes the ranking of all trials as the truth: with few
    trials it overstates how stable the ranking is.

    Examples
    --------
    >>> from scorio import converge
    >>> R = [[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]]
    >>> r = converge.bootstrap_convergence(R, replicates=1000, seed=1)
    >>> r.pmf, r.never
    ([0.658, 0.099, 0.069], 0.174)
    """
    scheme = arguments.choice(scheme, "scheme", get_args(Resampling))
    replicates = arguments.integer(replicates, "replicates", 1, LARGEST_REPLICATE)
    seed, worst = arguments.seed(seed), arguments.integer(worst, "worst", 0, 1000)
    progress = None if progress is None else arguments.flag(progress, "progress")
    original = problem(R, metric, k, tau, w, gold)
    p, rows, key = original.resampled(scheme, seed)
    order, starts = gold_order(p.gold)

    def work(start: int, stop: int) -> Array:
        at = np.empty(stop - start, np.int64)
        kernels.convergence_block(p.R, p.table, p.first, p.tol, order, starts, key, rows, start, at)
        return at

    at = np.concatenate(_run_blocks(p, replicates, work, progress))
    counts = np.bincount(at, minlength=p.R.shape[0])
    converged, B = at.size - int(counts[0]), at.size
    worst_replicates = np.lexsort((np.arange(B), -np.where(at == 0, p.R.shape[0], at)))[:worst].tolist()
    return Convergence(
        at,
        [int(x) / B for x in counts[1:]],
        [int(x) / B for x in np.cumsum(counts[1:])],
        int(at.sum()) / converged if converged else float("nan"),
        int(counts[0]) / B,
        worst_replicates,
        [ranks_of(original, scores_of(original, scheme, b, seed)) for b in worst_replicates],
    )


def tau_curve(
    R: Models,
    metric: MetricName = "mean",
    gold: Any = None,
    *,
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    replicates: int = 10_000,
    scheme: Scheme = "columns",
    seed: int = 0,
    progress: bool | None = None,
) -> Curve:
    """Mean Kendall tau-b between the ranking after n trials and the gold one, for every n.

    Parameters
    ----------
    R, metric, gold, k, tau, w
        As in :func:`convergence_at_n`.
    replicates, seed, progress
        As in :func:`bootstrap_convergence`.
    scheme : {"columns", "rows", "original"}
        As in :func:`bootstrap_convergence`; "original": the original trials, once.

    Returns
    -------
    Curve
        (trials, tau_b). A ranking that ties all models counts as 0.

    Raises
    ------
    InvalidInput
        An argument is invalid; undefined: a gold ranking that ties all models.

    Notes
    -----
    Sections 2.7 and 3.1 of arXiv:2510.04265, figures 1 and 4.

    Examples
    --------
    >>> from scorio import converge
    >>> R = [[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]]
    >>> converge.tau_curve(R, replicates=1000, seed=1).tau_b
    [0.486, 0.745, 0.761, 0.873]
    """
    scheme = arguments.choice(scheme, "scheme", SCHEMES)
    replicates, seed = arguments.integer(replicates, "replicates", 1, LARGEST_REPLICATE), arguments.seed(seed)
    progress = None if progress is None else arguments.flag(progress, "progress")
    original = problem(R, metric, k, tau, w, gold)
    ranks = np.array(original.gold)
    pairs = ranks.size * (ranks.size - 1) // 2
    untied = sum(int((ranks[:i] != x).sum()) for i, x in enumerate(ranks))
    if untied == 0:
        raise InvalidInput("undefined", "gold", "gold ties all models: Kendall's tau has no value")
    totals = np.zeros((len(original.trials), pairs + 1), np.int64)
    if scheme == "original":
        scores = scores_of(original, scheme, 0, seed)
        kernels.add_concordance(
            scores, original.first, original.tol, ranks, np.arange(ranks.size), np.empty(ranks.size, np.int64), totals
        )
        return Curve(list(original.trials), [_mean_tau(row, untied, 1) for row in totals])
    p, rows, key = original.resampled(scheme, seed)

    done = np.zeros(replicates, bool)  # the replicates that are in totals
    lock = Lock()

    def work(start: int, stop: int) -> Array:
        part = np.zeros_like(totals)
        kernels.tau_block(p.R, p.table, p.first, p.tol, ranks, key, rows, start, stop, part)
        with lock:
            np.add(totals, part, out=totals)
            done[start:stop] = True
        return done[start:stop]

    _run_blocks(p, replicates, work, progress)
    return Curve(list(original.trials), [_mean_tau(row, untied, int(done.sum())) for row in totals])


def _mean_tau(totals: Array, gold_untied: int, replicates: int) -> float:
    """The mean tau-b: (1/B) sum over u of totals[u] / sqrt(u gold_untied), u the untied pairs of a ranking."""
    x = ZERO
    for u in np.flatnonzero(totals).tolist():
        x = add(x, div(ext(float(totals[u])), root(ext(float(u * gold_untied)))))
    return value(div(x, ext(float(replicates)))) + 0.0
