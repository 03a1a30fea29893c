"""Data of a report: the analyses that its page shows, with the comparisons of all pairs and sentences about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from ..analysis.curves import Curve, StabilityCurve
from ..analysis.measure import Request
from ..analysis.questions import ItemAnalysis, Question, QuestionTable
from ..analysis.runs import RunScore, Shares
from ..analysis.sample_size import POWER, SampleSize, sample_size
from ..display.terms import ON, alpha, interval, p_value
from ..display.text import listed, number, score
from ..inference.pairs import level_of_next
from ..items import Item
from ..readers.evaluation import EvaluationData
from ..results import MetricInterval
from ..sinf.compare import Certificate
from ..sinf.suite import SuitePair
from .base import Result
from .compare import restrict_to_shared
from .history import History
from .leaderboard import Leaderboard
from .runs import Variation
from .verdicts import capital, next_step

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
    title, command, date, link : str; heading, command, date and address, as stated or by default
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


Pair = tuple[str, str]


def pairs_in_order(pairs: Iterable[SuitePair], order: Sequence[str]) -> dict[Pair, SuitePair]:
    """Pairs by their models, the better-ranked model first."""
    rank = {model: i for i, model in enumerate(order)}
    ordered = {}
    for pair in pairs:
        if rank[pair.a] > rank[pair.b]:
            pair = pair._replace(a=pair.b, b=pair.a, mu=-pair.mu, lo=-pair.hi, hi=-pair.lo, p_above=1.0 - pair.p_above)
        ordered[pair.a, pair.b] = pair
    return ordered


def groups_without_difference(order: Sequence[str], pairs: Mapping[Pair, SuitePair]) -> list[range]:
    """Maximal groups of three or more consecutive models of a ranking in which no two differ significantly.

    A group is a range of positions in ``order``, from 0. Groups may overlap: two models that do not differ
    significantly from a third may differ from each other. A pair that was not compared counts as not different.
    """

    def differ(i: int, j: int) -> bool:
        x = pairs.get((order[i], order[j]))
        return x is not None and x.significant

    groups: list[range] = []
    stop = 0
    for start in range(len(order)):
        last_stop, stop = stop, max(stop, start + 1)
        while stop < len(order) and not any(differ(i, stop) for i in range(start, stop)):
            stop += 1
        if stop > last_stop and stop - start > 2:
            groups.append(range(start, stop))
    return groups


def not_significant(order: Sequence[str], pairs: Mapping[Pair, SuitePair]) -> list[Pair]:
    """Pairs without a significant difference: the first model with the others, then neighbours in the ranking."""
    candidates = dict.fromkeys([*((order[0], x) for x in order[1:]), *pairwise(order)])
    return [x for x in candidates if x in pairs and not pairs[x].significant]


def sample_sizes(
    e: EvaluationData, chosen: Collection[Pair], pairs: Mapping[Pair, SuitePair], request: Request
) -> dict[Pair, SampleSize]:
    """Sample size for each chosen pair, at the level at which Holm's method would call one more pair significant."""
    level = level_of_next([x.p_adjusted for x in pairs.values()], 1.0 - request.confidence)
    request = replace(request, confidence=1.0 - level)
    out = {}
    for a, b in chosen:
        x, data = pairs[a, b], e if len(e.benchmarks) > 1 else restrict_to_shared(e, a, b, "fixed")[0]
        out[a, b] = sample_size(data, a, b, request, x.mu, x.sigma, POWER, bound=False)
    return out


def possibly_best(order: Sequence[str], x: Comparisons) -> list[str]:
    """Models that may be best: no other model is significantly better."""
    return [m for m in order if not any(x.is_better(other, m) for other in order)]


