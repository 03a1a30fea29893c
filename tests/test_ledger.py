"""Ledgers of builds: naive twins in doubles, simulated histories, properties and messages of the four functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from scorio import Counts, InvalidInput, sinf
from scorio.eval import mean_ci

W5 = (-1.0, 0.0, 0.25, 0.75, 2.5)


def drawn(rng: np.random.Generator, rates: np.ndarray, n: Any) -> Counts:
    """Counts of a build with these rates and trials."""
    trials = np.broadcast_to(n, rates.shape)
    return Counts.from_successes(rng.binomial(trials, np.clip(rates, 0, 1)), trials)


def year(seed: int, losses: Any, M: int = 30, n: int = 4, ragged: bool = False) -> tuple[Counts, list[Counts]]:
    """A pin of four evaluations, and builds whose rates are lower by the losses."""
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.3, 0.95, M)
    pin = drawn(rng, rates, 4 * n)
    return pin, [drawn(rng, rates - d, n + rng.integers(0, 3, M) if ragged else n) for d in losses]


def parts(x: Counts, w: Any = (0.0, 1.0)) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Trials, mean scores and variances of a trial of each question, on the scale 0..1."""
    u = (np.array(w) - min(w)) / (max(w) - min(w))
    n = x.table.sum(axis=1)
    mean = x.table @ u / n
    with np.errstate(invalid="ignore", divide="ignore"):
        return n, mean, (x.table @ u**2 - n * mean**2) / (n - 1)


def ratio_before(pin: Counts | None, builds: list[Counts], w: Any) -> tuple[float, float]:
    """The ratio by the successive differences of these builds, and its degrees of freedom; 0 of these are unknown."""
    m = len(builds) - 1
    if m < 1:
        return 1.0, 0.0
    R, M = parts(sum(builds, 0 if pin is None else pin), w)[2], builds[0].M
    n, x = (np.array(z) for z in zip(*(parts(b, w)[:2] for b in builds), strict=True))
    V = sum((R * (1 / n[i] + 1 / n[i + 1])).sum() for i in range(m)) / M**2
    return float((np.diff(x.mean(axis=1)) ** 2).sum() / V), 2 * m * m / (3 * m - 1)


def signed(x: float, ratio: float, f: float) -> float:
    """A standardised difference with regard to runs."""
    return float(-np.sign(x) * stats.norm.ppf(stats.t.cdf(-abs(x) / np.sqrt(max(1.0, ratio)), f))) if f else 0.0


def naive_alarms(
    pin: Counts | None, builds: list[Counts], every: float, w: Any, sampled: bool
) -> list[tuple[Any, ...]]:
    """(z, loss, gain, alarm) of each build."""
    y = 1.0
    for _ in range(100):
        y -= (np.exp(y) - 1 - y - every) / (np.exp(y) - 1)
    before, L, G, out = [] if pin is None else [pin], 0.0, 0.0, []
    for j, b in enumerate(builds):
        W = 0.0
        if before and sum(before, 0).min_trials > 1:
            (n, x, _), (N, mean, R) = parts(b, w), parts(sum(before, 0), w)
            W = (mean.mean() - x.mean()) * b.M / np.sqrt((R * (1 / n + 1 / N)).sum() + 1 / (8 * min(n) ** 2))
            W = signed(W, *ratio_before(pin, builds[:j], w)) if sampled else W
        L, G = max(0.0, L + W - 0.5), max(0.0, G - W - 0.5)
        alarm = "loss" if y - 1.166 <= L else "gain" if y - 1.166 <= G else None
        out.append((W if before else None, L, G, alarm))
        before.append(b)
        if alarm:
            before, L, G = [], 0.0, 0.0
    return out


HISTORIES = [(None, False), (None, True), (W5, False)]


