"""``scorio plot``: one picture of a log, as a file."""

from __future__ import annotations

import warnings
from argparse import Namespace
from typing import Any

from ..display.text import number
from ..errors import InvalidInput
from . import options, output

EXAMPLES = """examples:
  scorio plot forest runs.csv -o averages.pdf
  scorio plot forest runs.csv --metric pass@k --k 4 -o pass.svg
  scorio plot items logs/ -o questions.png --size 7,4
  scorio plot pass_at_k runs.csv --model a --k 64 -o curve.pdf

"""
KINDS = """kinds of plots:
  forest       each model's estimate with its confidence interval
  comparisons  every pair: P(A > B) under a flat prior
  items        every model on every question, from hard to easy
  difficulty   the average of each question over the models
  missing      how many trials the questions of each model have
  pass_at_k    Pass@k of one model against k, up to K of --k K (or 8 times
               the trials): measured, then a band and a fitted law
  power        power of the comparison of two models, by trials
  suite        models by benchmarks, with the macro-average
  tau_curve    Kendall's tau-b with the final ranking, by trials
  convergence  share of bootstrap replicates with a stable ranking, by trials
The ending of the file says the format: pdf, svg, png. Text in a PDF stays text.

"""
BY_METRIC, BY_TRIALS = ("forest", "comparisons"), ("tau_curve", "convergence")
COLUMN = 4.5  # inches: narrower plots take small text
ALONE = ("items", "difficulty", "missing")
OWN = ("pass_at_k", "power", "suite")  # of one model, of two, of several benchmarks
BEYOND = 8  # times the trials that there are


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + KINDS + options.SEE_FILES, run)
    parser.add_argument("kind", choices=(*BY_METRIC, *ALONE, *OWN, *BY_TRIALS), metavar="KIND", help="see below")
    options.reading(parser)
    options.metric(parser)
    options.asking(parser)
    add = parser.add_argument
    add("--size", type=options.list_of(float, "7,4"), metavar="W,H",
        help="inches; 3.25 is the width of a column of many papers (default: what the plot needs)")  # fmt: skip
    add("--output", "-o", metavar="FILE", required=True, help="file to write: .pdf, .svg or .png")


def run(args: Namespace) -> output.Answer:
    """Read, draw, write."""
    import matplotlib as mpl

    options.check_output(args)
    logs = options.read(args, trials=args.kind in BY_TRIALS)
    style: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}
    if args.size and args.size[0] < COLUMN:
        style["font.size"] = 7.0
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        ax, notes = _drawn(args, logs)
        try:
            ax.figure.savefig(args.output, dpi=200)
        except ValueError as e:  # an ending that Matplotlib does not know
            raise InvalidInput("choice", "output", f"{args.output}: {e}") from None
    return output.Answer(f"{args.output}: {args.kind} of {number(len(logs), 'model')}\n", notes)


def _drawn(args: Namespace, logs: Any) -> tuple[Any, list[str]]:
    """The axes of the plot that is asked for, and what is to be said of it."""
    from matplotlib.figure import Figure

    from .. import io, plot
    from ..leaderboard import incomplete
    from ..leaderboard.suite import beside
    from ..plot.canvas import UNSHOWN

    ax: Any = Figure(tuple(args.size), layout="constrained").add_subplot() if args.size else UNSHOWN
    draw = getattr(plot, args.kind)
    given: dict[str, Any] = {"w": args.weights, "ax": ax}
    if args.kind == "suite":
        asked = {"k": args.k, "questions": args.questions, "confidence": args.confidence}
        return plot.suite(logs, **asked, ax=ax), incomplete(beside(logs), args.missing)
    notes = incomplete(logs, args.missing)
    if args.kind == "pass_at_k":
        return _curve(args, logs, ax), notes
    if args.kind == "power":
        return plot.power(logs, **given, confidence=args.confidence, missing="drop"), notes
    if args.kind in ALONE:
        return draw(logs, **given, missing="drop"), notes
    given |= {"metric": args.metric, "k": args.k, "tau": args.tau}
    if args.kind in BY_METRIC:
        return draw(logs, **given, questions=args.questions, confidence=args.confidence), notes
    R, said = io.trials_of(logs)
    return draw(R, **given), [*said, *notes]


def _curve(args: Namespace, logs: Any, ax: Any) -> Any:
    """Pass@k, or the metric asked for, of the one model that there is."""
    from .. import plot

    if len(logs) != 1:
        raise InvalidInput("shape", "model", f"the log has {number(len(logs), 'model')}: choose one with --model")
    if args.weights:
        raise InvalidInput("conflict", "weights", "Pass@k beyond the trials is of binary outcomes only")
    (log,) = logs.values()
    k = BEYOND * log.counts.fewest if args.k is None else args.k
    metric = "pass_at_k" if args.metric == "mean" else args.metric
    return plot.pass_at_k(log.counts, k, metric, confidence=args.confidence, missing="drop", ax=ax)
