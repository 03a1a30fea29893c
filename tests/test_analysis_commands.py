"""The commands compare, rank, plan, converge, evaluate and extrapolate print what the package returns."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from commands import TAU, TOOLS, refused

from scorio import Counts, InvalidInput, converge, eval, evaluate, rank, read, sinf

pytestmark = pytest.mark.usefixtures("plain_terminal")


# --- compare -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_compare_gives_the_numbers_of_sinf_compare(run_json, coins, questions):
    e = read(coins)
    A, B = e["m4"], e["m1"]
    result = run_json("compare", coins, "m4", "m1", "--k", "2", "--questions", questions, "--confidence", "0.9")
    options = {"questions": questions, "confidence": 0.9}
    for row, (metric, k) in zip(result["rows"], [("mean", None), ("pass_at_k", 2)], strict=True):
        d, a = sinf.compare(A, B, metric, k, **options), eval.interval(A, metric, k, **options)
        assert (row["metric"], row["k"]) == (metric, k)
        names = ("difference", *(x for x in d._fields[1:] if x != "dropped"))
        assert [row[x] for x in names] == list(d[:9])
        assert row["p_adjusted"] == row["p_value"]
        assert (row["a"], row["a_lo"], row["a_hi"]) == (a.mu, a.lo, a.hi)
    assert (result["models"], result["shared_questions"]) == (["m4", "m1"], 20)
    assert [x["questions"] for x in result["verdicts"]] == ["fixed", "sampled"]
    for x in result["verdicts"]:
        d = sinf.compare(A, B, questions=x["questions"], confidence=0.9)
        assert (x["p_value"], x["significant"]) == (d.p_value, d.significant)
        assert x["better"] == (None if not d.significant else "m4" if d.mu > 0 else "m1")


def test_compare_takes_two_logs_of_one_model(run_json, run, coins, tmp_path):
    for i, name in enumerate(("old", "new")):
        rows = [x.replace(f"m{i},", "gpt,") for x in coins.read_text().splitlines() if x.startswith(f"m{i},")]
        (tmp_path / f"{name}.csv").write_text("model,question,trial,outcome\n" + "\n".join(rows) + "\n")
    result = run_json("compare", tmp_path / "old.csv", tmp_path / "new.csv")
    assert result["models"] == [str(tmp_path / "old.csv"), str(tmp_path / "new.csv")]
    assert result["rows"] == run_json("compare", coins, "m0", "m1")["rows"]
    assert "has 5 models" in refused(run, "compare", coins, tmp_path / "new.csv")
    assert run_json("compare", coins, "--model", "m0", "--model", "m1")["models"] == ["m0", "m1"]


def test_compare_aligns_questions_by_their_ids(run_json, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("model,question,c,n\na,x,1,4\na,y,3,4\na,z,4,4\nb,z,2,4\nb,x,1,4\nb,w,0,4\n")
    result = run_json("compare", path, "--shared")
    e = read(path)
    A, B = e["a"].select([0, 2]), e["b"].select([1, 0])
    assert result["shared_questions"] == 2
    assert result["rows"][0]["difference"] == sinf.compare(A, B, questions="fixed").mu == 0.25


@pytest.mark.parametrize(
    ("args", "message"),
    [(["m0"], "this log has m0, m1, m2, m3 and 1 other"), (["m0", "m1", "m2"], "name two models"),
     (["m0", "m0"], "named twice"), (["m0", "m9"], "no model 'm9'"), (["m0", "m1", "--k", "9"], "k = 9")],
)  # fmt: skip
def test_invalid_pairs_of_models_are_refused(run, coins, args, message):
    assert message in refused(run, "compare", coins, *args)


# --- rank, plan, converge, evaluate ------------------------------------------------------------------


def test_rank_gives_the_ranges_of_rank_ranges(run_json, coins):
    e = read(coins)
    result = run_json("rank", coins, "--metric", "pass@k", "--k", "2", "--correction", "none")
    for target in ("fixed", "sampled"):
        want = rank.ranges(e.counts(), "pass@k", 2, questions=target, correction=None)
        assert {r["model"]: tuple(r[target]) for r in result["rows"]} == want
    assert [(r["best"], r["worst"]) for r in result["rows"]] == [tuple(r["fixed"]) for r in result["rows"]]
    for r in result["rows"]:
        x = eval.interval(e[r["model"]], "pass@k", 2, questions="fixed")
        assert (r["mu"], r["lo"], r["hi"], r["variance_source"]) == (x.mu, x.lo, x.hi, x.variance_source)


def test_rank_compares_pairs_on_shared_questions(run_json, tmp_path):
    path = tmp_path / "runs.csv"
    rows = [("a", "wxyz", 40), ("b", "yzw", 20), ("c", "zvw", 0)]
    path.write_text("model,question,c,n\n" + "".join(f"{m},{q},{c},40\n" for m, ids, c in rows for q in ids))
    result = run_json("rank", path)["rows"]
    assert [(r["model"], r["best"], r["worst"]) for r in result] == [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]


def test_one_model_has_no_rank(run):
    for name in ("rank", "plan", "converge"):
        assert "at least two" in refused(run, name, TAU)


def test_plan_gives_trials_needed_and_questions_needed(run_json, coins):
    logs = read(coins)
    rows = run_json("plan", coins, "--confidence", "0.975", "--power", "0.9")["rows"]
    plan = {"confidence": 0.975, "power": 0.9}
    assert [r["model"] for r in rows] == ["m4", "m3", "m2", "m1", "m0"]
    for r in rows[:-1]:
        A, B = logs[r["model"]], logs[r["next"]]
        assert (r["trials_needed"], r["questions_needed"]) == (
            sinf.trials_needed(A, B, **plan),
            sinf.questions_needed(A, B, **plan),
        )
        assert (r["trials_now"], r["questions_now"]) == (8, 20)
    for r in run_json("plan", coins, "--half-width", "0.01")["rows"]:
        A = logs[r["model"]]
        assert r["trials_needed"] == sinf.trials_needed(A, half_width=0.01)
        assert r["questions_needed"] == sinf.questions_needed(A, half_width=0.01)
        x = eval.mean_ci(A, questions="sampled")
        assert r["half_width_sampled"] == (x.hi - x.lo) / 2


@pytest.mark.parametrize("target", ["difference", "margin"])
def test_plan_takes_a_stated_difference_or_margin(run_json, run, coins, target):
    e = read(coins)
    result = run_json("plan", coins, f"--{target}", "0.02")
    assert (result["target"], result["size"]) == (target, 0.02)
    for r in result["rows"][:-1]:
        A, B = e[r["model"]], e[r["next"]]
        assert r["trials_needed"] == sinf.trials_needed(A, B, difference=0.02)
        assert r["questions_needed"] == sinf.questions_needed(A, B, difference=0.02)
    assert "two targets" in refused(run, "plan", coins, "--difference", "0.02", "--half-width", "0.1")


@pytest.mark.parametrize("power", ["0.4", "1", "nan"])
def test_plan_refuses_an_invalid_power(run, coins, power):
    assert "power" in refused(run, "plan", coins, "--power", power)


def test_plan_states_its_power(run, coins):
    text = " ".join(run("plan", coins, "--power", "0.9")[1].split())
    assert "detected with 90% power by a comparison at the 5% level" in text


def test_plan_has_a_table_of_power(run, run_json, coins):
    """Check that the power table reaches the power at the planned numbers, and rises with trials and questions."""
    command = ("plan", coins, "--model", "m0", "--model", "m1")
    result = run_json(*command)
    table, row = result["powers"], result["rows"][0]
    assert [r["trials"] for r in table][:2] in ([8, 16], [8, 32])  # if the needed number is appended, 16 is left out
    assert table[-1]["trials"] >= row["trials_needed"]
    assert [r["fixed"] >= 0.8 for r in table] == [r["trials"] >= row["trials_needed"] for r in table]
    assert result["power_questions"][0] == 20
    assert result["power_questions"][-1] >= row["questions_needed"]
    assert [p >= 0.8 for p in table[0]["sampled"]] == [row["questions_needed"] <= Q for Q in result["power_questions"]]
    for fewer, more in pairwise(table):
        assert fewer["fixed"] <= more["fixed"]
        assert all(a <= b for a, b in zip(fewer["sampled"], more["sampled"], strict=True))
    assert all(a <= b for r in table for a, b in pairwise(r["sampled"]))
    assert "power on these" in run(*command)[1]
    assert run_json("plan", coins)["powers"] == []


def test_plan_says_never_for_equal_models(run, tmp_path):
    (tmp_path / "runs.csv").write_text("model,question,c,n\na,x,1,4\nb,x,1,4\n")
    code, out, _ = run("plan", tmp_path / "runs.csv")
    assert code == 0
    assert "never" in out


def test_converge_gives_the_numbers_of_the_package(run_json, coins):
    e = read(coins, trials=True)
    R = {m: e.log(m).outcomes for m in e}
    result = run_json("converge", coins, "--replicates", "500", "--seed", "4")
    curve = converge.tau_curve(R, replicates=500, seed=4)
    stability = converge.bootstrap_convergence(R, replicates=500, seed=4)
    assert [r["n"] for r in result["rows"]] == curve.trials
    assert [r["tau_b"] for r in result["rows"]] == curve.tau_b
    assert [r["stable"] for r in result["rows"]] == [*stability.cdf, None]
    (each,) = result["each"]
    assert (each["never"], each["n_questions"], each["trials"], each["gaps"]) == (stability.never, 20, 8, False)


@pytest.mark.slow
def test_converge_needs_complete_trials(run, run_json, coins, tmp_path):
    """Check that converge uses the trials that all models have, and refuses counts and logs with a single trial."""
    path = tmp_path / "runs.csv"
    path.write_text(coins.read_text().replace("m2,q3,5,0", "m2,q3,5,").replace("m2,q3,5,1", "m2,q3,5,"))
    dropped = run_json("converge", path, "--missing", "drop", "--replicates", "10")
    assert any("Trials are missing: the first" in x for x in dropped["notes"])
    assert run_json("converge", path, "--missing", "0", "--replicates", "10")["rows"]
    path.write_text("model,question,c,n\na,x,1,4\nb,x,2,4\n")
    assert "counts" in refused(run, "converge", path)
    assert "one trial" in refused(run, "converge", TOOLS)
    shorter = "\n".join(x for x in coins.read_text().splitlines() if not (x.startswith("m1,") and ",7," in x))
    path.write_text(shorter)
    assert any("first 7 trials" in x for x in run_json("converge", path, "--replicates", "10")["notes"])


@pytest.fixture(scope="module")
def suite(coins, tmp_path_factory) -> Path:
    """Log of two benchmarks: the coins, and their first ten questions."""
    path, (head, *rows) = tmp_path_factory.mktemp("suite") / "suite.csv", coins.read_text().splitlines()
    first_half = [row for row in rows if int(row.split(",")[1][1:]) < 10]
    path.write_text(
        "\n".join([f"task,{head}", *(f"math,{x}" for x in rows), *(f"code,{x}" for x in first_half)]) + "\n"
    )
    return path


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("evaluate", ["--k", "2"]),
        ("extrapolate", ["--k", "16"]),
        ("converge", ["--replicates", "50"]),
        ("items", []),
        ("plan", ["--design"]),
    ],
)
def test_each_benchmark_of_several_gives_the_results_of_its_own_log(run_json, run, suite, coins, name, more):
    """Check that each benchmark in a log of several gives the same result as in a log of its own."""
    rows = run_json(name, suite, *more)["rows"]
    assert list(dict.fromkeys(r["benchmark"] for r in rows)) == ["math", "code"]
    alone = run_json(name, coins, *more)["rows"]
    assert [r | {"benchmark": ""} for r in rows if r["benchmark"] == "math"] == alone
    assert [r for r in rows if r["benchmark"] == "code"] == run_json(name, suite, *more, "--task", "code")["rows"]
    text = run(name, suite, *more)[1]
    assert all(re.search(rf"^(m0: )?{x}$", text, re.MULTILINE) for x in ("math", "code"))


def test_macro_averages_of_metrics_are_those_of_the_leaderboard(run_json, suite):
    """Check that macro-averages are the unweighted means over benchmarks and equal the leaderboard's."""
    result, board = run_json("evaluate", suite, "--k", "2"), run_json("leaderboard", suite, "--k", "2")
    for row in result["macro"]:
        values = [r["mu"] for r in result["rows"] if all(r[x] == row[x] for x in ("model", "metric", "k"))]
        assert len(values) == 2
        assert row["mu"] == pytest.approx(sum(values) / 2, abs=1e-15)
    means = {r["model"]: (r["mu"], r["lo"], r["hi"]) for r in result["macro"] if r["metric"] == "mean"}
    assert means == {r["model"]: (r["average"], r["lo"], r["hi"]) for r in board["rows"]}
    at_2 = {r["model"]: r["lo"] for r in result["macro"] if r["metric"] == "pass_at_k"}
    assert at_2 == {r["model"]: r["pass@2_lo"] for r in board["rows"]}
    assert run_json("evaluate", suite, "--metrics", "bayes_ci")["macro"] == []


