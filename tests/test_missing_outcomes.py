"""Missing outcomes in files: the policy, questions that lack trials, and codes for missing outcomes."""

from __future__ import annotations

import json
import random
from functools import partial

import numpy as np
import pytest
from log_tables import HEAD, delimited, refused, tables

from scorio import Counts, InvalidInput, tally
from scorio.cli import main
from scorio.io import read

pytestmark = pytest.mark.usefixtures("reader")


MISSING_WORDS = ["", "null", "None", "NA", "nan", "NaN", "  "]


@pytest.mark.parametrize("text", MISSING_WORDS)
def test_missing_outcomes_follow_the_policy(file, text):
    path = file(f"model,question,trial,outcome\na,q,0,1\na,q,1,{text}\na,p,0,0\na,p,1,0\n")
    assert "drop" in refused(path, "missing", "outcome", "3")
    dropped = read(path, missing="drop")
    assert tables(dropped) == {"a": {"q": [0, 1], "p": [2, 0]}}
    assert (dropped.log("a").counts.missing, dropped.log("a").counts.absent.tolist()) == (1, [1, 0])
    assert tables(read(path, missing=0)) == {"a": {"q": [1, 1], "p": [2, 0]}}
    assert tables(read(path, missing=1)) == {"a": {"q": [0, 2], "p": [2, 0]}}
    assert read(path, missing=1).log("a").counts.missing == 0


@pytest.mark.parametrize("text", ["null", "NaN", '""', '"nan"'])
def test_missing_outcomes_in_json_follow_the_policy(file, text):
    path = file(f'{{"question":1,"outcome":1}}\n{{"question":1,"outcome":{text}}}\n', "a.jsonl")
    refused(path, "missing", "outcome", "2")
    assert tables(read(path, missing="drop")) == {"a": {"1": [0, 1]}}


def test_a_question_with_only_missing_outcomes_stays_as_a_question_without_trials(file):
    log = read(file("question,outcome\nq,\np,1\n"), missing="drop").log("runs")
    assert (log.ids, log.counts.trials.tolist()) == (["q", "p"], [0, 1])


@pytest.mark.parametrize(
    ("missing", "error"), [("skip", "choice"), (2, "category"), (-1, "category"), (True, "type"), (0.0, "type")]
)
def test_invalid_policies_are_refused(file, missing, error):
    with pytest.raises(InvalidInput) as e:
        read(file(delimited(",")), missing=missing)
    assert (e.value.code, e.value.argument) == (error, "missing")


@pytest.mark.parametrize(
    ("w", "error"), [([], "empty"), ([1.0], "length"), ([0, float("nan")], "not_finite"), (["a", "b"], "type")]
)
def test_an_invalid_w_is_refused(file, w, error):
    with pytest.raises(InvalidInput) as e:
        read(file(delimited(",")), w=w)
    assert e.value.code == error


# --- questions of a model with unequal numbers of trials ----------------------------------------------

UNEQUAL = [("a", "x", 0, 1), ("a", "y", 0, 1), ("a", "x", 1, 0), ("b", "x", 0, 0), ("a", "x", 2, 1)]
KEYS = ("model", "question", "trial", "outcome")


def forms(rows: list[tuple]) -> dict[str, str]:
    """Rows as CSV and as JSONL, with the trial (4 columns) and without it (3), by name of file, such as 4.csv."""
    texts = {}
    for keep in ((0, 1, 2, 3), (0, 1, 3)):
        lines = [[KEYS[i] for i in keep], *([row[i] for i in keep] for row in rows)]
        texts[f"{len(keep)}.csv"] = "".join(",".join("" if x is None else str(x) for x in row) + "\n" for row in lines)
        texts[f"{len(keep)}.jsonl"] = "".join(json.dumps({KEYS[i]: row[i] for i in keep}) + "\n" for row in rows)
    return texts


