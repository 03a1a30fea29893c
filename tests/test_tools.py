"""Details of single tools: metrics, names of models and questions, and remarks on omissions."""

from __future__ import annotations

import json

import pytest
import tool_logs
import written as tools
from tool_logs import save
from written import refused, tables

from scorio import InvalidInput
from scorio.io import read

R = tools.R


def test_harbor_names_agents_and_remarks_on_trials_without_a_reward(tmp_path):
    for i, (reward, info) in enumerate([(1.0, None), (None, {"name": "gpt-x", "provider": "openai"}), (0.5, None)]):
        trial = tool_logs.harbor_trial("t", f"t__{i}", None, agent_info={"name": "nop", "model_info": info})
        trial["verifier_result"] = None if reward is None else {"rewards": {"reward": reward, "style": 1 - reward}}
        save(tmp_path / f"t__{i}" / "result.json", trial)
    logs = read(tmp_path, missing="drop", w="levels")
    assert tables(logs) == {"nop": {"t": [0, 1, 1]}, "nop/openai/gpt-x": {"t": [0, 0, 0]}}
    assert logs.provenance.remarks == ("Trials of harbor without a reward: 1. Harbor's own mean counts these as 0.",)
    assert read(tmp_path, missing="drop", w="levels", which="style").benchmark().metric == "style"
    refused(tmp_path, "choice", "which", "'reward', 'style'", which="speed", missing="drop", w="levels")
    copy = save(tmp_path / "copy" / "result.json", json.loads((tmp_path / "t__0" / "result.json").read_text()))
    logs = read(tmp_path, missing="drop", w="levels")
    assert (tables(logs)["nop"], logs.provenance.remarks[1].startswith("Duplicate outcomes, copies of a trial")) == (
        {"t": [0, 1, 1]},
        True,
    )
    trial = json.loads(copy.read_text()) | {"verifier_result": {"rewards": {"reward": 0.0}}}
    save(copy, trial)
    refused(tmp_path, "duplicate", "path", "has a different outcome in", missing="drop", w="levels")


def test_promptfoo_questions_are_test_cases(tmp_path):
    rows = [tool_logs.promptfoo_row("a", i, 1) for i in range(2)]
    rows += [tool_logs.promptfoo_row("a", 2, 0, prompt={"label": "Other"}, promptIdx=1)]
    rows += [tool_logs.promptfoo_row("a", 3, 1) | {"testCase": {"assert": [{"type": "equals", "value": "4"}]}}]
    rows[0] |= {"namedScores": {"tone": 0.25}, "vars": rows[0]["vars"] | {"sessionId": "x"}}
    path = save(tmp_path / "a.jsonl", rows)
    assert {m: sorted(t.values()) for m, t in tables(read(path, missing="drop")).items()} == {
        "model [Add {{a}}]": [[0, 1], [0, 2]], "model [Other]": [[1, 0]]}  # fmt: skip
    path = save(tmp_path / "a.jsonl", [rows[0]])
    assert read(path, which="tone", w="levels").w == (0, 0.25, 1)
    (tmp_path / "r.csv").write_text("a,[x] b,Status,Score,Named Scores,Grader Reason,c,Status\n1,2,PASS,1,,,,\n")
    refused(tmp_path / "r.csv", "format", "path", "export JSON (-o results.json)")
    assert read(tmp_path, missing="drop").provenance.skipped == ("r.csv",)


def test_openai_evals_metrics_are_chosen_with_which(tmp_path):
    path = tool_logs.openai_evals(tmp_path, R)
    lines = [json.loads(x) for x in path.read_text().splitlines()]
    save(path, [line for line in lines if "final_report" not in line])
    refused(path, "missing", "path", "no final_report")
    assert read(path, missing="drop").provenance.unfinished
    metrics = [
        {"type": "metrics", "sample_id": "q", "run_id": "r", "data": {"f1": 0.5, "em": 1, "said": "x"}},
        {"final_report": {}, "run_id": "r"},
    ]
    save(path, [lines[0], *metrics])
    assert "'f1', 'em'" in refused(path, "choice", "which")
    assert tables(read(path, which="em")) == {"model": {"q": [0, 1]}}
    item = {"object": "eval.run.output_item", "id": "o1", "datasource_item_id": 3, "sample": {"model": "gpt"}}
    items = [item | {"id": f"o{i}", "results": [{"name": "g", "passed": bool(i), "score": 1}]} for i in range(2)]
    for path in (save(tmp_path / "i.jsonl", items), save(tmp_path / "i.json", {"object": "list", "data": items})):
        assert tables(read(path)) == {"gpt": {"3": [1, 1]}}


