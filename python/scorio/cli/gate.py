"""``scorio gate``: may a candidate replace a baseline? The exit code is the verdict."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from . import options
from .compare import two_models

if TYPE_CHECKING:
    from ..analysis.gate import Gate

EXAMPLES = """examples:
  scorio gate new.csv base.csv --margin 0.01      a log of one model each
  scorio gate runs.csv new base --margin 0.01     two models of a log
  scorio gate new.csv base.csv --margin 0.01 --junit gate.xml --markdown gate.md
  scorio gate new.csv base.csv --margin 0.02 --look 2/5

"""
MEANING = """The candidate comes first. The difference candidate - baseline is that on the
questions which both answered. With the margin M, the verdict is
  pass          the whole interval is above -M: non-inferior       exit code 0
  fail          the whole interval is below -M                     exit code 1
  inconclusive  the interval contains -M; how many trials or
                questions would decide is said                     exit code 3
A candidate that is worse by M or more passes with a nominal probability of
(1 - P)/2 of --confidence P, 2.5% by default.

A baseline can be stored as counts: scorio convert base-log --to counts.
A log with several tasks is decided over all of them: pass if the mean over
tasks passes and no task fails, p-values of failing adjusted for their number
(Holm); with --rule each only if each task passes.
--look 2/5 is the second of five looks at equal steps of the planned trials (or
questions): the error rates are then those of all looks together.

"""


def _look(text: str) -> list[float]:
    """2/5 as the fractions of the looks so far: 0.2 and 0.4."""
    now, _, all_ = text.partition("/")
    if not (now.isdecimal() and all_.isdecimal() and 1 <= int(now) <= int(all_) <= 256):
        raise ArgumentTypeError(f"{text!r} is no look such as 2/5: the second of five")
    return [i / int(all_) for i in range(1, int(now) + 1)]


def _task_weights(text: str) -> dict[str, float]:
    """aime=2,gpqa=1 as a mapping."""
    try:
        return {name: float(x) for name, _, x in (part.rpartition("=") for part in text.split(","))}
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a list such as aime=2,gpqa=1") from None


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser, several=False)
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="candidate and baseline of the log, or the log of the baseline")
    add("--margin", type=float, required=True, metavar="M", help="the loss that is acceptable, in units of the score")
    options.metric(parser)
    options.asking(parser)
    add("--look", type=_look, metavar="K/N", help="the K-th of N planned looks, at equal steps (default: the only one)")
    add("--spending", choices=("obrien-fleming", "pocock"), default="obrien-fleming",
        help="how looks share the error rate: mostly late (default), or evenly")  # fmt: skip
    add("--rule", choices=("mean", "each"), default="mean",
        help="of several benchmarks: the weighted mean passes and none fails (default), or each passes")  # fmt: skip
    add("--task-weights", type=_task_weights, metavar="TASK=W,...", help="what each benchmark counts in the mean")
    add("--power", type=float, default=0.8, metavar="P", help="for the plan of an inconclusive gate (default 0.8)")
    add("--junit", metavar="FILE", help="write a test report in JUnit XML")
    add("--markdown", metavar="FILE", help="write a summary in Markdown, for the page of a build")
    options.forms(parser)


def run(args: Namespace) -> Gate:
    """Read, decide, write the reports."""
    e, a, b = two_models(args, options.evaluation(args))
    asked = {"questions": args.questions, "confidence": args.confidence, "rule": args.rule, "power": args.power}
    asked |= {"weights": args.task_weights, "looks": args.look, "spending": args.spending}
    x = e.gate(a, b, args.metric, args.k, args.tau, margin=args.margin, **asked)
    _write(args, args.junit, "junit", x.to_junit)
    _write(args, args.markdown, "markdown", x.to_markdown)
    return x


def _write(args: Namespace, path: str | None, option: str, text: Callable[[], str]) -> None:
    if path is None:
        return
    for log in (args.file, *args.models):
        if Path(log).exists() and Path(path).exists() and Path(path).samefile(log):
            raise InvalidInput("conflict", option, f"--{option} {path} would overwrite the log")
    options.write(path, text())
