"""Options that several commands share, and the output of commands: a result in a requested form, and files."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .. import saving
from ..display.text import listed, number, printable
from ..errors import InvalidInput

if TYPE_CHECKING:
    from ..readers.evaluation import EvaluationData
    from .base import About, Result

PASS_AT_K_HELP = "values of k for Pass@k, for example 2,4 (default: those of 2, 4, 8 up to half of the trials)"
SEE_FILES = """files:
  tables (.csv .tsv .jsonl .parquet), arrays (.npy .npz) and logs of evaluation
  tools: scorio help files. All questions of a model in a task must have the
  same number of trials, unless a table has counts (c, n). If the numbers
  differ, --missing says what to do

"""
FORMS = ("text", "markdown", "latex", "csv", "json")
# groups of options that --help names in one line each
READING, OUTPUT, LEDGER = "options of reading the log", "options of the output", "options of the ledger"
# options of several commands, each declared once; a default ends the help text
SHARED: dict[str, dict[str, Any]] = {
    "metric": {"default": "mean", "metavar": "NAME", "help": "for example pass@k or maj@k (default mean)"},
    "k": {"type": int, "metavar": "K", "help": "number of trials of the metric, for example 4"},
    "tau": {"type": float, "metavar": "TAU", "help": "threshold of g-pass@k"},
    "questions": {"choices": ("fixed", "sampled"),
        "help": "intervals for these questions (fixed; default) or for similar ones (sampled; default where every "
        "question has one trial)"},
    "runs": {"choices": ("fixed", "sampled", "shared"),
        "help": "sampled: account for differences between runs; shared: of runs common to all models (default fixed)"},
    "confidence": {"type": float, "default": 0.95, "metavar": "P", "help": "nominal coverage of the intervals"},
    "guard": {"type": float, "metavar": "G",
        "help": "largest difference of an unsampled question, a share of the scale"},
    "power": {"type": float, "default": 0.8, "metavar": "POWER"},
    "seed": {"type": int, "default": 0},
    "replicates": {"type": int, "metavar": "B"},
    "top": {"type": int, "default": 20, "metavar": "N", "help": "largest number of questions in the table"},
    "shared": {"action": "store_true",
        "help": "leave out questions that only one of the two answered (default: an error; --missing 0 counts them as "
        "wrong)"},
    "junit": {"metavar": "FILE", "help": "write a test report in JUnit XML"},
    "markdown": {"metavar": "FILE", "help": "write a summary in Markdown, for a CI run or a pull request"},
}  # fmt: skip


class Read(Protocol):
    """Reader of the log that the arguments of a command describe; more: another log of the same models."""

    def __call__(
        self, args: argparse.Namespace, *, trials: bool = False, more: str | None = None
    ) -> EvaluationData: ...


def exit_codes(first: str = "0 success", further: str = "") -> str:
    """Text of the help about exit codes; commands with codes of their own state them in first and further."""
    usage = f"2 invalid input or usage (one line on stderr), {further}130 interrupted"
    return fill(f"exit codes: {first}, {usage}, 141 output closed before its end (as by head)", 79)


CODES = exit_codes()


def set_up(parser: ArgumentParser, examples: str, details: str, run: Callable[..., Any], codes: str = CODES) -> None:
    """Set the function that runs a command, and the texts below its options: details are for ``scorio help`` alone."""
    parser.epilog = examples
    parser.set_defaults(run=run, details=details + codes, parser=parser)


def set_up_with_log(
    parser: ArgumentParser, examples: str, details: str, run: Callable[..., Any], codes: str = CODES, **log: bool
) -> None:
    """Set up a command that reads a log, and add the log; log: the arguments of :func:`add_log`."""
    set_up(parser, examples, details + SEE_FILES, run, codes)
    add_log(parser, **log)


def add(parser: Any, *names: str, **own: Any) -> None:
    """Add shared options by name, in this order, then those with a help text (or more) of their own."""
    for name, x in (dict.fromkeys(names) | own).items():
        option = SHARED[name] | (x if isinstance(x, dict) else {"help": x} if x else {})
        if option["help"] and not isinstance(default := option.get("default", ""), str):
            option["help"] += f" (default {default})"
        parser.add_argument(f"--{name}", **option)


def chosen(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Values of options by name, as arguments for a function."""
    return {name: getattr(args, name) for name in names}


