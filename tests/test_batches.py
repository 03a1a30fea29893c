"""Tables with other columns are read alike by Arrow and row by row; places of duplicates; progress bars."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scorio import InvalidInput
from scorio.io import read
from scorio.readers import engine, folders


def result_or_error(path: Path, **options: Any) -> object:
    """Contents of the logs that read() returns, or its error."""
    try:
        logs = read(path, **options)
    except InvalidInput as e:
        return e.code, e.argument, str(e)
    contents: list[Any] = [part.w for part in logs.benchmarks.values()] + [logs.provenance]
    for task, part in logs.benchmarks.items():
        for model, log in part.logs.items():
            R = None if log.outcomes is None else log.outcomes.tolist()
            counts = log.counts.table.tolist(), log.counts.absent.tolist(), log.missing
            contents.append((task, model, log.ids, counts, R, log.answers and log.answers.items, part.metric))
    return contents


def test_a_duplicate_trial_names_its_first_location(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(json.dumps(
            {"eval": {"model": "m", "task": "t"}, "status": "success", "samples": [
                {"id": q, "epoch": 1, "scores": {"s": {"value": "C"}}} for q in (name, "x")]}))  # fmt: skip
    error = result_or_error(tmp_path, missing="drop")
    assert error[0] == "duplicate"
    assert error[2].startswith(f"{tmp_path}/b.json, samples[1]: ")
    assert f"{tmp_path}/a.json, samples[1]: if all are " in error[2]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_both_readers_agree_on_tables_with_other_columns(tmp_path, monkeypatch, form):
    """Check that Arrow counts tables with other names and further columns as the row-by-row reader does."""
    pytest.importorskip("pyarrow")
    by_arrow: list[bool] = []
    counted = engine.try_count
    monkeypatch.setattr(engine, "try_count", lambda *a: by_arrow.append(counted(*a)) or by_arrow[-1])
    columns = {"model": "llm", "question": "example", "outcome": "right"}
    rows = [{"llm": "a", "example": f"q{i % 5}", "note": "x, y", "right": i % 2, "cluster": "k"} for i in range(20)]
    faults = ({}, {"right": 2}, {"example": ""}, {"note": "n" * 200_000}, {"cluster": "other"}, {"note": '{"a": 1}'})
    for fault in faults:
        path = tmp_path / f"t.{form}"
        table = [*rows[:-1], rows[-1] | fault]
        cells = [",".join('"' + str(x).replace('"', '""') + '"' for x in row.values()) for row in table]
        lines = [",".join(rows[0]), *cells] if form == "csv" else [json.dumps(row) for row in table]
        path.write_text("".join(f"{line}\n" for line in lines))
        for mapping in (columns, columns | {"trial": "note"}, columns | {"cluster": "nowhere"}, {"outcome": "right"}):
            monkeypatch.setattr(engine, "MIN_BYTES", 0)
            fast = result_or_error(path, columns=mapping)
            monkeypatch.setattr(engine, "MIN_BYTES", 1 << 60)
            assert result_or_error(path, columns=mapping) == fast
            assert mapping is not columns or fault or any(by_arrow)
        by_arrow.clear()


class Terminal(io.StringIO):
    """Stand-in for a terminal, on which progress bars are drawn."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("threshold", "bar"), [(3, True), (4, False)])
def test_a_terminal_shows_the_progress_of_a_folder(tmp_path, monkeypatch, threshold, bar) -> None:
    for x in "abc":
        (tmp_path / f"{x}.csv").write_text("question,trial,outcome\nq,1,1\n")
    monkeypatch.setattr(folders, "PROGRESS_FILES", threshold)
    monkeypatch.setattr(engine, "MIN_BYTES", 0)
    monkeypatch.setattr(engine, "PROGRESS_BYTES", 0)  # the bar of a file must not be drawn within that of the folder
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(read(tmp_path)) == ["a", "b", "c"]
    assert ("files" in sys.stderr.getvalue()) is bar
    assert ("a.csv" in sys.stderr.getvalue()) is not bar
