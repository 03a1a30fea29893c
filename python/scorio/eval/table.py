"""Tables of metrics of R, computed from one tally: scorio.evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple, cast

import numpy as np

from .. import arguments, eval
from ..arguments import Missing, Reals
from ..errors import InvalidInput
from ..inference.runs import RunEffects, dispersion
from ..metrics.metric import ENTRIES, default_metrics, metrics_for
from ..outcomes.answers import Answers, Detailed
from ..outcomes.counts import Counts
from ..outcomes.tally import Outcomes, count
from ..results import MetricInterval, MetricName, RunVariation, VarianceSource, html_table

CHOICE_METRICS = ("plurality_at_k", "best_of_k")  # functions that take Answers (the first) or ScoredTrials
NOT_METRICS = (  # functions of scorio.eval that evaluate() does not offer
    "interval", "extrapolate", "extrapolate_model", "judged", "label_check", "agreement", "cohen_kappa",
)  # fmt: skip


def _parameters_of(name: str) -> tuple[str, ...]:
    """The parameters of a function of scorio.eval, without the outcomes and missing."""
    return tuple(x for x in list(signature(getattr(eval, name)).parameters)[1:] if x != "missing")


PARAMETERS = {name: _parameters_of(name) for name in eval.__all__ if name not in NOT_METRICS}
OPTIONS_OF_INTERVAL = tuple(x for x in _parameters_of("interval") if x not in ("metric", "k", "tau", "w"))
REQUIRED = ("questions", "tau")  # passed as None if absent, for the error of the metric that needs them


class Row(NamedTuple):
    """One metric of a table: its parameters, its value and interval, and how these were obtained.

    Attributes
    ----------
    metric : str
        Name of the function, or of the metric of :func:`scorio.eval.interval`.
    k : int or None
        Trials sampled.
    parameters : str
        The other parameters that were given, apart from those that are None.
    mu : float
        The value.
    sigma, lo, hi : float or None
        Standard error (of functions with a prior: posterior standard deviation) and ends of the interval, where the
        metric has them.
    variance_source : str or None
        How the variance of an interval was obtained: "measured", "modelled", "probit", "upper bound".
    dropped : int or None
        Number of questions that an interval left out because they have no trial.
    lowest, highest : float or None
        With ``missing="bounds"``: the value with all missing outcomes at the lowest score, and at the highest.
    """

    metric: str
    k: int | None
    parameters: str
    mu: float
    sigma: float | None
    lo: float | None
    hi: float | None
    variance_source: VarianceSource | None
    dropped: int | None
    lowest: float | None = None
    highest: float | None = None


class Table(Sequence[Row]):
    """Rows of results: a sequence that prints as an aligned table and converts to a dict, pandas or polars."""

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
        """The table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self._rows, columns=list(Row._fields))

    def to_polars(self) -> Any:
        """The table as a polars data frame."""
        import polars as pl

        return pl.DataFrame(self.to_dict())

    def __repr__(self) -> str:
        columns = {name: [_text(x) for x in values] for name, values in self.to_dict().items()}
        columns = {name: cells for name, cells in columns.items() if any(cells) or name in ("metric", "mu")}
        if not any(self.to_dict()["dropped"]):
            columns.pop("dropped", None)
        aligned = []
        for name, cells in columns.items():
            n = max(map(len, (name, *cells)))
            aligned.append([f"{x:>{n}}" if name in RIGHT_ALIGNED else f"{x:<{n}}" for x in (name, *cells)])
        return "\n".join("  ".join(line).rstrip() for line in zip(*aligned, strict=True))

    def _repr_html_(self) -> str:
        bounded = any(row.lowest is not None for row in self._rows)
        width = len(Row._fields) - (0 if bounded else len(BOUNDS))
        return html_table(Row._fields[:width], [row[:width] for row in self._rows])


BOUNDS = ("lowest", "highest")  # the last columns, empty without missing="bounds"
RIGHT_ALIGNED = ("k", "mu", "sigma", "lo", "hi", "dropped", *BOUNDS)  # columns of numbers


