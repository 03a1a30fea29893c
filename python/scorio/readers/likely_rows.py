"""Where the rows of a document may be: patterns of rows, with the rows that they find."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import check, likely_columns, mapped, sums, table, text_files, wide
from .files import ENDINGS
from .likely_columns import NO_OUTCOME, OF_SETTINGS, Row
from .pattern import SCALARS, Pattern
from .text_files import SourceLocation

MOST_ROWS = 2000  # rows of a file that are looked at
MOST_OUTER = 50  # fields of an object around rows
FEW = 10  # entries of an object that may be models
MOST_STEPS = 6  # of a pattern
ENDS = ("{}", "[{trial}]")  # of patterns whose only key in braces may be a question


def rows(file: Path) -> Iterator[tuple[str, list[Row], frozenset[str]]]:
    """The first rows of a file, the pattern that finds them in a document ("" in a table), and names around them."""
    location = SourceLocation(file)
    kind = ENDINGS.get(location.suffix)
    nothing = frozenset[str]()
    try:
        if kind in ("csv", "lines", "parquet"):
            rows = list(islice(mapped.rows(location, kind), MOST_ROWS))
            if not _have_trials(rows):
                yield "", [flat(x) for x in rows], nothing
            for text in patterns(rows) if kind == "lines" else ():
                within = text.removeprefix("[*]").removeprefix(".")
                yield within, *_within([y for x in rows for y in Pattern(within).rows(x, location)])
        elif kind in ("json", "xml", "yaml"):
            content = text_files.tree(location, kind)
            if isinstance(content, list) and not _have_trials(content[:MOST_ROWS]):
                yield "", [flat(x) for x in content[:MOST_ROWS] if isinstance(x, dict)], nothing
            texts = patterns(content)
            if isinstance(content, dict) and not texts:  # else what it says itself is about its rows
                yield "", [flat(content)], nothing
            for text in texts:
                rows = list(islice(Pattern(text).rows(content, location), MOST_ROWS))
                if len(rows) < MOST_ROWS and _leaves_out(content, rows):
                    continue
                by_rows = _by_rows(text, rows)
                yield by_rows, *_within(rows if by_rows == text else Pattern(by_rows).rows(content, location))
    except (InvalidInput, OSError, ImportError):
        return


def patterns(content: Any) -> list[str]:
    """Patterns of rows that a document may have, see :mod:`.pattern`.

    Examples
    --------
    >>> from scorio.readers.likely_rows import patterns
    >>> patterns({"m": "a", "runs": [{"id": 1, "ok": 1}]}), patterns({"p": True, "q": True, "r": False})
    (['runs[*]'], ['{question}', '{model}'])
    """
    texts = []
    for steps in dict.fromkeys(map(tuple, _steps(content, []))):
        fields = [i for i, step in enumerate(steps) if step.startswith("{")]
        is_outer = {i: i == fields[0] and len(fields) > 1 and "{model}" not in steps for i in fields}
        named = {i: "{model}" if is_outer[i] else "{question}" for i in fields}
        choices = [named]
        roles = _told(content, steps, fields)
        if not roles and any(i + 1 in fields and i + 2 in fields for i in fields):
            continue  # of three levels none is told
        if roles:
            choices = [roles]
        elif len(fields) == 1:  # a key around rows is not their question
            choices = [{fields[0]: x} for x in ("{question}", "{model}")[steps[-1] not in ENDS :]]
        for names in choices:
            if not roles:
                names |= {i: steps[i] for i in fields if steps[i] != "{}"}
            texts.append(".".join(names.get(i, step) for i, step in enumerate(steps)).replace(".[", "["))
    return list(dict.fromkeys(texts))


def _told(content: Any, steps: Sequence[str], fields: Sequence[int]) -> dict[int, str]:
    """The roles of the keys at these steps, where the names of some tell: families of models, runs, numbered questions.

    Of the others, those with the most keys are questions unless the rows have ids, or a place in a list is theirs; the
    outermost are models unless others are, or the objects of questions have them; others below questions are parts of
    these, and the rest benchmarks. Empty where no name tells.
    """
    keys, values = dict[int, list[str]](), [content]
    states_model = has_ids = False
    for i, step in enumerate(steps):
        objects = [x for x in values if isinstance(x, dict)]
        states_model = states_model or any(type(x.get("model")) is str for x in objects)
        if i in fields:
            keys[i] = list(dict.fromkeys(str(key) for x in objects for key in x))[:MOST_ROWS]
            values = [y for x in objects for y in x.values()]
        elif step.startswith("["):
            values = [y for x in values if isinstance(x, list) for y in x]
            entry = values[0] if i + 1 < len(steps) and values and isinstance(values[0], dict) else {}
            has_ids = has_ids or any(
                likely_columns.is_like_id(str(x)) and type(y) in (str, int) for x, y in entry.items()
            )
        else:
            values = [x[key] for x in objects if (key := step.strip('"')) in x]
        values = values[:MOST_ROWS]
    rows = [x for x in values if isinstance(x, dict)]
    has_ids = has_ids or (bool(rows) and any(map(likely_columns.is_like_id, map(str, rows[0]))))
    roles = {i: "{model}" for i, names in keys.items() if likely_columns.are_families(names)}
    roles |= {i: "{run}" for i, names in keys.items() if _are_runs(names)}
    numbered = [i for i, names in keys.items() if i not in roles and likely_columns.are_numbered(names)]
    places = [
        i for i in numbered if keys[i] in ([*map(str, range(len(keys[i])))], [*map(str, range(1, len(keys[i]) + 1))])
    ]
    if places and (has_ids or places[-1] != numbered[0]):  # 0, 1, ... below questions
        roles[places[-1]] = "{run}"
        numbered.remove(places[-1])
    roles |= dict.fromkeys([] if has_ids else numbered, "{question}")
    if not roles or [*roles.values()].count("{model}") > 1:
        return {}
    others, needs_question = [i for i in fields if i not in roles], not has_ids and "{question}" not in roles.values()
    if len(others) > 2:
        return {}
    if others and needs_question:  # there are more questions than models and benchmarks
        most = max(others, key=lambda i: (len(keys[i]), i))
        roles[most] = "{question}"
        others.remove(most)
    elif needs_question and steps[-1] == "[{trial}]" and "[{question}]" not in steps:
        roles[len(steps) - 1] = "[{question}]"
    question = min((i for i, x in roles.items() if x == "{question}"), default=len(steps))
    below = [i for i in others if i > question and i - 1 in fields]  # in an object that has only them
    if others and not states_model and "{model}" not in roles.values() and len(fields) > 1:
        roles[below[0] if below else others[0]] = "{model}"
    rest = [i for i in others if i not in roles]
    return roles | {i: "{question}" if i > question and i not in below else "{task}" for i in rest}


def _are_runs(names: Iterable[str]) -> bool:
    """Whether names number runs or trials: run_1, seed0, attempt 2."""
    return all((match := wide.RUN.fullmatch(x)) and not match[1] for x in names)


def _leaves_out(content: Any, rows: Sequence[Any]) -> bool:
    """Whether a document has further objects with the keys of these rows, as in a list beside theirs."""
    if not rows or not all(isinstance(row.own, dict) for row in rows):
        return False
    keys = set[str].intersection(*(set(row.own) for row in rows))
    around = {id(x) for row in rows for x in row.enclosing}
    n, waiting = 0, [content]
    while keys and waiting:
        x = waiting.pop()
        n += isinstance(x, dict) and keys <= x.keys() and id(x) not in around
        waiting += [y for y in (x.values() if isinstance(x, dict) else x) if isinstance(y, (dict, list))]
    return n > len(rows)


def _by_rows(pattern: str, rows: Sequence[Any]) -> str:
    """The pattern with a key that names the question or the task, where the rows at a key name several models.

    Where an object around the rows states their question, the key names their model.
    """
    if rows and any("question" in x for x in rows[0].enclosing if isinstance(x, dict) and len(x) <= MOST_OUTER):
        return pattern if "{model}" in pattern else pattern.replace("{question}", "{model}")
    own = [flat(row.own) if isinstance(row.own, dict) else Row() for row in rows]
    model = likely_columns.model_column({name: [x.get(name) for x in own] for name in own[0]}) if own else ""
    keys = [(row.bound.get("model"), row.bound.get("task")) for row in rows]
    if not model or len({*zip(keys, (x[model] for x in own), strict=True)}) <= len({*keys}):
        return pattern
    has_ids = "{question}" in pattern or any(likely_columns.is_like_id(name) for name in own[0] if name != model)
    outer, key, inner = re.sub("{model}", "{task}", pattern).rpartition("{task}")
    return outer + ("{task}" if has_ids else "{question}") + inner if key else pattern


def _within(rows: Iterable[Any]) -> tuple[list[Row], frozenset[str]]:
    """Rows that a pattern finds, with the fields of the objects around them, and the names of those fields."""
    samples, outer_names, own_names = list[Row](), set[str](), set[str]()
    for row in rows:
        outer = Row()
        for x in row.enclosing:
            if isinstance(x, dict) and len(x) <= MOST_OUTER and not _is_map(x):
                outer |= flat({name: y for name, y in x.items() if y is not row.own})
        own = flat(row.own) if isinstance(row.own, dict) else {"outcome": row.own}
        outer_names |= outer.keys()
        own_names |= own.keys() | {"question"}
        samples.append(outer | own | {name: x for name, x in row.bound.items() if name == "question"})
    return samples, frozenset(outer_names - own_names)


def flat(row: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Row:
    """The scalars of an object, with dotted names for those of objects within it."""
    out = Row()
    for name, x in row.items():
        if isinstance(x, dict) and depth < check.DEEPEST:
            out |= flat(x, f"{prefix}{name}.", depth + 1)
        elif not isinstance(x, (dict, list)):
            out[f"{prefix}{name}"] = x
    return out


def _steps(x: Any, steps: list[str], has_model: bool = False) -> Iterator[list[str]]:
    """The steps to rows below a value, those of the innermost rows first; {} is any key of an object.

    has_model : whether an object around it states the model.
    """
    if len(steps) > MOST_STEPS or not isinstance(x, (dict, list)) or not x:
        return
    if isinstance(x, dict):  # no settings of the log
        x = {key: y for key, y in x.items() if not (isinstance(y, (dict, list)) and OF_SETTINGS.search(str(key)))}
        stated = {key.lower() for key, y in x.items() if type(y) is str}
        has_model = has_model or not stated.isdisjoint({"model", *table.USUAL["model"].split()})
    inner = list(x.values() if isinstance(x, dict) else x)[:MOST_ROWS]
    are_objects = all(isinstance(y, dict) and y for y in inner)
    if isinstance(x, list):
        if all(map(are_trials, x)) and (not steps or _is_container(steps[-1])):
            yield [*steps, "[{question}]", "[{trial}]"]
        elif are_objects:
            if steps and not _have_trials(inner):
                yield [*steps, "[*]"]
            yield from _steps(inner[0], [*steps, "[*]"], has_model)
        elif {"[*]", "{}"} & {*steps} and all(type(y) in SCALARS for y in inner) and _are_outcomes(steps[-1], inner):
            yield [*steps, "[{trial}]"]
    elif len(inner) > 1 and are_objects and all(len(y) > 1 and all(map(_is_outcome, y.values())) for y in inner):
        shares_keys = bool(inner[0].keys() & inner[1].keys())
        named = [key for key in x if _is_container(key)]
        if named and all(key in named or _are_settings(key, y) for key, y in x.items()) and len(named) < len(x):
            for key in named:
                yield from _steps(x[key], [*steps, key], has_model)
        elif not shares_keys or has_model:
            yield [*steps, "{task}", "{}"]
        elif "{}" not in steps:  # there are more questions than models
            yield [*steps, *(("{}", "{model}") if len(x) > len(inner[0]) else ("{model}", "{}"))]
        else:
            yield [*steps, "{task}", "{}"]
    elif len(inner) > 1 and all(map(are_trials, inner)) and not any(re.search(NO_OUTCOME, y.lower()) for y in x):
        if len(x) > FEW or all(re.search("[0-9]", y) for y in x) or likely_columns.are_families(x):
            yield [*steps, "{}", "[{trial}]"]
    elif len(inner) > 1 and all(isinstance(y, list) and y and all(map(are_trials, y)) for y in inner):
        yield [*steps, "{model}", "[{question}]", "[{trial}]"]
    elif _is_map(x):
        yield from _steps(inner[0], [*steps, "{}"], has_model)
        yield [*steps, "{}"]
    elif (
        steps[-1:] != ["[*]"]
        and len(inner) > 1
        and all(map(_is_outcome, inner))
        and (len(inner) > 2 - ({*map(type, inner)} == {bool}) or _are_of_models(steps, x))
        and not {key.lower() for key in likely_columns.summaries(x)} & {*sums.AVERAGES}
        and (not steps or "[*]" in steps or not _are_settings(steps[-1], x))
    ):
        yield [*steps, "{}"]
    elif _are_alike(x):
        yield [*steps, "{task}" if has_model or "{}" in steps else "{model}", "[*]"]
    else:  # records first, before objects of plain values
        for key, y in sorted(x.items(), key=lambda entry: not isinstance(entry[1], list)):
            yield from _steps(y, [*steps, key if re.fullmatch(r"[\w-]+", key) else f'"{key}"'], has_model)


def _are_of_models(steps: Sequence[str], keys: Collection[str]) -> bool:
    """Whether an object of outcomes has one for each model, by its name or by theirs."""
    return likely_columns.are_families(keys) or bool(steps and "model" in steps[-1].lower())


def _are_alike(x: Mapping[str, Any]) -> bool:
    """Whether values are lists of records with the same keys, perhaps beside plain values."""
    lists = [y for y in x.values() if isinstance(y, (list, dict))]
    if any(re.search(NO_OUTCOME, key.lower()) for key in x):  # such as failures beside samples
        return False
    if len(lists) < 2 or not all(isinstance(y, list) and y and all(isinstance(z, dict) for z in y) for y in lists):
        return False
    return len(lists) == len(x) or len({frozenset(y[0]) for y in lists}) == 1


def _are_settings(name: str, keys: Collection[str]) -> bool:
    """Whether an object may be of settings: it has a few words, and its name is none of an object of outcomes."""
    return len(keys) <= FEW and not _is_container(name) and not any(re.search("[{0-9]", x) for x in (name, *keys))


def _is_container(key: str) -> bool:
    """Whether an object of this name may hold outcomes by question: results, details, questions, scores, data."""
    last = key.lower().rpartition("_")[2]
    return last in (
        "data",
        *(f"{x}s" for x in ("outcome", "detail", "question", *" ".join(table.USUAL.values()).split())),
    )


def _have_trials(records: Sequence[Any]) -> bool:
    """Whether records have a list of their trials, of which their own outcome is a summary.

    A trial has the outcome under the name that it has in the record, or is only an outcome; parts of a question, such
    as tests and criteria, have names, alike in all records.
    """
    if not records or not all(isinstance(x, dict) for x in records):
        return False
    usual = ("outcome", *table.USUAL["outcome"].split())
    outcomes = [
        x for x, y in records[0].items() if x.lower() in usual and (y is None or likely_columns.outcome_kind([y]))
    ]
    for key in records[0] if outcomes else ():
        lists = [record.get(key) for record in records]
        if re.search(f"{NO_OUTCOME}|test", key.lower()) or not all(type(x) is list and x for x in lists):
            continue
        entries = [x for several in lists for x in several]
        if all(type(x) in SCALARS for x in entries) and _are_outcomes(key, entries):
            return True
        if not all(isinstance(x, dict) and any(name in x for name in outcomes) for x in entries):
            continue
        texts = [x for x, y in entries[0].items() if isinstance(y, str) and not re.search(NO_OUTCOME, x.lower())]
        texts = [x for x in texts if x not in outcomes]
        of_each = {name: {tuple(str(x.get(name)) for x in several) for several in lists} for name in texts}
        named = [x for x in texts if len(of_each[x]) == 1 < len(lists) or likely_columns.is_like_id(x)]
        if not [x for x in named if not check.numbers_trials(x)]:
            return True
    return False


def _is_map(x: Mapping[str, Any]) -> bool:
    """Whether an object maps ids to objects with common keys, rather than naming its own fields."""
    inner = list(x.values())[:MOST_ROWS]
    several = len(inner) > 1 or likely_columns.are_families(x)
    are_objects = several and all(isinstance(y, dict) and y for y in inner)
    return are_objects and bool(set(inner[0]).intersection(*inner[1:]))


def are_trials(x: Any) -> bool:
    """Whether a value is a list of outcomes."""
    return isinstance(x, list) and bool(x) and all(map(_is_outcome, x))


def _is_outcome(x: Any) -> bool:
    return type(x) in SCALARS and likely_columns.outcome_kind([x]) in ("one", "two")


def _are_outcomes(name: str, entries: Sequence[Any]) -> bool:
    """Whether the entries of a list may be outcomes of trials, by the name of the list and what they are."""
    plain = name.lower()
    is_no_outcome = re.search(NO_OUTCOME, plain) or re.search("test", plain)
    is_usual = plain.removesuffix("s") in (
        "outcome",
        "trial",
        "attempt",
        "run",
        *table.USUAL["outcome"].split(),
    ) or all(type(x) is bool for x in entries)
    return bool(is_usual and not is_no_outcome and all(map(_is_outcome, entries)))
