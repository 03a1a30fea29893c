"""``scorio converge``: after how many trials the ranking stabilises."""

from __future__ import annotations

from argparse import Namespace

from ..display.terms import level
from ..display.text import number, percents
from . import options, output
from .tables import Column, aligned, rendered

EXAMPLES = """examples:
  scorio converge runs.csv
  scorio converge runs.csv --metric pass@k --k 4 --replicates 100000
  scorio converge runs.csv --scheme rows --seed 7

"""
MEANING = """columns of the table:
  tau     mean over replicates of Kendall's tau-b between the ranking after n
          trials per question and the ranking of all trials
  stable  share of replicates in which the ranking after n trials, and after
          every larger number, is the ranking of all trials
A replicate draws as many trials as there are, with replacement: whole runs
(--scheme columns) or each question by itself (rows). The bootstrap takes the
ranking of all trials as the truth. With few trials that ranking is uncertain
itself: see scorio rank.

"""
ROWS = 16


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    options.metric(parser, "bayes")
    add = parser.add_argument
    add("--replicates", type=int, default=10_000, metavar="B", help="number of bootstrap replicates (default 10000)")
    add("--scheme", choices=("columns", "rows"), default="columns", help="what is resampled (default columns)")
    add("--seed", type=int, default=0, metavar="S", help="seed of the random numbers (default 0)")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, draw, print."""
    from .. import converge, io
    from ..leaderboard import incomplete

    logs = options.read(args, trials=True)
    options.two(logs)
    R, notes = io.trials_of(logs)
    N = next(iter(R.values())).shape[1]
    given = {"metric": args.metric, "k": args.k, "tau": args.tau, "w": args.weights}
    given |= {"replicates": args.replicates, "scheme": args.scheme, "seed": args.seed}
    curve = converge.tau_curve(R, **given)
    distribution = converge.bootstrap_convergence(R, **given)
    stable, never = dict(enumerate(distribution.cdf, 1)), distribution.never
    records = [{"n": n, "tau_b": x, "stable": stable.get(n)} for n, x in zip(curve.trials, curve.tau_b, strict=True)]
    said = f"In {level(float(f'{never:.3g}'))} of {number(args.replicates, 'replicate')} the ranking is not stable "
    said += f"before all {number(N, 'trial')} per question."
    if never < 1:
        said += f" In the others it is stable after {distribution.mean:.3g} trials per question on average."
    notes.insert(0, said)

    def page(width: int) -> list[str]:
        rows = [records[i] for i in _some(len(records))]
        table = [
            Column("trials", [str(r["n"]) for r in rows]),
            Column("tau", aligned(f"{r['tau_b']:.3f}" for r in rows)),
            Column("stable", [*percents([r["stable"] for r in rows if r["stable"] is not None]), ""][: len(rows)]),
        ]
        M = len(next(iter(R.values())))
        size = f", {number(M, 'question')}, {number(N, 'trial per question')}; metric {args.metric}"
        return [output.title(args, len(R), size), rendered(table)]

    more = {"metric": args.metric, "replicates": args.replicates, "scheme": args.scheme, "seed": args.seed}
    return output.answer(
        args, records, notes + incomplete(logs, args.missing), page, models=list(R), never=never, **more
    )


def _some(n: int) -> list[int]:
    """All rows, or about ROWS of them, denser where there are few trials."""
    if n <= ROWS:
        return list(range(n))
    return sorted({round((n - 1) * (i / (ROWS - 1)) ** 2) for i in range(ROWS)})
