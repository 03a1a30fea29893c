"""Check the page web/ in headless Chromium: the numbers and sentences of the commands on the same files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import devtools
import pytest
from commands import EXAMPLES
from lengths import part
from web_pages import (
    CERTIFICATE,
    READY,
    cells,
    check_command,
    check_leaderboard,
    marks,
    module,
    read,
    same,
    setting,
    texts,
)

import scorio
from scorio import sinf
from scorio.commands.interval import interval
from scorio.display import terms, text

pytestmark = marks


@pytest.mark.parametrize("name", ["coins.csv", "tau_bench_gpt4o_airline.csv", "langchain_tool_use.csv", "attempts.csv"])
def test_the_page_has_the_numbers_and_sentences_of_the_commands(page: devtools.Browser, name: str) -> None:
    file = EXAMPLES / name
    options = {"columns": {"outcome": "is_correct"}} if name == "attempts.csv" else {}
    e = scorio.read(str(file), trials=True, **options)
    read(page, file)
    check_leaderboard(page, e)
    sections = [
        x.removeprefix("section-")
        for x in page.run("[...document.querySelectorAll('#results section')].map((x) => x.id)")
    ]
    assert sections[0] == "leaderboard"
    assert "gate" in sections
    assert ("compare" in sections) == ("plan" in sections) == (len(e.models) > 1)
    for section in sections:
        assert not texts(page, f"#section-{section} [role=alert]")
        check_command(page, section, EXAMPLES)
    if "runs" in sections:
        check_runs(page, e)
    if len(e.models) > 1:
        check_comparison(page, e)
        check_plan(page, e)


def check_comparison(page: devtools.Browser, e: Any) -> None:
    """Check the comparison of the two models that the page shows."""
    a, b = (page.run(f"document.querySelector('#section-compare [data-setting={x}]').value") for x in "ab")
    x = e.compare(a, b)
    sentences = [y for y in x.document().sentences if not y.startswith(CERTIFICATE)]
    assert texts(page, "#section-compare .sentence") == sentences
    rows = cells(page, "compare")
    for row in rows:
        (want,) = e.compare(a, b, questions=row[3]["target"]).table
        same(row[1], mu=want.a.mu, lo=want.a.lo, hi=want.a.hi, sigma=want.a.sigma)
        same(row[2], mu=want.b.mu, lo=want.b.lo, hi=want.b.hi, sigma=want.b.sigma)
        same(row[3], mu=want.difference, lo=want.lo, hi=want.hi, sigma=want.sigma, p=want.p_value)


def check_plan(page: devtools.Browser, e: Any) -> None:
    """Check the table and the sentences of the plan for a difference of 0.02."""
    x = e.plan(difference=0.02)
    assert texts(page, "#section-plan .sentence") == list(x.document().sentences)
    table = x.document().blocks[0]
    want = [[y.strip() for y in column.cells] for columns in (table.lead, *table.sets) for column in columns]
    assert [[y["text"].strip() for y in row] for row in cells(page, "plan")] == [
        list(x) for x in zip(*want, strict=True)
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {"margin": 0.02},
        {"margin": 0.2, "target": "sampled"},
        {"a": "small", "b": "medium", "margin": 0.05},
        {"a": "medium", "b": "large", "margin": 0.1, "target": "sampled", "confidence": "0.9"},
        {"kind": "atLeast", "atLeast": 0.7},
        {"kind": "atLeast", "atLeast": 0.6, "target": "sampled"},
        {"metric": "pass@k", "k": 4, "margin": 0.05},
        {"metric": "pass^k", "k": 3, "margin": 0.3, "confidence": "0.99"},
    ],
)
def test_gates_are_those_of_the_command(page: devtools.Browser, settings: dict[str, Any]) -> None:
    read(page, EXAMPLES / "coins.csv")
    setting(page, **settings)
    output = check_command(page, "gate", EXAMPLES)
    verdict = page.run("document.querySelector('#section-gate [data-verdict]').dataset.verdict")
    assert f": {verdict.upper()} candidate" in output
    for row in cells(page, "gate"):
        assert row[1]["text"] in output


@pytest.mark.parametrize(
    "settings",
    [{"metric": "pass@k", "k": 2}, {"metric": "pass^k", "k": 4}, {"metric": "pass@k", "k": 6, "confidence": "0.9"}],
)
def test_other_metrics_are_those_of_the_commands(page: devtools.Browser, settings: dict[str, Any]) -> None:
    e = scorio.read(str(EXAMPLES / "coins.csv"))
    read(page, EXAMPLES / "coins.csv")
    setting(page, **settings)
    confidence = float(settings.get("confidence", 0.95))
    rows = {row[1]["text"]: row for row in cells(page, "leaderboard")}
    for target in ("fixed", "sampled"):
        for x in e.rank(settings["metric"], settings["k"], questions=target, confidence=confidence).table:
            ends, ranks = (
                next(y for y in rows[x.model] if y.get("target") == target and name in y) for name in ("lo", "best")
            )
            same(ends, lo=x.value.lo, hi=x.value.hi, sigma=x.value.sigma)
            same(ranks, best=x.best, worst=x.worst)
    check_command(page, "leaderboard", EXAMPLES)
    check_command(page, "compare", EXAMPLES)
    a, b = (page.run(f"document.querySelector('#section-compare [data-setting={x}]').value") for x in "ab")
    logs = e.benchmark().logs
    for row in cells(page, "compare"):
        x = sinf.compare(
            logs[a].counts,
            logs[b].counts,
            settings["metric"],
            k=settings["k"],
            questions=row[3]["target"],
            confidence=confidence,
        )
        same(row[3], mu=x.mu, lo=x.lo, hi=x.hi, p=x.p_value)
    first = texts(page, "#section-compare .sentences p")[0]  # the verdict on the metric comes before that on averages
    assert first.startswith(f"Pass{settings['metric'][4]}{settings['k']} on these questions: ")
    assert ("is significantly better than" in first) == (float(cells(page, "compare")[0][3]["p"]) <= 1 - confidence)


def check_runs(page: devtools.Browser, e: Any) -> None:
    """Check the table of runs, and its sentences but that on the sources of variance, which the page does not have."""
    document = e.runs().document()
    assert texts(page, "#section-runs .sentence") == [
        x for x in document.sentences if not x.startswith("Of the variance")
    ]
    table = document.blocks[0]
    want = [[y.strip() for y in column.cells] for columns in (table.lead, *table.sets) for column in columns]
    assert [[y["text"].strip() for y in row] for row in cells(page, "runs")] == [
        list(x) for x in zip(*want, strict=True)
    ]


@pytest.mark.parametrize("differ", [False, True])
def test_runs_that_differ(page: devtools.Browser, tmp_path: Path, differ: bool) -> None:
    rng, file = random.Random(7), tmp_path / "runs.csv"
    rows = [
        f"m{m},q{q},{seed},{int(rng.random() < 0.4 + differ * 0.2 * (seed == 'c'))}"
        for m in range(2)
        for q in range(60)
        for seed in "abc"
    ]
    file.write_text("model,question,seed,outcome\n" + "\n".join(rows) + "\n")
    read(page, file)
    e = scorio.read(str(file), trials=True)
    check_runs(page, e)
    assert differ == any("Runs differ more than chance" in x for x in texts(page, "#section-leaderboard .notes li"))
    check_command(page, "leaderboard", tmp_path)


@pytest.mark.parametrize("runs", ["sampled", "shared"])
@pytest.mark.parametrize("settings", [{}, {"metric": "pass@k", "k": 2}])
@pytest.mark.parametrize("kind", ["complete", "ragged"])
def test_similar_runs(page: devtools.Browser, tmp_path: Path, runs: str, settings: dict[str, Any], kind: str) -> None:
    """Check intervals, ranks, the comparison and gates against the commands with --runs, and a link to them."""
    rng, file = random.Random(11), tmp_path / "runs.csv"
    models = {"a": "xyz", "b": "xyz" if kind == "complete" else "wxy", "c": "xyz", "d": "x"}
    rows = [
        f"{m},q{q},{seed},{int(rng.random() < 0.3 + 0.1 * i + 0.2 * (seed == 'z'))}"
        for i, (m, seeds) in enumerate(models.items() if kind == "ragged" else list(models.items())[:3])
        for q in range(40)
        for seed in seeds
        if kind == "complete" or m != "c" or q > 3
    ]
    file.write_text("model,question,seed,outcome\n" + "\n".join(rows) + "\n")
    read(page, file)
    if kind == "ragged":
        settings = {}
    setting(page, **settings, runs=runs, **({"onlyShared": True} if kind == "ragged" else {}))
    e = scorio.read(str(file), trials=True)
    metric, k = settings.get("metric", "mean"), settings.get("k")
    for target in ("fixed", "sampled"):
        want = {x.model: x for x in e.rank(metric, k, questions=target, runs=runs).table}
        for row in cells(page, "leaderboard"):
            x = want[row[1]["text"]]
            ends, ranks = (next(y for y in row if y.get("target") == target and z in y) for z in ("lo", "best"))
            same(ends, lo=x.value.lo, hi=x.value.hi, sigma=x.value.sigma)
            same(ranks, best=x.best, worst=x.worst)
    for row in cells(page, "compare"):
        a, b = (page.run(f"document.querySelector('#section-compare [data-setting={x}]').value") for x in "ab")
        x = e.compare(a, b, questions=row[3]["target"], k=k, runs=runs, shared=True).table[-1]
        same(row[1], lo=x.a.lo, hi=x.a.hi, sigma=x.a.sigma)
        same(row[3], mu=x.difference, lo=x.lo, hi=x.hi, sigma=x.sigma, p=x.p_value)
    for section in ("leaderboard", "compare", "gate"):
        assert f"--runs {runs}" in texts(page, f"#section-{section} .command pre")[0]
        check_command(page, section, tmp_path)
    page.run("window.copied = ''; document.querySelector('#link').click()")
    assert f"runs={runs}" in page.wait("window.copied")
    setting(page, kind="atLeast", atLeast=0.3)
    check_command(page, "gate", tmp_path)


def test_runs_that_cannot_be_compared_are_not_offered(page: devtools.Browser) -> None:
    read(page, EXAMPLES / "langchain_tool_use.csv")
    assert page.run("document.querySelector('#runs-label').hidden")
    read(page, EXAMPLES / "coins.csv")
    assert not page.run("document.querySelector('#runs-label').hidden")


@pytest.mark.parametrize("counts", ["47/50 52/60", "47/50", "9/10 1/10", "0/20 20/20", "5/7 5/7", "81/100 80/100"])
def test_rates_from_typed_counts(page: devtools.Browser, counts: str) -> None:
    page.run(f"document.querySelector('#text').value = {counts!r}; document.querySelector('#typed').requestSubmit()")
    page.wait(
        "document.querySelectorAll('#section-rates .out table').length && !document.body.hasAttribute('aria-busy')"
    )
    groups = [tuple(map(int, x.split("/"))) for x in counts.split()]
    want = interval(*groups)
    assert texts(page, "#section-rates .sentence") == list(want.document().sentences)
    rows = cells(page, "rates")
    for row, x, cell in zip(rows, want.table, want.document().blocks[0].sets[0][0].cells, strict=True):
        same(row[1], mu=x.rate.mu, lo=x.rate.lo, hi=x.rate.hi)
        assert row[1]["text"] == cell
    check_command(page, "rates", EXAMPLES)


def type_counts(page: devtools.Browser, typed: str) -> None:
    """Type counts, and show them."""
    page.run(f"document.querySelector('#text').value = {typed!r}; document.querySelector('#typed').requestSubmit()")


@pytest.mark.parametrize(
    ("typed", "higher"),
    [
        ("10/60 52/60", "52/60 is significantly higher than 10/60 at 5% (difference 0.700, 95% CI 0.5"),
        ("gpt: 10/60 claude: 52/60", "claude 52/60 is significantly higher than gpt 10/60 at 5% (difference 0.700, "),
        (
            "gpt 10 of 60,\nclaude 52 out of 60",
            "claude 52/60 is significantly higher than gpt 10/60 at 5% (difference 0",
        ),
        ("60 of 60 and 10 of 60", "60/60 is significantly higher than 10/60 at 5%"),
        ("gpt 4 100/200,llama 3 10/200", "gpt 4 100/200 is significantly higher than llama 3 10/200 at 5%"),
        ("10/60,520/600", "520/600 is significantly higher than 10/60 at 5%"),
    ],
)
def test_the_higher_rate_comes_first_with_its_name(page: devtools.Browser, typed: str, higher: str) -> None:
    """Check the sign of the difference, the names before counts, and `of`."""
    type_counts(page, typed)
    page.wait("document.querySelectorAll('#section-rates .sentence').length")
    assert texts(page, "#section-rates .sentence")[0].startswith(higher)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "nothing was typed: type successes and trials, such as 47/50 or 47 of 50"),
        ("94%", "how sure a percentage is depends on its number of trials: type 47 of 50"),
        ("gpt 94% claude 90%", "how sure a percentage is depends on its number of trials"),
        ("94% of 50", "how sure a percentage is depends on its number of trials"),
        ("60 of 50", "60 successes of 50 trials: did you mean 50/60?"),
        ("gpt 60/50", "gpt: 60 successes of 50 trials: did you mean 50/60?"),
        ("1,234/2,000 900/2000", "'1,234/2,000' has separators in its numbers: type 1234/2000"),
        ("12.345 of 20.000", "'12.345 of 20.000' has separators in its numbers: type 12345/20000"),
        ("1 234/2 000", "'1 234/2 000' has separators in its numbers: type 1234/2000"),
        (
            "a 47/50 b 52/60 tasks",
            "'tasks' stands after 52/60: type counts only, each with its name before it, such as b",
        ),
        ("47 of 50 (94%)", "'(94%)' stands after 47/50"),
        ("gpt 0/0 claude 3/4", "gpt: 0/0 has no trial: leave it out"),
        ("gpt 3/4, gpt 5/6", "two counts are called 'gpt', 3/4 and 5/6: give each a name of its own, or add them up"),
    ],
)
def test_what_is_no_count_is_refused_with_help(page: devtools.Browser, typed: str, words: str) -> None:
    read(page, EXAMPLES / "coins.csv")
    type_counts(page, typed)
    page.wait("!document.querySelector('#error').hidden")
    assert words in texts(page, "#error")[0]
    assert texts(page, "#log-title") == [""]  # that of the log before was kept


@pytest.mark.parametrize("typed", ["0,47/50", "4.5/10 3/10", "-1/5 4/5", "2024-05/06 47/50"])
def test_numbers_that_are_no_counts_are_no_names(page: devtools.Browser, typed: str) -> None:
    """-1/5 was read as 1/5 with the name -."""
    type_counts(page, typed)
    page.wait("!document.querySelector('#error').hidden")
    assert "is no count: type successes and trials, such as 47/50" in texts(page, "#error")[0]


def random_log(rng: random.Random, ragged: bool) -> list[str]:
    """Rows of a log with several models, whose questions and trials differ where it is ragged."""
    rows = ["model,question,trial,outcome"]
    models, questions, trials = rng.randint(2, 6), rng.randint(2, 25), rng.randint(1, 6)
    ease = [rng.random() for _ in range(questions)]
    for m in range(models):
        for q in range(questions):
            if ragged and q > 1 and rng.random() < 0.1:
                continue
            for t in range(trials):
                lost = ragged and rng.random() < 0.05
                outcome = "" if lost else str(int(rng.random() < 0.5 * ease[q] + 0.08 * m))
                rows.append(f"model {m},question {q},{t},{outcome}")
    return rows


@pytest.mark.parametrize("seed", part(range(12), 3))
def test_random_logs_give_the_numbers_of_the_commands(page: devtools.Browser, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    ragged, missing = seed % 2 == 1, 0 if seed % 4 == 1 else "drop"
    file = tmp_path / "log.csv"
    file.write_text("\n".join(random_log(rng, ragged)) + "\n")
    if ragged:
        page.choose("#file", file)
        page.wait("document.querySelectorAll('#missing').length")
        page.run(
            f"(() => {{ const x = document.querySelector('#missing'); x.value = '{missing}'; "
            "x.dispatchEvent(new Event('change')); })()"
        )
        page.wait(READY)
    else:
        read(page, file)
    e = scorio.read(str(file), missing=missing if ragged else "raise", trials=True)
    if ragged and missing == "drop":
        setting(page, onlyShared=True)
    check_leaderboard(page, e)
    for section in ("leaderboard", "compare", "gate", "plan"):
        assert not texts(page, f"#section-{section} [role=alert]")
        check_command(page, section, tmp_path)


@pytest.mark.parametrize("kind", ["cluster", "task", "counts", "single", "alike", "many", "one question"])
def test_logs_of_other_kinds_give_the_numbers_of_the_commands(
    page: devtools.Browser, tmp_path: Path, kind: str
) -> None:
    """Check clusters, benchmarks, counts of unequal trials, one trial each, equal models, and many models."""
    rng, file = random.Random(kind), tmp_path / "log.csv"
    models, questions, trials = {"many": (12, 30, 2), "one question": (3, 1, 6)}.get(kind, (3, 24, 4))
    rows = [
        "model,question,c,n"
        if kind == "counts"
        else f"model,question,trial,outcome,{kind if kind in ('cluster', 'task') else 'note'}"
    ]
    for m in range(models):
        for q in range(questions):
            n = rng.randint(1, 9) if kind == "counts" else 1 if kind == "single" else trials
            outcomes = [int((q + t) % 3 > 0 if kind == "alike" else rng.random() < 0.3 + 0.02 * q) for t in range(n)]
            rows += (
                [f"m{m},q{q},{sum(outcomes)},{n}"]
                if kind == "counts"
                else [f"m{m},q{q},{t},{x},g{q // 3 if kind == 'cluster' else q % 2}" for t, x in enumerate(outcomes)]
            )
    file.write_text("\n".join(rows) + "\n")
    read(page, file)
    e = scorio.read(str(file), trials=True, **({"task": "g0"} if kind == "task" else {}))
    check_leaderboard(page, e)
    for section in ("leaderboard", "compare", "gate", "plan"):
        assert not texts(page, f"#section-{section} [role=alert]"), section
        check_command(page, section, tmp_path)
    check_comparison(page, e)
    check_plan(page, e)


def test_a_link_has_the_counts_and_the_settings(page: devtools.Browser, built_page: Path) -> None:
    read(page, EXAMPLES / "coins.csv")
    setting(page, a="small", b="tiny", metric="pass@k", k=3, margin=0.1)
    shown = "#results .sentence, #results td, #results th, #results .notes li, #results pre"  # pictures are drawn later
    want = texts(page, shown)
    page.run("document.querySelector('#link').click()")
    link = page.wait("window.copied")
    assert link.startswith(built_page.as_uri() + "#check=")
    assert len(link) < 4000
    page.open(built_page, link.removeprefix(built_page.as_uri()))
    page.wait(READY)
    assert texts(page, shown) == want
    fragment = link.removeprefix(built_page.as_uri())
    assert fragment.endswith("&b=tiny")
    for damaged in (
        fragment.replace("&log=", "&log=abc", 1),
        fragment[:-1],
        fragment[: -len("&b=tiny")],
        fragment[:60],
    ):
        page.open(built_page, damaged)
        page.wait("!document.querySelector('#error').hidden")
        assert "the link is damaged" in page.run("document.querySelector('#error').innerText")


@pytest.mark.parametrize("fragment", ["#garbage", "#counts=47/50&colour=red", "#example=dice.csv", "#counts=1/2&k=two"])
def test_a_link_that_is_not_understood(page: devtools.Browser, built_page: Path, fragment: str) -> None:
    page.open(built_page, fragment)
    page.wait("!document.querySelector('#error').hidden")
    assert "the link is not understood" in page.run("document.querySelector('#error').innerText")
    page.open(built_page, "#results")  # of the link for keyboards
    assert page.run("document.querySelector('#error').hidden")


def test_one_of_several_benchmarks_is_copied(page: devtools.Browser, built_page: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    rows = [f"m{m},{task},q{q},{(q + m) % 3 % 2}" for m in range(2) for task in ("arc", "gsm8k") for q in range(9)]
    file.write_text("model,task,question,outcome\n" + "\n".join(rows) + "\n")
    read(page, file)
    page.run("document.querySelector('#markdown').click()")
    assert "benchmark arc only; gsm8k is left out" in page.wait("window.copied")
    page.run("window.copied = ''; document.querySelector('#link').click()")
    link = page.wait("window.copied")
    assert "It holds arc only; gsm8k is left out." in texts(page, "#said")[0]
    page.open(built_page, link.removeprefix(built_page.as_uri()))
    page.wait(READY)
    assert "benchmark arc only; gsm8k is left out" in texts(page, "#log-size")[0]


def test_all_is_copied_in_the_order_of_the_page_with_what_is_missing(page: devtools.Browser) -> None:
    read(page, EXAMPLES / "coins.csv")
    setting(page, a="small", b="small")
    setting(page, difference=0)
    setting(page, b="tiny")
    page.run("document.querySelector('#markdown').click()")
    heads = [x for x in page.wait("window.copied").splitlines() if x.startswith("## ")]
    plan = heads.index("## How much more data would show a difference?")
    assert [x[3:].split(":")[0] for x in heads[:plan]] == [r"coins.csv", "coins.csv", "Gate on 40 shared questions"]
    assert len(heads) == 5
    assert "*Missing: the difference to detect, 0, is not strictly between 0 and 1*" in page.run("window.copied")


def test_links_of_the_manual(page: devtools.Browser, built_page: Path) -> None:
    page.open(built_page, "#example=coins.csv&section=gate&a=large&b=medium&margin=0.05")
    page.wait(READY)
    assert "PASS: large is non-inferior to medium by the margin of 0.05" in texts(page, "#section-gate .sentence")[0]
    page.open(built_page, "#counts=47/50+52/60&embed=1")
    page.wait("document.querySelectorAll('#section-rates .out table').length")
    assert page.run("getComputedStyle(document.querySelector('header')).display") == "none"


def test_a_result_is_copied_as_markdown(page: devtools.Browser) -> None:
    read(page, EXAMPLES / "coins.csv")
    page.run("document.querySelector('#section-compare .as-markdown').click()")
    copied = page.wait("window.copied")
    for sentence in texts(page, "#section-compare .sentence"):
        assert sentence in copied
    assert "```\nscorio compare coins.csv large medium\n```" in copied
    header, line, *_ = [x for x in copied.splitlines() if x.startswith("|")]
    assert header.count("|") == line.count("|") == 6
    page.run("window.copied = ''; document.querySelector('#markdown').click()")
    assert page.wait("window.copied").count("\n## ") >= 3


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_no_width_needs_a_horizontal_scroll(page: devtools.Browser, width: int, dark: bool) -> None:
    page.size(width, dark=dark)
    fits = "document.documentElement.scrollWidth <= window.innerWidth"
    assert page.run(fits)
    for name in ("coins.csv", "langchain_tool_use.csv"):
        read(page, EXAMPLES / name)
        page.wait("document.querySelectorAll('svg').length >= 3")
        assert page.run(fits)
        assert page.run(
            "[...document.querySelectorAll('svg text')].every((x) => { const a = x.getBoundingClientRect(), "
            "b = x.ownerSVGElement.getBoundingClientRect(); return a.left >= b.left - 1 && a.right <= b.right + 1; })"
        )


@pytest.mark.parametrize(
    ("settings", "section", "words"),
    [
        (
            {"metric": "pass@k", "k": 9},
            "leaderboard",
            "k = 9 is above the trials of 40 questions ('q1', 'q2', 'q3', 'q4', 'q5', ...)",
        ),
        ({"metric": "pass@k", "k": 0}, "compare", "k = 0 is not a whole number from 1 on"),
        ({"a": "small", "b": "small"}, "compare", "small is named twice"),
        ({"margin": 0}, "gate", "the acceptable loss, 0, is not strictly between 0 and 1"),
        ({"margin": 1.5}, "gate", "the acceptable loss, 1.5,"),
        ({"kind": "atLeast", "atLeast": 70}, "gate", "did you mean 0.7?"),
        ({"difference": 0}, "plan", "the difference to detect, 0, is not strictly between 0 and 1"),
    ],
)
def test_settings_that_have_no_answer_are_refused(
    page: devtools.Browser, settings: dict[str, Any], section: str, words: str
) -> None:
    read(page, EXAMPLES / "coins.csv")
    setting(page, **settings)
    (alert,) = texts(page, f"#section-{section} [role=alert]")
    assert words in alert
    assert page.run(f"document.querySelector('#section-{section} [data-code]').dataset.code") in ("range", "choice")
    assert not texts(page, f"#section-{section} table")


def test_the_power_is_that_of_the_plan(page: devtools.Browser) -> None:
    read(page, EXAMPLES / "coins.csv")
    setting(page, power="0.9", difference=0.1, confidence="0.9")
    for section in ("compare", "gate", "plan"):
        check_command(page, section, EXAMPLES)
    assert "with 90% power" in texts(page, "#section-plan .sentence")[0]


def test_a_file_is_dropped(page: devtools.Browser) -> None:
    content = (EXAMPLES / "coins.csv").read_text()
    drop = "dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))"
    add = "data.items.add(new File([text], name))"
    page.run(f"((text, name) => {{ const data = new DataTransfer(); {add}; {drop}; }})({content!r}, 'dropped.csv')")
    page.wait(READY)
    assert texts(page, "#log-title") == ["dropped.csv"]
    assert "scorio compare dropped.csv large medium" in texts(page, "#section-compare .command pre")
    page.run(f"(() => {{ const data = new DataTransfer(), text = '', name = 'a'; {add}; {add}; {drop}; }})()")
    assert "2 files were dropped" in texts(page, "#error")[0]


def test_an_example_is_a_few_keys_away(page: devtools.Browser) -> None:
    """Check that the keyboard alone reaches an example, and a control of its results."""
    for wanted in ("x.dataset.example", "x.dataset.setting === 'margin'"):
        for _ in range(60):
            for kind in ("rawKeyDown", "keyUp"):
                page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            if page.run(f"((x) => Boolean({wanted}))(document.activeElement)"):
                break
        else:
            raise AssertionError(wanted)
        if "example" in wanted:
            page.call(
                "Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r"
            )
            page.wait(READY)


def test_the_focus_goes_to_what_was_read(page: devtools.Browser, tmp_path: Path) -> None:
    """Check Ctrl+Enter and Cmd+Enter, the heading that has the focus, what the status says, and a choice made anew."""
    focus = "document.activeElement.id"
    for modifiers, typed, words in ((2, "47/50 52/60", "Read: 2 counts."), (4, "3/4", "Read: 1 count.")):
        page.run(f"document.querySelector('#text').value = {typed!r}; document.querySelector('#text').focus()")
        page.call(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key="Enter",
            code="Enter",
            windowsVirtualKeyCode=13,
            modifiers=modifiers,
        )
        page.wait(f"document.querySelector('#status').textContent.startsWith({words!r})")
        assert page.run(focus) == "title-rates"
    read(page, EXAMPLES / "coins.csv")
    assert page.run(focus) == "log-title"
    assert "coins.csv was read: 4 models, 40 questions, 8 trials per question." in texts(page, "#status")[0]
    file = tmp_path / "log.csv"
    file.write_text("question,outcome,strict\n" + "".join(f"q{i},1,{i % 2}\n" for i in range(9)))
    read(page, file)
    page.run(
        "(() => { const x = document.querySelector('[data-column-of=outcome]'); x.closest('details').open = true; "
        "x.focus(); x.value = 'strict'; x.dispatchEvent(new Event('change')); })()"
    )
    page.wait(f"{READY} && document.querySelector('#log-size').textContent")
    assert page.run("document.activeElement.dataset.columnOf") == "outcome"
    assert page.run("document.activeElement.value") == "strict"
    (tmp_path / "maybe.csv").write_text("model,question,outcome\na,q1,maybe\n")
    page.choose("#file", tmp_path / "maybe.csv")
    page.wait("!document.querySelector('#error').hidden")
    assert texts(page, "#status") == [""]


def test_every_control_and_picture_has_a_name(page: devtools.Browser) -> None:
    """Check names by the browser's own tree of accessibility, and that every control is reached by the keyboard."""
    read(page, EXAMPLES / "coins.csv")
    page.wait("document.querySelectorAll('svg').length >= 3")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = {
        "button",
        "combobox",
        "textbox",
        "spinbutton",
        "checkbox",
        "image",
        "img",
        "table",
        "region",
        "link",
        "form",
    }
    named = [
        (x["role"]["value"], x.get("name", {}).get("value", ""))
        for x in nodes
        if not x.get("ignored") and x.get("role", {}).get("value") in roles - {"table", "form"}
    ]
    assert len(named) > 30
    assert not [x for x in named if not x[1].strip()]
    assert page.run(
        "[...document.querySelectorAll('button, select, input, textarea, summary')].every((x) => x.tabIndex >= 0)"
    )
    assert page.run("[...document.querySelectorAll('table')].every((x) => x.querySelector('th[scope]'))")
    assert page.run(
        "[...document.querySelectorAll('.scroll')].every((x) => x.getAttribute('role') === 'region' && x.ariaLabel)"
    )
    assert page.run(
        "[...document.querySelectorAll('.sentences')].every((x) => x.getAttribute('aria-live') === 'polite')"
    )


