"""Plans of runs, where whole runs of an evaluation may differ: numbers, sentences, and what is refused."""

from __future__ import annotations

import json
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, t

from scorio import InvalidInput, read, sinf
from scorio.cli import main
from scorio.commands.plan_runs import MOST_RUNS, Rule, RunParts, alternatives, plan_runs_ahead, upper_sd

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
COINS = str(EXAMPLES / "coins.csv")
AHEAD = ["--n-questions", "500", "--n-trials", "4", "--rate", ".6"]
RULE = Rule(0.95, 0.8)


def output_of(capsys: Any, *args: str) -> str:
    assert main(["plan", *args]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_the_smallest_difference_is_that_of_the_formula() -> None:
    """Check (t + t_power) sqrt(2 s^2/N + w/(M N) + b/M) against SciPy's quantiles, and half widths of one model."""
    s, w, b = 0.01, 0.3, 0.25
    for N, M in ((2, 500), (4, 500), (16, 100), (5, 2000)):
        f, of_trials, of_runs = 2 * (N - 1), w / (M * N), 2 * s * s / N
        V = of_trials + of_runs
        floor = (t.ppf(0.975, f) + t.ppf(0.8, f)) * sqrt(of_runs)
        x = RunParts(2, s, w, b)
        assert x.floor(RULE, N) == pytest.approx(floor)
        assert x.smallest(RULE, N, M, False) == pytest.approx((t.ppf(0.975, f) + t.ppf(0.8, f)) * sqrt(V))
        all_of_it = V + b / M
        df = all_of_it**2 / ((of_trials + b / M) ** 2 / (M - 1) + V**2 / f)
        expected = max((t.ppf(0.975, df) + t.ppf(0.8, df)) * sqrt(all_of_it), floor)
        assert x.smallest(RULE, N, M, True) == pytest.approx(expected)
        one = RunParts(1, s, w / 2, None)
        width = t.ppf(0.975, N - 1) * sqrt(s * s / N + w / 2 / (M * N))
        assert one.smallest(Rule(0.95, None), N, M, False) == pytest.approx(
            width, rel=1e-5
        )  # t of 10^6 degrees of freedom for normal
        assert one.smallest(Rule(0.95, None), N, M, True) == inf  # one question shows no variance between questions
    assert RunParts(2, s, w, b).smallest(RULE, 1, 500, False) == inf
    assert RunParts(2, 0.0, 0.0, 0.0).smallest(RULE, 2, 500, True) == 0.0
    assert RunParts(2, s, w, b).smallest(RULE, 9, 5, True) == inf  # the signs of 5 questions cannot be significant


@pytest.mark.slow
def test_the_needed_numbers_are_the_smallest_that_are_enough() -> None:
    x, D = RunParts(2, 0.01, 0.3, 0.25), 0.03
    N, many, least, Q = (x.runs_needed(RULE, D, 500, False), x.runs_needed(RULE, D, 5000, True), x.least_runs(RULE, D),
                         x.questions_needed(RULE, D, 8))  # fmt: skip
    assert None not in (N, many, least, Q)
    assert x.smallest(RULE, N, 500, False) <= D < x.smallest(RULE, N - 1, 500, False)
    assert x.smallest(RULE, many, 5000, True) <= D < x.smallest(RULE, many - 1, 5000, True)
    assert x.floor(RULE, least) <= D < x.floor(RULE, least - 1)
    assert x.smallest(RULE, 8, Q, True) <= D < x.smallest(RULE, 8, Q - 1, True)
    assert x.questions_needed(RULE, D, least - 1) is None
    runs, questions = x.cheapest(RULE, D) or (0, 0)
    assert x.smallest(RULE, runs, questions, True) <= D
    assert runs * questions <= 8 * Q
    assert x.runs_needed(RULE, 0.001, 500, True) is None  # the variance between 500 questions alone is above it
    assert x.least_runs(RULE, 2.8016 * 0.01 * sqrt(2 / MOST_RUNS) * 0.99) is None


def test_plans_of_equal_cost_have_the_same_trials() -> None:
    assert alternatives(1, 1000) == [(1, 1000), (2, 500), (5, 200), (10, 100), (20, 50)]
    assert alternatives(4, 25) == [(1, 100), (2, 50), (4, 25), (5, 20), (10, 10)]
    assert alternatives(3, 2) == [(3, 2)]


def test_the_upper_end_is_that_of_the_chi_squared_distribution() -> None:
    x = read(COINS).benchmark().run_variation
    assert x is not None
    largest = x.ratio * x.df / chi2.ppf(0.025, x.df)
    assert upper_sd(x, RunParts(2, x.sd, 0.4, None), 40) == pytest.approx(sqrt((largest - 1) * 0.2 / 40), rel=1e-5)


def test_a_plan_from_a_log_has_its_variances() -> None:
    """Check the present reach against the standard errors of comparisons, and the standard deviation of runs."""
    e = read(COINS).select(["large", "medium"])
    x = e.plan_runs(difference=0.05)
    row, variation = x.table[0], e.benchmark().run_variation
    assert variation is not None
    assert (x.run_sd, x.ratio, row.runs_now, row.questions_now) == (variation.sd, variation.ratio, 8, 40)
    V = sinf.compare(e["large"], e["medium"], questions="fixed").sigma ** 2 + 2 * variation.sd**2 / 8
    assert row.reached_fixed == pytest.approx((t.ppf(0.975, 14) + t.ppf(0.8, 14)) * sqrt(V))
    assert (x.at_upper_sd.runs_needed_fixed or 0) > (row.runs_needed_fixed or 0) > 8
    again = next(y for y in x.alternatives if y.runs == 8)
    assert (again.fixed, again.sampled) == (row.reached_fixed, row.reached_sampled)
    assert read(COINS).plan_runs(half_width=0.05).table[0].next is None


def test_the_command_says_what_no_number_of_questions_detects(capsys, tmp_path) -> None:
    out = output_of(capsys, *AHEAD, "--difference", ".02", "--run-sd", ".01")
    assert "plan: 2 models, 4 runs of 500 questions" in out
    assert "No number of questions detects less than 0.024 with 4 runs, and 0.02 takes 6 runs or more." in out
    assert "1 2,000 never never" in out
    assert "On similar questions the cheapest are about 10 runs of" in out
    hopeless = output_of(capsys, *AHEAD, "--difference", ".00002", "--run-sd", ".01")
    assert "for 2e-05 no number of runs below a million is enough" in hopeless
    out = output_of(capsys, COINS, "--runs", "sampled", "--half-width", ".05")
    assert "No number of questions makes it narrower than +/- 0.036 with 8 runs" in out
    out = output_of(capsys, COINS, "--runs", "sampled")
    assert "for the observed difference from the next model" in out
    assert "95% CI up to 0.084. No number of questions detects less than 0.066 with 8 runs" in out
    assert "With 0.084 no number of questions detects less than 0.13 with 8 runs" in out


@pytest.mark.parametrize(("shift", "words"), [(0, "up to 0."), (1, "They agree more than runs of independent trials")])
def test_an_estimate_of_0_is_no_plan(capsys, tmp_path, shift: int, words: str) -> None:
    """Check that runs that hardly differ are planned with the upper end too; with shift all runs have one average."""
    rng = np.random.default_rng(4)
    R = {m: rng.integers(0, 2, (60, 6)) for m in "ab"}
    if shift:
        R = {m: np.array([[(i + j) % 2 for j in range(6)] for i in range(60)]) ^ (m == "b") for m in "ab"}
    rows = [f"{m},{i},{j},{y}\n" for m, x in R.items() for (i, j), y in np.ndenumerate(x)]
    (tmp_path / "runs.csv").write_text("model,question,trial,outcome\n" + "".join(rows))
    assert read(tmp_path / "runs.csv").plan_runs(difference=0.1).run_sd == 0.0
    out = output_of(capsys, str(tmp_path / "runs.csv"), "--runs", "sampled", "--difference", ".1")
    assert "differ no more than chance explains" in out
    assert "is an estimate: 95% CI up to" in out
    assert words in out
    assert ("no number of questions detects less than" in out) is not shift


def test_the_json_form_has_every_number(capsys) -> None:
    assert main(["plan", COINS, "--runs", "sampled", "--difference", ".05", "--json"]) == 0
    x = json.loads(capsys.readouterr().out)
    assert (x["schema"], x["runs"], x["target"], x["size"]) == ("scorio.plan_runs/1", "sampled", "difference", 0.05)
    assert x["run_sd"] < x["upper_sd"]
    assert x["at_upper_sd"]["floor"] > x["rows"][0]["floor"] > 0.05
    assert [y["runs"] for y in x["alternatives"]] == [1, 2, 5, 8, 10, 20]
    assert x["alternatives"][0]["fixed"] is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{EXAMPLES}/langchain_tool_use.csv --runs sampled", "each model has one run"),
        (f"{COINS} --run-sd .01", "--run-sd is for a plan without a log: leave it out"),
        (f"{COINS} --runs sampled --margin .02", "a gate with runs has no plan"),
        (f"{COINS} --runs sampled --design", "--runs is for a plan without --design"),
        (f"{COINS} --runs sampled --difference .1 --half-width .1", "two targets"),
        (f"{COINS} --runs sampled --difference 2", "2 points are 0.02"),
        (f"{COINS} --runs sampled --model tiny", "at least two are needed"),
        ("--n-questions 9 --n-trials 4 --rate .6 --difference .1 --run-sd -1", "--run-sd = -1.0 is outside"),
        ("--n-questions 9 --n-trials 4 --rate .6 --margin .1 --run-sd .1", "a gate with runs has no plan"),
        ("--n-questions 9 --n-trials 4 --rate .6 --difference .1 --runs sampled", "such as --run-sd 0.01"),
        ("--n-questions 9 --n-trials 4 --rate .6 --difference .1 --runs fixed --run-sd .1", "no --runs fixed"),
        ("--run-sd .1", "no log to plan from"),
    ],
)
def test_what_has_no_plan_is_refused(capsys, line: str, message: str) -> None:
    assert main(["plan", *line.split()]) == 2
    assert message in capsys.readouterr().err


