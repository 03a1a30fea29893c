"""Intervals and comparisons against golden values and a naive exact implementation; properties and refusals."""

from __future__ import annotations

import copy
import csv
import dataclasses
import json
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plainly
import pytest
import spec
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import scaled

import scorio
from scorio import Counts, InvalidInput, converge, eval, rank, sinf
from scorio.inference.estimate import parse_request
from scorio.inference.estimator import Estimator
from scorio.metrics import metric as table

with (spec.SPEC / "examples" / "tau_bench_gpt4o_airline.csv").open() as f:
    TAU = np.array([int(r["outcome"]) for r in csv.DictReader(f)]).reshape(50, 4)
A = Counts.from_successes([2, 4, 0, 1, 3], [4] * 5)
B = Counts.from_successes([1, 4, 0, 0, 1], [4] * 5)
RAGGED_A = [[1, 1, 0], [1, 0], [1], [0, 0, 0, 0], [1, 1, 1, 1]]
RAGGED_B = [[0, 1, 0], [0, 0], [1], [0, 1, 0, 0], [1, 1, 0, 1]]
UNEQUAL = Counts.from_successes([2, 4, 0, 5], [3, 4, 2, 8])
SOLVED_ONCE, SOLVED_4, FAILED_8 = (Counts.from_successes([c] * 30, [n] * 30) for c, n in ((1, 1), (4, 4), (0, 8)))
ONE_QUESTION = Counts.from_successes([7], [10])
GRADED = [[0, 1, 2], [2, 2, 2], [0, 0, 1]]
DROP = {"missing": "drop"}

GOLDEN = [
    (TAU, "mean", "fixed", {}, 0.42, 0.367284, 0.474607, 321.230769),
    (TAU, "mean", "fixed", {"confidence": 0.9}, 0.42, 0.375557, 0.465779, None),
    (TAU, "mean", "sampled", {}, 0.42, 0.320204, 0.526796, 88.265221),
    (TAU, "mean", "sampled", {"pool": 100}, 0.42, 0.339891, 0.504558, None),
    (TAU[:, :1], "mean", "fixed", {}, None, 0.293750, 0.557666, 50),
    (TAU, "pass@k", "fixed", {"k": 2}, 0.566667, 0.492914, 0.637580, 176.517572),
    (TAU, "pass@k", "sampled", {"k": 2}, 0.566667, 0.451557, 0.675005, None),
    (TAU, "pass@k", "fixed", {"k": 4}, 0.72, 0.605466, 0.811629, None),
    (TAU, "pass@k", "sampled", {"k": 4}, 0.72, 0.583349, 0.825258, 50),
    (TAU, "pass^k", "fixed", {"k": 2}, 0.273333, 0.226604, 0.325641, None),
    (TAU, "pass^k", "sampled", {"k": 2}, 0.273333, 0.177273, 0.396369, None),
    (TAU, "pass^k", "fixed", {"k": 4}, 0.2, 0.140389, 0.276772, None),
    (TAU, "pass^k", "sampled", {"k": 4}, 0.2, 0.112438, 0.330371, None),
    (TAU, "g-pass@k", "fixed", {"k": 4, "tau": 0.5}, 0.48, 0.370671, 0.591279, None),
    (TAU, "maj@k", "fixed", {"k": 3}, 0.38, 0.303029, 0.463520, None),
    (TAU, "mg-pass@k", "fixed", {"k": 4}, 0.24, 0.189167, 0.299448, None),
    (TAU, "auc@k", "fixed", {"k": 4}, 0.598889, 0.518864, 0.673967, None),
    (A, "pass@k", "fixed", {"k": 2}, 0.666667, 0.367798, 0.873025, None),
    (A, "pass@k", "sampled", {"k": 2}, 0.666667, 0.275199, 0.913307, None),
    (RAGGED_A, "mean", "fixed", DROP, None, 0.252521, 0.898284, 5),
    (RAGGED_A, "mean", "sampled", DROP, None, 0.252521, 0.898284, None),
    (UNEQUAL, "pass@k", "fixed", {"k": 2}, 0.723214, 0.282169, 0.945559, None),  # fewer than 2k trials: mixture
    (UNEQUAL, "pass@k", "sampled", {"k": 2}, 0.723214, 0.282169, 0.945559, None),
    (SOLVED_ONCE, "mean", "fixed", {}, 1.0, 0.886487, 1.0, None),
    (SOLVED_4, "pass@k", "fixed", {"k": 2}, 1.0, 0.939828, 1.0, None),
    (FAILED_8, "mean", "fixed", {}, 0.0, 0.0, 0.015754, None),
    (ONE_QUESTION, "mean", "fixed", {}, 0.7, 0.396778, 0.892209, None),
    (ONE_QUESTION, "pass@k", "fixed", {"k": 2}, 0.933333, 0.495093, 0.995022, None),
    (GRADED, "mean", "fixed", {"w": [0, 1, 2]}, 1.111111, 0.533303, 1.622443, None),
    (GRADED, "mean", "sampled", {"w": [0, 1, 2]}, 1.111111, 0.301423, 1.796023, None),
]


