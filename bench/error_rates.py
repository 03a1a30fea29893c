"""Error rates of decisions at a nominal 5%, in tables and a picture: rules in common use, and those of scorio.

    python bench/error_rates.py            bench/error_rates.png, a minute
    python bench/error_rates.py --short    less exact, and no picture

Both fail where a rule of the package is above 6% (--short: 7.5%), or a rule in common use is nowhere above 10%.

All models are equal, so every significant difference is an error. The rules in common use are those that the standard
errors of evaluation tools suggest: each pair by itself, each look by itself, clusters ignored, and the clustered
standard error with a normal quantile.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from decisions import all_pairs, cluster_runs, rates
from looks import boundaries, first_crossing, runs_by_trials, score
from pair_rules import fixed_differences, holm, sampled_differences
from scipy.special import ndtr

ALPHA, SEED = 0.05, 5
MODELS, LOOKS, CLUSTERS = (2, 3, 5, 8, 12, 20), (1, 2, 4, 8, 16, 31), (4, 6, 10, 16, 30)
Panel = dict[str, list[float]]


def pair_error_rates(B: int) -> Panel:
    """Share of runs in which some pair of L equal models is called different; 40 questions, 8 trials."""
    p = rates(np.random.default_rng(SEED), "Beta(2, 6)", 40)
    out: Panel = {"every pair by itself": [], "Holm over all pairs (scorio)": []}
    for L in MODELS:
        P = {earlier: all_pairs(np.random.default_rng([SEED, L]), np.tile(p, (L, 1)), 8, B, earlier)[0]
             for earlier in (True, False)}  # fmt: skip
        out["every pair by itself"].append(float((P[True].min(1) <= ALPHA).mean()))
        out["Holm over all pairs (scorio)"].append(float((holm(P[False]).min(1) <= ALPHA).mean()))
    return out


def look_error_rates(B: int) -> Panel:
    """Share of runs in which two equal models are called different at some look; 40 questions, up to 32 trials."""
    p = rates(np.random.default_rng(SEED), "Beta(2, 6)", 40)
    out: Panel = {"every look by itself": [], "planned looks (scorio)": []}
    for n in LOOKS:
        looks = np.unique(np.linspace(32, 2, n).round().astype(int))
        z = [
            score(fixed_differences(a, b)) for a, b in runs_by_trials(np.random.default_rng([SEED, n]), p, p, looks, B)
        ]
        for name, bound in zip(out, (np.full(n, 1.959964), boundaries(looks / 32, "obrien-fleming")), strict=True):
            out[name].append(float((first_crossing(z, bound) < n).mean()))
    return out


def cluster_error_rates(B: int) -> Panel:
    """Share of runs in which two equal models are called different, on clusters of 12 and of 1 question alternately."""
    out: Panel = {
        "clusters ignored": [],
        "clustered standard error, normal quantile": [],
        "CR2 with its t quantile (scorio)": [],
    }
    for G in CLUSTERS:
        m, rng = np.array([12, 1] * (G // 2)), np.random.default_rng([SEED, G])
        a, b = cluster_runs(rng, m, B), cluster_runs(rng, m, B)
        d = a.u - b.u
        D = d.mean(1, keepdims=True)
        sums = np.add.reduceat(d - D, np.append(0, np.cumsum(m)[:-1]), axis=1)
        error = np.sqrt(np.maximum((sums**2).sum(1), 1e-12)) / m.sum()
        p = (
            sampled_differences(d).p(),
            2 * ndtr(-np.abs(D[:, 0]) / error),
            sampled_differences(d, m).p(),
        )
        for shares, x in zip(out.values(), p, strict=True):
            shares.append(float((x <= ALPHA).mean()))
    return out


PANELS = (
    ("Leaderboards", "equal models", MODELS, pair_error_rates),
    ("Stopping early", "looks at the results", LOOKS, look_error_rates),
    ("Clusters of questions", "clusters", CLUSTERS, cluster_error_rates),
)


def picture(panels: list[Panel], path: Path) -> None:
    """Draw a panel for each kind of decision."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", sharey=True)
    styles = {"(scorio)": ("#0072B2", "o"), "clustered": ("#CC79A7", "s"), "": ("#D55E00", "^")}
    for ax, (title, what, at, _), panel in zip(axes, PANELS, panels, strict=True):
        for name, y in panel.items():
            colour, marker = next(style for word, style in styles.items() if word in name)
            ax.plot(at, [100 * v for v in y], color=colour, marker=marker, label=name)
        ax.axhline(100 * ALPHA, color="#666666", linestyle="--", linewidth=1)
        ax.set(title=title, xlabel=what, xscale="log", ylim=(0, 100))
        ax.set_xticks(at, [str(x) for x in at])
        ax.minorticks_off()
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    axes[0].set_ylabel("wrongly called different, % of runs")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the error rates, and draw bench/error_rates.png (not with --short)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    panels = [rule(1000 if short else 20_000) for *_, rule in PANELS]
    worst, lowest = 0.0, 1.0
    for (title, what, at, _), panel in zip(PANELS, panels, strict=True):
        print(f"\n| {title}: {what} | " + " | ".join(map(str, at)) + " |\n|---" + "|---" * len(at) + "|")
        for name, y in panel.items():
            print(f"| {name} | " + " | ".join(f"{100 * v:.1f}%" for v in y) + " |")
            worst = max(worst, *y) if "scorio" in name else worst
            lowest = min(lowest, max(y)) if "scorio" not in name else lowest
    if not short:
        picture(panels, Path(__file__).with_name("error_rates.png"))
    if worst > (0.075 if short else 0.06) or lowest < 0.1:
        sys.exit(f"error rates: the package up to {worst:.1%}, each of the other rules somewhere at least {lowest:.1%}")


if __name__ == "__main__":
    main()
