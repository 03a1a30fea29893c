"""``scorio completion`` and ``scorio skill``: scripts for shells, and SKILL.md for agents."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from importlib.resources import files

SHELLS = ("bash", "zsh", "fish")
COMPLETION_USAGE = """usage: scorio completion bash|zsh|fish

Print a script that completes commands, options and their values; it needs
argcomplete (pip install argcomplete):
  bash   scorio completion bash > ~/.local/share/bash-completion/completions/scorio
  zsh    scorio completion zsh > DIR/_scorio   (DIR is one of $fpath)
  fish   scorio completion fish > ~/.config/fish/completions/scorio.fish
"""
SKILL_USAGE = """usage: scorio skill

Print SKILL.md, instructions for agents in the open format of agent skills: which
question needs which command, what its JSON and exit code mean, and what never to
conclude. An agent reads it from a folder named scorio among its skills:
  mkdir -p .claude/skills/scorio
  scorio skill > .claude/skills/scorio/SKILL.md
"""


def script(shell: str) -> str:
    """Completion script of a shell, which calls scorio for the words that complete a line."""
    from argcomplete.shell_integration import shellcode

    return str(shellcode(["scorio"], shell=shell))


def complete(make_parser: Callable[[Sequence[str]], ArgumentParser]) -> None:
    """Print the completions of the line that the shell passes, and exit; make_parser takes the words of the line."""
    import argcomplete

    argcomplete.autocomplete(make_parser(os.environ.get("COMP_LINE", "").split()))


def skill() -> str:
    """Text of SKILL.md, as the package has it."""
    return (files("scorio") / "SKILL.md").read_text(encoding="utf-8")
