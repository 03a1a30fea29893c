"""Layout of a report: conclusions first, then tables and charts of every analysis, then how it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import numpy as np

from ..analysis.curves import Curve, StabilityCurve
from ..analysis.questions import FDR, Question
from ..analysis.runs import RunScore
from ..display.terms import ON, interval
from ..display.text import number, printable, score, score_format, span
from ..page import html
from ..page.document import (
    Axis,
    Block,
    Chart,
    Column,
    Document,
    Group,
    Heading,
    HeatMap,
    Lines,
    Paragraph,
    Remark,
    Section,
    Table,
    Trace,
    flatten,
)
from ..page.markup import element
from ..version import __version__
from .converge import left_out
from .history import History
from .items import question_sentences, ranking_sentences
from .report_data import MOST_LISTED, Part, ReportData
from .report_models import MISSING, SUSPECTS, UNIT_AXIS, View, comparisons, conclusions, leaderboard_blocks
from .runs import sentences


def document(x: ReportData) -> Document:
    """Document of the report for text: its tables, and every chart in words."""
    return Document(x.title, flatten(sections(x)))


def page(x: ReportData) -> str:
    """HTML page of the report."""
    return html.page(printable(x.title), sections(x))


def fragment(x: ReportData) -> str:
    """HTML of the report for a notebook."""
    return html.fragment(element("h1", printable(x.title)), sections(x))


def sections(x: ReportData) -> list[Section | Block | Group]:
    """Sections of the page, in their order."""
    v = View(x)
    parts = [(p, benchmark_sections(v, p)) for p in x.parts]
    each: list[Section | Block | Group] = [y for _, inner in parts for y in inner]
    if v.several:
        folded = [Section(p.benchmark or "(no name)", inner, folded=True) for p, inner in parts]
        each = [Section("Each benchmark", folded)]
    board = v.board.document()
    every = [*conclusions(v), Section("Leaderboard", leaderboard_blocks(v)), *comparisons(v), *each,
             Section("Builds", _builds(x.history)), Section(MISSING, _trials(v)),
             Section("Notes", [Lines(board.notes)] if board.notes else []),
             Section("Meaning of columns and intervals", [Lines(board.explanations)], folded=True),
             Section("How this page was made", [Lines([
                 f"Made on {x.date} with scorio {__version__}.", *([f"Command: {x.command}"] if x.command else []),
                 *x.sources])])]  # fmt: skip
    return [y for y in every if not isinstance(y, Section) or y.blocks]


def _builds(x: History | None) -> list[Block]:
    """The history of a ledger: its sentences, a chart of scores, and the table."""
    if x is None:
        return []
    d, at = x.document(), [float(i + 1) for i in range(len(x.table))]
    floors = [(i, row.floor) for i, row in zip(at, x.table, strict=True) if row.floor is not None]
    values = [y for row in x.table for y in (row.lo, row.hi)] + [y for _, y in floors]
    low, high = min(values), max(values)
    ticks = [low + (high - low) * i / 4 for i in range(5)]
    chart = Chart(
        f"Scores of {number(len(at), 'build')}, the last {x.table[-1].mu:.3g}; the next floor is {x.floor:.3g}.",
        d.title,
        [
            Trace("band", at, [row.lo for row in x.table], [row.hi for row in x.table]),
            Trace("other", *(list(y) for y in zip(*floors, strict=True))) if floors else Trace("other", [], []),
            Trace("line", at, [row.mu for row in x.table]),
        ],
        Axis((0.5, len(at) + 0.5), [(at[i], f"{i + 1}") for i in range(0, len(at), -(-len(at) // 12))], "build"),
        Axis((low, high), [(y, score(y, score_format(x.about.w))) for y in ticks], "score"),
    )
    key = Remark("Line: the score of each build, with its interval. Dotted, grey: the floor that a build must exceed.")
    return [*map(Paragraph, d.sentences), chart, key, *d.blocks, Lines([*d.notes, *d.explanations])]


def _trials(v: View) -> list[Block | Section]:
    """Table of the trials of each model, and how missing ones were treated."""
    each, gaps = v.board.each, v.about.gaps
    policy = {"raise": "an error", "drop": "left out"}.get(str(v.about.missing), f"counted as {v.about.missing}")
    summary = "Nothing is missing."
    if gaps.absent or gaps.empty:
        summary = (
            f"Missing: {number(gaps.absent, 'outcome')}; questions without a trial, summed over models: "
            f"{gaps.empty:,}. When the log was read, missing outcomes were {policy}."
        )
    columns = [Column("benchmark", [x.benchmark or "(no name)" for x in each], "left")] if v.several else []
    columns += [Column("questions", [f"{x.n_questions:,}" for x in each]),
                Column("trials per\nquestion", [span(x.trials_min, x.trials_max, "–") for x in each]),
                Column("missing", [f"{x.missing:,}" for x in each])]  # fmt: skip
    names = Column("model, in full", [printable(x.model) for x in each], "left", kinds=["name"] * len(each))
    table = Table([names], [columns], "Trials")
    return [Paragraph(summary), Section("Questions and trials of every model", [table], folded=not gaps.absent)]


MOST_RUNS = 12  # most models whose runs are drawn
Z = 1.96  # of a band of 95%


def benchmark_sections(v: View, p: Part) -> list[Section | Block | Group]:
    """Sections of a benchmark; where it is the only one, all but its questions are folded."""
    parts: dict[str, Sequence[Block | Group]]
    parts = {"Questions": _questions(v, p), "Runs": _runs(v, p), "Pass@k": _curves(v, p),
             "Reliability and design": _reliability(v, p), "Stability of the ranking": _stability(v, p)}  # fmt: skip
    if v.several:
        return [y for heading, blocks in parts.items() if blocks for y in (Heading(heading), *blocks)]
    return [Section(heading, blocks, folded=heading != "Questions") for heading, blocks in parts.items()]


def _runs(v: View, p: Part) -> list[Block | Group]:
    """Whether the runs agree, and a chart of each model's runs with the band that chance explains."""
    if p.variation is None:
        return []
    names = list(dict.fromkeys(x.model for x in p.runs))
    low, high = v.board.scales[p.benchmark]
    steps = [low + (high - low) * i / 4 for i in range(5)]
    axis = Axis((low, high), [(y, score(y, v.form)) for y in steps], "")
    charts = [_chart_of_runs(v.names[m], [x for x in p.runs if x.model == m], axis) for m in names[:MOST_RUNS]]
    explanation = "Line: the average in each run. Band: what 95% of runs have if they differ only by chance."
    more = [Remark(f"{number(len(names) - MOST_RUNS, 'further model')} not drawn.")] if len(names) > MOST_RUNS else []
    texts = [Paragraph(x) for x in sentences(p.runs, p.variation, p.shares, v.form, v.confidence)]
    return [*texts, Paragraph(explanation), Group("small", charts), *more]


