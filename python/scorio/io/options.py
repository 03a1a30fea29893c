"""The options of :func:`scorio.io.read`, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .. import arguments
from ..errors import InvalidInput
from .choices import Which
from .layout import Layout
from .text_files import shown

LEVELS = "levels"


class ReadOptions(NamedTuple):
    """Checked options of :func:`scorio.io.read`; C is None where the levels are the scores that occur in the log."""

    C: int | None
    weights: list[float] | None
    missing: str | int
    missing_code: int | None
    trials: bool
    which: Which = Which()
    format: str | None = None
    runs: bool = False
    tasks: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    columns: dict[str, str] | None = None
    layout: Layout | None = None
    answers: bool = False
    exclude: tuple[str, ...] = ()
    wide: bool = False
    cost: str | None = None
    engine: bool = True  # whether an engine may count large tables


def read_options(
    weights: Any = None,
    missing: Any = "raise",
    missing_code: Any = None,
    trials: Any = False,
    which: Any = None,
    format: Any = None,
    runs: Any = False,
    task: Any = None,
    scale: Any = None,
    columns: Any = None,
    layout: Any = None,
    answers: Any = False,
    exclude: Any = None,
    wide: Any = False,
    cost: Any = None,
) -> ReadOptions:
    """Check the options of :func:`scorio.io.read`."""
    tasks, chosen = _texts(task, "task"), _texts(which, "which")
    ends = _ends(scale)
    if ends is not None and weights is None:
        weights = LEVELS
    if isinstance(weights, str):
        arguments.choice(weights, "weights", (LEVELS,))
        arguments.policy(missing, None)
        C = None
    elif ends is not None:
        raise InvalidInput("conflict", "scale", "weights are the score of each category, a scale that of scores")
    else:
        C = len(arguments.weights(weights)) - 1
        if C < 1:
            raise InvalidInput("length", "weights", "weights need two entries or more: categories 0 and 1 at least")
        arguments.policy(missing, C)
    scores = None if weights is None or C is None else [float(x) for x in weights]
    code, keep, pooled = arguments.code(missing_code), arguments.flag(trials, "trials"), arguments.flag(runs, "runs")
    named = None if columns is None else _columns(columns)
    pattern = None if layout is None else Layout(layout)
    voted = arguments.flag(answers, "answers")
    if voted and (C != 1 or not isinstance(missing, str)):
        what = "answers are right or wrong: not with weights, nor with missing outcomes counted as a category"
        raise InvalidInput("conflict", "answers", what)
    chosen_by, left_out, spread = Which(chosen, tasks), _texts(exclude, "exclude"), arguments.flag(wide, "wide")
    unit = next(iter(_texts(None if cost is None else [cost], "cost")), None)
    if spread and named is not None:
        raise InvalidInput("conflict", "wide", "wide: each column is a model, so that columns names none of them")
    return ReadOptions(
        C,
        scores,
        missing,
        code,
        keep,
        chosen_by,
        format,
        pooled,
        tasks,
        ends,
        named,
        pattern,
        voted,
        left_out,
        spread,
        unit,
    )


def _texts(x: Any, name: str) -> tuple[str, ...]:
    """An option that is one text, several or none, as a tuple of texts."""
    if isinstance(x, Mapping):
        x = [f"{task}={metric}" for task, metric in x.items()]
    texts = () if x is None else (x,) if isinstance(x, str) else tuple(x) if isinstance(x, Iterable) else (x,)
    for text in texts:
        if type(text) is not str or not text:
            raise InvalidInput("type", name, f"{name} {shown(text)} is not text")
    return texts


def _columns(x: Any) -> dict[str, str]:
    if not isinstance(x, Mapping) or not all(type(y) is str for pair in x.items() for y in pair):
        raise InvalidInput("type", "columns", f"columns must be a mapping of names to names, not {shown(x)}")
    return dict(x)


def _ends(scale: Any) -> tuple[float, float] | None:
    """The lowest and the highest possible score, as the option scale states them."""
    if scale is None:
        return None
    if isinstance(scale, str) or not isinstance(scale, Iterable) or len(ends := list(scale)) != 2:
        raise InvalidInput("type", "scale", f"scale is {shown(scale)}, not the lowest and the highest score")
    lo, hi = arguments.weights(ends)
    if not lo < hi:
        raise InvalidInput("range", "scale", f"scale is {shown(ends)}, not the lowest and the highest score")
    return float(lo), float(hi)