@pytest.mark.parametrize("form", ["4.csv", "3.csv", "4.jsonl", "3.jsonl"])
def test_unequal_trials_follow_the_policy(file, form):
    path = file(forms(UNEQUAL)[form], form)
    message = refused(path, "ragged", "outcome")
    assert message.startswith("question 'y' of 'a' has fewer trials (1) than another (3)")
    assert 'missing="drop"' in message
    dropped = read(path, missing="drop")
    assert tables(dropped) == {"a": {"x": [1, 2], "y": [0, 1]}, "b": {"x": [1, 0]}}
    # counts.missing is the number of empty outcomes; a trial without a row of the log is only in log.missing
    assert [log.counts.missing for log in dropped.pooled().logs.values()] == [0, 0]
    # y has two trials fewer than x of the same model; b, whose questions have one trial, lacks the question y
    assert tables(read(path, missing=0)) == {"a": {"x": [1, 2], "y": [2, 1]}, "b": {"x": [1, 0], "y": [1, 0]}}
    assert tables(read(path, missing=1)) == {"a": {"x": [1, 2], "y": [0, 3]}, "b": {"x": [1, 0], "y": [0, 1]}}
    categories = tables(read(path, missing=2, w=[0, 0.5, 1]))
    assert categories == {"a": {"x": [1, 2, 0], "y": [0, 1, 2]}, "b": {"x": [1, 0, 0], "y": [0, 0, 1]}}


@pytest.mark.parametrize("form", ["4.csv", "3.csv", "4.jsonl", "3.jsonl"])
def test_a_missing_outcome_is_a_trial_of_its_question(file, form):
    path = file(forms([*UNEQUAL, ("a", "y", 1, None), ("a", "y", 2, None), ("a", "x", 3, None)])[form], form)
    refused(path, "missing", "outcome", "6" if "json" in form else "7")
    dropped = read(path, missing="drop")
    assert tables(dropped) == {"a": {"x": [1, 2], "y": [0, 1]}, "b": {"x": [1, 0]}}
    assert [log.counts.absent.tolist() for log in dropped.pooled().logs.values()] == [[1, 2], [0]]
    # x has four trials, one of them missing; y has three, two of them missing, and lacks one
    assert tables(read(path, missing=0)) == {"a": {"x": [2, 2], "y": [3, 1]}, "b": {"x": [1, 0], "y": [1, 0]}}


def test_equal_trials_need_no_policy_where_models_differ(file):
    path = file(forms([*UNEQUAL, ("a", "y", 1, 0), ("a", "y", 2, 0)])["3.csv"])
    assert tables(read(path)) == {"a": {"x": [1, 2], "y": [2, 1]}, "b": {"x": [1, 0]}}


@pytest.mark.parametrize("kind", ["one file", "two files", "arrays"])
def test_questions_that_a_model_lacks_are_missing_outcomes_of_it(file, kind):
    """Check a category and bounds for a model that answered one of three questions, by file and in memory."""
    a, b = "a,x,1\na,x,0\na,y,1\na,y,1\na,z,0\na,z,1\n", "b,y,1\nb,y,0\n"
    head = "model,question,outcome\n"
    if kind == "one file":
        path = file(head + a + b)
        logs = {m: read(path, missing=m) for m in (0, "bounds", "drop")}
    elif kind == "two files":
        paths = file(head + a, "a.csv"), file(head + b, "b.csv")
        logs = {m: read(paths[0], missing=m) + read(paths[1], missing=m) for m in (0, "bounds", "drop")}
    else:
        data = {"a": Counts([[1, 1], [0, 2], [1, 1]], ids=["x", "y", "z"]), "b": Counts([[1, 1]], ids=["y"])}
        logs = {m: read(data, missing=m) for m in (0, "bounds", "drop")}
    assert tables(logs[0])["b"] == {"y": [1, 1], "x": [2, 0], "z": [2, 0]}
    assert logs[0].log("b").missing == logs["bounds"].log("b").missing == 4
    assert ".167 to .833" in str(logs["bounds"].leaderboard())
    assert tables(logs["drop"])["b"] == {"y": [1, 1]}


