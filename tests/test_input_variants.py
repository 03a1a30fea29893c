"""Tables, archives and folders as users have them, and errors that end with the option to add."""

from __future__ import annotations

import ast
import bz2
import io
import json
import lzma
import re
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import written as tools

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.io import listed

LONG = "model,question,trial,outcome\na,q,0,1\na,q,1,0\na,p,0,1\na,p,1,1\n"
TABLE = {"a": {"q": [1, 1], "p": [0, 2]}}


def write_file(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(path: object, code: str, command: str, **options: object) -> InvalidInput:
    """Check that reading fails and that the error ends with what to type on the command line; return it."""
    with pytest.raises(InvalidInput) as e:
        scorio.read(path, **options)
    assert e.value.code == code, str(e.value)
    assert e.value.on_command_line.endswith(command), e.value.on_command_line
    return e.value


# --- tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        LONG.replace("model,question,trial,outcome", "Model,QUESTION,Trial,Outcome"),
        LONG.replace(",", ";"),
        LONG.replace(",", "\t"),
        "".join(f"{i - 1 if i else ''},{line}\n" for i, line in enumerate(LONG.splitlines())),
        LONG.replace("\n", ",seconds, it ran\n", 1).replace("0\n", "0,3,x\n").replace("1\n", "1,4,y\n"),
    ],
    ids=["capitals", "semicolons", "tabs", "index", "more columns"],
)
def test_tables_are_read_as_they_come(tmp_path, text):
    e = scorio.read(write_file(tmp_path / "runs.csv", text))
    assert tools.tables(e) == TABLE
    assert e.provenance.remarks == (("Columns that are not read: 'seconds, it ran'.",) if "seconds" in text else ())


