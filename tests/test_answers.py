"""Answers: read from logs by each format that records them, metrics of votes and of scored trials, and coverage."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spec

import scorio
from scorio import Answers, InvalidInput, ScoredTrials, cli, eval, io, rank, sinf

GENUINE = Path(os.environ.get("SCORIO_LOGS", "/nonexistent"))
genuine = pytest.mark.skipif(not GENUINE.is_dir(), reason="SCORIO_LOGS names no folder of genuine logs")


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as JSON lines, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def nemo_log(root: Path) -> Path:
    answers = {"q1": ["4", "4", "5", None], "q2": ["x", "y", "x", "z"]}
    for seed in range(4):
        rows = [
            {"id": q, "generation": "", "predicted_answer": a[seed], "symbolic_correct": a[seed] in ("4", "y")}
            for q, a in answers.items()
        ]
        write_lines(root / "m" / "eval-results" / "toy" / f"output-rs{seed}.jsonl", rows)
    return root / "m"


def lm_eval_log(root: Path) -> Path:
    for run, answers in enumerate((["4", "x"], ["4", "[invalid]"], ["5", "y"])):
        rows = [
            {"doc_id": i, "doc": {}, "target": key, "resps": [["so: " + a]], "filtered_resps": [a], "filter": "none",
             "metrics": ["exact_match"], "exact_match": float(a == key)}
            for i, (a, key) in enumerate(zip(answers, "4y", strict=True))
        ]  # fmt: skip
        write_lines(root / "m" / f"samples_toy_2026-01-0{run + 1}T00-00-00.000000.jsonl", rows)
    return root


def inspect_log(root: Path) -> Path:
    samples = [
        {"id": q, "epoch": e + 1, "scores": {"match": {"value": "C" if a == "4" else "I", "answer": a}}}
        for q, row in (("a", ["4", "4", "5"]), ("b", ["6", "4", ""])) for e, a in enumerate(row)
    ]  # fmt: skip
    log = {"status": "success", "eval": {"model": "m", "task": "toy"}, "samples": samples}
    path = root / "log.json"
    path.write_text(json.dumps(log))
    return path


def verl_log(root: Path) -> Path:
    rows = [
        {"input": q, "output": "", "gts": "4", "score": 1.0, "step": 0, "acc": a == "4", "pred": a}
        for q in "ab" for a in ("4", "5", "4", "6")
    ]  # fmt: skip
    return write_lines(root / "0.jsonl", rows)


# of each question: how often each right answer occurs, how often each other answer, and how many are missing
EXPECTED = {
    nemo_log: [((2,), (1,), 1), ((1,), (2, 1), 0)],
    lm_eval_log: [((2,), (1,), 0), ((1,), (1,), 1)],
    inspect_log: [((2,), (1,), 0), ((1,), (1,), 1)],
    verl_log: [((2,), (1, 1), 0)] * 2,
}


@pytest.mark.parametrize("make_log", EXPECTED)
def test_answers_are_read_from_each_format_that_records_them(make_log: Any, tmp_path: Path) -> None:
    (log,) = io.read(make_log(tmp_path), answers=True).pooled().logs.values()
    assert [tuple(x) for x in log.answers.items] == EXPECTED[make_log]
    assert log.answers.counts.table.tolist() == log.counts.table.tolist()
    assert log.only([1]).answers.items == log.answers.items[1:]


def refused(code: str, path: Path, **options: Any) -> str:
    """Message of the error with this code that reading the answers of a log must raise."""
    with pytest.raises(InvalidInput) as e:
        io.read(path, answers=True, **options)
    assert (e.value.code, e.value.argument) == (code, "answers")
    return str(e.value)


def test_logs_without_answers_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("question,outcome\nq,1\nq,0\n")
    refused("missing", table)
    table.write_text("question,c,n\nq,1,2\n")
    refused("missing", table)
    refused("conflict", verl_log(tmp_path), missing=0)
    refused("conflict", verl_log(tmp_path), w="levels")
    row = {"input": "q", "output": "", "gts": "4", "score": 1.0, "step": 0, "pred": "4"}
    contradictory = write_lines(tmp_path / "contradictory.jsonl", [{**row, "acc": True}, {**row, "acc": False}])
    assert "'4'" in refused("conflict", contradictory)
    unanswered = write_lines(tmp_path / "unanswered.jsonl", [{**row, "acc": True, "pred": None}])
    assert "a missing answer" in refused("conflict", unanswered)
    answer_in_a_list = write_lines(tmp_path / "answer_in_a_list.jsonl", [{**row, "acc": True, "pred": ["4"]}])
    refused("type", answer_in_a_list)


def test_answers_of_benchmarks_are_pooled(tmp_path: Path) -> None:
    root = nemo_log(tmp_path)
    for seed in range(4):
        file = root / "eval-results" / "toy" / f"output-rs{seed}.jsonl"
        write_lines(root / "eval-results" / "more" / file.name, [json.loads(x) for x in file.read_text().splitlines()])
    logs = io.read(root, answers=True)
    assert [tuple(x) for x in logs.log("m").answers.items] == EXPECTED[nemo_log] * 2
    assert set(logs.benchmarks) == {"toy", "more"}


def test_the_command_evaluate_takes_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(nemo_log(tmp_path))
    assert cli.main(["evaluate", path, "--answers", "--k", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    values = {row["metric"]: row["mu"] for row in rows}
    (log,) = io.read(path, answers=True).pooled().logs.values()
    assert values["plurality_at_k"] == eval.plurality_at_k(log.answers, 2)
    assert values["strict_plurality_at_k"] == eval.plurality_at_k(log.answers, 2, "none")
    assert values["maj_at_k"] == eval.maj_at_k(log.counts, 2)
    assert cli.main(["evaluate", path, "--answers", "--k", "2", "--metrics", "plurality_at_k,avg"]) == 0
    assert "plurality_at_k" in capsys.readouterr().out


def test_tables_have_the_metrics_of_answers_and_of_scored_trials() -> None:
    a = Answers([["4", "4", "5"], ["x", None, "y"]], ["4", ["y", "z"]])
    names = [row.metric for row in scorio.evaluate(a, k=2, questions="fixed")]
    assert names == ["mean", "maj_at_k", "plurality_at_k", "strict_plurality_at_k"]
    s = ScoredTrials([[1, 2, 3], [2, 2, 1]], [[0, 1, 1], [1, 0, 0]])
    assert [row.metric for row in scorio.evaluate(s, k=2, questions="fixed")] == ["mean", "max_at_k", "best_of_k"]
    assert scorio.tally(s) == scorio.tally([[0, 1, 1], [1, 0, 0]])
    assert repr(a) == "Answers(2 questions, 3 trials)"


def test_intervals_equal_the_worked_example() -> None:
    """Check values of the worked example of spec/families/answers.md."""
    a = Answers.from_counts([4, 6, 2, 0, 8], [[2, 1, 1], [2], [4, 2], [5, 3], []])
    for k, questions, mu, lo, hi in (
        (3, "fixed", 0.542857, 0.345953, 0.727223),
        (3, "sampled", 0.542857, 0.195345, 0.853128),
        (5, "fixed", 0.592857, 0.347001, 0.799605),
        (8, "fixed", 0.6, 0.269818, 0.858935),
    ):
        r = eval.interval(a, "plurality@k", k, questions=questions)
        assert [round(x, 6) for x in (r.mu, r.lo, r.hi)] == [mu, lo, hi]


def test_equal_values_differ_by_exactly_0() -> None:
    """Check that equal values differ by exactly 0, and that a model compared with itself has the p-value 1."""
    a = Answers.from_counts([3, 1], [[1], [3]])
    b = Answers.from_counts([1, 3], [[3], [1]])
    assert sinf.compare(a, b, "plurality@k", 2, questions="fixed").mu == 0.0
    assert sinf.compare(a, a, "strict-plurality@k", 3, questions="fixed").p_value == 1.0


def test_a_list_of_answers_is_a_list_of_models() -> None:
    """Check that models in a list are compared as those of a mapping are, and that Elo refuses answers and scores."""
    answers = [Answers([["4", "4"], ["9", "3"]], ["4", "3"]), Answers([["4", "5"], ["9", "9"]], ["4", "3"])]
    scores = [[0.5, 0.7], [0.1, 0.3]]
    trials = [ScoredTrials(scores, [[1, 1], [0, 1]]), ScoredTrials(scores, [[1, 0], [0, 0]])]
    for models, metric, k in ((answers, "mean", None), (answers, "maj@k", 2), (trials, "pass@k", 2)):
        (pair,) = sinf.compare_all(models, metric, k, questions="fixed")
        (by_name,) = sinf.compare_all(dict(zip("ab", models, strict=True)), metric, k, questions="fixed")
        assert (pair.mu, pair.lo, pair.hi) == (by_name.mu, by_name.lo, by_name.hi)
        assert rank.avg(models) == [1, 2]
        with pytest.raises(InvalidInput, match="do not have the order of trials"):
            rank.elo(models)


@genuine
@pytest.mark.parametrize("folder", ["inspect_ai/one_task_eval", "inspect_ai/one_task_json"])
def test_votes_agree_with_the_outcomes_of_genuine_logs(folder: str) -> None:
    """Check votes in logs of inspect_ai against counts and averages; a plurality is at least the majority."""
    logs = io.read(GENUINE / folder, answers=True)
    for log in logs.pooled().logs.values():
        assert log.answers.counts.table.tolist() == log.counts.table.tolist()
        assert eval.plurality_at_k(log.answers, 1) == eval.avg(log.counts).mu
        assert eval.plurality_at_k(log.answers, 4) >= eval.maj_at_k(log.counts, 4)
    assert round(eval.plurality_at_k(logs.log("mockllm/weak").answers, 4), 6) == 0.25


@genuine
def test_genuine_answers_with_two_verdicts_are_refused() -> None:
    """Check that answers judged both right and wrong, as in logs of mock models, and logs without any, are refused."""
    refused("conflict", GENUINE / "verl" / "dapo")
    refused("conflict", GENUINE / "lm_eval" / "out_runs", files_are_runs=True)
    refused("missing", GENUINE / "verl" / "gsm8k")
    logs = io.read(GENUINE / "lm_eval" / "out_models", task="toyone", answers=True).pooled().logs.values()
    assert all(x.answers.counts.table.tolist() == x.counts.table.tolist() for x in logs)


_module_spec = importlib.util.spec_from_file_location("bench_answers", spec.ROOT / "bench" / "answers.py")
assert _module_spec is not None
assert _module_spec.loader is not None
bench: Any = importlib.util.module_from_spec(_module_spec)
_module_spec.loader.exec_module(bench)


def test_the_bench_agrees_with_the_package() -> None:
    """Check the bench's interval and difference against the package, for one run of two models."""
    rng = np.random.default_rng(3)
    for n, k in ((8, 3), (8, 5), (6, 6)):
        p = bench.questions(rng, 5, (2, 3), 0.3)
        votes = [[bench.votes(rng.multinomial(n, q)) for q in p] for _ in "ab"]
        moments = [np.array([[bench.state_values("plurality_at_k", x, k)[:2] for x in row]]) for row in votes]
        (u, v), (x, y) = ((f[..., 0], f[..., 1]) for f in moments)
        a, b = (Answers.from_items(row) for row in votes)
        for questions in ("fixed", "sampled"):
            r = eval.interval(a, "plurality@k", k, questions=questions)
            for end, inside in ((r.lo, 1e-9), (r.hi, -1e-9)):
                inner = bench.coverage(u, v, bench.stabiliser(n, k), n, k, questions == "fixed", end + inside)[0]
                outer = bench.coverage(u, v, bench.stabiliser(n, k), n, k, questions == "fixed", end - inside)[0]
                assert (inner, outer) == (1.0, 0.0)
        d = sinf.compare(a, b, "plurality@k", k, questions="fixed")
        args = (u, v), (x, y), bench.stabiliser(n, k)
        if d.hi < 1:
            assert bench.difference_coverage(*args, d.hi - 1e-9) == 1.0
            assert bench.difference_coverage(*args, d.hi + 1e-9) == 0.0


@pytest.mark.slow
def test_intervals_cover_and_those_of_a_smaller_variance_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that 95% intervals cover; on these questions, with a quarter of the variance, they do not."""
    settings = ["Beta(2,3)"], ((8, 3), (6, 6)), (20,)  # success rates, (n, k), M
    rows = list(bench.plurality_rows(np.random.default_rng(1), 200, *settings))
    assert min(row[5] for row in rows) >= 0.9  # fixed
    assert min(row[7] for row in rows) >= 0.89  # sampled
    assert min(row[8] for row in rows) >= 0.89  # difference
    assert all(0.02 < row[9] < 0.41 for row in rows)  # difference between the vote and maj_at_k
    original = bench.state_values
    monkeypatch.setattr(bench, "state_values", lambda *x: (original(*x)[0], original(*x)[1] / 4, original(*x)[2]))
    monkeypatch.setattr(bench, "stabiliser", lambda n, k: 0.0)
    rows = list(bench.plurality_rows(np.random.default_rng(1), 200, *settings))
    assert max(row[5] for row in rows) < 0.9
