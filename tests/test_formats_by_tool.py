"""Logs of tools for code, agents and training: the meaning of their fields, and errors if it is unclear."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from written import (
    COUNTS,
    R,
    evalplus,
    evalplus_log,
    opencompass,
    refused,
    save,
    tables,
    tau2_log,
    terminal_log,
)

from scorio import InvalidInput
from scorio.io import read

# --- code -----------------------------------------------------------------------------------------------------


def test_answers_that_evalplus_did_not_run_are_missing(tmp_path):
    base = {"q1": [["success", []], ["failed", []]], "q2": [[None, []], ["success", []]], "q3": [None, ["success", []]]}
    log = {"date": "d", "hash": "h", "eval": {q: {"nfiles": 2, "base": x, "plus": x} for q, x in base.items()}}
    path = save(tmp_path / "m_eval_results.json", log)
    refused(path, "missing", "outcome", which="base")
    for which in ("base", "plus"):
        counts = {"q1": [1, 1], "q2": [0, 1], "q3": [0, 1]}
        assert tables(read(path, which=which, missing="drop")) == {"m": counts}


def test_evalplus_tests_are_chosen_with_which(tmp_path):
    log = evalplus_log(R, plus=True)
    log["eval"]["q1"][0]["plus_status"] = "timeout"
    log["eval"]["q2"][0]["plus_status"] = "pass"  # but not base
    path = save(tmp_path / "m_eval_results.json", log)
    refused(path, "choice", "which", "'base', 'plus'")
    assert tables(read(path, which="base")) == {"m": COUNTS}
    assert tables(read(path, which="plus")) == {"m": {"q1": [2, 1], "q2": [2, 1]}}
    log["eval"]["q1"][1]["plus_status"] = None
    refused(save(path, log), "format", "path", "eval.q1[1]: plus_status is None", which="plus")
    refused(save(path, evalplus_log(R)), "choice", "which", "'base'", which="plus")
    log["eval"]["q1"][1]["base_status"] = "passed"
    refused(save(path, log), "format", "path", "base_status is 'passed', not one of pass, fail, timeout", which="base")


def test_the_other_outcome_of_a_tool_is_no_condition_of_the_chosen_one(tmp_path):
    """Each task has an answer that passes the additional tests and one that does not."""
    log = evalplus_log({q: [1, 1] for q in ("q1", "q2", "q3")}, plus=True)
    for i, answers in enumerate(log["eval"].values()):
        answers[i % 2]["plus_status"] = "fail"
    path = save(tmp_path / "m_eval_results.json", log)
    assert tables(read(path, which="base")) == {"m": {q: [0, 2] for q in log["eval"]}}
    assert tables(read(path, which="plus")) == {"m": {q: [1, 1] for q in log["eval"]}}
    for answers in log["eval"].values():
        for temperature, answer in enumerate(answers):
            answer["temperature"] = temperature
    refused(save(path, log), "conflict", "columns", "column 'temperature'", which="base")


def test_tasks_without_answers_are_missing(tmp_path):
    for write, location in ((evalplus, "eval.b"), (opencompass, "details[1]")):
        path = write(tmp_path / write.__name__, {"a": [1, 0], "b": []})
        refused(path, "missing", "outcome", location)
        log = read(path, missing="drop").log("model")
        assert (log.ids, log.counts.table.tolist()) == (["a", "b"], [[1, 1], [0, 0]])
        assert int(np.sum(log.missing)) == 2
        assert tables(read(path, missing=0)) == {"model": {"a": [1, 1], "b": [2, 0]}}


def test_evalplus_folders_are_models(tmp_path):
    for model in ("a_temp_0.8", "b"):
        save(tmp_path / model / "eval_results.json", evalplus_log(R))
        save(tmp_path / model / "samples.jsonl", [{"task_id": "q1", "solution": "def f(): ..."}])
    logs = read(tmp_path)
    assert tables(logs) == {"a_temp_0.8": COUNTS, "b": COUNTS}
    assert logs.provenance.skipped == (
        "a_temp_0.8/samples.jsonl",
        "b/samples.jsonl",
    )
    refused(tmp_path / "b" / "samples.jsonl", "format", "path", "answers before their tests")


def test_human_eval_errors_name_the_line(tmp_path):
    valid = {"task_id": "HumanEval/0", "completion": "", "passed": True}
    for bad, code, argument in [
        ({"passed": "yes"}, "type", "outcome"), ({"passed": None}, "missing", "outcome"),
        ({"task_id": 0.5}, "type", "question"), ({"task_id": ""}, "missing", "question"),
    ]:  # fmt: skip
        refused(save(tmp_path / "a.jsonl", [valid, valid | bad]), code, argument, ":2: ")
    (tmp_path / "a.jsonl").write_text(json.dumps(valid) + '\n{"task_id": "x"}')
    refused(tmp_path / "a.jsonl", "format", "path", ":2: there is no passed here")


# --- agents ---------------------------------------------------------------------------------------------------


def test_tau_rewards_near_1_are_successes(tmp_path):
    rewards = [1.0, 1 - 1e-7, 1 + 1e-7, 0.999, 0.0, 1, 0.5, -1]
    runs = [{"task_id": 0, "trial": t, "reward": x} for t, x in enumerate(rewards)]
    log = read(save(tmp_path / "a.json", runs), trials=True).log("a")
    assert log.outcomes.tolist() == [[1, 1, 1, 0, 0, 1, 0, 0]]
    runs.append({"task_id": 0, "trial": 8, "reward": float("nan")})
    assert read(save(tmp_path / "a.json", runs), missing="drop").log("a").missing == 1
    refused(tmp_path / "a.json", "missing", "outcome", "[8]")
    runs[8] = {"task_id": 0, "trial": 0, "reward": 1}
    refused(save(tmp_path / "a.json", runs), "duplicate", "path", "trial '0' of question '0'")
    runs[8] = {"task_id": 0, "trial": 8, "reward": "good"}
    refused(save(tmp_path / "a.json", runs), "type", "reward", "[8]")
    refused(save(tmp_path / "a.json", [{"task_id": 0, "trial": "1", "reward": 1}]), "format", "path", "trial is '1'")
    refused(save(tmp_path / "a.json", runs[:8]), "conflict", "which", "nothing to choose", which="reward")


def test_tau2_runs_without_a_reward_are_missing(tmp_path):
    log = tau2_log({"a": [1, 1], "b": [0, 1]})
    log["simulations"][0] |= {"termination_reason": "infrastructure_error"}
    log["simulations"][3]["reward_info"] = None
    path = save(tmp_path / "results.json", log)
    refused(path, "missing", "outcome", "simulations[0]")
    model_log = read(path, missing="drop").log("model")
    assert (model_log.counts.table.tolist(), model_log.missing) == ([[0, 1], [1, 0]], 2)
    del log["info"]["agent_info"]["llm"]
    assert list(read(save(tmp_path / "m" / "results.json", log), missing="drop")) == ["m"]
    other = tau2_log({"a": [0, 0]})
    other["info"]["environment_info"]["domain_name"] = "retail"
    folder = tmp_path / "two"
    save(folder / "a.json", tau2_log({"a": [1, 1]})), save(folder / "b.json", other)
    assert tables(read(folder)) == {"model": {"airline/a": [0, 2], "retail/a": [2, 0]}}


def test_terminal_bench_shares_of_passed_tests_are_scores(tmp_path):
    log = terminal_log({"t.3-of-5": [1, 0, None]})
    log["results"][1]["parser_results"] = {"a": "passed", "b": "passed", "c": "failed", "d": "passed"}
    path = save(tmp_path / "m" / "results.json", log)
    logs = read(path, which="tests", w="levels", missing="drop", trials=True)
    assert (logs.w, logs.log("m").outcomes.tolist(), logs.log("m").ids) == (
        (0, 0.75, 1),
        [[2, 1, -1]],
        ["t.3-of-5"],
    )
    refused(path, "fractional", "outcome", "results[1]", which="tests", missing="drop")
    refused(path, "choice", "which", "'resolved', 'tests'", which="passed", missing="drop")
    assert tables(read(path, missing="drop")) == {"m": {"t.3-of-5": [1, 1]}}
    for bad in ({"a": "skipped"}, [], 3, {"a": None}, {"a": []}):
        log["results"][1]["parser_results"] = bad
        options = {"which": "tests", "w": "levels", "missing": "drop"}
        refused(save(path, log), "format", "path", "results[1]: parser_results", **options)
    log["results"][1]["trial_name"] = "t.3-of-5"
    refused(save(path, log), "format", "path", "results[1]: trial_name is 't.3-of-5', not t.3-of-5.i-of-n")


def test_terminal_bench_runs_of_one_model_are_trials(tmp_path):
    for run in ("run1", "run2"):
        save(tmp_path / run / "results.json", terminal_log({"t": [1], "u": [0]}))
        save(tmp_path / run / "run_metadata.json", {"run_id": run, "dataset_name": "core", "model_name": "m"})
        save(tmp_path / run / "t" / "t.1-of-1.x" / "results.json", terminal_log({"t": [1]})["results"][0])
    logs = read(tmp_path)
    assert tables(logs) == {"m": {"t": [0, 2], "u": [2, 0]}}  # run_metadata.json says that these are runs of one model
    assert len(logs.provenance.skipped) == 4
    assert tables(read(tmp_path, files_are_runs=True)) == tables(logs)
    for run in ("run1", "run2"):
        (tmp_path / run / "run_metadata.json").unlink()
    assert tables(read(tmp_path)) == {run: {"t": [0, 1], "u": [1, 0]} for run in ("run1", "run2")}
    assert tables(read(tmp_path, files_are_runs=True)) == {tmp_path.name: {"t": [0, 2], "u": [2, 0]}}


# --- verl, eval-arena, opencompass ----------------------------------------------------------------------------


def test_verl_lines_are_trials_of_their_prompts(tmp_path):
    def line(q: str, gts: Any, score: Any, **other: Any) -> dict[str, Any]:
        return {"input": q, "output": "o", "gts": gts, "score": score, "step": 1} | other

    lines = [line("a", "1", 1.0), line("a", "2", 0.0), line("a", "1", 0.0), line("a", "2", 0.0)]
    log = read(save(tmp_path / "20.jsonl", lines), trials=True).log("20")
    assert log.outcomes.tolist() == [[1, 0], [0, 0]]
    save(tmp_path / "30.jsonl", lines[2:] + lines[:2])
    assert {m: log.counts.table.tolist() for m, log in read(tmp_path).pooled().logs.items()} == {
        "20": [[1, 1], [2, 0]],
        "30": [[1, 1], [2, 0]],
    }
    assert read(tmp_path).log("20").ids == read(tmp_path).log("30").ids
    graded = save(tmp_path / "x" / "1.jsonl", [line("a", "1", 0.5, acc=True), line("a", "1", -1.0, acc=False)])
    assert tables(read(graded))["1"].popitem()[1] == [1, 1]
    assert read(graded, which="score", w="levels").w == (-1, 0.5)
    refused(graded, "choice", "which", "'acc', 'score'", which="reward")
    refused(save(graded, [line("a", "1", 1, acc=1), line("a", "1", 1)]), "format", "path", ":2: there is no acc here")
    older = [{k: v for k, v in x.items() if k != "gts"} for x in lines]
    assert list(tables(read(save(graded, older)))["1"].values()) == [[3, 1]]


def test_arena_lines_are_counts(tmp_path):
    lines = [{"benchmark_id": b, "model": m, "example_id": "1", "pass1": 0.5, "correct": 1, "count": 2}
             for b in ("x", "y") for m in ("a", "b")]  # fmt: skip
    path = save(tmp_path / "a.jsonl", lines)
    assert tables(read(path)) == {m: {"x/1": [1, 1], "y/1": [1, 1]} for m in ("a", "b")}
    refused(save(path, [*lines, lines[0]]), "duplicate", "path", ":5: duplicate question '1' of 'a': already in line 1")
    refused(save(path, [lines[0] | {"correct": 3}]), "range", "c", ":1: more successes (c = 3) than trials (n = 2)")
    refused(save(path, [lines[0] | {"count": None}]), "missing", "n", ":1: ")
    clash = [lines[0] | {"benchmark_id": "x", "example_id": "y/1"}, lines[0] | {"benchmark_id": "x/y"}]
    with pytest.raises(InvalidInput, match="would have the id 'x/y/1'"):
        read(save(path, clash)).pooled()


def test_opencompass_details_of_either_layout_are_read(tmp_path):
    older = {"0": {"prompt": "p", "predictions": "4", "correct": True}, "1": {"prompt": "p", "correct": False}}
    for model in ("a", "b"):
        save(tmp_path / "results" / model / "gsm8k.json", {"accuracy": 50, "type": "GEN", "details": older})
        save(tmp_path / "results" / model / "math.json", {"accuracy": 50, "details": older | {"type": "GEN"}})
    expected = {"gsm8k/0": [0, 1], "gsm8k/1": [1, 0], "math/0": [0, 1], "math/1": [1, 0]}
    assert tables(read(tmp_path / "results")) == {"a": expected, "b": expected}
    details = [{"example_abbr": "s_0", "correct": [True, False], "cascade_correct": [True, True]}]
    path = save(tmp_path / "m" / "d.json", {"details": details})
    refused(path, "choice", "which", "'correct', 'cascade_correct'")
    assert tables(read(path, which="cascade_correct")) == {"m": {"s_0": [0, 2]}}
    for details, fragment in [
        ([{"example_abbr": "s", "correct": [True]}, {"example_abbr": "t"}], "details[1]: there is no correct here"),
        ([{"correct": [True]}], "details[0]: there is no example_abbr here"),
        ([{"pred": 1}], "the file has no outcomes"),
        ({"0": {"correct": True}, "": {"correct": True}}, "empty key"), ({"0": 3, "1": {"correct": 1}}, "details['0']"),
    ]:  # fmt: skip
        refused(save(path, {"details": details}), "format", "path", fragment)
    short = [{"example_abbr": q, "correct": [True] * n} for q, n in (("s", 2), ("t", 1))]
    refused(save(path, {"details": short}), "ragged", "outcome", "question 't'")
    assert read(path, missing="drop").log("m").missing == 1


def test_runs_of_opencompass_that_are_benchmarks_are_trials(tmp_path):
    """Check that runs named "aime-run0", "aime-run1", ... are trials of one benchmark, not new questions."""
    for run, outcomes in enumerate([(1, 0, 1), (1, 1, 0)]):
        details = [{"example_abbr": f"aime-run{run}_{i}", "correct": [bool(x)]} for i, x in enumerate(outcomes)]
        path = save(tmp_path / "results" / "a" / f"aime-run{run}.json", {"details": details})
    save(tmp_path / "results" / "a" / "other-run7.json", {"details": [{"example_abbr": "other-run7_0", "correct": 1}]})
    e = read(tmp_path)
    assert list(e.benchmarks) == ["aime", "other-run7"]
    assert tables(e) == {"a": {"aime/aime_0": [0, 2], "aime/aime_1": [1, 1], "aime/aime_2": [1, 1],
                               "other-run7/other-run7_0": [0, 1]}}  # fmt: skip
    assert [x for x in e.provenance.remarks if "separate benchmarks of opencompass" in x]
    save(path.with_name("aime-run2.json"), {"details": [{"example_abbr": "aime-run2_0", "correct": [True]}]})
    refused(tmp_path, "ragged", "outcome", "aime_1")


def test_missing_and_renumbered_replicas_of_opencompass_are_noticed(tmp_path):
    details = [{"example_abbr": "s_0", "correct": [True, False, True]}, {"example_abbr": "s_1", "correct": [True] * 3}]
    path = save(tmp_path / "m" / "s.json", {"accuracy (4 runs average)": 83.33, "details": details})
    refused(path, "missing", "outcome", "details[0]")
    assert read(path, missing="drop").log("m").missing == 2
    twice = {str(i): {"prompt": f"p{i % 3}", "correct": i > 2} for i in range(6)}
    assert "every prompt is in it 2 times" in str(read(save(path, {"details": twice})).provenance.remarks)
    once = twice | {"5": {"prompt": "p9", "correct": True}}
    assert not read(save(path, {"details": once})).provenance.remarks
