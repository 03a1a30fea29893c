"""Statistics of repeated evaluations of language models, from outcomes to decisions."""

from . import converge, eval, rank, rubric, simulate, sinf, utils
from .errors import InvalidInput
from .evaluate import evaluate
from .outcomes.counts import Counts
from .outcomes.tally import tally
from .version import __version__

__all__ = [
    "Counts",
    "InvalidInput",
    "__version__",
    "converge",
    "eval",
    "evaluate",
    "rank",
    "rubric",
    "simulate",
    "sinf",
    "tally",
    "utils",
]
