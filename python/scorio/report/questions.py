"""Which questions decide: the difficulty of each, what it measures, and how reliable the ranking is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from .. import io, items
from ..display import html, raster
from ..display.terms import interval
from ..display.text import number, printable, span
from ..errors import InvalidInput
from ..io import Log, Logs
from ..items.reliability import components, of_design
from ..outcomes.counts import Counts
from ..plot.align import Lineup
from ..plot.difficulty import Question, by_difficulty
from ..plot.items import averages
from ..render.items import of_questions, of_ranking
from .analysis import Asked, Results

MOST_LISTED = 10  # questions
FDR = 0.1  # false-discovery rate of suspects
SUSPECTS = "suspects"  # where they are listed, within the page


class Analysed(NamedTuple):
    """Counts of the models side by side, the questions, what these measure; or why that is not known."""

    models: dict[str, Counts]
    names: list[str]
    items: list[items.Item]
    reliability: items.Reliability | None
    why: str
    clustered: bool = False


def analysed(logs: Mapping[str, Log], asked: Asked) -> Analysed:
    """The questions of a log."""
    names = list(dict.fromkeys(q for log in logs.values() for q in log.questions))
    if len(logs) < 2:  # the leaderboard says so
        return Analysed({}, names, [], None, "")
    if asked.weights is not None:
        return Analysed({}, names, [], None, "Not shown: questions are analysed for binary outcomes only.")
    models, found = io.aligned(logs), list[items.Item]()
    try:
        if len(logs) > 2:
            found = items.items(models, fdr=FDR, confidence=asked.confidence)
        x = items.reliability(models, confidence=asked.confidence)
        return Analysed(models, names, found, x, "", any(log.clusters for log in logs.values()))
    except InvalidInput as e:
        return Analysed(models, names, found, None, f"Not shown: {e}.")


def questions(results: Results, aligned: Lineup, found: Analysed, asked: Asked) -> list[str]:
    """Every model on every question, the hardest questions, those that distinguish most, suspects."""
    scores = [0.0, 1.0] if asked.weights is None else list(asked.weights)
    ranked = by_difficulty(aligned, scores)
    never, always = (sum(q.solved == x for q in ranked) for x in ("never", "always"))
    ends = ("never solved", "always solved") if asked.weights is None else ("always scored lowest", "always highest")
    said = f"Of {number(len(ranked), 'question')}, {never:,} were {ends[0]} and {always:,} {ends[1]}"
    equal = never + always and len(results.rows) > 1
    where = " (in all trials of all models)" + ("; these do not distinguish the models." if equal else ".")
    lists = [_listed("Hardest", ranked, asked)]
    if found.items:
        lists += [_discriminating(found, asked), _suspects(found, asked)]
    else:
        differ = sorted((q for q in ranked if q.deviation > 0.0), key=lambda q: -q.deviation)
        lists += [_listed("Where the models differ most", differ, asked)] if differ else []
    ids = "Questions are named by their ids in the log, under which their transcripts are found there."
    return [html.text("p", f"{said}{where} {ids}"), _heat(results, aligned, ranked, scores), html.grid(lists, "lists")]


def _heat(results: Results, aligned: Lineup, ranked: Sequence[Question], scores: Sequence[float]) -> str:
    """Models from best to worst, questions from hard to easy."""
    at = {q: i for i, q in enumerate(aligned.questions())}
    values = averages(aligned, scores)[:, [at[q.name] for q in ranked]]
    low, high = min(scores), max(scores)
    alt = (
        f"Questions: the average of {number(len(results.rows), 'model')} on {number(len(ranked), 'question')}, hardest "
        "first, models from best to worst; dark is low, light is high."
    )
    below = f"{number(len(ranked), 'question')} from the hardest (left) to the easiest (right)."
    below += " Grey: no trial." if np.isnan(values).any() else ""
    image = raster.png((values - low) / ((high - low) or 1.0))
    key = (below, f"{low:.10g}", f"{high:.10g}")
    return html.heat(results.in_sentences.short, image, len(ranked), alt, key)


def _named(name: str, asked: Asked) -> html.Cell:
    """The id of a question, which leads to its transcript where the caller says how."""
    if not asked.link:
        return html.Cell(printable(name))
    return html.Cell("", html.link(printable(name), asked.link.replace("{question}", quote(name, safe=""))))


def _listed(heading: str, ranked: Sequence[Question], asked: Asked) -> str:
    rows: list[list[Any]] = [
        [_named(q.name, asked), *(format(x, asked.form) for x in (q.mean, q.lowest, q.highest)), q.models]
        for q in ranked[:MOST_LISTED]
    ]
    heads = ["question", "average over\nthe models", "lowest\nmodel", "highest\nmodel", "models"]
    if all(q.models == 1 for q in ranked):
        heads, rows = ["question", "average"], [row[:2] for row in rows]
    elif len({q.models for q in ranked}) == 1:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return _section(heading, len(ranked), heads, rows)


def _discriminating(found: Analysed, asked: Asked) -> str:
    """Questions on which models that are better elsewhere are better by most."""
    best = sorted((x for x in found.items if x.covariance > 0.0), key=lambda x: -x.covariance)
    freed = any(x.discrimination is not None for x in best)
    rows: list[list[Any]] = []
    for x in best[:MOST_LISTED]:
        r = "" if x.discrimination is None else f"{min(x.discrimination, 1.0):.2f}"
        rows.append([_named(found.names[x.question], asked), f"{x.mean:.3f}", *([r] if freed else []),
                     f"{x.covariance:.4f}"])  # fmt: skip
    heads = ["question", "average over\nthe models", *(["discrimi-\nnation"] if freed else []), "covariance"]
    said = "With the average on the other questions, over the models: covariance" + (
        ", and as discrimination the correlation, freed of trial-to-trial variance." if freed else "."
    )
    return _section("Most discriminating", len(best), heads, rows, said)


def _suspects(found: Analysed, asked: Asked) -> str:
    """Questions on which better models do worse."""
    suspects = sorted((x for x in found.items if x.suspect), key=lambda x: (x.p_adjusted or 0.0, x.covariance))
    rows = [
        [_named(found.names[x.question], asked), f"{x.mean:.3f}", f"{x.covariance:.4f}", f"{x.p_adjusted:.2g}"]
        for x in suspects[:MOST_LISTED]
    ]
    heads = ["question", "average over\nthe models", "covariance", "p,\nadjusted"]
    said = " ".join(of_questions(found.items, FDR))
    return _section("Suspects", len(suspects), heads, rows, said, SUSPECTS)


def _section(
    heading: str, size: int, heads: Sequence[str], rows: Sequence[Sequence[Any]], said: str = "", place: str = ""
) -> str:
    """A heading and the first questions of a list; place: the name by which links find it."""
    more = f" (the first {MOST_LISTED})" if size > MOST_LISTED else ""
    table = [html.box(html.table(heads, rows, named=0), heading)] if rows else []
    words = [html.text("p", said, "quiet")] if said else []
    start = f'<div id="{place}">' if place else "<div>"
    return "\n".join([start, html.text("h3", heading + more), *words, *table, "</div>"])


def reliability(found: Analysed, asked: Asked) -> list[str]:
    """How reliable the ranking is, and would be with more trials or questions."""
    if found.reliability is None:
        return [html.text("p", found.why)] if found.why else []
    c = components(found.models, "raise")
    N = max(1, round(c.N))
    sizes = [(1, c.M, N)] + [(i, c.M, i * N) for i in (2, 4) if c.trial is not None] + [(i, i * c.M, N) for i in (2, 4)]
    rows: list[list[Any]] = []
    for times, M, n in sizes:
        x = of_design(c, M, Fraction(n), (None, None))
        which = "as it is" if times == 1 else f"{times} times the {'trials' if M == c.M else 'questions'}"
        fixed = "" if x.se_fixed is None else f"{x.se_fixed:.3f}"
        rows.append([which, f"{M:,}", f"{n:,}", f"{x.se:.3f}", fixed, f"{x.rho:.2f}"])
    heads = ["design", "questions", "trials per\nquestion", "standard error\nof a difference,\nsimilar questions",
             "the same,\nthis question\nset", "reliability,\nsimilar\nquestions"]  # fmt: skip
    if found.reliability.se_fixed is None:
        heads, *rows = ([row[i] for i in (0, 1, 2, 3, 5)] for row in (heads, *rows))
    meaning = (
        "Reliability: the squared correlation of the averages of the models with those that unlimited trials on all "
        "similar questions would give; 1 is a ranking without error. It describes these models: where they are closer "
        "to each other, it is lower. All rests on variances estimated from this log."
    )
    said = " ".join(of_ranking(found.reliability, asked.confidence))
    if asked.questions == "sampled" and found.clustered:
        meaning += " It takes questions for independent: clusters, which make a ranking less reliable, do not count."
    table = html.box(html.table(heads, rows, named=0), "Designs")
    return [html.text("p", said), table, html.text("p", meaning, "quiet")]


def by_benchmark(logs: Logs, analyses: Mapping[str, Analysed], asked: Asked) -> list[str]:
    """What is known of the questions of each benchmark, a row each; columns of which nothing is known are left out."""
    heads = ["benchmark", "metric", "models", "questions\nx trials", "never\nsolved", "always\nsolved", "suspects",
             f"reliability\n{interval(asked.confidence)}", "standard error\nof a difference"]  # fmt: skip
    rows: list[list[Any]] = []
    for name, part in logs.benchmarks.items():
        found = analyses[name]
        trials = [n for log in part.values() for n in log.counts.trials.tolist() if n] or [0]
        sizes = [len(part), f"{len(found.names):,} x {span(min(trials), max(trials), '–')}"]
        dead = [x for x in found.items if x.dead]
        x = found.reliability
        ends = "" if x is None or x.lo is None or x.hi is None else html.under(f"[{x.lo:.2f}, {x.hi:.2f}]")
        rows.append([
            printable(name) or "(no name)", part.metric, *sizes,
            *([sum(not y.mean for y in dead), sum(y.mean > 0 for y in dead), sum(y.suspect for y in found.items)]
              if found.items else [None] * 3),
            *([None] * 2 if x is None else [html.Cell(f"{x.rho:.2f}", ends), f"{x.se:.3f}"]),
        ])  # fmt: skip
    counted, ranked = (any(row[i] is not None for row in rows) for i in (6, 7))
    unsaid = (set() if counted else {4, 5, 6}) | (set() if ranked else {7, 8})
    heads, *rows = ([row[i] for i in range(len(heads)) if i not in unsaid] for row in (heads, *rows))
    said = [
        *(["Never and always solved: in all trials of all models. Suspects: questions on which better models do worse, "
           f"at a false-discovery rate of {FDR:.0%}."] if counted else []),
        *(["Reliability and standard error: on similar questions."] if ranked else []),
        *(["Empty: outcomes are not binary, or models are too few."] if any(None in row for row in rows) else []),
        "scorio report --task NAME has the questions of one benchmark.",
    ]  # fmt: skip
    table = html.box(html.table(heads, rows, named=0), "Questions of each benchmark")
    return [table, html.text("p", " ".join(said), "quiet")]
