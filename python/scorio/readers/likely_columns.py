"""Which columns of rows may be the question, the outcome and the model, by their names and by what they hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import InvalidInput
from . import check, sums, table, values
from .values import Cells

ID_ENDINGS = ("id", "name", "key")  # of names of columns that may identify questions
LONGEST_ID = 500  # characters
# names of fields that are no outcomes: what was right, what the model said, what went wrong, and measurements
NO_OUTCOME = (
    "^(label|gold|target|truth|answers?|preds?|predictions?|outputs?|references?|expected|choice|responses?)$|max_|ground"
    "|wrong|incorrect|fail|error|halluc|refus|toxic|logprob|steps?$|length|tokens|latency|duration|confidence|weight"
    "|^not_|^un|crash|bug|time_?out|timed_?out|loss|^[wcmr]er$|distance|truncat|missing|skip|invalid|violat|penalt|cost"
    "|perplex|^ppl$|rmse|^mse$|^mae$"
)
OF_SCALE = "^max_?(score|points|marks)$|points_possible|full_marks|^out_of$"  # of each question
# names of objects that are no outcomes: how the log was made
OF_SETTINGS = re.compile("config|meta|setting|option|param|arg(s|uments)?$|flag|info|version|^env|feature|switch", re.I)
COUNTED_APART = ({"correct", "incorrect"}, {"correct", "wrong"}, {"passed", "failed"})
OF_BENCHMARKS = ("benchmark", "dataset", "task", "suite", "subset", "category", "subject", "domain", "split", "eval")
VERDICTS = ("status", "result", "verdict")  # which say whether a program ran, where all are alike
# names of families of models, and numbers of parameters: keys that are all such are models, beside others that are not
FAMILY = re.compile(
    "gpt|llama|claude|gemini|gemma|qwen|mistral|mixtral|deepseek|grok|palm|falcon|vicuna|alpaca|olmo|granite|nemotron"
    r"|kimi|glm|phi-?[0-9]|command-r|\bo[1-9]\b|[0-9]b\b",
    re.I,
)
Row = dict[str, Any]


def proposed(
    rows: Sequence[Row], stated: Mapping[str, str], by_path: str = "", outer: frozenset[str] = frozenset()
) -> Iterator[dict[str, Any]]:
    """Columns for these rows, the best first; none where several columns may be meant.

    stated : the columns that the caller chose.
    by_path : "question" where the path of the file states it.
    outer : the columns of the objects around the rows.
    """
    names = list(dict.fromkeys(name for row in rows for name in row if not any(c in name for c in ",=+")))
    # a total is no outcome: without its row a column that has one is as good as the others
    rows = [row for row in rows if not any(isinstance(x, str) and sums.is_named(x) for x in row.values())] or rows
    cells = {name: [row.get(name) for row in rows] for name in names}
    chosen = {name: x for name, x in stated.items() if x in cells}
    counts = {} if "outcome" in chosen else table.counts_in(names)
    summed_up = set.intersection(*(summaries(row, outer) for row in rows)) if len(rows) > 1 else set()
    own = {name: column for name, column in cells.items() if name not in outer and name not in summed_up}
    outcomes = [chosen["outcome"]] if "outcome" in chosen else [""] if counts else outcome_columns(own)
    for outcome in outcomes[:2]:
        alike = [x for x in names if x not in outer and x.rpartition(".")[2] == outcome.rpartition(".")[2]]
        if "." in outcome and len(alike) > 1 and "outcome" not in chosen:
            continue  # the others are of other models
        free = {x: cells[x] for x in names if x not in (outcome, *chosen.values(), *counts.values())}
        model = chosen.get("model") or model_column(free)
        inner = {x: column for x, column in free.items() if x != model and x not in outer}
        around = {x: column for x, column in free.items() if x != model and x in outer}
        questions = [chosen["question"]] if "question" in chosen else question_columns(inner)
        if "question" not in chosen and questions and _are_texts_of_trials(inner[questions[0]], questions[0], around):
            questions = []
        if questions or by_path:
            model = model or _name_around(around)
        else:
            questions, label = question_columns(around), _name_around(around)
            if label and not model and (ids := question_columns({x: y for x, y in around.items() if x != label})):
                questions, model = ids, label
        is_labelled = not model and questions and questions[0] in inner and is_label(questions[0])
        if is_labelled and (other := _crossed(inner, questions[0])):
            model, questions = questions[0], [other]
        for question in [""] if by_path else questions[:2]:
            is_score = bool(outcome) and outcome_kind(cells[outcome]) in ("bounded", "numbers")
            if question.lower() in OF_BENCHMARKS and is_score and question not in chosen.values():
                continue  # averages of benchmarks
            columns = {"question": question, "outcome": outcome, **counts, "model": model} | chosen
            trial = next(iter(table.run_fields(x for x in inner if x not in columns.values())), "")
            is_known = not trial or table.is_run(trial) or "trial" in columns
            keys = [] if is_known or counts else [cells[x] for x in (model, question, trial) if x]
            if keys and len({*zip(*(map(str, x) for x in keys), strict=True)}) == len(keys[0]):  # no two rows agree
                columns["trial"] = trial
            columns = {name: x for name, x in columns.items() if x and not table.is_own(x, name)}
            yield {"columns": columns} if columns else {}


def _crossed(cells: Mapping[str, Sequence[Any]], name: str) -> str:
    """The column of ids of which each value of another column has each once; "" where there is none."""
    column = list(map(str, cells[name]))
    for x in question_columns({other: y for other, y in cells.items() if other != name and is_like_id(other)}):
        ids = list(map(str, cells[x]))
        if 1 < len({*ids}) < len(ids) == len({*column}) * len({*ids}) == len({*zip(column, ids, strict=True)}):
            return x
    return ""


def _are_texts_of_trials(column: Sequence[Any], name: str, around: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a field without the name of an id has other values for each id of the objects around the rows."""
    ids = question_columns({x: cells for x, cells in around.items() if is_like_id(x)})
    if not ids or is_like_id(name):
        return False
    texts = dict[str, set[str]]()
    for x, text in zip(around[ids[0]], column, strict=True):
        texts.setdefault(str(x), set()).add(str(text))
    return len(texts) > 1 and any(x != next(iter(texts.values())) for x in texts.values())


