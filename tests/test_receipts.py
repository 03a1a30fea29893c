"""Receipts: made from logs, verified, and wrong ones detected."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import spec

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.readers import sources

COINS = spec.SPEC / "examples" / "coins.csv"
CASES = json.loads((spec.SPEC / "receipts.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda x: x["id"])
def test_verify_gives_the_answers_of_the_cases(case: dict[str, Any], tmp_path: Path) -> None:
    """Check the answer of verifying each receipt, as an object and as a file."""
    (tmp_path / "r.json").write_text(json.dumps(case["receipt"]))
    for x in (case["receipt"], tmp_path / "r.json"):
        if "error" in case:
            with pytest.raises(InvalidInput) as e:
                scorio.verify(x)
            assert {"code": e.value.code, "argument": e.value.argument} == case["error"]
            continue
        got = scorio.verify(x)
        differences = [d._asdict() for d in got.differences]
        assert repr({"results": got.results, "values": got.values, "differences": differences}) == repr(case["want"])


def test_the_numbers_are_those_of_the_commands():
    """Check that a receipt's intervals are the leaderboard's, and its pairs those of compare."""
    e = scorio.read(COINS)
    r = e.receipt(k=4, questions="sampled")
    board = {row.model: row for row in e.leaderboard(k=4, questions="sampled").table}
    for x in r["results"]:
        if x["function"] == "interval":
            row = board[x["args"]["R"]["data"][1]]
            y = row.at_k["pass@4"] if "k" in x["args"] else row.average
            assert (x["result"]["lo"], x["result"]["mu"], x["result"]["hi"]) == (y.lo, y.mu, y.hi)
    suite, _ = (x["result"] for x in r["results"] if x["function"] == "suite")  # of the average, of Pass@4
    assert {m["model"]: (m["best"], m["worst"]) for m in suite["models"]} == {
        m: (row.best, row.worst) for m, row in board.items()
    }
    one = e.compare("large", "medium", questions="sampled").table[0]
    pair = next(x for x in suite["pairs"] if (x["a"], x["b"]) == ("large", "medium"))
    assert (pair["mu"], pair["p_value"], pair["df"]) == (one.difference, one.p_value, one.df)


def table(columns: str, rows: Iterable[Any]) -> str:
    return "".join(f"{line}\n" for line in (columns, *(",".join(map(str, row)) for row in rows)))


# model, task (or the end of the name of a model), question, trial
CELLS = [(m, k, q, t) for m in "ab" for k in ("x", "yy") for q in range(6) for t in range(4)]
# text of a log, and the options with which it is read
LOGS: dict[str, tuple[str, dict[str, Any]]] = {
    "tasks": (table("model,task,question,outcome", ((m, k, q, (q * 7 + t * 11) % 6 // 3) for m, k, q, t in CELLS)), {}),
    "lacking": (
        table(
            "model,task,question,outcome",
            ((m, k, q, (q * 7 + t * 11) % 6 // 3) for m, k, q, t in CELLS if m + k != "byy" and (m, q) != ("b", 5)),
        ),
        {},
    ),
    "graded": (
        table("model,question,outcome", ((m + k, q, (q + t) % 3 / 2) for m, k, q, t in CELLS)),
        {"w": "levels", "scale": (0, 1)},
    ),
    "clusters": (
        table("model,question,cluster,outcome", ((m + k, q, q // 2, (q * t) % 2) for m, k, q, t in CELLS)),
        {},
    ),
    "one": (table("question,outcome", ((q, q % 2) for q in range(9))), {}),
    "holes": (
        table("model,question,outcome", ((m, q, "" if q == 1 else q % 2) for m in "ab" for q in range(6))),
        {"missing": "drop"},
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_receipt_of_a_log_is_verified(name, tmp_path):
    text, options = LOGS[name]
    path = tmp_path / "log.csv"
    path.write_text(text)
    e = scorio.read(path, **options)
    r = json.loads(json.dumps(e.receipt(), allow_nan=False))
    assert [x["function"] for x in r["results"]].count("interval") >= len(e.models)
    assert scorio.verify(r).differences == []
    schema = json.loads((spec.SPEC / "schema" / "receipts.json").read_text())
    jsonschema.validate(r, {**schema["$defs"]["receipt"], "$defs": schema["$defs"]})
    assert r["files"][0]["bytes"] == path.stat().st_size
    if name == "lacking":
        assert r["left_out"] == []
        assert r["results"][-1]["result"]["left_out"] == ["b"]


def test_results_that_do_not_exist_are_named():
    """Check that results for a k above the trials of a model are left out with the reason, and others included."""
    r = scorio.read({"a": [[1, 0, 1]] * 4, "b": [[1, 0], [1, 1], [0, 1], [0, 0]]}).receipt(k=3, questions="fixed")
    assert [(x["args"]["k"], "k = 3 is above" in x["reason"]) for x in r["left_out"]] == [(3, True)] * 2
    assert scorio.verify(r).differences == []


def test_an_unstated_scale_is_refused(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text("question,outcome\n" + "".join(f"{q},{q}\n" for q in range(9)))
    assert main(["receipt", str(path), "--w", "levels"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("state the lowest and the highest possible score, --scale=0,8")
    assert main(["receipt", str(path), "--scale=0,8"]) == 0


def test_documents_carry_the_receipt(tmp_path, capsys):
    """Check every_eval_ever: a receipt beside the documents, its hash in them; none for scores without a scale."""
    call = ["convert", str(COINS), "--to", "every_eval_ever", "--organization", "us", "-o", str(tmp_path)]
    assert main(call) == 0, capsys.readouterr().err
    digest = sha256((tmp_path / "scorio.receipt.json").read_bytes()).hexdigest()
    document = json.loads((tmp_path / "large.json").read_text())
    assert document["evaluation_results"][0]["score_details"]["details"]["receipt_sha256"] == digest
    assert scorio.verify(tmp_path / "scorio.receipt.json").differences == []
    (tmp_path / "log.csv").write_text("question,outcome\n1,3\n2,5\n")
    assert main([*call[:1], str(tmp_path / "log.csv"), "--w", "levels", *call[2:]]) == 0
    assert "no receipt is written" in capsys.readouterr().err
    assert not (tmp_path / "scorio.receipt.json").exists()


def test_verify_reads_what_receipt_writes(tmp_path, capsys):
    """Check that verify reads what receipt writes, and detects a changed number and another log."""
    r = tmp_path / "r.json"
    assert main(["receipt", str(COINS), "--questions", "fixed", "-o", str(r)]) == 0
    assert "15 results of 4 models, written to" in capsys.readouterr().out
    # verify accepts the options of receipt, and ignores them: nothing is written
    assert main(["verify", str(r), str(COINS), "--questions", "fixed", "-o", str(r)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    about = "The results are about mean, pass@2 and pass@4, on these questions; confidence 95%. The counts"
    assert f"to the last bit. {about}" in out
    assert main(["verify", str(r), str(COINS), "--model", "large"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "NOT those of the log: model 'medium' is only in the receipt" in out
    r.write_text(r.read_text().replace("0.74375,", "0.74376,", 1))
    assert main(["verify", str(r), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["rows"] == [{"place": "results[0].result.mu", "stated": 0.74376, "computed": 0.74375}]


NOT_RECEIPTS = [
    "", "[]", "{", "{}", '{"a": 1, "a": 1}', '{"a": NaN}', '{"a": 1e400}', '{"a": "\\ud800"}',
    "question,outcome\n1,1\n",
    '{"schema": "scorio.receipt/1", "data": {}, "results": []}',
    f'{{"a": 1{"0" * 1000}}}',
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_RECEIPTS)
def test_files_that_are_not_receipts_are_refused(text, tmp_path, capsys):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(InvalidInput) as e:
        scorio.verify(path)
    assert (e.value.code, e.value.argument) == ("format", "receipt")
    assert main(["verify", str(path)]) == 2
    assert "receipt" in capsys.readouterr().err


def test_a_log_is_compared_with_a_receipt(tmp_path, capsys):
    """Check that verify ignores the order of rows and models, and compares outcomes, clusters and scores."""
    rows = [f"{m},{q},{q // 2},{(q * t) % 3 / 2}" for m in "ab" for q in range(6) for t in range(4)]
    log, r = tmp_path / "log.csv", tmp_path / "r.json"

    def verify(rows, *options):
        log.write_text("model,question,cluster,outcome\n" + "".join(f"{row}\n" for row in rows))
        code = main(["verify", str(r), str(log), *(options or ("--scale=0,1",))])
        return code, " ".join(capsys.readouterr().out.split()).partition("confidence 95%; w ")[2].partition(". ")[2]

    log.write_text("model,question,cluster,outcome\n" + "".join(f"{row}\n" for row in rows))
    assert main(["receipt", str(log), "--scale=0,1", "-o", str(r)]) == 0
    capsys.readouterr()
    assert verify(rows) == (0, "The counts are those of the log.")
    code, text = verify(rows[::-1])
    assert (code, text.partition(" Its files")[0]) == (0, "The counts are those of the log.")
    assert text.endswith("are not those that the receipt states: names, sizes or hashes differ.")
    code, text = verify([x.replace("0.5", "0.9") for x in rows])
    assert code == 1
    assert "scores [0.0, 0.5, 1.0] in the receipt, [0.0, 0.9, 1.0]" in text
    assert "scores" in verify(rows, "--scale=0,2")[1]
    code, text = verify([*rows[:-1], "b,5,2,1"])
    assert code == 1
    assert "model 'b': question '5': counts" in text
    assert "clusters" in verify([x.replace("a,3,1,", "a,3,9,").replace("b,3,1,", "b,3,9,") for x in rows])[1]


def test_a_receipt_lists_the_files_of_folders_and_patterns(tmp_path, capsys):
    """Check that a receipt in the folder of the log is not one of its files, and that patterns list their matches."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"model,question,outcome\n{name},1,1\n{name},2,0\n")
    folder, r = str(tmp_path), tmp_path / "r.json"
    for source in (folder, folder, f"{folder}/?.csv"):
        assert main(["receipt", source, "-o", str(r)]) == 0, capsys.readouterr().err
        assert [x["file"] for x in json.loads(r.read_text())["files"]] == ["a.csv", "b.csv"]


