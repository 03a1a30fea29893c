"""Cases of module converge: rankings after every number of trials, and the number from which on they equal gold."""
from random import Random

LARGEST_SEED = 2**64 - 1
K_METRICS = ("pass_at_k", "pass_hat_k", "naive_pass_hat_k", "maj_at_k", "mg_pass_at_k", "auc_at_k")


def tensor(*models):
    return {"tensor": [[list(row) for row in rows] for rows in models]}


def named_models(**models):
    return {"models": {name: x if isinstance(x, dict) else {"matrix": x} for name, x in models.items()}}


def random_models(seed, L, M, N, C=1, success_tenths=()):
    """L models from a fixed seed; success_tenths: for each, how many of 10 outcomes are not 0 on average; () is 5."""
    rng = Random(seed)
    return tensor(*([[rng.randint(1, C) if rng.randint(1, 10) <= (success_tenths[i] if success_tenths else 5) else 0 for _ in range(N)]
                     for _ in range(M)] for i in range(L)))


def recipes(M, N, *seeds, C=1):
    return named_models(**{f"m{s}": {"recipe": {"M": M, "N": N, "C": C, "seed": s}} for s in seeds})


CROSSING = tensor([[1, 0, 0, 1, 1, 1], [1, 0, 0, 1, 1, 1]], [[1, 0, 1, 1, 0, 1], [0, 0, 1, 0, 1, 0]],
                  [[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]])  # gold is the ranking after 1, 5 and 6 trials
APART = tensor([[1, 1, 1, 1], [1, 1, 1, 1]], [[1, 1, 1, 1], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0]])
SAME = tensor([[1, 0, 1, 1], [0, 0, 1, 0]], [[1, 0, 1, 1], [0, 0, 1, 0]], [[1, 0, 1, 1], [0, 0, 1, 0]])
PAIR = tensor([[1, 0, 1], [1, 1, 0]], [[1, 0, 1], [1, 1, 0]], [[0, 0, 1], [1, 0, 0]])
LATE = tensor([[1, 1, 0, 0, 0]], [[0, 0, 1, 1, 1]])  # a tie after four trials, the reverse order after five
TURN = tensor([[0, 0, 0, 1]], [[0, 0, 0, 0]])        # only the last trial separates the models
NEXT = tensor([[1, 0, 1, 1]], [[0, 1, 0, 0]])        # gold is the ranking from the third of four trials on
# the arguments of random_models: seed, models, questions, trials
FOUR = random_models(11, 4, 3, 8, success_tenths=(3, 5, 6, 8))
WIDE = random_models(12, 3, 4, 6, success_tenths=(4, 5, 7))
CLOSE = random_models(13, 4, 2, 7)
GRADED = random_models(14, 3, 2, 6, C=2)
FIVE = random_models(15, 3, 3, 5, C=4)  # five categories
# 12 successes of 13 on one question of `near`: 1 - (1/13)^12, which is nearly 1
BELOW = named_models(best=[[1] * 13, [1] * 13], near=[[1] * 13, [1] * 12 + [0]], far=[[1, 0] * 6 + [1], [0] * 13])
FINE = named_models(a=[[1] * 20 + [0] * 40], b=[[1] * 27 + [0] * 33], c=[[1] * 26 + [0] * 34], d=[[1] * 30 + [0] * 30])
STEPS = random_models(16, 3, 4, 8, success_tenths=(2, 5, 8))


def metric_cases(R, N):
    """Every metric with several k and tau: (comment, flags, args)."""
    for name in ("bayes", "avg"):
        yield f"{name} needs no k", ["plain"], {"R": R, "metric": name}
    for name in K_METRICS:
        for k in (1, 2, N - 1):
            yield f"{name}, k = {k}", ["boundary"] if k == 1 else ["plain"], {"R": R, "metric": name, "k": k}
    for k, tau in ((2, 0.0), (2, 0.5), (2, 1.0), (3, 0.6666666666666666), (3, 0.6666666666666667), (N - 1, 0.3)):
        yield f"g_pass_at_k_tau, k = {k}, tau = {tau!r}", ["threshold"], {"R": R, "metric": "g_pass_at_k_tau", "k": k, "tau": tau}


