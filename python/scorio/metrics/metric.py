"""The table of metrics by name, and the credit that each gives j successes among k."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import Table, ratio
from ..errors import InvalidInput, shown
from ..outcomes.states import Array
from . import hypergeometric, weights


class Entry(NamedTuple):
    """A row of the table of metrics: the names, parameters, weights and uses of a metric."""

    name: str
    alias: str  # the name in the notation of papers
    title: str  # the name in reports and plots, with {k} and {tau} to be filled in
    takes: tuple[str, ...]  # those of k, tau and w that it takes
    weights: int | None  # the kind of weights of "at least r of k" (Max@k: at each level); None if not such a sum
    threshold: Callable[[int], int]  # r as a function of k, for a metric P(at least r of k succeed) without tau
    # where the metric can be used: "interval": intervals from counts; "vote", "score": intervals from Answers, from
    # ScoredTrials; "default": shown by scorio.evaluate without names; "order": computed after each trial; "beyond":
    # extrapolated to more trials; "gate": in gates, which refuse lower values; "lower": lower is better
    where: frozenset[str]


def _entry(
    name: str, alias: str, title: str, takes: str, kind: int | None, where: str, r: Callable[[int], int] = lambda k: 1
) -> Entry:
    return Entry(name, alias, title, tuple(takes.split()), kind, r, frozenset(where.split()))


_AT_LEAST, _COMMON_USES = weights.THRESHOLD, "interval gate default order"
TABLE = (  # name, alias, title, parameters, kind of weights, uses, threshold r of k
    _entry("mean", "avg", "average score", "w", None, "interval gate order"),
    _entry("pass_at_k", "pass@k", "Pass@{k}", "k", _AT_LEAST, _COMMON_USES + " beyond"),
    _entry("pass_hat_k", "pass^k", "Pass^{k}", "k", _AT_LEAST, _COMMON_USES + " beyond", lambda k: k),
    _entry("maj_at_k", "maj@k", "Maj@{k}", "k", _AT_LEAST, _COMMON_USES, weights.majority),
    _entry("mg_pass_at_k", "mg-pass@k", "mG-Pass@{k}", "k", weights.UPPER_HALF, _COMMON_USES),
    _entry("auc_at_k", "auc@k", "AUC@{k}", "k", weights.TRAPEZOIDS, _COMMON_USES),
    _entry("g_pass_at_k_tau", "g-pass@k", "G-Pass@{k}, τ = {tau:g}", "k tau", _AT_LEAST, _COMMON_USES),
    _entry("max_at_k", "max@k", "Max@{k}", "k w", _AT_LEAST, "interval gate default"),
    _entry("flip_rate", "flip-rate", "Flip rate", "", weights.FLIPS, "interval lower"),
    _entry("plurality_at_k", "plurality@k", "Plurality@{k}", "k", None, "vote"),
    _entry("strict_plurality_at_k", "strict-plurality@k", "Strict plurality@{k}", "k", None, "vote"),
    _entry("best_of_k", "best-of-k", "Best-of-{k}", "k", None, "score"),
    _entry("bayes", "bayes", "Bayes@N", "w", None, "order"),
    _entry("naive_pass_hat_k", "naive_pass_hat_k", "1 - (1 - c/n)^{k}", "k", None, "order"),
)
NUMBERED = re.compile(r"(.*[^0-9])([0-9]{1,9})")
ENTRIES = {entry.name: entry for entry in TABLE}


def metric_and_k(metric: Any, k: Any) -> tuple[Any, Any]:
    """A metric and its k, which the name may contain: "pass@4" is "pass@k" with k = 4.

    Examples
    --------
    >>> from scorio.metrics.metric import metric_and_k
    >>> metric_and_k("pass@4", None), metric_and_k("mean", None)
    (('pass@k', 4), ('mean', None))
    """
    parts = NUMBERED.fullmatch(metric) if isinstance(metric, str) else None
    name = f"{parts[1].lower()}k" if parts else ""
    if parts is None or all(name not in (entry.name, entry.alias) for entry in TABLE):
        return metric, k
    if k is not None and arguments.number_of_trials(k) != int(parts[2]):
        raise InvalidInput("conflict", "k", f"metric = {shown(metric)} includes k: leave out k = {shown(k)}")
    return name, int(parts[2])


def metrics_for(*where: str) -> tuple[str, ...]:
    """The metrics that have any of these uses (Entry.where), in the order of the table."""
    return tuple(entry.name for entry in TABLE if entry.where & {*where})


def default_metrics(binary: bool, tau: bool) -> tuple[str, ...]:
    """The metrics of k trials computed by default; binary: outcomes are 0 and 1 without w; tau: whether it is given."""
    takes = {"k", "tau"} if tau else {"k"}
    return tuple(
        x
        for x in metrics_for("default")
        if set(ENTRIES[x].takes) <= (takes if binary else {"k", "w"}) and binary != ("w" in ENTRIES[x].takes)
    )


def lower_is_better(metric: Any) -> bool:
    """Whether a metric, by its name or alias, is best where it is lowest."""
    return any(metric in (entry.name, entry.alias) for entry in TABLE if "lower" in entry.where)


class Metric(NamedTuple):
    """A metric with its checked parameters; k is 1 for averages, 2 for the flip rate; r as in "at least r of k"."""

    name: str
    k: int
    r: int
    w: list[float]

    @property
    def C(self) -> int:
        """The highest category that has a score."""
        return len(self.w) - 1

    @property
    def weights(self) -> int:
        """The kind of the metric's weights, for :mod:`scorio.metrics.weights`."""
        kind = ENTRIES[self.name].weights
        assert kind is not None, self.name
        return kind

    @property
    def flips(self) -> bool:
        """Whether the metric is the flip rate, whose credits do not rise with the successes."""
        return ENTRIES[self.name].weights == weights.FLIPS