def refuse_others(args: argparse.Namespace, argument: str, reason: str, *taken: str) -> None:
    """Refuse options that were given although this use of a command does not take them; taken: names, or groups."""
    groups = [g for g in args.parser._action_groups if g.title in {OUTPUT, *taken}]
    names = {*taken, *(x.dest for g in groups for x in g._group_actions)}
    others = [x for x in args.parser._actions if x.option_strings and x.dest not in names]
    if stated := [x for x in others if getattr(args, x.dest, x.default) != args.parser.get_default(x.dest)]:
        leave_out = listed([x.option_strings[-1] for x in stated])
        raise InvalidInput("conflict", argument, f"{reason}: leave out {leave_out}")


def list_of(kind: type, example: str) -> Callable[[str], list[Any]]:
    """Make a parser of comma-separated numbers of a kind; the error shows the example."""

    def parse(text: str) -> list[Any]:
        try:
            return [kind(x) for x in text.split(",")]
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a list of numbers such as {example}") from None

    return parse


def _parse_scores(text: str) -> Any:
    """Parse --w: the word levels, or the scores of the categories."""
    return text if text == "levels" else list_of(float, "0,0.5,1")(text)


def parse_missing(text: str) -> str | int:
    """Parse --missing: raise, drop, bounds or a category."""
    return int(text) if text.isdecimal() and text.isascii() else text


