"""Reading files: the meaning of each format, and errors that name the line."""

from __future__ import annotations

import csv
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from log_tables import HEAD, ROWS, delimited, refused, tables

from scorio import Counts, InvalidInput
from scorio.io import read

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
pytestmark = pytest.mark.usefixtures("reader")


# --- formats of tables ------------------------------------------------------------------------------------


def test_the_log_of_tau_bench_is_read():
    (log,) = read(EXAMPLES / "tau_bench_gpt4o_airline.csv").pooled().logs.values()
    assert log.ids == [str(i) for i in range(50)]
    assert (log.counts.M, set(log.counts.trials.tolist()), int(log.counts.category_counts.sum())) == (50, {4}, 84)


def test_the_log_of_langchain_is_read():
    logs = read(EXAMPLES / "langchain_tool_use.csv")
    assert len(logs) == 9
    assert all(log.counts.trials.tolist() == [1] * 20 for log in logs.pooled().logs.values())
    assert int(logs.log("claude-2.1").counts.category_counts.sum()) == 20


SMALL = {"a": {"x": [1, 1], "y": [0, 2]}, "b": {"x": [3, 0]}}  # b has more trials than a, which is allowed


def json_lines() -> str:
    """The table ROWS as JSON lines."""
    names = ("model", "question", "trial", "outcome")
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", delimited(",")),
        ("a.CSV", delimited(",")),
        ("a.tsv", delimited("\t")),
        ("a.csv", delimited(",", "\r\n")),
        ("a.csv", "\ufeff" + delimited(",")),
        ("a.csv", delimited(",")[:-1]),
        ("a.csv", delimited(",", "\n\n  \n")),
        ("a.csv", ",,,\n" + delimited(",", "\n,,,\n , ,\t,\n\"\",,,\n,,,,,,,\n,\n")),
        ("a.tsv", "\t\n" + delimited("\t", "\n\t\t\t\n")),
        ("a.csv", delimited(" , ")),
        ("a.csv", 'outcome,"question",model,trial\n1,"x",a,0\n0,x,a,1\n0,x,b,0\n1,"y",a,"0"\n0,x,b,1\n'
                  '1,y,a,1\n0,x,b,2\n'),
        ("a.jsonl", json_lines()),
        ("a.ndjson", json_lines().replace("\n", "\r\n\n")),
        ("a.jsonl", "\ufeff" + json_lines()),
        ("a.csv", "model,question,c,n\na,x,1,2\nb,x,0,3\na,y,2.0,2\n"),
        ("a.jsonl", '{"model":"a","question":"x","c":1,"n":2}\n{"n":3,"c":0,"question":"x","model":"b"}\n'
                    '{"model":"a","question":"y","c":2,"n":2.0}'),
    ],
)  # fmt: skip
def test_formats_agree(file, name, content):
    assert tables(read(file(content, name))) == SMALL


def test_a_path_may_be_text(file):
    assert tables(read(os.fspath(file(delimited(","))))) == SMALL


def test_without_model_the_file_is_the_model(file):
    assert tables(read(file("question,outcome\nq,1\n", "gpt-9.csv"))) == {"gpt-9": {"q": [0, 1]}}


def test_without_trial_every_row_is_a_trial(file):
    assert tables(read(file("question,outcome\nq,1\nq,1\np,0\np,0\n"))) == {"runs": {"q": [0, 2], "p": [2, 0]}}


def test_ids_are_text_and_different_texts_are_different_ids(file):
    logs = read(file("question,outcome\n1,1\n01,1\n1.0,1\nnan,0\nnull,0\n"))
    assert logs.log("runs").ids == ["1", "01", "1.0", "nan", "null"]
    assert read(file('{"question":1,"outcome":1}\n{"question":"1","outcome":0}', "a.jsonl")).log("a").ids == ["1"]


def test_ids_with_commas_quotes_and_line_breaks(file):
    path = file('question,outcome\n"say ""a,b""\nand go",1\n"ü → 漢",0\nx,7\n')
    refused(path, "category", "outcome", "5")  # the line of the text, not the index of the row
    logs = read(file('question,outcome\n"say ""a,b""\nand go",1\n"ü → 漢",0\n'))
    assert logs.log("runs").ids == ['say "a,b"\nand go', "ü → 漢"]


