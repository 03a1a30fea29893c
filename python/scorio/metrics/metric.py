"""The metrics by their names: what each takes, and what j successes of k are worth."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ZERO, Table, Triple, ratio
from ..errors import InvalidInput
from ..outcomes.states import Array
from . import hypergeometric
from .weights import threshold

ALIASES = {
    "mean": "avg", "pass_at_k": "pass@k", "pass_hat_k": "pass^k", "g_pass_at_k_tau": "g-pass@k", "maj_at_k": "maj@k",
    "mg_pass_at_k": "mg-pass@k", "auc_at_k": "auc@k", "max_at_k": "max@k",
}  # fmt: skip
TAKES = {
    "mean": ("w",), "pass_at_k": ("k",), "pass_hat_k": ("k",), "g_pass_at_k_tau": ("k", "tau"), "maj_at_k": ("k",),
    "mg_pass_at_k": ("k",), "auc_at_k": ("k",), "max_at_k": ("k", "w"), "bayes": ("w",), "naive_pass_hat_k": ("k",),
}  # fmt: skip
INTERVALS = tuple(ALIASES)  # those with an interval


class Metric(NamedTuple):
    """A metric with its checked parameters; k is 1 for the mean, r the threshold of "at least r of k"."""

    name: str
    k: int
    r: int
    w: list[float]

    @property
    def C(self) -> int:
        """The highest category that it knows."""
        return len(self.w) - 1


@cache
def names(allowed: tuple[str, ...]) -> dict[str, str]:
    """The names that these metrics go by, and which they name."""
    return {alias: name for name in allowed for alias in (name, ALIASES.get(name, name))}


def read_metric(metric: Any, k: Any, tau: Any, w: Any, allowed: tuple[str, ...] = INTERVALS) -> Metric:
    """Everything that says what is measured, checked. allowed: the metrics, which may be given by their other names."""
    known = names(allowed)
    name = known[arguments.choice(metric, "metric", tuple(known))]
    takes = TAKES[name]
    for parameter, x in (("k", k), ("tau", tau), ("w", w)):
        if x is not None and parameter not in takes:
            raise InvalidInput("conflict", parameter, f"{name} takes no {parameter}")
    k = arguments.draws(_given(k, "k", name)) if "k" in takes else 1
    r = {"pass_hat_k": k, "maj_at_k": k // 2 + 1}.get(name, 1)
    if "tau" in takes:
        r = threshold(k, arguments.within(_given(tau, "tau", name), "tau", 0.0, 1.0))
    return Metric(name, k, r, arguments.weights(w))


def _given(x: Any, parameter: str, name: str) -> Any:
    if x is None:
        raise InvalidInput("type", parameter, f"{name} needs {parameter}")
    return x


# --- binary outcomes: the credit of j successes of k ------------------------------------------------


def spectrum(m: Metric) -> Table:
    """The weights w_r of g = sum_r w_r P(at least r of k succeed), (k+1, 3) triples, row 0 unused."""
    w = np.zeros((m.k + 1, 3))
    match m.name:
        case "mg_pass_at_k":
            hypergeometric.upper_half_weights(m.k, w)
        case "auc_at_k":
            hypergeometric.auc_weights(m.k, w)
        case _:
            hypergeometric.threshold_weights(m.k, m.r, w)
    return w


def credits(m: Metric) -> tuple[Table, Table]:
    """A_j and 1 - A_j, j = 0..k."""
    w = spectrum(m)
    A, lost = np.zeros_like(w), np.zeros_like(w)
    hypergeometric.credits(w, A)
    rest: Triple = ratio(1.0, float(m.k)) if m.name == "mg_pass_at_k" and m.k % 2 else ZERO
    hypergeometric.lost_credits(w, rest, lost)
    return A, lost


def exact_credits(m: Metric) -> list[Fraction]:
    """A_j, j = 0..k, as fractions."""
    k = m.k
    match m.name:
        case "mg_pass_at_k":
            return [Fraction(2 * max(0, j - (k + 1) // 2), k) for j in range(k + 1)]
        case "auc_at_k":
            up = [Fraction(2 * k * (k + 1) - r * (r + 1), 2 * k * r * (r + 1) * (k - 1)) for r in range(2, k + 1)]
            return [Fraction(0), *accumulate([Fraction(k + 1, 2 * k), *up])]
        case _:
            return [Fraction(int(j >= m.r)) for j in range(k + 1)]


def steepest(m: Metric, n: int) -> int:
    """The c at which one more success of n adds most credit."""
    if m.name in ("mg_pass_at_k", "auc_at_k"):
        return n - 1 if m.name == "mg_pass_at_k" else 0
    return min(n - 1, (m.r - 1) * n // (m.k - 1)) if m.k > 1 else 0


def values(m: Metric, n: Array, c: Array) -> Table:
    """The metric of each state."""
    out = np.empty((n.size, 3))
    if m.name in ("pass_at_k", "pass_hat_k", "naive_pass_hat_k"):
        getattr(hypergeometric, m.name)(n, c, m.k, out)
    else:
        hypergeometric.credit_at_k(n, c, m.k, credits(m)[0], out)
    return out


def lost_values(m: Metric, n: Array, c: Array) -> Table:
    """1 less the metric of each state."""
    if m.name in ("pass_at_k", "pass_hat_k"):
        return values(m._replace(name="pass_hat_k" if m.name == "pass_at_k" else "pass_at_k"), n, n - c)
    out = np.empty((n.size, 3))
    hypergeometric.credit_at_k(n, c, m.k, credits(m)[1], out)
    return out


def exact_value(m: Metric, n: int, c: int, A: Sequence[Fraction]) -> Fraction:
    """The metric of a state, exactly; A: exact_credits."""
    k = m.k
    if m.name == "pass_at_k":
        return 1 - Fraction(comb(n - c, k), comb(n, k))
    if m.name == "pass_hat_k":
        return Fraction(comb(c, k), comb(n, k))
    return sum((A[j] * comb(c, j) * comb(n - c, k - j) for j in range(1, k + 1)), Fraction(0)) / comb(n, k)