def history(seed: int, losses: Any, w: Any, ragged: bool) -> tuple[Counts, list[Counts]]:
    """A year, of graded outcomes if there are scores."""
    pin, builds = year(seed, losses, ragged=ragged)
    if w is None:
        return pin, builds
    rng = np.random.default_rng(seed)
    # every outcome 1 becomes one of the categories 1..4, every question with all of them
    tables = [
        np.column_stack([x.table[:, 0], rng.multinomial(1, [0.25] * 4, x.M) + x.table[:, 1:] // 4])
        for x in (pin, *builds)
    ]
    return Counts(tables[0]), [Counts(t) for t in tables[1:]]


@pytest.mark.parametrize(("w", "ragged"), HISTORIES)
@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("pinned", [False, True])
def test_alarms_are_those_of_a_naive_twin(w: Any, ragged: bool, sampled: bool, pinned: bool) -> None:
    """Compare z, both sums and the alarms with an implementation in doubles."""
    pin, builds = history(5, [0] * 12 + [0.15] * 10 + [0] * 12, w, ragged)
    r = sinf.alarms(builds, pin if pinned else None, every=60, w=w, runs="sampled" if sampled else "fixed")
    wanted = naive_alarms(pin if pinned else None, builds, 60, w or (0.0, 1.0), sampled)
    assert any(x.alarm for x in r.builds)
    for x, (z, loss, gain, alarm) in zip(r.builds, wanted, strict=True):
        assert (x.z is None) == (z is None)
        assert x.z is None or x.z == pytest.approx(z, abs=1e-9)
        assert (x.loss, x.gain) == (pytest.approx(loss, abs=1e-8), pytest.approx(gain, abs=1e-8))
        assert x.alarm == alarm


def naive_z(
    builds: list[Counts], R: np.ndarray, w: Any, ratio: float, f: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Z, D and the standard errors of all splits."""
    out = []
    for t in range(1, len(builds)):
        (B, x, _), (A, y, _) = (parts(sum(part, 0), w) for part in (builds[:t], builds[t:]))
        V = ((R * (1 / B + 1 / A)).sum() + 1 / min(B) ** 2 + 1 / min(A) ** 2) / B.size**2 * max(1.0, ratio)
        D = y.mean() - x.mean()
        z = abs(D) / np.sqrt(V)
        out.append((-stats.norm.ppf(stats.t.cdf(-z, f)) if f else z, D, np.sqrt(V)))
    return tuple(np.array(x) for x in zip(*out, strict=True))  # type: ignore[return-value]


def naive_p(z: float, builds: list[Counts]) -> float:
    """The bound of the probability of the largest |Z|, by the correlations of neighbours."""
    n = np.cumsum([x.trials.sum() for x in builds]).astype(float)
    B, A = n[:-1], n[-1] - n[:-1]
    rho = np.sqrt(B[:-1] * A[1:] / (B[1:] * A[:-1]))
    terms = stats.norm.cdf(z * np.sqrt((1 - rho) / (1 + rho))) - 0.5
    return float(min(1.0, 2 * stats.norm.sf(z) + 4 * stats.norm.pdf(z) / z * terms.sum()))


def naive_steps(builds: list[Counts], w: Any, sampled: bool) -> list[tuple[Any, ...]]:
    """(build, first, last, mu, lo, hi, p_value) of each step."""
    R = parts(sum(builds, 0), w)[2]
    ratio, f = ratio_before(None, builds, w) if sampled else (1.0, 0.0)
    span, J = max(w) - min(w), len(builds)

    def scan(i: int, e: int) -> tuple[int, float, Any]:
        z, D, se = naive_z(builds[i:e], R, w, ratio, f)
        return i + 1 + int(z.argmax()), naive_p(z.max(), builds[i:e]), (z, D, se)

    def segmented(i: int, e: int, level: float) -> list[tuple[int, float]]:
        if e - i < 2 or (found := scan(i, e))[1] > level:
            return []
        t = found[0]
        return [*segmented(i, t, level / 2), (t, level), *segmented(t, e, level / 2)]

    splits, at = segmented(0, J, 0.05), []
    for k, (_, level) in enumerate(splits):
        t, p, _ = scan(at[-1] if at else 0, splits[k + 1][0] if k + 1 < len(splits) else J)
        at += [t] if p <= level else []
    out, q = [], stats.t.ppf(0.9875, f) if f else stats.norm.ppf(0.9875)
    for i, t, e in zip([0, *at], at, [*at[1:], J], strict=False):
        _, p, (z, D, se) = scan(i, e)
        near = i + 1 + np.flatnonzero(z * z >= z[t - i - 1] ** 2 + 2 * np.log(1 - np.sqrt(0.95)))
        these = slice(near[0] - i - 1, near[-1] - i)
        ends = max(-1.0, (D - q * se)[these].min()), min(1.0, (D + q * se)[these].max())
        out.append((t, near[0], near[-1], *(span * x for x in (D[t - i - 1], *ends)), p))
    return out


@pytest.mark.parametrize(("w", "ragged"), HISTORIES)
@pytest.mark.parametrize("sampled", [False, True])
def test_steps_are_those_of_a_naive_twin(w: Any, ragged: bool, sampled: bool) -> None:
    """Compare every field with an implementation in doubles that sums each segment anew."""
    _, builds = history(8, [0] * 9 + [0.25] * 9 + [0] * 9 + [0.3] * 5, w, ragged)
    got = sinf.steps(builds, w=w, runs="sampled" if sampled else "fixed")
    wanted = naive_steps(builds, w or (0.0, 1.0), sampled)
    assert len(got) >= (1 if sampled else 2)
    assert [tuple(x[:3]) for x in got] == [x[:3] for x in wanted]
    for x, y in zip(got, wanted, strict=True):
        assert x[3:] == pytest.approx(y[3:], rel=1e-6)


def naive_gates(
    pin: Counts, builds: list[Counts], margin: float, ratio: float, f: float
) -> list[tuple[float, float, str]]:
    """(floor, p_worse, verdict) of builds of two trials or more."""
    alpha, doubtful, out = 0.025, 0, []

    def variance(x: Counts, fewest: int) -> tuple[float, float, float]:
        n, mean, R = parts(x)
        v, s = R / n, 1 / fewest**2
        df = 2 * (v.sum() + s) ** 2 / ((v**2).sum() + s * s)
        return float(mean.mean()), float((v.sum() + s) / x.M**2), df

    def ends(x: Counts) -> tuple[float, float]:
        mean, V, df = variance(x, int(x.trials.min()))
        z = stats.norm.ppf(1 - alpha / 2)
        df = np.inf if df >= 30 else 1 / (1 / df - 1 / 30)
        q = (
            stats.t.ppf(1 - alpha / 2, min(df, 1e6)) ** 2 * V / (mean * (1 - mean))
            if df < 1e6
            else z * z * V / (mean * (1 - mean))
        )
        q = min(q, z * z / (x.M * x.trials.min()))
        if f:
            V, freedom = ratio * V, V
            with_df = (ratio * freedom) ** 2 / ((min(freedom, V) ** 2 / df if df < np.inf else 0) + V**2 / f)
            t = stats.t.ppf(1 - alpha / 2, with_df)
            q = max(q, min(t * t * V / (mean * (1 - mean)), t * t * ratio / (x.M * x.trials.min())))
        half = np.sqrt(q * mean * (1 - mean) + q * q / 4)
        return (mean + q / 2 - half) / (1 + q), (mean + q / 2 + half) / (1 + q)

    floor, theta = ends(pin)[1] - margin, float(parts(pin)[1].mean())
    for x in builds:
        mean, V, df = variance(x, int(min(x.trials.min(), pin.trials.min())))
        small = stats.t.cdf(-abs(mean - floor) / np.sqrt(V), df)
        if f:
            with_df = (ratio * V) ** 2 / (V**2 / df + (ratio * V) ** 2 / f)
            small = max(small, stats.t.cdf(-abs(mean - floor) / np.sqrt(ratio * V), with_df))
        U, D = x.M * min(x.trials.min(), pin.trials.min()) / max(1.0, ratio), mean - theta
        delta, sign = theta - floor, 1 if mean > floor else -1
        if sign > 0 > D:
            bound = stats.beta.cdf(1 - delta, U + D * U, 1 - D * U)
        else:
            bound = ((1 - sign * delta) / (1 + sign * D)) ** U
        p, better = (max(small, bound), 1 - small) if mean > floor else (1 - small, max(small, bound))
        k = doubtful + 1
        verdict = "pass" if p <= alpha / (4 * k * (k + 1)) else "fail" if better <= alpha else "inconclusive"
        out.append((floor, p, verdict))
        doubtful += 0.25 < p <= 0.75
        floor = max(floor, ends(x)[0] - margin) if verdict == "pass" else floor
    return out


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("runs", ["fixed", {"ratio": 1.8, "df": 15.0}])
def test_gates_are_those_of_a_naive_twin(ragged: bool, runs: Any) -> None:
    """Compare floors, p-values and verdicts with an implementation in doubles; floors rise, and all verdicts occur."""
    losses = [*np.linspace(0, 0.3, 12), *[0.12] * 5, *[-0.3] * 3, 0, 0.02]
    pin, builds = year(13, losses, M=120, ragged=ragged)
    r = sinf.gate_builds(builds, pin, margin=0.15, runs=runs)
    ratio, f = (1.0, 0.0) if runs == "fixed" else (runs["ratio"], runs["df"])
    for x, (floor, p, verdict) in zip(r.builds, naive_gates(pin, builds, 0.15, ratio, f), strict=True):
        assert x.floor == pytest.approx(floor, abs=1e-9)
        assert x.p_worse == pytest.approx(p, rel=1e-6, abs=1e-12)
        assert x.verdict == verdict
    assert {x.verdict for x in r.builds} == {"pass", "fail", "inconclusive"}
    assert any(x.raised for x in r.builds)
    assert any(x.doubtful for x in r.builds)
    assert r.next_floor == max(x.floor for x in r.builds)


def naive_margin(evaluations: list[Counts], p: int, level: float, z: float, ratio: float, f: float) -> float:
    """The smallest margin less B: level alpha/8 for gate_builds, alpha for one gate; f = 0: runs fixed."""
    M, E, both = evaluations[0].M, len(evaluations), sum(evaluations[1:], evaluations[0])
    (N, mean, R), single = parts(both), level == 0.025
    trials = np.array([x.trials for x in evaluations])
    theta, n, h = mean.mean(), trials.min(), (1 / trials).mean() / M
    V = (R / trials).sum() / (M * M * E)
    d = z * np.sqrt((V * max(1.0, ratio) + h * h / 2) * (1 + 1 / p)) + h / 2
    tests: list[tuple[float, float, float]] = []
    if trials.max() > 1:
        v = []
        for x in evaluations:
            own, score, r = parts(x)
            v.append(np.where(own > 1, r / own, (score - score.mean()) ** 2 * M / (M - 1)))
        S, T = np.sum(v) / E, np.sum(np.square(v)) / E
        pin = np.array([0.0, 0.0] if n > 1 and not single else [S, T])
        if p > 1 and n == 1:
            pin = np.array([(R / N).sum() * E / p, ((R / N) ** 2).sum() * E**2 / p**2])
        few, s = max(0.0, S - z * np.sqrt(T)), 1 / n**2
        low = max(1.0, (theta - d) * (1 - theta + d) / (theta * (1 - theta)))
        for own, var, square in ((S * low, S, T), (few, few, T * few / S)):
            tests.append(((own + pin[0] + s) / M**2, 2 * (var + pin[0] + s) ** 2 / (square + pin[1] + s * s), 0.0))
        U = n * M / max(1.0, ratio)
        exact = 1 - stats.beta.ppf(level, U * (1 - d), 1 + U * d)
    else:
        x = np.array([parts(y)[1] for y in evaluations]) - mean
        x = (x - x.mean(axis=1, keepdims=True)) * np.sqrt((1 + 1 / p) * E / (E - 1))
        m2, m4, m6 = (x**2).mean(), (x**4).mean(), (x**6).mean()
        Z, c = m2 / (M - 1), 1 / (2 * M * M)
        K = (1 - 2 * theta) * (1 - 1 / p) * Z * np.sqrt(m4 / m2) / M
        high, few = Z + d * max(0.0, -K) / Z, max(0.0, Z - z * np.sqrt(m4 / M**3))
        skew = np.sqrt(m6 * high / Z / M**5) - K + d * (m4 - 3 * m2**2) / (m2 * M**2)
        for own, tilt in ((high, max(0.0, skew) / (high + c)), (few, 0.0)):
            tests.append((own + c, min(M - 1, (own + c) ** 2 / (own**2 / (M - 1) + c * c / 2)), tilt))
        exact = 1 - (1 - d) * level ** (1 / M)
    for var, df, _ in list(tests) if f else ():
        total = ratio * var
        tests.append((total, total**2 / (min(var, total) ** 2 / df + total**2 / f), 0.0))
    far = []
    for var, df, tilt in tests:
        q = stats.t.isf(level, df)
        far.append(q * q * tilt / 2 + np.sqrt((q * q * tilt / 2) ** 2 + q * q * var))
    return float(max(exact, d + max(far)))


@pytest.mark.parametrize("high", [False, True])
@pytest.mark.parametrize("trials", [[4], [1, 2, 3], [1]])
def test_the_smallest_margins_are_those_of_a_naive_twin(trials: list[int], high: bool) -> None:
    """Compare the margins with an implementation in doubles, for several pins, with runs and without."""
    rng = np.random.default_rng(6)
    rates, n = rng.beta(9, 0.6, 150) if high else rng.random(150), np.resize(trials, 150)
    evaluations = [drawn(rng, rates - 0.01 * j, n) for j in range(3)]
    both = sum(evaluations[1:], evaluations[0])
    for p in (1, 3, 8):
        x = sinf.noise_floor(evaluations, pooled=p, power=0.75)
        for of_runs, ratio, f in (("", 1.0, 0.0), ("_runs", x.ratio, x.df)):
            runs: Any = {"ratio": ratio, "df": f} if f else "fixed"
            pins = evaluations if p == 1 else [both]
            ends = [mean_ci(y, questions="fixed", confidence=0.975, runs=runs) for y in pins]
            B = np.mean([y.hi - y.mu for y in ends]) * (1 if p == 1 else np.sqrt(3 / p))
            z = stats.norm.ppf(0.75)
            gates = ((p, 0.025 / 8), (1, 0.025))
            want = [naive_margin(evaluations, many, level, z, ratio, f) for many, level in gates]
            want[0] += B
            got = [getattr(x, name + of_runs) for name in ("margin_builds", "margin_gate")]
            assert got == [None if y >= 1.0 else pytest.approx(y, rel=1e-8) for y in want]


def test_the_noise_floor_is_that_of_its_parts() -> None:
    """Check ratio and sd against run_variation of the matrix, and margins against the gates that they promise."""
    rng = np.random.default_rng(3)
    rates = rng.uniform(0.2, 0.95, 40)
    matrix = rng.random((40, 6 * 5)) < rates[:, None]
    evaluations = np.split(matrix.astype(int), 6, axis=1)
    x = sinf.noise_floor(evaluations)
    of_runs = sinf.run_variation(matrix.astype(int), sessions=[str(j // 5) for j in range(30)])
    assert (x.ratio, x.df, x.p_value, x.sd) == (of_runs.ratio, of_runs.df, of_runs.p_value, of_runs.sd)
    n, mean, R = parts(Counts.from_successes(matrix.sum(axis=1), [30] * 40))
    V = (R / 5).sum() / 40**2
    assert x.sigma == pytest.approx(np.sqrt(V))
    assert x.flip_rate == pytest.approx((2 * n * mean * (1 - mean) / (n - 1)).mean())
    assert x.flaky == np.flatnonzero((mean > 0) & (mean < 1)).tolist()
    assert sinf.noise_floor(evaluations, pooled=100).margin_builds < x.margin_builds
    sums = [Counts.from_successes(y.sum(axis=1), [5] * 40) for y in evaluations]
    assert sinf.noise_floor(sums) == x


@pytest.mark.slow
@pytest.mark.parametrize(
    ("M", "n", "rates", "low", "high"),
    [
        (20, 2, (1, 1), 0.74, 0.94),
        (100, 1, (1, 1), 0.73, 0.94),
        (100, 1, (9, 0.3), 0.72, 1),
        (50, 1, (0.1, 0.1), 0.78, 1),
    ],
)
def test_unchanged_builds_pass_at_the_smallest_margin(M, n, rates, low, high) -> None:
    """Count the builds that pass gate_builds at the margin of the four evaluations of its pin; 80% is stated."""
    rng, passed, suites = np.random.default_rng(8), 0, 150
    for _ in range(suites):
        p = rng.beta(*rates, M)
        *evaluations, build = (Counts.from_successes(rng.binomial(n, p), [n] * M) for _ in range(5))
        margin = sinf.noise_floor(evaluations).margin_builds
        passed += margin is None or sinf.gate_builds([build], evaluations, margin=margin).builds[0].verdict == "pass"
    assert low < passed / suites <= high


def test_an_unchanged_build_passes_one_gate_at_its_smallest_margin() -> None:
    """Count the evaluations that pass a gate against another; 80% is stated."""
    rng, passed, suites = np.random.default_rng(9), 0, 150
    for _ in range(suites):
        p = rng.beta(1, 1, 60)
        *evaluations, other = (Counts.from_successes(rng.binomial(3, p), [3] * 60) for _ in range(4))
        margin = sinf.noise_floor(evaluations).margin_gate
        passed += sinf.gate(other, evaluations[0], margin=margin, questions="fixed").verdict == "pass"
    assert 0.72 < passed / suites < 0.94


def test_past_rows_do_not_change_when_builds_are_added() -> None:
    """Check that the rows of a prefix are the first rows of the whole, of gates and of alarms."""
    pin, builds = history(21, [0.02 * j for j in range(20)], W5, False)
    for f in (
        lambda x: sinf.gate_builds(x, pin, margin=0.5, w=W5).builds,
        lambda x: sinf.alarms(x, pin, every=50, w=W5, runs="sampled").builds,
    ):
        assert f(builds[:11]) == f(builds)[:11]


def test_scores_in_other_units_change_nothing_else() -> None:
    """Check decisions under scores whose integers need more than 64 bits: those of 0 and 1, times a factor."""
    pin, builds = year(22, [0] * 6 + [0.3] * 6)
    w = (0.0, 0.1)
    pairs = [
        (sinf.alarms(builds, pin, every=50, w=v).builds, sinf.gate_builds(builds, pin, margin=0.2 * v[1], w=v).builds)
        for v in ((0.0, 1.0), w)
    ]
    for (x, y), (a, b) in zip(*(zip(*p, strict=True) for p in pairs), strict=True):
        assert x[3:] == a[3:]
        assert y[6:] == b[6:]
        assert y.p_worse == pytest.approx(b.p_worse, rel=1e-9)
    plain, scaled = (sinf.steps(builds, w=v) for v in ((0.0, 1.0), w))
    assert [(x.build, x.first, x.last, x.p_value) for x in plain] == [
        (x.build, x.first, x.last, x.p_value) for x in scaled
    ]
    assert [x.mu * 0.1 for x in plain] == pytest.approx([x.mu for x in scaled])


def test_forms_of_the_same_builds_agree() -> None:
    """Check names, ids in any order, evaluations of a pin, and matrices against counts."""
    rng = np.random.default_rng(4)
    R = (rng.random((5, 12, 4)) < 0.6).astype(int)
    counted = [Counts.from_successes(x.sum(axis=1), [4] * 12) for x in R]
    ids, order = [f"q{i}" for i in range(12)], rng.permutation(12)
    labelled = {f"v{j}": Counts(x.table, ids=ids) for j, x in enumerate(counted)}
    labelled["v3"] = Counts(counted[3].table[order], ids=[ids[i] for i in order])
    by_array = sinf.alarms(R[1:], R[0])
    assert by_array == sinf.alarms(counted[1:], counted[0]) == sinf.alarms(list(R[1:]), [R[0][:, :2], R[0][:, 2:]])
    pin = labelled.pop("v0")
    by_name = sinf.alarms(labelled, pin)
    assert [x.build for x in by_name.builds] == ["v1", "v2", "v3", "v4"]
    assert [x[1:6] for x in by_name.builds] == [x[1:6] for x in by_array.builds]
    gates = sinf.gate_builds(labelled, pin, margin=0.5), sinf.gate_builds(R[1:], R[0], margin=0.5)
    assert [x[1:] for x in gates[0].builds] == [x[1:] for x in gates[1].builds]
    assert gates[0][1:] == gates[1][1:]


@pytest.mark.long
@pytest.mark.slow
def test_error_rates_of_simulated_years() -> None:
    """Check, in 60 years of 250 builds: the stated false alarms, years without a step, slides that are found."""
    alarms = found = steps = passed = 0
    for seed in range(60):
        pin, builds = year(1000 + seed, [0] * 250, M=60)
        alarms += sum(x.alarm is not None for x in sinf.alarms(builds, pin, every=100).builds)
        steps += bool(sinf.steps(builds))
        slide = [0.004 * max(0, j - 50) for j in range(150)]
        pin, builds = year(2000 + seed, slide, M=60, n=8)
        rows = sinf.alarms(builds, pin).builds
        found += any(x.alarm == "loss" for x in rows[50:75])  # before .1 is lost
        lost = np.array(slide) > 0.15
        gated = sinf.gate_builds(builds, pin, margin=0.15).builds
        passed += any(x.verdict == "pass" for x, bad in zip(gated, lost, strict=True) if bad)
    assert 100 <= alarms <= 180  # 150 are stated
    assert steps <= 8  # 3 are stated
    assert found >= 54
    assert passed <= 5  # at most 3 are stated


@pytest.mark.parametrize(
    ("call", "code", "argument", "text"),
    [
        (lambda: sinf.alarms({"v1": [[1, 0], [1, 1]], "v2": [[1, 0], [1, 2]]}), "category", "builds", "'v2' of builds"),
        (
            lambda: sinf.steps([[[1], [0]], [[1], [None]]], missing="drop"),
            "missing",
            "builds",
            "1 of builds has no trial",
        ),
        (lambda: sinf.steps({"v1": [[1], [0]]}), "length", "builds", "at least 2"),
        (lambda: sinf.noise_floor([[[1, 0]]] * 2), "shape", "evaluations", "one question"),
        (lambda: sinf.gate_builds([[[1, 0]]], [[1, 0]], margin=5), "range", "margin", "5 points are 0.05"),
        (lambda: sinf.gate_builds([[[1, 0]]], [[1, 0]], margin=0.1, runs="sampled"), "choice", "runs", "'fixed'"),
        (lambda: sinf.alarms([], [[1, 0]]), "empty", "builds", "builds"),
        (lambda: sinf.alarms([[[1, 0]]], every=3000), "range", "every", "3000"),
        (lambda: sinf.gate_builds([[[1, 0]]], [[[1, 0]], [[1, 3]]], margin=0.1), "category", "pin", "1 of pin"),
    ],
)
def test_errors_name_the_build(call: Any, code: str, argument: str, text: str) -> None:
    """Check code, argument, and that the message names the place."""
    with pytest.raises(InvalidInput) as e:
        call()
    assert (e.value.code, e.value.argument) == (code, argument)
    assert text in str(e.value)
