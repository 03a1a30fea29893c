"""Tables counted by Arrow: the same results and errors as the row-by-row reader, and Arrow wherever possible."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from scorio import InvalidInput
from scorio.io import read
from scorio.readers import engine, text_files

pytest.importorskip("pyarrow")

HEADER = "model,question,trial,outcome\n"
READ_OPTIONS = (
    {}, {"missing": "drop"}, {"missing": 0}, {"trials": True}, {"w": "levels"}, {"missing_code": 1},
    {"w": [0, 0.5, 1], "missing": "drop"}, {"trials": True, "missing": "drop", "w": "levels"},
    {"task": "a*", "missing": "drop"}, {"scale": (-1, 10), "missing": "drop", "trials": True},
)  # fmt: skip


def result_or_error(path: Path, **options) -> object:
    """Contents of the logs that read() returns, or its error."""
    try:
        logs = read(path, **options)
    except InvalidInput as e:
        return e.code, e.argument, str(e)
    contents: dict = {"read": logs.provenance}
    for task, part in logs.benchmarks.items():
        for model, log in part.logs.items():
            R = None if log.outcomes is None else log.outcomes.tolist()
            counts = log.counts.table.tolist(), log.counts.absent.tolist(), log.lacking.tolist()
            contents[task, model] = log.ids, counts, R, log.clusters, part.w, part.metric
    return list(contents.items())


@pytest.fixture
def compare_readers(monkeypatch):
    """Function that checks that both readers agree and, unless by_arrow is None, whether Arrow read the file."""

    def check(path: Path, by_arrow: bool | None = None, **options) -> object:
        counted_by_arrow = []
        counted = engine.try_count
        with monkeypatch.context() as m:
            m.setattr(engine, "MIN_BYTES", 0)
            m.setattr(engine, "try_count", lambda *a: counted_by_arrow.append(counted(*a)) or counted_by_arrow[-1])
            fast = result_or_error(path, **options)
        assert by_arrow is None or any(counted_by_arrow) is by_arrow, fast
        with monkeypatch.context() as m:
            m.setattr(engine, "MIN_BYTES", 1 << 60)
            assert result_or_error(path, **options) == fast
        return fast

    return check


def random_table(rng: random.Random, form: str, names: list[str], quoted: bool = False) -> str:
    """Text of a random table: rows in any order, ids of many kinds, some outcomes missing."""
    pools = {
        "model": ["a", " b", "gpt-4 o", "é"], "task": ["ab", "c"], "question": ["1", "2", "q x", "10", "-3"],
        "trial": [str(i) for i in range(12)] + ["x"] * rng.choice([0, 1]), "cluster": ["k"],
        "outcome": rng.choice([["0", "1"], ["0", "1", "2"], ["0", "1.0", "true", ""], ["0.25", "1", "3e0", "NaN"]]),
        "c": ["0", "1", "2"], "n": ["2", "3"], "metric": rng.choice([["acc"], ["acc", "f1"]]), "note": ["", "a text"],
        "Question": ["1", "2"],
    }  # fmt: skip
    rows = [[rng.choice(pools[name]) for name in names] for _ in range(rng.randrange(1, 40))]
    if rng.random() < 0.8 and ("trial" in names or "c" in names):  # mostly a table without duplicates
        unique = {tuple(row[names.index(x)] for x in names if x not in ("outcome", "c", "n")): row for row in rows}
        rows = list(unique.values())
    if form == "jsonl":
        as_integers = rng.random() < 0.5
        cells = [[int(x) if as_integers and x.isdecimal() else x for x in row] for row in rows]
        nested = {"note": {"a": [1, {"question": "x"}], "b": None}} if "note" in names and as_integers else {}
        return "".join(json.dumps(dict(zip(names, row, strict=True)) | nested) + "\n" for row in cells)
    separator = "," if form == "csv" else "\t"
    quote = '"' if quoted else ""
    return "".join(separator.join(f"{quote}{x}{quote}" for x in row) + "\n" for row in [names, *rows])


COLUMNS = (
    ["model", "question", "trial", "outcome"], ["question", "outcome"], ["task", "model", "question", "outcome"],
    ["model", "question", "c", "n"], ["question", "cluster", "outcome", "trial"],
    ["trial", "task", "model", "question", "outcome"], ["note", "model", "question", "metric", "outcome"],
    ["Question", "outcome", "note"], ["question", "trial", "outcome", "metric"],
    ["model", "question", "c", "n", "metric"],
)  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("seed", range(40))
def test_both_readers_agree_on_random_tables(tmp_path, compare_readers, form, seed):
    rng = random.Random(seed)
    path = tmp_path / f"t.{form}"
    path.write_text(random_table(rng, form, rng.choice(COLUMNS), quoted=rng.random() < 0.3), newline="")
    for options in rng.sample(READ_OPTIONS, 3):
        compare_readers(path, **options)


NOISE = ('"', ",", "\n", "\r", "\r\n", "\0", " ", "\t", "é", "\ufeff", "\\", "{", "}", "[", "]", ":", "null", "NaN",
         "1e-20", "0.9999999999999999999", "1" * 25, '""', '\\"', "\\u00e9", "true", "-", ",,,", '{"question":"x"}',
         "\x85", "2024-01-01")  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("seed", range(60))
def test_both_readers_agree_on_damaged_tables(tmp_path, compare_readers, form, seed):
    rng = random.Random(1000 + seed)
    text = random_table(rng, form, rng.choice(COLUMNS), quoted=rng.random() < 0.5)
    for _ in range(rng.randrange(1, 4)):
        i = rng.randrange(len(text) + 1)
        text = text[:i] + rng.choice(NOISE) + text[i + rng.randrange(3) :]
    raw = text.encode()
    if rng.random() < 0.1:
        raw = raw.replace(b"q", b"\xff", 1)
    path = tmp_path / f"t.{form}"
    path.write_bytes(raw)
    compare_readers(path, **rng.choice(READ_OPTIONS))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", HEADER + "a,x,0,1\na,x,1,0\n"),
        ("a.csv", "\ufeff" + HEADER + "a,x,0,1\r\na,x,1,0"),
        ("a.csv", HEADER + 'a,"x, ""y""",0,1\n\n"a",z,"0",\n'),
        ("a.csv", "question,c,n\nx,1,2\ny,0,5\n"),
        ("a.csv", HEADER + f"a,{'x' * 140_000},0,1\n"),
        ("a.tsv", HEADER.replace(",", "\t") + "a\t x \t0\t1\n"),
        ("a.jsonl", '{"question": "x", "outcome": 1}\n{"outcome": 0, "question": "y"}'),
        ("a.jsonl", '{"question": "x", "outcome": null}\r\n{"question": "y", "outcome": 0.5}\r\n\r\n'),
        ("a.jsonl", '{"question": 7, "outcome": true, "cluster": "2024-01-01"}\n'),
    ],
)
def test_regular_tables_are_read_by_arrow(tmp_path, compare_readers, name, text):
    path = tmp_path / name
    path.write_bytes(text.encode())
    compare_readers(path, by_arrow=True, missing="drop", w="levels")
    packed = tmp_path / f"{name}.gz"
    import gzip

    packed.write_bytes(gzip.compress(text.encode()))
    compare_readers(packed, by_arrow=True, missing="drop", w="levels")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.csv", HEADER + "a,x,0,1\na,x,0,0\n", "duplicate"),
        ("a.csv", HEADER + "a,x,0,1\na,x,1\n", "ragged"),
        ("a.csv", HEADER + 'a,x,0,1\n"a"b,x,1,1\n', "format"),
        ("a.csv", HEADER + "a,x,0,1\n\ra,x,1,1\n", "format"),
        ("a.csv", HEADER + "a,x,0,2\n", "category"),
        ("a.csv", "question,c,n\nx,3,2\n", "range"),
        ("a.jsonl", '{"question": "x", "outcome": 1}\n{"question": "y"}\n', "missing"),
        ("a.jsonl", '{"question": "x", "outcome": null}\n{"outcome": 1}\n', "ragged"),
        ("a.jsonl", '{"question": "x", "outcome": 1} {"question": "y", "outcome": 1}\n', "format"),
        ("a.jsonl", '{"question": "x", "outcome": 1.00000000000000000001}\n', "fractional"),
        ("a.jsonl", '{"question": "x", "outcome": 1.5, "outcome": 1}\n', "duplicate"),
    ],
)
def test_irregular_tables_are_read_row_by_row(tmp_path, compare_readers, name, text, code):
    path = tmp_path / name
    path.write_bytes(text.encode())
    missing = {"missing": "drop"} if "null" in text else {}
    assert compare_readers(path, by_arrow=False, **missing)[0] == code


