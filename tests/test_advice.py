"""Every hint about a log that is not read as it is leads to the right numbers: the command at its end is run."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from scorio.cli import main
from scorio.readers import likely_columns

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


def tried(key: str, field: str) -> list[dict[str, Any]]:
    """Records of questions with a list of trials or of parts, whose names are alike in all."""
    parts = {"q1": (True, True), "q2": (False, True), "q3": (False, False)}
    return [
        {"id": q, "correct": any(x), key: [
            {field: f"part {i}" if key in ("checks", "rubric") else f"{q} says {i}", "correct": y}
            for i, y in enumerate(x)
        ]}
        for q, x in parts.items()
    ]  # fmt: skip


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
    # what an attacker sent: nested and disguised conditions, models around rows, columns that are no outcomes
    "config.jsonl": (
        lines([{"id": f"q{i}", "config": {"temperature": t}, "score": 1 - t} for i in range(4) for t in (0, 1)]),
        {"0": 1.0, "1": 0.0},
    ),
    "runs_of_models.csv": (
        table("id,run,score", *[f"q{i},{m},{int(m == 'gpt4')}" for i in range(4) for m in ("gpt4", "llama")]),
        {"gpt4": 1.0, "llama": 0.0},
    ),
    "fewshot.csv": (
        table("id,fewshot,score", *[f"q{i},{t},{t}" for i in range(6) for t in (0, 1)]), {"0": 0.0, "1": 1.0},
    ),
    "one_odd_question.csv": (
        table("id,temperature,score", *[f"q{i},{t},{1 - t}" for i in range(6) for t in (0, 1)], "q6,0,1", "q6,0,1"),
        {"0": 1.0, "1": 0.0},
    ),
    "metrics.json": (
        json.dumps({"results": [{"example_id": i, "acc": x, "f1": x / 2} for i, x in enumerate((1, 0, 1, 0))]}),
        {"metrics": 0.5},
    ),
    "config_around.json": (
        json.dumps({"runs": [{"config": {"model": m}, "results": [{"id": q, "score": int(m == "a")} for q in "pqr"]}
                             for m in "ab"]}), {"a": 1.0, "b": 0.0},
    ),
    "key_around.json": (
        json.dumps({m: {"results": [{"id": q, "passed": m == "gpt"} for q in "pqr"]} for m in ("gpt", "llama")}),
        {"gpt": 1.0, "llama": 0.0},
    ),
    "name_around.json": (
        json.dumps({"tries": [{"name": m, "results": [{"id": q, "passed": m != "gpt-4"} for q in "pqr"]}
                              for m in ("gpt-4", "llama-3")]}),
        {"gpt-4": 0.0, "llama-3": 1.0},
    ),
    "name_of_suite.json": (
        json.dumps({"suites": [{"name": x, "cases": [{"id": f"{x}{i}", "ok": x == "a"} for i in range(3)]}
                               for x in "ab"]}),
        {"a": 1.0, "b": 0.0},
    ),
    "parts.json": (
        json.dumps({"easy": {"q1": True, "q2": True}, "hard": {"q3": False, "q4": False, "q5": True}}),
        {"easy": 1.0, "hard": 1 / 3},
    ),
    "lists_of_two.json": (
        json.dumps({"samples": [{"id": i, "preds": [1, 1, 0], "scores": [True, i > 0, False]} for i in range(3)]}),
        {"lists_of_two": 5 / 9},
    ),
    "status.csv": (
        table("id,status,correctness", "a,success,1", "b,success,0", "c,success,1"), {"status": 2 / 3},
    ),
    "prompts.csv": (
        table("id,prompt,score", *[f"q{i},{p},{int(p == 'cot')}" for i in range(9) for p in ("cot", "direct")]),
        {"cot": 1.0, "direct": 0.0},
    ),
    "counts.csv": (table("question,success,attempts", "q1,1,4", "q2,1,5", "q3,0,5"), {"counts": 0.15}),
    "details.json": (
        json.dumps({"details": [{"id": "q1", "correct": True}, {"id": "q2", "correct": False}]}), {"details": 0.5},
    ),
    "words.json": (json.dumps({"details": {"q1": "PASS", "q2": "FAIL", "q3": "PASS"}}), {"words": 2 / 3}),
    "trials.jsonl": (lines([{"id": f"q{i}", "score": [True, i > 0]} for i in range(3)]), {"trials": 5 / 6}),
    "keys.jsonl": (
        lines([{"question": "a", "outcome": 1}, {"question": "b", "outcome": 0, "error": "x"}]), {"keys": 0.5},
    ),
    "log.yaml": ("results:\n- {id: a, ok: true}\n- {id: b, ok: false}\n- {id: c, ok: true}\n", {"log": 2 / 3}),
    "engines.csv": (table("engine,question,correct", "A,1,1", "A,2,1", "B,1,0", "B,2,0"), {"A": 1.0, "B": 0.0}),
    "codes.csv": (table("question,model,score", "q1,m,1", "q2,m,-1", "q3,m,0"), {"m": 0.5}),
    "cached.jsonl": (
        lines([{"id": q, "correct": q + c > 1, "cached": c > 0} for q in (1, 2) for c in (0, 1)]),
        {"False": 0.5, "True": 1.0},
    ),
    "capitals.csv": (
        table("Model,Question,Trial,Correct", "a,1,1,1", "a,2,1,0", "b,1,1,1", "b,2,1,1"), {"a": 0.5, "b": 1.0},
    ),
    "capital_ids.csv": (
        table("Model,Question ID,Correct", "a,1,1", "a,2,0", "b,1,1", "b,2,1"), {"a": 0.5, "b": 1.0},
    ),
    "capitals.jsonl": (
        lines([{"Model": m, "Question": q, "Correct": m == "b" or q > 1} for m in "ab" for q in (1, 2)]),
        {"a": 0.5, "b": 1.0},
    ),
    "capitals.json": (
        json.dumps([{"Model": m, "Question": q, "Correct": m == "b" or q > 1} for m in "ab" for q in (1, 2)]),
        {"a": 0.5, "b": 1.0},
    ),
    "capitals_within.json": (
        json.dumps({"runs": [{"Model": m, "Question": q, "Passed": m == "b" or q > 1} for m in "ab" for q in (1, 2)]}),
        {"a": 0.5, "b": 1.0},
    ),
    "capital_counts.csv": (table("Model,Question,Passed,Total", "a,1,1,2", "b,1,2,2"), {"a": 0.5, "b": 1.0}),
    # the trials within a record, not whether any is right; tests and criteria of an answer are no trials
    "attempts.json": (json.dumps({"model": "m", "questions": tried("attempts", "answer")}), {"m": 0.5}),
    "attempts.jsonl": (lines(tried("attempts", "answer")), {"attempts": 0.5}),
    "samples.json": (json.dumps(tried("samples", "text")), {"samples": 0.5}),
    "only_outcomes.json": (
        json.dumps({"questions": [x | {"tries": [y["correct"] for y in x["tries"]]} for x in tried("tries", "text")]}),
        {"only_outcomes": 0.5},
    ),
    "checks.json": (json.dumps({"questions": tried("checks", "name")}), {"checks": 2 / 3}),
    "rubric.json": (json.dumps({"questions": tried("rubric", "criterion")}), {"rubric": 2 / 3}),
    "tasks_of_a_model.json": (
        json.dumps({"model": "m", "tasks": {t: {q: q != t for q in "ab"} for t in "ab"}}), {"a": 0.5, "b": 0.5},
    ),
    "lists_of_a_model.json": (
        json.dumps({"model": "m", "of": {t: [{"id": q, "ok": q != t} for q in "abc"] for t in "ab"}}),
        {"a": 2 / 3, "b": 2 / 3},
    ),
    # other objects beside the records, and names of models in the place of those of questions
    "beside_settings.json": (
        json.dumps({"config": {"cot": True, "x": False}, "results": [{"id": i, "ok": i > 0} for i in range(3)]}),
        {"beside_settings": 2 / 3},
    ),
    "beside_flags.json": (
        json.dumps({"results": {"q1": True, "q2": True}, "flags": {"cot": True, "shuffle": False, "cache": True}}),
        {"beside_flags": 1.0},
    ),
    "beside_words.json": (
        json.dumps({"stuff": {"cot": True, "x": False}, "results": {"q1": True, "q2": True}}), {"beside_words": 1.0},
    ),
    "names.jsonl": (
        lines([{"name": m, "id": f"q{i}", "pass": m == "x"} for m in "xy" for i in range(3)]), {"x": 1.0, "y": 0.0},
    ),
    "models_of_question.json": (
        json.dumps({q: [{"model": m, "pass": m == "x"} for m in "xyz"] for q in ("q1", "q2")}),
        {"x": 1.0, "y": 0.0, "z": 0.0},
    ),
    "models_within_question.json": (
        json.dumps({q: {"runs": [{"agent": m, "pass": m == "x"} for m in "xyz"]} for q in ("q1", "q2")}),
        {"x": 1.0, "y": 0.0, "z": 0.0},
    ),
    "keys_of_models.json": (
        json.dumps([{"question": q, "data": {m: {"pass": m == "x"} for m in "xyz"}} for q in ("q1", "q2")]),
        {"x": 1.0, "y": 0.0, "z": 0.0},
    ),
    "models_of_task.json": (
        json.dumps({t: [{"model": m, "id": i, "ok": m == "a"} for m in "ab" for i in "12"] for t in ("easy", "hard")}),
        {"a easy": 1.0, "a hard": 1.0, "b easy": 0.0, "b hard": 0.0},
    ),
    "suites.json": (
        json.dumps({"runs": [{"suites": [
            {"suite": x, "cases": [{"id": i, "ok": x == "s1"} for i in range(2)]} for x in ("s1", "s2")]}]}),
        {"s1": 1.0, "s2": 0.0},
    ),
    "lists_beside_words.json": (
        json.dumps({"model": "m", "a": [{"id": 1, "ok": True}], "b": [{"id": 1, "ok": False}]}), {"a": 1.0, "b": 0.0},
    ),
    "three_levels.json": (
        json.dumps({t: {m: {"q1": 1, "q2": int(m == "gpt-5")} for m in ("gpt-5", "llama")} for t in ("easy", "hard")}),
        {f"{m} {t}": x for m, x in (("gpt-5", 1.0), ("llama", 0.5)) for t in ("easy", "hard")},
    ),
    "models_of_tasks.json": (
        json.dumps({m: {t: [{"id": f"{t}-{i}", "ok": i > 0} for i in range(2)] for t in ("easy", "hard")}
                    for m in ("gpt", "llama")}),
        {f"{m} {t}": 0.5 for m in ("gpt", "llama") for t in ("easy", "hard")},
    ),
    "scores_of_models.jsonl": (
        lines([{"id": f"q{i}", "model_scores": {"ann": 1, "bob": i % 2}} for i in range(4)]), {"ann": 1.0, "bob": 0.5},
    ),
    # keys at several levels, of which some names tell
    "task_model_question.json": (
        json.dumps({t: {"gpt-5": {"q1": [1, 0], "q2": [1, 1]}, "llama": {"q1": [0, 0], "q2": [1, 1]}} for t in "uv"}),
        {"gpt-5 u": 0.75, "gpt-5 v": 0.75, "llama u": 0.5, "llama v": 0.5},
    ),
    "one_model_one_task.json": (
        json.dumps({"gpt-5": {"gsm8k": {f"q{i}": [{"correct": 1}, {"correct": int(i > 0)}] for i in range(2)}}}),
        {"gpt-5": 0.75},
    ),
    "objects_at_three_levels.json": (
        json.dumps({m: {t: {"q1": {"ok": m != t}, "q2": {"ok": True}} for t in "uv"} for m in ("gpt", "llama")}),
        {"gpt u": 1.0, "gpt v": 1.0, "llama u": 1.0, "llama v": 1.0},
    ),
    "attempts_of_items.json": (
        json.dumps([{"name": m, "items": [{"id": f"q{i}", "attempts": [{"score": 1}, {"score": int(m == "gpt-5")}]}
                                          for i in range(3)]} for m in ("gpt-5", "llama")]),
        {"gpt-5": 1.0, "llama": 0.5},
    ),
    "seeds_of_questions.json": (
        json.dumps({f"q{i}": {"seed0": 1, "seed1": i % 2} for i in range(4)}), {"seeds_of_questions": 0.75},
    ),
    "runs_at_the_end.json": (
        json.dumps({m: {f"q{i}": {"run_1": 1, "run_2": int(m == "gpt")} for i in (1, 2)} for m in ("gpt", "llama")}),
        {"gpt": 1.0, "llama": 0.5},
    ),
    "keyed.json": (
        json.dumps([{"key": x, "results": {"gpt-5": True, "llama-3": x == "fig"}} for x in ("apple", "fig")]),
        {"gpt-5": 1.0, "llama-3": 0.5},
    ),
    "tasks_and_prompts.json": (
        json.dumps([{"model": "m", "task": t, "prompt_id": x, "scores": [1, 0]} for t in "uv" for x in ("a", "b")]),
        {"u": 0.5, "v": 0.5},
    ),
    "names_of_models.json": (
        json.dumps([{"model": {"name": m, "provider": "x"}, "id": str(i), "correct": int(m == "old")}
                    for m in ("old", "new") for i in range(3)]),
        {"old": 1.0, "new": 0.0},
    ),
    "scores_by_place.json": (
        json.dumps({"models": [{"name": m, "scores": [1, int(m == "gpt-5")]} for m in ("gpt-5", "llama")]}),
        {"gpt-5": 1.0, "llama": 0.5},
    ),
    "records_of_trials.json": (
        json.dumps({m: {q: [{"correct": 1, "tokens": 9}, {"correct": int(m == "gpt"), "tokens": 8}]
                        for q in ("q1", "q2")} for m in ("gpt", "llama")}),
        {"gpt": 1.0, "llama": 0.5},
    ),
    "models_in_rows.json": (
        json.dumps({t: {q: [{"model_name": m, "passed": int(m == "gpt-5")} for m in ("gpt-5", "llama")]
                        for q in ("apple", "fig", "pear")} for t in "uv"}),
        {f"{m} {t}": float(m == "gpt-5") for m in ("gpt-5", "llama") for t in "uv"},
    ),
    "places_of_trials.json": (
        json.dumps([{"key": q, "models": {m: {str(i): int(i > 0) for i in range(4)} for m in ("gpt", "llama")}}
                    for q in ("apple", "fig")]),
        {"gpt": 0.75, "llama": 0.75},
    ),
    "matrices.json": (json.dumps({"ann": [[1, 0], [1, 1]], "bob": [[0, 0], [1, 1]]}), {"ann": 0.75, "bob": 0.5}),
    "counts_of_questions.json": (json.dumps({f"q{i}": {"correct": i, "total": 3} for i in range(4)}),
                                 {"counts_of_questions": 0.5}),
    # lines that are no records, and records without an outcome
    "joined.csv": (table("llm,item,correct", "a,q1,1", "a,q2,0", "llm,item,correct", "b,q1,1"), {"a": 0.5, "b": 1.0}),
    "summed_up.jsonl": (
        lines([{"seed": 1}, {"id": "q1", "ok": 1}, {"id": "q2", "ok": 0}, {"accuracy": 0.5}]), {"summed_up": 0.5},
    ),
    "failed.jsonl": (lines([{"id": "q1"}, {"id": "q2", "ok": 1}, {"id": "q3", "error": "x"}]), {"failed": 1.0}),
    "lists_of_questions.json": (json.dumps({"q1": [1, 0, 1], "q2": [0, 0, 1]}), {"lists_of_questions": 0.5}),
    "lists_of_models.json": (
        json.dumps({m: {"q1": [1, int(m == "x")], "q2": [0, int(m == "x")]} for m in "xy"}), {"x": 0.75, "y": 0.25},
    ),
    "half_first.csv": (table("id,score", "q1,0.5", "q2,7", "q3,3"), {"half_first": 3.5}),
    "weighted.csv": (table("item,score", "q1,0.5", "q2,0.25", "q3,1", "Weighted average,0.61"), {"weighted": 1.75 / 3}),
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
            command = [x for x in shlex.split(whole[1]) if x != "--json"]
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


def logs_of(models: tuple[str, ...], questions: tuple[str, ...]) -> list[Any]:
    """Documents of outcomes that are true for the first model, and for the first question."""
    firsts = {models[0], questions[0]}

    def by(outer: tuple[str, ...], inner: tuple[str, ...], of: Any = lambda x: x) -> dict[str, Any]:
        return {x: {y: of(bool({x, y} & firsts)) for y in inner} for x in outer}

    records = {q: [{"name": m, "ok": bool({m, q} & firsts)} for m in models] for q in questions}
    return [
        by(questions, models), by(questions, models, lambda x: {"pass": x}), by(models, questions), records,
        [{"name": q, "results": x} for q, x in records.items()],
        [{"name": q, "results": x} for q, x in by(questions, models, lambda x: {"pass": x}).items()],
        [{"id": q, "results": x} for q, x in by(questions, models).items()],
        [{"case": q, "results": x} for q, x in by(questions, models).items()],
        [{"name": m, "title": q, "ok": bool({m, q} & firsts)} for m in models for q in questions],
        {q: {"results": x} for q, x in records.items()},
    ]  # fmt: skip


def averages_of(file: Path, options: str, capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    assert main(["leaderboard", str(file), *shlex.split(options), "--json"]) == 0
    return {x["model"]: x["average"] for x in json.loads(capsys.readouterr().out)["each"]}


UNKNOWN, PLAIN = ("ada", "bea", "cyn"), ("red", "blue")


@pytest.mark.parametrize("shape", range(len(logs_of(UNKNOWN, PLAIN))))
def test_where_models_and_questions_cannot_be_told_both_readings_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shape: int
) -> None:
    (tmp_path / "log.json").write_text(json.dumps(logs_of(UNKNOWN, PLAIN)[shape]))
    if shape == 7:  # case is a usual name of a question
        assert followed(tmp_path / "log.json", capsys) == {"ada": 1.0, "bea": 0.5, "cyn": 0.5}
        return
    assert main(["leaderboard", str(tmp_path / "log.json")]) == 2
    message = capsys.readouterr().err
    both = re.search("what names the model cannot be told: read it with (.*), or else with (.*)", message)
    assert both, message
    seen = [averages_of(tmp_path / "log.json", options, capsys) for options in both.groups()]
    assert {"ada": 1.0, "bea": 0.5, "cyn": 0.5} in seen
    # names of entries that their rows hide cannot be read, so that these are benchmarks
    assert shape == 4 or {"red": 1.0, "blue": pytest.approx(1 / 3)} in seen


@pytest.mark.parametrize(("models", "questions"), [
    (("gpt-5", "llama-3", "palm"), PLAIN),
    (UNKNOWN, ("q1", "q2")),
    (UNKNOWN, tuple(f"question {x}" for x in "abcdefghijklmnopqrstuvwxyzABCDEFGHI")),
])  # fmt: skip
@pytest.mark.parametrize("shape", range(len(logs_of(UNKNOWN, PLAIN))))
def test_families_of_models_and_numbers_tell_models_from_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shape: int, models: Any, questions: Any
) -> None:
    (tmp_path / "log.json").write_text(json.dumps(logs_of(models, questions)[shape]))
    if shape == 4 and models == UNKNOWN:  # as above
        assert main(["leaderboard", str(tmp_path / "log.json")]) == 2
        assert "[{question}].results[*]' --columns model=name,outcome=ok" in capsys.readouterr().err
        return
    n = len(questions)
    assert followed(tmp_path / "log.json", capsys) == pytest.approx({x: 1 if x == models[0] else 1 / n for x in models})


@pytest.mark.parametrize(("keys", "ids", "options"), [
    (("gpt-5", "llama-3"), "pq pq", ["{model}[*]"]),
    (("red", "blue"), "pq pq", ["{model}[*]", "{task}[*]"]),
    (("red", "blue"), "pq rs", ["{task}[*]"]),
    (("q1", "q2"), "pq pq", ["{task}[*]"]),
])  # fmt: skip
def test_lists_of_records_are_of_models_or_of_benchmarks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], keys: Any, ids: str, options: list[str]
) -> None:
    records = {key: [{"id": x, "ok": x == "p"} for x in names] for key, names in zip(keys, ids.split(), strict=True)}
    (tmp_path / "log.json").write_text(json.dumps(records))
    assert main(["leaderboard", str(tmp_path / "log.json")]) == 2
    assert re.findall("--rows '(.*?)'", capsys.readouterr().err) == options


def test_entries_without_names_are_benchmarks_or_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suites = [{"tests": [{"name": f"t{i}", "pass": i != j} for i in range(2)]} for j in range(2)]
    (tmp_path / "log.json").write_text(json.dumps({"suites": suites}))
    assert main(["leaderboard", str(tmp_path / "log.json")]) == 2
    both = re.search(
        "if its parts are benchmarks, read it with (.*); if they repeat .*, with (.*)", capsys.readouterr().err
    )
    for options, n in zip(both.groups() if both else (), (2, 1), strict=True):
        assert main(["leaderboard", str(tmp_path / "log.json"), *shlex.split(options), "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["each"]) == n


def test_a_folder_of_one_object_a_file_is_read_by_its_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model, score in (("m-a", 1), ("m-b", 0)):
        for question in ("q1", "q2"):
            (tmp_path / model).mkdir(exist_ok=True)
            (tmp_path / model / f"{question}.json").write_text(json.dumps({"score": score, "note": "x"}))
    assert followed(tmp_path, capsys) == {"m-a": 1.0, "m-b": 0.0}


def test_documents_in_a_folder_for_each_model_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model in "AB":
        (tmp_path / model).mkdir()
        results = [{"id": i, "correct": i > 0 or model == "A"} for i in range(3)]
        (tmp_path / model / "results.json").write_text(json.dumps({"accuracy": 0.5, "results": results}))
    assert followed(tmp_path, capsys) == pytest.approx({"A": 1.0, "B": 2 / 3})


def test_a_folder_of_questions_is_of_one_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for i in (1, 2):
        (tmp_path / f"q{i}.json").write_text(json.dumps({"prompt": f"p{i}", "correct": i == 1}))
    assert followed(tmp_path, capsys) == {tmp_path.name: 0.5}


def test_files_that_are_named_like_runs_are_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model in "AB":
        (tmp_path / model).mkdir()
        for seed in (0, 1):
            rows = [{"question": "p", "outcome": 1}, {"question": "q", "outcome": seed}]
            (tmp_path / model / f"seed{seed}.jsonl").write_text(lines(rows))
    assert main(["leaderboard", str(tmp_path)]) == 2
    assert "add --layout '{model}/{run}.jsonl'" in capsys.readouterr().err
    assert main(["leaderboard", str(tmp_path / "A")]) == 0
    assert "Models are named like runs, seed0 and seed1" in capsys.readouterr().out


def test_runs_beside_a_further_model_are_said_to_be_read_in_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, score in (("gpt_seed1", 1), ("gpt_seed2", 0), ("llama", 1)):
        (tmp_path / f"{path}.csv").write_text(f"question,outcome\np,{score}\n")
    assert main(["leaderboard", str(tmp_path)]) == 0
    note = " ".join(capsys.readouterr().out.split())
    assert "named like runs, gpt_seed1 and gpt_seed2: in a folder of each model --layout '{model}/{run}.csv' " in note


@pytest.mark.parametrize(
    ("names", "option"),
    [
        (["a_math", "a_code", "b_math", "b_code"], "--layout '{model}_{task}.csv'"),
        (["a.math", "a.code", "b.math", "b.code"], "--layout '{model}.{task}.csv'"),
        (["a__math", "a__code", "b__math", "b__code"], "--layout '{model}__{task}.csv'"),
        (["run1_a", "run1_b", "run2_a", "run2_b"], ""),
        (["a_b-math", "a_b-code", "c-math", "c-code"], "--layout '{model}-{task}.csv'"),
        (["a-b-math", "a-b-code", "c-math", "c-code"], ""),
        (["llama-7b", "llama-70b", "qwen-7b", "qwen-70b"], ""),
        (["a_math", "a_code", "b_math"], ""),
        (["_a", "_b", "c_a", "c_b"], ""),
    ],
)
def test_files_that_are_named_like_models_on_benchmarks_are_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str], option: str
) -> None:
    for i, name in enumerate(names):
        (tmp_path / f"{name}.csv").write_text(f"question,outcome\np,1\nq,{i % 2}\n")
    assert main(["leaderboard", str(tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert ("are benchmarks, " in out) is bool(option)
    assert option in out
    if option:
        assert main(["leaderboard", str(tmp_path), *shlex.split(option)]) == 0
        assert ": 2 models, 2 benchmarks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("names", "option", "models"),
    [
        (["gpt_seed1", "gpt_seed2", "o_1_seed1", "o_1_seed2"], "--layout '{model}_seed{run}.csv'", 2),
        (["gpt-4.1 run1", "gpt-4.1 run2"], "--files-are-runs", 1),
        (["a", "b", "a (1)"], "--exclude 'a (1).csv'", 2),
        (["a-seed1", "b-seed1"], "", 2),
        (["a_s1", "a_s2", "b_s1", "b_s2"], "--layout '{model}_s{run}.csv'", 2),
        (["llama-3", "llama-4"], "", 2),
        (["a_try1", "a_try2", "b_try1", "b_try2"], "--layout '{model}_try{run}.csv'", 2),
        (["a (1)", "a (2)", "b (1)", "b (2)"], "--layout '{model} ({run}).csv'", 2),
        (["part-00000", "part-00001"], "--files-are-runs", 1),
        (["sample", "seed"], "", 2),
    ],
)
def test_names_of_files_that_are_runs_or_copies_have_the_option_that_reads_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str], option: str, models: int
) -> None:
    for i, name in enumerate(names):
        (tmp_path / f"{name}.csv").write_text(f"question,outcome\np,1\nq,{i % 2}\n")
    command = ["leaderboard", str(tmp_path)]
    assert main(command) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert ("named like" in out) is bool(option)
    assert option in out
    assert main([*command, *shlex.split(option)]) == 0
    assert f": {models} model" in capsys.readouterr().out


def test_no_hint_is_given_where_nothing_reads_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (
        ("notes.csv", table("id,text", "1,hello", "2,world")),
        ("config.json", json.dumps({"model": "m", "temperature": 0.7, "stop": ["a", "b"]})),
        ("names.jsonl", lines([{"name": "a", "age": 33}, {"name": "b", "age": 41}])),
        ("averages.json", json.dumps({"m1": {"acc": 0.7, "f1": 0.6}, "m2": {"acc": 0.5, "f1": 0.55}})),
        ("settings.json", json.dumps({"metadata": {"cot": True, "shuffle": False}, "details": [{"text": "x"}]})),
        ("words.json", json.dumps({"stuff": {"cot": True, "shuffle": False}, "model": "m"})),
        ("options.json", json.dumps([{"id": i, "options": {"cot": i > 1}, "response": "x"} for i in range(4)])),
        ("either.json", json.dumps({"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 1}})),
        (
            "with_accuracy.json",
            json.dumps({"a": {"q1": 1, "q2": 0, "accuracy": 0.5}, "b": {"q1": 1, "q2": 1, "accuracy": 1.0}}),
        ),
        ("three.json", json.dumps({m: {t: {"ann": 1, "bob": int(m != t)} for t in "uv"} for m in "uvw"})),
        ("of_one.json", json.dumps({"q1": 1, "q2": 1, "q3": 1, "accuracy": 1.0})),
        ("of_each.json", json.dumps([{"question": x, "gpt": {"ok": True}, "llama": {"ok": False}} for x in "pqr"])),
        ("beside_failures.json", json.dumps({x: [{"id": 1, "ok": True}] for x in ("samples", "failures")})),
        ("failed.csv", table("id,model,failed", "1,m,1", "2,m,0", "3,m,0", "4,m,0")),
        ("points_of.csv", table("id,model,points,max_points", "1,m,3,4", "2,m,0,4", "3,m,4,4")),
        (
            "benchmarks.csv",
            table("model,benchmark,accuracy,n", "A,gsm8k,0.81,1319", "A,math,0.42,500", "B,gsm8k,0.7,1319"),
        ),
        ("wrong.csv", table("id,wrong", "1,1", "2,0", "3,0")),
        ("points.csv", table("question,score,max_score", "q1,5,5", "q2,2,4", "q3,1,2", "q4,0,10")),
        ("both.csv", table("question,correct,incorrect", "a,3,1", "b,2,2")),
    ):
        (tmp_path / name).write_text(text)
        assert main(["leaderboard", str(tmp_path / name)]) == 2
        assert ": scorio leaderboard" not in capsys.readouterr().err, name


@pytest.mark.parametrize(("text", "options", "hint"), [
    (table("model,question,outcome,mode", *[f"a,q{q},{m > ''},{m}" for q in range(6) for m in ("", "x")]), "",
     "as further questions, --columns question=question.mode; to read each as a benchmark, give the empty one a name"),
    (table("question,outcome,n", "a,1,300", "b,0,250"), "", "--columns outcome=outcome$"),
    (table("question,outcome", "a,good", "b,bad"), "--outcomes good=1", "--outcomes bad=1 for a success"),
    (table("question,outcome", "a,good", "b,bad"), "--outcomes good=1 --outcomes good=0", "states 'good' twice"),
    (table("question,outcome", "a,.5", "b,"), "--w levels --missing bounds", "--scale=0,1$"),
    (table("model,accuracy,n", "a,0.5,100", "b,0.7,100"), "", "averages of models, .* scorio interval 50/100 has its"),
    (table("model,accuracy", "a,71.2", "b,80"), "", "averages of models, .* accuracy looks like an average"),
    (table("model,question,exact,f1", "a,q1,1,0.8", "b,q1,0,0.2"), "", "--columns outcome=COLUMN$"),
    (table("model,question,not_passed", "a,q1,1", "b,q1,0"), "", "--columns outcome=COLUMN$"),
    (table("id,checked", "a,1", "b,0"), "", "if checked has the outcomes, read it with: scorio .*outcome=checked$"),
    (table("model,id,run1,run2", "a,p,1,0", "b,p,0,1"), "", "--wide$"),
    (table("model,0,1,2", "a,1,0,1", "b,0,0,1"), "", "--wide$"),
    (table("model,checkpoint,question,outcome", *[f"{m},c{c},{q},{c}" for m in "ab" for c in (0, 1) for q in "pqr"]),
     "", "as a benchmark or a model, --columns task=checkpoint, "),
])  # fmt: skip
def test_what_a_table_is_told_that_cannot_be_read_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, options: str, hint: str
) -> None:
    (tmp_path / "log.csv").write_text(text)
    with contextlib.suppress(SystemExit):  # as for options that cannot be parsed
        assert main(["leaderboard", str(tmp_path / "log.csv"), *options.split()]) == 2
    assert re.search(hint, capsys.readouterr().err.strip().removesuffix(" (see scorio leaderboard --help)"))


def test_words_of_outcomes_may_be_stated_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.csv").write_text(table("question,outcome", "a,good", "b,bad"))
    assert main(["leaderboard", str(tmp_path / "log.csv"), "--outcomes", "good=1", "--outcomes", "bad=0"]) == 0
    assert ".500" in capsys.readouterr().out


def test_a_table_of_averages_beside_logs_may_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a", "question,outcome\np,1\n"), ("b", "question,outcome\np,0\n"), ("c", "model,acc\na,0.5\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    assert main(["leaderboard", str(tmp_path)]) == 2
    assert capsys.readouterr().err.strip().endswith("if it is no log, leave it out, --exclude c.csv")


def test_the_id_of_a_row_is_not_the_question() -> None:
    cells = {"id": ["a", "b", "c", "d"], "traceId": ["t", "t", "u", "u"], "categoryId": ["x", "x", "x", "y"]}
    assert likely_columns.question_columns(cells)[0] == "traceId"
    assert likely_columns.question_columns({"id": ["a", "b"], "name": ["x", "x"]}) == ["id"]
    assert likely_columns.question_columns({"category_id": [1, 1, 2], "doc_id": [1, 2, 3]})[0] == "doc_id"


@pytest.mark.parametrize(("content", "hint"), [
    ({"results": {m: {"gsm8k": {"acc": 0.5}} for m in "ab"}}, "results.a.gsm8k.acc looks like an average"),
    ({"a": {"score": 0.75, "n": 4}, "b": {"score": 0.5, "n": 4}}, "a.score looks like an average"),
    ({"correct": 3, "total": 4}, "scorio interval 3/4 has its interval"),
    ({"gpt-5": {"correct": 3, "total": 4}, "llama-3": {"correct": 2, "total": 4}}, "scorio interval 3/4 has its"),
    ({"suites": [{"title": x, "cases": [{"id": i, "ok": True} for i in "pq"]} for x in ("ann", "bob")]},
     r"read it with --rows .* --columns \S*model=title, or else with --rows .* --columns \S*task=title"),
    ({m: {t: {"q1": 1, "q2": 0} for t in "uv"} for m in "uvw"},
     "told: read it with --rows '{model}.{task}.{question}', or else with --rows '{task}.{model}.{question}'"),
    ({"passed": ["q1", "q2"], "failed": ["q3"]}, "write it as a list of records"),
    ({"model": "m", "questions": ["q1", "q2"], "scores": [1, 0]}, "write it as a list of records"),
    ([[1, 0, 1], [0, 0, 1]], r"with --rows '\[{question}\]\[{trial}\]', or else .* '\[{model}\]\[{question}\]'"),
    ({"gpt-4": [1, 0], "llama-3": [0, 1]}, r"read it with: scorio .* --rows '{model}\[{question}\]'"),
    ({"gpt": [1, 0], "llama": [0, 1]}, r"read it with: scorio .* --rows '{model}\[{question}\]'"),
    ({"math": [1, 0], "code": [0, 1]}, "write it as a list of records, .*: what its lists are is not told"),
    ({"ada_2": [1, 0], "bea_3": [0, 1]}, r"with --rows '{question}\[{trial}\]', or else .* '{model}\[{question}\]'"),
    ({"layers": [1, 2], "adjacency": [[1, 0], [0, 1]]}, "none with a usual name$"),
])  # fmt: skip
def test_what_a_document_of_another_shape_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Any, hint: str
) -> None:
    (tmp_path / "log.json").write_text(json.dumps(content))
    assert main(["leaderboard", str(tmp_path / "log.json")]) == 2
    message = capsys.readouterr().err.strip()
    assert re.search(hint, message)
    for options in re.findall(r"--rows '[^']*'(?: --columns [\w=.,+]*\w)?", message):
        assert main(["leaderboard", str(tmp_path / "log.json"), *shlex.split(options)]) == 0


@pytest.mark.parametrize(("header", "cells", "hint"), [
    ("question,outcome", "5 0 3.5", "the log does not state its scale: state the lowest .* score, --scale=0,5$"),
    ("question,outcome", ".5 7 3", "the log does not state its scale: state the lowest .* score, --scale=0,10$"),
    ("question,outcome", ".5 .7 1", "need --w levels$"),
    ("id,score", "4 1 2", r"if 0 and 5 are the lowest and .* score, read it with: scorio leaderboard .* --scale 0,5$"),
    ("id,score", "4 -1 2", r"if -1 means that there is no score and if 0 and 5 are .* score, read it with: scorio .*"),
    ("id,score", ".5 0 .2", r"if 0 and 1 are the lowest and .* score, read it with: scorio leaderboard .* --w levels$"),
    ("id,score", ".5 7 3", r"if 0 and 10 are the lowest and .* score, read it with: scorio leaderboard .* 0,10$"),
])  # fmt: skip
def test_a_hint_about_the_scale_says_that_the_log_does_not_state_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], header: str, cells: str, hint: str
) -> None:
    rows = [f"q{i},{x}" for i, x in enumerate(cells.split())]
    (tmp_path / "log.csv").write_text(table(header, *rows))
    assert main(["leaderboard", str(tmp_path / "log.csv")]) == 2
    assert re.search(hint, capsys.readouterr().err.strip())


def test_a_large_table_is_advised_from_its_first_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"m{m},q{q},{t % 2},{(q * t) % 3 == 0:d}" for m in range(5) for q in range(1000) for t in range(20)]
    (tmp_path / "runs.csv").write_text(table("llm,doc,temp,ok", *rows))
    assert main(["leaderboard", str(tmp_path / "runs.csv")]) == 2
    assert capsys.readouterr().err.strip().endswith("--columns question=doc,outcome=ok,model=llm,task=temp")


@pytest.mark.parametrize(
    ("paths", "text", "options"),
    [
        (
            ["a/gsm.csv", "a/mmlu.csv", "b/gsm.csv", "b/mmlu.csv"],
            table("question,outcome", "1,1", "2,0"),
            [["--layout", "{model}/{task}.csv"], ["--layout", "{task}/{model}.csv"]],
        ),
        (
            ["gsm8k/a.csv", "gsm8k/b.csv", "mmlu/a.csv", "mmlu/b.csv"],
            table("question,outcome", "1,1", "2,0"),
            [["--layout", "{model}/{task}.csv"], ["--layout", "{task}/{model}.csv"]],
        ),
        (
            ["a/gsm.json", "a/mmlu.json", "b/gsm.json", "b/mmlu.json"],
            json.dumps({"accuracy": 0.5, "results": [{"id": 1, "correct": True}, {"id": 2, "correct": False}]}),
            [["--layout", f"{x}.json", "--rows", "results[*]", "--columns", "question=id,outcome=correct"]
             for x in ("{model}/{task}", "{task}/{model}")],
        ),
        (
            ["gpt/0.csv", "gpt/1.csv", "llama/0.csv", "llama/1.csv"],
            table("question,outcome", "1,1", "2,0"),
            [["--layout", "{model}/{run}.csv"]],
        ),
        (
            ["x/a.json", "x/b.json", "y/a.json", "y/b.json"],
            json.dumps({"correct": True}),
            [["--layout", f"{x}.json", "--columns", "outcome=correct"]
             for x in ("{model}/{question}", "{question}/{model}")],
        ),
        (
            ["q1/a.json", "q1/b.json", "q2/a.json", "q2/b.json"],
            json.dumps({"correct": True}),
            [["--layout", "{question}/{model}.json", "--columns", "outcome=correct"]],
        ),
        (
            ["q0_a.json", "q0_b.json", "q1_a.json", "q1_b.json"],
            json.dumps({"score": 1}),
            [["--layout", "{question}_{model}.json", "--columns", "outcome=score"]],
        ),
        (["a/x/log.csv", "a/y/log.csv"], table("question,outcome", "1,1"), [["--layout", "{_}/{model}/log.csv"]]),
    ],
)  # fmt: skip
def test_a_hint_about_paths_reads_all_files_and_leaves_the_choice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], paths: list[str], text: str, options: list[list[str]]
) -> None:
    for path in (*paths, "config.json"):  # which is no log
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text if path in paths else json.dumps({"seed": 1}))
    if not paths[0].endswith("csv"):
        (tmp_path / "config.json").unlink()
    assert main(["leaderboard", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    for option in options:
        for name, value in zip(option[::2], option[1::2], strict=True):
            assert f"{name} {shlex.quote(value)}" in message
        assert main(["convert", str(tmp_path), *option, "--to", "long", "-o", str(tmp_path / "out.csv")]) == 0
        rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
        (tmp_path / "out.csv").unlink()
        assert len(rows) == len(paths) * (text.count('"id"') or max(1, text.count("\n") - 1))
    assert message.count("--layout") == len(options)


def test_files_of_several_models_are_runs_or_benchmarks_whatever_is_in_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("temp0.0", "temp0.7"):
        rows = [f"{m},{q},{int(m == 'a')}" for m in "ab" for q in "pq"]
        (tmp_path / f"{name}.csv").write_text(table("model,question,outcome", *rows))
    assert main(["leaderboard", str(tmp_path)]) == 2
    assert "--layout '{run}.csv'; if they are benchmarks or conditions, add --layout '{task}.csv'" in (
        capsys.readouterr().err
    )
    assert main(["leaderboard", str(tmp_path), "--layout", "{task}.csv"]) == 0
    assert "2 benchmarks" in capsys.readouterr().out


def test_a_copy_in_a_folder_is_left_out_without_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in ("gpt.csv", "llama.csv", "backup/gpt.csv"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(table("question,outcome", "1,1"))
    assert main(["leaderboard", str(tmp_path)]) == 2
    assert capsys.readouterr().err.strip().endswith("--exclude backup/gpt.csv")


def test_a_layout_that_would_leave_out_a_log_is_not_hinted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("a/gsm.csv", "b/gsm.csv", "late/c/mmlu.csv"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(table("question,outcome", "1,1", "2,0"))
    assert main(["leaderboard", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert "--layout" not in message
    assert message.strip().endswith("--exclude b/gsm.csv")
