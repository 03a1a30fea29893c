"""Early stopping of runs of inspect_ai: with a stand-in for inspect_ai, and with inspect_ai where it is installed.

inspect_ai brings some eighty packages, so it is not in the extra "test": the last test is skipped without it.
"""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scorio import Counts, InvalidInput, sinf
from scorio.harness import EarlyStopping
from scorio.io import Log

BASELINE = {f"q{i}": [0, 1, 0, 0] for i in range(12)}


def scored(value: Any, name: str = "match") -> dict[str, Any]:
    return {name: SimpleNamespace(score=SimpleNamespace(value=value))}


async def evaluation(stop: EarlyStopping, epochs: int, rate: float, seed: int = 0) -> list[tuple[str, int]]:
    """Run all epochs as inspect_ai does; return the samples that were not run, with their epochs."""
    rng, not_run = np.random.default_rng(seed), []
    samples = [SimpleNamespace(id=x) for x in BASELINE]
    assert await stop.start_task(None, samples, epochs) == "scorio"
    for epoch in range(1, epochs + 1):
        for x in samples:
            if (early_stop := await stop.schedule_sample(x.id, epoch)) is not None:
                assert early_stop.reason.startswith("scorio: ")
                not_run.append((early_stop.id, early_stop.epoch))
            else:
                await stop.complete_sample(x.id, epoch, scored("C" if rng.random() < rate else "I"))
    return not_run


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-in for the parts of inspect_ai that EarlyStopping imports."""
    util = ModuleType("inspect_ai.util")
    util.EarlyStop = SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "inspect_ai", ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.util", util)


def test_a_clear_difference_stops(stand_in: None) -> None:
    """Check that the remaining epochs are not run, and that the log gives the reason."""
    stop = EarlyStopping(BASELINE)
    not_run = asyncio.run(evaluation(stop, 8, 1.0))
    assert stop.last is not None
    assert (stop.last.verdict, stop.complete_epochs, len(not_run)) == ("different", 2, 12 * 6)
    summary = asyncio.run(stop.complete_task())
    assert summary["epochs"] == 2
    assert summary["verdict"] == "different"


def test_the_looks_are_those_of_a_monitor(stand_in: None) -> None:
    """Check that the last look of EarlyStopping equals that of sinf.Monitor; the epochs after it are not run."""
    stop, rate = EarlyStopping(BASELINE, margin=0.2, spending="pocock"), 0.25
    not_run = asyncio.run(evaluation(stop, 4, rate, 3))
    rng, monitor = np.random.default_rng(3), sinf.Monitor(4, questions="fixed", margin=0.2, spending="pocock")
    R = (rng.random((4, 12)) < rate).astype(int).T
    baseline = Counts([[3, 1]] * 12)
    looks = [monitor.look(R[:, :n], baseline) for n in range(1, stop.complete_epochs + 1)]
    assert looks[-1] == stop.last
    assert len(not_run) == 12 * (4 - stop.complete_epochs)


def test_the_plan_ends_with_the_last_epoch(stand_in: None) -> None:
    """Check the shares of a run with more epochs than its baseline has trials: 1 after the last epoch, not before."""
    stop, shares = EarlyStopping(BASELINE), []
    asyncio.run(stop.begin(BASELINE, 6))
    for epoch in range(1, 7):
        for i, x in enumerate(BASELINE):
            stop.add(x, epoch, int((i + epoch) % 4 == 0))
        shares.append(stop.last.fraction)
    assert shares[0] == (1 / 6 + 1 / 4) / (1 + 1 / 4)  # planned over present variance; 1/4: the baseline's four trials
    assert shares == sorted(set(shares))
    assert (shares[-1], stop.last.verdict) == (1.0, "inconclusive")


def test_a_look_waits_for_every_trial_of_its_epochs() -> None:
    """Check that nothing is decided while a trial of the first epoch runs, even if all others are successes."""
    stop = EarlyStopping(BASELINE)
    asyncio.run(stop.begin(BASELINE, 4))
    for epoch in (2, 3, 4):
        for x in BASELINE:
            stop.add(x, epoch, 1)
    for x in list(BASELINE)[1:]:
        stop.add(x, 1, 1)
        stop.add(x, 1, 1)  # reported twice: counted once
    assert (stop.last, stop.complete_epochs, stop.reason) == (None, 0, None)
    stop.add("q0", 1, 0)  # now all four epochs are complete: one look
    assert stop.last is not None
    assert (stop.complete_epochs, stop.last.mu, stop.last.verdict) == (4, 47 / 48 - 0.25, "different")


def test_a_log_is_a_baseline(stand_in: None) -> None:
    """Check that a log as the baseline gives the same counts, by question id, as a mapping."""
    log = Log(list(BASELINE), Counts([[3, 1]] * 12))
    assert EarlyStopping(log).baseline == EarlyStopping(BASELINE).baseline


def test_invalid_arguments_and_scores_are_refused(stand_in: None) -> None:
    """Check that errors are raised before the run where possible; later ones name the sample or the scorer."""
    for bad in ({}, 3, [1]):
        with pytest.raises(InvalidInput, match="sample ids to outcomes"):
            EarlyStopping(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="margin"):
        EarlyStopping(BASELINE, margin=2.0)
    with pytest.raises(InvalidInput, match="outcomes of the baseline must be 0 or 1"):
        EarlyStopping(Log(["q"], Counts([[1, 1, 1]])))
    stop = EarlyStopping(BASELINE)
    with pytest.raises(InvalidInput, match="no sample 'other'"):
        asyncio.run(stop.start_task(None, [SimpleNamespace(id="other")], 2))
    asyncio.run(stop.start_task(None, [SimpleNamespace(id=x) for x in BASELINE], 2))
    for scores in ({}, {**scored(1, "a"), **scored(1, "b")}):
        with pytest.raises(InvalidInput, match="choose one with scorer="):
            asyncio.run(stop.complete_sample("q0", 1, scores))
    for value in (0.5, "P", [1]):
        with pytest.raises(InvalidInput, match="is not 0 or 1"):
            asyncio.run(stop.complete_sample("q0", 1, scored(value)))
    chosen = EarlyStopping(BASELINE, scorer="b")
    asyncio.run(chosen.start_task(None, [SimpleNamespace(id=x) for x in BASELINE], 2))
    asyncio.run(chosen.complete_sample("q0", 1, {**scored("x", "a"), **scored(True, "b")}))
    assert chosen.outcomes["q0"] == {1: 1}


def test_inspect_ai_stops_its_run(tmp_path: Any) -> None:
    """Check that inspect_ai runs a task with a mock model, and stops when EarlyStopping says so."""
    inspect_ai = pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: pip install scorio[inspect]")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match

    right = ModelOutput.from_content("mockllm/model", "yes")
    right.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # so that no tokenizer is loaded
    model = get_model("mockllm/model", custom_outputs=[right] * 500)
    stop = EarlyStopping(BASELINE)
    task = inspect_ai.Task(
        dataset=[Sample(input="?", target="yes", id=x) for x in BASELINE], scorer=match(), early_stopping=stop
    )
    (log,) = inspect_ai.eval(task, model=model, epochs=8, max_samples=1, display="none", log_dir=str(tmp_path))
    assert log.status == "success"
    assert stop.last is not None
    assert stop.last.verdict == "different"
    logged = log.results.early_stopping
    assert logged.manager == "scorio"
    assert logged.metadata["verdict"] == "different"
    assert len(logged.early_stops) == 12 * (8 - stop.complete_epochs)
