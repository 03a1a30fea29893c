"""Inputs that a newcomer types work, or the message says what to type; output explains its numbers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import written as tools

import scorio
from scorio import InvalidInput, plot, read, sinf
from scorio.cli import main
from scorio.display.terms import MARKS
from scorio.readers.listing import prompts

COINS = str(Path(__file__).resolve().parents[1] / "spec" / "examples" / "coins.csv")


def printed(capsys, *args: str) -> tuple[int, str]:
    """Exit code of a command, and its output and error output joined into one line."""
    try:
        code = main([*args])
    except SystemExit as e:
        code = int(e.code or 0)
    return code, " ".join("".join(capsys.readouterr()).split())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rank COINS --metric passk", "did you mean 'pass@k'?"),
        ("rank COINS --metric Pass-K", "did you mean 'pass@k'?"),
        ("evaluate COINS --metrics passk", "did you mean 'pass@k'?"),
        ("extrapolate COINS --metric passk", "did you mean 'pass@k'?"),
        ("rank COINS --metric pass@k", "--k 4, or --metric pass@4"),
        ("rank COINS --metric pass@4 --k 2", "leave out k = 2"),
        ("rank COINS --metric g-pass@k --k 2", "--tau 0.5"),
        ("leaderboard COINS --metric pass@4", "--k 4 adds Pass@4"),
        ("gate COINS large medium --margin 2", "2 points are 0.02"),
        ("gate COINS large --at-least 90", "did you mean 0.9?"),
        ("compare COINS large medium --confidence 95", "95% is 0.95"),
        ("plan COINS --difference 2", "2 points are 0.02"),
        ("plan COINS --n-questions 200", "scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02"),
        ("plan --n-questions 200", "scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02"),
        ("plot forest COINS -o f.svg --size .2,.2", "such as 3.25 or 7,4"),
        ("plot forest COINS -o f.svg --size 3,2,1", "such as 3.25 or 7,4"),
        ("leaderboard COINS --model lrge", "did you mean 'large'?"),
        ("compare COINS lrge medium", "did you mean 'large'?"),
        ("leaderboard BATTLES", "scorio battles FILE"),
        ("leaderboard COINS --columns qestion=item,outcome=score", "did you mean 'question'?"),
        ("leaderboard LOGS", "--columns question=item,outcome=score,model=llm"),
        ("leaderboard HEADLESS", "model,question,outcome"),
        ("leaderboard HUGE", "--columns outcome=COLUMN"),
        ("leaderboard BIG", "leave it out"),
        ("leaderboard MIXED", "--outcomes fail=1 for a success, fail=0"),
        ("leaderboard LOGS --columns question=itm,outcome=score", "--columns question=item,outcome=score"),
        ("leaderboard LINES --columns question=itm,outcome=score", "--columns question=item,outcome=score"),
        ("leaderboard COINS --cost tokns", "the columns are"),
        ("plot pareto COINS -o f.svg", "--cost COLUMN"),
        ("interval 47", "such as 47/50"),
        ("interval 50/47", "did you mean 47/50?"),
        ("leaderboard LOGZ", "did you mean 'names.csv'?"),
        ("leaderboard WIDE", "if each column is a model: scorio leaderboard"),
        ("leaderboard WHICH", "--which acc,none, and after that: if its folders name the models, add --layout"),
        ("rank COINS --metric pass@64", "scorio evaluate coins.csv --extrapolate --k 64"),
        ("rank COINS --metric pass@0", "k = 0 is below 1"),
        ("plan COINS --model large", "--half-width 0.05"),
        ("leaderboard SIGNS", "--scale=-1,1"),
        ("leaderboard PERCENT", "--w levels"),
        ("leaderboard POINTS", "--scale=0,100"),
        ("leaderboard COMMA", "--w levels"),
        ("leaderboard WORD", "--outcomes Paris=1 for a success, Paris=0"),
        ("leaderboard MATRIX", "numpy"),
        ("leaderboard REWARDS", "--columns question=prompt,outcome=reward"),
        ("leaderboard FOLDER", "--columns question=prompt,outcome=reward"),
        ("leaderboard EMPTY", "scorio help files"),
        ("report COINS -o r.pdf", "write it to 'r.html'"),
        ("report COINS large -o r.html", "models are chosen with --model large"),
        ("plan COINS large medium --difference .02", "models are chosen with --model large --model medium"),
        (
            "items COINS large medum",
            "neither a file nor a model; the log has 'large', 'medium', 'small' and 'tiny', did you mean 'medium'?",
        ),
        ("gate COINS large medium --margin 2%", "write 0.02 (see scorio gate --help)"),
        ("gate COINS large medium --margin .01 --inconclusive pass", "(see scorio gate --help)"),
        ("evaluate COINS --k 64", "scorio evaluate coins.csv --extrapolate --k 64"),
        ("plot COINS", "argument KIND: invalid choice: 'coins.csv' (choose from forest,"),
        ("plot forest COINS", "-o forest.pdf"),
        ("plot forest COINS -o f.svg --width 3.25", "did you mean '--size'?"),
        ("battles BATTLES gpt claude", "see scorio battles --help"),
        ("battles BATTLES --anchor gpt-4-0613(function)", "did you mean 'gpt-4-0613 (functions)'?"),
        ("battles VOTES", "--columns model_a=left,model_b=right,winner=vote"),
        ("battles VOTES --columns model_a=lft,model_b=right,winner=vote", "did you mean 'left'?"),
        ("battles COINS", "scorio leaderboard coins.csv"),
        ("plan COINS large zzz", "the log has 'large', 'medium', 'small' and 'tiny'"),
        ("extrapolate POINTS --k 64", "--scale=0,100"),
        ("leaderboard SHARES", "--scale=0,100"),
        ("leaderboard SHARES --scale 0,10", "--scale=0,100"),
        ("leaderboard TENS", "--scale=0,10"),
        (
            "leaderboard COINS --columns outcome=correct",
            "the column outcome is read by its own name, leave --columns out",
        ),
        ("leaderboard COINS --columns question=question,outcome=correct", "leave --columns out"),
        ("leaderboard SCORED", "--columns outcome=score"),
        ("leaderboard SCORED --columns outcome=scor", "--columns outcome=score"),
        (
            "leaderboard WHICH --files-are-runs --which acc_nrm",
            "matches none of 'acc,none', 'acc_norm,none': choose one with --which gsm8k=acc_norm,none",
        ),
        ("leaderboard TASKS --task adition", "did you mean 'addition'?"),
        ("judge COINS --labels LABELS", "rename its column human to label"),
        ("judge COINS --labels NO_TRIAL", "add a column trial"),
    ],
)
def test_a_message_says_what_to_type(capsys, tmp_path, monkeypatch, line, words) -> None:
    """Check that a command is refused with these words; a word in capitals stands for a file that the test writes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.csv").write_text("llm,item,score\na,q1,1\nb,q1,0\n")
    paths = {
        "COINS": "coins.csv",
        "BATTLES": COINS.replace("coins", "battles"),
        "LOGS": "names.csv",
        "LOGZ": "nams.csv",  # misspelt: there is no such file
    }
    paths |= {"WHICH": "which", "FOLDER": "folder", "EMPTY": "empty"}
    two_metrics = {"metrics": ["acc", "acc_norm"], "acc_norm": 0, "filter": "none"}
    for model in "ab":
        tools.lm_eval_file(tmp_path / "which" / model, [tools.lm_eval_line(0, 1) | two_metrics | {"acc": 1}])
    reward = '{"prompt": "p", "reward": 1}\n'
    for folder in ("folder", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "folder" / "log.jsonl").write_text(reward)
    coins = Path(COINS).read_bytes()
    (tmp_path / "coins.csv").write_bytes(coins)
    for name, content in {
        "VOTES": "left,right,vote\na,b,a\n",
        "SHARES": "question,outcome\nq1,6.25\nq2,100\n",
        "TENS": "question,outcome\nq1,6.25\nq2,9\n",
        "SCORED": "model,question,score\na,q1,1\n",
        "TASKS": "model,task,question,outcome\na,addition,q1,1\n",
        "LABELS": "model,question,trial,human\nlarge,q1,1,1\n",
        "NO_TRIAL": "model,question,label\nlarge,q1,1\n",
        "HEADLESS": "a,q1,1\na,q2,0\nb,q1,1\n",
        "HUGE": f"question,outcome\nq1,1\nq2,{'9' * 5001}\n",
        "BIG": f'{{"question": "q", "outcome": {"9" * 5001}}}\n',
        "MIXED": "question,outcome\nq1,correct\nq2,fail\n",
        "WIDE": "question,gpt,claude\nq1,1,0\nq2,1,1\n",
        "SIGNS": "question,outcome\nq1,1\nq2,-1\n",
        "PERCENT": "question,outcome\nq1,50%\n",
        "POINTS": "question,outcome\nq1,62.5\n",
        "COMMA": "question;outcome\nq1;0,5\n",
        "WORD": "question,outcome\nq1,Paris\n",
        "MATRIX": "0,1,1,0,1\n1,1,0,0,1\n",
        "REWARDS": reward,
        "LINES": '{"item": "q1", "score": 1}\n{"item": "q2", "score": 0}\n',
    }.items():
        paths[name] = f"{name}.{'csv' if content[0] != '{' else 'jsonl'}"
        (tmp_path / paths[name]).write_text(content)
    code, text = printed(capsys, *(paths.get(x, x) for x in line.split()))
    assert code == 2
    assert words in text


