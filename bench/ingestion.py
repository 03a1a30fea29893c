"""How long it takes to read logs: tables of 10,000,000 rows beside polars, thousands of files beside json.

    python bench/ingestion.py            about ten minutes
    python bench/ingestion.py --rows 1000000
    python bench/ingestion.py --short    50,000 rows and 60 files: ratios mean nothing

All check the counts of the tables; without --short a ratio above its limit is an error.

Calls take turns: those of tables each in a new process, those of folders all in one. The shortest time is reported,
which other work on the machine disturbs least. A ratio is the time of scorio over that of polars, which reads and
groups the same file, or over that of json.loads. Memory is the largest resident size of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

MODELS, TRIALS = 10, 100
# largest ratios of times, to polars or json.loads, and of the memory of tables to that of polars
LIMITS = {"csv": 2.0, "jsonl": 2.0, "parquet": 2.5, "frame": 3.0, "memory": 2.0,
          "inspect_ai": 4.0, "terminal-bench": 8.0}  # fmt: skip


def table(folder: Path, rows: int) -> None:
    """Write rows (model, question, trial, outcome) in each format, with the counts that check_counts() expects."""
    import polars as pl

    questions = rows // (MODELS * TRIALS)
    i = pl.int_range(rows)
    q, m, t = i % questions, i // questions % MODELS, i // (questions * MODELS)
    frame = pl.select(
        model=pl.format("model-{}", m), question=pl.format("q{}", q), trial=t,
        outcome=((37 * t + 11 * q + 7 * m) % 100 < (7 * q + 13 * m) % 100).cast(pl.Int64),
    )  # fmt: skip
    frame.write_csv(folder / "runs.csv")
    frame.write_ndjson(folder / "runs.jsonl")
    frame.write_parquet(folder / "runs.parquet")


def check_counts(logs: object, rows: int) -> None:
    """Check that model m has (7 q + 13 m) mod 100 successes in the 100 trials of question q."""
    for m in range(MODELS):
        log = logs.log(f"model-{m}")  # type: ignore[attr-defined]
        q = np.array([int(x[1:]) for x in log.ids])
        assert np.array_equal(np.sort(q), np.arange(rows // (MODELS * TRIALS)))
        assert np.array_equal(log.counts.category_counts[:, 0], (7 * q + 13 * m) % 100)
        assert np.array_equal(log.counts.trials, np.full(len(q), TRIALS))


def evals(folder: Path, files: int) -> None:
    """Write zip files as inspect_ai does: a header, summaries of 12 questions in 4 epochs, and all samples."""
    for i in range(files):
        header = {
            "eval": {
                "run_id": f"r{i}",
                "task_id": f"t{i}",
                "task": f"task{i % 20}",
                "model": f"m/{i // 20}",
                "created": "2026-01-01",
                "config": {"epochs": 4},
                "packages": {"inspect_ai": "0.3"},
            },
            "status": "success",
            "version": 2,
            "plan": {"steps": [{"solver": "generate", "params": {}}] * 5},
        }
        samples = [
            {"id": q, "epoch": e, "input": f"What is {q} + {e}? " * 4, "target": [str(q + e)], "metadata": {"level": q},
             "scores": {"match": {"value": "CI"[(q * e + i) % 2], "answer": str(q), "explanation": f"it is {q} " * 5,
                                  "history": []}},
             "model_usage": {"m": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}, "total_time": 0.1,
             "working_time": 0.1, "uuid": f"u{q}-{e}", "error": None, "completed": True, "message_count": 2}
            for e in range(1, 5) for q in range(12)
        ]  # fmt: skip
        with zipfile.ZipFile(folder / f"2026_{i:05}.eval", "w", zipfile.ZIP_DEFLATED) as z:
            for s in samples:
                messages = [{"role": "user", "content": s["input"], "id": str(j)} for j in range(20)]
                z.writestr(f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s | {"messages": messages}))
            z.writestr("summaries.json", json.dumps(samples))
            z.writestr("header.json", json.dumps(header))


def runs(folder: Path, files: int) -> None:
    """Write runs of terminal-bench: 12 models, 10 tasks in each run."""
    for i in range(files):
        here = folder / f"model-{i % 12}" / f"run-{i // 12}"
        here.mkdir(parents=True)
        results = [
            {"id": f"{i}-{t}", "trial_name": f"task-{t}.1-of-1.run", "task_id": f"task-{t}", "instruction": "do " * 9,
             "is_resolved": (i * t) % 3 == 0, "failure_mode": "unset", "parser_results": {"test_a": "passed"},
             "recording_path": None, "total_input_tokens": 100, "total_output_tokens": 50,
             "trial_started_at": "2026-01-01T00:00:00+00:00", "trial_ended_at": "2026-01-01T00:00:01+00:00"}
            for t in range(10)
        ]  # fmt: skip
        (here / "results.json").write_text(json.dumps({"id": str(i), "results": results, "accuracy": 0.5}, indent=4))


def json_evals(folder: Path) -> int:
    """Parse the needed members of every .eval file with json.loads; return the number of entries."""
    n = 0
    for file in sorted(folder.iterdir()):
        with zipfile.ZipFile(file) as z:
            for name in ("header.json", "summaries.json"):
                n += len(json.loads(z.read(name)))
    return n


def json_runs(folder: Path) -> int:
    """Parse every results.json with json.loads; return the number of keys."""
    return sum(len(json.loads(file.read_bytes())) for file in sorted(folder.rglob("results.json")))


def shortest(calls: dict[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """Shortest seconds of each call; the calls take turns."""
    times_of: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            start = perf_counter()
            call()
            times_of[name].append(perf_counter() - start)
    return {name: min(times) for name, times in times_of.items()}


def run_measured(code: str) -> tuple[float, float]:
    """Run code in a new process; return the last number that it prints, and its peak memory in megabytes."""
    peak = "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    command = [sys.executable, "-c", f"{code}\nimport re\n{peak}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *printed, kilobytes = done.stdout.split()
    return float(printed[-1]) if printed else 0.0, int(kilobytes) / 1024


# code of polars: reading a table of each format, and counting it
POLARS_READS = {"csv": "pl.read_csv(path)", "jsonl": "pl.read_ndjson(path)", "parquet": "pl.read_parquet(path)"}
GROUP = ".group_by('model', 'question').agg(pl.len(), pl.col('outcome').sum())"


def tables(folder: Path, rows: int, turns: int) -> dict[str, float]:
    """Print the lines of tables, each call in a new process; return the ratios to polars ("memory": the largest)."""
    from scorio import io

    table(folder, rows)
    ratios: dict[str, float] = {"memory": 0.0}
    print("| table | scorio | polars | ratio | memory | polars | ratio |\n|---|---|---|---|---|---|---|", flush=True)
    for form in (*POLARS_READS, "frame"):
        path = folder / f"runs.{'parquet' if form == 'frame' else form}"
        check_counts(io.read(path), rows)
        start = "import time, scorio.io, duckdb, narwhals, pyarrow.csv, pyarrow.json, polars as pl; "
        start += f"path = {str(path)!r}; clock = time.perf_counter; "
        start += f"frame = {POLARS_READS['parquet']}; " if form == "frame" else ""
        read = "scorio.io.from_frame(frame)" if form == "frame" else "scorio.io.read(path)"
        group = f"{'frame' if form == 'frame' else POLARS_READS[form]}{GROUP}"
        times_of: dict[str, list[tuple[float, float]]] = {read: [], group: []}
        for _ in range(turns):
            for call, times in times_of.items():
                times.append(run_measured(f"{start}started = clock(); {call}; print(clock() - started)"))
        (ours, memory), (theirs, their_memory) = (
            (min(x), min(y)) for x, y in (zip(*times, strict=True) for times in times_of.values())
        )
        ratios[form], ratios["memory"] = ours / theirs, max(ratios["memory"], memory / their_memory)
        seconds = f"{ours:.2f} s | {theirs:.2f} s | {ours / theirs:.2f}"
        line = f"| {seconds} | {memory:.0f} MB | {their_memory:.0f} MB | {memory / their_memory:.2f} |"
        print(f"| {form}, {rows:,} rows {line}", flush=True)
    return ratios


def files(folder: Path, short: bool, turns: int) -> dict[str, float]:
    """Print the lines of folders of files; return the ratios to json.loads."""
    from scorio import io

    # by format: functions that write the files and parse them with json.loads, the number of files, options of io.read
    made = {"inspect_ai": (evals, json_evals, 60 if short else 1000, {}),
            "terminal-bench": (runs, json_runs, 60 if short else 3600,
                               {"layout": "{model}/{run}/results.json"})}  # fmt: skip
    ratios = {}
    print("| folder | scorio | json.loads | ratio | memory |\n|---|---|---|---|---|", flush=True)
    for name, (write, loaded, n, options) in made.items():
        here = folder / name
        here.mkdir()
        write(here, n)
        calls = {"scorio": lambda here=here, options=options: io.read(here, **options),
                 "json.loads": lambda here=here, loaded=loaded: loaded(here)}  # fmt: skip
        times_of = shortest(calls, turns)
        _, memory = run_measured(f"import scorio.io; scorio.io.read({str(here)!r}, **{options!r})")
        ratios[name] = times_of["scorio"] / times_of["json.loads"]
        times = " | ".join(f"{x * 1e3:.0f} ms" for x in times_of.values())
        print(f"| {name}, {n:,} files | {times} | {ratios[name]:.2f} | {memory:.0f} MB |", flush=True)
    return ratios


def main() -> None:
    """Print both tables; exit with an error where a ratio is above its limit (not with --short)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--rows", type=int, default=10_000_000, help="a multiple of 1,000")
    args = parser.parse_args()
    turns = 3 if args.short else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ratios = tables(folder, 50_000 if args.short else args.rows, 1 if args.short else 3) | files(
            folder, args.short, turns
        )
    above = {} if args.short else {name: x for name, x in ratios.items() if x > LIMITS[name]}
    print(f"\non {os.cpu_count()} processors")
    if above:
        sys.exit("above the limit: " + ", ".join(f"{name} {x:.2f}" for name, x in above.items()))


if __name__ == "__main__":
    main()
