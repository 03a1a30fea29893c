"""Writers of logs in the formats of evaluation tools, from any outcomes, and checks of how they are read."""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tool_logs
from tool_logs import Outcomes, save

from scorio import InvalidInput
from scorio.io import Evaluation, read

HASH = re.compile(r"#[0-9a-f]{8}$")
DATE = "2025-06-01T10-20-30.123456"


def refused(path: Path, code: str, argument: str, fragment: str = "", **options: Any) -> str:
    """Check that read() raises this code and argument, with this fragment in its message; return the message."""
    with pytest.raises(InvalidInput) as e:
        read(path, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    assert str(e.value).startswith(str(path)), str(e.value)
    assert fragment in str(e.value), str(e.value)
    assert "\n" not in str(e.value)
    return str(e.value)


def tables(logs: Evaluation) -> dict[str, dict[str, list[int]]]:
    """Counts of each question of each model; names of documents of lm-evaluation-harness without their hash."""
    return {
        m: dict(zip((HASH.sub("", q) for q in log.ids), log.counts.table.tolist(), strict=True))
        for m, log in logs.pooled().logs.items()
    }


# --- logs of each tool -----------------------------------------------------------------------------------
# R: the outcomes 0, 1 or None (missing) of each question; None only for formats that can record missing outcomes.

R = {"q1": [1, 0, 1], "q2": [0, 0, 1]}
COUNTS = {"q1": [1, 2], "q2": [2, 1]}  # failures and successes of each question of R


def lm_eval_line(doc: Any, value: Any, **other: Any) -> dict[str, Any]:
    line = {
        "doc_id": doc,
        "doc": {"question": "2 + 2?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "2 + 2?"}},
    }
    line |= {"resps": [["4"]], "filtered_resps": ["4"], "filter": "strict-match", "metrics": ["exact_match"]}
    return (
        line
        | {
            "doc_hash": sha256(str(doc).encode()).hexdigest(),
            "prompt_hash": "p",
            "target_hash": "t",
            "exact_match": value,
        }
        | other
    )


def lm_eval(folder: Path, R: Outcomes) -> Path:
    """Write one file per run."""
    for t in range(max(map(len, R.values()))):
        lines = [lm_eval_line(q, x[t]) for q, x in R.items() if t < len(x)]
        save(folder / "results" / "model" / f"samples_gsm8k_{DATE[:-1]}{t}.jsonl", lines)
    return folder / "results"


def inspect_log(R: Outcomes, **other: Any) -> dict[str, Any]:
    samples = [inspect_sample(q, t + 1, x) for q, xs in R.items() for t, x in enumerate(xs)]
    random.Random(1).shuffle(samples)
    header = {"task": "gsm8k", "model": "model", "dataset": {"name": "gsm8k"}, "config": {"epochs": 3}}
    return {"version": 2, "status": "success", "eval": header, "plan": {}, "samples": samples} | other


def inspect_sample(q: Any, epoch: Any, x: Any) -> dict[str, Any]:
    sample = {"id": q, "epoch": epoch, "input": "2 + 2?", "target": "4"}
    if x is None:
        return sample | {"error": {"message": "rate limit", "traceback": "..."}}
    value = x if type(x) is not int else "IC"[x] if x in (0, 1) else x
    return sample | {"scores": {"match": {"value": value, "answer": "4"}}}


def inspect_json(folder: Path, R: Outcomes) -> Path:
    return save(folder / "log.json", inspect_log(R))


def zipped(members: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    import io

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, content in members.items():
            z.writestr(name, json.dumps(content))
    return out.getvalue()


def eval_members(R: Outcomes) -> dict[str, Any]:
    log = inspect_log(R)
    samples = log.pop("samples")
    members = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    return members | {"summaries.json": samples, "header.json": log, "_journal/start.json": {"eval": log["eval"]}}


def inspect_eval(folder: Path, R: Outcomes) -> Path:
    return save(folder / "log.eval", zipped(eval_members(R)))


def evalplus_log(R: Outcomes, plus: bool = False) -> dict[str, Any]:
    status = {1: "pass", 0: "fail"}
    answer = {"solution": "def f(): ...", "base_fail_tests": [], "plus_fail_tests": []}
    tasks = {
        q: [answer | {"task_id": q, "base_status": status[x], "plus_status": status[x] if plus else None} for x in xs]
        for q, xs in R.items()
    }
    return {"date": "2024-01-01 10:10", "hash": "fe585eb4df8c88d844eeb463ea4d0302", "eval": tasks}


def evalplus(folder: Path, R: Outcomes) -> Path:
    return save(folder / "model_eval_results.json", evalplus_log(R))


def human_eval(folder: Path, R: Outcomes) -> Path:
    lines = [
        {"task_id": q, "completion": "return 1", "result": "passed" if x[t] else "failed: ", "passed": bool(x[t])}
        for t in range(max(map(len, R.values())))
        for q, x in R.items()
        if t < len(x)
    ]
    return save(folder / "model.jsonl_results.jsonl", lines)


def tau(folder: Path, R: Outcomes) -> Path:
    runs = [
        {"task_id": q, "reward": float(x), "info": {}, "traj": [], "trial": t}
        for q, xs in R.items()
        for t, x in enumerate(xs)
    ]
    random.Random(2).shuffle(runs)
    return save(folder / "model.json", runs)


def tau2_log(R: Outcomes) -> dict[str, Any]:
    runs = [
        {"id": f"{q}{t}", "task_id": q, "trial": t, "termination_reason": "user_stop" if t else "agent_stop",
         "reward_info": None if x is None else {"reward": float(x), "db_check": None}, "messages": []}
        for q, xs in R.items() for t, x in enumerate(xs)
    ]  # fmt: skip
    info = {"num_trials": 3, "agent_info": {"implementation": "llm_agent", "llm": "model"}}
    return {"timestamp": DATE, "info": info | {"environment_info": {"domain_name": "airline"}}, "simulations": runs}


def tau2(folder: Path, R: Outcomes) -> Path:
    return save(folder / "results.json", tau2_log(R))


def terminal_log(R: Outcomes) -> dict[str, Any]:
    runs = [
        {"id": "0", "trial_name": f"{q}.{t + 1}-of-{len(xs)}.2025-09-05__16-26-44", "task_id": q,
         "is_resolved": None if x is None else bool(x), "failure_mode": "unset",
         "parser_results": None if x is None else {"test_a": "passed", "test_b": "passed" if x else "failed"}}
        for q, xs in R.items() for t, x in enumerate(xs)
    ]  # fmt: skip
    ids = {f"{x}resolved_ids": [r["task_id"] for r in runs if bool(r["is_resolved"]) != bool(x)] for x in ("", "un")}
    n = len(ids["resolved_ids"])
    return ids | {"id": "1", "results": runs, "pass_at_k": {}, "n_resolved": n, "accuracy": n / len(runs)}


def terminal(folder: Path, R: Outcomes) -> Path:
    return save(folder / "model" / "results.json", terminal_log(R))


def verl(folder: Path, R: Outcomes) -> Path:
    lines = [
        {"input": f"user\n{q}", "output": "4", "gts": "4", "score": x, "step": 100, "acc": bool(x)}
        for q, xs in R.items()
        for x in xs
    ]
    return save(folder / "model.jsonl", lines)


def opencompass(folder: Path, R: Outcomes) -> Path:
    details = [{"example_abbr": q, "pred": ["4"] * len(x), "correct": [None if y is None else bool(y) for y in x]}
               for q, x in R.items()]  # fmt: skip
    save(folder / "results" / "model" / "gsm8k.json", {"accuracy": 100 * tool_logs.mean(R), "details": details})
    return folder / "results"


def arena(folder: Path, R: Outcomes) -> Path:
    lines = [
        {"benchmark_id": "b", "model": "model", "example_id": q, "correct": sum(x), "count": len(x)}
        | {"pass1": sum(x) / max(len(x), 1)}
        for q, x in R.items()
    ]
    return save(folder / "arena.jsonl", lines)


def lm_eval_average(folder: Path, R: Outcomes) -> Path:
    """Write one file in which each value is an average over its responses."""
    lines = [
        lm_eval_line(
            q, sum(x) / len(x), resps=[["a"] * len(x)], filtered_resps=[["a"] * len(x)], metrics=["mean_match"]
        )
        | {"mean_match": sum(x) / len(x)}
        for q, x in R.items()
    ]
    save(folder / "results" / "model" / f"samples_aime_{DATE}.jsonl", lines)
    return folder / "results"


def lighteval_file(folder: Path, rows: list[dict[str, Any]], date: str = DATE, task: str = "gsm8k") -> Path:
    path = folder / "details" / "model" / date / f"details_{task}_{date}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def lighteval_row(i: Any, metric: Any, responses: int = 1) -> dict[str, Any]:
    return {"doc": {"id": i, "task_name": "aime24"}, "metric": metric, "model_response": {"text": ["4"] * responses}}


def lighteval_details(folder: Path, R: Outcomes) -> Path:
    lighteval_file(folder, [lighteval_row(q, {"avg@n": sum(x) / len(x)}, len(x)) for q, x in R.items()])
    return folder / "details"


Writer = Callable[[Path, Outcomes], Path]
# by kind of log: name of the format, writer, whether it records missing outcomes, and whether it records single trials
WRITERS: dict[str, tuple[str, Writer, bool, bool]] = {
    "lm_eval": ("lm-evaluation-harness", lm_eval, True, True),
    "inspect_json": ("inspect_ai", inspect_json, True, True),
    "inspect_eval": ("inspect_ai", inspect_eval, True, True),
    "evalplus": ("evalplus", evalplus, False, True),
    "human_eval": ("human-eval", human_eval, False, True),
    "tau": ("tau-bench", tau, False, True),
    "tau2": ("tau2-bench", tau2, True, True),
    "terminal": ("terminal-bench", terminal, True, True),
    "verl": ("verl", verl, False, True),
    "opencompass": ("opencompass", opencompass, True, True),
    "arena": ("eval-arena", arena, False, False),
    "lm_eval_average": ("lm-evaluation-harness", lm_eval_average, False, False),
    "lighteval": ("lighteval", lighteval_details, False, False),
} | tool_logs.WRITERS
EACH_FORMAT = pytest.mark.parametrize("kind", list(WRITERS))
LOG_WRITERS = {kind: write for kind, (_, write, _, _) in WRITERS.items()}


def can_read(path: Path, **options: Any) -> bool:
    """Whether a file is read; checks that the error of a refused file is one line."""
    error = None
    try:
        read(path, **options)
    except (InvalidInput, OSError) as e:
        error = str(e)
    assert "\n" not in (error or "")
    return error is None


def lm_eval_file(folder: Path, lines: list[Any], task: str = "gsm8k", model: str = "model", date: str = DATE) -> Path:
    return save(folder / model / f"samples_{task}_{date}.jsonl", lines)


def write_log(folder: Path, kind: str) -> tuple[Path, Path]:
    """Write the outcomes R as a log of this kind; return its path, and that of its first file of results or answers."""
    path = LOG_WRITERS[kind](folder, R)
    logs = (x for x in sorted([path, *path.rglob("*")]) if x.suffix != ".txt" and x.is_file())
    return path, next(x for x in logs if x.name not in ("config.json", "manifest.json"))
