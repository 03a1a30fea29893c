"""Table of all public names with the first lines of their docstrings: docs/api/names.md.

Run python tests/public_names.py to write it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import scorio

PAGE = Path(__file__).parents[1] / "docs" / "api" / "names.md"
TABLES = "<!-- tables: python tests/public_names.py -->\n"
NO_DOCSTRING = {"SCHEMATA": "The twelve schemata of the paper, by key"}
MODULES = ("eval", "rank", "sinf", "items", "converge", "rubric", "simulate", "utils", "io", "plot")


def first_line(thing: object) -> str:
    """First line of a docstring as Markdown in a cell."""
    line = (inspect.getdoc(thing) or "").partition("\n")[0].removesuffix(".")
    return re.sub(r":\w+:`~?([^`]+)`", r"`\1`", line).replace("``", "`").replace("|", "\\|")


def table(title: str, page: str, names: dict[str, object]) -> str:
    """Table of the names of a module under a heading that links to the full docstrings."""
    rows = [f"| `{name}` | {NO_DOCSTRING.get(name) or first_line(thing)} |" for name, thing in names.items()]
    return "\n".join(
        [
            f"## {title}",
            "",
            f"Parameters, results and examples: [`{title}`]({page}.md).",
            "",
            "| name | what it is |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def text() -> str:
    """All tables: the package, the methods of Evaluation, and the public modules in MODULES."""
    top_level = {x: y for x in scorio.__all__ if not isinstance(y := getattr(scorio, x), (ModuleType, str))}
    methods = {x: y for x, y in vars(scorio.Evaluation).items() if x[0] != "_" and inspect.getdoc(y)}
    out = [table("scorio", "scorio", top_level), table("Evaluation", "evaluation", methods)]
    for name in MODULES:
        module = importlib.import_module(f"scorio.{name}")
        out.append(table(f"scorio.{name}", name, {x: getattr(module, x) for x in module.__all__}))
    return "\n".join(out)


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text().partition(TABLES)[0] + TABLES + "\n" + text())
