"""Logs and checks that the tests of several commands share."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "spec" / "examples"
TAU, TOOLS = str(EXAMPLES / "tau_bench_gpt4o_airline.csv"), str(EXAMPLES / "langchain_tool_use.csv")


def csv_of(path: Path, rows: list[str], header: str = "model,question,trial,outcome") -> Path:
    """Write a table of these rows as CSV; return the path."""
    path.write_text(header + "\n" + "\n".join(rows) + "\n")
    return path


def refused(run, *args: str | Path) -> str:
    """Error message of a command that must be refused in one line."""
    code, out, err = run(*args)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("scorio: error: ")
    return err
