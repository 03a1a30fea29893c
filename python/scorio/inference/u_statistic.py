"""Metrics of blocks of k trials of binary outcomes: what k of them are worth, and how far that strays."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arithmetic.double_double import Table, Triple, get, sub
from ..arithmetic.rational import from_ratio, total
from ..metrics import hypergeometric
from ..metrics.metric import Metric, exact_credits, exact_value, lost_values, steepest, values, weights_of
from ..outcomes.counts import Counts
from ..outcomes.states import Array, States, joint_states
from . import rate_mixture, variance
from .degrees_of_freedom import error_of_sum, fill_errors_of_states
from .estimator import Side
from .variance import THETA, Parts

Mask = npt.NDArray[np.bool_]


def unidentified(n: Array, k: int, by_law: bool) -> Mask:
    """Questions that say nothing of the variance of their trials."""
    return (n == 1) if by_law else (n == 1) | (n == k)


def unknown_of(m: Metric, n: Array, by_law: bool) -> Mask:
    """The same under a metric; of flips the deviations bound it better than one trial left out, and without a model."""
    return n < 2 * m.k if m.flips else unidentified(n, m.k, by_law)


def variances(m: Metric, s: States, unknown: Mask, by_law: bool) -> Table:
    """The variance of each state's trials where it is known: from two disjoint draws, the law, or the jackknife."""
    if m.name == "pass_at_k":  # all k fail
        m, s = m._replace(name="pass_hat_k", r=m.k), States(s.n, s.n - s.c, s.mult)
    if s.n[0] >= 2 * m.k:  # n rises
        return _measured(m, s.n, s.c)
    v = np.zeros((s.n.size, 3))
    twice = s.n >= 2 * m.k
    if twice.any():
        v[twice] = _measured(m, s.n[twice], s.c[twice])
    short = ~twice & ~unknown
    if short.any():
        if by_law:
            v[short] = rate_mixture.variances(m, s, short)
        else:
            v[short] = _jackknife(m, s.n[short], s.c[short])
    return v


def _measured(m: Metric, n: Array, c: Array) -> Table:
    out = np.empty((n.size, 3))
    if m.name == "pass_hat_k":
        hypergeometric.power_variance(n, c, m.k, out)
    elif m.flips:
        hypergeometric.flip_variance(n, c, out)
    else:
        hypergeometric.credit_variance(n, c, m.k, weights_of(m), out)
    return out


def _jackknife(m: Metric, n: Array, c: Array) -> Table:
    out, mixed = np.zeros((n.size, 3)), (c > 0) & (c < n)
    n, c = n[mixed], c[mixed]
    found = np.empty((n.size, 3))
    variance.jackknife(n, c, values(m, n - 1, c), values(m, n - 1, c - 1), found)
    out[mixed] = found
    return out


def parts_of(m: Metric, n: Array, mult: Array, u: Table, rest: Table, v: Table, by_law: bool) -> Parts:
    """The parts of a table of states whose n rise: u, 1 - u, and the variance of the trials."""
    unknown, M, x = unknown_of(m, n, by_law), int(mult.sum()), np.empty((variance.ROWS, 3))
    variance.fill(u, rest, v, unknown, mult, M, x)
    if m.flips:
        variance.fill_least_of_flips(n, mult, u, x)
    fewest = int(n[0])
    step = hypergeometric.step(fewest, steepest(m, fewest), m.k, weights_of(m))
    variance.fill_trials(fewest, step, m.k, x)
    return Parts(M, m.k, x, bool(unknown.all()), bool(unknown.any()), fewest < 2 * m.k, by_law)


def parts_of_states(m: Metric, s: States, by_law: bool) -> tuple[Parts, Table, Table]:
    """The parts of binary outcomes; u and v of each state."""
    u, rest = values(m, s.n, s.c), lost_values(m, s.n, s.c)
    v = variances(m, s, unknown_of(m, s.n, by_law), by_law)
    return parts_of(m, s.n, s.mult, u, rest, v, by_law), u, v


