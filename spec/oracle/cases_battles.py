"""Cases of battles: ratings, win probabilities, score tests, plans, influence."""
from random import Random

TIES = ("half", "davidson", "rao_kupper")
WINNERS = ("model_a", "tie", "model_b", "tie (bothbad)")


def table(text, **more):
    """Columns of battles from "AB 6 2 3, BA 2 1 4": models as shown; wins, ties, losses of the first, both bad.

    more: further columns, or functions that make a column from those of the text.
    """
    out = {"model_a": [], "model_b": [], "winner": [], "count": []}
    for part in text.split(","):
        pair, *n = part.split()
        for word, many in zip(WINNERS, map(int, n)):
            if many:
                for name, x in zip(out, (pair[0], pair[1], word, many)):
                    out[name].append(x)
    return out | {k: v(out) if callable(v) else v for k, v in more.items()}


GOLDEN = "AB 6 2 3, BA 2 1 4, AC 5 1 2, CA 3 2 4, BC 4 3 2, CB 3 1 3"
# each ordered pair of models is one question
ORDERED_PAIRS = table(GOLDEN, question=lambda t: [a + b for a, b in zip(t["model_a"], t["model_b"])])
TWO = "AB 7 1 2"
BRIDGE = "AB 4 0 0, AC 3 0 0, BC 5 2 3"
CHAIN = "AB 4 0 2, BC 5 1 3, CD 3 0 2, DE 6 2 1"
STRONG = "AB 5 1 1, BC 6 0 2, CD 7 1 1, AC 9 0 1, AD 9 1 0, BD 8 0 2"


