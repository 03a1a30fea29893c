"""Pass@k and Pass^k for k above the number of trials: the identified band, and models fitted by maximum likelihood."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from math import comb

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import scaled

from scorio import Counts, InvalidInput, eval
from scorio.analysis.curves import curve
from scorio.arithmetic.double_double import ext, get, value
from scorio.inference import zero_inflated, zero_inflated_limits
from scorio.inference.identified import Successes
from scorio.metrics import hypergeometric

GOLDEN = Counts.from_successes([0] * 12 + [1] * 5 + [2] * 3 + [3, 3, 5, 6, 8, 8, 9] + [10] * 3, [10] * 30)
Z = mp.mpf("1.959963984540054235524594430520551527955")
States = Sequence[tuple[int, int]]  # trials and successes of each question


@pytest.mark.parametrize(
    ("metric", "k", "expected"),
    [
        ("pass@k", 20, (0.437641, 0.689245, 0.734067, 0.899835)),
        ("pass@k", 40, (0.437641, 0.722075, 0.882457, 0.982100)),
        ("pass^k", 20, (0.008511, 0.072044, 0.092690, 0.256211)),
    ],
)
def test_bands_equal_golden_values(metric: str, k: int, expected: tuple[float, ...]) -> None:
    r = eval.extrapolate(GOLDEN, metric, k)
    assert [round(x, 6) for x in (r.low, r.lower, r.upper, r.high)] == list(expected)


def wilson(t: mp.mpf, N: mp.mpf, side: int) -> mp.mpf:
    q = Z * Z / N
    return (t + q / 2 + side * mp.sqrt(q * t * (1 - t) + q * q / 4)) / (1 + q)


def naive_band(rows: States, k: int) -> list[mp.mpf]:
    """Band and limits (lower, upper, low, high) by the formulas of spec/families/extrapolation.md, in many digits."""
    M, trials_of_hard = len(rows), [n for n, c in rows if c <= 2]
    n = min([k, *trials_of_hard]) if trials_of_hard else min(x for x, _ in rows)
    r = k - n
    f0, f1, f2 = (
        sum((F(comb(c, j) * comb(N - c, n - j), comb(N, n)) for N, c in rows if n <= N and j <= n), F(0))
        for j in range(3)
    )
    f0, f1, f2 = (mp.mpf(f.numerator) / f.denominator for f in (f0, f1, f2))
    if not f0:
        return [mp.mpf(1), mp.mpf(1), wilson(mp.mpf(1), mp.mpf(M), -1), mp.mpf(1)]
    phi, tiny = f0 / M, mp.mpf(1) / (12 * M * M)

    def H(A: mp.mpf, B: mp.mpf, r: int = r) -> mp.mpf:
        if A <= 0 or n == 1:
            return mp.mpf(0)
        Q, g = (n - 1) * A**2 / (2 * n * B * M), (n - 1) * A / ((n - 1) * A + 2 * B)
        return Q * (1 - g**r)

    def upper(d: int, side: int = 0, r: int = r) -> mp.mpf:
        x = (f1 + d) / (n * f0)
        m, b = phi * (1 + x) ** -r, r * x / (1 + x)
        V = m**2 * ((1 - phi) / f0 + b**2 * (1 / f0 + 1 / (f1 + 1)) + 2 * b / f0) + tiny
        return wilson(1 - m, (1 - m) * m / V if m < 1 else mp.mpf(M), side) if side else 1 - m

    up = upper(0)
    lower = up if n > 1 and f1 and not f2 else min(1 - phi + (H(f1, f2) if f1 else 0), up)
    A, B = max(f1 - 1, mp.mpf(0)), f2 + 1

    def lower_limit(r: int) -> mp.mpf:
        slope_A = mp.diff(lambda x: H(x, B, r), A, h=mp.mpf(10) ** -25) if A and n > 1 else 0
        slope_B = mp.diff(lambda x: H(A, x, r), B, h=mp.mpf(10) ** -25) if A and n > 1 else 0
        V = f0 / M**2 + slope_A**2 * f1 + slope_B**2 * B - (slope_A * f1 + slope_B * B - phi) ** 2 / M
        V = max(V, phi * (1 - phi) / M) + tiny
        return min(1 - phi + H(A, B, r) - Z * mp.sqrt(V), upper(0, -1, r))

    # S(r) of that page: the numbers up to r that have at most four significant binary digits
    checked_r = [i for i in range(1, r + 1) if i >> max(i.bit_length() - 4, 0) << max(i.bit_length() - 4, 0) == i]
    low = max([wilson(1 - phi, mp.mpf(M), -1), *map(lower_limit, checked_r)])
    return [lower, up, low, max(upper(1, 1, i) for i in [r, *checked_r])]


STATES = st.lists(
    st.integers(2, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=1, max_size=9
)


def counts_from(rows: States) -> Counts:
    return Counts.from_successes([c for _, c in rows], [n for n, _ in rows])


@given(STATES, st.integers(1, 40), st.booleans())
@settings(max_examples=60)
def test_the_band_agrees_with_its_formulas(rows: list[tuple[int, int]], more: int, is_pass_at_k: bool) -> None:
    """Check the band against its formulas written naively, with derivatives by finite differences."""
    k = min(n for n, _ in rows) + more
    r = eval.extrapolate(counts_from(rows), "pass@k" if is_pass_at_k else "pass^k", k)
    want = naive_band(rows if is_pass_at_k else [(n, n - c) for n, c in rows], k)
    got = (r.lower, r.upper, r.low, r.high) if is_pass_at_k else (1 - r.upper, 1 - r.lower, 1 - r.high, 1 - r.low)
    for x, y in zip(got, want, strict=True):
        assert abs(x - float(y)) <= 1e-12
    assert r.low <= r.lower <= r.upper <= r.high


@given(
    st.lists(st.tuples(st.just(6), st.integers(0, 6)), min_size=3, max_size=30), st.sampled_from(["pass@k", "pass^k"])
)
@settings(max_examples=scaled(25, 5))
def test_limits_do_not_fall_with_k(rows: list[tuple[int, int]], metric: str) -> None:
    """Check that limits do not fall with k (or rise, for Pass^k), and the model's are within those of the band."""
    sign, previous, previous_model = 1 if metric == "pass@k" else -1, np.full(2, -np.inf), np.full(3, -np.inf)
    fits = 0 < sum(c for _, c in rows) < 6 * len(rows)
    for k in (7, 8, 11, 15, 23, 24, 25, 40, 200):
        r = eval.extrapolate(counts_from(rows), metric, k)
        limits = sign * np.array([r.low, r.high])
        assert (limits >= previous - 1e-15).all()
        previous = limits
        if fits and (m := eval.extrapolate_model(counts_from(rows), metric, k)).value is not None:
            assert r.low <= m.lo <= m.value <= m.hi <= r.high
            assert (sign * np.array(m[:3]) >= previous_model).all()
            previous_model = sign * np.array(m[:3])


