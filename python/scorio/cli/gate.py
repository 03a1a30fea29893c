"""``scorio gate``: may a candidate replace a baseline, or does it score high enough? The exit code is the verdict."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from ..display.text import listed
from ..errors import InvalidInput
from . import options
from .compare import two_models

if TYPE_CHECKING:
    from ..analysis.each import QuestionGate
    from ..analysis.gate import Gate

EXAMPLES = """examples:
  scorio gate new.csv base.csv --margin 0.01      a log of one model each
  scorio gate runs.csv new base --margin 0.01     two models of a log
  scorio gate new.csv --at-least 0.9              one model against a number
  scorio gate new.csv --each 0.8                  every question: at least 0.8
  scorio gate new.csv base.csv --margin 0.01 --junit gate.xml --markdown gate.md
  scorio gate new.csv base.csv --margin 0.02 --look 2/5
  scorio gate new.csv base.csv --margin 0.01 || [ $? -eq 3 ]
                                                  accept inconclusive too

"""
MEANING = """The candidate comes first. The difference candidate - baseline is taken on the
questions that both answered. With the margin M, the verdict is
  pass          the whole interval is above -M: non-inferior       exit code 0
  fail          the whole interval is below -M                     exit code 1
  inconclusive  the interval contains -M; the output states how
                many trials or questions would decide              exit code 3
A candidate that is worse by M or more passes with a nominal probability of at
most (1 - P)/2 (--confidence P), 2.5% by default.

With --at-least X the interval of the score of one model is compared with X in
the same way, and with the same error rates. With --each X every question must
have an average of at least X: no test, exit code 0 or 1.

A baseline can be stored as counts: scorio convert base-log --to counts.
A log with several tasks has one verdict: pass if the mean over tasks passes and
no task fails (p-values for fail are adjusted for their number by Holm's
method); with --rule each, pass only if each task passes.
--look 2/5 is the second of five looks at equal steps of the planned trials (or
questions): the error rates are then those of all looks together.

"""


CODES = options.exit_codes("0 pass, 1 fail", "3 inconclusive, ")


def _parse_look(text: str) -> list[float]:
    """Parse a look such as 2/5 into the fractions of the looks so far: 0.2 and 0.4."""
    look, _, total = text.partition("/")
    # looks are at least 1/256 of the plan apart: scorio.sinf.boundaries
    if not (look.isdecimal() and total.isdecimal() and 1 <= int(look) <= int(total) <= 256):
        raise ArgumentTypeError(f"{text!r} is not a look such as 2/5: the second of five")
    return [i / int(total) for i in range(1, int(look) + 1)]


# options that gate_each does not have, with their defaults
NOT_OF_EACH = {"metric": "mean", "k": None, "tau": None, "look": None, "spending": "obrien-fleming", "rule": "mean",
               "weights": None, "power": 0.8, "changes": False, "questions": None, "confidence": 0.95,
               "shared": False}  # fmt: skip


def _parse_weights(text: str) -> dict[str, float]:
    """Parse weights such as aime=2,gpqa=1 into a mapping."""
    try:
        return {name: float(x) for name, _, x in (part.rpartition("=") for part in text.split(","))}
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a list such as aime=2,gpqa=1 (scores of categories: --w)") from None


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run, CODES)
    options.add_log(parser, several=False)
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="candidate and baseline of the log, or the log of the baseline")
    options.add_shared(parser)
    options.add_metric(parser)
    options.add_target(parser)
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--margin", type=float, metavar="M", help="the loss that is acceptable, in units of the score")
    target.add_argument("--at-least", type=float, metavar="X", help="instead: the score that one model should exceed")
    target.add_argument("--each", type=float, metavar="X", help="instead: the average that every question must reach")
    add("--look", type=_parse_look, metavar="K/N",
        help="the K-th of N planned looks, at equal steps (default: the only one)")  # fmt: skip
    add("--spending", choices=("obrien-fleming", "pocock"), default="obrien-fleming",
        help="how looks share the error rate: mostly late (default), or evenly")  # fmt: skip
    add("--rule", choices=("mean", "each"), default="mean",
        help="for several benchmarks: the weighted mean passes and none fails (default), or each passes")  # fmt: skip
    add("--weights", type=_parse_weights, metavar="TASK=W,...", help="weight of each benchmark in the mean")
    add("--power", type=float, default=0.8, metavar="POWER",
        help="power of the sample size that an inconclusive gate states (default 0.8)")  # fmt: skip
    add("--changes", action="store_true",
        help="also name the questions that regressed, at a false-discovery rate of 1 - P (--confidence P)")  # fmt: skip
    parser.set_defaults(option_names={"score": "--each"})
    options.add_reports(parser)
    options.add_forms(parser)


def run(args: Namespace) -> Gate | QuestionGate:
    """Read the logs, decide and write the reports."""
    result = _decide(args)
    options.write_reports(args, result)
    return result


def _decide(args: Namespace) -> Gate | QuestionGate:
    e = options.evaluation(args)
    if args.margin is None and len(args.models) > 1:
        reason = f"--at-least and --each check one model: name one of {', '.join(args.models)}"
        raise InvalidInput("conflict", "models", reason)
    if args.each is not None:
        if unused := [name for name, default in NOT_OF_EACH.items() if getattr(args, name) != default]:
            listed_options = listed(["--" + name for name in unused])
            raise InvalidInput(
                "conflict", "each", f"--each compares averages with a number: leave out {listed_options}"
            )
        return e.gate_each(args.each, *args.models)
    a, b = (*args.models, None)[0], None
    if args.margin is not None:
        e, a, b = two_models(args, e)
    settings = {"questions": args.questions, "confidence": args.confidence, "rule": args.rule, "power": args.power}
    settings |= {"weights": args.weights, "looks": args.look, "spending": args.spending, "changes": args.changes,
                 "shared": args.shared}  # fmt: skip
    return e.gate(a, b, args.metric, args.k, args.tau, margin=args.margin, at_least=args.at_least, **settings)
