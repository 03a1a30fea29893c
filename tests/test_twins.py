"""Metrics, variances and tallies against naive implementations, most of them in fractions, on random input."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
import spec
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import scaled

from scorio import Answers, Counts, InvalidInput, ScoredTrials, eval, tally
from scorio.arithmetic import distributions, double_double
from scorio.eval import _shared
from scorio.inference.choice import trials_variance, value
from scorio.metrics.metric import Metric
from scorio.metrics.weights import threshold
from scorio.outcomes.states import distinct, states_of

pytestmark = pytest.mark.slow


@st.composite
def matrices(draw: st.DrawFn, C: int = 1, max_n: int = 9) -> np.ndarray:
    M, N = draw(st.integers(1, 6)), draw(st.integers(1, max_n))
    row = st.lists(st.integers(0, C), min_size=N, max_size=N)
    return np.array(draw(st.lists(row, min_size=M, max_size=M)))


def probabilities(c: int, n: int, k: int) -> list[Fraction]:
    """Probabilities of j = 0..k successes in k of n trials, c of which are successes."""
    return [Fraction(comb(c, j) * comb(n - c, k - j), comb(n, k)) for j in range(k + 1)]


def mean_credit(R: np.ndarray, k: int, credit: list[Fraction]) -> Fraction:
    """Mean over questions of the expected credit of k trials, where j successes have credit[j]."""
    n = R.shape[1]
    return sum(
        sum(p * a for p, a in zip(probabilities(int(c), n, k), credit, strict=True)) for c in R.sum(1)
    ) / Fraction(len(R))


@given(matrices(), st.data())
def test_metrics_of_k_trials_are_expected_credits(R: np.ndarray, data: st.DataObject) -> None:
    """Check that metrics of k trials, and the flip rate, are expected credits for numbers of successes."""
    k = data.draw(st.integers(1, R.shape[1]))
    tau = data.draw(st.floats(0, 1))
    needed = max(1, next(j for j in range(k + 1) if j / k >= tau))
    m = (k + 1) // 2  # mG-Pass@k credits successes beyond half of k
    pass_j = [[1 - Fraction(comb(k - s, j), comb(k, j)) for j in range(1, k + 1)] for s in range(k + 1)]
    trapezoid = [sum(p[i] + p[i + 1] for i in range(k - 1)) / (2 * (k - 1)) if k > 1 else p[0] for p in pass_j]
    step = lambda r: [Fraction(int(j >= r)) for j in range(k + 1)]  # noqa: E731
    for got, credit in [
        (eval.pass_at_k(R, k), step(1)),
        (eval.pass_hat_k(R, k), step(k)),
        (eval.g_pass_at_k_tau(R, k, tau), step(needed)),
        (eval.maj_at_k(R, k), step(k // 2 + 1)),
        (eval.mg_pass_at_k(R, k), [Fraction(2 * max(0, j - m), k) for j in range(k + 1)]),
        (eval.auc_at_k(R, k), trapezoid),
    ]:
        assert spec.ulp_error(got, mean_credit(R, k, credit)) <= 0.5001
    if R.shape[1] > 1:
        assert spec.ulp_error(eval.flip_rate(R), mean_credit(R, 2, [Fraction(0), Fraction(1), Fraction(0)])) <= 0.5001


@given(matrices(C=3), st.data())
def test_max_at_k_agrees_with_its_definition(R: np.ndarray, data: st.DataObject) -> None:
    """Check Max@k by its definition over sorted scores."""
    k = data.draw(st.integers(1, R.shape[1]))
    w = [float(x) for x in data.draw(st.lists(st.integers(-5, 5), min_size=4, max_size=4))]
    n, total = R.shape[1], Fraction(0)
    for row in R:
        g = sorted(Fraction(w[x]) for x in row)
        total += sum(comb(i - 1, k - 1) * g[i - 1] for i in range(k, n + 1)) / Fraction(comb(n, k))
    assert spec.ulp_error(eval.max_at_k(R, k, w), total / len(R)) <= 0.5001


REWARDS = [-1e300, -2.5, -5e-324, -0.0, 0.0, 5e-324, 0.1, 0.3, 1e16, 1e300]


@st.composite
def rewards(draw: st.DrawFn) -> tuple[list[list[int]], list[float]]:
    """Rows of 3 to 6 categories, and the scores of more categories than are stored as a table, many of them equal."""
    random = draw(st.randoms(use_true_random=False))
    pool = draw(st.sampled_from([REWARDS, [-1.0, 1.0], [x / 7 for x in range(-40, 40)]]))
    w = [random.choice(pool) for _ in range(draw(st.integers(66, 90)))]
    rows = draw(st.lists(st.lists(st.integers(0, len(w) - 1), min_size=3, max_size=6), min_size=1, max_size=4))
    return rows, w


@settings(max_examples=40, deadline=None)
@given(rewards(), st.integers(1, 3))
def test_many_rewards_agree_with_definitions_in_fractions(data: tuple[list[list[int]], list[float]], k: int) -> None:
    """Check Max@k, its posterior, Bayes@N and avg@N of many rewards, ties and unequal trials, from all levels."""
    rows, w = data
    M, C, W = len(rows), len(w), [Fraction(x) for x in w]
    best = average = mu = var = posterior_mean = posterior_var = Fraction(0)
    levels = sorted(set(W))
    for row in rows:
        n, T = len(row), len(row) + C
        g = sorted(W[x] for x in row)
        best += sum(comb(i, k - 1) * x for i, x in enumerate(g)) / Fraction(comb(n, k)) / M
        average += sum(g) / n / M
        nu = [1 + row.count(j) for j in range(C)]
        m = sum(v * x for v, x in zip(nu, W, strict=True)) / Fraction(T)
        mu += m / M
        var += (sum(v * x * x for v, x in zip(nu, W, strict=True)) / Fraction(T) - m * m) / (T + 1) / M**2
        A = [sum(v for v, x in zip(nu, W, strict=True) if x <= r) for r in levels]
        power = lambda a, s, j: Fraction(comb(a + j - 1, j), comb(s + j - 1, j))  # noqa: E731  # E[q^j], q ~ Beta(a, s-a)
        gaps = [y - x for x, y in itertools.pairwise(levels)]
        Q = [power(a, T, k) for a in A[:-1]]
        V = [power(a, T, 2 * k) - q * q for a, q in zip(A, Q, strict=False)]
        posterior_mean += (levels[-1] - sum(x * q for x, q in zip(gaps, Q, strict=True))) / M
        below = Fraction(0)
        for x, q, v in zip(gaps, Q, V, strict=True):  # Cov(q_l^k, q_m^k) = Q_l / Q_m Var(q_m^k), l < m
            posterior_var += v / q * x * (x * q + 2 * below) / M**2
            below += x * q
    assert spec.ulp_error(eval.max_at_k(rows, k, w, missing="drop"), best) <= 0.5001
    for got, center, square in (
        (eval.avg(rows, w, missing="drop"), average, None),
        (eval.bayes(rows, w, missing="drop"), mu, var),
        (eval.max_at_k_ci(rows, k, w, missing="drop"), posterior_mean, posterior_var),
    ):
        assert spec.ulp_error(got[0], center) <= 0.5001
        if square is not None:
            assert abs(Fraction(got[1]) ** 2 - square) <= square * Fraction(1, 2**51) + Fraction(5e-324)


@given(matrices(C=3), st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4))
def test_bayes_and_avg_agree_with_the_paper(R: np.ndarray, w: list[float]) -> None:
    """Check Algorithm 1 of the paper on Bayes@N, line by line, in fractions."""
    M, N = R.shape
    W, T = [Fraction(x) for x in w], 4 + N
    nu = [[1 + int((row == j).sum()) for j in range(4)] for row in R]
    mu = W[0] + sum(v * (x - W[0]) for row in nu for v, x in zip(row, W, strict=True)) / Fraction(M * T)
    var = Fraction(0)
    for row in nu:
        mean = sum(Fraction(v, T) * (x - W[0]) for v, x in zip(row, W, strict=True))
        var += sum(Fraction(v, T) * (x - W[0]) ** 2 for v, x in zip(row, W, strict=True)) - mean**2
    var /= M**2 * (T + 1)
    got = eval.bayes(R, w)
    assert spec.ulp_error(got.mu, mu) <= 0.5001
    assert abs(Fraction(got.sigma) ** 2 - var) <= var * Fraction(1, 2**51)
    average = sum((W[x] for row in R for x in row.tolist()), Fraction(0)) / (M * N)
    a = eval.avg(R, w)
    assert spec.ulp_error(a.mu, average) <= 0.5001
    assert abs(Fraction(a.sigma) ** 2 * N**2 - var * T**2) <= var * T**2 * Fraction(1, 2**51)
    assert eval.mean_ci(R, w, questions="fixed").mu == a.mu


@given(matrices(C=3), matrices(C=3))
def test_arrays_of_any_type_and_layout_are_counted(R: np.ndarray, S: np.ndarray) -> None:
    """Check counts of many dtypes, orders and strides against a loop, and that Counts add like concatenated trials."""
    table = np.array([[int((row == j).sum()) for j in range(4)] for row in R])
    big = np.zeros((2 * R.shape[0], 3 * R.shape[1]), np.int16)
    big[::2, ::3] = R
    forms = [R.astype(t) for t in "bBhHiIlLqQfd"] + [np.asfortranarray(R), big[::2, ::3], R[::-1][::-1], R.tolist()]
    forms += [R.astype(">i4"), R.astype(np.float16), R.astype(object), np.asfortranarray(R.astype(np.int8))]
    for form in forms:
        assert tally(form, 3).table.tolist() == table.tolist()
    if len(S) == len(R):
        assert tally(R, 3) + tally(S, 3) == tally(np.hstack([R, S]), 3)


TRIALS = [1, 7, 8, 16, 40, 248, 255, 256, 264, 2040, 2048, 2056]


@pytest.mark.parametrize("kind", "bBhiql?")
@pytest.mark.parametrize("C", [1, 2, 4, 5, 16, 17])
def test_every_kernel_of_the_tally_agrees_with_a_loop(C: int, kind: str) -> None:
    """Check counts by words, bit planes, comparisons, rows and columns against a loop, at three shares of successes.

    Sums of bytes above 255 must not wrap, and a bad entry must not be used as an index.
    """
    rng, C = np.random.default_rng(C), 1 if kind == "?" else C
    for N, share, order, M in itertools.product(TRIALS, [0.02, 0.5, 1.0], "CF", [1, 3, 4, 9]):
        R = np.where(rng.random((M, N)) <= share, rng.integers(1, C + 1, (M, N)), 0).astype(kind, order=order)
        counts = tally(R, C)
        table = counts.table
        assert table.tolist() == [[int((row == j).sum()) for j in range(C + 1)] for row in R]
        if C == 1:
            states = counts.states()
            assert dict(zip(states.c.tolist(), states.mult.tolist(), strict=True)) == Counter(table[:, 1].tolist())
        (group,) = counts.groups()
        assert group.sums == table.sum(axis=0).tolist()
        for (j, l), pair_sum in group.pairs.items():
            assert pair_sum == int((table[:, j] * table[:, l]).sum())
        assert len(group.pairs) == C * (C + 1) // 2
        if kind != "?":
            i, j = int(rng.integers(M)), int(rng.integers(N))
            R[i, j] = rng.choice([C + 1, 127] if kind == "B" else [C + 1, -1, -128, 127])
            with pytest.raises(InvalidInput, match=rf"\[{i}, {j}\]"):
                tally(R, C)


@given(matrices(C=2), st.randoms())
def test_order_does_not_matter(R: np.ndarray, random: object) -> None:
    """Check that the order of questions or trials, and the storage of R, change no bit."""
    w, k = [0.1, 0.7, 1.3], 1 + R.shape[1] // 2
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    permuted = rng.permuted(R[rng.permutation(len(R))], axis=1)
    for f in (
        lambda x: eval.bayes_ci(x, w),
        lambda x: eval.max_at_k_ci(x, k, w),
        lambda x: eval.mean_ci(x, w, questions="sampled"),
        lambda x: eval.auc_at_k_ci(x > 0, k),
        lambda x: eval.geom_at_k_ci(x > 0, k, 0.3, 1.2),
    ):
        assert f(R) == f(permuted) == f(np.asfortranarray(R)) == f(R.astype(np.int8))


@given(st.floats(1e-300, 1.0 - 2.0**-53), st.integers(1, 50))
def test_quantiles_of_the_normal_distribution_agree_with_their_definitions(confidence: float, parts: int) -> None:
    """Check quantiles of confidence levels, shared among several comparisons or not, against their definitions."""
    c = double_double.ext(confidence)
    half = double_double.times_2_to(c, -1.0)
    upper_tail = double_double.times_2_to(double_double.sub(double_double.ONE, c), -1.0)
    assert distributions.normal_z(confidence) == distributions.normal_quantile(half, upper_tail)
    tail = double_double.div(double_double.sub(double_double.ONE, c), double_double.ext(float(parts)))
    assert distributions.error_rate(confidence, parts) == tail
    if confidence > 0.5:
        quantile = distributions.normal_quantile(double_double.sub(double_double.ext(0.5), tail), tail)
        assert distributions.one_sided_z(confidence, parts) == quantile


def test_long_tables_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that the number of parts of a long table changes no bit; outside a terminal there is no progress bar."""
    counts = Counts.from_successes(range(200), [200] * 200)
    expected = [eval.auc_at_k_ci(counts, 20), eval.pass_at_k(counts, 20), eval.mg_pass_at_k_ci(counts, 7)]
    for limit in (10, 1000, 100_000):
        monkeypatch.setattr(_shared, "LONG", limit)
        assert [eval.auc_at_k_ci(counts, 20), eval.pass_at_k(counts, 20), eval.mg_pass_at_k_ci(counts, 7)] == expected
    assert capsys.readouterr().err == ""  # not a terminal: no bar