def _text(x: str | float | None) -> str:
    """The text of a cell: empty for None, numbers with six decimals, very small or large ones with six digits."""
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
    missing: Missing = "raise",
    missing_code: int | None = None,
    **options: Any,
) -> Table:
    """Compute any set of metrics from one tally of R.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes, as for every function of :mod:`scorio.eval`.
    metrics : iterable of str, optional
        Names of functions of :mod:`scorio.eval` that are metrics (interval is not). Default, if ``questions`` is given:
        the intervals of :func:`scorio.eval.interval` for the mean and, if k is given, for metrics of k trials: without
        w pass_at_k, pass_hat_k, maj_at_k, mg_pass_at_k and auc_at_k, with tau g_pass_at_k_tau too; with w max_at_k; of
        :class:`scorio.Answers` maj_at_k, plurality_at_k and strict_plurality_at_k; of :class:`scorio.ScoredTrials`
        max_at_k and best_of_k. Default without ``questions``: the values of avg and, if k is given, of the metrics
        named here without or with w, also for Answers and ScoredTrials, of which only the outcomes count.
    k : int or iterable of int, optional
        One row for each k, of each metric that takes k.
    w, R0
        As in :func:`scorio.eval.bayes`.
    missing : {"raise", "drop", "bounds"} or int
        As in :func:`scorio.eval.interval`; "bounds" for the default with ``questions``, and for mean_ci.
    missing_code : int, optional
        As in :func:`scorio.tally`.
    **options
        Any other argument of the metrics (questions, confidence, tau, weights, ...), given to those that take it.

    Returns
    -------
    Table
        Rows (metric, k, parameters, mu, sigma, lo, hi, variance_source, dropped, lowest, highest); fields after mu
        are None where a metric does not have them. Columns that are empty in every row are not printed, nor is dropped
        if it is 0 in every row.

    Raises
    ------
    InvalidInput
        Errors of the metrics; choice: a name that is not a metric; conflict: an option that no metric takes.

    Examples
    --------
    >>> import scorio
    >>> print(scorio.evaluate([[0, 1, 1, 0], [1, 1, 0, 1]], k=2, questions="fixed")[:3])
    metric      k  parameters             mu     sigma        lo        hi  variance_source
    mean           questions=fixed  0.625000  0.171163  0.305742  0.863156  measured
    pass_at_k   2  questions=fixed  0.916667  0.138193  0.431320  0.993771  measured
    pass_hat_k  2  questions=fixed  0.333333  0.235702  0.075083  0.754880  measured
    >>> print(scorio.evaluate([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ["avg", "pass_at_k"], k=[1, 2]))
    metric     k        mu     sigma
    avg           0.700000  0.165831
    pass_at_k  1  0.700000
    pass_at_k  2  0.950000
    """
    scores_option = {} if w is None else {"w": w}
    bounded = arguments.bounded(missing)
    C = len(arguments.category_scores(w)) - 1
    counts = count(R, C, "drop" if bounded else missing, has_scores=w is not None, missing_code=missing_code)
    if R0 is not None and missing_code is not None:
        policy = "drop" if bounded else missing
        R0 = count(R0, C, policy, name="R0", has_scores=w is not None, missing_code=missing_code)
    detailed = R if isinstance(R, Detailed) else None
    options = scores_option | ({} if R0 is None else {"R0": R0}) | options
    if isinstance(options.get("runs"), str):
        of_call = (C, arguments.category_scores(w), missing, w is not None, missing_code)
        options["runs"] = dispersion(options["runs"], [("R", R)], *of_call) or "fixed"
    k_is_sequence = np.ndim(k) > 0 if isinstance(k, np.ndarray) else isinstance(k, Iterable)
    ks = arguments.sequence(k, "k") if k_is_sequence and not isinstance(k, (str, bytes)) else [k]
    shown_missing = {} if missing == "raise" else {"missing": missing}  # in the column of parameters
    if metrics is None and "questions" in options:
        return Table(_interval_rows(counts, ks, options, shown_missing, detailed))
    metrics = ["avg", *_metrics_of_k(ks, options)] if metrics is None else metrics
    names = [metrics] if isinstance(metrics, str) else arguments.sequence(metrics, "metrics")
    for name in names:
        arguments.choice(name, "metrics", tuple(PARAMETERS))
    takes = {name: PARAMETERS[name] for name in names}
    _refuse_unused([*options, *(["k"] if k is not None else [])], takes)
    rows = []
    for name in names:
        accepted_options = {o: options.get(o) for o in takes[name] if o in options or _required(name, o)}
        data = detailed if detailed is not None and name in CHOICE_METRICS else counts
        if bounded and name in CHOICE_METRICS:
            raise arguments.no_bounds()
        passed_missing = {"missing": missing} if "R0" in accepted_options or bounded else {}
        for trials in ks if "k" in takes[name] else [None]:
            with_k = {"k": trials} if "k" in takes[name] else {}
            result = getattr(eval, name)(data, **with_k, **accepted_options, **passed_missing)
            rows.append(_row(name, trials, accepted_options | shown_missing, result))
    return Table(rows)


