"""Signals from files, and `scorio rubric`, which prints the results of scorio.rubric."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from scorio import InvalidInput, rubric
from scorio.cli import main
from scorio.io import read_signals

SIGNALS = ["is_correct", "has_box", "token_ratio", "repeated_pattern", "prompt_bpt", "completion_bpt", "A", "B", "C"]


pytestmark = pytest.mark.usefixtures("plain_terminal")


@pytest.fixture
def run(capsys):
    """Function that runs scorio rubric, and returns its exit code, output and error output."""

    def call(*args: str | Path) -> tuple[int, str, str]:
        code = main(["rubric", *map(str, args)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def file(tmp_path):
    def write(content: str, name: str = "attempts.csv") -> Path:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


def attempt(rng: random.Random) -> list[float]:
    """Random values of SIGNALS, in their order."""
    a, b = rng.random(), rng.random()
    return [rng.randint(0, 1), rng.randint(0, 1), rng.random(), int(rng.random() < 0.1), 3 * rng.random(), rng.random(),
            a, (1 - a) * b, (1 - a) * (1 - b)]  # fmt: skip


@pytest.fixture
def attempts(file) -> Path:
    """A file with three models, six questions, four trials and all signals."""
    rng = random.Random(8)
    rows = [[f"m{l}", f"q{i}", j, *attempt(rng)] for l in range(3) for i in range(6) for j in range(4)]
    rng.shuffle(rows)
    return file("\n".join(",".join(map(str, row)) for row in [["model", "question", "trial", *SIGNALS], *rows]))


def test_signals_are_matrices_by_question_and_trial(attempts):
    signals = read_signals(attempts)
    assert set(signals) == {"m0", "m1", "m2"}
    lines = [line.split(",") for line in attempts.read_text().splitlines()]
    order = list(dict.fromkeys(line[1] for line in lines[1:]))
    for line in lines[1:]:
        for name, x in zip(SIGNALS, line[3:], strict=True):
            assert signals[line[0]][name][order.index(line[1]), int(line[2])] == float(x)


def test_empty_cells_are_missing(file):
    signals = read_signals(file("model,question,is_correct,C\na,x,1,\na,x,true,0.5\nb,y,NA,0\n"))
    assert list(signals) == ["a", "b"]
    assert signals["a"]["is_correct"].tolist()[0] == [1, 1]
    assert [[math.isnan(x) for x in row] for row in signals["a"]["C"].tolist()] == [[True, False], [True, True]]
    assert [[math.isnan(x) for x in row] for row in signals["b"]["C"].tolist()] == [[True], [False]]


def test_signal_names_of_the_paper_are_read(file):
    signals = read_signals(file('{"question":"x","compass_context_A":0.75,"is_correct":true}\n', "a.jsonl"))
    assert {name: x.tolist() for name, x in signals["a"].items()} == {"A": [[0.75]], "is_correct": [[1.0]]}


@pytest.mark.parametrize(
    ("content", "code", "part"),
    [
        ("question,trial,C\nx,1,0\nx,1,0\n", "duplicate", ":3: duplicate trial '1'"),
        ("question,C\nx,high\n", "type", ":2: C 'high'"),
        ("question,C\nx,inf\n", "not_finite", ":2: C"),
        ("question,C\n,1\n", "missing", ":2: question"),
        ("question,C\n", "empty", "attempts.csv: no row"),  # names no line: the file has no second one
        ("question,trial\nx,1\n", "format", "signals are needed"),
        ("model,C\nx,1\n", "format", "question"),
        ("question,A,compass_context_A\nx,1,1\n", "duplicate", "duplicate column"),
    ],
)
def test_invalid_signals_are_refused(file, content, code, part):
    with pytest.raises(InvalidInput) as e:
        read_signals(file(content))
    assert e.value.code == code
    assert part in str(e.value)


def test_rubric_command_gives_the_results_of_rubric_score(run, attempts):
    code, out, err = run(attempts, "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    want = rubric.score(read_signals(attempts))
    assert result["thresholds"] == want.thresholds
    assert len(result["rows"]) == 36
    for row in result["rows"]:
        i, j = want.models.index(row["model"]), want.schemata.index(row["schema"])
        assert (row["mu"], row["sigma"], row["rank"]) == (want.mu[i, j], want.sigma[i, j], want.ranks[i, j])
    code, out, err = run(attempts)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "12 concision_high_conf" in out


def test_assumed_signals_replace_missing_columns(run, file, attempts):
    lines = [line.split(",")[:6] for line in attempts.read_text().splitlines()]
    path = file("\n".join(",".join(x) for x in lines), "some.csv")
    code, out, err = run(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    code, out, err = run(path, "--assume", "C=0,repeated_pattern=0", "--explain")
    assert code == 0
    assert "Left out: ood_robustness, because signal prompt_bpt is missing." in " ".join(out.split())
    assert "is a column" in run(path, "--assume", "is_correct=1")[2]
    with_gaps = file("\n".join(",".join(x) for x in lines).replace(",1,", ",,", 1), "holes.csv")
    options = ["--assume", "C=0,repeated_pattern=0", "--schemata", "exact_match,format_aware"]
    assert run(with_gaps, *options)[0] == 2
    for policy, treatment in (("drop", "left out"), ("0", "counted as category 0")):
        code, out, _ = run(with_gaps, *options, "--missing", policy)
        assert code == 0
        assert treatment in " ".join(out.split())


def test_custom_schemata_are_scored(run, file, attempts):
    custom = {"name": "short", "w": [0, 0.5, 1], "thresholds": {"long": [75, "token_ratio", None]},
           "rules": [[0, "invalid or wrong"], [1, "token_ratio > long"], [2, "otherwise"]]}  # fmt: skip
    rules = file(json.dumps([custom]), "own.json")
    code, out, _ = run(attempts, "--rules", rules, "--schemata", "exact_match", "--json")
    assert code == 0
    want = rubric.score(read_signals(attempts), ["exact_match", rubric.Schema(**custom)])
    assert [row["mu"] for row in json.loads(out)["rows"]] == np.asarray(want.mu).T.ravel().tolist()
    for content in ("[", "[3]", '{"name": "x"}', json.dumps({**custom, "rules": [[0, "wrong and"]]})):
        code, out, err = run(attempts, "--rules", file(content, "bad.json"))
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_missing_attempts_have_no_signals(run, file):
    path = file("model,question,is_correct\na,x,1\na,x,0\na,y,1\n")
    custom = {"name": "s", "rules": [[1, "C >= 0.5"], [0, "otherwise"]], "w": [0, 1]}
    options = [path, "--assume", "C=1", "--rules", file(json.dumps(custom), "own.json")]
    assert run(*options)[0] == 2
    code, out, _ = run(*options, "--missing", "drop", "--json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert row["mu"] == pytest.approx((3 / 4 + 2 / 3) / 2, abs=1e-15)  # Bayes@N of 2 of 2 trials, and of 1 of 1
    assert "1..2 trials per question" in run(*options, "--missing", "drop")[1]


def test_unknown_picture_formats_and_missing_signals_are_refused(run, attempts, file, tmp_path):
    code, _, err = run(attempts, "--plot", tmp_path / "ranks.foo")
    assert (code, err.count("\n")) == (2, 1)
    assert ".png, .svg or .pdf" in err
    err = run(file("question,is_correct\nx,1\n", "some.csv"))[2]
    assert "repeated_pattern" in err
    assert "--assume C=0" in err
    assert run(attempts, "--rules", file("[" * 100_000, "deep.json"))[0] == 2


def test_ranks_are_drawn_on_request(run, attempts, tmp_path):
    code, _, _ = run(attempts, "--plot", tmp_path / "ranks.png")
    assert code == 0
    assert (tmp_path / "ranks.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("text", ["C", "C=x", "=1", "C=0,,"])
def test_invalid_assumptions_are_refused(attempts, capsys, text):
    with pytest.raises(SystemExit) as e:
        main(["rubric", str(attempts), "--assume", text])
    assert e.value.code == 2
    assert "C=0,repeated_pattern=0" in capsys.readouterr().err
