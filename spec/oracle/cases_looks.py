"""Cases of looks: boundaries of planned looks, e-values at any time, gates."""
from random import Random

from cases import recipe, states
from cases_hypergeometric import GRADED

SPENDING, MAX_CONFIDENCE = ("obrien-fleming", "pocock"), 0.999999999999  # the largest confidence


def boundaries():
    def case(comment, fractions, *flags, **args):
        return comment, list(flags) or ["plain"], {"fractions": fractions, **args}

    for spending in SPENDING:
        more = {} if spending == "obrien-fleming" else {"spending": spending}
        yield case(f"four equal steps, {spending}", [0.25, 0.5, 0.75, 1.0], "golden", **more)
        yield case(f"one look: the normal quantile, {spending}", [1.0], "boundary", **more)
        yield case(f"integers: one look, {spending}", [1], "boundary", **more)
        yield case(f"one early look only, {spending}", [0.5], **more)
        yield case(f"the smallest first step, {spending}", [0.00390625], "boundary", **more)
        yield case(f"two looks, {spending}", [0.5, 1.0], **more)
        yield case(f"a late second look, {spending}", [0.1, 1.0], **more)
        yield case(f"a first look near the end, {spending}", [0.99609375, 1.0], "boundary", **more)
        yield case(f"the smallest step between two looks, {spending}", [0.5, 0.50390625], "boundary", **more)
        yield case(f"three unequal steps, {spending}", [0.3, 0.45, 0.9], **more)
        yield case(f"five of eight equal steps so far, {spending}", [0.125, 0.25, 0.375, 0.5, 0.625], **more)
        for confidence in (0.5, 0.9, 0.99, 0.999):
            yield case(f"confidence {confidence!r}, {spending}", [0.4, 0.7, 1.0], "confidence", confidence=confidence, **more)
        yield case(f"five equal steps, {spending}", [0.2, 0.4, 0.6, 0.8, 1.0], confidence=0.9, **more)
    yield case("the largest confidence", [0.5, 1.0], "boundary", confidence=MAX_CONFIDENCE)
    yield case("a look that may spend less than the smallest double", [0.00390625, 0.5], "underflow", confidence=MAX_CONFIDENCE)
    yield case("two looks that may spend less than the smallest double, before a third", [0.01, 0.02, 1.0], "underflow", confidence=1 - 1e-9)
    rng = Random(931)
    for i in range(14):
        n = rng.randint(1, 3)
        f = sorted(rng.sample(range(1, 21), n))
        yield case(f"random fractions {i + 1} of seed 931", [x / 20 for x in f], "random", confidence=rng.choice([0.95, 0.8, 0.99]),
                   spending=SPENDING[i % 2])


def e_value():
    def case(comment, z, f, *flags, **args):
        return comment, list(flags) or ["plain"], {"z": z, "f": f, **args}

    yield case("z of 3 at the expected information", 3.0, 1.0, "golden")
    for f in (0.25, 0.5, 2.0):
        yield case(f"z of 1 at {f} of the expected information", 1.0, f, "golden")
    for z in (0, 0.5, -0.5, 1.959963984540054, -3, 3.0352089903762528, 5, 8.5, -12.0, 30, 37.7, 37.8, 60):
        yield case(f"z of {z!r}", z, 1, "boundary" if abs(z) > 30 or z == 0 else "plain")
    yield case("z of negative zero", "-0.0", 0.5, "boundary")
    yield case("a tiny z", 1e-300, 1.0, "underflow")
    for f in (1e-300, 1e-12, 1e-3, 0.1, 10, 1e3, 1e12, 1e300):
        yield case(f"fraction {f!r}", 2.5, f, "boundary" if f < 1e-3 or f > 1e3 else "plain")
    yield case("a fraction below the normal doubles", 1.0, 5e-324, "underflow")
    for confidence in (0.5, 0.75, 0.9, 0.99, 0.9999, MAX_CONFIDENCE):
        yield case(f"confidence {confidence!r}", 2.75, 0.75, "confidence", confidence=confidence)
    rng = Random(932)
    for i in range(14):
        yield case(f"random values {i + 1} of seed 932", rng.randint(-6000, 6000) / 1000, rng.randint(1, 3000) / 1000, "random",
                   confidence=rng.choice([0.95, 0.99, 0.8]))