@pytest.mark.parametrize("text", ["1", "1.0", "1.", "+1", "1e0", "10e-1", "true", "True", "TRUE", " 1 "])
def test_spellings_of_one_are_successes(file, text):
    assert tables(read(file(f"question,outcome\nq,{text}\n"))) == {"runs": {"q": [0, 1]}}


@pytest.mark.parametrize("text", ["0", "0.0", "-0", "-0.0", "false", "False", "0e9"])
def test_spellings_of_zero_are_failures(file, text):
    assert tables(read(file(f"question,outcome\nq,{text}\n"))) == {"runs": {"q": [1, 0]}}


@pytest.mark.parametrize("text", ["1", "1.0", "true", '"1"', '"true"', "1e0"])
def test_spellings_of_one_in_json_are_successes(file, text):
    assert tables(read(file(f'{{"question":"q","outcome":{text}}}', "a.jsonl"))) == {"a": {"q": [0, 1]}}


def test_categories_need_w(file):
    path = file("question,outcome\nq,2\nq,0\nq,2.0\np,1\np,1\np,0\n")
    assert tables(read(path, w=[0, 0.5, 1])) == {"runs": {"q": [1, 0, 2], "p": [1, 2, 0]}}
    assert "other categories need w" in refused(path, "category", "outcome", "2")


# --- every error names its line ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2", "category"), ("-1", "category"), ("1e400", "category"), ("99999999999999999999", "category"),
        ("0.5", "fractional"), ("0.99999999999999999999", "fractional"), ("1e-400", "fractional"),
        ("inf", "not_finite"), ("-Infinity", "not_finite"),
        ("yes", "type"), ("C", "type"), ("1_0", "type"), ("0x1", "type"), ("١", "type"), ("1 0", "type"),
        ("1e99999999999999999999", "type"), ("snan", "type"), ("nan1", "type"), ("-nan", "type"), ("[1]", "type"),
    ],
)  # fmt: skip
def test_errors_of_outcomes_name_the_line(file, text, code):
    message = refused(file(f"{HEAD}a,q,0,1\na,q,1,0\na,q,2,{text}\na,q,3,5\n"), code, "outcome", "4")
    assert repr(text) in message


@pytest.mark.parametrize(
    ("text", "code"),
    [("2", "category"), ("0.5", "fractional"), ("0.99999999999999999999", "fractional"), ("Infinity", "not_finite"),
     ('"yes"', "type"), ("[1]", "type"), ("[0, [1], 0]", "type"), ('{"value": 1}', "type"), ("-1", "category")],
)  # fmt: skip
def test_errors_of_outcomes_in_json_name_the_line(file, text, code):
    path = file(f'{{"question":1,"outcome":1}}\n\n{{"question":1,"outcome":{text}}}\n', "a.jsonl")
    refused(path, code, "outcome", "3")


def test_long_cells_are_cut_in_messages(file):
    assert len(refused(file("question,outcome\nq," + "x" * 10_000), "type", "outcome", "2")) < 210


@pytest.mark.parametrize("length", [131_073, 3 << 20])
def test_a_long_cell_that_is_not_read_changes_nothing(file, length):
    text = HEAD.rstrip() + ",response\n" + "".join(f"{','.join(map(str, row))},{'x' * length}\n" for row in ROWS)
    limit = csv.field_size_limit()
    assert tables(read(file(text))) == SMALL
    assert csv.field_size_limit() == limit == 131_072  # of the whole process


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_the_error_of_a_duplicate_trial_names_both_lines(file, end):
    step = len(end.replace("\r", ""))  # lines of the file for each row
    text = HEAD.replace("\n", end) + end.join(["a,q,0,1", "a,q,1,1", "b,q,0,1", "a, q ,0,1"])
    message = refused(file(text), "duplicate", "path", str(1 + 4 * step))
    assert message == f"duplicate trial '0' of question 'q' of 'a': already in line {1 + step}"


def test_a_duplicate_trial_in_json_is_refused(file):
    line = '{"question":1,"trial":0,"outcome":1}\n'
    refused(file(line + line.replace(":0", ":1") + line, "a.jsonl"), "duplicate", "path", "3")


