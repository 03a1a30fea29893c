"""Gates of one model against a number, and on every question."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from scorio import Counts, InvalidInput, eval, read, sinf
from scorio.arithmetic.double_double import ONE, div, ext
from scorio.cli import main
from scorio.inference import decision

ROOT = Path(__file__).resolve().parents[1]
COINS = str(ROOT / "spec" / "examples" / "coins.csv")
CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


@pytest.mark.parametrize("number", [0.4, 0.65, 0.74, 0.8, 0.99])
@pytest.mark.parametrize("metric", ["mean", "pass@4"])
def test_a_number_is_a_perfect_baseline_minus_a_margin(number, metric) -> None:
    """Check that verdict, p-values and plan are those of a gate against a perfect model, for both targets."""
    e = read(COINS).select("large")
    perfect = Counts.from_successes(e["large"].trials, e["large"].trials, ids=e["large"].ids)
    metric_and_k = ("pass@k", 4) if metric == "pass@4" else ("mean",)
    x = e.gate(metric=metric, at_least=number)
    for row, questions in ((x.table[0], "fixed"), (x.other[0], "sampled")):
        r = sinf.gate(e["large"], perfect, *metric_and_k, margin=1 - number, questions=questions)
        assert (row.verdict, row.p_worse, row.p_better, row.trials_needed, row.questions_needed) == (
            r.verdict, r.p_worse, r.p_better, r.trials_needed, r.questions_needed)  # fmt: skip
        assert np.isclose(
            row.mu, eval.interval(e["large"], *metric_and_k, questions=questions).mu, rtol=1e-15, atol=1e-15
        )
        assert (row.lo > number) == (row.verdict == "pass")
        assert (row.hi < number) == (row.verdict == "fail")
        assert row.hi <= 1.0
    assert x.about.models == ("large",)
    assert x.shared_questions == 40


def test_the_number_is_on_the_scale_of_the_scores() -> None:
    """Check that at_least is on the scale of the scores, and that one failing benchmark of two fails the gate."""
    R = np.array([[0, 1, 2, 2], [2, 2, 2, 1], [1, 2, 2, 2], [2, 2, 0, 2]] * 10)
    to_one = read({"m": R}, w=[0, 0.5, 1]).gate(at_least=0.6)
    to_ten = read({"m": R}, w=[0, 5, 10]).gate(at_least=6.0)
    assert to_one.verdict == to_ten.verdict == "pass"
    assert np.allclose([10 * to_one.table[0].mu, 10 * to_one.table[0].lo], [to_ten.table[0].mu, to_ten.table[0].lo])
    ones = (R > 0).astype(int)
    two_benchmarks = read({"t": {"m": ones}, "u": {"m": 1 - ones}})
    assert two_benchmarks.gate(at_least=0.5).verdict == "fail"
    assert [row.verdict for row in two_benchmarks.gate(at_least=0.5).table[1:]] == ["pass", "fail"]


@pytest.mark.parametrize(("number", "verdict"), [(".65", "pass"), (".74", "inconclusive"), (".9", "fail")])
def test_the_exit_code_is_that_of_the_verdict(tmp_path, capsys, number, verdict) -> None:
    """Check that the exit code is the verdict, and that the text and the JUnit report agree."""
    junit = tmp_path / "gate.xml"
    assert main(["gate", COINS, "large", "--at-least", number, "--junit", str(junit)]) == CODES[verdict]
    out = capsys.readouterr().out
    assert f"Gate on 40 questions: {verdict.upper()}\n" in out
    assert "on similar questions: " in out
    case = ElementTree.parse(junit).getroot().find("testsuite/testcase")
    assert f"large, at least 0{number}" in case.get("name")
    assert (case.find("failure") is None) == (verdict == "pass")
    if verdict == "inconclusive":  # 336 times as many trials would be needed
        assert "No realistic number of trials per question would decide" in " ".join(out.split())


def test_questions_below_the_number_fail_and_are_listed(tmp_path, capsys) -> None:
    """Check that questions below the number fail and are listed, and that 8 of 10 passes at 0.8 despite rounding."""
    log = tmp_path / "log.csv"
    log.write_text("model,question,c,n\n" + "".join(f"m,q{c},{c},10\n" for c in (8, 7, 10, 0)))
    junit = tmp_path / "each.xml"
    assert main(["gate", str(log), "--each", ".8", "--junit", str(junit)]) == 1
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("q")] == ["question", "q0", "q7"]
    assert "FAIL: m scores less than 0.8 on 2 of 4 questions." in out
    failed = [c.find("failure") is not None for c in ElementTree.parse(junit).getroot().findall("testsuite/testcase")]
    assert failed == [True, True, False, False]
    assert main(["gate", str(log), "--each", ".8", "--csv"]) == 1
    capsys.readouterr()
    log.write_text("model,question,c,n\nm,q1,8,10\nm,q2,3,3\n")
    assert main(["gate", str(log), "--each", ".8", "--missing", "drop"]) == 0
    assert "PASS: m scores 0.8 or more on every question." in capsys.readouterr().out
    x = read(str(log)).gate_each(1.0)
    assert [(row.question, row.score, row.passes) for row in x.table] == [("q1", 0.8, False), ("q2", 1.0, True)]


def test_refusals_say_what_to_type(capsys) -> None:
    """Check the codes of refusals, and that those of the command say what to type."""
    e = read(COINS)
    for code, call in (
        ("conflict", lambda: e.gate("large", "medium", margin=0.1, at_least=0.9)),
        ("conflict", lambda: e.gate("large", "medium")),
        ("conflict", lambda: e.gate("large", "medium", at_least=0.9)),
        ("choice", lambda: e.gate(at_least=0.9)),
        ("range", lambda: e.gate("large", at_least=1.0)),
        ("range", lambda: e.gate_each(90, "large")),
        ("not_finite", lambda: e.gate_each(float("nan"), "large")),
    ):
        with pytest.raises(InvalidInput) as error:
            call()
        assert error.value.code == code
    for args, words in (
        (["large", "--at-least", "90"], "did you mean 0.9?"),
        (["large", "medium", "--at-least", ".9"], "name one of large, medium"),
        (["large", "--each", ".9", "--metric", "pass@4"], "leave out --metric"),
        (["large", "medium", "--margin", "2"], "2 points are 0.02"),
    ):
        assert main(["gate", COINS, *args]) == 2
        assert words in capsys.readouterr().err


def test_a_gate_of_as_many_trials_as_counts_hold_has_a_verdict() -> None:
    """Check that cancellation in doubles starts the exact search for a limit elsewhere: no ZeroDivisionError."""
    n = 2**53 - 1
    d = sinf.gate(
        Counts.from_successes([n - 1, 5], [n, n]), Counts.from_successes([n, n], [n, n]), margin=0.7, questions="fixed"
    )
    assert d.verdict == "pass"


def test_more_trials_than_the_cap_count_as_the_cap_which_is_wider() -> None:
    """Check U at 2^32, where the exact bound stops to grow: beyond it limits and p-values stay, below it they rise."""
    margins, tail = (ext(1e-9), ext(0.9)), ext(0.025)
    for D in (0.5, 0.0, -1e-10, -0.5):
        got = []
        for U in (2.0**31, 2.0**32 - 1.0, 2.0**32, 2.0**32 + 1.0, 2.0**40):
            d: Any = SimpleNamespace(D=ext(D), unit=div(ONE, ext(U)), guard=ONE, by_trials=True)
            got.append(
                [decision.reach_of_unsampled(d, tail, side) for side in (-1.0, 1.0)]
                + [decision.p_value_of_unsampled(d, margin) for margin in margins]
            )
        assert got[2] == got[3] == got[4], D
        assert all(x[0] > y[0] for x, y in zip(got[0][:2], got[1][:2], strict=True)), D
        for fewer, more in ((got[0], got[1]), (got[1], got[2])):
            assert all(x[0] >= y[0] for x, y in zip(fewer, more, strict=True)), D
