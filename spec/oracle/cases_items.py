"""Cases of questions and designs: items, changes, reliability, design, cost_per_solved.

A cell is the trials of one model on one question.
"""
from random import Random

from cases import recipe, states

GOLDEN = ("434102", "342112", "232021", "121031", "011040")  # successes of 4: five models, six questions
FLIPPED = ("88776540", "87765421", "76654332", "65443223", "54322114", "43211005")  # successes of 8; the last question has a wrong key


def models_from_digits(rows, n=4):
    """Models from rows of digits, the successes of each question."""
    return {"models": {f"m{i}": states(*((int(c), n) for c in row)) for i, row in enumerate(rows)}}


def models_with_unequal_trials(rng, L, M, least=1, most=6):
    """Models with a random number of trials in every cell."""
    def random_cell():
        n = rng.randint(least, most)
        return rng.randint(0, n), n
    return {"models": {f"m{i}": states(*(random_cell() for _ in range(M))) for i in range(L)}}


def models_by_ability(rng, L, M, N):
    """Models whose ability falls with their index, on questions of different difficulty."""
    difficulty = [rng.random() for _ in range(M)]
    return {"models": {f"m{i}": states(*((sum(rng.random() < (h + (L - i) / L) / 2 for _ in range(N)), N) for h in difficulty)) for i in range(L)}}


def tensor_with_gaps(rng, L, M, N, share):
    """A tensor in which some cells have no trial."""
    def cell():
        return [None] * N if rng.random() < share else [rng.randint(0, 1) for _ in range(N)]
    return {"tensor": [[cell() for _ in range(M)] for _ in range(L)]}


def shared_cases():
    """Cases of items, reliability and design: (comment, flags, models, further arguments)."""
    yield "five models, six questions of four trials", ["golden", "mapping"], models_from_digits(GOLDEN), {}
    yield "five models, six questions of four trials, as a tensor", ["plain"], {"tensor": [[[1] * int(c) + [0] * (4 - int(c)) for c in row] for row in GOLDEN]}, {}
    yield "six models of eight trials, the last question has a wrong key", ["mapping"], models_from_digits(FLIPPED, 8), {}
    yield "three models, two questions", ["boundary", "mapping"], models_from_digits(("42", "31", "20")), {}
    yield "three models, two questions that disagree", ["boundary", "mapping"], models_from_digits(("40", "22", "04")), {}
    yield "one trial each", ["boundary"], {"tensor": [[[1], [1], [1], [0]], [[1], [0], [1], [0]], [[0], [1], [0], [1]], [[0], [0], [1], [0]]]}, {}
    yield "two trials each", ["boundary", "mapping"], models_from_digits(("2210", "2101", "1200", "0110"), 2), {}
    yield "dead questions on both sides", ["boundary", "mapping"], models_from_digits(("44310", "44200", "43110", "42020")), {}
    yield "two questions, each always or never solved, among others", ["boundary", "mapping"], models_from_digits(("40312", "40231", "40122", "40013")), {}
    yield "equal models", ["ties", "mapping"], models_from_digits(("4321", "4321", "4321", "4321")), {}
    yield "equal questions", ["ties", "mapping"], models_from_digits(("444", "333", "111", "000")), {}
    yield "all cells at one half", ["ties", "mapping"], models_from_digits(("222", "222", "222")), {}
    yield "all trials succeed", ["boundary", "mapping"], models_from_digits(("444", "444", "444")), {}
    yield "all trials fail", ["boundary", "mapping"], models_from_digits(("000", "000", "000")), {}
    yield "models that never overlap", ["mapping"], models_from_digits(("4444", "4434", "0100", "0000")), {}
    yield "one question in the order of the models, one in the reverse order", ["mapping"], models_from_digits(("404", "313", "222", "131", "044")), {}
    yield "unequal trials", ["ragged", "mapping"], {"models": {"a": states((3, 4), (5, 6), (1, 3)), "b": states((2, 4), (3, 5), (1, 2)), "c": states((1, 8), (2, 6), (0, 7))}}, {}
    yield "single trials in some cells", ["ragged", "mapping"], {"models": {"a": states((1, 1), (3, 4), (2, 5)), "b": states((2, 3), (1, 1), (2, 4)), "c": states((0, 2), (1, 3), (0, 1)), "d": states((1, 2), (0, 1), (1, 4))}}, {}
    yield "missing outcomes, dropped", ["missing"], {"tensor": [[[1, None, 1], [1, 0, 1], [0, 0, 1]], [[1, 0, 1], [None, 0, 1], [0, None, 0]], [[0, 0, 1], [0, 0, None], [1, 0, 0]]]}, {"missing": "drop"}
    yield "missing trials count as failures", ["missing"], {"tensor": [[[1, None, 1], [1, 0, 1], [0, 0, 1]], [[1, 0, 1], [None, 0, 1], [0, None, 0]], [[0, 0, 1], [0, 0, None], [1, 0, 0]]]}, {"missing": 0}
    yield "a question that no model answered", ["missing"], {"tensor": [[[1, 1], [None, None], [1, 0], [0, 1]], [[1, 0], [None, None], [0, 1], [1, 1]], [[0, 0], [None, None], [1, 0], [0, 0]]]}, {"missing": "drop"}
    yield "questions that one model did not answer", ["missing"], {"tensor": [[[1, 1], [1, 0], [1, 0], [0, 1]], [[1, 0], [None, None], [0, 1], [1, 1]], [[0, 0], [0, 1], [1, 0], [0, 0]]]}, {"missing": "drop"}
    yield "many trials", ["large", "mapping"], {"models": {f"m{i}": states(*((1000 * (9 - i) + 37 * j * j, 10**4) for j in range(5))) for i in range(4)}}, {}
    yield "numbers of trials whose squares do not fit 64 bits", ["large", "mapping"], {"models": {f"m{i}": states(*((10**11 * (9 - i) + 3**j, 10**12) for j in range(4))) for i in range(3)}}, {}
    yield "recipes", ["large", "mapping"], {"models": {f"m{i}": recipe(30, 6, 940 + i) for i in range(6)}}, {}
    rng = Random(941)
    for L, M, N in ((3, 3, 3), (4, 5, 2), (6, 4, 5), (8, 10, 4), (12, 12, 4), (5, 9, 1), (7, 3, 16), (4, 8, 8)):
        yield f"{L} models, {M} questions, {N} trials of seed 941", ["random", "mapping"], models_by_ability(rng, L, M, N), {}
    for i in range(5):
        yield f"random cells with different numbers of trials {i + 1} of seed 941", ["random", "ragged", "mapping"], models_with_unequal_trials(rng, rng.randint(3, 6), rng.randint(3, 6)), {}
    for i in range(3):
        yield f"random cells of two trials or more {i + 1} of seed 941", ["random", "ragged", "mapping"], models_with_unequal_trials(rng, 5, 5, 2, 9), {}


