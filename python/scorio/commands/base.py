"""Results of commands: frozen data with all forms in which they can be shown, and what they are about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from ..analysis.measure import all_single, answered_ids, refuse_bounds
from ..analysis.runs import differing_runs, named_alike, of_some_models, varying_questions
from ..errors import InvalidInput
from ..items.cost_per_solved import CostPerSolved
from ..page import text
from ..page.document import Document
from ..readers.evaluation import EvaluationData, Scale
from ..results import Estimate, MetricInterval, RunVariation

IN_RUNS = {"sampled": ", runs", "shared": ", shared runs"}  # in headings of columns
# "outputs" is the target of intervals from verdicts of a judge that are about exactly the judged outputs; "" stands for
# no intervals
TargetOrNone: TypeAlias = Literal["fixed", "sampled", "outputs", ""]
SEPARATE_FIELDS = ("about", "table")  # fields of a result that to_dict converts separately


@dataclass(frozen=True)
class Gaps:
    """Missing outcomes of a log, and remarks about its files and scales that a reader must know.

    Attributes
    ----------
    skipped, unfinished, remarks : tuple of str
        As in :class:`scorio.readers.evaluation.Provenance`; unfinished and remarks include those of single benchmarks.
    absent, planned : int; number of missing outcomes, and of all outcomes that there would be if none were missing
    empty : int, number of questions without a trial, summed over models and benchmarks
    seen : mapping of str to (float, float)
        The ends of the scale of each benchmark with scores whose scale was not stated, unless they are 0 and 1.
    n_questions, shared : int
        Number of questions that any model of their benchmark answered, and number that all of these models answered,
        summed over benchmarks.
    clustered : bool, whether the log names clusters of questions
    unshared : mapping of str to int
        Where two models are compared: number of questions that only this one of them answered, if there are any.
    all_single : bool, whether no question has more than one trial of a model
    repeated : mapping of str to (int, int)
        Models whose trials are probably one answer repeated, with their benchmark where there are several: questions
        whose trials differ, and questions with two trials or more; see :func:`scorio.analysis.runs.varying_questions`.
    runs : mapping of str to RunVariation; benchmarks whose runs differ more than chance explains
    """

    skipped: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    absent: int = 0
    planned: int = 0
    empty: int = 0
    seen: Mapping[str, Scale] = field(default_factory=dict)
    n_questions: int = 0
    shared: int = 0
    clustered: bool = False
    unshared: Mapping[str, int] = field(default_factory=dict)
    all_single: bool = False
    repeated: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    runs: Mapping[str, RunVariation] = field(default_factory=dict)


@dataclass(frozen=True)
class About:
    """The evaluation that a result is about, with the target and the confidence of its intervals."""

    file: str  # title: the name of the file or files, or what was given instead, such as "outcomes"
    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    questions: TargetOrNone
    confidence: float  # 0 where there is no interval
    w: tuple[float, ...] | None  # scores of the categories; those of the first benchmark where scales differ
    missing: str | int  # how missing outcomes were treated, as in Provenance
    missing_code: int | str | None  # the outcome that meant "missing"
    gaps: Gaps
    runs: str = ""  # "fixed", "sampled" or "shared"; "" where there is no interval, or it is about these runs only

    @property
    def target(self) -> str:
        """The target of intervals, as headings of columns state it."""
        return self.questions + IN_RUNS.get(self.runs, "")

    @property
    def several(self) -> bool:
        """Whether there are several benchmarks."""
        return len(self.benchmarks) > 1


class Pair(NamedTuple):
    """Two models that are compared: their evaluation, and the number of questions that only one of them answered."""

    whole: EvaluationData
    unshared: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Result:
    """Result of an analysis; most commands print it as text, and notebooks show it as a table."""

    about: About
    schema: ClassVar[str] = ""  # name and version of the --json form
    exit_code: ClassVar[int] = 0  # of the command that prints the result
    computed: ClassVar[tuple[str, ...]] = ()  # properties that the --json form has too

    @property
    def unshared_questions(self) -> Mapping[str, int]:
        """Where two models are compared: number of questions that only this one of them answered, if there are any."""
        return self.about.gaps.unshared

    def document(self) -> Document:
        """Document of the result: what is shown of it in text, HTML, Markdown and LaTeX."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from ..page import html  # late, as other forms that a command rarely needs

        return html.document(self.document())

    def to_text(self, width: int = 80, *, explain: bool = False) -> str:
        """Result as text for a terminal of ``width`` columns; explain adds the meaning of columns and intervals."""
        return text.page(self.document(), width, explain)

    def to_markdown(self) -> str:
        """Result as Markdown."""
        from ..page import markdown

        return markdown.page(self.document())

    def to_latex(self) -> str:
        """Result as LaTeX, with tables as tabular."""
        from ..page import markdown

        return markdown.latex(self.document())

    def plot(self, ax: Any = None) -> Any:
        """Draw this result on the given Axes, or on new ones; results of some analyses have no plot."""
        raise InvalidInput("type", "result", f"there is no plot of a {type(self).__name__}")

    def rows(self) -> Sequence[Any]:
        """Rows of the main table: dataclasses, named tuples or mappings."""
        return getattr(self, "table", ())

    def records(self) -> list[dict[str, Any]]:
        """Rows as flat mappings of names to plain values."""
        return [flat(x) for x in self.rows()]

    def to_dict(self) -> dict[str, Any]:
        """JSON form of the result, which most commands print with --json: plain values, all digits."""
        from ..version import __version__

        about = {name: x for name, x in plain(self.about).items() if name != "gaps"}
        about = {name: x for name, x in about.items() if x or name not in ("questions", "confidence", "runs")}
        page = self.document()
        others = other_fields(self, SEPARATE_FIELDS, self.computed)
        head = {"schema": self.schema, "version": __version__} | about | others
        return head | {"rows": self.records(), "sentences": list(page.sentences), "notes": list(page.every_note)}

    def to_csv(self, *, keep_formulas: bool = False) -> str:
        """The rows as CSV, all digits; an apostrophe is put before text that a spreadsheet would run as a formula."""
        from ..page import csv

        return csv.table(self.records(), keep_formulas)

    def to_frame(self) -> Any:
        """The rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.records())


def about_of(
    e: EvaluationData, questions: TargetOrNone = "", confidence: float = 0.0, bounds: bool = False,
    pair: Pair | None = None, runs: str = "",
) -> About:  # fmt: skip
    """Description of an evaluation for a result; refuses bounded missing outcomes unless ``bounds`` is true.

    pair : of a comparison, whose evaluation has only the questions that both models answered: what they lack.
    """
    if not bounds:
        refuse_bounds(e)
    first = next(iter((e.on_one_scale() if e.comparable else e).benchmarks.values()))
    provenance, gaps = e.provenance, gaps_of(pair.whole if pair else e, pair.unshared if pair else {})
    if runs in ("sampled", "shared"):
        gaps = replace(gaps, remarks=(*gaps.remarks, *(named_alike(e) if runs == "sampled" else of_some_models(e))))
    return About(
        e.name, e.models, tuple(e.benchmarks), questions, confidence, first.w, provenance.missing,
        provenance.missing_code, gaps, runs,
    )  # fmt: skip


def about_file(file: str, models: Sequence[str], confidence: float = 0.0, missing: str | int = "raise") -> About:
    """Description of a file for a result that is not made from an evaluation."""
    return About(file, tuple(models), (), "", confidence, None, missing, None, Gaps())


def gaps_of(e: EvaluationData, unshared: Mapping[str, int]) -> Gaps:
    """Gaps of an evaluation: missing outcomes, unfinished files and scales that were not stated."""
    parts, provenance = e.benchmarks, e.provenance
    logs = [log for part in parts.values() for log in part.logs.values()]
    absent = sum(log.missing for log in logs)
    present = sum(int(log.counts.trials.sum()) for log in logs)
    answered = [(name, [answered_ids(log) for log in part.logs.values()]) for name, part in parts.items()]

    def merged(name: str) -> tuple[str, ...]:
        in_benchmarks = (x for part in parts.values() for x in getattr(part, name))
        return tuple(dict.fromkeys([*getattr(provenance, name), *in_benchmarks]))

    same_answers = {  # models whose trials are probably one answer repeated
        model + (f" in {name}" if len(e.benchmarks) > 1 else ""): varying
        for name, part in e.benchmarks.items()
        for model, log in part.logs.items()
        if (varying := varying_questions(log.counts, part.w))
    }
    return Gaps(
        provenance.skipped, merged("unfinished"), (*merged("remarks"), *_array_remarks(e)), absent,
        present + (absent if isinstance(provenance.missing, str) else 0), sum(len(log.counts.empty) for log in logs),
        {name: part.scale for name, part in parts.items() if part.seen and part.w and part.scale != (0.0, 1.0)},
        sum(len(set().union(*ids)) for _, ids in answered), sum(len(set.intersection(*ids)) for _, ids in answered),
        any(log.clusters for log in logs), unshared, all_single(e), same_answers, differing_runs(e),
    )  # fmt: skip


def _array_remarks(e: EvaluationData) -> list[str]:
    """Remarks about arrays with far more trials than questions, whose rows may be trials."""
    if e.provenance.format != "array":
        return []
    counts = (log.counts for part in e.benchmarks.values() for log in part.logs.values())
    sizes = {(x.M, int(x.trials.max())) for x in counts}
    return [
        f"{M:,} questions with {N:,} trials each: the rows of an array are questions. If they are trials, read R.T."
        for M, N in sorted(sizes) if 4 * M < N
    ]  # fmt: skip


# keys in the metadata of dataclass fields
PRIMARY = "primary"  # the main interval of a row, whose ends are lo and hi in records; states the name of its estimate
OPTIONAL = "optional"  # a field that is left out of records where it is None
HIDDEN = "hidden"  # a field of a result that is left out of to_dict
KEY = "key"  # states the name of a field of a result in to_dict, where that is another one


def plain(x: Any) -> Any:
    """Plain form of a value: mappings for dataclasses and named tuples, lists for sequences, numbers of Python."""
    if isinstance(x, MetricInterval):
        return interval_parts(x, "mu", "")
    if is_dataclass(x) and not isinstance(x, type):
        return {f.name: plain(getattr(x, f.name)) for f in fields(x)}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return {name: plain(y) for name, y in zip(x._fields, x, strict=True)}
    if isinstance(x, Mapping):
        return {str(name): plain(y) for name, y in x.items()}
    if isinstance(x, (list, tuple, set, range, np.ndarray)):
        return [plain(y) for y in x]
    return x.item() if isinstance(x, np.generic) else x


def other_fields(x: Any, left_out: Collection[str], computed: Iterable[str]) -> dict[str, Any]:
    """Fields of a result that are not in ``left_out``, and its ``computed`` properties, as plain values.

    Dataclasses in a tuple become flat mappings, like rows.
    """
    visible = [f for f in fields(x) if f.name not in left_out and HIDDEN not in f.metadata]
    values = {f.metadata.get(KEY, f.name): getattr(x, f.name) for f in visible}
    values |= {name: getattr(x, name) for name in computed}
    return {name: _rows(y) if isinstance(y, tuple) else plain(y) for name, y in values.items()}


def _rows(x: Any) -> Any:
    return [flat(y) if is_dataclass(y) else plain(y) for y in x] if not hasattr(x, "_fields") else plain(x)


def flat(row: Any) -> dict[str, Any]:
    """Flat mapping of a row: an interval becomes several entries, such as its value and its ends."""
    if isinstance(row, Mapping):
        return {str(name): plain(x) for name, x in row.items()}
    if isinstance(row, MetricInterval) or not is_dataclass(row):
        return dict(plain(row))
    out: dict[str, Any] = {}
    for f in fields(row):
        x = getattr(row, f.name)
        if x is None and f.metadata.get(OPTIONAL):
            continue
        if isinstance(x, MetricInterval):
            out |= interval_parts(x, f.metadata.get(PRIMARY, f.name), "" if PRIMARY in f.metadata else f"{f.name}_")
        elif isinstance(x, CostPerSolved):
            out |= {f.name: x.value, f"{f.name}_lo": x.lo, f"{f.name}_hi": x.hi, "cost_per_trial": x.cost}
        elif isinstance(x, Estimate):
            out |= {f"{f.name}_mu": x.mu, f"{f.name}_sigma": x.sigma}
        elif isinstance(x, Mapping):
            for name, y in x.items():
                out |= interval_parts(y, name, f"{name}_") if isinstance(y, MetricInterval) else {name: plain(y)}
        else:
            out[f.name] = plain(x)
    return out


def interval_parts(x: MetricInterval, name: str, prefix: str) -> dict[str, Any]:
    """Parts of an interval as a mapping: the estimate under ``name``, the others with the prefix.

    With a prefix, sigma, questions and n_eff are left out. Where missing outcomes are bounded, lowest and highest are
    the ends of the estimate over all their values.
    """
    bounds = zip(("lowest", "highest"), x.bounds or (), strict=False)
    ends: dict[str, Any] = {f"{prefix}{end}": y for end, y in bounds}
    ends |= {name: x.mu, f"{prefix}lo": x.lo, f"{prefix}hi": x.hi, f"{prefix}variance_source": x.variance_source}
    if prefix:
        return ends
    return ends | {"sigma": x.sigma, "questions": x.questions, "n_eff": x.n_eff}
