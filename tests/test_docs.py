"""Check that the manual is built without a warning and has every public function, and the cheat sheet."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import spec

import julia
from scorio import cli

pytestmark = pytest.mark.slow

MODULES = ("eval", "rank", "sinf", "items", "converge", "rubric", "simulate", "utils", "io", "plot")
INCLUDED_FILES = {
    "spec": "spec/README.md",
    "benchmarks": "bench/README.md",
    "METHOD": "bench/METHOD.md",
    "contributing": "CONTRIBUTING.md",
}  # docs/agents.md includes SKILL.md: tests/test_skill.py


def test_the_manual_is_complete_and_built_without_a_warning(tmp_path: Path) -> None:
    """Build the manual once, and check its pages."""
    command = [
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-E",
        "-d",
        str(tmp_path / "doctrees"),
        "docs",
        str(tmp_path),
    ]
    process = subprocess.run([sys.executable, *command], cwd=spec.ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    for page, source in INCLUDED_FILES.items():
        title = (spec.ROOT / source).read_text().partition("\n")[0].removeprefix("# ")
        assert f"<h1>{title}<" in (tmp_path / f"{page}.html").read_text(), page
    contents = (tmp_path / "llms.txt").read_text()
    for source in [*(spec.ROOT / "docs").glob("*.md"), *(spec.ROOT / "docs" / "guide").glob("*.md")]:
        name = source.relative_to(spec.ROOT / "docs").as_posix()
        assert f"]({name})" in contents, name
        assert (tmp_path / name).read_text().startswith("# "), name  # the text of included files too
    assert (tmp_path / "cheatsheet.html").exists()
    check_links_to_the_page(tmp_path)
    check_python(tmp_path / "api")
    if julia.executable():
        check_julia((spec.ROOT / "docs" / "api" / "julia.md").read_text())


def check_links_to_the_page(folder: Path) -> None:
    """Check that the page is beside the manual, that the index links it first, and that examples open their log."""
    assert "worker-source" in (folder / "scorio.html").read_text()
    article = (folder / "index.html").read_text().partition('role="main"')[2]
    links = [x for x in re.findall(r'href="([^"#]+)', article) if not x.startswith("#")]
    assert links[0] == "scorio.html"
    text = (folder / "guide" / "start.html").read_text()
    for words in ("section=compare", "section=gate&amp;margin=.02&amp;a=large&amp;b=medium", "section=plan"):
        assert f"../scorio.html#example=coins.csv&amp;{words}" in text, words
    assert "../scorio.html#counts=47" in (folder / "guide" / "intervals.html").read_text()


def test_the_gallery_shows_every_plot() -> None:
    """Check that the gallery has a picture and a heading for each plot."""
    text = (spec.ROOT / "docs" / "guide" / "gallery.md").read_text()
    for name in importlib.import_module("scorio.plot").__all__:
        assert f"## {name}: " in text, name
        assert f"(gallery/{name}.svg)" in text, name


def check_python(folder: Path) -> None:
    """Check that every public name has an entry on the page of its module, or as scorio.NAME on that of evaluations."""
    pages = {p.stem: p.read_text() for p in folder.glob("*.html")}
    for module in MODULES:
        for name in importlib.import_module(f"scorio.{module}").__all__:
            entries = [f'id="scorio.{module}.{name}"' in pages[module], f'id="scorio.{name}"' in pages["evaluation"]]
            assert any(entries), (module, name)
    page = (folder / "scorio.html").read_text()
    for name in ("tally", "Counts", "evaluate", "InvalidInput"):
        assert f'id="scorio.{name}"' in page, name


def check_julia(page: str) -> None:
    """Check that every function of spec/, and each other name listed here, has a docstring of Julia and an example."""
    entries = {}
    for module in page.split("\n## ")[1:]:
        title, *parts = module.split("\n### `")
        entries |= {(title.split()[0], x.partition("`")[0]): x.partition("`\n\n")[2] for x in parts}
    modules = {module: f"Scorio.{module.title()}" for module in ("rank", "rubric", "simulate", "items")}
    for name, function in spec.FUNCTIONS.items():
        assert (modules.get(function["module"], "Scorio"), name.rpartition(".")[2]) in entries, name
    for name in ("Answers", "Counts", "InvalidInput", "Monitor", "Scorio.save_counts", "Scorio.verify"):
        assert ("Scorio", name) in entries, name
    for (module, name), text in entries.items():
        assert "\njulia> " in text, f"{module}.{name} has no example"
        assert not text.startswith(("#", "```")), f"{module}.{name} has no description"


def test_the_cheat_sheet_can_be_typed() -> None:
    """Check that the parser accepts every command of the cheat sheet."""
    page = (spec.ROOT / "docs" / "cheatsheet.html").read_text()
    commands = re.findall(r"<code>scorio (.+?)</code>", page)
    assert len(commands) > 15
    for line in commands:
        words = cli._mode(shlex.split(line))  # leaderboard --ranks is rank
        cli._parser(words[:1]).parse_args(words)
