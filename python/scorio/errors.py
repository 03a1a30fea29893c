"""The one exception of the package. Its codes are the closed list of spec/errors.json."""

from typing import Any


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
    """

    def __init__(self, code: str, argument: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.argument = argument

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.argument, str(self))
