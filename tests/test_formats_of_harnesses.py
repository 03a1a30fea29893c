"""Logs of lm-evaluation-harness, inspect_ai and lighteval: the meaning of their fields, and errors if it is unclear."""

from __future__ import annotations

import json
import random
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from written import (
    COUNTS,
    DATE,
    HASH,
    R,
    can_read,
    eval_members,
    inspect_log,
    inspect_sample,
    lighteval_file,
    lighteval_row,
    lm_eval_file,
    lm_eval_line,
    refused,
    save,
    tables,
    zipped,
)

from scorio import InvalidInput
from scorio.io import read
from scorio.readers.formats.harnesses import lighteval
from scorio.readers.options import Which
from scorio.readers.text_files import SourceLocation

# --- lm-evaluation-harness ------------------------------------------------------------------------------------


def test_lm_eval_filters_are_chosen_with_which(tmp_path):
    lines = [
        lm_eval_line(i, i, filter=f, metrics=["exact_match", "f1"], f1=1) for f in ("strict", "loose") for i in (0, 1)
    ]
    path = lm_eval_file(tmp_path, lines)
    message = refused(path, "choice", "which", "'exact_match,strict', 'f1,strict', 'exact_match,loose', 'f1,loose'")
    assert ":1:" not in message
    refused(path, "choice", "which", "matches more than one", which="exact_match")
    refused(path, "choice", "which", "matches more than one", which="strict")
    refused(path, "choice", "which", "matches none", which="acc")
    assert tables(read(path, which="exact_match,loose")) == {"model": {"0": [1, 0], "1": [0, 1]}}
    one_filter = lm_eval_file(tmp_path, [x for x in lines if x["filter"] == "loose"])
    assert tables(read(one_filter, which="exact_match")) == {"model": {"0": [1, 0], "1": [0, 1]}}
    one_metric = lm_eval_file(tmp_path, [x | {"metrics": ["f1"]} for x in lines])
    assert tables(read(one_metric, which="loose")) == {"model": {"0": [0, 1], "1": [0, 1]}}


def test_lm_eval_logs_without_a_list_of_metrics_are_read(tmp_path):
    lines = [{k: v for k, v in lm_eval_line(i, i).items() if k not in ("filter", "metrics")} for i in (0, 1)]
    assert tables(read(lm_eval_file(tmp_path, lines))) == {"model": {"0": [1, 0], "1": [0, 1]}}
    path = lm_eval_file(tmp_path, [line | {"f1": 0} for line in lines])
    refused(path, "choice", "which", "'exact_match', 'f1'")
    assert tables(read(path, which="f1")) == {"model": {"0": [1, 0], "1": [1, 0]}}
    path = lm_eval_file(tmp_path, lines + lines)  # two filters that nothing distinguishes
    refused(path, "duplicate", "path", ": already in line 1")


def test_lm_eval_likelihoods_are_one_response(tmp_path):
    pairs = [["-1.5", "False"], ["-0.5", "True"]]
    line = lm_eval_line(0, 1.0, resps=[[pair] for pair in pairs], filtered_resps=pairs)
    assert tables(read(lm_eval_file(tmp_path, [line]))) == {"model": {"0": [0, 1]}}
    line |= {"resps": [[pair] * 4 for pair in pairs]}  # the filter took the first of four repeats
    assert tables(read(lm_eval_file(tmp_path, [line]))) == {"model": {"0": [0, 1]}}


def repeats(i: int, value: Any, K: int, response: str | None = None, **other: Any) -> dict[str, Any]:
    """Line with K responses; the filter keeps all of them, or only `response`."""
    filtered = [["4"] * K] if response is None else [response]
    return lm_eval_line(i, value, resps=[["4"] * K], filtered_resps=filtered, **other)


