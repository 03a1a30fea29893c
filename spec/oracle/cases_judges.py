"""Cases of judges: verdicts on every output, labels on some; agreement of raters."""
from random import Random

TARGETS = ("fixed", "sampled", "outputs")


def groups(*counts):
    """Verdicts and labels, one output per question; counts: for each verdict (outputs, [labels of each category])."""
    verdicts, labels = [], []
    for g, (N, each) in enumerate(counts):
        verdicts += [[g]] * N
        known = [[j] for j, n in enumerate(each) for _ in range(n)]  # labels are known of the first outputs
        labels += known + [[None]] * (N - len(known))
    return {"matrix": verdicts}, {"matrix": labels}


def from_text(verdicts, labels):
    """Matrices of verdicts and labels from rows of digits; a dot is a missing output or label."""
    def read(x):
        return {"matrix": [[None if c == "." else int(c) for c in row] for row in x.split()]}
    return read(verdicts), read(labels)


def random_outputs(rng, M, N, G, C, share, ragged=False):
    """Random verdicts 0..G-1 and labels 0..C that mostly agree: M questions of N outputs, at most N if ragged.

    share: the share of outputs that have a label; the first output has one.
    """
    n = [rng.randint(1, N) if ragged else N for _ in range(M)]
    y = [[rng.randint(0, C) for _ in range(k)] for k in n]
    v = [[min(G - 1, x * G // (C + 1)) if rng.random() < 0.8 else rng.randrange(G) for x in row] for row in y]
    l = [[x if rng.random() < share else None for x in row] for row in y]
    l[0][0] = y[0][0]
    pad = lambda R: {"matrix": [row + [None] * (N - len(row)) for row in R]}  # noqa: E731
    return pad(v), pad(l)


SMALL_A = from_text("110 111 001 000", "1.0 1.. .10 ..0")
SMALL_B = from_text("100 110 000 010", "1.. .10 0.. .0.")
FIVE = [0, 0.25, 0.5, 0.75, 1]
THREE = groups((40, [6, 0, 2, 0, 0]), (60, [3, 4, 2, 0, 3]), (100, [0, 0, 6, 0, 14]))

GRADES = ({"matrix": [[(7 * a + 11 * i) % 40 for i in range(3)] for a in range(20)]},
          {"matrix": [[int(a % 5 > 0) if (a + i) % 4 == 0 else None for i in range(3)] for a in range(20)]})
LAST_UNLABELLED = ({"matrix": [[(3 * a + 5 * i) % 10 for i in range(4)] for a in range(10)]},
        {"matrix": [[(a + i) % 2 if (3 * a + 5 * i) % 10 < 6 else None for i in range(4)] for a in range(10)]})


def judged():
    def case(comment, data, *flags, **args):
        return comment, list(flags) or ["plain"], {"verdicts": data[0], "labels": data[1], "questions": "sampled", **args}

    large = groups((350, [3, 32]), (150, [11, 4]))
    yield case("350 and 150 outputs: sampled", large, "golden")
    yield case("350 and 150 outputs: these outputs", large, "golden", questions="outputs")
    yield case("scores, three verdicts", THREE, "golden", w=FIVE)
    yield case("a verdict without a label", groups((20, [0, 0]), (480, [0, 30])), "golden")
    for q in TARGETS:
        yield case(f"4 x 3: {q}", SMALL_A, "golden", questions=q)
        yield case(f"4 x 3, another model: {q}", SMALL_B, questions=q)
        yield case(f"one output of each question: {q}", groups((12, [2, 5]), (8, [3, 1])), questions=q)
        yield case(f"one question: {q}", from_text("1101", "1..0"), "boundary", questions=q)
        yield case(f"one question, one output: {q}", from_text("1", "1"), "boundary", questions=q)
        yield case(f"all labelled: {q}", from_text("11 10 00", "11 10 01"), "boundary", questions=q)
        yield case(f"all labelled, nothing varies within: {q}", from_text("11 11", "11 00"), "exact-zero", questions=q)
        yield case(f"all labels 1: {q}", from_text("110 101 011", "1.. 1.1 ..1"), "boundary", questions=q)
        yield case(f"all labels 0: {q}", from_text("110 101 011", "0.. 0.0 ..0"), "boundary", questions=q)
        yield case(f"one verdict only: {q}", from_text("111 111 111", "1.0 .1. 0.."), questions=q)
        yield case(f"unequal numbers of outputs: {q}", from_text("1101 10.. 0... 111.", "1.0. 1... 0... .1.."), "ragged", questions=q, missing="drop")
        yield case(f"a question without an output: {q}", from_text("11 .. 01 00", "1. .. .0 0."), "missing", questions=q, missing="drop")
        yield case(f"outputs without a verdict count as verdict 2: {q}", from_text("11. .10 01. 000", "1.0 1.. .0. ..0"), "missing", questions=q, missing=2)
        yield case(f"verdicts 0, 7 and 200: {q}", ({"matrix": [[0, 7], [200, 7], [0, 0], [200, 200]]}, {"matrix": [[0, 1], [1, None], [None, 0], [1, None]]}), questions=q)
        for c in (0.5, 0.9, 0.99, 1 - 2**-53):
            yield case(f"confidence {c}, {q}", SMALL_A, "confidence", questions=q, confidence=c)
        yield case(f"40 grades of 60 outputs, 15 labels: single grades would give 1/2 to those without a label: {q}", GRADES, questions=q)
        yield case(f"ten grades, the last ones without a label: {q}", LAST_UNLABELLED, questions=q)
    yield case("five grades, four labels, all on one question: two groups", from_text("00123 10224", "0011. ....."))
    yield case("five grades, one label: a single group", from_text("01234 12034", "1.... ....."), "boundary")
    yield case("four grades, each by itself", from_text("0123 1203", "1.01 .1.."))
    yield case("five grades, 10 labels, 10 labels, 9, 1 and none", ({"matrix": [[g] * 10 for g in range(5)]}, {"matrix": [[1] * 9 + [0], [1, 0] * 5, [0] * 9 + [None], [1] + [None] * 9, [None] * 10]}))
    yield case("a label of an output without a verdict is ignored", from_text("1. 01 00", "11 .1 0."), "missing", missing="drop")
    yield case("equal scores", SMALL_A, "weights", w=[2.5, 2.5])
    yield case("scores reversed", SMALL_A, "weights", w=[1, 0])
    yield case("negative scores", SMALL_A, "weights", questions="fixed", w=[-3.5, -0.25])
    yield case("scores far from zero", SMALL_A, "weights", questions="fixed", w=[1e15, 1000000000000001])
    yield case("huge scores", SMALL_A, "weights", questions="outputs", w=[-1e300, 1e300])
    yield case("tiny scores", SMALL_A, "weights", w=[0, 1e-300])
    yield case("a category that no label has", from_text("12 10 02", "1. .0 .1"), "unobserved", w=[0, 1, 5])
    rng = Random(941)
    for i in range(24):
        C, G = rng.choice([1, 1, 2, 4]), rng.choice([2, 2, 3, 5])
        data = random_outputs(rng, rng.randint(2, 12), rng.choice([1, 2, 3, 5]), G, C, rng.choice([0.2, 0.5, 0.9]), ragged=i % 3 == 2)
        more = {"w": [j / 4 for j in range(C + 1)]} if C > 1 else {}
        yield case(f"random outputs {i + 1} of seed 941", data, "random", questions=TARGETS[i % 3], missing="drop", **more)


def compare_judged():
    def case(comment, a, b, *flags, **args):
        return comment, list(flags) or ["plain"], {"A": a[0], "B": b[0], "labels_a": a[1], "labels_b": b[1], "questions": "sampled", **args}

    one, other = groups((12, [2, 5]), (8, [3, 1])), groups((9, [1, 4]), (11, [3, 0]))
    good, bad = from_text("1111 1111 1111 1111 1111 1111", "1111 1.11 1111 11.1 1111 1111"), from_text("0000 0100 0000 0000 0000 0001", "0000 0.00 0000 00.0 0000 0000")
    for q in TARGETS:
        yield case(f"4 x 3: {q}", SMALL_A, SMALL_B, "golden", questions=q)
        yield case(f"4 x 3, models exchanged: {q}", SMALL_B, SMALL_A, questions=q)
        yield case(f"a model and itself: {q}", SMALL_A, SMALL_A, "ties", questions=q)
        yield case(f"one output of each question: {q}", one, other, questions=q)
        yield case(f"one output of each question on one side: {q}", from_text("1 1 0 1", "1 . 0 ."), SMALL_B, questions=q)
        yield case(f"very different: {q}", good, bad, questions=q)
        yield case(f"very different, models exchanged: {q}", bad, good, questions=q)
        yield case(f"opposite scores: {q}", from_text("11 11 00 00", "11 11 00 00"), from_text("00 00 11 11", "00 00 11 11"), "boundary", questions=q)
        yield case(f"all labelled: {q}", from_text("11 10 00", "11 10 01"), from_text("10 10 00", "10 00 00"), "boundary", questions=q)
        yield case(f"all labelled and equal: {q}", from_text("11 10 00", "11 10 00"), from_text("10 11 00", "10 11 00"), "ties", questions=q)
        yield case(f"questions that one side lacks: {q}", from_text("11 .. 01 00", "1. .. .0 0."), from_text("10 11 .. 00", "1. .1 .. 00"), "missing", questions=q, missing="drop")
        yield case(f"scores: {q}", random_outputs(Random(5), 6, 3, 3, 2, 0.5), random_outputs(Random(6), 6, 3, 3, 2, 0.5), "weights", questions=q, w=[-1, 0.5, 4])
        for c in (0.5, 0.8, 0.99):
            yield case(f"confidence {c}, {q}", SMALL_A, SMALL_B, "confidence", questions=q, confidence=c)
    yield case("equal scores", SMALL_A, SMALL_B, "weights", w=[2, 2])
    yield case("one question, fixed", from_text("1101", "1..0"), from_text("0101", ".1.0"), "boundary", questions="fixed")
    yield case("one question, these outputs", from_text("1101", "1..0"), from_text("0101", ".1.0"), "boundary", questions="outputs")
    rng = Random(942)
    for i in range(18):
        M = rng.randint(2, 12)
        a, b = (random_outputs(rng, M, rng.choice([1, 2, 3, 5]), 2, 1, rng.choice([0.3, 0.6]), ragged=i % 3 == 1) for _ in range(2))
        yield case(f"random outputs {i + 1} of seed 942", a, b, "random", questions=TARGETS[i // 3 % 3], missing="drop")


def label_check():
    def case(comment, data, *flags, **args):
        return comment, list(flags) or ["plain"], {"verdicts": data[0], "labels": data[1], **args}

    yield case("labels of the better questions", from_text("111 110 100 100", "11. 1.1 ..0 ..."))
    yield case("4 x 3", SMALL_A)
    yield case("one output of each question: no spread, no lean", groups((12, [2, 5]), (8, [3, 1])), "boundary")
    yield case("one question: no spread", from_text("1101", "1..0"), "boundary")
    yield case("one output", from_text("1", "1"), "boundary")
    yield case("all labelled: nothing can vary", from_text("11 10 00", "11 10 01"), "boundary")
    yield case("one verdict: no rate, no lean", from_text("11 11 11", "1. .. 1."), "boundary")
    yield case("one label of each question", from_text("110 101 000 111", "1.. ..0 .0. 1.."))
    yield case("all labels in one question", from_text("110 101 000 111", "110 ... ... ..."))
    yield case("labels in proportion to the verdicts", from_text("11 00", "1. .0"), "exact-zero")
    yield case("all outputs of one verdict labelled", from_text("110 100 000", "11. 1.. ..."))
    yield case("unequal numbers of outputs", from_text("1101 10.. 0... 111.", "1.0. 1... 0... .1.."), "ragged", missing="drop")
    yield case("outputs without a verdict count as verdict 2", from_text("11. .10 01. 000", "1.0 1.. .0. ..0"), "missing", missing=2)
    yield case("labels of many categories", ({"matrix": [[1, 2], [0, 2]]}, {"matrix": [[9, None], [None, 200]]}))
    rng = Random(943)
    for i in range(30):
        data = random_outputs(rng, rng.randint(2, 14), rng.choice([1, 2, 3, 6]), rng.choice([2, 3, 5]), 1, rng.choice([0.2, 0.5, 0.8]), ragged=i % 3 == 2)
        yield case(f"random outputs {i + 1} of seed 943", data, "random", missing="drop")


def labels_needed():
    def case(comment, outputs, means, half_width, *flags, **args):
        return comment, list(flags) or ["plain"], {"outputs": outputs, "means": means, "half_width": half_width, **args}

    for design in ("random", "balanced", "neyman"):
        yield case(f"700 and 300 outputs, {design}", [700, 300], [0.95, 0.3], 0.05, "golden", design=design)
        for h in (0.02, 0.03, 0.1, 0.25, 0.4999):
            yield case(f"half width {h}, {design}", [700, 300], [0.95, 0.3], h, "boundary" if h > 0.4 else "needed", design=design)
        for c in (0.5, 0.9, 0.99):
            yield case(f"confidence {c}, {design}", [300, 1200], [0.1, 0.85], 0.04, "confidence", design=design, confidence=c)
        yield case(f"five verdicts, {design}", [40, 60, 100, 220, 80], [0.05, 0.2, 0.5, 0.75, 0.95], 0.06, "needed", design=design)
        yield case(f"one verdict, {design}", [500], [0.5], 0.05, "boundary", design=design)
        yield case(f"a useless judge, {design}", [500, 500], [0.5, 0.5], 0.05, "needed", design=design)
        yield case(f"an almost perfect judge, {design}", [500, 500], [0.999, 0.001], 0.05, "needed", design=design)
        yield case(f"more labels than outputs are needed, {design}", [50, 50], [0.9, 0.2], 0.05, "boundary", design=design)
        yield case(f"a single output, {design}", [1], [0.5], 0.45, "boundary", design=design)
        yield case(f"a rare verdict, {design}", [9990, 10], [0.999, 0.5], 0.004, "needed", design=design)
        yield case(f"very many outputs, {design}", [10**12, 10**11], [0.7, 0.3], 0.001, "large", design=design)
    rng = Random(944)
    for i in range(15):
        G = rng.randint(1, 4)
        yield case(f"random verdicts {i + 1} of seed 944", [rng.randint(1, 900) for _ in range(G)], [rng.randint(1, 99) / 100 for _ in range(G)],
                   rng.choice([0.04, 0.07, 0.12]), "random", design=("random", "balanced", "neyman")[i % 3])


def matrix(text):
    """Matrix from rows of digits, a row per item; a dot is a missing rating."""
    return {"matrix": [[None if c == "." else int(c) for c in row] for row in text.split()]}


UNITS = matrix("11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 .3..")
FLEISS = {"counts": [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
                     [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]}


def rated(rng, M, sizes, shares):
    """Items with a number of ratings out of sizes, each with its own frequent category; shares: of all categories."""
    rows = []
    for _ in range(M):
        frequent, row = rng.choices(range(len(shares)), shares)[0], [0] * len(shares)
        for _ in range(rng.choice(sizes)):
            row[frequent if rng.random() < 0.7 else rng.choices(range(len(shares)), shares)[0]] += 1
        rows.append(row)
    return {"counts": rows}


def agreement():
    def case(comment, R, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": R, **args}

    scores = [1, 1, 2, 3, 4, 5]
    yield case("four observers, twelve units", UNITS, "golden", "missing", missing="drop")
    yield case("four observers, scores", UNITS, "golden", "missing", missing="drop", w=scores)
    yield case("ten subjects, fourteen raters", FLEISS, "golden")
    yield case("ten subjects, scores", FLEISS, w=[1, 2, 3, 4, 5])
    eight = matrix("111 000 110 111 001 000 111 000")
    yield case("eight items of three", eight, "golden")
    for confidence in (0.5, 0.99, 1e-9, 0.9999999999999999):
        yield case(f"confidence {confidence}", eight, "boundary", confidence=confidence)
    yield case("missing ratings count as a category", matrix("11. 00. 10. 111"), "missing", missing=0)
    yield case("all agree, two categories", matrix("11 00 11 00 00"), "boundary")
    yield case("all agree, on one item another category", matrix("11 11 11 11 00"), "boundary")
    yield case("one category", matrix("11 11 11"), "boundary")
    yield case("one category, scores", matrix("11 11 11"), "boundary", w=[0, 2])
    yield case("all disagree", matrix("10 10 01 10"), "boundary")
    yield case("all disagree, three categories", matrix("012 012 120"), "boundary")
    yield case("one item", matrix("101"), "boundary")
    yield case("one item, all agree", matrix("222"), "boundary")
    yield case("one rating differs", matrix("11 11 11 11 11 11 11 11 11 01"), "boundary")
    yield case("items of one rating beside items of two", matrix("1. .0 11 00 1. 01"), "missing", missing="drop")
    yield case("unequal numbers of ratings", {"counts": [[1, 1], [0, 20], [2, 0], [15, 5], [0, 2], [1, 0], [0, 0]]}, "ragged")
    yield case("a huge item", {"counts": [[1, 1], [2, 0], [0, 2], [40000, 50000]]}, "ragged", "large")
    yield case("scores that tie", matrix("012 011 220 101 222"), "ties", w=[0, 1, 1])
    yield case("all scores tie", matrix("012 011 220"), "ties", w=[1, 1, 1])
    yield case("different categories, one score", matrix("12 11 22 21"), "ties", w=[0, 1, 1])
    yield case("scores out of order, the ends never chosen", matrix("12 11 22 21 11"), w=[5, 1, 2, -3])
    yield case("mean score in the middle of the scale", matrix("00 11 01 10"), "ties", w=[0, 1])
    yield case("mean score in the middle, skewed", matrix("00 00 01 13 23 23 23 33"), "ties", w=[0, 1, 2, 4])
    yield case("mean score in the middle, skewed, scores reversed", matrix("00 00 01 13 23 23 23 33"), "ties", w=[3, 1, -1, -5])
    yield case("categories equally frequent", matrix("01 12 20 00 11 22"), "ties")
    yield case("fractional scores", matrix("012 112 022 211"), w=[0.1, 0.2, 0.7])
    yield case("huge and tiny scores", matrix("01 12 22 11 02"), "large", w=[-1e300, 1e-300, 1e300])
    yield case("unused categories do not count", matrix("99 97 77 99 77"), "plain")
    for M, n in ((30, 2), (50, 5), (200, 3)):
        yield case(f"{M} items of {n}, a rare category", rated(Random(M), M, (n,), (0.95, 0.05)), "random")
    for i in range(12):
        rng = Random(1000 + i)
        C = rng.choice((2, 3, 5))
        R = rated(rng, rng.randint(8, 25), rng.choice(((2,), (3,), (2, 3, 4), (0, 1, 2, 30))), [rng.random() for _ in range(C)])
        yield case(f"random ratings {i + 1}", R, "random", "ragged", **({"w": sorted(rng.uniform(-1, 1) for _ in range(C))} if i % 2 else {}))
    yield case("recipe", {"recipe": {"M": 300, "N": 8, "C": 3, "seed": 5}}, "large")


def cohen_kappa():
    def case(comment, rows, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": rows, **args}

    fifty = {"matrix": [[1, 1]] * 20 + [[1, 0]] * 5 + [[0, 1]] * 10 + [[0, 0]] * 15}
    yield case("fifty proposals, two readers", fifty, "golden")
    three = matrix("00 00 01 11 12 22 22 20 11 02")
    yield case("three categories", three)
    yield case("three categories, scores", three, w=[0, 1, 2])
    yield case("scores that tie", three, "ties", w=[0, 1, 1])
    yield case("all scores tie", three, "ties", w=[2, 2, 2])
    yield case("fractional scores", three, w=[0.1, 0.2, 0.7])
    yield case("all agree", matrix("00 11 22"), "boundary")
    yield case("all disagree", matrix("01 10"), "boundary")
    yield case("each rater has one category", matrix("01 01 01"), "boundary")
    yield case("one category", matrix("11 11"), "boundary")
    yield case("one item", matrix("01"), "boundary")
    yield case("a rating is missing", matrix("0. 01 11 .. 00 10"), "missing", missing="drop")
    yield case("missing ratings count as a category", matrix("0. 01 11 .. 00 10"), "missing", missing=1)
    for i in range(30):
        rng = Random(2000 + i)
        C = rng.choice((1, 2, 4))
        rows = [[rng.randint(0, C), rng.randint(0, C)] for _ in range(rng.randint(2, 40))]
        yield case(f"random ratings {i + 1}", {"matrix": [[x, x if rng.random() < 0.5 else y] for x, y in rows]}, "random", **({"w": [rng.random() for _ in range(C + 1)]} if i % 3 else {}))
