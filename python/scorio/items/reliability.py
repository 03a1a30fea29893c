"""Reliability of a ranking: variance components, the generalizability coefficient, standard errors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Missing
from ..arithmetic.distributions import beta_low, error_rate
from ..arithmetic.double_double import ONE, Triple, div, ext, from_fraction, mul, root, sub, value
from ..errors import InvalidInput
from ..outcomes.tally import Models
from ..results import shown_as_table
from .items import Cells, cells, rounded

LARGEST_DESIGN = 10**9  # questions, or trials


@shown_as_table
class Reliability(NamedTuple):
    """Variance components; the generalizability coefficient with its interval; standard errors of differences."""

    var_models: float
    var_questions: float
    var_interaction: float
    var_trials: float | None
    rho: float
    lo: float | None
    hi: float | None
    rho_fixed: float | None
    se: float
    se_fixed: float | None
    n_questions: int
    n_trials: float


class Components(NamedTuple):
    """Exact variance components, and the design of the outcomes that they were estimated from."""

    model: Fraction
    question: Fraction
    interaction: Fraction
    trial: Fraction | None
    L: int  # models
    M: int  # questions with a trial
    N: Fraction  # the harmonic mean of the numbers of trials
    complete: bool  # whether every model has a trial of each of the M questions

    def error(self, M: int, N: Fraction | int) -> Fraction:
        """The variance of a model's mean over M questions of N trials; a negative interaction counts as 0."""
        return (max(self.interaction, Fraction(0)) + (self.trial or 0) / Fraction(N)) / M

    def rho(self, M: int, N: Fraction | int) -> Fraction:
        """The generalizability coefficient: the variance between models divided by the variance of observed means."""
        return self.model / (self.model + self.error(M, N)) if self.model > 0 else Fraction(0)

    def rho_fixed(self, M: int, trial_error: Fraction | None) -> Fraction | None:
        """The coefficient on this question set, where the interaction is a part of the true differences."""
        if trial_error is None:
            return None
        true_variance = max(self.model, Fraction(0)) + max(self.interaction, Fraction(0)) / M
        return true_variance / (true_variance + trial_error) if true_variance else Fraction(0)

    def trial_error(self, M: int, N: Fraction | int) -> Fraction | None:
        """The variance of a model's mean over the trials of these questions."""
        return None if self.trial is None else self.trial / (M * N)


def reliability(
    models: Models,
    n_questions: int | None = None,
    n_trials: int | None = None,
    *,
    confidence: float = 0.95,
    missing: Missing = "raise",
) -> Reliability:
    """Variance components of binary outcomes, and how reliably the models are ranked by their means.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M >= 2 questions; a mapping of names to any form of R.
    n_questions, n_trials : int, optional
        The design whose reliability is predicted, 1 to 10^9 of each. Default: the design of the outcomes.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). A question need
        not have a trial of every model.

    Returns
    -------
    Reliability
        - var_models, var_questions, var_interaction: variances between models, between questions, and of the
          interaction of models and questions. They are unbiased, so that a small one can be negative. var_trials: the
          variance of a single trial; None if no model has two of a question (then var_interaction contains it);
        - rho: the generalizability coefficient, the squared correlation of observed and true means if questions are
          sampled anew; lo, hi: its confidence interval (None if n_questions or n_trials is given, or if a model
          has no trial of a question that another model has);
        - rho_fixed: this coefficient on this question set, where only trials are repeated;
        - se, se_fixed: the standard error of the difference of two models, for similar questions and on this set
          (rho_fixed and se_fixed are None where var_trials is);
        - n_questions, n_trials: the design (n_trials: the harmonic mean over cells, each a model on a question).

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: no model has two questions, no question has two models, or no two cells differ in
        both; no_trials: no question has a trial; range: n_trials above 1 although no model has two trials of
        a question.

    Notes
    -----
    Source: spec/families/items.md: mean products of pairs of cells, which equal the analysis of variance
    where outcomes are complete; Cronbach et al. (1972); Feldt (1965) for the interval, whose coverage was 94 to 96% for
    models whose abilities are about normal. It covers in 50% to 75% of cases if a tenth of the population of models is
    far worse than the others, and in 11% in the worst case that a search found (a twentieth is far worse, and the
    others are nearly alike): if no such model is among the models, the data cannot show it. With few models the
    interval is wide: the coefficient describes these models, and depends on how different they are.

    Examples
    --------
    >>> from scorio import items, Counts
    >>> c = ["434102", "342112", "232021", "121031", "011040"]
    >>> models = [Counts.from_successes([int(x) for x in row], [4] * 6) for row in c]
    >>> x = items.reliability(models)
    >>> round(x.rho, 4), round(x.lo, 4), round(x.hi, 4), round(x.rho_fixed, 4)
    (0.2571, 0.0, 0.9132, 0.6012)
    >>> round(items.reliability(models, 100, 4).se, 4)
    0.0416
    """
    M, N = (None if x is None else arguments.integer(x, name, 1, LARGEST_DESIGN) for x, name in
            ((n_questions, "n_questions"), (n_trials, "n_trials")))  # fmt: skip
    confidence = arguments.confidence(confidence)
    c = components(models, missing)
    if c.trial is None and (N or 1) > 1:
        reason = f"n_trials = {N}: no question of models has two trials, so their variance is unknown"
        raise InvalidInput("range", "n_trials", reason)
    has_interval = c.complete and M is None and N is None
    interval = _feldt(c, confidence) if has_interval else (None, None)
    return design_reliability(c, M or c.M, Fraction(N or c.N), interval)


