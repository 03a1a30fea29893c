"""Many metrics of one R from a single reading of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import arguments, eval
from .display import html
from .errors import InvalidInput
from .metrics.metric import TAKES
from .outcomes.counts import Counts
from .outcomes.tally import count
from .results import MetricInterval

METRICS = {
    name: f
    for name, f in vars(eval).items()
    if not name.startswith("_") and inspect.isfunction(f) and next(iter(inspect.signature(f).parameters), "") == "R"
}
NAMED = tuple(name for name in METRICS if name not in ("interval", "extrapolate"))  # those two take a name themselves
WITH_K = ("pass_at_k", "pass_hat_k", "maj_at_k", "mg_pass_at_k", "auc_at_k")


class Row(NamedTuple):
    """One metric: its name, the parameters that were stated, what it returned, and what to know of the interval."""

    metric: str
    parameters: str
    mu: float
    sigma: float | None
    lo: float | None
    hi: float | None
    note: str


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
        lines = [list(Row._fields), *([_text(x) for x in row] for row in self._rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [
            [c.rjust(n) if 2 <= i < 6 else c.ljust(n) for i, (c, n) in enumerate(zip(line, widths, strict=True))]
            for line in lines
        ]
        return "\n".join("  ".join(line).rstrip() for line in aligned)

    def _repr_html_(self) -> str:
        return html.table(Row._fields, self._rows, named=0)


def _text(x: str | float | None) -> str:
    if x is None or isinstance(x, str):
        return x or ""
    return f"{x:.6f}" if x == 0.0 or 1e-4 <= abs(x) < 1e6 else f"{x:.6g}"


def evaluate(
    R: Any,
    metrics: Iterable[str] | None = None,
    *,
    k: int | Iterable[int] | None = None,
    w: Any = None,
    R0: Any = None,
    missing: str | int = "raise",
    missing_code: int | None = None,
    **options: Any,
) -> Table:
    """Any set of metrics from one tally of R.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes, as for every function of :mod:`scorio.eval`.
    metrics : iterable of str, optional
        Names of functions of :mod:`scorio.eval` (but for interval and extrapolate). Default, where ``questions``
        is stated: the intervals of :func:`scorio.eval.interval`, for the mean and, with k, for pass_at_k,
        pass_hat_k, maj_at_k, mg_pass_at_k and auc_at_k, with tau g_pass_at_k_tau too; with w, or outcomes that are
        not binary, for the mean and max_at_k. Where it is not: the values of the same metrics, avg for the mean.
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
        Rows (metric, parameters, mu, sigma, lo, hi, note); sigma, lo, hi are None for point estimates, and note
        says how the noise of an interval is known and how many questions it left out.

    Raises
    ------
    InvalidInput
        What the metrics raise; choice: a name that is no metric; conflict: an option that no metric takes.

    Examples
    --------
    >>> import scorio
    >>> print(scorio.evaluate([[0, 1, 1, 0], [1, 1, 0, 1]], k=2, questions="fixed"))
    metric        parameters                  mu     sigma        lo        hi  note
    mean          questions=fixed       0.625000  0.171163  0.305742  0.863156  noise measured
    pass_at_k     k=2, questions=fixed  0.916667  0.138193  0.431320  0.993771  noise measured
    pass_hat_k    k=2, questions=fixed  0.333333  0.235702  0.075083  0.754880  noise measured
    maj_at_k      k=2, questions=fixed  0.333333  0.235702  0.075083  0.754880  noise measured
    mg_pass_at_k  k=2, questions=fixed  0.333333  0.235702  0.075083  0.754880  noise measured
    auc_at_k      k=2, questions=fixed  0.770833  0.210148  0.315443  0.960866  noise measured
    >>> print(scorio.evaluate([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ["avg", "pass_at_k"], k=[1, 2]))
    metric     parameters        mu     sigma  lo  hi  note
    avg                    0.700000  0.165831
    pass_at_k  k=1         0.700000
    pass_at_k  k=2         0.950000
    """
    given_w = {} if w is None else {"w": w}
    counts = count(R, len(arguments.weights(w)) - 1, missing, w_given=w is not None, missing_code=missing_code)
    options = given_w | ({} if R0 is None else {"R0": R0}) | options
    many = (isinstance(k, Iterable) and not isinstance(k, (str, bytes, np.ndarray))) or np.ndim(k or 0) == 1
    ks = arguments.sequence(k, "k") if many else [k]
    policy = {} if missing == "raise" else {"missing": missing}
    if metrics is None and "questions" in options:
        return Table(_intervals(counts, ks, options, policy))
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
            if p.name not in ("R", "k") and p.default is inspect.Parameter.empty:
                given.setdefault(p.name, None)
        for one in ks if "k" in takes[name] else [None]:
            parameters = ({"k": one} if "k" in takes[name] else {}) | given
            result = METRICS[name](counts, **parameters, **({"missing": missing} if "R0" in given else {}))
            rows.append(_row(name, parameters | policy, result))
    return Table(rows)


def _with_k(C: int, ks: list[Any], options: dict[str, Any]) -> list[str]:
    """The metrics of blocks of k trials that fit the outcomes."""
    if ks == [None]:
        return []
    if C > 1 or "w" in options:
        return ["max_at_k"]
    return [*WITH_K, *(["g_pass_at_k_tau"] if "tau" in options else [])]


def _all_taken(given: Iterable[str], takes: Mapping[str, Iterable[str]]) -> None:
    for option in given:
        if not any(option in p for p in takes.values()):
            hint = ": leave metrics out for intervals" if option == "questions" else ""
            raise InvalidInput("conflict", option, f"{option} is given, but none of {[*takes]} takes it{hint}")


def _intervals(counts: Counts, ks: list[Any], options: dict[str, Any], policy: dict[str, Any]) -> list[Row]:
    """The intervals of the metrics that fit the outcomes."""
    names = ["mean", *_with_k(counts.C, ks, options)]
    common = set(inspect.signature(eval.interval).parameters) - {"R", "metric", "k", "tau", "w", "missing"}
    takes = {name: common | set(TAKES[name]) for name in names}
    _all_taken(options, takes)
    rows = []
    for name in names:
        given = {o: x for o, x in options.items() if o in takes[name]}
        for one in ks if "k" in takes[name] else [None]:
            parameters = ({"k": one} if one is not None else {}) | given
            rows.append(_row(name, parameters | policy, eval.interval(counts, name, **parameters)))
    return rows


def _row(name: str, parameters: dict[str, Any], result: Any) -> Row:
    shown = ", ".join(f"{a}={_short(x)}" for a, x in parameters.items() if x is not None)
    values: list[Any] = [result] if isinstance(result, float) else list(result)
    mu, sigma, lo, hi = values + [None] * (4 - len(values))
    note = ""
    if isinstance(result, MetricInterval):
        lost = len(result.dropped)
        note = f"noise {result.variance_source}" + (f", {lost} question{'s' * (lost > 1)} dropped" if lost else "")
    return Row(name, shown, mu, sigma, lo, hi, note)


def _short(x: Any) -> str:
    """An argument in a few characters."""
    if isinstance(x, Counts):
        return str(x)
    if np.ndim(x) == 2:
        return "x".join(map(str, np.shape(x)))
    text = x if isinstance(x, str) else repr(np.asarray(x).tolist())
    return text if len(text) <= 30 else text[:27] + "..."
