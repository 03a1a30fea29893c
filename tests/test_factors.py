"""Rows of different conditions are not pooled as trials, whatever reads them; rows that differ by chance are trials."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.readers import check, engine

Rows = list[dict[str, Any]]


def conditions(name: str, levels: list[Any], M: int = 3, N: int = 1, **missing: Any) -> Rows:
    """N trials of each question at each level of a field; at the first level all succeed."""
    return [
        {"question": f"q{q}", "outcome": int(level == levels[0] or (q + i) % 2), name: level}
        for level in levels
        for q in range(M)
        for i in range(N)
    ]


def _csv(rows: Rows, folder: Path) -> Path:
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    return folder / "runs.csv"


def _lines(rows: Rows, folder: Path) -> Path:
    (folder / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "runs.jsonl"


def _array(rows: Rows, folder: Path) -> Path:
    (folder / "runs.json").write_text(json.dumps(rows))
    return folder / "runs.json"


def _parquet(rows: Rows, folder: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), folder / "runs.parquet")
    return folder / "runs.parquet"


SOURCES: dict[str, Callable[[Rows, Path], Any]] = {
    "csv": _csv, "jsonl": _lines, "json": _array, "parquet": _parquet,
    "pandas": lambda rows, _: pd.DataFrame(rows), "polars": lambda rows, _: pl.DataFrame(rows),
    "lazy": lambda rows, _: pl.DataFrame(rows).lazy(), "arrow": lambda rows, _: pa.Table.from_pylist(rows),
    "duckdb": lambda rows, _: duckdb.from_arrow(pa.Table.from_pylist(rows)),
}  # fmt: skip


@pytest.fixture(params=["careful", "fast"])
def path_of_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read tables row by row, or by Arrow."""
    monkeypatch.setattr(engine, "MIN_BYTES", 1 << 60 if request.param == "careful" else 0)
    return str(request.param)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("name", "levels", "N"),
    [
        ("temperature", [0.1, 0.7, 1.0], 1),
        ("metric", ["f1", "em"], 1),
        ("harness", ["v1", "v2"], 4),
        ("turn", [1, 2], 3),
    ],
)
def test_conditions_are_refused_with_the_options_that_read_them(
    tmp_path: Path, path_of_rows: str, source: str, name: str, levels: list[Any], N: int
) -> None:
    rows = conditions(name, levels, N=N)
    x = SOURCES[source](rows, tmp_path)
    with pytest.raises(InvalidInput, match=f"values of column '{name}'") as e:
        scorio.read(x)
    assert e.value.code == "conflict"
    assert f"--columns task={name}, or as further questions, --columns question=question+{name}" in str(
        e.value.on_command_line
    )
    assert e.value.on_command_line.endswith(f"if they repeat the evaluation, --runs-by {name}")
    if source in ("csv", "jsonl", "json") or not isinstance(levels[0], float):
        further = scorio.read(SOURCES[source](rows, tmp_path), columns={"question": f"question+{name}"})
        assert len(further.benchmarks[""].ids) == 3 * len(levels)
    as_benchmarks = scorio.read(SOURCES[source](rows, tmp_path), columns={"task": name})
    assert len(as_benchmarks.benchmarks) == len(levels)
    first = as_benchmarks.benchmarks[str(levels[0])]
    assert all(log.counts.table[:, 1].sum() == 3 * N for log in first.logs.values())
    as_runs = scorio.read(SOURCES[source](rows, tmp_path), runs_by=name)
    assert as_runs.benchmarks[""].logs[as_runs.models[0]].counts.trials.tolist() == [N * len(levels)] * 3


@pytest.mark.parametrize("source", SOURCES)
def test_a_mapping_does_not_switch_the_check_off(tmp_path: Path, path_of_rows: str, source: str) -> None:
    rows = [
        {"id": x["question"], "correct": x["outcome"], "split": x["split"]} for x in conditions("split", ["a", "b"])
    ]
    columns = {"question": "id", "outcome": "correct"}
    with pytest.raises(InvalidInput, match="values of column 'split'") as e:
        scorio.read(SOURCES[source](rows, tmp_path), columns=columns)
    assert "--columns question=id,outcome=correct,task=split" in e.value.on_command_line
    read = scorio.read(SOURCES[source](rows, tmp_path), columns={**columns, "task": "split"})
    assert list(read.benchmarks) == ["a", "b"]


