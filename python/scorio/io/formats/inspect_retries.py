"""Logs of inspect_ai that a retry supersedes: several files of one task id, of which the last that ended counts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from .zips import Members

HEAD = 1 << 20  # bytes of a .json log that hold what was evaluated
EVAL, STATUS = re.compile(r'"eval"\s*:\s*(?=\{)'), re.compile(r'"status"\s*:\s*"(\w+)"')


def superseded(files: Sequence[Path]) -> dict[Path, Path]:
    """Each file whose evaluation was retried, and the one that stands in its place."""
    tasks: dict[str, list[tuple[bool, str, str, str, Path]]] = {}
    for file in files:
        told, status = _header(file)
        if isinstance(told, dict) and isinstance(task := told.get("task_id"), str) and task:
            tasks.setdefault(task, []).append(
                (status == "success", str(told.get("created")), file.name, str(told.get("run_id")), file)
            )
    found: dict[Path, Path] = {}
    for several in tasks.values():
        if len({run for *_, run, _ in several}) < len(several):
            continue  # copies of a file, which are no retries: counting finds them
        *old, last = sorted(several)
        found |= {entry[-1]: last[-1] for entry in old}
    return found


def _header(file: Path) -> tuple[Any, str]:
    """What was evaluated, and how it ended; nothing of what is no log of inspect_ai, or broken."""
    try:
        if file.suffix.lower() == ".eval":
            with file.open("rb") as f:
                members = Members(f)
                started = "header.json" if "header.json" in members.names else "_journal/start.json"
                log = json.loads(members.read(started))
                return log.get("eval"), str(log.get("status"))
        if file.suffix.lower() == ".json":
            with file.open("rb") as f:
                text = f.read(HEAD).decode("utf-8", "replace")
            if found := EVAL.search(text):
                status = STATUS.search(text, 0, found.start())
                return json.JSONDecoder().raw_decode(text, found.end())[0], status[1] if status else ""
    except (InvalidInput, ValueError, AttributeError, RecursionError):
        pass  # whoever reads the file says so
    return None, ""
