"""Long tables (question and outcome, or question, c and n, in each row) and wide ones (a column for each model)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ..display.text import nearest
from ..display.text import number as counted
from ..errors import InvalidInput, shown
from .records import SuccessCount, Trial
from .text_files import SourceLocation, UnknownFormat, joined
from .values import UNITS, is_word, number

COLUMNS = ("model", "task", "question", "trial", "outcome", "cluster", "c", "n")
USUAL = {
    "question": "question_id doc_id example_id task_id instance_id problem_id item_id item problem sample_id prompt "
    "input q test test_name case scenario doc id idx index",
    "outcome": "correct is_correct correctness passed pass success resolved solved is_solved score acc accuracy reward "
    "result status verdict grade rating value ok",
    "model": "model_name model_id llm llm_name system agent engine generator provider deployment assistant method "
    "checkpoint candidate",
}  # common names of these columns in other tables
NAMES_AND_WORDS = "error ok right wrong failed failure skipped solved unresolved T N P F"  # of outcomes and of columns
COUNTS = {
    "c": "successes num_successes n_successes num_correct n_correct correct_count num_passed n_passed num_solved k "
    "passes correct passed solved resolved success",
    "n": "trials num_trials n_trials attempts num_attempts n_attempts num_samples n_samples samples total count "
    "n_tests num_tests tests tries",
}  # usual names of counts of successes, and of trials
OUTCOME_NAMES = {*USUAL["outcome"].split(), "outcome", "prediction", "completion", "response", "answer"}
CONDITIONS = """metric metric_name scorer score_name evaluator filter split dataset data_set benchmark subset subtask
    category subject domain language lang prompt_template template variant temperature perturbation"""
BATTLES = "model_a model_b winner generator_1 generator_2 preference"
USUAL_NAMES = {
    name
    for name in (*COLUMNS, *OUTCOME_NAMES, *" ".join([*USUAL.values(), CONDITIONS, BATTLES]).split(), *UNITS)
    if len(name) > 1
}
NEEDED = "scorio reads question and outcome, or question, c and n, and optionally model, task, trial and cluster"
# names of fields that tell runs apart where no column does, in lower case, without _, - and spaces
RUN = re.compile(
    "(run|seed|epoch|session|pass|rep(eat|etition|lica|licate|lication)?|round|attempt|iter(ation)?|rollout)"
    "(s|id|idx|index|no|num|number|name)?"
)
# names of fields that are read like these where their values number the trials of each question, as no other names do
NUMBERS = re.compile(
    "(trial|sample|try|generation|completion|response|draw)(id|idx|index|no|num|number)|sample|try|replicates?"
)
TOLD_APART = {  # what the values of such a field are
    "trial": "Trials: column {}.",
    "run": "Runs: column {}, with several trials of a question in each.",
    "counts": "Runs: column {}.",
    "": "Column {} is not read: it does not number the trials of a question.",
}
MAX_HEADLESS_COLUMNS = 4  # of a table without a header; a file with more columns is a matrix


def records(rows: Iterable[list[Any]], location: SourceLocation) -> Iterator[Trial | SuccessCount]:
    """Trials or success counts in the rows under a header; without a column model, the file's name is the model."""
    rows = iter(rows)
    header = [str(h).strip() for h in next(rows, [])]
    positions, width = columns(header), len(header)
    cost_positions = cost_columns(header, location)
    others = [(name, i) for i, name in enumerate(header) if name and i not in {*positions.values()}]
    remark_unread(header, positions | cost_positions, location)
    model, task, question, trial, outcome, cluster, c, n = (positions.get(name, width) for name in COLUMNS)
    stem = location.model() if model == width else ""
    for row in rows:
        row.append(None)  # the cell of every column that is absent
        name = stem or _cell(row[model])
        cluster_name = None if cluster == width else _cell(row[cluster])
        task_name = None if task == width else _cell(row[task])
        rest = {name: row[i] for name, i in others} if others else None
        if c == width:
            trial_id = None if trial == width else _cell(row[trial])
            costs = {unit: row[i] for unit, i in cost_positions.items()} if cost_positions else None
            yield Trial(name, row[question], trial_id, row[outcome], cluster_name, task_name, costs=costs, rest=rest)
        else:
            yield SuccessCount(name, row[question], row[c], row[n], cluster_name, task_name, rest=rest)


