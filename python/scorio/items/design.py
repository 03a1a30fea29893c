"""Designs that reach a target: numbers of questions and trials, their cost, and the cheapest design."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from .. import arguments
from ..arguments import Missing
from ..errors import InvalidInput
from ..outcomes.tally import Models
from ..results import shown_as_table
from .items import rounded
from .reliability import Components, components, standard_error

MOST_TRIALS = 10**4  # largest max_trials: every number of trials up to it is tried
LEAST_TARGET, LARGEST_RHO = 1e-6, 0.999999  # se = 0 or rho = 1 would need endlessly many questions
LARGEST_COST = 1e100  # of a question or of a trial


@shown_as_table
class Design(NamedTuple):
    """A design: its numbers of questions and trials, cost, standard error of a difference, and coefficient rho."""

    n_questions: int
    n_trials: int
    cost: float
    se: float
    rho: float
    cheapest: bool


def design(
    models: Models,
    *,
    se: float | None = None,
    rho: float | None = None,
    cost_question: float = 0.0,
    cost_trial: float = 1.0,
    max_trials: int = 1000,
    missing: Missing = "raise",
) -> list[Design]:
    """Designs that reach a target: the number of questions for each number of trials, its cost, and the cheapest one.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models like those to be compared, on M >= 2 questions like those to be asked.
    se : float in [1e-6, 1], optional
        Target: the standard error of the difference of two models, for the population of similar questions.
    rho : float in [1e-6, 0.999999], optional
        Target: the generalizability coefficient. Give either se or rho.
    cost_question : float in [0, 1e100]
        Cost of writing and checking a new question, whatever the number of trials; in the unit of cost_trial.
    cost_trial : float in [1e-100, 1e100]
        Cost of one trial of one model.
    max_trials : int, 1 to 10^4
        The most trials per question.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    list of Design
        (n_questions, n_trials, cost, se, rho, cheapest) for 1, 2, 4, ... trials up to twice those of the cheapest
        design, at most max_trials, and for the cheapest one. n_questions is the smallest number, at least two, that
        reaches the target; cost is that of one model, n_questions (cost_question + n_trials cost_trial). If no model
        has two trials of a question, the only row is that of 1 trial.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: both or none of the targets; undefined: rho, where the estimated
        variance between models is not positive.

    Notes
    -----
    Source: spec/families/items.md. The cheapest design is found by trying every number of trials; it has about
    sqrt(var_trials cost_question / (var_interaction cost_trial)) trials, so that more than one trial is worth its cost
    only where questions have a cost. All numbers follow from estimated variances, uncertain with few models.

    Examples
    --------
    >>> from scorio import items, Counts
    >>> c = ["434102", "342112", "232021", "121031", "011040"]
    >>> models = [Counts.from_successes([int(x) for x in row], [4] * 6) for row in c]
    >>> best = [x for x in items.design(models, se=0.05, cost_question=10) if x.cheapest][0]
    >>> best.n_questions, best.n_trials, best.cost
    (57, 6, 912.0)
    """
    target = _target(se, rho)
    prices = [arguments.within(cost_question, "cost_question", 0.0, LARGEST_COST),
              arguments.within(cost_trial, "cost_trial", 1 / LARGEST_COST, LARGEST_COST)]  # fmt: skip
    max_N = arguments.integer(max_trials, "max_trials", 1, MOST_TRIALS)
    c = components(models, missing)
    return designs(c, _largest_variance(c, *target), (Fraction(prices[0]), Fraction(prices[1])), max_N)


def _target(se: Any, rho: Any) -> tuple[float | None, float | None]:
    """Check that exactly one of se and rho is given; returns both, the other as None."""
    if (se is None) == (rho is None):
        raise InvalidInput("conflict", "rho", "state one target, se or rho" + (", not both" if se is not None else ""))
    return (
        None if se is None else arguments.within(se, "se", LEAST_TARGET, 1.0),
        None if rho is None else arguments.within(rho, "rho", LEAST_TARGET, LARGEST_RHO),
    )


def _largest_variance(c: Components, se: float | None, rho: float | None) -> Fraction:
    """The largest variance of a model's mean that meets the target."""
    if se is not None:
        return Fraction(se) ** 2 / 2
    if c.model <= 0:
        raise InvalidInput(
            "undefined",
            "rho",
            "the estimated variance between the models is not positive, so every design has rho = 0: give se",
        )
    exact_rho = Fraction(rho or 0.0)
    return c.model * (1 - exact_rho) / exact_rho


def designs(c: Components, variance: Fraction, prices: tuple[Fraction, Fraction], max_N: int) -> list[Design]:
    """The cheapest design, and those of 1, 2, 4, ... trials up to twice its trials, at most max_N.

    variance: the largest allowed; prices: of a question, and of a trial of one model.
    """
    max_N = 1 if c.trial is None else max_N
    interaction, trial = max(c.interaction, Fraction(0)) / variance, (c.trial or Fraction(0)) / variance

    def questions(N: int) -> int:
        M = interaction + trial / N
        return max(2, -(-M.numerator // M.denominator))

    def cost(N: int) -> Fraction:
        return questions(N) * (prices[0] + N * prices[1])

    cheapest_N = min(range(1, max_N + 1), key=cost)  # the first of those that cost the same
    powers = {2**i for i in range(max_N.bit_length()) if 2**i <= min(max_N, 2 * cheapest_N)}
    return [_row(c, questions(N), N, cost(N), cheapest_N == N) for N in sorted({cheapest_N, *powers})]


def _row(c: Components, M: int, N: int, cost: Fraction, cheapest: bool) -> Design:
    return Design(M, N, rounded(cost), standard_error(2 * c.error(M, N)), rounded(c.rho(M, N)), cheapest)