def random_battles(rng, L, n, labels=False, weights=False, most=1):
    """Columns of n random rows of battles of L models; most: the largest count of a row (1: no column of counts)."""
    names = "ABCDEF"[:L]
    out = {k: [] for k in ("model_a", "model_b", "winner", "count")}
    strength = [rng.randint(-2, 2) for _ in names]
    for _ in range(n):
        i, j = rng.sample(range(L), 2)
        first = rng.randint(0, 9) < 5 + strength[i] - strength[j]
        word = WINNERS[rng.choice([1, 1, 3])] if rng.randint(0, 3) == 0 else "model_a" if first else "model_b"
        for name, x in zip(out, (names[i], names[j], word, rng.randint(1, most))):
            out[name].append(x)
    if most == 1:
        del out["count"]
    if labels:
        out |= {"question": [rng.randint(1, max(3, n // 3)) for _ in range(n)], "voter": [rng.choice(["x", "y", "z", "v"]) for _ in range(n)]}
    if weights:
        out["weight"] = [rng.choice([1, 0.5, 0.1, 3.75]) for _ in range(n)]
    return out


def rows(t):
    """Battles as a list of rows, one for each battle."""
    return [[a, b, w] for a, b, w, n in zip(t["model_a"], t["model_b"], t["winner"], t["count"]) for _ in range(n)]


def example_cases():
    """Cases that the functions share: (comment, flags, battles and options)."""
    for ties in TIES:
        for bias in (False, True):
            yield f"six ordered pairs, {ties}{', position bias' if bias else ''}", ["golden"], {"battles": table(GOLDEN), "ties": ties, "position_bias": bias}
    yield "a row for each battle", ["plain"], {"battles": rows(table(GOLDEN))}
    yield "two models: odds of 3", ["golden"], {"battles": table(TWO)}
    yield "two models, Davidson", ["plain"], {"battles": table(TWO), "ties": "davidson"}
    yield "four models of very different strength", ["plain"], {"battles": table(STRONG)}
    yield "four models, Rao and Kupper", ["plain"], {"battles": table(STRONG), "ties": "rao_kupper"}
    yield "a chain of five", ["plain"], {"battles": table(CHAIN)}
    yield "many battles", ["large"], {"battles": table("AB 600 20 300, BC 410 0 400, AC 500 100 333")}
    yield "a single tie among many battles", ["boundary"], {"battles": table("AB 30 1 20, BC 20 0 30, CA 25 0 25"), "ties": "rao_kupper"}
    yield "almost only ties", ["boundary"], {"battles": table("AB 1 40 1, BC 1 40 0, CA 1 40 0"), "ties": "davidson"}
    yield "equal models", ["ties"], {"battles": table("AB 3 1 3, BA 2 2 2, BC 4 0 4, CA 1 1 1")}
    yield "both bad counts as a tie", ["plain"], {"battles": table("AB 6 2 3 4, BA 2 1 4 1")}
    yield "both bad is dropped", ["plain"], {"battles": table("AB 6 2 3 4, BA 2 1 4 1"), "both_bad": "drop"}
    weighted = table(GOLDEN, weight=lambda t: [(1, 0.5, 2.25, 0.1)[k % 4] for k in range(len(t["winner"]))])
    yield "weights", ["weights"], {"battles": weighted}
    yield "weights, Davidson with position bias", ["weights"], {"battles": weighted, "ties": "davidson", "position_bias": True}
    yield "weights, Rao and Kupper", ["weights"], {"battles": weighted, "ties": "rao_kupper"}
    yield "weights of 1e-100 and 1e100", ["weights", "boundary"], {"battles": table("AB 6 0 3, BA 2 0 4", weight=[1e-100, 1e-100, 1e100, 1e100])}


def clustered_cases():
    """Cases with clusters that several functions share: (comment, flags, battles and options)."""
    yield "each ordered pair is a cluster", ["clusters", "golden"], {"battles": ORDERED_PAIRS, "cluster": "question"}
    for ties in TIES:
        for k, cluster in enumerate(("question", "voter", "both")):
            rng = Random(f"battles {ties} {cluster}")
            yield f"clusters: {cluster}, {ties}", ["clusters", "random"], \
                {"battles": random_battles(rng, 3, 24, labels=True), "ties": ties, "cluster": cluster, "position_bias": k == 1}


def random_cases(n, size=4, **more):
    """Cases of n random sets of battles, each of 2 to `size` models: (comment, flags, battles and options)."""
    for i in range(n):
        rng = Random(f"battles {i}")
        yield f"random battles {i + 1}", ["random"], {
            "battles": random_battles(rng, rng.randint(2, size), rng.randint(12, 28), weights=i % 4 == 3, most=1 if i % 2 else 5),
            "ties": TIES[i % 3], "position_bias": i % 5 == 0, **more}


def bradley_terry():
    yield from example_cases()
    yield from clustered_cases()
    for c in (0.5, 0.9, 0.999):
        yield f"confidence {c}", ["confidence"], {"battles": table(STRONG), "confidence": c}
    yield "another rating scale", ["plain"], {"battles": table(GOLDEN), "scale": 173.7178, "base": 2.718281828459045, "init_rating": 1500}
    yield "ratings around 0", ["plain"], {"battles": table(GOLDEN), "init_rating": 0}
    for name in "AC":
        yield f"{name} is the anchor", ["plain"], {"battles": table(GOLDEN), "anchor": name}
    yield "an anchor, clusters and ties", ["clusters"], {"battles": ORDERED_PAIRS, "cluster": "question", "anchor": "B", "ties": "davidson"}
    yield "one model is unbeaten", ["boundary"], {"battles": table(BRIDGE)}
    yield "one model is unbeaten in 70 battles", ["boundary"], {"battles": table("AB 40 0 0, AC 30 0 0, BC 5 2 3")}
    yield "two groups and an unbeaten model", ["boundary"], {"battles": table("AB 5 2 3, CD 4 1 3, AC 12 0 0, BD 15 0 0, EA 30 0 0")}
    yield "one model is unbeaten, and the anchor", ["boundary"], {"battles": table(BRIDGE), "anchor": "A"}
    yield "one model wins no battle", ["boundary"], {"battles": table("AB 3 1 2, BC 4 0 0")}
    yield "one model is between two groups", ["boundary"], {"battles": table("AB 3 1 2, BC 4 0 0, CD 2 0 0, DE 3 2 1")}
    yield "two groups of equal size", ["boundary"], {"battles": table("AB 3 1 2, CD 2 0 1")}
    yield "two groups, ties in only one", ["boundary"], {"battles": table("AB 3 1 2, CD 2 0 1"), "ties": "davidson"}
    yield "no ties: Davidson's nu is 0", ["boundary"], {"battles": table("AB 3 0 2, BC 2 0 1, CA 2 0 3"), "ties": "davidson"}
    yield "no ties: Rao and Kupper's kappa is 1", ["boundary"], {"battles": table("AB 3 0 2, BC 2 0 1, CA 2 0 3"), "ties": "rao_kupper"}
    yield "only ties: equal, but no tie parameter", ["boundary"], {"battles": table("AB 0 3 0, BC 0 2 0"), "ties": "davidson"}
    yield "only ties as half wins", ["boundary"], {"battles": table("AB 0 9 0, BC 0 8 0, CA 0 7 0")}
    yield "the same model is always shown first: position bias is not identified", ["boundary"], {"battles": table("AB 3 1 2"), "position_bias": True}
    yield "the model shown first always wins", ["boundary"], {"battles": table("AB 3 0 0, BA 2 0 0"), "position_bias": True}
    yield "both parameters, and no ratio satisfies all cycles: a maximum", ["boundary"], {"battles": table("AB 2 0 1, BA 0 3 0"), "ties": "davidson", "position_bias": True}
    yield "six battles: few degrees of freedom", ["boundary"], {"battles": table("AB 1 0 1, BC 1 0 1, CA 1 0 1")}
    yield "a single battle: no interval", ["boundary"], {"battles": table("AB 0 1 0")}
    yield from random_cases(12)


def win_probability():
    for comment, flags, args in (*example_cases(), *clustered_cases()):
        yield comment, flags, {**args, "a": "A", "b": "B"}
    for a, b in ("BA", "AC", "CB", "DA"):
        yield f"{a} and {b}", ["plain"], {"battles": table(STRONG), "a": a, "b": b}
    for c in (0.5, 0.9, 0.999):
        yield f"confidence {c}", ["confidence"], {"battles": table(CHAIN), "a": "A", "b": "E", "confidence": c}
    yield "with an unbeaten third model", ["boundary"], {"battles": table(BRIDGE), "a": "B", "b": "C"}
    yield "a single battle: no interval", ["boundary"], {"battles": table("AB 0 1 0"), "a": "A", "b": "B"}
    for comment, flags, args in random_cases(10):
        yield comment, flags, {**args, "a": "A", "b": "B"}


def score_test():
    for a, b in ("AB", "AC", "BA", "BC"):
        yield f"{a} and {b}: one model is unbeaten", ["golden"], {"battles": table(BRIDGE), "a": a, "b": b}
    for comment, flags, args in (*example_cases(), *clustered_cases()):
        if args.get("ties", "half") == "half" and not args.get("position_bias"):
            yield comment, flags, {k: x for k, x in args.items() if k in ("battles", "both_bad", "cluster")} | {"a": "A", "b": "B"}
    for text, comment in (("AB 9 0 0", "nine wins: t = 3"), ("AB 1 0 0", "one battle: no test"), ("AB 3 2 3", "equal numbers of wins: t = 0"),
                          ("AB 3 1 2, BC 4 0 0, CD 5 0 0, DE 3 2 1, AD 1 0 0", "connected also through other models"),
                          ("CA 4 0 0, CB 6 0 0, AD 5 0 0, DB 3 0 0", "no battle between the two")):
        yield comment, ["boundary"], {"battles": table(text), "a": "A", "b": "B"}
    for text, comment in (("AB 0 3 0", "only ties"), ("AB 0 1 0, BC 0 2 0, CA 0 4 0", "ties of three models"), ("CA 0 1 0, CB 0 1 0", "ties with a third model")):
        yield f"{comment}: no score varies, t = 0", ["ties"], {"battles": table(text), "a": "A", "b": "B"}
    labels = table("AB 4 0 0, AC 3 0 0, BC 5 2 3", question=[1, 2, 1, 2, 3], voter=["x", "y", "z", "x", "y"])
    for cluster in ("question", "voter", "both"):
        yield f"an unbeaten model, clusters: {cluster}", ["clusters"], {"battles": labels, "a": "A", "b": "C", "cluster": cluster}
    yield "an unbeaten model, weights", ["weights"], {"battles": table(BRIDGE, weight=[0.5, 1, 2.25, 1, 0.1]), "a": "A", "b": "C"}
    for comment, flags, args in random_cases(16):
        yield comment, flags, {"battles": args["battles"], "a": "A", "b": "B"}


def next_pair():
    yield from example_cases()
    yield "with an unbeaten third model", ["boundary"], {"battles": table(BRIDGE)}
    yield from random_cases(24)


def battles_needed():
    yield "80% power", ["golden"], {"battles": table(GOLDEN), "a": "A", "b": "B"}
    yield "50% power", ["golden"], {"battles": table(GOLDEN), "a": "A", "b": "B", "power": 0.5}
    for comment, flags, args in (*example_cases(), *clustered_cases()):
        yield comment, flags, {**args, "a": "A", "b": "C" if "C" in str(args) else "B"}
    yield "the present battles are enough", ["boundary"], {"battles": table("AB 90 0 10"), "a": "A", "b": "B"}
    yield "another confidence and power", ["confidence"], {"battles": table(STRONG), "a": "C", "b": "D", "power": 0.99, "confidence": 0.999}
    around = table("BA 1 0 0, CD 0 0 1, BD 1 0 0, AB 1 0 1, BC 1 0 1, CD 1 0 1, DA 1 0 1", question=[3, 4, 1, 2, 2, 4, 4, 2, 1, 1, 5])
    yield "no ties: their expected number is a rounding error", ["clusters"], {"battles": around, "a": "A", "b": "B", "ties": "rao_kupper", "cluster": "question", "power": 0.9026232167142721}
    for comment, flags, args in random_cases(12):
        yield comment, flags, {**args, "a": "A", "b": "B"}


def influence():
    for comment, flags, args in example_cases():
        if args.get("ties", "half") == "half" and not args.get("position_bias"):
            yield comment, flags, {k: x for k, x in args.items() if k in ("battles", "both_bad")}
    yield "with an unbeaten third model", ["boundary"], {"battles": table(BRIDGE)}
    yield "no removal changes the leader", ["boundary"], {"battles": table("AB 1 0 1")}
    yield "only ties", ["boundary"], {"battles": table("AB 0 2 0, BC 0 2 0")}
    for comment, flags, args in random_cases(34):
        yield comment, flags, {"battles": args["battles"]}
