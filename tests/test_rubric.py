"""Module scorio.rubric: tables, comparison with a naive implementation, messages, forms of signals, limits."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import attempts
import numpy as np
import pandas as pd
import pytest
import spec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lengths import scaled

import scorio
from scorio import InvalidInput, rubric
from scorio.rubric import schema as tables
from scorio.rubric.conditions import DEEPEST
from scorio.rubric.schema import LONGEST_CHAIN, schema_of

TABLES = json.loads((spec.SPEC / "rubric.json").read_text())
SIGNALS = {"is_correct": [[1, 0], [1, 1]], "repeated_pattern": [[0, 0], [1, 0]], "C": 0.25}
quick = settings(max_examples=scaled(150, 30), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def test_tables_are_those_of_spec() -> None:
    """Check signals, thresholds, variables and schemata against spec/, in their order."""
    signals = {s["name"]: (s["low"], float("inf") if s["high"] is None else s["high"]) for s in TABLES["signals"]}
    assert list(tables.SIGNALS.items()) == list(signals.items())
    assert list(tables.BINARY) == [s["name"] for s in TABLES["signals"] if s["whole"]]
    thresholds = {t["name"]: (t["p"], t["signal"], t["among"]) for t in TABLES["thresholds"]}
    assert list(tables.THRESHOLDS.items()) == list(thresholds.items())
    assert list(tables.VARIABLES.items()) == [(v["name"], v["condition"]) for v in TABLES["variables"]]
    schemata = [
        (s["key"], s["label"], [tuple(r) for r in s["rules"]], [float(w) for w in s["w"]]) for s in TABLES["schemata"]
    ]
    assert [(k, s.label, list(s.rules), list(s.w)) for k, s in rubric.SCHEMATA.items()] == schemata
    assert all(s.name == key for key, s in rubric.SCHEMATA.items())


# --- the naive implementation ------------------------------------------------------------------------


@quick
@given(st.lists(attempts.ANY.map(float), min_size=1, max_size=40), st.integers(0, 100))
def test_percentiles_agree_with_their_definition(x: list[float], p: int) -> None:
    """Check percentiles: the nearest double to the exact value, within the data, and close to NumPy's."""
    got = rubric.percentile(x, p)
    assert got == attempts.percentile(x, p)
    assert min(x) <= got <= max(x)
    with np.errstate(all="ignore"):
        numpy_percentile = np.percentile(x, p)
    if np.isfinite(numpy_percentile):
        assert got == pytest.approx(float(numpy_percentile), rel=1e-9, abs=1e-9 * max(map(abs, x)))


def test_percentile_neither_overflows_nor_rounds_twice() -> None:
    """Check percentiles of the largest and smallest doubles, and a tie that a far smaller term decides."""
    big, small = 1.7976931348623157e308, 5e-324
    assert rubric.percentile([-big, big], 50) == 0.0
    assert rubric.percentile([-big, big], 75) == big / 2
    assert rubric.percentile([0.0, small], 50) == 0.0
    assert rubric.percentile([0.0, small], 51) == small
    odd = float(2**53 + 2**52 + 4)  # 3/4 of it is halfway between two doubles
    for low in (0.0, small, -small):
        assert rubric.percentile([low, odd], 75) == float(Fraction(low) / 4 + Fraction(odd) * 3 / 4)
    assert rubric.percentile([-small, odd], 75) == rubric.percentile([0.0, odd], 75) - 2.0
    assert str(rubric.percentile([-small, 0.0], 75)) == "0.0"


def result_or_code(f: Any, *args: Any, **options: Any) -> Any:
    """The result of f, or the code of its refusal."""
    try:
        return f(*args, **options)
    except InvalidInput as e:
        return e.code


