"""Many metrics of one R from a single reading of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from . import checks, eval
from .errors import InvalidInput
from .tally import count

METRICS = {
    name: f
    for name, f in vars(eval).items()
    if not name.startswith("_") and inspect.isfunction(f) and next(iter(inspect.signature(f).parameters), "") == "R"
}
ANY_K = ("avg_ci", "bayes_ci")
WITH_K = ("pass_at_k", "pass_hat_k", "maj_at_k", "mg_pass_at_k", "auc_at_k", "geom_at_k")


class Row(NamedTuple):
    """One metric: its name, the parameters that were stated, and what it returned."""

    metric: str
    parameters: str
    mu: float
    sigma: float | None
    lo: float | None
    hi: float | None


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
            [c.ljust(n) if i < 2 else c.rjust(n) for i, (c, n) in enumerate(zip(line, widths, strict=True))]
            for line in lines
        ]
        return "\n".join("  ".join(line).rstrip() for line in aligned)


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
    **options: Any,
) -> Table:
    """Any set of metrics from one tally of R.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes, as for every function of :mod:`scorio.eval`.
    metrics : iterable of str, optional
        Names of functions of :mod:`scorio.eval`. Default: avg_ci and bayes_ci; mean_ci where ``questions`` is
        stated; with k and binary outcomes pass_at_k, pass_hat_k, maj_at_k, mg_pass_at_k, auc_at_k and
        geom_at_k, otherwise max_at_k.
    k : int or iterable of int, optional
        One row of each metric that takes k for each.
    w, R0, missing
        As in :func:`scorio.eval.bayes`.
    **options
        Any other argument of the metrics (confidence, tau, questions, weights, ...), given to those that take it.

    Returns
    -------
    Table
        Rows (metric, parameters, mu, sigma, lo, hi); the last three are None for point estimates.

    Raises
    ------
    InvalidInput
        What the metrics raise; choice: a name that is no metric; conflict: an option that no metric takes.

    Examples
    --------
    >>> import scorio
    >>> print(scorio.evaluate([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ["avg", "pass_at_k"], k=[1, 2]))
    metric     parameters        mu     sigma  lo  hi
    avg                    0.700000  0.165831
    pass_at_k  k=1         0.700000
    pass_at_k  k=2         0.950000
    """
    counts = count(R, len(checks.weights(w)) - 1, missing, w_given=w is not None)
    options.update({"w": w} if w is not None else {}, **({"R0": R0} if R0 is not None else {}))
    ks = [k] if k is None or not isinstance(k, Iterable) or isinstance(k, str) else list(k)
    metrics = _default(counts.C, k, options) if metrics is None else metrics
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        checks.choice(name, "metrics", tuple(METRICS))
    takes = {name: inspect.signature(METRICS[name]).parameters for name in names}
    for option in [*options, *(["k"] if k is not None else [])]:
        if not any(option in p for p in takes.values()):
            raise InvalidInput("conflict", option, f"{option} is given, but none of {names} takes it")
    rows = []
    for name in names:
        given = {o: x for o, x in options.items() if o in takes[name]}
        for p in takes[name].values():  # a required option that is absent is refused by the metric itself
            if p.name not in ("R", "k") and p.default is inspect.Parameter.empty:
                given.setdefault(p.name, None)
        if "R0" in given:
            given["missing"] = missing
        for one in ks if "k" in takes[name] else [None]:
            arguments = given | ({"k": one} if "k" in takes[name] else {})
            rows.append(_row(name, arguments, METRICS[name](counts, **arguments)))
    return Table(rows)


def _default(C: int, k: Any, options: dict[str, Any]) -> list[str]:
    names = list(ANY_K) + (["mean_ci"] if "questions" in options else [])
    if k is not None:
        names += WITH_K if C == 1 and "w" not in options else ("max_at_k",)
    return names


def _row(name: str, arguments: dict[str, Any], result: Any) -> Row:
    shown = ", ".join(f"{a}={x}" for a, x in arguments.items() if isinstance(x, (int, float, str)) and a != "missing")
    values = [result] if isinstance(result, float) else list(result)
    return Row(name, shown, *values, *[None] * (4 - len(values)))
