"""100,000 random valid and faulty calls: numbers in the mathematical range, mostly finite, or InvalidInput."""

from __future__ import annotations

import os
import random
from math import inf, isfinite, nan
from typing import Any

import numpy as np
import pytest
import spec
from lengths import scaled

import scorio
from scorio import Answers, Counts, InvalidInput, ScoredTrials, rubric
from scorio.metrics import metric

pytestmark = pytest.mark.slow

CALLS = int(os.environ.get("SCORIO_FUZZ_CALLS", scaled(100_000, 4_000)))
SHARDS = 8
JUNK: list[Any] = [
    None, True, "x", "", b"1", nan, inf, -inf, -1, 0, 2.5, 1e308, -1e308, 5e-324, 10**30, 1 + 2j, [], {}, (), object(),
    [[]], [0, 1], (1, 0), (nan, 1), [nan], ["a"], [[0, 2]], np.zeros((2, 2, 2)), np.array(["a"]), np.float32(0.25),
    np.int8(3), np.bool_(True), np.datetime64("2020-01-01"), range(3), lambda: 0, Counts([[0, 0], [1, 1]]),
]  # fmt: skip


def random_outcomes(r: random.Random, C: int, M: int) -> Any:
    N = r.choice([1, 2, 3, 5, 8, 40])
    R = np.array([[r.randint(0, C) for _ in range(N)] for _ in range(M)])
    match r.randrange(10):
        case 0:
            return R.tolist()
        case 1:
            return R.astype(r.choice("bhilqBfd"))
        case 2:
            return np.asfortranarray(R)
        case 3:
            return scorio.tally(R, C)
        case 4:
            return Counts.from_successes([r.randint(0, 10 ** r.randint(0, 12)) for _ in range(M)], [10**12] * M)
        case 5:
            return [row[: r.randint(0, N)] for row in R.tolist()]
        case 6:
            return [[None if r.random() < 0.2 else x for x in row] for row in R.tolist()]
        case _:
            return R


def random_answers(r: random.Random, M: int) -> Any:
    """Answers from labels and keys, or from counts."""
    rows = [[r.choice(["a", "b", "c", 1, None]) for _ in range(r.choice([1, 4, 9]))] for _ in range(M)]
    if r.random() < 0.5:
        return Answers(rows, [r.choice(["a", "b", ["a", 1]]) for _ in rows])
    return Answers.from_counts([r.randint(0, 9) for _ in rows], [[r.randint(0, 5)] * r.randint(0, 3) for _ in rows])


def random_scores(r: random.Random, M: int) -> Any:
    n = r.choice([1, 3, 8])
    rows = [[r.choice([0, 0.5, r.random(), -1e300]) for _ in range(n)] for _ in range(M)]
    return ScoredTrials(rows, [[r.randint(0, 1) for _ in range(n)] for _ in range(M)])


def random_models(r: random.Random, C: int, M: int, L: int, complete: bool) -> Any:
    """Outcomes of L models; complete: with equal numbers of trials, and none missing."""
    N = r.choice([1, 2, 3, 8])
    R = np.array([[[r.randint(0, C) for _ in range(N)] for _ in range(M)] for _ in range(L)])
    match r.randrange(5):
        case 0:
            return R.tolist()
        case 1:
            return {i: x if r.random() < 0.5 else x.tolist() for i, x in enumerate(R)}
        case 2 if not complete:
            return {chr(97 + i): random_outcomes(r, C, M) for i in range(L)}
        case 3 if not complete:
            return [scorio.tally(x, C) for x in R]
        case _:
            return R.astype(r.choice("bhilBfd"))


def random_battles(r: random.Random, L: int) -> Any:
    """Battles of a few models as columns or rows."""
    n = r.choice([1, 5, 30])
    names = [f"m{i}" for i in range(L)]
    rows = [(*r.sample(names, 2), r.choice(["model_a", "model_b", "tie", "tie (bothbad)"])) for _ in range(n)]
    rows += [(a, b, w) for a, b in zip(names, [*names[1:], names[0]], strict=True) for w in ("model_a", "model_b")]
    columns: dict[str, Any] = dict(
        zip(("model_a", "model_b", "winner"), map(list, zip(*rows, strict=True)), strict=True)
    )
    if r.random() < 0.2:
        return rows
    for name, entry in (("count", lambda: r.choice([1, 2, 10**6])), ("weight", lambda: 10.0 ** r.uniform(-3, 3)),
                        ("question", lambda: r.randint(1, 5)), ("voter", lambda: r.choice("xyz"))):  # fmt: skip
        if r.random() < 0.5:
            columns[name] = [entry() for _ in rows]
    return columns


