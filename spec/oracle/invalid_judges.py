"""Refused calls of the functions of judges.

Faults of verdicts and ratings are made from those of `interval`, which leaves out questions without a trial too.
"""
from invalid import category_scores, outcomes, reals, words

NOTES = {"verdicts": "the verdicts are wrong", "labels": "the human labels are wrong", "list": "a list of numbers is wrong"}
V = {"matrix": [[0, 1, 1, 0], [1, 1, 0, 1]]}
L = {"matrix": [[0, None, 1, None], [None, None, 0, 1]]}
EMPTY = {"matrix": [[None] * 4] * 2}


def of_verdicts(name, base):
    """Faults of the verdicts in the argument `name`; the labels are those of base."""
    for comment, code, argument, args, flag in outcomes("interval"):
        # any category up to 255 is a valid verdict: of the category faults only that of a negative entry stays
        if flag == "R" and (code not in ("category", "no_trials") or "negative" in comment):
            yield comment.replace("R ", name + " ").replace(" in R", f" in {name}"), code, name, \
                {**base, name: args["R"], **{k: x for k, x in args.items() if k != "R"}}, "verdicts"
        elif flag == "missing" and args.get("missing") != 2:
            yield comment, code, argument, {**base, name: args["R"], "missing": args["missing"]}, "missing"
    yield f"{name} without a verdict", "no_trials", name, {**base, name: EMPTY, "missing": "drop"}, "verdicts"
    yield f"{name} as counts", "type", name, {**base, name: {"counts": [[2, 2], [1, 3]]}}, "verdicts"
    yield f"{name} in one dimension", "shape", name, {**base, name: {"matrix": [0, 1, 1]}}, "verdicts"
    yield f"{name} above 255: a mistake", "category", name, {**base, name: {"matrix": [[0, 1, 1, 0], [1, 1, 0, 256]]}}, "verdicts"


def of_labels(name, base, has_scores=True):
    def bad(comment, code, x, **more):
        return comment, code, name, {**base, name: x, **more}, "labels"

    yield bad(f"{name} without a label", "empty", EMPTY)
    yield bad(f"{name} as counts", "type", {"counts": [[2, 2], [1, 3]]})
    yield bad(f"{name} as text", "type", {"special": "string"})
    yield bad(f"{name}: complex numbers", "type", {"special": "complex"})
    yield bad(f"a word in {name}", "type", {"matrix": [[0, "right", 1, 1], [1, 0, 0, 0]]})
    yield bad(f"{name} in one dimension", "shape", {"matrix": [0, 1, 1]})
    yield bad(f"{name} in three dimensions", "shape", {"matrix": [[[0, 1], [1, 1]], [[0, 0], [1, 0]]]})
    yield bad(f"{name} of fewer outputs", "shape", {"matrix": [[0, 1, 1], [1, 0, 1]]})
    yield bad(f"{name} of more outputs", "shape", {"matrix": [[0, 1, 1, 1, 1], [1, 0, 1, 1, 1]]})
    yield bad(f"{name} of fewer questions", "shape", {"matrix": [[0, 1, 1, 1]]})
    yield bad(f"{name} without rows", "empty", {"matrix": []})
    yield bad(f"a fraction in {name}", "fractional", {"matrix": [[0.5, 1, 1, 1], [1, 0, 1, 1]]})
    yield bad(f"infinity in {name}", "not_finite", {"matrix": [["inf", 1, 1, 1], [1, 0, 1, 1]]})
    yield bad(f"a negative label in {name}", "category", {"matrix": [[-1, 1, 1, 1], [1, 0, 1, 1]]})
    if has_scores:
        yield bad(f"a label above 1 in {name}, w not given", "category", {"matrix": [[2, 1, 1, 1], [1, 0, 1, 1]]})