def test_further_columns_can_be_used_by_name(tmp_path, capsys):
    text = "model,question,outcome,subject\n" + "".join(
        f"{m},{q},{i % (2 + (m == 'b')) % 2},{'xy'[q % 2]}\n" for m in "ab" for q in range(8) for i in range(4)
    )
    path = str(write_file(tmp_path / "runs.csv", text))
    assert main(["compare", path, "a", "b", "--by", "subject"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n{subgroup}  " in out for subgroup in "xy")
    assert main(["leaderboard", path, "--columns", "cluster=subject"]) == 0


def test_arrays_of_records_are_tables(tmp_path):
    rows = [
        {"model": "a", "question": q, "outcome": x, "note": [1]} for q, x in (("q", 1), ("q", 0), ("p", 1), ("p", 1))
    ]
    path = write_file(tmp_path / "a.json", json.dumps(rows))
    assert tools.tables(scorio.read(path)) == TABLE
    named = write_file(tmp_path / "b.json", json.dumps([{"id": x["question"], "ok": x["outcome"]} for x in rows]))
    assert tools.tables(scorio.read(named, columns={"question": "id", "outcome": "ok"})) == {"b": TABLE["a"]}
    odd = write_file(tmp_path / "c.json", json.dumps([*rows, {"model": "a"}]))
    with pytest.raises(InvalidInput, match=r"c.json, \[4\]: keys 'model' here"):
        scorio.read(odd)


@pytest.mark.parametrize(
    "words", [("C", "I"), ("pass", "fail"), ("correct", "Incorrect"), ("yes", "no"), ("PASSED", "failed")]
)
def test_words_for_outcomes_are_read(tmp_path, words):
    success, failure = words
    text = f"question,outcome\nq,{success}\nq,{failure}\np,{success}\np, {success} \n"
    path = write_file(tmp_path / "a.csv", text)
    assert tools.tables(scorio.read(path)) == TABLE
    assert tools.tables(scorio.read(path, w="levels")) == TABLE
    for other in ("1", "0.5", "true", "P", "A", "maybe"):
        with pytest.raises(InvalidInput) as e:
            scorio.read(write_file(tmp_path / "b.csv", text + f"q,{other}\np,{other}\n"))
        assert e.value.code in ("type", "fractional")
    assert scorio.read(write_file(tmp_path / "b.csv", text + "q,\np,NA\n"), missing="drop")["b"].table.tolist() == [
        [1, 1],
        [0, 2],
    ]
    with pytest.raises(InvalidInput):
        scorio.read(path, w=[0, 0.5, 1])  # categories are numbers


def test_wide_tables_are_read_on_request(tmp_path):
    text = "item,a,b,task\nq,1,0,x\np,1,0,x\nq,0,1,x\np,1,0,x\n"
    want = {"a": {"q": [1, 1], "p": [0, 2]}, "b": {"q": [1, 1], "p": [2, 0]}}
    path = write_file(tmp_path / "w.csv", text)
    assert tools.tables(scorio.read(path, wide=True)) == want
    names, *rows = [x.split(",") for x in text.split()]
    records = [dict(zip(names, x, strict=True)) for x in rows]
    assert tools.tables(scorio.read(write_file(tmp_path / "w.json", json.dumps(records)), wide=True)) == want
    lines = "".join(json.dumps(x) + "\n" for x in records)
    assert tools.tables(scorio.read(write_file(tmp_path / "w.jsonl", lines), wide=True)) == want
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "w.parquet")
    assert tools.tables(scorio.read(tmp_path / "w.parquet", wide=True)) == want
    refused(write_file(tmp_path / "v.csv", "item,a,b\nq,1,0\n"), "format", "--wide")
    with pytest.raises(InvalidInput, match="there is only 'question'"):
        scorio.read(write_file(tmp_path / "v.csv", "question\nq\n"), wide=True)
    assert main(["leaderboard", str(path), "--wide"]) == 0


# --- archives -------------------------------------------------------------------------------------------


def write_archive(path: Path, files: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            for name, data in files.items():
                z.writestr(name, data)
        return path
    mode = {".gz": "w:gz", ".tgz": "w:gz", ".xz": "w:xz", ".bz2": "w:bz2"}.get(path.suffix, "w")
    with tarfile.open(path, mode) as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["r.zip", "r.tar", "r.tar.gz", "r.tgz", "r.tar.xz", "r.tar.bz2"])
def test_archives_are_read_as_folders(tmp_path, name):
    files = {"runs/m1.csv": b"question,outcome\nq,1\n", "runs/m2.csv": b"question,outcome\nq,0\n", "runs/README": b"x"}
    path = write_archive(tmp_path / name, files)
    e = scorio.read(path)
    assert tools.tables(e) == {"m1": {"q": [0, 1]}, "m2": {"q": [1, 0]}}
    assert (e.provenance.files, e.provenance.skipped) == ((str(path),), ("runs/README",))
    assert scorio.read(path, files_are_runs=True).models == ("r",)
    alone = write_archive(tmp_path / f"one-{name}", {"m.csv": b"question,outcome\nq,1\n"})
    assert tools.tables(scorio.read(alone)) == {"m": {"q": [0, 1]}}
    broken = write_archive(tmp_path / f"two-{name}", {"m.csv": b"question,outcome\nq,7\n"})
    with pytest.raises(InvalidInput, match="outcome '7'") as error:
        scorio.read(broken)
    assert str(error.value).startswith(str(broken))
    assert "/scorio-" not in str(error.value)
    data = path.read_bytes()
    # r.tar ends without the two closing blocks at 3072, after three files of 1024 bytes
    for end in (0, 3, 1024, 2048, 3000, 3072) if name == "r.tar" else (0, 3, len(data) // 2, len(data) // 3 * 2):
        with pytest.raises(InvalidInput):
            scorio.read(write_file(tmp_path / name, data[:end]))


def test_hostile_archives_are_refused(tmp_path):
    for name in ("../x.csv", "/x.csv", "a/../../x.csv"):
        with pytest.raises(InvalidInput, match="outside of its folder"):
            scorio.read(write_archive(tmp_path / "r.tar", {name: b"question,outcome\nq,1\n"}))
    with tarfile.open(tmp_path / "r.tar", "w") as tar:
        link = tarfile.TarInfo("x.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(InvalidInput, match="the archive has no file"):
        scorio.read(tmp_path / "r.tar")
    write_file(tmp_path / "f" / "a.csv", LONG)
    write_archive(tmp_path / "f" / "r.zip", {"b.csv": LONG.encode()})
    rows = {x["file"]: x["format"] for x in listed(tmp_path / "f")}
    assert rows == {"a.csv": "table", "r.zip": "an archive: read it by itself"}


@pytest.mark.parametrize("suffix", [".xz", ".bz2"])
def test_compressed_files_are_read(tmp_path, suffix):
    compress = {".xz": lzma.compress, ".bz2": bz2.compress}[suffix]
    data = compress(LONG.encode())
    path = write_file(tmp_path / f"runs.csv{suffix}", data)
    assert tools.tables(scorio.read(path)) == TABLE
    assert tools.tables(scorio.read(io.BytesIO(data))) == TABLE
    for end in range(len(data)):
        assert not tools.can_read(write_file(path, data[:end])), end


# --- folders --------------------------------------------------------------------------------------------


def test_excluded_files_are_not_read(tmp_path, capsys):
    write_file(tmp_path / "a.csv", LONG)
    write_file(tmp_path / "copy" / "deep" / "a.csv", LONG)
    write_file(tmp_path / "b.csv", LONG.replace("a,", "b,"))
    refused(tmp_path, "duplicate", "--exclude copy/deep/a.csv")
    for pattern in ("copy", "copy/*", "copy/deep/a.csv", ["*/deep"]):
        e = scorio.read(tmp_path, exclude=pattern)
        assert e.models == ("a", "b")
        assert e.provenance.remarks == ("Files left out on request (exclude): 1.",)
    assert scorio.read(tmp_path, exclude=["copy", "b.csv"]).models == ("a",)
    rows = {x["file"]: x["format"] for x in listed(tmp_path, exclude="copy")}
    assert rows == {"a.csv": "table", "b.csv": "table", "copy/deep/a.csv": "excluded"}
    with pytest.raises(InvalidInput, match="matches none of the files, did you mean 'copy'"):
        scorio.read(tmp_path, exclude="cpoy")
    assert main(["leaderboard", str(tmp_path), "--exclude", "xyz"]) == 2
    assert capsys.readouterr().err.endswith("matches none of the files: --dry-run lists the files\n")
    with pytest.raises(InvalidInput, match="and this is one file"):
        scorio.read(tmp_path / "a.csv", exclude="x")
    assert main(["leaderboard", str(tmp_path), "--exclude", "copy/*"]) == 0
    assert "left out on request (exclude): 1" in capsys.readouterr().out


# --- errors that end with what to type ------------------------------------------------------------------


def test_errors_end_with_what_to_type(tmp_path):
    line = tools.lm_eval_line(0, 1) | {"metrics": ["acc", "acc_norm"], "acc": 1, "acc_norm": 0, "filter": "none"}
    tools.lm_eval_file(tmp_path / "l", [line])
    refused(tmp_path / "l", "choice", "choose one with --which acc,none")
    assert tools.tables(scorio.read(tmp_path / "l", which="acc,none")) == {"model": {"0": [0, 1]}}
    refused(tmp_path / "l", "choice", "--which gsm8k=acc,none", which="nothing")
    for name in ("x/m.csv", "y/m.csv"):
        write_file(tmp_path / "r" / name, "question,outcome\nq,1\n")
    refused(tmp_path / "r", "conflict", "--files-are-runs; if it is a copy, add --exclude y/m.csv")
    refused(write_file(tmp_path / "s.csv", "question,outcome\nq,7\n"), "category", "--scale=0,10")
    refused(write_file(tmp_path / "s.csv", "question,outcome\nq,-1\n"), "category", "--scale=-1,1")
    refused(write_file(tmp_path / "s.csv", "question,outcome\nq,12\n"), "range", "--scale=0,12", scale=(0, 10))
    refused(write_file(tmp_path / "s.csv", "question,outcome\nq,.5\n"), "fractional", "--w levels")
    refused(write_file(tmp_path / "s.csv", "question,outcome\nq,\n"), "missing", "out, --missing 0 counts it as wrong")
    refused(
        write_file(tmp_path / "s.csv", "question,outcome\nq,1\nq,0\np,1\n"),
        "ragged",
        "out, --missing 0 counts it as wrong",
    )
    guess = "--columns question=doc_id,outcome=is_correct,model=llm"
    refused(write_file(tmp_path / "s.csv", "llm,doc_id,is_correct\na,q,1\n"), "format", guess)
    refused(write_file(tmp_path / "s.csv", "x,y\nq,1\n"), "format", "--columns question=COLUMN,outcome=COLUMN")
    refused(write_file(tmp_path / "s.csv", "question,outcome,Models\nq,1,a\n"), "format", "--columns model=Models")
    with pytest.raises(InvalidInput, match=r"columns=\{'question': 'doc_id', 'outcome': 'passed'\}$"):
        scorio.read(write_file(tmp_path / "s.csv", "doc_id,passed\nq,1\n"))


# --- errors of Python name no option of a command -------------------------------------------------------------


ONE_TRIAL = {"a": [[1], [0], [1]], "b": [[0], [0], [1]]}
LOGS = {
    "counts": lambda: scorio.read(io.BytesIO(b"model,question,c,n\na,p,1,2\na,q,2,2\nb,p,0,2\nb,q,1,2\n")),
    "one model": lambda: scorio.read({"a": [[1, 0], [1, 1]]}),
    "one trial": lambda: scorio.read(ONE_TRIAL),
    "levels": lambda: scorio.read({"a": [[0.5, 7], [3, 1]], "b": [[0.5, 0], [1, 1]]}, w="levels", trials=True),
    "scales": lambda: scorio.read({"x": ONE_TRIAL, "y": {"a": [[9]], "b": [[4]]}}, w="levels"),
    "suite": lambda: scorio.read({"x": ONE_TRIAL, "y": ONE_TRIAL}),
    "bounds": lambda: scorio.read({"a": [[1, None], [1, 1]], "b": [[0, None], [1, 0]]}, missing="bounds"),
    "no shared question": lambda: scorio.read(io.BytesIO(b"model,question,outcome\na,1,1\na,2,0\nb,3,1\nb,4,0\n")),
}  # fmt: skip
ARGUMENTS = [
    {}, {"metric": "flip-rate"}, {"metric": "pass@k"}, {"metric": "pass@9"}, {"metric": "G-Pass@k", "k": 2}, {"k": 9},
    {"questions": "all"}, {"half_width": 0.1}, {"margin": 0.1}, {"margin": 2.0}, {"metric": "flip-rate", "margin": 0.1},
    {"k": (4,)}, {"form": "long"}, {"form": "counts"}, {"form": "every"}, {"at_least": 0.5}, {"kind": "pareto"},
]  # fmt: skip
POSITIONAL = {
    "gate": [("a", "b")], "gate_each": [("a",), ("c",)], "compare": [("a", "b"), ("a", "c"), ()],
    "changes": [("a", "b")], "extrapolate": [(9,), ("a", 9)], "sample_outputs": [(3,)],
    "judge": [({},), (ONE_TRIAL,)], "convert": [("x",), ()],
    "plot": [("pareto",), ("suite",), ("tau_curve",), ("nothing",)], "select": [("c",), (None, "z")],
}  # fmt: skip


@pytest.mark.parametrize("log", LOGS)
def test_errors_of_methods_name_no_option_of_a_command(log):
    e, messages = LOGS[log](), []
    methods = [x for x in vars(scorio.Evaluation) if not x.startswith("_")]
    for name in [*methods, "select"]:
        for given in POSITIONAL.get(name, [()]):
            for more in ARGUMENTS:
                try:
                    getattr(e, name)(*given, **more)
                except (InvalidInput, TypeError) as error:
                    messages.append(f"{name}: {error}")
    with pytest.raises(InvalidInput) as many:
        scorio.read({str(i): [[1], [0]] for i in range(201)}).report()
    messages.append(str(many.value))
    assert len(messages) > 50
    assert [x for x in messages if re.search(r"--[a-z]|\bscorio [a-z]+ [A-Z]", x)] == []


@pytest.mark.slow
def test_only_hints_name_options_in_functions_that_raise():
    """Hints state the advice of an error twice: as arguments of a function, and as options of a command.

    Functions that take the arguments of a command name its options.
    """
    root = Path(scorio.__file__).parent
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] in ("cli", "plugins"):
            continue
        tree = ast.parse(path.read_text())
        functions = [x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef)]
        of_commands = [f for f in functions if {"args", "option", "parser"} & {x.arg for x in f.args.args}]
        excluded = {id(x) for f in of_commands for x in ast.walk(f)}
        excluded |= {id(x) for x in ast.walk(tree) if isinstance(x, ast.Raise) and "ArgumentTypeError" in ast.dump(x)}
        for raised in (x for x in ast.walk(tree) if isinstance(x, ast.Raise) and id(x) not in excluded):
            texts = [x.value for x in ast.walk(raised) if isinstance(x, ast.Constant) and isinstance(x.value, str)]
            assert not [x for x in texts if re.search(r"--[a-z]|\bscorio [a-z]+ [A-Z]", x)], (path.name, raised.lineno)


def test_the_stability_of_a_ranking_needs_trials_in_their_order():
    with pytest.raises(
        InvalidInput, match=r"model 'a' is not known: scorio\.read\(\.\.\., trials=True\) keeps it"
    ) as e:
        LOGS["counts"]().converge()
    assert "\n" not in str(e.value)
    assert "trials=True" not in e.value.on_command_line
