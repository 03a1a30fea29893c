"""Receipts and the outcomes of verifying them: results from the oracle, some of them changed afterwards."""
import copy
from math import isfinite, nextafter

import pairing
from exact import Fraction, Real, double

SCHEMA = "scorio.receipt/1"
PAIR_FIELDS = ["benchmark", "a", "b", "mu", "sigma", "lo", "hi", "p_value", "df", "p_above", "significant", "variance_source", "p_adjusted"]
ROW_FIELDS = {"models": ["model", "mu", "sigma", "lo", "hi", "n_eff", "variance_source", "best", "worst", "possibly_best"], "pairs": PAIR_FIELDS, "each": PAIR_FIELDS}
FIELDS = {"interval": ["mu", "sigma", "lo", "hi", "n_eff", "variance_source", "units"],
          "suite": ["models", "pairs", "each", "benchmarks", "weights", "left_out"]}
COINS = {"": {"large": {"counts": [[0, 4], [1, 3], [2, 2], [0, 4], [3, 1]]}, "small": {"counts": [[1, 3], [3, 1], [4, 0], [2, 2], [2, 2]]}}}
GRADED = {
    "maths": {"a": {"counts": [[0, 1, 3], [2, 1, 1], [1, 3, 0]], "ids": ["q1", "q2", "q3"], "clusters": ["x", "x", "y"]},
              "b": {"counts": [[2, 1, 1], [3, 1, 0], [1, 1, 2]], "ids": ["q3", "q1", "q2"], "clusters": ["y", "x", "x"]}},
    "code": {"b": {"counts": [[4, 0, 0], [1, 0, 3], [0, 2, 2], [2, 2, 0]]}, "a": {"counts": [[3, 0, 1], [1, 0, 3], [0, 0, 4], [1, 1, 2]]}},
}
LACKING = {"x": {"a": {"counts": [[2, 2], [0, 4]]}, "c": {"counts": [[1, 3], [1, 3]]}}, "y": {"a": {"counts": [[0, 3], [1, 2]]}, "b": {"counts": [[3, 0], [2, 1]]}, "c": {"counts": [[0, 3], [1, 2]]}}}


def to_receipt(x, names=None):
    """A result in the form of a receipt; names: the fields of x, if it is a row."""
    if isinstance(x, (list, tuple)):
        return {n: to_receipt(y) for n, y in zip(names, x)} if names else [to_receipt(y) for y in x]
    if isinstance(x, (Fraction, Real)):
        x = double(x)
    return str(x) if isinstance(x, float) and not isfinite(x) else x


def result(name, args, data, find):
    """Result of the oracle's function on the counts that the receipt names."""
    arguments = dict(args)
    if name == "interval":
        benchmark, model = arguments["R"]["data"]
        arguments["R"] = data[benchmark][model]
    else:
        arguments["benchmarks"] = {"benchmarks": {b: {"models": models} for b, models in data.items()}}
    got = find(name)(**pairing.resolve_arguments(name, arguments))
    return {f: [to_receipt(row, ROW_FIELDS[f]) for row in got[f]] if f in ROW_FIELDS else to_receipt(got[f]) for f in FIELDS[name]}


def receipt(data, calls, find):
    results = [{"function": name, "args": args, "result": result(name, args, data, find)} for name, args in calls]
    return {"schema": SCHEMA, "data": data, "results": results}


def count_values(x):
    """The number of values in a result."""
    container = x.values() if isinstance(x, dict) else x if isinstance(x, list) else None
    return 1 if container is None else sum(map(count_values, container))


def calls(data, **options):
    """Calls of a receipt: every model's interval in every benchmark, then the suite."""
    intervals = [("interval", {"R": {"data": [b, m]}, **options}) for b, models in data.items() for m in models]
    return [*intervals, ("suite", {"benchmarks": {"data": []}, **options})]


