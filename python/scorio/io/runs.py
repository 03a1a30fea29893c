"""Files that are runs: each is one more trial, or holds further ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import InvalidInput
from . import values
from .accumulator import Batch, Record, Tallied, Trial, Unfinished
from .text_files import Named, Place, shown


class Runs:
    """Gives every file that states no trial the number of its run, and pools runs under one model."""

    def __init__(self, place: Place, pooled: bool) -> None:
        self.place, self.pooled = place, pooled
        self.model = place.root.resolve().name or str(place.root)
        self._files: dict[tuple[str, str], int] = {}  # so far, of each model and task
        self._own: tuple[str, str] | None = None  # the model that the runs say that they are of, and where

    def records(self, found: Iterable[Record], one: bool, said: Mapping[str, str] | None = None) -> Iterable[Record]:
        """The records of the next file; one: it states no trial; said: what its path says of it."""
        if said:
            return _laid(found, one, said)
        return self._numbered(found, one) if one or self.pooled else found

    def _numbered(self, found: Iterable[Record], one: bool) -> Iterator[Record]:
        here: dict[tuple[str, str], int] = {}
        alone: dict[Any, int] = {}
        for record in found:
            if isinstance(record, Unfinished):
                yield record
                continue
            if self.pooled:
                record = record._replace(model=self._same(record.model))
            key = values.id_of(record.model, "model"), str(record.task)
            run = here.get(key)
            if run is None:
                run = here[key] = self._files[key] = self._files.get(key, 0) + 1
            if isinstance(record, Tallied):
                yield record._replace(run=run)
            elif isinstance(record, Batch):
                together = _together(record, str(run), one, {})
                rows = (x._replace(trial=_trial(x, str(run), one, alone)) for x in record.each())
                yield from rows if together is None else (together,)
            else:
                yield record._replace(trial=_trial(record, str(run), one, alone))

    def _same(self, model: Any) -> str:
        """The one model of all runs, by its own name if they say it: they must not say that they are of two."""
        if isinstance(model, Named):
            return self.model
        name = values.id_of(model, "model")
        first, where = self._own = self._own or (name, str(self.place))
        if name != first:
            raise InvalidInput(
                "conflict", "runs", f"a run of model {shown(name)}, but {where} is of {shown(first)}", "models"
            )
        return name


def _trial(record: Trial, run: str, one: bool, alone: dict[Any, int]) -> str:
    """The id of a trial among those of all runs."""
    if one:
        return run
    if record.trial is not None:
        return f"{run}/{values.id_of(record.trial, 'trial')}"
    question = str(record.task), values.id_of(record.question, "question")
    alone[question] = alone.get(question, 0) + 1
    return f"{run}/{alone[question]}"


def _laid(found: Iterable[Record], one: bool, said: Mapping[str, str]) -> Iterator[Record]:
    """Records under what the path of their file says."""
    alone: dict[Any, int] = {}
    names: dict[str, Any] = {name: said[name] for name in ("model", "task", "question") if name in said}
    run = "/".join(said[name] for name in ("run", "trial") if name in said)
    whole = one or "trial" in said
    for record in found:
        if isinstance(record, Batch):
            together = _together(record, run, whole, names)
            yield from _laid(record.each(), one, said) if together is None else (together,)
        elif isinstance(record, Trial):
            trial = _trial(record, run, whole, alone) if run else record.trial
            yield record._replace(trial=trial, **names)
        elif isinstance(record, Tallied):
            yield record._replace(run=run or record.run, **names)
        else:
            yield record


def _together(batch: Batch, run: str, whole: bool, names: dict[str, Any]) -> Batch | None:
    """A batch under what its path says; None where its trials are to be looked at one by one."""
    trials = batch.trials
    try:
        if run:
            trials = [run if whole else f"{run}/{x if type(x) is int else values.id_of(x, 'trial')}" for x in trials]
    except InvalidInput:
        return None
    questions = [names["question"]] * len(trials) if "question" in names else batch.questions
    model, task = names.get("model", batch.model), names.get("task", batch.task)
    return batch._replace(model=model, task=task, questions=questions, trials=trials)