def test_lm_eval_averages_of_repeats_become_counts(tmp_path):
    path = lm_eval_file(tmp_path, [repeats(0, 0.75, 4), repeats(1, 1, 4), repeats(2, 1 / 3, 3)])
    assert tables(read(path)) == {"model": {"0": [1, 3], "1": [0, 4], "2": [2, 1]}}
    path = lm_eval_file(tmp_path, [repeats(0, 1, 8, "4"), repeats(1, 0, 8, "5")])  # the filter took one of the repeats
    assert tables(read(path)) == {"model": {"0": [0, 1], "1": [1, 0]}}
    path = lm_eval_file(tmp_path, [repeats(0, 0.75, 4), repeats(1, 0.3, 4)])
    refused(path, "format", "path", ":2: exact_match = 0.3 is not an average of 4 outcomes")
    refused(lm_eval_file(tmp_path, [repeats(0, 1.5, 4)]), "format", "path", "not an average of 4")
    path = lm_eval_file(tmp_path, [repeats(0, 1, 8), repeats(1, 0, 8)])  # it may be the best of eight
    refused(path, "format", "path", "it may not be their average")
    by_metric = [repeats(i, 1, 8, metrics=["pass@1"]) | {"pass@1": 1.0} for i in (0, 1)]
    assert tables(read(lm_eval_file(tmp_path, by_metric))) == {"model": {"0": [0, 8], "1": [0, 8]}}
    by_metric = [repeats(i, 1, 8, metrics=["pass@8"]) | {"pass@8": 0.5} for i in (0, 1)]
    refused(lm_eval_file(tmp_path, by_metric), "format", "path", "pass@8 is not an average of 8 outcomes")
    refused(lm_eval_file(tmp_path, [repeats(0, None, 4)]), "missing", "outcome", "exact_match is missing")
    refused(lm_eval_file(tmp_path, [repeats(0, [1, 2], 4)]), "type", "outcome", "[1, 2]")
    for text in ("NaN", "null"):
        raw = json.dumps(lm_eval_line(0, 7)).replace('"exact_match": 7', f'"exact_match": {text}')
        path = save(tmp_path / "m" / f"samples_a_{DATE}.jsonl", [])
        path.write_text(raw + "\n" + json.dumps(lm_eval_line(1, 1)))
        refused(path, "missing", "outcome", ":1: ")
        assert read(path, missing="drop").log("m").missing == 1


def test_lm_eval_folders_are_models_of_several_tasks_and_runs(tmp_path):
    """Check folders of lm-eval: one per model, a file per task and run; the results beside them are ignored."""
    for model in ("a__b", "c"):
        for task in ("gsm8k", "mmlu_flan_n_shot"):
            for run, date in enumerate([DATE, DATE.replace("10-", "11-")]):
                lm_eval_file(tmp_path, [lm_eval_line(i, (i + run) % 2) for i in range(2)], task, model, date)
        save(tmp_path / model / f"results_{DATE}.json", {"results": {"gsm8k": {}}, "versions": {}, "configs": {}})
    (tmp_path / "README.md").write_text("runs")
    (tmp_path / ".cache").mkdir()
    save(tmp_path / ".cache" / "x.json", 3)
    logs = read(tmp_path, trials=True)
    expected = {f"{task}/{i}": [1, 1] for task in ("gsm8k", "mmlu_flan_n_shot") for i in range(2)}
    assert tables(logs) == {"a__b": expected, "c": expected}
    assert logs.log("c").outcomes.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert logs.provenance.skipped == (
        ".cache",
        "README.md",
        f"a__b/results_{DATE}.json",
        f"c/results_{DATE}.json",
    )
    one = read(tmp_path / "c", format="lm-evaluation-harness")
    assert tables(one) == {"c": expected}
    one_file = read(tmp_path / "c" / f"samples_gsm8k_{DATE}.jsonl")
    assert tables(one_file) == {"c": {"0": [1, 0], "1": [0, 1]}}
    assert one_file.provenance.skipped == ()


def test_averages_of_runs_add_up(tmp_path):
    for date in (DATE, DATE.replace("10-", "11-")):
        lm_eval_file(tmp_path, [repeats(0, 0.75, 4), repeats(1, 0.5, 2)], date=date)
    assert tables(read(tmp_path)) == {"model": {"0": [2, 6], "1": [2, 2]}}