def summaries(row: Mapping[str, Any], outer: Iterable[str] = ()) -> set[str]:
    """The entries of an object of numbers that are the sum or the mean of the others, as an accuracy is."""
    own = {name: x for name, x in row.items() if name not in {"question", *outer}}
    if len(own) < 3 or not all(type(x) in (bool, int, float) and abs(x) < 2.0**53 for x in own.values()):
        return set()
    total = sum(own.values())
    return {name for name, x in own.items() if sums.summary(float(x), x, total - x, len(own) - 1, ()).kinds}


def _name_around(cells: Mapping[str, Sequence[Any]]) -> str:
    """The name of the objects around rows, which may be that of the model; "" where there are not several."""
    for name, column in cells.items():
        if name.lower() in ("name", "id", "label", "title") and len({*map(str, column)}) > 1:
            return name
    return ""


def outcome_columns(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may hold outcomes, the best first: by a usual name, else the only one of outcomes up to 1."""
    plain = {name.lower() for name in cells}
    if any(re.search(OF_SCALE, name) for name in plain) or any(pair <= plain for pair in COUNTED_APART):
        return []  # each question has a scale, or a number of trials, of its own
    lasts = {name: name.lower().rpartition(".")[2] for name in cells}
    fitting = {
        name: kind for name, column in cells.items()
        if not re.search(NO_OUTCOME, lasts[name])
        and not any(map(OF_SETTINGS.search, name.split(".")[:-1]))
        and (kind := outcome_kind(column))
    }  # fmt: skip
    usual = ("outcome", *table.USUAL["outcome"].split())
    named = sorted(
        (usual.index(lasts[name]), name) for name, kind in fitting.items()
        if lasts[name] in usual and (lasts[name] not in VERDICTS or kind != "one")
    )  # fmt: skip
    if named and [lasts[name] for _, name in named].count(lasts[named[0][1]]) > 1:
        return []  # a column for each model or judge
    if named:
        return [name for _, name in named]
    others = [x for x in fitting if not is_like_id(x) and check.is_candidate(x) and not check.numbers_trials(x)]
    return others if len(others) == 1 and fitting[others[0]] in ("two", "bounded") else []


def outcome_kind(column: Sequence[Any]) -> str:
    """The kind of outcomes: "one" or "two" of 0 and 1, "bounded" by these, other "numbers"; "" if some are none."""
    words, seen = Cells({}), set[float]()
    if any(values.fraction(x) for x in column):  # 3 of 4 trials
        return "numbers"
    for x in column:
        try:
            number = values.score(words.value(x), None)
        except InvalidInput:
            return ""
        if number is not None:
            seen.add(number)
    if not seen:
        return ""
    if seen <= {0.0, 1.0}:
        return ("one", "two")[len(seen) - 1]
    return "bounded" if all(0 <= x <= 1 for x in seen) else "numbers"


def is_like_id(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last.lower() in table.USUAL["question"].split() or last.lower().endswith(ID_ENDINGS)


def model_column(cells: Mapping[str, Sequence[Any]]) -> str:
    """The column that names the model; "" where there is none."""
    if named := next((x for x in cells if x.lower() in ("model.name", "model.id")), ""):
        return named
    for name in ("model", *table.USUAL["model"].split()):
        for column in cells:
            texts = cells[column] if column.lower().rpartition(".")[2] == name else ()
            if texts and all(isinstance(x, str) and 0 < len(x.strip()) <= LONGEST_ID for x in texts):
                return column
    return ""


def question_columns(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may identify questions, the best first.

    A field of a usual name is better than others, one with several rows for a value is better than one that is unique
    for each row, as the id of a score is: unless its name is that of a question's id.
    """
    ranked, only = [], list[str]()
    usual = ("question", *table.USUAL["question"].split(), "task")
    for position, (name, column) in enumerate(cells.items()):
        last = name.lower().rpartition(".")[2]
        ids = [x for x in column if type(x) in (str, int) and str(x).strip() and len(str(x)) <= LONGEST_ID]
        is_trial = check.numbers_trials(last) and last not in usual
        n = len({str(x) for x in ids})
        if len(ids) < len(column) or not ids or is_trial:
            continue
        if not outcome_kind(ids) and (n > 1 or len(ids) == 1) and not re.search(NO_OUTCOME, last):
            only.append(name)
        if last not in usual and not is_like_id(name):
            continue
        is_bare = last in ("id", "idx", "index", "uuid", "guid", "task")  # the id of a row, or a benchmark
        sizes = {ids.count(x) for x in list(dict.fromkeys(ids))[:50]}
        repeats = n < len(ids) and len(sizes) == 1  # each has as many rows
        order = usual.index(last) if last in usual else len(usual) + (not last.endswith("id"))
        ranked.append((n == 1 and len(ids) > 1, is_bare, not repeats and last not in usual, order, position, name, n))
    # a prompt or an input with a few values, of which each has all ids, is a condition
    most = max((n for *_, n in ranked if n < len(next(iter(cells.values())))), default=0)
    names = [name for is_one, *_, name, n in sorted(ranked) if 2 * n >= most and not is_one]
    return names or [name for *_, name, _ in sorted(ranked)] or (only if len(only) == 1 else [])


def is_label(column: str) -> bool:
    """Whether a column names what its row is of, be it a question or a model."""
    last = column.lower().rpartition(".")[2]
    return last.endswith(("name", "label", "title")) and last not in table.USUAL["question"].split()


def are_families(names: Collection[str]) -> bool:
    """Whether all names are those of known families of models."""
    return bool(names) and all(map(FAMILY.search, names))


def are_numbered(names: Iterable[str]) -> bool:
    """Whether several names differ only in a number at their end, behind nothing, a word for a question or a slash."""
    stems = {re.sub("[-_ ]?[0-9]+$", "", x).lower() for x in names}
    return len(stems) == 1 and bool(
        min(stems).endswith("/") or stems & {"", *"cdpqt", *table.USUAL["question"].split()}
    )  # not m1, v2
