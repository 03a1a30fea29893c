"""Item analysis, reliability, designs and cost per solved task: properties, and the commands."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction as F
from itertools import product
from math import inf
from pathlib import Path
from statistics import covariance

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scorio import Counts, InvalidInput, items, tally
from scorio.arithmetic.double_double import ext, sub
from scorio.cli import main
from scorio.inference.pairs import benjamini_hochberg
from scorio.items.reliability import components

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "spec" / "examples"
GOLDEN = ("434102", "342112", "232021", "121031", "011040")  # successes of five models on six questions, of 4 trials


def counts_of(rows: tuple[str, ...], n: int = 4) -> list[Counts]:
    """Counts of models, from a text of successes for each; n trials of every question."""
    return [Counts.from_successes([int(x) for x in row], [n] * len(row)) for row in rows]


@st.composite
def cells(draw: st.DrawFn, min_trials: int = 1) -> tuple[list[list[int]], list[list[int]]]:
    """Successes and trials of three models or more."""
    L, M = draw(st.integers(3, 5)), draw(st.integers(2, 5))
    n = [[draw(st.integers(min_trials, 6)) for _ in range(M)] for _ in range(L)]
    return [[draw(st.integers(0, k)) for k in row] for row in n], n


@pytest.mark.slow
@given(cells())
@settings(max_examples=60, deadline=None)
def test_covariances_and_dead_questions_agree_with_their_definitions(
    table: tuple[list[list[int]], list[list[int]]],
) -> None:
    """Check dead questions, and covariances with the mean of the others against the statistics module."""
    c, n = table
    x = [[F(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(c, n, strict=True)]
    result = items.items([Counts.from_successes(a, b) for a, b in zip(c, n, strict=True)])
    for j, item in enumerate(result):
        column = [row[j] for row in x]
        mean_of_others = [sum(row[:j] + row[j + 1 :]) / (len(row) - 1) for row in x]
        assert item.covariance == pytest.approx(float(covariance(column, mean_of_others)), abs=1e-15)
        assert item.mean == float(sum(column) / len(column))
        assert item.dead == (set(column) in ({F(0)}, {F(1)}))
        assert (item.bound is not None) == item.dead
        assert not (item.suspect and (item.dead or item.covariance >= 0))


@pytest.mark.slow
@given(cells(2), st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_does_not_matter(table: tuple[list[list[int]], list[list[int]]], rng: object) -> None:
    """Check that the order of models and questions changes no bit."""
    c, n = (np.array(x) for x in table)
    models, questions = rng.sample(range(c.shape[0]), c.shape[0]), rng.sample(range(c.shape[1]), c.shape[1])  # type: ignore[attr-defined]
    original = [Counts.from_successes(a, b) for a, b in zip(c, n, strict=True)]
    permuted = [Counts.from_successes(c[i, questions], n[i, questions]) for i in models]
    a, b = items.items(original), items.items(permuted)
    assert [a[j]._replace(question=0) for j in questions] == [x._replace(question=0) for x in b]
    assert items.reliability(original) == items.reliability(permuted)
    assert items.design(original, se=0.1, cost_question=3) == items.design(permuted, se=0.1, cost_question=3)


@given(cells(2))
@settings(max_examples=40, deadline=None)
def test_components_agree_with_mean_products_over_all_pairs(table: tuple[list[list[int]], list[list[int]]]) -> None:
    """Check components by mean products over all pairs of cells, and by the mean squares of the table."""
    c, n = table
    L, M = len(c), len(c[0])
    indices = list(product(range(L), range(M)))
    x = {(i, j): F(c[i][j], n[i][j]) for i, j in indices}
    v = {p: x[p] * (1 - x[p]) / (n[p[0]][p[1]] - 1) for p in indices}
    grand_mean = sum(x.values()) / len(x)
    y = {p: a - grand_mean for p, a in x.items()}

    def mean(pairs: list[F]) -> F:
        return sum(pairs, F(0)) / len(pairs)

    def mean_product(model: bool, question: bool) -> F:
        pairs_of_cells = [
            (p, q) for p, q in product(indices, indices) if (p[0] == q[0], p[1] == q[1]) == (model, question)
        ]
        return mean([y[p] * y[q] for p, q in pairs_of_cells])

    A, B, C, T = (
        mean([y[p] ** 2 - v[p] for p in indices]),
        mean_product(True, False),
        mean_product(False, True),
        mean_product(False, False),
    )
    result = components([Counts.from_successes(a, b) for a, b in zip(c, n, strict=True)], "raise")
    assert (result.model, result.question, result.interaction) == (B - T, C - T, A - B - C + T)
    rows = [mean([x[i, j] for j in range(M)]) for i in range(L)]
    columns = [mean([x[i, j] for i in range(L)]) for j in range(M)]
    residual = sum((x[i, j] - rows[i] - columns[j] + grand_mean) ** 2 for i, j in indices) / ((L - 1) * (M - 1))
    assert result.interaction == residual - mean(list(v.values()))
    assert result.model == sum((r - grand_mean) ** 2 for r in rows) / (L - 1) - residual / M


@given(st.lists(st.floats(0, 1), max_size=12))
@example([1.0, 1.0, 1.0, 1.0, 0.1])  # five times the double 0.1 is above 0.5, and rounds to it
def test_adjusted_p_values_are_those_of_benjamini_and_hochberg(p: list[float]) -> None:
    """Check that rejecting at q by adjusted p-values is the step-up rule."""
    adjusted = benjamini_hochberg([ext(x) for x in p])
    for q in (0.01, 0.1, 0.5):
        ranked = sorted(p)
        last = max((r for r in range(1, len(p) + 1) if F(ranked[r - 1]) * len(p) <= F(q) * r), default=0)
        largest_rejected = ranked[last - 1] if last else -1.0
        assert [sub(ext(q), x)[0] >= 0.0 for x in adjusted] == [x <= largest_rejected for x in p]


def test_the_suspect_is_that_of_the_worked_example() -> None:
    result = items.items(counts_of(GOLDEN))
    assert [x.question for x in result if x.suspect] == [4]
    assert round(result[4].p_value or 1, 6) == 0.00011
    assert not any(x.suspect for x in items.items(counts_of(GOLDEN), fdr=1e-4))


def test_a_dead_question_has_a_bound_of_its_rate() -> None:
    """Check the bound for 12 of 12 trials: the rate is above .779 at 95%, since .779^12 is .05."""
    result = items.items(counts_of(("44", "43", "41")))[0]
    assert result.dead
    assert result.bound == pytest.approx(0.05 ** (1 / 12), rel=1e-15)


def test_reliability_predicts_its_designs() -> None:
    """Check that the rows of a design agree with reliability; one question fewer misses the target."""
    models = counts_of(GOLDEN)
    for row in items.design(models, rho=0.7, cost_question=2):
        prediction = items.reliability(models, row.n_questions, row.n_trials)
        assert (prediction.se, prediction.rho) == (row.se, row.rho)
        assert prediction.rho >= 0.7 > items.reliability(models, row.n_questions - 1, row.n_trials).rho


def test_the_cheapest_design_beats_all_others() -> None:
    """Check the cheapest design against every number of trials."""
    models = counts_of(GOLDEN)
    for price in (0, 0.5, 10, 1000):
        rows = items.design(models, se=0.04, cost_question=price, max_trials=60)
        best = next(x for x in rows if x.cheapest)
        for N in range(1, 61):
            fewer = [x for x in items.design(models, se=0.04, cost_question=price, max_trials=N) if x.cheapest]
            assert fewer[0].cost >= best.cost
    assert [x.n_trials for x in items.design(models, se=0.04) if x.cheapest] == [1]


def test_cost_per_solved_scales_with_the_unit_of_cost() -> None:
    """Check that another unit of cost scales every result, and that a success rate of 1 gives the mean cost."""
    rng = np.random.default_rng(5)
    R, costs = rng.integers(0, 2, (20, 4)), rng.random((20, 4))
    for q in ("fixed", "sampled"):
        a, b = (items.cost_per_solved(R, costs * unit, questions=q) for unit in (1.0, 1024.0))
        assert tuple(b)[:4] == tuple(1024 * x for x in a[:4])
        assert a.lo < a.value == a.cost / a.solved < a.hi
    result = items.cost_per_solved(np.ones((3, 2), int), [[1, 2], [3, 4], [5, 6]], questions="fixed")
    assert (result.value, result.solved) == (3.5, 1.0)
    assert items.cost_per_solved([[1], [0]], [[1], [2]], questions="sampled", confidence=0.9999).hi == inf


def test_cost_per_solved_takes_masked_and_float_outcomes() -> None:
    costs = [[1.0, 2.0, 4.0], [3.0, 1.0, 1.0]]
    masked = np.ma.array([[1, 0, 1], [1, 1, 0]], mask=[[False, True, False], [False] * 3])
    lists = items.cost_per_solved([[1, None, 1], [1, 1, 0]], costs, questions="fixed", missing="drop")
    assert items.cost_per_solved(masked, costs, questions="fixed", missing="drop") == lists
    floats = np.array([[1.0, np.nan, 1.0], [1.0, 1.0, 0.0]])
    assert items.cost_per_solved(floats, costs, questions="fixed", missing="drop") == lists
    with pytest.raises(InvalidInput, match="Counts"):
        items.cost_per_solved(tally([[0, 1]]), costs[:1], questions="fixed")


# --- the commands -------------------------------------------------------------------------------------


@pytest.fixture
def flipped(tmp_path: Path) -> Path:
    """Log of eight models: q0 has a wrong answer key, q1 is always solved, q2 never."""
    rng, lines = np.random.default_rng(3), []
    for i in range(8):
        rates = [0.9 - 0.1 * i] * 16
        rates[:3] = [1 - rates[0], 1.0, 0.0]
        lines += [f"m{i},q{j},{rng.binomial(8, p)},8" for j, p in enumerate(rates)]
    path = tmp_path / "runs.csv"
    path.write_text("model,question,c,n\n" + "\n".join(lines) + "\n")
    return path


def test_items_command_lists_suspects_and_dead_questions(
    flipped: Path, capsys: pytest.CaptureFixture[str], plain_terminal: object
) -> None:
    assert main(["items", str(flipped), "--top", "4"]) == 0
    out = capsys.readouterr().out
    lines = [x.split() for x in out.splitlines()]
    assert [x[0] for x in lines if x and x[-1] == "suspect"] == ["q0"]
    assert [x[0] for x in lines if len(x) > 1 and x[-1] == "solved" and x[0][0] == "q"] == ["q1", "q2"]
    assert "... and 12 more questions" in out
    assert "1 suspect at a false-discovery rate of 10%: better models fail" in out
    assert "Dead: 1 question always solved and 1 question never solved." in " ".join(out.split())


def test_items_command_gives_the_results_of_the_package(flipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scorio import io

    assert main(["items", str(flipped), "--json", "--fdr", "0.2"]) == 0
    output = json.loads(capsys.readouterr().out)
    models = io.read(flipped).counts()
    by_question = {f"q{x.question}": x for x in items.items(models, fdr=0.2)}
    labels = ("benchmark", "question", "status")
    assert all(
        tuple(row[k] for k in row if k not in labels) == tuple(by_question[row["question"]])[1:]
        for row in output["rows"]
    )
    assert output["reliability"] == {"": items.reliability(models)._asdict()}


@pytest.mark.parametrize(("more", "want"), [
    (["--se", "0.03", "--cost-question", "10"], {"se": 0.03, "cost_question": 10}), ([], {"rho": 0.8}),
    (["--coefficient", "0.9", "--max-trials", "2"], {"rho": 0.9, "max_trials": 2}),
])  # fmt: skip
def test_plan_design_gives_the_results_of_the_package(
    flipped: Path, capsys: pytest.CaptureFixture[str], more: list[str], want: dict[str, float]
) -> None:
    from scorio import io

    assert main(["plan", str(flipped), "--design", *more, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    rows = items.design(io.read(flipped).counts(), **want)  # type: ignore[arg-type]
    assert output["rows"] == [{"benchmark": "", **x._asdict()} for x in rows]
    for form in ("text", "markdown", "latex", "csv"):
        assert main(["plan", str(flipped), "--design", *more, "--format", form]) == 0
        assert "cheapest" in capsys.readouterr().out


def test_only_binary_outcomes_have_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "model,question,outcome\n" + "".join(f"{m},{q},{(q + i) % 3}\n" for i, m in enumerate("abc") for q in (0, 1, 2))
    )
    for command in (["items"], ["plan", "--design"]):
        assert main([*command, str(path), "--w", "0,0.5,1"]) == 2
        assert "take outcomes 0 and 1" in capsys.readouterr().err
    assert main(["items", str(EXAMPLES / "tau_bench_gpt4o_airline.csv")]) == 0
    assert "need three models or more" in " ".join(capsys.readouterr().out.split())


def test_missing_trials_need_a_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that missing outcomes are reported, and questions that a model did not answer are left out."""
    path = tmp_path / "runs.csv"
    body = "".join(
        f"{m},{q},{t},{int((q + t + i) % 3 > 0)}\n" for i, m in enumerate("abcd") for q in range(5) for t in range(3)
    )
    path.write_text("model,question,trial,outcome\n" + body.replace("a,0,0,0", "a,0,0,").replace("d,4,", "e,4,"))
    assert main(["items", str(path)]) == 2
    assert "--missing 0 counts it as wrong" in capsys.readouterr().err
    assert (
        main(["items", str(path), "--missing", "drop", "--model", "a", "--model", "b", "--model", "d", "--json"]) == 0
    )
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert "Left out, because not all models answered: 1 question." in notes
    assert any("Missing: 1 of" in x for x in notes)


# --- error rates --------------------------------------------------------------------------------------


def test_bounds_of_the_bench_can_fail() -> None:
    """Check that the bench fails at a coverage of 85%, a third of the flipped keys found, or 30% false discoveries."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib.util
spec = importlib.util.spec_from_file_location("bench_items", sys.argv[1] + "/items.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)
bad = {"coefficient, 8 models": {"coverage": 0.85}, "flipped keys, 12 models": {"detected": 0.33, "false share": 0.3},
       "cost, 100 questions": {"fixed": 0.85, "sampled": 0.95}}
sys.exit(len(bench.failures(bad)) - 4)
"""
    run = [sys.executable, "-c", code, str(ROOT / "bench")]
    assert subprocess.run(run, timeout=600, check=False).returncode == 0