@pytest.mark.parametrize("source", SOURCES)
def test_fields_of_trials_are_no_conditions(tmp_path: Path, path_of_rows: str, source: str) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {
            "question": f"q{q}", "outcome": int(rng.integers(2)), "letter": "ABCD"[rng.integers(4)], "seed": i,
            "stopped": bool(rng.integers(2)), "ms": int(rng.integers(1000)), "topic": "xy"[q % 2], "worker": "w0",
        }
        for q in range(20) for i in range(4)
    ]  # fmt: skip
    e = scorio.read(SOURCES[source](rows, tmp_path))
    assert e.benchmarks[""].logs[e.models[0]].counts.trials.tolist() == [4] * 20


@pytest.mark.parametrize("source", [x for x in SOURCES if x not in ("csv", "pandas")])  # these have no objects
def test_conditions_within_objects_are_refused(tmp_path: Path, path_of_rows: str, source: str) -> None:
    rows = [x | {"config": {"a": {"heat": x.pop("heat")}}} for x in conditions("heat", ["low", "high"])]
    with pytest.raises(InvalidInput, match=r"values of column 'config\.a\.heat', 'low' and 'high'"):
        scorio.read(SOURCES[source](rows, tmp_path))
    e = scorio.read(SOURCES[source](rows, tmp_path), columns={"task": "config.a.heat"})
    assert {*e.benchmarks} == {"high", "low"}


def test_conditions_in_lists_are_refused(tmp_path: Path) -> None:
    rows = conditions("prompt", ["You are terse. " * 30, "You are kind. " * 30])
    told = [
        x | {"messages": [{"role": "system", "content": x.pop("prompt")}, {"content": x["question"]}]} for x in rows
    ]
    with pytest.raises(InvalidInput, match=r"values of column 'messages\.0\.content'"):
        scorio.read(_lines(told, tmp_path))
    tagged = [x | {"tags": [["a", "b"][i % 2]]} for i, x in enumerate(conditions("prompt", ["x"], N=2))]
    with pytest.raises(InvalidInput, match=r"'task': 'tags\.0'"):
        scorio.read(_lines(tagged, tmp_path))
    assert len(scorio.read(_lines(tagged, tmp_path), columns={"task": "tags.0"}).benchmarks) == 2
    answers = [x | {"predictions": ["A", "B"][i % 2 :]} for i, x in enumerate(tagged)]
    for x in answers:
        del x["tags"]
    assert len(scorio.read(_lines(answers, tmp_path)).benchmarks) == 1


@pytest.mark.parametrize("source", SOURCES)
def test_conditions_in_step_with_the_trial_are_refused(tmp_path: Path, path_of_rows: str, source: str) -> None:
    for name, levels in (
        ("quant", ["fp16", "int4"]), ("temperature", [0, 1]), ("prompt", ["short", "x" * 400]),
        ("prompt", ["v1", "v2"]), ("n_shot", [0, 5]), ("checkpoint", [1000, 2000]), ("noise", [0.1, 0.2]),
    ):  # fmt: skip
        rows = [x | {"trial": levels.index(x[name])} for x in conditions(name, levels)]
        with pytest.raises(InvalidInput, match=f"values of column '{name}'"):
            scorio.read(SOURCES[source](rows, tmp_path))
    for name, levels in (
        ("when", ["2026-01-01 10:00", "2026-01-01 11:00"]),
        ("order", [1, 2]),
        ("run_name", ["x", "y"]),
    ):
        rows = [x | {"trial": levels.index(x[name])} for x in conditions(name, levels)]
        assert len(scorio.read(SOURCES[source](rows, tmp_path)).benchmarks) == 1


def test_ids_that_restart_in_parts_of_unequal_sizes_are_refused(tmp_path: Path, path_of_rows: str) -> None:
    sizes = {"x": 20, "y": 12, "z": 7}
    rows = [{"question": i, "outcome": i % 2, "chapter": x} for x, n in sizes.items() for i in range(n)]
    with pytest.raises(InvalidInput, match="values of column 'chapter'"):
        scorio.read(_csv(rows, tmp_path))


