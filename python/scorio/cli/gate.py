"""``scorio gate``: may a candidate replace a baseline? The exit code is the verdict."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..display.text import cut, width
from ..errors import InvalidInput
from . import options, output
from .compare import benchmarks_of, pair_of
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


def run(args: Namespace) -> output.Answer:
    """Read, align, decide, write."""
    logs = options.read(args)
    return _over_suite(args, *benchmarks_of(args, logs)) if logs.benchmarks else _of_one(args, logs)


def _asked(args: Namespace) -> tuple[dict[str, Any], tuple[Any, ...], str, str]:
    """What both gates take; what a case says of it; the look; the metric in words."""
    from ..metrics.metric import FACTS, read_metric

    rule = {"margin": args.margin, "questions": args.questions, "confidence": args.confidence, "power": args.power}
    name = read_metric(args.metric, args.k, args.tau, args.weights).name
    look = f"look {len(args.look)} of {round(len(args.look) / args.look[-1])}" if args.look else ""
    title = FACTS[name].title.format(k=args.k, tau=args.tau)
    return rule, (args.margin, args.questions, args.confidence, args.power, look, args.weights), look, title


def _of_one(args: Namespace, logs: Any) -> output.Answer:
    from .. import sinf
    from ..leaderboard import gating, incomplete

    names, logs = pair_of(args, logs)
    new, base = (logs[x] for x in names)
    rule, asked, _, title = _asked(args)
    rule |= {"looks": args.look, "spending": args.spending}
    if args.questions == "sampled":
        rule["clusters"] = new.clusters
    result = sinf.gate(new.counts, base.counts, args.metric, args.k, args.tau, args.weights, **rule)
    case = gating.Case(names[0], names[1], title, result, *asked)
    _written(args, args.junit, "junit", gating.junit([case]))
    _written(args, args.markdown, "markdown", gating.markdown([case]))
    said = gating.sentences(case)

    def page(columns: int) -> list[str]:
        rows = gating.facts(case)
        return [gating.summary(result.verdict, new.counts.M), _table(rows, columns), wrapped(said, columns)]

    return _answer(args, result.verdict, [case], said, page, incomplete(logs, args.missing), new.counts.M)


def _over_suite(args: Namespace, names: list[str], parts: dict[str, Any]) -> output.Answer:
    from .. import sinf
    from ..leaderboard import gating, incomplete
    from ..leaderboard.suite import beside, on_one_scale

    if args.look:
        raise InvalidInput("conflict", "look", "--look is of one benchmark, and there are several: choose with --task")
    parts, args.weights = on_one_scale(parts)
    rule, asked, _, title = _asked(args)
    rule |= {"rule": args.rule, "weights": args.task_weights}
    if args.questions == "sampled":
        rule["clusters"] = {x: part[names[0]].clusters for x, part in parts.items() if part[names[0]].clusters} or None
    new, base = ({x: part[name].counts for x, part in parts.items()} for name in names)
    found = sinf.gate_suite(new, base, args.metric, args.k, args.tau, args.weights, **rule)

    def case(what: str, result: Any) -> gating.Case:
        return gating.Case(names[0], names[1], what, result, *asked)._replace(benchmark=result.benchmark)

    mean = case(f"weighted mean of the {title}", found.mean)
    each = [case(f"{title} in {x.benchmark}", x) for x in found.each]
    cases, said = [mean, *each], gating.of_suite(found, args.rule, mean, each)
    _written(args, args.junit, "junit", gating.junit(cases, True) if args.rule == "mean" else gating.junit(each))
    _written(args, args.markdown, "markdown", gating.markdown(cases, found.verdict, said))
    shared = sum(x.M for x in new.values())

    def page(columns: int) -> list[str]:
        rows = [(case.benchmark or "mean", f"{case.result.verdict:<12}  {gating.numbers(case)}") for case in cases]
        head = gating.summary(found.verdict, shared, len(each))
        facts = [x for x in gating.facts(mean) if x[0] in ("candidate", "baseline", "metric", "margin", "about")]
        return [head, _table(facts, columns), _table(rows, columns), wrapped(said, columns)]

    logs = next(iter(parts.values())).having({})
    logs.benchmarks = parts
    more = {"rule": args.rule, "benchmarks": dict(zip(parts, found.weights, strict=True))}
    return _answer(args, found.verdict, cases, said, page, incomplete(beside(logs), args.missing), shared, **more)


def padded(name: str, columns: int) -> str:
    """A name in so many columns."""
    short = cut(name, columns)
    return short + " " * (columns - width(short))


def _table(rows: Sequence[tuple[str, str]], columns: int) -> str:
    longest = min(max(width(name) for name, _ in rows), columns // 3)
    return "\n".join(f"{padded(name, longest)}  {cut(x, columns - longest - 2)}" for name, x in rows)


def _answer(
    args: Namespace,
    verdict: str,
    cases: Sequence[Any],
    said: list[str],
    page: Any,
    notes: Sequence[str],
    shared: int,
    **more: Any,
) -> output.Answer:
    from ..leaderboard import gating

    more = {"schema": SCHEMA, "verdict": verdict, "exit_code": EXIT[verdict], "power": args.power} | more
    more |= {"looks": args.look, "spending": args.spending, "shared_questions": shared, "sentences": said}
    found = output.answer(args, [gating.record(x) for x in cases], notes, page, **more)
    return found._replace(code=EXIT[verdict])


def _written(args: Namespace, path: str | None, option: str, text: str) -> None:
    if path is None:
        return
    for log in (args.file, *args.models):
        if Path(log).exists() and Path(path).exists() and Path(path).samefile(log):
            raise InvalidInput("conflict", option, f"--{option} {path} would overwrite the log")
    Path(path).write_text(text, encoding="utf-8")
