"""Refused calls of module sinf."""
from invalid import GOOD, bounds, category_scores, mean_options, outcomes, reals, words
from invalid_intervals import PASS, metric_options
from invalid_rank import FINE, booleans, models_options, numbers

NOTES = {
    "A": "the outcomes of the first model are wrong",
    "B": "the outcomes of the second model are wrong",
}


def moments():
    base = {"mu_a": 0.5, "sigma_a": 0.1, "mu_b": 0.4, "sigma_b": 0.1}
    yield "a z-score beyond the largest double", "overflow", "mu_a", {**base, "mu_a": 1e308, "sigma_a": 1e-300, "sigma_b": 0.0}, "option"
    for p in base:
        yield from ((c, code, q, {**base, **args}, flag) for c, code, q, args, flag in reals(p, (-1e-300, -1.0) if p.startswith("sigma") else (), "option"))


def ci():
    base = {"mu": 0.5, "sigma": 0.1}
    yield "an end beyond the largest double", "overflow", "mu", {"mu": 1.7e308, "sigma": 1e308}, "option"
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in
                (*reals("mu", (), "option"), *reals("sigma", (-1e-300, -1.0), "option"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"), *bounds()))


def runs(names):
    base = {p: [0.5, 0.75] for p in names}
    for p in names:
        yield from ((c, code, q, {**base, **args}, flag) for c, code, q, args, flag in numbers(p))
        yield f"one run in {p}", "length", p, {**base, p: [0.5]}, "list"
        yield f"an average beyond 1e100 in {p}", "range", p, {**base, p: [0.5, 2e100]}, "list"
        yield f"an average above the bounds in {p}", "range", p, {**base, p: [0.5, 71.2], "bounds": [0.0, 1.0]}, "list"
        yield f"an average below the bounds in {p}", "range", p, {**base, p: [0.5, -0.25], "bounds": [0.0, "inf"]}, "list"
    yield "equal averages", "undefined", "averages", {p: [0.5, 0.5, 0.5] for p in names}, "list"
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in (*reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"), *bounds()))


def stop():
    yield from ((c, code, p, {"sigma": 0.1, "max_ci_width": 0.1, **args}, flag) for c, code, p, args, flag in
                (*reals("sigma", (-1e-300, -1.0), "option"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"), *reals("max_ci_width", (-1e-300, -1.0), "option")))
    yield from ((c, code, p, {"sigma": 0.1, **args}, flag) for c, code, p, args, flag in reals("max_half_width", (-1e-300, -1.0), "option"))
    yield "no limit", "conflict", "max_ci_width", {"sigma": 0.1}, "option"
    yield "two limits", "conflict", "max_ci_width", {"sigma": 0.1, "max_ci_width": 0.2, "max_half_width": 0.1}, "option"


def top():
    base = {"mus": [0.5, 0.2], "sigmas": [0.1, 0.1]}
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in
                (*numbers("mus"), *numbers("sigmas", empty=False), *words("method", "zscore_adjacent", "overlap"),
                 *reals("confidence", (0.0, 0.5, 1.0, 95.0), "interval")))
    yield "one model", "length", "mus", {"mus": [0.5], "sigmas": [0.1]}, "list"
    for bad in ([0.1], [0.1, 0.1, 0.1]):
        yield f"{len(bad)} standard errors of two means", "length", "sigmas", {**base, "sigmas": bad}, "list"
    yield "a negative standard error", "range", "sigmas", {**base, "sigmas": [0.1, -1e-300]}, "list"


def one_of_two(p, base):
    """Faults of the outcomes of one of two models, the argument p.

    Every other argument of base, except questions, becomes valid outcomes.
    """
    for comment, code, argument, args, flag in outcomes("compare"):
        if code == "no_trials":  # no fault of two models: a question without a trial is left out
            continue
        more = {k: v for k, v in args.items() if k != "R"}
        other = {"matrix": [[0, 1]]} if args["R"].get("special") in ("complex", "object") else GOOD
        yield comment.replace("R is", "outcomes that are").replace("in R", "among the outcomes"), code, p if argument == "R" else argument, \
            {**{q: other if q != "questions" else x for q, x in base.items()}, p: args["R"], **more}, flag if flag != "R" else "B" if p in ("B", "R_b") else "A"


def compare():
    base = {"A": GOOD, "B": GOOD, "questions": "fixed"}
    yield from one_of_two("A", base)
    yield from (x for x in one_of_two("B", base) if x[4] == "B")
    lost, blank = {"matrix": [[None, None], [0, 1]]}, {"matrix": [[None, None]] * 2}
    yield "no trial is left", "no_trials", "A", {**base, "A": blank, "missing": "drop"}, "A"
    yield "no question with trials of both is left", "no_trials", "A", {**base, "A": lost, "B": {"matrix": [[1, 0], [None, None]]}, "missing": "drop"}, "A"
    yield "B has fewer questions", "shape", "B", {**base, "B": {"matrix": [[0, 1, 1]]}}, "B"
    yield "B has more questions", "shape", "B", {**base, "B": {"counts": [[1, 2], [2, 1], [3, 0]]}}, "B"
    one_left = {"A": {"matrix": [[0, 1], [None, None]]}, "B": GOOD, "missing": "drop"}
    yield "one question is left, and the variance between questions is needed", "shape", "A", {**base, **one_left, "questions": "sampled"}, "A"
    yield "one question of single trials", "shape", "A", {**base, "A": {"matrix": [[1]]}, "B": {"matrix": [[0]]}}, "A"
    for p, q in (("A", "B"), ("B", "A")):
        yield f"different questions, a single one of {p}", "shape", p, {q: GOOD, p: {"matrix": [[0, 1, 1]]}, "questions": "sampled", "paired": False}, p
        yield f"{p} in one dimension: one question or many?", "shape", p, {**base, p: {"matrix": [0, 1, 1]}}, p
    yield "different questions cannot be fixed", "conflict", "paired", {**base, "paired": False}, "option"

    def parts():
        for comment, code, p, args, flag in category_scores():
            yield comment, code, p, {"w": args["w"], **({"A": args["R"]} if "R" in args else {})}, flag
        yield from words("questions", "random")
        yield from booleans("paired")
        yield from reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")
        yield from reals("guard", (-0.1, 1.5), "option")
        yield from labels()
    yield "clusters of different questions", "conflict", "clusters", {**base, "questions": "sampled", "paired": False, "clusters": [0, 1]}, "option"
    yield "a single cluster", "shape", "A", {**base, "questions": "sampled", "clusters": ["a", "a"]}, "A"
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in parts())
    for c, code, p, args, flag in metric_options(lambda matrix: {"A": {"matrix": matrix}, "B": {"matrix": matrix}}):
        yield c, code, p, {"questions": "fixed", **args}, flag
    short = {"counts": [[1, 2], [3, 1]]}
    for p, q in (("A", "B"), ("B", "A")):
        yield f"k above the trials of {p}", "range", "k", {p: short, q: GOOD, **PASS, "k": 4, "questions": "fixed"}, "k"
        yield f"different questions, k above the trials of {p}", "range", "k", {p: short, q: GOOD, **PASS, "k": 4, "questions": "sampled", "paired": False}, "k"
    yield "sampled, one question is left", "shape", "A", {**base, **one_left, **PASS, "questions": "sampled"}, "A"
    yield "no model, one question with a single block of trials", "shape", "A", {"A": {"matrix": [[1, 0]]}, "B": {"matrix": [[0, 1]]}, **PASS, "model": None, "questions": "fixed"}, "A"
    for c, code, p, args, flag in (*numbers("looks", null=False), *words("spending", "haybittle-peto")):
        yield c, code, p, {**base, **args}, flag
    for bad, code in (([0.5, 0.25], "order"), ([0.0, 1.0], "range"), ([0.5, 0.5039], "range")):
        yield f"looks {bad}", code, "looks", {**base, "looks": bad}, "list"
    yield "looks at confidence 0.25", "range", "confidence", {**base, "looks": [0.5, 1.0], "confidence": 0.25}, "interval"


def certificate():
    base = {"A": GOOD, "B": GOOD}
    yield from one_of_two("A", base)
    yield from (x for x in one_of_two("B", base) if x[4] == "B")
    blank = {"matrix": [[None, None]] * 2}
    yield "no trial is left", "no_trials", "A", {**base, "A": blank, "missing": "drop"}, "A"
    yield "no question with trials of both is left", "no_trials", "A", {"A": {"matrix": [[None, None], [0, 1]]}, "B": {"matrix": [[1, 0], [None, None]]}, "missing": "drop"}, "A"
    yield "B has fewer questions", "shape", "B", {**base, "B": {"matrix": [[0, 1, 1]]}}, "B"
    yield "B has more questions", "shape", "B", {**base, "B": {"counts": [[1, 2], [2, 1], [3, 0]]}}, "B"
    for p in base:
        yield f"{p} in one dimension: one question or many?", "shape", p, {**base, p: {"matrix": [0, 1, 1]}}, p
    for comment, code, p, args, flag in category_scores():
        yield comment, code, p, {**base, "w": args["w"], **({"A": args["R"]} if "R" in args else {})}, flag


def labels():
    """Faults of clusters, for two questions."""
    return (x for x in mean_options() if x[2] == "clusters")


def compare_all():
    yield from models_options({"models": FINE, "questions": "fixed"}, "compare_all")


def needed(name):
    two, alone = {"R": GOOD, "R_b": {"matrix": [[0, 0, 1, 0], [1, 0, 0, 1]]}}, {"R": GOOD, "half_width": 0.1}
    for comment, code, argument, args, flag in outcomes("compare"):
        if code != "no_trials":
            yield comment, code, argument, {**alone, **args}, flag if flag != "R" else "A"
    yield from (x for x in one_of_two("R_b", {"R": GOOD, "R_b": GOOD}) if x[4] == "B")
    blank = {"matrix": [[None, None]] * 2}
    yield "no trial is left", "no_trials", "R", {**alone, "R": blank, "missing": "drop"}, "A"
    yield "no trial is left of two models", "no_trials", "R", {**two, "R": blank, "missing": "drop"}, "A"
    yield "no question with trials of both is left", "no_trials", "R", {"R": {"matrix": [[None, None], [0, 1]]}, "R_b": {"matrix": [[1, 0], [None, None]]}, "missing": "drop"}, "A"
    yield "R_b has fewer questions", "shape", "R_b", {**two, "R_b": {"matrix": [[0, 1, 1]]}}, "B"
    yield "R_b has more questions", "shape", "R_b", {**two, "R_b": {"counts": [[1, 2], [2, 1], [3, 0]]}}, "B"
    yield "neither a second model nor a half width", "conflict", "half_width", {"R": GOOD}, "option"
    yield "a second model and a half width", "conflict", "half_width", {**two, "half_width": 0.1}, "option"
    yield "R in one dimension: one question or many?", "shape", "R", {**alone, "R": {"matrix": [0, 1, 1]}}, "A"
    yield "R_b in one dimension", "shape", "R_b", {**two, "R_b": {"matrix": [0, 1, 1]}}, "B"
    if name == "questions_needed":
        single = {"matrix": [[0, 1, 1]]}
        yield "one question", "shape", "R", {"R": single, "half_width": 0.1}, "A"
        yield "one question of two models", "shape", "R", {"R": single, "R_b": {"matrix": [[0, 0, 1]]}}, "A"
        yield "one question is left", "shape", "R", {"R": {"matrix": [[0, 1], [None, None]]}, "half_width": 0.1, "missing": "drop"}, "A"
    for comment, code, p, args, flag in (*category_scores(), *reals("half_width", (0.0, -0.1), "option"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")):
        yield comment, code, p, {**alone, **args}, flag
    for comment, code, p, args, flag in (*reals("z", (0.0, -1.0, 100.00000000000001), "option"), *reals("power", (0.0, 0.49, 1.0, 80.0), "option"),
                                         *reals("difference", (0.0, -0.1), "option")):
        if args[p] is not None or p == "power":  # z and difference may be null
            yield comment, code, p, {**two, **args}, flag
    yield "a difference for one model", "conflict", "difference", {**alone, "difference": 0.1}, "option"
    for c, code, p, args, flag in metric_options(lambda matrix: {"R": {"matrix": matrix}, "R_b": {"matrix": matrix}}):
        if p != "model" or name == "questions_needed":
            yield c, code, p, args, flag
    if name == "trials_needed":
        yield "fewer than 2k trials: the variance at other numbers of trials is unknown", "range", "k", {**two, "metric": "pass_at_k", "k": 3}, "k"
    else:
        yield from ((c, code, p, {**two, **{q: x for q, x in args.items() if q != "questions"}}, flag) for c, code, p, args, flag in labels()
                    if code != "conflict")
        yield "a single cluster", "shape", "R", {**two, "clusters": [5, 5]}, "A"


def refused(function):
    name = function["name"]
    tops = {"should_stop_top1": top, "suggest_next_allocation": top}
    yield from {"ranking_confidence": moments, "ci_from_mu_sigma": ci, "mean_of_runs": lambda: runs(["averages"]), "compare_runs": lambda: runs(["averages", "others"]),
                "should_stop": stop, **tops, "compare": compare, "certificate": certificate, "compare_all": compare_all,
                "trials_needed": lambda: needed(name), "questions_needed": lambda: needed(name)}.get(name, tuple)()
