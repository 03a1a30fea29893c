"""Scorio.jl from Python, on NumPy arrays without copies, through juliacall (``pip install juliacall``).

The numbers are the same 64 bits as those of :mod:`scorio.eval`: this is for people who mix the two languages, and for
the tests that hold them together.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from .errors import InvalidInput


@cache
def module(project: str | None = None) -> Any:
    """The Julia module Scorio, loaded once.

    Parameters
    ----------
    project : str, optional
        Folder of Scorio.jl (``julia/`` of a checkout); default: where the active Julia environment has it.

    Returns
    -------
    juliacall.ModuleValue

    Raises
    ------
    ImportError
        juliacall is not installed, or could not set up a Julia; the message says which and why.
    """
    try:
        from juliacall import Main
    except Exception as e:  # its set-up looks for Julia on the network, and fails in many ways
        raise ImportError(f"juliacall could not be set up: {type(e).__name__}: {e}") from e
    if project is not None:
        Main.seval("path -> path in LOAD_PATH || push!(LOAD_PATH, path)")(os.path.abspath(project))
    Main.seval("import Scorio")
    return Main.Scorio


def call(name: str, R: Any, *args: Any, project: str | None = None, **options: Any) -> Any:
    """Call a function of Scorio.jl.

    Parameters
    ----------
    name : str
        Of a function of :mod:`scorio.eval`.
    R : array_like
        Outcomes; a NumPy array is seen by Julia in place, in either memory order.
    *args, **options
        As Scorio.jl has them: k, tau, w, R0, weights by position, the rest by name.
    project : str, optional
        As in :func:`module`.

    Returns
    -------
    float or tuple of float
        As the function of the same name in Python.

    Raises
    ------
    InvalidInput
        With the code and argument that Julia raised.
    """
    scorio = module(project)
    try:
        result = getattr(scorio, name)(np.asarray(R), *args, **options)
    except Exception as e:
        inner = getattr(e, "exception", e)
        if all(hasattr(inner, name) for name in ("code", "argument", "message")):
            raise InvalidInput(*(str(getattr(inner, name)) for name in ("code", "argument", "message"))) from None
        raise
    return result if isinstance(result, float) else tuple(float(x) for x in result)