@pytest.mark.parametrize(("R", "metric", "questions", "options", "mu", "lo", "hi", "n_eff"), GOLDEN)
def test_intervals_equal_golden_values(R, metric, questions, options, mu, lo, hi, n_eff):
    """Check golden intervals to six decimals."""
    r = eval.interval(R, metric, questions=questions, **options)
    assert (round(r.lo, 6), round(r.hi, 6)) == (lo, hi)
    assert mu is None or round(r.mu, 6) == mu
    assert n_eff is None or round(r.n_eff, 6) == n_eff


GOLDEN_DIFFERENCES = [
    (A, B, "fixed", {"metric": "pass@k", "k": 2}, 0.266667, 8.37642, 0.212854),
    (A, B, "fixed", {}, 0.2, 11.836066, 0.138301),
    (A, B, "sampled", {}, 0.2, 4, 0.25),  # by signs: of three differences, none is negative
    (A, B, "sampled", {"clusters": [0, 0, 1, 1, 2]}, 0.2, 1.487074, 0.25),
]


@pytest.mark.parametrize(("a", "b", "questions", "options", "mu", "df", "p"), GOLDEN_DIFFERENCES)
def test_differences_equal_golden_values(a, b, questions, options, mu, df, p):
    """Check golden differences, degrees of freedom and p-values to six decimals."""
    r = sinf.compare(a, b, questions=questions, **options)
    assert tuple(round(x, 6) for x in (r.mu, r.df, r.p_value)) == (mu, round(df, 6), p)


# --- the naive implementation, in fractions -----------------------------------------------------------

METRICS = [m["name"] for m in spec.METRICS.values() if "interval" in m["where"]]
BINARY = [name for name in METRICS if "k" in (takes := spec.METRICS[name]["takes"]) and "w" not in takes]


class Case(NamedTuple):
    """Rows of two models, and the options of a call."""

    R: list[list[int]]
    S: list[list[int]]
    metric: str
    parameters: dict[str, Any]
    model: str | None
    questions: str

    @property
    def parts(self) -> list[plainly.Parts]:
        g = self.parameters
        args = (self.metric, g.get("k", 1), g.get("tau", 0.0), g.get("w"), self.model == "mixture")
        return [plainly.parts_of(x, *args) for x in (self.R, self.S)]

    @property
    def scores(self) -> list[float]:
        return self.parameters.get("w", [0, 1])

    @property
    def options(self) -> dict[str, Any]:
        return {**self.parameters, "questions": self.questions, "model": self.model, "missing": "drop"}


@st.composite
def cases(draw: st.DrawFn, min_questions: int = 1, metrics: tuple[str, ...] = tuple(METRICS)) -> Case:
    metric = draw(st.sampled_from(metrics))
    k = draw(st.integers(1, 3 if metric == "max_at_k" else 4))
    parameters: dict[str, Any] = {"k": k} if "k" in spec.METRICS[metric]["takes"] else {}
    if metric == "g_pass_at_k_tau":
        parameters["tau"] = draw(st.sampled_from([0, 0.3, 0.5, 0.75, 1]))
    C = 1
    if metric in ("mean", "max_at_k") and draw(st.booleans()):
        C, score = draw(st.integers(1, 3)), st.integers(-2, 2) | st.floats(-2, 2).map(lambda x: round(x, 9))
        parameters["w"] = draw(st.lists(score, min_size=C + 1, max_size=C + 1))
    k = 2 if metric == "flip_rate" else parameters.get("k", 1)
    sizes = st.sampled_from([k, k + 1, max(k, 2 * k - 1), 2 * k, 2 * k + 1])
    M, rows_of_models = draw(st.integers(min_questions, 5)), []
    for _ in range(2):
        n = [draw(sizes)] * M if draw(st.booleans()) else draw(st.lists(sizes, min_size=M, max_size=M))
        rows_of_models.append([draw(st.lists(st.integers(0, C), min_size=x, max_size=x)) for x in n])
    model, questions = draw(st.sampled_from(["mixture", "mixture", None])), draw(st.sampled_from(["fixed", "sampled"]))
    return Case(*rows_of_models, metric, parameters, model, questions)


