"""Comparisons of every pair of models, with p-values that are adjusted for their number."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import value
from ..display.terms import p_value
from ..inference.difference import is_significant
from ..inference.estimate import parse_request
from ..inference.multiplicity import adjusted, checked_correction
from ..inference.pairs import contrasts
from ..outcomes.tally import Models
from ..results import Correction, Listing, MetricName, RateModel, Runs, Target, VarianceSource, shown_as_table
from .compare import comparison_fields


@shown_as_table
class PairComparison(NamedTuple):
    """The models a and b; metric(a) - metric(b) with the results of :func:`compare`; the adjusted p-value."""

    a: Any
    b: Any
    mu: float
    sigma: float
    lo: float
    hi: float
    p_value: float
    df: float
    p_above: float
    significant: bool
    variance_source: VarianceSource
    dropped: list[int]
    p_adjusted: float

    def shown(self) -> dict[str, Any]:
        """The cells of this pair in a table of pairs."""
        p = p_value(self.p_adjusted)  # "p = 0.031" or "p < 0.0001"; the heading of the column says p
        return {
            "a": str(self.a),
            "b": str(self.b),
            "difference": f"{self.mu:.3f}",
            "interval": f"{self.lo:.3f} to {self.hi:.3f}",
            "p adjusted": p.removeprefix("p ").removeprefix("= "),
            "significant": "yes" if self.significant else "no",
        }


def compare_all(
    models: Models,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    correction: Correction = "holm",
    clusters: Labels | None = None,
    guard: float = 0.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> list[PairComparison]:
    """Comparisons of every pair of models, by default with a family-wise error rate of 1 - confidence.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of names to outcomes in any form that
        :func:`scorio.eval.interval` takes.
    metric, k, tau, w, questions, runs, clusters, guard, model
        As in :func:`compare`.
    confidence : float in (0, 1)
        With the correction, 1 - confidence is the nominal probability that some pair of equal models differs
        significantly.
    correction : {"holm", None}
        Holm's step-down adjustment over all L (L - 1) / 2 pairs, or each pair by itself.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). A pair is
        compared on the questions that both answered; where models have ids of different questions, this requires
        "drop".

    Returns
    -------
    list of PairComparison
        (a, b, mu, sigma, lo, hi, p_value, df, p_above, significant, variance_source, dropped, p_adjusted) of each pair,
        in the order of the models; a and b are names, or indices where models have none. significant is p_adjusted <= 1
        - confidence. With the correction the intervals cover all differences at once with the nominal probability
        confidence; they are a little wider than Holm's decisions need: a significant pair's interval may contain 0.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: models on different numbers of questions, or a pair with a single
        question in common where questions are the sampling units; range: k above the trials of a question.

    Notes
    -----
    Holm (1979). The error rate is kept under any dependence of the p-values, so models may share questions.

    Examples
    --------
    >>> from scorio import sinf
    >>> R = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 0, 1, 0]] * 9}
    >>> [(x.a, x.b, round(x.p_adjusted, 5), x.significant) for x in sinf.compare_all(R, questions="fixed")]
    [('a', 'b', 0.00998, True), ('a', 'c', 0.0, True), ('b', 'c', 0.00038, True)]
    """
    confidence, by_holm = arguments.confidence(confidence), checked_correction(correction)
    request = parse_request(metric, k, tau, w, questions, model, guard=guard)
    request = request.with_runs_of(models, runs, missing)
    named_models, pairs = contrasts(request, models, w, clusters, missing)
    names = named_models.names or range(len(named_models.items))
    tail = error_rate(confidence, 2 * len(pairs) if by_holm else 2)
    out: Listing[PairComparison] = Listing()
    for x, p in zip(pairs, adjusted(pairs, by_holm), strict=True):
        comparison = comparison_fields(x.difference, request.m, tail, x.dropped)
        pair = PairComparison(*(names[x.a], names[x.b], *comparison, value(p)))
        out.append(pair._replace(significant=is_significant(p, confidence)))
    return out
