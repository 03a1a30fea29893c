"""``scorio convert``, ``Evaluation.convert`` and ``every_eval_ever``: an evaluation as tables or documents."""

from __future__ import annotations

import json
import re
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

from .. import arguments, saving
from ..analysis.measure import Request, checked_ks, refuse_bounds, target_of, value
from ..display.text import number, printable
from ..errors import InvalidInput
from ..page import csv
from ..page.document import Document, Paragraph
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.logs import Log
from ..results import MetricInterval, Target
from ..version import __version__
from . import notes, options, receipt
from .base import OPTIONAL, Result, about_of, plain
from .notes import heading

EVERY_EVAL_EVER = "every_eval_ever"
RECEIPT = "scorio.receipt.json"
LONGEST_STEM = 200  # bytes of the name of a file without its ending


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial and its outcome: a category, a score, or None where it is missing."""

    model: str
    task: str = field(metadata={OPTIONAL: True})
    question: str
    trial: int
    outcome: float | None
    cluster: str | None = field(metadata={OPTIONAL: True})


@dataclass(frozen=True, slots=True)
class Count:
    """Counts of a question: c successes in n trials."""

    model: str
    task: str = field(metadata={OPTIONAL: True})
    question: str
    c: int
    n: int
    cluster: str | None = field(metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class OutcomeTable(Result):
    """Table of outcomes or of counts.

    Attributes
    ----------
    table : tuple of Outcome, or of Count
    columns : tuple of str
        Columns of the file, which include task where there are several, and cluster where all models have clusters.
    unclustered : bool, whether clusters are left out, since only some models have them
    """

    schema: ClassVar[str] = "scorio.convert/2"
    table: tuple[Outcome, ...] | tuple[Count, ...]
    columns: tuple[str, ...]
    unclustered: bool

    def records(self) -> list[dict[str, Any]]:
        """The rows as mappings of the columns."""
        return [dict(zip(self.columns, map(plain, row), strict=True)) for row in self._cells()]

    def to_csv(self, *, keep_formulas: bool = False) -> str:
        """The rows as CSV that commands read as a log: text is quoted only where that is necessary."""
        return csv.plain(self.columns, self._cells(), keep_formulas)

    def _cells(self) -> Iterator[tuple[Any, ...]]:
        return map(attrgetter(*self.columns), self.table)

    def document(self) -> Document:
        rows = number(len(self.table), "row")
        doubts = notes.gaps(self.about, "written as empty cells" if "outcome" in self.columns else "left out")
        if self.unclustered:
            doubts.append("The column cluster is not written: some models have no clusters.")
        blocks = [Paragraph(f"{rows} with the columns {', '.join(self.columns)}; to_csv() gives the rows.")]
        return Document(heading(self.about, rows), blocks, (), doubts)


def convert(e: EvaluationData, form: str | None = None) -> OutcomeTable:
    """Make a table of the outcomes, or of the counts, of an evaluation.

    Parameters
    ----------
    e : Evaluation, read with ``trials=True`` for "long"
    form : {"long", "counts"}, optional
        A row for each trial, or for each question. Default: "long" where all trials are known, else "counts".

    Returns
    -------
    OutcomeTable

    Raises
    ------
    InvalidInput
        choice: an unknown form; conflict: "long", but single trials are unknown; or "counts", but outcomes are not
        binary.
    """
    parts = list(e.benchmarks.values())
    logs = [log for part in parts for log in part.logs.values()]
    has_trials = all(log.outcomes is not None for log in logs)
    form = ("long" if has_trials else "counts") if form is None else arguments.choice(form, "form", ("long", "counts"))
    if form == "long" and not has_trials:
        reason = "the outcomes of single trials are unknown, or their numbers too unequal"
        raise InvalidInput("conflict", "form", reason, "counts")
    if form == "counts" and any(
        log.counts.C > 1 or (part.levels and part.w) for part in parts for log in part.logs.values()
    ):
        raise InvalidInput("conflict", "form", "c and n count the outcomes 0 and 1", "long")
    clustered = [log.clusters is not None for log in logs]
    value_columns = ["trial", "outcome"] if form == "long" else ["c", "n"]
    columns = ["model", *["task"] * (len(parts) > 1), "question", *value_columns, *["cluster"] * all(clustered)]
    table = tuple(row for part in parts for row in _rows(part, form))
    partly_clustered = any(clustered) and not all(clustered)
    return OutcomeTable(about=about_of(e), table=table, columns=tuple(columns), unclustered=partly_clustered)  # type: ignore[arg-type]


def _rows(part: Benchmark, form: str) -> Iterator[Outcome | Count]:
    """Yield a row for each trial, with its outcome ("long"), or for each question, with its counts."""
    score = part.w if part.levels else None
    for model, log in part.logs.items():
        clusters: Sequence[str | None] = log.clusters or [None] * len(log.ids)
        successes, trials = log.counts.table[:, 1:].sum(axis=1).tolist(), log.counts.trials.tolist()
        rows = successes if log.outcomes is None or form != "long" else log.outcomes.tolist()
        for question, cluster, x, n in zip(log.ids, clusters, rows, trials, strict=True):
            if form != "long":
                yield Count(model, part.name, question, x, n, cluster)
                continue
            for trial, y in enumerate(x, 1):
                yield Outcome(model, part.name, question, trial, None if y < 0 else score[y] if score else y, cluster)


SCHEMA = "0.2.2"  # version of the schema of every_eval_ever
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
METHODS = {  # how the variance was obtained, in words; other values of variance_source are written as they are
    "measured": "measured from the trials",
    "modelled": "modelled by a mixture of success rates fitted to all questions with as many trials",
    "upper bound": "replaced by an upper bound",
}


def every_eval_ever(
    e: EvaluationData, *, organization: str, relationship: str = "third_party", k: int | Iterable[int] | None = None,
    questions: Target | None = None, confidence: float = 0.95, timestamp: str | None = None, receipt: str | None = None,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Make documents of the schema of every_eval_ever (aggregate, version 0.2.2), one for each model.

    Parameters
    ----------
    e : Evaluation, each benchmark gives a result for the average, and one for Pass@k (Max@k of scores) of each k
    organization : str, organization that provides the results
    relationship : {"first_party", "third_party", "collaborative", "other"}; relationship of the evaluator to the model
    k, questions, confidence
        As for :func:`scorio.commands.leaderboard.leaderboard`, but without k there is only the average.
    timestamp : str, optional; time at which the documents were made, in seconds since 1970; default: now
    receipt : str, optional; the SHA-256 of the receipt that the results are from; each result states it

    Returns
    -------
    dict of str to dict
        The document of each model, to be written as JSON. ``score_details.uncertainty`` holds the standard error, the
        confidence interval and how each was obtained.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: a model has no trial.

    Examples
    --------
    >>> from scorio.evaluation import read
    >>> documents = read("spec/examples/coins.csv").every_eval_ever(organization="us", timestamp="0")
    >>> (result,) = documents["large"]["evaluation_results"]
    >>> result["score_details"]["score"], round(result["score_details"]["uncertainty"]["standard_error"]["value"], 3)
    (0.74375, 0.022)
    """
    refuse_bounds(e)
    if not isinstance(organization, str) or not organization:
        raise InvalidInput("type", "organization", f"organization is {organization!r}, not a name")
    arguments.choice(relationship, "relationship", RELATIONSHIPS)
    target, now = target_of(e, questions), f"{time.time():.0f}" if timestamp is None else timestamp
    requests = [Request("mean", None, None, target, confidence)]
    requests += [Request("pass@k", x, None, target, confidence) for x in checked_ks(k) or ()]
    results: dict[str, list[dict[str, Any]]] = {}
    for part in e.benchmarks.values():
        for model, log in part.logs.items():
            results.setdefault(model, []).extend(
                _result(part, log, x, value(part, model, x), confidence, receipt) for x in requests
            )
    return {
        model: {
            "schema_version": SCHEMA,
            "evaluation_id": f"{x[0]['evaluation_name']}/{model}/{now}",
            "retrieved_timestamp": now,
            "source_metadata": {"source_type": "evaluation_run", "source_organization_name": organization,
                                "evaluator_relationship": relationship},
            "eval_library": {"name": "scorio", "version": __version__},
            "model_info": {"name": model, "id": model},
            "evaluation_results": x,
        } for model, x in results.items()
    }  # fmt: skip


