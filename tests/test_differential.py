"""Check that Python and Julia return the same 64 bits, or the same refusal, for the same arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spec
import strategies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lengths import scaled

import julia
from scorio import Counts, InvalidInput

pytestmark = pytest.mark.slow

CASES = scaled(100_000, 2_000)  # over all functions


@pytest.fixture(scope="session")
def worker() -> Iterator[julia.Julia]:
    """One Julia process for the session."""
    process = julia.Julia()
    yield process
    process.close()


def python(name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Result or refusal of the Python package, in the form of the worker's answer."""
    try:
        result = spec.call(name, args)
    except InvalidInput as e:
        return {"error": {"code": e.code, "argument": e.argument}}
    return {"result": julia.bits(spec.fields(name, result))}


def mended(name: str, args: dict[str, Any], argument: str) -> dict[str, Any]:
    """Arguments in which this one has its default, or where it is required is that of the first vector."""
    rest = {k: x for k, x in args.items() if k != argument}
    if any(p["name"] == argument and "default" in p for p in spec.FUNCTIONS[name]["params"]):
        return rest
    return {**rest, argument: next(c["args"][argument] for c in spec.vectors(name)["cases"] if argument in c["args"])}


def cells_of(x: Any) -> set[Any]:
    """The distinct cells of outcomes, as texts."""
    if not isinstance(x, (list, dict)):
        return {repr(x)}
    return {z for y in (x.values() if isinstance(x, dict) else x) for z in cells_of(y)}


def without_cell(x: Any, cell: str) -> Any:
    """Outcomes with 0 in place of the cells of this text."""
    if isinstance(x, dict):
        return {k: without_cell(y, cell) for k, y in x.items()}
    return [without_cell(y, cell) for y in x] if isinstance(x, list) else 0 if repr(x) == cell else x


