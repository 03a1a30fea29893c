"""The success rate of every model on every question, as exact integers over a common denominator."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import Missing
from ..arithmetic.distributions import t_cdf
from ..arithmetic.double_double import (
    ONE,
    Triple,
    div,
    exp,
    ext,
    from_fraction,
    from_ratio,
    log,
    neg,
    root,
    sub,
    total,
    value,
)
from ..errors import InvalidInput
from ..inference.pairs import benjamini_hochberg
from ..outcomes.models import count_models
from ..outcomes.tally import Models
from ..results import shown_as_table

# --- the success rate of every model on every question, as integers over a common denominator -------

Table = npt.NDArray[Any]  # int64; X has Python integers where its sums of squares could exceed 64 bits


class Cells(NamedTuple):
    """Tables of models by questions: trials n, successes c, and X = c Q / n, so that the success rate is X / Q.

    X is 0 where n is 0; Q is the least common multiple of all n above 0. A cell is a model on a question.
    """

    n: Table
    c: Table
    X: Table
    Q: int

    @property
    def n_filled(self) -> int:
        """The number of cells that have a trial."""
        return int(np.count_nonzero(self.n))

    def sizes(self) -> list[int]:
        """The distinct numbers of trials of the cells, above 0."""
        return [int(x) for x in np.unique(self.n) if x]

    def single_trial_variance(self) -> Fraction | None:
        """The variance of a single trial: the mean of c (n - c) / (n (n - 1)) over cells of n > 1; None without any."""
        repeated = [(sum(sums), n * (n - 1)) for n, _, sums in self._products() if n > 1]
        return Fraction(*total(repeated)) / int(np.count_nonzero(self.n > 1)) if repeated else None

    def variances(self, single_trial: Fraction | None) -> list[Fraction]:
        """The trial-to-trial variances of the success rates, summed over the models of each question.

        A cell of one trial has the variance single_trial, or 0 if that is None.
        """
        out = [Fraction(0)] * self.n.shape[1]
        for n, questions, sums in self._products():
            factor = Fraction(1, n * n * (n - 1)) if n > 1 else single_trial or Fraction(0)
            for j, x in zip(
                questions, sums if n > 1 else np.count_nonzero(self.n == 1, axis=0)[questions], strict=True
            ):
                out[j] += factor * int(x)
        return out

    def _products(self) -> Iterator[tuple[int, list[int], list[int]]]:
        """For each number n of trials: the questions with cells of n trials, and the sum over these of c (n - c)."""
        order = np.argsort(self.n, axis=None, kind="stable")
        sizes, starts = np.unique(self.n.ravel()[order], return_index=True)
        for n, cells in zip(sizes.tolist(), np.split(order, starts[1:]), strict=True):
            if n:
                questions, at = np.unique(cells % self.n.shape[1], return_inverse=True)
                c = self.c.ravel()[cells].astype(np.int64 if self.n.shape[0] * n * n < 2**62 else object)
                sums = np.zeros(questions.size, c.dtype)
                np.add.at(sums, at, c * (n - c))
                yield n, questions.tolist(), sums.tolist()


def cells(models: Any, missing: Any) -> Cells:
    """The cells of all models, from their outcomes."""
    counts = count_models(models, None, missing, "models").items
    n, c = (np.stack(x) for x in ([m.trials for m in counts], [m.category_counts[:, 0] for m in counts]))
    if not n.any():
        raise InvalidInput("no_trials", "models", "no question of models has a trial")
    return build_cells(n, c)


def build_cells(n: Table, c: Table) -> Cells:
    """The cells with these numbers of trials and successes."""
    Q = lcm(*(int(x) for x in np.unique(n) if x))
    dtype = np.int64 if (n.size * Q) ** 2 < 2**62 else object
    return Cells(n, c, c.astype(dtype) * (Q // np.maximum(n, 1).astype(dtype)), Q)


def answered_by_all(x: Cells) -> tuple[Cells, list[int]]:
    """The cells of the questions on which every model has a trial, and the indices of these questions."""
    keep = np.flatnonzero((x.n > 0).all(axis=0))
    if not keep.size:
        raise InvalidInput("no_trials", "models", "models has no question with a trial of every model")
    return build_cells(x.n[:, keep], x.c[:, keep]), [int(j) for j in keep]


def rounded(x: Fraction) -> float:
    """The double nearest to a fraction."""
    return value(from_fraction(x)) + 0.0  # -0.0 becomes 0.0


# --- item analysis ----------------------------------------------------------------------------------


@shown_as_table
class Item(NamedTuple):
    """One question: its mean success rate, and its covariance with the other questions over the models."""

    question: int
    mean: float
    dead: bool
    bound: float | None
    covariance: float
    expected: float
    discrimination: float | None
    p_value: float | None
    p_adjusted: float | None
    suspect: bool


class _Line(NamedTuple):
    """Sums over L models for the line fitted to a question's rates a against the sums b over the other questions."""

    S_ab: int  # L sum ab - sum a sum b
    S_aa: int  # L sum aa - (sum a)^2
    S_bb: int  # L sum bb - (sum b)^2
    sum_a: int
    rate_variance: int  # sum_a (L Q - sum_a), which is (L Q)^2 p (1 - p) at the mean success rate p

    @property
    def residual(self) -> int:
        """The sum of squared residuals of the question around the line, times L S_bb."""
        return self.S_aa * self.S_bb - self.S_ab * self.S_ab


