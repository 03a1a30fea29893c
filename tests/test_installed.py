"""The package as users install it: the wheel, in an environment for each set of extras, far from this checkout.

The other tests run where every extra is installed; what needs one without saying so passes there.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spec
import test_action

pytestmark = pytest.mark.slow

EXTRAS = ["", *(pytest.param(x, marks=pytest.mark.long) for x in ("cli", "fast", "logs,frames", "plot", "all"))]
README = (spec.ROOT / "README.md").read_text()
PULL_REQUESTS = (spec.ROOT / "docs" / "workflow" / "pull_requests.md").read_text()
# every command of the README's list, each with its arguments
COMMANDS = re.findall(r"^scorio (\w+ .*?) +#", README.partition("## The commands")[2].partition("```\n")[0], flags=re.M)
OTHERS = [
    "help files", "skill", "leaderboard spec/examples/coins.csv --json", "leaderboard spec/examples/coins.csv --csv",
    "gate spec/examples/coins.csv large --at-least .5 --junit gate.xml --markdown gate.md",
    "report spec/examples/langchain_tool_use.csv -o suite.html", "leaderboard spec/examples/coins.csv --explain",
]  # fmt: skip
NEEDS = {  # what a missing package is called, and the line that a user types
    "plot": "pip install matplotlib", "completion": "pip install argcomplete",
    "parquet": "pip install narwhals pyarrow", "zst": "pip install zstandard",
}  # fmt: skip
RESULTS = """
import scorio
from scorio import eval, rank, sinf
e = scorio.read("spec/examples/coins.csv", trials=True)
suite = scorio.read("spec/examples/langchain_tool_use.csv")
results = [
    e.leaderboard(), e.rank(), e.compare("large", "tiny"), e.gate("large", "tiny", margin=0.1), e.items(),
    e.changes("tiny", "large"), e.plan(difference=0.1), e.converge(), e.metrics(k=[1, 2]), e.extrapolate(64),
    e.gate_each(0.1, "large"), e.design(), suite.leaderboard(), suite.rank(), e.agreement(),
    e.convert("counts"), e.receipt(), e.report(), scorio.read("spec/examples/coins.csv"), e["large"],
    eval.interval(e["large"], "pass@k", 2, questions="fixed"), sinf.compare_all(e.counts(), questions="fixed"),
    sinf.compare(e["large"], e["tiny"], questions="sampled"), rank.ranges(e.counts(), questions="fixed"),
]
for x in results:
    assert len(str(x)) > 2
    getattr(x, "_repr_html_", str)()
    for form in ("to_text", "to_markdown", "to_latex", "to_csv", "to_dict"):
        getattr(x, form, str)()
print(len(results), "results")
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the wheel, and the examples at the paths of the README."""
    folder = tmp_path_factory.mktemp("user")
    run_or_fail(sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "-w", folder / "dist", spec.ROOT)
    shutil.copytree(spec.SPEC / "examples", folder / "spec" / "examples")
    return folder


class Installed:
    """A virtual environment with the wheel and a set of extras, whose commands run in the folder of a user."""

    def __init__(self, home: Path, extras: str) -> None:
        self.home, self.extras = home, set(extras.split(","))
        self.bin = home / f"env-{extras.replace(',', '-')}" / "bin"
        (wheel,) = (home / "dist").glob("*.whl")
        run_or_fail(sys.executable, "-m", "venv", self.bin.parent)
        command = [self.bin / "python", "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-compile"]
        run_or_fail(*command, f"{wheel}[{extras}]" if extras else wheel)

    def has(self, *extras: str) -> bool:
        """Whether any of these extras is installed."""
        return bool(self.extras & {*extras, "all"})

    def run(self, *command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the user's folder, without the variables of these tests."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SCORIO", "PYTEST", "NUMBA"))}
        clean |= {"PATH": f"{self.bin}{os.pathsep}{clean['PATH']}", **env}
        return subprocess.run(command, cwd=self.home, env=clean, capture_output=True, text=True, timeout=300)

    def scorio(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command scorio."""
        return self.run(self.bin / "scorio", *arguments)


def run_or_fail(*command: str | Path) -> None:
    process = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stdout + process.stderr


@pytest.mark.parametrize("extras", EXTRAS)
def test_every_set_of_extras_works_alone(home: Path, extras: str) -> None:
    """Check commands, output, results and formats in an environment with these extras only."""
    installed = Installed(home, extras)
    check_output_of_the_readme(installed)
    check_formats(installed)
    check_results(installed)
    check_commands(installed)


