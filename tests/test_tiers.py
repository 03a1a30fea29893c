"""Interpreted and compiled kernels: they give the same bits, and the faster one is chosen."""

from __future__ import annotations

import importlib.util
import os
import pty
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import spec
import strategies
import tiers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lengths import part, scaled

import julia
from scorio import Counts, InvalidInput, eval
from scorio.arithmetic import jit
from scorio.converge import kernels
from scorio.outcomes import counting

pytestmark = pytest.mark.slow

NO_JIT = jit.MODE == "0"
needs_numba = pytest.mark.skipif(NO_JIT, reason="Numba is switched off")
NAMES = sorted(spec.FUNCTIONS)
MAX_K = 2000  # calls with a larger k take minutes in the interpreter and are left out


def bits_or_refusal(name: str, args: dict[str, Any]) -> Any:
    """Bits of a result, or the refusal."""
    try:
        return julia.bits(spec.fields(name, spec.call(name, args)))
    except InvalidInput as e:
        return e.code, e.argument


@needs_numba
@pytest.mark.parametrize("name", NAMES)
def test_both_tiers_give_the_same_bits_for_vectors(name: str) -> None:
    """Check that both tiers give the same bits for each vector, unless its k takes minutes in the interpreter."""
    cases = [case for case in spec.vectors(name)["cases"][:: scaled(1, 15)] if (case["args"].get("k") or 1) <= MAX_K]
    results = []
    for tier in tiers.TIERS:
        with tiers.kernels_in_tier(lambda tier=tier: tier):  # type: ignore[misc]
            results.append([(case["id"], bits_or_refusal(name, case["args"])) for case in cases])
    assert results[0] == results[1]


@needs_numba
@pytest.mark.parametrize("name", part(NAMES, 4))
def test_switching_changes_no_bit(name: str) -> None:
    """Check that kernels which switch tiers at random give the results of the compiled ones, in random calls."""
    examples = (
        3 if name == "trials_needed" else scaled(15, 4)
    )  # a search of many steps takes minutes in the interpreter

    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(strategies.arguments(name), st.integers(0, 2**32))
    def compare(args: dict[str, Any], seed: int) -> None:
        coin = random.Random(seed)
        with tiers.kernels_in_tier(lambda: "compiled"):
            want = bits_or_refusal(name, args)
        with tiers.kernels_in_tier(lambda: coin.choice(tiers.TIERS)):
            assert bits_or_refusal(name, args) == want

    compare()


# --- kernels with a NumPy function for the interpreter ----------------------------------------------


def outcomes(rng: np.random.Generator, C: int, bad: bool) -> np.ndarray:
    """Matrix of any layout; if bad, with an entry outside 0..C."""
    M, N = int(rng.integers(1, 40)), int(rng.choice([1, 7, 8, 16, 64, 128]))
    R = rng.integers(0, C + 1, (M, N)).astype(rng.choice([np.int8, np.uint8, np.int64]))
    if bad:
        R[rng.integers(M), rng.integers(N)] = rng.choice([C + 1, 100, 127] if R.dtype == np.uint8 else [C + 1, -1, 127])
    return np.asfortranarray(R) if rng.random() < 0.3 else R


@needs_numba
@given(st.integers(0, 2**32), st.integers(0, 6), st.booleans())
def test_both_tiers_count_alike(seed: int, C: int, bad: bool) -> None:
    """Check counts, states, groups and refusals, for whole numbers and for floats with missing entries."""
    rng = np.random.default_rng(seed)
    R, C = outcomes(rng, C, bad), max(C, 1)
    with_gaps = np.where(rng.random(R.shape) < 0.2, np.nan, R).astype(rng.choice([np.float32, np.float64]))
    results = []
    for tier in tiers.TIERS:
        with tiers.kernels_in_tier(lambda tier=tier: tier):  # type: ignore[misc]
            results.append(
                [
                    counts_and_states(R, C, "raise"),
                    counts_and_states(with_gaps, C, "drop"),
                    counts_and_states(with_gaps / 2, C, "drop"),
                ]
            )
    assert results[0] == results[1]


def counts_and_states(R: np.ndarray, C: int, missing: str) -> Any:
    """Counts, states and groups made from R, or the message of the refusal."""
    from scorio import tally

    try:
        counts = tally(R, C, missing=missing)
    except InvalidInput as e:
        return str(e)
    other = Counts(counts.table)
    states = [x.tolist() for x in counts.states()] if C == 1 else []
    return counts.table.tolist(), counts.absent.tolist(), states, counts.groups(), other.groups()


@needs_numba
@pytest.mark.parametrize("C", [0, 3])
def test_both_tiers_read_a_missing_code_alike(C: int) -> None:
    """Check a code for missing entries, with 0 as the only other value and with several."""
    R, results = np.random.default_rng(C).integers(-1, C + 1, (50, 9)), []
    for kernel in (counting.graded_rows, counting.graded_columns):
        for tier in tiers.TIERS:
            category_counts, trials = np.zeros((50, max(C, 1)), np.int64), np.zeros(50, np.int64)
            # True: -1 is the code of missing entries; the result -1: no row has a bad entry
            assert tiers.call(kernel, tier, (R, C, True, np.int64(-1), category_counts, trials)) == -1
            results.append((category_counts.tolist(), trials.tolist()))
    assert all(x == results[0] for x in results)


