"""The calls that bench/start.py times still run, here on few outcomes, since the benchmark is rarely run."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import spec

from scorio import cli

BENCH = spec.ROOT / "bench" / "start.py"
module_spec = importlib.util.spec_from_file_location("bench_start", BENCH)
assert module_spec is not None
assert module_spec.loader is not None
start = importlib.util.module_from_spec(module_spec)
module_spec.loader.exec_module(start)


@pytest.mark.parametrize("call", [*start.CALLS.values(), *start.WARM.values(), start.EVERYTHING, start.IMPORTS])
def test_each_timed_call_runs(call):
    X = (np.random.default_rng(1).random((3, 3, 10)) < 0.5).astype(np.int8)
    exec(f"{start.IMPORT_MODULES}{call}", {"R": X[0], "X": X})


@pytest.mark.parametrize("line", [start.BOARD, start.REPORT])
def test_each_timed_command_is_valid_and_its_file_exists(line):
    words = line.split()
    cli._parser(words).parse_args(words)
    assert (spec.ROOT / words[1]).is_file()
