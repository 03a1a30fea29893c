"""Cases of functions of many models: rank.<metric>, Elo, compare_all, ranges, winners."""
from functools import partial
from itertools import cycle
from random import Random

import examples
from cases import recipe, states
from cases_hypergeometric import GRADED
from cases_intervals import ranges_cases
from ordering import METRICS

METHODS = ("competition", "competition_max", "dense", "average")
A, B = {"matrix": [[1, 1, 0], [1, 0], [1], [0, 0, 0, 0], [1, 1, 1, 1]]}, {"matrix": [[0, 1, 0], [0, 0], [1], [0, 1, 0, 0], [1, 1, 0, 1]]}
W3 = [0.0, 0.5, 1.0]


def binary():
    """Cases of binary outcomes: (comment, flags, R, largest k, further arguments)."""
    yield "two models, one question, one trial", ["boundary"], {"tensor": [[[0]], [[1]]]}, 1, {}
    yield "two equal models", ["boundary"], {"tensor": [[[1, 0, 1], [0, 1, 1]], [[1, 0, 1], [0, 1, 1]]]}, 3, {}
    yield "two models with the same outcomes in other places", ["plain"], {"tensor": [[[1, 1, 0, 0], [1, 1, 1, 0]], [[0, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 0, 1], [1, 1, 1, 1]]]}, 4, {}
    yield "only successes, only failures, and between", ["boundary"], {"tensor": [[[0, 0], [0, 0]], [[1, 1], [1, 1]], [[0, 1], [1, 0]]]}, 2, {}
    yield "every trial of every model a failure", ["boundary"], {"tensor": [[[0, 0], [0, 0]]] * 3}, 2, {}
    yield "every trial of every model a success", ["boundary"], {"tensor": [[[1, 1, 1]]] * 4}, 3, {}
    yield "3, 1 and 3 successes in 4 trials", ["plain"], {"tensor": [[[1, 1, 1, 0]], [[0, 1, 0, 0]], [[1, 0, 1, 1]]]}, 4, {}
    yield "1, 3 and 1 successes in 4 trials", ["plain"], {"tensor": [[[0, 0, 1, 0]], [[1, 1, 0, 1]], [[1, 0, 0, 0]]]}, 4, {}
    yield "1, 2, 1, 2 and 1 successes in 3 trials", ["plain"], {"tensor": [[[1, 0, 0]], [[1, 1, 0]], [[0, 0, 1]], [[0, 1, 1]], [[0, 1, 0]]]}, 3, {}
    yield "a mapping", ["mapping"], {"models": {"beta": {"matrix": [[1, 0, 1], [0, 0, 1]]}, "alpha": {"matrix": [[1, 1, 1], [0, 1, 1]]}}}, 3, {}
    yield "a mapping of counts, unequal trials need no policy", ["mapping", "ragged"], \
        {"models": {"a": states((3, 5), (2, 4)), "b": states((5, 9), (6, 6)), "c": states((1, 4), (3, 7))}}, 4, {}
    yield "a mapping of a matrix and counts", ["mapping"], {"models": {"b": {"matrix": [[1, 0, 0, 1], [1, 1, 1, 0]]}, "a": states((2, 4), (3, 4))}}, 4, {}
    yield "models of a mapping may have their own numbers of trials", ["mapping", "ragged"], \
        {"models": {"x": {"matrix": [[1, 0], [0, 1]]}, "y": {"matrix": [[1, 0, 1, 1], [0, 1, 0, 0]]}}}, 2, {}
    yield "a mapping by recipe", ["mapping", "large"], {"models": {"p": recipe(40, 30, 41), "q": recipe(40, 30, 42), "r": recipe(40, 30, 43)}}, 9, {}
    yield "tau-bench airline against a recipe", ["mapping", "large"], {"models": {"airline": examples.AIRLINE, "coin": recipe(50, 4, 44)}}, 4, {}
    holes = {"tensor": [[[1, None, 0, 1], [0, 0, 1, 1]], [["nan", 0, 1, 0], [1, None, 1, 1]], [[1, 1, 1, 0], [0, 0, 0, 1]]]}
    for policy in ("drop", 0, 1):
        yield f"missing trials, policy {policy}", ["missing"], holes, 3, {"missing": policy}
    rows = {"tensor": [[[1, 1, 0], [0, 1]], [[0, 1, 1, 1, 0], [1, 0]], [[1, 0], [0, 1]]]}
    for policy in ("drop", 0, 1):
        yield f"unequal rows, policy {policy}: a row is filled up to the longest of its own model", ["ragged", "missing"], rows, 2, {"missing": policy}
    yield "models of unequal numbers of trials in a tensor, with a policy", ["ragged", "missing"], \
        {"tensor": [[[1, 0], [1, 1]], [[1, 0, 0], [1, 0, 1]]]}, 2, {"missing": "drop"}
    yield "unequal rows in a mapping, dropped", ["mapping", "missing"], {"models": {"u": A, "v": B}}, 1, {"missing": "drop"}
    yield "a policy though nothing is missing", ["missing"], {"tensor": [[[1, 0, 1]], [[1, 1, 1]]]}, 3, {"missing": 0}
    quarter = {"tensor": [[[1, 0, 0, 0]], [[1, 1, 0, 0]], [[1, 1, 1, 0]], [[1, 1, 1, 1]]]}
    yield "tolerance 0.25; 1, 2, 3 and 4 successes in 4 trials", ["tolerance", "boundary"], quarter, 1, {"tol": 0.25}
    yield "tolerance 0.2499; 1, 2, 3 and 4 successes in 4 trials", ["tolerance"], quarter, 1, {"tol": 0.2499}
    yield "tolerance 0", ["tolerance"], {"tensor": [[[1, 0, 0, 0]], [[1, 1, 0, 0]], [[0, 1, 0, 0]]]}, 1, {"tol": 0.0}
    yield "a tolerance that ties everything", ["tolerance"], quarter, 4, {"tol": 2.0}


