"""Links of the manual from the examples of its pages to the page that runs in a browser (web/), on the same log."""

from __future__ import annotations

import html
import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```text\n\$ scorio (?P<words>[^\n]*spec/examples/[^\n]*)\n.*?^```\n", re.M | re.S)
OPTIONS = {
    "--margin": "margin",
    "--difference": "difference",
    "--k": "k",
    "--metric": "metric",
    "--questions": "target",
}


def builder() -> ModuleType:
    """The script web/build.py as a module."""
    spec = importlib.util.spec_from_file_location("web_build", ROOT / "web" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fragment(command: str) -> str | None:
    """What the page has to open to show what a command shows; None where it does not show that."""
    name, log, *rest = shlex.split(command)
    file = Path(log).name
    if name not in ("leaderboard", "compare", "gate", "plan", "runs") or file not in builder().EXAMPLES:
        return None
    settings: dict[str, str] = {"example": file, "section": name}
    models = list[str]()
    words = iter(rest)
    for word in words:
        if not word.startswith("--"):
            models.append(word)
        elif word in OPTIONS:
            settings[OPTIONS[word]] = next(words)
        elif word != "--ranks":
            return None
    if settings.get("metric", "mean") not in ("mean", "pass@k", "pass^k"):
        return None
    if name == "leaderboard" and "k" in settings:
        settings["metric"] = settings.get("metric", "pass@k")
    return urlencode(settings | dict(zip(("a", "b"), models, strict=False)))


def add_links(app: Any, name: str, source: list[str]) -> None:
    """Add a link below each example that the page shows too."""
    up = "../" * name.count("/")

    def linked(match: re.Match[str]) -> str:
        link = fragment(match["words"])
        return match[0] + (
            f'\n<a href="{up}scorio.html#{html.escape(link)}">Open this log on the page</a>\n' if link else ""
        )

    if app.builder.format == "html":
        source[0] = BLOCK.sub(linked, source[0])


def write_page(app: Any, failed: Exception | None) -> None:
    """Write the page beside the manual."""
    if not failed and app.builder.format == "html":
        builder().main(Path(app.outdir) / "scorio.html")
