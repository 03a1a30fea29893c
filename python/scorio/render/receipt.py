"""Layout of a verified receipt: whether its numbers follow from its counts, and those that do not."""

from __future__ import annotations

import json
from typing import Any

from ..analysis.receipt import Verified
from ..display.terms import ON
from ..display.text import listed, number, printable
from .document import Column, Document, Table, title


def document(x: Verified) -> Document:
    """Document of the numbers that were computed again, with a row for each value that differs."""
    size = f"{number(x.values, 'value')} of {number(x.results, 'result')}"
    if not x.table:
        verdict = f"All {size} follow from the counts of the receipt, to the last bit."
    else:
        verdict = (
            f"Of {size} {x.values - len(x.table):,} follow from the counts of the receipt, {len(x.table):,} do NOT."
        )
    targets = listed([ON.get(y, y) for y in x.targets])
    coverage = listed([f"{100.0 * y:.15g}%" for y in x.confidences])
    about = f"The results are about {listed(x.metrics)}, {targets}; confidence {coverage}."
    columns = [
        Column("place", [d.place for d in x.table], "left"),
        Column("stated", [_as_json(d.stated) for d in x.table]),
        Column("computed", [_as_json(d.computed) for d in x.table]),
    ]
    blocks = [Table([], [columns], "Values that differ")] if x.table else []
    head = title(x.about, number(len(x.about.models), "model"), number(x.results, "result"))
    return Document(head, blocks, [verdict, about, *_log(x)], [])


def _log(x: Verified) -> list[str]:
    """Sentence on whether the counts are those of the log."""
    if x.log is None:
        return ["Whether the counts are those of a log was not checked: scorio verify RECEIPT LOG does that."]
    if not x.log:
        return [f"The counts are NOT those of the log: {printable(x.log_difference or '')}."]
    caveat = "" if x.files else " Its files are not those that the receipt states: names, sizes or hashes differ."
    return [f"The counts are those of the log.{caveat}"]


def _as_json(x: Any) -> str:
    return json.dumps(x)