def _result(
    part: Benchmark, log: Log, request: Request, interval: MetricInterval, confidence: float, receipt: str | None
) -> dict[str, Any]:
    k, metric, task = request.k, "max" if part.w else "pass", part.name or "benchmark"
    low, high = part.scale
    target = "this question set" if interval.questions == "fixed" else "the population of similar questions"
    method = f"variance {METHODS.get(interval.variance_source, interval.variance_source)}; for {target}"
    with_k: Mapping[str, Any] = {} if k is None else {"metric_parameters": {"k": k}}
    return {
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": {
            "metric_id": "mean" if k is None else f"{metric}_at_k",
            "metric_name": part.metric if k is None else f"{metric.capitalize()}@{k}", **with_k,
            "lower_is_better": False, "score_type": "continuous", "min_score": low, "max_score": high,
        },
        "score_details": {
            "score": interval.mu,
            "details": {"questions": str(log.counts.M), "trials": str(int(log.counts.trials.sum())),
                        "missing": str(log.missing), **({"receipt_sha256": receipt} if receipt else {})},
            "uncertainty": {
                "standard_error": {"value": interval.sigma, "method": method},
                "confidence_interval": {"lower": interval.lo, "upper": interval.hi, "confidence_level": confidence,
                                        "method": f"scorio interval, {method}"},
                "num_samples": int(log.counts.trials.sum()),
            },
        },
    }  # fmt: skip


