"""Ranks of models by each metric of counts in scorio.eval, with the metric's arguments and a convention for ties."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, SupportsIndex, Unpack, cast

from .. import arguments, eval
from ..arguments import Missing, Reals
from ..errors import InvalidInput
from ..eval.spectra import LAM
from ..outcomes.models import count_models, named, prior_outcomes
from ..outcomes.tally import Models
from ..results import Convention
from .scores import CONVENTIONS, RANKS, SCORES, TOL, A, P, Q, Ranked, Ranking, Ties, by_score

SECTIONS = """

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of names to any form of R.
    {parameters}
        As in :func:`scorio.eval.{name}`{prior}.
    tol, method, return_scores
        Convention for ties, and whether to return the scores too: see :mod:`scorio.rank`.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        As the metric raises; shape: fewer than two models, or models with different numbers of questions.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.{name}({{"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}}{example})
    {{'a': 2, 'b': 1}}
    """


def ranked(
    metric: Callable[..., Any],
    R: Models,
    *,
    missing: Missing = "raise",
    tol: float = TOL,
    method: Convention = "competition",
    return_scores: bool = False,
    R0: Models | None = None,
    lower_is_better: bool = False,
    **options: Any,
) -> Ranked:
    """Ranks of models by a metric; with return_scores, a pair (ranks, scores)."""
    tol = arguments.within(tol, "tol", 0.0, arguments.LARGEST_DOUBLE)
    arguments.choice(method, "method", CONVENTIONS)
    return_scores = arguments.flag(return_scores, "return_scores")
    models = count_models(R, options.get("w"), missing, all_answered=True)
    priors = [{} if x is None else {"R0": x} for x in prior_outcomes(R0, models)]
    with_priors = models._replace(items=list(zip(models.items, priors, strict=True)))
    results = with_priors.each(["R", "R0", "k"], lambda x: metric(x[0], missing=missing, **options, **x[1]))
    scores = [x if isinstance(x, float) else x[0] for x in results]  # x[0]: mu, of a metric with an uncertainty
    ranks = named(models.names, getattr(by_score([-x for x in scores] if lower_is_better else scores, tol), method))
    return (ranks, named(models.names, scores)) if return_scores else ranks


TIE_OPTIONS = [signature(ranked).parameters[x] for x in ("missing", "tol", "method", "return_scores")]


def ranking(
    ranks: Callable[P, None], scores: Callable[Q, None], example: str = ""
) -> Callable[[Callable[Concatenate[Models, A], Ranked]], Ranking[P, Q, A]]:
    """Add what all rankings share: the options of ties in the signature, their check, and sections of the docstring.

    ranks, scores: its arguments after R where it returns ranks, or a pair; example: those of the example.
    """

    def add(f: Callable[Concatenate[Models, A], Ranked]) -> Ranking[P, Q, A]:
        *own, _ = signature(f).parameters.values()
        every = signature(f).replace(parameters=[*own, *TIE_OPTIONS])

        @wraps(f)
        def checked(*args: Any, **options: Any) -> Ranked:
            for x in args[1:]:
                if isinstance(x, str) and x in CONVENTIONS:
                    raise InvalidInput("type", "method", f"method is given by name: write method={x!r}")
            for name in (x for x in options if x not in every.parameters):
                raise TypeError(f"{f.__name__}() got an unexpected keyword argument {name!r}")
            return f(*args, **options)

        parameters = [x for x in every.parameters if x not in ("R", "tol", "method", "return_scores")]
        prior = "; R0 for all models, or one for each model" if "R0" in parameters else ""
        checked.__signature__ = every  # type: ignore[attr-defined]
        checked.__annotations__ = {x.name: x.annotation for x in every.parameters.values()} | {"return": "Ranked"}
        checked.__doc__ = f"{f.__doc__}{SECTIONS}".format(
            parameters=", ".join(parameters), name=f.__name__, prior=prior, example=example
        )
        return cast(Ranking[P, Q, A], checked)

    return add


@ranking(RANKS.of_w_and_R0, SCORES.of_w_and_R0)
def bayes(R: Models, w: Reals | None = None, R0: Models | None = None, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by Bayes@N, the posterior mean of the score."""
    return ranked(eval.bayes, R, R0=R0, w=w, **ties)


@ranking(RANKS.of_w, SCORES.of_w)
def avg(R: Models, w: Reals | None = None, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by avg@N, the average score."""
    return ranked(eval.avg, R, w=w, **ties)


@ranking(RANKS.of_k, SCORES.of_k, ", 2")
def pass_at_k(R: Models, k: SupportsIndex, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by Pass@k."""
    return ranked(eval.pass_at_k, R, k=k, **ties)


@ranking(RANKS.of_k, SCORES.of_k, ", 2")
def pass_hat_k(R: Models, k: SupportsIndex, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by Pass^k."""
    return ranked(eval.pass_hat_k, R, k=k, **ties)


unanimous_at_k = g_pass_at_k = pass_hat_k


@ranking(RANKS.of_k_and_tau, SCORES.of_k_and_tau, ", 2, 0.9")
def g_pass_at_k_tau(R: Models, k: SupportsIndex, tau: float, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by G-Pass@k_tau."""
    return ranked(eval.g_pass_at_k_tau, R, k=k, tau=tau, **ties)


@ranking(RANKS.of_k, SCORES.of_k, ", 2")
def mg_pass_at_k(R: Models, k: SupportsIndex, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by mG-Pass@k."""
    return ranked(eval.mg_pass_at_k, R, k=k, **ties)


@ranking(RANKS.of_k, SCORES.of_k, ", 2")
def maj_at_k(R: Models, k: SupportsIndex, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by Maj@k of binary outcomes."""
    return ranked(eval.maj_at_k, R, k=k, **ties)


@ranking(RANKS.of_k, SCORES.of_k, ", 2")
def auc_at_k(R: Models, k: SupportsIndex, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by AUC@k."""
    return ranked(eval.auc_at_k, R, k=k, **ties)


@ranking(RANKS.of_models, SCORES.of_models)
def flip_rate(R: Models, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by their flip rate, the lowest first."""
    return ranked(eval.flip_rate, R, lower_is_better=True, **ties)


@ranking(RANKS.of_k_and_w, SCORES.of_k_and_w, ", 2")
def max_at_k(R: Models, k: SupportsIndex, w: Reals | None = None, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by Max@k."""
    return ranked(eval.max_at_k, R, k=k, w=w, **ties)


@ranking(RANKS.of_k_and_weights, SCORES.of_k_and_weights, ", 2, weights=[0.5, 0.5]")
def threshold_spectrum_at_k(R: Models, k: SupportsIndex, weights: Reals, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by a threshold spectrum."""
    return ranked(eval.threshold_spectrum_at_k, R, k=k, weights=weights, **ties)


@ranking(RANKS.of_k_and_powers, SCORES.of_k_and_powers, ", 2")
def geom_at_k(
    R: Models, k: SupportsIndex, pass_power: float = 0.5, unanimous_power: float = 0.5, **ties: Unpack[Ties]
) -> Ranked:
    """Ranks of models by Geom@k, computed per question and averaged."""
    return ranked(eval.geom_at_k, R, k=k, pass_power=pass_power, unanimous_power=unanimous_power, **ties)


@ranking(RANKS.of_k_and_powers, SCORES.of_k_and_powers, ", 2")
def geom_ds_at_k(
    R: Models, k: SupportsIndex, pass_power: float = 0.5, unanimous_power: float = 0.5, **ties: Unpack[Ties]
) -> Ranked:
    """Ranks of models by the dataset-level Geom@k."""
    return ranked(eval.geom_ds_at_k, R, k=k, pass_power=pass_power, unanimous_power=unanimous_power, **ties)


@ranking(RANKS.of_k_and_lam, SCORES.of_k_and_lam, ", 2")
def geo_spectrum_at_k(
    R: Models,
    k: SupportsIndex,
    lam: float = LAM,
    weights: Reals | None = None,
    lambda_: float | None = None,
    **ties: Unpack[Ties],
) -> Ranked:
    """Ranks of models by GeoSpectrum@k."""
    return ranked(eval.geo_spectrum_at_k, R, k=k, lam=lam, weights=weights, lambda_=lambda_, **ties)


@ranking(RANKS.of_k, SCORES.of_k, ", 2")
def geo_spectrum_star_at_k(R: Models, k: SupportsIndex, **ties: Unpack[Ties]) -> Ranked:
    """Ranks of models by GeoSpectrum*@k."""
    return ranked(eval.geo_spectrum_star_at_k, R, k=k, **ties)