BENCHMARKS = ("x", "y")
WORDS = {
    "questions": ["fixed", "sampled"], "shape": ["wilson", "beta"], "alternative": ["two-sided", "regressed"],
    "ties": ["half", "davidson", "rao_kupper", "zscore_adjacent", "ci_overlap_adjacent", "even", "none"],
    "both_bad": ["tie", "drop"], "cluster": ["question", "voter", "both", None],
    "tie_handling": ["draw", "skip", "correct_draw_only"], "scheme": ["original", "columns", "rows"],
    "metric": ["bayes", "avg", "pass_at_k", "naive_pass_hat_k", "mg_pass_at_k", "pass^k"], "model": ["mixture", None],
    "correction": ["holm", None], "rule": ["mean", "each"], "spending": ["obrien-fleming", "pocock"],
    "design": ["random", "balanced", "neyman"],
    "method": ["competition", "dense", "average", "zscore", "ci_overlap"],
}  # fmt: skip
SMALL_INTEGERS = {
    "seed": [0, 1, 2**64 - 1], "first": [0, 7, 2**62 - 1], "stream": [0, 5], "replicate": [0, 3], "replicates": [1, 20],
    "worst": [0, 2], "count": [1, 9], "bound": [1, 2, 2**32 - 1], "L": [1, 3, 20], "hash": [0, 5, 10**20], "N": [1, 4],
}  # fmt: skip


def valid_value(r: random.Random, kind: str, name: str, C: int, M: int, L: int = 3, complete: bool = False) -> Any:
    """A value of a parameter of this kind, valid or nearly so; complete: as in random_models."""
    if kind == "models" or (kind == "priors" and r.random() < 0.3):
        return random_models(r, C, M, L, complete)
    if kind in ("answers", "scored"):
        return random_answers(r, M) if kind == "answers" else random_scores(r, M)
    if kind in ("outcomes", "priors"):
        if r.random() < 0.05:
            return r.choice([random_answers, random_scores])(r, M)
        return random_outcomes(r, C, M)
    if kind in ("benchmarks", "suite"):
        models = {x: random_models(r, C, M, r.choice([1, 2, 3]), False) for x in BENCHMARKS}
        if kind == "suite":
            return {x: random_outcomes(r, C, M) for x in BENCHMARKS}
        return {x: y if isinstance(y, dict) else dict(enumerate(y)) for x, y in models.items()}
    if kind in ("shares", "groups"):
        return {x: r.choice([1, 0.25, 1e-9]) if kind == "shares" else [r.randint(0, 3) for _ in range(M)] for x in "xy"}
    if kind == "verdicts":
        cells = [0, 1, None] if name.startswith("labels") else [0, 1, 1, 3]
        R = [[r.choice(cells) for _ in range(r.choice([2, 2, 2, 3]) if r.random() < 0.02 else 2)] for _ in range(M)]
        return r.choice([R, np.array([[nan if x is None else x for x in row[:2]] for row in R], float)])
    if name in ("outputs", "means"):
        return [r.choice([3, 40, 600]) if name == "outputs" else r.choice([0.5, r.random()]) for _ in range(2)]
    if kind in ("signals", "attempts", "schema", "schemata", "declarations", "thresholds"):
        return rubric_argument(r, kind, M)
    if name == "p" and kind == "integer":
        return r.choice([0, 33, 50, 100, r.randint(0, 100)])
    if kind == "battles":
        return random_battles(r, L)
    if kind == "text" and name in ("a", "b", "anchor"):
        return r.choice(["m0", "m1", "mean"])
    if kind == "flag":
        return name != "progress" and r.random() < 0.5
    if kind == "rates":
        return np.array([r.random() + (1 if name != "p" else 0) for _ in range(6)]).reshape(r.choice([(6,), (3, 2)]))
    if kind == "text":
        return r.choice(WORDS[name])
    if name in SMALL_INTEGERS:
        return r.choice(SMALL_INTEGERS[name])
    if kind == "reals" and name in ("scores", "mus", "gold", "a", "b"):
        return [r.choice([1, 2, 2.5, r.random()]) for _ in range(L)]
    if kind == "reals" and name in ("sigmas", "ranking"):
        return r.sample(range(1, L + 1), L) if name == "ranking" else [r.random() for _ in range(L)]
    if name in ("scale", "base"):
        return r.choice([400, 10, 2.5, 10.0 ** r.uniform(-4, 7)])
    if name in ("mu", "mu_a", "mu_b", "initial_rating", "init_rating"):
        return r.choice([0, 0.5, r.uniform(-5, 5), 1e300])
    if name in ("sigma", "sigma_a", "sigma_b", "max_ci_width", "max_half_width", "half_width", "z", "K"):
        return r.choice([0.5, 1, r.random(), 10.0 ** r.uniform(-8, 2)])
    if kind == "integer":
        return r.choice([None, M, 10 * M]) if name == "pool" else r.choice([1, 1, 2, 2, 3, 5, 8, 13, 60])
    if kind == "reals" and name == "w":
        return r.choice(
            [None, [r.uniform(-2, 2) for _ in range(C + 1)], [10.0 ** r.randint(-300, 300) for _ in range(C + 1)]]
        )
    if kind == "reals":
        k = r.choice([1, 2, 3, 5])
        return r.choice([[1.0 / k] * k, [0.0] * k, [r.random() / k for _ in range(k)]])
    if kind == "pair":
        return r.choice([None, (0.0, 1.0), (-1.0, 2.0), [0.3, 0.3], (-inf, inf)])
    if kind == "policy":
        return r.choice(["raise", "drop", 0, 1])
    if kind == "bounded":
        return r.choice(["raise", "drop", "bounds", 0, 1])
    if kind == "labels":
        return r.choice([None, None, [r.randint(0, 3) for _ in range(M)]])
    if name in ("alpha0", "beta0"):
        return r.choice([1.0, 0.5, 2, 1e-100, 1e100, 10.0 ** r.uniform(-5, 8)])
    if name == "confidence":
        return r.choice([0.95, 1e-300, 5e-324, 1 - 2**-53, r.random()])
    if name.endswith("power"):
        return r.choice([0.5, 1, 0, 2, -1, 0.3, -0.7, r.uniform(-5, 5), 1e5, -1e300])
    return r.choice([None, 0, 1, 0.5, r.random()]) if name == "lambda_" else r.choice([0, 1, 0.5, r.random(), 0.28])


