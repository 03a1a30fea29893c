"""Adapters for evaluation harnesses: stop a run early at a stated error rate.

:class:`EarlyStopping` is an early-stopping manager for inspect_ai (``pip install inspect-ai``). inspect_ai calls
it before every sample, and skips the sample if the run has been decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Any

from . import arguments
from .errors import InvalidInput, shown
from .outcomes.counts import Counts
from .outcomes.tally import count, tally
from .readers.formats.inspect_ai import MANAGER
from .readers.logs import Log
from .results import Spending
from .sinf.monitor import Look, Monitor

VALUES = {"C": 1, "I": 0, "N": 0}  # outcomes of the letters of inspect_ai: correct, incorrect, no answer


class EarlyStopping:
    """Stops an evaluation when its comparison with a baseline is decided; for ``Task(early_stopping=...)``.

    Once all samples have completed an epoch and those before it, it looks at the outcomes of all these epochs. The
    probability that any of the looks gives a wrong verdict is nominally 1 - confidence. The planned size is that of all
    epochs of the task; the outcomes are those of one scorer, 0 or 1.

    Parameters
    ----------
    baseline : Log, or mapping of sample id to outcomes
        The baseline of the comparison: the log of a model, ``scorio.read(path).log(model)``, or a list of 0 and 1 for
        each sample.
    margin : float, optional
        Test whether the run is non-inferior to the baseline by this margin; default: whether the two differ.
    confidence : float in [1/2, 1 - 1e-12]; 1 - confidence is alpha, the two-sided error rate over all looks
    spending : {"obrien-fleming", "pocock"}; how the looks share alpha (:func:`scorio.sinf.boundaries`)
    scorer : str, optional; the scorer to read, where a sample has several

    Attributes
    ----------
    last : Look or None; the result of the last look
    reason : str or None; why the run was stopped; None if it was not

    Raises
    ------
    InvalidInput
        An argument is invalid. During a run, missing: a sample that the baseline lacks; category: an outcome that is
        not 0 or 1; choice: an unknown scorer, or several and none named.

    Notes
    -----
    The verdict is about this question set (``questions="fixed"``). The outcomes of an epoch are used only once all
    samples have completed it and the epochs before: trials that finish first are not representative, since failures
    often take longer. The plan ends with the last epoch, however many trials the baseline has. A sample without a
    score, as after an error, leaves its epoch incomplete: no further look is taken. Samples that are running at the
    decision are completed and are in the log; :func:`scorio.io.read` accepts their unequal numbers of trials. The
    averages of a run that stopped early are biased away from the baseline: report the interval of the last look, which
    is in the early-stopping metadata of the log.

    Examples
    --------
    >>> import asyncio
    >>> from scorio.harness import EarlyStopping
    >>> stop = EarlyStopping({i: [0, 1, 0, 0] for i in range(12)})
    >>> async def run(epochs):
    ...     await stop.begin(range(12), epochs)
    ...     for epoch in range(1, epochs + 1):
    ...         for i in range(12):
    ...             if stop.reason is None:
    ...                 stop.add(i, epoch, 1)
    >>> asyncio.run(run(8))
    >>> stop.last.verdict, stop.reason
    ('different', 'scorio: different after 2 of 8 epochs (difference 0.750, interval 0.465 to 1.000)')
    """

    def __init__(
        self, baseline: Log | Mapping[Any, Sequence[int]], *, margin: float | None = None, confidence: float = 0.95,
        spending: Spending = "obrien-fleming", scorer: str | None = None,
    ) -> None:  # fmt: skip
        options = {"margin": margin, "confidence": confidence, "spending": spending}
        self.settings: dict[str, Any] = {**options, "questions": "fixed"}
        Monitor(planned=2, **self.settings)  # raises if an argument is invalid, before a run states its epochs
        self.scorer, self.baseline = scorer, _by_sample(baseline)
        self.last: Look | None = None
        self.reason: str | None = None

    async def begin(self, samples: Sequence[Any], epochs: int) -> None:
        """Start a run: the ids of its samples, and the number of planned epochs."""
        if not len(samples):
            raise InvalidInput("empty", "samples", "samples is empty: a run needs at least one")
        self.epochs, self.complete_epochs = epochs, 0
        self.outcomes: dict[str, dict[int, int]] = {str(x): {} for x in samples}
        self.completed = Counter[int]()  # how many samples have completed each epoch
        if absent := [x for x in self.outcomes if x not in self.baseline]:
            raise InvalidInput("missing", "baseline", f"the baseline has no sample {shown(absent[0])}")
        self.last, self.reason = None, None
        self.baseline_counts = Counts([self.baseline[x] for x in self.outcomes])
        self.monitor = Monitor(planned=epochs, **self.settings)
        self.monitor.baseline_is_complete = True  # the planned size is that of this run alone

    def add(self, sample: Any, epoch: int, outcome: int) -> None:
        """Add an outcome; look at the data if this completes an epoch and all before it, unless the run was stopped."""
        outcomes = self.outcomes[str(sample)]
        self.completed[epoch] += epoch not in outcomes
        outcomes[epoch] = outcome
        complete = self.complete_epochs
        while self.completed[complete + 1] == len(self.outcomes):
            complete += 1
        if complete == self.complete_epochs or self.reason is not None:
            return
        self.complete_epochs = complete
        rows = [[x[epoch] for epoch in range(1, complete + 1)] for x in self.outcomes.values()]
        self.last = self.monitor.look(tally(rows), self.baseline_counts)
        if self.last.stop and complete < self.epochs:
            mu, lo, hi = (f"{x:.3f}" for x in (self.last.mu, self.last.lo, self.last.hi))
            self.reason = (
                f"{MANAGER}: {self.last.verdict} after {complete} of {self.epochs} epochs "
                f"(difference {mu}, interval {lo} to {hi})"
            )

    # --- the protocol of inspect_ai ---------------------------------------------------------------------

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:
        """Called before a task, with its samples and epochs."""
        await self.begin([x.id for x in samples], epochs)
        return MANAGER

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:
        """Called before a sample: returns None, or the directive not to run it."""
        if self.reason is None:
            return None
        from inspect_ai.util import EarlyStop

        return EarlyStop(id=id, epoch=epoch, reason=self.reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: Mapping[str, Any]) -> None:
        """Called after a sample, with its scores."""
        self.add(id, epoch, self._outcome(id, scores))

    async def complete_task(self) -> dict[str, Any]:
        """Called after a task: returns the result of the last look, for the log."""
        return {} if self.last is None else {"epochs": self.complete_epochs, **self.last._asdict()}

    def _outcome(self, sample: Any, scores: Mapping[str, Any]) -> int:
        """The outcome of a sample, 0 or 1, by the scorer that is read."""
        name = self.scorer or next(iter(scores), "")
        if name not in scores or (self.scorer is None and len(scores) > 1):
            what = f"sample {shown(sample)} has the scorers {', '.join(map(repr, scores)) or 'none'}"
            raise InvalidInput("choice", "scorer", f"{what}: choose one with scorer=")
        value = scores[name].score.value
        outcome = VALUES.get(value, value) if isinstance(value, str) else value
        if isinstance(outcome, (str, list, dict)) or outcome not in (0, 1):
            raise InvalidInput(
                "category", "scorer", f"the score {shown(value)} of sample {shown(sample)} is not 0 or 1"
            )
        return int(outcome)


def _by_sample(baseline: Any) -> dict[str, list[int]]:
    """Numbers of failures and successes of the baseline, [failures, successes], by the id of the sample."""
    if isinstance(baseline, Log):
        if baseline.counts.C != 1:
            raise InvalidInput("category", "baseline", "the outcomes of the baseline must be 0 or 1")
        rows = zip(baseline.ids, baseline.counts.table.tolist(), strict=True)
        return {str(question): row for question, row in rows if sum(row)}
    if not isinstance(baseline, Mapping) or not baseline:
        what = f"baseline must be a Log or a mapping of sample ids to outcomes, not {shown(baseline)}"
        raise InvalidInput("type", "baseline", what)
    out = {}
    for x, row in baseline.items():
        if isinstance(row, (Mapping, Set, str)):
            raise InvalidInput("type", "baseline", f"sample {shown(x)}: {shown(row)} is not a sequence of outcomes")
        try:
            out[str(x)] = count([arguments.sequence(row, "baseline")], 1, "raise", name="baseline").table[0].tolist()
        except InvalidInput as error:  # without its hint, since there is no argument missing
            raise InvalidInput(error.code, "baseline", f"sample {shown(x)}: {error.reason}") from None
    return out
