"""Several benchmarks: a row for each, on its own metric and scale, and the macro-average of the suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import arguments
from ..display.text import listed
from ..errors import InvalidInput
from ..inference import suite as inference
from ..inference.estimate import Measured, ask, measured_of
from ..io import Log, Logs
from ..io.transition import own_scale
from ..outcomes.checks import too_few_trials
from ..results import MetricInterval
from .notes import different_questions, incomplete, meanings
from .rows import interval_of, most_that_works

MACRO = "macro-average"
Ends = tuple[float, float]


class Cell(NamedTuple):
    """One model in one benchmark, or in the suite.

    Attributes
    ----------
    benchmark, metric, model : str
        Their names.
    value : MetricInterval
        Of the mean, or of Pass@k or Max@k if k is given.
    k : int or None
        Trials of the metric; None for the mean.
    log : Log or None
        What it was computed from; None for the suite.
    """

    benchmark: str
    metric: str
    model: str
    value: MetricInterval
    k: int | None = None
    log: Log | None = None

    def record(self) -> dict[str, Any]:
        """The cell as names and plain values."""
        n = None if self.log is None else self.log.counts.trials[self.log.counts.trials > 0]
        return {
            "benchmark": self.benchmark,
            "metric": self.metric,
            "model": self.model,
            "k": self.k,
            "questions": None if n is None else n.size,
            "trials_min": None if n is None else int(n.min()),
            "trials_max": None if n is None else int(n.max()),
            "missing": None if self.log is None else self.log.missing,
            "average": self.value.mu,
            "sigma": self.value.sigma,
            "lo": self.value.lo,
            "hi": self.value.hi,
            "questions_as": self.value.questions,
            "variance_source": self.value.variance_source,
            "n_eff": self.value.n_eff,
        }


class Board(NamedTuple):
    """A suite of benchmarks.

    Attributes
    ----------
    cells : dict of (benchmark, model) to Cell
        Of every model in every benchmark that it answered.
    macro : dict of model to Cell
        Macro-averages, highest first, of the models that answered every benchmark.
    why : str
        What is to be known of macro-averages that are not there; or nothing.
    k : int or None
        Trials of the metric; None for the mean.
    """

    cells: dict[tuple[str, str], Cell]
    macro: dict[str, Cell]
    why: str
    k: int | None


def board(logs: Logs, *, k: int | None = None, questions: str = "fixed", confidence: float = 0.95) -> Board:
    """A row for each benchmark, and macro-averages with equal weights.

    Parameters
    ----------
    logs : Logs
        Of :func:`scorio.io.read`, with several benchmarks.
    k : int, optional
        Pass@k (Max@k of a benchmark with scores) instead of the mean.
    questions, confidence
        As for :func:`scorio.leaderboard.leaderboard`.

    Returns
    -------
    Board
        Every benchmark on its own scale. There is no macro-average over scales of other ends.

    Raises
    ------
    InvalidInput
        empty: no benchmarks; anything wrong with the other arguments.

    Notes
    -----
    The interval is that of :func:`scorio.sinf.suite` with equal weights, where a benchmark without a given scale has
    that of the scores that were seen.

    Examples
    --------
    >>> from scorio import Counts
    >>> from scorio.io import Log, Logs
    >>> from scorio.leaderboard.suite import board
    >>> parts = {t: Logs({"m": Log(["q1", "q2"], Counts.from_successes(c, [4, 4]))}) for t, c in {"a": [1, 2], "b": [4, 3]}.items()}
    >>> logs = Logs({"m": parts["a"]["m"]})
    >>> logs.benchmarks = parts
    >>> x = board(logs).macro["m"].value
    >>> x.mu, round(x.lo, 3), round(x.hi, 3)
    (0.625, 0.386, 0.815)
    """  # noqa: E501
    if not logs.benchmarks:
        raise InvalidInput("empty", "logs", "there is one benchmark in it, or none that has a name")
    k = None if k is None else arguments.draws(k)
    asked = {"questions": questions, "confidence": confidence}
    cells = {
        (name, model): _cell(name, part, model, k, asked)
        for name, part in logs.benchmarks.items()
        for model in part
        if part[model].counts.trials.any()
    }
    names, ends = list(logs.benchmarks), {name: _ends(part) for name, part in logs.benchmarks.items()}
    if len(set(ends.values())) > 1:
        return Board(cells, {}, f"No macro-average: the benchmarks are on other scales, {_said(ends)}.", k)
    whole = [model for model in logs if all((name, model) in cells for name in names)]
    parts = logs.benchmarks
    found = {
        model: _macro(
            model,
            [cells[name, model] for name in names],
            [_measured(name, parts[name], model, k, questions) for name in names],
            confidence,
            ends[names[0]],
        )
        for model in whole
    }
    order = sorted(found, key=lambda model: (-found[model].value.mu, model))
    left = [model for model in logs if model not in found]
    why = f"No macro-average of {', '.join(left)}: a benchmark is missing." if left else ""
    return Board(cells, {model: found[model] for model in order}, why, k)


def _read(name: str, part: Logs, model: str, k: int | None) -> tuple[Log, str, Any]:
    """A model's questions that have trials, its metric and its scores."""
    log = part[model]
    log = log.only(log.counts.trials.nonzero()[0].tolist()) if log.counts.empty else log
    metric = "mean" if k is None else "pass_at_k" if part.weights is None else "max_at_k"
    trials = zip(log.questions, log.counts.trials.tolist(), strict=True)
    if k is not None and (few := {repr(question): n for question, n in trials if n < k}):
        raise too_few_trials(k, few, f"model {model!r} in {name!r}", most_that_works(few))
    w: Any = part.weights
    if part.seen and w is not None:
        log, w = own_scale(log, w)
    return log, metric, w


