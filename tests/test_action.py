"""The steps of action.yml, run as GitHub runs them; a stand-in for gh keeps the comments of a pull request."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spec
from lengths import part

pytestmark = pytest.mark.slow

yaml = pytest.importorskip("yaml")  # Dask, which is in the extra "test", brings it

ACTION = yaml.safe_load((spec.ROOT / "action.yml").read_text())
INSTALL, GATE = ACTION["runs"]["steps"]
GH_SCRIPT = f"""#!{sys.executable}
import json, os, pathlib, sys
state = pathlib.Path(os.environ["GH_STATE"])
comments = json.loads(state.read_text())
args = sys.argv[2:]
flags = {{a: args[args.index(a) + 1] for a in ("--method", "--jq", "--field") if a in args}}
if args[0] == "graphql":
    print("github-actions")
    sys.exit()
(path,) = [a for a in args if a.startswith("repos/")]
if os.environ["GH_TOKEN"] == "read" and "--method" in flags:
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
if "--method" not in flags:
    assert path == "repos/us/model/issues/7/comments" and "--paginate" in args, path
    assert "select(.user.login" in flags["--jq"] and os.environ["AUTHOR"] == "github-actions", flags
    own = [i for i, (login, _) in enumerate(comments) if login.removesuffix("[bot]") == os.environ["AUTHOR"]]
    print(*[i for i in own if comments[i][1].startswith(os.environ["MARK"])], sep="\\n")
    sys.exit()
name, _, file = flags["--field"].partition("=@")
assert name == "body"
body = pathlib.Path(file).read_text()
if flags["--method"] == "POST":
    assert path == "repos/us/model/issues/7/comments", path
    comments.append(["github-actions[bot]", body])
else:
    comments[int(path.removeprefix("repos/us/model/issues/comments/"))][1] = body
