"""Options that several commands share under the same names, the parser, and the texts of the help about files."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from textwrap import fill
from typing import TYPE_CHECKING, Any, NoReturn

from .. import saving
from ..display.text import among, nearest, printable
from ..errors import InvalidInput, hinted

if TYPE_CHECKING:
    from ..analysis.changes import Changes
    from ..analysis.each import QuestionGate
    from ..analysis.files import Files
    from ..analysis.gate import Gate
    from ..evaluation import Evaluation


def exit_codes(first: str = "0 success", further: str = "") -> str:
    """Text of the help about exit codes; commands with codes of their own state them in first and further."""
    usage = f"2 invalid input or usage (one line on stderr), {further}130 interrupted"
    return fill(f"exit codes: {first}, {usage}, 141 output closed before its end (as by head)", 79)


CODES = exit_codes()
PASS_AT_K_HELP = "values of k for Pass@k, for example 2,4 (default: those of 2, 4, 8 up to half of the trials)"
SEE_FILES = """files:
  tables (.csv .tsv .jsonl .parquet), arrays (.npy .npz) and logs of evaluation
  tools: scorio help files. All questions of a model in a task must have the
  same number of trials, unless a table has counts (c, n). If the numbers
  differ, --missing says what to do

"""
FILES = """files:
  Logs of evaluation tools, recognised by their content (see formats); a folder
  has one file per model or per run. Several logs, or a pattern, are read like
  one folder; - is the standard input; .gz .xz .bz2 .zst are decompressed, .zip
  and .tar (also compressed) are read like the folder that they hold. A log with
  several tasks has a benchmark for each
  .csv .tsv .jsonl  columns question and outcome (0 or 1), or question, c and n
                    (successes, trials); optional columns are model (default:
                    the name of the file), task, cluster (group of related
                    questions) and trial (default: each row is one more trial)
  .parquet          a table with the same columns; further ones are not read
  .npy .npz         arrays (models, questions, trials) or (questions, trials)
  Outcomes (not c and n) must have the same number of trials for all questions
  of a model in a task. If not, that is an error, unless --missing drop keeps
  the trials that each question has, --missing CATEGORY adds trials with this
  category to each question, up to the largest number of that model in the task,
  or --missing bounds bounds what those trials may change

"""


def formats() -> str:
    """Names of all formats, for the help text."""
    from ..io.formats import NAMES

    names = fill(", ".join(NAMES), 78, initial_indent="  ", subsequent_indent="  ")
    return f"formats, recognised by their content (--from where the content is ambiguous):\n{names}\n"


NEGATIVE = re.compile(r"-[0-9.][0-9.,e+-]*")  # an argument that is numbers, not an option: --scale -1,1
PERCENT = re.compile(r"([0-9]*[.]?[0-9]+)\s*%", re.ASCII)
FORMS = ("text", "markdown", "latex", "csv", "json")


class Raw(argparse.RawDescriptionHelpFormatter):
    """Help formatter that prints descriptions and examples as written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24, width=80)

    def _format_usage(self, *args: Any) -> str:
        self._width -= 1  # argparse fills the first line of the usage to one character more
        try:
            return super()._format_usage(*args)
        finally:
            self._width += 1


