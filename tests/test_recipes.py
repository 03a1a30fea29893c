"""Recipes and extensions, most of them run by the tools that they are for, if these are installed."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_logs import promptfoo_row

import scorio
from scorio import Counts, eval
from scorio.harness import EarlyStopping
from scorio.io import read
from scorio.ledger import read_ledger

pytestmark = pytest.mark.slow

RECIPES = Path(__file__).parents[1] / "docs" / "recipes"


def recipe(name: str):
    """Module of the recipe with this name."""
    module_spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("stopped", [False, True])
def test_inspect_ai_logs_the_interval(tmp_path, stopped):
    pytest.importorskip("inspect_ai")
    from inspect_ai import Epochs, Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match, mean, scorer

    interval = importlib.import_module("scorio.plugins.inspect_ai").interval
    graded = scorer(metrics=[mean(), interval()], name="graded")(lambda: match())
    samples = [Sample(id=i, input=f"q{i}", target="yes") for i in range(10)]
    answers = ["yes" if i % 3 else "no" for i in range(40)]
    outputs = [ModelOutput.from_content("mockllm/model", x) for x in answers]
    for x in outputs:
        x.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # so that no tokenizer is loaded
    model = get_model("mockllm/model", custom_outputs=outputs)
    stop = EarlyStopping({i: [0] * 8 for i in range(10)}) if stopped else None
    task = Task(dataset=samples, scorer=graded(), epochs=Epochs(4, "mean"), name="toy", early_stopping=stop)
    (log,) = run(task, model=model, log_dir=str(tmp_path), display="none", max_samples=3)
    assert log.status == "success", log.error
    assert (len(log.samples) < 40) is stopped
    metrics = {name: x.value for score in log.results.scores for name, x in score.metrics.items()}
    counts = read(tmp_path)["mockllm/model"]
    x = eval.interval(counts, "mean", questions="sampled")
    for name, value in (("mean", x.mu), ("stderr", x.sigma), ("lo", x.lo), ("hi", x.hi)):
        assert metrics[name] == pytest.approx(value, abs=1e-12)


def test_the_metric_of_inspect_ai_works_without_a_run():
    pytest.importorskip("inspect_ai")
    from inspect_ai.scorer import SampleScore, Score

    right = {
        0: [1, 1, 1, 0],
        1: [1, 0, 1],
        2: ["C", "C", "C"],
        3: [0, 0, "I"],
    }  # stopped in epoch 4, after sample 0
    scores = [SampleScore(score=Score(value=x), sample_id=i) for i, row in right.items() for x in row]
    metrics = importlib.import_module("scorio.plugins.inspect_ai").interval()(scores)
    x = eval.interval(Counts.from_successes([3, 2, 3, 0], [4, 3, 3, 3]), "mean", questions="sampled")
    assert metrics == {"mean": x.mu, "stderr": x.sigma, "lo": x.lo, "hi": x.hi}


INSPECT_RUNS = """
import asyncio, sys
from inspect_ai import Epochs, Task, eval as run
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, match
from scorio.harness import EarlyStopping

def run_task(folder, right, scorer, epochs=4, **more):
    outputs = [ModelOutput.from_content("mockllm/model", "yes" if right(i) else "no") for i in range(200)]
    for x in outputs:
        x.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [Sample(id=i, input="?", target="yes") for i in range(12)]
    task = Task(dataset=samples, scorer=scorer, epochs=Epochs(epochs, ["mean", "scorio/bayes"]), name="toy", **more)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = run(task, model=model, log_dir=folder, display="none", max_samples=1)
    assert log.status == "success", log.error
    return log

