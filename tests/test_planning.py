"""Plans with and without a log; intervals from bare counts; item statistics of one model or two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t

from scorio import Counts, InvalidInput, eval, read, sinf
from scorio.cli import main
from scorio.commands.interval import interval
from scorio.commands.plan import plan_ahead
from scorio.inference import planning

COINS = str(Path(__file__).resolve().parents[1] / "spec" / "examples" / "coins.csv")
ASSUMED = {"n_questions": 200, "n_trials": 4, "rate": 0.6}


def output_of(capsys, *args: str) -> str:
    assert main([*args]) == 0
    return " ".join(capsys.readouterr().out.split())


# --- with a log ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["difference", "margin"])
def test_power_table_reaches_the_requested_power(kind) -> None:
    """Check that the requested power is reached at the questions needed, and not with fewer trials than needed."""
    x = read(COINS).plan(**{kind: 0.05})
    first = x.table[0]
    assert x.compared == (first.model, first.next) == ("large", "medium")
    assert x.power_questions[-1] == first.questions_needed
    assert x.powers[0].trials == first.trials_now
    assert abs(x.powers[0].sampled[-1] - 0.8) < 0.01
    needed = next(p for p in x.powers if p.trials >= first.trials_needed)
    assert needed.fixed >= 0.8 > next(p for p in x.powers if p.trials < first.trials_needed).fixed
    assert read(COINS).plan().powers == ()  # no pair is chosen of four models without a stated difference


def test_plans_that_no_realistic_data_decide_say_so(capsys, tmp_path) -> None:
    """Check that plans and verdicts that need too much data say so, and which difference the present data detect."""
    out = output_of(capsys, "plan", COINS, "--difference", "0.02")
    assert "Cannot be decided with a realistic amount of data: large and medium" in out
    row = read(COINS).plan(difference=0.02).table[0]
    sigma = sinf.compare(read(COINS)["large"], read(COINS)["medium"], questions="fixed").sigma
    assert row.detectable_fixed == pytest.approx(2.8016 * sigma, rel=1e-4)  # 1.9600 for the level, 0.8416 for the power
    largest = max(x.detectable_fixed or 0.0 for x in read(COINS).plan(difference=0.02).table)
    assert f"{largest:.2g} on these questions" in out
    replanned = read(COINS).plan(difference=row.detectable_fixed).table[0]
    assert replanned.trials_needed == pytest.approx(row.trials_now, abs=1)
    even = "model,question,c,n\n" + "".join(f"{m},{q},{3 + (q == 0 and m == 'a')},6\n" for m in "ab" for q in range(40))
    (tmp_path / "even.csv").write_text(even)
    x = read(tmp_path / "even.csv").compare("a", "b")
    assert "No realistic number of trials per question decides" in " ".join(str(x).split())


@pytest.mark.parametrize("size", [1, 7, 10**3, 10**40, 10**600])
@pytest.mark.parametrize("a, b, c", [(1, 0, 0), (3, 7, 0), (0, 1, 0), (0, 5, 3), (10**9, 10**30, 0), (1, 1, 1)])
def test_the_smallest_number_that_meets_a_rule_takes_few_steps(size: int, a: int, b: int, c: int) -> None:
    """Check that neighbours of the result decide it, for a/n + b/n^2 + c/n^4, in steps that do not grow with digits."""
    steps = []

    def ratio(n: int) -> tuple[int, int]:
        steps.append(n)
        return (a * n**3 + b * n**2 + c) * size, 2 * n**4

    n = planning.smallest(ratio)
    assert len(steps) <= 40
    assert ratio(n)[0] <= ratio(n)[1]
    assert n == 1 or ratio(n - 1)[0] > ratio(n - 1)[1]
    assert planning.smallest(ratio, n + 3) == n + 3


def test_tiny_targets_take_as_many_steps_as_ordinary_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a half width of 1e-300 computes a variance a few times: by bisection it was 4,000 times."""
    trials, steps = planning.Growth.trials, list[int]()
    monkeypatch.setattr(planning.Growth, "trials", lambda x, N: steps.append(N) or trials(x, N))  # type: ignore[func-returns-value]
    R = Counts.from_successes([500_000, 3, 999_999], [10**6 - 1, 10**6 - 3, 10**6])
    assert sinf.trials_needed(R, half_width=1e-300) > 10**590
    assert len(steps) < 50


