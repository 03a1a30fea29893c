"""The sections of a report."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np

from .. import io, plot
from ..display import html
from ..display.terms import MARKS, SCOPE, alpha, interval, marked
from ..display.text import listed, number, percents, printable, span
from ..errors import InvalidInput
from ..leaderboard.sentences import inseparable_runs
from ..metrics.metric import FACTS
from ..plot.align import lineup
from ..plot.canvas import UNSHOWN
from ..plot.comparisons import HEADING, MOST_NUMBERED, draw_comparisons
from ..plot.difficulty import Question, by_difficulty, draw_difficulty, draw_missing
from ..plot.forest import draw_forest
from ..version import __version__
from .analysis import Asked, Results, pair_sentence

MOST_SENTENCES = 12  # neighbours in the ranking, runs
MOST_LISTED = 10  # questions
MOST_VECTORS = 1000  # questions that are drawn as lines; more make a picture of pixels


def board(results: Results, asked: Asked) -> list[str]:
    """The models, their numbers and the ranks that they may have."""
    L = len(results.rows)
    better = (results.p() <= 1.0 - asked.confidence) & (results.P() > 0.5)  # NaN is not
    often = f"{interval(asked.confidence)} ({asked.questions})"
    metric = "Pass" if asked.weights is None else "Max"
    at_k = [f"{metric}@{k}\n{often}" for k in results.rows[0].at_k]
    heads = ["#", "model", "rank\nrange", f"average\n{often}", *at_k, "questions", "trials per\nquestion", "missing"]
    cells: list[list[Any]] = []
    for i, row in enumerate(results.rows):
        ranks = span(1 + int(better[:, i].sum()), L - int(better[i].sum()), "–")
        values = [
            marked(f"{x.mu:{asked.form}} [{x.lo:{asked.form}}, {x.hi:{asked.form}}]", MARKS[x.variance_source])
            for x in row.intervals
        ]
        cells.append(
            [row.rank, printable(row.model), ranks, *values, row.questions, span(*row.trials, "–"), row.missing]
        )
    alt = f"Forest plot: the average of {number(L, 'model')} with its interval, as in the table above."
    averages = [row.average for row in results.rows]
    ax = draw_forest(results.names, averages, FACTS["mean"].title, asked.confidence, asked.weights, UNSHOWN)
    if L == 1:  # it has no ranks
        heads, cells = ([x for i, x in enumerate(row) if i not in (0, 2)] for row in (heads, cells[0]))
        return [html.box(html.table(heads, [cells], named=0), "Leaderboard"), _picture(ax, alt)]
    return [html.box(html.table(heads, cells, named=1), "Leaderboard"), _picture(ax, alt)]


def comparisons(results: Results, asked: Asked) -> list[str]:
    """Neighbours, runs that are not separated, and the map of all pairs."""
    L, names = len(results.rows), results.names
    if L < 2:
        return [html.text("p", "There is one model: nothing to compare it with.")]
    P, p = results.P(), results.p()
    rule = (
        f"Two models differ significantly, on {SCOPE[asked.questions]}, where the p-value of their comparison is at "
        f"most {alpha(asked.confidence)} after Holm's adjustment for the number of pairs: if all models were equally "
        f"good, any pair at all would differ significantly in at most {alpha(asked.confidence)} of evaluations."
    )
    out = [html.text("p", rule), html.text("h3", "Neighbours in the ranking")]
    out.append(html.items(pair_sentence(results, i, i + 1, asked) for i in range(min(L - 1, MOST_SENTENCES))))
    if L - 1 > MOST_SENTENCES:
        out.append(html.text("p", f"The other {number(L - 1 - MOST_SENTENCES, 'pair')} of neighbours: see the map."))
    out += _runs(results, inseparable_runs(p.tolist(), asked.confidence))
    heading = HEADING.format(title=FACTS["mean"].title, scope=SCOPE[asked.questions])
    alt = f"Map of all pairs: probability that the model of a row is better than that of a column, {L} models."
    ax = draw_comparisons(names, [-i for i in range(L)], P, p, heading, asked.confidence, UNSHOWN)
    out.append(_picture(ax, alt))
    if L <= MOST_NUMBERED:
        texts = iter(percents([p for p in P.ravel().tolist() if p == p]))
        cells = [
            [f"{i + 1} {printable(x)}", *("" if p != p else next(texts) for p in P[i].tolist())]
            for i, x in enumerate(names)
        ]
        table = html.table(["row", *map(str, range(1, L + 1))], cells, "P(row better than column)", named=0)
        out.append(f"<details><summary>The map as a table</summary>\n{html.box(table, 'Pairs')}\n</details>")
    return out


def _runs(results: Results, runs: Sequence[range]) -> list[str]:
    """Runs of models of which no two differ significantly."""
    if not runs:
        return []
    names = results.in_sentences.short
    said = [f"Places {x.start + 1} to {x.stop}: {listed([names[i] for i in x])}." for x in runs[:MOST_SENTENCES]]
    out = [html.text("h3", "Runs in which no two models differ significantly"), html.items(said)]
    if len(runs) > MOST_SENTENCES:
        out.append(html.text("p", f"And {number(len(runs) - MOST_SENTENCES, 'run')} further down."))
    return out


def stability(results: Results, asked: Asked) -> list[str]:
    """How the ranking stabilises as trials are added, or why that is not known."""
    if len(results.rows) < 2:
        return [html.text("p", "There is one model, so there is no ranking.")]
    try:
        R, said = io.trials_of(results.logs)
        given: dict[str, Any] = {"w": asked.weights, "replicates": asked.replicates, "seed": asked.seed, "ax": UNSHOWN}
        curve, stable = plot.tau_curve(R, **given), plot.convergence(R, **given)
    except InvalidInput as e:
        if e.argument not in ("logs", "gold"):
            raise
        return [html.text("p", f"Not shown: {e}.")]
    N = next(iter(R.values())).shape[1]
    tau, ends = (np.asarray(x.lines[0].get_ydata(), float) for x in (curve, stable))
    alt = f"Kendall's tau-b with the gold ranking: {tau[0]:.2f} after the first trial, {tau[-1]:.2f} after {N}."
    other = f"Share of replicates with a stable ranking: {ends[0]:.2f} by trial 1, {ends[-1]:.2f} by trial {N - 1}."
    how = (
        f"{number(asked.replicates, 'bootstrap replicate')}. Each draws {N} trials with replacement, the same ones for "
        "all models. The gold ranking is that of all trials; a ranking is stable from n trials on if it equals the "
        "gold ranking after n and after every larger number of trials. The bootstrap takes the gold ranking as the "
        "truth: with few trials it overstates how stable the ranking is."
    )
    return [*(html.text("p", x) for x in said), _picture(curve, alt), _picture(stable, other), html.text("p", how)]


def questions(results: Results, asked: Asked) -> list[str]:
    """Which questions are hard, and on which the models differ."""
    scores = [0.0, 1.0] if asked.weights is None else list(asked.weights)
    ranked = by_difficulty(lineup(results.logs, asked.weights), scores)
    never, always = (sum(q.solved == x for q in ranked) for x in ("never", "always"))
    ends = ("never solved", "always solved") if asked.weights is None else ("always scored lowest", "always highest")
    said = f"Of {number(len(ranked), 'question')}, {never:,} were {ends[0]} and {always:,} {ends[1]}"
    alt = f"Difficulty: the average of each of {number(len(ranked), 'question')} over the models, hardest first."
    kind = "svg+xml" if len(ranked) <= MOST_VECTORS else "png"
    equal = never + always and len(results.rows) > 1
    where = " (in all trials of all models)" + ("; these do not distinguish the models." if equal else ".")
    out = [html.text("p", said + where), _picture(draw_difficulty(ranked, scores, UNSHOWN), alt, kind)]
    out += _listed("Hardest", ranked, asked)
    differ = sorted((q for q in ranked if q.deviation > 0.0), key=lambda q: -q.deviation)
    return [*out, *_listed("Where the models differ most", differ, asked)] if differ else out


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


def missing(results: Results, policy: str | int) -> list[str]:
    """How many trials there are, and how missing ones were treated."""
    lost = sum(row.missing for row in results.rows)
    counts = [results.logs[name].counts for name in results.names]
    if not lost and not any(x.empty for x in counts) and len({n for row in results.rows for n in row.trials}) == 1:
        return [
            html.text(
                "p", f"Nothing is missing: every question of every model has {number(counts[0].fewest, 'trial')}."
            )
        ]
    done = {"raise": "an error", "drop": "left out"}.get(str(policy), f"counted as {policy}")
    said = f"Missing: {number(lost, 'outcome')}. When the log was read, missing outcomes were {done}."
    alt = "Trials of each model: how many questions have how many trials."
    return [html.text("p", said), _picture(draw_missing(results.names, counts, UNSHOWN), alt)]


def made(asked: Asked, command: str, date: str) -> list[str]:
    """What the intervals mean, and how to make the page again."""
    said = [
        "Intervals of two models may overlap where their difference is significant: judge pairs by the comparisons, "
        "which are made question by question.",
        "A rank range counts the models that are significantly better or worse at the "
        f"{alpha(asked.confidence)} level, family-wise over all pairs (Holm).",
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
