"""scorio.julia on every case of spec/ by juliacall; without it, on some by a stand-in: see the summary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import spec

import julia
import scorio
import scorio.julia as bridge

pytestmark = pytest.mark.slow

PROGRAM = spec.ROOT / "tests" / "juliacall_vectors.py"


def run(*options: str) -> dict[str, Any]:
    """Parsed output of the program, run in a new process."""
    env = os.environ | {"PYTHON_JULIACALL_HANDLE_SIGNALS": "yes"}
    command = [sys.executable, str(PROGRAM), *options]
    process = subprocess.run(command, capture_output=True, text=True, timeout=1800, env=env)
    assert process.returncode == 0, process.stderr[-2000:]
    output: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return output


@pytest.mark.long
def test_calls_from_python_give_the_same_bits(record_property: Any) -> None:
    """Check arrays in place, results and refusals against Python's, and many forms of outcomes that tally takes."""
    result, method = run(), "juliacall"
    if "why" in result:
        why, path = " ".join(result["why"].split())[:200], julia.executable()
        if path is None:
            record_property("comparison juliacall", f"did not run: {why}; and there is no Julia to stand in")
            return
        options = [
            "--every",
            "15",
        ]  # test_differential.py runs those without NumPy objects in this Julia
        result, method = run("--stand-in", path, *options), f"a stand-in for juliacall ({why})"
    assert result["cases"] > 600
    assert result["refused"] > 500
    assert not result["wrong"], result["wrong"][:20]
    counts = f"{result['cases']} cases of spec/ and {result['refused']} refusals"
    record_property("comparison juliacall", f"Julia {result['version']}, {counts}: no bit differs, by {method}")


class Bridge:
    """Stand-in for the Julia module, which records the arguments of the last call."""

    def __init__(self, answer: str = "1.0") -> None:
        self.answer, self.arguments = answer, {}

    def memory(self, dtype: str, address: int, shape: list[int], rows: bool) -> tuple[Any, ...]:
        return dtype, address, shape, rows

    def counts(self, table: Any, absent: Any, ids: Any, clusters: Any) -> tuple[Any, ...]:
        return "counts", table[2], absent[2], ids, clusters  # [2]: the shape of an array, as memory() returns it

    def call(self, module: str, name: str, arguments: dict[str, Any]) -> str:
        self.module, self.name, self.arguments = module, name, arguments
        return self.answer


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Bridge:
    """Bridge that records its arguments instead of calling Julia."""
    recorder = Bridge()
    monkeypatch.setattr(bridge, "module", lambda project=None: SimpleNamespace(Bridge=recorder))
    return recorder


def test_arrays_are_passed_in_place(recorder: Bridge) -> None:
    """Check that native arrays of either order are passed in place; others are copied, masked entries as NaN."""
    R = np.array([[0, 1, 1], [1, 1, 1]], np.int8)
    for x, rows in ((R, True), (np.asfortranarray(R), False), (R[0], True)):
        bridge.call("pass_at_k", x, 1)
        assert recorder.arguments["R"] == ("int8", x.ctypes.data, list(x.shape), rows)
    strided = np.repeat(R, 2, axis=1)[:, ::2]
    copied = [(strided, "int8"), (R.astype(">i4"), "int32"), (R.astype("longdouble"), "float64")]
    for x, dtype in [*copied, (np.ma.array(R, mask=R == 0), "float64")]:
        bridge.call("pass_at_k", x, 1)
        assert recorder.arguments["R"][0] == dtype
        assert recorder.arguments["R"][2:] == ([2, 3], True)
    assert recorder.arguments["k"] == 1


