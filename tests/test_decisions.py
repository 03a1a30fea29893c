"""Error rates of decisions: the rules of bench/pair_rules.py are those of the package, and the rates are bounded."""

from __future__ import annotations

import importlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import spec
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio import Counts, eval, rank, sinf
from scorio.inference.pairs import holm_doubles

pytestmark = pytest.mark.slow


def bench_module(name: str) -> Any:
    """A module of bench/, which is not left on the path: its coverage.py would hide the package of that name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(spec.ROOT / "bench"))
        return importlib.import_module(name)


rules, tables = bench_module("pair_rules"), bench_module("decisions")

RNG = np.random.default_rng(20)
CLUSTER_SIZES = (4, 3, 2, 1)


def binary(M: int, n: int) -> tuple[Any, Any]:
    """Successes per question of two models with the same success rates, in one run."""
    p = RNG.beta(0.5, 0.5, M)
    return tuple(RNG.binomial(n, p, (1, M)) for _ in "ab")  # type: ignore[return-value]


def agrees(simulated: Any, result: Any) -> bool:
    """Whether difference, standard error, degrees of freedom and p-value agree."""
    actual = (simulated.D[0], simulated.error[0], simulated.freedom[0], simulated.p()[0])
    return bool(np.allclose(actual, (result.mu, result.sigma, result.df, result.p_value), rtol=1e-9, atol=1e-12))


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("M", [2, 5, 30])
def test_rules_of_binary_outcomes_are_those_of_the_package(M: int, k: int) -> None:
    """Check comparisons of Pass@k (the mean for k = 1) on fixed and on sampled questions."""
    for n in (2 * k, 9):
        a, b = binary(M, n)
        x, y = (Counts.from_successes(c[0], np.full(M, n)) for c in (a, b))
        p, q = (rules.binary_runs(c, [n] * M, k) for c in (a, b))
        metric: dict[str, Any] = {"metric": "pass@k", "k": k}
        assert agrees(rules.fixed_differences(p, q), sinf.compare(x, y, **metric, questions="fixed"))
        assert agrees(rules.sampled_differences(p.u - q.u), sinf.compare(x, y, **metric, questions="sampled"))


def test_rules_of_clusters_and_unequal_trials_are_those_of_the_package() -> None:
    """Check clusters of unequal sizes, and questions with different numbers of trials."""
    n = [4, 8, 2, 5, 4, 9, 3, 4, 6, 7]
    a, b = (RNG.binomial(n, 0.5, (1, 10)) for _ in "ab")
    x, y = (Counts.from_successes(c[0], n) for c in (a, b))
    p, q = (rules.binary_runs(c, n) for c in (a, b))
    labels = np.repeat(range(4), CLUSTER_SIZES)
    assert agrees(rules.fixed_differences(p, q), sinf.compare(x, y, questions="fixed"))
    on_similar = rules.sampled_differences(p.u - q.u, CLUSTER_SIZES)
    assert agrees(on_similar, sinf.compare(x, y, questions="sampled", clusters=labels))


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("most", [1.0, 0.25])
def test_rules_of_scores_are_those_of_the_package(k: int, most: float) -> None:
    """Check the mean of scores (0) and Max@k; where two trials of a question differ by the whole scale, or by less."""
    rates = (0.3, 0.3, 0.4, 0.0) if most < 1 else (0.2, 0.2, 0.3, 0.3)
    a, b = (RNG.multinomial(6, rates, (1, 8)) for _ in "ab")
    scores = (0.0, 0.125, 0.25, 1.0)
    metric: dict[str, Any] = {"metric": "max@k", "k": k} if k else {}
    p, q = (rules.max_at_k_runs(x, scores, k) if k else rules.graded_runs(x, scores) for x in (a, b))
    result = sinf.compare(Counts(a[0]), Counts(b[0]), **metric, w=scores, questions="fixed")
    assert agrees(rules.fixed_differences(p, q), result)


@pytest.mark.parametrize("guard", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("M", [2, 9, 40])
def test_rules_of_gates_are_those_of_the_package(M: int, guard: float) -> None:
    """Check p-values of gates on fixed, sampled and different questions, and intervals of comparisons, by guard."""
    for margin in (0.02, 0.1, 0.3, 0.9):
        a, b = binary(M, 4)
        x, y = (Counts.from_successes(c[0], np.full(M, 4)) for c in (a, b))
        p, q = (rules.binary_runs(c, [4] * M) for c in (a, b))
        d, fixed = p.u - q.u, rules.fixed_differences(p, q)
        apart, sampled = rules.unpaired_differences(p.u, q.u), rules.sampled_differences(d, guard=guard)
        expected = {
            "fixed": rules.gate_p_values(fixed, margin, 1 / (4 * M), guard),
            "sampled": rules.gate_p_values(sampled, margin, 1 / M, guard, d),
        }
        for questions, (worse, better) in expected.items():
            r = sinf.gate(x, y, margin=margin, questions=questions, guard=guard)
            (side, got) = (worse, r.p_worse) if r.mu + margin > 0 else (better, r.p_better)
            assert got == pytest.approx(side[0], rel=1e-8, abs=1e-12), (questions, margin)
        assert agrees(apart, sinf.compare(x, y, questions="sampled", paired=False, guard=guard))
        r = sinf.compare(x, y, questions="sampled", guard=guard)
        if r.sigma:
            assert agrees(sampled, r)
            ends = (max(-1, r.mu - sampled.half()[0]), min(1, r.mu + sampled.half()[0]))
            assert np.allclose((r.lo, r.hi), ends, rtol=1e-9, atol=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusted_p_values_are_those_of_holm(p: list[float]) -> None:
    """Check p-values adjusted by Holm's method against the bench; none is below its p-value, and the order is kept."""
    got = holm_doubles(p)
    assert np.allclose(got, rules.holm(np.array([p]))[0], rtol=1e-12)
    assert all(x >= y for x, y in zip(got, p, strict=True))
    assert all(got[i] <= got[j] for i in range(len(p)) for j in range(len(p)) if p[i] < p[j])


