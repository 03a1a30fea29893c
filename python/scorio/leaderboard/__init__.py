"""Models side by side, and what a reader of the table must know."""

from .notes import incomplete, meanings, notes
from .rows import Row, interval_of, leaderboard
from .sharing import every_eval_ever

__all__ = ["Row", "every_eval_ever", "incomplete", "interval_of", "leaderboard", "meanings", "notes"]
