"""A task renamed between two logs: the message that says so, and the option that renames it while reading."""

from __future__ import annotations

import pandas as pd
import pytest

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.readers import engine


@pytest.fixture
def logs(tmp_path):
    """The logs of two models, whose tasks have different names."""
    paths = []
    for model, task in (("new", "x"), ("old", "y")):
        path = tmp_path / f"{model}.csv"
        path.write_text("task,question,outcome\n" + "".join(f"{task},q{i},{i % 3 % 2}\n" for i in range(9)))
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("command", [["compare"], ["gate", "--margin", ".1"], ["changes"]])
def test_two_logs_of_different_tasks_are_told_apart(logs, capsys, command):
    assert main([command[0], *logs, *command[1:]]) == 2
    err = capsys.readouterr().err
    assert f"different tasks: x in {logs[0]}; y in {logs[1]}" in err
    assert err.rstrip().endswith("rename one while reading, --task y=x")
    assert main([command[0], *logs, *command[1:], "--task", "y=x"]) in (0, 3)


def test_two_models_of_different_tasks(logs):
    e = scorio.read(logs)
    for call in (lambda: e.compare("new", "old"), lambda: e.gate("new", "old", margin=0.1)):
        with pytest.raises(InvalidInput, match=r'different tasks: x in new; y in old.*task="y=x"'):
            call()
    assert scorio.read(logs, task={"y": "x"}).compare("new", "old").verdicts[0].difference == 0.0


@pytest.mark.parametrize("way", ["rows", "engine", "frame"])
def test_a_task_is_renamed_in_every_reader(logs, monkeypatch, way):
    if way == "engine":
        monkeypatch.setattr(engine, "MIN_BYTES", 0)
    source = pd.read_csv(logs[1]) if way == "frame" else logs[1]
    assert list(scorio.read(source, task="y=z").benchmarks) == ["z"]
    assert list(scorio.read(source, task=["y", "y=z"]).benchmarks) == ["z"]
    with pytest.raises(InvalidInput, match="no task is called 'k'"):
        scorio.read(source, task={"k": "z"})
    both = pd.concat([pd.read_csv(x) for x in logs])
    both.to_csv(logs[0], index=False)
    with pytest.raises(InvalidInput, match="tasks 'x' and 'y' of one model would both be called 'x'"):
        scorio.read(both if way == "frame" else logs[0], task="y=x")


def test_outcomes_in_memory_are_renamed():
    assert list(scorio.read({"t": {"a": [[1], [0]]}}, task="t=u").benchmarks) == ["u"]
    for wrong in ("t=", ["t=a", "t=b"]):
        with pytest.raises(InvalidInput) as e:
            scorio.read({"t": {"a": [[1], [0]]}}, task=wrong)
        assert e.value.argument == "task"