def pair_e_value():
    def case(comment, wins, losses, *flags):
        return comment, list(flags) or ["plain"], {"wins": wins, "losses": losses}

    yield case("9 to 1: 512/55", 9, 1, "golden")
    yield case("1 to 9: the same e-value as 9 to 1", 1, 9)
    yield case("no pairs", 0, 0, "boundary")
    for wins, losses in ((1, 0), (0, 1), (1, 1), (5, 0), (6, 0), (2, 2), (10, 10), (7, 3), (14, 5), (12, 0)):
        yield case(f"{wins} to {losses}", wins, losses)
    for n in (20, 50, 100, 1000):
        yield case(f"{n} pairs, balanced", n // 2, n // 2)
        yield case(f"{n} pairs, six of ten", 6 * n // 10, 4 * n // 10)
        yield case(f"{n} pairs, all one way", 0, n, "boundary" if n > 500 else "plain")
    yield case("the last e-value of one direction that is a double", 1034, 0, "boundary")
    yield case("the first e-value of one direction that is beyond the doubles", 1035, 0, "boundary")
    yield case("a p-value below the normal doubles", 0, 1060, "underflow")
    yield case("a p-value below half the smallest double", 1100, 0, "underflow")
    yield case("many pairs", 10300, 9700, "large")
    rng = Random(933)
    for i in range(14):
        yield case(f"random pairs {i + 1} of seed 933", rng.randint(0, 60), rng.randint(0, 60), "random")


def ten_questions(digits):
    """Ten questions of four trials, from a digit of successes each."""
    return states(*((int(c), 4) for c in digits))


# four models on the same ten questions, then two on five questions
ONE, TWO, LOW, NEXT = ten_questions("4434241343"), ten_questions("3424130232"), ten_questions("1203010020"), ten_questions("4334241244")
X, Y = states((2, 4), (4, 4), (0, 4), (1, 4), (3, 4)), states((1, 4), (4, 4), (0, 4), (0, 4), (1, 4))


def gate():
    def case(comment, candidate, baseline, margin, *flags, **args):
        return comment, list(flags) or ["plain"], {"candidate": candidate, "baseline": baseline, "margin": margin, "questions": "fixed", **args}

    yield case("margin 0.1: inconclusive", NEXT, ONE, 0.1, "golden")
    yield case("margin 0.2: inconclusive", NEXT, ONE, 0.2, "golden")
    yield case("a much worse candidate fails", LOW, ONE, 0.1)
    yield case("worse, but not by the margin", LOW, ONE, 0.9)
    yield case("a better candidate passes", ONE, TWO, 0.05)
    yield case("the same outcomes", ONE, ONE, 0.05, "ties")
    yield case("a difference of minus the margin: neither verdict", states((1, 4), (2, 4)), states((3, 4), (2, 4)), 0.25, "ties", "boundary")
    yield case("one trial per question: a bound", states((1, 1), (0, 1), (1, 1), (1, 1)), states((1, 1), (1, 1), (1, 1), (0, 1)), 0.2, "t-distribution")
    yield case("a margin just below the span", LOW, ONE, 0.9999999999999999, "boundary")
    yield case("a margin below every difference", NEXT, ONE, 1e-300, "boundary", "large")
    for q in ("fixed", "sampled"):
        for c in (0.5, 0.8, 0.9, 0.99, 0.999):
            yield case(f"{q}, confidence {c}", NEXT, ONE, 0.15, "confidence", questions=q, confidence=c)
        for power in (0.5, 0.9, 0.99):
            yield case(f"{q}, planned with power {power}", NEXT, ONE, 0.08, questions=q, power=power)
        for looks in ([0.5], [0.2, 0.4], [0.25, 0.5, 0.75, 1.0]):
            yield case(f"{q}, look {len(looks)} at {looks[-1]}", LOW, ONE, 0.1, "looks", questions=q, looks=looks)
        yield case(f"{q}, second look, Pocock spending", NEXT, ONE, 0.2, "looks", questions=q, looks=[0.5, 1.0], spending="pocock", confidence=0.9)
        yield case(f"{q}, pass_at_k from 2k trials", NEXT, ONE, 0.1, questions=q, metric="pass@k", k=2)
        yield case(f"{q}, pass_hat_k of fewer than 2k trials", NEXT, ONE, 0.1, "modelled", questions=q, metric="pass^k", k=3)
        yield case(f"{q}, no model", TWO, ONE, 0.3, "no-model", questions=q, metric="pass@k", k=3, model=None)
        yield case(f"{q}, graded, margin in units of w", GRADED, GRADED, 0.5, "weights", questions=q, w=[-1.0, 0.0, 2.5])
        yield case(f"{q}, a question that the baseline lacks", {"matrix": [[1, 1], [0, 1], [1, 0]]}, {"matrix": [[1, 0], [None, None], [1, 1]]}, 0.3, "missing", questions=q, missing="drop")
        yield case(f"{q}, five questions", X, Y, 0.25, questions=q)
        yield case(f"{q}, two by recipe", recipe(100, 16, 951), recipe(100, 16, 952), 0.02, "large", questions=q)
    yield case("clusters", NEXT, ONE, 0.1, "clusters", questions="sampled", clusters=[0, 0, 0, 0, 1, 1, 2, 2, 3, 3])
    yield case("clusters, second of two looks", LOW, ONE, 0.1, "clusters", "looks", questions="sampled", clusters=[0, 0, 0, 0, 1, 1, 2, 2, 3, 3], looks=[0.5, 1.0])
    yield case("different questions", NEXT, TWO, 0.2, "unpaired", questions="sampled", paired=False)
    rng = Random(934)
    for i in range(12):
        M = rng.randint(4, 12)
        a, b = (states(*((rng.randint(0, 6), 6) for _ in range(M))) for _ in "ab")
        yield case(f"random outcomes {i + 1} of seed 934", a, b, rng.randint(5, 60) / 100, "random", questions="sampled" if i % 2 else "fixed")
    yield case("a metric that is always 0: certain", ONE, TWO, 0.1, "boundary", metric="mg_pass_at_k", k=1)
    lost, won = states(*[(0, 1)] * 5), states(*[(1, 1)] * 5)
    yield case("every question is lost: questions that are won may be missing; fail without the exact bound", lost, won, 0.47, "boundary", questions="sampled")
    yield case("every question is won: questions that are lost may be missing", won, lost, 0.47, "boundary", questions="sampled")
    steady = states(*[(5, 8)] * 8)
    for q in ("fixed", "sampled"):
        yield case(f"{q}, better by 3/8 on every question: pass without the exact bound if the questions are sampled", states(*[(8, 8)] * 8), steady, 0.03,
                   "boundary", questions=q)
    yield case("three questions: the t distribution with 3/2 degrees of freedom or fewer", states((4, 4), (4, 4), (0, 4)), states((4, 4), (3, 4), (1, 4)), 0.1,
               "t-distribution", questions="sampled")
    yield case("clusters, all better: 1/Q is not a whole number", states(*[(8, 8)] * 7), states(*[(6, 8)] * 7), 0.05, "clusters", questions="sampled",
               clusters=[0, 0, 0, 1, 1, 2, 3])
    perfect = states(*[(4, 4)] * 140)
    yield case("the loss may be in ten clusters of five questions, none of which failed; pass if all clusters counted alike", perfect, perfect, 0.064, "clusters",
               questions="sampled", clusters=[*range(90), *(90 + i // 5 for i in range(50))])
    yield case("clusters, planned: a candidate with a loss", states(*[(4, 4)] * 132, *[(3, 4)] * 8), perfect, 0.05, "clusters", questions="sampled",
               clusters=[*range(90), *(90 + i // 5 for i in range(50))])
    yield case("different questions, all lost", lost, states(*[(1, 1)] * 7), 0.4, "unpaired", questions="sampled", paired=False)
    for failing in range(4):  # one model fails a few questions in every trial, the other a little on every question
        whole, little = states(*[(0, 16)] * failing, *[(16, 16)] * (30 - failing)), states(*[(14, 16)] * 20, *[(15, 16)] * 10)
        for what, options in (("", {}), (", different questions", {"paired": False}), (", clusters of three", {"clusters": [i // 3 for i in range(30)]})):
            yield case(f"{failing} questions of the baseline fail in every trial{what}", little, whole, 0.01, "boundary", questions="sampled", **options)
            yield case(f"{failing} questions of the candidate fail in every trial{what}", whole, little, 0.01, "boundary", questions="sampled", **options)
    for M, failed, margin, more in ((4, 0, 0.45, {"confidence": 0.9}), (7, 0, 0.36, {}), (7, 0, 0.42, {}), (10, 1, 0.46, {"looks": [0.5, 1.0]}), (5, 5, 0.9, {}),
                                    (5, 1, 0.55, {"confidence": 0.5}), (6, 1, 0.6, {"clusters": [0, 0, 1, 2, 3, 4]}), (400, 0, 0.02, {"paired": False})):
        fails = states(*[(0, 4)] * failed, *[(4, 4)] * (M - failed))
        yield case(f"the candidate fails {failed} of {M} questions in every trial{''.join(f', {p} {x}' for p, x in more.items())}", fails, states(*[(4, 4)] * M), margin, "boundary", questions="sampled", **more)
    for margin in (0.05, 0.6):
        yield case(f"a candidate that gains, margin {margin}", states(*[(4, 4)] * 8), states(*[(4, 4)] * 5, *[(0, 4)] * 3), margin, "boundary", questions="sampled")
    yield from won_or_lost(case)
    yield from by_metric(case)
    yield from guarded(case)


def won_or_lost(case):
    """Gates on sampled questions, each won in every trial by one of the models: every difference is 1 or -1."""
    for M, won, margin, more in ((18, 1, 0.49, {}), (25, 2, 0.5, {}), (20, 2, 0.47, {"confidence": 0.9}), (12, 3, 0.2, {}), (18, 17, 0.05, {}),
                                 (12, 1, 0.45, {"clusters": [i // 2 for i in range(12)]})):
        a, b = ([(4, 4)] * won + [(0, 4)] * (M - won), [(0, 4)] * won + [(4, 4)] * (M - won))
        yield case(f"the candidate wins {won} of {M} questions in every trial, and loses the others{''.join(f', {p} {x}' for p, x in more.items())}", states(*a), states(*b),
                   margin, "boundary", questions="sampled", **more)


def guarded(case):
    """Gates with a guard other than 1: margins below, at and above it, differences beyond it."""
    w = {"w": [0.0, 0.25, 0.5, 0.75, 1.0]}
    new, base = ({"counts": [[0] * x + [3] + [0] * (3 - x) + [1] for x in row]} for row in ([3, 2, 3, 1, 2, 3, 3, 2] * 3, [3, 3, 3, 2, 2, 2, 3, 2] * 3))
    for q in ("fixed", "sampled"):
        for guard in (0.0, 0.1, 0.25, 1.0):
            for margin in (0.05, 0.1, 0.3):
                yield case(f"{q}, scores, guard {guard}, margin {margin}", new, base, margin, "guard", questions=q, guard=guard, **w)
                yield case(f"{q}, scores, guard {guard}, margin {margin}, exchanged", base, new, margin, "guard", questions=q, guard=guard, **w)
            yield case(f"{q}, guard {guard}", NEXT, ONE, 0.15, "guard", questions=q, guard=guard)
            yield case(f"{q}, guard {guard}, a much worse candidate", LOW, ONE, 0.1, "guard", questions=q, guard=guard)
            yield case(f"{q}, guard {guard}, equal models", ONE, ONE, 0.05, "guard", "ties", questions=q, guard=guard)
            yield case(f"{q}, guard {guard}, looks", NEXT, ONE, 0.15, "guard", "looks", questions=q, guard=guard, looks=[0.5, 1.0])
        for M in (4, 6, 20):
            yield case(f"{q}, no guard, {M} equal differences above the margin", states(*[(4, 4)] * M), states(*[(3, 4)] * M), 0.1, "guard", "signs", questions=q, guard=0.0)
            yield case(f"{q}, no guard, {M} equal losses", states(*[(2, 4)] * M), states(*[(4, 4)] * M), 0.1, "guard", "signs", questions=q, guard=0.0)
    yield case("guard 0.25, clusters", NEXT, ONE, 0.15, "guard", "clusters", questions="sampled", guard=0.25, clusters=[i // 2 for i in range(10)])
    yield case("guard 0.25, different questions", NEXT, LOW, 0.15, "guard", "unpaired", questions="sampled", guard=0.25, paired=False)


def by_metric(case):
    """Gates on fixed questions, by metric and by number of trials."""
    few, many = (states(*x) for x in ([(3, 4), (4, 4), (2, 4), (4, 4), (1, 4)], [(29, 32), (31, 32), (30, 32), (32, 32), (2, 32)]))
    odd, mixed = (states(*x) for x in ([(7, 9), (8, 9), (2, 9), (9, 9), (1, 9)], [(2, 2), (3, 4), (11, 12), (1, 3), (0, 1)]))
    two = states((2, 2), (1, 2), (2, 2), (1, 2), (0, 2))
    sides = {"few trials": few, "many trials": many, "nine trials": odd, "1 to 12 trials": mixed, "two trials": two}
    for (a, A), (b, B) in (list(sides.items())[i:i + 2] for i in range(4)):
        for margin in (0.02, 0.3):
            yield case(f"fixed, {a} of the candidate, {b} of the baseline, margin {margin}", A, B, margin, "ragged")
            yield case(f"fixed, {b} of the candidate, {a} of the baseline, margin {margin}", B, A, margin, "ragged")
    for metric, k in (("pass@k", 1), ("pass@k", 2), ("pass^k", 2), ("pass@k", 3), ("pass^k", 3), ("auc@k", 2), ("maj@k", 3), ("max_at_k", 2)):
        for margin in (0.03, 0.4):
            args = {"metric": metric, "k": k} | ({"w": [0.0, 1.0]} if metric == "max_at_k" else {})
            yield case(f"fixed, {metric} with k = {k}: few trials against many, margin {margin}", few, many, margin, "ragged", **args)
            yield case(f"fixed, {metric} with k = {k}: many against nine, margin {margin}", many, odd, margin, "ragged", **args)
    yield case("fixed, 2k, 2k + 1, 3k - 1 and 3k trials", states((3, 4), (4, 5), (5, 6), (2, 4)), states((5, 6), (4, 6), (4, 5), (5, 6)), 0.05, "ragged", metric="pass@k", k=2)
    yield case("fixed, fewer than 2k trials of one model", few, many, 0.05, "modelled", metric="pass@k", k=3)
    yield case("fixed, fewer than 2k trials, no model", few, many, 0.05, "no-model", metric="pass@k", k=3, model=None)
    graded, fine = {"counts": [[0, 1, 3], [1, 1, 2], [0, 0, 4], [2, 1, 1]]}, {"counts": [[1, 3, 28], [4, 9, 19], [0, 1, 31], [16, 7, 9]]}
    for metric in ({}, {"metric": "max_at_k", "k": 1}, {"metric": "max_at_k", "k": 2}, {"metric": "max_at_k", "k": 3}):
        yield case(f"fixed, graded, {metric or 'mean'}", graded, fine, 0.4, "weights", w=[-1.0, 0.0, 2.5], **metric)
        yield case(f"fixed, graded, {metric or 'mean'}, exchanged", fine, graded, 0.4, "weights", w=[-1.0, 0.0, 2.5], **metric)
