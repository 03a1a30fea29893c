"""Cases of ledgers of builds: gate_builds, alarms, steps, noise_floor."""
from random import Random

from cases import recipe

W3, W5 = [0.0, 0.5, 1.0], [-1.0, 0.0, 0.25, 0.75, 2.5]
DROP = {"missing": "drop"}
RUNS = {"ratio": 2.25, "df": 5.0}, {"ratio": 0.6, "df": 12}, {"ratio": 1.0, "df": 1}, {"ratio": 4.0, "df": 1e300}


def of(n, *successes):
    """Counts of n trials of each question with these successes."""
    return {"counts": [[n - c, c] for c in successes]}


def named(*each):
    return {"models": {f"b{j + 1}": x for j, x in enumerate(each)}}


def matrices(*each):
    """A tensor from rows of digits; a dot is a missing outcome."""
    return {"tensor": [[[None if x == "." else int(x) for x in row] for row in rows] for rows in each]}


def drawn(rng, chances, n, C=1):
    """A build: counts of n trials of each question, or of n +- 1 if n is a text."""
    out = []
    for p in chances:
        trials = n if isinstance(n, int) else int(n) + rng.randint(-1, 1)
        row = [0] * (C + 1)
        for _ in range(trials):
            row[sum(rng.random() < p for _ in range(C))] += 1
        out.append(row)
    return {"counts": out}


def history(seed, M, n, losses, C=1, pins=1):
    """Pins and builds whose chances are lower by these losses."""
    rng = Random(seed)
    chances = [rng.uniform(0.3, 0.95) for _ in range(M)]
    pin = [drawn(rng, chances, n, C) for _ in range(pins)]
    builds = [drawn(rng, [min(1.0, max(0.0, p - d)) for p in chances], n, C) for d in losses]
    return pin[0] if pins == 1 else {"models": {f"p{i}": x for i, x in enumerate(pin)}}, named(*builds)


# ---------------------------------------------------------------- histories for all: (comment, flags, pin, builds, args)

PIN = of(8, 8, 6, 4, 7)
EXAMPLE = named(of(8, 8, 6, 3, 7), of(8, 8, 7, 6, 8), of(8, 6, 3, 2, 4), of(8, 5, 4, 1, 3))
GRADED = {"counts": [[2, 2, 4], [0, 3, 5], [1, 1, 6], [4, 2, 2]]}
GRADED_BUILDS = named({"counts": [[1, 3, 4], [0, 2, 6], [2, 0, 6], [4, 1, 3]]}, {"counts": [[3, 3, 2], [1, 4, 3], [3, 2, 3], [5, 3, 0]]},
                      {"counts": [[4, 3, 1], [2, 4, 2], [4, 2, 2], [6, 2, 0]]})
UNEQUAL = named({"counts": [[1, 7], [2, 3], [4, 4], [0, 6]]}, {"counts": [[0, 2], [3, 5], [1, 2], [2, 9]]}, {"counts": [[3, 1], [4, 2], [9, 3], [2, 2]]},
                {"counts": [[2, 3], [4, 1], [5, 0], [3, 6]]})
SOME_SINGLE = named({"counts": [[1, 7], [0, 1], [4, 4], [0, 6]]}, {"counts": [[0, 1], [3, 5], [1, 0], [2, 9]]}, {"counts": [[3, 1], [4, 2], [1, 0], [2, 2]]})
HOLES = matrices([".101", "0110", "11.1"], ["1100", "0.00", "1111"], ["0000", "01..", "1.01"], ["1111", "0111", "1111"])
IDS = ["q1", "q2", "q3", "q4"]


def with_ids(x, order=(0, 1, 2, 3)):
    return {"counts": [x["counts"][i] for i in order], "ids": [IDS[i] for i in order]}


