"""The page stands by itself, says what the functions return, and takes any log; sentences are no surer than numbers."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import scorio
from scorio import InvalidInput, eval, items, rank, simulate, sinf
from scorio.display import svg, terms, text
from scorio.io import Log, Logs, read
from scorio.io.logs import joined
from scorio.leaderboard import leaderboard, notes, sentences
from scorio.report import report

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
VOID = {"meta", "img", "br", "hr", "link", "input", "wbr"}
QUICK = {"date": "2026-01-02", "replicates": 20}


class Page(HTMLParser):
    """Checks the form of a page and keeps its text, tables and pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.under: list[list[str]] = []  # the second lines of the cells of the same rows
        self.headings: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        assert len(found) == len(attrs)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[x] for x in ("src", "href", "action", "data", "srcset") if x in found]
        if tag == "img":
            self.images.append(found)
        if tag == "tr":
            self.rows.append([])
            self.under.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.under[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            return
        self.words.append(data)
        if self.open and (
            self.open[-1] in ("td", "th") or self.open[-2:] == ["td", "a"] or self.open[-2:] == ["th", "a"]
        ):
            self.rows[-1][-1] += data
        if self.open[-2:] in (["td", "span"], ["th", "span"]):
            self.under[-1][-1] += data
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            self.headings.append(self.open[-1])

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def whole(self, row: list[str]) -> list[str]:
        """The cells of a row with their second lines."""
        under = next(y for x, y in zip(self.rows, self.under, strict=True) if x is row)
        return [f"{x} {y}".strip() for x, y in zip(row, under, strict=True)]


def page(logs, **options) -> Page:
    """The page, which is well formed and needs nothing from elsewhere."""
    before = dict(mpl.rcParams)
    found = Page(report(logs, **{**QUICK, **options}))
    assert dict(mpl.rcParams) == before
    assert len(found.source) < 2_000_000
    assert len(set(found.ids)) == len(found.ids)
    within = [x[1:] for x in found.links if x.startswith("#")]
    assert set(within) <= set(found.ids)  # links within the page lead somewhere
    assert all(x.startswith(("data:image/", "#")) for x in found.links if not options.get("link"))
    assert not {"link", "iframe", "object"} & found.tags
    assert found.source.count("<script") == 1  # that sorts tables
    assert "@import" not in found.source
    assert "url(" not in found.source
    assert found.source.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert found.headings[0] == "h1"
    assert found.headings.count("h1") == 1
    for image in found.images:
        assert len(image["alt"]) > 20
        kind, data = image["src"].split(";base64,")
        content = b64decode(data)
        assert (kind == "data:image/png") == content.startswith(b"\x89PNG")
        assert not re.findall(rb'(?:href|src)="(?!#|data:)', content)
    return found


def logs_of(R, missing: str | int = "raise", **more) -> Logs:
    """Outcomes as a log with trials in their order."""

    def log(x):
        counts = scorio.tally(x, len(more.get("weights") or [0, 1]) - 1, missing=missing)
        outcomes = np.array([[-1 if y is None else y for y in row] for row in x])
        return Log([f"q{i}" for i in range(counts.M)], counts, outcomes, None, (outcomes < 0).sum(axis=1))

    return Logs({name: log(x) for name, x in R.items()}, **more)


def coins(L, M=12, N=6):
    rates = np.clip(np.linspace(0.1, 0.9, M)[None] + np.linspace(0.2, -0.2, L)[:, None], 0, 1)
    return {f"model-{chr(97 + i)}": x.tolist() for i, x in enumerate(simulate.coins(rates, N, seed=1))}


# --- the page ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize("name", ["tau_bench_gpt4o_airline", "langchain_tool_use"])
def test_numbers_are_those_of_the_functions(name, questions):
    logs = read(EXAMPLES / f"{name}.csv", trials=True)
    found = page(logs, questions=questions, confidence=0.9)
    rows = leaderboard(logs, questions=questions, confidence=0.9)
    alone = len(logs) == 1  # then there are no ranks
    at = next(i for i, row in enumerate(found.rows) if row[0] in ("#", "model"))
    board = [found.whole(row) for row in found.rows[at + 1 : at + 1 + len(rows)]]
    cells = {row[1]: row for row in (["", *row[:3], "", *row[3:]] if alone else row for row in board)}
    shared = {m: log.counts for m, log in logs.items()}
    may = rank.ranges(shared, questions=questions, confidence=0.9) if len(logs) > 1 else {}
    for row in rows:
        said = cells[row.model]
        assert alone or said[0] == str(row.rank)
        if may:
            best, worst = may[row.model]
            assert said[4] == (str(best) if best == worst else f"{best}–{worst}")
        intervals = [said[2], *said[5:]]
        for x, cell in zip(row.intervals, intervals, strict=False):
            assert cell.startswith(f"{x.mu:.3f} [{x.lo:.3f}, {x.hi:.3f}]")
            assert cell[-1] == {"measured": "]", "modelled": "~", "upper bound": "*"}[x.variance_source]
    for note in notes(logs, rows, 0.9, "raise"):
        assert note in found.text
    assert f"scorio {scorio.__version__}" in found.text
    assert "2026-01-02" in found.text


def text_of_p(p):
    return terms.p_value(p).removeprefix("p ").removeprefix("= ")


def test_pairs_on_the_page():
    R = coins(4)
    found = page(logs_of(R))
    order = [row.model for row in leaderboard(logs_of(R))]
    table = [row for row in found.rows if row[0] in {f"{i + 1} {m}" for i, m in enumerate(order)}]
    neighbours, triangle = table[:3], table[3:]
    assert len(triangle) == 3
    for i, row in enumerate(triangle):
        for j, cell in enumerate(row[1:], 1):
            if i < j:
                r = sinf.compare(R[order[i]], R[order[j]], questions="fixed")
                assert cell in (text.percent(r.p_above), text.percent(r.p_above, decimals=1))
            assert (cell == "") == (i >= j)
    pairs = sinf.compare_all(R, questions="fixed")
    level = 0.05 / sum(not x.significant for x in pairs)  # Holm's, for one more pair
    for (a, b), row in zip(pairwise(order), neighbours, strict=True):
        r = sinf.compare(R[a], R[b], questions="fixed", confidence=1 - 0.05 / 6)
        x = next(x for x in pairs if {x.a, x.b} == {a, b})
        assert row[1:3] == [text.score(r.mu, ".3f"), f"{text.score(r.lo, '.3f')} to {text.score(r.hi, '.3f')}"]
        said = text_of_p(x.p_adjusted)
        assert found.whole(row)[3] == f"{'significant' if x.significant else 'not significant'} {said}"
        assert row[4] == ("" if x.significant else text.about(sinf.trials_needed(R[a], R[b], confidence=1 - level)))


def test_cards_say_who_is_best_what_differs_and_what_next():
    said = page(logs_of(coins(4))).text
    assert "one of " in said
    found = sum(x.significant for x in sinf.compare_all(coins(4), questions="fixed"))
    assert f"{found} of 6 pairs" in said
    assert "trials per question" in said
    apart = {"a": [[1] * 8] * 30, "b": [[0] * 8] * 30, "c": [[1, 0] * 4] * 30}
    said = page(logs_of(apart)).text
    assert "a is significantly better than every other model" in said
    assert "nothing is open" in said


def cards_of(found: Page) -> str:
    return found.source.partition('<div class="cards">')[2].partition("<details>")[0]


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize("logs", ["one", "two", "open", "four", "suite"])
def test_cards_need_no_statistics(logs, questions):
    equal = {"a": [[1, 0]] * 9, "b": [[1, 0]] * 9}
    log = {"one": logs_of(coins(1)), "two": logs_of(coins(2)), "open": logs_of(equal), "four": logs_of(coins(4))}
    found = page(log[logs] if logs in log else suite_of(None, None), questions=questions)
    assert not re.search(r"\bCI\b|Holm|p-value|\bp [=<]|family-wise|power", cards_of(found))
    assert "with 95% confidence" in cards_of(found)
    assert "95% CI" in found.source.partition("<details>")[2].partition("</details>")[0]
    assert "Holm" not in found.text or logs in ("four", "suite")  # two models are one pair


def test_cards_of_two_models_name_both():
    apart = logs_of({"a": [[1] * 8] * 30, "b": [[0] * 8] * 30})
    assert "a is significantly better than b." in cards_of(page(apart))
    assert "every other model" not in cards_of(page(apart))
    assert "not significant" in cards_of(page(logs_of({"a": [[1, 0]] * 9, "b": [[1, 0]] * 9})))


@pytest.mark.parametrize(
    "missing, weights, done",
    [("drop", None, "left out"), (0, None, "counted as failures"), (1, None, "counted as successes"),
     (0, [0.0, 0.5], "counted as category 0")],
)  # fmt: skip
def test_what_is_missing_is_said_beneath_the_cards(missing, weights, done):
    R = coins(3)
    R["model-a"][0][0] = R["model-b"][1][2] = None
    head = cards_of(page(logs_of(R, missing, weights=weights), missing=missing))
    assert f"2 of 216 outcomes are missing and were {done}." in head
    assert 'href="#trials-and-missing-outcomes"' in head
    R["model-a"][0][0] = 1
    alone = cards_of(page(logs_of(R, missing, weights=weights), missing=missing))
    assert "1 of 216 outcomes is missing and was" in alone
    assert "missing" not in cards_of(page(logs_of(coins(3))))


def reversed_on(R, question):
    """The better a model, the worse on this question."""
    for i, rows in enumerate(R.values()):
        rows[question] = [int(i + j > 7) for j in range(8)]
    return R


def test_suspects_are_said_beneath_the_cards():
    found = page(logs_of(reversed_on(coins(6, 12, 8), 5)))
    assert "1 question may be wrong" in cards_of(found)
    assert 'href="#suspects"' in cards_of(found)
    parts = {"x": logs_of(reversed_on(coins(6, 12, 8), 5)), "y": logs_of(coins(6, 20, 8))}
    several = cards_of(page(joined(parts, list(parts["x"]))))
    assert "1 question (x) may be wrong" in several
    assert 'href="#questions-and-reliability"' in several
    assert "may be wrong" not in cards_of(page(logs_of(coins(6, 12, 8))))


def test_each_table_says_what_its_intervals_are():
    several, pair = page(logs_of(coins(4))), page(logs_of(coins(2)))
    for found in (several, pair, page(suite_of(None, None))):
        assert "95% CI is that of each model by itself" in found.text
        assert "intervals of differences, not of single models" in found.text
    assert "the intervals of all 6 pairs cover their differences at once" in several.text
    assert "95% CI of this pair alone" in several.text  # among the statistician's statements
    assert any("95% CI\nof the difference" in row for row in pair.rows)
    assert "at once" not in pair.text
    assert "this pair alone" not in pair.text


def test_notes_of_a_benchmark_stand_by_it():
    R = {name: coins(3, 10) for name in ("x", "y", "z")}
    R["y"]["model-a"][2] = [None] * 6
    del R["z"]["model-b"]
    R["z"]["model-c"][1][0] = None
    logs = joined({name: logs_of(x, "drop") for name, x in R.items()}, list(R["x"]))
    source = page(logs, missing="drop").source
    section = source.partition('aria-labelledby="benchmarks"')[2].partition("</section>")[0]
    lines = dict(re.findall("<li>([xyz]): (.*)</li>", section))
    assert set(lines) == {"y", "z"}
    assert "10 in all, 9 answered by every model" in lines["y"]
    assert "Missing: 6 of 180 outcomes" in lines["y"]
    assert "not run with model-b" in lines["z"]
    assert "Missing: 1 of 120 outcomes" in lines["z"]


def test_a_page_of_one_model_has_no_section_that_says_nothing():
    found = page(logs_of(coins(1)))
    assert not {"comparisons", "reliability-and-design", "stability-of-the-ranking"} & set(found.ids)
    assert "need two" in found.text
    assert "Dotted" not in found.text
    assert "Dotted, grey: model-a" in page(logs_of(coins(2))).text


def test_columns_that_say_the_same_of_every_model_are_a_sentence():
    found = page(logs_of(coins(3)))
    assert "Every model has 12 questions and 6 trials per question." in found.text
    assert not any("questions\nx trials" in row for row in found.rows)
    R = coins(3)
    R["model-a"][0][0] = None
    found = page(logs_of(R, "drop"), missing="drop")
    row = next(row for row in found.rows if row[1:2] == ["model-a"])
    assert found.whole(row)[-1] == "12 x 5–6 1 missing"
    assert not any("without\na trial" in row for row in found.rows)


def test_a_line_of_one_point_is_no_chart():
    for N, charts in ((2, 1), (3, 2)):
        source = page(logs_of(coins(3, 12, N))).source
        section = source.partition('aria-labelledby="stability-of-the-ranking"')[2].partition("</section>")[0]
        assert section.count("<svg") == charts
        assert ("the first trial ranks as both trials do" in section) == (N == 2)


def test_paper_shows_what_a_screen_unfolds_and_keeps_tables_whole():
    style = page(logs_of(coins(2))).source.partition("@media print")[2].partition("</style>")[0]
    assert "details::details-content { content-visibility: visible" in style
    assert re.search(r"[^}]*\.box, thead \{ break-inside: avoid", style)


def test_long_names_break_between_their_parts():
    R = {f"organisation/a_{x}": rows for x, rows in zip("xy", coins(2).values(), strict=True)}
    assert "organisation/<wbr>a_<wbr>x" in cards_of(page(logs_of(R)))
    assert 'scope="row" style="text-align: left">organisation/<wbr>a_<wbr>y' in page(logs_of(R)).source
    assert '<span class="under">2 organisation/<wbr>a_<wbr>' in page(logs_of(R)).source


def test_the_drawn_interval_stands_where_its_numbers_are():
    drawn = svg.interval(0.2, 0.3, 0.5, (0.2, 0.7))
    x, y = map(float, re.search(r'class="range"[^>]* d="M([0-9.]+) 9.0H([0-9.]+)"', drawn).groups())
    assert (x, y) == (4.0, pytest.approx(4 + (svg.WIDTH - 8) * 0.6, abs=0.06))
    assert svg.interval(0.5, 0.5, 0.5, (0.5, 0.5)).count("nan") == 0


def test_names_and_texts_are_escaped():
    name, question = "<script>alert(\"x\")</script> & 'co'", "<img src=x> & more"
    logs = {n: Log([question, "q2"], scorio.tally([[i, 1], [0, 1]])) for i, n in enumerate([name, "<b>"])}
    found = page(logs, title="<i>T</i> & co", command="scorio report <x> > 'y' && z")
    assert "<img src=x" not in found.source
    assert found.text.count(name) >= 3
    assert question in found.text
    assert "<i>T</i> & co" in found.text
    assert "scorio report <x> > 'y' && z" in found.text


def test_the_same_page_again_whatever_the_callers_style():
    logs = logs_of(coins(3))
    first = report(logs, **QUICK)
    with mpl.style.context(["dark_background", {"font.size": 20, "svg.fonttype": "path"}]):
        assert report(logs, **QUICK) == first


def test_stability_is_drawn_where_the_order_is_known():
    whole = logs_of(coins(3))
    assert page(whole).text.count("Kendall's tau-b with the gold ranking: mean") == 1
    for logs, why in (
        ({m: log._replace(outcomes=None) for m, log in whole.items()}, "the order of its trials"),
        (logs_of(coins(3, N=1)), "with one trial"),
        (logs_of({"a": [[1, 0], [1, 0]], "b": [[1, 1], [0, 0]]}), "gold ties all models"),
        (Logs({"a": whole["model-a"], "b": whole["model-b"]._replace(questions=[f"p{i}" for i in range(12)])}),
         "no question was answered by all"),
    ):  # fmt: skip
        assert why in page(logs).text


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
@pytest.mark.parametrize(
    "R", [{"a": [[1, 0], [1, 1]]}, {"a": [[1]]}, {"a": [[1]], "b": [[0]]}, {"a": [[0, 0]] * 2, "b": [[0, 0]] * 2}]
)
def test_small_logs(R, questions):
    found = page(logs_of(R), questions=questions)
    assert ("One model" in found.text or "one model" in found.text) == (len(R) == 1)


def suite_of(*scales, N=4):
    """Three models in a benchmark for each scale (None: 0 and 1); the last model lacks the last benchmark."""
    parts = {f"task-{i}": logs_of(coins(3, 10 + 5 * i, N), weights=w) for i, w in enumerate(scales)}
    if len(parts) > 2:
        del parts[f"task-{len(parts) - 1}"]["model-c"]
    return joined(parts, ["model-a", "model-b", "model-c"])


@pytest.mark.parametrize("questions", ["fixed", "sampled"])
def test_several_benchmarks_are_ranked_by_the_macro_average(questions):
    logs = suite_of(None, None, None)
    found = page(logs, questions=questions, k=2)
    parts = {t: {m: log.counts for m, log in part.items()} for t, part in logs.benchmarks.items()}
    want = sinf.suite(parts, questions=questions)
    board = [found.whole(row) for row in found.rows if len(row) > 5 and row[0].isdigit()]
    order = [row[1] for row in board]
    assert order == sorted(
        (x.model for x in want.models), key=lambda m: -next(x.mu for x in want.models if x.model == m)
    )
    for row in board:
        x = next(x for x in want.models if x.model == row[1])
        assert row[2].removesuffix(" *") == f"{x.mu:.3f} [{x.lo:.3f}, {x.hi:.3f}]"
        assert row[4] == (str(x.best) if x.best == x.worst else f"{x.best}–{x.worst}")
    (pair,) = want.pairs
    (row,) = [row for row in found.rows if row[0] == f"1 {order[0]}" and len(row) in (4, 5)]
    assert row[1:3] == [text.score(abs(pair.mu), ".3f"), f"{pair.lo:.3f} to {pair.hi:.3f}"]
    at = next(i for i, row in enumerate(found.rows) if row[:2] == ["model", "macro-average"])
    cells = {row[0]: row[1:] for row in found.rows[at + 1 : at + 4]}
    assert list(cells) == [*order, "model-c"]
    for m, (macro, *each) in cells.items():
        assert (macro == "") == (m == "model-c")
        for t, said in zip(parts, each, strict=True):
            assert said == (f"{eval.interval(parts[t][m], questions=questions).mu:.3f}" if m in parts[t] else "")
    rho = items.reliability(parts["task-0"])
    assert f"{rho.rho:.2f} [{rho.lo:.2f}, {rho.hi:.2f}]" in [x for row in found.rows for x in found.whole(row)]
    assert "No macro-average of model-c" in found.text
    assert "Stability" not in found.text


def test_what_more_of_a_suite_would_detect():
    parts = {t: {m: coins(2, 30, 4)[f"model-{m}"] for m in "ab"} for t in ("x", "y")}
    for part in parts.values():
        part["b"] = [row[:] for row in part["a"]]
        part["b"][9][0] = 1 - part["b"][9][0]
    logs = joined({t: logs_of(part) for t, part in parts.items()}, ["a", "b"])
    (pair,) = sinf.suite(parts, questions="fixed").pairs
    times = round(((1.959964 + 0.841621) * pair.sigma / pair.mu) ** 2)
    assert f"{text.about(times)} times as many trials" in page(logs).text


def test_benchmarks_on_other_scales_have_no_leaderboard():
    found = page(suite_of(None, [0.0, 10.0]))
    assert "no leaderboard over all benchmarks" in found.text
    assert "No macro-average: the benchmarks are on other scales" in found.text
    with pytest.raises(InvalidInput):
        report(suite_of(None, None), weights=[0, 1])


def test_the_curves_are_measured_and_then_modelled():
    R = {"a": [[0] * 4] * 3 + [[1, 0, 0, 0]] * 4 + [[1, 1, 1, 0]] * 5, "b": [[0, 0, 0, 1]] * 12}
    source = page(logs_of(R)).source
    band, law = eval.extrapolate(R["a"], "pass@k", 32), eval.extrapolate_model(R["a"], "pass@k", 32)
    measured = eval.pass_at_k(R["a"], 4)
    said = f"{measured:.2f} at 4; at 32 between {band.low:.2f} and {band.high:.2f}, {law.value:.2f} by the model."
    assert said in source
    assert source.count("class='modelled'") == 2
    assert "with one trial of a question Pass@k is not known" in page(logs_of(coins(3, N=1))).text


def test_what_questions_measure():
    R = coins(6, 12, 8)
    for i, rows in enumerate(R.values()):
        rows[5] = [int(i + j > 7) for j in range(8)]  # the better a model, the worse on this one
    found = page(logs_of(R), link="https://host/view?id={question}&x")
    want = items.items(R)
    suspects = [x for x in want if x.suspect]
    assert [x.question for x in suspects] == [5]
    assert f"{suspects[0].covariance:.4f}" in found.text
    assert "1 suspect at a false-discovery rate of 10%" in found.text
    best = max(want, key=lambda x: x.covariance)
    assert [
        f"q{best.question}",
        f"{best.mean:.3f}",
        f"{min(best.discrimination, 1.0):.2f}",
        f"{best.covariance:.4f}",
    ] in ([row[:4] for row in found.rows])
    assert '<a href="https://host/view?id=q5&amp;x" rel="noreferrer">q5</a>' in found.source
    x, twice = items.reliability(R), items.reliability(R, 24, 8)
    assert ["as it is", "12", "8", f"{x.se:.3f}", f"{x.se_fixed:.3f}", f"{x.rho:.2f}"] in found.rows
    assert [
        "2 times the questions",
        "24",
        "8",
        f"{twice.se:.3f}",
        f"{twice.se_fixed:.3f}",
        f"{twice.rho:.2f}",
    ] in found.rows
    assert ["model-a", "12", "96"] in found.rows


def test_counts_only():
    logs = {m: Log(["x", "y"], scorio.Counts.from_successes(c, [4, 9])) for m, c in {"a": [3, 8], "b": [1, 2]}.items()}
    assert "4–9" in page(logs).text


def test_missing_outcomes():
    R = {"a": [[1, None, 1], [0, 0, 1], [1, 1, 1]], "b": [[0, 0, 1], [None, None, None], [0, 1, 0]]}
    found = page(logs_of(R, missing="drop"), missing="drop")
    assert "Missing: 4 outcomes" in found.text
    assert "missing outcomes were left out" in found.text
    assert "Nothing is missing" in page(logs_of(coins(2))).text


def test_different_questions():
    logs = logs_of(coins(3))
    logs["model-b"] = logs["model-b"].only([3, 1, 2])
    found = page(logs)
    r = sinf.compare(logs["model-a"].counts.select([3, 1, 2]), logs["model-b"].counts, questions="fixed")
    assert text.percent(r.p_above) in found.text
    assert "On the 3 questions of 12" in found.text


def test_weights_of_the_log_are_used():
    R, w = {"a": [[0, 2, 1], [2, 2, 1]], "b": [[0, 0, 1], [0, 2, 1]]}, [0.0, 50.0, 100.0]
    found = page(logs_of(R, weights=w))
    r = eval.interval(R["a"], w=w, questions="fixed")
    assert f"[{r.lo:.1f}, {r.hi:.1f}]" in found.text
    assert "Max@2" in found.text


def test_many_models_and_many_questions():
    found = page(logs_of(coins(30, 8, 3)))
    assert "The other 17 pairs of neighbours" in found.text
    assert len(found.source) < 1_000_000
    found = page(logs_of(coins(2, 1500, 2)))
    assert any(x["src"].startswith("data:image/png") for x in found.images)


def test_names_of_any_length():
    R = {"x" * 500 + end: x for end, x in zip("ab", coins(2).values(), strict=True)} | {"漢字$x$": coins(1)["model-a"]}
    assert "漢字$x$" in page(logs_of(R)).text


@pytest.mark.parametrize(
    "options",
    [{"questions": "all"}, {"confidence": 0.0}, {"confidence": 1.0}, {"k": 99}, {"replicates": 0}, {"weights": [0]},
     {"seed": -1}],
)  # fmt: skip
def test_bad_arguments(options):
    with pytest.raises(InvalidInput):
        report(logs_of(coins(2)), **{**QUICK, **options})


@pytest.mark.parametrize("logs", [{}, [], None])
def test_no_logs(logs):
    with pytest.raises(InvalidInput):
        report(logs)


# --- sentences ---------------------------------------------------------------------------------------


def compared(mu, p, source="measured"):
    return sinf.compare([[1, 0]] * 3, [[0, 1]] * 3, questions="fixed")._replace(
        mu=mu, lo=mu - 0.1, hi=mu + 0.1, p_value=2 * min(p, 1 - p), p_above=p, variance_source=source
    )


SIZE = "at the 5% level (difference 0.200, 95% CI 0.100 to 0.300; p = 0.04; probability that"
OPEN = (
    "not significantly different at the 5% level (difference 0.100, 95% CI 0.000 to 0.200; p = 0.20; probability that"
)
POWER = "would detect a difference of this size with 80% power."


@pytest.mark.parametrize(
    "result, options, said",
    [
        (compared(0.2, 0.98), {}, f"a is significantly better than b {SIZE} a is better 98%)."),
        (compared(-0.2, 0.02), {}, f"b is significantly better than a {SIZE} b is better 98%)."),
        (compared(0.2, 0.98), {"adjusted": 0.031},
         "a is significantly better than b at the 5% level, family-wise over all pairs (difference 0.200, 95% CI of "
         "this pair alone 0.100 to 0.300; p = 0.04, adjusted 0.031; probability that a is better 98%)."),
        (compared(0.1, 0.9), {"now": 4, "needed": 15},
         f"With 4 trials per question a and b are {OPEN} a is better 90%). About 15 trials per question {POWER}"),
        (compared(-0.1, 0.1), {"now": 1, "needed": 2, "questions": "sampled"},
         f"With 1 question b and a are {OPEN} b is better 90%). About 2 questions {POWER}"),
        (compared(0.1, 0.9, "upper bound"), {"now": 1, "needed": 8},
         f"With 1 trial per question a and b are {OPEN} a is better 90%). At most 8 trials per question {POWER}"),
        (compared(0.1, 0.9, "upper bound"), {"now": 1, "needed": 1},
         f"With 1 trial per question a and b are {OPEN} a is better 90%). A second trial per question would measure "
         "the trial-to-trial variance and may show a difference."),
        (compared(0.0, 0.5), {"now": 4, "needed": None},
         "With 4 trials per question a and b are not significantly different at the 5% level (difference 0.000, "
         "95% CI -0.100 to 0.100; p = 1.00; equal averages). No number of trials per question can be planned from "
         "equal averages. New questions may show a difference."),
        (compared(0.1, 0.9), {"now": None, "needed": 123456, "power": 0.9},
         f"a and b are {OPEN} a is better 90%). About 120,000 trials per question would detect a difference of this "
         "size with 90% power."),
        (compared(0.1, 0.9), {"now": 20, "needed": 20, "questions": "sampled"},
         f"With 20 questions a and b are {OPEN} a is better 90%). They are close to a significant difference: a few "
         "more questions may show one."),
    ],
)  # fmt: skip
def test_two(result, options, said):
    assert sentences.two("a", "b", result, **{"questions": "fixed", **options}) == said


def test_long_names_in_a_sentence_stay_different():
    a, b = (f"organisation/{'a-very-long-stem-' * 5}{end}" for end in ("math-v1", "code-v1"))
    assert sentences.two(a, b, compared(0.2, 0.98), questions="fixed").startswith("math is significantly better than")


def test_the_interval_of_a_sentence_excludes_0_just_where_the_difference_is_significant():
    R = coins(6, 20, 4)
    for a in R:
        for b in R:
            if a != b:
                r = sinf.compare(R[a], R[b], questions="sampled")
                assert (r.lo > 0 or r.hi < 0) == sentences.significant(r.p_value, 0.95) == r.significant


def test_inseparable_runs_are_the_longest_runs_without_a_decided_pair():
    rng = np.random.default_rng(0)
    for _ in range(200):
        L = int(rng.integers(1, 9))
        p = rng.choice([0.4, 0.02], (L, L))
        p = np.triu(p, 1) + np.triu(p, 1).T
        runs = [
            range(i, j)
            for i in range(L)
            for j in range(i + 3, L + 1)
            if all(not sentences.significant(p[x, y], 0.95) for x in range(i, j) for y in range(x + 1, j))
        ]
        longest = [x for x in runs if not any(set(x) < set(y) for y in runs)]
        assert sentences.inseparable_runs(p.tolist()) == longest


def test_first_place():
    r = eval.mean_ci([[1, 1, 0], [1, 0, 1]], questions="fixed")
    score = f"{r.mu:.3f} (95% CI {r.lo:.3f} to {r.hi:.3f})"
    assert sentences.first_place(["a"], r, [], [], 0.95) == [f"a scores {score} on average."]
    assert sentences.first_place(["a", "b", "c", "d"], r, [0.98, 0.99, 1.0], [0.04, 0.02, 0.0], 0.95) == [
        f"a has the highest average of 4 models, {score}.",
        "It is significantly better than the other 3 (probability that it is better at least 98%)."
    ]  # fmt: skip
    nan = float("nan")
    assert sentences.first_place(["a", "b", "c"], r, [0.5, nan], [1.0, nan], 0.95, tied=2) == [
        f"a and b share the highest average of 3 models, {r.mu:.3f}.", "a is not significantly different from b.",
        "It shares too few questions with c to be compared."
    ]  # fmt: skip


def test_a_leader_that_is_behind_where_both_answered():
    def log(ids, c):
        return Log([f"q{i}" for i in ids], scorio.Counts.from_successes([c(i) for i in ids], [40] * len(ids)))

    easy = lambda c: lambda i: c if i < 30 else 2  # noqa: E731
    logs = Logs({"A": log(range(30), lambda i: 24), "B": log(range(60), easy(36)), "D": log(range(60), easy(32))})
    said = report(logs, date="2026-01-01")
    assert "On the questions that both answered, B and D are significantly better than it" in said
    assert "not significantly different from B" not in said


# --- notebooks ---------------------------------------------------------------------------------------


def test_lists_of_results_show_themselves_as_tables():
    rows = leaderboard(logs_of(coins(3)))
    lines = repr(rows).splitlines()
    assert len(lines) == 4
    assert lines[0].split() == ["#", "model", "average", "interval", "@2", "@4", "questions", "trials"]
    assert len({len(x) for x in lines}) == 1
    whole = leaderboard(logs_of({"a": [[1, 1]] * 4, "b": [[0, 0]] * 4, "c": [[1, 0]] * 4}))
    assert [row.shown()["average"] for row in whole] == ["1.000", "0.500", "0.000"]  # digits are those of the column
    assert [x.split()[1] for x in lines[1:]] == [row.model for row in rows]
    drawn = Page(f"<html lang='en'>{rows._repr_html_()}</html>")
    assert drawn.source.count("<svg") == 3
    for line in re.findall("<path[^>]*>|<circle[^>]*>", drawn.source):  # no style sheet is there: they draw themselves
        assert 'stroke="' in line or 'fill="currentColor"' in line
    pairs = sinf.compare_all(coins(3), questions="fixed")
    assert [x.split()[:2] for x in repr(pairs).splitlines()[1:]] == [[x.a, x.b] for x in pairs]
    assert repr(pairs[:0]) == "[]"
    many = type(pairs)(pairs * 40)
    assert repr(many).endswith("and 60 more")