def test_a_document_without_the_metric_is_missing(tmp_path):
    lines = [lm_eval_line(i, 1, filter=f) for i, f in enumerate(["strict", "loose", "strict", "loose"])]
    path = lm_eval_file(tmp_path, [*lines, lm_eval_line(0, 0, filter="loose")])
    refused(path, "missing", "outcome", ":2: outcome is missing", which="strict")
    log = read(path, which="strict", missing="drop").log("model")
    ids = [HASH.sub("", q) for q in log.ids]
    assert dict(zip(ids, log.counts.absent.tolist(), strict=True)) == {"0": 0, "2": 0, "1": 1, "3": 1}
    expected = {"0": [1, 0], "1": [0, 1], "2": [1, 0], "3": [0, 1]}
    assert tables(read(path, which="loose", missing=0)) == {"model": expected}
    path = lm_eval_file(tmp_path, [repeats(0, 0.75, 4, filter="a"), repeats(1, 0.75, 4, filter="b")])
    message = refused(path, "missing", "outcome", ":2: document '1#6b86b273' has no", which="a", missing="drop")
    assert "has no exact_match,a, the average outcome of several responses" in message
    assert message.endswith('choose another metric with which="METRIC", or remove the document from the log')


def test_a_document_twice_in_a_run_is_refused(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_line(0, 1), lm_eval_line(0, 1)])
    refused(path, "duplicate", "path", "line 1")


# --- inspect_ai -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1), ("I", 0), ("N", 0), ("P", 0.5), (1, 1), (0.25, 0.25), (True, 1), (False, 0), ("yes", 1), ("No", 0),
     ("true", 1), ("0.75", 0.75), (-1, -1)],
)  # fmt: skip
def test_inspect_values_are_read_as_scores(tmp_path, value, score):
    path = save(tmp_path / "a.json", inspect_log({"q": [value, 0, 1]}))
    log = read(path, w="levels", trials=True)
    scores = log.w or (0, 1)
    assert scores[log.log("model").outcomes[0][0]] == score


@pytest.mark.parametrize("value", ["maybe", "c", "", "null", "nan", "inf", [1], [], "X"])
def test_inspect_values_that_are_not_scores_are_refused(tmp_path, value):
    path = save(tmp_path / "a.json", inspect_log({"q": [1, value, 0]}))
    with pytest.raises(InvalidInput) as e:
        read(path, missing="drop", w="levels")
    assert e.value.code in ("type", "not_finite")
    assert "samples[" in str(e.value)


def test_inspect_samples_that_failed_are_missing(tmp_path):
    log = inspect_log({"q": [1, 0, None], "p": [1, 1, 1]})
    log["samples"].append(inspect_sample("q", 4, float("nan")))
    log["samples"].append(inspect_sample("p", 4, 1))
    path = save(tmp_path / "a.json", log)
    assert "NaN" in path.read_text()
    refused(path, "missing", "outcome", "samples[")
    model_log = read(path, missing="drop", trials=True).log("model")
    outcomes = dict(zip(model_log.ids, model_log.outcomes.tolist(), strict=True))
    assert (outcomes, model_log.missing) == ({"q": [1, 0, -1, -1], "p": [1, 1, 1, 1]}, 2)
    partial = {"id": "r", "epoch": 1, "scores": {"other": {"value": "C"}}}
    path = save(tmp_path / "a.json", inspect_log({"q": [1]}, samples=[inspect_sample("q", 1, 1), partial]))
    assert read(path, missing="drop", which="match").log("model").counts.absent.tolist() == [0, 1]


def test_inspect_logs_with_only_failed_samples_need_a_policy(tmp_path):
    path = save(tmp_path / "a.json", inspect_log({"q": [None, None]}))
    refused(path, "missing", "outcome", "samples[0]")
    assert read(path, missing="drop").log("model").counts.absent.tolist() == [2]
    assert tables(read(path, missing=0, which="match")) == {"model": {"q": [2, 0]}}