def histories():
    """Histories of every form."""
    yield "the example of families/ledger.md", ["golden"], PIN, EXAMPLE, {}
    yield "a single build", ["boundary"], PIN, named(of(8, 6, 6, 4, 7)), {}
    yield "builds without names", [], matrices("1011 1101 0111 1111".split()), matrices("1011 1001 0110 1111".split(), "0011 1000 0110 1010".split()), {}
    yield "several evaluations in the pin", ["mapping"], named(of(4, 4, 3, 2, 4), of(4, 4, 3, 2, 3)), EXAMPLE, {}
    yield "a pin of three evaluations, unequal trials", ["ragged"], named({"counts": [[0, 4], [1, 2], [4, 4], [1, 3]]}, of(2, 2, 1, 1, 2), of(5, 4, 4, 3, 5)), EXAMPLE, {}
    yield "a tensor as pin", [], matrices("1011 1101".split(), "1111 1100".split()), matrices("1011 1001".split(), "0011 1000".split(), "1111 1111".split()), {}
    yield "unequal trials", ["ragged"], PIN, UNEQUAL, {}
    yield "a pin of unequal trials", ["ragged"], UNEQUAL, EXAMPLE, {}
    yield "some questions have one trial", ["ragged", "boundary"], PIN, SOME_SINGLE, {}
    yield "some questions of the pin have one trial", ["ragged", "boundary"], {"counts": [[0, 1], [1, 3], [0, 1], [2, 2]]}, EXAMPLE, {}
    yield "one trial a question", ["boundary"], of(4, 4, 3, 2, 4, 3, 4), named(of(1, 1, 1, 0, 1, 1, 1), of(1, 1, 0, 1, 1, 0, 1), of(1, 0, 0, 0, 1, 0, 1)), {}
    yield "one trial a question, of the pin too", ["boundary"], of(1, 1, 1, 0, 1, 0, 1), named(of(1, 1, 1, 0, 1, 1, 1), of(1, 1, 0, 1, 1, 0, 1), of(1, 0, 0, 0, 1, 0, 0)), {}
    yield "a pin of one trial a question, builds with more", ["boundary"], of(1, 1, 0, 1, 1), EXAMPLE, {}
    yield "one question", ["boundary"], of(16, 12), named(of(16, 13), of(16, 8), of(16, 3), of(16, 2)), {}
    yield "a question with two trials, every end is rational", ["boundary"], of(8, 8), named(of(2, 2), of(2, 1), of(2, 0)), {}
    yield "only successes", ["boundary", "sigma-zero"], of(8, 8, 8, 8), named(of(8, 8, 8, 8), of(8, 8, 8, 8), of(8, 8, 8, 7)), {}
    yield "only failures", ["boundary", "sigma-zero"], of(8, 0, 0, 0), named(of(8, 0, 0, 0), of(8, 0, 0, 0)), {}
    yield "no question varies", ["boundary", "sigma-zero"], of(8, 8, 0, 8), named(*[of(8, 8, 0, 8)] * 3), {}
    yield "equal builds", ["exact-zero"], PIN, named(*[of(8, 8, 6, 4, 7)] * 4), {}
    yield "equal scores on other questions", ["exact-zero"], of(8, 8, 6, 4, 7), named(of(8, 7, 8, 6, 4), of(8, 4, 7, 8, 6), of(16, 16, 12, 8, 14)), {}
    yield "equal scores with unequal trials", ["exact-zero", "ragged"], of(6, 2, 4, 3), named({"counts": [[2, 1], [1, 2], [3, 3]]}, {"counts": [[8, 4], [2, 4], [1, 1]]}), {}
    for policy in ("drop", 0, 1):
        yield f"missing outcomes, {policy!r}", ["missing"], HOLES, HOLES, {"missing": policy}
    yield "NaN is missing as null is", ["missing"], matrices(["11", "01"]), {"tensor": [[[1, "nan", 0], [0, 1, None]], [[1, 1, 0], [0, 1, 0]]]}, DROP
    yield "graded", ["weights"], GRADED, GRADED_BUILDS, {"w": W3}
    yield "graded, falling scores below 0", ["weights"], GRADED, GRADED_BUILDS, {"w": [2.0, -0.5, -3.0]}
    yield "graded, scores of 1e15 .. 1e15 + 2", ["weights", "large"], GRADED, GRADED_BUILDS, {"w": [1e15, 1e15 + 1, 1e15 + 2]}
    yield "graded, scores whose common unit is tiny", ["weights", "large"], GRADED, GRADED_BUILDS, {"w": [0.1, 1e-290, 3e10]}
    yield "two categories of equal scores", ["weights"], GRADED, GRADED_BUILDS, {"w": [0.0, 1.0, 1.0]}
    yield "outcomes of a question differ by a tiny part of the scale", ["weights", "boundary"], {"counts": [[4, 4, 0], [6, 2, 0]]}, \
        named({"counts": [[4, 4, 0], [5, 3, 0]]}, {"counts": [[1, 7, 0], [0, 8, 0]]}), {"w": [0.0, 1e-9, 1.0]}
    yield "trials far apart occur only in later builds", ["weights"], {"counts": [[4, 4, 0], [6, 2, 0]]}, \
        named({"counts": [[4, 4, 0], [5, 3, 0]]}, {"counts": [[4, 4, 0], [6, 1, 1]]}, {"counts": [[4, 3, 1], [2, 2, 4]]}), {"w": [0.0, 0.25, 1.0]}
    yield "scores on -1 .. 1, a mean of 0", ["weights", "exact-zero"], of(8, 4, 2, 6), named(of(8, 4, 4, 4), of(8, 2, 2, 2)), {"w": [-1.0, 1.0]}
    yield "counts with ids in another order", ["ids"], with_ids(PIN), \
        named(with_ids(of(8, 8, 6, 3, 7), (2, 0, 1, 3)), with_ids(of(8, 8, 7, 6, 8)), with_ids(of(8, 6, 3, 2, 4), (3, 2, 1, 0))), {}
    yield "matrices by recipe", ["large"], recipe(30, 8, 1201), named(*(recipe(30, 4, 1202 + j) for j in range(6))), {}
    for seed, M, n, losses, C, pins in ((1, 6, 8, [0] * 6, 1, 1), (2, 10, 4, [0.05 * j for j in range(8)], 1, 2), (3, 5, 6, [0, 0, 0.3, 0.3, 0], 1, 3),
                                        (4, 6, "3", [0, 0.1, 0.1, 0.2, 0.3], 1, 1), (5, 8, "4", [0] * 7, 1, 2), (6, 4, 5, [0, 0.1, -0.2, 0.1], 4, 1),
                                        (7, 12, 1, [0, 0, 0.2, 0.2, 0.4], 1, 1), (8, 12, 2, [0, -0.2, 0, 0.2, 0.4, 0.4], 1, 4), (9, 3, 12, [0.2, 0, -0.1], 4, 2)):
        pin, builds = history(seed, M, n, losses, C, pins)
        yield f"random outcomes of seed {seed}", ["random"], pin, builds, {"w": W5} if C > 1 else {}


