"""Prints, for every function, its number of vectors and its worst error against the exact values."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import spec


def main() -> None:
    """One line a function, then the totals."""
    total, floats, rounded, worst = 0, 0, 0, 0.0
    print(f"{'function':28} {'cases':>5}  {'worst ULP':>9}  case")
    for name in spec.FUNCTIONS:
        cases = spec.vectors(name)["cases"]
        errors = [(max(e.values()), list(e.values()), c["id"]) for c in cases for e in [spec.errors(name, c)]]
        high, _, where = max(errors)
        print(f"{name:28} {len(cases):5}  {high:9.6f}  {where}")
        values = [x for _, e, _ in errors for x in e] if name != "tally" else []
        total, floats, worst = total + len(cases), floats + len(values), max(worst, high)
        rounded += sum(x <= 0.5 for x in values)
    print(f"{total} vectors, {floats} results, {rounded} of them the nearest double; worst error {worst:.6f} ULP")


if __name__ == "__main__":
    main()