def test_duplicate_questions_of_counts_are_refused(file):
    message = refused(file("question,c,n\nq,1,2\np,1,2\nq,0,1\n"), "duplicate", "path", "4")
    assert message == "duplicate question 'q' of 'runs': already in line 2"


@pytest.mark.parametrize(
    ("row", "code", "argument"),
    [
        ("q,3,2", "range", "c"), ("q,-1,2", "range", "c"), ("q,1,-2", "range", "n"),
        ("q,0,9007199254740992", "range", "n"),
        ("q,0.5,2", "fractional", "c"), ("q,,2", "missing", "c"), ("q,1,", "missing", "n"), ("q,x,2", "type", "c"),
        ("q,1,inf", "not_finite", "n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_invalid_counts_are_refused(file, row, code, argument, missing):
    refused(file(f"question,c,n\np,1,1\n{row}\n"), code, argument, "3", missing=missing)


def test_counts_may_have_no_trial(file):
    assert tables(read(file("question,c,n\nq,0,0\np,1,3\n"))) == {"runs": {"q": [0, 0], "p": [2, 1]}}


@pytest.mark.parametrize(
    ("row", "code", "argument"),
    [(",q,0,1", "missing", "model"), ("a, ,0,1", "missing", "question"), ("a,q,,1", "missing", "trial"),
     ("a,q,1", "ragged", "path"), ("a,q,0,1,", "ragged", "path"), ('a,"q,0,1', "format", "path"),
     ('a,"q"x,0,1', "format", "path"), (",,,0", "missing", "model"), (",,0,", "missing", "model"),
     ("a,,,", "missing", "question"), (",,,,0", "ragged", "path")],
)  # fmt: skip
def test_invalid_rows_are_refused(file, row, code, argument):
    refused(file(f"{HEAD}a,q,7,1\n\n{row}\n"), code, argument, "4")


@pytest.mark.parametrize("value", ["1.5", "true", "[1]", "null", '""'])
@pytest.mark.parametrize("name", ["question", "trial", "model"])
def test_invalid_ids_in_json_are_refused(file, name, value):
    line = {"model": "a", "question": "q", "trial": 0, "outcome": 1}
    bad = json.dumps({**line, "trial": 1, name: json.loads(value)})
    code = "missing" if value in ("null", '""') else "type"
    refused(file(f"{json.dumps(line)}\n{bad}\n", "a.jsonl"), code, name, "2")


RECORDS = '{"question":"a","outcome":1}\n{"question":"b","outcome":0}\n'
MAPPED = RECORDS.replace("question", "id").replace("outcome", "ok")
WITHOUT_MODEL = "question,outcome\na,1\nb,0\n"


@pytest.mark.parametrize(("name", "text", "columns", "note"), [
    ("a.csv", WITHOUT_MODEL + "question,outcome\n", None, "line 4, with a repeated header"),
    ("a.csv", WITHOUT_MODEL.replace("\nb", "\n\ufeffquestion,outcome\nb"), None, "line 3, with a repeated header"),
    ("a.csv", WITHOUT_MODEL + "Question,OUTCOME\n", None, "line 4, with a repeated header"),
    ("a.csv", "id,ok\na,1\nid,ok\nid,ok\nb,0\n", {"question": "id", "outcome": "ok"},
     "line 3 and 1 more, with a rep"),
    ("a.jsonl", '{"seed":1,"config":{}}\n' + RECORDS, None, "line 1, with other fields than the records"),
    ("a.jsonl", '{"timeout":30}\n' + RECORDS, None, "line 1, with other fields than the records"),
    ("a.jsonl", RECORDS + '{"accuracy":0.5,"n_errors":0}\n', None, "line 3, with other fields than the records"),
    ("a.jsonl", '{"seed":1}\n' + MAPPED + '{"n":2}', {"question": "id", "outcome": "ok"},
     "line 1 and 1 more, with other fields"),
    ("a.jsonl", RECORDS.replace("}", ',"model":"a"}') + '{"model":"a","acc":0.5}', None, "line 3, with other f"),
])  # fmt: skip
def test_lines_that_are_no_records_are_left_out_with_a_note(file, name, text, columns, note):
    e = read(file(text, name), columns=columns)
    assert tables(e) == {"a": {"a": [0, 1], "b": [1, 0]}}
    (remark,) = [x for x in e.provenance.remarks if "Left out" in x]
    assert note in remark


@pytest.mark.parametrize(("text", "code", "line"), [
    (RECORDS + '{"input":"x","accuracy":1}\n' * 3, "ragged", 3),  # more than a line above and one below
    (RECORDS + '{"id":"x","correct":1}\n', "ragged", 3),  # a record under other names
    (RECORDS + '{"error":"timeout on c"}\n', "ragged", 3),  # an error in place of a record
    (RECORDS.replace("}", ',"model":"a"}') + '{"model":"a","error":"timeout"}\n', "ragged", 3),
    (RECORDS.replace("}", ',"model":"a"}') + '{"model":"a","prompt":"x","outcome":1}\n', "ragged", 3),
    ('{"model":"x"}\n' + RECORDS + '{"model":"y"}\n' + RECORDS, "ragged", 5),  # a model for the records below
    ('{"seed":1}\n' + RECORDS[:29], "format", 1),
])  # fmt: skip
def test_lines_that_may_be_records_are_not_left_out(file, text, code, line):
    refused(file(text, "a.jsonl"), code, "path", line)


def test_a_record_without_the_key_of_outcomes_lacks_its_outcome(file):
    for name, text in (
        ("a.jsonl", RECORDS + '{"question":"c"}\n'),
        ("a.json", f'[{",".join(RECORDS.split())},{{"question":"c"}}]'),
    ):
        path = file(text, name)
        with pytest.raises(InvalidInput, match=r"outcome is missing: missing=.bounds."):
            read(path)
        assert tables(read(path, missing=0)) == {"a": {"a": [0, 1], "b": [1, 0], "c": [1, 0]}}


@pytest.mark.parametrize(
    ("line", "code"),
    [("{", "format"), ("[1, 2]", "format"), ("3", "format"), ("{}", "format"), ('{"question": 1} x', "format"),
     ("[" * 100_000, "format"), ("9" * 5000, "format"), ('{"outcome":1}', "ragged"),
     ('{"question":1,"outcome":1,"time":2}', "ragged"), ('{"question":1,"outcome":1,"outcome":0}', "ragged")],
)  # fmt: skip
def test_invalid_json_lines_are_refused(file, line, code):
    refused(file(f'{{"question":0,"outcome":1}}\n{line}\n', "a.jsonl"), code, "path", "2")


def test_a_duplicate_key_in_the_first_line_is_refused(file):
    refused(file('{"question":0,"outcome":1,"outcome":0}', "a.jsonl"), "duplicate", "path", "1")


@pytest.mark.parametrize(
    ("header", "code", "fragment"),
    [
        ("model,task,outcome", "format", "'model, task, outcome'"),
        ("question,trial", "format", "question and outcome"),
        ("question,c", "format", "question, c and n"),
        ("Question,question,outcome", "duplicate", "'question' and 'Question'"),
        ("question,outcome,modle", "format", "is it model?"),
        ("question,outcome,clusters", "format", "is it cluster?"),
        ("question,outcome,outcome", "duplicate", "outcome, outcome"),
        ("question,outcome,c,n", "conflict", "c and n"),
        ("question,outcome,n", "conflict", "c and n"),
        ("question,trial,c,n", "conflict", "c and n"),
    ],
)
def test_invalid_headers_are_refused(file, header, code, fragment):
    row = ",".join("1" for _ in header.split(","))
    assert fragment in refused(file(f"\n{header}\n{row}\n"), code, "path", "2")


def test_counts_have_two_categories(file):
    refused(file("question,c,n\nq,1,2\n"), "conflict", "w", "2", w=[0, 0.5, 1])
    assert tables(read(file("question,c,n\nq,1,2\n"), w=[-1, 1])) == {"runs": {"q": [1, 1]}}


@pytest.mark.parametrize("path", [None, 3, b"a.csv", [3], ["a.csv", None], object(), {"a.csv"}])
def test_arguments_that_are_not_paths_are_refused(path):
    with pytest.raises(InvalidInput) as e:
        read(path)
    assert (e.value.code, e.value.argument) == ("type", "path")


@pytest.mark.parametrize("path", ["a\0.csv", "\0.jsonl", "a\0b/c.npy", "a\0.npz", Path("a\0.tsv"), "a\0"])
def test_a_path_with_a_nul_is_refused(path):
    with pytest.raises(InvalidInput) as e:
        read(path)
    assert (e.value.code, e.value.argument) == ("format", "path")
    assert "\0" not in str(e.value)


@pytest.mark.skipif(os.name == "nt", reason="Windows allows this name: its file names are UTF-16")
def test_a_path_that_no_file_can_have_is_refused():
    with pytest.raises(InvalidInput) as e:
        read("\ud800.csv")
    assert (e.value.code, e.value.argument) == ("format", "path")


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", HEAD])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
def test_empty_files_are_refused(file, name, content):
    if content == HEAD:
        content = {"a.csv": HEAD, "a.tsv": HEAD.replace(",", "\t"), "a.jsonl": ""}[name]
    with pytest.raises(InvalidInput) as e:
        read(file(content, name))
    assert e.value.code == "empty"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_text_that_is_not_utf8_is_refused(file, name):
    valid = b"question,outcome\nq,1\n" if name == "a.csv" else b'{"question":1,"outcome":1}\n' * 2
    refused(file(valid + b"\xff\xfe,1\n", name), "format", "path", "3")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.json"])
@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_text_in_utf16_is_refused_with_what_converts_it(file, name, encoding, mark):
    text = {"a.csv": "question,outcome\nq,1\n", "a.tsv": "question\toutcome\nq\t1\n"}.get(
        name, '[{"question":1,"outcome":1}]' if name == "a.json" else '{"question":1,"outcome":1}\n'
    )
    content = (mark + text if encoding != "UTF-16" else text).encode(encoding)  # which has a mark of its own
    stated = "UTF-16" if mark else encoding
    with pytest.raises(InvalidInput) as e:
        read(file(content, name))
    assert (e.value.code, e.value.argument) == ("format", "path")
    assert f"{name}: text in {stated}, such as" in e.value.reason
    assert f"iconv -f {stated} -t UTF-8" in e.value.reason
    assert list(read(file(content.decode("UTF-16" if mark else encoding).encode(), name))) == ["a"]


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("Results of May\nquestion,outcome\nq1,1\n", 2), ("# by me\n#\n\nquestion;outcome\nq1;1\n", 4),
        ("Results,,\n,,\nmodel,id,passed\na,q1,1\n", 3), ('\ufeffResults\n"id","outcome"\nq1,1\n', 2),
    ],
)  # fmt: skip
def test_lines_above_the_header_are_refused_with_its_line(file, lines, line):
    path = file(lines, "a.csv")
    for source in (path, path.parent):
        with pytest.raises(InvalidInput) as e:
            read(source)
        assert e.value.code == "format"
        words = f"a.csv:1: the first line has no names of columns, and line {line} does: delete the lines above it"
        assert e.value.reason.endswith(words)


def test_a_table_without_a_header_in_its_first_lines_is_not_said_to_have_one(file):
    with pytest.raises(InvalidInput) as e:
        read(file("Results\nq1,1\n", "a.csv"))
    assert "delete the lines" not in e.value.reason


@pytest.mark.parametrize("name", ["a.txt", "a", "a.gz", "a.jsonc"])
def test_unknown_endings_are_refused(file, name):
    assert ".jsonl" in refused(file(HEAD, name), "format", "path")


def test_a_file_that_does_not_exist_is_an_error(tmp_path):
    for name in ("a.csv", "a.jsonl", "a.npy", "a.txt", "a", "a/b.json", "a.csv.gz"):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / name)