def span_of(args):
    return max(args["w"]) - min(args["w"]) if "w" in args else 1.0


# ---------------------------------------------------------------- the functions

def gate_builds():
    def case(comment, pin, builds, *flags, margin=0.25, **args):
        return comment, list(flags) or ["plain"], {"builds": builds, "pin": pin, "margin": margin, **args}

    for i, (comment, flags, pin, builds, args) in enumerate(histories()):
        margins = (0.5, 0.1) if i in (0, 6, 10) else (0.25,)
        for m in margins:
            yield case(f"{comment}, margin {m} of the span", pin, builds, *flags, margin=m * span_of(args), **args)
    for runs in RUNS:
        yield case(f"runs of ratio {runs['ratio']}", PIN, EXAMPLE, "runs", runs=runs)
        yield case(f"one trial a question, runs of ratio {runs['ratio']}", of(4, 4, 3, 2, 4), named(of(1, 1, 1, 0, 1), of(1, 0, 0, 1, 0)), "runs", runs=runs)
    yield case("other members of the mapping have no effect", PIN, EXAMPLE, "runs", runs={"ratio": 2.25, "df": 5.0, "sd": 0.1})
    for confidence in (0.5, 0.8, 0.99, 0.999999, 1e-6):
        yield case(f"confidence {confidence}", PIN, EXAMPLE, "confidence", confidence=confidence, margin=0.4)
    yield case("the pin has only successes, a build is exactly at the floor", of(8, 8, 8, 8, 8), named(of(8, 7, 7, 7, 7), of(8, 8, 8, 8, 8), of(8, 6, 8, 7, 7)), "exact-zero", "boundary", margin=0.125)
    yield case("the same with scores 0 and 3: the margin is a third of the span", of(6, 6, 6), named(of(6, 4, 4), of(6, 5, 6)), "exact-zero", "weights", margin=1.0, w=[0.0, 3.0])
    yield case("p is exactly 1/4, which is not doubtful", of(8, 8), named(of(2, 2), of(2, 2), of(2, 1)), "boundary", margin=0.5)
    yield case("p is exactly the level, which passes", of(8, 8), named(of(7, 7), of(6, 6)), "boundary", margin=0.5, confidence=0.875)
    yield case("a margin next to the span", PIN, EXAMPLE, "boundary", margin=0.9999999999999999)
    yield case("a tiny margin", PIN, EXAMPLE, "boundary", margin=1e-300)
    better = [of(64, 40 + 2 * j, 50 + j, 30 + 3 * j, 44 + 2 * j) for j in range(6)]
    yield case("proven gains raise the floor, and a return to the pin fails", of(64, 40, 50, 30, 44), named(*better, *[of(64, 40, 50, 30, 44)] * 2), margin=0.05)
    yield case("a build raises the floor, an equal one does not", of(64, 40, 50, 30, 44), named(*[of(64, 58, 60, 50, 56)] * 2), "exact-zero", margin=0.1)
    yield case("the floor rises above the pin", of(32, 8, 10, 12), named(of(64, 62, 64, 60), of(64, 30, 32, 33)), "boundary", margin=0.1)
    yield case("many doubtful builds, then one that would have passed at first", of(32, 24, 20, 28, 16), named(*[of(8, 5, 4, 6, 3)] * 12, of(16, 12, 10, 15, 8), of(32, 26, 22, 30, 18)), margin=0.2)
    yield case("bad builds do not lower the level", of(32, 24, 20, 28, 16), named(*[of(16, 4, 3, 6, 2)] * 10, of(32, 24, 21, 28, 16)), margin=0.2)
    yield case("the pin fails everything, a build below 0 of the floor", of(8, 0, 0), named(of(8, 0, 0), of(8, 1, 0)), "boundary", margin=0.5)
    pin, builds = history(31, 20, 4, [0.01 * j for j in range(20)], pins=4)
    yield case("a slide of twenty builds", pin, builds, "random", margin=0.15)
    pin, builds = history(32, 15, 1, [0] * 8, pins=4)
    yield case("eight builds of one trial", pin, builds, "random", margin=0.3)
    yield case("answers stand for their successes", {"answers": {"right": [3, 2, 4], "other": [[1], [1, 1], []], "blank": [0, 0, 0]}},
               named({"answers": {"right": [2, 3, 4], "other": [[2], [1], []], "blank": [0, 0, 0]}}, of(4, 3, 2, 3)), margin=0.4)


