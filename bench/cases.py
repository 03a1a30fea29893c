"""Calls that bench/table.py times, many with a limit: the most time that the call should take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

BINARY_K = (
    "pass_at_k", "pass_hat_k", "unanimous_at_k", "g_pass_at_k", "mg_pass_at_k", "maj_at_k", "auc_at_k",
    "geom_at_k", "geom_ds_at_k", "geo_spectrum_star_at_k",
)  # fmt: skip
W5 = [0.0, 0.25, 0.5, 0.75, 1.0]


class Case(NamedTuple):
    """A call and its limit, the most time that it should take ("": no limit).

    A limit is a multiple of the time of reading R ("1.3"), a time ("25 us"), or the time of reading R plus a time
    ("+0.3 s").
    """

    title: str
    R: Any  # questions, trials, highest category, dtype, order of memory (recipe.py)
    do: str  # the function to call
    args: list[Any] = []  # noqa: RUF012 - never changed
    kw: dict[str, Any] = {}  # noqa: RUF012
    limit: str = ""
    loops: int = 1  # calls in a row that are timed together, at most
    public: bool = True  # whether the public package has this call

    def request(self, **more: Any) -> str:
        """Line of JSON that asks a worker (worker.py, worker.jl) to time this call."""
        return json.dumps({"R": self.R, "do": self.do, "args": self.args, "kw": self.kw, "loops": self.loops, **more})


def cases_with_k(k: int, R: list[Any], ending: str, **more: Any) -> Iterator[Case]:
    """Cases of every metric of binary outcomes that takes k."""
    w = [1 / k] * k
    for name in BINARY_K:
        if k > 1 or name not in ("auc_at_k", "geo_spectrum_star_at_k"):
            yield Case(f"{name}{ending}, k = {k}", R, name + ending, [k], **more)
    yield Case(f"g_pass_at_k_tau{ending}, k = {k}", R, f"g_pass_at_k_tau{ending}", [k, 0.5], **more)
    yield Case(f"threshold_spectrum_at_k{ending}, k = {k}", R, f"threshold_spectrum_at_k{ending}", [k, w], **more)
    yield Case(f"geo_spectrum_at_k{ending}, k = {k}", R, f"geo_spectrum_at_k{ending}", [k], {"weights": w}, **more)


def cases(scale: int) -> Iterator[Case]:
    """All rows of the table, grouped by matrix; scale divides the questions of large matrices and the replicates."""
    million, hundred_thousand, fixed = 1_000_000 // scale, 100_000 // scale, {"questions": "fixed"}
    R = [million, 64, 1, "int8", "C"]
    for name in ("bayes", "bayes_ci", "avg", "avg_ci"):
        yield Case(name, R, name, limit="1.3")
    yield Case("mean_ci", R, "mean_ci", kw=fixed, limit="1.3", public=False)
    for ending in ("", "_ci"):
        yield from cases_with_k(8, R, ending, limit="1.3")
    yield Case("all metrics of eval, k = 8", R, "everything", [8], limit="5", public=False)
    for dtype in ("uint8", "bool", "int64"):
        yield Case("bayes", [million, 64, 1, dtype, "C"], "bayes", limit="1.3")
    for name, args in (("bayes", []), ("pass_at_k_ci", [8])):
        yield Case(name, [million, 64, 1, "int8", "F"], name, args, limit="2")
    five = [million, 64, 4, "int8", "C"]
    yield Case("bayes, 5 categories", five, "bayes", [W5], limit="3")
    yield Case("max_at_k, 5 categories, k = 8", five, "max_at_k", [8, W5])
    yield Case("max_at_k_ci, 5 categories, k = 8", five, "max_at_k_ci", [8, W5], limit="6")
    yield Case("bayes, 5 categories", [million, 64, 4, "int8", "F"], "bayes", [W5], limit="4.5")
    ten = [10 * million, 64, 1, "int8", "C"]
    yield Case("bayes", ten, "bayes", limit="1.3")
    yield Case("all metrics of eval, k = 8", ten, "everything", [8], limit="1.6", public=False)
    tall = [hundred_thousand, 1024, 1, "int8", "C"]
    yield from cases_with_k(1, tall, "_ci")
    for k, most, spectra in ((8, "", ""), (64, "+0.06 s", "+0.6 s"), (512, "+0.3 s", "+25 s")):
        yield from cases_with_k(k, tall, "")
        for case in cases_with_k(k, tall, "_ci", limit=most):
            long = case.do in ("auc_at_k_ci", "threshold_spectrum_at_k_ci", "geo_spectrum_at_k_ci")
            yield case._replace(limit=spectra) if long else case
    for M, limit in ((30, "25 us"), (1000, "")):
        small = [M, 80, 1, "int8", "C"]
        more: dict[str, Any] = {"limit": limit, "loops": 200}
        for name in ("bayes", "avg"):
            yield Case(name, small, name, **more)
        yield Case("mean_ci", small, "mean_ci", kw=fixed, public=False, **more)
        for ending in ("", "_ci"):
            yield from cases_with_k(8, small, ending, **more)
    models, replicates = [600, 80, 1, "int8", "C"], 100_000 // scale
    for metric, k in (("bayes", None), ("pass_at_k", 8)):
        for scheme in ("columns", "rows"):
            kw = {"k": k, "scheme": scheme, "replicates": replicates, "progress": False}
            yield Case(f"bootstrap of {metric} by {scheme}", models, "bootstrap", [metric], kw, public=False)
