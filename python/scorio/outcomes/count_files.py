"""Files of counts: CSV with a line for each question, the same bytes from Python and Julia; formats 1 and 2 are read.

Format 2 starts with a line that names it. Its columns are id and cluster, if known, in quotes; then the counts of the
categories, and of missing outcomes. Format 1 has neither the first line nor id and cluster.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec, module_from_spec
from io import StringIO
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from .. import saving
from ..errors import InvalidInput, shown

FORMAT = 2
FIRST_LINE = "# scorio counts, format "
TEXT_COLUMNS = ("id", "cluster")  # columns that hold text
Path = str | os.PathLike[str]

LONGEST_CELL = 1 << 28  # characters; a cell is in memory as a whole

# The limit of the module csv is that of the whole process. This second instance of its compiled part has a limit of its
# own, so that neither other code nor another thread sees it change.
_spec = find_spec("_csv")
assert _spec is not None
assert _spec.loader is not None
_csv = module_from_spec(_spec)
_spec.loader.exec_module(_csv)
_csv.field_size_limit(LONGEST_CELL)

csv_rows, CsvError = _csv.reader, _csv.Error  # cells may be longer than the default of the module csv


def write(
    path: Path, rows: npt.NDArray[np.int64], ids: Sequence[str] | None, clusters: Sequence[str | None] | None
) -> None:
    """Write a file of counts: ids and clusters if these are known, then the columns n0..nC and missing in `rows`."""
    if clusters is not None and None in clusters:
        what = f"question {clusters.index(None)} has no cluster: save the counts of each model before they are aligned"
        raise InvalidInput("missing", "clusters", what)
    texts = {name: x for name, x in zip(TEXT_COLUMNS, (ids, clusters), strict=True) if x is not None}
    f = StringIO()
    f.write(f"{FIRST_LINE}{FORMAT}\n{','.join([*texts, *(f'n{j}' for j in range(rows.shape[1] - 1)), 'missing'])}\n")
    if not texts:
        np.savetxt(f, rows, fmt="%d", delimiter=",")
    else:
        for *cells, row in zip(*texts.values(), rows.tolist(), strict=True):
            f.write(",".join([*map(quoted, cells), *map(str, row)]) + "\n")
    saving.write(path, f.getvalue().encode("utf-8", "surrogatepass"))


def quoted(text: str | None) -> str:
    """A text as a cell in quotes, with quotes within it doubled."""
    return '"' + str(text).replace('"', '""') + '"'


def read(path: Path) -> dict[str, Any]:
    """Read the arguments of Counts from a file of counts."""
    try:
        with open(path, encoding="utf-8", errors="surrogatepass", newline="") as f:
            return _read(f)
    except (ValueError, CsvError) as e:
        raise InvalidInput("format", "path", f"{path} was not written by Counts.save: {e}") from None


def _read(f: TextIO) -> dict[str, Any]:
    """Read the arguments of Counts from an open file; raises ValueError if it is not a file of counts."""
    line = f.readline().rstrip("\r\n")
    if line.startswith(FIRST_LINE):
        if (version := line.removeprefix(FIRST_LINE)) != str(FORMAT):
            raise ValueError(f"its format is {shown(version)}, this version reads 1 and {FORMAT}")
        line = f.readline().rstrip("\r\n")
        header = line.split(",")
        texts = [name for name in TEXT_COLUMNS if name in header[: len(TEXT_COLUMNS)]]
    else:
        header, texts = line.split(","), []
    numbers = header[len(texts) :]
    if header != [*texts, *(f"n{j}" for j in range(len(numbers) - 1)), "missing"] or len(numbers) < 2:
        raise ValueError(f"its first line, of {len(line):,} characters, has not the columns of counts")
    columns, table = _columns(f, texts, len(numbers))
    ids, clusters = (columns.get(name) for name in TEXT_COLUMNS)
    return {"table": table[:, :-1], "absent": table[:, -1], "ids": ids, "clusters": clusters}


def _columns(f: TextIO, texts: list[str], width: int) -> tuple[dict[str, list[str]], npt.NDArray[np.int64]]:
    """The cells of the text columns by name, and the numbers of the other columns, `width` in each row."""
    if not texts:
        lines = f.readlines()
        if not lines:
            raise ValueError("no line under the header")
        if not all(map(str.strip, lines)):
            raise ValueError("a line is blank")
        table = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2, comments=None)
        if table.shape[1] != width:
            raise ValueError(f"{table.shape[1]} columns under {width} names")
        return {}, table
    rows = list(_rows(f, len(texts) + width))
    if not rows:
        raise ValueError("no line under the header")
    cells = {name: [row[j] for row in rows] for j, name in enumerate(texts)}
    return cells, np.array([[_parse_count(x) for x in row[len(texts) :]] for row in rows], np.int64)


def _rows(f: TextIO, width: int) -> Any:
    """Yield the cells of each line; raises if a line does not have `width` cells."""
    for i, row in enumerate(csv_rows(f, strict=True)):
        if len(row) != width:
            raise ValueError(f"{len(row)} cells in line {i + 1} of the table, not {width}")
        yield row


def _parse_count(cell: str) -> int:
    """Parse the count in a cell."""
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 16):  # no count is above 2^53, which has 16 digits
        raise ValueError(f"{shown(cell)} is not a count")
    return int(cell)