def alarms():
    def case(comment, pin_of, builds, *flags, **args):
        return comment, list(flags) or ["plain"], {"builds": builds, **({} if pin_of is None else {"pin": pin_of}), **args}

    for i, (comment, flags, pin, builds, args) in enumerate(histories()):
        yield case(comment, pin, builds, *flags, **args)
        if i % 3 == 0:
            yield case(f"{comment}, no pin", None, builds, *flags, **args)
    for runs in (*RUNS, "sampled"):
        what = "sampled" if runs == "sampled" else f"of ratio {runs['ratio']}"
        yield case(f"runs {what}", PIN, EXAMPLE, "runs", runs=runs)
        yield case(f"runs {what}, unequal trials", PIN, UNEQUAL, "runs", "ragged", runs=runs)
        yield case(f"runs {what}, no pin, graded", None, GRADED_BUILDS, "runs", "weights", w=W3, runs=runs)
    yield case("runs sampled, no question varies: the ratio is 1", of(8, 8, 0), named(*[of(8, 8, 0)] * 4, of(8, 2, 0), of(8, 1, 0)), "runs", "boundary", runs="sampled")
    yield case("runs sampled, equal scores of successive builds: the ratio is 0", of(8, 4, 6), named(*[of(8, 4, 6)] * 3, of(8, 2, 6), of(8, 2, 3)), "runs", "boundary", runs="sampled")
    yield case("null as the pin", None, EXAMPLE, "alias", pin=None)
    for every in (50, 2000, 123.5):
        yield case(f"every {every}", PIN, EXAMPLE, "boundary", every=every)
    pin, builds = history(41, 10, 4, [0.02 * j for j in range(30)], pins=2)
    yield case("a slide: several alarms, each with a new reference", pin, builds, "random", every=50)
    yield case("a slide, runs sampled", pin, builds, "random", "runs", every=50, runs="sampled")
    pin, builds = history(42, 8, 6, [0] * 10 + [0.3] * 8 + [0] * 8, pins=4)
    yield case("a loss and its repair: alarms of both kinds", pin, builds, "random")
    yield case("a loss and its repair, runs sampled", pin, builds, "random", "runs", every=60.5, runs="sampled")
    yield case("a loss and its repair, no pin", None, builds, "random", every=100)
    pin, builds = history(43, 6, "3", [0, 0, 0, 0.2, 0.4, 0.4, 0.4, 0, 0, 0, 0], pins=1)
    yield case("unequal trials in every build", pin, builds, "ragged", "random", every=50)
    pin, builds = history(44, 7, 1, [0] * 4 + [0.6] * 8)
    yield case("one trial a question, no variance of a trial before the second build", None, builds, "boundary", "random", every=50)
    yield case("one trial a question and a pin of one trial", pin, builds, "boundary", "random", every=50)
    yield case("an alarm at the first build", of(64, 60, 62, 58), named(of(64, 20, 30, 25), of(64, 20, 30, 25), of(64, 60, 62, 58)), "boundary")
    yield case("alarms at successive builds with a pin between", of(64, 60, 62, 58), named(*[of(64, c, c + 4, c) for c in (20, 20, 60, 60, 10, 10)]), "boundary")
    yield case("W is exactly 1/2: the sum is 0", of(8, 4), named(of(8, 4), of(8, 3)), "boundary")