def close(got: float, exact: Any) -> bool:
    """Whether two numbers agree within 0.75 ULP, or within 2^-90 if the exact one is below 2^-40."""
    return plainly.error(got, exact) <= 0.75 or 0 < abs(exact) < 2.0**-40 > abs(got - float(exact)) * 2.0**50


@pytest.mark.slow
@settings(max_examples=scaled(400, 30))
@given(cases(), st.sampled_from([0.95, 0.5, 0.999]), st.data())
def test_intervals_agree_with_fractions(case: Case, confidence: float, data: st.DataObject) -> None:
    """Check intervals of every metric: fixed and sampled questions, pools, clusters, with and without a model."""
    M, pool, clusters = len(case.R), None, None
    if case.questions == "sampled":
        pool = data.draw(st.none() | st.integers(M, M + 5))
        clusters = None if pool else data.draw(st.none() | st.lists(st.integers(0, 2), min_size=M, max_size=M))
    got = eval.interval(
        case.R, case.metric, confidence=confidence, pool=pool, clusters=clusters, **case.options
    )  # fmt: skip
    want = plainly.estimate(case.parts[0], case.questions == "sampled", pool, clusters)
    low, high = min(case.scores), max(case.scores)
    assert (got.variance_source, got.units, got.dropped) == (want.variance_source, want.units, [])
    assert close(got.n_eff, plainly.mpf(want.n_eff))
    assert close(got.mu, plainly.mpf(Fraction(low) + (Fraction(high) - Fraction(low)) * want.theta))
    exact = plainly.wilson(want, confidence, low, high)
    for x, y in zip((got.sigma, got.lo, got.hi), exact, strict=True):
        assert close(x, y)
    if low < high:
        t = low + data.draw(st.floats(1e-3, 0.999)) * (high - low)
        above = sinf.prob_above(case.R, t, case.metric, pool=pool, clusters=clusters, **case.options)
        assert close(above, plainly.probability_above(want, t, low, high))


@pytest.mark.slow
@settings(max_examples=scaled(300, 30))
@given(cases(2))
def test_differences_agree_with_fractions(case: Case) -> None:
    """Check differences of every metric, their standard errors and variance sources; and P(A > B)."""
    p, q = case.parts
    D, V, source, by_signs = plainly.pair(p, q, case.questions == "sampled")
    got = sinf.compare(case.R, case.S, case.metric, **case.options)
    width = Fraction(max(case.scores)) - Fraction(min(case.scores))
    assert got.variance_source == source
    assert close(got.mu, plainly.mpf(width * D))
    assert close(got.sigma, plainly.mpf(width) * plainly.mp.sqrt(plainly.mpf(V)))
    if V and D:
        t = plainly.mpf(D) / plainly.mp.sqrt(plainly.mpf(V))
        p = max(2 * plainly.t_cdf(-abs(t), got.df), plainly.mpf(by_signs))
        assert abs(got.p_above - (1 - p / 2 if D > 0 else p / 2)) < 1e-14
        assert abs(got.p_value - p) < 1e-14
    swapped = sinf.compare(case.S, case.R, case.metric, **case.options)
    assert (swapped.mu, swapped.sigma, swapped.lo, swapped.hi) == (-got.mu, got.sigma, -got.hi, -got.lo)
    assert got.lo <= got.mu <= got.hi
    models = {"A": case.R, "B": case.S}
    # of the model that is better if got.mu > 0: B where a lower value is better
    model_range = rank.ranges(models, case.metric, **case.options)["B" if case.metric == "flip_rate" else "A"]
    if abs(got.lo) < float(width) > abs(got.hi):
        assert (model_range.worst == 1, model_range.best == 2) == (got.lo > 0.0, got.hi < 0.0)


