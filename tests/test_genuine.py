"""Logs that the tools themselves wrote: our average of each equals the score that the tool states.

SCORIO_LOGS names their folder; without it these tests are skipped. tests/tool_logs.py has the same layouts, shortened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorio.io import Evaluation, read

ROOT = Path(os.environ.get("SCORIO_LOGS", "/nonexistent"))
pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason="SCORIO_LOGS names no folder of genuine logs")

RETRY = {"mockllm/model": 0.0}
# folder, options, and each model's score in each benchmark as the tool states it
SCORES: list[tuple[str, dict, dict[str, dict[str, float]]]] = [
    ("inspect_ai/one_task_eval", {}, {"addition": {"mockllm/strong": 0.8958333, "mockllm/weak": 0.3541667}}),
    ("inspect_ai/one_task_json", {}, {"addition": {"mockllm/strong": 0.8958333, "mockllm/weak": 0.3541667}}),
    ("inspect_ai/two_scorers_eval", {"which": "match"},
     {"addition_two": {"mockllm/strong": 0.925, "mockllm/weak": 0.375}}),
    ("inspect_ai/evalset", {"which": "addition_two=match", "w": "levels"}, {
        "addition": {"mockllm/strong": 0.875, "mockllm/weak": 0.4375},
        "addition_two": {"mockllm/strong": 0.95, "mockllm/weak": 0.4},
        "graded": {"mockllm/strong": 0.9765625, "mockllm/weak": 0.484375}}),
    ("inspect_ai/errs_eval", {"missing": "drop"}, {"errs": {"mockllm/strong": 0.875, "mockllm/weak": 0.3166667}}),
    ("inspect_ai/st_cancel", {"missing": "drop"}, {"stopped": {"mockllm/strong": 0.9}}),
    ("inspect_ai/evalretry", {}, {"errs_fatal": RETRY}),
    ("lm_eval/out_models", {"which": "toymc=acc"}, {
        "toymc": {"org__modelA": 0.25, "org__modelB": 0.25}, "toyone": {"org__modelA": 0.65, "org__modelB": 0.65}}),
    ("lm_eval/out_runs", {"files_are_runs": True}, {"toyone": {"out_runs": 23 / 60}}),
    ("lighteval/out", {}, {
        "toy_em|0": {"org/alpha": 0.45, "org/beta": 0.35}, "toy_avg|0": {"org/alpha": 0.7, "org/beta": 0.4125},
        "toy_pass|0": {"org/alpha": 0.6875, "org/beta": 0.4875}}),
    ("opencompass", {}, {"toy": {"alpha": 0.675}, "toy1": {"alpha": 0.5}}),
    ("terminal-bench/runs", {}, {"": {"terminus/openai/gpt-x": 0.5416667, "terminus/anthropic/c-y": 0.4583333}}),
    ("harbor", {"missing": 0}, {"tasks": {"oracle": 0.5, "nop/openai/gpt-x": 0.0}}),
    ("openai-evals", {}, {"toy.dev.v0": {"gpt-a": 0.625, "gpt-b": 0.5625}}),
    ("deepeval", {}, {"": {"toy": 0.6}}),
    ("mlflow", {}, {"": {"eval_results": 0.6}}),
    ("tau2", {"missing": 0}, {"retail": {"openai:gpt-realtime-2": 0.0}}),
    ("verl/dapo", {}, {"": {"0": 0.40625, "10": 0.46875, "20": 0.6875}}),
    ("verl/gsm8k", {}, {"": {"0": 0.375, "10": 0.6875, "20": 0.59375}}),
    ("verl/pm1", {"scale": (-1, 1)}, {"": {"0": -0.5, "10": 0.0625, "20": 0.4375}}),
    ("evalplus", {"which": "base"},
     {"": {"alpha--foo_vllm_temp_0.8": 0.7916667, "beta--foo_vllm_temp_0.8": 0.3333333}}),
    ("human-eval", {}, {"": {"alpha": 0.71875, "beta": 0.25}}),
]  # fmt: skip


def averages(logs: Evaluation) -> dict[str, dict[str, float]]:
    """The average of each model in each benchmark."""
    result: dict[str, dict[str, float]] = {}
    for task, part in logs.benchmarks.items():
        w = part.scores
        for model, log in part.logs.items():
            answered = log.counts.table[log.counts.trials > 0]
            means = (answered @ w) / answered.sum(axis=1)
            result.setdefault(task, {})[model] = float(means.mean())
    return result


@pytest.mark.parametrize(("folder", "options", "scores"), SCORES, ids=[x[0] for x in SCORES])
def test_averages_equal_the_scores_of_the_tools(folder, options, scores):
    logs = read(ROOT / folder, **options)
    result = averages(logs)
    assert {task: set(x) for task, x in result.items()} == {task: set(x) for task, x in scores.items()}
    for task, models in scores.items():
        assert result[task] == pytest.approx(models, abs=1e-6)


def read_header(file: Path) -> dict:
    """The header of an .eval file."""
    from scorio.readers.files import Members

    with file.open("rb") as f:
        return json.loads(Members(f).read("header.json"))


def read_json(file: Path) -> dict:
    return json.loads(file.read_text())


def stated_scores(root: Path) -> Iterator[tuple[str, str, str, float, str]]:
    """Yield the scores that the tools state: folder, benchmark, model, score, and a remark on the score."""
    for folder in ("one_task_eval", "two_scorers_eval", "errs_eval", "st_cancel"):
        for file in sorted((root / "inspect_ai" / folder).glob("*.eval")):
            log = read_header(file)
            score = next(x for x in log["results"]["scores"] if x["name"] == "match")
            yield (f"inspect_ai/{folder}", log["eval"]["task"], log["eval"]["model"],
                   score["metrics"]["accuracy"]["value"], "")  # fmt: skip
    for file in sorted((root / "lm_eval/out_models").rglob("results_*.json")):
        for task, metric in (("toymc", "acc,none"), ("toyone", "exact_match,none")):
            yield "lm_eval/out_models", task, file.parent.name, read_json(file)["results"][task][metric], ""
    for file in sorted((root / "lighteval/out/results").rglob("*.json")):
        log = read_json(file)
        for task, x in log["results"].items():
            if task != "all":
                first = next(y for name, y in x.items() if not name.endswith("_stderr"))
                yield "lighteval/out", task, log["config_general"]["model_name"], first, ""
    for file in sorted((root / "opencompass").rglob("results/*/*.json")):
        score = next(x for name, x in read_json(file).items() if name.startswith("accuracy"))
        yield "opencompass", file.stem, file.parent.name, score / 100, ""
    for file in sorted((root / "terminal-bench/runs").glob("*/results.json")):
        run = read_json(file.with_name("run_metadata.json"))
        yield "terminal-bench/runs", "", f"{run['agent_name']}/{run['model_name']}", read_json(file)["accuracy"], ""
    job = read_json(next((root / "harbor/jobs").glob("*/result.json")))["stats"]["evals"]
    names = {"oracle__tasks": "oracle", "nop__gpt-x__tasks": "nop/openai/gpt-x"}
    for name, x in job.items():
        yield "harbor", "tasks", names[name], x["metrics"][0]["mean"], "an error counts as 0 (--missing 0)"
    for file in sorted((root / "openai-evals").glob("*.jsonl")):
        lines = [json.loads(x) for x in file.read_text().splitlines()]
        spec = next(x["spec"] for x in lines if "spec" in x)
        report = next(x["final_report"] for x in lines if "final_report" in x)
        yield "openai-evals", spec["eval_name"], spec["completion_fns"][0], report["accuracy"], ""
    log = read_json(next((root / "deepeval").rglob("test_run_*.json")))
    yield "deepeval", "", log["hyperparameters"]["model"], log["testPassed"] / len(log["testCases"]), ""


def test_stated_scores_equal_ours():
    """Check each stated score against our average; they must be equal."""
    options = {folder: options for folder, options, _ in SCORES}
    averages_of: dict[str, dict[str, dict[str, float]]] = {}
    rows = []
    for folder, task, model, stated, remark in stated_scores(ROOT):
        if folder not in averages_of:
            logs = read(ROOT / folder, **options[folder])
            assert not [x for x in logs.provenance.remarks if "the log states" in x]
            averages_of[folder] = averages(logs)
        rows.append((folder, task, model, stated, averages_of[folder][task][model], remark))
    for row in rows:
        print("{:30} {:14} {:24} {:.6f} {:.6f} {}".format(*row))
    assert len(rows) >= 26
    assert {x[0] for x in rows} >= {"harbor", "lighteval/out", "opencompass", "openai-evals", "deepeval"}
    assert [x for x in rows if abs(x[3] - x[4]) > 1e-6] == []  # stated and ours


def test_promptfoo_counts_equal_those_of_its_report():
    logs = read(ROOT / "promptfoo", missing="drop")
    right = sum(int(log.counts.category_counts.sum()) for log in logs.pooled().logs.values())
    wrong = sum(int(log.counts.trials.sum()) for log in logs.pooled().logs.values()) - right
    assert (right, wrong, sum(log.missing for log in logs.pooled().logs.values()), len(logs)) == (25, 20, 3, 4)
    assert any("copies of a trial that was read before: 48" in x for x in logs.provenance.remarks)
