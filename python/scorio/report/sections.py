"""The sections of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..display import html, svg
from ..display.names import short_names
from ..display.terms import MARKS, SCOPE, alpha, interval, level, marked, p_value
from ..display.text import about, listed, number, percent, percents, printable, score, span
from ..io import Log
from ..leaderboard.sentences import inseparable_runs, significant
from ..leaderboard.verdict import POWER
from ..version import __version__
from .analysis import ROOM, Asked, Results, at_once, needed_for
from .suite import times_as_many

MOST_SENTENCES = 12  # neighbours in the ranking, runs
MOST_DIGITS = 12  # models whose map has room for digits after the point
SIZES = "questions\nx trials"  # a column


def board(results: Results, asked: Asked) -> list[str]:
    """The models, their numbers and the ranks that they may have."""
    if not results.rows:
        return [html.text("p", "There is no leaderboard over all benchmarks: see the table below.")]
    L, better, form = len(results.rows), results.better(asked.confidence), asked.form
    often, metric = interval(asked.confidence), "Pass" if asked.weights is None else "Max"
    ends = (min(x.average.lo for x in results.rows), max(x.average.hi for x in results.rows))
    axis = "".join(html.text("span", f"{x:{form}}") for x in ends)
    drawn = html.Markup(f"{often}<br><span class='ends'>{axis}</span>")
    average = "average" if results.board is None else "macro-average"
    heads: list[Any] = ["#", "model", f"{average}\n{often}", drawn, "rank\nrange"]
    heads += [*(f"{metric}@{k}\n{often}" for k in results.rows[0].at_k), SIZES]
    rows: list[list[Any]] = []
    for i, (name, row) in enumerate(zip(results.in_sentences.short, results.rows, strict=True)):
        x, low, high = row.average, 1 + int(better[:, i].sum()), L - int(better[i].sum())
        lost = html.under(f"{row.missing:,} missing") if row.missing else ""
        sizes = html.Cell(f"{row.questions:,} x {span(*row.trials, '–')}", lost, "quiet", float(row.questions))
        rows.append([
            row.rank, name, _limits(x, form), html.Cell("", svg.interval(x.lo, x.mu, x.hi, ends), key=x.mu),
            html.Cell(span(low, high, "–"), key=low + high / (2 * L)),
            *(_limits(y, form) for y in row.at_k.values()), sizes,
        ])  # fmt: skip
    alike = len({(row.questions, row.trials, row.missing) for row in results.rows}) == 1
    unsaid = ({len(heads) - 1} if alike else set()) | ({0, 4} if L == 1 else set())
    heads, *rows = ([row[i] for i in range(len(heads)) if i not in unsaid] for row in (heads, *rows))
    table = html.table(heads, rows, named=min(1, L - 1), kind="sortable first" if L > 1 else "")
    said = [_sizes_of_all(results)] if alike else []
    if L == 1:
        said.append("There is one model: comparisons, and the reliability and stability of a ranking, need two.")
    else:
        which = "" if results.board is None else " by the macro-average"
        said += [
            f"The {often} is that of each model by itself. Two of them may overlap where the models differ "
            "significantly: pairs are judged by the comparisons, which are made question by question.",
            f"Rank range: the ranks{which} that a model may have, with {level(asked.confidence)} confidence for all "
            "models together.",
        ]
    return [html.box(table, "Leaderboard"), *(html.text("p", x, "quiet") for x in said)]


def _sizes_of_all(results: Results) -> str:
    """The sizes that are the same for every model, in a sentence instead of a column."""
    row, who = results.rows[0], results.in_sentences.short[0] if len(results.rows) == 1 else "Every model"
    trials = f"{span(*row.trials, '–')} {'trial' if row.trials == (1, 1) else 'trials'} per question"
    lost = [f"{number(row.missing, 'outcome')} missing"] if row.missing else []
    over = "" if results.board is None else ", all benchmarks together"
    return f"{who} has {listed([number(row.questions, 'question'), trials, *lost])}{over}."


def _limits(x: Any, form: str) -> html.Cell:
    """A value, and below it its confidence interval."""
    said = marked(f"[{x.lo:{form}}, {x.hi:{form}}]", MARKS[x.variance_source])
    return html.Cell(f"{x.mu:{form}}", html.under(said), key=x.mu)


def comparisons(results: Results, asked: Asked) -> list[str]:
    """Neighbours, runs that are not separated, and the map of all pairs."""
    L = len(results.rows)
    if L < 2:
        return []
    many, rate = len(results.pairs) > 1, alpha(asked.confidence)
    adjusted = " after Holm's adjustment for the number of pairs" if many else ""
    rule = (
        f"Two models differ significantly, on {SCOPE[asked.questions]}, where the p-value of their comparison is at "
        f"most {rate}{adjusted}: if all models were equally "
        f"good, {'any pair at all' if many else 'they'} would differ significantly in at most {rate} of evaluations."
    )
    if not many:
        return [html.text("p", rule), *_neighbours(results, asked)]
    return [
        html.text("p", rule), html.text("h3", "Neighbours in the ranking"), *_neighbours(results, asked),
        *_runs(results, inseparable_runs(results.p().tolist(), asked.confidence)), *_map(results, asked),
    ]  # fmt: skip


def _neighbours(results: Results, asked: Asked) -> list[str]:
    """A row for each pair of neighbours."""
    names, fixed = results.in_sentences.short, asked.questions == "fixed"
    needed = f"{'trials per' + chr(10) + 'question' if fixed else 'questions'} for\n{level(POWER)} power"
    if results.board is not None:
        needed = f"{'trials' if fixed else 'questions'}: times as\nmany for {level(POWER)} power"
    many = len(results.adjusted)
    which = "of the difference" if many < 2 else "all pairs at once"
    heads = ["pair, the\nbetter first", "difference", f"{interval(asked.confidence)}\n{which}"]
    heads += [f"at the {alpha(asked.confidence)} level\np{', adjusted' if many > 1 else ''}", needed]
    shown = range(min(len(names) - 1, MOST_SENTENCES))
    pairs = [html.Cell(f"{i + 1} {names[i]}", html.under(f"{i + 2} {names[i + 1]}")) for i in shown]
    rows = [[pair, *_pair(results, i, asked)] for i, pair in zip(shown, pairs, strict=True)]
    if not any(row[-1] for row in rows):
        heads, *rows = (row[:-1] for row in (heads, *rows))
    out = [html.box(html.table(heads, rows, named=0), "Neighbours in the ranking")]
    out.append(html.text("p", " ".join(_of_intervals(many, asked, heads[-1] == needed)), "quiet"))
    if len(names) - 1 > MOST_SENTENCES:
        more = number(len(names) - 1 - MOST_SENTENCES, "pair")
        out.append(html.text("p", f"The other {more} of neighbours: see the map."))
    return out


def _of_intervals(pairs: int, asked: Asked, planned: bool) -> list[str]:
    """What the intervals of differences are, which are not those of the leaderboard."""
    said = ["These are intervals of differences, not of single models as in the leaderboard."]
    if pairs > 1:
        said.append(
            f"Each is so wide that, in about {level(asked.confidence)} of evaluations, the intervals of all "
            f"{pairs:,} pairs cover their differences at once. Holm's adjustment is less strict than that, so that an "
            "interval may contain 0 where the difference is significant; where they disagree, the p-value decides."
        )
    if planned:
        also = ", all pairs accounted for" if pairs > 1 else ""
        said.append(
            f"The sample size is the total at which the difference would be significant with that power{also}; where "
            "the models are in truth closer than they seem here, more is needed."
        )
    return said


def _pair(results: Results, i: int, asked: Asked) -> list[Any]:
    """A model and the next one: the difference, its interval, the decision, and the sample size that would decide."""
    form, known = asked.form, results.pairs[i, i + 1]
    if isinstance(known, str):
        return ["", "", f"not compared: {known}", ""]
    x, p = at_once(results, i, i + 1, asked), results.adjusted[i, i + 1]
    value = html.under(p_value(p).removeprefix("p ").removeprefix("= "))
    said: list[Any] = [score(x.mu, form), f"{score(x.lo, form)} to {score(x.hi, form)}"]
    if significant(p, asked.confidence):
        return [*said, html.Cell("significant", value), ""]
    said.append(html.Cell("not significant", value))
    if results.board is not None:
        times = times_as_many(results, i, i + 1, asked)
        return [*said, "none: equal averages" if times is None else f"{max(times, 1.0):.1f}"]
    needed = needed_for(results, i, i + 1, asked)[1]
    return [*said, "none: equal averages" if needed is None else about(needed)]


def _map(results: Results, asked: Asked) -> list[str]:
    """Every pair, the upper triangle: P(A > B) of the better-ranked one under a flat prior, and the decision."""
    L, P, better = len(results.rows), results.P(), results.better(asked.confidence)
    known = [(i, j) for i in range(L) for j in range(i + 1, L) if P[i, j] == P[i, j]]
    large = L > MOST_DIGITS
    values = [P[x] for x in known]
    digits = [percent(p, "", 0).strip("<>").partition(".")[0] for p in values] if large else percents(values)
    said = dict(zip(known, digits, strict=True))
    rows: list[list[Any]] = []
    for i, name in enumerate(results.in_sentences.short[:-1]):
        row: list[Any] = [f"{i + 1} {name}"]
        for j in range(1, L):
            kind = "none" if j <= i else "better" if better[i, j] else "worse" if better[j, i] else ""
            row.append(html.Cell(said.get((i, j), "–") if j > i else "", kind=kind))
        rows.append(row)
    keys = "".join(
        html.text("span", said, f"key {kind}".strip()) + " "
        for kind, said in (
            ("better", "row significantly better"),
            ("worse", "column significantly better"),
            ("", "not significant"),
        )
    )
    caption = "P(row above column) under a flat prior, 1 - p/2, each pair by itself; of many "
    caption += "pairs some are high by chance, and only coloured ones differ significantly"
    caption += ", in %, rounded towards 50" if large else ""
    table = html.table(["", *map(str, range(2, L + 1))], rows, named=0, kind="map large" if large else "map")
    return [html.text("h3", "All pairs"), html.text("p", f"{caption}:"), html.box(table, "All pairs"), f"<p>{keys}</p>"]


def _runs(results: Results, runs: Sequence[range]) -> list[str]:
    """Runs of models of which no two differ significantly."""
    if not runs:
        return []
    names = results.in_sentences.short
    said = [f"Places {x.start + 1} to {x.stop}: {listed([names[i] for i in x])}." for x in runs[:MOST_SENTENCES]]
    out = [html.text("h3", "Runs in which no two models differ significantly"), html.items(said)]
    if len(runs) > MOST_SENTENCES:
        out.append(html.text("p", f"And {number(len(runs) - MOST_SENTENCES, 'run')} further down."))
    return out


def missing(logs: Mapping[str, Log], policy: str | int) -> list[str]:
    """How many trials there are, and how missing ones were treated."""
    rows: list[list[Any]] = []
    for name, (where, log) in [(m, x) for m in logs for x in _logs(logs, m)]:
        n = log.counts.trials
        rows.append([name, where, log.counts.M, int((n == 0).sum()), int(n.sum()), log.missing,
                     ", ".join(_sizes(n.tolist()))])  # fmt: skip
    lost, empty = sum(row[5] for row in rows), sum(row[3] for row in rows)
    if not lost and not empty and len({row[6] for row in rows}) == 1 and ", " not in rows[0][6]:
        n = rows[0][4] // rows[0][2]
        return [html.text("p", f"Nothing is missing: every question of every model has {number(n, 'trial')}.")]
    done = {"raise": "an error", "drop": "left out"}.get(str(policy), f"counted as {policy}")
    said = f"Missing: {number(lost, 'outcome')}. When the log was read, missing outcomes were {done}."
    if not lost and not empty:
        said = "Nothing is missing; the number of trials differs."
    short = short_names(list(logs), ROOM)
    names = dict(zip(logs, short.short, strict=True))
    heads = ["model", "benchmark", "questions", "without\na trial", "trials", "missing", "questions x trials"]
    unsaid = ({1} if len(rows) == len(names) else set()) | ({3} if not empty else set()) | ({5} if not lost else set())
    shown = [i for i in range(len(heads)) if i not in unsaid]
    heads, *rows = ([row[i] for i in shown] for row in (heads, *([names[row[0]], *row[1:]] for row in rows)))
    table = html.box(html.table(heads, rows, named=0, kind="sortable"), "Trials of each model")
    return [html.text("p", said), table, *(html.text("p", x, "quiet") for x in short.said)]


def _logs(logs: Mapping[str, Log], model: str) -> list[tuple[str, Log]]:
    """The logs of a model, by benchmark where there are several."""
    parts = getattr(logs, "benchmarks", {}) or {"": logs}
    return [(name, part[model]) for name, part in parts.items() if model in part]


def _sizes(trials: list[int]) -> list[str]:
    """How many questions have how many trials, at most six terms: 495 x 4, 5 x 3."""
    every = Counter(trials)
    common = [f"{many:,} x {n:,}" for n, many in sorted(every.items(), key=lambda x: (-x[1], -x[0]))]
    return common if len(common) <= 6 else [*common[:5], f"{number(len(common) - 5, 'other number')} of trials"]


def _clusters(logs: Mapping[str, Log], asked: Asked) -> list[str]:
    """Whether the clusters of the logs count."""
    if not any(log.clusters for model in logs for _, log in _logs(logs, model)):
        return []
    counted = "are what was sampled" if asked.questions == "sampled" else "change nothing for this question set"
    return [f"The log names the cluster of each question: clusters {counted}."]


def made(logs: Mapping[str, Log], asked: Asked, command: str, date: str, sources: Sequence[str]) -> list[str]:
    """What the numbers are about, how to make the page again, and what every model's rest on."""
    tests = f" Differences: two-sided p-values, {alpha(asked.confidence)} level" if len(logs) > 1 else ""
    tests += (" for all pairs together, Holm's adjustment." if len(logs) > 2 else ".") if tests else ""
    said = [
        f"Target: {SCOPE[asked.questions]}. Intervals: {interval(asked.confidence)}.{tests}",
        f"Made on {date} with scorio {__version__}.",
        *_clusters(logs, asked), *sources,
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for model in logs:
        n = [log.counts.trials for _, log in _logs(logs, model)]
        rows.append([printable(model), sum(int((x > 0).sum()) for x in n), sum(int(x.sum()) for x in n)])
    table = html.box(html.table(["model, in full", "questions", "trials"], rows, named=0), "Sizes")
    code = [html.text("pre", command)] if command else []
    return [html.items(said), *code, html.details("Questions and trials of every model", [table])]