def weight_cases():
    """Scores w of categories: (comment, flags, args)."""
    yield "three categories", ["weights"], {"R": GRADED, "w": [0.0, 0.5, 1.0]}
    yield "three categories, avg", ["weights"], {"R": GRADED, "metric": "avg", "w": [0.0, 0.5, 1.0]}
    yield "decimal scores: 0.1 + 0.2 ties with 0.3", ["weights", "ties"], \
        {"R": tensor([[1, 2, 0, 0]], [[3, 0, 0, 0]], [[0, 0, 1, 2]], [[1, 0, 0, 1]]), "w": [0.0, 0.1, 0.2, 0.3]}
    yield "scores below zero and far from it", ["weights"], {"R": GRADED, "w": [-3.0, 1.5, 40.0]}
    yield "scores that fall: low outcomes are best", ["weights"], {"R": GRADED, "metric": "avg", "w": [2.0, 1.0, -1.0]}
    yield "the largest scores", ["weights"], {"R": GRADED, "w": [-1e300, 0.0, 1e300]}
    yield "tiny scores are scaled up before the tolerance is applied", ["weights"], {"R": GRADED, "w": [0.0, 1e-200, 2e-200]}
    yield "a category that never occurs", ["weights", "unobserved"], {"R": GRADED, "w": [0.0, 0.25, 0.5, 1.0]}
    yield "two categories with the same score", ["weights", "ties"], {"R": FIVE, "w": [0.0, 1.0, 1.0, 0.25, 0.0]}
    yield "binary outcomes with scores that fall", ["weights"], {"R": WIDE, "w": [1.0, 0.0]}
    yield "binary outcomes with the default scores given", ["weights"], {"R": WIDE, "w": [0, 1]}
    yield "five categories, integers as scores", ["weights"], {"R": FIVE, "metric": "avg", "w": [0, 1, 2, 3, 4]}


def gold_cases():
    """Gold rankings as an argument: (comment, flags, args)."""
    yield "gold given as it would be computed", ["gold"], {"R": CROSSING, "gold": [1, 2, 3]}
    yield "gold as reals: only their order counts", ["gold"], {"R": CROSSING, "gold": [-1e300, 0.5, 0.5000000000000001]}
    yield "gold in dense ranks with a tie", ["gold", "ties"], {"R": PAIR, "gold": [1, 1, 2]}
    yield "gold in average ranks with a tie", ["gold", "ties"], {"R": PAIR, "gold": [1.5, 1.5, 3.0]}
    yield "gold in another order", ["gold"], {"R": CROSSING, "gold": [3, 1, 2]}
    yield "gold with a tie that the data do not have", ["gold", "ties"], {"R": APART, "gold": [1, 1, 3]}
    yield "gold separates models that the data tie", ["gold", "ties"], {"R": PAIR, "gold": [1, 2, 3]}
    yield "gold with zero and minus zero, which tie", ["gold", "ties"], {"R": PAIR, "gold": [0.0, "-0.0", 1.0]}
    yield "gold for another metric than avg", ["gold"], {"R": WIDE, "metric": "pass_at_k", "k": 2, "gold": [3, 2, 1]}
    yield "gold and scores", ["gold", "weights"], {"R": GRADED, "w": [0.0, 0.25, 1.0], "gold": [1, 2, 3]}


