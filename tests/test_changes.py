"""Questions that changed: the false-discovery rate by enumeration; output, reports and exit codes."""

from __future__ import annotations

import importlib
import json
from fractions import Fraction as F
from functools import cache
from itertools import product
from math import comb
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scorio
from scorio import Counts, InvalidInput, items
from scorio.cli import main

fisher = importlib.import_module("scorio.items.changes")  # scorio.items.changes is the function

ROOT = Path(__file__).resolve().parents[1]
COINS = ROOT / "spec" / "examples" / "coins.csv"
TOOLS = ROOT / "spec" / "examples" / "langchain_tool_use.csv"
ROWS = "a,8,8 b,8,8 c,7,8 d,4,8 e,8,8 f,0,8", "a,0,8 b,8,8 c,2,8 d,4,8 e,3,8 f,6,8"


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main([str(x) for x in args])
    return code, *capsys.readouterr()


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Path, Path]:
    """Paths of the new log and the old one, whose names are not in alphabetical order."""
    paths = tmp_path / "z.csv", tmp_path / "b.csv"
    for path, rows in zip(paths, reversed(ROWS), strict=True):
        path.write_text("\n".join(["question,c,n", *rows.split()]) + "\n")
    return paths


@cache
def statuses(n: int, outcomes: tuple[tuple[int, int], ...], fdr: float, alternative: str) -> list[str]:
    old, new = (Counts.from_successes([x[i] for x in outcomes], [n] * len(outcomes)) for i in (0, 1))
    return [x.status for x in items.changes(old, new, fdr=fdr, alternative=alternative)]  # type: ignore[arg-type]


def false_discovery_rate(n: int, rates: tuple[tuple[F, F], ...], fdr: float, alternative: str) -> F:
    """The expected share of false discoveries, over all outcomes of n trials of each question before and after."""
    total = F(0)
    for outcomes in product(product(range(n + 1), repeat=2), repeat=len(rates)):
        weight = F(1)
        for (c, d), (p, q) in zip(outcomes, rates, strict=True):
            weight *= comb(n, c) * p**c * (1 - p) ** (n - c) * comb(n, d) * q**d * (1 - q) ** (n - d)
        statuses_and_rates = zip(statuses(n, outcomes, fdr, alternative), rates, strict=True)
        discoveries = [(x, p, q) for x, (p, q) in statuses_and_rates if x in ("regressed", "improved")]
        n_false = sum(q >= p if x == "regressed" else q <= p for x, p, q in discoveries)
        total += weight * F(n_false, max(1, len(discoveries)))
    return total


HALF, LOW, HIGH = F(1, 2), F(1, 20), F(19, 20)


@pytest.mark.parametrize("alternative", ["two-sided", "regressed"])
@pytest.mark.parametrize(
    "rates",
    [
        ((HALF, HALF), (HALF, HALF)),
        ((HALF, HALF), (HIGH, LOW)),
        ((F(4, 10), HALF), (F(6, 10), HALF)),
        ((HALF, F(51, 100)), (F(51, 100), HALF)),
        ((HIGH, HIGH), (F(3, 10), F(3, 10))),
    ],
)
def test_the_false_discovery_rate_is_at_most_the_stated_one(rates: tuple[tuple[F, F], ...], alternative: str) -> None:
    """Check over all outcomes of four trials that the expected share of false discoveries is at most the rate."""
    for fdr in (0.05, 0.3):
        assert false_discovery_rate(4, rates, fdr, alternative) <= fdr


def test_one_unchanged_question_is_reported_in_2_of_256_cases() -> None:
    """Check that one unchanged question is reported only for four successes against none, or none against four."""
    assert false_discovery_rate(4, ((HALF, HALF),), 0.05, "two-sided") == F(2, 2**8)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12), st.randoms())
@settings(max_examples=50, deadline=None)
def test_order_changes_nothing_and_exchange_reverses_the_direction(
    successes: list[tuple[int, int]], rng: object
) -> None:
    """Check that the order of questions changes no number, and that exchanging old and new reverses the direction."""
    order = rng.sample(range(len(successes)), len(successes))  # type: ignore[attr-defined]
    old, new = ([x[i] for x in successes] for i in (0, 1))
    n = [5] * len(successes)
    a, b = Counts.from_successes(old, n), Counts.from_successes(new, n)
    result = items.changes(a, b, fdr=0.3)
    permuted = items.changes(a.select(np.array(order)), b.select(np.array(order)), fdr=0.3)
    assert [result[i]._replace(question=0) for i in order] == [x._replace(question=0) for x in permuted]
    reversed_status = {
        "regressed": "improved",
        "improved": "regressed",
        "newly flaky": "no longer flaky",
        "no longer flaky": "newly flaky",
    }
    assert [reversed_status.get(x.status, x.status) for x in items.changes(b, a, fdr=0.3)] == [x.status for x in result]
    for x in result:
        assert x.p_adjusted <= (0.3 if x.status in ("regressed", "improved") else 1.0)


