"""Refused calls of interval and prob_above; and faults of metric, k, tau, w and model for these and other functions."""
from invalid import GOOD, W, category_scores, integers, mean_options, outcomes, reals, words

NOTES = {
    "model": "model is unknown",
    "t": "the threshold t is wrong",
}
WITH_K = ("pass_at_k", "pass_hat_k", "maj@k", "mg_pass_at_k", "auc@k", "max_at_k")
PASS = {"metric": "pass_at_k", "k": 2}


def metric_options(arguments):
    """Faults of metric, k, tau, w or model. arguments(matrix): the arguments that carry this matrix of outcomes."""
    good, share = arguments(GOOD["matrix"]), {"metric": "g_pass_at_k_tau", "k": 2}

    def bad(comment, code, p, args, flag="metric", data=good):
        return comment, code, p, {**data, **args}, flag

    for comment, code, p, args, _ in words("metric", "pass", "Mean", "bayes", "naive_pass_hat_k", "pass@", ""):
        yield bad(comment, code, p, args)
    yield bad("metric is null", "type", "metric", {"metric": None})
    for name in WITH_K:
        yield bad(f"{name} without k", "type", "k", {"metric": name})
    yield bad("g-pass@k without k", "type", "k", {"metric": "g-pass@k", "tau": 0.5})
    for comment, code, p, args, _ in integers(at_most_trials=True):
        data = arguments(args.pop("R")["matrix"]) if "R" in args else good
        yield bad(comment, code, p, {"metric": "pass_hat_k", **args}, "k", data)
    yield bad("k above the trials of one question, the others have more", "range", "k", {"metric": "auc_at_k", "k": 3, "missing": "drop"}, "k", arguments([[0, 1, 1, 0], [1, 0, None, None]]))
    for name in ("mean", "avg"):
        yield bad(f"k for {name}", "conflict", "k", {"metric": name, "k": 1})
    yield bad("k for the default metric", "conflict", "k", {"k": 2})
    yield bad("g_pass_at_k_tau without tau", "type", "tau", share)
    for comment, code, p, args, flag in reals("tau", (-1e-300, 1.0000000000000002, -1.0), "option"):
        yield bad(comment, code, p, {**share, **args}, flag)
    for args in ({}, {"metric": "mean"}, *({"metric": name, "k": 2} for name in WITH_K)):
        yield bad(f"tau for {args.get('metric', 'the default metric')}", "conflict", "tau", {**args, "tau": 0.5})
    for args in (*({"metric": name, "k": 2} for name in WITH_K[:-1]), {**share, "tau": 0.5}):
        yield bad(f"w for {args['metric']}", "conflict", "w", {**args, "w": [0.0, 1.0]})
    for m in ({"metric": "mean"}, {"metric": "max_at_k", "k": 2}):
        for comment, code, p, args, flag in category_scores():
            data = arguments(args["R"]["matrix"]) if "R" in args else good
            yield bad(f"{m['metric']}: {comment}", code, p, {**m, "w": args["w"]}, flag, data)
        yield bad(f"{m['metric']}: a single score w for binary outcomes", "length", "w", {**m, "w": [1.0]}, "w")
    for comment, code, p, args, _ in words("model", "uniform", "None"):
        yield bad(comment, code, p, {**PASS, **args}, "model")
    for x, why in ((True, "a truth value"), (["beta"], "a list")):
        yield bad(f"model is {why}", "type", "model", {**PASS, "model": x}, "model")


