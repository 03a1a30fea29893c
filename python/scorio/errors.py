"""The one exception of the package. Its codes are the closed list of spec/errors.json."""

from __future__ import annotations

from typing import Any

HINTS = {
    "policy": 'state a policy, missing="drop" or a category to count it as',
    "levels": 'scores that are no categories need weights="levels"',
    "constant": "a signal that is the same in every attempt can be given as one number",
    "scores": 'real-valued scores are read by scorio.io, as a frame or a file with weights="levels"',
    "task": "choose one (task=), or take the .benchmarks of the log one by one",
    "format": "state which one (format=)",
}  # what would help, by a key: the command line says the same in its options


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
        super().__init__(reason if hint is None else f"{reason}: {HINTS[hint]}")
        self.code = code
        self.argument = argument
        self.reason = reason
        self.hint = hint

    def of(self, what: str, argument: str | None = None) -> InvalidInput:
        """The same error about a part of the input: what names it."""
        return InvalidInput(self.code, argument or self.argument, f"{what}: {self.reason}", self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.argument, self.reason, self.hint)
