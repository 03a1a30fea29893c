"""Several benchmarks: the weighted mean of a metric or of a difference over them, and its variance.

The formulas: spec/families/suites.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ZERO, Table, Triple, add, div, ext, from_fraction, get, mul, neg, put, root, sub
from ..display.text import among
from ..errors import InvalidInput, shown
from ..outcomes.models import Models, check_same_names
from ..results import RunVariation, VarianceSource, least_reliable
from . import degrees_of_freedom, variance
from .difference import Difference, quantile_over_runs, quantiles
from .estimate import Measurement, MetricRequest, measure_counts
from .pairs import AllPairs, Contrast, checked_models
from .runs import NO_RUNS, RunEffects, WithRuns
from .significance import Contributions, joined

Exact = Callable[[int], Fraction]  # the exact term of the i-th benchmark


class Weights(NamedTuple):
    """Positive shares of benchmarks, which sum to 1."""

    exact: list[Fraction]
    rounded: list[Triple]

    def mean(self, terms: Sequence[Triple], exact: Exact) -> Triple:
        """The weighted mean of terms, from the exact terms where more than 40 bits cancel."""
        parts = [mul(w, x) for w, x in zip(self.rounded, terms, strict=True)]
        total, largest = ZERO, ZERO
        for x in parts:
            total, largest = add(total, x), variance.larger(largest, x if x[0] >= 0.0 else neg(x))
        if not variance.cancelled(total, largest, largest):
            return total
        return from_fraction(sum((w * exact(i) for i, w in enumerate(self.exact)), Fraction(0)))


class Part(NamedTuple):
    """A model's metric in one benchmark, on the scale 0..1, as a term of an average over benchmarks."""

    theta: Triple
    rest: Triple  # 1 - theta
    variance: Triple
    unit: Triple  # 1 / n0
    freedom: Triple  # of the t distribution; ZERO: the normal distribution
    freedom_of_units: Triple  # of the t distribution where n0 bounds the variance
    down: Triple  # distance from theta to the low end of the benchmark's interval
    up: Triple  # distance to the high end
    variance_source: VarianceSource
    over_runs: WithRuns = NO_RUNS  # the variance with runs
    unit_of_runs: Triple = ZERO  # 1 / n0 with runs


class Macro(NamedTuple):
    """The weighted mean of a model over benchmarks, on the scale 0..1."""

    x: Table  # theta, and 1 - theta
    variance: Triple
    unit: Triple  # 1 / n0
    freedom: Triple
    freedom_of_units: Triple
    down: Triple  # distances to the ends, combined from the benchmarks' own intervals
    up: Triple
    variance_source: VarianceSource
    over_runs: WithRuns = NO_RUNS
    unit_of_runs: Triple = ZERO

    def ends(self, mu: Triple, confidence: float, low: float, high: float) -> tuple[float, ...]:
        """(mu, sigma, lo, hi, n_eff) for scores low..high; lo, hi: Wilson's interval, widened to down and up."""
        theta, rest = get(self.x, variance.THETA), get(self.x, variance.REST)
        n_eff, q = _size_and_q(theta, rest, self.variance, self.unit, self, confidence)
        ends = variance.wilson_ends(theta, rest, q)
        hull = variance.hull(theta, rest, ends, self.down, self.up)
        return variance.rescale(mu, self.x, n_eff, hull, low, high)


class Benchmark(NamedTuple):
    """The models of a benchmark, their measurements, and their pairs."""

    models: Models
    values: dict[Any, Measurement]
    pairs: dict[tuple[Any, Any], Contrast]


def _size_and_q(
    theta: Triple, rest: Triple, V: Triple, unit: Triple, x: Measurement | Macro, confidence: float
) -> tuple[Triple, Triple]:
    """The effective size, and q of Wilson's interval: with runs, or without them if that is wider."""
    n, q = (
        variance.effective_size(theta, rest, V, unit),
        variance.wilson_q(theta, rest, V, unit, *quantiles(x, confidence)),
    )
    if not x.over_runs.V[0]:
        return n, q
    t, of_runs = quantile_over_runs(x, confidence), (theta, rest, x.over_runs.V, x.unit_of_runs)
    return (
        degrees_of_freedom.smaller(n, variance.effective_size(*of_runs)),
        variance.larger(q, variance.wilson_q(*of_runs, t, t)),
    )


