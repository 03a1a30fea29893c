"""Cases shared by all binary metrics, and notes that explain the flags.

A case is (comment, flags, args). Random cases are made from integers with a fixed seed.
"""
from random import Random

from examples import R, AIRLINE

NOTES = {
    "name": "a standard schema by its name in the paper, or in another spelling",
    "worked-example": "a public document prints this result; the comment says which and what",
    "golden": "a reference case of the method",
    "boundary": "a parameter at the end of its range, or data of an extreme form",
    "cancellation": "the obvious formula subtracts nearly equal numbers here",
    "exact-zero": "a result, or a sum in it, is exactly 0",
    "threshold": "the threshold of tau or of a majority, which floating point products or ceilings may get wrong",
    "underflow": "the result, its square or a factor of it lies below the normal double range",
    "large": "many trials, questions or models, a large k, or numbers of very different size",
    "ragged": "questions have unequal numbers of trials",
    "missing": "missing outcomes, questions without trials, or a policy for missing outcomes",
    "weights": "scores w other than 0 and 1, or weights of thresholds or battles",
    "unobserved": "a category never occurs",
    "prior": "prior outcomes or prior parameters other than the default",
    "confidence": "a confidence, a power or a false-discovery rate other than the default",
    "bounds": "clipping bounds other than the default",
    "clipped": "bounds that may move an end of the interval",
    "beyond": "k exceeds the number of trials, which this function allows",
    "powers": "powers, or lam, other than one half",
    "clusters": "clusters of questions or of battles are the sampled units",
    "ids": "counts carry ids of their questions, or clusters",
    "pool": "the questions are a sample of a finite pool",
    "beta": "interval shape beta",
    "modelled": "2k exceeds the trials of a question: a mixture of success rates fitted to all questions with as many trials replaces the second block",
    "probit": "2k exceeds the trials of a question: a probit model of the vote replaces the second block",
    "no-model": "model is null: no model replaces a second block of trials",
    "inflated": "more questions without a success than the beta-binomial model expects",
    "needed-trials": "the number of further trials that are needed",
    "alias": "the same call in another form: another name, a default that is given, an equivalent value",
    "mapping": "models by name instead of one array",
    "tolerance": "a tolerance other than the default, or a difference close to it",
    "no-correction": "p-values are not adjusted for the number of pairs",
    "margin": "models within a margin of the best are included",
    "chain": "ties between neighbours, which may chain",
    "sigma-zero": "a standard error is 0",
    "signs": "the p-value of the signs of the sampled units may decide",
    "guard": "a guard other than the default",
    "t-distribution": "Student's t distribution with few degrees of freedom: the variance between questions is estimated",
    "clip": "an end of the interval lies at a bound",
    "unpaired": "two models on different questions",
    "suite": "several benchmarks",
    "runs": "runs were sampled: the variance between them counts",
    "shared": "the runs of all models are the same",
    "sessions": "columns with equal labels are one run",
    "looks": "one of several planned looks: its level comes from the recursion",
    "needed": "a number of trials, questions or labels that is needed",
    "ties": "equal ranks, scores or values, or a limit that is met exactly",
    "not-a-number": "a result is not a number, or infinite, by definition",
    "permutations": "one of all rankings of a small size",
    "big": "an integer of about 64 bits or more",
    "bootstrap": "trials are resampled by the generator of spec/families/simulation.md, or kept in their order (original)",
    "gold": "the gold ranking is given",
    "worst": "the replicates that converge last or never",
    "stream": "a stream of the generator other than the default",
    "counter": "random numbers that do not start at the first place",
    "nested": "two or three dimensions",
    "order-statistic": "whole Beta parameters: one of the sorted uniforms, a rational number",
    "quantile": "a Beta quantile at a uniform",
    "doubles": "the definition itself is one operation on doubles",
    "standard": "one of the twelve schemata of the paper, table 5",
    "decision": "a point that tables 4 and 5 leave open, decided in spec/families/rubric.md",
    "kleene": "a signal is missing: conditions are true, false or unknown",
    "own": "a schema, a variable, a threshold or a signal made by the user",
    "grammar": "how a condition is parsed",
    "stated": "thresholds are given, not computed",
    "pooled": "thresholds over the attempts of several models",
    "absent": "a signal is absent, and everything that needs it is left out",
    "scalar": "one number stands for every attempt",
    "undefined-threshold": "a threshold has no value, since its percentile has no data",
    "rounding": "a percentile is rounded once, after it was computed exactly",
    "tie": "the exact value lies halfway between two doubles: the even one is the result",
    "whole-place": "the place of the percentile is a whole number",
    "random": "made by random numbers of a fixed seed",
    "plain": "an ordinary case",
}


def states(*pairs):
    """Counts of outcomes from (successes, trials) pairs."""
    return {"counts": [[n - c, c] for c, n in pairs]}


def random_states(rng, most_questions=6, most_trials=24):
    """(counts, N): random counts of questions that all have N trials."""
    M, N = rng.randint(1, most_questions), rng.randint(1, most_trials)
    return states(*((rng.randint(0, N), N) for _ in range(M))), N


def recipe(M, N, seed, C=1):
    return {"recipe": {"M": M, "N": N, "C": C, "seed": seed}}


