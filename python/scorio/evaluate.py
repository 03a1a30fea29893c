"""Many metrics of R from one tally."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import arguments, eval
from .arguments import Policy, Reals
from .display import html
from .errors import InvalidInput
from .metrics.metric import FACTS, allowed, unasked
from .outcomes.answers import Answers, Detailed
from .outcomes.counts import Counts
from .outcomes.tally import Outcomes, count
from .results import MetricInterval

DATA = ("R", "answers", "scored")  # what the first parameter of a metric is called
METRICS = {
    name: f
    for name, f in vars(eval).items()
    if not name.startswith("_") and inspect.isfunction(f) and next(iter(inspect.signature(f).parameters), "") in DATA
}
OWN_NAME = ("interval", "extrapolate", "extrapolate_model")  # take the name of a metric themselves
NAMED = tuple(name for name in METRICS if name not in OWN_NAME)


class Row(NamedTuple):
    """One metric: what was asked, what it returned, and what to know of its interval.

    Attributes
    ----------
    metric : str
        Name of the function, or of the metric of :func:`scorio.eval.interval`.
    k : int or None
        Trials drawn.
    parameters : str
        What else was stated.
    mu : float
        The value.
    sigma, lo, hi : float or None
        Standard deviation and ends of the interval, where the metric has them.
    variance_source : str or None
        How the variance of an interval was obtained: "measured", "modelled", "probit", "upper bound".
    dropped : int or None
        Questions that an interval left out because they have no trial.
    """

    metric: str
    k: int | None
    parameters: str
    mu: float
    sigma: float | None
    lo: float | None
    hi: float | None
    variance_source: str | None
    dropped: int | None


class Table(Sequence[Row]):
    """Rows of results. Prints aligned; indexes and iterates like a list; converts to dict, pandas, polars."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, i: Any) -> Any:
        return Table(self._rows[i]) if isinstance(i, slice) else self._rows[i]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name."""
        return {name: [row[i] for row in self._rows] for i, name in enumerate(Row._fields)}

    def to_pandas(self) -> Any:
        """As a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self._rows, columns=list(Row._fields))

    def to_polars(self) -> Any:
        """As a polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self.to_dict())

    def __repr__(self) -> str:
        columns = {name: [_text(x) for x in values] for name, values in self.to_dict().items()}
        columns = {name: cells for name, cells in columns.items() if any(cells) or name in ("metric", "mu")}
        if not any(self.to_dict()["dropped"]):
            columns.pop("dropped", None)
        aligned = [_aligned([name, *cells], name in RIGHT) for name, cells in columns.items()]
        return "\n".join("  ".join(line).rstrip() for line in zip(*aligned, strict=True))

    def _repr_html_(self) -> str:
        return html.table(Row._fields, self._rows, named=0)


RIGHT = ("k", "mu", "sigma", "lo", "hi", "dropped")  # columns of numbers


def _aligned(cells: list[str], right: bool) -> list[str]:
    """The cells of a column in one width."""
    n = max(map(len, cells))
    return [c.rjust(n) if right else c.ljust(n) for c in cells]


def _text(x: str | float | None) -> str:
    if x is None or isinstance(x, (str, int)):
        return "" if x is None else str(x)
    return f"{x:.6f}" if x == 0.0 or 1e-4 <= abs(x) < 1e6 else f"{x:.6g}"


def evaluate(
    R: Outcomes,
    metrics: Iterable[str] | None = None,
    *,
    k: int | Iterable[int] | None = None,
    w: Reals | None = None,
    R0: Outcomes | None = None,
    missing: Policy = "raise",
    missing_code: int | None = None,
    **options: Any,
) -> Table:
    """Any set of metrics from one tally of R.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes, as for every function of :mod:`scorio.eval`.
    metrics : iterable of str, optional
        Names of functions of :mod:`scorio.eval` (but for interval and the extrapolations). Default, where ``questions``
        is stated: the intervals of :func:`scorio.eval.interval`, for the mean and, with k, for pass_at_k,
        pass_hat_k, maj_at_k, mg_pass_at_k and auc_at_k, with tau g_pass_at_k_tau too; with w, or outcomes that are
        not binary, for the mean and max_at_k; of :class:`scorio.Answers` for the mean, maj_at_k, plurality_at_k and
        strict_plurality_at_k, of :class:`scorio.ScoredTrials` for the mean, max_at_k and best_of_k. Where it is not:
        the values of the same metrics of counts, avg for the mean.
    k : int or iterable of int, optional
        One row of each metric that takes k for each.
    w, R0, missing
        As in :func:`scorio.eval.bayes`.
    missing_code : int, optional
        As in :func:`scorio.tally`.
    **options
        Any other argument of the metrics (questions, confidence, tau, weights, ...), given to those that take it.

    Returns
    -------
    Table
        Rows (metric, k, parameters, mu, sigma, lo, hi, variance_source, dropped); the last five are None where a
        metric has none. Columns that are empty in every row are not printed.

    Raises
    ------
    InvalidInput
        What the metrics raise; choice: a name that is no metric; conflict: an option that no metric takes.

    Examples
    --------
    >>> import scorio
    >>> print(scorio.evaluate([[0, 1, 1, 0], [1, 1, 0, 1]], k=2, questions="fixed"))
    metric        k  parameters             mu     sigma        lo        hi  variance_source
    mean             questions=fixed  0.625000  0.171163  0.305742  0.863156  measured
    pass_at_k     2  questions=fixed  0.916667  0.138193  0.431320  0.993771  measured
    pass_hat_k    2  questions=fixed  0.333333  0.235702  0.075083  0.754880  measured
    maj_at_k      2  questions=fixed  0.333333  0.235702  0.075083  0.754880  measured
    mg_pass_at_k  2  questions=fixed  0.333333  0.235702  0.075083  0.754880  measured
    auc_at_k      2  questions=fixed  0.770833  0.210148  0.315443  0.960866  measured
    >>> print(scorio.evaluate([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ["avg", "pass_at_k"], k=[1, 2]))
    metric     k        mu     sigma
    avg           0.700000  0.165831
    pass_at_k  1  0.700000
    pass_at_k  2  0.950000
    """
    given_w = {} if w is None else {"w": w}
    counts = count(R, len(arguments.weights(w)) - 1, missing, w_given=w is not None, missing_code=missing_code)
    detailed = R if isinstance(R, Detailed) else None
    options = given_w | ({} if R0 is None else {"R0": R0}) | options
    many = (isinstance(k, Iterable) and not isinstance(k, (str, bytes, np.ndarray))) or np.ndim(k or 0) == 1
    ks = arguments.sequence(k, "k") if many else [k]
    policy = {} if missing == "raise" else {"missing": missing}
    if metrics is None and "questions" in options:
        return Table(_intervals(counts, ks, options, policy, detailed))
    metrics = ["avg", *_with_k(counts.C, ks, options)] if metrics is None else metrics
    names = [metrics] if isinstance(metrics, str) else arguments.sequence(metrics, "metrics")
    for name in names:
        arguments.choice(name, "metrics", NAMED)
    takes = {name: inspect.signature(METRICS[name]).parameters for name in names}
    _all_taken([*options, *(["k"] if k is not None else [])], takes)
    rows = []
    for name in names:
        given = {o: x for o, x in options.items() if o in takes[name]}
        for p in takes[name].values():  # a required option that is absent is refused by the metric itself
            if p.name not in (*DATA, "k") and p.default is inspect.Parameter.empty:
                given.setdefault(p.name, None)
        for one in ks if "k" in takes[name] else [None]:
            drawn = {"k": one} if "k" in takes[name] else {}
            data = counts if detailed is None or "R" in takes[name] else detailed
            result = METRICS[name](data, **drawn, **given, **({"missing": missing} if "R0" in given else {}))
            rows.append(_row(name, one, given | policy, result))
    return Table(rows)


def _with_k(C: int, ks: list[Any], options: dict[str, Any]) -> Sequence[str]:
    """The metrics of k trials that fit the outcomes."""
    return () if ks == [None] else unasked(C == 1 and "w" not in options, "tau" in options)


def _all_taken(given: Iterable[str], takes: Mapping[str, Iterable[str]]) -> None:
    for option in given:
        if not any(option in p for p in takes.values()):
            hint = ": leave metrics out for intervals" if option == "questions" else ""
            raise InvalidInput("conflict", option, f"{option} is given, but none of {[*takes]} takes it{hint}")


def _intervals(
    counts: Counts, ks: list[Any], options: dict[str, Any], policy: dict[str, Any], detailed: Detailed | None
) -> list[Row]:
    """The intervals of the metrics that fit the outcomes: of answers and scores, those that choose one of them."""
    place = "vote" if isinstance(detailed, Answers) else "score" if detailed is not None else ""
    beside = ["maj_at_k"] if place == "vote" else ["max_at_k"]
    names = ["mean", *([*beside, *allowed(place)] if place and ks != [None] else _with_k(counts.C, ks, options))]
    common = set(inspect.signature(eval.interval).parameters) - {"R", "metric", "k", "tau", "w", "missing"}
    takes = {name: common | set(FACTS[name].takes) for name in names}
    _all_taken(options, takes)
    rows = []
    for name in names:
        given = {o: x for o, x in options.items() if o in takes[name]}
        for one in ks if "k" in takes[name] else [None]:
            rows.append(
                _row(
                    name,
                    one,
                    given | policy,
                    eval.interval(counts if detailed is None else detailed, name, k=one, **given),
                )
            )
    return rows


def _row(name: str, k: Any, parameters: dict[str, Any], result: Any) -> Row:
    stated = ", ".join(f"{a}={_short(x)}" for a, x in parameters.items() if x is not None)
    values: list[Any] = [result] if isinstance(result, float) else list(result)
    mu, sigma, lo, hi = values + [None] * (4 - len(values))
    if not isinstance(result, MetricInterval):
        return Row(name, k, stated, mu, sigma, lo, hi, None, None)
    return Row(name, k, stated, mu, sigma, lo, hi, result.variance_source, len(result.dropped))


def _short(x: Any) -> str:
    """An argument in a few characters."""
    if isinstance(x, Counts):
        return str(x)
    if np.ndim(x) == 2:
        return "x".join(map(str, np.shape(x)))
    text = x if isinstance(x, str) else repr(np.asarray(x).tolist())
    return text if len(text) <= 30 else text[:27] + "..."
