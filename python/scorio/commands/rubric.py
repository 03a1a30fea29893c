"""``scorio rubric``: Bayes@N of models under rubric schemata, and how their ranks depend on the schema."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, ClassVar

import numpy as np

from .. import rubric as rubrics
from ..display.text import number, span
from ..errors import InvalidInput, not_json
from ..page.columns import aligned, names_column
from ..page.document import Block, Column, Document, Lines, Paragraph, Table
from ..readers.other_tables import Signals, read_signals
from ..rubric.scores import Scores
from . import options
from .base import HIDDEN, Result, about_file
from .notes import title

KEYS = ("name", "rules", "w", "variables", "thresholds")  # the keys of a schema in JSON


@dataclass(frozen=True)
class Row:
    """Bayes@N and rank of a model under a schema."""

    model: str
    schema: str
    rank: int
    mu: float
    sigma: float


@dataclass(frozen=True, kw_only=True)
class RubricScores(Result):
    """Scores and ranks of models under rubric schemata.

    Attributes
    ----------
    table : tuple of Row, rows by schema
    scores : Scores, the scores as arrays, for :func:`scorio.plot.schemata`
    left_out : mapping of str to str, schemata that could not be computed, each with the first signal that is missing
    thresholds : mapping of str to float or None, values of the thresholds; None where no attempt has a value
    assumed : mapping of str to float, signals that were not in the data and got one value for all attempts
    n_questions, trials_min, trials_max : int
        Number of questions, and fewest and most attempts of a model at a question.
    unknown : int, attempts whose category is unknown because a signal is missing, in the schema that has most of them
    """

    schema: ClassVar[str] = "scorio.rubric/3"
    table: tuple[Row, ...]
    scores: Scores = field(metadata={HIDDEN: True})
    left_out: Mapping[str, str]
    thresholds: Mapping[str, float | None]
    assumed: Mapping[str, float]
    n_questions: int
    trials_min: int
    trials_max: int
    unknown: int

    def document(self) -> Document:
        by_cell = {(r.model, r.schema): r for r in self.table}
        schemata = list(dict.fromkeys(r.schema for r in self.table))
        models = sorted(self.about.models, key=lambda m: (sum(by_cell[m, s].rank for s in schemata), m))
        lead = [names_column("model", models)]
        ranks = [[Column(f"{j}", [str(by_cell[m, s].rank) for m in models])] for j, s in enumerate(schemata, 1)]
        means = []
        for j, s in enumerate(schemata, 1):
            mu, sigma = (aligned(f"{getattr(by_cell[m, s], name):.3f}" for m in models) for name in ("mu", "sigma"))
            means.append([Column(f"{j}:\nmu sigma", [f"{a} {b}" for a, b in zip(mu, sigma, strict=True)])])
        legend = Lines([f"{j:>2} {name}" for j, name in enumerate(schemata, 1)])
        tables = [Table(lead, ranks, "Ranks"), Table(lead, means, "Bayes@N")]
        blocks: list[Block] = [Paragraph("ranks by schema:"), *tables, legend]
        trials = f"{span(self.trials_min, self.trials_max)} trial{'s' * (self.trials_max != 1)} per question"
        head = title(self.about, number(len(models), "model"), number(self.n_questions, "question"), trials)
        out = [f"Left out: {schema}, because signal {signal} is missing." for schema, signal in self.left_out.items()]
        if self.unknown:
            done = "left out" if isinstance(self.about.missing, str) else f"counted as category {self.about.missing}"
            most = number(self.unknown, "attempt")
            unknown = f"Because signals are missing, the category of up to {most} per schema is unknown"
            out.append(f"{unknown}: these are {done}.")
        return Document(head, blocks, (), out)


def rubric(
    signals: str | PathLike[str] | Mapping[str, Mapping[str, Any]], schemata: Iterable[Any] | None = None, *,
    assume: Mapping[str, float] | None = None, missing: str | int = "raise",
) -> RubricScores:  # fmt: skip
    """Score models under rubric schemata.

    Parameters
    ----------
    signals : path, or mapping of models to signals
        A file for :func:`scorio.io.read_signals`, or signals as :func:`scorio.rubric.score` takes them.
    schemata : iterable of Schema or str, optional; default: every standard schema whose signals are all given
    assume : mapping of str to float, optional; values of signals that are not given, the same in every attempt
    missing : {"raise", "drop"} or int; what to do with attempts whose category is unknown because a signal is missing

    Returns
    -------
    RubricScores

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.io.read_signals` and :func:`scorio.rubric.score`; conflict: an assumed signal is in the
        data.
    """
    from_file = isinstance(signals, (str, PathLike))
    data = read_signals(signals) if isinstance(signals, (str, PathLike)) else signals
    if isinstance(data, Signals):
        present = data.there
    else:  # all attempts, in the shape of the signal with the most dimensions
        present = {m: np.ones(max(map(np.shape, x.values()), key=len), bool) for m, x in data.items()}
    models: dict[str, dict[str, Any]] = {name: dict(x) for name, x in data.items()}
    for name, x in (assume or {}).items():
        if any(name in columns for columns in models.values()):
            reason = f"{name} is a column of the file: it cannot be assumed"
            raise InvalidInput("conflict", "assume", reason)
        for model, columns in models.items():
            columns[name] = np.where(present[model], x, np.nan)
    chosen = list(schemata) if schemata is not None else None
    scores = rubrics.score(models, chosen, missing=missing)
    table = tuple(
        Row(model, schema, int(scores.ranks[i, j]), float(scores.mu[i, j]), float(scores.sigma[i, j]))
        for j, schema in enumerate(scores.schemata)
        for i, model in enumerate(scores.models)
    )
    trials = [int(n) for x in present.values() for n in x.sum(axis=1)]
    about = about_file(fspath(signals) if from_file else "attempts", [str(m) for m in scores.models], missing=missing)  # type: ignore[arg-type]
    return RubricScores(
        about=about, table=table, scores=scores, left_out=scores.left_out, thresholds=scores.thresholds,
        assumed=dict(assume or {}), n_questions=len(next(iter(present.values()))), trials_min=min(trials),
        trials_max=max(trials), unknown=_unknown(models, chosen or scores.schemata, scores, missing),
    )  # fmt: skip


def _unknown(models: Mapping[str, Any], schemata: Iterable[Any], scores: Scores, missing: str | int) -> int:
    """Number of attempts without a known category, in the schema that has most of them."""
    if missing == "raise":
        return 0
    settings: Any = {"thresholds": scores.thresholds, "missing": "drop"}
    categories = ([rubrics.categories(x, schema, **settings) for x in models.values()] for schema in schemata)
    return max((sum(int((x < 0).sum()) for x in of_models) for of_models in categories), default=0)


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


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, MEANING, run)
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


def run(args: Namespace, read: options.Read) -> RubricScores:
    if args.plot and os.path.splitext(args.plot)[1].lower() not in (".png", ".svg", ".pdf"):
        raise InvalidInput("format", "plot", f"--plot {args.plot}: the name must end in .png, .svg or .pdf")
    result = rubric(args.file, _schemata(args), assume=args.assume, missing=args.missing)
    if args.plot:
        from .. import plot

        figure = plot.schemata(result.scores).get_figure(root=True)
        assert figure is not None  # the Axes were just drawn
        options.save_figure(figure, args.plot, bbox_inches="tight", dpi=150)
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
                raise InvalidInput("format", "rules", f"{args.rules}: {not_json(e)}") from None
        for schema in schemata if isinstance(schemata, list) else [schemata]:
            if not isinstance(schema, dict):
                raise InvalidInput("type", "rules", f"{args.rules}: a schema is an object, not {type(schema).__name__}")
            if not {"name", "rules", "w"} <= schema.keys() <= set(KEYS):
                what = f"a schema has the keys {', '.join(KEYS)}, not {', '.join(schema) or 'none'}"
                raise InvalidInput("format", "rules", f"{args.rules}: {what}")
            chosen.append(rubric.Schema(**schema))
    return chosen or None
