"""Types of results, the named tuples that functions return; types of arguments that are one of a few texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, get_args

from .display.text import width

# names and aliases of metrics; "pass@4" for "pass@k" with k = 4 is accepted too, but no type can list all numbers
MetricName: TypeAlias = Literal[
    "mean", "avg", "pass_at_k", "pass@k", "pass_hat_k", "pass^k", "maj_at_k", "maj@k", "mg_pass_at_k", "mg-pass@k",
    "auc_at_k", "auc@k", "g_pass_at_k_tau", "g-pass@k", "max_at_k", "max@k", "flip_rate", "flip-rate",
    "plurality_at_k", "plurality@k", "strict_plurality_at_k", "strict-plurality@k", "best_of_k", "best-of-k",
    "bayes", "naive_pass_hat_k",
]  # fmt: skip
RateModel: TypeAlias = Literal["mixture"] | None  # what estimates the variance of questions with fewer than 2k trials
Correction: TypeAlias = Literal["holm"] | None
Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
Rule: TypeAlias = Literal["mean", "each"]
Shape: TypeAlias = Literal["wilson", "beta"]
Scheme: TypeAlias = Literal["original", "columns", "rows"]
Resampling: TypeAlias = Literal["columns", "rows"]
JudgeTarget: TypeAlias = Literal["fixed", "sampled", "outputs"]
LabelDesign: TypeAlias = Literal["random", "balanced", "neyman"]
Separation: TypeAlias = Literal["zscore", "ci_overlap"]
VoteTies: TypeAlias = Literal["even", "none"]
Convention: TypeAlias = Literal["competition", "competition_max", "dense", "average"]
WholeRanks: TypeAlias = Literal["competition", "competition_max", "dense"]  # conventions under which ranks are integers
ScoreTies: TypeAlias = Literal["zscore_adjacent", "ci_overlap_adjacent"]
EloTies: TypeAlias = Literal["correct_draw_only", "draw", "skip"]
BattleTies: TypeAlias = Literal["half", "davidson", "rao_kupper"]
BothBad: TypeAlias = Literal["tie", "drop"]
BattleClusters: TypeAlias = Literal["question", "voter", "both"]


C = TypeVar("C", bound=type)
Target: TypeAlias = Literal["fixed", "sampled"]  # on these questions, or on similar ones
RunTarget: TypeAlias = Literal["fixed", "sampled", "shared"]  # in these runs, or in similar ones; shared by all models
VarianceSource: TypeAlias = Literal["measured", "modelled", "probit", "upper bound"]  # the most reliable source first
Decision: TypeAlias = Literal["pass", "fail", "inconclusive"]
MOST_ROWS = 60  # rows of a list that are printed


def shown_as_table(cls: C) -> C:
    """Make a named tuple show as a table in notebooks; ."""
    cls._repr_html_ = lambda self: _html().table_of_tuple(self)  # type: ignore[attr-defined]
    return cls


def _html() -> Any:
    """Writer of HTML, imported on first use, so that ``import scorio.results`` is quick."""
    from .page import html

    return html


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An HTML table of rows of values under headers."""
    return str(_html().table_of_rows(headers, rows))


def least_reliable(sources: Iterable[VarianceSource]) -> VarianceSource:
    """The least reliable of several variance sources: that of a result which depends on all of them."""
    return max(sources, key=get_args(VarianceSource).index)


D = TypeVar("D", bound=Any)


def bounded_difference(observed: D, low: D, high: D) -> D:
    """A difference without the missing outcomes, with limits that are valid whatever the missing outcomes are.

    low and high are the differences if all missing outcomes favour B, and if all favour A. If both are above 0 or both
    below, the decision is that of the one nearer to 0; otherwise the difference is not significant.
    """
    undecided = {"p_value": 1.0, "df": observed.df, "p_above": 0.5, "significant": False}
    nearer = low if low.mu > 0.0 else high if high.mu < 0.0 else None
    decision = {name: getattr(nearer, name) for name in undecided} if nearer is not None else undecided
    source = least_reliable(x.variance_source for x in (observed, low, high))
    return observed._replace(lo=low.lo, hi=high.hi, variance_source=source, **decision)


class Shown(Protocol):
    """A row of a :class:`Listing`."""

    def shown(self) -> dict[str, str]:
        """The text of each cell, by its header."""


T = TypeVar("T", bound=Shown)


class Listing(list[T]):
    """A list that prints as a table, in a terminal and in a notebook.

    Examples
    --------
    >>> from scorio import sinf
    >>> sinf.compare_all({"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9}, questions="fixed")
    a  b  difference        interval  p adjusted  significant
    a  b       0.250  0.067 to 0.433        0.01  yes
    """

    def __repr__(self) -> str:
        if not self:
            return "[]"
        rows = [x.shown() for x in self[:MOST_ROWS]]
        columns = [_column([head, *(row[head] for row in rows)]) for head in rows[0]]
        lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        return "\n".join([*lines, *([f"and {len(self) - MOST_ROWS:,} more"] if len(self) > MOST_ROWS else [])])

    def _repr_html_(self) -> str:
        rows = [x.shown() for x in self]
        return html_table(list(rows[0]), [list(row.values()) for row in rows]) if rows else "[]"


