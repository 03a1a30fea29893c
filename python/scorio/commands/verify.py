"""``scorio verify``: whether the numbers of a receipt follow from its counts."""

from __future__ import annotations

import json
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..display.terms import ON
from ..display.text import listed, number, printable
from ..page.document import Column, Document, Table
from ..readers.evaluation import EvaluationData
from ..readers.files import hashed
from ..receipts import DATA, Difference, read_receipt, verify
from . import options
from .base import Result, about_file
from .notes import heading
from .receipt import data_of

# options of scorio receipt that scorio verify ignores, so that those of the command in a receipt can be copied to it
RECEIPT_OPTIONS = ("--k", "--questions", "--confidence", "--output", "-o")


@dataclass(frozen=True, kw_only=True)
class Verified(Result):
    """Result of verifying a receipt: whether its numbers follow from its counts, and whether a log has these counts.

    Attributes
    ----------
    table : tuple of Difference, the values that differ
    results, values : int; numbers of results and of values that were computed again
    metrics, targets : tuple of str; metrics and targets of the results
    confidences : tuple of float, nominal coverage of the intervals of the results
    arguments : mapping of str to tuple
        The values of every other argument that results state, such as w, tau and weights; null in a tuple: some
        results do not state it.
    log : bool or None, whether the counts, clusters and scores are those of the log; None: no log was given
    log_difference : str or None
        The first difference between the counts, clusters or scores of the receipt and those of the log.
    files : bool or None
        Whether the files of the log have the names, sizes and hashes that the receipt states; None: no log was given.
    """

    schema: ClassVar[str] = "scorio.verify/2"
    table: tuple[Difference, ...]
    results: int
    values: int
    metrics: tuple[str, ...]
    targets: tuple[str, ...]
    confidences: tuple[float, ...]
    arguments: Mapping[str, tuple[Any, ...]]
    log: bool | None
    log_difference: str | None
    files: bool | None

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        """Exit code of the command: 1 if any value differs, or the log has other counts, clusters or scores; else 0."""
        return int(bool(self.table) or self.log is False)

    def document(self) -> Document:
        size = f"{number(self.values, 'value')} of {number(self.results, 'result')}"
        verdict = f"All {size} follow from the counts of the receipt, to the last bit."
        if n := len(self.table):
            verdict = f"Of {size} {self.values - n:,} follow from the counts of the receipt, {n:,} do NOT."
        targets = listed([ON.get(y, y) for y in self.targets])
        coverage = listed([f"{100.0 * y:.15g}%" for y in self.confidences])
        settings = [f"confidence {coverage}"]
        # whole, not cut: a score or a weight that is not shown would be verified without a word
        for name, values in self.arguments.items():
            settings.append(f"{name} {', '.join('default' if y is None else json.dumps(y) for y in values)}")
        about = f"The results are about {listed(self.metrics)}, {targets}; {'; '.join(settings)}."
        columns = [
            Column("place", [d.place for d in self.table], "left"),
            Column("stated", [json.dumps(d.stated) for d in self.table]),
            Column("computed", [json.dumps(d.computed) for d in self.table]),
        ]
        blocks = [Table([], [columns], "Values that differ")] if self.table else []
        head = heading(self.about, number(self.results, "result"))
        counts = "Whether the counts are those of a log was not checked: scorio evaluate --verify RECEIPT LOG does."
        if self.log:
            caveat = " Its files are not those that the receipt states: names, sizes or hashes differ."
            counts = "The counts are those of the log." + ("" if self.files else caveat)
        elif self.log is not None:
            counts = f"The counts are NOT those of the log: {printable(self.log_difference or '')}."
        return Document(head, blocks, [verdict, about, counts], [])


