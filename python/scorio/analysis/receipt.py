"""Receipts of an evaluation: its results with the counts that they follow from, and whether a receipt is correct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import arguments
from ..errors import InvalidInput
from ..io.evaluation import EvaluationData
from ..io.listing import hashed, hashed_unchanged
from ..outcomes.counts import Counts
from ..receipts import SCHEMA, Difference, computed, read_receipt, verify
from ..results import Target
from ..version import __version__
from .leaderboard import default_ks
from .measure import checked_ks
from .pairs import aligned
from .result import Result, about_file, refuse_bounds, target_of


@dataclass(frozen=True, kw_only=True)
class Verified(Result):
    """Result of verifying a receipt: whether its numbers follow from its counts, and whether a log has these counts.

    Attributes
    ----------
    table : tuple of Difference
        The values that differ.
    results, values : int
        Numbers of results and of values that were computed again.
    metrics, targets : tuple of str
        Metrics and targets of the results.
    confidences : tuple of float
        Nominal coverage of the intervals of the results.
    log : bool or None
        Whether the counts, clusters and scores are those of the log; None: no log was given.
    log_difference : str or None
        The first difference between the counts, clusters or scores of the receipt and those of the log.
    files : bool or None
        Whether the files of the log have the names, sizes and hashes that the receipt states; None: no log was given.
    """

    schema: ClassVar[str] = "scorio.verify/2"
    table: tuple[Difference, ...]
    results: int
    values: int
    metrics: tuple[str, ...]
    targets: tuple[str, ...]
    confidences: tuple[float, ...]
    log: bool | None
    log_difference: str | None
    files: bool | None

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        """Exit code of the command: 1 if any value differs, or the log has other counts, clusters or scores; else 0."""
        return int(bool(self.table) or self.log is False)


def receipt(
    e: EvaluationData,
    *,
    k: int | Iterable[int] | None = None,
    questions: Target | None = None,
    confidence: float = 0.95,
    command: str | None = None,
) -> dict[str, Any]:
    """State the results of an evaluation with the counts that they follow from: a receipt, to be written as JSON.

    Parameters
    ----------
    e : Evaluation
    k : int or iterable of int, optional
        Numbers of trials for Pass@k (Max@k of scores); the default is that of the leaderboard.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default: both, or "sampled" where no question has two trials.
    confidence : float in (0, 1)
        Nominal coverage of the intervals.
    command : str, optional
        The command that made the receipt, for its reader.

    Returns
    -------
    dict
        schema, version (of scorio), command, files (name, size and SHA-256 of each file that was read), missing (how
        missing outcomes were treated), left_out, data (counts, ids and clusters of the questions, by benchmark and
        model) and results (function, args, result). The results are the ``interval`` of every model in every
        benchmark, and the ``suite`` of all models over benchmarks on one scale: macro-averages, rank ranges and
        differences; a single model in a single benchmark has no suite. left_out lists results that cannot be computed,
        and why. :func:`scorio.verify` computes all results again, and Scorio.verify in Julia does so too.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: scores whose scale was not stated, or a file that has changed since it was
        read; empty: no result can be computed.

    Examples
    --------
    >>> import scorio
    >>> r = scorio.read("spec/examples/coins.csv").receipt(questions="fixed")
    >>> len(r["results"]), r["results"][0]["args"]["R"], r["results"][0]["result"]["mu"]
    (15, {'data': ['', 'large']}, 0.74375)
    """
    refuse_bounds(e)
    confidence = arguments.confidence(confidence)
    for part in e.benchmarks.values():
        if part.seen and part.w is not None:
            lowest, highest = part.scale
            raise InvalidInput(
                "conflict", "scale", "a receipt states the ends of the scale, which the log does not",
                f"scale:{lowest:g},{highest:g}",
            )  # fmt: skip
    e, ks = e.on_one_scale() if e.comparable else e, checked_ks(k)
    data = data_of(e)
    results, left_out = list[dict[str, Any]](), list[dict[str, Any]]()
    one_target = questions is not None or target_of(e, None) == "sampled"
    for target in [questions] if one_target else ["fixed", "sampled"]:
        options = {"questions": target_of(e, target), "confidence": confidence}
        for at_k in [None, *(default_ks(e) if ks is None else ks)]:
            for call in _calls(e, at_k, options):
                try:
                    results.append(call | {"result": computed(call, data)})
                except InvalidInput as error:  # computed() begins its reasons with the place of the error, "result: "
                    left_out.append(call | {"reason": error.reason.removeprefix("result: ")})
    if not results:  # such a receipt would be refused by those who verify it
        raise InvalidInput("empty", "logs", f"no result can be computed: {left_out[0]['reason']}")
    return {
        "schema": SCHEMA, "version": __version__, "command": command, "files": hashed_unchanged(e.provenance),
        "missing": e.provenance.missing, "left_out": left_out, "data": data, "results": results,
    }  # fmt: skip


def _calls(e: EvaluationData, k: int | None, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Calls whose results a receipt states: intervals in each benchmark, and the suite over benchmarks on one scale."""
    for name, part in e.benchmarks.items():
        metric: dict[str, Any] = {} if k is None else {"metric": "max@k" if part.w else "pass@k", "k": k}
        args = {**metric, **({"w": list(part.w)} if part.w else {}), **options}
        for model in part.logs:
            yield {"function": "interval", "args": {"R": {"data": [name, model]}, **args}}
    if e.comparable and (len(e.benchmarks) > 1 or len(e.models) > 1):
        yield {"function": "suite", "args": {"benchmarks": {"data": []}, **args}}


