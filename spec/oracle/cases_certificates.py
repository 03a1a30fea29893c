"""Cases of certificates: how many changed outcomes the order of two averages survives."""
from random import Random

from cases import recipe, states

W3, DROP = [0.0, 0.5, 1.0], {"missing": "drop"}


def matrix(*rows):
    """Matrix from rows as text: digits, and a dot for a missing outcome."""
    return {"matrix": [[None if x == "." else int(x) for x in row] for row in rows]}


def random_matrix(rng, M, C, min_trials, max_trials, missing_share):
    """Random matrix with missing outcomes; every question has a trial."""
    def row():
        x = [None if rng.random() < missing_share else rng.randint(0, C) for _ in range(rng.randint(min_trials, max_trials))]
        return x if any(y is not None for y in x) else [*x, 0]
    return {"matrix": [row() for _ in range(M)]}


def certificate():
    a, b = matrix("1111", "111.", "1100", "100."), matrix("1100", "1010", "1100", "1..0")
    yield "four questions, four outcomes missing", ["golden", "missing"], {"A": a, "B": b, **DROP}
    yield "four questions, four outcomes missing, A and B exchanged", ["golden", "missing"], {"A": b, "B": a, **DROP}
    a, b = matrix("111", "110", "11.", "0..", "10."), matrix("110", "10.", "1..", "0.0", "000")
    yield "five questions, eight outcomes missing", ["golden", "missing"], {"A": a, "B": b, **DROP}
    for x in (0, 1):
        yield f"missing trials count as {x}: none is missing", ["missing"], {"A": a, "B": b, "missing": x}
    yield "equal models", ["ties"], {"A": states((2, 4), (3, 4)), "B": states((2, 4), (3, 4))}
    yield "equal averages from different questions", ["ties"], {"A": states((1, 4), (3, 4)), "B": states((3, 4), (1, 4))}
    yield "equal averages with missing outcomes", ["ties", "missing"], {"A": matrix("1.", "0."), "B": matrix("0.", "1."), **DROP}
    yield "averages that are equal only in exact arithmetic", ["ties", "ragged"], {"A": states((1, 3), (1, 6), (1, 2)), "B": states((1, 2), (1, 3), (1, 6))}
    yield "a lead that one inversion reverses", ["boundary", "ties"], {"A": states((1, 1), (1, 1), (0, 1)), "B": states((0, 1), (1, 1), (0, 1))}
    yield "a lead of two questions: one inversion ties", ["boundary", "ties"], {"A": states((1, 1), (1, 1)), "B": states((0, 1), (0, 1))}
    yield "a lead on every question", ["boundary"], {"A": states(*[(1, 1)] * 5), "B": states(*[(0, 1)] * 5)}
    yield "a lead spread over all questions", ["plain"], {"A": states(*[(5, 8)] * 9), "B": states(*[(4, 8)] * 9)}
    yield "a lead that depends on one question", ["boundary"], {"A": states((8, 8), (3, 8), (4, 8)), "B": states((0, 8), (4, 8), (5, 8))}
    yield "one question", ["boundary"], {"A": states((3, 4)), "B": states((1, 4))}
    yield "one question, one trial", ["boundary"], {"A": states((1, 1)), "B": states((0, 1))}
    yield "all succeed, all fail, trials unequal", ["ragged"], {"A": states((3, 3), (5, 5)), "B": states((0, 2), (0, 7))}
    yield "one missing outcome is enough", ["boundary", "missing"], {"A": matrix("1.", "10"), "B": matrix("0.", "11"), **DROP}
    yield "all missing outcomes together are not enough", ["boundary", "missing"], {"A": matrix("11.", "111"), "B": matrix("000", "00."), **DROP}
    yield "all missing outcomes together are just enough", ["boundary", "missing"], {"A": matrix("10", "1."), "B": matrix("10", "0."), **DROP}
    yield "missing outcomes of questions with few trials have the largest effects", ["missing", "ragged"], {"A": matrix("11111110........", "1.", "10"), "B": matrix("1111110.........", "1.", "10"), **DROP}
    yield "the end of a short row was not planned", ["missing", "ragged"], {"A": matrix("111", "1", "10."), "B": matrix("1", "010", "10"), **DROP}
    yield "a question without a trial of the leader", ["missing"], {"A": matrix("..", "11", "10"), "B": matrix("11", "10", "00"), **DROP}
    yield "a question without a trial of the other model", ["missing"], {"A": matrix("11", "11", "10"), "B": matrix("..", "10", "00"), **DROP}
    yield "a question without a trial of either", ["missing"], {"A": matrix("..", "11", "10"), "B": matrix("...", "10", "00"), **DROP}
    yield "NaN is missing", ["missing"], {"A": {"matrix": [[1, "nan", 1], [1, 1, 0]]}, "B": {"matrix": [[0, 0, "nan"], [1, 1, 0]]}, **DROP}
    graded = {"counts": [[0, 1, 3], [1, 1, 2], [2, 2, 0]]}, {"counts": [[1, 1, 2], [2, 1, 1], [1, 2, 1]]}
    yield "scores 0, 1/2, 1", ["weights"], {"A": graded[0], "B": graded[1], "w": W3}
    yield "scores that fall", ["weights"], {"A": graded[0], "B": graded[1], "w": [3.0, -1.0, 0.5]}
    yield "scores that are equal: no span", ["weights", "ties"], {"A": graded[0], "B": graded[1], "w": [2.0, 2.0, 2.0]}
    yield "a single score", ["weights", "ties"], {"A": {"counts": [[3]]}, "B": {"counts": [[2]]}, "w": [1.5]}
    yield "scores of mixed scale", ["weights", "large"], {"A": graded[0], "B": graded[1], "w": [-1e300, 1e-300, 1e300]}
    yield "subnormal scores", ["weights", "underflow"], {"A": graded[0], "B": graded[1], "w": [0.0, 5e-324, 1e-323]}
    yield "missing scores", ["weights", "missing"], {"A": matrix("21.", "22.", "1.."), "B": matrix("11.", "20.", "1.0"), "w": W3, **DROP}
    yield "missing scores, the best is not the last", ["weights", "missing"], {"A": matrix("21.", "21.", "1.."), "B": matrix("20.", "20.", "2.0"), "w": [0.0, 1.0, 0.25], **DROP}
    yield "missing outcomes count as the middle category", ["weights", "missing"], {"A": matrix("21.", "22.", "1.."), "B": matrix("11.", "20.", "1.0"), "w": W3, "missing": 1}
    yield "many trials", ["large"], {"A": states((10**12, 2 * 10**12), (10**12 - 1, 10**12)), "B": states((10**12 - 1, 2 * 10**12), (10**12 - 1, 10**12))}
    yield "recipes", ["large"], {"A": recipe(60, 8, 963), "B": recipe(60, 8, 964)}
    yield "recipes, other numbers of trials", ["large", "ragged"], {"A": recipe(40, 7, 965), "B": recipe(40, 11, 966)}
    rng = Random(967)
    for i in range(8):
        M = rng.randint(3, 12)
        yield f"random matrices with missing outcomes {i + 1} of seed 967", ["random", "missing", "ragged"], {"A": random_matrix(rng, M, 1, 2, 6, .25), "B": random_matrix(rng, M, 1, 2, 6, .25), **DROP}
    for i in range(4):
        yield f"random scores with missing outcomes {i + 1} of seed 967", ["random", "missing", "weights"], {"A": random_matrix(rng, 8, 2, 2, 5, .2), "B": random_matrix(rng, 8, 2, 2, 5, .2), "w": W3, **DROP}
    for i in range(4):
        M = rng.randint(5, 30)
        yield f"random counts {i + 1} of seed 967", ["random", "ragged"], {x: states(*((rng.randint(0, n), n) for n in (rng.randint(1, 9) for _ in range(M)))) for x in "AB"}
