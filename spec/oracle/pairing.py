"""Rewrite the arguments of a call: align counts by id, pass their clusters, split pass@4 into name and k."""

import json
import re

K_REQUIRED = ("extrapolate", "extrapolate_model")  # functions whose k is required
PAIRED_ARGUMENTS = ("A", "B"), ("candidate", "baseline"), ("old", "new"), ("R", "R_b", "R0"), ("models",), ("benchmarks",), ("pin", "builds"), ("evaluations",)


def outcome_sets(x):
    """The outcomes in an argument as a list: of one model or of each model."""
    many = x.get("models") if isinstance(x, dict) else None
    return list(many.values()) if many else [x] if isinstance(x, dict) else []


def benchmarks(x):
    """The outcomes in an argument by benchmark, under the key None where there are no benchmarks."""
    return x["benchmarks"] if isinstance(x, dict) and "benchmarks" in x else {None: x}


def split_metric(metric):
    """The metric's name and the k stated at its end: pass@k and 4 for pass@4, None where no k is stated."""
    match = re.fullmatch(r"(.*[@^_-])([0-9]+)", metric)
    return (match[1].lower() + "k", int(match[2])) if match else (metric, None)


def resolve_arguments(name, args):
    """The arguments of a call with the metric and its k separate, and with counts aligned and stripped of their labels.

    The clusters that counts carry become the argument clusters where a function uses it; its `false` is removed.
    """
    args, labels = json.loads(json.dumps(args)), {}
    metric, k = split_metric(args.get("metric", ""))
    if k is not None:
        args.update(metric=metric, k=k)
    for names in PAIRED_ARGUMENTS:
        arguments = [benchmarks(args[p]) for p in names if p in args]
        for b in arguments[0] if arguments else ():
            group = [x for parts in arguments for x in outcome_sets(parts[b])]
            if any("ids" in x or "clusters" in x for x in group):
                labels[b] = align_by_id(group)
    labels = {b: x for b, x in labels.items() if x}
    if labels and "clusters" not in args and (args.get("questions") == "sampled" or name == "questions_needed"):
        args["clusters"] = labels.get(None, labels)
    elif isinstance(args.get("clusters"), dict):
        args["clusters"] = {**labels, **args["clusters"]}
    if args.get("clusters") is False:
        del args["clusters"]
    return args


def align_by_id(group):
    """Align the counts of a group on all its questions by first appearance; return their clusters, None without any."""
    ids_of_each = [[str(q) for q in x["ids"]] if "ids" in x else range(len(x["counts"])) for x in group]
    order, cluster_of = list(dict.fromkeys(q for ids in ids_of_each for q in ids)), {}
    for x, ids in zip(group, ids_of_each):
        rows, width = dict(zip(ids, x["counts"])), len(x["counts"][0])
        cluster_of.update(zip(ids, map(str, x.get("clusters", ()))))
        x.clear()
        x["counts"] = [rows.get(q, [0] * width) for q in order]
    return [cluster_of.get(q) for q in order] if cluster_of else None


def cases_with_stated_k(name, cases):
    """Cases whose metric states its k, made from the first case with a k: (comment, flags, args)."""
    for _, flags, args in cases:
        metric, k = args.get("metric", ""), args.get("k")
        if metric.endswith("k") and type(k) is int:
            without_k = args if name in K_REQUIRED else {p: x for p, x in args.items() if p != "k"}
            yield "the metric states its k", ["alias", *flags], {**without_k, "metric": f"{metric[:-1]}{k}"}
            yield "the metric in capitals states the same k", ["alias", *flags], {**args, "metric": f"{metric[:-1].upper()}{k}"}
            return


def refused_k(name, cases):
    """Refused calls of metrics whose stated k conflicts or is not valid: (comment, code, argument, args, flag)."""
    for _, code, argument, args, _ in cases:
        metric = args.get("metric", "")
        if (code, argument) != ("range", "k") or not metric.endswith("k"):
            continue
        without_k = args if name in K_REQUIRED else {p: x for p, x in args.items() if p != "k"}
        yield "the metric states another k", "conflict", "k", {**args, "metric": f"{metric[:-1]}3", "k": 2}, "metric"
        yield "the metric states its k, and the argument k is not an integer", "type", "k", {**args, "metric": f"{metric[:-1]}2", "k": 2.0}, "metric"
        yield "the metric states k = 0", "range", "k", {**without_k, "metric": f"{metric[:-1]}0"}, "metric"
        for end, why in (("4.5", "a fraction"), ("-4", "a sign"), ("1" * 10, "ten digits"), ("٤", "a digit beyond ASCII")):
            yield f"the metric states {why} as k", "choice", "metric", {**args, "metric": f"{metric[:-1]}{end}", "k": 4}, "metric"
        return
