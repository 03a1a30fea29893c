"""Looks, e-values, monitors and gates: properties, simulations and the command."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from itertools import product
from math import comb, erfc, exp, sqrt
from pathlib import Path
from statistics import NormalDist

import jsonschema
import numpy as np
import pytest
import scipy.stats
import spec

from scorio import Counts, InvalidInput, simulate, sinf, tally
from scorio.arithmetic.distributions import UNDERFLOW, bell, tail
from scorio.cli import main
from scorio.display.text import width
from scorio.evaluation import read

ROOT = Path(__file__).resolve().parents[1]


def test_normal_density_and_tail_are_accurate() -> None:
    """Check density and tail to 4e-15 of their value (3e-13 above 9), and 0 if they are below the smallest double."""
    for x in np.linspace(-9, 26, 701).tolist():
        assert tail(x) == pytest.approx(erfc(x / sqrt(2)) / 2, rel=3e-13 if x > 9 else 4e-15)
        assert bell(x) == pytest.approx(exp(-x * x / 2), rel=3e-13 if x > 9 else 4e-15)
    assert (tail(UNDERFLOW + 1), bell(-UNDERFLOW - 1), tail(-UNDERFLOW - 1), bell(0.0)) == (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_boundaries_spend_all_of_alpha(spending: str) -> None:
    """Check that later looks do not move a boundary, all of alpha is spent, and more looks raise the last boundary."""
    four, two = sinf.boundaries([0.25, 0.5, 0.75, 1], 0.95, spending), sinf.boundaries([0.25, 0.5], 0.95, spending)
    assert four.z[:2] == two.z
    assert four.spent[-1] == pytest.approx(0.05, rel=1e-15)
    assert four.z[-1] > sinf.boundaries([0.5, 1], 0.95, spending).z[-1] > 1.96
    assert sinf.boundaries([1.0], 0.95, spending).z[0] == pytest.approx(1.959963984540054, rel=1e-15)


def test_boundaries_are_crossed_as_often_as_alpha_is_spent() -> None:
    """Check that normal random walks cross each boundary first as often as alpha is spent there."""
    f = np.array([0.2, 0.5, 0.6, 1.0])
    b = sinf.boundaries(f, 0.8, "pocock")
    steps = np.random.default_rng(5).normal(size=(200_000, 4)) * np.sqrt(np.diff(f, prepend=0))
    crossed = np.abs(np.cumsum(steps, axis=1)) / np.sqrt(f) >= b.z
    first = np.where(crossed.any(1), crossed.argmax(1), 4)
    for k, spent in enumerate(np.diff(b.spent, prepend=0)):
        assert np.mean(first == k) == pytest.approx(spent, abs=4 * sqrt(spent / 200_000))


def test_the_e_value_at_its_boundary_is_one_over_alpha() -> None:
    """Check that at z_stop the e-value is 1/alpha, and that its mean under equality is 1."""
    for f in (0.1, 1.0, 3.0):
        assert sinf.e_value(sinf.e_value(0.0, f, 0.99).z_stop, f, 0.99).e == pytest.approx(100, rel=1e-12)
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    mean = sum(w * sinf.e_value(x, 0.3).e for x, w in zip(nodes.tolist(), weights, strict=True)) / sqrt(2 * np.pi)
    assert mean == pytest.approx(1, abs=0.02)
    assert sum(comb(30, b) / 2**30 * sinf.pair_e_value(b, 30 - b).e for b in range(31)) == pytest.approx(1, rel=1e-14)


@pytest.fixture
def two_models() -> tuple[Counts, Counts]:
    """Counts of two models: 60 questions, 8 trials, the second model worse by 0.2."""
    p = np.random.default_rng(4).beta(2, 2, 60)
    base, worse = (tally(simulate.coins(x, 8, seed=5 + i)) for i, x in enumerate((p, np.clip(p - 0.2, 0, 1))))
    return base, worse


def test_a_gate_agrees_with_its_interval(two_models: tuple[Counts, Counts]) -> None:
    """Check a gate's interval against compare's and its verdict; a look widens it, and the margin changes verdicts."""
    base, worse = two_models
    for questions in ("fixed", "sampled"):
        r = sinf.gate(worse, base, margin=0.1, questions=questions)
        c = sinf.compare(worse, base, questions=questions, guard=1.0)
        assert (r.mu, r.sigma, r.df) == (c.mu, c.sigma, c.df)
        assert r.lo <= c.lo  # lower, as rare failures may be absent from the trials, or from the sample
        assert r.hi >= c.hi
        look = sinf.gate(worse, base, margin=0.1, questions=questions, looks=[0.5])
        assert look.lo < r.lo
        assert look.hi > r.hi
        for margin in np.linspace(0.01, 0.6, 60):
            r = sinf.gate(worse, base, margin=margin, questions=questions)
            assert r.verdict == ("pass" if r.lo > -margin else "fail" if r.hi < -margin else "inconclusive")
            assert r.worse == (r.hi < 0)
            assert r.p_worse + r.p_better > 1 - 1e-12  # above 1 where the exact bound exceeds the tail of t
            if questions == "fixed":
                assert r.p_worse + r.p_better == pytest.approx(1, abs=1e-12)


def test_an_inconclusive_gate_has_a_plan(two_models: tuple[Counts, Counts]) -> None:
    """Check an inconclusive gate's plan: at least that for its distance from the margin, equal for fixed questions."""
    base, worse = two_models
    r = sinf.gate(worse, base, margin=0.2, questions="fixed")
    assert r.verdict == "inconclusive"
    assert r.trials_needed == sinf.trials_needed(worse, base, difference=abs(r.mu + 0.2))
    r = sinf.gate(worse, base, margin=0.2, questions="sampled", power=0.9)
    assert r.questions_needed >= sinf.questions_needed(worse, base, difference=abs(r.mu + 0.2), power=0.9)
    assert sinf.gate(worse, base, "pass@k", 5, margin=0.2, questions="fixed").trials_needed is None


