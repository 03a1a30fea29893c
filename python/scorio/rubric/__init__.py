"""Rubrics: from signals of attempts to categories and Bayes@N (section 3.4 and appendix D of arXiv:2510.04265).

An attempt (one trial of a question by a model) has signals: is it correct, is the answer boxed, how long and how
confident is it, what does a verifier say? A schema assigns one of C + 1 categories by rules tried in order; each
category has a score w. Percentiles of a signal over the data set serve as thresholds. The twelve schemata of the paper
are in ``SCHEMATA``; :class:`Schema` declares your own in the same language.

``signals`` is a mapping of names to values: a matrix (M, N), or one number for every attempt, such as
``"C": 0`` where no verifier ran. Standard names are has_box and is_correct in [0, 1]; A, B and C in [0, 1], a
verifier's probabilities that the answer is correct, wrong, or off the task; repeated_pattern (0 or 1); token_ratio;
prompt_bpt and completion_bpt (bits per token, negative log-probabilities: never below 0). Other names are signals of
your own. NaN and None are missing; an attempt still gets a category if its missing signals cannot change it: with
repeated_pattern = 1 an attempt is invalid whatever C is.
"""

from .percentiles import percentile, thresholds
from .schema import SCHEMATA, Schema
from .scores import Scores, categories, score

__all__ = ["SCHEMATA", "Schema", "Scores", "categories", "percentile", "score", "thresholds"]
