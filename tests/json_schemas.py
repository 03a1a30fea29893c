"""The schemata of what commands print with --json, inferred from many of their answers: docs/*.schema.json.

    python tests/json_schemas.py            says which differ from what commands print
    python tests/json_schemas.py --write    writes them anew

A field that is in all answers is required. docs/gate.schema.json is written by hand.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "spec" / "examples"
TAU, TOOLS = EXAMPLES / "tau_bench_gpt4o_airline.csv", EXAMPLES / "langchain_tool_use.csv"
BATTLES = EXAMPLES / "battles.csv"
KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def inputs(folder: Path) -> dict[str, Path]:
    """Logs that the calls read."""
    texts = {
        "two": "model,question,trial,outcome\n" + "".join(
            f"{m},q{q},{t},{int((q * 7 + t * 11) % 6 <= 2 * 'abc'.index(m))}\n"
            for m in "abc" for q in range(12) for t in range(6)),
        "holes": "model,question,outcome\n" + "".join(f"{m},{q},{'' if q == 1 else q % 2}\n" for m in "ab"
                                                      for q in range(6) for _ in range(4)),
        "graded": "model,question,outcome\n" + "".join(f"{m},{q},{(q + t) % 3 / 2}\n" for m in "ab" for q in range(8)
                                                       for t in range(4)),
        "tasks": "model,task,question,outcome\n" + "".join(
            f"{m},{k},{q},{(q + t) % 2}\n" for m in "ab" for k in "xy" for q in range(6) for t in range(4)),
        "clusters": "model,question,cluster,outcome\n" + "".join(
            f"{m},{q},{q // 2},{(q * t) % 2}\n" for m in "ab" for q in range(12) for t in range(3)),
        "labels": "model,question,trial,label\n" + "".join(f"{m},q{q},{q % 6 + 1},{(q + (m == 'b')) % 2}\n"
                                                          for m in "ab" for q in range(12)),
        "attempts": "model,question,is_correct,has_box,repeated_pattern,A,B,C,tokens\n" + "".join(
            f"{m},{q},{(q + t) % 2},1,0,.9,.05,.05,{100 + t}\n" for m in "ab" for q in range(6) for t in range(3)),
        "votes": "model_a,model_b,winner,question\n" + "".join(
            f"{a},{b},{w},{q}\n" for q, (a, b, w) in enumerate([
                ("x", "y", "model_a"), ("y", "x", "tie"), ("x", "y", "model_b"), ("z", "x", "model_a"),
                ("z", "y", "model_a"), ("x", "w", "tie (bothbad)"), ("w", "x", "model_b")])),
    }  # fmt: skip
    found = {}
    for name, text in texts.items():
        found[name] = folder / f"{name}.csv"
        found[name].write_text(text)
    return found


def calls(log: dict[str, Path]) -> dict[str, list[list[Any]]]:
    """The schema of each answer, and calls that give such."""
    levels, drop = ["--weights", "levels"], ["--missing", "drop"]
    odd = ["--missing", "0", "--missing-code", "-1"]
    return {
        "leaderboard": [[TAU], [log["two"], *odd], [TOOLS],
                        [log["two"], "--questions", "sampled", "--k", "1,3", "--bayes"],
                        [log["holes"], *drop], [log["graded"], *levels], [log["clusters"], "--questions", "sampled"]],
        "suite": [["leaderboard", log["tasks"]], ["leaderboard", log["tasks"], *odd],
                  ["leaderboard", log["tasks"], "--k", "2"]],
        "compare": [[log["two"], "a", "b"], [log["two"], "a", "b", *odd],
                    [log["holes"], "a", "b", *drop], [log["two"], "a", "c", "--questions", "sampled"],
                    [log["graded"], "a", "b", *levels], [TOOLS, "claude-2.1", "mixtral-8x7b-instruct"]],
        "rank": [[log["two"]], [log["two"], *odd], [TOOLS],
                 [log["two"], "--metric", "pass@k", "--k", "2", "--questions", "sampled"],
                 [log["holes"], *drop]],
        "plan": [[log["two"]], [log["two"], *odd], [log["holes"], *drop]],
        "converge": [[log["two"]], [log["two"], *odd]],
        "evaluate": [[log["two"], "--k", "1,2"], [log["two"], *odd], [TAU],
                     [log["graded"], *levels], [log["holes"], *drop]],
        "judge": [[log["two"], "--labels", log["labels"]],
                  [log["two"], "--labels", log["labels"], "--model", "a", "--model", "b", "--questions", "sampled"]],
        "rubric": [[log["attempts"]], [log["attempts"], "--missing", "0"]],
        "items": [[EXAMPLES / "coins.csv"], [TOOLS], [log["two"], "--fdr", "0.2"]],
        "extrapolate": [[TAU, "--k", "16"], [TAU, "--k", "16", "--width", "0.25"], [log["two"], "--k", "7"],
                        [log["two"], *odd, "--k", "40", "--metric", "pass^k"], [log["holes"], *drop, "--k", "9"]],
        "battles": [[BATTLES], [BATTLES, "--ties", "davidson", "--position-bias", "--cluster", "question"],
                    [log["votes"]], [log["votes"], "--both-bad", "drop", "--ties", "rao_kupper"]],
        "files": [["leaderboard", log["two"], *odd, "--dry-run"],
                  ["leaderboard", log["two"], "--dry-run"],
                  ["leaderboard", log["two"].parent, "--dry-run", "--layout", "{model}.csv"]],
    }  # fmt: skip


def answers(name: str, given: list[list[Any]]) -> list[dict[str, Any]]:
    """What the calls print."""
    from scorio.cli import main

    found = []
    for args in given:
        first = [] if name in ("suite", "files") else [name]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = main([*first, *map(str, args), "--json"])
            except SystemExit as e:
                code = e.code
        if code:
            raise AssertionError(f"{name} {args}: {err.getvalue()}")
        found.append(json.loads(out.getvalue()))
    return found


def schema(values: list[Any]) -> dict[str, Any]:
    """What all of these values are."""
    kinds = {KINDS[type(x)] for x in values if type(x) in KINDS}
    objects, lists = [x for x in values if type(x) is dict], [x for x in values if type(x) is list]
    kinds |= {"object"} if objects else set()
    kinds |= {"array"} if lists else set()
    if {"integer", "number"} <= kinds:
        kinds -= {"integer"}
    found: dict[str, Any] = {"type": sorted(kinds) if len(kinds) != 1 else next(iter(kinds))}
    if objects:
        names = dict.fromkeys(name for x in objects for name in x)
        found["required"] = [name for name in names if all(name in x for x in objects)]
        found["properties"] = {name: schema([x[name] for x in objects if name in x]) for name in names}
    if items := [y for x in lists for y in x]:
        found["items"] = schema(items)
    return found


def written(name: str, found: list[dict[str, Any]]) -> str:
    """The file of a schema."""
    own = schema(found)
    own["properties"]["schema"] = {"const": f"scorio.{name}/1"}
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"scorio.{name}/1",
        "title": {"suite": "scorio leaderboard --json of several benchmarks", "files": "--dry-run --json"}.get(
            name, f"scorio {name} --json"
        ),
        "description": "Version 1. Fields may be added; none is removed or changed without a new version.",
    }
    return json.dumps(head | own, indent=1) + "\n"


def main() -> int:
    """Compare, or write."""
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, given in calls(inputs(Path(folder))).items():
            path, text = ROOT / "docs" / f"{name}.schema.json", written(name, answers(name, given))
            if not path.exists() or path.read_text() != text:
                different += 1
                if "--write" in sys.argv:
                    path.write_text(text)
                else:
                    print(f"{path.relative_to(ROOT)} is not what the command prints: python {sys.argv[0]} --write")
    return int(different and "--write" not in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
