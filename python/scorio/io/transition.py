"""Transition, to be deleted: an Evaluation as the dict of logs that rooms which are not rewritten yet take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..display import html
from ..display.text import nearest, number, span
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from .evaluation import Benchmark, EvaluationData
from .logs import ANY, Log, pooled_log
from .text_files import shown


def logs_of(e: EvaluationData) -> Logs:
    """The dict of logs of an evaluation."""
    parts = {name: _logs(part) for name, part in e.benchmarks.items()}
    whole, made = joined(parts, list(e.models)), e.provenance
    whole.format, whole.skipped, whole.unfinished = made.format, list(made.skipped), list(made.unfinished)
    whole.remarks = list(made.remarks)
    return whole


def _logs(part: Benchmark) -> Logs:
    weights = None if part.weights is None else list(part.weights)
    tasks = [part.name] if part.name else []
    return Logs(part.logs, weights, tasks=tasks, levels=part.levels, metric=part.metric, seen=part.seen)


def read(path: Any, **options: Any) -> Logs:
    """The dict of logs of files."""
    from ..evaluation import read

    return logs_of(read(path, **options))


class Logs(dict[str, Log]):
    """Models in the order of the log.

    Attributes
    ----------
    weights : list of float, or None
        Score of each category 0..C, None for the outcomes 0 and 1.
    format : str
        What the log was read as.
    metric : str
        What the outcomes are called: the scorer, the metric, "outcome" of a table.
    benchmarks : dict of str to Logs
        Where the log has several tasks: the log of each, with its own metric, weights and trials. The log itself then
        pools their questions, each named task/question. Where they are not of one metric on one scale, nothing is
        pooled: to ask for the log of a model is an error that names them.
    skipped : list of str
        Files of a folder that are no logs: hidden, pictures, notes, and what a tool writes beside its logs.
    unfinished : list of str
        What says that outcomes are missing of which it does not say how many.
    remarks : list of str
        What else a reader of the numbers must know, a sentence each.
    tasks : list of str
        The sets of questions, where the log names them.
    levels : bool
        Whether the weights are scores, rather than given for categories.
    seen : bool
        Whether the ends of the scale are those of the scores that were seen.
    """

    def __init__(
        self,
        logs: Mapping[str, Log],
        weights: list[float] | None = None,
        format: str = "",
        skipped: Iterable[str] | None = None,
        unfinished: Iterable[str] = (),
        tasks: Iterable[str] = (),
        levels: bool = False,
        metric: str = "outcome",
        seen: bool = False,
    ) -> None:
        super().__init__(logs)
        self.weights, self.format, self.skipped = weights, format, list(skipped or ())
        self.unfinished, self.tasks, self.levels = list(unfinished), list(tasks), levels
        self.metric, self.seen, self.remarks = metric, seen, list[str]()
        self.benchmarks: dict[str, Logs] = {}

    def having(self, logs: Mapping[str, Log]) -> Logs:
        """Other models, all else the same; not the benchmarks."""
        found = Logs(
            logs, self.weights, self.format, self.skipped, self.unfinished, self.tasks, self.levels, self.metric,
            self.seen,
        )  # fmt: skip
        found.remarks = list(self.remarks)
        return found

    def only(self, names: Iterable[str]) -> Logs:
        """These models, in this order."""
        chosen = list(names)
        for name in chosen:
            there(self, name)
        if self.benchmarks:
            parts = {x: part.having({m: part[m] for m in chosen if m in part}) for x, part in self.benchmarks.items()}
            return joined({x: part for x, part in parts.items() if part}, chosen, self)
        return self.having({name: self[name] for name in chosen})

    def __add__(self, other: Logs) -> Logs:
        """Both: other models of the same benchmarks, or other benchmarks. A model is not in one benchmark of both."""
        if not isinstance(other, Logs):
            return NotImplemented
        return added(self, other)

    def on(self, scores: list[float]) -> Logs:
        """The same outcomes on a scale that contains the scores of this one."""
        place = [scores.index(x) for x in self.weights or [0.0, 1.0]]
        moved = self.having({name: log.on(place, len(scores) - 1) for name, log in self.items()})
        moved.weights = None if scores == [0.0, 1.0] else scores
        return moved

    def _repr_html_(self) -> str:
        rows = [
            [m, log.counts.M, span(int(log.counts.trials.min()), int(log.counts.trials.max())), log.missing]
            for m, log in self.items()
        ]
        return html.table(["model", "questions", "trials", "missing"], rows)


class Suite(Logs):
    """Benchmarks of several metrics or scales: no model has one number, so that its log is an error to ask for."""

    def _refuse(self) -> NoReturn:
        said = ", ".join(f"{name or '(no name)'} ({part.metric})" for name, part in self.benchmarks.items())
        what = f"the benchmarks are not of one metric on one scale, {said[:300]}"
        raise InvalidInput("conflict", "task", what, "task")

    def __getitem__(self, model: str) -> Log:
        self._refuse()

    def get(self, model: str, default: Any = None) -> Any:
        """As all that reads the log of a model: an error."""
        self._refuse()

    def items(self) -> Any:
        """As all that reads the log of a model: an error."""
        self._refuse()

    def values(self) -> Any:
        """As all that reads the log of a model: an error."""
        self._refuse()


def joined(parts: Mapping[str, Logs], models: list[str], said: Logs | None = None) -> Logs:
    """The logs of several benchmarks, by the name of each, as one; said: what was read with them."""
    if len(parts) == 1:
        (whole,) = parts.values()
    elif _alike(parts):
        on = dict(parts)
        if all(part.levels for part in parts.values()):
            scores = sorted({x for part in parts.values() for x in part.weights or [0.0, 1.0]})
            on = {task: part.on(scores) for task, part in parts.items()}
        whole = next(iter(on.values())).having(
            {m: pooled_log(m, {task: part[m] for task, part in on.items() if m in part}) for m in models}
        )
    else:
        first = next(iter(parts.values()))
        whole = Suite(dict.fromkeys(models), None, first.format)  # type: ignore[arg-type]
    if len(parts) > 1:
        whole.benchmarks, whole.tasks = dict(parts), sorted(task for task in parts if task)
        whole.levels = any(part.levels for part in parts.values())
        whole.metric = " / ".join(dict.fromkeys(part.metric for part in parts.values()))
    for source in (said,) if said is not None else ():
        whole.format, whole.skipped, whole.unfinished = source.format, source.skipped, source.unfinished
        whole.remarks = source.remarks
    return whole


def _alike(parts: Mapping[str, Logs]) -> bool:
    """One metric on one scale."""
    metrics = {part.metric for part in parts.values()} - {ANY}
    if len(metrics) > 1:
        return False
    scales = {_ends(part) for part in parts.values()}
    graded = [part.weights for part in parts.values() if not part.levels]
    return len(scales) == 1 and all(x == graded[0] for x in graded)


def _ends(part: Logs) -> tuple[float, float]:
    scores = part.weights or [0.0, 1.0]
    return min(scores), max(scores)


def added(a: Logs, b: Logs) -> Logs:
    """The models and the benchmarks of both."""
    parts = _parts(a)
    for task, new in _parts(b).items():
        parts[task] = _merged(parts[task], new) if task in parts else new
    whole = joined(parts, list(dict.fromkeys([*a, *b])))
    whole.format = ", ".join(dict.fromkeys([*a.format.split(", "), *b.format.split(", ")]))
    whole.skipped, whole.unfinished = a.skipped + b.skipped, a.unfinished + b.unfinished
    whole.remarks = list(dict.fromkeys(a.remarks + b.remarks))
    return whole


def _parts(logs: Logs) -> dict[str, Logs]:
    """The benchmarks by name, also where there is one."""
    return dict(logs.benchmarks) or {logs.tasks[0] if logs.tasks else "": logs}


def _merged(a: Logs, b: Logs) -> Logs:
    """The models of both, of one benchmark."""
    if both := [name for name in a if name in b]:
        what = f"model {shown(both[0])} is in both logs: read them in one call, which knows runs from copies"
        raise InvalidInput("conflict", "logs", what)
    if len({a.metric, b.metric} - {ANY}) > 1:
        what = f"outcomes are {shown(a.metric)} in one log, {shown(b.metric)} in the other"
        raise InvalidInput("conflict", "logs", what)
    if a.weights != b.weights:
        if not (a.levels and b.levels):
            raise InvalidInput("conflict", "logs", "the logs have other weights: read both with the same ones")
        scores = sorted({*(a.weights or [0.0, 1.0]), *(b.weights or [0.0, 1.0])})
        a, b = a.on(scores), b.on(scores)
    whole = a.having({**dict.copy(a), **dict.copy(b)})
    whole.metric, whole.seen = b.metric if a.metric == ANY else a.metric, a.seen or b.seen
    return whole


def own_scale(log: Log, weights: Sequence[float]) -> tuple[Log, list[float]]:
    """A model on the scale of its own scores, where the log does not say the ends: no other model moves these."""
    used = np.flatnonzero(log.counts.table.any(axis=0))
    if used.size < 2:
        return log, list(weights)
    lo, hi = int(used[0]), int(used[-1]) + 1
    counts = Counts(log.counts.table[:, lo:hi], log.counts.absent)
    return log._replace(counts=counts, outcomes=None), list(weights[lo:hi])


def there(logs: Mapping[str, Any], name: str) -> None:
    """The log has a model of this name."""
    if name not in logs:
        what = f"no model {shown(name)}; the log has {shown(', '.join(logs))}{nearest(name, logs)}"
        raise InvalidInput("choice", "model", what)


def shared(logs: Mapping[str, Log], names: Iterable[str] | None = None) -> dict[str, Log]:
    """The models on the questions that all of them answered, in the same order."""
    chosen = list(logs) if names is None else list(names)
    at = [_answered(_log(logs, name)) for name in chosen]
    common = [q for q in at[0] if all(q in x for x in at[1:])] if at else []
    if not common:
        raise InvalidInput("empty", "logs", "no question was answered by all of " + shown(", ".join(chosen)))
    return {name: logs[name].only([x[q] for q in common]) for name, x in zip(chosen, at, strict=True)}


def aligned(logs: Mapping[str, Log]) -> dict[str, Counts]:
    """The counts of every model on all questions of the log, in one order; without a trial where it answered none."""
    at = {q: i for i, q in enumerate(dict.fromkeys(q for log in logs.values() for q in log.questions))}
    found = {}
    for name, log in logs.items():
        rows = [at[q] for q in log.questions]
        table = np.zeros((len(at), log.counts.C + 1), np.int64)
        absent = np.zeros(len(at), np.int64)
        table[rows], absent[rows] = log.counts.table, log.counts.absent
        found[name] = Counts(table, absent)
    return found


def clusters_of(logs: Mapping[str, Log]) -> list[str] | None:
    """The cluster of every question of :func:`aligned`, in its order; None where the logs do not say it of each."""
    of: dict[str, str] = {}
    for log in logs.values():
        of |= dict(zip(log.questions, log.clusters or [], strict=False))
    every = dict.fromkeys(q for log in logs.values() for q in log.questions)
    return [of[q] for q in every] if every and all(q in of for q in every) else None


def trials_of(logs: Mapping[str, Log]) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """The trials of every model in their order, on shared questions, as many of each as all models have."""
    both = shared(logs)
    whole: dict[str, npt.NDArray[Any]] = {}
    for name, log in both.items():
        if log.outcomes is None:
            raise InvalidInput("type", "logs", f"model {shown(name)} has counts: the order of its trials is not known")
        whole[name] = log.outcomes
    N = min(x.shape[1] for x in whole.values())
    if N < 2:
        raise InvalidInput("shape", "logs", "with one trial of each question nothing can settle")
    M, everything = len(next(iter(whole.values()))), len({q for log in logs.values() for q in log.questions})
    said = [f"On the {number(M, 'question')} of {everything:,} that all models answered."] if everything > M else []
    if any((x[:, :N] < 0).any() for x in whole.values()):
        block, kept = _complete(whole)
        rows = f"{number(block[1], 'question')} of {M:,}" if block[1] < M else f"all {number(M, 'question')}"
        said.append(
            f"Trials are missing: on the first {number(block[0], 'trial')} that there are of {rows}, the most outcomes "
            "without a gap."
        )
        return kept, said
    if any(x.shape[1] > N for x in whole.values()):
        said.append(f"On the first {number(N, 'trial')} of each question, as many as all have.")
    return {name: x[:, :N] for name, x in whole.items()}, said


def _complete(whole: dict[str, npt.NDArray[Any]]) -> tuple[tuple[int, int], dict[str, npt.NDArray[Any]]]:
    """The largest block without a gap, trials by questions, and the trials of each model in it, in their order."""
    have = np.min([(x >= 0).sum(axis=1) for x in whole.values()], axis=0)
    sizes = {n: int((have >= n).sum()) for n in range(2, int(have.max(initial=0)) + 1)}
    if not any(sizes.values()):
        what = "no question has two trials of every model: count what is missing as a category"
        raise InvalidInput("shape", "logs", what)
    N = max(sizes, key=lambda n: (n * sizes[n], -n))
    rows = have >= N
    kept = {}
    for name, x in whole.items():
        first = np.argsort(x[rows] < 0, axis=1, kind="stable")[:, :N]
        kept[name] = np.take_along_axis(x[rows], first, axis=1)
    return (N, sizes[N]), kept


def _log(logs: Mapping[str, Log], name: str) -> Log:
    there(logs, name)
    return logs[name]


def _answered(log: Log) -> dict[str, int]:
    """Where each question with a trial stands."""
    return {q: i for i, (q, n) in enumerate(zip(log.questions, log.counts.trials.tolist(), strict=True)) if n}
