"""The command leaderboard: it prints what scorio.eval returns, fits the terminal, and fails with one line."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import part

import scorio
from scorio import InvalidInput, eval, read
from scorio.cli import main
from scorio.display.text import cut, score_format
from scorio.display.text import width as text_width

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
TAU, TOOLS = str(EXAMPLES / "tau_bench_gpt4o_airline.csv"), str(EXAMPLES / "langchain_tool_use.csv")
HEAD = "model,question,trial,outcome\n"


pytestmark = pytest.mark.usefixtures("plain_terminal")


@pytest.fixture
def run(capsys):
    def call(*args: str | Path) -> tuple[int, str, str]:
        code = main(["leaderboard", *map(str, args)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def file(tmp_path):
    def write(content: str, name: str = "runs.csv") -> Path:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


def board(run, *args: str | Path) -> dict:
    """Parsed JSON of a leaderboard, after a check that the command succeeds."""
    code, out, err = run(*args, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def scorio_process(*args: str, close: str = "", **options) -> subprocess.CompletedProcess:
    """Run the command in a process of its own; close: shell redirections that close streams, such as ">&-"."""
    command = [sys.executable, "-c", "import sys; from scorio.__main__ import main; sys.exit(main())", *args]
    if close:
        command = ["sh", "-c", f'exec "$0" "$@" {close}', *command]
    env = {**os.environ, "PYTHONPATH": str(Path(scorio.__file__).parents[1])}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.run(command, env=env, timeout=120, check=False, **options)


# --- published numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "lo", "hi"), [("fixed", 0.367284, 0.474607), ("sampled", 0.320204, 0.526796)]
)  # fmt: skip
def test_tau_bench_has_the_published_numbers(run, questions, lo, hi):
    result = board(run, TAU, "--questions", questions)
    (row,) = result["rows"]
    assert (result["questions"], result["confidence"], result["version"]) == (questions, 0.95, scorio.__version__)
    assert row["average"] == pytest.approx(0.42, abs=5e-7)
    assert (row["lo"], row["hi"]) == pytest.approx((lo, hi), abs=5e-7)
    assert row["pass@2"] == pytest.approx(0.566667, abs=5e-7)
    ends = {"fixed": (0.492914, 0.637580), "sampled": (0.451557, 0.675005)}
    assert (row["pass@2_lo"], row["pass@2_hi"]) == pytest.approx(ends[questions], abs=5e-7)


def test_langchain_has_the_published_numbers(run):
    rows = board(run, TOOLS)["rows"]
    assert [row["rank"] for row in rows] == list(range(1, 10))
    assert [row["average"] for row in rows] == [1, 0.9, 0.6, 0.5, 0.4, 0.25, 0.1, 0.05, 0]
    assert {(row["variance_source"], row["questions"]) for row in rows} == {("measured", "sampled")}
    assert {row["variance_source"] for row in board(run, TOOLS, "--questions", "fixed")["rows"]} == {"upper bound"}


# --- the numbers are those of scorio.eval, every bit --------------------------------------------------


@pytest.mark.parametrize("path", [TAU, TOOLS])
@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_json_and_csv_equal_the_metrics_bit_for_bit(run, path, questions):
    args = ["--questions", questions, "--confidence", "0.9", "--bayes"]
    rows = board(run, path, *args)["rows"]
    code, out, _ = run(path, *args, "--csv")
    assert code == 0
    lines = list(csv.DictReader(io.StringIO(out)))
    for row, line in zip(rows, lines, strict=True):
        counts = read(path)[row["model"]]
        average, (mu, sigma) = eval.mean_ci(counts, questions=questions, confidence=0.9), eval.bayes(counts)
        want = {"average": average.mu, "sigma": average.sigma, "lo": average.lo, "hi": average.hi}
        want |= {"n_eff": average.n_eff, "bayes_mu": mu, "bayes_sigma": sigma}
        for k in (2,) if counts.min_trials >= 4 else ():
            r = eval.interval(counts, "pass@k", k, questions=questions, confidence=0.9)
            want |= {f"pass@{k}": eval.pass_at_k(counts, k), f"pass@{k}_lo": r.lo, f"pass@{k}_hi": r.hi}
            assert row[f"pass@{k}_variance_source"] == line[f"pass@{k}_variance_source"] == r.variance_source
        for name, x in want.items():
            assert row[name] == x == float(line[name])
        assert (row["variance_source"], row["n_questions"]) == (average.variance_source, counts.M)


def test_categories_count_with_their_scores(run, file):
    path, w = file("model,question,outcome\na,q,2\na,q,0\na,p,1\na,p,1\nb,q,0\nb,q,0\nb,p,2\nb,p,1\n"), [0.0, 0.5, 1.0]
    first, second = board(run, path, "--w", "0,0.5,1", "--bayes", "--k", "1,2")["rows"]
    counts = read(path, w=w)["a"]
    assert (first["model"], second["model"]) == ("a", "b")
    assert (first["average"], first["lo"]) == eval.mean_ci(counts, w, questions="fixed")[::2]
    assert (first["bayes_mu"], first["bayes_sigma"]) == eval.bayes(counts, w)
    assert (first["max@1"], first["max@2"]) == (eval.max_at_k(counts, 1, w), eval.max_at_k(counts, 2, w))
    assert not any("pass" in name for name in first)
    _, out, _ = run(path, "--w", "0,0.5,1", "--k", "2")
    assert "Max@2" in out
    assert "Pass" not in out


def test_columns_are_in_the_order_of_k(run):
    row = board(run, TAU, "--k", "3,2,3")["rows"][0]
    assert [x for x in row if "@" in x and "_" not in x] == ["pass@3", "pass@2"]
    assert "= Pass@1" in run(TAU, "--k", "1,2")[1]
    assert "= Pass@1" not in run(TAU, "--k", "3,2")[1]


def test_the_default_k_have_a_measured_variance(file):
    """Check that Pass@2, 4 and 8 are shown by default where their variance is measured: 2k trials of every question."""

    def ks(*trials: int) -> list[str]:
        body = "".join(f"{'ab'[i % 2]},{i},0,{n}\n" for i, n in enumerate(trials))
        return list(read(file("model,question,c,n\n" + body)).leaderboard().table[0].at_k)

    assert ks(1) == ks(3, 9) == []
    assert ks(4, 4) == ks(0, 4, 4) == ks(7, 7) == ["pass@2"]  # a question without a trial is left out
    assert ks(8, 8) == ["pass@2", "pass@4"]
    assert ks(100, 64) == ["pass@2", "pass@4", "pass@8"]


def test_k_may_be_one_number():
    e = read(TAU)
    assert e.leaderboard(k=2) == e.leaderboard(k=[2]) == e.leaderboard(k=np.int64(2))
    assert list(e.leaderboard(k=(x for x in (3, 1, 3))).table[0].at_k) == ["pass@3", "pass@1"]


@pytest.mark.parametrize(
    ("k", "code"),
    [(True, "type"), (2.0, "type"), ("2", "type"), ([1, True], "type"), ([[1]], "type"), (np.array(2), "type"),
     ([], "empty"), (0, "range"), (-1, "range"), (5, "range"), (10**9, "range")],
)  # fmt: skip
def test_an_invalid_k_is_refused(k, code):
    with pytest.raises(InvalidInput) as e:
        read(TAU).leaderboard(k=k)
    assert (e.value.code, e.value.argument) == (code, "k")


def test_equal_averages_share_a_rank(run, file):
    counts = {"d": (0, 1), "c": (1, 3), "b": (2, 6), "a": (1, 1), "e": (1, 3)}
    path = file("model,question,c,n\n" + "".join(f"{m},q,{c},{n}\n" for m, (c, n) in counts.items()))
    assert [(x["rank"], x["model"]) for x in board(run, path)["rows"]] == [
        (1, "a"), (2, "b"), (2, "c"), (2, "e"), (5, "d"),
    ]  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), missing=st.sampled_from(["drop", 0]))
def test_the_order_of_rows_does_not_matter(tmp_path_factory, seed, missing):
    rng, path, boards = random.Random(seed), tmp_path_factory.mktemp("order") / "runs.csv", []
    questions = [(m, q) for m in range(4) for q in range(rng.randint(1, 5))]
    rows = [f"m{m},q{q},{t},{rng.choice('0011 ')}" for m, q in questions for t in range(3)]
    rows += [f"m{m},always,0,1" for m in range(4)]  # every model has a trial
    for _ in range(2):
        path.write_text(HEAD + "\n".join(rows))
        x = read(path, missing=missing).leaderboard(questions="sampled").to_dict()
        boards.append((x["rows"], x["sentences"], x["notes"]))
        rng.shuffle(rows)
    assert boards[0] == boards[1]


# --- the contents of --json and --csv ------------------------------------------------------------------

FIELDS = ["rank", "model", "n_questions", "trials_min", "trials_max", "missing", "average", "lo", "hi",
          "variance_source", "sigma", "questions", "n_eff", "best", "worst"]  # fmt: skip
AT_K = [f"pass@2{end}" for end in ("", "_lo", "_hi", "_variance_source")]


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_json_and_csv_have_the_same_fields(run, questions):
    args = [TAU, "--questions", questions, "--confidence", "0.9"]
    result = board(run, *args)
    keys = {"schema", "version", "file", "models", "benchmarks", "questions", "confidence", "runs", "w", "missing",
            "missing_code", "each", "incomplete", "scales", "cost_unit", "rows", "sentences", "notes",
            "selection_bias"}  # fmt: skip
    assert set(result) == keys
    assert (result["file"], result["missing"], result["w"]) == (TAU, "raise", None)
    (row,) = result["rows"]
    assert list(row) == [*FIELDS, *AT_K]
    (more,) = board(run, *args, "--bayes")["rows"]
    assert more == row | {"bayes_mu": more["bayes_mu"], "bayes_sigma": more["bayes_sigma"]}
    assert (row["n_questions"], row["questions"], result["confidence"]) == (50, questions, 0.9)
    _, out, _ = run(*args, "--csv")
    (line,) = csv.DictReader(io.StringIO(out), quoting=csv.QUOTE_NONNUMERIC)
    assert line == {name: "" if x is None else x for name, x in row.items()}


def test_json_states_the_options_of_reading(run, file):
    path = file("question,outcome\nq,2\nq,1\n")
    for missing in ("raise", "drop", 0, 2):
        result = board(run, path, "--w=-1,0,1", "--missing", str(missing))
        assert (result["missing"], result["w"]) == (missing, [-1.0, 0.0, 1.0])


def test_csv_quotes_text_and_nothing_else(run, file):
    """Check that text is quoted in CSV, so that readers keep a model called 007 as text."""
    names = ["007", "1e5", 'say "a,b"\nand go', "nan", " x"]
    path = file("".join(json.dumps({"model": m, "question": "q", "outcome": 1}) + "\n" for m in names), "a.jsonl")
    code, out, _ = run(path, "--csv")
    assert code == 0
    assert out.startswith('"rank","model",')
    lines = list(csv.DictReader(io.StringIO(out), quoting=csv.QUOTE_NONNUMERIC))
    assert sorted(line["model"] for line in lines) == sorted(x.strip() for x in names)
    text = {"model", "questions", *(name for name in lines[0] if name.endswith("variance_source"))}
    assert all(type(x) is (str if name in text else float)
               for line in lines for name, x in line.items() if x != "")  # fmt: skip


# --- unequal trials, and a code for missing outcomes --------------------------------------------------


def test_unequal_trials_need_a_policy(run, file):
    path = file("question,outcome\nq,1\nq,0\np,1\n")
    code, out, err = run(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{path}: question 'p' of 'runs' has fewer trials (1) than another (2)" in err
    rows = {m: board(run, path, "--missing", m)["rows"][0] for m in ("drop", "0", "1")}
    # q has 1 success in 2 trials, p has 1 in 1; --missing 0 or 1 adds a failure or a success to p
    assert {m: row["average"] for m, row in rows.items()} == {"drop": 0.75, "0": 0.5, "1": 0.75}
    assert {m: (row["trials_min"], row["trials_max"]) for m, row in rows.items()} == {
        "drop": (1, 2), "0": (2, 2), "1": (2, 2)
    }  # fmt: skip
    assert {row["missing"] for row in rows.values()} == {1}


@pytest.mark.parametrize("code", [["--missing-code=-1"], ["--missing-code", "-1"]])
def test_a_missing_code_marks_missing_outcomes(run, file, tmp_path, code):
    path = file("question,trial,outcome\nq,0,1\nq,1,-1\np,0,0\np,1,1\n")
    np.save(tmp_path / "runs.npy", np.array([[1, -1], [0, 1]]))
    for name in (path, tmp_path / "runs.npy"):
        assert run(name)[0] == run(name, *code)[0] == 2
        dropped = board(run, name, *code, "--missing", "drop")
        (row,) = dropped["rows"]
        assert (row["average"], row["missing"], row["trials_min"], row["trials_max"]) == (0.75, 1, 1, 2)
        assert any("Missing: 1 of 4 outcomes, left out." in x for x in dropped["notes"])
        (row,) = board(run, name, *code, "--missing", "0")["rows"]
        assert (row["average"], row["missing"], row["trials_min"]) == (0.5, 1, 2)


# --- notes -------------------------------------------------------------------------------------------


def test_every_interval_states_its_target(run):
    _, fixed, _ = run(TAU)
    _, sampled, _ = run(TAU, "--questions", "sampled", "--confidence", "0.999")
    assert "95% CI (fixed)" in fixed
    assert "99.9% CI (sampled)" in sampled
    assert "the population of similar questions" in run(TAU, "--questions", "sampled", "--explain")[1]
    assert "the population of similar questions" not in sampled


def test_an_upper_bound_is_marked(run):
    _, out, _ = run(TOOLS, "--questions", "fixed", "--explain")
    assert "1.000 [.839, 1.000]" in out
    assert "95% CI (fixed) *" in out
    assert "* upper bound" in out
    assert "bound" not in run(TAU, "--explain")[1]
    assert "bound" not in run(TOOLS, "--explain")[1]


def test_the_source_of_a_variance_is_marked_where_models_differ(run, file):
    counts = {"a": (1, 2), "b": (2, 4), "c": (1, 1)}
    path = file("model,question,c,n\n" + "".join(f"{m},{q},{c},{n}\n" for m, (c, n) in counts.items() for q in "pqr"))
    rows = {x["model"]: x["variance_source"] for x in board(run, path, "--k", "1")["rows"]}
    assert rows == {"a": "measured", "b": "measured", "c": "upper bound"}
    assert "]*" in run(path, "--k", "1")[1]
    rows = {"a": (1, 2), "b": (2, 4)}
    path = file("model,question,c,n\n" + "".join(f"{m},{q},{c},{n}\n" for m, (c, n) in rows.items() for q in "pqr"))
    _, out, _ = run(path, "--k", "2", "--explain")
    assert [line.rstrip()[-1] for line in out.splitlines() if re.match(r"1 +[ab] ", line)] == ["~", "]"]
    assert "~ " in out


def test_different_questions_are_reported(run, file):
    path = file("model,question,outcome\na,1,1\na,2,0\nb,2,1\nb,3,0\n")
    (note,) = (x for x in board(run, path)["notes"] if "different questions" in x)
    assert "3 in all, 1 answered by every model" in note
    assert not any("different" in x for x in board(run, TOOLS)["notes"])


def test_a_question_without_a_trial_is_not_answered(run, file):
    path = file("model,question,c,n\na,1,1,2\na,2,0,2\nb,1,0,2\nb,2,0,0\n")
    (note,) = (x for x in board(run, path)["notes"] if "different questions" in x)
    assert "2 in all, 1 answered by every model" in note


def test_dropped_outcomes_are_reported(run, file):
    path = file("question,outcome\n1,\n1,\n2,1\n2,\n3,0\n3,0\n")
    code, out, err = run(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    result = board(run, path, "--missing", "drop")
    assert (result["rows"][0]["n_questions"], result["rows"][0]["missing"]) == (2, 3)
    assert any("1 question without a trial" in x for x in result["notes"])
    assert any("Missing: 3 of 6 outcomes, left out" in x for x in result["notes"])
    counted = board(run, path, "--missing", "1")
    assert (counted["rows"][0]["n_questions"], counted["rows"][0]["average"]) == (3, 2 / 3)
    assert any("Missing: 3 of 6 outcomes, counted as 1." in x for x in counted["notes"])


# --- the text ----------------------------------------------------------------------------------------


def test_the_text_of_tau_bench_is_this_table(run):
    code, out, err = run(TAU)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tau_bench_gpt4o_airline.csv: 1 model, 50 questions, 4 trials per question",
        "",
        "                          average            Pass@2",
        "#  model                  95% CI (fixed)     95% CI (fixed)",
        "1  gpt-4o (tool-calling)  .420 [.367, .475]  .567 [.493, .638]",
    ]


def test_a_wide_terminal_shows_one_table(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    _, out, _ = run(TAU)
    assert out.count("gpt-4o (tool-calling)") == 1


STRANGE = ["m" * 200, "漢字" * 40, "[red]x[/red] :smile:", "tab\tbell\x07escape\x1b[31m", "line\u2028\u202ebreak", "a"]


@pytest.mark.parametrize("args", [[], ["--questions", "sampled"], ["--w=-1e9,1e-9"], ["--k", "1,2,3,4,5,6,7"]])
def test_the_text_is_80_wide_and_plain(run, file, args):
    rows = [{"model": m, "question": q, "c": (i + q) % 8, "n": 7} for i, m in enumerate(STRANGE) for q in range(30)]
    lines = [json.dumps({**row, "c": min(row["c"], row["n"])}) + "\n" for row in rows]
    path = file("".join(lines), "a.jsonl")
    code, out, _ = run(path, *args)
    assert code == 0
    assert "\x1b" not in out
    assert not [x for x in out if not x.isprintable() and x != "\n"]
    wide = [line for line in out.splitlines() if len(line) + sum(x in "漢字" for x in line) > 80]
    assert not wide
    assert "[red]x[/red] :smi" in out
    assert "…" in out
    assert {row["model"] for row in board(run, path, *args)["rows"]} == set(STRANGE)


def test_numbers_are_never_cut(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run(TAU)
    assert ".420 [.367, .475]" in out
    assert ".567 [.493, .638]" in out


def test_a_long_name_is_cut_in_the_middle(run, file):
    """Check that names that differ at their ends remain different in the table, in any script."""
    stems = ["organisation/a-model-with-a-long-name-" * 3, "漢字" * 30]
    names = [first + stem + last for stem in stems for first in "甲x" for last in "乙y"]
    path = file("".join(json.dumps({"model": m, "question": "q", "c": 1, "n": 2}) + "\n" for m in names), "a.jsonl")
    _, out, _ = run(path)
    shown = [line.split()[1] for line in out.splitlines() if "…" in line]
    assert len(set(shown)) == len(names)
    for name in names:
        assert sum(name.startswith(a) and name.endswith(b) for a, _, b in (x.partition("…") for x in set(shown))) == 1


CUT = [("abcdefgh", "abcdefgh"), ("abcdefghi", "abcd…ghi"), ("漢字漢字", "漢字漢字"), ("漢字漢字漢", "漢字…漢"),
       ("abc漢字漢字", "abc…字"), ("éàéàéàéàé", "éàéà…éàé"), ("漢abc漢字x", "漢ab…字x")]  # fmt: skip


@pytest.mark.parametrize(("name", "shown"), CUT)
def test_names_are_cut_to_8_columns(name, shown):
    assert cut(name, 8) == shown


@given(name=st.text(st.characters(exclude_categories=["C"])), width=st.integers(8, 30))
def test_a_cut_name_fits_and_keeps_both_ends(name, width):
    shown = cut(name, width)
    assert text_width(shown) <= width
    first, dots, last = shown.partition("…") if shown != name else (name, "", "")
    assert shown == name or (dots and text_width(name) > width)
    assert name.startswith(first)
    assert shown == name or shown[len(first) + 1 :] == name[len(name) - len(last) :]


# the average of tau-bench, lo + 0.42 (hi - lo) on the scale lo,hi, is shown to a thousandth of hi - lo
SCALES = {
    "0,1": ".420", "-1,1": "-.160", "0,50": "21.00", "0,100": "42.0", "0,999": "419.6", "0,1000": "420",
    "0,1e6": "420000", "0,9e6": "3780000", "0,1e9": "4.2e+08", "-1e9,0": "-5.8e+08", "0,1e300": "4.2e+299",
    "0,1e-2": ".00420", "0,1e-6": "4.2e-07", "1000,1001": "1000.420", "1e6,1000050": "1000021.00",
    "1,1.00001": "1.0000042", "5,5": "5.000", "0,0": ".000",
}  # fmt: skip


@pytest.mark.parametrize(("w", "shown"), SCALES.items())
def test_digits_follow_the_scale(run, w, shown):
    assert f" {shown} [" in run(TAU, f"--w={w}")[1]


ENDS = st.floats(-1e300, 1e300) | st.floats(-1e4, 1e4) | st.integers(-(10**6), 10**6).map(float)


@given(lo=ENDS, hi=ENDS, share=st.floats(0, 1))
def test_a_thousandth_of_the_scale_is_visible(lo, hi, share):
    """Check that a thousandth of the scale (of its end, if both are equal) is visible, unless doubles are coarser."""
    x = min(max(lo, hi), max(min(lo, hi), lo + share * (hi - lo)))
    shown = format(x, score_format([lo, hi]))
    span = abs(hi - lo) or abs(hi)
    assert abs(float(shown) - x) <= span / 1000 or abs(float(shown) - x) <= 4e-16 * abs(x)
    assert len(shown) <= 24


# --- failures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("model,question,trial,outcome\na,q,0,1\na,q,1,2\n", "runs.csv:3: outcome '2' is not in 0..1"),
        (
            "model,question,trial,outcome\na,q,0,1\nb,q,0,1\na,q,0,0\n",
            "runs.csv:4: duplicate trial '0' of question 'q'",
        ),
        ("model,question,trial,score\na,q,0,1\n", "runs.csv:1: the columns are"),
        ("question,outcome,modle\nq,0,1\n", "runs.csv:1: column 'modle' is not read: is it model?"),
        ("question,outcome\nq,0\nq,\n", "runs.csv:3: outcome is missing"),
        ("question,outcome\nq\n", "runs.csv:2: 1 cells"),
        ("question,outcome\nq,0\nq,1\np,1\n", "--missing 0 counts it as wrong"),
        ("model,question,c,n\na,q,0,1\nb,q,0,0\n", "model 'b' has no trial"),
        ('question,outcome\n"a\nb",x\n', "runs.csv:2: outcome 'x' is not a number"),
    ],
)
def test_invalid_files_are_refused_in_one_line(run, file, content, message):
    code, out, err = run(file(content))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("scorio: error: ")
    assert message in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere.csv"], "nowhere.csv: No such file"),
        ([str(EXAMPLES / "README.md")], "README.md"),
        ([TAU, "--k", "5"], "of model 'gpt-4o (tool-calling)': k up to 4 works"),
        ([TAU, "--k", "0"], "k = 0 is below 1"),
        ([TAU, "--confidence", "1"], "confidence"),
        ([TAU, "--confidence", "nan"], "confidence"),
        ([TAU, "--missing", "skip"], "'skip'"),
        ([TAU, "--missing", "2"], "not a category 0..1"),
        ([TAU, "--missing-code", "99999999999999999999"], "--missing-code = 9"),
        (["a\0.csv"], "NUL"),
        ([TAU, "--w", "1"], "two entries"),
        ([TAU, "--w", "0,inf"], "not finite"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(run, args, message):
    code, out, err = run(*args)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    "args",
    [[], ["leaderboard"], ["board"], ["leaderboard", TAU, "--k", "1,x"], ["leaderboard", TAU, "--w", ","],
     ["leaderboard", TAU, "--json", "--csv"], ["leaderboard", TAU, "--questions", "all"], ["leaderboard", TAU, "--kk"],
     ["leaderboard", TAU, "--confidence", "x"], ["leaderboard", TAU, "--outcomes", "x"],
     ["leaderboard", TAU, "--missing-code=1.0"]],
)  # fmt: skip
def test_usage_errors_are_one_line(capsys, args):
    with pytest.raises(SystemExit) as e:
        main(args)
    out, err = capsys.readouterr()
    assert (e.value.code, out, err.count("\n")) == (2, "", 1)
    assert "--help" in err


@pytest.mark.parametrize("args", [["--help"], ["help", "leaderboard"]])
def test_help_has_an_example_and_the_exit_codes(capsys, args):
    with pytest.raises(SystemExit) as e:
        main(args)
    out = capsys.readouterr().out
    assert e.value.code == 0
    assert "scorio leaderboard runs.csv" in out
    assert "exit codes: 0" in out
    assert max(map(len, out.splitlines())) <= 80


def test_help_states_what_unequal_trials_need(capsys):
    with pytest.raises(SystemExit):
        main(["help", "leaderboard"])
    text = " ".join(capsys.readouterr().out.split())
    assert "All questions of a model in a task must have the same number of trials" in text
    assert "--missing-code CODE" in text


def test_the_version_names_the_package_and_its_folder(capsys):
    with pytest.raises(SystemExit) as e:
        main(["--version"])
    out = capsys.readouterr().out.splitlines()
    assert (e.value.code, out[0].partition(",")[0]) == (0, f"scorio {scorio.__version__}")
    assert out[1] == f"installed in {Path(scorio.__file__).parent}"
    assert out[2].startswith("not the package scorio of the Python Package Index")


WORKING = ["leaderboard " + TAU, "help files", "--help", "--version", "gate --help", "completion bash"]


@pytest.mark.slow
@pytest.mark.parametrize(("device", "code"), [("full", 2), ("pipe", 141)])
@pytest.mark.parametrize("command", part(WORKING, 2))
def test_output_that_cannot_be_written_is_no_verdict(command, device, code):
    """Check the exit code of a full device and of a closed pipe: never 1, the code of a gate that fails."""
    python = [sys.executable, "-m", "scorio", *command.split()]
    if device == "full":
        with open("/dev/full", "w") as out:
            process = subprocess.run(python, stdout=out, stderr=subprocess.PIPE, text=True)
        assert process.stderr == "scorio: error: cannot write the output: No space left on device\n"
    else:
        read_end, write_end = os.pipe()
        os.close(read_end)
        process = subprocess.run(python, stdout=write_end, stderr=subprocess.PIPE, text=True)
        os.close(write_end)
        assert process.stderr == ""
    assert process.returncode == code


@pytest.mark.slow
@pytest.mark.parametrize("command", ["gate none.csv --at-least .5", "gate", "frob", "help nothing"])
def test_an_error_that_cannot_be_printed_is_no_verdict(command):
    """Check that an error exits with 2 where stderr is full, also where Python buffers it, as it does by default."""
    env = {name: x for name, x in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        process = subprocess.run([sys.executable, "-m", "scorio", *command.split()], stderr=full, stdout=full, env=env)
    assert process.returncode == 2


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("a fault"), ZeroDivisionError(), RecursionError()])
def test_a_fault_of_the_program_exits_with_2(run, monkeypatch, error):
    """Check faults: Python's own exit code 1 would mean that a gate fails."""

    def fault(*_, **__):
        raise error

    monkeypatch.setattr("scorio.cli.reading.read_log", fault)
    code, out, err = run(TAU)
    assert (code, out) == (2, "")
    assert ("not enough memory" if isinstance(error, MemoryError) else type(error).__name__) in err


