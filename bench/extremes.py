"""Times of every command on 1,000 questions with up to 10^6 trials each, at ordinary and at extreme options.

    python bench/extremes.py                  a table of the slowest, about half an hour on two cores
    python bench/extremes.py --short          a quarter as many questions, up to 10^4 trials, in two minutes
    python bench/extremes.py --only extrapolate   the commands that contain this text; --all prints every row

The logs are of two models, counts of 0 and 1 or trials with grades 0..10, with equal or different numbers of trials of
the questions. Fails where a command takes more than LIMIT seconds, or ends otherwise than with a result or one line
that says why it has none.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

LIMIT = 5.0  # seconds of a command, on an idle core
EXITS = {0, 1, 2, 3}  # a result, the verdicts of gates, and invalid input
GRADED = 64  # a log has single grades, not their counts
HUGE = (10**5, 2 * 10**6, 10**9, 2**53)
CONFIDENCES = ("0.5", "0.999999", "0.9999999999999999", "1e-12")
METRICS = ("pass@k", "pass^k", "maj@k", "mg-pass@k", "auc@k", "g-pass@k", "flip_rate", "max@k")


def write(path: Path, top: int, graded: bool, equal: bool, questions: int) -> None:
    """Write counts of two models, top the largest number of trials; or grades, at most GRADED trials of a question."""
    r = random.Random(top)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["model", "question", *(["outcome"] if graded else ["c", "n"])])
        for model, q in itertools.product("ab", range(questions)):
            n = min(top, GRADED) if graded else top
            n = n if equal else r.randint(n // 2, n)
            if graded:
                rows.writerows([model, q, r.randint(0, 10)] for _ in range(n))
            else:
                rows.writerow([model, q, r.choice([0, 1, 2, n, r.randint(0, n), r.randint(0, n)]), n])


def commands(n: int, out: Path) -> list[str]:
    """The commands, LOG for the log and W for the scores of its grades."""
    ks = sorted({1, 2, 64, n // 2, n // 2 + 1, n - 1, n, *HUGE})
    html, figure = out / "x.html", out / "x.svg"
    plain = [
        "leaderboard LOG", "compare LOG", "gate LOG a b --margin .01", "changes LOG a b", "rank LOG", "plan LOG",
        "items LOG", "evaluate LOG", "extrapolate LOG", f"receipt LOG -o {out}/r.json", f"verify {out}/r.json LOG",
        f"report LOG -o {html}", "agreement LOG", "converge LOG", "plan LOG --design", "judge LOG --draw 20",
        "convert LOG --to counts", "convert LOG", f"plot pass_at_k LOG --model a -o {figure}",
    ]  # fmt: skip
    plain += [
        f"plot {kind} LOG -o {figure}"
        for kind in ("forest", "comparisons", "items", "difficulty", "missing", "power", "tau_curve", "convergence")
    ]
    for k in ks:
        plain += [f"{c} LOG --k {k}" for c in ("leaderboard", "compare", "evaluate", "extrapolate")]
        plain += [f"extrapolate LOG --metric pass^k --k {k} --width .01", f"report LOG --k {k} -o {html}"]
        plain += [f"receipt LOG --k {k} -o {out}/r.json", f"verify {out}/r.json LOG"]
        plain += [f"plot pass_at_k LOG --model a --k {k} -o {figure}"]
        for m in METRICS:
            tau = " --tau .5" if m == "g-pass@k" else ""
            plain += [f"{c} --metric {m} --k {k}{tau}" for c in ("gate LOG a b --margin .01", "rank LOG")]
        plain += [f"evaluate LOG --k {k} --tau {tau}" for tau in ("1e-300", ".999999", "1")]
    for p in CONFIDENCES:
        plain += [f"{c} LOG --confidence {p}" for c in ("leaderboard", "compare", "rank", "plan", "items")]
        plain += [f"gate LOG a b --margin .01 --confidence {p}", f"gate LOG --model a --at-least .5 --confidence {p}"]
        plain += [f"extrapolate LOG --confidence {p}", f"interval {n // 3}/{n} {n // 2}/{n} --confidence {p}"]
        plain += [f"report LOG --confidence {p} -o {html}", f"gate LOG a b --margin .01 --look 2/5 --confidence {p}"]
    for x in ("0", "1e-300", ".5", "0.9999999999999999", "1"):
        plain += [f"gate LOG --model a --at-least {x}", f"gate LOG --model a --each {x}", f"changes LOG a b --fdr {x}"]
        plain += [f"gate LOG a b --margin {x}", f"plan LOG --difference {x}", f"plan LOG --half-width {x}"]
        plain += [f"plan LOG --power {x}", f"plan LOG --design --se {x}", f"plan LOG --design --coefficient {x}"]
        plain += [f"extrapolate LOG --width {x}", f"items LOG --fdr {x}", f"plan LOG --margin {x}"]
        plain += [
            f"plan --n-questions {q} --n-trials {t} --rate {x} --difference .02" for q in (1, 2**53) for t in HUGE
        ]
    plain += [f"gate LOG a b --margin .01 --look {i}/{j}" for i, j in ((1, 2), (99, 100), (1000, 1000), (1, 10**9))]
    plain += [f"plan LOG --design --max-trials {k}" for k in HUGE]
    plain += ["gate LOG a b --margin .01 --changes", f"interval 1/{2**53} {2**52}/{2**53}", f"interval 3/{10**18}"]
    return list(dict.fromkeys(plain))


def run(command: str, log: Path, graded: bool, seconds: float) -> tuple[float, str]:
    """Seconds of a command, and how it ended: its exit code and, where it failed, its last line."""
    words = [str(log) if x == "LOG" else x for x in command.split()]
    if graded and words[0] not in ("interval", "agreement") and str(log) in words:
        words += ["--w", ",".join(f"{j / 10:g}" for j in range(11)), "--missing", "drop"]
    start = perf_counter()
    try:
        x = subprocess.run([sys.executable, "-m", "scorio", *words], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return seconds, "did not end"
    lines = x.stderr.strip().splitlines()
    fault = x.returncode not in EXITS or "Traceback" in x.stderr or (x.returncode == 2 and "fault" in x.stderr)
    ended = "FAULT " if fault else ""
    return perf_counter() - start, f"{ended}{x.returncode} {lines[-1] if lines and x.returncode else ''}"


def main() -> int:
    """Print the table; 1 if a command is too slow, or ends in a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--all", action="store_true", help="print every row")
    parser.add_argument("--only", default="", help="commands that contain this text")
    parser.add_argument("--trials", type=int, nargs="+", help="largest numbers of trials")
    parser.add_argument("--kinds", default="01,01 ragged,graded,graded ragged")
    parser.add_argument("--timeout", type=float, default=4 * LIMIT)
    x = parser.parse_args()
    failed, count = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for n, kind in itertools.product(x.trials or ([10**4] if x.short else [10**4, 10**6]), x.kinds.split(",")):
            log, graded = Path(folder, "log.csv"), "graded" in kind
            write(log, n, graded, "ragged" not in kind, 250 if x.short else 1000)
            for c in commands(n, Path(folder)):
                if x.only not in c:
                    continue
                seconds, ended = run(c, log, graded, x.timeout)
                bad = seconds > LIMIT or ended.startswith("FAULT")
                failed, count = failed + bad, count + 1
                if bad or x.all:
                    print(f"| {kind} | {n:,} | {c.replace(folder, '')} | {seconds:.1f} | {ended} |", flush=True)
    print(f"{count} commands, {failed} above {LIMIT:g} s or at fault")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