def random_models(seed, number):
    rng = Random(seed)
    for i in range(number):
        L, M, N = rng.randint(2, 5), rng.randint(1, 4), rng.randint(2, 6)
        tensor = [[[int(rng.random() < 0.6) for _ in range(N)] for _ in range(M)] for _ in range(L)]
        R = {"models": {f"m{j}": {"matrix": m} for j, m in enumerate(tensor)}} if i % 4 == 3 else {"tensor": tensor}
        yield f"random models {i + 1} of seed {seed}", ["random"], R, N, {}


def graded():
    """Cases with scores w of categories: (comment, flags, R, largest k, further arguments)."""
    three = {"tensor": [[[0, 1, 2, 2], [1, 1, 0, 2]], [[2, 2, 2, 0], [0, 0, 1, 1]], [[1, 1, 1, 1], [2, 0, 2, 1]]]}
    for comment, w in (("halves", W3), ("scores of mixed sign", [-1.0, 0.25, 2.0]), ("falling scores", [3.0, 2.0, 1.0]), ("scores far from zero", [1000.0, 1001.0, 1003.0])):
        yield f"three grades, {comment}", ["weights"], three, 4, {"w": w}
    yield "all scores equal: everything ties", ["weights", "boundary"], three, 4, {"w": [0.5, 0.5, 0.5]}
    yield "a category that never occurs", ["unobserved"], {"tensor": [[[0, 1], [1, 0]], [[1, 1], [0, 1]]]}, 2, {"w": [0.0, 0.5, 1.0, 4.0]}
    yield "graded counts", ["mapping"], {"models": {"a": GRADED, "b": {"counts": [[2, 2, 2], [1, 1, 4], [3, 0, 3], [5, 1, 0], [0, 3, 3]]}}}, 6, {"w": W3}
    yield "graded, missing counts as category 2", ["missing"], {"tensor": [[[0, None, 2], [1, 1, 0]], [[2, 2, 0], [0, "nan", 1]]]}, 3, {"w": W3, "missing": 2}
    yield "w = [0, 1] is the default", ["alias"], {"tensor": [[[0, 1, 1]], [[1, 0, 0]]]}, 3, {"w": [0, 1]}
    rng = Random(811)
    for i in range(6):
        L, M, N = rng.randint(2, 5), rng.randint(1, 4), rng.randint(2, 6)
        tensor = [[[rng.randint(0, 2) for _ in range(N)] for _ in range(M)] for _ in range(L)]
        yield f"random grades {i + 1} of seed 811", ["random", "weights"], {"tensor": tensor}, N, {"w": [0.0, rng.randint(-8, 8) / 8, 1.0]}


