"""Time and memory of counting Parquet files of up to 100,000,000 trials, through DuckDB, polars, Dask and PySpark.

    python bench/large.py                          10^8 rows by DuckDB (1 GB) and polars; 10^6 by Dask and PySpark
    python bench/large.py --short                  10^5 rows by every engine that is installed, under a minute
    python bench/large.py --engines polars --rows 10000000 --memory 500MB

The rows are in a shuffled order. For model m, question q and trial t let r = (37 t + 11 q + 7 m) mod 100: the outcome
is 1 where r < (7 q + 13 m) mod 100, missing where r = 99 and q is a multiple of 10, else 0; so the counts are known.
Each engine reads in a process of its own, and every count is compared. Memory is the largest resident size of that
process and, with "+", of the largest process that it started. DuckDB is limited to --memory; the others have no limit.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

MODELS, TRIALS = 10, 100
FILES = 10
STRIDE = 48271  # a prime that does not divide the number of rows: its multiples modulo that number shuffle the rows
ENGINES = ("duckdb", "polars", "dask", "pyspark")
DISTRIBUTED = ("dask", "pyspark")


def write(folder: Path, rows: int) -> None:
    """Write the rows into FILES Parquet files, one at a time."""
    import duckdb

    questions = rows // (MODELS * TRIALS)
    duckdb.sql("set memory_limit = '2GB'")
    for i in range(FILES):
        part = f"{i * rows // FILES}, {(i + 1) * rows // FILES}"
        duckdb.sql(f"""copy (
            with numbers as (select (range * {STRIDE}) % {rows} as i from range({part})),
            ids as (select i // {questions * TRIALS} as m, (i // {TRIALS}) % {questions} as q, i % {TRIALS} as t
                    from numbers),
            residues as (select *, (37 * t + 11 * q + 7 * m) % {TRIALS} as r, (7 * q + 13 * m) % {TRIALS} as c from ids)
            select 'model-' || m as model, 'q' || q as question, t::integer as trial,
                case when r = {TRIALS - 1} and q % 10 = 0 then null else r < c end as outcome
            from residues
        ) to '{folder / f"part-{i}.parquet"}' (format parquet)""")


def check(logs: object, rows: int) -> None:
    """Check every count against the formula of the module's docstring."""
    import numpy as np

    questions = rows // (MODELS * TRIALS)
    assert list(logs) == sorted(f"model-{m}" for m in range(MODELS))
    for model, log in logs.pooled().logs.items():
        m, q = int(model.removeprefix("model-")), np.array([int(x[1:]) for x in log.ids])
        assert np.array_equal(np.sort(q), np.arange(questions))
        absent = (q % 10 == 0).astype(int)
        assert np.array_equal(log.counts.category_counts[:, 0], (7 * q + 13 * m) % TRIALS), model
        assert np.array_equal(log.counts.absent, absent), model
        assert np.array_equal(log.counts.trials, TRIALS - absent), model


@contextmanager
def open_frame(engine: str, folder: str, memory: str):
    """Lazy frame of the rows in an engine."""
    if engine == "duckdb":
        import duckdb

        duckdb.sql(f"set memory_limit = '{memory}'; set temp_directory = '{folder}/spilled'")
        yield duckdb.read_parquet(f"{folder}/*.parquet")
    elif engine == "polars":
        import polars

        yield polars.scan_parquet(f"{folder}/*.parquet")
    elif engine == "dask":
        import dask.dataframe
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            yield dask.dataframe.read_parquet(folder)
    else:
        from pyspark.sql import SparkSession

        options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.log.level": "ERROR"}
        session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
        yield session.read.parquet(folder)
        session.stop()


def read(engine: str, folder: str, rows: int, memory: str) -> None:
    """Read and check in this process; print the seconds and the peak memory."""
    from scorio import io

    with open_frame(engine, folder, memory) as frame:
        start = perf_counter()
        logs = io.from_frame(frame, missing="drop")
        seconds = perf_counter() - start
    check(logs, rows)
    peak = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({"seconds": seconds, "peak": peak}))


def measure(engine: str, rows: int, memory: str) -> None:
    """Write the rows, let another process read them, and print a line of the table."""
    script = [sys.executable, __file__]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*script, "--write", folder, "--rows", str(rows)], check=True)
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        args = [*script, "--read", folder, "--engines", engine, "--rows", str(rows), "--memory", memory]
        done = subprocess.run(args, stdout=subprocess.PIPE, text=True, check=True)
        usage = json.loads(done.stdout.splitlines()[-1])
    own, children = usage["peak"]
    used = f"{own:.0f} MB" + (f" + {children:.0f} MB" if children > 1 else "")
    print(f"| {engine} | {rows:,} | {size:.0f} MB | {usage['seconds']:.1f} s | {used} | yes |", flush=True)


def main() -> None:
    """Print the table of times and memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--rows", type=int, help="a multiple of 10,000")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--write", help=argparse.SUPPRESS)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rows is not None and (args.rows < 10_000 or args.rows % 10_000):
        parser.error("rows must be a multiple of 10,000")
    if args.write:
        return write(Path(args.write), args.rows)
    if args.read:
        return read(args.engines[0], args.read, args.rows, args.memory)
    print("| engine | rows | Parquet | time | memory | counts exact |\n|---|---|---|---|---|---|", flush=True)
    for engine in args.engines:
        if find_spec(engine) and (engine != "dask" or find_spec("distributed")):
            full = 10**6 if engine in DISTRIBUTED else 10**8
            measure(engine, args.rows or (10**5 if args.short else full), args.memory)
        else:
            print(f"| {engine} | not installed |", flush=True)


if __name__ == "__main__":
    main()