CUSTOM_SCHEMA = {
    "name": "custom",
    "rules": [[1, "x > mid"], [0, "otherwise"]],
    "w": [0, 1],
    "thresholds": {"mid": (50, "x", None)},
}
CONDITIONS = [
    "x > 1",
    "wrong",
    "not otherwise",
    "x >",
    "((x < 2)",
    "x == x and y <= mid",
    "otherwise",
    "é",
    "x > 1e999",
]


def rubric_argument(r: random.Random, kind: str, M: int) -> Any:
    """Signals, schemata or thresholds that are valid, or nearly so, in several forms."""
    if kind == "attempts":
        return {i: rubric_argument(r, "signals", M) for i in range(r.choice([1, 2, 3]))}
    if kind == "signals":
        N, signals = r.choice([1, 2, 5]), {}
        for name in [*rubric.schema.SIGNALS, "x", "y"]:
            x = np.array([[r.choice([0, 1, 1, 0.5, r.random()]) for _ in range(N)] for _ in range(M)])
            x = x.round() if name == "repeated_pattern" else x
            forms = [x, x, x.tolist(), np.asfortranarray(x), x.astype(np.float32), np.where(x == 0.5, nan, x), x[0, 0]]
            signals[name] = r.choice(JUNK) if r.random() < 0.005 else r.choice(forms)
        return {k: v for k, v in signals.items() if r.random() < 0.98}
    if kind == "schemata":
        return r.choice([None, [rubric_argument(r, "schema", M) for _ in range(r.choice([1, 2]))]])
    if kind == "schema":
        schema = {k: r.choice(JUNK) if r.random() < 0.02 else v for k, v in CUSTOM_SCHEMA.items()}
        if r.random() < 0.3:
            schema["rules"] = [[c, r.choice(CONDITIONS)] for c in (1, 0, 2, 0)]
            schema["w"] = [0, 1, 2.5]
        return r.choice(list(rubric.SCHEMATA)) if r.random() < 0.6 else schema
    if kind == "declarations":
        return r.choice(
            [{"mid": (r.randint(-1, 101), "x", r.choice([None, "wrong", "x >"]))}, {"t": ["x"]}, {"x y": 1}, None]
        )
    values = {name: r.choice([0.5, 1, r.random()]) for name in [*rubric.schema.THRESHOLDS, "mid"]}
    return r.choice([None, values, {**values, "mid": None}])


def build_schemata(schema: Any) -> Any:
    """Schemata built from their declarations."""
    if isinstance(schema, list):
        return [build_schemata(x) for x in schema]
    return rubric.Schema(**schema) if isinstance(schema, dict) and "rules" in schema else schema