# --- arrays ------------------------------------------------------------------------------------------

TENSOR = np.array([[[0, 1, 1], [1, 1, 1]], [[0, 0, 0], [1, 0, 0]]])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "bool", "float32", "float64"])
def test_arrays_of_any_number_type_are_read(tmp_path, dtype):
    path = tmp_path / "runs.npy"
    np.save(path, TENSOR.astype(dtype))
    expected = {"model-1": {"0": [1, 2], "1": [0, 3]}, "model-2": {"0": [3, 0], "1": [2, 1]}}
    assert tables(read(path)) == expected
    np.save(path, np.asfortranarray(TENSOR.astype(dtype)))
    assert tables(read(path)) == expected
    np.save(path, TENSOR[0].astype(dtype))
    assert tables(read(path)) == {"runs": expected["model-1"]}


def test_named_arrays_are_models(tmp_path):
    path = tmp_path / "runs.npz"
    np.savez_compressed(path, gpt=TENSOR[0], llama=TENSOR[1, :1], both=TENSOR)
    assert list(read(path)) == ["gpt", "llama", "both-1", "both-2"]
    assert tables(read(path))["llama"] == {"0": [3, 0]}
    np.savez(path, model=TENSOR[0])
    assert list(read(path)) == ["model"]


def test_missing_entries_of_arrays_follow_the_policy(tmp_path):
    path, R = tmp_path / "runs.npy", TENSOR.astype(float)
    R[1, 0, 2] = np.nan
    np.save(path, R)
    assert "model 'model-2': R[0, 2]" in refused(path, "missing", "outcome")
    logs = read(path, missing="drop")
    assert tables(logs)["model-2"] == {"0": [2, 0], "1": [2, 1]}
    assert [log.counts.missing for log in logs.pooled().logs.values()] == [0, 1]
    assert tables(read(path, missing=1))["model-2"]["0"] == [2, 1]


