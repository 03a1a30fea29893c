"""The numbers of the page (web/src/numbers, JavaScript), by node: vectors and refused calls of spec/, random calls."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from math import inf, nextafter
from typing import Any

import pytest
import spec
import strategies
from hypothesis import HealthCheck, given, reject, settings
from lengths import scaled

import julia
from scorio import InvalidInput

NODE = shutil.which("node") or shutil.which("nodejs")
COMMAND = [str(NODE), str(spec.ROOT / "web" / "conformance.mjs")]
FUNCTIONS = (
    "tally", "pass_at_k", "pass_hat_k", "mean_ci", "interval", "compare", "compare_all", "ranges", "gate",
    "trials_needed", "questions_needed", "run_variation",
)  # fmt: skip

# the most cases that may be left out for each reason of web/conformance.mjs
LEFT_OUT = {
    "the argument looks": 76,
    "answers and scored trials, and metrics but the mean, Pass@k and Pass^k": 778,
    "2.0 where an integer is needed: JavaScript has one type of number": 7,
}

pytestmark = [pytest.mark.skipif(NODE is None, reason="needs node, version 20 or newer, on the PATH"), pytest.mark.slow]


@pytest.fixture(scope="module")
def conformance() -> dict[str, Any]:
    """What web/conformance.mjs reports on all cases."""
    done = subprocess.run([*COMMAND, "--json"], capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_every_case_of_spec_passes_or_is_left_out_for_a_reason(conformance: dict[str, Any]) -> None:
    """Check the bits of all vectors and the codes of all refused calls."""
    assert not conformance["failures"], conformance["failures"][:5]
    assert set(conformance["results"]) == set(FUNCTIONS)
    for name, got in conformance["results"].items():
        cases = len(spec.vectors(name)["cases"]) + len(spec.refused_calls(name)["cases"])
        assert got["passed"] + got["left_out"] == cases, name


def test_no_more_cases_are_left_out_than_before(conformance: dict[str, Any]) -> None:
    """Check the number of cases that are left out for each reason."""
    assert set(conformance["reasons"]) == set(LEFT_OUT)
    assert all(n <= LEFT_OUT[reason] for reason, n in conformance["reasons"].items()), conformance["reasons"]
    assert sum(conformance["reasons"].values()) == sum(x["left_out"] for x in conformance["results"].values())


@pytest.fixture(scope="module")
def node() -> Iterator[subprocess.Popen[str]]:
    """A process that answers calls, one a line."""
    process = subprocess.Popen([*COMMAND, "--serve"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    process.communicate(timeout=10)


def python(name: str, args: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of the Python package, integers from 2^53 on as texts; None for a refusal."""
    try:
        found = spec.fields(name, spec.call(name, args))
    except InvalidInput:
        return None
    return {k: str(x) if type(x) is int and x >= 2**53 else x for k, x in found.items()}


def is_beyond_double_double(args: dict[str, Any]) -> bool:
    """Whether the package, whose numbers have 101 bits, may round otherwise than the definition.

    This is so of 1 - 1e-300, and of scores whose sizes differ by more than 2^90.
    """
    confidence, w = args.get("confidence"), args.get("w")
    scores = [abs(x) for x in w if isinstance(x, (int, float)) and x] if isinstance(w, list) else []
    if scores and max(scores) / 2**90 > min(scores):
        return True
    return isinstance(confidence, float) and 0 < confidence < 2**-90


def are_one_apart(a: dict[str, Any] | None, b: dict[str, Any] | None, args: dict[str, Any]) -> bool:
    """Whether results are equal but for last digits, and a score is 2^-50 of another.

    The square root of 1 - 2^-53 is nearer to the middle of two doubles than 101 bits tell.
    """
    scores = [abs(x) for x in args.get("w") or [] if x] if a and b else []
    if not a or not b or not scores or max(scores) / 2**50 <= min(scores):
        return False
    floats = [x for x in a if type(a[x]) is float and type(b[x]) is float]
    near = all(nextafter(a[x], -inf) <= b[x] <= nextafter(a[x], inf) for x in floats)
    return near and all(a[x] == b[x] for x in a.keys() - floats)


def is_flat(x: Any) -> bool:
    """Whether outcomes have one dimension, in which spec/README.md does not define them; the page refuses them."""
    return isinstance(x, list) and not any(isinstance(row, list) for row in x)


def has_a_huge_size(got: dict[str, Any]) -> bool:
    """Whether a sample size is above 2^90, which the package does not compute to the last digit either."""
    return any(isinstance(x, str) and x.isdigit() and int(x) > 2**90 for x in got.get("result", {}).values())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_calls_give_the_bits_of_the_package(name: str, node: subprocess.Popen[str]) -> None:
    """Check random calls against Python, but not the codes: of two faults in one call either may be named."""
    answered, wanted = 0, scaled(2_000, 90)

    @settings(
        max_examples=wanted, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(strategies.arguments(name))
    def compare(args: dict[str, Any]) -> None:
        nonlocal answered
        args.pop("looks", None)  # which the page does not have
        args = {k: {"matrix": x.tolist()} if hasattr(x, "tolist") else x for k, x in args.items()}
        if is_beyond_double_double(args) or any(is_flat(args.get(x)) for x in spec.OUTCOME_ARGUMENTS):
            reject()  # another call is drawn in its place
        assert node.stdin is not None
        assert node.stdout is not None
        print(json.dumps({"function": name, "args": julia.plain(args)}), file=node.stdin, flush=True)
        # JavaScript writes a double from 2^53 on as an integer; integers of that size come as texts
        got = json.loads(node.stdout.readline(), parse_int=lambda x: int(x) if abs(int(x)) < 2**53 else float(x))
        if "left_out" in got:
            reject()
        if has_a_huge_size(got):
            return
        assert "crash" not in got, (args, got)
        ours = python(name, args)
        assert got.get("result") == ours or are_one_apart(got.get("result"), ours, args), args
        answered += ours is not None

    compare()
    assert answered >= wanted // 30, "too few calls had an answer to compare"