def items():
    for comment, flags, models, more in shared_cases():
        yield comment, flags, {"models": models, **more}
    for fdr in (0.05, 0.5, 1e-300, 0.9999999999999999):
        yield f"false-discovery rate {fdr!r}", ["confidence", "mapping"], {"models": models_from_digits(FLIPPED, 8), "fdr": fdr}
    for c in (0.5, 0.99, 1e-8, 0.9999999999999999):
        yield f"confidence {c!r}", ["confidence", "mapping"], {"models": models_from_digits(("44310", "44200", "43110", "42020")), "confidence": c}
    yield "a question that is linear in the mean of the others: no residual", ["boundary", "mapping"], {"models": models_from_digits(("4402", "3313", "2221", "1131", "0002"))}
    yield "the mean of the other questions does not vary", ["boundary", "mapping"], {"models": models_from_digits(("422", "322", "122", "022"))}


def changed_case(comment, rows, *flags, **more):
    """A case from rows (successes, trials, successes, trials), one of each question: before, then after."""
    old, new = zip(*((x[:2], x[2:]) for x in rows))
    return comment, list(flags) or ["plain"], {"old": states(*old), "new": states(*new), **more}


def equal_trials(n, before, after):
    """Rows for changed_case of questions with n trials before and after, from their successes."""
    return [(c, n, d, n) for c, d in zip(before, after)]


def random_changes(rng, M, trials, share, fall):
    """Rows for changed_case; a share of the success rates falls by `fall`; trials(): a number of trials."""
    def random_cell():
        p = rng.random() ** 2
        q = max(0.0, p - fall) if rng.random() < share else p
        n, m = trials(), trials()
        return sum(rng.random() < p for _ in range(n)), n, sum(rng.random() < q for _ in range(m)), m
    return [random_cell() for _ in range(M)]