# --- a monitor ------------------------------------------------------------------------------------

# the looks of Monitor in both languages; julia/test/rooms.jl has the same numbers
C, D = [[1, 1, 0, 1], [1, 1, 1, 0], [1, 0, 0, 0]], [[1, 1, 0, 1], [1, 1, 1, 0], [1, 0, 1, 0]]
# verdict, fraction, lo, hi, p_value and p_stop of the last look
LAST = ("inconclusive", 1.0, -0.29114565455980584, 0.12447898789313919, 0.40164327022979307, 0.049994689144317095)


def test_a_planned_monitor_stops_at_its_end() -> None:
    """Check the looks of a planned comparison to its end, and that further looks are refused."""
    m = sinf.Monitor(planned=16, questions="fixed")
    assert m.look(C, D)[:3] == (False, "continue", 0.25)
    assert m.look(C, D).verdict == "wait"
    r = m.look([row * 4 for row in C], [row * 4 for row in D])
    assert r.verdict == LAST[0]
    assert (r.fraction, r.lo, r.hi, r.p_value, r.p_stop) == pytest.approx(LAST[1:], rel=1e-12)
    assert r.p_stop == sinf.boundaries([0.25, 1.0]).p[1]
    with pytest.raises(InvalidInput, match="after the look that stopped") as e:
        m.look(C, D)
    assert (e.value.code, e.value.argument) == ("order", "A")


def test_a_monitor_without_a_plan_may_look_at_any_time(two_models: tuple[Counts, Counts]) -> None:
    """Check a monitor without a planned end, and that a planned look with a margin has the verdict of a gate."""
    base, worse = two_models
    m = sinf.Monitor(expected=64, questions="fixed")
    r = m.look(worse, base)
    assert (r.stop, r.verdict, r.fraction) == (True, "different", 0.125)
    assert r.p_stop == pytest.approx(2 * tail(sinf.e_value(0, 0.125).z_stop), rel=1e-12)
    r, g = (
        sinf.Monitor(planned=16, questions="fixed", margin=0.05, spending="pocock").look(worse, base),
        sinf.gate(worse, base, margin=0.05, questions="fixed", looks=[0.5], spending="pocock", confidence=0.95),
    )
    assert (r.verdict, r.mu) == (g.verdict, g.mu)
    assert (r.lo, r.hi) == pytest.approx((g.lo, g.hi), rel=1e-12)


