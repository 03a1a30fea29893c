"""Many rows read at once give the same counts and errors as reading row by row; progress bars of folders."""

from __future__ import annotations

import io
import json
import random
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scorio import InvalidInput
from scorio.io import read
from scorio.readers import engine, folders
from scorio.readers.accumulator import TrialAccumulator
from scorio.readers.records import Batch

READ_OPTIONS: tuple[dict[str, Any], ...] = (
    {}, {"missing": "drop"}, {"missing": 0}, {"trials": True, "missing": "drop"}, {"w": "levels"},
    {"answers": True, "missing": "drop"}, {"files_are_runs": True, "missing": "drop"}, {"layout": "{model}/{run}.*"},
    {"task": "t0", "missing": "drop"}, {"layout": "{task}/{trial}.*", "missing": "drop"}, {"which": "match"},
)  # fmt: skip
NOISE = ('"', ",", "\\", "{", "}", "[", "]", ":", "null", "NaN", "0", "1e-20", '""', '\\"', "\\u00e9", "true", "-", " ",
         '"id": 0, ', '"epoch" : 1, ', '"task_id": "q0", ', '"C"', "\n", "\x85", "\ufeff", "1" * 25)  # fmt: skip


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


@pytest.fixture
def compare_readers(monkeypatch):
    """Function that reads many rows at once, and checks that reading row by row gives the same."""

    def one_by_one(self: TrialAccumulator, batch: Batch, metric: str) -> None:
        for record in batch.each_trial():
            self._take_record(record, metric)

    def check(path: Path, **options: Any) -> object:
        fast = result_or_error(path, **options)
        with monkeypatch.context() as m:
            m.setattr(TrialAccumulator, "_take_batch", one_by_one)
            assert result_or_error(path, **options) == fast
        return fast

    return check


def damaged(rng: random.Random, text: str, times: int) -> str:
    """Text with pieces replaced at random."""
    for _ in range(times):
        i = rng.randrange(len(text) + 1)
        text = text[:i] + rng.choice(NOISE) + text[i + rng.randrange(4) :]
    return text


def inspect_log(rng: random.Random, i: int) -> dict[str, Any]:
    values = rng.choice([["C", "I"], ["C", "I", None], [0, 1, 0.5], [True, "no"], [{"a": 1, "b": 0}]])
    samples = [
        {"id": q, "epoch": e, "scores": {"match": {"value": rng.choice(values), "answer": str(rng.randrange(2))}}}
        for e in (1, 2) for q in range(3)
    ]  # fmt: skip
    if rng.random() < 0.2:
        rng.choice(samples)["error"] = {"message": "none"}
        del rng.choice(samples)["scores"]
    header = {
        "model": f"m{i % 2}",
        "task": f"t{rng.randrange(2)}",
        "task_id": rng.choice([f"k{i}", "k0"]),
        "run_id": str(i),
    }
    return {"eval": header, "status": rng.choice(["success"] * 5 + ["error"]), "samples": samples}


def terminal_bench_log(rng: random.Random) -> dict[str, Any]:
    outcomes = [True, False, None][: rng.choice([2, 3])]
    return {"results": [
        {"task_id": f"q{q}", "trial_name": f"q{q}.{t}-of-2.x", "is_resolved": rng.choice(outcomes),
         "parser_results": {"a": "passed"}} for q in range(3) for t in (1, 2)
    ]}  # fmt: skip


@pytest.mark.parametrize("seed", range(80))
def test_both_readers_agree_on_damaged_folders(tmp_path, compare_readers, seed):
    rng = random.Random(seed)
    zipped, inspect = rng.random() < 0.5, rng.random() < 0.7
    broken = rng.randrange(8)
    for i in range(4):
        path = tmp_path / f"m{i % 2}" / f"{i}.{'eval' if zipped and inspect else 'json'}"
        path.parent.mkdir(exist_ok=True)
        log = inspect_log(rng, i) if inspect else terminal_bench_log(rng)
        if not (zipped and inspect):
            text = json.dumps(log, indent=rng.choice([None, 4]))
            path.write_text(damaged(rng, text, rng.randrange(1, 3)) if i == broken else text, "utf-8", newline="")
            continue
        samples = json.dumps(log.pop("samples"))
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("samples/0_epoch_1.json", "{}")
            z.writestr("summaries.json", damaged(rng, samples, 1) if i == broken else samples)
            z.writestr(
                "header.json",
                damaged(rng, json.dumps(log), 1) if i == broken and rng.random() < 0.3 else json.dumps(log),
            )
    for options in rng.sample(READ_OPTIONS, 3):
        compare_readers(tmp_path, **options)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_both_readers_agree_on_events_of_openai_evals(tmp_path, compare_readers, seed):
    """Check events of OpenAI evals, some of them broken, in more lines than are decoded at once."""
    rng = random.Random(seed)
    lines = [{"spec": {"completion_fns": ["m"], "eval_name": "e", "run_id": "r"}}, {"final_report": {}}]
    lines += [
        {"sample_id": f"s{i % 40}", "type": "match", "data": {"correct": i % 3 == 0, "picked": '\\":'}}
        for i in range(900)
    ]
    text = "".join(json.dumps(x) + "\n" for x in lines)
    path = tmp_path / "events.jsonl"
    path.write_bytes(
        damaged(rng, text, rng.randrange(3)).encode().replace(b"s7", b"\xff" if rng.random() < 0.1 else b"s7", 1)
    )
    compare_readers(path, **rng.choice(({}, {"missing": "drop"})))


def test_a_duplicate_trial_names_its_first_location(tmp_path, compare_readers):
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(json.dumps(
            {"eval": {"model": "m", "task": "t"}, "status": "success", "samples": [
                {"id": q, "epoch": 1, "scores": {"s": {"value": "C"}}} for q in (name, "x")]}))  # fmt: skip
    error = compare_readers(tmp_path, missing="drop")
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
