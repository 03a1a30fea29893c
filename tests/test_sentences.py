"""Sentences on verdicts, sample sizes and rankings agree with the numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from report_pages import QUICK, coins, evaluation_of

import scorio
from scorio import sinf
from scorio.analysis.sample_size import SampleSize
from scorio.commands import report_data, verdicts
from scorio.commands.report import report
from scorio.commands.report_data import groups_without_difference
from scorio.commands.verdicts import Verdict
from scorio.display.terms import on
from scorio.evaluation import Evaluation
from scorio.io import Log
from scorio.readers.evaluation import Benchmark


def sample_size(now=4, needed=15, times=None, unit="trial per question", power=0.8, bound=False):
    times = needed / now if times is None and now and needed else times
    return SampleSize(unit, now, needed, times, power, bound)


def verdict_of(mu, p, size=None, questions="fixed"):
    """Verdict on two models a and b with the difference mu, the p-value p at the level 5%, and a sample size."""
    better = None if p > 0.05 else "a" if mu > 0 else "b"
    return Verdict(questions, mu, mu - 0.1, mu + 0.1, p, better is not None, better, size)


def sentence_of(x, a="a", b="b", confidence=0.95, **options):
    return verdicts.verdict(x, a, b, confidence, ".3f", **options)


@pytest.mark.parametrize(
    ("x", "order", "numbers"),
    [
        (verdict_of(0.2, 0.04), "a is significantly better than b", ["0.200", "0.100 to 0.300", "p = 0.04"]),
        (verdict_of(-0.2, 0.04), "b is significantly better than a", ["0.200", "0.100 to 0.300", "p = 0.04"]),
        (
            verdict_of(0.1, 0.2, sample_size()),
            "a and b are not significantly different",
            ["0.100", "0.000 to 0.200", "p = 0.20"],
        ),
        (verdict_of(-0.1, 0.2, sample_size()), "b and a are not significantly different", ["0.100", "0.000 to 0.200"]),
        (
            verdict_of(0.0, 1.0, sample_size(4, None)),
            "a and b are not significantly different",
            ["0.000", "-0.100 to 0.100"],
        ),
    ],
)  # fmt: skip
def test_a_verdict_names_the_better_model_first(x, order, numbers):
    for questions in ("fixed", "sampled"):
        y = replace(x, questions=questions)
        sentence = sentence_of(y)
        assert sentence.startswith(f"{on(questions).capitalize()} {order} at 5% ")
        assert all(number in sentence for number in numbers)
        assert ("would detect" in sentence) == (not x.significant and x.sample_size.needed is not None)
    assert "95% CI" in sentence_of(x)
    assert "90% CI" in sentence_of(x, confidence=0.9)
    assert ("macro-averages" in sentence_of(x), "macro-averages" in sentence_of(x, macro=True)) == (False, True)


@pytest.mark.parametrize(
    ("x", "facts", "absent"),
    [
        (sample_size(4, 15), ["About 15 trials per question", "instead of 4", "80% power"], ["At most"]),
        (sample_size(1, 2, unit="question"), ["About 2 questions", "instead of 1"], ["trial"]),
        (sample_size(None, 1, 2.0, unit="question"), ["About 1 question "], ["instead", "questions"]),
        (sample_size(1, 8, bound=True), ["At most 8 trials per question"], ["About"]),
        (sample_size(1, 1, bound=True), ["A second trial per question"], ["power"]),
        (sample_size(4, None), ["No number of trials per question", "equal averages"], ["power"]),
        (
            sample_size(None, 123456, power=0.9, times=2.0),
            ["About 120,000 trials per question", "90% power"],
            ["instead"],
        ),
        (sample_size(20, 20, unit="question", times=1.0), ["close", "a few more questions"], ["power"]),
        (sample_size(None, None, times=0.7), ["close", "a few more trials per question"], ["power"]),
        (
            sample_size(None, None, times=2.34),
            ["2.3 times as many trials per question in every benchmark"],
            ["instead"],
        ),
        (sample_size(None, None, times=12.4, unit="question"), ["About 12 times as many questions"], ["12.4"]),
        (sample_size(4, 90, times=22.5), ["No realistic number of trials per question"], ["90", "power"]),
        (sample_size(None, 1, 2.0), ["About 1 trial per question "], ["instead"]),
    ],
)  # fmt: skip
def test_the_next_step_states_the_sample_size(x, facts, absent):
    sentence = verdicts.next_step(x)
    assert all(fact in sentence for fact in facts), sentence
    assert not any(fact in sentence for fact in absent), sentence
    assert verdicts.close(x) == ("a few more" in sentence or "A second trial" in sentence)
    assert verdicts.within_reach(x) == (x.times is not None and x.times <= 10)


def test_the_first_place_is_compared_with_every_other_model():
    """Check that the sentences say of every other model whether it is significantly worse."""
    x = report(evaluation_of(coins(5, 40, 8)), **QUICK)
    first, order = x.leaderboard.table[0].average, [row.model for row in x.leaderboard.table]
    comparisons = x.comparisons["fixed"]
    sentences = report_data.first_place(order, {m: m for m in order}, first, 1, comparisons, 0.95, ".3f")
    assert f"{first.mu:.3f} (95% CI {first.lo:.3f} to {first.hi:.3f})" in sentences[0]
    for m in order[1:]:
        worse = comparisons.is_better(order[0], m)
        (position,) = [i for i, y in enumerate(sentences) if m in y] or [None]
        if position is None:
            assert worse
            assert any("every other model" in y for y in sentences)
        else:
            assert ("not significantly different" in sentences[position]) == (not worse)
    assert order[0] in report_data.possibly_best(order, comparisons)
    assert all(not comparisons.is_better(y, m) for m in report_data.possibly_best(order, comparisons) for y in order)
    count = sum(y.significant for y in comparisons.pairs.values())
    assert f"{count} of {len(comparisons.pairs)} pairs" in report_data.pairs_that_differ({"fixed": comparisons})
    (alone,) = report_data.first_place(order[:1], {m: m for m in order}, first, 1, comparisons, 0.95, ".3f")
    assert alone.startswith(order[0])
    tied = report_data.first_place(order, {m: m for m in order}, first, 2, comparisons, 0.95, ".3f")
    assert tied[0].startswith(f"{order[0]} and {order[1]} share")


def test_long_names_in_a_sentence_stay_different():
    a, b = (f"organisation/{'a-very-long-stem-' * 5}{end}" for end in ("math-v1", "code-v1"))
    assert "math is significantly better than code at" in sentence_of(verdict_of(0.2, 0.02), a, b)


def test_the_interval_of_a_sentence_excludes_0_exactly_where_the_difference_is_significant():
    R = coins(6, 20, 4)
    e = evaluation_of(R)
    for a in R:
        for b in R:
            if a != b:
                x = e.compare(a, b)
                for y in x.verdicts:
                    r = sinf.compare(R[a], R[b], questions=y.questions)
                    assert (y.difference, y.lo, y.hi, y.p_value) == (r.mu, r.lo, r.hi, r.p_value)
                    assert (y.lo > 0 or y.hi < 0) == y.significant == r.significant == (y.p_value <= 0.05)
                    assert y.better == (None if not y.significant else a if y.difference > 0 else b)
                    assert (y.sample_size is None) == y.significant
                    shown = verdicts.verdict(y, a, b, 0.95, ".3f")
                    assert ("not significantly" in shown) == (not y.significant)


def test_groups_without_a_significant_pair_are_the_largest():
    rng = np.random.default_rng(0)
    (pair,) = sinf.suite({"x": {"a": [[1, 0]] * 3, "b": [[0, 1]] * 3}}, questions="fixed").pairs
    for _ in range(200):
        L = int(rng.integers(1, 9))
        differ = np.triu(rng.random((L, L)) < 0.4, 1)
        order = [f"m{i}" for i in range(L)]
        pairs = {(order[i], order[j]): pair._replace(significant=bool(differ[i, j]))
                 for i in range(L) for j in range(i + 1, L)}  # fmt: skip
        # groups have at least three models
        groups = [range(i, j) for i in range(L) for j in range(i + 3, L + 1) if not differ[i:j, i:j].any()]
        largest = [x for x in groups if not any(set(x) < set(y) for y in groups)]
        assert groups_without_difference(order, pairs) == largest


def test_a_leader_that_is_worse_on_shared_questions_is_reported():
    def log(ids, c):
        return Log([f"q{i}" for i in ids], scorio.Counts.from_successes([c(i) for i in ids], [40] * len(ids)))

    # of 40 trials, successes on 30 easy questions and on 30 hard ones, which A lacks
    easy = lambda c: lambda i: c if i < 30 else 2  # noqa: E731
    logs = {"A": log(range(30), lambda i: 24), "B": log(range(60), easy(36)), "D": log(range(60), easy(32))}
    x = report(Evaluation({"": Benchmark("", logs)}), **QUICK)
    assert x.leaderboard.table[0].model == "A"
    assert x.comparisons["fixed"].is_better("B", "A")
    assert "On the questions that both answered, B and D are significantly better than A" in x.to_html()