def shape_cases():
    """Data of extreme shapes: (comment, flags, args)."""
    yield "one question, one trial", ["boundary"], {"R": tensor([[1]], [[0]])}
    yield "one question, two trials", ["boundary"], {"R": tensor([[1, 0]], [[0, 0]])}
    yield "one trial of three questions", ["boundary"], {"R": tensor([[1], [1], [0]], [[0], [1], [0]], [[0], [1], [1]])}
    yield "the same ranking from the first trial on", ["plain"], {"R": APART}
    yield "all models identical", ["ties"], {"R": SAME}
    yield "two of three models identical", ["ties"], {"R": PAIR}
    yield "no success", ["ties", "boundary"], {"R": tensor([[0, 0, 0]], [[0, 0, 0]])}
    yield "a tie before the last trial, then the reverse order", ["boundary"], {"R": LATE}
    yield "only the last trial separates the models", ["boundary"], {"R": TURN}
    yield "the ranking is gold from the third of four trials on", ["boundary"], {"R": NEXT}
    yield "k = N: a single ranking", ["boundary"], {"R": WIDE, "metric": "pass_at_k", "k": 6}
    yield "models by name", ["mapping"], {"R": named_models(first=[[1, 0, 1], [0, 0, 1]], second=[[1, 1, 1], [0, 1, 1]])}
    yield "the order of the names is that of the mapping", ["mapping"], {"R": named_models(z=[[0, 1, 0]], a=[[1, 1, 0]], m=[[0, 0, 0]])}
    yield "models by recipe", ["mapping", "large"], {"R": recipes(10, 12, 1, 2, 3)}
    yield "a model by recipe beside one by matrix", ["mapping"], \
        {"R": {"models": {"r": {"recipe": {"M": 2, "N": 4, "C": 1, "seed": 5}}, "m": {"matrix": [[1, 0, 0, 1], [0, 0, 1, 1]]}}}}
    yield "graded models by recipe", ["mapping", "weights", "large"], {"R": recipes(8, 10, 4, 5, 6, 7, C=3), "w": [0.0, 0.25, 0.75, 1.0]}
    yield "scores less than 13^-12 apart tie within 1e-12, the averages do not", ["ties", "cancellation"], {"R": BELOW, "metric": "naive_pass_hat_k", "k": 12}
    yield "Pass@30 of 60: three tie within 1e-12, their averages do not", ["ties", "cancellation", "large"], \
        {"R": FINE, "metric": "pass_at_k", "k": 30}


def rank_trajectory():
    yield from (*shape_cases(), *metric_cases(FOUR, 8), *weight_cases())
    for name in K_METRICS:
        yield f"{name} at k = N", ["boundary"], {"R": WIDE, "metric": name, "k": 6}
    yield "bayes is the default", ["plain"], {"R": CROSSING}
    for scheme in ("columns", "rows"):
        for replicate, seed in ((0, 0), (1, 0), (7, 0), (0, 1), (2**31 - 1, LARGEST_SEED), (0, LARGEST_SEED), (3, 2**63), (29, 20251009)):
            flags = ["bootstrap", "boundary"] if seed == LARGEST_SEED else ["bootstrap"]
            yield f"{scheme}, replicate {replicate}, seed {seed}", flags, \
                {"R": FOUR, "scheme": scheme, "replicate": replicate, "seed": seed}
        yield f"{scheme}, pass_at_k", ["bootstrap"], {"R": WIDE, "metric": "pass_at_k", "k": 2, "scheme": scheme, "replicate": 4, "seed": 5}
        yield f"{scheme}, graded", ["bootstrap", "weights"], {"R": GRADED, "w": [0.0, 0.5, 2.0], "scheme": scheme, "seed": 9}
        yield f"{scheme}, a single trial, so that all draws are equal", ["bootstrap", "boundary"], {"R": tensor([[1], [0]], [[0], [0]]), "scheme": scheme}
        yield f"{scheme}, models by name", ["bootstrap", "mapping"], {"R": recipes(6, 16, 8, 9, 10), "scheme": scheme, "replicate": 2, "seed": 77}
    yield "one question: columns and rows draw from different streams (columns)", ["bootstrap"], {"R": LATE, "scheme": "columns", "seed": 3}
    yield "one question: columns and rows draw from different streams (rows)", ["bootstrap"], {"R": LATE, "scheme": "rows", "seed": 3}
    yield "the original order of trials does not depend on replicate and seed", ["bootstrap"], \
        {"R": FOUR, "scheme": "original", "replicate": 5, "seed": 6}
    yield "five models, twelve questions, thirty trials", ["large", "bootstrap"], \
        {"R": recipes(12, 30, 1, 2, 3, 4, 5), "metric": "mg_pass_at_k", "k": 6, "scheme": "rows", "replicate": 1, "seed": 1}


