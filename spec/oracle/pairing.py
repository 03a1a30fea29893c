"""Questions with ids: the same call on counts side by side without ids, and with the clusters that they carry."""

import json

TOGETHER = ("A", "B"), ("candidate", "baseline"), ("old", "new"), ("R", "R_b", "R0"), ("models",), ("benchmarks",)


def each(x):
    """The outcomes of an argument: one, or those of its models."""
    many = x.get("models") if isinstance(x, dict) else None
    return list(many.values()) if many else [x] if isinstance(x, dict) else []


def benchmarks(x):
    """The outcomes of an argument by benchmark; None where it is of one."""
    return x["benchmarks"] if isinstance(x, dict) and "benchmarks" in x else {None: x}


def resolved(name, args):
    """The arguments of a call, without ids and clusters in its counts."""
    args, labels = json.loads(json.dumps(args)), {}
    for names in TOGETHER:
        arguments = [benchmarks(args[p]) for p in names if p in args]
        for b in arguments[0] if arguments else ():
            group = [x for parts in arguments for x in each(parts[b])]
            if any("ids" in x or "clusters" in x for x in group):
                labels[b] = side_by_side(group)
    labels = {b: x for b, x in labels.items() if x}
    if labels and "clusters" not in args and (args.get("questions") == "sampled" or name == "questions_needed"):
        args["clusters"] = labels.get(None, labels)
    if args.get("clusters") is False:
        del args["clusters"]
    return args


def side_by_side(group):
    """Put counts on the questions of all of them, in the order in which they are met; the cluster of each question."""
    own = [[str(q) for q in x["ids"]] if "ids" in x else range(len(x["counts"])) for x in group]
    order, of = list(dict.fromkeys(q for ids in own for q in ids)), {}
    for x, ids in zip(group, own):
        rows, width = dict(zip(ids, x["counts"])), len(x["counts"][0])
        of.update(zip(ids, map(str, x.get("clusters", ()))))
        x.clear()
        x["counts"] = [rows.get(q, [0] * width) for q in order]
    return [of.get(q) for q in order] if of else None
