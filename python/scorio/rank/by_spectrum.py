"""Ranks of models by threshold spectra and geometric blends of scorio.eval; as by_metric for the other metrics."""

from __future__ import annotations

from .. import eval
from ..arguments import Policy, Reals
from ..eval.spectra import LAM
from ..outcomes.tally import Models
from .by_metric import Ranked, ranked
from .scores import TOL


def threshold_spectrum_at_k(
    R: Models,
    k: int,
    weights: Reals,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by a threshold spectrum.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, weights, missing
        As in :func:`scorio.eval.threshold_spectrum_at_k`.
    tol, method, return_scores
        How ties are ranked, and whether the scores are returned too: see :mod:`scorio.rank`.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        What the metric raises; shape: fewer than two models, or other numbers of questions.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.threshold_spectrum_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2, weights=[0.5, 0.5])
    {'a': 2, 'b': 1}
    """
    return ranked(eval.threshold_spectrum_at_k, R, tol, method, return_scores, missing, k=k, weights=weights)


def geom_at_k(
    R: Models,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Geom@k, question by question.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, pass_power, unanimous_power, missing
        As in :func:`scorio.eval.geom_at_k`.
    tol, method, return_scores
        How ties are ranked, and whether the scores are returned too: see :mod:`scorio.rank`.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        What the metric raises; shape: fewer than two models, or other numbers of questions.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.geom_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    given = {"k": k, "pass_power": pass_power, "unanimous_power": unanimous_power}
    return ranked(eval.geom_at_k, R, tol, method, return_scores, missing, **given)


def geom_ds_at_k(
    R: Models,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Geom@k of the dataset's Pass@k and Pass^k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, pass_power, unanimous_power, missing
        As in :func:`scorio.eval.geom_ds_at_k`.
    tol, method, return_scores
        How ties are ranked, and whether the scores are returned too: see :mod:`scorio.rank`.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        What the metric raises; shape: fewer than two models, or other numbers of questions.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.geom_ds_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    given = {"k": k, "pass_power": pass_power, "unanimous_power": unanimous_power}
    return ranked(eval.geom_ds_at_k, R, tol, method, return_scores, missing, **given)


def geo_spectrum_at_k(
    R: Models,
    k: int,
    lam: float = LAM,
    weights: Reals | None = None,
    lambda_: float | None = None,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by GeoSpectrum@k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, lam, weights, lambda_, missing
        As in :func:`scorio.eval.geo_spectrum_at_k`.
    tol, method, return_scores
        How ties are ranked, and whether the scores are returned too: see :mod:`scorio.rank`.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        What the metric raises; shape: fewer than two models, or other numbers of questions.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.geo_spectrum_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    given = {"k": k, "lam": lam, "weights": weights, "lambda_": lambda_}
    return ranked(eval.geo_spectrum_at_k, R, tol, method, return_scores, missing, **given)


def geo_spectrum_star_at_k(
    R: Models,
    k: int,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by GeoSpectrum*@k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, missing
        As in :func:`scorio.eval.geo_spectrum_star_at_k`.
    tol, method, return_scores
        How ties are ranked, and whether the scores are returned too: see :mod:`scorio.rank`.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        What the metric raises; shape: fewer than two models, or other numbers of questions.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.geo_spectrum_star_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.geo_spectrum_star_at_k, R, tol, method, return_scores, missing, k=k)