def items(models: Models, *, fdr: float = 0.1, confidence: float = 0.95, missing: Missing = "raise") -> list[Item]:
    """Difficulty and discrimination of each question, and whether it is dead or suspect, from binary outcomes.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 3 models on the same M >= 2 questions; a mapping of names to any form of R.
    fdr : float in (0, 1)
        False-discovery rate: the expected share of sound questions among the suspects, if all questions measure one
        ability and discriminate about equally.
    confidence : float in (0, 1)
        Confidence of the bound that is computed for a dead question.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Questions
        without a trial of some model are left out.

    Returns
    -------
    list of Item
        For each question with a trial of every model:

        - question: its index; mean: its mean success rate over the models (low: difficult);
        - dead: all trials of all models succeeded, or all failed: it does not distinguish these models; bound: the rate
          of the outcome that it always had is at least this, at the stated confidence (else None);
        - covariance: that of its success rates with the means of the other questions, over the models; not biased by
          trial-to-trial errors, which are independent; expected: the covariance at this difficulty if all questions
          discriminated equally;
        - discrimination: the correlation with the other questions, corrected for the variance due to trials, so that
          it does not shrink with few trials. It can be outside [-1, 1]; None if no model has two trials of a question,
          or if the models differ, on this question or on the others, no more than trials explain;
        - p_value: probability of a covariance at least as far below the expected one; p_adjusted: the p-value adjusted
          for the number of questions (Benjamini-Hochberg). None for dead questions, for those whose rates are an exact
          linear function of the means of the others, and where these means are equal;
        - suspect: p_adjusted is at most fdr, and the covariance is negative: the better a model is on the other
          questions, the worse it is on this one, as with a wrong key, an ambiguous text or an error of the grader.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: fewer than three models, or a single question that all models answered;
        no_trials: no question that all models answered.

    Notes
    -----
    Source: spec/families/items.md. In simulations with 12 models and 4 trials 85% of flipped keys (outcomes inverted)
    were found, and 3% of the suspects were sound. With 6 models 18% were found, with a single trial 23%. Of wrong keys,
    with which a guess can be scored as right, 35% were found. Questions that differ much in how well they discriminate
    make sound ones suspect (23% of the suspects were sound if the logarithms of the slopes had a standard deviation of
    0.8). So does a second ability: where a fifth of the questions measure an ability that is not correlated with the
    first, 15% to 30% of the suspects were sound if some keys were flipped, and up to 69% of the simulations without a
    flipped key had suspects (24 models). Read a suspect before you drop it.

    Examples
    --------
    >>> from scorio import items, Counts
    >>> c = ["434102", "342112", "232021", "121031", "011040"]  # successes of 4; the better models fail on question 4
    >>> models = [Counts.from_successes([int(x) for x in row], [4] * 6) for row in c]
    >>> [(x.question, round(x.covariance, 4), round(x.p_adjusted, 4)) for x in items.items(models) if x.suspect]
    [(4, -0.0969, 0.0007)]
    """
    level, confidence = arguments.confidence(fdr, name="fdr"), arguments.confidence(confidence)
    all_cells = cells(models, missing)
    if all_cells.n.shape[0] < 3:
        raise InvalidInput("shape", "models", f"models has {all_cells.n.shape[0]} models: three are needed")
    x, indices = answered_by_all(all_cells)
    if len(indices) < 2:
        raise InvalidInput(
            "shape", "models", f"only question {indices[0]} of models has a trial of every model: two are needed"
        )
    return _statistics(x, indices, level, confidence)


