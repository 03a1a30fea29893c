"""Columns that number the trials under other names than trial: seed, sample_id, epoch, attempt, ..."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import scorio
from scorio.cli import main
from scorio.errors import InvalidInput
from scorio.readers import engine

NAMES = [
    "run", "seed", "Epoch", "attempt", "rep", "iteration", "session_id", "rollout", "sample", "Sample ID", "sample_idx",
    "try", "trial_number", "generation_id", "completion_index",
]  # fmt: skip


def table(name: str, order: int = 0) -> pd.DataFrame:
    """Two models, five questions, three trials, whose rows are shuffled."""
    rng = np.random.default_rng(8)
    rows = [(m, f"q{q}", t, int(rng.random() < t / 9)) for m, q, t in product(("a", "bb"), range(5), (4, 5, 6))]
    return pd.DataFrame(rows, columns=["model", "question", name, "outcome"]).sample(frac=1, random_state=order)


def readings(log: pd.DataFrame, folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Any]:
    """The evaluation of a log, or its error, as CSV, JSONL and frames, row by row and by an engine."""
    log.to_csv(folder / "a.csv", index=False)
    log.to_json(folder / "a.jsonl", orient="records", lines=True)
    calls = [lambda x=x: scorio.read(str(x), **options) for x in (folder / "a.csv", folder / "a.jsonl")]
    calls += [lambda x=x: scorio.io.from_frame(x, **options) for x in (log, pl.from_pandas(log))]
    out = []
    for size in (1 << 18, 0):
        monkeypatch.setattr(engine, "MIN_BYTES", size)
        for call in calls:
            try:
                out.append(call())
            except InvalidInput as error:
                out.append(error)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_the_column_is_read_as_the_trial(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in any order give the trials in the order of the ids that the column `trial` gives, and its runs."""
    log = table(name)
    want = scorio.io.from_frame(log.rename(columns={name: "trial"}).sort_values("trial", kind="stable"), trials=True)
    for e in readings(log, tmp_path, monkeypatch):
        assert e.provenance.remarks == (f"Trials: column {name}.",)
        assert e.benchmark().run_variation == want.benchmark().run_variation
        for model in ("a", "bb"):
            got, wanted = (
                dict(zip(x.log(model).ids, x.log(model).counts.table.tolist(), strict=True)) for x in (e, want)
            )
            assert got == wanted
    for e in readings(log, tmp_path, monkeypatch, trials=True):
        for model in ("a", "bb"):
            got, wanted = e.log(model), want.log(model)
            trials = dict(zip(got.ids, np.asarray(got.outcomes).tolist(), strict=True))
            assert trials == dict(zip(wanted.ids, np.asarray(wanted.outcomes).tolist(), strict=True))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trials", [False, True])