def test_ids_that_are_texts_of_questions_are_noted(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text(
        "question,outcome\n" + "".join(f"What is the secret answer of the question number {q}?,1\n" for q in "ab")
    )
    assert main(["receipt", str(path), "-o", str(tmp_path / "r.json")]) == 0
    assert "texts of questions as their ids, such as 'What is" in capsys.readouterr().err


# --- what a saboteur tried ---------------------------------------------------------------------------


def graded(path: Path, task: bool) -> Path:
    """Log of two models with the categories 0..2, of one benchmark or two."""
    rows = [f"{m},{t},q{q},{(q * 7 + i * (1 + (m == 'a'))) % 3}" for m in "ab" for t in ("x", "y") for q in range(6)
            for i in range(4)]  # fmt: skip
    path.write_text("model,task,question,outcome\n" + "\n".join(x for x in rows if task or ",x," in x) + "\n")
    return path


@pytest.mark.parametrize("several", [False, True])
def test_a_suite_on_other_scores_is_not_that_of_the_log(tmp_path, several):
    """Check a receipt that holds only the suite, on reversed scores: it was verified against the log."""
    log = graded(tmp_path / "log.csv", several)
    e = scorio.read(log, w=[1, 0.5, 0])
    receipt = e.receipt(questions="fixed")
    receipt["results"] = [x for x in receipt["results"] if x["function"] == "suite"]
    path = tmp_path / "r.json"
    path.write_text(json.dumps(receipt))
    assert main(["verify", str(path), str(log), "--w", "1,0.5,0"]) == 0
    assert main(["verify", str(path), str(log), "--w", "0,0.5,1"]) == 1


def test_verify_says_the_confidence(tmp_path, capsys):
    """Check that an interval at a confidence of 1e-12 is not verified without a word."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps(scorio.read(spec.SPEC / "examples" / "coins.csv").receipt(confidence=1e-12)))
    assert main(["verify", str(path)]) == 0
    assert "confidence 1e-10%" in capsys.readouterr().out


def test_verify_says_scores_weights_and_tau(tmp_path, capsys):
    """Check the arguments beside metric, questions and confidence: weights 2 and 1 were verified without a word."""
    e = scorio.read(graded(tmp_path / "log.csv", True), w=[0, 0.5, 1])
    receipt, path = e.receipt(questions="fixed"), tmp_path / "r.json"
    suite = next(x for x in receipt["results"] if x["function"] == "suite")
    suite["args"]["weights"] = {"x": 2, "y": 1}
    path.write_text(json.dumps(receipt))
    main(["verify", str(path)])
    out = " ".join(capsys.readouterr().out.split())
    assert 'confidence 95%; w [0.0, 0.5, 1.0]; weights default, {"x": 2, "y": 1}.' in out
    main(["verify", str(path), "--json"])
    answer = json.loads(capsys.readouterr().out)["arguments"]
    assert answer == {"w": [[0.0, 0.5, 1.0]], "weights": [None, {"x": 2, "y": 1}]}
    data = {"": {"m": {"counts": [[1, 3], [2, 2]]}}}
    args = {"R": {"data": ["", "m"]}, "metric": "g-pass@k", "k": 2, "tau": 0.75, "questions": "fixed"}
    x = {"function": "interval", "args": args, "result": {}}
    path.write_text(json.dumps({"schema": "scorio.receipt/1", "data": data, "results": [x]}))
    assert main(["verify", str(path)]) == 1
    assert "confidence 95%; tau 0.75." in " ".join(capsys.readouterr().out.split())


def test_a_score_beyond_64_bits_beside_a_fraction_is_a_number_as_in_julia():
    """Check scores 0.0, 2^64 and 1.0 in a receipt: Julia verified them, Python called them no real numbers."""
    data = {"": {"m": {"counts": [[1, 1, 2], [2, 2, 0]]}}}
    args = {"R": {"data": ["", "m"]}, "w": [0.0, 2**64, 1.0], "questions": "fixed"}
    receipt = {
        "schema": "scorio.receipt/1",
        "data": data,
        "results": [{"function": "interval", "args": args, "result": {}}],
    }
    differences = scorio.verify(receipt).differences
    args["w"] = [0.0, 2.0**64, 1.0]
    assert scorio.verify(receipt).differences == differences


def test_a_receipt_without_a_result_is_not_written(tmp_path, capsys):
    """Check a log without outcomes: a receipt that verify refuses was written."""
    log, out = tmp_path / "log.csv", tmp_path / "r.json"
    log.write_text("model,question,outcome\na,x,\na,y,\n")
    assert main(["receipt", str(log), "--missing", "drop", "-o", str(out)]) == 2
    assert "no result can be computed" in capsys.readouterr().err
    assert not out.exists()


def test_a_log_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    """Check a file that grows, is replaced or gets a neighbour while it is read: numbers were mixed."""
    folder = tmp_path / "runs"
    folder.mkdir()
    file = folder / "a.jsonl"
    line = json.dumps({"model": "a", "question": "q", "outcome": 1}) + "\n"
    evaluation = sources.evaluation

    def grow():
        with file.open("a") as f:
            f.write(line)

    def replace():
        other = tmp_path / "other"
        other.write_text(line * 2)
        other.replace(file)

    changes = {"grows": grow, "is replaced": replace, "has a neighbour": lambda: (folder / "b.jsonl").write_text(line),
               "is removed": file.unlink, "stays": lambda: None}  # fmt: skip
    for name, change in changes.items():
        for source in (folder, file):
            for other in folder.iterdir():
                other.unlink()
            file.write_text(line * 2)

            def changed(*args, change=change):
                result = evaluation(*args)
                change()
                return result

            monkeypatch.setattr(sources, "evaluation", changed)
            if name == "stays" or (name == "has a neighbour" and source == file):
                assert scorio.read(source)["a"].table.tolist() == [[0, 2]]
            else:
                with pytest.raises(InvalidInput, match=r"\.jsonl changed while it was read") as error:
                    scorio.read(source)
                assert (error.value.code, error.value.argument) == ("conflict", "path")
            monkeypatch.setattr(sources, "evaluation", evaluation)


def test_the_hash_of_a_receipt_is_that_of_the_bytes_that_were_read(tmp_path):
    """Check that a log which changed after it was read gives no receipt."""
    log = tmp_path / "log.csv"
    log.write_text((spec.SPEC / "examples" / "coins.csv").read_text())
    e = scorio.read(log)
    e.receipt(questions="fixed")
    log.write_text(log.read_text().replace("large", "LARGE"))
    with pytest.raises(InvalidInput, match="changed since it was read"):
        e.receipt(questions="fixed")


@pytest.mark.parametrize(("metric", "k"), [("auc@k", 10**5), ("pass@k", 6 * 10**5), ("maj@k", 10**6)])
def test_a_result_that_would_take_minutes_is_refused_in_words(metric: str, k: int) -> None:
    args = {"R": {"data": ["", "a"]}, "metric": metric, "k": k, "questions": "fixed"}
    x = {"function": "interval", "args": args, "result": {}}
    data = {"": {"a": {"counts": [[400_000, 600_000], [999_999, 1]]}}}
    with pytest.raises(InvalidInput, match=r"steps, more than the 10\^8 allowed: choose a smaller k"):
        scorio.receipts.computed(x, data)