def _statistics(x: Cells, indices: list[int], fdr: float, confidence: float) -> list[Item]:
    """The statistics of the questions in x, which every model answered."""
    L, M = x.n.shape
    lines = _lines(x)
    live = [line for line in lines if line.rate_variance]
    D, G = sum(line.S_ab for line in live), sum(line.rate_variance for line in live) or 1
    scale = L * (L - 1) * x.Q**2 * (M - 1)  # S_ab divided by it is the covariance
    p = [_p_value(line, D, G, L) for line in lines]
    tested = [j for j, y in enumerate(p) if y is not None]
    adjusted = dict(zip(tested, benjamini_hochberg([y for y in p if y is not None]), strict=True))
    discrimination = _discriminations(x, lines)
    out = []
    for j, line in enumerate(lines):
        p_value, p_adjusted = p[j], adjusted.get(j)
        out.append(
            Item(
                indices[j],
                rounded(Fraction(line.sum_a, L * x.Q)),
                not line.rate_variance,
                None if line.rate_variance else rate_bound(confidence, sum(x.n[:, j].tolist())),
                rounded(Fraction(line.S_ab, scale)),
                rounded(Fraction(D * line.rate_variance, G * scale)),
                discrimination[j],
                None if p_value is None else value(p_value),
                None if p_adjusted is None else value(p_adjusted),
                p_adjusted is not None and line.S_ab < 0 and sub(ext(fdr), p_adjusted)[0] >= 0.0,
            )
        )
    return out


def _lines(x: Cells) -> list[_Line]:
    """The line fitted to every question, against the sum of the other questions."""
    a, L = x.X, x.n.shape[0]
    b = a.sum(axis=1)[:, None] - a
    sums = ([int(y) for y in column] for column in (z.sum(axis=0) for z in (a, b, a * a, a * b, b * b)))
    return [
        _Line(L * ab - sa * sb, L * aa - sa * sa, L * bb - sb * sb, sa, sa * (L * x.Q - sa))
        for sa, sb, aa, ab, bb in zip(*sums, strict=True)
    ]


def _p_value(line: _Line, D: int, G: int, L: int) -> Triple | None:
    """P-value of a covariance below the expected one; D, G: sums of S_ab and rate_variance over all questions."""
    if not line.rate_variance or not line.residual:
        return None
    gap = line.S_ab * G - line.rate_variance * D
    t = root(from_ratio(gap * gap * (L - 2), G * G * line.residual))
    return t_cdf(t if gap > 0 else neg(t), ext(float(L - 2)))


def _discriminations(x: Cells, lines: list[_Line]) -> list[float | None]:
    """Correlations of the questions with the others, corrected for the trial-to-trial variance."""
    single_trial, (L, M) = x.single_trial_variance(), x.n.shape
    if single_trial is None:
        return [None] * M
    trial_variances = x.variances(single_trial)
    total, unit = sum(trial_variances, Fraction(0)), L * (L - 1) * x.Q**2

    def correlation(line: _Line, v: Fraction) -> float | None:
        var_a, var_b = Fraction(line.S_aa, unit) - v / L, Fraction(line.S_bb, unit) - (total - v) / L
        if var_a <= 0 or var_b <= 0:
            return None
        # S_ab and the root of var_b both lack the divisor M - 1
        square = Fraction(line.S_ab, unit) ** 2 / (var_a * var_b)
        r = value(root(from_fraction(square)))
        return r if line.S_ab >= 0 else -r

    return [correlation(line, v) for line, v in zip(lines, trial_variances, strict=True)]


def rate_bound(confidence: float, T: int) -> float:
    """Lower limit of the rate of an outcome that all of T trials had: (1 - confidence)^(1/T)."""
    return value(exp(div(log(sub(ONE, ext(confidence))), from_ratio(T, 1))))
