"""Time that a user waits for imports, help, first calls in a new process and a report, with no kernel compiled yet.

    python bench/start.py [TREE...]   also times other checkouts of this repository, in the same run
    python bench/start.py --prices    times of compiling kernels, beside the expected ones (arithmetic/jit.py)

Times of warm calls are the shortest; every other number is the median of new processes (9, or fewer where one takes
seconds), which take turns; each has an empty cache of kernels. The limit of a row is the longest time that it
should take.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
TURNS, PATIENCE = 9, 25.0  # most runs of a row in a tree; seconds per tree after which no more are started
R = "import numpy as np; rng = np.random.default_rng(1); p = rng.random((30, 1)); "
R += "X = (rng.random((9, 30, 80)) < p).astype(np.int8); R, K = X[0], {'k': 8}; "
IMPORTS = "from scorio import eval, rank, sinf, converge, rubric"
IMPORT_MODULES = "import scorio; from scorio import eval, rank, sinf; from time import perf_counter as now; "
NOT_IN_EVALUATE = (
    "interval",
    "extrapolate",
    "extrapolate_model",
    "judged",
    "label_check",
    "agreement",
    "cohen_kappa",
    "best_of_k",
    "plurality_at_k",
)
NAMES = f"[n for n in eval.__all__ if n not in {NOT_IN_EVALUATE}]"
EVERYTHING = f"scorio.evaluate(R, {NAMES}, k=8, tau=0.5, weights=[1 / 8] * 8, questions='fixed')"
BOARD = "leaderboard spec/examples/tau_bench_gpt4o_airline.csv"
REPORT = "report spec/examples/langchain_tool_use.csv --questions sampled -o /dev/null"
FIXED, SAMPLED = "questions='fixed'", "questions='sampled'"
SCORES = "0.5, 0.01, 0.4, 0.02"
CALLS = {
    **{f"eval.{n}": f"eval.{n}(R)" for n in ("avg", "avg_ci", "bayes", "bayes_ci")},
    **{f"eval.{n}_at_k{ci}": f"eval.{n}_at_k{ci}(R, 8)" for ci in ("", "_ci") for n in (
        "pass", "unanimous", "g_pass", "maj", "mg_pass", "auc", "geom", "geom_ds", "geo_spectrum",
        "geo_spectrum_star", "max")},
    **{f"eval.pass_hat_k{ci}": f"eval.pass_hat_k{ci}(R, 8)" for ci in ("", "_ci")},
    **{f"eval.g_pass_at_k_tau{ci}": f"eval.g_pass_at_k_tau{ci}(R, 8, 0.5)" for ci in ("", "_ci")},
    **{f"eval.threshold_spectrum_at_k{ci}": f"eval.threshold_spectrum_at_k{ci}(R, 8, [1 / 8] * 8)"
       for ci in ("", "_ci")},
    "eval.mean_ci": f"eval.mean_ci(R, {SAMPLED})", "eval.extrapolate": "eval.extrapolate(R, 'pass@k', k=100)",
    "eval.extrapolate_model": "eval.extrapolate_model(R, 'pass@k', k=100)",
    **{f"eval.interval {m}": f"eval.interval(R, {m!r}, 8, {FIXED})" for m in ("pass@k", "maj@k", "auc@k", "max@k")},
    **{f"rank.{n}_at_k": f"rank.{n}_at_k(X, 8)" for n in ("pass", "auc", "geom", "geo_spectrum")},
    "rank.bayes": "rank.bayes(X)", "rank.ranges": f"rank.ranges(X, {SAMPLED})",
    "rank.elo, 2 models": "rank.elo(X[:2])", "rank.elo, 9 models": "rank.elo(X)",
    **{f"sinf.compare {m}": f"sinf.compare(X[0], X[1], {m!r}, 8, {SAMPLED})" for m in ("pass@k", "maj@k", "auc@k")},
    "sinf.compare": f"sinf.compare(X[0], X[1], {FIXED})", "sinf.compare sampled": f"sinf.compare(R, X[1], {SAMPLED})",
    "sinf.prob_above": f"sinf.prob_above(R, 0.5, {SAMPLED})",
    "sinf.questions_needed": "sinf.questions_needed(R, X[1])", "sinf.trials_needed": "sinf.trials_needed(R, X[1])",
    "sinf.ranking_confidence": f"sinf.ranking_confidence({SCORES})",
}  # fmt: skip
WARM = {
    "bayes": "eval.bayes(R)", "pass_at_k": "eval.pass_at_k(R, 8)", "mean_ci": f"eval.mean_ci(R, {SAMPLED})",
    "pass_at_k_ci": "eval.pass_at_k_ci(R, 8)", "interval pass@k": f"eval.interval(R, 'pass@k', 8, {FIXED})",
    "auc_at_k": "eval.auc_at_k(R, 8)", "auc_at_k_ci": "eval.auc_at_k_ci(R, 8)",
    "geo_spectrum_at_k_ci": "eval.geo_spectrum_at_k_ci(R, 8)",
}  # fmt: skip


def python(code: str, tree: Path, *, inside: bool) -> float:
    """Seconds of a new process that runs the code; inside: the seconds that the code prints."""
    with tempfile.TemporaryDirectory() as cache:
        unset = ("SCORIO_JIT", "NUMBA_DISABLE_JIT")
        home = {"PYTHONPATH": str(tree / "python"), "NUMBA_CACHE_DIR": cache}
        env = {k: v for k, v in os.environ.items() if k not in unset} | home
        start = perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=ROOT)
        seconds = perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{code}: {done.stderr}")
    return float(done.stdout.splitlines()[-1]) if inside else seconds


def timed(code: str) -> str:
    """Code that prints the seconds that it takes."""
    return f"from time import perf_counter as now; t = now(); {code}; print(now() - t)"


def first_call(call: str) -> str:
    """Code of the first call of a process that has imported the modules and made a matrix."""
    return f"{IMPORT_MODULES}{R}t = now(); {call}; print(now() - t)"


def command_line(line: str) -> str:
    """Code that runs a command line of scorio."""
    ended = "\ntry: main(sys.argv[1:])\nexcept SystemExit: pass"
    return f"import sys; sys.argv[1:] = {line.split()}\nfrom scorio.cli import main{ended}"


def medians(runs: list[Callable[[], float]]) -> list[float]:
    """Median time of each run; the runs take turns."""
    times_of_runs: list[list[float]] = [[] for _ in runs]
    start = perf_counter()
    for turn in range(TURNS):
        if turn and perf_counter() - start > PATIENCE * len(runs):
            break
        for times, run in zip(times_of_runs, runs, strict=True):
            times.append(run())
    return [statistics.median(times) for times in times_of_runs]


def row(name: str, code: str, trees: list[Path], *, inside: bool, limit: float | None = None) -> list[float]:
    """Measure and print one row of the table; return its times, like the limit in seconds."""
    times = medians([lambda tree=tree: python(code, tree, inside=inside) for tree in trees])  # type: ignore[misc]
    shown_limit = "" if limit is None else f"{1000 * limit:.0f} ms" + ("" if times[0] <= limit else " MISSED")
    print(f"| {name} | {shown_limit} | " + " | ".join(f"{1000 * x:.1f} ms" for x in times) + " |", flush=True)
    return times


def print_waits(trees: list[Path]) -> None:
    """Print times of imports, commands and a report, for each tree; what does not depend on scorio is timed once."""
    print("| what | limit | " + " | ".join(tree.name for tree in trees) + " |\n|" + "---|" * (len(trees) + 2))
    for tree in trees:  # compile the bytecode of all modules before times are taken
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(tree / "python")], check=True)
    numpy = row("import numpy", timed("import numpy"), trees[:1], inside=True)[0]
    row("import scorio", timed("import scorio"), trees, inside=True, limit=1.25 * numpy)
    row("import scorio and its modules", timed(IMPORTS), trees, inside=True)
    nothing = row("python -c pass", "pass", trees[:1], inside=False)[0]
    row("scorio --help", command_line("--help"), trees, inside=False, limit=1.5 * nothing + 0.06)
    row("scorio --version", command_line("--version"), trees, inside=False, limit=1.5 * nothing + 0.06)
    row("scorio leaderboard", command_line(BOARD), trees, inside=False, limit=1.0)
    row("evaluate, all metrics, k = 8", f"{R}{timed('from scorio import eval; import scorio; ' + EVERYTHING)}",
        trees, inside=True, limit=1.0)  # fmt: skip
    pyplot = row("import matplotlib.pyplot", "import matplotlib.pyplot", trees[:1], inside=False)[0]
    row("scorio report", command_line(REPORT), trees, inside=False, limit=1.3 * pyplot + 2.0)


def print_first_calls(trees: list[Path]) -> None:
    """Print times of first calls on 30 x 80 outcomes; two of the calls are timed in every tree."""
    print("\nFirst calls on 30 x 80 outcomes, after the import.\n")
    print("| call | limit | " + " | ".join(tree.name for tree in trees) + " |\n|" + "---|" * (len(trees) + 2))
    for name, call in CALLS.items():
        tree_subset = trees if name in ("eval.pass_at_k_ci", "eval.auc_at_k_ci") else trees[:1]
        row(name, first_call(call), tree_subset, inside=True, limit=0.1)


LOOPS = """
for call in CALLS:
    f = eval_(f"lambda: {call}")
    f()
    best = 1.0
    for _ in range(30):
        t = now()
        for _ in range(100): f()
        best = min(best, (now() - t) / 100)
    print(best)
