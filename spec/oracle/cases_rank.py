"""Cases of the functions that make ranks of scores."""
from random import Random


def competition_ranks_from_scores():
    def case(comment, scores, *flags, **args):
        return comment, list(flags) or ["plain"], {"scores_in_id_order": scores, **args}

    yield case("Scorio.jl API reference", [0.95, 0.87, 0.87, 0.72, 0.65], "worked-example")
    yield case("one model", [0.3], "boundary")
    yield case("all equal", [0.5, 0.5, 0.5, 0.5], "boundary")
    yield case("two models, the worse first", [0.1, 0.9])
    yield case("already in falling order", [4, 3, 2, 1])
    yield case("in rising order", [1, 2, 3, 4])
    yield case("negative scores", [-3.5, -1.0, -2.0, -1.0])
    yield case("zero and negative zero tie", [0.0, "-0.0", 0.0], "boundary", tol=0.0)
    yield case("a tie for the first place", [1.0, 1.0, 0.5])
    yield case("a tie for the last place", [1.0, 0.5, 0.5])
    yield case("two groups of ties", [0.7, 0.2, 0.7, 0.2, 0.7])
    yield case("within the default tolerance", [0.5, 0.5 + 5e-13, 0.5 - 4e-13], "boundary")
    yield case("beyond the default tolerance", [0.5, 0.5 + 2e-12], "boundary")
    yield case("exactly the tolerance apart: a tie", [1.0, 0.75], "boundary", tol=0.25)
    yield case("one ulp beyond the tolerance: no tie", [1.0, 0.7499999999999999], "boundary", tol=0.25)
    yield case("ties do not chain: the third is too far from the first", [1.0, 0.9, 0.8], "boundary", tol=0.15)
    yield case("a chain in another order", [0.8, 1.0, 0.9, 0.7], "boundary", tol=0.15)
    yield case("scores in steps of the tolerance: every second one starts a group", [3.0, 2.0, 1.0, 0.0], "boundary", tol=1.0)
    yield case("tolerance 0 separates neighbours of one ulp", [1.0, 0.9999999999999999, 1.0], "boundary", tol=0.0)
    yield case("a tolerance that ties everything", [5.0, -5.0, 0.0], "boundary", tol=1e300)
    yield case("a difference that overflows is no tie", [1.7e308, -1.7e308], "boundary")
    yield case("subnormal scores differ at tolerance 0", [5e-324, 0.0, 1e-323], "boundary", tol=0.0)
    yield case("large scores, where the tolerance is below one ulp", [1e15 + 1, 1e15, 1e15 + 1])
    rng = Random(701)
    for i in range(24):
        L = rng.randint(2, 30)
        scores = [rng.randint(0, 3 + i) / 8 for _ in range(L)]
        yield case(f"{L} scores in eighths", scores, **({"tol": rng.choice([0.0, 0.125, 0.3])} if i % 2 else {}))


