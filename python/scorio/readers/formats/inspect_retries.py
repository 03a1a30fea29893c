"""Retried logs of inspect_ai: of the files with one task id, the last successful file counts, or else the last."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ..packed import Members, naming_file
from ..text_files import SourceLocation, document
from .inspect_ai import MANAGER, head, not_run

SMALL = 1 << 14  # bytes; smaller files are kept in memory
MAX_KEPT = 1 << 13  # files that are kept in memory
# keys of the specification that inspect_ai.CONFIGURATION compares between the files of a model
CONFIGURED = ("task_args", "solver", "solver_args", "model_args", "model_generate_config", "dataset")
HEAD = 1 << 20  # bytes at the start of a .json log that are searched for the specification and the status
EVAL, STATUS = re.compile(r'"eval"\s*:\s*(?=\{)'), re.compile(r'"status"\s*:\s*"(\w+)"')


def superseded(files: Sequence[Path], prefetched: dict[Path, Any] | None = None) -> dict[Path, Path]:
    """Each file whose evaluation was retried, with the file that replaces it.

    prefetched collects the content of small files and the members of zip files, so that they are not read twice.
    """
    # the files of each task id: whether the status is success, the time of creation, the file's name, the run, the file
    tasks: dict[str, list[tuple[bool, str, str, str, Path]]] = {}
    for file in files:
        spec, status = _header(file, prefetched if prefetched is not None and len(prefetched) < MAX_KEPT else {})
        if isinstance(spec, dict) and isinstance(task := spec.get("task_id"), str) and task:
            tasks.setdefault(task, []).append(
                (status == "success", str(spec.get("created")), file.name, str(spec.get("run_id")), file)
            )
    newer: dict[Path, Path] = {}
    for logs in tasks.values():
        if len({run for *_, run, _ in logs}) < len(logs):
            continue  # copies of a file, which are not retries: counting detects them
        *old, last = sorted(logs)
        newer |= {entry[-1]: last[-1] for entry in old}
    return newer


def _zipped(file: Path, prefetched: dict[Path, Any]) -> tuple[Any, str]:
    """The specification of the evaluation in an .eval file, and its status; prefetched keeps the parts to be read."""
    with open(file, "rb") as f:
        members = Members(f)
        name = head(members.names)
        raw = members.read(name)
    try:
        log = document(raw, SourceLocation(file))
        members.documents[name] = {
            "eval": {x: y for x, y in log["eval"].items() if x in ("model", "task", "config", *CONFIGURED)},
            "status": log.get("status", "started"),
            "invalidated": log.get("invalidated"),
            "results": {
                **{x: (log.get("results") or {}).get(x) for x in ("completed_samples", "total_samples", "scores")},
                "early_stopping": {"manager": MANAGER, "early_stops": not_run(log)},
            },
        }  # the parts that are read later
        prefetched[file] = members
    except (InvalidInput, KeyError, TypeError, AttributeError):
        log = json.loads(raw)  # nothing is kept: reading the file reports the error
    return log.get("eval"), str(log.get("status"))


def _header(file: Path, prefetched: dict[Path, Any]) -> tuple[Any, str]:
    """The specification of the evaluation in a file, and its status; (None, "") for a file that is not such a log."""
    suffix = file.name[-5:].lower()
    try:
        if suffix == ".eval":
            with naming_file(file):
                return _zipped(file, prefetched)
        if suffix == ".json":
            with naming_file(file), open(file, "rb", 0) as f:
                raw = f.read(SMALL)
                while len(raw) < SMALL and (chunk := f.read(SMALL - len(raw))):  # one read may return fewer bytes
                    raw += chunk
                if len(raw) < SMALL:
                    prefetched[file] = raw
                else:
                    raw += f.read(HEAD - SMALL)
            if b'"eval"' not in raw:
                return None, ""
            text = raw.decode("utf-8", "replace")
            if match := EVAL.search(text):
                status = STATUS.search(text, 0, match.start())
                return json.JSONDecoder().raw_decode(text, match.end())[0], status[1] if status else ""
    except (InvalidInput, ValueError, AttributeError, RecursionError):
        pass  # reading the file reports the error
    return None, ""
