"""Cases for misreadings of the definitions that the earlier cases of a function do not detect."""
from cases import states
from cases_battles import WINNERS, table

BY_LETTER = dict(zip("atb", WINNERS))  # the winners model_a, tie, model_b
FIXED, SAMPLED = {"questions": "fixed"}, {"questions": "sampled"}
TWO = states((1, 2), (1, 2))
FOUR_A, FOUR_B = states((2, 3), (1, 3), (3, 3), (0, 3)), states((1, 3), (1, 3), (2, 3), (1, 3))
# the level above 0 that has the larger E/S^2 (max_at_k, k = 3)
SECOND_LEVEL = {"counts": [[0, 0, 4], [0, 3, 1], [0, 1, 3], [0, 1, 3], [0, 0, 4]]}
FIRST_LEVEL = {"counts": [[0, 3, 1], [1, 1, 2], [0, 4, 0], [0, 2, 2], [0, 0, 4]]}
GRADES = [0.0, 0.5, 1.0]
ALWAYS_ZERO = {"metric": "mg_pass_at_k", "k": 1}  # a metric that is 0 for all outcomes
EXTRA_COLUMN = {"counts": [[1, 2, 0], [2, 2, 0]]}  # binary, with a column of a category above C that is 0 throughout
UNEQUAL = {"tensor": [[[0, 1, 1], [1, 0, 1], [0, 0, 1]], [[0, 1], [1, 1], [0, 1]], [[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1]]]}
SHORT = {"tensor": [[[0, 1, 1], [1, 0], [0, 0, 1]], [[0, 1], [1], [0, 1]]]}


def battles(text):
    """Columns of battles from "CA t 10, BC a 11": models shown first and second, the winner, the count."""
    rows = [part.split() for part in text.split(",")]
    return {"model_a": [p[0] for p, _, _ in rows], "model_b": [p[1] for p, _, _ in rows], "winner": [BY_LETTER[w] for _, w, _ in rows],
            "count": [int(n) for _, _, n in rows]}


def influence():
    for what, text in (
            ("19 battles are removed; 24 if none were put back", "BD b 7, CD t 2, DC t 5, BC t 11, BA b 6, CA b 1, AD a 12, DB t 4, BA t 4"),
            ("27 battles are removed; 26 if all predicted ones were removed at once", "CA t 10, BC a 11, CA a 6, AC a 4, AB b 11, AB b 4, AB t 8"),
            ("11 battles are removed; 18 if a rival that cannot catch up were not set back by all battles",
             "CB a 1, AB a 12, DA a 4, DB b 7, DB a 3, BC a 6, CD t 6, DC t 12, AB a 10")):
        yield what, ["plain"], {"battles": battles(text)}


def bradley_terry():
    for ties in ("davidson", "rao_kupper"):
        yield f"{ties}: a cycle of each kind, but one ratio that all cycles allow: no maximum", ["boundary"], {
            "battles": battles("BC a 1, AB t 1, BA a 1, CB t 1, CA a 1, AC t 1"), "ties": ties, "position_bias": True}
    yield "of two groups of equal size the one with more battles is first", ["boundary"], {"battles": table("AB 3 1 2, CD 2 9 1")}
    yield "groups are ordered by their battles: neither by rows nor by weights", ["boundary", "weights"], {
        "battles": table("AB 3 1 2, CD 0 9 0", weight=[5, 5, 5, 0.1])}
    yield "groups of equal size and number of battles are ordered by name", ["boundary"], {"battles": table("CD 3 1 2, AB 1 4 1")}
    labels = {**table("AB 1 0 0, AB 0 0 1, AB 1 0 0, AC 1 0 0, AC 0 0 1, BC 1 0 1"), "question": [1, "1", 2, "1", 1, 2, "2"]}
    yield "the integer 1 and the text \"1\" are two questions", ["clusters"], {"battles": labels, "cluster": "question"}
    for ties in ("davidson", "rao_kupper"):
        yield f"{ties}: no ratio satisfies all cycles, but none has a negative sum of h: no maximum", ["boundary"], {
            "battles": battles("AB a 1, AB b 1, BA a 1, AB t 1"), "ties": ties, "position_bias": True}
    for anchor in "AD":
        yield f"two groups, {anchor} is the anchor of its group", ["boundary"], {"battles": table("AB 5 2 3, CD 4 1 3, AC 12 0 0"), "anchor": anchor}
    yield "a tie in one group, none in the other", ["boundary"], {"battles": table("AB 5 2 3, CD 4 0 3, AC 12 0 0"), "ties": "davidson"}