def test_intervals_too_narrow_for_realistic_data_say_so(capsys) -> None:
    """Check the sentence about half widths out of reach, and that a number of 600 digits does not fill the table."""
    out = output_of(capsys, "plan", COINS, "--half-width", "1e-300")
    assert "Too narrow for a realistic amount of data: the intervals of large, medium, small and 1 other model" in out
    assert "e+59" in out
    assert main(["plan", COINS, "--half-width", "1e-300"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 100
    assert "Too narrow" not in output_of(capsys, "plan", COINS, "--half-width", "0.1")


# --- without a log ------------------------------------------------------------------------------------


def test_plans_with_and_without_a_log_agree() -> None:
    """Check plans with and without a log against one formula, each with its own variance."""
    # each question is solved in 1 of 2 trials: the variance of a trial is 1/4, and its unbiased estimate 1/2
    R = np.array([[1, 0], [0, 1]] * 50)
    S = np.array([[0, 1], [1, 0]] * 50)
    x = plan_ahead(n_questions=100, n_trials=2, rate=0.5, difference=0.1, between=0.0)
    assert sinf.trials_needed(R, S, difference=0.1) == trials_by_formula(100, 2 * 0.5, 0.1)
    assert x.table[0].trials_needed == trials_by_formula(100, 0.25 + 0.24, 0.1)  # A at 0.5, B at 0.4


def trials_by_formula(M: int, A: float, D: float) -> int:
    """Smallest N with z^2 (M A / N + 1/N^2) / M^2 <= D^2, with A the sum of two models' variances of a trial."""
    z = 1.959963984540054 + 0.8416212335729143
    return next(N for N in range(1, 1000) if z * z * (M * A / N + 1 / N**2) / M**2 <= D * D)


def test_power_without_a_log_is_that_of_simulations() -> None:
    """Check planned power against simulations of two models whose rates correlate at 0.5 over questions."""
    M, N, D, runs = 120, 4, 0.08, 400
    x = plan_ahead(n_questions=M, n_trials=N, rate=0.5 + D / 2, difference=D, correlation=0.5)
    rng, n_significant, sd = np.random.default_rng(5), 0, 0.125**0.5
    for _ in range(runs):
        # rates have variance 1/8, half of that of an outcome; in 71% of questions a model has the common rate
        common, own, other = (rng.choice([-sd, sd], M) for _ in range(3))
        a, b = (0.5 + np.where(rng.random(M) < 0.5**0.5, common, z) for z in (own, other))
        R, S = (rng.random((M, N)) < (p + d)[:, None] for p, d in ((a, D / 2), (b, -D / 2)))
        n_significant += sinf.compare(R.astype(int), S.astype(int), questions="sampled").significant
    assert abs(n_significant / runs - x.powers[0].sampled[0]) < 0.08


def test_a_plan_without_a_log_has_the_weaker_model_at_the_rate_minus_the_difference() -> None:
    """Check the variance: with all of it between questions that are independent, that of two Bernoulli variables."""
    x = plan_ahead(n_questions=500, n_trials=4, rate=0.95, difference=0.05, between=1.0, correlation=0.0).table[0]
    z = 1.959963984540054 + 0.8416212335729143
    assert x.questions_needed == pytest.approx(z * z * (0.95 * 0.05 + 0.9 * 0.1) / 0.05**2, rel=0.02)  # t, not z


def test_one_trial_of_each_question_is_never_planned() -> None:
    """Check that a plan has at least two trials: with one, power on these questions is that on similar ones."""
    x = plan_ahead(n_questions=200, n_trials=1, rate=0.6, difference=0.15)
    assert x.table[0].trials_needed == 2
    assert x.powers[0].fixed == x.powers[0].sampled[0] < 0.97 < x.powers[1].fixed


def test_the_command_plans_without_a_log(capsys) -> None:
    out = output_of(capsys, "plan", "--n-questions", "200", "--n-trials", "4", "--rate", ".6", "--difference", ".02")
    assert "A .600 .020 4 24 200 4,510" in out
    assert "Assumed: A solves 0.6 and B 0.58 of the trials" in out
    with_correlation = plan_ahead(**ASSUMED, difference=0.02, correlation=0.9).table[0]
    without_correlation = plan_ahead(**ASSUMED, difference=0.02, correlation=0.0).table[0]
    assert with_correlation.questions_needed < 4510 < without_correlation.questions_needed
    assert plan_ahead(**ASSUMED, difference=0.02, between=0.9).table[0].trials_needed < 24


def test_refusals_of_plans_say_what_to_type(capsys) -> None:
    """Check the words of refusals, and that plan_ahead takes a difference or a margin, not both."""
    for args, words in (
        ([], "or scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02"),
        (["--n-questions", "200"], "--n-trials 4 --rate 0.6"),
        (["--n-questions", "200", "--n-trials", "4", "--rate", ".6"], "--difference 0.02 and --margin 0.02"),
        (["--n-questions", "200", "--n-trials", "4", "--rate", "60", "--difference", ".02"], "60% is 0.6"),
        (["--n-questions", "200", "--n-trials", "4", "--rate", ".6", "--difference", "2"], "2 points are 0.02"),
        (["--n-questions", "9", "--n-trials", "4", "--rate", ".1", "--difference", ".2"], "of the better model"),
        ([COINS, "--n-questions", "200"], "leave it out"),
        ([COINS, "--difference", "2"], "2 points are 0.02"),
        ([COINS, "--confidence", "95"], "95% is 0.95"),
        (["--dry-run"], "name a file"),
    ):
        assert main(["plan", *args]) == 2
        assert words in capsys.readouterr().err
    for options in ({"difference": 0.1, "margin": 0.1}, {}):
        with pytest.raises(InvalidInput) as e:
            plan_ahead(**ASSUMED, **options)
        assert e.value.code == "conflict"


# --- bare counts --------------------------------------------------------------------------------------


def test_counts_are_questions_of_one_trial(capsys) -> None:
    a, b = ([[1]] * c + [[0]] * (n - c) for c, n in ((47, 50), (52, 60)))
    x = interval((47, 50), (52, 60))
    for row, R in zip(x.table, (a, b), strict=True):
        r = eval.interval(R, questions="sampled")
        assert (row.rate.mu, row.rate.lo, row.rate.hi) == (r.mu, r.lo, r.hi)
    d = sinf.compare(a, b, questions="sampled", paired=False)
    assert (x.difference, x.lo, x.hi, x.p_value, x.significant) == (d.mu, d.lo, d.hi, d.p_value, d.significant)
    out = output_of(capsys, "interval", "47/50", "52/60")
    assert (
        "47/50 and 52/60 are not significantly different at 5% (difference 0.073, 95% CI -0.043 to 0.190; p = 0.21)"
        in out
    )
    assert "47/50 is significantly higher than 20/60" in output_of(capsys, "interval", "20/60", "47/50")
    assert "No realistic number of trials decides (about 444 times" in output_of(
        capsys, "interval", "470/500", "471/500"
    )


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (["50/47"], "did you mean 47/50?"), (["0/0"], "trials = 0"), (["1/1", "2/2"], "needs two or more"),
        (["1/2", "1/2", "1/2"], "make a leaderboard"), (["1/99999999"], "above"),
    ],
)  # fmt: skip
def test_refusals_of_counts_say_what_to_type(capsys, counts, words) -> None:
    assert main(["interval", *counts]) == 2
    assert words in capsys.readouterr().err
    for text in ("47", "47/", "a/b", "4.5/5", "47 / 50", "²/3"):
        with pytest.raises(SystemExit):
            main(["interval", text])
        assert "such as 47/50" in capsys.readouterr().err


