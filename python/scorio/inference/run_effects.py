"""The variance that differences between runs add to an estimate, the argument `runs`: spec/families/runs.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

from .. import arguments
from ..arithmetic.distributions import beta_cdf
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, ext, mul, sub, value
from ..arithmetic.rational import from_fraction
from ..errors import InvalidInput, shown
from ..outcomes.answers import Detailed
from ..outcomes.by_run import ByRun, by_run
from ..outcomes.counts import Counts
from .degrees_of_freedom import MOST, smaller
from .runs import Ratio, RunTerms, check_runs, have_common_runs, of_difference, pooled, terms
from .variance import larger

LARGER = ext(1.25)  # the df of a difference may be above those of the runs behind it, which count twice
LARGEST = 1e300  # largest ratio and degrees of freedom
# P(F >= ratio of some models over that of the others) from which the others begin to count, and count in full
APART, ALIKE = Fraction(1, 10), Fraction(1, 2)


class WithRuns(NamedTuple):
    """A variance with that over runs, and its degrees of freedom; V is ZERO where runs add nothing."""

    V: Triple
    freedom: Triple


NO_RUNS = WithRuns(ZERO, ZERO)


class Dispersion(NamedTuple):
    """The ratio of variances, and its degrees of freedom: what the argument `runs` adds to a variance."""

    ratio: Triple
    freedom: Triple

    @property
    def excess(self) -> Triple:
        """The ratio less 1, at least 0."""
        x = sub(self.ratio, ONE)
        return x if x[0] > 0.0 else ZERO

    def with_runs(self, V: Triple, freedom: Triple, over_trials: Triple | None = None) -> WithRuns | None:
        """The variance V with that over runs, and its degrees of freedom; None if it is 0.

        freedom: of V, ZERO: none; over_trials: the part of V over trials, None: all of it, or it is not identified.
        """
        of_runs = mul(self.ratio, V if over_trials is None else over_trials)
        total = of_runs if over_trials is None else add(of_runs, larger(sub(V, over_trials), ZERO))
        if not total[0]:
            return None
        V = smaller(V, total)  # no part counts for more than the total, so that 1 / df is at most the sum of both
        denominator = div(mul(of_runs, of_runs), self.freedom)
        if freedom[0]:
            denominator = add(denominator, div(mul(V, V), freedom))
        return WithRuns(total, smaller(div(mul(total, total), denominator), MOST))

    def about(self, *models: int) -> Dispersion:
        """That of a statement about these models: of every statement the same."""
        return self

    def over(self, *parts: Triple) -> Dispersion:
        """That of a difference, of which both models have these parts."""
        return self

    def unit(self, *units: Triple) -> Triple:
        """1 over the number of independent trials, given that of each model without regard to runs."""
        return mul(reduce(larger, units), add(ONE, self.excess))


class OfTwo(NamedTuple):
    """The dispersions of two models whose runs differ, each by itself, and the largest df of their difference."""

    first: Dispersion
    second: Dispersion
    most: Triple

    def over(self, V: Triple, W: Triple) -> Dispersion:
        """That of their difference; V, W: the parts of both in its variance over trials, or in proportion to it."""
        (x, f), (y, g), most = self
        v, w = mul(V, x), mul(W, y)
        total = add(v, w)
        if not total[0]:
            return self.first
        freedom = div(mul(total, total), add(div(mul(v, v), f), div(mul(w, w), g)))
        return Dispersion(x if x == y else div(total, add(V, W)), smaller(smaller(freedom, most), MOST))

    def unit(self, *units: Triple) -> Triple:
        """1 over the number of independent trials, given that of each model without regard to runs."""
        return reduce(larger, (x.unit(unit) for x, unit in zip(self[:2], units, strict=True)))


class RunEffects:
    """The runs of the models of a call, from which each statement about one or two of them has its ratio.

    each : the terms of the models that count.
    models : the models of the call, in its order, as `each` has them: others are pooled with them.
    shared : whether runs are the same for all models, as prompts and sessions are.
    unknown : the number of runs with a trial less 1, summed over models: the df where no model counts.
    """

    def __init__(self, each: Mapping[Any, RunTerms], models: Sequence[Any], shared: bool, unknown: int = 1) -> None:
        self.each, self.models, self.shared = each, models, shared
        self.all = pooled(each.values()) if each else (Fraction(1), Fraction(unknown))
        self.known: dict[Any, Dispersion] = {}  # of single models

    def of(self, models: Sequence[Any], shared: bool) -> RunEffects:
        """The runs of a call on these models."""
        out = copy(self)
        out.models, out.shared = models, shared
        return out

    def about(self, *models: int) -> Dispersion | OfTwo:
        """The ratio of variances of a statement about these models of the call, and its degrees of freedom."""
        own = [x for x in (self.models[i] for i in models) if x in self.each]
        if not own:
            return dispersion_of(self.all)
        terms = [self.each[x] for x in own]
        if self.shared and have_common_runs(terms):
            return dispersion_of(of_difference(terms))
        each = [self.of_model(x) for x in own]
        if len(each) == 1:
            return each[0]
        df = ext(value(from_fraction(terms[0].df + terms[1].df)))
        first, second = each
        return OfTwo(first, second, mul(LARGER, larger(df, larger(first.freedom, second.freedom))))

    def of_model(self, model: Any) -> Dispersion:
        """The ratio of a model that counts, with that of the others."""
        if model not in self.known:
            self.known[model] = self._with_others(self.each[model])
        return self.known[model]

    def _with_others(self, x: RunTerms) -> Dispersion:
        own, f = (x.ratio, x.df), self.all[1] - x.df
        if len(self.each) == 1:
            return dispersion_of(own)
        rest = (self.all[0] * self.all[1] - x.ratio * x.df) / f
        return weighted(own, (rest, f)) or dispersion_of(self.all)


def dispersion_of(x: Ratio) -> Dispersion:
    """The ratio and its degrees of freedom, as the doubles that they are in results."""
    return Dispersion(*(ext(value(from_fraction(y))) for y in x))


def weighted(own: Ratio, rest: Ratio) -> Dispersion | None:
    """The ratio of a model with that of the rest, which counts less the more its own is above it; None: in full."""
    (x, f), (y, g) = own, rest
    if 20 * x <= 9 * y:  # no median of an F distribution is below 9/20
        return None
    if not y:
        return dispersion_of(own)
    low, high = from_fraction(g * y / (f * x + g * y)), from_fraction(f * x / (f * x + g * y))
    p = beta_cdf(low, high, from_fraction(g / 2), from_fraction(f / 2))
    weight = div(sub(p, from_fraction(APART)), from_fraction(ALIKE - APART))
    if sub(weight, ONE)[0] >= 0.0:
        return None
    if weight[0] <= 0.0:
        return dispersion_of(own)
    part = mul(weight, from_fraction(g))
    df = add(from_fraction(f), part)
    ratio = div(add(from_fraction(f * x), mul(part, from_fraction(y))), df)
    return Dispersion(ext(value(ratio)), ext(value(df)))


def sampled_runs(
    outcomes: Sequence[tuple[str, Any]], C: int, missing: Any, has_scores: bool, missing_code: int | None
) -> list[ByRun]:
    """The outcomes by run of a call on these outcomes, each with the argument's name, where runs are not fixed."""
    for name, x in outcomes:
        if isinstance(x, (Counts, Detailed)):
            what = f'{name} is {type(x).__name__}, which do not know the runs that runs="sampled" needs'
            raise InvalidInput("conflict", "runs", what, "run_variation")
    policy = "drop" if arguments.bounded(missing) else missing
    return [by_run(x, C, policy, name, has_scores, code=missing_code) for name, x in outcomes]