@pytest.mark.parametrize(
    ("R", "code", "argument"),
    [
        (TENSOR * 2, "category", "outcome"), (TENSOR - 1, "category", "outcome"), (TENSOR / 2, "fractional", "outcome"),
        (np.where(TENSOR, np.inf, 0.0), "not_finite", "outcome"), (TENSOR.astype(complex), "type", "outcome"),
        (TENSOR.astype(str), "type", "outcome"), (TENSOR[0, 0], "shape", "path"), (TENSOR[None], "shape", "path"),
        (TENSOR[:0], "empty", "path"), (TENSOR[:, :0], "empty", "outcome"), (TENSOR[:, :, :0], "empty", "outcome"),
    ],
)  # fmt: skip
def test_invalid_arrays_are_refused(tmp_path, R, code, argument):
    np.save(tmp_path / "runs.npy", R)
    refused(tmp_path / "runs.npy", code, argument)


def test_arrays_of_categories_are_read_with_w(tmp_path):
    np.save(tmp_path / "a.npy", TENSOR * 2)
    assert tables(read(tmp_path / "a.npy", w=[0, 0.5, 1]))["model-1"] == {"0": [1, 0, 2], "1": [0, 0, 3]}


def test_files_that_are_not_arrays_are_refused(file, tmp_path):
    complete = tmp_path / "complete.npz"
    np.savez_compressed(complete, a=np.zeros((50, 50)))
    for name in ("a.npy", "a.npz"):
        for content in (b"", b"no", b"\x93NUMPY\x01\x00", complete.read_bytes()[:200]):
            refused(file(content, name), "format", "path")
    np.save(tmp_path / "o.npy", np.array([[object()]], dtype=object), allow_pickle=True)
    refused(tmp_path / "o.npy", "format", "path")
    np.savez(tmp_path / "mixed.npz", a=TENSOR)
    with zipfile.ZipFile(tmp_path / "mixed.npz", "a") as z:
        z.writestr("notes.txt", "no array")
    assert "'notes.txt'" in refused(tmp_path / "mixed.npz", "format", "path")
    np.savez(tmp_path / "none.npz")
    refused(tmp_path / "none.npz", "empty", "path")
    np.savez(tmp_path / "twice.npz", **{"a": TENSOR, "a-1": TENSOR[0]})
    refused(tmp_path / "twice.npz", "duplicate", "path")


