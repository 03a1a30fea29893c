"""The table of evaluate(): its rows equal the results of the functions of scorio.eval.

Fields 3 to 6 of a row are mu, sigma, lo and hi.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import scorio
from scorio import InvalidInput, eval, evaluate
from scorio.eval.table import NOT_METRICS, PARAMETERS
from scorio.metrics.metric import default_metrics

R = np.random.default_rng(1).integers(0, 2, (9, 6))


def test_rows_equal_results_of_the_functions() -> None:
    """Check that rows equal the functions' results bit for bit; point estimates have no sigma and no interval."""
    table = evaluate(R, ["bayes_ci", "pass_at_k", "g_pass_at_k_tau_ci"], k=[1, 4], tau=0.5, confidence=0.9)
    assert [(r.metric, r.k, r.parameters) for r in table] == [
        ("bayes_ci", None, "confidence=0.9"),
        ("pass_at_k", 1, ""),
        ("pass_at_k", 4, ""),
        ("g_pass_at_k_tau_ci", 1, "tau=0.5, confidence=0.9"),
        ("g_pass_at_k_tau_ci", 4, "tau=0.5, confidence=0.9"),
    ]
    assert table[0][3:7] == eval.bayes_ci(R, confidence=0.9)
    assert table[2][3:7] == (eval.pass_at_k(R, 4), None, None, None)
    assert table[4][3:7] == eval.g_pass_at_k_tau_ci(R, 4, 0.5, 0.9)


def test_all_metrics_can_be_in_one_call() -> None:
    """Check in one call every public metric of outcomes: those whose first argument is R."""
    names = [n for n in PARAMETERS if next(iter(inspect.signature(getattr(eval, n)).parameters)) == "R"]
    assert len(names) > 30
    weights = [0.25, 0.25, 0.5]
    table = evaluate(R, names, k=3, tau=0.5, weights=weights, questions="fixed")
    assert [r.metric for r in table] == names
    assert all(np.isfinite(r.mu) for r in table)


def test_functions_that_are_no_metrics_are_left_out() -> None:
    """Check that every function of scorio.eval takes outcomes first, or is not offered."""
    assert {*NOT_METRICS} < {*eval.__all__}
    for name in PARAMETERS:
        assert next(iter(inspect.signature(getattr(eval, name)).parameters)) in ("R", "answers", "scored"), name


def test_conversions_keep_the_numbers() -> None:
    """Check that the table as a dict, in pandas and in polars has the same numbers."""
    table = evaluate(R, k=2, questions="sampled")
    columns = table.to_dict()
    assert columns["mu"] == [r.mu for r in table]
    assert table.to_pandas()["mu"].tolist() == columns["mu"]
    assert table.to_polars()["mu"].to_list() == columns["mu"]
    assert len(str(table).splitlines()) == len(table) + 1


def test_rows_of_graded_outcomes_equal_results_of_the_functions() -> None:
    """Check rows with w against the functions, and that the default metrics are then those that take w."""
    S = np.random.default_rng(2).integers(0, 3, (5, 4))
    table = evaluate(S, w=[0, 0.5, 1], R0=S[:, :2], k=2, metrics=["bayes_ci", "max_at_k_ci", "max_at_k"])
    assert table[0][3:7] == eval.bayes_ci(S, [0, 0.5, 1], S[:, :2])
    assert table[1][3:7] == eval.max_at_k_ci(S, 2, [0, 0.5, 1], S[:, :2])
    assert [r.metric for r in evaluate(S, w=[0, 0.5, 1], k=2)] == ["avg", "max_at_k"]
    table = evaluate(S, w=[0, 0.5, 1], k=[1, 2], questions="sampled")
    assert [(r.metric, r.k) for r in table] == [("mean", None), ("max_at_k", 1), ("max_at_k", 2)]
    assert table[2][3:7] == eval.interval(S, "max@k", 2, w=[0, 0.5, 1], questions="sampled")