@pytest.mark.parametrize(
    "line",
    [
        "rank COINS --metric pass@4", "compare COINS large medium --k 4", "evaluate COINS --metrics pass@4",
        "gate COINS large medium --margin .05 --metric pass@4", "extrapolate COINS --metric pass@64",
        "converge COINS --metric pass@4 --replicates 20",
        "plot forest COINS --metric pass@4 -o f.svg", "plot forest COINS -o f.svg --size 3.25",
        "plot pass_at_k COINS --model large --metric pass@64 -o f.svg", "leaderboard wide.csv --wide",
        "leaderboard signs.csv --scale -1,1",
    ],
)  # fmt: skip
def test_commands_work_as_typed(capsys, tmp_path, monkeypatch, line) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wide.csv").write_text("question,gpt,claude\nq1,1,0\nq2,1,1\n")
    (tmp_path / "signs.csv").write_text("question,outcome\nq1,1\nq2,-1\n")
    code, text = printed(capsys, *line.replace("COINS", COINS).split())
    assert code == 0, text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gate COINS large --at-least .7", "p-value 0.048, if the score were 0.7 or less: at most 0.025 is needed"),
        (
            "gate COINS large medium --margin .02",
            "p = 0.042, if the candidate were worse by the margin: at most 0.025 is needed)",
        ),
        ("gate COINS large --at-least .7 --explain", "may be wider than that of leaderboard"),
        ("items COINS", "q21 .625 <-1 -.0071"),
        ("items COINS", "q31 .500 .00"),
        ("items COINS", "No dead question."),
        ("plan COINS --explain", "trials needed: per question"),
        ("battles BATTLES --explain", "100 points more win 64% of battles; the mean has 1000."),
        ("battles BATTLES --explain", "differed at one of 11 looks at a growing table in 10% of runs"),
        ("agreement COINS", "with these raters."),
        ("agreement COINS --explain", "raters of different severity it covered in 87% to 89%"),
        ("leaderboard COINS --explain", "Each metric has its own error rate: of equal models"),
        ("evaluate COINS --k 2 --explain", "Each metric has its own error rate: of equal models"),
        ("compare COINS large medium --k 2,4", "8 differs significantly at 5% in up to 12.5% of evaluations"),
        ("leaderboard COINS --explain", "seed, server or prompt) 95% intervals covered in 66% to 91%"),
        ("compare SAME --explain", "A difference of 0 has an interval too"),
        ("compare COINS large medium", "The lead of large over medium survives any one wrong answer key"),
        ("extrapolate COINS --k 64 --explain", "95% of evaluations, without a model."),
        ("extrapolate COINS --k 64 --explain", "as with log-uniform rates (0 of 80 runs"),
        ("judge COINS --labels HUNDRED --model large", "and verdicts are on another scale"),
        ("report COINS --replicates 20", ", adjusted for all pairs,"),
    ],
)
def test_output_explains_its_numbers(capsys, tmp_path, monkeypatch, line, words) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "same.csv").write_text("question,a,b\n" + "".join(f"q{i},{i % 2},{i % 2}\n" for i in range(20)))
    rows = "".join(f"large,q{i},1,{i % 2 * 100}\n" for i in range(1, 30))
    (tmp_path / "hundred.csv").write_text(f"model,question,trial,label\n{rows}")
    paths = {"COINS": COINS, "BATTLES": COINS.replace("coins", "battles"), "SAME": "same.csv", "HUNDRED": "hundred.csv"}
    wide = ["--wide"] if "SAME" in line else []  # same.csv has a column for each model
    code, text = printed(capsys, *(paths.get(x, x) for x in line.split()), *wide)
    assert code in (0, 3), text
    assert words in text
    if "extrapolate" in line:
        assert "band" not in text  # a word that the output does not explain


