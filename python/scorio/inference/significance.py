"""Rules for the separation of two estimates (mu, sigma), shared by ties in rankings and stopping.

By a rule named zscore or zscore_adjacent the z-score of the difference decides, by one named ci_overlap or
ci_overlap_adjacent whether the intervals overlap.
"""

from __future__ import annotations

from collections.abc import Callable

from ..arithmetic.distributions import normal_z, one_sided_z
from ..arithmetic.double_double import Triple, add, ext, mul, root, sub

Gap = Callable[[float, float, float, float], Triple]


def standard_error(s: float, t: float) -> Triple:
    """Standard error of a difference: sqrt(s^2 + t^2)."""
    a, b = ext(s), ext(t)
    x: Triple = root(add(mul(a, a), mul(b, b)))
    return x


def gap_of(rule: str, confidence: float) -> Gap:
    """Function of x, s, y, t (estimates x and y, standard errors s and t): x - y minus the required distance."""
    if rule.startswith("zscore"):
        z = one_sided_z(confidence)
        return lambda x, s, y, t: sub(sub(ext(x), ext(y)), mul(z, standard_error(s, t)))
    z = normal_z(confidence)
    return lambda x, s, y, t: sub(sub(ext(x), ext(y)), mul(z, add(ext(s), ext(t))))


def separated(rule: str, gap: Triple) -> bool:
    """Whether a gap separates two estimates: |z| at its threshold does, intervals that touch do not."""
    return gap[0] > 0.0 or (gap[0] == 0.0 and rule.startswith("zscore"))