# --- tables and arrays of the same outcomes -------------------------------------------------------------------------


def test_a_table_and_an_array_agree(file, tmp_path):
    R = np.random.default_rng(3).integers(0, 3, (2, 7, 5))
    np.save(tmp_path / "r.npy", R)
    rows = [f"model-{l + 1},{i},{t},{R[l, i, t]}\n" for l in range(2) for i in range(7) for t in range(5)]
    w = [0, 1, 2]
    from_table, from_array = read(file(HEAD + "".join(rows)), w=w), read(tmp_path / "r.npy", w=w)
    assert tables(from_table) == tables(from_array)
    assert all(isinstance(log.counts, Counts) for log in from_table.pooled().logs.values())


# --- levels, trials, clusters, missing trials ---------------------------------------------------------


def test_levels_are_the_scores_of_the_log(file):
    path = file("question,outcome\nq,0.5\nq,1\np,0\np,0.25\n")
    assert "levels" in refused(path, "fractional", "outcome", "2")
    logs = read(path, w="levels", trials=True)
    assert (logs.w, tables(logs)) == ((0, 0.25, 0.5, 1), {"runs": {"q": [0, 0, 1, 1], "p": [1, 1, 0, 0]}})
    assert logs.log("runs").outcomes.tolist() == [[2, 3], [0, 1]]
    assert read(file("question,outcome\nq,1\nq,0\n"), w="levels").w is None
    assert read(file("question,outcome\nq,-0.0\nq,7\n"), w="levels").w == (0, 7)
    assert read(file("question,outcome\nq,7\nq,7\n"), w="levels").w == (0, 7)
    refused(file("question,outcome\nq,high\n"), "type", "outcome", "2", w="levels")
    refused(file("question,outcome\nq,inf\n"), "not_finite", "outcome", "2", w="levels")
    many = "question,outcome\n" + "".join(f"q,{i}\n" for i in range(5000))
    assert read(file(many), w="levels").w[-1] == 4999
    many = "question,outcome\n" + "".join(f"{i},{i}\n" for i in range(5000))
    assert read(file(many), w="levels").w[-1] == 4999
    assert read(file("question,outcome\nq,0.5\nq,0.75\n"), w="levels").w == (0, 0.5, 0.75, 1)
    assert read(file("question,outcome\nq,0.5\nq,1.25\n"), w="levels").w == (0.5, 1.25)
    assert read(file("question,outcome\nq,-0.5\nq,0.5\n"), w="levels").w == (-0.5, 0.5)
    assert read(file("question,outcome\nq,0.5\n"), w="levels").w == (0, 0.5, 1)
    assert read(file("question,outcome\nq,\n"), w="levels", missing="drop").w is None
    largest = "question,outcome\n" + "".join(f"{i},{i / 1024}\n" for i in range(1024))
    assert len(read(file(largest), w="levels").w) == 1025
    with pytest.raises(InvalidInput) as e:
        read(path, w="scores")
    assert (e.value.code, e.value.argument) == ("choice", "w")


