"""Scores and totals that a log states are compared with the outcomes read: differences are reported or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import written as tools
from tool_logs import bfcl, save

import scorio
from scorio import InvalidInput

R = {"q1": [1, 0, 1], "q2": [0, 0, 1]}
# where each format states a score or a total: a pattern of files, and the path to it in the document
STATED_SCORES = {
    "terminal": ("**/results.json", ["accuracy"]),
    "opencompass": ("**/gsm8k.json", ["accuracy"]),
    "livecodebench": ("**/*_eval.json", [0, "pass@1"]),
    "nemo_skills": ("**/metrics.json", ["aime24", "pass@1[avg-of-3]", "symbolic_correct"]),
    "verifiers": ("**/metadata.json", ["avg_reward"]),
    "helm": ("**/stats.json", [0, "mean"]),
}  # fmt: skip


def falsify(file: Path, path: list, by: float = 0.1) -> None:
    log = json.loads(file.read_text())
    x = log
    for name in path[:-1]:
        x = x[name]
    x[path[-1]] += by
    file.write_text(json.dumps(log))


def contradictions(path: Path, **options: object) -> list[str]:
    return [x for x in scorio.read(path, **options).provenance.remarks if "the log states" in x]


@pytest.mark.parametrize("kind", list(tools.LOG_WRITERS))
def test_logs_that_agree_with_themselves_get_no_remark(tmp_path, kind):
    assert contradictions(tools.LOG_WRITERS[kind](tmp_path, R)) == []


@pytest.mark.parametrize("kind", list(STATED_SCORES))
def test_a_stated_score_that_the_outcomes_contradict_is_reported(tmp_path, kind):
    path = tools.LOG_WRITERS[kind](tmp_path, R)
    pattern, where = STATED_SCORES[kind]
    file = next(tmp_path.glob(pattern))
    before = tools.tables(scorio.read(path))
    falsify(file, where)
    remarks = contradictions(path)
    assert len(remarks) == 1
    assert "the outcomes that were read give" in remarks[0]
    assert tools.tables(scorio.read(path)) == before


def test_wrong_scores_in_json_lines_are_reported(tmp_path):
    path = tools.LOG_WRITERS["openai_evals"](tmp_path, R)
    path.write_text(path.read_text().replace('"accuracy": 0.5', '"accuracy": 0.7'))
    assert contradictions(path) == [
        f"{path.name}: the log states accuracy 0.7, the outcomes that were read give 0.5."
    ]  # fmt: skip
    path = tools.LOG_WRITERS["arena"](tmp_path, R)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0].replace('"pass1": 0.6', '"pass1": 0.9'), *lines[1:]]))
    assert len(contradictions(path)) == 1


def test_a_wrong_score_of_inspect_is_reported(tmp_path):
    def log(x: float, **config: object) -> Path:
        entry = {"name": "match", "scorer": "match", "scored_samples": 2, "metrics": {"accuracy": {"value": x}}}
        document = tools.inspect_log(R) | {"results": {"completed_samples": 6, "scores": [entry]}}
        document["eval"]["config"] |= config
        save(tmp_path / "x" / "log.json", document)
        return tmp_path / "x"

    assert contradictions(log(0.5)) == []
    for path in (log(0.6), tmp_path / "x" / "log.json"):
        assert contradictions(path) == [
            "log.json: the log states accuracy of match 0.6, the outcomes that were read give 0.5."
        ]  # fmt: skip
    assert contradictions(log(0.6, epochs_reducer=["max"])) == []  # another reducer: the best of the epochs
    assert contradictions(log(0.5, epochs_reducer=["mean"])) == []


def lm_eval(folder: Path, score: float, documents: int = 2, **metric: object) -> Path:
    lines = [tools.lm_eval_line(i, x) for i, x in enumerate((1, 0))]
    save(folder / "m" / f"samples_toy_{tools.DATE}.jsonl", lines)
    results = {"results": {"toy": {"exact_match,strict-match": score}}, "versions": {}, "model_name": "m"}
    results |= {"n-samples": {"toy": {"original": 9, "effective": documents}}}
    results |= {"configs": {"toy": {"metric_list": [{"metric": "exact_match"} | metric]}}}
    save(folder / "m" / f"results_{tools.DATE}.json", results)
    return folder


def test_wrong_results_of_lm_eval_are_reported_or_refused(tmp_path):
    assert contradictions(lm_eval(tmp_path, 0.5)) == []
    assert "exact_match,strict-match 0.8" in contradictions(lm_eval(tmp_path, 0.8))[0]
    assert contradictions(lm_eval(tmp_path, 0.8, aggregation="f1")) == []  # not an average over documents
    with pytest.raises(InvalidInput, match="the log states documents 3, the outcomes that were read give 2") as e:
        scorio.read(lm_eval(tmp_path, 0.5, 3))
    assert (e.value.code, e.value.hint) == ("missing", "policy")
    assert "documents 3" in scorio.read(tmp_path, missing="drop").provenance.unfinished[0]


def test_wrong_results_of_lighteval_are_reported(tmp_path):
    tools.LOG_WRITERS["lighteval"](tmp_path, R)
    file = next(tmp_path.rglob("*.parquet"))
    metric = next(iter(pq.read_table(file).to_pylist()[0]["metric"]))
    for x, n_remarks in ((0.5, 0), (0.4, 1)):
        save(tmp_path / "results" / "model" / f"results_{tools.DATE}.json", {"results": {"aime24": {metric: x}}})
        assert len(contradictions(tmp_path / "details")) == n_remarks


def test_a_job_of_harbor_without_one_of_its_trials_is_reported(tmp_path):
    job = tools.LOG_WRITERS["harbor"](tmp_path, R | {"q3": [1, None, 1]})
    stated = {"n_trials": 8, "n_errors": 1, "metrics": [{"mean": 5 / 9}]}
    save(job / "result.json", {"n_total_trials": 9, "stats": {"evals": {"model__tasks": stated}}})
    assert contradictions(job, missing="drop") == []
    next(job.glob("0000*/result.json")).unlink()
    remarks = contradictions(job, missing="drop")
    assert len(remarks) == 2
    assert "trials and errors 9, the outcomes that were read give 8" in remarks[0]


def test_wrong_totals_of_promptfoo_and_deepeval_are_reported_or_refused(tmp_path):
    path = tools.LOG_WRITERS["promptfoo"](tmp_path / "p", R)
    log = json.loads(path.read_text())
    log["results"]["stats"] = {"successes": 3, "failures": 3, "errors": 0}
    save(path, log)
    assert contradictions(path) == []
    save(path, log | {"results": log["results"] | {"results": log["results"]["results"][:4]}})
    with pytest.raises(InvalidInput, match="the log states rows 6, the outcomes that were read give 4"):
        scorio.read(path)
    swapped = log["results"] | {"stats": {"successes": 4, "failures": 2, "errors": 0}}
    save(path, log | {"results": swapped})
    assert [x.split("the log states ")[1][:13] for x in contradictions(path)] == ["successes 4, ", "failures 2, t"]
    path = tools.LOG_WRITERS["deepeval"](tmp_path / "d", R)
    log = json.loads(path.read_text()) | {"metricsScores": [{"metric": "Exact", "passes": 4, "fails": 3}]}
    assert contradictions(save(path, log)) == [
        f"{path.name}: the log states passes of Exact 4, the outcomes that were read give 3."
    ]  # fmt: skip


def test_wrong_totals_of_tau2_and_swe_bench_are_refused(tmp_path):
    log = tools.tau2_log(R)
    log |= {"tasks": [{}, {}], "info": log["info"] | {"num_trials": 3}}
    assert contradictions(save(tmp_path / "results.json", log)) == []
    save(tmp_path / "results.json", log | {"tasks": [{}] * 3})
    with pytest.raises(InvalidInput, match="tasks x num_trials 9, the outcomes that were read give 6"):
        scorio.read(tmp_path / "results.json")
    report = {"resolved_ids": ["a"], "unresolved_ids": ["b"], "submitted_ids": ["a", "b"], "total_instances": 3}
    with pytest.raises(InvalidInput, match="total_instances 3, the outcomes that were read give 2"):
        scorio.read(save(tmp_path / "m.run.json", report))


def test_wrong_scores_of_code_benchmarks_and_function_calls_are_reported(tmp_path):
    log = tools.evalplus_log(R) | {"pass_at_k": {"base": {"pass@1": 0.5}}}
    assert contradictions(save(tmp_path / "m_eval_results.json", log)) == []
    falsify(tmp_path / "m_eval_results.json", ["pass_at_k", "base", "pass@1"])
    assert len(contradictions(tmp_path / "m_eval_results.json")) == 1
    path = tools.LOG_WRITERS["bigcodebench"](tmp_path / "b", R)
    save(path.with_name("model_pass_at_k.json"), {"pass@1": 0.6})
    assert len(contradictions(path)) == 1
    path = tools.LOG_WRITERS["every_eval_ever"](tmp_path / "e", R)
    stated = {"evaluation_results": [{"evaluation_name": "GSM8K", "score_details": {"score": 0.6}}]}
    save(path.with_name("samples.json"), stated)
    assert len(contradictions(path)) == 1
    bfcl(tmp_path / "f", {"q1": [1], "q2": [0]})
    file = next((tmp_path / "f").rglob("*_score.json"))
    file.write_text(file.read_text().replace('"accuracy": 0.5', '"accuracy": 0.75'))
    assert len(contradictions(tmp_path / "f")) == 1


def test_a_duplicate_event_is_refused(tmp_path):
    path = tools.LOG_WRITERS["openai_evals"](tmp_path, R)
    path.write_text(path.read_text() * 2)
    with pytest.raises(InvalidInput, match=": already in"):
        scorio.read(path)


def test_a_copied_trial_of_harbor_is_counted_once(tmp_path):
    job = tools.LOG_WRITERS["harbor"](tmp_path, R)
    stated = {"n_trials": 6, "n_errors": 0, "metrics": [{"mean": 0.5}]}
    save(job / "result.json", {"n_total_trials": 6, "stats": {"evals": {"model__tasks": stated}}})
    save(job / "copy" / "result.json", json.loads(next(job.glob("0000*/result.json")).read_text()))
    assert contradictions(job) == []