def interval():
    yield "one cluster, V_fixed is 3/16 and above 1/12", ["clusters", "boundary"], {"R": TWO, **SAMPLED, "clusters": [0, 0]}
    yield "one question, V_fixed is 1/2 and above 1/12", ["boundary"], {"R": states((1, 2)), "metric": "pass_at_k", "k": 1, **SAMPLED}
    yield "the integer 1 and the text \"1\" are two clusters", ["clusters"], {"R": FOUR_A, **SAMPLED, "clusters": [1, "1", 1, 2]}
    yield "clusters of counts are texts: 1 and \"1\" are one", ["ids", "clusters"], {"R": {**FOUR_A, "clusters": [1, "1", 1, 2]}, **SAMPLED}
    for target in (FIXED, SAMPLED):
        yield f"{target['questions']}, no model and k = n everywhere: every question is unknown", ["no-model", "boundary"], {
            "R": FOUR_A, "metric": "pass_at_k", "k": 3, "model": None, **target}


def compare():
    for A, B, which in ((FIRST_LEVEL, SECOND_LEVEL, "the second"), (SECOND_LEVEL, FIRST_LEVEL, "the first")):
        yield f"best of 3 of 4: the level with the largest E/S^2 is not always the first, {which} side", ["modelled"], {
            "A": A, "B": B, "metric": "max_at_k", "k": 3, "w": GRADES, **FIXED}
    for target in (FIXED, SAMPLED):
        yield f"{target['questions']}, no model and k = n everywhere: every question is unknown", ["no-model", "t-distribution"], {
            "A": FOUR_A, "B": FOUR_B, "metric": "pass_at_k", "k": 3, "model": None, **target}


def further_cases(name):
    """Cases of the function `name` that write.py puts last, so that no earlier case changes its number."""
    if name in ("avg", "interval", "compare"):
        data = {"A": EXTRA_COLUMN, "B": {"counts": [[1, 3], [2, 1]]}} if name == "compare" else {"R": EXTRA_COLUMN}
        yield "a column of a category above C that is 0 throughout", ["boundary"], {**data, **(FIXED if name != "avg" else {})}
    if name == "compare":
        ids = ["\u00a0", "a", "b", "c"]
        yield "an id that is a no-break space, which is not ASCII, is not blank", ["ids"], {"A": {**FOUR_A, "ids": ids}, "B": {**FOUR_B, "ids": ids[::-1]}, **FIXED}
    if name == "changes":
        yield "a question with p_adjusted below fdr that the step-up at fdr does not name", ["boundary"], {
            "old": states((4, 4), (0, 1), (1, 4), (0, 1), (5, 5)), "new": states((5, 5), (0, 1), (3, 3), (0, 6), (6, 6)), "fdr": 0.25}
    if name == "gate":
        yield "best of 1, one question of one trial: no third moment", ["boundary"], {
            "candidate": {"counts": [[0, 1], [1, 4], [0, 5], [3, 2], [0, 4]]}, "baseline": {"counts": [[0, 1], [1, 4], [2, 3], [0, 4], [0, 4]]},
            "metric": "max_at_k", "k": 1, "margin": 0.2, **FIXED}
        yield "mu = -margin: the ends use U", ["boundary"], {
            "candidate": states(*[(100, 100)] * 3, (0, 100)), "baseline": states(*[(100, 100)] * 4), "margin": 0.25, **FIXED}
    if name == "cohen_kappa":
        yield "a row of one rating is dropped", ["missing"], {"R": {"matrix": [[0, 1], [1], [1, 1], [0, 0]]}, "missing": "drop"}
    if name == "judged":
        for what, row in (("as given", [0]), ("as a rectangle", [0, None])):
            yield f"a short row of verdicts is left as it is, labels {what}", ["missing"], {
                "verdicts": {"matrix": [[1, 0], [1]]}, "labels": {"matrix": [[1, None], row]}, **FIXED, "missing": "drop"}
    if name == "label_check":
        for what, verdicts, labels in (
            ("one label", [[0, 1], [1, 0], [1, 1]], [[1, None], [None, None], [None, None]]),
            ("all but one labelled", [[0, 1], [1, 0], [1, 1]], [[1, 0], [1, None], [0, 1]]),
        ):
            yield f"{what}, questions with as many outputs: no spread", ["boundary"], {"verdicts": {"matrix": verdicts}, "labels": {"matrix": labels}}
        yield "one label, questions with unequal numbers of outputs: a spread", ["boundary"], {
            "verdicts": {"matrix": [[0, 1, 1], [1, None, None]]}, "labels": {"matrix": [[1, None, None], [None, None, None]]}, "missing": "drop"}
    if name == "interval":
        yield "one question of a pool of two", ["pool", "boundary"], {"R": states((1, 3)), **SAMPLED, "pool": 2}
        yield "flip_rate: a question of three trials counts in the lower bound of the variance", ["boundary"], {
            "R": states((2, 4), (2, 4), (2, 4), (2, 4), (1, 3)), "metric": "flip_rate", **FIXED}


def agreement():
    thrice = {"matrix": [[0, 0, 1], [1, 1, 0], [2, 2, 2]]}
    yield "three equally frequent categories: the smallest ones are added", ["ties"], {"R": thrice}
    yield "the ends of the scale occur nowhere", ["weights", "boundary"], {"R": {"matrix": [[1, 2, 1], [2, 2, 1], [1, 1, 1], [2, 2, 2]]}, "w": [-3.0, 0.0, 1.0, 9.0]}
    yield "all ratings are 0: missing ones count as 1", ["missing"], {"R": {"matrix": [[0, 0, None], [0, 0, 0], [0, 0, 0]]}, "missing": 1}
    yield "missing ratings count as a category that nobody chose, below the largest", ["missing"], {"R": {"matrix": [[0, 3, None], [1, 1, 0], [1, 1, 1]]}, "missing": 2}