def test_a_model_that_lacks_questions_is_compared_only_on_request(file, capsys):
    """Check compare, changes and gate of a model with 1 of 3 questions: refused; wrong; left out, and said so.

    Before, a gate passed a candidate that had answered 10 of 100 questions, and no output said so.
    """
    path = file("model,question,outcome\n" + "".join(f"a,{q},1\n" * 4 for q in "xyz") + "b,y,1\n" * 4)
    e = read(path)
    calls = {"compare": e.compare, "changes": e.changes, "gate": partial(e.gate, margin=0.5)}
    for name, call in calls.items():
        with pytest.raises(InvalidInput, match="'b' did not answer 2 questions that 'a' answered, 'x', 'z'") as error:
            call("a", "b")
        assert (error.value.code, error.value.argument) == ("missing", "logs")
        note = "Left out: 2 questions that only a answered."
        x = call("a", "b", shared=True)
        assert x.unshared_questions == {"a": 2}
        forms = [str(x), x.to_markdown(), x.to_latex(), x._repr_html_(), json.dumps(x.to_dict())]
        assert all(note in form for form in forms + ([x.to_junit()] if name != "compare" else []))
        assert x.to_dict()["unshared_questions"] == {"a": 2}
        command = [name, str(path), "a", "b", *(["--margin", ".5"] if name == "gate" else [])]
        assert main(command) == 2
        assert "--missing 0 counts them as wrong, --shared compares the questions" in capsys.readouterr().err
        assert main([*command, "--shared"]) in (0, 3)
        assert note in capsys.readouterr().out
        assert main([*command, "--missing", "0"]) in (0, 1)
        assert "Missing: 8 of 24 outcomes, counted as 0" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(InvalidInput, match="did not answer"):  # to leave out missing outcomes is no such request
        read(path, missing="drop").gate("b", "a", margin=0.5)


def test_outcomes_that_both_models_lack_are_counted(file):
    """Check questions without an outcome of either model: gate and changes left them out without a word."""
    rows = "".join(f"{m},q{i},{'' if i in (2, 5) else i % 2}\n" * 4 for m in "ab" for i in range(9))
    e = read(file("model,question,outcome\n" + rows), missing="drop")
    for x in (e.gate("a", "b", margin=0.9), e.compare("a", "b"), e.changes("a", "b")):
        text = " ".join(str(x).split())
        assert "Missing: 16 of 72 outcomes, left out." in text
        assert "Left out: 4 questions without a trial." in text


@pytest.mark.parametrize("path", ["", ["", "x.csv"], [""]])
def test_an_empty_path_is_no_folder(path):
    """Check that the path in a variable that is not set does not stand for the current folder."""
    with pytest.raises(InvalidInput, match="the path is empty"):
        read(path)


@pytest.mark.parametrize("missing", ["raise", "drop", 0, 1])
def test_counts_state_their_trials(file, missing):
    path = file("model,question,c,n\na,x,2,3\na,y,1,1\na,z,0,0\n")
    assert tables(read(path, missing=missing, missing_code=0)) == {"a": {"x": [1, 2], "y": [0, 1], "z": [0, 0]}}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("missing", ["raise", "drop", 0, 2])
def test_a_file_is_read_as_the_list_of_its_rows(file, seed, missing):
    rng = random.Random(seed)
    values = [0, 1, 2, None, -1][: rng.choice([3, 5])]
    N = rng.choice([0, rng.randint(1, 6)])  # 0: each question has a number of its own
    R = [[rng.choice(values) for _ in range(N or rng.randint(1, 6))] for _ in range(rng.randint(1, 6))]
    rows = [("a", f"q{i}", j, x) for i, row in enumerate(R) for j, x in enumerate(row)]
    options = {"missing": missing, "missing_code": -1}
    bad = "missing" if any({None, -1} & set(row) for row in R) else "ragged" if len(set(map(len, R))) > 1 else ""
    for name, text in forms(rows).items():
        if missing == "raise" and bad:
            line = next((i for i, row in enumerate(rows, 1 + ("csv" in name)) if row[3] in (None, -1)), None)
            refused(file(text, name), bad, "outcome", line, w=[0, 1, 2], **options)
        else:
            counts, expected = read(file(text, name), w=[0, 1, 2], **options).log("a").counts, tally(R, 2, **options)
            assert counts.table.tolist() == expected.table.tolist()
            assert counts.absent.tolist() == expected.absent.tolist()


