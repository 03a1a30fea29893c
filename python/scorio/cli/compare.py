"""``scorio compare``: two models, their difference and which one is better."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..display.terms import MARKS, interval, p_value
from ..display.text import digits, listed, nearest, number, percents, printable, width
from ..errors import InvalidInput
from . import options, output, subgroups
from .tables import Column, aligned, in_blocks, rendered, wide, with_ends

if TYPE_CHECKING:
    from .. import io

EXAMPLES = """examples:
  scorio compare runs.csv gpt-4 claude     two models of a log
  scorio compare runs.csv                  a log of just two models
  scorio compare old.csv new.csv           a log of one model each
  scorio compare runs.csv --by subject     two models in each subgroup
  scorio compare runs.csv gpt-4 claude --questions sampled --k 2,4

"""
LONGEST = 30  # columns of a name in the verdict; longer ones are A and B there
MEANING = """The two models are compared question by question, on the questions that both
answered. Columns: the value of A and of B, the difference A - B with its
confidence interval, its two-sided p-value, and, where there is room, P(A > B),
which is 1 - p/2, as under a flat prior: not the probability that A is better.

The verdict below the table is a test of the averages at the two-sided level
1 - P of --confidence P: the difference is significant where p is at most 1 - P,
which is just where the interval excludes 0. If it is not significant, the
verdict says which sample size would detect a difference of this size with 80%
power.