def cohen_kappa():
    yield "missing ratings count as a category above all that occur", ["missing"], {"R": {"matrix": [[0, 1], [1, None], [1, 1], [0, 0]]}, "missing": 255}


def ragged_cases():
    yield "a tensor of models with other numbers of trials", ["ragged"], {"models": UNEQUAL, **FIXED}
    yield "short rows are filled up to the longest of the same model", ["ragged"], {"models": SHORT, **SAMPLED, "missing": 0}


compare_all = ranges = winners = ragged_cases


def judged():
    for what, labels in (("as given", [[0, 1], [1, 0, 1]]), ("as they are filled", [[0, 1, None], [1, 0, 1]]), ("as they are filled, all of them", [[0, 1, 1], [1, 0, 1]])):
        yield f"a short row of verdicts is filled, labels {what}", ["missing"], {
            "verdicts": {"matrix": [[0, 1], [1, 0, 1]]}, "labels": {"matrix": labels}, **FIXED, "missing": 0}


def gate():
    yield "the plan uses the double nearest to mu = -1/3", ["boundary"], {
        "candidate": states((1, 4), (2, 4), (1, 4)), "baseline": states((2, 4), (3, 4), (3, 4)), "margin": 0.333334333, **FIXED}
    yield "one trial per question, fixed: the third moment counts", ["t-distribution", "boundary"], {
        "candidate": states(*[(0, 1)], *[(1, 1)] * 9), "baseline": states(*[(1, 1)] * 10), "margin": 0.2, **FIXED}


def suite():
    def models(a, b):
        return {"models": {"a": a, "b": b}}
    yield "no variance: 2 degrees of freedom", ["boundary", "exact-zero"], {
        "benchmarks": {"benchmarks": {"x": models(FOUR_A, FOUR_B), "y": models(TWO, TWO)}}, **ALWAYS_ZERO, **FIXED}
    carried = {**FOUR_A, "clusters": ["x", "x", "y", "z"]}, {**FOUR_B, "clusters": ["x", "x", "y", "z"]}
    yield "clusters that do not name a benchmark: those of its counts", ["clusters"], {
        "benchmarks": {"benchmarks": {"x": models(*carried), "y": models(FOUR_A, FOUR_B)}}, **SAMPLED, "clusters": {"y": [0, 1, 1, 2]}}


def gate_suite():
    outcomes = {"benchmarks": {"x": FOUR_A, "y": TWO}}
    yield "no variance: 2 degrees of freedom", ["boundary", "exact-zero"], {
        "candidate": outcomes, "baseline": outcomes, "margin": 0.5, **ALWAYS_ZERO, **FIXED}
    low, high = states(*[(1, 4)] * 12), states(*[(3, 4), (4, 4)] * 6)
    yield "the mean passes and a benchmark fails: fail", ["boundary"], {
        "candidate": {"benchmarks": {"x": low, "y": high}}, "baseline": {"benchmarks": {"x": high, "y": low}}, "margin": 0.1,
        "weights": {"x": 0.125, "y": 0.875}, **SAMPLED}


def custom_schema(name, rules, **more):
    return {"name": name, "rules": rules, "w": [0.0, 1.0], **more}


def categories():
    for part in ("x > 0 and y > t", "x > 0 and (y > t or y > t)", "not (x > 0 and y > t)", "x > 0 and y > t and x > 0"):
        yield f"{part}: an unknown keeps the reason of its first unknown part, the signal", ["kleene", "undefined-threshold"], {
            "signals": {"x": [[None, 0]], "y": [[1, 1]]}, "missing": "drop", "thresholds": {"t": None},
            "schema": custom_schema("first", [[1, part], [0, "otherwise"]], thresholds={"t": [50, "y", None]})}


def score():
    one, other = {"low": "x < 1", "high": "x >= 1"}, {"high": "x >= 1", "low": "x < 1"}
    declared = {"t": [50, "y", "low"]}
    rules = [[1, "y > t"], [0, "otherwise"]]
    yield "two schemata that declare one threshold, their variables in two orders", ["own"], {
        "models": {"a": {"x": [[0, 2, 0.5]], "y": [[1, 2, 3]]}, "b": {"x": [[0, 0, 3]], "y": [[3, 2, 2]]}},
        "schemata": [custom_schema("one", rules, variables=one, thresholds=declared), custom_schema("two", rules, variables=other, thresholds=declared)]}


BY_NAME = {"rubric.categories": categories, "rubric.score": score}


def cases_of(name):
    """Cases of a function: (comment, flags, args); empty for most."""
    f = BY_NAME.get(name) or globals().get(name)
    return f() if f else ()
