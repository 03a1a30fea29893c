"""Shared set-up: the folder of tests on the path, Hypothesis profiles, --long, a summary, and shared fixtures."""

import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite(
    "commands", "log_tables", "report_pages", "web_pages"
)  # so that their asserts show values
if "--long" in sys.argv:
    os.environ["SCORIO_LONG"] = "1"
settings.register_profile("short", max_examples=30, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("search", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "long" if os.environ.get("SCORIO_LONG") else "short"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --long: the tests that are marked long too, and all examples of the others."""
    parser.addoption("--long", action="store_true", help="all simulations, benchmarks and examples: about an hour")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are marked long, unless --long is given."""
    if not config.getoption("--long"):
        left_out = [x for x in items if x.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [x for x in items if not x.get_closest_marker("long")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which comparisons with Julia ran, and on how many cases, so that a missing comparison is noticed."""
    totals: Counter[str] = Counter()
    comparisons = {}
    for report in terminalreporter.stats.get("passed", []):
        for key, x in report.user_properties:
            if key.startswith("comparison "):
                comparisons[key] = x
            elif isinstance(x, int):
                totals[key] += x
    if totals["differential"]:
        terminalreporter.write_line(
            f"Python against Julia: {totals['differential']} random calls ({totals['answered']} with a result, "
            f"the rest refused by both) and {totals['vectors']} cases of spec/: no bit differs"
        )
    for key in sorted(comparisons):
        terminalreporter.write_line(f"{key}: {comparisons[key]}")
    print_accuracy(terminalreporter)


def print_accuracy(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many results of the vectors are the nearest double, and the functions for which some are not."""
    passed = [dict(x.user_properties) for x in terminalreporter.stats.get("passed", [])]
    errors = {x["function"]: x["errors"] for x in passed if "errors" in x}
    all_errors = [e for each in errors.values() for e in each]
    if not all_errors:
        return
    terminalreporter.write_line(
        f"Vectors of {len(errors)} functions: {len(all_errors):,} results, "
        f"{sum(e <= 0.5 for e in all_errors):,} of them the nearest double"
    )
    for name, each in sorted(errors.items()):
        if (worst := max(each, default=0.0)) > 0.5:
            terminalreporter.write_line(
                f"  {name}: {sum(e > 0.5 for e in each)} are not; the largest error is {worst:.2f} ULP"
            )


@pytest.fixture
def plain_terminal(monkeypatch):
    """Set the terminal's width to 80 columns, and remove environment variables about colour."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys):
    """Function that runs a command, and returns its exit code, output and error output."""
    from scorio.cli import main

    def call(*args: str | Path) -> tuple[int, str, str]:
        code = main([*map(str, args)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def run_json(run):
    """Function that runs a command with --json, which must succeed, and returns its parsed output."""

    def call(*args: str | Path) -> dict:
        code, out, err = run(*args, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


@pytest.fixture(scope="module")
def coins(tmp_path_factory) -> Path:
    """Log of five models with success rates 0.2 .. 0.6 on 20 questions, 8 trials each."""
    import numpy as np

    from scorio import simulate

    path = tmp_path_factory.mktemp("coins") / "coins.csv"
    R = simulate.coins(np.tile(np.linspace(0.2, 0.6, 5)[:, None], 20), 8, seed=3)
    rows = [f"m{l},q{i},{j},{x}" for (l, i, j), x in np.ndenumerate(R)]
    path.write_text("model,question,trial,outcome\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(params=["row by row", "engine"])
def reader(request, monkeypatch):
    """Run a test with each of the two readers of tables."""
    from scorio.readers import engine

    monkeypatch.setattr(engine, "MIN_BYTES", 1 << 60 if request.param == "row by row" else 0)
    return request.param


@pytest.fixture
def file(tmp_path):
    """Function that writes text or bytes under a name and returns the path."""

    def write(content: str | bytes, name: str = "runs.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def built_page(tmp_path_factory) -> Path:
    """The page of web/, built anew."""
    import web_pages

    path = tmp_path_factory.mktemp("page") / "scorio.html"
    web_pages.module("build").main(path)
    return path


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of the page."""
    import devtools

    x = devtools.Browser()
    yield x
    x.close()


@pytest.fixture
def page(browser, built_page):
    """The page, opened anew; no test may leave an error of a script, or a request to anything but itself."""
    browser.problems.clear()
    browser.requests.clear()
    browser.size(1280)
    browser.open(built_page)
    browser.run("navigator.clipboard.writeText = async (x) => { window.copied = x; }")
    yield browser
    assert not browser.problems
    assert all(x.startswith(("file:", "blob:", "about:")) for x in browser.requests), browser.requests
