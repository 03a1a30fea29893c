"""Arguments of methods and commands: each is checked, wherever it is used, and errors name it; past bugs of texts."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import numpy as np
import pytest

import scorio
from scorio import Counts, InvalidInput, converge, eval, items, rank, read, rubric, sinf, tally, utils
from scorio.cli import main
from scorio.commands import gate
from scorio.commands.battles import battles
from scorio.harness import EarlyStopping
from scorio.sinf import Monitor

COINS = Path(__file__).resolve().parents[1] / "spec" / "examples" / "coins.csv"


def runs(folder: Path, models: dict[str, str], header: str = "task,model,question,outcome") -> Path:
    """A log of three questions: for each task the models, one letter each, that solve the second question alone."""
    rows = [f"{task},{m},q{i},{i % 2}" for task, names in models.items() for m in names for i in range(3)]
    path = folder / "runs.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("code", "argument", "call"),
    [
        ("range", "power", lambda e: e.compare("large", "medium", power=5)),
        ("range", "power", lambda e: e.compare("large", "tiny", power=5)),  # significant: the power is not used
        ("range", "fdr", lambda e: e.select(["large"]).items(fdr=7)),
        ("type", "seed", lambda e: e.sample_outputs(2, seed="x")),
        ("choice", "weights", lambda e: e.gate("large", "tiny", margin=0.1, weights={"other": 1})),
        ("type", "receipt", lambda e: scorio.verify(5)),
        ("type", "a", lambda e: utils.compare_rankings([1, 2], {"a": 1, "b": 2})),
        ("type", "baseline", lambda e: EarlyStopping({"a": 5})),
        ("category", "baseline", lambda e: EarlyStopping({"a": [2]})),
        ("type", "baseline", lambda e: EarlyStopping({"a": {1: 0}})),
        ("missing", "baseline", lambda e: EarlyStopping({"a": [1, None]})),
        ("type", "k", lambda e: e.rank("pass@k", k="2")),
        ("conflict", "k", lambda e: e.rank(k=9)),
        ("empty", "samples", lambda e: asyncio.run(EarlyStopping({"a": [1, 0]}).begin([], 3))),
        ("fractional", "R", lambda e: tally([[0, 300.5]])),
        ("category", "R", lambda e: tally([[0, 2**70]])),
    ],
)
def test_every_argument_is_checked(code, argument, call):
    with pytest.raises(InvalidInput) as error:
        call(read(COINS, trials=True))
    assert (error.value.code, error.value.argument) == (code, argument)


BOTH = {"large": [[0, 1], [1, 1]], "tiny": [[0, 0], [1, 1]]}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda e: e.select(["tyni"]), "no model 'tyni'; the log has 'large', 'medium', 'small' and 'tiny', did you"),
        (
            lambda e: e.compare("large", "tyni"),
            "the log has 'large', 'medium', 'small' and 'tiny', did you mean 'tiny'",
        ),
        (
            lambda e: rank.bayes(BOTH, R0={"large": [[0], [1]], "tyni": [[0], [1]]}),
            "'tyni' is none of 'large' and 'tiny',",
        ),
        (lambda e: rank.bayes(BOTH, R0={"large": [[0], [1]]}), "by the same names: 'tiny' is absent"),
        (lambda e: rank.bayes([*BOTH.values()], R0={"large": [[0], [1]]}), "by the same names: they have no names"),
        (lambda e: converge.convergence_at_n(BOTH, gold={"large": 1, "tyni": 2}), "did you mean 'tiny'?"),
        (lambda e: sinf.suite({"tiny": BOTH}, questions="fixed", weights={"tyni": 1}), "did you mean 'tiny'?"),
        (lambda e: sinf.suite({"tiny": BOTH}, questions="fixed", clusters={"tyni": [1, 2]}), "did you mean 'tiny'?"),
        (lambda e: sinf.gate_suite(BOTH, {**BOTH, "tyni": 1}, margin=0.1, questions="fixed"), "did you mean 'tiny'?"),
        (lambda e: rubric.score({"a": {"is_correct": [[1]]}}, ["exact mach"]), "did you mean 'exact_match'?"),
        (
            lambda e: rank.win_probability([("tiny", "a", "model_a")], "tyni", "a"),
            "'a' and 'tiny', did you mean 'ti",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_each_known_one_in_quotes_and_the_nearest(call, text):
    """Check the message wherever a name of a model, a benchmark or a schema is looked up."""
    with pytest.raises(InvalidInput) as error:
        call(read(COINS))
    assert error.value.code == "choice"
    assert text in str(error.value)


def test_the_convention_of_ranks_by_position_is_answered_with_its_keyword():
    """Check all rankings by a metric, wherever the convention stands among the positional arguments."""
    for call in (lambda: rank.avg(BOTH, "dense"), lambda: rank.pass_at_k(BOTH, 2, "dense")):
        with pytest.raises(InvalidInput, match="write method='dense'"):
            call()


def test_a_flat_R0_is_answered_with_how_to_make_it_two_dimensional():
    """Check arrays and lists; with one question a list is its prior outcomes."""
    for R0 in (np.array([1, 0]), [1, 0]):
        with pytest.raises(InvalidInput, match=r"R0\[:, None\]"):
            eval.bayes([[0, 1], [1, 1]], R0=R0)
    assert eval.bayes([[0, 1]], R0=[1, 0]) == eval.bayes([[0, 1]], R0=[[1, 0]])


@pytest.mark.parametrize("name", ["agg", "aggregate", "categorical"])
def test_a_module_of_the_other_package_is_answered_with_the_page_that_compares_them(name):
    """Check the text of ``from scorio import agg``."""
    with pytest.raises(ImportError, match=r"docs/migrating\.md"):
        exec(f"from scorio import {name}")


def test_an_integer_beyond_64_bits_is_not_shown_clipped():
    masked = np.ma.array([[2**63 + 1, 1]], mask=[[0, 1]], dtype=np.uint64)
    for R, options in (([[0, 2**70]], {}), (masked, {"missing": "drop"})):
        with pytest.raises(InvalidInput, match=r"an integer beyond 2\^62, is above 65535$"):
            tally(R, **options)
    with pytest.raises(InvalidInput, match=r"C=300\) if that is meant$"):
        tally([[0, 300]])
    with pytest.raises(InvalidInput, match=r"category 70000, outside 0\.\.65535$"):
        tally([[0, 70000]])


def test_early_stopping_takes_ids_in_an_array():
    stop = EarlyStopping({i: [1, 0] for i in range(3)})
    asyncio.run(stop.begin(np.arange(3), 2))
    assert stop.epochs == 2


def test_looks_of_several_benchmarks_are_refused_as_an_array_too(tmp_path):
    e = read(runs(tmp_path, {"easy": "a", "hard": "a"}))
    for looks in ([], [0.5, 1.0], np.array([0.5, 1.0])):
        with pytest.raises(InvalidInput, match="looks need a single benchmark"):
            e.gate("a", at_least=0.5, looks=looks)


def test_a_refused_look_changes_nothing():
    """Check that a look at fewer questions is refused as such, and that the next look is compared with the last one."""
    A, B = np.random.default_rng(0).integers(0, 2, (2, 10, 3))
    m = Monitor(planned=20, questions="sampled")
    m.look(A, B)
    for a, b, clusters in ((A[:1], B[:1], None), (A[:9], B[:9], None)):
        with pytest.raises(InvalidInput, match="fewer questions than at the look before"):
            m.look(a, b, clusters=clusters)
    more = np.vstack([A, A[:5]]), np.vstack([B, B[:5]])
    with pytest.raises(InvalidInput, match="cluster"):
        m.look(*more, clusters=[0] * 15)
    m.look(np.vstack([A, A[:2]]), np.vstack([B, B[:2]]))  # fewer than in the refused look, more than in the last one


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_a_monitor_pairs_its_looks_by_id(questions):
    """Check that a look at other questions is refused, and that the order of the questions does not matter."""
    first = Counts([[1, 2], [2, 1], [0, 3]], ids=["q1", "q2", "q3"])
    other = Counts([[2, 4], [4, 2], [0, 6]], ids=["z1", "z2", "z3"])
    more = Counts([[1, 5], [2, 4], [2, 4]], ids=["q3", "q2", "q1"])
    m = Monitor(planned=60, questions=questions)
    m.look(first, first)
    with pytest.raises(InvalidInput, match="A lacks question 'q1' of the look before"):
        m.look(other, other)
    assert m.look(more, more).verdict in ("continue", "wait")
    fewer = Counts([[0, 4], [2, 4], [2, 4]], ids=["q3", "q2", "q1"])
    with pytest.raises(InvalidInput, match="A lacks outcomes"):
        m.look(fewer, fewer)


@pytest.mark.parametrize(
    "option", ["--rule each", "--weights x=2", "--power 0.9", "--k 2", "--tau .1", "--confidence .9"]
)
def test_options_that_a_gate_of_questions_does_not_have_are_refused(capsys, option):
    assert main(["gate", str(COINS), "large", "--each", ".5", *option.split()]) == 2
    assert f"leave out {option.split()[0]}" in capsys.readouterr().err


def test_a_negative_number_keeps_its_sign(tmp_path, capsys):
    (tmp_path / "s.csv").write_text("question,outcome\nq1,-1\nq1,0\nq2,1\nq2,0\nq3,-1\nq3,1\n")
    main(["gate", str(tmp_path / "s.csv"), "--at-least", "-0.25", "--scale=-1,1", "--questions", "fixed"])
    out = capsys.readouterr().out
    assert "-0.25" in out
    assert out.count("0.25") == out.count("-0.25")


def test_costs_are_shown_without_powers_of_ten(tmp_path):
    rows = [f"a,q{i},{i % 2},{20_000 + i}" for i in range(4)]
    (tmp_path / "runs.csv").write_text("model,question,outcome,tokens\n" + "\n".join(rows) + "\n")
    text = str(read(tmp_path / "runs.csv", cost="tokens").leaderboard())
    assert "40,003 [" in text
    assert "e+" not in text


def test_a_forest_shows_the_bounds_of_missing_outcomes():
    pytest.importorskip("matplotlib").use("agg")
    e = read({"a": [[1, None, 1], [1, 0, 1], [1, 1, 1]], "b": [[0, 1, 0], [None, 0, 1], [1, 0, 0]]}, missing="bounds")
    texts = [text.get_text().split(" [")[0] for text in e.leaderboard().plot().texts]
    assert texts == [".778 to .889", ".333 to .444"]


@pytest.mark.parametrize(("models", "kinds"), [({"easy": "ab", "hard": "cd"}, ("forest", "comparisons")),
                                               ({"easy": "ab", "hard": "ad"}, ("comparisons",))])  # fmt: skip
def test_plots_of_models_without_a_common_benchmark_are_refused(tmp_path, models, kinds):
    pytest.importorskip("matplotlib").use("agg")
    e = read(runs(tmp_path, models))
    for kind in kinds:
        with pytest.raises(InvalidInput, match=r"in every benchmark: choose one \(task=\)"):
            e.plot(kind)


def test_a_folder_with_several_tasks_is_read_for_one(tmp_path):
    trace = {"agent": {"name": "x", "config": {"model": "m"}}, "rewards": {"r": {"score": 1.0, "weight": 1.0}}}
    lines = [
        {"env": env, "task": {"key": f"q{i}"}, "errors": [], "ok": True, "traces": [trace]}
        for i, env in enumerate("ab")
    ]
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "traces.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read(tmp_path / "runs", task="b").log("m").ids == ["q1"]


def test_each_run_of_a_file_has_its_own_report_and_metric(tmp_path):
    def run(task: str, kind: str, ended: bool) -> list[dict]:
        head = {"spec": {"run_id": task, "completion_fns": ["m"], "eval_name": task}}
        data = {"match": {"correct": True}, "metrics": {"f1": 0.5}}[kind]
        events = [{"run_id": task, "event_id": i, "sample_id": f"q{i}", "type": kind, "data": data} for i in range(2)]
        return [head, *events, *([{"final_report": {}, "run_id": task}] if ended else [])]

    def log(*lines: dict) -> Path:
        (tmp_path / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return tmp_path / "events.jsonl"

    for order in (("a", "b"), ("b", "a")):
        path = log(*(line for task in order for line in run(task, "match", ended=task == "a")))
        assert read(path, task="a").log("m").ids == ["q0", "q1"]
        for options in ({}, {"task": "b"}):
            with pytest.raises(InvalidInput, match="no final_report"):
                read(path, **options)
    path = log(*run("a", "match", True), *run("b", "metrics", True))
    e = read(path, w="levels", scale=(0, 1))
    assert {name: part.metric for name, part in e.benchmarks.items()} == {"a": "match", "b": "f1"}


def test_a_pool_has_bounds_if_any_benchmark_has(tmp_path):
    path = runs(tmp_path, {"easy": "a", "hard": "a"})
    path.write_text(path.read_text().replace("hard,a,q1,1", "hard,a,q1,"))
    e = read(path, missing="bounds")
    assert e.bounds
    assert e.pooled().bounds


def test_both_targets_of_ranks_are_those_that_the_data_allow(tmp_path):
    """Check that one trial of each question gives ranks on similar questions, whichever target is asked for."""
    rows = [f"{m},q{i},{int((i + j) % (j + 2) > 0)}" for j, m in enumerate("abc") for i in range(30)]
    (tmp_path / "runs.csv").write_text("model,question,outcome\n" + "\n".join(rows) + "\n")
    e = read(tmp_path / "runs.csv")
    assert all(row.sampled for row in e.rank(questions="fixed").table)
    assert all(row.fixed is None for row in e.rank(questions="sampled").table)


def test_battles_accept_numbers_and_texts_of_numpy():
    columns = {"model_a": ["a", "b"], "model_b": ["b", "a"], "winner": ["model_a", "model_a"]}
    arrays = {name: [np.str_(x) for x in column] for name, column in columns.items()}
    expected = rank.bradley_terry({**columns, "count": [3, 2]})
    assert rank.bradley_terry({**arrays, "count": [np.int64(3), np.int32(2)]}) == expected


def test_names_of_unrated_models_are_printed_without_control_characters():
    text = str(
        battles([("a\x1b[31m", "b", "model_a"), ("b", "c", "model_a"), ("c", "b", "tie"), ("c", "b", "model_a")])
    )
    assert "Not rated" in text
    assert "\x1b" not in text


def test_scores_that_share_a_value_keep_their_trials():
    """Check that benchmarks with other scores are joined without losing trials of categories of equal score."""
    a = read({"A": {"m": [[0, 1, 2], [0, 0, 2]], "n": [[1, 1, 2], [0, 0, 2]]}}, w=[0, 0, 1])
    b = read({"B": {"m": [[0, 0.5, 1], [0, 1, 1]], "n": [[0, 0.5, 0], [0, 1, 1]]}}, w="levels")
    assert (a + b)["m"].trials.tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize("missing", ["drop", "bounds", 0])
def test_arrays_and_files_treat_missing_outcomes_alike(tmp_path, missing):
    (tmp_path / "runs.csv").write_text("model,question,outcome\nm,0,1\nm,0,0\nm,0,1\nm,1,1\n")
    arrays = {"m": [[1, 0, 1], [1]]}
    memory, file = (read(x, missing=missing, trials=True) for x in (arrays, tmp_path / "runs.csv"))
    titles = "outcomes: ", "runs.csv: "
    texts = [str(e.leaderboard()).removeprefix(title) for e, title in zip((memory, file), titles, strict=True)]
    assert texts[0] == texts[1]
    assert memory.log("m").outcomes.tolist() == file.log("m").outcomes.tolist()


@pytest.mark.parametrize(
    ("code", "argument", "call"),
    [
        ("duplicate", "source", lambda: read({1: [[1]], "1": [[0]]})),
        ("duplicate", "names", lambda: read({"a": [[1]], "b": [[0]]}).renamed({"a": "b"})),
        ("choice", "model", lambda: read({"a": [[1]]}).renamed({"x": "b"})),
        ("category", "outcome", lambda: read({"a": [[1, 0]] * 5}, w=(1, 0)).extrapolate(16)),
        ("no_trials", "logs", lambda: read({"a": [[1, 0]], "b": [[None, None]]}, missing="drop").rank()),
        ("no_trials", "logs", lambda: read({"a": [[1, 0]], "b": [[None, None]]}, missing="drop").plan()),
        ("choice", "correction", lambda: read({"a": [[1, 0]], "b": [[0, 0]]}).rank(correction="bonferroni")),
    ],
)
def test_data_that_have_no_answer_are_refused(code, argument, call):
    with pytest.raises(InvalidInput) as error:
        call()
    assert (error.value.code, error.value.argument) == (code, argument)


def test_a_gate_refuses_a_benchmark_with_other_questions(tmp_path):
    """Check that no benchmark is left out of a gate, or of changes, without a word."""
    rows = [f"t1,{m},q{i},{i % 2}" for m in "ab" for i in range(5)] + [
        f"t2,{m},{m}{i},0" for m in "ab" for i in range(3)
    ]
    (tmp_path / "runs.csv").write_text("task,model,question,outcome\n" + "\n".join(rows) + "\n")
    e = read(tmp_path / "runs.csv")
    for call in (lambda: e.gate("a", "b", margin=0.1), lambda: e.changes("a", "b")):
        with pytest.raises(InvalidInput, match="share too few questions of benchmark 't2'"):
            call()
    assert e.select(benchmarks="t1").gate("a", "b", margin=0.9).candidate == "a"


def test_ranks_over_all_benchmarks_are_those_of_complete_models(tmp_path):
    rng = np.random.default_rng(0)
    A, B, C = rng.integers(0, 2, (3, 20, 8)).astype(float)
    A[0, 0] = np.nan
    table = read({"t1": {"a": A, "b": B, "c": C}, "t2": {"a": A, "b": B}}, missing="bounds").rank().table
    assert {(row.model, row.fixed) for row in table if row.benchmark is None} == {("a", (1, 2)), ("b", (1, 2))}


def test_one_label_outside_0_to_1_needs_a_scale():
    e = read(COINS, trials=True).select(["large"])
    label = {"model": "large", "question": e.log("large").ids[0], "trial": 1, "label": 7}
    with pytest.raises(InvalidInput, match="all labels are 7"):
        e.judge([label])
    assert e.judge([label], label_scale=(0, 10)).table[0].mu < 10


def test_an_output_never_replaces_a_file_of_the_log(tmp_path, capsys):
    (tmp_path / "a.csv").write_text(COINS.read_text())
    for log in (tmp_path, tmp_path / "*.csv", tmp_path / "a.csv"):
        assert main(["convert", str(log), "-o", str(tmp_path / "a.csv")]) == 2
        assert "would overwrite the log" in capsys.readouterr().err
        assert main(["gate", str(log), "large", "tiny", "--margin", ".1", "--junit", str(tmp_path / "a.csv")]) == 2
        assert "would overwrite the log" in capsys.readouterr().err
    assert (tmp_path / "a.csv").read_text() == COINS.read_text()
    for _ in range(2):  # a report or a receipt in the folder of the log is replaced
        assert main(["receipt", str(tmp_path), "-o", str(tmp_path / "r.json")]) == 0


def test_costs_are_paired_with_outcomes_by_the_index_of_frames():
    pd = pytest.importorskip("pandas")
    R = pd.DataFrame([[1, 0], [1, 1], [0, 0]], index=list("abc"))
    costs = pd.DataFrame([[1, 1], [5, 5], [100, 100]], index=list("abc"))
    expected = items.cost_per_solved(R, costs, questions="sampled")
    assert items.cost_per_solved(R, costs.loc[["c", "b", "a"]], questions="sampled") == expected
    with pytest.raises(InvalidInput, match="index of costs differs"):
        items.cost_per_solved(R, costs.rename(index={"a": "x"}), questions="sampled")


def test_logs_whose_missing_outcomes_were_treated_differently_are_not_joined():
    gaps, complete = [[1, None], [1, 1]], [[1, 0], [1, 1]]
    with pytest.raises(InvalidInput, match="read both with the same missing"):
        read({"A": {"a": gaps}}, missing="drop") + read({"B": {"a": gaps}}, missing=0)
    assert (read({"A": {"a": complete}}) + read({"B": {"a": gaps}}, missing=0)).provenance.missing == 0


@pytest.mark.parametrize("args", [["--labels", "x.csv", "-o", "y.csv"], ["--draw", "3", "--half-width", ".1"]])
def test_options_of_the_other_mode_of_judge_are_refused(capsys, args):
    assert main(["judge", str(COINS), "--model", "large", *args]) == 2
    assert re.search(r"--(output|half-width) is for --(draw|labels)", capsys.readouterr().err)


def test_an_inconclusive_benchmark_is_not_said_to_contain_the_margin(tmp_path):
    """Check the sentence on a benchmark that only the adjustment for several benchmarks makes inconclusive."""
    rng, rows = np.random.default_rng(3), []
    for b in range(6):
        for q in range(40):
            new, old = (0, 1) if b == 0 and q < 8 else rng.integers(0, 2, 2)
            rows += [f"b{b},new,q{q},{new}", f"b{b},base,q{q},{old}"]
    (tmp_path / "runs.csv").write_text("task,model,question,outcome\n" + "\n".join(rows) + "\n")
    x = read(tmp_path / "runs.csv").gate("new", "base", margin=0.02, questions="sampled")
    for row in x.table[1:]:
        said = " ".join(gate.decision(x, row))
        if row.verdict == "inconclusive":
            assert ("which contains -0.02" in said) == (row.lo <= -0.02 <= row.hi)