def _cell(cell: Any) -> Any:
    """A cell, with "" for an empty one: None means that there is no such column."""
    return "" if cell is None else cell


def described(names: Iterable[Any], what: str = "column") -> str:
    """The columns of a table in words; without any usual name they are not quoted: a file may be no table, but secret.

    Examples
    --------
    >>> from scorio.readers import table
    >>> table.described(["id", "grade"]), table.described(["root:x:0:0"])
    ("the columns are 'id, grade'", '1 column (10 characters), none with a usual name')
    """
    header = list(map(str, names))
    plain = {name.strip().lower() for name in header}
    if (plain | {name.removesuffix("s") for name in plain}) & USUAL_NAMES:
        return f"the {what}s are {joined(header)}"
    return f"{counted(len(header), what)} ({sum(map(len, header)):,} characters), none with a usual name"


def columns(header: list[str]) -> dict[str, int]:
    """The index of each column that is read, in any capitalisation (c and n in lower case only)."""
    if not header:
        raise InvalidInput("empty", "path", "the file is empty")
    names = [name for name in header if name]
    headless = len(names) > 1 and all(map(_is_data, names))
    if headless and len(names) > MAX_HEADLESS_COLUMNS:
        what = f"the first line has {len(names)} values, not names of columns"
        raise InvalidInput("format", "path", what, "matrix")
    positions = {} if headless else positions_of(header)
    if "question" not in positions or not ("outcome" in positions or {"c", "n"} <= positions.keys()):
        error = (InvalidInput if positions else UnknownFormat)(
            "format", "path", f"{described(header)}; {NEEDED}", _hint(names)
        )
        if isinstance(error, UnknownFormat):
            error.may_hold_outcomes = bool({name.lower() for name in names} & OUTCOME_NAMES)
        raise error
    refuse_counts_with_outcomes(positions, header)
    for name in unread(header, positions):
        if near := [x for x in COLUMNS if x not in positions and len(x) > 1 and _resembles(name, x)]:
            problem = f"column {shown(name)} is not read: is it {near[0]}?"
            raise InvalidInput("format", "path", f"{problem} Rename it, or leave it out", f"columns:{near[0]}={name}")
    return positions


def begin_of(lines: Sequence[str]) -> int:
    """The line below the first one in which a table begins, by the names in it; 0 where there is none."""
    for i, line in enumerate(lines, 1):
        names = [x.strip().strip('"').lower() for x in re.split("[,;\t]", line)]
        if all(name in names or usual(name, names) for name in ("question", "outcome")):
            return i if i > 1 else 0
    return 0


def positions_of(header: list[str]) -> dict[str, int]:
    """The index of each column of scorio; raises for two columns of one name, also in another capitalisation."""
    names = [name for name in header if name]
    if len(set(names)) != len(names):
        raise InvalidInput("duplicate", "path", f"duplicate column: {described(header)}")
    return {name: header.index(column) for name, column in own_columns(header).items()}


def is_own(column: str, name: str) -> bool:
    """Whether a column has scorio's own name, in any capitalisation (c and n in lower case only)."""
    return column == name or (len(name) > 1 and column.lower() == name)