def small_data():
    """Small and extreme data: (comment, flags, R, k)."""
    for k in (3, 4, 5):
        yield f"the documents' matrix at k = {k}", ["boundary"] if k == 5 else ["plain"], R, k
    for c in (0, 1):
        yield f"one question, one trial, successes: {c}", ["boundary"], states((c, 1)), 1
    for c in range(6):
        yield f"one question, {c} successes in 5 trials, odd k", ["boundary"] if c in (0, 5) else ["plain"], states((c, 5)), 3
    for c in (0, 2, 4, 7, 8):
        yield f"one question, {c} successes in 8 trials, even k", ["boundary"] if c in (0, 8) else ["plain"], states((c, 8)), 4
    for k in (1, 2, 6, 7):
        yield f"all states of 7 trials, k = {k}", ["boundary"] if k in (1, 7) else ["plain"], \
            states(*((c, 7) for c in range(8))), k
    yield "no success at all, k = N", ["boundary"], states((0, 6), (0, 6), (0, 6)), 6
    yield "every trial a success, k = N", ["boundary"], states((6, 6), (6, 6), (6, 6)), 6
    yield "a matrix in which rows and trials are shuffled", ["plain"], \
        {"matrix": [[1, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0]]}, 3
    for k in (1, 2, 3, 4):
        yield f"tau-bench airline, 50 tasks of 4 trials, k = {k}", ["plain"], AIRLINE, k


def missing_data():
    """Data with missing outcomes: (comment, flags, R, k, missing)."""
    with_missing = {"matrix": [[1, None, 0, 1, 1], [0, 0, "nan", 1, 0], [1, 1, 1, 1, None]]}
    rows = {"matrix": [[1, 1, 0], [0, 1], [1, 0, 0, 1, 1], [0, 0, 0]]}
    yield "missing trials do not count as trials", ["missing"], with_missing, 2, "drop"
    yield "missing trials count as failures", ["missing"], with_missing, 2, 0
    yield "missing trials count as successes", ["missing"], with_missing, 2, 1
    yield "unequal numbers of trials, k up to the shortest", ["ragged"], rows, 2, "drop"
    yield "short rows are filled up with failures", ["ragged", "missing"], rows, 4, 0
    yield "short rows are filled up with successes", ["ragged", "missing"], rows, 3, 1
    yield "counts of unequal rows", ["ragged"], states((2, 3), (4, 4), (0, 2), (5, 8)), 2, "drop"
    yield "equal questions beside others of more trials", ["ragged"], states((3, 6), (3, 6), (3, 7), (40, 90)), 5, "drop"
    yield "counts of unequal rows need no policy", ["ragged"], states((2, 5), (4, 4), (0, 7), (5, 8)), 3, "raise"
    yield "a policy does not change counts", ["ragged"], states((2, 5), (4, 4), (0, 7), (5, 8)), 3, 0
    yield "a policy is given though nothing is missing", ["missing"], states((3, 6), (1, 6)), 3, "drop"


def threshold_data():
    """Cases of k at which ceil(tau k), tau = (k//2 + 1)/k, is above the majority in doubles: (comment, flags, R, k)."""
    for k in (29, 52, 56, 58, 60):
        yield f"majority of {k}: the threshold must be an integer from the start", ["threshold"], \
            states((k // 2, 64), (k // 2 + 3, 64), (50, 64)), k


def large_data(most_k=1000):
    """Large data: (comment, flags, R, k)."""
    yield "rare success in many trials", ["large", "cancellation"], states((1, 100000), (3, 100000)), 10
    yield "rare failure in many trials", ["large", "cancellation"], states((99999, 100000), (99990, 100000)), 10
    yield "a hundred questions by recipe", ["large"], recipe(100, 64, 1), 16
    yield "a thousand questions by recipe", ["large"], recipe(1000, 8, 2), 4
    yield "thirty questions, eighty trials, by recipe", ["large"], recipe(30, 80, 3), 8
    yield "few questions with ten thousand trials, by recipe", ["large"], recipe(3, 10000, 4), 20
    yield "k of 100 from 1000 trials", ["large"], states((17, 1000), (430, 1000), (985, 1000)), 100
    yield f"k of {most_k} from 100000 trials", ["large"], states((150, 100000), (99800, 100000)), most_k
    yield f"k of {most_k}, the number of trials", ["large", "boundary"], \
        states((most_k // 2, most_k), (most_k - 1, most_k)), most_k


def random_data(seed, number):
    """Random states with a random k: (comment, flags, R, k)."""
    rng = Random(seed)
    for i in range(number):
        R, N = random_states(rng)
        k = rng.randint(1, N)
        yield f"random states {i + 1} of seed {seed}", ["random"], R, k


def common_cases(seed, number, most_k=1000):
    """All shared cases as (comment, flags, args), with the arguments R, k and in some of them missing."""
    for comment, flags, data, k in (*small_data(), *threshold_data(), *large_data(most_k), *random_data(seed, number)):
        yield comment, flags, {"R": data, "k": k}
    for comment, flags, data, k, policy in missing_data():
        yield comment, flags, {"R": data, "k": k, "missing": policy}
