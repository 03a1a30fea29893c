"""A Julia process that evaluates functions of Scorio.jl for the tests; the protocol is in julia/test/worker.jl."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tempfile
from math import isinf, isnan
from typing import Any

import numpy as np
import spec
from lengths import LONG


def executable() -> str | None:
    """The Julia that tests/run found, or the one on PATH."""
    return os.environ.get("SCORIO_JULIA") or shutil.which("julia")


class JuliaDied(RuntimeError):
    """Raised if there is no Julia, or if its process ends during a call: with the call and the last output."""


class Julia:
    """A Julia process that starts with the first call; a call after its death starts a new one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start a process; stray prints and error messages go to a file that a failure quotes."""
        path = executable()
        if path is None:
            raise JuliaDied("no Julia: tests/julia-here gets one")
        project, worker = spec.ROOT / "julia", spec.ROOT / "julia" / "test" / "worker.jl"
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115
        # compiling takes most of the time; the tests of Scorio.jl itself, and --long, run optimised code
        level = "-O2" if LONG else "-O1"
        command = [path, "--startup-file=no", level, f"--project={project}", str(worker)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr)

    def send(self, request: dict[str, Any], raw: bytes = b"") -> dict[str, Any]:
        """Send one request line and its block of bytes; return the parsed answer line."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = json.dumps(request, allow_nan=False)
        try:
            self.process.stdin.write(line.encode() + b"\n" + raw)
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            self.process.wait()
            self.stderr.seek(0)
            output = self.stderr.read().decode(errors="replace")[-2000:]
            raise JuliaDied(f"Julia ended with {self.process.returncode} on {line[:1000]}\n{output}")
        result: dict[str, Any] = json.loads(answer)
        return result

    def call(self, function: str, args: dict[str, Any]) -> dict[str, Any]:
        """{"result": fields, floats as bits}, {"error": code and argument} or {"crash": text}; R is sent as bytes."""
        raw, encoded = b"", {}
        for name, x in args.items():
            if isinstance(x, np.ndarray) and name == "R":
                raw = np.ascontiguousarray(x).tobytes()
                encoded[name] = {"raw": {"dtype": str(x.dtype), "shape": list(x.shape)}}
            else:
                encoded[name] = plain(x)
        return self.send({"function": function, "args": encoded}, raw)

    def close(self) -> None:
        """End the process by closing its input."""
        if self.process is not None and self.process.poll() is None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(10)


def plain(x: Any) -> Any:
    """A value as JSON in the form of spec/README.md: non-finite numbers and -0.0 as strings."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, float) and (isnan(x) or isinf(x)):
        return "nan" if isnan(x) else "inf" if x > 0 else "-inf"
    return "-0.0" if isinstance(x, float) and x == 0.0 and str(x) == "-0.0" else x


def bits(x: Any) -> Any:
    """A float as "x" and its 64 bits in hexadecimal, also in lists and fields; other values unchanged."""
    if isinstance(x, float):
        return "x" + struct.pack(">d", x).hex()
    if isinstance(x, dict):
        return {k: bits(v) for k, v in x.items()}
    return [bits(v) for v in x] if isinstance(x, list) else x