@pytest.mark.parametrize("ending", ["json", "eval"])
def test_inspect_trials_that_scorio_skipped_are_not_missing(tmp_path, ending):
    """Check that trials that scorio skipped by early stopping are neither missing nor counted as wrong."""
    R = {"q": [1, 0, 1], "p": [1, 1]}

    def stopped(manager):
        stops = [{"id": "p", "epoch": 3}, {"id": "p", "epoch": 4}, {"id": "q", "epoch": 4}]
        return {"results": {"early_stopping": {"manager": manager, "early_stops": stops, "metadata": {"epochs": 2}}}}

    def saved(**other):
        log = inspect_log(R, **other)
        if ending == "json":
            return save(tmp_path / "a.json", log)
        samples = log.pop("samples")
        return save(tmp_path / "a.eval", zipped({"header.json": log, "summaries.json": samples}))

    refused(saved(), "ragged", "outcome", "fewer trials")
    refused(saved(**stopped("another")), "ragged", "outcome", "fewer trials")
    for path in (saved(**stopped("scorio")), tmp_path):
        for policy in ({}, {"missing": 0}, {"missing": "drop"}):
            e = read(path, **policy)
            assert (tables(e), e.log("model").missing) == ({"model": {"q": [1, 2], "p": [0, 2]}}, 0)
            assert "3 trials were not run" in e.provenance.remarks[0]


def test_inspect_scorers_are_chosen_with_which(tmp_path):
    sample = {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}, "judge": {"value": {"a": "I", "b": None}}}}
    path = save(tmp_path / "a.json", inspect_log({}, samples=[sample]))
    refused(path, "choice", "which", "'match', 'judge/a', 'judge/b'")
    refused(path, "choice", "which", "'match'", which="judge")
    assert tables(read(path, which="match")) == {"model": {"1": [0, 1]}}
    assert tables(read(path, which="judge/a")) == {"model": {"1": [1, 0]}}
    refused(path, "missing", "outcome", "samples[0]", which="judge/b")


def test_inspect_scores_of_one_name_are_refused(tmp_path):
    parts, plain = {"m": {"value": {"x": "C"}}}, {"m/x": {"value": "I"}}
    for all_scores in ([parts | plain], [plain | parts], [parts, plain], [plain, parts]):
        samples = [{"id": i, "epoch": 1, "scores": scores} for i, scores in enumerate(all_scores)]
        path = save(tmp_path / "a.json", inspect_log({}, samples=samples))
        for which in (None, "m/x"):
            refused(path, "conflict", "path", "score 'm/x' may be of scorer", which=which)


@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
def test_inspect_logs_that_are_unfinished_need_a_policy(tmp_path, status):
    path = save(tmp_path / "a.json", inspect_log(R, status=status))
    refused(path, "missing", "path", status)
    assert tables(read(path, missing="drop")) == {"model": COUNTS}
    members = eval_members(R)
    samples = members.pop("summaries.json")
    members.pop("header.json")
    members |= {"_journal/summaries/10.json": samples[3:], "_journal/summaries/2.json": samples[:3]}
    path = save(tmp_path / "b.eval", zipped(members))
    refused(path, "missing", "path", "started")
    log = read(path, missing="drop").log("model")
    assert dict(zip(log.ids, log.counts.table.tolist(), strict=True)) == COUNTS
    assert log.ids == list(dict.fromkeys(s["id"] for s in samples))


@pytest.mark.parametrize(
    ("change", "code", "fragment"),
    [
        ({"samples": None}, "format", "samples is None"), ({"samples": []}, "empty", "no sample"),
        ({"samples": [3]}, "format", "samples[0]"), ({"samples": [{}]}, "format", "there is no id"),
        ({"samples": [inspect_sample("q", "1", 1)]}, "format", "epoch is '1', not an integer"),
        ({"samples": [{"id": "q", "epoch": 1}, inspect_sample("q", 2, None)]}, "format", "the file has no scorers"),
        ({"samples": [inspect_sample("q", 1, 1), inspect_sample("q", 1, 0)]}, "duplicate", "samples[0]"),
        ({"samples": [{"id": "q", "epoch": 1, "scores": {"a": 3}}]}, "format", "3 is not an object with value"),
    ],
)  # fmt: skip
def test_inspect_errors_name_the_location(tmp_path, change, code, fragment):
    refused(save(tmp_path / "a.json", inspect_log(R, **change)), code, "path", fragment, missing="drop")


