"""Logs of several tasks: each is a benchmark with its own metric, scale and trials; pooling and macro-averages."""

from __future__ import annotations

import copy
import json
import pickle
from math import comb, sqrt

import numpy as np
import pytest
import written as tools

from scorio import Counts, InvalidInput, eval, sinf
from scorio.analysis.measure import Request
from scorio.analysis.pairs import compare_pairs
from scorio.cli import main
from scorio.evaluation import Evaluation, read
from scorio.inference import mean
from scorio.io import Benchmark, Log
from scorio.metrics import rewards
from scorio.outcomes import counts as counting
from scorio.outcomes import states


def opencompass(folder, **tasks):
    """Write a log of OpenCompass from the trials of each question of each task; return its folder."""
    for task, rows in tasks.items():
        details = [{"example_abbr": f"q{i}", "correct": row} for i, row in enumerate(rows)]
        tools.save(folder / "results" / "m" / f"{task}.json", {"details": details})
    return folder


def refused(code, argument, path, **options):
    with pytest.raises(InvalidInput) as e:
        read(path, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    return str(e.value)


def conflict(call, argument="task"):
    """Message of the conflict that a call must raise."""
    with pytest.raises(InvalidInput) as e:
        call()
    assert (e.value.code, e.value.argument) == ("conflict", argument), str(e.value)
    return str(e.value)


FOUR = [[True, False, True, True], [False, False, False, True]]
ONE = [[True], [False]]


def test_numbers_of_trials_must_be_equal_only_within_a_task(tmp_path):
    opencompass(tmp_path, toy=FOUR, toy1=ONE)
    for missing in ("raise", "drop", 0):
        e = read(tmp_path, missing=missing, trials=True)
        assert e["m"].trials.tolist() == [4, 4, 1, 1]
        assert e.log("m").missing == 0
        assert {name: e["m", name].trials.tolist() for name in e.benchmarks} == {"toy": [4, 4], "toy1": [1, 1]}
        assert e.log("m").outcomes.tolist() == [[1, 0, 1, 1], [0, 0, 0, 1], [1, -1, -1, -1], [0, -1, -1, -1]]
    short = opencompass(tmp_path / "short", toy=[[True, False], [True]], toy1=ONE)
    assert "'q1' of 'm' has fewer trials (1) than another (2)" in refused("ragged", "outcome", short)
    assert read(short, missing=0).log("m").missing == 1


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_an_evaluation_is_copied_and_pickled(tmp_path, copied):
    e = read(opencompass(tmp_path, toy=FOUR, toy1=ONE), missing=0, trials=True)
    x = copied(e)
    assert (type(x), x.models, list(x.benchmarks), x.provenance) == (
        type(e),
        e.models,
        list(e.benchmarks),
        e.provenance,
    )
    assert all(x["m", b] == e["m", b] for b in e.benchmarks)
    with pytest.raises(TypeError):
        x.benchmarks["more"] = x.benchmark("toy")


def test_questions_are_pooled_under_the_names_of_their_tasks(tmp_path):
    e = read(opencompass(tmp_path, toy=FOUR, toy1=ONE))
    names = ["toy/q0", "toy/q1", "toy1/q0", "toy1/q1"]
    assert (e.models, e.log("m").ids, list(e["m"].ids)) == (("m",), names, names)
    assert (e.pooled().metric, e.pooled().logs["m"].counts) == ("correct", e["m"])
    assert {name: part.metric for name, part in e.benchmarks.items()} == {"toy": "correct", "toy1": "correct"}
    assert list(e.select("m").benchmarks) == ["toy", "toy1"]
    assert list(e.select("m", "toy1").benchmarks) == ["toy1"]
    assert e.select(benchmarks="toy")["m"] == e["m", "toy"]


def two_scorers(folder):
    """Write logs of Inspect of two models: the task one has the metric match, the task two match and includes."""
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
    assert "of task 'two': there are several" in refused("choice", "which", path)
    assert read(path, which="match").log("m").ids == ["one/q", "two/q"]
    e = read(path, which="two=includes")
    assert {x: part.metric for x, part in e.benchmarks.items()} == {"one": "match", "two": "includes"}
    same = read(path, which={"tw*": "includes"})
    assert same["m", "two"].table.tolist() == e["m", "two"].table.tolist()
    assert read(path, which="includes").benchmarks["one"].metric == "match"  # its only metric
    assert [list(read(path, task=x, which="match").benchmarks) for x in ("one", "t*", ["one", "two"])] == [
        ["one"], ["two"], ["one", "two"]]  # fmt: skip
    assert read(path, task="one").log("n").ids == ["q"]
    refused("choice", "which", path, which="matches", task="one")
    refused("choice", "which", path, which=["two=includes", "three=match"])
    assert "the log has 'one', 'two'" in refused("choice", "task", path, task="three")
    assert "one without a name" in refused("choice", "task", tools.tau(tmp_path / "x", {"q": [1]}), task="airline")


def test_averages_over_different_metrics_name_them(tmp_path):
    e = read(two_scorers(tmp_path), which="two=includes")
    assert e.pooled().metric == "match / includes"
    assert {(x.benchmark, x.metric) for x in e.leaderboard().each} == {("one", "match"), ("two", "includes")}
    assert conflict(e.benchmark)
    assert (e.models, list(e.select("n").benchmarks["two"].logs)) == (("m", "n"), ["n"])
    for call in (lambda: e.select(["x"]), lambda: e["x"], lambda: e["x", "one"], lambda: e["m", "three"]):
        with pytest.raises(InvalidInput) as error:
            call()
        assert error.value.code == "choice"


def test_scales_are_not_mixed(tmp_path):
    (tmp_path / "a.csv").write_text("model,task,question,outcome\nm,a,q,7\nm,a,p,3\nm,b,q,0.5\nm,b,p,1\n")
    e = read(tmp_path / "a.csv", w="levels")
    assert {x: part.w for x, part in e.benchmarks.items()} == {"a": (3, 7), "b": (0, 0.5, 1)}
    assert (e.scales, e.comparable) == ({"a": (3, 7), "b": (0, 1)}, False)
    for call in (lambda: e["m"], e.pooled, e.counts, e.aligned, e.by_benchmark, lambda: e.w):
        assert "a 3 to 7, b 0 to 1" in conflict(call)
    board = e.leaderboard()
    assert (board.table, board.incomplete, board.scales) == ((), (), e.scales)
    assert [(x.benchmark, x.average.mu) for x in board.each] == [("a", 5), ("b", 0.75)]
    assert "a 3 to 7, b 0 to 1" in str(board)
    same = read(tmp_path / "a.csv", scale=(0, 10))
    assert same["m"].trials.tolist() == [1, 1, 1, 1]
    (row,) = same.leaderboard().table
    assert row.average.mu == pytest.approx((5 + 0.75) / 2)


def evaluation(**parts):
    """Evaluation from the successes and trials of each question, by benchmark and model."""
    return Evaluation({
        t: Benchmark(t, {m: Log([f"q{i}" for i in range(len(c))], Counts.from_successes(c, n))
                         for m, (c, n) in models.items()}) for t, models in parts.items()})  # fmt: skip


def test_the_macro_average_is_that_of_a_suite():
    one = ([1, 2], [4, 4])
    e = evaluation(a={"m": one, "n": one}, b={"m": ([4, 3], [4, 4])}, c={"m": ([1, 0], [1, 1])})
    for questions in ("fixed", "sampled"):
        board = e.leaderboard(questions=questions)
        intervals = [eval.interval(e["m", t], questions=questions) for t in e.benchmarks]
        assert [x.average for x in board.each if x.model == "m"] == intervals
        (row,) = board.table
        x = row.average
        assert x.mu == pytest.approx(np.mean([y.mu for y in intervals]))
        suite = {t: {"m": e["m", t]} for t in e.benchmarks}
        same = sinf.suite(suite, questions=questions).models[0]
        assert (x.mu, x.sigma, x.lo, x.hi) == (same.mu, same.sigma, same.lo, same.hi)
        # not equal, since the sigma of a benchmark may be below its standard error
        assert x.sigma >= sqrt(sum(y.sigma**2 for y in intervals)) / 3 - 1e-12
        assert 0 < x.lo < x.mu < x.hi < 1
        assert x.variance_source == ("upper bound" if questions == "fixed" else "measured")
        assert (row.model, row.n_questions, row.trials_min, row.trials_max) == ("m", 6, 1, 4)
        assert board.incomplete == ("n",)
        assert any(y.startswith("No macro-average of n") for y in str(board).splitlines())
    with pytest.raises(InvalidInput, match="only k = 1 works") as error:
        e.leaderboard(k=2)
    assert error.value.code == "range"
    single = e.select("m", "a").leaderboard()
    assert single.table[0].average == single.each[0].average == eval.interval(e["m", "a"], questions="fixed")


def test_macro_averages_of_only_successes_or_failures_have_an_interval():
    for c in ([2, 2], [0, 0]):
        part = {"m": (c, [2, 2])}
        (row,) = evaluation(a=part, b=part).leaderboard().table
        x = row.average
        assert (x.mu, x.sigma) == (c[0] / 2, 0.0)
        assert 0 <= x.lo <= x.mu <= x.hi <= 1
        assert x.hi - x.lo > 0.1


def test_evaluations_are_added(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("question,outcome\nq,1\np,0\n")
    a, b = (read(tmp_path / f"{x}.csv") for x in "ab")
    assert (a + b).models == ("a", "b")
    assert (a + b)["b"] == b["b"]
    assert len((a + b).provenance.files) == 2
    conflict(lambda: a + a, "logs")
    both = a + read(opencompass(tmp_path / "x", toy=FOUR))
    assert (list(both.benchmarks), both.provenance.format) == (["", "toy"], "table, opencompass")
    scored = read(tmp_path / "a.csv", w="levels") + read(tmp_path / "b.csv", w="levels")
    assert scored.models == ("a", "b")
    conflict(lambda: read(tmp_path / "a.csv", w=[0, 2]) + b, "logs")


def written_scores(path, scores):
    """Write a table of the scores of each model, one score for each of the questions 1, 2, ...; return its path."""
    lines = [f"{m},{q},{x}\n" for m, row in scores.items() for q, x in enumerate(row, 1)]
    path.write_text("model,question,outcome\n" + "".join(lines))
    return path


def test_scores_from_0_to_1_have_the_ends_0_and_1(tmp_path):
    path = written_scores(tmp_path / "a.csv", {"a": [0.25, 0.5, 0.5]})
    e, with_scale = read(path, w="levels"), read(path, scale=(0, 1))
    (row,), (expected,) = e.leaderboard().table, with_scale.leaderboard().table
    assert row.average == expected.average  # not the interval on a scale from .25 to .5
    assert (round(row.average.lo, 3), round(row.average.hi, 3)) == (0.093, 0.832)
    assert e.leaderboard().to_dict()["notes"] == with_scale.leaderboard().to_dict()["notes"]
    assert e.plan(half_width=0.1).to_dict()["rows"] == with_scale.plan(half_width=0.1).to_dict()["rows"]
    assert e.metrics().to_dict()["rows"] == with_scale.metrics().to_dict()["rows"]


def test_the_scale_is_that_of_all_models_of_the_benchmark(tmp_path):
    scores = {"m": [2, 3, 4, 5] * 5, "n": [2, 3, 4, 9] * 5}
    path = written_scores(tmp_path / "a.csv", scores)
    e, with_scale = read(path, w="levels"), read(path, scale=(2, 9))
    assert (e.benchmark().seen, with_scale.benchmark().seen) == (True, False)
    board = e.leaderboard()
    assert any("Scores run from 2 to 9 in this log" in x for x in board.to_dict()["notes"])
    for analysis in ("leaderboard", "compare", "rank", "metrics", "plan", "report"):
        results = [getattr(x, analysis)() for x in (e, with_scale)]
        if analysis == "report":
            results = [x.leaderboard for x in results]
        assert results[0].to_dict()["rows"] == results[1].to_dict()["rows"], analysis
    gates = [x.gate("n", "m", margin=0.1, questions="sampled") for x in (e, with_scale)]
    assert gates[0].to_dict()["rows"] == gates[1].to_dict()["rows"]
    selected = e.select("m").leaderboard().table[0].average
    assert selected == next(x.average for x in board.table if x.model == "m")
    wide = read(path, scale=(0, 1000))
    assert (wide.w[0], wide.w[-1], wide.benchmark().seen) == (0, 1000, False)
    refused("range", "outcome", path, scale=(0, 8))
    for bad in ((1, 1), (2, 1), (1,), (0, float("inf")), "ab", 3):
        with pytest.raises(InvalidInput):
            read(path, scale=bad)
    with pytest.raises(InvalidInput):
        read(path, scale=(0, 1), w=[0, 1])


def test_intervals_of_several_scales_cover_at_once():
    a, b = ([[int(q % n == 0), int(q % n < 2)] for q in range(12)] for n in (3, 4))
    factors = {"x": 1, "y": 10, "z": 100}
    one_scale = read({name: {"a": a, "b": b} for name in factors}).compare(questions="fixed")
    scaled = {name: {m: np.array(R) * f for m, R in (("a", a), ("b", b))} for name, f in factors.items()}
    x = read(scaled, w="levels").compare(questions="fixed")
    assert "95% CI (fixed), all at once" in str(x)  # no macro-average of scores on different scales
    assert "95% CI (fixed); benchmarks at once" in str(one_scale)
    macro, verdict = one_scale.table[0], one_scale.verdicts[0]
    assert (macro.benchmark, macro.lo, macro.hi) == (None, verdict.lo, verdict.hi)
    assert [row.benchmark for row in x.table] == [*factors]
    for row, expected, factor in zip(x.table, one_scale.table[1:], factors.values(), strict=True):
        # the interval of a single comparison, 1.965 standard errors to each side, is shorter than 4
        assert (row.lo, row.hi) == pytest.approx((factor * expected.lo, factor * expected.hi), rel=1e-12)
        assert (row.hi - row.lo) / row.sigma > 4
        assert row.p_adjusted == pytest.approx(expected.p_adjusted, rel=1e-12)


def test_pairs_without_shared_questions_are_left_out(tmp_path):
    """Check three models of two benchmarks on different scales, one of which has two models that share no question."""
    rows = [f"{m},t1,q{i},{(i * s) % 7}" for s, m in enumerate("abc", 1) for i in range(9)]
    rows += [f"a,t2,q{i},{i % 2}" for i in range(5)] + [f"b,t2,p{i},{i % 2}" for i in range(5)]
    (tmp_path / "a.csv").write_text("\n".join(["model,task,question,outcome", *rows]))
    e = read(tmp_path / "a.csv", w="levels")
    pairs = compare_pairs(e, Request(questions="sampled"))
    assert [(x.benchmark, x.a, x.b) for x in pairs.each] == [("t1", "a", "b"), ("t1", "a", "c"), ("t1", "b", "c")]
    assert len(e.leaderboard(questions="sampled").each) == 5


def test_subgroups_are_benchmarks(tmp_path):
    """Check that compare(by=) has a row of each subgroup, and is refused where the log was not read by subgroups."""
    rows = [f"{m},{s},{s}{i},{(i * n) % 3 % 2}" for n, m in enumerate("ab", 1) for s in "xy" for i in range(9)]
    (tmp_path / "a.csv").write_text("\n".join(["model,subject,question,outcome", *rows]))
    assert "columns={'task': 'subject'}" in conflict(lambda: read(tmp_path / "a.csv").compare(by="subject"), "by")
    by_subject = read(tmp_path / "a.csv", columns={"task": "subject"}).compare(by="subject")
    assert [row.benchmark for row in by_subject.table] == ["x", "y"]


def test_stated_scores_and_levels_get_one_scale():
    """Check that benchmarks of stated scores and of scores from the log have the same categories when pooled."""
    stated = read({"A": {"m": [[0, 1, 2], [2, 2, 1]]}}, w=[0, 0.5, 1])
    levels = read({"B": {"m": np.array([[0, 0.25, 1], [0.25, 1, 1]])}}, w="levels")
    for e in (stated + levels, levels + stated):
        assert e.w == (0, 0.25, 0.5, 1)
        totals = e["m"].table.sum(axis=0)
        assert totals.tolist() == [2, 2, 2, 6]
        assert sinf.compare_all({"m": e["m"], "n": e["m"]}, w=e.w, questions="fixed")[0].mu == 0
        assert e.pooled().w == e.w


def test_a_task_is_read_from_a_file_of_several(tmp_path):
    """Check that lines of other tasks do not end the file."""
    lines = [
        {"schema_version": "1", "evaluation_id": "run", "model_id": "m", "evaluation_name": task, "sample_id": f"q{i}",
         "evaluation": {"is_correct": bool(i % 2), "score": 1.0}}
        for i, task in enumerate("babaa")
    ]  # fmt: skip
    (tmp_path / "a_samples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    trace = {"agent": {"name": "x", "config": {"model": "m"}}, "rewards": {"r": {"score": 1.0, "weight": 1.0}}}
    traces = [
        {"env": task, "task": {"key": f"q{i}"}, "errors": [], "ok": True, "traces": [trace]}
        for i, task in enumerate("babaa")
    ]
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(line) + "\n" for line in traces))
    runs = []
    for run, task in enumerate("bab"):  # each run states its own accuracy, which must not be compared with all outcomes
        spec = {"run_id": f"r{run}", "completion_fns": ["m"], "eval_name": task}
        runs += [{"spec": spec}, {"final_report": {"accuracy": (0.5, 1 / 3, 0.9)[run]}, "run_id": f"r{run}"}]
        runs += [
            {"run_id": f"r{run}", "event_id": i, "sample_id": f"q{i}", "type": "match", "data": {"correct": i < 2}}
            for i, y in enumerate("babaa")
            if y == task
        ]
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in runs))
    for name, options in (("a_samples.jsonl", {}), ("traces.jsonl", {"w": "levels"}), ("events.jsonl", {})):
        for task, ids in (("a", ["q1", "q3", "q4"]), ("b", ["q0", "q2"])):
            e = read(tmp_path / name, task=task, **options)
            assert (list(e.benchmarks), sorted(e.log("m").ids), e.provenance.remarks) == ([task], ids, ()), name


