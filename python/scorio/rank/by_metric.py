"""Ranks of models by every metric of scorio.eval: what the metric takes, and how ties are ranked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .. import arguments, eval
from ..arguments import Policy, Reals
from ..outcomes.models import counted, named, prior
from ..outcomes.tally import Models
from .scores import CONVENTIONS, TOL, by_score

Numbers: TypeAlias = list[Any] | dict[Any, Any]  # one for each model, under the names that the models had
Ranked: TypeAlias = Numbers | tuple[Numbers, Numbers]


def ranked(
    metric: Callable[..., Any],
    R: Models,
    tol: float,
    method: str,
    return_scores: bool,
    missing: Policy,
    R0: Models | None = None,
    **options: Any,
) -> Ranked:
    """The metric of every model, and its ranks."""
    tol = arguments.within(tol, "tol", 0.0, arguments.LARGEST_DOUBLE)
    arguments.choice(method, "method", CONVENTIONS)
    return_scores = arguments.flag(return_scores, "return_scores")
    models = counted(R, options.get("w"), missing, whole=True)
    own = [{} if x is None else {"R0": x} for x in prior(R0, models)]
    both = models._replace(items=list(zip(models.items, own, strict=True)))
    results = both.each(["R", "R0", "k"], lambda x: metric(x[0], missing=missing, **options, **x[1]))
    scores = [x if isinstance(x, float) else x[0] for x in results]
    ranks = named(models.names, getattr(by_score(scores, tol), method))
    return (ranks, named(models.names, scores)) if return_scores else ranks


def bayes(
    R: Models,
    w: Reals | None = None,
    R0: Models | None = None,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Bayes@N, the posterior mean of the score.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    w, R0, missing
        As in :func:`scorio.eval.bayes`; R0 for all models, or for each of them.
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
    >>> rank.bayes({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]})
    {'a': 2, 'b': 1}
    """
    return ranked(eval.bayes, R, tol, method, return_scores, missing, R0=R0, w=w)


def avg(
    R: Models,
    w: Reals | None = None,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by avg@N, the average score.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    w, missing
        As in :func:`scorio.eval.avg`.
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
    >>> rank.avg({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]})
    {'a': 2, 'b': 1}
    """
    return ranked(eval.avg, R, tol, method, return_scores, missing, w=w)


def pass_at_k(
    R: Models,
    k: int,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Pass@k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, missing
        As in :func:`scorio.eval.pass_at_k`.
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
    >>> rank.pass_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.pass_at_k, R, tol, method, return_scores, missing, k=k)


def pass_hat_k(
    R: Models,
    k: int,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Pass^k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, missing
        As in :func:`scorio.eval.pass_hat_k`.
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
    >>> rank.pass_hat_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.pass_hat_k, R, tol, method, return_scores, missing, k=k)


unanimous_at_k = g_pass_at_k = pass_hat_k


def g_pass_at_k_tau(
    R: Models,
    k: int,
    tau: float,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by G-Pass@k_tau.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, tau, missing
        As in :func:`scorio.eval.g_pass_at_k_tau`.
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
    >>> rank.g_pass_at_k_tau({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2, 0.9)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.g_pass_at_k_tau, R, tol, method, return_scores, missing, k=k, tau=tau)


def mg_pass_at_k(
    R: Models,
    k: int,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by mG-Pass@k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, missing
        As in :func:`scorio.eval.mg_pass_at_k`.
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
    >>> rank.mg_pass_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.mg_pass_at_k, R, tol, method, return_scores, missing, k=k)


def maj_at_k(
    R: Models,
    k: int,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Maj@k of binary outcomes.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, missing
        As in :func:`scorio.eval.maj_at_k`.
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
    >>> rank.maj_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.maj_at_k, R, tol, method, return_scores, missing, k=k)


def auc_at_k(
    R: Models,
    k: int,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by AUC@k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, missing
        As in :func:`scorio.eval.auc_at_k`.
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
    >>> rank.auc_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.auc_at_k, R, tol, method, return_scores, missing, k=k)


def max_at_k(
    R: Models,
    k: int,
    w: Reals | None = None,
    *,
    missing: Policy = "raise",
    tol: float = TOL,
    method: str = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Max@k.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    k, w, missing
        As in :func:`scorio.eval.max_at_k`.
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
    >>> rank.max_at_k({"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}, 2)
    {'a': 2, 'b': 1}
    """
    return ranked(eval.max_at_k, R, tol, method, return_scores, missing, k=k, w=w)