base = run_task("base", lambda i: i % 3, match())
assert {x.reducer: round(x.metrics["accuracy"].value, 6) for x in base.results.scores}["scorio/bayes"] == 0.611111
run_task("new", lambda i: i % 3 == 0, match(), metadata={"scorio_baseline": base.location})
stop = EarlyStopping({i: [0, 1, 0, 0] for i in range(12)})
run_task("stopped", lambda i: True, match(), epochs=8, early_stopping=stop)
run_task("lost", lambda i: i % 2, [match(), includes()], metadata={"scorio_baseline": "no.csv"})
from scorio.cli import main
main(["baseline", "set", "base", "--margin", ".9"])
run_task("gated", lambda i: i % 3 == 0, match(), metadata={"scorio_ledger": ".scorio"})
run_task("gated", lambda i: 1, match(), metadata={"scorio_ledger": ".scorio", "scorio_baseline": "other"})
run_task("gated", lambda i: 1, [match(), includes()], metadata={"scorio_ledger": ".scorio"})
"""


def test_a_run_of_inspect_ai_ends_with_a_line_for_each_scorer(tmp_path):
    """Check that a run ends with a line for each scorer, and that an unreadable baseline does not make it fail."""
    pytest.importorskip("inspect_ai")
    if not any(x.name == "scorio" for x in importlib.metadata.entry_points(group="inspect_ai")):
        pytest.skip("this installation of scorio is older than its entry points: pip install -e . again")

    def lines(text, **env):
        environment = {"PYTHONPATH": str(RECIPES.parents[1] / "python"), "SCORIO_BASELINE": ""} | env
        command = [sys.executable, "-c", text]
        process = subprocess.run(command, cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True)
        assert process.returncode == 0, process.stderr
        return [x for x in process.stderr.splitlines() if x.startswith("scorio: ")]

    plain, new, stopped, *lost, gated, unknown, several, second = lines(INSPECT_RUNS)
    assert re.search(r"; PASS: the score of \S+ is above the floor of baseline main \(score 0.333, floor -?0[.]", gated)
    assert "; not gated: no baseline 'other'" in unknown
    assert all(
        x.endswith("; not gated: a ledger has builds of one scorer, and this log has 2") for x in (several, second)
    )
    assert [x.gate and x.gate["verdict"] for x in read_ledger(tmp_path / ".scorio").builds.values()] == [None, "pass"]
    size = "on these samples (12 samples, 4 epochs)"
    assert plain == f"scorio: toy, match: 0.667, 95% CI 0.625 to 0.706 {size}"
    assert new.startswith(f"scorio: toy, match: 0.333, 95% CI 0.294 to 0.375 {size}; against ")
    assert new.endswith(".eval: -0.333, 95% CI -0.423 to -0.244, significantly different")
    assert stopped.endswith(
        "; stopped early after 2 epochs: different (difference +0.750, 0.460 to 1.000 over all looks)"
    )
    assert [x.partition(":")[2][1:].partition(":")[0] for x in lost] == ["toy, match", "toy, includes"]
    assert all("0.500, 95% CI 0.459 to 0.541" in x and "; not compared: " in x and "no.csv" in x for x in lost)
    assert lines(INSPECT_RUNS.partition('run_task("new')[0], SCORIO_INSPECT="off") == []


def test_lm_eval_aggregates_the_limits(tmp_path):
    pytest.importorskip("lm_eval")
    pytest.importorskip("datasets")
    evaluator = pytest.importorskip("lm_eval.evaluator")
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Fixed(LM):
        def generate_until(self, requests, **_):
            return [str(int(r.args[0].split()[-1]) % 3) for r in requests]

        def loglikelihood(self, requests, **_):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    os.environ["HF_DATASETS_OFFLINE"] = "1"
    rows = [{"question": f"number {i}", "answer": str(i % 2)} for i in range(30)]
    (tmp_path / "toy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "scorio_ci.py").write_text(
        "from scorio.plugins.lm_eval import hi, lo\ndef graded(doc, results):\n"
        "    right = int(results[0].strip() == doc['answer'])\n"
        "    return {'acc': right, 'acc_lo': right, 'acc_hi': right}\n"
    )
    (tmp_path / "toy.yaml").write_text(f"""