def _required(name: str, option: str) -> bool:
    """Whether a metric that takes an option cannot do without it."""
    return option in REQUIRED or (option == "weights" and name.startswith("threshold"))


def _metrics_of_k(ks: list[Any], options: dict[str, Any]) -> Sequence[str]:
    """The default metrics of k trials, for binary outcomes or for those that w scores; none without k."""
    return () if ks == [None] else default_metrics(binary="w" not in options, tau="tau" in options)


def _refuse_unused(options: Iterable[str], takes: Mapping[str, Iterable[str]]) -> None:
    """Refuse an option that no metric takes."""
    for option in options:
        if not any(option in p for p in takes.values()):
            hint = ": leave metrics out for intervals" if option == "questions" else ""
            raise InvalidInput("conflict", option, f"{option} is given, but none of {[*takes]} takes it{hint}")


def _interval_rows(
    counts: Counts, ks: list[Any], options: dict[str, Any], shown_missing: dict[str, Any], detailed: Detailed | None
) -> list[Row]:
    """The intervals of the default metrics, which for Answers and ScoredTrials include those that choose one trial."""
    use = "vote" if isinstance(detailed, Answers) else "score" if detailed is not None else ""
    count_metrics = ["maj_at_k"] if use == "vote" else ["max_at_k"]
    metrics_of_k = [*count_metrics, *metrics_for(use)] if use and ks != [None] else _metrics_of_k(ks, options)
    names = ["mean", *metrics_of_k]
    takes = {name: (*OPTIONS_OF_INTERVAL, *ENTRIES[name].takes) for name in names}
    _refuse_unused(options, takes)
    data = counts if detailed is None else detailed
    passed_missing = shown_missing if shown_missing == {"missing": "bounds"} else {}
    rows = []
    for name in names:
        accepted_options = {o: x for o, x in options.items() if o in takes[name]}
        for trials in ks if "k" in takes[name] else [None]:
            result = eval.interval(data, cast(MetricName, name), k=trials, **accepted_options, **passed_missing)
            rows.append(_row(name, trials, accepted_options | shown_missing, result))
    return rows


def _row(name: str, k: Any, parameters: dict[str, Any], result: Any) -> Row:
    """The row of one result, with the parameters that are not None as text."""
    text = ", ".join(f"{a}={_short_text(x)}" for a, x in parameters.items() if x is not None)
    k = k if k is None else int(k)
    values: list[Any] = [result] if isinstance(result, float) else list(result)
    mu, sigma, lo, hi = values + [None] * (4 - len(values))
    if not isinstance(result, MetricInterval):
        return Row(name, k, text, mu, sigma, lo, hi, None, None)
    return Row(name, k, text, mu, sigma, lo, hi, result.variance_source, len(result.dropped), *(result.bounds or ()))


def _short_text(x: Any) -> str:
    """An argument as short text; of a matrix only its shape."""
    if isinstance(x, Counts):
        return str(x)
    if isinstance(x, RunVariation):
        return "sampled"
    if isinstance(x, RunEffects):
        return "shared" if x.shared else "sampled"
    if np.ndim(x) == 2:
        return "x".join(map(str, np.shape(x)))
    text = x if isinstance(x, str) else repr(np.asarray(x).tolist())
    return text if len(text) <= 30 else text[:27] + "..."
