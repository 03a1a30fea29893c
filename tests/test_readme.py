"""The README is true: what it shows is what the commands print, and its code runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import spec

from scorio import cli, eval

README = (spec.ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^(?:\.venv/bin/)?scorio (.*?)(?:  +#.*)?$", README, flags=re.M)


def test_leaderboard_output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The main job's output stands in the README, character by character."""
    monkeypatch.chdir(spec.ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(shlex.split(COMMANDS[0])) == 0
    shown = README.split("```text\n")[1].split("```")[0]
    assert capsys.readouterr().out.strip() == shown.strip()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, where the README's commands find the examples."""
    (tmp_path / "spec").symlink_to(spec.ROOT / "spec")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command that the README shows runs."""
    words = shlex.split(command.partition(" > ")[0])
    assert cli.main(words) == 0
    assert capsys.readouterr().out
    if "-o" in words:
        assert (here / words[words.index("-o") + 1]).stat().st_size > 10_000


def test_all_commands_are_shown() -> None:
    """No command is missing."""
    assert {command.split()[0] for command in COMMANDS} == {
        module.__name__.rpartition(".")[2] for module in cli.COMMANDS
    }


def test_the_simulated_examples_are_what_the_script_makes() -> None:
    """bench/example.py writes these files."""
    path = spec.ROOT / "bench" / "example.py"
    made: dict[str, object] = {"__file__": str(path), "__name__": "example"}
    exec(compile(path.read_text(), str(path), "exec"), made)
    for name, same in (("coins", True), ("attempts", False)):  # NumPy's draws may change with its version
        rows, there = made[name](), (spec.ROOT / "spec" / "examples" / f"{name}.csv").read_text()  # type: ignore[operator]
        assert there.splitlines() == rows if same else len(there.splitlines()) == len(rows)


def test_python_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    """The Python blocks run."""
    blocks = [block.split("```")[0] for block in README.split("```python\n")[1:]]
    for code in blocks:
        exec(compile(code, "README.md", "exec"), {})
    assert len(blocks) == 4
    assert "pass_hat_k" in capsys.readouterr().out


def test_pictures_and_files_are_there() -> None:
    """What the README links or names exists."""
    for name in re.findall(r"\]\(([^)]*)\)", README) + re.findall(r"`((?:bench|tests|spec|julia)/[\w./]+)`", README):
        assert name.startswith("https://") or (spec.ROOT / name).exists(), name


def test_every_function_is_listed() -> None:
    """No public function is missing from the tables."""
    for name in eval.__all__:
        assert name in README or name.removesuffix("_ci") in README, name
    for name in spec.FUNCTIONS:
        if ("." not in name or name.startswith("rubric.")) and name not in ("lehmer_unhash", "unhash_ranking", "tally"):
            bare = name.rpartition(".")[2]
            assert bare in README or bare.removesuffix("_ci") in README, name