def test_deepeval_metrics_are_chosen_with_which(tmp_path):
    path = tool_logs.deepeval(tmp_path, {"q": [1, 0]})
    log = json.loads(path.read_text())
    log["testCases"][0]["metricsData"].append({"name": "Faithful", "success": False, "score": 0.25})
    save(path, {"testRunData": log})
    assert "'Exact', 'Faithful'" in refused(path, "choice", "which")
    assert [x.counts.table.tolist() for x in read(path, which="Exact").pooled().logs.values()] == [[[1, 1]]]
    assert read(path, which="Faithful/score", missing="drop", w="levels").w == (0, 0.25, 1)
    del log["hyperparameters"]
    assert list(read(save(path, log), which="Exact")) == ["test_run_20261121_230733"]


def test_mlflow_columns_are_chosen_with_which(tmp_path):
    path = tool_logs.mlflow(tmp_path, R)
    text = path.read_text().replace("exact/value", "ok/value,judge/value").replace(",True,", ",True,yes,")
    path.write_text(text.replace(",False,", ",False,no,"))
    assert "'ok', 'judge'" in refused(path, "choice", "which")
    for which in ("ok", "judge"):
        assert sorted(map(tuple, read(path, which=which).log("model").counts.table.tolist())) == [(1, 2), (2, 1)]


def test_swe_bench_reports_are_read_and_checked(tmp_path):
    report = {"total_instances": 5, "submitted_ids": ["a", "b", "c", "d"], "completed_ids": ["a", "b"],
              "resolved_ids": ["a"], "unresolved_ids": ["b"], "empty_patch_ids": ["c"], "error_ids": ["d"],
              "incomplete_ids": ["e"], "resolved_instances": 1}  # fmt: skip
    path = save(tmp_path / "org__model.run1.json", report)
    logs = read(path, missing="drop")
    assert tables(logs) == {"org/model": {"a": [0, 1], "b": [1, 0], "c": [1, 0], "d": [1, 0], "e": [0, 0]}}
    assert logs.provenance.remarks == (
        "Instances without a result (incomplete): 1. SWE-bench's own rate counts these as unresolved.",
    )
    save(
        tmp_path / "org__model.run2.json",
        report | {"resolved_ids": ["a", "b"], "unresolved_ids": [], "resolved_instances": 2},
    )
    assert tables(read(tmp_path, missing="drop"))["org/model"]["b"] == [1, 1]
    for bad in ({"unresolved_ids": ["a", "b"]}, {"resolved_instances": 2}, {"resolved_ids": [1]}):
        refused(save(path, report | bad), "format", "path", missing="drop")
    save(path, {"no_generation": [], "no_logs": [], "resolved": ["a"]})
    refused(path, "format", "path", "names only the resolved instances")


def test_swe_bench_infrastructure_failures_are_missing_on_request(tmp_path):
    report = {"submitted_ids": ["a", "b", "c"], "resolved_ids": ["a"], "unresolved_ids": ["b"], "error_ids": ["c"],
              "infra_failure_ids": ["a", "c"], "schema_version": 2}  # fmt: skip
    path = save(tmp_path / "m.run1.json", report)
    assert tables(read(path)) == {"m": {"a": [0, 1], "b": [1, 0], "c": [1, 0]}}
    logs = read(path, which="infra-missing", missing="drop")
    assert tables(logs) == {"m": {"a": [0, 1], "b": [1, 0], "c": [0, 0]}}
    assert logs.provenance.remarks[0].startswith("Instances whose run failed because of the infrastructure: 1.")
    del report["infra_failure_ids"]
    refused(save(path, report), "format", "path", "infra_failure_ids", which="infra-missing")
    instance_report = {"patch_exists": True, "resolved": False, "infra_failure": True}
    instance_path = save(tmp_path / "runs" / "r1" / "m" / "x" / "report.json", {"x": instance_report})
    assert tables(read(instance_path)) == {"m": {"x": [1, 0]}}
    assert tables(read(instance_path, which="infra-missing", missing="drop")) == {"m": {"x": [0, 0]}}


def test_harbor_remarks_on_a_changed_task(tmp_path):
    for i, checksum in enumerate("aab"):
        trial = tool_logs.harbor_trial("t", f"t__{i}", 1, task_checksum=checksum)
        save(tmp_path / f"t__{i}" / "result.json", trial)
    remark = "Trials of harbor whose version of the task (task_checksum) differs from that of the first trial: 1."
    assert read(tmp_path).provenance.remarks == (remark,)


