"""Weights of "at least r of k succeed": the caller's own, and the threshold that tau means."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import FloatArray, vector
from ..arithmetic import double_double
from ..errors import InvalidInput
from . import hypergeometric


def given_weights(x: Any, k: int) -> FloatArray:
    """k weights w_1..w_k, none negative, of sum at most 1, as the triples that the kernels take."""
    values = vector(x, "weights")
    if len(values) != k:
        raise InvalidInput("length", "weights", f"weights has {len(values)} entries for k = {k}")
    for r, item in enumerate(values):
        if item < 0.0:
            raise InvalidInput("range", "weights", f"weights[{r}] = {item!r} is negative")
    w, A = np.zeros((k + 1, 3)), np.zeros((k + 1, 3))
    hypergeometric.given_weights(np.array(values), w)
    hypergeometric.credits(w, A)
    if double_double.value(double_double.get(A, k)) > 1.0 + 1e-12:
        raise InvalidInput("sum", "weights", f"weights sum to {sum(values)!r}, above 1")
    return w


def threshold(k: int, tau: float) -> int:
    """The smallest r >= 1 with double(r / k) >= tau: ceil(tau k) without its rounding errors."""
    r = max(1, min(k, int(tau * k)))
    while r > 1 and (r - 1) / k >= tau:
        r -= 1
    while r / k < tau:
        r += 1
    return r