def test_a_monitor_takes_the_models_of_logs_by_the_ids_of_their_questions(tmp_path) -> None:
    for name, rows in {"new": ["q1,1", "q2,1", "q3,0"], "base": ["q3,0", "q2,1", "q1,1"]}.items():
        (tmp_path / f"{name}.csv").write_text("question,outcome\n" + "".join(f"{row}\n" * 4 for row in rows))
    e, base = (read(tmp_path / f"{name}.csv") for name in ("new", "base"))
    with pytest.raises(InvalidInput, match=r"A is an evaluation: give the counts of one model, e\['new'\]") as error:
        sinf.Monitor(planned=4, questions="fixed").look(e, base)
    assert error.value.code == "type"
    with pytest.raises(InvalidInput, match="A is an evaluation"):
        sinf.compare(e, base, questions="fixed")
    x = sinf.compare(e["new"], base["base"], questions="sampled")
    assert (x.mu, x.sigma) == (0.0, sinf.compare([[1] * 4, [1] * 4, [0] * 4], [[1] * 4, [1] * 4, [0] * 4],
                                                 questions="sampled").sigma)  # fmt: skip
    look = sinf.Monitor(planned=8, questions="fixed").look(e["new"], base["base"])
    assert str(look).startswith("continue: 50% of the plan, difference 0.000, ")


