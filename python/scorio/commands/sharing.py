"""``Evaluation.every_eval_ever``: a document of its schema for each model, with intervals as its uncertainty."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from .. import arguments
from ..analysis.measure import Request, checked_ks, refuse_bounds, target_of, value
from ..errors import InvalidInput
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.logs import Log
from ..results import MetricInterval, Target
from ..version import __version__

SCHEMA = "0.2.2"  # version of the schema of every_eval_ever
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
METHODS = {  # how the variance was obtained, in words; other values of variance_source are written as they are
    "measured": "measured from the trials",
    "modelled": "modelled by a mixture of success rates fitted to all questions with as many trials",
    "upper bound": "replaced by an upper bound",
}


def every_eval_ever(
    e: EvaluationData, *, organization: str, relationship: str = "third_party", k: int | Iterable[int] | None = None,
    questions: Target | None = None, confidence: float = 0.95, timestamp: str | None = None, receipt: str | None = None,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Make documents of the schema of every_eval_ever (aggregate, version 0.2.2), one for each model.

    Parameters
    ----------
    e : Evaluation, each benchmark gives a result for the average, and one for Pass@k (Max@k of scores) of each k
    organization : str, organization that provides the results
    relationship : {"first_party", "third_party", "collaborative", "other"}; relationship of the evaluator to the model
    k, questions, confidence
        As for :func:`scorio.commands.leaderboard.leaderboard`, but without k there is only the average.
    timestamp : str, optional; time at which the documents were made, in seconds since 1970; default: now
    receipt : str, optional; the SHA-256 of the receipt that the results are from; each result states it

    Returns
    -------
    dict of str to dict
        The document of each model, to be written as JSON. ``score_details.uncertainty`` holds the standard error, the
        confidence interval and how each was obtained.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: a model has no trial.

    Examples
    --------
    >>> from scorio.evaluation import read
    >>> documents = read("spec/examples/coins.csv").every_eval_ever(organization="us", timestamp="0")
    >>> (result,) = documents["large"]["evaluation_results"]
    >>> result["score_details"]["score"], round(result["score_details"]["uncertainty"]["standard_error"]["value"], 3)
    (0.74375, 0.022)
    """
    refuse_bounds(e)
    if not isinstance(organization, str) or not organization:
        raise InvalidInput("type", "organization", f"organization is {organization!r}, not a name")
    arguments.choice(relationship, "relationship", RELATIONSHIPS)
    target, now = target_of(e, questions), f"{time.time():.0f}" if timestamp is None else timestamp
    requests = [Request("mean", None, None, target, confidence)]
    requests += [Request("pass@k", x, None, target, confidence) for x in checked_ks(k) or ()]
    results: dict[str, list[dict[str, Any]]] = {}
    for part in e.benchmarks.values():
        for model, log in part.logs.items():
            results.setdefault(model, []).extend(
                _result(part, log, x, value(part, model, x), confidence, receipt) for x in requests
            )
    return {model: _document(model, x, organization, relationship, now) for model, x in results.items()}


def _document(model: str, results: list[dict[str, Any]], organization: str, relation: str, now: str) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{results[0]['evaluation_name']}/{model}/{now}",
        "retrieved_timestamp": now,
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": organization,
                            "evaluator_relationship": relation},
        "eval_library": {"name": "scorio", "version": __version__},
        "model_info": {"name": model, "id": model},
        "evaluation_results": results,
    }  # fmt: skip


def _result(
    part: Benchmark, log: Log, request: Request, interval: MetricInterval, confidence: float, receipt: str | None
) -> dict[str, Any]:
    k, metric, task = request.k, "max" if part.w else "pass", part.name or "benchmark"
    low, high = part.scale
    target = "this question set" if interval.questions == "fixed" else "the population of similar questions"
    method = f"variance {METHODS.get(interval.variance_source, interval.variance_source)}; for {target}"
    with_k: Mapping[str, Any] = {} if k is None else {"metric_parameters": {"k": k}}
    return {
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": {
            "metric_id": "mean" if k is None else f"{metric}_at_k",
            "metric_name": part.metric if k is None else f"{metric.capitalize()}@{k}", **with_k,
            "lower_is_better": False, "score_type": "continuous", "min_score": low, "max_score": high,
        },
        "score_details": {
            "score": interval.mu,
            "details": {"questions": str(log.counts.M), "trials": str(int(log.counts.trials.sum())),
                        "missing": str(log.missing), **({"receipt_sha256": receipt} if receipt else {})},
            "uncertainty": {
                "standard_error": {"value": interval.sigma, "method": method},
                "confidence_interval": {"lower": interval.lo, "upper": interval.hi, "confidence_level": confidence,
                                        "method": f"scorio interval, {method}"},
                "num_samples": int(log.counts.trials.sum()),
            },
        },
    }  # fmt: skip