def error_of_states(m: Metric, s: States, p: Parts, u: Table, v: Table) -> Triple:
    """The variance of the sum of v: by how v changes with c where measured; else, and for Max@k, by its square."""
    if m.name == "pass_at_k":  # all k fail
        m, s = m._replace(name="pass_hat_k", r=m.k), States(s.n, s.n - s.c, s.mult)
    v = v.copy()
    variance.fill_unknown(u, unknown_of(m, s.n, p.law), get(p.x, THETA), p.M, v)
    near, e = np.zeros((2, s.n.size, 3)), np.zeros((s.n.size, 3))
    measured = (s.n >= 2 * p.k) & (m.name != "max_at_k")
    inside = measured & (s.c > 0) & (s.c < s.n)
    if inside.any():
        near[0, inside], near[1, inside] = (_measured(m, s.n[inside], s.c[inside] + x) for x in (-1, 1))
    fill_errors_of_states(s.n, s.c, v, near[0], near[1], measured, e)
    x: Triple = error_of_sum(v, e, s.mult, p.M, p.short)
    return x


class Blocks(Side):
    """A table u over states, and which state each question is of."""

    u: Table

    @property
    def which(self) -> Array:
        """The state of each question."""
        raise NotImplementedError

    def exactly_above(self, other: Any) -> Triple:
        """The difference where doubles would cancel."""
        raise NotImplementedError

    def above(self, other: Any) -> Triple:
        """In the arithmetic of numerics, unless it cancels."""
        x, y = get(self.parts.x, THETA), get(other.parts.x, THETA)
        D: Triple = sub(x, y)
        return self.exactly_above(other) if variance.cancelled(D, x, y) else D

    def values(self) -> tuple[Table, Array]:
        """As they stand."""
        return self.u, self.which

    def spread(self, other: Any, D: Triple) -> tuple[Triple, Triple, Triple]:
        """From joint states."""
        s = joint_states(self.which, other.which, max(len(self.u), len(other.u)))
        x: tuple[Triple, Triple, Triple] = variance.spread_of(s.n, s.c, s.mult, self.u, other.u, D)
        return x


class Credit(Blocks):
    """Any metric but the average and Max@k."""

    def __init__(self, m: Metric, counts: Counts, by_law: bool) -> None:
        self.m, self.counts = m, counts
        self.parts, self.u, self._v = parts_of_states(m, counts.states(), by_law and not m.flips)

    @cached_property
    def _trials_error(self) -> Triple:
        return error_of_states(self.m, self.counts.states(), self.parts, self.u, self._v)

    def trials_error(self) -> Triple:
        """From the variances of neighbouring states."""
        return self._trials_error

    @cached_property
    def which(self) -> Array:
        """The state of each question."""
        return self.counts.places()

    def mu(self) -> Triple:
        """Theta itself."""
        x: Triple = get(self.parts.x, THETA)
        return x

    def exact(self) -> Fraction:
        """From the states."""
        A = exact_credits(self.m) if self.m.name not in ("pass_at_k", "pass_hat_k") else []
        states = zip(*(x.tolist() for x in self.counts.states()), strict=True)
        terms = [(mult * exact_value(self.m, n, c, A)).as_integer_ratio() for n, c, mult in states]
        return Fraction(*total(terms)) / self.parts.M

    def exactly_above(self, other: Credit) -> Triple:
        """From the states that the two do not share."""
        A = exact_credits(self.m) if self.m.name not in ("pass_at_k", "pass_hat_k") else []
        more: Counter[tuple[int, int]] = Counter()
        M, N = self.parts.M, other.parts.M
        for side, weight in ((self, N), (other, -M)):
            for n, c, mult in zip(*(x.tolist() for x in side.counts.states()), strict=True):
                more[n, c] += weight * mult
        terms = [(mult * exact_value(self.m, n, c, A)).as_integer_ratio() for (n, c), mult in more.items() if mult]
        num, den = total(terms) if terms else (0, 1)
        return from_ratio(num, den * M * N)
