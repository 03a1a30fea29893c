"""Short names of models: common parts are removed and reported, names stay readable and distinct."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio import plot
from scorio.cli import main
from scorio.display.names import common_ends, short_names
from scorio.display.text import width

STEM = "meta-llama/Llama-3.1-8B-Instruct-sft"
SWEEP = [f"{STEM}-lr{rate}-seed{seed}-bf16" for rate in ("1e-5", "1e-6", "3e-5") for seed in range(10)]


def test_names_that_fit_are_left_alone() -> None:
    assert short_names(["org/a", "org/b"], 5) == (["org/a", "org/b"], [], [])


def test_a_sweep_is_readable() -> None:
    """Check 30 models that differ in their middle: 30 different lines."""
    found = short_names(SWEEP, 20)
    assert found.short[:2] == ["lr1e-5-seed0", "lr1e-5-seed1"]
    assert len(set(found.short)) == 30
    assert found.sentences == [f'Names are shown without their common beginning "{STEM}-" and end "-bf16".']


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (["a-1e-5-x", "a-1e-6-x"], ("a-", "-x")),  # nothing is cut within a number
        (["m/v3.1-a", "m/v3.2-a"], ("m/", "-a")),
        (["gpt-4", "gpt-4o"], ("", "")),  # 4 alone is not a name
        (["org/run-1", "org/run-10"], ("org/", "")),
        (["same", "same"], ("", "")),
        (["a-b", "a-b-c"], ("a-", "")),
        (["x-tail", "y-tail"], ("", "-tail")),
        (["abc", "abd"], ("", "")),  # no separator
    ],
)
def test_common_ends(names: list[str], ends: tuple[str, str]) -> None:
    assert common_ends(names) == ends


@given(
    names=st.lists(st.text("ab1-/e漢", min_size=1, max_size=40), min_size=1, max_size=8, unique=True),
    room=st.integers(8, 30),
)
def test_names_fit_and_stay_different(names: list[str], room: int) -> None:
    found = short_names(names, room)
    assert all(width(x) <= room for x in found.short)
    assert len(set(found.short)) == len(names)
    if all(width(x) <= room for x in names):
        assert found.short == names
    front, back = common_ends(names)
    for name in names:
        assert name.startswith(front)
        assert name.endswith(back)
        assert len(name) >= len(front) + len(back)


def test_what_distinguishes_names_is_not_cut() -> None:
    found = short_names(["gpt-3.5-turbo-0613 (functions)", "gpt-3.5-turbo-1106 (functions)", "claude-2.1"], 20)
    assert found == (["gpt-3.5-turbo-0613…", "gpt-3.5-turbo-1106…", "claude-2.1"], [], [])


def test_what_is_alike_is_numbered_and_said() -> None:
    names = ["a" * 30 + x + "b" * 30 for x in "xy"]
    found = short_names(names, 11)
    assert found.short == ["aaaaa…bbbbb", "aaa…bbb (2)"]
    assert found.sentences == [f'aaa…bbb (2) is "{names[1]}".']


@pytest.mark.parametrize("command", ["leaderboard", "plan"])
def test_a_page_says_what_is_not_shown(tmp_path, capsys, plain_terminal, command) -> None:
    path = tmp_path / "runs.jsonl"
    rows = [{"model": m, "question": q, "c": (i + q) % 5, "n": 4} for i, m in enumerate(SWEEP) for q in range(5)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([command, str(path)]) == 0
    out = capsys.readouterr().out
    assert {x.removeprefix(STEM)[1:-5] for x in SWEEP} <= set(out.split())
    assert "common beginning" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_a_plot_says_what_is_not_shown() -> None:
    import matplotlib as mpl

    mpl.use("agg")
    R = {name: [[1, 0], [i % 2, 1]] for i, name in enumerate(SWEEP[:4])}
    for draw in (plot.forest, plot.comparisons):
        ax = draw(R, questions="fixed")
        shown = {x.get_text().split("\u2002")[0] for x in ax.get_yticklabels()}
        assert shown == {f"seed{i}" for i in range(4)}
        assert STEM in ax.get_xlabel().replace("\n", "")
