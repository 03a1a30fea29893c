"""Checks after every reader: fields in which rows of a question differ by design, and rows that sum up others."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice, pairwise
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from ..display.text import listed
from ..errors import InvalidInput, shown
from . import table
from .columns import MOST_LEVELS, REST, Codes, Keys, RowError, Rows, blocks, summed
from .options import ReadOptions
from .table import USUAL
from .text_files import SourceLocation
from .values import UNITS, Cells, count, fraction, number, score

MOST_INNER = 20  # fields of an object in a row
MOST_ENTRIES = 3  # of a list in a row, such as the first messages of a prompt
DEEPEST = 3  # objects within each other, whose fields are looked at
LONGEST_LEVEL = 200  # characters of a name or an id
LONGEST_TEXT = 20_000  # characters of a value such as a system prompt, above which the field is no condition
MOST_ROWS = 200_000  # rows of the first questions that are compared
# largest ratio of chi-square to its degrees of freedom: 0 by design, about 1 by chance, more for dependent trials
LARGEST_RATIO = 0.2
FAR_ABOVE = 9  # times the other scores: 99 beside 1 to 10
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


# --- rows that sum up others, such as Total or Average ---


_WORDS = (
    "total totals grand mean average avg weighted macro micro median std stdev all overall sum summary gesamt summe "
    "mittel mittelwert durchschnitt insgesamt moyenne somme ensemble media promedio totale totaal gemiddelde średnia "
    "suma итого среднее 合计 平均 总计 σ ø ∅"
)
_MAYBE = "final pass rate result results aggregate subtotal"
_BESIDE = "score accuracy acc value row of % in percent"
# words that say so, and that may stand beside; the further ones say so only if the numbers are the sums or the means
SUMMARIES, BESIDE_SUMMARIES = frozenset(_WORDS.split()), frozenset(_BESIDE.split())
METRIC_AT_K = re.compile("(pass|avg|maj|cons|best)[@^][0-9]+")
MOST_PARTS = 4  # words beside one that says so, as in "mmlu (avg)": a longer label is the text of a question
MAYBE_SUMMARIES = SUMMARIES | BESIDE_SUMMARIES | frozenset(_MAYBE.split())


def number_in(x: Any, options: ReadOptions) -> float | None:
    """The number in a cell, also where it is no outcome by the options; nan where it is missing, None where it is text.

    Counts such as 3/4 are their share.
    """
    if counts := fraction(x):
        return counts[0] / counts[1] if counts[1] else None
    try:
        cells = Cells(options.words, options.scale[1] if options.scale else 1.0)
        value = score(cells.value(x), options.missing_code)
    except InvalidInput:
        return None
    return nan if value is None else value


def may_be_outcome(x: float, options: ReadOptions, has_counts: bool = False) -> bool:
    """Whether a number may be an outcome by the options: a category, a score on the scale, a share of counts."""
    lo, hi = options.scale or (0.0, 1.0)
    return lo <= x <= hi if options.C is None or has_counts else x in range(options.C + 1)


def lone_code(scores: Sequence[float], scale: tuple[float, float] | None = None) -> str | None:
    """A lone score outside of the scale of all others, which probably means that there is no score: "-1", "99".

    scores : the distinct scores, sorted; scale: the ends, where they are stated.

    Examples
    --------
    >>> from scorio.readers.check import lone_code
    >>> lone_code([-1.0, 0.0, 7.0, 10.0]), lone_code([0.0, 0.5, 1.0, 7.0]), lone_code([1.0, 5.0, 99.0])
    ('-1', '7', '99')
    """
    if len(scores) < 3:
        return None
    low, top = scores[0], scores[-1]
    if low == int(low) and low < 0 <= scores[1] and (scale is None or scale[0] > low):
        return str(int(low))
    end = scale[1] if scale else max(1.0, scores[-2])
    is_above = scores[-2] <= end < top - 1 and (scale is not None or end == 1 or top >= FAR_ABOVE * end)
    return str(int(top)) if top == int(top) and low >= 0 and is_above else None


def is_named(label: str) -> bool:
    """Whether a label says that a row sums up others: Total, AVERAGE, overall accuracy, grand total."""
    parts = _parts(label)
    return bool(parts) and parts[0] in SUMMARIES and all(x in SUMMARIES | BESIDE_SUMMARIES for x in parts)


def may_be_summary(label: str) -> bool:
    """Whether a row with this label may sum up others, also where only its numbers can tell: Accuracy, mmlu (avg)."""
    parts = _parts(label)
    is_maybe = all(x in MAYBE_SUMMARIES or METRIC_AT_K.fullmatch(x) for x in parts)
    return is_maybe or (len(parts) <= MOST_PARTS and not {parts[0], parts[-1]}.isdisjoint(SUMMARIES))


MAY_SUM_UP = {"model": is_named, "question": may_be_summary}  # the test of the labels of each column


def _parts(label: str) -> list[str]:
    return re.split(r"[\s:_()-]+", label.lower().strip(" \t:_()-"))


class Summary(NamedTuple):
    """Ways in which a number sums up others, and whether it is unlike outcomes: 1 may be a sum, or an outcome."""

    kinds: frozenset[str] = frozenset()
    is_unlike: bool = True
    is_outcome: bool = True  # by the options


def summary(x: float, cell: Any, total: float, n: int, cells: Container[Any]) -> Summary:
    """Whether a number is the sum, the mean, or the mean in percent of n others, at least two.

    cell : the number as the table shows it, whose decimals say how it was rounded.
    total : the sum of the others.
    cells : the others as the table shows them, perhaps those of further models too.
    """
    point = re.search(r"[.,]([0-9]+)", str(cell))
    tolerance = 0.501 * 10.0 ** -len(point[1]) if point else 1e-9
    percent = 0.01 if str(cell).rstrip().endswith("%") else 1.0  # the last digit of 66.7% is a thousandth
    kinds = {"sum": total, "mean": total / n, "percent": 100 * total / n} if n > 1 else {}
    equal = frozenset(kind for kind, y in kinds.items() if abs(x - y) <= tolerance * percent)
    return Summary(equal, x not in (0, 1) or cell not in cells)


def verdict(cell: Any, total: float, n: int, options: ReadOptions, cells: Container[Any]) -> Summary:
    """How the number in a cell sums up n others with this sum."""
    x = number_in(cell, options)
    if not n or (x is not None and isnan(x)):
        return Summary()
    if x is None:
        return Summary(is_outcome=False)
    has_scale = options.C is not None or options.scale is not None
    of_others = summary(x, cell, total, n, cells)._replace(is_outcome=not has_scale or may_be_outcome(x, options))
    # a mean that is weighted, or of rounded numbers, or another statistic
    is_other = options.C is None and n > 1 and x != int(x) and cell not in cells
    if is_other or "mean" in of_others.kinds:
        return of_others._replace(kinds=of_others.kinds | {"statistic"})
    return of_others


def sums_up(summaries: Collection[Summary], by_name: bool = True) -> bool | None:
    """Whether numbers sum up others: all are their sums, or all their means; None where they may as well be outcomes.

    All are 0 or 1, as outcomes are: where all others of a model are 1, so is their mean, and an outcome may be.

    by_name : whether their name says so, so that numbers that are no outcomes, or another statistic, do too.
    """
    if by_name and any(not x.is_outcome for x in summaries):
        return True
    kinds = [x.kinds if by_name else x.kinds - {"statistic"} for x in summaries]
    if not kinds or not frozenset.intersection(*kinds):
        return False
    return True if any(x.is_unlike for x in summaries) else None


def adds_up(cells: tuple[Any, Any], sums: tuple[float, int], n: int) -> Summary:
    """Whether successes and trials are the sums of those of n others, at least two."""
    are_sums = n > 1 and all(number(x, "n") == y for x, y in zip(cells, sums, strict=True))
    return Summary(frozenset({"sum"} if are_sums else ()))


class LabelledRow(NamedTuple):
    """The model, the task and the question of a row, its outcome or counts, and its number: a score and trials."""

    model: Any
    task: Any
    question: Any
    cell: Any = None  # counts: a pair
    value: float = 0.0
    trials: int = 1

    def with_number(self, options: ReadOptions) -> LabelledRow | None:
        """The row with the number in its cell; None where that is missing."""
        if isinstance(self.cell, tuple):
            c, n = (count(x, name) for x, name in zip(self.cell, "cn", strict=True))
            return None if c is None or n is None else self._replace(value=c, trials=n)
        x = number_in(self.cell, options)
        return None if x is None or isnan(x) else self._replace(value=x)


def left_out(
    rows: Iterable[LabelledRow], aside: Sequence[LabelledRow], options: ReadOptions, cells: Container[Any],
    location: SourceLocation,
) -> list[bool]:  # fmt: skip
    """Which rows that may sum up others are left out: those of a question of which all do, or of a model.

    Each has a remark; also one that may as well have outcomes. A row of a question sums up the others of its model, one
    of a model those of other models.

    rows : the others.
    cells : their outcomes as the table shows them.
    """
    of_models = [not may_be_summary(str(x.question)) for x in aside]
    keys = {key for x, of_model in zip(aside, of_models, strict=True) for key in [_others(x, of_model)]}
    sums: dict[Any, tuple[float, int, int]] = {}
    for x in rows:
        for key in (_others(x, False), _others(x, True)):
            if key in keys:
                total, trials, n = sums.get(key, (0.0, 0, 0))
                sums[key] = total + x.value, trials + x.trials, n + 1
    groups: dict[Any, list[Summary]] = {}
    names = [(x.task, str(x.model if of_model else x.question)) for x, of_model in zip(aside, of_models, strict=True)]
    for x, of_model, name in zip(aside, of_models, names, strict=True):
        total, trials, n = sums.get(_others(x, of_model), (0.0, 0, 0))
        has_counts = isinstance(x.cell, tuple)
        of_row = adds_up(x.cell, (total, trials), n) if has_counts else verdict(x.cell, total, trials, options, cells)
        if not n and is_named(str(x.model)):  # average,overall,0.5
            of_row, n = Summary(is_outcome=False), 1
        groups.setdefault(name, []).extend([of_row] if n else [])  # a row beside no others says nothing
    verdicts = {name: sums_up(x, is_named(name[1])) for name, x in groups.items()}
    certain = {name for (_, name), is_summary in verdicts.items() if is_summary}  # in one task, so in all
    verdicts |= {key: True for key, is_summary in verdicts.items() if is_summary is None and key[1] in certain}
    stated, rows_are = location.wide
    for (_, name), is_summary in verdicts.items():
        if is_summary is not False:
            is_column = rows_are == "question" and "model" not in stated and any(of_models)
            way = f"leave it out, --columns {name}=-" if is_column else "remove its rows"
            location.remarks[remark_on_summary(name, is_summary, way)] = 1
    return [bool(verdicts[name]) for name in names]


def _others(x: LabelledRow, of_model: bool) -> tuple[Any, ...]:
    """The key of the rows that a row may sum up."""
    return ("question", x.task, x.question) if of_model else ("model", x.task, x.model)


def remark_on_summary(name: str, is_summary: bool | None = True, way: str = "remove its rows") -> str:
    """The sentence on a row that was left out, or that may as well have outcomes and was kept."""
    if is_summary is None:
        return f"{name} is read as outcomes, though it equals the sum or the mean of others: if it is that, {way}."
    return f"Left out, since it sums up other rows: {name}."


# --- averages of runs, which scorio interval takes ---


_RUNS = "seed run run_id run_name repeat repetition replicate iteration rerun"
RUN_NAMES = frozenset(_RUNS.split())  # names of columns of runs
AVERAGES = ("accuracy", "mean", "average", "avg", *table.USUAL["outcome"].split())
MOST_RUN_ROWS = 1000  # rows that are looked at
MOST_AVERAGES = 40  # averages in a command that is proposed


def refuse_averages(header: Sequence[str], rows: Iterable[Mapping[str, Any]], question: str = "") -> None:
    """Raise where the rows are averages of runs: the message has the command that takes them.

    question : the column that the caller takes for the question.
    """
    plain = {x.strip().lower(): x for x in reversed(header)}
    run = next((plain[x] for x in plain if x in RUN_NAMES), "")
    column = next((plain[x] for x in AVERAGES if x in plain), "")
    if question not in ("", run) or not column or (not question and table.usual("question", header)):
        return
    model, by_run = plain.get("model") or table.usual("model", header), dict[tuple[str, str], float]()
    if not run:
        if model and "question" not in plain:
            _refuse_averages_of_models(
                rows, model, column, next((plain[x] for x in ("n", *table.COUNTS["n"].split()) if x in plain), "")
            )
        return
    for n, row in enumerate(rows):
        try:
            x = score(row.get(column), None)
        except InvalidInput:
            return
        key = str(row.get(model, "")), str(row.get(run))
        if n >= MOST_RUN_ROWS or x is None or key in by_run:
            return
        by_run[key] = x
    by_model: dict[str, list[float]] = {}
    for (name, _), x in by_run.items():
        by_model.setdefault(name, []).append(x)
    state_averages(by_model)


def _refuse_averages_of_models(rows: Iterable[Mapping[str, Any]], model: str, column: str, n: str) -> None:
    """Raise where each row is a model with its average; n: the column of the number of outcomes, or ""."""
    averages: dict[str, tuple[float, Any]] = {}
    for row in islice(rows, MOST_RUN_ROWS):
        try:
            x = score(row.get(column), None)
        except InvalidInput:
            return
        name = str(row.get(model, ""))
        if x is None or name in averages:
            return
        averages[name] = x, row.get(n)
    if not averages or {x for x, _ in averages.values()} <= {0.0, 1.0}:
        return
    x, size = next(iter(averages.values()))
    is_rate = type(size) in (int, str) and re.fullmatch("[1-9][0-9]{0,8}", str(size).strip()) and 0 <= x <= 1
    hint = f"average:{round(x * int(size))}/{int(size)}" if is_rate else f"averages:{column}"
    what = "the rows are averages of models, not outcomes of questions"
    raise InvalidInput("format", "path", what, hint)


def state_averages(by_model: Mapping[str, Sequence[float]]) -> None:
    """Raise with the command that takes these averages of runs, unless they may be outcomes 0 and 1."""
    groups = {name: x for name, x in by_model.items() if 1 < len(x) <= MOST_AVERAGES}
    numbers = [y for x in groups.values() for y in x]
    if set(numbers) <= {0.0, 1.0}:
        return
    top = 1 if max(numbers) <= 1 else 100 if max(numbers) <= 100 else max(numbers)
    shown = dict([*groups.items()][:2])
    lists = " ".join(",".join(f"{y:.10g}" for y in x) for x in shown.values())
    what = "the rows are averages of runs, not outcomes of questions; their mean, and a difference, are estimated by"
    of = f" ({' and '.join(shown)})" if any(shown) else ""
    scale = f"--scale={min(0.0, *numbers):.10g},{top:.10g}"
    raise InvalidInput("format", "path", f"{what} scorio interval {lists} {scale}{of}")
