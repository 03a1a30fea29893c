"""Commands: properties that all share; convert, report and plot; clusters and unusual inputs."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest
from commands import TAU, csv_of, refused

from scorio import Counts, InvalidInput, eval, rank, read, sinf
from scorio.cli import COMMANDS, HIDDEN, main
from scorio.commands import plot

NAMES = list(COMMANDS)
# commands whose inputs or outputs differ from those of the others
SPECIAL = ("rubric", "report", "plot", "gate", "judge", "battles", "interval", "receipt", "verify", "baseline",
           "history")  # fmt: skip


pytestmark = pytest.mark.usefixtures("plain_terminal")


@pytest.mark.parametrize("command", [["convert"], ["judge", "--draw", "2"]])
def test_missing_raise_is_obeyed_where_drop_is_the_default(run, tmp_path, command):
    path = tmp_path / "gap.csv"
    path.write_text("model,question,trial,outcome\na,1,1,1\na,1,2,\na,2,1,0\n")
    assert run(*command, path)[0] == 0
    assert ":3: outcome is missing" in refused(run, *command, path, "--missing", "raise")


# --- every command -----------------------------------------------------------------------------------


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert {line.split()[0] for line in out.splitlines() if re.match(r"    \w", line)} == {*NAMES} - HIDDEN
    assert len(NAMES) - len(HIDDEN) <= 16


@pytest.mark.parametrize("name", [n for n in NAMES if n != "interval"])
def test_a_file_that_does_not_exist_is_an_error(run, name):
    first, more = (
        (["forest"], ["-o", "f.pdf"])
        if name == "plot"
        else (["set"], ["--margin", ".1"])
        if name == "baseline"
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
    assert max(len(line) + sum(x in "漢字" for x in line) for line in out.splitlines()) <= 80


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
    assert any("Missing: 2 of 24 outcomes" in x for x in run_json(name, path, *models, "--missing", "0")["notes"])


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
    from scorio.page import text

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
        columns = [round((v - low) / (high - low) * (text.WIDEST - 1)) for v in (row.average.lo, row.average.hi)]
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


def test_a_dash_is_stdout(run, tmp_path, monkeypatch):
    """Check that -o - writes to stdout, as without -o, and no file of that name."""
    monkeypatch.chdir(tmp_path)
    assert run("convert", TAU, "-o", "-") == run("convert", TAU)
    assert run("receipt", TAU, "-o", "-")[1].startswith('{"schema"')
    assert "no file to write" in refused(run, "plot", "forest", TAU, "-o", "-")
    assert list(tmp_path.iterdir()) == []


# --- plot --------------------------------------------------------------------------------------------


OWN_OPTIONS = {"pareto", "pass_at_k", "power", "suite", plot.HISTORY}  # kinds of plots that take other options


@pytest.mark.slow
@pytest.mark.parametrize("kind", [x for x in plot.NAMES if x not in OWN_OPTIONS])
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
    assert "neither a file nor a model" in refused(run, "compare", TAU, "nosuch.csv")


def test_missing_outcomes_of_two_models_are_counted(run_json, tmp_path):
    rows = ["a,1,0,1", "a,2,0,0", "a,3,0,", "a,4,0,", "b,1,0,1", "b,2,0,1"]
    path = csv_of(tmp_path / "runs.csv", rows)
    notes = run_json("compare", path, "--missing", "drop", "--shared")["notes"]
    assert any("Missing: 2 of 6 outcomes, left out" in x for x in notes)
    notes = run_json("compare", path, "--missing", "0")["notes"]
    assert any("Missing: 4 of 8 outcomes, counted as 0" in x for x in notes)


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
    code, out, _ = run("leaderboard", path, "--k", "2", "--w", "levels")  # Max@k, as the message suggests
    assert (code, "Max@2" in out) == (0, True)


def test_scores_are_not_counts(run, run_json, tmp_path):
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,.5", "a,2,0,0"])
    assert "--to long" in refused(run, "convert", path, "--w", "levels", "--to", "counts")
    path = csv_of(tmp_path / "runs.csv", ["a,1,0,7", "a,2,0,-3"])
    assert any("Scores run from -3 to 7" in x for x in run_json("leaderboard", path, "--w", "levels")["notes"])
