"""The version of the package; where it is read from."""

__version__ = "0.1.0"
