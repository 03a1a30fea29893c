"""Data of a report: the analyses that its page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..analysis.curves import Curve, StabilityCurve
from ..analysis.questions import ItemAnalysis, Question, QuestionTable
from ..analysis.runs import RunScore, Shares
from ..items import Item
from ..results import MetricInterval
from ..sinf.compare import Certificate
from .base import Result
from .history import History
from .leaderboard import Leaderboard
from .ranking import Comparisons
from .runs import Variation

MOST_NEIGHBOURS = 12  # pairs of neighbours, from the top of the ranking, whose sample sizes are planned
MOST_LISTED = 10  # most questions, or groups of models, in a list


@dataclass(frozen=True)
class Part:
    """Analyses of one benchmark: its questions, its curves and the stability of its ranking, or why they are missing.

    Attributes
    ----------
    benchmark, metric : str
    questions : QuestionTable or None; None if no question has a trial
    item_analysis : ItemAnalysis
    curves : mapping of str to Curve, Pass@k of the first models of the ranking
    no_curves : str, why there are no curves; "" where there are some, and for scores, for which curves are not drawn
    stability : StabilityCurve or None
    no_stability : str, why the stability is not known; "" where it is known, and for a single model
    variation : Variation or None, the differences between runs; None where the log does not state runs
    runs : sequence of RunScore, the average of each run of each model
    shares : sequence of Shares, what makes up the variance of each average
    """

    benchmark: str
    metric: str
    questions: QuestionTable | None
    item_analysis: ItemAnalysis
    curves: Mapping[str, Curve]
    no_curves: str
    stability: StabilityCurve | None
    no_stability: str
    variation: Variation | None = None
    runs: Sequence[RunScore] = ()
    shares: Sequence[Shares] = ()

    @property
    def discriminating(self) -> list[Item]:
        """Questions that better models solve more often, the largest covariance first."""
        return sorted((y for y in self.item_analysis.items if y.covariance > 0.0), key=lambda y: -y.covariance)

    @property
    def suspects(self) -> list[Item]:
        """Questions on which better models do worse, the clearest first."""
        suspects = (y for y in self.item_analysis.items if y.suspect)
        return sorted(suspects, key=lambda y: (y.p_adjusted or 0.0, y.covariance))

    @property
    def contested(self) -> list[Question]:
        """All questions, those where the models differ most first."""
        return sorted(self.questions.table if self.questions else (), key=lambda q: -q.deviation)

    @property
    def listed(self) -> set[str]:
        """Questions that the lists of the report may name."""
        hardest = self.questions.table if self.questions else ()
        measured = [self.discriminating, self.suspects] if self.item_analysis.items else []
        return {
            *(q.name for table in (hardest, self.contested) for q in table[:MOST_LISTED]),
            *(self.item_analysis.names[y.question] for items in measured for y in items[:MOST_LISTED]),
        }


@dataclass(frozen=True, kw_only=True)
class ReportData(Result):
    """A leaderboard, all pairs, and the questions, curves and stability of each benchmark, with the sources of the log.

    Attributes
    ----------
    leaderboard : Leaderboard
    comparisons : mapping of {"fixed", "sampled"} to Comparisons
        The comparisons for each target that the data allow, the target of the leaderboard first.
    averages : mapping of {"fixed", "sampled"} to mapping of str to MetricInterval
        The average of every model of the leaderboard for each target that the data allow.
    parts : tuple of Part, the analyses of each benchmark
    texts : mapping of (str, str) to str
        Texts of the questions that the lists of the report name, by benchmark and id, where the log has them.
    certificate : Certificate or None
        How many missing outcomes and wrong answer keys the order of the first two models survives; None if there is
        no ranking of two models, or if the two share no question of some benchmark.
    title, command, date, link : str
        Heading, command, date and address, as stated or by default.
    sources : tuple of str, sources of the log, a line each, as they were stated
    replicates : int, replicates of the bootstrap
    history : History or None, the builds of a ledger
    """

    schema: ClassVar[str] = "scorio.report/1"
    leaderboard: Leaderboard
    comparisons: Mapping[str, Comparisons]
    averages: Mapping[str, Mapping[str, MetricInterval]]
    parts: tuple[Part, ...]
    texts: Mapping[tuple[str, str], str]
    certificate: Certificate | None
    title: str
    command: str
    date: str
    link: str
    sources: tuple[str, ...]
    replicates: int
    history: History | None = None

    def rows(self) -> Sequence[Any]:
        """Rows of the leaderboard."""
        return self.leaderboard.table
