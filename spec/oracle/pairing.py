"""Questions with ids: the same call on counts side by side without ids, and with the clusters that they carry.

And metrics that state their k: pass@4.
"""

import json
import re

K_STATED = ("extrapolate", "extrapolate_model")  # whose k is required
TOGETHER = ("A", "B"), ("candidate", "baseline"), ("old", "new"), ("R", "R_b", "R0"), ("models",), ("benchmarks",)


def each(x):
    """The outcomes in an argument: one set, or one per model."""
    many = x.get("models") if isinstance(x, dict) else None
    return list(many.values()) if many else [x] if isinstance(x, dict) else []


def benchmarks(x):
    """The outcomes in an argument by benchmark; None where there are no benchmarks."""
    return x["benchmarks"] if isinstance(x, dict) and "benchmarks" in x else {None: x}


def named(metric):
    """The metric's name and the k stated at its end: pass@k and 4 for pass@4, None where no k is stated."""
    stated = re.fullmatch(r"(.*[@^_-])([0-9]+)", metric)
    return (stated[1].lower() + "k", int(stated[2])) if stated else (metric, None)


def resolved(name, args):
    """Arguments of a call with counts paired, without ids and clusters; the metric by its name, its k beside it."""
    args, labels = json.loads(json.dumps(args)), {}
    metric, k = named(args.get("metric", ""))
    if k is not None:
        args.update(metric=metric, k=k)
    for names in TOGETHER:
        arguments = [benchmarks(args[p]) for p in names if p in args]
        for b in arguments[0] if arguments else ():
            group = [x for parts in arguments for x in each(parts[b])]
            if any("ids" in x or "clusters" in x for x in group):
                labels[b] = side_by_side(group)
    labels = {b: x for b, x in labels.items() if x}
    if labels and "clusters" not in args and (args.get("questions") == "sampled" or name == "questions_needed"):
        args["clusters"] = labels.get(None, labels)
    elif isinstance(args.get("clusters"), dict):
        args["clusters"] = {**labels, **args["clusters"]}
    if args.get("clusters") is False:
        del args["clusters"]
    return args


def side_by_side(group):
    """Counts on the questions of all of them, in the order of first appearance; and the cluster of each question."""
    own = [[str(q) for q in x["ids"]] if "ids" in x else range(len(x["counts"])) for x in group]
    order, of = list(dict.fromkeys(q for ids in own for q in ids)), {}
    for x, ids in zip(group, own):
        rows, width = dict(zip(ids, x["counts"])), len(x["counts"][0])
        of.update(zip(ids, map(str, x.get("clusters", ()))))
        x.clear()
        x["counts"] = [rows.get(q, [0] * width) for q in order]
    return [of.get(q) for q in order] if of else None


def with_its_k(name, others):
    """(comment, flags, args) of the first of the other cases with a k, its metric named with this k; k stays where it must be stated."""
    for _, flags, args in others:
        metric, k = args.get("metric", ""), args.get("k")
        if metric.endswith("k") and type(k) is int:
            bare = args if name in K_STATED else {p: x for p, x in args.items() if p != "k"}
            yield "the metric states its k", ["alias", *flags], {**bare, "metric": f"{metric[:-1]}{k}"}
            yield "the metric in capitals states the same k", ["alias", *flags], {**args, "metric": f"{metric[:-1].upper()}{k}"}
            return


def refused_k(name, others):
    """Refused calls of metrics whose stated k conflicts or is not valid: (comment, code, argument, args, flag)."""
    for _, code, argument, args, _ in others:
        metric = args.get("metric", "")
        if (code, argument) != ("range", "k") or not metric.endswith("k"):
            continue
        plain = args if name in K_STATED else {p: x for p, x in args.items() if p != "k"}
        yield "the metric states another k", "conflict", "k", {**args, "metric": f"{metric[:-1]}3", "k": 2}, "metric"
        yield "the metric states its k, and k beside it is no integer", "type", "k", {**args, "metric": f"{metric[:-1]}2", "k": 2.0}, "metric"
        yield "the metric states k = 0", "range", "k", {**plain, "metric": f"{metric[:-1]}0"}, "metric"
        for end, why in (("4.5", "a fraction"), ("-4", "a sign"), ("1" * 10, "ten digits"), ("٤", "a digit beyond ASCII")):
            yield f"the metric states {why} as k", "choice", "metric", {**args, "metric": f"{metric[:-1]}{end}", "k": 4}, "metric"
        return
