"""Containers in which a mask, a unit, bytes or a shape could go unnoticed: each is read correctly, or refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import scorio
from scorio import Answers, Counts, InvalidInput, ScoredTrials, eval, items, rank, rubric, sinf, tally

R = np.array([[0, 1, 1], [1, 0, 1]])
MASK = np.array([[0, 0, 1], [0, 1, 0]], bool)
COMPLETE, DROPPED = [[1, 2], [1, 2]], [[1, 1], [0, 2]]
NUMBERS = ["bool", "int8", "uint16", "int64", ">i4", "float16", "float32", "float64", "longdouble", "object"]
NOT_NUMBERS = ["complex128", "S1", "U1", "V1", "m8[s]", "m8[ns]", "M8[s]", "M8[ns]", "a,b"]
NULLABLE = ["Int64", "boolean", "Float64", "int64[pyarrow]", "bool[pyarrow]", "category", "Sparse[int]"]


def R_as(dtype: str) -> Any:
    """The array R in any dtype (V1 by way of S1); with a structured dtype, in its first field."""
    if dtype == "a,b":
        A = np.zeros(R.shape, [("a", "i8"), ("b", "i8")])
        A["a"] = R
        return A
    return R.astype("S1" if dtype == "V1" else dtype).astype(dtype)


def object_array(rows: Any) -> Any:
    """Array of Python objects with these entries."""
    A = np.empty((len(rows), len(rows[0])), object)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            A[i, j] = x
    return A


def frame(dtype: str) -> pd.DataFrame:
    """The array R as a data frame with columns of this type."""
    return pd.DataFrame(R.astype(bool) if "bool" in dtype else R).astype(dtype)


class Wrapper:
    """Object that NumPy can convert to an array."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asanyarray(self.x, dtype)


def memory_layouts(x: Any) -> dict[str, Any]:
    """Copies of an array: strided, reversed, transposed, read-only; byte-swapped and unaligned, unless of objects."""
    M, N = x.shape
    A: Any = np.repeat(np.repeat(x, 3, axis=0), 2, axis=1)
    out = {"in steps": A[::3, ::2], "backwards": x[::-1, ::-1].copy()[::-1, ::-1], "transposed": x.T.copy().T}
    out["read-only"] = x.copy()
    out["read-only"].flags.writeable = False
    if x.dtype.kind != "O":
        out["swapped bytes"] = x.astype(x.dtype.newbyteorder())
        record = np.zeros((M, N), [("pad", "u1"), ("x", x.dtype)])  # no padding: the field is not aligned
        record["x"] = np.ma.getdata(x)
        masked = np.ma.isMaskedArray(x)
        out["unaligned"] = np.ma.array(record["x"], mask=np.ma.getmaskarray(x)) if masked else record["x"]
    return out


@cache
def with_missing() -> dict[str, Any]:
    """The array R with the entries in MASK missing, in many containers that can mark them."""
    out: dict[str, Any] = {f"masked {t}": np.ma.array(R_as(t), mask=MASK) for t in NUMBERS}
    for t in ("int64", "object"):
        masked = out[f"masked {t}"]
        out |= {f"rows of masked {t}": list(masked), f"a tuple of masked {t}": tuple(masked)}
        out |= {f"objects, masked {t}": object_array([list(row) for row in masked]), f"a list of {t}": masked.tolist()}
        out[f"masked Fortran {t}"] = np.ma.array(np.asfortranarray(masked.data), mask=np.asfortranarray(MASK))
        # [[0]] keeps NumPy from making one array of numbers out of the rows
        out[f"masked rows of objects {t}"] = np.array([[row] for row in masked] + [[0]], object)[:2, 0]
        out |= {f"masked {t}, {how}": y for how, y in memory_layouts(masked).items()}
        out[f"masked matrix {t}"] = np.ma.array(R_as(t).view(np.matrix), mask=MASK)
        out[f"hard mask {t}"] = np.ma.array(R_as(t), mask=MASK, hard_mask=True, fill_value=0)
    out["masked floats with other entries NaN"] = np.ma.array(
        np.where([[0, 0, 0], [0, 1, 0]], np.nan, R), mask=[[0, 0, 1], [0, 0, 0]]
    )
    out["masked wrapper"] = Wrapper(out["masked int64"])
    out["nested masked wrapper"] = [Wrapper(row) for row in out["masked int64"]]
    out |= {f"a frame of {t}": frame(t).mask(MASK) for t in NULLABLE}
    out["rows of pandas arrays"] = [pd.array(row, dtype="Int64") for row in out["a list of int64"]]
    out["rows of series"] = [pd.Series(row, dtype="Int64") for row in out["a list of int64"]]
    booleans = [[x if x is None else bool(x) for x in row] for row in out["a list of int64"]]
    for t in ("boolean", "bool[pyarrow]"):
        arrays = [pd.array(row, dtype=t) for row in booleans]
        out |= {f"rows of {t}": arrays, f"a series of {t}": pd.Series(arrays)}
        out[f"rows of series of {t}"] = [pd.Series(x) for x in arrays]
    out["rows of polars"] = list(map(pl.Series, booleans))
    out["rows of arrow"] = list(map(pa.array, booleans))
    if find_spec("dask"):
        import dask.array
        import dask.dataframe

        out["dask"] = dask.array.ma.masked_array(dask.array.from_array(R), mask=dask.array.from_array(MASK))
        out["rows of dask"] = list(out["dask"])
        out["a frame of dask"] = dask.dataframe.from_pandas(frame("Float64").mask(MASK), npartitions=1)
    out["polars"] = pl.DataFrame({str(j): x for j, x in enumerate(zip(*out["a list of int64"], strict=True))})
    return out


