"""``scorio rubric``: Bayes@N of models under rubric schemata."""

from __future__ import annotations

import json
import os
from argparse import ArgumentTypeError, Namespace
from typing import Any

from ..display.text import number, span
from ..errors import InvalidInput
from . import options, output
from .tables import Column, aligned, fitted, in_blocks, said_below

EXAMPLES = """examples:
  scorio rubric attempts.csv
  scorio rubric attempts.csv --assume C=0,repeated_pattern=0 --plot ranks.png
  scorio rubric attempts.jsonl --schemata exact_match,format_aware --missing 0
  scorio rubric attempts.csv --rules own.json

"""
MEANING = """files:
  .csv .tsv .jsonl  columns model, question, trial and a column for each signal:
                    is_correct has_box repeated_pattern token_ratio prompt_bpt
                    completion_bpt A B C, and any of your own. bpt: bits per
                    token, the negative log-probability

A schema sorts every attempt into a category by rules, and gives each category a
weight; thresholds are percentiles over all attempts of the file. Your own
schemata are a JSON list:
  [{"name": "short", "weights": [0, 0.5, 1], "thresholds":
    {"long": [75, "token_ratio", null]}, "rules": [[0, "invalid or wrong"],
    [1, "token_ratio > long"], [2, "otherwise"]]}]
The weights of the standard schemata are scorio's own.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING, run)
    add = parser.add_argument
    add("file", metavar="SIGNALS", help="attempts: .csv .tsv .jsonl")
    add("--schemata", metavar="A,B", help="which schemata (default: all whose signals are in the file)")
    add("--rules", metavar="JSON", help="file of your own schemata")
    add("--assume", type=_assumed, default={}, metavar="NAME=X,...",
        help="signals that are not in the file and are X in every attempt")  # fmt: skip
    add("--missing", type=options.policy, default="raise", metavar="raise|drop|CATEGORY",
        help="attempts whose category is unknown because a signal is missing: raise an error (default), leave them "
        "out, or count them as this category")  # fmt: skip
    add("--plot", metavar="FILE", help="plot the ranks across schemata to a .png, .svg or .pdf")
    options.forms(parser)


def _assumed(text: str) -> dict[str, float]:
    signals = {}
    for part in text.split(","):
        name, sign, x = part.partition("=")
        try:
            signals[name.strip()] = float(x)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise ArgumentTypeError(f"{text!r} is not a list like C=0,repeated_pattern=0")
    return signals


def run(args: Namespace) -> output.Answer:
    """Read, score, print."""
    import numpy as np

    from .. import io, rubric

    read = io.read_signals(args.file)
    models: dict[str, dict[str, Any]] = {name: dict(x) for name, x in read.items()}
    for name, x in args.assume.items():
        if any(name in signals for signals in models.values()):
            raise InvalidInput("conflict", "assume", f"{name} is a column of the file: it cannot be assumed")
        for model, signals in models.items():
            signals[name] = np.where(read.there[model], x, np.nan)  # of the attempts that there are
    scores = rubric.score(models, _schemata(args), missing=args.missing)
    records = [
        {"model": model, "schema": schema, "rank": int(scores.ranks[i, j])}
        | {"mu": float(scores.mu[i, j]), "sigma": float(scores.sigma[i, j])}
        for j, schema in enumerate(scores.schemata)
        for i, model in enumerate(scores.models)
    ]
    if args.plot:
        from .. import plot

        suffix = os.path.splitext(args.plot)[1].lower()
        if suffix not in (".png", ".svg", ".pdf"):
            raise InvalidInput("format", "plot", f"--plot {args.plot}: the name must end in .png, .svg or .pdf")
        figure = plot.schemata(scores).get_figure(root=True)
        assert figure is not None  # of an Axes that was just drawn
        figure.savefig(args.plot, bbox_inches="tight", dpi=150)
    notes = [f"Left out: {schema}, because signal {signal} is missing." for schema, signal in scores.left_out.items()]
    notes += _missing(args, models, scores)

    def page(width: int) -> list[str]:
        trials = {int(n) for x in read.there.values() for n in x.sum(axis=1)}
        size = f"{span(min(trials), max(trials))} {'trial' if max(trials) == 1 else 'trials'} per question"
        said = f", {number(len(next(iter(read.there.values()))), 'question')}, {size}"
        return [output.title(args, len(models), said), *_tables(scores, width)]

    more = {"thresholds": scores.thresholds, "missing": args.missing, "assumed": args.assume}
    return output.answer(args, records, notes, page, **more)


def _schemata(args: Namespace) -> list[Any] | None:
    """Those asked for; None for all that can be computed."""
    from .. import rubric

    chosen: list[Any] = args.schemata.split(",") if args.schemata else []
    if args.rules:
        with open(args.rules, encoding="utf-8") as f:
            try:
                rules = json.load(f)
            except (ValueError, RecursionError) as e:
                raise InvalidInput("format", "rules", f"{args.rules}: not JSON: {e}") from None
        for rule in rules if isinstance(rules, list) else [rules]:
            if not isinstance(rule, dict):
                raise InvalidInput("type", "rules", f"{args.rules}: a schema is an object, not {rule!r}")
            try:
                chosen.append(rubric.Schema(**rule))
            except TypeError as e:
                raise InvalidInput("format", "rules", f"{args.rules}: {e}") from None
    return chosen or None


def _missing(args: Namespace, models: dict[str, Any], scores: Any) -> list[str]:
    """How many attempts have no known category, in the schema that has most of them."""
    from .. import rubric

    if args.missing == "raise":
        return []
    most = 0
    for schema in _schemata(args) or scores.schemata:
        dropped = [rubric.categories(x, schema, thresholds=scores.thresholds, missing="drop") for x in models.values()]
        most = max(most, sum(int((x < 0).sum()) for x in dropped))
    done = "left out" if args.missing == "drop" else f"counted as category {args.missing}"
    if not most:
        return []
    return [
        f"Because signals are missing, the category of up to {number(most, 'attempt')} per schema is unknown: {done}."
    ]


def _tables(scores: Any, width: int) -> list[str]:
    """Ranks, then mu with sigma; columns are schemata, by number."""
    order = sorted(range(len(scores.models)), key=lambda i: (scores.ranks[i].sum(), scores.models[i]))
    lead, said = fitted("model", [scores.models[i] for i in order], 24)
    ranks = [Column(f"{j + 1}", [str(scores.ranks[i, j]) for i in order]) for j in range(len(scores.schemata))]
    mu = [
        Column(
            f"{j + 1}:\nmu sigma",
            [f"{a} {b}" for a, b in zip(*(aligned(f"{x[i, j]:.3f}" for i in order) for x in (scores.mu, scores.sigma)),
                                        strict=True)],
        )
        for j in range(len(scores.schemata))
    ]  # fmt: skip
    legend = "\n".join(f"{j:>2} {name}" for j, name in enumerate(scores.schemata, 1))
    ranked, means = (in_blocks([lead], [x[0]], [[c] for c in x[1:]], width) for x in (ranks, mu))
    return ["ranks by schema:\n" + ranked[0], *ranked[1:], *means, legend, *said_below(said, width)]