def test_masked_entries_are_passed_as_missing_and_units_as_text(recorder: Bridge) -> None:
    """Check that masked entries are passed as None or NaN; bytes and units as text, which Julia refuses."""
    R = np.array([[0, 1], [1, 1]])
    masked = np.ma.array(R.astype(object), mask=R == 0)
    frame = pd.DataFrame(R).astype("category").mask(R == 0)
    booleans = pd.DataFrame(R.astype(bool)).astype("boolean").mask(R == 0)
    for x in (masked, list(masked), frame, frame.astype("Int64"), booleans):
        bridge.call("pass_at_k", x, 1, missing="drop")
        first, *present = (x for row in recorder.arguments["R"] for x in row)
        assert (first is None or first != first, present) == (True, [1, 1, 1])
    bridge.call("pass_at_k", [pd.array([None, True], dtype="boolean"), pd.array([True, True])], 1, missing="drop")
    assert recorder.arguments["R"][0] == [None, True]
    dtypes = ("m8[ns]", "m8[s]", "M8[ns]", "S1", "V1", "complex64")
    for y in (b"01", bytearray(b"01"), *(R.astype("S1" if t == "V1" else t).astype(t) for t in dtypes)):
        bridge.call("pass_at_k", y, 1)
        assert isinstance(recorder.arguments["R"], str)
    bridge.call("pass_at_k", list(R.astype("m8[ns]")[0]), 1)
    assert all(isinstance(x, str) for x in recorder.arguments["R"])


def test_another_package_of_this_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that Julia loads this package by its uuid, since a registry has another package Scorio."""
    project = tomllib.loads((spec.ROOT / "julia" / "Project.toml").read_text())
    assert project["uuid"] == bridge.UUID

    def loaded(uuid: str) -> Any:
        main = SimpleNamespace(Scorio="the module", seval=lambda code: uuid if "uuid" in code else None)
        monkeypatch.setitem(sys.modules, "juliacall", SimpleNamespace(Main=main))
        return bridge.module.__wrapped__()

    assert loaded(bridge.UUID) == "the module"
    with pytest.raises(ImportError, match="Scorio that Julia loads is another package"):
        loaded("c14bd059-0000-4000-8000-000000000000")


def test_inputs_that_are_not_arrays_are_passed_as_lists(recorder: Bridge) -> None:
    """Check that Counts are passed by table, ids and clusters; ragged rows and objects as lists, missing as None."""
    bridge.call("rank.bayes", {"a": scorio.tally([[0, 1], [1, 1]]), "b": [[0, None], [1]]}, missing="drop")
    assert recorder.module == "rank"
    assert recorder.arguments["R"] == {"a": ("counts", [2, 2], [2], None, None), "b": [[0, None], [1]]}
    bridge.call("pass_at_k", scorio.Counts([[1, 1]], ids=["q"], clusters=["c"]), 1)
    assert recorder.arguments["R"] == ("counts", [1, 2], [1], ["q"], ["c"])
    bridge.call("pass_at_k", np.array([[0, None], [1, np.ma.masked]], object), 1, missing="drop")
    assert recorder.arguments["R"] == [[0, None], [1, None]]
    bridge.call("max_at_k", [[0, 2]], 1, np.array([0.0, 0.5, 1.0]))
    assert recorder.arguments["w"][0] == "float64"


def test_results_and_refusals_are_those_of_python(recorder: Bridge) -> None:
    """Check that fields are a named tuple, and that a refusal has Python's message where Python refuses too."""
    dropped = '["dropped", {"array": ["int64", [1], "0100000000000000"]}]'
    recorder.answer = f'{{"fields": [["mu", 5.0e-324], ["hi", Infinity], ["lo", -0.0], {dropped}]}}'
    r = bridge.call("interval", [[0, 1]], questions="fixed")
    assert (r.mu, r.hi, str(r.lo), r.dropped.tolist()) == (5e-324, float("inf"), "-0.0", [1])
    assert r._fields == ("mu", "hi", "lo", "dropped")
    recorder.answer = '{"refused": ["range", "k", "k = 3 is above the trials of question 1 of R"]}'
    with pytest.raises(scorio.InvalidInput, match="question 0"):
        bridge.call("pass_at_k", [[0, 1]], 3)
    with pytest.raises(scorio.InvalidInput, match="question 1 of R"):
        bridge.call("pass_at_k", [[0, 1]], 2)
    with pytest.raises(TypeError):
        bridge.call("pass_at_k", [[0, 1]], 1, no_such_option=1)
    with pytest.raises(AttributeError):
        bridge.call("no_such_function", [[0, 1]])
