"""Read logs of evaluations into :class:`scorio.Counts` of each model. Ambiguous input is an error.

Tables (CSV, TSV, JSONL) have the columns ``question`` and ``outcome``, or ``question``, ``c`` and ``n`` (successes and
trials); optionally ``model`` (without it: the name of the file), ``task``, ``cluster`` (a group of related questions)
and ``trial`` (without it every row is one more trial, and a row repeated by mistake cannot be detected). Other columns
are not read, except costs (``cost``, ``tokens``, ``latency``); it is an error if rows of a question differ in one by
design, as in a temperature or a metric, unless ``runs_by`` names it. Ids are text or integers, compared as text without
surrounding spaces. true and false are outcomes 1 and 0, as are words such as pass and fail, beside which error and
skipped are missing; the option ``outcomes`` states others. Empty cells, null, None, NA, N/A, - and NaN are missing. All
questions of a model in a task have the same number of trials, unless n states the number or ``missing`` says how to
handle questions with fewer trials. If the columns have other names, the option ``columns`` states them.
Documents of JSON, XML and YAML have rows where the option ``rows`` says, such as ``"results[*]"``.

In a wide table (the option ``wide``) a row is a question and a column a model. In a table of either form, a row that is
called total, mean, overall or the like, and that is the sum or the mean of the others (or no outcome), is left out, and
``provenance.remarks`` says so; an outcome such as 3/4 counts successes of trials.

Arrays (NPY, NPZ) are (L models, M questions, N trials) or (M, N); NaN is missing.

Frames (pandas, polars, Arrow, DuckDB, PySpark, Dask) and Parquet files have the same columns as tables. Their rows are
counted as those of tables are; only the columns that are read are fetched, see :func:`from_frame`. Large CSV, TSV and
JSONL tables are parsed by Arrow, if it is installed, and row by row where they are irregular.

Logs of tools are recognised by their content:

====================== ================================= ============ ===================== =========================
format                 file                              question     trial                 outcome
====================== ================================= ============ ===================== =========================
lm-evaluation-harness, <model>/samples_<task>_<date>     doc_id, hash one for each file     a metric of a filter;
lmms-eval              .jsonl                                                               averages: c of K
inspect_ai             .eval, .json                      id           epoch                 a scorer: C 1, P 0.5,
                                                                                            I and N 0, numbers
evalplus               eval_results.json                 task_id      position              base, or base and plus
bigcodebench           eval_results.json                 task_id      position              status
cruxeval               scored generations .json          sample       position              scored
human-eval             results.jsonl                     task_id      order of lines        passed
tau-bench              .json                             task_id      trial                 reward is 1
tau2-bench             results.json, simulations/….json  task_id      trial                 reward is 1
terminal-bench         results.json, run_metadata.json   task_id      run, i of i-of-n      is_resolved; tests passed
harbor                 <trial>/result.json               task_name    trial_name            a reward
verl                   <step>.jsonl                      input, gts   order of lines        acc, else score
opencompass            results/<model>/<dataset>.json    example_abbr position              correct
                                                         or key
eval-arena             .jsonl                            example_id   none                  correct of count
lighteval              details/<model>/<date>/           doc.id       one for each file     a metric of metric;
                       details_<task>_<date>.parquet                                        avg@n, pass@1: c of n
promptfoo              results.json, .jsonl, exports     vars, assert id                    success, score, named
openai-evals           events .jsonl; output items       sample_id;   event_id; id          match; a metric; a grader
                                                         item's id
deepeval               test_run_<date>.json              input,       order of cases        a metric, metric/score
                                                         expected
mlflow                 the table of genai.evaluate       request      order of rows         <scorer>/value
swe-bench              <model>.<run>.json, report.json   instance     one for each run      resolved
livecodebench          <model>/…_eval_all.json           question_id  position              graded_list
mmlu-pro               <model>/<category>_result.json    question_id  none                  pred is answer
nemo-skills            eval-results/<task>/              id, problem  seed                  symbolic_correct,
                       output-rs<seed>.jsonl                                                judgement, is_correct
verifiers              results.jsonl, traces.jsonl       example_id,  order; episode        reward
                                                         task.key
helm                   per_instance_stats.json           instance_id  train_trial_index     a statistic
bfcl                   score/<model>/…_score.json        id           one for each file     valid
every_eval_ever        .jsonl of instances               sample_id    order of lines        is_correct, score
reflexion              .jsonl                            task_id      order of lines        is_solved
arc-agi                results.json                      key          one for each file     score
aider                  .aider.results.json               language,    run                   tests pass in the end;
                                                         testcase                           pass_rate_1
osworld                <model>/<domain>/<id>/result.txt  folder       one                   the number in it
pytest-json-report     .report.json                      nodeid       order of tests        passed; error, skipped:
                                                                                            missing
junit                  .xml                              classname,   order of test cases   no failure; error,
                                                         name, suite                        not run: missing
ragas                  scores as .csv, .jsonl, .json     user_input,  order of rows         a metric
                                                         reference
====================== ================================= ============ ===================== =========================

A score that is NaN or null is missing; so is a sample of inspect_ai without its score, a simulation of tau2-bench
without a reward or with an infrastructure error, a trial of terminal-bench whose is_resolved is null, one of
harbor without a reward, what ended in an error in promptfoo, deepeval, tau-bench, verifiers and aider, and an instance
of SWE-bench without a result. Questions that a log plans and does not contain (``sample_ids`` of inspect_ai,
``task_ids`` of terminal-bench, ``tests`` of JUnit, folders of SWE-bench without ``report.json``, of OSWorld without
``result.txt``) are missing.
If an evaluation of inspect_ai was retried, its last successful file counts, or else its last file.

The model is the one that the file names; else, where a tool has a folder for each model, that folder; else the file's
name. It is an error if two folders of the same name would be merged into one model, or if a model and task are in two
files and one of these states no ids of trials (``runs=True`` reads both as runs of one model). The metric, the scorer
or the outcome that is read is the same in all files of a task.

Where there are several tasks (benchmarks, domains, data sets), each is a benchmark with its own metric, scale and
number of trials. Evaluations add up: ``read(a) + read(b)``.
"""

from .evaluation import Evaluation, from_frame, read
from .readers.evaluation import Benchmark, Provenance
from .readers.listing import listed
from .readers.logs import Log
from .readers.other_tables import read_battles, read_signals

__all__ = [
    "Benchmark", "Evaluation", "Log", "Provenance", "from_frame", "listed", "read", "read_battles", "read_signals",
]  # fmt: skip
