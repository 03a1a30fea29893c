"""Check every vector and every refused call of spec/ in Python."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import spec

from scorio import InvalidInput

NAMES = sorted(spec.FUNCTIONS)
SLOW = {  # functions whose vectors take about a second or more
    "auc_at_k_ci", "beta_rates", "boundaries", "bradley_terry", "compare", "compare_all", "extrapolate_model", "gate",
    "gate_suite", "geo_spectrum_star_at_k_ci", "influence", "interval", "max_at_k_ci", "mg_pass_at_k_ci", "score_test",
    "suite", "unhash_ranking", "winners",
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * (x in SLOW)) for x in NAMES])
def test_the_vectors_are_reproduced(name: str, record_property: Callable[[str, object], None]) -> None:
    """Check each case within its own tolerance, and the number of cases."""
    file = spec.vectors(name)
    assert file["function"] == name
    assert file["count"] == len(file["cases"]) >= 40
    assert len({c["id"] for c in file["cases"]}) == file["count"]
    errors: list[float] = []
    for case in file["cases"]:
        by_field = spec.errors(name, case)
        worst = max(by_field.values())
        assert worst <= case["ulp"], f"{case['id']} ({case['comment']}): {worst} ULP"
        errors += by_field.values()
    record_property("function", name)
    record_property("errors", errors)


def test_exactly_the_known_functions_have_vectors() -> None:
    for folder in ("vectors", "invalid"):
        assert {p.stem for p in (spec.SPEC / folder).iterdir()} == {*NAMES}
    assert sum(spec.vectors(n)["count"] for n in NAMES) >= 2500


@pytest.mark.parametrize("name", NAMES)
def test_invalid_calls_are_refused_with_their_code(name: str) -> None:
    """Check code, argument and message of each refused case; every declared error code occurs."""
    cases = spec.refused_calls(name)["cases"]
    assert {c["error"]["code"] for c in cases} == {*spec.FUNCTIONS[name]["refuse"]}
    for case in cases:
        with pytest.raises(InvalidInput) as e:
            spec.call(name, case["args"])
        got = {"code": e.value.code, "argument": e.value.argument}
        assert got == case["error"], f"{case['id']}: {e.value}"
        assert e.value.argument in str(e.value) or e.value.code in ("no_trials", "undefined"), str(e.value)


def test_numbers_of_invalid_calls_are_the_declared_ones() -> None:
    """Check the declared number of refused cases, and that all codes are known."""
    codes = {e["code"] for e in json.loads((spec.SPEC / "errors.json").read_text())["errors"]}
    files = [spec.refused_calls(name) for name in NAMES]
    assert [f["function"] for f in files] == NAMES
    assert all(f["count"] == len(f["cases"]) for f in files)
    assert sum(f["count"] for f in files) >= 5000
    assert {c["error"]["code"] for f in files for c in f["cases"]} == codes


def test_errors_are_measured_in_ulp() -> None:
    """Check the measure of errors: zero, subnormals, powers of two, non-finite."""
    from fractions import Fraction as F

    assert spec.ulp_error(1.0, F(1)) == 0.0
    assert spec.ulp_error(1.0 + 2.0**-52, F(1)) == 1.0
    assert spec.ulp_error(1.0 - 2.0**-53, F(1)) == 0.5
    assert spec.ulp_error(0.1, F(1, 10)) == pytest.approx(0.4, abs=0.1)
    assert spec.ulp_error(0.0, F(1, 2**1075)) == 0.5
    assert spec.ulp_error(5e-324, F(1, 2**1074)) == 0.0
    assert spec.ulp_error(0.0, F(0)) == 0.0
    assert spec.ulp_error(1e-300, F(0)) == float("inf")
    assert spec.ulp_error(float("nan"), F(1)) == float("inf")
    assert spec.ulp_error(1e300, F(10) ** 300) <= 0.5
    tie = {"value": 1.0, "exact": f"{2**53 + 1}/{2**53}"}
    assert spec.error_of(1.0, tie) == 0.5
    assert spec.error_of(1.0 + 2.0**-52, tie) > 0.5