def cases(find):
    """Receipts, each with the outcome of verifying it; find(name): the oracle's function of that name."""
    coins = receipt(COINS, [*calls(COINS, questions="fixed"), *calls(COINS, metric="pass@k", k=2, questions="sampled")], find)
    graded = receipt(GRADED, [*calls(GRADED, w=[0.0, 0.5, 1.0], questions="sampled", confidence=0.9), *calls(GRADED, metric="max@k", k=2, w=[0.0, 0.5, 1.0], questions="fixed")], find)
    lacking = receipt(LACKING, calls(LACKING, questions="fixed", correction=None)[-1:], find)
    out = [(comment, x, {"results": len(x["results"]), "values": sum(count_values(y["result"]) for y in x["results"]), "differences": []}) for comment, x in
             (("counts alone, fixed and sampled questions", coins), ("scores, ids, clusters, two benchmarks", graded), ("a model that lacks a benchmark", lacking))]
    expected = out[0][2]

    def changed(comment, place, change):
        """Append a receipt with one value changed. place: the keys that lead to the value."""
        x = copy.deepcopy(coins)
        *path, last = place
        container = x
        for key in path:
            container = container[key]
        original = container[last]
        container[last] = change(original)
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)[1:]
        out.append((comment, x, {**expected, "differences": [{"place": where, "stated": container[last], "computed": original}]}))

    def refused(comment, code, argument, **parts):
        out.append((comment, {**copy.deepcopy(coins), **parts}, {"code": code, "argument": argument}))

    first, last = ("results", 0, "result"), ("results", 2, "result")
    changed("one unit in the last place", (*first, "lo"), lambda x: nextafter(x, 1.0))
    changed("a number that is text", (*first, "mu"), str)
    changed("a number that is null", (*first, "sigma"), lambda x: None)
    changed("a truth value for a whole number", (*first, "units"), lambda x: True)
    changed("another word", (*first, "variance_source"), lambda x: "upper bound")
    changed("another rank", (*last, "models", 1, "best"), lambda x: 3 - x)
    changed("a significance reversed", (*last, "pairs", 0, "significant"), lambda x: not x)
    changed("another model", (*last, "pairs", 0, "a"), lambda x: "small")
    x = copy.deepcopy(coins)
    del x["results"][0]["result"]["n_eff"]
    out.append(("a value left out", x, {**expected, "differences": [{"place": "results[0].result.n_eff", "stated": "(absent)", "computed": coins["results"][0]["result"]["n_eff"]}]}))
    x = copy.deepcopy(coins)
    x["results"][0]["result"]["bonus"] = 1
    out.append(("a value that the result does not have", x, {**expected, "values": expected["values"] + 1, "differences": [{"place": "results[0].result.bonus", "stated": 1, "computed": "(absent)"}]}))
    y = receipt({"": {"m": {"counts": [[4, 4], [4, 4]]}}}, [("interval", {"R": {"data": ["", "m"]}, "questions": "fixed", "w": [-1.0, 1.0]})], find)
    y["results"][0]["result"]["mu"] = -0.0
    # 7 values: the fields of an interval
    out.append(("the negative zero", y, {"results": 1, "values": 7, "differences": [{"place": "results[0].result.mu", "stated": -0.0, "computed": 0.0}]}))
    y = receipt({"": {"m": {"counts": [[0, 4], [0, 4]]}}}, [("interval", {"R": {"data": ["", "m"]}, "questions": "fixed"})], find)
    y["results"][0]["result"]["mu"] = 1
    out.append(("a whole number for a real one", y, {"results": 1, "values": 7, "differences": []}))

    changed("a whole number of many digits for a real one", (*first, "n_eff"), lambda x: 6 * 10**300)
    changed("the whole number to which the real one rounds", (*first, "mu"), lambda x: 1)

    call = coins["results"][0]
    refused("a schema of null", "format", "receipt", schema=None)
    refused("another schema", "format", "receipt", schema="scorio.receipt/2")
    refused("data of null", "format", "receipt", data=None)
    refused("an empty list of results", "format", "receipt", results=[])
    refused("results that are no list", "format", "receipt", results={"0": call})
    refused("a result without a function", "format", "receipt", results=[{"args": call["args"], "result": {}}])
    refused("a result without a result", "format", "receipt", results=[{"function": "interval", "args": call["args"]}])
    refused("a function that receipts do not have", "choice", "function", results=[{**call, "function": "compare"}])
    refused("no outcomes", "format", "receipt", results=[{**call, "args": {"questions": "fixed"}}])
    refused("a model that is not there", "format", "receipt", results=[{**call, "args": {**call["args"], "R": {"data": ["", "huge"]}}}])
    refused("a benchmark that is not there", "format", "receipt", results=[{**call, "args": {**call["args"], "R": {"data": ["x", "large"]}}}])
    refused("one name in place of a benchmark and a model", "format", "data", results=[{**call, "args": {**call["args"], "R": {"data": [""]}}}])
    refused("names as a string, not a list", "format", "data", results=[{**call, "args": {**call["args"], "R": {"data": "ab"}}}])
    refused("an unknown argument", "format", "args", results=[{**call, "args": {**call["args"], "bonus": 1}}])
    refused("an argument that is missing", "format", "args", results=[{**call, "args": {"R": call["args"]["R"]}}])
    refused("a confidence above 1", "range", "confidence", results=[{**call, "args": {**call["args"], "confidence": 1.5}}])
    refused("an unknown metric", "choice", "metric", results=[{**call, "args": {**call["args"], "metric": "best"}}])
    refused("counts below 0", "format", "data", data={"": {"large": {"counts": [[-1, 4]]}, "small": {"counts": [[1, 3]]}}})
    refused("no counts", "format", "receipt", data={"": {"large": {"table": [[1, 4]]}, "small": {"counts": [[1, 3]]}}})
    refused("counts that are truth values", "format", "data", data={"": {"large": {"counts": [[True, False], [False, True]]}}})
    refused("counts in rows of unequal length", "format", "data", data={"": {"large": {"counts": [[1, 4], [1]]}}})
    refused("counts that are no table", "format", "data", data={"": {"large": {"counts": 5}}})
    refused("too many trials", "format", "data", data={"": {"large": {"counts": [[1, 2**53]]}}})
    refused("a function that is a list", "choice", "function", results=[{**call, "function": []}])
    refused("a member that nothing verifies", "format", "receipt", claim="best in class")
    left = {"function": "interval", "args": {"questions": "fixed"}, "reason": "no trial"}
    for name, values in (("version", (1, None)), ("command", (3, ["a"])), ("missing", (None, True, [0])),
                         ("files", ({}, ["a.csv"], [{"bytes": 3}], [{"file": 1}], [{"file": "a", "bytes": "3"}], [{"file": "a", "bytes": True}], [{"file": "a", "mu": 0.9}])),
                         ("left_out", ("best in class", ["best in class"], [{**left, "result": call["result"]}], [{**left, "function": "compare"}], [{**left, "reason": 1}], [{**left, "args": []}], [{"function": "interval", "reason": "x"}]))):
        for value in values:
            refused(f"a member for readers of another form: {name}", "format", "receipt", **{name: value})
    remarks = {"version": "1.0", "command": None, "missing": 0.5, "files": [{"file": "-"}, {"file": "a.csv", "bytes": 3, "sha256": "00"}], "left_out": [left]}
    out.append(("all members for readers", {**copy.deepcopy(coins), **remarks}, copy.deepcopy(expected)))
    refused("a number beside a result", "format", "receipt", results=[{**call, "mu": 0.99}])
    refused("a number beside counts", "format", "receipt", data={"": {**coins["data"][""], "large": {**coins["data"][""]["large"], "mu": 0.9}}})
    refused("counts beside the names of data", "format", "receipt", results=[{**call, "args": {**call["args"], "R": {"data": ["", "large"], "counts": [[9, 9]]}}}])
    refused("an id twice", "duplicate", "ids", data={"": {"large": {"counts": [[1, 4], [1, 4]], "ids": ["q", "q"]}}})
    return [{"id": f"receipt-{i:04d}", "comment": comment, "receipt": x, ("error" if "code" in want else "want"): want}
           for i, (comment, x, want) in enumerate(out, 1)]
