"""Costs of trials: read with the outcomes, in leaderboards per solved task, and in the frontier of score and cost."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from test_newcomers import printed

from scorio import InvalidInput, items, read

ROOT = Path(__file__).resolve().parents[1]
MODELS = {"big": (0.8, 500), "mid": (0.6, 90), "poor": (0.4, 300)}  # success rate, and median tokens of a trial


@pytest.fixture(scope="module")
def trials() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Outcomes and tokens of each model, 40 questions by 4 trials."""
    rng = np.random.default_rng(1)
    return {
        m: ((rng.random((40, 4)) < p).astype(int), np.ceil(c * rng.lognormal(0, 0.5, (40, 4))))
        for m, (p, c) in MODELS.items()
    }


@pytest.fixture(scope="module")
def rows(trials) -> list[str]:
    return [
        f"{m},q{q},{t},{R[q, t]},{C[q, t] / 1000:.3f},{C[q, t]:.0f}"
        for m, (R, C) in trials.items() for q in range(40) for t in range(4)
    ]  # fmt: skip


def table(rows, header="model,question,trial,outcome,cost,tokens") -> BytesIO:
    return BytesIO("\n".join([header, *rows]).encode())


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize(("cost", "unit"), [(None, 1000), ("tokens", 1)])  # the column cost has thousands of tokens
def test_a_leaderboard_has_the_cost_of_a_solved_task(trials, rows, questions, cost, unit) -> None:
    x = read(table(rows), cost=cost).leaderboard(questions=questions)
    assert x.cost_unit == (cost or "cost")
    for row in x.table:
        R, C = trials[row.model]
        assert row.cost_per_solved == items.cost_per_solved(R, C / unit, questions=questions)


def test_frames_parquet_lines_and_columns_have_the_same_costs(rows, tmp_path) -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = pd.read_csv(table(rows))
    frame.to_parquet(tmp_path / "log.parquet")
    frame.to_json(tmp_path / "log.jsonl", orient="records", lines=True)
    other = frame.rename(columns={"outcome": "right", "cost": "price"})
    other.to_csv(tmp_path / "other.csv", index=False)
    names = {"outcome": "right"}
    same = [
        read(frame), read(pl.DataFrame(frame).lazy()), read(tmp_path / "log.parquet"), read(tmp_path / "log.jsonl"),
        read(tmp_path / "other.csv", columns=names, cost="price"), read(other, columns=names, cost="price"),
    ]  # fmt: skip
    costs = [{row.model: row.cost_per_solved for row in e.leaderboard().table} for e in [read(table(rows)), *same]]
    assert all(None not in x.values() for x in costs)
    assert all(x == costs[0] for x in costs)


def test_an_unknown_cost_is_not_zero(rows) -> None:
    """Check that an invalid cost gives a note and no cost of its model, or an error if costs were requested."""
    for bad, code in (("-1", "range"), ("dear", "type"), ("inf", "not_finite"), ("1e101", "range")):
        broken = [rows[0].rsplit(",", 2)[0] + f",{bad},5", *rows[1:]]
        x = read(table(broken)).leaderboard()
        assert [row.model for row in x.table if row.cost_per_solved is None] == ["big"]
        assert "No cost per solved of big" in " ".join(str(x).split())
        with pytest.raises(InvalidInput) as error:
            read(table(broken), cost="cost")
        assert error.value.code == code
    with pytest.raises(InvalidInput) as error:
        read(table(rows), cost="tokns")
    assert error.value.code == "choice"
    assert "tokens" in str(error.value)
    with pytest.raises(InvalidInput) as error:
        read({"a": [[1, 0]]}, cost="cost")
    assert error.value.code == "conflict"


def test_costs_of_missing_trials_follow_the_policy(trials, rows) -> None:
    R, C = trials["big"]
    R, incomplete = R.astype(object).copy(), rows[0].split(",")
    R[0, 0], incomplete[3] = None, ""
    log = [",".join(incomplete), *rows[1:]]
    for policy in ("drop", 0):
        row = read(table(log), missing=policy, cost="tokens").leaderboard().table[0]
        assert row.cost_per_solved == items.cost_per_solved(R, C, questions="fixed", missing=policy)
    assert read(table(log), missing="bounds", cost="tokens").leaderboard().table[0].cost_per_solved is None
    short = read(table(rows[1:]), missing=0).leaderboard().table[0]  # a trial that is not in the log has no cost
    assert short.cost_per_solved is None


def test_without_a_solved_task_there_is_no_cost_per_solved(rows) -> None:
    failed = [",".join([*x.split(",")[:3], "0", *x.split(",")[4:]]) if x.startswith("poor") else x for x in rows]
    e = read(table(failed))
    assert [row.cost_per_solved is None for row in e.leaderboard().table] == [False, False, True]
    assert len(e.pareto()) == 3
    halves = [",".join([*y[:3], "0.5" if y[3] == "1" else y[3], *y[4:]]) for y in (x.split(",") for x in rows)]
    scored = read(table(halves), w="levels")
    assert all(row.cost_per_solved is None for row in scored.leaderboard().table)
    assert len(scored.pareto()) == 3
    with pytest.raises(InvalidInput) as error:
        read({"a": [[1, 0]], "b": [[0, 0]]}).pareto()
    assert error.value.code == "missing"


