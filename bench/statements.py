"""The statements of the package about errors and coverage, with their known worst cells: the list of hostile.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import mistakes
import numpy as np
import whole_units
import wrong_estimates
import wrong_verdicts
from hostile_cells import Cell, Kind, Space
from wrong_estimates import GRADES

COVERAGE, TYPE_I, GATE = 0.085, 0.07, 0.03  # the bounds: 91.5% covered, 1.4 times 5%, 1.2 times 2.5%
# least expected number of units of each kind, of questions whose blocks of k differ, or variance of the number of
# successes: what the sample does not show cannot be accounted for
RARE = 4


class Statement(NamedTuple):
    """A claim of the package: its nominal error, the bound on its worst cell, measure, space of cells and known cells.

    allowed(cell): whether a cell of the space belongs to the statement.
    """

    name: str
    nominal: float
    bound: float | None  # None: no rule corrects it, and the manual says for which distributions it is true
    measure: mistakes.Measure
    space: Space
    known: tuple[Cell, ...]
    allowed: Callable[[Cell], bool] = lambda cell: True
    runs: int = 300  # runs of each known cell with --short


# Spaces of cells (the values of each parameter; mistakes.py and the functions of the measures say what they mean), and
# parts of the known cells.
ANY: tuple[Any, ...] = ("any",)
SIZE, TRIALS = (10, 20, 30, 50, 100, 200, 400), (1, 2, 4, 8, 16)
OTHER = ("same", "other questions", "flat")
TWO = (Kind(0.8, 0.03), Kind(0.2, 1))
SMOOTH = (Kind(0.8, 1 / 31, 31.0), Kind(0.2, 0.9756, 20.5))
FIX, SAMPLED = {"questions": ("fixed",)}, {"questions": ("sampled",)}


def cell(*kinds: Kind, **more: Any) -> Cell:
    """A cell of these kinds of question, with further parameters."""
    return {"kinds": kinds, **more} if kinds else more


def short_k(x: Cell) -> bool:
    """Whether k <= N < 2k."""
    return bool(x["k"] <= x["N"] < 2 * x["k"])


def every_kind_expected(x: Cell) -> bool:
    """Whether at least RARE units of every kind are expected."""
    return mistakes.units(x) >= RARE


def varied(x: Cell) -> bool:
    """Whether the number of successes, given the rates of the questions, has an expected variance of at least RARE."""
    total = sum(kind.share for kind in x["kinds"])
    expected = 0.0
    for kind in x["kinds"]:
        variance = kind.rate * (1 - kind.rate) * (kind.size / (kind.size + 1) if kind.size else 1)
        expected += kind.share / total * (kind.trials or x["N"]) * variance
    return bool(x["M"] * expected >= RARE)


def varied_blocks(x: Cell) -> bool:
    """Whether at least RARE questions are expected of which k trials have no success and the next k have one."""
    total = sum(kind.share for kind in x["kinds"])
    change = sum(kind.share / total * (kind.pass_at_k(2 * x["k"]) - kind.pass_at_k(x["k"])) for kind in x["kinds"])
    return bool(x["M"] * change >= RARE)


PASS: Space = {"kinds": ANY, **FIX, "M": SIZE, "N": (2, 3, 4, 6, 8, 12, 16), "k": (2, 3, 4, 6, 8, 12, 16)}
MANY = {**PASS, "other": OTHER}
FEW_HARD, FOUR = (Kind(0.035, 0.05), Kind(0.965, 0.95)), {"questions": "fixed", "M": 400, "N": 4, "k": 4}
EIGHT = {"questions": "fixed", "M": 100, "N": 8, "k": 8}
MEAN: Space = {"kinds": ANY, **FIX, "M": SIZE, "N": (2, 4, 8, 16, 64), "other": OTHER}
UNEQUAL: Space = {"kinds": ("trials",), **FIX, "M": SIZE, "N": (2, 4, 8, 16)}
FLIPS: Space = {"kinds": ANY, **FIX, "M": SIZE, "N": (2, 3, 4, 5, 6, 8, 16, 64), "flips": (1,)}
PILOT: Space = {"kinds": ANY, "M": SIZE[1:], "N": (2, 4, 8, 16), "N2": (2, 4, 8, 16), "k": (1, 1, 2, 4)}
PILOT |= {"share": (0.05, 0.1, 0.3, 0.7, 1), "drop": (0.02, 0.05, 0.1, 0.2, 0.5, 1)}
RETRIED = (Kind(118, 0.19), Kind(27, 0.998))
HALF = (Kind(0.1, 0.5, None, 1), Kind(0.9, 1, None, 8))
PARTS = tuple(((1, a, p), (b, c, q)) for p in (0.1, 0.3, 0.5, 0.7) for a in (10, 15, 30, 50, 100)
              for b in (2, 4, 9) for c in (100, 300, 500) for q in (0.9, 0.95, 0.98, 0.99))  # fmt: skip
PARTS += tuple(((b, c, q),) for b in (2, 3, 5, 10) for c in (10, 20, 30, 100) for q in (0.5, 0.9, 0.95, 0.98, 0.99))
MARGIN = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
CLIFF: Space = {**SAMPLED, "M": (*range(3, 20), *range(20, 401, 5)), "margin": MARGIN, "drop": (1,), "rest": (1,)}
CLIFF |= {"N": (1, 4), "N2": (1, 4)}
DROPS = {"drop": (0.01, 0.05, 0.1, 0.2, 0.5, 1), "rest": (1, 0.99, 0.9, 0.5, 0.1, 0), "N": TRIALS, "N2": TRIALS}
FALL = {"questions": "sampled", "drop": 1, "rest": 1, "N": 4, "N2": 4}
SUITE: Space = {"M": (*range(20, 201, 10),), "M2": (20, 50, 100, 500), "others": (1, 2, 4, 9), "N": (1, 4)}
SUITE |= {"margin": MARGIN}
WHOLE: Space = {"N": (1, 4, 64), "margin": (0.005, 0.02, 0.05, 0.1, 0.2), "verdict": ("pass", "fail")}
WHOLE |= {"rate": (0, 0.02, 0.05, 0.1, 0.2, 0.3)}
WINS: Space = {"M": (4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 40, 60, 90, 125, 180, 250), "margin": MARGIN, "N": (100,)}
WINS |= {"win": (0.001, 0.003, 0.006, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45), "verdict": ("pass", "fail")}
WINS |= {"other": (-0.1, -0.05, -0.01, 0.0, 0.01, 0.05, 0.1)}
STEPS = tuple(round(x, 2) for x in np.arange(-0.95, 1.01, 0.05))
BALANCE: Space = {"M": (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30), "M2": (3, 4, 5, 6, 8, 10, 15, 20, 40)}
BALANCE |= {"weight": STEPS[20:-2], "gain": STEPS, "high": STEPS}
BALANCE |= {"low": (-1.0, *STEPS), "better": (0, 0, 0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7), "verdict": ("pass", "fail")}
BALANCE |= {"margin": (0.005, 0.01, *(round(x, 2) for x in np.arange(0.02, 0.5, 0.02)))}
STEADY_CELL = {"N": 1000, "margin": 0.0, "verdict": "different", "guard": 1.0}
STEADY = {**{name: (value,) for name, value in STEADY_CELL.items()}, "win": (0, *WINS["win"])}
STEADY |= {"other": (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)}
JUDGE: Space = {"mean": (0.5, 0.7, 0.9, 0.95, 0.97, 0.98, 0.99), "labels": (10, 20, 30, 50, 100, 200)}
JUDGE |= {"M": (300, 1000), "sensitivity": (0.5, 0.8, 0.9, 0.98, 1), "specificity": (0.2, 0.5, 0.8, 0.95, 1)}
VOTES: Space = {"M": (30, 100, 300), "N": (2, 4, 8, 16), "right": (0.3, 0.4, 0.45, 0.5)}
VOTES |= {"wrong": (0.5, 0.6, 0.82, 0.9, 1)}
UNEVEN: Space = {"kinds": ("trials",), "M": SIZE, "N": (4, 8, 16, 32, 64, 128, 256)}
UNEVEN |= {"trials if equal": (0, 2, 4, 8, 16)}
UNEVEN |= {"planned": (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128), "spending": ("obrien-fleming", "pocock")}
ADAPTIVE = {"M": 200, "N": 256, "spending": "obrien-fleming", "planned": 18}
SLOW = {"M": (10, 20, 30, 60, 120), "N": (2, 4, 8, 16), "slower": (1, 2, 5, 20), "at once": (1, 10, 60, 240, 2000)}

STATEMENTS = (
    Statement("interval, Pass@k, fixed, N < 2k", 0.05, COVERAGE, mistakes.misses, PASS,
              (cell(*TWO, **EIGHT), cell(*SMOOTH, **{**EIGHT, "k": 6}), cell(*FEW_HARD, **FOUR)),
              lambda x: short_k(x) and varied_blocks(x)),
    Statement("interval, Pass@k, fixed, N < 2k, few blocks of k vary", 0.05, None, mistakes.misses, PASS,
              (cell(Kind(0.01, 0.05), Kind(0.99, 0.9, 1.0), questions="fixed", M=30, N=16, k=16),), short_k),
    Statement("compare, Pass@k, fixed, N < 2k", 0.05, TYPE_I, mistakes.differ, MANY,
              (cell(*TWO, **EIGHT, other="same"), cell(*SMOOTH, **{**EIGHT, "k": 6}, other="same"),
               cell(Kind(0.463, 0.02), Kind(0.537, 0.97, 1.0), **{**EIGHT, "N": 16, "k": 16}, other="other questions"),
               cell(*FEW_HARD, **FOUR, other="same")),
              short_k),
    Statement("ranges, Pass@k, fixed, five equal models, N < 2k", 0.05, TYPE_I, mistakes.separated, MANY,
              (cell(*TWO, **EIGHT, other="same"),), short_k),
    Statement("Monitor, Pass@k, equal models, k to N trials", 0.05, TYPE_I, mistakes.looks,
              {"kinds": ANY, "M": SIZE, "N": (4, 6, 8, 12), "k": (2, 4, 6, 8)},
              (cell(*TWO, M=100, N=8, k=8), cell(*TWO, M=100, N=12, k=8)), lambda x: bool(x["k"] <= x["N"])),
    Statement("interval, Pass@k, fixed, 2k <= N", 0.05, COVERAGE, mistakes.misses, PASS,
              (cell(*TWO, **{**EIGHT, "k": 4}),), lambda x: bool(2 * x["k"] <= x["N"])),
    Statement("interval, mean, fixed", 0.05, COVERAGE, mistakes.misses, {x: y for x, y in MEAN.items() if x != "other"},
              (cell(*TWO, questions="fixed", M=100, N=8), cell(Kind(1, 0.2), questions="fixed", M=10, N=4)), varied),
    Statement("interval, mean, fixed, questions that hardly vary", 0.05, None, mistakes.misses,
              {x: y for x, y in MEAN.items() if x != "other"},
              tuple(cell(Kind(v, 0.1), Kind(1 - v, 1), questions="fixed", M=M, N=4)
                    for v, M in ((0.5, 10), (0.167, 30)))),
    Statement("interval, mean, fixed, unequal trials", 0.05, COVERAGE, mistakes.misses, UNEQUAL,
              (cell(*HALF, questions="fixed", M=100, N=8),
               cell(Kind(0.049, 0.5, None, 1), Kind(0.951, 1, None, 8), questions="fixed", M=50, N=16),
               cell(Kind(0.2, 0.5, None, 2), Kind(0.8, 0, None, 16), questions="fixed", M=100, N=8)),
              varied, runs=1500),
    Statement("compare, mean, fixed", 0.05, TYPE_I, mistakes.differ, MEAN,
              (cell(*TWO, questions="fixed", M=100, N=8, other="same"),)),
    Statement("interval, flip rate, fixed", 0.05, COVERAGE, mistakes.misses, FLIPS,
              tuple(cell(Kind(1, p), questions="fixed", M=M, N=n, flips=1)
                    for M, n, p in ((30, 4, 0.5), (10, 3, 0.5), (30, 2, 0.05))), varied, runs=1500),
    Statement("compare, flip rate, fixed", 0.05, TYPE_I, mistakes.differ,
              {**FLIPS, "other": ("same", "other questions")},
              tuple(cell(Kind(1, 0.5), questions="fixed", M=30, N=n, flips=1, other="same") for n in (2, 4, 8))),
    Statement("compare, mean, fixed, unequal trials, guard 1", 0.05, TYPE_I, mistakes.differ,
              {**UNEQUAL, "N2": (1, 2, 4, 16), "other": OTHER, "guard": (1.0,)},
              (cell(*HALF, questions="fixed", M=100, N=8, N2=8, other="same", guard=1.0),
               cell(Kind(1, 0.975, None, 8), questions="fixed", M=92, N=8, N2=1, other="same", guard=1.0))),
    Statement("compare, mean, fixed, one model has one trial", 0.05, 0.11, mistakes.differ,
              {**UNEQUAL, "N2": (1,), "other": OTHER},
              (cell(Kind(1, 0.03, 30.0, 16), questions="fixed", M=20, N=16, N2=1, other="other questions"),
               cell(Kind(1, 0.95, 20.0, 8), questions="fixed", M=30, N=8, N2=1, other="same"),
               cell(Kind(1, 0.013, None, 64), questions="fixed", M=300, N=64, N2=1, other="same"))),
    Statement("compare, fixed, failures are retried", 0.05, None, mistakes.retried,
              {"kinds": ANY, "M": SIZE, "N": (1, 2, 4), "k": (1, 1, 2), "retries": (1, 2, 4), "both": (True, False)},
              (cell(*RETRIED, M=145, N=1, k=1, retries=1, both=False),
               cell(*RETRIED, M=145, N=4, k=1, retries=1, both=False)),
              lambda x: bool(x["k"] <= x["N"])),
    Statement("compare, mean, sampled, models alike", 0.05, TYPE_I, mistakes.differ,
              {**MEAN, **SAMPLED, "N": TRIALS, "other": ("same", "other questions")},
              (cell(Kind(0.9, 0.9), Kind(0.1, 0), questions="sampled", M=30, N=4, other="other questions"),)),
    Statement("compare, mean, sampled, clusters, models alike", 0.05, TYPE_I, mistakes.differ,
              {"kinds": ANY, **SAMPLED, "M": (60, 120, 240, 480), "cluster": (2, 5, 10, 20), "N": (1, 4),
               "other": ("same", "other questions")},
              (cell(Kind(0.7, 0.8), Kind(0.3, 0), questions="sampled", M=120, cluster=10, N=4,
                    other="other questions"),)),
    Statement("compare, mean, sampled, unequal shapes, guard 1", 0.05, TYPE_I, mistakes.differ,
              {**MEAN, **SAMPLED, "N": TRIALS, "other": ("flat",), "guard": (1.0,)},
              (cell(Kind(0.975, 1), Kind(0.025, 0), questions="sampled", M=100, N=8, other="flat", guard=1.0),)),
    Statement("compare, sampled, one fails whole questions, the other a share of all trials, guard 1", 0.05, 0.12,
              whole_units.wins_and_losses, {**STEADY, "M": tuple(m for m in WINS["M"] if m > 8)},
              (cell(**STEADY_CELL, M=100, win=0, other=0.1), cell(**STEADY_CELL, M=125, win=0, other=0.03),
               cell(**STEADY_CELL, M=41, win=0.0013, other=0.3))),
    Statement("compare, sampled, one fails whole questions, the other a share of all trials, guard 0", 0.05, None,
              whole_units.wins_and_losses,
              {**STEADY, "M": tuple(m for m in WINS["M"] if m > 8), "guard": (0.0,)},
              (cell(**{**STEADY_CELL, "guard": 0.0}, M=10, win=0, other=0.01),
               cell(**{**STEADY_CELL, "guard": 0.0}, M=100, win=0, other=0.1))),
    Statement("compare, sampled, each model wins half of the questions whole", 0.05, 0.08, whole_units.wins_and_losses,
              {**STEADY, "M": (*range(9, 60), 90, 125, 180), "win": (0.5,), "other": (0,), "guard": (0.0,)},
              (cell(**{**STEADY_CELL, "guard": 0.0}, M=21, win=0.5, other=0),)),
    Statement("compare, sampled, three different differences, guard 1", 0.05, None, whole_units.three_differences,
              {"M": (9, 10, 12, 15, 20, 30, 50, 100), "low": (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7, 1),
               "middle": (-0.05, 0, 0.02, 0.1, 0.25, 0.5), "high": (0.3, 0.5, 0.75, 1),
               "share": (0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.5)},
              (cell(M=9, low=0.342, middle=0.018, high=1, share=0.09),
               cell(M=10, low=1 / 3, middle=0, high=1, share=0.1796))),
    Statement("compare, sampled, one fails whole questions, fewer than nine, guard 1", 0.05, None,
              whole_units.wins_and_losses, {**STEADY, "M": (3, 4, 5, 6, 7, 8)},
              (cell(**STEADY_CELL, M=5, win=0.179, other=0.4),)),
    Statement("questions_needed for power 80%, difference overlooked", 0.2, 0.3, mistakes.overlooked,
              {"kinds": ANY, "N": (1, 2, 4, 8, 64), "share": (0.05, 0.1, 0.3, 0.7, 1),
               "drop": (0.05, 0.1, 0.2, 0.5, 1)},
              tuple(cell(Kind(1, p), N=64, share=1, drop=d) for p, d in ((0.97, 0.1), (0.97, 0.05), (0.6, 0.2)))),
    Statement("trials_needed for power 80%, difference overlooked", 0.2, 0.3, mistakes.overlooked_by_trials, PILOT,
              (cell(Kind(1, 0.9992), M=38, N=16, N2=4, k=2, share=1, drop=0.07442),
               cell(Kind(0.59, 0.02, 1.0), Kind(0.41, 0.9), M=400, N=4, N2=16, k=2, share=1, drop=0.2)),
              mistakes.piloted_blocks),
    Statement("trials_needed for power 80%, difference overlooked, blocks of k that hardly vary", 0.2, None,
              mistakes.overlooked_by_trials, PILOT,
              (cell(Kind(0.609, 1), Kind(0.391, 0.9, 3.0), M=100, N=8, N2=8, k=4, share=0.3, drop=0.02),),
              mistakes.piloted),
    Statement("winners, mean, sampled, the best of equal models", 0.05, TYPE_I, mistakes.best_lost,
              {**MEAN, **SAMPLED, "N": TRIALS, "other": ("flat", "other questions"), "rivals": (1, 2, 4)},
              tuple(cell(Kind(1 - x / M, 1), Kind(x / M, 0), questions="sampled", M=M, N=n, other="flat", rivals=r)
                    for M, n, x, r in ((100, 64, 2.5, 2), (100, 1000, 6, 2), (15, 64, 2.5, 1), (60, 4, 6, 4)))),
    Statement("winners, fixed, the best of equal models", 0.05, 0.11, mistakes.best_lost,
              {**MEAN, "N2": (2, 3, 4, 8, 16, 64, 256), "other": OTHER, "rivals": (1, 2, 4, 9)},
              (cell(Kind(0.967, 1), Kind(0.033, 0), questions="fixed", M=30, N=3, other="flat", rivals=1),
               cell(Kind(1, 0.979), questions="fixed", M=149, N=4, N2=256, other="same", rivals=9),
               cell(Kind(1, 0.99), questions="fixed", M=150, N=2, N2=256, other="same", rivals=3)), varied),
    Statement("winners, Pass@k, fixed, the best of equal models", 0.05, TYPE_I, mistakes.best_lost,
              {**PASS, "N2": (2, 4, 8, 16, 64), "other": OTHER, "rivals": (1, 2, 4)},
              (cell(*TWO, **EIGHT, other="flat", rivals=1),
               cell(Kind(0.65, 0.019), Kind(0.17, 0.029), Kind(0.18, 0.994), questions="fixed", M=124, N=32, N2=12, k=4,
                    other="same", rivals=1)), lambda x: bool(x["k"] <= min(x["N"], x.get("N2", x["N"])))),
    Statement("compare, paired=False", 0.05, TYPE_I, mistakes.unpaired,
              {"kinds": ANY, "M": (5, 8, 10, 15, 20, 30, 60, 100), "M2": (10, 30, 100, 300, 600, 1000), "N": TRIALS,
               "N2": TRIALS},
              (cell(Kind(1, 0.1, 1.0), M=10, M2=100, N=1, N2=1), cell(Kind(1, 1 / 11, 0.55), M=15, M2=300, N=1, N2=1),
               cell(Kind(1, 0.035), M=60, M2=600, N=1, N2=1), cell(Kind(1, 0.05), M=50, M2=500, N=1, N2=1)),
              lambda x: mistakes.units({**x, "M": min(x["M"], x["M2"])}) >= RARE / 4),
    Statement("interval, mean, sampled", 0.05, 0.11, mistakes.misses,
              {"kinds": ANY, **SAMPLED, "M": SIZE, "N": (1, 2, 4, 8, 64)},
              (cell(Kind(0.9, 0.9), Kind(0.1, 0), questions="sampled", M=40, N=64),), every_kind_expected),
    Statement("interval, mean, sampled, a kind that often is not sampled", 0.05, None, mistakes.misses,
              {"kinds": ANY, **SAMPLED, "M": SIZE, "N": (1, 2, 4, 8, 64)},
              (cell(Kind(0.95, 0.05), Kind(0.05, 1), questions="sampled", M=30, N=64),
               cell(Kind(0.9, 0.9), Kind(0.1, 0), questions="sampled", M=10, N=64))),
    Statement("interval, mean, sampled, clusters", 0.05, COVERAGE, mistakes.misses,
              {"kinds": ANY, **SAMPLED, "M": (60, 120, 240, 480), "cluster": (2, 5, 10, 20), "N": (1, 4)},
              (cell(Kind(0.7, 0.8), Kind(0.3, 0), questions="sampled", M=240, cluster=20, N=4),), every_kind_expected),
    Statement("interval, mean, sampled, a kind of cluster that often is not sampled", 0.05, None, mistakes.misses,
              {"kinds": ANY, **SAMPLED, "M": (60, 120, 240, 480), "cluster": (2, 5, 10, 20), "N": (1, 4)},
              (cell(Kind(0.9, 0.8), Kind(0.1, 0), questions="sampled", M=240, cluster=20, N=4),)),
    Statement("macro-average of one model", 0.05, COVERAGE, mistakes.macro_misses,
              {"parts": PARTS, "questions": ("fixed", "sampled"), "N": (1, 2, 4)},
              tuple(cell(parts=x, questions="sampled", N=1) for x in
                    (((1, 30, 0.5), (4, 500, 0.95)), ((1, 10, 0.1), (4, 100, 0.99)), ((5, 30, 0.99),)))),
    Statement("suite, equal models", 0.05, TYPE_I, mistakes.over_suite,
              {"parts": PARTS, "questions": ("fixed", "sampled"), "N": (1, 2, 4), "whole": (0, 1)},
              (cell(parts=((1, 30, 0.5), (4, 100, 0.95)), questions="sampled", N=1, whole=1),),
              lambda x: not x["whole"] or x["questions"] == "sampled"),
    Statement("suite, equal models, one benchmark without any difference, guard 1", 0.05, 0.12,
              whole_units.quiet_benchmark,
              {"M": (*range(9, 40), 60, 100), "M2": (9, 12, 16, 20, 50, 100), "weight": (0.2, 0.5, 0.8),
               "low": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.78, 1)},
              (cell(M=9, M2=16, low=0.2793, weight=0.5), cell(M=15, M2=50, low=0.3, weight=0.8),
               cell(M=12, M2=20, low=0.778339919, weight=0.8),
               cell(M=16, M2=50, low=1, weight=0.5))),
    Statement("gate, sampled, whole questions fail", 0.025, GATE, wrong_verdicts.passes, CLIFF,
              (cell(**FALL, M=125, margin=0.02), cell(**FALL, M=7, margin=0.358))),
    Statement("gate at 90%, sampled, whole questions fail", 0.05, 0.05, wrong_verdicts.passes,
              {**CLIFF, "margin": (*MARGIN, 0.3, 0.4, 0.5), "confidence": (0.9,)},
              tuple(cell(**FALL, M=M, margin=x, confidence=0.9) for M, x in ((4, 0.45), (5, 0.358), (100, 0.03)))),
    Statement("gate, sampled, whole questions fail, the others a little", 0.025, GATE, wrong_verdicts.passes_mixed,
              {"M": CLIFF["M"], "margin": MARGIN, "N": (8, 16, 32, 64, 128, 256)}, (cell(M=300, margin=0.02, N=64),)),
    Statement("gate, sampled, one model fails whole questions, the other a little", 0.025, GATE,
              wrong_verdicts.one_whole,
              {"M": (4, 5, 6, 8, 12, *SIZE), "margin": (0.001, *MARGIN, 0.3, 0.4), "N": (1, 2, 4, 64, 1000),
               "rate": (0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.2, 0.4), "verdict": ("pass", "fail"),
               "solved": (None, 1, 0.9)},
              (cell(M=30, N=4, margin=0.03, rate=0.0367, verdict="pass"),
               cell(M=60, N=4, margin=0.002, rate=0.0333, verdict="fail"),
               cell(M=100, N=1000, margin=0.001, rate=0.06, verdict="fail"),
               cell(M=5, N=1, margin=0.49, rate=0.24, verdict="fail"),
               cell(M=270, N=3, margin=0.0027, rate=0.018, verdict="fail")), runs=2000),
    Statement("gate, sampled, the candidate wins whole questions and loses others", 0.025, GATE,
              whole_units.wins_and_losses,
              WINS, tuple(cell(M=M, margin=x, win=win, N=100, verdict=v, other=o) for M, x, win, v, o in
                          ((4, 0.2, 0.39, "fail", 0), (5, 0.15, 0.336, "fail", 0), (8, 0.15, 0.253, "fail", 0),
                           (18, 0.49, 0.255, "fail", 0), (29, 0.68, 0.16, "fail", 0), (4, 0.02, 0.47, "pass", 0),
                           (125, 0.038, 0.0153, "pass", 0), (308, 0.01548, 0.0064, "pass", 0),
                           (84, 0.055, 0.077, "fail", -0.1)))),
    Statement("gate, sampled, the larger clusters fail whole", 0.025, None, whole_units.large_clusters,
              {"clusters": ("90x1 10x5", "190x1 10x10", "95x1 5x10", "30x1 30x3", "40x1 20x5", "150x1 50x5"), "N": (2,),
               "fails": (0.04, 0.08, 0.13, 0.18, 0.25, 0.35)},
              (cell(clusters="90x1 10x5", fails=0.1785, N=2), cell(clusters="95x1 5x10", fails=0.3, N=2))),
    Statement("gate, sampled, one model fails whole clusters, the other a little", 0.025, 0.055,
              wrong_verdicts.one_whole,
              {**WHOLE, "clusters": ("5x10", "10x2", "40x2", "80x10", "2x40 6x10 20x2", "1x30 30x1", "5x20 50x2")},
              (cell(clusters="40x2", N=1, margin=0.005, rate=0.1, verdict="pass"),
               cell(clusters="5x20 50x2", N=64, margin=0.2, rate=0.2, verdict="pass"),
               cell(clusters="10x2", N=1, margin=0.05, rate=0.3, verdict="fail")), runs=500),
    Statement("gate over a suite, one model fails whole questions of a benchmark, the other a little", 0.025, GATE,
              wrong_verdicts.one_whole,
              {**WHOLE, "benchmarks": ("10 10", "50 500", "500 50", "20 100 500", "30 30 30 30", "100 10 10")},
              (cell(benchmarks="50 500", N=1, margin=0.1, rate=0.3, verdict="fail"),), runs=500),
    Statement("gate over a suite, wins in one benchmark and losses in another", 0.025, 0.12,
              whole_units.two_benchmarks, BALANCE,
              tuple(cell(M=M, M2=n, weight=w, gain=g, high=h, low=c, better=b, margin=m, verdict="pass")
                    for M, n, w, c, h, b, g, m in ((9, 40, 0.3814, -0.5581, 0, 0, 0.8668, 0.1716),
                                                   (19, 40, 0.3992, -0.6577, 0, 0, 0.8997, 0.1366),
                                                   (5, 40, 0.6165, -0.4, 0, 0, 0.221, 0.3949),
                                                   (6, 17, 0.343506, -0.9, 0.4, 0.2946575, 0.58, 0.2908),
                                                   (12, 32, 0.343443, -1.0, 0.2, 0.582669, 0.79, 0.0081)))),
    Statement("gate, sampled, unequal trials, one model fails whole questions, the other a little", 0.025, GATE,
              wrong_verdicts.one_whole, {**WHOLE, "M": SIZE, "N": (2, 64, 1000), "single": (0.1, 0.5, 0.9)},
              (cell(M=300, N=1000, single=0.1, margin=0.005, rate=0.02, verdict="fail"),), runs=500),
    Statement("gate, sampled, any drop", 0.025, GATE, wrong_verdicts.passes,
              {**CLIFF, **DROPS, "M": SIZE}, (cell(**{**FALL, "N": 1, "N2": 1, "drop": 0.5}, M=100, margin=0.02),)),
    Statement("gate, sampled, whole clusters fail", 0.025, GATE, wrong_verdicts.passes,
              {**CLIFF, "M": (*range(40, 801, 20),), "cluster": (2, 5, 10, 20)},
              (cell(**FALL, M=400, cluster=20, margin=0.05), cell(**FALL, M=300, cluster=10, margin=0.05))),
    Statement("gate, fixed", 0.025, 0.04, wrong_verdicts.passes,
              {**CLIFF, **FIX, **DROPS, "N": TRIALS[1:], "N2": TRIALS[1:], "M": SIZE},
              tuple(cell(questions="fixed", M=100, margin=x, drop=x, rest=1, N=n, N2=n)
                    for x, n in ((0.05, 2), (0.02, 8))), runs=4000),
    Statement("gate, one trial", 0.025, GATE, wrong_verdicts.passes,
              {**CLIFF, **FIX, **DROPS, "N": (1,), "N2": (1,), "M": SIZE},
              (cell(questions="fixed", M=125, margin=0.02, drop=0.02, rest=1, N=1, N2=1),)),
    Statement("gate, paired=False", 0.025, GATE, wrong_verdicts.passes, {**CLIFF, "M": SIZE, "M2": SIZE},
              (cell(**FALL, M=100, M2=100, margin=0.02), cell(**FALL, M=50, M2=50, margin=0.05))),
    Statement("gate, Pass@k, fixed, N < 2k", 0.025, 0.04, wrong_verdicts.passes_k, {**PASS, "margin": MARGIN},
              (cell(*TWO, **EIGHT, margin=0.05),), short_k),
    Statement("gate over a suite, the mean", 0.025, GATE, wrong_verdicts.passes_suite, {**SUITE, "rule": ("mean",)},
              (cell(M=40, M2=100, others=4, margin=0.02, N=1, rule="mean"),)),
    Statement("gate over a suite, each", 0.025, GATE, wrong_verdicts.passes_suite, {**SUITE, "rule": ("each",)},
              (cell(M=125, M2=500, others=4, margin=0.02, N=1, rule="each"),)),
    Statement("Monitor, mean, equal models", 0.05, TYPE_I, mistakes.looks, {"kinds": ANY, "M": SIZE, "N": (4, 8, 16)},
              (cell(*TWO, M=30, N=8),)),
    Statement("Monitor, mean, equal models, trials where outcomes vary", 0.05, TYPE_I, mistakes.uneven_looks, UNEVEN,
              (cell(Kind(0.1, 0.5), Kind(0.9, 0), **ADAPTIVE, **{"trials if equal": 16}),
               cell(Kind(0.1, 0.5), Kind(0.9, 0, None, 16), **ADAPTIVE, **{"trials if equal": 0})), runs=2000),
    Statement("Monitor, mean, models alike, more and more sampled questions", 0.05, TYPE_I, mistakes.growing,
              {"kinds": ANY, "M": (20, 40, 100, 200), "N": (1, 2, 4, 8), "looks": (2, 4, 8),
               "other": ("same", "other questions")},
              (cell(Kind(0.9, 0.9), Kind(0.1, 0), M=40, N=4, looks=4, other="other questions"),)),
    Statement("EarlyStopping, equal to its baseline", 0.05, TYPE_I, mistakes.stops, {"kinds": ANY, **SLOW},
              (cell(Kind(1, 0.5, 2.0), M=30, N=8, slower=5, **{"at once": 240}),
               cell(Kind(1, 0.5, 2.0), M=30, N=8, slower=5, **{"at once": 60}))),
    Statement("interval, plurality@k, 2k <= N", 0.05, COVERAGE, wrong_estimates.votes, {**VOTES, "k": (1, 2, 4, 8)},
              (cell(M=100, N=16, k=8, right=0.45, wrong=0.818),), lambda x: bool(2 * x["k"] <= x["N"])),
    Statement("compare, plurality@k, 2k <= N", 0.05, TYPE_I, partial(wrong_estimates.votes, models=2),
              {**VOTES, "k": (1, 2, 4, 8)}, (cell(M=100, N=16, k=8, right=0.45, wrong=0.818),),
              lambda x: bool(2 * x["k"] <= x["N"])),
    Statement("interval, plurality@k, k = N", 0.05, None, wrong_estimates.votes, VOTES,
              (cell(M=100, N=16, right=0.45, wrong=0.818),)),
    Statement("compare, plurality@k, k = N", 0.05, None, partial(wrong_estimates.votes, models=2), VOTES,
              (cell(M=100, N=16, right=0.45, wrong=0.818),)),
    Statement("fitted model inside the band, all limits rising with k", 0.0, 0.0, wrong_estimates.impossible,
              {"kinds": ANY, "M": (20, 40, 100, 200), "N": (4, 8, 16)}, (cell(Kind(1, 0.6, 2.0), M=40, N=8),)),
    Statement("average, after the trials that extrapolate advises", 0.05, COVERAGE, wrong_estimates.advised,
              {"kinds": ANY, "M": (50, 100, 500), "N": (4, 8), "more": (4, 12, 40)},
              (cell(Kind(1, 0.25, 4.0), M=100, N=4, more=12), cell(Kind(1, 0.2308, 1.3), M=500, N=4, more=12))),
    Statement("judged, sampled, a label of each outcome is expected", 0.05, COVERAGE, wrong_estimates.judged, JUDGE,
              (cell(**{"mean": 0.95}, labels=20, M=500, sensitivity=0.95, specificity=0.8),),
              lambda x: x["labels"] < x["M"] and x["labels"] * (1 - x["mean"]) >= 1 - 1e-9),
    Statement("judged, sampled, fewer labels", 0.05, None, wrong_estimates.judged, JUDGE,
              (cell(**{"mean": 0.98}, labels=20, M=500, sensitivity=0.95, specificity=0.8),),
              lambda x: x["labels"] * (1 - x["mean"]) < 1 - 1e-9),
    Statement("judged, sampled, five grades", 0.05, None, wrong_estimates.judged_grades,
              {"grades": tuple(GRADES), "labels": (20, 30, 50, 100), "M": (300, 1000),
               "judge": ("perfect", "useless", "a grade too kind", "hides rare grades", "a grade off")},
              (cell(grades="5% at 0, others 3", labels=50, M=1000, judge="hides rare grades"),),
              lambda x: x["labels"] * min(y for y in GRADES[x["grades"]] if y) >= sum(GRADES[x["grades"]])),
    Statement("suspects, sound ones among them", 0.1, None, wrong_estimates.suspected,
              {"models": (6, 12, 24), "N": (1, 4, 16), "second": (0, 0.1, 0.2, 0.3, 0.5), "flipped": (0, 5)},
              (cell(models=12, N=4, second=0.2, flipped=5), cell(models=24, N=4, second=0.2, flipped=0)), runs=100),
    Statement("coefficient of reliability", 0.05, None, wrong_estimates.reliable,
              {"models": (5, 8, 12, 20), "N": (1, 4, 16), "worse": (0, 0.05, 0.1, 0.2, 0.5), "gap": (0.2, 0.3, 0.5),
               "standard deviation": (0.02, 0.05, 0.1)},
              (cell(models=8, N=4, worse=0, gap=0.5, **{"standard deviation": 0.1}),
               cell(models=8, N=4, worse=0.1, gap=0.5, **{"standard deviation": 0.03}))),
)  # fmt: skip
