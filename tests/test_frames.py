"""Frames and Parquet: every engine gives the same results and errors as the CSV reader for the same rows.

PySpark is not in the extra "test". Where PySpark, Java or Dask is not installed, their tests are skipped, and the
summary of pytest says why.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import warnings
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scorio
from scorio import InvalidInput
from scorio.io import from_frame, read

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]


def dictionaries(table: pa.Table) -> pa.Table:
    columns = [c if pa.types.is_boolean(c.type) else c.dictionary_encode() for c in table.columns]
    return pa.table(columns, table.column_names)


def categories(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas().astype("category")


def chunks(table: pa.Table) -> pa.Table:
    return pa.concat_tables([dictionaries(table.slice(i, 2)) for i in range(0, max(1, len(table)), 2)])


def polars_categories(table: pa.Table) -> pl.DataFrame:
    return pl.from_arrow(table).with_columns(pl.col(pl.String).cast(pl.Categorical))


def polars_enums(table: pa.Table) -> pl.LazyFrame:
    frame = pl.from_arrow(table)
    kinds = {x.name: pl.Enum(x.drop_nulls().unique().to_list()) for x in frame if x.dtype == pl.String}
    return frame.cast(kinds).lazy()


FRAMES = {
    "pandas": lambda table: table.to_pandas(),
    "pandas, nullable": lambda table: table.to_pandas().convert_dtypes(),
    "pandas, of Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, objects": lambda table: table.to_pandas().astype(object),
    "pandas, categories": categories,
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.from_arrow(table).lazy(),
    "polars, categories": polars_categories,
    "polars, enums": polars_enums,
    "arrow": lambda table: table,
    "arrow, dictionaries": dictionaries,
    "arrow, dictionaries in chunks": chunks,
    "duckdb": duckdb.from_arrow,
}


@pytest.fixture(scope="module")
def spark():
    """PySpark session in this process; the test is skipped without PySpark or Java."""
    sql = pytest.importorskip("pyspark.sql")
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    except Exception as e:
        pytest.skip(f"PySpark did not start: {e}")
    yield session
    session.stop()


def contents(logs) -> dict:
    """Counts, missing outcomes and cluster by model and question, so that the order of rows does not matter."""
    return {
        model: {
            q: (log.counts.table[i].tolist(), int(log.counts.absent[i]), log.clusters and log.clusters[i])
            for i, q in enumerate(log.ids)
        }
        | {"missing": log.missing}
        for model, log in logs.pooled().logs.items()
    } | {"w": logs.w}


def outcomes(logs) -> dict:
    return {model: dict(zip(log.ids, log.outcomes.tolist(), strict=True)) for model, log in logs.pooled().logs.items()}


def written(table: pa.Table, folder: Path) -> Path:
    """Write the rows as CSV; return the path."""
    path = folder / "model.csv"
    with path.open("w", encoding="utf-8", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(table.column_names)
        for row in table.to_pylist():
            writer.writerow(["" if x is None else x for x in row.values()])
    return path


def result_or_refusal(read, log, view=contents, **options):
    """The logs as `view` shows them, or the code and the argument of the refusal."""
    try:
        return view(read(log, **options))
    except InvalidInput as e:
        return e.code, e.argument


# --- random logs -------------------------------------------------------------------------------------

names = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="\u00ad"), min_size=1, max_size=4)
spaces = st.sampled_from(["", "", "", " ", "\t", "\u2003 "])


@st.composite
def logs(draw):
    """An Arrow table, and the options for reading it."""
    questions = draw(st.lists(st.one_of(st.integers(-20, 20).map(str), names), min_size=1, max_size=4, unique=True))
    integer_ids = all(q.removeprefix("-").isdecimal() and q.isascii() for q in questions) and draw(st.booleans())
    models = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    w = draw(st.sampled_from([None, [0, 0.5, 1], "levels"]))
    cells = st.sampled_from([0.0, 0.25, 0.1, 1.0]) if w == "levels" else st.integers(0, 1 if w is None else 2)
    longest = draw(st.integers(1, 5))
    equal, gaps, rows = draw(st.booleans()), draw(st.booleans()), []
    for model in models:
        for question in questions:
            for trial in range(longest if equal else draw(st.integers(1, longest))):
                outcome = draw(st.one_of(st.none(), cells) if gaps else cells)
                pad = "" if integer_ids else draw(spaces)
                rows.append(
                    (model + draw(spaces), int(question) if integer_ids else question + pad, trial * 7, outcome)
                )
    rows = draw(st.permutations(rows))
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, ["model", "question", "trial", "outcome"])
    kind = draw(st.sampled_from(["unchanged", "bool", "text", "float"]))
    if kind == "bool" and w is None:
        table = table.set_column(3, "outcome", table["outcome"].cast(pa.bool_()))
    elif kind == "text":
        table = table.set_column(3, "outcome", [[None if x is None else str(x) for x in table["outcome"].to_pylist()]])
    elif kind == "float":
        table = table.set_column(3, "outcome", table["outcome"].cast(pa.float64()))
    if draw(st.booleans()):
        cluster_of = {q: draw(names) for q in questions}
        table = table.append_column("cluster", [[cluster_of[str(q).strip()] for q in table["question"].to_pylist()]])
    for name in ("model", "trial"):
        if (name == "trial" or len(models) == 1) and draw(st.booleans()):
            table = table.drop_columns([name])
    missing = draw(st.sampled_from(["raise", "drop", "drop", 0, 1]))
    return table, {"w": w, "missing": missing, "missing_code": draw(st.sampled_from([None, 1]))}


@given(logs())
@settings(max_examples=settings().max_examples // 4)
def test_every_engine_agrees_with_the_csv_reader(tmp_path_factory, log):
    table, options = log
    path = written(table, tmp_path_factory.mktemp("log"))
    expected = result_or_refusal(read, path, **options)
    for name, frame in FRAMES.items():
        assert result_or_refusal(from_frame, frame(table), **options) == expected, name
    assert result_or_refusal(from_frame, table.take(np.arange(len(table))[::-1]), **options) == expected
    pq.write_table(table, path.with_suffix(".parquet"))
    assert result_or_refusal(read, path.with_suffix(".parquet"), **options) == expected


@given(logs())
@settings(max_examples=settings().max_examples // 4)
def test_every_engine_keeps_the_order_of_trials(tmp_path_factory, log):
    table, options = log
    path = written(table, tmp_path_factory.mktemp("log"))
    expected = result_or_refusal(read, path, outcomes, trials=True, **options)
    for name, frame in FRAMES.items():
        unordered = name == "duckdb" and "trial" not in table.column_names
        result = result_or_refusal(from_frame, frame(table), outcomes, trials=True, **options)
        assert result == (("conflict", "trials") if unordered else expected), name


trials_with_gaps = st.dictionaries(
    st.sampled_from("pqr"), st.permutations(range(-3, 12)).flatmap(lambda x: st.integers(1, 6).map(lambda n: x[:n])),
    min_size=1,
)  # fmt: skip


@given(trials_with_gaps)
def test_trials_are_in_the_order_of_their_ids(tmp_path_factory, trials):
    """Check that trials are in the order of their ids, where these start at any number and have gaps."""
    rows = [(question, trial, trial % 2) for question, ids in trials.items() for trial in ids]
    table = pa.table([list(x) for x in zip(*rows, strict=True)], ["question", "trial", "outcome"])
    path = written(table, tmp_path_factory.mktemp("log"))
    expected = outcomes(read(path, trials=True, missing="drop"))
    for make in (pl.from_arrow, duckdb.from_arrow, lambda x: x.to_pandas()):
        assert outcomes(from_frame(make(table), trials=True, missing="drop")) == expected
    for q, ids in trials.items():
        assert [x for x in expected["model"][q] if x >= 0] == [t % 2 for t in sorted(ids)]  # -1: missing


@given(logs())
@settings(max_examples=8)
def test_dask_agrees_with_the_csv_reader(tmp_path_factory, log):
    dask = pytest.importorskip("dask.dataframe")
    table, options = log
    expected = result_or_refusal(read, written(table, tmp_path_factory.mktemp("log")), **options)
    for npartitions in (1, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            assert (
                result_or_refusal(from_frame, dask.from_pandas(table.to_pandas(), npartitions=npartitions), **options)
                == expected
            )


@given(log=logs())
@settings(max_examples=5)
def test_spark_agrees_with_the_csv_reader(tmp_path_factory, spark, log):
    table, options = log
    folder = tmp_path_factory.mktemp("log")
    pq.write_table(table, folder / "log.parquet")
    expected = result_or_refusal(read, written(table, folder), **options)
    assert result_or_refusal(from_frame, spark.read.parquet(str(folder / "log.parquet")), **options) == expected


successes_and_failures = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=5)


@given(successes_and_failures, st.sampled_from(["raise", "drop", 0]))
@settings(max_examples=settings().max_examples // 4)
def test_every_engine_agrees_on_successes_and_trials(tmp_path_factory, rows, missing):
    table = pa.table({"question": list(range(len(rows))), "c": [c for c, _ in rows], "n": [c + f for c, f in rows]})
    expected = result_or_refusal(read, written(table, tmp_path_factory.mktemp("log")), missing=missing)
    for name, frame in FRAMES.items():
        assert result_or_refusal(from_frame, frame(table), missing=missing) == expected, name


# --- single cases ------------------------------------------------------------------------------

QUESTIONS = {"question": ["a", "a", "b", "b"], "outcome": [1, 0, 1, 1]}


def refused(frame, code: str, argument: str, **options) -> str:
    with pytest.raises(InvalidInput) as e:
        read(frame, **options) if isinstance(frame, Path) else from_frame(frame, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    assert "\n" not in str(e.value)
    return str(e.value)


@pytest.mark.parametrize("name", FRAMES)
def test_read_takes_frames(name):
    frame = FRAMES[name](pa.table(QUESTIONS))
    logs = read(frame)
    assert (list(logs), logs.provenance.format) == (["model"], "frame")
    assert logs.log("model").counts.table.tolist() == [[1, 1], [0, 2]]
    assert logs.log("model").ids == ["a", "b"]


@pytest.mark.parametrize("name", FRAMES)
def test_ids_are_in_the_order_of_numbers_or_of_text(name):
    models, questions = ["m10", "m9", "m10"], ["10", "9", "-1"]
    table = pa.table({"model": models, "question": questions, "outcome": [1, 1, 1]})
    logs = from_frame(FRAMES[name](table))
    assert list(logs) == ["m10", "m9"]
    assert logs.log("m10").ids == ["-1", "10"]
    table = pa.table({"model": [10, 9, 9], "question": ["10", "9", "x"], "outcome": [1, 1, 1]})
    logs = from_frame(FRAMES[name](table))
    assert list(logs) == ["9", "10"]
    assert logs.log("9").ids == ["9", "x"]


@pytest.mark.parametrize("name", FRAMES)
def test_columns_are_read_under_other_names(name):
    table = pa.table({"doc_id": [1, 2], "acc": [1, 0], "outcome": ["x", "y"], "prompt": ["?", "?"], "n": [7, 7]})
    columns = {"question": "doc_id", "outcome": "acc", "n": None}
    logs = from_frame(FRAMES[name](table), columns=columns)
    assert contents(logs) == contents(from_frame(pa.table({"question": [1, 2], "outcome": [1, 0]})))


@pytest.mark.parametrize(
    ("columns", "code", "argument"),
    [
        ({"question": "id"}, "choice", "columns"),
        ({"query": "question"}, "choice", "columns"),
        (["question"], "type", "columns"),
        ({"question": None}, "format", "frame"),
    ],
)
def test_invalid_names_of_columns_are_refused(columns, code, argument):
    refused(pl.DataFrame(QUESTIONS), code, argument, columns=columns)


@pytest.mark.parametrize("name", FRAMES)
def test_further_columns_are_treated_as_in_a_csv(name, tmp_path):
    """Check that further columns give the remarks or the refusal of a CSV; capitals in names are accepted."""
    rows = {"Question": ["x", "x", "y", "y"], "outcome": [1, 0, 1, 1], "metric": ["a"] * 4, "note": ["n", "", "m", "o"]}
    for columns in (
        rows,
        rows | {"metric": ["a", "b", "a", "a"]},
        rows | {"models": ["p", "q", "p", "q"]},
        {"question": ["x", "y"], "c": [1, 0], "n": [2, 2], "split": ["test", "valid"], "answers": ["1", "2"]},
        {"question": ["x", "x"], "outcome": [1, 0], "trial": [0, 1], "metric": ["a", "b"]},
    ):
        table = pa.table(columns)
        text = table.to_pandas().to_csv(index=False)
        (tmp_path / "frame.csv").write_text(text)

        def result_of(source: object) -> object:
            try:
                e = read(source)
            except InvalidInput as error:
                return error.code, error.reason.partition(": ")[2]
            return e.provenance.remarks, e[e.models[0]].table.tolist()

        assert result_of(FRAMES[name](table)) == result_of(tmp_path / "frame.csv")


@pytest.mark.parametrize("name", FRAMES)
def test_columns_that_do_not_fit_are_refused(name):
    make = FRAMES[name]
    message = refused(make(pa.table({"id": [1], "outcome": [1]})), "format", "frame")
    assert "the columns are 'id, outcome'" in message
    assert "columns=" in message
    refused(make(pa.table({"question": [1], "outcome": [1], "n": [1]})), "conflict", "frame")
    refused(make(pa.table({"question": [1], "c": [1], "n": [1], "trial": [1]})), "conflict", "frame")


@pytest.mark.parametrize("name", FRAMES)
def test_ids_are_integers_or_text(name):
    make = FRAMES[name]
    for values in ([1.0, 2.0], [True, False], [Decimal("1.0"), Decimal("2.0")]):
        for column in ("model", "question", "trial", "cluster"):
            table = pa.table({"question": ["q", "q"], "outcome": [1, 1]} | {column: pa.array(values)})
            frame = make(table)
            if name == "pandas, nullable" and isinstance(values[0], float):
                continue  # pandas converts these to integers
            assert column in refused(frame, "type", column)
    for column in ("model", "question", "trial", "cluster"):
        table = pa.table({"question": ["q", "q"], "outcome": [1, 1]} | {column: ["a", None]})
        assert f"{column} is missing" in refused(make(table), "missing", column)
        table = pa.table({"question": ["q", "q"], "outcome": [1, 1]} | {column: ["a", " "]})
        assert f"{column} is missing" in refused(make(table), "missing", column)


@pytest.mark.parametrize("name", FRAMES)
def test_invalid_outcomes_are_refused(name):
    make = FRAMES[name]
    for values, code in (
        (["1", "x"], "type"),
        ([1, 7], "category"),
        ([0.5, 1.0], "fractional"),
        ([1.0, float("inf")], "not_finite"),
        ([1, None], "missing"),
        ([1.0, float("nan")], "missing"),
    ):
        message = refused(make(pa.table({"question": ["q", "q"], "outcome": values})), code, "outcome")
        assert message.startswith("frame, question 'q' of 'model': outcome ")
    dates = pa.table({"question": ["q"], "outcome": pa.array([0], pa.timestamp("s"))})
    refused(make(dates), "type", "outcome")


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.string()])
def test_a_duplicate_trial_is_refused(name, kind):
    numbers = list(range(120))
    table = pa.table({"model": ["m"] * 240, "question": ["p"] * 120 + ["q"] * 120, "outcome": [1, 0] * 120})
    valid = table.append_column("trial", pa.array(numbers * 2).cast(kind))
    assert from_frame(FRAMES[name](valid)).log("m").counts.trials.tolist() == [120, 120]
    bad = table.append_column("trial", pa.array([*numbers, *numbers[:-1], 77]).cast(kind))
    for trials in (False, True):
        message = refused(FRAMES[name](bad), "duplicate", "frame", trials=trials)
        assert "duplicate trial '77' of question 'q' of 'm'" in message


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-70, 70), min_size=1, max_size=100))
@settings(max_examples=settings().max_examples // 4)
def test_duplicates_are_found_if_and_only_if_they_exist(trials):
    table = pa.table(
        {"question": [1] * len(trials), "outcome": [1] * len(trials), "trial": pa.array(trials, pa.int64())}
    )
    for make in (pl.from_arrow, duckdb.from_arrow, lambda x: x, lambda x: x.to_pandas()):
        result = result_or_refusal(from_frame, make(table))
        assert (result == ("duplicate", "frame")) == (len(set(trials)) < len(trials))


def test_trials_of_text_are_compared_without_spaces():
    for make in FRAMES.values():
        table = pa.table({"question": ["q", "q\u2003"], "trial": ["x", "\tx"], "outcome": [1, 1]})
        assert "trial 'x' of question 'q'" in refused(make(table), "duplicate", "frame")


@pytest.mark.parametrize("name", FRAMES)
def test_duplicate_questions_with_c_and_n_are_refused(name):
    table = pa.table({"question": ["q", "p", "q "], "c": [1, 1, 1], "n": [2, 2, 2]})
    assert "duplicate question 'q' of 'model'" in refused(FRAMES[name](table), "duplicate", "frame")
    table = pa.table({"question": ["q", "p"], "c": [1, 3], "n": [2, 2]})
    assert "question 'p' of 'model'" in refused(FRAMES[name](table), "range", "c")


@pytest.mark.parametrize("name", FRAMES)
def test_unequal_trials_two_clusters_and_empty_frames_are_refused(name):
    make = FRAMES[name]
    short = pa.table({"question": ["a", "a", "b"], "outcome": [1, 1, 1]})
    assert "question 'b' of 'model' has fewer trials" in refused(make(short), "ragged", "outcome")
    two_clusters = pa.table({"question": ["a", "a"], "outcome": [1, 1], "cluster": ["x", "y"]})
    refused(make(two_clusters), "conflict", "cluster")
    refused(
        make(pa.table({"question": pa.array([], pa.int64()), "outcome": pa.array([], pa.int64())})), "empty", "frame"
    )


def test_a_task_of_a_frame_without_tasks_is_refused():
    """Check a frame with a column of runs too: its rows were none, and its runs were codes of no integer type."""
    frame = pl.DataFrame({"question": ["a", "a"], "seed": [1, 2], "outcome": [1, 0]})
    assert "the log has no outcome" in refused(frame, "empty", "frame", task="t")


@pytest.mark.parametrize("name", FRAMES)
def test_every_question_may_have_a_score_of_its_own(name):
    table = pa.table({"question": list(range(5000)), "outcome": [i / 7 for i in range(5000)]})
    refused(FRAMES[name](table), "fractional", "outcome")
    assert len(from_frame(FRAMES[name](table), w="levels").w) == 5000


@pytest.mark.parametrize("name", FRAMES)
def test_columns_without_a_value_are_missing_outcomes(name):
    for kind in (pa.null(), pa.int64(), pa.string(), pa.bool_()):
        table = pa.table({"question": ["a", "b"], "outcome": pa.array([None, None], kind)})
        log = from_frame(FRAMES[name](table), missing="drop").log("model")
        assert (log.counts.trials.tolist(), log.missing) == ([0, 0], 2)


def test_objects_of_pandas_are_read_by_their_values():
    """Check object columns of pandas, whose cells have many types."""
    frame = pd.DataFrame({"question": ["1", 1, np.int64(1), "q", "q", "q", "q", "q"]})
    frame["outcome"] = pd.Series([True, "1", 1.0, None, float("nan"), pd.NA, Decimal(1), np.float64(0)], dtype=object)
    log = from_frame(frame, missing="drop").log("model")
    assert log.ids == ["1", "q"]
    assert (log.counts.table.tolist(), log.counts.absent.tolist()) == ([[0, 3], [1, 1]], [0, 3])
    for x in ([1], {"a": 1}, b"1", 1j, object()):
        frame = pd.DataFrame({"question": ["q"], "outcome": pd.Series([x], dtype=object)})
        refused(frame, "type", "outcome")
    for x in (1.0, True, 1j, (1,)):
        late = pd.Series(["q"] * 200 + [x], dtype=object)  # after the rows from which an engine guesses the type
        refused(pd.DataFrame({"question": late, "outcome": [1] * 201}), "type", "question")


@pytest.mark.parametrize("name", ["model", "question", "trial", "cluster", "outcome"])
def test_text_of_pandas_that_is_not_unicode_is_refused(name):
    columns = {"model": ["m"], "question": ["q"], "trial": ["1"], "cluster": ["c"], "outcome": ["1"]}
    frame = pd.DataFrame(columns | {name: pd.Series(["a\ud800"], dtype=object)})
    for trials in (False, True):
        assert "'a\\ud800' is not Unicode text" in refused(frame, "format", "frame", trials=trials)


def test_pandas_with_a_duplicate_column_is_refused():
    refused(pd.DataFrame([[1, 1, 1]], columns=["question", "outcome", "outcome"]), "duplicate", "frame")


@pytest.mark.parametrize("x", [3, None, [1], {"question": [1]}, np.zeros((2, 2)), pd.Series([1]), "runs.csv"])
def test_arguments_that_are_not_frames_are_refused(x):
    refused(x, "type", "frame")


def test_without_narwhals_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match="pip install narwhals pyarrow"):
        read(pd.DataFrame(QUESTIONS))
    with pytest.raises(InvalidInput, match="neither text nor a path"):
        read(3)


def test_options_are_checked():
    refused(pl.DataFrame(QUESTIONS), "choice", "missing", missing="skip")
    with pytest.raises(InvalidInput, match="trials"):
        from_frame(pl.DataFrame(QUESTIONS), trials=1)


# --- Parquet -----------------------------------------------------------------------------------------


def saved(path: Path, **columns) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def test_a_parquet_file_without_a_model_is_named_after_the_file(tmp_path):
    path = saved(tmp_path / "gpt-9.parquet", **QUESTIONS, response=["", "", "", ""])
    logs = read(path)
    assert (list(logs), logs.provenance.format) == (["gpt-9"], "parquet")
    assert contents(read(os.fspath(path)))["gpt-9"] == contents(from_frame(pa.table(QUESTIONS)))["model"]
    assert read(path, trials=True).log("gpt-9").outcomes.tolist() == [[1, 0], [1, 1]]
    bad = saved(tmp_path / "bad.parquet", question=["q"], outcome=[5])
    assert refused(bad, "category", "outcome").startswith(f"{bad}, question 'q' of 'bad': outcome 5")


def test_parquet_files_of_a_folder_are_read_together(tmp_path):
    folder = tmp_path / "runs"
    saved(folder / "1.parquet", model=["a", "a"], question=[1, 2], outcome=[1, 0])
    saved(folder / "more" / "2.PARQUET", model=["a", "b"], question=[1, 2], outcome=[1, 0])
    saved(folder / "_temporary" / "0.parquet", model=["a", "b"], question=[1, 2], outcome=[1, 0])
    saved(folder / ".hidden.parquet", model=["a", "b"], question=[1, 2], outcome=[1, 0])
    assert contents(read(folder, missing="drop"))["a"] == {"1": ([0, 2], 0, None), "2": ([1, 0], 0, None), "missing": 1}
    saved(folder / "3.parquet", model=["c"], question=[1], outcome=[1])
    assert list(read(folder / "[13]*.parquet", missing="drop")) == ["a", "c"]
    refused(folder / "x*.parquet", "empty", "path")
    for pattern in ("*/3.parquet", "**/[13]*.parquet", "r*s/3.parquet"):
        assert "c" in read(tmp_path / pattern, missing="drop"), pattern


def test_names_of_files_are_not_patterns(tmp_path):
    for name, outcome in (("runs[1]", 1), ("runs1", 0), ("a*", 1), ("ab", 0), ("a?", 1), ("[x]/model=[a]b/1", 1)):
        model = {} if "/" in name else {"model": ["m"]}
        saved(tmp_path / f"{name}.parquet", question=[1], outcome=[outcome], **model)
    saved(tmp_path / "x" / "model=ab" / "1.parquet", question=[1], outcome=[0])
    for name in ("runs[1].parquet", "a*.parquet", "a?.parquet", "[x]"):
        (log,) = read(tmp_path / name).pooled().logs.values()
        assert log.counts.table.tolist() == [[0, 1]], name
    assert list(read(tmp_path / "[x]")) == ["[a]b"]


def test_folders_named_after_columns_are_columns(tmp_path):
    for model in ("01", "1", "org%2Fx"):
        saved(tmp_path / "runs" / f"model={model}" / "part-0.parquet", question=[1, 2], outcome=[1, 0])
    logs = read(tmp_path / "runs")
    assert list(logs) == sorted(["01", "1", "org/x"])
    assert all(log.counts.table.tolist() == [[0, 1], [1, 0]] for log in logs.pooled().logs.values())


@pytest.mark.parametrize("name", ["model", "trial", "cluster"])
def test_a_folder_and_a_column_of_one_name_are_refused(tmp_path, name):
    columns = {"question": ["1", "2"], "outcome": [1, 0], name: ["b", "b"]}
    saved(tmp_path / "runs" / f"{name}=a" / "0.parquet", **{x: columns[x] for x in ("question", "outcome")})
    saved(tmp_path / "runs" / f"{name}=b" / "1.parquet", **columns)
    message = refused(tmp_path / "runs", "conflict", "path")
    assert f"{name} is a column of" in message
    assert os.path.join(f"{name}=b", "1.parquet") in message
    (tmp_path / "runs" / f"{name}=b").rename(tmp_path / "runs" / "day=b")
    (tmp_path / "runs" / f"{name}=a" / "0.parquet").unlink()
    assert read(tmp_path / "runs", missing="drop")


def test_parent_folders_are_not_columns(tmp_path):
    folder = tmp_path / "question=5" / "model=x" / "runs"
    for model in "ab":
        saved(folder / f"model={model}" / "0.parquet", question=[1, 2], outcome=[1, 0])
    assert {m: log.ids for m, log in read(folder).pooled().logs.items()} == {"a": ["1", "2"], "b": ["1", "2"]}
    file = folder / "model=a" / "0.parquet"
    assert {m: log.ids for m, log in read(file).pooled().logs.items()} == {"0": ["1", "2"]}


def test_a_duplicate_trial_in_two_files_is_refused(tmp_path):
    columns = {"model": ["m", "k"], "question": ["q", "q"], "outcome": [1, 1], "trial": [3, 3]}
    saved(tmp_path / "a.parquet", **columns)
    assert list(read(tmp_path)) == ["k", "m"]
    saved(tmp_path / "b.parquet", **{x: y[:1] for x, y in columns.items()})
    assert "duplicate trial '3' of question 'q' of 'm'" in refused(tmp_path, "duplicate", "path")
    frame = pl.read_parquet(tmp_path / "*.parquet")
    assert "duplicate trial '3' of question 'q' of 'm'" in refused(frame, "duplicate", "frame")


def test_several_files_without_a_model_are_refused(tmp_path):
    saved(tmp_path / "a.parquet", question=[1], outcome=[1])
    saved(tmp_path / "b.parquet", question=[1], outcome=[0])
    assert "2 files without a column model" in refused(tmp_path, "format", "path")


def test_files_that_do_not_fit_together_are_refused_or_read_as_text(tmp_path):
    saved(tmp_path / "a.parquet", model=["a"], question=[1], outcome=[1])
    saved(tmp_path / "b.parquet", model=["b"], question=["x"], outcome=[1])
    result = result_or_refusal(read, tmp_path)
    assert result == ("format", "path") or set(result) == {"a", "b", "w"}  # DuckDB may read both ids as text


def test_a_folder_of_parquet_and_other_logs_is_refused(tmp_path):
    saved(tmp_path / "a.parquet", model=["a"], question=[1], outcome=[1])
    (tmp_path / "README.md").write_text("notes")
    assert list(read(tmp_path)) == ["a"]
    (tmp_path / "b.csv").write_text("model,question,outcome\nb,1,1\n")
    refused(tmp_path, "conflict", "path")


def test_a_delta_table_is_refused(tmp_path):
    saved(tmp_path / "a.parquet", model=["a"], question=[1], outcome=[1])
    (tmp_path / "_delta_log").mkdir()
    assert "Delta" in refused(tmp_path, "format", "path")


def test_broken_parquet_is_refused(tmp_path):
    path = tmp_path / "runs.parquet"
    for content in (b"", b"PAR1", b"question,outcome\nq,1\n", b"PAR1" + b"\0" * 50 + b"PAR1"):
        path.write_bytes(content)
        refused(path, "format", "path")
    complete = saved(path, model=["m"] * 5000, question=[str(i) for i in range(5000)], outcome=[1] * 5000).read_bytes()
    path.write_bytes(complete[:-100])
    refused(path, "format", "path")
    with pytest.raises(OSError, match="nowhere"):
        read(tmp_path / "nowhere.parquet")


# --- large logs ---------------------------------------------------------------------------------------


def test_large_logs_are_counted_by_duckdb_and_polars():
    """Check 10^5 rows with DuckDB and Polars."""
    args = [sys.executable, str(ROOT / "bench" / "large.py"), "--short", "--engines", "duckdb", "polars"]
    out = subprocess.run(args, capture_output=True, text=True, check=True).stdout
    lines = [line for line in out.splitlines() if line.endswith("| yes |")]
    assert [line.split(" | ")[:2] for line in lines] == [["| duckdb", "100,000"], ["| polars", "100,000"]]


@pytest.mark.long
@pytest.mark.parametrize("name", ["dask", "pyspark"])
def test_large_logs_are_counted_by_dask_and_spark(name):
    pytest.importorskip(name)
    args = [sys.executable, str(ROOT / "bench" / "large.py"), "--rows", "20000", "--engines", name]
    process = subprocess.run(args, capture_output=True, text=True)
    if name == "pyspark" and process.returncode and "java" in process.stderr.lower():
        pytest.skip("PySpark did not start: no Java")
    assert process.stdout.splitlines()[-1].endswith("| yes |"), process.stderr


def test_the_named_levels_of_an_index_are_columns():
    frame = pd.DataFrame({"question": list("aabb"), "outcome": [1, 0, 1, 0], "heat": [0, 1, 0, 1]})
    with pytest.raises(InvalidInput, match="values of column 'heat'"):
        scorio.read(frame.set_index("heat"))
    e = scorio.read(frame[frame.heat == 0].assign(model="m").set_index(["model", "question"]))
    assert (e.models, e["m"].table.tolist()) == (("m",), [[0, 1], [0, 1]])
    pivot = frame.pivot(index="question", columns="heat", values="outcome")
    with pytest.raises(InvalidInput, match="columns '0, 1' may be trials of one model, or models"):
        scorio.read(pivot, wide=True)
    assert scorio.read(pivot.set_axis([7, "b"], axis=1), wide=True).models == ("7", "b")
    several = frame.assign(model="m").pivot(index="question", columns=["model", "heat"], values="outcome")
    for wide in (True, False):
        with pytest.raises(InvalidInput, match="the columns have several levels"):
            scorio.read(several, wide=wide)


def test_a_matrix_has_only_columns_of_trials():
    with pytest.raises(InvalidInput, match="columns 'is_hard' beside columns of trials"):
        scorio.read({"m": pd.DataFrame({"is_hard": [1, 0], "run1": [0, 0], "run2": [0, 1]})})
    assert scorio.read({"m": pd.DataFrame({"run1": [0, 0], "run2": [0, 1]})})["m"].table.tolist() == [[2, 0], [1, 1]]
