"""``scorio plot`` and ``Evaluation.plot``: one plot of a log, as a file or as Axes."""

from __future__ import annotations

import warnings
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from inspect import signature
from typing import Any

from .. import arguments
from ..analysis.measure import refuse_bounds, target_of
from ..display.text import number, printable
from ..errors import InvalidInput
from ..metrics.metric import metric_and_k
from ..readers.evaluation import EvaluationData
from . import notes, options
from .base import about_of
from .history import history
from .ledgers import open_ledger

BY_TRIALS, HISTORY = ("tau_curve", "convergence"), "history"  # read trials in their order; a ledger of builds
NAMES = ("forest", "comparisons", "items", "difficulty", "missing", "runs", "pareto", "pass_at_k", "power", "suite",
         *BY_TRIALS, HISTORY)  # fmt: skip
K_PER_TRIAL = 8  # the default --k of the plot pass_at_k is this many times the fewest trials of a question


def plot(e: EvaluationData, kind: str, **options: Any) -> Any:
    """Draw a plot of :mod:`scorio.plot` and return its Axes: ``e.plot("forest", questions="sampled")``."""
    from .. import plot as plots  # late, as everywhere here: an evaluation has this method, and few are drawn

    refuse_bounds(e)
    kinds = [name for name in plots.__all__ if name != "schemata"]
    return getattr(plots, arguments.choice(kind, "kind", kinds))(e, **options)


EXAMPLES = """examples:
  scorio plot forest runs.csv -o averages.pdf
  scorio plot forest runs.csv --metric pass@k --k 4 -o pass.svg
  scorio plot items logs/ -o questions.png --size 7,4
  scorio plot pass_at_k runs.csv --model a --k 64 -o curve.pdf
  scorio plot history .scorio -o history.png

"""
KINDS = """kinds of plots:
  forest       each model's estimate with its confidence interval
  comparisons  every pair: the difference of the two models
  items        every model on every question, from hard to easy
  difficulty   the average of each question over the models
  runs         the average of each run of each model, with the band that chance
               explains
  history      the builds of a ledger: scores, floor, pin, alarms and steps
  missing      how many trials the questions of each model have
  pareto       score against what a trial costs, with the frontier
  pass_at_k    Pass@k of one model against k, up to --k K (default: 8 times
               the fewest trials of a question): measured, then a band and a
               fitted model
  power        power of the comparison of two models, against trials, for
               several numbers of questions
  suite        every model in every benchmark, with the macro-average
  tau_curve    Kendall's tau-b with the final ranking, against trials
  convergence  share of bootstrap replicates with a stable ranking, against
               trials
The ending of the file name gives the format: pdf, svg, png. Text in a PDF can
be searched and copied.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, KINDS + options.SEE_FILES, run)
    parser.add_argument("kind", choices=NAMES, metavar="KIND",
        help="forest, comparisons, items, difficulty, missing, and others: see scorio help plot")  # fmt: skip
    options.add_log(parser)
    options.add(parser, "metric", "k", "tau")
    options.add_target(parser, runs=False)
    add = parser.add_argument
    add("--size", type=_parse_size, metavar="W[,H]",
        help="width and height in inches (height: by default two thirds of the width); 3.25 is the width of a column "
        "of many papers (default: what the plot needs)")  # fmt: skip
    add("--caption", action="store_true",
        help="write the notes under the plot also if it is narrower than 4.5 inches")  # fmt: skip
    add("--baseline", default="main", metavar="NAME", help="of history: the baseline (default main)")
    add("--output", "-o", metavar="FILE", help="file to write: .pdf, .svg or .png; required")
    options.add_json(parser)


def _parse_size(text: str) -> list[float]:
    """Parse width and height in inches; without a height it is two thirds of the width."""
    size = options.list_of(float, "7,4")(text)
    if len(size) == 1:
        size.append(round(2 * size[0] / 3, 2))
    if len(size) != 2 or not all(1.0 <= x <= 100.0 for x in size):
        raise ArgumentTypeError(f"{text!r} is not a size in inches from 1 to 100, such as 3.25 or 7,4")
    return size


def run(args: Namespace, read: options.Read) -> options.CommandOutput:
    import matplotlib as mpl

    options.check_output(args)
    if not args.output:
        raise InvalidInput("conflict", "output", f"no file to write the plot to: -o {args.kind}.pdf")
    ledger = args.kind == HISTORY
    e: Any = history(open_ledger(args.file), args.baseline) if ledger else read(args, trials=args.kind in BY_TRIALS)
    # text as text, not as curves: 42 embeds TrueType fonts, "none" writes SVG text
    style: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}
    from ..plot.canvas import COLUMN

    if args.size and args.size[0] < COLUMN:
        style["font.size"] = 7.0  # points: small, for a narrow figure
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        axes = _axes(args.size, args.caption)
        ax = e.plot(axes) if ledger else plot(e, args.kind, ax=axes, **_settings(args, e))
        options.save_figure(ax.figure, args.output, dpi=200)
    if args.format == "json":
        return options.show_written_file(e.about if ledger else e, args.kind, args)
    if ledger:
        size = number(len(e.table), "build")
        return options.CommandOutput(f"{printable(args.output)}: {args.kind} of {size}\n", e.remarks)
    gap_notes = notes.gaps(about_of(e, target_of(e, args.questions), 0.95))  # they do not depend on the confidence
    size = number(len(e.models), "model")
    return options.CommandOutput(f"{printable(args.output)}: {args.kind} of {size}\n", gap_notes)


def _axes(size: Sequence[float] | None, caption: bool) -> Any:
    """Axes of this size on a figure that is not shown in a window; without a size the plot makes such Axes itself."""
    from matplotlib.figure import Figure

    from ..plot.canvas import CAPTION, UNSHOWN

    if not size:
        return UNSHOWN
    figure = Figure((size[0], size[1]), layout="constrained")
    figure.set_label(CAPTION if caption else "")
    return figure.add_subplot()


def _settings(args: Namespace, e: EvaluationData) -> dict[str, Any]:
    """Arguments for the function that draws this kind of plot."""
    from .. import plot as plots

    args.metric, args.k = metric_and_k(args.metric, args.k)
    if args.kind == "pass_at_k":
        if len(e.models) != 1:
            reason = f"the log has {number(len(e.models), 'model')}: choose one with --model"
            raise InvalidInput("shape", "model", reason)
        trials = [n for part in e.benchmarks.values() for x in part.counts().values() for n in x.trials.tolist() if n]
        k = K_PER_TRIAL * min(trials) if args.k is None else args.k
        metric = "pass_at_k" if args.metric == "mean" else args.metric
        return {"k": k, "metric": metric, "confidence": args.confidence, "missing": "drop"}
    taken = signature(getattr(plots, args.kind)).parameters
    return options.chosen(args, *(x for x in ("metric", "k", "tau", "questions", "confidence") if x in taken))