def test_tables_of_several_chunks_are_read_by_arrow(tmp_path, compare_readers, monkeypatch):
    monkeypatch.setattr(engine, "CHUNK", 100)
    rng = np.random.default_rng(1)
    rows = [(m, q, t) for m in "ab" for q in range(9) for t in range(4)]
    for form, line in (("csv", "{},{},{},{}\n"), ("jsonl", '{{"model":"{}","question":{},"trial":{},"outcome":{}}}\n')):
        header = HEADER if form == "csv" else ""
        path = tmp_path / f"t.{form}"
        path.write_text(header + "".join(line.format(*row, rng.integers(2)) for row in rows))
        compare_readers(path, by_arrow=True, trials=True)


def test_chunks_of_missing_outcomes_are_read_by_arrow(tmp_path, compare_readers, monkeypatch):
    monkeypatch.setattr(engine, "CHUNK", 100)
    line = '{{"question":"q{}","trial":{},"outcome":{}}}\n'
    outcomes = [(q, t, "null" if q < 9 else t % 2) for q in range(11) for t in range(4)]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(line.format(*x) for x in outcomes))
    assert compare_readers(path, by_arrow=True, missing="drop")
    assert compare_readers(path, by_arrow=False)[0] == "missing"


def test_both_readers_agree_on_folders_of_tables(tmp_path, compare_readers):
    (tmp_path / "f").mkdir()
    for name in "abc":
        (tmp_path / "f" / f"{name}.csv").write_text("question,outcome\nx,1\ny,0\n")
    compare_readers(tmp_path / "f", by_arrow=True, trials=True)
    (tmp_path / "f" / "d.csv").write_text("model,question,trial,outcome\na,x,7,1\na,y,7,0\n")
    assert compare_readers(tmp_path / "f")[0] == "conflict"
    for name in "abc":
        (tmp_path / "f" / f"{name}.csv").write_text(f"model,question,trial,outcome\nm,x,{name},1\nm,y,{name},0\n")
    (tmp_path / "f" / "d.csv").unlink()
    contents = dict(compare_readers(tmp_path / "f", trials=True))
    assert contents["", "m"][0] == ["x", "y"]
    (tmp_path / "f" / "d.csv").write_text("model,question,trial,outcome\nm,x,a,1\nm,y,a,0\n")
    assert compare_readers(tmp_path / "f")[0] == "duplicate"
    compare_readers(tmp_path / "f", files_are_runs=True)


def test_overlong_lines_are_refused(tmp_path, compare_readers, monkeypatch):
    monkeypatch.setattr(text_files, "LONGEST_LINE", 1000)
    for name, text in (("a.csv", HEADER + "a,x,0,1\n"), ("a.jsonl", '{"question": "x", "outcome": 1}\n')):
        path = tmp_path / name
        path.write_text(text + " " * 5000)
        assert compare_readers(path)[0] == "format"