OUTCOMES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8)


@settings(max_examples=60)
@given(
    OUTCOMES,
    st.sampled_from(["fixed", "sampled"]),
    st.floats(0.01, 0.9999),
    st.sampled_from([("mean", None), ("pass@k", 2), ("pass^k", 4), ("maj@k", 3)]),
    st.booleans(),
)
def test_interval_p_value_and_decision_agree(
    rows: Any, questions: str, confidence: float, metric: Any, clustered: bool
) -> None:
    """Check that the interval excludes 0 exactly where the p-value is at most 1 - confidence."""
    A, B = (Counts.from_successes([row[i] for row in rows], [4] * len(rows)) for i in (0, 1))
    clusters = [i // 2 for i in range(len(rows))] if clustered and questions == "sampled" and len(rows) > 2 else None
    r = sinf.compare(A, B, *metric, questions=questions, confidence=confidence, clusters=clusters)
    assert r.significant == (r.lo > 0 or r.hi < 0) == (r.p_value <= 1 - confidence)
    assert abs(2 * min(r.p_above, 1 - r.p_above) - r.p_value) < 1e-12
    reversed_ = sinf.compare(B, A, *metric, questions=questions, confidence=confidence, clusters=clusters)
    assert (reversed_.mu, reversed_.p_value, reversed_.df, reversed_.lo) == (-r.mu, r.p_value, r.df, -r.hi)


def test_ranges_and_winners_follow_from_the_pairs() -> None:
    """Check ranges against compare_all, its intervals against Bonferroni's, and winners by their margin."""
    R = {
        x: Counts.from_successes(RNG.binomial(8, p, 25), [8] * 25)
        for x, p in zip("abcde", (0.3, 0.35, 0.5, 0.7, 0.72), strict=True)
    }
    pairs = sinf.compare_all(R, questions="fixed")
    ranges = rank.ranges(R, questions="fixed")
    for name in R:
        won = sum(x.significant and (x.mu > 0) == (x.a == name) for x in pairs if name in (x.a, x.b))
        lost = sum(x.significant and (x.mu > 0) != (x.a == name) for x in pairs if name in (x.a, x.b))
        assert ranges[name] == (1 + lost, 5 - won)
    assert any(x.significant for x in pairs)
    for x in pairs:
        alone = sinf.compare(R[x.a], R[x.b], questions="fixed", confidence=1 - 0.05 / 10)  # ten pairs
        assert np.allclose((x.lo, x.hi, x.p_value), (alone.lo, alone.hi, alone.p_value), rtol=1e-12)
    sets = [rank.winners(R, questions="fixed", margin=m) for m in (0.0, 0.1, 0.3, 1.0)]
    assert all(set(x) <= set(y) for x, y in pairwise(sets))
    assert "a" not in sets[0]
    assert sets[-1] == list(R)


def test_clusters_of_one_question_each_change_only_degrees_of_freedom() -> None:
    """Check that clusters of one question each change the degrees of freedom only where no variance is observed."""
    a, b = (Counts.from_successes(c[0], [6] * 12) for c in binary(12, 6))
    options: dict[str, Any] = {"questions": "sampled"}
    assert sinf.compare(a, b, **options) == sinf.compare(a, b, **options, clusters=list(range(12)))
    plain, clustered = eval.mean_ci(a, **options), eval.mean_ci(a, **options, clusters=list(range(12)))
    assert (plain.mu, plain.n_eff, plain.units) == (clustered.mu, clustered.n_eff, clustered.units)
    assert (clustered.lo, clustered.hi) == (plain.lo, plain.hi)
    solved = Counts.from_successes([6] * 12, [6] * 12)
    assert eval.mean_ci(solved, **options, clusters=list(range(12))).lo < eval.mean_ci(solved, **options).lo


@pytest.fixture(scope="module")
def error_rates() -> tuple[Any, Any]:
    """Error rates by row, and the other measurements of bench/decisions.py."""
    return dict(tables.rows_of_pairs(short=True)), tables.other_decisions(short=True)


def test_error_rates_are_bounded(error_rates: tuple[Any, Any]) -> None:
    """Check that no error rate, power or coverage of the present rules is out of its bounds."""
    assert tables.failures(*error_rates) == []


def test_former_rules_exceed_their_bounds(error_rates: tuple[Any, Any]) -> None:
    """Check that the rules that the package once had exceed the bounds in each of these cases."""
    failures = " ".join(tables.failures(*error_rates, "before"))
    for name in (
        "mean, fixed, M = 10",
        "mean, fixed, skewed",
        "clusters",
        "some pair",
        "requested power",
    ):
        assert name in failures, name
