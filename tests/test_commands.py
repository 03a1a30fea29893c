"""The commands: they print what the package returns, and fail with one line."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from scorio import Counts, InvalidInput, converge, eval, evaluate, rank, read, simulate, sinf
from scorio.cli import COMMANDS, main, plot

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
TAU, TOOLS = str(EXAMPLES / "tau_bench_gpt4o_airline.csv"), str(EXAMPLES / "langchain_tool_use.csv")
NAMES = list(COMMANDS)
# commands whose inputs or outputs differ from those of the others
SPECIAL = ("rubric", "report", "plot", "gate", "judge", "battles", "interval", "receipt", "verify")


pytestmark = pytest.mark.usefixtures("plain_terminal")


@pytest.fixture
def run(capsys):
    def call(*args: str | Path) -> tuple[int, str, str]:
        code = main([*map(str, args)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def run_json(run):
    def call(*args: str | Path) -> dict:
        code, out, err = run(*args, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


@pytest.fixture(scope="module")
def coins(tmp_path_factory) -> Path:
    """Log of five models with success rates 0.2 .. 0.6 on 20 questions, 8 trials each."""
    path = tmp_path_factory.mktemp("coins") / "coins.csv"
    R = simulate.coins(np.tile(np.linspace(0.2, 0.6, 5)[:, None], 20), 8, seed=3)
    rows = [f"m{l},q{i},{j},{x}" for (l, i, j), x in np.ndenumerate(R)]
    path.write_text("model,question,trial,outcome\n" + "\n".join(rows) + "\n")
    return path


def refused(run, *args: str | Path) -> str:
    """Error message of a command that must be refused in one line."""
    code, out, err = run(*args)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("scorio: error: ")
    return err


@pytest.mark.parametrize("command", [["convert"], ["judge", "--draw", "2"]])
def test_missing_raise_is_obeyed_where_drop_is_the_default(run, tmp_path, command):
    path = tmp_path / "gap.csv"
    path.write_text("model,question,trial,outcome\na,1,1,1\na,1,2,\na,2,1,0\n")
    assert run(*command, path)[0] == 0
    assert ":3: outcome is missing" in refused(run, *command, path, "--missing", "raise")


# --- every command -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_help_has_examples_and_fits_the_terminal(capsys, name):
    with pytest.raises(SystemExit) as e:
        main([name, "--help"])
    out = capsys.readouterr().out
    assert e.value.code == 0
    assert f"  scorio {name} " in out
    assert "exit codes: 0" in out
    assert "--missing " in out or name in ("battles", "interval")
    assert max(map(len, out.splitlines())) <= 80


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert {line.split()[0] for line in out.splitlines() if re.match(r"    \w", line)} == set(NAMES)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "interval"])
def test_a_file_that_does_not_exist_is_an_error(run, name):
    first, more = (
        (["forest"], ["-o", "f.pdf"])
        if name == "plot"
        else ([], {"gate": ["--margin", "0.1"], "judge": ["--draw", "5"]}.get(name, []))
    )
    assert "nowhere.csv: No such file" in refused(run, name, *first, "nowhere.csv", *more)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("convert", *SPECIAL)])
@pytest.mark.parametrize("source", ["coins", "long"])
def test_the_text_is_80_wide_and_plain(run, tmp_path, coins, name, source):
    text = coins.read_text()
    for l in range(5) if source == "long" else ():
        text = text.replace(f"m{l},", f"organisation/{l}-a-model-with-漢字-and-a-very-long-name-{l} [red],")
    (tmp_path / "runs.csv").write_text(text)
    models = read(tmp_path / "runs.csv").models[:2] if name in ("compare", "changes") else []
    code, out, err = run(name, tmp_path / "runs.csv", *models)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    lines = [line for line in out.splitlines() if not line.startswith(("A  ", "B  ", "organisation"))]
    assert max(len(line) + sum(x in "漢字" for x in line) for line in lines) <= 80


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("convert", *SPECIAL)])
def test_csv_has_the_rows_of_json(run, run_json, coins, name):
    models = ["m0", "m1"] if name in ("compare", "changes") else []
    rows = run_json(name, coins, *models)["rows"]
    code, out, _ = run(name, coins, *models, "--csv")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        assert line == {key: "" if x is None else str(x) for key, x in row.items()}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("convert", *SPECIAL, "items")])
def test_missing_outcomes_are_always_reported(run, run_json, tmp_path, name):
    path = tmp_path / "runs.csv"
    body = "".join(
        f"{m},{q},{t},{int((q + t) % 3 > i)}\n" for i, m in enumerate("ab") for q in range(4) for t in range(3)
    )
    path.write_text("model,question,trial,outcome\n" + body.replace("a,0,1,1", "a,0,1,").replace("b,3,2,1\n", ""))
    models = ["a", "b"] if name in ("compare", "changes") else []
    assert "--missing 0 counts it as wrong" in refused(run, name, path, *models)
    assert any("Missing: 1 of" in x or "Missing: 2 of" in x
               for x in run_json(name, path, *models, "--missing", "0")["notes"])  # fmt: skip


@pytest.mark.parametrize("name", [n for n in NAMES if n not in (*SPECIAL, "items", "changes")])
def test_only_the_chosen_models_are_read(run_json, run, coins, name):
    if name == "convert":
        out = run(name, coins, "--model", "m3", "--model", "m1")[1]
        assert {line.split(",")[0] for line in out.splitlines()[1:]} == {"m1", "m3"}
    else:
        text = json.dumps(run_json(name, coins, "--model", "m3", "--model", "m1"))
        assert '"m3"' in text
        assert '"m0"' not in text
    assert "no model 'm9'" in refused(run, name, coins, "--model", "m9")


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
    result = run_json("compare", path)
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


def test_converge_needs_complete_trials(run, run_json, coins, tmp_path):
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


# --- convert -----------------------------------------------------------------------------------------


def test_convert_keeps_everything(run, tmp_path):
    source, long, counts = (tmp_path / f"{x}.csv" for x in ("source", "long", "counts"))
    source.write_text("model,question,trial,outcome,cluster\na,x,1,1,f\na,x,2,,f\na,y,1,0,g\na,y,2,1,g\n"
                      "b,y,1,1,g\n")  # fmt: skip
    assert run("convert", source, "-o", long)[:2] == (0, "")
    options = {"missing": "drop", "trials": True}
    before, after = read(source, **options), read(long, **options)
    assert before.models == after.models
    for a, b in ((before.log(m), after.log(m)) for m in before):
        assert (a.ids, a.clusters, a.missing) == (b.ids, b.clusters, b.missing)
        assert a.outcomes.tolist() == b.outcomes.tolist()
        assert a.counts.table.tolist() == b.counts.table.tolist()
    assert "--missing 0 counts it as wrong" in refused(run, "convert", source, "--to", "counts")
    code, out, err = run("convert", source, "--to", "counts", "--missing", "drop")
    assert code == 0
    assert out == "model,question,c,n,cluster\na,x,1,1,f\na,y,1,2,g\nb,y,1,1,g\n"
    assert "Missing: 1 of 5 outcomes, left out" in err
    counts.write_text(out)
    assert run("convert", counts)[1] == out
    assert "counts" in refused(run, "convert", counts, "--to", "long")


def test_convert_keeps_levels(run, tmp_path):
    source, converted = tmp_path / "source.csv", tmp_path / "converted.csv"
    source.write_text("question,outcome\nx,0.5\nx,0.1\ny,1\ny,0\n")
    assert "levels" in refused(run, "convert", source)
    converted.write_text(run("convert", source, "--w", "levels")[1])
    e, other = (read(x, w="levels", trials=True) for x in (source, converted))
    assert e.w == other.w == (0, 0.1, 0.5, 1)
    assert e.log("source").outcomes.tolist() == other.log("source").outcomes.tolist()
    assert "use --to long" in refused(run, "convert", source, "--w", "levels", "--to", "counts")
    graded = tmp_path / "graded.csv"
    graded.write_text("question,outcome\nx,2\nx,1\n")
    assert run("convert", graded, "--w", "0,3,7")[1].splitlines()[1:] == ["graded,x,1,2", "graded,x,2,1"]


def test_convert_refuses_a_folder_that_does_not_exist(run, tmp_path):
    assert "No such file" in refused(run, "convert", TAU, "-o", tmp_path / "no" / "where.csv")


def test_levels_are_scores_in_leaderboards_and_comparisons(run_json, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("model,question,outcome\na,x,0.5\na,x,1\nb,x,0\nb,x,0.25\n")
    result = run_json("leaderboard", path, "--w", "levels")
    assert result["w"] == [0, 0.25, 0.5, 1]
    assert [r["average"] for r in result["rows"]] == [0.75, 0.125]
    assert run_json("compare", path, "--w", "levels")["rows"][0]["difference"] == 0.625
    with pytest.raises(InvalidInput):
        read(path)


@pytest.mark.parametrize("name", ["leaderboard", "plan", "items", "rank", "extrapolate", "compare"])
def test_output_fits_forty_columns(run, coins, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "40")
    code, out, _ = run(name, coins, *(["m0", "m1"] if name == "compare" else []))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 40


def test_a_wide_terminal_draws_the_intervals(run, coins, monkeypatch):
    from scorio.render import text

    monkeypatch.setenv("COLUMNS", "160")
    plain = run("leaderboard", coins)[1]
    monkeypatch.setattr(text, "on_terminal", lambda: True)
    lines = re.sub("\x1b.*?m", "", run("leaderboard", coins)[1]).splitlines()
    bars = [re.search("[─-]*[●o][─-]*", line)[0] for line in lines if re.match(r"\d +m\d", line)]
    assert not set("─●") & set(plain)
    rows = read(coins).leaderboard().table
    assert len(bars) == len(rows)
    low, high = min(x.average.lo for x in rows), max(x.average.hi for x in rows)
    for bar, row in zip(bars, rows, strict=True):
        columns = [round((v - low) / (high - low) * (text.WIDEST - 1)) for v in row.average[2:4]]
        assert len(bar) == columns[1] - columns[0] + 1
    monkeypatch.setenv("COLUMNS", "60")
    assert not set("─●") & set(run("leaderboard", coins)[1])


# --- report ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_report_writes_the_file(run, coins, tmp_path):
    path = tmp_path / "report.html"
    args = ["report", coins, "--k", "2", "--title", "Coins <5>", "--replicates", "50"]
    code, out, err = run(*args, "-o", path)
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"{re.escape(str(path))}: 5 models, \d+ kB\n", out)
    text = path.read_text()
    assert "<h1>Coins &lt;5&gt;</h1>" in text
    assert f"scorio report {coins} --k 2" in text
    code, out, err = run(*args)
    assert (code, err) == (0, "")
    assert out.split("How this page was made")[0] == text.split("How this page was made")[0]


def test_report_states_missing_outcomes(run, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("model,question,outcome\na,x,1\na,x,\nb,x,0\nb,x,1\n")
    assert "--missing 0 counts it as wrong" in refused(run, "report", path)
    assert "Missing: 1 of 4 outcomes, left out" in run("report", path, "--missing", "drop")[1]
    assert "overwrite" in refused(run, "report", TAU, "-o", TAU)


# --- plot --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*plot.BY_METRIC, *plot.WITHOUT_METRIC, *plot.BY_TRIALS])
def test_plot_writes_a_picture(run, coins, tmp_path, kind):
    file = tmp_path / "f.pdf"
    code, out, err = run("plot", kind, coins, "-o", file, "--size", "3.25,2.5")
    assert (code, out, err) == (0, f"{file}: {kind} of 5 models\n", "")
    content = file.read_bytes()
    assert content.startswith(b"%PDF")
    assert b"/Type3" not in content  # Type 3 fonts, which some publishers refuse


@pytest.mark.slow
def test_plots_need_the_numbers_of_models_and_benchmarks_that_they_show(run, coins, tmp_path):
    file, size = tmp_path / "f.pdf", ["--size", "3.25,2.5"]
    assert run("plot", "power", coins, "--model", "m0", "--model", "m4", "-o", file, *size)[0] == 0
    assert run("plot", "pass_at_k", coins, "--model", "m1", "-o", file, *size)[:2] == (
        0,
        f"{file}: pass_at_k of 1 model\n",
    )
    assert "choose one with --model" in refused(run, "plot", "pass_at_k", coins, "-o", file)
    assert "two models" in refused(run, "plot", "power", coins, "-o", file)
    assert "one benchmark" in refused(run, "plot", "suite", coins, "-o", file)
    path, (head, *rows) = tmp_path / "suite.csv", coins.read_text().splitlines()
    path.write_text("\n".join([f"task,{head}", *(f"{t},{row}" for t in ("math", "code") for row in rows)]) + "\n")
    assert run("plot", "suite", path, "-o", file, *size)[:2] == (0, f"{file}: suite of 5 models\n")
    assert b"/Type3" not in file.read_bytes()


def test_plot_refuses_an_unknown_format(run, coins, tmp_path):
    assert "xyz" in refused(run, "plot", "forest", coins, "-o", tmp_path / "f.xyz")


# --- clusters ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_clusters_are_the_sampling_units_of_sampled_questions(run, run_json, tmp_path):
    path = tmp_path / "runs.csv"
    rows = [f"{m},q{i},{j},{int((i // 3 + j + l) % 3 > 0)},f{i // 3}" for l, m in enumerate("ab") for i in range(12)
            for j in range(4)]  # fmt: skip
    path.write_text("model,question,trial,outcome,cluster\n" + "\n".join(rows) + "\n")
    e = read(path)
    log = e.log("a")
    want = eval.interval(log.counts, questions="sampled", clusters=log.clusters)
    A, B = e["a"], e["b"]
    plain = {m: Counts(x.table) for m, x in {"a": A, "b": B}.items()}  # without ids and clusters
    assert want != eval.interval(plain["a"], questions="sampled")
    arguments = [path, "--questions", "sampled"]
    board = run_json("leaderboard", *arguments)
    assert [(r["lo"], r["hi"]) for r in board["rows"] if r["model"] == "a"] == [(want.lo, want.hi)]
    assert [(r["lo"], r["hi"]) for r in run_json("rank", *arguments)["rows"] if r["model"] == "a"] == [
        (want.lo, want.hi)
    ]
    assert run_json("compare", *arguments)["rows"][0]["a_lo"] == want.lo
    assert next(r["lo"] for r in run_json("evaluate", *arguments)["rows"] if r["model"] == "a") == want.lo
    for name in ("rank", "compare"):
        assert any("Clusters" in x for x in run_json(name, *arguments)["notes"])
        assert not any("Clusters" in x for x in run_json(name, path)["notes"])
    d = sinf.compare(A, B, questions="sampled")
    assert d == sinf.compare(plain["a"], plain["b"], questions="sampled", clusters=log.clusters)
    assert d.df < sinf.compare(plain["a"], plain["b"], questions="sampled").df
    row = run_json("compare", *arguments)["rows"][0]
    assert (row["p_value"], row["lo"]) == (d.p_value, d.lo)
    ranges = rank.ranges({"a": A, "b": B}, questions="sampled", clusters=log.clusters)
    assert {r["model"]: (r["best"], r["worst"]) for r in run_json("rank", *arguments)["rows"]} == ranges
    needed = sinf.questions_needed(A, B, clusters=log.clusters)
    assert (
        run_json("plan", path)["rows"][0]["questions_needed"] == needed != sinf.questions_needed(plain["a"], plain["b"])
    )
    assert any("Clusters" in x for x in board["notes"])
    text = run("report", *arguments)[1]
    assert "Clusters of questions" in text


# --- unusual inputs -------------------------------------------------------------------------------------


def csv_of(path: Path, rows: list[str], header: str = "model,question,trial,outcome") -> Path:
    path.write_text(header + "\n" + "\n".join(rows) + "\n")
    return path


def test_two_logs_of_scores_share_one_scale(run_json, tmp_path):
    a = csv_of(tmp_path / "a.csv", ["x,.5", "y,1", "z,0", "w,1"], "question,outcome")
    b = csv_of(tmp_path / "b.csv", ["x,1", "y,1", "z,1", "w,0"], "question,outcome")
    for pair, sign in (((a, b), -1), ((b, a), 1)):
        (row,) = run_json("compare", *pair, "--w", "levels")["rows"]
        assert sorted((row["a"], row["b"])) == [0.625, 0.75]
        assert row["difference"] == sign * 0.125


def test_two_logs_of_different_tasks_are_not_paired(run, tmp_path):
    for name, M in (("m3", 3), ("m5", 5)):
        np.save(tmp_path / f"{name}.npy", np.ones((M, 2), int))
    assert "3 questions in" in refused(run, "compare", tmp_path / "m3.npy", tmp_path / "m5.npy")
    assert "neither a model of the log nor a file" in refused(run, "compare", TAU, "nosuch.csv")


def test_missing_outcomes_are_counted_on_shared_questions(run_json, tmp_path):
    rows = ["a,1,0,1", "a,2,0,0", "a,3,0,", "a,4,0,", "b,1,0,1", "b,2,0,1"]
    path = csv_of(tmp_path / "runs.csv", rows)
    assert not any("Missing" in x for x in run_json("compare", path, "--missing", "0")["notes"])
    path = csv_of(tmp_path / "runs.csv", [*rows[:5], "b,2,0,"])
    assert any(
        "Missing: 1 of 4 outcomes, counted as 0" in x for x in run_json("compare", path, "--missing", "0")["notes"]
    )


def test_skipped_files_are_reported_also_where_models_are_chosen(run_json, tmp_path):
    csv_of(tmp_path / "runs.csv", ["a,1,0,1", "b,1,0,0", "a,2,0,1", "b,2,0,1"])
    (tmp_path / "README.md").write_text("no log")
    for name in ("leaderboard", "compare", "rank"):
        models = ["--model", "a", "--model", "b"]
        assert any("README.md" in x for x in run_json(name, tmp_path, *models)["notes"])


def test_plan_uses_the_questions_that_both_answered(run_json, tmp_path):
    counts = (("a", range(4), 9), ("b", range(2, 9), 5), ("c", range(9), 2))
    path = csv_of(tmp_path / "runs.csv", [f"{m},{q},{c},10" for m, ids, c in counts for q in ids], "model,question,c,n")
    e, rows = read(path), run_json("plan", path)["rows"]
    assert [(r["model"], r["average"], r["questions_now"]) for r in rows[:2]] == [("a", 0.9, 2), ("b", 0.5, 7)]
    assert rows[0]["trials_needed"] == sinf.trials_needed(e["a"].select([2, 3]), e["b"].select([0, 1]))


def test_plan_states_where_the_variance_is_an_upper_bound(run, run_json, tmp_path):
    path = csv_of(tmp_path / "runs.csv", [f"{m},{q},{int(q % 3 < i)},{1 + q % 2}" for i, m in enumerate("abc", 1)
                                          for q in range(9)], "model,question,c,n")  # fmt: skip
    out = run("plan", path, "--explain")[1]
    assert "1..2" in out
    assert "fewer trials may suffice" in " ".join(out.split())
    assert run_json("plan", path)["rows"][0]["bound"] is True
    assert "some questions have one trial" in " ".join(run("leaderboard", path, "--explain")[1].split())
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,1", "a,2,0,0"])
    out = " ".join(run("leaderboard", path, "--explain", "--questions", "fixed")[1].split())
    assert "one trial per question cannot measure the trial-to-trial variance" in out
    assert "some questions" not in out
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,1", "a,2,0,0", "a,3,0,1", "b,1,0,0", "b,2,0,0", "b,3,0,1"])
    assert "<= : all questions have one trial" in " ".join(run("plan", path, "--explain")[1].split())


def test_evaluate_states_the_target_of_its_intervals(run, run_json, coins):
    out = " ".join(run("evaluate", coins, "--questions", "sampled", "--confidence", "0.8", "--explain")[1].split())
    assert "80% CI for the population of similar questions" in out
    assert "questions" not in run_json("evaluate", coins, "--metrics", "bayes_ci", "--questions", "sampled")


def test_an_error_names_the_missing_parameter_of_a_metric(run, coins):
    assert "pass@k needs k: state it: --k 4, or --metric pass@4" in refused(run, "rank", coins, "--metric", "pass@k")
    assert "g-pass@k needs tau: state it: --tau" in refused(run, "rank", coins, "--metric", "g-pass@k", "--k", "2")


def test_errors_name_the_options(run, tmp_path):
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,", "a,2,0,0.5"])
    assert "--missing drop" in refused(run, "leaderboard", path)
    assert "--w levels" in refused(run, "leaderboard", path, "--missing", "drop")


@pytest.mark.parametrize("name", ["convert", "report"])
def test_the_log_is_never_overwritten(run, coins, tmp_path, name, monkeypatch):
    path = tmp_path / "runs.csv"
    path.write_text(coins.read_text())
    monkeypatch.chdir(tmp_path)
    for output in ("runs.csv", "./runs.csv", str(path)):
        assert "overwrite" in refused(run, name, "runs.csv", "-o", output)
    assert path.read_text() == coins.read_text()


def test_convert_states_missing_outcomes(run, tmp_path):
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,1", "a,2,0,"])
    assert "Missing: 1 of 2 outcomes, written as empty cells" in run("convert", path)[2]


def test_convert_quotes_carriage_returns(run, tmp_path):
    (tmp_path / "runs.jsonl").write_text('{"question":"a\\rb","outcome":1}\n')
    converted = tmp_path / "converted.csv"
    assert run("convert", tmp_path / "runs.jsonl", "-o", converted)[0] == 0
    assert read(converted).log("runs").ids == ["a\rb"]


def test_models_without_shared_questions_are_named(run, tmp_path):
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,1", "a,2,0,0", "b,3,0,1", "b,4,0,1"])
    for command in ("rank", "compare", "plan"):
        message = refused(run, command, path)
        assert "share no question: models are compared on questions with the same id; scorio leaderboard" in message
        assert "benchmark ''" not in message
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,1", "a,2,0,0", "b,2,0,1", "b,4,0,1"])
    assert "models 'a' and 'b' share only one question, where two are needed" in refused(run, "rank", path)


def test_extrapolation_of_scores_says_what_to_do(run, tmp_path):
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,.5", "a,1,1,0", "a,2,0,1", "a,2,1,.5"])
    message = refused(run, "extrapolate", path, "--k", "8", "--w", "levels")
    assert "write a table in which 1 is a success" in message
    assert "functions that take w" not in message
    code, out, _ = run("leaderboard", path, "--k", "2", "--w", "levels")  # Max@k: the message names it
    assert (code, "Max@2" in out) == (0, True)


def test_scores_are_not_counts(run, run_json, tmp_path):
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,.5", "a,2,0,0"])
    assert "--to long" in refused(run, "convert", path, "--w", "levels", "--to", "counts")
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,7", "a,2,0,-3"])
    assert any("Scores run from -3 to 7" in x for x in run_json("leaderboard", path, "--w", "levels")["notes"])
