"""Bounds for missing outcomes: they contain every completion; metrics that have no bounds refuse them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import scorio
from scorio import eval, sinf
from scorio.analysis.measure import Request
from scorio.analysis.pairs import compare_pairs
from scorio.cli import main
from scorio.errors import InvalidInput

A = [[1, 1, 1, 1], [1, 1, None, 1], [1, 0, 1, None], [0, 1, 1, 1], [1, 1, 1, 1]]
B = [[0, 0, 1, 0], [0, None, 0, 0], [0, 0, 0, 1], [None, 0, 0, 0], [0, 1, 0, 0]]


def completions(rows: list[list[Any]]) -> Any:
    """Yield every matrix with the missing outcomes filled in."""
    R = np.array(rows, float)
    missing_entries = np.argwhere(np.isnan(R))
    for filling in product((0.0, 1.0), repeat=len(missing_entries)):
        for (i, j), x in zip(missing_entries, filling, strict=True):
            R[i, j] = x
        yield R.astype(int)


@pytest.mark.parametrize("target", ["fixed", "sampled"])
def test_every_completion_lies_between_the_bounds(target: Any) -> None:
    e = scorio.read({"a": A, "b": B}, missing="bounds")
    row = next(x for x in e.leaderboard(k=[2], questions=target).table if x.model == "a")
    for x, metric, k in ((row.average, "mean", None), (row.at_k["pass@2"], "pass@k", 2)):
        values = [eval.interval(R, metric, k, questions=target) for R in completions(A)]
        assert x.bounds == (min(y.mu for y in values), max(y.mu for y in values))
        low, high = values[0], values[-1]  # all missing outcomes are 0, all are 1
        assert (x.lo, x.hi) == (low.lo, high.hi)
        assert x.bounds[0] <= x.mu <= x.bounds[1]
    assert f"{x.bounds[0]:.3f}"[1:] + " to " in str(e.leaderboard(k=[2], questions=target))


def test_significant_means_significant_for_every_completion() -> None:
    """Check that a difference is significant only if it is for every completion; otherwise the text says so."""
    x = scorio.read({"a": A, "b": B}, missing="bounds").compare(questions="fixed")
    verdict = x.verdicts[0]
    assert verdict.significant
    assert verdict.better == "a"
    assert "at 5%, whatever the missing outcomes are" in str(x).replace("\n", " ")
    pairs = [scorio.read({"a": R, "b": S}).compare().verdicts[0] for R in completions(A) for S in completions(B)]
    assert all(y.better == "a" for y in pairs)
    assert verdict.lo == min(y.lo for y in pairs)
    assert verdict.p_value == max(y.p_value for y in pairs)
    few_trials = scorio.read({"a": [[1, 1, None, None]] * 5, "b": B}, missing="bounds").compare(questions="fixed")
    assert few_trials.verdicts[0].depends
    assert "it depends on the missing outcomes whether a and b are significantly" in str(few_trials).replace("\n", " ")


def test_a_question_without_outcomes_counts() -> None:
    e = scorio.read({"a": [*A, [None] * 4], "b": [*B, [0] * 4]}, missing="bounds")
    x = e.compare(questions="fixed")
    assert x.shared_questions == 6
    assert x.table[0].a.bounds == (16 / 24, 22 / 24)


def test_complete_outcomes_give_the_same_result_with_bounds() -> None:
    complete = [[1, 0], [1, 1], [0, 1]]
    without, bounded = (scorio.read({"a": complete, "b": complete[::-1]}, missing=x) for x in ("raise", "bounds"))
    assert str(without.leaderboard()) == str(bounded.leaderboard())
    assert str(without.compare()) == str(bounded.compare())


def test_bounds_of_several_benchmarks_are_averaged() -> None:
    e = scorio.read({"x": {"a": A, "b": B}, "y": {"a": A[::-1], "b": B}}, missing="bounds")
    row = e.leaderboard().table[0]
    one = scorio.read({"a": A, "b": B}, missing="bounds").leaderboard().table[0]
    assert row.average.bounds == one.average.bounds
    assert e.compare().verdicts[0].better == "a"
    assert e.leaderboard().to_dict()["rows"][0]["lowest"] == row.average.bounds[0]


@pytest.mark.parametrize("models", [["a", "b"], ["a", "b", "c"]])
def test_bounds_leave_the_intervals_of_a_complete_benchmark_unchanged(models: list[str]) -> None:
    """Check that bounds of one benchmark change no interval of another, though the intervals cover at once."""
    complete = [[1, 0, 0, 1], [1, 1, 0, 1], [0, 1, 1, 0]]
    source = {
        "x": {"a": A, "b": B, "c": B[::-1]},
        "y": {"a": complete, "b": complete[::-1], "c": complete[1:] + complete[:1]},
    }
    bounded, dropped = (scorio.read(source, missing=x).select(models) for x in ("bounds", "drop"))
    request = Request(questions="fixed")
    each = [compare_pairs(e, request).each for e in (bounded, dropped)]
    intervals = [{(x.a, x.b): (x.lo, x.hi) for x in y if x.benchmark == "y"} for y in each]
    assert intervals[0].keys() == intervals[1].keys()
    for pair, interval in intervals[0].items():
        assert interval == pytest.approx(intervals[1][pair], rel=1e-12)


@pytest.mark.parametrize("method", ["gate", "items", "report", "plan", "convert", "extrapolate", "plot"])
def test_methods_without_bounds_refuse_them(method: str) -> None:
    e = scorio.read({"a": A, "b": B}, missing="bounds")
    arguments = {"gate": ("a", "b"), "plot": ("forest",)}.get(method, ())
    with pytest.raises(InvalidInput, match="for its leaderboard, compare, rank and metrics") as caught:
        getattr(e, method)(
            *arguments, **({"margin": 0.1} if method == "gate" else {"k": 8} if method == "extrapolate" else {})
        )
    assert (caught.value.code, caught.value.argument) == ("choice", "missing")


METRICS_OF_K = ("pass_at_k", "pass_hat_k", "maj_at_k", "mg_pass_at_k", "auc_at_k", "max_at_k")
GAPS = [[1, None, 0], [None, 1, 1], [0, 0], [1, 0, None]]


@pytest.mark.parametrize("target", ["fixed", "sampled"])
@pytest.mark.parametrize(("metric", "k"), [("mean", None), *((m, k) for m in METRICS_OF_K for k in (1, 2))])
def test_intervals_of_arrays_run_from_the_lowest_to_the_highest_completion(
    metric: str, k: int | None, target: str
) -> None:
    """Check that an interval runs from the lower limit of the lowest completion to the upper limit of the highest."""
    x = eval.interval(GAPS, metric, k, questions=target, missing="bounds")
    complete = [
        [[next(filling) if y is None else y for y in row] for row in GAPS]
        for filling in map(iter, product((0, 1), repeat=3))
    ]
    values = [eval.interval(R, metric, k, questions=target, missing="drop") for R in complete]
    assert x.bounds == (min(y.mu for y in values), max(y.mu for y in values))
    assert (x.lo, x.hi) == (values[0].lo, values[-1].hi)
    without_bounds = eval.interval(GAPS, metric, k, questions=target, missing="drop")
    assert (x.mu, x.sigma, x.n_eff, x.units, x.dropped) == (
        without_bounds.mu,
        without_bounds.sigma,
        without_bounds.n_eff,
        without_bounds.units,
        without_bounds.dropped,
    )
    counts = scorio.tally(GAPS, missing="drop")
    assert eval.interval(counts, metric, k, questions=target, missing="bounds") == x


def test_differences_run_from_the_lowest_to_the_highest_completion() -> None:
    """Check that a difference is significant exactly if its interval over all completions excludes 0."""
    rng = np.random.default_rng(29)
    significant_with_missing = 0
    for _ in range(60):
        A, B = (np.where(rng.random((4, 4)) < 0.06, np.nan, rng.random((4, 4)) < p) for p in (0.95, 0.1))
        if np.isnan(A).sum() + np.isnan(B).sum() > 4:
            continue
        x = sinf.compare(A, B, questions="fixed", missing="bounds")
        every = [
            sinf.compare(R, S, questions="fixed") for R in completions(A.tolist()) for S in completions(B.tolist())
        ]
        low, high = min(every, key=lambda y: y.mu), max(every, key=lambda y: y.mu)
        assert (x.lo, x.hi) == (low.lo, high.hi)
        assert x.significant == (not x.lo <= 0 <= x.hi) == (x.p_value <= 0.05)
        assert low.mu <= x.mu <= high.mu
        reversed_ = sinf.compare(B, A, questions="fixed", missing="bounds")
        assert (reversed_.mu, reversed_.lo, reversed_.hi, reversed_.p_value) == (-x.mu, -x.hi, -x.lo, x.p_value)
        significant_with_missing += x.significant and np.isnan(A).any()
    assert significant_with_missing > 5


def test_tables_of_metrics_have_bounds() -> None:
    table = scorio.evaluate(GAPS, k=[1, 2], questions="fixed", missing="bounds")
    for row in table:
        x = eval.interval(GAPS, row.metric, row.k, questions="fixed", missing="bounds")
        assert ((row.lowest, row.highest), row.lo, row.hi) == (x.bounds, x.lo, x.hi)
    (row,) = scorio.evaluate(GAPS, ["mean_ci"], questions="fixed", missing="bounds")
    assert (row.lowest, row.highest) == (1 / 3, 7 / 12)
    e = scorio.read({"x": {"a": A, "b": B}, "y": {"a": A[::-1], "b": B}}, missing="bounds")
    x = e.metrics()
    assert x.macro[0].lowest == x.table[0].lowest < x.table[0].mu < x.table[0].highest
    assert "lowest" in x.to_csv()
    assert "lowest" not in scorio.read({"a": A, "b": B}, missing="drop").metrics().to_csv()


@pytest.mark.parametrize(
    "call",
    [
        lambda: eval.pass_at_k(GAPS, 1, missing="bounds"),
        lambda: sinf.gate(GAPS, GAPS, margin=0.1, questions="fixed", missing="bounds"),
        lambda: scorio.evaluate(GAPS, missing="bounds"),
        lambda: scorio.read({"a": A, "b": B}, missing="bounds").metrics("avg"),
        lambda: eval.interval(GAPS, "flip_rate", questions="fixed", missing="bounds"),
        lambda: scorio.read({"a": A, "b": B}, missing="bounds").rank("flip_rate"),
    ],
)
def test_calls_without_bounds_are_refused(call: Any) -> None:
    with pytest.raises(InvalidInput, match="bounds") as caught:
        call()
    assert caught.value.argument == "missing"


def test_a_command_without_bounds_names_commands_and_options(tmp_path, capsys) -> None:
    """Check the error of gate --missing bounds, which named functions of Python."""
    log = tmp_path / "log.csv"
    log.write_text("model,question,outcome\na,1,1\na,2,0\nb,1,1\n")
    assert main(["gate", str(log), "a", "b", "--margin", "0.1", "--missing", "bounds"]) == 2
    error = capsys.readouterr().err
    assert "--missing bounds is for leaderboard, compare, rank and evaluate; --missing drop leaves them out" in error
    assert "eval." not in error


def test_bounds_need_the_ends_of_the_scale() -> None:
    scores = {"a": [[3.0, 7.0], [None, 5.0]], "b": [[2.0, 1.0], [4.0, 6.0]]}
    with pytest.raises(InvalidInput, match="needs the lowest and the highest score") as caught:
        scorio.read(scores, missing="bounds", w="levels")
    assert caught.value.code == "conflict"
    e = scorio.read(scores, missing="bounds", scale=(0, 10))
    assert next(x for x in e.leaderboard().table if x.model == "a").average.bounds == (3.75, 6.25)
    with pytest.raises(InvalidInput, match=r"scorio\.read"):
        scorio.tally(A, missing="bounds")
