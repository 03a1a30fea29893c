"""Statistics of repeated evaluations of language models, from outcomes to decisions."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from . import converge, eval, items, rank, rubric, simulate, sinf, utils
    from .errors import InvalidInput
    from .eval.table import evaluate
    from .outcomes.answers import Answers, ScoredTrials
    from .outcomes.counts import Counts
    from .outcomes.tally import tally

__all__ = [
    "Answers",
    "Counts",
    "InvalidInput",
    "ScoredTrials",
    "__version__",
    "converge",
    "eval",
    "evaluate",
    "items",
    "rank",
    "rubric",
    "simulate",
    "sinf",
    "tally",
    "utils",
]

_HOMES = {
    "Answers": "outcomes.answers",
    "Counts": "outcomes.counts",
    "InvalidInput": "errors",
    "ScoredTrials": "outcomes.answers",
    "evaluate": "eval.table",
    "tally": "outcomes.tally",
}  # of what is no module
_ROOMS = ("errors", "harness", "io", "leaderboard", "plot", "report", "results")  # modules beside those of __all__


class _Package(ModuleType):
    """What the package offers, imported when it is first asked for, so that ``scorio --help`` is quick."""

    def __getattr__(self, name: str) -> Any:
        if name not in __all__ and name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = import_module(f".{_HOMES.get(name, name)}", __name__)
        if name in _HOMES:
            found = getattr(found, name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, x: Any) -> None:
        if name == "evaluate" and isinstance(x, ModuleType):  # set by the import of the module of that name
            x = x.evaluate
        super().__setattr__(name, x)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