def judged():
    base = {"verdicts": V, "labels": L, "questions": "fixed"}
    yield from of_verdicts("verdicts", base)
    yield from of_labels("labels", base)
    yield "labels of dropped outputs alone", "empty", "labels", \
        {**base, "verdicts": {"matrix": [[None, 1], [0, 1]]}, "labels": {"matrix": [[1, None], [None, None]]}, "missing": "drop"}, "labels"
    for c, code, p, args, flag in category_scores():
        if "R" in args:
            args = {"labels": {"matrix": [[2, None, 1, None], [None, None, 0, 1]]}, "w": args["w"]}
        yield c, code, p, {**base, **args}, flag
    for c, code, p, args, flag in (*words("questions", "random", "population"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")):
        yield c, code, p, {**base, **args}, flag


def compare_judged():
    base = {"A": V, "B": V, "labels_a": L, "labels_b": L, "questions": "fixed"}
    one_empty = {"matrix": [[0, 1, 1, 0], [None] * 4]}
    for name, labels in (("A", "labels_a"), ("B", "labels_b")):
        # faults of `missing`, and a model without a verdict, are cases of A alone
        yield from (x for x in of_verdicts(name, base) if name == "A" or x[4] == "verdicts" and x[1] != "no_trials")
        yield from of_labels(labels, base)
    yield "B has fewer questions", "shape", "B", {**base, "B": {"matrix": V["matrix"][:1]}, "labels_b": {"matrix": L["matrix"][:1]}}, "verdicts"
    yield "no question that both have", "no_trials", "A", \
        {**base, "A": one_empty, "B": {"matrix": one_empty["matrix"][::-1]}, "missing": "drop"}, "verdicts"
    one = {"A": one_empty, "missing": "drop"}
    yield "one question, sampled", "shape", "A", {**base, **one, "questions": "sampled"}, "verdicts"
    single = {"matrix": [[1]]}
    yield "one question of one output, fixed", "shape", "A", {"A": single, "B": single, "labels_a": single, "labels_b": single, "questions": "fixed"}, "verdicts"
    for c, code, p, args, flag in category_scores():
        if "R" in args:
            args = {"labels_a": {"matrix": [[2, None, 1, None], [None, None, 0, 1]]}, "w": args["w"]}
        yield c, code, p, {**base, **args}, flag
    for c, code, p, args, flag in (*words("questions", "random"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")):
        yield c, code, p, {**base, **args}, flag


def label_check():
    base = {"verdicts": V, "labels": L}
    yield from of_verdicts("verdicts", base)
    yield from of_labels("labels", base, has_scores=False)


def labels_needed():
    base = {"outputs": [700, 300], "means": [0.95, 0.3], "half_width": 0.05}
    for p, good in (("outputs", [700, 300]), ("means", [0.95, 0.3])):
        for bad, code, why in (("abc", "type", "text"), (["a", "b"], "type", "texts"), ([True, 1], "type", "a truth value"), (None, "type", "null"),
                               (0.5, "shape", "a number"), ([good, good], "shape", "two dimensions"), ([], "empty", "nothing"),
                               ([good[0], "nan"], "not_finite", "nan"), ([good[0], "inf"], "not_finite", "inf")):
            yield f"{p}: {why}", code, p, {**base, p: bad}, "list"
    yield "outputs that are fractions", "type", "outputs", {**base, "outputs": [1.5, 2.0]}, "list"
    for bad in ([0, 5], [-1, 5], [5, 10**12 + 1], [5, 10**30]):
        yield f"outputs {bad}", "range", "outputs", {**base, "outputs": bad}, "list"
    for bad in ([0.0, 0.5], [0.5, 1.0], [-0.1, 0.5], [0.5, 1.1]):
        yield f"means {bad}", "range", "means", {**base, "means": bad}, "list"
    yield "fewer means than verdicts", "length", "means", {**base, "means": [0.5]}, "list"
    yield "more means than verdicts", "length", "means", {**base, "means": [0.5, 0.5, 0.5]}, "list"
    for bad, why in (("half", "text"), (True, "a truth value"), (None, "null")):
        yield f"half_width is {why}", "type", "half_width", {**base, "half_width": bad}, "option"
    for bad in ("nan", "inf"):
        yield f"half_width is {bad}", "not_finite", "half_width", {**base, "half_width": bad}, "option"
    for bad in (0.0, -0.1, 0.5, 5.0):
        yield f"half_width = {bad}", "range", "half_width", {**base, "half_width": bad}, "option"
    for c, code, p, args, flag in (*words("design", "optimal"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")):
        yield c, code, p, {**base, **args}, flag
    yield "outputs that are whole numbers as reals", "type", "outputs", {**base, "outputs": [700.0, 300.0]}, "list"


def of_raters(name, R):
    """Faults of R, w and missing for `agreement` or `cohen_kappa`."""
    for comment, code, argument, args, flag in outcomes("interval"):
        # ratings of any category are valid without w, and cohen_kappa takes any category for missing ones
        if "w not given" not in comment and code != "no_trials" and (name == "agreement" or args.get("missing") != 2):
            yield comment, code, argument, args, flag
    for c, code, p, args, flag in category_scores():
        yield c, code, p, {"R": R, **args} if "R" not in args else {"R": {"matrix": [[0, 1], [2, 1]]}, "w": args["w"]}, flag
    yield "a category above 255: a mistake", "category", "R", {"R": {"matrix": [[0, 1], [256, 1]]}}, "R"
    yield "one dimension", "shape", "R", {"R": {"matrix": [0, 1, 1]}}, "R"
    yield "one rating of each item", "no_trials", "R", {"R": {"matrix": [[0, None], [None, 1]]}, "missing": "drop"}, "R"
    yield "no rating at all", "no_trials", "R", {"R": {"matrix": [[None, None]] * 2}, "missing": "drop"}, "R"


def agreement():
    yield from of_raters("agreement", V)
    yield "one rater", "no_trials", "R", {"R": {"matrix": [[0], [1], [1]]}}, "R"
    yield "counts of one rating", "no_trials", "R", {"R": {"counts": [[1, 0], [0, 1], [0, 0]]}}, "R"
    for c, code, p, args, flag in reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"):
        yield c, code, p, {"R": V, **args}, flag


def cohen_kappa():
    two = {"matrix": [[0, 1], [1, 1], [0, 0]]}
    yield from of_raters("cohen_kappa", two)
    yield "three raters", "shape", "R", {"R": {"matrix": [[0, 1, 1], [1, 1, 0]]}}, "R"
    yield "one rater", "shape", "R", {"R": {"matrix": [[0], [1]]}}, "R"
    yield "counts, which do not say who rated", "type", "R", {"R": {"counts": [[1, 1], [0, 2]]}}, "R"


def refused(function):
    functions = {"agreement": agreement, "cohen_kappa": cohen_kappa, "judged": judged, "compare_judged": compare_judged, "label_check": label_check, "labels_needed": labels_needed}
    yield from functions.get(function["name"], tuple)()