def part(x: Measurement, confidence: float, low: float, high: float) -> Part:
    """A measurement as a term of an average, rescaled from its own range of scores to low..high, which contains it."""
    theta, rest = get(x.estimator.parts.x, variance.THETA), get(x.estimator.parts.x, variance.REST)
    V, unit = variance.variance_and_unit(x.interval_parts)
    _, q = _size_and_q(theta, rest, V, unit, x, confidence)
    lo, _, _, over = variance.wilson_ends(theta, rest, q)
    down, up = sub(theta, lo), sub(rest, over)
    V_of_runs, freedom_of_runs = x.over_runs
    bottom, top = min(x.estimator.m.w), max(x.estimator.m.w)
    if (bottom, top) != (low, high):
        span = sub(ext(high), ext(low))
        share = div(sub(ext(top), ext(bottom)), span)
        theta = add(div(sub(ext(bottom), ext(low)), span), mul(share, theta))
        rest = add(div(sub(ext(high), ext(top)), span), mul(share, rest))
        V, down, up = mul(mul(share, share), V), mul(share, down), mul(share, up)
        V_of_runs = mul(mul(share, share), V_of_runs)
    of_runs = WithRuns(V_of_runs, freedom_of_runs)
    return Part(
        theta, rest, V, unit, x.freedom, x.freedom_of_units, down, up, x.variance_source, of_runs, x.unit_of_runs
    )


def average(
    measures: Sequence[Measurement], weights: Weights, confidence: float, low: float, high: float
) -> tuple[tuple[float, ...], VarianceSource]:
    """(mu, sigma, lo, hi, n_eff) of a model over benchmarks, of scores low..high; how the variance was obtained."""
    x = macro([part(y, confidence, low, high) for y in measures], weights)
    mu = weights.mean([y.estimator.mu() for y in measures], lambda i: measures[i].estimator.exact())
    return x.ends(mu, confidence, low, high), x.variance_source


def macro(parts: Sequence[Part], weights: Weights) -> Macro:
    """The weighted mean: variances, squared distances to ends and 1 / n0 add with the squares of the weights."""
    x, squares = np.empty((2, 3)), [mul(w, w) for w in weights.rounded]
    put(x, variance.THETA, _sum(map(mul, weights.rounded, (p.theta for p in parts))))
    put(x, variance.REST, _sum(map(mul, weights.rounded, (p.rest for p in parts))))
    variances = [mul(s, p.variance) for s, p in zip(squares, parts, strict=True)]
    V, unit = _sum(variances), _sum(map(mul, squares, (p.unit for p in parts)))
    down = _sum(mul(s, mul(p.down, p.down)) for s, p in zip(squares, parts, strict=True))
    up = _sum(mul(s, mul(p.up, p.up)) for s, p in zip(squares, parts, strict=True))
    freedom, of_units = (
        degrees_of_freedom.summed(list(zip(variances, x, strict=True)))
        for x in ([p.freedom for p in parts], [p.freedom_of_units for p in parts])
    )
    source = least_reliable(p.variance_source for p in parts)
    mean = Macro(x, V, unit, freedom, of_units, root(down), root(up), source)
    if not any(p.over_runs.V[0] for p in parts):
        return mean
    with_runs = [p.over_runs if p.over_runs.V[0] else WithRuns(p.variance, p.freedom) for p in parts]
    terms = [(mul(s, V), f) for s, (V, f) in zip(squares, with_runs, strict=True)]
    units = (mul(s, p.unit_of_runs if p.over_runs.V[0] else p.unit) for s, p in zip(squares, parts, strict=True))
    of_runs = WithRuns(_sum(V for V, _ in terms), degrees_of_freedom.summed(terms))
    return mean._replace(over_runs=of_runs, unit_of_runs=_sum(units))