def test_a_metric_with_its_number_is_the_metric_with_that_k() -> None:
    e = read(COINS)
    for name in ("pass@4", "Pass@4", "pass_at_4"):
        assert e.rank(name).table == e.rank("pass@k", 4).table
    assert e.gate("large", "medium", "pass^2", margin=0.1).metric == "Pass^2"
    assert e.metrics(["pass@2", "pass@4"]).k == (2, 4)
    with pytest.raises(InvalidInput) as error:
        e.rank("pass@0")
    assert error.value.code == "range"
    for name in ("pass@", "pass@" + "9" * 5001, "mean4", "pass@4.5"):
        with pytest.raises(InvalidInput) as error:
            e.rank(name)
        assert error.value.code == "choice"
    curve = plot.pass_at_k(e["large"], 64, "pass@64")
    assert curve.lines[0].get_ydata().tolist() == plot.pass_at_k(e["large"], 64).lines[0].get_ydata().tolist()
    with pytest.raises(InvalidInput) as error:
        plot.pass_at_k(e["large"], 64, "pass@32")
    assert (error.value.code, error.value.argument) == ("conflict", "k")


def test_correct_and_wrong_are_outcomes(tmp_path) -> None:
    """Check that correct, wrong, right and incorrect are outcomes, in any case of letters."""
    path = tmp_path / "a.csv"
    path.write_text("question,outcome\nq1,correct\nq2,wrong\nq3,Right\nq4,incorrect\n")
    assert read(path)["a"].table.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]


