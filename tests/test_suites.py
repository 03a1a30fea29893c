"""Several benchmarks: macro-averages, gates, looks and subgroups, and the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import t

from scorio import Counts, InvalidInput, eval, rank, sinf
from scorio.arithmetic.double_double import ZERO, add, ext, root, value
from scorio.cli import main
from scorio.inference.degrees_of_freedom import pooled
from scorio.inference.difference import Difference

SIZES = {"aime": (12, 8), "gpqa": (30, 4), "math": (20, 6)}  # questions, and trials of each


def suite_of(seed: int, lift: float = 0.0, names: str = "abc") -> dict[str, dict[str, Counts]]:
    """Random counts of models in three benchmarks; the success rates of the first model are higher by lift."""
    rng, out = np.random.default_rng(seed), {}
    for benchmark, (M, n) in SIZES.items():
        p = rng.beta(1, 1, M) * 0.8
        rates = {x: p + (lift if i == 0 else 0) for i, x in enumerate(names)}
        out[benchmark] = {x: Counts.from_successes(rng.binomial(n, r), [n] * M) for x, r in rates.items()}
    return out


def test_degrees_of_freedom_equal_the_worked_example() -> None:
    """Check Welch's degrees of freedom by hand: 21^2 / (4^2/12.5 + 1/99 + 16^2/29); each weight is 1/3."""
    V = [ext(x / 9) for x in (4e-4, 1e-4, 16e-4)]
    total = ZERO
    for x in V:
        total = add(total, x)
    freedom = pooled(total, list(zip(V, map(ext, (12.5, 99.0, 29.0)), strict=True)))
    d = Difference(ext(0.05), root(total), freedom, "measured")
    assert value(freedom) == pytest.approx(441 / (1.28 + 1 / 99 + 256 / 29), rel=1e-12)
    assert value(d.p_value()) == pytest.approx(2 * t.sf(0.05 / (21e-4 / 9) ** 0.5, value(freedom)), rel=1e-10)


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_suite_is_the_weighted_mean_of_its_benchmarks(questions: str) -> None:
    """Check the suite against weighted sums of the benchmarks' differences, variances and degrees of freedom."""
    parts, weights = suite_of(1), {"math": 1, "aime": 4, "gpqa": 3}
    result = sinf.suite(parts, weights=weights, questions=questions)
    w = np.array([weights[x] / 8 for x in parts])
    assert result.weights == w.tolist()
    assert result.benchmarks == list(parts)
    for pair in result.pairs:
        each = [sinf.compare(x[pair.a], x[pair.b], questions=questions) for x in parts.values()]
        V = np.array([(a * x.sigma) ** 2 for a, x in zip(w, each, strict=True)])
        assert pair.mu == pytest.approx(sum(a * x.mu for a, x in zip(w, each, strict=True)))
        assert pair.sigma == pytest.approx(V.sum() ** 0.5)
        assert pair.df == pytest.approx(V.sum() ** 2 / sum(v * v / x.df for v, x in zip(V, each, strict=True)))
    for row in result.models:
        intervals = [eval.interval(x[row.model], questions=questions) for x in parts.values()]
        assert row.mu == pytest.approx(sum(a * x.mu for a, x in zip(w, intervals, strict=True)))
        assert row.lo < row.mu < row.hi


def test_a_suite_of_one_benchmark_is_compare_all() -> None:
    """Check that a suite of one benchmark gives the results of compare_all, to the bit."""
    models = suite_of(2)["gpqa"]
    result = sinf.suite({"gpqa": models}, "pass@k", 2, questions="fixed")
    plain = sinf.compare_all(models, "pass@k", 2, questions="fixed")
    for x, y, z in zip(result.pairs, result.each, plain, strict=True):
        fields = z._asdict()
        del fields["dropped"]
        assert x._asdict() == {"benchmark": None, **fields}
        assert y._asdict() == {"benchmark": "gpqa", **fields}
    ranges, best = (f(models, "pass@k", 2, questions="fixed") for f in (rank.ranges, rank.winners))
    for row in result.models:
        x = eval.interval(models[row.model], "pass@k", 2, questions="fixed")
        assert (row.mu, row.sigma, row.lo, row.hi) == (x.mu, x.sigma, x.lo, x.hi)
        assert (row.best, row.worst) == ranges[row.model]
        assert row.possibly_best == (row.model in best)
    gate = sinf.gate(models["a"], models["b"], margin=0.1, questions="fixed")
    over = sinf.gate_suite({"g": models["a"]}, {"g": models["b"]}, margin=0.1, questions="fixed")
    for row in (over.mean, *over.each):  # the slices: mu, sigma, lo, hi, p_worse, p_better
        assert (row.verdict, *row[2:8], row.df) == (gate.verdict, *gate[1:7], gate.df)


