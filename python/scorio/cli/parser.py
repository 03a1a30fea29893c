"""The parser of arguments: options may stand anywhere, and errors suggest what to type."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from textwrap import fill, shorten
from typing import Any, NoReturn

from ..commands.options import LEDGER, OUTPUT, READING
from ..display.text import listed, nearest, nearest_name, printable

NEGATIVE = re.compile(r"-[0-9.][0-9.,e+-]*")  # an argument that is numbers, not an option: --scale -1,1


POSITIONAL = "\0"  # put before what follows --, so that it is no option; no argument of a process has this character
PERCENT = re.compile(r"([0-9]*[.]?[0-9]+)\s*%", re.ASCII)


ROOM = 50  # characters of a line of help


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

    all_commands: Callable[[], Mapping[str, Parser]] = dict  # makes the parser of each command
    is_intermixed = False  # whether positional arguments and options are being parsed in any order
    is_short = True  # whether the help is that of --help, not that of scorio help COMMAND

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

    def format_help(self) -> str:
        """Help of a command: its own options, one line each, and examples; all of it after ``scorio help``."""
        details = self.get_default("details")
        if details is None:
            return super().format_help()
        out = argparse.RawDescriptionHelpFormatter(self.prog, max_help_position=28, width=80)
        if not self.is_short:
            return super().format_help() + "\n" + details
        positional = [_repeated(x) for x in self._actions if not x.option_strings]
        out.add_text(f"usage: {self.prog} [options] {' '.join(positional)}\n\n{self.description}")
        grouped = {group.title: group._group_actions for group in self._action_groups}
        elsewhere = [x for title in (READING, OUTPUT, LEDGER) for x in grouped.get(title, [])]
        out.start_section("options")
        for x in self._actions:
            if x not in elsewhere and x.help is not argparse.SUPPRESS and x.dest != "help":
                out.add_argument(_in_short(x))
        out.end_section()
        out.add_text(self.epilog)
        name = self.prog.split()[-1]
        lines = [f"the log: {_names(grouped[READING])} (scorio help files)"] if READING in grouped else []
        lines += [f"the ledger: {_names(grouped[LEDGER])}"] if LEDGER in grouped else []
        lines += [f"the output: {_names(grouped[OUTPUT])}"] if OUTPUT in grouped else []
        lines.append(f"scorio help {name}: all options, the meaning of the output, exit codes")
        return out.format_help() + "\n" + "\n".join(fill(x, 79, subsequent_indent="  ") for x in lines) + "\n"

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        text = f"{self.prog}: error: {message.replace(POSITIONAL, '')} (see {self.prog} --help)"
        self.exit(2, printable(text) + "\n")

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
        args = list(args)
        if "--" in args:  # argparse forgets it when it reads positional arguments and options in any order
            i = args.index("--")
            args[i:] = [POSITIONAL + x for x in args[i + 1 :]]
        self._refuse_unknown([x for x in args if x.startswith("--") and " " not in x])
        self.is_intermixed = True
        try:
            parsed, unrecognized = self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_intermixed = False
        if unrecognized:
            self.error(f"unrecognized arguments: {' '.join(unrecognized)}")
        return parsed, unrecognized

    def _refuse_unknown(self, words: list[str]) -> None:
        """Refuse the first unknown option, before argparse says that something else is missing."""
        option_names = [name for name in self._option_string_actions if name.startswith("--")]
        for word in (x.partition("=")[0] for x in words):
            if any(name.startswith(word) for name in option_names):
                continue
            if word == "--metric":
                with_k = "--k 4 adds Pass@4, and " if "--k" in option_names else ""
                self.error(f"there is no --metric here: {with_k}scorio evaluate --metrics has others")
            meant = "--size" if word in ("--width", "--figsize") and "--size" in option_names else word
            self.error(f"unrecognized arguments: {word}{self._suggestion(meant, option_names)}")

    def _suggestion(self, word: str, option_names: list[str]) -> str:
        """The end of the error about an unknown option: a similar one, or the commands that have it."""
        parsers = {name: parser._option_string_actions for name, parser in self.all_commands().items()}
        elsewhere = {x: 0 for options in parsers.values() for x in options if x.startswith("--")}
        # an option of another command is suggested only if little of it is mistyped
        similar = [] if nearest_name(word, option_names) else get_close_matches(word, elsewhere, 1, 0.85)
        meant = word if word in elsewhere else next(iter(similar), None)
        if meant is None or meant in option_names:
            return nearest(word, option_names)
        having = listed([f"scorio {x}" for x, options in parsers.items() if meant in options])
        return f": {meant} is an option of {having}"

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Parse a value; a percentage is refused with the number to write."""
        arg_string = arg_string.removeprefix(POSITIONAL)
        try:
            return super()._get_value(action, arg_string)  # type: ignore[misc]
        except argparse.ArgumentError:
            if action.type is float and (match := PERCENT.fullmatch(arg_string)):
                share = f"{float(match[1]) / 100:.10g}"
                raise argparse.ArgumentError(action, f"{arg_string!r} is not a number: write {share}") from None
            raise


def _in_short(x: argparse.Action) -> argparse.Action:
    """Copy of an option that takes one line of the help: its first clause, as much of it as fits."""
    short = copy(x)
    if x.choices and x.metavar is None:
        word = "|".join(map(str, x.choices))
        short.metavar = word if len(word) < 40 else x.dest.upper()
    text = re.split(r" \(|; ", x.help or "", maxsplit=1)[0]
    if len(text) > ROOM:
        text = text[:ROOM].rpartition(", ")[0] or shorten(text, ROOM, placeholder=" ...")
    short.help = text.replace("%", "%%")
    return short


def _repeated(x: argparse.Action) -> str:
    """A positional argument as the usage shows it; while arguments are parsed, argparse keeps its number aside."""
    nargs = getattr(x, "save_nargs", x.nargs)
    return {"+": f"{x.metavar} [{x.metavar} ...]", "*": f"[{x.metavar} ...]"}.get(str(nargs), str(x.metavar))


def _names(actions: Sequence[argparse.Action]) -> str:
    """Names of options, the long one of each."""
    return " ".join(x.option_strings[-1] for x in actions)


def add_command(commands: Any, name: str, about: str, hidden: bool) -> Parser:
    """Add a command, which the list of commands omits if it is hidden, and return its parser."""
    head, _, tail = about.rstrip(".").partition(": ")
    short = tail if tail and len(head.split()) < 3 else head  # a short head, such as "Changes", says little
    summary = {} if hidden else {"help": short if "@" in short.split()[0] else short[0].lower() + short[1:]}
    parser: Parser = commands.add_parser(name, description=fill(about, 80), formatter_class=Raw, **summary)
    return parser
