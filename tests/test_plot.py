"""Plots draw the computed numbers, fit any number of models, and leave Matplotlib's settings unchanged; HTML tables."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from lengths import part

import scorio
from scorio import InvalidInput, cli, converge, eval, plot, rank, simulate, sinf
from scorio.analysis.curves import tau_by_replicate
from scorio.analysis.questions import questions as question_table
from scorio.display import text as text_functions
from scorio.evaluation import Evaluation, read
from scorio.io import Log
from scorio.page import html, markup
from scorio.plot.canvas import evaluation_of
from scorio.readers.evaluation import Benchmark

mpl.use("agg")
import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
TOOLS = read(EXAMPLES / "langchain_tool_use.csv")


def coins(L: int, M: int = 12, N: int = 6, seed: int = 0) -> dict[str, np.ndarray]:
    """Outcomes of L models of falling skill."""
    rates = np.clip(np.linspace(0.1, 0.9, M)[None] + np.linspace(0.15, -0.15, L)[:, None], 0, 1)
    return {f"organisation/model-{i}": x for i, x in enumerate(simulate.coins(rates, N, seed=seed))}


@pytest.fixture(autouse=True)
def unchanged_settings():
    """Check after each test that Matplotlib's settings are unchanged, and close its figures."""
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before
    plt.close("all")