def is_beyond_double_double(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether both are sample sizes above 2^90, which are not computed to the last digit."""
    both = [x.get("result", {}) for x in (ours, theirs)]
    sizes = [x[name] for x in both for name in ("questions", "trials") if name in x]
    return len(sizes) == 2 and all(type(x) is int and x > 2**90 for x in sizes)


def have_two_faults(name: str, args: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any], worker: Any) -> bool:
    """Whether two refusals name one each of two faults: either may be named (spec/README.md).

    It is so if each language still refuses the call where the argument that it named is mended. If both name the same
    argument, cells of one value are mended, and each then has the refusal of the other.
    """
    if "error" not in ours or "error" not in theirs:
        return False
    argument = ours["error"]["argument"]
    if argument == theirs["error"]["argument"]:
        R = args.get(argument)
        calls = [{**args, argument: without_cell(R, x)} for x in sorted(cells_of(R))]
        return any(python(name, x) == theirs for x in calls) and any(worker.call(name, x) == ours for x in calls)
    one, two = (mended(name, args, x["error"]["argument"]) for x in (ours, theirs))
    return "error" in python(name, one) and "error" in worker.call(name, two)


def test_scorio_jl_has_the_functions_of_the_table(worker: julia.Julia) -> None:
    """Check names, parameters, defaults and result fields of Scorio.jl against functions.json."""
    surface = worker.send({"function": "surface", "args": {}})["result"]
    assert set(surface) == set(spec.FUNCTIONS)
    for name, entry in spec.FUNCTIONS.items():
        assert surface[name]["params"] == [p["name"] for p in entry["params"]], name
        for p in entry["params"]:
            assert ("default" in p) == (p["name"] in surface[name]["defaults"]), (name, p["name"])
            if "default" in p:
                default = surface[name]["defaults"][p["name"]]
                assert default == julia.bits(p["default"]), (name, p["name"])
        assert surface[name]["returns"] == entry["returns"], name
        assert sorted(surface[name]["attributes"]) == sorted(entry["attributes"]), name


@pytest.mark.parametrize("name", sorted(spec.FUNCTIONS))
def test_random_calls_give_the_same_bits(name: str, worker: julia.Julia, record_property: Any) -> None:
    """Check random calls of one function."""
    calls, ran, answered = CASES // len(spec.FUNCTIONS) + 1, 0, 0

    @settings(
        max_examples=calls, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(strategies.arguments(name))
    def compare(args: dict[str, Any]) -> None:
        nonlocal ran, answered
        ours, theirs = python(name, args), worker.call(name, args)
        ran, answered = ran + 1, answered + ("result" in ours)
        if not is_beyond_double_double(ours, theirs):
            assert theirs == ours or have_two_faults(name, args, ours, theirs, worker), (name, args)

    compare()
    assert ran >= calls
    assert answered >= scaled(calls // 4, 1), "too few calls had an answer to compare"
    record_property("differential", ran)
    record_property("answered", answered)


@pytest.mark.parametrize("name", sorted(spec.FUNCTIONS))
def test_vectors_give_the_same_bits(name: str, worker: julia.Julia, record_property: Any) -> None:
    """Check vectors and refusals of spec/ without special values (NumPy objects), Python against Julia.

    Without --long these are every fortieth: the tests of each language reproduce all of them.
    """
    n_compared, differing = 0, []
    for case in [*spec.vectors(name)["cases"], *spec.refused_calls(name)["cases"]][:: scaled(1, 40)]:
        if not any(isinstance(x, dict) and "special" in x for x in case["args"].values()):
            ours, theirs = python(name, case["args"]), worker.send({"function": name, "args": case["args"]})
            n_compared += 1
            if ours != theirs:
                differing.append((case["id"], ours, theirs))
    assert not differing, differing[:3]
    record_property("vectors", n_compared)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_large_matrices_give_the_same_bits(worker: julia.Julia, seed: int) -> None:
    """Check matrices of realistic size, passed as raw bytes."""
    rng = np.random.default_rng(seed)
    C = int(rng.integers(1, 6))
    R = rng.integers(0, C + 1, (int(rng.integers(1, 400)), int(rng.integers(1, 400)))).astype(
        rng.choice(["int8", "int64"])
    )
    w = [float(x) for x in rng.normal(size=C + 1)]
    k = int(rng.integers(1, R.shape[1] + 1))
    for name, args in (
        ("bayes_ci", {"w": w}),
        ("max_at_k", {"k": k, "w": w}),
        ("mean_ci", {"w": w, "questions": "sampled"}),
    ):
        assert worker.call(name, {"R": R, **args}) == python(name, {"R": R, **args})


def test_both_languages_write_the_same_files_of_counts(worker: julia.Julia, tmp_path: Path) -> None:
    """Check that Julia reads what Python wrote and writes the same bytes, and that Python reads these."""
    ids = [
        "a,b",
        'say "x"',
        "two\nlines",
        "back\r\n",
        "carriage\r",
        "é\u2028",
        " lead",
        "nan",
        "#",
        '"',
        '""',
        "\ud800",
        "\x00",
        ",\n",
    ]
    rows = [[i, 3, 0] for i in range(len(ids))]
    for labels in ({"ids": ids, "clusters": ids[::-1]}, {"ids": ids}, {"clusters": ["", *ids[1:]]}, {}):
        counts = Counts(rows, list(range(len(ids))), **labels)
        counts.save(tmp_path / "python.csv")
        worker.send(
            {"function": "resave", "args": {"path": str(tmp_path / "python.csv"), "to": str(tmp_path / "julia.csv")}}
        )
        assert (tmp_path / "julia.csv").read_bytes() == (tmp_path / "python.csv").read_bytes()
        assert Counts.load(tmp_path / "julia.csv") == counts
    (tmp_path / "old.csv").write_text("n0,n1,missing\n1,3,0\n")  # format 1: no first line that names the format
    worker.send({"function": "resave", "args": {"path": str(tmp_path / "old.csv"), "to": str(tmp_path / "new.csv")}})
    assert Counts.load(tmp_path / "new.csv") == Counts.load(tmp_path / "old.csv")


def test_a_dead_worker_is_reported_and_replaced(worker: julia.Julia) -> None:
    """Check that a crash names the call, and that the next call starts a new worker."""
    with pytest.raises(julia.JuliaDied, match='"exit"'):
        worker.send({"function": "exit", "args": {}})
    assert worker.call("avg", {"R": {"matrix": [[0, 1]]}}) == python("avg", {"R": {"matrix": [[0, 1]]}})