@pytest.mark.slow
@given(cases(2, tuple(METRICS)), st.data())
def test_order_and_sums_of_counts_do_not_matter(case: Case, data: st.DataObject) -> None:
    """Check that the order of questions and trials, and adding up Counts from parts, change no bit."""
    M = len(case.R)
    order = data.draw(st.permutations(range(M)))
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=M, max_size=M))
    C = len(case.scores) - 1
    complete = scorio.tally(case.R, C, missing="drop")
    halves = Counts(complete.table // 2), Counts(complete.table - complete.table // 2)
    permuted = [data.draw(st.permutations(case.R[i])) for i in order]
    clusters = labels if case.questions == "sampled" else None
    want = eval.interval(case.R, case.metric, clusters=clusters, **case.options)
    permuted_labels = [labels[i] for i in order] if clusters else None
    assert eval.interval(permuted, case.metric, clusters=permuted_labels, **case.options) == want
    assert eval.interval(halves[0] + halves[1], case.metric, clusters=clusters, **case.options) == want
    assert eval.interval(complete, case.metric, clusters=clusters, **case.options) == want
    pair = sinf.compare(case.R, case.S, case.metric, **case.options)
    assert sinf.compare(permuted, [case.S[i] for i in order], case.metric, **case.options) == pair


@given(
    st.sampled_from([("mean", None), ("pass@k", 2), ("pass^k", 3), ("maj@k", 3), ("auc@k", 2), ("mg-pass@k", 4)]),
    st.integers(8, 20),
    st.data(),
)
def test_bounds_on_degrees_of_freedom_change_no_interval(metric, n, data):
    """Check that the shortcut by bounds gives the same degrees of freedom as the full computation."""
    c = data.draw(st.lists(st.integers(0, n), min_size=1, max_size=40))
    request = parse_request(*metric, None, None, "fixed")
    x = request.estimator(Counts.from_successes(c, [n] * len(c)))
    if not x.parts.single:
        assert x.interval_freedom() == Estimator.interval_freedom(x)


# --- properties ---------------------------------------------------------------------------------------


@pytest.mark.slow
@given(cases())
def test_mu_equals_the_function_of_the_metric(case: Case) -> None:
    """Check that mu equals the value of the metric bit for bit, for every metric and every alias."""
    r = eval.interval(case.R, case.metric, **case.options)
    if case.metric == "mean":
        assert r.mu == eval.avg(case.R, case.parameters.get("w"), missing="drop").mu
    elif hasattr(eval, case.metric):  # others are compared with plainly.py only
        assert r.mu == getattr(eval, case.metric)(case.R, **case.parameters, missing="drop")
    by_alias = eval.interval(case.R, table.ENTRIES[case.metric].alias, **case.options)
    assert (by_alias, by_alias.n_eff, by_alias.variance_source) == (r, r.n_eff, r.variance_source)


@given(cases())
def test_a_pool_of_these_questions_is_the_fixed_interval(case: Case) -> None:
    """Check a pool without further questions, and that more confidence is wider."""
    options = case.options | {"questions": "sampled"}
    fixed = eval.interval(case.R, case.metric, **case.options | {"questions": "fixed"})
    for pool in (None, len(case.R) + 3):
        inner, outer = (eval.interval(case.R, case.metric, pool=pool, confidence=x, **options) for x in (0.95, 0.99))
        assert outer.lo <= inner.lo <= inner.mu <= inner.hi <= outer.hi
    whole_pool = eval.interval(case.R, case.metric, pool=len(case.R), **options)
    assert (*whole_pool, whole_pool.n_eff) == (*fixed, fixed.n_eff)


@given(cases(metrics=("mean",)), st.sampled_from(BINARY))
def test_every_metric_at_k_1_is_the_mean(case: Case, metric: str) -> None:
    """Check that at k = 1 every metric has the mean's interval within one ULP, except mG-Pass@k, which is 0."""
    R = [[min(x, 1) for x in row] for row in case.R]
    args = {"questions": case.questions, "missing": "drop"}
    tau = {"tau": 0.5} if metric == "g_pass_at_k_tau" else {}
    r, mean = eval.interval(R, metric, 1, **tau, **args), eval.mean_ci(R, **args)
    if metric == "mg_pass_at_k":
        assert (r.mu, r.sigma, r.lo) == (0.0, 0.0, 0.0)
        return
    assert (r.variance_source, r.units) == (mean.variance_source, mean.units)
    for x, y in zip((*r, r.n_eff), (*mean, mean.n_eff), strict=True):
        assert abs(x - y) <= np.spacing(max(x, y))


@given(cases(metrics=("max_at_k",)))
def test_max_at_k_of_binary_outcomes_is_pass_at_k(case: Case) -> None:
    R = [[min(x, 1) for x in row] for row in case.R]
    args = {"k": case.parameters["k"], "questions": case.questions, "missing": "drop"}
    r, s = (eval.interval(R, metric, model=case.model, **args) for metric in ("max@k", "pass@k"))
    assert r.variance_source == s.variance_source
    for x, y in zip((*r, r.n_eff), (*s, s.n_eff), strict=True):
        assert abs(x - y) <= np.spacing(max(x, y))


@given(cases(), st.floats(0.01, 0.99))
def test_prob_above_agrees_with_the_interval(case: Case, share: float) -> None:
    """Check that prob_above exceeds (1 + confidence)/2 exactly where t is below the interval."""
    low, high = min(case.scores), max(case.scores)
    t = low + share * (high - low)
    if not low < t < high:
        return
    r = eval.interval(case.R, case.metric, confidence=0.9, **case.options)
    p = sinf.prob_above(case.R, t, case.metric, **case.options)
    if abs(t - r.lo) > 1e-9 and abs(t - r.hi) > 1e-9 and low < r.mu < high:
        assert (p > 0.95, p < 0.05) == (t < r.lo, t > r.hi)


def test_prob_above_is_right_near_the_ends_of_the_scale() -> None:
    for R, last in (([[0, 1]], 1.0), ([[0]], 0.5), ([[1]], 1.0)):
        assert sinf.prob_above(R, 5e-324, questions="fixed") == last
    assert sinf.prob_above([[0, 1]], -5e-324, w=[-1, 0], questions="fixed") == 0.0
    assert sinf.prob_above([[1, 1]], 1 - 2**-53, questions="fixed") == pytest.approx(0.5, abs=1e-6)


def test_replace_changes_only_the_fields_it_is_given() -> None:
    """Check that _replace changes only the fields it is given, and that intervals differing in a field are unequal."""
    x = eval.interval(A, questions="fixed")
    assert x._replace() == x == (x.mu, x.sigma, x.lo, x.hi)
    assert (x != x._replace()) is False
    for field, value in {"mu": 0.0, "n_eff": 1.0, "questions": "sampled", "dropped": [1]}.items():
        y = x._replace(**{field: value})
        assert y != x
        assert {z for z in (*x._fields, *vars(x)) if getattr(y, z) != getattr(x, z)} == {field}
    with pytest.raises(TypeError, match="width"):
        x._replace(width=1.0)


def test_both_shapes_agree_with_many_trials() -> None:
    """Check that both shapes agree with many trials, and stay within the scores with few."""
    a, b = (eval.interval(TAU, "pass@k", 2, questions="fixed", shape=s) for s in ("wilson", "beta"))
    assert (a.mu, a.sigma, a.n_eff) == (b.mu, b.sigma, b.n_eff)
    assert (b.lo, b.hi) == pytest.approx((a.lo, a.hi), abs=2e-3)
    assert eval.interval(FAILED_8, "pass@k", 4, questions="fixed", shape="beta").lo == 0.0
    assert eval.interval(SOLVED_4, "pass^k", 4, questions="fixed", shape="beta").hi == 1.0


def test_models_with_equal_scores_differ_by_0() -> None:
    """Check that models with equal scores have the difference 0, also where rounding would leave a remainder."""
    for metric in BINARY:
        parameters = {"k": 3} | ({"tau": 0.5} if metric == "g_pass_at_k_tau" else {})
        same = sinf.compare(TAU, TAU[:, ::-1], metric, questions="fixed", **parameters)
        assert (same.mu, same.p_above) == (0.0, 0.5)
    one = Counts.from_successes([1, 2, 0], [6, 6, 6])
    two = Counts.from_successes([2, 0, 1], [6, 6, 6])
    assert sinf.compare(one, two, "auc@k", 5, questions="sampled").mu == 0.0
    third = Counts.from_successes([1, 1], [3, 3]), Counts.from_successes([2, 0], [3, 3])  # both 1/3 at k = 1
    assert sinf.compare(*third, "pass@k", 1, questions="fixed").mu == 0.0
    graded = Counts([[1, 2, 3], [2, 2, 2]]), Counts([[2, 2, 2], [1, 2, 3]])
    assert sinf.compare(*graded, "max@k", 2, w=[-0.1, 0.3, 1.7], questions="fixed").mu == 0.0
    unequal = Counts.from_successes([2**40, 7], [2**50, 9]), Counts.from_successes([2**40 + 1, 7], [2**50, 9])
    r = sinf.compare(*unequal, "pass@k", 2, questions="fixed")
    n, c = 2**50, 2**40
    want = Fraction((n - c - 1) * (n - c - 2) - (n - c) * (n - c - 1), n * (n - 1)) / 2
    assert plainly.error(r.mu, plainly.mpf(want)) <= 0.75


def test_many_trials_lose_no_precision() -> None:
    """Check 2^50 trials, rates near 0, 1/3, 1/2 and 1: u^2 - W (intervals.md) in doubles would lose every digit."""
    n = 2**50
    for metric, c in (("pass@k", 3), ("pass^k", n - 3), ("maj@k", 40), ("mg-pass@k", n - 40), ("auc@k", n - 2)):
        r = eval.interval(Counts.from_successes([c], [n]), metric, 8, questions="fixed")
        assert 0.0 <= r.lo <= r.mu <= r.hi <= 1.0
        assert r.variance_source == "measured"
    r = eval.interval(Counts.from_successes([n // 2 - 2**24], [n]), "flip_rate", questions="fixed")
    c, A = n // 2 - 2**24, plainly.credit("flip_rate", 2, 0.0)
    u, W = plainly.u_statistic(n, c, A), plainly.u_statistic(n, c, plainly.block_credits(A))
    V = max(u * u - W, u / (n * (n - 1))) + Fraction(4, n * (n + 1))
    assert plainly.error(r.n_eff, plainly.mpf(u * (1 - u) / V)) <= 0.75
    k, A = 8, plainly.credit("maj_at_k", 8, 0.0)
    c = n // 3
    u, W = plainly.u_statistic(n, c, A), plainly.u_statistic(n, c, plainly.block_credits(A))
    steepest = 4 * n // 7  # where one more success adds most
    s = (plainly.u_statistic(n, steepest + 1, A) - plainly.u_statistic(n, steepest, A)) * Fraction(k, n + k - 1)
    r = eval.interval(Counts.from_successes([c], [n]), "maj@k", k, questions="fixed")
    assert plainly.error(r.n_eff, plainly.mpf(u * (1 - u) / (u * u - W + s))) <= 0.75


@pytest.mark.parametrize("metric", BINARY)
def test_the_largest_increase_is_at_its_closed_form(metric: str) -> None:
    """Check the closed form of the number of successes at which one more adds most."""
    for n in range(1, 14):
        for k in range(1, n + 1):
            for tau in (0.3, 0.7) if metric == "g_pass_at_k_tau" else (0.0,):
                m = table.read_metric(metric, k, tau if metric == "g_pass_at_k_tau" else None, None)
                A = plainly.credit(metric, k, tau)
                steps = [plainly.u_statistic(n, c + 1, A) - plainly.u_statistic(n, c, A) for c in range(n)]
                assert steps[table.steepest(m, n)] == max(steps)


def test_the_flip_rate_is_pass_at_2_minus_pass_hat_2() -> None:
    """Check flip_rate: Pass@2 - Pass^2, its minimum variance, the bound for few trials, and that lower is better."""
    x = Counts.from_successes([2] * 6 + [1], [4] * 7)
    want = Fraction(2, 3) * 6 + Fraction(1, 2)
    assert plainly.error(eval.flip_rate(x), plainly.mpf(want / 7)) <= 0.5001
    assert eval.flip_rate(x) == pytest.approx(eval.pass_at_k(x, 2) - eval.pass_hat_k(x, 2), abs=1e-15)
    r = eval.interval(x, "flip_rate", questions="fixed")
    least = (want / 12 + Fraction(1, 5)) / 49  # (S + s)/M^2: the v_a sum to only 1/4 - 6 * 2/9
    assert plainly.error(r.n_eff, plainly.mpf(want / 7 * (1 - want / 7) / least)) <= 0.75
    for n in (2, 3):
        one = Counts.from_successes([1, 0, n], [n] * 3)
        a, b = (eval.interval(one, "flip_rate", questions="fixed", model=model) for model in ("mixture", None))
        assert a == b
        assert a.variance_source == "upper bound"
    models = {"flaky": [[0, 1] * 4] * 9, "solid": [[1] * 8] * 9}
    assert rank.flip_rate(models) == {"flaky": 2, "solid": 1}
    assert rank.ranges(models, "flip-rate", questions="fixed")["solid"] == (1, 1)
    assert rank.winners(models, "flip_rate", questions="fixed") == ["solid"]
    rows = {m.model: m for m in sinf.suite({"x": models}, "flip_rate", questions="fixed").models}
    assert rows["solid"].possibly_best
    assert (rows["flaky"].best, rows["flaky"].possibly_best) == (2, False)
    for n in range(4, 40):
        m = table.read_metric("flip_rate", None, None, None)
        A = plainly.credit("flip_rate", 2, 0.0)
        steps = [plainly.u_statistic(n, c + 1, A) - plainly.u_statistic(n, c, A) for c in range(n)]
        assert steps[table.steepest(m, n)] == max(steps)


def test_flip_rate_needs_two_trials_and_has_no_gate() -> None:
    """Check that the flip rate of one trial, and gates, are refused with a message that says what to do."""
    with pytest.raises(
        scorio.InvalidInput, match=r"two trials of every question of R, and question 1 has fewer: leave it"
    ) as e:
        eval.interval([[0, 1], [1, None]], "flip_rate", questions="fixed", missing="drop")
    assert (e.value.code, e.value.argument) == ("range", "R")
    with pytest.raises(scorio.InvalidInput, match=r"lower is better.*sinf.compare\(\.\.\., \"flip-rate\"\)"):
        sinf.gate([[0, 1]], [[1, 1]], "flip-rate", margin=0.1, questions="fixed")
    with pytest.raises(scorio.InvalidInput, match="lower is better"):
        sinf.Monitor(planned=8, questions="fixed", metric="flip_rate", margin=0.1)
    assert sinf.Monitor(planned=8, questions="fixed", metric="flip_rate").look([[0, 1] * 4] * 9, [[1] * 8] * 9).stop


# --- refusals -----------------------------------------------------------------------------------------

R = [[0, 1, 1, 0], [1, 1, 0, 1]]
FIXED = {"questions": "fixed"}
SAMPLED = {"questions": "sampled"}


@pytest.mark.parametrize(
    ("args", "code", "argument"),
    [
        ({"metric": "pass@n", "k": 2, **FIXED}, "choice", "metric"),
        ({"metric": "bayes", **FIXED}, "choice", "metric"),
        ({"metric": "naive_pass_hat_k", "k": 2, **FIXED}, "choice", "metric"),
        ({"metric": None, **FIXED}, "type", "metric"),
        ({"metric": 2, **FIXED}, "type", "metric"),
        ({"metric": "mean", "k": 1, **FIXED}, "conflict", "k"),
        ({"metric": "avg", "tau": 0.5, **FIXED}, "conflict", "tau"),
        ({"metric": "pass@k", **FIXED}, "type", "k"),
        ({"metric": "pass@k", "k": 2.0, **FIXED}, "type", "k"),
        ({"metric": "pass@k", "k": 0, **FIXED}, "range", "k"),
        ({"metric": "pass@k", "k": 5, **FIXED}, "range", "k"),
        ({"metric": "max@k", "k": 5, **SAMPLED}, "range", "k"),
        ({"metric": "pass@k", "k": 2, "tau": 0.5, **FIXED}, "conflict", "tau"),
        ({"metric": "pass@k", "k": 2, "w": [0, 1], **FIXED}, "conflict", "w"),
        ({"metric": "g-pass@k", "k": 2, **FIXED}, "type", "tau"),
        ({"metric": "g-pass@k", "k": 2, "tau": 1.5, **FIXED}, "range", "tau"),
        ({"metric": "max@k", "k": 2, "w": [], **FIXED}, "empty", "w"),
        ({"metric": "max@k", "k": 2, "w": [1], **FIXED}, "length", "w"),
        ({"model": "gamma", **FIXED}, "choice", "model"),
        ({"model": True, **FIXED}, "type", "model"),
        ({"shape": "normal", **FIXED}, "choice", "shape"),
        ({"questions": "all"}, "choice", "questions"),
        ({"questions": None}, "type", "questions"),
        ({"confidence": 1.0, **FIXED}, "range", "confidence"),
        ({"pool": 9, **FIXED}, "conflict", "pool"),
        ({"pool": 1, **SAMPLED}, "range", "pool"),
        ({"clusters": [1], **SAMPLED}, "length", "clusters"),
        ({"missing": "skip", **FIXED}, "choice", "missing"),
    ],
)
def test_invalid_arguments_are_refused(args: dict[str, Any], code: str, argument: str) -> None:
    """Check code and argument of errors of interval; of compare, ranges and prob_above if they take the arguments."""
    calls: list[tuple[Any, dict[str, Any]]] = [(eval.interval, {"R": R})]
    if not {"shape", "pool", "clusters"} & set(args):
        calls += [(sinf.compare, {"A": R, "B": R}), (rank.ranges, {"models": [R, R]})]
    if not {"shape", "confidence"} & set(args):
        calls.append((sinf.prob_above, {"R": R, "t": 0.5}))
    for f, data in calls:
        with pytest.raises(InvalidInput) as e:
            f(**data, **args)
        assert (e.value.code, e.value.argument) == (code, argument)


def test_the_error_of_a_large_k_names_the_questions() -> None:
    """Check that the message names the questions with too few trials, by their index, but not those without any."""
    R = [[1, 0, 1], [], [1], [0, 1], [1, 1, 1]]
    with pytest.raises(InvalidInput, match=r"k = 3 is above the trials of 2 questions \(2, 3\) of R.*extrapolate") as e:
        eval.interval(R, "pass@k", 3, questions="fixed", missing="drop")
    assert (e.value.code, e.value.argument) == ("range", "k")
    with pytest.raises(InvalidInput, match="question 1 of B"):
        sinf.compare([[1, 1], [0, 1]], [[1, 1], [0]], "pass@k", 2, questions="fixed", missing="drop")
    with pytest.raises(InvalidInput, match=r"2 questions \(0, 1\) of model 'b'"):
        rank.ranges({"a": [[1, 1], [0, 1]], "b": [[1], [0]]}, "pass@k", 2, questions="fixed", missing="drop")


@pytest.mark.parametrize(
    ("call", "code", "argument"),
    [
        (lambda: eval.extrapolate(R, "pass@k", 4), "range", "k"),
        (lambda: eval.extrapolate(R, "pass@k", 0), "range", "k"),
        (lambda: eval.extrapolate(R, "pass@k", None), "type", "k"),
        (lambda: eval.extrapolate(R, "maj@k", 9), "choice", "metric"),
        (lambda: eval.extrapolate([[], []], "pass@k", 9, missing="drop"), "empty", "R"),
        (lambda: eval.extrapolate(Counts([[0, 0]]), "pass@k", 9), "no_trials", "R"),
        (lambda: eval.interval(Counts([[0, 0]]), "pass@k", 9, questions="fixed"), "no_trials", "R"),
        (lambda: sinf.prob_above(R, 0.0, questions="fixed"), "range", "t"),
        (lambda: sinf.prob_above(R, 1, questions="fixed"), "range", "t"),
        (lambda: sinf.prob_above(R, "x", questions="fixed"), "type", "t"),
        (lambda: sinf.prob_above(R, float("nan"), questions="fixed"), "not_finite", "t"),
        (lambda: sinf.prob_above(R, 0.5, w=[0.5, 0.5], questions="fixed"), "range", "t"),
        (lambda: sinf.compare([[1, 0]], [[1, 1]], "pass@k", 2, questions="sampled"), "shape", "A"),
        (lambda: sinf.compare(R, R, "pass@k", 2, questions="fixed", paired=False), "conflict", "paired"),
    ],
)
def test_invalid_arguments_of_other_functions_are_refused(call: Callable[[], Any], code: str, argument: str) -> None:
    """Check the code and argument of errors of extrapolate, prob_above and compare."""
    with pytest.raises(InvalidInput) as e:
        call()
    assert (e.value.code, e.value.argument) == (code, argument)


def test_converge_takes_both_names_of_a_metric() -> None:
    models = [TAU[:3], TAU[3:6]]
    for name, options in (("pass_at_k", {"k": 2}), ("pass_hat_k", {"k": 2}), ("maj_at_k", {"k": 3}), ("mean", {})):
        want = converge.rank_trajectory(models, name, **options)
        assert converge.rank_trajectory(models, table.ENTRIES[name].alias, **options) == want
    with pytest.raises(InvalidInput, match="pass_at_k takes no w") as e:
        converge.rank_trajectory(models, "pass@k", k=2, w=[0, 1])
    assert (e.value.code, e.value.argument) == ("conflict", "w")
    with pytest.raises(InvalidInput) as e:
        scorio.read({"m": TAU}).leaderboard(bayes="yes")  # type: ignore[arg-type]
    assert (e.value.code, e.value.argument) == ("type", "bayes")


BOUNDED = eval.interval([[1, 0, None], [1, 1, 0], [None] * 3], questions="fixed", missing="bounds")
ABOUT = ["questions", "variance_source", "n_eff", "units", "dropped", "bounds"]


def test_an_interval_unpacks_as_four_numbers_and_keeps_all_fields_when_it_is_stored():
    mu, sigma, lo, hi = BOUNDED
    assert (mu, sigma, lo, hi) == BOUNDED
    assert len(BOUNDED) == 4
    fields = json.loads(json.dumps(BOUNDED._asdict()))
    assert list(fields) == ["mu", "sigma", "lo", "hi", *ABOUT]
    assert fields["bounds"] == list(BOUNDED.bounds)
    assert fields["units"] == 2
    assert fields["dropped"] == [2]
    assert dataclasses.asdict(BOUNDED) == BOUNDED._asdict()


def test_a_data_frame_of_intervals_has_a_column_for_every_field():
    frame = pd.DataFrame([BOUNDED, BOUNDED._replace(lo=0.0, bounds=None)])
    assert list(frame.columns) == ["mu", "sigma", "lo", "hi", *ABOUT]
    assert frame["bounds"].tolist() == [BOUNDED.bounds, None]
    assert frame["lo"].tolist() == [BOUNDED.lo, 0.0]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_and_copies_of_an_interval_keep_all_fields(protocol):
    for x in (pickle.loads(pickle.dumps(BOUNDED, protocol)), copy.copy(BOUNDED), copy.deepcopy(BOUNDED)):
        assert x == BOUNDED
        assert x._asdict() == BOUNDED._asdict()
    assert BOUNDED.__replace__(lo=0.0)._asdict() == BOUNDED._asdict() | {"lo": 0.0}  # as copy.replace() calls it