@pytest.mark.slow
@quick
@given(attempts.arguments("rubric.categories"))
def test_categories_agree_with_the_naive_implementation(args: dict[str, Any]) -> None:
    """Check the vectorised categories against the naive implementation, attempt by attempt."""
    got = result_or_code(spec.call, "rubric.categories", args)
    if isinstance(got, str) and got not in ("missing", "empty", "category"):  # the naive rule checks no argument
        return
    schema, policy = spec.schema(args["schema"]), args.get("missing", "raise")
    schema = rubric.SCHEMATA[schema] if isinstance(schema, str) else schema
    naive, thresholds = attempts.NaiveSchema(schema), args.get("thresholds")
    lacking = set(schema.sources(thresholds is None)) - set(args["signals"])
    if lacking or (thresholds and set(naive.used_thresholds()) - set(thresholds)):
        assert got == "missing"
        return
    if any(isinstance(x, list) and not (x and all(x)) for x in args["signals"].values()):
        assert got == "empty"  # no questions, no trials
        return
    rows = attempts.rows_of(args["signals"])
    flat = [a for row in rows for a in row]
    values = {t: thresholds[t] if thresholds else naive.threshold(t, flat) for t in naive.used_thresholds()}
    want = [[naive.category(a, values) for a in row] for row in rows]
    codes = {x for row in want for x in row if not isinstance(x, int)}
    if isinstance(got, str):  # a category beyond C depends on the whole schema, which the naive rule does not see
        assert got == "category" or {"missing": attempts.MISSING, "empty": attempts.EMPTY}[got] in codes
        return
    assert codes <= {attempts.MISSING}
    replaced = {attempts.MISSING: -1 if policy == "drop" else policy}
    assert got.tolist() == [[replaced.get(x, x) for x in row] for row in want]


@pytest.mark.slow
@quick
@given(attempts.arguments("rubric.thresholds"))
def test_thresholds_agree_with_the_naive_implementation(args: dict[str, Any]) -> None:
    """Check standard and custom thresholds, of one model or pooled over several."""
    got = result_or_code(spec.call, "rubric.thresholds", args)
    if isinstance(got, str):
        return
    custom = args.get("own") or {}
    naive = attempts.NaiveSchema(rubric.Schema("own", [(0, "otherwise"), (1, "otherwise")], [0, 1], {}, custom))
    models = list(args["signals"].values())
    models = models if all(isinstance(m, dict) for m in models) else [args["signals"]]
    flat = [a for m in models for row in attempts.rows_of(m) for a in row]
    names = set.intersection(*(set(m) for m in models))
    available = [
        t for t, (_, s, among) in tables.THRESHOLDS.items() if s in names and (not among or "is_correct" in names)
    ]
    assert got == {t: naive.threshold(t, flat) for t in [*available, *custom]}
    assert list(got) == [*available, *custom]


@pytest.mark.slow
@quick
@given(attempts.arguments("rubric.score"))
def test_score_is_bayes_of_categories(args: dict[str, Any]) -> None:
    """Check mu and sigma against bayes, and ranks against the numbers of better models."""
    got = result_or_code(spec.call, "rubric.score", args)
    if isinstance(got, str):
        return
    models = {name: spec.numbers(x) for name, x in args["models"].items()}
    chosen = [
        rubric.SCHEMATA[s] if isinstance(s, str) else spec.schema(s) for s in args.get("schemata") or rubric.SCHEMATA
    ]
    chosen = [s for s in chosen if s.name not in got.left_out]
    assert got.schemata == [s.name for s in chosen]
    policy = args.get("missing", "raise")
    for i, s in enumerate(chosen):
        for l, signals in enumerate(models.values()):
            result = rubric.categories(signals, s, thresholds=got.thresholds, missing=policy)
            want = scorio.eval.bayes(scorio.tally(result, s.C, missing="drop", missing_code=-1), s.w)
            assert (got.mu[l, i], got.sigma[l, i]) == want
        mu = got.mu[:, i]
        assert got.ranks[:, i].tolist() == [1 + int((mu > x).sum()) for x in mu]


# --- messages ----------------------------------------------------------------------------------------


