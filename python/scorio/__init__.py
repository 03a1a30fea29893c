"""Statistics of repeated evaluations of language models, from outcomes to decisions."""

from __future__ import annotations

from importlib import import_module

from .version import __version__

TYPE_CHECKING = False  # for type checkers it is true; importing typing takes a time in which no signal is handled
if TYPE_CHECKING:
    from typing import Any

    from . import (
        commands,
        converge,
        errors,
        eval,
        harness,
        io,
        items,
        plot,
        rank,
        results,
        rubric,
        simulate,
        sinf,
        utils,
    )
    from .errors import InvalidInput
    from .eval.table import evaluate
    from .evaluation import Evaluation, read
    from .outcomes.answers import Answers, ScoredTrials
    from .outcomes.counts import Counts
    from .outcomes.tally import tally
    from .receipts import verify

_MODULE_OF = {
    "Answers": "outcomes.answers",
    "Counts": "outcomes.counts",
    "Evaluation": "evaluation",
    "InvalidInput": "errors",
    "ScoredTrials": "outcomes.answers",
    "evaluate": "eval.table",
    "read": "evaluation",
    "tally": "outcomes.tally",
    "verify": "receipts",
}  # the module of each name that is not a module itself
_SUBMODULES = (
    "commands", "converge", "errors", "eval", "harness", "io", "items", "plot", "rank", "results", "rubric", "simulate",
    "sinf", "utils",
)  # fmt: skip
_OTHER = ("agg", "aggregate", "categorical")  # modules of the other package called scorio
_METHODS = (
    "compare",
    "extrapolate",
    "gate",
    "judge",
    "leaderboard",
    "metrics",
    "plan",
    "report",
)  # methods of an Evaluation that people may look for here

__all__ = [
    "Answers", "Counts", "Evaluation", "InvalidInput", "ScoredTrials", "__version__", "commands", "converge", "errors",
    "eval", "evaluate", "harness", "io", "items", "plot", "rank", "read", "results", "rubric", "simulate", "sinf",
    "tally", "utils", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``import scorio`` and ``scorio --help`` are quick."""
    if name in _MODULE_OF:
        value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    elif name in _SUBMODULES:
        value = import_module(f".{name}", __name__)
    elif name in _OTHER:  # an ImportError, since "from scorio import agg" would hide the text of an AttributeError
        raise ImportError(
            f"scorio.{name} is a module of another package called scorio, that of the Python Package Index; this one "
            "has none: docs/migrating.md of the repository compares the two"
        )
    else:
        hint = f": use scorio.read(x).{name}(), x a log, a data frame or arrays" if name in _METHODS else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
