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
        ("interval 47", "such as 47/50"),
        ("interval 50/47", "did you mean 47/50?"),
    ],
)
def test_a_message_ends_with_what_to_type(capsys, tmp_path, monkeypatch, line, words) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.csv").write_text("llm,item,score\na,q1,1\nb,q1,0\n")
    paths = {"COINS": COINS, "BATTLES": COINS.replace("coins", "battles"), "LOGS": "names.csv"}
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