def design_reliability(c: Components, M: int, N: Fraction, interval: tuple[float | None, float | None]) -> Reliability:
    """The reliability of a design of M questions of N trials; interval: the limits of rho."""
    trial_error = c.trial_error(M, N)
    fixed = c.rho_fixed(M, trial_error)
    return Reliability(
        rounded(c.model),
        rounded(c.question),
        rounded(c.interaction),
        None if c.trial is None else rounded(c.trial),
        rounded(c.rho(M, N)),
        *interval,
        None if fixed is None else rounded(fixed),
        standard_error(2 * c.error(M, N)),
        None if trial_error is None else standard_error(2 * trial_error),
        M,
        rounded(N),
    )


def present_and_larger_designs(models: Models, confidence: float) -> list[Reliability]:
    """Reliability of the present design, with its interval, and of those with 2 and 4 times the trials or questions.

    More trials are left out where no model has two of a question, since their variance is then unknown.
    """
    c = components(models, "raise")
    N = max(1, round(c.N))
    sizes = [(c.M, i * N) for i in (2, 4) if c.trial is not None] + [(i * c.M, N) for i in (2, 4)]
    present = design_reliability(c, c.M, c.N, _feldt(c, confidence) if c.complete else (None, None))
    return [present, *(design_reliability(c, M, Fraction(n), (None, None)) for M, n in sizes)]


def standard_error(x: Fraction) -> float:
    """The standard error of an estimate: the square root of its variance x."""
    return value(root(from_fraction(x)))


def components(models: Any, missing: Any) -> Components:
    """Variance components of the cells that have a trial."""
    return cell_components(cells(models, missing))


def cell_components(x: Cells) -> Components:
    """Variance components from mean products of the deviations of two cells.

    The products are A of a cell with itself (without its trial-to-trial variance), B of two cells of a model, C of two
    cells of a question, T of two cells that differ in both; b, c, t are the sums in units of 1/(K Q)^2, with K cells
    in all, and n_b, n_c, n_t the numbers of pairs.
    """
    filled = x.n > 0
    K, single_trial = x.n_filled, x.single_trial_variance()
    rows, columns = (filled.sum(axis=k).tolist() for k in (1, 0))  # the numbers of cells by model and by question
    total = sum(int(y) for y in x.X.sum(axis=1))
    square = K * K * sum(int(y) for y in (x.X * x.X).sum(axis=0)) - K * total * total

    def products_of_pairs(sums: Any, sizes: list[int]) -> tuple[int, int]:
        """Sum and number of the products of two deviations within a model, or within a question.

        sums, sizes: the sum of X and the number of cells of each.
        """
        products = sum((K * int(s) - k * total) ** 2 for s, k in zip(sums, sizes, strict=True)) - square
        return products, sum(k * (k - 1) for k in sizes)

    (b, n_b), (c, n_c) = products_of_pairs(x.X.sum(axis=1), rows), products_of_pairs(x.X.sum(axis=0), columns)
    t, n_t = -square - b - c, K * (K - 1) - n_b - n_c
    kinds = ("model has two questions", "question has two models", "two cells differ in model and question")
    for n, what in zip((n_b, n_c, n_t), kinds, strict=True):
        if not n:
            raise InvalidInput("shape", "models", f"no {what}: the variance components of models cannot be separated")
    unit = (K * x.Q) ** 2
    trial_variance = sum(x.variances(single_trial), Fraction(0)) / K
    A = Fraction(square, K * unit) - trial_variance
    B, C, T = (Fraction(p, n * unit) for p, n in ((b, n_b), (c, n_c), (t, n_t)))
    M = sum(k > 0 for k in columns)
    N = K / sum((Fraction(int(np.count_nonzero(x.n == n)), n) for n in x.sizes()), Fraction(0))
    return Components(B - T, C - T, A - B - C + T, single_trial, len(rows), M, N, len(rows) * M == K)


def _feldt(c: Components, confidence: float) -> tuple[float, float]:
    """Feldt's interval of rho: max(0, 1 - (1 - rho) F) at quantiles F of (L - 1, (L - 1)(M - 1)) degrees of freedom."""
    error = c.error(c.M, c.N)
    total = c.model + error
    if total <= 0:
        return 0.0, 1.0
    if not error:
        return 1.0, 1.0
    error_share, d = error / total, float(c.L - 1)
    F = _quantiles(error_rate(confidence, 2), d, d * (c.M - 1))
    ends = (sub(ONE, mul(from_fraction(error_share), q)) for q in F)
    hi, lo = (value(x) if x[0] > 0.0 else 0.0 for x in ends)
    return min(lo, hi), hi  # rounding may exchange limits near 0 at a confidence near 0


def _quantiles(tail: Triple, d: float, e: float) -> tuple[Triple, Triple]:
    """The F quantiles of (d, e) degrees of freedom with this lower and upper tail, from those of beta distributions."""
    a, b, ratio = ext(d / 2.0), ext(e / 2.0), div(ext(e), ext(d))
    x, y = beta_low(tail, a, b), beta_low(tail, b, a)
    return mul(ratio, div(x, sub(ONE, x))), mul(ratio, div(sub(ONE, y), y))