class LogAction(argparse.Action):
    """Action that stores the paths of one log or several as ``files``, and their name for messages as ``file``."""

    def __call__(self, parser: Any, args: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        """Store the paths and the name."""
        args.files = list(values) if isinstance(values, list) else [] if values is None else [values]
        args.file = "".join(args.files[:1]) + (f" and {len(args.files) - 1} more" if len(args.files) > 1 else "")


class MergeAction(argparse.Action):
    """Action that adds the pairs of an option that is given again to those before; a name that is stated twice is an
    error.
    """

    def __call__(self, parser: Any, args: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        """Add the pairs."""
        before = getattr(args, self.dest) or {}
        if again := [x for x in values if x in before and before[x] != values[x]]:
            parser.error(f"{option_string} states {again[0]!r} twice")
        setattr(args, self.dest, {**before, **values})


def parse_columns(text: str) -> dict[str, str]:
    """Parse columns such as question=example_id,outcome=score into a mapping."""
    columns = {}
    for part in text.split(","):
        name, sign, column = part.partition("=")
        if not sign or not name.strip() or not column.strip():
            raise ArgumentTypeError(f"{text!r} is not a list such as question=example_id,outcome=score")
        columns[name.strip()] = column.strip()
    return columns


def _parse_code(text: str) -> int | str:
    """Parse --missing-code: a whole number or a word."""
    if text.removeprefix("-").isdecimal() and text.isascii():
        return int(text)
    if set(text) <= set("0123456789.,-+"):
        raise ArgumentTypeError(f"{text!r} is neither a whole number nor a word")
    return text


def parse_outcomes(text: str) -> dict[str, float | None]:
    """Parse outcomes such as good=1,bad=0,timeout=missing into a mapping."""
    outcomes: dict[str, float | None] = {}
    for part in text.split(","):
        word, sign, value = part.rpartition("=")
        try:
            if not sign or word.strip() in outcomes:
                raise ValueError
            outcomes[word.strip()] = None if value.strip() == "missing" else float(value)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a list such as good=1,bad=0,timeout=missing") from None
    return outcomes


def add_log(parser: ArgumentParser, several: bool = True, optional: bool = False) -> None:
    """Add the log and the options of reading it."""
    nargs: Any = {"nargs": "*" if optional else "+"} if several else {"nargs": "?"} if optional else {}
    text = "outcomes: a file or a folder of files, see scorio help files"
    parser.add_argument("file", metavar="LOG", action=LogAction, help=text, **nargs)
    add = parser.add_argument_group(READING).add_argument
    add("--from", dest="reader", metavar="NAME", help="format of the log, where its content is ambiguous")
    add("--task", action="append", metavar="NAME", help="read only this task, or those of a pattern; OLD=NEW renames "
        "one (may be repeated)")  # fmt: skip
    add("--which", action="append", metavar="[TASK=]METRIC",
        help="which metric, filter or scorer to read, where a task has several (may be repeated)")  # fmt: skip
    add("--columns", type=parse_columns, action=MergeAction, metavar="NAME=PATH,...",
        help="names of the columns of a table, with dots for nested JSON and + for ids of several parts: "
        "question=id+turn,outcome=a.b; with --wide question=id,cluster=category, and NAME=- leaves a column "
        "out")  # fmt: skip
    add("--rows", metavar="PATTERN",
        help="where the rows of a document (JSON, JSONL, XML, YAML) are: 'results[*]', '{question}' (an object of "
        "outcomes by question), '{model}.tests.{question}.outcomes[{trial}]'")  # fmt: skip
    add("--layout", metavar="PATTERN",
        help="meaning of paths in a folder: '{model}/{run}/results.json', with model, task, run, question, trial; {_} "
        "stands for any part")  # fmt: skip
    add("--exclude", action="append", metavar="GLOB",
        help="leave out these files of a folder: paths below it, folders or names, for example 'copy/*' (may be "
        "repeated)")  # fmt: skip
    add("--wide", action="store_true", help="tables are wide: one row per question, one column per model")
    add("--cost", metavar="COLUMN",
        help="what each trial cost: a column of a table, or what a tool states: cost, tokens, latency, seconds or "
        "milliseconds (default: the first of cost, tokens and latency that the log has)")  # fmt: skip
    add("--runs-by", metavar="COLUMN",
        help="this column's values are repetitions of the evaluation: their rows are trials")  # fmt: skip
    add("--dry-run", action="store_true", help="list which files would be read, and as what")
    add("--files-are-runs", action="store_true", help="the files of the folder are runs of one model")
    add("--model", action="append", metavar="NAME", help="read only this model (may be repeated)")
    add("--missing", type=parse_missing, default="raise", metavar="raise|drop|bounds|CATEGORY",
        help="missing outcomes and unequal numbers of trials: raise an error (default), leave out what is missing "
        "(default of judge, and of convert without --to counts), bound its effect (leaderboard, compare, rank, "
        "evaluate), or count it as this category (see scorio help files)")  # fmt: skip
    add("--missing-code", type=_parse_code, metavar="CODE", help="an outcome that means missing: -1, error")
    add("--outcomes", type=parse_outcomes, action=MergeAction, metavar="WORD=VALUE,...",
        help="what words or labels of outcomes are worth: good=1,bad=0,timeout=missing (passed, failed and others are "
        "known)")  # fmt: skip
    add("--w", type=_parse_scores, metavar="0,0.5,1",
        help='score of each category 0, 1, 2...; "levels": outcomes are scores, for example 0.5 for '
        "partial credit")  # fmt: skip
    add("--scale", type=list_of(float, "1,10"), metavar="LO,HI",
        help="outcomes are scores from LO to HI; default: 0 to 1 if all scores are within, else from the lowest to the "
        "highest score of the log (from or to 0 if all are equal)")  # fmt: skip


def add_target(parser: ArgumentParser, k: str | None = None, runs: bool = True) -> None:
    """Add the target and the confidence of intervals; k: the help text of the option --k, if there is one."""
    if k:
        add(parser, k={"type": list_of(int, "1,2,4"), "metavar": "1,2,4", "help": k})
    add(parser, "questions", *(["runs"] if runs else []), confidence="nominal coverage of intervals")


def add_forms(parser: ArgumentParser) -> Any:
    """Add the options of the form in which a result is printed, and return their group."""
    group = parser.add_argument_group(OUTPUT)
    form = group.add_mutually_exclusive_group()
    form.add_argument("--format", choices=FORMS, default="text", metavar="FORM", help=", ".join(FORMS))
    purposes = {"json": "one JSON object with all digits", "csv": "CSV with all digits; notes go to stderr"}
    for name, purpose in purposes.items():
        form.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=purpose)
    add_keep_formulas(group)
    group.add_argument("--explain", action="store_true", help="explain below the table what its numbers mean")
    return group


def add_json(parser: ArgumentParser) -> None:
    """Add the option --json to a command that prints no table."""
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON object")


def add_keep_formulas(parser: Any) -> None:
    """Add the option to leave formulas in CSV as they are, for programs."""
    parser.add_argument("--keep-formulas", action="store_true",
        help="in CSV, leave text that begins with = + - @ as it is (default: put an apostrophe before it, so that no "
        "spreadsheet runs it; scorio reads both)")  # fmt: skip


def read_options(args: argparse.Namespace) -> dict[str, Any]:
    """Options of reading files, as :func:`scorio.io.read` takes them."""
    names = (
        "missing_code", "which", "files_are_runs", "task", "scale", "columns", "layout", "rows", "exclude", "wide",
        "cost", "outcomes", "runs_by",
    )  # fmt: skip
    with_answers = {"answers": True} if getattr(args, "answers", False) else {}
    return chosen(args, *names) | {"format": args.reader} | with_answers


def write_reports(args: argparse.Namespace, result: Any) -> None:
    """Write the requested reports of a result that has to_junit; one that would overwrite a log is refused."""
    for option, text in (("junit", result.to_junit), ("markdown", result.to_markdown)):
        path = getattr(args, option)
        if path is not None:
            _refuse_to_overwrite(option, path, [*args.files, *args.models])
            saving.write(path, text())


def check_output(args: argparse.Namespace) -> None:
    """Take ``-`` for stdout, and refuse an output that would overwrite a file of the log."""
    args.output = None if args.output == "-" else args.output
    if args.output is not None:
        _refuse_to_overwrite("output", args.output, args.files)


def _refuse_to_overwrite(option: str, path: str, files: list[str]) -> None:
    from ..readers.files import is_file_of_log  # late: scorio --help is quick without the readers

    if is_file_of_log(path, files):
        raise InvalidInput("conflict", option, f"--{option} {path} would overwrite the log")


class CommandOutput(NamedTuple):
    """Output of a command: text for stdout, notes for stderr, how to write the text, and the exit code."""

    text: str
    notes: Sequence[str] = ()
    # whether to write UTF-8 whatever the encoding of stdout, and no control characters to a terminal
    data: bool = False
    code: int = 0


def show(result: Result, args: Namespace) -> CommandOutput:
    """Output a result in the requested form; with CSV, sentences and notes go to stderr."""
    form, code = getattr(args, "format", "text"), result.exit_code
    if form == "json":
        return CommandOutput(json.dumps(result.to_dict(), indent=2) + "\n", code=code)
    if form == "csv":
        doc, text = result.document(), result.to_csv(keep_formulas=args.keep_formulas)
        return CommandOutput(text, [*doc.sentences, *doc.notes], data=True, code=code)
    if form in ("markdown", "latex"):
        return CommandOutput(result.to_markdown() if form == "markdown" else result.to_latex(), data=True, code=code)
    width = shutil.get_terminal_size((80, 24)).columns
    return CommandOutput(result.to_text(width, explain=getattr(args, "explain", False)), code=code)


def show_written_file(e: EvaluationData | About, kind: str, args: Namespace) -> CommandOutput:
    """Output the name of the file that a command wrote, as JSON; about an evaluation, or what is described."""
    from ..analysis.measure import target_of
    from .base import About, about_of
    from .files import Output, Written  # imported late, since completions need no analysis

    about = e if isinstance(e, About) else about_of(e, target_of(e, args.questions), args.confidence)
    return show(Written(about=about, table=(Output(args.output, kind),)), args)


def show_table(result: Result, args: Namespace) -> CommandOutput:
    """Output rows as CSV to a file or stdout, sentences and notes to stderr; with JSON, this is what stdout has."""
    path, doc, is_json = args.output, result.document(), args.format == "json"
    text, notes = result.to_csv(keep_formulas=args.keep_formulas), [*doc.sentences, *doc.notes]
    if path is None:
        return show(result, args) if is_json else CommandOutput(text, notes, data=True)
    saving.write(path, text)
    written = f"{number(len(result.rows()), 'row')} written to {printable(path)}"
    return CommandOutput(show(result, args).text, [written]) if is_json else CommandOutput("", [written, *notes])


def save_figure(figure: Any, path: str, **style: Any) -> None:
    """Write a figure to a file, in the format that its file extension names; PNG without an extension."""
    buffer = BytesIO()
    try:
        figure.savefig(buffer, format=os.path.splitext(path)[1][1:] or "png", **style)
    except ValueError as e:  # a file extension that Matplotlib does not know
        raise InvalidInput("choice", "output", f"{path}: {e}") from None
    saving.write(path, buffer.getvalue())
