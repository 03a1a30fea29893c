"""What tests of the page web/ share: files read, settings changed, and what is shown compared with the commands."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import shlex
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import devtools
import pytest

from scorio import cli
from scorio.display import text

ROOT = Path(__file__).resolve().parents[1]
READY = (
    "document.querySelector('#section-leaderboard .out')?.childElementCount && !document.body.hasAttribute('aria-busy')"
)
CERTIFICATE = ("The lead of", "One wrong answer key could")  # of a function that the page does not have
# notes of the page of which the command prints none, or with --explain
OWN_NOTES = (
    "The command compares averages and Pass@k",
    "~ mixture",
    "* upper",
    *(f"The {x}% CI of the gate is not" for x in (90, 95, 99)),
)
marks = [
    pytest.mark.slow,
    pytest.mark.skipif(devtools.browser() is None, reason="no Chromium on the PATH (Debian's package chromium)"),
]


def module(name: str) -> ModuleType:
    """A script of web/ as a module."""
    spec = importlib.util.spec_from_file_location(f"web_{name}", ROOT / "web" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    out = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = out
    spec.loader.exec_module(out)
    return out


def read(page: devtools.Browser, file: Path) -> None:
    """Choose a file, and wait until all results are shown."""
    page.run("document.querySelector('#results').replaceChildren()")
    page.choose("#file", file)
    page.wait(READY)


def setting(page: devtools.Browser, **settings: Any) -> None:
    """Change controls, and wait for the results."""
    for name, x in settings.items():
        value = f"x.checked = {str(x).lower()}" if isinstance(x, bool) else f"x.value = {str(x)!r}"
        page.run(f"(() => {{ const x = document.querySelector('[data-setting={name}]'); {value}; "
                 "x.dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.wait("!document.body.hasAttribute('aria-busy')")


def texts(page: devtools.Browser, selector: str) -> list[str]:
    """The texts of elements."""
    return page.run(f"[...document.querySelectorAll({selector!r})].map((x) => x.textContent)")


def cells(page: devtools.Browser, section: str) -> list[list[dict[str, Any]]]:
    """The cells of the first table of a section: the text, and the numbers behind it."""
    return page.run(
        f"[...document.querySelector('#section-{section} tbody').rows].map((row) => [...row.cells].map((x) => "
        "({ text: x.textContent, ...Object.fromEntries(Object.entries(x.dataset)) })))"
    )


def printed(command: str, folder: Path) -> str:
    """What a command of the page prints, on one line."""
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        cli.main(shlex.split(command)[1:])
    return " ".join(out.getvalue().split())


def check_command(page: devtools.Browser, section: str, folder: Path) -> str:
    """Check that the command of a section prints its sentences and its notes; return what it prints."""
    commands = texts(page, f"#section-{section} .command pre")[0].split("\n")
    output = " ".join(printed(x, folder) for x in commands)
    assert output, commands
    for sentence in texts(page, f"#section-{section} .sentence"):
        assert sentence in output, commands
    for note in texts(page, f"#section-{section} .notes li"):
        assert note.startswith(OWN_NOTES) or " ".join(note.split()) in output, commands
    return output


def same(cell: dict[str, Any], **numbers: float) -> None:
    """Check that the numbers behind a cell are these doubles, to the bit."""
    for name, x in numbers.items():
        assert struct.pack("d", float(cell[name])) == struct.pack("d", float(x)), (name, cell, x)


def check_leaderboard(page: devtools.Browser, e: Any) -> None:
    """Check values, intervals and ranks of both targets."""
    rows = cells(page, "leaderboard")
    single = all(log.counts.trials.max() <= 1 for log in e.benchmark().logs.values())
    for target in ("sampled",) if single else ("fixed", "sampled"):
        want = e.leaderboard(questions=target)
        assert [row[1]["text"] for row in rows] == [x.model for x in want.table]
        (shown,) = [y.cells for y in want.document().blocks[0].sets[0] if y.header.startswith("average")]
        for row, x, text_of_cell in zip(rows, want.table, shown, strict=True):
            assert row[0]["text"] == str(x.rank)
            value = next(y for y in row if "mu" in y)
            same(value, mu=x.average.mu)
            ends = next(y for y in row if y.get("target") == target and "lo" in y)
            same(ends, lo=x.average.lo, hi=x.average.hi, sigma=x.average.sigma)
            ranks = [y for y in row if y.get("target") == target and "best" in y]
            if x.best is not None:
                same(ranks[0], best=x.best, worst=x.worst)
                assert ranks[0]["text"] == text.span(x.best, x.worst, "-")
            assert f"{value['text']} {ends['text']}" == text_of_cell
