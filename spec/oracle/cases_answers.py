"""Cases of plurality_at_k and best_of_k, and of intervals and comparisons by these metrics."""
from random import Random

FIXED, SAMPLED = {"questions": "fixed"}, {"questions": "sampled"}


def answer_counts(right, other, blank=None):
    """Answers as counts (spec/families/answers.md): votes of the right answers, of each other one, blank trials."""
    return {"answers": {"right": right, "other": other, **({"blank": blank} if blank else {})}}


def scored(*rows):
    """Scored trials from rows of (score, outcome) pairs."""
    return {"scored": {"scores": [[s for s, _ in row] for row in rows], "R": [[y for _, y in row] for row in rows]}}


GOLDEN = answer_counts([4, 6, 2, 0, 8], [[2, 1, 1], [2], [4, 2], [5, 3], []])
OTHER = answer_counts([3, 5, 2, 1, 6], [[2, 2, 1], [3], [4, 2], [4, 3], [1, 1]])
UNEQUAL = answer_counts([2, 5, 3, [3, 2]], [[1], [4, 1, 1, 1], [3, 1], [2, 2, 1]], [1, 0, 2, 0])
SINGLE = answer_counts([1, 0, 1, 0], [[], [1], [], []], [0, 0, 0, 1])
SOME_SINGLE = answer_counts([1, 3, 0], [[], [2, 1], [1, 1]])
LABELS = {"answers": {"labels": [["4", "4", "5", None], ["x", "x", "y", "y"], ["7", "8", "9", "7"]], "correct": ["4", "y", "8"]}}
INTEGERS = {"answers": {"labels": [[12, 12, 7, 12], [0, -3, -3, 5]], "correct": [12, -3]}}
SEVERAL = {"answers": {"labels": [["1/2", "0.5", "2", "2", "0.5"], ["a", "b", "b", "c", "c"]], "correct": [["1/2", "0.5"], ["c"]]}}
RESULTS = {"answers": {"labels": [["a", "b", "a", None], ["d", "c", "c", "d"]], "R": [[1, 0, 1, 0], [0, 1, 1, 0]]}}
MIXED = {"answers": {"labels": [[1, "1", 1, "2"], ["", "", " ", 2]], "correct": [1, ""]}}
MANY = answer_counts([30, 12, 0, 55], [[10, 8, 5, 3, 1, 1, 1, 1, 1, 1, 1, 1], [20, 12, 9, 6, 5], [31, 31, 2], [9]], [0, 0, 0, 0])
RIVALS = answer_counts([5, 5], [[5, 5, 5, 5], [4, 4, 4, 4, 4]])
SPLIT = answer_counts([[3, 3, 2], [4, 1]], [[3, 1], [4, 4]], [0, 1])
BLANK = answer_counts([1, 0], [[1], []], [4, 6])
CLEAR = answer_counts([8, 0, 8], [[], [8], []])
SCORES = scored([(0.9, 1), (0.2, 0), (0.4, 1), (0.1, 0), (0.7, 0), (0.3, 1)], [(3, 1), (5, 0), (1, 1), (2, 0), (4, 1), (6, 0)])
# scores with ties; WORSE has fewer successes
LEVELS = scored([(1, 1), (1, 0), (2, 1), (2, 1), (2, 0), (0, 0)], [(0, 1), (0, 1), (0, 0), (0, 0), (0, 1), (0, 0)], [(5, 0), (4, 0), (4, 1), (3, 1), (3, 0), (-1e300, 1)])
WORSE = scored([(1, 0), (1, 0), (2, 1), (2, 0), (2, 0), (0, 0)], [(0, 1), (0, 0), (0, 0), (0, 0), (0, 1), (0, 0)], [(5, 0), (4, 0), (4, 1), (3, 0), (3, 0), (2, 1)])
LONG = scored([(0.5, 1), (0.25, 0)], [(1, 0), (2, 1), (3, 1), (2, 0), (0.5, 1), (9, 0), (8, 1)], [(1, 1), (1, 1), (0, 0)])
ALL_OR_NONE = scored([(1, 1), (2, 1), (3, 1), (4, 1)], [(1, 0), (1, 0), (2, 0), (2, 0)])


def split_votes(rng, n, most):
    """Random numbers of votes of the answers to a question of n trials; at most `most` for each answer."""
    counts = []
    while n:
        counts.append(min(n, rng.randint(1, most)))
        n -= counts[-1]
    return counts