def changes():
    golden = equal_trials(8, (8, 8, 7, 4, 8, 0, 5, 8, 8, 3), (0, 8, 2, 4, 3, 6, 6, 8, 7, 3))
    yield changed_case("ten questions of eight trials, four significant", golden, "golden")
    yield changed_case("only regressions tested", golden, alternative="regressed")
    for q in (0.01, 0.008, 0.03, 0.032, 0.2, 0.5, 1e-300, 0.9999999999999999):
        yield changed_case(f"false-discovery rate {q!r}", golden, "confidence", fdr=q)
    yield changed_case("mean odds of 1/18 against a rate of 0.05", [(2, 2, 0, 3)] + [(1, 1, 1, 1)], "boundary", "ties", fdr=0.05)
    yield changed_case("odds of 1/4 against a rate of 1/4", [(1, 1, 0, 4)], "boundary", "ties", fdr=0.25)
    yield changed_case("odds of 1/4 against a rate next below", [(1, 1, 0, 4)], "boundary", "ties", fdr=0.24999999999999997)
    yield changed_case("two questions of odds 1/4", [(1, 1, 0, 4)] * 2, "boundary", "ties", fdr=0.25)
    yield changed_case("one question of odds 1/4 among questions that cannot change", [(1, 1, 0, 4), (1, 1, 4, 4), (0, 1, 0, 4)], "boundary", "ties", fdr=0.25)
    yield changed_case("one trial each: no question can be significant", equal_trials(1, (1, 0, 1, 0), (0, 1, 1, 0)), "boundary", fdr=0.9)
    yield changed_case("one question", [(8, 8, 0, 8)], "boundary")
    yield changed_case("one question, one trial", [(1, 1, 0, 1)], "boundary")
    yield changed_case("nothing changed", equal_trials(4, (0, 1, 2, 3, 4), (0, 1, 2, 3, 4)), "ties")
    yield changed_case("always and never solved", equal_trials(4, (0, 4, 0, 4), (0, 4, 0, 4)), "ties")
    yield changed_case("all questions fell", equal_trials(4, (4,) * 6, (0,) * 6))
    yield changed_case("all questions rose, only regressions tested", equal_trials(4, (0,) * 6, (4,) * 6), alternative="regressed")
    yield changed_case("falls and rises", equal_trials(6, (6, 6, 6, 0, 0, 3, 2, 5), (0, 1, 3, 6, 4, 3, 4, 5)), fdr=0.1)
    yield changed_case("every status", [(4, 4, 0, 4), (0, 4, 4, 4), (4, 4, 3, 4), (3, 4, 4, 4), (2, 4, 1, 4), (1, 1, 0, 1), (4, 4, 4, 4), (1, 1, 3, 4), (3, 4, 1, 1), (0, 2, 2, 2)], fdr=0.2)
    yield changed_case("more trials after", [(4, 4, 1, 16), (3, 4, 15, 16), (0, 4, 9, 16), (4, 4, 16, 16), (1, 4, 0, 16)], "ragged", fdr=0.1)
    yield changed_case("different numbers of trials in every question", [(3, 4, 5, 6), (1, 3, 1, 8), (2, 2, 0, 7), (5, 5, 1, 5), (0, 1, 6, 6)], "ragged", fdr=0.1)
    yield changed_case("weights that are equal only in exact arithmetic", [(2, 5, 4, 10), (3, 6, 5, 15), (4, 9, 6, 16)], "ragged", "ties")
    yield "missing outcomes, dropped", ["missing"], {"old": {"matrix": [[1, 1, 1, 1], [1, None, 1, 1], [None] * 4, [0, 0, 0, 0]]}, "new": {"matrix": [[0, 0, 0, 0], [0, 0, None, 0], [1, 1, 1, 1], [0, 1, 0, 1]]}, "missing": "drop"}
    for x in (0, 1):
        yield f"missing trials count as {x}", ["missing"], {"old": {"matrix": [[1, 1, 1, 1], [1, None, 1, 1]]}, "new": {"matrix": [[0, 0, 0], [0, "nan", 0]]}, "missing": x, "fdr": 0.5}
    yield "matrices", ["plain"], {"old": {"matrix": [[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 0]]}, "new": {"matrix": [[0, 0, 0, 0], [1, 1, 0, 1], [0, 1, 0, 0]]}}
    yield "recipes", ["large"], {"old": recipe(40, 8, 946), "new": recipe(40, 8, 947), "fdr": 0.3}
    yield changed_case("many trials", [(900, 1000, 850, 1000), (500, 1000, 560, 1000), (3, 1000, 20, 1000), (990, 1000, 300, 400)], "large", "ragged")
    yield changed_case("p-values below the normal doubles", [(700, 700, 0, 700), (350, 700, 350, 700), (530, 530, 0, 540)], "large", "underflow")
    rng = Random(948)
    for M, n in ((20, 4), (60, 8), (100, 16), (30, 32), (12, 64)):
        for alternative in ("two-sided", "regressed"):
            yield changed_case(f"{M} questions, {n} trials of seed 948, {alternative}", random_changes(rng, M, lambda: n, 0.2, 0.6), "random", fdr=0.1, alternative=alternative)
    for i in range(6):
        yield changed_case(f"random trials {i + 1} of seed 948", random_changes(rng, 15, lambda: rng.randint(1, 12), 0.3, 0.8), "random", "ragged", fdr=(0.05, 0.2, 0.5)[i % 3])


