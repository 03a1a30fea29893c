"""Outcomes in memory (mappings of models or benchmarks, arrays, frames) are read and checked as files are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import scorio
from scorio import Answers, Counts, InvalidInput
from scorio.analysis.curves import block

A, B = [[1, 0, 1], [0, 0, 1]], [[1, 1, 1], [0, 0, 0]]
TABLE = [[1, 2], [2, 1]]  # failures and successes of each question of A
LONG = {  # A with a row for each outcome
    "question": ["x", "x", "x", "y", "y", "y"],
    "outcome": [1, 0, 1, 0, 0, 1],
}


def refused(code: str, source: object, **options: object) -> str:
    """Message of the error with this code that reading the source must raise."""
    with pytest.raises(InvalidInput) as e:
        scorio.read(source, **options)
    assert e.value.code == code, e.value
    return str(e.value)


@pytest.mark.parametrize(
    "outcomes",
    [
        A,
        np.array(A),
        np.array(A, bool),
        pd.DataFrame(A),
        pl.DataFrame({"t1": [1, 0], "t2": [0, 0], "t3": [1, 1]}),
        pd.DataFrame(LONG),
        pl.DataFrame(LONG),
        Counts(TABLE),
        Answers([["4", "5", "4"], ["7", "8", "9"]], ["4", "9"]),
    ],
    ids=lambda x: f"{type(x).__module__}.{type(x).__name__}",
)
def test_every_form_of_outcomes_is_read(outcomes):
    e = scorio.read({"a": outcomes, "b": B})
    assert (e.models, list(e.benchmarks), e["a"].table.tolist()) == (("a", "b"), [""], TABLE)
    assert e["b"].table.tolist() == [[0, 3], [3, 0]]
    suite = scorio.read({"one": {"a": outcomes}, "two": {"a": B, "b": A}})
    assert (list(suite.benchmarks), suite["a", "one"].table.tolist()) == (["one", "two"], TABLE)
    assert list(scorio.read({"one": {"a": outcomes}, "two": {"a": B}}, task="tw*").benchmarks) == ["two"]


def test_arrays_are_one_model_or_several():
    e = scorio.read(np.array([A, B]))
    assert (e.models, e["model-2"].table.tolist()) == (("model-1", "model-2"), [[0, 3], [3, 0]])
    assert scorio.read(np.array(A)).models == ("model",)
    assert scorio.read(A)["model"] == scorio.read(Counts(TABLE))["model"] == Counts(TABLE, ids=["0", "1"])


def test_the_index_of_a_frame_gives_question_ids():
    frames = {"a": pd.DataFrame(A, index=["x", "y"]), "b": pd.DataFrame(B, index=["y", "z"])}
    e = scorio.read(frames)
    assert e.log("b").ids == ["y", "z"]
    assert e.benchmark().ids == ("x", "y", "z")
    assert e.benchmark().shared().log("b").counts.table.tolist() == [[0, 3]]
    assert [x.trials.tolist() for x in e.benchmark().aligned().values()] == [[3, 3, 0], [0, 3, 3]]
    assert "in the index twice" in refused("duplicate", {"a": pd.DataFrame(A, index=["x", "x"])})
    assert scorio.read({"a": pd.DataFrame(LONG)}).log("a").ids == ["x", "y"]


def test_missing_outcomes_follow_the_policy():
    with_missing = {"a": [[1, None, 1], [0, 0]]}
    assert "model 'a'" in refused("missing", {"a": [[1, None]]})
    refused("ragged", with_missing)
    assert scorio.read(with_missing, missing="drop")["a"].table.tolist() == [[0, 2], [2, 0]]
    assert scorio.read(with_missing, missing=0)["a"].table.tolist() == [[1, 2], [3, 0]]
    coded = scorio.read({"a": np.array([[1, -1, 1], [0, 0, -1]])}, missing="drop", missing_code=-1)
    assert (coded["a"].absent.tolist(), coded.provenance.missing, coded.provenance.missing_code) == ([1, 1], "drop", -1)


def test_trials_keep_their_order():
    outcomes = block(scorio.read({"a": A, "b": B}, trials=True).benchmark()).outcomes
    assert {m: x.tolist() for m, x in outcomes.items()} == {"a": A, "b": B}


def test_outcomes_may_be_scores():
    scores = {"a": [[0.5, 1.0], [0, 0.25]], "b": pd.DataFrame([[1.0, 0.5]])}
    e = scorio.read(scores, w="levels")
    assert (e.w, e["a"].table.tolist()) == ((0, 0.25, 0.5, 1), [[0, 0, 1, 1], [1, 1, 0, 0]])
    assert scorio.read({"one": scores}, scale=(0, 10)).scales == {"one": (0, 10)}
    long = pl.DataFrame({"question": ["x", "y"], "outcome": [7.5, 2.0]})
    mixed_forms = scorio.read({"a": long, "b": np.ma.masked_equal([[3.0, -1.0]], -1.0)}, w="levels", missing="drop")
    assert (mixed_forms.w, mixed_forms["b"].absent.tolist()) == ((2, 3, 7.5), [1])
    assert scorio.read({"a": [[0, 2], [1, 1]]}, w=[0, 0.5, 1])["a"].table.tolist() == [[1, 0, 1], [0, 2, 0]]
    refused("fractional", scores)
    refused("range", scores, scale=(0, 0.5))
    refused("category", {"a": [[0, 2]]})
    refused("conflict", {"a": Counts(TABLE)}, w="levels")


def test_invalid_sources_are_refused():
    refused("empty", {})
    refused("empty", {"one": {}})
    refused("type", {"a": A, "one": {"a": A}})
    refused("type", {"a": 3})
    refused("type", {3.5: A})
    refused("conflict", {"a": pd.DataFrame({"model": ["m"], "question": ["q"], "outcome": [1]})})
    for name, x in {"which": "acc", "format": "table", "files_are_runs": True, "layout": "{model}"}.items():
        refused("conflict", {"a": A}, **{name: x})
        refused("conflict", pd.DataFrame(LONG), **{name: x})
    refused("missing", {"a": A}, answers=True)
    with pytest.raises(InvalidInput):
        scorio.read({"a": A})["b"]


def test_every_model_is_measured_once_in_every_benchmark(monkeypatch):
    """Check that a model's interval in a benchmark and its macro-average use the same measurement."""
    from scorio.analysis import measure

    calls = []
    rng, original = np.random.default_rng(2), measure.measure_counts
    monkeypatch.setattr(measure, "measure_counts", lambda *args, **more: calls.append(args) or original(*args, **more))
    e = scorio.read({b: {m: rng.integers(0, 2, (20, 8)) for m in "abc"} for b in ("x", "y")})
    board = e.leaderboard(k=[4])
    assert len(calls) == 3 * 2 * 2  # models, benchmarks, metrics
    for cell in board.each:
        R = e[cell.model, cell.benchmark]
        assert cell.average == scorio.eval.mean_ci(R, questions="fixed")
        assert cell.at_k["pass@4"] == scorio.eval.interval(R, "pass@k", 4, questions="fixed")
