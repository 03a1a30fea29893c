"""Words for outcomes, and numbers as spreadsheets write them, row by row, by an engine and in frames."""

from __future__ import annotations

import pandas as pd
import pytest

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.readers import engine


@pytest.fixture(params=["rows", "engine", "frame"])
def read(request, tmp_path, monkeypatch):
    """A function that reads a column of outcomes of one model in each of three ways."""
    if request.param == "engine":
        monkeypatch.setattr(engine, "MIN_BYTES", 0)

    def read_column(*cells: str, **options):
        frame = pd.DataFrame({"question": [f"q{i}" for i in range(len(cells))], "outcome": [*cells]})
        if request.param == "frame":
            return scorio.read(frame, **options)
        frame.to_csv(tmp_path / "model.csv", index=False)
        return scorio.read(tmp_path / "model.csv", **options)

    return read_column


def scores(e: scorio.Evaluation) -> list[float]:
    """The score of each question's only trial, in the order of questions without those that are left out."""
    part = e.benchmark()
    c = e["model"]
    return [part.scores[row.index(1)] for row in c.table.tolist() if 1 in row]


@pytest.mark.parametrize(
    ("cells", "want"),
    [
        (["passed", "FAILED"], [1, 0]), (["ok", "not ok"], [1, 0]), (["success", "failure"], [1, 0]),
        (["resolved", "unresolved", "solved"], [1, 0, 1]), (["right", "wrong", "correct"], [1, 0, 1]),
        (["✓", "✗", "✔️", "✘"], [1, 0, 1, 0]), (["✅", "❌"], [1, 0]), (["C", "P", "I", "N"], [1, 0.5, 0, 0]),
        (["Y", "N"], [1, 0]), (["yes", "N"], [1, 0]),
        (["True", "false"], [1, 0]),
        (["passed", "error", "skipped", "failed"], [1, 0]), (["error", "passed"], [1]),
        (["1", "-", "N/A", "0"], [1, 0]),
        (["0,5", "1"], [0.5, 1]), (["1", "0,5"], [1, 0.5]), (["1,000", "0,667"], [1, 0.667]),
        (["50%", "25 %"], [0.5, 0.25]), (["12,5 %", "1 %"], [0.125, 0.01]),
    ],
)  # fmt: skip
def test_words_and_numbers_of_spreadsheets_are_read(read, cells, want):
    assert scores(read(*cells, w="levels", missing="drop")) == want


@pytest.mark.parametrize(
    ("cells", "way_on"),
    [
        (["yes", "0.7"], "--outcomes yes=1"), (["yes", "passed"], "--outcomes"), (["error", "1"], "--outcomes error=1"),
        (["1", "good"], "--outcomes good=1"), (["passed", "xfail"], "--outcomes xfail=1"),
        (["0,5", "0.5"], "write all of them alike"),
        (["0.5", "1", "0,5"], "write all of them alike"), (["50%", "1"], "write all of them alike"),
        (["1,234", "7"], "without separators of thousands"), (["1.000,5"], "without separators of thousands"),
    ],
)  # fmt: skip
def test_a_column_of_two_kinds_is_an_error_with_its_way_on(read, cells, way_on):
    with pytest.raises(InvalidInput) as e:
        read(*cells, w="levels", missing="drop")
    assert e.value.code == "type"
    assert way_on in e.value.on_command_line
    assert any(repr(cell) in e.value.reason for cell in cells)


def test_outcomes_say_what_words_and_labels_are_worth(read):
    words = {"Good": 1, "bad": 0, "timeout": None, "partly": 0.5}
    cells = ["good", "bad", "timeout", "partly", " bad "]
    assert scores(read(*cells, outcomes=words, w="levels", missing="drop")) == [1, 0, 0.5, 0]
    assert scores(read("3", "1", outcomes={3: 1, 1: 0})) == [1, 0]
    assert scores(read("passed", "error", outcomes={"error": 0})) == [1, 0]
    assert scores(read("a", "b", "c", outcomes={"a": 2, "b": 1, "c": 0}, w=[0, 0.5, 1])) == [1, 0.5, 0]
    unused = read("good", "bad", outcomes={"good": 1, "bad": 0, "bda": 0}).provenance.remarks
    assert unused == ("Words of outcomes= that no outcome is: bda.",)


def test_a_missing_code_may_be_a_word(read):
    e = read("1", "error", "0", missing_code="Error", missing="drop")
    assert scores(e) == [1, 0]
    assert e.provenance.missing_code == "Error"
    with pytest.raises(InvalidInput, match="outcome 'error' is missing"):
        read("1", "error", missing_code="error")