def test_a_monitor_may_look_by_numbers_of_questions() -> None:
    """Check looks by numbers of questions: too few new questions are not a look, fewer than before are refused."""
    m = sinf.Monitor(planned=600, questions="sampled")
    A, B = np.tile(C + D, (100, 1)), np.tile(D + C, (100, 1))
    assert [m.look(A[:n], B[:n]).fraction for n in (60, 120)] == [0.1, 0.2]
    assert m.look(A[:121], B[:121]).verdict == "wait"
    with pytest.raises(InvalidInput, match="fewer questions than at the look before"):
        m.look(A[:90], B[:90])
    assert m.fractions == [0.1, 0.2]


def test_a_monitor_needs_all_outcomes() -> None:
    """Check that new trials without the earlier ones are refused, and that a refused look does not count."""
    C, D = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [1, 0, 0, 0]]), np.array([[1, 1, 0, 1], [1, 1, 1, 0], [1, 0, 1, 0]])
    m = sinf.Monitor(planned=16, questions="fixed")
    m.look(C, D)
    for name, A, B in (("A", 1 - C, D), ("B", np.hstack([C, C]), 1 - D)):
        with pytest.raises(InvalidInput, match="all outcomes so far, not only the new ones") as e:
            m.look(A, B)
        assert (e.value.code, e.value.argument) == ("order", name)
    assert m.look(np.hstack([C, C]), np.hstack([D, D])).fraction == 0.5
    m = sinf.Monitor(planned=600, questions="sampled")
    A, B = np.tile(C, (100, 1)), np.tile(D, (100, 1))
    m.look(A, A)
    with pytest.raises(InvalidInput, match="not only the new ones"):
        m.look(1 - A, B)
    late = sinf.Monitor(planned=16, questions="fixed")
    late.look([[1, None], [0, 1]] * 4, [[0, 0], [0, 1]] * 4, missing=0)
    assert late.look([[1, 1, 1], [0, 1, 1]] * 4, [[0, 0, 0], [0, 1, 0]] * 4, missing=0).fraction == 0.1875


# counts of three questions with different numbers of trials; julia/test/rooms.jl has the same numbers
E, F = [[1, 3, 2], [5, 7, 0], [2, 2, 1]], [[2, 2, 0], [5, 7, 3], [1, 1, 0]]


def test_the_share_of_unequal_trials_is_weighted_by_variances() -> None:
    """Check the share against its definition: questions count by the estimated variances of their mean scores."""
    for C, w in ((1, [0.0, 1.0]), (2, [0.0, 0.3, 1.0])):
        planned = present = Fraction(0)
        for row in (np.array(E)[:, : C + 1].tolist(), np.array(F)[:, : C + 1].tolist()):
            for c in row:
                n, scores = sum(c), [Fraction(x) for x, many in zip(w, c, strict=True) for _ in range(many)]
                v = sum((x - sum(scores) / n) ** 2 for x in scores) / (n - 1) / n
                planned, present = planned + v * n / 16, present + v
        m = sinf.Monitor(planned=16, questions="fixed", w=w)
        r = m.look(Counts(np.array(E)[:, : C + 1]), Counts(np.array(F)[:, : C + 1]))
        assert r.fraction == float(planned / present) == {1: 0.2325090470446321, 2: 0.34766210558829536}[C]


def test_questions_that_never_vary_add_nothing_to_the_share() -> None:
    """Check that trials of questions whose outcomes never vary add nothing (a former rule gave the share 0.98).

    By that rule, equal models with looks after 2, 4, 8, ... 256 trials of the other questions differed in 11% of runs.
    """
    varied, settled = [[1, 1]] * 20, [[16, 0]] * 180
    m = sinf.Monitor(planned=18, questions="fixed")
    for n in (4, 8):
        counts = Counts([[n * x for x in row] for row in varied] + settled)
        assert m.look(counts, counts).fraction == 2 * n / 18
    counts = Counts([[128, 128]] * 20 + settled)
    assert m.look(counts, counts)[:3] == (True, "inconclusive", 1.0)
    none, single = Counts([[4, 0], [0, 12]]), Counts([[1, 0], [4, 8]])
    # without a variance, or with a single trial: the harmonic mean of the numbers of trials, over 16
    for A, B, want in ((none, none, 6 / 16), (none, single, 4 / (1 / 4 + 1 / 12 + 1 + 1 / 12) / 16)):
        assert sinf.Monitor(planned=16, questions="fixed").look(A, B).fraction == pytest.approx(want, rel=1e-15)
    equal_by_chance, baseline = Counts([[0, 2]] * 12), Counts([[4, 12]] * 12)
    r = sinf.Monitor(planned=16, questions="fixed").look(equal_by_chance, baseline)
    assert (r.stop, r.fraction) == (False, float(Fraction(2, 9)))  # at most (2/16)/(1/2 + 1/16)


