"""Texts of questions on one line: the fields that hold them, and those of the questions whose id is a hash.

Reading a log stores no texts, but a hash says nothing: the start of each hashed text is kept, for tables and reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# names of fields that may hold the text of a question, the first found counts
TEXTS = ("prompt", "input", "question", "question_text", "problem", "query", "instruction", "goal", "text", "ctx")
LONGEST = 120  # characters of a text in a report
LONGEST_NAME = 60  # in a table
MOST_KEPT = 100_000  # hashes whose texts are kept
_text_of: dict[str, str] = {}  # by hash


def line_of(x: Any, longest: int = LONGEST) -> str:
    """The text on one line, cut after so many characters; "" for anything but text."""
    line = " ".join(x.split()) if isinstance(x, str) else ""
    return line if len(line) <= longest else line[: longest - 1] + "…"


def keep(hashed: str, content: Any) -> None:
    """Keep the text in the content that a hash was made of."""
    if len(_text_of) < MOST_KEPT and hashed not in _text_of:
        _text_of[hashed] = next(filter(None, map(line_of, _texts(content))), "")


def kept(hashed: str) -> str:
    """The text of a question whose id is a hash; "" for other ids."""
    return _text_of.get(hashed, "")


def question_name(question: str) -> str:
    """The name of a question in a table: its id, or the start of its text and of its id if that is a hash."""
    text = kept(question)
    return f"{line_of(text, LONGEST_NAME)} [{question[:6]}]" if text else question


def _texts(x: Any) -> Iterator[str]:
    """The texts in a value: of a mapping, those of usual fields first; of a conversation, the last message first."""
    if isinstance(x, str):
        yield x
    elif isinstance(x, Mapping):
        for key in (*(name for name in TEXTS if name in x), "content", "messages", *x):
            yield from _texts(x.get(key))
    elif isinstance(x, (list, tuple)):
        is_conversation = all(isinstance(y, Mapping) and "content" in y for y in x)
        for y in reversed(x) if is_conversation else x:
            yield from _texts(y)
