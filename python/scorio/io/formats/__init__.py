"""The logs of each tool, recognised by what is in them and read as records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import InvalidInput
from ..text_files import listed, shown
from . import agents, code, inspect_ai, lm_eval, opencompass, training
from .fields import Format, Unknown, has, wrong

FORMATS = (
    lm_eval.FORMAT,
    *inspect_ai.FORMATS,
    *code.FORMATS,
    *agents.FORMATS,
    *training.FORMATS,
    opencompass.FORMAT,
)
NAMES = ("table", "array", "lighteval", *dict.fromkeys(format.name for format in FORMATS))

# What tools write beside their logs, without an outcome of its own: name, kind, how it is recognised.
COMPANIONS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    (
        "the results of lm-evaluation-harness",
        "json",
        lambda x: has(x, "results", "versions") and type(x["results"]) is dict,
    ),
    ("the description of a terminal-bench run", "json", lambda x: has(x, "run_id", "dataset_name")),
    ("one trial of a terminal-bench run", "json", lambda x: has(x, "trial_name", "task_id", "is_resolved")),
    ("the list of an inspect_ai eval set", "json", lambda x: has(x, "eval_set_id", "tasks")),
    ("answers before their tests", "lines", lambda x: has(x, "task_id") and _answers(x)),
)


def _answers(x: Any) -> bool:
    return ("completion" in x or "solution" in x) and "passed" not in x


def recognised(x: Any, kind: str, asked: str | None) -> Format | str:
    """The format of a document or of a first line; the name of what is none but stands beside some."""
    known = [format for format in FORMATS if format.kind == kind]
    found = [format for format in known if format.matches(x)]
    if not found and (beside := [name for name, of, matches in COMPANIONS if of == kind and matches(x)]):
        return beside[0]
    if asked is not None:
        found = [format for format in known if format.name == asked]
        if not found:
            raise wrong(f"format = {shown(asked)} has no files of this ending")
    if len(found) > 1:
        raise wrong(f"the file may be {' or '.join(format.name for format in found)}: say which (format)")
    if not found:
        raise unknown(x, [format.name for format in known])
    return found[0]


def unknown(x: Any, names: list[str]) -> InvalidInput:
    """The error of a file that no tool is known to write."""
    if type(x) is dict:
        what = f"an object with the keys {listed(list(x))}"
    elif type(x) is list:
        what = f"a list of {len(x)}, the first of which is {shown(x[0])}" if x else "an empty list"
    else:
        what = shown(x)
    return Unknown("format", "path", f"not a log that scorio knows, which are {', '.join(names)}: it is {what}")
