"""The version of the package, and which of two packages of this name it is."""

import os

__version__ = "0.1.0"


def which() -> str:
    """The version, the place of the installed package, and that it is not the one of this name on the index."""
    return (
        f"scorio {__version__}, the package with the command scorio and Scorio.jl\n"
        f"installed in {os.path.dirname(os.path.abspath(__file__))}\n"
        "not the package scorio of the Python Package Index: docs/migrating.md of the repository compares the two"
    )
