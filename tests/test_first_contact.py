"""What a newcomer types: it works, or the message ends with what to type."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import scorio
from scorio import InvalidInput, read
from scorio.cli import main

COINS = str(Path(__file__).resolve().parents[1] / "spec" / "examples" / "coins.csv")


def printed(capsys, *args: str) -> tuple[int, str]:
    """The exit code, and what is printed, on one line."""
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
        ("plan COINS --questions 200", "scorio plan --questions 200 --trials 4 --rate 0.6 --difference 0.02"),
        ("plan --questions 200", "scorio plan --questions 200 --trials 4 --rate 0.6 --difference 0.02"),
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
        ("leaderboard MIXED", "write 1 for a success and 0 for a failure"),
        ("leaderboard LOGS --columns question=itm,outcome=score", "--columns question=item,outcome=score"),
        ("leaderboard LINES --columns question=itm,outcome=score", "--columns question=item,outcome=score"),
        ("leaderboard COINS --cost tokns", "the columns are"),
        ("plot pareto COINS -o f.svg", "--cost COLUMN"),
        ("interval 47", "such as 47/50"),
        ("interval 50/47", "did you mean 47/50?"),
    ],
)
def test_a_message_ends_with_what_to_type(capsys, tmp_path, monkeypatch, line, words) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.csv").write_text("llm,item,score\na,q1,1\nb,q1,0\n")
    paths = {"COINS": COINS, "BATTLES": COINS.replace("coins", "battles"), "LOGS": "names.csv"}
    for name, content in {
        "HEADLESS": "a,q1,1\na,q2,0\nb,q1,1\n",
        "HUGE": f"question,outcome\nq1,1\nq2,{'9' * 5001}\n",
        "BIG": f'{{"question": "q", "outcome": {"9" * 5001}}}\n',
        "MIXED": "question,outcome\nq1,correct\nq2,fail\n",
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
    ],
)  # fmt: skip
def test_it_works_as_typed(capsys, tmp_path, monkeypatch, line) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed(capsys, *line.replace("COINS", COINS).split())[0] == 0


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


def test_correct_and_wrong_are_outcomes(tmp_path) -> None:
    """Words of one meaning are one pair; a first line of words is no outcome."""
    path = tmp_path / "a.csv"
    path.write_text("question,outcome\nq1,correct\nq2,wrong\nq3,Right\nq4,incorrect\n")
    assert read(path)["a"].table.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]


def test_labels_may_be_words(tmp_path, capsys) -> None:
    e = read(COINS, trials=True)
    rows = [(m, q, 1, i % 3 > 0) for m in e.models for i, q in enumerate(e.log(m).questions)]

    def judged(right: str, wrong: str, more: str = "") -> Path:
        path = tmp_path / f"{right}.csv"
        lines = [f"{m},{q},{t},{right if x else wrong}" for m, q, t, x in rows]
        path.write_text("\n".join(["model,question,trial,label", *lines, more]) + "\n")
        return path

    assert e.judge(judged("correct", "wrong")).table == e.judge(judged("1", "0")).table
    with pytest.raises(InvalidInput) as error:
        e.judge(judged("correct", "wrong", f"{rows[0][0]},{rows[0][1]},2,5"))
    assert error.value.code == "conflict"
    code, text = printed(capsys, "judge", COINS, "--labels", str(judged("", "")))
    assert code == 2
    assert "fill in its column label" in text


def test_a_plan_for_a_gate_knows_its_floor() -> None:
    """The standard error of a gate is at least that of a candidate that always fails a share of the margin."""
    from scorio.analysis.plan import plan_ahead

    how = {"trials": 4, "rate": 0.99, "questions": 200}
    gate, plain = plan_ahead(**how, margin=0.02), plan_ahead(**how, difference=0.02)
    least = (1.959964 + 0.841621) ** 2 * 0.98 / 0.02
    assert gate.table[0].questions == np.ceil(least) > plain.table[0].questions
    assert all(a <= b for x, y in zip(gate.powers, plain.powers, strict=True)
               for a, b in zip((x.fixed, *x.sampled), (y.fixed, *y.sampled), strict=True))  # fmt: skip
    at = plan_ahead(trials=4, rate=0.99, questions=int(np.ceil(least)), margin=0.02).powers[0].sampled[0]
    assert at == pytest.approx(0.8, abs=0.002)
    alike = {m: [[1] * 4] * 39 + [[1, 1, 1, 0]] for m in "ab"}
    assert read(alike).plan(margin=0.02).table[0].questions >= np.ceil(least)
    assert read(alike).plan(margin=0.02).table[0].trials >= np.ceil(least / 40)


def test_predictions_without_results_say_how_to_score_them(tmp_path) -> None:
    run = tmp_path / "outputs" / "20260101"
    for folder in ("predictions/a", "predictions/b", "results/a"):
        (run / folder).mkdir(parents=True)
    (run / "results" / "a" / "gsm8k.json").write_text(
        '{"accuracy": 100, "details": [{"example_abbr": "x", "correct": true}]}'
    )
    assert any("--mode eval --reuse 20260101" in x and "b" in x for x in read(run).provenance.remarks)


def test_a_function_that_is_a_method_says_so() -> None:
    with pytest.raises(AttributeError, match=r"scorio\.read\(x\)\.leaderboard\(\)"):
        scorio.leaderboard  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        scorio.nothing  # noqa: B018


def test_arrays_of_far_more_trials_than_questions_deserve_a_word() -> None:
    R = np.random.default_rng(1).integers(0, 2, (16, 200))
    assert "If they are trials, read R.T." in " ".join(str(read({"a": R}).leaderboard()).split())
    assert "R.T" not in str(read({"a": R.T}).leaderboard())


def test_at_most_two_notes_stand_under_a_table(tmp_path, capsys) -> None:
    """What is missing comes first; all of them with --explain and in --json."""
    path = tmp_path / "log.csv"
    rows = [f"{m},q{q},{(q + t) % 5 * 10}" for m in "ab" for q in range(6 + (m == "b")) for t in range(3)]
    path.write_text("model,question,outcome\n" + "\n".join([*rows, "a,q1,", "b,q9,"]) + "\n")
    call = ["leaderboard", str(path), "--weights", "levels", "--missing", "drop"]
    _, brief = printed(capsys, *call)
    _, full = printed(capsys, *call, "--explain")
    assert "--explain shows" in brief
    assert "Missing: " in full
    assert len(brief) < len(full)


def test_the_heading_of_the_folder_where_one_is(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "a.csv").write_text(Path(COINS).read_text())
    monkeypatch.chdir(tmp_path / "evals")
    assert printed(capsys, "leaderboard", ".")[1].startswith("evals: 4 models")


def test_python_m_scorio() -> None:
    done = subprocess.run([sys.executable, "-m", "scorio", "interval", "3/4"], capture_output=True, text=True)
    assert ".750" in done.stdout