def test_many_distinct_scores_are_read(tmp_path):
    x = np.random.default_rng(0).normal(size=(40, 50))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"question": i, "outcome": y}) + "\n" for i, row in enumerate(x) for y in row))
    e = read(path, w="levels")
    (row,) = e.leaderboard().table
    assert len(e.w) == 2000
    order = np.sort(x, axis=1)  # Max@2: the mean of the larger one over all pairs of trials
    assert row.at_k["max@2"].mu == pytest.approx((order * np.arange(50)).sum() / (comb(50, 2) * 40))
    assert row.average.mu == pytest.approx(x.mean())
    assert row.average.sigma == pytest.approx(sqrt((x.var(axis=1, ddof=1) / 50).mean() / 40), rel=0.05)
    np.save(tmp_path / "b.npy", x)
    assert read(tmp_path / "b.npy", w="levels").w == e.w


@pytest.mark.parametrize("command", ["leaderboard", "evaluate", "compare", "rank"])
def test_an_error_of_a_large_k_names_the_largest_valid_k(tmp_path, capsys, command):
    path = tmp_path / "a.csv"
    path.write_text(
        "model,question,outcome\n" + "".join(f"{m},q{i},{i}\n" for m in "ab" for i in (0, 1) for _ in range(3))
    )
    more = ["--metric", "pass@k"] if command == "rank" else []
    assert main([command, str(path), "--k", "5", *more]) == 2
    error = capsys.readouterr().err
    assert "k = 5 is above the trials of 2 questions ('q0', 'q1') of model 'a': k up to 3 works" in error


@pytest.mark.slow
def test_sparse_and_dense_pairs_agree(monkeypatch):
    rng = np.random.default_rng(1)
    table = np.zeros((30, 90), np.int64)
    for row in table:
        np.add.at(row, rng.integers(0, 90, 5), 1)
    w = rng.normal(size=90).tolist()
    results = []
    for max_dense in (64, 1000):
        for module in (states, counting, mean, rewards):
            monkeypatch.setattr(module, "MAX_DENSE", max_dense)
        counts = Counts._from_entries(*np.nonzero(table), table[table > 0], np.zeros(30, np.int64), 89)
        assert isinstance(counts._matrix, states.Sparse) == (max_dense == 64)
        results.append((*(eval.mean_ci(counts, w, questions=q) for q in ("fixed", "sampled")), eval.bayes(counts, w)))
    assert results[0] == results[1]
