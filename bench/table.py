"""Table of times: scorio beside the limit of this machine, numpy.sum, the public package and Scorio.jl, in one run.

`bench/run` makes the environments and calls this script. Every program is a process of its own that makes the same
matrix from integers; calls take turns; ratios are those of the minima and of the medians of the times. The script
checks no limit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from cases import Case, cases
from recipe import matrix

HERE = Path(__file__).resolve().parent
# a program whose times of a case add up to so many seconds is not timed again; a public call that would take longer is
# timed on the share 1 / SHARE of the questions
PATIENCE, SHARE = 3.0, 1000


class Worker:
    """A process that answers requests for times."""

    def __init__(self, command: list[str], **env: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | env
        )

    def send(self, request: str) -> dict[str, Any]:
        """Send a request and return the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(request, file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline() or '{"error": "the process ended"}')
        return answer

    def seconds(self, case: Case, **changes: Any) -> float:
        """Seconds of one call; NaN where it fails."""
        answer = self.send(case._replace(**changes).request())
        if "error" in answer:
            print(f"  {case.title}: {answer['error'][:100]}", file=sys.stderr)
        return float(answer.get("seconds", "nan"))


def loops(case: Case, estimate: float) -> int:
    """Number of calls per measurement: fewer where a call is slow."""
    return max(1, min(case.loops, int(0.1 / estimate))) if estimate == estimate else 1  # NaN where a call fails


