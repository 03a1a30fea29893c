"""A stand-in for juliacall where juliacall cannot be set up: Julia in this process, by its C interface.

It has what scorio.julia uses: ``Main.seval``, attributes of modules, calls. Arguments become Julia values as
PythonCall.jl converts them: lists and mappings have their own types, tuples are tuples. Results stay in Julia
unless they are text, numbers or nothing. NumPy arrays are refused: scorio.julia passes the address of their memory.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from types import ModuleType
from typing import Any

import numpy as np

PATHS = """
using Libdl
println(first(filter(x -> occursin("libjulia", x), Libdl.dllist())))
println(unsafe_string(Base.JLOptions().image_file))
println(Sys.BINDIR)
println(get(ENV, "LD_LIBRARY_PATH", ""))
"""
# encode() writes a result as a letter and its value: h is the index in VALUES of a value that stays in Julia,
# n nothing; b, i, f, s: truth value, integer, bits of a float, text; e the message of an error
START_CODE = """
module Stored
struct PyList <: AbstractVector{Any}
    items::Vector{Any}
end
Base.size(x::PyList) = size(x.items)
Base.getindex(x::PyList, i::Int) = x.items[i]
struct PyDict <: AbstractDict{Any,Any}
    pairs::Vector{Pair{Any,Any}}
end
Base.length(x::PyDict) = length(x.pairs)
Base.iterate(x::PyDict, i = 1) = i > length(x) ? nothing : (x.pairs[i], i + 1)
struct Py end
const VALUES = Any[]
@nospecialize
store(x) = (push!(VALUES, x); "h$(length(VALUES))")
encode(x) = store(x)
encode(::Nothing) = "n"
encode(x::Bool) = "b$x"
encode(x::Integer) = "i$x"
encode(x::Float64) = "f" * string(reinterpret(UInt64, x), base = 16, pad = 16)
encode(x::String) = "s$x"
encode_error(e) = "e" * sprint(showerror, e)
end
"""


class JuliaError(Exception):
    """Raised where Julia code throws."""


class Value:
    """A value that stays in Julia."""

    __module__ = "juliacall"

    def __init__(self, julia: Julia, index: int) -> None:
        self._julia, self._index = julia, index

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._julia.run(f"getproperty({literal(self)}, Symbol({literal(name)}))")

    def __call__(self, *args: Any, **options: Any) -> Any:
        positional = ", ".join(map(literal, args))
        keywords = ", ".join(f"{k} = {literal(v)}" for k, v in options.items())
        return self._julia.run(f"{literal(self)}({positional}; {keywords})")


def literal(x: Any) -> str:
    """Julia source of a value as PythonCall.jl hands it over."""
    if isinstance(x, Value):
        return f"Stored.VALUES[{x._index}]"
    if x is None or isinstance(x, bool):
        return "nothing" if x is None else str(x).lower()
    if isinstance(x, float):
        return f"reinterpret(Float64, 0x{struct.pack('>d', x).hex()})"
    if isinstance(x, (int, complex)):
        return f'(parse(BigInt, "{x}"))' if isinstance(x, int) and abs(x) >= 2**63 else str(x).replace("j", "im")
    if isinstance(x, str):
        return f"String(UInt8[{', '.join(map(str, x.encode()))}])"
    if isinstance(x, tuple):
        return f"({''.join(literal(y) + ', ' for y in x)})"
    if isinstance(x, list):
        return f"Stored.PyList(Any[{', '.join(map(literal, x))}])"
    if isinstance(x, dict):
        return f"Stored.PyDict(Pair{{Any,Any}}[{', '.join(f'{literal(k)} => {literal(v)}' for k, v in x.items())}])"
    assert not isinstance(x, np.ndarray), "an array must be passed by its memory"
    return "Stored.Py()"


class Julia:
    """The Julia of this process; there can be only one."""

    def __init__(self, library: str, image: str, folder: str) -> None:
        self.c = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        self.c.jl_eval_string.restype = ctypes.c_void_p
        self.c.jl_eval_string.argtypes = [ctypes.c_char_p]
        self.c.jl_string_ptr.restype = ctypes.c_char_p
        self.c.jl_string_ptr.argtypes = [ctypes.c_void_p]
        init = getattr(self.c, "jl_init_with_image__threading", None) or self.c.jl_init_with_image
        init.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        init(folder.encode(), image.encode())
        self.c.jl_eval_string(START_CODE.encode())

    def run(self, code: str) -> Any:
        """Evaluate Julia source; raise JuliaError where it throws."""
        result = self.c.jl_eval_string(f"try\nStored.encode({code})\ncatch e\nStored.encode_error(e)\nend".encode())
        if not result:
            raise JuliaError(f"not valid Julia: {code[:200]}")
        text = self.c.jl_string_ptr(result).decode()
        kind, text = text[0], text[1:]
        if kind == "e":
            raise JuliaError(text)
        if kind == "h":
            return Value(self, int(text))
        if kind == "f":
            return struct.unpack(">d", bytes.fromhex(text))[0]
        return {"n": None, "b": text == "true", "s": text}[kind] if kind != "i" else int(text)

    seval = run

    def __getattr__(self, name: str) -> Any:
        return self.run(f"getproperty(Main, Symbol({literal(name)}))")


def paths_of(julia: str) -> list[str]:
    """Paths of a Julia: its library, system image and folder, and where it looks for libraries."""
    env = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}  # Julia would add its own path to it
    run = subprocess.run([julia, "--startup-file=no", "-e", PATHS], capture_output=True, text=True, check=True, env=env)
    return run.stdout.split("\n")[:4]


def install(julia: str) -> None:
    """Put the stand-in where ``import juliacall`` finds it; this may restart the process with Julia's library path."""
    *where, path = paths_of(julia)
    if path and os.environ.get("LD_LIBRARY_PATH") != path:
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"LD_LIBRARY_PATH": path})
    module = ModuleType("juliacall")
    module.Main = Julia(*where)  # type: ignore[attr-defined]
    module.JuliaError = JuliaError  # type: ignore[attr-defined]
    sys.modules["juliacall"] = module
