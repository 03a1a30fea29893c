"""What the metrics return: named tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .display.html import of_tuple


class Estimate(NamedTuple):
    """An estimate and its posterior standard deviation."""

    mu: float
    sigma: float

    def _repr_html_(self) -> str:
        return of_tuple(self)


class Interval(NamedTuple):
    """An estimate, its posterior standard deviation and a credible interval."""

    mu: float
    sigma: float
    lo: float
    hi: float

    def _repr_html_(self) -> str:
        return of_tuple(self)


class MetricInterval(Interval):
    """(mu, sigma, lo, hi) of :func:`scorio.eval.interval`, and what the interval accounts for.

    Attributes
    ----------
    questions : str
        "fixed": the interval is for this question set and accounts for trial-to-trial variance; "sampled": it is for
        the population of similar questions and accounts for question-sampling variance as well.
    variance_source : str
        How the variance was obtained: "measured"; "beta-binomial" (fewer than 2k trials per question); "upper bound"
        where the data cannot identify it (one trial per question, one question).
    n_eff : float
        Effective sample size: the number of independent trials with the same variance.
    units : int
        Number of questions, or of clusters of questions, that were used.
    dropped : list of int
        Questions left out because they have no trial.
    """

    questions: str = ""  # empty in a copy with other numbers, which is no measurement
    variance_source: str = ""
    n_eff: float = 0.0
    units: int = 0
    dropped: Sequence[int] = ()

    def __new__(
        cls,
        mu: float,
        sigma: float,
        lo: float,
        hi: float,
        questions: str = "",
        variance_source: str = "",
        n_eff: float = 0.0,
        units: int = 0,
        dropped: Sequence[int] = (),
    ) -> MetricInterval:
        self = super().__new__(cls, mu, sigma, lo, hi)
        self.questions, self.variance_source, self.n_eff, self.units = questions, variance_source, n_eff, units
        self.dropped = dropped
        return self

    def __repr__(self) -> str:
        return (
            f"MetricInterval(mu={self.mu!r}, sigma={self.sigma!r}, lo={self.lo!r}, hi={self.hi!r}, "
            f"questions={self.questions!r}, variance_source={self.variance_source!r}, n_eff={self.n_eff!r}, "
            f"units={self.units}, dropped={self.dropped})"
        )

    def _repr_html_(self) -> str:
        more = {
            "questions": self.questions,
            "variance_source": self.variance_source,
            "n_eff": self.n_eff,
            "units": self.units,
        }
        return of_tuple(self, **more, dropped=self.dropped)


class Extrapolation(NamedTuple):
    """A metric for more trials than there are: its value under a beta-binomial model, and bounds without that model.

    There is no confidence level: the value is right if the model is; the bounds ignore sampling error.
    """

    value: float
    lowest: float
    highest: float

    def __repr__(self) -> str:
        return f"extrapolated(value={self.value!r}, lowest={self.lowest!r}, highest={self.highest!r})"

    def _repr_html_(self) -> str:
        return of_tuple(self)