def prior():
    """Cases with R0, for bayes, as from binary(); bayes takes no k, so the largest is 0."""
    R = {"tensor": [[[0, 1, 1], [1, 0, 1]], [[1, 1, 1], [0, 0, 1]], [[0, 0, 1], [1, 1, 0]]]}
    named = {"models": {"a": {"matrix": [[0, 1, 1], [1, 0, 1]]}, "b": {"matrix": [[1, 1, 1], [0, 0, 1]]}}}
    yield "one prior for all models", ["prior"], R, 0, {"R0": {"matrix": [[0, 1], [1, 1]]}}
    yield "one prior as counts", ["prior"], R, 0, {"R0": {"counts": [[3, 1], [0, 5]]}}
    yield "a separate prior for each model", ["prior"], R, 0, {"R0": {"tensor": [[[0], [0]], [[0], [1]], [[1], [1]]]}}
    yield "the priors reverse the order", ["prior"], {"tensor": [[[1, 1], [1, 0]], [[0, 0], [0, 1]]]}, 0, {"R0": {"tensor": [[[0, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]]]}}
    yield "a mapping and one prior", ["prior", "mapping"], named, 0, {"R0": {"matrix": [[1], [0]]}}
    yield "priors by name, in another order", ["prior", "mapping"], named, 0, {"R0": {"models": {"b": {"matrix": [[0, 0], [0, 0]]}, "a": {"matrix": [[1, 1], [1, 1]]}}}}
    yield "priors by name, counts and matrix", ["prior", "mapping"], named, 0, {"R0": {"models": {"a": {"counts": [[1, 2], [2, 1]]}, "b": {"matrix": [[1], [0]]}}}}
    yield "an R0 without columns: the same as no R0", ["prior", "boundary"], R, 0, {"R0": {"matrix": [[], []]}}
    yield "priors of unequal length, dropped", ["prior", "ragged", "missing"], R, 0, {"R0": {"tensor": [[[0], [0, 1]], [[], [1]], [[1, None], [1, 1]]]}, "missing": "drop"}
    yield "graded priors", ["prior", "weights"], {"tensor": [[[0, 2], [1, 1]], [[2, 2], [0, 1]]]}, 0, {"w": W3, "R0": {"tensor": [[[2, 1], [2, 0]], [[0, 0], [1, 0]]]}}


def bayes_ties():
    eighths = {"tensor": [[[0] * 6], [[1, 1, 0, 0, 0, 0]], [[1, 1, 1, 1, 0, 0]], [[1] * 6]]}
    yield "quarters exactly the tolerance apart: ties, but no chain", ["tolerance", "boundary"], eighths, 0, {"tol": 0.25}


POWERS = ({}, {"pass_power": 1.0, "unanimous_power": 1.0}, {"pass_power": 2.0, "unanimous_power": 0.25}, {"pass_power": 0.3}, {"unanimous_power": 0.0})
LAMS = ({}, {"lam": 0.25}, {"lambda_": 0.75}, {"lam": 1.0}, {"lam": 0.0})
TAUS = ({"tau": 0.5}, {"tau": 1.0}, {"tau": 0.0}, {"tau": 0.3}, {"tau": 2 / 3}, {"tau": 0.75})


