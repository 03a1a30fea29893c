"""The success rate of every model on every question, as exact integers over a common denominator."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic.double_double import value
from ..arithmetic.rational import from_ratio, total
from ..errors import InvalidInput
from ..outcomes.models import count_models

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
    return value(from_ratio(x.numerator, x.denominator)) + 0.0  # -0.0 becomes 0.0
