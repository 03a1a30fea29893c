"""Data frames and Parquet files: columns are fetched from the engine as codes, and counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from glob import glob
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import backends, sums, table, values, wide
from .accumulator import TrialAccumulator
from .columns import IDS, Column, Keys, RowError, Rows, grouped_rows, rows_of
from .counting import Counted, count
from .evaluation import EvaluationData
from .files import LFS, naming_file, refuse_pointer, walked
from .options import ReadOptions, mapping_of
from .text_files import SourceLocation, joined

MAX_ROWS = 10**6  # number of rows up to which a frame is fetched for costs that were not requested
MODEL = "model"  # the name of the only model, where the frame names none


def of_native(frame: Any, options: ReadOptions, columns: Any = None, name: str = "frame") -> EvaluationData:
    """The evaluation in a data frame of any engine; error messages begin with its name."""
    location = SourceLocation(Path(name))
    try:
        wrapped = backends.wrap(backends.with_index(frame))
        if options.wide:
            accumulator = TrialAccumulator(location, options)
            rows = backends.collect(wrapped.lazy()).to_pylist()
            names = None if columns is None else mapping_of(columns, True)
            accumulator.take(wide.records(rows, location, options, names))
            return accumulator.evaluation("frame")
        return evaluation(backends.with_joined_ids(wrapped, columns), location, options, columns)
    except InvalidInput as e:
        argument = "frame" if e.argument == "path" else e.argument
        if e.hint == "columns:question=COLUMN,outcome=COLUMN":  # table.columns knows no column: perhaps a wide frame
            e.hint = "wide"
        if e.hint == "number_rows":  # a wide frame: its index may have the questions
            e.hint = "ids"
        raise e.of(str(location), argument) from None
    except UnicodeEncodeError as e:  # raised for pandas: other engines cannot store such text
        what = f"{location}: {shown(e.object)} is not Unicode text: {e.reason}"
        raise InvalidInput("format", "frame", what) from None


def evaluation(
    frame: Any,
    location: SourceLocation,
    options: ReadOptions,
    columns: Any = None,
    model: str = MODEL,
    format: str = "frame",
    dataset: Any = None,
) -> EvaluationData:
    """The evaluation in a narwhals frame; model names the only model if there is no column model.

    dataset : a data set of Arrow, whose first rows are the frame.
    """
    accumulator = TrialAccumulator(location, options)
    take(accumulator, frame, columns, model, None, dataset)
    return accumulator.evaluation(format)


def take(
    accumulator: TrialAccumulator, frame: Any, columns: Any, model: str, task: str | None = None, dataset: Any = None
) -> None:
    """Count the rows of a frame, or of the data set that it is the beginning of.

    task : unless it is None, the frame is of this model and task only.
    """
    options = accumulator.options
    frame = backends.with_fields(frame)
    mapping = backends.column_names(frame, columns)
    accumulator.unit = _unit(frame, options.cost, dataset) if "c" not in mapping else ""
    header = list(map(str, frame.collect_schema().names()))
    question = mapping.get("question", "")
    if question.lower() in sums.RUN_NAMES:
        sums.refuse_averages(header, backends.collect(frame.lazy().head(sums.MOST_RUN_ROWS + 1)).to_pylist(), question)
    if columns is None:
        known = table.columns(header) | ({accumulator.unit: header.index(accumulator.unit)} if accumulator.unit else {})
        table.remark_unread(header, known, accumulator.location)
    costs = {"cost": accumulator.unit} if accumulator.unit else {}
    if options.runs_by and options.runs_by not in frame.collect_schema().names():
        names = list(map(str, frame.collect_schema().names()))
        what = f"no column {shown(options.runs_by)}; the columns are {joined(names)}{nearest(options.runs_by, names)}"
        raise InvalidInput("choice", "runs_by", what)
    runs_of_trials = options.runs_by if "trial" in mapping else None
    others = backends.unread(frame, mapping, [options.runs_by, *values.UNITS])
    runs = backends.run_columns(frame, mapping, options.runs_by)
    run, run_fields = next(iter(runs), None), () if options.runs_by else runs
    if run and "c" in mapping and "trial" not in mapping:  # counts of a run have its name as their id
        mapping = {**mapping, "trial": run}
    of_run = {f"run{i}": x for i, x in enumerate(runs)} if "c" not in mapping else {}
    sources = mapping | costs | others | of_run
    names = backends.prepared(frame, sources, runs_of_trials).collect_schema().names()
    if task is not None and {"model", "task"} & set(names):
        raise InvalidInput("conflict", "path", "a table of one model that has a column model or task: read it alone")
    if options.trials and not {"trial", "c"} & set(names) and not backends.ordered(frame):
        what = f"{frame.implementation.value} does not keep the order of rows: a column trial must number the trials"
        raise InvalidInput("conflict", "trials", what)
    parts = (
        [frame] if dataset is None else backends.parts(dataset, {*sources.values(), *filter(None, [runs_of_trials])})
    )
    rows = (backends.collect(backends.prepared(part, sources, runs_of_trials)) for part in parts)
    coded = _coded(accumulator, rows, names, model)
    if not len(coded["question"].codes):
        return
    if "outcome" in coded and any(map(values.fraction, coded["outcome"].labels)):
        _count_fractions(coded)
    _leave_out_summaries(accumulator, coded)
    stated = {name: x for name, x in mapping.items() if name != x}
    _count(accumulator, coded, model, task or "", stated, run_fields)


def _coded(accumulator: TrialAccumulator, tables: Iterable[Any], names: Iterable[str], model: str) -> dict[str, Column]:
    """The columns of Arrow tables as codes; an error names the question."""
    columns = {name: Column(name) for name in names}
    for rows in tables:
        try:
            for name, column in columns.items():
                column.add(*_labels_and_codes(rows.column(name)))
        except RowError as e:
            known = {x: rows.column(x)[e.row].as_py() for x in ("question", "model") if x in columns and x != name}
            if known.get("question") is not None:
                question, its_model = (str(known.get(x) or model).strip() for x in ("question", "model"))
                accumulator.location.entry = f"question {shown(question)} of {shown(its_model)}"
            raise e.error from None
    return columns


def _count_fractions(columns: dict[str, Column]) -> None:
    """Put columns c and n in the place of outcomes that are counts such as 3/4."""
    pairs = [values.fraction(x) for x in columns["outcome"].labels]
    if None in pairs or "trial" in columns:
        what = "outcomes such as 3/4 count trials: all of a table do, or none, and there is no column trial beside them"
        raise InvalidInput("conflict", "path", what)
    codes = columns.pop("outcome").codes
    for name, labels in zip("cn", zip(*filter(None, pairs), strict=True), strict=True):
        columns[name] = Column(name)
        columns[name].add(list(labels), codes)


def _leave_out_summaries(accumulator: TrialAccumulator, columns: Mapping[str, Column]) -> None:
    """Remove the rows of questions and models that sum up others."""
    tests = sums.MAY_SUM_UP.items()
    if not any(test(str(label)) for x, test in tests if x in columns for label in columns[x].labels):
        return
    options = accumulator.options
    cells = [columns[x].cells() if x in columns else repeat(None) for x in ("model", "task", "question")]
    numbers = zip(*(columns[x].cells() for x in ("outcome", "c", "n") if x in columns), strict=True)
    rows = [
        sums.LabelledRow(model, task, question, number if len(number) > 1 else number[0])
        for number, model, task, question in zip(numbers, *cells, strict=False)  # a column may be absent
    ]
    aside = [x for x in rows if any(test(str(getattr(x, name))) for name, test in tests)]
    waiting = {id(x) for x in aside}
    others = [y for x in rows if id(x) not in waiting and (y := x.with_number(options))]
    are_left_out = sums.left_out(others, aside, options, {x.cell for x in others}, accumulator.location)
    left_out = {id(x) for x, is_left_out in zip(aside, are_left_out, strict=True) if is_left_out}
    keep = np.array([id(x) not in left_out for x in rows])
    for column in columns.values():
        column.take(keep)


def _unit(frame: Any, requested: str | None, dataset: Any) -> str:
    """The column of costs: the requested one, else a usual one unless the frame is large; "" where there is none."""
    names = list(map(str, frame.collect_schema().names()))
    if requested and requested not in names:
        what = f"no column {shown(requested)}; the columns are {joined(names)}{nearest(requested, names)}"
        raise InvalidInput("choice", "cost", what)
    usual = next((name for name in values.UNITS if name in names), "")
    if requested or not usual:
        return requested or ""
    return usual if (backends.size(frame) if dataset is None else dataset.count_rows()) <= MAX_ROWS else ""


def _count(
    accumulator: TrialAccumulator, columns: dict[str, Column], model: str, task: str, stated: Mapping[str, str],
    run_fields: tuple[str, ...],
) -> None:  # fmt: skip
    """Count rows in the order of their ids; errors name the question.

    Sorting the rows takes longer than counting them: it is done only where the order of trials or costs matters, and
    for an error, which is about the first row that has it.
    """
    for name in columns.keys() & IDS:
        columns[name].sort()
    is_sorted = accumulator.options.trials or "cost" in columns
    if is_sorted:
        _sort(columns)
    try:
        counted = _counted_rows(accumulator, columns, model, task, stated, run_fields)
    except InvalidInput:
        if is_sorted:
            raise
        _sort(columns)
        counted = _counted_rows(accumulator, columns, model, task, stated, run_fields)
    accumulator.take_counts(counted, columns)


def _sort(columns: Mapping[str, Column]) -> None:
    """Sort rows by model, task, question and trial."""
    order = np.lexsort([columns[name].codes for name in IDS[3::-1] if name in columns])  # the first key is the last
    for column in columns.values():
        column.take(order)


def _counted_rows(
    accumulator: TrialAccumulator, columns: dict[str, Column], model: str, task: str, stated: Mapping[str, str],
    run_fields: tuple[str, ...],
) -> Counted:  # fmt: skip
    """The counts of rows in any order."""
    try:
        rows = rows_of(columns, model, accumulator.options, accumulator.outcome_code, task)
        rows = rows._replace(stated=stated, by_code=True)
        if "cost" in columns:
            costs = [accumulator.cost(x, accumulator.unit) for x in columns["cost"].labels]
            rows = rows._replace(costs=np.array(costs)[columns["cost"].codes])
    except RowError as e:
        question, its_model = (columns[x].cells([e.row])[0] if x in columns else model for x in ("question", "model"))
        accumulator.location.entry = f"question {shown(question)} of {shown(its_model)}"
        raise e.error from None
    try:
        rows = _with_runs_of(rows, columns)._replace(run_fields=run_fields)
        return count(rows, accumulator.options.trials)
    except RowError as e:
        if e.error.code != "duplicate":
            raise e.error from None
        what = e.error.reason.removesuffix(": already in")
        raise InvalidInput("duplicate", "path", what, e.error.hint) from None


def _with_runs_of(rows: Rows, columns: Mapping[str, Column]) -> Rows:
    """The rows with the values of the columns run0, run1, ... as labels of runs."""
    runs = [x for name, x in columns.items() if name.startswith("run")]
    if not runs:
        return rows
    first, run = grouped_rows(Keys(*((x.codes, len(x.labels)) for x in runs)))
    texts = [["" if x is None else str(x).strip() for x in column.labels] for column in runs]
    parts = [tuple(text[x.codes[i]] for text, x in zip(texts, runs, strict=True)) for i in first.tolist()]
    are_numbers = all(values.is_number(y) for x in parts for y in x)
    ordered = sorted({*parts}, key=lambda x: [*map(int, x)] if are_numbers else [*x])  # type: ignore[arg-type]
    index = {x: i for i, x in enumerate(ordered)}
    labels = [x if len(runs) > 1 else x[0] for x in index]
    return rows._replace(run=np.array([index[x] for x in parts], np.int64)[run], labels={**rows.labels, "run": labels})


def _labels_and_codes(column: Any) -> tuple[list[Any], Any]:
    """The distinct cells of a column, and for each row the index of its cell among them."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        if pa.types.is_string(column.type):
            column = column.cast(pa.large_string())  # a chunk of string holds at most 2 GB
        column = column.dictionary_encode()
    cells = column.unify_dictionaries().combine_chunks()
    labels, codes = cells.dictionary.to_pylist(), cells.indices
    if codes.null_count:
        codes, labels = codes.fill_null(len(labels)), [*labels, None]
    return labels, codes.to_numpy()