def choose_metric(r: random.Random, args: dict[str, Any]) -> None:
    """Choose a metric with an interval, and the parameters that it takes."""
    m = r.choice(metric.metrics_for("interval"))
    if chosen := {type(x) for x in args.values()} & {Answers, ScoredTrials}:
        m = r.choice(metric.metrics_for("vote" if chosen == {Answers} else "score"))
    args["metric"] = r.choice([m, metric.ENTRIES[m].alias])
    for parameter, usual in (("k", r.choice([1, 1, 2, 3])), ("tau", 0.5), ("w", args.get("w"))):
        if parameter in metric.ENTRIES[m].takes:
            args[parameter] = usual
        else:
            args.pop(parameter, None)


@pytest.mark.parametrize("make", [Answers, Answers.graded, Answers.from_counts, ScoredTrials])
def test_random_answers_are_accepted_or_refused(make: Any) -> None:
    """Check that votes and scores, some of them faulty, make an object or raise InvalidInput."""
    r, n_made = random.Random(18), 0
    for _ in range(2000):
        cells = r.choice([["a", "b", None], [1, 2], [0, 1], [0.5, 1.5]])
        x, y = ([[r.choice(row) for _ in range(3)] for _ in range(2)] for row in (cells, r.choice([cells, [0, 1]])))
        if r.random() < 0.5:
            r.choice([x, y])[r.randrange(2)][r.randrange(3)] = r.choice(JUNK)
        arguments = [r.choice(JUNK) if r.random() < 0.1 else z for z in (x, y)]
        try:
            n_made += make(*arguments).counts.M == 2
        except InvalidInput:
            continue
    assert n_made > 50


# fields that are NaN or infinite where the documentation says so
UNDEFINED = ("tau_b", "spearman", "weighted_tau", "mean", "z", "e", "tie_hi", "n_eff")


def floats_in(x: Any) -> list[float]:
    """All floats in nested lists."""
    return [y for z in x for y in floats_in(z)] if isinstance(x, list) else [x] if isinstance(x, float) else []


def check_fields(name: str, result: Any) -> None:
    """Check that numbers are finite, ranks 1 or more, shares and probabilities in [0, 1], and limits in order."""
    fields = spec.fields(name, result)
    for field, x in fields.items():
        undefined = field in UNDEFINED or (name, field) == ("cost_per_solved", "hi")
        assert undefined or all(isfinite(y) for y in floats_in(x)), (field, x)
        assert not any(y == 0.0 and str(y) == "-0.0" for y in floats_in(x)), (field, x)
        if (
            field in ("ranks", "competition", "best", "worst")
            and x is not None
            and spec.FUNCTIONS[name]["module"] == "rank"
        ):
            assert min(x) >= 1
            assert max(x) <= len(x)
        if field in ("rho", "p_above", "never", "mismatched", "pmf", "cdf", "p", "rates"):
            assert all(0.0 <= y <= 1.0 for y in floats_in(x)), (field, x)
        if field in ("tau_a", "tau_b", "spearman", "weighted_tau"):
            assert all(not abs(y) > 1.0 + 1e-15 for y in floats_in(x)), (field, x)
    assert "hi" not in fields or fields["hi"] is None or fields.get("lo", 0.0) <= fields["hi"]
    for low, high in (("lo", "hi"), ("bias_lo", "bias_hi"), ("tie_lo", "tie_hi")):
        ends = [x if isinstance(x, list) else [x] for x in (fields.get(low), fields.get(high))]
        assert all(x is None or x <= y for x, y in zip(*ends, strict=True))
    if "best" in fields:
        assert all(b <= w for b, w in zip(fields["best"], fields["worst"], strict=True))
    if name == "competition_ranks_from_scores":  # r - 1 models are above rank r
        assert all(sum(x < r for x in result) == r - 1 for r in result)


def check_rubric(name: str, args: dict[str, Any], result: Any) -> None:
    """Check that percentiles are within the data, categories in the schema, scores finite, ranks 1 or more."""
    if name == "rubric.percentile":
        x = [float(y) for y in args["x"]]
        assert isinstance(result, float)
        assert min(x) <= result <= max(x)
    elif name == "rubric.categories":
        schema = build_schemata(args["schema"])
        C = (rubric.SCHEMATA[schema] if isinstance(schema, str) else schema).C
        assert -1 <= result.min() <= result.max() <= C
        assert result.min() >= 0 or args["missing"] == "drop"
    elif name == "rubric.score":
        assert np.isfinite(result.mu).all()
        assert (result.sigma >= 0).all()
        assert (result.ranks.min(axis=0) == 1).all()
        assert result.ranks.max() <= len(result.models) == len(result.mu)
    else:
        assert all(x is None or (isinstance(x, float) and isfinite(x)) for x in result.values())


