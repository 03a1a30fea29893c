"""Logs of several tasks: each is a benchmark with its own metric, scale and trials, and nothing is mixed unasked."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pytest
import written as tools

from scorio import Counts, InvalidInput, eval, sinf
from scorio.cli import main
from scorio.io import Log
from scorio.io.transition import Logs, read
from scorio.leaderboard import leaderboard
from scorio.leaderboard.suite import board
from scorio.outcomes import states


def opencompass(folder, **tasks):
    for task, rows in tasks.items():
        details = [{"example_abbr": f"q{i}", "correct": row} for i, row in enumerate(rows)]
        tools.save(folder / "results" / "m" / f"{task}.json", {"details": details})
    return folder


def refused(code, argument, path, **options):
    with pytest.raises(InvalidInput) as e:
        read(path, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    return str(e.value)


FOUR = [[True, False, True, True], [False, False, False, True]]
ONE = [[True], [False]]


def test_trials_are_levelled_within_a_task(tmp_path):
    opencompass(tmp_path, toy=FOUR, toy1=ONE)
    for missing in ("raise", "drop", 0):
        logs = read(tmp_path, missing=missing, trials=True)
        assert [int(x) for x in logs["m"].counts.trials] == [4, 4, 1, 1]
        assert logs["m"].missing == 0
        assert {name: part["m"].counts.trials.tolist() for name, part in logs.benchmarks.items()} == {
            "toy": [4, 4], "toy1": [1, 1]}  # fmt: skip
        assert logs["m"].outcomes.tolist() == [[1, 0, 1, 1], [0, 0, 0, 1], [1, -1, -1, -1], [0, -1, -1, -1]]
    short = opencompass(tmp_path / "short", toy=[[True, False], [True]], toy1=ONE)
    assert "'q1' of 'm' has fewer trials (1) than another (2)" in refused("ragged", "outcome", short)
    assert read(short, missing=0)["m"].missing == 1


def test_one_metric_is_pooled_and_said(tmp_path):
    logs = read(opencompass(tmp_path, toy=FOUR, toy1=ONE))
    assert (list(logs), logs["m"].questions, logs.metric) == (
        ["m"],
        ["toy/q0", "toy/q1", "toy1/q0", "toy1/q1"],
        "correct",
    )
    assert (logs.tasks, [x.metric for x in logs.benchmarks.values()]) == (["toy", "toy1"], ["correct", "correct"])
    assert list(logs.only(["m"]).benchmarks) == ["toy", "toy1"]


def two_scorers(folder):
    for task, scorers in (("one", ["match"]), ("two", ["match", "includes"])):
        for model in ("m", "n"):
            log = tools.inspect_log({"q": [1, 0]})
            log["eval"] |= {"task": task, "model": model}
            for sample in log["samples"]:
                value = sample["scores"]["match"]
                sample["scores"] = {x: value if x == scorers[0] else {"value": "C"} for x in scorers}
            tools.save(folder / f"{task}-{model}.json", log)
    return folder


def test_tasks_and_metrics_are_chosen(tmp_path):
    path = two_scorers(tmp_path)
    assert "of task 'two': several stand in it" in refused("choice", "which", path)
    assert list(read(path, which="match")["m"].questions) == ["one/q", "two/q"]
    logs = read(path, which="two=includes")
    assert {x: part.metric for x, part in logs.benchmarks.items()} == {"one": "match", "two": "includes"}
    same = read(path, which={"tw*": "includes"})
    assert same.benchmarks["two"]["m"].counts.table.tolist() == logs.benchmarks["two"]["m"].counts.table.tolist()
    assert read(path, which="includes").benchmarks["one"].metric == "match"  # of which there is one only
    assert [list(read(path, task=x, which="match").tasks) for x in ("one", "t*", ["one", "two"])] == [
        ["one"], ["two"], ["one", "two"]]  # fmt: skip
    assert read(path, task="one")["n"].questions == ["q"]
    refused("choice", "which", path, which="matches", task="one")
    refused("choice", "which", path, which=["two=includes", "three=match"])
    assert "the log has 'one', 'two'" in refused("choice", "task", path, task="three")
    assert "one without a name" in refused("choice", "task", tools.tau(tmp_path / "x", {"q": [1]}), task="airline")


def test_metrics_are_not_mixed(tmp_path):
    logs = read(two_scorers(tmp_path), which="two=includes")
    for ask in (lambda: logs["m"], logs.items, logs.values, lambda: logs.get("m"), lambda: leaderboard(logs)):
        with pytest.raises(InvalidInput) as e:
            ask()
        assert (e.value.code, e.value.argument) == ("conflict", "task")
        assert "one (match), two (includes)" in str(e.value)
    assert (list(logs), list(logs.only(["n"]).benchmarks["two"])) == (["m", "n"], ["n"])
    with pytest.raises(InvalidInput):
        logs.only(["x"])


def test_scales_are_not_mixed(tmp_path):
    table = "model,task,question,outcome\nm,a,q,7\nm,a,p,3\nm,b,q,0.5\nm,b,p,1\n"
    (tmp_path / "a.csv").write_text(table)
    logs = read(tmp_path / "a.csv", weights="levels")
    assert {x: part.weights for x, part in logs.benchmarks.items()} == {"a": [3, 7], "b": [0, 0.5, 1]}
    with pytest.raises(InvalidInput):
        logs["m"]
    assert "other scales, a 3 to 7, b 0 to 1" in board(logs).why
    same = read(tmp_path / "a.csv", scale=(0, 10))
    assert same["m"].counts.trials.tolist() == [1, 1, 1, 1]
    assert board(same).macro["m"].value.mu == pytest.approx((5 + 0.75) / 2)


def test_the_macro_average():
    parts = {t: Logs({"m": Log(["q", "p"], Counts.from_successes(c, n))}) for t, c, n in
             (("a", [1, 2], [4, 4]), ("b", [4, 3], [4, 4]), ("c", [1, 0], [1, 1]))}  # fmt: skip
    logs = Logs({"m": parts["a"]["m"], "n": parts["a"]["m"]})
    parts["a"] = parts["a"].having({"m": parts["a"]["m"], "n": parts["a"]["m"]})
    logs.benchmarks = parts
    for questions in ("fixed", "sampled"):
        found = board(logs, questions=questions)
        own = [eval.mean_ci(part["m"].counts, questions=questions) for part in parts.values()]
        macro = found.macro["m"].value
        assert [found.cells[t, "m"].value for t in parts] == own
        assert macro.mu == pytest.approx(np.mean([x.mu for x in own]))
        same = sinf.suite({t: {"m": part["m"].counts} for t, part in parts.items()}, questions=questions).models[0]
        assert (macro.mu, macro.sigma, macro.lo, macro.hi) == (same.mu, same.sigma, same.lo, same.hi)
        assert macro.sigma >= sqrt(sum(x.sigma**2 for x in own)) / 3 - 1e-12  # sigma of interval may be below sqrt(V)
        assert 0 < macro.lo < macro.mu < macro.hi < 1
        assert macro.variance_source == ("upper bound" if questions == "fixed" else "measured")
        assert (list(found.macro), "No macro-average of n" in found.why) == (["m"], True)
    with pytest.raises(InvalidInput) as e:
        board(logs, k=2)
    assert "only k = 1 works" in str(e.value)
    with pytest.raises(InvalidInput):
        board(parts["a"])


def test_macro_averages_of_nothing_but_ones_and_zeros():
    for c in ([2, 2], [0, 0]):
        part = Logs({"m": Log(["q", "p"], Counts.from_successes(c, [2, 2]))})
        logs = part.having(dict(part.items()))
        logs.benchmarks = {"a": part, "b": part}
        x = board(logs).macro["m"].value
        assert (x.mu, x.sigma) == (c[0] / 2, 0.0)
        assert 0 <= x.lo <= x.mu <= x.hi <= 1
        assert x.hi - x.lo > 0.1


def test_logs_add_up(tmp_path):
    text = "question,outcome\nq,1\np,0\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(text)
    a, b = (read(tmp_path / f"{x}.csv") for x in "ab")
    assert list(a + b) == ["a", "b"]
    assert (a + b)["b"].counts.table.tolist() == b["b"].counts.table.tolist()
    with pytest.raises(InvalidInput) as e:
        a + a
    assert e.value.code == "conflict"
    c = read(opencompass(tmp_path / "x", toy=FOUR))
    both = a + c
    assert (list(both.benchmarks), both.format) == (["", "toy"], "table, opencompass")
    scored = read(tmp_path / "a.csv", weights="levels") + read(tmp_path / "b.csv", weights="levels")
    assert list(scored) == ["a", "b"]


def test_a_model_does_not_move_the_scale_of_another(tmp_path):
    rows = [("m", i, x) for i, x in enumerate([2, 3, 4, 5] * 5)]
    far = [*rows, *(("n", i, x) for i, x in enumerate([2, 3, 4, 1000] * 5))]
    found = []
    for name, lines in (("a", rows), ("b", far)):
        path = tmp_path / f"{name}.csv"
        path.write_text("model,question,outcome\n" + "".join(f"{m},{q % 10},{x}\n" for m, q, x in lines))
        logs = read(path, weights="levels")
        assert logs.seen
        found.append({row.model: row.average for row in leaderboard(logs, weights=logs.weights)}["m"])
    assert found[0] == found[1]
    stated = read(path, scale=(0, 1000))
    assert (stated.weights[0], stated.weights[-1], stated.seen) == (0, 1000, False)
    with pytest.raises(InvalidInput) as e:
        read(path, scale=(0, 10))
    assert (e.value.code, e.value.argument) == ("range", "outcome")
    for bad in ((1, 1), (2, 1), (1,), (0, float("inf")), "ab", 3):
        with pytest.raises(InvalidInput):
            read(path, scale=bad)
    with pytest.raises(InvalidInput):
        read(path, scale=(0, 1), weights=[0, 1])


def test_many_scores(tmp_path):
    x = np.random.default_rng(0).normal(size=(40, 50))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"question": i, "outcome": y}) + "\n" for i, row in enumerate(x) for y in row))
    logs = read(path, weights="levels")
    (row,) = leaderboard(logs, weights=logs.weights)
    assert (len(logs.weights), row.at_k) == (2000, {})
    assert row.average.mu == pytest.approx(x.mean())
    assert row.average.sigma == pytest.approx(sqrt((x.var(axis=1, ddof=1) / 50).mean() / 40), rel=0.05)
    np.save(tmp_path / "b.npy", x)
    assert read(tmp_path / "b.npy", weights="levels").weights == logs.weights


@pytest.mark.parametrize("command", ["leaderboard", "evaluate", "compare", "rank"])
def test_a_k_that_is_too_large_is_told_what_works(tmp_path, capsys, command):
    path = tmp_path / "a.csv"
    path.write_text(
        "model,question,outcome\n" + "".join(f"{m},q{i},{i}\n" for m in "ab" for i in (0, 1) for _ in range(3))
    )
    more = ["--metric", "pass@k"] if command == "rank" else []
    assert main([command, str(path), "--k", "5", *more]) == 2
    said = capsys.readouterr().err
    assert "k = 5 is above the trials of 2 questions ('q0', 'q1') of model 'a': k up to 3 works" in said


def test_sparse_pairs_are_the_dense_ones(monkeypatch):
    rng = np.random.default_rng(1)
    table = np.zeros((30, 90), np.int64)
    for row in table:
        np.add.at(row, rng.integers(0, 90, 5), 1)
    w = rng.normal(size=90).tolist()
    found = []
    for most in (64, 1000):
        monkeypatch.setattr(states, "MOST_DENSE", most)
        counts = Counts(table.copy())
        (group,) = counts.groups()
        assert isinstance(group.pairs, states.Pairs) == (most == 64)
        found.append((*(eval.mean_ci(counts, w, questions=q) for q in ("fixed", "sampled")), eval.bayes(counts, w)))
    assert found[0] == found[1]