def random_answers(seed, number):
    """Random answers: (comment, answers, smallest number of trials of a question)."""
    rng = Random(seed)
    for i in range(number):
        right, other, blank = [], [], []
        for _ in range(rng.randint(1, 4)):
            counts = split_votes(rng, rng.randint(4, 14), rng.randint(1, 6))
            rng.shuffle(counts)
            cut = rng.randint(0, min(2, len(counts) - 1))
            right.append(counts[:cut] if rng.random() < 0.5 else counts[0])
            other.append(counts[cut:] if isinstance(right[-1], list) else counts[1:])
            blank.append(rng.choice([0, 0, 1, 3]))
        n = min((sum(a) if isinstance(a, list) else a) + sum(b) + z for a, b, z in zip(right, other, blank))
        yield f"random votes {i + 1} of seed {seed}", answer_counts(right, other, blank), n


def random_scores(seed, number):
    """Random scored trials: (comment, scored trials, smallest number of trials of a question)."""
    rng = Random(seed)
    for i in range(number):
        rows = [[(rng.randint(-3, 3) / 2, rng.randint(0, 1)) for _ in range(rng.randint(3, 10))] for _ in range(rng.randint(1, 5))]
        yield f"random scores {i + 1} of seed {seed}", scored(*rows), min(map(len, rows))


def plurality_at_k():
    def case(comment, answers, k, *flags, **args):
        return comment, list(flags) or ["plain"], {"answers": answers, "k": k, **args}

    yield case("golden, mean of 13/21, 25/28, 17/84, 0, 1", GOLDEN, 3, "golden")
    for k in (1, 2, 4, 5, 8):
        for ties in ({}, {"ties": "none"}):
            yield case(f"k = {k}, ties {ties.get('ties', 'even')}", GOLDEN, k, "boundary" if k in (1, 8) else "plain", **ties)
    for what, answers, k in (("labels, a trial without an answer", LABELS, 3), ("labels that are integers", INTEGERS, 3), ("two spellings of the right answer do not share votes", SEVERAL, 3),
                             ("outcomes of the trials instead of right answers", RESULTS, 4), ("an integer is not the text of its digits", MIXED, 3), ("unequal trials, blanks, two right answers", UNEQUAL, 4)):
        for ties in ({}, {"ties": "none"}):
            yield case(f"{what}, ties {ties.get('ties', 'even')}", answers, k, "ragged" if answers is UNEQUAL else "plain", **ties)
    yield case("on one question four rivals as frequent as the right answer", RIVALS, 5, "ties")
    yield case("on one question four rivals as frequent as the right answer, ties count as wrong", RIVALS, 5, "ties", ties="none")
    yield case("several right answers tie with each other", SPLIT, 4, "ties")
    yield case("several right answers that tie with each other count as wrong", SPLIT, 4, "ties", ties="none")
    yield case("mostly trials without an answer", BLANK, 3, "boundary")
    yield case("ties even is the default", GOLDEN, 4, "alias", ties="even")
    yield case("all right or all wrong", CLEAR, 5, "boundary")
    yield case("no right answer at all", answer_counts([0, []], [[3, 2], [5]]), 3, "exact-zero")
    yield case("one trial per question", SINGLE, 1, "boundary")
    yield case("one question, two trials that differ", answer_counts([1], [[1]]), 2, "ties")
    yield case("one question, two trials that differ, ties count as wrong", answer_counts([1], [[1]]), 2, "ties", "exact-zero", ties="none")
    for k in (16, 40):
        yield case(f"{k} of 64 trials", MANY, k, "large")
    yield case("20 of 64 trials, ties count as wrong", MANY, 20, "large", ties="none")
    yield case("40 of 1000 trials", answer_counts([400, 250], [[350, 250], [260, 240, 250]]), 40, "large")
    for i, (comment, answers, n) in enumerate(random_answers(941, 16)):
        yield case(comment, answers, Random(i).randint(1, n), "random", **({"ties": "none"} if i % 3 == 2 else {}))


