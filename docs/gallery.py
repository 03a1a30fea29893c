"""Draw the pictures of docs/guide/gallery.md, when the manual is built."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES, PICTURES = ROOT / "spec" / "examples", Path(__file__).parent / "guide" / "gallery"
SCHEMATA = ["exact_match", "format_aware", "length_robust", "efficiency_adjusted"]


def rubric_scores() -> Any:
    """Rubric scores of four simulated models under four schemata."""
    np, rubric = importlib.import_module("numpy"), importlib.import_module("scorio.rubric")
    rng, attempts = np.random.default_rng(3), {}
    for i, name in enumerate(("terse", "plain", "tidy", "wordy")):
        attempts[name] = {
            "is_correct": (rng.random((30, 4)) < 0.6 + 0.02 * i).astype(int),
            "has_box": (rng.random((30, 4)) < 0.95 - 0.15 * abs(2 - i)).astype(int),
            "token_ratio": rng.gamma(2.0, 0.1 + 0.1 * i, (30, 4)),
            "C": 0,
            "repeated_pattern": 0,
        }
    return rubric.score(attempts, SCHEMATA)


def benchmark_outcomes() -> Any:
    """Outcomes of five simulated models in four benchmarks of 40 questions; one model lacks one of them."""
    np, simulate = importlib.import_module("numpy"), importlib.import_module("scorio.simulate")
    names, tasks = ("ultra", "pro", "flash", "mini", "nano"), {"math": 0.0, "code": 0.1, "science": 0.2, "long": -0.1}
    logs: dict[str, Any] = {}
    for seed, (task, ease) in enumerate(tasks.items()):
        rates = [np.clip(np.linspace(0.05, 0.95, 40) + ease + 0.24 - 0.12 * i, 0, 1) for i in range(len(names))]
        logs[task] = dict(zip(names, simulate.coins(np.array(rates), 4, seed=seed), strict=True))
    del logs["long"]["nano"]
    return logs


def log_with_costs() -> Any:
    """Simulated log of five models with the cost of each trial."""
    np, rows = importlib.import_module("numpy"), ["model,question,outcome,cost"]
    rng = np.random.default_rng(1)
    models = (
        ("huge", 0.8, 0.6),
        ("large", 0.75, 0.15),
        ("old", 0.5, 0.3),
        ("medium", 0.6, 0.04),
        ("small", 0.35, 0.01),
    )
    for q, ease in enumerate(rng.normal(0, 0.25, 80)):
        for name, rate, price in models:
            for x, y in zip(rng.random(4), rng.lognormal(sigma=0.6, size=4), strict=True):
                rows.append(f"{name},q{q},{int(x < rate + ease)},{price * y:.5f}")
    return BytesIO("\n".join(rows).encode())


def plot_calls() -> dict[str, Callable[[Any], Any]]:
    """Functions that draw a picture on given axes, by the name of the function of scorio.plot."""
    scorio, plot = (importlib.import_module(x) for x in ("scorio", "scorio.plot"))
    tools, coins = scorio.read(EXAMPLES / "langchain_tool_use.csv"), scorio.read(EXAMPLES / "coins.csv", trials=True)
    airline = scorio.read(EXAMPLES / "tau_bench_gpt4o_airline.csv")
    return {
        "forest": lambda ax: plot.forest(tools, questions="sampled", ax=ax),
        "comparisons": lambda ax: plot.comparisons(coins, questions="fixed", ax=ax),
        "items": lambda ax: plot.items(coins, ax=ax),
        "difficulty": lambda ax: plot.difficulty(coins, ax=ax),
        "missing": lambda ax: plot.missing(coins, ax=ax),
        "pareto": lambda ax: plot.pareto(scorio.read(log_with_costs()), questions="sampled", ax=ax),
        "pass_at_k": lambda ax: plot.pass_at_k(airline, 64, ax=ax),
        "power": lambda ax: plot.power(coins.select(["small", "tiny"]), ax=ax),
        "runs": lambda ax: plot.runs(coins, ax=ax),
        "suite": lambda ax: plot.suite(benchmark_outcomes(), questions="sampled", ax=ax),
        "tau_curve": lambda ax: plot.tau_curve(coins, replicates=500, ax=ax),
        "convergence": lambda ax: plot.convergence(coins, replicates=500, ax=ax),
        "schemata": lambda ax: plot.schemata(rubric_scores(), ax=ax),
    }


def draw(app: Any = None) -> None:
    """Draw every picture into guide/gallery/NAME.svg."""
    canvas, style = (importlib.import_module(x) for x in ("scorio.plot.canvas", "matplotlib.style"))
    PICTURES.mkdir(exist_ok=True)
    with style.context(["default", {"svg.fonttype": "none", "svg.hashsalt": "scorio"}]):
        for name, call in plot_calls().items():
            figure = call(canvas.UNSHOWN).figure
            figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    draw()
