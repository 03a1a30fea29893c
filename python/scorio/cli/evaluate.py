"""``scorio evaluate``: every metric of a log."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..display.text import digits, printable
from ..errors import InvalidInput
from . import options, output
from .tables import Column, aligned, rendered

EXAMPLES = """examples:
  scorio evaluate runs.csv --k 1,2,4
  scorio evaluate runs.csv --k 8 --tau 0.5 --questions sampled
  scorio evaluate runs.csv --metrics bayes_ci,pass_at_k_ci --k 2 --csv
  scorio evaluate logs --answers --k 4,16

"""
MEANING = """Without --metrics: the mean and, with --k, pass_at_k, pass_hat_k (all k trials
succeed), maj_at_k, mg_pass_at_k and auc_at_k, with --tau g_pass_at_k_tau too;
with --weights the mean and max_at_k. Each has a confidence interval.
With --answers and --k: the mean, maj_at_k (more than half of k trials succeed),
and what a vote of the k answers scores: plurality_at_k, ties split evenly, and
strict_plurality_at_k, ties count as wrong. Logs of lm-evaluation-harness,
inspect_ai, NeMo-Skills and verl hold answers.
--metrics names any functions of scorio.eval. Those ending in _ci, except
mean_ci, are the estimators of the paper: their credible intervals rest on a
uniform prior on every question, which shrinks them towards the middle of the
scale.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    options.asking(parser, "numbers of trials for Pass@k and the like (default: the mean alone)")
    parser.add_argument("--tau", type=float, metavar="TAU", help="threshold of g_pass_at_k_tau")
    options.answers(parser)
    parser.add_argument("--metrics", metavar="A,B", help="functions of scorio.eval, by name")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, evaluate, print."""
    from ..leaderboard import incomplete, meanings

    logs = options.read(args)
    with options.naming_k(logs, args.k):
        tables = {name: _evaluated(args, name, log) for name, log in logs.items()}
    records = [{"model": name} | row._asdict() for name, table in tables.items() for row in table]

    sources = {row["variance_source"] for row in records} - {None}
    notes = meanings(logs, args.questions, args.confidence, sources) if sources else []
    if not sources:  # points, or the intervals of the paper: nothing was said of questions
        del args.questions

    def page(width: int) -> list[str]:
        blocks = [_block(args, name, table) for name, table in tables.items()]
        return [output.title(args, len(logs)), *blocks]

    return output.answer(args, records, [*notes, *incomplete(logs, args.missing)], page, k=args.k, tau=args.tau)


def _evaluated(args: Namespace, name: str, log: Any) -> Any:
    from ..evaluate import evaluate

    asked: dict[str, Any] = {} if args.tau is None else {"tau": args.tau}
    chosen = args.metrics.split(",") if args.metrics else None
    if chosen is None or "mean_ci" in chosen:
        asked["questions"] = args.questions
    if chosen is None or any(x.endswith("_ci") for x in chosen):
        asked["confidence"] = args.confidence
    try:
        kept = log.only(log.counts.trials.nonzero()[0].tolist()) if log.counts.empty else log
        if asked.get("questions") == "sampled" and kept.clusters:
            asked["clusters"] = kept.clusters
        return evaluate(kept.answers if args.answers else kept.counts, chosen, k=args.k, w=args.weights, **asked)
    except InvalidInput as e:
        raise e.of(f"model {name!r}") from None


def _block(args: Namespace, name: str, table: Any) -> str:
    """One model: a line for each metric."""
    shown = digits(options.weights_of(args))
    ks = ["" if row.k is None else str(row.k) for row in table]
    columns = [Column("metric", [row.metric for row in table], "left"), Column("k", ks)]
    for field in ("mu", "sigma", "lo", "hi"):
        cells = ["" if (x := getattr(row, field)) is None else format(x, shown) for row in table]
        columns.append(Column(field, aligned(cells)))
    if any(row.variance_source not in (None, "measured") for row in table):
        columns.append(Column("variance", [row.variance_source or "" for row in table], "left"))
    return f"{printable(name)}\n" + rendered(columns)