def test_default_rows_are_intervals_if_questions_is_stated() -> None:
    """Check that every row is an interval if `questions` is given, and otherwise the value of the same metric."""
    names = default_metrics(binary=True, tau=False)
    table = evaluate(R, k=[2, 5], questions="fixed", confidence=0.9)
    assert [r.metric for r in table] == ["mean", *(n for name in names for n in (name, name))]
    assert table[0][3:7] == eval.mean_ci(R, questions="fixed", confidence=0.9)
    assert table[2][3:7] == eval.interval(R, "pass@k", 5, questions="fixed", confidence=0.9)
    assert [table[i].variance_source for i in (0, 1, 2)] == ["measured", "measured", "modelled"]
    values = evaluate(R, k=[2, 5])
    assert [r.metric for r in values] == ["avg", *(r.metric for r in table[1:])]
    assert [r.mu for r in values] == [r.mu for r in table]
    assert all(r.lo is None and r.variance_source is None for r in values)
    assert [r.metric for r in evaluate(R)] == ["avg"]
    assert [r.metric for r in evaluate(R, questions="sampled")] == ["mean"]
    tau = evaluate(R, k=3, tau=0.5, questions="fixed")[-1]
    assert tau[3:7] == eval.interval(R, "g_pass_at_k_tau", 3, 0.5, questions="fixed")
    (row,) = evaluate([*R.tolist(), []], questions="fixed", missing="drop")
    assert (row.variance_source, row.dropped) == ("measured", 1)


@pytest.mark.parametrize(
    ("args", "code", "argument"),
    [
        ({"metrics": ["nope"]}, "choice", "metrics"),
        ({"metrics": ["avg"], "k": 2}, "conflict", "k"),
        ({"metrics": ["avg"], "tau": 0.5}, "conflict", "tau"),
        ({"metrics": ["pass_at_k"]}, "type", "k"),
        ({"metrics": ["pass_at_k"], "k": 9}, "range", "k"),
        ({"metrics": ["mean_ci"]}, "type", "questions"),
        ({"metrics": ["interval"], "questions": "fixed"}, "choice", "metrics"),
        ({"metrics": ["extrapolate"], "k": 9}, "choice", "metrics"),
        ({"metrics": ["pass_at_k"], "k": 2, "questions": "fixed"}, "conflict", "questions"),
        ({"questions": "fixed", "tau": 0.5}, "conflict", "tau"),
        ({"questions": "fixed", "alpha0": 0.5}, "conflict", "alpha0"),
        ({"questions": "all"}, "choice", "questions"),
        ({"questions": "fixed", "k": 7}, "range", "k"),
        ({"metrics": ["g_pass_at_k_tau"], "k": 2}, "type", "tau"),
        ({"spelled_wrong": 1}, "conflict", "spelled_wrong"),
    ],
)
def test_invalid_arguments_are_refused(args: dict, code: str, argument: str) -> None:
    """Check that unknown, unused, lacking and invalid arguments are refused."""
    with pytest.raises(InvalidInput) as e:
        evaluate(R, **args)
    assert (e.value.code, e.value.argument) == (code, argument)


def test_tau_bench_has_the_published_values() -> None:
    """Check tau-bench's published Pass^1..4 and the golden interval."""
    import csv

    import spec

    with (spec.SPEC / "examples" / "tau_bench_gpt4o_airline.csv").open() as f:
        rows = list(csv.DictReader(f))
    outcomes = np.array([int(r["outcome"]) for r in rows]).reshape(50, 4)
    table = scorio.evaluate(outcomes, ["pass_hat_k"], k=[1, 2, 3, 4])
    assert [round(r.mu, 3) for r in table] == [0.42, 0.273, 0.22, 0.2]
    mean = eval.mean_ci(outcomes, questions="fixed")
    assert (round(mean.lo, 6), round(mean.hi, 6), round(mean.n_eff, 6)) == (0.367284, 0.474607, 321.230769)


def test_numbers_of_trials_in_an_array() -> None:
    """Check that an array of k gives the table of a list, with whole numbers in the column of k."""
    for k in ([1, 2], [2]):
        table = evaluate(R, k=np.array(k))
        assert str(table) == str(evaluate(R, k=k))
        assert {type(row.k) for row in table if row.k is not None} == {int}
