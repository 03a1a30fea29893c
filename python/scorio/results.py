"""What the metrics return: tuples with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .display.html import of_tuple


class Estimate(NamedTuple):
    """A value and its posterior standard deviation."""

    mu: float
    sigma: float

    def _repr_html_(self) -> str:
        return of_tuple(self)


class Interval(NamedTuple):
    """A value, its posterior standard deviation and a credible interval."""

    mu: float
    sigma: float
    lo: float
    hi: float

    def _repr_html_(self) -> str:
        return of_tuple(self)


class MetricInterval(Interval):
    """(mu, sigma, lo, hi) of :func:`scorio.eval.interval`, and what the interval holds.

    Attributes
    ----------
    questions : str
        "fixed": the noise of the trials; "sampled": also of the draw of questions.
    variance_source : str
        How it was obtained: "measured"; "beta-binomial" (fewer than 2k trials); "upper bound" where the data cannot
        tell it (one trial per question, one question).
    n_eff : float
        How many independent trials the interval amounts to.
    units : int
        Questions, or clusters of questions, that entered.
    dropped : list of int
        Questions left out because they have no trial.
    """

    questions: str = ""  # these stand in for a copy with other numbers, which is no measurement
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
    """A metric of more trials than there are: its value under a law, and what the trials themselves leave open.

    No confidence level: the value holds if the law does, lowest and highest hold the expectation of what was seen.
    """

    value: float
    lowest: float
    highest: float

    def __repr__(self) -> str:
        return f"extrapolated(value={self.value!r}, lowest={self.lowest!r}, highest={self.highest!r})"

    def _repr_html_(self) -> str:
        return of_tuple(self)