def test_what_was_read_is_said(read):
    (comma,) = read("0,5", "1", w="levels").provenance.remarks
    assert "'0,5', which was read as 0.5." in comma
    (percent,) = read("50%", "100%", scale=(0, 100)).provenance.remarks
    assert "read as 50." in percent
    assert scores(read("50%", "100%", scale=(0, 100))) == [50, 100]


@pytest.mark.parametrize("outcomes", [3, {"a": "x"}, {"a": float("nan")}, {"a": 1, "A ": 0}, {"a": [1]}])
def test_invalid_outcomes_are_refused(read, outcomes):
    with pytest.raises(InvalidInput) as e:
        read("a", outcomes=outcomes)
    assert e.value.argument == "outcomes"


def test_the_options_of_the_command(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("question,outcome\nq1,good\nq2,bad\nq3,oops\n")
    line = ["leaderboard", str(path), "--missing", "drop", "--csv"]
    assert main([*line, "--outcomes", "good=1,bad=0,oops=missing"]) == 0
    assert ",0.5," in capsys.readouterr().out
    assert main([*line, "--outcomes", "good=1,bad=0", "--missing-code", "oops"]) == 0
    assert ",0.5," in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*line, "--outcomes", "good"])
    assert "is not a list such as good=1,bad=0,timeout=missing" in capsys.readouterr().err


# --- files that a spreadsheet saved --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("question;outcome\nq1;0,5\nq2;1\n", [0.5, 1]),
        ("question;outcome;Frage, Text\nq1;0,5;x\nq2;1,0;a, b, c\n", [0.5, 1]),
        ("question\toutcome\ta, b\nq1\t1\tx\nq2\t0,5\ty\n", [1, 0.5]),
        ("question,text; more,outcome\nq1,x,1\nq2,y,0.5\n", [1, 0.5]),
        ('question;"a;b, c";outcome\nq1;x;0,5\nq2;y;1,0\n', [0.5, 1]),
        ('question,"a;b",outcome\nq1,"x;y\nz",1\nq2,y,0.5\n', [1, 0.5]),
    ],
)
def test_the_delimiter_is_the_one_of_all_lines(tmp_path, text, want):
    path = tmp_path / "model.csv"
    path.write_text(text)
    assert scores(scorio.read(path, w="levels")) == want


def test_labels_that_a_spreadsheet_saved_are_read(tmp_path):
    e = scorio.read({"a": [[i % 2] for i in range(40)]}, trials=True)
    rows = [{"question": str(i), "label": "1" if i % 3 else "0,5"} for i in range(40)]
    path = tmp_path / "labels.csv"
    path.write_text("question;label;Notiz\n" + "".join(f"{x['question']};{x['label']};a, b\n" for x in rows))
    with_points = [x | {"label": x["label"].replace(",", ".")} for x in rows]
    assert e.judge(path, label_scale=(0, 1)).table == e.judge(with_points, label_scale=(0, 1)).table
    assert e.judge(rows, label_scale=(0, 1)).table == e.judge(with_points, label_scale=(0, 1)).table
    with pytest.raises(InvalidInput, match=r"label '0\.5' beside '0,5'"):
        e.judge([*rows[:-1], {"question": "39", "label": "0.5"}], label_scale=(0, 1))


# --- k of n -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("question,successes,trials", "c=successes,n=trials"), ("id,correct,total", "question=id,c=correct,n=total"),
        ("task_id,num_correct,num_samples", "question=task_id,c=num_correct,n=num_samples"),
        ("question,k,n", "c=k"), ("question,solved,n", "c=solved"),
        ("id,passed,attempts", "question=id,c=passed,n=attempts"),
    ],
)  # fmt: skip
def test_columns_of_counts_are_proposed_and_read(tmp_path, header, columns):
    path = tmp_path / "model.csv"
    path.write_text(f"{header}\nq1,3,4\nq2,1,4\n")
    with pytest.raises(InvalidInput) as e:
        scorio.read(path)
    assert e.value.on_command_line.endswith(f"--columns {columns}")
    e = scorio.read(path, columns=dict(x.split("=") for x in columns.split(",")))
    assert e["model"].table.tolist() == [[1, 3], [3, 1]]


def test_cells_such_as_3_of_4_count_successes(read):
    for cells in (("3/4", "1/4"), ("3 of 4", "1 / 4")):
        assert read(*cells)["model"].table.tolist() == [[1, 3], [3, 1]]
    for cells in (("3/4", "1"), ("1", "3/4"), ("5/4", "1/4")):
        with pytest.raises(InvalidInput) as e:
            read(*cells)
        assert e.value.code in ("conflict", "range")
