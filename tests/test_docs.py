"""The manual is built without a warning, and everything public is in it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import spec

import julia

ROOMS = ("eval", "rank", "sinf", "converge", "rubric", "simulate", "utils", "io", "plot", "report")


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of HTML."""
    folder = tmp_path_factory.mktemp("manual")
    command = ["-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-d", str(folder / "doctrees"), "docs", str(folder)]
    done = subprocess.run([sys.executable, *command], cwd=spec.ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_python(manual: Path) -> None:
    """Every public name of every room has an entry."""
    for room in ROOMS:
        page = (manual / "api" / f"{room}.html").read_text()
        for name in importlib.import_module(f"scorio.{room}").__all__:
            assert f'id="scorio.{room}.{name}"' in page, (room, name)
    page = (manual / "api" / "scorio.html").read_text()
    for name in ("tally", "Counts", "evaluate", "InvalidInput"):
        assert f'id="scorio.{name}"' in page, name


@pytest.mark.skipif(julia.executable() is None, reason="no Julia here")
def test_julia(manual: Path) -> None:
    """Every function of spec/ has its docstring of Scorio.jl."""
    page = (spec.ROOT / "docs" / "api" / "julia.md").read_text()
    for name in spec.FUNCTIONS:
        heading, _, text = page.partition(f"### `{name.rpartition('.')[2]}`\n\n")
        assert heading != page, name
        assert text.strip(), name
        assert not text.startswith("#"), name


def test_pages_of_the_repository(manual: Path) -> None:
    """The readers' own pages are there: the specification, the benchmarks, how to contribute, what changed."""
    for page, words in (
        ("spec", "Tiers"),
        ("benchmarks", "Times"),
        ("contributing", "Glossary"),
        ("changelog", "0.1.0"),
    ):
        assert words in (manual / f"{page}.html").read_text()