state.write_text(json.dumps(comments))
"""


class Runner:
    """Stand-in for a GitHub runner: files for the summary and the outputs, and the comments of a pull request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in (("gh", GH_SCRIPT), ("scorio", f'#!/bin/sh\nexec {sys.executable} -m scorio "$@"\n')):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        (folder / "python").symlink_to(sys.executable)
        # somebody else's comment that begins with the mark is never updated
        self.comments = [["a", "Looks good to me"], ["b", "<!-- scorio: gate -->\ncopied"]]

    def run(self, candidate: str, baseline: str, **inputs: str) -> tuple[int, str, str, str]:
        """Exit code, verdict, summary and log of the step."""
        input_values = {name: x.get("default", "") for name, x in ACTION["inputs"].items()}
        input_values |= {"candidate": candidate, "baseline": baseline, "margin": "0.1"}
        input_values |= {name.replace("_", "-"): x for name, x in inputs.items()}
        env = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
        for name, value in GATE["env"].items():
            env[name] = input_values.get(value.removeprefix("${{ inputs.").removesuffix(" }}"), value)
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GH_STATE")}
        for file in files.values():
            file.write_text("")
        files["GH_STATE"].write_text(json.dumps(self.comments))
        env |= {name: str(file) for name, file in files.items()} | {
            "SCORIO": inputs.get("scorio", str(self.folder / "scorio")),
            "PULL_REQUEST": inputs.get("pull_request", "7"),
            "GH_TOKEN": inputs.get("token", "write"), "GITHUB_REPOSITORY": "us/model",
            "PATH": f"{self.folder}{os.pathsep}{env['PATH']}", "PYTHONPATH": str(spec.ROOT / "python"),
        }  # fmt: skip
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", GATE["run"]]
        process = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        self.comments = json.loads(files["GH_STATE"].read_text())
        verdict = files["GITHUB_OUTPUT"].read_text().strip().removeprefix("verdict=")
        return process.returncode, verdict, files["GITHUB_STEP_SUMMARY"].read_text(), process.stdout + process.stderr


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Runner with four logs of one model: a baseline, an equal log, a worse one, and one with a single question."""
    for name, right, questions in (("base", 7, 30), ("same", 7, 30), ("worse", 1, 30), ("few", 7, 1)):
        rows = "".join(f"m,q{i},{right},8\n" for i in range(questions))
        (tmp_path / f"{name}.csv").write_text("model,question,c,n\n" + rows)
    return Runner(tmp_path)


def test_one_comment_is_updated(runner: Runner) -> None:
    """Check that the first run writes a comment, the next replaces it, and a gate of another name adds its own."""
    others = list(runner.comments)
    code, verdict, summary, log = runner.run("same.csv", "base.csv")
    assert (code, verdict) == (0, "pass"), log
    assert "Gate on 30 shared questions: PASS" in summary
    assert "0 of 30 questions regressed" in summary
    assert runner.comments == [*others, ["github-actions[bot]", summary]]
    code, verdict, summary, log = runner.run("worse.csv", "base.csv")
    assert (code, verdict) == (1, "fail"), log
    assert "30 of 30 questions regressed" in summary
    assert runner.comments == [*others, ["github-actions[bot]", summary]]
    assert runner.run("same.csv", "base.csv", name="other")[0] == 0
    assert len(runner.comments) == 4


def test_the_exit_code_is_that_of_the_verdict(runner: Runner) -> None:
    """Check an inconclusive gate, which an input lets pass, and an error; no input is run as code."""
    code, verdict, _, log = runner.run("few.csv", "base.csv", margin="0.01", options="--shared")
    assert (code, verdict) == (3, "inconclusive"), log
    inputs = {"margin": "0.01", "changes": "false", "options": "--shared"}
    code, verdict, _, log = runner.run("few.csv", "base.csv", inconclusive="pass", **inputs)
    assert (code, verdict) == (0, "inconclusive"), log
    code, verdict, summary, log = runner.run("none.csv", "base.csv; touch hacked", options="--missing 0")
    assert (code, verdict) == (2, "error"), log
    assert "scorio gate: " in summary
    assert "none.csv" in summary
    assert not (runner.folder / "hacked").exists()


INPUTS = [
    ({"candidate": "--help"}, 2, "error"),
    ({"candidate": "-x.csv", "changes": "false"}, 2, "error"),
    ({"options": "--dry-run"}, 2, "error"),
    ({"options": "--help"}, 2, "error"),
    ({"gate_options": "--version"}, 2, "error"),
    ({"options": "--confidence 'x"}, 2, "error"),
    ({"changes": "maybe"}, 2, "error"),
    ({"candidate": ""}, 2, "error"),
    ({"candidate": "", "changes": "false"}, 2, "error"),
    ({"options": "# nothing", "gate_options": " \n"}, 0, "pass"),
    ({"candidate": "worse.csv", "gate_options": "--margin .99", "changes": "false"}, 1, "fail"),
    ({"candidate": "-dash.csv"}, 0, "pass"),
    ({"inconclusive": "no"}, 2, "error"),
    ({"options": "--junit x.xml"}, 2, "error"),
    ({"options": "--juni x.xml"}, 2, "error"),
    ({"options": "--junit=x.xml", "changes": "false"}, 0, "pass"),
    ({"gate_options": "--markdown x.md"}, 2, "error"),
    ({"candidate": "worse.csv", "changes": "False", "gate_options": "--confidence\n.99\n# a comment\n"}, 1, "fail"),
    ({"candidate": "worse.csv", "margin": ".99", "changes": "True"}, 1, "fail"),  # not "false": questions regressed
    ({"candidate": "copy of.csv", "options": "--scale\n'0,1'\n--missing 0"}, 0, "pass"),
]


@pytest.mark.parametrize(("inputs", "code", "verdict"), part(INPUTS, 3))
def test_inputs_are_values_and_options_and_never_a_verdict(
    runner: Runner, inputs: dict[str, str], code: int, verdict: str
) -> None:
    """Check inputs that look like options, options of several lines and quoted ones, and words for true and false."""
    for name in ("copy of.csv", "-dash.csv"):
        (runner.folder / name).write_text((runner.folder / "same.csv").read_text())
    result = runner.run(**({"candidate": "same.csv", "baseline": "base.csv"} | inputs))
    assert result[:2] == (code, verdict), result


def test_the_report_of_the_gate_is_not_overwritten(runner: Runner) -> None:
    """Check that --junit of gate-options holds the gate: in options, the changes were written over it."""
    assert runner.run("same.csv", "base.csv", gate_options="--junit x.xml")[:2] == (0, "pass")
    assert "scorio gate" in (runner.folder / "x.xml").read_text()
    log = runner.run("same.csv", "base.csv", options="--junit y.xml")[3]
    assert "options: --junit is the report of the gate: write it in gate-options" in log
    assert not (runner.folder / "y.xml").exists()


def test_files_of_the_repository_are_not_run(runner: Runner) -> None:
    """Check modules named like those of Python in the folder of a pull request: json.py could write verdict=pass."""
    for name in ("json", "shlex", "venv", "pip"):
        (runner.folder / f"{name}.py").write_text(
            "open('RUN', 'w').write('x')\ndef split(*_, **__): return ['--margin=.99']\n"
        )
    (runner.folder / "scorio").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m scorio "$@"\n')
    result = runner.run("worse.csv", "base.csv", options="--missing 0", changes="false", pull_request="")
    assert result[:2] == (1, "fail"), result
    assert not (runner.folder / "RUN").exists()


def test_without_permission_only_the_summary_is_written(runner: Runner) -> None:
    """Check that a pull request from a fork, which may not comment, gives a warning; a push has no pull request."""
    code, verdict, summary, log = runner.run("same.csv", "base.csv", token="read", changes="false")
    assert (code, verdict) == (0, "pass"), log
    assert "::warning::scorio: no comment was written" in log
    assert "PASS" in summary
    before = list(runner.comments)
    code, _, _, log = runner.run("same.csv", "base.csv", pull_request="", changes="false")
    assert (code, "warning" in log, runner.comments) == (0, False, before), log


def test_question_names_do_not_act_as_runner_commands(runner: Runner) -> None:
    """Check questions named like a runner command or an image, and a page that is too long for a comment."""
    rows = [f"m,::error::{i} ![](http://x) {'é' * 4000},{{c}},8\n" for i in range(40)]
    for name, c in (("base", 8), ("worse", 0)):
        (runner.folder / f"{name}.csv").write_text("model,question,c,n\n" + "".join(rows).format(c=c))
    code, verdict, summary, log = runner.run("worse.csv", "base.csv", gate_options="--changes")
    assert (code, verdict) == (1, "fail"), log
    assert "![](http" not in re.sub("`[^`]*`", "", summary)  # an image in code is not displayed
    inside = False
    for line in log.splitlines():
        inside = line.startswith("::stop-commands::") or (inside and not line.startswith("::scorio-"))
        assert inside or not line.startswith("::error"), line
    assert len(runner.comments[-1][1]) <= 65_536  # GitHub's limit
    assert runner.comments[-1][1].rstrip().endswith("The full report is in the job summary.")


def test_the_install_step_installs_the_folder_of_the_action(tmp_path: Path) -> None:
    """Check that the install step creates an environment and installs the action's own folder; stand-ins record it."""
    (tmp_path / "python").write_text('#!/bin/sh\nmkdir -p "$4/bin"\nln -s "$(dirname "$0")/pip" "$4/bin/python"\n')
    (tmp_path / "pip").write_text('#!/bin/sh\necho "$@" > "$RUNNER_TEMP/arguments"\n')
    for name in ("python", "pip"):
        (tmp_path / name).chmod(0o755)
    env: dict[str, Any] = {"PYTHON": str(tmp_path / "python"), "ACTION": "/checkout", "RUNNER_TEMP": str(tmp_path)}
    subprocess.run(["bash", "-eo", "pipefail", "-c", INSTALL["run"]], env=os.environ | env, check=True)
    assert (tmp_path / "arguments").read_text().split()[-1] == "/checkout[logs,frames]"