def reliability():
    for comment, flags, models, more in shared_cases():
        if not comment.startswith("numbers of trials whose"):  # the case of squares beyond 64 bits is for items alone
            yield comment, flags, {"models": models, **more}
    yield "a design of 100 questions of four trials", ["golden", "mapping"], {"models": models_from_digits(GOLDEN), "n_questions": 100, "n_trials": 4}
    yield "another number of questions, the present number of trials", ["mapping"], {"models": models_from_digits(GOLDEN), "n_questions": 50}
    yield "another number of trials, the present number of questions", ["mapping"], {"models": models_from_digits(GOLDEN), "n_trials": 64}
    yield "a single question, a single trial", ["boundary", "mapping"], {"models": models_from_digits(GOLDEN), "n_questions": 1, "n_trials": 1}
    yield "10^9 questions and trials", ["boundary", "mapping"], {"models": models_from_digits(GOLDEN), "n_questions": 10**9, "n_trials": 10**9}
    yield "single trials projected onto more questions of one trial", ["mapping"], {"models": models_from_digits(("1110", "1010", "0101", "0010"), 1), "n_questions": 40, "n_trials": 1}
    for c in (0.5, 0.8, 0.99, 0.999999, 1e-8, 0.9999999999999999):
        yield f"confidence {c!r}", ["confidence", "mapping"], {"models": models_from_digits(FLIPPED, 8), "confidence": c}
    yield "two models", ["boundary", "mapping"], {"models": models_from_digits(("4312", "3211"))}
    yield "two models, two questions", ["boundary", "mapping"], {"models": models_from_digits(("43", "21"))}
    rng = Random(942)
    for share in (0.1, 0.3, 0.5):
        yield f"a share {share} of cells without a trial", ["missing", "random"], {"models": tensor_with_gaps(rng, 6, 8, 3, share), "missing": "drop"}
    yield "a share 0.3 of cells without their single trial", ["missing", "random"], {"models": tensor_with_gaps(rng, 6, 8, 1, 0.3), "missing": "drop"}


def design():
    for i, (comment, flags, models, more) in enumerate(shared_cases()):
        if not comment.startswith("numbers of trials whose"):  # as in reliability()
            yield comment, flags, {"models": models, "se": (0.05, 0.02, 0.1)[i % 3], "cost_question": (0.0, 10.0, 2.5)[i % 3], **more}
    gold = {"models": models_from_digits(GOLDEN)}
    yield "a question costs ten trials: 57 by 6", ["golden", "mapping"], {**gold, "se": 0.05, "cost_question": 10.0, "cost_trial": 1.0}
    yield "whole numbers", ["alias", "mapping"], {**gold, "se": 1, "cost_question": 10, "cost_trial": 1}
    for rho in (0.5, 0.8, 0.9, 0.99, 1e-6, 0.999999):
        yield f"coefficient {rho!r}", ["mapping"], {**gold, "rho": rho, "cost_question": 4.0}
    for se in (1e-6, 1e-3, 0.2, 0.5):
        yield f"standard error {se!r}", ["boundary", "mapping"] if se == 1e-6 else ["mapping"], {**gold, "se": se, "cost_question": 1.0}
    for q, t in ((0.0, 1.0), (0.1, 0.01), (1.0, 1e-3), (1e6, 1.0), (1e100, 1e-100), (5e-324, 1e100), (0.3, 0.1)):
        yield f"a question costs {q!r}, a trial {t!r}", ["boundary" if q in (0.0, 1e100, 5e-324) else "plain", "mapping"], {**gold, "se": 0.04, "cost_question": q, "cost_trial": t}
    for most in (1, 2, 5, 6, 10000):
        yield f"at most {most} trials", ["mapping"], {**gold, "se": 0.05, "cost_question": 10.0, "max_trials": most}
    yield "a question costs far more than a trial: 39 of at most 40 trials", ["boundary", "mapping"], {**gold, "se": 0.03, "cost_question": 1e9, "max_trials": 40}
    rng = Random(943)
    yield "cells without a trial", ["missing", "random"], {"models": tensor_with_gaps(rng, 6, 8, 3, 0.3), "se": 0.05, "cost_question": 3.0, "missing": "drop"}


