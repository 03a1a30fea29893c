"""Outcomes of single trials, for functions that take a second value per trial, such as its cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from .counts import Counts
from .matrix import read_matrix
from .tally import count


def single_trials(R: Any, missing: str | int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Binary outcomes (M, N), and a mask of the entries that are trials: missing ones too if they count as 0 or 1."""
    if isinstance(R, Counts):
        raise InvalidInput("type", "R", "R must be single trials: Counts do not say which trial cost what")
    count(R, 1, missing)  # raises the error of an invalid R
    A, code, _ = read_matrix(R, "R", missing, None)
    missing_entries = (A != A) | (code == A if code is not None else False)
    is_trial = np.ones(A.shape, bool) if missing not in ("raise", "drop") else ~missing_entries
    out = np.full(A.shape, 0 if isinstance(missing, str) else int(missing))
    out[~missing_entries] = A[~missing_entries]
    return out, is_trial
