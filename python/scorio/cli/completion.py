"""``scorio completion bash|zsh|fish``: completion of commands, options and their values, by argcomplete."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable, Sequence

SHELLS = ("bash", "zsh", "fish")
USAGE = """usage: scorio completion bash|zsh|fish

Print a script that completes commands, options and their values; it needs
argcomplete (pip install argcomplete):
  bash   scorio completion bash > ~/.local/share/bash-completion/completions/scorio
  zsh    scorio completion zsh > DIR/_scorio   (DIR is one of $fpath)
  fish   scorio completion fish > ~/.config/fish/completions/scorio.fish
"""


def script(shell: str) -> str:
    """Completion script of a shell, which calls scorio for the words that complete a line."""
    from argcomplete.shell_integration import shellcode

    return str(shellcode(["scorio"], shell=shell))


def complete(make_parser: Callable[[Sequence[str]], ArgumentParser]) -> None:
    """Print the completions of the line that the shell passes, and exit; make_parser takes the words of the line."""
    import argcomplete

    argcomplete.autocomplete(make_parser(os.environ.get("COMP_LINE", "").split()))
