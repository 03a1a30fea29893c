"""Questions that a log plans and does not contain: samples of inspect_ai, and folders without the file of the tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import written as tools
from written import read, refused, save, tables

import scorio


def planned(n: int, done: int, **changes: Any) -> dict[str, Any]:
    """A log that was stopped after some of n samples of two epochs; the first two are right."""
    samples = [tools.inspect_sample(i, epoch, int(i <= 2)) for i in range(1, done + 1) for epoch in (1, 2)]
    log = tools.inspect_log({}, status="cancelled", samples=samples)
    log["eval"] |= {"dataset": {"name": "d", "samples": 100, "sample_ids": list(range(1, n + 1))}}
    log["eval"]["config"] = {"epochs": 2} | changes
    return log


def zipped(folder: Path, log: dict[str, Any]) -> Path:
    samples = log["samples"]
    header = {x: y for x, y in log.items() if x != "samples"}
    return save(folder / "a.eval", tools.zipped({"header.json": header, "summaries.json": samples}))


@pytest.mark.parametrize("write", [lambda folder, log: save(folder / "a.json", log), zipped])
@pytest.mark.parametrize("in_folder", [False, True])
def test_planned_samples_that_were_not_read_are_missing(tmp_path, write, in_folder):
    path = write(tmp_path, planned(10, 3))
    path = tmp_path if in_folder else path
    assert "14 of its planned samples are missing, such as 4" in refused(path, "missing", "path")
    e = read(path, missing=0)
    assert (e["model"].M, e["model"].table[:, 1].sum()) == (10, 4)
    assert not e.provenance.unfinished
    e = read(path, missing="drop")
    assert e.log("model").missing == 14
    assert ".200 to .900" in str(scorio.read(path, missing="bounds").leaderboard())


def test_a_stopped_log_with_all_planned_samples_is_complete(tmp_path):
    path = save(tmp_path / "a.json", planned(3, 3))
    assert tables(read(path)) == {"model": {"1": [0, 2], "2": [0, 2], "3": [2, 0]}}
    log = planned(3, 3)
    log["samples"].pop()  # one epoch of a sample
    path = save(tmp_path / "a.json", log)
    assert "1 of its planned samples are missing, such as 3" in refused(path, "missing", "path")


@pytest.mark.parametrize(("n", "config", "missing"), [
    (10, {"limit": 5}, 2),  # the list is that of the whole data set
    (5, {"limit": 5}, 2),  # or that of the samples within the limit
    (10, {"limit": [0, 4]}, 1),
    (4, {"limit": [20, 24]}, 1),
])  # fmt: skip
def test_the_limit_of_a_run_is_part_of_its_plan(tmp_path, n, config, missing):
    path = save(tmp_path / "a.json", planned(n, 3, **config))
    assert read(path, missing="drop").log("model").missing == 2 * missing


@pytest.mark.parametrize("log", [
    planned(10, 3, limit=2),  # a sample that was not planned: the list is not that of this run
    planned(10, 3, sample_id=["1", "2", "3"]),
    planned(0, 3, sample_id=1),
])  # fmt: skip
def test_without_a_plan_a_stopped_log_is_unfinished(tmp_path, log):
    path = save(tmp_path / "a.json", log)
    assert "samples that it did not reach are missing" in refused(path, "missing", "path")
    e = read(path, missing="drop")
    assert e.log("model").missing == 0
    assert len(e.provenance.unfinished) == 1


@pytest.mark.parametrize(("config", "planned_trials"), [({}, 200), ({"limit": 5}, 10), ({"limit": [90, 110]}, 20)])
def test_a_plan_without_ids_counts_its_samples(tmp_path, config, planned_trials):
    log = planned(0, 3, **config)
    log["samples"].pop()  # one epoch of a sample
    del log["eval"]["dataset"]["sample_ids"]
    path = save(tmp_path / "a.json", log)
    message = refused(path, "missing", "path")
    assert f"of its {planned_trials // 2} planned samples some are missing, whose ids it does not state" in message
    e = read(path, missing=0)
    assert (e["model"].M, int(e["model"].table.sum()), int(e["model"].table[:, 1].sum())) == (
        planned_trials // 2, planned_trials, 4,
    )  # fmt: skip
    log["eval"]["dataset"]["samples"] = 3
    assert read(save(path, log), missing="drop").log("model").missing == 1
    log["samples"] = planned(0, 3)["samples"]
    assert tables(read(save(path, log))) == {"model": {"1": [0, 2], "2": [0, 2], "3": [2, 0]}}


@pytest.mark.parametrize("options", [{"files_are_runs": True}, {"layout": "{run}.json"}])
def test_a_plan_without_ids_is_that_of_one_run(tmp_path, options):
    log = planned(0, 3)
    log["eval"]["dataset"] = {"name": "d", "samples": 5}
    for name in "ab":
        save(tmp_path / f"{name}.json", log)
    refused(tmp_path, "missing", "path", "of its 5 planned samples some are missing", **options)
    e = read(tmp_path, missing=0, **options)
    assert tables(e) == {"model": {"1": [0, 4], "2": [0, 4], "3": [4, 0]}}
    assert len(e.provenance.unfinished) == 2


def test_samples_without_ids_are_those_that_another_model_has(tmp_path):
    log = planned(0, 3)
    log["eval"]["dataset"] = {"name": "d", "samples": 5}
    save(tmp_path / "a.json", log)
    other = planned(5, 5) | {"status": "success"}
    other["eval"]["model"] = "other"
    save(tmp_path / "b.json", other)
    e = read(tmp_path, missing=0)
    assert {model: e[model].M for model in e.models} == {"model": 5, "other": 5}
    assert next(iter(e.benchmarks.values())).ids == ("1", "2", "3", "4", "5")


def test_the_plan_of_a_finished_log_counts_if_its_total_is_that_of_the_plan(tmp_path):
    log = planned(4, 3) | {"status": "success"}
    for total, missing in ((6, 0), (8, 2)):
        log["results"] = {"total_samples": total, "completed_samples": 6}
        path = save(tmp_path / "a.json", log)
        assert read(path, missing="drop").log("model").missing == missing
    log["results"]["early_stopping"] = {"manager": "other", "early_stops": []}
    assert read(save(tmp_path / "a.json", log)).log("model").missing == 0


@pytest.mark.parametrize(("mean", "hint"), [(0.431, "scorio interval 431/1000"), (0.43105, "")])
def test_a_log_of_averages_says_so(tmp_path, mean, hint):
    log = tools.inspect_log({})
    del log["samples"]
    scores = [{"name": "match", "scored_samples": 1000, "metrics": {"accuracy": {"value": mean}}}]
    path = save(tmp_path / "a.json", log | {"results": {"scores": scores}})
    message = refused(path, "format", "path", "the log has only averages")
    assert hint in message
    assert ("scorio interval" in message) is bool(hint)


def swe_bench(folder: Path, resolved: dict[str, bool | None]) -> Path:
    """Folders of instances of a run; None: the run ended without a report."""
    for name, x in resolved.items():
        path = folder / "logs" / "run1" / "org__m" / name
        save(path / "run_instance.log", "log")
        if x is not None:
            save(path / "report.json", {name: {"patch_exists": True, "resolved": x}})
    return folder / "logs"


def test_instances_without_a_report_are_missing(tmp_path):
    path = swe_bench(tmp_path, {"a-1": True, "a-2": True, "b-3": False, "c-4": None})
    assert "there is no report.json, so that the outcome of 'c-4' is missing" in refused(path, "missing", "path")
    for options in ({}, {"layout": "{run}/{model}/{question}/report.json"}):
        e = read(path, missing=0, **options)
        assert [x.tolist() for x in e[next(iter(e))].table] == [[0, 1], [0, 1], [1, 0], [1, 0]]
    assert read(path, missing="drop").log("org/m").missing == 1
    assert read(path, exclude="*/c-4")["org/m"].M == 3
    (path / "run1" / "org__m" / "d-5").mkdir()
    assert read(path, missing=0)["org/m"].M == 5
    assert read(path / "run1" / "org__m" / "a-1")["org/m"].M == 1
    assert read(path / "run1" / "org__m" / "a-1" / "report.json")["org/m"].M == 1
