"""``scorio gate``: may a candidate replace a baseline? The exit code is the verdict."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any

from ..display.text import cut
from ..errors import InvalidInput
from . import options, output
from .compare import pair_of
from .tables import wrapped

SCHEMA = "scorio.gate/1"
EXIT = {"pass": 0, "fail": 1, "inconclusive": 3}
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
A candidate that is worse by M or more passes with a probability of at most
(1 - P)/2 of --confidence P, 2.5% by default.

A baseline can be stored as counts: scorio convert base-log --to counts.
--look 2/5 is the second of five looks at equal steps of the planned trials (or
questions): the error rates are then those of all looks together.

"""


def _look(text: str) -> list[float]:
    """2/5 as the fractions of the looks so far: 0.2 and 0.4."""
    now, _, all_ = text.partition("/")
    if not (now.isdecimal() and all_.isdecimal() and 1 <= int(now) <= int(all_) <= 256):
        raise ArgumentTypeError(f"{text!r} is no look such as 2/5: the second of five")
    return [i / int(all_) for i in range(1, int(now) + 1)]


def add(commands: Any) -> None:
    """The command and its options."""
    about = "Decide whether a candidate is non-inferior to a baseline by a margin; the exit code is the verdict."
    parser = options.command(commands, "gate", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser, several=False)
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="candidate and baseline of the log, or the log of the baseline")
    add("--margin", type=float, required=True, metavar="M", help="the loss that is acceptable, in units of the score")
    options.metric(parser)
    options.asking(parser)
    add("--look", type=_look, metavar="K/N", help="the K-th of N planned looks, at equal steps (default: the only one)")
    add("--spending", choices=("obrien-fleming", "pocock"), default="obrien-fleming",
        help="how looks share the error rate: mostly late (default), or evenly")  # fmt: skip
    add("--power", type=float, default=0.8, metavar="P", help="for the plan of an inconclusive gate (default 0.8)")
    add("--junit", metavar="FILE", help="write a test report in JUnit XML")
    add("--markdown", metavar="FILE", help="write a summary in Markdown, for the page of a build")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, align, decide, write."""
    from .. import sinf
    from ..leaderboard import gating, incomplete
    from ..metrics.metric import FACTS, read_metric

    names, logs = pair_of(args)
    new, base = (logs[x] for x in names)
    rule: dict[str, Any] = {"margin": args.margin, "questions": args.questions, "confidence": args.confidence}
    rule |= {"looks": args.look, "spending": args.spending, "power": args.power}
    if args.questions == "sampled":
        rule["clusters"] = new.clusters
    result = sinf.gate(new.counts, base.counts, args.metric, args.k, args.tau, args.weights, **rule)
    name = read_metric(args.metric, args.k, args.tau, args.weights).name
    look = f"look {len(args.look)} of {round(len(args.look) / args.look[-1])}" if args.look else ""
    title = FACTS[name].title.format(k=args.k, tau=args.tau)
    asked = (args.margin, args.questions, args.confidence, args.power, look, args.weights)
    cases = [gating.Case(names[0], names[1], title, result, *asked)]
    _written(args, args.junit, "junit", gating.junit(cases))
    _written(args, args.markdown, "markdown", gating.markdown(cases))
    said = gating.sentences(cases[0])

    def page(columns: int) -> list[str]:
        rows = gating.facts(cases[0])
        longest = max(len(name) for name, _ in rows)
        table = "\n".join(f"{name:<{longest}}  {cut(x, columns - longest - 2)}" for name, x in rows)
        return [gating.summary(cases, new.counts.M), table, wrapped(said, columns)]

    notes = incomplete(logs, args.missing)
    more = {"schema": SCHEMA, "verdict": result.verdict, "exit_code": EXIT[result.verdict], "power": args.power}
    more |= {"looks": args.look, "spending": args.spending, "shared_questions": new.counts.M, "sentences": said}
    found = output.answer(args, [gating.record(x) for x in cases], notes, page, **more)
    return found._replace(code=EXIT[result.verdict])


def _written(args: Namespace, path: str | None, option: str, text: str) -> None:
    if path is None:
        return
    for log in (args.file, *args.models):
        if Path(log).exists() and Path(path).exists() and Path(path).samefile(log):
            raise InvalidInput("conflict", option, f"--{option} {path} would overwrite the log")
    Path(path).write_text(text, encoding="utf-8")
