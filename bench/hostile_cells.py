"""Cells of hostile success rates: kinds of question with their rates and trials, and moves between cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln
from scipy.stats import beta

Array = np.ndarray
Rng = np.random.Generator
Cell = dict[str, Any]  # "kinds", and the other parameters of a simulation: M, N, k, ... (listed in mistakes.py)
Space = dict[str, tuple[Any, ...]]  # ordered values; "kinds": ("trials",) if kinds have their own trials
RATES = (0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.45, 0.5, 0.55, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 1)
# values of Kind.size (the repeated None is drawn more often) and of Kind.trials
SIZES, TRIALS = (None, None, None, 1.0, 3.0, 10.0, 30.0), (1, 2, 4, 8, 16, 32)


class Kind(NamedTuple):
    """A kind of question: its share (relative to the other kinds), mean rate and number of trials (None: the cell's).

    Rates of questions have the distribution Beta(rate * size, (1 - rate) * size), or are all equal (size None).
    """

    share: float
    rate: float
    size: float | None = None
    trials: int | None = None

    def __str__(self) -> str:
        rate = f"{self.rate:.3g}" + (f" (Beta, {self.size:g})" if self.size else "")
        return f"{100 * self.share:.3g}% at {rate}" + (f" with {self.trials} trials" if self.trials else "")

    @property
    def shape(self) -> tuple[float, float] | None:
        """The two parameters of the beta distribution; None at a single rate."""
        if self.size is None or self.rate in (0, 1):
            return None
        return self.rate * self.size, (1 - self.rate) * self.size

    def pass_at_k(self, k: int) -> float:
        """Pass@k of questions of this kind."""
        if (ab := self.shape) is None:
            return 1 - (1 - self.rate) ** k
        return 1 - float(np.exp(betaln(ab[0], ab[1] + k) - betaln(*ab)))


Kinds = tuple[Kind, ...]


def shares(kinds: Kinds) -> Array:
    """Shares of the kinds, scaled so that their sum is 1."""
    x = np.array([kind.share for kind in kinds])
    return x / x.sum()


def fixed_rates(kinds: Kinds, M: int) -> tuple[Array, Array]:
    """Rates of M questions, at the quantiles of their distribution, and the index of each question's kind."""
    ends = np.round(np.cumsum(shares(kinds)) * M).astype(int)
    which = np.searchsorted(ends, np.arange(M), "right")
    out = np.array([float(kinds[i].rate) for i in which])
    for i, kind in enumerate(kinds):
        if kind.shape and (m := int((which == i).sum())):
            out[which == i] = beta.ppf((np.arange(m) + 0.5) / m, *kind.shape)
    return out, which


def sampled_rates(rng: Rng, kinds: Kinds, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Rates of sampled questions, and the index of each question's kind."""
    which = rng.choice(len(kinds), shape, p=shares(kinds))
    out = np.array([float(kind.rate) for kind in kinds])[which]
    for i, kind in enumerate(kinds):
        if kind.shape:
            out[which == i] = rng.beta(*kind.shape, int((which == i).sum()))
    return out, which


def trials(kinds: Kinds, which: Array, N: int) -> Array:
    """Number of trials of each question."""
    return np.array([kind.trials or N for kind in kinds])[which]


def mean_pass_at_k(kinds: Kinds, k: int) -> float:
    """Pass@k of a mixture of kinds."""
    return float(shares(kinds) @ [kind.pass_at_k(k) for kind in kinds])


# --- moves ------------------------------------------------------------------------------------------


def any_cell(rng: Rng, space: Space) -> Cell:
    """A random cell of a space, with one to four kinds of question."""
    cell = {name: values[rng.integers(len(values))] for name, values in space.items() if name != "kinds"}
    if "kinds" in space:
        several = rng.choice(4, p=(0.1, 0.6, 0.2, 0.1)) + 1
        rest, kinds = 1.0, []
        for i in range(several):
            share = rest if i == several - 1 else rest * float(np.exp(rng.uniform(np.log(0.01), np.log(0.9))))
            kinds.append(_kind(rng, share, "trials" in space["kinds"]))
            rest -= share
        cell["kinds"] = tuple(kinds)
    return cell


def moved(rng: Rng, cell: Cell, space: Space) -> Cell:
    """A neighbouring cell: one parameter takes an adjacent value, or one kind changes, is removed or is added."""
    name = list(space)[rng.integers(len(space))]
    if name != "kinds":
        values = space[name]
        at = values.index(cell[name]) if cell.get(name) in values else int(rng.integers(len(values)))
        return {**cell, name: values[int(np.clip(at + rng.choice((-1, 1)), 0, len(values) - 1))]}
    kinds, i = list(cell["kinds"]), int(rng.integers(len(cell["kinds"])))
    how, with_trials = int(rng.integers(5)), "trials" in space["kinds"]
    if how == 0:
        kinds[i] = kinds[i]._replace(share=float(kinds[i].share * np.exp(0.5 * rng.normal())))
    elif how == 1:
        near = int(np.abs(np.array(RATES) - kinds[i].rate).argmin()) + int(rng.choice((-1, 1)))
        kinds[i] = kinds[i]._replace(rate=RATES[int(np.clip(near, 0, len(RATES) - 1))])
    elif how == 2:
        kinds[i] = kinds[i]._replace(size=SIZES[rng.integers(len(SIZES))])
    elif how == 3 and with_trials:
        kinds[i] = kinds[i]._replace(trials=TRIALS[rng.integers(len(TRIALS))])
    elif len(kinds) > 2:
        del kinds[i]
    else:
        kinds.append(_kind(rng, float(rng.uniform(0.01, 0.3)), with_trials))
    total = sum(kind.share for kind in kinds)
    return {**cell, "kinds": tuple(kind._replace(share=kind.share / total) for kind in kinds)}


def _kind(rng: Rng, share: float, with_trials: bool) -> Kind:
    rate, size = RATES[rng.integers(len(RATES))], SIZES[rng.integers(len(SIZES))]
    return Kind(float(share), rate, size, TRIALS[rng.integers(len(TRIALS))] if with_trials else None)


def shown(cell: Cell) -> str:
    """Text of a cell, as in the table of hostile.py (bench/METHOD.md)."""
    total = sum(kind.share for kind in cell.get("kinds", ()))
    kinds = ["; ".join(str(kind._replace(share=kind.share / total)) for kind in cell["kinds"])] if total else []
    return ", ".join([*kinds, *(f"{name} {_shown(x)}" for name, x in cell.items() if name != "kinds")])


def _shown(x: Any) -> str:
    if isinstance(x, tuple):
        return " + ".join("{} x {} at {}".format(*part) for part in x)
    return f"{x:.4g}" if isinstance(x, float) else str(x)


# --- runs -------------------------------------------------------------------------------------------


def share_of(runs: Array, errs: Callable[[Array], bool]) -> float:
    """Share of the runs, shape (B, M, columns), for which errs is true.

    errs is called once for all runs that have the same rows, whatever their order.
    """
    judged: dict[bytes, bool] = {}
    wrong = 0
    for rows in runs:
        rows = rows[np.lexsort(rows.T[::-1])]
        key = rows.tobytes()
        if key not in judged:
            judged[key] = bool(errs(rows))
        wrong += judged[key]
    return wrong / len(runs)
