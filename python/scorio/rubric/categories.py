"""Categories of attempts under a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import InvalidInput
from .conditions import Bools, Facts, Node
from .percentiles import check_present, read_thresholds, threshold_values
from .schema import Schema, schema_of
from .signals import Signals, check_clash, read

Labels = npt.NDArray[np.signedinteger[Any]]
MISSING = -1  # in place of a category that is unknown, where such attempts are dropped


def categories(signals: Any, schema: Schema | str, *, thresholds: Any = None, missing: str | int = "raise") -> Labels:
    """Assign each attempt the category of the first rule of a schema that is true.

    Parameters
    ----------
    signals : mapping of str to array_like, shape (M, N), or to a number for all attempts
        Signals of one model, NaN or None where one is missing. At least one is a matrix.
    schema : Schema or str
        A schema, or the name of one in ``SCHEMATA`` or in the paper, in any spelling: "Conf-Wrong Penalty".
    thresholds : mapping of str to float or None, optional
        Values of the thresholds, for example those that :func:`thresholds` computes from all models. Default: computed
        from these signals alone.
    missing : {"raise", "drop"} or int
        Treatment of an attempt whose category depends on a missing signal (all rules before some rule are false, and
        that rule is unknown): an error ("raise"), -1 ("drop"), or a category.

    Returns
    -------
    ndarray of int, shape (M, N)
        Categories 0..C, and -1 for attempts that are missing and dropped:
        ``tally(..., missing="drop", missing_code=-1)`` counts them.

    Raises
    ------
    InvalidInput
        An argument is invalid; missing: a signal or a threshold that the schema needs, or (with "raise") a value on
        which a category depends; empty: the category of an attempt depends on a threshold that has no value; category:
        an attempt that fits no rule.

    Notes
    -----
    Tables 4 and 5 of arXiv:2510.04265; spec/families/rubric.md decides what the tables leave open. Compare models with
    thresholds of their common data set: thresholds from one model's signals alone would hide that it is more verbose
    than others.

    Examples
    --------
    >>> from scorio import rubric
    >>> signals = {"is_correct": [[1, 0, None]], "repeated_pattern": [[0, 0, 1]], "C": 0, "has_box": [[1, 0, 1]]}
    >>> rubric.categories(signals, "format_aware").tolist()
    [[4, 1, 0]]
    """
    data, schema = read(signals), schema_of(schema, "schema")
    values = None if thresholds is None else read_thresholds(thresholds)
    arguments.policy(missing, schema.C)
    check_clash(data.values, schema.declared_names, "schema", f"schema {schema.name}")
    check_present(schema.sources(computed=values is None), data, "signals", f"schema {schema.name}")
    used = schema.scope.needs(schema.nodes).thresholds
    if values is None:
        values = threshold_values([data], schema.scope, used)
    check_stated(schema, values)
    return assigned_categories(data, schema, values, missing, "signals", "")


def check_stated(schema: Schema, values: Mapping[str, Any]) -> None:
    """Raise if values of thresholds lack one that the rules use."""
    for name in schema.scope.needs(schema.nodes, computed=False).thresholds:
        if name not in values:
            raise InvalidInput("missing", "thresholds", f"schema {schema.name} needs {name}, which thresholds lacks")


def assigned_categories(
    data: Signals, schema: Schema, values: Mapping[str, float | None], missing: str | int, argument: str, of_model: str
) -> Labels:
    """The categories of all attempts, as categories() returns them.

    values: the thresholds; argument: the argument with the signals; of_model: ", model NAME", which messages have
    after the name of the schema, or nothing.
    """
    known = {name: values[name] for name in schema.scope.thresholds if name in values}
    facts = Facts(data.values, known, schema.scope.variables)
    out = np.full(data.shape, MISSING, np.int8 if schema.C < 128 else np.int32)
    unassigned = np.ones(data.shape, bool)
    undetermined: list[tuple[Node, Bools]] = []  # conditions, each with the attempts for which it was unknown
    for (category, _), node in zip(schema.rules, schema.nodes, strict=True):
        true, false = facts.truth(node)
        out[unassigned & true] = category
        unknown = unassigned & ~(true | false)
        if unknown.any():
            undetermined.append((node, unknown))
        unassigned &= false
    where = f"schema {schema.name}{of_model}: question {{}}, trial {{}}"
    if None in known.values():
        for node, unknown in undetermined:
            check_undefined(facts, data, node, unknown, where)
    if unassigned.any():
        blamed = "schema" if argument == "signals" else "schemata"
        raise InvalidInput("category", blamed, f"{where.format(*_first_true(unassigned))} fits no rule of {blamed}")
    if undetermined and missing == "raise":
        node, unknown = min(undetermined, key=lambda x: _first_true(x[1]))
        attempt = _first_true(unknown)
        name = facts_of_attempt(facts, data, attempt).first_unknown_name(node)
        raise InvalidInput("missing", argument, f"{where.format(*attempt)} of {argument}: {name} is missing", "signal")
    if undetermined and missing != "drop":
        for _, unknown in undetermined:
            out[unknown] = missing
    return out


def check_undefined(facts: Facts, data: Signals, node: Node, unknown: Bools, where: str) -> None:
    """Raise if the condition is unknown for an attempt because a threshold in it has no value."""
    bad = unknown & facts.blames_threshold(node)
    if bad.any():
        attempt = _first_true(bad)
        name = facts_of_attempt(facts, data, attempt).first_unknown_name(node)
        raise InvalidInput(
            "empty", "thresholds", f"{where.format(*attempt)} is compared with {name} of thresholds, which has no value"
        )


def facts_of_attempt(facts: Facts, data: Signals, attempt: tuple[int, int]) -> Facts:
    """The facts of a single attempt: its signals, with the same thresholds and variables."""
    values = {name: data.broadcast(name)[attempt] for name in data.values}
    return Facts(values, facts.thresholds, facts.variables)


def _first_true(mask: Bools) -> tuple[int, int]:
    """The question and the trial of the first True entry."""
    i, j = divmod(int(mask.argmax()), mask.shape[1])
    return i, j
