"""What more trials bring: Pass@k against k, and how the ranking stabilises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import converge, io
from ..display import html
from ..display.svg import Axis, Trace, chart
from ..display.terms import SCOPE, interval
from ..display.text import number
from ..errors import InvalidInput
from ..io import Log
from ..plot.convergence import tau_band
from ..plot.extrapolation import Curve, curve
from .analysis import Asked, Results

MOST_CURVES = 12  # models
POINTS = 7  # on either side of the trials
BEYOND = 8  # times the trials
UNIT = Axis((0.0, 1.0), [(x / 4, f"{x / 4:.2f}") for x in range(5)], "")


def pass_at_k(results: Results, asked: Asked) -> list[str]:
    """A chart for each of the best models: measured up to the trials, modelled beyond."""
    if asked.weights is not None or results.board is not None:
        return []
    if all(row.trials[0] < 2 for row in results.rows):
        return [html.text("p", "Not shown: with one trial of a question Pass@k is not known for k above 1.")]
    found: list[tuple[str, Curve]] = []
    for name, row in list(zip(results.in_sentences.short, results.rows, strict=True))[:MOST_CURVES]:
        try:
            found.append((name, _curve(results.logs[row.model], row.trials[0], asked)))
        except InvalidInput as e:
            if e.argument not in ("R", "k"):
                raise
    if not found:
        return [html.text("p", "Not shown: too few trials.")]
    most = max(x.beyond[-1] for _, x in found)
    said = (
        f"Solid: measured, with its {interval(asked.confidence)} for {SCOPE[asked.questions]}. Dashed: more trials "
        "than there are, under a beta-binomial model of the success rates, fitted to all questions. The band there "
        "needs no model: dark, what the trials leave open; light, its limits, which account for sampling error too."
    )
    said += f" Dotted, grey: {found[0][0]}, the first in the ranking." if len(found) > 1 else ""
    more = len(results.rows) - len(found)
    left = [html.text("p", f"The other {number(more, 'model')} are not drawn.")] if more else []
    charts = [html.figure(_drawn(name, x, found[0][1] if i else None, most), name) for i, (name, x) in enumerate(found)]
    return [html.text("p", said), html.grid(charts, "small"), *left]


def _curve(log: Log, fewest: int, asked: Asked) -> Curve:
    """Of the questions that have a trial."""
    kept = log.only([i for i, n in enumerate(log.counts.trials.tolist()) if n])
    clusters = kept.clusters if asked.questions == "sampled" else None
    given: dict[str, Any] = {"questions": asked.questions, "confidence": asked.confidence, "clusters": clusters}
    return curve(kept.counts, BEYOND * fewest, points=POINTS, **given)


def _drawn(name: str, x: Curve, best: Curve | None, most: int) -> str:
    """One model; behind it the best one."""
    value = [y.mu for y in x.measured]
    traces = [
        Trace("band", x.within, [y.lo for y in x.measured], [y.hi for y in x.measured]),
        Trace("band", x.beyond, [y.low for y in x.bands], [y.high for y in x.bands]),
        Trace("inner", x.beyond, [y.lower for y in x.bands], [y.upper for y in x.bands]),
    ]
    if best is not None:
        traces.append(Trace("other", best.within, [y.mu for y in best.measured]))
    traces.append(Trace("line", x.within, value))
    last, law = x.bands[-1], [y for y, _, _ in x.fitted]
    if law:
        traces.append(Trace("modelled", [x.within[-1], *x.beyond], [value[-1], *law]))
    ticks = [(float(k), f"{k:,}") for k in _powers(most)]
    said = f"Pass@k of {name}: {value[0]:.2f} at 1, {value[-1]:.2f} at {x.within[-1]}; at {x.beyond[-1]} between "
    alt = f"{said}{last.low:.2f} and {last.high:.2f}" + (f", {law[-1]:.2f} by the model." if law else ".")
    return chart(traces, Axis((1.0, float(most)), ticks, "k", log=True), UNIT._replace(label="Pass@k"), alt)


def _powers(most: int) -> list[int]:
    """Powers of 2 up to it, at most seven."""
    every = [2**i for i in range(most.bit_length())]
    return every[:: -(-len(every) // 7)]


def stability(results: Results, asked: Asked) -> list[str]:
    """How the ranking stabilises as trials are added, or why that is not known."""
    if len(results.rows) < 2:
        return []
    try:
        R, said = io.trials_of(results.logs)
        trials, (mean, low, high) = tau_band(R, asked.weights, asked.replicates, asked.seed)
        stable = converge.bootstrap_convergence(
            R, w=asked.weights, replicates=asked.replicates, seed=asked.seed, worst=0, progress=False
        )
    except InvalidInput as e:
        if e.argument not in ("logs", "gold"):
            raise
        return [html.text("p", f"Not shown: {e}.")]
    N, cdf = trials[-1], stable.cdf
    bottom = min(0.0, round(float(low.min()) - 0.05, 1))
    tau = UNIT._replace(ends=(bottom, 1.0), ticks=[*UNIT.ticks, (bottom, f"{bottom:.2f}")] if bottom else UNIT.ticks)
    alt = f"Kendall's tau-b with the gold ranking: {mean[0]:.2f} after the first trial, {mean[-1]:.2f} after {N}."
    other = f"Share of replicates with a stable ranking: {cdf[0]:.2f} by trial 1, {cdf[-1]:.2f} by trial {N - 1}."
    band = Trace("band", trials, low.tolist(), high.tolist())
    charts = [
        html.figure(
            chart([band, Trace("line", trials, mean.tolist())], _whole(trials), tau, alt),
            "Kendall's tau-b with the gold ranking: mean, and the middle 90% of the replicates",
        )
    ]
    if N > 2:
        line = chart([Trace("line", trials[:-1], cdf)], _whole(trials[:-1]), UNIT, other)
        last = f"{100 * stable.never:.1f}% need all {N} trials"
        charts.append(html.figure(line, f"Share of replicates with a stable ranking; {last}"))
    else:  # a line of one point would be an empty chart
        said = [*said, f"In {100 * cdf[0]:.1f}% of replicates the first trial ranks as both trials do."]
    how = (
        f"{number(asked.replicates, 'bootstrap replicate')}. Each draws {N} trials with replacement, the same ones for "
        "all models. The gold ranking is that of all trials; a ranking is stable from n trials on if it equals the "
        "gold ranking after n and after every larger number of trials. The bootstrap takes the gold ranking as the "
        "truth: with few trials it overstates how stable the ranking is."
    )
    return [*(html.text("p", x) for x in said), html.grid(charts), html.text("p", how)]


def _whole(trials: Sequence[int]) -> Axis:
    """An axis of trials, at most ten of them named."""
    step = -(-len(trials) // 10)
    return Axis((trials[0], trials[-1]), [(n, f"{n:,}") for n in trials[::step]], "trials per question")
