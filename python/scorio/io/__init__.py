"""Logs of evaluations in, :class:`scorio.Counts` of each model out. Nothing is guessed: ambiguity is an error.

Tables (CSV, TSV, JSONL) have the columns ``question`` and ``outcome``, or ``question``, ``c`` and ``n`` (successes and
trials); perhaps ``model`` (without it: the name of the file), ``cluster`` (a group of related questions) and ``trial``
(without it every row is one more trial, and a row that is repeated by mistake cannot be noticed). Ids are text or
integers, compared as text without the spaces around it. true and false are outcomes 1 and 0; empty, null, None, NA and
NaN are missing. All questions of a model have as many trials as each other, unless c and n state them or a policy says
what to do with the short ones.

Arrays (NPY, NPZ) are (L models, M questions, N trials) or (M, N); NaN is missing.

Frames (pandas, polars, Arrow, DuckDB, PySpark, Dask) and Parquet files have the same columns as tables, and may have
others; they are counted by their own engine, so that a log may be larger than memory: :func:`from_frame`.

Logs of tools are recognised by what is in them:

====================== ================================= ============ ===================== =========================
format                 file                              question     trial                 outcome
====================== ================================= ============ ===================== =========================
lm-evaluation-harness  <model>/samples_<task>_<date>     doc_id       a file each           a metric of a filter;
                       .jsonl                                                               averages: c of K
inspect_ai             .eval, .json                      id           epoch                 a scorer: C 1, P 0.5,
                                                                                            I and N 0, numbers
evalplus               eval_results.json                 task_id      position              base, or base and plus
human-eval             results.jsonl                     task_id      order of lines        passed
tau-bench              .json                             task_id      trial                 reward is 1
tau2-bench             results.json                      task_id      trial                 reward is 1
terminal-bench         results.json                      task_id      i of i-of-n           is_resolved; tests: share
verl                   <step>.jsonl                      input, gts   order of lines        acc, else score
opencompass            results/<model>/<dataset>.json    example or   position              correct
                                                         key
eval-arena             .jsonl                            example_id   none: correct, count
lighteval              details/<model>/<date>/           doc.id       a file each           a metric of metric;
                       details_<task>_<date>.parquet                                        avg@n, pass@1: c of n
====================== ================================= ============ ===================== =========================

A score that is NaN or null is missing; so is a sample of inspect_ai without its score, a simulation of tau2-bench
without a reward or that the infrastructure broke, and a trial of terminal-bench that is neither resolved nor not.

The model is the one that the file names; else, where a tool keeps a folder a model, that folder; else the file's name.
Two folders of one name are not one model, nor are two files of outcomes without ids of trials: that is an error. The
metric, the scorer or the outcome that is read is the same in all files of a tool.
Where there are several tasks (benchmarks, domains, data sets), questions are named task/question.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .. import arguments
from ..errors import InvalidInput
from . import arrays, backends, detect, folders, parquet
from .accumulator import Asked, Gather, asked
from .formats import NAMES
from .frames import from_frame
from .logs import Log, Logs, aligned, shared, trials_of
from .signals import read_signals
from .text_files import Place, path_of

__all__ = ["Log", "Logs", "aligned", "from_frame", "read", "read_signals", "shared", "trials_of"]


def read(
    path: str | os.PathLike[str] | Any,
    *,
    missing: str | int = "raise",
    missing_code: int | None = None,
    weights: Sequence[float] | str | None = None,
    trials: bool = False,
    which: str | None = None,
    format: str | None = None,
    runs: bool = False,
) -> Logs:
    r"""Read the outcomes of one or more models from a file, from a folder of them, or from a data frame.

    Parameters
    ----------
    path : path or data frame
        The file; its ending and its content say the format. Of a folder, every file below it in sorted order: a
        file that is no log is an error unless it is hidden, a note or a picture, a JSON document of another kind, or
        what a tool is known to write beside its logs; those are listed in ``skipped``. Parquet may also be a folder or
        a pattern (``runs/*.parquet``) of files with a column model, which folders such as ``model=a`` give too. A frame
        is read by :func:`from_frame`.
    missing : {"raise", "drop"} or int, default "raise"
        What to do with missing outcomes, and with questions of fewer trials than others of their model: refuse them;
        leave missing outcomes out of the trials; or count what is missing as this category, short questions filled
        up to the longest. c and n are taken as they stand.
    missing_code : int, optional
        An outcome, such as -1, that the file uses for "missing", also if it is a category.
    weights : sequence of C+1 floats, or "levels", optional
        Score of each category. Given, outcomes are 0..C, of which logs of tools have no more than 0 and 1; "levels":
        outcomes are scores themselves, such as 0.5 for partial credit, and each distinct one is a category, at most
        1024 (``missing`` as a number is then a score too); where all are within 0 and 1, so are these. Otherwise
        outcomes are 0 and 1.
    trials : bool, default False
        Keep the trials in their order too, which convergence needs.
    which : str, optional
        Which outcome, where a log has several: the metric of lm-evaluation-harness ("exact_match", "strict-match"
        or "exact_match,strict-match"), the scorer of inspect_ai ("match", or "scorer/part"), "base" or "plus" of
        evalplus, "tests" of terminal-bench for the share of tests passed, "score" of verl, the metric of lighteval
        ("avg@n:n=16"). Never chosen silently:
        the error lists them.
    format : str, optional
        The name of the format, where it is not to be recognised.
    runs : bool, default False
        The files of a folder are runs of one model, named by the folder: each is one more trial, or has further
        ones. Without it, only files of tools that state no trial are, where folder, model and task are the same.

    Returns
    -------
    Logs
        A dict of model to :class:`Log`, in the order of the log, with the weights, the name of the format and what
        was skipped.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, shape, duplicate,
        conflict, choice; the message starts with the file and the line, or the place in it.
    OSError
        A file cannot be opened.
    ImportError
        Parquet needs narwhals and pyarrow: ``pip install narwhals pyarrow``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.csv")
    ...     _ = path.write_text("question,c,n\nq1,3,4\nq2,0,4\n")
    ...     io.read(path)["runs"]
    Log(Counts(2 questions, 4 trials, categories 0..1), questions='q1, q2')
    """
    if backends.is_frame(path):
        return from_frame(path, missing=missing, missing_code=missing_code, weights=weights, trials=trials)
    options = asked(weights, missing, missing_code, trials, which, format, runs)
    if format is not None:
        arguments.choice(format, "format", NAMES)
    place = Place(path_of(path))
    try:
        return _read(place, options)
    except InvalidInput as e:
        raise e.of(str(place)) from None
    except RecursionError:
        raise InvalidInput("format", "path", f"{place}: nested too deeply") from None


def _read(place: Place, options: Asked) -> Logs:
    if parquet.is_table(place.file):
        detect.plain("table", options)
        skipped = folders.beside(place.file, ".parquet") if place.file.is_dir() else []
        if options.runs:
            raise InvalidInput("conflict", "runs", "Parquet tables are one log: a column says which trial a row is")
        logs = parquet.logs(place, options)
        logs.skipped = skipped
        return logs
    if place.file.is_dir():
        return folders.read(place, options)
    if options.runs:
        raise InvalidInput("conflict", "runs", "runs are the files of a folder, and this is a file")
    if place.file.suffix.lower() in (".npy", ".npz") and options.format in (None, "array") and options.which is None:
        return arrays.logs(place.file, options)
    found = detect.source(place, options)
    if isinstance(found, str):
        raise InvalidInput("format", "path", f"this is {found}: it has no outcomes of questions")
    gather = Gather(place, options)
    gather.take(folders.Runs(place, False).records(found))
    return gather.logs(found.format)
