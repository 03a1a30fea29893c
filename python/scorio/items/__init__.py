"""Item analysis, changes between runs, reliability of a ranking, cheapest designs, cost per solved task."""

from .changes import Change, changes
from .cost_per_solved import CostPerSolved, cost_per_solved
from .design import Design, design
from .items import Item, items
from .reliability import Reliability, reliability

__all__ = [
    "Change", "CostPerSolved", "Design", "Item", "Reliability", "changes", "cost_per_solved", "design", "items",
    "reliability",
]  # fmt: skip
