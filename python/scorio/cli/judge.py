"""``scorio judge``: which outputs people should label, and the mean human score from verdicts and labels."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from . import options, output

if TYPE_CHECKING:
    from ..analysis.judge import Judgement

EXAMPLES = """examples:
  scorio judge verdicts.csv --draw 100 > todo.csv     which outputs to label
  scorio judge verdicts.csv --labels todo.csv         when they are labelled
  scorio judge verdicts.csv --labels todo.csv --half-width .03
  scorio judge verdicts.csv --draw 50 --by-verdict    25 outputs of each verdict

"""
MEANING = """The log has the verdict of a judge on every output; a judge may be a language
model that grades answers. A judge errs; labels of some outputs by people show
how often, and correct the mean. Columns of the table: numbers of labels and of
outputs, the mean of the verdicts, and the mean human score with its interval.

--draw writes a CSV with the columns model, question, trial (1, 2, ... in the
order of the log) and an empty label, and task if the log has several tasks.
The verdicts are left out on purpose: people should not see them. Fill in the
labels, 0 or 1 or scores, and give the file to --labels; rows without a label
are not used. Outputs that people choose themselves, such as easy ones
first, make every interval wrong. For two models that both have labels, the
difference is shown too.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    parser.set_defaults(missing="drop")  # an output without a verdict is left out
    add = parser.add_argument
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--labels", metavar="FILE", help="CSV with the columns model, question, trial, label")
    mode.add_argument("--draw", type=int, metavar="N", help="sample N outputs of each model to label; writes the CSV")
    add("--by-verdict", action="store_true", help="sample equally many outputs of each verdict (default: from all)")
    add("--seed", type=int, default=0, metavar="SEED", help="another seed samples other outputs (default 0)")
    add("--output", "-o", metavar="CSV", help="file that --draw writes (default: stdout)")
    add("--label-scale", type=options.list_of(float, "1,5"), metavar="LO,HI",
        help="labels are scores from LO to HI; default: 0 to 1 if all labels are within, else from the lowest to the "
        "highest label")  # fmt: skip
    add(
        "--half-width",
        type=float,
        metavar="H",
        help="plan labels for an interval of +/- H (default: three quarters of the present one)",
    )
    add("--questions", choices=("fixed", "sampled", "outputs"), default="fixed",
        help="intervals for this question set (fixed, default), the population of similar questions (sampled), or "
        "exactly these outputs (outputs)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P", help="nominal coverage of intervals (default 0.95)")
    parser.set_defaults(option_names={"n": "--draw"})
    options.add_forms(parser)


# options that only the other of --labels and --draw has, with their defaults, by whether there are labels
ONLY_WITH: dict[bool, dict[str, Any]] = {
    True: {"output": None, "by_verdict": False, "seed": 0},
    False: {"label_scale": None, "half_width": None},
}


def run(args: Namespace) -> Judgement | output.CommandOutput:
    """Read the log, then sample outputs or correct the judge."""
    options.check_output(args)
    given = [name for name, default in ONLY_WITH[args.draw is None].items() if getattr(args, name) != default]
    if given:
        mode = "--draw" if args.draw is None else "--labels"
        raise InvalidInput("conflict", given[0], f"--{given[0].replace('_', '-')} is for {mode}")
    e = options.evaluation(args, trials=True)
    if args.draw is None:
        names = ("label_scale", "half_width", "questions", "confidence")
        return e.judge(args.labels, **{name: getattr(args, name) for name in names})
    sample = e.sample_outputs(args.draw, by_verdict=args.by_verdict, seed=args.seed)
    return output.table(sample, args)
