"""100,000 random good and bad calls: finite numbers inside the mathematical range, or InvalidInput; nothing else."""

from __future__ import annotations

import os
import random
from math import inf, isfinite, nan
from typing import Any

import numpy as np
import pytest
import spec

import scorio
from scorio import Counts, InvalidInput

CALLS = int(os.environ.get("SCORIO_FUZZ_CALLS", "100000"))
SHARDS = 8
JUNK: list[Any] = [
    None, True, "x", "", b"1", nan, inf, -inf, -1, 0, 2.5, 1e308, -1e308, 5e-324, 10**30, 1 + 2j, [], {}, (), object(),
    [[]], [0, 1], (1, 0), (nan, 1), [nan], ["a"], [[0, 2]], np.zeros((2, 2, 2)), np.array(["a"]), np.float32(0.25),
    np.int8(3), np.bool_(True), np.datetime64("2020-01-01"), range(3), lambda: 0, Counts([[0, 0], [1, 1]]),
]  # fmt: skip


def some_outcomes(r: random.Random, C: int, M: int) -> Any:
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


def good(r: random.Random, kind: str, name: str, C: int, M: int) -> Any:
    """A value that is valid, or nearly so, for a parameter of this kind."""
    if kind == "outcomes":
        return some_outcomes(r, C, M)
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
    if kind == "labels":
        return r.choice([None, None, [r.randint(0, 3) for _ in range(M)]])
    if kind == "text":
        return r.choice(["fixed", "sampled", "wilson", "beta"])
    if name in ("alpha0", "beta0"):
        return r.choice([1.0, 0.5, 2, 1e-100, 1e100, 10.0 ** r.uniform(-5, 8)])
    if name == "confidence":
        return r.choice([0.95, 1e-300, 5e-324, 1 - 2**-53, r.random()])
    if name.endswith("power"):
        return r.choice([0.5, 1, 0, 2, -1, 0.3, -0.7, r.uniform(-5, 5), 1e5, -1e300])
    return r.choice([None, 0, 1, 0.5, r.random()]) if name == "lambda_" else r.choice([0, 1, 0.5, r.random(), 0.28])


def check(name: str, args: dict[str, Any], result: Any) -> None:
    """Finite and inside the range of the metric."""
    if name == "tally":
        assert (result.table >= 0).all()
        return
    if isinstance(result, list):  # ranks: the best is 1, and r - 1 models stand above rank r
        assert sorted(result)[0] == 1
        assert all(sum(x < r for x in result) == r - 1 for r in result)
        return
    values = [result] if isinstance(result, float) else list(result)
    assert all(isinstance(x, float) and isfinite(x) for x in values), values
    assert not any(x == 0.0 and str(x) == "-0.0" for x in values), values
    w = args.get("w")
    low, high = (0.0, 1.0) if w is None else (float(min(w)), float(max(w)))
    negative = any(float(args.get(p, 0.5)) < 0 for p in ("pass_power", "unanimous_power"))
    if not negative:
        slack = 1e-12 * max(abs(low), abs(high))
        assert low - slack <= values[0] <= high + slack, values
    if len(values) > 1:
        assert values[1] >= 0.0
    if len(values) == 4:
        assert values[2] <= values[3]
        if args.get("bounds") is not None:
            assert args["bounds"][0] <= values[2] <= values[3] <= args["bounds"][1]
        if name == "mean_ci":
            slack = 1e-9 * (high - low)
            assert low - slack <= values[2] <= values[3] <= high + slack, values
            if args.get("shape") != "beta":  # equal tails of a beta law need not hold its mean at a tiny confidence
                assert values[2] - slack <= values[0] <= values[3] + slack, values


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_calls(shard: int) -> None:
    """Random functions with random arguments, about one in six of them bad."""
    r, names = random.Random(shard), sorted(spec.FUNCTIONS)
    answered = 0
    for i in range(CALLS // SHARDS):
        name, C, M = r.choice(names), r.choice([1, 1, 1, 2, 4]), r.choice([1, 2, 3, 7])
        args = {}
        for p in spec.FUNCTIONS[name]["params"]:
            if "default" in p and r.random() < 0.5:
                continue
            args[p["name"]] = r.choice(JUNK) if r.random() < 0.05 else good(r, p["kind"], p["name"], C, M)
        if "weights" in args and isinstance(args["weights"], list) and r.random() < 0.9:
            args["k"] = max(1, len(args["weights"]))
        f = spec.implementation(name)
        try:
            result = f(**args)
        except InvalidInput:
            continue
        except Exception as e:
            raise AssertionError(f"call {i} of shard {shard}: {name}(**{args!r}) raised {e!r}") from e
        try:
            check(name, args, result)
        except (AssertionError, TypeError) as e:
            raise AssertionError(f"call {i} of shard {shard}: {name}(**{args!r}) returned {result!r}") from e
        answered += 1
    assert answered > CALLS // SHARDS // 6  # good calls must stay a fair share