def rank_scores():
    def case(comment, scores, *flags, **args):
        return comment, list(flags) or ["plain"], {"scores": scores, **args}

    table_1 = [0.7327, 0.6213, 0.608, 0.5276, 0.5418, 0.4466, 0.3642, 0.3642, 0.3604, 0.2545, 0.2332]
    yield case("table 1 of the paper, gold: dense ranks 1 2 3 5 4 6 7 7 8 9 10", table_1, "worked-example")
    yield case("table 1 of the paper, with intervals: dense ranks 1 2 2 3 3 4 5 5 5 6 7", table_1, "worked-example", "chain", sigmas=[0.0085] * 11)
    yield case("one score", [0.3], "boundary")
    yield case("one score with a standard error", [0.3], "boundary", sigmas=[0.1])
    yield case("ranks 1 2 2 4, 1 3 3 4, 1 2 2 3, 1 2.5 2.5 4 in the four conventions", [0.9, 0.7, 0.7, 0.2], "ties")
    yield case("all equal", [0.5, 0.5, 0.5, 0.5], "ties", "boundary")
    yield case("all equal, two of them", [2, 2], "ties", "boundary")
    yield case("a tie of two and a tie of three", [1, 3, 1, 3, 1], "ties")
    yield case("integers in rising order", [1, 2, 3, 4])
    yield case("zero and negative zero tie", [0.0, "-0.0", 1.0], "ties", tol=0.0)
    yield case("exactly the tolerance apart: a tie", [1.0, 0.75, 0.5], "tolerance", tol=0.25)
    yield case("one ulp beyond the tolerance", [1.0, 0.7499999999999999], "tolerance", tol=0.25)
    yield case("without standard errors groups do not chain", [1.0, 0.9, 0.8, 0.7], "tolerance", tol=0.15)
    yield case("with standard errors of 0 ties within the tolerance chain", [1.0, 0.9, 0.8, 0.7], "tolerance", "chain", "sigma-zero", tol=0.15, sigmas=[0, 0, 0, 0])
    yield case("tolerance 0 separates neighbours of one ulp", [1.0, 0.9999999999999999, 1.0], "tolerance", tol=0.0)
    yield case("within the default tolerance", [0.5, 0.5 + 5e-13, 0.25], "tolerance")
    yield case("a chain: neighbours tie, the ends are far apart", [0.9, 0.8, 0.7, 0.6, 0.5], "chain", sigmas=[0.05] * 5)
    yield case("a chain, scores in another order", [0.6, 0.9, 0.5, 0.8, 0.7], "chain", sigmas=[0.05] * 5)
    yield case("a gap breaks the chain", [0.9, 0.8, 0.5, 0.4], "chain", sigmas=[0.05] * 4)
    yield case("standard errors of 0: only equal scores tie", [0.9, 0.8, 0.8, 0.1], "chain", "sigma-zero", sigmas=[0, 0, 0, 0])
    yield case("one standard error of 0", [0.9, 0.8, 0.7], "chain", "sigma-zero", sigmas=[0.05, 0, 0.1])
    yield case("equal scores are ordered by rising standard error, so the one with the smaller standard error meets the better model", [0.9, 0.5, 0.5], "chain", sigmas=[0.01, 5.0, 0.01])
    yield case("equal scores: the one with the smaller standard error first, the one with the larger standard error meets the next", [0.9, 0.9, 0.8], "chain", sigmas=[0.2, 0.001, 0.001])
    yield case("equal scores and errors are ordered by index", [0.5, 0.5, 0.4], "chain", "ties", sigmas=[0.1, 0.1, 0.0])
    yield case("z just below the threshold 1.6448536: a tie", [1.64485, 0.0], "chain", "boundary", sigmas=[1.0, 0.0])
    yield case("z just above the threshold 1.6448536: no tie", [1.64486, 0.0], "chain", "boundary", sigmas=[1.0, 0.0])
    yield case("intervals that just overlap at 1.9599639: a tie", [3.91992, 0.0], "chain", "boundary", sigmas=[1.0, 1.0], ties="ci_overlap_adjacent")
    yield case("intervals that barely do not overlap", [3.91993, 0.0], "chain", "boundary", sigmas=[1.0, 1.0], ties="ci_overlap_adjacent")
    yield case("significant by z though the intervals overlap: rule zscore", [0.9, 0.6], "chain", sigmas=[0.1, 0.1])
    yield case("significant by z though the intervals overlap: rule ci_overlap", [0.9, 0.6], "chain", sigmas=[0.1, 0.1], ties="ci_overlap_adjacent")
    yield case("standard errors that overflow when squared", [1e300, 0.0, -1e300], "chain", "boundary", sigmas=[1e299, 1e299, 1e300])
    yield case("standard errors that underflow when squared", [3e-300, 1e-300, 0.0], "chain", "boundary", tol=0.0, sigmas=[1e-300, 1e-300, 1e-301])
    for c in (0.5000001, 0.75, 0.99, 0.999999, 1 - 2**-53):
        for ties in ("zscore_adjacent", "ci_overlap_adjacent"):
            yield case(f"confidence {c!r}, {ties}", [0.9, 0.75, 0.7, 0.4, 0.39], "chain", "confidence", sigmas=[0.03, 0.04, 0.05, 0.02, 0.01], confidence=c, ties=ties)
    yield case("without standard errors the confidence has no effect, and may be small", [0.9, 0.8, 0.9], "confidence", confidence=0.01)
    yield case("without standard errors ties has no effect", [0.9, 0.8, 0.9], "alias", ties="ci_overlap_adjacent")
    rng = Random(702)
    for i in range(16):
        L = rng.randint(2, 12)
        scores = [rng.randint(0, 40) / 8 for _ in range(L)]
        more = {"sigmas": [rng.randint(0, 9) / 16 for _ in range(L)], "ties": rng.choice(("zscore_adjacent", "ci_overlap_adjacent")),
                "confidence": rng.choice((0.8, 0.95, 0.975))} if i % 2 else {"tol": rng.choice([0.0, 0.125, 0.3])}
        yield case(f"{L} scores in eighths", scores, "random", **more)
