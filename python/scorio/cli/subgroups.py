"""``scorio compare --by``: two models in each subgroup of questions, with one error rate for all subgroups."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..display.terms import MARKS, alpha, interval, p_value
from ..display.text import digits, listed, name_of, number, printable
from ..errors import InvalidInput
from . import options, output
from .tables import Column, fitted, rendered, said_below, with_ends

if TYPE_CHECKING:
    from .. import io
    from ..sinf.suite import SuitePair


def run(args: Namespace) -> output.Answer:
    """Read with the column in the place of the task, compare, print."""
    from .. import io, sinf
    from ..leaderboard import incomplete, interval_of, meanings

    if args.k:
        raise InvalidInput("conflict", "by", "--by compares averages: not with --k")
    if args.by != "task" and _read(args, "cluster").benchmarks:
        raise InvalidInput("conflict", "by", "--by is of one task, and the log has several")
    logs = _subgroups(args)
    names = args.models or list(logs)
    if len(names) != 2 or names[0] == names[1] or any(x not in logs for x in names):
        raise InvalidInput("choice", "models", f"name two models; this log has {listed(list(logs))}")
    parts, left = _shared(logs, names, 2 if args.questions == "sampled" else 1)
    asked: dict[str, Any] = {"questions": args.questions, "confidence": args.confidence}
    clusters = {x: io.clusters_of(part) for x, part in parts.items()} if args.questions == "sampled" else {}
    outcomes = {x: {name: part[name].counts for name in names} for x, part in parts.items()}
    labels = {x: y for x, y in clusters.items() if y} or None
    found = sinf.suite(outcomes, w=args.weights, clusters=labels, **asked).each
    records = []
    for d in found:
        own = [interval_of(parts[d.benchmark][x], w=args.weights, **asked).mu for x in names]
        record: dict[str, Any] = {args.by: d.benchmark, "questions": outcomes[d.benchmark][names[0]].M}
        record |= {"a": own[0], "b": own[1], "difference": d.mu, "sigma": d.sigma, "lo": d.lo, "hi": d.hi}
        record |= {"p_value": d.p_value, "p_adjusted": d.p_adjusted, "significant": d.significant, "df": d.df}
        records.append(record | {"variance_source": d.variance_source})
    joined = {f"{x}/{name}": log for x, part in parts.items() for name, log in part.items()}
    said = [_said(found, names, args), *([_left(left)] if left else [])]
    if any(d.significant and d.lo <= 0.0 <= d.hi for d in found):
        said.append("The intervals cover all differences at once: one may contain 0 where p is below the level.")
    sources = {d.variance_source for d in found}
    notes = [*said, *meanings(joined, args.questions, args.confidence, sources), *incomplete(joined, args.missing)]

    def page(columns: int) -> list[str]:
        lead = [f"{x}  {printable(name)}" for x, name in zip("AB", names, strict=True)]
        head = f"{output.name(args)}: {number(len(found), 'subgroup')} by {args.by}\n\n" + "\n".join(lead)
        return [head, _table(records, args, columns)]

    return output.answer(args, records, notes, page, models=list(names), by=args.by)


def _read(args: Namespace, role: str) -> io.Logs:
    """The log with the column in this role."""
    if "-" in args.files:
        raise InvalidInput("conflict", "by", "--by reads the log twice: a file is needed, not the standard input")
    try:
        return options.read(Namespace(**{**vars(args), "columns": {**(args.columns or {}), role: args.by}}))
    except InvalidInput as e:
        raise e.of(f"--by {args.by}") from None


def _subgroups(args: Namespace) -> io.Logs:
    """The subgroups as benchmarks, on one scale."""
    logs = _read(args, "task")
    if not logs.benchmarks:
        raise InvalidInput("empty", "by", f"the column {args.by!r} names no two subgroups")
    scores = sorted({x for part in logs.benchmarks.values() for x in part.weights or [0.0, 1.0]})
    logs.benchmarks = {x: part.on(scores) for x, part in logs.benchmarks.items()}
    args.weights = None if scores == [0.0, 1.0] else scores
    return logs


def _shared(logs: io.Logs, names: list[str], fewest: int) -> tuple[dict[str, io.Logs], list[str]]:
    """The subgroups with so many questions or more that both models answered, and the others."""
    from .. import io

    parts, left = {}, []
    for x, part in logs.benchmarks.items():
        try:
            both = part.having(io.shared(part, names))
        except InvalidInput:  # a model that is not in the subgroup, or no question that both answered
            left.append(x)
            continue
        if (fewest if _trials(both) > 1 else 2) <= both[names[0]].counts.M:
            parts[x] = both
        else:
            left.append(x)
    if not parts:
        raise InvalidInput("empty", "by", f"no subgroup has enough questions that {listed(names)} answered")
    return parts, left


def _trials(both: io.Logs) -> int:
    """The most trials of any question, of the model that has fewer; one tells no variance."""
    return min(int(log.counts.trials.max()) for log in both.values())


def _said(found: list[SuitePair], names: list[str], args: Namespace) -> str:
    a, b = map(name_of, names)
    family = f"at the {alpha(args.confidence)} level, family-wise over {number(len(found), 'subgroup')}"
    better = [listed([x.benchmark for x in found if x.significant and x.mu * sign > 0]) for sign in (1.0, -1.0)]
    parts = [f"{x} is significantly better than {y} in {z}" for x, y, z in ((a, b, better[0]), (b, a, better[1])) if z]
    if not parts:
        return f"{a} and {b} are not significantly different in any subgroup ({family})."
    return f"{'; '.join(parts)} ({family})."


def _left(left: list[str]) -> str:
    return f"Left out for want of questions that both models answered: {listed(left)}."


def _table(records: list[dict[str, Any]], args: Namespace, room: int) -> str:
    form = digits(options.weights_of(args))
    groups, said = fitted(args.by, [r[args.by] for r in records], room // 4)
    mu, lo, hi = ([r[x] for r in records] for x in ("difference", "lo", "hi"))
    ends = with_ends(form, mu, lo, hi, [MARKS[r["variance_source"]] for r in records])
    columns = [groups, Column("questions", [str(r["questions"]) for r in records])]
    columns += [Column(x.upper(), [format(r[x], form) for r in records]) for x in "ab"]
    columns.append(Column(f"A - B\n{interval(args.confidence)}, all at once", ends, "left"))
    p = [p_value(r["p_adjusted"]).removeprefix("p = ").removeprefix("p ") for r in records]
    columns.append(Column("p\nadjusted", p))
    return "\n\n".join([rendered(columns), *said_below(said, room)])
