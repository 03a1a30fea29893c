"""Verdicts of a judge on every output of a model, and human labels of some of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..errors import InvalidInput
from .counts import Counts
from .matrix import read_matrix
from .models import check_flat
from .states import Array
from .tally import LARGEST_CATEGORY, count

UNLABELLED = -1
MIN_LABELS = 10  # fewest labels of a group of merged verdicts, unless there are few labels in all


class Outputs(NamedTuple):
    """The outputs of a model with their verdicts and labels, on the questions on which every model has a verdict."""

    M: int
    question: Array  # index 0..M-1 of the question of each output, increasing
    trials: Array  # outputs of each question
    verdict: Array  # index in `values` of the verdict on each output
    label: Array  # label of each output: a category, or UNLABELLED
    values: list[int]  # the verdicts that occur, increasing
    dropped: list[int]  # indices of the questions that were left out

    @property
    def starts(self) -> Array:
        """The index of the first output of each question."""
        return np.concatenate([[0], np.cumsum(self.trials[:-1])]).astype(np.int64)


class Cells(NamedTuple):
    """Verdicts and labels as matrices, UNLABELLED where there is no verdict or label."""

    verdicts: Array
    labels: Array


def cells(verdicts: Any, labels: Any, C: int | None, missing: Any, has_scores: bool, names: tuple[str, str]) -> Cells:
    """Check verdicts 0, 1, ... and labels 0..C (C None: any category) of the same shape.

    missing: the policy for verdicts; any label may be missing. For errors: has_scores, whether C comes from w, and
    names, the arguments that hold verdicts and labels.
    """
    arguments.policy(missing, LARGEST_CATEGORY)
    v = ratings(verdicts, None, missing, names[0])
    l = ratings(labels, C, "drop", names[1], has_scores)
    if v.shape != l.shape:
        raise InvalidInput(
            "shape", names[1], f"{names[1]} is of shape {l.shape}, {names[0]} of shape {v.shape}: give each "
            "output an entry, None if it has no label"
        )  # fmt: skip
    return Cells(v, l)


def outputs(*tables: Cells, names: Sequence[tuple[str, str]]) -> list[Outputs]:
    """The outputs of each model on the questions on which every model has a verdict; each model needs a label.

    tables: one for each model; names: the arguments that hold its verdicts and labels.
    """
    M = tables[0].verdicts.shape[0]
    for x, (name, _) in zip(tables[1:], names[1:], strict=True):
        if x.verdicts.shape[0] != M:
            first = names[0][0]
            raise InvalidInput(
                "shape",
                name,
                f"{name} has {x.verdicts.shape[0]} questions, {first} has {M}: they must be the same ones",
            )
    keep = np.logical_and.reduce([(x.verdicts >= 0).any(axis=1) for x in tables])
    if not keep.any():
        raise InvalidInput("no_trials", names[0][0], f"no question of {names[0][0]} has a verdict")
    dropped = np.flatnonzero(~keep).tolist()
    return [_outputs(x, keep, dropped, name) for x, (_, name) in zip(tables, names, strict=True)]


def verdict_groups(x: Outputs) -> list[int]:
    """The group of each verdict: five verdicts or more are merged with neighbours until each group has enough labels.

    MIN_LABELS are enough, or half of all labels (rounded up) if that is fewer. A verdict without labels gives no
    information on its outputs, so that without groups there could be no information on most outputs.
    """
    if len(x.values) < 5:
        return list(range(len(x.values)))
    n_labels = np.bincount(x.verdict[x.label >= 0], minlength=len(x.values)).tolist()
    enough, group, n_in_group = min(MIN_LABELS, (sum(n_labels) + 1) // 2), [0], n_labels[0]
    for n in n_labels[1:]:
        group.append(group[-1] + (n_in_group >= enough))
        n_in_group = n + (n_in_group if n_in_group < enough else 0)
    return group if n_in_group >= enough else [min(g, max(group[-1] - 1, 0)) for g in group]


def group_verdicts(x: Outputs, group: list[int]) -> Outputs:
    """The outputs with the group of each verdict instead of the verdict."""
    return x._replace(verdict=np.array(group)[x.verdict], values=list(range(group[-1] + 1)))


def cell_indices(x: Outputs, categories: int) -> Array:
    """The index of each output in a flattened table: a row for each verdict, a column for each label, a last for none.

    categories: how many values a label can have.
    """
    return x.verdict * (categories + 1) + np.where(x.label < 0, categories, x.label)


def _outputs(x: Cells, keep: Array, dropped: list[int], name: str) -> Outputs:
    """The outputs on the questions in the mask `keep`; name: the argument with the labels."""
    v, l = x.verdicts[keep], x.labels[keep]
    rated = v >= 0
    label = l[rated]
    if not (label >= 0).any():
        raise InvalidInput("empty", name, f"{name} has no label of an output that has a verdict")
    values, verdict = np.unique(v[rated], return_inverse=True)
    trials = rated.sum(axis=1)
    question = np.repeat(np.arange(trials.size), trials)
    return Outputs(int(trials.size), question, trials, verdict.reshape(-1), label, values.tolist(), dropped)


def ratings(x: Any, C: int | None, missing: Any, name: str, has_scores: bool = False) -> Array:
    """Check verdicts or labels; returns a matrix in which missing ones are -1, or the category `missing` if it is one.

    C: the highest category, or None; has_scores: whether C comes from w, for errors.
    """
    if isinstance(x, Counts):
        raise InvalidInput("type", name, f"Counts do not say which output is which, as {name} must")
    check_flat(x, name)
    count(x, C, missing if isinstance(missing, str) else "drop", name=name, has_scores=has_scores)
    A, code, _ = read_matrix(x, name, missing, None)
    missing_entries = (
        np.isnan(A) if A.dtype.kind == "f" else np.equal(A, code) if code is not None else np.zeros(A.shape, bool)
    )
    fill = UNLABELLED if isinstance(missing, str) else int(missing)
    return np.where(missing_entries, fill, A).astype(np.int64)