"""


def print_warm_calls(trees: list[Path]) -> None:
    """Print times of calls of compiled kernels; the trees take turns."""
    print("\nWarm calls on 30 x 80 outcomes.\n\n| call | " + " | ".join(tree.name for tree in trees) + " |")
    print("|" + "---|" * (len(trees) + 1))
    # eval_ is the builtin, which the import of scorio.eval hides
    code = f"eval_ = eval\n{IMPORT_MODULES}{R}\nCALLS = {[*WARM.values()]}{LOOPS}"
    with tempfile.TemporaryDirectory() as cache:
        times_of_trees: list[list[list[float]]] = [[] for _ in trees]
        for _ in range(5):
            for times, tree in zip(times_of_trees, trees, strict=True):
                env = {"PYTHONPATH": str(tree / "python"), "NUMBA_CACHE_DIR": cache, "SCORIO_JIT": "1"}
                run = [sys.executable, "-c", code]
                out = subprocess.run(run, capture_output=True, text=True, check=True, env=os.environ | env).stdout
                times.append([float(x) for x in out.split()])
    for i, name in enumerate(WARM):
        print(
            f"| {name} | " + " | ".join(f"{1e6 * min(t[i] for t in times):.1f} us" for times in times_of_trees) + " |"
        )


def print_prices(cache: str) -> None:
    """Compile kernels when they are first called; print the time of each beside the expected one."""
    os.environ |= {"NUMBA_CACHE_DIR": cache, "SCORIO_JIT": "0"}
    import numpy as np

    from scorio import eval, rank
    from scorio.arithmetic import jit

    def compiled(kernel: jit.Kernel, *args: object) -> object:
        expected, copies = kernel.compile_seconds, [x.copy() if isinstance(x, np.ndarray) else x for x in args]
        start = perf_counter()
        kernel.without_numba(*copies)
        plain, start = perf_counter() - start, perf_counter()
        result = kernel.compile(*args)
        times = f"{1e6 * plain:.0f} us interpreted, {1e6 * kernel.expected_seconds(args):.0f} expected"
        print(f"{kernel.__name__:16} {perf_counter() - start:6.3f} s, {expected:5.3f} expected; {times}")
        return result

    import gc

    for kernel in [x for x in gc.get_objects() if isinstance(x, jit.Kernel)]:
        kernel.serve(lambda *args, kernel=kernel: compiled(kernel, *args))
    start = perf_counter()
    jit.Kernel(lambda x: x).dispatcher(1)
    print(f"Numba, its import and first use: {perf_counter() - start:.2f} s, {jit.IMPORT} expected")
    rng = np.random.default_rng(1)
    X = (rng.random((2, 30, 80)) < rng.random((30, 1))).astype(np.int8)
    eval.pass_at_k_ci(X[0], 8), eval.auc_at_k_ci(X[0], 8), eval.geom_at_k_ci(X[0], 8)
    eval.interval(X[0], "auc@k", 8, questions="fixed"), rank.elo(X)


def main() -> None:
    """Print the tables."""
    if "--prices" in sys.argv:
        with tempfile.TemporaryDirectory() as cache:
            for kind in ("compiled", "from the cache"):
                print(f"\n{kind}:")
                subprocess.run([sys.executable, __file__, "--price", cache], check=True)
    elif "--price" in sys.argv:
        print_prices(sys.argv[-1])
    else:
        trees = [ROOT, *(Path(x).resolve() for x in sys.argv[1:])]
        print_waits(trees)
        print_first_calls(trees)
        print_warm_calls(trees)


if __name__ == "__main__":
    main()
