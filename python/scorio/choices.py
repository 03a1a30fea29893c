"""Types of arguments that are one of a few texts: a type checker then finds a misspelt one."""

from typing import Literal, TypeAlias

# names and aliases of metrics; "pass@4" for "pass@k" with k = 4 is accepted too, but no type can list all numbers
MetricName: TypeAlias = Literal[
    "mean", "avg", "pass_at_k", "pass@k", "pass_hat_k", "pass^k", "maj_at_k", "maj@k", "mg_pass_at_k", "mg-pass@k",
    "auc_at_k", "auc@k", "g_pass_at_k_tau", "g-pass@k", "max_at_k", "max@k", "flip_rate", "flip-rate",
    "plurality_at_k", "plurality@k", "strict_plurality_at_k", "strict-plurality@k", "best_of_k", "best-of-k",
    "bayes", "naive_pass_hat_k",
]  # fmt: skip
RateModel: TypeAlias = Literal["mixture"] | None  # what estimates the variance of questions with fewer than 2k trials
Correction: TypeAlias = Literal["holm"] | None
Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
Rule: TypeAlias = Literal["mean", "each"]
Shape: TypeAlias = Literal["wilson", "beta"]
Scheme: TypeAlias = Literal["original", "columns", "rows"]
Resampling: TypeAlias = Literal["columns", "rows"]
JudgeTarget: TypeAlias = Literal["fixed", "sampled", "outputs"]
LabelDesign: TypeAlias = Literal["random", "balanced", "neyman"]
Separation: TypeAlias = Literal["zscore", "ci_overlap"]
VoteTies: TypeAlias = Literal["even", "none"]
Convention: TypeAlias = Literal["competition", "competition_max", "dense", "average"]
WholeRanks: TypeAlias = Literal["competition", "competition_max", "dense"]  # conventions under which ranks are integers
ScoreTies: TypeAlias = Literal["zscore_adjacent", "ci_overlap_adjacent"]
EloTies: TypeAlias = Literal["correct_draw_only", "draw", "skip"]
BattleTies: TypeAlias = Literal["half", "davidson", "rao_kupper"]
BothBad: TypeAlias = Literal["tie", "drop"]
BattleClusters: TypeAlias = Literal["question", "voter", "both"]
