"""Significance of many pairs: decided in doubles, or exactly where rounding errors could change the decision.

Every decision is that of the exact p-values. 2,000 models have two million pairs, of which a handful have a p-value too
near to its level for doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arithmetic.distributions import error_rate, t_tails_in_doubles
from ..arithmetic.double_double import ZERO, Table, value
from ..display import progress
from .clusters import Units
from .degrees_of_freedom import MOST
from .difference import Difference, is_significant
from .estimator import Estimator
from .multiplicity import holm
from .pairs import MANY, AllPairs
from .variance import ROWS, STABILISER, THETA, TRIALS

Doubles: TypeAlias = npt.NDArray[np.float64]
Signs: TypeAlias = npt.NDArray[np.int8]  # by pair: 1, the first model is significantly above; -1, below; 0, neither
MOST_VALUES = 1 << 24  # values of questions in memory: 128 MB, and as much for each of two powers
PAIRS_AT_ONCE = 1 << 17  # pairs in a block
EPS = 2.0**-52
TAIL_ERROR = 1e-7  # bound on the relative error of a tail of the t distribution in doubles


class Sampling(NamedTuple):
    """The values of questions, or means of clusters, minus the mean of the model, and how they enter a variance."""

    powers: tuple[Doubles, Doubles, Doubles]  # these values, their squares and cubes: (L models, G units) each
    weight: Doubles  # the weight of a squared value in the variance, (G,)
    constant: float  # the stabiliser, added to the variance
    freedom: float  # the largest possible degrees of freedom

    @property
    def error(self) -> float:
        """Bound on the relative errors of a variance and its degrees of freedom, for values of at most 1."""
        a, G = self.weight / self.constant, self.weight.size
        return float(EPS * (G + 32) * (8.0 * a.sum() + 32.0 * (a * a).sum()))

    def pairs(self, i: slice, j: slice) -> tuple[Doubles, Doubles]:
        """Variances of the differences of models i and models j (slices), and their degrees of freedom: two matrices.

        The sums of (x - y)^2 and (x - y)^4 over questions are computed from sums of products of powers.
        """
        x, x2, x3 = self.powers
        a, b, G = self.weight, self.weight * self.weight, self.weight.size
        second, fourth = x2 @ a, (x2 * x2) @ b
        Z = second[i, None] + second[j] - 2.0 * ((x[i] * a) @ x[j].T)
        odd = (x3[i] * b) @ x[j].T + (x[i] * b) @ x3[j].T
        squares = fourth[i, None] + fourth[j] - 4.0 * odd + 6.0 * ((x2[i] * b) @ x2[j].T)
        correction, V = Z * Z * ((G - 3.0) / (G * (G - 1.0))), Z + self.constant
        return V, np.minimum(2.0 * V * V / (squares - correction + self.constant**2), self.freedom)


class Screen(NamedTuple):
    """The models of a benchmark in doubles: the values from which their pairs are tested, an entry for each model."""

    high: Doubles  # the metric is high + low
    low: Doubles
    M: int
    trials: Doubles  # sums of the variances of the trials
    stabiliser: Doubles
    trials_error: Doubles  # variances of these sums; 0 where they are not needed
    single: npt.NDArray[np.bool_]  # no question identifies a variance of trials (if sampled: some question does not)
    sampled: bool
    sampling: Sampling | None  # where the questions were sampled, or a model is single

    @property
    def error(self) -> float:
        """Bound on the relative errors of variances and degrees of freedom."""
        return 64.0 * EPS + (self.sampling.error if self.sampling else 0.0)

    def select(self, models: Any) -> Screen:
        """The screen of some of the models, in this order."""
        sampling = self.sampling and self.sampling._replace(powers=tuple(x[models] for x in self.sampling.powers))
        vectors = ("high", "low", "trials", "stabiliser", "trials_error", "single")
        named = {name: getattr(self, name)[models] for name in vectors}
        return self._replace(**named, sampling=sampling)

    def pairs(self, i: slice, j: slice) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Matrices for models i and j: differences, variances, degrees of freedom, and constants in the variances."""
        D = (self.high[i, None] - self.high[j]) + (self.low[i, None] - self.low[j])
        s = np.maximum(self.stabiliser[i, None], self.stabiliser[j])
        both = self.trials[i, None] + self.trials[j] + s
        square = float(self.M) ** 2
        V, error, constant = both / square, self.trials_error[i, None] + self.trials_error[j] + s * s, s / square
        freedom = np.minimum(2.0 * both * both / error, MOST[0])
        if self.sampling is None:
            return D, V, freedom, constant
        (W, freedom_of_W), single = self.sampling.pairs(i, j), self.single[i, None] | self.single[j]
        constant_of_W = np.full_like(V, self.sampling.constant)
        if self.sampled:
            return D, np.where(single, W, np.maximum(W, V)), freedom_of_W, constant_of_W
        freedom, constant = np.where(single, freedom_of_W, freedom), np.where(single, constant_of_W, constant)
        return D, np.where(single, W, V), freedom, constant


