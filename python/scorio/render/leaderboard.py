"""Layout of a leaderboard."""

from __future__ import annotations

from ..analysis.leaderboard import Cell, Leaderboard, Row
from ..display.terms import interval
from ..display.text import listed, number, printable, score_format, span
from ..io.evaluation import scales_in_words
from . import notes
from .document import Block, Column, Document, Table, title
from .numbers import drawn_intervals, interval_column, number_column
from .verdicts import certificate_sentences

MACRO = "macro-average"


def document(x: Leaderboard) -> Document:
    """Document of models by their average; with several benchmarks, of each model in each of them too."""
    about, several = x.about, len(x.about.benchmarks) > 1
    blocks: list[Block] = [_models(x)] if x.table else []
    if several or not x.table:
        blocks += [_benchmarks(x)]
    rows: list[Row | Cell] = [*x.table, *x.each]
    values = [y for row in rows for y in (row.average, *row.at_k.values())]
    sources = {y.variance_source for y in values}
    doubts = [*notes.marks(sources), *_left_out(x), *notes.different_questions(about.gaps), *notes.gaps(about)]
    explanations = [
        *notes.meanings(about, sources),
        *_meanings(x),
    ]
    sentences = []
    if x.certificate is not None and x.certificate.mu:
        first, second = x.table[0].model, x.table[1].model
        sentences = [certificate_sentences(x.certificate, first, second, binary=about.w is None)]
    return Document(_title(x), blocks, sentences, doubts, explanations)


def _title(x: Leaderboard) -> str:
    several = len(x.about.benchmarks) > 1
    sizes = number(len(x.about.benchmarks), "benchmark") if several else _sizes(x.each)
    return title(x.about, number(len(x.about.models), "model"), sizes)


def _sizes(cells: tuple[Cell, ...]) -> str:
    """Numbers of questions and trials in words, if they are the same for all cells; else empty."""
    first = cells[0]
    if len({(y.n_questions, y.trials_min, y.trials_max) for y in cells}) > 1:
        return ""
    trials = f"{span(first.trials_min, first.trials_max)} {'trial' if first.trials_max == 1 else 'trials'}"
    return f"{number(first.n_questions, 'question')}, {trials} per question"


def _models(x: Leaderboard) -> Table:
    """Table with a row for each model: its average, ranks, Pass@k, Bayes@N and cost."""
    about, rows, form = x.about, x.table, score_format(x.about.w)
    several = len(about.benchmarks) > 1

    def column(header: str, values: list) -> Column:  # type: ignore[type-arg]
        return interval_column(header, values, form, about.confidence, about.questions)

    aliases = [name.capitalize() for name in rows[0].at_k if name.endswith("@1")]  # Pass@1 and Max@1 are the average
    heading = " = ".join([MACRO if several else "average", *aliases])
    first = [column(heading, [row.average for row in rows])]
    if not several and not _sizes(x.each):
        first = [Column("questions", [f"{row.n_questions:,}" for row in rows]),
                 Column("trials", [span(row.trials_min, row.trials_max) for row in rows]), *first]  # fmt: skip
    if any(row.best is not None for row in rows):
        first.append(Column("ranks", [span(row.best, row.worst, "-") for row in rows]))
    at_k = [[column(name.capitalize(), [row.at_k[name] for row in rows])] for name in rows[0].at_k
            if not name.endswith("@1")]  # fmt: skip
    bayes = [row.bayes for row in rows if row.bayes is not None]
    extra = [[number_column("Bayes\nmu", [y.mu for y in bayes], form),
             number_column("Bayes\nsigma", [y.sigma for y in bayes], form)]] if bayes else []  # fmt: skip
    if any(row.cost_per_solved for row in rows):
        extra.append([_costs(x)])
    lead = [Column("#", [str(row.rank) for row in rows]),
            Column("model", [row.model for row in rows], "left", names=True)]  # fmt: skip
    return Table(lead, [first, *at_k, *extra], "Models", drawn_intervals([row.average for row in rows], form))


def _costs(x: Leaderboard) -> Column:
    """Column of the cost per solved task, with three significant digits, or as a whole number from 1,000 on."""
    numbers = [row.cost_per_solved and [f"{y:,.0f}" if y >= 999.5 else f"{y:.3g}" for y in row.cost_per_solved[:3]]
               for row in x.table]  # fmt: skip
    cells = ["" if y is None else f"{y[0]} [{y[1]}, {y[2]}]" for y in numbers]
    return Column(
        f"{printable(x.cost_unit)} per solved\n{interval(x.about.confidence)} ({x.about.questions})", cells, "left"
    )


def _benchmarks(x: Leaderboard) -> Table:
    """Table with a row for each benchmark and a column for each model."""
    about, names = x.about, x.about.benchmarks
    cells = {(cell.benchmark, cell.model): cell for cell in x.each}
    metrics = {cell.benchmark: cell.metric for cell in x.each}
    in_benchmark = [[cell for cell in x.each if cell.benchmark == name] for name in names]
    models = [row.model for row in x.table] + [m for m in about.models if m not in {row.model for row in x.table}]
    form = score_format([end for ends in x.scales.values() for end in ends])
    questions = [span(min(c.n_questions for c in y), max(c.n_questions for c in y)) for y in in_benchmark]
    trials = [span(min(c.trials_min for c in y), max(c.trials_max for c in y)) for y in in_benchmark]
    lead = [Column("benchmark", [name or "(no name)" for name in names], "left", names=True)]
    first = [Column("metric", [metrics[name] for name in names], "left"), Column("questions", questions),
             Column("trials", trials)]  # fmt: skip
    columns = []
    for model in models:
        values = [cells[name, model].average if (name, model) in cells else None for name in names]
        columns.append([interval_column(printable(model), values, form, about.confidence, about.questions)])
    return Table(lead, [first, *columns], "Benchmarks")


def _left_out(x: Leaderboard) -> list[str]:
    """Notes on why a macro-average or a cost is not shown."""
    if not x.table and len(set(x.scales.values())) > 1:
        return [f"No macro-average: the benchmarks are on different scales, {scales_in_words(x.scales)}."]
    out = [f"No macro-average of {', '.join(x.incomplete)}: no trial in some benchmark."] if x.incomplete else []
    if (costly := [row.cost_per_solved for row in x.table]) and any(costly) and not all(costly):
        names = listed([row.model for row in x.table if row.cost_per_solved is None])
        reason = f"no trial succeeded, or the log lacks the {x.cost_unit} of a trial"
        out.append(f"No {x.cost_unit} per solved of {names}: {reason}.")
    return out


def _meanings(x: Leaderboard) -> list[str]:
    out = []
    if len(x.about.benchmarks) > 1 and x.table:
        out.append(
            f"The {MACRO} is the plain mean over {number(len(x.about.benchmarks), 'benchmark')}, each of which weighs "
            "the same whatever number of questions it has."
        )
    if any(row.cost_per_solved for row in x.table):
        out.append(
            f"{x.cost_unit} per solved: the mean {x.cost_unit} of a trial, failed ones too, divided by the success "
            "rate, both averaged over questions."
        )
    if any(row.best is not None for row in x.table):
        out.append(
            "ranks: the ranks that a model may have, from 1 + the number of models that are significantly better to "
            "the number of models that are not significantly worse, with one error rate for all pairs (Holm)."
        )
    return out