def best_of_k():
    def case(comment, x, k, *flags):
        return comment, list(flags) or ["plain"], {"scored": x, "k": k}

    for k in range(1, 7):
        yield case(f"distinct scores, k = {k} of 6", SCORES, k, "boundary" if k in (1, 6) else "plain")
        yield case(f"equal scores: each trial is equally likely, k = {k} of 6", LEVELS, k, "ties")
        yield case(f"fewer successes, k = {k} of 6", WORSE, k, "ties")
    yield case("unequal trials", LONG, 2, "ragged")
    yield case("unequal trials, k = 1", LONG, 1, "ragged")
    for k in (1, 4):
        yield case(f"all right or all wrong, k = {k}", ALL_OR_NONE, k, "boundary")
    yield case("no success", scored([(1, 0), (2, 0)], [(0, 0), (0, 0), (3, 0)]), 2, "exact-zero")
    yield case("a score of negative zero is zero", scored([("-0.0", 1), (0, 0)], [(0.0, 1), (1, 0)]), 1, "ties")
    big = scored([((i * 37 % 101) / 8, int(i * i % 7 < 3)) for i in range(120)], [(i * 61 % 127, i % 2) for i in range(90)])
    for k in (8, 45, 90):
        yield case(f"{k} of 120 and of 90 trials", big, k, "large")
    for i, (comment, x, n) in enumerate(random_scores(942, 16)):
        yield case(comment, x, Random(i).randint(1, n), "random")


# ---------------------------------------------------------------- intervals and comparisons

def variance_flags(k, n):
    return ["plain"] if n >= 2 * k else ["probit"]