@given(st.integers(1, 300), st.integers(0, 300))
def test_the_threshold_is_the_smallest_sufficient_number(k: int, j: int) -> None:
    """Check the smallest r >= 1 with r/k >= tau, at every tau = j/k and next to it."""
    tau = min(j, k) / k
    for t in (tau, np.nextafter(tau, 0.0), np.nextafter(tau, 1.0)):
        t = float(t)
        if 0.0 <= t <= 1.0:
            assert threshold(k, t) == next(r for r in range(1, k + 1) if r / k >= t)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_distinct_states_are_sorted_and_indexed(pairs: list[tuple[int, int]]) -> None:
    """Check distinct states, in order, with multiplicities and an inverse index."""
    n, c = (np.array(x) for x in zip(*pairs, strict=True))
    states, index = distinct(n, c)
    result = list(zip(states.n.tolist(), states.c.tolist(), strict=True))
    assert result == sorted(set(pairs))
    assert [result[i] for i in index] == pairs
    assert states.mult.tolist() == [pairs.count(p) for p in result]
    uniform = states_of(np.full(c.size, 5), c)
    assert uniform.c.tolist() == sorted(set(c.tolist()))
    assert uniform.mult.tolist() == [c.tolist().count(x) for x in uniform.c]


def test_huge_counts_stay_exact() -> None:
    """Check trials near 2^52, where pair sums need 104 bits."""
    n = 2**52 + 1
    counts = Counts([[n - 3, 3, 0], [1, n - 2, 1]])
    (group,) = counts.groups()
    assert group.pairs[0, 1] == (n - 3) * 3 + (n - 2)
    assert group.pairs[1, 2] == n - 2
    assert eval.avg(counts, [0.0, 1.0, 1.0]).mu == float(Fraction(3 + n - 1, 2 * n))


