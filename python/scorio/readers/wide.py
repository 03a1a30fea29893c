"""Wide tables: a row for each question and a column for each model, or rows of models and columns of questions.

The table is in memory, since all cells of a column say what the column is: ids, text, outcomes, or another number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, isnan
from typing import Any, NamedTuple

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import check, sums, table, values
from .options import ReadOptions
from .records import Trial
from .text_files import SourceLocation, joined

LEFT_OUT = "-"  # in place of a name in columns: this column is not read
ROLES = ("question", "task", "cluster", "model", "trial")
BESIDE = "difficulty level type gold label target reference majority agree"
AXES = {*table.CONDITIONS.split(), *values.UNITS, *BESIDE.split()}  # columns that are not models, whatever they hold
CONDITION = re.compile(  # columns that are not models where rows of one question differ in them by design
    "((use|with|num|n|few|zero)[ _-]?)?(shots?|thinking|reasoning|cot|tools?|search|rag|context|hints?|effort|prompt"
    "|system_prompt|style|mode|setting|condition|top_p)([ _-]?(id|mode|level|used|enabled))?",
    re.I,
)
RUN = re.compile(
    r"(?:(.*?)[\s_.:/(\[-]+)?(?:run|trial|attempt|seed|sample|repeat|rep|try|epoch)s?[\s_.:#-]*([0-9]+)[)\]]?", re.I
)
NUMBERED = re.compile(r"(.+?)(?:_|#|\s?\(|\.)([0-9]+)\)?")
TRIAL = re.compile(r"([a-z]*)[\s_#.-]*([0-9]+)", re.IGNORECASE)  # beside columns of questions and of models
_GENERIC = "model system agent llm method version v m variant prompt config checkpoint step gpt"
OF_MODELS = frozenset(_GENERIC.split())
OF_QUESTION = re.compile(r"(?:(?:q|question|item|task|problem|example|ex|id)[\s_#-]*)?[0-9]+", re.IGNORECASE)


class Cell(NamedTuple):
    """A cell with an outcome, and its place in the file."""

    model: Any
    question: Any
    trial: str | None
    outcome: Any
    value: float | None  # nan: missing, None: text
    row: int


def records(
    rows: Iterable[Mapping[str, Any]], location: SourceLocation, options: ReadOptions, columns: Any = None
) -> Iterator[Trial]:
    """Trials of a wide table; repeated rows are further trials.

    columns : the columns that are the question, the task, the cluster and the trial (model: the rows are models), by
        these names; a column of the table is left out by NAME: "-".
    """
    places, lines = [], []
    for row in rows:
        places.append((location.line, location.entry))
        lines.append(row)
    location.leave_line()
    if not lines:
        return
    lines = _with_fractions(lines, location)
    _refuse_averages(lines, options, columns or {})
    grid = _Grid(lines, location, options, columns or {})
    rest = [{name: row.get(name) for name in grid.unread} for row in lines]
    for cell in grid.cells():
        location.line, location.entry = places[cell.row]
        task, cluster, trial = (grid.of_row(name, cell.row) for name in ("task", "cluster", "trial"))
        if cell.trial is not None and trial != "":
            trial = cell.trial if trial is None else f"{trial}/{cell.trial}"
        if not any(places[cell.row]):  # of a frame
            location.entry = f"question {shown(cell.question)} of {shown(cell.model)}"
        if grid.has_counts and cell.value is not None and isnan(cell.value):
            if options.missing == "raise":
                raise InvalidInput("missing", "outcome", "outcome is missing", "policy")
            location.remark("Counts that are missing, and were left out: {n}.")
        else:
            yield Trial(cell.model, cell.question, trial, cell.outcome, cluster, task, rest=rest[cell.row])
    location.leave_line()


def _with_fractions(lines: list[Mapping[str, Any]], location: SourceLocation) -> list[Mapping[str, Any]]:
    """Rows with a fraction such as 3/4 for each model in the place of two columns: gpt_correct and gpt_n."""
    pairs: dict[str, dict[str, str]] = {}
    for column in lines[0]:
        for kind, usual in table.COUNTS.items():
            match = re.fullmatch(rf"(.+?)[\s_.:-]({'|'.join([kind, *usual.split()])})", column, re.I)
            if match:
                pairs.setdefault(match[1], {})[kind] = column
    pairs = {model: x for model, x in pairs.items() if len(x) == 2}
    if not pairs:
        return lines
    read = {column: model for model, x in pairs.items() for column in x.values()}
    location.remark(f"Columns of successes and trials: {joined(list(read))}.")
    out: list[Mapping[str, Any]] = []
    for row in lines:
        cells: dict[str, Any] = {}
        for column, x in row.items():
            if model := read.get(column, ""):
                parts = [row.get(pairs[model][kind]) for kind in table.COUNTS]
                cells[model] = None if any(map(values.is_missing, parts)) else "{}/{}".format(*parts)
            else:
                cells[column] = x
        out.append(cells)
    return out


def _refuse_averages(lines: Sequence[Mapping[str, Any]], options: ReadOptions, columns: Mapping[str, Any]) -> None:
    """Raise where each row is a run, and columns have its averages; counts may be those of questions, if so stated."""
    header = list(lines[0])
    own = next((x for x in header if x.lower() == "question"), "") or table.usual("question", header)
    question = columns.get("question") or own
    run = question or next((x for x in header if x.lower() in sums.RUN_NAMES), "")
    aside = {run, *columns, *columns.values()}
    names = [x for x in header if not {x, x.lower()} & {*aside, *AXES, *ROLES} and not check.numbers_trials(x)]
    cells = {x: [row.get(x) for row in lines] for x in names}
    has_counts = any(values.fraction(x) for column in cells.values() for x in column)
    if run.lower() not in sums.RUN_NAMES or (question and has_counts):
        return
    numbers = {x: [sums.number_in(y, options) for y in column] for x, column in cells.items()}
    averages = {x: [z for z in y if z is not None and not isnan(z)] for x, y in numbers.items() if None not in y}
    if not all(map(OF_QUESTION.fullmatch, averages)):
        sums.state_averages({x: y for x, y in averages.items() if not sums.is_named(x)} or averages)


class _Grid:
    """The columns of a wide table by what they are."""

    def __init__(
        self, lines: list[Mapping[str, Any]], location: SourceLocation, options: ReadOptions, columns: Mapping[str, Any]
    ) -> None:
        self.lines, self.location, self.options = lines, location, options
        self.header = list(dict.fromkeys(name for row in lines for name in row))
        self._values: dict[Any, float | None] = {}
        self.has_counts = False  # whether cells are counts such as 3/4
        self.left_out = [name for name, x in columns.items() if x in (LEFT_OUT, None)]
        self.roles = {name: x for name, x in columns.items() if name not in self.left_out}
        self._parts = self._join_ids()
        for name, column in (*self.roles.items(), *((x, x) for x in self.left_out)):
            if column not in self.header:
                what = f"no column {shown(column)}; {table.described(self.header)}{nearest(column, self.header)}"
                raise InvalidInput("choice", "columns", what)
            if name in self.roles and name not in ROLES:
                what = f"{shown(name)} in columns is none of {joined(ROLES)}; NAME=- leaves the column NAME out"
                raise InvalidInput("choice", "columns", what)
        runs = [options.runs_by] if options.runs_by in self.header else []
        self.unread: list[str] = list(dict.fromkeys([*self.left_out, *self._parts, *filter(None, runs)]))
        self._by_name()
        self.names = [x for x in self.header if x not in self.unread and x not in self.roles.values()]
        self.is_transposed = "question" not in self.roles and "model" in self.roles
        if not self.is_transposed and "question" not in self.roles:
            self.roles["question"] = self._question()
            self.names.remove(self.roles["question"])
        self.ids = self.roles["model" if self.is_transposed else "question"]
        self.names = self._outcomes()
        self.column_of = self._runs()
        if "trial" not in self.roles and not runs and any(run for _, run in self.column_of.values()):
            of_rows = next((x for x in table.run_fields(self.unread) if self._differs(x, always=True)), "")
            if of_rows:  # the rows of a question are runs, each with columns of trials
                self.roles["trial"] = of_rows
                self.unread.remove(of_rows)
        self._check_orientation(columns)
        roles = {name: x for name, x in self.roles.items() if name != x or name == "task"}
        rows_are = "model" if self.is_transposed else "question"
        location.wide = {**dict.fromkeys(self.left_out, LEFT_OUT), **roles}, rows_are
        self._remark_unread()

    def _remark_unread(self) -> None:
        """Remark on columns that are not read, and on those that the caller left out where rows differ in them."""
        chosen = {*self.left_out, self.options.runs_by}
        has_runs = any(run for _, run in self.column_of.values())
        has_trials = has_runs or self.options.runs_by is not None or "trial" in self.roles
        ids = [x for x in self.unread if any(isinstance(row.get(x), (str, int)) for row in self.lines)]
        runs = () if has_trials else table.run_fields(ids)  # counting remarks on these
        if unread := [x for x in self.unread if x not in chosen and x not in self._parts and x not in runs]:
            groups = [x for x in unread if not self.is_transposed and not self._differs(x)]
            groups = [x for x in groups if len({str(row.get(x)) for row in self.lines}) > 1]
            advice = f" (--columns cluster={groups[0]} groups questions by one)" if groups else ""
            self.location.remark(f"Columns that are not read: {joined(unread)}{advice}.")
        for name in self.left_out:
            if name != self.options.runs_by and self._differs(name) and not check.numbers_trials(name):
                what = f"rows of one {'model' if self.is_transposed else 'question'} that differ in it are trials."
                self.location.remark(f"Column {name} is left out: {what}")

    def _join_ids(self) -> list[str]:
        """Add columns that are the ids of several, such as id+turn, whose parts "/" joins; the names of the parts."""
        names = list[str]()
        for column in self.roles.values():
            parts = [x.strip() for x in str(column).split("+")]
            if column not in self.header and len(parts) > 1 and set(parts) <= set(self.header):
                cells = [[row.get(x) for x in parts] for row in self.lines]
                texts = ["/".join("" if x is None else str(x).strip() for x in y) for y in cells]
                self.lines = [{**row, column: x} for row, x in zip(self.lines, texts, strict=True)]
                self.header.append(column)
                names += parts
        return names

    def _differs(self, name: str, always: bool = False) -> bool:
        """Whether rows of one id have different cells in a column; always: no two rows of an id have the same."""
        pairs = Counter(zip(self._row_ids(), (str(row.get(name)) for row in self.lines), strict=True))
        ids = Counter(x for x, _ in pairs)
        return any(n > 1 for n in ids.values()) and (not always or len(pairs) == len(self.lines))

    def _row_ids(self) -> list[str]:
        """The question or the model of each row, with its task, as one text."""
        ids_of = [self.roles[x] for x in ("question", "model", "task") if x in self.roles]
        return [str([str(row.get(x)) for x in ids_of]) for row in self.lines]

    def _is_crossed(self, name: str) -> bool:
        """Whether rows of one id differ in a column by design."""
        cells = [str(row.get(name)) for row in self.lines]
        levels, ids = (np.unique(x, return_inverse=True)[1] for x in (cells, self._row_ids()))
        return check.is_crossed(levels, ids, np.zeros(ids.max() + 1, np.int64))

    def of_row(self, name: str, row: int) -> Any:
        """The task or the cluster of a row: "" where the cell is empty, None where there is no such column."""
        if name not in self.roles:
            return None
        cell = self.lines[row].get(self.roles[name])
        return "" if cell is None else cell

    def value(self, x: Any) -> float | None:
        """The number in a cell, nan where it is missing; None where it is text."""
        key = (type(x), x) if isinstance(x, (str, int, float)) else None
        if key is None or key not in self._values:
            value = sums.number_in(x, self.options)
            self.has_counts = self.has_counts or values.fraction(x) is not None
            if key is None:
                return value
            self._values[key] = value
        return self._values[key]

    def _by_name(self) -> None:
        """Take the columns with scorio's names, and with other usual names of questions or models."""
        free = [x for x in self.header if x not in self.unread and x not in self.roles.values()]
        for name in ROLES:
            if name not in self.roles and (column := next((x for x in free if x.lower() == name), None)):
                self.roles[name] = column
        if not {"question", "model"} & self.roles.keys():
            for name in ("question", "model"):
                if column := table.usual(name, free):
                    self.roles[name] = column
                    if name == "question":
                        self.location.remark(f"Questions: column {column}.")
                    break
        question, rest = table.usual("question", free), [x for x in free if x not in self.roles.values()]
        trials = [x for x in rest if x != question]
        if question in rest and "model" in self.roles and trials and all(map(RUN.fullmatch, trials)):
            self.roles.setdefault("question", question)  # beside a model, columns of trials

    def _question(self) -> str:
        """The column of questions without a usual name: the only one of distinct texts, or one without a name."""
        cells = {name: [row.get(name) for row in self.lines] for name in self.names}
        texts = [name for name in self.names if any(self.value(x) is None for x in cells[name])]
        complete = [x for x in texts if not any(map(values.is_missing, cells[x]))]
        distinct = [x for x in complete if len({*map(str, cells[x])}) == len(self.lines)]
        unnamed = [x for x in self.names[:1] if not x or x.startswith("Unnamed: ")]
        chosen = distinct if len(distinct) == 1 else unnamed or (texts if len(texts) == 1 and not distinct else [])
        if not chosen or len(self.names) < 2:
            which = f"the columns {joined(distinct)} may name" if len(distinct) > 1 else "no column names"
            what = f"{which} the questions; {table.described(self.header)}"
            hint = f"columns:question={(distinct or texts)[0]}" if distinct or texts else "number_rows"
            raise InvalidInput("format", "path", what, hint)
        self.location.remark(
            f"Questions: column {chosen[0]}." if chosen[0] else "Questions: the column without a name."
        )
        return chosen[0]

    def _outcomes(self) -> list[str]:
        """The names of the columns of outcomes; raises for a column that may be something else."""
        if not self.names:
            only = joined([x for x in self.header if x not in self.left_out])
            raise InvalidInput("format", "path", f"a wide table has a column for each model, and there is only {only}")
        is_question = [not sums.is_named(str(row.get(self.ids) or "")) for row in self.lines]
        cells = {x: [row.get(x) for row, use in zip(self.lines, is_question, strict=True) if use] for x in self.names}
        numbers = {x: [self.value(y) for y in cells[x]] for x in self.names}
        has_number = {x: any(y is not None and not isnan(y) for y in numbers[x]) for x in self.names}
        letters = {x for x in self.names if _are_letters(cells[x])}  # labels, beside outcomes that are not letters
        letters = letters if any(has_number[x] and x not in letters for x in self.names) else set()
        text = [x for x in self.names if not x or (None in numbers[x] and (x in letters or not has_number[x]))]
        units = [x for x in self.names if x.lower() in values.UNITS]
        axes = [x for x in self.names if x not in (*text, *units) and self._is_axis(x)]
        columns = [x for x in self.names if x not in (*text, *units, *axes)]
        names = [x for x in columns if not _is_of_trials(x)] or columns
        fit = {x: self._fits(numbers[x]) for x in names}  # the same number in each row, such as a year, is no outcome
        names = [x for x in names if fit[x] or not any(fit.values()) or len({*numbers[x]}) > 1 or sums.is_named(x)]
        self.unread += [x for x in self.names if x and x not in names]
        for name in names:
            if None in numbers[name]:
                i = numbers[name].index(None)
                cell = str(cells[name][i])
                what = f"column {shown(name)} has {shown(cell)} in row {i + 1}, and outcomes in others"
                raise InvalidInput("type", "outcome", what, values.hint(cell, "outcome"))
        end = -1 if len(self.lines) > 2 else None  # the last row may sum up the others
        ranges = {x: self._fits(numbers[x][:end]) for x in names}
        for name in names:
            if name.lower() in AXES or (not ranges[name] and any(ranges.values()) and not sums.is_named(name)):
                odd = {y: x for x, y in zip(cells[name], numbers[name], strict=True) if not self._fits([y])}
                first = next(iter(odd.values()), cells[name][0])
                what = f"column {shown(name)} has {shown(first)}, unlike the outcomes of the others"
                n_odd = sum(not self._fits([y]) for y in numbers[name])
                is_code = len(odd) == 1 and 2 * n_odd < len(numbers[name]) and values.NUMBER.fullmatch(str(first))
                is_code = is_code and next(iter(odd)) % 1 == 0
                hint = f"odd_code:{name}\n{first}" if is_code else f"odd:{name}"
                raise InvalidInput("category", "outcome", what, hint)
        if not names:
            raise InvalidInput("format", "path", f"no column holds outcomes; {table.described(self.header)}")
        return names

    def _is_axis(self, name: str) -> bool:
        """Whether a column of numbers tells rows of one id apart: a condition by its name, or a number of trials."""
        return (
            (name.lower() in AXES and self._differs(name))
            or (check.numbers_trials(name) and self._differs(name, always=True))
            or (CONDITION.fullmatch(name) is not None and self._is_crossed(name))
        )

    def _fits(self, numbers: Iterable[float | None]) -> bool:
        """Whether numbers may be outcomes by the options; text and missing ones do not count."""
        return all(x is None or isnan(x) or sums.may_be_outcome(x, self.options, self.has_counts) for x in numbers)

    def _runs(self) -> dict[str, tuple[str, str | None]]:
        """The model (or question) and the run of each column."""
        chosen = {x: match for x in self.names if (match := RUN.fullmatch(x))}
        column_of = {x: (match[1] or "", str(int(match[2]))) for x, match in chosen.items()}
        if not chosen and {"question", "model"} <= self.roles.keys():
            trials = {x: match for x in self.names if (match := TRIAL.fullmatch(x))}
            if 1 < len(trials) == len(self.names) and len({match[1].lower() for match in trials.values()}) == 1:
                return self._said({x: ("", str(int(match[2]))) for x, match in trials.items()})
        if not chosen and not self.is_transposed:
            matches = {x: match for x in self.names if (match := NUMBERED.fullmatch(x))}
            bases = {match[1] for match in matches.values()}
            column_of = {x: (match[1], str(int(match[2]))) for x, match in matches.items()}
            column_of |= {x: (x, "0") for x in self.names if x in bases}
            runs = {base: sorted(int(run) for b, run in column_of.values() if b == base) for base in bases}
            numbered = [*runs.values()][:1]
            are_runs = (
                set(column_of) == set(self.names)
                and not any(x.lower() in OF_MODELS for x in bases)
                and all(x == numbered[0] and len(x) > 1 and x == [*range(x[0], x[0] + len(x))] for x in runs.values())
                and numbered[0][0] in (0, 1)
                and all(base in self.names for x, (base, run) in column_of.items() if x.endswith(f".{run}"))
            )
            column_of = column_of if are_runs else {}
        return self._said(column_of)

    def _said(self, column_of: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str | None]]:
        """The model and the run of each column, from those of columns that are trials, with a remark."""
        if column_of:
            names = list(dict.fromkeys(base for base, _ in column_of.values()))
            whose = f"trials of {joined(names)}" if any(names) else "trials"
            self.location.remark(f"Columns that are {whose}: {joined(list(column_of))}.")
        return {x: column_of.get(x, (x, None)) for x in self.names}

    def _check_orientation(self, columns: Mapping[str, Any]) -> None:
        """Raise where rows may be models, or are of both a question and a model."""
        bases = list(dict.fromkeys(base for base, _ in self.column_of.values()))
        if {"question", "model"} <= self.roles.keys() and bases != [""]:
            names = {x: self.roles[x] for x in ("question", "model")}
            what = f"columns {joined([*names.values()])} beside others: a table that is not wide needs no wide"
            raise InvalidInput("format", "path", what, f"odd:{names['model']}")
        if self.is_transposed:
            self.location.remark(f"Rows are models (column {self.ids}), columns are questions.")
            if not all(map(OF_QUESTION.fullmatch, bases)):  # a column such as open may be something else
                self.location.remark(f"Columns that are questions: {joined(bases)}; --columns NAME=- leaves one out.")
        elif "question" not in columns and len(bases) > 1 and all(map(OF_QUESTION.fullmatch, bases)):
            if self.ids.lower() == "question":  # so that rows are no models
                what = f"columns {joined(bases)} may be trials of one model, or models"
                raise InvalidInput("format", "path", what, "numbered_columns")
            what = f"columns {joined(bases)} may be questions, and rows models"
            raise InvalidInput("format", "path", what, f"columns:model={self.ids or 'COLUMN'}")
        elif bases != [""]:  # any column of outcomes may be something else, such as has_image
            self.location.remark(f"Columns that are models: {joined(bases)}; --columns NAME=- leaves one out.")

    def cells(self) -> list[Cell]:
        """All outcomes in the order of rows, without a last row that sums up all."""
        cells = []
        for i, row in enumerate(self.lines):
            for name, (base, run) in self.column_of.items():
                of_row, x = row.get(self.ids), row.get(name)
                model = self.of_row("model", i) if "model" in self.roles else base or self.location.model()
                question = base if self.is_transposed else of_row
                cells.append(Cell(model, question, run, x, self.value(x), i))
        if not self.is_transposed and self._last_row_sums_up(cells):
            last = len(self.lines) - 1
            cells = [x for x in cells if x.row != last]
            name = self.lines[-1].get(self.ids) or "without a name"
            self.location.remarks[sums.remark_on_summary(f"the last, {name}")] = 1
        return cells

    def _last_row_sums_up(self, cells: list[Cell]) -> bool:
        """Whether each outcome of the last row is the sum or the mean of those above, which is no coincidence."""
        last = len(self.lines) - 1
        if sums.is_named(str(self.lines[-1].get(self.ids) or "")):
            return False  # as in tables of any form, the accumulator decides
        own, others = [x for x in cells if x.row == last], dict[Any, list[Cell]]()
        for x in cells:
            if x.row != last and x.value is not None and not isnan(x.value):
                others.setdefault((x.model, x.trial), []).append(x)
        is_likely = self.options.C == 1 or (len(own) > 1 and last > 2)
        is_unusual = any(x.value not in (0, 1) or values.fraction(x.outcome) for x in own)
        if not is_likely or not is_unusual or any(x.value is None for x in own):
            return False
        return bool(sums.sums_up([_sums_up(x, others.get((x.model, x.trial), [])) for x in own]))


def _sums_up(own: Cell, others: Sequence[Cell]) -> sums.Summary:
    """How a cell sums up others: counts only both numbers of these."""
    if pair := values.fraction(own.outcome):
        pairs = [y for x in others if (y := values.fraction(x.outcome))]
        return sums.adds_up(pair, (sum(c for c, _ in pairs), sum(n for _, n in pairs)), len(pairs))
    total = fsum(x.value or 0.0 for x in others)
    return sums.summary(own.value or 0.0, own.outcome, total, len(others), {x.outcome for x in others})


def _is_of_trials(name: str) -> bool:
    """Whether a column is of trials or of runs by its name, and no model's."""
    return bool(table.run_fields([name])) or name.lower() in ("trial", *sums.RUN_NAMES)


def _are_letters(cells: Iterable[Any]) -> bool:
    """Whether cells are single letters: labels such as A, B and F, of which F alone is a word for an outcome."""
    return all(values.is_missing(x) or (len(text := str(x).strip()) == 1 and text.isalpha()) for x in cells)
