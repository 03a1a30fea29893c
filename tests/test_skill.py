"""SKILL.md, which ``scorio skill`` prints: it is the page of the manual, and every command and field in it exists."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import spec
import yaml
from commands import EXAMPLES

from scorio import cli

SKILL = (spec.ROOT / "python" / "scorio" / "SKILL.md").read_text()
_, HEAD, TEXT = SKILL.split("---\n", 2)
CODE = re.findall(r"`([^`\n]+)`", TEXT) + re.findall(r"^(scorio .*)$", TEXT, flags=re.M)
COMMANDS = list(dict.fromkeys(re.split(r" > |; ", x)[0] for x in CODE if x.startswith("scorio ")))
ROWS = re.findall(r"^\| .*? \| `(scorio .*?)` \| (.*?) \|$", TEXT, flags=re.M)  # of the table of commands
JSON = TEXT.partition("## The JSON")[2].partition("\n## ")[0]
OTHERS = {"help", "skill", "--version"}  # what follows scorio and is no command that reads a log
LONGEST = 200


def words_of(command: str) -> list[str]:
    """Arguments of a command of the page, which names a log LOG, votes VOTES and models A and B."""
    names = {"LOG": "log.csv", "VOTES": str(EXAMPLES / "battles.csv"), "A": "large", "B": "medium"}
    return [names.get(x, x) for x in shlex.split(command)[1:]]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    """Exit code, JSON and errors of a command; ``judge --draw`` writes a table."""
    code = cli.main([*words] if "--draw" in words else [*words, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def field(x: Any, path: str) -> Any:
    """What a path such as ``rows[].mu`` or ``rows[]["pass@2"]`` leads to; ``[]`` is the first entry."""
    for key, name in re.findall(r'\["(.+?)"\]|(\w+|\[\])', path):
        x = x[0] if name == "[]" else x[key or name]
    return x


def paths(cell: str) -> list[str]:
    """Paths of a cell of the table, of which one that begins with a dot or a bracket has the parent of the first."""
    first, *others = re.findall(r"`(.+?)`", cell) or [""]
    parent = re.sub(r'(\.\w+|\["[^"]+"\])$', "", first)
    return [first, *(parent + x if x[0] in ".[" else x for x in others)] if first else []


def keys(x: Any) -> set[str]:
    """Keys of all objects in a JSON document."""
    if isinstance(x, dict):
        return x.keys() | {key for y in x.values() for key in keys(y)}
    return {key for y in x for key in keys(y)} if isinstance(x, list) else set()


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The simulated example, with a subject of each question and the tokens of each trial, in the current folder."""
    with open(EXAMPLES / "coins.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for i, row in enumerate(rows):
        row |= {"subject": f"s{int(row['question'][1:]) % 2}", "tokens": str(100 + i * 37 % 101)}
    path = tmp_path / "log.csv"
    write(path, rows)
    monkeypatch.chdir(tmp_path)
    return path


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def test_the_format_is_that_of_agent_skills() -> None:
    """Check the front matter: the name of the folder, and a description of the allowed length."""
    head = yaml.safe_load(HEAD)
    assert head.keys() == {"name", "description", "license"}
    assert head["name"] == "scorio"
    assert 100 < len(head["description"]) <= 1024
    assert len(SKILL.splitlines()) <= LONGEST
    assert SKILL.isascii()  # so that every terminal can print it


def test_scorio_skill_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["skill"]) == 0
    assert capsys.readouterr().out == SKILL
    assert cli.main(["skill", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: scorio skill\n")
    assert cli.main(["skill", "install"]) == 2
    assert "'install'" in capsys.readouterr().err


def test_the_page_of_the_manual_is_the_same_text() -> None:
    """Check that docs/agents.md includes all of SKILL.md after its front matter, and nothing else."""
    start = len(f"---\n{HEAD}---\n".splitlines())
    include = f"```{{include}} ../python/scorio/SKILL.md\n:start-line: {start}\n```\n"
    assert (spec.ROOT / "docs" / "agents.md").read_text() == include
    assert "\n".join(SKILL.splitlines()[start:]) + "\n" == TEXT
    assert TEXT.startswith("# ")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_be_typed(command: str) -> None:
    """Check that the parser accepts each command, and that each option exists."""
    words = words_of(command)
    if words[0] not in OTHERS and len(words) > 1:
        words = cli._mode(words)
        cli._parser(words[:1]).parse_args(words)
    assert words[0] in {*cli.COMMANDS, *OTHERS}


def test_every_command_of_the_list_is_in_the_table() -> None:
    """Check that the table has the commands of scorio --help but plot, convert and rubric."""
    assert {x.split()[1] for x, _ in ROWS} == {*cli.COMMANDS} - cli.HIDDEN - {"plot", "convert"}
    assert len(ROWS) > 20


def test_every_option_exists() -> None:
    """Check each option of the text, also those that stand alone."""
    parsers = cli._parser(cli.COMMANDS).all_commands().values()
    options = {option for parser in parsers for option in parser._option_string_actions}
    assert not {x for code in CODE for x in re.findall(r"(?<!\S)--[a-z-]+", code)} - options - {"--version"}


@pytest.mark.slow
def test_the_commands_run_and_have_the_fields_that_are_named(
    log: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Run each command of the table, and look up each field that the table and the section on JSON name."""
    seen = set()
    for command, cell in ROWS:
        code, document, err = run(capsys, *words_of(command))
        assert code == (document or {}).get("exit_code", 0), (command, err)
        for path in paths(cell):
            field(document, path)
        seen |= keys(document)
        if "--draw" in command:
            with open("todo.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            write(Path("todo.csv"), [row | {"label": str(i % 2)} for i, row in enumerate(rows)])
    named = {x.lstrip(".") for code in re.findall(r"`([\w.\[\]]+)`", JSON) for x in code.split("[]")}
    assert len(named) > 20
    assert named - seen - {*cli.COMMANDS} == set()
    assert {x.name for x in tmp_path.iterdir()} >= {"todo.csv", "report.html", "r.json"}


def test_the_numbers_of_the_first_rule_are_those_of_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    """Check that the intervals overlap, that the models differ, and that the text has these numbers."""
    coins = str(EXAMPLES / "coins.csv")
    large, medium = run(capsys, "leaderboard", coins)[1]["rows"][:2]
    assert large["lo"] < medium["hi"]
    verdict = run(capsys, "compare", coins, "large", "medium")[1]["verdicts"][0]
    assert verdict["better"] == "large"
    text = " ".join(TEXT.split())
    ends = ", ".join(f"{x['lo']:.3f} to {x['hi']:.3f}" for x in (large, medium))
    assert f"({ends})" in text
    assert f"(p = {verdict['p_value']:.4f})" in text


@pytest.mark.parametrize(
    ("words", "code", "meaning"),
    [
        ("gate COINS large medium --margin .02", 0, "pass"),
        ("gate COINS tiny large --margin .02", 1, "fail"),
        ("gate COINS large medium --margin .02 --questions sampled", 3, "inconclusive"),
        ("gate COINS large none --margin .02", 2, None),
        ("compare COINS large tiny", 0, None),
        ("compare COINS small tiny --questions sampled", 0, None),
        ("changes COINS medium large --fail-on regressed", 1, None),
    ],
)
def test_exit_codes(capsys: pytest.CaptureFixture[str], words: str, code: int, meaning: str | None) -> None:
    """Check the exit codes that the text states, and that it states what each means."""
    got, document, err = run(capsys, *words.replace("COINS", str(EXAMPLES / "coins.csv")).split())
    assert got == code, err
    assert (document or {}).get("verdict") == meaning
    assert meaning is None or meaning in re.search(rf"^\| {code} \| (.*)$", TEXT, flags=re.M)[1]  # type: ignore[index]


def test_what_is_refused_and_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check the refusals and notes that the rules rely on: copies, one run, crashes, bounds, single trials."""
    head, path = {"model": "", "question": "", "trial": "", "outcome": ""}, str(tmp_path / "log.csv")

    def save(trials: int, outcome: Any) -> None:
        cells = [(m, q, t) for m in "ab" for q in range(40) for t in range(trials)]
        write(tmp_path / "log.csv", [dict(zip(head, (*map(str, x), str(outcome(*x))), strict=True)) for x in cells])

    save(4, lambda m, q, t: int(q % 3 > (m == "a")))  # copies of one answer
    notes = run(capsys, "compare", path)[1]["notes"]
    assert "one answer repeated (temperature 0, a cache)" in notes[0]
    save(1, lambda m, q, t: int(q % 3 > (m == "a")))
    assert run(capsys, "compare", path)[1]["questions"] == "sampled"
    assert "one run" in run(capsys, "compare", path, "--runs", "sampled")[2]
    document = run(capsys, "changes", path, "a", "b")[1]
    assert (document["nameable"], document["trials_needed"]) == (False, 4)
    save(4, lambda m, q, t: "" if (m, q, t) == ("a", 1, 2) else (q + t) % 2)
    assert run(capsys, "compare", path)[0] == 2
    assert run(capsys, "gate", path, "a", "b", "--margin", ".1", "--missing", "bounds")[0] == 2
    assert run(capsys, "compare", path, "--missing", "bounds")[1]["verdicts"][0]["depends"] is not None