def check(name: str, args: dict[str, Any], result: Any) -> None:
    """Check that results are finite and inside the range of the metric."""
    if name == "tally":
        assert (result.table >= 0).all()
        return
    if spec.FUNCTIONS[name]["module"] == "rubric":
        check_rubric(name, args, result)
        return
    if name == "extrapolate":
        assert 0.0 <= result.low <= result.lower <= result.upper <= result.high <= 1.0
        assert result.unsolved >= 0
        assert result.n >= 1
        return
    if name == "extrapolate_model":  # None if the fitted value is outside the band, as at a confidence near 0
        assert (result.value is None) == (result.lo is None) == (result.hi is None)
        assert result.value is None or 0.0 <= result.lo <= result.value <= result.hi <= 1.0
        return
    if spec.FUNCTIONS[name]["module"] != "eval" or name in ("judged", "label_check", "agreement", "cohen_kappa"):
        check_fields(name, result)
        return
    values = [result] if isinstance(result, float) else list(result)
    assert all(isinstance(x, float) and isfinite(x) for x in values), values
    assert not any(x == 0.0 and str(x) == "-0.0" for x in values), values
    w = args.get("w")
    low, high = (0.0, 1.0) if w is None else (float(min(w)), float(max(w)))
    negative = any(float(args.get(p, 0.5)) < 0 for p in ("pass_power", "unanimous_power"))
    if not negative:
        tolerance = 1e-12 * max(abs(low), abs(high))
        assert low - tolerance <= values[0] <= high + tolerance, values
    if len(values) > 1:
        assert values[1] >= 0.0
    if len(values) == 4:
        assert values[2] <= values[3]
        if args.get("bounds") is not None:
            assert args["bounds"][0] <= values[2] <= values[3] <= args["bounds"][1]
        if name in ("mean_ci", "interval"):
            tolerance = 1e-9 * (high - low)
            assert low - tolerance <= values[2] <= values[3] <= high + tolerance, values
            if args.get("shape") != "beta":  # equal tails of a beta may miss its mean at a tiny confidence
                assert values[2] - tolerance <= values[0] <= values[3] + tolerance, values


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_calls_return_valid_numbers_or_are_refused(shard: int) -> None:
    r, names = random.Random(shard), sorted(spec.FUNCTIONS)
    n_valid = 0
    for i in range(CALLS // SHARDS):
        name, C, M, L = r.choice(names), r.choice([1, 1, 1, 2, 4]), r.choice([1, 2, 3, 7]), r.choice([2, 3, 5])
        complete = name == "elo" or spec.FUNCTIONS[name]["module"] == "converge"
        args = {}
        for p in spec.FUNCTIONS[name]["params"]:
            if "default" in p and r.random() < 0.5:
                continue
            args[p["name"]] = (
                r.choice(JUNK) if r.random() < 0.05 else valid_value(r, p["kind"], p["name"], C, M, L, complete)
            )
        if "replicates" in {p["name"] for p in spec.FUNCTIONS[name]["params"]}:
            args.setdefault("replicates", 10)  # the default takes seconds
        if {"metric", "model"} <= {p["name"] for p in spec.FUNCTIONS[name]["params"]} and r.random() < 0.8:
            choose_metric(r, args)
        if "weights" in args and isinstance(args["weights"], list) and r.random() < 0.9:
            args["k"] = max(1, len(args["weights"]))
        if name == "cost_per_solved" and isinstance(args.get("R"), np.ndarray) and r.random() < 0.9:
            args["costs"] = np.array([r.choice([0.0, 1.0, r.random()]) for _ in range(args["R"].size)]).reshape(
                args["R"].shape
            )
        f = spec.implementation(name)
        try:
            result = f(**{k: build_schemata(x) if k in ("schema", "schemata") else x for k, x in args.items()})
        except InvalidInput:
            continue
        except Exception as e:
            raise AssertionError(f"call {i} of shard {shard}: {name}(**{args!r}) raised {e!r}") from e
        try:
            check(name, args, result)
        except (AssertionError, TypeError) as e:
            raise AssertionError(f"call {i} of shard {shard}: {name}(**{args!r}) returned {result!r}") from e
        n_valid += 1
    assert n_valid > CALLS // SHARDS // 6  # so that refusals do not hide the results