With --by p-values are adjusted for the number of subgroups (Holm): in any of
them equal models are called different with a probability of at most 1 - P.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser, several=False)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="two models of the log, or a second log")
    parser.add_argument("--by", metavar="COLUMN",
        help="compare in each subgroup of questions, named by this column of a table, for example subject")  # fmt: skip
    options.asking(parser, "also compare Pass@k (Max@k with --weights), for example 2,4")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, align, compare, print."""
    from .. import arguments, io, sinf
    from ..leaderboard import incomplete, interval_of, meanings
    from ..leaderboard.verdict import verdict

    arguments.confidence(args.confidence)
    if args.by:
        return subgroups.run(args)
    names, logs = pair_of(args)
    A, B = (logs[x].counts for x in names)
    at_k = "max_at_k" if args.weights else "pass_at_k"
    asked: dict[str, Any] = {"questions": args.questions, "confidence": args.confidence}
    clusters = io.clusters_of({x: logs[x] for x in names}) if args.questions == "sampled" else None
    records = []
    for metric, k in [("mean", None), *((at_k, k) for k in args.k or [])]:
        with options.naming_k(logs, k):
            own = [interval_of(logs[x], metric, k, w=args.weights, **asked) for x in names]
            d = sinf.compare(A, B, metric, k, w=args.weights, clusters=clusters, **asked)
        ends = {f"{x}{end}": getattr(r, field) for x, r in zip("ab", own, strict=True)
                for end, field in (("", "mu"), ("_lo", "lo"), ("_hi", "hi"))}  # fmt: skip
        difference = {"difference": d.mu, "sigma": d.sigma, "lo": d.lo, "hi": d.hi}
        difference |= {"p_value": d.p_value, "df": d.df, "p_above": d.p_above, "significant": d.significant}
        records.append({"metric": metric, "k": k} | ends | difference | {"variance_source": d.variance_source})
    shared = number(A.M, "shared question")
    called = names if max(map(width, names)) <= LONGEST else ["A", "B"]
    a, b = called
    said = verdict(a, b, A, B, **asked, weights=args.weights, clusters=clusters)
    sources = {r["variance_source"] for r in records}
    about = meanings(logs, args.questions, args.confidence, sources)
    notes = [said, *about, *incomplete(logs, args.missing)]

    def page(columns: int) -> list[str]:
        lead = [f"{x}  {printable(name)}" for x, name in zip("AB", names, strict=True)]
        head = f"{output.name(args)}: {shared}\n\n" + "\n".join(lead)
        return [head, _table(records, args, columns)]

    return output.answer(args, records, notes, page, models=list(names), shared_questions=A.M)


def pair_of(args: Namespace, logs: io.Logs | None = None) -> tuple[list[str], io.Logs]:
    """The two names, and their logs on shared questions. logs: the first log, if it was read."""
    from .. import io

    logs, names = options.read(args) if logs is None else logs, args.models
    if len(names) == 1 and names[0] not in logs:
        if not os.path.exists(names[0]):
            what = f"{names[0]!r} is neither a model of the log nor a file{nearest(names[0], logs)}"
            raise InvalidInput("choice", "models", what)
        logs = _joined(args, logs, names[0])
        names = list(logs)
    if not names and len(logs) == 2:
        names = list(logs)
    if len(names) != 2:
        raise InvalidInput("choice", "models", f"name two models, or a second log; this one has {listed(list(logs))}")
    if names[0] == names[1]:
        raise InvalidInput("choice", "models", f"{names[0]!r} is named twice")
    return names, logs.having(io.shared(logs, names))


def benchmarks_of(args: Namespace, logs: io.Logs) -> tuple[list[str], dict[str, io.Logs]]:
    """The two names, and their logs on shared questions in each benchmark of the log; the same as of another log."""
    from .. import io

    parts, names = logs.benchmarks, list(args.models)
    if len(names) == 1 and names[0] not in logs and os.path.exists(names[0]):
        other = _read_other(args, names[0])
        if list(other.benchmarks) != list(parts) and set(other.benchmarks) != set(parts):
            what = f"the logs are of different tasks, {listed(list(parts))} and {listed(list(other.benchmarks))}"
            raise InvalidInput("conflict", "models", what)
        labels = [*logs, *other] if list(logs) != list(other) else [str(args.file), names[0]]
        parts = {x: _both(args, part, other.benchmarks[x], names[0], labels) for x, part in parts.items()}
        names = labels
    names = names or list(logs)
    if len(names) != 2 or names[0] == names[1]:
        raise InvalidInput("choice", "models", f"name two models, or a second log; this one has {listed(list(logs))}")
    for name in names:
        for x, part in parts.items():
            if name not in part:
                raise InvalidInput("choice", "models", f"no model {name!r} in {x!r}: leave it out with --task")
    return names, {x: part.having(io.shared(part, names)) for x, part in parts.items()}


def _read_other(args: Namespace, path: str) -> io.Logs:
    return options.read(Namespace(**{**vars(args), "file": path, "files": [path]}))


def _joined(args: Namespace, logs: io.Logs, path: str) -> io.Logs:
    """Two logs of one model each as one, on one scale."""
    other = _read_other(args, path)
    labels = [*logs, *other] if list(logs) != list(other) else [str(args.file), str(path)]
    both = _both(args, logs, other, path, labels)
    args.weights = both.weights
    return both


def _both(args: Namespace, logs: io.Logs, other: io.Logs, path: str, labels: list[str]) -> io.Logs:
    for name, x in ((args.file, logs), (path, other)):
        if len(x) != 1:
            raise InvalidInput("shape", "models", f"{name} has {len(x)} models: name two of them")
    if logs.tasks and other.tasks and logs.tasks != other.tasks:
        what = f"the logs are of different tasks, {listed(logs.tasks)} and {listed(other.tasks)}"
        raise InvalidInput("conflict", "models", what)
    sizes = [next(iter(x.values())).counts.M for x in (logs, other)]
    if "array" in (logs.format, other.format) and sizes[0] != sizes[1]:
        raise InvalidInput("shape", "models", f"{sizes[0]} questions in {args.file}, {sizes[1]} in {path}")
    if logs.weights != other.weights:
        scores = sorted({*(logs.weights or [0.0, 1.0]), *(other.weights or [0.0, 1.0])})
        logs, other = logs.on(scores), other.on(scores)
    both = logs.having(dict(zip(labels, [*logs.values(), *other.values()], strict=True)))
    both.skipped, both.unfinished = logs.skipped + other.skipped, logs.unfinished + other.unfinished
    return both


def _table(records: list[dict[str, Any]], args: Namespace, room: int) -> str:
    form, often = digits(options.weights_of(args)), interval(args.confidence)

    def ends(header: str, keys: tuple[str, str, str], marks: list[str]) -> Column:
        mu, lo, hi = ([r[key] for r in records] for key in keys)
        return Column(f"{header}\n{often}", with_ends(form, mu, lo, hi, marks), "left")

    labels = ["average" if r["k"] is None else f"{'Max' if args.weights else 'Pass'}@{r['k']}" for r in records]
    metrics = Column("metric", labels, "left")
    own = [ends(x.upper(), (x, f"{x}_lo", f"{x}_hi"), [""] * len(records)) for x in "ab"]
    difference = ends("A - B", ("difference", "lo", "hi"), [MARKS[r["variance_source"]] for r in records])
    better = Column("P(A > B)", percents([r["p_above"] for r in records]))
    tested = Column("p", [p_value(r["p_value"]).removeprefix("p = ").removeprefix("p ") for r in records])
    wanted = [[metrics, *own, difference, tested, better], [metrics, *own, difference, tested]]
    plain = [Column(x.upper(), aligned(format(r[x], form) for r in records)) for x in "ab"]
    fits = next((columns for columns in wanted if wide(columns) <= room), None)
    narrow = [[difference], [tested], [better]]
    return rendered(fits) if fits else "\n\n".join(in_blocks([metrics], plain, narrow, room))