def test_a_look_beyond_the_plan_has_the_correlation_of_its_size() -> None:
    """Check that the last look has the correlation of its own size (with that of 17 trials, 7.0% of runs erred)."""
    m, looks = sinf.Monitor(planned=17, questions="fixed"), (2, 4, 8, 16, 32)
    r = [m.look(*[Counts([[n // 2, n // 2]] * 40)] * 2) for n in looks][-1]
    assert (r.verdict, r.fraction, r.p_stop) == ("inconclusive", 1.0, 0.015031869471525293)
    f = np.array(looks) / 17
    steps = np.random.default_rng(5).normal(size=(400_000, 5)) * np.sqrt(np.diff(f, prepend=0))
    z = np.abs(np.cumsum(steps, axis=1)) / np.sqrt(f)
    b = np.append(sinf.boundaries(f[:4]).z, NormalDist().inv_cdf(1 - r.p_stop / 2))
    assert np.mean((z >= b).any(1)) == pytest.approx(0.05, abs=0.0015)


def test_an_estimated_share_that_falls_is_no_look() -> None:
    """Check that growing outcomes may have a smaller share, and that shrinking ones are refused as before."""
    first, more = Counts([[4, 4], [2, 0], [2, 0]]), Counts([[4, 4], [2, 1], [2, 1]])
    m = sinf.Monitor(planned=16, questions="fixed")
    assert m.look(first, first)[1:3] == ("continue", 0.5)
    assert m.look(more, more)[1:3] == ("wait", 0.5)
    with pytest.raises(InvalidInput, match="B lacks outcomes of the look before") as e:
        m.look(more, first)
    assert (e.value.code, e.value.argument) == ("order", "B")
    assert m.fractions == [0.5]
    m = sinf.Monitor(planned=16, questions="fixed")
    m.look([[1, 0, None, 1]] * 4, [[0, 1, 1, 0]] * 4, missing=0)
    with pytest.raises(InvalidInput, match="A lacks outcomes of the look before"):
        m.look([[1, 1, 1]] * 4, [[0, 1, 1, 0]] * 4, missing=0)
    with pytest.raises(InvalidInput, match="A lacks outcomes of the look before"):
        m.look([[1, 0]] * 12, [[0, 1]] * 12, missing=0)
    assert m.look([[1, 0, 1, 1, 1]] * 4, [[0, 1, 1, 0, 1]] * 4).verdict == "continue"


def test_a_monitor_pairs_questions_by_id() -> None:
    """Check that questions with ids may change their order from look to look."""
    m, n = sinf.Monitor(planned=8, questions="fixed"), sinf.Monitor(planned=8, questions="fixed")
    a, b = Counts([[0, 2], [1, 1], [2, 0]], ids=list("pqr")), Counts([[1, 1], [2, 0], [1, 1]], ids=list("pqr"))
    m.look(a, b)
    n.look(Counts(a.table), Counts(b.table))
    new = [Counts(x.table[::-1] + 1, ids=list("rqp")) for x in (a, b)]
    assert m.look(*new).fraction == 0.5
    with pytest.raises(InvalidInput, match="A lacks outcomes of the look before"):
        n.look(*(Counts([[2, 0], [2, 2], [0, 4]]) for _ in "ab"))


@pytest.mark.parametrize(
    ("args", "code", "argument"),
    [
        ({}, "conflict", "planned"),
        ({"planned": 8, "expected": 8}, "conflict", "planned"),
        ({"planned": 0}, "range", "planned"),
        ({"expected": 2.5}, "type", "expected"),
        ({"planned": 8, "confidence": 0.4}, "range", "confidence"),
        ({"planned": 8, "spending": "even"}, "choice", "spending"),
        ({"planned": 8, "margin": 1}, "range", "margin"),
        ({"planned": 8, "metric": "pass@k"}, "type", "k"),
    ],
)
def test_a_monitor_refuses_invalid_plans(args: dict, code: str, argument: str) -> None:
    """Check that wrong plans are refused before the first look."""
    with pytest.raises(InvalidInput) as e:
        sinf.Monitor(questions="fixed", **args)
    assert (e.value.code, e.value.argument) == (code, argument)


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def logs(two_models: tuple[Counts, Counts], tmp_path: Path) -> dict[str, Path]:
    """Logs of a baseline, the baseline again, and a candidate that is worse."""
    paths = {}
    for name, x in {"base": two_models[0], "same": two_models[0], "worse": two_models[1]}.items():
        paths[name] = tmp_path / f"{name}.csv"
        rows = [f"{name},q{i},{c},{n}" for i, (c, n) in enumerate(zip(x.category_counts[:, 0], x.trials, strict=True))]
        paths[name].write_text("\n".join(["model,question,c,n", *rows]) + "\n")
    return paths


CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


@pytest.mark.parametrize(
    ("new", "margin", "options", "verdict"),
    [
        ("same", "0.2", [], "pass"),
        ("worse", "0.05", [], "fail"),
        ("worse", "0.2", [], "inconclusive"),
        ("worse", "0.05", ["--look", "1/5"], "inconclusive"),
        ("worse", "0.05", ["--questions", "sampled"], "fail"),
        ("same", "0.3", ["--metric", "pass@k", "--k", "2"], "pass"),
    ],
)
def test_the_exit_code_of_a_gate_is_that_of_its_verdict(
    logs, tmp_path, capsys, new: str, margin: str, options: list[str], verdict: str
) -> None:
    """Check that the exit code is the verdict, and that text, JSON, CSV, JUnit and Markdown agree."""
    junit, md = tmp_path / "gate.xml", tmp_path / "gate.md"
    call = ["gate", str(logs[new]), str(logs["base"]), "--margin", margin, *options]
    assert main([*call, "--junit", str(junit), "--markdown", str(md)]) == CODES[verdict]
    text = capsys.readouterr().out
    assert f": {verdict.upper()}\n" in text
    assert max(map(len, text.splitlines())) <= 80
    assert main([*call, "--json"]) == CODES[verdict]
    output = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs" / "gate.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(output, schema)
    assert (output["verdict"], output["exit_code"], output["rows"][0]["verdict"]) == (verdict, CODES[verdict], verdict)
    assert main([*call, "--csv"]) == CODES[verdict]
    assert f'"{verdict}"' in capsys.readouterr().out
    case = ElementTree.parse(junit).getroot().find("testsuite/testcase")
    failure = case.find("failure")
    assert (failure is None) == (verdict == "pass")
    assert failure is None or failure.get("type") == verdict
    assert md.read_text().startswith(f"Gate on 60 shared questions: {verdict.upper()}\n")


def test_long_names_are_cut_to_the_width_of_the_terminal(logs, capsys) -> None:
    for name, path in logs.items():
        long = f"organisation/a-[bold]-model-with-a-very-long-name/{name} [red],"
        path.write_text(path.read_text().replace(f"{name},", long))
    assert main(["gate", str(logs["same"]), str(logs["base"]), "--margin", "0.2"]) == 0
    out = capsys.readouterr().out
    assert max(map(width, out.splitlines())) <= 80
    assert "[red]" in out


def test_invalid_gates_are_refused_in_one_line(logs, capsys) -> None:
    """Check refusals: one line on stderr, exit code 2, nothing written."""
    base = str(logs["base"])
    for args, words in (
        ([str(logs["same"]), base, "--margin", "1.5"], "margin = 1.5"),
        ([str(logs["same"]), base, "--margin", "0"], "margin = 0.0"),
        ([str(logs["same"]), base, "--margin", ".1", "--junit", base], "would overwrite the log"),
        ([str(logs["same"]), "nowhere.csv", "--margin", ".1"], "nowhere.csv"),
        ([base, "--margin", ".1"], "name two models"),
    ):
        assert main(["gate", *args]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert words in err
    for look in ("0/5", "6/5", "2", "2/", "2/300", "-1/3"):
        with pytest.raises(SystemExit) as e:
            main(["gate", base, base, "--margin", ".1", f"--look={look}"])
        assert e.value.code == 2
    assert "--look" in capsys.readouterr().err


SPECIAL = ('a"<&>\n|', "`b`*_")


def test_names_of_models_are_escaped() -> None:
    outcomes = ([[1, 0], [1, 1], [0, 1]], [[1, 1], [1, 0], [0, 1]])
    x = read(dict(zip(SPECIAL, outcomes, strict=True))).gate(*SPECIAL, margin=0.2)
    assert (x.candidate, x.baseline) == SPECIAL
    case = ElementTree.fromstring(x.to_junit()).find("testsuite/testcase")
    assert 'a"<&>?|' in case.get("name")
    assert "`b`*_" in case.get("name")
    assert case.find("failure").get("type") == x.verdict == "inconclusive"
    text = x.to_markdown()
    assert '| candidate | a"\\<\\&\\>?\\| |' in text
    assert "\\`b\\`\\*\\_" in text


def test_each_benchmark_has_a_junit_case() -> None:
    """Check that the JUnit report has a test case for the mean and for each benchmark."""
    outcomes = {"new": [[1, 1], [1, 1], [0, 0]] * 20, "old": [[1, 1], [1, 1], [0, 1]] * 20}
    x = read({SPECIAL[0]: outcomes, SPECIAL[1]: outcomes}).gate("new", "old", margin=0.3)
    cases = ElementTree.fromstring(x.to_junit()).findall("testsuite/testcase")
    assert len(cases) == len(x.table) == 3
    for case, row in zip(cases, x.table, strict=True):
        assert (case.find("failure") is None) == (row.verdict == "pass")
        assert ("" if row.benchmark is None else row.benchmark.replace("\n", "?")) in case.get("name")
    assert len(x.to_markdown().splitlines()) == len(x.to_markdown().replace(SPECIAL[0], "").splitlines())


# --- error rates ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_rule_of_a_single_look_exceeds_the_bounds() -> None:
    """Check that the rule of a single look, used at every look, is far outside the bounds."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import looks
x = {"looks after 2 to 32 trials": {"O'Brien-Fleming": looks.errors_of_trials(300, 1)["once at every look"]}}
sys.exit(0 if looks.failures(x) else 1)
"""
    assert subprocess.run([sys.executable, "-c", code, str(ROOT / "bench")], timeout=600).returncode == 0


def test_looks_need_a_confidence_of_at_least_half() -> None:
    A = [[0, 1], [1, 1]]
    with pytest.raises(InvalidInput) as e:
        sinf.gate(A, A, margin=0.1, questions="fixed", confidence=0.2, looks=[0.5])
    assert (e.value.code, e.value.argument) == ("range", "confidence")


def test_vectors_have_no_more_digits_than_are_known() -> None:
    """Check that vectors state results of the recursion with at most the digits that are known."""
    for name in ("boundaries", "gate"):
        for case in spec.vectors(name)["cases"]:
            numbers = case["want"]["z"] if name == "boundaries" else [case["want"]["lo"], case["want"]["hi"]]
            if name == "boundaries" or "looks" in case["args"]:
                digits = [x["exact"].split("e")[0].lstrip("-") for x in numbers if "e" in x["exact"]]
                assert max(map(len, digits), default=0) <= 21, case["id"]  # 20 digits and the point


def t_and_signs(x: np.ndarray, w: np.ndarray, D: float, V: float, df: float, extra: float = 0.0) -> float:
    """The tail of D = sum of the w x beyond 0 by t, at V and at V + extra, or by all signs of the terms if larger."""
    terms = np.where(abs(w * x) < 1e-14, 0.0, w * x)
    terms, p = terms[terms != 0], 0.0
    if terms.size <= 12:
        sums = abs(np.array(list(product((1, -1), repeat=terms.size))) @ terms)
        p = float(np.mean(sums >= abs(terms.sum()) - 1e-12 * abs(terms).sum())) / 2
    elif terms.min() > 0 or terms.max() < 0:
        p = 0.5**terms.size
    return max(p, *(scipy.stats.t.sf(abs(D) / sqrt(V + e), df) for e in (0.0, extra)))


def p_values_of_sampled(d: np.ndarray, margin: float, sizes: list[int], guard: float) -> tuple[float, float]:
    """p_worse and p_better of a gate from the mean differences of the sampled units, by SciPy and all signs.

    The formulas: spec/families/looks.md.
    """
    w, G = np.array(sizes) / sum(sizes), len(sizes)
    D, Q = float(w @ d), float(w @ w)
    x = D + margin
    a = w**2 / (1 - 2 * w + Q)
    df = Q**2 / (np.outer(a, a) * (np.eye(G) - w[:, None] - w + Q) ** 2).sum()
    Z, c = float(a @ (d - D) ** 2), guard**2 * Q / (2 * sum(sizes))
    df = min(df, (Z + c) ** 2 / (Z * Z / df + c * c / 2)) if c else df
    terms = (w * (d - D)) ** 3
    skew = abs(x) * sqrt(float(terms @ terms)) - x * float(terms.sum())
    p = t_and_signs(d + margin, w, x, Z + c, df, max(skew, 0.0) / (Z + c) if guard else 0.0)
    exact = exact_p_value(D, margin, 1 / Q, guard, by_trials=False)
    return (max(p, exact), 1 - p) if x > 0 else (1 - p, max(p, exact))


def exact_p_value(D: float, margin: float, U: float, guard: float, by_trials: bool) -> float:
    """The probability that U trials show D although it is -margin; those that were not seen differ by the guard."""
    if D + margin < 0:
        return ((guard + margin) / (guard - D)) ** U if guard else 0.0
    if margin >= guard:
        return 0.0
    if by_trials and D < 0:
        return (
            float(scipy.stats.binom.cdf(-D * U / guard, U, margin / guard))
            if (D * U / guard) % 1 == 0
            else float(scipy.stats.beta.cdf(1 - margin / guard, U + D * U / guard, 1 - D * U / guard))
        )
    return ((guard - margin) / (guard + D)) ** U


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("guard", [0.0, 0.3, 1.0])
def test_a_gate_of_sampled_questions_agrees_with_a_naive_implementation(clustered: bool, guard: float) -> None:
    """Check p-values of gates of sampled questions, single or in clusters, that win or lose some of them entirely."""
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(60):
        sizes = rng.integers(1, 5 if clustered else 2, rng.integers(3, 13)).tolist()
        M, N = sum(sizes), int(rng.integers(1, 5))
        new, base = (rng.binomial(N, rng.beta(0.3, 0.2, M)) for _ in "ab")
        margin, labels = float(rng.uniform(0.01, 0.5)), np.repeat(np.arange(len(sizes)), sizes)
        pair = [Counts.from_successes(c, np.full(M, N)) for c in (new, base)]
        d = np.array([((new - base) / N)[labels == g].mean() for g in range(len(sizes))])
        if np.ptp(d) == 0:
            continue
        how = {"clusters": labels.tolist()} if clustered else {}
        r = sinf.gate(*pair, margin=margin, questions="sampled", guard=guard, **how)
        naive = p_values_of_sampled(d, margin, sizes, guard)
        assert (r.p_worse, r.p_better) == pytest.approx(naive, rel=1e-9)
        seen.add((r.verdict, r.mu + margin > 0, r.mu >= 0))
    assert len(seen) >= 4


@pytest.mark.parametrize("guard", [0.0, 0.3, 1.0])
def test_a_gate_of_fixed_questions_agrees_with_a_naive_implementation(guard: float) -> None:
    """Check p-values of gates of fixed questions, of two to nine trials."""
    rng = np.random.default_rng(8)
    seen = set()
    for _ in range(150):
        M, margin = int(rng.integers(2, 15)), float(rng.uniform(0.01, 0.5))
        trials = [rng.integers(2, 10, M) for _ in "ab"]
        new, base = (rng.binomial(n, rng.beta(0.3, 0.2, M)) for n in trials)
        pair = [Counts.from_successes(c, n) for c, n in zip((new, base), trials, strict=True)]
        r = sinf.gate(*pair, margin=margin, questions="fixed", guard=guard)
        rates = [c / n for c, n in zip((new, base), trials, strict=True)]
        v = np.concatenate([p * (1 - p) / (n - 1) for p, n in zip(rates, trials, strict=True)])
        least = min(map(np.min, trials))
        D, s = float((rates[0] - rates[1]).mean()), 1 / least**2
        df = 2 * (v.sum() + s) ** 2 / ((v**2).sum() + s**2)
        p = float(scipy.stats.t.sf(abs(D + margin) / sqrt(v.sum() + s) * M, df))
        exact = exact_p_value(D, margin, float(least * M), guard, by_trials=True)
        naive = (max(p, exact), 1 - p) if D + margin > 0 else (1 - p, max(p, exact))
        assert (r.p_worse, r.p_better) == pytest.approx(naive, rel=1e-9)
        seen.add((r.verdict, r.mu + margin > 0, r.mu >= 0))
    assert len(seen) >= 4