# --- questions of few models --------------------------------------------------------------------------


def test_dead_questions_are_listed_for_one_model_and_for_two(capsys) -> None:
    for models in (["large"], ["large", "medium"]):
        e = read(COINS).select(models)
        x = e.items()
        rates = {q: np.mean([e[m].category_counts[i, 0] / e[m].trials[i] for m in models])
                 for i, q in enumerate(e.benchmark().ids)}  # fmt: skip
        assert {row.question: row.mean for row in x.table} == pytest.approx(rates)
        assert {row.question for row in x.table if row.dead} == {q for q, p in rates.items() if p in (0, 1)}
        assert [row.dead for row in x.table] == sorted((row.dead for row in x.table), reverse=True)
        assert x.reliability == {}
    assert {row.question for row in read(COINS).items().table} == {row.question for row in x.table}
    out = output_of(capsys, "items", COINS, "--model", "large")
    assert "always solved" in out
    assert "need three models or more" in out


def test_a_confidence_next_to_1_has_a_plan() -> None:
    """Check that the normal quantile is taken from the tail: 1 - (1 - confidence)/2 rounds to 1 here."""
    x = read(COINS).plan(difference=0.02, confidence=1.0 - 2.0**-53)
    assert x.table[0].trials_needed > read(COINS).plan(difference=0.02, confidence=0.999).table[0].trials_needed
    assert x.table[0].detectable_fixed > 0.0


def test_questions_are_planned_by_the_paired_t_test_and_signs() -> None:
    """Check the smallest number of questions for a power against a search one by one, with SciPy's quantiles."""
    rng, z = np.random.default_rng(3), norm.ppf(0.8)
    for M, rates, D in ((30, (0.5, 0.3), None), (40, (0.6, 0.6), 0.1), (9, (0.9, 0.1), None), (12, (0.95, 0.05), 0.9)):
        A, B = (rng.binomial(4, p, M) for p in rates)
        d = (A - B) / 4
        size = abs(d.mean()) if D is None else D
        expected = next(
            n for n in range(2, 20_000)
            if 2.0 ** (1 - n) <= 0.05 and (t.ppf(0.975, n - 1) + z) ** 2 * d.var(ddof=1) <= size**2 * n
        )  # fmt: skip
        pair = [Counts.from_successes(x, np.full(M, 4)) for x in (A, B)]
        assert sinf.questions_needed(*pair, difference=D) == expected


@pytest.mark.parametrize("option", ["--margin", "--difference"])
def test_a_target_of_next_to_nothing_is_planned(capsys: pytest.CaptureFixture[str], option: str) -> None:
    """Check sample sizes whose ratio to the present ones is no double: plan ended in an OverflowError."""
    assert main(["plan", COINS, option, "1e-300"]) == 0
    assert "times as much" in capsys.readouterr().out
