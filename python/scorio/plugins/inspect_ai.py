"""Extension of inspect_ai: a line with an interval for each scorer of an evaluation, a metric, and a score reducer.

inspect_ai loads this module by its entry point. ``SCORIO_INSPECT=off`` turns the lines off; ``SCORIO_BASELINE``, or
``scorio_baseline`` in the metadata of a task, names a log to compare with; with ``SCORIO_LEDGER``, or
``scorio_ledger``, each log is gated by this ledger and recorded there, and the baseline is a name. The metric is
``scorio/interval``, the score reducer ``scorio/bayes``.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.scorer import Metric, SampleScore, Score, ScoreReducer, Value, metric, score_reducer, value_to_float

from ..results import Target

MANAGER = "scorio"  # the name of scorio.harness.EarlyStopping in a log


@metric(name="interval", scores="unreduced")
def interval(questions: Target = "sampled", confidence: float = 0.95) -> Metric:
    """Mean over samples of their mean score, with its standard error and its confidence interval.

    All are NaN if there is no score, or if a score is below 0 or above 1.

    Parameters
    ----------
    questions : {"sampled", "fixed"}
        Whether the interval is for the mean over similar samples ("sampled") or over these samples ("fixed").
    confidence : float in (0, 1); nominal coverage of the interval
    """
    to_float = value_to_float()

    def compute(scores: list[SampleScore]) -> Value:
        from ..eval import interval as metric_interval
        from ..outcomes.counts import Counts

        trials = Counter((x.sample_id, float(to_float(x.score.value))) for x in scores)  # NaN: an epoch without a score
        cells = {key: n for key, n in trials.items() if key[1] == key[1]}
        w, samples = sorted({0.0, 1.0, *(x for _, x in cells)}), dict.fromkeys(i for i, _ in cells)
        if not cells or w[0] < 0.0 or w[-1] > 1.0:
            return dict.fromkeys(("mean", "stderr", "lo", "hi"), float("nan"))
        counts = Counts([[cells.get((i, x), 0) for x in w] for i in samples])
        estimate = metric_interval(counts, "mean", w=w, questions=questions, confidence=confidence)
        return {"mean": estimate.mu, "stderr": estimate.sigma, "lo": estimate.lo, "hi": estimate.hi}

    return compute


@score_reducer(name="scorio/bayes")
def bayes() -> ScoreReducer:
    """Bayes@N of a sample: the posterior mean of its success rate; an epoch with score 1 is a success.

    Epochs with any other score are failures, and those without one (NaN) are left out; NaN if none is left.
    """
    to_float = value_to_float()

    def reduce(scores: list[Score]) -> Score:
        from ..eval import bayes as posterior

        values = [float(to_float(x.value)) for x in scores]
        trials = [[int(x == 1.0) for x in values if x == x]]
        return Score(value=posterior(trials).mu if trials[0] else float("nan"))

    return reduce


def lines(log: Any) -> list[str]:
    """A line for each scorer of a log: its interval, and its comparison with the baseline or gate if one is named."""
    from ..errors import InvalidInput
    from ..evaluation import read

    baseline, ledger = (
        os.environ.get(f"SCORIO_{x}") or (log.eval.metadata or {}).get(f"scorio_{x.lower()}")
        for x in ("BASELINE", "LEDGER")
    )
    out = []
    scores = log.results.scores if log.results else ()
    scorers = dict.fromkeys(x.name if x.name == x.scorer else f"{x.scorer}/{x.name}" for x in scores)
    for scorer in scorers:
        options: dict[str, Any] = {"which": scorer, "missing": "drop"}
        try:
            e = read(log.location, **options)
        except InvalidInput as error:
            if error.code != "fractional":
                raise
            # scores other than 0 and 1
            options["w"] = "levels"
            e = read(log.location, **options)
        board = e.leaderboard(k=1)
        (row,) = board.each
        about = "on similar samples" if row.average.questions == "sampled" else "on these samples"
        size = f"{row.n_questions} samples, {row.trials_max} epochs" + f", {row.missing} missing" * bool(row.missing)
        line = (
            f"scorio: {log.eval.task}, {scorer}: {row.average.mu:.3f}, 95% CI {_limits(row.average)} {about} ({size})"
        )
        for low, high in board.about.gaps.seen.values():
            line += f"; scale: the scores that occur, {low:.10g} to {high:.10g}"
        line += _stopped(log)
        if ledger:
            line += _gated(e, str(ledger), str(baseline or "main"), len(scorers))
        elif baseline:
            line += _compared(e, str(baseline), options)
        out.append(line)
    return out


def _gated(e: Any, ledger: str, baseline: str, scorers: int) -> str:
    """The verdict of a ledger, in which the build is recorded, and its alarms and steps; or why there is none."""
    from ..commands.gate_ledger import gate_build, sentences

    if scorers > 1:
        return f"; not gated: a ledger has builds of one scorer, and this log has {scorers}"
    try:
        return f"; {' '.join(sentences(gate_build(e, baseline, ledger)))}"
    except Exception as error:  # the interval is printed without the verdict
        return f"; not gated: {getattr(error, 'on_command_line', error)}".replace("\n", " ")


def _compared(e: Any, name: str, options: dict[str, Any]) -> str:
    """The comparison with the baseline, the log of this name, as text, or why it failed."""
    from ..evaluation import read

    try:
        baseline, (model,) = read(name, **options), e.models
        old = model if model in baseline else baseline.models[0]
        new_and_old = e.renamed({model: "new"}) + baseline.select(old).renamed({old: "old"})
        x = new_and_old.compare("new", "old").verdicts[0]
    except Exception as error:  # the interval is printed without the comparison
        return f"; not compared: {getattr(error, 'on_command_line', error)}".replace("\n", " ")
    verdict = "significantly different" if x.significant else "not significantly different"
    return f"; against {os.path.basename(name)}: {x.difference:+.3f}, 95% CI {_limits(x)}, {verdict}"


def _stopped(log: Any) -> str:
    """The result of the last look of scorio.harness.EarlyStopping, if it stopped the run."""
    stop = log.results.early_stopping
    if stop is None or stop.manager != MANAGER or not stop.early_stops:
        return ""
    x = SimpleNamespace(**stop.metadata)  # as EarlyStopping.complete_task() returned it
    return f"; stopped early after {x.epochs} epochs: {x.verdict} (difference {x.mu:+.3f}, {_limits(x)} over all looks)"


def _limits(x: Any) -> str:
    """The limits of an interval as text."""
    return f"{x.lo:.3f} to {x.hi:.3f}"


if os.environ.get("SCORIO_INSPECT", "on").lower() not in ("off", "0", "no", "false"):

    @hooks(name="interval", description="confidence intervals (SCORIO_INSPECT=off turns them off)")
    class Line(Hooks):  # type: ignore[misc,unused-ignore]
        """Hook that prints the lines of each successful log when a run has ended, or a line with the error."""

        async def on_run_end(self, data: RunEnd) -> None:
            """Print the lines of each successful log."""
            for log in data.logs:
                try:
                    if log.status == "success":
                        print(*lines(log), sep="\n", file=sys.stderr)
                except Exception as e:
                    print(f"scorio: no interval of {log.eval.task}: {e}".replace("\n", " "), file=sys.stderr)
