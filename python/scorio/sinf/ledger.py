"""Many builds of one system, one after another: gates with one error rate, alarms, steps, and the noise floor."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from .. import arguments
from ..arguments import Missing, Reals
from ..display.terms import p_value as shown_p
from ..inference import build_gates, build_steps, cusum
from ..inference.history import NO_PIN, read_history
from ..outcomes.tally import Models, Outcomes
from ..results import Decision, Listing, Runs, RunVariation, shown_as_table

Alarm = Literal["loss", "gain"]


def _p(p: float) -> str:
    """A p-value in a cell; the heading of the column says p."""
    return shown_p(p).removeprefix("p ").removeprefix("= ")


class GatedBuild(NamedTuple):
    """A build at the gate: its score, the floor, p-values, level and verdict.

    ``p_worse`` is the p-value against a score at or below the floor: the build passes if it is at most ``level``.
    ``p_better`` is that against a score at or above it: the build fails if it is at most (1 - confidence)/2. A
    ``doubtful`` build lowers the level of the builds after it, and one that ``raised`` the floor did so for these.
    """

    build: Any
    mu: float
    floor: float
    p_worse: float
    p_better: float
    level: float
    doubtful: bool
    raised: bool
    verdict: Decision

    def shown(self) -> dict[str, str]:
        """The cells of this build in a table of builds."""
        numbers = {"score": f"{self.mu:.3f}", "floor": f"{self.floor:.3f}", "p": _p(self.p_worse)}
        return {"build": str(self.build), **numbers, "level": f"{self.level:.2g}", "verdict": self.verdict}


@shown_as_table
class BuildGates(NamedTuple):
    """The builds at the gate; the score of the pin and its upper end; floor and level of the next build."""

    builds: list[GatedBuild]
    pin: float
    pin_hi: float
    next_floor: float
    next_level: float


class WatchedBuild(NamedTuple):
    """A build: its score, that of the builds before it, their standardised difference, and both cumulative sums.

    ``reference`` and ``z`` are None where no build is before it, or since the last alarm. ``since`` of an alarm is the
    build from which on its sum has grown.
    """

    build: Any
    mu: float
    reference: float | None
    z: float | None
    loss: float
    gain: float
    alarm: Alarm | None
    since: Any

    def shown(self) -> dict[str, str]:
        """The cells of this build in a table of builds."""
        before = "" if self.reference is None else f"{self.reference:.3f}"
        sums = {"loss": f"{self.loss:.2f}", "gain": f"{self.gain:.2f}"}
        alarm = f"{self.alarm} since {self.since}" if self.alarm else ""
        return {"build": str(self.build), "score": f"{self.mu:.3f}", "before": before, **sums, "alarm": alarm}


@shown_as_table
class Alarms(NamedTuple):
    """The builds, and the limit that a cumulative sum reaches at an alarm."""

    builds: list[WatchedBuild]
    limit: float


class Step(NamedTuple):
    """The build with which the score changed, the first and the last that it can be, and the change with its interval.

    ``p_value`` is that of no change between the neighbouring steps.
    """

    build: Any
    first: Any
    last: Any
    mu: float
    lo: float
    hi: float
    p_value: float

    def shown(self) -> dict[str, str]:
        """The cells of this step in a table of steps."""
        place = {"build": str(self.build), "first": str(self.first), "last": str(self.last)}
        size = {"change": f"{self.mu:.3f}", "interval": f"{self.lo:.3f} to {self.hi:.3f}"}
        return {**place, **size, "p": _p(self.p_value)}


@shown_as_table
class NoiseFloor(NamedTuple):
    """How much evaluations of one build differ, and the smallest margins of gates of such evaluations.

    Attributes
    ----------
    mu : float
        The score of all evaluations together.
    sigma : float
        The standard deviation of an evaluation's score by the trials alone.
    ratio, df, p_value, sd : float
        As in :func:`run_variation`, with a run for each evaluation: how much more they differ than trials explain.
    flaky : list of int
        The questions with two different scores.
    flip_rate : float
        The share of pairs of trials of a question that have different scores, over all evaluations.
    margin_gate, margin_builds : float or None
        The smallest margin at which an unchanged build passes with the stated power: one gate of two such evaluations,
        and :func:`gate_builds`; None if that is the span of the scores or more.
    margin_gate_runs, margin_builds_runs : float or None
        The same where gates account for the variance between evaluations (``runs``).
    """

    mu: float
    sigma: float
    ratio: float
    df: float
    p_value: float
    sd: float
    flaky: list[int]
    flip_rate: float
    margin_gate: float | None
    margin_builds: float | None
    margin_gate_runs: float | None
    margin_builds_runs: float | None


def gate_builds(
    builds: Models,
    pin: Models | Outcomes,
    *,
    margin: float,
    confidence: float = 0.95,
    w: Reals | None = None,
    runs: Literal["fixed"] | RunVariation | dict[str, float] = "fixed",
    missing: Missing = "raise",
) -> BuildGates:
    """Which of many builds pass a floor, with one error rate over all of them.

    Parameters
    ----------
    builds : sequence or mapping of outcomes
        Every build that was gated, in the order of time, whether it was released or not: outcomes of one model each, as
        matrices of shape (M, N) or :class:`scorio.Counts`, on the same questions by id or else by row.
    pin : outcomes, or a sequence or mapping of them
        The build that is pinned as the baseline: one evaluation, or several, whose trials are pooled.
    margin : float > 0
        The loss against the pin, in units of w, that is acceptable: below the span of the scores.
    confidence : float in (0, 1)
        With at most the probability 1 - confidence any build passes, of all together, whose true score is more than the
        margin below that of the pin.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    runs : "fixed" or RunVariation
        The result of :func:`run_variation`, or ``{"ratio": ..., "df": ...}``: how much more evaluations differ than
        their trials explain, such as ``ratio`` and ``df`` of :func:`noise_floor`. "fixed": not at all.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Every build
        needs a trial of every question.

    Returns
    -------
    BuildGates
        (builds, pin, pin_hi, next_floor, next_level): ``builds`` has a row (build, mu, floor, p_worse, p_better, level,
        doubtful, raised, verdict) for each build, in order; ``build`` is its name, or its index where builds have no
        names. The floor is the upper end of the pin's interval less the margin; a build that passes raises it if the
        lower end of its own interval less the margin is higher. verdict is "pass" if p_worse is at most the level, else
        "fail" if p_better is at most (1 - confidence)/2, else "inconclusive".

    Raises
    ------
    InvalidInput
        An argument is invalid; missing: a build on other questions than the pin, or without a trial of one; choice:
        runs="sampled"; range: a margin that is not between 0 and the span of the scores.

    Notes
    -----
    Defined in spec/families/ledger.md. The verdict is about these questions. A gate of each build at 5%, with the last
    build that passed as the next baseline, lets the score slide by a margin each time; this floor never falls. The
    level of a build depends on how many builds before it were doubtful (1/4 < p_worse <= 3/4), not on the number of
    builds: the sequence may go on for any time, and may be looked at after each build. A new pin is a new promise.

    Examples
    --------
    >>> import scorio
    >>> from scorio import sinf
    >>> pin = scorio.Counts.from_successes([31, 25, 16, 28], [32] * 4)
    >>> builds = {"a": [32, 24, 14, 29], "b": [30, 26, 15, 28], "c": [24, 12, 8, 16]}
    >>> x = sinf.gate_builds({k: scorio.Counts.from_successes(c, [32] * 4) for k, c in builds.items()}, pin, margin=0.3)
    >>> x.builds
    build  score  floor        p   level  verdict
    a      0.773  0.552  0.00032  0.0031  pass
    b      0.773  0.552  0.00018  0.0031  pass
    c      0.469  0.552     0.96  0.0031  inconclusive
    """
    confidence = arguments.confidence(confidence)
    history = read_history(builds, w, missing, pin)
    rows, ends = build_gates.gates(history, margin, confidence, runs)
    return BuildGates(Listing(GatedBuild(*row) for row in rows), *ends)


def alarms(
    builds: Models,
    pin: Models | Outcomes | None = None,
    *,
    every: float = 500,
    w: Reals | None = None,
    runs: Runs = "fixed",
    missing: Missing = "raise",
) -> Alarms:
    """At which builds the score has fallen or risen, with a stated number of builds for each false alarm.

    Parameters
    ----------
    builds : sequence or mapping of outcomes
        The builds that followed each other, in the order of time, as in :func:`gate_builds`.
    pin : outcomes, or a sequence or mapping of them, optional
        Evaluations of the build before the first; default: the builds are compared only with each other.
    every : float in [50, 2000]
        One false alarm, of a loss or of a gain, in this many builds on average.
    w, missing
        As in :func:`gate_builds`.
    runs : {"fixed", "sampled"} or RunVariation
        "sampled": evaluations differ by more than their trials explain, by a ratio that the successive differences of
        the builds before each show; the first builds cannot give an alarm then. Or the ratio is stated, as in
        :func:`gate_builds`.

    Returns
    -------
    Alarms
        (builds, limit): ``builds`` has a row (build, mu, reference, z, loss, gain, alarm, since) for each build, in
        order. ``reference`` is the score of the pin and all builds before it, since the last alarm; ``z`` is reference
        less mu over its standard error, ``loss`` and ``gain`` are the sums of z - 1/2 and of -z - 1/2, never below 0.
        ``alarm`` is "loss" or "gain" where its sum reaches the limit, and ``since`` the build with which the sum began
        to grow, both None elsewhere. After an alarm the sums and the reference start anew.

    Raises
    ------
    InvalidInput
        As :func:`gate_builds`; range: ``every`` outside 50..2000.

    Notes
    -----
    Defined in spec/families/ledger.md: self-starting cumulative sums, which find a slide of small losses that no
    single build shows. An alarm does not say which build is at fault: see :func:`steps`. Rows do not change when later
    builds are added.

    Examples
    --------
    >>> import scorio
    >>> from scorio import sinf
    >>> c = [[31, 25, 16, 28], [32, 24, 14, 29], [30, 26, 15, 28], [27, 21, 9, 24], [26, 20, 11, 22], [27, 19, 8, 23]]
    >>> sinf.alarms([scorio.Counts.from_successes(x, [32] * 4) for x in c], every=100).builds
    build  score  before  loss  gain  alarm
        0  0.781          0.00  0.00
        1  0.773   0.781  0.00  0.00
        2  0.773   0.777  0.00  0.00
        3  0.633   0.776  3.25  0.00
        4  0.617   0.740  5.90  0.00  loss since 3
        5  0.602          0.00  0.00
    """
    every = arguments.within(every, "every", 50.0, 2000.0)
    history = read_history(builds, w, missing, NO_PIN if pin is None else pin)
    rows, limit = cusum.alarms(history, every, runs)
    return Alarms(Listing(WatchedBuild(*row) for row in rows), limit)


def steps(
    builds: Models,
    *,
    confidence: float = 0.95,
    w: Reals | None = None,
    runs: Runs = "fixed",
    missing: Missing = "raise",
) -> list[Step]:
    """With which builds the score changed, each with a set of builds and an interval of the change.

    Parameters
    ----------
    builds : sequence or mapping of outcomes
        The builds that followed each other, in the order of time, as in :func:`gate_builds`; at least two.
    confidence : float in (0, 1)
        With the nominal probability ``confidence`` no step is found where the score never changed.
    w, runs, missing
        As in :func:`alarms`.

    Returns
    -------
    list of Step
        (build, first, last, mu, lo, hi, p_value) of each step, in the order of time; none if no change is found. The
        score changed with ``build``, or with another of ``first``..``last``, by ``mu``, in ``lo``..``hi``.

    Raises
    ------
    InvalidInput
        As :func:`gate_builds`; length: one build.

    Notes
    -----
    Defined in spec/families/ledger.md: binary segmentation, of which each part has half of the level, and each split is
    placed once more between its neighbours. A slow slide shows as several small steps.

    Examples
    --------
    >>> import scorio
    >>> from scorio import sinf
    >>> c = [[31, 25, 16, 28], [32, 24, 14, 29], [30, 26, 15, 28], [27, 21, 9, 24], [26, 20, 11, 22], [27, 19, 8, 23]]
    >>> sinf.steps([scorio.Counts.from_successes(x, [32] * 4) for x in c])
    build  first  last  change          interval         p
        3      3     3  -0.159  -0.227 to -0.091  < 0.0001
    """
    confidence = arguments.confidence(confidence)
    history = read_history(builds, w, missing, least=2)
    return Listing(Step(*row) for row in build_steps.steps(history, confidence, runs))


def noise_floor(
    evaluations: Models,
    *,
    pooled: int | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    w: Reals | None = None,
    missing: Missing = "raise",
) -> NoiseFloor:
    """How much evaluations of one build differ, and the smallest margins that gates of such evaluations can hold.

    Parameters
    ----------
    evaluations : sequence or mapping of outcomes
        Two or more evaluations of the same build, each as a build of :func:`gate_builds`.
    pooled : int >= 1, optional
        How many evaluations the pin of :func:`gate_builds` will have; default: as many as are given.
    power : float in [1/2, 1)
        Probability with which an unchanged build is to pass.
    confidence, w, missing
        As in :func:`gate_builds`.

    Returns
    -------
    NoiseFloor
        (mu, sigma, ratio, df, p_value, sd, flaky, flip_rate, margin_gate, margin_builds, margin_gate_runs,
        margin_builds_runs).

    Raises
    ------
    InvalidInput
        As :func:`gate_builds`; length: one evaluation; shape: one question.

    Examples
    --------
    >>> import scorio
    >>> from scorio import sinf
    >>> c = [[31, 25, 16, 28], [32, 24, 14, 29], [30, 26, 15, 28]]
    >>> x = sinf.noise_floor([scorio.Counts.from_successes(x, [32] * 4) for x in c])
    >>> round(x.sigma, 4), round(x.ratio, 3), round(x.margin_gate, 4), round(x.margin_builds, 4)
    (0.033, 0.019, 0.1505, 0.2235)
    """
    confidence, power = arguments.confidence(confidence), arguments.power(power)
    history = read_history(evaluations, w, missing, least=2, name="evaluations")
    pooled = len(history.builds) if pooled is None else arguments.integer(pooled, "pooled", 1)
    return NoiseFloor(*build_gates.noise(history, pooled, power, confidence))
