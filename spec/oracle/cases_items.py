"""Cases of questions and designs: items, reliability, design, cost_per_solved."""
from random import Random

from cases import recipe, states

GOLDEN = ("434102", "342112", "232021", "121031", "011040")  # successes of 4: five models, six questions
FLIPPED = ("88776540", "87765421", "76654332", "65443223", "54322114", "43211005")  # of 8; the last one has a wrong key


def digits(rows, n=4):
    """Models of states, successes as digits."""
    return {"models": {f"m{i}": states(*((int(c), n) for c in row)) for i, row in enumerate(rows)}}


def unequal(rng, L, M, least=1, most=6):
    """Models with other numbers of trials in every cell."""
    def one():
        n = rng.randint(least, most)
        return rng.randint(0, n), n
    return {"models": {f"m{i}": states(*(one() for _ in range(M))) for i in range(L)}}


def graded(rng, L, M, N):
    """Models that are better the smaller their number, on questions that differ."""
    hard = [rng.random() for _ in range(M)]
    return {"models": {f"m{i}": states(*((sum(rng.random() < (h + (L - i) / L) / 2 for _ in range(N)), N) for h in hard)) for i in range(L)}}


def holes(rng, L, M, N, share):
    """A tensor in which some cells have no trial."""
    def cell():
        return [None] * N if rng.random() < share else [rng.randint(0, 1) for _ in range(N)]
    return {"tensor": [[cell() for _ in range(M)] for _ in range(L)]}


def tables():
    """(comment, flags, models, more) that all three functions of many models take."""
    yield "five models, six questions of four trials", ["golden", "mapping"], digits(GOLDEN), {}
    yield "the same as a tensor", ["plain"], {"tensor": [[[1] * int(c) + [0] * (4 - int(c)) for c in row] for row in GOLDEN]}, {}
    yield "six models of eight trials, the last question has a wrong key", ["mapping"], digits(FLIPPED, 8), {}
    yield "three models, two questions", ["boundary", "mapping"], digits(("42", "31", "20")), {}
    yield "three models, two questions that disagree", ["boundary", "mapping"], digits(("40", "22", "04")), {}
    yield "one trial each", ["boundary"], {"tensor": [[[1], [1], [1], [0]], [[1], [0], [1], [0]], [[0], [1], [0], [1]], [[0], [0], [1], [0]]]}, {}
    yield "two trials each", ["boundary", "mapping"], digits(("2210", "2101", "1200", "0110"), 2), {}
    yield "dead questions on both sides", ["boundary", "mapping"], digits(("44310", "44200", "43110", "42020")), {}
    yield "two questions, each always or never solved, among others", ["boundary", "mapping"], digits(("40312", "40231", "40122", "40013")), {}
    yield "equal models", ["ties", "mapping"], digits(("4321", "4321", "4321", "4321")), {}
    yield "equal questions", ["ties", "mapping"], digits(("444", "333", "111", "000")), {}
    yield "all cells at one half", ["ties", "mapping"], digits(("222", "222", "222")), {}
    yield "all trials succeed", ["boundary", "mapping"], digits(("444", "444", "444")), {}
    yield "all trials fail", ["boundary", "mapping"], digits(("000", "000", "000")), {}
    yield "models that never overlap", ["mapping"], digits(("4444", "4434", "0100", "0000")), {}
    yield "a question in the order of the models against one turned around", ["mapping"], digits(("404", "313", "222", "131", "044")), {}
    yield "unequal trials", ["ragged", "mapping"], {"models": {"a": states((3, 4), (5, 6), (1, 3)), "b": states((2, 4), (3, 5), (1, 2)), "c": states((1, 8), (2, 6), (0, 7))}}, {}
    yield "a single trial here and there", ["ragged", "mapping"], {"models": {"a": states((1, 1), (3, 4), (2, 5)), "b": states((2, 3), (1, 1), (2, 4)), "c": states((0, 2), (1, 3), (0, 1)), "d": states((1, 2), (0, 1), (1, 4))}}, {}
    yield "rows with gaps, dropped", ["missing"], {"tensor": [[[1, None, 1], [1, 0, 1], [0, 0, 1]], [[1, 0, 1], [None, 0, 1], [0, None, 0]], [[0, 0, 1], [0, 0, None], [1, 0, 0]]]}, {"missing": "drop"}
    yield "missing trials count as failures", ["missing"], {"tensor": [[[1, None, 1], [1, 0, 1], [0, 0, 1]], [[1, 0, 1], [None, 0, 1], [0, None, 0]], [[0, 0, 1], [0, 0, None], [1, 0, 0]]]}, {"missing": 0}
    yield "a question that no model answered", ["missing"], {"tensor": [[[1, 1], [None, None], [1, 0], [0, 1]], [[1, 0], [None, None], [0, 1], [1, 1]], [[0, 0], [None, None], [1, 0], [0, 0]]]}, {"missing": "drop"}
    yield "questions that one model did not answer", ["missing"], {"tensor": [[[1, 1], [1, 0], [1, 0], [0, 1]], [[1, 0], [None, None], [0, 1], [1, 1]], [[0, 0], [0, 1], [1, 0], [0, 0]]]}, {"missing": "drop"}
    yield "many trials", ["large", "mapping"], {"models": {f"m{i}": states(*((1000 * (9 - i) + 37 * j * j, 10**4) for j in range(5))) for i in range(4)}}, {}
    yield "more trials than squares that fit 64 bits", ["large", "mapping"], {"models": {f"m{i}": states(*((10**11 * (9 - i) + 3**j, 10**12) for j in range(4))) for i in range(3)}}, {}
    yield "recipes", ["large", "mapping"], {"models": {f"m{i}": recipe(30, 6, 940 + i) for i in range(6)}}, {}
    rng = Random(941)
    for L, M, N in ((3, 3, 3), (4, 5, 2), (6, 4, 5), (8, 10, 4), (12, 12, 4), (5, 9, 1), (7, 3, 16), (4, 8, 8)):
        yield f"{L} models, {M} questions, {N} trials of seed 941", ["random", "mapping"], graded(rng, L, M, N), {}
    for i in range(5):
        yield f"random cells of other numbers of trials {i + 1} of seed 941", ["random", "ragged", "mapping"], unequal(rng, rng.randint(3, 6), rng.randint(3, 6)), {}
    for i in range(3):
        yield f"random cells of two trials or more {i + 1} of seed 941", ["random", "ragged", "mapping"], unequal(rng, 5, 5, 2, 9), {}