def own_columns(header: Iterable[Any], mapping: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The column of each of scorio's own names, where the mapping neither names it nor reads the column.

    Raises for two columns of one name; beside a mapping, one that has exactly this name is read.
    """
    chosen = mapping or {}
    free = [column for column in header if type(column) is str and column not in chosen.values()]
    names = [name for name in own_names(chosen) if name not in chosen]
    column_of = {name: name for name in names if name in free}
    for column in free:
        if (name := column.lower()) in names and is_own(column, name) and column != column_of.setdefault(name, column):
            if mapping is not None and column_of[name] == name:
                continue
            what = f"duplicate column {shown(name)}, {column_of[name]!r} and {column!r}: rename one of them"
            raise InvalidInput("duplicate", "path", what)
    return column_of


def cost_columns(header: list[str], location: SourceLocation) -> dict[str, int]:
    """The position of each column of costs, by unit: of the requested one, or of the usual ones."""
    if location.cost:
        if location.cost not in header:
            what = f"no column {shown(location.cost)}; {described(header)}"
            raise InvalidInput("choice", "cost", what + nearest(location.cost, header))
        return {location.cost: header.index(location.cost)}
    return {h.lower(): i for i, h in enumerate(header) if h.lower() in UNITS}


def own_names(columns: Mapping[str, str | None]) -> tuple[str, ...]:
    """The columns that are read by scorio's own names; a table with a mapped outcome has no counts but mapped ones."""
    return tuple(name for name in COLUMNS if name not in ("c", "n") or "outcome" not in columns)


def run_fields(names: Iterable[str]) -> tuple[str, ...]:
    """The fields that tell runs or trials apart, by their names, among fields that no column reads: runs first."""
    plain = {x: re.sub("[_ -]", "", x.lower()) for x in names if type(x) is str}
    return tuple(x for pattern in (RUN, NUMBERS) for x, name in plain.items() if pattern.fullmatch(name))


def is_run(name: str) -> bool:
    """Whether a field may tell runs apart of which each has several trials of a question."""
    return RUN.fullmatch(re.sub("[_ -]", "", name.lower())) is not None


def told_apart(names: Sequence[str], kind: str, used: int = 1, constant: Sequence[str] = ()) -> str:
    """The remark on fields that may tell trials or runs apart, by the kind of what the first ones (used) do.

    constant : those of one value, which tell nothing apart
    """
    telling = [x for x in names[:used] if x not in constant] if kind else []
    parts = [TOLD_APART[kind].format(" and ".join(telling))] if telling else []
    unread = [x for x in names if x not in telling]
    return " ".join([*parts, *(TOLD_APART[""].format(name) for name in unread)])


def unread(header: list[str], positions: Mapping[str, int]) -> list[str]:
    """The columns that are not read unless --by or --columns names them."""
    return [name for i, name in enumerate(header) if name and i not in positions.values()]


def remark_others(names: Sequence[str], columns: Mapping[str, str], location: SourceLocation) -> None:
    """Remark on the columns that are read neither by these names nor by scorio's own."""
    read: set[str | None] = {
        part for path in columns.values() for part in (path, path.partition(".")[0], *path.split("+"))
    }
    own = own_columns(names, columns)
    read |= {*own.values(), *UNITS, location.cost, location.runs_by}
    has_trials = "trial" in columns or "trial" in own
    if others := _but_runs([name for name in names if name and name not in read], has_trials):
        location.remark(f"Columns that are not read: {joined(others)}.")


def remark_unread(header: list[str], positions: Mapping[str, int], location: SourceLocation) -> None:
    """Remark on the columns that are not read."""
    if others := _but_runs(unread(header, positions), "trial" in positions, location.runs_by):
        location.remark(f"Columns that are not read: {joined(others)}.")


def _but_runs(names: list[str], has_trials: bool, runs_by: str | None = None) -> list[str]:
    """The names without that of the field that tells runs apart: the stated one, or where trials have no ids."""
    runs = (runs_by,) if runs_by else () if has_trials else run_fields(names)
    return [name for name in names if name not in runs]


def _resembles(h: str, name: str) -> bool:
    """Whether the header h may mean the column `name`: its plural, its id or name, or a misspelling no shorter."""
    plain = h.lower()
    return plain in (f"{name}s", f"{name}_id", f"{name}_name") or (
        len(h) >= len(name) and bool(get_close_matches(plain, [name], 1, 0.8))
    )


def columns_hint(keys: list[str]) -> str | None:
    """The hint that proposes keys of a record as columns; None where it does not look like a row of a table."""
    hint = _hint(keys) if all(type(x) is str for x in keys) else ""
    return hint if hint.startswith("columns:") else None


def counts_in(header: Iterable[str]) -> dict[str, str]:
    """The columns of successes (c) and trials (n), by usual names; empty where there are not both."""
    plain = {h.lower(): h for h in reversed([*header])}
    counts = {name: next((plain[x] for x in (name, *COUNTS[name].split()) if x in plain), "") for name in COUNTS}
    return counts if all(counts.values()) else {}


def _hint(header: list[str]) -> str:
    """The hint for a header without the columns that scorio needs: battles, a wide table, no header, other names."""
    plain = {h.lower(): h for h in reversed(header)}
    if {"model_a", "model_b"} <= plain.keys():
        return "battles"
    guess = {name: usual(name, header) for name in USUAL}
    if counts := counts_in(header):
        del guess["outcome"]
        guess |= {name: x for name, x in counts.items() if x != name}
        plain |= {"outcome": ""}
    if (
        not guess.get("outcome", "c")
        and len(header) > 2
        and not any(map(_is_data, header[:1] if {header[0].lower()} & USUAL_NAMES else header))
        and not {"c", "n"} <= plain.keys()
    ):
        return "wide"
    if any(map(_is_data, header)) and not USUAL_NAMES & {h.lower() for h in header}:
        return "header:" + {2: "question,outcome", 3: "model,question,outcome"}.get(
            len(header), "model,question,trial,outcome"
        )
    missing = {"question": "COLUMN", "outcome": "COLUMN"}
    missing = {name: x for name, x in missing.items() if name not in plain}
    mapping = {name: x or missing.get(name, "") for name, x in guess.items() if name not in plain}
    if any(c in ",=" for x in mapping.values() for c in x):
        mapping = missing
    return "columns:" + ",".join(f"{name}={x}" for name, x in mapping.items() if x)


def columns_of(record: Any, row: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a tool's row that have the question and the outcome of its record, as columns."""
    columns = dict[str, str]()
    for name in ("question", "outcome"):
        x = getattr(record, name, None)
        equal = [
            field for field, y in row.items() if type(y) in (str, int, bool, float) and (y == x or str(y) == str(x))
        ]
        free = [field for field in equal if field not in columns.values()]
        free = free if name == "question" else [x for x in free if type(row[x]) is bool]  # others are equal by chance
        if field := usual(name, equal) or next(iter(free), "") or usual(name, row):
            columns[name] = field
    return columns


def usual(name: str, header: Iterable[str]) -> str:
    """The column that usually has the content of a column of scorio; "" where there is none."""
    plain = {h.lower(): h for h in reversed([*header])}
    return next((plain[x] for x in USUAL.get(name, "").split() if x in plain), "")


def _is_data(cell: str) -> bool:
    """Whether a cell of the first line is an outcome rather than the name of a column."""
    if is_word(cell):
        return cell.lower() not in (*USUAL["outcome"].split(), *NAMES_AND_WORDS.split())
    try:
        return number(cell, "outcome") is not None
    except InvalidInput:
        return False


def refuse_counts_with_outcomes(names: Container[str], header: Sequence[str] = ()) -> None:
    """Refuse a table that has both counts and outcomes or ids of trials; the hint reads the outcomes."""
    if ("c" in names or "n" in names) and ("outcome" in names or "trial" in names):
        own = own_columns(header, {})
        columns = ",".join(f"{x}={own[x]}" for x in ("question", "outcome") if x in own)
        hint = f"columns:{columns}" if "outcome" in own else None
        what = "c and n count trials: a table has either these or outcome and trial"
        raise InvalidInput("conflict", "path", what, hint)