def test_models_without_a_benchmark_have_no_macro_average() -> None:
    """Check a model without a benchmark: no macro-average, or the shared benchmarks only, with their weights."""
    parts = suite_of(3)
    del parts["gpqa"]["a"]
    weights = {"aime": 1, "gpqa": 7, "math": 3}
    result = sinf.suite(parts, weights=weights, questions="fixed")
    assert [x.model for x in result.models] == ["b", "c"]
    assert (result.left_out, result.benchmarks, len(result.pairs)) == (["a"], list(parts), 1)
    assert len(result.each) == 3 + 1 + 3
    result = sinf.suite(parts, weights=weights, questions="fixed", common=True)
    assert [x.model for x in result.models] == ["a", "b", "c"]
    assert (result.left_out, result.benchmarks, result.weights) == ([], ["aime", "math"], [0.25, 0.75])
    with pytest.raises(InvalidInput, match="benchmark 'gpqa'"):
        sinf.suite({**parts, "gpqa": {"b": [0, 1]}}, questions="fixed")  # type: ignore[dict-item]


def test_by_either_rule_a_failing_benchmark_fails_the_gate() -> None:
    """Check both rules: each benchmark must pass, or the mean; by either rule a failing benchmark fails the gate."""
    parts = suite_of(5, names="ab")
    new, base = ({x: y[m] for x, y in parts.items()} for m in "ab")
    options: dict[str, Any] = {"margin": 0.12, "questions": "fixed"}
    mean, each = (sinf.gate_suite(new, base, rule=rule, **options) for rule in ("mean", "each"))
    assert mean.mean == each.mean
    assert mean.each == each.each
    assert mean.verdict == "pass"
    assert each.verdict == "inconclusive"
    low = {**new, "gpqa": Counts.from_successes([0] * 30, [4] * 30)}
    for rule in ("mean", "each"):
        result = sinf.gate_suite(low, base, rule=rule, **options)
        assert result.verdict == "fail"
        assert [x.verdict for x in result.each if x.benchmark == "gpqa"] == ["fail"]
    better = np.array([x.p_better for x in result.each])
    adjusted = np.maximum.accumulate(np.sort(better) * np.arange(3, 0, -1)).clip(max=1)
    assert [x.p_adjusted for x in result.each] == pytest.approx(adjusted[better.argsort().argsort()].tolist())


def test_compare_at_a_look_decides_as_its_boundary_does() -> None:
    """Check that compare at a look decides as boundaries does, with a matching interval."""
    parts = suite_of(5, 0.1)["gpqa"]
    p = sinf.boundaries([0.5, 1.0], spending="pocock").p
    for n, looks in enumerate(([0.5], [0.5, 1.0])):
        r = sinf.compare(parts["a"], parts["b"], questions="fixed", looks=looks, spending="pocock")
        assert r.significant == (r.p_value <= p[n])
        assert r.significant == (not r.lo <= 0.0 <= r.hi)
    once = sinf.compare(parts["a"], parts["b"], questions="fixed")
    assert (once.mu, once.sigma, once.p_value) == (r.mu, r.sigma, r.p_value)
    assert once.hi - once.lo < r.hi - r.lo


# --- commands ---------------------------------------------------------------------------------------


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, str]:
    """Logs by name: one model in three tasks (new, base, bad; tasks: new with a column part), two models (subjects)."""
    parts, out = suite_of(6, 0.0, ("new", "base")), {}  # type: ignore[arg-type]
    bad = {"gpqa": Counts.from_successes([0] * 30, [4] * 30)}
    for name, model in (("new", "new"), ("base", "base"), ("bad", "new")):
        rows = ["model,task,question,c,n"]
        for task, models in parts.items():
            counts = bad.get(task, models[model]) if name == "bad" else models[model]
            rows += [f"{model},{task},q{i},{c},{f + c}" for i, (f, c) in enumerate(counts.table.tolist())]
        out[name] = str(tmp_path / f"{name}.csv")
        Path(out[name]).write_text("\n".join(rows) + "\n")
    rng, rows = np.random.default_rng(7), ["model,question,subject,outcome"]
    for subject, lift in (("algebra", 0.0), ("geometry", 0.4), ("logic", 0.0)):
        for q in range(15):
            for model, rate in (("large", 0.3 + lift), ("small", 0.3)):
                rows += [f"{model},{subject}{q},{subject},{int(rng.random() < rate)}" for _ in range(6)]
    out["subjects"] = str(tmp_path / "subjects.csv")
    Path(out["subjects"]).write_text("\n".join(rows) + "\n")
    out["tasks"] = str(tmp_path / "tasks.csv")
    lines = Path(out["new"]).read_text().split()
    Path(out["tasks"]).write_text("\n".join(f"{x},{'part' if i == 0 else 'x'}" for i, x in enumerate(lines)) + "\n")
    return out


