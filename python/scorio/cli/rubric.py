"""``scorio rubric``: Bayes@N of models under rubric schemata."""

from __future__ import annotations

import json
import os
from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from . import options, output

if TYPE_CHECKING:
    from ..analysis.rubric import RubricScores

KEYS = ("name", "rules", "w", "variables", "thresholds")  # the keys of a schema in JSON
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
                    token, the negative log-probability. A, B, C: a verifier's
                    probabilities of correct, wrong, off the task

A schema sorts every attempt into a category by rules, and gives each category a
score; thresholds are percentiles over all attempts of the file. Your own
schemata are a JSON list:
  [{"name": "short", "w": [0, 0.5, 1], "thresholds":
    {"long": [75, "token_ratio", null]}, "rules": [[0, "invalid or wrong"],
    [1, "token_ratio > long"], [2, "otherwise"]]}]
The scores w of the standard schemata are scorio's own.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING, run)
    add = parser.add_argument
    add("file", metavar="SIGNALS", help="attempts: .csv .tsv .jsonl")
    add("--schemata", metavar="A,B", help="which schemata (default: all whose signals are in the file)")
    add("--rules", metavar="JSON", help="file of your own schemata")
    add("--assume", type=_parse_assumed, default={}, metavar="NAME=X,...",
        help="signals that the file lacks, taken to be X in every attempt")  # fmt: skip
    add("--missing", type=options.parse_missing, default="raise", metavar="raise|drop|CATEGORY",
        help="attempts whose category is unknown because a signal is missing: raise an error (default), leave them "
        "out, or count them as this category")  # fmt: skip
    add("--plot", metavar="FILE", help="plot the ranks across schemata to a .png, .svg or .pdf")
    options.add_forms(parser)


def _parse_assumed(text: str) -> dict[str, float]:
    """Parse signals such as C=0,repeated_pattern=0 into a mapping."""
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


def run(args: Namespace) -> RubricScores:
    """Read the signals, score the models and draw the plot."""
    from ..analysis.rubric import rubric

    if args.plot and os.path.splitext(args.plot)[1].lower() not in (".png", ".svg", ".pdf"):
        raise InvalidInput("format", "plot", f"--plot {args.plot}: the name must end in .png, .svg or .pdf")
    result = rubric(args.file, _schemata(args), assume=args.assume, missing=args.missing)
    if args.plot:
        from .. import plot

        figure = plot.schemata(result.scores).get_figure(root=True)
        assert figure is not None  # the Axes were just drawn
        output.save_figure(figure, args.plot, bbox_inches="tight", dpi=150)
    return result


def _schemata(args: Namespace) -> list[Any] | None:
    """The requested schemata: names of standard ones, and those of the file of --rules; None for the default."""
    from .. import rubric

    chosen: list[Any] = args.schemata.split(",") if args.schemata else []
    if args.rules:
        with open(args.rules, encoding="utf-8") as f:
            try:
                schemata = json.load(f)
            except (ValueError, RecursionError) as e:
                raise InvalidInput("format", "rules", f"{args.rules}: not JSON: {e}") from None
        for schema in schemata if isinstance(schemata, list) else [schemata]:
            if not isinstance(schema, dict):
                raise InvalidInput("type", "rules", f"{args.rules}: a schema is an object, not {schema!r}")
            if not {"name", "rules", "w"} <= schema.keys() <= set(KEYS):
                what = f"a schema has the keys {', '.join(KEYS)}, not {', '.join(schema) or 'none'}"
                raise InvalidInput("format", "rules", f"{args.rules}: {what}")
            chosen.append(rubric.Schema(**schema))
    return chosen or None