def flips(name):
    """Faults of flip_rate, for all_refused of invalid.py: a question with one trial, an option of other metrics, a gate."""
    once, good, m = {"counts": [[1, 1], [0, 1]]}, {"counts": [[1, 1], [0, 2]]}, {"metric": "flip_rate", "questions": "fixed"}
    why = "flip_rate: a question with one trial"
    if name in ("flip_rate", "flip_rate_ci"):
        yield why, "range", "R", {"R": once}, "R"
        yield "a question with one trial, the other dropped", "range", "R", {"R": {"matrix": [[0, 1], [1, None]]}, "missing": "drop"}, "R"
    elif name == "rank.flip_rate":
        yield why, "range", "R", {"R": {"models": {"a": good, "b": once}}}, "models"
    elif name == "interval":
        yield why, "range", "R", {"R": once, **m}, "R"
        for p, x in (("k", 2), ("tau", 0.5), ("w", [0.0, 1.0])):
            yield f"{p} for flip_rate", "conflict", p, {"R": good, **m, p: x}, "metric"
    elif name == "prob_above":
        yield why, "range", "R", {"R": once, **m, "t": 0.5}, "R"
    elif name == "compare":
        yield why, "range", "B", {"A": good, "B": once, **m}, "R"
    elif name in ("compare_all", "ranges", "winners"):
        yield why, "range", "models", {"models": {"models": {"a": good, "b": once}}, **m}, "models"
    elif name == "suite":
        yield why, "range", "benchmarks", {"benchmarks": {"benchmarks": {"x": {"models": {"a": good, "b": once}}}}, **m}, "benchmarks"
    elif name in ("trials_needed", "questions_needed"):
        yield why, "range", "R", {"R": once, "half_width": 0.1, "metric": "flip_rate"}, "R"
    elif name in ("gate", "gate_suite"):
        benchmarks = name == "gate_suite"
        for alias in ("flip_rate", "flip-rate"):
            pair = {p: {"benchmarks": {"x": good}} if benchmarks else good for p in ("candidate", "baseline")}
            yield f"{alias}: lower is better", "choice", "metric", {**pair, "margin": 0.1, **m, "metric": alias}, "option"


def one_sample(name, more):
    """Faults of the options that interval and prob_above share; more: the further arguments of the function."""
    base = {**PASS, "questions": "fixed", **more}
    for comment, code, argument, args, flag in outcomes(name):
        yield comment, code, argument, {**base, **args}, flag
    for comment, code, argument, args, flag in metric_options(lambda matrix: {"R": {"matrix": matrix}}):
        if name == "prob_above" and args.get("w") == [1.0]:  # with a single score there is no t between the scores
            comment, args = f"{args['metric']}: two scores w for three categories", {**args, "R": {"matrix": [[0, 1, 2], [1, 1, 0]]}, "w": W}
        yield comment, code, argument, {"questions": "fixed", **more, **args}, flag
    for comment, code, argument, args, flag in mean_options():
        if argument != "shape" or name == "interval":
            yield comment, code, argument, {"R": GOOD, **base, **args}, flag
    one_empty = {"matrix": [[0, 1, 1], [None] * 3, [1, 1, 0]]}
    yield "a pool smaller than the number of remaining questions", "range", "pool", {"R": one_empty, **base, "questions": "sampled", "pool": 1, "missing": "drop"}, "option"
    yield "no label for a dropped question", "length", "clusters", {"R": one_empty, **base, "questions": "sampled", "clusters": [0, 1], "missing": "drop"}, "option"


def interval():
    yield from one_sample("interval", {})
    for comment, code, p, args, flag in reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"):
        yield comment, code, p, {"R": GOOD, **PASS, "questions": "fixed", **args}, flag
    million = {"counts": [[400000, 600000], [999999, 1]]}
    for m, k, why in (("pass_at_k", 600000, "a mixture of rates of 10^6 trials"), ("auc_at_k", 100000, "two blocks of 10^5 trials")):
        yield f"{m}, {why}: more than 10^8 steps", "range", "k", {"R": million, "metric": m, "k": k, "questions": "fixed"}, "k"


def prob_above():
    yield from one_sample("prob_above", {"t": 0.5})
    for comment, code, p, args, _ in reals("t", (0.0, "-0.0", 1.0, -0.5, 1.5), "t"):
        yield comment, code, p, {"R": GOOD, **PASS, "questions": "fixed", **args}, "t"
    three = {"R": {"matrix": [[0, 1, 2], [1, 1, 0]]}, "questions": "sampled"}
    for m in ({"metric": "mean"}, {"metric": "max_at_k", "k": 2}):
        for w, t, why in (([-3.0, 0.5, 2.0], -3.0, "the lowest score"), ([-3.0, 2.0, 0.5], 2.0, "the highest score"), ([0.0, 5.0, 9.0], 9.5, "above all scores"),
                          ([1.0, 2.0, 3.0], 0.5, "below all scores"), ([0.5, 0.5, 0.5], 0.5, "the only score, so no t is valid")):
            yield f"{m['metric']}: t is {why}", "range", "t", {**three, **m, "w": w, "t": t}, "t"


def refused(function):
    yield from {"interval": interval, "prob_above": prob_above}.get(function["name"], tuple)()