@cache
def without_missing() -> dict[str, Any]:
    """The array R without missing entries, in many containers."""
    out: dict[str, Any] = {t: R_as(t) for t in NUMBERS} | {f"a frame of {t}": frame(t) for t in NULLABLE}
    out |= {f"nothing masked {t}": np.ma.array(R_as(t)) for t in NUMBERS}
    out |= {"matrix": R.view(np.matrix), "matrix of objects": R.astype(object).view(np.matrix)}
    out |= {f"{t}, {how}": x for t in NUMBERS for how, x in memory_layouts(R_as(t)).items()}
    out |= {"wrapper": Wrapper(R), "rows of wrappers": [Wrapper(row) for row in R]}
    out |= {"arrays without dimension": [[np.array(x) for x in row] for row in R]}
    return out | {"memory": memoryview(np.ascontiguousarray(R))}


@cache
def not_outcomes() -> dict[str, Any]:
    """Inputs that NumPy would convert but that are not outcomes."""
    out: dict[str, Any] = {t: R_as(t) for t in NOT_NUMBERS} | {
        f"masked {t}": np.ma.array(R_as(t), mask=MASK) for t in NOT_NUMBERS
    }
    out |= {f"rows of masked {t}": list(np.ma.array(R_as(t), mask=MASK)) for t in ("m8[s]", "m8[ns]")}
    out |= {f"rows of {t}": list(R_as(t)) for t in NOT_NUMBERS} | {
        f"lists of {t}": [list(x) for x in R_as(t)] for t in NOT_NUMBERS
    }
    out |= {f"objects {t}": object_array(R_as(t)) for t in NOT_NUMBERS}
    out |= {"bytes": b"\0\1", "bytearray": bytearray(b"\0\1"), "rows of bytes": [b"01", b"10"]}
    out |= {"rows of bytearray": [bytearray(b"\0\1")] * 2, "rows of text": ["011", "101"]}
    out |= {"rows of matrices": [x.view(np.matrix) for x in R], "records": R_as("a,b").view(np.recarray)}
    out["masked numbers without dimension"] = [[np.ma.array(x, mask=m) for x, m in zip(R[0], MASK[0], strict=True)]]
    out["durations in pandas"] = pd.DataFrame(R).astype("m8[ns]")
    out["durations in polars"] = pl.DataFrame(R).cast(pl.Duration)
    return out


