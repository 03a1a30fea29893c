"""The one exception of the package. Its codes are the closed list of spec/errors.json."""

from __future__ import annotations

from typing import Any, NamedTuple


class Hint(NamedTuple):
    """What would help: as the arguments of a function, and as the options of a command."""

    arguments: str
    options: str


HINTS = {
    "policy": Hint(
        'state a policy, missing="drop" or a category to count it as',
        "state a policy (--missing drop, or --missing CATEGORY)",
    ),
    "levels": Hint(
        'scores that are no categories need weights="levels"',
        "scores that are no categories need --weights levels",
    ),
    "constant": Hint(
        "a signal that is the same in every attempt can be given as one number",
        "a signal that is the same in every attempt can be stated by --assume, such as --assume C=0",
    ),
    "scores": Hint(
        'real-valued scores are read by scorio.io, as a frame or a file with weights="levels"',
        "scores that are no categories need --weights levels",
    ),
    "task": Hint(
        "choose one (task=), or take the .benchmarks of the log one by one",
        "choose one with --task; scorio leaderboard has a row for each",
    ),
    "tasks": Hint("leave the benchmark out, with e.select(benchmarks=...)", "leave it out with --task"),
    "counts": Hint('use form="counts"', "use --to counts"),
    "long": Hint('use form="long"', "use --to long"),
    "format": Hint("state which one (format=)", "state it with --from"),
}  # every hint that differs between the package and its command


def shown(x: Any) -> str:
    """A value as an error message shows it: short, whatever it is."""
    try:
        text = repr(x)
    except Exception:  # integers of thousands of digits refuse; strange objects may too
        text = f"<{type(x).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


class InvalidInput(ValueError):
    """Input that has no correct answer. Raised before any number is returned.

    Attributes
    ----------
    code : str
        One of the codes of ``spec/errors.json``, the same in every language.
    argument : str
        The name of the argument at fault.
    reason : str
        What is wrong, with the value and the place.
    hint : str or None
        What would help: a key of ``HINTS``, whose text ends the message.
    """

    def __init__(self, code: str, argument: str, reason: str, hint: str | None = None) -> None:
        super().__init__(reason if hint is None else f"{reason}: {HINTS[hint].arguments}")
        self.code = code
        self.argument = argument
        self.reason = reason
        self.hint = hint

    @property
    def on_command_line(self) -> str:
        """The message with the options of a command in the place of the arguments of a function."""
        return self.reason if self.hint is None else f"{self.reason}: {HINTS[self.hint].options}"

    def of(self, what: str, argument: str | None = None) -> InvalidInput:
        """The same error about a part of the input: what names it."""
        return InvalidInput(self.code, argument or self.argument, f"{what}: {self.reason}", self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.argument, self.reason, self.hint)