def test_the_frontier_marks_dominated_models(trials, rows) -> None:
    points = {x.model: x for x in read(table(rows)).pareto()}
    assert list(points) == ["mid", "poor", "big"]
    assert {m: x.dominated_by for m, x in points.items()} == {"big": (), "mid": (), "poor": ("mid",)}
    big = points["big"].cost  # the cost of a trial, as if every trial solved its task
    assert big == items.cost_per_solved(np.ones((40, 4), int), trials["big"][1] / 1000, questions="fixed")
    assert big.value == pytest.approx(trials["big"][1].mean() / 1000)
    # a model that is far better at the same cost does not dominate: its cost is not significantly lower
    chosen = [x for x in rows if x.startswith(("big", "poor"))]
    same = [",".join([*x.split(",")[:4], rows[i % 160].split(",")[4], "1"]) for i, x in enumerate(chosen)]
    assert not any(x.dominated_by for x in read(table(same)).pareto())


def test_costs_are_in_json_and_in_logs_of_tools(rows, tmp_path, capsys) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(table(rows).getvalue())
    assert "per solved" in printed(capsys, "leaderboard", str(path))[1]
    assert printed(capsys, "plot", "pareto", str(path), "-o", str(tmp_path / "p.svg"))[0] == 0
    report = json.loads(printed(capsys, "leaderboard", str(path), "--cost", "tokens", "--json")[1])
    row = report["rows"][0]
    assert report["cost_unit"] == "tokens"
    assert row["cost_per_solved_lo"] < row["cost_per_solved"] < row["cost_per_solved_hi"]
    assert row["cost_per_trial"] == pytest.approx(row["cost_per_solved"] * row["average"])
    sample = {
        "scores": {"match": {"value": "C"}},
        "model_usage": {"m": {"total_tokens": 7}, "judge": {"total_tokens": 9}},
    }
    samples = [{"id": i, "epoch": t, "total_time": 2.5} | sample for i in range(3) for t in (1, 2)]
    (tmp_path / "log.json").write_text(
        json.dumps({"status": "success", "eval": {"model": "m", "task": "t"}, "samples": samples})
    )
    for unit, value in (("tokens", 7.0), ("seconds", 2.5)):
        (row,) = read(tmp_path / "log.json", cost=unit).leaderboard().table
        assert row.cost_per_solved.value == value
    assert read(tmp_path / "log.json").leaderboard().cost_unit == "tokens"
    trial = {
        "task_name": "a", "verifier_result": {"rewards": {"reward": 1.0}}, "agent_info": {"name": "oracle"},
        "agent_result": {"cost_usd": 0.25, "n_input_tokens": 3, "n_output_tokens": 4},
    }  # fmt: skip
    for i in range(2):
        (tmp_path / f"a__{i}").mkdir()
        (tmp_path / f"a__{i}" / "result.json").write_text(json.dumps(trial | {"trial_name": f"a__{i}"}))
    for unit, value in ((None, 0.25), ("tokens", 7.0)):
        (row,) = read([tmp_path / "a__0", tmp_path / "a__1"], cost=unit).leaderboard().table
        assert row.cost_per_solved.value == value


@pytest.mark.slow
def test_large_tables_have_their_costs_too() -> None:
    pytest.importorskip("pyarrow")
    long = [f"m,q{q},{q % 2},{q % 7}" for q in range(40_000)]
    (row,) = read(table(long, "model,question,outcome,tokens")).leaderboard().table
    assert row.cost_per_solved.value == pytest.approx(sum(q % 7 for q in range(40_000)) / 20_000)


@pytest.mark.slow
def test_the_frontier_is_rarely_wrong_in_simulations() -> None:
    """Check that the rule is rarely wrong where the rule "as good in both, better in one" is often wrong."""
    module_spec = importlib.util.spec_from_file_location("bench_pareto", ROOT / "bench" / "pareto.py")
    bench = importlib.util.module_from_spec(module_spec)
    path = sys.path[:]
    sys.modules["bench_pareto"] = bench
    module_spec.loader.exec_module(bench)
    sys.path[:] = path
    ours, plain = bench.error_shares(bench.CELLS["far better, barely dearer"], B=30, seed=1)
    assert ours <= 0.1
    assert plain >= 0.25
    assert subprocess.run([sys.executable, str(ROOT / "bench" / "pareto.py"), "--help"], check=False).returncode == 0


@pytest.mark.parametrize(("cells", "n"), [(["$0.34", "$0.2"], 2), ([0.1, -1.0], 1), ([0.1, None], 0), ([0.1, 0.2], 0)])
def test_costs_that_are_no_numbers_are_noted(tmp_path, cells, n):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"question": ["a", "b"], "outcome": [1, 0], "cost": cells})
    frame.to_csv(tmp_path / "log.csv", index=False)
    for source in (frame, tmp_path / "log.csv"):
        remarks = " ".join(read(source).provenance.remarks)
        assert remarks == ("Some values of cost are no costs, and are not read." if n else "")