def _sum(terms: Iterable[Triple]) -> Triple:
    total = ZERO
    for x in terms:
        total = add(total, x)
    return total


def combined(contrasts: Sequence[Contrast], weights: Weights, span: Fraction) -> Difference:
    """The weighted mean over benchmarks of the differences of two models on the scale 0..1; span: of the scores."""

    def exact(i: int) -> Fraction:
        a, b = contrasts[i].estimators
        return (a.exact() - b.exact()) / span

    d = [x.difference for x in contrasts]
    D = weights.mean([x.D for x in d], exact)
    parts = [mul(mul(w, x.standard_error), mul(w, x.standard_error)) for w, x in zip(weights.rounded, d, strict=True)]
    V = _sum(parts)
    freedom = degrees_of_freedom.pooled(V, list(zip(parts, (x.freedom for x in d), strict=True)))
    of_runs = None
    if any(x.over_runs for x in d):
        both = [x.over_runs or (x.standard_error, x.freedom) for x in d]
        terms = [(mul(mul(w, e), mul(w, e)), f) for w, (e, f) in zip(weights.rounded, both, strict=True)]
        V_of_runs = _sum(v for v, _ in terms)
        of_runs = root(V_of_runs), degrees_of_freedom.pooled(V_of_runs, terms)
    unit, guard = ZERO, ZERO
    for w, x in zip(weights.rounded, d, strict=True):
        unit, guard = variance.larger(unit, mul(w, x.unit)), variance.larger(guard, x.guard)

    def cubes() -> tuple[Triple, Triple]:
        each = [(mul(mul(w, w), w), x.cubes()) for w, x in zip(weights.rounded, d, strict=True) if x.cubes]
        return _sum(mul(w, third) for w, (third, _) in each), _sum(mul(mul(w, w), sixth) for w, (_, sixth) in each)

    def signs() -> Contributions:
        return joined([x.signs().scaled(w) for w, x in zip(weights.rounded, d, strict=True) if x.signs])

    return Difference(
        D,
        root(V),
        freedom,
        least_reliable(x.variance_source for x in d),
        unit,
        guard,
        cache(cubes) if any(x.cubes for x in d) else None,
        cache(signs) if all(x.signs for x in d) else None,
        _sum(mul(mul(w, w), x.unseen) for w, x in zip(weights.rounded, d, strict=True)),
        of_runs,
    )


def contrasts_over_benchmarks(
    request: MetricRequest, parts: Sequence[Benchmark], models: Sequence[Any], weights: Weights
) -> list[Contrast]:
    """The contrasts of every pair of these models over all benchmarks."""
    span = Fraction(max(request.m.w)) - Fraction(min(request.m.w))
    out = []
    for i, j in combinations(range(len(models)), 2):
        a, b = models[i], models[j]
        each = [x.pairs.get((a, b)) or reversed_contrast(x.pairs[b, a]) for x in parts]
        # the estimators are only those of the first benchmark
        out.append(Contrast(i, j, combined(each, weights, span), [], each[0].estimators))
    return out


# --- arguments --------------------------------------------------------------------------------------


OF_BENCHMARK = (Mapping, RunVariation, RunEffects)  # the argument `runs` of one of several benchmarks


def by_name(x: Any, name: str) -> Mapping[Any, Any]:
    """The argument as a mapping that is not empty; an evaluation becomes its counts by benchmark."""
    x = x.by_benchmark() if hasattr(x, "by_benchmark") else x
    if not isinstance(x, Mapping):
        raise InvalidInput("type", name, f"{name} must be a mapping from names of benchmarks, not {shown(x)}")
    if not x:
        raise InvalidInput("empty", name, f"{name} is empty")
    return x


