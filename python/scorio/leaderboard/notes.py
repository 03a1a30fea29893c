"""What a reader of a table must know: the meaning of its intervals, and what the log does not contain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..display import terms
from ..display.text import listed, number
from ..io import Log
from .rows import MOST_LEVELS, Row

CLUSTERS = "Clusters of questions (column cluster) are the sampling units of all intervals and comparisons."


def notes(
    logs: Mapping[str, Log], rows: Sequence[Row], confidence: float = 0.95, missing: str | int = "drop"
) -> list[str]:
    """What a reader of the rows must know, a sentence or two each; missing: how missing outcomes were treated."""
    out = []
    if rows:
        sources = {x.variance_source for row in rows for x in row.intervals}
        out = meanings(logs, rows[0].average.questions, confidence, sources)
    if rows and not rows[0].at_k and any(row.trials[1] > 1 for row in rows):
        few = "Pass@k is not shown: some questions have only one trial. Asking for a k names such a question."
        many = f"Max@k is not shown: there are more than {MOST_LEVELS:,} distinct scores. Asking for a k takes a while."
        out.append(few if any(row.trials[0] == 1 for row in rows) else many)
    if len(rows) > 1:
        out.append(
            "Ranks order the averages. They do not say that neighbours differ significantly: compare models before "
            "you choose one."
        )
    return out + different_questions(logs) + incomplete(logs, missing)


def meanings(logs: Mapping[str, Log], questions: str, confidence: float, sources: set[str]) -> list[str]:
    """What intervals with these sources of variance mean."""
    out = [terms.meaning(questions, confidence)]
    if "upper bound" in sources:
        trials = [n[n > 0] for n in (log.counts.trials for log in logs.values()) if n.any()]
        out.append(terms.upper_bound(questions, all(n.max() == 1 for n in trials if n.min() == 1)))
    if "modelled" in sources:
        out.append(terms.modelled())
    if "probit" in sources:
        out.append(terms.probit())
    if questions == "sampled" and any(log.clusters for log in logs.values()):
        out.append(CLUSTERS)
    return out


def different_questions(logs: Mapping[str, Log]) -> list[str]:
    """Whether averages are over different questions."""
    answered = {model: _answered(log) for model, log in logs.items()}
    everything, shared = set().union(*answered.values()), set.intersection(*answered.values()) if answered else set()
    if len(everything) == len(shared):
        return []
    return [
        f"Models answered different questions ({len(everything)} in all, {len(shared)} answered by every model): "
        "their averages are over different questions, so compare models on the questions that they share."
    ]


def _answered(log: Log) -> set[str]:
    return {question for question, n in zip(log.questions, log.counts.trials.tolist(), strict=True) if n}


def incomplete(logs: Mapping[str, Log], missing: str | int, treated: str = "left out") -> list[str]:
    """What the log does not contain, and how that was treated; treated: in words, where it was not counted."""
    out = []
    if skipped := getattr(logs, "skipped", []):
        out.append(f"Not read, because they are not logs: {listed(skipped)}.")
    if unfinished := getattr(logs, "unfinished", []):
        out.append(f"Not finished, so that more is missing than is counted here: {'; '.join(unfinished)}.")
    if several := getattr(logs, "benchmarks", {}):
        out.append(
            f"Pooled over {len(several)} benchmarks ({listed(list(several))}): every question has the same weight. "
            "--task chooses one benchmark; scorio leaderboard shows each and their macro-average."
        )
    out += getattr(logs, "remarks", [])
    out += _scale(getattr(logs, "weights", None), getattr(logs, "seen", False))
    if empty := sum(len(log.counts.empty) for log in logs.values()):
        out.append(f"Left out: {number(empty, 'question')} without a trial.")
    if absent := sum(log.missing for log in logs.values()):
        present = sum(int(log.counts.trials.sum()) for log in logs.values())
        planned = present + (absent if isinstance(missing, str) else 0)
        done = treated if isinstance(missing, str) else f"counted as {missing}"
        out.append(
            f"Missing: {absent:,} of {number(planned, 'outcome')}, {done}. If whether an outcome is missing depends on "
            "how the trial went, every number here is biased."
        )
    return out


def _scale(weights: Sequence[float] | None, seen: bool) -> list[str]:
    """Where the ends of the scale are those that were seen."""
    if not seen or weights is None or (weights[0] == 0.0 and weights[-1] == 1.0):
        return []
    ends = f"{weights[0]:.10g} to {weights[-1]:.10g}"
    return [
        f"Scores run from {ends}, as seen: the interval of each model takes the lowest and the highest of its own "
        "scores as the ends of the scale. --scale LO,HI states them."
    ]
