"""The recipes of docs/recipes, run by the tools that they are for, where these are installed."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from scorio import Counts, eval
from scorio.harness import EarlyStopping
from scorio.io import read

RECIPES = Path(__file__).parents[1] / "docs" / "recipes"


def recipe(name: str):
    found = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("stopped", [False, True])
def test_a_metric_of_inspect_ai(tmp_path, stopped):
    pytest.importorskip("inspect_ai")
    from inspect_ai import Epochs, Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match, mean, scorer

    interval = recipe("inspect_interval").interval
    own = scorer(metrics=[mean(), interval()], name="graded")(lambda: match())
    samples = [Sample(id=i, input=f"q{i}", target="yes") for i in range(10)]
    said = ["yes" if i % 3 else "no" for i in range(40)]
    outputs = [ModelOutput.from_content("mockllm/model", x) for x in said]
    for x in outputs:
        x.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it loads an encoding to count
    model = get_model("mockllm/model", custom_outputs=outputs)
    stop = EarlyStopping({i: [0] * 8 for i in range(10)}) if stopped else None
    task = Task(dataset=samples, scorer=own(), epochs=Epochs(4, "mean"), name="toy", early_stopping=stop)
    (log,) = run(task, model=model, log_dir=str(tmp_path), display="none", max_samples=3)
    assert log.status == "success", log.error
    assert (len(log.samples) < 40) is stopped
    told = {name: x.value for score in log.results.scores for name, x in score.metrics.items()}
    counts = read(tmp_path)["mockllm/model"].counts
    x = eval.interval(counts, "mean", questions="sampled")
    for name, value in (("mean", x.mu), ("stderr", x.sigma), ("lo", x.lo), ("hi", x.hi)):
        assert told[name] == pytest.approx(value, abs=1e-12)


def test_the_metric_by_itself():
    pytest.importorskip("inspect_ai")
    from inspect_ai.scorer import SampleScore, Score

    right = {0: [1, 1, 1, 0], 1: [1, 0, 1], 2: ["C", "C", "C"], 3: [0, 0, "I"]}  # stopped in the fourth epoch
    scores = [SampleScore(score=Score(value=x), sample_id=i) for i, row in right.items() for x in row]
    told = recipe("inspect_interval").interval()(scores)
    x = eval.interval(Counts.from_successes([3, 2, 3, 0], [4, 3, 3, 3]), "mean", questions="sampled")
    assert told == {"mean": x.mu, "stderr": x.sigma, "lo": x.lo, "hi": x.hi}


def test_an_aggregation_of_lm_eval(tmp_path):
    lm_eval = pytest.importorskip("lm_eval")
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
    (tmp_path / "lm_eval_interval.py").write_text((RECIPES / "lm_eval_interval.py").read_text())
    (tmp_path / "toy.yaml").write_text(f"""
task: toy
dataset_path: json
dataset_kwargs: {{data_files: {{test: {tmp_path / "toy.jsonl"}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
process_results: !function lm_eval_interval.graded
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
  - {{metric: acc_lo, aggregation: !function lm_eval_interval.lo, higher_is_better: true}}
  - {{metric: acc_hi, aggregation: !function lm_eval_interval.hi, higher_is_better: true}}
""")
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = evaluator.simple_evaluate(Fixed(), tasks=["toy"], task_manager=manager, bootstrap_iters=0)
    told = {name.partition(",")[0]: x for name, x in found["results"]["toy"].items()}
    right = [int(str(i % 3) == row["answer"]) for i, row in enumerate(rows)]
    x = eval.interval(Counts.from_successes(right, [1] * 30), "mean", questions="sampled")
    assert (told["acc"], told["acc_lo"], told["acc_hi"]) == pytest.approx((x.mu, x.lo, x.hi), abs=1e-12)
    assert lm_eval is not None


def rows_of_a_cluster(pd):
    """Outcomes of two models, some missing, and how many of each question are successes."""
    at = [(m, i, j) for m in ("a", "bb") for i in range(9) for j in range(8)]
    rows = [(m, f"q{i}", j, None if (i, j) == (3, 0) else (i * j + len(m)) % 2) for m, i, j in at]
    frame = pd.DataFrame(rows, columns=["model", "question", "trial", "outcome"])
    return frame, read(frame, missing="drop")


def same_counts(e, want):
    assert sorted(e.models) == sorted(want.models)
    for model in want.models:
        a, b = (dict(zip(x.ids, x.table.tolist(), strict=True)) for x in (e[model], want[model]))
        assert a == b


def test_counts_on_a_cluster_of_dask():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    rows, want = rows_of_a_cluster(pd)
    same_counts(recipe("counts_on_a_cluster").of_dask(dd.from_pandas(rows, npartitions=3)), want)


def test_counts_on_a_cluster_of_spark():
    sql, pd = pytest.importorskip("pyspark.sql"), pytest.importorskip("pandas")
    rows, want = rows_of_a_cluster(pd)
    try:
        session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    except Exception as e:
        pytest.skip(f"PySpark did not start: {e}"[:100])
    cells = rows.astype(object).where(rows.notna(), None).itertuples(index=False, name=None)
    frame = session.createDataFrame(list(cells), "model string, question string, trial int, outcome double")
    same_counts(recipe("counts_on_a_cluster").of_spark(frame.repartition(3)), want)
    session.stop()
