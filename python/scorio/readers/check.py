"""The check after every reader: fields in which rows of a question differ by design."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from ..display.text import listed
from ..errors import InvalidInput, shown
from . import table
from .columns import MOST_LEVELS, REST, Codes, Keys, RowError, Rows, blocks, summed
from .table import USUAL
from .values import UNITS

MOST_INNER = 20  # fields of an object in a row
MOST_ENTRIES = 3  # of a list in a row, such as the first messages of a prompt
DEEPEST = 3  # objects within each other, whose fields are looked at
LONGEST_LEVEL = 200  # characters of a name or an id
LONGEST_TEXT = 20_000  # characters of a value such as a system prompt, above which the field is no condition
MOST_ROWS = 200_000  # rows of the first questions that are compared
# largest ratio of chi-square to its degrees of freedom: 0 by design, about 1 by chance, more for dependent trials
LARGEST_RATIO = 0.2
COINCIDENCES = 8  # expected rows of a question with equal levels, of which there are none by chance in 1 of 3,000 logs
SHARE_ALIKE = 0.85  # of the questions, that have the levels of most in the same numbers, by design
SHARE_EQUAL = 0.9  # of the pairs of a question and a level that have the same number of rows, by design
# names of fields that number trials, date them or say where they ran, in lower case, without _, - and spaces
TRIAL = re.compile(
    "(trial|seed|run|epoch|attempt|rep(eat|etition|lica|licate)?|iter(ation)?|rollout|sample|completion|generation|try"
    "|tries|pass|session|round|row|line|node|worker|shard|gpu|rank|host|process|device|api|request|response|user)"
    "(s|id|idx|index|no|number|name|key|left)?|(created|started|finished|updated)(at)?|(time|t)?stamp|(date)?time|date"
    "|idx|index|uuid|guid|id|[kijn]"
)
LONGEST_ID = 60  # characters of a run's name
HASH = re.compile("[0-9a-f-]{8,}")
# values of such fields: numbers, perhaps after a word, single letters, hashes and dates; other words name conditions
NUMBERED = re.compile(
    "([a-z]+[-_ ]?)?[0-9]+(\\.[0-9]+)?|[a-z]?|[0-9a-f-]{8,}|[0-9]{4}-[0-9]{2}.*|.*[0-9]{2}:[0-9]{2}.*"
)
DATED = re.compile("[0-9a-f-]{8,}|[0-9]{4}-[0-9]{2}.*|.*[0-9]{2}:[0-9]{2}.*")  # of them, hashes and dates
MODELS = ("model", "model_name", "model_id", "llm")  # fields that name the model of a row
# fields that hold what the model said, and other outcomes, in lower case
ANSWERS = {
    "answer", "answers", "prediction", "predictions", "predicted", "predicted_answer", "pred", "completion",
    "response", "responses", "output", "outputs", "generation", "generated_text", "extracted_answer", "extracted",
    "choice", "trace_id", "span_id", "judgement", "judgment", "verdict", "explanation", "reasoning", "comment", "error",
    "exception", "exit_code", "returncode", "status", "message",
}  # fmt: skip
OUTCOME = "correct|pass|success|solved|score|reward|result|verdict|outcome|accuracy|acc$|ok$"  # in names of outcomes
VERDICT = ("pass", "fail", "correct", "incorrect", "right", "wrong", "success", "error", "resolved", "unresolved")


def is_candidate(name: str) -> bool:
    """Whether a field that is not read may be a factor, by its name."""
    plain = re.sub(r"(\.[0-9]+)+$", "", name.strip().lower()).rpartition(".")[2]  # the list of an entry
    return bool(plain) and plain not in ANSWERS and plain not in UNITS and not plain.endswith("reason")


def are_levels(name: str, levels: Iterable[str]) -> bool:
    """Whether the values of a field may be conditions, rather than ids of trials."""
    return not numbers_trials(name) or _name_conditions(levels)


def may_number_trials(name: str, levels: Iterable[str]) -> bool:
    """Whether a field in step with the ids of trials says the same as these, rather than a condition of each."""
    labels = {*filter(None, levels)}
    is_numbered = any(labels == {*map(str, range(first, first + len(labels)))} for first in (0, 1))
    is_condition = name.lower().rpartition(".")[2] in table.CONDITIONS.split()
    return numbers_trials(name) or (not is_condition and (is_numbered or all(map(DATED.fullmatch, labels))))


def _name_conditions(levels: Iterable[str]) -> bool:
    """Whether values name conditions: some are no numbers, letters or dates, or the words before numbers differ."""
    labels = [x.lower() for x in levels if len(x) <= LONGEST_ID]  # a longer one is no condition
    words = {x.rstrip("0123456789.-_ ") for x in labels if not HASH.fullmatch(x)}
    return not all(map(NUMBERED.fullmatch, labels)) or len({x for x in words if len(x) > 1 and x.isalpha()}) > 1


def numbers_trials(name: str) -> bool:
    """Whether a field numbers trials, dates them or says where they ran, by its name: seed, run_id, Sample Index."""
    return TRIAL.fullmatch(re.sub("[_ -]", "", name.lower().rpartition(".")[2])) is not None


class Unread:
    """The levels of the fields of rows that no column reads, as codes; a field with too many levels is dropped."""

    def __init__(self, runs_by: str | None) -> None:
        # the code of each level of a field, and the codes of the rows
        self._codes: dict[str, tuple[dict[str, int], array[int]]] = {}
        self._dropped: set[str | None] = {runs_by}

    def add(self, row: Mapping[str, Any], before: int, times: int = 1) -> None:
        """Add the fields of a row of the file, which is as many rows here (times), after so many others (before)."""
        for name, x in scalars(row):
            if name in self._dropped:
                continue
            level = level_of(x)
            if name not in self._codes:
                if level is None or not is_candidate(name):
                    self._dropped.add(name)
                    continue
                self._codes[name] = {"": 0}, array("i")
            code_of, codes = self._codes[name]
            if level is None or len(code_of) > MOST_LEVELS:
                self._dropped.add(name)
                del self._codes[name]
                continue
            codes.extend([0] * (before - len(codes)))
            codes.extend([code_of.setdefault(level, len(code_of))] * times)

    def drop(self, names: Iterable[str]) -> None:
        """Leave out fields that are read."""
        self._dropped |= set(names)

    def columns(self, n: int) -> tuple[dict[str, list[str]], dict[str, Codes]]:
        """The levels of each field that may be a factor, and the code of each of the n rows; names begin with REST."""
        labels, columns = dict[str, list[str]](), dict[str, Codes]()
        for name, (code_of, codes) in self._codes.items():
            if len(code_of) > 1 and are_levels(name, code_of):
                codes.extend([0] * (n - len(codes)))
                labels[REST + name] = list(code_of)
                columns[REST + name] = np.frombuffer(codes, np.int32).astype(np.int64)
        return labels, columns


def scalars(row: Mapping[str, Any], lists: bool = True, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The fields of a row, those of the objects and at the beginning of the lists within it by dotted names."""
    for name, x in row.items():
        if lists and type(x) is list and depth < DEEPEST:
            x = {str(i): y for i, y in enumerate(x[:MOST_ENTRIES])}
        if type(x) is dict and depth < DEEPEST and len(x) <= MOST_INNER:
            yield from ((f"{name}.{inner}", y) for inner, y in scalars(x, lists, depth + 1))
        else:
            yield name, x


