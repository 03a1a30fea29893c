"""Several benchmarks: every model in each, and the macro-average that ranks them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from .. import arguments, io, sinf
from ..display import html, raster
from ..display.names import short_names
from ..display.terms import MARKS, SCOPE, interval, marked
from ..display.text import digits, printable
from ..errors import InvalidInput
from ..io import Logs
from ..leaderboard.rows import Row
from ..leaderboard.suite import MACRO, Board, Cell, board, of_benchmarks, on_one_scale
from ..leaderboard.verdict import growth
from .analysis import ROOM, Asked, Pairs, Results


def scale_of(logs: Logs) -> list[float] | None:
    """The scores of all benchmarks: None for 0 and 1, or where there is no common scale, and so no macro-average."""
    try:
        return on_one_scale(logs.benchmarks)[1]
    except InvalidInput:
        return None


def checked(k: Any) -> list[int]:
    """Numbers of trials, if any are asked for."""
    given = [] if k is None else arguments.sequence(k, "k") if isinstance(k, Iterable) else [k]
    return [arguments.draws(x) for x in given]


def results_of(logs: Logs, asked: Asked, ks: Iterable[int]) -> tuple[Results, list[Board]]:
    """The macro-averages as rows, and their pairs; the boards, of the averages and of each k."""
    given: dict[str, Any] = {"questions": asked.questions, "confidence": asked.confidence}
    found = board(logs, **given)
    boards = {k: board(logs, k=k, **given) for k in ks}
    rows, ranks = [], dict[float, int]()
    for i, (model, cell) in enumerate(found.macro.items(), 1):
        parts = [part[model] for part in logs.benchmarks.values()]
        n = [x for log in parts for x in log.counts.trials.tolist() if x]
        rows.append(Row(
            ranks.setdefault(cell.value.mu, i), model, len(n), (min(n), max(n)), cell.value,
            {k: x.macro[model].value for k, x in boards.items()}, None, sum(log.missing for log in parts),
        ))  # fmt: skip
    return Results(logs, rows, _pairs(logs, list(found.macro), given), found), [found, *boards.values()]


def _pairs(logs: Logs, models: list[str], given: dict[str, Any]) -> Pairs:
    """Every pair over the suite; its interval covers all pairs at once."""
    places = list(combinations(range(len(models)), 2))
    if not places:
        return {}
    parts, w = on_one_scale(logs.benchmarks)
    counts = {name: io.aligned({m: part[m] for m in models}) for name, part in parts.items()}
    labels = {name: io.clusters_of({m: part[m] for m in models}) for name, part in parts.items()}
    clusters = {name: x for name, x in labels.items() if x} if given["questions"] == "sampled" else {}
    try:
        found = {(x.a, x.b): x for x in sinf.suite(counts, w=w, clusters=clusters or None, **given).pairs}
    except InvalidInput as e:  # they share too few questions of a benchmark
        if e.argument not in ("benchmarks", "models"):
            raise
        return dict.fromkeys(places, str(e))
    return {(i, j): found[models[i], models[j]] for i, j in places}


def times_as_many(results: Results, i: int, j: int, asked: Asked) -> float | None:
    """How many times the trials, or the questions, of every benchmark would detect the difference; None if it is 0."""
    x = results.pairs[i, j]
    if isinstance(x, str) or not x.mu:
        return None
    return growth(x.mu, x.sigma, results.planned(asked.confidence))


def benchmarks(results: Results, asked: Asked) -> list[str]:
    """A row for each model, a column for each benchmark, dark for low and light for high."""
    found: Board | None = results.board
    if found is None:
        return []
    parts = results.logs.benchmarks  # type: ignore[attr-defined]
    ends = {name: (min(w), max(w)) for name, w in ((x, part.weights or [0.0, 1.0]) for x, part in parts.items())}
    ends |= {MACRO: next(iter(ends.values()))} if found.macro else {}
    models = [*found.macro, *(m for m in results.logs if m not in found.macro)]
    short = short_names(models, ROOM)
    columns = short_names([x or "(no name)" for x in parts], 24)
    rows: list[list[Any]] = []
    for name, model in zip(short.short, models, strict=True):
        cells = [(x, found.cells.get((x, model))) for x in parts]
        cells = [(MACRO, found.macro.get(model)), *cells] if found.macro else cells
        rows.append([name, *(_cell(cell, ends[x]) for x, cell in cells)])
    heads = ["model", *([MACRO] if found.macro else []), *columns.short]
    said = [*([found.why] if found.why else []), *short.said, *columns.said]
    about = (
        f"Averages with the {interval(asked.confidence)} of each model by itself for {SCOPE[asked.questions]}"
        + ("" if len(set(ends.values())) > 1 else f"; dark is {next(iter(ends.values()))[0]:.10g}, light is "
           f"{next(iter(ends.values()))[1]:.10g}")
        + ". The macro-average weighs every benchmark the same. Empty: the model was not run there."
    )  # fmt: skip
    table = html.table(heads, rows, named=0, kind="shades sortable")
    return [html.box(table, "Models by benchmarks"), *(html.text("p", x, "quiet") for x in (about, *said))]


def remarks(logs: Logs, missing: str | int) -> list[str]:
    """What is to be known of single benchmarks, a line each."""
    found = of_benchmarks(logs, missing)
    said = [f"{printable(name) or '(no name)'}: {' '.join(lines)}" for name, lines in found.items()]
    return [html.text("h3", "Notes on single benchmarks"), html.items(said)] if said else []


def _cell(cell: Cell | None, ends: tuple[float, float]) -> html.Cell:
    if cell is None:
        return html.Cell("")
    x, form = cell.value, digits(ends)
    limits = marked(f"[{x.lo:{form}}, {x.hi:{form}}]", MARKS[x.variance_source])
    colours = raster.shade((x.mu - ends[0]) / ((ends[1] - ends[0]) or 1.0))
    return html.Cell(f"{x.mu:{form}}", f"<small>{printable(limits)}</small>", key=x.mu, colours=colours)
