"""Models side by side, and what a reader of the table must know."""

from .rows import FAMILIES, PAIRS, Row, held, interval_of, leaderboard, lost, notes

__all__ = ["FAMILIES", "PAIRS", "Row", "held", "interval_of", "leaderboard", "lost", "notes"]
