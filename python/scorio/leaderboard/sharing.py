"""Results in the schema of every_eval_ever: a document a model, our intervals in its fields of uncertainty."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from .. import arguments
from ..errors import InvalidInput
from ..io import Log, Logs
from ..results import MetricInterval
from ..version import __version__
from .rows import leaderboard

SCHEMA = "0.2.2"
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
METHODS = {"measured": "measured from the trials", "modelled": "mixture of success rates fitted to all questions",
           "upper bound": "upper bound"}  # fmt: skip


def every_eval_ever(
    logs: Logs,
    *,
    organization: str,
    relationship: str = "third_party",
    k: int | Iterable[int] | None = None,
    questions: str = "fixed",
    confidence: float = 0.95,
    timestamp: str | None = None,
) -> dict[str, dict[str, Any]]:
    """Documents of the schema of every_eval_ever (aggregate, version 0.2.2), one for each model.

    Parameters
    ----------
    logs : Logs
        What :func:`scorio.io.read` returned; each benchmark of it is a result, with the average and Pass@k.
    organization : str
        Who provides the results.
    relationship : {"first_party", "third_party", "collaborative", "other"}
        Of the evaluator to the model.
    k, questions, confidence
        As for :func:`scorio.leaderboard.leaderboard`; without k the average alone.
    timestamp : str, optional
        Seconds since 1970, when the document was made; default: now.

    Returns
    -------
    dict of str to dict
        Of each model its document, to be written as JSON. ``score_details.uncertainty`` holds the standard error, the
        confidence interval and how each was obtained.

    Raises
    ------
    InvalidInput
        choice, type, range: an argument; no_trials: a model has no trial.

    Examples
    --------
    >>> from scorio import Counts
    >>> from scorio.io import Log, Logs
    >>> from scorio.leaderboard import every_eval_ever
    >>> logs = Logs({"org/model": Log(["q1", "q2"], Counts.from_successes([1, 3], [4, 4]))})
    >>> (result,) = every_eval_ever(logs, organization="us", timestamp="0")["org/model"]["evaluation_results"]
    >>> result["score_details"]["score"], round(result["score_details"]["uncertainty"]["standard_error"]["value"], 3)
    (0.5, 0.177)
    """
    if not isinstance(organization, str) or not organization:
        raise InvalidInput("type", "organization", f"organization is {organization!r}, not a name")
    arguments.choice(relationship, "relationship", RELATIONSHIPS)
    now = f"{time.time():.0f}" if timestamp is None else timestamp
    parts = dict(logs.benchmarks) or {logs.tasks[0] if logs.tasks else "": logs}
    results: dict[str, list[dict[str, Any]]] = {}
    for task, part in parts.items():
        rows = leaderboard(part, k=k, questions=questions, confidence=confidence, weights=part.weights)
        for row in rows:
            found: dict[tuple[str, int | None], MetricInterval] = {("mean", None): row.average}
            if k is not None:
                found |= {("max" if part.weights else "pass", n): x for n, x in row.at_k.items()}
            results.setdefault(row.model, []).extend(
                _result(task or "benchmark", part, part[row.model], metric, n, x, confidence)
                for (metric, n), x in found.items()
            )
    return {model: _document(model, found, organization, relationship, now) for model, found in results.items()}


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
    task: str, part: Logs, log: Log, metric: str, k: int | None, x: MetricInterval, confidence: float
) -> dict[str, Any]:
    scores = part.weights or [0.0, 1.0]
    about = "this question set" if x.questions == "fixed" else "the population of similar questions"
    how = f"variance {METHODS.get(x.variance_source, x.variance_source)}; for {about}"
    said: Mapping[str, Any] = {} if k is None else {"metric_parameters": {"k": k}}
    return {
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": {
            "metric_id": metric if k is None else f"{metric}_at_k",
            "metric_name": part.metric if k is None else f"{metric.capitalize()}@{k}",
            **said,
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": min(scores),
            "max_score": max(scores),
        },
        "score_details": {
            "score": x.mu,
            "details": {"questions": str(log.counts.M), "trials": str(int(log.counts.trials.sum())),
                        "missing": str(log.missing)},
            "uncertainty": {
                "standard_error": {"value": x.sigma, "method": how},
                "confidence_interval": {"lower": x.lo, "upper": x.hi, "confidence_level": confidence,
                                        "method": f"scorio interval, {how}"},
                "num_samples": int(log.counts.trials.sum()),
            },
        },
    }  # fmt: skip