def test_missing_outcomes_counted_as_0_add_the_level_0(file):
    path = file("question,outcome\nq,0.5\nq,\np,0.75\np,0.5\n")
    logs = read(path, w="levels", missing=0, trials=True)
    assert (logs.w, logs.log("runs").missing) == ((0, 0.5, 0.75, 1), 1)
    assert logs.log("runs").outcomes.tolist() == [[1, 0], [2, 1]]
    dropped = read(path, w="levels", missing="drop", trials=True).log("runs")
    assert (dropped.outcomes.tolist(), dropped.missing, dropped.counts.missing) == ([[1, -1], [2, 1]], 1, 1)


def test_trials_are_in_the_order_of_their_numbers(file):
    path = file("question,trial,outcome\nq,10,1\np,9,1\nq,9,0\np,10,0\n")
    assert read(path).log("runs").outcomes is None
    assert read(path, trials=True).log("runs").outcomes.tolist() == [[0, 1], [1, 0]]
    named = file("question,trial,outcome\nq,b,1\np,a,1\nq,a,0\np,b,0\n")
    assert read(named, trials=True).log("runs").outcomes.tolist() == [[1, 0], [0, 1]]
    distinct = file("question,trial,outcome\nq,1,1\nq,2,0\np,3,0\np,4,1\n")  # no two trials have the same id
    assert read(distinct, trials=True).log("runs").outcomes.tolist() == [[1, 0], [0, 1]]
    gaps = file("question,trial,outcome\nq,3,0\nq,1,1\nq,2,1\np,1,0\np,10,1\np,4,0\n")
    assert read(gaps, trials=True).log("runs").outcomes.tolist() == [[1, 1, 0], [0, 0, 1]]
    negative = file("question,trial,outcome\nq,0,0\nq,-10,1\nq,-9,1\np,7,0\np,8,1\np,-7,0\n")
    assert read(negative, trials=True).log("runs").outcomes.tolist() == [[1, 1, 0], [0, 0, 1]]
    words = file("question,trial,outcome\nq,3,0\nq,1,1\nq,x,1\np,7,0\np,8,1\np,1,1\n")  # not all trials are numbers
    assert read(words, trials=True).log("runs").outcomes.tolist() == [[0, 1, 1], [0, 1, 1]]
    long = file(f"question,trial,outcome\nq,{'9' * 5000},0\nq,1,1\n")  # too long to be a number
    assert read(long, trials=True).log("runs").outcomes.tolist() == [[0, 1]]
    assert read(file("question,c,n\nq,1,2\n"), trials=True).log("runs").outcomes is None


