"""Run the blocks of README.md, docs/*.md and docs/guide/*.md, and compare what they print with what the pages show.

    python tests/readme_blocks.py                      shows where a page differs from what is printed
    python tests/readme_blocks.py --write              writes into the pages what is printed
    python tests/readme_blocks.py docs/guide/logs.md   one page

Blocks are run from top to bottom. In ```bash, each line that starts with scorio or .venv/bin/scorio is run. ```python
is run as a whole. In ```pycon, each statement is run, and what it prints follows it. A ```text block after
<!-- scorio ... -->, or whose first line is $ scorio ..., is what that command prints. Libraries of an extra can be
imported only if `pip install ".[...]"` on the page or in the README installs them.
"""

from __future__ import annotations

import argparse
import builtins
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "guide").glob("*.md"))]
BLOCK = re.compile(
    r"(?P<head>(?:<!-- (?P<command>scorio .*?) -->\n+)?```(?P<kind>\w+)\n)(?P<body>.*?)(?P<end>```)", re.S
)


def libraries(extras: set[str]) -> set[str]:
    """Names of the libraries that these extras of pyproject.toml install, also through other extras."""
    extras_of_project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = set()
    for line in (line for extra in extras for line in extras_of_project[extra]):
        if nested := re.fullmatch(r"scorio\[(.*)\]", line):
            names |= libraries(set(nested[1].split(",")))
        else:
            names.add(re.match(r"[\w.-]+", line)[0].replace("-", "_"))  # type: ignore[index]
    return names


class HiddenLibraries:
    """Import hook that hides the libraries that a page does not install."""

    def __init__(self, page: str) -> None:
        extras_of_project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        installed = ",".join(re.findall(r'"\.\[([\w,]+)\]"', page + PAGES[0].read_text())).split(",")
        self.names = libraries(set(extras_of_project)) - libraries(set(installed))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise ModuleNotFoundError for a hidden module; leave others to the next finder."""
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def command_output(line: str) -> str:
    """Output of a command of scorio; AssertionError if it fails or prints nothing."""
    from scorio import cli

    with redirect_stdout(io.StringIO()) as out:
        code = cli.main(shlex.split(line, comments=True)[1:])
    assert code == 0, f"{line}: exit code {code}"
    assert out.getvalue(), f"{line}: prints nothing"
    return out.getvalue()


def statements(body: str) -> Iterator[tuple[str, str]]:
    """Each statement of a ```pycon block, with its prompts, and what follows it."""
    for part in re.findall(r"^>>> .*\n(?:\.\.\. ?.*\n)*(?:(?!>>> ).*\n)*", body, flags=re.M):
        source = re.match(r"(?:(?:>>>|\.\.\.) ?.*\n)+", part)[0]  # type: ignore[index]
        yield source, part[len(source) :]


def session_output(body: str, names: dict[str, Any]) -> str:
    """The block with the output of its statements; an expected error gives a short traceback."""
    lines = []
    for source, expected in statements(body):
        code = re.sub(r"^(?:>>>|\.\.\.) ?", "", source, flags=re.M)
        with redirect_stdout(io.StringIO()) as out:
            try:
                exec(compile(code, "<page>", "single"), names)
            except Exception as e:
                if "Traceback" not in expected:
                    e.add_note(f"in: {code}")
                    raise
                print(f"Traceback (most recent call last):\n  ...\n{type(e).__module__}.{type(e).__qualname__}: {e}")
        # the blank line of the page that separates the output from the next statement is no output: keep it
        blank = "\n" if expected.endswith("\n\n") or expected == "\n" else ""
        lines.append(source + out.getvalue() + blank)
    return "".join(lines)


def renewed(page: str) -> str:
    """The page with the present output of its blocks."""
    names: dict[str, Any] = {"__name__": "page", "__builtins__": builtins}

    def block(match: re.Match[str]) -> str:
        kind, body = match["kind"], match["body"]
        shown = re.match(r"\$ (scorio .*)\n", body)
        if kind == "text" and (match["command"] or shown):
            lines = command_output(match["command"] or shown[1]).splitlines()  # type: ignore[index]
            body = (shown[0] if shown else "") + "".join(line.rstrip() + "\n" for line in lines)
        elif kind == "pycon":
            body = session_output(body, names)
        elif kind == "python":
            exec(compile(body, "<page>", "exec"), names)
        elif kind == "bash":
            for line in re.findall(r"^(?:\.venv/bin/)?(scorio .*)", body, flags=re.M):
                command_output(line)
        return match["head"] + body + match["end"]

    return BLOCK.sub(block, page)


def check_page(path: Path, write: bool) -> int:
    """Run a page in a temporary folder with spec/; return 1 if its output differs and is not written."""
    page = path.read_text()
    os.environ["COLUMNS"] = "80"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "spec").symlink_to(ROOT / "spec")
        os.chdir(folder)
        now = renewed(page)
        os.chdir(ROOT)
    if now != page and write:
        path.write_text(now)
        print(f"{path}: written")
    elif now != page:
        print(
            *difflib.unified_diff(page.splitlines(), now.splitlines(), str(path), "what is printed", lineterm=""),
            sep="\n",
        )
        print("Run python tests/readme_blocks.py --write")
        return 1
    return 0


def main() -> int:
    """Check pages that hide the same libraries in this process, or others in a process for each set of libraries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    groups: dict[frozenset[str], list[Path]] = {}
    for page in args.pages or PAGES:
        groups.setdefault(frozenset(HiddenLibraries(page.read_text()).names), []).append(page.resolve())
    if len(groups) == 1:
        ((_, pages),) = groups.items()
        sys.meta_path.insert(0, HiddenLibraries(pages[0].read_text()))  # type: ignore[arg-type]
        return max([check_page(page, args.write) for page in pages])
    script = [sys.executable, __file__, *(["--write"] if args.write else [])]
    return max([subprocess.run([*script, *pages]).returncode for pages in groups.values()])


if __name__ == "__main__":
    sys.exit(main())