def first_place(
    order: Sequence[str], names: Mapping[str, str], average: MetricInterval, tied: int, x: Comparisons,
    confidence: float, form: str,
) -> list[str]:  # fmt: skip
    """Sentences on the model with the highest average, and on how the others compare with it.

    tied: how many models share the highest average.
    """
    mu, lo, hi = (score(y, form) for y in (average.mu, average.lo, average.hi))
    first, others = order[0], order[1:]
    if not others:
        return [f"{names[first]} scores {mu} ({interval(confidence)} {lo} to {hi}) on average."]
    of_all = f"the highest average of {number(len(order), 'model')}"
    subject, out = "It", [f"{names[first]} has {of_all}, {mu} ({interval(confidence)} {lo} to {hi})."]
    if tied > 1:
        subject, out = names[first], [f"{listed([names[m] for m in order[:tied]])} share {of_all}, {mu}."]
    worse = [m for m in others if x.is_better(first, m)]
    better = [m for m in others if x.is_better(m, first)]
    not_different = [m for m in others if (first, m) in x.pairs and m not in worse and m not in better]
    not_compared = [m for m in others if (first, m) not in x.pairs]
    if worse:
        every = "every other model" if worse == list(others) and len(worse) > 1 else listed([names[m] for m in worse])
        out.append(f"{subject} is significantly better than {every}.")
    if not_different:
        out.append(f"{subject} is not significantly different from {listed([names[m] for m in not_different])}.")
    if better:
        are = "is" if len(better) == 1 else "are"
        out.append(
            f"On the questions that both answered, {listed([names[m] for m in better])} {are} significantly better "
            f"than {names[first]}: averages over different questions cannot be compared."
        )
    if not_compared:
        if better:  # "It" would be the last model of the sentence before
            subject = names[first]
        out.append(
            f"{subject} shares too few questions with {listed([names[m] for m in not_compared])} to be compared."
        )
    return out


def difference(x: SuitePair, form: str, confidence: float, n_pairs: int) -> str:
    """Text of a difference, its interval and its p-value."""
    mu, lo, hi = (score(y, form) for y in (x.mu, x.lo, x.hi))
    ends = f"{interval(confidence)}{' of all pairs at once' if n_pairs > 1 else ''} {lo} to {hi}"
    return f"difference {mu}, {ends}; {p_value(x.p_adjusted)}{', adjusted' if n_pairs > 1 else ''}"


def open_pair(
    pair: Pair, names: Mapping[str, str], x: Comparisons, target: str, confidence: float, form: str
) -> list[str]:
    """Sentences about a pair that does not differ significantly, and the sample size that would show a difference."""
    a, b = (names[m] for m in pair)
    size = difference(x.pairs[pair], form, confidence, len(x.pairs))
    first = f"{capital(ON[target])} {a} and {b} are not significantly different at {alpha(confidence)} ({size})."
    return [first, *([next_step(x.sample_sizes[pair])] if pair in x.sample_sizes else [])]


def pairs_that_differ(comparisons: Mapping[str, Comparisons]) -> str:
    """Clause with the number of pairs that differ significantly, for each target."""
    (first, x), *others = comparisons.items()
    more = "".join(f", {y.n_significant or 'none'} {ON[target]}" for target, y in others)
    verb = "differs" if x.n_significant == 1 else "differ"
    pairs = f"{x.n_significant or 'None'} of {number(len(x.pairs), 'pair')} of models"
    return f"{pairs} {verb} significantly {ON[first]}{more}"


def group_lines(ranges: Sequence[range], names: Sequence[str], most: int) -> list[str]:
    """Lines about the groups of consecutive models of which no two differ significantly."""
    out = [f"Places {x.start + 1} to {x.stop}: {listed([names[i] for i in x])}." for x in ranges[:most]]
    return [*out, *([f"And {number(len(ranges) - most, 'group')} further down."] if len(ranges) > most else [])]


@dataclass(frozen=True)
class Comparisons:
    """Comparisons of all pairs over all benchmarks, for one target.

    Attributes
    ----------
    pairs : mapping of (str, str) to SuitePair
        The better-ranked model first; pairs that share too few questions are left out.
    ranges : mapping of str to (int, int); the ranks that each model may have
    groups : tuple of range
        Positions in the ranking (from 0) of three or more consecutive models of which no two differ significantly.
    not_significant : tuple of (str, str)
        Pairs that do not differ significantly: those of the first model, then neighbours.
    sample_sizes : mapping of (str, str) to SampleSize
        Sample sizes for the first pair of not_significant and, for the target of the leaderboard, for those of the
        first ``MOST_NEIGHBOURS`` pairs of neighbours that do not differ significantly.
    """

    pairs: Mapping[Pair, SuitePair]
    ranges: Mapping[str, tuple[int, int]]
    groups: tuple[range, ...]
    not_significant: tuple[Pair, ...]
    sample_sizes: Mapping[Pair, SampleSize]

    @property
    def n_significant(self) -> int:
        """Number of pairs that differ significantly."""
        return sum(x.significant for x in self.pairs.values())

    def is_better(self, a: str, b: str) -> bool:
        """Whether model a is significantly better than model b."""
        x = self.pairs.get((a, b)) or self.pairs.get((b, a))
        return x is not None and x.significant and (x.mu > 0) == (x.a == a)
