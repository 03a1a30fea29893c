"""``scorio plan --design``: questions and trials that reach a target, and what they cost."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from . import options

if TYPE_CHECKING:
    from ..analysis.design import Designs

MEANING = """scorio plan --design: how many questions with 1, 2, 4, ... trials each reach a
target, for the population of similar questions, and which design is
cheapest. The cost is per model: a price for each question, and one for each
trial. Outcomes must be binary.

"""


def add(parser: Any) -> None:
    """Add the options of --design to the parser of scorio plan."""
    group = parser.add_argument_group("designs (with --design)")
    add = group.add_argument
    add("--design", action="store_true", help="plan numbers of questions and trials for a target")
    add("--se", type=float, metavar="SE", help="target: standard error of the difference of two models")
    add("--coefficient", type=float, metavar="R",
        help="target: reliability of the ranking of the models (default 0.8, if there is no --se)")  # fmt: skip
    add("--cost-question", type=float, metavar="C", help="price of a new question (default 0)")
    add("--cost-trial", type=float, metavar="C", help="price of a trial of one model (default 1)")
    add("--max-trials", type=int, metavar="N", help="largest number of trials per question (default 1000)")


def run(args: Namespace) -> Designs:
    """Read the log and find the designs."""
    return options.evaluation(args).design(**given(args))


def given(args: Namespace) -> dict[str, Any]:
    """The options of designs that were given."""
    names = ("se", "coefficient", "cost_question", "cost_trial", "max_trials")
    return {name: x for name in names if (x := getattr(args, name)) is not None}
