"""Mistakes in a line of the command: each is answered with what to type, and no other file is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import TAU, csv_of

from scorio.cli import main


@pytest.mark.parametrize("line", [["leaderboard", "--", "-x.csv"], ["compare", "--json", "--", "-x.csv", "a", "b"]])
def test_what_follows_two_dashes_is_no_option(run, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    csv_of(Path("-x.csv"), [f"{m},{q},0,{q % 2}" for m in "ab" for q in range(9)])
    code, out, err = run(*line)
    assert (code, err) == (0, "")
    assert "-x.csv" in out
    assert "no model '-m'" in run("compare", "--", "-x.csv", "-m", "a")[2]


def test_a_message_names_the_log_that_was_given(run, tmp_path):
    path = tmp_path / "a log.csv"
    csv_of(path, [f"{m},{m}{q},0,{q % 2}" for m in "ab" for q in range(9)])
    assert f"scorio leaderboard '{path}' shows" in run("compare", path, "a", "b")[2]
    assert f"scorio evaluate '{path}' --extrapolate --k 4" in run("leaderboard", path, "--k", "4")[2]
    assert f"scorio leaderboard '{path}' reads" in run("battles", path)[2]


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        (["compare", TAU, "--modle", "a"], ", did you mean '--model'?"),
        (["gate", TAU, TAU, "--margn", ".1"], ", did you mean '--margin'?"),
        (["compare", TAU, "--margn", "1"], ": --margin is an option of scorio gate, scorio baseline and scorio plan"),
        (["help", "file"], ", did you mean 'files'?"),
        (["rank", TAU, "--from", "lmeval"], "--from = 'lmeval' is unknown, did you mean 'lm-evaluation-harness'?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_right_one(line, suggestion, capsys):
    try:
        code = main(line)
    except SystemExit as e:
        code = e.code
    assert code == 2
    assert suggestion in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [["report", "-o", ""], ["convert", "-o", ""], ["receipt", "-o", ""], ["gate", "--at-least", ".1", "--junit", ""]],
)
def test_an_empty_name_of_an_output_is_refused_and_no_log_is_blamed(run, line):
    code, out, err = run(line[0], TAU, *line[1:])
    assert (code, out, err) == (2, "", "scorio: error: '': the path to write to is empty\n")


def test_a_link_that_leads_nowhere_is_not_proposed_as_another_file(run, tmp_path):
    (tmp_path / "runs.csv").symlink_to("gone.csv")
    message = run("leaderboard", tmp_path / "runs.csv")[2]
    assert message.endswith("runs.csv: No such file or directory: it is a link to 'gone.csv'\n")


def test_a_library_that_cannot_be_loaded_is_not_blamed_on_a_log(run, monkeypatch):
    def fault(*_, **__):
        raise OSError("libarrow.so: cannot open shared object file")

    monkeypatch.setattr("scorio.cli.reading.read_log", fault)
    assert run("leaderboard", TAU) == (2, "", "scorio: error: libarrow.so: cannot open shared object file\n")


@pytest.mark.parametrize(
    ("line", "same"),
    [
        (["leaderboard", "--rank", TAU], ["rank", TAU]),
        (["leaderboard", TAU, "--stab", "--replicates", "5"], ["converge", TAU, "--replicates", "5"]),
        (["receipt", "--verif", "nowhere.json"], ["verify", "nowhere.json"]),
    ],
)
def test_options_of_modes_may_be_abbreviated(run, line, same):
    """Check that an abbreviated mode is that mode: a leaderboard was printed, and a receipt written."""
    assert run(*line) == run(*same)


def test_one_mode_is_asked_for_and_what_follows_two_hyphens_is_no_option(run, capsys, tmp_path, monkeypatch):
    with pytest.raises(SystemExit):
        run("leaderboard", "--ranks", "--stability", TAU)
    assert "one of --ranks and --stability" in capsys.readouterr().err
    csv_of(tmp_path / "--ranks", [f"{m},{q},0,{q % 2}" for m in "ab" for q in range(9)])
    monkeypatch.chdir(tmp_path)
    code, _, err = run("leaderboard", "--", "--ranks")  # a file whose name has no ending
    assert (code, err.partition(": the name of")[0]) == (2, "scorio: error: --ranks")


def test_an_option_that_is_not_like_another_gets_no_suggestion(run, capsys):
    with pytest.raises(SystemExit):
        run("compare", TAU, "a", "b", "--gate")
    assert "--rate" not in capsys.readouterr().err
