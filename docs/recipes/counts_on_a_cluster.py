"""Count outcomes on the cluster that holds them; only a row for each model and question is sent back.

The frames have the columns model, question and outcome (0, 1 or missing). Missing outcomes are left out, others than 0
and 1 are an error; duplicate trials are counted twice, so check for them beforehand. ``scorio.read(frame)`` finds them
itself, but takes longer.
"""

from typing import Any

import scorio


def read_dask(frame: Any) -> scorio.Evaluation:
    """Evaluation of the outcomes in a Dask frame, counted by Dask."""
    outcomes = frame[["model", "question", "outcome"]].dropna()
    if int((~outcomes["outcome"].isin([0, 1])).sum().compute()):
        raise ValueError("outcomes must be 0, 1 or missing")
    outcomes = outcomes.astype({"outcome": "int64"})
    counts = outcomes.groupby(["model", "question"])["outcome"].agg(["sum", "count"]).compute()
    return scorio.read(counts.rename(columns={"sum": "c", "count": "n"}).reset_index())


def read_spark(frame: Any) -> scorio.Evaluation:
    """Evaluation of the outcomes in a Spark frame, counted by Spark."""
    from pyspark.sql import functions as f

    if frame.where(f.col("outcome").isNotNull() & ~f.col("outcome").isin(0, 1)).head(1):
        raise ValueError("outcomes must be 0, 1 or missing")
    outcome = f.col("outcome").cast("int")
    counts = frame.groupBy("model", "question").agg(f.sum(outcome).alias("c"), f.count(outcome).alias("n"))
    return scorio.read(counts.where("n > 0").toPandas())
