"""Reports are self-contained, have the numbers of the functions and take any log."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from report_pages import QUICK, Page, benchmark_of, coins, evaluation_of, page, with_log

import scorio
from scorio import InvalidInput, eval, items, rank, sinf
from scorio.analysis import measure
from scorio.analysis.sample_size import growth
from scorio.commands.report import report
from scorio.display import text
from scorio.evaluation import Evaluation, read
from scorio.inference import pairs
from scorio.io import Log
from scorio.page import html, markup
from scorio.readers.evaluation import Benchmark

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"


def test_the_builds_of_a_ledger_are_a_part(capsys, tmp_path):
    """Check that a report with a ledger has its history: sentences, chart and table; also before any build is gated."""
    from scorio.cli import main
    from scorio.commands.history import history
    from scorio.ledger import append, read_ledger

    path = EXAMPLES / "ledger.jsonl"
    assert (
        main(
            [
                "report",
                str(EXAMPLES / "coins.csv"),
                "--ledger",
                str(path),
                "-o",
                str(tmp_path / "r.html"),
                "--replicates",
                "20",
            ]
        )
        == 0
    )
    parsed, x = Page((tmp_path / "r.html").read_text()), history(read_ledger(path))
    assert "builds" in parsed.ids
    text = " ".join(" ".join(parsed.words).split())
    assert all(" ".join(y.split()) in text for y in x.document().sentences)
    assert [row[0] for row in parsed.rows if row[0] in {y.build for y in x.table}] == [y.build for y in x.table]
    assert "builds" not in page(read(EXAMPLES / "coins.csv")).ids
    ledger, pin = read_ledger(tmp_path / "new.jsonl", missing_ok=True), read_ledger(path)
    lines = [{"scorio": "questions/1", "key": key, "ids": list(ids)} for key, ids in pin.questions.items()]
    base = pin.baseline("main")
    append(ledger, [*lines, *(y.line() for y in pin.pinned(base)), base.line()])
    text = str(report(read(EXAMPLES / "coins.csv"), ledger=ledger.path, **QUICK))
    assert "Scores of 4 builds" in " ".join(text.split())
    with pytest.raises(InvalidInput, match="no baseline 'x'"):
        report(read(EXAMPLES / "coins.csv"), ledger=path, baseline="x", **QUICK)


# --- the page ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize("name", ["tau_bench_gpt4o_airline", "langchain_tool_use"])
def test_numbers_are_those_of_the_functions(name, questions):
    e = read(EXAMPLES / f"{name}.csv", trials=True)
    parsed = page(e, questions=questions, confidence=0.9)
    possible = ["fixed", "sampled"] if name.startswith("tau") else ["sampled"]  # the other log has one trial a question
    targets = dict.fromkeys([questions, *possible])
    header = next(i for i, row in enumerate(parsed.rows) if row[:2] == ["#", "model"])
    cells = {row[1]: parsed.joined(row) for row in parsed.rows[header + 1 : header + 1 + len(e)]}
    short = dict(zip(e, html.names_on_page(e).short, strict=True))
    for m, counts in e.counts().items():
        for i, target in enumerate(targets, 3):
            x = eval.interval(counts, questions=target, confidence=0.9)
            assert cells[short[m]][2] == f"{x.mu:.3f}".removeprefix("0")
            ranks = ""
            if len(e) > 1:
                best, worst = rank.ranges(e.counts(), questions=target, confidence=0.9)[m]
                ranks = f"{best} " if best == worst else f"{best}-{worst} "
            assert cells[short[m]][i].startswith(ranks + f"[{x.lo:.3f}, {x.hi:.3f}]".replace("0.", "."))
    assert f"scorio {scorio.__version__}" in parsed.text
    assert "2026-01-02" in parsed.text


def test_pairs_are_those_of_the_comparisons():
    R = coins(4)
    parsed, e = page(evaluation_of(R)), evaluation_of(R)
    order = [row.model for row in e.leaderboard().table]
    starts = [i for i, row in enumerate(parsed.rows) if row[0] == f"1 {order[0]}"]
    neighbours, triangle = ([parsed.rows[i + k] for k in range(3)] for i in starts)
    fixed = {frozenset((x.a, x.b)): x for x in sinf.compare_all(R, questions="fixed")}
    similar = {frozenset((x.a, x.b)): x for x in sinf.compare_all(R, questions="sampled")}
    for i, row in enumerate(triangle):
        for j, cell in enumerate(row[1:], 1):
            mu = sinf.compare(R[order[i]], R[order[j]], questions="fixed").mu
            assert cell == (text.score(mu, ".3f").replace("0.", ".") if i < j else "")
    level = 0.05 / sum(not x.significant for x in fixed.values())  # of Holm's method for the next pair
    # columns of neighbours: better, worse, difference, then interval and p-value of each target, trials needed
    for (a, b), row in zip(pairwise(order), neighbours, strict=True):
        x, y = (z[frozenset((a, b))] for z in (fixed, similar))
        for column, z in ((3, x), (5, y)):
            ends = (z.lo, z.hi) if z.a == a else (-z.hi, -z.lo)
            assert row[column] == " to ".join(text.score(end, ".3f") for end in ends)
            assert float(row[column + 1].removeprefix("< ")) == pytest.approx(z.p_adjusted, rel=0.06, abs=0.005)
        assert row[2] == text.score(abs(x.mu), ".3f")
        needed = "" if x.significant else text.about(sinf.trials_needed(R[a], R[b], confidence=1 - level))
        assert row[7].startswith(needed)
        assert (row[7] == "") == x.significant


@pytest.mark.parametrize("L", [4, 6])
def test_each_pair_is_compared_once_and_each_metric_measured_once(monkeypatch, L):
    compared, measured, original_difference = Counter(), Counter(), pairs.paired_difference

    def paired_difference(A, B, sampled, *rest):
        compared[sampled] += 1
        return original_difference(A, B, sampled, *rest)

    original_measure = measure.measure_counts

    def measure_counts(estimand, counts, **rest):
        measured[counts.table.tobytes(), estimand.m.name, estimand.m.k, estimand.sampled] += 1
        return original_measure(estimand, counts, **rest)

    monkeypatch.setattr(pairs, "paired_difference", paired_difference)
    monkeypatch.setattr(measure, "measure_counts", measure_counts)
    report(evaluation_of(coins(L)), **QUICK).to_html()
    assert compared == {False: L * (L - 1) // 2, True: L * (L - 1) // 2}
    assert set(measured.values()) == {1}
    assert sum(name == "mean" for _, name, _, _ in measured) == 2 * L  # on these questions and on similar ones


def cards_of(parsed: Page) -> str:
    """HTML of the cards at the top of the page."""
    return parsed.source.partition('<div class="cards">')[2].partition("<details>")[0]


@pytest.mark.slow
def test_cards_say_who_is_best_what_differs_and_what_next():
    R = coins(4)
    cards = cards_of(page(evaluation_of(R)))
    fixed, similar = (sum(x.significant for x in sinf.compare_all(R, questions=q)) for q in ("fixed", "sampled"))
    assert f"{fixed} of 6 pairs" in cards
    assert f"{similar or 'none'} on similar questions" in cards
    assert "trials per question" in cards
    different = {"a": [[1] * 8] * 30, "b": [[0] * 8] * 30, "c": [[1, 0] * 4] * 30}
    cards = cards_of(page(evaluation_of(different)))
    assert "a is significantly better than every other model" in cards
    assert "no more data" in cards


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize("models", ["one", "two", "equal", "four", "suite"])
def test_cards_use_no_statistical_terms(models, questions):
    equal = {"a": [[1, 0]] * 9, "b": [[1, 0]] * 9}
    outcomes = {"one": coins(1), "two": coins(2), "equal": equal, "four": coins(4)}
    e = evaluation_of(outcomes[models]) if models in outcomes else suite_of(None, None)
    parsed = page(e, questions=questions)
    assert not re.search(r"\bCI\b|Holm|p-value|\bp [=<]|family-wise|power", cards_of(parsed))
    assert "with 95% confidence" in cards_of(parsed)
    assert "95% CI" in parsed.source.partition("<details>")[2].partition("</details>")[0]
    assert "Holm" not in parsed.text.replace("(Holm)", "") or models in ("four", "suite")  # two models are one pair


def test_the_headline_and_the_sentences_below_are_about_the_same_questions():
    cards = cards_of(page(read(EXAMPLES / "coins.csv"))).replace("<wbr>", "")
    assert ">On these questions: large; on similar questions: large or medium</p>" in cards
    assert "<p>On these questions large is significantly better than every other model.</p>" in cards
    assert "<p>On similar questions each of large and medium may be the best model.</p>" in cards
    different = {"a": [[1] * 8] * 30, "b": [[0] * 8] * 30}
    cards = cards_of(page(evaluation_of(different)))
    assert '<p class="large">a</p>' in cards
    assert "<p>On these questions and on similar questions a is significantly better than the other model.</p>" in cards


def test_a_report_folds_what_only_statisticians_read():
    source = page(evaluation_of(coins(4))).source
    assert re.findall("<summary>([^<]*)", source) == [
        "In full, for statisticians", "Pass@k", "Reliability and design", "Stability of the ranking",
        "Questions and trials of every model", "Meaning of columns and intervals",
    ]  # fmt: skip
    headings = re.findall('<h2 id="[^"]*">([^<]*)', source)
    assert headings == [
        "Leaderboard",
        "Comparisons",
        "Questions",
        "Trials and missing outcomes",
        "How this page was made",
    ]


def test_notes_are_stated_once_and_in_sight_in_a_report(tmp_path):
    rows = ["model,question,outcome", *(f"{m},{q},1" for m in "ab" for q in range(5)), "a,9,0"]
    (tmp_path / "runs.csv").write_text("\n".join(rows))
    (tmp_path / "answers.txt").write_text("not a log")
    shown = page(read(tmp_path)).source.partition("Notes</h2>")[2].partition("</section>")[0]
    assert shown.count("Models answered different questions") == 1
    assert shown.count("Not read:") == 1
    assert "95% CI for" not in shown


def test_wide_tables_can_be_stacked_on_a_narrow_page():
    """On a phone each cell of these tables is below its label; maps and short lists remain tables."""
    source = page(suite_of(None, None)).source
    for label in ("Models", "Neighbours in the ranking", "Designs"):
        table = source.partition(f'aria-label="{label}"><table class="')[2].partition("</table>")[0]
        assert "stack" in table.partition('"')[0].split()
        cells = re.findall("<t[dh] ([^>]*)>", table.partition("<tbody>")[2])
        assert all("data-label=" in x or 'class="drawn"' in x for x in cells)
    assert '<td class="right" data-label="trials per question">' in source
    assert not re.search('class="(map|shades)[^"]*stack', source)


def test_cards_of_two_models_name_both():
    different = evaluation_of({"a": [[1] * 8] * 30, "b": [[0] * 8] * 30})
    assert "a is significantly better than the other model" in cards_of(page(different))
    assert "not significant" in cards_of(page(evaluation_of({"a": [[1, 0]] * 9, "b": [[1, 0]] * 9})))


@pytest.mark.parametrize(
    "missing, w, treatment",
    [("drop", None, "left out"), (0, None, "counted as failures"), (1, None, "counted as successes"),
     (0, [0.0, 0.5], "counted as category 0")],
)  # fmt: skip
def test_missing_outcomes_are_reported_below_the_cards(missing, w, treatment):
    R = coins(3)
    R["model-a"][0][0] = R["model-b"][1][2] = None
    head = cards_of(page(evaluation_of(R, missing, w=w)))
    assert "2 of 216 outcomes" in head
    assert treatment in head
    assert 'href="#trials-and-missing-outcomes"' in head
    assert "Missing" not in cards_of(page(evaluation_of(coins(3))))


def reversed_on(R, question):
    """These outcomes, changed so that better models do worse on this question."""
    for i, rows in enumerate(R.values()):
        rows[question] = [int(i + j > 7) for j in range(8)]
    return R


def test_suspects_are_reported_below_the_cards():
    parsed = page(evaluation_of(reversed_on(coins(6, 12, 8), 5)))
    assert "1 question may be wrong" in cards_of(parsed)
    assert 'href="#suspects"' in cards_of(parsed)
    parts = {"x": benchmark_of(reversed_on(coins(6, 12, 8), 5), name="x"), "y": benchmark_of(coins(6, 20, 8), name="y")}
    several = cards_of(page(Evaluation(parts)))
    assert "1 question (x: 1) may be wrong" in several
    assert 'href="#each-benchmark"' in several
    assert "may be wrong" not in cards_of(page(evaluation_of(coins(6, 12, 8))))


def test_a_report_of_one_model_has_no_empty_section():
    parsed = page(evaluation_of(coins(1)))
    assert not {"comparisons", "reliability-and-design", "stability-of-the-ranking"} & set(parsed.ids)
    assert "Dotted" not in parsed.text
    assert "Dotted, grey: model-a" in page(evaluation_of(coins(2))).text


def test_a_single_point_is_not_drawn_as_a_chart():
    for N, charts in ((2, 1), (3, 2)):
        source = page(evaluation_of(coins(3, 12, N))).source
        section = source.partition("<summary>Stability of the ranking<")[2].partition("</details>")[0]
        assert section.count("<svg") == charts
        assert ("the ranking is stable after the first trial" in section) == (N == 2)


def test_print_shows_folded_details_and_keeps_tables_whole():
    style = page(evaluation_of(coins(2))).source.partition("@media print")[2].partition("</style>")[0]
    assert "details::details-content { content-visibility: visible" in style
    assert re.search(r"[^}]*\.box, thead \{ break-inside: avoid", style)


def test_long_names_break_between_their_parts():
    R = {f"organisation/a_{x}": rows for x, rows in zip("xy", coins(2).values(), strict=True)}
    assert '<th scope="row" data-label="model">organisation/<wbr>a_<wbr>y' in page(evaluation_of(R)).source


def test_an_interval_is_drawn_to_scale():
    picture = markup.drawn_interval(0.2, 0.3, 0.5, (0.2, 0.7))  # the axis has a margin of 3% at each end
    x, y = map(float, re.search(r'class="range"[^>]* x1="([0-9.]+)%" x2="([0-9.]+)%"', picture).groups())
    assert (x, y) == (3.0, pytest.approx(3 + 94 * 0.6, abs=0.01))
    assert markup.drawn_interval(0.5, 0.5, 0.5, (0.5, 0.5)).count("nan") == 0


def test_names_and_texts_are_escaped():
    name, question = "<script>alert(\"x\")</script> & 'co'", "<img src=x> & more"
    logs = {n: Log([question, "q2"], scorio.tally([[i, 1], [0, 1]])) for i, n in enumerate([name, "<b>"])}
    parsed = page(Evaluation({"": Benchmark("", logs)}), title="<i>T</i> & co", command="scorio report <x> > 'y' && z")
    assert "<img src=x" not in parsed.source
    assert parsed.text.count(name) >= 3
    assert question in parsed.text
    assert "<i>T</i> & co" in parsed.text
    assert "scorio report <x> > 'y' && z" in parsed.text


def test_a_report_is_reproducible():
    assert report(evaluation_of(coins(3)), **QUICK).to_html() == report(evaluation_of(coins(3)), **QUICK).to_html()


def test_stability_is_drawn_where_the_order_is_known():
    full = evaluation_of(coins(3))
    assert page(full).text.count("Kendall's tau-b with the gold ranking: mean") == 1
    renamed = full.log("model-b")._replace(ids=[f"p{i}" for i in range(12)])
    for e, reason in (
        (with_log(full, **{m: full.log(m)._replace(outcomes=None) for m in full}), "the order of the trials"),
        (evaluation_of(coins(3, N=1)), "with one trial"),
        (evaluation_of({"a": [[1, 0], [1, 0]], "b": [[1, 1], [0, 0]]}), "gold ties all models"),
        (with_log(full, **{"model-b": renamed}), "no question was answered by all"),
    ):  # fmt: skip
        assert reason in page(e).text


def test_models_that_share_no_question_are_not_compared():
    complete = evaluation_of(coins(3))
    renamed = complete.log("model-b")._replace(ids=[f"p{i}" for i in range(12)])
    x = report(with_log(complete, **{"model-b": renamed}), **QUICK)
    for target in ("fixed", "sampled"):
        (pair,) = x.comparisons[target].pairs.values()
        want = sinf.compare(complete["model-a"], complete["model-c"], questions=target)
        assert {pair.a, pair.b} == {"model-a", "model-c"}
        assert (abs(pair.mu), pair.p_value) == (abs(want.mu), want.p_value)
    assert "not compared" in Page(x.to_html()).text


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize(
    "R", [{"a": [[1, 0], [1, 1]]}, {"a": [[1]]}, {"a": [[1]], "b": [[0]]}, {"a": [[0, 0]] * 2, "b": [[0, 0]] * 2}]
)
def test_logs_of_one_or_two_questions_or_trials_have_a_report(R, questions):
    assert ("1 model," in page(evaluation_of(R), questions=questions).text) == (len(R) == 1)


def suite_of(*scales):
    """Three models in a benchmark for each scale (None: 0 and 1); the last of three benchmarks lacks model-c."""
    R = {f"task-{i}": coins(3, 10 + 5 * i, 4) for i in range(len(scales))}
    if len(R) > 2:
        del R[f"task-{len(R) - 1}"]["model-c"]
    return Evaluation({t: benchmark_of(x, w=w, name=t) for (t, x), w in zip(R.items(), scales, strict=True)})


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_several_benchmarks_are_ranked_by_the_macro_average(questions):
    e = suite_of(None, None, None)
    parsed = page(e, questions=questions, k=2)
    parts = e.by_benchmark()
    want = sinf.suite({t: {m: x for m, x in part.items() if m != "model-c"} for t, part in parts.items()},
                      questions=questions)  # fmt: skip
    models = {x.model: x for x in want.models}
    order = sorted(models, key=lambda m: -models[m].mu)
    header = next(i for i, row in enumerate(parsed.rows) if row[:2] == ["#", "model"])
    for m, row in zip(order, parsed.rows[header + 1 :], strict=False):
        x, cells = models[m], parsed.joined(row)
        assert cells[1] == m
        assert cells[2] == f"{x.mu:.3f}".removeprefix("0")
        ranks = str(x.best) if x.best == x.worst else f"{x.best}-{x.worst}"
        assert cells[3] == f"{ranks} [{x.lo:.3f}, {x.hi:.3f}]".replace("0.", ".")
    (pair,) = want.pairs
    row = next(row for row in parsed.rows if row[0] == f"1 {order[0]}")
    assert row[2] == text.score(abs(pair.mu), ".3f")
    ends = (pair.lo, pair.hi) if pair.a == order[0] else (-pair.hi, -pair.lo)
    assert row[3] == f"{ends[0]:.3f} to {ends[1]:.3f}"
    header = next(i for i, row in enumerate(parsed.rows) if row[0] == "model" and row[1].startswith("task-0"))
    cells = {row[0]: row[1:] for row in parsed.rows[header + 1 : header + 4]}
    assert list(cells) == [*order, "model-c"]
    for m, each in cells.items():
        for t, cell in zip(parts, each, strict=True):
            mu = f"{eval.interval(parts[t][m], questions=questions).mu:.3f}".replace("0.", ".") if m in parts[t] else ""
            assert cell == mu
    assert "No macro-average of model-c" in parsed.text


def test_a_benchmark_of_several_has_the_sections_of_one():
    R = coins(3, 12, 4)
    alone, other = page(evaluation_of(R)), page(Evaluation({t: benchmark_of(R, name=t) for t in "xy"}))
    for phrase in (
        "tau-b with the gold ranking: mean",
        "Solid: measured",
        "Hardest (the first 10)",
        "Reliability of the",
    ):
        assert (alone.text.count(phrase), other.text.count(phrase)) == (1, 2)


def test_the_data_that_would_detect_a_difference_are_stated():
    R = {t: {m: coins(2, 30, 4)["model-a"] for m in "ab"} for t in "xy"}
    for part in R.values():
        part["b"] = [row[:] for row in part["a"]]
        part["b"][9][0] = 1 - part["b"][9][0]
    (pair,) = sinf.suite(R, questions="sampled").pairs
    times = growth(pair.mu, pair.sigma, 0.95, 0.8)
    assert times == pytest.approx(((1.959964 + 0.841621) * pair.sigma / pair.mu) ** 2, rel=1e-6)
    e = Evaluation({t: benchmark_of(x, name=t) for t, x in R.items()})
    assert f"about {times:.1f} times as many questions in every benchmark" in page(e).text


def test_benchmarks_on_different_scales_have_no_macro_average():
    x = report(suite_of(None, [0.0, 10.0]), **QUICK)
    assert (x.leaderboard.table, x.comparisons) == ((), {})
    parsed = Page(x.to_html())
    assert "no macro-average" in parsed.text
    assert "comparisons" not in parsed.ids


def test_the_colours_of_benchmarks_span_the_values():
    low, high = [[1, 1, 1, 0]] * 4, [[1, 1, 1, 1]] * 4
    e = Evaluation({t: benchmark_of({"a": x, "b": low}, name=t) for t, x in (("x", low), ("y", high))})
    source = page(e).source
    assert source.count("background: #00224e") == 3  # the colour of the lowest value; below, of the highest
    assert source.count("background: #fee838") == 1


@pytest.mark.slow
def test_the_curves_are_measured_and_then_modelled():
    R = {"a": [[0] * 4] * 3 + [[1, 0, 0, 0]] * 4 + [[1, 1, 1, 0]] * 5, "b": [[0, 0, 0, 1]] * 12}
    source = page(evaluation_of(R)).source
    band, model = eval.extrapolate(R["a"], "pass@k", 32), eval.extrapolate_model(R["a"], "pass@k", 32)
    measured = eval.pass_at_k(R["a"], 4)
    sentence = f"{measured:.2f} at 4; at 32 between {band.low:.2f} and {band.high:.2f}, {model.value:.2f} by the model."
    assert sentence in source
    assert source.count("class='modelled'") == 2
    assert "with one trial of a question Pass@k is not known" in page(evaluation_of(coins(3, N=1))).text


def test_item_statistics_are_those_of_the_functions():
    R = reversed_on(coins(6, 12, 8), 5)
    parsed = page(evaluation_of(R), link="https://host/view?id={question}&x")
    want = items.items(R)
    suspects = [x for x in want if x.suspect]
    assert [x.question for x in suspects] == [5]
    assert f"{suspects[0].covariance:.4f}" in parsed.text
    best = max(want, key=lambda x: x.covariance)
    assert [
        f"q{best.question}",
        f"{best.mean:.3f}",
        f"{min(best.discrimination, 1.0):.2f}",
        f"{best.covariance:.4f}",
    ] in ([row[:4] for row in parsed.rows])
    assert '<a href="https://host/view?id=q5&amp;x" rel="noreferrer">q5</a>' in parsed.source
    x, twice = items.reliability(R), items.reliability(R, 24, 8)
    assert x == report(evaluation_of(R), **QUICK).parts[0].item_analysis.designs[0]
    assert ["as it is", "12", "8", f"{x.se:.3f}", f"{x.se_fixed:.3f}", f"{x.rho:.2f}"] in parsed.rows
    assert [
        "2 times the questions",
        "24",
        "8",
        f"{twice.se:.3f}",
        f"{twice.se_fixed:.3f}",
        f"{twice.rho:.2f}",
    ] in parsed.rows
    assert ["model-a", "12", "8", "0"] in parsed.rows


def test_a_log_of_counts_has_a_report():
    logs = {m: Log(["x", "y"], scorio.Counts.from_successes(c, [4, 9])) for m, c in {"a": [3, 8], "b": [1, 2]}.items()}
    assert "4–9" in page(Evaluation({"": Benchmark("", logs)})).text


def test_missing_outcomes_are_counted_for_each_model():
    R = {"a": [[1, None, 1], [0, 0, 1], [1, 1, 1]], "b": [[0, 0, 1], [None, None, None], [0, 1, 0]]}
    parsed = page(evaluation_of(R, missing="drop"))
    assert "Missing: 4 outcomes; questions without a trial, summed over models: 1." in parsed.text
    assert ["a", "3", "2–3", "1"] in parsed.rows
    assert "Nothing is missing" in page(evaluation_of(coins(2))).text


def test_models_are_compared_on_shared_questions():
    e = evaluation_of(coins(3))
    parsed = page(with_log(e, **{"model-b": e.log("model-b").only([3, 1, 2])}))
    r = sinf.compare(e["model-a"].select([3, 1, 2]), e["model-b"].select([3, 1, 2]), questions="fixed")
    assert text.score(abs(r.mu), ".3f") in parsed.text
    assert "Only the questions that all models answered are used: 3 of 12." in parsed.text


def test_scores_of_the_log_are_used():
    R, w = {"a": [[0, 2, 1], [2, 2, 1]], "b": [[0, 0, 1], [0, 2, 1]]}, [0.0, 50.0, 100.0]
    parsed = page(evaluation_of(R, w=w))
    r = eval.interval(R["a"], w=w, questions="fixed")
    assert f"[{r.lo:.1f}, {r.hi:.1f}]" in parsed.text
    assert not any("Pass@" in x for row in parsed.rows for x in row)


@pytest.mark.slow
def test_many_models_and_many_questions_have_a_report():
    parsed = page(evaluation_of(coins(30, 8, 3)))
    assert "The other 17 pairs of neighbours" in parsed.text
    assert len(parsed.source) < 1_000_000
    parsed = page(evaluation_of(coins(2, 1500, 2)))
    assert any(x["src"].startswith("data:image/png") for x in parsed.images)


def test_names_of_any_length_are_shown():
    R = {"x" * 500 + end: x for end, x in zip("ab", coins(2).values(), strict=True)} | {"漢字$x$": coins(1)["model-a"]}
    assert "漢字$x$" in page(evaluation_of(R)).text


@pytest.mark.parametrize(
    "options",
    [{"questions": "all"}, {"confidence": 0.0}, {"confidence": 1.0}, {"k": 99}, {"replicates": 0}, {"seed": -1}],
)  # fmt: skip
def test_invalid_arguments_are_refused(options):
    with pytest.raises(InvalidInput):
        report(evaluation_of(coins(2)), **{**QUICK, **options})


# --- the file, the text -------------------------------------------------------------------------------


def test_the_title_is_that_of_the_log_unless_it_is_stated(tmp_path):
    e = evaluation_of(coins(2))
    assert "<h1>runs.csv</h1>" in report(e, **QUICK).to_html()
    e.report(tmp_path / "page.html", title="Airline tasks", **QUICK)
    assert "<h1>Airline tasks</h1>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_report_prints_as_text():
    x = report(evaluation_of(coins(4)), **QUICK)
    printed = str(x)
    assert all(row.model in printed for row in x.leaderboard.table)
    assert "<" not in printed.replace("< 0.0001", "")
    assert "Neighbours in the ranking" in x.to_markdown()
    assert len(x.to_dict()["rows"]) == 4


# --- notebooks ---------------------------------------------------------------------------------------


def test_lists_of_results_are_shown_as_tables():
    compared = sinf.compare_all(coins(3), questions="fixed")
    assert [x.split()[:2] for x in repr(compared).splitlines()[1:]] == [[x.a, x.b] for x in compared]
    assert len(Page(f"<html lang='en'>{compared._repr_html_()}</html>").rows) == 4
    assert repr(compared[:0]) == "[]"
    many = type(compared)(compared * 40)
    assert repr(many).endswith("and 60 more")


def test_a_leaderboard_draws_its_intervals_in_a_notebook():
    picture = Page(f"<html lang='en'>{evaluation_of(coins(3)).leaderboard()._repr_html_()}</html>")
    assert picture.source.count("<svg") == 3
    for line in re.findall("<line[^>]*>|<circle[^>]*>", picture.source):  # where the style is removed they keep colours
        assert 'stroke="' in line or 'fill="currentColor"' in line


NOTEBOOK_RULE = re.compile(r"([^{}]+)\{[^{}]*\}")


@pytest.mark.parametrize("result", [lambda e: report(e, **QUICK), Evaluation.leaderboard])
def test_results_in_a_notebook_have_a_style_that_applies_to_them_alone(result):
    shown = result(evaluation_of(coins(3)))._repr_html_()
    parsed = Page(f"<html lang='en'>{shown}</html>")
    assert shown.startswith('<div class="scorio"><style>')
    assert not {"script", "main", "body", "link"} & parsed.tags
    style = shown.partition("<style>")[2].partition("</style>")[0]
    for selectors in NOTEBOOK_RULE.findall(re.sub(r"@[^{]*\{", "", style)):
        parts = re.split(r",\s*(?![^(]*\))", selectors.strip())
        assert all(x.startswith(html.SCOPE) for x in parts), selectors
    assert "rem" not in style  # the root of a notebook has a font size of its own
    assert "all: initial" in style
    assert "all: revert" in style


def test_every_class_of_the_pictures_of_a_report_has_a_style():
    shown = report(evaluation_of(coins(3)), **QUICK)._repr_html_()
    style, _, body = shown.partition("</style>")
    classes = {x for svg in re.findall("<svg.*?</svg>", body, re.S) for x in re.findall("class=.([a-z]+)", svg)}
    assert {"chart", "band", "line", "grid", "ci", "range"} <= classes
    assert [x for x in classes if f".{x}" not in style] == []


def test_two_reports_in_a_notebook_have_different_ids_and_links_of_their_own():
    others = coins(3) | {"a": [[1, 0] * 3] * 12}
    pages = [Page(f"<html lang='en'>{report(evaluation_of(R), title=title, **QUICK)._repr_html_()}</html>")
             for R, title in ((coins(3), "x"), (others, "y"))]  # fmt: skip
    first, second = (set(x.ids) for x in pages)
    assert first
    assert not first & second
    assert len(first) == len(pages[0].ids)
    for x in pages:
        assert {y[1:] for y in x.links if y.startswith("#")} <= set(x.ids)
        assert set(re.findall('aria-labelledby="([^"]*)', x.source)) <= set(x.ids)


def test_a_page_has_no_character_that_reverses_the_direction_of_writing() -> None:
    """Check that control characters and U+202E in names are "?" in HTML, as in every other form."""
    page = html.fragment(html.element("h1", "a\x1b[31mb\u202ec"), [])
    assert "a?[31mb?c" in page
