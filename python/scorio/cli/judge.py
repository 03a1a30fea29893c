"""``scorio judge``: which outputs people should label, and the mean human score that their labels give a judge."""

from __future__ import annotations

import csv
from argparse import Namespace
from io import StringIO
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from ..display.text import digits, number, printable
from ..errors import InvalidInput
from . import options, output
from .tables import Column, aligned, fitted, rendered, wide, with_ends, wrapped

if TYPE_CHECKING:
    import numpy as np

    from .. import io
    from ..results import JudgedInterval

EXAMPLES = """examples:
  scorio judge verdicts.csv --draw 100 > todo.csv     which outputs to label
  scorio judge verdicts.csv --labels todo.csv         when they are labelled
  scorio judge verdicts.csv --labels todo.csv --half-width .03
  scorio judge verdicts.csv --draw 50 --by-verdict    25 passed, 25 failed ones

"""
MEANING = """The log holds the verdicts of a judge on every output, such as a language model
that grades answers. A judge errs; labels of some outputs by people say how
often, and correct the mean. Columns of the table: the mean of the verdicts,
and the mean human score with its interval.

--draw writes a CSV with the columns model, question, trial (1, 2, ... in the
order of the log) and an empty label. The verdicts are left out on purpose:
people should not see them. Fill in the labels, 0 or 1 or scores, and give the
file to --labels; rows without a label count as not labelled. Outputs that
people choose themselves, such as easy ones first, make every interval wrong.
With two models, both of which have labels, their difference is said too.

"""
COLUMNS = ("model", "question", "trial", "label")


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    add = parser.add_argument
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--labels", metavar="FILE", help="CSV with the columns model, question, trial, label")
    what.add_argument("--draw", type=int, metavar="N", help="draw N outputs of each model to label, and write the CSV")
    add("--by-verdict", action="store_true", help="draw equally many outputs of each verdict (default: of all alike)")
    add("--seed", type=int, default=0, metavar="SEED", help="another seed draws others (default 0)")
    add("--output", "-o", metavar="CSV", help="file that --draw writes (default: stdout)")
    add("--label-scale", type=options.list_of(float, "1,5"), metavar="LO,HI",
        help="labels are scores from LO to HI; default: 0 to 1 where all are within, else from the lowest to the "
        "highest seen")  # fmt: skip
    add(
        "--half-width",
        type=float,
        metavar="H",
        help="plan labels for an interval of +/- H (default: three quarters of the present one)",
    )
    add("--questions", choices=("fixed", "sampled", "outputs"), default="fixed",
        help="intervals for this question set (fixed, default), the population of similar questions (sampled), or "
        "just these outputs (outputs)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P", help="nominal coverage of intervals (default 0.95)")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, then draw or correct."""
    options.check_output(args)
    if args.missing == "raise":
        args.missing = "drop"  # an output without a verdict is none
    logs = options.read(args, trials=True)
    for model, log in logs.items():
        if log.outcomes is None:
            what = f"the log has no single verdicts of {printable(model)}, only how many of each there are"
            raise InvalidInput("conflict", "path", what)
    return _drawn(args, logs) if args.draw is not None else _corrected(args, logs)


# --- which outputs to label ---------------------------------------------------------------------------


def _drawn(args: Namespace, logs: io.Logs) -> output.Answer:
    """The CSV that people fill in."""
    if args.draw < 1:
        raise InvalidInput("range", "draw", f"draw = {args.draw} is below 1")
    out, said = StringIO(), []
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for model, log in logs.items():
        assert log.outcomes is not None
        places = [(int(v), i, j) for (i, j), v in _cells(log.outcomes) if v >= 0]
        chosen = _sample(places, args.draw, args.by_verdict, Random(f"{args.seed} {model}"))
        writer.writerows([model, log.questions[i], j + 1, ""] for i, j in chosen)
        how = "as many of each verdict" if args.by_verdict else "all alike"
        said.append(f"{printable(model)}: {len(chosen):,} of {number(len(places), 'output')} drawn at random ({how}).")
    said.append("Fill in the column label, without the verdicts in sight; then scorio judge LOG --labels FILE.")
    if not args.output:
        return output.Answer(out.getvalue(), said, True)
    Path(args.output).write_text(out.getvalue(), encoding="utf-8")
    return output.Answer("", said)


def _cells(outcomes: np.ndarray[Any, Any]) -> Any:
    import numpy as np

    return np.ndenumerate(outcomes)


def _sample(places: list[tuple[int, int, int]], n: int, by_verdict: bool, rng: Random) -> list[tuple[int, int]]:
    """n outputs in a random order; of each verdict equally many, as far as it has them."""
    kinds: dict[int, list[tuple[int, int]]] = {}
    for v, i, j in places:
        kinds.setdefault(v if by_verdict else 0, []).append((i, j))
    left, chosen = min(n, len(places)), list[tuple[int, int]]()
    for k, v in enumerate(sorted(kinds, key=lambda v: len(kinds[v]))):  # what a rare verdict lacks, others make up for
        chosen += rng.sample(kinds[v], min(len(kinds[v]), -(-(left - len(chosen)) // (len(kinds) - k))))
    return rng.sample(chosen, len(chosen))


# --- what the labels say ------------------------------------------------------------------------------


def _corrected(args: Namespace, logs: io.Logs) -> output.Answer:
    """A row and sentences for each model that has labels."""
    from .. import eval, sinf
    from ..leaderboard import incomplete, judging

    labels, w = _labels(args, logs)
    target, records, cases = {"questions": args.questions, "confidence": args.confidence}, [], []
    same = (min(w), max(w)) == (min(options.weights_of(args)), max(options.weights_of(args)))
    verdicts = {model: _blank(logs[model].outcomes) for model in labels}
    for model, known in labels.items():
        r = eval.judged(verdicts[model], known, w, missing="drop", **target)
        check = eval.label_check(verdicts[model], known, missing="drop")
        said = eval.mean_ci(logs[model].counts, args.weights, questions="sampled").mu if same else None
        width, needed = _planned(args, r, max(w) - min(w))
        cases.append(judging.Case(model, said, r, check, args.confidence, w, width, needed))
        records.append({"model": model, "verdicts": said, "mu": r.mu, "sigma": r.sigma, "lo": r.lo, "hi": r.hi,
            "n_eff": r.n_eff, "labels": sum(r.labels), "outputs": sum(r.outputs), "half_width": width,
            "labels_needed": needed, "p_lean": check.p_lean, "p_spread": check.p_spread,
            "variance_source": r.variance_source})  # fmt: skip
    notes = [line for case in cases for line in judging.sentences(case)]
    if len(labels) == 2:
        a, b = labels
        d = sinf.compare_judged(verdicts[a], verdicts[b], labels[a], labels[b], w, missing="drop", **target)
        notes.append(judging.difference(a, b, d, args.confidence, w))
    notes += judging.notes(args.questions, args.confidence)
    if left := [x for x in logs if x not in labels]:
        notes.append(f"Without a label, and left out: {', '.join(map(printable, left))}.")

    def page(columns: int) -> list[str]:
        return [output.title(args, len(labels)), *_table(records, w, columns)]

    return output.answer(args, records, [*notes, *incomplete(logs, args.missing)], page, label_weights=w)


def _blank(outcomes: Any) -> Any:
    """Categories with NaN for what is missing."""
    import numpy as np

    return np.where(outcomes < 0, np.nan, outcomes)


def _planned(args: Namespace, r: JudgedInterval, span: float) -> tuple[float | None, int | None]:
    """The half width that is planned for, and the labels that it takes; nothing for just these outputs."""
    from .. import sinf

    if args.questions == "outputs":
        if args.half_width is not None:
            raise InvalidInput("conflict", "half_width", "--half-width plans for fixed and sampled questions")
        return None, None
    width = 0.375 * (r.hi - r.lo) if args.half_width is None else args.half_width
    if span == 0 or (width <= 0 and args.half_width is None):
        return None, None
    if not 0 < width < span / 2:
        what = f"half_width = {width:.10g} is not strictly between 0 and {span / 2:.10g}, half of the scale of labels"
        raise InvalidInput("range", "half_width", what)
    plan = sinf.labels_needed(r.outputs, r.expected, half_width=width / span, confidence=args.confidence)
    return width, plan.labels


def _labels(args: Namespace, logs: io.Logs) -> tuple[dict[str, np.ndarray[Any, Any]], list[float]]:
    """The labels of each model that has any, as categories beside its verdicts; and the score of each category."""
    import numpy as np

    found: dict[tuple[str, int, int], float] = {}
    places = {model: {q: i for i, q in enumerate(log.questions)} for model, log in logs.items()}
    with open(args.labels, encoding="utf-8-sig", newline="") as f:
        reader = csv.DictReader(f)
        head = reader.fieldnames or []
        for name in ("question", "label", *(["model"] if len(logs) > 1 else [])):
            if name not in head:
                raise InvalidInput("format", "labels", f"{args.labels} has no column {name}; it has {', '.join(head)}")
        for row in reader:
            where = f"line {reader.line_num} of {args.labels}"
            if (y := _score(row["label"], where)) is None:
                continue
            key = _place(row, places, logs, where)
            if key in found:
                raise InvalidInput("duplicate", "labels", f"{where} labels an output a second time")
            found[key] = y
    if not found:
        raise InvalidInput("empty", "labels", f"{args.labels} has no label")
    w = _scale(args, set(found.values()))
    out = {}
    for model in logs:
        mine = {key: y for key, y in found.items() if key[0] == model}
        if mine:
            outcomes = logs[model].outcomes
            assert outcomes is not None
            out[model] = np.full(outcomes.shape, np.nan)
            for (_, i, j), y in mine.items():
                out[model][i, j] = w.index(y)
    return out, w


def _score(cell: str | None, where: str) -> float | None:
    from ..io import values

    try:
        return values.score((cell or "").strip(), None)
    except InvalidInput as e:
        raise InvalidInput(e.code, "labels", f"{where}: {e.reason.replace('outcome', 'label', 1)}") from None


def _place(row: dict[str, str], places: Any, logs: io.Logs, where: str) -> tuple[str, int, int]:
    """The model, question and output that a row labels."""
    model = (row.get("model") or "").strip() or next(iter(logs))
    if model not in logs:
        raise InvalidInput("choice", "labels", f"{where} names the model {model!r}, which the log does not have")
    question, trial = (row["question"] or "").strip(), (row.get("trial") or "").strip()
    i = places[model].get(question)
    if i is None:
        what = f"{where} names the question {question!r}, which the log does not have of {printable(model)}"
        raise InvalidInput("choice", "labels", what)
    outcomes = logs[model].outcomes
    assert outcomes is not None
    there = [j for j, v in enumerate(outcomes[i].tolist()) if v >= 0]
    if not trial and len(there) == 1:
        return model, i, there[0]
    j = int(trial) - 1 if trial.isascii() and trial.isdecimal() else -1
    if j not in there:
        have = ", ".join(str(x + 1) for x in there[:5]) + (", ..." if len(there) > 5 else "")
        what = f"{where}: trial {trial or 'without a number'} of question {question!r} has no verdict; there are {have}"
        raise InvalidInput("choice", "labels", what)
    return model, i, j


def _scale(args: Namespace, seen: set[float]) -> list[float]:
    """The score of each category of labels: the ends of the scale, and what was seen."""
    lo, hi = (0.0, 1.0) if min(seen) >= 0 and max(seen) <= 1 else (min(seen), max(seen))
    if args.label_scale:
        if len(args.label_scale) != 2 or not args.label_scale[0] < args.label_scale[1]:
            raise InvalidInput("range", "label_scale", "--label-scale is the lowest and the highest score of a label")
        lo, hi = args.label_scale
        if out := [y for y in seen if not lo <= y <= hi]:
            raise InvalidInput(
                "range", "labels", f"the label {out[0]:.10g} is outside of the scale {lo:.10g} to {hi:.10g}"
            )
    return sorted(seen | {lo, hi})


def _table(records: list[dict[str, Any]], w: list[float], columns: int) -> list[str]:
    form = digits(w)
    cells = [
        Column("labels", [f"{r['labels']:,}" for r in records]),
        Column("outputs", [f"{r['outputs']:,}" for r in records]),
    ]
    if records[0]["verdicts"] is not None:
        cells.append(Column("verdicts", aligned(format(r["verdicts"], form) for r in records)))
    mu, lo, hi = ([r[x] for r in records] for x in ("mu", "lo", "hi"))
    cells.append(Column("mean human score", with_ends(form, mu, lo, hi, [""] * len(records)), "left"))
    name, said = fitted("model", [r["model"] for r in records], columns - wide(cells) - 2)
    return [rendered([name, *cells]), *([wrapped(said, columns)] if said else [])]