task: toy
dataset_path: json
dataset_kwargs: {{data_files: {{test: {tmp_path / "toy.jsonl"}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
process_results: !function scorio_ci.graded
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
  - {{metric: acc_lo, aggregation: !function scorio_ci.lo, higher_is_better: true}}
  - {{metric: acc_hi, aggregation: !function scorio_ci.hi, higher_is_better: true}}
""")
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    results = evaluator.simple_evaluate(Fixed(), tasks=["toy"], task_manager=manager, bootstrap_iters=0)
    metrics = {name.partition(",")[0]: x for name, x in results["results"]["toy"].items()}
    right = [int(str(i % 3) == row["answer"]) for i, row in enumerate(rows)]
    x = eval.interval(Counts.from_successes(right, [1] * 30), "mean", questions="sampled")
    assert (metrics["acc"], metrics["acc_lo"], metrics["acc_hi"]) == pytest.approx((x.mu, x.lo, x.hi), abs=1e-12)


def frame_and_evaluation(pd):
    """Outcomes of two models as a frame, some missing, and the evaluation that is read from it."""
    indices = [(m, i, j) for m in ("a", "bb") for i in range(9) for j in range(8)]
    rows = [(m, f"q{i}", j, None if (i, j) == (3, 0) else (i * j + len(m)) % 2) for m, i, j in indices]
    frame = pd.DataFrame(rows, columns=["model", "question", "trial", "outcome"])
    return frame, read(frame, missing="drop")


def assert_same_counts(e, want):
    assert sorted(e.models) == sorted(want.models)
    for model in want.models:
        a, b = (dict(zip(x.ids, x.table.tolist(), strict=True)) for x in (e[model], want[model]))
        assert a == b


def test_counts_by_dask_equal_those_of_the_reader():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    rows, want = frame_and_evaluation(pd)
    assert_same_counts(recipe("counts_on_a_cluster").read_dask(dd.from_pandas(rows, npartitions=3)), want)


def test_counts_by_spark_equal_those_of_the_reader():
    sql, pd = pytest.importorskip("pyspark.sql"), pytest.importorskip("pandas")
    rows, want = frame_and_evaluation(pd)
    try:
        session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    except Exception as e:
        pytest.skip(f"PySpark did not start: {e}"[:100])
    records = rows.astype(object).where(rows.notna(), None).itertuples(index=False, name=None)
    frame = session.createDataFrame(list(records), "model string, question string, trial int, outcome double")
    assert_same_counts(recipe("counts_on_a_cluster").read_spark(frame.repartition(3)), want)
    session.stop()


def test_the_limits_for_lm_eval_are_those_of_the_interval():
    from scorio.plugins.lm_eval import hi, lo

    x = eval.interval(Counts.from_successes([1, 0, 1, 1], [1] * 4), "mean", questions="sampled")
    assert (lo([1, 0, 1.0, True]), hi([1, 0, 1.0, True])) == (x.lo, x.hi)
    assert lo([1] * 30) < 1 == hi([1] * 30)
    assert lo([0.5, 0.25, 1, 0]) < 0.4375 < hi([0.5, 0.25, 1, 0])


def test_trackers_get_the_metrics_and_the_report():
    trackers = recipe("trackers")
    e = scorio.read({"b": {"org/m@1": [[1, 0], [1, 1]]}, "c": {"org/m@1": [[1, 1], [1, 1]]}})
    x = e.leaderboard().each[0].average
    metrics = trackers.metrics(e)
    assert {k: metrics[f"b/org_m_1/{k}"] for k in ("average", "lo", "hi", "n")} == {
        "average": 0.75, "lo": x.lo, "hi": x.hi, "n": 4.0,
    }  # fmt: skip
    assert len(metrics) == 8
    saved = []
    run = SimpleNamespace(summary={}, log_artifact=lambda path, **_: saved.append(Path(path).read_text()))
    trackers.to_wandb(e, run)
    assert run.summary == metrics
    assert saved[0].startswith("<!DOCTYPE html>")


def test_mlflow_gets_the_metrics_and_the_report(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    trackers, e = recipe("trackers"), scorio.read({"m": [[1, 0], [1, 1]]})
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        trackers.to_mlflow(e, mlflow)
    client = mlflow.MlflowClient()
    assert client.get_run(run.info.run_id).data.metrics == trackers.metrics(e)
    assert [x.path for x in client.list_artifacts(run.info.run_id)] == ["report.html"]


@pytest.mark.parametrize("call", ["run(context, {})", "run('afterAll', context)"])
def test_promptfoo_can_call_the_extension_in_both_ways(tmp_path, call):
    """Check both ways of calling the extension, with results in promptfoo's documented form; promptfoo is not run."""
    node = shutil.which("node") or pytest.skip("Node.js is not installed")
    rows = [promptfoo_row(f"q{i}", 4 * i + j, 1) for i in range(6) for j in range(4)]
    context = {"evalId": "eval-1", "config": {}, "suite": {}, "prompts": [], "results": rows}
    (tmp_path / "base.csv").write_text("model,question,c,n\n")  # without rows: an invalid baseline
    (tmp_path / "context.json").write_text(json.dumps(context))
    (tmp_path / "scorio").write_text(f'#!/bin/sh\nexec {sys.executable} -m scorio "$@"\n')
    (tmp_path / "scorio").chmod(0o755)
    script = f"const run = require({json.dumps(str(RECIPES / 'promptfoo_scorio.js'))}).afterAll;"
    script += f"const context = JSON.parse(require('fs').readFileSync('context.json')); {call};"
    environment = {"SCORIO": str(tmp_path / "scorio"), "PYTHONPATH": str(RECIPES.parents[1] / "python")}

    def run_extension(**env):
        command = [node, "-e", script]
        process = subprocess.run(
            command, cwd=tmp_path, env=os.environ | environment | env, capture_output=True, text=True
        )
        return process.returncode, process.stdout + process.stderr

    code, output = run_extension()
    assert (code, "1 model, 6 questions, 4 trials" in output) == (0, True), output
    code, output = run_extension(SCORIO_BASELINE=str(tmp_path / "base.csv"), SCORIO_MARGIN="0.1")
    assert (code, "base.csv" in output) == (2, True), output
    assert run_extension(SCORIO="/nowhere/scorio")[1].startswith("scorio was not run: ")