def log_likelihood(rows: States, v: float, s: float, o: float) -> float:
    """Log likelihood of the model with these parameters, summed question by question."""
    a, b, total = s * v / (1 + v), s / (1 + v), mp.mpf(0)
    for n, c in rows:
        p = mp.beta(a + c, b + n - c) / mp.beta(a, b)
        total += mp.log((o + p if c == 0 else p) / (1 + o))
    return total


@pytest.mark.parametrize("seed", range(4))
def test_fitted_models_maximise_the_likelihood(seed: int) -> None:
    """Check that no point near the maximum of either model is more likely."""
    rng = np.random.default_rng(seed)
    n = rng.integers(6, 9, 40)
    c = rng.binomial(n, rng.beta(1, 2, 40) * (rng.random(40) < 0.7))
    rows = [(int(x), int(y)) for x, y in zip(n, c, strict=True)]
    s = counts_from(rows).states()
    beta_binomial = zero_inflated.fit_beta_binomial(Successes(s.n, s.c, s.mult))
    inflated = zero_inflated.fit_zero_inflated(Successes(s.n, s.c, s.mult), beta_binomial)
    for model in (beta_binomial, inflated):
        if model is None:
            continue
        x = [value(y) for y in (model.v, model.s, model.o)]
        best = log_likelihood(rows, *x)
        for i in range(3):
            for side in (0.999, 1.001):
                y = [z * (side if i == j else 1.0) for j, z in enumerate(x)]
                if model.free[i]:
                    assert log_likelihood(rows, *y) < best


def test_the_inflated_model_is_chosen_for_too_many_zeros() -> None:
    """Check that the inflated model is chosen if there are too many zeros, and that Pass^k exchanges the outcomes."""
    c = [0] * 22 + [3, 4, 4, 5, 5, 5, 6, 6, 7] * 4
    r = eval.extrapolate_model(Counts.from_successes(c, [8] * len(c)), "pass@k", 64)
    assert r.model == "zero-inflated beta-binomial"
    assert 0.36 < r.atom < 0.4
    assert r.ratio > 3.84
    exchanged = eval.extrapolate_model(Counts.from_successes([8 - x for x in c], [8] * len(c)), "pass^k", 64)
    assert (exchanged.model, exchanged.alpha, exchanged.beta) == ("one-inflated beta-binomial", r.beta, r.alpha)
    assert (exchanged.atom, exchanged.ratio, exchanged.fit) == (r.atom, r.ratio, r.fit)
    assert abs(exchanged.value - (1 - r.value)) < 1e-15
    strict = eval.extrapolate_model(Counts.from_successes(c, [8] * len(c)), "pass@k", 64, confidence=1 - 1e-12)
    assert strict.model == "beta-binomial"
    assert strict.lo < r.lo
    assert strict.hi > r.hi


def test_smaller_widths_need_more_trials() -> None:
    """Check that smaller widths need more trials, and trials of questions with three successes or more do not count."""
    fits = [eval.extrapolate_model(GOLDEN, "pass@k", 40, width=w) for w in (0.1, 0.4, 0.5, 0.6)]
    assert fits[0].trials_needed is None
    assert fits[1].trials_needed > fits[2].trials_needed > fits[3].trials_needed == 0  # type: ignore[operator]
    assert fits[0].n_questions == 20
    c = [0, 0, 1, 2, 2, 3, 4, 5]
    unequal = eval.extrapolate(Counts.from_successes(c, [9] * 5 + [4, 5, 6]), "pass@k", 30)
    assert unequal == eval.extrapolate(Counts.from_successes([*c[:5], 7, 8, 9], [9] * 8), "pass@k", 30)
    assert unequal.n == 9