def screen(pairs: AllPairs) -> Screen | None:
    """The models in doubles, NaN for those without a trial of some question; None if all tests are to be exact."""
    estimators = {i: x for i, x in enumerate(pairs.estimators) if x is not None}
    if not estimators:
        return None
    L, units, sampled = (
        len(pairs.estimators),
        pairs.units or Units(next(iter(estimators.values())).parts.M),
        pairs.request.sampled,
    )
    parts = {i: x.parts for i, x in estimators.items()}
    single = np.array([i in parts and (parts[i].some_single if sampled else parts[i].single) for i in range(L)])
    needs_sampling = sampled or bool(single.any())
    if needs_sampling and (units.G < 2 or units.G * L > MOST_VALUES):
        return None
    x, errors = np.full((L, ROWS, 3), np.nan), np.full((L, 3), np.nan)
    for i, estimator in estimators.items():
        x[i] = estimator.parts.x
        errors[i] = ZERO if sampled or single[i] else estimator.trials_error()
    (high, low), (trials, _), (stabiliser, _) = (_doubles(x[:, row]) for row in (THETA, TRIALS, STABILISER))
    sampling = _sampling(estimators, units, high) if needs_sampling else None
    return Screen(high, low, units.M, trials, stabiliser, _doubles(errors)[0], single, sampled, sampling)


def _sampling(estimators: Mapping[int, Estimator], units: Units, means: Doubles) -> Sampling:
    x = np.full((len(means), units.G), np.nan)
    for i, estimator in estimators.items():
        u, which = estimator.values()
        x[i] = (_doubles(u)[0][which] if units.labels is None else _doubles(units.means(which, u))[0]) - means[i]
    m, M = np.broadcast_to(units.sizes, units.G).astype(float), float(units.M)
    weight = m * m / ((M - m) ** 2 + (units.squared - m * m))
    freedom = units.G - 1.0 if units.labels is None else value(units.freedom)
    return Sampling((x, x * x, x * x * x), weight, value(units.difference_stabiliser()), min(freedom, MOST[0]))


def _doubles(table: Table) -> tuple[Doubles, Doubles]:
    """The high and the low part of triples, as doubles."""
    unit = np.exp2(256.0 * table[:, 2])
    return table[:, 0] * unit, table[:, 1] * unit


class PValues(NamedTuple):
    """Differences of pairs in the order (0, 1), (0, 2), ..., (1, 2), ... and bounds of their p-values."""

    D: Doubles
    low: Doubles
    high: Doubles


