"""``scorio evaluate``: metrics of a log, with confidence intervals."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.metrics import Metrics

EXAMPLES = """examples:
  scorio evaluate runs.csv --k 1,2,4
  scorio evaluate runs.csv --k 8 --tau 0.5 --questions sampled
  scorio evaluate runs.csv --metrics bayes_ci,pass_at_k_ci --k 2 --csv
  scorio evaluate logs --answers --k 4,16

"""
MEANING = """Without --metrics: the mean and, with --k, pass_at_k, pass_hat_k (all k trials
succeed), maj_at_k, mg_pass_at_k and auc_at_k, with --k and --tau also
g_pass_at_k_tau; with --w the mean and, with --k, max_at_k. Each has a
confidence interval.
With --answers and --k: the mean, maj_at_k (more than half of k trials succeed),
and what a vote of the k answers scores: plurality_at_k, ties split evenly, and
strict_plurality_at_k, ties count as wrong. Logs of lm-evaluation-harness,
inspect_ai, NeMo-Skills, MMLU-Pro and verl have answers.
--metrics takes metrics of scorio.eval, as the function is called (pass_at_k) or
as pass@k. Those ending in _ci, except mean_ci, are the estimators of the
Bayes@N paper: their credible intervals rest on a uniform prior on every
question, which shrinks them towards the middle of the scale (avg_ci: which only
widens them).

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    options.add_target(parser, "numbers of trials for Pass@k and the like (default: the mean alone)")
    parser.add_argument("--tau", type=float, metavar="TAU", help="threshold of g_pass_at_k_tau")
    options.add_answers(parser)
    parser.add_argument("--metrics", metavar="A,B", help="metrics of scorio.eval, by name")
    parser.set_defaults(option_names={"names": "--metrics"})
    options.add_forms(parser)


def run(args: Namespace) -> Metrics:
    """Read the log and compute the metrics."""
    e, names = (
        options.evaluation(args),
        None if args.metrics is None else [name.strip() for name in args.metrics.split(",")],
    )
    settings = {name: getattr(args, name) for name in ("k", "tau", "questions", "confidence", "answers")}
    return e.metrics(names, **settings)
