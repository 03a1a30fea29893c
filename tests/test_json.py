"""JSON output names its schema and version, and matches the type of the result: docs/*.schema.json."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import json_schemas
import jsonschema
import pytest
from json_schemas import results, schema

import scorio
from scorio.cli import COMMANDS, main

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
TAU, TOOLS = EXAMPLES / "tau_bench_gpt4o_airline.csv", EXAMPLES / "langchain_tool_use.csv"
BATTLES, LEDGER = EXAMPLES / "battles.csv", EXAMPLES / "ledger.jsonl"

pytestmark = pytest.mark.usefixtures("plain_terminal")


def inputs(folder: Path) -> dict[str, Path]:
    """Write the files that the calls read; return their paths by the word that stands for them in CALLS."""
    texts = {
        "two": "model,question,trial,outcome\n" + "".join(
            f"{m},q{q},{t},{int((q * 7 + t * 11) % 6 <= 2 * 'abc'.index(m))}\n"
            for m in "abc" for q in range(12) for t in range(6)),
        "one": "question,outcome\n" + "".join(f"q{q},{(q * 7 + t * 11) % 6 % 2}\n" for q in range(12)
                                              for t in range(4)),
        "again": "question,outcome\n" + "".join(f"q{q},{(q * 7 + t * 5) % 6 // 3}\n" for q in range(12)
                                                for t in range(4)),
        "holes": "model,question,outcome\n" + "".join(f"{m},{q},{'' if q == 1 else q % 2}\n" for m in "ab"
                                                      for q in range(6) for _ in range(4)),
        "graded": "model,question,outcome\n" + "".join(f"{m},{q},{(q + t) % 3 / 2}\n" for m in "ab" for q in range(8)
                                                       for t in range(4)),
        "tasks": "model,task,question,outcome\n" + "".join(
            f"{m},{k},{q},{int((q * 7 + t * 11) % 6 <= 1 + 2 * (m == 'b'))}\n"
            for m in "ab" for k in "xy" for q in range(6) for t in range(4)),
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
    shutil.copy(LEDGER, folder / "ledger.jsonl")
    files = {"receipt": folder / "receipt.json"}
    files["receipt"].write_text(json.dumps(scorio.read(EXAMPLES / "coins.csv").receipt(questions="fixed")))
    for name, text in texts.items():
        files[name] = folder / f"{name}.csv"
        files[name].write_text(text)
    return files


LEVELS, DROP, MISSING_CODE = "--w levels", "--missing drop", "--missing 0 --missing-code -1"
GATE = f"gate {TOOLS} claude-2.1 mixtral-8x7b-instruct --margin 0.1"
CALLS = {  # for each type of result, commands that return it
    "leaderboard": [f"leaderboard {TAU}", f"leaderboard two {MISSING_CODE}", f"leaderboard holes {DROP}",
                    "leaderboard two --questions sampled --k 1,3 --bayes", f"leaderboard graded {LEVELS}",
                    "leaderboard clusters --questions sampled", "leaderboard tasks --k 2", f"leaderboard {TOOLS}"],
    "compare": ["compare two a b", f"compare holes a b {DROP}", "compare two a c --questions sampled",
                f"compare graded a b {LEVELS}", f"compare {TOOLS} claude-2.1 mixtral-8x7b-instruct",
                "compare tasks a b"],
    "agreement": ["agreement two", f"agreement holes {DROP}", f"agreement graded {LEVELS}", "agreement tasks"],
    "changes": ["changes two a b", f"changes holes a b {DROP}", "changes tasks a b --fail-on regressed",
                f"changes --baseline main --ledger {LEDGER}"],
    "rank": ["rank two", f"rank {TOOLS}", "rank two --metric pass@k --k 2 --questions sampled", "rank tasks"],
    "gate": [GATE, "gate tasks a b --margin 0.1", f"{GATE} --look 1/2",
             f"gate {EXAMPLES / 'coins.csv'} large --at-least 0.7"],
    "gate_each": [f"gate {EXAMPLES / 'coins.csv'} large --each 0.8", "gate graded a --each 0.2 --w levels"],
    "plan": ["plan two", f"plan holes {DROP}", "plan two --model a --model b", "plan two --half-width 0.05",
             "plan tasks", "plan two --difference .1",
             "plan --n-questions 200 --n-trials 4 --rate 0.6 --margin 0.05"],
    "plan_runs": ["plan two --runs sampled --difference .1", "plan two --runs sampled --half-width .1",
                  "plan --n-questions 200 --n-trials 4 --rate 0.6 --difference .02 --run-sd .01"],
    "interval": ["interval 47/50", "interval 47/50 52/60", "interval 3/3 0/5"],
    "runs": ["runs two", f"runs {EXAMPLES / 'coins.csv'}"],
    "averages": ["interval 71.2,70.8,71.5 --scale 0,100", "compare .5,.25 .5,.75,1 --scale 0,1"],
    "design": ["plan two --design", "plan tasks --design --se 0.1"],
    "converge": ["converge two", f"converge two {MISSING_CODE}", "converge tasks --replicates 20"],
    "evaluate": ["evaluate two --k 1,2", f"evaluate {TAU}", f"evaluate graded {LEVELS}", f"evaluate holes {DROP}",
                 "evaluate tasks --k 2", "evaluate two --metrics avg,bayes_ci"],
    "judge": ["judge two --labels labels", "judge two --labels labels --questions sampled --half-width .2"],
    "rubric": ["rubric attempts", "rubric attempts --missing 0"],
    "items": [f"items {EXAMPLES / 'coins.csv'}", f"items {TOOLS}", "items two --fdr 0.2",
              "items two --model a --model b"],
    "extrapolate": [f"extrapolate {TAU} --k 16 --width 0.25", f"extrapolate two {MISSING_CODE} --k 40 --metric pass^k",
                    f"extrapolate holes {DROP} --k 9", "extrapolate tasks --k 9"],
    "files": ["leaderboard two --dry-run", "rank folder --dry-run --layout {model}.csv"],
    "convert": ["convert two", "convert two --to counts", f"convert holes {DROP}", "convert graded --w levels"],
    "verify": ["verify receipt", "verify receipt two"],
    "baseline": [f"baseline show --ledger {LEDGER}", "baseline set one --margin .2 --ledger new --name x"],
    "noise": ["baseline noise one again", "baseline noise one again --margin .1"],
    "history": [f"history {LEDGER}", f"history {LEDGER} --runs sampled"],
    "gate_ledger": ["gate again --baseline main --ledger ledger.jsonl --id next --shared"],
    "written": ["plot forest two -o f.svg", "report two -o r.html --replicates 20 --questions sampled",
                "receipt two -o r.json"],
    "outputs": ["judge two --draw 9"],
    "battles": [f"battles {BATTLES}", f"battles {BATTLES} --ties davidson --position-bias --cluster question",
                "battles votes", "battles votes --both-bad drop --ties rao_kupper"],
}  # fmt: skip


WITHOUT_TARGET = {  # their intervals are not about a set of questions, or they state both targets
    "agreement", "changes", "items", "interval", "verify", "converge", "extrapolate", "rubric", "battles", "convert",
    "plan", "plan_runs", "averages", "runs", "baseline", "history", "noise", "gate_ledger",
}  # fmt: skip


def closed(x: Any) -> Any:
    """The JSON Schema x, made to forbid fields that it does not name."""
    if isinstance(x, list):
        return [closed(y) for y in x]
    if not isinstance(x, dict):
        return x
    limit = {"additionalProperties": False} if isinstance(x.get("properties"), dict) and "required" in x else {}
    return {key: closed(y) for key, y in x.items()} | limit


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_output_matches_its_schema(tmp_path, name, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result_schema = schema(results()[name])
    jsonschema.Draft202012Validator.check_schema(result_schema)
    files = inputs(tmp_path) | {"folder": tmp_path}
    for call in CALLS[name]:
        command, *arguments = call.split()
        code = main([command, *(str(files.get(x, x)) for x in arguments), "--json"])
        out, err = capsys.readouterr()
        assert code in (0, 1, 3), err
        output = json.loads(out)
        assert output["schema"] == result_schema["$id"]
        jsonschema.validate(output, closed(result_schema))
        del output["rows"]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(output, result_schema)


def test_every_type_of_result_is_covered():
    assert {*results()} == {*CALLS}


def test_every_command_has_json_and_those_with_a_target_have_questions(capsys):
    """Check the help of all commands, and that one of the calls above covers each of them."""
    called = {call.split()[0] for calls in CALLS.values() for call in calls}
    assert called == {*COMMANDS}
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            main(["help", name])
        text = capsys.readouterr().out
        assert "--json" in text, name
        assert ("--questions" in text) == (name not in WITHOUT_TARGET), name


def test_the_schemata_in_docs_follow_from_the_types():
    for path, text in json_schemas.texts().items():
        assert path.read_text() == text, "python tests/json_schemas.py --write"
    written = {path.name for path in json_schemas.DOCS.glob("*.schema.json")}
    assert written == {path.name for path in json_schemas.texts()}