def test_broken_eval_files_are_refused(tmp_path):
    for drop, fragment in (("summaries.json", "no sample"), ("header.json", "status 'started'")):
        members = {k: v for k, v in eval_members(R).items() if k != drop}
        path = save(tmp_path / "a.eval", zipped(members))
        refused(path, "empty" if drop == "summaries.json" else "missing", "path", fragment)
    members = {k: v for k, v in eval_members(R).items() if k not in ("header.json", "_journal/start.json")}
    refused(save(tmp_path / "a.eval", zipped(members)), "format", "path", "there is no _journal/start.json in it")
    refused(save(tmp_path / "a.eval", b"PK no"), "format", "path", "not a zip file")
    refused(save(tmp_path / "a.eval", zipped(eval_members(R) | {"summaries.json": {}})), "format", "path", "not a list")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.eval")


def zstd_file(members: dict[str, Any], compress: Callable[[bytes], bytes]) -> bytes:
    """A zip file of zstd members, which zipfile does not write before Python 3.14.

    In its headers 63 is version 6.3 of the format, 93 the method zstd, 33 the date 1980-01-01, and 4 the bytes of an
    empty extra field of kind 0xCAFE.
    """
    out, directory = b"", b""
    for name, content in members.items():
        raw, offset, file = json.dumps(content).encode(), len(out), name.encode()
        data = compress(raw)
        head = struct.pack("<HHHHHLLLHH", 63, 0, 93, 0, 33, zlib.crc32(raw), len(data), len(raw), len(file), 4)
        out += b"PK\x03\x04" + head + file + b"\xfe\xca\0\0" + data
        head = head[:-2] + struct.pack("<HHHHLL", 0, 0, 0, 0, 0, offset)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + head + file
    end = struct.pack("<HHHHLLH", 0, 0, len(members), len(members), len(directory), len(out), 0)
    return out + directory + b"PK\x05\x06" + end


@pytest.mark.slow
def test_zstd_members_are_read(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    raw = zstd_file(eval_members(R), zstandard.ZstdCompressor().compress)
    log = read(save(tmp_path / "a.eval", raw)).log("model")
    assert dict(zip(log.ids, log.counts.table.tolist(), strict=True)) == COUNTS
    rng = random.Random(4)
    for _ in range(300):
        bad = bytearray(raw)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        if can_read(save(tmp_path / "b.eval", bytes(bad))):
            assert tables(read(tmp_path / "b.eval")) == tables(read(tmp_path / "a.eval"))
    for end in range(0, len(raw), 37):
        assert not can_read(save(tmp_path / "b.eval", raw[:end]))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zipfile reads zstd itself")
def test_zstd_without_its_package_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = save(tmp_path / "a.eval", zstd_file(eval_members(R), lambda raw: raw))
    refused(path, "format", "path", "pip install zstandard")


# --- lighteval, Parquet ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "responses", "value", "counts"),
    [("extractive_match", 1, 1.0, (1, 1)), ("avg@n:n=16", 16, 0.25, (4, 16)), ("avg@n", 8, 0.25, (2, 8)),
     ("pass@k:k=1&n=16", 16, 0.1875, (3, 16)), ("pass@k:k=1", 4, 0.75, (3, 4)), ("math_pass@1", 4, 0.75, (3, 4)),
     ("avg@k:k=4", 8, 0.5, (2, 4))],
)  # fmt: skip
def test_lighteval_rows_become_counts(tmp_path, metric, responses, value, counts):
    file = tmp_path / "details" / "org" / "model" / DATE / f"details_aime24_{DATE}.parquet"
    (row,) = lighteval([lighteval_row("7", {metric: value}, responses)], SourceLocation(file), Which())
    assert (row.model, row.question, row.task, (row.c, row.n)) == ("org/model", "7", "aime24", counts)


