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
    yield case("a chain does not chain: the third is too far from the first", [1.0, 0.9, 0.8], "boundary", tol=0.15)
    yield case("a chain in another order", [0.8, 1.0, 0.9, 0.7], "boundary", tol=0.15)
    yield case("the last link starts its own group", [3.0, 2.0, 1.0, 0.0], "boundary", tol=1.0)
    yield case("tolerance 0 parts neighbours of one ulp", [1.0, 0.9999999999999999, 1.0], "boundary", tol=0.0)
    yield case("a tolerance that ties everything", [5.0, -5.0, 0.0], "boundary", tol=1e300)
    yield case("a difference that overflows is no tie", [1.7e308, -1.7e308], "boundary")
    yield case("subnormal scores are apart at tolerance 0", [5e-324, 0.0, 1e-323], "boundary", tol=0.0)
    yield case("large scores, where the tolerance is below one ulp", [1e15 + 1, 1e15, 1e15 + 1])
    rng = Random(701)
    for i in range(24):
        L = rng.randint(2, 30)
        scores = [rng.randint(0, 3 + i) / 8 for _ in range(L)]
        yield case(f"{L} scores in eighths", scores, **({"tol": rng.choice([0.0, 0.125, 0.3])} if i % 2 else {}))
