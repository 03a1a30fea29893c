"""Help, completion, and suggestions for unknown names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scorio import InvalidInput
from scorio.cli import COMMANDS, MODES, main
from scorio.display.text import nearest
from scorio.io import read

NAMES = list(COMMANDS)
BOARD = str(Path(__file__).parents[1] / "spec" / "examples" / "langchain_tool_use.csv")


def output(capsys, *args: str) -> str:
    assert main(args) == 0
    return capsys.readouterr().out


def test_help_files_describes_the_formats(capsys):
    text = output(capsys, "help", "files")
    assert "must have the same number of trials for all questions" in " ".join(text.split())
    assert all(name in text for name in ("table", "inspect_ai", "every_eval_ever", ".parquet"))
    assert max(map(len, text.splitlines())) <= 80
    for name in NAMES:
        with pytest.raises(SystemExit):
            main(["help", name])
        usage = capsys.readouterr().out
        assert f"usage: scorio {name}" in usage
        assert "exit codes: 0" in usage
        assert "--missing " in usage or name in ("battles", "interval", "history")
        if name not in ("rubric", "battles", "interval", "history"):  # they read other tables, or none
            assert "scorio help files" in usage
            assert "is the standard input" not in usage
    with pytest.raises(SystemExit):
        main(["help"])
    assert "usage: scorio " in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_fits_a_screen(capsys, name):
    """Check that --help has at most 40 lines, with every option of the command's own and examples."""
    with pytest.raises(SystemExit) as e:
        main([name, "--help"])
    short = capsys.readouterr().out
    assert e.value.code == 0
    assert len(short.splitlines()) <= 40
    assert max(map(len, short.splitlines())) <= 80
    names = [name, *(command for command, modes in MODES.items() if name in modes.values())]
    assert any(f"  scorio {x} " in short for x in names)
    with pytest.raises(SystemExit):
        main(["help", name])
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) <= 80
    assert {*re.findall(r"^  (--[a-z-]+)", whole, re.M)} <= {*re.findall(r"--[a-z-]+", short)}


@pytest.mark.parametrize(
    ("line", "same"),
    [
        (["leaderboard", "--ranks", BOARD, "--correction", "none"], ["rank", BOARD, "--correction", "none"]),
        (["leaderboard", BOARD, "--stability", "--replicates", "9"], ["converge", BOARD, "--replicates", "9"]),
        (["compare", "47/50", "52/60", "--json"], ["interval", "47/50", "52/60", "--json"]),
        (["evaluate", BOARD, "--extrapolate", "--k", "64"], ["extrapolate", BOARD, "--k", "64"]),
        (["judge", "--agreement", BOARD], ["agreement", BOARD]),
        (["receipt", "--verify", BOARD], ["verify", BOARD]),
    ],
)
def test_a_mode_of_a_command_is_a_command_of_its_own(capsys, line, same):
    """Check that the commands which scorio --help does not list work under their names too."""
    assert main(line) == main(same)
    out, err = capsys.readouterr()
    half = len(out) // 2, len(err) // 2
    assert (out[half[0] :], err[half[1] :]) == (out[: half[0]], err[: half[1]])
    assert out + err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_the_shell(capsys, shell):
    script = output(capsys, "completion", shell)
    assert "scorio" in script
    if program := shutil.which(shell):
        check = [program, "--no-execute"] if shell == "fish" else [program, "-n"]
        assert subprocess.run(check, input=script, text=True, capture_output=True).stderr == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("scorio com", ["compare", "completion"]),
        ("scorio leaderboard --mo", ["--model"]),
        ("scorio leaderboard --format ma", ["markdown"]),
        ("scorio rank x --questions s", ["sampled"]),
        ("scorio help fi", ["files"]),
        ("scorio completion z", ["zsh"]),
        ("scorio judge --by", ["--by-verdict"]),
    ],
)
def test_a_shell_receives_completions(tmp_path, line, words):
    """Check the completions that a shell receives."""
    code = "from scorio.cli import main\nmain()"
    environment = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
             "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "words")}  # fmt: skip
    subprocess.run([sys.executable, "-c", code], env=os.environ | environment, check=True)
    assert sorted(x.strip() for x in (tmp_path / "words").read_text().split("\n")) == words


