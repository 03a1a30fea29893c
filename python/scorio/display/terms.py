"""Terms of results, each defined once: levels, marks, and the scope of intervals."""

from __future__ import annotations

# the mark of an interval, by how its variance was obtained
MARKS = {"measured": "", "modelled": "~", "probit": "~", "upper bound": "*"}
MACRO = "macro-average"  # the plain mean over benchmarks
SCOPE = {"fixed": "this question set", "sampled": "the population of similar questions"}
ON = {"fixed": "on these questions", "sampled": "on similar questions"}
OF_RUNS = {
    "sampled": "the runs of all models of the log give the variance, as far as they differ alike",
    "shared": "the model's own runs give the variance, since they are the same for all models",
}
IN_RUNS = {"sampled": ", in similar runs", "shared": ", in similar runs of all models"}
# the variance that an interval accounts for
SOURCES = {"fixed": "trial-to-trial variance", "sampled": "trial-to-trial and question-sampling variance"}


def scope(questions: str, runs: str = "") -> str:
    """The questions that a result is about, and the runs if these are sampled."""
    return SCOPE[questions] + IN_RUNS.get(runs, "")


def on(questions: str, runs: str = "") -> str:
    """The scope of a statement: on these questions, in similar runs."""
    return ON[questions] + IN_RUNS.get(runs, "")


def level(p: float) -> str:
    """A level as a percentage, which is 100% only for 1.

    Examples
    --------
    >>> from scorio.display import terms
    >>> terms.level(0.95), terms.level(0.999), terms.level(0.9999999999999999)
    ('95%', '99.9%', '99.99999999999999%')
    """
    text = f"{100 * p:.10g}"
    return f"{100 * p if text == '100' and p < 1.0 else text}%"


def interval(confidence: float) -> str:
    """The term for an interval of this level: 95% CI."""
    return f"{level(confidence)} CI"


def alpha(confidence: float) -> str:
    """The significance level of a test at this confidence: 5% for 0.95."""
    return level(1.0 - confidence)


def p_value(p: float) -> str:
    """A p-value as text: p = 0.031, p < 0.0001.

    Examples
    --------
    >>> from scorio.display import terms
    >>> terms.p_value(0.03141), terms.p_value(0.2), terms.p_value(2e-9)
    ('p = 0.031', 'p = 0.20', 'p < 0.0001')
    """
    if p < 1e-4:
        return "p < 0.0001"
    return f"p = {p:.2f}" if p >= 0.0995 else f"p = {p:.2g}"  # .2g would turn 0.0995 to 0.0999 into 0.1, not 0.10


def marked(text: str, mark: str) -> str:
    """A text followed by a mark, if there is one."""
    return f"{text} {mark}" if mark else text


def meaning(questions: str, confidence: float, runs: str = "") -> str:
    """The meaning of an interval for "fixed" or "sampled" questions and runs, in two or three sentences."""
    name = interval(confidence)
    if runs in IN_RUNS:
        return (
            f"{name} for {SCOPE[questions]} and for runs like these ({questions}, runs): a range that covers, in about "
            f"{level(confidence)} of evaluations, the expected score of another run. It accounts for "
            f"{SOURCES[questions]}, and for the differences between runs (passes over the benchmark, with their seed, "
            f"server or prompt), of which {OF_RUNS[runs]}."
        )
    if questions == "fixed":
        return (
            f"{name} for {SCOPE['fixed']} (fixed): a range that covers, in about {level(confidence)} of evaluations, "
            f"the expected score on these exact questions, if trials of a question are independent. It accounts for "
            f"{SOURCES['fixed']}, not for question-sampling variance; those on similar questions (sampled) do. Where "
            "whole runs differ by 1 to 2 points (another seed, server or prompt) 95% intervals covered in 66% to 91% "
            "(--runs sampled)."
        )
    return (
        f"{name} for {SCOPE['sampled']} (sampled): a range that covers, in about {level(confidence)} of evaluations, "
        f"the expected score over that population. It accounts for {SOURCES['sampled']}."
    )


def modelled() -> str:
    """The meaning of the mark ~ for a metric with fewer than 2k trials."""
    return (
        f"{MARKS['modelled']} modelled: with fewer than 2k trials per question the {SOURCES['fixed']} at k "
        "cannot be measured. It comes from a mixture of success rates fitted to all questions with as many trials "
        "(nonparametric maximum likelihood); with 2k trials per question it would be measured."
    )


def probit() -> str:
    """The meaning of the mark ~ for a vote with fewer than 2k trials."""
    return (
        f"{MARKS['probit']} probit: with fewer than 2k trials per question the {SOURCES['fixed']} of a vote of k "
        "cannot be measured. It comes from a probit model of each question's vote, and is too small where on most "
        "questions one wrong answer is as frequent as the right one; with 2k trials per question it "
        "would be measured."
    )


def upper_bound(questions: str, all_single: bool) -> str:
    """The meaning of the mark *; all_single: whether all questions, or only some, have a single trial."""
    mark = f"{MARKS['upper bound']} upper bound: "
    if questions == "sampled":
        return f"{mark}a single question cannot measure the question-sampling variance. More questions are needed."
    if all_single:
        return (
            f"{mark}one trial per question cannot measure the {SOURCES['fixed']}, so an upper bound of it is used. "
            "A second trial of each question would measure it."
        )
    return (
        f"{mark}some questions have one trial, which cannot measure their {SOURCES['fixed']}, so an upper bound of it "
        "is used. A second trial of these questions would measure it."
    )


MEANINGS = {
    "modelled": "mixture of success rates, fewer than 2k trials",
    "probit": "probit model, fewer than 2k trials",
    "upper bound": "upper bound of the variance",
}  # what a mark says about the variance


def legend(source: str) -> str:
    """A mark and its meaning in a few words."""
    return f"{MARKS[source]} {MEANINGS[source]}"