def refusal(f: Any, *args: Any, **options: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as e:
        f(*args, **options)
    return e.value


def test_messages_name_what_is_wrong() -> None:
    """Check that messages name the signal, the location, the threshold or the schema, and say what to do."""
    e = refusal(rubric.categories, {**SIGNALS, "is_correct": [[1, 0], [1, None]]}, "exact_match")
    for part in ("is_correct", "question 1", "trial 1", "exact_match", 'missing="drop"'):
        assert part in str(e)
    e = refusal(rubric.categories, {"is_correct": [[1, 0]], "repeated_pattern": 0}, "exact_match")
    assert e.code == "missing"
    assert "signal C" in str(e)
    assert "given as one number" in str(e)
    e = refusal(rubric.categories, {**SIGNALS, "completion_bpt": [[0.5, -0.5], [1, 1]]}, "conf_calibrated")
    assert e.code == "range"
    assert "[0, 1] = -0.5" in str(e)
    assert "sign" in str(e)
    custom = rubric.Schema("mine", [(0, "x > never"), (1, "otherwise")], [0, 1], {}, {"never": (50, "x", "x > 9")})
    e = refusal(rubric.categories, {"x": [[None, 2.0]]}, custom, missing="drop")
    assert (e.code, e.argument) == ("empty", "thresholds")
    for part in ("never", "mine", "question 0", "trial 1"):
        assert part in str(e)
    e = refusal(rubric.categories, {"x": [[0, 1, 2]]}, rubric.Schema("gap", [(0, "x < 1"), (1, "x > 1")], [0, 1]))
    assert (e.code, e.argument) == ("category", "schema")
    assert "schema gap: question 0, trial 1" in str(e)
    models = {"a": SIGNALS, "b": {**SIGNALS, "C": [[0, None], [0, 0]]}}
    e = refusal(rubric.score, models, ["exact_match"])
    assert e.argument == "models"
    assert "model 'b': question 0, trial 1 of models: C is missing" in str(e)
    e = refusal(rubric.Schema, "s", [(0, "x > 1 and (y < 2"), (1, "otherwise")], [0, 1])
    assert (e.code, e.argument) == ("format", "rules")
    assert "rules[0]: 'x > 1 and (y < 2', character 17" in str(e)


# --- forms -------------------------------------------------------------------------------------------


def test_every_form_of_signals_is_read() -> None:
    """Check arrays of any order and type, frames, masked arrays, nested lists with gaps, and numbers."""
    want = [[2, 1, 2], [-1, 1, 0]]
    correct = np.array([[1, 0, 1], [np.nan, 0, 1]])
    other_signals = {"repeated_pattern": [[0, 0, 0], [0, 0, 1]], "C": np.float32(0.25)}
    masked = np.ma.array([[1, 0, 1], [1, 0, 1]], mask=[[0, 0, 0], [1, 0, 0]])
    frame = pd.DataFrame(correct, columns=list("abc"))
    nullable = frame.astype("Int64")
    for x in (
        correct, np.asfortranarray(correct), correct.astype(np.float16), correct[::-1][::-1], correct.tolist(),
        [[1, 0, True], (None, 0.0, np.int8(1))], masked, [*masked], frame, nullable, correct.astype(object),
    ):  # fmt: skip
        got = rubric.categories({"is_correct": x, **other_signals}, "exact_match", missing="drop")
        assert got.tolist() == want, type(x)
    for x in ([[1, "0"]], [[1, 2j]], [[1, object()]], [["a", "b"]], "10", np.array([["a"]]), {1}, b"1"):
        assert refusal(rubric.thresholds, {"x": x}).code == "type", x
    for x in ([1, 0], np.zeros(3), np.zeros((1, 1, 1)), [[[1]]], [1, [0]]):
        assert refusal(rubric.thresholds, {"x": x}).code == "shape", x
    for x in ([], [[]], [[], []], np.zeros((0, 2)), np.zeros((2, 0))):
        assert refusal(rubric.thresholds, {"x": x}).code == "empty", x
    assert refusal(rubric.thresholds, {"x": [[1, 2], [1]]}).code == "ragged"
    assert refusal(rubric.thresholds, {"x": [[1, 10**400]]}).code == "not_finite"
    assert rubric.thresholds({"x": [[10**30, 10**30]]}, own={"t": (50, "x", None)}) == {"t": 1e30}
    data = np.array([[0.5, 1.0]])
    before = data.copy()
    rubric.categories({"is_correct": data, "repeated_pattern": 0, "C": 0}, "exact_match")
    assert (data == before).all()


def test_schemata_can_be_pickled_and_do_not_change() -> None:
    """Check that schemata survive pickling, have a hash, and copy the caller's mutable objects."""
    rules, variables = [[1, "big"], [0, "otherwise"]], {"big": "x > 1"}
    a = rubric.Schema("s", rules, [0, 1], variables)
    b = pickle.loads(pickle.dumps(a))
    assert a == b
    assert hash(a) == hash(b)
    rules[0][1], variables["big"] = "x > 2", "x > 2"
    assert a == b
    assert (a.C, a.label, rubric.SCHEMATA["ood_robustness"].label) == (1, "s", "OOD Robustness")
    assert rubric.categories({"x": [[1, 2]]}, b).tolist() == [[0, 1]]
    assert rubric.Schema("s", rules, [0, 1], None, None).variables == {}  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        rubric.SCHEMATA["mine"] = a  # type: ignore[index]
    with pytest.raises(AttributeError):
        a.name = "t"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["Conf-Wrong Penalty", "conf_wrong_penalty", "CONF WRONG PENALTY", "confWrongPenalty"])
