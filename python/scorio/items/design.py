"""How many questions and trials reach a target, what they cost, and the cheapest design."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from .. import arguments
from ..arguments import Policy
from ..errors import InvalidInput
from ..outcomes.tally import Models
from ..results import shown_as_table
from .cells import rounded
from .reliability import Components, components, standard_error

MOST_TRIALS = 10**4
LEAST, LARGEST = 1e-6, 0.999999
LARGEST_COST = 1e100


@shown_as_table
class Design(NamedTuple):
    """A design: its questions and trials, its cost, the standard error of a difference, the coefficient rho."""

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
    missing: Policy = "raise",
) -> list[Design]:
    """How many questions reach a target at each number of trials, and which of these designs is cheapest.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models like those to be compared, on M >= 2 questions like those to be asked.
    se : float in [1e-6, 1], optional
        Target: the standard error of the difference of two models, for the population of similar questions.
    rho : float in [1e-6, 0.999999], optional
        Target: the generalizability coefficient. Give one of the two.
    cost_question : float in [0, 1e100]
        Cost of writing and checking a new question, for any number of trials. In the unit of cost_trial.
    cost_trial : float in [1e-100, 1e100]
        Cost of one trial of one model.
    max_trials : int, 1 to 10^4
        The most trials per question.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    list of Design
        (n_questions, n_trials, cost, se, rho, cheapest) for 1, 2, 4, ... trials up to twice those of the cheapest
        design, and for that one. n_questions is the least number, at least two, that reaches the target; cost is that
        of one model, n_questions (cost_question + n_trials cost_trial). If no question has two trials, the
        only row is that of 1 trial.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: both or none of the targets; undefined: rho, where models do not differ.

    Notes
    -----
    Source: spec/families/items.md. The cheapest is found by trying every number of trials; the number is about
    sqrt(var_trials cost_question / (var_interaction cost_trial)), so that more than one trial is worth its cost only
    where questions have a cost of their own. All numbers follow from estimated variances, uncertain with few models.

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
    most = arguments.integer(max_trials, "max_trials", 1, MOST_TRIALS)
    c = components(models, missing)
    return designs(c, _largest_variance(c, *target), (Fraction(prices[0]), Fraction(prices[1])), most)


def _target(se: Any, rho: Any) -> tuple[float | None, float | None]:
    """The target, of which either se or rho is stated, checked."""
    if (se is None) == (rho is None):
        raise InvalidInput("conflict", "rho", "state one target, se or rho" + (", not both" if se is not None else ""))
    return (
        None if se is None else arguments.within(se, "se", LEAST, 1.0),
        None if rho is None else arguments.within(rho, "rho", LEAST, LARGEST),
    )


def _largest_variance(c: Components, se: float | None, rho: float | None) -> Fraction:
    """The largest variance of a model's mean that meets the target."""
    if se is not None:
        return Fraction(se) ** 2 / 2
    if c.model <= 0:
        raise InvalidInput(
            "undefined", "rho", "the models of these outcomes do not differ: no design has a coefficient"
        )
    share = Fraction(rho or 0.0)
    return c.model * (1 - share) / share


def designs(c: Components, error: Fraction, prices: tuple[Fraction, Fraction], most: int) -> list[Design]:
    """The rows of the table: powers of two, and the cheapest number of trials."""
    most = 1 if c.trial is None else most
    interaction, single = max(c.interaction, Fraction(0)) / error, (c.trial or Fraction(0)) / error

    def questions(N: int) -> int:
        need = interaction + single / N
        return max(2, -(-need.numerator // need.denominator))

    def cost(N: int) -> Fraction:
        return questions(N) * (prices[0] + N * prices[1])

    best = min(range(1, most + 1), key=lambda N: (cost(N), N))
    powers = {2**i for i in range(most.bit_length()) if 2**i <= min(most, 2 * best)}
    return [_row(c, questions(N), N, cost(N), best == N) for N in sorted({best, *powers})]


def _row(c: Components, M: int, N: int, cost: Fraction, cheapest: bool) -> Design:
    return Design(M, N, rounded(cost), standard_error(2 * c.error(M, N)), rounded(c.rho(M, N)), cheapest)
