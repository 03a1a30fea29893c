"""Models side by side, and what a reader of the table must know."""

from .notes import incomplete, meanings, notes
from .rows import Row, interval_of, leaderboard

__all__ = ["Row", "incomplete", "interval_of", "leaderboard", "meanings", "notes"]
