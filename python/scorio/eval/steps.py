"""The steps that the metrics share: R to counts, counts to a mean over states."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import bank, checks, numerics, posterior
from ..checks import Bounds
from ..counts import Counts
from ..errors import InvalidInput
from ..exact import Triple
from ..quantiles import normal_z
from ..results import Interval
from ..tally import count

Outcomes = Any  # what tally() reads, or Counts
Policy = str | int
Table = npt.NDArray[np.float64]

UNIT: Bounds = (0.0, 1.0)


def binary(R: Outcomes, missing: Policy) -> Counts:
    return checks.no_empty(count(R, 1, missing))


def finite(R: Outcomes, k: Any, missing: Policy) -> tuple[Counts, int]:
    """Counts and a k that every question has the trials for."""
    k = checks.draws(k)
    counts = binary(R, missing)
    checks.trials_at_least(counts, k)
    return counts, k


def rubric(R: Outcomes, w: Any, R0: Outcomes, missing: Policy) -> tuple[Counts, list[float]]:
    """Counts of the categories that w weighs, the outcomes of R0 among them."""
    given, w = w is not None, checks.weights(w)
    counts = checks.no_empty(count(R, len(w) - 1, missing, w_given=given))
    if R0 is not None:
        prior = count(R0, len(w) - 1, missing, name="R0", w_given=given)
        if prior.M != counts.M:
            raise InvalidInput("shape", "R0", f"R0 has {prior.M} rows, R has {counts.M}")
        counts = counts + prior
    return counts, w


def bank_mean(counts: Counts, kernel: Any, *args: Any) -> Triple:
    """Mean over questions of a finite-bank table."""
    s = counts.states()
    out = np.empty((s.n.size, 3))
    kernel(s.n, s.c, *args, out)
    x: Triple = numerics.mean(out, s.mult, counts.M)
    return x


def spectrum(k: int, build: Any, *args: Any) -> Table:
    w = np.zeros((k + 1, 3))
    build(k, *args, w)
    return w


def credit_mean(counts: Counts, k: int, w: Table) -> Triple:
    """Mean over questions of the spectrum w on the bank."""
    A = np.zeros_like(w)
    bank.credits(w, A)
    return bank_mean(counts, bank.credit_at_k, k, A)


def tables(counts: Counts, kernel: Any, tables: int, *args: Any) -> list[Table]:
    s = counts.states()
    out = [np.empty((s.n.size, 3)) for _ in range(tables)]
    kernel(s.n, s.c, *args, *out)
    return out


def interval(mu: Triple, var: Triple, confidence: float, bounds: Bounds) -> Interval:
    return Interval(*numerics.interval(mu, var, normal_z(confidence), *bounds))


def summary(counts: Counts, mu: Table, var: Table, confidence: float, bounds: Bounds) -> Interval:
    z = normal_z(confidence)
    return Interval(*numerics.summary(mu, var, counts.states().mult, counts.M, z, *bounds))


def spectrum_ci(
    counts: Counts, k: int, w: Table, upper_half: bool, priors: Bounds, confidence: float, bounds: Bounds
) -> Interval:
    mu, var, _ = tables(counts, posterior.spectrum_at_k, 3, k, w, upper_half, *priors)
    return summary(counts, mu, var, confidence, bounds)


def tail_of(confidence: Any, bounds: Any, alpha0: Any, beta0: Any) -> tuple[float, Bounds, Bounds]:
    """The checked tail of every Beta interval: confidence, bounds, priors."""
    return checks.confidence(confidence), checks.bounds(bounds), checks.priors(alpha0, beta0)
