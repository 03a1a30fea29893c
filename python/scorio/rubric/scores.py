"""Categories of attempts under a schema, and Bayes@N of many models under many schemata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import FloatArray
from ..errors import InvalidInput, shown
from ..eval.bayes import bayes
from ..outcomes.tally import tally
from ..rank.scores import by_score
from ..results import Estimate
from .conditions import Bools, Facts, Node
from .percentiles import check_present, computable_thresholds, read_thresholds, threshold_values
from .schema import SCHEMATA, STANDARD, Schema, schema_of
from .signals import Signals, check_clash, read, read_models

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


class Scores(NamedTuple):
    """Bayes@N and ranks of L models under S schemata.

    Attributes
    ----------
    models, schemata : list
        Names of the models and schemata: the rows and columns of the arrays.
    mu, sigma : ndarray of float64, shape (L, S)
        Bayes@N of the categories with the scores w of the schema.
    ranks : ndarray of int64, shape (L, S)
        Competition ranks by mu, 1 the best; models with equal mu share the best of their ranks.
    left_out : dict
        Standard schemata that could not be computed, each with the first of its signals that some model lacks.
    thresholds : dict
        The values of the thresholds, as given or computed; None where no attempt has a value.
    """

    models: list[Any]
    schemata: list[str]
    mu: FloatArray
    sigma: FloatArray
    ranks: npt.NDArray[np.int64]
    left_out: dict[str, str]
    thresholds: dict[str, float | None]


def score(models: Any, schemata: Any = None, *, thresholds: Any = None, missing: str | int = "raise") -> Scores:
    """Bayes@N and rank of every model under every schema.

    Parameters
    ----------
    models : mapping of models to signals
        Signals of each model as :func:`categories` takes them, for the same M questions.
    schemata : sequence of Schema or str, optional
        Schemata or their names, as in :func:`categories`. Default: every standard schema whose signals all models have.
    thresholds : mapping of str to float or None, optional
        Values of the thresholds. Default: computed from all these models together.
    missing : {"raise", "drop"} or int
        As for :func:`categories`; dropped attempts do not count as trials.

    Returns
    -------
    Scores
        (models, schemata, mu, sigma, ranks, left_out, thresholds); mu and sigma are those of :func:`scorio.eval.bayes`.

    Raises
    ------
    InvalidInput
        As :func:`categories`; empty: no schema can be computed; no_trials: a question with all its attempts dropped.

    Notes
    -----
    Section 3.4, figure 7 and appendix D of arXiv:2510.04265. The scores w of the standard schemata were chosen
    for this package, since the paper gives them for one schema only; ranks by mu ignore sigma.

    Examples
    --------
    >>> from scorio import rubric
    >>> r = rubric.score({
    ...     "terse": {"is_correct": [[1, 0], [1, 0]], "has_box": [[0, 0], [0, 1]], "C": 0, "repeated_pattern": 0},
    ...     "tidy": {"is_correct": [[1, 0], [0, 0]], "has_box": [[1, 1], [1, 1]], "C": 0, "repeated_pattern": 0},
    ... })
    >>> r.schemata
    ['exact_match', 'format_aware', 'strict_compliance', 'length_robust']
    >>> r.ranks.tolist()
    [[1, 2, 2, 1], [2, 1, 1, 2]]
    >>> r.left_out["verifier_only"]
    'A'
    """
    names, data = read_models(models, "models")
    use_standard = schemata is None
    chosen = list(SCHEMATA.values()) if use_standard else _chosen(schemata)
    values = None if thresholds is None else read_thresholds(thresholds)
    left_out = {s.name: x for s in chosen if (x := _missing_signal(s, data, values is None))}
    if use_standard:
        chosen = [s for s in chosen if s.name not in left_out]
        if not chosen:
            lacked = list(left_out.values())
            most = ", ".join(sorted(set(lacked), key=lacked.count, reverse=True)[:3])
            raise InvalidInput(
                "empty", "models", f"models lack signals for every schema, most often {most}", "constant"
            )
    for s in chosen:
        _check(s, data, values)
        arguments.policy(missing, s.C)
        if s.name in left_out:
            signal = left_out[s.name]
            model = shown(next(name for name, x in zip(names, data, strict=True) if signal not in x.values))
            what = f"schema {s.name} needs the signal {signal}, which models[{model}] lacks"
            raise InvalidInput("missing", "models", what, "constant")
    if values is None:
        values = _values(chosen, data)
    estimates = [[_estimate(x, s, values, missing, name) for s in chosen] for name, x in zip(names, data, strict=True)]
    mu, sigma = (np.array([[e[i] for e in row] for row in estimates]) for i in (0, 1))
    ranks = np.array([by_score(column, tol=0.0).competition for column in mu.T.tolist()]).T
    return Scores(names, [s.name for s in chosen], mu, sigma, ranks, left_out, values)


def _chosen(schemata: Any) -> list[Schema]:
    """Check the requested schemata: no duplicate names, no threshold with two declarations."""
    if isinstance(schemata, (str, bytes, Schema, Mapping)):
        raise InvalidInput("type", "schemata", f"schemata must be a list of schemata and keys, not {shown(schemata)}")
    chosen = [schema_of(x, "schemata") for x in arguments.sequence(schemata, "schemata")]
    declarations: dict[str, Any] = {}
    for i, s in enumerate(chosen):
        if s.name in [x.name for x in chosen[:i]]:
            raise InvalidInput("duplicate", "schemata", f"two entries of schemata have the name {shown(s.name)}")
        for name, declared in s.thresholds.items():
            declaration = declared, s.variables if declared[2] is not None else None
            if declarations.setdefault(name, declaration) != declaration:
                raise InvalidInput(
                    "conflict", "schemata", f"two entries of schemata declare the threshold {name} differently"
                )
    return chosen


def _missing_signal(schema: Schema, data: Sequence[Signals], computed: bool) -> str | None:
    """The first signal of a schema that some model lacks, or None; computed: thresholds are computed from signals."""
    return next((x for x in schema.sources(computed) if any(x not in s.values for s in data)), None)


def _check(schema: Schema, data: Sequence[Signals], values: Any) -> None:
    """Raise if a signal has the name of a variable or threshold, or if stated thresholds lack one that is used."""
    for s in data:
        check_clash(s.values, schema.declared_names, "schemata", f"{schema.name} of schemata")
    if values is not None:
        check_stated(schema, values)


def _values(chosen: Sequence[Schema], data: Sequence[Signals]) -> dict[str, float | None]:
    """The values of the standard thresholds whose signals all models have, then of those that the schemata declare."""
    values = threshold_values(data, STANDARD, computable_thresholds(data))
    for s in chosen:
        values |= threshold_values(data, s.scope, s.thresholds)
    return values


def _estimate(data: Signals, schema: Schema, values: Mapping[str, Any], missing: str | int, name: Any) -> Estimate:
    """Bayes@N of one model under one schema."""
    labels: Labels = assigned_categories(data, schema, values, missing, "models", f", model {shown(name)}")
    dropped = bool((labels == MISSING).any())
    counts = tally(labels, schema.C, missing="drop", missing_code=MISSING) if dropped else tally(labels, schema.C)
    if counts.min_trials == 0:
        raise InvalidInput(
            "no_trials",
            "models",
            f"schema {schema.name}, model {shown(name)} of models: question {counts.empty[0]} has no trial left",
        )
    return bayes(counts, schema.w)