def test_bfcl_scores_need_the_answers(tmp_path):
    folder = tool_logs.bfcl(tmp_path, {"simple_0": [1], "simple_1": [0], "simple_2": [1]})
    logs = read(folder)
    assert tables(logs) == {"model": {"simple_0": [0, 1], "simple_1": [1, 0], "simple_2": [0, 1]}}
    assert (logs.provenance.format, list(logs.benchmarks)) == ("bfcl", ["simple"])
    score = folder / "score" / "model" / "BFCL_v3_simple_score.json"
    assert tables(read(score)) == tables(logs)
    raw = score.read_bytes()
    for end in range(len(raw)):
        score.write_bytes(raw[:end])
        if end != len(raw) - 1:  # there only the last newline is missing
            assert not tools.can_read(score), end
    score.write_bytes(raw)
    answers = folder / "result" / "model" / "BFCL_v3_simple_result.json"
    answers.write_text(answers.read_text().rpartition("{")[0])
    refused(score, "format", "path", "lists only the failures among 3 questions")
    answers.unlink()
    refused(score, "format", "path", "BFCL_v3_simple_result.json too")


def test_livecodebench_custom_logs_are_read(tmp_path):
    path = save(
        tmp_path / "m_eval_all.json", {"date": "d", "eval": {"q": {"code_list": [], "graded_list": [True, False]}}}
    )
    assert tables(read(path)) == {"m": {"q": [1, 1]}}
    folder = tool_logs.livecodebench(tmp_path / "x", R)
    assert len(read(folder).provenance.skipped) == 2


def test_nemo_skills_metrics_are_chosen_with_which(tmp_path):
    folder = tmp_path / "run" / "eval-results" / "aime24"
    lines = [{"problem": "p", "expected_answer": "4", "generation": "g", "symbolic_correct": False,
              "judgement": f"because... Judgement: {x}"} for x in ("Yes", "No")]  # fmt: skip
    path = save(folder / "output.jsonl", lines)
    refused(path, "choice", "which", "'symbolic_correct', 'judgement'")
    logs = read(path, which="judgement")
    assert (list(logs), list(logs.benchmarks), logs.log("run").counts.table.tolist()) == (
        ["run"],
        ["aime24"],
        [[1, 1]],
    )
    save(path, [lines[0] | {"judgement": "I cannot say"}])
    refused(path, "missing", "outcome", which="judgement")


def test_verifiers_rewards_are_chosen_or_weighted(tmp_path):
    path = tool_logs.verifiers(tmp_path, R)
    lines = [json.loads(x) | {"style": 0.5} for x in path.read_text().splitlines()]
    save(path, lines)
    assert read(path, which="style", w="levels").benchmark().metric == "style"
    traces = tool_logs.verifiers_traces(tmp_path / "v1", {"q": [1]})
    line = json.loads(traces.read_text())
    line["traces"][0]["rewards"] = {"a": {"score": 1, "weight": 0.5}, "b": {"score": 0.5, "weight": 0.5}}
    save(traces, [line])
    assert read(traces, w="levels").w == (0, 0.75, 1)
    line["traces"].append(line["traces"][0] | {"agent": {"name": "judge", "config": {"model": "j"}}})
    save(traces, [line])
    refused(traces, "choice", "which", "'solver', 'judge'")
    assert list(read(traces, which="judge", w="levels")) == ["j"]


def test_helm_metrics_are_chosen_with_which(tmp_path):
    path = tool_logs.helm(tmp_path, R)
    logs = read(path)
    assert list(logs.benchmarks) == ["mmlu:subject=law"]
    assert logs.provenance.remarks == (
        "The trials of HELM differ in the examples in the prompt; they do not repeat the same prompt.",
    )
    rows = json.loads(path.read_text())
    for row in rows:
        row["stats"].append({"name": {"name": "f1", "split": "test"}, "count": 1, "sum": 1, "mean": 1})
    save(path, rows)
    refused(path, "choice", "which", "'exact_match', 'f1'")
    assert read(path, which="mmlu:subject=law=f1").benchmark().metric == "f1"


def test_lmms_eval_logs_are_read(tmp_path):
    lines = [tools.lm_eval_line(i, 0) for i in range(2)]
    for i, line in enumerate(lines):
        del line["metrics"], line["exact_match"], line["filter"], line["prompt_hash"], line["target_hash"]
        line["mme_score"] = {"question_id": f"q{i}", "pred": "yes", "score": float(i)}
    path = save(tmp_path / "org__m" / "20261121_120000_samples_mme.jsonl", lines)
    logs = read(path)
    assert (tables(logs), list(logs.benchmarks), logs.benchmark().metric) == (
        {"org__m": {"0": [1, 0], "1": [0, 1]}},
        ["mme"],
        "mme_score/score",
    )


def test_lm_eval_remarks_that_one_of_four_responses_was_scored(tmp_path):
    lines = [tools.lm_eval_line(i, 1, resps=[["4"] * 4], filtered_resps=["4"]) for i in range(3)]
    logs = read(tools.lm_eval_file(tmp_path, lines))
    assert logs.provenance.remarks == (
        "Documents of 4 responses of which the metric scores only one: 3. Each of these is 1 trial, not 4.",
    )
    assert read(tools.lm_eval_file(tmp_path, [tools.lm_eval_line(0, 1)])).provenance.remarks == ()


