"""A ranking by every metric of eval: one path, from the outcomes of many models to their ranks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .. import arguments, eval
from ..outcomes.models import counted, named, prior
from .scores import CONVENTIONS, TOL, by_score

DOC = """Ranks of models by {name}.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    {others}
        As in :func:`scorio.eval.{name}`{R0}.
    tol : float >= 0
        Scores at most this far below the best of their group tie with it.
    method : {{"competition", "competition_max", "dense", "average"}}
        Convention for ties, as in :func:`rank_scores`.
    return_scores : bool
        Also the scores.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, scores).

    Raises
    ------
    InvalidInput
        What :func:`scorio.eval.{name}` raises; shape: fewer than two models, or other numbers of questions.

    Notes
    -----
    Nothing here says whether neighbours differ by more than noise: see :func:`ranges`.

    Examples
    --------
    >>> from scorio import rank
    >>> R = {{"a": [[0, 1, 0], [0, 1, 1]], "b": [[1, 1, 1], [0, 1, 1]]}}
    >>> rank.{name}(R{example})
    {{'a': 2, 'b': 1}}
    """
EXAMPLES = {"bayes": "", "avg": "", "g_pass_at_k_tau": ", 2, 0.9", "threshold_spectrum_at_k": ", 2, weights=[0.5, 0.5]"}
OWN = (("tol", TOL), ("method", "competition"), ("return_scores", False))


def ranked(metric: Callable[..., Any]) -> Callable[..., Any]:
    """The function that ranks models by a metric; it takes what the metric takes."""
    signature, name = inspect.signature(metric), metric.__name__

    def rank(*args: Any, **kwargs: Any) -> Any:
        try:
            given = full.bind(*args, **kwargs)
        except TypeError as e:
            raise TypeError(f"{name}(): {e}") from None
        given.apply_defaults()
        options = dict(given.arguments)
        R, R0 = options.pop("R"), options.pop("R0", None)
        tol, method, return_scores = (options.pop(p) for p, _ in OWN)
        tol = arguments.within(tol, "tol", 0.0, arguments.LARGEST_DOUBLE)
        arguments.choice(method, "method", CONVENTIONS)
        return_scores = arguments.flag(return_scores, "return_scores")
        models = counted(R, options.get("w"), options["missing"], whole=True)
        extra = [{} if x is None else {"R0": x} for x in prior(R0, models)]
        both = models._replace(items=list(zip(models.items, extra, strict=True)))
        results = both.each(["R", "R0", "k"], lambda x: metric(x[0], **options, **x[1]))
        scores = [x if isinstance(x, float) else x[0] for x in results]
        ranks = named(models.names, getattr(by_score(scores, tol), method))
        return (ranks, named(models.names, scores)) if return_scores else ranks

    parameters = [p.replace(annotation=Any) if n == "R" else p for n, p in signature.parameters.items()]
    parameters += [inspect.Parameter(p, inspect.Parameter.KEYWORD_ONLY, default=x) for p, x in OWN]
    full = signature.replace(parameters=parameters, return_annotation=Any)
    rank.__name__ = rank.__qualname__ = name
    rank.__signature__ = full  # type: ignore[attr-defined]
    others = ", ".join(p for p in signature.parameters if p != "R")
    R0 = "; R0 for all models, or for each of them" if "R0" in signature.parameters else ""
    rank.__doc__ = DOC.format(name=name, others=others, R0=R0, example=EXAMPLES.get(name, ", 2"))
    return rank


bayes = ranked(eval.bayes)
avg = ranked(eval.avg)
pass_at_k = ranked(eval.pass_at_k)
unanimous_at_k = g_pass_at_k = pass_hat_k = ranked(eval.pass_hat_k)
g_pass_at_k_tau = ranked(eval.g_pass_at_k_tau)
mg_pass_at_k = ranked(eval.mg_pass_at_k)
maj_at_k = ranked(eval.maj_at_k)
auc_at_k = ranked(eval.auc_at_k)
max_at_k = ranked(eval.max_at_k)
threshold_spectrum_at_k = ranked(eval.threshold_spectrum_at_k)
geom_at_k = ranked(eval.geom_at_k)
geom_ds_at_k = ranked(eval.geom_ds_at_k)
geo_spectrum_at_k = ranked(eval.geo_spectrum_at_k)
geo_spectrum_star_at_k = ranked(eval.geo_spectrum_star_at_k)