def p_values(parts: Sequence[Screen | None], weights: Sequence[float], L: int) -> PValues:
    """Bounds of the p-values of weighted mean differences over benchmarks; 0 and infinity if one has no screen."""
    total = L * (L - 1) // 2
    out = PValues(np.zeros(total), np.zeros(total), np.full(total, np.inf))
    known = [x for x in parts if x is not None]
    if len(known) < len(parts):
        return out
    step, at, error = max(1, PAIRS_AT_ONCE // max(L, 1)), 0, max(x.error for x in known)
    squares = [w * w for w in weights]
    with np.errstate(all="ignore"), progress.bar("pairs", total, None if total >= MANY else False) as advance:
        for start in range(0, L - 1, step):
            i, j = slice(start, min(start + step, L - 1)), slice(start, L)
            later = np.arange(start, L) > np.arange(i.start, i.stop)[:, None]
            terms = ([y[later] for y in x.pairs(i, j)] for x in known)
            D, V, freedom, constants = map(np.stack, zip(*terms, strict=True))
            bounds = _bounds(D * np.c_[weights], V * np.c_[squares], freedom, constants * np.c_[squares], error)
            for array, y in zip(out, bounds, strict=True):
                array[at : at + y.size] = y
            at += D.shape[1]
            advance(D.shape[1])
    return out


def _bounds(
    D: Doubles, V: Doubles, freedom: Doubles, constants: Doubles, error: float
) -> tuple[Doubles, Doubles, Doubles]:
    """Total differences and bounds of their p-values, from weighted parts; error: bound on those of V and freedom.

    The log of a tail p / 2 of the t distribution moves by at most 1 + t for each unit of t, and by at most twice
    1 - log(p / 2) times a relative change of t or of the degrees of freedom.
    """
    total, size, sigma = D.sum(axis=0), abs(D).sum(axis=0), np.sqrt(V.sum(axis=0))
    products = (constants * (constants.cumsum(axis=0) - constants)).sum(axis=0)  # of all pairs of benchmarks
    freedom = np.minimum(sigma**4 / ((V * V / freedom).sum(axis=0) + products), MOST[0])
    t, p = abs(total) / sigma, np.empty(size.size)
    t_tails_in_doubles(t, freedom, p)
    p[size == 0.0] = 1.0
    slope = 2.0 * (2.0 - np.log(np.maximum(p, 1e-300)))
    error_of_p = TAIL_ERROR + 2.0 * error * slope + 16.0 * EPS * size / sigma * np.minimum(1.0 + t, slope / t)
    error_of_p[size == 0.0] = TAIL_ERROR
    low, high, known = p * (1.0 - error_of_p), p * (1.0 + error_of_p) + 1e-300, error_of_p < 0.1
    return total, np.where(known, low, 0.0), np.where(known, high, np.inf)


def significant(p: PValues, exact: Callable[[int], Difference], confidence: float, by_holm: bool) -> Signs:
    """Signs of the significant differences, 0 for the other pairs; exact: a function that computes a difference."""
    level, D = value(error_rate(confidence, 1)), p.D.copy()
    out, possible = (_rejected(x, level, by_holm) for x in (p.high, p.low))
    unclear = np.flatnonzero(possible & ~out)
    differences = []
    with progress.bar("pairs", len(unclear), None if len(unclear) >= MANY else False) as advance:
        for i in unclear.tolist():
            differences.append(exact(i))
            advance(1)
    x = [d.p_value() for d in differences]
    if by_holm:  # the certain rejections have the smallest p-values: Holm's method goes on with the other tests
        x = holm(x, len(D) - int(out.sum()))
    out[unclear], D[unclear] = [is_significant(y, confidence) for y in x], [d.D[0] for d in differences]
    return np.where(out, np.where(D > 0.0, 1, -1), 0).astype(np.int8)


def _rejected(p: Doubles, level: float, by_holm: bool) -> npt.NDArray[np.bool_]:
    """Whether each p-value is rejected at this level, by Holm's method or by itself."""
    if not by_holm:
        return p <= level
    order, out = np.argsort(p, kind="stable"), np.zeros(len(p), np.bool_)
    failed = np.append(p[order] * np.arange(len(p), 0, -1) > level, True)
    out[order[: int(failed.argmax())]] = True
    return out


def ranks(L: int, signs: Signs, lower_wins: bool) -> list[tuple[int, int]]:
    """The ranks each model may have: from 1 + the number significantly better to L - the number significantly worse."""
    i, j = np.triu_indices(L, 1)
    i_better, j_better = (-1, 1) if lower_wins else (1, -1)
    better = np.bincount(np.append(j[signs == i_better], i[signs == j_better]), minlength=L)
    worse = np.bincount(np.append(i[signs == i_better], j[signs == j_better]), minlength=L)
    return list(zip((1 + better).tolist(), (L - worse).tolist(), strict=True))