def test_labels_may_be_words(tmp_path, capsys) -> None:
    e = read(COINS, trials=True)
    rows = [(m, q, 1, i % 3 > 0) for m in e.models for i, q in enumerate(e.log(m).ids)]

    def labels_file(right: str, wrong: str, more: str = "") -> Path:
        path = tmp_path / f"{right}.csv"
        lines = [f"{m},{q},{t},{right if x else wrong}" for m, q, t, x in rows]
        path.write_text("\n".join(["model,question,trial,label", *lines, more]) + "\n")
        return path

    assert e.judge(labels_file("correct", "wrong")).table == e.judge(labels_file("1", "0")).table
    with pytest.raises(InvalidInput) as error:
        e.judge(labels_file("correct", "wrong", f"{rows[0][0]},{rows[0][1]},2,5"))
    assert error.value.code == "type"
    code, text = printed(capsys, "judge", COINS, "--labels", str(labels_file("", "")))
    assert code == 2
    assert "fill in its column label" in text


def test_labels_of_omitted_models_are_ignored(tmp_path, capsys) -> None:
    """Check that labels of omitted models are ignored, and labels of unknown models are an error."""
    e = read(COINS, trials=True)
    rows = [{"model": m, "question": f"q{i}", "trial": 1, "label": i % 2} for m in e.models for i in range(1, 21)]
    one = e.select("large")
    assert one.judge(rows).table == one.judge([x for x in rows if x["model"] == "large"]).table
    assert {*e.models} - {"large"} == one.others == one.select("large").others
    with pytest.raises(InvalidInput, match="'lrge'"):
        one.judge([*rows, rows[0] | {"model": "lrge"}])
    shares = [x | {"label": 100 * x["label"]} for x in rows]
    assert "scores from 0 to 100, and verdicts are on another scale" in " ".join(str(e.judge(shares)).split())


def test_commands_give_notices_and_hints(tmp_path, capsys, monkeypatch) -> None:
    """Check messages on a wrong file ending, long output on a terminal, dead questions, omitted rows and plans.

    Also the exit codes in the help, and the policies that a refusal lists.
    """
    with pytest.raises(InvalidInput, match=r"a report is HTML, not \.md"):
        read(COINS).report(replicates=2).save(tmp_path / "r.md")
    assert not [*tmp_path.iterdir()]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "-o report.html" in printed(capsys, "report", COINS)[1]
    text = printed(capsys, "items", COINS)[1]
    assert "No dead question." in text
    assert "... and 20 more questions: --top 40 lists all" in text
    _, brief = printed(capsys, "plan", COINS)
    _, full = printed(capsys, "plan", COINS, "--explain")
    assert full.startswith(brief.strip())
    assert len(full) > len(brief)
    text = printed(capsys, "help", "gate")[1]
    assert "exit codes: 0 pass, 1 fail, 2 invalid" in text
    assert "3 inconclusive, 130" in text
    with pytest.raises(InvalidInput, match='"bounds"'):
        read({"a": [[1]]}, missing="zero")


def test_plans_have_a_minimum() -> None:
    """Check that plans of gates allow for the exact bound, whose end may be as far from the difference as that of t."""
    from scorio.commands.plan import plan_ahead

    design = {"n_trials": 4, "rate": 0.99, "n_questions": 200}
    gate = plan_ahead(**design, margin=0.02)
    required = np.log(0.025) / np.log1p(-0.02 * 1.959964 / (1.959964 + 0.841621))
    assert gate.table[0].questions_needed == np.ceil(required)
    power = plan_ahead(n_trials=4, rate=0.99, n_questions=int(np.ceil(required)), margin=0.02).powers[0].sampled[0]
    assert power >= 0.8
    equal = {m: [[1] * 4] * 39 + [[1, 1, 1, 0]] for m in "ab"}
    assert read(equal).plan(margin=0.02).table[0].questions_needed >= np.ceil(required)
    assert read(equal).plan(margin=0.02).table[0].trials_needed >= np.ceil(required / 40)


