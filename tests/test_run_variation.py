"""Runs: the statistic, how readers know runs, the note under tables, and what sampled runs change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import scorio
from scorio import InvalidInput, eval, plot, rank, sinf
from scorio.analysis.runs import differing_runs
from scorio.arithmetic.double_double import ext, value
from scorio.inference.runs import run_effects
from scorio.outcomes.by_run import by_run
from scorio.readers import engine

EXAMPLE = [[1, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]]
W = (0.0, 0.25, 1.0)


def log_of(M: int = 60, N: int = 4, models: str = "ab", shift: float = 0.0, seed: int = 0) -> pd.DataFrame:
    """A log in which run 2 of the first model is shifted."""
    rng = np.random.default_rng(seed)
    rate = rng.random(M)
    rows = [
        (m, q, t, int(rng.random() < rate[q] - shift * (t == 2 and m == models[0])))
        for m in models for q in range(M) for t in range(N)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["model", "question", "trial", "outcome"])


def naive(matrices: list[Any], w: Any = (0.0, 1.0), sessions: list[Any] | None = None) -> tuple[float, float]:
    """Ratio and df by plain loops over trials, in doubles."""
    f, ratio = [], []
    for R in matrices:
        label = sessions or list(range(len(R[0])))
        runs = list(dict.fromkeys(label))
        rows = [[(label[j], w[int(x)]) for j, x in enumerate(row) if x is not None and x == x] for row in R]
        rows = [row for row in rows if row]
        influence, expected = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0.0)
        for row in rows:
            n, mean = len(row), sum(u for _, u in row) / len(row)
            v = sum((u - mean) ** 2 for _, u in row) / (n * (n - 1)) if n > 1 else 0.0
            for r in runs:
                own = [u for run, u in row if run == r]
                influence[r] += sum(u - mean for u in own) / n
                expected[r] += v * len(own) / n * (1 - len(own) / n)
        total = sum(expected.values())
        if len(rows) > 1 and total > 0:
            f.append(total**2 / sum(x * x for x in expected.values()) - 1)
            ratio.append(sum(x * x for x in influence.values()) / total)
    return sum(a * b for a, b in zip(f, ratio, strict=True)) / sum(f), sum(f)


# --- the statistic ------------------------------------------------------------------------------------


def test_the_statistic_is_cochrans_q() -> None:
    stats = pytest.importorskip("scipy.stats")
    R = np.random.default_rng(1).integers(0, 2, (200, 5))
    C, S, T = R.sum(0), R.sum(1), R.sum()
    q = (5 - 1) * (5 * (C**2).sum() - T**2) / (5 * T - (S**2).sum())
    x = sinf.run_variation(R)
    assert (x.ratio * x.df, x.df) == (pytest.approx(q), 4)
    assert x.p_value == pytest.approx(stats.chi2.sf(q, 4), rel=0.02)


@pytest.mark.parametrize("seed", range(25))
def test_the_statistic_is_that_of_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    L, M, N, graded = int(rng.integers(1, 4)), int(rng.integers(3, 30)), int(rng.integers(2, 7)), bool(seed % 2)
    w = W if graded else (0.0, 1.0)
    R = [rng.integers(0, len(w), (M, N)).tolist() for _ in range(L)]
    missing = seed % 3 == 0
    if missing:
        R = [[[None if rng.random() < 0.2 else x for x in row] for row in model] for model in R]
    sessions = [["x", "y", "x", "z", "y", "x"][j] for j in range(N)] if seed % 5 == 0 else None
    named = {f"m{i}": model for i, model in enumerate(R)}
    x = sinf.run_variation(
        named if L > 1 else R[0], w if graded else None, sessions=sessions, missing="drop" if missing else "raise"
    )
    ratio, df = naive(R, w, sessions)
    assert (x.ratio, x.df) == (pytest.approx(ratio, rel=1e-9), pytest.approx(df, rel=1e-9))


def test_the_standard_deviation_is_that_of_the_runs() -> None:
    rng = np.random.default_rng(2)
    rate, shift = rng.uniform(0.3, 0.7, 4000), rng.normal(0, 0.03, 24)
    x = sinf.run_variation(rng.random((4000, 24)) < rate[:, None] + shift)
    assert x.sd == pytest.approx(shift.std(ddof=1), rel=0.1)
    assert x.deviation == pytest.approx((shift - shift.mean())[x.run], abs=0.015)


# --- the argument runs --------------------------------------------------------------------------------


def calls(A: Any, B: Any, questions: Any) -> dict[str, Callable[..., Any]]:
    both = {"a": A, "b": B}
    return {
        "interval": lambda **o: eval.interval(A, questions=questions, **o),
        "compare": lambda **o: sinf.compare(A, B, questions=questions, **o),
        "compare_all": lambda **o: sinf.compare_all(both, questions=questions, **o)[0],
        "gate": lambda **o: sinf.gate(A, B, margin=0.1, questions=questions, **o),
        "suite": lambda **o: sinf.suite({"x": both}, questions=questions, **o).pairs[0],
        "gate_suite": lambda **o: sinf.gate_suite({"x": A}, {"x": B}, margin=0.1, questions=questions, **o).mean,
    }


@pytest.mark.parametrize(("questions", "seed"), [*product(("fixed", "sampled"), range(6))])
def test_sampled_runs_never_give_a_narrower_interval(questions: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rate, shift = rng.random((40, 1)), rng.normal(0, 0.1 * (seed % 3), 5)
    A, B = (rng.random((40, 5)) < np.clip(rate + shift, 0, 1) for _ in range(2))
    known = {"R": sinf.run_variation(A), "both": sinf.run_variation({"a": A, "b": B})}
    for name, f in calls(A, B, questions).items():
        fixed, sampled = f(), f(runs="sampled")
        assert sampled.lo <= fixed.lo <= fixed.hi <= sampled.hi, name
        x = known["R" if name == "interval" else "both"]
        stated = f(runs=x)
        assert stated == f(runs={"ratio": x.ratio, "df": x.df})
        assert f(runs="fixed") == fixed
        if name == "interval":
            assert stated == sampled
        else:
            assert stated.lo <= fixed.lo <= fixed.hi <= stated.hi, name


def test_ranges_are_those_of_all_comparisons() -> None:
    rng = np.random.default_rng(4)
    for questions, ratio in product(("fixed", "sampled"), (0.6, 3.0)):
        rate = rng.random((50, 1))
        models = {f"m{i}": rng.random((50, 3)) < np.clip(rate + 0.06 * i, 0, 1) for i in range(6)}
        runs = {"ratio": ratio, "df": 12.0}
        lost, won = dict.fromkeys(models, 0), dict.fromkeys(models, 0)
        for x in sinf.compare_all(models, questions=questions, runs=runs):
            if x.significant:
                won[x.a if x.mu > 0 else x.b] += 1
                lost[x.b if x.mu > 0 else x.a] += 1
        for name, x in rank.ranges(models, questions=questions, runs=runs).items():
            assert (x.best, x.worst) == (1 + lost[name], 6 - won[name])


def test_counts_do_not_know_runs() -> None:
    counts = scorio.tally(EXAMPLE)
    with pytest.raises(InvalidInput, match="Counts, which do not know") as e:
        eval.interval(counts, questions="fixed", runs="sampled")
    assert (e.value.code, e.value.argument) == ("conflict", "runs")
    runs = sinf.run_variation(EXAMPLE)
    assert eval.interval(counts, questions="fixed", runs=runs) == eval.interval(
        EXAMPLE, questions="fixed", runs="sampled"
    )


def test_a_table_of_metrics_takes_runs() -> None:
    rows = scorio.evaluate(EXAMPLE, k=2, questions="fixed", runs="sampled")
    assert [x.parameters for x in rows[:2]] == ["questions=fixed, runs=sampled"] * 2
    x = eval.interval(EXAMPLE, "pass@k", 2, questions="fixed", runs="sampled")
    assert (rows[1].lo, rows[1].hi) == (x.lo, x.hi)


# --- readers ------------------------------------------------------------------------------------------


def variation(source: Any, **options: Any) -> Any:
    return scorio.read(source, **options).benchmark().run_variation


def test_every_reader_keeps_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of()
    matrix = {m: log[log.model == m].outcome.to_numpy().reshape(60, 4) for m in "ab"}
    want = sinf.run_variation(matrix)._replace(run=str(sinf.run_variation(matrix).run))
    log.to_csv(tmp_path / "a.csv", index=False)
    log.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    log.to_parquet(tmp_path / "a.parquet")
    for path in sorted(tmp_path.iterdir()):
        assert variation(path) == want
    for frame in (log, pl.from_pandas(log), pl.from_pandas(log).lazy()):
        assert scorio.io.from_frame(frame).benchmark().run_variation == want
        assert scorio.io.from_frame(frame, trials=True).benchmark().run_variation == want
    assert variation(matrix) == want
    monkeypatch.setattr(engine, "MIN_BYTES", 0)
    assert variation(tmp_path / "a.csv") == variation(tmp_path / "a.jsonl") == want


def test_incomplete_runs_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of().sample(frac=0.85, random_state=3)
    path = tmp_path / "a.csv"
    log.to_csv(path, index=False)
    R = {
        m: log[log.model == m].pivot_table(index="question", columns="trial", values="outcome").to_numpy() for m in "ab"
    }
    want = sinf.run_variation(R, missing="drop")
    x = variation(path, missing="drop")
    assert (x.ratio, x.df, x.sd) == (want.ratio, want.df, want.sd)
    as_wrong, want = variation(path, missing=0), sinf.run_variation(R, missing=0)
    assert (as_wrong.ratio, as_wrong.df) == (want.ratio, want.df)
    monkeypatch.setattr(engine, "MIN_BYTES", 0)
    assert variation(path, missing="drop") == x


def test_a_column_is_the_run(tmp_path: Path) -> None:
    log = log_of(N=6)
    log["prompt"] = ["p" + "xyz"[t % 3] for t in log.trial]
    log.to_csv(tmp_path / "a.csv", index=False)
    x = variation(tmp_path / "a.csv", runs_by="prompt")
    matrix = {m: log[log.model == m].outcome.to_numpy().reshape(60, 6) for m in "ab"}
    want = sinf.run_variation(matrix, sessions=["x", "y", "z"] * 2)
    assert (x.ratio, x.df, x.deviation) == (want.ratio, want.df, want.deviation)
    assert x.run in ("px", "py", "pz")


@pytest.mark.parametrize("name", ["run", "seed", "Epoch", "session_id", "repetition"])
def test_a_usual_column_tells_runs_apart(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of().rename(columns={"trial": name})
    log[name] += 7
    matrix = {m: log[log.model == m].outcome.to_numpy().reshape(60, 4) for m in "ab"}
    want = sinf.run_variation(matrix)
    log.to_csv(tmp_path / "a.csv", index=False)
    log.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    known = [variation(x) for x in sorted(tmp_path.iterdir())]
    known += [scorio.io.from_frame(x).benchmark().run_variation for x in (log, pl.from_pandas(log))]
    known.append(scorio.io.from_frame(log, trials=True).benchmark().run_variation)
    monkeypatch.setattr(engine, "MIN_BYTES", 0)
    known += [variation(x) for x in sorted(tmp_path.iterdir())]
    assert known == [want._replace(run=str(want.run + 7))] * 7
    two = pd.concat([log, log])  # two trials of a question in each run
    two.to_csv(tmp_path / "a.csv", index=False)
    x = variation(tmp_path / "a.csv")
    want = sinf.run_variation({m: np.hstack([R, R]) for m, R in matrix.items()}, sessions=[*"wxyz"] * 2)
    assert (x.ratio, x.df) == (want.ratio, want.df)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_runs_by_a_column_of_a_frame_are_those_of_the_table(make: Any, tmp_path: Path) -> None:
    log = log_of(M=40).rename(columns={"trial": "prompt"}).astype({"prompt": "string"})
    log.to_csv(tmp_path / "log.csv", index=False)
    want = variation(tmp_path / "log.csv", runs_by="prompt")
    assert want is not None
    assert variation(make(log.to_dict("list")), runs_by="prompt") == want


def test_files_are_runs(tmp_path: Path) -> None:
    log = log_of(models="m")
    (tmp_path / "m").mkdir()
    for t, rows in log.groupby("trial"):
        rows[["question", "outcome"]].to_csv(tmp_path / "m" / f"run{t}.csv", index=False)
    for options in ({"files_are_runs": True}, {"layout": "{model}/{run}.csv"}):
        x = variation(tmp_path, **options)
        want = sinf.run_variation(log.outcome.to_numpy().reshape(60, 4))
        assert (x.ratio, x.df) == (want.ratio, want.df)


def test_counts_by_run_are_known(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [(q, r, int(rng.binomial(5, 0.5)), 5) for q in range(20) for r in ("mon", "tue", "wed")]
    pd.DataFrame(rows, columns=["question", "run", "c", "n"]).to_csv(tmp_path / "a.csv", index=False)
    for x in (
        variation(tmp_path / "a.csv"),
        scorio.io.from_frame(pd.read_csv(tmp_path / "a.csv")).benchmark().run_variation,
    ):
        assert x.run in ("mon", "tue", "wed")
    R = [[int(i < c) for _, _, c, n in rows[3 * q : 3 * q + 3] for i in range(n)] for q in range(20)]
    want = sinf.run_variation(R, sessions=[d for d in "mtw" for _ in range(5)])
    assert (x.ratio, x.df) == (want.ratio, want.df)


def test_trials_without_common_ids_have_no_runs(run: Any, tmp_path: Path) -> None:
    log = log_of()
    log["trial"] = [f"t{i}" for i in range(len(log))]
    log.to_csv(tmp_path / "a.csv", index=False)
    assert variation(tmp_path / "a.csv") is None
    log.drop(columns="trial").to_csv(tmp_path / "b.csv", index=False)
    assert variation(tmp_path / "b.csv") is None
    for command in ("leaderboard", "runs"):
        code, _, err = run(command, tmp_path / "a.csv", *(["--runs", "sampled"] if command != "runs" else []))
        assert code == 2
        assert "--runs-by COLUMN" in err


# --- commands -----------------------------------------------------------------------------------------


@pytest.fixture
def shifted(tmp_path: Path) -> Path:
    log_of(M=200, models="abc", shift=0.3).to_csv(tmp_path / "log.csv", index=False)
    return tmp_path / "log.csv"


def test_a_table_says_that_runs_differ(run: Any, shifted: Path, tmp_path: Path) -> None:
    for command in ("leaderboard", "rank", "evaluate"):
        _, out, _ = run(command, shifted)
        text = " ".join(out.split())
        assert "Runs differ more than chance explains (" in text
        assert "run 2 of a is " in text
        assert text.endswith("Intervals that account for it: --runs sampled.") or command == "evaluate"
        _, out, _ = run(command, shifted, "--runs", "sampled")
        assert "(fixed, runs)" in out
        assert "--runs sampled" not in out
    log_of(M=200).to_csv(tmp_path / "same.csv", index=False)
    assert "chance explains" not in run("leaderboard", tmp_path / "same.csv")[1]


def test_the_level_is_shared_by_benchmarks() -> None:
    R = {"m": np.random.default_rng(0).random((80, 5)) < np.array([0.5, 0.5, 0.5, 0.5, 0.66])}
    e = scorio.read(R)
    p = e.benchmark().run_variation.p_value
    assert 0.0125 < p < 0.05
    assert [*differing_runs(e)] == [""]
    same = {"m": np.random.default_rng(1).random((80, 5)) < 0.5}
    assert not differing_runs(scorio.read({"x": R, "y": same, "z": same, "u": same}))


def matrices(log: pd.DataFrame) -> dict[str, Any]:
    """The outcomes of each model, a column for each run."""
    return {m: x.pivot(index="question", columns="trial", values="outcome").to_numpy() for m, x in log.groupby("model")}


@pytest.mark.parametrize("runs", ["sampled", "shared"])
def test_commands_account_for_runs_as_functions_do(run_json: Any, shifted: Path, runs: str) -> None:
    R, target = matrices(pd.read_csv(shifted)), {"questions": "fixed", "runs": runs}
    suite = sinf.suite({"x": R}, **target)
    board = run_json("leaderboard", shifted, "--runs", runs)
    assert board["runs"] == runs
    ends = {row.model: (row.lo, row.hi) for row in suite.models}
    assert {row["model"]: (row["lo"], row["hi"]) for row in board["rows"]} == ends
    # a pair has the runs of all models of the log
    first = sinf.compare_all(R, correction=None, **target)[0]
    (row,) = run_json("compare", shifted, "a", "b", "--runs", runs)["rows"]
    assert (row["lo"], row["hi"], row["p_value"]) == (first.lo, first.hi, first.p_value)
    ranges = run_json("rank", shifted, "--runs", runs)["rows"]
    assert {r["model"]: (r["best"], r["worst"]) for r in ranges} == rank.ranges(R, **target)
    e = scorio.read(shifted)
    gate, level = e.gate("b", "c", margin=0.1, runs=runs), {"margin": 0.1, "questions": "fixed"}
    if runs == "shared":
        x = sinf.gate(R["b"], R["c"], runs=runs, **level)
    else:  # the third model counts too
        x = sinf.gate(e["b"], e["c"], runs=e.benchmark().sampled_runs(runs, ["b", "c"]), **level)
        assert x.lo != sinf.gate(R["b"], R["c"], runs=runs, **level).lo
    assert (gate.table[0].lo, gate.verdict) == (x.lo, x.verdict)


def test_models_whose_runs_differ_more_than_those_of_others_stand_by_themselves() -> None:
    """With one lambda for all models 15% of comparisons of two such models erred at 5%."""
    R = matrices(log_of(M=300, N=6, models="abcdefgh", shift=0.5))
    own = {m: sinf.run_variation(x) for m, x in R.items()}
    assert own["a"].ratio > 5 * sinf.run_variation(R).ratio
    p = {(x.a, x.b): x for x in sinf.compare_all(R, correction=None, questions="fixed", runs="sampled")}
    assert 5 < p["a", "b"].df < 7  # of two models of 6 runs, one of which differs more
    assert p["g", "h"].df > 30
    assert p["a", "b"].sigma > 1.5 * p["g", "h"].sigma
    counts = {m: scorio.Counts(np.stack([6 - x.sum(1), x.sum(1)], 1)) for m, x in R.items()}
    assert rank.ranges(R, questions="fixed", runs="sampled") != rank.ranges(counts, questions="fixed", runs="fixed")


def test_few_runs_that_differ_more_are_not_hidden_by_the_many_of_the_other_model() -> None:
    """With one lambda for both 42% of comparisons erred at 5%, where 2 runs beside 10 differ by 8 points."""
    rng = np.random.default_rng(5)
    rate = rng.beta(2, 2, (300, 1))
    noisy = (rng.random((300, 2)) < np.clip(rate + np.array([-0.12, 0.12]), 0, 1)).astype(int)
    quiet = (rng.random((300, 10)) < rate).astype(int)
    x = sinf.compare(noisy, quiet, runs="sampled", questions="fixed")
    pooled = sinf.compare(noisy, quiet, runs=sinf.run_variation({"a": noisy, "b": quiet}), questions="fixed")
    assert x.df < 1.5
    assert x.hi - x.lo > 4 * (pooled.hi - pooled.lo)
    # in suites and over pairs the same
    assert sinf.compare_all({"a": noisy, "b": quiet}, runs="sampled", questions="fixed")[0].df == x.df


@pytest.mark.parametrize("seed", range(12))
def test_the_ratio_of_a_statement_is_that_of_plain_loops(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(seed)
    L, M, N = int(rng.integers(3, 6)), int(rng.integers(8, 30)), int(rng.integers(2, 6))
    rates = np.clip(rng.random((M, 1)) + rng.normal(0, 0.15, (L, 1, N)) * (np.arange(L) < 2)[:, None, None], 0, 1)
    R = (rng.random((L, M, N)) < rates).astype(int)
    effects = {word: run_effects([by_run(x, 1, "raise", "R") for x in R], (0.0, 1.0), word) for word in (False, True)}
    of, own = [], []
    for i in range(L):
        (x, f), (y, g) = naive([R[i]]), naive([R[k] for k in range(L) if k != i])
        w = min(1.0, max(0.0, 2.5 * stats.f.sf(x / y, f, g) - 0.25))
        own.append(f)
        of.append(((f * x + w * g * y) / (f + w * g), f + w * g))
        assert [value(z) for z in effects[False].about(i)] == pytest.approx(of[i])
    for i, j in combinations(range(L), 2):
        V = rng.random(2)
        parts = [v * of[k][0] for v, k in zip(V, (i, j), strict=True)]
        f = sum(parts) ** 2 / sum(v * v / of[k][1] for v, k in zip(parts, (i, j), strict=True))
        f = min(f, 1.25 * max(of[i][1], of[j][1], own[i] + own[j]))
        pair = effects[False].about(i, j).over(*map(ext, V))
        assert [value(z) for z in pair] == pytest.approx((sum(parts) / V.sum(), f))
        D = R[i].astype(float) - R[j]
        centred = (D - D.mean(1, keepdims=True)).sum(0) / (N * M)
        within = sum(Z.var(1, ddof=1).sum() for Z in (R[i], R[j])) / N * (1 - 1 / N) / N / M**2
        assert [value(z) for z in effects[True].about(i, j)] == pytest.approx(((centred**2).sum() / within / N, N - 1))


def test_several_benchmarks_have_their_own_runs() -> None:
    logs = {"x": log_of(M=60, shift=0.4, seed=1), "y": log_of(M=60, seed=2)}
    e = scorio.io.from_frame(pd.concat([log.assign(task=name) for name, log in logs.items()]))
    x = {name: part.run_variation for name, part in e.benchmarks.items()}
    assert x["x"].ratio > 2 > x["y"].ratio
    R = {name: matrices(log) for name, log in logs.items()}
    suite = sinf.suite(R, questions="fixed", runs="sampled")
    board = e.leaderboard(runs="sampled", pairs=True)
    assert {row.model: row.average.lo for row in board.table} == {row.model: row.lo for row in suite.models}
    assert board.pairs.overall[0].p_value == suite.pairs[0].p_value
    gate = e.gate("a", "b", margin=0.2, runs="sampled")
    want = sinf.gate_suite(
        *({name: R[name][m] for name in R} for m in "ab"), margin=0.2, questions="fixed", runs="sampled"
    )
    assert (gate.table[0].lo, gate.verdict) == (want.mean.lo, want.verdict)


@pytest.mark.parametrize(("names", "said"), [(["terse", "polite", "long"], True), (["run 1", "seed_2", "3"], False)])
def test_runs_with_the_names_of_prompts_may_be_shared(run: Any, tmp_path: Path, names: list[str], said: bool) -> None:
    log = log_of(M=80, N=3)
    log.assign(trial=log.trial.map(dict(enumerate(names)))).to_csv(tmp_path / "log.csv", index=False)
    for runs, expected in (("sampled", said), ("shared", False), ("fixed", False)):
        _, out, _ = run("leaderboard", tmp_path / "log.csv", "--runs", runs)
        assert ("--runs shared" in " ".join(out.split())) == expected


def test_prompts_of_some_models_are_named(run: Any, tmp_path: Path) -> None:
    log = log_of(M=80, N=3)
    log = log.assign(trial=log.trial.map(dict(enumerate(("terse", "polite", "long")))))
    log[(log.model == "a") | (log.trial != "long")].to_csv(tmp_path / "log.csv", index=False)
    for runs, expected in (("shared", True), ("sampled", False)):
        _, out, err = run("leaderboard", tmp_path / "log.csv", "--runs", runs)
        assert ("Not all models have these runs: long." in " ".join((out + err).split())) == expected


def test_verdicts_name_similar_runs(run: Any, shifted: Path) -> None:
    _, out, _ = run("compare", shifted, "a", "b", "--runs", "sampled")
    text = " ".join(out.split())
    assert "On these questions, in similar runs, " in text
    assert "On similar questions, in similar runs, " in text


def test_the_command_shows_every_run(run: Any, run_json: Any, shifted: Path) -> None:
    x = run_json("runs", shifted)
    assert (x["schema"], len(x["rows"])) == ("scorio.runs/1", 12)
    log = pd.read_csv(shifted)
    for row in x["rows"]:
        own = log[log.model == row["model"]]
        mean = own[own.trial == int(row["run"])].outcome.mean()
        assert (row["trials"], row["average"]) == (200, pytest.approx(mean))
        assert row["deviation"] == pytest.approx(mean - own.outcome.mean())
        assert row["z"] == pytest.approx(row["deviation"] / row["chance"])
    (each,) = x["each"]
    assert each["sd_lo"] < each["sd"] < each["sd_hi"]
    assert (each["model"], each["run"]) == ("a", "2")
    _, out, _ = run("runs", shifted)
    text = " ".join(out.split())
    assert "Runs differ more than chance explains" in text
    assert "The run that stands out most is run 2 of a, " in text


def test_equal_averages_are_not_unknown_ones() -> None:
    text = " ".join(str(scorio.read({"m": np.array([[0, 1], [1, 0], [0, 1], [1, 0]])}).runs()).split())
    assert "Runs are not shown to differ beyond chance (0.00 times the variance" in text
    assert "stands out" not in text
    text = " ".join(str(scorio.read({"m": np.array([[1, 1], [0, 0], [1, 1]])}).runs()).split())
    assert "No question has different outcomes in two runs" in text


def test_shares_of_the_variance_add_up(shifted: Path) -> None:
    shares = scorio.read(shifted).runs().shares
    assert [x.model for x in shares] == ["a", "b", "c"]
    for x in shares:
        assert x.questions + x.runs + x.trials == pytest.approx(1.0)
        assert min(x.questions, x.runs, x.trials) >= 0.0
    assert shares[0].runs > 0.05


def test_runs_that_lack_outcomes_are_named(run: Any, tmp_path: Path) -> None:
    log = log_of(M=50, models="m")
    log = log[(log.trial != 3) | (log.question < 30)]
    log.to_csv(tmp_path / "a.csv", index=False)
    _, out, _ = run("runs", tmp_path / "a.csv", "--missing", "drop")
    assert "Runs with fewer outcomes than others: 3 of m (30 of 50)." in " ".join(out.split())


@pytest.mark.slow
def test_the_interval_of_the_standard_deviation_covers() -> None:
    hits = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        R = {m: rng.random((300, 6)) < rng.random((300, 1)) * 0.8 + 0.1 + rng.normal(0, 0.03, 6) for m in "ab"}
        (x,) = scorio.read(R).runs().each
        hits += x.sd_lo <= 0.03 <= x.sd_hi
    assert 182 <= hits <= 199  # about 190


def test_runs_are_drawn(shifted: Path, tmp_path: Path) -> None:
    e = scorio.read(shifted)
    ax = plot.runs(e)
    assert [x.get_text() for x in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax is e.runs().plot(ax)
    page = e.report(tmp_path / "r.html").to_html()
    assert "Runs of a: averages from" in page


def test_a_last_look_is_a_comparison() -> None:
    rng = np.random.default_rng(8)
    A, B = (rng.integers(0, 2, (30, 6)) for _ in range(2))
    for questions, size in (("fixed", 6), ("sampled", 30)):
        x = sinf.Monitor(planned=size, questions=questions).look(A, B, runs="sampled")
        want = sinf.compare(A, B, questions=questions, runs="sampled")
        assert (x.p_value, x.fraction) == (want.p_value, 1.0)
        assert (x.lo, x.hi) == (pytest.approx(want.lo), pytest.approx(want.hi))


def test_models_that_are_read_alone_are_not_pooled_with_others(run_json: Any, shifted: Path) -> None:
    e, log = scorio.read(shifted), pd.read_csv(shifted)
    R = {m: log[log.model == m].outcome.to_numpy().reshape(200, 4) for m in "bc"}
    (x,) = run_json("runs", shifted, "--model", "b", "--model", "c")["each"]
    assert x["ratio"] == sinf.run_variation(R).ratio
    assert e.select(["b", "c"]).benchmark().run_variation == e.benchmark().run_variation


def test_shared_runs_have_names_in_common(run: Any, tmp_path: Path) -> None:
    log = log_of(M=40, N=3)
    log.assign(trial=log.model + log.trial.astype(str)).to_csv(tmp_path / "log.csv", index=False)
    code, _, err = run("compare", tmp_path / "log.csv", "a", "b", "--runs", "shared")
    assert code == 2
    assert "no run has the same name in two models" in err