def cases_of_metric(metric):
    """Cases of rank.<metric>: half of them with scores, in four conventions, with k up to the shortest row."""
    index = METRICS.index(metric)
    rng, data, takes_no_k = Random(820 + index), list(binary()), metric in ("bayes", "avg")
    options = cycle(TAUS if metric == "g_pass_at_k_tau" else POWERS if metric.startswith("geom") else LAMS if metric == "geo_spectrum_at_k" else ({},))
    if metric == "bayes":  # scores a tolerance apart under avg are not so here: bayes_ties() has some
        data = [x for x in data if x[1] != ["tolerance", "boundary"]] + list(bayes_ties()) + list(prior())
    if metric.startswith("geom"):
        positive = {"tensor": [[[1, 1, 1, 0]], [[1, 1, 1, 1]], [[1, 1, 0, 1]], [[0, 1, 0, 1]]]}
        data.append(("a negative power", ["powers"], positive, 2, {"pass_power": 1.5, "unanimous_power": -0.5}))
    data += graded() if takes_no_k or metric == "max_at_k" else ()
    data += random_models(840 + index, 8 if takes_no_k or metric == "max_at_k" else 22)
    for i, (comment, flags, R, most, more) in enumerate(data):
        if metric == "flip_rate" and most < 2:  # flip_rate needs two trials
            continue
        k = rng.randint(1, max(most, 1))
        args = {"R": R} if takes_no_k or metric == "flip_rate" else {"R": R, "k": k, **next(options)}
        if metric == "threshold_spectrum_at_k" or (metric == "geo_spectrum_at_k" and i % 3 == 0):
            args["weights"] = [rng.randint(0, 64 // k) / 64 for _ in range(k)]
        method = METHODS[(i + i // 2) % 4]
        yield comment, flags, {**args, **more, **({"method": method} if method != "competition" else {}), **({"return_scores": True} if i % 2 else {})}


BY_NAME = {f"rank.{metric}": partial(cases_of_metric, metric) for metric in METRICS}


# ---------------------------------------------------------------- Elo

def elo():
    def case(comment, tensor, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": {"tensor": tensor}, "return_scores": True, **args}

    one = [[[1]], [[0]]]
    three = [[[1, 0, 1], [1, 1, 0]], [[0, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 1, 1]]]
    yield case("one game, the first wins", one, "boundary")
    yield case("one game, the second wins", [[[0]], [[1]]], "boundary")
    for rule in ("correct_draw_only", "draw", "skip"):
        yield case(f"both succeed, {rule}", [[[1]], [[1]]], "boundary", tie_handling=rule)
        yield case(f"both fail, {rule}", [[[0]], [[0]]], "boundary", tie_handling=rule)
        yield case(f"unequal ratings, then both succeed, {rule}", [[[1, 1]], [[0, 1]]], tie_handling=rule)
        yield case(f"unequal ratings, then both fail, {rule}", [[[1, 0]], [[0, 0]]], tie_handling=rule)
        yield case(f"three models, {rule}", three, tie_handling=rule)
        yield case(f"one success, two failures, {rule}", [[[1]], [[0]], [[0]]], tie_handling=rule)
    yield case("events run trial by trial, within a trial question by question", [[[1, 0], [0, 1]], [[0, 1], [1, 1]]])
    yield case("the same events with the models exchanged", [[[1, 0], [0, 1]], [[0, 1], [1, 1]]][::-1])
    yield case("a long row of wins", [[[1] * 40], [[0] * 40]])
    yield case("a win each, in turn", [[[1, 0] * 20], [[0, 1] * 20]])
    yield case("no success at all: no game at all", [[[0, 0]], [[0, 0]], [[0, 0]]], "boundary")
    yield case("equal models tie", [[[1, 0, 1], [0, 1, 1]], [[0, 1, 0], [0, 0, 1]], [[1, 0, 1], [0, 1, 1]]], "boundary")
    yield case("three models in another order", [three[2], three[0], three[1]])
    for K in (1, 0.1, 1e-9, 400, 1e4, 33.3):
        yield case(f"K = {K!r}", three, "boundary" if K in (1e-9, 1e4) else "plain", K=K)
    for start in (0, -200.5, 1e6, -1e6, 1200.1):
        yield case(f"ratings start at {start!r}", three, "boundary" if abs(start) == 1e6 else "plain", initial_rating=start)
    yield case("ratings start at 0, two models, draws only: they do not change", [[[1, 1]], [[1, 1]]], "exact-zero", initial_rating=0)
    yield case("K of 1e4 and many surprises", [[[1, 0, 1, 0]], [[0, 1, 0, 1]]], "boundary", K=1e4)
    for method in METHODS:
        yield case(f"ranks {method} of ties", [[[1, 0]], [[1, 0]], [[0, 0]], [[0, 0]], [[1, 1]]], method=method)
    mapped = {"models": {"delta": {"matrix": [[1, 1, 0]]}, "alpha": {"matrix": [[0, 1, 1]]}}}
    yield "a mapping", ["mapping"], {"R": mapped, "return_scores": True}
    yield "a mapping, ranks only", ["mapping"], {"R": mapped}
    yield "ranks only", ["plain"], {"R": {"tensor": three}}
    yield "six models by recipe, 200 events", ["mapping", "large"], \
        {"R": {"models": {c: recipe(10, 20, 50 + i) for i, c in enumerate("abcdef")}}, "return_scores": True}
    yield "300 events by recipe", ["mapping", "large"], {"R": {"models": {c: recipe(30, 10, 60 + i) for i, c in enumerate("xyz")}}, "tie_handling": "draw", "return_scores": True}
    rng = Random(851)
    for i in range(12):
        L, M, N = rng.randint(2, 6), rng.randint(1, 6), rng.randint(1, 8)
        tensor = [[[int(rng.random() < 0.3 + 0.1 * j) for _ in range(N)] for _ in range(M)] for j in range(L)]
        more = {"K": rng.choice((16, 32, 24.5)), "tie_handling": rng.choice(("correct_draw_only", "draw", "skip"))}
        yield case(f"random models {i + 1} of seed 851", tensor, "random", **more)


# ---------------------------------------------------------------- ranges

def ranges():
    def case(comment, R, *flags, **args):
        return comment, list(flags) or ["plain"], {"models": R, "questions": "fixed", **args}

    def mapping(*models):
        return {"models": {f"m{i}": x for i, x in enumerate(models)}}

    steps = mapping(*(states((c, 20), (c + 1, 20), (c + 2, 20), (c, 20)) for c in (1, 5, 9, 13, 17)))
    once = {"tensor": [[[0] * 9, [0] * 9], [[0] * 9, [0] * 8 + [1]]]}
    yield case("one flip, a p-value of 1 at a confidence of almost 0", once, "boundary", metric="flip_rate", questions="sampled", confidence=6.158481334940608e-258)
    for q in ("fixed", "sampled"):
        target = {"questions": q}
        yield case(f"{q}, two equal models", {"tensor": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]}, "boundary", **target)
        yield case(f"{q}, equal models at a confidence of almost 0: a p-value of 1 is above 1 - confidence", {"tensor": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]}, "boundary", **target, confidence=1e-40)
        yield case(f"{q}, only successes and only failures", mapping(states((8, 8), (8, 8)), states((0, 8), (0, 8))), "mapping", "boundary", **target)
        yield case(f"{q}, two trials per question, only successes and only failures", {"tensor": [[[1, 1]] * 4, [[0, 0]] * 4]}, "boundary", **target)
        yield case(f"{q}, five models a step apart", steps, "mapping", **target)
        yield case(f"{q}, five models, no correction", steps, "mapping", "no-correction", correction=None, **target)
        for c in (0.5000001, 0.8, 0.99, 0.999999, 1 - 2**-53):
            yield case(f"{q}, five models, confidence {c!r}", steps, "mapping", "confidence", confidence=c, **target)
        yield case(f"{q}, no correction with confidence 0.6", steps, "mapping", "no-correction", "confidence", correction=None, confidence=0.6, **target)
        yield case(f"{q}, two models: no adjustment needed", {"tensor": [[[1, 1, 1, 1]] * 3, [[0, 1, 0, 0]] * 3]}, "no-correction", "boundary", correction=None, **target)
        golden = mapping(*(states(*((int(x), 4) for x in row)) for row in ("4434241343", "3424130232", "1203010020", "4334241244")))
        yield case(f"{q}, golden: four models of ten questions", golden, "golden", "mapping", **target)
        if q == "sampled":
            yield case("sampled, clusters", golden, "clusters", "mapping", clusters=[0, 0, 0, 0, 1, 1, 2, 2, 3, 3], **target)
            yield case("sampled, clusters, no correction", golden, "clusters", "mapping", "no-correction", clusters=list("abcdeabcde"), correction=None, **target)
        yield case(f"{q}, single trials", {"tensor": [[[1]] * 12, [[0]] * 11 + [[1]], [[1], [0]] * 6]}, "boundary", **target)
        yield case(f"{q}, single trials of one model only", mapping({"matrix": [[1]] * 6}, states(*[(1, 10)] * 6), states(*[(9, 10)] * 6)), "mapping", "boundary", **target)
        yield case(f"{q}, questions that one of a pair lacks are left out of that pair", {"tensor": [
            [[1, 1, 1], [None] * 3, [1, 1, 0], [1, 1, 1]], [[0, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0]], [[None] * 3, [0, 0, 0], [0, 0, 1], [0, 0, 0]]]},
            "missing", missing="drop", **target)
        yield case(f"{q}, missing trials count as failures", {"tensor": [[[1, 1, None], [1, 1, 1]], [[0, 0, None], [1, 0, 0]]]}, "missing", missing=0, **target)
        yield case(f"{q}, unequal trials as counts", mapping(states((9, 10), (28, 30)), states((1, 4), (3, 9)), states((5, 10), (5, 9))), "mapping", "ragged", **target)
        grades = mapping(*({"counts": [[10 - 2 * i, 5, 5 + 2 * i], [9 - 2 * i, 6, 5 + 2 * i], [11 - 2 * i, 6, 3 + 2 * i]]} for i in range(5)))
        yield case(f"{q}, graded", grades, "mapping", "weights", w=W3, **target)
        yield case(f"{q}, graded with falling scores: the order is reversed", grades, "mapping", "weights", w=[5.0, 2.0, -1.0], **target)
        yield case(f"{q}, all scores equal: no pair is significant", grades, "mapping", "weights", "boundary", w=[2.0, 2.0, 2.0], **target)
        yield case(f"{q}, four models by recipe", mapping(*(recipe(60, 40, 71 + i) for i in range(4))), "mapping", "large", **target)
    rng = Random(861)
    for i in range(10):
        L, M, N = rng.randint(2, 5), rng.randint(2, 6), rng.randint(2, 10)
        models = [states(*((min(N, max(0, rng.randint(0, N // 2) + j * N // L)), N) for _ in range(M))) for j in range(L)]
        yield case(f"random models {i + 1} of seed 861", mapping(*models), "random", "mapping", questions=("fixed", "sampled")[i % 2],
                   confidence=rng.choice((0.8, 0.9, 0.95)), **({} if i % 3 else {"correction": None}))
    yield from ranges_cases()


compare_all = ranges


def winners():
    """Cases of winners: those of ranges, with a margin in the place of no correction; then its own."""
    for i, (comment, flags, args) in enumerate(ranges()):
        if args.get("correction", "holm") is None:
            args = {name: x for name, x in args.items() if name != "correction"} | {"margin": (0.05, 0.3, 1.0)[i % 3]}
            comment, flags = comment.replace(", no correction", ""), [x for x in flags if x != "no-correction"] + ["margin"]
            comment += f", a margin of {args['margin']}"
        yield comment, flags, args
    for guard in (0.0, 0.25):
        for comment, flags, args in list(ranges())[:12]:
            if args.get("correction", "holm") is not None:
                yield f"{comment}, guard {guard}", [*flags, "guard"], {**args, "guard": guard}
    # a rival that fails some questions in every trial; the best model fails rarely, but on all questions
    for q in ("fixed", "sampled"):
        for failing in range(4):
            for each in (1, 2):
                rival, best = states(*[(0, 16)] * failing, *[(16, 16)] * (30 - failing)), states(*[(16 - each, 16)] * 30)
                yield (f"{q}, {failing} questions of one model fail in every trial, {each} of 16 trials of the other model", ["boundary", "mapping"],
                       {"models": {"models": {"rival": rival, "best": best}}, "questions": q, **({"margin": 0.01} if failing == 1 else {})})
        yield (f"{q}, questions in clusters fail in every trial", ["clusters"] if q == "sampled" else ["boundary"],
               {"models": {"models": {"rival": states(*[(0, 4)] * 4, *[(4, 4)] * 56), "best": states(*[(3, 4)] * 60)}}, "questions": q,
                **({"clusters": [i // 4 for i in range(60)]} if q == "sampled" else {})})
    yield "fixed, the rival has one trial of each question, all successes: it may still fail some questions", ["boundary", "mapping"], {
        "models": {"models": {"rival": states(*[(1, 1)] * 77), "best": states(*[(8, 8)] * 60, *[(7, 8)] * 17)}}, "questions": "fixed"}
    # a rival of few trials fails rarely: the fewer failures occur, the smaller the variance that they show
    few_failures = [(4, 4)] * 37 + [(3, 4)] * 3
    for name, rival in (("2", [(2, 2)] * 38 + [(1, 2)] * 2), ("3", [(3, 3)] * 38 + [(2, 3)] * 2), ("4", few_failures)):
        for metric in ({}, {"metric": "pass_hat_k", "k": 1}, {"metric": "pass_hat_k", "k": 2}):
            if metric.get("k", 1) <= int(name):
                yield f"fixed, {name} trials of a rival, 256 of the best model, {metric or 'mean'}", ["boundary", "mapping"], {
                    "models": {"models": {"rival": states(*rival), "best": states(*[(244, 256)] * 40)}}, "questions": "fixed", **metric}
    steady, unsteady = states(*[(10, 10)] * 6, (9, 10), (1, 10)), states(*[(10, 10)] * 3, *[(9, 10)] * 3, (5, 10), (7, 10))
    for n, rival in ((10, unsteady), (4, states(*[(4, 4)] * 5, (3, 4), (2, 4), (1, 4))), (3, states(*[(3, 3)] * 6, (2, 3), (1, 3)))):
        for margin in (0.0, 0.05):
            yield f"fixed, flip_rate of ten trials against {n}, a margin of {margin}", ["boundary", "mapping", "margin"], {
                "models": {"models": {"steady": steady, "rival": rival}}, "questions": "fixed", "metric": "flip_rate", "margin": margin, "confidence": 0.8}