def steps():
    def case(comment, builds, *flags, **args):
        return comment, list(flags) or ["plain"], {"builds": builds, **args}

    for comment, flags, _, builds, args in histories():
        if comment != "a single build":
            yield case(comment, builds, *flags, **args)
    for runs in (*RUNS, "sampled"):
        what = "sampled" if runs == "sampled" else f"of ratio {runs['ratio']}"
        yield case(f"runs {what}", EXAMPLE, "runs", runs=runs)
        yield case(f"runs {what}, unequal trials, low confidence", UNEQUAL, "runs", "ragged", "confidence", confidence=0.3, runs=runs)
    yield case("two builds, equal", named(*[of(8, 4, 6)] * 2), "boundary", "exact-zero")
    yield case("two builds, a step", named(of(64, 60, 62), of(64, 20, 30)), "boundary")
    yield case("two builds, a step, runs sampled: one degree of freedom", named(of(64, 60, 62), of(64, 20, 30)), "boundary", "runs", runs="sampled", confidence=0.4)
    yield case("equal |Z| at two splits: the first", named(of(32, 28, 30), of(32, 12, 14), of(32, 12, 14), of(32, 28, 30)), "ties", confidence=0.3)
    yield case("equal |Z| at two splits of opposite sign, unequal trials", named(of(16, 14, 15), of(32, 12, 14), of(32, 12, 14), of(16, 14, 15)), "ties", "ragged", confidence=0.3)
    for confidence in (1e-6, 0.5, 0.8, 0.99, 0.999999):
        yield case(f"confidence {confidence}", EXAMPLE, "confidence", confidence=confidence)
    up_down = [0] * 8 + [0.4] * 8 + [0] * 8
    for seed, M, n, losses in ((51, 8, 8, up_down), (52, 10, 6, [0] * 6 + [0.25] * 6 + [0.5] * 6), (53, 6, 4, [0] * 10), (54, 6, "4", up_down),
                               (55, 12, 4, [0.02 * j for j in range(25)]), (56, 10, 8, [0, 0, 0.5, 0, 0, -0.5, 0, 0.3, 0.3]), (57, 20, 1, up_down)):
        _, builds = history(seed, M, n, losses)
        yield case(f"steps of seed {seed}", builds, "random", *(["ragged"] if n == "4" else []))
        yield case(f"steps of seed {seed}, runs sampled", builds, "random", "runs", runs="sampled")
    _, builds = history(58, 9, 8, [0] * 5 + [0.35] * 3 + [0.1] * 7, C=4)
    yield case("graded steps", builds, "weights", "random", w=W5)
    yield case("graded steps, stated runs", builds, "weights", "random", "runs", w=W5, runs=RUNS[0])
    _, builds = history(59, 10, 6, [0] * 5 + [0.4] * 2 + [0] * 5 + [0.1] * 9)
    yield case("the second scan drops or moves a split", builds, "random", confidence=0.7)
    _, builds = history(60, 10, 6, [0, 0.3, 0.3, 0.1, 0.1, 0.1, 0.4, 0.2, 0, 0, 0.5, 0.1])
    for confidence in (0.2, 0.5):
        yield case(f"many short segments, confidence {confidence}", builds, "random", confidence=confidence)
    yield case("a change of the whole span: an end is cut", named(*[of(2, 0, 0)] * 3, *[of(2, 2, 2)] * 3), "clip", confidence=0.5)
    yield case("a change below the least double is 0", {"tensor": [[[0, 0], [0, 1]], [[0, 0], [0, 0]]]}, "boundary", confidence=0.25, w=[0.0, 5e-324, 0.0])
    hardly = {"tensor": [[[0], [0]], [[0], [0]], [[0], [2]]]}
    yield case("a p-value of 1 at the least confidence is no step", {"tensor": [[[0], [0], [0]], [[0], [0], [1]], [[0], [0], [0]]]}, "boundary", confidence=5e-324)
    yield case("a change of 1e-41 of the scale is no step: the tail is 1/2", hardly, "boundary", w=[0.0, 0.0, 6.74616044171302e-41, 1.0])