def random_costs(rng, M, N, top=4000):
    return [[rng.randint(1, top) / 1000 for _ in range(N)] for _ in range(M)]


def cost_per_solved():
    def case(comment, R, costs, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": {"matrix": R}, "costs": costs, **args}

    R, costs = [[1, 0], [1, 1], [0, 0], [1, 0]], [[2.0, 3.0], [1.0, 1.5], [4.0, 2.5], [0.5, 1.0]]
    rng = Random(944)
    big = [[int(rng.random() < 0.4) for _ in range(8)] for _ in range(25)]
    for q in ("sampled", "fixed"):
        target = {"questions": q}
        yield case(f"{q}, four questions of two trials", R, costs, "golden", **target)
        yield case(f"{q}, all trials solved, equal costs", [[1, 1], [1, 1], [1, 1]], [[2.0, 2.0]] * 3, "boundary", **target)
        yield case(f"{q}, all trials solved", [[1, 1], [1, 1], [1, 1]], [[2.0, 2.5], [1.0, 0.0], [3.0, 3.0]], **target)
        yield case(f"{q}, all costs are 0", R, [[0.0, 0.0]] * 4, "boundary", "exact-zero", **target)
        yield case(f"{q}, only one trial costs", R, [[0, 0], [0, 0], [0, 0], [0, 7]], "boundary", **target)
        yield case(f"{q}, one success of many", [[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[1, 2, 3], [2, 2, 2], [3, 1, 4]], "boundary", **target)
        yield case(f"{q}, one trial each", [[1], [0], [1], [1]], [[0.5], [2.0], [0.25], [1.0]], "boundary", **target)
        yield case(f"{q}, two questions", [[1, 0], [1, 1]], [[0.5, 2.0], [0.25, 1.0]], "boundary", **target)
        yield case(f"{q}, costs of mixed scale", R, [[1e-100, 1e-90], [1.0, 2.0], [1e10, 3.0], [0.5, 0.25]], "large", **target)
        yield case(f"{q}, tiny costs", R, [[5e-324, 0.0], [5e-324, 5e-324], [1e-323, 0.0], [0.0, 0.0]], "underflow", **target)
        yield case(f"{q}, the largest costs", R, [[1e100, 1e99], [1e100, 1e98], [1e100, 1e100], [2e99, 1e100]], "large", **target)
        yield case(f"{q}, whole costs", R, [[2, 3], [1, 2], [4, 2], [1, 1]], "alias", **target)
        yield case(f"{q}, missing outcomes dropped with their costs", [[1, None, 0], [None, None, None], [0, 1, 1], [1, 1, 0]], random_costs(rng, 4, 3), "missing", missing="drop", **target)
        yield case(f"{q}, short rows dropped", [[1], [0, 1, 1], [1, 0]], random_costs(rng, 3, 3), "missing", "ragged", missing="drop", **target)
        yield case(f"{q}, missing trials are failures that cost", [[1, None, 0], [0, 1, 1], [1, "nan", 0]], random_costs(rng, 3, 3), "missing", missing=0, **target)
        yield case(f"{q}, missing trials are successes", [[1, None], [0, 1], [0]], random_costs(rng, 3, 2), "missing", missing=1, **target)
        for c in (0.5, 0.8, 0.99, 1e-8, 0.9999999999999999):
            yield case(f"{q}, confidence {c!r}", big[:6], random_costs(rng, 6, 8), "confidence", confidence=c, **target)
        yield case(f"{q}, 25 questions of eight trials", big, random_costs(rng, 25, 8), "large", **target)
        yield f"{q}, a recipe", ["large"], {"R": recipe(20, 5, 945), "costs": random_costs(rng, 20, 5), **target}
    yield case("an upper end beyond the doubles", [[1], [0]], [[1.0], [2.0]], "boundary", "not-a-number", questions="sampled", confidence=0.9999)
    yield case("one question", [[1, 0, 1]], [[1.0, 2.0, 1.5]], "boundary", questions="fixed")
    yield case("one question, one trial", [[1]], [[1.5]], "boundary", questions="fixed")
    for i in range(10):
        M, N = rng.randint(2, 7), rng.randint(1, 6)
        rows = [[rng.randint(0, 1) for _ in range(N)] for _ in range(M)]
        rows[0][0] = 1
        yield case(f"random trials {i + 1} of seed 944", rows, random_costs(rng, M, N), "random", questions=("fixed", "sampled")[i % 2])