@pytest.mark.parametrize(
    ("new", "options", "verdict"),
    [
        ("new", ["--margin", "0.12"], "pass"),
        ("new", ["--margin", "0.01", "--weights", "aime=2,gpqa=1,math=1"], "inconclusive"),
        ("new", ["--margin", "0.05", "--rule", "each", "--questions", "sampled"], "inconclusive"),
        ("new", ["--margin", "0.5", "--rule", "each"], "pass"),
        ("bad", ["--margin", "0.05"], "fail"),
        ("bad", ["--margin", "0.05", "--rule", "each"], "fail"),
    ],
)
def test_all_outputs_of_a_gate_agree(logs, tmp_path, capsys, new: str, options: list[str], verdict: str) -> None:
    """Check that exit code, text, JSON, JUnit and Markdown agree over several benchmarks."""
    code = {"pass": 0, "fail": 1, "inconclusive": 3}[verdict]
    junit, md = tmp_path / "gate.xml", tmp_path / "gate.md"
    call = ["gate", logs[new], logs["base"], *options]
    assert main([*call, "--junit", str(junit), "--markdown", str(md)]) == code
    text = capsys.readouterr().out
    assert f"of 3 benchmarks: {verdict.upper()}\n" in text
    assert f"\n{verdict.upper()}: " in text
    assert max(map(len, text.splitlines())) <= 80
    assert main([*call, "--json"]) == code
    output = json.loads(capsys.readouterr().out)
    assert [x["benchmark"] for x in output["rows"]] == [None, *SIZES]
    assert (output["verdict"], sum(output["weights"].values())) == (verdict, pytest.approx(1.0))
    root = ElementTree.parse(junit).getroot()
    assert (int(root.get("failures") or 0) > 0) == (verdict != "pass")
    assert f"of 3 benchmarks: {verdict.upper()}" in md.read_text().splitlines()[0]


def test_looks_and_incomplete_weights_are_refused(logs, capsys) -> None:
    """Check that a single task is gated, and that looks and incomplete weights are refused with exit code 2."""
    single = ["--margin", "0.1", "--task", "aime"]
    assert main(["gate", logs["new"], logs["base"], *single]) in (0, 3)
    assert "of 3 benchmarks" not in capsys.readouterr().out
    for args, words in (
        (["--look", "1/2"], "looks need a single benchmark, and there are several: choose one with --task"),
        (["--weights", "aime=1"], "the same names as the benchmarks"),
    ):
        assert main(["gate", logs["new"], logs["base"], "--margin", "0.1", *args]) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["gate", logs["new"], logs["base"], "--margin", "0.1", "--weights", "aime"])


def test_subgroups_share_one_error_rate(logs, capsys) -> None:
    """Check that subgroups share one error rate, as in sinf.suite."""
    assert main(["compare", logs["subjects"], "--by", "subject"]) == 0
    text = capsys.readouterr().out
    assert "large is significantly better than small in geometry" in " ".join(text.split())
    assert main(["compare", logs["subjects"], "small", "large", "--by", "subject", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(x["benchmark"], x["significant"]) for x in rows] == [
        ("algebra", False), ("geometry", True), ("logic", False),
    ]  # fmt: skip
    p = [x["p_value"] for x in rows]
    assert rows[1]["p_adjusted"] == pytest.approx(3 * min(p))
    for args, words in (
        ([logs["subjects"], "--by", "nowhere"], "--by nowhere"),
        ([logs["new"], "--by", "task"], "name two models"),
        ([logs["tasks"], "--by", "part"], "the log has several"),
    ):
        assert main(["compare", *args]) == 2
        assert words in capsys.readouterr().err