def _cell(name: str, part: Logs, model: str, k: int | None, asked: dict[str, Any]) -> Cell:
    log, metric, w = _read(name, part, model, k)
    return Cell(name, part.metric, model, interval_of(log, metric, k, w=w, **asked), k, part[model])


def _measured(name: str, part: Logs, model: str, k: int | None, questions: str) -> Measured:
    """What an average over benchmarks takes of a model in one of them."""
    log, metric, w = _read(name, part, model, k)
    clusters = log.clusters if questions == "sampled" else None
    return measured_of(ask(metric, k, None, w, questions), log.counts, None, clusters)


def _ends(part: Logs) -> Ends:
    scores = part.weights or [0.0, 1.0]
    return min(scores), max(scores)


def _macro(name: str, cells: Sequence[Cell], found: Sequence[Measured], confidence: float, ends: Ends) -> Cell:
    """The average over benchmarks, each of which weighs the same."""
    weights = inference.shares(None, range(len(found)), range(len(found)))
    (mu, sigma, lo, hi, n_eff), source = inference.average(found, weights, confidence, *ends)
    units, first = sum(x.units for x in found), cells[0]
    value = MetricInterval(mu, sigma, lo, hi, first.value.questions, source, n_eff, units, [])
    return Cell(MACRO, " / ".join(dict.fromkeys(cell.metric for cell in cells)), name, value, first.k)


def on_one_scale(parts: Mapping[str, Logs]) -> tuple[dict[str, Logs], list[float] | None]:
    """Benchmarks with the scores of all of them, which must have the same ends; and these scores."""
    ends = {name: _ends(part) for name, part in parts.items()}
    if len(set(ends.values())) > 1:
        raise InvalidInput("conflict", "task", f"the benchmarks are on other scales, {_said(ends)}: choose with --task")
    if all(part.weights is None for part in parts.values()):
        return dict(parts), None
    scores = sorted({x for part in parts.values() for x in part.weights or [0.0, 1.0]})
    return {name: part.on(scores) for name, part in parts.items()}, scores


def _said(ends: Mapping[str, Ends]) -> str:
    return ", ".join(f"{name or '(no name)'} {lo:.10g} to {hi:.10g}" for name, (lo, hi) in ends.items())


def beside(logs: Logs) -> Logs:
    """Every model in every benchmark, beside each other: for what is said of the log as a whole."""
    if not logs.benchmarks:
        return logs
    every = Logs({f"{name}/{model}": part[model] for name, part in logs.benchmarks.items() for model in part})
    every.skipped, every.unfinished, every.remarks = logs.skipped, logs.unfinished, logs.remarks
    return every


def notes(logs: Logs, boards: Iterable[Board], confidence: float, missing: str | int) -> list[str]:
    """What a reader of the boards must know."""
    boards = list(boards)
    cells = [cell for found in boards for cell in found.cells.values()]
    every = beside(logs)
    sources = {cell.value.variance_source for cell in cells}
    said = [found.why for found in boards if found.why][:1]
    if boards[0].macro:
        same = "its questions" if cells[0].value.questions == "fixed" else "the populations of similar questions"
        said.append(
            f"{MACRO}: the plain mean over {len(logs.benchmarks)} benchmarks, each of which weighs the same whatever "
            f"number of questions it has; its interval is for {same}."
        )
    if len({part.metric for part in logs.benchmarks.values()}) > 1:
        said.append("The benchmarks are scored by different metrics, each in its row.")
    for name, part in logs.benchmarks.items():
        if part.seen and part.weights and (part.weights[0], part.weights[-1]) != (0.0, 1.0):
            ends = f"{part.weights[0]:.10g} to {part.weights[-1]:.10g}"
            said.append(f"Scores of {name} run from {ends}, as seen: the ends of its scale, unless --scale says them.")
    return [*meanings(every, cells[0].value.questions, confidence, sources), *said, *incomplete(every, missing)]


def of_benchmarks(logs: Logs, missing: str | int) -> dict[str, list[str]]:
    """What a reader must know of single benchmarks, and what is not said of the log as a whole."""
    found = {}
    for name, part in logs.benchmarks.items():
        own = Logs(part, unfinished=[x for x in part.unfinished if x not in logs.unfinished])
        own.remarks = [x for x in part.remarks if x not in logs.remarks]
        absent = [model for model in logs if model not in part]
        not_run = [f"It was not run with {listed(absent)}."] if absent else []
        if said := [*not_run, *different_questions(part), *incomplete(own, missing)]:
            found[name] = said
    return found
