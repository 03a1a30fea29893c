"""Checks of ledgers of builds by methods other than their definitions, for check.py."""
from random import Random

from mpmath import mp, mpf

import cases_ledger
import ledger
import looks
import metrics
from exact import Fraction, approximate, double, equals_printed, to_mpf
from variance import Mean

PIN, EXAMPLE = cases_ledger.PIN, cases_ledger.EXAMPLE


def printed_example():
    """Check the numbers that families/ledger.md prints."""
    gates = ledger.gate_builds(EXAMPLE, PIN, 0.5)
    for x, text in zip((gates["pin_hi"], gates["next_floor"], *gates["p_worse"], gates["level"][0], gates["level"][3]),
                       ("0.9000774", "0.4000774", ".0011182509", ".00011215330", ".27171686", ".54943325", ".003125", ".0010416667")):
        yield ("gate_builds", text), equals_printed(x, text)
    yield "verdicts", gates["verdict"] == ["pass", "pass", "inconclusive", "inconclusive"] and gates["doubtful"] == [False, False, True, True]
    alarms = ledger.alarms(EXAMPLE, PIN)
    for x, text in zip((*alarms["z"], *alarms["loss"], alarms["limit"]), (".31426968", "-1.6918011", "4.6590619", "3.8492713", "0.", "0.", "4.1590619", "7.5083331", "5.0629625")):
        yield ("alarms", text), equals_printed(x, text)
    yield "alarm", alarms["alarm"] == [None, None, None, "loss"] and alarms["since"][3] == "b3"
    steps = ledger.steps(EXAMPLE)
    yield "steps", steps["build"] == steps["first"] == steps["last"] == ["b3"]
    for field, text in (("p_value", ".000010250938"), ("mu", "-.390625"), ("lo", "-.57901389"), ("hi", "-.20223611")):
        yield ("steps", text), equals_printed(steps[field][0], text)


def limits_by_lambert():
    """Check h by the other branch of Lambert's function: y = -(1 + R) - W(-e^-(1 + R))."""
    for every in (50, 123.5, 500, 2000):
        with mp.workdps(60):
            y = -(1 + mpf(every)) - mp.lambertw(-mp.exp(-(1 + mpf(every))), -1).real
            yield every, abs(to_mpf(ledger.limit(every)) - (y - mpf("1.166"))) < mpf(10) ** -45


def bounds_of_two_splits():
    """Check p of three builds against the probability of two correlated normal variables, by quadrature: above it by at most 5%."""
    for seed in range(4):
        _, builds = cases_ledger.history(200 + seed, 6, "4", [0, 0.1 * seed, 0.2])
        each = [x["counts"] for x in builds["models"].values()]
        s = ledger.Segments(Mean(None), each, "fixed")
        z, p = s.z(0, s.largest(0, 3), 3), s.p(0, 3)
        a, b, c = s.n
        with mp.workdps(25):
            x, rho = to_mpf(z), mp.sqrt(mpf(a * c) / ((a + b) * (b + c)))

            def inside(t):
                spread = mp.sqrt(2 * (1 - rho * rho))
                return mp.npdf(t) * (mp.erf((x - rho * t) / spread) + mp.erf((x + rho * t) / spread)) / 2
            exceeded = 1 - mp.quad(inside, [-x, 0, x])
            yield seed, exceeded <= to_mpf(p) + mpf(10) ** -20 and to_mpf(p) <= min(mpf(1), mpf("1.05") * exceeded) + mpf("0.15") * (exceeded > mpf("0.2"))


def gates_with_a_rational_floor():
    """Check p-values against those of `gate` where the pin has only successes: its floor is 1 less the margin, a rational number."""
    rng = Random(977)
    for i in range(6):
        rows = [[int(rng.random() < 0.3), 1] for _ in range(5)] + [[0, 1]]
        pin = {"counts": [[0, 4]] * 6}
        got = ledger.gate_builds({"models": {"x": {"counts": rows}}}, pin, 0.125)
        want = looks.gate({"counts": rows}, pin, margin=0.125, questions="fixed")
        yield i, all(double(got[x][0]) == double(want[x]) for x in ("p_worse", "p_better"))


def flips_of_pooled_counts():
    """Check flip_rate of binary outcomes against the function of this name."""
    for seed in range(4):
        _, builds = cases_ledger.history(300 + seed, 5, "3", [0, 0, 0.2])
        each = [x["counts"] for x in builds["models"].values()]
        yield seed, ledger.noise_floor(builds)["flip_rate"] == metrics.flip_rate({"counts": ledger.pooled(each)})["value"]


def restarted_alarms():
    """Check that the rows after an alarm are those of the remaining builds alone, without a pin."""
    pin, builds = cases_ledger.history(42, 8, 6, [0] * 10 + [0.3] * 8 + [0] * 8, pins=4)
    whole = ledger.alarms(builds, pin)
    first = next(j for j, x in enumerate(whole["alarm"]) if x)
    rest = ledger.alarms({"models": dict(list(builds["models"].items())[first + 1:])})
    for field in ("z", "loss", "gain"):
        got, want = whole[field][first + 1:], rest[field]
        yield field, all(x is y is None or abs(approximate(x) - approximate(y)) < Fraction(1, 10**30) if None not in (x, y) else x is y for x, y in zip(got, want))


GROUPS = [("ledgers, the printed example", printed_example), ("ledgers, limits by Lambert's function", limits_by_lambert), ("ledgers, two splits by quadrature", bounds_of_two_splits),
          ("ledgers, gates with a rational floor", gates_with_a_rational_floor), ("ledgers, flips of pooled counts", flips_of_pooled_counts), ("ledgers, alarms after an alarm", restarted_alarms)]
