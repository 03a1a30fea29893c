"""Refused calls of module utils."""
from math import factorial

from hashes import fubini
from invalid_rank import numbers

NOTES = {"hash": "the number of a ranking, or the number of models, is wrong"}


def compare_rankings():
    base = {"a": [1, 2], "b": [2, 1]}
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in (*numbers("a"), *numbers("b", empty=False)))
    yield "a displacement beyond the largest double", "overflow", "a", {**base, "a": [-1.7e308, 1.7e308], "b": [1.7e308, -1.7e308]}, "list"
    yield "one model", "length", "a", {"a": [1], "b": [1]}, "list"
    yield "b is shorter", "length", "b", {**base, "b": [1]}, "list"
    yield "b is longer", "length", "b", {**base, "b": [1, 2, 3]}, "list"


def lehmer_hash():
    p = "ranking"
    for bad, why in (("123", "text"), (["a", "b"], "texts"), ([True, 2], "truth values"), ([1.5, 2.5], "fractions"), ([1, None], "null among integers"), (None, "null")):
        yield f"a ranking of {why}", "type", p, {p: bad}, "list"
    yield "a ranking that is a number", "shape", p, {p: 1}, "list"
    yield "two dimensions", "shape", p, {p: [[1, 2], [2, 1]]}, "list"
    yield "an empty ranking", "empty", p, {p: []}, "list"
    for bad, why in (([1, 2, 2], "a tie"), ([0, 1, 2], "counted from 0"), ([1, 3], "a gap"), ([2], "one model that is second"), ([1, -2], "a negative entry"), ([1, 2, 10**30], "an entry beyond any machine integer")):
        yield f"not a permutation: {why}", "permutation", p, {p: bad}, "list"
    yield "whole numbers as reals", "type", p, {p: [2.0, 1.0]}, "list"


def ranking_hash():
    yield from numbers("ranking")
    yield "1001 models", "length", "ranking", {"ranking": [1] * 1001}, "list"


def unhash(size):
    good = {"hash": 3, "L": 3}
    for p in ("hash", "L"):
        for bad, why in ((2.5, "a fraction"), (True, "a truth value"), ("2", "text"), (None, "null"), ([1], "a list")):
            yield f"{p} is {why}", "type", p, {**good, p: bad}, "hash"
    for bad in (-1, size(3), size(3) + 1, 10**30):
        yield f"hash {bad} of 3 models", "range", "hash", {**good, "hash": bad}, "hash"
    yield "the first number that is too large, of 25 models", "range", "hash", {"hash": size(25), "L": 25}, "hash"
    for bad in (0, -1, 1001, 10**30):
        yield f"L = {bad}", "range", "L", {"hash": 0, "L": bad}, "hash"


def refused(function):
    yield from {"compare_rankings": compare_rankings, "lehmer_hash": lehmer_hash, "ranking_hash": ranking_hash,
                "lehmer_unhash": lambda: unhash(factorial), "unhash_ranking": lambda: unhash(fubini)}.get(function["name"], tuple)()
