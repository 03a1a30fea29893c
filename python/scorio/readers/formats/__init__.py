"""The logs of each tool, recognised by their content and read as records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import InvalidInput, shown
from ..table import OUTCOME_NAMES, columns_hint, described
from ..text_files import UnknownFormat
from . import agents, code, harnesses, inspect_ai, leaderboards, services
from .fields import has

FORMATS = (
    harnesses.LM_EVAL,
    *inspect_ai.FORMATS,
    *code.CODE,
    *agents.TAU,
    *agents.TERMINAL,
    *harnesses.TRAINING,
    leaderboards.OPENCOMPASS,
    *services.PROMPTFOO,
    *services.OPENAI_EVALS,
    *services.JUDGED,
    *agents.SWE_BENCH,
    leaderboards.MMLU_PRO,
    harnesses.NEMO_SKILLS,
    *harnesses.VERIFIERS,
    leaderboards.HELM,
    leaderboards.BFCL,
    leaderboards.EVERY_EVAL_EVER,
    *code.REPORTS,
    *services.RAGAS,
)
# a table and an array are no tool's logs, and lighteval's Parquet files are recognised by their columns
NAMES = ("table", "array", "lighteval", *dict.fromkeys(format.name for format in FORMATS))

FORMATS_OF_KIND = {kind: [format for format in FORMATS if format.kind == kind] for kind in {x.kind for x in FORMATS}}

Matches = Callable[[Any], bool]

# Files that tools write beside their logs, and that are not read as logs (some are looked up while a log is read):
# description, kind, a function that recognises them.
COMPANIONS: tuple[tuple[str, str, Matches], ...] = (
    ("the results of lm-evaluation-harness", "json",
     lambda x: has(x, "results", "versions") and type(x["results"]) is dict),
    ("the description of a terminal-bench run", "json", lambda x: has(x, "run_id", "dataset_name")),
    ("one trial of a terminal-bench run", "json", lambda x: has(x, "trial_name", "task_id", "is_resolved")),
    ("the results of a harbor job", "json", lambda x: has(x, "stats", "n_total_trials")),
    ("the description of tau2-bench simulations", "json", lambda x: has(x, "info", "tasks") and "simulations" not in x),
    ("the list of an inspect_ai eval set", "json", lambda x: has(x, "eval_set_id", "tasks")),
    ("the predictions of opencompass", "json", lambda x: has(x, "0") and has(x["0"], "origin_prompt", "prediction")),
    ("answers before their tests", "lines",
     lambda x: has(x, "task_id") and ("completion" in x or "solution" in x) and "passed" not in x),
    ("answers of BFCL before their tests", "lines",
     lambda x: has(x, "id", "result") and (type(x["result"]) is list or "latency" in x)),
    ("answers of LiveCodeBench before their tests", "json", lambda x: _first_has(x, "question_id", "code_list")),
    ("averages of BFCL", "csv", lambda x: x[:1] == ["Rank"] and "Model" in x and len(x) > 2),
    ("averages of LiveCodeBench", "json", lambda x: _first_has(x, "pass@1", "detail")),
)  # fmt: skip

# Files of outcomes that cannot be read: description and the file to use instead, kind, a function that recognises them.
UNSUPPORTED: tuple[tuple[str, str, Matches], ...] = (
    ("promptfoo's CSV, whose columns repeat: export JSON (-o results.json)", "csv",
     lambda x: {"Status", "Score", "Grader Reason"} <= set(x)),
    ("a SWE-bench submission, which names only the resolved instances: give the report <model>.<run_id>.json", "json",
     lambda x: has(x, "no_generation", "no_logs", "resolved")),
    ("a summary of SWE-bench, which holds counts only: give the report that lists resolved_ids and submitted_ids",
     "json", lambda x: has(x, "total_instances", "resolved_instances")),
    ("annotations of alpaca_eval, each the battle of two models: scorio battles FILE", "json",
     lambda x: _first_has(x, "generator_1", "generator_2", "preference")),
    ("the report of simple-evals, which holds averages only: give its examples as a table", "json",
     lambda x: has(x, "metrics", "score") and "example_level_metadata" not in str(x)[:10000]),
)  # fmt: skip
ANSWERED = "answers "  # so begin the COMPANIONS that are answers without results


def _first_has(x: Any, *names: str) -> bool:
    return type(x) is list and bool(x) and has(x[0], *names)


def recognised(x: Any, kind: str, requested: str | None) -> Any:
    """The format of a file, from x: its document, its first object or its header, by its kind (see Format).

    The result is its description for a companion of logs, and None for a header that no tool writes.
    """
    known = FORMATS_OF_KIND.get(kind, [])
    formats = [format for format in known if format.matches(x)]
    if not formats:
        for what, file_kind, matches in UNSUPPORTED:
            if file_kind == kind and matches(x):
                raise UnknownFormat("format", "path", f"this is {what}")
        for what, file_kind, matches in COMPANIONS:
            if file_kind == kind and matches(x):
                return what
    if requested is not None:
        if requested not in (format.name for format in known):
            raise UnknownFormat("format", "path", f"files of format {shown(requested)} do not have this ending")
        formats = [format for format in formats if format.name == requested]
        if not formats:
            raise unknown_format(x, [requested], kind)
    if len(formats) > 1:
        what = f"the file may be {' or '.join(dict.fromkeys(format.name for format in formats))}"
        raise InvalidInput("format", "path", what, "format")
    if not formats and kind == "csv":
        return None
    if not formats:
        raise unknown_format(x, list(dict.fromkeys(format.name for format in known)), kind)
    return formats[0]


def unknown_format(x: Any, names: list[str], kind: str) -> InvalidInput:
    """The error of a file that is of none of the named formats."""
    if type(x) is dict:
        what = f"an object: {described(x, 'key')}"
    elif type(x) is list:
        what = f"a list of {len(x)}" if x else "an empty list"
    else:
        what = f"of the type {type(x).__name__}"
    hint = columns_hint(list(x)) if kind == "lines" and type(x) is dict else None
    error = UnknownFormat("format", "path", f"not a log of a known format: it is {what}", hint)
    if kind == "json":  # whether the first record has a column that usually holds outcomes or answers
        lists = [x] if type(x) is list else list(x.values()) if type(x) is dict else []
        x = next((y[0] for y in lists if type(y) is list and y), None)
    error.may_hold_outcomes = type(x) is dict and bool({str(name).lower() for name in x} & OUTCOME_NAMES)
    return error