def test_predictions_without_results_say_how_to_score_them(tmp_path) -> None:
    run = tmp_path / "outputs" / "20260101"
    for folder in ("predictions/a", "predictions/b", "results/a"):
        (run / folder).mkdir(parents=True)
    (run / "results" / "a" / "gsm8k.json").write_text(
        '{"accuracy": 100, "details": [{"example_abbr": "x", "correct": true}]}'
    )
    assert any("--mode eval --reuse 20260101" in x and "b" in x for x in read(run).provenance.remarks)


def test_a_missing_function_names_the_method() -> None:
    with pytest.raises(AttributeError, match=r"scorio\.read\(x\)\.leaderboard\(\)"):
        scorio.leaderboard  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        scorio.nothing  # noqa: B018


def test_arrays_of_far_more_trials_than_questions_get_a_note() -> None:
    R = np.random.default_rng(1).integers(0, 2, (16, 200))
    assert "If they are trials, read R.T." in " ".join(str(read({"a": R}).leaderboard()).split())
    assert "R.T" not in str(read({"a": R.T}).leaderboard())


def test_a_table_omits_no_note(tmp_path, capsys) -> None:
    """Check that a table with many notes shows them all, and that --explain adds only the meaning of its columns."""
    path = tmp_path / "log.csv"
    rows = [f"{m},q{q},{(q + t) % 5 * 10}" for m in "ab" for q in range(6 + (m == "b")) for t in range(3)]
    path.write_text("model,question,outcome\n" + "\n".join([*rows, "a,q1,", "b,q9,"]) + "\n")
    call = ["leaderboard", str(path), "--w", "levels", "--missing", "drop"]
    _, brief = printed(capsys, *call)
    _, full = printed(capsys, *call, "--explain")
    for note in ("Models answered different questions", "Missing: 9 of 48", "Scores run from 0 to 40"):
        assert note in " ".join(brief.split())
    assert full.startswith(brief.rstrip())
    assert len(brief) < len(full)


def test_the_heading_names_the_current_folder(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "a.csv").write_text(Path(COINS).read_text())
    monkeypatch.chdir(tmp_path / "evals")
    assert printed(capsys, "leaderboard", ".")[1].startswith("evals: 4 models")


def test_python_m_scorio_runs_commands() -> None:
    process = subprocess.run([sys.executable, "-m", "scorio", "interval", "3/4"], capture_output=True, text=True)
    assert ".750" in process.stdout


