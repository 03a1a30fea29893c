"""Metrics of an outcome matrix R: M questions, N trials each, entries 0..C.

Outcomes are anything that :func:`scorio.tally` reads, or a :class:`scorio.Counts` (:class:`scorio.Answers` and
:class:`scorio.ScoredTrials` for votes and Best-of-k; matrices of ratings for raters and judges); the keyword
``missing`` says what to do with missing outcomes ("raise", "drop", or a category to count them as; in :func:`interval`
and :func:`mean_ci` also "bounds").
Invalid input raises :class:`scorio.InvalidInput`. Results are correctly rounded (``spec/README.md`` lists the few
exceptions), and so the same 64 bits in Python and Julia. The formulas, their sources, and the decisions where these
leave something open are in ``spec/``.

To state how good a model is and how uncertain that is, use :func:`interval`, or :func:`mean_ci` for the mean. Both
have nearly nominal coverage, and no prior on the questions. The other ``*_ci`` functions give every question a prior of
its own (uniform unless stated), which moves every question's estimate towards the middle of the scale (in ``avg_ci`` it
only widens the interval); these errors do not average out over questions. Use them to reproduce the paper, for ranking,
for rubrics and with prior evidence.
"""

from .agreement import agreement, cohen_kappa, judged, label_check
from .bayes import avg, avg_ci, bayes, bayes_ci
from .extrapolation import extrapolate, extrapolate_model
from .geom import geom_at_k, geom_at_k_ci, geom_ds_at_k, geom_ds_at_k_ci
from .intervals import interval, mean_ci
from .max_k import best_of_k, max_at_k, max_at_k_ci, plurality_at_k
from .pass_k import (
    flip_rate,
    flip_rate_ci,
    g_pass_at_k,
    g_pass_at_k_ci,
    pass_at_k,
    pass_at_k_ci,
    pass_hat_k,
    pass_hat_k_ci,
    unanimous_at_k,
    unanimous_at_k_ci,
)
from .spectra import (
    geo_spectrum_at_k,
    geo_spectrum_at_k_ci,
    geo_spectrum_star_at_k,
    geo_spectrum_star_at_k_ci,
    threshold_spectrum_at_k,
    threshold_spectrum_at_k_ci,
)
from .thresholds import (
    auc_at_k,
    auc_at_k_ci,
    g_pass_at_k_tau,
    g_pass_at_k_tau_ci,
    maj_at_k,
    maj_at_k_ci,
    mg_pass_at_k,
    mg_pass_at_k_ci,
)

__all__ = [
    "agreement", "auc_at_k", "auc_at_k_ci", "avg", "avg_ci", "bayes", "bayes_ci", "best_of_k", "cohen_kappa",
    "extrapolate", "extrapolate_model", "flip_rate", "flip_rate_ci", "g_pass_at_k", "g_pass_at_k_ci", "g_pass_at_k_tau",
    "g_pass_at_k_tau_ci", "geo_spectrum_at_k", "geo_spectrum_at_k_ci", "geo_spectrum_star_at_k",
    "geo_spectrum_star_at_k_ci", "geom_at_k", "geom_at_k_ci", "geom_ds_at_k", "geom_ds_at_k_ci", "interval", "judged",
    "label_check", "maj_at_k", "maj_at_k_ci", "max_at_k", "max_at_k_ci", "mean_ci", "mg_pass_at_k", "mg_pass_at_k_ci",
    "pass_at_k", "pass_at_k_ci", "pass_hat_k", "pass_hat_k_ci", "plurality_at_k", "threshold_spectrum_at_k",
    "threshold_spectrum_at_k_ci", "unanimous_at_k", "unanimous_at_k_ci",
]  # fmt: skip
