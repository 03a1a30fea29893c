"""Older and rarer layouts of logs: lists of ids, of failures or of scores; answers to be graded; preferences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import written as tools
from tool_logs import save

import scorio
from scorio import InvalidInput
from scorio.io import read_battles


def test_lists_of_swe_bench_are_read(tmp_path):
    log = {"generated": ["a", "b"], "no_generation": ["c"], "resolved": ["a"], "applied": ["a", "b"], "no_logs": []}
    path = save(tmp_path / "model" / "results.json", log)
    assert tools.tables(scorio.read(path)) == {"model": {"a": [0, 1], "b": [1, 0], "c": [1, 0]}}
    with pytest.raises(InvalidInput, match="names only the resolved instances"):
        scorio.read(save(tmp_path / "x.json", {"no_generation": [], "no_logs": [], "resolved": ["a"]}))
    with pytest.raises(InvalidInput, match="generated holds 3"):
        scorio.read(save(tmp_path / "x.json", log | {"generated": [3]}))


def bfcl(folder: Path, failed: list[int], total: int, name: str) -> Path:
    """Write a file of scores: a summary, and the questions that failed, which are numbered from 1."""
    correct = total - len(failed)
    lines = [{"accuracy": correct / total, "correct_count": correct, "total_count": total}]
    lines += [{"id": i, "model_name": "m", "test_category": "simple", "valid": False} for i in failed]
    path = folder / "score" / "m" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.parametrize("name", ["simple_score.json", "gorilla_openfunctions_v1_test_simple_score.json"])
def test_bfcl_before_version_3_is_read(tmp_path, name):
    path = bfcl(tmp_path, [2], 3, name)
    for source in (path, tmp_path):
        e = scorio.read(source)
        assert (tools.tables(e), list(e.benchmarks)) == ({"m": {"1": [0, 1], "2": [1, 0], "3": [0, 1]}}, ["simple"])
    assert tools.tables(scorio.read(bfcl(tmp_path, [], 2, name))) == {"m": {"1": [0, 1], "2": [0, 1]}}
    with pytest.raises(InvalidInput, match="'0' is not one of 1 to 3"):
        scorio.read(bfcl(tmp_path, [0], 3, name))


def mmlu_pro(folder: Path, preds: list[str | None], **summary: float) -> Path:
    """Write these answers to questions whose answer is B, and the summary that the log states."""
    rows = [
        {"question_id": 70 + i, "question": "?", "options": ["x", "y"], "answer": "B", "answer_index": 1,
         "category": "law", "pred": x, "model_outputs": "The answer is (B)."} for i, x in enumerate(preds)
    ]  # fmt: skip
    save(folder / "law_summary.json", {"law": summary, "total": summary})
    return save(folder / "law_result.json", rows)


def test_answers_of_mmlu_pro_are_graded(tmp_path):
    path = mmlu_pro(tmp_path / "m", ["B", "A", "B"], acc=2 / 3, corr=2, wrong=1)
    for source in (path, tmp_path):
        e = scorio.read(source, answers=True)
        assert tools.tables(e) == {"m": {"70": [0, 1], "71": [1, 0], "72": [0, 1]}}
        assert (list(e.benchmarks), e.provenance.remarks) == (["law"], ())
    remarks = scorio.read(mmlu_pro(tmp_path / "m", ["B", "A", "B"], acc=0.5)).provenance.remarks
    assert remarks == ("law_result.json: the log states acc of law 0.5, the outcomes that were read give 0.6666667.",)
    e = scorio.read(mmlu_pro(tmp_path / "m", ["B", None, ""], acc=0.5))
    assert e["m"].table.tolist() == [[0, 1], [1, 0], [1, 0]]
    assert "without an extracted answer: 2." in e.provenance.remarks[0]


def test_scores_of_cruxeval_are_read(tmp_path):
    log = {"raw_generations": {}, "raw_scored_generations": {"sample_0": [True, False], "sample_1": [False, False]}}
    path = save(tmp_path / "m.json", log | {"pass_at_1": 25.0})
    e = scorio.read(path)
    assert (tools.tables(e), e.provenance.remarks) == ({"m": {"sample_0": [1, 1], "sample_1": [2, 0]}}, ())
    e = scorio.read(save(tmp_path / "m.json", log | {"pass_at_1": 50.0}))
    assert "pass_at_1 50, the outcomes that were read give 25" in e.provenance.remarks[0]


def test_preferences_of_alpaca_eval_are_battles(tmp_path):
    rows = [{"instruction": q, "output_1": "x", "generator_1": "base", "output_2": "y", "generator_2": "m",
             "annotator": "judge", "preference": x} for q, x in zip("abc", (1.0, 2, 1.5), strict=True)]  # fmt: skip
    e = read_battles(save(tmp_path / "annotations.json", rows))
    assert e["winner"] == ["model_a", "model_b", "tie"]
    assert (e["model_a"], e["model_b"], e["voter"]) == (["base"] * 3, ["m"] * 3, ["judge"] * 3)
    assert len(set(e["question"])) == 3
    with pytest.raises(InvalidInput, match=r"1.73 of alpaca_eval is neither a winner .* scale=\(1, 2\)"):
        read_battles(save(tmp_path / "annotations.json", [rows[0] | {"preference": 1.73}]))
    with pytest.raises(InvalidInput, match=r"preference \[1\] of alpaca_eval is neither a winner"):
        read_battles(save(tmp_path / "annotations.json", [rows[0] | {"preference": [1]}]))
    columns = {"model": "generator_2", "question": "instruction", "outcome": "preference"}  # as the message suggests
    e = scorio.read(save(tmp_path / "a.json", [*rows, rows[0] | {"instruction": "d", "preference": 1.7}]),
                    scale=(1, 2), columns=columns)  # fmt: skip
    assert e.leaderboard().table[0].average.mu == pytest.approx(1.55)
    with pytest.raises(InvalidInput, match=r"annotations of alpaca_eval, .* scorio battles FILE"):
        scorio.read(tmp_path / "annotations.json")


def test_reports_of_multi_swe_bench_are_read(tmp_path):
    ids = [f"a__b-{i}" for i in range(4)]
    log = {"total_instances": 4, "resolved_instances": 2, "completed_ids": ids, "submitted_ids": ids,
           "resolved": ids[:2], "unresolved_ids": ids[2:3], "empty_error_patch_ids": ids[3:]}  # fmt: skip
    for model in "xy":  # the layout of the benchmark's table of submissions
        save(tmp_path / "c++" / model / "results" / "results.json", log)
    e = scorio.read(tmp_path / "c++")
    assert tools.tables(e) == {m: dict(zip(ids, ([0, 1], [0, 1], [1, 0], [1, 0]), strict=True)) for m in "xy"}
    report = {"resolved_ids": ids[:2], "unresolved_ids": ids[2:]} | {
        x: log[x] for x in ("completed_ids", "submitted_ids")
    }
    for model in "xy":  # the layout that the benchmark's harness writes
        save(tmp_path / "runs" / model / "final_report.json", report)
    assert tools.tables(scorio.read(tmp_path / "runs")) == tools.tables(e)
    counts = save(tmp_path / "counts.json", {name: x for name, x in log.items() if type(x) is int})
    with pytest.raises(InvalidInput, match="holds counts only: give the report that lists resolved_ids"):
        scorio.read(counts)


def test_a_file_of_one_line_is_read(tmp_path):
    line = {"task_id": "HumanEval/0", "completion": "x", "result": "passed", "passed": True}
    path = save(tmp_path / "m_results.json", line)
    assert tools.tables(scorio.read(path)) == {"m": {"HumanEval/0": [0, 1]}}