@pytest.mark.parametrize(("R", "code"), [([[1.0, np.nan, 0.0]], None), ([[1, 9, 0]], 9), ([[1, -1, 0]], -1)])
def test_missing_entries_of_arrays_are_minus_one(R, code):
    e = read({"a": np.array(R)}, trials=True, missing="drop", missing_code=code)
    assert e.benchmarks[""].logs["a"].outcomes.tolist() == [[1, -1, 0]]


def test_trials_that_questions_lack_are_missing(file):
    path = file("model,question,outcome\na,q,1\na,q,0\na,p,1\nb,q,1\n")
    logs = read(path, missing="drop", trials=True)
    assert [(log.missing, log.outcomes.tolist()) for log in logs.pooled().logs.values()] == [
        (1, [[1, 0], [1, -1]]),
        (0, [[1]]),
    ]
    assert read(path, missing=0, trials=True).log("a").outcomes.tolist() == [[1, 0], [1, 0]]


def test_clusters_are_read_and_must_be_consistent(file):
    log = read(file("question,cluster,outcome\nq,x,1\np,x,0\nr,y,0\n")).log("runs")
    assert (log.ids, log.clusters) == (["q", "p", "r"], ["x", "x", "y"])
    refused(file("question,cluster,outcome\nq,x,1\nq,y,0\n"), "conflict", "cluster", "3")
    refused(file("question,cluster,outcome\nq,,1\n"), "missing", "cluster", "2")
    assert read(file("question,c,n,cluster\nq,1,2,x\n")).log("runs").clusters == ["x"]


def test_shared_questions_are_selected_by_id(file):
    logs = read(file("model,question,outcome\na,q,1\na,p,0\na,r,0\nb,r,1\nb,q,0\nc,s,1\n"), trials=True)
    shared = logs.benchmark().shared(["a", "b"])
    assert {m: log.ids for m, log in shared.logs.items()} == {"a": ["q", "r"], "b": ["q", "r"]}
    assert shared.log("b").outcomes.tolist() == [[0], [1]]
    assert shared.log("b").counts.table.tolist() == [[1, 0], [0, 1]]
    for names, code in ((None, "empty"), (["a", "d"], "choice")):
        with pytest.raises(InvalidInput) as e:
            logs.benchmark().shared(names)
        assert e.value.code == code


def test_trials_are_not_kept_where_the_matrix_would_be_sparse(file):
    rows = [f"q{i},0,1" for i in range(5000)] + [f"q0,{j},0" for j in range(1, 4000)]
    path = file("question,trial,outcome\n" + "\n".join(rows) + "\n")
    log = read(path, missing="drop", trials=True).log("runs")
    assert log.outcomes is None
    assert (log.counts.M, int(log.counts.trials.sum())) == (5000, 8999)


def test_other_documents_beside_logs_are_skipped(tmp_path):
    (tmp_path / "config.json").write_text('{"temperature": 0.7}')
    with pytest.raises(InvalidInput) as e:
        read(tmp_path)
    assert (e.value.code, "config.json is not a log" in str(e.value)) == ("empty", True)
    (tmp_path / "runs.csv").write_text("question,outcome\nq,1\n")
    logs = read(tmp_path)
    assert (list(logs), logs.provenance.skipped) == (["runs"], ("config.json",))
    (tmp_path / "broken.json").write_text('{"temperature": ')
    with pytest.raises(InvalidInput) as e:
        read(tmp_path)
    assert "broken.json" in str(e.value)
