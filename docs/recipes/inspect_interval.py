"""An interval as a metric of inspect_ai: ``@scorer(metrics=[mean(), interval(epochs=4)])``.

Metrics see a score for each sample, the mean of its epochs: epochs says how many there were.
"""

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from scorio import Counts, eval


@metric
def interval(epochs: int = 1, questions: str = "sampled", confidence: float = 0.95) -> Metric:
    """The mean of right and wrong answers with its standard error and its confidence interval."""
    number = value_to_float()

    def compute(scores: list[SampleScore]) -> Value:
        right = [round(number(x.score.value) * epochs) for x in scores]
        counts = Counts.from_successes(right, [epochs] * len(right))
        x = eval.interval(counts, "mean", questions=questions, confidence=confidence)
        return {"mean": x.mu, "stderr": x.sigma, "lo": x.lo, "hi": x.hi}

    return compute