def test_a_name_in_a_log_is_never_markup(page: devtools.Browser, tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    name = "<img src=x onerror=window.hit=1>"
    file.write_text(
        "model,question,outcome\n" + "".join(f"{m},q{i},{(i + len(m)) % 2}\n" for m in (name, "b") for i in range(6))
    )
    read(page, file)
    assert page.run("window.hit") is None
    assert name in [row[1]["text"] for row in cells(page, "leaderboard")]


def test_numbers_are_written_as_python_writes_them(page: devtools.Browser) -> None:
    source = module("build").script("words.js")
    rng = random.Random(5)
    numbers = [m / 2**i for i in range(1, 12) for m in range(-9, 40)] + [rng.uniform(-2, 2) for _ in range(300)]
    numbers += [10 ** rng.uniform(-9, 12) for _ in range(300)]
    forms = "[x.score(y), x.fixed(y, 1), x.general(y, 2), x.general(y, 10)]"
    got = page.run(f"(() => {{ {source}; const x = module0; return {numbers!r}.map((y) => {forms}); }})()")
    want = [[text.score(x, ".3f"), text.score(x, ".1f"), f"{x:.2g}", f"{x:.10g}"] for x in numbers]
    assert got == want
    ps = [rng.random() ** 5 for _ in range(300)] + [0.0995, 0.125, 0.0625, 1e-4, 0.99]
    assert page.run(f"(() => {{ {source}; return {ps!r}.map(module0.pValue); }})()") == [terms.p_value(x) for x in ps]
    whole = [rng.randint(1, 2 * 10**6) for _ in range(200)]
    assert page.run(f"(() => {{ {source}; return {whole!r}.map(module0.about); }})()") == [text.about(x) for x in whole]


def test_the_build_refuses_what_it_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = module("build")
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    (tmp_path / "b.js").write_text("export const b = 1;\n")
    for line in (
        'import b from "./b.js";',
        'import * as b from "./b.js";',
        "export default 1;",
        'const x = "</script>";',
    ):
        (tmp_path / "a.js").write_text(line + "\n")
        with pytest.raises(SystemExit):
            build.script("a.js")
    (tmp_path / "a.js").write_text('import { b as c } from "./b.js";\nexport const a = c;\n')
    assert "const { b: c } = module0;" in build.script("a.js")