@pytest.mark.parametrize(
    ("metrics", "responses", "code", "fragment"),
    [({"pass@k:k=4&n=16": 0.5}, 16, "format", "not an average"), ({"maj@n:n=4": 1}, 4, "format", "not an average"),
     ({"extractive_match": 1}, 4, "format", "not an average"), ({"avg@n:n=3": 0.5}, 3, "format", "not an average of 3"),
     ({"a": 1, "b": 0}, 1, "choice", "'a', 'b'"), ({"a": None}, 1, "missing", "a is missing"),
     ({}, 1, "format", "no metrics")],
)  # fmt: skip
def test_lighteval_rows_without_one_average_are_refused(metrics, responses, code, fragment):
    with pytest.raises(InvalidInput) as e:
        list(lighteval([lighteval_row("7", metrics, responses)], SourceLocation(Path("a.parquet")), Which()))
    assert e.value.code == code
    assert fragment in str(e.value)
    (row,) = lighteval([lighteval_row("7", {"a": 1, "b": 0})], SourceLocation(Path("m.parquet")), Which(["b"]))
    assert (row.model, row.c, row.n) == ("m", 0, 1)


@pytest.mark.parametrize(
    ("metric", "values", "responses", "counts"),
    [("avg@n:n=4", [0.25, 1.0], 4, [[3, 1], [0, 4]]), ("pass@k:k=1&n=8", [0.125, 0.0], 8, [[7, 1], [8, 0]]),
     ("extractive_match", [1, 0], 1, [[0, 1], [1, 0]]), ("acc", [True, False], 1, [[0, 1], [1, 0]])],
)  # fmt: skip
@pytest.mark.parametrize("name", ["{}", "__{}__"])
def test_lighteval_details_are_read(tmp_path, metric, values, responses, counts, name):
    rows = [lighteval_row(str(i), {metric: x}, responses) for i, x in enumerate(values)]
    rows = [{name.format(k): x for k, x in row.items()} | {"other": [1, 2]} for row in rows]
    path = lighteval_file(tmp_path, rows)
    for location in (path, tmp_path, tmp_path / "details"):
        for options in ({}, {"which": metric}, {"format": "lighteval"}, {"w": "levels"}, {"w": [0, 2]}):
            logs = read(location, **options)
            assert (list(logs), logs.provenance.format, logs.log("model").ids) == (
                ["model"],
                "lighteval",
                ["0", "1"],
            )
            assert logs.log("model").counts.table.tolist() == counts
    for code, options in (
        ("choice", {"which": "x"}),
        ("format", {"format": "table"}),
        ("conflict", {"files_are_runs": True}),
    ):
        with pytest.raises(InvalidInput) as e:
            read(path, **options)
        assert e.value.code == code


def test_lighteval_metrics_are_chosen_with_which(tmp_path):
    rows = [lighteval_row("q", {"a": 1, "avg@n:n=2": 0.5}, 1), lighteval_row("p", {"a": None, "avg@n:n=2": 1.0}, 1)]
    path = lighteval_file(tmp_path, rows)
    refused(path, "choice", "which", "metrics of task 'aime24': there are several ('a', 'avg@n:n=2')")
    assert tables(read(path, which="avg@n:n=2")) == {"model": {"q": [1, 1], "p": [0, 2]}}
    for missing in ("raise", "drop", 0):
        refused(path, "missing", "outcome", "row 2: a is missing", which="a", missing=missing)
    lighteval_file(tmp_path, [lighteval_row("q", {"a": 1})], "2025-07", "aime24")
    lighteval_file(tmp_path, [lighteval_row("q", {"b": 1})], "2025-08", "aime24")
    (tmp_path / "details" / "model" / DATE / f"details_gsm8k_{DATE}.parquet").unlink()
    message = refused(tmp_path, "conflict", "which", "outcomes are 'b' here, but 'a' in")
    assert "2025-07" in message