def items():
    for comment, flags, models, more in tables():
        yield comment, flags, {"models": models, **more}
    for fdr in (0.05, 0.5, 1e-300, 0.9999999999999999):
        yield f"false-discovery rate {fdr!r}", ["confidence", "mapping"], {"models": digits(FLIPPED, 8), "fdr": fdr}
    for c in (0.5, 0.99, 1e-8, 0.9999999999999999):
        yield f"confidence {c!r}", ["confidence", "mapping"], {"models": digits(("44310", "44200", "43110", "42020")), "confidence": c}
    yield "a question on a line with the rest: nothing to test against", ["boundary", "mapping"], {"models": digits(("4402", "3313", "2221", "1131", "0002"))}
    yield "the rest does not vary", ["boundary", "mapping"], {"models": digits(("422", "322", "122", "022"))}


def reliability():
    for comment, flags, models, more in tables():
        if not comment.startswith("more trials than"):
            yield comment, flags, {"models": models, **more}
    yield "a design of 100 questions of four trials", ["golden", "mapping"], {"models": digits(GOLDEN), "n_questions": 100, "n_trials": 4}
    yield "other questions, the trials there are", ["mapping"], {"models": digits(GOLDEN), "n_questions": 50}
    yield "other trials, the questions there are", ["mapping"], {"models": digits(GOLDEN), "n_trials": 64}
    yield "a single question, a single trial", ["boundary", "mapping"], {"models": digits(GOLDEN), "n_questions": 1, "n_trials": 1}
    yield "a thousand million of both", ["boundary", "mapping"], {"models": digits(GOLDEN), "n_questions": 10**9, "n_trials": 10**9}
    yield "single trials projected onto more questions of one trial", ["mapping"], {"models": digits(("1110", "1010", "0101", "0010"), 1), "n_questions": 40, "n_trials": 1}
    for c in (0.5, 0.8, 0.99, 0.999999, 1e-8, 0.9999999999999999):
        yield f"confidence {c!r}", ["confidence", "mapping"], {"models": digits(FLIPPED, 8), "confidence": c}
    yield "two models", ["boundary", "mapping"], {"models": digits(("4312", "3211"))}
    yield "two models, two questions", ["boundary", "mapping"], {"models": digits(("43", "21"))}
    rng = Random(942)
    for share in (0.1, 0.3, 0.5):
        yield f"a share {share} of cells without a trial", ["missing", "random"], {"models": holes(rng, 6, 8, 3, share), "missing": "drop"}
    yield "a share 0.3 of cells without their single trial", ["missing", "random"], {"models": holes(rng, 6, 8, 1, 0.3), "missing": "drop"}