def interval_cases():
    """Cases of interval on answers and scored trials."""
    def case(comment, R, metric, k, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": R, "metric": metric, "k": k, **args}

    for q in (FIXED, SAMPLED):
        for k, printed in ((3, "mu 0.542857; fixed: lo 0.355068, hi 0.719208; sampled: lo 0.195345, hi 0.853128"), (5, "mu 0.592857; fixed: lo 0.347001, hi 0.799605"), (8, "mu 0.6; fixed: lo 0.269818, hi 0.858935")):
            yield case(f"{q['questions']}, golden plurality, {printed}", GOLDEN, "plurality@k", k, "golden", **q)
        yield case(f"{q['questions']}, strict, an even k", GOLDEN, "strict_plurality_at_k", 4, *variance_flags(4, 8), **q)
        yield case(f"{q['questions']}, unequal trials, blanks", UNEQUAL, "plurality_at_k", 3, "ragged", *variance_flags(3, 4), **q)
        yield case(f"{q['questions']}, single trials only", SINGLE, "plurality_at_k", 1, "boundary", **q)
        yield case(f"{q['questions']}, some single trials", SOME_SINGLE, "strict-plurality@k", 1, "ragged", **q)
        for k in (1, 3, 5, 6):
            yield case(f"{q['questions']}, best of {k} of 6", LEVELS, "best-of-k", k, "no-model" if k > 3 else "plain", **q)
        yield case(f"{q['questions']}, best of 2 of 2, 7 and 3 trials", LONG, "best_of_k", 2, "ragged", "no-model", **q)
    yield case("strict, k = n", GOLDEN, "strict-plurality@k", 8, "probit", **FIXED)
    yield case("strict, ties of several right answers, k = 9 of 12 and 14", SPLIT, "strict_plurality_at_k", 9, "probit", **FIXED)
    yield case("several right answers, k = 10 of 12 and 14", SPLIT, "plurality_at_k", 10, "probit", **FIXED)
    yield case("the probit model's value is one half", answer_counts([2], [[2]]), "plurality_at_k", 4, "probit", "boundary", **FIXED)
    yield case("all right or all wrong, k = n", CLEAR, "plurality_at_k", 8, "probit", "boundary", **FIXED)
    yield case("all wrong", answer_counts([0, 0], [[6], [4, 2]]), "plurality_at_k", 3, "boundary", **FIXED)
    yield case("mostly blank, k = n", BLANK, "plurality_at_k", 6, "probit", **FIXED)
    yield case("64 trials, k = 12", MANY, "plurality_at_k", 12, "large", **FIXED)
    yield case("32 trials, k = 20", answer_counts([15, 6, 0, 27], [[5, 4, 3, 2, 1, 1, 1], [10, 6, 5, 3, 2], [16, 15, 1], [5]]), "plurality_at_k", 20, "large", "probit", **FIXED)
    yield case("64 trials, k = 64: the probit model's values are close to 0 and 1", answer_counts([64, 0, 60], [[], [64], [2, 2]]), "plurality_at_k", 64, "large", "probit", **FIXED)
    yield case("the argument model has no effect", GOLDEN, "plurality_at_k", 5, "probit", "alias", **FIXED, model=None)
    yield case("a question without trials", answer_counts([3, 0, 2], [[1], [], [2, 2]]), "plurality_at_k", 2, "missing", **SAMPLED)
    yield case("clusters", GOLDEN, "plurality_at_k", 5, "clusters", **SAMPLED, clusters=["a", "b", "a", "c", "b"])
    yield case("a pool, shape beta", GOLDEN, "plurality_at_k", 5, "pool", "beta", "probit", **SAMPLED, pool=9, shape="beta")
    yield case("answers are counts to any other metric", LABELS, "pass@k", 2, "plain", **FIXED)
    yield case("scored trials are counts to any other metric", SCORES, "maj@k", 3, "plain", **FIXED)
    for i, (comment, R, n) in enumerate(random_answers(943, 10)):
        k = Random(i).randint(1, n)
        yield case(comment, R, ("plurality_at_k", "strict_plurality_at_k")[i % 2], k, "random", **(SAMPLED if i % 3 == 2 else FIXED))
    for i, (comment, R, n) in enumerate(random_scores(944, 6)):
        yield case(comment, R, "best_of_k", Random(i).randint(1, n), "random", **(SAMPLED if i % 3 == 2 else FIXED))


def prob_above_cases():
    """Cases of prob_above on answers and scored trials."""
    for q in (FIXED, SAMPLED):
        for R, metric, k in ((GOLDEN, "plurality@k", 3), (GOLDEN, "strict-plurality@k", 6), (LEVELS, "best-of-k", 3)):
            yield f"{q['questions']}, {metric}, k = {k}", ["plain"], {"R": R, "t": 0.4, "metric": metric, "k": k, **q}


def compare_cases():
    """Cases of compare on answers and scored trials."""
    def case(comment, A, B, metric, k, *flags, **args):
        return comment, list(flags) or ["plain"], {"A": A, "B": B, "metric": metric, "k": k, **args}

    for q in (FIXED, SAMPLED):
        for k in (1, 3, 4, 5, 8):
            yield case(f"{q['questions']}, plurality, k = {k} of 8", GOLDEN, OTHER, "plurality@k", k, *(variance_flags(k, 8) if q is FIXED else ["t-distribution"]), **q)
        yield case(f"{q['questions']}, strict plurality", GOLDEN, OTHER, "strict-plurality@k", 6, *(variance_flags(6, 8) if q is FIXED else ["t-distribution"]), **q)
        for k in (2, 3, 5, 6):
            yield case(f"{q['questions']}, best of {k} of 6", LEVELS, WORSE, "best-of-k", k, *(["plain"] if k < 4 and q is FIXED else ["t-distribution"]), **q)
    yield case("equal averages, each model right on the question where the other is mostly wrong", answer_counts([3, 1], [[1], [3]]), answer_counts([1, 3], [[3], [1]]), "plurality_at_k", 2, "exact-zero", "ties", **FIXED)
    yield case("equal except for one trial of many", answer_counts([60, 30], [[20, 20], [35, 35]]), answer_counts([60, 30], [[21, 19], [35, 35]]), "plurality_at_k", 5, "cancellation", **FIXED)
    yield case("clusters", GOLDEN, OTHER, "plurality@k", 5, "clusters", **SAMPLED, clusters=[0, 0, 1, 1, 2])
    yield case("different questions", GOLDEN, UNEQUAL, "plurality@k", 2, "unpaired", **SAMPLED, paired=False)
    yield case("single trials on one side", answer_counts([1, 0, 1, 0, 1], [[], [1], [], [1], []]), OTHER, "plurality_at_k", 1, "t-distribution", **FIXED)
    yield case("a question that one side lacks", answer_counts([0, 3, 2, 4], [[], [1], [2, 2], [2]]), answer_counts([2, 2, 1, 0], [[2], [3], [2, 2], [4]]), "plurality_at_k", 2, "missing", **FIXED)
    yield case("one side has several right answers, the other a single one", SPLIT, answer_counts([5, 2], [[4], [6, 2]]), "plurality_at_k", 6, "probit", **FIXED)
    for i, (comment, A, n) in enumerate(random_answers(945, 8)):
        rows = len(A["answers"]["right"])
        if rows < 2:
            continue
        rng = Random(i)
        B = answer_counts([rng.randint(0, 6) for _ in range(rows)], [[rng.randint(1, 5), rng.randint(1, 4)] for _ in range(rows)], [3] * rows)
        yield case(comment, A, B, "plurality_at_k", rng.randint(1, min(n, 5)), "random", **(SAMPLED if i % 2 else FIXED))