def test_lighteval_files_of_a_model_are_runs(tmp_path):
    rows = [lighteval_row(q, {"avg@n": x}, 4) for q, x in (("q", 0.5), ("p", 1.0))]
    for date in ("2025-01", "2025-02"):
        lighteval_file(tmp_path, rows, date, "aime24")
    other = [row | {"doc": {"id": "q", "task_name": "math"}} for row in rows[:1]]
    lighteval_file(tmp_path, other, "2025-02", "math")
    save(tmp_path / "results" / "model" / "results_2025.json", {"results": {}, "versions": {}, "config_general": {}})
    logs = read(tmp_path)
    assert tables(logs) == {"model": {"aime24/q": [4, 4], "aime24/p": [0, 8], "math/q": [2, 2]}}
    assert logs.provenance.skipped == ("results/model/results_2025.json",)
    assert tables(read(tmp_path / "details", files_are_runs=True))["details"] == tables(logs)["model"]
    lighteval_file(tmp_path / "again", rows, "2025-01", "aime24")
    refused(tmp_path, "conflict", "path", "'model' may be a different model in")
    twice = lighteval_file(tmp_path / "twice", [*rows, rows[0]])
    refused(twice, "duplicate", "path", "row 3: duplicate trial '1' of question 'q' of 'model': already in")


@pytest.mark.parametrize(
    ("change", "code", "argument", "fragment"),
    [({"doc": None}, "format", "path", "doc is None"), ({"doc": {"id": None}}, "missing", "question", "missing"),
     ({"doc": {"id": 0.5}}, "type", "question", "0.5"), ({"doc": {"task_name": "t"}}, "format", "path", "no id here"),
     ({"metric": None}, "format", "path", "metric is None"), ({"metric": {"a": "x"}}, "type", "outcome", "'x'"),
     ({"metric": {"a": 0.5}}, "format", "path", "a = 0.5 is not an average of 1"),
     ({"metric": {"a": float("inf")}}, "not_finite", "outcome", "inf"),
     ({"metric": {"a": float("nan")}}, "missing", "outcome", "a is missing"),
     ({"model_response": None}, "format", "path", "model_response is None"),
     ({"model_response": {"text": None}}, "format", "path", "text is None"),
     ({"model_response": {"text": ["4", "5"]}}, "format", "path", "not an average over 2 responses")],
)  # fmt: skip
def test_broken_lighteval_rows_are_refused(tmp_path, change, code, argument, fragment):
    valid = [lighteval_row(str(i), {"a": 1.0}) for i in range(2)]
    before = valid if None in change.values() else []  # valid rows would give a changed column another type
    path = lighteval_file(tmp_path, [*before, valid[0] | change])
    message = refused(path, code, argument, fragment, missing="drop")
    assert message.startswith(f"{path}, row {len(before) + 1}: ")
    path = lighteval_file(tmp_path, [{k: x for k, x in row.items() if k != "model_response"} for row in valid])
    assert f"{path}, row 1: there is no model_response here" in refused(path, "format", "path")


def test_parquet_tables_must_be_alone(tmp_path):
    """Check that Parquet tables must be alone, while the Parquet details of lighteval may be beside other logs."""
    pq.write_table(pa.table({"model": ["m"], "question": ["q"], "outcome": [1]}), tmp_path / "a.parquet")
    (tmp_path / "notes.md").write_text("runs")
    assert (list(read(tmp_path)), read(tmp_path).provenance.skipped) == (["m"], ("notes.md",))
    for path in (tmp_path, tmp_path / "a.parquet"):
        refused(path, "conflict", "which", "nothing to choose from", which="a")
        refused(path, "format", "path", "files of format 'lighteval' do not have this ending", format="lighteval")
        refused(path, "conflict", "files_are_runs", "columns state model and trial", files_are_runs=True)
        assert list(read(path, format="table")) == ["m"]
    (tmp_path / "b.csv").write_text("model,question,outcome\nm,q,1\n")
    refused(tmp_path, "conflict", "path", "'b.csv' is in one folder with .parquet tables")
    (tmp_path / "b.csv").unlink()
    details = lighteval_file(tmp_path, [lighteval_row("q", {"a": 1})])
    refused(tmp_path, "format", "path", details.name)
    (tmp_path / "a.parquet").unlink()
    (tmp_path / "b.csv").write_text("question,c,n\nq,1,2\n")
    assert tables(read(tmp_path)) == {"b": {"q": [1, 1]}, "model": {"aime24/q": [0, 1]}}