def test_trials_that_are_lost_do_not_hide_conditions(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for levels, N in ((["a", "b"], 1), (["a", "b", "c"], 2), (["a", "b"], 16)):
        rows = [x for x in conditions("prompt_style", levels, 30, N) if rng.random() > 0.08]
        with pytest.raises(InvalidInput, match="prompt_style"):
            scorio.read(_csv(rows, tmp_path), missing="drop")
    partly = conditions("metric", ["acc", "f1"], 30, 2)
    partly = [x for x in partly if x["metric"] == "acc" or int(x["question"][1:]) % 3]  # a metric of some questions
    with pytest.raises(InvalidInput, match="metric"):
        scorio.read(_csv(partly, tmp_path), missing="drop")


@pytest.mark.parametrize("N", [2, 4, 16, 64])
@pytest.mark.parametrize("levels", [2, 4, 20, 200])
def test_values_by_chance_are_rarely_taken_for_conditions(N: int, levels: int) -> None:
    """From 10 questions on, a field that is drawn by chance is a factor in at most 2 of 100 logs."""
    rng = np.random.default_rng(N * levels)
    cell = np.repeat(np.arange(10), N)
    wrong = 0
    for i in range(300):
        # equal shares are the worst case
        shares = rng.dirichlet(np.full(levels, 3.0)) if i % 2 else np.full(levels, 1 / levels)
        drawn = rng.choice(levels, len(cell), p=shares)
        wrong += check.is_crossed(drawn.astype(np.int64), cell, np.zeros(10, np.int64))
    assert wrong <= 6


@pytest.mark.parametrize(("models", "M", "N"), [(4, 5, 5), (2, 12, 5), (2, 8, 16), (1, 12, 20)])
def test_a_value_of_each_row_is_no_condition(models: int, M: int, N: int) -> None:
    cell = np.repeat(np.arange(models * M), N)
    pair_of_cell = np.repeat(np.arange(models), M)
    assert not check.is_crossed(np.arange(len(cell)), cell, pair_of_cell)
    rng = np.random.default_rng(N)
    assert not check.is_crossed(rng.permutation(len(cell)) // 2, cell, pair_of_cell)  # a few are equal


def test_runs_number_their_trials(tmp_path: Path, path_of_rows: str) -> None:
    rows = [{"question": q, "outcome": i % 2, "trial": i, "batch": b} for b in "xy" for q in "pq" for i in (1, 2)]
    for source in SOURCES.values():
        with pytest.raises(InvalidInput) as e:
            scorio.read(source(rows, tmp_path))
        assert e.value.code in ("conflict", "duplicate")
        e = scorio.read(source(rows, tmp_path), runs_by="batch")
        assert e.benchmarks[""].logs[e.models[0]].counts.trials.tolist() == [4, 4]
    with pytest.raises(InvalidInput, match="batches") as error:
        scorio.read(_csv(rows, tmp_path), runs_by="batches")
    assert (error.value.code, error.value.argument) == ("choice", "runs_by")


TOOLS = {
    "human_eval.jsonl": lambda m, q, i: {"task_id": q, "model": m, "seed": 0, "passed": m == "good"},
    "nemo.jsonl": lambda m, q, i: {"model": m, "problem": q, "generation": "text", "is_correct": m == "good"},
    "verifiers.jsonl": lambda m, q, i: {"model": m, "example_id": q, "prompt": "p", "reward": float(m == "good")},
    "verl.jsonl": lambda m, q, i: {"input": q, "output": "o", "score": float(m == "good"), "step": 1, "model": m},
    "mmlu_pro.json": lambda m, q, i: {"model": m, "question_id": q, "answer": "A", "pred": "AB"[m == "bad"]},
    "tau.json": lambda m, q, i: {
        "model": m, "task_id": q, "trial": i + 10 * (m == "bad"), "reward": float(m == "good"),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TOOLS)
def test_the_model_of_a_row_is_the_model(tmp_path: Path, name: str) -> None:
    rows = [TOOLS[name](m, q, i) for m in ("good", "bad") for q in ("x", "y", "z") for i in (0, 1)]
    rows = rows if name.startswith("tau") else [x for i, x in enumerate(rows) if i % 2 == 0]
    write = _array if name.endswith(".json") else _lines
    e = scorio.read(write(rows, tmp_path).rename(tmp_path / name))
    assert [(x.model, x.average.mu) for x in e.leaderboard().table] == [("good", 1.0), ("bad", 0.0)]


def test_problems_that_a_file_of_nemo_skills_has_as_often_are_its_trials(tmp_path: Path) -> None:
    rows = [TOOLS["nemo.jsonl"]("m", q, i) | {"generation": f"text {i}"} for q in "xy" for i in range(3)]
    assert scorio.read(_lines(rows, tmp_path))["m"].table.tolist() == [[3, 0], [3, 0]]
    with pytest.raises(InvalidInput, match="values of column 'agent'"):
        scorio.read(_lines([x | {"agent": "abc"[i % 3]} for i, x in enumerate(rows)], tmp_path))
    assert scorio.read(_lines(rows[:4], tmp_path))["m"].M == 4  # a problem that is in the file again


def test_conditions_in_the_log_of_a_tool_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"task_id": f"t{q}", "passed": t == 0, "temperature": t} for t in (0, 1) for q in range(4)]
    path = _lines(rows, tmp_path)
    assert main(["leaderboard", str(path)]) == 2
    message = capsys.readouterr().err
    assert "--columns question=task_id,outcome=passed,task=temperature" in message
    assert main(["leaderboard", str(path), "--columns", "question=task_id,outcome=passed,task=temperature"]) == 0
