"""Judges corrected by human labels: values worked out by hand, invariances, and the command."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from scorio import InvalidInput, eval, sinf
from scorio.cli import main
from scorio.evaluation import read

# verdicts on two models, 4 questions with 3 outputs each, and labels of some of these outputs
A, B = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]], [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 0]]
LABELS_A = [[1, None, 0], [1, None, None], [None, 1, 0], [None, None, 0]]
LABELS_B = [[1, None, None], [None, 1, 0], [0, None, None], [None, 0, None]]


def grouped(*groups: tuple[int, list[int]]) -> tuple[list[list[int]], list[list[int | None]]]:
    """Verdicts and labels, one output a question; groups: number of outputs and counts of labels for each verdict."""
    verdicts, labels = [], []
    for g, (N, label_counts) in enumerate(groups):
        each: list[list[int | None]] = [[j] for j, n in enumerate(label_counts) for _ in range(n)]
        verdicts += [[g]] * N
        labels += each + [[None]] * (N - len(each))
    return verdicts, labels


def close(r: Any, *want: float) -> bool:
    """Whether mu, lo and hi of a result agree with these numbers to six decimals."""
    return all(abs(x - y) < 6e-7 for x, y in zip((r.mu, r.lo, r.hi), want, strict=True))


# --- the functions ------------------------------------------------------------------------------------


def test_estimates_equal_values_worked_out_by_hand() -> None:
    large = grouped((350, [3, 32]), (150, [11, 4]))
    r = eval.judged(*large, questions="sampled")
    assert close(r, 0.72, 0.611461, 0.807752)
    assert (round(r.sigma**2, 9), round(r.n_eff, 6)) == (0.00262306, 77.469016)
    assert close(eval.judged(*large, questions="outputs"), 0.72, 0.621126, 0.801324)
    three = grouped((40, [6, 0, 2, 0, 0]), (60, [3, 4, 2, 0, 3]), (100, [0, 0, 6, 0, 14]))
    assert close(
        eval.judged(*three, [0, 1, 2, 3, 4], questions="sampled"), *(4 * x for x in (0.575, 0.4725339, 0.6714029))
    )
    assert close(eval.judged(*grouped((20, [0, 0]), (480, [0, 30])), questions="sampled"), 0.98, 0.874178, 0.997115)
    for questions, n_eff, lo, hi in (
        ("sampled", 4.415673, 0.158961, 0.841039),
        ("fixed", 6, 0.187616, 0.812384),
        ("outputs", 12.8, 0.259773, 0.740227),
    ):  # fmt: skip
        r = eval.judged(A, LABELS_A, questions=questions)
        assert close(r, 0.5, lo, hi)
        assert abs(r.n_eff - n_eff) < 6e-7
    for questions, lo, hi in (("sampled", -0.175883, 0.595052), ("fixed", -0.255502, 0.638759)):
        assert close(sinf.compare_judged(A, B, LABELS_A, LABELS_B, questions=questions), 0.277778, lo, hi)
    plans = [
        sinf.labels_needed([700, 300], [0.95, 0.3], half_width=0.05, design=x) for x in ("random", "balanced", "neyman")
    ]
    assert [x.labels for x in plans] == [170, 149, 149]
    assert plans[1].share == [0.5, 0.5]


def test_the_order_of_outputs_and_questions_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    V = rng.integers(0, 3, (9, 4))
    L = np.where(rng.random(V.shape) < 0.5, rng.integers(0, 2, V.shape), nan)
    rows, columns = rng.permutation(9), rng.permutation(4)
    for questions in ("fixed", "sampled", "outputs"):
        assert eval.judged(V, L, questions=questions) == eval.judged(
            V[rows][:, columns], L[rows][:, columns], questions=questions
        )
    assert eval.label_check(V, L) == eval.label_check(V[rows][:, columns], L[rows][:, columns])


def test_names_of_verdicts_do_not_matter() -> None:
    renamed = np.array([3, 8])[np.array(A)]
    one, other = (eval.judged(x, LABELS_A, questions="sampled") for x in (A, renamed))
    assert one[:6] == other[:6]
    assert other.verdicts == [3, 8]


def test_a_perfect_judge_narrows_the_interval() -> None:
    """Check a perfect judge against one with a single verdict; with all outputs labelled the interval is a point."""
    truth = np.random.default_rng(2).integers(0, 2, (400, 1)).astype(float)
    labels = np.where(np.arange(400)[:, None] < 80, truth, nan)
    perfect = eval.judged(truth, labels, questions="sampled")
    blind = eval.judged(np.ones_like(truth), labels, questions="sampled")
    assert blind.mu == truth[:80].mean()
    assert perfect.mu == truth.mean()
    assert perfect.hi - perfect.lo < 0.7 * (blind.hi - blind.lo)
    r = eval.judged(truth, truth, questions="outputs")
    assert (r.lo, r.mu, r.hi, r.n_eff, r.sigma) == (truth.mean(),) * 3 + (inf, 0.0)


def test_fixed_questions_whose_outputs_do_not_vary_have_an_interval() -> None:
    """Check fixed questions whose outputs have equal labels: their variance is at least mean(1/n^2)/M^2, not 0."""
    r = eval.judged([[1, 1], [1, 1]], [[1, 1], [0, 0]], questions="fixed")
    assert r.hi - r.lo > 0.5


def test_missing_verdicts_can_be_a_category() -> None:
    r = eval.judged([[1, None], [0, 1]], [[1, 0], [None, 1]], questions="fixed", missing=9)
    assert r.verdicts == [0, 1, 9]


def test_labels_of_easy_questions_are_noticed() -> None:
    """Check that label_check notices labels that all went to the better half of the questions."""
    V = np.array([[1, 1, 1, 0]] * 10 + [[1, 0, 0, 0]] * 10)
    L = np.full(V.shape, nan)
    L[:10] = V[:10]
    assert eval.label_check(V, L).p_lean < 1e-6
    assert eval.label_check(V, np.where(np.arange(4) % 2, V, nan)).p_spread > 0.9


def test_better_judges_need_fewer_labels() -> None:
    good, bad = (sinf.labels_needed([600, 400], p, half_width=0.06).labels for p in ([0.97, 0.05], [0.7, 0.4]))
    assert good < bad
    assert sinf.labels_needed([60, 40], [0.9, 0.2], half_width=0.01).labels is None


# --- the command --------------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path):
    """Path of a log of verdicts on two models, and the true label of every output."""
    rng, truth = np.random.default_rng(4), {}
    with (tmp_path / "verdicts.csv").open("w") as f:
        f.write("model,question,trial,outcome\n")
        for model, rate in (("a", 0.5), ("b", 0.8)):
            for q in range(30):
                for k in range(1, 4):
                    y = rng.random() < rate
                    truth[model, f"q{q}", str(k)] = int(y)
                    f.write(f"{model},q{q},{k},{int(rng.random() < (0.95 if y else 0.3))}\n")
    return tmp_path / "verdicts.csv", truth


def write_labels(path, truth, out) -> None:
    """Write the true label of each sampled output to the file out."""
    rows = list(csv.DictReader(path.open()))
    with out.open("w") as f:
        f.write("model,question,trial,label\n")
        f.writelines(
            f"{r['model']},{r['question']},{r['trial']},{truth[r['model'], r['question'], r['trial']]}\n" for r in rows
        )


def test_sampled_outputs_can_be_labelled_and_read_again(log, tmp_path, capsys, plain_terminal) -> None:
    path, truth = log
    todo, done_file = tmp_path / "todo.csv", tmp_path / "done.csv"
    assert main(["judge", str(path), "--draw", "40", "-o", str(todo)]) == 0
    assert "a: 40 of 90 outputs sampled" in capsys.readouterr().err
    rows = list(csv.DictReader(todo.open()))
    assert len({tuple(r.values()) for r in rows}) == 80
    assert not any(r["label"] for r in rows)
    write_labels(todo, truth, done_file)
    assert main(["judge", str(path), "--labels", str(done_file), "--explain"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "a: from 40 human labels of 90 outputs the mean human score is" in out
    assert "b is significantly better than a" in out
    assert "misses up to half of such cases" in out
    assert "outputs that look wrong, or on which judges disagree, it missed in 57% to 93%" in out
    assert (
        main(
            ["judge", str(path), "--labels", str(done_file), "--json", "--half-width", "0.12", "--questions", "sampled"]
        )
        == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert [r["labels"] for r in result["rows"]] == [40, 40]
    assert all(r["half_width"] == 0.12 and r["lo"] < r["mu"] < r["hi"] for r in result["rows"])
    assert main(["judge", str(path), "--model", "a", "--labels", str(done_file)]) == 0
    assert "b  " not in capsys.readouterr().out  # labels of omitted models are ignored


def test_each_benchmark_is_judged_by_itself(log, tmp_path, capsys) -> None:
    """Check that each benchmark is judged by itself, and that the labels name it."""
    path, truth = log
    head, *rows = path.read_text().splitlines()
    both = tmp_path / "both.csv"
    both.write_text("\n".join([f"task,{head}", *(f"{t},{x}" for t in ("math", "code") for x in rows)]) + "\n")
    todo, done_file = tmp_path / "todo.csv", tmp_path / "done.csv"
    assert main(["judge", str(both), "--draw", "30", "-o", str(todo)]) == 0
    assert "math: a: 30 of 90 outputs sampled" in capsys.readouterr().err
    sample = list(csv.DictReader(todo.open()))
    assert Counter((r["task"], r["model"]) for r in sample) == {(t, m): 30 for t in ("math", "code") for m in "ab"}
    for r in sample:
        r["label"] = truth[r["model"], r["question"], r["trial"]]
    e = read(str(both), trials=True)
    x = e.judge(sample)
    lines = [",".join(sample[0]), *(",".join(map(str, r.values())) for r in sample)]
    done_file.write_text("\n".join(lines) + "\n")
    assert e.judge(done_file).table == x.table
    assert [d.benchmark for d in x.differences] == ["math", "code"]
    alone = read(str(path), trials=True).judge([r for r in sample if r["task"] == "code"])
    assert [replace(r, benchmark="") for r in x.table if r.benchmark == "code"] == list(alone.table)
    with pytest.raises(InvalidInput, match="no column task"):
        e.judge([{"model": "a", "question": "q0", "trial": "1", "label": 1}])


def test_outputs_are_sampled_by_verdict_on_request(log, capsys) -> None:
    path, _ = log
    assert main(["judge", str(path), "--draw", "20", "--by-verdict", "--model", "a"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    verdicts = {(r["model"], r["question"], r["trial"]): r["outcome"] for r in csv.DictReader(path.open())}
    assert sorted(verdicts["a", r["question"], r["trial"]] for r in rows) == ["0"] * 10 + ["1"] * 10
    assert main(["judge", str(path), "--draw", "20", "--by-verdict", "--model", "a", "--seed", "1"]) == 0
    assert rows != list(csv.DictReader(capsys.readouterr().out.splitlines()))


def test_label_of_a_question_without_a_verdict() -> None:
    e = read(np.array([[1, 0], [1, 1], [np.nan, np.nan]]), missing="drop", trials=True)
    for trial in ("", "1"):
        with pytest.raises(InvalidInput, match=r"^row 1 of labels: no trial of question '2' has a verdict$"):
            e.judge([{"question": "2", "trial": trial, "label": 1}])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,label\nq0,1\n", "has no column model"),
        ("model,question,trial,label\na,q0,4,1\n", "line 2 of"),
        ("model,question,trial,label\na,q99,1,1\n", "names the question 'q99'"),
        ("model,question,trial,label\na,q0,1,1\na,q0,1,0\n", "labels an output a second time"),
        ("model,question,trial,label\na,q0,1,good\n", "line 2"),
        ("model,question,trial,label\na,q0,1,\n", "has no label"),
        ("model,question,trial,label\na,q0,,1\n", "has 3 trials, and the label does not say which one"),
    ],
)
def test_labels_that_do_not_fit_are_refused(log, tmp_path, capsys, text, message) -> None:
    (tmp_path / "bad.csv").write_text(text)
    assert main(["judge", str(log[0]), "--labels", str(tmp_path / "bad.csv")]) == 2
    assert message in capsys.readouterr().err


def test_labels_may_be_scores(log, tmp_path, capsys) -> None:
    path, _ = log
    (tmp_path / "scores.csv").write_text(
        "model,question,trial,label\n" + "".join(f"a,q{i},1,{i % 5 + 1}\n" for i in range(30))
    )
    assert main(["judge", str(path), "--labels", str(tmp_path / "scores.csv"), "--label-scale", "1,5", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["label_weights"] == {"": [1, 2, 3, 4, 5]}
    assert 1 < result["rows"][0]["lo"] < result["rows"][0]["mu"] < 5
    assert any("Without a label, and left out: b" in x for x in result["notes"])


def test_refusals_name_the_argument() -> None:
    with pytest.raises(InvalidInput, match="labels is of shape"):
        eval.judged(A, [[1, 0]], questions="fixed")
    with pytest.raises(InvalidInput, match="no label of an output"):
        eval.judged(A, [[None] * 3] * 4, questions="fixed")


def test_too_few_labels_near_an_end_are_noted() -> None:
    """Check that the text notes low coverage where fewer than one label is expected away from the end of the scale."""
    e = read({"m": [[1]] * 99 + [[0]]}, trials=True)
    for right, noted in ((30, True), (28, False)):
        labels = [{"model": "m", "question": str(i), "trial": 1, "label": int(i < right)} for i in range(30)]
        assert any("With so few labels" in x for x in str(e.judge(labels, questions="sampled")).splitlines()) is noted