def convergence_at_n():
    yield from (*shape_cases(), *metric_cases(FOUR, 8), *weight_cases(), *gold_cases())
    for name in K_METRICS:
        yield f"{name} at k = N: no number of trials below N is left", ["boundary"], {"R": WIDE, "metric": name, "k": 6}
    yield "the ranking equals gold early, then differs, then equals gold to the end", ["plain"], {"R": CROSSING}
    yield "the first ranking with k = 3 is already the gold one", ["boundary"], {"R": APART, "metric": "pass_hat_k", "k": 3}
    yield "k = N, and the metric ties models that the averages separate", ["ties"], {"R": tensor([[1, 1, 1, 0]], [[1, 0, 0, 0]]), "metric": "pass_at_k", "k": 4}
    yield "all models tied, in gold too", ["ties", "gold"], {"R": SAME, "gold": [2, 2, 2]}
    yield "all models tied, but not in gold", ["ties", "gold"], {"R": SAME, "gold": [1, 2, 3]}
    yield "Pass@30 of 60 against a gold ranking with the tie within 1e-12", ["ties", "cancellation", "gold", "large"], \
        {"R": FINE, "metric": "pass_at_k", "k": 30, "gold": [4, 1, 1, 1]}
    yield "Pass@30 of 60 against the ranking of the exact scores, which 1e-12 ties", ["ties", "cancellation", "gold", "large"], \
        {"R": FINE, "metric": "pass_at_k", "k": 30, "gold": [4, 2, 3, 1]}
    yield "equal scores tie all models, in the gold ranking too", ["weights", "ties"], {"R": GRADED, "w": [0.5, 0.5, 0.5]}
    for i in range(20, 26):
        yield f"random outcomes of seed {i}", ["random"], {"R": random_models(i, 3, 3, 12, success_tenths=(4, 5, 6))}
    yield "five models, twelve questions, forty trials", ["large"], {"R": recipes(12, 40, 1, 2, 3, 4, 5)}


def seed_cases(replicates, **more):
    """Both schemes with several seeds: (comment, flags, args)."""
    for scheme in ("columns", "rows"):
        for seed in (0, 1, 2**32, LARGEST_SEED):
            yield f"{scheme}, seed {seed}", ["bootstrap", "boundary"] if seed == LARGEST_SEED else ["bootstrap"], \
                {"R": FOUR, "replicates": replicates, "scheme": scheme, "seed": seed, **more}


def with_few_replicates(cases, replicates, schemes=("columns", "rows")):
    """The given cases with so many replicates, under alternating schemes."""
    for i, (comment, flags, args) in enumerate(cases):
        scheme = schemes[i % len(schemes)]
        yield f"{comment}; scheme {scheme}", flags, {**args, "replicates": replicates, "scheme": scheme, "seed": i}


