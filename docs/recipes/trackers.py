"""Log averages with their intervals, and the report, in a run of MLflow or Weights & Biases."""

import re
import tempfile
from pathlib import Path
from typing import Any

import scorio


def metrics(e: scorio.Evaluation) -> dict[str, float]:
    """Average of each model in each benchmark, the ends of its interval, and its number of trials."""
    numbers: dict[str, float] = {}
    for x in e.leaderboard(k=1).each:
        name = "/".join(re.sub(r"[^\w.-]", "_", part) for part in (x.benchmark, x.model) if part)
        while f"{name}/n" in numbers:  # such as the models "a b" and "a_b"
            name += "_"
        trials = int(e[x.model, x.benchmark].trials.sum())
        values = {"average": x.average.mu, "lo": x.average.lo, "hi": x.average.hi, "n": trials}
        numbers |= {f"{name}/{key}": float(value) for key, value in values.items()}
    return numbers


def to_mlflow(e: scorio.Evaluation, mlflow: Any) -> None:
    """Log metrics and report in the active run: ``with mlflow.start_run(): to_mlflow(e, mlflow)``."""
    mlflow.log_metrics(metrics(e))
    with tempfile.TemporaryDirectory() as folder:
        mlflow.log_artifact(str(page(e, folder)))


def to_wandb(e: scorio.Evaluation, run: Any) -> None:
    """Put metrics into the summary of a run, ``run = wandb.init(...)``, and save the report as an artifact."""
    run.summary.update(metrics(e))
    with tempfile.TemporaryDirectory() as folder:
        run.log_artifact(str(page(e, folder)), name="scorio-report", type="report")


def page(e: scorio.Evaluation, folder: str) -> Path:
    """Write the report into a folder, and return its path."""
    path = Path(folder) / "report.html"
    e.report(str(path))
    return path
