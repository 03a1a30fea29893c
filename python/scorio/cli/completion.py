"""``scorio completion bash|zsh|fish``: a script that completes commands, options and their choices, made once."""

from __future__ import annotations

import argparse
from typing import Any

SHELLS = ("bash", "zsh", "fish")
HOW = """usage: scorio completion bash|zsh|fish

Print a script that completes commands, options and their values:
  bash   scorio completion bash > ~/.local/share/bash-completion/completions/scorio
  zsh    scorio completion zsh > DIR/_scorio   (DIR is one of $fpath)
  fish   scorio completion fish > ~/.config/fish/completions/scorio.fish
"""


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script of a shell."""
    commands = _commands(parser)
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[str, list[tuple[str, str, list[str]]]]]:
    """Of each command what it is for, and its options: their names, what they are for, and what they may be."""
    (sub,) = (x for x in parser._actions if isinstance(x, argparse._SubParsersAction))
    about = {x.dest: x.help or "" for x in sub._choices_actions}
    return {name: (about[name], [y for x in own._actions for y in _option(x)]) for name, own in sub.choices.items()}


def _option(action: Any) -> list[tuple[str, str, list[str]]]:
    said = " ".join((action.help or "").split())
    return [
        (name, said, [str(x) for x in action.choices or ()])
        for name in action.option_strings
        if name.startswith("--") and action.help != argparse.SUPPRESS
    ]


Commands = dict[str, tuple[str, list[tuple[str, str, list[str]]]]]


def _bash(commands: Commands) -> str:
    cases = [f"    {name}) words={_quoted(' '.join(x for x, _, _ in own))} ;;" for name, (_, own) in commands.items()]
    values: dict[str, str] = {
        f"{name} {option}": " ".join(choices)
        for name, (_, own) in commands.items()
        for option, _, choices in own
        if choices
    }
    chosen = [f"    {_quoted(at)}) words={_quoted(words)}; values=1 ;;" for at, words in values.items()]
    top = " ".join([*commands, "help", "completion", "--help", "--version"])
    return "\n".join([
        "# bash completion for scorio; written by: scorio completion bash",
        "_scorio() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" values=""',
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
        f'    COMPREPLY=($(compgen -W {_quoted(top)} -- "$current")); return',
        "  fi",
        '  case "${COMP_WORDS[1]}" in',
        *cases,
        f"    help) words={_quoted(' '.join(['files', *commands]))}; values=1 ;;",
        f"    completion) words={_quoted(' '.join(SHELLS))}; values=1 ;;",
        "  esac",
        '  case "${COMP_WORDS[1]} $previous" in',
        *chosen,
        "  esac",
        '  if [ -n "$values" ] || [ "${current:0:1}" = "-" ]; then',
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "  else",
        '    COMPREPLY=($(compgen -f -- "$current"))',
        "  fi",
        "}",
        "complete -o filenames -F _scorio scorio",
        "",
    ])  # fmt: skip


def _zsh(commands: Commands) -> str:
    top = [f"      {_quoted(f'{name}:{about}')}" for name, (about, _) in commands.items()]
    cases = []
    for name, (_, own) in commands.items():
        specs = [
            _quoted(f"*{option}[{_plain(said)}]" + (f":value:({' '.join(choices)})" if choices else ""))
            for option, said, choices in own
        ]
        cases.append(f"    {name}) _arguments {' '.join(specs)} '*:file:_files' ;;")
    return "\n".join([
        "#compdef scorio",
        "# zsh completion for scorio; written by: scorio completion zsh",
        "_scorio() {",
        "  if (( CURRENT == 2 )); then",
        "    local -a commands=(",
        *top,
        "      'help:what files are read, or help of a command'",
        "      'completion:a script of completions for a shell'",
        "    )",
        "    _describe command commands; return",
        "  fi",
        '  local command="$words[2]"',
        "  shift words; (( CURRENT-- ))",
        '  case "$command" in',
        *cases,
        f"    help) _values topic {' '.join(['files', *commands])} ;;",
        f"    completion) _values shell {' '.join(SHELLS)} ;;",
        "  esac",
        "}",
        'if [ "$funcstack[1]" = "_scorio" ]; then _scorio "$@"; else compdef _scorio scorio; fi',
        "",
    ])  # fmt: skip


def _fish(commands: Commands) -> str:
    lines = ["# fish completion for scorio; written by: scorio completion fish"]
    first = "complete -c scorio -n __fish_use_subcommand -f"
    lines += [f"{first} -a {name} -d {_quoted(about)}" for name, (about, _) in commands.items()]
    lines += [f"{first} -a help -d 'what files are read, or help of a command'",
              f"{first} -a completion -d 'a script of completions for a shell'"]  # fmt: skip
    for topic, words in (("help", ["files", *commands]), ("completion", SHELLS)):
        lines.append(f"complete -c scorio -n '__fish_seen_subcommand_from {topic}' -f -a {_quoted(' '.join(words))}")
    for name, (_, own) in commands.items():
        for option, said, choices in own:
            more = f" -x -a {_quoted(' '.join(choices))}" if choices else ""
            when = f"-n '__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c scorio {when} -l {option[2:]} -d {_quoted(said)}{more}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "’") + "'"


def _plain(text: str) -> str:
    """Without what the specification of an option means by itself."""
    for sign, plain in (("[", "("), ("]", ")"), (":", " -"), ("\\", "/")):
        text = text.replace(sign, plain)
    return text
