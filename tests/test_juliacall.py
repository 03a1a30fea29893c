"""scorio.julia on every case of spec/: by juliacall where it can be set up, else by a stand-in, which is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import spec

import julia

PROGRAM = spec.ROOT / "tests" / "juliacall_vectors.py"


def run(*options: str) -> dict[str, Any]:
    """What the program prints, in a process of its own."""
    env = os.environ | {"PYTHON_JULIACALL_HANDLE_SIGNALS": "yes"}
    command = [sys.executable, str(PROGRAM), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
def test_same_bits_from_python(record_property: Any) -> None:
    """Arrays in place, results and refusals as Python's; every form of outcomes that the tally takes."""
    result, by = run(), "juliacall"
    if "why" in result:
        why, path = " ".join(result["why"].split())[:200], julia.executable()
        if path is None:
            record_property("bridge juliacall", f"did not run: {why}; and there is no Julia to stand in")
            return
        result, by = run("--stand-in", path), f"a stand-in for juliacall ({why})"
    assert result["cases"] > 6000
    assert result["refused"] > 5000
    assert not result["wrong"], result["wrong"][:20]
    counts = f"{result['cases']} cases of spec/ and {result['refused']} refusals"
    record_property("bridge juliacall", f"Julia {result['version']}, {counts}: no bit differs, by {by}")