def test_the_band_of_enough_trials_is_a_point() -> None:
    """Check that the band is a point once every question with few successes has k trials."""
    c = [0, 0, 1, 2, 2, 3, 4, 5]
    r = eval.extrapolate(Counts.from_successes(c, [9] * 5 + [4, 5, 6]), "pass@k", 9)
    assert (r.lower, r.upper) == (0.75, 0.75)


@pytest.mark.parametrize(
    ("R", "args", "code", "argument"),
    [
        ([[0, 1], [1, 1]], {"width": 1.0}, "range", "width"),
        ([[0, 1], [1, 1]], {"width": "wide"}, "type", "width"),
        ([[0, 1], [1, 1]], {"confidence": 1.0}, "range", "confidence"),
        ([[0], [1]], {}, "undefined", "R"),
        ([[1, 1], [1, 1]], {}, "undefined", "R"),
    ],
)
def test_invalid_arguments_are_refused(R: list[list[int]], args: dict, code: str, argument: str) -> None:
    with pytest.raises(InvalidInput) as e:
        eval.extrapolate_model(R, "pass@k", 9, **args)
    assert (e.value.code, e.value.argument) == (code, argument)


def test_singular_information_has_the_limits_0_and_1() -> None:
    """Check that an information matrix that is not positive definite gives the limits 0 and 1.

    Rows 2 to 5 of out are the limits, and 1 minus each of them.
    """
    model = zero_inflated.fit_beta_binomial(Successes(np.array([4, 4]), np.array([0, 3]), np.array([5, 5])))
    singular, out = np.zeros((9, 3)), np.zeros((6, 3))
    zero_inflated_limits.limits(model.v, model.s, model.o, model.free, singular, 9, (2.0, 0.0, 0.0), out)
    assert [value(get(out, i)) for i in (2, 3, 4, 5)] == [0.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("df", [1, 2, 3, 8, 15])
@pytest.mark.parametrize("x", [0.0, 0.1, 3.0, 40.0, 900.0])
def test_the_chi_square_tail_agrees_with_mpmath(x: float, df: int) -> None:
    want = mp.gammainc(mp.mpf(df) / 2, mp.mpf(x) / 2, regularized=True)
    got = value(zero_inflated_limits.chi_square_tail((x, 0.0, 0.0), df))
    assert abs(got - float(want)) <= 1e-15 * float(want)


@pytest.mark.parametrize(("a", "b"), [(0.3, 2.5), (40.0, 1e6), (1e-4, 0.01), (500.0, 2e5)])
@pytest.mark.parametrize("n", [2**14 + 1, 10**5, 10**7])
def test_long_products_of_a_fitted_model_agree_with_mpmath(a: float, b: float, n: int) -> None:
    s = a + b
    got = zero_inflated.no_success(ext(s), n, ext(b))
    with mp.workprec(300):
        want = mp.exp(mp.loggamma(mp.mpf(b) + n) + mp.loggamma(s) - mp.loggamma(b) - mp.loggamma(mp.mpf(s) + n))
        assert abs((mp.mpf(got[0]) + mp.mpf(got[1])) * mp.mpf(2) ** int(256 * got[2]) / want - 1) < mp.mpf(2) ** -80


def test_products_far_below_the_doubles_get_no_further_factors() -> None:
    n, out = np.array([10**9, 10**9]), np.empty((2, 3))
    hypergeometric.pass_hat_k(n, np.array([5 * 10**8, 10**9 - 1]), 4 * 10**8, out)
    assert out[0, 0] > 0.0
    assert [value(get(out, i)) for i in range(2)] == [0.0, 0.6]


def test_a_question_of_a_million_trials_has_a_band_and_no_model() -> None:
    counts = Counts.from_successes([0, 1, 2, 600_000], [10**6] * 4)
    assert eval.extrapolate(counts, "pass@k", 10**7).unsolved == 1
    with pytest.raises(InvalidInput, match="1000000 trials, more than the 50000 that a model is fitted to"):
        eval.extrapolate_model(counts, "pass@k", 10**7)


@pytest.mark.slow
def test_a_curve_of_a_million_trials_is_measured_on_a_bounded_grid() -> None:
    """Check that the grid of k is bounded by the number of states, and stays below half of the trials."""
    n = 10**6
    counts = Counts.from_successes([10 * i for i in range(1000)], [n] * 1000)
    x = curve(counts, 4 * n, questions="fixed", confidence=0.95, points=4)
    assert (x.ks_measured[0], x.ks_measured[-1]) == (1, 1000)
    assert (x.ks_beyond[-1], x.model) == (4 * n, "")
    few = curve(Counts.from_successes([1, 2, 3], [8] * 3), 16, questions="fixed", confidence=0.95)
    assert few.ks_measured == tuple(range(1, 9))
