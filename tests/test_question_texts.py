"""Questions whose ids are hashes: tables, test reports and reports show their texts."""

from __future__ import annotations

import json

import pytest

import scorio
from scorio.cli import main
from scorio.readers import values

QUESTIONS = ["What is 2 + 2?", "Name a prime\nabove 10.", "Is water wet?"]


def verl(path, solved):
    rows = [{"input": q, "output": "x", "gts": "y", "score": float(i in solved), "acc": int(i in solved), "step": 1}
            for i, q in enumerate(QUESTIONS) for _ in range(8)]  # fmt: skip
    path.write_text("".join(json.dumps(x) + "\n" for x in rows))
    return str(path)


@pytest.fixture
def logs(tmp_path):
    return [verl(tmp_path / "new.jsonl", {0}), verl(tmp_path / "old.jsonl", {0, 1})]


def test_tables_show_texts_and_json_the_hash(logs, capsys):
    assert main(["items", *logs]) == 0
    out = capsys.readouterr().out
    assert all(" ".join(q.split())[:14] in out for q in QUESTIONS)
    assert main(["items", *logs, "--json"]) == 0
    hashes = [x["question"] for x in json.loads(capsys.readouterr().out)["rows"]]
    assert all(len(x) == 16 and not set(x) - set("0123456789abcdef") for x in hashes)
    main(["changes", *logs])
    assert "Name a prime above 10. [" in capsys.readouterr().out
    main(["gate", *logs, "--margin", ".1", "--changes"])
    assert "Name a prime above 10. [" in " ".join(capsys.readouterr().out.split())


def test_test_reports_and_gates_of_each_question_show_texts(logs):
    e = scorio.read(logs)
    assert "Name a prime above 10. [" in e.changes("new", "old").to_junit()
    assert "Name a prime above 10. [" in str(e.select("new").gate_each(0.5))
    assert "Name a prime above 10. [" in e.select("new").gate_each(0.5).to_junit()


@pytest.mark.parametrize(
    ("content", "want"),
    [
        ([{"role": "user", "content": "first"}, {"role": "user", "content": "last"}], "last"),
        ({"id": 3, "question": "Q?"}, "Q?"), ({"n": 3, "other": "o"}, "o"), ([["a", "b"], "c"], "a"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "T"}]}]}, "T"), ([1, None], ""),
        ("x" * 200, "x" * 119 + "…"),
    ],
)  # fmt: skip
def test_the_text_in_the_content_of_a_hash(content, want, monkeypatch):
    monkeypatch.setattr(values, "_text_of", {})
    values.keep("0123456789abcdef", (content,))
    assert values.kept("0123456789abcdef") == want
    name = values.question_name("0123456789abcdef")
    assert name == (f"{values.line_of(want, 60)} [012345]" if want else "0123456789abcdef")