EXAMPLES = """examples:
  scorio convert results.json > runs.csv
  scorio convert results.json --to counts --output counts.csv
  scorio convert runs/ --to every_eval_ever --organization us -o documents

"""
MEANING = """long    model, question, trial, outcome (empty where it is missing)
counts  model, question, c, n (c successes in n trials)
every_eval_ever  a JSON document in the schema of Every Eval Ever for each
        model, in the folder --output: averages with their standard errors and
        intervals, and a receipt, which scorio evaluate --verify computes again
long and counts have the column task too where the log has several, and
cluster where it names clusters of questions. Commands read long and counts as a
LOG; converge, judge and the plots tau_curve and convergence need long.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    parser.set_defaults(missing=None)  # the default depends on --to
    parser.add_argument("--to", choices=("long", "counts", EVERY_EVAL_EVER),
        help="form of the CSV (default long, or counts where single trials are unknown), or JSON "
        "documents")  # fmt: skip
    parser.add_argument("--output", "-o", metavar="CSV",
        help="file to write (default: stdout); for every_eval_ever a folder")  # fmt: skip
    options.add_keep_formulas(parser)
    options.add_json(parser)
    parser.add_argument("--organization", metavar="NAME", help="who provides the results (every_eval_ever)")


def run(args: Namespace, read: options.Read) -> options.CommandOutput:
    options.check_output(args)
    # with "drop", missing outcomes are empty cells in a table of trials, and documents state their number; a table of
    # counts would hide them
    is_default = args.missing is None
    if is_default:
        args.missing = "raise" if args.to == "counts" else "drop"
    if args.to == EVERY_EVAL_EVER:
        return _every_eval_ever(args, read)
    result = convert(read(args, trials=True), args.to)
    if is_default and "n" in result.columns and result.about.gaps.absent:
        missing = number(result.about.gaps.absent, "missing outcome")
        raise InvalidInput("missing", "missing", f"a table of counts would hide {missing}", "drop")
    return options.show_table(result, args)


def _file_names(models: Iterable[str]) -> Iterator[str]:
    """Yield a name for the file of each model: short, visible, unlike the others and the receipt, in lower case too."""
    used = {RECEIPT.lower()}  # some file systems do not distinguish a.json and A.json
    for model in models:
        stem = re.sub(r"[^\w.-]+", "__", model).encode()[:LONGEST_STEM].decode(errors="ignore")
        stem = re.sub(r"^(?=[.-])", "_", stem)
        while f"{stem}.json".lower() in used:
            stem += "_"
        used.add(f"{stem}.json".lower())
        yield f"{stem}.json"


def _every_eval_ever(args: Namespace, read: options.Read) -> options.CommandOutput:
    for name in ("organization", "output"):
        if not getattr(args, name):
            raise InvalidInput("missing", name, f"--to {EVERY_EVAL_EVER} needs --{name}")
    e, folder, notes = read(args), Path(args.output), list[str]()
    folder.mkdir(parents=True, exist_ok=True)
    with saving.temporary_folder(folder) as temporary:  # all files are written, or none
        new = Path(temporary)
        try:
            digest: str | None = receipt.write(receipt.receipt(e, command=receipt.command(args)), new / RECEIPT)
        except InvalidInput as error:
            digest, notes = None, [f"no receipt is written: {error.on_command_line}"]
        documents = every_eval_ever(e, organization=args.organization, receipt=digest)
        for name, document in zip(_file_names(documents), documents.values(), strict=True):
            saving.write(new / name, json.dumps(document, indent=1) + "\n")
        for file in sorted(new.iterdir()):
            file.replace(folder / file.name)
        if digest is None:
            (folder / RECEIPT).unlink(missing_ok=True)  # that of an earlier run does not fit these documents
    return options.CommandOutput("", [f"{number(len(documents), 'model')} written to {printable(args.output)}", *notes])
