"""Assumptions about two models, on which a plan without a log rests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from ..display.terms import level
from ..errors import InvalidInput
from ..inference.planning import VarianceComponents


@dataclass(frozen=True)
class Assumed:
    """Assumptions about two models on which a plan without a log rests.

    Attributes
    ----------
    rate : float, the success rate of the better model, or of both with a margin, on average over the questions
    between : float
        The share of the variance of an outcome that is between questions: 0 where all are equally difficult, 1 where
        each is always or never solved.
    correlation : float, correlation of the success rates of the two models over the questions
    """

    rate: float
    between: float
    correlation: float

    def sentence(self, difference: float) -> str:
        """These assumptions in a sentence; difference: of the rates of the models."""
        who = f"both models solve {self.rate:.10g}"
        if difference:
            who = f"A solves {self.rate:.10g} and B {self.rate - difference:.10g}"
        return (
            f"Assumed: {who} of the trials, {level(self.between)} of the variance is between questions (--between), "
            f"and their success rates correlate at {self.correlation:.10g} (--correlation). Plan again with scorio "
            "plan LOG when there are data."
        )


def components(M: int, x: Assumed, difference: float) -> VarianceComponents:
    """The variance components of the comparison of two models on M questions; difference: of their rates.

    The variance of a trial is p (1 - p), p the rate of its model, of which the share ``between`` is due to questions.
    """
    share, rho = Fraction(x.between), Fraction(x.correlation)
    p_a, p_b = Fraction(x.rate), Fraction(x.rate) - Fraction(difference)
    if p_b < 0:
        reason = f"rate = {x.rate!r} is that of the better model, and the other cannot be {difference!r} below it"
        raise InvalidInput("range", "difference", reason)
    v_a, v_b = p_a * (1 - p_a), p_b * (1 - p_b)  # the variance of a trial of each model
    within = (v_a + v_b) * (1 - share)
    return VarianceComponents(
        M,
        within=lambda n: M * within / n,
        step=lambda n: Fraction(1, n * n),
        between=share * (v_a + v_b - 2 * rho * Fraction(sqrt(v_a * v_b))),
    )
