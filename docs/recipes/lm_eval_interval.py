"""The ends of an interval as aggregations of lm-evaluation-harness, for the metrics of a task of your own.

In the YAML of the task, beside this file:

    process_results: !function lm_eval_interval.graded
    metric_list:
      - {metric: acc, aggregation: mean, higher_is_better: true}
      - {metric: acc_lo, aggregation: !function lm_eval_interval.lo, higher_is_better: true}
      - {metric: acc_hi, aggregation: !function lm_eval_interval.hi, higher_is_better: true}
"""

from scorio import Counts, eval


def graded(doc, results):
    """One outcome, under the name of each metric."""
    right = int(results[0].strip() == doc["answer"])
    return {"acc": right, "acc_lo": right, "acc_hi": right}


def lo(outcomes):
    """The lower end of the 95% interval of the mean, for the population of similar questions."""
    return interval(outcomes).lo


def hi(outcomes):
    """The upper end."""
    return interval(outcomes).hi


def interval(outcomes):
    """Of 0 and 1, one for each document."""
    return eval.interval(Counts.from_successes(outcomes, [1] * len(outcomes)), "mean", questions="sampled")
