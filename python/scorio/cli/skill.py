"""``scorio skill``: SKILL.md, which tells an agent which command answers which question, and what not to conclude."""

from __future__ import annotations

from importlib.resources import files

USAGE = """usage: scorio skill

Print SKILL.md, instructions for agents in the open format of agent skills: which
question needs which command, what its JSON and exit code mean, and what never to
conclude. An agent reads it from a folder named scorio among its skills:
  mkdir -p .claude/skills/scorio
  scorio skill > .claude/skills/scorio/SKILL.md
"""


def skill() -> str:
    """Text of SKILL.md, as the package has it."""
    return (files("scorio") / "SKILL.md").read_text(encoding="utf-8")
