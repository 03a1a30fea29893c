"""A report with values that its sections share: names in sentences and tables, digits, the main comparisons."""

from __future__ import annotations

from ...display.text import score_format
from ...page import html
from ...page.document import Axis
from ..ranking import Comparisons
from ..report_data import ReportData

MOST_MODELS_WITH_DIGITS = 12  # most models of a map that shows digits after the point
UNIT_AXIS = Axis((0.0, 1.0), [(x / 4, f"{x / 4:.2f}") for x in range(5)], "")
MISSING, SUSPECTS = "Trials and missing outcomes", "Suspects"


class View:
    """A report with the names of its models as they are printed in sentences and tables."""

    def __init__(self, x: ReportData) -> None:
        self.report, self.about, self.board = x, x.about, x.leaderboard
        self.order = [row.model for row in x.leaderboard.table]  # best first; empty without a macro-average
        short = html.names_on_page(x.about.models)
        self.names = dict(zip(x.about.models, short.short, strict=True))
        self.name_sentences = short.sentences
        self.form = score_format([end for ends in x.leaderboard.scales.values() for end in ends])
        self.several = x.about.several
        self.target, self.confidence = x.about.questions, x.about.confidence
        self.main: Comparisons | None = x.comparisons.get(self.target)  # those for the target of the report