def _chart_of_runs(name: str, runs: Sequence[RunScore], axis: Axis) -> Chart:
    """Chart of the average of a model in each run."""
    at = [float(i + 1) for i in range(len(runs))]
    middle, reach = [x.average - x.deviation for x in runs], [Z * x.chance for x in runs]
    low, high = ([m + s * r for m, r in zip(middle, reach, strict=True)] for s in (-1, 1))
    low, high = ([min(max(y, axis.ends[0]), axis.ends[1]) for y in ends] for ends in (low, high))
    traces = [Trace("band", at, low, high), Trace("line", at, [x.average for x in runs])]
    text = f"Runs of {name}: averages from {min(x.average for x in runs):.3g} to {max(x.average for x in runs):.3g}."
    step = -(-len(runs) // 8)
    ticks = [(at[i], printable(runs[i].run)[:8]) for i in range(0, len(runs), step)]
    ends = (0.75, len(runs) + 0.25)
    return Chart(text, name, traces, Axis(ends, ticks, "run"), axis)


def _curves(v: View, p: Part) -> list[Block | Group]:
    """Charts of Pass@k of the best models: measured for k up to the number of trials, modelled for larger k."""
    if not p.curves:
        return [Paragraph(f"Not shown: {p.no_curves}.")] if p.no_curves else []
    first = next(iter(p.curves.values()))
    most = max(x.ks_beyond[-1] for x in p.curves.values())
    explanation = (
        f"Solid: measured, with its {interval(v.confidence)} {ON[v.target]}. Dashed: k above the number of "
        "trials, under a beta-binomial model fitted to all questions, if needed with a share of questions that are "
        "never solved. The band there needs no model: Pass@k may be anywhere in it, depending on questions that no "
        "trial solved. Light, it allows for sampling error; dark, it does not, so that the dashed line may leave it."
    )
    explanation += f" Dotted, grey: {v.names[next(iter(p.curves))]}." if len(p.curves) > 1 else ""
    undrawn = sum(c.benchmark == p.benchmark for c in v.board.each) - len(p.curves)
    are = "is" if undrawn == 1 else "are"
    more = [Remark(f"The other {number(undrawn, 'model')} {are} not drawn.")] if undrawn else []
    charts = [_curve(v.names[m], x, first if x is not first else None, most) for m, x in p.curves.items()]
    return [Paragraph(explanation), Group("small", charts), *more]


def _curve(name: str, x: Curve, best: Curve | None, most: int) -> Chart:
    """Chart of Pass@k of a model, with that of the best model for comparison."""
    value = [y.mu for y in x.measured]
    traces = [
        Trace("band", x.ks_measured, [y.lo for y in x.measured], [y.hi for y in x.measured]),
        Trace("band", x.ks_beyond, [y.low for y in x.bands], [y.high for y in x.bands]),
        Trace("inner", x.ks_beyond, [y.lower for y in x.bands], [y.upper for y in x.bands]),
        *([Trace("other", best.ks_measured, [y.mu for y in best.measured])] if best is not None else []),
        Trace("line", x.ks_measured, value),
    ]
    last, modelled = x.bands[-1], [y for y, _, _ in x.modelled]
    if modelled:
        traces.append(Trace("modelled", [x.ks_measured[-1], *x.ks_beyond], [value[-1], *modelled]))
    text = f"Pass@k of {name}: {value[0]:.2f} at 1, {value[-1]:.2f} at {x.ks_measured[-1]}; at {x.ks_beyond[-1]} "
    text += f"between {last.low:.2f} and {last.high:.2f}" + (f", {modelled[-1]:.2f} by the model." if modelled else ".")
    powers = [2**i for i in range(most.bit_length())]
    step = -(-len(powers) // 7)  # rounded up: at most seven ticks
    axis = Axis((1.0, float(most)), [(float(k), f"{k:,}") for k in powers[::step]], "k", log=True)
    return Chart(text, name, traces, axis, Axis(UNIT_AXIS.ends, UNIT_AXIS.ticks, "Pass@k"))


def _questions(v: View, p: Part) -> list[Block | Group]:
    """Heat map of every model on every question; the hardest and most discriminating questions, and suspects."""
    x = p.questions
    if x is None:
        return []
    never, always = (sum(q.solved == y for q in x.table) for y in ("never", "always"))
    binary = x.scores == (0.0, 1.0)
    ends = ("never solved", "always solved") if binary else ("always the lowest score", "always the highest")
    size = number(len(x.table), "question")
    summary = f"Of {size} {ends[0]}: {never:,}; {ends[1]}: {always:,} (in all trials of all models)."
    lists = [_question_list(v, p, "Hardest", x.table)]
    if p.item_analysis.items:
        lists += _item_lists(v, p)
    elif len(x.models) > 1:
        lists.append(_question_list(v, p, "Where the models differ most", p.contested))
    low, high = min(x.scores), max(x.scores)
    alt = (
        f"Questions: the average of {number(len(x.models), 'model')} on {size}, hardest first, "
        "models from best to worst; dark is low, light is high."
    )
    below = f"{size} from the hardest (left) to the easiest (right)."
    below += " Grey: no trial." if np.isnan(x.values).any() else ""
    shares = (x.values - low) / ((high - low) or 1.0)
    heat = HeatMap(alt, [v.names[m] for m in x.models], shares, (below, f"{low:.10g}", f"{high:.10g}"))
    return [Paragraph(summary), heat, Group("lists", lists)]


def _list(
    v: View, p: Part, heading: str, names: Sequence[str], columns: Mapping[str, Sequence[str]], text: str = "",
    name: str = "",
) -> Group:  # fmt: skip
    """List of the first of these questions, with a column of cells by header; name: the anchor of its heading."""
    address, first = v.report.link, names[:MOST_LISTED]
    links = [address.replace("{question}", quote(x, safe="")) for x in first] if address else []
    texts = [printable(v.report.texts.get((p.benchmark, x), "")) for x in first]
    ids = Column("question", [printable(x) for x in first], "left", links=links, texts=texts)
    table = Table([ids], [[Column(header, cells[:MOST_LISTED]) for header, cells in columns.items()]], heading)
    more = f" (the first {MOST_LISTED})" if len(names) > MOST_LISTED else ""
    return Group(
        "list", [Heading(heading + more, name), *([Remark(text)] if text else []), *([table] if names else [])]
    )


def _question_list(v: View, p: Part, heading: str, ranked: Sequence[Question]) -> Group:
    """List of questions with their averages."""
    columns = {"average": [score(q.mean, v.form) for q in ranked]}
    if any(q.models > 1 for q in ranked[:MOST_LISTED]):
        columns["lowest\nmodel"] = [score(q.lowest, v.form) for q in ranked]
        columns["highest\nmodel"] = [score(q.highest, v.form) for q in ranked]
    return _list(v, p, heading, [q.name for q in ranked], columns)


def _item_lists(v: View, p: Part) -> list[Group]:
    """Lists of the most discriminating questions, and of suspects."""
    analysis, best, suspects = p.item_analysis, p.discriminating, p.suspects
    columns = {"average": [f"{y.mean:.3f}" for y in best]}
    if any(y.discrimination is not None for y in best):
        r = ["" if y.discrimination is None else f"{min(y.discrimination, 1.0):.2f}" for y in best]
        columns["discrimi-\nnation"] = r
    columns["covariance"] = [f"{y.covariance:.4f}" for y in best]
    text = "Covariance with the average on the other questions, over the models; discrimination is their correlation, "
    text += "corrected for trial-to-trial variance."
    of_suspects = {
        "average": [f"{y.mean:.3f}" for y in suspects], "covariance": [f"{y.covariance:.4f}" for y in suspects],
        "p,\nadjusted": [f"{y.p_adjusted:.2g}" for y in suspects],
    }  # fmt: skip
    found_text, name = " ".join(question_sentences(analysis.items, FDR)), "" if v.several else html.anchor(SUSPECTS)
    return [
        _list(v, p, "Most discriminating", [analysis.names[y.question] for y in best], columns, text),
        _list(v, p, SUSPECTS, [analysis.names[y.question] for y in suspects], of_suspects, found_text, name),
    ]


def _reliability(v: View, p: Part) -> list[Block]:
    """Table of the reliability of the ranking, now and with more trials or questions."""
    if not p.item_analysis.designs:
        return [Paragraph(f"Not shown: {p.item_analysis.reason}.")] if p.item_analysis.reason else []
    now, *others = p.item_analysis.designs
    names = ["as it is", *(f"{x.n_questions // now.n_questions} times the questions" if x.n_questions > now.n_questions
                           else f"{round(x.n_trials / max(1, round(now.n_trials)))} times the trials"
                           for x in others)]  # fmt: skip
    designs = [now, *others]
    columns = [Column("questions", [f"{x.n_questions:,}" for x in designs]),
               Column("trials per\nquestion", [f"{round(x.n_trials):,}" for x in designs]),
               Column("standard error of a difference\non similar questions",
                      [f"{x.se:.3f}" for x in designs])]  # fmt: skip
    if now.se_fixed is not None:
        columns.append(Column("on these\nquestions", [f"{x.se_fixed or 0.0:.3f}" for x in designs]))
    columns.append(Column("reliability\non similar questions", [f"{x.rho:.2f}" for x in designs]))
    meaning = (
        "Reliability: the squared correlation of the averages of the models with those that unlimited trials on all "
        "similar questions would give; 1 is a ranking without error. It is lower for models that are closer to each "
        "other, and rests on variances estimated from this log."
    )
    if v.target == "sampled" and v.about.gaps.clustered:
        meaning += " It takes questions for independent: clusters make a ranking less reliable."
    table = Table([Column("design", names, "left")], [columns], "Designs")
    return [Paragraph(" ".join(ranking_sentences(now, v.confidence))), table, Remark(meaning)]


def _stability(v: View, p: Part) -> list[Block | Group]:
    """Charts of how the ranking stabilises as trials are added, or why that is not known."""
    x: StabilityCurve | None = p.stability
    if x is None:
        return [Paragraph(f"Not shown: {p.no_stability}.")] if p.no_stability else []
    tau_b, N, B = x.agreement, x.agreement.trials[-1], v.report.replicates
    bottom = min(0.0, round(min(tau_b.low) - 0.05, 1))
    tau_axis = Axis((bottom, 1.0), [*UNIT_AXIS.ticks, (bottom, f"{bottom:.2f}")] if bottom else UNIT_AXIS.ticks, "")
    charts = [
        Chart(
            f"Kendall's tau-b with the gold ranking: {tau_b.mean[0]:.2f} after 1 trial, {tau_b.mean[-1]:.2f} after "
            f"{N}.",
            "Kendall's tau-b with the gold ranking: mean, and the middle 90% of the replicates",
            [Trace("band", tau_b.trials, tau_b.low, tau_b.high), Trace("line", tau_b.trials, tau_b.mean)],
            _trial_axis(tau_b.trials), tau_axis,
        )
    ]  # fmt: skip
    remarks = left_out(x.block)
    if N > 2:
        trials = tau_b.trials[:-1]
        charts.append(Chart(
            f"Share of replicates with a stable ranking: {x.stable[0]:.2f} after trial 1, {x.stable[-1]:.2f} after "
            f"trial {N - 1}.",
            f"Share of replicates with a stable ranking; {100 * x.never:.1f}% have none before all {N} trials",
            [Trace("line", trials, x.stable)], _trial_axis(trials), UNIT_AXIS,
        ))  # fmt: skip
    else:  # a line of one point would be an empty chart
        remarks.append(f"In {100 * x.stable[0]:.1f}% of replicates the ranking is stable after the first trial.")
    explanation = (
        f"{number(B, 'bootstrap replicate')}. Each samples {N} trials with replacement, the same ones for all models. "
        "The gold ranking is that of all trials; a ranking is stable from n trials on if it equals the gold ranking "
        "after n and after every larger number of trials. The bootstrap takes the gold ranking for the truth: with few "
        "trials it overstates how stable the ranking is."
    )
    return [*(Paragraph(y) for y in remarks), Group("beside", charts), Remark(explanation)]


def _trial_axis(trials: Sequence[int]) -> Axis:
    """Axis of trials with at most ten ticks."""
    step = -(-len(trials) // 10)  # rounded up
    return Axis((trials[0], trials[-1]), [(n, f"{n:,}") for n in trials[::step]], "trials per question")
