"""Logs of evaluation tools: what each file means, and that a broken one is an error that says where."""

from __future__ import annotations

import json
import random
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tool_logs
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio import InvalidInput
from scorio.io import Logs, read
from scorio.io.choices import Which
from scorio.io.formats import NAMES, lighteval
from scorio.io.text_files import Place

DATE = "2025-06-01T10-20-30.123456"


def refused(path: Path, code: str, argument: str, says: str = "", **options: Any) -> str:
    """The message of the error that read() must raise."""
    with pytest.raises(InvalidInput) as e:
        read(path, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    assert str(e.value).startswith(str(path)), str(e.value)
    assert says in str(e.value), str(e.value)
    assert "\n" not in str(e.value)
    return str(e.value)


def tables(logs: Logs) -> dict[str, dict[str, list[int]]]:
    return {m: dict(zip(log.questions, log.counts.table.tolist(), strict=True)) for m, log in logs.items()}


def save(path: Path, content: Any) -> Path:
    """An object as JSON, a list of lines as JSONL, bytes as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(line) + "\n" for line in content))
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(json.dumps(content))
    return path


# --- what each tool writes -----------------------------------------------------------------------------------
# R: the outcomes 0, 1 or None (missing) of each question; a file that cannot hold a missing one leaves it out.

Outcomes = dict[str, list[Any]]
R = {"q1": [1, 0, 1], "q2": [0, 0, 1]}
COUNTS = {"q1": [1, 2], "q2": [2, 1]}


def lm_eval_line(doc: Any, value: Any, **other: Any) -> dict[str, Any]:
    line = {
        "doc_id": doc,
        "doc": {"question": "2 + 2?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "2 + 2?"}},
    }
    line |= {"resps": [["4"]], "filtered_resps": ["4"], "filter": "strict-match", "metrics": ["exact_match"]}
    return line | {"doc_hash": "d", "prompt_hash": "p", "target_hash": "t", "exact_match": value} | other


def lm_eval(folder: Path, R: Outcomes) -> Path:
    """A file a run."""
    for t in range(max(map(len, R.values()))):
        lines = [lm_eval_line(q, x[t]) for q, x in R.items() if t < len(x)]
        save(folder / "results" / "model" / f"samples_gsm8k_{DATE[:-1]}{t}.jsonl", lines)
    return folder / "results"


def inspect_log(R: Outcomes, **other: Any) -> dict[str, Any]:
    samples = [inspect_sample(q, t + 1, x) for q, xs in R.items() for t, x in enumerate(xs)]
    random.Random(1).shuffle(samples)
    told = {"task": "gsm8k", "model": "model", "dataset": {"name": "gsm8k"}, "config": {"epochs": 3}}
    return {"version": 2, "status": "success", "eval": told, "plan": {}, "samples": samples} | other


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
    ids: dict[str, Any] = {"resolved_ids": ["t"], "unresolved_ids": ["u"]}
    return ids | {"id": "1", "results": runs, "pass_at_k": {}, "n_resolved": 3, "accuracy": 0.5}


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
    save(folder / "results" / "model" / "gsm8k.json", {"accuracy": 50.0, "details": details})
    return folder / "results"


def arena(folder: Path, R: Outcomes) -> Path:
    lines = [
        {"benchmark_id": "b", "model": "model", "example_id": q, "pass1": 0.5, "correct": sum(x), "count": len(x)}
        for q, x in R.items()
    ]
    return save(folder / "arena.jsonl", lines)


def lm_eval_average(folder: Path, R: Outcomes) -> Path:
    """One file, each value an average over its responses."""
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
# name of the format, writer, whether it holds missing outcomes, unequal trials, and trials at all
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
EVERY = pytest.mark.parametrize("kind", list(WRITERS))


def verl_names(logs: Logs, R: Outcomes) -> None:
    """Questions without names: give them those that they were written with."""
    for model, log in logs.items():
        logs[model] = log._replace(questions=list(R))


@EVERY
def test_every_format(tmp_path, kind):
    name, write, _, trials = WRITERS[kind]
    logs = read(write(tmp_path, R), trials=True)
    if kind in tool_logs.DIGESTED:
        verl_names(logs, R)
    assert tables(logs) == {"model": COUNTS if set(logs["model"].questions) == {"q1", "q2"} else None}
    assert (logs.format, logs.weights, logs["model"].missing) == (name, None, 0)
    if trials:
        found = dict(zip(logs["model"].questions, logs["model"].outcomes.tolist(), strict=True))
        assert found == R
    else:
        assert logs["model"].outcomes is None


@EVERY
def test_the_format_may_be_said(tmp_path, kind):
    name, write, _, _ = WRITERS[kind]
    path = write(tmp_path, R)
    assert tables(read(path, format=name)) == tables(read(path))
    with pytest.raises(InvalidInput) as e:
        read(path, format="inspect")
    assert (e.value.code, e.value.argument) == ("choice", "format")
    for other in NAMES:
        if other != name:
            with pytest.raises(InvalidInput):
                read(path, format=other)


questions = st.dictionaries(
    st.text("abcXYZ/_-.0123456789", min_size=1, max_size=8).filter(lambda q: q != "type"),
    st.lists(st.sampled_from([0, 1, 1, None]), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
)


@EVERY
@settings(max_examples=25, deadline=None)
@given(R=questions)
def test_round_trip(kind, R):
    name, write, missing, trials = WRITERS[kind]
    if not missing:
        R = {q: [0 if x is None else x for x in xs] for q, xs in R.items()}
    if kind == "lm_eval_average":
        R = {q: [*xs, 0, 1] for q, xs in R.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), R)
        dropped, filled = read(path, missing="drop", trials=True), read(path, missing=0, trials=True)
    if kind in tool_logs.DIGESTED:
        verl_names(dropped, R), verl_names(filled, R)
    assert dropped.format == name
    longest = max(map(len, R.values()))
    assert tables(dropped) == {"model": {q: [x.count(0), x.count(1)] for q, x in R.items()}}
    if not trials:
        return
    log = dropped["model"]
    assert log.missing == sum(longest - x.count(0) - x.count(1) for x in R.values())
    wanted = {q: [-1 if x is None else x for x in xs] + [-1] * (longest - len(xs)) for q, xs in R.items()}
    assert dict(zip(log.questions, log.outcomes.tolist(), strict=True)) == wanted
    assert tables(filled) == {"model": {q: [longest - x.count(1), x.count(1)] for q, x in R.items()}}


# --- broken files ---------------------------------------------------------------------------------------------

FILES = {kind: write for kind, (_, write, _, _) in WRITERS.items()}


def written(folder: Path, kind: str) -> tuple[Path, Path]:
    """What is read, and a file of it."""
    path = FILES[kind](folder, R)
    logs = (x for x in sorted([path, *path.rglob("*")]) if x.suffix != ".txt" and x.is_file())
    return path, next(x for x in logs if x.name not in ("config.json", "manifest.json"))


def survives(path: Path, **options: Any) -> bool:
    """Read, or refused as it must be."""
    error = None
    try:
        read(path, **options)
    except (InvalidInput, OSError) as e:
        error = str(e)
    assert "\n" not in (error or "")
    return error is None


@EVERY
def test_truncated(tmp_path, kind):
    path, file = written(tmp_path, kind)
    raw = file.read_bytes()
    whole = tables(read(path))
    lines = file.suffix == ".jsonl" or (file.suffix == ".json" and raw.count(b"\n") > 1)
    if file.suffix == ".csv":
        pytest.skip("the last cell of a CSV may be cut short")
    for end in sorted({*range(0, len(raw), max(1, len(raw) // 150)), *range(max(0, len(raw) - 40), len(raw) - 1)}):
        file.write_bytes(raw[:end])
        if lines and (raw[:end].endswith(b"\n") or raw[end : end + 1] == b"\n"):
            survives(path, missing="drop")  # a file of whole lines
        else:
            assert not survives(path, missing="drop"), end
    file.write_bytes(raw)
    assert tables(read(path)) == whole


@EVERY
def test_bytes_that_are_changed(tmp_path, kind):
    path, file = written(tmp_path, kind)
    raw, rng = file.read_bytes(), random.Random(kind)
    for _ in range(150):
        bad = bytearray(raw)
        for _ in range(rng.randint(1, 3)):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        file.write_bytes(bytes(bad))
        survives(path, missing=rng.choice(["raise", "drop", 0]), weights=rng.choice([None, "levels", [0, 1, 2]]))


VALUES = [None, True, 3, -1, 0.5, 1e300, float("nan"), float("inf"), "", "x", "nan", [], [[]], {}, {"a": 1}, [1, [2]],
          10**400, "9" * 5000, "\ud800", {"value": []}, [None], "1e999999", -0.0]  # fmt: skip


def places(x: Any, path: tuple = ()) -> list[tuple]:
    """Every place in a document."""
    found = [path]
    for k, v in x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ():
        found += places(v, (*path, k))
    return found


def of_rows(rows: Any) -> bytes:
    """A Parquet file."""
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue().to_pybytes()


def changed(x: Any, path: tuple, value: Any, delete: bool) -> Any:
    x = json.loads(json.dumps(x))
    if not path:
        return value
    at = x
    for k in path[:-1]:
        at = at[k]
    if delete:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return x


@EVERY
def test_anything_anywhere(tmp_path, kind):
    """A key is deleted or a value is something else: read as what it then says, or refused; never another error."""
    path, file = written(tmp_path, kind)
    if file.suffix == ".csv":
        pytest.skip("no JSON")
    if file.suffix == ".eval":
        members = eval_members({"q1": [1, None]})
        document: Any = {name: members[name] for name in ("summaries.json", "header.json")}
    elif file.suffix == ".parquet":
        document = [lighteval_row("q", {"avg@n": 0.5, "b": 1}, 2), lighteval_row("p", {"avg@n": 1.0, "b": 1}, 2)]
    elif file.suffix == ".jsonl":
        document = [json.loads(line) for line in file.read_text().splitlines()]
    else:
        document = json.loads(file.read_text())
    everywhere = places(document)
    rng = random.Random(3)
    cases = [(p, None, True) for p in everywhere if p] + [(p, v, False) for p in everywhere for v in VALUES]
    for where, value, delete in rng.sample(cases, min(400, len(cases))):
        bad = changed(document, where, value, delete)
        if file.suffix == ".eval":
            content: Any = zipped(bad) if isinstance(bad, dict) else b""
        elif file.suffix == ".parquet":
            try:
                content = of_rows(bad)
            except Exception:  # no Parquet file could hold it
                continue
        else:
            content = bad if file.suffix == ".json" or isinstance(bad, list) else [bad]
        save(file, content)
        survives(path, missing="drop")
        survives(path, weights="levels", missing="drop", format=WRITERS[kind][0])
        survives(path, which="exact_match", trials=True)
        survives(path, which="avg@n", missing="drop")


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_what_is_no_log(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    for content, code, says in [
        (b"", "empty", "empty"), (b"\xef\xbb\xbf", "empty", "empty"), (b" \n", "empty", "empty"),
        (b'{"a": 1}', "format", "'a'"), (b"3", "format", "3"),
        (b"[]", "format", "[]" if suffix == ".jsonl" else "empty"),
        (b'{"a": 1, "a": 2}', "duplicate", ":1: " if suffix == ".jsonl" else ""), (b"[" * 100_000, "format", ""),
        (b'{"a": ' + b"9" * 5000 + b"}", "format", ""), ('{"a": "ü"}'.encode("utf-16"), "format", ":1: not UTF-8"),
        (b"{", "format", ":1: "), (b'{"a": "\xff"}', "format", ":1: not UTF-8"),
    ]:  # fmt: skip
        path.write_bytes(content)
        refused(path, code, "path", says)
    path.write_bytes(b'\n{\n"a":\n?}')
    refused(path, "format", "path", ":4: not JSON" if suffix == ".json" else ":2: not JSON")


def test_the_unknown_is_told_what_is_known(tmp_path):
    said = refused(save(tmp_path / "a.json", {"scores": [1, 2]}), "format", "path", "'scores'")
    assert all(name in said for name in ("inspect_ai", "evalplus", "tau-bench", "tau2-bench", "opencompass"))
    said = refused(save(tmp_path / "a.jsonl", [{"score": 1}]), "format", "path", "'score'")
    assert all(name in said for name in ("lm-evaluation-harness", "human-eval", "verl", "eval-arena"))


def test_a_file_that_may_be_two(tmp_path):
    both = tau2_log(R) | {"results": terminal_log(R)["results"]}
    path = save(tmp_path / "a.json", both)
    refused(path, "format", "path", "tau2-bench or terminal-bench: state which")
    assert tables(read(path, format="tau2-bench")) == {"model": COUNTS}
    assert tables(read(path, format="terminal-bench")) == {"a": COUNTS}
    line = {"task_id": "t", "passed": True, "question": "q", "outcome": 0}
    path = save(tmp_path / "a.jsonl", [line])
    refused(path, "format", "path", "a table or human-eval")
    assert tables(read(path, format="human-eval")) == {"a": {"t": [0, 1]}}


@EVERY
def test_bom_and_line_ends(tmp_path, kind):
    path, file = written(tmp_path, kind)
    want = tables(read(path))
    if file.suffix in (".eval", ".parquet"):
        return
    for raw in (b"\xef\xbb\xbf" + file.read_bytes(), file.read_bytes().replace(b"\n", b"\r\n\r\n")):
        file.write_bytes(raw)
        assert tables(read(path)) == want


# --- lm-evaluation-harness ------------------------------------------------------------------------------------


def lm_eval_file(folder: Path, lines: list[Any], task: str = "gsm8k", model: str = "model", date: str = DATE) -> Path:
    return save(folder / model / f"samples_{task}_{date}.jsonl", lines)


def test_lm_eval_filters(tmp_path):
    lines = [
        lm_eval_line(i, i, filter=f, metrics=["exact_match", "f1"], f1=1) for f in ("strict", "loose") for i in (0, 1)
    ]
    path = lm_eval_file(tmp_path, lines)
    said = refused(path, "choice", "which", "'exact_match,strict', 'f1,strict', 'exact_match,loose', 'f1,loose'")
    assert ":1:" not in said
    refused(path, "choice", "which", "names none or more than one", which="exact_match")
    refused(path, "choice", "which", "names none or more than one", which="strict")
    refused(path, "choice", "which", "names none", which="acc")
    assert tables(read(path, which="exact_match,loose")) == {"model": {"0": [1, 0], "1": [0, 1]}}
    one = lm_eval_file(tmp_path, [x for x in lines if x["filter"] == "loose"])
    assert tables(read(one, which="exact_match")) == {"model": {"0": [1, 0], "1": [0, 1]}}
    two = lm_eval_file(tmp_path, [x | {"metrics": ["f1"]} for x in lines])
    assert tables(read(two, which="loose")) == {"model": {"0": [0, 1], "1": [0, 1]}}


def test_lm_eval_before_metrics_were_listed(tmp_path):
    lines = [{k: v for k, v in lm_eval_line(i, i).items() if k not in ("filter", "metrics")} for i in (0, 1)]
    assert tables(read(lm_eval_file(tmp_path, lines))) == {"model": {"0": [1, 0], "1": [0, 1]}}
    path = lm_eval_file(tmp_path, [line | {"f1": 0} for line in lines])
    refused(path, "choice", "which", "'exact_match', 'f1'")
    assert tables(read(path, which="f1")) == {"model": {"0": [1, 0], "1": [1, 0]}}
    path = lm_eval_file(tmp_path, lines + lines)  # two filters that cannot be told apart
    refused(path, "duplicate", "path", "stands already in line 1")


def test_lm_eval_likelihoods_are_one_response(tmp_path):
    pairs = [["-1.5", "False"], ["-0.5", "True"]]
    line = lm_eval_line(0, 1.0, resps=[[pair] for pair in pairs], filtered_resps=pairs)
    assert tables(read(lm_eval_file(tmp_path, [line]))) == {"model": {"0": [0, 1]}}
    line |= {"resps": [[pair] * 4 for pair in pairs]}  # of four repeats the filter took the first
    assert tables(read(lm_eval_file(tmp_path, [line]))) == {"model": {"0": [0, 1]}}


def repeats(i: int, value: Any, K: int, taken: Any = "all", **other: Any) -> dict[str, Any]:
    return lm_eval_line(i, value, resps=[["4"] * K], filtered_resps=[["4"] * K] if taken == "all" else [taken], **other)


def test_lm_eval_repeats(tmp_path):
    path = lm_eval_file(tmp_path, [repeats(0, 0.75, 4), repeats(1, 1, 4), repeats(2, 1 / 3, 3)])
    assert tables(read(path)) == {"model": {"0": [1, 3], "1": [0, 4], "2": [2, 1]}}
    path = lm_eval_file(tmp_path, [repeats(0, 1, 8, "4"), repeats(1, 0, 8, "5")])  # the filter took one of them
    assert tables(read(path)) == {"model": {"0": [0, 1], "1": [1, 0]}}
    path = lm_eval_file(tmp_path, [repeats(0, 0.75, 4), repeats(1, 0.3, 4)])
    refused(path, "format", "path", ":2: exact_match = 0.3 is no average of 4 outcomes")
    refused(lm_eval_file(tmp_path, [repeats(0, 1.5, 4)]), "format", "path", "no average of 4")
    path = lm_eval_file(tmp_path, [repeats(0, 1, 8), repeats(1, 0, 8)])  # such as the best of eight
    refused(path, "format", "path", "it may be no average")
    named = [repeats(i, 1, 8, metrics=["pass@1"]) | {"pass@1": 1.0} for i in (0, 1)]
    assert tables(read(lm_eval_file(tmp_path, named))) == {"model": {"0": [0, 8], "1": [0, 8]}}
    named = [repeats(i, 1, 8, metrics=["pass@8"]) | {"pass@8": 0.5} for i in (0, 1)]
    refused(lm_eval_file(tmp_path, named), "format", "path", "pass@8 is no average of 8 outcomes")
    refused(lm_eval_file(tmp_path, [repeats(0, None, 4)]), "missing", "outcome", "exact_match is missing")
    refused(lm_eval_file(tmp_path, [repeats(0, [1, 2], 4)]), "type", "outcome", "[1, 2]")
    for text in ("NaN", "null"):
        raw = json.dumps(lm_eval_line(0, 7)).replace('"exact_match": 7', f'"exact_match": {text}')
        path = save(tmp_path / "m" / f"samples_a_{DATE}.jsonl", [])
        path.write_text(raw + "\n" + json.dumps(lm_eval_line(1, 1)))
        refused(path, "missing", "outcome", ":1: ")
        assert read(path, missing="drop")["m"].missing == 1


def test_lm_eval_folder(tmp_path):
    """A folder a model, a file a task and run; the results beside them are passed by."""
    for model in ("a__b", "c"):
        for task in ("gsm8k", "mmlu_flan_n_shot"):
            for run, date in enumerate([DATE, DATE.replace("10-", "11-")]):
                lm_eval_file(tmp_path, [lm_eval_line(i, (i + run) % 2) for i in range(2)], task, model, date)
        save(tmp_path / model / f"results_{DATE}.json", {"results": {"gsm8k": {}}, "versions": {}, "configs": {}})
    (tmp_path / "README.md").write_text("runs")
    (tmp_path / ".cache").mkdir()
    save(tmp_path / ".cache" / "x.json", 3)
    logs = read(tmp_path, trials=True)
    want = {f"{task}/{i}": [1, 1] for task in ("gsm8k", "mmlu_flan_n_shot") for i in range(2)}
    assert tables(logs) == {"a__b": want, "c": want}
    assert logs["c"].outcomes.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert logs.skipped == [".cache", "README.md", f"a__b/results_{DATE}.json", f"c/results_{DATE}.json"]
    one = read(tmp_path / "c", format="lm-evaluation-harness")
    assert tables(one) == {"c": want}
    alone = read(tmp_path / "c" / f"samples_gsm8k_{DATE}.jsonl")
    assert tables(alone) == {"c": {"0": [1, 0], "1": [0, 1]}}
    assert alone.skipped == []


def test_averages_of_runs_add_up(tmp_path):
    for date in (DATE, DATE.replace("10-", "11-")):
        lm_eval_file(tmp_path, [repeats(0, 0.75, 4), repeats(1, 0.5, 2)], date=date)
    assert tables(read(tmp_path)) == {"model": {"0": [2, 6], "1": [2, 2]}}


def test_a_document_without_the_metric_is_missing(tmp_path):
    lines = [lm_eval_line(i, 1, filter=f) for i, f in enumerate(["strict", "loose", "strict", "loose"])]
    path = lm_eval_file(tmp_path, [*lines, lm_eval_line(0, 0, filter="loose")])
    refused(path, "missing", "outcome", ":2: outcome is missing", which="strict")
    log = read(path, which="strict", missing="drop")["model"]
    assert dict(zip(log.questions, log.counts.absent.tolist(), strict=True)) == {"0": 0, "2": 0, "1": 1, "3": 1}
    want = {"0": [1, 0], "1": [0, 1], "2": [1, 0], "3": [0, 1]}
    assert tables(read(path, which="loose", missing=0)) == {"model": want}
    path = lm_eval_file(tmp_path, [repeats(0, 0.75, 4, filter="a"), repeats(1, 0.75, 4, filter="b")])
    said = refused(path, "missing", "outcome", ":2: document '1' has no", which="a", missing="drop")
    assert "exact_match,a" in said


def test_a_document_twice_in_a_run(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_line(0, 1), lm_eval_line(0, 1)])
    refused(path, "duplicate", "path", "line 1")


# --- inspect_ai -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1), ("I", 0), ("N", 0), ("P", 0.5), (1, 1), (0.25, 0.25), (True, 1), (False, 0), ("yes", 1), ("No", 0),
     ("true", 1), ("0.75", 0.75), (-1, -1)],
)  # fmt: skip
def test_inspect_values(tmp_path, value, score):
    path = save(tmp_path / "a.json", inspect_log({"q": [value, 0, 1]}))
    log = read(path, weights="levels", trials=True)
    weights = log.weights or [0, 1]
    assert weights[log["model"].outcomes[0][0]] == score


@pytest.mark.parametrize("value", ["maybe", "c", "", "null", "nan", "inf", [1], [], "X"])
def test_inspect_values_that_say_nothing(tmp_path, value):
    path = save(tmp_path / "a.json", inspect_log({"q": [1, value, 0]}))
    with pytest.raises(InvalidInput) as e:
        read(path, missing="drop", weights="levels")
    assert e.value.code in ("type", "not_finite")
    assert "samples[" in str(e.value)


def test_inspect_missing(tmp_path):
    log = inspect_log({"q": [1, 0, None], "p": [1, 1, 1]})
    log["samples"].append(inspect_sample("q", 4, float("nan")))
    log["samples"].append(inspect_sample("p", 4, 1))
    path = save(tmp_path / "a.json", log)
    assert "NaN" in path.read_text()
    refused(path, "missing", "outcome", "samples[")
    read_ = read(path, missing="drop", trials=True)["model"]
    found = dict(zip(read_.questions, read_.outcomes.tolist(), strict=True))
    assert (found, read_.missing) == ({"q": [1, 0, -1, -1], "p": [1, 1, 1, 1]}, 2)
    partial = {"id": "r", "epoch": 1, "scores": {"other": {"value": "C"}}}
    path = save(tmp_path / "a.json", inspect_log({"q": [1]}, samples=[inspect_sample("q", 1, 1), partial]))
    assert read(path, missing="drop", which="match")["model"].counts.absent.tolist() == [0, 1]


def test_inspect_of_errors_only(tmp_path):
    path = save(tmp_path / "a.json", inspect_log({"q": [None, None]}))
    refused(path, "missing", "outcome", "samples[0]")
    assert read(path, missing="drop")["model"].counts.absent.tolist() == [2]
    assert tables(read(path, missing=0, which="match")) == {"model": {"q": [2, 0]}}


def test_inspect_scorers(tmp_path):
    sample = {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}, "judge": {"value": {"a": "I", "b": None}}}}
    path = save(tmp_path / "a.json", inspect_log({}, samples=[sample]))
    refused(path, "choice", "which", "'match', 'judge/a', 'judge/b'")
    refused(path, "choice", "which", "'match'", which="judge")
    assert tables(read(path, which="match")) == {"model": {"1": [0, 1]}}
    assert tables(read(path, which="judge/a")) == {"model": {"1": [1, 0]}}
    refused(path, "missing", "outcome", "samples[0]", which="judge/b")


def test_inspect_scorers_of_one_name(tmp_path):
    parts, plain = {"m": {"value": {"x": "C"}}}, {"m/x": {"value": "I"}}
    for all_scores in ([parts | plain], [plain | parts], [parts, plain], [plain, parts]):
        samples = [{"id": i, "epoch": 1, "scores": scores} for i, scores in enumerate(all_scores)]
        path = save(tmp_path / "a.json", inspect_log({}, samples=samples))
        for which in (None, "m/x"):
            refused(path, "conflict", "path", "score 'm/x' may be of scorer", which=which)


@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
def test_inspect_unfinished(tmp_path, status):
    path = save(tmp_path / "a.json", inspect_log(R, status=status))
    refused(path, "missing", "path", status)
    assert tables(read(path, missing="drop")) == {"model": COUNTS} or list(
        read(path, missing="drop")["model"].questions
    )
    members = eval_members(R)
    samples = members.pop("summaries.json")
    members.pop("header.json")
    members |= {"_journal/summaries/10.json": samples[3:], "_journal/summaries/2.json": samples[:3]}
    path = save(tmp_path / "b.eval", zipped(members))
    refused(path, "missing", "path", "started")
    log = read(path, missing="drop")["model"]
    assert dict(zip(log.questions, log.counts.table.tolist(), strict=True)) == COUNTS
    assert log.questions == list(dict.fromkeys(s["id"] for s in samples))


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"samples": None}, "format", "samples is None"), ({"samples": []}, "empty", "no sample"),
        ({"samples": [3]}, "format", "samples[0]"), ({"samples": [{}]}, "format", "there is no id"),
        ({"samples": [inspect_sample("q", "1", 1)]}, "format", "epoch is '1', not an integer"),
        ({"samples": [{"id": "q", "epoch": 1}, inspect_sample("q", 2, None)]}, "format", "there are no scorers in it"),
        ({"samples": [inspect_sample("q", 1, 1), inspect_sample("q", 1, 0)]}, "duplicate", "samples[0]"),
        ({"samples": [{"id": "q", "epoch": 1, "scores": {"a": 3}}]}, "format", "3 is not an object with value"),
    ],
)  # fmt: skip
def test_inspect_errors_say_where(tmp_path, change, code, says):
    refused(save(tmp_path / "a.json", inspect_log(R, **change)), code, "path", says, missing="drop")


def test_eval_files_that_are_broken(tmp_path):
    for drop, says in (("summaries.json", "no sample"), ("header.json", "status 'started'")):
        members = {k: v for k, v in eval_members(R).items() if k != drop}
        path = save(tmp_path / "a.eval", zipped(members))
        refused(path, "empty" if drop == "summaries.json" else "missing", "path", says)
    members = {k: v for k, v in eval_members(R).items() if k not in ("header.json", "_journal/start.json")}
    refused(save(tmp_path / "a.eval", zipped(members)), "format", "path", "there is no _journal/start.json in it")
    refused(save(tmp_path / "a.eval", b"PK no"), "format", "path", "not a zip file")
    refused(save(tmp_path / "a.eval", zipped(eval_members(R) | {"summaries.json": {}})), "format", "path", "not a list")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.eval")


def zstd_file(members: dict[str, Any], compress: Callable[[bytes], bytes]) -> bytes:
    """A zip file of zstd members, which zipfile does not write before Python 3.14."""
    out, directory = b"", b""
    for name, content in members.items():
        raw, at, file = json.dumps(content).encode(), len(out), name.encode()
        data = compress(raw)
        head = struct.pack("<HHHHHLLLHH", 63, 0, 93, 0, 33, zlib.crc32(raw), len(data), len(raw), len(file), 4)
        out += b"PK\x03\x04" + head + file + b"\xfe\xca\0\0" + data
        head = head[:-2] + struct.pack("<HHHHLL", 0, 0, 0, 0, 0, at)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + head + file
    end = struct.pack("<HHHHLLH", 0, 0, len(members), len(members), len(directory), len(out), 0)
    return out + directory + b"PK\x05\x06" + end


def test_zstd(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    raw = zstd_file(eval_members(R), zstandard.ZstdCompressor().compress)
    log = read(save(tmp_path / "a.eval", raw))["model"]
    assert dict(zip(log.questions, log.counts.table.tolist(), strict=True)) == COUNTS
    rng = random.Random(4)
    for _ in range(300):
        bad = bytearray(raw)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        if survives(save(tmp_path / "b.eval", bytes(bad))):
            assert tables(read(tmp_path / "b.eval")) == tables(read(tmp_path / "a.eval"))
    for end in range(0, len(raw), 37):
        assert not survives(save(tmp_path / "b.eval", raw[:end]))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zipfile reads zstd itself")
def test_zstd_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = save(tmp_path / "a.eval", zstd_file(eval_members(R), lambda raw: raw))
    refused(path, "format", "path", "pip install zstandard")


# --- code -----------------------------------------------------------------------------------------------------


def test_evalplus_plus(tmp_path):
    log = evalplus_log(R, plus=True)
    log["eval"]["q1"][0]["plus_status"] = "timeout"
    log["eval"]["q2"][0]["plus_status"] = "pass"  # but not base
    path = save(tmp_path / "m_eval_results.json", log)
    refused(path, "choice", "which", "'base', 'plus'")
    assert tables(read(path, which="base")) == {"m": COUNTS}
    assert tables(read(path, which="plus")) == {"m": {"q1": [2, 1], "q2": [2, 1]}}
    log["eval"]["q1"][1]["plus_status"] = None
    refused(save(path, log), "format", "path", "eval['q1'][1]: plus_status is None", which="plus")
    refused(save(path, evalplus_log(R)), "choice", "which", "'base'", which="plus")
    log["eval"]["q1"][1]["base_status"] = "passed"
    refused(save(path, log), "format", "path", "base_status is 'passed', not one of pass, fail, timeout", which="base")


def test_tasks_without_answers_are_missing(tmp_path):
    for write, place in ((evalplus, "eval['b']"), (opencompass, "details[1]")):
        path = write(tmp_path / write.__name__, {"a": [1, 0], "b": []})
        refused(path, "missing", "outcome", place)
        log = read(path, missing="drop")["model"]
        assert (log.questions, log.counts.table.tolist()) == (["a", "b"], [[1, 1], [0, 0]])
        assert int(np.sum(log.missing)) == 2
        assert tables(read(path, missing=0)) == {"model": {"a": [1, 1], "b": [2, 0]}}


def test_evalplus_in_a_folder_a_model(tmp_path):
    for model in ("a_temp_0.8", "b"):
        save(tmp_path / model / "eval_results.json", evalplus_log(R))
        save(tmp_path / model / "samples.jsonl", [{"task_id": "q1", "solution": "def f(): ..."}])
    logs = read(tmp_path)
    assert tables(logs) == {"a_temp_0.8": COUNTS, "b": COUNTS}
    assert logs.skipped == ["a_temp_0.8/samples.jsonl", "b/samples.jsonl"]
    refused(tmp_path / "b" / "samples.jsonl", "format", "path", "answers before their tests")


def test_human_eval_errors(tmp_path):
    good = {"task_id": "HumanEval/0", "completion": "", "passed": True}
    for bad, code, argument in [
        ({"passed": "yes"}, "type", "outcome"), ({"passed": None}, "missing", "outcome"),
        ({"task_id": 0.5}, "format", "path"), ({"task_id": ""}, "missing", "question"),
    ]:  # fmt: skip
        refused(save(tmp_path / "a.jsonl", [good, good | bad]), code, argument, ":2: ")
    (tmp_path / "a.jsonl").write_text(json.dumps(good) + '\n{"task_id": "x"}')
    refused(tmp_path / "a.jsonl", "format", "path", ":2: there is no passed here")


# --- agents ---------------------------------------------------------------------------------------------------


def test_tau_rewards(tmp_path):
    rewards = [1.0, 1 - 1e-7, 1 + 1e-7, 0.999, 0.0, 1, 0.5, -1]
    runs = [{"task_id": 0, "trial": t, "reward": x} for t, x in enumerate(rewards)]
    log = read(save(tmp_path / "a.json", runs), trials=True)["a"]
    assert log.outcomes.tolist() == [[1, 1, 1, 0, 0, 1, 0, 0]]
    runs.append({"task_id": 0, "trial": 8, "reward": float("nan")})
    assert read(save(tmp_path / "a.json", runs), missing="drop")["a"].missing == 1
    refused(tmp_path / "a.json", "missing", "outcome", "[8]")
    runs[8] = {"task_id": 0, "trial": 0, "reward": 1}
    refused(save(tmp_path / "a.json", runs), "duplicate", "path", "trial '0' of question '0'")
    runs[8] = {"task_id": 0, "trial": 8, "reward": "good"}
    refused(save(tmp_path / "a.json", runs), "type", "reward", "[8]")
    refused(save(tmp_path / "a.json", [{"task_id": 0, "trial": "1", "reward": 1}]), "format", "path", "trial is '1'")
    refused(save(tmp_path / "a.json", runs[:8]), "conflict", "which", "nothing to choose", which="reward")


def test_tau2_missing_and_names(tmp_path):
    log = tau2_log({"a": [1, 1], "b": [0, 1]})
    log["simulations"][0] |= {"termination_reason": "infrastructure_error"}
    log["simulations"][3]["reward_info"] = None
    path = save(tmp_path / "results.json", log)
    refused(path, "missing", "outcome", "simulations[0]")
    read_ = read(path, missing="drop")["model"]
    assert (read_.counts.table.tolist(), read_.missing) == ([[0, 1], [1, 0]], 2)
    del log["info"]["agent_info"]["llm"]
    assert list(read(save(tmp_path / "m" / "results.json", log), missing="drop")) == ["m"]
    other = tau2_log({"a": [0, 0]})
    other["info"]["environment_info"]["domain_name"] = "retail"
    folder = tmp_path / "two"
    save(folder / "a.json", tau2_log({"a": [1, 1]})), save(folder / "b.json", other)
    assert tables(read(folder)) == {"model": {"airline/a": [0, 2], "retail/a": [2, 0]}}


def test_terminal_shares(tmp_path):
    log = terminal_log({"t.3-of-5": [1, 0, None]})
    log["results"][1]["parser_results"] = {"a": "passed", "b": "passed", "c": "failed", "d": "passed"}
    path = save(tmp_path / "m" / "results.json", log)
    logs = read(path, which="tests", weights="levels", missing="drop", trials=True)
    assert (logs.weights, logs["m"].outcomes.tolist(), logs["m"].questions) == (
        [0, 0.75, 1],
        [[2, 1, -1]],
        ["t.3-of-5"],
    )
    refused(path, "fractional", "outcome", "results[1]", which="tests", missing="drop")
    refused(path, "choice", "which", "'resolved', 'tests'", which="passed", missing="drop")
    assert tables(read(path, missing="drop")) == {"m": {"t.3-of-5": [1, 1]}}
    for bad in ({"a": "skipped"}, [], 3, {"a": None}, {"a": []}):
        log["results"][1]["parser_results"] = bad
        said = {"which": "tests", "weights": "levels", "missing": "drop"}
        refused(save(path, log), "format", "path", "results[1]: parser_results", **said)
    log["results"][1]["trial_name"] = "t.3-of-5"
    refused(save(path, log), "format", "path", "results[1]: trial_name is 't.3-of-5', not t.3-of-5.i-of-n")


def test_terminal_folder_of_runs(tmp_path):
    for run in ("run1", "run2"):
        save(tmp_path / run / "results.json", terminal_log({"t": [1], "u": [0]}))
        save(tmp_path / run / "run_metadata.json", {"run_id": run, "dataset_name": "core", "model_name": "m"})
        save(tmp_path / run / "t" / "t.1-of-1.x" / "results.json", terminal_log({"t": [1]})["results"][0])
    logs = read(tmp_path)
    assert tables(logs) == {"m": {"t": [0, 2], "u": [2, 0]}}  # runs of what the description says is one model
    assert len(logs.skipped) == 4
    assert tables(read(tmp_path, runs=True)) == tables(logs)
    for run in ("run1", "run2"):
        (tmp_path / run / "run_metadata.json").unlink()
    assert tables(read(tmp_path)) == {run: {"t": [0, 1], "u": [1, 0]} for run in ("run1", "run2")}
    assert tables(read(tmp_path, runs=True)) == {tmp_path.name: {"t": [0, 2], "u": [2, 0]}}


# --- verl, eval-arena, opencompass ----------------------------------------------------------------------------


def test_verl(tmp_path):
    def line(q: str, gts: Any, score: Any, **other: Any) -> dict[str, Any]:
        return {"input": q, "output": "o", "gts": gts, "score": score, "step": 1} | other

    lines = [line("a", "1", 1.0), line("a", "2", 0.0), line("a", "1", 0.0), line("a", "2", 0.0)]
    log = read(save(tmp_path / "20.jsonl", lines), trials=True)["20"]
    assert log.outcomes.tolist() == [[1, 0], [0, 0]]
    save(tmp_path / "30.jsonl", lines[2:] + lines[:2])
    assert {m: log.counts.table.tolist() for m, log in read(tmp_path).items()} == {"20": [[1, 1], [2, 0]]} | {
        "30": [[1, 1], [2, 0]]
    }
    assert read(tmp_path)["20"].questions == read(tmp_path)["30"].questions
    graded = save(tmp_path / "x" / "1.jsonl", [line("a", "1", 0.5, acc=True), line("a", "1", -1.0, acc=False)])
    assert tables(read(graded))["1"].popitem()[1] == [1, 1]
    assert read(graded, which="score", weights="levels").weights == [-1, 0.5]
    refused(graded, "choice", "which", "'acc', 'score'", which="reward")
    refused(save(graded, [line("a", "1", 1, acc=1), line("a", "1", 1)]), "format", "path", ":2: there is no acc here")
    older = [{k: v for k, v in x.items() if k != "gts"} for x in lines]
    assert list(tables(read(save(graded, older)))["1"].values()) == [[3, 1]]


def test_arena(tmp_path):
    lines = [{"benchmark_id": b, "model": m, "example_id": "1", "pass1": 0.5, "correct": 1, "count": 2}
             for b in ("x", "y") for m in ("a", "b")]  # fmt: skip
    path = save(tmp_path / "a.jsonl", lines)
    assert tables(read(path)) == {m: {"x/1": [1, 1], "y/1": [1, 1]} for m in ("a", "b")}
    refused(save(path, [*lines, lines[0]]), "duplicate", "path", ":5: question '1' of 'a' stands already in line 1")
    refused(save(path, [lines[0] | {"correct": 3}]), "range", "c", ":1: c = 3 successes in n = 2 trials")
    refused(save(path, [lines[0] | {"count": None}]), "missing", "n", ":1: ")
    clash = [lines[0] | {"benchmark_id": "x", "example_id": "y/1"}, lines[0] | {"benchmark_id": "x/y"}]
    refused(save(path, clash), "duplicate", "path", "would be 'x/y/1'")


def test_opencompass(tmp_path):
    older = {"0": {"prompt": "p", "predictions": "4", "correct": True}, "1": {"prompt": "p", "correct": False}}
    for model in ("a", "b"):
        save(tmp_path / "results" / model / "gsm8k.json", {"accuracy": 50, "type": "GEN", "details": older})
        save(tmp_path / "results" / model / "math.json", {"accuracy": 50, "details": older | {"type": "GEN"}})
    want = {"gsm8k/0": [0, 1], "gsm8k/1": [1, 0], "math/0": [0, 1], "math/1": [1, 0]}
    assert tables(read(tmp_path / "results")) == {"a": want, "b": want}
    details = [{"example_abbr": "s_0", "correct": [True, False], "cascade_correct": [True, True]}]
    path = save(tmp_path / "m" / "d.json", {"details": details})
    refused(path, "choice", "which", "'correct', 'cascade_correct'")
    assert tables(read(path, which="cascade_correct")) == {"m": {"s_0": [0, 2]}}
    for details, says in [
        ([{"example_abbr": "s", "correct": [True]}, {"example_abbr": "t"}], "details[1]: there is no correct here"),
        ([{"correct": [True]}], "details[0]: there is no example_abbr here"),
        ([{"pred": 1}], "there are no outcomes in it"),
        ({"0": {"correct": True}, "": {"correct": True}}, "empty key"), ({"0": 3, "1": {"correct": 1}}, "details['0']"),
    ]:  # fmt: skip
        refused(save(path, {"details": details}), "format", "path", says)
    short = [{"example_abbr": q, "correct": [True] * n} for q, n in (("s", 2), ("t", 1))]
    refused(save(path, {"details": short}), "ragged", "outcome", "question 't'")
    assert read(path, missing="drop")["m"].missing == 1


# --- lighteval: rows, whatever file they are from -------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "responses", "value", "counts"),
    [("extractive_match", 1, 1.0, (1, 1)), ("avg@n:n=16", 16, 0.25, (4, 16)), ("avg@n", 8, 0.25, (2, 8)),
     ("pass@k:k=1&n=16", 16, 0.1875, (3, 16)), ("pass@k:k=1", 4, 0.75, (3, 4)), ("math_pass@1", 4, 0.75, (3, 4)),
     ("avg@k:k=4", 8, 0.5, (2, 4))],
)  # fmt: skip
def test_lighteval_rows(tmp_path, metric, responses, value, counts):
    file = tmp_path / "details" / "org" / "model" / DATE / f"details_aime24_{DATE}.parquet"
    (row,) = lighteval.records([lighteval_row("7", {metric: value}, responses)], Place(file))
    assert (row.model, row.question, row.task, (row.c, row.n)) == ("org/model", "7", "aime24", counts)


@pytest.mark.parametrize(
    ("metrics", "responses", "code", "says"),
    [({"pass@k:k=4&n=16": 0.5}, 16, "format", "no average"), ({"maj@n:n=4": 1}, 4, "format", "no average"),
     ({"extractive_match": 1}, 4, "format", "no average"), ({"avg@n:n=3": 0.5}, 3, "format", "no average of 3"),
     ({"a": 1, "b": 0}, 1, "choice", "'a', 'b'"), ({"a": None}, 1, "missing", "a is missing"),
     ({}, 1, "format", "no metrics")],
)  # fmt: skip
def test_lighteval_rows_that_are_refused(metrics, responses, code, says):
    with pytest.raises(InvalidInput) as e:
        list(lighteval.records([lighteval_row("7", metrics, responses)], Place(Path("a.parquet"))))
    assert e.value.code == code
    assert says in str(e.value)
    (row,) = lighteval.records([lighteval_row("7", {"a": 1, "b": 0})], Place(Path("m.parquet")), Which(["b"]))
    assert (row.model, row.c, row.n) == ("m", 0, 1)


@pytest.mark.parametrize(
    ("metric", "values", "responses", "counts"),
    [("avg@n:n=4", [0.25, 1.0], 4, [[3, 1], [0, 4]]), ("pass@k:k=1&n=8", [0.125, 0.0], 8, [[7, 1], [8, 0]]),
     ("extractive_match", [1, 0], 1, [[0, 1], [1, 0]]), ("acc", [True, False], 1, [[0, 1], [1, 0]])],
)  # fmt: skip
@pytest.mark.parametrize("name", ["{}", "__{}__"])
def test_lighteval_details(tmp_path, metric, values, responses, counts, name):
    rows = [lighteval_row(str(i), {metric: x}, responses) for i, x in enumerate(values)]
    rows = [{name.format(k): x for k, x in row.items()} | {"other": [1, 2]} for row in rows]
    path = lighteval_file(tmp_path, rows)
    for at in (path, tmp_path, tmp_path / "details"):
        for options in ({}, {"which": metric}, {"format": "lighteval"}, {"weights": "levels"}, {"weights": [0, 2]}):
            logs = read(at, **options)
            assert (list(logs), logs.format, logs["model"].questions) == (["model"], "lighteval", ["0", "1"])
            assert logs["model"].counts.table.tolist() == counts
    for code, options in (("choice", {"which": "x"}), ("format", {"format": "table"}), ("conflict", {"runs": True})):
        with pytest.raises(InvalidInput) as e:
            read(path, **options)
        assert e.value.code == code


def test_lighteval_metrics_to_choose_from(tmp_path):
    rows = [lighteval_row("q", {"a": 1, "avg@n:n=2": 0.5}, 1), lighteval_row("p", {"a": None, "avg@n:n=2": 1.0}, 1)]
    path = lighteval_file(tmp_path, rows)
    refused(path, "choice", "which", "metrics of task 'aime24': several stand in it: say which, of 'a', 'avg@n:n=2'")
    assert tables(read(path, which="avg@n:n=2")) == {"model": {"q": [1, 1], "p": [0, 2]}}
    for missing in ("raise", "drop", 0):
        refused(path, "missing", "outcome", "row 2: a is missing", which="a", missing=missing)
    lighteval_file(tmp_path, [lighteval_row("q", {"a": 1})], "2025-07", "aime24")
    lighteval_file(tmp_path, [lighteval_row("q", {"b": 1})], "2025-08", "aime24")
    (tmp_path / "details" / "model" / DATE / f"details_gsm8k_{DATE}.parquet").unlink()
    said = refused(tmp_path, "conflict", "which", "outcomes are 'b' here, but 'a' in")
    assert "2025-07" in said


def test_lighteval_files_of_a_model_are_runs(tmp_path):
    rows = [lighteval_row(q, {"avg@n": x}, 4) for q, x in (("q", 0.5), ("p", 1.0))]
    for date in ("2025-01", "2025-02"):
        lighteval_file(tmp_path, rows, date, "aime24")
    other = [row | {"doc": {"id": "q", "task_name": "math"}} for row in rows[:1]]
    lighteval_file(tmp_path, other, "2025-02", "math")
    save(tmp_path / "results" / "model" / "results_2025.json", {"results": {}, "versions": {}, "config_general": {}})
    logs = read(tmp_path)
    assert tables(logs) == {"model": {"aime24/q": [4, 4], "aime24/p": [0, 8], "math/q": [2, 2]}}
    assert logs.skipped == ["results/model/results_2025.json"]
    assert tables(read(tmp_path / "details", runs=True))["details"] == tables(logs)["model"]
    lighteval_file(tmp_path / "again", rows, "2025-01", "aime24")
    refused(tmp_path, "conflict", "path", "'model' may be another one in")
    twice = lighteval_file(tmp_path / "twice", [*rows, rows[0]])
    refused(twice, "duplicate", "path", "row 3: trial '1' of question 'q' of 'model' stands already in")


@pytest.mark.parametrize(
    ("change", "code", "argument", "says"),
    [({"doc": None}, "format", "path", "doc is None"), ({"doc": {"id": None}}, "missing", "question", "missing"),
     ({"doc": {"id": 0.5}}, "type", "question", "0.5"), ({"doc": {"task_name": "t"}}, "format", "path", "no id here"),
     ({"metric": None}, "format", "path", "metric is None"), ({"metric": {"a": "x"}}, "type", "outcome", "'x'"),
     ({"metric": {"a": 0.5}}, "format", "path", "a = 0.5 is no average of 1"),
     ({"metric": {"a": float("inf")}}, "not_finite", "outcome", "inf"),
     ({"metric": {"a": float("nan")}}, "missing", "outcome", "a is missing"),
     ({"model_response": None}, "format", "path", "model_response is None"),
     ({"model_response": {"text": None}}, "format", "path", "text is None"),
     ({"model_response": {"text": ["4", "5"]}}, "format", "path", "no average over 2 responses")],
)  # fmt: skip
def test_lighteval_rows_that_are_broken(tmp_path, change, code, argument, says):
    good = [lighteval_row(str(i), {"a": 1.0}) for i in range(2)]
    before = good if None in change.values() else []  # others are of another type than a good row
    path = lighteval_file(tmp_path, [*before, good[0] | change])
    said = refused(path, code, argument, says, missing="drop")
    assert said.startswith(f"{path}, row {len(before) + 1}: ")
    path = lighteval_file(tmp_path, [{k: x for k, x in row.items() if k != "model_response"} for row in good])
    assert f"{path}, row 1: there is no model_response here" in refused(path, "format", "path")


def test_parquet_tables_stand_alone(tmp_path):
    """Which a folder is of: details, which stand beside any log, or tables, which stand beside none."""
    pq.write_table(pa.table({"model": ["m"], "question": ["q"], "outcome": [1]}), tmp_path / "a.parquet")
    (tmp_path / "notes.md").write_text("runs")
    assert (list(read(tmp_path)), read(tmp_path).skipped) == (["m"], ["notes.md"])
    for path in (tmp_path, tmp_path / "a.parquet"):
        refused(path, "conflict", "which", "nothing to choose from", which="a")
        refused(path, "format", "path", "'lighteval' has no files of this ending", format="lighteval")
        refused(path, "conflict", "runs", "a column says which trial a row is", runs=True)
        assert list(read(path, format="table")) == ["m"]
    (tmp_path / "b.csv").write_text("model,question,outcome\nm,q,1\n")
    refused(tmp_path, "conflict", "path", "'b.csv' stands beside .parquet tables")
    (tmp_path / "b.csv").unlink()
    details = lighteval_file(tmp_path, [lighteval_row("q", {"a": 1})])
    refused(tmp_path, "format", "path", details.name)
    (tmp_path / "a.parquet").unlink()
    (tmp_path / "b.csv").write_text("question,c,n\nq,1,2\n")
    assert tables(read(tmp_path)) == {"b": {"q": [1, 1]}, "model": {"aime24/q": [0, 1]}}


# --- folders --------------------------------------------------------------------------------------------------


def test_runs_of_one_model(tmp_path):
    folder = tmp_path / "gpt-9"
    for run in range(3):
        runs = [{"task_id": q, "trial": 0, "reward": float(x[run])} for q, x in R.items()]
        save(folder / f"run{run}.json", runs)
    refused_ = read(folder)  # every file is named for a model of its own
    assert list(refused_) == ["run0", "run1", "run2"]
    logs = read(folder, runs=True, trials=True)
    assert tables(logs) == {"gpt-9": COUNTS}
    assert logs["gpt-9"].outcomes.tolist() == list(R.values())
    with pytest.raises(InvalidInput) as e:
        read(folder / "run0.json", runs=True)
    assert (e.value.code, e.value.argument) == ("conflict", "runs")


def test_runs_of_tables(tmp_path):
    for run in range(2):
        (tmp_path / f"{run}.csv").write_text("question,outcome\nq,1\nq,0\np,1\np,1\n")
    logs = read(tmp_path, runs=True, trials=True)
    assert logs[tmp_path.name].outcomes.tolist() == [[1, 0, 1, 0], [1, 1, 1, 1]]
    (tmp_path / "2.csv").write_text("question,c,n\nq,1,2\n")
    refused(tmp_path, "conflict", "path", "2.csv", runs=True)
    for run in range(2):
        (tmp_path / f"{run}.csv").write_text("question,c,n\nq,1,3\n")
    assert tables(read(tmp_path, runs=True)) == {tmp_path.name: {"q": [5, 3]}}


def test_runs_of_several_tasks(tmp_path):
    for run, date in enumerate((DATE, DATE.replace("10-", "11-"))):
        for task in ("a", "b"):
            lm_eval_file(tmp_path / "m", [lm_eval_line(0, run)], task, f"run{run}", date)
    logs = read(tmp_path / "m", runs=True, trials=True)
    assert (logs["m"].questions, logs["m"].outcomes.tolist()) == (["a/0", "b/0"], [[0, 1], [0, 1]])


def test_runs_must_be_of_one_model(tmp_path):
    save(tmp_path / "a.json", inspect_log(R))
    save(tmp_path / "b.json", inspect_log(R))
    refused(tmp_path / "b.json", "conflict", "runs", runs=True)
    said = refused(tmp_path, "duplicate", "path", "b.json, samples[")
    assert "a.json" in said
    assert sum(map(sum, tables(read(tmp_path, runs=True))["model"].values())) == 12  # by the name that it says
    log = inspect_log(R)
    log["eval"]["model"] = "other"
    save(tmp_path / "b.json", log)
    assert list(read(tmp_path)) == ["model", "other"]
    refused(tmp_path, "conflict", "runs", "a run of model 'other', but", runs=True)


def test_two_files_of_one_name(tmp_path):
    for folder in ("a", "b"):
        human_eval(tmp_path / folder, R)
    assert "a/model.jsonl_results.jsonl" in refused(tmp_path, "conflict", "path", "runs=True")
    assert tables(read(tmp_path, runs=True)) == {tmp_path.name: {"q1": [2, 4], "q2": [4, 2]}}


def unnamed_tau2(folder: Path) -> None:
    log = tau2_log({"q": [1]})
    del log["info"]["agent_info"]
    log["simulations"][0]["trial"] = None
    save(folder / "results.json", log)


@pytest.mark.parametrize(
    "write",
    [
        lambda at: lm_eval_file(at, [lm_eval_line("q", 1)], model="m"),
        lambda at: unnamed_tau2(at / "m"),
        lambda at: save(at / "m" / "gsm8k.json", {"details": [{"example_abbr": "q", "correct": True}]}),
        lambda at: save(at / "m" / "eval_results.json", evalplus_log({"q": [1]})),
        lambda at: save(at / "m" / "results.json", terminal_log({"q": [1]})),
    ],
)
def test_folders_of_one_name_are_not_one_model(tmp_path, write):
    write(tmp_path / "0shot"), write(tmp_path / "5shot")
    said = refused(tmp_path, "conflict", "path", "'m' may be another one in")
    assert str(tmp_path / "0shot" / "m") in said
    assert said.startswith(str(tmp_path / "5shot" / "m"))
    (log,) = read(tmp_path, runs=True).values()
    assert log.counts.table.tolist() == [[0, 2]]
    assert list(read(tmp_path / "5shot")) == ["m"]


def test_files_that_name_their_model_may_stand_anywhere(tmp_path):
    for i, folder in enumerate("ab"):
        log = inspect_log(R)
        log["eval"]["task"] = f"task{i}"
        save(tmp_path / folder / "x.json", log)
    assert tables(read(tmp_path)) == {"model": {f"task{i}/{q}": c for i in range(2) for q, c in COUNTS.items()}}
    lm_eval_file(tmp_path, [lm_eval_line("q", 1)])  # in a folder that is called as that model is
    refused(tmp_path, "conflict", "path", "'model' may be another one in")


def test_trials_without_ids_stand_in_one_file(tmp_path):
    text = "model,question,outcome\nm,q,1\nm,q,0\n"
    (tmp_path / "runs.csv").write_text(text)
    (tmp_path / "other.csv").write_text(text.replace("m,", "k,"))
    assert set(read(tmp_path)) == {"m", "k"}
    for name, content in [
        ("runs copy.csv", text), ("runs.tsv", text.replace(",", "\t")),
        ("z.jsonl", '{"model": "m", "question": "p", "outcome": 1}'),
        ("z.csv", "model,question,trial,outcome\nm,q,7,1\n"), ("a.csv", "model,question,trial,outcome\nm,q,7,1\n"),
    ]:  # fmt: skip
        (tmp_path / name).write_text(content)
        said = refused(tmp_path, "conflict", "path", "(a column trial)")
        assert all(x in said for x in ("runs.csv", name, "runs=True"))
        (tmp_path / name).unlink()
    log = tau2_log({"q": [1]})
    log["simulations"][0]["trial"] = None
    for name in "ab":
        save(tmp_path / "tau2" / f"{name}.json", log)
    refused(tmp_path / "tau2", "conflict", "path", "without ids of trials")


def test_arrays_stand_in_one_file(tmp_path):
    np.savez(tmp_path / "a.npz", m=np.array([[1, 0]]))
    np.savez(tmp_path / "copy.npz", m=np.array([[1, 0]]))
    refused(tmp_path, "duplicate", "path", "copy.npz, m[0, 0]: trial '0' of question '0' of 'm'")
    (tmp_path / "copy.npz").unlink()
    np.save(tmp_path / "m.npy", np.array([[1, 0]]))
    refused(tmp_path, "conflict", "path", "'m' may be another one in")


def test_trials_with_ids_may_stand_in_two_files(tmp_path):
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text(f"model,question,trial,outcome\nm,q,{i},1\n")
        (tmp_path / f"c{i}.csv").write_text(f"model,question,trial,outcome\nk,{i},0,1\n")
    assert tables(read(tmp_path)) == {"m": {"q": [0, 2]}, "k": {"0": [0, 1], "1": [0, 1]}}
    (tmp_path / "copy.csv").write_text((tmp_path / "c1.csv").read_text())
    refused(tmp_path, "duplicate", "path", "copy.csv")


@pytest.mark.parametrize("name", ["a.csv", "b.csv", "x/a.csv"])
def test_the_name_of_a_file_is_no_model_of_a_column(tmp_path, name):
    (tmp_path / "all.csv").write_text("model,question,trial,outcome\na,q,0,1\nb,q,0,1\n")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("question,trial,outcome\nq,1,1\n")
    refused(tmp_path, "conflict", "path", f"model {path.stem!r} may be another one in")
    path.rename(path.parent / "c.csv")
    assert list(read(tmp_path)) == ["a", "b", "c"]


def two_metrics(kind: str, folder: Path) -> tuple[str, str]:
    """Two files of one format, each with one outcome, and not the same; what these are."""
    if kind == "inspect_ai":
        log = inspect_log({"q": [1]})
        save(folder / "a.json", log)
        log["samples"][0]["scores"] = {"model_graded": log["samples"][0]["scores"]["match"]}
        log["eval"]["model"] = "b"
        save(folder / "b.eval", zipped({"header.json": log, "summaries.json": log.pop("samples")}))
        return "match", "model_graded"
    if kind == "lm_eval":
        lm_eval_file(folder, [lm_eval_line(0, 1)], model="a")
        lm_eval_file(folder, [lm_eval_line(0, 1, metrics=["acc"], acc=0)], model="b")
        return "exact_match,strict-match", "acc,strict-match"
    if kind == "verl":
        line = {"input": "q", "output": "o", "gts": "4", "score": 0, "step": 1}
        save(folder / "a.jsonl", [line | {"acc": 1}]), save(folder / "b.jsonl", [line])
        return "acc", "score"
    for model, name in (("a", "correct"), ("b", "cascade_correct")):
        save(folder / model / "d.json", {"details": [{"example_abbr": "q", name: [True]}]})
    return "correct", "cascade_correct"


@pytest.mark.parametrize("kind", ["inspect_ai", "lm_eval", "verl", "opencompass"])
def test_one_metric_in_all_files(tmp_path, kind):
    first, other = two_metrics(kind, tmp_path)
    files = [x for x in sorted(tmp_path.rglob("*")) if x.is_file()]
    for runs in (False, True):
        said = refused(tmp_path, "conflict", "which", f"outcomes are {other!r} here, but {first!r} in", runs=runs)
        assert all(str(x) in said for x in files)
    assert len([read(file) for file in files]) == 2
    if kind == "verl":
        assert set(read(tmp_path, which="score")) == {"a", "b"}
    else:
        refused(tmp_path, "conflict", "which", f"outcomes are {other!r} here, but", which=first)


def test_two_names_of_one_metric(tmp_path):
    for model, name in (("a", "correct"), ("b", "is_correct")):
        save(tmp_path / model / "d.json", {"details": [{"example_abbr": "q", name: [True]}]})
    assert tables(read(tmp_path)) == {"a": {"q": [0, 1]}, "b": {"q": [0, 1]}}


@EVERY
def test_outcomes_of_tools_are_no_categories(tmp_path, kind):
    path = FILES[kind](tmp_path, R)
    refused(path, "conflict", "weights", 'weights="levels"', weights=[0, 0.5, 1])
    assert tables(read(path, weights=[0, 1])) == tables(read(path, weights="levels")) == tables(read(path))


def test_categories_of_tables_and_arrays_beside_each_other(tmp_path):
    (tmp_path / "a.csv").write_text("question,outcome\n0,2\n0,0\n")
    np.save(tmp_path / "b.npy", np.array([[1, 2]]))
    assert tables(read(tmp_path, weights=[0, 0.5, 1])) == {"a": {"0": [1, 0, 1]}, "b": {"0": [0, 1, 1]}}
    tau(tmp_path, R)
    said = refused(tmp_path, "conflict", "weights", weights=[0, 0.5, 1])
    assert said.startswith(str(tmp_path / "model.json"))


@pytest.mark.parametrize("id_", ["q\ud800", "\udc00", "ä\udfff", " \ud800"])
def test_ids_are_unicode(tmp_path, id_):
    line = {"model": "m", "question": "q", "trial": "1", "cluster": "c", "outcome": 1}
    for name in ("model", "question", "trial", "cluster"):
        path = save(tmp_path / "a.jsonl", [line, line | {"question": "p", name: id_}])
        said = refused(path, "format", name, f":2: {name} '")
        assert "not Unicode text" in said
        said.encode()
    refused(save(tmp_path / "a.json", evalplus_log({id_: [1]})), "format", "question", "not Unicode text")
    path = save(tmp_path / "a.jsonl", [line, line | {"question": "p", "cluster": "ä\U00010000"}])
    assert read(path)["m"].clusters == ["c", "ä\U00010000"]


def test_what_a_folder_must_not_hold(tmp_path):
    tau(tmp_path, R)
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    (tmp_path / "plot.PNG").write_bytes(b"\x89PNG")
    (tmp_path / "README").write_text("runs")
    logs = read(tmp_path)
    assert (list(logs), logs.skipped) == (["model"], [".DS_Store", "README", "plot.PNG"])
    for name, content in (("notes.json", '{"a": 1'), ("a.csv", "question,b\n1,2\n"), ("a.csv.gz", "x")):
        (tmp_path / name).write_text(content)
        with pytest.raises((InvalidInput, OSError)):
            read(tmp_path)
        (tmp_path / name).unlink()
    others = {
        "scores.xlsx": "",
        "noending": "x",
        "a.csv": "a,b\n1,2\n",
        "a.jsonl": '{"a": 1}',
        "run.out": "",
        "a.zip": "x",
    }
    for name, content in others.items():
        (tmp_path / name).write_text(content)
        logs = read(tmp_path)
        assert (list(logs), name in logs.skipped) == (["model"], True)
        (tmp_path / name).unlink()
    assert list(read(tmp_path)) == ["model"]
    refused(save(tmp_path / "none" / "a.md", b"").parent, "empty", "path", "no log in this folder")


def test_a_folder_of_several_formats(tmp_path):
    tau(tmp_path, R)
    inspect_json(tmp_path / "sub", {"q1": [1, 1], "q2": [0, 0]})
    (tmp_path / "sub" / "log.json").rename(tmp_path / "z.json")
    text = (tmp_path / "z.json").read_text().replace('"model": "model"', '"model": "other"')
    (tmp_path / "z.json").write_text(text)
    np.save(tmp_path / "third.npy", np.array([[1.0, np.nan], [0, 1]]))
    logs = read(tmp_path, missing="drop")
    assert set(logs) == {"model", "other", "third"}
    assert logs.format == "tau-bench, array, inspect_ai"
    assert {x: (set(part), part.metric) for x, part in logs.benchmarks.items()} == {
        "": ({"model", "third"}, "reward"), "gsm8k": ({"other"}, "match")}  # fmt: skip
    with pytest.raises(InvalidInput) as e:
        logs["third"]
    assert (e.value.code, e.value.argument) == ("conflict", "task")
    logs = logs.benchmarks[""]
    assert (logs["third"].counts.table.tolist(), logs["third"].missing) == ([[0, 1], [1, 1]], 1)
    refused(tmp_path, "missing", "outcome", "third[0, 1]")


def test_links_are_not_followed(tmp_path):
    tau(tmp_path, R)
    try:
        (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    assert read(tmp_path).skipped == ["again"]
