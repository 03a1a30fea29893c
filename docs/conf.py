"""Sphinx configuration of the manual, `sphinx-build -W docs docs/_build`: Markdown pages, and docstrings as the API."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "docs")]

project, author = "scorio", "The scorio authors"
copyright = "2026, the scorio authors"
release = importlib.import_module("scorio").__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"scorio {release}"
html_copy_source = False
html_extra_path = ["cheatsheet.html"]

myst_heading_anchors = 3
suppress_warnings = [
    "ref.python",  # M in the types of parameters is a number, not the field of a class
    "myst.xref_missing",  # included pages of other folders link to files beside them
    "misc.highlighting_failure",  # Pygments does not understand every Julia session
]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings state shapes and types
napoleon_use_rtype = False
napoleon_use_ivar = True


def skip_tuple_field(app: Any, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out the fields of named tuples, whose docstrings state only their numbers."""
    return True if (getattr(obj, "__doc__", "") or "").startswith("Alias for field number") else None


def escape_markup(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape |w| and lambda_ in docstrings, which do not use these characters as markup."""
    for i, line in enumerate(lines if what != "module" else ()):
        parts = line.split("``")
        parts[::2] = [re.sub(r"(?<=\w)_(?!\w)", r"\\_", x.replace("|", r"\|")) for x in parts[::2]]
        lines[i] = line if line.lstrip().startswith((">>>", "...")) else "``".join(parts)


def write_julia(app: Any) -> None:
    """Write the page of Scorio.jl's docstrings, or a note that this machine has no Julia."""
    julia = os.environ.get("SCORIO_JULIA") or shutil.which("julia")
    page = ROOT / "docs" / "api" / "julia.md"
    text = "# Julia\n\nThis copy of the manual was built without Julia. In Julia `?bayes` prints a docstring.\n"
    if julia:
        functions = json.loads((ROOT / "spec" / "functions.json").read_text())["functions"]
        names = [function["name"].rpartition(".")[2] for function in functions]
        command = [
            julia,
            "--startup-file=no",
            f"--project={ROOT / 'julia'}",
            str(ROOT / "docs" / "julia_api.jl"),
            *names,
        ]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def write_markdown(app: Any, failed: Exception | None) -> None:
    """Write every page as Markdown beside its HTML, and llms.txt, which lists them with their first sentences."""
    if failed or app.builder.format != "html":
        return
    lines = [
        f"# {project}",
        "",
        "> Statistics for repeated evaluations of language models, in Python and in Julia.",
        "",
    ]
    for name in sorted(app.env.found_docs, key=lambda x: (x != "index", x != "agents", x)):
        source = Path(app.env.doc2path(name))
        if included := re.match(r"```{include} (.+)\n", source.read_text()):
            source = (source.parent / included[1]).resolve()
        text, page = re.sub(r"\A---\n.*?\n---\n", "", source.read_text(), flags=re.S), Path(app.outdir) / f"{name}.md"
        page.write_text(text)
        title, _, rest = text.partition("\n")
        rest = re.sub(r"^```.*?^```$", "", rest, flags=re.S | re.M)  # pages begin with a command and its output
        first = next((x for x in rest.split("\n\n") if re.match(r"\s*[\w*`\[]", x)), "").strip()
        about = re.match(r".+?(?:\.(?=\s|$)|$)", " ".join(first.split())) if name[:4] != "api/" else None
        lines.append(f"- [{title.removeprefix('# ')}]({name}.md)" + (f": {about[0]}" if about else ""))
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n")


def print_cheat_sheet(app: Any, failed: Exception | None) -> None:
    """Print the cheat sheet as a PDF of one page, if the machine has a Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser and not failed and app.builder.format == "html":
        page = Path(app.outdir).resolve() / "cheatsheet"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        command = [browser, *options, f"--print-to-pdf={page}.pdf", f"file://{page}.html"]
        subprocess.run(command, capture_output=True, timeout=60, check=False)


def setup(app: Any) -> None:
    """Connect the functions above to events of Sphinx."""
    app.connect("autodoc-process-docstring", escape_markup)
    app.connect("autodoc-skip-member", skip_tuple_field)
    app.connect("builder-inited", write_julia)
    app.connect("build-finished", write_markdown)
    app.connect("build-finished", print_cheat_sheet)
    app.connect("builder-inited", importlib.import_module("gallery").draw)
    app.connect("source-read", importlib.import_module("page_links").add_links)
    app.connect("build-finished", importlib.import_module("page_links").write_page)