def write_inspect_log(folder, name, created, status, values, task_id="T", **more):
    log = tools.inspect_log({"q": values})
    log["eval"] |= {"task_id": task_id, "run_id": name, "created": created} | more
    log["status"] = status
    save(folder / f"{name}.json", log)


def test_a_retry_replaces_earlier_logs(tmp_path):
    write_inspect_log(tmp_path, "a", "2026-11-21T23:04:48", "error", [0, None])
    write_inspect_log(tmp_path, "b", "2026-11-21T23:04:50", "error", [0, 0])
    write_inspect_log(tmp_path, "c", "2026-11-21T23:04:52", "success", [1, 1])
    logs = read(tmp_path)
    assert (tables(logs), len(logs.provenance.remarks)) == ({"model": {"q": [0, 2]}}, 2)
    assert logs.provenance.remarks[0] == "a.json was retried: c.json is read instead."
    # the successful run counts, not the latest one
    write_inspect_log(tmp_path, "d", "2026-11-21T23:04:59", "cancelled", [0])
    assert tables(read(tmp_path)) == {"model": {"q": [0, 2]}}
    write_inspect_log(tmp_path / "other", "c", "2026-11-21T23:04:52", "success", [1, 1])  # a copy is not a retry
    refused(tmp_path, "missing", "path", missing="raise")
    with pytest.raises(InvalidInput) as e:
        read(tmp_path, missing="drop")
    assert e.value.code == "duplicate"


def test_runs_keep_the_name_of_the_model(tmp_path):
    for i in range(2):
        write_inspect_log(tmp_path, f"r{i}", "2026", "success", [1, 0], f"T{i}", model="org/m")
    assert tables(read(tmp_path, files_are_runs=True)) == {"org/m": {"q": [2, 2]}}


def test_terminal_bench_names_agent_and_model(tmp_path):
    for run in ("r1", "r2"):
        save(tmp_path / run / "results.json", tools.terminal_log({"t": [1]}))
        metadata = {"run_id": run, "dataset_name": "core", "agent_name": "terminus", "model_name": "openai/gpt"}
        save(tmp_path / run / "run_metadata.json", metadata)
    assert tables(read(tmp_path)) == {"terminus/openai/gpt": {"t": [0, 2]}}
    save(tmp_path / "copy" / "results.json", tools.terminal_log({"t": [1]}))
    save(tmp_path / "copy" / "run_metadata.json", metadata)
    refused(tmp_path, "duplicate", "path", "r2/1")
    (tmp_path / "copy" / "run_metadata.json").write_text("{")
    refused(tmp_path, "format", "path", "run_metadata.json:1: not JSON")


def test_unsupported_formats_are_named(tmp_path):
    path = save(tmp_path / "a.json", {"metrics": {"a": 1}, "score": 0.5})
    refused(path, "format", "path", "simple-evals, which holds averages only")


ERRORS = {
    "tau.json": [
        {"task_id": 0, "reward": 1.0, "info": {"error": None, "task": {}}, "traj": [], "trial": 0},
        {"task_id": 1, "reward": 0.0, "info": {"error": "RateLimitError", "traceback": "t"}, "traj": [], "trial": 0},
        {"task_id": 2, "reward": 0.0, "info": {"task": {}}, "traj": [], "trial": 0},
    ],
    "deepeval.json": {"testCases": [
        {"input": f"q{i}", "metricsData": [{"name": "A", "threshold": 0.5, "success": i == 0, "score": x, "error": e}]}
        for i, (x, e) in enumerate(((1.0, None), (None, "timeout"), (0.0, None)))
    ]},
    "results.jsonl": [
        {"example_id": i, "prompt": [], "completion": None, "reward": float(i == 0), "error": e}
        for i, e in enumerate((None, "InfraError('sandbox')", None))
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_an_outcome_that_a_tool_writes_after_an_error_is_missing(tmp_path, name):
    path = save(tmp_path / "m" / name, ERRORS[name])
    save(tmp_path / "m" / "metadata.json", {"model": "m", "env": "e", "avg_reward": 1 / 3})  # of verifiers
    refused(path, "missing", "outcome")
    e = read(path, missing="drop")
    assert sorted(sum(x) for x in next(iter(tables(e).values())).values()) == [0, 1, 1]
    assert e.leaderboard().table[0].average.mu == 1 / 2
    assert read(path, missing=0).leaderboard().table[0].average.mu == 1 / 3
    assert not any("states" in x for x in e.provenance.remarks)
