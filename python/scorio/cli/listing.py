"""``--dry-run``: what would be read of a log, and as what."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..display.text import number, printable
from . import options, output
from .tables import Column, rendered


def run(args: Namespace) -> output.Answer:
    """List the files."""
    from .. import io

    records = io.listed(args.files if len(args.files) > 1 else args.files[0], **options.how(args))
    read = sum(record["read"] for record in records)
    fields = [name for name in ("model", "task", "run", "question", "trial") if any(name in r for r in records)]
    args.format = getattr(args, "format", "text")
    notes = [f"{number(read, 'file')} would be read, {len(records) - read:,} passed by; nothing was counted."]

    def page(width: int) -> list[str]:
        columns = [Column("file", [printable(r["file"]) for r in records], "left")]
        columns += [Column(name, [str(r.get(name, "")) for r in records], "left") for name in fields]
        return [rendered([*columns, Column("read as", [_said(r) for r in records], "left")])]

    return output.answer(args, records, notes, page, schema=f"scorio.files/{output.VERSION}")


def _said(record: dict[str, Any]) -> str:
    return str(record["format"]) if record["read"] else f"- ({record['format']})"