def level_of(x: Any) -> str | None:
    """A value as the level of a factor; None where the field cannot be one, such as an object or a very long text."""
    if x is None or isinstance(x, (bool, int)):
        return "" if x is None else str(x)
    text = x if isinstance(x, str) else str(x) if isinstance(x, (float, Decimal)) else None
    return None if text is None or len(text) > LONGEST_TEXT else text.strip()


def model_in(row: Mapping[str, Any]) -> str | None:
    """The model that a row of a tool's log names, in a field that its tool does not write; None where it names none."""
    for name in MODELS:
        x = row.get(name)
        if type(x) is str and 0 < len(text := x.strip()) <= LONGEST_LEVEL and "\n" not in text:
            return text
    return None


def check_factors(rows: Rows, start: Codes, cell: Codes, pair_of_cell: Codes) -> None:
    """Refuse rows of which a field is a factor.

    start : the first row of each cell (a question of a model in a task).
    cell : the cell of each row.
    pair_of_cell : the model and the task of each cell, as one code.
    """
    kept: Any = None
    for name, codes in rows.axes.items():
        first = first_difference(codes, start, cell)
        if first is None:
            continue
        if kept is None:
            sizes = np.bincount(cell, minlength=len(start))
            n_cells = int(np.searchsorted(np.cumsum(sizes), MOST_ROWS)) + 1
            kept = np.flatnonzero(cell < n_cells) if n_cells < len(start) else slice(None)
        levels = codes[kept]
        times = None if rows.times is None or rows.has_counts else rows.times[kept]
        if not is_crossed(levels, cell[kept], pair_of_cell, times) or _follows(rows, name, levels, kept, cell):
            continue
        field = name.removeprefix(REST)
        question, model = (rows.labels_of(x, [first])[0] for x in ("question", "model"))
        values = dict.fromkeys(rows.labels_of(name, np.flatnonzero(cell == cell[first])[:1000]))
        what = f"question {shown(question)} of {shown(model)} has {len(values)} values of column {shown(field)}, "
        what += f"{listed([shown(x) for x in values])}, and so have others: rows of different conditions are not "
        is_computed = rows.by_position and "outcome" not in rows.stated  # from other fields of a tool's row
        hint = (
            f"factor_files:{field}"
            if is_computed
            else (factor_hint(field, rows.stated, rows.rows_are, "" in map(str, values), len(rows.labels["model"]) > 1))
        )
        raise RowError(first, InvalidInput("conflict", "columns", what + "trials of one question", hint))