def test_extrapolate_gives_the_numbers_of_eval_extrapolate(run_json, run, coins):
    e, result = read(coins), run_json("extrapolate", coins, "--k", "20", "--width", "0.3")
    for row in result["rows"]:
        counts = e[row["model"]]
        band = eval.extrapolate(counts, "pass@k", 20)
        assert [row[x] for x in ("lower", "upper", "low", "high", "unsolved")] == list(band[:5])
        model = eval.extrapolate_model(counts, "pass@k", 20, width=0.3)
        assert [row["fitted" if x == "model" else x] for x in model._fields] == list(model)
    assert {row["k"] for row in run_json("extrapolate", coins)["rows"]} == {16}
    text = " ".join(run("extrapolate", coins, "--k", "20", "--width", "0.3")[1].split())
    row = result["rows"][0]
    assert f"m0: Pass@20 is between {row['low']:.3f} and {row['high']:.3f} (95%)." in text


def test_extrapolate_takes_further_trials_of_some_questions(run_json, run, tmp_path):
    """Check --more with some questions of some models; unknown questions and models are refused."""
    head, first, more = "model,question,trial,outcome", tmp_path / "first.csv", tmp_path / "more.csv"
    c = {"a": [0, 1, 3, 4], "b": [0, 0, 4, 4]}
    rows = [f"{m},q{i},{t},{int(t < n)}" for m, x in c.items() for i, n in enumerate(x) for t in range(4)]
    first.write_text("\n".join([head, *rows]))
    more.write_text("\n".join([head, *(f"a,q{i},{t},{int(t == 7)}" for i in (1, 0) for t in range(8))]))
    rows = run_json("extrapolate", str(first), "--k", "20", "--more", str(more))["rows"]
    R, new = (Counts.from_successes(x, n) for x, n in ((c["a"], [4] * 4), ([1, 1, 0, 0], [8, 8, 0, 0])))
    assert rows[0]["low"] == eval.extrapolate(R, "pass@k", 20, more=new).low
    assert rows[0]["lo"] == eval.extrapolate_model(R, "pass@k", 20, more=new).lo
    assert rows[1] == run_json("extrapolate", str(first), "--k", "20")["rows"][1]
    with pytest.raises(InvalidInput, match="not an evaluation"):
        read(first).extrapolate(20, more=str(more))
    for line, words in (("a,q9,0,1", "q9"), ("c,q1,0,1", "no model 'c'")):
        more.write_text(f"{head}\n{line}")
        code, _, err = run("extrapolate", str(first), "--k", "20", "--more", str(more))
        assert code == 2
        assert words in err


