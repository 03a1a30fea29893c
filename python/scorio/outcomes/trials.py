"""Single trials, where each has a value of its own beside its outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from .counts import Counts
from .matrix import as_matrix
from .tally import count


def single_trials(R: Any, missing: str | int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Binary outcomes (M, N) with those that count as a category filled in, and which of them are trials."""
    if isinstance(R, Counts):
        raise InvalidInput("type", "R", "R must hold single trials: Counts do not say which trial cost what")
    count(R, 1, missing)  # says what is wrong
    A, code, _ = as_matrix(R, "R", missing, None)
    gone = (A != A) | (code == A if code is not None else False)
    kept = np.ones(A.shape, bool) if missing not in ("raise", "drop") else ~gone
    out = np.full(A.shape, 0 if isinstance(missing, str) else int(missing))
    out[~gone] = A[~gone]
    return out, kept