def design():
    for i, (comment, flags, models, more) in enumerate(tables()):
        if not comment.startswith("more trials than"):
            yield comment, flags, {"models": models, "se": (0.05, 0.02, 0.1)[i % 3], "cost_question": (0.0, 10.0, 2.5)[i % 3], **more}
    gold = {"models": digits(GOLDEN)}
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
    yield "a question alone has a price: as many trials as allowed", ["boundary", "mapping"], {**gold, "se": 0.03, "cost_question": 1e9, "max_trials": 40}
    rng = Random(943)
    yield "cells without a trial", ["missing", "random"], {"models": holes(rng, 6, 8, 3, 0.3), "se": 0.05, "cost_question": 3.0, "missing": "drop"}


def prices(rng, M, N, top=4000):
    return [[rng.randint(1, top) / 1000 for _ in range(N)] for _ in range(M)]


def cost_per_solved():
    def case(comment, R, costs, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": {"matrix": R}, "costs": costs, **args}

    R, costs = [[1, 0], [1, 1], [0, 0], [1, 0]], [[2.0, 3.0], [1.0, 1.5], [4.0, 2.5], [0.5, 1.0]]
    rng = Random(944)
    big = [[int(rng.random() < 0.4) for _ in range(8)] for _ in range(25)]
    for q in ("sampled", "fixed"):
        on = {"questions": q}
        yield case(f"{q}, four questions of two trials", R, costs, "golden", **on)
        yield case(f"{q}, all trials solved, equal costs", [[1, 1], [1, 1], [1, 1]], [[2.0, 2.0]] * 3, "boundary", **on)
        yield case(f"{q}, all trials solved", [[1, 1], [1, 1], [1, 1]], [[2.0, 2.5], [1.0, 0.0], [3.0, 3.0]], **on)
        yield case(f"{q}, costs of nothing", R, [[0.0, 0.0]] * 4, "boundary", "exact-zero", **on)
        yield case(f"{q}, only one trial costs", R, [[0, 0], [0, 0], [0, 0], [0, 7]], "boundary", **on)
        yield case(f"{q}, one success of many", [[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[1, 2, 3], [2, 2, 2], [3, 1, 4]], "boundary", **on)
        yield case(f"{q}, one trial each", [[1], [0], [1], [1]], [[0.5], [2.0], [0.25], [1.0]], "boundary", **on)
        yield case(f"{q}, two questions", [[1, 0], [1, 1]], [[0.5, 2.0], [0.25, 1.0]], "boundary", **on)
        yield case(f"{q}, costs of mixed scale", R, [[1e-100, 1e-90], [1.0, 2.0], [1e10, 3.0], [0.5, 0.25]], "large", **on)
        yield case(f"{q}, tiny costs", R, [[5e-324, 0.0], [5e-324, 5e-324], [1e-323, 0.0], [0.0, 0.0]], "underflow", **on)
        yield case(f"{q}, the largest costs", R, [[1e100, 1e99], [1e100, 1e98], [1e100, 1e100], [2e99, 1e100]], "large", **on)
        yield case(f"{q}, whole costs", R, [[2, 3], [1, 2], [4, 2], [1, 1]], "alias", **on)
        yield case(f"{q}, gaps dropped with their costs", [[1, None, 0], [None, None, None], [0, 1, 1], [1, 1, 0]], prices(rng, 4, 3), "missing", missing="drop", **on)
        yield case(f"{q}, short rows dropped", [[1], [0, 1, 1], [1, 0]], prices(rng, 3, 3), "missing", "ragged", missing="drop", **on)
        yield case(f"{q}, missing trials are failures that cost", [[1, None, 0], [0, 1, 1], [1, "nan", 0]], prices(rng, 3, 3), "missing", missing=0, **on)
        yield case(f"{q}, missing trials are successes", [[1, None], [0, 1], [0]], prices(rng, 3, 2), "missing", missing=1, **on)
        for c in (0.5, 0.8, 0.99, 1e-8, 0.9999999999999999):
            yield case(f"{q}, confidence {c!r}", big[:6], prices(rng, 6, 8), "confidence", confidence=c, **on)
        yield case(f"{q}, 25 questions of eight trials", big, prices(rng, 25, 8), "large", **on)
        yield f"{q}, a recipe", ["large"], {"R": recipe(20, 5, 945), "costs": prices(rng, 20, 5), **on}
    yield case("an upper end beyond the doubles", [[1], [0]], [[1.0], [2.0]], "boundary", "not-a-number", questions="sampled", confidence=0.9999)
    yield case("one question", [[1, 0, 1]], [[1.0, 2.0, 1.5]], "boundary", questions="fixed")
    yield case("one question, one trial", [[1]], [[1.5]], "boundary", questions="fixed")
    for i in range(10):
        M, N = rng.randint(2, 7), rng.randint(1, 6)
        rows = [[rng.randint(0, 1) for _ in range(N)] for _ in range(M)]
        rows[0][0] = 1
        yield case(f"random trials {i + 1} of seed 944", rows, prices(rng, M, N), "random", questions=("fixed", "sampled")[i % 2])
