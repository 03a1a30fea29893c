"""Plug-in of pytest: ``pytest --scorio 8`` runs each test marked ``scorio`` eight times and reports the pass rates.

Without that option the plug-in only adds a marker and its options. The rest of scorio is imported after the tests have
run, except that --scorio-baseline FILE is read before them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..evaluation import Evaluation

PROPERTY = "scorio"  # property of a report that holds the name of the test without its trial
ERROR = "scorio_error"  # property of the report of a trial that raised an error: no failed assertion
TRIAL = "_scorio_trial"  # fixture that holds the number of the trial
INCONCLUSIVE = 6  # exit codes up to 5 are those of pytest
CURRENT, BASELINE = "this run", "baseline"  # names of the two runs as models of an evaluation
OPTIONS = {  # by name after --scorio-: type, name of the value, help text
    "margin": (float, "M", "gate: the acceptable loss of pass rate against the baseline"),
    "at_least": (float, "X", "gate: the pass rate to exceed, instead of a margin and a baseline"),
    "baseline": (str, "FILE", "counts of an earlier run, as --scorio-write and scorio convert --to counts write them"),
    "ledger": (str, "DIR", "gate this run by a ledger and record it; --scorio-baseline is then a name (default main)"),
    "write": (str, "FILE", "write the counts of this run as a CSV, the baseline of later ones"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plug-in."""
    group = parser.getgroup("scorio", "repeated tests: pass rates with intervals")
    group.addoption("--scorio", type=int, metavar="N", help="run each test marked scorio N times and count passes")
    for name, (kind, metavar, help_text) in OPTIONS.items():
        group.addoption(f"--scorio-{name.replace('_', '-')}", type=kind, metavar=metavar, help=help_text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and, if --scorio is given, the parts that repeat tests and count trials."""
    config.addinivalue_line("markers", "scorio: a test whose result may vary, which --scorio N runs N times")
    trials, options = config.getoption("scorio"), {x: config.getoption(f"scorio_{x}") for x in OPTIONS}
    set_options = [f"--scorio-{x.replace('_', '-')}" for x, value in options.items() if value is not None]
    if trials is None and set_options:
        raise pytest.UsageError(f"{set_options[0]} needs the number of trials: --scorio 8")
    if trials is not None:
        if trials < 1:
            raise pytest.UsageError(f"--scorio {trials}: at least 1 trial is needed")
        config.pluginmanager.register(Trials(trials))
        if not hasattr(config, "workerinput"):  # the process that gets all reports; with pytest-xdist the controller
            config.pluginmanager.register(Verdict(**options))


class Trials:
    """Runs each marked test several times; a trial that fails is counted, and does not fail the session."""

    def __init__(self, trials: int) -> None:
        self.trials = range(1, trials + 1)

    @pytest.fixture(name=TRIAL)
    def trial(self, request: pytest.FixtureRequest) -> Any:
        """The number of this trial."""
        return request.param

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each trial of a marked test, so that pytest-xdist can distribute them."""
        if metafunc.definition.get_closest_marker("scorio"):
            metafunc.fixturenames.append(TRIAL)
            metafunc.parametrize(TRIAL, self.trials, indirect=True, ids=[f"trial{t}" for t in self.trials])

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Name the test in the reports of its trials."""
        if item.get_closest_marker("scorio"):
            trial = getattr(getattr(item, "callspec", None), "params", {}).get(TRIAL)
            if trial is None:
                pytest.fail("scorio repeats functions and methods, but not those of unittest.TestCase", pytrace=False)
            # the trial is the last part of the id: test[trial1], or test[parameter-trial1] of a parametrized test
            test = item.nodeid.removesuffix(f"[trial{trial}]").removesuffix(f"-trial{trial}]")
            item.user_properties.append((PROPERTY, test + "]" * item.nodeid.endswith(f"-trial{trial}]")))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        """Report a failed trial as an expected failure: -rx lists it, and -x does not stop at it."""
        report = yield
        if report.when == "call" and report.failed and item.get_closest_marker("scorio"):
            report.outcome, report.wasxfail = "skipped", "a failed trial, counted by --scorio"
            if call.excinfo is not None and not call.excinfo.errisinstance((AssertionError, pytest.fail.Exception)):
                report.user_properties.append((ERROR, call.excinfo.typename))
        return report


class Verdict:
    """Counts the trials of each test, prints a table or the comparison with a baseline, and sets the exit code."""

    def __init__(
        self, margin: float | None, at_least: float | None, baseline: str | None, ledger: str | None, write: str | None
    ) -> None:
        self.margin, self.at_least, self.write = margin, at_least, write
        self.counts: dict[str, list[int]] = {}  # passes and trials of each test
        self.errors: dict[str, list[str]] = {}  # names of the exceptions that trials of each test raised
        self.skipped = 0  # trials that were skipped
        self.text = ""
        for name, path in (("baseline", baseline), ("ledger", ledger), ("write", write)):
            if path is not None and not path.strip():  # such as a variable that is not set
                raise pytest.UsageError(f"--scorio-{name} is empty: it needs the name of a file")
        if write and os.path.isdir(write):
            raise pytest.UsageError(f"--scorio-write {write}: this is a folder")
        if ledger is not None and (margin is not None or at_least is not None):
            raise pytest.UsageError("--scorio-ledger has the margin of its baseline: leave out the other margins")
        if margin is not None and (baseline is None or at_least is not None):
            raise pytest.UsageError("--scorio-margin needs --scorio-baseline FILE, and no --scorio-at-least")
        if any(x is not None and not 0.0 < x < 1.0 for x in (margin, at_least)):
            raise pytest.UsageError("--scorio-margin and --scorio-at-least must be strictly between 0 and 1")
        if write and not os.path.isdir(os.path.dirname(os.path.abspath(write))):
            raise pytest.UsageError(f"--scorio-write {write}: there is no such folder")
        if baseline and write and os.path.realpath(baseline) == os.path.realpath(write):
            raise pytest.UsageError("--scorio-write would replace the baseline of this run: name another file")
        self.ledger = (ledger, baseline or "main") if ledger else None  # its folder, and the name of the baseline
        if self.ledger:
            _check_ledger(*self.ledger)
        self.baseline = _baseline(baseline) if baseline and not ledger else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a trial; a test that was skipped, or whose setup failed, is not counted."""
        test = dict(report.user_properties).get(PROPERTY)
        if test and report.when == "call" and (not report.skipped or hasattr(report, "wasxfail")):
            row = self.counts.setdefault(str(test), [0, 0])
            row[0] += report.passed
            row[1] += 1
            self.errors.setdefault(str(test), []).extend(str(x) for name, x in report.user_properties if name == ERROR)
        elif test and report.skipped:
            self.skipped += 1

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Set the exit code from the results, unless the session was stopped."""
        if session.config.option.collectonly or exitstatus not in (0, 1):
            return
        if session.shouldstop or session.shouldfail:
            self.text = "The session was stopped: nothing is compared or written."
        elif not self.counts:
            self.text = "No trial of a test marked scorio was run."
            session.exitstatus = exitstatus or pytest.ExitCode.NO_TESTS_COLLECTED
        else:
            from ..errors import InvalidInput

            try:
                code = self._decide()
                session.exitstatus = exitstatus or code
            except (InvalidInput, OSError) as e:
                self.text, session.exitstatus = f"{self.text}\n{e}".strip(), pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the results."""
        if self.text:
            terminalreporter.section("scorio")
            terminalreporter.write_line(self.text)

    def _decide(self) -> int:
        """Write the counts, set the text of the results, and return the exit code."""
        from .. import saving
        from ..evaluation import read
        from ..outcomes.counts import Counts

        tests = sorted(self.counts)
        c, n = zip(*(self.counts[x] for x in tests), strict=True)
        e = read({CURRENT: Counts.from_successes(c, n, ids=tests)})
        if self.write:
            saving.write(self.write, e.convert("counts").to_csv())
        results: list[Any] = []
        if self.skipped:
            self.text += f"Skipped, and not counted: {self.skipped:,} of {self.skipped + sum(n):,} trials.\n\n"
        broken = [x for x in tests if len(self.errors[x]) == self.counts[x][1]]
        for test in broken:  # such a test measures nothing
            self.text += f"{test} raised an error in all of its trials: {', '.join(sorted({*self.errors[test]}))}.\n\n"
        if self.baseline is None:
            width = max(len(f"{a}/{b}") for a, b in zip(c, n, strict=True))
            self.text += "".join(f"{f'{a}/{b}':>{width}}  {x}\n" for x, a, b in zip(tests, c, n, strict=True))
            self.text += f"\n{e.leaderboard()}"
        else:
            combined = self.baseline + e
            if absent := sorted(set(self.baseline.log(BASELINE).ids) - set(tests)):
                self.text += f"Not run now, but in the baseline: {', '.join(absent)}.\n\n"
            options: Any = {"alternative": "regressed", "fail_on": "regressed", "shared": True}
            results.append(combined.changes(CURRENT, BASELINE, **options))
            if self.margin is not None:
                results.append(combined.gate(CURRENT, BASELINE, margin=self.margin, shared=True))
        if self.ledger:
            from ..commands.gate_ledger import gate_build

            results.append(gate_build(e, self.ledger[1], self.ledger[0]))
        if self.at_least is not None:
            results.append(e.gate(at_least=self.at_least))
        self.text += "\n\n".join(map(str, results))
        codes = {x.exit_code for x in results}  # 0 passed, 1 failed, 3 inconclusive
        return 1 if broken or 1 in codes else INCONCLUSIVE if 3 in codes else 0


def _check_ledger(folder: str, baseline: str) -> None:
    """Refuse a ledger without this baseline; called before any test is run, so that errors are seen at once."""
    from ..commands.ledgers import open_ledger
    from ..errors import InvalidInput

    try:
        open_ledger(folder).baseline(baseline)
    except (InvalidInput, OSError) as error:
        raise pytest.UsageError(f"--scorio-ledger: {error}") from None


def _baseline(path: str) -> Evaluation:
    """Read the counts of the baseline; called before any test is run, so that errors are seen at once."""
    from ..errors import InvalidInput
    from ..evaluation import read

    try:
        e = read(path)
        if len(e.models) != 1:
            raise InvalidInput("choice", "baseline", f"{path} has {len(e.models)} models: a baseline has one")
        return e.renamed({e.models[0]: BASELINE})
    except (InvalidInput, OSError) as error:
        raise pytest.UsageError(f"--scorio-baseline: {error}") from None
