"""The sections of a report."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np

from .. import io, plot
from ..display import html
from ..display.text import listed, number, percent, printable, span
from ..errors import InvalidInput
from ..leaderboard.sentences import groups
from ..metrics.metric import FACTS
from ..plot.align import lineup
from ..plot.canvas import UNSHOWN
from ..plot.comparisons import KINDS, MOST_NUMBERED, draw_comparisons
from ..plot.difficulty import Question, by_difficulty, draw_difficulty, draw_missing
from ..plot.forest import SIGNS, draw_forest
from ..version import __version__
from .analysis import Asked, Found, pair_sentence

MOST_SENTENCES = 12  # neighbours in the ranking, groups
MOST_LISTED = 10  # questions
MOST_VECTORS = 1000  # questions that are drawn as lines; more make a picture of pixels


def board(found: Found, asked: Asked) -> list[str]:
    """The models, their numbers and the ranks that they may have."""
    P, L = found.P(), len(found.rows)
    sure = asked.confidence <= P  # NaN is not
    often = f"{100 * asked.confidence:.10g}% interval"
    metric = "Pass" if asked.weights is None else "Max"
    at_k = [f"{metric}@{k}\n{often}" for k in found.rows[0].at_k]
    heads = ["#", "model", "ranks it\nmay have", f"average\n{often}", *at_k, "questions", "trials\nof each", "missing"]
    cells: list[list[Any]] = []
    for i, row in enumerate(found.rows):
        ranks = span(1 + int(sure[:, i].sum()), L - int(sure[i].sum()), "–")
        values = [
            f"{x.mu:{asked.form}} [{x.lo:{asked.form}}, {x.hi:{asked.form}}]{SIGNS[x.variance_source]}"
            for x in row.intervals
        ]
        cells.append(
            [row.rank, printable(row.model), ranks, *values, row.questions, span(*row.trials, "–"), row.missing]
        )
    alt = f"Forest plot: the average of {number(L, 'model')} with its interval, as in the table above."
    averages = [row.average for row in found.rows]
    ax = draw_forest(found.names, averages, FACTS["mean"].title, asked.confidence, asked.weights, UNSHOWN)
    if L == 1:  # it has no ranks
        heads, cells = ([x for i, x in enumerate(row) if i not in (0, 2)] for row in (heads, cells[0]))
        return [html.box(html.table(heads, [cells], named=0), "Leaderboard"), _picture(ax, alt)]
    return [html.box(html.table(heads, cells, named=1), "Leaderboard"), _picture(ax, alt)]


def who(found: Found, asked: Asked) -> list[str]:
    """Neighbours, groups, and the map of all pairs."""
    L, names = len(found.rows), found.names
    if L < 2:
        return [html.text("p", "There is one model: nothing to compare it with.")]
    P, level = found.P(), f"{100 * asked.confidence:.10g} %"
    told = f"Two models are told apart where it is at least {level} sure which one is ahead {KINDS[asked.questions]}."
    out = [html.text("p", told), html.text("h3", "Neighbours in the ranking")]
    out.append(html.items(pair_sentence(found, i, i + 1, asked) for i in range(min(L - 1, MOST_SENTENCES))))
    if L - 1 > MOST_SENTENCES:
        out.append(html.text("p", f"The other {number(L - 1 - MOST_SENTENCES, 'pair')} of neighbours: see the map."))
    runs = groups(P.tolist(), asked.confidence)
    if runs:
        said = [f"Places {x.start + 1} to {x.stop}: {listed([names[i] for i in x])}." for x in runs[:MOST_SENTENCES]]
        out += [html.text("h3", "Groups in which no two models can be told apart"), html.items(said)]
    if len(runs) > MOST_SENTENCES:
        out.append(html.text("p", f"And {number(len(runs) - MOST_SENTENCES, 'group')} further down."))
    heading = f"P(row better than column) in %\naverage score {KINDS[asked.questions]}"
    alt = f"Map of all pairs: how sure it is that the model of a row is better than that of a column, {L} models."
    ax = draw_comparisons(names, [-i for i in range(L)], P, heading, asked.confidence, UNSHOWN)
    out.append(_picture(ax, alt))
    if L <= MOST_NUMBERED:
        cells = [[f"{i + 1} {printable(x)}", *map(_cell, P[i])] for i, x in enumerate(names)]
        table = html.table(["row", *map(str, range(1, L + 1))], cells, "P(row better than column)", named=0)
        out.append(f"<details><summary>The same as a table</summary>\n{html.box(table, 'Pairs')}\n</details>")
    return out


def _cell(p: float) -> str:
    return "" if p != p else percent(p)


def settling(found: Found, asked: Asked) -> list[str]:
    """How the ranking settles as trials add up, or why that is not known."""
    if len(found.rows) < 2:
        return [html.text("p", "There is one model: no ranking that could settle.")]
    try:
        R, said = io.trials_of(found.logs)
        given: dict[str, Any] = {"w": asked.weights, "replicates": asked.replicates, "seed": asked.seed, "ax": UNSHOWN}
        curve, settled = plot.tau_curve(R, **given), plot.convergence(R, **given)
    except InvalidInput as e:
        if e.argument not in ("logs", "gold"):
            raise
        return [html.text("p", f"Not shown: {e}.")]
    N = next(iter(R.values())).shape[1]
    tau, ends = (np.asarray(x.lines[0].get_ydata(), float) for x in (curve, settled))
    alt = f"Kendall's tau with the gold ranking: from {tau[0]:.2f} after the first trial to {tau[-1]:.2f} after {N}."
    other = f"Share of replicates whose ranking has settled: {ends[0]:.2f} by trial 1, {ends[-1]:.2f} by trial {N - 1}."
    how = (
        f"{number(asked.replicates, 'bootstrap replicate')}, each of which draws the {N} trials again, the same for "
        "all models; the gold ranking is that by all trials. A ranking has settled where it is the gold one and stays "
        "so. The bootstrap knows only the trials that there are: with few of them it is too sure."
    )
    return [*(html.text("p", x) for x in said), _picture(curve, alt), _picture(settled, other), html.text("p", how)]


def questions(found: Found, asked: Asked) -> list[str]:
    """Which are hard, and which tell models apart."""
    scores = [0.0, 1.0] if asked.weights is None else list(asked.weights)
    ranked = by_difficulty(lineup(found.logs, asked.weights), scores)
    never, always = (sum(q.solved == x for q in ranked) for x in ("never", "always"))
    ends = ("never solved", "always solved") if asked.weights is None else ("always scored lowest", "always highest")
    said = f"Of {number(len(ranked), 'question')}, {never:,} were {ends[0]} and {always:,} {ends[1]}"
    alt = f"Difficulty: the average of each of {number(len(ranked), 'question')} over the models, hardest first."
    kind = "svg+xml" if len(ranked) <= MOST_VECTORS else "png"
    useless = never + always and len(found.rows) > 1
    told = ", in every trial of every model" + (": these tell no models apart." if useless else ".")
    out = [html.text("p", said + told), _picture(draw_difficulty(ranked, scores, UNSHOWN), alt, kind)]
    out += _listed("Hardest", ranked, asked)
    differ = sorted((q for q in ranked if q.deviation > 0.0), key=lambda q: -q.deviation)
    return [*out, *_listed("Where models differ most", differ, asked)] if differ else out


def _listed(heading: str, ranked: Sequence[Question], asked: Asked) -> list[str]:
    rows = [
        [printable(q.name), *(format(x, asked.form) for x in (q.mean, q.lowest, q.highest)), q.models]
        for q in ranked[:MOST_LISTED]
    ]
    more = f" (the first {MOST_LISTED} of {len(ranked):,})" if len(ranked) > MOST_LISTED else ""
    heads = ["question", "average over\nthe models", "lowest\nmodel", "highest\nmodel", "models"]
    if all(q.models == 1 for q in ranked):
        heads, rows = ["question", "average"], [row[:2] for row in rows]
    return [html.text("h3", heading + more), html.box(html.table(heads, rows, named=0), heading)]


def missing(found: Found, policy: str | int) -> list[str]:
    """How many trials there are, and what was done about others."""
    lost = sum(row.missing for row in found.rows)
    counts = [found.logs[name].counts for name in found.names]
    if not lost and not any(x.empty for x in counts) and len({n for row in found.rows for n in row.trials}) == 1:
        return [
            html.text(
                "p", f"Nothing is missing: every question of every model has {number(counts[0].fewest, 'trial')}."
            )
        ]
    done = {"raise": "refused", "drop": "left out of the trials"}.get(str(policy), f"counted as {policy}")
    said = f"Missing: {number(lost, 'outcome')}. The log was read so that missing outcomes are {done}."
    alt = "Trials of each model: how many questions have how many trials."
    return [html.text("p", said), _picture(draw_missing(found.names, counts, UNSHOWN), alt)]


def made(asked: Asked, command: str, date: str) -> list[str]:
    """What the intervals mean, and how to make the page again."""
    level = f"{100 * asked.confidence:.10g} %"
    about = (
        "where the number for these same questions would settle with ever more trials"
        if asked.questions == "fixed" else "the number over all questions like these"
    )  # fmt: skip
    said = [
        f"The {level} intervals hold {about}; intervals made like this hold it in about {level} of evaluations.",
        "Intervals of two models may overlap where their difference is clear: judge pairs by the comparisons, question "
        "by question, not by eye.",
        f"The ranks that a model may have count the models that it is told apart from, each at {level}, one-sided.",
        f"Made on {date} with scorio {__version__}.",
    ]
    return [html.items(said), *([html.text("pre", command)] if command else [])]


def _picture(ax: Any, alt: str, kind: str = "svg+xml") -> str:
    file = BytesIO()
    more: dict[str, Any] = {"metadata": {"Software" if kind == "png" else "Date": None}}
    with catch_warnings():
        filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts draw the text
        ax.figure.savefig(file, format="png" if kind == "png" else "svg", dpi=160, **more)
    width, height = (96 * x for x in ax.figure.get_size_inches())
    return html.picture(kind, file.getvalue(), width, height, alt)