def check_commands(installed: Installed) -> None:
    """Check the README's list of commands in its order, and some options; only plots and completion need an extra."""
    assert len(COMMANDS) == 22
    for command in [*COMMANDS, *OTHERS]:
        process = installed.scorio(*command.split())
        if command.startswith("plot") and not installed.has("plot"):
            assert process.returncode == 2, command
            assert NEEDS["plot"] in process.stderr, process.stderr
            continue
        verdict = command.startswith(("gate", "changes"))
        assert process.returncode in ((0, 1, 3) if verdict else (0,)), (command, process.stderr)
        assert all(x.startswith("note: ") for x in process.stderr.splitlines()), (command, process.stderr)
    process = installed.scorio("completion", "bash")
    assert process.returncode == 0 if installed.has("cli") else NEEDS["completion"] in process.stderr


def check_output_of_the_readme(installed: Installed) -> None:
    """Check that the README's main job prints what the README shows."""
    shown = re.search(r"<!-- (scorio leaderboard .*?) -->\n```text\n(.*?)```", README, flags=re.S)
    assert shown is not None
    assert installed.scorio(*shown[1].split()[1:]).stdout == shown[2]


def check_results(installed: Installed) -> None:
    """Check the text, HTML, Markdown, LaTeX, CSV and JSON of every result."""
    process = installed.run(installed.bin / "python", "-W", "error", "-c", RESULTS)
    assert process.returncode == 0, process.stderr
    assert process.stdout.endswith(" results\n")


def check_formats(installed: Installed) -> None:
    """Check Parquet and zstd, which are read where their extra is installed and refused with the line to type else."""
    table = installed.home / "t.parquet"
    if not table.exists():
        import pyarrow.csv
        import pyarrow.parquet
        import zstandard

        pyarrow.parquet.write_table(pyarrow.csv.read_csv(spec.SPEC / "examples" / "coins.csv"), table)
        text = (spec.SPEC / "examples" / "coins.csv").read_bytes()
        (installed.home / "t.csv.zst").write_bytes(zstandard.compress(text))
    for file, extra, need in (("t.parquet", "frames", "parquet"), ("t.csv.zst", "logs", "zst")):
        process = installed.scorio("leaderboard", file)
        if installed.has(extra):
            assert process.returncode == 0, process.stderr
        else:
            assert process.returncode == 2, file
            assert NEEDS[need] in process.stderr, process.stderr


def test_the_action_and_the_recipes_run_as_they_stand(home: Path, tmp_path: Path) -> None:
    """Check both steps of action.yml with GitHub's variables, then the GitLab and shell recipes in that environment."""
    runner = test_action.Runner(tmp_path)
    for name, c in (("baseline", 7), ("candidate", 7), ("worse", 1)):
        rows = "".join(f"m,q{i},{c},8\n" for i in range(1000))
        (tmp_path / f"{name}.csv").write_text("model,question,c,n\n" + rows)
    env = os.environ | {"PYTHON": sys.executable, "ACTION": str(spec.ROOT), "RUNNER_TEMP": str(home)}
    step = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    process = subprocess.run([*step, test_action.INSTALL["run"]], env=env, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    scorio = home / "scorio" / "bin" / "scorio"
    for candidate, code, verdict in (("candidate.csv", 0, "pass"), ("worse.csv", 1, "fail")):
        result = runner.run(candidate, "baseline.csv", scorio=str(scorio))
        assert result[:2] == (code, verdict), result
        assert f"Gate on 1,000 shared questions: {verdict.upper()}" in result[2]
        assert "of 1,000 questions regressed" in result[2]

    path = f"{scorio.parent}{os.pathsep}{os.environ['PATH']}"
    gitlab = re.findall(r"^    - (scorio .*)$", PULL_REQUESTS, flags=re.M)
    (shell,) = re.findall(r"## Any shell\n\n```sh\n(.*?)```", PULL_REQUESTS, flags=re.S)
    assert len(gitlab) == 1
    for script, (log, code) in itertools.product([*gitlab, shell], [("candidate.csv", 0), ("worse.csv", 1)]):
        command = ["bash", "-c", script.replace("candidate.csv", log)]
        process = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True)
        assert process.returncode == code, process.stdout + process.stderr
        assert (tmp_path / "gate.xml").read_text().count("<testcase") == 1
    assert json.loads((tmp_path / "GH_STATE").read_text())[-1][1].startswith("<!-- scorio: gate -->")
