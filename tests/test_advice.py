"""Every hint about a log that is not read as it is leads to the right numbers: the command at its end is run."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from scorio.cli import main
from scorio.readers import advice

POLICY = ["--missing", "drop"]
MOST_HINTS = 5


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(header: str, *rows: str) -> str:
    return "\n".join([header, *rows]) + "\n"


JUDGED = [
    {"question_id": q, "model": m, "judge": ["j", "v1"], "score": -1 if (m, q, t) == ("a", 3, 2) else s, "turn": t}
    for m, scores in (("a", (8, 6)), ("b", (6, 4)))
    for q in range(1, 6)
    for t, s in zip((1, 2), scores, strict=True)
]
SCORES = [f"s{q}{name},2026-01-01,EVAL,t{q},{name},{x},NUMERIC"
          for q, values in enumerate(("10", "10", "01", "10"))
          for name, x in zip(("correctness", "conciseness"), values, strict=True)]  # fmt: skip
RERUN = [{"runId": f"{t}{i}", "model": "m", "task": t, "trial": i % 2 + 1, "solved": i != 1 or t == "t2"}
         for t in ("t1", "t2") for i in range(4)]  # fmt: skip
NESTED = {m: {"docs": {d: {"fields": {x: {"correct": m == "a" or x == "x"} for x in "xy"}} for d in ("d1", "d2")}}
          for m in "ab"}  # fmt: skip

# the name and the text of a file, and the averages by model (with several benchmarks by both), as the hints lead to
LOGS: dict[str, tuple[str, dict[str, float]]] = {
    "scores.csv": (
        table("id,timestamp,source,traceId,name,value,dataType", *SCORES),
        {"correctness": 0.75, "conciseness": 0.25},
    ),
    "conditions.csv": (
        table("model,temperature,question,correct", "m,0.0,p,1", "m,0.0,q,1", "m,0.7,p,0", "m,0.7,q,0", "m,1.0,p,0",
              "m,1.0,q,1"), {"0.0": 1.0, "0.7": 0.0, "1.0": 0.5}),
    "judged.jsonl": (lines(JUDGED), {"a 1": 8.0, "a 2": 6.0, "b 1": 6.0, "b 2": 4.0}),
    "rerun.jsonl": (lines(RERUN), {"m": 7 / 8}),
    "envelope.json": (
        json.dumps({"run_id": "r", "model": "m", "results": [{"case_id": f"c{i}", "passed": i < 2} for i in range(3)]}),
        {"m": 2 / 3},
    ),
    "by_id.json": (json.dumps({f"i-{i}": i < 3 for i in range(4)}), {"by_id": 0.75}),
    "nested.json": (json.dumps(NESTED), {"a": 1.0, "b": 0.5}),
    "tasks.json": (
        json.dumps({"score": 0.5, "task_results": {x: {"score": y, "n": 2} for x, y in (("aa", 1.0), ("bb", 0.0))}}),
        {"tasks": 0.5},
    ),
    "lists.json": (
        json.dumps({"suite": "s", "tests": [{"name": f"t{i}", "outcomes": [True, i > 0]} for i in range(3)]}),
        {"lists": 5 / 6},
    ),
    "wide.csv": (table("id,category,m-a,m-b", "1,math,1,0", "2,math,0,0", "3,law,1,1"), {"m-a": 2 / 3, "m-b": 1 / 3}),
    "wide_runs.csv": (table("question,a_run1,a_run2,b_run1,b_run2", "q,1,0,1,1", "p,0,0,1,0"), {"a": 0.25, "b": 0.75}),
    "wide_total.csv": (table("id,a,b", "p,1,0", "q,1,1", "r,0,0", "Total,2,1"), {"a": 2 / 3, "b": 1 / 3}),
    "scored.jsonl": (
        lines([{"llm": m, "doc_id": i, "score": 7 + i % 2 - (m == "b")} for m in "ab" for i in range(6)]),
        {"a": 7.5, "b": 6.5},
    ),
    "words.csv": (table("test,status", "a,passed", "b,failed", "c,error", "d,skipped"), {"words": 0.5}),
    "failed_judgments.csv": (table("item,rating", "a,7", "b,9", "c,-1", "d,2"), {"failed_judgments": 6.0}),
}  # fmt: skip


def followed(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """Averages that the hints about a log lead to, by model, benchmark or both."""
    command = ["leaderboard", str(path)]
    for _ in range(MOST_HINTS):
        if main([*command, "--json"]) == 0:
            result = json.loads(capsys.readouterr().out)
            models, tasks = {x["model"] for x in result["each"]}, {x["benchmark"] for x in result["each"]}
            shown = [name for name, n in (("model", len(models)), ("benchmark", len(tasks))) if n > 1] or ["model"]
            return {" ".join(x[name] for name in shown): x["average"] for x in result["each"]}
        message = capsys.readouterr().err.strip().removesuffix(" --json")
        if whole := re.search(r": scorio (leaderboard .*)$", message):
            text = re.sub(r" \(if -?\d+ means that there is no score\)$", "", whole[1])
            command = [x for x in shlex.split(text) if x != "--json"]
        elif "--missing drop" in message:
            command += POLICY
        else:
            raise AssertionError(message)
    raise AssertionError("too many hints")


@pytest.mark.parametrize("name", LOGS)
def test_hints_lead_to_the_right_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text, averages = LOGS[name]
    (tmp_path / name).write_text(text)
    assert followed(tmp_path / name, capsys) == pytest.approx(averages)


def test_a_folder_of_one_object_a_file_is_read_by_its_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model, score in (("m-a", 1), ("m-b", 0)):
        for question in ("q1", "q2"):
            (tmp_path / model).mkdir(exist_ok=True)
            (tmp_path / model / f"{question}.json").write_text(json.dumps({"score": score, "note": "x"}))
    assert followed(tmp_path, capsys) == {"m-a": 1.0, "m-b": 0.0}


def test_no_hint_is_given_where_nothing_reads_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (
        ("notes.csv", table("id,text", "1,hello", "2,world")),
        ("config.json", json.dumps({"model": "m", "temperature": 0.7, "stop": ["a", "b"]})),
        ("names.jsonl", lines([{"name": "a", "age": 33}, {"name": "b", "age": 41}])),
    ):
        (tmp_path / name).write_text(text)
        assert main(["leaderboard", str(tmp_path / name)]) == 2
        assert ": scorio leaderboard" not in capsys.readouterr().err, name


def test_the_id_of_a_row_is_not_the_question() -> None:
    cells = {"id": ["a", "b", "c", "d"], "traceId": ["t", "t", "u", "u"], "categoryId": ["x", "x", "x", "y"]}
    assert advice.question_columns(cells)[0] == "traceId"
    assert advice.question_columns({"id": ["a", "b"], "name": ["x", "x"]}) == ["id"]
    assert advice.question_columns({"category_id": [1, 1, 2], "doc_id": [1, 2, 3]})[0] == "doc_id"


def test_a_large_table_is_advised_from_its_first_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"m{m},q{q},{t % 2},{(q * t) % 3 == 0:d}" for m in range(5) for q in range(1000) for t in range(20)]
    (tmp_path / "runs.csv").write_text(table("llm,doc,temp,ok", *rows))
    assert main(["leaderboard", str(tmp_path / "runs.csv")]) == 2
    assert capsys.readouterr().err.strip().endswith("--columns question=doc,outcome=ok,model=llm,task=temp")
