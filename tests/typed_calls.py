"""Calls that a type checker must accept, and calls that it must refuse, marked "wrong": test_types.py checks them."""

import numpy as np

import scorio
from scorio import converge, eval, rank, sinf

A, B = [[0, 1], [1, 1]], [[0, 0], [1, 1]]
NAMED = {"a": A, "b": B}

# the type of R and return_scores decide what a ranking returns
ranks: dict[str, int] = rank.avg(NAMED)
by_name: tuple[dict[str, int], dict[str, float]] = rank.pass_at_k(NAMED, 2, return_scores=True)
in_order: list[int] = rank.bayes([A, B])
with_scores: tuple[list[int], list[float]] = rank.max_at_k(np.zeros((2, 3, 4), int), 2, return_scores=True)
ratings: tuple[dict[str, int], dict[str, float]] = rank.elo(NAMED, return_scores=True)
best: list[str] = rank.winners(NAMED, questions="fixed")
ends: dict[str, rank.Range] = rank.ranges(NAMED, "pass@k", 2, questions="sampled", correction=None)
halves = rank.avg(NAMED, method="average")  # ranks that may not be integers
wrong_ranks: list[int] = rank.avg(NAMED)  # wrong
wrong_pair: dict[str, int] = rank.avg(NAMED, return_scores=True)  # wrong
either = rank.avg(NAMED, return_scores=bool(A))  # not known before the call
rank.avg(NAMED, method="desne")  # wrong
rank.pass_at_k(NAMED, 2.0)  # wrong
rank.pass_at_k(NAMED)  # wrong
rank.geom_at_k(NAMED, 2, unanimous_powr=0.5)  # wrong
rank.elo(NAMED, tie_handling="win")  # wrong
rank.ranges(NAMED)  # wrong
rank.winners(NAMED, questions="fixed", correction=None)  # wrong

# choices, names of metrics, k
eval.interval(A, "pass@k", 2, questions="fixed", shape="beta", model=None)
eval.interval(A, questions="fxed")  # wrong
eval.interval(A, "pas@k", 2, questions="fixed")  # wrong
eval.interval(A, questions="fixed", shape="wald")  # wrong
eval.pass_at_k(A, np.int64(2))
eval.pass_at_k(A, 2.0)  # wrong
eval.pass_at_k_ci(A, k=np.array([1, 2])[1])
sinf.compare(A, B, "mean", questions="sampled", spending="pocock")
sinf.compare(A, B, questions="fixed", spending="pococ")  # wrong
sinf.compare_all(NAMED, questions="fixed", correction="bonferroni")  # wrong
sinf.gate(A, np.array(B), margin=0.1, questions="fixed")
sinf.gate_suite({"x": A}, {"x": B}, margin=0.1, questions="fixed", rule="all")  # wrong
eval.judged(A, A, questions="outputs")
converge.bootstrap_convergence([A, B], "avg", scheme="rows")
converge.bootstrap_convergence([A, B], scheme="diagonals")  # wrong

e = scorio.read("log.csv")
e.compare("a", "b", questions="fixed")
e.compare("a", "b", questions="fxed")  # wrong
e.rank("pass@k", k=2)