Outcome = tuple[int, int, int, int]  # successes and trials before, and after


def plainly(pairs: list[Outcome], fdr: float, alternative: str) -> list[tuple[float, float, bool]]:
    """The p-value, adjusted p-value and significance of each question, by the definition and in fractions."""
    p, levels = [], []
    for c, n, d, m in pairs:
        w = {x: comb(n, x) * comb(m, c + d - x) for x in range(max(0, c + d - m), min(n, c + d) + 1)}
        two_sided = alternative == "two-sided"
        p_of = {x: F(sum(w[y] for y in w if (w[y] <= w[x] if two_sided else y >= x)), sum(w.values())) for x in w}
        p.append(p_of[c])
        levels.append(sorted({F(0), *p_of.values()}))
    attainable = sorted({t for x in levels for t in x} - {F(1)})

    def h(t: F, limit: F) -> F:
        cdfs = ([max(y for y in x if y <= z) for z in (t, limit)] for x in levels)
        return sum((a / (1 - b) for a, b in cdfs), F(0))

    odds = {t: h(t, t) for t in attainable}

    def limit(q: F) -> F:
        return max(t for t in attainable if odds[t] <= q * len(p))

    def is_significant(t: F, q: F) -> bool:
        return t <= limit(q) and h(t, limit(q)) <= q * sum(x <= t for x in p)

    # the smallest rate at which a value is significant is a quotient with one of the limits
    rates = {t: {h(t, x) / sum(y <= t for y in p) for x in attainable if x >= t} for t in p}
    smallest = {t: min([q for q in rates[t] if q < 1 and is_significant(t, q)], default=F(1)) for t in p}
    critical = max((t for t in p if is_significant(t, F(fdr))), default=F(0))
    return [(float(t), float(min(smallest[y] for y in p if y >= t)), t <= critical) for t in p]


@pytest.mark.parametrize("alternative", ["two-sided", "regressed"])
@given(st.data(), st.sampled_from([1, 4, 9]), st.booleans(), st.sampled_from([0.05, 0.3, 1e-300, 1 - 2**-53]))
@settings(max_examples=40, deadline=None)
def test_the_results_are_those_of_the_definition_in_fractions(
    alternative: str, data: st.DataObject, top: int, ragged: bool, fdr: float
) -> None:
    """Check all bits against the definition, with equal and different numbers of trials, and with ties."""
    trials = st.tuples(st.integers(1, top), st.integers(1, top)) if ragged else st.just((top, top))
    sizes = data.draw(st.lists(trials, min_size=1, max_size=6))
    pairs = [(data.draw(st.integers(0, n)), n, data.draw(st.integers(0, m)), m) for n, m in sizes]
    old, new = (Counts.from_successes([x[i] for x in pairs], [x[i + 1] for x in pairs]) for i in (0, 2))
    result = items.changes(old, new, fdr=fdr, alternative=alternative)  # type: ignore[arg-type]
    found = [(x.p_value, x.p_adjusted, x.status in ("regressed", "improved")) for x in result]
    assert found == plainly(pairs, fdr, alternative)


def ragged_tests(n_questions: int) -> fisher.Tests:
    """Tests of questions with 32 to 64 trials before and after."""
    r = np.random.default_rng(1)
    n, m = r.integers(32, 65, (2, n_questions)).tolist()
    return fisher.Tests(
        [fisher.Pair(r.integers(x + 1), x, r.integers(y + 1), y) for x, y in zip(n, m, strict=True)], False
    )


def test_the_steps_do_not_grow_with_the_number_of_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that all sums together pass each attainable p-value a few times: each sum passed all of them."""
    steps, at = [], fisher.Sum.at

    def counted(x: fisher.Sum, t: int, limit: int) -> int:
        steps.append(abs(t - x.positions[0]) + abs(limit - x.positions[1]))
        return at(x, t, limit)

    tests = ragged_tests(300)
    monkeypatch.setattr(fisher.Sum, "at", counted)
    fisher.adjusted(tests)
    assert len(steps) > 100
    assert sum(steps) < 6 * len(tests.attainable)


def test_the_bounds_in_doubles_decide_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that without a bound, as for p-values that underflow, exact integers alone give the same rates."""
    tests = ragged_tests(100)
    rates = fisher.adjusted(tests)
    monkeypatch.setattr(fisher.Bound, "rate", lambda *_: 0.0)
    assert fisher.adjusted(tests) == rates


