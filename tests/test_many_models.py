"""Rank ranges of many models: decided in doubles where possible, always with the result of the exact p-values."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scorio
from scorio import rank, sinf
from scorio.arithmetic.distributions import t_cdf, t_tails_in_doubles
from scorio.arithmetic.double_double import ZERO, Triple, ext, neg
from scorio.inference import pairs, screening
from scorio.inference.estimate import parse_request


def fraction(x: Triple, twice: bool = False) -> Fraction:
    """Exact value of a triple, or twice that value."""
    return (Fraction(x[0]) + Fraction(x[1])) * Fraction(2) ** int(256 * x[2]) * (2 if twice else 1)


def outcomes(rng: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Random outcomes of models, and options of their comparison.

    Models may be equal, have fewer trials than others, or lack questions; with categories above 1 there are scores w.
    """
    L, M, N, C = (int(rng.integers(*x)) for x in ((2, 9), (2, 30), (1, 7), (1, 4)))
    chances = 1 / (1 + np.exp(rng.normal(0, 2, (1, M, 1)) + rng.normal(0, rng.choice([0, 0.3, 1.5]), (L, 1, 1))))
    R = (rng.random((L, M, N)) < chances) * rng.integers(1, C + 1, (L, M, N))
    R[1] = R[0] if rng.random() < 0.3 else R[1]
    models = {f"m{i}": x[:, : int(rng.integers(1, N + 1))] if rng.random() < 0.3 else x for i, x in enumerate(R)}
    if rng.random() < 0.3:  # some models lack some questions
        models |= {m: np.where(rng.random((M, 1)) < 0.2, np.nan, x) for m, x in models.items() if rng.random() < 0.4}
    min_trials, k, w, metric = min(x.shape[1] for x in models.values()), None, None, "mean"
    if C > 1:
        w = sorted(rng.random(C + 1).tolist())
    if rng.random() < 0.5:
        metric, k = (
            (str(rng.choice(["pass@k", "auc_at_k"])) if C == 1 else "max_at_k"),
            int(rng.integers(1, min_trials + 1)),
        )
        if C == 1 and min_trials > 1 and rng.random() < 0.4:
            metric, k = "flip_rate", None
    options = {
        "metric": metric,
        "k": k,
        "w": w,
        "questions": str(rng.choice(["fixed", "sampled"])),
        "confidence": float(rng.choice([0.5, 0.8, 0.95, 0.99, 1e-9])),
        "correction": rng.choice([None, "holm"]),
        "missing": "drop",
    }
    if options["questions"] == "sampled" and rng.random() < 0.4:
        options["clusters"] = rng.integers(0, max(2, M // 3), M).tolist()
    return models, options


def ranges_by_pairs(models: dict[str, Any], options: dict[str, Any]) -> Any:
    """Ranges from the exact p-value of every pair, or the message of the refusal."""
    try:
        comparisons = sinf.compare_all(models, **options)
    except scorio.InvalidInput as e:
        return str(e)
    best, worst = dict.fromkeys(models, 1), dict.fromkeys(models, len(models))
    for x in comparisons:
        if x.significant:  # the lower flip rate wins
            winner, loser = (x.a, x.b) if (x.mu > 0.0) != (options["metric"] == "flip_rate") else (x.b, x.a)
            best[loser] += 1
            worst[winner] -= 1
    return {m: (best[m], worst[m]) for m in models}


def ranges_or_refusal(models: dict[str, Any], options: dict[str, Any]) -> Any:
    try:
        return rank.ranges(models, **options)
    except scorio.InvalidInput as e:
        return str(e)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_ranges_are_those_of_exact_p_values(seed: int) -> None:
    models, options = outcomes(np.random.default_rng(seed))
    assert ranges_or_refusal(models, options) == ranges_by_pairs(models, options)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_level_that_is_a_p_value_is_decided_exactly(seed: int) -> None:
    """Check levels at or next to a p-value of the data, where doubles alone would err about half of the time."""
    models, options = outcomes(np.random.default_rng(1000 + seed))
    refused = isinstance(ranges_by_pairs(models, options), str)
    levels = [] if refused else sorted({x.p_adjusted for x in sinf.compare_all(models, **options)} - {1.0})
    for p in levels[:3]:
        for confidence in (1.0 - p, np.nextafter(1.0 - p, 0.0), np.nextafter(1.0 - p, 1.0)):
            if 0.0 < confidence < 1.0:
                changed = options | {"confidence": float(confidence)}
                assert ranges_or_refusal(models, changed) == ranges_by_pairs(models, changed)


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_bounds_contain_the_exact_p_values(questions: str) -> None:
    rng = np.random.default_rng(5)
    for M, N, sd in ((6, 2, 3.0), (40, 3, 0.5), (300, 4, 1.0)):  # questions, trials, spread of the models' skill
        chances = 1 / (1 + np.exp(rng.normal(0, 2, (1, M, 1)) + rng.normal(0, sd, (9, 1, 1))))
        request = parse_request("mean", k=None, tau=None, w=None, questions=questions)
        R = (rng.random((9, M, N)) < chances).astype(int)
        models = pairs.checked_models(request, R, w=None, missing="raise", clusters=None)
        x = pairs.AllPairs(request, models, clusters=None)
        p = screening.p_values([screening.screen(x)], weights=[1.0], L=9, level=1.0)
        for low, high, contrast in zip(p.low, p.high, x.contrasts(), strict=True):
            d = contrast.difference
            assert low <= fraction(d.p_value()) <= high
            # the bounds are close to each other, or there are signs to be enumerated
            assert high <= max(low * (1.0 + 1e-4), 1e-290) or (high == np.inf and d.p_of_signs(ZERO) is not None)


def test_tails_in_doubles_are_accurate() -> None:
    """Check that tails in doubles err by at most a tenth of the allowed error, from 0.01 to 1e6 degrees of freedom."""
    for freedom in (0.01, 0.7, 1.0, 2.5, 40.0, 777.7, 1e4, 1e6):
        t = np.geomspace(1e-9, 1e5, 60)
        out = np.empty(60)
        t_tails_in_doubles(t, np.full(60, freedom), out)
        for x, p in zip(t.tolist(), out.tolist(), strict=True):
            want = fraction(t_cdf(neg(ext(x)), ext(freedom)), twice=True)
            assert abs(p - want) <= max(screening.TAIL_ERROR / 10 * want, Fraction(1e-300))
    t_tails_in_doubles(np.full(3, np.inf), np.array([0.7, 40.0, 1e300]), out)
    assert not out[:3].any()  # the tail of an infinite t is 0, not NaN


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_clear_pairs_are_not_computed_exactly(questions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that 4,950 pairs are decided without an exact p-value, of a millisecond each, but where signs decide."""
    exact, rng, calls = pairs.paired_difference, np.random.default_rng(2), []
    monkeypatch.setattr(pairs, "paired_difference", lambda *args: calls.append(exact(*args)) or calls[-1])
    R = rng.random((100, 40, 4)) < rng.random((100, 1, 1))
    assert len({tuple(x) for x in rank.ranges(R.astype(int), questions=questions)}) > 20
    assert len(calls) <= 10
    assert all(d.p_of_signs(ZERO) is not None for d in calls)


def benchmarks(rng: Any, sizes: tuple[int, ...]) -> dict[str, dict[str, Any]]:
    """Random outcomes of six models in benchmarks of these numbers of questions; model c is only in the first."""
    skill, out = dict(zip("abcdef", rng.normal(0, 1, 6), strict=True)), {}
    for i, M in enumerate(sizes):
        easiness = rng.normal(0, 1, (M, 1))
        present = {m: x for m, x in skill.items() if i == 0 or m != "c"}
        out[f"bench{i}"] = {m: (rng.random((M, 3)) < 1 / (1 + np.exp(-easiness - x))) * 1 for m, x in present.items()}
    return out


def read_log(path: Path, data: dict[str, dict[str, Any]]) -> Any:
    """The evaluation read from a log of these benchmarks."""
    rows = [f"{name},{m},q{q},{t},{x}" for name, models in data.items() for m, R in models.items()
            for (q, t), x in np.ndenumerate(R)]  # fmt: skip
    path.write_text("\n".join(["task,model,question,trial,outcome", *rows]))
    return scorio.read(path)


@pytest.mark.parametrize("sizes", [(12,), (12, 30), (5, 9, 20)])
@pytest.mark.parametrize("correction", ["holm", None])
@pytest.mark.parametrize("seed", range(3))
def test_ranges_over_benchmarks_are_those_of_the_comparisons(
    sizes: tuple[int, ...], correction: str | None, seed: int, tmp_path: Path
) -> None:
    """Check ranges against the comparisons with their intervals, over all benchmarks and in each."""
    x = read_log(tmp_path / "runs.csv", benchmarks(np.random.default_rng(seed), sizes))
    for questions in ("fixed", "sampled"):
        ranking = x.rank(questions=questions, correction=correction)
        for row in ranking.table:
            expected = ranking.pairs.ranges if row.benchmark is None else ranking.pairs.ranges_in(row.benchmark)
            assert getattr(row, questions) == expected[row.model]
            assert (row.best, row.worst) == expected[row.model]


def test_the_order_of_models_in_a_benchmark_does_not_matter() -> None:
    first, second = benchmarks(np.random.default_rng(8), (9, 14)).values()
    request = parse_request("mean", k=None, tau=None, w=None, questions="sampled")

    def ranges(other: dict[str, Any]) -> Any:
        return screening.over_benchmarks(request, {"x": first, "y": other}, w=None, confidence=0.95, by_holm=True)

    assert ranges(second) == ranges(dict(reversed(second.items())))
