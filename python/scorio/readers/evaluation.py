"""Evaluations: the outcomes of several models in one or several benchmarks, the input of every analysis."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from ..display.text import among, listed, number, span
from ..errors import InvalidInput, shown
from ..inference.runs import RunEffects, is_unknown, run_test, terms
from ..outcomes.counts import Counts
from ..outcomes.identity import paired
from ..results import RunVariation
from .files import FileState
from .logs import UNNAMED_METRIC, Log, pooled_log

Scale = tuple[float, float]


@dataclass(frozen=True)
class Provenance:
    """The files that outcomes come from, and how they were read.

    Attributes
    ----------
    files : tuple of str
        The paths as the caller passed them, and the names of streams; empty for outcomes in memory.
    format : str
        The format that the outcomes were read as; several are joined by commas.
    skipped : tuple of str
        Files of a folder that are not logs of a known format.
    unfinished : tuple of str
        Notes that outcomes are missing, where the log does not state which.
    remarks : tuple of str
        Further facts that readers of the results should know.
    missing : "raise", "drop", "bounds" or int
        How missing outcomes were treated; an integer is the category or the score that they were counted as.
    missing_code : int, str or None
        The outcome that meant "missing".
    states : tuple
        State of each file when it was read, as :func:`scorio.readers.files.file_states` returns it.
    """

    files: tuple[str, ...] = ()
    format: str = ""
    skipped: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    missing: str | int = "raise"
    missing_code: int | str | None = None
    states: tuple[FileState, ...] = field(default=(), repr=False, compare=False)

    def __add__(self, other: Provenance) -> Provenance:
        def union(name: str) -> Any:
            return tuple(dict.fromkeys([*getattr(self, name), *getattr(other, name)]))

        formats = dict.fromkeys(x for p in (self, other) for x in p.format.split(", ") if x)
        names = ("files", "skipped", "unfinished", "remarks", "states")
        return replace(self, format=", ".join(formats), **{name: union(name) for name in names})


def _reduced(x: Any) -> tuple[Any, ...]:
    """The type and the fields of a dataclass, for pickling; read-only dictionaries become plain ones."""
    values = (getattr(x, f.name) for f in fields(x))
    return type(x), tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)


@dataclass(frozen=True)
class Benchmark:
    """One benchmark: the log of each model, on one scale.

    Attributes
    ----------
    name : str
        The task; "" where the log does not name it.
    logs : mapping of str to Log
        The log of each model by its name, in the order in which models first appear.
    metric : str
        The name of the outcomes: a scorer, a metric, or "outcome" for a table.
    w : tuple of float, or None
        Score of each category 0..C; None for the outcomes 0 and 1.
    levels : bool
        Whether outcomes are scores, each distinct score being a category, rather than categories 0..C.
    seen : bool
        Whether outcomes are scores (levels) and the ends of their scale were not stated. The ends are then 0 and 1 if
        all scores are within them, else the lowest and the highest score that occur in any model (and 0, if only one
        score occurs); a score that missing outcomes are counted as is among them.
    bounds : bool
        Whether missing outcomes are bounded, from the lowest score to the highest, rather than left out.
    origin : Benchmark or None
        The benchmark with all models and questions of the log, of which this is a part: its runs are pooled.
    unfinished, remarks : tuple of str
        As in :class:`Provenance`, about this benchmark alone; reading a log leaves them empty.
    """

    name: str
    logs: Mapping[str, Log]
    metric: str = UNNAMED_METRIC
    w: tuple[float, ...] | None = None
    levels: bool = False
    seen: bool = False
    unfinished: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    bounds: bool = False
    origin: Benchmark | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "logs", MappingProxyType(dict(self.logs)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the fields, as :class:`EvaluationData` does."""
        return _reduced(self)

    @cached_property
    def measured(self) -> dict[Any, Any]:
        """Cache of the models' metrics with their variances, so that no analysis measures one twice."""
        return {}

    @cached_property
    def run_variation(self) -> RunVariation | None:
        """How much more the runs of all models of the log differ than chance explains; None where it has no runs.

        ``run`` is the name of the run, not its index.
        """
        if self.origin is not None:
            return self.origin.run_variation
        runs = {m: log.runs for m, log in self.logs.items() if log.runs is not None}
        try:
            x = run_test(list(runs.values()), self.scores, "logs") if runs else None
        except InvalidInput:  # one run, or one question, of every model
            return None
        if x is None:
            return None
        model = list(runs)[x.model]
        return x._replace(model=model, run=runs[model].names[x.run])

    @cached_property
    def run_effects(self) -> RunEffects:
        """The runs of all models of the log."""
        each = {m: (log.runs, x) for m, log in self.logs.items() if log.runs and (x := terms(log.runs, self.scores))}
        named = {m: x._replace(runs=[runs.names[r] for r in x.runs]) for m, (runs, x) in each.items()}
        return RunEffects(named, list(self.logs), shared=False)

    def sampled_runs(self, runs: str, models: Iterable[str] | None = None) -> Any:
        """The argument `runs` of functions on the counts of these models: "fixed", or how their runs differ."""
        if runs == "fixed":
            return "fixed"
        x, where = self.run_variation, f" of {shown(self.name)}" if self.name else ""
        if x is None and all(log.counts.trials.max(initial=0) <= 1 for log in self.logs.values()):
            what = f"each model has one run{where}, which says nothing about other runs"
            raise InvalidInput("conflict", "runs", what, "tasks" if self.name else None)
        if x is None:
            what = f"the trials{where} have no ids that are common to questions, by which runs could be told apart"
            raise InvalidInput("conflict", "runs", what, "runs_by")
        if is_unknown(x):
            what = f"no question{where} has different outcomes in two runs, so that their differences are not known"
            raise InvalidInput("conflict", "runs", what)
        effects = (self.origin or self).run_effects
        names = [set(terms.runs) for terms in effects.each.values()]
        if runs == "shared" and len(names) > 1 and sum(map(len, names)) == len(set.union(*names)):
            what = f"no run{where} has the same name in two models, so that none is shared: sampled is for runs of each"
            raise InvalidInput("conflict", "runs", what)
        return effects.of(list(self.logs if models is None else models), runs == "shared")

    @property
    def scores(self) -> tuple[float, ...]:
        """Score of each category 0..C."""
        return self.w or (0.0, 1.0)

    @property
    def scale(self) -> Scale:
        """The lowest and the highest score."""
        return min(self.scores), max(self.scores)

    def log(self, model: str) -> Log:
        """The log of a model; the error for an unknown model names the known ones."""
        if model not in self.logs:
            where = f" in {shown(self.name)}" if self.name else ""
            what = f"no model {shown(model)}{where}; the log has {among(model, self.logs)}"
            raise InvalidInput("choice", "model", what)
        return self.logs[model]

    def counts(self, models: Iterable[str] | None = None) -> dict[str, Counts]:
        """The counts of each model, with the ids of its questions and their clusters."""
        return {m: self.log(m).counts for m in (self.logs if models is None else models)}

    def answered(self, model: str) -> Log:
        """The log of a model, without the questions that have no trial."""
        log = self.log(model)
        if not log.counts.trials.any():
            raise InvalidInput("no_trials", "logs", f"model {shown(model)} has no trial")
        return log.only(np.flatnonzero(log.counts.trials).tolist()) if log.counts.empty else log

    def select(self, models: Iterable[str]) -> Benchmark:
        """The benchmark with these models, in this order."""
        return replace(self, logs={m: self.log(m) for m in models}, origin=self.origin or self)

    def filled(self, best: Collection[str] | None) -> Benchmark:
        """The benchmark with missing outcomes counted as the highest or the lowest score.

        best : models whose missing outcomes get the highest score, while those of other models get the lowest; if None,
            missing outcomes are left out instead.
        """
        if best is None:
            return replace(self, bounds=False)
        logs = {}
        for m, log in self.logs.items():
            ends = log.with_missing().padded(len(self.scores) - 1).completions(self.scores)
            logs[m] = log._replace(counts=ends[m in best], outcomes=None, lacking=None)
        return replace(self, logs=logs, bounds=False)

    # --- models on the same questions -----------------------------------------------------------------

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of the questions of all models, in the order in which they first appear."""
        return tuple(dict.fromkeys(q for log in self.logs.values() for q in log.ids))

    def shared(self, models: Iterable[str] | None = None) -> Benchmark:
        """The benchmark with the questions that all models tried, in the order of the first model.

        With ``bounds``, a missing trial counts as one that was tried.
        """
        part = self if models is None else self.select(models)
        rows = [part.tried(m) for m in part.logs]
        common = [q for q in rows[0] if all(q in x for x in rows[1:])] if rows else []
        if not common:
            raise InvalidInput("empty", "logs", "no question was answered by all of " + shown(", ".join(part.logs)))
        logs_with_rows = zip(part.logs.items(), rows, strict=True)
        logs = {m: log.only([row_of[q] for q in common]) for (m, log), row_of in logs_with_rows}
        return replace(part, logs=logs, origin=self.origin or self)

    def tried(self, model: str) -> dict[str, int]:
        """The index of each question that a model tried, by its id; with ``bounds``, also of those it lacks."""
        log = self.log(model)
        trials = log.counts.trials + log.with_missing().absent if self.bounds else log.counts.trials
        return {q: i for i, (q, n) in enumerate(zip(log.ids, trials.tolist(), strict=True)) if n}

    def completed(self, missing: str | int) -> Benchmark:
        """The benchmark with every question of any model in the log of each, its trials missing where it has none.

        missing : as in :class:`Provenance`; unchanged where missing outcomes are neither counted nor bounded.
        """
        if missing in ("raise", "drop") or all(len(log.ids) == len(self.ids) for log in self.logs.values()):
            return self
        fill = -1 if isinstance(missing, str) else self.scores.index(float(missing)) if self.levels else missing
        cluster_of = {q: x for log in self.logs.values() for q, x in zip(log.ids, log.clusters or (), strict=False)}
        logs = {}
        for m, log in self.logs.items():
            present = set(log.ids)
            absent = [q for q in self.ids if q not in present]
            clusters = [cluster_of[q] for q in absent] if all(q in cluster_of for q in absent) else None
            logs[m] = log.completed(absent, clusters, fill) if absent else log
        return replace(self, logs=logs)

    def aligned(self, models: Iterable[str] | None = None) -> dict[str, Counts]:
        """Counts of each model, with a row for every question of any model; the row of a question it lacks is empty."""
        names = list(self.logs if models is None else models)
        counts = [self.log(m).counts.padded(1) for m in names]
        aligned = paired(counts, ["logs"] * len(names), lambda i: f"model {shown(names[i])}", "drop", True)
        return dict(zip(names, aligned, strict=True))

    def rescaled(self, scores: tuple[float, ...]) -> Benchmark:
        """The benchmark with one category for each of these scores, which include all its scores."""
        if scores == self.scores:
            return self
        category = {x: j for j, x in reversed(list(enumerate(scores)))}
        categories = [category[x] for x in self.scores]
        logs = {m: log.recoded(categories, len(scores) - 1) for m, log in self.logs.items()}
        return replace(self, logs=logs, w=None if scores == (0.0, 1.0) else scores)

    def __add__(self, other: Benchmark) -> Benchmark:
        """The benchmark with the models of both."""
        if common := [m for m in self.logs if m in other.logs]:
            advice = "read them in one call, which distinguishes runs from copies"
            what = f"model {shown(common[0])} is in both logs: {advice}"
            raise InvalidInput("conflict", "logs", what)
        if len({self.metric, other.metric} - {UNNAMED_METRIC}) > 1:
            what = f"outcomes are {shown(self.metric)} in one log, {shown(other.metric)} in the other"
            raise InvalidInput("conflict", "logs", what)
        if self.scores != other.scores and not (self.levels and other.levels):
            raise InvalidInput(
                "conflict", "logs", "the logs have different scores for the categories: read both with the same w"
            )
        scores = tuple(sorted({*self.scores, *other.scores})) if self.scores != other.scores else self.scores
        a, b = self.rescaled(scores), other.rescaled(scores)
        return replace(
            a, logs={**a.logs, **b.logs}, metric=b.metric if a.metric == UNNAMED_METRIC else a.metric,
            seen=a.seen or b.seen, bounds=a.bounds or b.bounds, origin=None, unfinished=a.unfinished + b.unfinished,
            remarks=tuple(dict.fromkeys(a.remarks + b.remarks)),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class EvaluationData:
    """The outcomes of models by benchmark. Immutable.

    Attributes
    ----------
    benchmarks : mapping of str to Benchmark
        The benchmarks by name, in the order in which they first appear.
    provenance : Provenance
        The files that the outcomes come from, and how they were read.
    others : frozenset of str
        Models that :meth:`select` left out.
    """

    benchmarks: Mapping[str, Benchmark]
    provenance: Provenance = field(default_factory=Provenance)
    others: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "benchmarks", MappingProxyType(dict(self.benchmarks)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the fields: a read-only view of a mapping is neither pickled nor copied."""
        return _reduced(self)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models, in the order in which they first appear."""
        return tuple(dict.fromkeys(m for part in self.benchmarks.values() for m in part.logs))

    @property
    def name(self) -> str:
        """The title of the evaluation in a report."""
        files = self.provenance.files
        return "outcomes" if not files else files[0] + (f" and {len(files) - 1} more" if len(files) > 1 else "")

    @property
    def bounds(self) -> bool:
        """Whether missing outcomes of any benchmark are bounded, rather than left out."""
        return any(part.bounds for part in self.benchmarks.values())

    def alone(self) -> Self:
        """The evaluation without the other models and questions of its log, whose runs would be pooled with these."""
        return replace(self, benchmarks={name: replace(part, origin=None) for name, part in self.benchmarks.items()})

    def filled(self, best: Collection[str] | None) -> Self:
        """The evaluation with missing outcomes counted as the highest or the lowest score.

        best : models whose missing outcomes get the highest score, while those of other models get the lowest; if None,
            missing outcomes are left out instead.
        """
        return replace(self, benchmarks={name: part.filled(best) for name, part in self.benchmarks.items()})

    def completed(self) -> Self:
        """The evaluation with the questions that a model lacks counted or bounded as its other missing outcomes are."""
        missing = self.provenance.missing
        return replace(self, benchmarks={name: part.completed(missing) for name, part in self.benchmarks.items()})

    def bounded(self) -> Self:
        """The evaluation with missing outcomes bounded; refused if scores other than 0 and 1 have no stated scale."""
        for name, part in self.benchmarks.items():
            if part.seen and part.w is not None:
                where = f" of {shown(name)}" if name else ""
                what = f'missing="bounds" needs the lowest and the highest score{where} that can occur'
                raise InvalidInput("conflict", "missing", what, f"scale:{part.w[0]:.10g},{part.w[-1]:.10g}")
        parts = {name: part.completed("bounds") for name, part in self.benchmarks.items()}
        parts = {name: replace(x, bounds=any(log.missing for log in x.logs.values())) for name, x in parts.items()}
        return replace(self, benchmarks=parts, provenance=replace(self.provenance, missing="bounds"))

    # --- selection -------------------------------------------------------------------------------------

    def benchmark(self, name: str | None = None) -> Benchmark:
        """A benchmark by name; without a name, the only benchmark."""
        if name is None:
            if len(self.benchmarks) > 1:
                what = f"there are {len(self.benchmarks)} benchmarks, {listed(list(self.benchmarks))}"
                raise InvalidInput("conflict", "task", what, "task")
            return next(iter(self.benchmarks.values()))
        if name not in self.benchmarks:
            what = f"no benchmark {shown(name)}; there are {among(name, self.benchmarks)}"
            raise InvalidInput("choice", "task", what)
        return self.benchmarks[name]

    def check_model(self, model: str) -> str:
        """The name of the model; the error for an unknown model names the known ones."""
        if model not in self.models:
            what = f"no model {shown(model)}; the log has {among(model, self.models)}"
            raise InvalidInput("choice", "model", what)
        return model

    def select(self, models: str | Iterable[str] | None = None, benchmarks: str | Iterable[str] | None = None) -> Self:
        """The evaluation with these models or benchmarks, in this order; benchmarks without a model are left out."""
        names = list(self.benchmarks) if benchmarks is None else _texts(benchmarks)
        parts = {name: self.benchmark(name) for name in names}
        if models is not None:
            chosen = [self.check_model(m) for m in _texts(models)]
            parts = {name: part.select(m for m in chosen if m in part.logs) for name, part in parts.items()}
            parts = {name: part for name, part in parts.items() if part.logs}
        if not parts:
            raise InvalidInput("empty", "models", "no model of these benchmarks is selected")
        included = {model for part in parts.values() for model in part.logs}
        return replace(self, benchmarks=parts, others=self.others | {*self.models} - included)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The evaluation with other names for some models."""
        for old, new in names.items():
            self.check_model(old)
            if not isinstance(new, str) or not new:
                raise InvalidInput("type", "names", f"the new name of {shown(old)} is {shown(new)}, not a text")
        new_names = [names.get(m, m) for m in self.models]
        if repeated := [m for m in new_names if new_names.count(m) > 1]:
            raise InvalidInput("duplicate", "names", f"two models would be named {shown(repeated[0])}")
        parts = {
            name: replace(part, logs={names.get(m, m): log for m, log in part.logs.items()})
            for name, part in self.benchmarks.items()
        }
        return replace(self, benchmarks=parts)

    def __getitem__(self, which: str | tuple[str, str]) -> Counts:
        """The counts of a model over all benchmarks, or in one of them: e["model", "benchmark"]."""
        model, part = which if isinstance(which, tuple) else (which, None)
        self.check_model(model)
        return self.log(model, part).counts

    def log(self, model: str, benchmark: str | None = None) -> Log:
        """The log of a model (questions, counts, trials, answers) over all benchmarks, or in one of them."""
        part = self.pooled() if benchmark is None else self.benchmark(benchmark)
        return part.log(model)

    def counts(self, benchmark: str | None = None) -> dict[str, Counts]:
        """Counts of every model by name, for :func:`scorio.rank.ranges` and other functions that pair questions."""
        return (self.pooled() if benchmark is None else self.benchmark(benchmark)).counts()

    def aligned(self, benchmark: str | None = None) -> dict[str, Counts]:
        """Counts of every model with the same question in each row, as functions that compare models take them."""
        return (self.pooled() if benchmark is None else self.benchmark(benchmark)).aligned()

    def by_benchmark(self) -> dict[str, dict[str, Counts]]:
        """Counts by benchmark and model, with the same categories in each, as :func:`scorio.sinf.suite` takes them."""
        return {name: part.counts() for name, part in self.on_one_scale().benchmarks.items()}

    def __contains__(self, model: object) -> bool:
        return model in self.models

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    # --- scales ---------------------------------------------------------------------------------------

    @property
    def scales(self) -> dict[str, Scale]:
        """The lowest and the highest score of each benchmark."""
        return {name: part.scale for name, part in self.benchmarks.items()}

    @property
    def comparable(self) -> bool:
        """Whether all benchmarks have the same lowest and highest score, so that a mean over them is meaningful."""
        return len(set(self.scales.values())) == 1

    def on_one_scale(self) -> Self:
        """The evaluation with the same categories in every benchmark.

        Raises where the lowest or highest scores differ, or the scores that the caller stated for the categories (w).
        """
        if not self.comparable:
            what = f"the benchmarks are on different scales, {scales_in_words(self.scales)}"
            raise InvalidInput("conflict", "task", what, "task")
        stated = {part.w for part in self.benchmarks.values() if not part.levels}
        if len(stated) > 1:
            raise InvalidInput(
                "conflict", "w", "the benchmarks have different scores for the categories: read all with the same w"
            )
        if len({part.scores for part in self.benchmarks.values()}) == 1:
            return self
        scores = tuple(sorted({x for part in self.benchmarks.values() for x in part.scores}))
        return replace(self, benchmarks={name: part.rescaled(scores) for name, part in self.benchmarks.items()})

    @property
    def w(self) -> tuple[float, ...] | None:
        """Score of each category of all benchmarks on one scale; None for the outcomes 0 and 1."""
        return next(iter(self.on_one_scale().benchmarks.values())).w

    @property
    def lacks_outcomes(self) -> bool:
        """Whether any outcome is missing, however it was treated."""
        logs = [log for part in self.benchmarks.values() for log in part.logs.values()]
        return any(log.lacking is not None and bool(log.lacking.any()) for log in logs)

    def pooled(self) -> Benchmark:
        """All questions as one benchmark, each named task/question where there are several benchmarks."""
        if len(self.benchmarks) == 1:
            return self.benchmark()
        parts = self.on_one_scale().benchmarks
        first = next(iter(parts.values()))
        logs = {m: pooled_log(m, {name: x.logs[m] for name, x in parts.items() if m in x.logs}) for m in self.models}
        metric = " / ".join(dict.fromkeys(part.metric for part in parts.values()))
        seen, bounds = (any(getattr(x, name) for x in parts.values()) for name in ("seen", "bounds"))
        return replace(first, name="", logs=logs, metric=metric, seen=seen, bounds=bounds)

    def __add__(self, other: EvaluationData) -> Self:
        """The evaluation with further models of its benchmarks, or with further benchmarks."""
        if not isinstance(other, EvaluationData):
            return NotImplemented
        policies = [x.provenance.missing for x in (self, other) if x.lacks_outcomes]
        if len(set(map(str, policies))) > 1:
            what = f"the missing outcomes of one log were treated as {policies[0]!r}, of the other as {policies[1]!r}"
            raise InvalidInput("conflict", "missing", f"{what}: read both with the same missing")
        parts = dict(self.benchmarks)
        for name, new in other.benchmarks.items():
            parts[name] = parts[name] + new if name in parts else new
        provenance = self.provenance + other.provenance
        if policies:  # of a complete log, the policy says nothing
            provenance = replace(provenance, missing=policies[0])
        joined = replace(self, benchmarks=parts, provenance=provenance)
        return joined.bounded() if provenance.missing == "bounds" else joined.completed()

    # --- representation --------------------------------------------------------------------------

    def __repr__(self) -> str:
        """Two lines: the numbers of models and benchmarks; the size and the metric of up to four benchmarks."""
        kind, models = type(self).__name__, number(len(self.models), "model")
        first = f"{kind} of {models} ({listed(self.models)}) in {number(len(self.benchmarks), 'benchmark')}"
        parts = [
            f"{name or 'outcomes'}: {size_in_words(part)}, {part.metric}" for name, part in self.benchmarks.items()
        ]
        more = [f"and {len(parts) - 4} more"] if len(parts) > 4 else []
        return f"{first}\n{'; '.join([*parts[:4], *more])}"


def _texts(x: str | Iterable[str]) -> list[str]:
    return [x] if isinstance(x, str) else list(x)


def size_in_words(part: Benchmark) -> str:
    """The numbers of questions and of trials per question as text, each from the lowest to the highest."""
    trials = np.concatenate([log.counts.trials for log in part.logs.values()])
    trials = trials[trials > 0]
    questions = [int((log.counts.trials > 0).sum()) for log in part.logs.values()]
    sizes = span(int(trials.min()), int(trials.max())) if trials.size else "0"
    parts = ((span(min(questions), max(questions)), "question"), (sizes, "trial"))
    return ", ".join(f"{size} {noun}{'' if size == '1' else 's'}" for size, noun in parts)


def scales_in_words(scales: Mapping[str, Scale]) -> str:
    """The name of each benchmark and the ends of its scale."""
    return ", ".join(f"{name or '(no name)'} {low:.10g} to {high:.10g}" for name, (low, high) in scales.items())