def text_of(ax) -> str:
    """All text of a plot, after a check that drawing gives no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.canvas.draw()
    artists = [*ax.texts, ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()]
    legend = ax.get_legend()
    return "\n".join(x.get_text() for x in [*artists, *(legend.get_texts() if legend else [])])


def row_labels(ax) -> list[str]:
    """Labels of the vertical axis: mostly names of models, in a map of comparisons with an en space and the place."""
    return [x.get_text() for x in ax.get_yticklabels()]


def cut_off(ax) -> list[str]:
    """Texts that extend beyond their figure."""
    ax.figure.canvas.draw()
    box = ax.figure.bbox
    artists = [*ax.texts, ax.xaxis.label, ax.yaxis.label]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        artists += [x for t in axis.get_major_ticks() if low <= t.get_loc() <= high for x in (t.label1, t.label2)]
    boxes = [(x, x.get_window_extent()) for x in artists if x.get_text() and x.get_visible()]
    inside = [b.x0 >= box.x0 - 2 and b.x1 <= box.x1 + 2 and b.y0 >= box.y0 - 2 and b.y1 <= box.y1 + 2 for _, b in boxes]
    return [x.get_text() for (x, _), is_inside in zip(boxes, inside, strict=True) if not is_inside]


def first_and_last(R):
    """First and last model of a mapping of models; other inputs unchanged."""
    return {m: R[m] for m in list(R)[:: max(1, len(R) - 1)]} if isinstance(R, dict) else R


DRAWINGS = {
    "forest": lambda R, ax=None: plot.forest(R, questions="fixed", ax=ax),
    "comparisons": lambda R, ax=None: plot.comparisons(R, questions="sampled", ax=ax),
    "tau_curve": lambda R, ax=None: plot.tau_curve(R, replicates=50, ax=ax),
    "convergence": lambda R, ax=None: plot.convergence(R, replicates=50, ax=ax),
    "difficulty": lambda R, ax=None: plot.difficulty(R, ax=ax),
    "items": lambda R, ax=None: plot.items(R, ax=ax),
    "missing": lambda R, ax=None: plot.missing(R, ax=ax),
    "suite": lambda R, ax=None: plot.suite({f"benchmark {i}": R for i in range(3)}, questions="fixed", ax=ax),
    "power": lambda R, ax=None: plot.power(first_and_last(R), ax=ax),
}


def with_costs(R) -> Evaluation:
    """The evaluation of a table of outcomes in which later models are cheaper."""
    rows = [f"{m},{q},{x},{100 / (i + 1) + q}" for i, (m, rows) in enumerate(R.items())
            for q, row in enumerate(rows.tolist()) for x in row]  # fmt: skip
    return read(BytesIO("\n".join(["model,question,outcome,tokens", *rows]).encode()))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DRAWINGS, "pareto"])
def test_no_text_is_cut_off_in_a_column_of_a_page(name):
    with mpl.rc_context({"font.size": 7.0}):  # as scorio plot --size 3.25 draws it
        ax = plt.figure(figsize=(3.25, 2.17), layout="constrained").add_subplot()
        R = coins(5)
        plot.pareto(with_costs(R), ax=ax) if name == "pareto" else DRAWINGS[name](R, ax)
        text_of(ax)
        assert cut_off(ax) == []


def test_names_of_a_pareto_plot_do_not_cover_other_models():
    ax = plot.pareto(with_costs(coins(6, 40)))
    ax.figure.canvas.draw()
    points = [ax.transData.transform(line.get_xydata()[0]) for line in ax.lines if len(line.get_xydata()) == 1]
    boxes = [x.get_window_extent() for x in ax.texts]
    assert len(points) == len(boxes) == 6
    assert not [1 for box in boxes for x, y in points if box.contains(x, y)]


def test_better_and_worse_have_one_colour_each_in_report_and_plots():
    ax = plot.comparisons(coins(3), questions="fixed")
    worse, even, better = (mpl.colors.to_hex(x) for x in ax.images[0].cmap([0.0, 0.5, 1.0]))
    assert (worse, better) == (markup.WORSE, markup.BETTER)
    assert even > "#fd"
    assert ax.images[0].get_array().compressed().min() > 0  # rows are better than columns
    for name, colour in (("better", better), ("worse", worse)):
        assert f"--{name}: {markup.mixed(colour, '#ffffff', 0.2)}" in html.style()
    drawn = {x.get_color() for x in plot.pareto(with_costs(coins(3))).lines}
    assert drawn <= {markup.BETTER, markup.WORSE}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("L", part([50, 2, 13], 3))
def test_no_text_is_cut_off(name, L):
    ax = DRAWINGS[name](coins(L))
    text_of(ax)
    assert cut_off(ax) == []


@pytest.mark.parametrize("name", DRAWINGS)
def test_plots_use_the_axes_of_the_caller_or_make_their_own(name):
    ax = plt.subplots()[1]
    before = plt.get_fignums()
    assert DRAWINGS[name](coins(3), ax) is ax
    assert plt.get_fignums() == before
    assert DRAWINGS[name](coins(3)) is not ax
    assert len(plt.get_fignums()) == len(before) + 1


@pytest.mark.parametrize("metric", ["pass@k", "pass^k"])
def test_pass_at_k_draws_the_curve_and_the_band(metric):
    """Check the curve measured up to the number of trials, and beyond it the model, the band and its outer limits."""
    R = [[0] * 8] * 5 + [[1] + [0] * 7] * 3 + [[1] * 3 + [0] * 5] * 4 + [[1] * 7 + [0]] * 4
    ax = plot.pass_at_k(R, 32, metric)
    text_of(ax)
    assert cut_off(ax) == []
    measured, model = ax.lines[:2]
    value = {"pass@k": eval.pass_at_k, "pass^k": eval.pass_hat_k}[metric]
    assert measured.get_ydata().tolist() == [value(R, k) for k in range(1, 9)]
    assert model.get_ydata()[-1] == eval.extrapolate_model(R, metric, 32).value
    r = eval.extrapolate(R, metric, 32)
    limits, band = (x.get_paths()[0].vertices for x in ax.collections[1:3])
    for vertices, ends in ((limits, (r.low, r.high)), (band, (r.lower, r.upper))):
        last = vertices[vertices[:, 0] == 32, 1]
        assert (last.min(), last.max()) == ends
    assert ax is plot.pass_at_k([[0, 0], [0, 0]], 9, metric, ax=ax)  # no model can be fitted


@pytest.mark.parametrize("name", ["forest", "difficulty", "missing"])
def test_one_model_and_one_question_can_be_drawn(name):
    model_is_named = "only" in text_of(DRAWINGS[name]({"only": [[1, 0, 1]]}))
    assert model_is_named == (name != "difficulty")


# --- the numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize("metric, k", [("mean", None), ("pass@k", 2), ("pass@k", 5), ("maj@k", 3)])
def test_forest_draws_the_intervals(questions, metric, k):
    R = coins(5)
    ax = plot.forest(R, metric, k, questions=questions, confidence=0.9)
    want = {m: eval.interval(x, metric, k, questions=questions, confidence=0.9) for m, x in R.items()}
    order = sorted(R, key=lambda m: -want[m].mu)
    assert row_labels(ax) == order
    for m, line, dot, text in zip(order, ax.lines[::2], ax.lines[1::2], ax.texts, strict=True):
        r = want[m]
        assert line.get_xdata().tolist() == [r.lo, r.hi]
        assert dot.get_xdata() == [r.mu]
        assert (dot.get_markerfacecolor() == ax.get_facecolor()) == (r.variance_source != "measured")
        assert text.get_text().startswith(f"{r.mu:.3f} [{r.lo:.3f}, {r.hi:.3f}]".replace("0.", "."))
        assert text.get_text().endswith({"measured": "]", "modelled": "~", "upper bound": "*"}[r.variance_source])
    label = ax.get_xlabel()
    assert "90% CI" in label
    assert ("on these questions" if questions == "fixed" else "on similar questions") in label
    assert ("mixture" in label) == any(r.variance_source == "modelled" for r in want.values())


def test_forest_marks_upper_bounds():
    ax = plot.forest(TOOLS, questions="fixed")
    assert len(row_labels(ax)) == 9
    assert row_labels(ax)[0] == "claude-2.1"
    assert "upper bound" in ax.get_xlabel()
    assert all(dot.get_markerfacecolor() == ax.get_facecolor() for dot in ax.lines[1::2])


def test_forest_draws_scores_on_their_scale():
    R, w = {"a": [[0, 2, 1], [2, 2, 1]], "b": [[0, 0, 1], [0, 2, 1]]}, [0, 50, 100]
    ax = plot.forest(R, w=w, questions="fixed")
    r = eval.interval(R["a"], w=w, questions="fixed")
    assert ax.texts[0].get_text() == f"{r.mu:.1f} [{r.lo:.1f}, {r.hi:.1f}]"


@pytest.mark.parametrize("L", [4, 14])
def test_comparisons_draw_the_differences(L):
    R = coins(L, 10, 4)
    ax = plot.comparisons(R, questions="fixed", confidence=0.9)
    names = [row.split("\u2002")[0] for row in row_labels(ax)]
    D = np.ma.filled(ax.images[0].get_array(), np.nan)
    not_significant, pairs = 0, sinf.compare_all(R, questions="fixed", confidence=0.9)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert np.isnan(D[i, j]) == (i >= j)
            if i < j:
                assert D[i, j] == sinf.compare(R[a], R[b], questions="fixed").mu
                not_significant += not next(x.significant for x in pairs if {x.a, x.b} == {a, b})
    squares = next(x for x in ax.collections if isinstance(x, PolyCollection))
    assert len(squares.get_paths()) == not_significant > 0
    shown = [x for x in D.ravel().tolist() if x == x] if L == 4 else []
    assert [float(t.get_text()) for t in ax.texts] == pytest.approx(shown, abs=0.0005)


def test_comparisons_agree_with_rank_ranges():
    R = coins(6, 10, 4, seed=3)
    D = np.asarray(plot.comparisons(R, questions="fixed").images[0].get_array())
    ranges, pairs = rank.ranges(R, questions="fixed"), sinf.compare_all(R, questions="fixed")
    names = [row.split("\u2002")[0] for row in row_labels(plot.comparisons(R, questions="fixed"))]
    for i, a in enumerate(names):
        lost = [x for x in pairs if a in (x.a, x.b) and x.significant and (x.mu > 0) != (x.a == a)]
        assert ranges[a].best == 1 + len(lost)
        assert all(D[names.index(x.a if x.b == a else x.b), i] > 0 for x in lost)


def test_models_of_a_log_are_paired_by_id():
    def log(*rows_by_id):
        return Log([q for q, _ in rows_by_id], scorio.tally([x for _, x in rows_by_id]))

    a, b, c = [1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]
    logs = {"x": log(("q1", a), ("q2", b), ("q3", c)), "y": log(("q3", c), ("q1", b)), "z": log(("q4", a), ("q5", a))}
    ax = plot.comparisons(logs, questions="fixed")
    names = [row.split("\u2002")[0] for row in row_labels(ax)]
    D = np.ma.filled(ax.images[0].get_array(), np.nan)
    i, j, z = (names.index(m) for m in "xyz")
    assert D[i, j] == sinf.compare([a, c], [b, c], questions="fixed").mu
    assert np.isnan(D[z]).all()
    ax = plot.difficulty(logs)
    assert [x.get_text() for x in ax.get_xticklabels()] == ["q3", "q2", "q1", "q4", "q5"]


def test_tau_curve_is_that_of_converge():
    R = coins(5)
    ax = plot.tau_curve(R, replicates=200, seed=5)
    curve = converge.tau_curve(R, replicates=200, seed=5)
    assert ax.lines[0].get_xdata().tolist() == curve.trials
    assert ax.lines[0].get_ydata().tolist() == curve.tau_b
    low, high = (x.get_ydata() for x in ax.lines[1:])
    assert (low < high).any()
    assert ((low <= high) & (high <= 1)).all()
    assert len(plot.tau_curve(R, scheme="original").lines) == 1


@pytest.mark.parametrize("scheme", ["columns", "rows"])
def test_the_band_and_the_curve_have_the_same_replicates(scheme):
    R = coins(5, 3, 4)  # few questions: some rankings tie
    parameters = {"k": None, "tau": None, "w": None}
    band_taus = tau_by_replicate(R, "bayes", None, parameters, 300, scheme, 1)
    assert band_taus.mean(axis=0) == pytest.approx(converge.tau_curve(R, replicates=300, scheme=scheme, seed=1).tau_b)


def test_convergence_is_that_of_converge():
    R = coins(4)
    ax = plot.convergence(R, replicates=500, seed=2)
    result = converge.bootstrap_convergence(R, replicates=500, seed=2)
    assert ax.lines[0].get_ydata().tolist() == result.cdf
    assert ax.texts[0].get_text() == f"never stable within 5 trials: {100 * result.never:.1f}%"
    assert ax.lines[1].get_ydata()[0] == 1 - result.never


def test_items_are_from_best_to_worst_and_from_hard_to_easy():
    R = {"b": [[0, 1], [1, 1], [0, 0]], "a": [[1, 1], [1, 1], [0, 1]], "c": [[None, None], [1, 0], [0, 0]]}
    ax = plot.items(R, missing="drop")
    assert row_labels(ax) == ["a", "b", "c"]
    assert [x.get_text() for x in ax.get_xticklabels()] == ["2", "0", "1"]
    shown = ax.images[0].get_array()
    assert np.ma.filled(shown, -1.0).tolist() == [[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, -1.0, 0.5]]
    with pytest.raises(InvalidInput, match="no question"):
        plot.items({"a": [[None, None]]}, missing="drop")


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_suite_draws_every_benchmark_and_the_macro_average(questions):
    parts = {"easy": coins(3, 20), "hard": coins(3, 8, seed=1), "long": coins(3, 30, 3, seed=2)}
    without_hard = next(iter(parts["hard"]))
    del parts["hard"][without_hard]
    ax = plot.suite(parts, questions=questions)
    result = sinf.suite(parts, questions=questions)
    want = {x.model: x for x in result.models}
    order = sorted(want, key=lambda m: -want[m].mu)
    assert text_of(ax).count("macro-average") >= 1
    assert row_labels(ax) == [*order, without_hard]
    shown = np.ma.filled(ax.images[0].get_array(), np.nan)
    assert shown[:2, 0].tolist() == [want[m].mu for m in order]
    assert np.isnan(shown[2, [0, 2]]).all()
    for j, measured in enumerate(parts.values(), 1):
        for i, m in enumerate([*order, without_hard]):
            if m in measured:
                assert shown[i, j] == eval.interval(measured[m], questions=questions).mu
    best = want[order[0]]
    cell = f"{best.mu:.3f}\n[{best.lo:.3f}, {best.hi:.3f}]".replace("0.", ".")
    assert ax.texts[0].get_text() == cell
    at_2 = np.ma.filled(plot.suite(parts, 2, questions=questions).images[0].get_array(), np.nan)
    assert at_2[0, 1] == eval.interval(parts["easy"][order[0]], "pass@k", 2, questions=questions).mu
    for invalid in ({}, {"a": {}}, 3, {"a": {"m": [[0, 2]]}}, TOOLS):
        with pytest.raises(InvalidInput):
            plot.suite(invalid, questions=questions)


def test_a_suite_on_different_scales_has_no_macro_average():
    ax = plot.suite(graded_suite([0.0, 1.0], [0.0, 10.0]), questions="fixed")
    assert "macro-average" not in [x.get_text() for x in ax.get_xticklabels()]
    assert "different scales" in text_of(ax)
    assert np.asarray(ax.images[0].get_array()).tolist() == [[0.5, 0.75]]


def graded_suite(*scales):
    """One model in a benchmark for each scale; in benchmark i each question has 2 - i low and 2 + i high outcomes."""
    parts = {}
    for i, (low, high) in enumerate(scales):
        table = scorio.Counts([[2 - i, 2 + i], [2 - i, 2 + i]])
        w = (low, high) if high != 1.0 else None
        parts[f"t{i}"] = Benchmark(f"t{i}", {"m": Log(["q1", "q2"], table)}, w=w)
    return Evaluation(parts)


def test_colours_span_the_values():
    image = plot.suite({"x": {"a": [[1, 1, 1, 0]] * 4}, "y": {"a": [[1, 1, 0, 0]] * 4}}, questions="fixed").images[0]
    assert image.get_clim() == (0.5, 0.75)


def test_a_narrow_plot_has_no_caption_unless_requested(tmp_path):
    for size, options, has_caption in (("3.25,2.6", [], False), ("3.25,2.6", ["--caption"], True), ("7,4", [], True)):
        path = tmp_path / "x.svg"
        arguments = ["--model", "large", "--model", "medium", "--size", size, "-o", str(path), *options]
        assert cli.main(["plot", "power", str(EXAMPLES / "coins.csv"), *arguments]) == 0
        assert ("two-sided" in path.read_text()) is has_caption


@pytest.mark.slow
def test_an_evaluation_and_a_leaderboard_draw_themselves():
    e = read(EXAMPLES / "coins.csv", trials=True)
    for kind in ("forest", "comparisons", "items", "difficulty", "missing"):
        ax = plt.subplots()[1]
        assert e.plot(kind, ax=ax) is ax
    assert e.select("tiny").plot("pass_at_k", k=16).lines
    board, forest = e.leaderboard().plot(), e.plot("forest")
    assert [x.get_text() for x in board.texts] == [x.get_text() for x in forest.texts]
    assert e.plot("tau_curve", replicates=20).lines
    with pytest.raises(InvalidInput, match="forest"):
        e.plot("forrest")
    with pytest.raises(InvalidInput):
        e.plot("suite")


def test_power_reaches_the_target_at_the_trials_needed():
    R = coins(2, 60, 4, seed=3)
    (A, B), ax = R.values(), plot.power(R, confidence=0.9, target=0.7)
    needed = sinf.trials_needed(A, B, power=0.7, confidence=0.9)
    fixed, *sampled = ax.lines[:4]
    for N, p in zip(fixed.get_xdata().tolist(), fixed.get_ydata().tolist(), strict=True):
        assert N == 1 or (p >= 0.7) == (needed <= N)  # a plan has two trials at least
    questions = sinf.questions_needed(A, B, power=0.7, confidence=0.9)
    present = fixed.get_xdata().tolist().index(4)
    assert [x.get_label() for x in sampled] == [
        "60 similar questions",
        "120 similar questions",
        "240 similar questions",
    ]
    assert [x.get_ydata()[present] >= 0.7 for x in sampled] == [questions <= M for M in (60, 120, 240)]
    assert "There are 4 trials per question of 60 questions" in text_of(ax).replace("\n", " ")
    for invalid in (coins(3), {"a": R["organisation/model-0"]}, {"a": A, "b": A}, {"a": A[:1], "b": B[:1]}):
        with pytest.raises(InvalidInput):
            plot.power(invalid)


def test_difficulty_draws_averages_and_ranges():
    R = [[[1, 1], [0, 0], [0, 1], [1, 1]], [[1, 1], [0, 0], [1, 1], [0, 0]]]
    ax = plot.difficulty(R)
    points = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert points == {"mixed (2)": [0.5, 0.75], "never solved (1)": [0.0], "always solved (1)": [1.0]}
    spans = [p.vertices[:, 1].tolist() for p in ax.collections[0].get_paths()]
    assert spans == [[0, 0], [0, 1], [0.5, 1], [1, 1]]
    assert [x.get_text() for x in ax.get_xticklabels()] == ["1", "3", "2", "0"]


def test_quartiles_are_those_of_the_models_that_answered():
    R = {m: [row if (i + j) % 3 else [None] * 6 for j, row in enumerate(x.tolist())]
         for i, (m, x) in enumerate(coins(7).items())}  # fmt: skip
    result = question_table(evaluation_of(R, missing="drop").benchmark()).table
    assert [q.mean for q in result] == sorted(q.mean for q in result)
    for q in result:
        x = [np.mean(outcomes[int(q.name)]) for outcomes in R.values() if outcomes[int(q.name)][0] is not None]
        want = [np.mean(x), *np.quantile(x, [0.25, 0.75]), len(x), min(x), max(x), np.std(x)]
        assert [q.mean, q.low, q.high, q.models, q.lowest, q.highest, q.deviation] == pytest.approx(want)


def test_difficulty_with_scores_finds_the_lowest_and_highest_scores_exactly():
    w = [0.1, 0.3, 0.1]
    ax = plot.difficulty({"a": [[0, 2, 0], [1, 1, 1], [0, 1, 1]]}, w)
    assert [line.get_label() for line in ax.lines] == [
        "mixed (1)", "always the lowest score (1)", "always the highest score (1)"
    ]  # fmt: skip


def test_missing_draws_numbers_of_trials():
    ax = plot.missing({"a": [[1, None, None], [None] * 3, [1, 0, 1]], "b": [[1, 0, 1]] * 3})
    assert [x.get_text() for x in ax.texts] == [
        "0", "1", "3", "4 trials, 5 fewer than 3 per question", "3", "9 trials"
    ]  # fmt: skip
    widths = [p.get_width() for p in ax.patches]
    assert widths == [1, 1, 1, 3]
    many = [[1] * n + [None] * (40 - n) for n in range(41)]
    parts = [x.get_width() for x in plot.missing({"a": many}).patches]
    assert len(parts) == 6  # 41 different numbers of trials share 6 shades
    assert sum(parts) == 41


def test_schemata_draws_ranks():
    ranks = np.array([[1, 2, 1], [2, 1, 1], [3, 3, 3]])
    scores = SimpleNamespace(models=["a", "b", "c$d$"], schemata=["s1", "s2", "s3"], mu=1.0 / ranks, ranks=ranks)
    ax = plot.schemata(scores)
    assert [line.get_ydata().tolist() for line in ax.lines] == ranks.tolist()
    assert {x.get_text() for x in ax.texts} == {"a", "b", "c$d$"}
    assert len({x.get_position()[1] for x in ax.texts}) == 3
    assert cut_off(ax) == []
    for invalid in ({"mu": [[1.0]]}, {"ranks": ranks.T[:2]}, {"models": []}):
        with pytest.raises(InvalidInput):
            plot.schemata(SimpleNamespace(**{**vars(scores), **invalid}))


# --- names, errors, missing packages -----------------------------------------------------------------


def test_unusual_names_are_drawn():
    names = ["$x^2$ \\frac", "a\nb", "y" * 300 + "1", "y" * 300 + "2", "y" * 150 + "3" + "y" * 150, "y" * 301, 7]
    R = {name: [[1, 0], [1, 1], [i % 2, 0]] for i, name in enumerate(names)}
    for f in (plot.forest, plot.comparisons):
        ax = f(R, questions="fixed")
        text = text_of(ax)
        assert "$x^2$ \\frac" in text
        assert "a?b" in text
        assert len(set(row_labels(ax))) == len(names)
        assert max(map(len, row_labels(ax))) <= 36
        assert cut_off(ax) == []


@pytest.mark.parametrize("R", [[[0, 1]], {}, [], "text", 3, scorio.tally([[0, 1]]), {"a": [0, 1]}, [[[0, 1]], [0, 1]]])
@pytest.mark.parametrize("name", DRAWINGS)
def test_arguments_that_are_not_models_are_refused(name, R):
    before = plt.get_fignums()
    with pytest.raises(InvalidInput):
        DRAWINGS[name](R)
    assert plt.get_fignums() == before


def test_invalid_arguments_are_refused():
    R = coins(2)
    for invalid_call in (
        lambda: plot.forest(R, questions="all"),
        lambda: plot.forest(R, questions="fixed", confidence=2),
        lambda: plot.forest(R, "pass@k", 7, questions="fixed"),
        lambda: plot.comparisons({"a": R["organisation/model-0"]}, questions="fixed"),
        lambda: plot.comparisons(R, questions="fixed", confidence=1.4),
        lambda: plot.comparisons({"a": [[0, 1]], "b": [[0, 1], [1, 1]]}, questions="fixed"),
        lambda: plot.tau_curve(R, replicates=0),
        lambda: plot.convergence({"a": [[1, None]], "b": [[1, 0]]}),
        lambda: plot.difficulty({"a": [[0, 2]]}),
        lambda: plot.difficulty({"a": [[None]]}, missing="drop"),
    ):
        with pytest.raises(InvalidInput):
            invalid_call()
    assert plt.get_fignums() == []


def test_without_matplotlib_the_error_says_what_to_install():
    code = """