def test_a_wide_frame_is_read() -> None:
    """Check a frame with a column for each model, and the messages without wide=True or without a column question."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"question": ["q1", "q2", "q1", "q2"], "gpt": [1, 0, 1, 1], "claude": [0, 0, 0, 1]})
    e = read(frame, wide=True)
    assert {m: e[m].table.tolist() for m in e.models} == {"gpt": [[0, 2], [1, 1]], "claude": [[2, 0], [1, 1]]}
    for data, options, words in (
        (frame, {}, "wide=True"),
        (frame.drop(columns="question"), {}, "wide=True"),
        (frame.drop(columns="question"), {"wide": True}, "reset_"),
    ):
        with pytest.raises(InvalidInput, match=words) as error:
            read(data, **options)
        assert (error.value.code, error.value.argument) == ("format", "frame")


def test_plans_that_need_too_much_suggest_options() -> None:
    """Check plans of equal models and of tiny differences: the text names the difference that the data can detect."""
    equal = read({"a": [[1], [0]], "b": [[0], [1]]}).plan()
    assert equal.table[0].trials_needed is None
    assert "--difference" in str(equal)
    tiny = read(COINS).plan(difference=0.001)
    row = tiny.table[0]
    assert row.trials_needed > 20 * row.trials_now
    assert row.questions_needed > 20 * row.questions_now
    detectable = max(x.detectable_fixed or 0.0 for x in tiny.table)  # that of every pair which needs too much
    assert f"{detectable:.2g} on these questions" in " ".join(str(tiny).split())
    with pytest.raises(InvalidInput) as error:
        read(COINS).select("large").plan()
    assert (error.value.code, error.value.hint) == ("shape", "alone")


@pytest.mark.parametrize("target", ["difference", "margin"])
def test_the_power_table_agrees_with_what_is_needed(target) -> None:
    """Check that the last row of the power table has the trials needed and its last column the questions."""
    e = read(COINS).select(["large", "medium"])
    x = e.plan(**{target: 0.025})
    assert 8 * x.table[0].trials_now < x.table[0].trials_needed == x.powers[-1].trials
    assert x.powers[-1].fixed >= 0.8 > x.powers[-2].fixed
    y = e.plan(**{target: 0.04})
    assert 4 * y.table[0].questions_now < y.table[0].questions_needed == y.power_questions[-1]
    assert y.powers[0].sampled[-1] >= 0.8 > y.powers[0].sampled[-2]


def test_compare_explains_itself_on_request(capsys, tmp_path) -> None:
    """Check that verdicts come first and --explain explains p-values; marks in the table are always explained."""
    _, brief = printed(capsys, "compare", COINS, "large", "medium")
    _, full = printed(capsys, "compare", COINS, "large", "medium", "--explain")
    assert full.startswith(brief.strip())
    assert "two-sided p-value" not in brief
    assert "two-sided p-value" in full
    path = tmp_path / "once.csv"
    path.write_text("model,question,outcome\n" + "".join(f"{m},q{q},{q % 3 > i}\n" for i, m in enumerate("ab")
                                                         for q in range(9)))  # fmt: skip
    code, once = printed(capsys, "compare", str(path), "--questions", "fixed")
    assert code == 0
    mark = MARKS["upper bound"]
    assert f"]{mark}" in once
    assert f" {mark} " in once.partition(" p ")[2].replace(f"]{mark}", "")


def test_a_map_of_comparisons_at_column_width_can_be_read() -> None:
    """Check a map of 4 models at 3.25 inches: no number overlaps another or the edge, and it has a legend."""
    plt = pytest.importorskip("matplotlib.pyplot")
    figure, ax = plt.subplots(figsize=(3.25, 2.6), layout="constrained")
    plot.comparisons(read(COINS), ax=ax, questions="sampled")
    figure.canvas.draw()
    numbers = [x for x in ax.texts if x.get_text()[:1] in "+-\N{MINUS SIGN}" and x.get_text()[1:].strip(".").isdigit()]
    assert len(numbers) == 6
    boxes = [x.get_window_extent() for x in numbers]
    assert all(figure.bbox.x0 <= b.x0 and b.x1 <= figure.bbox.x1 for b in boxes)
    assert not any(b.overlaps(c) for i, b in enumerate(boxes) for c in boxes[:i])
    words = [x.get_text() for x in figure.findobj(lambda x: hasattr(x, "get_text"))]
    assert any("not significantly different at 5%" in " ".join(x.split()) for x in words)


def test_styles_for_narrow_screens_match_elements() -> None:
    """Check that each class and attribute in a style for narrow screens is that of an element."""
    suite = {name: {m: [[1, 0], [x, 1]] for m, x in (("a", 0), ("b", 1))} for name in "xy"}
    page = read(COINS).report().to_html() + read(suite).report().to_html()
    style = page.partition("@container (max-width: 900px)")[2].partition("@media print")[0]
    assert style.count("@container") == 3
    classes, attributes = set(re.findall(r"\.([a-z]+)\b", style)), set(re.findall(r"\[([a-z-]+)", style))
    assert {"stack", "map", "shades"} <= classes
    assert [x for x in classes if not re.search(rf'class="[^">]*\b{x}\b', page)] == []
    assert "data-label" in attributes
    assert [x for x in attributes if f' {x}="' not in page] == []
    assert 'name="viewport"' in page


def test_battles_that_share_questions_are_noted(tmp_path, capsys) -> None:
    rows = [("a", "b", "a", f"q{i // 2}") for i in range(20)] + [("a", "b", "b", f"q{i}") for i in range(8)]
    path = tmp_path / "battles.csv"
    path.write_text("model_a,model_b,winner,question\n" + "".join(",".join(x) + "\n" for x in rows))
    code, text = printed(capsys, "battles", str(path))
    assert code == 0
    assert "--cluster question" in text
    code, text = printed(capsys, "battles", str(path), "--cluster", "question")
    assert code == 0
    assert "too narrow" not in text
    path.write_text("model_a,model_b,winner,question\n" + "".join(f"a,b,{'ab'[i % 3 > 1]},q{i}\n" for i in range(20)))
    assert "too narrow" not in printed(capsys, "battles", str(path))[1]


def test_a_report_has_the_texts_of_the_questions_that_it_lists(tmp_path) -> None:
    """Check that question texts come from the files, by benchmark and id: on one line, of at most 120 characters."""
    lines = [
        {"model": m, "question": f"q{i}", "outcome": int(i % 4 > j), "prompt": f"What is\n<b>{i}</b> + 1? {'x' * 200}"}
        for j, m in enumerate("abc")
        for i in range(30)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    report = read(path).report(replicates=2)
    assert report.texts.keys() == {("", q) for q in report.parts[0].listed}
    assert all(len(x) == 120 and x.startswith(f"What is <b>{q[1:]}</b> + 1? x") for (_, q), x in report.texts.items())
    page = report.to_html()
    assert "What is &lt;b&gt;" in page
    assert "<b>1</b>" not in page
    assert "What is" not in read(path).report(replicates=2, texts=False).to_html()
    table = tmp_path / "log.csv"
    table.write_text("model,question,outcome,problem\na,q1,1,Why?\na,q2,0,How?\na,q3,1,\n")
    assert prompts([str(table)], {"": ["q1", "q3", "q9"]}) == {("", "q1"): "Why?"}
    assert prompts([str(tmp_path)], {"": ["q2"]})["", "q2"] == "How?"
    (tmp_path / "empty.csv").write_text("")
    names = ["-", "x" * 5000, "\0", str(tmp_path / "none"), str(tmp_path / "*.csv")]
    assert prompts(names, {"": ["q2"]}) == {("", "q2"): "How?"}
    assert prompts([COINS], {"": ["q1"]}) == {}


def test_texts_of_questions_are_matched_by_tool_and_task(tmp_path) -> None:
    """Check texts of lm-eval (the document, by id and hash, or the last paragraph of the prompt) and inspect_ai.

    The text of inspect_ai is the last message of the first epoch.
    """
    hashed = {"doc_hash": "0123456789abcdef"}
    for task, key in (("one", "question"), ("two", "ctx")):
        line = tools.lm_eval_line(0, 1) | hashed | {"doc": {key: f"{task}?"}}
        tools.lm_eval_file(tmp_path / "l", [line], task=task)
    e = read(tmp_path / "l")
    assert prompts(e.provenance.files, {task: ["0#01234567"] for task in e.benchmarks}) == {
        ("one", "0#01234567"): "one?",
        ("two", "0#01234567"): "two?",
    }
    line = tools.lm_eval_line(0, 1) | {"doc": {}, "arguments": {"gen_args_0": {"arg_0": "Shots.\n\nQ: last?"}}}
    path = tools.lm_eval_file(tmp_path / "m", [line], task="t")
    assert prompts([str(path)], {"t": ["0"], "": ["1"]}) == {("t", "0"): "Q: last?"}
    sample = {
        "id": 7,
        "epoch": 1,
        "input": [{"role": "user", "content": "first"}, {"role": "user", "content": "Seven?"}],
    }
    path = tmp_path / "inspect.json"
    path.write_text(json.dumps({"eval": {"task": "s", "model": "m"}, "samples": [sample]}))
    assert prompts([str(path)], {"s": ["7"], "other": ["7"]}) == {("s", "7"): "Seven?"}
    packed = tmp_path / "inspect.eval"
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("header.json", json.dumps({"eval": {"task": "s", "model": "m"}}))
        file.writestr("samples/7_epoch_1.json", json.dumps(sample | {"input": "Seven?"}))
    assert prompts([str(packed)], {"s": ["7", "8"]}) == {("s", "7"): "Seven?"}