def test_completion_without_argcomplete_says_what_to_install(capsys, monkeypatch):
    for name in ("argcomplete", "argcomplete.shell_integration"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["completion", "bash"]) == 2
    assert "pip install" in capsys.readouterr().err


def test_completion_without_a_shell_lists_the_shells(capsys):
    assert main(["completion"]) == 2
    assert "bash|zsh|fish" in capsys.readouterr().err
    assert "usage" in output(capsys, "completion", "--help")


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (["leaderbord", BOARD], "leaderboard"),
        (["leaderboard", BOARD, "--modle", "x"], "--model"),
        (["leaderboard", BOARD, "--model", "claude-2"], "claude-2.1"),
        (["compare", BOARD, "gpt4", "claude-2.1"], None),
        (["rank", BOARD, "--metric", "pas@k", "--k", "1"], "pass@k"),
        (["leaderboard", BOARD, "--questions", "sample"], "sampled"),
        (["leaderboard", BOARD, "--zzzzzz"], None),
    ],
)
def test_names_close_to_what_was_typed_are_suggested(capsys, args, meant):
    try:
        code = main(args)
    except SystemExit as e:
        code = e.code
    assert code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert re.findall(r"did you mean '(.*?)'\?", err) == ([] if meant is None else [meant])


def test_models_of_the_log_are_suggested():
    with pytest.raises(InvalidInput, match=r"did you mean 'claude-2\.1'\?"):
        read(BOARD).select("Claude-2.1")
    assert nearest("x", []) == ""


@pytest.mark.parametrize(
    ("function", "argument", "command"),
    [
        (lambda e: e.gate_each(2, "gpt-4"), "score = 2 ", ["gate", "--each", "2"]),
        (lambda e: e.sample_outputs(0), "n = 0 ", ["judge", "--draw", "0"]),
        (lambda e: e.metrics("nix"), "names = 'nix' ", ["evaluate", "--metrics", "nix"]),
        (lambda e: e.design(coefficient=2), "coefficient = 2.0 ", ["plan", "--design", "--coefficient", "2"]),
        (lambda e: e.convert("wide"), "form = 'wide' ", None),
    ],
)
def test_errors_name_what_the_caller_wrote(capsys, tmp_path, function, argument, command):
    """Check that functions name their argument, and commands the option if it has another name."""
    rows = [
        f"{model},q{i},{trial},{(i + trial) % 2}\n" for model in ("gpt-4", "b") for i in range(3) for trial in (1, 2)
    ]
    (tmp_path / "runs.csv").write_text("model,question,trial,outcome\n" + "".join(rows))
    with pytest.raises(InvalidInput, match=f"^{re.escape(argument)}") as error:
        function(read(tmp_path / "runs.csv", trials=True))
    assert error.value.argument == argument.split()[0]
    if command:
        models = ["gpt-4"] if command[0] == "gate" else []
        assert main([command[0], str(tmp_path / "runs.csv"), *models, *command[1:]]) == 2
        assert f"error: {command[-2]} = " in capsys.readouterr().err


def test_completion_does_not_load_numpy():
    code = "import sys\nfrom scorio.cli import main\nmain(['completion', 'bash'])\nprint('numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "False"


def test_similar_names_are_searched_in_bounded_time() -> None:
    """Check that long names, and names beyond the first thousands, are compared only by their letters and digits."""
    assert nearest("a" * 200, ["a" * 199 + "b"]) == ""
    many = [f"column {i}" for i in range(10**4)]
    assert nearest("colum 7", many) == ", did you mean 'column 7'?"
    assert nearest("COLUMN-9999", many) == ", did you mean 'column 9999'?"
    assert nearest("missspelt", [*many, "misspelt"]) == ""
