"""Rows by pattern (rows=, --rows): JSON, JSONL, XML and YAML of any shape, and ids of several columns."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from log_tables import refused, tables

import scorio
from scorio import InvalidInput
from scorio.cli import main

CASES = [{"case_id": "c0", "passed": True}, {"case_id": "c1", "passed": True}, {"case_id": "c2", "passed": False}]
ENVELOPE = {"run_id": "r1", "model": "m-a", "results": CASES}
NESTED = {
    m: {"docs": {d: {"fields": {f: {"correct": m == "a" or f == "x"} for f in "xy"}} for d in ("d1", "d2")}}
    for m in ("a", "b")
}
COLUMNS = {"question": "case_id", "outcome": "passed"}


def saved(folder: Path, x: object, name: str = "log.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(x if isinstance(x, str) else json.dumps(x))
    return path


@pytest.mark.parametrize(("content", "rows", "columns", "expected"), [
    (ENVELOPE, "results[*]", COLUMNS, {"m-a": {"c0": [0, 1], "c1": [0, 1], "c2": [1, 0]}}),
    (ENVELOPE, "$.results[*]", COLUMNS | {"model": "$.run_id"}, {"r1": {"c0": [0, 1], "c1": [0, 1], "c2": [1, 0]}}),
    ({"model": "x", "data": {"model": "m", "results": CASES[:1]}}, "data.results[*]", COLUMNS, {"m": {"c0": [0, 1]}}),
    ({"q1": {"try_1": 1, "model": "m"}, "q2": {"try_1": 0, "model": "m"}}, "{question}.try_{trial}", None,
     {"m": {"q1": [0, 1], "q2": [1, 0]}}),
    (CASES, "[*]", COLUMNS, {"log": {"c0": [0, 1], "c1": [0, 1], "c2": [1, 0]}}),
    (CASES, "[2]", COLUMNS, {"log": {"c2": [1, 0]}}),
    ({"i-0": True, "i-1": False}, "{question}", None, {"log": {"i-0": [0, 1], "i-1": [1, 0]}}),
    (NESTED, "{model}.docs.{question}.fields.{question}", {"outcome": "correct"},
     {"a": {x: [0, 1] for x in ("d1/x", "d1/y", "d2/x", "d2/y")},
      "b": {"d1/x": [0, 1], "d1/y": [1, 0], "d2/x": [0, 1], "d2/y": [1, 0]}}),
    (NESTED, "{model}.docs.{run}.fields.{question}", {"outcome": "correct", "task": "model"},
     {"log": {"a/x": [0, 2], "a/y": [0, 2], "b/x": [0, 2], "b/y": [2, 0]}}),
    ({"score": 0.5, "tasks": {"aa": {"score": 1.0}, "bb": {"score": 0.0}}}, "tasks.{question}", {"outcome": "score"},
     {"log": {"aa": [0, 1], "bb": [1, 0]}}),
    ({"tests": [{"question": "q1", "outcomes": [1, 0]}, {"question": "q2", "outcomes": [1, 1]}]},
     "tests[*].outcomes[{trial}]", None, {"log": {"q1": [1, 1], "q2": [0, 2]}}),
    ({"q1": {"try_1": True, "try_2": False, "note": "x"}}, "{question}.try_{trial}", None, {"log": {"q1": [1, 1]}}),
    ({"q1": [1, 0], "q2": []}, "{question}[*]", None, {"log": {"q1": [1, 1], "q2": [0, 0]}}),
    ({"model": "m", "seed": 1, "q1": [{"ok": 1}], "q2": [{"ok": 0}]}, "{question}[*]", {"outcome": "ok"},
     {"m": {"q1": [0, 1], "q2": [1, 0]}}),
    ({"r1": [{"id": 1, "ok": 1}], "r2": [{"id": 1, "ok": 0}]}, "{run}[*]", {"question": "id", "outcome": "ok"},
     {"log": {"1": [1, 1]}}),
    ({"a.b": {"c": {"q": 1}}}, "a.b.c.{question}", None, {"log": {"q": [0, 1]}}),
    ({"a.b": {"q": 1}, "a": {"b": {"q": 0}}}, '"a.b".{question}', None, {"log": {"q": [0, 1]}}),
    ({"x": [{"y": {"leaf": [{"id": "q", "ok": 1}]}}, {"leaf": [{"id": "r", "ok": 0}]}]}, "**.leaf[*]",
     {"question": "id", "outcome": "ok"}, {"log": {"q": [0, 1], "r": [1, 0]}}),
    ({"rows": '[{"id": "q", "ok": 1}]'}, "rows[*]", {"question": "id", "outcome": "ok"}, {"log": {"q": [0, 1]}}),
])  # fmt: skip
def test_rows_of_any_shape(tmp_path, content, rows, columns, expected):
    missing = "drop" if any([0, 0] in x.values() for x in expected.values()) else "raise"
    assert tables(scorio.read(saved(tmp_path, content), rows=rows, columns=columns, missing=missing)) == expected


def test_each_line_has_rows(tmp_path):
    lines = [{"llm": m, "answers": {"q1": m == "a", "q2": True}} for m in "ab"]
    text = "\n".join(map(json.dumps, lines))
    for name in ("log.jsonl", "log.json"):
        e = scorio.read(saved(tmp_path, text, name), rows="answers.{question}", columns={"model": "llm"})
        assert tables(e) == {"a": {"q1": [0, 1], "q2": [0, 1]}, "b": {"q1": [1, 0], "q2": [0, 1]}}
    path = saved(tmp_path, '{"a": {"q": 1}}\n{"b": {"q": 1}}\n', "log.jsonl")
    assert "not an object with a" in refused(path, "format", "path", 2, rows="a.{question}")


def test_the_nearest_object_states_what_a_row_lacks(tmp_path):
    log = {"model": "outer", "score": 1, "runs": [{"model": "inner", "items": [{"id": "q", "score": 0}]},
                                                 {"items": [{"id": "q", "score": 1}]}]}  # fmt: skip
    columns = {"question": "id", "outcome": "score"}
    e = scorio.read(saved(tmp_path, log), rows="runs[*].items[*]", columns=columns)
    assert tables(e) == {"inner": {"q": [1, 0]}, "outer": {"q": [0, 1]}}
    del log["runs"][0]["items"][0]["score"]  # a score of the whole log is not that of a row
    place = "runs[0].items[0]"
    with pytest.raises(InvalidInput, match=rf"{place.replace('[', '.').replace(']', '.')}: outcome is missing"):
        scorio.read(saved(tmp_path, log), rows="runs[*].items[*]", columns=columns)


ROWS = [{"id": 1, "ok": 1}, {"id": 2, "ok": 0}]
IDS = {"question": "id", "outcome": "ok"}


@pytest.mark.parametrize(("content", "rows", "columns", "hint"), [
    ({"parts": [{"rows": ROWS}, {"rows": ROWS}]}, "parts[*].rows[*]", IDS,
     r"parts\[1\].rows\[0\]: question 1 is in parts\[0\].rows\[0\] too.* rows=\"parts\[\{task\}\].rows\[\*\]\""),
    ({"m": [{"parts": [{"rows": ROWS}, {"rows": ROWS}]}]}, "{model}[*].parts[*].rows[*]", IDS,
     r"rows=\"\{model\}\[\*\].parts\[\{run\}\].rows\[\*\]\""),
    ([{"x": {"q": {"pass": x}}} for x in (0, 1)], "[*].x.{question}", {"outcome": "pass"}, "is in .0..x.q too"),
    ([{"q": 1}, {"q": 0}], "[*].{question}", {}, r"rows=\"\[\{task\}\].\{question\}\""),
    ({"parts": [{"title": "x", "rows": ROWS}, {"title": "y", "rows": ROWS[:1]}]}, "parts[*].rows[*]", IDS,
     "'task': 'title'"),
    ({"a": {"rows": ROWS}, "b": {"rows": ROWS}}, "**.rows[*]", IDS, "name the field of theirs"),
    ({"a": ROWS, "b": ROWS}, "*[*]", IDS, r"rows=\"\{task\}\[\*\]\".* rows=\"\{run\}\[\*\]\""),
    ({"x": {"a": ROWS, "b": ROWS}}, "x.{_}[*]", IDS, r"rows=\"x.\{task\}\[\*\]\""),
    ({"a": ROWS, "b": ROWS}, "**[*]", IDS, "name the field of theirs"),
    ({"t0": {"a": {"q": 1}}, "t1": {"a": {"q": 0}}}, "*.{model}.{question}", {}, r"\"\{task\}.\{model\}.\{question\}"),
    (NESTED, "{model}.docs.{_}.fields.{question}", {"outcome": "correct"}, r"\{model\}.docs.\{run\}.fields"),
    ('{"rows": [{"id": 1, "ok": 1}]}\n{"rows": [{"id": 1, "ok": 1}]}', "rows[*]", IDS, "is in line 1, rows.0. too"),
])  # fmt: skip
def test_equal_questions_in_entries_that_nothing_tells_apart_are_refused(tmp_path, content, rows, columns, hint):
    with pytest.raises(InvalidInput, match=hint):
        scorio.read(saved(tmp_path, content, f"log.json{'l' * (type(content) is str)}"), rows=rows, columns=columns)


@pytest.mark.parametrize(("content", "rows", "columns", "expected"), [
    ([{"model": m, "rows": ROWS} for m in "aab"], "[*].rows[*]", IDS,
     {"a": {"1": [0, 2], "2": [2, 0]}, "b": {"1": [0, 1], "2": [1, 0]}}),  # equal names: further trials
    ([{"seed": s, "rows": ROWS} for s in (1, 2)], "[*].rows[*]", IDS, {"log": {"1": [0, 2], "2": [2, 0]}}),
    ([{"rows": ROWS}, {"rows": ROWS}], "[{run}].rows[*]", IDS, {"log": {"1": [0, 2], "2": [2, 0]}}),
    ([{"id": 1, "tries": [1, 0]}, {"id": 1, "tries": [1]}], "[*].tries[*]", {"question": "id"}, {"log": {"1": [1, 2]}}),
    ([{"unit": u, "rows": ROWS[:1]} for u in "xy"], "[*].rows[*]", IDS | {"question": "unit+id"},
     {"log": {"x/1": [0, 1], "y/1": [0, 1]}}),
])  # fmt: skip
def test_entries_that_are_told_apart_are_read(tmp_path, content, rows, columns, expected):
    assert tables(scorio.read(saved(tmp_path, content), rows=rows, columns=columns)) == expected


def test_errors_name_the_entry(tmp_path):
    cases = [{"cases": {"x": 1}}, {"cases": {"x": "maybe"}}, {"cases": 3}]
    path = saved(tmp_path, {"results": cases[:2]})
    with pytest.raises(InvalidInput, match=r"log\.json, results\[1\]\.cases\.x: outcome 'maybe'"):
        scorio.read(path, rows="results[*].cases.{question}")
    path = saved(tmp_path, {"results": cases[::2]})
    with pytest.raises(InvalidInput, match=r"results\[1\]\.cases: 3, not an object with keys \{question\}"):
        scorio.read(path, rows="results[*].cases.{question}")
    path = saved(tmp_path, ENVELOPE)
    for rows, pattern in (
        ("results", r"results: 'results' is a list of 3: end rows with \[\*\]"),
        ("result[*]", "the keys 'run_id, model, results', not an object with result"),
        ("results[7]", r"not a list with an entry \[7\]"),
        ("{question}", "run_id: outcome 'r1' is not a number"),
    ):
        with pytest.raises(InvalidInput, match=pattern):
            scorio.read(path, rows=rows)
    mixed = saved(tmp_path, {"q1": {"passed": 1}, "total": 1})
    with pytest.raises(InvalidInput, match="total: 1 is not an object with passed"):
        scorio.read(mixed, rows="{question}", columns={"outcome": "passed"})
    with pytest.raises(InvalidInput, match=r"there is no row at 'results\[\*\]'"):
        scorio.read(saved(tmp_path, {"results": []}), rows="results[*]")


@pytest.mark.parametrize(("content", "what"), [
    ({"q1": [1, 0], "q2": 1}, "q2: 1, not a list"),
    ({"q1": [{"outcome": 1}], "q2": None}, "q2: None, not a list"),
    ({"q1": [{"outcome": 1}], "q2": {"outcome": 1}}, "q2: an object with the keys 'outcome', not a list"),
])  # fmt: skip
def test_what_may_be_an_outcome_beside_lists_is_refused(tmp_path, content, what):
    with pytest.raises(InvalidInput, match=what):
        scorio.read(saved(tmp_path, content), rows="{question}[*]")


@pytest.mark.parametrize("rows", ["", "results[*", "a[x]", "{a b}", "a.{question", "**", "a..b", 3])
def test_a_pattern_is_checked(tmp_path, rows):
    with pytest.raises(InvalidInput) as e:
        scorio.read(saved(tmp_path, ENVELOPE), rows=rows)
    assert e.value.argument == "rows"


def test_rows_are_of_documents(tmp_path):
    table = saved(tmp_path, "question,outcome\nq,1\n", "log.csv")
    assert "rows finds rows in JSON" in refused(table, "conflict", "rows", rows="[*]")
    for options in ({"wide": True}, {"layout": "{question}.json"}):
        with pytest.raises(InvalidInput, match="rows"):
            scorio.read(tmp_path, rows="{question}", **options)
    saved(tmp_path / "a", {"tests": {"q": 1}}, "a.json")
    saved(tmp_path / "a", {"lr": 1}, "config.json")
    with pytest.raises(InvalidInput, match=r'config\.json: an object with .* leave it out, exclude="config.json"'):
        scorio.read(tmp_path / "a", rows="tests.{question}")
    assert scorio.read(tmp_path / "a", rows="tests.{question}", exclude="config.json")["a"].M == 1
    with pytest.raises(InvalidInput, match="these outcomes are in memory"):
        scorio.read({"a": [[1]]}, rows="[*]")


def test_one_object_in_each_file(tmp_path):
    for m, q, score in (("m-a", "q1", 1), ("m-a", "q2", 1), ("m-b", "q1", 0), ("m-b", "q2", 1)):
        saved(tmp_path, {"score": score}, f"{m}/{q}.json")
    e = scorio.read(tmp_path, layout="{model}/{question}.json", columns={"outcome": "score"})
    assert tables(e) == {"m-a": {"q1": [0, 1], "q2": [0, 1]}, "m-b": {"q1": [1, 0], "q2": [0, 1]}}
    saved(tmp_path, {"score": 1}, "m-a/q3.json")
    saved(tmp_path, {"score": 1}, "x/m-a/q3.json")  # a copy of a question without ids of trials
    with pytest.raises(InvalidInput, match="outcomes of 'm-a' are in"):
        scorio.read(tmp_path, layout="**/{model}/{question}.json", columns={"outcome": "score"})


JUNIT = """<?xml version="1.0"?><testsuites><testsuite name="s" tests="2">
<testcase classname="t" name="a" time="1.5" ok="1"/><testcase classname="t" name="b" ok="0"><note>x</note></testcase>
</testsuite></testsuites>"""


def test_xml_is_objects_of_attributes_and_lists_of_children(tmp_path):
    columns = {"question": "classname+name", "outcome": "ok"}
    for rows in ("testsuite[*].testcase[*]", "**.testcase[*]"):
        e = scorio.read(saved(tmp_path, JUNIT, "log.xml"), rows=rows, columns=columns)
        assert tables(e) == {"log": {"t/a": [0, 1], "t/b": [1, 0]}}
    path = saved(tmp_path, "<a><q id='1'>1</q><q id='2'>0</q></a>", "log.xml")
    e = scorio.read(path, rows="q[*]", columns={"question": "id", "outcome": "text"})
    assert tables(e) == {"log": {"1": [0, 1], "2": [1, 0]}}


@pytest.mark.parametrize(("text", "pattern"), [
    ('<!DOCTYPE a [<!ENTITY x "y">]><a><q id="1"/></a>', "DOCTYPE"),
    ("<a>\n<b></a>", r"log\.xml:2: not XML: mismatched tag"),
    ("<a q='1'><q/></a>", "'q' is both an attribute and an element"),
    ("", "not XML: no element found"),
])  # fmt: skip
def test_invalid_xml(tmp_path, text, pattern):
    with pytest.raises(InvalidInput, match=pattern):
        scorio.read(saved(tmp_path, text, "log.xml"), rows="q[*]", columns={"question": "id"})


def test_yaml(tmp_path):
    pytest.importorskip("yaml")
    path = saved(tmp_path, "model: m\nresults:\n- {id: 1, ok: true}\n- {id: 2, ok: no}\n", "log.yaml")
    e = scorio.read(path, rows="results[*]", columns={"question": "id", "outcome": "ok"})
    assert tables(e) == {"m": {"1": [0, 1], "2": [1, 0]}}
    for text, pattern in (
        ("a: 1\na: 0\n", "key twice"),
        ("a: [1\n", r"log\.yaml:\d: not YAML"),
        ("!!python/object/apply:os.getcwd []", "not YAML"),
    ):
        with pytest.raises(InvalidInput, match=pattern):
            scorio.read(saved(tmp_path, text, "log.yaml"), rows="{question}")


def test_yaml_without_the_library_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InvalidInput, match="pip install pyyaml"):
        scorio.read(saved(tmp_path, "q: 1", "log.yml"), rows="{question}")


def test_yaml_and_xml_beside_logs_are_skipped(tmp_path):
    saved(tmp_path, "question,correct\nq,1\n", "log.csv")
    saved(tmp_path, "lr: [1\n", "config.yaml")  # not even valid
    saved(tmp_path, "<project/>", "pom.xml")
    saved(tmp_path, JUNIT, "tests.xml")  # read alone, but --columns says that the logs here are tables
    e = scorio.read(tmp_path, columns={"outcome": "correct"})
    assert tables(e) == {"log": {"q": [0, 1]}}
    assert e.provenance.skipped == ("config.yaml", "pom.xml", "tests.xml")
    assert not e.provenance.remarks


TURNS = [{"id": q, "turn": t, "score": int(q != t)} for q in (1, 2) for t in (1, 2)]
JOINED = {"1/1": [1, 0], "1/2": [0, 1], "2/1": [0, 1], "2/2": [1, 0]}


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl", "log.json", "log.parquet", "large.csv"])
def test_ids_of_several_columns(tmp_path, name):
    path, columns = tmp_path / name, {"question": "id + turn", "outcome": "score"}
    frame = pd.DataFrame(TURNS * (20_000 if name == "large.csv" else 1))  # an engine may read large tables
    {
        "csv": lambda: frame.to_csv(path, index=False),
        "json": lambda: frame.to_json(path, orient="records"),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        "parquet": lambda: frame.to_parquet(path),
    }[path.suffix[1:]]()
    times = len(frame) // 4
    counts = tables(scorio.read(path, columns=columns))[path.stem]
    assert counts == {q: [x * times for x in y] for q, y in JOINED.items()}


def test_ids_of_several_columns_of_frames():
    columns = {"question": "id+turn", "outcome": "score"}
    for frame in (pd.DataFrame(TURNS), pl.DataFrame(TURNS), pl.LazyFrame(TURNS)):
        assert tables(scorio.read(frame, columns=columns)) == {"model": JOINED}
    with pytest.raises(InvalidInput, match="no column 'id\\+x' for question"):
        scorio.read(pl.DataFrame(TURNS), columns=columns | {"question": "id+x"})
    with pytest.raises(InvalidInput, match="'score' holds Float64, question needs integers or text"):
        scorio.read(pl.DataFrame(TURNS).cast({"score": pl.Float64}), columns=columns | {"question": "id+score"})


def test_a_column_with_a_plus_in_its_name_is_read(tmp_path):
    path = saved(tmp_path, "a+b,outcome,a,b\nq,1,x,y\n", "log.csv")
    assert tables(scorio.read(path, columns={"question": "a+b"})) == {"log": {"q": [0, 1]}}
    path = saved(tmp_path, "a,outcome\nq,1\n", "log.csv")
    with pytest.raises(InvalidInput, match=r"no row has 'a\+b' for question"):
        scorio.read(path, columns={"question": "a+b"})


@pytest.mark.parametrize(("content", "option"), [
    (ENVELOPE, "--rows 'results[*]' --columns question=case_id,outcome=passed"),
    (NESTED, "--rows '{model}.docs.{question}.fields.{question}' --columns outcome=correct"),
    ({"i-0": True, "i-1": False}, "--rows '{question}'"),
    ({"score": 0.5, "tasks": {"aa": {"score": 1.0}, "bb": {"score": 0.0}}},
     "--rows 'tasks.{question}' --columns outcome=score"),
])  # fmt: skip
def test_the_error_of_an_unknown_document_ends_with_what_reads_it(tmp_path, capsys, content, option):
    path = saved(tmp_path, content)
    assert main(["leaderboard", str(path)]) == 2
    message = capsys.readouterr().err
    assert message.endswith(f"{option}\n")
    assert main(["leaderboard", str(path), *shlex.split(option)]) == 0


def test_a_document_without_outcomes_gets_no_guess(tmp_path, capsys):
    for content in ({"lr": 0.1, "layers": [1, 2]}, {"a": {"b": 1}}, {"names": ["x", "y"]}):
        assert main(["leaderboard", str(saved(tmp_path, content))]) == 2
        assert "--rows" not in capsys.readouterr().err