def read_benchmarks(
    request: MetricRequest, benchmarks: Any, w: Any, clusters: Any, missing: Any, runs: Any = "fixed"
) -> dict[Any, Benchmark]:
    """The measured benchmarks by name; an error names its benchmark."""
    by_benchmark = by_name(benchmarks, "benchmarks")
    labels, out = labels_of(clusters, by_benchmark), {}
    of_runs = runs_of(runs, by_benchmark)
    for benchmark, models in by_benchmark.items():
        with naming_benchmark(benchmark, "benchmarks"):
            if not isinstance(models, Mapping):
                what = f"a mapping from names of models is needed, not {shown(models)}"
                raise InvalidInput("type", "models", what)
            its_request = request.with_runs(of_runs[benchmark], [("models", x) for x in models.values()], missing)
            out[benchmark] = _benchmark(its_request, models, w, labels.get(benchmark), missing)
    return out


def labels_of(clusters: Any, benchmarks: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The clusters of benchmarks by name; False instead of a mapping means False for each benchmark."""
    if clusters is False:
        return dict.fromkeys(benchmarks, False)
    labels = {} if clusters is None else by_name(clusters, "clusters")
    if unknown := [x for x in labels if x not in benchmarks]:
        what = f"clusters has {shown(unknown[0])}, which is none of the benchmarks, {among(unknown[0], benchmarks)}"
        raise InvalidInput("choice", "clusters", what)
    return labels


@contextmanager
def naming_benchmark(benchmark: Any, argument: str | None = None) -> Iterator[None]:
    """Name the benchmark in errors of the with block; errors about its outcomes name this argument."""
    try:
        yield
    except InvalidInput as e:
        about = argument if e.argument in ("R", "models") else None
        raise e.of(f"benchmark {shown(benchmark)}" + (f" of {about}" if about else ""), about) from None


def runs_of(runs: Any, benchmarks: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The argument `runs` of each benchmark: the same text for all, or a mapping of them."""
    if not isinstance(runs, Mapping) or not any(isinstance(x, OF_BENCHMARK) for x in runs.values()):
        return dict.fromkeys(benchmarks, runs)
    check_same_names(runs, list(benchmarks), "runs", "runs must have the same names as the benchmarks")
    for name, x in runs.items():
        if not isinstance(x, OF_BENCHMARK):
            raise InvalidInput("type", "runs", f"runs[{shown(name)}] is no result of run_variation, but {shown(x)}")
    return runs


def _benchmark(request: MetricRequest, models: Mapping[Any, Any], w: Any, clusters: Any, missing: Any) -> Benchmark:
    named_models = checked_models(request, models, w, missing, clusters, min_models=1)
    names: list[Any] = named_models.names or []
    index = count()
    each = named_models.each(["models", "R"], lambda x: measure_counts(request, x, None, clusters, next(index)))
    pairs = {(names[x.a], names[x.b]): x for x in AllPairs(request, named_models, clusters).contrasts()}
    return Benchmark(named_models, dict(zip(names, each, strict=True)), pairs)


def shares(weights: Any, names: Sequence[Any], used: Sequence[Any]) -> Weights:
    """The weights of the benchmarks that are used, divided by their sum; equal if weights is None."""
    weight_of = dict.fromkeys(names, 1.0)
    if weights is not None:
        rule = "weights must have the same names as the benchmarks"
        check_same_names(by_name(weights, "weights"), names, "weights", rule)
        weight_of = {x: arguments.real(weights[x], "weights") for x in names}
        if bad := [x for x, y in weight_of.items() if y <= 0.0]:
            raise InvalidInput("range", "weights", f"weights[{shown(bad[0])}] = {weight_of[bad[0]]!r} is not above 0")
    exact = [Fraction(weight_of[x]) for x in used]
    exact = [x / sum(exact) for x in exact]
    return Weights(exact, [from_fraction(x) for x in exact])


def reversed_contrast(x: Contrast) -> Contrast:
    """The contrast of the same two models in reverse order."""
    return Contrast(x.b, x.a, x.difference.reversed_difference(), x.dropped, (x.estimators[1], x.estimators[0]))