def _column(cells: list[str]) -> list[str]:
    """Cells padded to one width; a column of numbers is aligned to the right."""
    wide, right = max(map(width, cells)), all(x[:1] in "0123456789.-<" for x in cells[1:])
    spaces = [" " * (wide - width(x)) for x in cells]
    return [space + x if right else x + space for x, space in zip(cells, spaces, strict=True)]


@shown_as_table
class RunVariation(NamedTuple):
    """How much more runs differ than chance explains, the test of it, and the run that stands out."""

    ratio: float
    df: float
    p_value: float
    sd: float
    model: Any
    run: Any
    deviation: float
    p_run: float


Runs: TypeAlias = RunTarget | RunVariation | Mapping[str, float]
SuiteRuns: TypeAlias = Runs | Mapping[Any, RunVariation | Mapping[str, float]]  # or those of each benchmark


@shown_as_table
class Estimate(NamedTuple):
    """An estimate and its posterior standard deviation."""

    mu: float
    sigma: float


@shown_as_table
class Interval(NamedTuple):
    """An estimate, its posterior standard deviation, and mu -/+ z sigma within bounds, of functions with a prior."""

    mu: float
    sigma: float
    lo: float
    hi: float


# without __init__ the dataclass remains a named tuple
@dataclass(init=False, repr=False, eq=False)
class MetricInterval(Interval):  # type: ignore[misc]
    """(mu, sigma, lo, hi) of :func:`scorio.eval.interval`, and what the interval accounts for.

    sigma is the standard error of mu; there is no prior, and the interval need not be symmetric about mu. It unpacks as
    these four numbers; ``_asdict()``, copies, pickles and data frames have all fields.

    Attributes
    ----------
    questions : str
        "fixed": the interval is for this question set and accounts for trial-to-trial variance; "sampled": it is for
        the population of similar questions and accounts for question-sampling variance as well.
    variance_source : str
        How the variance was obtained: "measured"; "modelled" ("probit" for a vote) where some question has fewer than
        2k trials; "upper bound" where the data cannot identify it: one trial of some question, a single sampled
        question, fewer than 4 trials for the flip rate or 2k for Best-of-k, or fewer than 2k with ``model=None``.
    n_eff : float; effective sample size: the number of independent trials with the same variance
    units : int; number of questions, or of clusters of questions, that were used
    dropped : list of int; indices of the questions left out because they have no trial
    bounds : (float, float), or None
        With ``missing="bounds"``: the metric with all missing outcomes at the lowest score, and at the highest. Then lo
        is the lower limit of the first, hi the upper limit of the second, variance_source the least reliable one of
        these two and the observed metric, and all other fields are computed from the outcomes that are not missing.
    """

    ndim: ClassVar[int] = 0  # a dataclass that is no list of numbers for pandas: DataFrame([x]) has all fields
    mu: float
    sigma: float
    lo: float
    hi: float
    questions: str = ""  # empty in an instance made from numbers alone
    variance_source: VarianceSource = ""  # type: ignore[assignment]
    n_eff: float = 0.0
    units: int = 0
    dropped: Sequence[int] = ()
    bounds: tuple[float, float] | None = None

    def __new__(
        cls,
        mu: float,
        sigma: float,
        lo: float,
        hi: float,
        questions: str = "",
        variance_source: VarianceSource = "",  # type: ignore[assignment]
        n_eff: float = 0.0,
        units: int = 0,
        dropped: Sequence[int] = (),
        bounds: tuple[float, float] | None = None,
    ) -> MetricInterval:
        self = super().__new__(cls, mu, sigma, lo, hi)
        self.questions, self.variance_source, self.n_eff, self.units = questions, variance_source, n_eff, units
        self.dropped, self.bounds = dropped, bounds
        return self

    def __eq__(self, other: object) -> bool:
        equal = tuple.__eq__(self, other)  # type: ignore[arg-type]  # a plain tuple is compared with the numbers
        return equal is True and vars(self) == vars(other) if isinstance(other, MetricInterval) else equal

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = Interval.__hash__

    def _asdict(self) -> dict[str, Any]:
        """All fields by name: the four numbers, and what the interval accounts for."""
        return super()._asdict() | vars(self)

    def _replace(self, **changes: Any) -> MetricInterval:
        """Copy with other values of some fields."""
        return MetricInterval(**self._asdict() | changes)

    __replace__ = _replace  # of copy.replace

    def __repr__(self) -> str:
        return (
            f"MetricInterval(mu={self.mu!r}, sigma={self.sigma!r}, lo={self.lo!r}, hi={self.hi!r}, "
            f"questions={self.questions!r}, variance_source={self.variance_source!r}, n_eff={self.n_eff!r}, "
            f"units={self.units}, dropped={self.dropped}" + (f", bounds={self.bounds})" if self.bounds else ")")
        )


