"""The version of the package, and a text that tells it from another package of the same name."""

import os

__version__ = "0.1.0"


def version_text() -> str:
    """The version and folder of this package, and a note that it is not the scorio of the Python Package Index."""
    return (
        f"scorio {__version__}, the package with the command scorio and Scorio.jl\n"
        f"installed in {os.path.dirname(os.path.abspath(__file__))}\n"
        "not the package scorio of the Python Package Index: docs/migrating.md of the repository compares the two"
    )