def first_difference(codes: Codes, start: Codes, cell: Codes) -> int | None:
    """The first row whose code differs from that of its cell's first row (start); None if there is none."""
    expected = codes[start]
    differing = (rows.start + np.flatnonzero(expected[cell[rows]] != codes[rows]) for rows in blocks(len(cell)))
    return next((int(rows[0]) for rows in differing if len(rows)), None)


def is_crossed(levels: Codes, cell: Codes, pair_of_cell: Codes, times: Codes | None = None) -> bool:
    """Whether the questions of each model have the levels in equal shares, rather than by chance.

    The numbers of rows n of level l in a question of N rows are compared with their expectations N p, where p is the
    share of l in the rows of the model: by chance, the sum of (n - N p)^2 / (N p) has about one unit for each level but
    one. Or nearly all levels that a question has have the same number of rows there, two or more.
    """
    width = int(levels.max(initial=0)) + 1
    keys, n = summed(Keys((cell, int(cell.max(initial=0)) + 1), (levels, width)), times)
    cells, level = np.divmod(keys, width)
    size = np.bincount(cells, n)
    n_levels = np.bincount(cells)  # of each question
    if np.count_nonzero(n_levels > 1) < 2:  # the levels of one question alone may be chance
        return False
    pair_level = pair_of_cell[cells] * width + level
    in_pair = np.bincount(pair_level, n)
    of_pair = np.bincount(pair_of_cell[cells], n)
    n_levels_of_pair = np.bincount(np.unique(pair_level) // width)
    expected = size[cells] * in_pair[pair_level] / of_pair[pair_of_cell[cells]]
    chi_square = np.bincount(cells, n * n / expected) - size
    several = size > 1
    freedom = n_levels_of_pair[pair_of_cell[: len(size)]] - 1
    if chi_square[several].sum() <= LARGEST_RATIO * freedom[several].sum():
        return True
    # no question has a level twice, where by chance so many of its pairs of rows would have one level in common
    of_level = np.flatnonzero(in_pair)
    equal = np.bincount(of_level // width, in_pair[of_level] * (in_pair[of_level] - 1))  # ordered pairs of rows
    squares = equal / np.maximum(of_pair * (of_pair - 1), 1)  # 0 where each level occurs once, as an id does
    if n.max(initial=0) == 1 and (size * (size - 1) / 2 * squares[pair_of_cell[: len(size)]]).sum() >= COINCIDENCES:
        return True
    usual = int(np.bincount(n.astype(np.int64)).argmax())
    if usual > 1 and (n == usual).mean() >= SHARE_EQUAL and (n_levels > 1)[size > 0].mean() >= 0.5:
        return True
    # the questions that have the levels of most questions in the same numbers
    alike = Counter(
        tuple(zip(level[a:b].tolist(), n[a:b].tolist(), strict=True))
        for a, b in pairwise([*np.flatnonzero(np.diff(cells, prepend=-1)).tolist(), len(cells)])
    )
    signature, times_seen = max(alike.items(), key=lambda x: (len(x[0]) > 1, x[1]))
    return len(signature) > 1 and times_seen >= SHARE_ALIKE * int(np.count_nonzero(several))


def _follows(rows: Rows, name: str, levels: Codes, kept: Any, cell: Codes) -> bool:
    """Whether a field says the same as the outcome or as the trial's id, so that it is no factor besides them."""
    labels = rows.labels[name]
    outcomes = rows.outcome[kept]
    if one_to_one(levels, outcomes):
        pairs = {*zip(levels.tolist(), outcomes.tolist(), strict=True)}
        usual = {-1: ("", "null"), 0: ("0", "0.0", "false"), 1: ("1", "1.0", "true")}
        usual = usual if re.search(OUTCOME, name.lower()) else {}
        words = [(str(labels[i]).lower(), usual.get(j, ())) for i, j in pairs]  # for an outcome, or its number
        if all(x.startswith(VERDICT) or x in numbers for x, numbers in words):
            return True
    if rows.trial is None or rows.by_position or not one_to_one(levels, rows.trial[kept]):
        return False
    return may_number_trials(name.removeprefix(REST), map(str, labels))


def one_to_one(a: Codes, b: Codes) -> bool:
    """Whether equal codes in one array have equal codes in the other."""
    b = b + 1  # -1 is a missing outcome
    pairs, _ = summed(Keys((a, int(a.max(initial=0)) + 1), (b, int(b.max(initial=0)) + 1)), None)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def factor_hint(
    field: str, stated: Mapping[str, str], rows_are: str = "", has_empty: bool = False, has_models: bool = False
) -> str:
    """The hint for a factor: the whole mapping that reads its levels as benchmarks or models; the field for runs_by.

    has_empty : whether a level is empty, which is no name of a benchmark or of a run.
    has_models : whether the rows name several models in another field.
    rows_are : what the rows of a wide table are, whose levels are no models, and no questions if its rows are models.
    """
    stated = {name: x for name, x in stated.items() if name != field}
    is_model = field.lower().rpartition(".")[2] in ("model", *USUAL["model"].split())
    role = "model" if is_model and not has_models and "model" not in stated and not rows_are else "task"
    if role in stated:
        mapping = {**stated, role: f"{stated[role]}+{field}"}
    else:
        mapping = {**stated, role: field}
    ids = "model" if rows_are == "model" else "question"
    further = {**stated, ids: f"{stated.get(ids, ids)}+{field}"}
    texts = [",".join(f"{x}={y}" for x, y in columns.items()) for columns in (mapping, further)]
    if has_empty:
        return f"factor_empty:{texts[1]}\n{field}"
    return ("factor_models:" if rows_are == "model" else "factor:") + "\n".join([*texts, field])