class Parser(argparse.ArgumentParser):
    """Argument parser whose errors are one line."""

    is_intermixed = False  # whether positional arguments and options are being parsed in any order

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._negative_number_matcher = NEGATIVE

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, the version or an error; unlike argparse, fail where stdout cannot be written."""
        if message and file is sys.stdout is not None:
            file.write(message)
            file.flush()
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        self.exit(2, printable(f"{self.prog}: error: {message} (see {self.prog} --help)") + "\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse an invalid choice; the error suggests a similar valid one, and lists all."""
        if action.choices is not None and value not in action.choices:
            choices = [str(x) for x in action.choices]
            message = f"invalid choice: {value!r}{nearest(value, choices)} (choose from {', '.join(choices)})"
            raise argparse.ArgumentError(action, message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments and options in any order; the error for an unknown option suggests a similar one."""
        if self._subparsers is not None or self.is_intermixed:
            return super().parse_known_args(args, namespace)
        self.is_intermixed = True
        try:
            parsed, unrecognized = self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_intermixed = False
        option_names = [name for name in self._option_string_actions if name.startswith("--")]
        for word in (x.partition("=")[0] for x in unrecognized if x.startswith("--")):
            if word == "--metric":
                with_k = "--k 4 adds Pass@4, and " if "--k" in option_names else ""
                self.error(f"there is no --metric here: {with_k}scorio evaluate has every metric")
            meant = "--size" if word in ("--width", "--figsize") and "--size" in option_names else word
            if suggestion := nearest(meant, option_names):
                self.error(f"unrecognized arguments: {' '.join(unrecognized)}{suggestion}")
        if unrecognized:
            self.error(f"unrecognized arguments: {' '.join(unrecognized)}")
        return parsed, unrecognized

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Parse a value; a percentage is refused with the number to write."""
        try:
            return super()._get_value(action, arg_string)  # type: ignore[misc]
        except argparse.ArgumentError:
            if action.type is float and (match := PERCENT.fullmatch(arg_string)):
                share = f"{float(match[1]) / 100:.10g}"
                raise argparse.ArgumentError(action, f"{arg_string!r} is not a number: write {share}") from None
            raise


def add_command(commands: Any, name: str, about: str) -> Parser:
    """Add a command and return its parser."""
    head, _, tail = about.rstrip(".").partition(": ")
    short = tail if tail and len(head.split()) < 3 else head  # a short head, such as "Changes", says little
    parser: Parser = commands.add_parser(
        name,
        help=short if "@" in short.split()[0] else short[0].lower() + short[1:],
        description=fill(about, 80),
        formatter_class=Raw,
    )
    return parser


def set_up(parser: Parser, epilog: str, run: Callable[..., Any], codes: str = CODES) -> None:
    """Set the text below the options of a command, and the function that runs it."""
    parser.epilog = epilog + codes
    parser.set_defaults(run=run)


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
        args.files = list(values) if isinstance(values, list) else [values]
        args.file = "".join(args.files[:1]) + (f" and {len(args.files) - 1} more" if len(args.files) > 1 else "")


def parse_columns(text: str) -> dict[str, str]:
    """Parse columns such as question=example_id,outcome=score into a mapping."""
    columns = {}
    for part in text.split(","):
        name, sign, column = part.partition("=")
        if not sign or not name.strip() or not column.strip():
            raise ArgumentTypeError(f"{text!r} is not a list such as question=example_id,outcome=score")
        columns[name.strip()] = column.strip()
    return columns


def add_log(parser: Parser, several: bool = True, optional: bool = False) -> None:
    """Add the log and the options of reading it."""
    add = parser.add_argument
    nargs: Any = {"nargs": "*" if optional else "+"} if several else {}
    add(
        "file",
        metavar="LOG",
        action=LogAction,
        help="outcomes: a file or a folder of files, see scorio help files",
        **nargs,
    )
    add("--from", dest="reader", metavar="NAME", help="format of the log, where its content is ambiguous")
    add("--task", action="append", metavar="NAME", help="read only this task, or those of a pattern (may be repeated)")
    add("--which", action="append", metavar="[TASK=]METRIC",
        help="which metric, filter or scorer to read, where a task has several (may be repeated)")  # fmt: skip
    add("--columns", type=parse_columns, metavar="NAME=PATH,...",
        help="names of the columns of a table, with dots for nested JSON: question=id,outcome=a.b")  # fmt: skip
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
    add("--dry-run", action="store_true", help="list which files would be read, and as what")
    add("--runs", action="store_true", help="the files of the folder are trials of one model")
    add("--model", action="append", metavar="NAME", help="read only this model (may be repeated)")
    add("--missing", type=parse_missing, default="raise", metavar="raise|drop|bounds|CATEGORY",
        help="missing outcomes and unequal numbers of trials: raise an error (default), leave out what is missing "
        "(default of judge, and of convert without --to counts), bound its effect (leaderboard, compare, rank, "
        "evaluate), or count it as this category (see scorio help files)")  # fmt: skip
    add("--missing-code", type=int, metavar="CODE", help="an outcome that means missing, for example -1")
    add("--w", type=_parse_scores, metavar="0,0.5,1",
        help='score of each category 0, 1, 2...; "levels": outcomes are scores, for example 0.5 for '
        "partial credit")  # fmt: skip
    add("--scale", type=list_of(float, "1,10"), metavar="LO,HI",
        help="outcomes are scores from LO to HI; default: 0 to 1 if all scores are within, else from the lowest to the "
        "highest score of the log (from or to 0 if all are equal)")  # fmt: skip


def add_target(parser: Parser, k: str | None = None) -> None:
    """Add the target and the confidence of intervals; k: the help text of the option --k, if there is one."""
    add = parser.add_argument
    if k:
        add("--k", type=list_of(int, "1,2,4"), metavar="1,2,4", help=k)
    add("--questions", choices=("fixed", "sampled"),
        help="intervals for these questions (fixed; default) or for similar ones (sampled; default where every "
        "question has one trial)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P", help="nominal coverage of intervals (default 0.95)")


def add_shared(parser: Parser) -> None:
    """Add the option of commands that compare two models which may have answered different questions."""
    parser.add_argument("--shared", action="store_true",
        help="leave out questions that only one of the two answered (default: an error; --missing 0 counts them as "
        "wrong)")  # fmt: skip


def add_metric(parser: Parser) -> None:
    """Add the options of one metric with its parameters."""
    add = parser.add_argument
    add("--metric", default="mean", metavar="NAME", help="for example pass@k or maj@k (default mean)")
    add("--k", type=int, metavar="K", help="number of trials of the metric, for example 4")
    add("--tau", type=float, metavar="TAU", help="threshold of g-pass@k")


def add_answers(parser: Parser) -> None:
    """Add the option to read answers for votes."""
    parser.add_argument("--answers", action="store_true",
        help="read the answers too: the score of a majority vote of k trials, beside the mean")  # fmt: skip


def add_forms(parser: Parser) -> None:
    """Add the options of the form in which a result is printed."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--format", choices=FORMS, default="text", metavar="FORM", help=", ".join(FORMS))
    purposes = {"json": "one JSON object with all digits", "csv": "CSV with all digits; notes go to stderr"}
    for name, purpose in purposes.items():
        form.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=purpose)
    add_keep_formulas(parser)
    parser.add_argument("--explain", action="store_true", help="explain below the table what its numbers mean")


def add_json(parser: Parser) -> None:
    """Add the option --json to a command that prints no table."""
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON object")


def add_keep_formulas(parser: Parser) -> None:
    """Add the option to leave formulas in CSV as they are, for programs."""
    parser.add_argument("--keep-formulas", action="store_true",
        help="in CSV, leave text that begins with = + - @ as it is (default: put an apostrophe before it, so that no "
        "spreadsheet runs it; scorio reads both)")  # fmt: skip


def evaluation(args: argparse.Namespace, trials: bool = False) -> Evaluation:
    """Read the evaluation that the options describe; the order of its trials is kept only if ``trials`` is true."""
    from ..evaluation import read

    files = args.files if len(args.files) > 1 else args.files[0]
    settings = read_options(args) | {"trials": trials, "missing": args.missing, "w": args.w}
    try:
        e = read(files, **settings)
    except FileNotFoundError:
        _refuse_models(args.files, settings)
        raise
    except InvalidInput as error:
        key, _, value = (error.hint or "").partition(":")
        if key != "which":
            raise
        try:  # if reading fails again after the suggested choice, one message names both problems
            read(files, **settings | {"which": [*(args.which or []), value]})
        except InvalidInput as second:
            if second.hint and not second.hint.startswith("which"):
                reason = f"{error.on_command_line}, and after that: {hinted(second.hint, command=True)}"
                if second.hint == "levels":
                    reason += f"; both at once: scorio {args.command} LOG --which {shlex.quote(value)} --w levels"
                raise InvalidInput(error.code, error.argument, reason) from None
        raise
    return e.select(args.model) if args.model else e


def _refuse_models(files: list[str], settings: dict[str, Any]) -> None:
    """Raise if some of the files do not exist, and one of these has the name of a model in the existing files."""
    from ..evaluation import read

    existing = [x for x in files if os.path.exists(x)]
    absent = [x for x in files if x not in existing]
    try:
        models = read(existing, **settings).models if existing else ()
    except (InvalidInput, OSError, ImportError):
        return
    for x in absent:
        if x not in models and any(c in x for c in "./*?["):  # probably a path or a pattern
            return
    if any(x in models for x in absent):
        unknown = next((x for x in absent if x not in models), None)
        if unknown is not None:
            what = f"{unknown!r} is neither a file nor a model; the log has {among(unknown, models)}"
            raise InvalidInput("choice", "model", what)
        chosen = " ".join(f"--model {shlex.quote(x)}" for x in absent)
        raise InvalidInput("choice", "model", f"{absent[0]!r} is a model, not a file; models are chosen with {chosen}")


def read_more(args: argparse.Namespace, file: str) -> Evaluation:
    """Read another log of the same models with the same options; its missing outcomes are left out."""
    from ..evaluation import read

    e = read(file, missing="drop", w=args.w, **read_options(args))
    if args.model and not set(args.model) & set(e.models):
        raise InvalidInput("choice", "more", f"{file} has no model of --model, but {among(args.model[0], e.models)}")
    return e.select([m for m in args.model if m in e.models]) if args.model else e


def files(args: argparse.Namespace) -> Files:
    """List the files that would be read and their formats, for --dry-run."""
    from ..analysis.files import files as list_files

    if not args.files:
        raise InvalidInput("conflict", "file", "no log to read: name a file or a folder")
    args.format, args.explain = getattr(args, "format", "text"), False
    return list_files(args.files if len(args.files) > 1 else args.files[0], args.file, **read_options(args))


def read_options(args: argparse.Namespace) -> dict[str, Any]:
    """Options of reading files, as :func:`scorio.io.read` takes them."""
    names = ("missing_code", "which", "runs", "task", "scale", "columns", "layout", "exclude", "wide", "cost")
    with_answers = {"answers": True} if getattr(args, "answers", False) else {}
    return {name: getattr(args, name) for name in names} | {"format": args.reader} | with_answers


def add_reports(parser: Parser) -> None:
    """Add the options of reports for continuous integration."""
    add = parser.add_argument
    add("--junit", metavar="FILE", help="write a test report in JUnit XML")
    add("--markdown", metavar="FILE", help="write a summary in Markdown, for a CI run or a pull request")


def write_reports(args: argparse.Namespace, result: Gate | QuestionGate | Changes) -> None:
    """Write the requested reports; a report that would overwrite a log is refused."""
    for option, text in (("junit", result.to_junit), ("markdown", result.to_markdown)):
        path = getattr(args, option)
        if path is None:
            continue
        _refuse_to_overwrite(option, path, [*args.files, *args.models])
        saving.write(path, text())


def check_output(args: argparse.Namespace) -> None:
    """Take ``-`` for stdout, and refuse an output that would overwrite a file of the log."""
    args.output = None if args.output == "-" else args.output
    if args.output:
        _refuse_to_overwrite("output", args.output, args.files)


def _refuse_to_overwrite(option: str, path: str, files: list[str]) -> None:
    from ..io.listing import is_file_of_log

    if is_file_of_log(path, files):
        raise InvalidInput("conflict", option, f"--{option} {path} would overwrite the log")
