"""Cases of module rubric: percentiles and thresholds; cases_schemata.py has those of schemata."""
from math import nextafter
from random import Random

import rubric

INF = float("inf")
SMALL, BIG = 5e-324, 1.7e308


def next_double(x):
    return nextafter(x, INF)


def previous_double(x):
    return nextafter(x, -INF)


def percentile():
    def case(comment, x, p, *flags):
        return comment, list(flags) or ["plain"], {"x": x, "p": p}

    for p in (0, 40, 100):
        yield case(f"one value is every percentile, p = {p}", [0.7], p, "boundary")
    for p in (0, 1, 33, 50, 99, 100):
        yield case(f"two values, p = {p}", [3.0, 1.0], p, "boundary" if p in (0, 100) else "plain")
    for p in (0, 25, 50, 75, 100):
        yield case(f"five values: h = {p // 25} is whole, the value is one of them", [0.4, 0.1, 0.5, 0.2, 0.3], p, "whole-place")
    for p in (33, 40, 60, 66, 90):
        yield case(f"the percentiles of table 4, p = {p}, seven values", [1.25, 0.5, 2.0, 0.75, 1.0, 3.5, 0.25], p)
    yield case("integers", [4, 1, 3, 2], 50)
    yield case("ties at the place", [1.0, 2.0, 2.0, 2.0, 3.0], 40, "ties")
    yield case("ties on one side", [1.0, 1.0, 1.0, 9.0], 90, "ties")
    yield case("all values equal: 0.1, not its neighbour", [0.1] * 7, 33, "ties")
    yield case("equal thirds: interpolation between equal values gives the value", [1 / 3] * 4, 66, "ties")
    yield case("negative values", [-3.0, -1.0, -2.0], 25)
    yield case("values of both signs", [-1.0, 3.0], 25, "exact-zero")
    yield case("zero and negative zero", ["-0.0", 0.0], 50, "exact-zero", "ties")
    yield case("in falling order: the values are sorted, by value and not by text", [10, 9, 100, 2, 1], 25)
    yield case("h = 7 exactly: 0.07 * 100 is 7.000000000000001 in doubles, whose next value is huge", [0.0] * 8 + [1e300] * 93, 7, "rounding", "whole-place")
    yield case("h = 29 exactly: 0.29 * 100 is 28.999999999999996 in doubles", [-1e300] * 29 + [1.0] * 72, 29, "rounding", "whole-place")
    yield case("h = 14 exactly: 0.14 * 100 is 14.000000000000002 in doubles", [0.0] * 15 + [1e300] * 86, 14, "rounding", "whole-place")
    yield case("h = 57 exactly: 0.57 * 100 is 56.99999999999999 in doubles", [-1e300] * 57 + [1.0] * 44, 57, "rounding", "whole-place")
    yield case("a difference that overflows", [-BIG, BIG], 75, "rounding", "boundary")
    yield case("the middle of the largest doubles of both signs", [-1.7976931348623157e308, 1.7976931348623157e308], 50, "exact-zero", "boundary")
    yield case("a difference that overflows, p = 33", [-1.7976931348623157e308, 1.7976931348623157e308], 33, "rounding", "boundary")
    yield case("between the two largest doubles", [1.7976931348623155e308, 1.7976931348623157e308], 90, "rounding", "boundary")
    yield case("the smallest double and 0: three quarters of it rounds up", [0.0, SMALL], 75, "rounding", "underflow")
    yield case("the smallest double and 0: a quarter of it rounds to 0", [0.0, SMALL], 25, "rounding", "underflow")
    yield case("a step between subnormals", [3 * SMALL, 10 * SMALL, 11 * SMALL], 33, "rounding", "underflow")
    yield case("the largest subnormal and the smallest normal double", [2.225073858507201e-308, 2.2250738585072014e-308], 66, "rounding", "underflow")
    yield case("a product that would underflow: 0.33 of 1e-323", [0.0, 1e-323], 33, "rounding", "underflow")
    yield case("neighbours of one ulp, below the middle", [1.0, next_double(1.0)], 49, "rounding")
    yield case("neighbours of one ulp, above the middle", [1.0, next_double(1.0)], 51, "rounding")
    yield case("next to a power of two, whose ulp differs on both sides", [previous_double(1.0), next_double(1.0)], 66, "rounding")
    yield case("tenths: x + g (y - x) in doubles is one ulp off", [0.1, 0.7], 33, "rounding")
    yield case("a huge and a tiny value", [1e-300, 1e300], 1, "rounding")
    yield case("cancellation: large values of both signs that meet near 0", [-1e16, 1e16 + 2], 50, "cancellation", "rounding")
    yield case("cancellation beside 0", [-0.3, 0.9], 25, "cancellation", "rounding")
    yield case("cancellation, p = 40", [-0.2, 0.3], 40, "cancellation", "rounding")
    rng = Random(1301)
    for _ in range(12):
        n, p = rng.randint(2, 30), rng.randint(0, 100)
        yield case(f"{n} random values of many sizes, p = {p}", [rng.choice((-1, 1, 1)) * rng.randint(1, 10**6) / 10 ** rng.randint(0, 9) for _ in range(n)], p, "random")
    for _ in range(6):
        n, p = rng.randint(2, 12), rng.randint(1, 99)
        yield case(f"{n} random values with ties, p = {p}", [rng.randint(0, 4) / 10 for _ in range(n)], p, "random", "ties")