def run_effects(models: Sequence[ByRun], w: Sequence[float], shared: bool, name: str = "runs") -> RunEffects:
    """The runs of these models; name: the argument that asks for them, for errors."""
    used = check_runs(models, name)
    each = {i: y for i, x in enumerate(models) if (y := terms(x, w, i))}
    return RunEffects(each, range(len(models)), shared, sum(used) - len(used))


def dispersion(
    runs: Any, outcomes: Sequence[tuple[str, Any]], C: int, w: Sequence[float], missing: Any, has_scores: bool,
    missing_code: int | None = None,
) -> Dispersion | RunEffects | None:  # fmt: skip
    """The argument `runs` of a call on these outcomes, each with the argument's name: None if runs are fixed."""
    if isinstance(runs, RunEffects):
        return runs
    if isinstance(runs, str):
        if arguments.choice(runs, "runs", ("fixed", "sampled", "shared")) == "fixed":
            return None
        return run_effects(sampled_runs(outcomes, C, missing, has_scores, missing_code), w, runs == "shared")
    try:
        stated = (runs["ratio"], runs["df"]) if isinstance(runs, Mapping) else (runs.ratio, runs.df)
    except (AttributeError, KeyError):
        what = f'runs must be "fixed", "sampled", "shared" or a result of run_variation, not {shown(runs)}'
        raise InvalidInput("type", "runs", what) from None
    ratio, df = (arguments.real(x, "runs") for x in stated)
    for what, x, least in (("ratio", ratio, 0.0), ("df", df, 1.0)):
        if not least <= x <= LARGEST:
            raise InvalidInput("range", "runs", f"the {what} of runs is {x!r}, not in {least} to {LARGEST}")
    return Dispersion(ext(ratio), ext(df))