def test_an_interrupt_is_quiet(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("scorio.cli.reading.read", interrupted)
    assert run(TAU) == (130, "", "")


# --- as a process ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_piped_output_is_plain_even_if_colour_is_forced(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    process = scorio_process("leaderboard", TAU)
    assert (process.returncode, process.stderr) == (0, "")
    assert "\x1b" not in process.stdout
    assert "95% CI (fixed)" in process.stdout


@pytest.mark.slow
def test_a_terminal_that_cannot_show_a_name_gets_escapes(file, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    path = file("model,question,outcome\n漢字,q,1\n" + "x" * 99 + ",q,0\n")
    process = scorio_process("leaderboard", str(path))
    assert (process.returncode, process.stderr) == (0, "")
    assert "\\u6f22" in process.stdout


@pytest.mark.slow
def test_an_error_in_a_process_has_no_traceback():
    process = scorio_process("leaderboard", "nowhere.csv")
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == "scorio: error: nowhere.csv: No such file or directory\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("form", part([[], ["--json"], ["--csv"]], 3))
def test_a_closed_pipe_is_quiet(form):
    reading, writing = os.pipe()
    os.close(reading)
    command = [
        sys.executable,
        "-c",
        "import sys; from scorio.__main__ import main; sys.exit(main())",
        "leaderboard",
        TOOLS,
    ]
    env = {**os.environ, "PYTHONPATH": str(Path(scorio.__file__).parents[1])}
    process = subprocess.run(
        [*command, *form], stdout=writing, stderr=subprocess.PIPE, env=env, timeout=120, check=False
    )
    os.close(writing)
    assert (process.returncode, process.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("form", part([[], ["--json"], ["--csv"]], 3))
def test_a_full_disk_is_an_error_of_the_output(form):
    with open("/dev/full", "w") as full:
        process = scorio_process("leaderboard", TOOLS, *form, stdout=full)
    assert process.returncode == 2
    assert process.stderr == "scorio: error: cannot write the output: No space left on device\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX shell")
@pytest.mark.parametrize("form", part([[], ["--json"], ["--csv"]], 3))
def test_a_closed_stdout_is_an_error_and_a_closed_stderr_is_not(form):
    process = scorio_process("leaderboard", TOOLS, *form, close=">&-")
    assert (process.returncode, process.stderr) == (2, "scorio: error: cannot write the output: stdout is closed\n")
    process = scorio_process("leaderboard", TOOLS, *form, close="2>&-")
    assert (process.returncode, process.stdout) == (0, scorio_process("leaderboard", TOOLS, *form).stdout)
    process = scorio_process("leaderboard", "nowhere.csv", *form, close="2>&-")
    assert (process.returncode, process.stdout) == (2, "")


def test_models_of_an_array_are_numbered(run, tmp_path):
    np.save(tmp_path / "r.npy", np.array([[[1, 0, 1, 1]], [[0, 0, 1, 0]]]))
    averages = {row["model"]: row["average"] for row in board(run, tmp_path / "r.npy")["rows"]}
    assert averages == {"model-1": 0.75, "model-2": 0.25}