@needs_numba
@given(st.integers(0, 2**32))
def test_both_tiers_rank_alike(seed: int) -> None:
    """Check convergence@n and tau of replicates, with scores from a table or totals, by columns or by rows."""
    rng = np.random.default_rng(seed)
    N, M, L = (int(x) for x in rng.integers(2, 6, 3))
    R = rng.integers(0, 2, (N, M, L)).astype(np.int8)
    table = rng.integers(0, 9, (N + 1, N + 1)) if rng.random() < 0.5 else np.zeros((1, 1), np.int64)  # no table
    first, rows, tol = int(rng.integers(1, N + 1)), int(rng.choice([1, M])), rng.integers(0, 3, N + 1)
    gold = rng.integers(1, 4, L).astype(float)
    order = np.argsort(gold, kind="stable")
    starts = np.diff(gold[order], prepend=-1.0) != 0
    results = []
    for tier in tiers.TIERS:  # replicates 3 to 22
        stable_at, totals = np.empty(20, np.int64), np.zeros((N - first + 1, L * (L - 1) // 2 + 1), np.int64)
        key = np.uint64(seed * 977 + 5)
        tiers.call(kernels.convergence_block, tier, (R, table, first, tol, order, starts, key, rows, 3, stable_at))
        tiers.call(kernels.tau_block, tier, (R, table, first, tol, gold, key, rows, 3, 23, totals))
        results.append((stable_at.tolist(), totals.tolist()))
    assert results[0] == results[1]


# --- the choice -------------------------------------------------------------------------------------


def run(code: str, **env: str) -> str:
    """Output of code that is run in a new process."""
    env = {k: v for k, v in os.environ.items() if k not in ("SCORIO_JIT", "NUMBA_DISABLE_JIT")} | env
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert process.returncode == 0, process.stderr
    return process.stdout


SMALL = """
import sys, numpy as np
from scorio import eval, rank, sinf
R = np.random.default_rng(1).integers(0, 2, (3, 30, 80))
"""


def test_small_data_is_not_compiled(tmp_path: Any) -> None:
    """Check that neither Numba nor SciPy is imported for 30 questions of 80 trials."""
    code = SMALL + "eval.auc_at_k_ci(R[0], 8), rank.bayes(R), sinf.compare(R[0], R[1], 'maj@k', 8, questions='sampled')"
    code += "\nprint({'numba', 'scipy'} & {*sys.modules})"
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == "set()\n"


def test_large_work_is_compiled_at_once(tmp_path: Any) -> None:
    """Check that a call that takes seconds is compiled at once (0 calls interpreted), and found by the next process."""
    code = "import sys; from scorio import Counts, eval; from scorio.metrics import posterior as p\n"
    code += "c = Counts.from_successes(range(400), [400] * 400); eval.auc_at_k_ci(c, 300)\n"
    code += "print(p.spectrum_at_k.calls, p.spectrum_at_k.cached)"
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == "0 False\n"
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == "0 True\n"


@needs_numba
def test_a_kernel_is_interpreted_below_the_time_of_compiling_and_then_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a call on many rows, and a loop of calls on few that has cost ten seconds (set here)."""
    table, mult, results = np.ones((30, 3)), np.ones(30, np.int64), []
    for seconds, repeats in ((0.0, 1), (0.0, 10**5), (10.0, 1)):
        kernel = jit.Kernel(eval._shared.double_double.weighted_sum.py_func)
        monkeypatch.setattr(kernel, "compile", lambda *args: "compiled")
        kernel.serve(kernel.run_cheaper_tier)
        assert all(kernel(table, mult) != "compiled" for _ in range(5))
        kernel.seconds += seconds
        monkeypatch.setattr(jit.Kernel, "total", jit.Kernel.total + seconds)
        results.append(kernel(np.tile(table, (repeats, 1)), np.tile(mult, repeats)) == "compiled")
    assert results == [False, True, True]


@needs_numba
def test_a_terminal_gets_a_notice_of_compiling(tmp_path: Any) -> None:
    """Check that a terminal gets one notice when a kernel is compiled, and none when it comes from the cache."""
    code = "from scorio import eval; print(eval.pass_at_k([[0, 1, 1]], 2), eval.avg([[0, 1, 1]]).mu)"
    for notices in (1, 0):
        terminal, process_end = pty.openpty()
        env = os.environ | {"SCORIO_JIT": "1", "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
        subprocess.run([sys.executable, "-c", code], stderr=process_end, stdout=subprocess.PIPE, env=env, check=True)
        os.write(process_end, b"end\n")
        assert os.read(terminal, 10_000).decode().count(jit.COMPILING) == notices
        os.close(terminal)
        os.close(process_end)


def test_results_have_python_types() -> None:
    """Check that results of functions, and what jit.native returns, have no NumPy scalars."""
    assert jit.native((np.float64(1.5), (np.int64(2), True))) == (1.5, (2, True))
    for x in (*eval.pass_at_k_ci([[0, 1, 1]], 2), eval.pass_at_k([[0, 1]], 1), *eval.avg([[0, 1]])):
        assert type(x) is float


def test_the_calls_of_the_start_benchmark_run() -> None:
    """Run the calls of bench/start.py on its own outcomes; test_bench_start.py runs them on a few outcomes."""
    module_spec = importlib.util.spec_from_file_location("start", spec.ROOT / "bench" / "start.py")
    bench = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(bench)
    scope: dict[str, object] = {}
    exec(bench.IMPORT_MODULES + bench.R.rstrip(), scope)
    for call in (*bench.CALLS.values(), *bench.WARM.values(), bench.EVERYTHING):
        exec(call, scope)