import sys
sys.modules["matplotlib"] = None
from scorio import plot
try:
    plot.forest({"a": [[0, 1]]}, questions="fixed")
except ModuleNotFoundError as e:
    print(e)
"""
    env = {**os.environ, "PYTHONPATH": str(Path(scorio.__file__).parents[1])}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert process.stdout == "plots need Matplotlib: pip install matplotlib\n"


# --- results in a notebook ---------------------------------------------------------------------------


CELLS = ("td", "th", "caption")


class Cells(HTMLParser):
    """Texts of the cells and caption of a table; every element must be closed, except <wbr>, which has no end tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        assert not self.open
        self.cells = [text for text in self.cells if text]

    def handle_starttag(self, tag, attrs):
        if tag != "wbr":
            self.open.append(tag)
        if tag in CELLS:
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in CELLS:
            self.cells[-1] += data


R = [[0, 1, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    "result, name, values",
    [
        (eval.interval(R, questions="fixed"), "MetricInterval", ["0.666667", "fixed", "measured", "2"]),
        (eval.bayes(R), "Estimate", ["0.6"]),
        (eval.bayes_ci(R), "Interval", ["0.6"]),
        (sinf.compare(R, [[0, 0, 1], [1, 0, 0]], questions="fixed"), "Comparison", ["0.333333", "measured"]),
        (rank.Range(1, 3), "Range", ["1", "3"]),
        (eval.extrapolate(R, "pass@k", 5), "Extrapolation", ["1", "0", "3"]),
        (eval.extrapolate_model(R, "pass@k", 5), "ModelExtrapolation", ["beta-binomial"]),
    ],
)
def test_results_have_html_tables(result, name, values):
    cells = Cells(result._repr_html_()).cells
    assert cells[0] == name
    assert set(values) <= set(cells)
    fields = [x for x in result._fields if x in cells]
    assert fields == list(result._fields)
    assert f"{result[0]:.6g}" in cells


def test_a_table_has_an_html_table():
    table = scorio.evaluate(R, k=2, questions="fixed")
    cells = Cells(table._repr_html_()).cells
    assert cells[:9] == list(table[0]._fields[:-2])  # the last two are bounds, shown only with missing="bounds"
    assert f"{table[1].mu:.6g}" in cells
    bounded = Cells(scorio.evaluate([[1, 0], [1, None]], questions="fixed", missing="bounds")._repr_html_()).cells
    assert bounded[:11] == list(table[0]._fields)


def test_dropped_questions_are_listed_in_short():
    r = eval.interval([[1, 0]] * 2 + [[None, None]] * 9, questions="fixed", missing="drop")
    assert "2, 3, 4, 5, 6, … (9)" in Cells(r._repr_html_()).cells


def test_html_is_escaped():
    text = html.table_of_rows(["<h>"], [["<b>&\"'"], [None], [1e-9]], caption="</table>")
    assert "<b>" not in text
    assert Cells(text).cells == ["</table>", "<h>", "<b>&\"'", "1e-09"]
    assert "http" not in text


# --- texts -------------------------------------------------------------------------------------------


def test_percent_never_claims_more_than_the_number():
    for p in np.linspace(0, 1, 10_001).tolist():
        text = text_functions.percent(p, "")
        assert text not in ("0", "100")
        shown = {">99.9": 0.999, "<0.1": 0.001}.get(text) or float(text) / 100
        assert abs(shown - 0.5) <= abs(p - 0.5) + 1e-9
        assert abs(shown - p) < 0.01
    assert (text_functions.percent(0.0), text_functions.percent(1.0)) == ("<0.1%", ">99.9%")


@pytest.mark.parametrize(
    "w, x, text",
    [
        (None, 0.42, "0.420"), ([0, 0.5, 1], 0.42, "0.420"), ([0, 100], 42.0, "42.0"), ([-1, 1], -0.5, "-0.500"),
        ([0, 1000], 420.4, "420"), ([0, 4.2e8], 4.2e7, "4.2e+07"), ([0, 4.2e-7], 4.2e-8, "4.2e-08"),
        ([3, 3], 3, "3.000"),
    ],
)  # fmt: skip
def test_digits_of_scores_follow_the_scale(w, x, text):
    assert format(float(x), text_functions.score_format(w)) == text


def test_long_names_are_cut():
    assert text_functions.cut("a" * 20 + "b" * 20, 11) == "aaaaa…bbbbb"
    for name in ("漢字" * 30, "ab漢" * 9, "e\u0301" * 30):
        assert text_functions.width(text_functions.cut(name, 17)) <= 17
    assert text_functions.cut("short", 17) == "short"