# --- a code for missing outcomes ---------------------------------------------------------------------


@pytest.mark.parametrize("text", ["-1", "-1.0", " -1 ", "-1e0", '"-1"'])
def test_a_missing_code_marks_missing_outcomes(file, text):
    path = file(f"{HEAD}a,q,0,1\na,q,1,{text}\na,p,0,0\na,p,1,NA\n")
    refused(path, "category", "outcome", "3")
    refused(path, "missing", "outcome", "3", missing_code=-1)
    refused(path, "category", "outcome", "3", missing_code=-2, missing="drop")
    log = read(path, missing="drop", missing_code=-1).log("a")
    assert (log.counts.table.tolist(), log.counts.absent.tolist()) == ([[0, 1], [1, 0]], [1, 1])
    assert tables(read(path, missing=1, missing_code=-1)) == {"a": {"q": [0, 2], "p": [1, 1]}}


@pytest.mark.parametrize("text", ["-1", "-1.0", '"-1"', '"-1.0"'])
def test_a_missing_code_marks_missing_outcomes_in_json(file, text):
    path = file(f'{{"question":1,"outcome":1}}\n{{"question":1,"outcome":{text}}}\n', "a.jsonl")
    refused(path, "category", "outcome", "2")
    refused(path, "missing", "outcome", "2", missing_code=-1)
    assert tables(read(path, missing="drop", missing_code=-1)) == {"a": {"1": [0, 1]}}
    assert tables(read(path, missing=0, missing_code=-1)) == {"a": {"1": [1, 1]}}


@pytest.mark.parametrize("code", [99, 2**62])
def test_a_missing_code_may_be_a_large_number(file, code):
    path = file(f"question,outcome\nq,{code}\nq,1\n")
    assert tables(read(path, missing="drop", missing_code=code)) == {"runs": {"q": [0, 1]}}
    refused(path, "category", "outcome", "2", missing="drop", missing_code=code - 1)


@pytest.mark.parametrize("order", [1, -1])
def test_a_missing_code_may_be_a_category(file, order):
    """Check that a missing code matches every spelling of the number 1, whichever was read first."""
    spellings = ["1", "true", "1.0", '"1"', '"true"', "0"][::order]
    path = file("".join(f'{{"question":"q","outcome":{x}}}\n' for x in spellings), "a.jsonl")
    log = read(path, missing="drop", missing_code=1).log("a")
    assert (log.counts.table.tolist(), log.counts.missing) == ([[1, 0]], 5)
    R = np.array([[1, 0, 1]])
    for dtype in ("bool", "int8", "float64"):
        np.save(path.with_suffix(".npy"), R.astype(dtype))
        log = read(path.with_suffix(".npy"), missing="drop", missing_code=1).log("a")
        assert (log.counts.table.tolist(), log.counts.missing) == ([[1, 0]], 2)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64"])
def test_a_missing_code_marks_missing_outcomes_in_arrays(tmp_path, dtype):
    path = tmp_path / "runs.npy"
    np.save(path, np.array([[1, -1, 0], [1, 1, 1]]).astype(dtype))
    refused(path, "category", "outcome")
    assert "R[0, 1]" in refused(path, "missing", "outcome", missing_code=-1)
    log = read(path, missing="drop", missing_code=-1).log("runs")
    assert (log.counts.table.tolist(), log.counts.absent.tolist()) == ([[1, 1], [0, 3]], [1, 0])
    assert tables(read(path, missing=0, missing_code=-1)) == {"runs": {"0": [2, 1], "1": [0, 3]}}


@pytest.mark.parametrize(("bad", "error"), [(True, "type"), (-1.0, "type"), ("-1", "type"), (2**70, "range")])
@pytest.mark.parametrize("name", ["a.csv", "a.npy"])
def test_invalid_missing_codes_are_refused(tmp_path, name, bad, error):
    with pytest.raises(InvalidInput) as e:
        read(tmp_path / name, missing_code=bad)
    assert (e.value.code, e.value.argument) == (error, "missing_code")
