"""``scorio compare``: two models, and how sure it is that one is better."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..display.text import listed
from ..errors import InvalidInput
from . import options, output
from .tables import MARKS, Column, aligned, digits, drawn, fitted, number, percent, printable, wide, with_ends

if TYPE_CHECKING:
    from .. import io

EXAMPLES = """examples:
  scorio compare runs.csv gpt-4 claude     two models of a log
  scorio compare runs.csv                  the log holds just two
  scorio compare old.csv new.csv           a log of one model each
  scorio compare runs.csv gpt-4 claude --questions sampled --k 2,4

"""
MEANING = """The models are compared on the questions that both answered, one by one.
A - B is the difference with its interval, P(A > B) how sure its sign is.

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "Two models: the difference, its interval, and how sure it is that one is better."
    parser = options.command(commands, "compare", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="two models of the log; or a second log")
    options.asking(parser, "Pass@k too (Max@k with --weights), such as 2,4")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, align, compare, print."""
    from .. import arguments, sinf
    from ..leaderboard.rows import held, interval_of, lost
    from ..leaderboard.verdict import verdict

    arguments.confidence(args.confidence, 0.5)
    names, logs = _pair(args)
    A, B = (logs[x].counts for x in names)
    at_k = "max_at_k" if args.weights else "pass_at_k"
    asked = {"questions": args.questions, "confidence": args.confidence}
    records = []
    for metric, k in [("mean", None), *((at_k, k) for k in args.k or [])]:
        own = [interval_of(logs[x], metric, k, w=args.weights, **asked) for x in names]
        d = sinf.compare(A, B, metric, k, w=args.weights, **asked)
        ends = {f"{x}{end}": getattr(r, field) for x, r in zip("ab", own, strict=True)
                for end, field in (("", "mu"), ("_lo", "lo"), ("_hi", "hi"))}  # fmt: skip
        difference = {"difference": d.mu, "sigma": d.sigma, "lo": d.lo, "hi": d.hi, "p_above": d.p_above}
        records.append({"metric": metric, "k": k} | ends | difference | {"variance_source": d.variance_source})
    shared = number(A.M, "shared question")
    said = verdict(names[0], names[1], A, B, questions=args.questions, confidence=args.confidence, weights=args.weights)
    noises = {r["variance_source"] for r in records}
    notes = [said, *held(logs, args.questions, args.confidence, noises, pairs=True), *lost(logs, args.missing)]

    def page(width: int) -> list[str]:
        lead = [f"{x}  {printable(name)}" for x, name in zip("AB", names, strict=True)]
        head = f"{output.name(args)}: {shared}\n\n" + "\n".join(lead)
        return [head, _table(records, args, width)]

    return output.answer(args, records, notes, page, models=list(names), shared_questions=A.M)


def _pair(args: Namespace) -> tuple[list[str], io.Logs]:
    """The two names, and their logs on shared questions."""
    from .. import io

    logs, names = options.read(args), args.models
    if len(names) == 1 and names[0] not in logs:
        if not os.path.exists(names[0]):
            raise InvalidInput("choice", "models", f"{names[0]!r} is neither a model of the log nor a file")
        logs = _joined(args, logs, names[0])
        names = list(logs)
    if not names and len(logs) == 2:
        names = list(logs)
    if len(names) != 2:
        raise InvalidInput("choice", "models", f"name two models, or a second log; this one has {listed(list(logs))}")
    if names[0] == names[1]:
        raise InvalidInput("choice", "models", f"{names[0]!r} is named twice")
    return names, logs.having(io.shared(logs, names))


def _joined(args: Namespace, logs: io.Logs, path: str) -> io.Logs:
    """Two logs of one model each as one, on one scale."""
    other = options.read(Namespace(**{**vars(args), "file": path}))
    for name, found in ((args.file, logs), (path, other)):
        if len(found) != 1:
            raise InvalidInput("shape", "models", f"{name} holds {len(found)} models: name two of them")
    if logs.tasks and other.tasks and logs.tasks != other.tasks:
        what = f"the logs are of different tasks, {listed(logs.tasks)} and {listed(other.tasks)}"
        raise InvalidInput("conflict", "models", what)
    sizes = [next(iter(x.values())).counts.M for x in (logs, other)]
    if "array" in (logs.format, other.format) and sizes[0] != sizes[1]:
        raise InvalidInput("shape", "models", f"{sizes[0]} questions in {args.file}, {sizes[1]} in {path}")
    if logs.weights != other.weights:
        scores = sorted({*(logs.weights or [0.0, 1.0]), *(other.weights or [0.0, 1.0])})
        logs, other = logs.on(scores), other.on(scores)
        args.weights = logs.weights
    labels = [*logs, *other] if list(logs) != list(other) else [str(args.file), str(path)]
    both = logs.having(dict(zip(labels, [*logs.values(), *other.values()], strict=True)))
    both.skipped, both.unfinished = logs.skipped + other.skipped, logs.unfinished + other.unfinished
    return both


def _table(records: list[dict[str, Any]], args: Namespace, width: int) -> str:
    shown = digits(options.weights_of(args))

    def ends(header: str, keys: tuple[str, str, str], marks: list[str]) -> Column:
        mu, lo, hi = ([r[key] for r in records] for key in keys)
        return Column(header, with_ends(shown, mu, lo, hi, marks), "left")

    labels = ["average" if r["k"] is None else f"{'Max' if args.weights else 'Pass'}@{r['k']}" for r in records]
    marks = [MARKS[r["variance_source"]].strip() for r in records]
    own = [ends(x.upper(), (x, f"{x}_lo", f"{x}_hi"), [""] * len(records)) for x in "ab"]
    difference = ends("A - B", ("difference", "lo", "hi"), marks)
    sure = Column("P(A > B)", [percent(r["p_above"]) for r in records])
    columns = [fitted("", labels, 12), *own, difference, sure]
    if wide(columns) > width:
        columns = [fitted("", labels, 12), *(Column(c.header, aligned(format(r[x], shown) for r in records))
                   for c, x in zip(own, "ab", strict=True)), difference, sure]  # fmt: skip
    return drawn(columns)