@pytest.mark.slow
def test_evaluate_gives_the_numbers_of_the_package(run_json, run, coins):
    e = read(coins)
    rows = run_json("evaluate", coins, "--k", "2,4", "--tau", "0.5", "--questions", "sampled")["rows"]
    options = {"k": [2, 4], "tau": 0.5, "questions": "sampled", "confidence": 0.95}
    want = [(f"m{i}", row) for i in range(5) for row in evaluate(e[f"m{i}"], **options)]
    assert [tuple(r.values()) for r in rows] == [("", m, *row[:9]) for m, row in want]  # all but the bounds
    (row, *_) = run_json("evaluate", coins, "--metrics", "bayes_ci,pass_at_k_ci", "--k", "2", "--confidence", "0.5")[
        "rows"
    ]
    assert (row["mu"], row["lo"]) == eval.bayes_ci(e["m0"], confidence=0.5)[::2]
    assert run_json("evaluate", coins, "--metrics", "bayes")["rows"][0]["mu"] == eval.bayes(e["m0"]).mu
    assert "'median'" in refused(run, "evaluate", coins, "--metrics", "median")


def test_options_of_the_other_kind_of_plan_are_refused(run, coins):
    """Check that scorio plan does not ignore options: those of designs without --design, and the others with it."""
    assert "--se is for a plan with --design" in refused(run, "plan", coins, "--se", "0.02")
    assert "--max-trials is for a plan with --design" in refused(run, "plan", coins, "--max-trials", "8")
    assert "--margin is for a plan without --design" in refused(run, "plan", coins, "--design", "--margin", "0.02")
