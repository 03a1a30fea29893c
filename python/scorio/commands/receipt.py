"""``scorio receipt`` and ``Evaluation.receipt``: results with the counts that they follow from."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import arguments, saving
from ..analysis.measure import checked_ks, refuse_bounds, target_of
from ..analysis.pairs import aligned
from ..display.text import number, printable
from ..errors import InvalidInput, shown
from ..outcomes.counts import Counts
from ..readers.evaluation import EvaluationData
from ..readers.files import hashed_unchanged
from ..receipts import SCHEMA, computed
from ..results import Target
from ..version import __version__
from . import options
from .leaderboard import default_ks

LONG_ID = 40  # an id with more characters and a space is probably the text of a question


def receipt(
    e: EvaluationData, *, k: int | Iterable[int] | None = None, questions: Target | None = None,
    confidence: float = 0.95, command: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """State the results of an evaluation with the counts that they follow from: a receipt, to be written as JSON.

    Parameters
    ----------
    e : Evaluation
    k : int or iterable of int, optional
        Numbers of trials for Pass@k (Max@k of scores); the default is that of the leaderboard.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default: both, or "sampled" where no question has two trials.
    confidence : float in (0, 1); nominal coverage of the intervals
    command : str, optional; the command that made the receipt, for its reader

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
        "schema": SCHEMA, "version": __version__, "command": command,
        "files": hashed_unchanged(e.provenance.files, e.provenance.states),
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

    def columns(x: Counts) -> dict[str, Any]:  # with the ids and the clusters of their questions, if there are any
        named = {"counts": x.table.tolist(), "ids": x.ids, "clusters": x.clusters}
        return {name: list(y) for name, y in named.items() if y is not None}

    return {name: {m: columns(x) for m, x in models.items()} for name, models in aligned(on_scale).items()}


EXAMPLES = """examples:
  scorio evaluate runs.csv --receipt -o receipt.json
  scorio evaluate runs.csv --receipt --k 1,4 --questions sampled -o receipt.json
  scorio evaluate --verify receipt.json runs.csv

"""
MEANING = """A receipt is JSON: the counts of every model and question, and the results that
follow from them: averages and Pass@k with their intervals, macro-averages, rank
ranges and all differences, with the function and the arguments of each. It has
no outputs of models; it has the ids of questions as the log does, the names of
its files and the command line. scorio evaluate --verify, and Scorio.verify in
Julia, compute all numbers again. Its size grows with the square of the number
of models.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add_target(parser, options.PASS_AT_K_HELP, runs=False)
    parser.add_argument("--output", "-o", metavar="JSON", help="file to write (default: stdout)")
    options.add_json(parser)


def run(args: Namespace, read: options.Read) -> options.CommandOutput:
    options.check_output(args)
    e = read(args)
    document = receipt(e, command=command(args), **options.chosen(args, "k", "questions", "confidence"))
    ids = [x for models in document["data"].values() for y in models.values() for x in y.get("ids", ()) if " " in x]
    longest = max(ids, key=len, default="")
    notes = [f"the receipt has texts of questions as their ids, such as {shown(longest)}"] * (len(longest) > LONG_ID)
    if args.output is None:
        return options.CommandOutput(_as_json(document), notes, data=True)
    write(document, args.output)
    if args.format == "json":
        return options.show_written_file(e, "receipt", args)._replace(notes=notes)
    omitted = f", {number(len(document['left_out']), 'result')} left out" if document["left_out"] else ""
    size = f"{number(len(document['results']), 'result')} of {number(len(e.models), 'model')}{omitted}"
    where = f"written to {printable(args.output)}: scorio evaluate --verify computes them again"
    return options.CommandOutput(f"{size}, {where}\n", notes)


def command(args: Namespace) -> str:
    """The command line of this run, quoted for a shell."""
    return shlex.join(["scorio", *args.argv])


def write(document: Mapping[str, Any], path: str | Path) -> str:
    """Write a receipt and return its SHA-256."""
    text = _as_json(document)
    saving.write(path, text)
    return sha256(text.encode()).hexdigest()


def _as_json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