def test_more_is_discovered_than_by_benjamini_and_hochberg() -> None:
    """Check that the ten of 100 questions that fall from 8 to 3 successes in 8 trials are all reported."""
    old = Counts.from_successes([8] * 100, [8] * 100)
    new = Counts.from_successes([3] * 10 + [8] * 90, [8] * 100)
    result = items.changes(old, new)
    assert sum(x.status == "regressed" for x in result) == 10
    assert all(x.p_value * 100 / 10 > 0.05 for x in result[:10])  # Benjamini and Hochberg would report none


def test_the_command_fails_for_regressions_only_on_request(
    logs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that the new log comes first, and that a regression fails the command only on request."""
    junit, markdown = tmp_path / "j.xml", tmp_path / "page.md"
    code, out, err = run(capsys, "changes", *logs, "--junit", junit, "--markdown", markdown)
    assert (code, err) == (0, "")
    assert "3 of 6 questions regressed, 1 improved, at a false-discovery rate of 5%." in out
    cases = ElementTree.parse(junit).getroot().findall(".//testcase")
    assert [x.get("name") for x in cases if x.find("failure") is not None] == ["a", "e", "c"]
    assert len(cases) == 6
    assert "| a | 8/8 | 0/8 | 0.00031 | regressed |" in markdown.read_text()
    assert run(capsys, "changes", *logs, "--fail-on", "regressed")[0] == 1
    assert run(capsys, "changes", *logs, "--fail-on", "regressed", "--fdr", ".0001")[0] == 0
    assert run(capsys, "changes", *reversed(logs), "--fail-on", "regressed", "--alternative", "regressed")[0] == 1
    code, out, _ = run(capsys, "changes", *logs, "--json")
    answer = json.loads(out)
    assert [x["question"] for x in answer["rows"]] == list("afecdb")
    assert answer["counts"]["regressed"] == 3
    assert run(capsys, "changes", *logs, "--junit", logs[0])[0] == 2


def test_one_trial_cannot_report_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    """Check that after one trial no question is reported, and that the text says how many trials are needed."""
    _, out, _ = run(capsys, "changes", TOOLS, "mixtral-8x7b-instruct", "claude-2.1")
    text = " ".join(out.split())
    assert "With 1 trial before and 1 after no question can count as regressed or improved" in text
    assert "run each question 4 times or more" in text
    assert "claude-2.1 is significantly better than mixtral-8x7b-instruct" in text
    e = scorio.read({"old": [[1] * 4], "new": [[0] * 4]})
    assert e.changes("new", "old").regressed, "four trials are enough for one question"
    assert not scorio.read({"old": [[1] * 3], "new": [[0] * 3]}).changes("new", "old").regressed


def test_models_without_names_and_scores_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Check that the old model is never guessed, and that scores are refused."""
    code, _, err = run(capsys, "changes", COINS, COINS)
    assert (code, "has 4 models, large, medium, small and tiny: give the files of one model, or name two" in err) == (
        2,
        True,
    )
    code, _, err = run(capsys, "changes", COINS)
    assert code == 2
    assert "coins.csv NEW OLD" in err
    e = scorio.read({"old": [[0.5, 1]], "new": [[0, 1]]}, w="levels")
    with pytest.raises(InvalidInput) as error:
        e.changes("new", "old")
    assert error.value.code == "conflict"
    with pytest.raises(InvalidInput) as error:
        scorio.read({"old": [[1, 1]], "new": [[0, 1]]}).changes("new", "old", fail_on="flaky")  # type: ignore[arg-type]
    assert error.value.argument == "fail_on"


def test_questions_of_all_benchmarks_share_the_rate() -> None:
    """Check that the questions of all benchmarks share the rate, and that their names include the benchmark."""
    part = {"old": [[1] * 8, [1] * 8], "new": [[0] * 8, [1] * 8]}
    x = scorio.read({"s": part, "t": part}).changes("new", "old")
    alone = scorio.read({"s": part}).changes("new", "old")
    assert [(row.benchmark, row.question) for row in x.regressed] == [("s", "0"), ("t", "0")]
    assert x.regressed[0].p_adjusted == alone.regressed[0].p_adjusted  # twice the tests, twice the discoveries
    assert "s: 0" in x.to_junit()


def test_a_gate_names_regressions(logs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Check that regressions are listed below the verdict, which does not depend on them."""
    command = ("gate", *logs, "--margin", "0.3")
    code, out, _ = run(capsys, *command)
    code_with_changes, out_with_changes, _ = run(capsys, *command, "--changes")
    assert code == code_with_changes
    assert "regressed" not in out
    assert "3 questions regressed, at a false-discovery rate of 5%: a (8/8 to 0/8), e (8/8 to 3/8)" in " ".join(
        out_with_changes.split()
    )
    _, reverse_order, _ = run(capsys, "gate", *reversed(logs), "--margin", "0.3", "--changes", "--json")
    assert [x["question"] for x in json.loads(reverse_order)["changes"]] == ["f"]