def test_a_trial_that_occurs_twice_is_refused(
    name: str, trials: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table(name)
    log = pd.concat([log, log[(log.model == "bb") & (log.question == "q3") & (log[name] == 5)]])
    for error in readings(log, tmp_path, monkeypatch, trials=trials, missing="drop"):
        assert isinstance(error, InvalidInput)
        assert (error.code, error.argument) in (("duplicate", "path"), ("duplicate", "frame"))
        assert f"duplicate {name} '5' of question 'q3' of 'bb'" in error.reason
        assert error.hint == f"of_run:{name}"
    for e in readings(log, tmp_path, monkeypatch, trials=trials, missing="drop", runs_by=name):
        assert sum(e.log("bb").counts.trials) == 16  # the way that the error names


def test_runs_with_several_trials_each_are_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two trials of a question in each run, by design; a column `sample` that does not number trials is no run."""
    remark, remark_without = (
        "Runs: column seed, with several trials of a question in each.",
        "Column {} is not read: it does not number the trials of a question.",
    )
    for name in ("seed", "sample"):
        log = pd.concat([table(name)] * 2)
        for e in readings(log, tmp_path, monkeypatch):
            has_runs = name == "seed"
            assert e.provenance.remarks == (remark if has_runs else remark_without.format(name),)
            assert (e.log("a").counts.trials == 6).all()
            assert (e.benchmark().run_variation is None) != has_runs


def test_a_column_within_runs_numbers_their_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run with epochs: its trials are the epochs; several runs with samples: trials are both, runs are runs."""
    for order in (1, -1):
        log = table("epoch")
        log.insert(2 if order > 0 else 4, "run_id", "r1")
        names = "run_id and epoch" if order > 0 else "epoch"
        rest = "Column run_id is not read: it does not number the trials of a question."  # it has one value
        for e in readings(log, tmp_path, monkeypatch):
            assert e.provenance.remarks == (f"Trials: column epoch. {rest}",)
            assert e.benchmark().run_variation.df > 0
        log = pd.concat([log, log.iloc[:1]])
        for error in readings(log, tmp_path, monkeypatch, missing="drop"):
            assert f"duplicate {names} " in error.reason
    log = pd.concat([table("sample").assign(seed=s, outcome=lambda x, s=s: (x.outcome + s) % 2) for s in range(4)])
    want = [e.benchmark().run_variation for e in readings(log.drop(columns="sample"), tmp_path, monkeypatch)]
    for i, e in enumerate(readings(log, tmp_path, monkeypatch)):
        assert e.provenance.remarks == ("Trials: column seed and sample.",)
        assert e.benchmark().run_variation == want[i - i % 4]  # rows of frames are counted without their runs in `want`


def test_a_column_with_the_outcomes_in_other_words_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column pass beside the outcome told two runs apart, one of all successes and one of all failures."""
    log = table("x").drop(columns="x")
    log["pass"] = log["outcome"].map({1: "yes", 0: "no"})
    for e in readings(log, tmp_path, monkeypatch):
        assert e.provenance.remarks == ("Column pass is not read: it does not number the trials of a question.",)
        assert e.benchmark().run_variation is None


def test_the_proposed_line_has_the_trial(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A task has samples: sample_id was proposed as the question, and the tasks as benchmarks; sample was left out."""
    for name in ("sample", "sample_id", "generation_id"):
        log = table(name).rename(columns={"model": "llm", "question": "task_id", "outcome": "passed"})
        log.to_csv(tmp_path / "a.csv", index=False)
        assert main(["leaderboard", str(tmp_path / "a.csv")]) == 2
        assert f"--columns question=task_id,outcome=passed,model=llm,trial={name}" in capsys.readouterr().err


def test_columns_beside_questions_and_models_are_trials(tmp_path: Path) -> None:
    log = (
        table("t").pivot_table(index=["question", "model"], columns="t", values="outcome").add_prefix("t").reset_index()
    )
    log.to_csv(tmp_path / "a.csv", index=False)
    e, want = scorio.read(str(tmp_path / "a.csv"), wide=True), scorio.io.from_frame(table("trial"))
    assert e.provenance.remarks == ("Columns that are trials: 't4, t5, t6'.",)
    assert {m: e.log(m).counts.table.tolist() for m in ["a", "bb"]} == {
        m: want.log(m).counts.table.tolist() for m in ("a", "bb")
    }
    with pytest.raises(InvalidInput, match="wide=True"):
        scorio.read(str(tmp_path / "a.csv"))
    log.rename(columns={"t6": "six"}).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(InvalidInput, match="a table that is not wide"):
        scorio.read(str(tmp_path / "a.csv"), wide=True)


@pytest.mark.parametrize("rename", [str.capitalize, str.upper])
def test_names_are_in_any_capitals_beside_named_columns_too(
    rename: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models, tasks, trials and clusters are the same ones, below and above the limit of the engine, and in frames."""
    rows = [
        (m, t, q, i, q % 2, (len(m) + q * i) % 2) for m in ("a", "bb") for t in "xy" for q in (1, 2) for i in (1, 2)
    ]
    log = pd.DataFrame(rows, columns=["model", "task", "question", "trial", "cluster", "grade"])
    columns = {"outcome": "grade"}
    want = scorio.io.from_frame(log, columns=columns)
    assert want.models == ("a", "bb")
    assert want.benchmark("x").log("a").clusters is not None
    capitals = log.rename(columns={x: rename(x) for x in log.columns if x != "grade"})
    for e in readings(capitals, tmp_path, monkeypatch, columns=columns):
        assert e.benchmarks.keys() == want.benchmarks.keys()
        assert not e.provenance.remarks
        for task, model in [(x, y) for x in want.benchmarks for y in want.models]:
            got, wanted = (x.benchmark(task).log(model) for x in (e, want))
            assert dict(zip(got.ids, got.counts.table.tolist(), strict=True)) == dict(
                zip(wanted.ids, wanted.counts.table.tolist(), strict=True)
            )
            assert list(got.clusters) == list(wanted.clusters)
    for refused in readings(pd.concat([capitals, capitals[:1]]), tmp_path, monkeypatch, columns=columns):
        assert isinstance(refused, InvalidInput)
        assert "duplicate trial '1' of question '1' of 'a'" in str(refused)
    with_two = capitals.assign(**{"Model" if rename is str.upper else "MODEL": "c"})
    for refused in readings(with_two, tmp_path, monkeypatch, columns=columns):
        assert isinstance(refused, InvalidInput)
        assert "duplicate column 'model'" in str(refused)