def verify_receipt(path: str, e: EvaluationData | None = None) -> Verified:
    """Compute the results of a receipt again; with an evaluation, compare its data with the receipt's."""
    document = read_receipt(path)
    check = verify(document)
    args = [y["args"] for y in document["results"]]
    difference = None if e is None else _first_difference(e, document)
    own = {*(argument for argument, _ in DATA.values()), "metric", "k", "questions", "confidence"}
    names = dict.fromkeys(name for y in args for name in y if name not in own)
    return Verified(
        about=about_file(path, list(dict.fromkeys(m for models in document["data"].values() for m in models))),
        table=tuple(check.differences), results=check.results, values=check.values,
        metrics=tuple(dict.fromkeys(
            str(y.get("metric", "mean")).replace("@k", f"@{y['k']}" if "k" in y else "@k") for y in args
        )),
        targets=tuple(dict.fromkeys(str(y["questions"]) for y in args)),
        confidences=tuple(dict.fromkeys(float(y.get("confidence", 0.95)) for y in args)),
        # the distinct values of each argument that decides a number and has no field of its own; None: not stated
        arguments={name: tuple({repr(y.get(name)): y.get(name) for y in args}.values()) for name in names},
        log=None if e is None else difference is None, log_difference=difference,
        files=None if e is None else hashed(e.provenance.files) == document.get("files"),
    )  # fmt: skip


def _first_difference(e: EvaluationData, document: Mapping[str, Any]) -> str | None:
    """First difference between the counts, clusters or scores of a log and a receipt; questions are paired by id."""
    log = e.on_one_scale() if e.comparable else e
    for x in document["results"]:
        args = x["args"]
        names = args["R"]["data"][:1] if x["function"] == "interval" else list(log.benchmarks)  # a suite is of all
        for w in (log.benchmarks[name].w for name in names if name in log.benchmarks):
            if (args.get("w") or [0.0, 1.0]) != list(w or (0.0, 1.0)):
                return f"scores {args.get('w', [0, 1])} in the receipt, {list(w or (0, 1))} in the log"
    receipt_counts, log_counts = (
        {b: {m: _by_question(x) for m, x in models.items()} for b, models in data.items()}
        for data in (document["data"], data_of(e))
    )
    return _difference_at(receipt_counts, log_counts, ("benchmark", "model", "question"))


def _by_question(x: Mapping[str, Any]) -> dict[str, Any]:
    """Counts and cluster of each question, by id or else by row."""
    ids = x.get("ids") or [f"row {i}" for i in range(len(x["counts"]))]
    clusters = x.get("clusters") or [None] * len(ids)
    return {str(name): [row, cluster] for name, row, cluster in zip(ids, x["counts"], clusters, strict=True)}


def _difference_at(in_receipt: Any, in_log: Any, levels: Sequence[str]) -> str | None:
    """First place where two nested mappings differ, in words; the order of names does not matter.

    The innermost values are the counts and the cluster of a question. levels: what the names of each level stand for,
    the outermost first.
    """
    if not levels:
        if in_receipt[0] != in_log[0]:
            return f"counts {in_receipt[0]} in the receipt, {in_log[0]} in the log"
        return None if in_receipt == in_log else "the clusters differ"
    for name in dict.fromkeys([*in_receipt, *in_log]):
        place = f"{levels[0]} {name!r}"
        if name not in in_receipt or name not in in_log:
            return f"{place} is only in the {'receipt' if name in in_receipt else 'log'}"
        if inner := _difference_at(in_receipt[name], in_log[name], levels[1:]):
            return f"{place}: {inner}" if name else inner
    return None


EXAMPLES = """examples:
  scorio evaluate --verify r.json         do the numbers follow from the counts?
  scorio evaluate --verify r.json runs.csv are these the counts of the log?

"""
MEANING = """Every result of the receipt is computed again from its counts, and all 64 bits
of each number are compared. With a log, its counts and scores are compared
too, question by question: read it with the options of the command that the
receipt states. Equal counts do not prove that the log is genuine, or that no
other run was made and left out.

"""


def add(parser: ArgumentParser) -> None:
    codes = options.exit_codes("0 all values agree, 1 a value differs from the receipt, or from the log")
    options.set_up(parser, EXAMPLES, MEANING + options.SEE_FILES, run, codes)
    parser.add_argument("receipt", metavar="RECEIPT", help="a file that scorio receipt wrote")
    options.add_log(parser, optional=True)
    for name in RECEIPT_OPTIONS:
        parser.add_argument(name, dest="ignored", help=SUPPRESS)
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Verified:
    return verify_receipt(args.receipt, read(args) if args.files else None)
