"""The README is true: what it shows is what the commands print."""

from __future__ import annotations

import re
import shlex

import pytest
import spec

from scorio import cli, eval

README = (spec.ROOT / "README.md").read_text()


def test_leaderboard_output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The main job's output stands in the README, character by character."""
    monkeypatch.chdir(spec.ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    command = re.search(r"\.venv/bin/scorio (leaderboard .*)", README).group(1)  # type: ignore[union-attr]
    assert cli.main(shlex.split(command)) == 0
    shown = README.split("```text\n")[1].split("```")[0]
    assert capsys.readouterr().out.strip() == shown.strip()


def test_python_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    """The Python blocks run."""
    blocks = [block.split("```")[0] for block in README.split("```python\n")[1:]]
    for code in blocks:
        exec(compile(code, "README.md", "exec"), {})
    assert len(blocks) == 2
    assert "pass_hat_k" in capsys.readouterr().out


def test_every_function_is_listed() -> None:
    """No public metric is missing from the table."""
    for name in eval.__all__:
        assert name in README or name.removesuffix("_ci") in README, name
    for name in spec.FUNCTIONS:
        if "." not in name and name not in ("lehmer_unhash", "unhash_ranking", "tally"):
            assert name in README or name.removesuffix("_ci") in README, name
