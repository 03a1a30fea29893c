"""``scorio judge`` and ``Evaluation.judge``: the mean human score of every model, from a judge and human labels."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .. import arguments, eval, sinf
from ..display.terms import interval, level, p_value
from ..display.text import about, listed, name_of, number, score, score_format
from ..errors import InvalidInput
from ..page.columns import aligned, names_column, with_ends
from ..page.document import Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import JudgedInterval, JudgeTarget, VarianceSource
from . import notes, options
from .base import KEY, Result, TargetOrNone, about_of
from .labels import Array, Labelled, Labels, outcomes_of, read_labels, sample_outputs
from .notes import by_benchmark, title, with_benchmark_name

PLANNED = 0.375  # default half width to plan for, as a share of the present width: 3/4 of the present half width
REPORTED_BELOW = 0.01  # checks with a smaller p-value are reported
SCOPE = {
    "fixed": "the expected human score on this question set",
    "sampled": "the mean human score in the population of similar questions",
    "outputs": "the mean human score of exactly these outputs, were all of them labelled",
}
CHECK_LIMITS = (
    "scorio checks only whether labels went to easy or hard questions, and misses up to half of such cases; labels "
    "of outputs that look wrong, or on which judges disagree, it missed in 57% to 93%. A random sample needs no check."
)
# options that only the other of --labels and --draw has, by whether there are labels
ONLY_WITH = {True: ("output", "by_verdict", "seed"), False: ("label_scale", "half_width")}


@dataclass(frozen=True)
class Row:
    """Mean human score of a model in a benchmark.

    Attributes
    ----------
    benchmark, model : str
    verdicts : float or None, the mean of the verdicts; None unless they are on the scale of the labels
    mu, sigma, lo, hi, n_eff, variance_source
        As in :class:`scorio.results.JudgedInterval`.
    labels, outputs : int; number of labels, and number of outputs
    half_width : float or None
        The half width that is planned for; None if there is no plan, as where the target is exactly these outputs.
    labels_needed : int or None
        Total number of labels, of random outputs, for this half width; None if there is no plan, or if labels of all
        outputs are not enough.
    p_lean, z_lean, p_spread : float or None
        Checks that random outputs were labelled, as in :class:`scorio.results.LabelCheck`: whether, within a verdict,
        the labels lean towards outputs of easier (z > 0) or harder questions, and whether they are on too few
        questions. A small p-value is a warning.
    """

    benchmark: str
    model: str
    verdicts: float | None
    mu: float
    sigma: float
    lo: float
    hi: float
    n_eff: float
    labels: int
    outputs: int
    half_width: float | None
    labels_needed: int | None
    p_lean: float | None
    z_lean: float | None
    p_spread: float | None
    variance_source: VarianceSource


@dataclass(frozen=True)
class Verdict:
    """Number of outputs of a model with one verdict, and the mean human score of the labelled ones."""

    benchmark: str
    model: str
    verdict: int
    outputs: int
    labels: int
    mean: float | None


@dataclass(frozen=True)
class Difference:
    """The difference of two models in the mean human score."""

    benchmark: str
    a: str
    b: str
    mu: float
    lo: float
    hi: float
    significant: bool


@dataclass(frozen=True, kw_only=True)
class Judgement(Result):
    """Mean human scores, from the verdicts of a judge and human labels.

    Attributes
    ----------
    table : tuple of Row, the models that have labels
    each : tuple of Verdict
    differences : tuple of Difference, the difference in each benchmark in which exactly two models have labels
    scores : mapping of str to tuple of float, the score of each category of labels, in each benchmark
    without : tuple of (str, str); benchmarks and models without a label
    """

    schema: ClassVar[str] = "scorio.judge/3"
    table: tuple[Row, ...]
    each: tuple[Verdict, ...]
    differences: tuple[Difference, ...]
    scores: Mapping[str, tuple[float, ...]] = field(metadata={KEY: "label_weights"})
    without: tuple[tuple[str, str], ...]

    def too_few_labels(self, row: Row) -> bool:
        """Whether fewer than one label is expected to differ from the end of the scale that the mean is near."""
        low, high = min(self.scores[row.benchmark]), max(self.scores[row.benchmark])
        return row.labels * min(row.mu - low, high - row.mu) < high - low

    def document(self) -> Document:
        about, sentences = self.about, list[str]()
        for name, scores in self.scores.items():
            form = score_format(scores)
            lines = [line for r in self.table if r.benchmark == name for line in _sentences(self, r, form)]
            lines += [_difference_sentence(d, about.confidence, form) for d in self.differences if d.benchmark == name]
            sentences += with_benchmark_name(about, name, lines)
        unlabelled = [f"{name_of(m)} in {name_of(b)}" if about.several else name_of(m) for b, m in self.without]
        doubts = [f"Without a label, and left out: {listed(unlabelled)}."] if unlabelled else []
        for name, scores in self.scores.items():
            if any(r.verdicts is None for r in self.table if r.benchmark == name):
                doubts += with_benchmark_name(about, name, [
                    f"Labels are scores from {scores[0]:.10g} to {scores[-1]:.10g}, and verdicts are on another scale: "
                    "only labels on the scale of the verdicts would show how far the judge is off."
                ])  # fmt: skip
        ci = interval(about.confidence)
        explanations = [
            f"{ci}: a range that covers, in about {level(about.confidence)} of evaluations, {SCOPE[about.questions]}. "
            "This needs labels of outputs that were sampled at random, from all or within each verdict. " + CHECK_LIMITS
        ]
        models = number(len({r.model for r in self.table}), "model")
        forms = {name: score_format(scores) for name, scores in self.scores.items()}
        blocks = by_benchmark(about, self.table, lambda rows: _table(rows, forms[rows[0].benchmark]))
        return Document(title(about, models), blocks, sentences, [*doubts, *notes.gaps(about)], explanations)


def judge(
    e: EvaluationData, labels: Labels, *, label_scale: Sequence[float] | None = None, half_width: float | None = None,
    questions: JudgeTarget = "fixed", confidence: float = 0.95,
) -> Judgement:  # fmt: skip
    """Correct the verdicts of a judge by human labels of some outputs.

    Parameters
    ----------
    e : Evaluation, read with ``trials=True``: the verdicts of a judge on every output
    labels : path, or iterable of mappings
        Columns question, trial (1, 2, ... in the order of the log) and label; model and task where there are several.
    label_scale : (float, float), optional
        Lowest and highest score of a label. Default: 0 and 1 where all labels are between them, else the lowest and
        the highest label.
    half_width : float, optional
        Plan labels for an interval of this half width. Default: three quarters of the present one.
    questions : {"fixed", "sampled", "outputs"}
        Target of the mean human score: these questions, similar questions, or exactly these outputs.
    confidence : float in (0, 1); nominal coverage of the intervals

    Returns
    -------
    Judgement

    Raises
    ------
    InvalidInput
        An argument is invalid; format, choice, duplicate, empty: the labels are invalid; conflict: the log
        does not have the verdict of each output.
    """
    target_name: TargetOrNone = arguments.choice(questions, "questions", ("fixed", "sampled", "outputs"))
    target: dict[str, Any] = {"questions": target_name, "confidence": arguments.confidence(confidence)}
    for part in e.benchmarks.values():
        for model in part.logs:
            outcomes_of(part, model)
    by_benchmark = read_labels(e, labels, label_scale)
    rows, verdicts, differences = list[Row](), list[Verdict](), list[Difference]()
    for name, labelled in by_benchmark.items():
        part = e.benchmarks[name]
        for model in labelled.categories:
            row, by_verdict = _corrected(part, model, labelled, half_width, target)
            rows.append(row)
            verdicts += by_verdict
        if len(labelled.categories) == 2:
            (a, A), (b, B) = labelled.categories.items()
            x = sinf.compare_judged(
                _verdicts(part, a), _verdicts(part, b), A, B, labelled.scores, missing="drop", **target
            )
            differences.append(Difference(part.name, a, b, x.mu, x.lo, x.hi, x.significant))
    without = [(name, m) for name, part in e.benchmarks.items() for m in part.logs
               if name not in by_benchmark or m not in by_benchmark[name].categories]  # fmt: skip
    return Judgement(
        about=about_of(e, target_name, confidence), table=tuple(rows), each=tuple(verdicts),
        differences=tuple(differences), without=tuple(without),
        scores={name: labelled.scores for name, labelled in by_benchmark.items()},
    )  # fmt: skip


def _corrected(
    part: Benchmark, model: str, labelled: Labelled, half_width: float | None, target: dict[str, Any]
) -> tuple[Row, list[Verdict]]:
    """Row of a model, and the statistics of each of its verdicts."""
    verdicts, labels, w = _verdicts(part, model), labelled.categories[model], labelled.scores
    judged = eval.judged(verdicts, labels, w, missing="drop", **target)
    check = eval.label_check(verdicts, labels, missing="drop")
    on_scale = (w[0], w[-1]) == part.scale
    # only the mean is used, which does not depend on the target
    mean = eval.mean_ci(part.answered(model).counts, part.w, questions="sampled").mu if on_scale else None
    half, labels_needed = _planned(judged, w[-1] - w[0], half_width, target)
    row = Row(
        part.name, model, mean, judged.mu, judged.sigma, judged.lo, judged.hi, judged.n_eff, sum(judged.labels),
        sum(judged.outputs), half, labels_needed, check.p_lean, check.z_lean, check.p_spread, judged.variance_source,
    )  # fmt: skip
    tallies = zip(judged.verdicts, judged.outputs, judged.labels, judged.means, strict=True)
    return row, [Verdict(part.name, model, *y) for y in tallies]


def _verdicts(part: Benchmark, model: str) -> Array:
    """Verdicts of a model as categories, NaN where one is missing."""
    outcomes = outcomes_of(part, model)
    return np.where(outcomes < 0, np.nan, outcomes)


def _planned(
    judged: JudgedInterval, span: float, half_width: float | None, target: dict[str, Any]
) -> tuple[float | None, int | None]:
    """Half width to plan for, and the number of labels that it needs, as in Row."""
    if target["questions"] == "outputs":
        if half_width is not None:
            reason = "half_width applies to fixed and sampled questions, not to exactly these outputs"
            raise InvalidInput("conflict", "half_width", reason)
        return None, None
    half = PLANNED * (judged.hi - judged.lo) if half_width is None else arguments.real(half_width, "half_width")
    if span == 0 or (half <= 0 and half_width is None):
        return None, None
    if not 0 < half < span / 2:
        reason = f"half_width = {half:.10g} is not strictly between 0 and {span / 2:.10g}, half of the scale of labels"
        raise InvalidInput("range", "half_width", reason)
    plan = sinf.labels_needed(judged.outputs, judged.expected, half_width=half / span, confidence=target["confidence"])
    return half, plan.labels


def _table(rows: Sequence[Row], form: str) -> Table:
    columns = [Column("labels", [f"{r.labels:,}" for r in rows]), Column("outputs", [f"{r.outputs:,}" for r in rows])]
    if rows[0].verdicts is not None:
        columns.append(Column("verdicts", aligned(format(r.verdicts, form) for r in rows)))
    columns.append(Column("mean human score", with_ends(form, [(r.mu, r.lo, r.hi) for r in rows]), "left"))
    return Table([names_column("model", [r.model for r in rows])], [columns], "Judged models")


def _sentences(x: Judgement, r: Row, form: str) -> list[str]:
    """Sentences: the estimate, the bias of the judge, labels by verdict, whether they can be trusted, the next step."""
    mu, lo, hi = (score(y, form) for y in (r.mu, r.lo, r.hi))
    first = (
        f"{name_of(r.model)}: from {number(r.labels, 'human label')} of {r.outputs:,} outputs the mean human score is "
        f"{mu} ({interval(x.about.confidence)} {lo} to {hi})."
    )
    out = []
    if r.p_lean is not None and r.p_lean < REPORTED_BELOW:
        kind = "easier" if (r.z_lean or 0.0) > 0 else "harder"
        out.append(
            f"Do not trust this interval: among outputs with the same verdict, labels went to {kind} questions "
            f"({p_value(r.p_lean)}). Label outputs that are sampled at random: scorio judge --draw."
        )
    if r.p_spread is not None and r.p_spread < REPORTED_BELOW:
        out.append(
            f"The labels are on fewer questions than those of a random sample would be ({p_value(r.p_spread)}): the "
            "interval may be too narrow."
        )
    if x.too_few_labels(r):
        out.append(
            f"With so few labels and a mean so near an end of the scale, the {interval(x.about.confidence)} covers "
            "less often than its level (95% intervals in 81% to 92%)."
        )
    if any(y.labels == 0 for y in x.each if (y.benchmark, y.model) == (r.benchmark, r.model)):
        out.append("A verdict without a label may have any human score: label some of its outputs.")
    return [first + _bias(r, form), _by_verdict(x, r, form), *out, *_next_step(r, form, x.about.questions)]


def _bias(r: Row, form: str) -> str:
    """Sentence on whether the mean of the verdicts is in the interval, after a space; empty without verdicts."""
    if r.verdicts is None:
        return ""
    verdicts = score(r.verdicts, form)
    if r.lo <= r.verdicts <= r.hi:
        return f" The judge says {verdicts}, which the labels neither confirm nor refute."
    direction = "generous" if r.verdicts > r.hi else "strict"
    gap = score(abs(r.verdicts - r.mu), form)
    return f" The judge says {verdicts}, which is outside the interval: the judge is about {gap} too {direction}."


def _by_verdict(x: Judgement, r: Row, form: str) -> str:
    """Sentence with the mean label of the outputs with each verdict."""
    parts = []
    for y in x.each:
        if (y.benchmark, y.model) == (r.benchmark, r.model):
            mean = "no label" if y.mean is None else score(y.mean, form)
            parts.append(f"{mean} with verdict {y.verdict} ({y.labels:,} of {y.outputs:,} outputs labelled)")
    return f"Mean label: {', '.join(parts)}."


def _next_step(r: Row, form: str, target: str | None) -> list[str]:
    """Sentence on what would make the interval as narrow as planned; the plan assumes independent outputs."""
    if r.half_width is None:
        return []
    enough = r.labels_needed is not None and r.labels_needed <= r.labels
    if target == "sampled" and enough and 2.0 * r.half_width < r.hi - r.lo:
        return ["More questions would narrow this interval; more labels hardly would."]
    width = score(r.half_width, form)
    if r.labels_needed is None:
        return [f"An interval of +/- {width} needs more outputs, not only more labels."]
    if r.labels_needed <= r.labels:
        return [f"There are enough labels for an interval of about +/- {width}."]
    many = about(r.labels_needed)
    aim = f"labels in all, of outputs sampled at random, would narrow the interval to about +/- {width}"
    aim += " at best; how many questions there are limits it too." if target == "sampled" else "."
    return [f"{many[:1].upper()}{many[1:]} {aim}"]


def _difference_sentence(r: Difference, confidence: float, form: str) -> str:
    mu, lo, hi = (score(x, form) for x in (r.mu, r.lo, r.hi))
    size = f"(difference in mean human score {mu}, {interval(confidence)} {lo} to {hi})"
    a, b = name_of(r.a), name_of(r.b)
    if not r.significant:
        return f"{a} and {b} are not significantly different {size}."
    better, worse = (a, b) if r.mu > 0 else (b, a)
    return f"{better} is significantly better than {worse} {size}."


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


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    parser.set_defaults(missing="drop")  # an output without a verdict is left out
    add = parser.add_argument
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--labels", metavar="FILE", help="CSV with the columns model, question, trial, label")
    mode.add_argument("--draw", type=int, metavar="N", help="sample N outputs of each model to label; writes the CSV")
    add("--by-verdict", action="store_true", help="sample equally many outputs of each verdict (default: from all)")
    options.add(parser, seed="another seed samples other outputs")
    add("--output", "-o", metavar="CSV", help="file that --draw writes (default: stdout)")
    add("--label-scale", type=options.list_of(float, "1,5"), metavar="LO,HI",
        help="labels are scores from LO to HI; default: 0 to 1 if all labels are within, else from the lowest to the "
        "highest label")  # fmt: skip
    add("--half-width", type=float, metavar="H",
        help="plan labels for an interval of +/- H (default: three quarters of the present one)")  # fmt: skip
    add("--questions", choices=("fixed", "sampled", "outputs"), default="fixed",
        help="intervals for this question set (fixed, default), the population of similar questions (sampled), or "
        "exactly these outputs (outputs)")  # fmt: skip
    options.add(parser, confidence="nominal coverage of intervals")
    parser.set_defaults(option_names={"n": "--draw"})
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Judgement | options.CommandOutput:
    options.check_output(args)
    given = [x for x in ONLY_WITH[args.draw is None] if getattr(args, x) != args.parser.get_default(x)]
    if given:
        mode = "--draw" if args.draw is None else "--labels"
        raise InvalidInput("conflict", given[0], f"--{given[0].replace('_', '-')} is for {mode}")
    e = read(args, trials=True)
    if args.draw is None:
        return judge(e, args.labels, **options.chosen(args, "label_scale", "half_width", "questions", "confidence"))
    sample = sample_outputs(e, args.draw, by_verdict=args.by_verdict, seed=args.seed)
    return options.show_table(sample, args)