def refusal_code(f: Callable[[], Any]) -> str:
    """Error code of a call that must be refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of masked entries that become NaN
        with pytest.raises(InvalidInput) as e:
            f()
    return e.value.code


@pytest.mark.parametrize("container", with_missing())
def test_masked_entries_are_missing(container: str) -> None:
    """Check that masked entries are missing in outcomes under every policy, in prior outcomes, and in signals."""
    x = with_missing()[container]
    assert refusal_code(lambda: tally(x)) == "missing"
    assert tally(x, missing="drop").table.tolist() == DROPPED
    assert tally(x, missing=0).table.tolist() == [[2, 1], [1, 2]]
    assert tally(x, missing=1).table.tolist() == [[1, 2], [0, 3]]
    assert refusal_code(lambda: eval.bayes(R, R0=x)) == "missing"
    signals = {"is_correct": x, "repeated_pattern": 0, "C": 0}
    assert refusal_code(lambda: rubric.categories(signals, "exact_match")) == "missing"


@pytest.mark.parametrize("container", without_missing())
def test_entries_that_are_not_masked_are_read(container: str) -> None:
    """Check that every container of the same numbers gives the same counts, estimates and categories."""
    x = without_missing()[container]
    assert tally(x).table.tolist() == COMPLETE
    assert eval.bayes(R, R0=x) == eval.bayes(R, R0=R)
    want = rubric.categories({"is_correct": R, "repeated_pattern": 0, "C": 0}, "exact_match").tolist()
    assert rubric.categories({"is_correct": x, "repeated_pattern": 0, "C": 0}, "exact_match").tolist() == want


@pytest.mark.parametrize("container", not_outcomes())
def test_entries_that_are_not_numbers_are_refused(container: str) -> None:
    """Check that units, fields, bytes, text and matrices as rows are refused in six kinds of argument."""
    x = not_outcomes()[container]
    kind = "shape" if container == "rows of matrices" else "type"
    assert refusal_code(lambda: tally(x, missing="drop")) == kind
    assert refusal_code(lambda: rubric.categories({"is_correct": x, "repeated_pattern": 0, "C": 0}, "exact_match")) in (
        "type",
        "shape",
    )
    assert refusal_code(lambda: Counts(x)) in ("type", "shape", "missing")
    assert refusal_code(lambda: items.cost_per_solved(R, x, questions="fixed")) in (
        "type",
        "shape",
        "range",
        "not_finite",
    )
    if "U1" not in container and "text" not in container:  # answers may be text
        assert refusal_code(lambda: Answers(x, ["1", "1"])) in ("type", "shape", "length")
    assert refusal_code(lambda: ScoredTrials(x, R)) in ("type", "shape", "missing")


DURATIONS = [np.timedelta64(1, "s"), np.timedelta64(1, "ns")]


@pytest.mark.parametrize("duration", DURATIONS)
def test_a_duration_is_not_a_number(duration: Any) -> None:
    """Check that a duration is refused as a number, alone and in sequences."""
    durations = np.array([duration, duration + duration])
    assert refusal_code(lambda: eval.pass_at_k(R, duration)) == "type"
    assert refusal_code(lambda: tally(R, duration)) == "type"
    assert refusal_code(lambda: tally(R, missing=duration)) == "type"
    assert refusal_code(lambda: tally(R, missing="drop", missing_code=duration)) == "type"
    assert refusal_code(lambda: sinf.prob_above(R, duration, questions="fixed")) == "type"
    for x in (durations, list(durations), object_array([durations])[0]):
        assert refusal_code(lambda x=x: eval.avg(R, x)) == "type"  # type: ignore[misc]
        assert refusal_code(lambda x=x: rubric.percentile(x, 50)) == "type"  # type: ignore[misc]
        assert refusal_code(lambda x=x: eval.interval(R, questions="sampled", clusters=x)) == "type"  # type: ignore[misc]
        columns = {"model_a": ["a", "b"], "model_b": ["b", "a"], "winner": ["tie", "tie"], "question": x}
        assert refusal_code(lambda columns=columns: rank.bradley_terry(columns)) == "type"  # type: ignore[misc]
    dates = np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
    assert refusal_code(lambda: eval.interval(R, questions="sampled", clusters=dates)) == "type"
    assert refusal_code(lambda: Answers([dates], ["a"])) == "type"


def test_masked_arguments_are_refused() -> None:
    """Check that masked arguments are refused, and that a masked label counts as no answer."""
    for dtype in (float, object):
        w = np.ma.array([0.0, 1.0], mask=[0, 1], dtype=dtype)
        assert refusal_code(lambda w=w: eval.avg(R, w)) == "not_finite"  # type: ignore[misc]
        assert refusal_code(lambda w=w: eval.avg(R, list(w))) in ("not_finite", "type")  # type: ignore[misc]
        assert refusal_code(lambda w=w: rubric.percentile(w, 50)) == "missing"  # type: ignore[misc]
        assert refusal_code(lambda w=w: rubric.percentile(list(w), 50)) == "missing"  # type: ignore[misc]
        clusters = np.ma.array([1, 2], mask=[0, 1], dtype=int if dtype is float else object)
        assert refusal_code(lambda x=clusters: eval.interval(R, questions="sampled", clusters=x)) == "type"  # type: ignore[misc]
        assert refusal_code(lambda x=clusters: Counts([[1, 2], [1, 2]], x)) == "missing"  # type: ignore[misc]
    costs = np.ma.array(R, mask=MASK)
    for x in (costs, list(costs), tuple(costs)):
        assert refusal_code(lambda x=x: items.cost_per_solved(R, x, questions="fixed")) == "not_finite"  # type: ignore[misc]
        assert refusal_code(lambda x=x: Counts(x)) == "missing"  # type: ignore[misc]
        assert refusal_code(lambda x=x: ScoredTrials(x, R)) == "missing"  # type: ignore[misc]
        assert refusal_code(lambda x=x: ScoredTrials(R, x)) == "missing"  # type: ignore[misc]
        assert Answers(x, [1, 1]).items == Answers([[0, 1, None], [1, None, 1]], [1, 1]).items
    assert refusal_code(lambda: tally(R).select(np.ma.array([True, False], mask=[0, 1]))) == "missing"
    assert refusal_code(lambda: scorio.rank.bayes(np.ma.array([R, R], mask=[MASK, MASK], dtype=object))) == "missing"
    assert (
        refusal_code(lambda: sinf.compare(R, np.ma.array(R.astype(object), mask=MASK), questions="fixed")) == "missing"
    )


SLOW_CONTAINERS = {
    "objects": lambda A: A,
    "objects by columns": lambda A: A.T.copy().T,
    "lists": lambda A: A.tolist(),
    "tuples": lambda A: tuple(map(tuple, A)),
    "lists of NumPy's numbers": lambda A: [
        [np.int64(x) if type(x) is int and x < 2**62 else x for x in row] for row in A
    ],
    "rows of arrays": list,
    "a frame of objects": pd.DataFrame,
}
ENTRIES = [0, 1, True, np.True_, 1.0, np.float32(0), np.int8(1), None, float("nan"), np.nan, pd.NA, pd.NaT]
BAD_ENTRIES = [2, -1, 0.5, float("inf"), "1", 10**30, 2**53 + 1, np.datetime64(1, "D"), [1], 1j]


@pytest.mark.parametrize("name", SLOW_CONTAINERS)
def test_containers_read_at_once_are_counted_as_entry_by_entry(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check counts, and code, argument and message of errors, where entries are converted at once and one by one."""

    def outcome(x: Any, missing: Any, code: Any) -> Any:
        try:
            return tally(x, 1, missing=missing, missing_code=code)
        except InvalidInput as e:
            return e.code, e.argument, str(e)

    random, results = np.random.default_rng(48), []
    for i in range(200):
        A = np.empty((3, 5), object)
        for at in np.ndindex(A.shape):
            A[at] = ENTRIES[random.integers(len(ENTRIES) if i % 3 else 4)]
        if i % 2:
            A[tuple(random.integers((3, 5)))] = BAD_ENTRIES[random.integers(len(BAD_ENTRIES))]
        policy = ("raise", "drop", 0, 1)[random.integers(4)], (None, -1, 1)[random.integers(3)]
        results.append((SLOW_CONTAINERS[name](A), *policy))
    at_once = [outcome(*x) for x in results]
    monkeypatch.setattr("scorio.outcomes.matrix._codes_of_objects", lambda *args: None)
    by_entry = [outcome(*x) for x in results]
    assert at_once == by_entry
    assert {type(x) for x in at_once} == {Counts, tuple}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16"])