def test_several_benchmarks_are_refused(tmp_path) -> None:
    rows = [
        f"{m},{k},{q},{j},{(q + j + (m == 'a')) % 2}\n" for m in "ab" for k in "xy" for q in range(4) for j in (1, 2)
    ]
    (tmp_path / "tasks.csv").write_text("model,task,question,trial,outcome\n" + "".join(rows))
    with pytest.raises(InvalidInput, match="a plan with runs is about one benchmark"):
        read(tmp_path / "tasks.csv").plan_runs()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("questions", "sd", "N", "M", "D"),
    [("fixed", 0.02, 4, 300, None), ("sampled", 0.02, 5, None, 0.05), ("fixed", 0.0, None, 200, 0.05)],
)
def test_planned_comparisons_have_the_stated_power(questions: Any, sd: float, N: Any, M: Any, D: Any) -> None:
    """Check planned power against simulations of runs that shift the success rates of all questions."""
    own = 0.1 if questions == "sampled" else 0.0  # rates are 0.5 +/- 0.2 of both models, and +/- own of each
    x = RunParts(2, sd, 2 * (0.25 - 0.04 - own**2 - sd**2), 2 * own**2)
    D = D or x.smallest(RULE, N, M, False)
    N = N or x.runs_needed(RULE, D, M, False)
    M = M or x.questions_needed(RULE, D, N)
    rng, repetitions, found = np.random.default_rng(2), 400, 0
    for _ in range(repetitions):
        common = rng.choice([0.3, 0.7], M)
        R = []
        for d in (D / 2, -D / 2):
            p = (common + rng.choice([-own, own], M) + d)[:, None] + rng.normal(0.0, sd, N)
            R.append((rng.random((M, N)) < p).astype(int))
        found += sinf.compare(R[0], R[1], questions=questions, runs="sampled").significant
    assert 0.75 < found / repetitions < 0.88


def test_a_plan_without_a_log_has_its_assumptions() -> None:
    """Check the variances: (p_a (1 - p_a) + p_b (1 - p_b)) (1 - between) of the trials of a question."""
    x = plan_runs_ahead(n_questions=400, n_trials=5, rate=0.5, difference=0.1, run_sd=0.02, between=0.0)
    V = (0.25 + 0.24 + 1 / (5 * 400)) / 2000 + 2 * 0.02**2 / 5
    assert x.table[0].reached_fixed == pytest.approx((t.ppf(0.975, 8) + t.ppf(0.8, 8)) * sqrt(V), rel=1e-3)
    assert plan_runs_ahead(n_questions=400, n_trials=1, rate=0.5, difference=0.1, run_sd=0.02).table[0].floor is None