def test_a_schema_may_be_named_as_in_the_paper_in_any_spelling(name: str) -> None:
    """Check that capitals, spaces, hyphens and underscores do not matter, and that results use the key."""
    signals = {"is_correct": [[1, 0]], "repeated_pattern": 0, "C": 0, "completion_bpt": [[1.0, 2.0]]}
    assert rubric.score({"a": signals}, [name]).schemata == ["conf_wrong_penalty"]
    assert {label for label, _, _ in tables.STANDARD_SCHEMATA.values()} >= {"Format+Confidence", "Verifier-Only"}
    for key, (label, _, _) in tables.STANDARD_SCHEMATA.items():
        assert schema_of(label, "schema") is rubric.SCHEMATA[key]


def test_depth_is_bounded() -> None:
    """Check that deep conditions, long chains of names, and chains of deep conditions are refused, without a crash."""
    for text in ("(" * DEEPEST + "x > 1" + ")" * DEEPEST, "not " * DEEPEST + "x > 1"):
        rubric.Schema("s", [(1, text), (0, "otherwise")], [0, 1])
        deeper = f"({text})" if text[0] == "(" else "not " + text
        assert refusal(rubric.Schema, "s", [(1, deeper), (0, "otherwise")], [0, 1]).code == "format"
    wide = " and ".join(["x > 1"] * 20_000)
    assert rubric.categories({"x": [[2]]}, rubric.Schema("s", [(1, wide), (0, "otherwise")], [0, 1])).tolist() == [[1]]
    for length, accepted in ((LONGEST_CHAIN, True), (LONGEST_CHAIN + 1, False), (3000, False)):
        for order in (range(length), reversed(range(length))):
            chain = {f"v{i}": f"v{i + 1}" if i + 1 < length else "x > 1" for i in order}
            if accepted:
                s = rubric.Schema("s", [(1, "v0"), (0, "otherwise")], [0, 1], chain)
                assert rubric.categories({"x": [[0, 2]]}, s).tolist() == [[0, 1]]
            else:
                assert result_or_code(rubric.Schema, "s", [(1, "v0"), (0, "otherwise")], [0, 1], chain) == "format"
    heavy = {f"v{i}": "not " * 90 + (f"v{i + 1}" if i < 9 else "x > 1") for i in range(10)}
    assert result_or_code(rubric.Schema, "s", [(1, "v0"), (0, "otherwise")], [0, 1], heavy) == "format"


def test_categories_above_255_keep_their_numbers() -> None:
    """Check that categories above 255 keep their numbers."""
    C = 300
    rules = [(i, f"x == {i}") for i in range(C + 1)]
    schema = rubric.Schema("fine", rules, [i / C for i in range(C + 1)])
    x = np.arange(C + 1).reshape(7, 43)
    assert (rubric.categories({"x": x}, schema) == x).all()
