"""``scorio converge``: after how many trials the ranking settles."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from . import options, output
from .tables import Column, aligned, drawn, number, percent

EXAMPLES = """examples:
  scorio converge runs.csv
  scorio converge runs.csv --metric pass@k --k 4 --replicates 100000
  scorio converge runs.csv --scheme rows --seed 7

"""
MEANING = """tau      mean Kendall tau between the ranking after n trials and that of all
settled  share of replicates whose ranking is that of all trials at n and after
Trials are drawn with replacement, whole runs (--scheme columns) or each
question by itself (rows). With few trials the ranking of all is itself noisy,
and a bootstrap does not know it: see scorio rank.

"""
ROWS = 16


def add(commands: Any) -> None:
    """The command and its options."""
    about = "After how many trials the ranking settles: a bootstrap over the trials at hand."
    parser = options.command(commands, "converge", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    options.metric(parser, "bayes")
    add = parser.add_argument
    add("--replicates", type=int, default=10_000, metavar="B", help="bootstrap replicates (default 10000)")
    add("--scheme", choices=("columns", "rows"), default="columns", help="what is drawn (default columns)")
    add("--seed", type=int, default=0, metavar="S", help="of all draws (default 0)")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, draw, print."""
    from .. import converge, io
    from ..leaderboard.rows import lost

    logs = options.read(args, trials=True)
    options.two(logs)
    R, notes = io.trials_of(logs)
    N = next(iter(R.values())).shape[1]
    given = {"metric": args.metric, "k": args.k, "tau": args.tau, "w": args.weights}
    given |= {"replicates": args.replicates, "scheme": args.scheme, "seed": args.seed}
    curve = converge.tau_curve(R, **given)
    found = converge.bootstrap_convergence(R, **given)
    settled = dict(enumerate(found.cdf, 1))
    records = [{"n": n, "tau_b": x, "settled": settled.get(n)} for n, x in zip(curve.trials, curve.tau_b, strict=True)]
    if found.never < 1:
        notes.insert(0, f"Where it settles, it does so after {found.mean:.3g} trials on average.")
    notes.insert(1, f"In {100 * found.never:.3g} % of {number(args.replicates, 'replicate')} it does not settle before "
                 f"all {N} trials.")  # fmt: skip

    def page(width: int) -> list[str]:
        rows = [records[i] for i in _some(len(records))]
        table = [
            Column("trials", [str(r["n"]) for r in rows]),
            Column("tau", aligned(f"{r['tau_b']:.3f}" for r in rows)),
            Column("settled", ["" if r["settled"] is None else percent(r["settled"]) for r in rows]),
        ]
        M = len(next(iter(R.values())))
        said = f", {number(M, 'question')}, {number(N, 'trial')} each; {args.metric}"
        return [output.title(args, len(R), said), drawn(table)]

    more = {"metric": args.metric, "replicates": args.replicates, "scheme": args.scheme, "seed": args.seed}
    return output.answer(
        args, records, notes + lost(logs, args.missing), page, models=list(R), never=found.never, **more
    )


def _some(n: int) -> list[int]:
    """All places, or about ROWS of them, denser where there are few trials."""
    if n <= ROWS:
        return list(range(n))
    return sorted({round((n - 1) * (i / (ROWS - 1)) ** 2) for i in range(ROWS)})
