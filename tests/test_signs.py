"""The exact test of a difference by the signs of the units that were sampled."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t, ttest_rel

from scorio import Counts, sinf
from scorio.arithmetic.double_double import ZERO, from_fraction, from_ratio, value
from scorio.inference.significance import Contributions

RNG = np.random.default_rng(51)


def of_signs(x: list[Fraction], gap: Fraction = Fraction(0)) -> float | None:
    """The p-value of the package for contributions x with equal shares."""
    table = np.array([from_fraction(y) for y in x])
    share = np.array([from_ratio(1, len(x))] * len(x))
    contributions = Contributions(table, share, np.ones(len(x), np.int64))
    p = contributions.p_value(from_fraction(gap) if gap else ZERO)
    return None if p is None else value(p)


def by_enumeration(x: list[Fraction]) -> Fraction:
    """The share of all choices of signs, of exact numbers, whose sum is at least as far from 0."""
    sums = [abs(sum(s * y for s, y in zip(signs, x, strict=True))) for signs in product((1, -1), repeat=len(x))]
    return Fraction(sum(y >= abs(sum(x)) for y in sums), len(sums))


def scored(d: list[float], w: list[float]) -> tuple[Counts, Counts]:
    """Two models with one trial of each question, whose scores differ by d; w: the scores, with 0 and every |d|."""
    a, b = ([w.index(max(side * x, 0.0)) for x in d] for side in (1, -1))
    return tuple(Counts(np.eye(len(w), dtype=int)[c]) for c in (a, b))  # type: ignore[return-value]


NUMBERS = st.one_of(
    st.integers(-6, 6).map(Fraction),
    st.integers(-10, 10).map(lambda x: Fraction(x, 10)),
    st.builds(Fraction, st.integers(-40, 40), st.integers(1, 12)),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(NUMBERS, min_size=1, max_size=10))
def test_the_p_value_of_signs_is_that_of_all_their_choices(x: list[Fraction]) -> None:
    """Check it against all choices of signs of exact fractions, many of which have equal sums."""
    assert of_signs(x) == by_enumeration(x)


@given(st.lists(NUMBERS, min_size=2, max_size=9), NUMBERS)
def test_a_gap_moves_every_unit_by_its_share(x: list[Fraction], gap: Fraction) -> None:
    """Check that the p-value of a gap is that of the contributions less their shares of it."""
    assert of_signs(x, gap) == by_enumeration([y - gap / len(x) for y in x])


def test_sums_of_decimals_that_are_equal_count_as_equal() -> None:
    """Check .1 + .2 beside .3, which are different doubles: the signs of both choices give the same sum, 0."""
    x = [Fraction(y) for y in (0.1, 0.2, -0.3, 0.4)]
    assert sum(x[:3]) != 0
    assert of_signs(x) == by_enumeration([Fraction(y, 10) for y in (1, 2, -3, 4)])


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1, 1), (1, 2, 3, 4, 5, 6, 7), (1, 10, 10, 10, 100), (0, 0, 3, 3, 3, 3)])
def test_equal_models_are_called_different_at_most_at_the_level(sizes: tuple[int, ...]) -> None:
    """Check the theorem: with every choice of signs as probable as any other, P(p <= a) <= a at every a."""
    p = np.array([of_signs([Fraction(s * y) for s, y in zip(signs, sizes, strict=True)])
                  for signs in product((1, -1), repeat=len(sizes))], float)  # fmt: skip
    assert all((p <= a).mean() <= a for a in np.unique(p))


def test_all_comparisons_of_equal_models_keep_their_level() -> None:
    """Check the same of `compare`, for all results of five questions with these sizes of differences, at any level."""
    sizes, w = (1.0, 0.75, 0.75, 0.5, 0.125), [0.0, 0.125, 0.5, 0.75, 1.0]
    signs = product((1, -1), repeat=len(sizes))
    results = [scored([s * x for s, x in zip(choice, sizes, strict=True)], w) for choice in signs]
    p = np.array([sinf.compare(*pair, w=w, questions="sampled").p_value for pair in results])
    assert all((p <= a).mean() <= a for a in np.unique(p))
    assert p.min() == 2 / 32  # five questions cannot show a difference at 5%


def test_differences_of_one_sign_need_no_choices() -> None:
    """Check 2^(1 - m) for m differences of one sign, however many there are; more than 60 count as 60."""
    for m in (1, 2, 14, 15, 59, 60, 61, 1000):
        assert of_signs([Fraction(1 + i % 3) for i in range(m)]) == 2.0 ** (1 - min(m, 60))
        assert of_signs([Fraction(-1 - i % 3) for i in range(m)] + [Fraction(0)] * 9) == 2.0 ** (1 - min(m, 60))
    assert of_signs([Fraction(0)] * 5) == 1.0
    assert of_signs([Fraction(1)] * 14 + [Fraction(-1)]) is None  # too many choices: t alone


def test_the_first_difference_that_all_questions_can_show_is_that_of_six() -> None:
    """Check that 5 questions, all better, are not significant at 5%, and 6 are, although t has no variance there."""
    for M, significant in ((5, False), (6, True)):
        r = sinf.compare(Counts([[0, 4]] * M), Counts([[4, 0]] * M), questions="sampled")
        assert (r.sigma, r.p_value, r.significant) == (0.0, 2.0 ** (1 - M), significant)
        assert (r.lo > 0) == significant


def test_clusters_have_one_sign_each() -> None:
    """Check a p-value of clusters, by all choices of the signs of their sums."""
    d, sizes, w = [1.0, 1.0, 0.5, -0.5, -1.0, 1.0, 0.5, 0.0, 0.0, 1.0, -0.5], (3, 2, 1, 3, 2), [0.0, 0.5, 1.0]
    ends = np.cumsum(sizes)
    sums = [Fraction(sum(d[b - n : b])) for b, n in zip(ends, sizes, strict=True)]
    r = sinf.compare(*scored(d, w), w=w, questions="sampled", clusters=np.repeat(range(5), sizes).tolist())
    by_t = 2 * t.sf(abs(r.mu) / r.sigma, r.df)
    assert r.p_value == pytest.approx(max(by_t, float(by_enumeration(sums))), rel=1e-12)
    assert by_enumeration(sums) > by_t  # the signs decide


DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.7, -0.3, -0.1, 0.0, 0.0, 0.1, 0.2, 0.3, 0.6, 1.0]), min_size=2,
                       max_size=17)  # fmt: skip
SCORES = [0.0, 0.1, 0.2, 0.3, 0.6, 0.7, 1.0]


@settings(max_examples=80)
@given(DIFFERENCES, st.randoms(), st.sampled_from([0.0, 0.3, 1.0]))
def test_the_order_of_questions_changes_no_bit(d: list[float], random: Any, guard: float) -> None:
    """Check that questions in another order have the same comparison and the same gate."""
    other = random.sample(d, len(d))
    first, second = (scored(x, SCORES) for x in (d, other))
    options: dict[str, Any] = {"w": SCORES, "questions": "sampled", "guard": guard}
    assert sinf.compare(*first, **options) == sinf.compare(*second, **options)
    assert sinf.gate(*first, margin=0.05, **options) == sinf.gate(*second, margin=0.05, **options)


@settings(max_examples=120)
@given(DIFFERENCES, st.floats(0.02, 0.999), st.sampled_from([0.0, 0.25, 1.0]), st.booleans())
def test_intervals_exclude_zero_exactly_where_p_is_at_most_the_level(
    d: list[float], confidence: float, guard: float, clustered: bool
) -> None:
    """Check that interval, p-value and `significant` agree, with signs that decide and without."""
    clusters = [i // 2 for i in range(len(d))] if clustered and len(d) > 2 else None
    r = sinf.compare(*scored(d, SCORES), w=SCORES, questions="sampled", confidence=confidence, guard=guard,
                     clusters=clusters)  # fmt: skip
    assert r.significant == (r.p_value <= 1 - confidence)
    assert r.significant == (r.lo > 0 or r.hi < 0)
    assert r.lo <= r.mu <= r.hi


@pytest.mark.parametrize("M", [16, 40, 300])
def test_scores_are_compared_by_the_paired_t_test(M: int) -> None:
    """Check comparisons of question means, with more than 14 differences of both signs, against SciPy's `ttest_rel`."""
    w = [0.0, 0.2, 0.5, 0.9, 1.0]
    a, b = (RNG.multinomial(6, (0.2, 0.2, 0.3, 0.2, 0.1), M) for _ in "ab")
    means = [x @ w / 6 for x in (a, b)]
    assert ((means[0] > means[1]).sum(), (means[0] < means[1]).sum()) > (2, 2)
    expected, r = ttest_rel(*means), sinf.compare(Counts(a), Counts(b), w=w, questions="sampled")
    assert (r.p_value, r.df) == pytest.approx((expected.pvalue, expected.df), rel=1e-10)
    assert (r.lo, r.hi) == pytest.approx(tuple(expected.confidence_interval()), rel=1e-9, abs=1e-12)


@given(DIFFERENCES)
def test_a_larger_guard_never_makes_a_comparison_more_certain(d: list[float]) -> None:
    """Check that p-values and intervals grow with the guard, and that the least favourable one contains the others."""
    results = [sinf.compare(*scored(d, SCORES), w=SCORES, questions="sampled", guard=g) for g in (0.0, 0.25, 0.5, 1.0)]
    for small, large in pairwise(results):
        assert small.p_value <= large.p_value or not small.mu
        assert large.sigma > small.sigma
        if small.sigma:
            assert large.lo <= small.lo <= small.hi <= large.hi
        assert large.df <= small.df
