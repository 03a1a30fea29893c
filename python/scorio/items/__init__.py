"""What each question measures, how reliable a ranking is, which design is cheaper, and the cost of a solved task."""

from .cost_per_solved import CostPerSolved, cost_per_solved
from .design import Design, design
from .items import Item, items
from .reliability import Reliability, reliability

__all__ = [
    "CostPerSolved",
    "Design",
    "Item",
    "Reliability",
    "cost_per_solved",
    "design",
    "items",
    "reliability",
]