def test_wide_numbers_are_counted_as_bytes_with_the_same_counts_and_errors(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check counts and errors of numbers that are read as bytes, beside those of the general kernel."""
    random, results = np.random.default_rng(8), []
    for i in range(100):
        A = random.integers(0, 3, (4, 6)).astype(dtype)
        if dtype.startswith("float") and i % 2:
            A[random.random(A.shape) < 0.2] = np.nan
        if i % 5 == 0:
            A[1, 2] = [-1, 3, 256, 255, 258][i // 5 % 5]
        A = np.asfortranarray(A) if i % 7 == 0 else A
        results.append((A, 2, [("raise", None), ("drop", None), ("drop", -1), ("drop", 1)][i % 4]))

    def outcome(A: Any, C: int, policy: Any) -> Any:
        try:
            return tally(A, C, missing=policy[0], missing_code=policy[1])
        except InvalidInput as e:
            return str(e)

    as_bytes = [outcome(*x) for x in results]
    monkeypatch.setattr("scorio.outcomes.tally._counts_of_bytes", lambda *args: None)
    assert as_bytes == [outcome(*x) for x in results]


def test_scores_given_as_outcomes_are_refused_with_the_way_to_read_them() -> None:
    """Check that the error for real-valued rewards says how to read them, and that this way works."""
    X = np.random.default_rng(1).normal(size=(4, 6))
    for call in (
        eval.avg,
        lambda R: eval.mean_ci(R, questions="fixed"),
        lambda R: sinf.compare(R, R, questions="fixed"),
    ):
        with pytest.raises(InvalidInput, match=r'scorio\.read\(\{"a": R\}, w="levels"\)'):
            call(X)
    board = scorio.read({"a": X}, w="levels").leaderboard()
    assert (
        board.table[0].average.mu
        == eval.avg(np.argsort(np.argsort(X, axis=None)).reshape(X.shape), np.sort(X, axis=None)).mu
    )


def test_a_leaderboard_has_max_at_k_of_any_number_of_scores() -> None:
    """Check that Max@k is not left out where more than 1,025 scores occur."""
    X = np.random.default_rng(2).normal(size=(200, 8))
    row = scorio.read({"a": X}, w="levels").leaderboard().table[0]
    assert list(row.at_k) == ["max@2", "max@4"]
    levels, index = np.unique(X, return_inverse=True)
    assert row.at_k["max@4"].mu == eval.max_at_k(index.reshape(X.shape), 4, levels)