def test_a_ledger_has_one_error_rate_for_all_builds(runner: Runner) -> None:
    """Check the verdicts of a gate by a ledger, that it records the candidates, and that inputs are not mixed."""
    command = [str(runner.folder / "scorio"), "baseline", "set", "base.csv", "--name=-main", "--margin", ".3"]
    subprocess.run(command, cwd=runner.folder, check=True,
                   env=os.environ | {"PYTHONPATH": str(spec.ROOT / "python")})  # fmt: skip
    ledger = runner.folder / ".scorio" / "ledger.jsonl"
    rows = "".join(f"m,q{i},{7 - (i == 3)},8\n" for i in range(30))
    (runner.folder / "new.csv").write_text("model,question,c,n\n" + rows)
    code, verdict, summary, log = runner.run("new.csv", "-main", ledger=".scorio", margin="")
    assert (code, verdict) == (0, "pass"), log
    assert "above the floor of baseline -main" in summary
    assert "regressed" not in summary
    code, verdict, summary, log = runner.run("worse.csv", "-main", ledger=".scorio", margin="")
    assert (code, verdict) == (1, "fail"), log
    verdicts = [json.loads(x).get("gate") for x in ledger.read_text().splitlines()]
    assert [x["verdict"] for x in verdicts if x] == ["pass", "fail"]
    code, verdict, _, log = runner.run("same.csv", "-main", ledger=".scorio", margin=".1")
    assert (code, verdict) == (2, "error"), log
    code, verdict, _, log = runner.run("same.csv", "base.csv", margin="")
    assert (code, verdict) == (2, "error"), log
