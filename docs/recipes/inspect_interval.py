"""An interval as a metric of inspect_ai: ``@scorer(metrics=[mean(), interval()])``.

It sees every epoch of every sample, so that the trials of each sample are counted, however many there were: a run that
was stopped early has unequal numbers of them.
"""

from collections import Counter

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from scorio import Counts, eval


@metric(scores="unreduced")
def interval(questions: str = "sampled", confidence: float = 0.95) -> Metric:
    """The mean of right and wrong answers with its standard error and its confidence interval."""
    number = value_to_float()

    def compute(scores: list[SampleScore]) -> Value:
        trials = Counter(x.sample_id for x in scores)
        right = Counter(x.sample_id for x in scores if number(x.score.value) == 1)
        counts = Counts.from_successes([right[x] for x in trials], list(trials.values()))
        x = eval.interval(counts, "mean", questions=questions, confidence=confidence)
        return {"mean": x.mu, "stderr": x.sigma, "lo": x.lo, "hi": x.hi}

    return compute
