"""Repeated looks at two models while their outcomes grow: continue or stop, at one error rate for all looks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, SupportsIndex

import numpy as np

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import normal_cdf
from ..arithmetic.double_double import Triple, ext, mul, neg, over_common_denominator, sub, times_2_to, total, value
from ..errors import InvalidInput, shown
from ..inference.decision import (
    MIN_LOOK_STEP,
    SPENDING,
    e_value,
    level_of_look,
    margin_decision,
    rescaled_interval,
    to_unit_scale,
)
from ..inference.difference import Difference
from ..inference.estimate import Pair, pair, parse_request
from ..outcomes.counts import Counts
from ..outcomes.identity import rows_by_id
from ..outcomes.states import Array, distinct_rows
from ..outcomes.tally import Outcomes
from ..results import MetricName, RateModel, Runs, Spending, Target, shown_as_table
from .boundaries import CONFIDENCE
from .gate import check_margin, parse_gate_request

ALL_SO_FAR = "give all outcomes so far, not only the new ones"


@shown_as_table
class Look(NamedTuple):
    """Result of a look: stop or continue, and why; the difference, with its interval over all looks.

    ``verdict`` is "different" without a margin, "pass" or "fail" with one; "inconclusive" at the planned end;
    "continue"; "wait" where less than 1/256 of the plan is new, which does not count as a look. ``p_value`` tests
    equality as if this look were the only one; ``p_stop`` is the largest p-value that would stop a test of equality at
    this look; ``fraction`` is the share of the planned or expected size that is done. If this was not a look, p_stop is
    0, and lo and hi are the smallest and the largest possible difference.
    """

    stop: bool
    verdict: str
    fraction: float
    mu: float
    lo: float
    hi: float
    p_value: float
    p_stop: float

    def __str__(self) -> str:
        """The verdict, the share of the plan, and the difference with its interval over all looks."""
        interval = f"{self.mu:.3f}, {self.lo:.3f} to {self.hi:.3f} over all looks"
        return f"{self.verdict}{' (stop)' if self.stop else ''}: {self.fraction:.0%} of the plan, difference {interval}"


class Monitor:
    """Looks at two models while their outcomes grow; all looks together err with nominal probability 1 - confidence.

    Parameters
    ----------
    planned : int, optional
        The size at which the comparison ends: trials per question (fixed questions), or questions (sampled ones).
    expected : int, optional
        Instead of planned: the size at which a decision is expected. There is no end, and less power.
    questions : {"fixed", "sampled"}
        More trials of this question set are added, or more questions of their population.
    metric, k, tau, w, model
        As in :func:`scorio.eval.interval`.
    margin : float, optional
        Test whether A is non-inferior to B by this margin, as :func:`gate`; default: whether they differ.
    guard : float in [0, 1], optional
        As in :func:`compare`, or with a margin as in :func:`gate`. Default: 0, with a margin 1.
    confidence : float in [1/2, 1 - 1e-12]
        Level of all looks together: alpha = 1 - confidence is their two-sided error rate.
    spending : {"obrien-fleming", "pocock"}
        With planned: how the looks share alpha (:func:`boundaries`).

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: none or both of planned and expected.

    Notes
    -----
    When to look must not depend on the differences seen. The share of the plan that is done is the planned variance
    over the present one: exactly for a mean where all questions have the same number of trials or are sampled,
    approximately for metrics of k trials. Where the numbers of trials differ (fixed questions), it is estimated: each
    question of each model counts by the variance of its mean score, so that trials of questions whose outcomes never
    vary add nothing. If the estimate falls, this does not count as a look ("wait"). The last look may be beyond the
    planned size. The monitor continues even if no completion of the plan could lead to a decision: stopping then would
    save less than 5% of the trials with 40 questions or more.

    Examples
    --------
    >>> from scorio import sinf
    >>> m = sinf.Monitor(planned=16, questions="fixed")
    >>> A, B = [[1, 1, 1, 1]] * 12, [[0, 1, 0, 1]] * 12
    >>> m.look(A, B).verdict
    'different'
    >>> m = sinf.Monitor(planned=16, questions="fixed")
    >>> m.look([[1, 1, 0, 1]] * 12, [[0, 1, 1, 1]] * 12).stop
    False
    """

    def __init__(
        self,
        planned: int | None = None,
        expected: int | None = None,
        *,
        questions: Target,
        metric: MetricName = "mean",
        k: SupportsIndex | None = None,
        tau: float | None = None,
        w: Reals | None = None,
        guard: float | None = None,
        model: RateModel = "mixture",
        margin: float | None = None,
        confidence: float = 0.95,
        spending: Spending = "obrien-fleming",
    ) -> None:
        if (planned is None) == (expected is None):
            raise InvalidInput("conflict", "planned", "give one of planned and expected")
        name, size = ("planned", planned) if expected is None else ("expected", expected)
        self.size, self.has_end = arguments.integer(size, name, 1, arguments.LARGEST_K), expected is None
        parameters = metric, k, tau, w, questions, model
        guard = float(margin is not None) if guard is None else guard
        self.request = (
            parse_request(*parameters, guard=guard) if margin is None else parse_gate_request(*parameters, guard)
        )
        self.margin = None if margin is None else check_margin(margin, self.request.m)
        self.confidence = arguments.within(confidence, "confidence", *CONFIDENCE)
        self.spending = arguments.choice(spending, "spending", SPENDING)
        self.fractions: list[float] = []
        # counts of A and of B, or their numbers of trials, at the last look that was checked for growth
        self.previous: list[Array] = []  # the tables of the last look, and the ids of their rows
        self.previous_ids: list[tuple[str, ...] | None] = []
        self.stopped = False
        self.baseline_is_complete = False  # True: B gets no more trials, and the planned size is for A alone

    def look(
        self,
        A: Outcomes,
        B: Outcomes,
        *,
        runs: Runs = "fixed",
        clusters: Labels | None = None,
        missing: Missing = "raise",
    ) -> Look:
        """Decide from all outcomes so far: continue, or stop and why.

        Parameters
        ----------
        A, B : array_like or Counts
            All outcomes so far of both models, row by row on the same questions.
        runs, clusters, missing
            As in :func:`compare`; "bounds" is refused.

        Returns
        -------
        Look

        Raises
        ------
        InvalidInput
            As :func:`compare`; order: some outcomes of the look before are not among these; or the monitor has stopped.
        """
        if self.stopped:
            raise InvalidInput("order", "A", "A comes after the look that stopped: a new question needs a new Monitor")
        request = self.request.with_runs(runs, [("A", A), ("B", B)], missing)
        x = pair(request, A, B, ("A", "B"), paired=True, missing=missing, clusters=clusters)
        f, last = self._share(x), self.fractions[-1] if self.fractions else 0.0
        if f < last and self.request.sampled:
            what = f"A and B have fewer questions than at the look before ({shown(last)} of the plan)"
            raise InvalidInput("order", "A", f"{what}: {ALL_SO_FAR}")
        tables, ids = [x.a.counts.table, x.b.counts.table], [x.a.counts.ids, x.b.counts.ids]
        known = missing in ("raise", "drop")
        if not known:  # a missing outcome that was counted as one category may arrive in another
            tables = [table.sum(1, keepdims=True) for table in tables]
        if known or not self.request.sampled:
            self._check_growth(tables, ids)
        f = max(f, last)  # an estimated share may fall although the outcomes grow
        d = x.difference(request, "A")
        if known or not self.request.sampled:
            self.previous, self.previous_ids = tables, ids
        if f - last < MIN_LOOK_STEP:
            return self._without_look(d, f)
        self.fractions.append(f)
        return self._result(d, f)

    def _at_end(self, f: float) -> bool:
        """Whether a share f of the plan is the planned end or beyond it."""
        return self.has_end and f >= 1.0

    def _reported(self, f: float) -> float:
        """The share to report: 1 beyond the planned end, where more matters to the correlation of the looks alone."""
        return 1.0 if self._at_end(f) else f

    def _check_growth(self, tables: list[Array], ids: list[tuple[str, ...] | None]) -> None:
        """Refuse outcomes that do not contain those of the look before, such as the new trials alone."""
        for name, new, old, new_ids, old_ids in zip("AB", tables, self.previous, ids, self.previous_ids, strict=False):
            has_ids = new_ids is not None and old_ids is not None
            if has_ids:
                row_of = rows_by_id(new_ids)
                if lacking := [q for q in old_ids or () if q not in row_of]:
                    what = f"{name} lacks question {shown(lacking[0])} of the look before"
                    raise InvalidInput("order", name, f"{what}: {ALL_SO_FAR}")
                new = new[[row_of[q] for q in old_ids or ()]]
            if self._lacks(new, old, has_ids or not self.request.sampled):
                raise InvalidInput("order", name, f"{name} lacks outcomes of the look before: {ALL_SO_FAR}")

    def _lacks(self, new: Array, old: Array, by_question: bool) -> bool:
        """Whether counts lack outcomes of the look before: by question if there are as many as then, or in total."""
        if new.shape[1] != old.shape[1]:  # for one of the looks only numbers of trials are known
            new, old = new.sum(1, keepdims=True), old.sum(1, keepdims=True)
        if by_question and new.shape == old.shape:
            return bool(np.any(new < old))
        if self.request.sampled:
            return bool(np.any(new.sum(0) < old.sum(0)))
        trials, old_trials = (np.sort(x.sum(1))[::-1] for x in (new, old))  # no question may lose trials
        return bool(np.any(new.sum(0) < old.sum(0)) or any(x < y for x, y in zip(trials, old_trials, strict=False)))

    def _without_look(self, d: Difference, f: float) -> Look:
        """The result where too little is new for a look; at the planned end the monitor stops."""
        self.stopped = self._at_end(f)
        span = sub(ext(max(self.request.m.w)), ext(min(self.request.m.w)))
        mu, largest = value(mul(span, d.D)) + 0.0, value(span)
        verdict = "inconclusive" if self.stopped else "wait"
        return Look(self.stopped, verdict, self._reported(f), mu, -largest, largest, value(d.p_value()), 0.0)

    def _share(self, x: Pair) -> float:
        """The share of the plan, or of the expected size, that is done: above 1 beyond it."""
        a, b = x.a.counts, x.b.counts
        if self.request.sampled:
            done = Fraction(a.M, self.size)
        else:
            done = share_of_trials(a, b, self.request.m.w, self.size, self.baseline_is_complete)
        return float(done)

    def _tail(self) -> Triple:
        """The one-sided level of this look."""
        if self.has_end:
            return level_of_look(tuple(self.fractions), 1.0 - self.confidence, self.spending)
        z = e_value(0.0, self.fractions[-1], 1.0 - self.confidence)[2]  # the |z| that stops
        return normal_cdf(neg(ext(z)))

    def _result(self, d: Difference, f: float) -> Look:
        """The result of a look at a difference, at which a share f of the plan is done."""
        tail, p = self._tail(), d.p_value()
        verdict = self._verdict(d, tail, p)
        if verdict == "inconclusive" and not self._at_end(f):
            verdict = "continue"
        self.stopped = verdict != "continue"
        margin = None if self.margin is None else to_unit_scale(self.margin, self.request.m)
        mu, _, lo, hi = rescaled_interval(d, tail, self.request.m, margin)
        return Look(self.stopped, verdict, self._reported(f), mu, lo, hi, value(p), value(times_2_to(tail, 1.0)))

    def _verdict(self, d: Difference, tail: Triple, p: Triple) -> str:
        """The verdict of a test at a one-sided level; p: the p-value of a test of equality."""
        if self.margin is not None:
            return margin_decision(d, to_unit_scale(self.margin, self.request.m), tail)[0]
        return "different" if sub(times_2_to(tail, 1.0), p)[0] >= 0.0 else "inconclusive"


def share_of_trials(a: Counts, b: Counts, w: Sequence[float], size: int, b_is_complete: bool) -> Fraction:
    """The planned variance of a difference of averages over its present one; planned: `size` trials a question.

    Each question of each model counts by the estimated variance of its mean score. If a question has a single trial, or
    no outcomes vary, all trials are taken to have the same variance. The share is at most the largest that a single
    question has if all its trials have the same variance: a model whose outcomes are equal by chance does not end the
    comparison. b_is_complete: B gets no more trials, so its planned numbers are the present ones.
    """
    W, _ = over_common_denominator(w)
    # questions that have equally many trials, and the number of trials planned for each
    groups = [(g, g.n if done else size) for x, done in ((a, False), (b, b_is_complete)) for g in x.groups()]
    spreads = [g.moments(W)[2] for g, _ in groups]
    if min(g.n for g, _ in groups) == 1 or not any(spreads):
        return Fraction(*total([(g.M, m) for g, m in groups])) / Fraction(*total([(g.M, g.n) for g, _ in groups]))
    planned, present = (
        Fraction(*total([(x, g.n * (g.n - 1) * m) for x, (g, m) in zip(spreads, each, strict=True)]))
        for each in (groups, [(g, g.n) for g, _ in groups])
    )
    (n, m), _, _ = distinct_rows([a.trials, b.trials])
    # the trials of a question by A and by B, and those planned by B
    trials = [(x, y, y if b_is_complete else size) for x, y in zip(n.tolist(), m.tolist(), strict=True)]
    return min(planned / present, max(Fraction((size + z) * x * y, size * z * (x + y)) for x, y, z in trials))
