"""Writers of logs from outcomes by question, modelled on genuine logs; written.py has more, and a table of all.

A writer writes the outcomes R into a folder, and returns the path to read. q is a question, t a trial, x an
outcome or the outcomes of a question, y one of these: 0, 1, or None where it is missing.
"""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

Outcomes = dict[str, list[Any]]
DATE = "2026-11-21T23:02:08.034634Z"


def save(path: Path, content: Any) -> Path:
    """Write an object as JSON, a list of lines as JSONL if the name ends in .jsonl, or bytes unchanged."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(line) + "\n" for line in content))
    else:
        path.write_text(json.dumps(content))
    return path


def mean(R: Outcomes) -> float:
    """Average over questions of their averages, missing outcomes left out."""
    outcomes = [[y for y in x if y is not None] for x in R.values()]
    means = [sum(x) / len(x) for x in outcomes if x]
    return sum(means) / len(means) if means else 0.0


def without_missing(R: Outcomes) -> Outcomes:
    """Outcomes without the missing ones."""
    return {q: [y for y in x if y is not None] for q, x in R.items()}


def rate(R: Outcomes) -> float:
    """Average over trials, none of which may be missing."""
    outcomes = [y for x in R.values() for y in x]
    return sum(outcomes) / max(len(outcomes), 1)


def trials(R: Outcomes) -> list[tuple[str, int, Any]]:
    """Rows (question, trial, outcome), run by run."""
    longest = max(map(len, R.values()))
    return [(q, t, x[t]) for t in range(longest) for q, x in R.items() if t < len(x)]


def harbor_trial(q: str, name: str, x: Any, **other: Any) -> dict[str, Any]:
    failed = {"exception_type": "RewardFileNotFoundError", "exception_message": "none", "occurred_at": DATE}
    return {
        "id": "c8d02e45", "task_name": q, "trial_name": name, "task_id": {"path": f"tasks/{q}"}, "source": "tasks",
        "task_checksum": "318a8e3a", "config": {"agent": {"name": "model", "model_name": None}, "job_id": "5a20d5e0"},
        "agent_info": {"name": "model", "version": "1.0.0", "model_info": None},
        "verifier_result": None if x is None else {"rewards": {"reward": float(x)}},
        "exception_info": failed if x is None else None, "started_at": DATE, "step_results": None,
    } | other  # fmt: skip


def harbor(folder: Path, R: Outcomes) -> Path:
    job = folder / "jobs" / "run-a"
    for i, (q, t, x) in enumerate(trials(R)):
        name = f"{i:04}__{t}"
        save(job / name / "result.json", harbor_trial(q, name, x))
        save(job / name / "config.json", {"task": {"path": q}, "trial_name": name, "job_id": "5a20d5e0"})
        save(job / name / "artifacts" / "manifest.json", [{"source": "/logs", "type": "directory"}])
        (job / name / "reward.txt").write_text("1")
    save(job / "result.json", {"id": "5a20d5e0", "n_total_trials": 32, "stats": {"evals": {}}})
    save(job / "config.json", {"job_name": "run-a", "n_attempts": 4, "agents": [{"name": "oracle"}]})
    return job


def promptfoo_row(q: str, i: int, x: Any, **other: Any) -> dict[str, Any]:
    case = {"vars": {"a": q, "b": 2}, "assert": [{"type": "equals", "value": "3"}], "options": {}, "metadata": {}}
    return {
        "cost": 0, "id": f"d907eb12-{i}", "latencyMs": 8, "namedScores": {}, "prompt": {"raw": q, "label": "Add {{a}}"},
        "promptId": "b69d", "promptIdx": 0, "provider": {"id": "file://prov.js", "label": "model"},
        "response": {"error": "boom"} if x is None else {"output": "3"}, "score": x or 0, "success": bool(x),
        "testCase": case, "testIdx": i, "vars": case["vars"], "failureReason": 2 if x is None else int(not x),
    } | other  # fmt: skip


def promptfoo(folder: Path, R: Outcomes) -> Path:
    rows = [promptfoo_row(q, i, x) for i, (q, _, x) in enumerate(trials(R))]
    results = {"version": 3, "timestamp": DATE, "prompts": [{"label": "Add {{a}}"}], "stats": {}, "results": rows}
    return save(folder / "results.json", {"evalId": "eval-1", "results": results, "config": {}, "shareableUrl": None})


def promptfoo_lines(folder: Path, R: Outcomes) -> Path:
    return save(folder / "results.jsonl", [promptfoo_row(q, i, x) for i, (q, _, x) in enumerate(trials(R))])


def openai_evals(folder: Path, R: Outcomes) -> Path:
    run = {"run_id": "261121231621N2DGZTGY", "created_by": "", "created_at": DATE}
    spec = run | {"completion_fns": ["model"], "eval_name": "toy.dev.v0", "base_eval": "toy", "split": "dev"}
    report = {"accuracy": rate(R)}
    lines: list[Any] = [{"spec": spec}, {"final_report": report, "run_id": run["run_id"]}]
    for q, x in R.items():
        for y in x:
            lines += [
                run | {"event_id": len(lines), "sample_id": q, "type": "sampling", "data": {"sampled": ["4"]}},
                run | {"event_id": len(lines), "sample_id": q, "type": "match", "data": {"correct": bool(y)}},
            ]
    return save(folder / "run_model_toy.jsonl", lines)


def deepeval(folder: Path, R: Outcomes) -> Path:
    metric = {"name": "Exact", "threshold": 0.5, "reason": "r", "strictMode": False, "evaluationModel": "x"}
    cases = [
        {"name": f"test_case_{i}", "input": q, "actualOutput": "4", "expectedOutput": "4", "order": i,
         "metricsData": None if x is None else [metric | {"success": bool(x), "score": float(x)}]}
        for i, (q, _, x) in enumerate(trials(R))
    ]  # fmt: skip
    fields = {"conversationalTestCases": [], "hyperparameters": {"model": "model"}, "testPassed": 3, "testFailed": 2}
    return save(folder / "test_run_20261121_230733.json", {"testCases": cases} | fields)


def mlflow(folder: Path, R: Outcomes) -> Path:
    assessments = [{"assessment_name": "exact", "feedback": {}}, {"assessment_name": "wanted", "expectation": {}}]
    trace = json.dumps({"info": {"trace_id": "tr", "assessments": assessments}})
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["trace_id", "exact/value", "wanted/value", "trace", "state", "request"])
    for q, t, x in trials(R):
        writer.writerow([f"tr-{t}", "" if x is None else bool(x), "4", trace, "OK", f"{{'q': '{q}'}}"])
    folder.mkdir(exist_ok=True)
    (folder / "model.csv").write_text(out.getvalue())
    return folder / "model.csv"


def swe_bench(folder: Path, R: Outcomes) -> Path:
    """Write one SWE-bench report per run."""
    for t in range(max(map(len, R.values()))):
        runs = {q: x[t] for q, x in R.items() if t < len(x)}
        ids = {
            name: [q for q, x in runs.items() if x is y]
            for name, y in (("resolved", 1), ("unresolved", 0), ("incomplete", None))
        }
        report = {f"{name}_ids": questions for name, questions in ids.items()} | {
            "empty_patch_ids": [],
            "error_ids": [],
        }
        counts = {"total_instances": len(runs), "resolved_instances": len(ids["resolved"]), "schema_version": 2}
        save(folder / f"model.run{t}.json", counts | report | {"submitted_ids": ids["resolved"] + ids["unresolved"]})
    return folder


def swe_instances(folder: Path, R: Outcomes) -> Path:
    for q, t, x in trials(R):
        status = {"patch_is_None": False, "patch_exists": True, "resolved": None if x is None else bool(x)}
        save(folder / f"run{t}" / "model" / f"i{list(R).index(q)}" / "report.json", {q: status | {"tests_status": {}}})
    return folder


def livecodebench(folder: Path, R: Outcomes) -> Path:
    rows = [
        {"question_id": q, "question_title": "t", "platform": "leetcode", "code_list": ["x"] * len(x),
         "graded_list": [None if y is None else bool(y) for y in x], "pass@1": mean({q: x})} for q, x in R.items()
    ]  # fmt: skip
    save(folder / "model" / "Scenario.codegeneration_3_0.2_eval_all.json", rows)
    save(
        folder / "model" / "Scenario.codegeneration_3_0.2_eval.json",
        [{"pass@1": mean(R), "detail": {"pass@1": {}}}, {}],
    )
    save(folder / "model" / "Scenario.codegeneration_3_0.2.json", [{"question_id": "q", "code_list": ["x"]}])
    return folder


def nemo_skills(folder: Path, R: Outcomes) -> Path:
    benchmark = folder / "model" / "eval-results" / "aime24"
    for t in range(max(map(len, R.values()))):
        lines = [
            {"id": q, "problem": "2 + 2?", "expected_answer": "4", "generation": "4", "predicted_answer": "4",
             "symbolic_correct": None if x[t] is None else bool(x[t]), "num_generated_tokens": 3}
            for q, x in R.items() if t < len(x)
        ]  # fmt: skip
        save(benchmark / f"output-rs{t}.jsonl", lines)
        (benchmark / f"output-rs{t}.jsonl.done").write_text("")
    save(benchmark / "metrics.json", {"aime24": {"pass@1[avg-of-3]": {"symbolic_correct": 100 * mean(R)}}})
    return folder / "model"


def verifiers(folder: Path, R: Outcomes) -> Path:
    lines = [
        {"example_id": q, "prompt": [], "completion": [], "answer": "4", "task": "default", "reward": float(x)}
        for q, _, x in trials(R)
    ]  # fmt: skip
    save(folder / "metadata.json", {"env": "gsm8k", "model": "model", "num_examples": len(R), "avg_reward": rate(R)})
    return save(folder / "results.jsonl", lines)


def verifiers_traces(folder: Path, R: Outcomes) -> Path:
    lines = []
    for i, (q, _, x) in enumerate(trials(R)):
        agent = {"name": "solver", "config": {"model": "model"}}
        trace = {
            "id": "t",
            "agent": agent,
            "rewards": {"correct": {"score": x, "weight": 1.0}, "style": None},
            "ok": True,
        }
        episode = {
            "id": f"e{i}",
            "env": "gsm8k",
            "task": {"type": "t", "key": q, "data": {"idx": 0}},
            "ok": x is not None,
        }
        lines.append(episode | {"traces": [trace | {"rewards": {}} if x is None else trace]})
    return save(folder / "traces.jsonl", lines)


def bigcodebench(folder: Path, R: Outcomes) -> Path:
    answer = {"solution": "def f(): ...", "details": {}}
    tasks = {q: [answer | {"task_id": q, "status": "pass" if y else "timeout"} for y in x] for q, x in R.items()}
    return save(folder / "model_eval_results.json", {"date": "2026-01-01", "eval": tasks})


def helm(folder: Path, R: Outcomes) -> Path:
    rows = [
        {"instance_id": q, "train_trial_index": t, "stats": [
            {"name": {"name": "exact_match", "split": "test"}, "count": int(x is not None), "sum": x or 0, "mean": x}]}
        for q, t, x in trials(R)
    ]  # fmt: skip
    rows.append(rows[0] | {"perturbation": {"name": "dialect"}})
    spec = {"name": "mmlu:subject=law,model=org_model", "adapter_spec": {"model": "model"}}
    save(folder / "mmlu:subject=law,model=org_model" / "run_spec.json", spec)
    save(
        folder / "mmlu:subject=law,model=org_model" / "stats.json",
        [{"name": {"name": "exact_match", "split": "test"}, "mean": rate(without_missing(R))}],
    )
    return save(folder / "mmlu:subject=law,model=org_model" / "per_instance_stats.json", rows)


def bfcl(folder: Path, R: Outcomes) -> Path:
    """Write one run of BFCL: the first trial of each question."""
    outcomes = {q: x[0] for q, x in R.items()}
    summary = {
        "accuracy": sum(outcomes.values()) / len(outcomes),
        "correct_count": sum(outcomes.values()),
        "total_count": len(outcomes),
    }
    failed = [
        {"id": q, "model_name": "model", "test_category": "simple", "valid": False}
        for q, x in outcomes.items()
        if not x
    ]
    for name, lines in (("score", [summary, *failed]), ("result", [{"id": q, "result": "f()"} for q in outcomes])):
        path = folder / name / "model" / f"BFCL_v3_simple_{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(x) + "\n" for x in lines))
    return folder


def every_eval_ever(folder: Path, R: Outcomes) -> Path:
    lines = [
        {"schema_version": "instance_level_eval_0.2.1", "evaluation_id": "gsm8k/model/1", "model_id": "model",
         "evaluation_name": "GSM8K", "sample_id": q, "interaction_type": "single_turn", "input": {"raw": "2 + 2?"},
         "output": {"raw": ["4"]}, "answer_attribution": [], "evaluation": {"score": x, "is_correct": bool(x)}}
        for q, _, x in trials(R)
    ]  # fmt: skip
    return save(folder / "samples.jsonl", lines)


def tau2_folder(folder: Path, R: Outcomes) -> Path:
    info = {"num_trials": 1, "audio_native_config": {"model": "model"}, "environment_info": {"domain_name": "retail"}}
    save(folder / "experiment" / "results.json", {"timestamp": DATE, "info": info, "tasks": []})
    for i, (q, t, x) in enumerate(trials(R)):
        run = {"id": str(i), "task_id": q, "trial": t, "termination_reason": "user_stop", "ticks": [], "seed": 1}
        run |= {} if x is None else {"reward_info": {"reward": float(x)}}
        save(folder / "experiment" / "simulations" / f"{i:04}.json", run)
    return folder / "experiment"


# by kind of log: name of the format, writer, whether it records missing outcomes, and whether it records single trials
WRITERS: dict[str, Any] = {
    "harbor": ("harbor", harbor, True, True),
    "promptfoo": ("promptfoo", promptfoo, True, True),
    "promptfoo_lines": ("promptfoo", promptfoo_lines, True, True),
    "openai_evals": ("openai-evals", openai_evals, False, True),
    "deepeval": ("deepeval", deepeval, True, True),
    "mlflow": ("mlflow", mlflow, True, True),
    "swe_bench": ("swe-bench", swe_bench, True, True),
    "swe_instances": ("swe-bench", swe_instances, True, True),
    "livecodebench": ("livecodebench", livecodebench, True, True),
    "nemo_skills": ("nemo-skills", nemo_skills, True, True),
    "verifiers": ("verifiers", verifiers, False, True),
    "verifiers_traces": ("verifiers", verifiers_traces, True, True),
    "bigcodebench": ("bigcodebench", bigcodebench, False, True),
    "helm": ("helm", helm, True, True),
    "every_eval_ever": ("every_eval_ever", every_eval_ever, False, True),
    "tau2_folder": ("tau2-bench", tau2_folder, True, True),
}
# formats without ids of questions, and lm-evaluation-harness, whose ids get a hash appended
CHANGES_IDS = {"verl", "promptfoo", "promptfoo_lines", "deepeval", "mlflow", "lm_eval", "lm_eval_average"}
