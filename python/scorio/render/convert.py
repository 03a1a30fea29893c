"""Layout of a table of outcomes: what is in it; the rows themselves are CSV."""

from __future__ import annotations

from ..analysis.convert import OutcomeTable
from ..display.text import number
from . import notes
from .document import Document, Paragraph, title


def document(x: OutcomeTable) -> Document:
    """Document with the size of the table, its columns, and notes about missing outcomes."""
    rows, treated = number(len(x.table), "row"), "written as empty cells" if "outcome" in x.columns else "left out"
    doubts = notes.gaps(x.about, treated)
    if x.unclustered:
        doubts.append("The column cluster is not written: some models have no clusters.")
    blocks = [Paragraph(f"{rows} with the columns {', '.join(x.columns)}; to_csv() gives the rows.")]
    return Document(title(x.about, number(len(x.about.models), "model"), rows), blocks, (), doubts)