def noise_floor():
    def case(comment, evaluations, *flags, **args):
        return comment, list(flags) or ["plain"], {"evaluations": evaluations, **args}

    columns = {"tensor": [[[x] for x in row] for row in ([1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 0, 1])]}
    yield case("the example of families/ledger.md", columns, "golden")
    yield case("the example at confidence 1/2", columns, "golden", confidence=0.5)
    for comment, flags, _, builds, args in histories():
        M = len(next(iter(builds["models"].values())).get("counts", [0, 0])) if "models" in builds else 2
        if comment != "a single build" and M > 1:
            yield case(comment, builds, *flags, **args)
    calm = named(*(of(200, 180 + j % 3, 150 - j % 2, 190, 120 + j) for j in range(4)))
    yield case("enough trials for all margins", calm)
    for pooled in (1, 2, 4, 100, 10**18):
        yield case(f"a pin of {pooled}", calm, "boundary", pooled=str(pooled) if pooled > 2**53 else pooled)
    yield case("null as pooled", calm, "alias", pooled=None)
    for power in (0.5, 0.9, 0.9999999999999999):
        yield case(f"power {power}", calm, "confidence", power=power)
    for confidence in (1e-6, 0.5, 0.99):
        yield case(f"confidence {confidence}", calm, "confidence", confidence=confidence)
    single, graded = named(*(of(1, *[1] * 25, *[k % 2] * k, *[1] * (5 - k)) for k in range(4))), [(seed, 24, n, C) for seed, n, C in ((75, 1, 4), (76, "2", 1), (77, 2, 4))]
    for pooled in (1, 2, 9):
        yield case(f"single trials, a pin of {pooled}", single, "boundary", pooled=pooled)
    for confidence, power in ((1e-6, 0.8), (0.5, 0.5), (0.95, 0.5)):
        yield case(f"single trials, confidence {confidence}, power {power}", single, "confidence", confidence=confidence, power=power)
    for seed, M, n, C in graded:
        _, evaluations = history(seed, M, n, [0] * 4, C=C)
        for pooled in (1, 3):
            yield case(f"seed {seed}, {n} trials or about so many, a pin of {pooled}", evaluations, "random", pooled=pooled, **({"w": W5} if C > 1 else {}))
    near_the_end = named(*({"counts": [[0, 0, 0, int(q in (k, 7)), int(q not in (k, 7))] for q in range(20)]} for k in range(4)))
    yield case("single trials, scores that vary little", near_the_end, "weights", w=[0.0, 0.25, 0.5, 0.75, 1.0])
    low = named(*(of(1, *[0] * 26, *[k % 2] * k, *[0] * (4 - k)) for k in range(4)))
    yield case("single trials, low scores", low, "boundary")
    yield case("no evaluation by itself has two different trials", named(of(2, 2, 0, 2, 2), of(2, 2, 2, 2, 2)), "boundary")
    for M in (2, 3, 40):
        yield case(f"each evaluation differs from the others by the same on all {M} questions", {"tensor": [[[k % 2]] * M for k in range(4)]}, "boundary", pooled=1)
    yield case("margins are None next to the span", named(of(4, 2, 3), of(4, 1, 2), of(4, 3, 3)), "boundary")
    yield case("evaluations that differ more than their trials explain", named(of(50, 40, 45, 30), of(50, 25, 35, 20), of(50, 48, 49, 40)), "runs")
    yield case("evaluations that are equally good: ratio 0", named(*[of(50, 40, 45, 30)] * 3), "runs", "exact-zero")
    for seed, M, n in ((71, 8, 20), (72, 12, "6"), (73, 30, 1), (74, 5, 40)):
        _, evaluations = history(seed, M, n, [0] * 5)
        yield case(f"evaluations of seed {seed}", evaluations, "random")