def attempts(rows):
    """Signals from a list of rows of attempts (dictionaries with the same names)."""
    return {name: [[a[name] for a in row] for row in rows] for name in rows[0][0]}


def random_signals(rng, M, N, names, missing_share=0.0, digits=3):
    """Random attempts: truth values by a coin, numbers with few digits; missing_share: the share of missing values."""
    def one(name):
        if rng.random() < missing_share:
            return None
        if name in ("has_box", "is_correct"):
            return rng.choice((0, 1))
        if name == "repeated_pattern":
            return int(rng.random() < 0.1)
        most = {"C": 0.55, "A": 1.0, "B": 0.6, "token_ratio": 1.0, "prompt_bpt": 4.0}.get(name, 1.5)
        return round(rng.random() * most, digits)
    return attempts([[{name: one(name) for name in names} for _ in range(N)] for _ in range(M)])


def thresholds():
    def case(comment, signals, *flags, **args):
        return comment, list(flags) or ["plain"], {"signals": signals, **args}

    full = {"is_correct": [[1, 0, 1, 0], [0, 1, 0, 1]], "completion_bpt": [[0.5, 1.25, 0.25, 0.75], [2.0, 1.0, 1.5, 0.125]],
            "prompt_bpt": [[1.0, 1.0, 1.0, 1.0], [3.0, 3.0, 3.0, 3.0]], "token_ratio": [[0.1, 0.9, 0.2, 0.4], [0.8, 0.3, 0.7, 0.6]]}
    yield case("all seven thresholds, in the order of table 4", full)
    yield case("the order of the signals does not matter", dict(reversed(full.items())))
    for name in full:
        yield case(f"without {name}: thresholds that need it are left out", {k: v for k, v in full.items() if k != name}, "absent")
    yield case("no signal of any threshold: no thresholds", {"has_box": [[0, 1]]}, "absent", "boundary")
    yield case("only a custom signal: no thresholds", {"difficulty": [[0.5, -2]]}, "absent", "boundary")
    yield case("only is_correct, which no threshold uses alone", {"is_correct": [[0, 1]]}, "absent", "boundary")
    yield case("one attempt, a correct one: thresholds are its values, tau_low_wrong has none", {"is_correct": [[1]], "completion_bpt": [[0.7]], "prompt_bpt": [[0.3]], "token_ratio": [[0.2]]}, "boundary", "undefined-threshold")
    yield case("no wrong attempts: tau_low_wrong has no value", {**full, "is_correct": [[1] * 4] * 2}, "undefined-threshold")
    yield case("no correct attempts: corr_p33 and corr_p66 have no value", {**full, "is_correct": [[0] * 4] * 2}, "undefined-threshold")
    yield case("is_correct of 0.5 is correct, just below is wrong", {**full, "is_correct": [[0.5, 0.49999999999999994, 1, 0]] * 2}, "boundary")
    yield case("truth values are 0 and 1", {**full, "is_correct": [[True, False, True, False], [False, True, False, True]]}, "alias")
    yield case("is_correct is the same for all: a scalar", {**full, "is_correct": 1}, "scalar", "undefined-threshold")
    yield case("is_correct false for all", {**full, "is_correct": False}, "scalar", "undefined-threshold")
    yield case("a scalar signal: every percentile is the scalar", {**full, "prompt_bpt": 0.1}, "scalar")
    yield case("a missing scalar: no value is present", {**full, "prompt_bpt": None}, "scalar", "kleene", "undefined-threshold")
    yield case("invalid attempts count too", {**full, "repeated_pattern": [[1, 1, 1, 1], [0, 0, 0, 0]], "C": 0.9})
    with_missing = [[None, 1.25, "nan", 0.75], [2.0, None, 1.5, 0.125]]
    yield case("missing values are left out", {**full, "completion_bpt": with_missing}, "kleene")
    yield case("where is_correct is missing, an attempt is neither wrong nor correct", {**full, "is_correct": [[1, None, "nan", 0], [None, 1, 0, None]]}, "kleene")
    yield case("values missing in both signals", {**full, "completion_bpt": with_missing, "is_correct": [[1, None, 1, 0], [0, 1, None, 1]]}, "kleene")
    yield case("a signal that is given but missing in every attempt", {**full, "token_ratio": [[None] * 4] * 2}, "kleene", "undefined-threshold")
    yield case("correct, but the confidence of all correct ones is missing", {"is_correct": [[1, 0, 0]], "completion_bpt": [[None, 0.5, 0.25]]}, "kleene", "undefined-threshold")
    yield case("ties", {**full, "completion_bpt": [[0.5] * 4, [0.25] * 4]}, "ties")
    yield case("all equal: the value itself", {**full, "completion_bpt": [[0.1] * 4] * 2, "token_ratio": [[1 / 3] * 4] * 2}, "ties")
    yield case("zeros: a completion of probability 1", {**full, "completion_bpt": [[0, 0.0, "-0.0", 0]] * 2}, "exact-zero", "ties")
    yield case("integers and fractions mixed", {**full, "completion_bpt": [[1, 2, 0.5, 3], [4, 1.5, 2, 1]]})
    yield case("tiny and huge values", {**full, "completion_bpt": [[SMALL, 3 * SMALL, 1e308, 1.7e308], [0.0, 1e-300, 1e300, 2.2250738585072014e-308]]}, "rounding", "underflow")
    yield case("the percentile of neighbours", {**full, "completion_bpt": [[1.0, next_double(1.0), 1.0, next_double(1.0)]] * 2}, "rounding", "ties")
    own = {"hard": [75, "difficulty", None]}
    yield case("a custom threshold of a custom signal, after the standard ones", {**full, "difficulty": [[-1, 0.5, 2, 7], [3, 3, -4, 0]]}, "own", own=own)
    yield case("a custom signal may be negative", {"difficulty": [[-1, -0.5, -2, -7]]}, "own", own=own)
    yield case("custom thresholds of a standard signal", full, "own", own={"top": [100, "completion_bpt", None], "least": [0, "completion_bpt", None]})
    yield case("among a comparison", full, "own", own={"long": [50, "token_ratio", "completion_bpt > 0.75"]})
    yield case("among a variable", full, "own", own={"long": [50, "token_ratio", "wrong"]})
    yield case("among not, or, parentheses", full, "own", own={"long": [50, "token_ratio", "not (correct or completion_bpt > 1.25)"]})
    yield case("among otherwise: everything", full, "own", own={"long": [50, "token_ratio", "otherwise"]})
    yield case("among a condition that is never true", full, "own", "undefined-threshold", own={"none": [50, "token_ratio", "not otherwise"]})
    yield case("among a condition that rests on a threshold", full, "own", own={"sure": [50, "token_ratio", "high_conf"]})
    yield case("a custom threshold that rests on another one, declared later", full, "own", own={"late": [50, "token_ratio", "completion_bpt >= early"], "early": [30, "completion_bpt", "correct"]})
    yield case("a threshold in the condition is rounded before it is compared: 1 + 0.6 ulp is 1 + 1 ulp", {"x": [[1.0, next_double(1.0)]], "y": [[10.0, 20.0]]}, "own", "rounding", own={"t": [60, "x", None], "u": [50, "y", "x >= t"]})
    yield case("a tie of the rounding goes to the even double: 1 + 0.5 ulp is 1", {"x": [[1.0, next_double(1.0)]], "y": [[10.0, 20.0]]}, "own", "rounding", own={"t": [50, "x", None], "u": [0, "y", "x == t"]})
    yield case("the rounding of subnormals: 2.6 units are 3", {"x": [[2 * SMALL, 3 * SMALL]], "y": [[10.0, 20.0]]}, "own", "rounding", own={"t": [60, "x", None], "u": [0, "y", "x == t"]})
    yield case("a condition on a threshold without value is never true", {**full, "is_correct": 1}, "own", "undefined-threshold", own={"sure": [50, "token_ratio", "completion_bpt <= tau_low_wrong"]})
    yield case("unknown or true is true: the attempt counts", {**full, "is_correct": 1}, "own", "kleene", "undefined-threshold", own={"sure": [50, "token_ratio", "completion_bpt <= tau_low_wrong or correct"]})
    yield case("unknown and false is false, and its negation is true", {**full, "is_correct": [[1, 0, None, 0], [0, None, 0, 1]]}, "own", "kleene", own={"sure": [50, "token_ratio", "not (correct and token_ratio > 0.5)"]})
    yield case("custom signals in among", {**full, "length": [[1, 2, 3, 4], [5, 6, 7, 8]]}, "own", own={"t": [50, "completion_bpt", "length > 3"]})
    yield case("own is null: the default", full, "alias", own=None)
    yield case("own is empty", full, "alias", own={})
    a = {"completion_bpt": [[0.1, 0.2], [0.3, 0.4]], "is_correct": [[1, 0], [0, 1]]}
    b = {"completion_bpt": [[1.5, 0.25, 0.75], [2.0, 0.5, 1.0]], "is_correct": [[0, 0, 1], [0, 1, 1]]}
    yield case("two models, pooled over unequal numbers of trials", {"a": a, "b": b}, "pooled")
    yield case("the order of the models does not matter", {"b": b, "a": a}, "pooled")
    yield case("one model by name", {"a": a}, "pooled", "boundary")
    yield case("a signal that one model lacks: its thresholds are left out", {"a": {**a, "token_ratio": [[0.5, 0.5], [0.25, 0.75]]}, "b": b}, "pooled", "absent")
    yield case("a scalar of one model counts once per attempt", {"a": {**a, "prompt_bpt": 0.5}, "b": {**b, "prompt_bpt": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]}}, "pooled", "scalar")
    yield case("custom thresholds over models", {"a": {**a, "x": [[1, 2], [3, 4]]}, "b": {**b, "x": 10}}, "pooled", "own", own={"mid": [50, "x", "wrong"]})
    yield case("names of models can be any text", {"GPT 9 (high)": a, "is_correct": b}, "pooled", "mapping")
    rng = Random(1302)
    for i in range(6):
        M, N = rng.randint(1, 5), rng.randint(1, 7)
        yield case(f"random attempts, {M} questions of {N} trials", random_signals(rng, M, N, rubric.SIGNALS, missing_share=0.1 * (i % 3)), "random")


BY_NAME = {"rubric.percentile": percentile, "rubric.thresholds": thresholds}