DETAILS = ("doc", "metric", "model_response")  # columns of lighteval's details that are read
BATCH = 256  # rows of details at once: each may contain a whole response
PARQUET = b"PAR1"  # the first and the last bytes of a Parquet file


def is_table(path: Path, below: Iterable[Path] | None = None) -> bool:
    """Whether a path is a Parquet table, a pattern of them or a folder with one; details of lighteval are not.

    below : the files below the folder, if they are known.
    """
    if path.suffix.lower() == ".parquet":
        files = _files(path)
        return not files or not any(map(is_lighteval, files))
    if below is not None and not any(file.suffix.lower() == ".parquet" for file in below):
        return False
    return path.is_dir() and not all(map(is_lighteval, _files(path)))


def is_lighteval(file: Path) -> bool:
    """Whether a file holds the details that lighteval writes, rather than a table of outcomes."""
    return {"doc", "metric"} <= set(_columns(file))


def details(location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The rows of a file of lighteval's details, with the location set to each."""
    return _parquet_rows(location, {plain: name for plain, name in _columns(location.file).items() if plain in DETAILS})


def parquet_rows(location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The rows of any file, as dictionaries."""
    return _parquet_rows(location, {name: name for name in _columns(location.file).values()})


def _parquet_rows(location: SourceLocation, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    with parquet_errors(), pq.ParquetFile(location.file) as file:
        i = 0
        for batch in file.iter_batches(BATCH, columns=list(names.values())):
            for row in batch.to_pylist():
                i += 1
                location.entry = f"row {i}"
                yield {plain: row[name] for plain, name in names.items()}


def _columns(file: Path) -> dict[str, str]:
    """The columns in a file, by their names without the underscores that lighteval puts around them."""
    _check_complete(file)
    try:
        import pyarrow.parquet as pq
    except ImportError as e:
        raise ImportError(f"{file}: {backends.NEEDS} ({e})") from None
    with parquet_errors():
        names = pq.read_schema(file).names
    if len(set(names)) < len(names):  # engines silently take the first of them
        raise InvalidInput("duplicate", "path", f"duplicate column in {file.name}: {joined(names)}")
    return {name.removeprefix("__").removesuffix("__"): name for name in names}


def parquet_evaluation(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a Parquet file, in the files that a pattern names, or in those of a folder."""
    files = _files(location.file)
    if not files:
        raise InvalidInput("empty", "path", "no file matches it")
    if details := [file.name for file in files if is_lighteval(file)]:
        raise InvalidInput(
            "format", "path", f"tables beside the details of lighteval ({shown(details[0])}): read the two separately"
        )
    for file in files:  # engines ignore capitals, and would read one of Outcome and outcome
        table.positions_of(list(_columns(file).values()))
    # the columns that the names of folders state, such as model in model=gpt-9/
    names = [x for file in files for x in file.relative_to(location.file).parts[:-1]] if location.file.is_dir() else []
    keys = list(dict.fromkeys(x.partition("=")[0] for x in names if "=" in x))
    for file in files if set(keys) & set(table.COLUMNS) else ():
        if duplicates := [key for key in keys if key in table.COLUMNS and key in _columns(file).values()]:
            what = f"{duplicates[0]} is a column of {file} and in the name of its folder: leave one of them out"
            raise InvalidInput("conflict", "path", what)
    with parquet_errors():
        dataset = _dataset([str(file) for file in files], keys, str(location.file))
        few = {"batch_size": backends.SAMPLE, "batch_readahead": 0, "fragment_readahead": 0}
        frame = backends.wrap(dataset.head(backends.SAMPLE, **few))
        if len(files) > 1 and "model" not in table.own_columns(frame.collect_schema().names(), {}):
            what = f"{len(files)} files without a column model: scorio cannot know whether they are of one model"
            raise InvalidInput("format", "path", what)
        return evaluation(frame, location, options, None, files[0].stem, "parquet", dataset)


def _files(path: Path) -> list[Path]:
    """The Parquet files that a path names."""
    if path.is_dir():
        if (path / "_delta_log").exists():
            what = "a Delta table, whose files may contain deleted rows: give its frame to from_frame"
            raise InvalidInput("format", "path", what)
        # except hidden ones, and those in folders of engines such as _temporary/
        parquet = [file for file, is_candidate in walked(path) if is_candidate and file.suffix.lower() == ".parquet"]
        return sorted(x for x in parquet if not any(y.startswith("_") for y in x.relative_to(path).parts))
    if not path.exists() and any(c in str(path) for c in "*?["):
        return [Path(x) for x in sorted(glob(str(path), recursive=True))]
    return [path]


def _check_complete(file: Path) -> None:
    """Raise unless a file begins and ends as a Parquet file does."""
    with naming_file(file), file.open("rb") as f:
        refuse_pointer(f.read(len(LFS)))
        f.seek(0)
        first = f.read(len(PARQUET))
        f.seek(max(0, f.seek(0, 2) - len(PARQUET)))
        if first != PARQUET or f.read() != PARQUET:
            raise InvalidInput("format", "path", f"{file.name} is not a Parquet file, or not a complete one")


def _dataset(files: list[str], keys: list[str], folder: str) -> Any:
    """The files as a data set of Arrow, with the columns in the names of their folders as text."""
    import pyarrow as pa
    import pyarrow.dataset

    hive = pa.dataset.partitioning(pa.schema([(key, pa.string()) for key in keys]), flavor="hive")
    base = {"partitioning": hive, "partition_base_dir": folder} if keys else {}
    schema = pa.dataset.dataset(files, **base).schema
    ids = [x.name for x in schema if x.name.lower() in table.COLUMNS and x.name not in keys]
    texts = [name for name in ids if "string" in str(schema.field(name).type)]
    form = pa.dataset.ParquetFileFormat(read_options={"dictionary_columns": texts})  # coded as they are in the files
    return pa.dataset.dataset(files, format=form, **base)


@contextmanager
def parquet_errors() -> Iterator[None]:
    """Turn errors of an engine about broken or inconsistent files into errors of this package."""
    try:
        yield
    except (InvalidInput, ImportError):
        raise
    except Exception as e:
        if getattr(e, "errno", None) or "memory" in type(e).__name__.lower():
            raise  # the system failed, not the file
        what = " ".join(str(e).split())[:200]
        raise InvalidInput("format", "path", f"cannot be read as Parquet: {type(e).__name__}: {what}") from e
