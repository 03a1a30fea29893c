"""Ratings and rank ranges from battles between two models."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, ClassVar

from ..choices import BattleClusters, BattleTies, BothBad
from ..io.battles import read_battles
from ..rank import bradley_terry
from ..rank.battles.table import count_battles
from .result import Result, about_file


@dataclass(frozen=True)
class Row:
    """Rating of a model: its values in the lists that :func:`scorio.rank.bradley_terry` returns."""

    model: str
    group: int
    status: str
    rating: float | None
    lo: float | None
    hi: float | None
    theta: float | None
    best: int | None
    worst: int | None


@dataclass(frozen=True, kw_only=True)
class Ratings(Result):
    """Ratings of models from battles.

    Attributes
    ----------
    table : tuple of Row
        Models by group, best rating first.
    battles : int
        Battles that were counted.
    ties, position_bias, both_bad, cluster, anchor, scale, base, init_rating
        The arguments of :func:`scorio.rank.bradley_terry`.
    bias, bias_lo, bias_hi, tie, tie_lo, tie_hi, dropped
        The values that :func:`scorio.rank.bradley_terry` returned.
    groups : tuple of str
        Columns, not groups of models: those of "question" and "voter" of the file in which a value occurs twice, so
        that battles may depend on each other; empty if cluster is stated.
    """

    schema: ClassVar[str] = "scorio.battles/3"
    table: tuple[Row, ...]
    battles: int
    ties: str
    position_bias: bool
    both_bad: str
    cluster: str | None
    anchor: str
    scale: float
    base: float
    init_rating: float
    bias: float | None
    bias_lo: float | None
    bias_hi: float | None
    tie: float | None
    tie_lo: float | None
    tie_hi: float | None
    dropped: int
    groups: tuple[str, ...] = ()


def battles(
    table: Any,
    ties: BattleTies = "half",
    *,
    columns: dict[str, str | None] | None = None,
    position_bias: bool = False,
    both_bad: BothBad = "tie",
    cluster: BattleClusters | None = None,
    anchor: str = "mean",
    scale: float = 400.0,
    base: float = 10.0,
    init_rating: float = 1000.0,
    confidence: float = 0.95,
) -> Ratings:
    """Rate models by battles between two of them.

    Parameters
    ----------
    table : path, mapping, data frame or list
        Battles: a file for :func:`scorio.io.read_battles`, or a table as :func:`scorio.rank.bradley_terry` takes it.
    columns : mapping of str to str, optional
        Names of the columns in the file, as for :func:`scorio.io.read_battles`.
    ties, position_bias, both_bad, cluster, anchor, scale, base, init_rating, confidence
        As for :func:`scorio.rank.bradley_terry`.

    Returns
    -------
    Ratings

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.io.read_battles` and :func:`scorio.rank.bradley_terry`.
    """
    from_file = isinstance(table, (str, PathLike))
    data = read_battles(table, columns=columns) if from_file else table
    options: dict[str, Any] = {
        "position_bias": position_bias, "both_bad": both_bad, "cluster": cluster, "anchor": anchor, "scale": scale,
        "base": base, "init_rating": init_rating,
    }  # fmt: skip
    fit = bradley_terry(data, ties, **options, confidence=confidence)
    order = sorted(range(len(fit.models)), key=lambda i: (fit.group[i], -(fit.rating[i] or 0.0), fit.models[i]))
    best: list[Any] = fit.best or [None] * len(order)
    worst: list[Any] = fit.worst or [None] * len(order)
    lists = [fit.models, fit.group, fit.status, fit.rating, fit.lo, fit.hi, fit.theta, best, worst]
    by_model: list[tuple[Any, ...]] = list(zip(*lists, strict=True))
    rows = tuple(Row(*by_model[i]) for i in order)
    total = sum(count_battles(data, both_bad, ordered=position_bias).rows.values())
    fitted = {name: getattr(fit, name) for name in ("bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi", "dropped")}
    about = about_file(fspath(table) if from_file else "battles", [row.model for row in rows], confidence)
    group_ids = {
        name: list(data[name]) for name in ("question", "voter") if from_file and name in data and cluster is None
    }
    groups = tuple(name for name, ids in group_ids.items() if len({*ids}) < len(ids))
    return Ratings(about=about, table=rows, battles=total, ties=ties, groups=groups, **options, **fitted)