def test_scores_of_very_different_size_lose_no_digits() -> None:
    """Check the limit near a tiny score among huge ones, where rounding could lose all digits."""
    counts = Counts([[0, 5, 0], [0, 5, 0]])
    for small in (1e-18, 1e-25, 1e-40):  # the exact limits are in the vectors of mean_ci
        r = eval.mean_ci(counts, [-1 / small, -1.0, -small], questions="fixed")
        assert r.lo <= r.mu <= r.hi < 0.0
        assert r.hi > -100 * small
    r = eval.mean_ci(Counts([[1, 0, 0]]), [-1e84, -1e139, -1e-179], questions="fixed")
    assert r.lo <= r.mu <= r.hi


@settings(max_examples=scaled(150, 40), deadline=None)
@given(st.data())
def test_votes_agree_with_all_subsets(data: st.DataObject) -> None:
    """Check Plurality@k and best-of-k over all subsets of a few trials."""
    n = data.draw(st.integers(1, 9))
    labels = data.draw(st.lists(st.sampled_from(["a", "a", "b", "c", "d", None]), min_size=n, max_size=n))
    key = data.draw(st.sampled_from(["a", "b", ["a", "c"]]))
    k, even = data.draw(st.integers(1, n)), data.draw(st.booleans())
    total = Fraction(0)
    for subset in itertools.combinations(labels, k):
        seen = Counter(x for x in subset if x is not None)
        most_frequent = [x for x in seen if seen[x] == max(seen.values())]
        n_correct = sum(x in key for x in most_frequent)
        if most_frequent and (even or len(most_frequent) == 1):
            total += Fraction(n_correct, len(most_frequent))
    ties = "even" if even else "none"
    got = eval.plurality_at_k(Answers([labels], [key]), k, ties)
    assert got == float(total / comb(n, k))

    scores = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    right = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    total = Fraction(0)
    for subset in itertools.combinations(zip(scores, right, strict=True), k):
        best = [y for s, y in subset if s == max(subset)[0]]
        total += Fraction(sum(best), len(best))
    assert eval.best_of_k(ScoredTrials([scores], [right]), k) == float(total / comb(n, k))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_variance_of_votes_agrees_with_leaving_out_trials(data: st.DataObject) -> None:
    """Check the variance by leaving out each trial in turn; a vote of one trial is the mean."""
    n = data.draw(st.integers(2, 8))
    labels = data.draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n))
    k = data.draw(st.integers(1, n // 2))
    m = Metric("plurality_at_k", k, 1, [0.0, 1.0])
    (x,) = Answers([labels], ["a"]).items
    leave_one_out = [value(m, Answers([[*labels[:i], *labels[i + 1 :]]], ["a"]).items[0]) for i in range(n)]
    center = sum(leave_one_out) / n
    expected = Fraction(n - 1, n) * sum((y - center) ** 2 for y in leave_one_out)
    assert double_double.value(trials_variance(m, x)) == float(expected)
    plurality_at_1 = eval.interval(Answers([labels, labels], ["a", "b"]), "plurality@k", 1, questions="fixed")
    mean = eval.mean_ci([[x == key for x in labels] for key in "ab"], questions="fixed")
    assert (*plurality_at_1, plurality_at_1.n_eff) == (*mean, mean.n_eff)
