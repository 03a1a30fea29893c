"""Check that blocks of README.md and docs/ print what they show, and that files linked by the pages exist."""

from __future__ import annotations

import builtins
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import readme_blocks
import spec
import test_source

import julia
import scorio
from scorio import cli, eval

README = (spec.ROOT / "README.md").read_text()
PAGES = [*readme_blocks.PAGES, spec.ROOT / "CONTRIBUTING.md", spec.ROOT / "python" / "scorio" / "SKILL.md"]


def check_blocks(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    """Run the script that checks the blocks of pages, with Numba switched on, as a reader has it."""
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    command = [sys.executable, readme_blocks.__file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env)


PAGES_WITH_BLOCKS = [path for path in readme_blocks.PAGES if readme_blocks.BLOCK.search(path.read_text())]


@pytest.mark.slow
def test_pages_show_what_is_printed() -> None:
    """Check that after the README's install, code and commands print what the pages show."""
    process = check_blocks(*PAGES_WITH_BLOCKS)
    assert process.returncode == 0, process.stdout + process.stderr


def test_a_wrong_block_is_detected_and_rewritten(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```pycon\n>>> x = 6\n\n>>> x * 7\n41\n>>> {}[0]\nTraceback\n```\n<!-- scorio --version -->\n")
    assert "+42" in check_blocks(page).stdout
    assert check_blocks(page).returncode == 1
    assert check_blocks(page, "--write").returncode == 0
    assert check_blocks(page).returncode == 0
    assert ">>> x = 6\n\n>>> x * 7\n42\n>>> {}[0]\nTraceback" in page.read_text()


@pytest.mark.slow
def test_packages_that_the_readme_does_not_install_are_hidden(tmp_path: Path) -> None:
    """Check that a page can import only packages that its own or the README's install commands install."""
    page = tmp_path / "page.md"
    page.write_text("```python\nimport matplotlib, juliacall\n```\n")
    assert "No module named 'juliacall'" in check_blocks(page).stderr
    page.write_text("```python\nimport matplotlib, narwhals\n```\n")
    assert check_blocks(page).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(julia.executable() is None, reason="no Julia here")
def test_the_block_of_julia_returns_what_it_shows() -> None:
    """Check what the README's block of Julia returns, in this clone and without its first line, which installs."""
    code = README.split("```julia\n")[1].split("```")[0].partition("\n")[2]
    process = subprocess.run(
        [str(julia.executable()), "--startup-file=no", "--project=julia", "-e", code + "\nprint(pass_at_k(R, 2))"],
        cwd=spec.ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert process.stdout == "0.95", process.stderr


def test_all_commands_are_shown() -> None:
    """Check that README.md shows every command of scorio, and the commands that install it and run all tests."""
    line = (
        r"^(?:\.venv/bin/)?scorio (\w+) (?:forest |--verify |show --ledger |history )?(?:spec/|[0-9]+/|receipt[.]json)"
    )
    commands = re.findall(line, README, flags=re.M)
    assert set(commands) == {*cli.COMMANDS} - cli.HIDDEN
    words = set(re.findall(r"--[a-z]+|\bhistory\b", README))
    assert words > {word for modes in cli.MODES.values() for word in modes}
    assert '\npython3 -m venv .venv && .venv/bin/pip install --quiet ".[all]" && \\\n.venv/bin/scorio' in README
    assert "\nbash tests/run\n" in README


def test_the_readme_is_short() -> None:
    """Check that README.md has at most 130 lines, and no page a line of more than 100 columns."""
    assert len(README.splitlines()) <= 130, "README.md has at most 130 lines: a new one takes the place of another"
    for path in PAGES:
        long = [line for line in path.read_text().splitlines() if len(line) > 100]
        assert not long, (path, long)


def test_linked_and_named_files_exist() -> None:
    """Check that every file that a page links or names exists, except pictures of the gallery."""
    for path in PAGES:
        page = path.read_text()
        for name in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page):
            is_drawn = name.startswith("gallery/")  # made when the manual is built: tests/test_docs.py
            assert name.startswith("https://") or is_drawn or (path.parent / name).exists(), (path, name)
        for name in re.findall(r"`((?:bench|tests|spec|julia|docs)/[\w./-]+)`", page):
            assert (spec.ROOT / name).exists(), (path, name)


def test_every_metric_is_in_the_guide() -> None:
    """Check that the guide to metrics names every public function of eval, with or without the suffix _ci."""
    guide = (spec.ROOT / "docs" / "guide" / "metrics.md").read_text()
    for name in eval.__all__:
        assert f"`{name.removesuffix('_ci')}`" in guide or f"`{name}`" in guide, name


def test_the_map_of_modules_is_that_of_the_test_of_imports() -> None:
    """Check that CONTRIBUTING.md lists the same modules at the same levels as the test of imports."""
    page = (spec.ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ([a-z_, ]+) \|", page, flags=re.M)
    assert [(int(level), " ".join(names.split(", "))) for level, names in rows] == [*enumerate(test_source.LEVELS, 1)]


def test_the_citation_names_this_version_and_the_paper() -> None:
    """Check that CITATION.cff names this version and the paper of the README."""
    citation = (spec.ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {scorio.__version__}\n" in citation
    assert re.search(r"arxiv.org/abs/[\d.]+", README)[0] in citation  # type: ignore[index]


def test_pip_does_not_upgrade_this_package_to_the_other_one() -> None:
    """Check that the distribution has an epoch, which is above every version of the package of the same name."""
    project = tomllib.loads((spec.ROOT / "pyproject.toml").read_text())
    version = builtins.eval(project["tool"]["hatch"]["version"]["expression"], {"__version__": scorio.__version__})
    assert version == f"1!{scorio.__version__}"


def test_no_hint_installs_the_other_package() -> None:
    """Check that no hint says `pip install scorio[...]`, which would install another package."""
    for path in (*(spec.ROOT / "python").rglob("*.py"), *(spec.ROOT / "docs").rglob("*.md")):
        assert not re.search(r"pip install\s+\W*scorio", path.read_text()), path


@pytest.mark.slow
def test_the_simulated_examples_are_those_of_the_script() -> None:
    """Check that bench/example.py writes coins.csv, and as many lines as attempts.csv has."""
    path = spec.ROOT / "bench" / "example.py"
    module: dict[str, object] = {"__file__": str(path), "__name__": "example"}
    exec(compile(path.read_text(), str(path), "exec"), module)
    for name, exact in (("coins", True), ("attempts", False)):  # NumPy's random numbers may change with its version
        rows, committed = module[name](), (spec.ROOT / "spec" / "examples" / f"{name}.csv").read_text()  # type: ignore[operator]
        assert committed.splitlines() == rows if exact else len(committed.splitlines()) == len(rows)
