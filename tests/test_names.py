"""Short names of models: common parts are removed and reported, names stay readable and distinct."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio import plot
from scorio.cli import main
from scorio.display.text import common_ends, short_names, width

STEM = "meta-llama/Llama-3.1-8B-Instruct-sft"
SWEEP = [f"{STEM}-lr{rate}-seed{seed}-bf16" for rate in ("1e-5", "1e-6", "3e-5") for seed in range(10)]


def test_names_that_fit_are_unchanged() -> None:
    assert short_names(["org/a", "org/b"], 5) == (["org/a", "org/b"], [], [])


def test_a_sweep_is_readable() -> None:
    """Check 30 models whose names differ in their middle: 30 different short names."""
    names_shown = short_names(SWEEP, 20)
    assert names_shown.short[:2] == ["lr1e-5-seed0", "lr1e-5-seed1"]
    assert len(set(names_shown.short)) == 30
    assert names_shown.sentences == [f'Names are shown without their common beginning "{STEM}-" and end "-bf16".']


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
def test_common_ends_are_whole_parts_of_names(names: list[str], ends: tuple[str, str]) -> None:
    assert common_ends(names) == ends


@given(
    names=st.lists(st.text("ab1-/e漢", min_size=1, max_size=40), min_size=1, max_size=8, unique=True),
    max_width=st.integers(8, 30),
)
def test_names_fit_and_stay_different(names: list[str], max_width: int) -> None:
    names_shown = short_names(names, max_width)
    assert all(width(x) <= max_width for x in names_shown.short)
    assert len(set(names_shown.short)) == len(names)
    if all(width(x) <= max_width for x in names):
        assert names_shown.short == names
    front, back = common_ends(names)
    for name in names:
        assert name.startswith(front)
        assert name.endswith(back)
        assert len(name) >= len(front) + len(back)


def test_distinguishing_parts_of_names_are_not_cut() -> None:
    names_shown = short_names(["gpt-3.5-turbo-0613 (functions)", "gpt-3.5-turbo-1106 (functions)", "claude-2.1"], 20)
    assert names_shown == (["gpt-3.5-turbo-0613…", "gpt-3.5-turbo-1106…", "claude-2.1"], [], [])


def test_equal_short_names_are_numbered_and_explained() -> None:
    names = ["a" * 30 + x + "b" * 30 for x in "xy"]
    names_shown = short_names(names, 11)
    assert names_shown.short == ["aaaaa…bbbbb", "aaa…bbb (2)"]
    assert names_shown.sentences == [f'aaa…bbb (2) is "{names[1]}".']


@pytest.mark.parametrize("command", ["leaderboard", "plan"])
def test_the_text_reports_omitted_parts_of_names(tmp_path, capsys, plain_terminal, command) -> None:
    path = tmp_path / "runs.jsonl"
    rows = [{"model": m, "question": q, "c": (i + q) % 5, "n": 4} for i, m in enumerate(SWEEP) for q in range(5)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([command, str(path)]) == 0
    out = capsys.readouterr().out
    assert {x.removeprefix(STEM)[1:-5] for x in SWEEP} <= set(out.split())
    assert "common beginning" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_a_plot_reports_omitted_parts_of_names() -> None:
    import matplotlib as mpl

    mpl.use("agg")
    R = {name: [[1, 0], [i % 2, 1]] for i, name in enumerate(SWEEP[:4])}
    for draw in (plot.forest, plot.comparisons):
        ax = draw(R, questions="fixed")
        # in a map of comparisons an en space and the place follow a name
        shown = {x.get_text().split("\u2002")[0] for x in ax.get_yticklabels()}
        assert shown == {f"seed{i}" for i in range(4)}
        assert STEM in ax.get_xlabel().replace("\n", "")