def bootstrap_convergence():
    yield from seed_cases(20)
    yield from with_few_replicates(shape_cases(), 8)
    yield from with_few_replicates(metric_cases(FOUR, 8), 12)
    yield from with_few_replicates(weight_cases(), 10)
    yield from with_few_replicates(gold_cases(), 12)
    for worst in (0, 1, 2, 20, 1000):
        yield f"worst = {worst}, 20 replicates", ["worst", "boundary"] if worst in (0, 1000) else ["worst"], \
            {"R": STEPS, "replicates": 20, "worst": worst, "seed": 4}
    yield "all converge: the worst are the latest, then the earliest replicate", ["worst"], \
        {"R": random_models(18, 2, 10, 10, success_tenths=(4, 7)), "replicates": 25, "worst": 6, "seed": 3}
    yield "fifteen worst: all that never converge, then the latest", ["worst"], {"R": FOUR, "replicates": 20, "worst": 15, "seed": 1}
    yield "none converges: the worst are the first replicates, the mean is NaN", ["worst", "not-a-number"], \
        {"R": APART, "gold": [3, 2, 1], "replicates": 9, "worst": 4}
    yield "all converge at 1", ["worst"], {"R": APART, "replicates": 7, "worst": 2, "seed": 1}
    yield "one replicate", ["boundary"], {"R": CLOSE, "replicates": 1, "seed": 12}
    yield "thirty replicates: shares in thirtieths", ["bootstrap"], {"R": WIDE, "replicates": 30, "seed": 13}
    yield "columns is the default scheme, seed 0 the default seed, 3 the default of worst", ["bootstrap"], {"R": WIDE, "replicates": 6}
    yield "a hundred replicates of five models", ["large", "bootstrap"], \
        {"R": recipes(8, 16, 1, 2, 3, 4, 5), "replicates": 100, "scheme": "rows", "seed": 2, "worst": 2}
    yield "a hundred replicates of two models", ["large", "bootstrap"], \
        {"R": random_models(18, 2, 10, 20, success_tenths=(4, 7)), "replicates": 100, "seed": 3, "worst": 1}


def tau_curve():
    tied = ("all models identical", "no success")  # comments of shape_cases; a gold that ties all models is refused
    yield from seed_cases(20)
    yield from with_few_replicates((c for c in shape_cases() if c[0] not in tied), 8, ("columns", "rows", "original"))
    yield from with_few_replicates(metric_cases(FOUR, 8), 12)
    yield from with_few_replicates(weight_cases(), 10, ("columns", "rows", "original"))
    yield from with_few_replicates(gold_cases(), 12, ("columns", "rows", "original"))
    yield "the original order of trials", ["bootstrap"], {"R": FOUR, "scheme": "original"}
    yield "the original order of trials: replicates and seed have no effect", ["bootstrap"], {"R": FOUR, "scheme": "original", "replicates": 7, "seed": 5}
    yield "rankings that tie all models count as 0", ["ties", "exact-zero"], {"R": SAME, "gold": [1, 2, 3], "replicates": 5}
    yield "the reverse of the gold ranking", ["gold"], {"R": APART, "gold": [3, 2, 1], "replicates": 4}
    yield "gold with two pairs of ties: roots of the same number add up", ["gold", "ties"], {"R": CLOSE, "gold": [1, 1, 2, 2], "replicates": 16, "seed": 3}
    yield "ties in the data and none in gold: roots of several numbers", ["ties"], {"R": random_models(19, 4, 1, 5), "gold": [1, 2, 3, 4], "replicates": 15, "seed": 6}
    yield "1/sqrt(1/2) and its opposite: a mean of exactly 0", ["ties", "cancellation", "exact-zero"], \
        {"R": tensor([[1, 0]], [[1, 0]], [[0, 1]]), "gold": [1, 2, 3], "replicates": 10}
    yield "nearly equal sums for and against gold: little is left of the difference", ["cancellation"], \
        {"R": random_models(27, 4, 1, 6, success_tenths=(5, 5, 5, 5)), "gold": [1, 2, 3, 4], "replicates": 30, "seed": 5}
    yield "one replicate", ["boundary"], {"R": CLOSE, "replicates": 1, "seed": 12, "gold": [4, 3, 2, 1]}
    yield "columns is the default scheme, seed 0 the default seed", ["bootstrap"], {"R": WIDE, "replicates": 6}
    yield "a hundred replicates of five models", ["large", "bootstrap"], \
        {"R": recipes(8, 16, 1, 2, 3, 4, 5), "metric": "auc_at_k", "k": 3, "replicates": 100, "scheme": "rows", "seed": 2}
    yield "sixty replicates of eight models against a gold ranking with ties", ["large", "bootstrap", "ties"], \
        {"R": random_models(28, 8, 4, 10, success_tenths=(3, 3, 4, 5, 5, 6, 7, 7)), "gold": [4, 4, 3, 2.5, 2, 2, 1, 1], "replicates": 60, "seed": 31}
