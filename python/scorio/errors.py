"""The exception of the package. Its codes are the closed list of spec/errors.json."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from shlex import quote
from typing import Any

# the advice at the end of a message, by key: with arguments of a function, and with options of a command; a single text
# has the arguments alone, from which the options follow. A value for {} comes after the key: which:acc,none
HINTS: dict[str, str | tuple[str, str]] = {
    "policy": (
        'missing="bounds" bounds its effect, missing="drop" leaves it out, missing=0 counts it as wrong',
        "--missing bounds (leaderboard, compare, rank, evaluate) bounds its effect, --missing drop leaves it "
        "out, --missing 0 counts it as wrong",
    ),
    "array_policy": (
        'missing="drop" leaves it out, missing=0 counts it as wrong, and missing="bounds" (scorio.read, eval.interval, '
        "eval.mean_ci, sinf.compare) bounds its effect",
        "--missing bounds (leaderboard, compare, rank, evaluate) bounds its effect, --missing drop leaves it "
        "out, --missing 0 counts it as wrong",
    ),
    "signal": 'missing="drop" leaves it out, missing=0 counts it as category 0',
    "no_bounds": (
        'missing="bounds" is for eval.interval (whose .bounds are the lowest and the highest value), eval.mean_ci, '
        "sinf.compare, scorio.evaluate, and scorio.read for its leaderboard, compare, rank and metrics; "
        'missing="drop" leaves them out, missing=0 counts them as wrong',
        "--missing bounds is for leaderboard, compare, rank and evaluate; --missing drop leaves them out, --missing 0 "
        "counts them as wrong",
    ),
    "drop": 'missing="drop" leaves them out',
    "cost": (
        "cost=COLUMN names the column of costs",
        "--cost COLUMN names the column of costs, --dry-run lists what is read",
    ),
    "levels": 'scores that are not categories need w="levels"',
    "constant": (
        "a signal that is the same in every attempt can be given as one number",
        "a signal that is the same in every attempt can be stated by --assume, such as --assume C=0",
    ),
    "scores": (
        'real-valued scores are read by scorio.read({"a": R}, w="levels"), and files and frames of them too',
        "scores that are not categories need --w levels",
    ),
    "runs_by": (
        "read the log with runs_by=COLUMN or files_are_runs=True, or with ids of trials that are equal in a run",
        "state the runs with --runs-by COLUMN or --files-are-runs, or as ids of trials that are equal in a run",
    ),
    "of_run": (
        'if these are several trials in one {0}, read the log with runs_by="{0}"',
        "if these are several trials in one {0}, add --runs-by {0}",
    ),
    "run_variation": (
        "pass the matrix of outcomes, or runs=sinf.run_variation(matrix)",
        "state a column of runs with --runs-by",
    ),
    "task": (
        "choose one (task=), or take the .benchmarks of the log one by one",
        "choose one with --task; scorio leaderboard has a row for each",
    ),
    "rename": 'if both are one benchmark, rename one while reading, task="{}"',
    "tasks": ("leave the benchmark out, with e.select(benchmarks=...)", "leave it out with --task"),
    "k": ('state it, as in metric="pass@4" or k=4', "state it: --k 4, or --metric pass@4"),
    "tau": ("state it, as in tau=0.5", "state it: --tau 0.5"),
    "beyond": ("e.extrapolate({}) estimates it", "scorio evaluate LOG --extrapolate --k {} estimates it"),
    "alone": (
        "add another model, or half_width=0.05 plans the width of its interval",
        "add another log, or --half-width 0.05 plans the width of its interval",
    ),
    "order": (
        "scorio.read(..., trials=True) keeps it, unless the log has counts only",
        "a log of counts has none",
    ),
    "label_scale": "label_scale=(LO, HI)",
    "counts": ('use form="counts"', "use --to counts"),
    "unshared": (
        "missing=0 in scorio.read counts them as wrong, shared=True compares the questions that both answered",
        "--missing 0 counts them as wrong, --shared compares the questions that both answered",
    ),
    "shared": (
        "models are compared on questions with the same id, e.log(model).ids lists them; e.leaderboard() shows each "
        "model on its own questions",
        "models are compared on questions with the same id; scorio leaderboard LOG shows each model on its own "
        "questions",
    ),
    "shared_builds": (
        "shared=True judges all builds on the questions that they share, missing=0 in scorio.read counts them as wrong",
        "--missing 0 counts them as wrong, --shared judges all builds on the questions that they share",
    ),
    "other_branch": ("branch= names another branch", "--branch names another branch"),
    "count_missing": (
        "missing=0 in scorio.read counts missing outcomes as wrong",
        "--missing 0 counts missing outcomes as wrong",
    ),
    "one_scale": ("read all builds with the same scale or w", "state the same --scale or --w for all builds"),
    "no_ledger": (
        "the command scorio baseline set begins one",
        "scorio baseline set LOG --name main --margin .02 begins one",
    ),
    "binary": (
        "read a table of successes, such as those with score >= 0.5; e.leaderboard(k=2) has Max@k of scores",
        "write a table in which 1 is a success, such as a score of at least 0.5, and 0 a failure; scorio leaderboard "
        "LOG --k 2 has Max@k of scores",
    ),
    "binary_only": (
        "e.items, e.changes and e.design take outcomes 0 and 1: write a table in which 1 is a success",
        "items, changes and plan --design take outcomes 0 and 1: write a table in which 1 is a success",
    ),
    "lower": (
        'compare models with e.rank(metric="{}") or sinf.compare(..., "{}")',
        "compare models with scorio leaderboard LOG --ranks --metric {}",
    ),
    "select": (
        "choose some by e.select(models=[...]), or make a leaderboard",
        "choose some, each with --model NAME, or make a leaderboard",
    ),
    "long": ('use form="long"', "use --to long"),
    "format": ("state which one (format=)", "state it with --from"),
    "which": 'choose one with which="{}"',
    "other_metric": 'choose another metric with which="METRIC", or remove the document from the log',
    "runs": "if all are runs of one model, pass files_are_runs=True",
    "copy": 'if all are runs of one model, pass files_are_runs=True; if it is a copy, pass exclude="{}"',
    "run_files": (
        'if all are runs, pass layout="{0}"; if they are benchmarks or conditions, pass layout="{1}"; if it is a copy, '
        'pass exclude="{2}"'
    ),
    "folders": (
        'if its folders name the models, pass layout="{0}"; if all are runs of one model, pass files_are_runs=True; if '
        'it is a copy, pass exclude="{1}"'
    ),
    "settings": 'read one of them, exclude="{0}" or exclude="{1}" leaves the other out',
    "either_folders": (
        'if its paths name models and tasks, pass layout="{0}" or layout="{1}", whichever is so; if all are runs of '
        'one model, pass files_are_runs=True; if it is a copy, pass exclude="{2}"'
    ),
    "either": "what names the model cannot be told: read it with {}, or else with {}",
    "either_runs": "if its parts are benchmarks, read it with {}; if they repeat the evaluation, with {}",
    "models": "if these are several models, leave out files_are_runs=True",
    "listed": ("scorio.io.listed(path) lists the files", "--dry-run lists the files"),
    "outcome": (
        'if another column has the outcomes, name it, columns={"outcome": "COLUMN"}; if these are scores, state the '
        "lowest and the highest possible one, scale=(LO, HI)",
        "if another column has the outcomes, name it, --columns outcome=COLUMN; if these are scores, state the lowest "
        "and the highest possible one, --scale LO,HI",
    ),
    "words": (
        'say what it is worth, outcomes={"{}": 1} for a success, 0 for a failure, None where it is missing',
        "say what it is worth, --outcomes {}=1 for a success, {}=0 for a failure, {}=missing",
    ),
    "form": "write all of them alike, 0.5 or 0,5 or 50%, without separators of thousands",
    "matrix": (
        'a matrix is read from memory, scorio.read({"model": numpy.loadtxt(path, delimiter=",")})',
        """a matrix is read as .npy, python -c 'import numpy as n; n.save("M.npy", n.loadtxt("CSV", delimiter=","))'""",
    ),
    "files": ("help(scorio.read) says which files are logs", "scorio help files says which files are logs"),
    "header": "put a first line above the data, {}",
    "scale": (
        "the log does not state its scale: state the lowest and the highest possible score, scale=({})",
        "the log does not state its scale: state the lowest and the highest possible score, --scale={}",
    ),
    "columns": "say which columns they are, columns={}",
    "factor": (
        "read each as a benchmark or a model, columns={0}, or as further questions, columns={1}; if they repeat the "
        'evaluation, runs_by="{2}"'
    ),
    "factor_empty": (
        "read each as further questions, columns={0}; to read each as a benchmark, give the empty one a name in the "
        "column {1}"
    ),
    "factor_files": 'put the rows of each into a file of its own; if they repeat the evaluation, runs_by="{0}"',
    "factor_models": (
        "read each as a benchmark, columns={0}, or as further models, columns={1}; if they repeat the evaluation, "
        'runs_by="{2}"'
    ),
    "rows": ('say where they are, such as rows="results[*]"', "say where they are, such as --rows 'results[*]'"),
    "entries": 'if these are benchmarks, pass rows="{0}"; if they repeat the evaluation, rows="{1}"',
    "entry": (
        'name the field of theirs that does, columns={"task": "COLUMN"} for benchmarks, "trial" for runs',
        "name the field of theirs that does, --columns task=COLUMN for benchmarks, trial=COLUMN for runs",
    ),
    "other": 'if it is no log, leave it out, exclude="{}"',
    "average": ("scorio interval {} has the interval of an average", "scorio interval {} has its interval"),
    "averages": "{} looks like an average, not an outcome: scorio interval 431/1000 has the interval of one",
    "reshape": 'write it as a list of records, [{"question": "q1", "outcome": 1}, ...]: what its lists are is not told',
    "layout": (
        'say what its folders mean, such as layout="{model}/{question}/result.txt"',
        "say what its folders mean, such as --layout '{model}/{question}/result.txt'",
    ),
    "unmapped": (
        "the column {} is read by its own name, leave columns out",
        "the column {} is read by its own name, leave --columns out",
    ),
    "preference": (
        "its mean minus 1 is the win rate of generator_2 (0 is a draw), scorio.read(path, scale=(1, 2), "
        'outcomes={"0": 1.5}, columns={"model": "generator_2", "question": "instruction", "outcome": "preference"})',
        "its mean minus 1 is the win rate of generator_2 (0 is a draw): scorio leaderboard FILE --scale 1,2 --outcomes "
        "0=1.5 --columns model=generator_2,question=instruction,outcome=preference",
    ),
    "battles": (
        "a table of battles is read by scorio.commands.battles",
        "a table of battles is read by scorio battles FILE",
    ),
    "outcomes": (
        "these are outcomes of questions, which scorio.read reads",
        "these are outcomes of questions, which scorio leaderboard LOG reads",
    ),
    "read": "read it with {}",
    "missing_code": (
        "if {0} means that there is no score, missing_code={0}; if it is one, scale=({1})",
        "if {0} means that there is no score, --missing-code={0}; if it is one, --scale={1}",
    ),
    "ids": (
        'name the questions, frame.reset_index(names="question") in pandas, frame.with_row_index("question") in polars',
        'give the column of questions the name "question"',
    ),
    "odd": (
        'if it is no model, leave it out, columns={"{}": None}; if its outcomes are scores, state scale=(LO, HI)',
        "if it is no model, leave it out, --columns {}=-; if its outcomes are scores, state --scale LO,HI",
    ),
    "numbered_columns": "name them run_1, run_2, ... if they are trials, else by their models",
    "number_rows": "if each row is a question, put a column id in front that numbers them",
    "odd_code": (
        "if {1} means that there is no outcome, missing_code={1}; if outcomes are scores, state scale=(LO, HI); if the "
        'column is no model, leave it out, columns={"{0}": None}',
        "if {1} means that there is no outcome, --missing-code={1}; if outcomes are scores, state --scale LO,HI; if "
        "the column is no model, leave it out, --columns {0}=-",
    ),
    "wide": "if each column is a model, pass wide=True",
}
# an argument and its value: a text, a number, a value that follows, or a pair of words
ARGUMENT = re.compile(r'\b([a-z_]+)=("[^"]*"|\{\d?\}|\([A-Z]+, [A-Z]+\)|\w+)')


def _template(key: str, command: bool) -> str:
    """The text of a hint before its values are put in, for a command or a function."""
    hint = HINTS[key]
    if not isinstance(hint, str):
        return hint[command]
    return ARGUMENT.sub(_option, hint).replace("pass --", "add --") if command else hint


def _option(m: re.Match[str]) -> str:
    """An argument as an option: --which METRIC for which="METRIC", --scale LO,HI for scale=(LO, HI), --wide."""
    name, value = f"--{m[1].replace('_', '-')}", m[2].strip('"')
    value = ",".join(re.findall(r"\w+", value)) if value.startswith("(") else value
    return name if value == "True" else f"{name} {value}"


def hinted(hint: str, command: bool) -> str:
    """The text of a hint, for a command or a function; in ``which:acc,none`` a value follows the key."""
    key, _, text = hint.partition(":")
    if key == "read":
        options = json.loads(text)
        unsure = options.pop("unsure", "")
        code, ends = options.get("missing_code"), options.get("scale", [0, 1] if "w" in options else ())
        conditions = [f"if {unsure} has the outcomes"] if unsure else []
        conditions += [] if code is None else [f"if {code} means that there is no score"]
        if ends:
            conditions.append("if {:.10g} and {:.10g} are the lowest and the highest possible score".format(*ends))
        start = " and ".join(conditions) + ", " * bool(conditions)
        return start + _template(key, command=True).replace("{}", _options(options, command))
    if key in ("either", "either_runs"):
        return _template(key, command).format(*(_options(options, command) for options in json.loads(text)))
    values = text.split("\n")  # most hints have one value
    if not command and key in ("columns", "factor", "factor_models"):
        values = [repr(dict(pairs)) if all(pairs := _pairs(x)) else x for x in values]
    template = _template(key, command)
    for i, x in enumerate(values):
        template = template.replace(f"{{{i}}}", quote(x) if command else x)
    return template.replace("{}", quote(values[0]) if command else values[0])


def _pairs(text: str) -> list[Any]:
    """The pairs in a text such as question=id,outcome=ok; an entry that is none is empty, as of a name with a comma."""
    return [x.split("=", 1) if "=" in x else () for x in text.split(",")]


def _options(options: dict[str, Any], command: bool) -> str:
    """Options of reading as text, for a command or a function."""
    if not command:
        options = {name: tuple(x) if isinstance(x, list) else x for name, x in options.items()}
        return ", ".join(f"{name}={x!r}" for name, x in options.items())
    words = []
    for name, x in options.items():
        if isinstance(x, dict):
            x = ",".join(f"{key}={value}" for key, value in x.items())
        text = ",".join(f"{y:.10g}" for y in x) if isinstance(x, list) else str(x)
        value = "" if x is True else f"={quote(text)}" if text.startswith("-") else f" {quote(text)}"
        words.append(f"--{name.replace('_', '-')}{value}")
    return " ".join(words)


def shown(x: Any) -> str:
    """The text of any value in an error message, at most 80 characters; an exact decimal is shown as it was written."""
    try:
        text = repr(str(x) if isinstance(x, Decimal) else x)
    except Exception:  # integers of thousands of digits cannot be shown; other objects may fail too
        text = f"<{type(x).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


def not_json(e: Exception) -> str:
    """The message about text that a decoder of JSON refuses."""
    if isinstance(e, RecursionError):
        return "nested too deeply: hundreds of brackets are within each other"
    if "integer string conversion" in str(e):
        return "an integer has more than 4,300 digits: write it as text, or leave it out"
    return f"not JSON: {getattr(e, 'msg', e)}"


class InvalidInput(ValueError):
    """Exception for invalid input, raised before any number is returned.

    Attributes
    ----------
    code : str; one of the codes of ``spec/errors.json``, the same in every language
    argument : str; the name of the argument at fault
    reason : str; what is wrong, with the value and where it is
    hint : str or None
        Key in ``HINTS`` of the advice that ends the message; a value for the advice follows after a colon.
    """

    def __init__(self, code: str, argument: str, reason: str, hint: str | None = None) -> None:
        super().__init__(reason if hint is None else f"{reason}: {hinted(hint, command=False)}")
        self.code = code
        self.argument = argument
        self.reason = reason
        self.hint = hint

    @property
    def on_command_line(self) -> str:
        """The message with options of a command instead of arguments of a function."""
        return self.reason if self.hint is None else f"{self.reason}: {hinted(self.hint, command=True)}"

    def of(self, what: str, argument: str | None = None) -> InvalidInput:
        """A copy of the error about a part of the input; its message begins with that part."""
        return type(self)(self.code, argument or self.argument, f"{what}: {self.reason}", self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.argument, self.reason, self.hint)
