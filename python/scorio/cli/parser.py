"""The parser of arguments: options may stand anywhere, and errors suggest what to type."""

from __future__ import annotations

import argparse
import re
import sys
from textwrap import fill
from typing import Any, NoReturn

from ..display.text import nearest, printable

NEGATIVE = re.compile(r"-[0-9.][0-9.,e+-]*")  # an argument that is numbers, not an option: --scale -1,1


PERCENT = re.compile(r"([0-9]*[.]?[0-9]+)\s*%", re.ASCII)


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