def bounded_interval(observed: MetricInterval, low: MetricInterval, high: MetricInterval) -> MetricInterval:
    """A metric without the missing outcomes, with limits that are valid whatever the missing outcomes are."""
    source = least_reliable(x.variance_source for x in (observed, low, high))
    about = (observed.questions, source, observed.n_eff, observed.units, observed.dropped)
    return MetricInterval(observed.mu, observed.sigma, low.lo, high.hi, *about, bounds=(low.mu, high.mu))


@shown_as_table
class Extrapolation(NamedTuple):
    """Bounds on a metric of k > n trials without a model: the identified band, and limits that cover it.

    Attributes
    ----------
    lower, upper : float
        The ends of the band, within which the data do not identify the metric, however many questions there are.
    low, high : float; limits that cover the metric at the requested level, for this question set and for the population
    unsolved : int
        Questions without a success (Pass^k: without a failure): their success rates decide where in the band the
        metric is.
    n : int; the number of trials per question from which the band is computed
    """

    lower: float
    upper: float
    low: float
    high: float
    unsolved: int
    n: int


@shown_as_table
class ModelExtrapolation(NamedTuple):
    """A metric of k trials under a model of the success rates fitted by maximum likelihood; valid if the model fits.

    Attributes
    ----------
    value, lo, hi : float or None
        The metric of the population of similar questions, and its limits; None where the value is outside the
        model-free limits of :func:`scorio.eval.extrapolate`, which shows a misfit.
    model : str; "beta-binomial", or "zero-inflated beta-binomial" ("one-inflated" for Pass^k)
    alpha, beta : float; parameters of the beta distribution of the success rates
    atom : float; the share of questions whose rate is exactly 0 (Pass^k: 1)
    ratio : float; twice the logarithm of the likelihood ratio of the inflated model to the beta-binomial model
    fit : float or None
        The p-value of Pearson's test of the model on the counts; None with too few questions for the test.
    trials_needed : int or None
        How many more trials of each of ``n_questions`` would narrow the limits of the band to the requested width,
        under the model; None if no width was requested, or too few questions make it impossible.
    n_questions : int; the questions that need these trials: those with at most two successes (Pass^k: failures)
    """

    value: float | None
    lo: float | None
    hi: float | None
    model: str
    alpha: float
    beta: float
    atom: float
    ratio: float
    fit: float | None
    trials_needed: int | None
    n_questions: int


@shown_as_table
class JudgedInterval(NamedTuple):
    """The mean human score of :func:`scorio.eval.judged`, its interval, and statistics of each verdict.

    Attributes
    ----------
    mu, sigma, lo, hi : float
        The mean human score that all outputs would have, its standard error, and the interval, in units of w.
    n_eff : float
        The number of human labels without a judge that would estimate the mean as precisely; inf without uncertainty.
    variance_source : str
        "measured", or "upper bound" for fixed questions with one output each, and for a single sampled question.
    verdicts : list of int; the verdicts that occur; the next four have an entry for each of them
    outputs, labels : list of int; how many outputs have the verdict, and how many of these have a label
    means : list of float or None
        The mean human score of the labelled outputs, in units of w; None where no output is labelled.
    expected : list of float
        The means on the scale 0..1, slightly shrunk to 1/2: the argument of :func:`scorio.sinf.labels_needed`.
    dropped : list of int; indices of the questions left out because they have no output
    """

    mu: float
    sigma: float
    lo: float
    hi: float
    n_eff: float
    variance_source: VarianceSource
    verdicts: list[int]
    outputs: list[int]
    labels: list[int]
    means: list[float | None]
    expected: list[float]
    dropped: list[int]


@shown_as_table
class LabelCheck(NamedTuple):
    """Whether the labelled outputs look like a random sample: z-scores and p-values of :func:`scorio.eval.label_check`.

    Attributes
    ----------
    verdicts : list of int; the verdicts that occur
    z_rate, p_rate : list of float or None
        For each verdict: whether it has more or fewer labels than its share, which does not bias the estimate.
    z_spread, p_spread : float or None
        Whether the labels are spread over the questions as those of a random sample; a large z and a small p-value mean
        that they are concentrated in few questions.
    z_lean, p_lean : float or None
        Whether, within a verdict, the labels lean towards outputs of easier (z > 0) or harder (z < 0) questions; a
        small p-value means that they do, which biases the estimate of :func:`scorio.eval.judged`.
    """

    verdicts: list[int]
    z_rate: list[float | None]
    p_rate: list[float | None]
    z_spread: float | None
    p_spread: float | None
    z_lean: float | None
    p_lean: float | None