def data_of(e: EvaluationData) -> dict[str, dict[str, Any]]:
    """Counts of every model in every benchmark, all models of a benchmark on the same questions."""
    on_scale = e.on_one_scale() if e.comparable else e
    return {name: {m: _table(x) for m, x in models.items()} for name, models in aligned(on_scale).items()}


def _table(counts: Counts) -> dict[str, Any]:
    """Counts as a receipt has them, with the ids and the clusters of their questions, if there are any."""
    columns = {"counts": counts.table.tolist(), "ids": counts.ids, "clusters": counts.clusters}
    return {name: list(x) for name, x in columns.items() if x is not None}


def verify_receipt(path: str, e: EvaluationData | None = None) -> Verified:
    """Compute the results of a receipt again; with an evaluation, compare its data with the receipt's."""
    document = read_receipt(path)
    check = verify(document)
    args = [y["args"] for y in document["results"]]
    difference = None if e is None else _first_difference(e, document)
    return Verified(
        about=about_file(path, list(dict.fromkeys(m for models in document["data"].values() for m in models))),
        table=tuple(check.differences), results=check.results, values=check.values,
        metrics=tuple(dict.fromkeys(_metric(y) for y in args)),
        targets=tuple(dict.fromkeys(str(y["questions"]) for y in args)),
        confidences=tuple(dict.fromkeys(float(y.get("confidence", 0.95)) for y in args)),
        log=None if e is None else difference is None, log_difference=difference,
        files=None if e is None else hashed(e.provenance.files) == document.get("files"),
    )  # fmt: skip


def _metric(args: Mapping[str, Any]) -> str:
    name = str(args.get("metric", "mean"))
    return name.replace("@k", f"@{args['k']}") if "k" in args else name


def _first_difference(e: EvaluationData, document: Mapping[str, Any]) -> str | None:
    """First difference between the counts, clusters or scores of a log and a receipt; questions are paired by id."""
    log = e.on_one_scale() if e.comparable else e
    for x in document["results"]:
        args = x["args"]
        names = args["R"]["data"][:1] if x["function"] == "interval" else list(log.benchmarks)  # a suite is of all
        for w in (log.benchmarks[name].w for name in names if name in log.benchmarks):
            if (args.get("w") or [0.0, 1.0]) != list(w or (0.0, 1.0)):
                return f"scores {args.get('w', [0, 1])} in the receipt, {list(w or (0, 1))} in the log"
    receipt_counts, log_counts = (
        {b: {m: _by_question(x) for m, x in models.items()} for b, models in data.items()}
        for data in (document["data"], data_of(e))
    )
    return _difference_at(receipt_counts, log_counts, ("benchmark", "model", "question"))


def _by_question(x: Mapping[str, Any]) -> dict[str, Any]:
    """Counts and cluster of each question, by id or else by row."""
    ids = x.get("ids") or [f"row {i}" for i in range(len(x["counts"]))]
    clusters = x.get("clusters") or [None] * len(ids)
    return {str(name): [row, cluster] for name, row, cluster in zip(ids, x["counts"], clusters, strict=True)}


def _difference_at(in_receipt: Any, in_log: Any, levels: Sequence[str]) -> str | None:
    """First place where two nested mappings differ, in words; the order of names does not matter.

    The innermost values are the counts and the cluster of a question. levels: what the names of each level stand for,
    the outermost first.
    """
    if not levels:
        if in_receipt[0] != in_log[0]:
            return f"counts {in_receipt[0]} in the receipt, {in_log[0]} in the log"
        return None if in_receipt == in_log else "the clusters differ"
    for name in dict.fromkeys([*in_receipt, *in_log]):
        place = f"{levels[0]} {name!r}"
        if name not in in_receipt or name not in in_log:
            return f"{place} is only in the {'receipt' if name in in_receipt else 'log'}"
        if inner := _difference_at(in_receipt[name], in_log[name], levels[1:]):
            return f"{place}: {inner}" if name else inner
    return None
