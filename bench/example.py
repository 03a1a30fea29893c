"""Draw example.png for the guide, and write the simulated files of spec/examples (``python bench/example.py``)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import scorio
from scorio import plot, simulate
from scorio.commands.ledgers import judge
from scorio.ledger import Baseline, Build, append, key_of, lines_of, read_ledger

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "spec" / "examples"
MODELS = {"large": 0.7, "medium": 0.62, "small": 0.5, "tiny": 0.3}
SIGNALS = "is_correct,has_box,token_ratio,repeated_pattern,prompt_bpt,completion_bpt,A,B,C"


def coins() -> list[str]:
    """Outcomes of four models on 40 questions, eight trials each; success rates are beta distributed."""
    mean = np.tile(np.array(list(MODELS.values()))[:, None], 40)
    p = simulate.beta_rates(4 * mean, 4 * (1 - mean), seed=5)
    R = simulate.coins(p, 8, seed=6)
    rows = [f"{m},q{i + 1},{j + 1},{R[l, i, j]}" for l, m in enumerate(MODELS) for i in range(40) for j in range(8)]
    return ["model,question,trial,outcome", *rows]


def attempts() -> list[str]:
    """Attempts of four models, four on each of 20 questions: larger models write more, and box more answers."""
    rng = np.random.default_rng(7)
    rows = ["model,question,trial," + SIGNALS]
    for l, (model, mean) in enumerate(MODELS.items()):
        for i in range(20):
            for j in range(4):
                right, boxed = rng.random() < mean, rng.random() < 0.95 - 0.1 * l
                a = rng.beta(6, 2) if right else rng.beta(2, 5)
                c = (1 - a) * rng.random() * 0.6
                log_ratio, log_bits = 0.4 * (not right) - 0.2 * l, 0.15 * (not right) - 1.2
                signals = [int(right), int(boxed), 0.3 * rng.lognormal(log_ratio, 0.4), int(rng.random() < 0.01 * l)]
                signals += [rng.gamma(30, 0.1), rng.lognormal(log_bits, 0.3), a, 1 - a - c, c]
                rows.append(f"{model},q{i + 1},{j + 1}," + ",".join(f"{x:.4g}" for x in signals))
    return rows


def battles() -> list[str]:
    """Battles of every pair of models on the questions of langchain_tool_use.csv that both answered."""
    e = scorio.read(EXAMPLES / "langchain_tool_use.csv")
    correct = {m: dict(zip(x.ids, x.table[:, 1].tolist(), strict=True)) for m, x in e.counts().items()}
    winner = {(1, 0): "model_a", (0, 1): "model_b", (1, 1): "tie", (0, 0): "tie (bothbad)"}
    rows = [
        f"{a},{b},{winner[correct[a][q], correct[b][q]]},{q}"
        for a, b in combinations(correct, 2)
        for q in correct[a]
        if q in correct[b]
    ]
    return ["model_a,model_b,winner,question", *rows]


def ledger(path: Path) -> None:
    """Write a ledger: a pin of four evaluations, then 24 builds of 120 questions, four trials each.

    The eleventh build breaks a tool that twelve questions need; the nineteenth mends it for eight of them.
    """
    path.unlink(missing_ok=True)
    ids = [f"q{i + 1}" for i in range(120)]
    rates = simulate.beta_rates(np.full((1, 120), 4.8), np.full((1, 120), 1.2), seed=21)[0]
    needy = np.flatnonzero(rates > 0.9)[:12]
    broken, mended = rates.copy(), rates.copy()
    broken[needy], mended[needy[:4]] = 0.05, 0.05
    start = datetime(2026, 3, 2, 18, 4, tzinfo=UTC)
    for i in range(28):
        p = rates if i < 14 else broken if i < 22 else mended
        passed = simulate.coins(p[None], 4, seed=100 + i)[0].sum(1)
        counts = [(4 - passed).tolist(), passed.tolist()]
        commit = sha256(f"build {max(i, 3)}".encode()).hexdigest()[:40]
        time = f"{start + timedelta(days=max(0, i - 3), minutes=7 * i):%Y-%m-%dT%H:%M:%S}Z"
        x = read_ledger(path, missing_ok=True)
        build = Build(x.new_id(commit[:8]), time, commit, "main", "agent", key_of(ids), None, counts)
        if i >= 4:
            base, gates = x.baseline("main"), judge(x, "main", replace(build, gate={})).gates
            verdict = gates.builds[-1].verdict if gates else None
            build = replace(build, gate={"baseline": "main", "pin": base.pin, "verdict": verdict})
        append(x, lines_of(x, build, ids))
        if i == 3:
            pins = read_ledger(path).builds.values()
            names, digests = tuple(y.id for y in pins), tuple(y.digest for y in pins)
            append(x, [Baseline("main", names, digests, 0.1, 0.95, "fixed", time, "main").line()])


def main() -> None:
    """Draw bench/example.png and write the logs."""
    for name, rows in (("coins", coins()), ("attempts", attempts()), ("battles", battles())):
        (EXAMPLES / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    ledger(EXAMPLES / "ledger.jsonl")
    e = scorio.read(EXAMPLES / "langchain_tool_use.csv")
    figure, (left, right) = plt.subplots(1, 2, figsize=(13.5, 4.6), width_ratios=(1, 1.15), layout="constrained")
    plot.forest(e, questions="sampled", ax=left)
    plot.comparisons(e, questions="sampled", ax=right)
    figure.savefig(HERE / "example.png", dpi=110)


if __name__ == "__main__":
    main()