def rounds(workers: dict[str, Worker], case: Case, runs: int) -> tuple[dict[str, list[float]], bool]:
    """Times of each program, which take turns after a call to warm up; whether the public package's are estimates."""
    is_left_out = {"public": not case.public, "juliacall": case.do in ("everything", "bootstrap")}
    calls: dict[str, tuple[Worker, dict[str, Any]]] = {
        name: (worker, {}) for name, worker in workers.items() if not is_left_out.get(name)
    }
    for name, do in (("read", "read"), ("sum", "numpy.sum")):
        calls[name] = (workers["scorio"], {"do": do, "args": [], "kw": {}})
    estimated = False
    if "public" in calls:
        sample = [max(case.R[0] // SHARE, 1), *case.R[1:]]
        estimate = workers["public"].seconds(case, R=sample, loops=1) * case.R[0] / sample[0]
        estimated = estimate > PATIENCE
        calls["public"] = (
            workers["public"],
            {"R": sample, "loops": 1} if estimated else {"loops": loops(case, estimate)},
        )
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(runs + 1):
        for name, (worker, changes) in calls.items():
            if turn < 2 or sum(times[name]) < PATIENCE:  # the first is for warming up
                t = worker.seconds(case, **changes) * (case.R[0] / sample[0] if estimated and name == "public" else 1)
                times[name] = times[name] + [t] if turn else times[name]
    return times, estimated


def cell(times: dict[str, list[float]], up: str, down: str, sign: str = "") -> str:
    """Table cell with the ratio of two programs' times, of the minima and of the medians, after a sign."""
    if up not in times or down not in times:
        return "-"
    a, b = times[up], times[down]
    low, mid = min(a) / min(b), statistics.median(a) / statistics.median(b)
    return "fails" if low != low else f"{sign}{low:.3g} / {mid:.3g}"


def row(case: Case, times: dict[str, list[float]], estimated: bool) -> list[str]:
    """Table cells of a case."""
    best, middle = min(times["scorio"]), statistics.median(times["scorio"])
    shown = [f"{x * 1e6:.1f} us" if best < 1e-3 else f"{x * 1e3:.2f} ms" for x in (best, middle)]
    M, N, _, dtype, order = case.R
    return [
        f"{M}x{N} {dtype}" + (" by columns" if order == "F" else ""),
        case.title,
        " / ".join(shown),
        cell(times, "scorio", "read"),
        case.limit,
        cell(times, "scorio", "sum"),
        cell(times, "public", "scorio", "~" if estimated else ""),
        cell(times, "julia", "scorio"),
        cell(times, "juliacall", "scorio"),
    ]


def big_file(megabytes: int, worker: Worker) -> None:
    """Print times of calls on a memory-mapped file, beside reading it, and the memory added."""
    M = megabytes * (1 << 20) // 64
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCORIO_BENCH_TMP")) as folder:
        path = f"{folder}/R.bin"
        with open(path, "wb") as f:
            block = matrix(1 << 20, 64).tobytes()
            for start in range(0, M, 1 << 20):
                f.write(block[: (M - start) * 64])
        spec = {"file": path, "shape": [M, 64]}
        print(f"\nA memory map of {megabytes} MB, {M}x64 int8:")
        for do, args in (("bayes", []), ("pass_at_k_ci", [8])):
            case = Case(do, spec, do, args)
            read = min(worker.seconds(case, do="read", args=[]) for _ in range(2))
            t = min(worker.seconds(case) for _ in range(2))
            extra = worker.send(case.request(memory=True)).get("MB", float("nan"))
            print(f"  {do}: {t:.2f} s, {t / read:.2f} x the reading of it, {extra:.0f} MB of memory added")


def end_to_end(models: int) -> None:
    """Print the time of the leaderboard command on a long table, beside a program that only reads its lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/log.csv"
        R = matrix(models * 500, 16)
        with open(path, "w") as f:
            print("model,question,trial,outcome", file=f)
            for i, row in enumerate(R.tolist()):
                f.writelines(f"m{i // 500},q{i % 500},{t},{x}\n" for t, x in enumerate(row))
        only = "import csv, sys\nfor row in csv.reader(open(sys.argv[1])): pass"
        commands = {
            "leaderboard": ["-c", "from scorio.cli import main; main()", "leaderboard", path],
            "csv.reader": ["-c", only, path],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(4):
            for name, command in commands.items():
                start = perf_counter()
                subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
                best[name] = min(best[name], perf_counter() - start)
    a, b = best.values()
    print(f"\n`scorio leaderboard` of {R.size} lines, from start to end: {a:.2f} s, {a / b:.2f} x csv.reader over them")


def commit() -> str:
    """Name of the commit that is timed."""
    run = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True)
    return run.stdout.strip() or "unknown"


def processor() -> str:
    """Name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a hundredth of the questions, once: does everything run?")
    parser.add_argument("--public", metavar="PYTHON", help="interpreter that has the public package")
    parser.add_argument("--julia", metavar="JULIA", help="path of a Julia")
    parser.add_argument("--juliacall", nargs="?", const="", metavar="JULIA", help="also juliacall (JULIA: a stand-in)")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", default="", help="rows that contain this text")
    options = parser.parse_args()
    workers = {"scorio": Worker([sys.executable, str(HERE / "worker.py")], SCORIO_JIT="1")}
    if options.public:
        workers["public"] = Worker([options.public, str(HERE / "worker.py")], PYTHONPATH="")
    if options.julia:
        project = f"--project={HERE.parent / 'julia'}"
        command = [options.julia, "--startup-file=no", project, str(HERE / "worker.jl")]
        workers["julia"] = Worker(command, JULIA_NUM_THREADS=str(min(2, os.cpu_count() or 1)))
    if options.juliacall is not None:
        command = [sys.executable, str(HERE / "worker.py"), "--juliacall", *filter(None, [options.juliacall])]
        workers["juliacall"] = Worker(command, PYTHON_JULIACALL_HANDLE_SIGNALS="yes", PYTHON_JULIACALL_THREADS="2")
    machine = f"{processor()}, {os.cpu_count()} processors, Python {platform.python_version()}, numpy {np.__version__}"
    print(f"scorio {commit()}, {machine}. Times and ratios: of the minima / of the medians.")
    print("~: timed on a thousandth of the questions. public: the package called scorio on PyPI. A limit is the most")
    print("time that a row should take: a ratio to reading R, a time, or (+) the time of reading R plus a time.\n")
    head = ["R", "call", "scorio", "/ reading R", "limit", "/ numpy.sum", "public / scorio", "Julia / scorio"]
    head.append("juliacall / scorio")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for case in cases(100 if options.short else 1):
        if options.only in f"{case.R} {case.title}":
            times, estimated = rounds(workers, case, 1 if options.short else options.runs)
            print("| " + " | ".join(row(case, times, estimated)) + " |", flush=True)
    if not options.only:
        big_file(40 if options.short else 4096, workers["scorio"])
        end_to_end(2 if options.short else 20)


if __name__ == "__main__":
    main()
