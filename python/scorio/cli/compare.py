"""``scorio compare``: two models, their difference and which one is better."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

from ..display.text import among, listed
from ..errors import InvalidInput
from . import options

if TYPE_CHECKING:
    from ..analysis.compare import Comparison
    from ..evaluation import Evaluation

EXAMPLES = """examples:
  scorio compare runs.csv gpt-4 claude     two models of a log
  scorio compare runs.csv                  a log of exactly two models
  scorio compare old.csv new.csv           a log of one model each
  scorio compare runs.csv --by subject     two models in each subgroup
  scorio compare runs.csv gpt-4 claude --questions sampled --k 2,4

"""
MEANING = """The two models are compared question by question, on the questions that both
answered. Columns: the value of A and of B, the difference A - B with its
confidence interval, its two-sided p-value. With several benchmarks there is a
row for each, and one for the macro-average.

The verdicts below the table test the averages at the two-sided level 1 - P of
--confidence P: on these questions, and on similar ones. Where a difference is
not significant, they state the sample size that would detect a difference of
this size with 80% power.

With --by, and with several benchmarks, p-values are adjusted for their number
(Holm): the nominal probability that equal models are significantly different in
any of them is at most 1 - P.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser, several=False)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="two models of the log, or a second log")
    parser.add_argument("--by", metavar="COLUMN",
        help="compare in each subgroup of questions, named by this column of a table, for example subject")  # fmt: skip
    options.add_shared(parser)
    options.add_target(parser, "also compare Pass@k (Max@k of scores), for example 2,4")
    options.add_forms(parser)


def run(args: Namespace) -> Comparison:
    """Read the logs and compare the two models."""
    e, a, b = two_models(args, _subgroups(args) if args.by else options.evaluation(args))
    settings = {"k": args.k, "questions": args.questions, "confidence": args.confidence, "shared": args.shared}
    return e.compare(a, b, by=args.by, **settings)


def two_models(args: Namespace, e: Evaluation) -> tuple[Evaluation, str | None, str | None]:
    """Evaluation and names of the models to compare: two of one log, or the models of two logs with one each.

    Both names are None if no model is named.
    """
    names = list(args.models)
    if len(names) == 1 and names[0] not in e:
        if not os.path.exists(names[0]):
            reason = f"{names[0]!r} is neither a file nor a model; the log has {among(names[0], e.models)}"
            raise InvalidInput("choice", "models", reason)
        e = join_logs(args, e, names[0])
        names = list(e.models)
    if names and len(names) != 2:
        raise InvalidInput("choice", "models", f"name two models, or a second log; this log has {listed(e.models)}")
    return e, *(names or (None, None))


def join_logs(args: Namespace, e: Evaluation, path: str) -> Evaluation:
    """Join two logs of one model each; two models of the same name get the names of their files."""
    other = options.evaluation(Namespace(**{**vars(args), "file": path, "files": [path]}))
    for file, x in ((args.file, e), (path, other)):
        if len(x.models) != 1:
            reason = f"{file} has {len(x.models)} models, {listed(x.models)}: give the files of one model"
            raise InvalidInput("shape", "models", f"{reason}, or name two models of one log")
    if set(e.benchmarks) != set(other.benchmarks):
        reason = f"the logs have different tasks, {listed(list(e.benchmarks))} and {listed(list(other.benchmarks))}"
        raise InvalidInput("conflict", "models", reason)
    if "array" in (e.provenance.format, other.provenance.format):
        sizes = [len(x.log(x.models[0]).ids) for x in (e, other)]
        if sizes[0] != sizes[1]:
            raise InvalidInput("shape", "models", f"{sizes[0]} questions in {args.file}, {sizes[1]} in {path}")
    if e.models == other.models:
        e, other = e.renamed({e.models[0]: str(args.file)}), other.renamed({other.models[0]: str(path)})
    return e + other


def _subgroups(args: Namespace) -> Evaluation:
    """Read the log with the column of --by as the task."""
    if "-" in args.files:
        raise InvalidInput("conflict", "by", "--by reads the log twice: a file is needed, not the standard input")
    # the first reading takes the column for clusters, so that the tasks remain as they are and can be counted
    if args.by != "task" and len(_read_by(args, "cluster").benchmarks) > 1:
        raise InvalidInput("conflict", "by", "--by is for one task, and the log has several: choose one with --task")
    e = _read_by(args, "task")
    if len(e.benchmarks) < 2:
        raise InvalidInput("empty", "by", f"the column {args.by!r} has fewer than two subgroups")
    return e.on_one_scale()


def _read_by(args: Namespace, role: str) -> Evaluation:
    """Read the log with the column of --by in a role, "task" or "cluster"."""
    try:
        return options.evaluation(Namespace(**{**vars(args), "columns": {**(args.columns or {}), role: args.by}}))
    except InvalidInput as e:
        raise e.of(f"--by {args.by}") from None