def read_metric(metric: Any, k: Any, tau: Any, w: Any, allowed: Sequence[str] = metrics_for("interval")) -> Metric:
    """Check a metric and its parameters; allowed: names of metrics; each may be given by its alias, or as pass@4."""
    metric, k = metric_and_k(metric, k)
    name_of = _names_and_aliases(tuple(allowed))
    name = name_of[arguments.choice(metric, "metric", tuple(name_of))]
    takes = ENTRIES[name].takes
    for parameter, x in (("k", k), ("tau", tau), ("w", w)):
        if x is not None and parameter not in takes:
            raise InvalidInput("conflict", parameter, f"{name} takes no {parameter}")
    if "k" in takes:
        k = arguments.number_of_trials(_required(k, "k", name))
    else:
        k = 2 if ENTRIES[name].weights == weights.FLIPS else 1
    r = ENTRIES[name].threshold(k)
    if "tau" in takes:
        r = weights.threshold(k, arguments.within(_required(tau, "tau", name), "tau", 0.0, 1.0))
    return Metric(name, k, r, arguments.category_scores(w))


@cache
def _names_and_aliases(allowed: tuple[str, ...]) -> dict[str, str]:
    """The name of each allowed metric, by this name and by its alias."""
    return {x: name for name in allowed for x in (name, ENTRIES[name].alias)}


def _required(x: Any, parameter: str, name: str) -> Any:
    """Return a parameter that the metric `name` cannot do without; refuse None."""
    if x is None:
        raise InvalidInput("type", parameter, f"{ENTRIES[name].alias} needs {parameter}", parameter)
    return x


# --- binary outcomes: the credit of j successes of k ------------------------------------------------


def metric_weights(m: Metric) -> Table:
    """The weights w_r of g = sum_r w_r P(at least r of k succeed), (k+1, 3) triples, row 0 unused."""
    return weights.weight_table(m.weights, m.k, m.r)


def credits(m: Metric) -> tuple[Table, Table]:
    """The credits A_j = w_1 + ... + w_j and 1 - A_j, j = 0..k."""
    w = metric_weights(m)
    A, lost = np.zeros_like(w), np.zeros_like(w)
    hypergeometric.credits(w, A)
    hypergeometric.lost_credits(w, ratio(float(weights.complement_at_k(m.weights, m.k)), float(m.k)), lost)
    return A, lost


def exact_credits(m: Metric) -> list[Fraction]:
    """The credits A_j, j = 0..k, as fractions; none of Pass@k and Pass^k, whose values have a closed form."""
    if m.name in ("pass_at_k", "pass_hat_k"):
        return []
    return [Fraction(0), *accumulate(weights.exact_weights(m.weights, m.k, m.r))]


def steepest(m: Metric, n: int) -> int:
    """The number of successes c in n at which one more success adds most credit."""
    if m.weights == weights.THRESHOLD:
        return min(n - 1, (m.r - 1) * n // (m.k - 1)) if m.k > 1 else 0
    return n - 1 if m.weights == weights.UPPER_HALF else 0


def values(m: Metric, n: Array, c: Array) -> Table:
    """The metric of each state."""
    out = np.empty((n.size, 3))
    if m.name in ("pass_at_k", "pass_hat_k", "naive_pass_hat_k"):
        getattr(hypergeometric, m.name)(n, c, m.k, out)
    else:
        hypergeometric.credit_at_k(n, c, m.k, credits(m)[0], out)
    return out


def lost_values(m: Metric, n: Array, c: Array) -> Table:
    """The complement, 1 minus the metric, of each state."""
    if m.name in ("pass_at_k", "pass_hat_k"):
        return values(m._replace(name="pass_hat_k" if m.name == "pass_at_k" else "pass_at_k"), n, n - c)
    out = np.empty((n.size, 3))
    hypergeometric.credit_at_k(n, c, m.k, credits(m)[1], out)
    return out


def exact_value(m: Metric, n: int, c: int, A: Sequence[Fraction]) -> Fraction:
    """The exact metric of a state; A: the result of exact_credits()."""
    k = m.k
    if m.name == "pass_at_k":
        return 1 - Fraction(comb(n - c, k), comb(n, k))
    if m.name == "pass_hat_k":
        return Fraction(comb(c, k), comb(n, k))
    return sum((A[j] * comb(c, j) * comb(n - c, k - j) for j in range(1, k + 1)), Fraction(0)) / comb(n, k)
